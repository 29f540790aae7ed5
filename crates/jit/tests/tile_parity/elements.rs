//! Blocks that loops compute element by element: strides, gathers, one load by several indices, integers that wrap around.

use super::{compare, floats, ints, noise, scalar, tensor};

const N: usize = 64;

/// A function of a block `%r` of 0, 1, … 63, its 64-bit form `%q`, and blocks `%ms` and `%ns` of the scalars `%m` and `%n`;
/// it stores `%a`.
fn kernel(body: &str) -> String {
    format!(
        "func @k tile (%x: ptr<f32>[], %i: ptr<i32>[], %z: ptr<f32>[], %m: i32[], %n: i32[]) {{
           %r = arange {{start = 0, end = {N}}} %q = cast(%r) {{to = i64}}
           %ms = splat(%m) : i32[{N}] %ns = splat(%n) : i32[{N}]
           %xs = splat(%x) : ptr<f32>[{N}] %is = splat(%i) : ptr<i32>[{N}] %zs = splat(%z) : ptr<f32>[{N}]
           {body} return
         }}"
    )
}

fn check(body: &str, scalars: &[(i32, i32)]) {
    let index: Vec<i32> = noise(N, 7).into_iter().map(|v| (v % 200) as i32).collect();
    for &(m, n) in scalars {
        let [x, i, z] =
            [tensor("x", &floats(200, 5)), tensor("i", &index), tensor("z", &[0.5f32; 200])];
        compare(&kernel(body), [2, 1, 1], &[x, i, z, scalar(m), scalar(n)]);
    }
}

#[test]
fn strides_of_any_sign() {
    let strides = [(2, 0), (3, 10), (-2, 126), (0, 199), (-3, 189), (1, 136)];
    let rows = "%s = mul(%r, %ms) %o = add(%s, %ns) %px = ptr_add(%xs, %o) %a = load(%px)
                %pz = ptr_add(%zs, %o)";
    check(&format!("{rows} store(%pz, %a)"), &strides);
    // The mask leaves out what is outside.
    let masked = [(2, 100), (3, 30), (-2, 120), (5, 0), (-7, 190), (1000, 0)];
    let masks = "%s = mul(%r, %ms) %o = add(%s, %ns) %px = ptr_add(%xs, %o) %pz = ptr_add(%zs, %o)
                 %zero = constant {value = i32[](0)} %zeros = splat(%zero) : i32[64]
                 %most = constant {value = i32[](200)} %ends = splat(%most) : i32[64]
                 %low = greater_or_equal(%o, %zeros) %high = less(%o, %ends) %in = and(%low, %high)
                 %seven = constant {value = f32[](7)} %sevens = splat(%seven) : f32[64]
                 %a = load(%px, %in, %sevens)";
    check(&format!("{masks} store(%pz, %a, %in)"), &masked);
    check(&format!("{masks} %pr = ptr_add(%zs, %r) store(%pr, %a)"), &masked);
}

#[test]
fn offsets_that_wrap_around() {
    // 2·(2^31 + 2) is 4 in 32 bits.
    let narrow =
        "%two = constant {value = i32[](2)} %twos = splat(%two) : i32[64] %t = mul(%r, %twos)
                  %s = mul(%t, %ms) %o = add(%s, %ns) %px = ptr_add(%xs, %o) %a = load(%px)
                  %pz = ptr_add(%zs, %r) store(%pz, %a)";
    check(narrow, &[(i32::MIN + 1, 0), (i32::MIN, 17), (i32::MAX, 150)]);
    // Bytes of 2^62 + 2 elements are those of 2.
    let wide = "%far = constant {value = i64[](4611686018427387906)} %fars = splat(%far) : i64[64]
                %o = mul(%q, %fars) %px = ptr_add(%xs, %o) %a = load(%px)
                %pz = ptr_add(%zs, %o) store(%pz, %a)";
    check(wide, &[(0, 0)]);
}

#[test]
fn gathers_and_scatters() {
    let gather = "%pi = ptr_add(%is, %r) %o = load(%pi) %px = ptr_add(%xs, %o) %a = load(%px)";
    check(&format!("{gather} %pz = ptr_add(%zs, %r) store(%pz, %a)"), &[(0, 0)]);
    check(&format!("{gather} %pz = ptr_add(%zs, %o) store(%pz, %a)"), &[(0, 0)]);
    let masked =
        "%pi = ptr_add(%is, %r) %in = less(%r, %ns) %o = load(%pi, %in) %px = ptr_add(%xs, %o)
                  %a = load(%px, %in) %pz = ptr_add(%zs, %r) store(%pz, %a, %in)";
    check(masked, &[(0, 0), (0, 1), (0, 33), (0, 64), (0, 1000)]);
}

#[test]
fn one_load_by_two_indices() {
    let text = "func @k tile (%x: ptr<i32>[], %z: ptr<i32>[]) {
       %r = arange {start = 0, end = 64} %two = constant {value = i32[](2)} %twos = splat(%two) : i32[64]
       %o = mul(%r, %twos) %xs = splat(%x) : ptr<i32>[64] %px = ptr_add(%xs, %o) %a = load(%px)
       %m = view(%a) : i32[8, 8] %t = permute(%m) {order = [1, 0]} %s = add(%m, %t) %v = view(%s) : i32[64]
       %zs = splat(%z) : ptr<i32>[64] %pz = ptr_add(%zs, %o) store(%pz, %v) return
     }";
    compare(text, [1, 1, 1], &[tensor("x", &ints(128, 9)), tensor("z", &ints(128, 10))]);
}

#[test]
fn indices_of_several_accesses_in_a_branch() {
    // What brings them into scratch there must not stand for them behind it.
    let text = "func @k tile (%x: ptr<f32>[], %z: ptr<f32>[], %m: i32[]) {
       %r = arange {start = 0, end = 128} %ms = splat(%m) : i32[128] %o = bitwise_xor(%r, %ms)
       %xs = splat(%x) : ptr<f32>[128] %px = ptr_add(%xs, %o)
       %zs = splat(%z) : ptr<f32>[128] %pz = ptr_add(%zs, %o)
       %most = constant {value = i32[](64)} %c = less(%m, %most)
       %v = if(%c) region { %a = load(%px) store(%pz, %a) yield %a } region { %b = load(%pz) yield %b }
       %w = load(%px) %s = add(%v, %w) store(%pz, %s) return
     }";
    for m in [0, 5, 77] {
        let args = [tensor("x", &floats(128, 3)), tensor("z", &floats(128, 4)), scalar(m)];
        compare(text, [1, 1, 1], &args);
    }
}
