//! Kernels of the graph ops, by the op table's groups.

mod container;
mod contract;
mod convert;
mod elementwise;
mod image;
mod ml;
mod moves;
mod pool;
mod quant;
mod random;
mod recurrent;
mod reduce;
mod signal;
mod text;
mod train;
mod window;

use crate::kernel::{Compile, CpuKernel, Entry, Make};
use crate::tile;
use std::collections::HashMap;
use std::sync::LazyLock;
use trident_ir::op::Group;
use trident_ir::{OpKind, ops};
use trident_runtime::Declined;

/// The families' lists of kernels.
const FAMILIES: &[&[Entry]] = &[
    container::KERNELS,
    contract::KERNELS,
    elementwise::KERNELS,
    image::KERNELS,
    ml::KERNELS,
    moves::KERNELS,
    pool::KERNELS,
    quant::KERNELS,
    random::KERNELS,
    recurrent::KERNELS,
    reduce::KERNELS,
    signal::KERNELS,
    text::KERNELS,
    train::KERNELS,
];

/// The kernels of the lists, by their ops.
static KERNELS: LazyLock<HashMap<OpKind, Make>> =
    LazyLock::new(|| FAMILIES.iter().copied().flatten().map(|e| (e.kind, e.make)).collect());

/// The kernel for an op.
pub(crate) fn kernel(cx: &Compile<'_>) -> Result<Box<dyn CpuKernel>, Declined> {
    match (KERNELS.get(&cx.op.kind), cx.op.decl().group) {
        (Some(make), _) => make(cx),
        (None, Group::Elementwise | Group::Fused) => tile::kernel(cx),
        (None, _) => Err(cx.declined(reason(cx.op.kind))),
    }
}

/// Ops whose kernels need libraries of their own, and the Cargo features that bring these.
const OPTIONAL: &[(OpKind, &str)] =
    &[(ops::ImageDecoder::KIND, "image-decoder"), (ops::RegexFullMatch::KIND, "regex")];

/// The reason why an op has no kernel.
fn reason(kind: OpKind) -> String {
    match OPTIONAL.iter().find(|(op, _)| *op == kind) {
        Some((_, feature)) => {
            let onnx = kind.decl().variant;
            format!(
                "this build of Trident has no {onnx}; hint: build it with `--features {feature}`"
            )
        }
        None => "there is no kernel for it".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{run, strings, tensor};
    use trident_ir::Attr;

    #[test]
    fn an_op_that_a_build_leaves_out_names_its_feature() {
        for (kind, op, feature) in [
            (OpKind::ImageDecoder, "ImageDecoder", "--features image-decoder"),
            (OpKind::RegexFullMatch, "RegexFullMatch", "--features regex"),
        ] {
            let text = reason(kind);
            assert!(text.contains(op) && text.contains(feature), "{text}");
        }
        assert_eq!(reason(OpKind::If), "there is no kernel for it");
    }

    /// `cargo xtask test --all` also runs it without the features.
    #[test]
    fn ops_run_or_are_refused_by_the_features_of_the_build() {
        let pattern = [("pattern", Attr::Str("a+".into()))];
        let regex = run(OpKind::RegexFullMatch, &pattern, vec![strings(&[1], &["aa"])]);
        let pixmap = tensor(&[14], b"P6\n1 1\n255\n\x0a\x14\x1e");
        let image = run(OpKind::ImageDecoder, &[], vec![pixmap]);
        for (kind, built, result) in [
            (OpKind::RegexFullMatch, cfg!(feature = "regex"), regex),
            (OpKind::ImageDecoder, cfg!(feature = "image-decoder"), image),
        ] {
            match result {
                Ok(_) => assert!(built, "{kind:?} ran"),
                Err(error) => {
                    assert!(!built && error.to_string().contains(&reason(kind)), "{error}");
                }
            }
        }
    }
}
