//! Descriptors: blocks of a tensor that may reach beyond it.

use super::block::places;
use super::error::Trap;
use super::machine::{Machine, Site, Values};
use super::number::{from_float, int};
use super::value::{Block, Descriptor, InterpValue};
use super::{atomic, transfer};
use crate::op::words::DescriptorPadding;
use crate::{DType, OpKind, Type, ops};
use OpKind as K;
use std::sync::Arc;

pub(super) fn has(kind: OpKind) -> bool {
    matches!(
        kind,
        K::MakeDescriptor
            | K::DescriptorLoad
            | K::DescriptorStore
            | K::DescriptorReduce
            | K::DescriptorGather
            | K::DescriptorScatter
    )
}

pub(super) fn run(machine: &mut Machine<'_>, site: &Site<'_>) -> Values {
    let memory = &mut *machine.memory;
    match site.op.kind {
        K::MakeDescriptor => Ok(vec![make(site)?]),
        K::DescriptorLoad | K::DescriptorGather => {
            let d = site.descriptor(0)?;
            let outside = if d.nan { from_float(d.dtype, f64::NAN) } else { 0 };
            let element = |address: Option<u64>| match address {
                Some(address) => transfer::read(memory, d.dtype, address),
                None => Ok(outside),
            };
            let bits = addresses(site, 1)?.into_iter().map(element).collect::<Result<_, _>>()?;
            // An unused result is read all the same.
            let Some(ty) = site.result(0) else { return Ok(vec![]) };
            Ok(vec![Block::new(ty.dtype().unwrap_or(d.dtype), &site.result_dims(0), bits).into()])
        }
        kind => {
            let (d, value) = (site.descriptor(0)?, site.block(1)?);
            for (address, &bits) in addresses(site, 2)?.into_iter().zip(&value.bits[..]) {
                let Some(address) = address else { continue };
                let bits = match kind {
                    K::DescriptorReduce => {
                        let op = ops::DescriptorReduce::of(site.op).ok_or(Trap::Unknown)?.op();
                        let former = transfer::read(memory, d.dtype, address)?;
                        atomic::combine(op.into(), d.dtype, former, bits)
                    }
                    _ => bits,
                };
                transfer::write(memory, d.dtype, address, bits)?;
            }
            Ok(vec![])
        }
    }
}

fn make(site: &Site<'_>) -> Result<InterpValue, Trap> {
    let Some(Type::Descriptor(ty)) = site.result(0) else { return Err(Trap::Unknown) };
    let rank = ty.block.len();
    let numbers = |from: usize| -> Result<Vec<i64>, Trap> {
        (from..from + rank).map(|i| site.int(i).map(|n| n as i64)).collect()
    };
    Ok(InterpValue::Descriptor(Arc::new(Descriptor {
        dtype: ty.dtype,
        block: ty.block.clone(),
        base: site.block(0)?.first(),
        dims: numbers(1)?,
        strides: numbers(1 + rank)?,
        nan: ops::MakeDescriptor::of(site.op)
            .is_some_and(|op| op.padding() == DescriptorPadding::Nan),
    })))
}

/// The address of each element of the block, `None` outside of the tensor. Operand `first` and the following ones are
/// the offsets, or rows and a column.
fn addresses(site: &Site<'_>, first: usize) -> Result<Vec<Option<u64>>, Trap> {
    let d = site.descriptor(0)?;
    let ints = |b: &Block| b.bits.iter().map(|&bits| int(b.dtype, bits)).collect::<Vec<_>>();
    match site.op.kind {
        K::DescriptorGather | K::DescriptorScatter => {
            let rows = ints(site.block(first)?);
            let column = site.int(first + 1)?;
            let width = d.block.get(1).copied().unwrap_or(0) as i128;
            let row = |&row: &i128| {
                (column..column + width).map(move |column| address(d, &[row, column]))
            };
            Ok(rows.iter().flat_map(row).collect())
        }
        _ => {
            let start: Vec<i128> =
                (first..first + d.block.len()).map(|i| site.int(i)).collect::<Result<_, _>>()?;
            let shifted = |place: Vec<usize>| -> Vec<i128> {
                start.iter().zip(place).map(|(&start, p)| start + p as i128).collect()
            };
            Ok(places(&d.block).map(|place| address(d, &shifted(place))).collect())
        }
    }
}

/// The address of an element of the tensor, `None` outside.
fn address(d: &Descriptor, place: &[i128]) -> Option<u64> {
    let inside = place.iter().zip(&d.dims).all(|(&p, &n)| (0..i128::from(n)).contains(&p));
    let elements: i128 = place.iter().zip(&d.strides).map(|(&p, &s)| p * i128::from(s)).sum();
    let bytes = elements * DType::size(d.dtype) as i128;
    inside.then(|| d.base.wrapping_add(bytes as u64))
}
