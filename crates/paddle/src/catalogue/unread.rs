//! Attributes that a row does not read.
//!
//! An attribute that nothing reads may change what an op computes: it is an error, but for the names below.

use super::{Old, Row};
use crate::program::{Args, Attr, Op};

/// Attributes without meaning for the results of inference, in programs of both forms: how random numbers were made in
/// training, which sizes follow from the operands, and where or how fast a kernel ran.
const ANY: &[&str] = &[
    "fix_seed",
    "infer_flags",
    "input_size",
    "interp_method",
    "momentum",
    "num",
    "numeric_stable_mode",
    "op_callstack",
    "op_device",
    "op_role",
    "place",
    "return_counts",
    "return_index",
    "return_inverse",
    "seed",
    "sparse",
    "stable",
    "struct_name",
    "sym_shape_str",
];

/// The same in a `ProgramDesc`, most of them of kernels of one library.
const OLD: &[&str] = &[
    "Scale_in",
    "Scale_in_eltwise",
    "Scale_out",
    "Scale_weights",
    "Scale_x",
    "Scale_y",
    "force_cpu",
    "fuse_alpha",
    "fuse_beta",
    "diag_step",
    "diag_val",
    "fuse_brelu_threshold",
    "in_dtype",
    "is_test",
    "mkldnn_data_type",
    "place_type",
    "use_cudnn",
    "use_mkldnn",
    "workspace_size_MB",
];

/// The same of single ops, by their newest names: sizes and types that follow from the operands or from the op, and the
/// number of images that a kernel takes at a time.
const OF_OPS: &[(&str, &str)] = &[
    ("deformable_conv", "im2col_step"),
    ("frobenius_norm", "out_dtype"),
    ("one_hot", "dtype"),
    ("repeat_interleave", "output_size"),
    ("repeat_interleave_with_tensor_index", "output_size"),
    ("set_value", "dtype"),
    ("set_value_with_tensor", "dtype"),
];

/// The first attribute that has a meaning and that the row does not read.
pub(super) fn find<'o>(op: &'o Op, row: &Row, old: Option<&Old>) -> Option<&'o str> {
    let is_old = matches!(op.operands, Args::Slots(_));
    let is_read = |name: &str| {
        let mut parameters = row.operands.iter().chain(row.attrs);
        parameters.any(|parameter| parameter.name == name) || old.is_some_and(|old| old.reads(name))
    };
    let is_idle = |name: &str, attr: &Attr| {
        ANY.contains(&name)
            || OF_OPS.contains(&(row.name, name))
            || is_old && (OLD.contains(&name) || is_off(attr))
    };
    let mut attrs = op.attrs.iter();
    attrs.find(|(name, attr)| !is_read(name) && !is_idle(name, attr)).map(|(name, _)| &**name)
}

/// Whether an older program switches something off by the attribute, or sets it to nothing.
fn is_off(attr: &Attr) -> bool {
    match attr {
        Attr::Bool(value) => !value,
        Attr::Text(text) => matches!(&**text, "" | "AnyLayout"),
        _ => super::call::is_empty(attr),
    }
}
