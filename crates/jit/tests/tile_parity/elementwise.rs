//! Functions of elements.

use half::{bf16, f16};
use trident_ir::element::F8E4M3FN;

use super::{compare, compare_floats, floats, ints, noise, scalar, tensor};

/// A function over blocks of 16 elements: pointers `%pa`, `%pb`, `%po`, mask `%m` and elements `%a`, `%b` are there.
fn elementwise(dtype: &str, out: &str, body: &str) -> String {
    format!(
        "func @k tile (%x: ptr<{dtype}>[], %y: ptr<{dtype}>[], %z: ptr<{out}>[], %n: i32[]) {{
           %pid = program_id {{axis = 0}}
           %size = constant {{value = i32[](16)}}
           %start = mul(%pid, %size)
           %starts = splat(%start) : i32[16]
           %r = arange {{start = 0, end = 16}}
           %at = add(%starts, %r)
           %ns = splat(%n) : i32[16]
           %m = less(%at, %ns)
           %xs = splat(%x) : ptr<{dtype}>[16]
           %ys = splat(%y) : ptr<{dtype}>[16]
           %zs = splat(%z) : ptr<{out}>[16]
           %pa = ptr_add(%xs, %at)
           %pb = ptr_add(%ys, %at)
           %po = ptr_add(%zs, %at)
           %a = load(%pa, %m)
           %b = load(%pb, %m)
           {body}
           store(%po, %o, %m)
           return
         }}"
    )
}

#[test]
fn arithmetic_of_floats() {
    let (n, grid) = (61, [4, 1, 1]);
    for op in ["add", "sub", "mul", "div", "max", "min", "max_num", "min_num"] {
        let text = elementwise("f32", "f32", &format!("%o = {op}(%a, %b)"));
        let args = [
            tensor("x", &floats(n, 1)),
            tensor("y", &floats(n, 2)),
            tensor("z", &floats(n, 3)),
            scalar(n as i32),
        ];
        compare(&text, grid, &args);
    }
    for op in ["neg", "abs", "sqrt", "floor", "ceil"] {
        let text = elementwise("f64", "f64", &format!("%c = mul(%a, %a) %o = {op}(%c)"));
        let x: Vec<f64> = floats(n, 4).into_iter().map(f64::from).collect();
        compare(
            &text,
            grid,
            &[tensor("x", &x), tensor("y", &x), tensor("z", &x), scalar(n as i32)],
        );
    }
}

#[test]
fn narrow_floats_round_once() {
    let every: Vec<u16> = (0..=u16::MAX).collect();
    let other: Vec<u16> = every.iter().map(|&x| x.wrapping_mul(40503).wrapping_add(77)).collect();
    let grid = [(every.len() / 16) as u32, 1, 1];
    for dtype in ["f16", "bf16"] {
        for op in ["add", "mul", "sub"] {
            let body = format!(
                "%c = {op}(%a, %b) %nan = is_nan(%c) %q = constant {{value = {dtype}[](0)}} \
                 %zero = splat(%q) : {dtype}[16] %o = where(%nan, %zero, %c)"
            );
            let text = elementwise(dtype, dtype, &body);
            let args =
                [tensor("x", &every), tensor("y", &other), tensor("z", &every), scalar(1i32 << 16)];
            compare(&text, grid, &args);
        }
        let body = format!("%w = cast(%a) {{to = f32}} %o = cast(%w) {{to = {dtype}}}");
        let numbers: Vec<u16> =
            every.iter().map(|&x| if x & 0x7c00 == 0x7c00 { 0 } else { x }).collect();
        let args =
            [tensor("x", &numbers), tensor("y", &other), tensor("z", &every), scalar(1i32 << 16)];
        compare(&elementwise(dtype, dtype, &body), grid, &args);
    }
}

#[test]
fn casts_round_as_they_say() {
    let n = 1024;
    let mut x: Vec<f32> =
        noise(n, 7).into_iter().map(|b| f32::from_bits(b << 1)).filter(|x| !x.is_nan()).collect();
    x.resize(n, 65519.99);
    for to in ["f16", "bf16"] {
        for rounding in ["rtne", "rtz"] {
            let body = format!("%o = cast(%a) {{to = {to}, rounding = \"{rounding}\"}}");
            let args =
                [tensor("x", &x), tensor("y", &x), tensor("z", &vec![0u16; n]), scalar(n as i32)];
            compare(&elementwise("f32", to, &body), [64, 1, 1], &args);
        }
        let wide: Vec<f64> = x.iter().map(|&x| f64::from(x) * (1.0 + 1e-12)).collect();
        let body = format!("%o = cast(%a) {{to = {to}}}");
        let args =
            [tensor("x", &wide), tensor("y", &wide), tensor("z", &vec![0u16; n]), scalar(n as i32)];
        compare(&elementwise("f64", to, &body), [64, 1, 1], &args);
        let i = ints(n, 8);
        let args =
            [tensor("x", &i), tensor("y", &i), tensor("z", &vec![0u16; n]), scalar(n as i32)];
        compare(&elementwise("i32", to, &body), [64, 1, 1], &args);
    }
}

/// Ops on two integers of any width.
const INTEGER_OPS: [&str; 10] = [
    "add",
    "sub",
    "mul",
    "div",
    "max",
    "min",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "mul_high",
];

#[test]
fn arithmetic_of_integers() {
    let n = 64;
    let (x, y) = (
        ints(n, 5),
        ints(n, 6).iter().map(|&v| if v == 0 { 1 } else { v >> 20 | 1 }).collect::<Vec<_>>(),
    );
    for op in INTEGER_OPS.into_iter().chain(["mod"]) {
        for extra in ["", " {fmod = 1}"].iter().filter(|e| op == "mod" || e.is_empty()) {
            let text = elementwise("i32", "i32", &format!("%o = {op}(%a, %b){extra}"));
            compare(
                &text,
                [4, 1, 1],
                &[tensor("x", &x), tensor("y", &y), tensor("z", &x), scalar(n as i32)],
            );
            let body = format!(
                "%c = bitcast(%a) {{to = u32}} %d = bitcast(%b) {{to = u32}} %e = {op}(%c, %d){extra} %o = bitcast(%e) {{to = i32}}"
            );
            let args = [tensor("x", &x), tensor("y", &y), tensor("z", &x), scalar(n as i32)];
            compare(&elementwise("i32", "i32", &body), [4, 1, 1], &args);
        }
    }
    for op in ["less", "less_or_equal", "greater", "equal"] {
        let body = format!("%c = {op}(%a, %b) %o = cast(%c) {{to = i8}}");
        let args = [tensor("x", &x), tensor("y", &y), tensor("z", &vec![7i8; n]), scalar(50i32)];
        compare(&elementwise("i32", "i8", &body), [4, 1, 1], &args);
    }
}

#[test]
fn eight_bit_floats_and_longer_blocks() {
    let n = 1000;
    for to in ["f8e4m3fn", "f8e5m2"] {
        let body =
            format!("%c = cast(%a) {{to = {to}}} %d = cast(%c) {{to = f32}} %o = add(%d, %b)");
        let args = [
            tensor("x", &floats(n, 15)),
            tensor("y", &floats(n, 16)),
            tensor("z", &floats(n, 17)),
            scalar(n as i32),
        ];
        compare(&elementwise("f32", "f32", &body), [63, 1, 1], &args);
    }
    // Blocks of several groups of lanes; the last program's mask ends within one.
    let body = "%c = mul(%a, %b) %d = less(%a, %b) %e = where(%d, %c, %a) %f = max_num(%e, %b) %o = div(%f, %c)";
    let text = elementwise("f32", "f32", body)
        .replace("16]", "128]")
        .replace("(16)", "(128)")
        .replace("end = 16", "end = 128");
    let args = [
        tensor("x", &floats(n, 18)),
        tensor("y", &floats(n, 19)),
        tensor("z", &floats(n, 20)),
        scalar(n as i32),
    ];
    compare(&text, [9, 1, 1], &args);
    // Offsets that wrap around are not a run.
    let body = "%w = constant {value = i32[](2147483640)} %ws = splat(%w) : i32[16] %g = add(%at, %ws) %h = sub(%g, %ws) \
                %k = less(%g, %ws) %pc = ptr_add(%xs, %h) %l = load(%pc, %m) %q = where(%k, %l, %b) %o = add(%q, %a)";
    let args = [
        tensor("x", &floats(16, 18)),
        tensor("y", &floats(16, 19)),
        tensor("z", &floats(16, 20)),
        scalar(16i32),
    ];
    compare(&elementwise("f32", "f32", body), [1, 1, 1], &args);
}

/// Pairs of numbers, all combinations of special ones among them.
fn pairs() -> (Vec<f32>, Vec<f32>) {
    let special = [
        0.0,
        -0.0,
        1.0,
        -1.5,
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::MAX,
        f32::MIN_POSITIVE,
        1e-42,
    ];
    let (mut x, mut y) = (floats(61, 60), floats(61, 61));
    for a in special {
        for b in special {
            x.push(a);
            y.push(b);
        }
    }
    (x, y)
}

#[test]
fn special_floats() {
    let (x, y) = pairs();
    let n = x.len();
    let grid = [n.div_ceil(16) as u32, 1, 1];
    for op in ["add", "sub", "mul", "div", "max_num", "min_num"] {
        macro_rules! check {
            ($($t:ty, $name:literal, $of:expr;)*) => { $({
                let (x, y): (Vec<$t>, Vec<$t>) = (x.iter().map($of).collect(), y.iter().map($of).collect());
                // Zeros of either sign are equal to `max` and `min`.
                let text = elementwise($name, $name, &format!("%c = {op}(%a, %b) %o = abs(%c)"));
                let args = [tensor("x", &x), tensor("y", &y), tensor("z", &x), scalar(n as i32)];
                compare_floats::<$t>(&text, grid, &args, 0.0);
            })* };
        }
        check! { f32, "f32", |&v| v; f64, "f64", |&v| v.into(); f16, "f16", |&v| f16::from_f32(v); bf16, "bf16", |&v| bf16::from_f32(v); }
    }
    for op in ["less", "less_or_equal", "greater", "greater_or_equal", "equal"] {
        let body = format!("%c = {op}(%a, %b) %o = cast(%c) {{to = i8}}");
        let args = [tensor("x", &x), tensor("y", &y), tensor("z", &vec![7i8; n]), scalar(n as i32)];
        compare(&elementwise("f32", "i8", &body), grid, &args);
        let wide = |x: &[f32]| x.iter().map(|&v| v.into()).collect::<Vec<f64>>();
        let args = [
            tensor("x", &wide(&x)),
            tensor("y", &wide(&y)),
            tensor("z", &vec![7i8; n]),
            scalar(n as i32),
        ];
        compare(&elementwise("f64", "i8", &body), grid, &args);
    }
}

#[test]
fn wide_integers() {
    let n = 100;
    let of = |seed: u64| -> Vec<i64> {
        let (low, high) = (noise(n, seed), noise(n, seed + 1));
        let mut x: Vec<i64> =
            low.into_iter().zip(high).map(|(a, b)| (i64::from(b) << 33) ^ i64::from(a)).collect();
        x[..6].copy_from_slice(&[1, -1, 2, i64::MAX, i64::MIN + 1, 3]);
        x
    };
    let (x, y) = (of(62), of(64));
    for op in INTEGER_OPS {
        let args = [tensor("x", &x), tensor("y", &y), tensor("z", &x), scalar(n as i32)];
        compare(&elementwise("i64", "i64", &format!("%o = {op}(%a, %b)")), [7, 1, 1], &args);
        let body = format!(
            "%c = bitcast(%a) {{to = u64}} %d = bitcast(%b) {{to = u64}} %e = {op}(%c, %d) %o = bitcast(%e) {{to = i64}}"
        );
        compare(&elementwise("i64", "i64", &body), [7, 1, 1], &args);
    }
    for direction in ["LEFT", "RIGHT"] {
        let body = format!(
            "%k = constant {{value = i64[](63)}} %ks = splat(%k) : i64[16] %s = bitwise_and(%b, %ks) \
             %o = bit_shift(%a, %s) {{direction = \"{direction}\"}}"
        );
        let args = [tensor("x", &x), tensor("y", &y), tensor("z", &x), scalar(n as i32)];
        compare(&elementwise("i64", "i64", &body), [7, 1, 1], &args);
    }
}

#[test]
fn functions_of_the_library() {
    let names = "acos acosh asin asinh atan atanh cbrt ceil cos cosh cospi cyl_bessel_i0 \
         cyl_bessel_i1 erf erfc erfcx erfinv exp exp10 exp2 expm1 floor j0 j1 lgamma log \
         log10 log1p log2 normcdf rcbrt rint round rsqrt sin sinh sinpi sqrt tan tanh \
         tgamma trunc y0 y1";
    let (mut x, _) = pairs();
    x.retain(|x| x.abs() < 1e30 || !x.is_finite());
    let n = x.len();
    let grid = [n.div_ceil(16) as u32, 1, 1];
    let wide: Vec<f64> = x.iter().map(|&v| v.into()).collect();
    for name in names.split(' ') {
        let body = |dtype: &str| format!("%o = libm(%a) {{function = \"{name}\", to = {dtype}}}");
        let args = [tensor("x", &x), tensor("y", &x), tensor("z", &x), scalar(n as i32)];
        compare_floats::<f32>(&elementwise("f32", "f32", &body("f32")), grid, &args, 1e-6);
        let args = [tensor("x", &wide), tensor("y", &wide), tensor("z", &wide), scalar(n as i32)];
        compare_floats::<f64>(&elementwise("f64", "f64", &body("f64")), grid, &args, 1e-12);
    }
}

#[test]
fn nan_of_8_bits_keeps_its_sign() {
    let every: Vec<F8E4M3FN> = (0..=255u8).map(F8E4M3FN).collect();
    for body in [
        "%o = libm(%a) {function = \"signbit\", to = i32}",
        "%c = cast(%a) {to = f32} %o = bitcast(%c) {to = i32}",
    ] {
        let zeros = vec![0i32; 256];
        let args = [tensor("x", &every), tensor("y", &every), tensor("z", &zeros), scalar(256i32)];
        compare(&elementwise("f8e4m3fn", "i32", body), [16, 1, 1], &args);
    }
}
