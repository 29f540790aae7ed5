//! Functions of real numbers.

use crate::decompose::{Composite, Expr};
use crate::op::grammar::ops;
use crate::ops;
use crate::shape::values::numbers;
use crate::shape::{Known, View};
use crate::tile::{Site, Types, alike, one};
use crate::{DType, Type};

ops! {
    /// Inverse cosine in radians.
    Acos "acos" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 7 cost 30 class Function;
    /// Inverse hyperbolic cosine.
    Acosh "acosh" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 9 cost 30 class Function;
    /// Inverse sine in radians.
    Asin "asin" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 7 cost 30 class Function;
    /// Inverse hyperbolic sine.
    Asinh "asinh" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 9 cost 30 class Function;
    /// Inverse tangent in radians.
    Atan "atan" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 7 cost 30 class Function;
    /// Inverse hyperbolic tangent.
    Atanh "atanh" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 9 cost 30 class Function;
    /// Cosine of radians.
    Cos "cos" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 7 cost 20 class Function;
    /// Hyperbolic cosine.
    Cosh "cosh" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 9 cost 30 class Function;
    /// Gauss error function.
    Erf "erf" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 9 cost 20 class Function;
    /// e to the power of the operand.
    Exp "exp" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 1 cost 20 class Function;
    /// 2 to the power of the operand.
    Exp2 "exp2" Elementwise (x: Float) -> (y: Elem(0)) {} cost 20 class Function;
    /// A function of the C mathematics library or an extension of it in device libraries, by its C name without the
    /// type's suffix: `acosh`, `hypot`, `normcdf`, `add_rz` (rounded towards zero) …
    Libm "libm" Elementwise (xs[many]) -> (y: Rule::Attr(ops::Libm::AT.to)) { function: Str, to: DType }
        cost 30 class Function tile libm_types lane libm_types;
    /// Natural logarithm.
    Log "log" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 1 cost 20 class Function;
    /// Logarithm to base 2.
    Log2 "log2" Elementwise (x: Float) -> (y: Elem(0)) {} cost 20 class Function;
    /// x to the power of y, broadcast, in the type of x. At level tile both are floats of one type.
    Pow "pow" Elementwise (x: Number, y: Number) -> (z: Elem(0)) {}
        onnx "" 1 cost 30 class Function tile pow_types lane pow_types;
    /// 1/x.
    Reciprocal "reciprocal" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 1 composite reciprocal;
    /// 1/√x.
    Rsqrt "rsqrt" Elementwise (x: Float) -> (y: Elem(0)) {} composite rsqrt;
    /// Sine of radians.
    Sin "sin" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 7 cost 20 class Function;
    /// Hyperbolic sine.
    Sinh "sinh" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 9 cost 30 class Function;
    /// Square root.
    Sqrt "sqrt" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 1 cost 6 values sqrt_values;
    /// Tangent of radians.
    Tan "tan" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 7 cost 20 class Function;
    /// Hyperbolic tangent.
    Tanh "tanh" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 1 cost 20 class Function;
}

fn reciprocal<'a>(_: ops::Reciprocal<'_>, e: &'a Composite<'a>) -> Expr<'a> {
    1.0 / e.operand(ops::Reciprocal::AT.x)
}

fn rsqrt<'a>(_: ops::Rsqrt<'_>, e: &'a Composite<'a>) -> Expr<'a> {
    1.0 / e.operand(ops::Rsqrt::AT.x).sqrt()
}

fn sqrt_values(cx: &View<'_>) -> Option<Known> {
    numbers(cx, |_| None, |args| args.first().map(|a| a.sqrt()))
}

/// At levels tile and lane both are floats of one type.
fn pow_types(site: &Site<'_>) -> Types {
    site.elements(ops::Pow::AT.x, "floats", DType::is_float)?;
    alike(site)
}

/// Operands may have several element types.
fn libm_types(site: &Site<'_>) -> Types {
    let (_, dims) = site.tensor(0)?;
    for i in 1..site.op.inputs.len() {
        if site.tensor(i)?.1 != dims {
            return Err(site.wrong(i, format!("elements in dimensions {dims:?}")));
        }
    }
    let to = site.element(ops::Libm::AT.to)?;
    match ops::Libm::of(site.op).is_some_and(|op| !op.function().is_empty()) {
        true => one(Type::fixed(to, &dims)),
        false => Err(site.wrong_attr(ops::Libm::AT.function, "the name of a function")),
    }
}
