//! Ops of two broadcast operands.

use super::integer::{Integer, power as integer_power};
use super::rows::Rows;
use crate::kernel::{Call, Compile, Kernel, Plain};
use crate::ops::convert::{cast, compute_dtype, convert_into};
use trident_ir::element::{B8, C64, C128};
use trident_ir::geometry::broadcast;
use trident_ir::{DType, Element, OpKind};
use trident_kernels::parallel::{for_pieces, vectorised};
use trident_kernels::threads::Threads;
use trident_runtime::{KernelError, Tensor};

/// The kernel for a binary op.
pub(super) fn kernel(cx: &Compile<'_>) -> Option<Box<dyn Kernel>> {
    use OpKind::*;
    Some(match cx.op.kind {
        Add | Sub | Mul | Div | Mod | PRelu | SwiGLU => Plain::boxed(cx.op.decl().name, arithmetic),
        BitwiseAnd | BitwiseOr | BitwiseXor | BitShift => Plain::boxed(cx.op.decl().name, bitwise),
        And | Or | Xor => Plain::boxed(cx.op.decl().name, logical),
        Equal | Greater | GreaterOrEqual | Less | LessOrEqual => {
            Plain::boxed(cx.op.decl().name, compare)
        }
        Pow => Plain::boxed("pow", power),
        _ => return None,
    })
}

/// One operand along a row.
#[derive(Clone, Copy)]
enum Arg<'a, T> {
    /// An element for each of the row.
    Row(&'a [T]),
    /// One element for all.
    One(T),
    /// What the result's memory holds.
    Own,
}

#[inline(always)]
fn row<T: Element, U: Element>(out: &mut [U], a: Arg<'_, T>, b: Arg<'_, T>, f: impl Fn(T, T) -> U) {
    match (a, b) {
        (Arg::Row(a), Arg::Row(b)) => {
            out.iter_mut().zip(a).zip(b).for_each(|((o, &a), &b)| *o = f(a, b));
        }
        (Arg::Row(a), Arg::One(b)) => out.iter_mut().zip(a).for_each(|(o, &a)| *o = f(a, b)),
        (Arg::One(a), Arg::Row(b)) => out.iter_mut().zip(b).for_each(|(o, &b)| *o = f(a, b)),
        (Arg::One(a), Arg::One(b)) => out.fill(f(a, b)),
        // Only results of the operands' type are computed in place.
        _ if const { size_of::<T>() != size_of::<U>() } => {}
        (a, b) => {
            let out: &mut [T] = bytemuck::cast_slice_mut(out);
            let f = |a: T, b: T| -> T { bytemuck::cast(f(a, b)) };
            match (a, b) {
                (Arg::Own, Arg::Row(b)) => out.iter_mut().zip(b).for_each(|(o, &b)| *o = f(*o, b)),
                (Arg::Own, Arg::One(b)) => out.iter_mut().for_each(|o| *o = f(*o, b)),
                (Arg::Row(a), Arg::Own) => out.iter_mut().zip(a).for_each(|(o, &a)| *o = f(a, *o)),
                (Arg::One(a), Arg::Own) => out.iter_mut().for_each(|o| *o = f(a, *o)),
                _ => out.iter_mut().for_each(|o| *o = f(*o, *o)),
            }
        }
    }
}

/// Operands of which the result may have taken one's memory.
pub(super) struct Pair {
    a: Option<Tensor>,
    b: Option<Tensor>,
    pub(super) out: Tensor,
}

impl Pair {
    /// Operands `i` and `j` of the call, which result 0 overwrites if it may.
    fn of_call(
        call: &mut Call<'_, '_>,
        (i, j): (usize, usize),
        to: DType,
    ) -> Result<Pair, KernelError> {
        let (a, b) = (call.tensor(i)?, call.tensor(j)?);
        if a.dtype() != b.dtype() {
            let expected = a.dtype().to_string();
            return Err(KernelError::DType { index: j, actual: b.dtype(), expected });
        }
        let from = a.dtype();
        let dims = broadcast(a.dims(), b.dims())?;
        drop((a, b));
        let reuse = |call: &mut Call<'_, '_>, k| {
            if from == to { call.reuse(k, to, &dims) } else { None }
        };
        if let Some(out) = reuse(call, i) {
            return Ok(Pair { a: None, b: Some(call.tensor(j)?), out });
        }
        if let Some(out) = reuse(call, j) {
            return Ok(Pair { a: Some(call.tensor(i)?), b: None, out });
        }
        let out = call.alloc(0, to, &dims)?;
        Ok(Pair { a: Some(call.tensor(i)?), b: Some(call.tensor(j)?), out })
    }

    /// `out = f(out, b)`, for operands that broadcast to `out`.
    pub(super) fn in_place(out: Tensor, b: Tensor) -> Pair {
        Pair { a: None, b: Some(b), out }
    }

    /// How the operands are read.
    fn rows(&self) -> Rows<2> {
        let dims = self.out.dims();
        let own = |t: &'_ Option<Tensor>| t.as_ref().map_or(dims.to_vec(), |t| t.dims().to_vec());
        Rows::new(dims, [&own(&self.a), &own(&self.b)])
    }

    /// `f` over the broadcast operands, into the result.
    pub(super) fn map<T: Element, U: Element>(
        &mut self,
        threads: &Threads,
        cost: usize,
        f: impl Fn(T, T) -> U + Sync,
    ) -> Result<(), KernelError> {
        let rows = self.rows();
        let a = self.a.as_ref().map(|t| t.slice::<T>()).transpose()?;
        let b = self.b.as_ref().map(|t| t.slice::<T>()).transpose()?;
        let out = self.out.slice_mut::<U>()?;
        for_pieces(threads, out, cost, |start, piece| {
            vectorised(
                #[inline(always)]
                || {
                    rows.for_parts(
                        start,
                        piece.len(),
                        #[inline(always)]
                        |r, [i, j]| {
                            let n = r.len();
                            let left = match a {
                                None => Arg::Own,
                                Some(a) if rows.advances[0] => Arg::Row(&a[i..i + n]),
                                Some(a) => Arg::One(a[i]),
                            };
                            let right = match b {
                                None => Arg::Own,
                                Some(b) if rows.advances[1] => Arg::Row(&b[j..j + n]),
                                Some(b) => Arg::One(b[j]),
                            };
                            row(&mut piece[r], left, right, &f);
                        },
                    );
                },
            );
        });
        Ok(())
    }
}

/// Runs `f` on operands widened to the type of arithmetic, and cuts or rounds the result to `to` where they are narrow.
fn with_wide(
    call: &mut Call<'_, '_>,
    to: impl Fn(DType) -> DType,
    f: impl Fn(&Call<'_, '_>, &mut Pair, DType) -> Result<(), KernelError>,
) -> Result<(), KernelError> {
    let dtype = call.tensor(0)?.dtype();
    let compute = compute_dtype(dtype);
    if compute == dtype {
        let mut pair = Pair::of_call(call, (0, 1), to(dtype))?;
        f(call, &mut pair, dtype)?;
        call.set(0, pair.out);
        return Ok(());
    }
    let (a, b) = (call.tensor(0)?, call.tensor(1)?);
    if b.dtype() != dtype {
        let expected = dtype.to_string();
        return Err(KernelError::DType { index: 1, actual: b.dtype(), expected });
    }
    let dims = broadcast(a.dims(), b.dims())?;
    let a = cast(call.threads, call.pool(), &a, compute)?;
    let b = cast(call.threads, call.pool(), &b, compute)?;
    let mut out = call.alloc(0, to(dtype), &dims)?;
    if to(compute) == to(dtype) {
        let mut pair = Pair { a: Some(a), b: Some(b), out };
        f(call, &mut pair, compute)?;
        out = pair.out;
    } else {
        let mut pair = Pair { a: Some(a), b: Some(b), out: call.temp(to(compute), &dims)? };
        f(call, &mut pair, compute)?;
        convert_into(call.threads, &pair.out, &mut out, Default::default())?;
    }
    call.set(0, out);
    Ok(())
}

/// Fails if the divisors contain a zero: integers have no quotient then.
fn no_zero<T: Element>(pair: &Pair) -> Result<(), KernelError> {
    let divisors = pair.b.as_ref().unwrap_or(&pair.out).slice::<T>()?;
    if divisors.contains(&T::default()) && !pair.out.is_empty() {
        return Err(KernelError::domain("an integer is divided by zero"));
    }
    Ok(())
}

fn arithmetic(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    with_wide(
        call,
        |d| d,
        |call, pair, dtype| {
            let (t, kind) = (call.threads, call.op.kind);
            let fmod = call.op.flag("fmod");
            let alpha = call.op.float("alpha").unwrap_or(1.0);
            macro_rules! floats {
                ($t:ident) => {
                    match kind {
                        OpKind::Add => pair.map(t, 1, |a: $t, b: $t| a + b),
                        OpKind::Sub => pair.map(t, 1, |a: $t, b: $t| a - b),
                        OpKind::Mul => pair.map(t, 1, |a: $t, b: $t| a * b),
                        OpKind::Div => pair.map(t, 1, |a: $t, b: $t| a / b),
                        OpKind::Mod if fmod => pair.map(t, 16, |a: $t, b: $t| a % b),
                        OpKind::Mod => pair.map(t, 16, |a: $t, b: $t| {
                            let r = a % b;
                            if r == 0.0 {
                                (0.0 as $t).copysign(b)
                            } else if (r < 0.0) != (b < 0.0) {
                                r + b
                            } else {
                                r
                            }
                        }),
                        OpKind::PRelu => {
                            pair.map(t, 1, |x: $t, slope: $t| if x < 0.0 { x * slope } else { x })
                        }
                        OpKind::SwiGLU => {
                            let alpha = alpha as $t;
                            pair.map(t, 32, |a: $t, b: $t| a / (1.0 + (-alpha * a).exp()) * b)
                        }
                        other => unknown(other),
                    }
                };
            }
            macro_rules! ints {
                ($t:ident) => {
                    match kind {
                        OpKind::Add => pair.map(t, 1, $t::wrapping_add),
                        OpKind::Sub => pair.map(t, 1, $t::wrapping_sub),
                        OpKind::Mul => pair.map(t, 1, $t::wrapping_mul),
                        OpKind::Div | OpKind::Mod => {
                            no_zero::<$t>(pair)?;
                            match kind {
                                OpKind::Div => pair.map(t, 8, $t::wrapping_div),
                                _ if fmod => pair.map(t, 8, $t::wrapping_rem),
                                _ => pair.map(t, 8, <$t as Integer>::floor_mod),
                            }
                        }
                        OpKind::PRelu => pair.map(t, 1, |x: $t, slope: $t| {
                            if <$t as Integer>::negative(x) { x.wrapping_mul(slope) } else { x }
                        }),
                        other => unknown(other),
                    }
                };
            }
            match dtype {
                DType::F32 => floats!(f32),
                DType::F64 => floats!(f64),
                DType::I32 => ints!(i32),
                DType::I64 => ints!(i64),
                DType::U64 => ints!(u64),
                other => Err(KernelError::Unsupported(other)),
            }
        },
    )
}

fn unknown<T>(kind: OpKind) -> Result<T, KernelError> {
    Err(KernelError::domain(format!("`{}` is not defined for this element type", kind.decl().name)))
}

fn compare(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let dtype = call.tensor(0)?.dtype();
    if dtype == DType::Str && call.op.kind == OpKind::Equal {
        return equal_strings(call);
    }
    with_wide(
        call,
        |_| DType::Bool,
        |call, pair, dtype| {
            let (t, kind) = (call.threads, call.op.kind);
            macro_rules! ordered {
                ($t:ident) => {
                    match kind {
                        OpKind::Equal => pair.map(t, 1, |a: $t, b: $t| B8::from(a == b)),
                        OpKind::Greater => pair.map(t, 1, |a: $t, b: $t| B8::from(a > b)),
                        OpKind::GreaterOrEqual => pair.map(t, 1, |a: $t, b: $t| B8::from(a >= b)),
                        OpKind::Less => pair.map(t, 1, |a: $t, b: $t| B8::from(a < b)),
                        OpKind::LessOrEqual => pair.map(t, 1, |a: $t, b: $t| B8::from(a <= b)),
                        other => unknown(other),
                    }
                };
            }
            match (dtype, kind) {
                (DType::F32, _) => ordered!(f32),
                (DType::F64, _) => ordered!(f64),
                (DType::I32, _) => ordered!(i32),
                (DType::I64, _) => ordered!(i64),
                (DType::U64, _) => ordered!(u64),
                (DType::Bool, kind) => {
                    // Whether the relation holds where a < b, a = b and a > b.
                    let (less, equal, greater) = match kind {
                        OpKind::Equal => (false, true, false),
                        OpKind::Greater => (false, false, true),
                        OpKind::GreaterOrEqual => (false, true, true),
                        OpKind::Less => (true, false, false),
                        OpKind::LessOrEqual => (true, true, false),
                        other => return unknown(other),
                    };
                    pair.map(t, 1, |a: B8, b: B8| {
                        let (a, b) = (bool::from(a), bool::from(b));
                        B8::from(!a & b & less | (a == b) & equal | a & !b & greater)
                    })
                }
                (DType::C64, OpKind::Equal) => pair.map(t, 1, |a: C64, b: C64| B8::from(a == b)),
                (DType::C128, OpKind::Equal) => pair.map(t, 1, |a: C128, b: C128| B8::from(a == b)),
                (other, _) => Err(KernelError::Unsupported(other)),
            }
        },
    )
}

fn equal_strings(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let (a, b) = (call.tensor(0)?, call.tensor(1)?);
    let dims = broadcast(a.dims(), b.dims())?;
    let mut out = call.alloc(0, DType::Bool, &dims)?;
    let (x, y) = (a.strings()?, b.strings()?);
    let rows = Rows::new(&dims, [a.dims(), b.dims()]);
    let slots = out.slice_mut::<B8>()?;
    rows.for_parts(0, slots.len(), |r, [i, j]| {
        for (k, o) in slots[r].iter_mut().enumerate() {
            let at = |start: usize, advances: bool| if advances { start + k } else { start };
            *o = B8::from(x[at(i, rows.advances[0])] == y[at(j, rows.advances[1])]);
        }
    });
    call.set(0, out);
    Ok(())
}

fn logical(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let mut pair = Pair::of_call(call, (0, 1), DType::Bool)?;
    let t = call.threads;
    match call.op.kind {
        OpKind::And => {
            pair.map(t, 1, |a: B8, b: B8| B8(u8::from(a.0 != 0) & u8::from(b.0 != 0)))?
        }
        OpKind::Or => pair.map(t, 1, |a: B8, b: B8| B8(u8::from(a.0 != 0) | u8::from(b.0 != 0)))?,
        OpKind::Xor => {
            pair.map(t, 1, |a: B8, b: B8| B8(u8::from(a.0 != 0) ^ u8::from(b.0 != 0)))?
        }
        other => return unknown(other),
    }
    call.set(0, pair.out);
    Ok(())
}

fn bitwise(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let left = match (call.op.kind, call.op.str("direction")) {
        (OpKind::BitShift, Some("LEFT")) => true,
        (OpKind::BitShift, Some("RIGHT")) => false,
        (OpKind::BitShift, other) => {
            return Err(KernelError::attr(
                "direction",
                format!("{other:?} is neither LEFT nor RIGHT"),
            ));
        }
        _ => false,
    };
    // Shifting an i64 beyond the bits of a narrower type gives what the narrower type gives, once cut.
    with_wide(
        call,
        |d| d,
        |call, pair, dtype| {
            let (t, kind) = (call.threads, call.op.kind);
            macro_rules! ints {
                ($t:ident) => {
                    match kind {
                        OpKind::BitwiseAnd => pair.map(t, 1, |a: $t, b: $t| a & b),
                        OpKind::BitwiseOr => pair.map(t, 1, |a: $t, b: $t| a | b),
                        OpKind::BitwiseXor => pair.map(t, 1, |a: $t, b: $t| a ^ b),
                        OpKind::BitShift if left => pair.map(t, 2, <$t as Integer>::shift_left),
                        OpKind::BitShift => pair.map(t, 2, <$t as Integer>::shift_right),
                        other => unknown(other),
                    }
                };
            }
            match dtype {
                DType::I32 => ints!(i32),
                DType::I64 => ints!(i64),
                DType::U64 => ints!(u64),
                other => Err(KernelError::Unsupported(other)),
            }
        },
    )
}

/// `x` to the power of `y`, whose types may differ, in the type of `x`.
fn power(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let (x, y) = (call.tensor(0)?, call.tensor(1)?);
    let dtype = x.dtype();
    let dims = broadcast(x.dims(), y.dims())?;
    let integral = dtype.is_int() && y.dtype().is_int();
    // Integers to a power that is no integer are computed in f64, which is exact for what fits 53 bits.
    let compute = match compute_dtype(dtype) {
        DType::F32 if matches!(y.dtype(), DType::F64 | DType::I64 | DType::U64) => DType::F32,
        DType::F32 => DType::F32,
        DType::I32 | DType::I64 if integral => DType::I64,
        DType::U64 if integral => DType::U64,
        DType::F64 | DType::I32 | DType::I64 | DType::U64 => DType::F64,
        other => return Err(KernelError::Unsupported(other)),
    };
    if !matches!(
        compute_dtype(y.dtype()),
        DType::F32 | DType::F64 | DType::I32 | DType::I64 | DType::U64
    ) {
        return Err(KernelError::Unsupported(y.dtype()));
    }
    let t = call.threads;
    let exponent =
        cast(t, call.pool(), &y, if compute == DType::U64 { DType::I64 } else { compute })?;
    if compute == DType::I64 || compute == DType::U64 {
        let base = cast(t, call.pool(), &x, DType::I64)?;
        let mut pair =
            Pair { a: Some(base), b: Some(exponent), out: call.temp(DType::I64, &dims)? };
        if y.dtype().class() == trident_ir::dtype::Class::Int {
            let exponents = pair.b.as_ref().map_or(Ok(&[][..]), |b| b.slice::<i64>())?;
            if exponents.iter().any(|&e| e < 0)
                && pair.a.as_ref().is_some_and(|a| a.slice::<i64>().is_ok_and(|a| a.contains(&0)))
            {
                return Err(KernelError::domain("zero to a negative integer power"));
            }
        }
        // Wrapped to 64 bits; cutting to the type wraps to its own width.
        pair.map(t, 16, integer_power)?;
        let mut out = call.alloc(0, dtype, &dims)?;
        convert_into(t, &pair.out, &mut out, Default::default())?;
        call.set(0, out);
        return Ok(());
    }
    let mut pair = if x.dtype() == compute {
        let place = if x.dims() == dims {
            drop(x);
            call.reuse(0, compute, &dims)
        } else {
            None
        };
        match place {
            Some(out) => Pair::in_place(out, exponent),
            None => Pair {
                a: Some(call.tensor(0)?),
                b: Some(exponent),
                out: call.alloc(0, compute, &dims)?,
            },
        }
    } else {
        let base = cast(t, call.pool(), &x, compute)?;
        Pair { a: Some(base), b: Some(exponent), out: call.temp(compute, &dims)? }
    };
    macro_rules! floats {
        ($t:ident) => {{
            let one = match pair.b.as_ref().map(|b| b.slice::<$t>()).transpose()? {
                Some([e]) => Some(*e),
                _ => None,
            };
            match one {
                Some(2.0) => pair.map(t, 1, |a: $t, _| a * a)?,
                Some(3.0) => pair.map(t, 1, |a: $t, _| a * a * a)?,
                Some(0.5) => pair.map(t, 4, |a: $t, _| {
                    if a == $t::NEG_INFINITY { $t::INFINITY } else { (a + 0.0).sqrt() }
                })?,
                Some(-1.0) => pair.map(t, 4, |a: $t, _| 1.0 / a)?,
                _ => pair.map(t, 64, $t::powf)?,
            }
        }};
    }
    match compute {
        DType::F32 => floats!(f32),
        _ => floats!(f64),
    }
    if dtype == compute {
        call.set(0, pair.out);
        return Ok(());
    }
    let mut out = call.alloc(0, dtype, &dims)?;
    convert_into(t, &pair.out, &mut out, Default::default())?;
    call.set(0, out);
    Ok(())
}
