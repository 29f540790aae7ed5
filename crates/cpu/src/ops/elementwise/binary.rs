//! Ops of two broadcast operands.

use super::integer::Integer;
use super::rows::{Rows, broadcast_to};
use crate::kernel::{Call, Compile, CpuKernel, Made, Prepared};
use crate::ops::convert::{cast, compute_dtype, convert_into};
use trident_ir::element::{B8, C64, C128};
use trident_ir::geometry::broadcast;
use trident_ir::op::words::ShiftDirection;
use trident_ir::ops::{Add, BitShift, Equal, Mod, SwiGLU};
use trident_ir::{DType, Element};
use trident_kernels::parallel::{for_pieces, is_short, vectorised};
use trident_kernels::threads::Threads;
use trident_runtime::{Declined, KernelError, Tensor, TensorView, TensorViewMut};

/// One operand along a row.
#[derive(Clone, Copy)]
enum Arg<'a, T> {
    /// An element for each of the row.
    Row(&'a [T]),
    /// One element for all.
    One(T),
    /// The contents of the result's memory.
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

/// Two operands. The result may have taken the memory of one of them.
pub(super) struct Pair {
    pub(super) a: Option<Tensor>,
    pub(super) b: Option<Tensor>,
    pub(super) out: Tensor,
}

impl Pair {
    /// The operands of the call, which the result overwrites if it may.
    fn of_call(call: &mut Call<'_, '_>, to: DType) -> Result<Pair, KernelError> {
        let (i, j) = (Add::AT.a, Add::AT.b);
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
        let out = call.alloc(Add::AT.c, to, &dims)?;
        Ok(Pair { a: Some(call.tensor(i)?), b: Some(call.tensor(j)?), out })
    }

    /// `out = f(out, b)`, for operands that broadcast to `out`.
    pub(super) fn in_place(out: Tensor, b: Tensor) -> Pair {
        Pair { a: None, b: Some(b), out }
    }

    /// The elements.
    fn view(&mut self) -> Result<PairView<'_>, KernelError> {
        let a = self.a.as_ref().map(Tensor::view).transpose()?;
        let b = self.b.as_ref().map(Tensor::view).transpose()?;
        Ok(PairView { a, b, out: self.out.view_mut()? })
    }

    /// `f` over the broadcast operands, into the result.
    pub(super) fn map<T: Element, U: Element>(
        &mut self,
        threads: &Threads,
        cost: usize,
        f: impl Fn(T, T) -> U + Copy + Send + Sync,
    ) -> Result<(), KernelError> {
        self.view()?.map(threads, cost, f)
    }
}

/// Elements of two operands that broadcast to those of a result, which may be in the place of one of them.
struct PairView<'a> {
    a: Option<TensorView<'a>>,
    b: Option<TensorView<'a>>,
    out: TensorViewMut<'a>,
}

impl<'a> PairView<'a> {
    /// `f` over the broadcast operands, into the result.
    fn map<T: Element, U: Element>(
        &mut self,
        threads: &Threads,
        cost: usize,
        f: impl Fn(T, T) -> U + Copy + Send + Sync,
    ) -> Result<(), KernelError> {
        let dims = self.out.dims();
        let own = |t: Option<TensorView<'a>>| t.map_or(dims, |t| t.dims());
        let rows = Rows::new(dims, [own(self.a), own(self.b)]);
        let a = self.a.map(|t| t.slice::<T>()).transpose()?;
        let b = self.b.map(|t| t.slice::<T>()).transpose()?;
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
                            row(&mut piece[r], left, right, f);
                        },
                    );
                },
            );
        });
        Ok(())
    }
}

/// The work of an op on operands of one type.
type Work = super::Work<RunPair>;

type RunPair = Box<dyn Fn(&mut PairView<'_>, &Threads) -> Result<(), KernelError> + Send + Sync>;

/// The kernel of an op that computes in the type of its operands.
struct Binary {
    name: &'static str,
    work: Work,
    from: DType,
    to: DType,
}

impl CpuKernel for Binary {
    fn name(&self) -> &str {
        self.name
    }

    fn run(&self, call: &mut Call<'_, '_>) -> Result<(), KernelError> {
        let mut pair = Pair::of_call(call, self.to)?;
        (self.work.run)(&mut pair.view()?, call.threads)?;
        call.set(Add::AT.c, pair.out);
        Ok(())
    }

    fn direct(
        &self,
        inputs: &[TensorView<'_>],
        outputs: &mut [TensorViewMut<'_>],
        threads: &Threads,
    ) -> bool {
        let ([a, b], [out]) = (inputs, outputs) else { return false };
        let types = (a.dtype(), b.dtype(), out.dtype());
        types == (self.from, self.from, self.to)
            && is_short(out.len(), self.work.cost)
            && broadcast_to(out.dims(), [a.dims(), b.dims()])
            && {
                let mut pair = PairView { a: Some(*a), b: Some(*b), out: out.reborrow() };
                (self.work.run)(&mut pair, threads).is_ok()
            }
    }
}

/// A function of two elements, as the work of an op.
fn each<T: Element, U: Element>(
    cost: usize,
    f: impl Fn(T, T) -> U + Copy + Send + Sync + 'static,
) -> Option<Work> {
    // Behind a reference, the function would be called for each element instead of being vectorised.
    Some(Work { cost, run: Box::new(move |pair, threads| pair.map(threads, cost, f)) })
}

/// The kernel that widens operands to the type of arithmetic, does the work of that type, and cuts or rounds the result where
/// it is narrow. The result is of the operands' type, or of truth values.
fn widened(cx: &Compile<'_>, truth: bool, work: impl Fn(DType) -> Option<Work>) -> Made {
    let (a, b, c) = (Add::AT.a, Add::AT.b, Add::AT.c);
    let (dtype, compute, work) = chosen(cx, a, work)?;
    let to = if truth { DType::Bool } else { dtype };
    if compute == dtype {
        return Ok(Box::new(Binary { name: cx.op.decl().name, work, from: dtype, to }));
    }
    Prepared::boxed(cx, move |call| {
        let (a, b) = (call.tensor(a)?, call.tensor(b)?);
        let dims = broadcast(a.dims(), b.dims())?;
        let a = cast(call.threads, call.pool(), &a, compute)?;
        let b = cast(call.threads, call.pool(), &b, compute)?;
        let mut out = call.alloc(c, to, &dims)?;
        if truth {
            let mut pair = Pair { a: Some(a), b: Some(b), out };
            (work.run)(&mut pair.view()?, call.threads)?;
            out = pair.out;
        } else {
            let mut pair = Pair { a: Some(a), b: Some(b), out: call.temp(compute, &dims)? };
            (work.run)(&mut pair.view()?, call.threads)?;
            convert_into(call.threads, &pair.out, &mut out, Default::default())?;
        }
        call.set(c, out);
        Ok(())
    })
}

/// The element type of operand `i`, the type that arithmetic widens it to, and the work in that.
pub(super) fn chosen<W>(
    cx: &Compile<'_>,
    i: usize,
    work: impl Fn(DType) -> Option<W>,
) -> Result<(DType, DType, W), Declined> {
    let dtype = cx.dtype(i).ok_or_else(|| cx.declined("an input is not a tensor"))?;
    let compute = compute_dtype(dtype);
    let work = work(compute);
    let none = || cx.declined(format!("there is no kernel for elements of {dtype}"));
    Ok((dtype, compute, work.ok_or_else(none)?))
}

/// Fails if the divisors contain a zero: integers have no quotient then.
fn no_zero<T: Element>(pair: &mut PairView<'_>) -> Result<(), KernelError> {
    let divisors = match &pair.b {
        Some(b) => b.slice::<T>()?,
        None => pair.out.slice_mut::<T>()?,
    };
    let has_zero = divisors.contains(&T::default());
    if has_zero && !pair.out.is_empty() {
        return Err(KernelError::domain("an integer is divided by zero"));
    }
    Ok(())
}

/// Arithmetic on two numbers.
#[derive(Clone, Copy)]
pub(super) enum Arithmetic {
    Add,
    Sub,
    Mul,
    Div,
    /// The remainder with the divisor's sign.
    Mod,
    /// The remainder with the dividend's sign.
    FMod,
    /// x, or x·slope for negative x.
    PRelu,
    /// a·sigmoid(alpha·a)·b
    SwiGlu(f32),
}

pub(super) fn remainder(cx: &Compile<'_>) -> Made {
    let fmod = cx.view(Mod::of)?.fmod();
    arithmetic(cx, if fmod { Arithmetic::FMod } else { Arithmetic::Mod })
}

pub(super) fn swiglu(cx: &Compile<'_>) -> Made {
    let alpha = cx.view(SwiGLU::of)?.alpha();
    arithmetic(cx, Arithmetic::SwiGlu(alpha))
}

pub(super) fn arithmetic(cx: &Compile<'_>, how: Arithmetic) -> Made {
    macro_rules! floats {
        ($t:ident) => {
            match how {
                Arithmetic::Add => each(1, |a: $t, b: $t| a + b),
                Arithmetic::Sub => each(1, |a: $t, b: $t| a - b),
                Arithmetic::Mul => each(1, |a: $t, b: $t| a * b),
                Arithmetic::Div => each(1, |a: $t, b: $t| a / b),
                Arithmetic::FMod => each(16, |a: $t, b: $t| a % b),
                Arithmetic::Mod => each(16, |a: $t, b: $t| {
                    let r = a % b;
                    if r == 0.0 {
                        (0.0 as $t).copysign(b)
                    } else if (r < 0.0) != (b < 0.0) {
                        r + b
                    } else {
                        r
                    }
                }),
                Arithmetic::PRelu => {
                    each(1, |x: $t, slope: $t| if x < 0.0 { x * slope } else { x })
                }
                Arithmetic::SwiGlu(alpha) => {
                    let alpha = alpha as $t;
                    each(32, move |a: $t, b: $t| a / (1.0 + (-alpha * a).exp()) * b)
                }
            }
        };
    }
    macro_rules! ints {
        ($t:ident) => {
            match how {
                Arithmetic::Add => each(1, $t::wrapping_add),
                Arithmetic::Sub => each(1, $t::wrapping_sub),
                Arithmetic::Mul => each(1, $t::wrapping_mul),
                Arithmetic::Div => divide(8, $t::wrapping_div),
                Arithmetic::FMod => divide(8, $t::wrapping_rem),
                Arithmetic::Mod => divide(8, <$t as Integer>::floor_mod),
                Arithmetic::PRelu => {
                    each(
                        1,
                        |x: $t, slope: $t| {
                            if <$t as Integer>::negative(x) { x.wrapping_mul(slope) } else { x }
                        },
                    )
                }
                Arithmetic::SwiGlu(_) => None,
            }
        };
    }
    widened(cx, false, |dtype| match dtype {
        DType::F32 => floats!(f32),
        DType::F64 => floats!(f64),
        DType::I32 => ints!(i32),
        DType::I64 => ints!(i64),
        DType::U64 => ints!(u64),
        _ => None,
    })
}

/// Like [`each`], for functions that are not defined for a second element of 0.
fn divide<T: Element>(
    cost: usize,
    f: impl Fn(T, T) -> T + Copy + Send + Sync + 'static,
) -> Option<Work> {
    let run: RunPair = Box::new(move |pair, threads| {
        no_zero::<T>(pair)?;
        pair.map(threads, cost, f)
    });
    Some(Work { cost, run })
}

/// A relation of two elements.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Relation {
    Equal,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
}

pub(super) fn compare(cx: &Compile<'_>, relation: Relation) -> Made {
    let equal = relation == Relation::Equal;
    if equal && cx.dtype(Equal::AT.a) == Some(DType::Str) {
        return Prepared::boxed(cx, equal_strings);
    }
    macro_rules! ordered {
        ($t:ident) => {
            match relation {
                Relation::Equal => each(1, |a: $t, b: $t| B8::from(a == b)),
                Relation::Greater => each(1, |a: $t, b: $t| B8::from(a > b)),
                Relation::GreaterOrEqual => each(1, |a: $t, b: $t| B8::from(a >= b)),
                Relation::Less => each(1, |a: $t, b: $t| B8::from(a < b)),
                Relation::LessOrEqual => each(1, |a: $t, b: $t| B8::from(a <= b)),
            }
        };
    }
    widened(cx, true, |dtype| match dtype {
        DType::F32 => ordered!(f32),
        DType::F64 => ordered!(f64),
        DType::I32 => ordered!(i32),
        DType::I64 => ordered!(i64),
        DType::U64 => ordered!(u64),
        DType::Bool => {
            // Whether the relation holds where a < b, a = b and a > b.
            let (less, equal, greater) = match relation {
                Relation::Equal => (false, true, false),
                Relation::Greater => (false, false, true),
                Relation::GreaterOrEqual => (false, true, true),
                Relation::Less => (true, false, false),
                Relation::LessOrEqual => (true, true, false),
            };
            each(1, move |a: B8, b: B8| {
                let (a, b) = (bool::from(a), bool::from(b));
                B8::from(!a & b & less | (a == b) & equal | a & !b & greater)
            })
        }
        DType::C64 if equal => each(1, |a: C64, b: C64| B8::from(a == b)),
        DType::C128 if equal => each(1, |a: C128, b: C128| B8::from(a == b)),
        _ => None,
    })
}

fn equal_strings(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let at = Equal::AT;
    let (a, b) = (call.tensor(at.a)?, call.tensor(at.b)?);
    let dims = broadcast(a.dims(), b.dims())?;
    let mut out = call.alloc(at.c, DType::Bool, &dims)?;
    let (x, y) = (a.strings()?, b.strings()?);
    let rows = Rows::new(&dims, [a.dims(), b.dims()]);
    let slots = out.slice_mut::<B8>()?;
    rows.for_parts(0, slots.len(), |r, [i, j]| {
        for (k, o) in slots[r].iter_mut().enumerate() {
            let place = |start: usize, advances: bool| if advances { start + k } else { start };
            *o = B8::from(x[place(i, rows.advances[0])] == y[place(j, rows.advances[1])]);
        }
    });
    call.set(at.c, out);
    Ok(())
}

/// A connective of two truth values.
#[derive(Clone, Copy)]
pub(super) enum Connective {
    And,
    Or,
    Xor,
}

pub(super) fn logical(cx: &Compile<'_>, how: Connective) -> Made {
    let truth = |v: B8| u8::from(v.0 != 0);
    widened(cx, true, |dtype| match (dtype, how) {
        (DType::Bool, Connective::And) => each(1, move |a, b| B8(truth(a) & truth(b))),
        (DType::Bool, Connective::Or) => each(1, move |a, b| B8(truth(a) | truth(b))),
        (DType::Bool, Connective::Xor) => each(1, move |a, b| B8(truth(a) ^ truth(b))),
        _ => None,
    })
}

/// A function of the bits of two integers.
#[derive(Clone, Copy)]
pub(super) enum Bits {
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
}

pub(super) fn shift(cx: &Compile<'_>) -> Made {
    let how = match cx.view(BitShift::of)?.direction() {
        ShiftDirection::Left => Bits::ShiftLeft,
        ShiftDirection::Right => Bits::ShiftRight,
    };
    // Shifting an i64 beyond the bits of a narrower type and truncating gives the narrower type's result.
    bitwise(cx, how)
}

pub(super) fn bitwise(cx: &Compile<'_>, how: Bits) -> Made {
    macro_rules! ints {
        ($t:ident) => {
            match how {
                Bits::And => each(1, |a: $t, b: $t| a & b),
                Bits::Or => each(1, |a: $t, b: $t| a | b),
                Bits::Xor => each(1, |a: $t, b: $t| a ^ b),
                Bits::ShiftLeft => each(2, <$t as Integer>::shift_left),
                Bits::ShiftRight => each(2, <$t as Integer>::shift_right),
            }
        };
    }
    widened(cx, false, |dtype| match dtype {
        DType::I32 => ints!(i32),
        DType::I64 => ints!(i64),
        DType::U64 => ints!(u64),
        _ => None,
    })
}
