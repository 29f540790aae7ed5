//! Memory of other owners, in which tensors lie without a copy: arrays of NumPy, PyTorch or Paddle, buffers of requests.

use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::ptr::NonNull;
use std::slice;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Keeps memory valid until it is dropped.
pub type Owner = Arc<dyn Any + Send + Sync>;

/// Memory of another owner, which outlives all tensors in it: the owner is dropped with the last of them, even if a run
/// fails or panics.
pub struct ForeignMemory {
    start: NonNull<u8>,
    len: usize,
    is_writable: bool,
    /// Leaves the group before the owner is dropped.
    member: Option<Member>,
    _owner: Owner,
}

// SAFETY: the memory is not bound to a thread, as those who lend it promise; the owner is `Send`.
unsafe impl Send for ForeignMemory {}
// SAFETY: shared memory is only read; the owner is `Sync`.
unsafe impl Sync for ForeignMemory {}

impl ForeignMemory {
    /// Read-only memory: writing to a tensor in it copies the elements first.
    ///
    /// # Safety
    /// Until `owner` is dropped, the `len` bytes from `start` on are initialised and can be read on any thread, and nobody writes to
    /// them except through members of the same [`AliasGroup`]. `start` may be dangling if there are none.
    pub unsafe fn readable(start: NonNull<u8>, len: usize, owner: Owner) -> ForeignMemory {
        ForeignMemory { start, len, is_writable: false, member: None, _owner: owner }
    }

    /// Memory in which tensors can be written in place.
    ///
    /// # Safety
    /// Until `owner` is dropped, the `len` bytes from `start` on are initialised and can be read and written on any thread, and nobody
    /// accesses them except through this memory and other members of the same [`AliasGroup`]. `start` may be dangling if there are
    /// none.
    pub unsafe fn writable(start: NonNull<u8>, len: usize, owner: Owner) -> ForeignMemory {
        ForeignMemory { start, len, is_writable: true, member: None, _owner: owner }
    }

    /// The memory as a member of a group, in which it may overlap others.
    pub fn in_group(mut self, group: &AliasGroup) -> ForeignMemory {
        self.member = Some(group.enter(self.addresses()));
        self
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        if self.len == 0 {
            return &[];
        }
        // SAFETY: whoever lent the memory promised that the bytes can be read until the owner is dropped, which `self` holds. Nobody
        // writes to them meanwhile: others do not, and `bytes_mut` needs an exclusive borrow of the only overlapping member.
        unsafe { slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }

    /// The bytes, mutably; `None` if they are only read, or if other members of the group overlap them.
    pub(crate) fn bytes_mut(&mut self) -> Option<&mut [u8]> {
        if !self.is_exclusive() {
            return None;
        }
        if self.len == 0 {
            return Some(&mut []);
        }
        // SAFETY: whoever lent the memory promised that the bytes can be written until the owner is dropped, which `self` holds, and
        // that nobody else accesses them but overlapping members of the group, of which there are none. A member that enters later
        // cannot have been lent without breaking that promise while this borrow lasts.
        Some(unsafe { slice::from_raw_parts_mut(self.start.as_ptr(), self.len) })
    }

    /// Whether the memory can be written, and no other member of its group overlaps it.
    pub(crate) fn is_exclusive(&self) -> bool {
        self.is_writable && !self.member.as_ref().is_some_and(Member::is_overlapped)
    }

    fn addresses(&self) -> Range<usize> {
        let start = self.start.addr().get();
        start..start + self.len
    }
}

impl fmt::Debug for ForeignMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ForeignMemory")
            .field("start", &self.start)
            .field("len", &self.len)
            .field("is_writable", &self.is_writable)
            .finish()
    }
}

/// Memory of one lender that may overlap, such as views of one array. A tensor is not written in place where another
/// member overlaps it. A lender of overlapping memory, some of it writable, must put it into one group; clones are the
/// same group.
#[derive(Clone, Debug, Default)]
pub struct AliasGroup(Arc<Mutex<Members>>);

#[derive(Debug, Default)]
struct Members {
    next: u64,
    /// Numbers and addresses of the memory that is lent.
    lent: Vec<(u64, Range<usize>)>,
}

impl AliasGroup {
    /// A group without members.
    pub fn new() -> AliasGroup {
        AliasGroup::default()
    }

    fn members(&self) -> MutexGuard<'_, Members> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enter(&self, addresses: Range<usize>) -> Member {
        let mut members = self.members();
        let number = members.next;
        members.next += 1;
        members.lent.push((number, addresses.clone()));
        Member { group: self.clone(), number, addresses }
    }
}

/// Membership of a group, until it is dropped.
#[derive(Debug)]
struct Member {
    group: AliasGroup,
    number: u64,
    addresses: Range<usize>,
}

impl Member {
    fn is_overlapped(&self) -> bool {
        let members = self.group.members();
        let mut others = members.lent.iter().filter(|(number, _)| *number != self.number);
        others.any(|(_, other)| overlap(other, &self.addresses))
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        self.group.members().lent.retain(|(number, _)| *number != self.number);
    }
}

/// Whether ranges of addresses have some in common.
pub(crate) fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start.max(b.start) < a.end.min(b.end)
}
