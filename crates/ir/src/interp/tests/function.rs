//! Functions of numbers by name.

use super::*;

/// One f64 through an op.
fn f64_of(op: &str, x: f64) -> f64 {
    let out = run("%x: f64[]", &format!("%y = {op} return %y"), &[InterpValue::scalar(x)]);
    elements::<f64>(&out[0])[0]
}

#[test]
fn functions_of_one_number() {
    for (op, x, expected) in [
        ("exp(%x)", 1.0, std::f64::consts::E),
        ("exp2(%x)", 3.0, 8.0),
        ("log2(%x)", 8.0, 3.0),
        ("rsqrt(%x)", 4.0, 0.5),
        ("erf(%x)", 0.5, 0.520_499_877_813_046_5),
        ("sigmoid(%x)", 0.0, 0.5),
        ("gelu(%x)", 1.0, 0.841_344_746_068_542_9),
        ("gelu(%x) {approximate = \"tanh\"}", 1.0, 0.841_191_990_608_276_9),
        ("relu(%x)", -3.0, 0.0),
        ("leaky_relu(%x) {alpha = 0.5}", -3.0, -1.5),
        ("elu(%x)", -1.0, (-1f64).exp_m1()),
        ("softplus(%x)", 0.0, std::f64::consts::LN_2),
        ("softsign(%x)", 3.0, 0.75),
        ("hard_swish(%x)", 1.0, 2.0 / 3.0),
        ("sign(%x)", -0.5, -1.0),
        ("tanh(%x)", 0.5, 0.462_117_157_260_009_8),
        ("libm(%x) {function = \"tanh\", to = f64}", 0.5, 0.462_117_157_260_009_8),
        ("libm(%x) {function = \"tgamma\", to = f64}", 5.0, 24.0),
        ("libm(%x) {function = \"erfinv\", to = f64}", 0.520_499_877_813_046_5, 0.5),
        ("libm(%x) {function = \"normcdfinv\", to = f64}", 0.841_344_746_068_542_9, 1.0),
        ("libm(%x) {function = \"erfcinv\", to = f64}", 0.479_500_122_186_953_5, 0.5),
        ("libm(%x) {function = \"normcdf\", to = f64}", 1.0, 0.841_344_746_068_542_9),
        ("libm(%x) {function = \"sinpi\", to = f64}", 1.0, 0.0),
        ("libm(%x) {function = \"cospi\", to = f64}", 1.0, -1.0),
        ("libm(%x) {function = \"erfcx\", to = f64}", 1.0, 0.427_583_576_155_807),
        ("libm(%x) {function = \"erfcx\", to = f64}", 30.0, 0.018_795_888_861_416_75),
        ("libm(%x) {function = \"cyl\", to = f64}", 0.0, f64::NAN),
    ] {
        if op.contains("cyl") {
            let error = run_in(
                "%x: f64[]",
                &format!("%y = {op} return %y"),
                &[InterpValue::scalar(x)],
                &mut Memory::default(),
            );
            assert!(
                error.unwrap_err().to_string().ends_with("there is no function `cyl` of (f64)")
            );
            continue;
        }
        let y = f64_of(op, x);
        assert!(
            (y - expected).abs() <= 1e-14 * expected.abs(),
            "{op} of {x}: {y}, expected {expected}"
        );
    }
}

#[test]
fn functions_of_integers_and_of_several_numbers() {
    let args = [InterpValue::scalar(-16i32), InterpValue::scalar(7i32)];
    for (op, expected) in [
        ("libm(%a) {function = \"clz\", to = i32}", 0),
        ("libm(%b) {function = \"clz\", to = i32}", 29),
        ("libm(%b) {function = \"popc\", to = i32}", 3),
        ("libm(%a) {function = \"ffs\", to = i32}", 5),
        ("libm(%a) {function = \"abs\", to = i32}", 16),
        ("libm(%b) {function = \"brev\", to = i32}", 0xe000_0000u32 as i32),
        ("libm(%a, %b) {function = \"mulhi\", to = i32}", -1),
        ("libm(%a, %b) {function = \"umulhi\", to = i32}", 6),
        ("libm(%a, %b) {function = \"hadd\", to = i32}", -5),
        ("libm(%a, %b) {function = \"umax\", to = i32}", -16),
        ("libm(%a, %b, %b) {function = \"sad\", to = i32}", 30),
    ] {
        let out = run("%a: i32[], %b: i32[]", &format!("%c = {op} return %c"), &args);
        assert_eq!(elements::<i32>(&out[0])[0], expected, "{op}");
    }
    let args = [InterpValue::scalar(1f32), InterpValue::scalar(2f32), InterpValue::scalar(3i32)];
    let head = "%a: f32[], %b: f32[], %i: i32[]";
    for (op, expected) in [
        ("libm(%a, %b) {function = \"hypot\", to = f32}", 5f32.sqrt()),
        ("libm(%a, %b) {function = \"nextafter\", to = f32}", 1f32.next_up()),
        ("libm(%b, %i) {function = \"ldexp\", to = f32}", 16.0),
        ("libm(%b, %i) {function = \"powi\", to = f32}", 8.0),
        ("libm(%a, %b, %b) {function = \"norm3d\", to = f32}", 3.0),
        ("pow(%b, %b)", 4.0),
    ] {
        let out = run(head, &format!("%c = {op} return %c"), &args);
        assert_eq!(elements::<f32>(&out[0])[0], expected, "{op}");
    }
}

/// One number from numbers of one type.
fn directed<T: Element>(function: &str, args: &[T]) -> T {
    let name = T::DTYPE.name();
    let params: Vec<String> = (0..args.len()).map(|i| format!("%x{i}: {name}[]")).collect();
    let names: Vec<String> = (0..args.len()).map(|i| format!("%x{i}")).collect();
    let body = format!(
        "%y = libm({}) {{function = \"{function}\", to = {name}}} return %y",
        names.join(", ")
    );
    let args: Vec<InterpValue> = args.iter().map(|&x| InterpValue::scalar(x)).collect();
    elements::<T>(&run(&params.join(", "), &body, &args)[0])[0]
}

#[test]
fn arithmetic_in_each_direction() {
    let x = small(40, 3);
    for pair in x.chunks(2) {
        // Odd 24-bit mantissas, so that products are between two f32.
        let (a, b) = (pair[0] + 2f32.powi(-21), pair[1] + 2f32.powi(-20));
        let exact = f64::from(a) * f64::from(b);
        let [n, z, d, u] =
            ["rn", "rz", "rd", "ru"].map(|way| directed(&format!("mul_{way}"), &[a, b]));
        assert_eq!(n, a * b);
        assert!(f64::from(d) <= exact && exact <= f64::from(u), "{a} {b}");
        assert_eq!(if f64::from(d) == exact { d } else { d.next_up() }, u);
        assert_eq!(z, if exact < 0.0 { u } else { d });
        // A sum far apart: one of the two neighbours of the larger.
        let tiny = b.signum() * 1e-30;
        let [d, u] = ["rd", "ru"].map(|way| directed(&format!("add_{way}"), &[a, tiny]));
        assert_eq!((d, u), if tiny > 0.0 { (a, a.next_up()) } else { (a.next_down(), a) });
        let [d, u] = ["rd", "ru"]
            .map(|way| directed(&format!("sub_{way}"), &[f64::from(a), f64::from(tiny)]));
        let a = f64::from(a);
        assert_eq!((d, u), if tiny < 0.0 { (a, a.next_up()) } else { (a.next_down(), a) });
    }
    // Thirds: 0.0101…, the nearest f64 is below.
    let third = 1.0 / 3.0;
    assert_eq!(
        ["rn", "rz", "rd"].map(|way| directed(&format!("div_{way}"), &[1.0, 3.0])),
        [third; 3]
    );
    assert_eq!(directed("rcp_ru", &[3.0f64]), f64::next_up(third));
    assert_eq!(directed("div_rd", &[1.0, -3.0]), -f64::next_up(third));
    // The nearest f64 to the root of 2 is above it.
    assert_eq!(
        ["rd", "ru"].map(|way| directed(&format!("sqrt_{way}"), &[2f64])),
        [2f64.sqrt().next_down(), 2f64.sqrt()]
    );
    assert_eq!(directed("sqrt_ru", &[9f32]), 3.0);
    assert_eq!(directed("fma_rz", &[1f32, 1.0, -1e-20]), 1f32.next_down());
    assert_eq!(directed("fma_ru", &[f64::MAX, 2.0, 0.0]), f64::INFINITY);
    assert_eq!(directed("mul_rz", &[f64::MAX, -2.0]), -f64::MAX);
    assert_eq!(directed("mul_rd", &[f32::MAX, 2.0]), f32::MAX);
    assert_eq!(directed("div_rz", &[1.0, 0.0]), f64::INFINITY);
    assert_eq!(directed("add_rd", &[1f64, -1.0]).to_bits(), (-0f64).to_bits());
    assert_eq!(directed("add_rd", &[0f64, 0.0]).to_bits(), 0);
}

#[test]
fn conversions_in_each_direction() {
    for (function, from, to, x, expected) in [
        ("float2int_rn", "f32", "i32", 0xc020_0000u64, -2i32 as u32 as u64), // −2.5
        ("float2int_rz", "f32", "i32", 0xc020_0000, -2i32 as u32 as u64),
        ("float2int_rd", "f32", "i32", 0xc020_0000, -3i32 as u32 as u64),
        ("float2int_ru", "f32", "i32", 0xc020_0000, -2i32 as u32 as u64),
        ("float2uint_rz", "f32", "i32", 0x4f00_0000, 1 << 31), // 2^31
        ("int2float_rd", "i32", "f32", (1 << 24) + 1, 0x4b80_0000),
        ("int2float_ru", "i32", "f32", (1 << 24) + 1, 0x4b80_0001),
        ("ll2double_rd", "i64", "f64", (1 << 60) - 1, (1152921504606846976f64 - 128.0).to_bits()),
        ("uint2double_rn", "u32", "f64", u64::from(u32::MAX), 4294967295f64.to_bits()),
        (
            "double2float_rz",
            "f64",
            "f32",
            1.999_999_999f64.to_bits(),
            u64::from(2f32.next_down().to_bits()),
        ),
        ("float_as_int", "f32", "i32", 0x3f80_0000, 0x3f80_0000),
        ("double2hiint", "f64", "i32", 1f64.to_bits(), 0x3ff0_0000),
        ("double2loint", "f64", "i32", 0x1234_5678_9abc_def0, 0x9abc_def0),
    ] {
        let body = format!("%y = libm(%x) {{function = \"{function}\", to = {to}}} return %y");
        let out = run(&format!("%x: {from}[]"), &body, &[bits(from.parse().unwrap(), &[x], &[])]);
        assert_eq!(out[0], bits(to.parse().unwrap(), &[expected], &[]), "{function}");
    }
    let out = run(
        "%h: i32[], %l: i32[]",
        "%y = libm(%h, %l) {function = \"hiloint2double\", to = f64} return %y",
        &[InterpValue::scalar(0x3ff0_0000i32), InterpValue::scalar(0i32)],
    );
    assert_eq!(out[0], InterpValue::scalar(1f64));
    assert!(
        (f64_of("libm(%x) {function = \"cyl_bessel_i0\", to = f64}", 1.0)
            - 1.266_065_877_752_008_4)
            .abs()
            < 1e-15
    );
    assert!(
        (f64_of("libm(%x) {function = \"cyl_bessel_i1\", to = f64}", -1.0) + 0.565_159_103_992_485)
            .abs()
            < 1e-15
    );
    assert_eq!(f64_of("libm(%x) {function = \"cyl_bessel_i0\", to = f64}", 1e9), f64::INFINITY);
}
