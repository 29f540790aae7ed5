//! The memory that a launch declares.

use trident_ir::tile::Origin;
use trident_runtime::KernelLaunch;

use super::fault::{Access, AccessFault, Place};

/// Addresses below this are null pointers with an offset.
pub(crate) const LOWEST: u64 = 1 << 12;

/// The memory that a parameter points to.
struct Tensor {
    name: String,
    param: u32,
    /// Where the argument points.
    first: u64,
    begin: u64,
    end: u64,
    writable: bool,
}

impl Tensor {
    fn holds(&self, address: u64, bytes: usize) -> bool {
        let end = address.checked_add(bytes as u64);
        address >= self.begin && end.is_some_and(|end| end <= self.end)
    }

    /// Distance in bytes between the address and the memory.
    fn distance(&self, address: u64) -> u64 {
        self.begin.saturating_sub(address).max(address.saturating_sub(self.end))
    }

    /// An address as an offset from where the argument points.
    fn offset(&self, address: u64) -> i64 {
        address.wrapping_sub(self.first) as i64
    }
}

/// Identifies an extent of the launch.
pub(super) type TensorId = usize;

/// The known extents of the memory that a kernel may access.
pub(crate) struct Extents {
    tensors: Vec<Tensor>,
    /// Whether the kernel may access no other memory.
    bounded: bool,
}

impl Extents {
    pub(crate) fn new(launch: &KernelLaunch<'_>) -> Extents {
        let tensors = launch.extents().iter().map(|e| {
            let begin = e.address as u64;
            let first = launch.args().get(e.param).copied().unwrap_or(begin);
            let (name, param, writable) = (e.name.to_owned(), e.param as u32, e.writable);
            let end = begin.saturating_add(e.bytes as u64);
            Tensor { name, param, first, begin, end, writable }
        });
        Extents { tensors: tensors.collect(), bounded: launch.is_bounded() }
    }

    /// The address of the first byte and that after the last.
    pub(super) fn range(&self, tensor: TensorId) -> Option<(u64, u64)> {
        self.tensors.get(tensor).map(|t| (t.begin, t.end))
    }

    /// How an error describes the accessed memory.
    pub(super) fn place(&self, tensor: Option<TensorId>, address: u64, bytes: usize) -> Place {
        match tensor.and_then(|i| self.tensors.get(i)) {
            Some(t) => Place::Tensor { name: t.name.clone(), offset: t.offset(address), bytes },
            None => Place::Unknown { address },
        }
    }

    /// Checks an access if bounds are checked. Atomic operations require aligned elements.
    pub(crate) fn access(
        &self,
        origin: &Origin,
        address: u64,
        bytes: usize,
        access: Access,
    ) -> Result<(), AccessFault> {
        let tensor = self.find(origin, address, bytes, access)?;
        if matches!(access, Access::Atomic { .. }) && !address.is_multiple_of(bytes as u64) {
            let place = self.place(tensor, address, bytes);
            return Err(AccessFault::Misaligned { access, bytes, place });
        }
        Ok(())
    }

    /// The tensor that contains an access through a pointer of this origin; `None` for memory outside all arguments.
    pub(crate) fn find(
        &self,
        origin: &Origin,
        address: u64,
        bytes: usize,
        access: Access,
    ) -> Result<Option<TensorId>, AccessFault> {
        let all = || self.tensors.iter().enumerate();
        let candidates = || all().filter(|(_, t)| origin.params.binary_search(&t.param).is_ok());
        let holds = |&(_, t): &(usize, &Tensor)| t.holds(address, bytes);
        let suits = |&(_, t): &(usize, &Tensor)| t.writable || !access.writes();
        let found = |i: usize, t: &Tensor| match suits(&(i, t)) {
            true => Ok(Some(i)),
            false => {
                let place = self.place(Some(i), address, bytes);
                Err(AccessFault::ReadOnly { access, bytes, place })
            }
        };
        let inside = candidates().filter(holds);
        if let Some((i, t)) = inside.max_by_key(|found| suits(found)) {
            return found(i, t);
        }
        if address < LOWEST {
            return Err(AccessFault::Null { access, bytes, address });
        }
        // For some arrays only the address is known: their memory may be anywhere.
        let known = |p: &u32| self.tensors.iter().any(|t| t.param == *p);
        let meant = candidates().map(|(_, t)| t).min_by_key(|t| t.distance(address));
        if let Some(t) = meant.filter(|_| !origin.open && origin.params.iter().all(known)) {
            let place = Place::Tensor { name: t.name.clone(), offset: t.offset(address), bytes };
            let (begin, end) = (t.offset(t.begin), t.offset(t.end));
            return Err(AccessFault::Outside { access, bytes, place, begin, end });
        }
        let elsewhere = all().filter(holds).max_by_key(|found| suits(found));
        match elsewhere {
            Some((i, t)) => found(i, t),
            None if self.bounded => {
                let nearest = all().min_by_key(|(_, t)| t.distance(address));
                let nearest = nearest.map(|(i, _)| self.place(Some(i), address, bytes));
                Err(AccessFault::Stray { access, bytes, address, nearest })
            }
            None => Ok(None),
        }
    }
}
