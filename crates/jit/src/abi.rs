//! The interface between a launch and native code.
//!
//! The code is position independent: it reaches everything outside itself through the [`Context`], so its bytes can be
//! stored on disk and mapped anywhere.

use std::sync::Mutex;

use trident_runtime::KernelLaunch;

use super::check::Checker;
use super::emit::Site;
use super::stop::Stop;

/// Where in scratch a thread's fuel is, an `i64`. Masked-off lanes may read and write the bytes before it.
pub(super) const FUEL: usize = 64;

/// Bytes at the start of scratch before what programs use.
pub(super) const HEAD: usize = 128;

/// A thread's fuel at first: some milliseconds of work.
pub(super) const FULL: i64 = 1 << 23;

/// The arguments that a launch passes to native code.
#[repr(C)]
pub(super) struct Context<'l> {
    /// Addresses of the routines.
    pub(super) table: *const usize,
    /// The kernel's code.
    pub(super) code: *const u8,
    /// Number of programs along x, y, z.
    pub(super) grid: [u32; 3],
    /// Called with the linear program id, the site of a condition that does not hold, and the value it is about.
    pub(super) fail: extern "C" fn(*const Context<'_>, u64, u64, u64),
    /// With all checks on, called before each access with program, site, address, bytes, kind (see [`Kind`]) and
    /// whether the access takes place. A result other than 0 ends the launch. With bounds checks, it is called only for
    /// accesses that appear to be out of bounds.
    pub(super) check: extern "C" fn(*const Context<'_>, u64, u64, u64, u64, u64, u64) -> u64,
    /// Called with a thread's scratch when its fuel is used up. Gives it fuel again; a result other than 0 ends the launch.
    pub(super) refuel: extern "C" fn(*const Context<'_>, *mut u8) -> u64,
    /// The bounds of the memory of each parameter, if bounds are checked.
    pub(super) bounds: *const Bound,
    /// Whether the launch is to stop, and when it was asked last.
    pub(super) stop: Stop,
    /// The first fault.
    pub(super) fault: Mutex<Option<ProgramFault>>,
    /// The state of a launch with all checks on.
    pub(super) checker: Mutex<Option<Checker>>,
    /// The launch.
    pub(super) launch: KernelLaunch<'l>,
    /// The kernel's sites.
    pub(super) sites: &'l [Site],
}

// SAFETY: table, code and bounds do not change during the context's lifetime, and all mutable state is behind locks.
unsafe impl Sync for Context<'_> {}

/// Memory of a parameter.
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

/// The fault of the first program, in grid order, that was found to have one.
pub(super) struct ProgramFault {
    /// Linear program id.
    pub(super) program: u64,
    /// Index into the kernel's sites.
    pub(super) site: u64,
    /// The value that the site's condition is about.
    pub(super) value: u64,
    /// The fault of an access; `None` for other conditions.
    pub(super) access: Option<String>,
}

/// Runs `count` programs of the linearised grid (x fastest), starting at `first`. `args` has one word for each
/// parameter; `scratch` is aligned to 64 bytes and used by this thread only. Returns 0, or 1 after a fault.
pub(super) type Entry = unsafe extern "C" fn(
    context: *const Context<'_>,
    args: *const u64,
    first: u64,
    count: u64,
    scratch: *mut u8,
) -> u64;
