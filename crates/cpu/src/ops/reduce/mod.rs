//! Normalisation, reductions and scans along axes.

mod arg;
mod axes;
mod fold;
mod norm;
mod softmax;
mod statistics;
#[cfg(test)]
mod tests;
mod unique;

use crate::kernel::{Compile, Kernel, Plain};
use trident_ir::OpKind;

/// The kernel for an op of this group.
pub(super) fn kernel(cx: &Compile<'_>) -> Option<Box<dyn Kernel>> {
    use OpKind::*;
    let run = match cx.op.kind {
        ReduceL1 | ReduceL2 | ReduceLogSum | ReduceLogSumExp | ReduceMax | ReduceMean
        | ReduceMin | ReduceProd | ReduceSum | ReduceSumSquare => fold::run,
        ArgMax | ArgMin => arg::extreme,
        Hardmax => arg::hardmax,
        CumSum | CumProd => arg::cumulative,
        TopK => arg::top_k,
        Softmax | LogSoftmax => softmax::run,
        LayerNormalization | RMSNormalization => norm::layer,
        SkipLayerNormalization => norm::skip,
        InstanceNormalization | GroupNormalization => norm::channels,
        BatchNormalization => statistics::batch,
        LRN => statistics::lrn,
        LpNormalization => statistics::lp,
        MeanVarianceNormalization => statistics::mean_variance,
        Unique => unique::run,
        _ => return None,
    };
    Some(Plain::boxed(cx.op.decl().name, run))
}
