//! Ops that run a region for elements: `reduce`, `prefix_scan`, `map`.

use super::block::{offset, places};
use super::error::{Raised, Trap};
use super::machine::{Frame, Machine, Site, Values};
use super::value::{Block, InterpValue};
use crate::{OpKind as K, ops};

pub(super) fn run(machine: &mut Machine<'_>, frame: &mut Frame<'_>, site: &Site<'_>) -> Values {
    match site.op.kind {
        K::Map => map(machine, frame, site),
        _ => fold(machine, frame, site),
    }
}

/// Runs the op's region on scalars and gives the bits of what it yields.
fn region(
    machine: &mut Machine<'_>,
    frame: &mut Frame<'_>,
    site: &Site<'_>,
    args: Vec<InterpValue>,
) -> Result<Vec<u64>, Raised> {
    let region = site.op.regions.first().ok_or(Trap::Unknown)?;
    let yields = machine.block(frame, region, args)?;
    let bits = |value: InterpValue| match value {
        InterpValue::Block(block) => Ok(block.first()),
        InterpValue::Descriptor(_) => Err(Trap::Unknown.into()),
    };
    yields.into_iter().map(bits).collect()
}

/// The elements of all operands at one place.
fn elements(operands: &[&Block], at: usize) -> Vec<u64> {
    operands.iter().map(|b| b.bits[at]).collect()
}

/// Combines the elements to the left of a position with those to its right.
fn combine(
    machine: &mut Machine<'_>,
    frame: &mut Frame<'_>,
    site: &Site<'_>,
    operands: &[&Block],
    (left, right): (&[u64], &[u64]),
) -> Result<Vec<u64>, Raised> {
    let values = operands.iter().cycle().zip(left.iter().chain(right));
    let args = values.map(|(b, &bits)| Block::one(b.dtype, bits).into()).collect();
    region(machine, frame, site, args)
}

/// A scan combines element by element along the axis. A reduction combines neighbours, then their results, and so on,
/// so that sums of narrow floats do not stop growing.
fn fold(machine: &mut Machine<'_>, frame: &mut Frame<'_>, site: &Site<'_>) -> Values {
    let operands = site.blocks()?;
    let Some(first) = operands.first() else { return Ok(vec![]) };
    let dims = first.dims.to_vec();
    let scan = ops::PrefixScan::of(site.op);
    let axis = match (scan, ops::Reduce::of(site.op)) {
        (Some(scan), _) => scan.axis(),
        (None, reduce) => reduce.ok_or(Trap::Unknown)?.axis(),
    };
    let axis = axis as usize;
    let mut others = dims.clone();
    others[axis] = 1;
    let mut scanned: Vec<Vec<u64>> = vec![vec![0; first.bits.len()]; operands.len()];
    let mut reduced: Vec<Vec<u64>> = vec![vec![]; operands.len()];
    for mut place in places(&others) {
        let mut line: Vec<(usize, Vec<u64>)> = vec![];
        for step in 0..dims[axis] {
            place[axis] = step;
            let at = offset(&dims, &place);
            line.push((at, elements(&operands, at)));
        }
        if let Some(scan) = scan {
            if scan.reverse() {
                line.reverse();
            }
            for i in 0..line.len() {
                if i > 0 {
                    let pair = (&line[i - 1].1[..], &line[i].1[..]);
                    line[i].1 = combine(machine, frame, site, &operands, pair)?;
                }
                for (bits, &value) in scanned.iter_mut().zip(&line[i].1) {
                    bits[line[i].0] = value;
                }
            }
            continue;
        }
        let mut line: Vec<Vec<u64>> = line.into_iter().map(|(_, values)| values).collect();
        while line.len() > 1 {
            let mut shorter = Vec::with_capacity(line.len().div_ceil(2));
            for pair in line.chunks(2) {
                shorter.push(match pair {
                    [left, right] => combine(machine, frame, site, &operands, (left, right))?,
                    _ => pair.concat(),
                });
            }
            line = shorter;
        }
        for (bits, value) in reduced.iter_mut().zip(line.concat()) {
            bits.push(value);
        }
    }
    let others: Vec<usize> = (0..dims.len()).filter(|&i| i != axis).map(|i| dims[i]).collect();
    let (dims, all) = if scan.is_some() { (dims, scanned) } else { (others, reduced) };
    Ok(operands.iter().zip(all).map(|(b, bits)| Block::new(b.dtype, &dims, bits).into()).collect())
}

fn map(machine: &mut Machine<'_>, frame: &mut Frame<'_>, site: &Site<'_>) -> Values {
    let operands = site.blocks()?;
    let Some(first) = operands.first() else { return Ok(vec![]) };
    let pack = ops::Map::of(site.op).ok_or(Trap::Unknown)?.pack() as usize;
    let mut results: Vec<Vec<u64>> = vec![vec![]; site.op.outputs.len()];
    for start in (0..first.bits.len()).step_by(pack) {
        let run = |b: &&Block| -> Vec<InterpValue> {
            (start..start + pack).map(|at| Block::one(b.dtype, b.bits[at]).into()).collect()
        };
        let yields = region(machine, frame, site, operands.iter().flat_map(run).collect())?;
        for (bits, run) in results.iter_mut().zip(yields.chunks(pack)) {
            bits.extend(run);
        }
    }
    // Elements of an unused result have no type, and need none.
    let block = |(i, bits): (usize, Vec<u64>)| {
        let dtype = site.result(i).and_then(crate::Type::dtype).unwrap_or(crate::DType::U64);
        Block::new(dtype, &first.dims, bits).into()
    };
    Ok(results.into_iter().enumerate().map(block).collect())
}
