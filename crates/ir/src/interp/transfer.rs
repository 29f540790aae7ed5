//! Loads and stores.

use super::block::pointee;
use super::error::Trap;
use super::machine::{Machine, Site, Values};
use super::memory::{AccessFault, Memory};
use super::number::{mask, poison};
use super::value::Block;
use crate::{DType, OpKind};

pub(super) fn run(machine: &mut Machine<'_>, site: &Site<'_>) -> Values {
    match site.op.kind {
        OpKind::Load => {
            let block = load(machine.memory, site, site.optional(1), site.optional(2))?;
            Ok(vec![block.into()])
        }
        _ => {
            store(machine.memory, site, site.block(1)?, site.optional(2))?;
            Ok(vec![])
        }
    }
}

/// The element type that the pointers of operand 0 point to.
pub(super) fn target(site: &Site<'_>) -> Result<DType, Trap> {
    Ok(pointee(site.func.ty(site.op.input(0).ok_or(Trap::Unknown)?)))
}

/// Whether place `i` takes part.
pub(super) fn holds(mask: Option<&Block>, i: usize) -> bool {
    mask.is_none_or(|mask| mask.bits[i] != 0)
}

/// One element; a truth value in memory is any byte but 0.
pub(super) fn read(memory: &Memory, dtype: DType, address: u64) -> Result<u64, AccessFault> {
    let bits = memory.read(address, dtype.size())?;
    Ok(if dtype == DType::Bool { u64::from(bits != 0) } else { bits })
}

pub(super) fn write(
    memory: &mut Memory,
    dtype: DType,
    address: u64,
    bits: u64,
) -> Result<(), AccessFault> {
    memory.write(address, dtype.size(), mask(dtype, bits))
}

/// Reads through the pointers of operand 0.
pub(super) fn load(
    memory: &Memory,
    site: &Site<'_>,
    mask: Option<&Block>,
    other: Option<&Block>,
) -> Result<Block, Trap> {
    let (ptr, dtype) = (site.block(0)?, target(site)?);
    let element = |i: usize| match holds(mask, i) {
        true => read(memory, dtype, ptr.bits[i]),
        false => Ok(other.map_or(poison(dtype), |other| other.bits[i])),
    };
    let bits = (0..ptr.bits.len()).map(element).collect::<Result<_, _>>()?;
    Ok(Block::new(dtype, &ptr.dims, bits))
}

/// Writes through the pointers of operand 0; of several elements for one place the last stays.
pub(super) fn store(
    memory: &mut Memory,
    site: &Site<'_>,
    value: &Block,
    mask: Option<&Block>,
) -> Result<(), Trap> {
    let ptr = site.block(0)?;
    for (i, (&address, &bits)) in ptr.bits.iter().zip(&value.bits[..]).enumerate() {
        if holds(mask, i) {
            write(memory, value.dtype, address, bits)?;
        }
    }
    Ok(())
}
