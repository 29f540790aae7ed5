//! Losses and optimiser steps.

mod loss;
mod optimizer;

use crate::kernel::{Compile, Kernel, Plain};
use trident_ir::OpKind;

/// The kernel for a loss or an optimiser.
pub(super) fn kernel(cx: &Compile<'_>) -> Option<Box<dyn Kernel>> {
    Some(match cx.op.kind {
        OpKind::NegativeLogLikelihoodLoss => Plain::boxed("nll_loss", loss::nll),
        OpKind::SoftmaxCrossEntropyLoss => {
            Plain::boxed("softmax_cross_entropy", loss::cross_entropy)
        }
        OpKind::Adagrad => Plain::boxed("adagrad", optimizer::adagrad),
        OpKind::Adam => Plain::boxed("adam", optimizer::adam),
        OpKind::Momentum => Plain::boxed("momentum", optimizer::momentum),
        _ => return None,
    })
}
