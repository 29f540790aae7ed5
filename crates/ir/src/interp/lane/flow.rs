//! Runs blocks of ops for the active threads.

use super::{Fork, Threadgroup};
use crate::interp::error::{InterpError, Raised, Trap};
use crate::interp::machine::{Frame, MAX_DEPTH, Site, Values, is_idle};
use crate::interp::number::from_int;
use crate::interp::value::{Block, InterpValue};
use crate::lane::SIMDGROUP;
use crate::op::Group;
use crate::{DType, Func, Op, OpKind};
use OpKind as K;

/// The results for each of the active threads.
pub(super) type Results = Result<Vec<Vec<InterpValue>>, InterpError>;

/// A thread in a `for`.
struct Count {
    dtype: DType,
    next: i128,
    upper: i128,
    step: i128,
    carried: Vec<InterpValue>,
}

impl<'m> Threadgroup<'m> {
    /// Runs a function; its arrays end with it. Threads are named by their index, in ascending order.
    pub(super) fn call(
        &mut self,
        func: &'m Func,
        active: &[usize],
        args: Vec<Vec<InterpValue>>,
    ) -> Results {
        let arrays = self.local.len();
        let mut frames: Vec<_> = (0..self.threads).map(|_| Frame::new(func)).collect();
        let results = self.block(&mut frames, active, &func.body, args);
        self.local.truncate(arrays);
        results
    }

    fn block(
        &mut self,
        frames: &mut [Frame<'m>],
        active: &[usize],
        block: &'m crate::Block,
        args: Vec<Vec<InterpValue>>,
    ) -> Results {
        let Some(&first) = active.first() else { return Ok(vec![]) };
        let func = frames[first].func;
        if self.machine.depth == MAX_DEPTH {
            return Err(self.error(func, None, first, Trap::TooDeep(MAX_DEPTH)));
        }
        self.machine.depth += 1;
        for (&thread, args) in active.iter().zip(args) {
            frames[thread].enter(block, args);
        }
        for op in &block.ops {
            let results = self.op(frames, active, op)?;
            for (&thread, results) in active.iter().zip(results) {
                frames[thread].define(op, results);
            }
        }
        self.machine.depth -= 1;
        let results = active.iter().map(|&thread| {
            let results = frames[thread].results(block);
            results.map_err(|fault| self.error(func, None, thread, fault))
        });
        results.collect()
    }

    fn op(&mut self, frames: &mut [Frame<'m>], active: &[usize], op: &'m Op) -> Results {
        if is_idle(op) {
            return Ok(vec![vec![]; active.len()]);
        }
        let site = |&thread: &usize| {
            let frame = &frames[thread];
            Site::new(frame, op)
                .map_err(|fault| self.error(frame.func, Some(op.name()), thread, fault))
        };
        let sites = active.iter().map(site).collect::<Result<Vec<Site<'m>>, _>>()?;
        self.spend(active, &sites)?;
        match (op.kind, op.decl().group) {
            (K::If, _) => self.branch(frames, active, &sites, op),
            (K::For, _) => self.counted(frames, active, &sites, op),
            (K::While, _) => self.conditional(frames, active, &sites, op),
            (K::Call, _) => {
                let args = self.each(active, &sites, |_, _, site| Ok(site.values(0)?))?;
                let callee = self.each(active, &sites, |g, _, _| Ok(g.machine.callee(op)?))?;
                callee.first().map_or(Ok(vec![]), |callee| self.call(callee, active, args))
            }
            (K::Alloc, _) => self.alloc(active, &sites),
            (_, Group::Together) => self.together(active, &sites),
            _ => self.each(active, &sites, Self::alone),
        }
    }

    /// Runs something for each thread.
    pub(super) fn each<T>(
        &mut self,
        active: &[usize],
        sites: &[Site<'m>],
        mut run: impl FnMut(&mut Self, usize, &Site<'m>) -> Result<T, Raised>,
    ) -> Result<Vec<T>, InterpError> {
        let one = |(&thread, site): (&usize, &Site<'m>)| {
            run(self, thread, site).map_err(|raised| match raised {
                Raised::Here(fault) => self.error_at(site, thread, fault),
                Raised::Below(error) => *error,
            })
        };
        active.iter().zip(sites).map(one).collect()
    }

    /// Counts an op of all these threads.
    fn spend(&mut self, active: &[usize], sites: &[Site<'m>]) -> Result<(), InterpError> {
        self.each(active, sites, |group, _, _| Ok(group.machine.spend(1)?)).map(drop)
    }

    /// An op that no other thread has to do with.
    fn alone(&mut self, thread: usize, site: &Site<'m>) -> Values {
        let place = match site.op.kind {
            K::ThreadIndex => thread,
            K::SimdgroupIndex => thread / SIMDGROUP,
            K::LaneIndex => thread % SIMDGROUP,
            K::Load | K::Store => return self.transfer(thread, site),
            K::DeviceFence => {
                self.races.fence();
                return Ok(vec![]);
            }
            K::AtomicLoad | K::AtomicStore | K::AtomicRmw | K::AtomicCas => {
                return self.atomic(thread, site);
            }
            _ => return self.machine.plain(site),
        };
        Ok(vec![InterpValue::scalar(place as i32)])
    }

    /// Runs a region for some threads.
    fn region(
        &mut self,
        frames: &mut [Frame<'m>],
        threads: Vec<usize>,
        (op, region): (&'m Op, usize),
        args: Vec<Vec<InterpValue>>,
    ) -> Results {
        let Some(region) = op.regions.get(region) else { return Ok(vec![]) };
        self.path.push(Fork { op, active: threads.clone() });
        let results = self.block(frames, &threads, region, args);
        self.path.pop();
        results
    }

    fn branch(
        &mut self,
        frames: &mut [Frame<'m>],
        active: &[usize],
        sites: &[Site<'m>],
        op: &'m Op,
    ) -> Results {
        let conditions = self.each(active, sites, |_, _, site| Ok(site.int(0)? != 0))?;
        let mut results = vec![vec![]; active.len()];
        for (region, branch) in [true, false].into_iter().enumerate() {
            let takers: Vec<usize> =
                (0..active.len()).filter(|&i| conditions[i] == branch).collect();
            let threads: Vec<usize> = takers.iter().map(|&i| active[i]).collect();
            let args = vec![vec![]; threads.len()];
            let yields = self.region(frames, threads, (op, region), args)?;
            for (i, values) in takers.into_iter().zip(yields) {
                results[i] = values;
            }
        }
        Ok(results)
    }

    fn counted(
        &mut self,
        frames: &mut [Frame<'m>],
        active: &[usize],
        sites: &[Site<'m>],
        op: &'m Op,
    ) -> Results {
        let mut counts = self.each(active, sites, |_, _, site| {
            let (next, upper, step) = (site.int(0)?, site.int(1)?, site.int(2)?);
            let (dtype, carried) = (site.block(0)?.dtype, site.values(3)?);
            match step {
                1.. => Ok(Count { dtype, next, upper, step, carried }),
                _ => Err(Trap::Step(step).into()),
            }
        })?;
        loop {
            let going: Vec<usize> =
                (0..active.len()).filter(|&i| counts[i].next < counts[i].upper).collect();
            let threads: Vec<usize> = going.iter().map(|&i| active[i]).collect();
            if threads.is_empty() {
                return Ok(counts.into_iter().map(|count| count.carried).collect());
            }
            self.spend(&threads, sites)?;
            let args = going.iter().map(|&i| {
                let Count { dtype, next, carried, .. } = &counts[i];
                let counter = Block::one(*dtype, from_int(*dtype, *next)).into();
                [&[counter], &carried[..]].concat()
            });
            let args = args.collect();
            let yields = self.region(frames, threads, (op, 0), args)?;
            for (i, values) in going.into_iter().zip(yields) {
                counts[i].next += counts[i].step;
                counts[i].carried = values;
            }
        }
    }

    fn conditional(
        &mut self,
        frames: &mut [Frame<'m>],
        active: &[usize],
        sites: &[Site<'m>],
        op: &'m Op,
    ) -> Results {
        let mut values = self.each(active, sites, |_, _, site| Ok(site.values(0)?))?;
        let mut going: Vec<usize> = (0..active.len()).collect();
        let of = |places: &[usize],
                  values: &[Vec<InterpValue>]|
         -> (Vec<usize>, Vec<Vec<InterpValue>>) {
            places.iter().map(|&i| (active[i], values[i].clone())).unzip()
        };
        while !going.is_empty() {
            let (threads, args) = of(&going, &values);
            self.spend(&threads, sites)?;
            let yields = self.region(frames, threads, (op, 0), args)?;
            let mut further = vec![];
            for (i, yielded) in going.into_iter().zip(yields) {
                let mut yielded = yielded.into_iter();
                if matches!(yielded.next(), Some(InterpValue::Block(go)) if go.first() != 0) {
                    further.push(i);
                }
                values[i] = yielded.collect();
            }
            let (threads, args) = of(&further, &values);
            let yields = self.region(frames, threads, (op, 1), args)?;
            for (&i, yielded) in further.iter().zip(yields) {
                values[i] = yielded;
            }
            going = further;
        }
        Ok(values)
    }
}
