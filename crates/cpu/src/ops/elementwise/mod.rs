//! Elementwise ops.

mod binary;
mod integer;
mod rows;
mod several;
#[cfg(test)]
mod tests;
mod unary;

use crate::kernel::{Compile, Kernel};

/// The kernel for an elementwise op.
pub(super) fn kernel(cx: &Compile<'_>) -> Option<Box<dyn Kernel>> {
    binary::kernel(cx).or_else(|| unary::kernel(cx)).or_else(|| several::kernel(cx))
}
