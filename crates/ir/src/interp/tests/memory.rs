//! Loads, stores, atomics and descriptors.

use super::*;
use half::f16;

/// A memory with one tensor `p`, and its address as an argument.
fn memory<T: Element>(x: &[T]) -> (Memory, InterpValue) {
    let mut memory = Memory::default();
    let p = memory.add("p", x);
    (memory, InterpValue::address(p))
}

#[test]
fn masked_elements_do_not_touch_memory() {
    let (mut memory, p) = memory(&[1i16, 2, 3]);
    let body = "%r = arange {start = -1, end = 3} %s = splat(%p) : ptr<i16>[4] %q = ptr_add(%s, %r)
                %a = load(%q, %m, %o) %b = load(%q, %m) store(%q, %o, %m) return %a, %b";
    let args = [p, bits(DType::Bool, &[0, 1, 0, 1], &[4]), tensor(&[-1i16, -2, -3, -4], &[4])];
    let out = run_in("%p: ptr<i16>[], %m: bool[4], %o: i16[4]", body, &args, &mut memory).unwrap();
    assert_eq!(out[0], tensor(&[-1i16, 1, -3, 3], &[4]));
    assert_eq!(out[1], bits(DType::I16, &[0xa5a5, 1, 0xa5a5, 3], &[4]));
    assert_eq!(memory.read_all::<i16>("p").unwrap(), [-2, 2, -4]);
}

#[test]
fn truth_values_take_a_byte() {
    let (mut memory, p) = memory(&[0u8, 2]);
    let body = "%r = arange {start = 0, end = 2} %s = splat(%p) : ptr<bool>[2] %q = ptr_add(%s, %r)
                %a = load(%q) %n = not(%a) store(%q, %n) return %a";
    let out = run_in("%p: ptr<bool>[]", body, &[p], &mut memory).unwrap();
    assert_eq!(out[0], bits(DType::Bool, &[0, 1], &[2]));
    assert_eq!(memory.bytes("p"), Some(&[1, 0][..]));
}

#[test]
fn errors_name_program_tensor_and_source() {
    let module = module(
        "%p: ptr<f32>[], %q: ptr<f64>[]",
        "%i = program_id {axis = 1} %r = ptr_add(%p, %i) %x = load(%r) loc(\"kernel.py:7:3\") \
         %y = load(%q) loc(\"kernel.py:8:3\") return",
    );
    let mut memory = Memory::default();
    let (p, whole) = (memory.add("weights", &[0f32; 2]), memory.add("q", &[0f64]));
    let mut run = |q: u64| {
        let args = [InterpValue::address(p), InterpValue::address(q)];
        Interpreter::new(&module)
            .unwrap()
            .launch([1, 3, 1], &args, &mut memory)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        run(whole),
        "@f: load `kernel.py:7:3`, program (0, 2, 0): read of 4 bytes at offset 8 of `weights`, which has 8 bytes"
    );
    assert_eq!(
        run(p + 4),
        "@f: load `kernel.py:8:3`, program (0, 0, 0): read of 8 bytes at offset 4 of `weights`, which has 8 bytes"
    );
    let error = super::run_in(
        "%c: bool[2]",
        "assert(%c) {message = \"not negative\"} return",
        &[bits(DType::Bool, &[1, 0], &[2])],
        &mut memory,
    );
    assert!(error.unwrap_err().to_string().ends_with("assertion failed: not negative"));
}

#[test]
fn atomic_updates_give_the_former_element() {
    macro_rules! check {
        ($t:ty, $name:literal, $x:expr, $v:expr, $($op:literal => $expected:expr),*) => { $({
            let (mut memory, p) = memory(&[$x as $t]);
            let body = format!("%o = atomic_rmw(%p, %v) {{op = \"{}\"}} return %o", $op);
            let head = concat!("%p: ptr<", $name, ">[], %v: ", $name, "[]");
            let out = run_in(head, &body, &[p, InterpValue::scalar($v as $t)], &mut memory).unwrap();
            assert_eq!(out[0], InterpValue::scalar($x as $t), "{} {}", $name, $op);
            assert_eq!(memory.read_all::<$t>("p").unwrap(), [$expected as $t], "{} {}", $name, $op);
        })* };
    }
    check!(i32, "i32", -8, 5, "add" => -3, "and" => -8 & 5, "or" => -8 | 5, "xor" => -8 ^ 5, "max" => 5, "min" => -8,
        "umax" => -8, "umin" => 5, "exchange" => 5);
    check!(u64, "u64", u64::MAX, 5, "add" => 4, "max" => u64::MAX, "min" => 5);
    check!(f32, "f32", 1.5, -2.0, "fadd" => -0.5, "exchange" => -2.0);
    check!(f64, "f64", 1e300, 1e284, "fadd" => 1e300 + 1e284);
    let (mut memory, p) = memory(&[f16::from_f32(2048.0)]);
    let args = [p, InterpValue::scalar(f16::from_f32(1.0))];
    run_in(
        "%p: ptr<f16>[], %v: f16[]",
        "%o = atomic_rmw(%p, %v) {op = \"fadd\"} return",
        &args,
        &mut memory,
    )
    .unwrap();
    assert_eq!(memory.read_all::<f16>("p").unwrap(), [f16::from_f32(2048.0)]);
}

#[test]
fn atomic_updates_of_one_place_all_count() {
    let (mut memory, p) = memory(&[0i32; 2]);
    let body =
        "%one = constant {value = i32[8](1, 1, 1, 1, 1, 1, 1, 1)} %s = splat(%p) : ptr<i32>[8]
                %q = ptr_add(%s, %i) %o = atomic_rmw(%q, %one, %m) {op = \"add\"} return %o";
    let args = [
        p,
        tensor(&[0i32, 1, 0, 1, 0, 0, 0, 0], &[8]),
        bits(DType::Bool, &[1, 1, 1, 1, 1, 1, 1, 0], &[8]),
    ];
    let out = run_in("%p: ptr<i32>[], %i: i32[8], %m: bool[8]", body, &args, &mut memory).unwrap();
    assert_eq!(elements::<i32>(&out[0])[..7], [0, 0, 1, 1, 2, 3, 4]);
    assert_eq!(memory.read_all::<i32>("p").unwrap(), [5, 2]);
}

#[test]
fn compare_and_swap_compares_bits() {
    let (mut memory, p) = memory(&[f32::NAN, -0.0, 1.0]);
    let body = "%z = constant {value = i32[](0)} %r = arange {start = 0, end = 2} %s = splat(%p) : ptr<f32>[2]
                %q = ptr_add(%s, %r) %o = atomic_cas(%q, %e, %v) %l = atomic_load(%q) atomic_store(%q, %l, %m) return %l";
    let args = [
        p,
        tensor(&[f32::NAN, 0.0], &[2]),
        tensor(&[5f32, 6.0], &[2]),
        bits(DType::Bool, &[0, 0], &[2]),
    ];
    let head = "%p: ptr<f32>[], %e: f32[2], %v: f32[2], %m: bool[2]";
    let out = run_in(head, body, &args, &mut memory).unwrap();
    assert_eq!(out[0], tensor(&[5f32, -0.0], &[2]));
    assert_eq!(memory.read_all::<f32>("p").unwrap(), [5.0, -0.0, 1.0]);
}

#[test]
fn polls_end_at_once_as_nobody_else_runs() {
    let (mut memory, p) = memory(&[7i32, 8]);
    let head = "%p: ptr<i32>[], %e: i32[2], %t: i64[]";
    let args = [p, tensor(&[7i32, 7], &[2]), InterpValue::scalar(0i64)];
    let start =
        "%r = arange {start = 0, end = 2} %s = splat(%p) : ptr<i32>[2] %q = ptr_add(%s, %r)";
    let out = run_in(
        head,
        &format!("{start} %d = atomic_poll(%q, %e, %t) return %d"),
        &args,
        &mut memory,
    )
    .unwrap();
    assert_eq!(out[0], bits(DType::Bool, &[1, 0], &[2]));
    let forever =
        run_in(head, &format!("{start} %d = atomic_poll(%q, %e) return %d"), &args, &mut memory);
    assert!(forever.unwrap_err().to_string().contains("waits forever for 0x7"));
}

/// A function of a descriptor of a 3×5 tensor with rows 8 apart.
fn described(padding: &str, block: &str, rest: &str) -> (Vec<InterpValue>, Vec<f32>) {
    let data: Vec<f32> = (0..24).map(|i| i as f32).collect();
    let (mut memory, p) = memory(&data);
    let body = format!(
        "%m = constant {{value = i32[](3)}} %n = constant {{value = i32[](5)}}
         %s = constant {{value = i64[](8)}} %one = constant {{value = i64[](1)}}
         %d = make_descriptor(%p, %m, %n, %s, %one) {{padding = \"{padding}\"}} : desc<f32>{block} {rest}"
    );
    let args = [p, InterpValue::scalar(-1i32), InterpValue::scalar(2i32)];
    let out = run_in("%p: ptr<f32>[], %i: i32[], %j: i32[]", &body, &args, &mut memory).unwrap();
    (out, memory.read_all("p").unwrap())
}

#[test]
fn descriptors_pad_reads_and_drop_writes() {
    let inside = |r: i32, c: i32| (0..3).contains(&r) && (0..5).contains(&c);
    for (padding, outside) in [("zero", 0.0), ("nan", f32::NAN)] {
        let (out, _) =
            described(padding, "[4, 4]", "%x = descriptor_load(%d, %i, %j) : f32[4, 4] return %x");
        for (at, x) in elements::<f32>(&out[0]).into_iter().enumerate() {
            let (r, c) = (at as i32 / 4 - 1, at as i32 % 4 + 2);
            let expected = if inside(r, c) { (r * 8 + c) as f32 } else { outside };
            assert!(x == expected || x.is_nan() && expected.is_nan(), "{r}, {c}: {x}");
        }
    }
    for (rest, combine) in [
        ("descriptor_store(%d, %v, %i, %j)", (|_, v| v) as fn(f32, f32) -> f32),
        ("descriptor_reduce(%d, %v, %i, %j) {op = \"add\"}", |x, v| x + v),
        ("descriptor_reduce(%d, %v, %i, %j) {op = \"max\"}", f32::max),
        ("descriptor_reduce(%d, %v, %i, %j) {op = \"min\"}", f32::min),
    ] {
        let (_, data) = described(
            "zero",
            "[4, 4]",
            &format!(
                "%r = arange {{start = 0, end = 16}} %f = cast(%r) {{to = f32}} %v = view(%f) : f32[4, 4] {rest} return"
            ),
        );
        for (at, x) in data.into_iter().enumerate() {
            let (r, c) = (at as i32 / 8, at as i32 % 8);
            let (br, bc) = (r + 1, c - 2);
            let touched = inside(r, c) && (0..4).contains(&br) && (0..4).contains(&bc);
            let expected =
                if touched { combine(at as f32, (br * 4 + bc) as f32) } else { at as f32 };
            assert_eq!(x, expected, "{rest} {r}, {c}");
        }
    }
}

#[test]
fn rows_are_gathered_and_scattered_by_number() {
    let rows = "%rows = constant {value = i32[4](2, -1, 0, 3)}";
    let gather = format!("{rows} %x = descriptor_gather(%d, %rows, %j) : f32[4, 4] return %x");
    let (out, _) = described("zero", "[1, 4]", &gather);
    let of = |r: usize| (2..6).map(move |c| if c < 5 { (r * 8 + c) as f32 } else { 0.0 });
    let expected: Vec<f32> = of(2).chain([0.0; 4]).chain(of(0)).chain([0.0; 4]).collect();
    assert_eq!(out[0], tensor(&expected, &[4, 4]));
    let scatter = format!(
        "{rows} %r = arange {{start = 100, end = 116}} %f = cast(%r) {{to = f32}} %v = view(%f) : f32[4, 4]
         descriptor_scatter(%d, %v, %rows, %j) return"
    );
    let (_, data) = described("zero", "[1, 4]", &scatter);
    let mut expected: Vec<f32> = (0..24).map(|i| i as f32).collect();
    expected[18..21].copy_from_slice(&[100.0, 101.0, 102.0]);
    expected[2..5].copy_from_slice(&[108.0, 109.0, 110.0]);
    assert_eq!(data, expected);
}
