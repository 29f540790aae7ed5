//! Elementwise ops.
//!
//! Any elementwise op can be compiled from its decomposition. An op keeps a kernel here if the kernel is faster for
//! small or large tensors, or gives other bits. On AVX-512, 64 elements take 0.43 µs in the kernels of `softsign`,
//! `thresholded_relu`, `shrink` and `leaky_relu`, and 0.97 µs compiled; for 262,144 elements both take the same time.
//! The compiled forms of `selu`, `celu`, `swiglu` and `sin` are four to eight times as fast for large tensors, but
//! differ from the kernels in the last bits.

mod binary;
mod integer;
mod power;
mod rows;
mod several;
#[cfg(test)]
mod tests;
mod unary;

use crate::kernel::{Entry, entry};
use binary::{Arithmetic, Bits, Connective, Relation};
use several::Total;
use trident_ir::ops::*;
use trident_kernels::UnaryFunction;
use unary::{Function, activation, function};

/// The work of an op on elements of one type; `R` is the function that does it.
struct Work<R> {
    /// The work for one element, see [`for_pieces`](trident_kernels::parallel::for_pieces).
    cost: usize,
    run: R,
}

/// The kernels written for speed. Other elementwise ops are compiled.
pub(super) const KERNELS: &[Entry] = &[
    entry(Abs::KIND, |cx| function(cx, Function::Abs)),
    entry(Acos::KIND, |cx| function(cx, Function::Acos)),
    entry(Acosh::KIND, |cx| function(cx, Function::Acosh)),
    entry(Add::KIND, |cx| binary::arithmetic(cx, Arithmetic::Add)),
    entry(And::KIND, |cx| binary::logical(cx, Connective::And)),
    entry(Asin::KIND, |cx| function(cx, Function::Asin)),
    entry(Asinh::KIND, |cx| function(cx, Function::Asinh)),
    entry(Atan::KIND, |cx| function(cx, Function::Atan)),
    entry(Atanh::KIND, |cx| function(cx, Function::Atanh)),
    entry(BitCast::KIND, several::bitcast),
    entry(BitShift::KIND, binary::shift),
    entry(BitwiseAnd::KIND, |cx| binary::bitwise(cx, Bits::And)),
    entry(BitwiseNot::KIND, |cx| function(cx, Function::BitwiseNot)),
    entry(BitwiseOr::KIND, |cx| binary::bitwise(cx, Bits::Or)),
    entry(BitwiseXor::KIND, |cx| binary::bitwise(cx, Bits::Xor)),
    entry(Cast::KIND, several::cast_op),
    entry(Ceil::KIND, |cx| function(cx, Function::Ceil)),
    entry(Celu::KIND, unary::celu),
    entry(Clip::KIND, several::clip),
    entry(Cos::KIND, |cx| function(cx, Function::Cos)),
    entry(Cosh::KIND, |cx| function(cx, Function::Cosh)),
    entry(Div::KIND, |cx| binary::arithmetic(cx, Arithmetic::Div)),
    entry(Elu::KIND, |cx| activation(cx, UnaryFunction::Elu(cx.view(Elu::of)?.alpha()))),
    entry(Equal::KIND, |cx| binary::compare(cx, Relation::Equal)),
    entry(Erf::KIND, |cx| activation(cx, UnaryFunction::Erf)),
    entry(Exp::KIND, |cx| activation(cx, UnaryFunction::Exp)),
    entry(Floor::KIND, |cx| function(cx, Function::Floor)),
    entry(Gelu::KIND, unary::gelu),
    entry(Greater::KIND, |cx| binary::compare(cx, Relation::Greater)),
    entry(GreaterOrEqual::KIND, |cx| binary::compare(cx, Relation::GreaterOrEqual)),
    entry(HardSigmoid::KIND, unary::hard_sigmoid),
    entry(HardSwish::KIND, |cx| activation(cx, UnaryFunction::HardSwish)),
    entry(IsInf::KIND, unary::is_inf),
    entry(IsNaN::KIND, unary::is_nan),
    entry(LeakyRelu::KIND, unary::leaky_relu),
    entry(Less::KIND, |cx| binary::compare(cx, Relation::Less)),
    entry(LessOrEqual::KIND, |cx| binary::compare(cx, Relation::LessOrEqual)),
    entry(Log::KIND, |cx| function(cx, Function::Log)),
    entry(Max::KIND, |cx| several::total(cx, Total::Max)),
    entry(Mean::KIND, |cx| several::total(cx, Total::Mean)),
    entry(Min::KIND, |cx| several::total(cx, Total::Min)),
    entry(Mish::KIND, |cx| activation(cx, UnaryFunction::Mish)),
    entry(Mod::KIND, binary::remainder),
    entry(Mul::KIND, |cx| binary::arithmetic(cx, Arithmetic::Mul)),
    entry(Neg::KIND, |cx| function(cx, Function::Neg)),
    entry(Not::KIND, unary::not),
    entry(Or::KIND, |cx| binary::logical(cx, Connective::Or)),
    entry(PRelu::KIND, |cx| binary::arithmetic(cx, Arithmetic::PRelu)),
    entry(Pow::KIND, power::power),
    entry(Reciprocal::KIND, |cx| function(cx, Function::Reciprocal)),
    entry(Relu::KIND, |cx| activation(cx, UnaryFunction::Relu)),
    entry(Round::KIND, |cx| function(cx, Function::Round)),
    entry(Selu::KIND, unary::selu),
    entry(Shrink::KIND, unary::shrink),
    entry(Sigmoid::KIND, |cx| activation(cx, UnaryFunction::Sigmoid)),
    entry(Sign::KIND, |cx| function(cx, Function::Sign)),
    entry(Sin::KIND, |cx| function(cx, Function::Sin)),
    entry(Sinh::KIND, |cx| function(cx, Function::Sinh)),
    entry(Softplus::KIND, |cx| activation(cx, UnaryFunction::Softplus)),
    entry(Softsign::KIND, |cx| function(cx, Function::Softsign)),
    entry(Sqrt::KIND, |cx| function(cx, Function::Sqrt)),
    entry(Sub::KIND, |cx| binary::arithmetic(cx, Arithmetic::Sub)),
    entry(Sum::KIND, |cx| several::total(cx, Total::Sum)),
    entry(SwiGLU::KIND, binary::swiglu),
    entry(Swish::KIND, |cx| activation(cx, UnaryFunction::Swish(cx.view(Swish::of)?.alpha()))),
    entry(Tan::KIND, |cx| function(cx, Function::Tan)),
    entry(Tanh::KIND, |cx| activation(cx, UnaryFunction::Tanh)),
    entry(ThresholdedRelu::KIND, unary::thresholded_relu),
    entry(Where::KIND, several::select),
    entry(Xor::KIND, |cx| binary::logical(cx, Connective::Xor)),
];
