//! Arrays, loads, stores and atomics of a thread. Every access is inside a tensor or array, aligned, and no race.

use super::Threadgroup;
use super::flow::Results;
use super::races::{Manner, Who};
use crate::interp::Memory;
use crate::interp::atomic;
use crate::interp::error::{Raised, Trap};
use crate::interp::machine::{Site, Values};
use crate::interp::transfer::{read, write};
use crate::interp::value::{Block, InterpValue};
use crate::types::{PointerType, Space};
use crate::{Type, ops};

impl<'m> Threadgroup<'m> {
    /// One array for all threads, or one for each.
    pub(super) fn alloc(&mut self, active: &[usize], sites: &[Site<'m>]) -> Results {
        let mut shared = None;
        self.each(active, sites, |group, _, site| {
            let op = site.op;
            // The array is unused.
            let Some(pointer) = site.result(0).and_then(pointee) else { return Ok(vec![]) };
            let len = ops::Alloc::of(op).and_then(|op| usize::try_from(op.len()).ok());
            let bytes = len.ok_or(Trap::Unknown)?.saturating_mul(pointer.to.size());
            let name = op.output(0).map_or("array", |id| &site.func.info(id).name);
            let address = match (pointer.space, shared) {
                (Space::Threadgroup, Some(address)) => address,
                _ => *shared.insert(group.local.reserve(name, bytes)),
            };
            Ok(vec![InterpValue::address(address)])
        })
    }

    /// The memory that pointers to a space point into.
    pub(super) fn memory(&mut self, space: Space) -> &mut Memory {
        match space {
            Space::Device | Space::Constant => self.machine.memory,
            Space::Threadgroup | Space::Thread => &mut self.local,
        }
    }

    pub(super) fn transfer(&mut self, thread: usize, site: &Site<'m>) -> Values {
        let (to, address) = pointer(site, 0)?;
        let size = to.to.size();
        let (manner, count, align) = match ops::Load::of(site.op) {
            Some(load) => (Manner::Read, load.width() as usize, load.align()),
            None => {
                let store = ops::Store::of(site.op).ok_or(Trap::Unknown)?;
                (Manner::Write, site.block(1)?.bits.len(), store.align())
            }
        };
        let align = if align > 0 { align as usize } else { size };
        self.check(site, to.space, manner, (address, size * count, align), Who::thread(thread))?;
        let elements = (0..count as u64).map(|i| address + i * size as u64);
        let memory = self.memory(to.space);
        if manner == Manner::Write {
            for (address, &bits) in elements.zip(&site.block(1)?.bits[..]) {
                write(memory, to.to, address, bits).map_err(|e| local(to.space, e.into()))?;
            }
            return Ok(vec![]);
        }
        let bits = elements.map(|address| read(memory, to.to, address)).collect::<Result<_, _>>();
        let bits = bits.map_err(|e| local(to.space, e.into()))?;
        let dims = if count == 1 { &[][..] } else { &[count] };
        Ok(vec![Block::new(to.to, dims, bits).into()])
    }

    pub(super) fn atomic(&mut self, thread: usize, site: &Site<'m>) -> Values {
        let (to, address) = pointer(site, 0)?;
        let size = to.to.size();
        self.check(site, to.space, Manner::Atomic, (address, size, size), Who::thread(thread))?;
        atomic::run(self.memory(to.space), site).map_err(|raised| match raised {
            Raised::Here(fault) => local(to.space, fault).into(),
            below => below,
        })
    }

    /// Whether an access to bytes from an address on, a multiple of the last number, is inside of something and no race.
    pub(super) fn check(
        &mut self,
        site: &Site<'m>,
        space: Space,
        manner: Manner,
        (address, bytes, align): (u64, usize, usize),
        who: Who,
    ) -> Result<(), Trap> {
        let access = manner.name();
        let place = |group: &mut Self, address, bytes, align| {
            let found = group.memory(space).place(access, address, bytes, align);
            found
                .map(|(name, offset)| (name.to_owned(), offset))
                .map_err(|e| local(space, e.into()))
        };
        place(self, address, bytes, align)?;
        if space == Space::Thread {
            return Ok(());
        }
        let conflict =
            self.races.record(space, address..address + bytes as u64, site.op, manner, who);
        let Err(conflict) = conflict else { return Ok(()) };
        let (tensor, offset) = place(self, conflict.address, 1, 1)?;
        let (other, op) = (conflict.other.name(self.machine.program), conflict.other.op.describe());
        Err(Trap::Race { access, offset, tensor, other, op, write: conflict.write })
    }
}

/// The pointer type of operand `at`, and the address.
pub(super) fn pointer<'m>(site: &Site<'m>, at: usize) -> Result<(&'m PointerType, u64), Trap> {
    let ty = site.op.input(at).and_then(|id| pointee(site.func.ty(id)));
    Ok((ty.ok_or(Trap::Unknown)?, site.block(at)?.first()))
}

fn pointee(ty: &Type) -> Option<&PointerType> {
    match ty {
        Type::Pointer(pointer) => Some(pointer),
        _ => None,
    }
}

/// A wrong access to an array names its memory.
pub(super) fn local(space: Space, fault: Trap) -> Trap {
    match fault {
        Trap::Access(fault) if space.is_local() => Trap::Local { space, fault },
        other => other,
    }
}
