//! Normalisation, reductions and scans along axes.

mod arg;
mod axes;
mod fold;
mod norm;
mod softmax;
mod statistics;
#[cfg(test)]
mod tests;
mod top_k;
mod unique;

use crate::kernel::{Entry, entry};
use fold::Fold;
use trident_ir::ops::*;

pub(super) const KERNELS: &[Entry] = &[
    entry(ReduceL1::KIND, |cx| fold::reduce(cx, Fold::L1)),
    entry(ReduceL2::KIND, |cx| fold::reduce(cx, Fold::L2)),
    entry(ReduceLogSum::KIND, |cx| fold::reduce(cx, Fold::LogSum)),
    entry(ReduceLogSumExp::KIND, |cx| fold::reduce(cx, Fold::LogSumExp)),
    entry(ReduceMax::KIND, |cx| fold::reduce(cx, Fold::Max)),
    entry(ReduceMean::KIND, |cx| fold::reduce(cx, Fold::Mean)),
    entry(ReduceMin::KIND, |cx| fold::reduce(cx, Fold::Min)),
    entry(ReduceProd::KIND, |cx| fold::reduce(cx, Fold::Prod)),
    entry(ReduceSum::KIND, |cx| fold::reduce(cx, Fold::Sum)),
    entry(ReduceSumSquare::KIND, |cx| fold::reduce(cx, Fold::SumSquare)),
    entry(ArgMax::KIND, |cx| arg::extreme(cx, true)),
    entry(ArgMin::KIND, |cx| arg::extreme(cx, false)),
    entry(Hardmax::KIND, arg::hardmax),
    entry(CumSum::KIND, arg::cumulative_sum),
    entry(CumProd::KIND, arg::cumulative_product),
    entry(TopK::KIND, top_k::top_k),
    entry(Softmax::KIND, softmax::softmax),
    entry(LogSoftmax::KIND, softmax::log_softmax),
    entry(LayerNormalization::KIND, norm::layer),
    entry(RMSNormalization::KIND, norm::rms),
    entry(SkipLayerNormalization::KIND, norm::skip),
    entry(InstanceNormalization::KIND, norm::instance),
    entry(GroupNormalization::KIND, norm::group),
    entry(BatchNormalization::KIND, statistics::batch),
    entry(LRN::KIND, statistics::lrn),
    entry(LpNormalization::KIND, statistics::lp),
    entry(MeanVarianceNormalization::KIND, statistics::mean_variance),
    entry(Unique::KIND, unique::unique),
];
