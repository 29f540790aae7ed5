//! Checked launches: the memory that a kernel may access.
//!
//! * An access must stay inside of the tensor that its pointer comes from, which the compiler knows
//!   ([`trident_ir::tile::Origins`]), whatever lies beside that tensor in memory. Pointers that the kernel read from
//!   memory or made from integers may point to any tensor of a launch that names all its memory. In other launches they
//!   may point anywhere except to null. If only this is checked, native code compares addresses with the [`Bound`]s of
//!   parameters, for rows of elements at once, and consults [`Extents`] for addresses outside of them.
//!
//! Launches with [all checks](trident_runtime::Checks::All) check more, in a [`Checker`]. Their programs run one after
//! another, so its lock is always free and every launch finds the same faults.
//!
//! * Reads of unwritten memory: the allocator fills fresh memory with [`UNWRITTEN`].
//! * Races: two programs access the same byte, at least one of them writes, and no chain of atomic releases and acquires
//!   orders the two accesses (the happens-before relation of the C++ memory model, stored as sets of programs).

mod extents;
mod fault;
mod shadow;

use extents::TensorId;
pub(super) use extents::{Extents, LOWEST};
pub(super) use fault::{Access, AccessFault};
use fault::{Other, Place};
use shadow::{Mark, Programs, Shadow};
use std::collections::HashMap;
use trident_ir::Loc;
use trident_ir::tile::Origin;
use trident_runtime::{KernelLaunch, UNWRITTEN};

use super::abi::Bound;
use super::emit::Site;

/// The bounds that native code compares addresses with, by parameter.
pub(super) fn bounds(launch: &KernelLaunch<'_>) -> Vec<Bound> {
    let unknown = Bound { base: LOWEST, readable: u64::MAX - LOWEST, writable: u64::MAX - LOWEST };
    let mut bounds = vec![unknown; launch.args().len()];
    // Of several extents of a parameter this is the first: about the others, code asks.
    for extent in launch.extents().iter().rev() {
        if let Some(bound) = bounds.get_mut(extent.param) {
            let readable = extent.bytes as u64;
            let writable = if extent.writable { readable } else { 0 };
            *bound = Bound { base: extent.address as u64, readable, writable };
        }
    }
    bounds
}

/// The state of a checked launch.
pub(crate) struct Checker {
    extents: Extents,
    /// By site: where its pointers come from, and its place in the source.
    sites: Vec<(Origin, Option<Loc>)>,
    grid: [u32; 3],
    shadow: Shadow,
    program: u32,
    /// Programs whose effects the running one has acquired.
    seen: Programs,
    /// By address of an atomic: the programs whose effects it publishes.
    released: HashMap<u64, Programs>,
}

impl Checker {
    /// The state before a launch of code with these sites.
    pub(super) fn new(launch: &KernelLaunch<'_>, sites: &[Site]) -> Checker {
        Checker {
            extents: Extents::new(launch),
            sites: sites.iter().map(|s| (s.origin.clone(), s.loc.clone())).collect(),
            grid: launch.grid(),
            shadow: Shadow::default(),
            program: 0,
            seen: Programs::default(),
            released: HashMap::new(),
        }
    }

    /// Starts a program, by its number in the linearised grid.
    pub(crate) fn begin(&mut self, program: u32) {
        self.program = program;
        self.seen.clear();
    }

    /// Looks at one element's access, and takes note of it.
    ///
    /// # Safety
    /// The kernel is about to make the access: if it is in bounds, the bytes are readable.
    pub(super) unsafe fn access(
        &mut self,
        site: u64,
        address: u64,
        bytes: usize,
        access: Access,
    ) -> Result<(), AccessFault> {
        let anywhere = Origin { params: vec![], open: true };
        let origin = self.sites.get(site as usize).map_or(&anywhere, |s| &s.0);
        let tensor = self.extents.find(origin, address, bytes, access)?;
        let place = || -> Place { self.extents.place(tensor, address, bytes) };
        if !address.is_multiple_of(bytes as u64) {
            return Err(AccessFault::Misaligned { access, bytes, place: place() });
        }
        if let Access::Atomic { acquire: true, .. } = access
            && let Some(published) = self.released.get(&address)
        {
            self.seen.extend(published);
        }
        let me = Mark { program: self.program, site: site as u32 };
        let (seen, sites, grid) = (&self.seen, &self.sites, self.grid);
        let ordered = |other: Mark| other.program == me.program || seen.contains(other.program);
        let race = |other: Mark, wrote: bool| {
            let loc = |site: u32| sites.get(site as usize).and_then(|s| s.1.clone());
            let loc = loc(other.site).filter(|l| Some(l) != loc(me.site).as_ref());
            let other = Other { wrote, program: ids(other.program, grid), loc };
            AccessFault::Race { access, bytes, place: place(), other }
        };
        let mut written = true;
        for cell in self.shadow.cells(address, bytes) {
            let both_atomic = cell.atomic && matches!(access, Access::Atomic { .. });
            if let Some(writer) = cell.writer.filter(|&w| !both_atomic && !ordered(w)) {
                return Err(race(writer, true));
            }
            if let (true, Some((first, last))) = (access.writes(), cell.readers)
                && let Some(reader) = [first, last].into_iter().find(|&r| !ordered(r))
            {
                return Err(race(reader, false));
            }
            written &= cell.writer.is_some();
            if access.writes() {
                cell.writer = Some(me);
                cell.atomic = access != Access::Write;
                cell.readers = None;
            } else if access == Access::Read {
                // A first reader who is ordered before this one need not be remembered.
                let first = cell.readers.map(|r| r.0).filter(|&r| !ordered(r));
                cell.readers = Some((first.unwrap_or(me), me));
            }
        }
        // SAFETY: the address is in bounds, so the caller's promise holds.
        if access != Access::Write && !written && unsafe { self.unwritten(tensor, address, bytes) }
        {
            return Err(AccessFault::Unwritten { access, bytes, place: place() });
        }
        if let Access::Atomic { release: true, .. } = access {
            let published = self.released.entry(address).or_default();
            published.extend(&self.seen);
            published.insert(self.program);
        }
        Ok(())
    }

    /// Whether memory holds [`UNWRITTEN`], at the alignment at which it was filled. An element of 1 or 2 bytes could
    /// match by chance, so it is tested together with its neighbours.
    ///
    /// # Safety
    /// The bytes are readable, and so is the tensor's memory.
    unsafe fn unwritten(&self, tensor: Option<TensorId>, address: u64, bytes: usize) -> bool {
        let width = UNWRITTEN.len() as u64;
        let (mut begin, mut end) = (address, address + bytes as u64);
        if bytes < 4 {
            let range = tensor.and_then(|i| self.extents.range(i));
            let Some((first, behind)) = range else { return false };
            let window = address / width * width;
            (begin, end) = (window.max(first), (window + width).min(behind));
            if end - begin < 4 {
                return false;
            }
        }
        (begin..end).all(|at| {
            // SAFETY: the element is readable, and so is the memory of its tensor; `at` is in one of the two.
            let byte = unsafe { *(at as *const u8) };
            byte == UNWRITTEN[(at % width) as usize]
        })
    }
}

/// The id of a program along x, y and z.
fn ids(program: u32, grid: [u32; 3]) -> [u32; 3] {
    let [x, y] = [grid[0], grid[1]].map(|n| n.max(1));
    [program % x, program / x % y, program / x / y]
}

#[cfg(test)]
mod tests;
