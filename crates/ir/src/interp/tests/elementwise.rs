//! Elementwise ops of every family on every width.

use super::*;
use half::{bf16, f16};

const SPECIAL: [f32; 8] = [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 1.0, -2.5, 1e-40];

/// All pairs of special numbers and some others.
fn pairs() -> (Vec<f32>, Vec<f32>) {
    let others: Vec<f32> = numbers(32, 7).iter().map(|&x| f32::from_bits(x as u32)).collect();
    let all: Vec<f32> = SPECIAL.into_iter().chain(others).chain(small(24, 3)).collect();
    (0..4096).map(|i| (all[i % 64], all[i / 64])).unzip()
}

fn same(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

fn check_f32(op: &str, expected: impl Fn(f32, f32) -> f32) {
    let (a, b) = pairs();
    let args = [tensor(&a, &[4096]), tensor(&b, &[4096])];
    let out = run("%a: f32[4096], %b: f32[4096]", &format!("%c = {op} return %c"), &args);
    for ((a, b), c) in a.iter().zip(&b).zip(elements::<f32>(&out[0])) {
        assert!(
            same(c, expected(*a, *b)),
            "{op} of {a:e}, {b:e}: {c:e}, expected {:e}",
            expected(*a, *b)
        );
    }
}

#[test]
fn f32_arithmetic_is_that_of_the_machine() {
    check_f32("add(%a, %b)", |a, b| a + b);
    check_f32("sub(%a, %b)", |a, b| a - b);
    check_f32("mul(%a, %b)", |a, b| a * b);
    check_f32("div(%a, %b)", |a, b| a / b);
    check_f32("mod(%a, %b) {fmod = 1}", |a, b| a % b);
    check_f32("fma(%a, %b, %a)", |a, b| a.mul_add(b, a));
    check_f32("sqrt(%a)", |a, _| a.sqrt());
    check_f32("floor(%a)", |a, _| a.floor());
    check_f32("ceil(%a)", |a, _| a.ceil());
    check_f32("round(%a)", |a, _| a.round_ties_even());
    check_f32("abs(%a)", |a, _| a.abs());
    check_f32("neg(%a)", |a, _| -a);
    check_f32("reciprocal(%a)", |a, _| 1.0 / a);
}

#[test]
fn nan_wins_or_loses() {
    let number = |a: f32, b: f32, pick: fn(f32, f32) -> bool| match (a.is_nan(), b.is_nan()) {
        (true, _) => b,
        (_, true) => a,
        _ if a == b => {
            if pick(a.signum(), b.signum()) {
                a
            } else {
                b
            }
        }
        _ => {
            if pick(a, b) {
                a
            } else {
                b
            }
        }
    };
    let wins = |a: f32, b: f32, c: f32| if a.is_nan() || b.is_nan() { f32::NAN } else { c };
    check_f32("max_num(%a, %b)", |a, b| number(a, b, |a, b| a > b));
    check_f32("min_num(%a, %b)", |a, b| number(a, b, |a, b| a < b));
    check_f32("max(%a, %b)", |a, b| wins(a, b, number(a, b, |a, b| a > b)));
    check_f32("min(%a, %b)", |a, b| wins(a, b, number(a, b, |a, b| a < b)));
    let clamp = |propagate: u8, expected: [f32; 4]| {
        let x = tensor(&[f32::NAN, -3.0, 0.5, 9.0], &[4]);
        let bounds = [tensor(&[-1f32; 4], &[4]), tensor(&[1f32; 4], &[4])];
        let out = run(
            "%x: f32[4], %l: f32[4], %h: f32[4]",
            &format!("%y = clamp(%x, %l, %h) {{propagate_nan = {propagate}}} return %y"),
            &[&[x][..], &bounds].concat(),
        );
        let y = elements::<f32>(&out[0]);
        assert!(y.iter().zip(expected).all(|(&y, e)| same(y, e)), "{y:?}");
    };
    clamp(0, [-1.0, -1.0, 0.5, 1.0]);
    clamp(1, [f32::NAN, -1.0, 0.5, 1.0]);
}

#[test]
fn comparisons_of_floats() {
    let (a, b) = pairs();
    for (op, expected) in [
        ("equal", (|a, b| a == b) as fn(f32, f32) -> bool),
        ("less", |a, b| a < b),
        ("less_or_equal", |a, b| a <= b),
        ("greater", |a, b| a > b),
        ("greater_or_equal", |a, b| a >= b),
    ] {
        let args = [tensor(&a, &[4096]), tensor(&b, &[4096])];
        let out =
            run("%a: f32[4096], %b: f32[4096]", &format!("%c = {op}(%a, %b) return %c"), &args);
        let InterpValue::Block(c) = &out[0] else { panic!() };
        for i in 0..4096 {
            assert_eq!(c.bits[i] != 0, expected(a[i], b[i]), "{op} {} {}", a[i], b[i]);
        }
    }
    let x = tensor(&[f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1.0], &[4]);
    let body = "%n = is_nan(%x) %i = is_inf(%x) {detect_negative = 0} return %n, %i";
    let out = run("%x: f32[4]", body, &[x]);
    assert_eq!(out[0], bits(DType::Bool, &[1, 0, 0, 0], &[4]));
    assert_eq!(out[1], bits(DType::Bool, &[0, 1, 0, 0], &[4]));
}

#[test]
fn narrow_floats_round_once() {
    let (a, b) = pairs();
    macro_rules! check {
        ($t:ident, $name:literal) => {
            let (a, b): (Vec<$t>, Vec<$t>) =
                a.iter().zip(&b).map(|(&a, &b)| ($t::from_f32(a), $t::from_f32(b))).unzip();
            let head = concat!("%a: ", $name, "[4096], %b: ", $name, "[4096]");
            for (op, expected) in [
                ("add", (|a, b| a + b) as fn(f32, f32) -> f32),
                ("sub", |a, b| a - b),
                ("mul", |a, b| a * b),
                ("div", |a, b| a / b),
            ] {
                let args = [tensor(&a, &[4096]), tensor(&b, &[4096])];
                let out = run(head, &format!("%c = {op}(%a, %b) return %c"), &args);
                for (i, c) in elements::<$t>(&out[0]).into_iter().enumerate() {
                    // f32 has bits enough that rounding twice changes nothing.
                    let e = $t::from_f32(expected(a[i].to_f32(), b[i].to_f32()));
                    assert!(
                        c.to_bits() == e.to_bits() || (c.is_nan() && e.is_nan()),
                        "{op} {} {}",
                        a[i],
                        b[i]
                    );
                }
            }
        };
    }
    check!(f16, "f16");
    check!(bf16, "bf16");
    let x = tensor(&[f16::from_f32(2.5), f16::from_f32(-1.0)], &[2]);
    let out = run("%x: f16[2]", "%y = exp(%x) return %y", &[x]);
    assert_eq!(
        elements::<f16>(&out[0]),
        [f16::from_f64(2.5f64.exp()), f16::from_f64((-1f64).exp())]
    );
}

#[test]
fn eight_bit_floats_have_magnitudes_and_signs() {
    for (name, dtype, nan) in [
        ("f8e4m3fn", DType::F8E4M3FN, 0xff),
        ("f8e5m2", DType::F8E5M2, 0xfe),
        ("f8e4m3fnuz", DType::F8E4M3FNUZ, 0x80),
        ("f8e5m2fnuz", DType::F8E5M2FNUZ, 0x80),
    ] {
        let x = bits(dtype, &[0xb8, nan], &[2]);
        let out = run(&format!("%x: {name}[2]"), "%a = abs(%x) %n = neg(%x) return %a, %n", &[x]);
        let nan = if nan == 0x80 { nan } else { nan & 0x7f };
        assert_eq!(out[0], bits(dtype, &[0x38, nan], &[2]), "{name}");
        assert_eq!(out[1], bits(dtype, &[0x38, nan], &[2]), "{name}");
    }
}

#[test]
fn integers_wrap_by_width_and_sign() {
    macro_rules! check {
        ($($t:ident),*) => { $({
            let name = stringify!($t);
            let a: Vec<$t> = numbers(60, 5).iter().map(|&x| x as $t).chain([0, 1, $t::MAX, $t::MIN]).collect();
            let b: Vec<$t> = numbers(60, 9).iter().map(|&x| x as $t | 1).chain([$t::MAX, 1, $t::MAX, 2]).collect();
            let head = format!("%a: {name}[64], %b: {name}[64]");
            type Of = fn($t, $t) -> $t;
            let high = |a: $t, b: $t| ((a as i128).wrapping_mul(b as i128) as u128 >> $t::BITS) as $t;
            for (op, expected) in [
                ("add(%a, %b)", $t::wrapping_add as Of),
                ("sub(%a, %b)", $t::wrapping_sub),
                ("mul(%a, %b)", $t::wrapping_mul),
                ("mul_high(%a, %b)", high),
                ("div(%a, %b)", $t::wrapping_div),
                ("mod(%a, %b) {fmod = 1}", $t::wrapping_rem),
                ("max(%a, %b)", |a, b| a.max(b)),
                ("min(%a, %b)", |a, b| a.min(b)),
                ("bitwise_and(%a, %b)", |a, b| a & b),
                ("bitwise_or(%a, %b)", |a, b| a | b),
                ("bitwise_xor(%a, %b)", |a, b| a ^ b),
                ("bitwise_not(%a)", |a, _| !a),
                ("neg(%a)", |a, _| a.wrapping_neg()),
            ] {
                let args = [tensor(&a, &[64]), tensor(&b, &[64])];
                let out = run(&head, &format!("%c = {op} return %c"), &args);
                for (i, c) in elements::<$t>(&out[0]).into_iter().enumerate() {
                    assert_eq!(c, expected(a[i], b[i]), "{name}: {op} of {}, {}", a[i], b[i]);
                }
            }
            for (direction, expected) in [("LEFT", $t::wrapping_shl as fn($t, u32) -> $t), ("RIGHT", $t::wrapping_shr)] {
                let by: Vec<$t> = (0..64).map(|i| (i % $t::BITS) as $t).collect();
                let args = [tensor(&a, &[64]), tensor(&by, &[64])];
                let body = format!("%c = bit_shift(%a, %b) {{direction = \"{direction}\"}} return %c");
                let out = run(&head, &body, &args);
                for (i, c) in elements::<$t>(&out[0]).into_iter().enumerate() {
                    assert_eq!(c, expected(a[i], by[i] as u32), "{name}: {direction} {} by {}", a[i], by[i]);
                }
            }
            let out = run(&head, "%c = less(%a, %b) return %c", &[tensor(&a, &[64]), tensor(&b, &[64])]);
            let less: Vec<u64> = a.iter().zip(&b).map(|(a, b)| u64::from(a < b)).collect();
            assert_eq!(out[0], bits(DType::Bool, &less, &[64]));
        })* };
    }
    check!(i8, i16, i32, i64, u8, u16, u32, u64);
}

#[test]
fn what_has_no_answer_is_arbitrary_and_no_fault() {
    let head = "%a: i32[4], %b: i32[4]";
    let args = [tensor(&[7i32, 7, i32::MIN, -1], &[4]), tensor(&[0i32, 32, -1, -1], &[4])];
    let body = "%q = div(%a, %b) %r = mod(%a, %b) {fmod = 1} \
                %s = bit_shift(%a, %b) {direction = \"LEFT\"} return %q, %r, %s";
    let out = run(head, body, &args);
    assert_eq!(elements::<i32>(&out[0])[1..], [0, i32::MIN, 1]);
    assert_eq!(elements::<i32>(&out[1])[1..], [7, 0, 0]);
    assert_eq!(elements::<i32>(&out[2])[0], 7);
}

#[test]
fn truth_values() {
    let args = [bits(DType::Bool, &[0, 0, 1, 1], &[4]), bits(DType::Bool, &[0, 1, 0, 1], &[4])];
    let body = "%a = and(%x, %y) %o = or(%x, %y) %e = xor(%x, %y) %n = not(%x) %l = less(%x, %y) %c = cast(%x) {to = i8} \
                return %a, %o, %e, %n, %l, %c";
    let out = run("%x: bool[4], %y: bool[4]", body, &args);
    for (value, expected) in
        out.iter().zip([[0, 0, 0, 1], [0, 1, 1, 1], [0, 1, 1, 0], [1, 1, 0, 0], [0, 1, 0, 0]])
    {
        assert_eq!(*value, bits(DType::Bool, &expected, &[4]));
    }
    assert_eq!(elements::<i8>(&out[5]), [0, 0, 1, 1]);
}

#[test]
fn casts_and_bit_casts() {
    let x = tensor(&[1.9f32, -1.9, 300.0, 1.0 + 3.0 * 2f32.powi(-9)], &[4]);
    let body = "%i = cast(%x) {to = i32} %h = cast(%x) {to = bf16} %t = cast(%x) {to = bf16, rounding = \"rtz\"} \
                %e = cast(%x) {to = f8e4m3fn} %o = cast(%x) {to = f8e5m2, saturate = 0} %b = bitcast(%x) {to = u32} \
                return %i, %h, %t, %e, %o, %b";
    let out = run("%x: f32[4]", body, &[x]);
    assert_eq!(elements::<i32>(&out[0]), [1, -1, 300, 1]);
    assert_eq!(elements::<bf16>(&out[1])[3], bf16::from_f32(1.0 + 2f32.powi(-7)));
    assert_eq!(elements::<bf16>(&out[2])[3], bf16::from_f32(1.0));
    assert_eq!(out[3], bits(DType::F8E4M3FN, &[0x3f, 0xbf, 0x79, 0x38], &[4]));
    assert_eq!(out[4], bits(DType::F8E5M2, &[0x40, 0xc0, 0x5d, 0x3c], &[4]));
    assert_eq!(elements::<u32>(&out[5])[2], 300f32.to_bits());
}

#[test]
fn selection_by_element_and_by_scalar() {
    let args = [
        bits(DType::Bool, &[1, 0], &[2]),
        bits(DType::Bool, &[0], &[]),
        tensor(&[1f32, 2.0], &[2]),
        tensor(&[3f32, 4.0], &[2]),
    ];
    let body = "%a = where(%m, %x, %y) %b = where(%c, %x, %y) return %a, %b";
    let out = run("%m: bool[2], %c: bool[], %x: f32[2], %y: f32[2]", body, &args);
    assert_eq!(elements::<f32>(&out[0]), [1.0, 4.0]);
    assert_eq!(elements::<f32>(&out[1]), [3.0, 4.0]);
}
