//! Ops of one operand.

use super::binary::chosen;
use crate::kernel::{Call, Compile, CpuKernel, Made, Prepared};
use crate::ops::convert::{cast, convert_into};
use half::{bf16, f16};
use trident_ir::element::*;
use trident_ir::op::words::GeluFormula;
use trident_ir::ops::{
    Abs, Celu, Gelu, HardSigmoid, IsInf, IsNaN, LeakyRelu, Not, Selu, Shrink, ThresholdedRelu,
};
use trident_ir::{DType, Element};
use trident_kernels::UnaryFunction;
use trident_kernels::parallel::{for_pieces, is_short, vectorised};
use trident_kernels::rows;
use trident_kernels::threads::Threads;
use trident_runtime::{KernelError, TensorView, TensorViewMut};
use trident_simd::Isa;

/// An operand and a result of the same type, perhaps in one place.
struct Unary<'a> {
    x: Option<TensorView<'a>>,
    y: TensorViewMut<'a>,
}

impl Unary<'_> {
    fn map<T: Element>(
        &mut self,
        threads: &Threads,
        cost: usize,
        f: impl Fn(T) -> T + Copy + Send + Sync,
    ) -> Result<(), KernelError> {
        let x = self.x.map(|x| x.slice::<T>()).transpose()?;
        for_pieces(threads, self.y.slice_mut::<T>()?, cost, |at, y| {
            vectorised(
                #[inline(always)]
                || match x {
                    Some(x) => {
                        let x = &x[at..at + y.len()];
                        y.iter_mut().zip(x).for_each(|(y, &x)| *y = f(x));
                    }
                    None => y.iter_mut().for_each(|y| *y = f(*y)),
                },
            );
        });
        Ok(())
    }

    /// `f(x, y)` on pieces, for functions of `f32` that are vectorised by hand.
    fn pieces(
        &mut self,
        threads: &Threads,
        cost: usize,
        to: impl Fn(&[f32], &mut [f32]) + Sync,
        in_place: impl Fn(&mut [f32]) + Sync,
    ) -> Result<(), KernelError> {
        let x = self.x.map(|x| x.slice::<f32>()).transpose()?;
        for_pieces(threads, self.y.slice_mut::<f32>()?, cost, |at, y| match x {
            Some(x) => to(&x[at..at + y.len()], y),
            None => in_place(y),
        });
        Ok(())
    }
}

/// The work of an op on elements of one type.
type Work = super::Work<RunUnary>;

type RunUnary = Box<dyn Fn(&mut Unary<'_>, &Threads) -> Result<(), KernelError> + Send + Sync>;

/// The kernel of an op that computes in the type of its operand.
struct Single {
    name: &'static str,
    work: Work,
    dtype: DType,
}

impl CpuKernel for Single {
    fn name(&self) -> &str {
        self.name
    }

    fn run(&self, call: &mut Call<'_, '_>) -> Result<(), KernelError> {
        let at = Abs::AT;
        let x = call.tensor(at.x)?;
        let dims = x.dims().to_vec();
        drop(x);
        let y = match call.reuse(at.x, self.dtype, &dims) {
            Some(mut y) => {
                (self.work.run)(&mut Unary { x: None, y: y.view_mut()? }, call.threads)?;
                y
            }
            None => {
                let (x, mut y) = (call.tensor(at.x)?, call.alloc(at.y, self.dtype, &dims)?);
                let mut unary = Unary { x: Some(x.view()?), y: y.view_mut()? };
                (self.work.run)(&mut unary, call.threads)?;
                y
            }
        };
        call.set(at.y, y);
        Ok(())
    }

    fn direct(
        &self,
        inputs: &[TensorView<'_>],
        outputs: &mut [TensorViewMut<'_>],
        threads: &Threads,
    ) -> bool {
        let ([x], [y]) = (inputs, outputs) else { return false };
        (x.dtype(), y.dtype()) == (self.dtype, self.dtype)
            && x.dims() == y.dims()
            && is_short(y.len(), self.work.cost)
            && {
                let mut unary = Unary { x: Some(*x), y: y.reborrow() };
                (self.work.run)(&mut unary, threads).is_ok()
            }
    }
}

/// A function of an element, as the work of an op.
fn each<T: Element>(
    cost: usize,
    f: impl Fn(T) -> T + Copy + Send + Sync + 'static,
) -> Option<Work> {
    // Behind a reference, the function would be called for each element instead of being vectorised.
    Some(Work { cost, run: Box::new(move |unary, threads| unary.map(threads, cost, f)) })
}

/// A kernel that widens the operand to the type of arithmetic, computes in that type, and truncates or rounds the
/// result to a narrower type.
fn widened(cx: &Compile<'_>, work: impl Fn(DType) -> Option<Work>) -> Made {
    let at = Abs::AT;
    let (dtype, compute, work) = chosen(cx, at.x, work)?;
    if compute != dtype {
        return Prepared::boxed(cx, move |call| {
            let x = call.tensor(at.x)?;
            let mut y = cast(call.threads, call.pool(), &x, compute)?;
            (work.run)(&mut Unary { x: None, y: y.view_mut()? }, call.threads)?;
            let mut out = call.alloc(at.y, dtype, x.dims())?;
            convert_into(call.threads, &y, &mut out, Default::default())?;
            call.set(at.y, out);
            Ok(())
        });
    }
    Ok(Box::new(Single { name: cx.op.decl().name, work, dtype }))
}

/// An activation that the vector kernels know. Some are functions of integers, too.
pub(super) fn activation(cx: &Compile<'_>, activation: UnaryFunction) -> Made {
    widened(cx, |dtype| match dtype {
        DType::F32 => {
            let isa = Isa::detect();
            let run: RunUnary = Box::new(move |unary, threads| {
                let to = |x: &[f32], y: &mut [f32]| activation.apply_to(isa, x, y);
                unary.pieces(threads, 8, to, |y| activation.apply(isa, y))
            });
            Some(Work { cost: 8, run })
        }
        DType::F64 => each(32, move |x: f64| activation.eval(x)),
        _ => integers(dtype, activation),
    })
}

/// The activations that are functions of integers, too. Erf is computed in floats and cut.
fn integers(dtype: DType, activation: UnaryFunction) -> Option<Work> {
    match (dtype, activation) {
        (DType::I32, UnaryFunction::Relu) => each(1, |x: i32| x.max(0)),
        (DType::I64, UnaryFunction::Relu) => each(1, |x: i64| x.max(0)),
        (DType::U64, UnaryFunction::Relu) => each(1, |x: u64| x),
        (DType::I32, UnaryFunction::Erf) => each(32, |x: i32| libm::erf(x.into()) as i32),
        (DType::I64, UnaryFunction::Erf) => each(32, |x: i64| libm::erf(x as f64) as i64),
        (DType::U64, UnaryFunction::Erf) => each(32, |x: u64| libm::erf(x as f64) as u64),
        _ => None,
    }
}

pub(super) fn gelu(cx: &Compile<'_>) -> Made {
    activation(
        cx,
        match cx.view(Gelu::of)?.approximate() {
            GeluFormula::Exact => UnaryFunction::Gelu,
            GeluFormula::Tanh => UnaryFunction::GeluTanh,
        },
    )
}

pub(super) fn hard_sigmoid(cx: &Compile<'_>) -> Made {
    let op = cx.view(HardSigmoid::of)?;
    activation(cx, UnaryFunction::HardSigmoid { alpha: op.alpha(), beta: op.beta() })
}

pub(super) fn leaky_relu(cx: &Compile<'_>) -> Made {
    let alpha = cx.view(LeakyRelu::of)?.alpha();
    activation(cx, UnaryFunction::LeakyRelu(alpha))
}

/// A function of a number that is not an activation of the vector kernels.
#[derive(Clone, Copy)]
pub(super) enum Function {
    Abs,
    Acos,
    Acosh,
    Asin,
    Asinh,
    Atan,
    Atanh,
    BitwiseNot,
    Ceil,
    Celu { alpha: f32 },
    Cos,
    Cosh,
    Floor,
    Log,
    Neg,
    Reciprocal,
    Round,
    Selu { alpha: f32, gamma: f32 },
    Shrink { bias: f32, lambd: f32 },
    Sign,
    Sin,
    Sinh,
    Softsign,
    Sqrt,
    Tan,
    ThresholdedRelu { alpha: f32 },
}

pub(super) fn celu(cx: &Compile<'_>) -> Made {
    let alpha = cx.view(Celu::of)?.alpha();
    function(cx, Function::Celu { alpha })
}

pub(super) fn selu(cx: &Compile<'_>) -> Made {
    let op = cx.view(Selu::of)?;
    function(cx, Function::Selu { alpha: op.alpha(), gamma: op.gamma() })
}

pub(super) fn shrink(cx: &Compile<'_>) -> Made {
    let op = cx.view(Shrink::of)?;
    function(cx, Function::Shrink { bias: op.bias(), lambd: op.lambd() })
}

pub(super) fn thresholded_relu(cx: &Compile<'_>) -> Made {
    let alpha = cx.view(ThresholdedRelu::of)?.alpha();
    function(cx, Function::ThresholdedRelu { alpha })
}

/// The logarithm by the vector kernel.
fn log() -> Option<Work> {
    let isa = Isa::detect();
    let run: RunUnary = Box::new(move |unary, threads| {
        let to = |x: &[f32], y: &mut [f32]| rows::ln(isa, x, y);
        unary.pieces(threads, 8, to, |y| {
            for y in y.chunks_mut(512) {
                let mut x = [0.0; 512];
                x[..y.len()].copy_from_slice(y);
                rows::ln(isa, &x[..y.len()], y);
            }
        })
    });
    Some(Work { cost: 8, run })
}

pub(super) fn function(cx: &Compile<'_>, function: Function) -> Made {
    macro_rules! floats {
        ($t:ident) => {
            match function {
                Function::Abs => each(1, $t::abs),
                Function::Neg => each(1, |x: $t| -x),
                Function::Ceil => each(1, $t::ceil),
                Function::Floor => each(1, $t::floor),
                Function::Round => each(1, $t::round_ties_even),
                Function::Sqrt => each(4, $t::sqrt),
                Function::Reciprocal => each(4, |x: $t| 1.0 / x),
                Function::Softsign => each(4, |x: $t| x / (1.0 + x.abs())),
                Function::Sign => each(1, |x: $t| {
                    if x > 0.0 {
                        1.0
                    } else if x < 0.0 {
                        -1.0
                    } else if x == 0.0 {
                        0.0
                    } else {
                        x
                    }
                }),
                Function::ThresholdedRelu { alpha } => {
                    let alpha = alpha as $t;
                    each(1, move |x: $t| if x > alpha { x } else { 0.0 })
                }
                Function::Shrink { bias, lambd } => {
                    let (bias, lambd) = (bias as $t, lambd as $t);
                    each(1, move |x: $t| {
                        if x < -lambd {
                            x + bias
                        } else if x > lambd {
                            x - bias
                        } else {
                            0.0
                        }
                    })
                }
                Function::Celu { alpha } => {
                    let alpha = alpha as $t;
                    each(32, move |x: $t| if x < 0.0 { alpha * (x / alpha).exp_m1() } else { x })
                }
                Function::Selu { alpha, gamma } => {
                    let (alpha, gamma) = (alpha as $t, gamma as $t);
                    each(
                        32,
                        move |x: $t| {
                            if x > 0.0 { gamma * x } else { gamma * alpha * x.exp_m1() }
                        },
                    )
                }
                Function::Log => each(32, $t::ln),
                Function::Sin => each(32, $t::sin),
                Function::Cos => each(32, $t::cos),
                Function::Tan => each(32, $t::tan),
                Function::Asin => each(32, $t::asin),
                Function::Acos => each(32, $t::acos),
                Function::Atan => each(32, $t::atan),
                Function::Sinh => each(32, $t::sinh),
                Function::Cosh => each(32, $t::cosh),
                // The library's functions overflow on the way for large values.
                Function::Asinh => each(32, |x: $t| match x.abs() > $t::MAX / 4.0 {
                    true => (x.abs().ln() + std::$t::consts::LN_2).copysign(x),
                    false => x.asinh(),
                }),
                Function::Acosh => each(32, |x: $t| match x > $t::MAX / 4.0 {
                    true => x.ln() + std::$t::consts::LN_2,
                    false => x.acosh(),
                }),
                Function::Atanh => each(32, $t::atanh),
                Function::BitwiseNot => None,
            }
        };
    }
    macro_rules! ints {
        ($t:ident) => {
            match function {
                Function::Abs => each(1, $t::wrapping_abs),
                Function::Neg => each(1, $t::wrapping_neg),
                Function::Sign => each(1, $t::signum),
                Function::BitwiseNot => each(1, |x: $t| !x),
                // The standard defines shrink for integers too: it computes in floats and truncates.
                Function::Shrink { bias, lambd } => {
                    let (bias, lambd) = (f64::from(bias), f64::from(lambd));
                    each(4, move |x: $t| {
                        let v = x as f64;
                        (if v < -lambd {
                            v + bias
                        } else if v > lambd {
                            v - bias
                        } else {
                            0.0
                        }) as $t
                    })
                }
                _ => None,
            }
        };
    }
    widened(cx, |dtype| match (dtype, function) {
        (DType::F32, Function::Log) => log(),
        (DType::F32, _) => floats!(f32),
        (DType::F64, _) => floats!(f64),
        (DType::I32, _) => ints!(i32),
        (DType::I64, _) => ints!(i64),
        (DType::U64, Function::Abs) => each(1, |x: u64| x),
        (DType::U64, Function::Neg) => each(1, u64::wrapping_neg),
        (DType::U64, Function::Sign) => each(1, |x: u64| x.min(1)),
        (DType::U64, Function::BitwiseNot) => each(1, |x: u64| !x),
        (DType::U64, Function::Shrink { bias, lambd }) => {
            let (bias, lambd) = (f64::from(bias), f64::from(lambd));
            each(4, move |x: u64| {
                let v = x as f64;
                if v > lambd { (v - bias) as u64 } else { 0 }
            })
        }
        _ => None,
    })
}

/// The kernel of a predicate.
fn test<T: Element>(cx: &Compile<'_>, f: impl Fn(T) -> bool + Send + Sync + 'static) -> Made {
    let at = IsNaN::AT;
    Prepared::boxed(cx, move |call| {
        let x = call.tensor(at.x)?;
        let mut out = call.alloc(at.y, DType::Bool, x.dims())?;
        let x = x.slice::<T>()?;
        for_pieces(call.threads, out.slice_mut::<B8>()?, 1, |at, y| {
            let x = &x[at..at + y.len()];
            y.iter_mut().zip(x).for_each(|(y, &x)| *y = B8::from(f(x)));
        });
        call.set(at.y, out);
        Ok(())
    })
}

pub(super) fn not(cx: &Compile<'_>) -> Made {
    cx.view(Not::of)?;
    test(cx, |x: B8| !bool::from(x))
}

/// A class of floats.
#[derive(Clone, Copy)]
enum Class {
    NaN,
    Infinite { negative: bool, positive: bool },
}

pub(super) fn is_nan(cx: &Compile<'_>) -> Made {
    cx.view(IsNaN::of)?;
    classify(cx, Class::NaN)
}

pub(super) fn is_inf(cx: &Compile<'_>) -> Made {
    let op = cx.view(IsInf::of)?;
    let (negative, positive) = (op.detect_negative(), op.detect_positive());
    classify(cx, Class::Infinite { negative, positive })
}

fn classify(cx: &Compile<'_>, class: Class) -> Made {
    macro_rules! classify {
        ($t:ty, $f:expr) => {
            match class {
                Class::NaN => test(cx, |x: $t| $f(x).is_nan()),
                Class::Infinite { negative, positive } => test(cx, move |x: $t| {
                    let x = $f(x);
                    x.is_infinite() && (if x > 0.0 { positive } else { negative })
                }),
            }
        };
    }
    match cx.dtype(IsNaN::AT.x) {
        Some(DType::F32) => classify!(f32, |x: f32| x),
        Some(DType::F64) => classify!(f64, |x: f64| x),
        Some(DType::F16) => classify!(f16, f16::to_f32),
        Some(DType::BF16) => classify!(bf16, bf16::to_f32),
        Some(DType::F8E4M3FN) => classify!(F8E4M3FN, F8E4M3FN::to_f32),
        Some(DType::F8E4M3FNUZ) => classify!(F8E4M3FNUZ, F8E4M3FNUZ::to_f32),
        Some(DType::F8E5M2) => classify!(F8E5M2, F8E5M2::to_f32),
        Some(DType::F8E5M2FNUZ) => classify!(F8E5M2FNUZ, F8E5M2FNUZ::to_f32),
        Some(DType::F8E8M0FNU) => classify!(F8E8M0FNU, F8E8M0FNU::to_f32),
        _ => Err(cx.declined("only floats are infinite or not numbers")),
    }
}
