//! Elementwise ops.

mod binary;

use crate::kernel::{Compile, Kernel};

/// The kernel for an elementwise op.
pub(super) fn kernel(cx: &Compile<'_>) -> Option<Box<dyn Kernel>> {
    binary::kernel(cx)
}
