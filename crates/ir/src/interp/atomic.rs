//! Atomic ops. Programs run one after another, so an atomic op is a plain access.

use super::error::Trap;
use super::machine::{Site, Values};
use super::memory::Memory;
use super::number::{float, from_float, from_int, int, poison};
use super::transfer::{holds, load, read, store, target, write};
use super::value::Block;
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
            let (op, dtype) = (ops::AtomicRmw::of(site.op).ok_or(Trap::Unknown)?.op(), value.dtype);
            let mut former = vec![poison(dtype); ptr.bits.len()];
            for (i, &address) in ptr.bits.iter().enumerate() {
                if holds(mask, i) {
                    former[i] = read(memory, dtype, address)?;
                    write(memory, dtype, address, combine(op, dtype, former[i], value.bits[i])?)?;
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

/// Two elements combined by the op of this name: what an atomic op leaves in memory, or lanes give together.
pub(super) fn combine(op: &str, dtype: DType, former: u64, value: u64) -> Result<u64, Trap> {
    let (a, b) = (int(dtype, former), int(dtype, value));
    Ok(match op {
        "add" | "fadd" if dtype.is_float() => {
            from_float(dtype, float(dtype, former) + float(dtype, value))
        }
        "mul" if dtype.is_float() => from_float(dtype, float(dtype, former) * float(dtype, value)),
        // The number, if the other is NaN.
        "max" if dtype.is_float() => {
            from_float(dtype, float(dtype, former).max(float(dtype, value)))
        }
        "min" if dtype.is_float() => {
            from_float(dtype, float(dtype, former).min(float(dtype, value)))
        }
        "add" => from_int(dtype, a + b),
        "mul" => from_int(dtype, a.wrapping_mul(b)),
        "and" => former & value,
        "or" => former | value,
        "xor" => former ^ value,
        "max" => from_int(dtype, a.max(b)),
        "min" => from_int(dtype, a.min(b)),
        "umax" => former.max(value),
        "umin" => former.min(value),
        "exchange" => value,
        _ => return Err(Trap::Unknown),
    })
}
