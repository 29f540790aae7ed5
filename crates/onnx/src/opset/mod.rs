//! Older forms of operators brought to their newest one.
//!
//! [`CHANGES`] tells, per operator, what to do with nodes of versions before a given one. A node passes
//! all changes of its operator in the order of the table.

mod broadcast;
mod moves;
mod norm;
mod quant;
mod resize;
pub(crate) mod shape;
mod softmax;
#[cfg(test)]
mod tests;

use crate::error::{LoadError, LoadErrorKind};
use crate::import::node::Node;
use std::collections::HashMap;
use std::sync::LazyLock;
use trident_ir::{Attr, Builder, Literal, ValueId};

/// What a change leaves of a node.
pub(crate) enum Step {
    /// The node, closer to its newest form.
    Continue,
    /// Nothing: these are its results.
    Done(Vec<Option<ValueId>>),
}

/// How to bring a node forward.
enum Change {
    /// These attributes mean nothing to the result.
    Drop(&'static [&'static str]),
    /// The list of integers became the operand at this place. An empty list counts as absent.
    Operand(&'static str, usize),
    /// The default was this integer.
    Int(&'static str, i64),
    /// The default was this number.
    Float(&'static str, f32),
    /// The default was this text.
    Text(&'static str, &'static str),
    /// The attribute was a number and became an integer.
    Whole(&'static str),
    /// The attribute was called so and is called so.
    Rename(&'static str, &'static str),
    /// All else.
    Rewrite(fn(&mut Builder<'_>, &mut Node<'_>) -> Result<Step, LoadError>),
}

use Change::{Drop, Float, Int, Operand, Rename, Rewrite, Text, Whole};

/// In every version.
const ALWAYS: i64 = i64::MAX;

/// Operators, the version that needs the change no more, the change.
static CHANGES: &[(&str, i64, Change)] = &[
    ("LpPool GlobalLpPool", 2, Whole("p")),
    ("Pad", 2, Rename("paddings", "pads")),
    ("LabelEncoder", 2, Rewrite(moves::label_encoder)),
    ("Concat", 4, Int("axis", 1)),
    ("Reshape", 5, Drop(&["consumed_inputs"])),
    ("Reshape", 5, Rewrite(moves::reshape)),
    (
        "Abs Add BatchNormalization Ceil Clip Div Dropout Elu Exp Floor HardSigmoid \
         InstanceNormalization LeakyRelu Log Max Mean Min Mul Neg PRelu Reciprocal Relu Selu Sigmoid \
         Sqrt Sub Sum Tanh",
        6,
        Drop(&["consumed_inputs"]),
    ),
    ("Selu", 6, Float("alpha", 1.6732)),
    ("Selu", 6, Float("gamma", 1.0507)),
    ("Cast", 6, Rewrite(moves::cast)),
    ("Tile", 6, Rewrite(moves::tile)),
    ("Add And Div Equal Greater Less Mul Or Pow Sub Xor", 7, Rewrite(broadcast::axis)),
    ("Gemm", 7, Drop(&["broadcast"])),
    ("PRelu", 7, Rewrite(broadcast::slope)),
    ("GRU LSTM RNN", 7, Drop(&["output_sequence"])),
    ("Slice", 10, Operand("starts", 1)),
    ("Slice", 10, Operand("ends", 2)),
    ("Slice", 10, Operand("axes", 3)),
    ("TopK", 10, Rewrite(moves::top_k)),
    ("Clip", 11, Rewrite(moves::clip)),
    ("Pad", 11, Rewrite(moves::pad)),
    ("Resize", 11, Rewrite(resize::resize_10)),
    ("Dropout", 12, Rewrite(norm::dropout)),
    ("Squeeze Unsqueeze ReduceSum", 13, Operand("axes", 1)),
    ("Split", 13, Operand("split", 1)),
    ("Softmax LogSoftmax Hardmax", 13, Rewrite(softmax::flattened)),
    ("BatchNormalization", 14, Rewrite(norm::batch_normalization)),
    ("RoiAlign", 16, Text("coordinate_transformation_mode", "output_half_pixel")),
    (
        "ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd \
         ReduceSumSquare",
        18,
        Operand("axes", 1),
    ),
    ("Split", 18, Rewrite(moves::split)),
    ("DFT", 20, Rewrite(moves::dft)),
    ("GridSample", 20, Rewrite(resize::grid_modes)),
    ("GroupNormalization", 21, Rewrite(norm::group_normalization)),
    ("CastLike", ALWAYS, Rewrite(moves::cast_like)),
    // The least accuracy that is asked for: products here have more.
    ("MatMulNBits", ALWAYS, Drop(&["accuracy_level"])),
    ("MatMulNBits", ALWAYS, Rewrite(quant::matmul_n_bits)),
    ("Optional", ALWAYS, Rename("type", "elem_type")),
    ("Resize", ALWAYS, Rewrite(resize::empty_operands)),
    ("Scatter", ALWAYS, Rewrite(moves::scatter)),
    ("Upsample", ALWAYS, Rewrite(resize::upsample)),
];

/// Brings a node to the newest form of its operator.
pub(crate) fn upgrade(b: &mut Builder<'_>, node: &mut Node<'_>) -> Result<Step, LoadError> {
    type ByOp = HashMap<&'static str, Vec<&'static (&'static str, i64, Change)>>;
    static BY_OP: LazyLock<ByOp> = LazyLock::new(|| {
        let mut map = ByOp::new();
        for change in CHANGES {
            change
                .0
                .split_ascii_whitespace()
                .for_each(|op| map.entry(op).or_default().push(change));
        }
        map
    });
    let version = node.version;
    let changes = BY_OP.get(node.op).into_iter().flatten();
    for (_, _, change) in changes.filter(|(_, until, _)| version < *until) {
        if let Step::Done(outputs) = change.apply(b, node)? {
            return Ok(Step::Done(outputs));
        }
    }
    Ok(Step::Continue)
}

impl Change {
    fn apply(&self, b: &mut Builder<'_>, node: &mut Node<'_>) -> Result<Step, LoadError> {
        match self {
            Drop(names) => names.iter().for_each(|name| drop(node.remove(name))),
            Operand(name, place) => {
                if let Some(list) = node.take_ints(name)?.filter(|l| !l.is_empty()) {
                    if node.input(*place).is_some() {
                        return Err(
                            LoadErrorKind::AttributeTwice { name: (*name).to_owned() }.into()
                        );
                    }
                    let value = b.literal(Literal::vector(&list));
                    node.set_input(*place, Some(value));
                }
            }
            Int(name, value) => node.default(name, Attr::Int(*value)),
            Float(name, value) => node.default(name, Attr::Float(*value)),
            Text(name, value) => node.default(name, Attr::Str((*value).to_owned())),
            Whole(name) => match node.take(name)? {
                Some(Attr::Float(v)) if v.fract() == 0.0 => node.set(name, Attr::Int(v as i64)),
                Some(Attr::Int(v)) => node.set(name, Attr::Int(v)),
                None => {}
                Some(other) => {
                    let found = format!("{other:?}");
                    let (name, expected) = ((*name).to_owned(), "a whole number");
                    return Err(LoadErrorKind::AttributeValue { name, found, expected }.into());
                }
            },
            Rename(from, to) => {
                if let Some(value) = node.take(from)? {
                    node.set(to, value);
                }
            }
            Rewrite(rewrite) => return rewrite(b, node),
        }
        Ok(Step::Continue)
    }
}
