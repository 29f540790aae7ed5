//! Lane functions: the threads of a threadgroup run each op together, in ascending order, before the next op.
//!
//! Control flow restricts the active threads. At an `if`, the threads of one branch run first, then those of the other.
//! A loop runs for the threads that continue. Metal requires that all threads reach barriers and simdgroup functions by
//! the same branches, iterations and calls. Here this means that all of these threads are active when the op runs, so
//! no thread ever has to be suspended. If the order of threads between barriers does not matter to a program, it
//! computes the same in this order. Otherwise it has a race, which is found in whatever order the accesses run
//! ([`races`]). The threadgroups of a grid run one after another, x fastest.

mod flow;
mod matrix;
mod memory;
mod races;
mod simd;

use super::error::InterpError;
use super::machine::{Machine, Site};
use super::{InterpValue, Memory, Trap};
use crate::{Func, Op, OpName};
use races::Races;

/// A threadgroup that runs.
struct Threadgroup<'m> {
    /// The state that a thread has in common with a program of level tile: memory of the device, the place in the grid, and
    /// lines printed.
    machine: Machine<'m>,
    /// Number of threads.
    threads: usize,
    /// Arrays of the threadgroup and of its threads.
    local: Memory,
    races: Races<'m>,
    /// Where threads went different ways, from the outside in.
    path: Vec<Fork<'m>>,
}

/// The threads that run a region.
struct Fork<'m> {
    op: &'m Op,
    active: Vec<usize>,
}

/// Runs a kernel once for each threadgroup of the grid.
pub(super) fn launch<'m>(
    machine: Machine<'m>,
    kernel: &'m Func,
    args: &[InterpValue],
) -> Result<(), InterpError> {
    let threads = kernel.threads.ok_or_else(|| InterpError::NoKernel(kernel.name.clone()))?;
    let [width, height, depth] = machine.grid;
    let mut group = Threadgroup::new(machine, threads);
    for z in 0..depth {
        for y in 0..height {
            for x in 0..width {
                group.run([x, y, z], kernel, args)?;
            }
        }
    }
    Ok(())
}

/// Runs a function as the only threadgroup of a grid, and returns its results. A function that is not a kernel runs in
/// one thread.
pub(super) fn call<'m>(
    machine: Machine<'m>,
    func: &'m Func,
    args: &[InterpValue],
) -> Result<Vec<InterpValue>, InterpError> {
    let mut group = Threadgroup::new(machine, func.threads.unwrap_or(1));
    Ok(group.run([0; 3], func, args)?.pop().unwrap_or_default())
}

impl<'m> Threadgroup<'m> {
    fn new(machine: Machine<'m>, threads: u32) -> Threadgroup<'m> {
        let (local, races) = (Memory::default(), Races::default());
        Threadgroup { machine, threads: threads as usize, local, races, path: vec![] }
    }

    /// Gives the results of each thread.
    fn run(
        &mut self,
        id: [u32; 3],
        func: &'m Func,
        args: &[InterpValue],
    ) -> Result<Vec<Vec<InterpValue>>, InterpError> {
        self.machine.program = id;
        self.races.start(id);
        let all: Vec<usize> = (0..self.threads).collect();
        self.call(func, &all, vec![args.to_vec(); self.threads])
    }

    fn error(&self, func: &Func, op: Option<OpName>, thread: usize, fault: Trap) -> InterpError {
        InterpError::Thread {
            func: func.name.clone(),
            op,
            threadgroup: self.machine.program,
            thread,
            fault: Box::new(fault),
        }
    }

    fn error_at(&self, site: &Site<'_>, thread: usize, fault: Trap) -> InterpError {
        self.error(site.func, Some(site.op.name()), thread, fault)
    }
}
