//! Collective ops of threads: barriers, and exchanges between the lanes of a simdgroup.

use super::Threadgroup;
use super::flow::Results;
use crate::interp::atomic::{Combination, combine};
use crate::interp::error::Trap;
use crate::interp::machine::Site;
use crate::interp::number::{from_float, from_int};
use crate::interp::value::{Block, InterpValue};
use crate::lane::SIMDGROUP;
use crate::op::words::{BarrierMemory, PrefixOp};
use crate::{DType, OpKind, ops};
use OpKind as K;
use std::ops::Range;

/// A fault, and the lane that has it.
pub(super) struct Fault {
    lane: usize,
    trap: Box<Trap>,
}

impl Fault {
    fn at(lane: usize, trap: Trap) -> Fault {
        Fault { lane, trap: Box::new(trap) }
    }
}

impl<T: Into<Trap>> From<T> for Fault {
    fn from(trap: T) -> Fault {
        Fault::at(0, trap.into())
    }
}

impl<'m> Threadgroup<'m> {
    /// An op of all threads, or of simdgroups one by one.
    pub(super) fn together(&mut self, active: &[usize], sites: &[Site<'m>]) -> Results {
        let (mut rest, mut results) = (sites, vec![]);
        let whole = sites.first().is_some_and(|site| site.op.kind == K::ThreadgroupBarrier);
        for lanes in active.chunk_by(|a, b| whole || a / SIMDGROUP == b / SIMDGROUP) {
            let (sites, others) = rest.split_at(lanes.len());
            let outcome = if whole { self.barrier(lanes, sites) } else { self.simd(lanes, sites) };
            match outcome {
                Ok(values) => results.extend(values),
                Err(Fault { lane, trap }) => {
                    return Err(self.error_at(&sites[lane], lanes[lane], *trap));
                }
            }
            rest = others;
        }
        Ok(results)
    }

    /// An error unless exactly these threads are active.
    fn arrived(&self, threads: Range<usize>, active: &[usize]) -> Result<(), Trap> {
        let arrived = |thread: &usize, active: &[usize]| active.binary_search(thread).is_ok();
        let Some(thread) = threads.into_iter().find(|thread| !arrived(thread, active)) else {
            return Ok(());
        };
        let fork = self.path.iter().find(|fork| !arrived(&thread, &fork.active));
        let at = fork.map_or("the call".into(), |fork| fork.op.describe());
        Err(Trap::Divergent { thread, at })
    }

    fn barrier(
        &mut self,
        active: &[usize],
        sites: &[Site<'m>],
    ) -> Result<Vec<Vec<InterpValue>>, Fault> {
        self.arrived(0..self.threads, active)?;
        self.races.barrier(memory(sites), None);
        Ok(vec![vec![]; active.len()])
    }

    /// An op of a simdgroup with these active lanes.
    fn simd(
        &mut self,
        lanes: &[usize],
        sites: &[Site<'m>],
    ) -> Result<Vec<Vec<InterpValue>>, Fault> {
        let (Some(&first), Some(site)) = (lanes.first(), sites.first()) else { return Ok(vec![]) };
        let start = first / SIMDGROUP * SIMDGROUP;
        self.arrived(start..self.threads.min(start + SIMDGROUP), lanes)?;
        let alike = |block: Block| vec![block; lanes.len()];
        let blocks = match site.op.kind {
            K::SimdgroupBarrier => {
                self.races.barrier(memory(sites), Some(first / SIMDGROUP));
                return Ok(vec![vec![]; lanes.len()]);
            }
            K::SimdShuffle => shuffled(sites)?,
            K::SimdShuffleXor | K::SimdShuffleUp | K::SimdShuffleDown => {
                uniform(lanes, sites, 1)?;
                shuffled(sites)?
            }
            K::SimdReduce => alike(reduced(sites)?),
            K::SimdPrefix => prefixes(sites)?,
            K::SimdBallot | K::SimdAll | K::SimdAny => alike(vote(sites)?),
            _ => {
                // A matrix is the simdgroup's: it is the same whichever lane is asked.
                (0..site.op.inputs.len()).try_for_each(|i| uniform(lanes, sites, i))?;
                if lanes.len() < SIMDGROUP {
                    return Err(Trap::PartialSimdgroup(lanes.len()).into());
                }
                return Ok(vec![self.matrix(first, site)?; lanes.len()]);
            }
        };
        Ok(blocks.into_iter().map(|block| vec![block.into()]).collect())
    }
}

/// The memory that a barrier is for.
fn memory(sites: &[Site<'_>]) -> BarrierMemory {
    let Some(op) = sites.first().map(|site| site.op) else { return BarrierMemory::None };
    let group = ops::ThreadgroupBarrier::of(op).map(|op| op.memory());
    let simd = || ops::SimdgroupBarrier::of(op).map(|op| op.memory());
    group.or_else(simd).unwrap_or(BarrierMemory::None)
}

/// An error unless an operand is the same in all lanes.
fn uniform(lanes: &[usize], sites: &[Site<'_>], index: usize) -> Result<(), Fault> {
    let Some(first) = sites.first() else { return Ok(()) };
    for (lane, site) in sites.iter().enumerate() {
        if site.block(index)? != first.block(index)? {
            return Err(Fault::at(lane, Trap::NotUniform { index, thread: lanes[0] }));
        }
    }
    Ok(())
}

fn shuffled(sites: &[Site<'_>]) -> Result<Vec<Block>, Fault> {
    let width = SIMDGROUP as i128;
    let from = |(lane, site): (usize, &Site<'_>)| {
        let (own, by) = (lane as i128, site.int(1)?);
        let far = !(0..width).contains(&by);
        let from = match site.op.kind {
            K::SimdShuffle => by,
            K::SimdShuffleXor => own ^ by,
            _ if far => return Err(Fault::at(lane, Trap::NoLane { lane: by, lanes: SIMDGROUP })),
            K::SimdShuffleUp if by <= own => own - by,
            K::SimdShuffleDown if own + by < width => own + by,
            _ => own,
        };
        let source = usize::try_from(from).ok().and_then(|from| sites.get(from));
        let missing = || Fault::at(lane, Trap::NoLane { lane: from, lanes: sites.len() });
        Ok(source.ok_or_else(missing)?.block(0)?.clone())
    };
    sites.iter().enumerate().map(from).collect()
}

/// Element by element.
fn merged(by: Combination, a: &Block, b: &Block) -> Block {
    let bits = a.bits.iter().zip(&b.bits[..]).map(|(&a_, &b_)| combine(by, a.dtype, a_, b_));
    Block::new(a.dtype, &a.dims, bits.collect())
}

/// Neighbours are combined, then their results and so on.
fn reduced(sites: &[Site<'_>]) -> Result<Block, Trap> {
    let mut row: Vec<Block> =
        sites.iter().map(|site| site.block(0).cloned()).collect::<Result<_, _>>()?;
    let op = sites.first().and_then(|site| ops::SimdReduce::of(site.op)).ok_or(Trap::Unknown)?.op();
    while row.len() > 1 {
        let pairs = row.chunks(2).map(|pair| match pair {
            [left, right] => merged(op.into(), left, right),
            _ => pair[0].clone(),
        });
        row = pairs.collect();
    }
    row.pop().ok_or(Trap::Unknown)
}

fn prefixes(sites: &[Site<'_>]) -> Result<Vec<Block>, Trap> {
    let Some(site) = sites.first() else { return Ok(vec![]) };
    let op = ops::SimdPrefix::of(site.op).ok_or(Trap::Unknown)?;
    let (op, exclusive) = (op.op(), op.exclusive());
    let x = site.block(0)?;
    let neutral = match (op, x.dtype.is_float()) {
        (PrefixOp::Mul, true) => from_float(x.dtype, 1.0),
        (PrefixOp::Mul, false) => from_int(x.dtype, 1),
        (PrefixOp::Add, _) => 0,
    };
    let mut so_far = Block::new(x.dtype, &x.dims, vec![neutral; x.bits.len()]);
    let mut prefixes = vec![];
    for site in sites {
        let next = match prefixes.is_empty() {
            true => site.block(0)?.clone(),
            false => merged(op.into(), &so_far, site.block(0)?),
        };
        prefixes.push(if exclusive { so_far } else { next.clone() });
        so_far = next;
    }
    Ok(prefixes)
}

fn vote(sites: &[Site<'_>]) -> Result<Block, Trap> {
    let holds = |(lane, site): (usize, &Site<'_>)| Ok(u64::from(site.int(0)? != 0) << lane);
    let bits: Vec<u64> = sites.iter().enumerate().map(holds).collect::<Result<_, Trap>>()?;
    let ballot = bits.iter().sum::<u64>();
    Ok(match sites.first().map(|site| site.op.kind) {
        Some(K::SimdBallot) => Block::one(DType::U32, ballot),
        Some(K::SimdAll) => Block::one(DType::Bool, (bits.iter().all(|&bit| bit != 0)).into()),
        _ => Block::one(DType::Bool, (ballot != 0).into()),
    })
}
