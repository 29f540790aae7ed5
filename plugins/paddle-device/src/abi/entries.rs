//! The entries of kernels: functions that Paddle calls by the kernels' C++ signatures, or with a context.

use super::Ptr;
pub(super) use super::raw::Raw;
use crate::kernel::Kernel;

/// A kernel with its two entries.
pub(crate) struct KernelEntry {
    /// The kernel.
    pub(crate) kernel: &'static Kernel,
    /// The function for the eager interface, of the kernel's signature.
    pub(super) eager: *const (),
    /// The function for contexts.
    pub(super) context: unsafe extern "C-unwind" fn(Ptr),
    /// The functions for element types that the kernel does not have, in the same order. They throw.
    pub(super) refusals: (*const (), unsafe extern "C-unwind" fn(Ptr)),
}

// SAFETY: the pointers are those of functions.
unsafe impl Sync for KernelEntry {}

/// Declares kernels with their entries: name, releases, row if it has another name, element types, and parameters with their kinds.
macro_rules! signatures {
    ($($kernel:literal [$($version:literal),*] $(($row:literal))? $($element:ident)* => ($($name:literal: $kind:ident),*);)*) => {
        use crate::abi::entries::{self, KernelEntry, Raw};
        use crate::kernel::{Entry, Kernel, Kind, Param};

        /// All kernels.
        pub(crate) static ENTRIES: &[KernelEntry] = &[$({
            static KERNEL: Kernel = Kernel::new(
                ($kernel, entries::row!($kernel $($row)?)),
                &[$($version),*],
                &[$(stringify!($element)),*],
                &[$(Param { name: $name, kind: Kind::$kind }),*],
            );
            entries::entry!(KERNEL, $($kind)*)
        }),*];
    };
}

/// The row of a kernel: that of its name, if no other is given.
macro_rules! row {
    ($kernel:literal) => {
        $kernel
    };
    ($kernel:literal $row:literal) => {
        $row
    };
}

/// The entries of a kernel whose parameters have these kinds.
macro_rules! entry {
    // Names for the parameters, which macros cannot make: as many of these as there are kinds.
    ($kernel:ident, $($kind:ident)*) => {
        entries::entry!(@ $kernel, [a b c d e f g h i j k l m n o p q r s t u v w x] [$($kind)*] [])
    };
    (@ $kernel:ident, [$name:ident $($names:ident)*] [$kind:ident $($kinds:ident)*] [$($done:tt)*]) => {
        entries::entry!(@ $kernel, [$($names)*] [$($kinds)*] [$($done)* ($name $kind)])
    };
    (@ $kernel:ident, [$($names:ident)*] [] [$(($name:ident $kind:ident))*]) => {{
        unsafe extern "C-unwind" fn eager(
            context: *mut std::ffi::c_void,
            $($name: entries::passed!($kind)),*
        ) {
            // SAFETY: Paddle calls the entry with the arguments of this signature, which live during the call.
            unsafe {
                $crate::abi::call::call(&$kernel, Entry::Eager, context, &[$(Raw::from($name)),*]);
            }
        }
        unsafe extern "C-unwind" fn context(context: *mut std::ffi::c_void) {
            // SAFETY: Paddle calls the entry with a context that has the arguments which the kernel was registered with.
            unsafe { $crate::abi::call::call_by_context(&$kernel, context) };
        }
        unsafe extern "C-unwind" fn refuse(
            _: *mut std::ffi::c_void,
            $($name: entries::passed!($kind)),*
        ) {
            // SAFETY: Paddle calls the entry with the arguments of the kernel's signature, which live during the call.
            unsafe { $crate::abi::call::refuse(&$kernel, &[$(Raw::from($name)),*]) };
        }
        unsafe extern "C-unwind" fn refuse_context(context: *mut std::ffi::c_void) {
            // SAFETY: Paddle calls the entry with a context of the arguments that the kernel was registered with.
            unsafe { $crate::abi::call::refuse_by_context(&$kernel, context) };
        }
        KernelEntry {
            kernel: &$kernel,
            eager: eager as *const (),
            context,
            refusals: (refuse as *const (), refuse_context),
        }
    }};
}

/// The type by which the eager interface passes a parameter.
macro_rules! passed {
    (Bool) => { bool };
    (I32) => { i32 };
    (I64) => { i64 };
    (F32) => { f32 };
    (F64) => { f64 };
    (Dtype) => { i32 };
    ($kind:ident) => { *mut std::ffi::c_void };
}

pub(crate) use {entry, passed, row, signatures};
