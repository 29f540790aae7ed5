//! Ops of one operand.

use crate::kernel::{Call, Compile, Kernel, Plain};
use crate::ops::convert::{cast, compute_dtype, convert_into};
use half::{bf16, f16};
use trident_ir::element::*;
use trident_ir::{DType, Element, OpKind};
use trident_kernels::activation::Activation;
use trident_kernels::parallel::{for_pieces, vectorised};
use trident_kernels::rows;
use trident_runtime::{KernelError, Tensor};
use trident_simd::Isa;

/// The kernel for a unary op.
pub(super) fn kernel(cx: &Compile<'_>) -> Option<Box<dyn Kernel>> {
    use OpKind::*;
    Some(match cx.op.kind {
        IsInf | IsNaN => Plain::boxed(cx.op.decl().name, classify),
        Not => Plain::boxed("not", not),
        Abs | Acos | Acosh | Asin | Asinh | Atan | Atanh | BitwiseNot | Ceil | Celu | Cos
        | Cosh | Elu | Erf | Exp | Floor | Gelu | HardSigmoid | HardSwish | LeakyRelu | Log
        | Mish | Neg | Reciprocal | Relu | Round | Selu | Shrink | Sigmoid | Sign | Sin | Sinh
        | Softplus | Softsign | Sqrt | Swish | Tan | Tanh | ThresholdedRelu => {
            Plain::boxed(cx.op.decl().name, run)
        }
        _ => return None,
    })
}

/// An operand and a result of the same type, perhaps in one place.
struct Unary {
    x: Option<Tensor>,
    y: Tensor,
}

impl Unary {
    fn map<T: Element>(
        &mut self,
        call: &Call<'_, '_>,
        cost: usize,
        f: impl Fn(T) -> T + Sync,
    ) -> Result<(), KernelError> {
        let x = self.x.as_ref().map(|x| x.slice::<T>()).transpose()?;
        for_pieces(call.threads, self.y.slice_mut::<T>()?, cost, |at, y| {
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
        call: &Call<'_, '_>,
        cost: usize,
        to: impl Fn(&[f32], &mut [f32]) + Sync,
        in_place: impl Fn(&mut [f32]) + Sync,
    ) -> Result<(), KernelError> {
        let x = self.x.as_ref().map(|x| x.slice::<f32>()).transpose()?;
        for_pieces(call.threads, self.y.slice_mut::<f32>()?, cost, |at, y| match x {
            Some(x) => to(&x[at..at + y.len()], y),
            None => in_place(y),
        });
        Ok(())
    }
}

fn run(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let x = call.tensor(0)?;
    let (dtype, dims) = (x.dtype(), x.dims().to_vec());
    let compute = compute_dtype(dtype);
    if compute != dtype {
        let mut unary = Unary { x: None, y: cast(call.threads, call.pool(), &x, compute)? };
        evaluate(call, &mut unary, compute)?;
        let mut out = call.alloc(0, dtype, &dims)?;
        convert_into(call.threads, &unary.y, &mut out, Default::default())?;
        call.set(0, out);
        return Ok(());
    }
    drop(x);
    let mut unary = match call.reuse(0, dtype, &dims) {
        Some(y) => Unary { x: None, y },
        None => {
            let y = call.alloc(0, dtype, &dims)?;
            Unary { x: Some(call.tensor(0)?), y }
        }
    };
    evaluate(call, &mut unary, dtype)?;
    call.set(0, unary.y);
    Ok(())
}

/// The op as one of the activations that the vector kernels know.
fn activation(call: &Call<'_, '_>) -> Option<Activation> {
    let alpha = || call.op.float("alpha").unwrap_or(1.0);
    Some(match call.op.kind {
        OpKind::Relu => Activation::Relu,
        OpKind::LeakyRelu => Activation::LeakyRelu(alpha()),
        OpKind::HardSigmoid => {
            Activation::HardSigmoid { alpha: alpha(), beta: call.op.float("beta").unwrap_or(0.5) }
        }
        OpKind::HardSwish => Activation::HardSwish,
        OpKind::Sigmoid => Activation::Sigmoid,
        OpKind::Tanh => Activation::Tanh,
        OpKind::Swish => Activation::Swish(alpha()),
        OpKind::Gelu if call.op.str("approximate") == Some("tanh") => Activation::GeluTanh,
        OpKind::Gelu => Activation::Gelu,
        OpKind::Elu => Activation::Elu(alpha()),
        OpKind::Softplus => Activation::Softplus,
        OpKind::Mish => Activation::Mish,
        OpKind::Erf => Activation::Erf,
        OpKind::Exp => Activation::Exp,
        _ => return None,
    })
}

fn evaluate(call: &Call<'_, '_>, u: &mut Unary, dtype: DType) -> Result<(), KernelError> {
    let op = call.op;
    if matches!(op.kind, OpKind::Gelu) && !matches!(op.str("approximate"), Some("none" | "tanh")) {
        return Err(KernelError::attr("approximate", "is neither `none` nor `tanh`"));
    }
    if dtype.is_float()
        && let Some(a) = activation(call)
    {
        let isa = Isa::detect();
        return match dtype {
            DType::F32 => u.pieces(call, 8, |x, y| a.apply_to(isa, x, y), |y| a.apply(isa, y)),
            DType::F64 => u.map(call, 32, |x: f64| a.eval(x)),
            other => Err(KernelError::Unsupported(other)),
        };
    }
    let alpha = op.float("alpha").unwrap_or(1.0);
    let (gamma, bias, lambd) = (
        op.float("gamma").unwrap_or(1.0),
        op.float("bias").unwrap_or(0.0),
        op.float("lambd").unwrap_or(0.5),
    );
    if op.kind == OpKind::Log && dtype == DType::F32 {
        let isa = Isa::detect();
        return u.pieces(
            call,
            8,
            |x, y| rows::ln(isa, x, y),
            |y| {
                for y in y.chunks_mut(512) {
                    let mut x = [0.0; 512];
                    x[..y.len()].copy_from_slice(y);
                    rows::ln(isa, &x[..y.len()], y);
                }
            },
        );
    }
    macro_rules! floats {
        ($t:ident) => {{
            let (alpha, gamma, bias, lambd) = (alpha as $t, gamma as $t, bias as $t, lambd as $t);
            match op.kind {
                OpKind::Abs => u.map(call, 1, $t::abs),
                OpKind::Neg => u.map(call, 1, |x: $t| -x),
                OpKind::Ceil => u.map(call, 1, $t::ceil),
                OpKind::Floor => u.map(call, 1, $t::floor),
                OpKind::Round => u.map(call, 1, $t::round_ties_even),
                OpKind::Sqrt => u.map(call, 4, $t::sqrt),
                OpKind::Reciprocal => u.map(call, 4, |x: $t| 1.0 / x),
                OpKind::Softsign => u.map(call, 4, |x: $t| x / (1.0 + x.abs())),
                OpKind::Sign => u.map(call, 1, |x: $t| {
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
                OpKind::ThresholdedRelu => u.map(call, 1, |x: $t| if x > alpha { x } else { 0.0 }),
                OpKind::Shrink => u.map(call, 1, |x: $t| {
                    if x < -lambd {
                        x + bias
                    } else if x > lambd {
                        x - bias
                    } else {
                        0.0
                    }
                }),
                OpKind::Celu => {
                    u.map(call, 32, |x: $t| if x < 0.0 { alpha * (x / alpha).exp_m1() } else { x })
                }
                OpKind::Selu => {
                    u.map(
                        call,
                        32,
                        |x: $t| {
                            if x > 0.0 { gamma * x } else { gamma * alpha * x.exp_m1() }
                        },
                    )
                }
                OpKind::Log => u.map(call, 32, $t::ln),
                OpKind::Sin => u.map(call, 32, $t::sin),
                OpKind::Cos => u.map(call, 32, $t::cos),
                OpKind::Tan => u.map(call, 32, $t::tan),
                OpKind::Asin => u.map(call, 32, $t::asin),
                OpKind::Acos => u.map(call, 32, $t::acos),
                OpKind::Atan => u.map(call, 32, $t::atan),
                OpKind::Sinh => u.map(call, 32, $t::sinh),
                OpKind::Cosh => u.map(call, 32, $t::cosh),
                // What the library's functions compute for large values overflows.
                OpKind::Asinh => u.map(call, 32, |x: $t| match x.abs() > $t::MAX / 4.0 {
                    true => (x.abs().ln() + std::$t::consts::LN_2).copysign(x),
                    false => x.asinh(),
                }),
                OpKind::Acosh => u.map(call, 32, |x: $t| match x > $t::MAX / 4.0 {
                    true => x.ln() + std::$t::consts::LN_2,
                    false => x.acosh(),
                }),
                OpKind::Atanh => u.map(call, 32, $t::atanh),
                _ => Err(KernelError::Unsupported(dtype)),
            }
        }};
    }
    macro_rules! ints {
        ($t:ident) => {
            match op.kind {
                OpKind::Abs => u.map(call, 1, $t::wrapping_abs),
                OpKind::Neg => u.map(call, 1, $t::wrapping_neg),
                OpKind::Relu => u.map(call, 1, |x: $t| x.max(0)),
                OpKind::Sign => u.map(call, 1, $t::signum),
                OpKind::BitwiseNot => u.map(call, 1, |x: $t| !x),
                // The standard gives shrink and erf to integers, too, and cuts what it computes in floats.
                OpKind::Shrink => u.map(call, 4, |x: $t| {
                    let v = x as f64;
                    let (bias, lambd) = (f64::from(bias), f64::from(lambd));
                    (if v < -lambd { v + bias } else if v > lambd { v - bias } else { 0.0 }) as $t
                }),
                OpKind::Erf => u.map(call, 32, |x: $t| libm::erf(x as f64) as $t),
                _ => Err(KernelError::Unsupported(dtype)),
            }
        };
    }
    match dtype {
        DType::F32 => floats!(f32),
        DType::F64 => floats!(f64),
        DType::I32 => ints!(i32),
        DType::I64 => ints!(i64),
        DType::U64 => match op.kind {
            OpKind::Abs | OpKind::Relu => u.map(call, 1, |x: u64| x),
            OpKind::Neg => u.map(call, 1, u64::wrapping_neg),
            OpKind::Sign => u.map(call, 1, |x: u64| x.min(1)),
            OpKind::BitwiseNot => u.map(call, 1, |x: u64| !x),
            OpKind::Shrink => u.map(call, 4, |x: u64| {
                let v = x as f64;
                if v > f64::from(lambd) { (v - f64::from(bias)) as u64 } else { 0 }
            }),
            OpKind::Erf => u.map(call, 32, |x: u64| libm::erf(x as f64) as u64),
            _ => Err(KernelError::Unsupported(dtype)),
        },
        other => Err(KernelError::Unsupported(other)),
    }
}

fn test<T: Element>(
    call: &mut Call<'_, '_>,
    f: impl Fn(T) -> bool + Sync,
) -> Result<(), KernelError> {
    let x = call.tensor(0)?;
    let mut out = call.alloc(0, DType::Bool, x.dims())?;
    let x = x.slice::<T>()?;
    for_pieces(call.threads, out.slice_mut::<B8>()?, 1, |at, y| {
        let x = &x[at..at + y.len()];
        y.iter_mut().zip(x).for_each(|(y, &x)| *y = B8::from(f(x)));
    });
    call.set(0, out);
    Ok(())
}

fn not(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    test(call, |x: B8| !bool::from(x))
}

fn classify(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let dtype = call.tensor(0)?.dtype();
    let nan = call.op.kind == OpKind::IsNaN;
    let (negative, positive) = (call.op.flag("detect_negative"), call.op.flag("detect_positive"));
    macro_rules! classify {
        ($t:ty, $f:expr) => {
            if nan {
                test(call, |x: $t| $f(x).is_nan())
            } else {
                test(call, move |x: $t| {
                    let x = $f(x);
                    x.is_infinite() && (if x > 0.0 { positive } else { negative })
                })
            }
        };
    }
    match dtype {
        DType::F32 => classify!(f32, |x: f32| x),
        DType::F64 => classify!(f64, |x: f64| x),
        DType::F16 => classify!(f16, f16::to_f32),
        DType::BF16 => classify!(bf16, bf16::to_f32),
        DType::F8E4M3FN => classify!(F8E4M3FN, F8E4M3FN::to_f32),
        DType::F8E4M3FNUZ => classify!(F8E4M3FNUZ, F8E4M3FNUZ::to_f32),
        DType::F8E5M2 => classify!(F8E5M2, F8E5M2::to_f32),
        DType::F8E5M2FNUZ => classify!(F8E5M2FNUZ, F8E5M2FNUZ::to_f32),
        DType::F8E8M0FNU => classify!(F8E8M0FNU, F8E8M0FNU::to_f32),
        other => Err(KernelError::Unsupported(other)),
    }
}
