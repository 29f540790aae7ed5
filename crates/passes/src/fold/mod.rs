//! Constants: ops on constants alone, and what moves into the weights of other ops.

mod constants;
mod pad;
mod weights;

pub(crate) use constants::run as constants;

use crate::pipeline::Rules;

/// Rules for weights of a normalisation, which then moves into the convolution before it as a whole.
pub(crate) const NORMS: Rules = Rules(&[("fold-norm-scale", &weights::norm_scale)]);

/// Rules for weights, biases and borders.
pub(crate) const WEIGHTS: Rules = Rules(&[
    ("fold-batch-norm", &weights::batch_norm),
    ("fold-channel-scale", &weights::scale),
    ("fold-pad", &pad::pad),
]);
