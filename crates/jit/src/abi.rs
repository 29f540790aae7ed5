//! What a launch and native code agree on.
//!
//! The code is position independent: everything outside of it is reached from the [`Context`], so its bytes can be kept
//! on disk and mapped anywhere.

use std::sync::Mutex;

use trident_runtime::KernelLaunch;

use super::check::Checker;
use super::emit::Site;

/// What a launch hands to native code.
#[repr(C)]
pub(super) struct Context<'l> {
    /// Addresses of the routines.
    pub(super) table: *const usize,
    /// The kernel's code.
    pub(super) code: *const u8,
    /// Number of programs along x, y, z.
    pub(super) grid: [u32; 3],
    /// Called with the linear program id and the site of an assertion that did not hold.
    pub(super) fail: extern "C" fn(*const Context<'_>, u64, u64),
    /// Where all is checked, called before each access: program, site, address, bytes, kind (see [`Kind`]) and whether the
    /// access takes place. Another result than 0 ends the launch. Where bounds are, it is called for accesses that seem to
    /// leave them.
    pub(super) check: extern "C" fn(*const Context<'_>, u64, u64, u64, u64, u64, u64) -> u64,
    /// Where bounds are checked: those of the memory behind each parameter.
    pub(super) bounds: *const Bound,
    /// What went wrong first.
    pub(super) fault: Mutex<Option<ProgramFault>>,
    /// The state of a launch that checks all.
    pub(super) checker: Mutex<Option<Checker>>,
    /// The launch.
    pub(super) launch: KernelLaunch<'l>,
    /// The kernel's sites.
    pub(super) sites: &'l [Site],
}

// SAFETY: table, code and bounds do not change while the context is there, and what changes is behind locks.
unsafe impl Sync for Context<'_> {}

/// Memory behind a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(super) struct Bound {
    /// Address of the first byte.
    pub(super) base: u64,
    /// Number of bytes that may be read.
    pub(super) readable: u64,
    /// Number of bytes that may be written.
    pub(super) writable: u64,
}

/// Kinds of access in the calls of [`Context::check`]: a plain read, a plain write, or flags of an atomic.
pub(super) struct Kind;

impl Kind {
    pub(super) const READ: u64 = 0;
    pub(super) const WRITE: u64 = 1;
    pub(super) const ATOMIC: u64 = 8;
    pub(super) const ACQUIRE: u64 = 1;
    pub(super) const RELEASE: u64 = 2;
    pub(super) const WRITES: u64 = 4;
}

/// The fault of the first program, in the order of the grid, that was seen to have one.
pub(super) struct ProgramFault {
    /// Linear program id.
    pub(super) program: u64,
    /// Index into the kernel's sites.
    pub(super) site: u64,
    /// What is wrong with an access; `None` for an assertion.
    pub(super) access: Option<String>,
}

/// Runs `count` programs of the linearised grid (x fastest) from `first` on. `args` is one word for each parameter,
/// `scratch` is aligned to 64 bytes and the thread's own. Gives 0, or 1 after a fault.
pub(super) type Entry = unsafe extern "C" fn(
    context: *const Context<'_>,
    args: *const u64,
    first: u64,
    count: u64,
    scratch: *mut u8,
) -> u64;
