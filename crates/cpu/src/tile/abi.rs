//! What a launch and native code agree on.
//!
//! The code is position independent: everything outside of it is reached from the [`Context`], so its bytes can be kept
//! on disk and mapped anywhere.

use std::sync::Mutex;

use super::check::Checker;

/// What a launch hands to native code.
#[repr(C)]
pub(super) struct Context {
    /// Addresses of the routines.
    pub(super) table: *const usize,
    /// The kernel's code.
    pub(super) code: *const u8,
    /// Number of programs along x, y, z.
    pub(super) grid: [u32; 3],
    /// Called with the linear program id and the site of an assertion that did not hold.
    pub(super) fail: extern "C" fn(*const Context, u64, u64),
    /// Called before each access of a checked launch: program, site, address, bytes, kind (see [`Kind`]) and whether the
    /// access takes place. Another result than 0 ends the launch.
    pub(super) check: extern "C" fn(*const Context, u64, u64, u64, u64, u64, u64) -> u64,
    /// What went wrong first.
    pub(super) fault: Mutex<Option<Fault>>,
    /// The state of a checked launch.
    pub(super) checker: Mutex<Option<Checker>>,
}

// SAFETY: the table is static, and what changes is behind locks.
unsafe impl Sync for Context {}

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
pub(super) struct Fault {
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
    context: *const Context,
    args: *const u64,
    first: u64,
    count: u64,
    scratch: *mut u8,
) -> u64;
