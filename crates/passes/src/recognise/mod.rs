//! Patterns of ops that are one op of the table: every device may claim what they become.

mod attention;
mod gates;
mod gelu;
mod gemm;
mod norms;

use crate::pipeline::Rules;

/// Formulas written out.
pub(crate) const FORMULAS: Rules = Rules(&[
    ("gelu", &gelu::gelu),
    ("hard-swish", &gates::hard_swish),
    ("gated-activation", &gates::gate),
    ("normalization", &norms::norm),
    ("normalization-scale", &norms::scale),
    ("normalization-shift", &norms::shift),
    ("attention", &attention::attention),
    ("attention-heads", &attention::heads),
]);

/// Products in another form, which formulas do not look for.
pub(crate) const PRODUCTS: Rules = Rules(&[("gemm-to-matmul", &gemm::gemm)]);
