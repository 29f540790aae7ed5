//! Atomic ops. Programs run one after another, so an atomic op is a plain access.

use super::error::Trap;
use super::machine::{Site, Values};
use super::memory::Memory;
use super::number::{float, from_float, from_int, int, poison};
use super::transfer::{holds, load, read, store, target, write};
use super::value::Block;
use crate::op::words::{AtomicOp, DescriptorReduction, PrefixOp, SimdReduction};
use crate::{DType, OpKind, ops};
use OpKind as K;

pub(super) fn run(memory: &mut Memory, site: &Site<'_>) -> Values {
    let result = match site.op.kind {
        K::AtomicLoad => load(memory, site, site.optional(1), None)?,
        K::AtomicStore => {
            store(memory, site, site.block(1)?, site.optional(2))?;
            return Ok(vec![]);
        }
        K::AtomicRmw => {
            let (ptr, value, mask) = (site.block(0)?, site.block(1)?, site.optional(2));
            let op = ops::AtomicRmw::of(site.op).ok_or(Trap::Unknown)?.op().into();
            let dtype = value.dtype;
            let mut former = vec![poison(dtype); ptr.bits.len()];
            for (i, &address) in ptr.bits.iter().enumerate() {
                if holds(mask, i) {
                    former[i] = read(memory, dtype, address)?;
                    write(memory, dtype, address, combine(op, dtype, former[i], value.bits[i]))?;
                }
            }
            Block::new(dtype, &ptr.dims, former)
        }
        K::AtomicCas => {
            let (ptr, expected, value) = (site.block(0)?, site.block(1)?, site.block(2)?);
            let mut former = vec![];
            for (i, &address) in ptr.bits.iter().enumerate() {
                let bits = read(memory, value.dtype, address)?;
                if bits == expected.bits[i] {
                    write(memory, value.dtype, address, value.bits[i])?;
                }
                former.push(bits);
            }
            Block::new(value.dtype, &ptr.dims, former)
        }
        K::AtomicPoll => {
            let (ptr, expected) = (site.block(0)?, site.block(1)?);
            let mut done = vec![];
            for (&address, &expected) in ptr.bits.iter().zip(&expected.bits[..]) {
                let seen = read(memory, target(site)?, address)? == expected;
                // No other program runs meanwhile, so the value cannot change.
                if !seen && site.optional(2).is_none() {
                    return Err(Trap::Wait(expected).into());
                }
                done.push(u64::from(seen));
            }
            Block::new(DType::Bool, &ptr.dims, done)
        }
        _ => return Err(Trap::Unknown.into()),
    };
    Ok(vec![result.into()])
}

/// A way to combine two elements.
#[derive(Clone, Copy)]
pub(super) enum Combination {
    Add,
    Mul,
    And,
    Or,
    Xor,
    Max,
    Min,
    UMax,
    UMin,
    Second,
}

impl From<AtomicOp> for Combination {
    fn from(op: AtomicOp) -> Combination {
        match op {
            AtomicOp::Add | AtomicOp::FAdd => Combination::Add,
            AtomicOp::And => Combination::And,
            AtomicOp::Or => Combination::Or,
            AtomicOp::Xor => Combination::Xor,
            AtomicOp::Max => Combination::Max,
            AtomicOp::Min => Combination::Min,
            AtomicOp::UMax => Combination::UMax,
            AtomicOp::UMin => Combination::UMin,
            AtomicOp::Exchange => Combination::Second,
        }
    }
}

impl From<DescriptorReduction> for Combination {
    fn from(op: DescriptorReduction) -> Combination {
        AtomicOp::from(op).into()
    }
}

impl From<SimdReduction> for Combination {
    fn from(op: SimdReduction) -> Combination {
        match op {
            SimdReduction::Add => Combination::Add,
            SimdReduction::Mul => Combination::Mul,
            SimdReduction::Min => Combination::Min,
            SimdReduction::Max => Combination::Max,
            SimdReduction::And => Combination::And,
            SimdReduction::Or => Combination::Or,
            SimdReduction::Xor => Combination::Xor,
        }
    }
}

impl From<PrefixOp> for Combination {
    fn from(op: PrefixOp) -> Combination {
        match op {
            PrefixOp::Add => Combination::Add,
            PrefixOp::Mul => Combination::Mul,
        }
    }
}

/// Two elements combined: what an atomic op leaves in memory, or lanes give together.
pub(super) fn combine(by: Combination, dtype: DType, former: u64, value: u64) -> u64 {
    let (a, b) = (int(dtype, former), int(dtype, value));
    let (x, y) = (|| float(dtype, former), || float(dtype, value));
    match (by, dtype.is_float()) {
        (Combination::Add, true) => from_float(dtype, x() + y()),
        (Combination::Mul, true) => from_float(dtype, x() * y()),
        // The number, if the other is NaN.
        (Combination::Max, true) => from_float(dtype, x().max(y())),
        (Combination::Min, true) => from_float(dtype, x().min(y())),
        (Combination::Add, false) => from_int(dtype, a + b),
        (Combination::Mul, false) => from_int(dtype, a.wrapping_mul(b)),
        (Combination::Max, false) => from_int(dtype, a.max(b)),
        (Combination::Min, false) => from_int(dtype, a.min(b)),
        (Combination::And, _) => former & value,
        (Combination::Or, _) => former | value,
        (Combination::Xor, _) => former ^ value,
        (Combination::UMax, _) => former.max(value),
        (Combination::UMin, _) => former.min(value),
        (Combination::Second, _) => value,
    }
}
