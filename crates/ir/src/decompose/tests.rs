//! The definitions themselves, at the places where they could differ; `trident-cpu` holds kernels against them.

use super::lower;
use crate::interp::{InterpValue, Interpreter, Memory};
use crate::op::Class;
use crate::{DType, Module, OpKind};
use std::f32::consts::LN_2;

fn module(text: &str) -> Module {
    text.parse().unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Results of an op for f32 numbers `%x`, with `%low`, −1, and `%high`, 2. Truth values are 0 and 1.
fn of(op: &str, numbers: &[f32]) -> Vec<f32> {
    let text = format!(
        "func @f tile (%x: f32[]) {{
           %low = constant {{value = f32[](-1)}} %high = constant {{value = f32[](2)}}
           %y = {op} return %y
         }}"
    );
    let module = module(&text);
    let mut interpreter = Interpreter::new(&module).unwrap();
    let mut y = |x: f32| {
        let y = interpreter.call("f", &[InterpValue::scalar(x)], &mut Memory::default()).unwrap();
        let InterpValue::Block(y) = &y[0] else { panic!("{op}") };
        match y.dtype {
            DType::Bool => y.bits[0] as f32,
            _ => f32::from_bits(y.bits[0] as u32),
        }
    };
    numbers.iter().map(|&x| y(x)).collect()
}

fn same(a: &[f32], b: &[f32]) -> bool {
    let same = |a: f32, b: f32| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
    a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| same(a, b))
}

/// Every composite has a line, with all of its operands. The values follow from the standard's definition, computed without
/// overflow: comparisons with NaN do not hold, −0 is not less than 0, and −∞ times 0 is NaN.
#[test]
fn special_numbers() {
    const INF: f32 = f32::INFINITY;
    const NAN: f32 = f32::NAN;
    const X: [f32; 5] = [-INF, -0.0, 0.0, INF, NAN];
    let lines = [
        ("relu(%x)", [0.0, -0.0, 0.0, INF, NAN]),
        ("sign(%x)", [-1.0, 0.0, 0.0, 1.0, NAN]),
        ("sigmoid(%x)", [0.0, 0.5, 0.5, 1.0, NAN]),
        ("swish(%x)", [NAN, -0.0, 0.0, INF, NAN]),
        ("gelu(%x)", [NAN, -0.0, 0.0, INF, NAN]),
        ("gelu(%x) {approximate = \"tanh\"}", [NAN, -0.0, 0.0, INF, NAN]),
        ("bias_gelu(%x, %x)", [NAN, -0.0, 0.0, INF, NAN]),
        ("fast_gelu(%x)", [NAN, -0.0, 0.0, INF, NAN]),
        ("fast_gelu(%x, %x)", [NAN, -0.0, 0.0, INF, NAN]),
        ("quick_gelu(%x)", [NAN, -0.0, 0.0, INF, NAN]),
        ("elu(%x)", [-1.0, -0.0, 0.0, INF, NAN]),
        ("celu(%x) {alpha = 2.0}", [-2.0, -0.0, 0.0, INF, NAN]),
        ("leaky_relu(%x) {alpha = 0.5}", [-INF, -0.0, 0.0, INF, NAN]),
        ("thresholded_relu(%x)", [0.0, 0.0, 0.0, INF, 0.0]),
        ("shrink(%x)", [-INF, 0.0, 0.0, INF, 0.0]),
        ("hard_sigmoid(%x)", [0.0, 0.5, 0.5, 1.0, NAN]),
        ("hard_swish(%x)", [NAN, -0.0, 0.0, INF, NAN]),
        ("mish(%x)", [NAN, -0.0, 0.0, INF, NAN]),
        ("selu(%x) {alpha = 2.0, gamma = 3.0}", [-6.0, -0.0, 0.0, INF, NAN]),
        ("prelu(%x, %low)", [INF, -0.0, 0.0, INF, NAN]),
        ("swiglu(%x, %high)", [NAN, -0.0, 0.0, INF, NAN]),
        ("swiglu(%high, %x)", [-INF, -0.0, 0.0, INF, NAN]),
        ("softsign(%x)", [NAN, -0.0, 0.0, NAN, NAN]),
        ("softplus(%x)", [0.0, LN_2, LN_2, INF, NAN]),
        ("reciprocal(%x)", [-0.0, -INF, INF, 0.0, NAN]),
        ("rsqrt(%x)", [NAN, -INF, INF, 0.0, NAN]),
        ("is_inf(%x)", [1.0, 0.0, 0.0, 1.0, 0.0]),
        ("is_inf(%x) {detect_negative = 0}", [0.0, 0.0, 0.0, 1.0, 0.0]),
        ("is_inf(%x) {detect_positive = 0}", [1.0, 0.0, 0.0, 0.0, 0.0]),
        ("is_inf(%x) {detect_negative = 0, detect_positive = 0}", [0.0; 5]),
        ("clamp(%x, %low, %high)", [-1.0, -0.0, 0.0, 2.0, -1.0]),
        ("clamp(%x, %low, %high) {propagate_nan = 1}", [-1.0, -0.0, 0.0, 2.0, NAN]),
        ("clip(%x)", [-INF, -0.0, 0.0, INF, NAN]),
        ("clip(%x, %low, %high)", [-1.0, -0.0, 0.0, 2.0, NAN]),
        ("clip(%x, %x, %x)", [-INF, -0.0, 0.0, INF, NAN]),
        ("sum(%x)", [-INF, -0.0, 0.0, INF, NAN]),
        ("sum(%x, %low, %high)", [-INF, 1.0, 1.0, INF, NAN]),
        ("mean(%x, %x)", [-INF, -0.0, 0.0, INF, NAN]),
    ];
    for (op, y) in lines {
        assert!(same(&of(op, &X), &y), "{op} gives {:?}, expected {y:?}", of(op, &X));
    }
    let has_line = |name: &str| {
        lines.iter().any(|(op, _)| op.split_once('(').is_some_and(|(of, _)| of == name))
    };
    let composites = OpKind::ALL.iter().filter(|k| k.is_composite()).map(|k| k.decl());
    let missing: Vec<&str> = composites
        .filter(|decl| decl.operands[0].takes.accept(DType::F32) && !has_line(decl.name))
        .map(|decl| decl.name)
        .collect();
    assert!(missing.is_empty(), "add what these give for {X:?}: {missing:?}");
}

#[test]
fn tails_do_not_cancel_or_overflow() {
    let close = |op: &str, x: f32, y: f64| {
        let found = of(op, &[x])[0];
        assert!(
            (f64::from(found) / y - 1.0).abs() < 1e-6,
            "{op} of {x}: {found:e}, expected {y:e}"
        );
    };
    close("gelu(%x)", -6.0, -6.0 * 9.865_876_450_376_946e-10);
    close("softplus(%x)", -80.0, (-80f64).exp());
    close("softplus(%x)", 500.0, 500.0);
    close("elu(%x)", -1e-6, (-1e-6f64).exp_m1());
    close("sigmoid(%x)", -80.0, (-80f64).exp());
}

/// Every composite, written out at both levels, keeps the rules of its level.
#[test]
fn composites_become_primitives() {
    let composites = OpKind::ALL.iter().filter(|k| k.is_composite());
    for &kind in composites {
        let decl = kind.decl();
        let (least, most) = decl.operand_count();
        for dtype in [DType::F32, DType::F16, DType::F64, DType::I32, DType::U8, DType::F8E5M2] {
            if !decl.operands[0].takes.accept(dtype) {
                continue;
            }
            let scalar = kind == OpKind::Clip;
            for count in [least.max(1), most.min(3)] {
                let ty = |i: usize, dims: &str| match scalar && i > 0 {
                    true => format!("{dtype}[]"),
                    false => format!("{dtype}{dims}"),
                };
                for (level, dims) in [("tile", "[4]"), ("tile", "[]"), ("graph", "[2, 3]")] {
                    let params: Vec<String> =
                        (0..count).map(|i| format!("%x{i}: {}", ty(i, dims))).collect();
                    let args: Vec<String> = (0..count).map(|i| format!("%x{i}")).collect();
                    let text = format!(
                        "func @f {level} ({}) {{ %y = {}({}) return %y }}",
                        params.join(", "),
                        decl.name,
                        args.join(", ")
                    );
                    let before = module(&text);
                    before.verify().unwrap_or_else(|e| panic!("{e}\n{text}"));
                    let after = lower(&before, &|_| false).unwrap().unwrap();
                    after.verify().unwrap_or_else(|e| panic!("{e}\n{after:?}"));
                    let y = after.funcs[0].body.results[0];
                    let result = &before.funcs[0].ty(before.funcs[0].body.results[0]);
                    assert_eq!(after.funcs[0].ty(y).dtype(), result.dtype(), "{text}");
                    after.funcs[0].body.walk(&mut |op| {
                        assert!(!matches!(op.decl().class, Class::Composite(_)), "{text}");
                    });
                }
            }
        }
    }
}

#[test]
fn composites_that_are_kept_stay() {
    let module = module("func @f tile (%x: f32[]) { %y = relu(%x) %z = neg(%y) return %z }");
    assert_eq!(lower(&module, &|_| true).unwrap(), None);
    let lowered = lower(&module, &|op| op.kind == OpKind::Relu).unwrap();
    assert_eq!(lowered, None);
}
