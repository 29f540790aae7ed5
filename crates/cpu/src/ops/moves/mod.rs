//! Ops that move elements and do not change them.

use crate::kernel::{Compile, Kernel, Plain};
use trident_ir::OpKind;
use trident_runtime::KernelError;

/// The kernel for a moving op.
pub(super) fn kernel(cx: &Compile<'_>) -> Option<Box<dyn Kernel>> {
    match cx.op.kind {
        OpKind::Identity => Some(Plain::boxed("identity", |call| {
            let value = call.value(0).cloned().ok_or(KernelError::Missing(0))?;
            call.set(0, value);
            Ok(())
        })),
        _ => None,
    }
}
