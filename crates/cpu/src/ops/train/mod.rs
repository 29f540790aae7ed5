//! Losses and optimiser steps.

mod loss;
mod optimizer;

use crate::kernel::{Entry, entry};
use trident_ir::ops::{
    Adagrad, Adam, Momentum, NegativeLogLikelihoodLoss, SoftmaxCrossEntropyLoss,
};

pub(super) const KERNELS: &[Entry] = &[
    entry(NegativeLogLikelihoodLoss::KIND, loss::nll),
    entry(SoftmaxCrossEntropyLoss::KIND, loss::cross_entropy),
    entry(Adagrad::KIND, optimizer::adagrad),
    entry(Adam::KIND, optimizer::adam),
    entry(Momentum::KIND, optimizer::momentum),
];
