//! Elementwise ops.

mod binary;
mod compiled;
mod integer;
mod rows;
mod several;
#[cfg(test)]
mod tests;
mod unary;

use crate::kernel::{Compile, Kernel};
use trident_runtime::Declined;

/// The kernel for an elementwise op: one written for speed, or the code of level tile.
pub(super) fn kernel(cx: &Compile<'_>) -> Result<Box<dyn Kernel>, Declined> {
    let written = binary::kernel(cx).or_else(|| unary::kernel(cx));
    written.or_else(|| several::kernel(cx)).map_or_else(|| compiled::kernel(cx), Ok)
}
