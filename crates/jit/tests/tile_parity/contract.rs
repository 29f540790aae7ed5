//! Products of blocks.

use super::{compare, noise, tensor};

#[test]
fn products_of_integers() {
    let text = "func @k tile (%x: ptr<i8>[], %z: ptr<i32>[]) {
       %r = arange {start = 0, end = 512} %xs = splat(%x) : ptr<i8>[512] %pa = ptr_add(%xs, %r) %v = load(%pa)
       %a = view(%v) : i8[16, 32] %b = permute(%a) {order = [1, 0]}
       %q = arange {start = 0, end = 256} %c = view(%q) : i32[16, 16] %d = dot(%a, %b, %c)
       %f = view(%d) : i32[256] %zs = splat(%z) : ptr<i32>[256] %po = ptr_add(%zs, %q) store(%po, %f) return
     }";
    let x: Vec<i8> = noise(512, 14).into_iter().map(|v| v as i8).collect();
    compare(text, [1, 1, 1], &[tensor("x", &x), tensor("z", &[0i32; 256])]);
}

/// A product of `x`, m × k, and `y`, k × n, small integers in memory and `dtype` as factors, onto a sum that is not 0. It
/// is exact in any order, whatever the types.
fn product(dtype: &str, sum: &str, [batch, m, n, k]: [usize; 4], turned: bool) -> String {
    let lead = if batch == 1 { String::new() } else { format!("{batch}, ") };
    let (xs, ys, zs) = (batch * m * k, batch * k * n, batch * m * n);
    let (rows, columns) = if turned { (n, k) } else { (k, n) };
    let order = match (turned, batch) {
        (false, 1) => "[0, 1]",
        (false, _) => "[0, 1, 2]",
        (true, 1) => "[1, 0]",
        (true, _) => "[0, 2, 1]",
    };
    format!(
        "func @k tile (%x: ptr<i8>[], %y: ptr<i8>[], %z: ptr<f64>[]) {{
           %rx = arange {{start = 0, end = {xs}}} %px = splat(%x) : ptr<i8>[{xs}] %qx = ptr_add(%px, %rx) %vx = load(%qx)
           %ry = arange {{start = 0, end = {ys}}} %py = splat(%y) : ptr<i8>[{ys}] %qy = ptr_add(%py, %ry) %vy = load(%qy)
           %rz = arange {{start = 0, end = {zs}}} %pz = splat(%z) : ptr<f64>[{zs}] %qz = ptr_add(%pz, %rz)
           %fx = cast(%vx) {{to = {dtype}}} %a = view(%fx) : {dtype}[{lead}{m}, {k}]
           %fy = cast(%vy) {{to = {dtype}}} %b0 = view(%fy) : {dtype}[{lead}{rows}, {columns}] %b = permute(%b0) {{order = {order}}}
           %seven = constant {{value = i32[](7)}} %sevens = splat(%seven) : i32[{zs}] %low = bitwise_and(%rz, %sevens)
           %cz = cast(%low) {{to = {sum}}} %c = view(%cz) : {sum}[{lead}{m}, {n}]
           %d = dot(%a, %b, %c) %e = cast(%d) {{to = f64}} %o = view(%e) : f64[{zs}] store(%qz, %o) return
         }}"
    )
}

fn small(n: usize, seed: u64) -> Vec<i8> {
    noise(n, seed).into_iter().map(|v| (v % 9) as i8 - 4).collect()
}

#[test]
fn products_of_every_type() {
    let types = [
        ("f32", "f32"),
        ("f64", "f64"),
        ("f16", "f32"),
        ("f16", "f16"),
        ("bf16", "f32"),
        ("f8e4m3fn", "f32"),
        ("f8e5m2", "f32"),
        ("i8", "i32"),
    ];
    let shapes = [
        [1, 1, 1, 1],
        [1, 2, 8, 4],
        [1, 16, 16, 32],
        [1, 64, 2, 16],
        [1, 1, 128, 2],
        [4, 8, 16, 8],
    ];
    for (dtype, sum) in types {
        for [batch, m, n, k] in shapes {
            for turned in [false, true] {
                let args = [
                    tensor("x", &small(batch * m * k, 40)),
                    tensor("y", &small(batch * k * n, 41)),
                    tensor("z", &vec![0f64; batch * m * n]),
                ];
                compare(&product(dtype, sum, [batch, m, n, k], turned), [1, 1, 1], &args);
            }
        }
    }
}

/// Bytes whose values in the format are within a few powers of two, so that sums of their products are exact.
fn codes(format: &str, n: usize, seed: u64) -> Vec<i8> {
    let near = |low: u32, count: u32| move |v: u32| ((low + v % count) | v >> 8 & 0x80) as u8 as i8;
    let noise = noise(n, seed).into_iter();
    match format {
        "e4m3" => noise.map(near(0x30, 0x20)).collect(),
        "e5m2" => noise.map(near(0x38, 0x10)).collect(),
        _ => noise.map(|v| v as i8).collect(),
    }
}

#[test]
fn scaled_products_of_every_format() {
    let (m, n, k) = (16, 8, 64);
    let formats = [
        ("e4m3", "f8e4m3fn"),
        ("e5m2", "f8e5m2"),
        ("e2m1", "i8"),
        ("bf16", "bf16"),
        ("fp16", "f16"),
    ];
    for (af, at) in formats {
        for (bf, bt) in formats {
            for scaled in [false, true] {
                let (ak, bk) =
                    (if af == "e2m1" { k / 2 } else { k }, if bf == "e2m1" { k / 2 } else { k });
                // Bytes are the codes of narrow formats and the values of wide ones.
                let factor = |format: &str, dtype: &str| match format {
                    "bf16" | "fp16" => format!("cast(%v) {{to = {dtype}}}"),
                    "e2m1" => "bitcast(%v) {to = i8}".into(),
                    _ => format!("bitcast(%v) {{to = {dtype}}}"),
                };
                let (fa, fb) =
                    (factor(af, at).replace("%v", "%vx"), factor(bf, bt).replace("%v", "%vy"));
                let scales = if scaled { ", %sa, %sb" } else { "" };
                let load = |name: &str, count: usize| {
                    format!(
                        "%r{name} = arange {{start = 0, end = {count}}} %p{name} = splat(%{name}) : ptr<i8>[{count}] \
                         %q{name} = ptr_add(%p{name}, %r{name}) %v{name} = load(%q{name})"
                    )
                };
                let text = format!(
                    "func @k tile (%x: ptr<i8>[], %y: ptr<i8>[], %s: ptr<i8>[], %t: ptr<i8>[], %z: ptr<f32>[]) {{
                       {} {} {} {}
                       %fx = {fa} %a = view(%fx) : {at}[{m}, {ak}] %fy = {fb} %b = view(%fy) : {bt}[{bk}, {n}]
                       %sa = view(%vs) : i8[{m}, 2] %sb = view(%vt) : i8[{n}, 2]
                       %zero = constant {{value = f32[](0.5)}} %c = splat(%zero) : f32[{m}, {n}]
                       %d = dot_scaled(%a, %b, %c{scales}) {{a_format = \"{af}\", b_format = \"{bf}\"}}
                       %rz = arange {{start = 0, end = {mn}}} %pz = splat(%z) : ptr<f32>[{mn}] %qz = ptr_add(%pz, %rz)
                       %o = view(%d) : f32[{mn}] store(%qz, %o) return
                     }}",
                    load("x", m * ak),
                    load("y", bk * n),
                    load("s", m * 2),
                    load("t", n * 2),
                    mn = m * n,
                );
                let wide = |format: &str, n: usize, seed: u64| match format {
                    "bf16" | "fp16" => small(n, seed),
                    _ => codes(format, n, seed),
                };
                let scale = |n: usize, seed: u64| -> Vec<i8> {
                    noise(n, seed).into_iter().map(|v| (125 + v % 3) as i8).collect()
                };
                let args = [
                    tensor("x", &wide(af, m * ak, 42)),
                    tensor("y", &wide(bf, bk * n, 43)),
                    tensor("s", &scale(m * 2, 44)),
                    tensor("t", &scale(n * 2, 45)),
                    tensor("z", &vec![0f32; m * n]),
                ];
                compare(&text, [1, 1, 1], &args);
            }
        }
    }
}
