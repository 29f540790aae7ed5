//! Blocks that move, and reductions of them.

use half::{bf16, f16};

use super::{compare, compare_floats, floats, ints, noise, tensor};

/// A function that loads a block of `x` and stores another one to `z`, rows and columns as given.
pub(super) fn moved(n: usize, out: usize, body: &str) -> String {
    format!(
        "func @k tile (%x: ptr<i32>[], %z: ptr<i32>[]) {{
           %r = arange {{start = 0, end = {n}}}
           %xs = splat(%x) : ptr<i32>[{n}]
           %pa = ptr_add(%xs, %r)
           %a = load(%pa)
           {body}
           %f = view(%o) : i32[{out}]
           %q = arange {{start = 0, end = {out}}}
           %zs = splat(%z) : ptr<i32>[{out}]
           %po = ptr_add(%zs, %q)
           store(%po, %f)
           return
         }}"
    )
}

#[test]
fn blocks_move() {
    let cases = [
        (64, 64, "%v = view(%a) : i32[4, 16] %o = permute(%v) {order = [1, 0]}"),
        (64, 64, "%v = view(%a) : i32[2, 4, 8] %o = permute(%v) {order = [2, 0, 1]}"),
        (8, 64, "%e = expand_dims(%a) {axis = 1} %o = broadcast(%e) : i32[8, 8]"),
        (8, 64, "%e = expand_dims(%a) {axis = 0} %o = broadcast(%e) : i32[8, 8]"),
        (16, 32, "%o = join(%a, %r)"),
        (16, 32, "%o = cat(%r, %a)"),
        (32, 16, "%v = view(%a) : i32[16, 2] %l, %s = unjoin(%v) %o = sub(%s, %l)"),
        (
            32,
            32,
            "%v = view(%a) : i32[8, 4] %w = view(%r) : i32[8, 4] %k = constant {value = i32[](3)} %ks = splat(%k) : i32[8, 4] \
             %i = bitwise_and(%w, %ks) %j = sub(%ks, %i) %o = take_along_axis(%v, %j) {axis = 1}",
        ),
        (
            64,
            8,
            "%v = view(%a) : i32[8, 8] %o = reduce(%v) {axis = 1} region (%l: i32[], %m: i32[]) { %s = add(%l, %m) yield %s }",
        ),
        (
            64,
            8,
            "%v = view(%a) : i32[8, 8] %w = view(%r) : i32[8, 8] %b, %o = reduce(%v, %w) {axis = 0} \
             region (%l: i32[], %i: i32[], %m: i32[], %j: i32[]) { %c = greater(%l, %m) %s = where(%c, %l, %m) %t = where(%c, %i, %j) yield %s, %t }",
        ),
        (
            64,
            64,
            "%v = view(%a) : i32[8, 8] %o = prefix_scan(%v) {axis = 0} region (%l: i32[], %m: i32[]) { %s = add(%l, %m) yield %s }",
        ),
        (
            64,
            64,
            "%v = view(%a) : i32[8, 8] %o = prefix_scan(%v) {axis = 1, reverse = 1} region (%l: i32[], %m: i32[]) { %s = mul(%l, %m) yield %s }",
        ),
        (
            64,
            64,
            "%o = map(%a) {pack = 2} region (%l: i32[], %m: i32[]) { %c = less(%l, %m) \
             %s = if(%c) region { %d = sub(%m, %l) yield %d } region { yield %l } yield %m, %s }",
        ),
    ];
    for (n, out, body) in cases {
        compare(
            &moved(n, out, body),
            [1, 1, 1],
            &[tensor("x", &ints(n, 9)), tensor("z", &vec![0i32; out])],
        );
    }
}

#[test]
fn rows_are_reduced() {
    for op in ["add", "max", "min", "bitwise_xor", "mul"] {
        let body = format!(
            "%v = view(%a) : i32[4, 32] %f0 = reduce(%v) {{axis = 1}} region (%l: i32[], %m: i32[]) {{ %s = {op}(%m, %l) yield %s }} \
             %e = expand_dims(%f0) {{axis = 1}} %g = broadcast(%e) : i32[4, 32] %o = sub(%v, %g)"
        );
        compare(
            &moved(128, 128, &body),
            [1, 1, 1],
            &[tensor("x", &ints(128, 21)), tensor("z", &vec![0i32; 128])],
        );
    }
}

/// `argmax`, whose comparison lets a NaN on the right win, so that the result tells the order of combinations.
const ARGMAX: &str = "region (%l: f32[], %i: i32[], %m: f32[], %j: i32[]) {
     %e = equal(%l, %m) %first = less(%i, %j) %t = and(%e, %first) %g = greater(%l, %m) %c = or(%g, %t)
     %s = where(%c, %l, %m) %k = where(%c, %i, %j) yield %s, %k
   }";

#[test]
fn regions_are_reduced_as_trees() {
    for (dims, axis, out) in [("64", 0, 1), ("4, 16", 1, 4), ("4, 16", 0, 16), ("2, 32, 1", 2, 64)]
    {
        let text = format!(
            "func @k tile (%x: ptr<f32>[], %z: ptr<i32>[]) {{
               %r = arange {{start = 0, end = 64}} %xs = splat(%x) : ptr<f32>[64] %pa = ptr_add(%xs, %r) %a = load(%pa)
               %v = view(%a) : f32[{dims}] %w = view(%r) : i32[{dims}]
               %best, %at = reduce(%v, %w) {{axis = {axis}}} {ARGMAX}
               %o = view(%at) : i32[{out}] %q = arange {{start = 0, end = {out}}} %zs = splat(%z) : ptr<i32>[{out}]
               %po = ptr_add(%zs, %q) store(%po, %o) return
             }}"
        );
        let mut x = floats(64, 22);
        for at in [0, 7, 8, 31, 40, 63] {
            x[at] = f32::NAN;
        }
        compare(&text, [1, 1, 1], &[tensor("x", &x), tensor("z", &vec![0i32; out])]);
    }
}

/// A reduction or a scan of 64 elements.
fn reduced(dtype: &str, op: &str, kind: &str, dims: &str, axis: usize, out: usize) -> String {
    format!(
        "func @k tile (%x: ptr<{dtype}>[], %z: ptr<{dtype}>[]) {{
           %r = arange {{start = 0, end = 64}} %xs = splat(%x) : ptr<{dtype}>[64] %pa = ptr_add(%xs, %r) %a = load(%pa)
           %v = view(%a) : {dtype}[{dims}]
           %f = {kind}(%v) {{axis = {axis}}} region (%l: {dtype}[], %m: {dtype}[]) {{ %s = {op}(%l, %m) yield %s }}
           %o = view(%f) : {dtype}[{out}] %q = arange {{start = 0, end = {out}}} %zs = splat(%z) : ptr<{dtype}>[{out}]
           %po = ptr_add(%zs, %q) store(%po, %o) return
         }}"
    )
}

#[test]
fn reductions_of_floats() {
    // Sums of small integers and products of powers of two are exact in any order.
    let sums: Vec<f32> = noise(64, 50).into_iter().map(|v| (v % 15) as f32 - 7.0).collect();
    let products: Vec<f32> =
        noise(64, 51).into_iter().map(|v| [0.5, -1.0, 2.0][v as usize % 3]).collect();
    let mut special = floats(64, 52);
    (special[5], special[18], special[40]) = (f32::NAN, f32::INFINITY, f32::NEG_INFINITY);
    for op in ["add", "mul", "max", "min", "max_num", "min_num"] {
        let x = match op {
            "add" => &sums,
            "mul" => &products,
            _ => &special,
        };
        for (dims, axis, out) in [
            ("64", 0, 1),
            ("4, 16", 1, 4),
            ("4, 16", 0, 16),
            ("2, 16, 2", 1, 4),
            ("2, 1, 32", 1, 64),
        ] {
            for kind in ["reduce", "prefix_scan"] {
                let out = if kind == "reduce" { out } else { 64 };
                macro_rules! check {
                    ($($t:ty, $name:literal, $of:expr;)*) => { $({
                        let x: Vec<$t> = x.iter().map($of).collect();
                        let args = [tensor("x", &x), tensor("z", &vec![<$t>::default(); out])];
                        compare_floats::<$t>(&reduced($name, op, kind, dims, axis, out), [1, 1, 1], &args, 0.0);
                    })* };
                }
                check! {
                    f32, "f32", |&v| v;
                    f64, "f64", |&v| v.into();
                    f16, "f16", |&v| f16::from_f32(v);
                    bf16, "bf16", |&v| bf16::from_f32(v);
                }
            }
        }
    }
}
