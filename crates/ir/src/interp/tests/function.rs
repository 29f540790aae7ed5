//! Functions of numbers by name.

use super::*;

/// One f64 through an op.
fn f64_of(op: &str, x: f64) -> f64 {
    let out = run("%x: f64[]", &format!("%y = {op} return %y"), &[Value::scalar(x)]);
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
        ("libm(%x) {function = \"__nv_tanhf\", to = f64}", 0.5, 0.462_117_157_260_009_8),
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
                &[Value::scalar(x)],
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
    let args = [Value::scalar(-16i32), Value::scalar(7i32)];
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
    let args = [Value::scalar(1f32), Value::scalar(2f32), Value::scalar(3i32)];
    let head = "%a: f32[], %b: f32[], %i: i32[]";
    for (op, expected) in [
        ("libm(%a, %b) {function = \"hypotf\", to = f32}", 5f32.sqrt()),
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
