//! Translation of older forms of operators to the newest one.
//!
//! [`CHANGES`] lists for each op the translations of nodes from before a given version. A node goes through all changes
//! of its op in the order of the table.

mod broadcast;
mod moves;
mod norm;
mod resize;
pub(crate) mod shape;
pub(crate) mod softmax;
#[cfg(test)]
mod tests;

pub(crate) use moves::{cast_like, scalar_like, scatter};
pub(crate) use resize::upsample;

use crate::error::{OnnxError, OnnxErrorKind};
use crate::import::control::Outputs;
use crate::import::node::Node;
use std::collections::HashMap;
use std::sync::LazyLock;
use trident_ir::op::words::RoiTransform;
use trident_ir::{Attr, Builder, Literal, Op, OpKind, ValueId, ops};

/// The rest of a node after a change.
pub(crate) enum Step {
    /// The node, closer to its newest form.
    Continue,
    /// Nothing: these are its results.
    Done(Outputs),
}

/// Translates a node. The op starts with the node's operands, and gets operands and attributes in their new form. The
/// function removes attributes of the old form from the node; the remaining ones become the op's.
pub(crate) type Rewrite = fn(&mut Builder<'_>, &mut Node<'_>, &mut Op) -> Result<Step, OnnxError>;

/// How to bring a node forward.
enum Change {
    /// These attributes do not affect the result.
    Drop(&'static [&'static str]),
    /// The list of integers became the operand at this place. An empty list counts as absent.
    Operand(&'static str, usize),
    /// The attribute was a number and became an integer.
    Whole(&'static str),
    /// Attributes had other defaults.
    Defaults(fn(&mut Op)),
    /// All else.
    Rewrite(Rewrite),
}

use Change::{Drop, Operand, Rewrite as By, Whole};

/// In every version.
const ALWAYS: i64 = i64::MAX;

macro_rules! kinds {
    ($($kind:ident)+) => { &[$(OpKind::$kind),+] };
}

/// `defaults!(Concat.axis(1))`: the default of `axis` was 1.
macro_rules! defaults {
    ($op:ident $(.$attr:ident($value:expr))+) => {
        Change::Defaults(|op| {
            if let Some(op) = ops::$op::edit(op) {
                op$(.$attr($value))+;
            }
        })
    };
}

/// Ops, the version that needs the change no more, the change.
static CHANGES: &[(&[OpKind], i64, Change)] = &[
    (kinds![LpPool GlobalLpPool], 2, Whole("p")),
    (kinds![LabelEncoder], 2, By(moves::label_encoder)),
    (kinds![Concat], 4, defaults!(Concat.axis(1))),
    (kinds![Reshape], 5, Drop(&["consumed_inputs"])),
    (kinds![Reshape], 5, By(moves::reshape)),
    (
        kinds![
            Abs Add BatchNormalization Ceil Clip Div Dropout Elu Exp Floor HardSigmoid InstanceNormalization LeakyRelu Log
            Max Mean Min Mul Neg PRelu Reciprocal Relu Selu Sigmoid Sqrt Sub Sum Tanh
        ],
        6,
        Drop(&["consumed_inputs"]),
    ),
    (kinds![Selu], 6, defaults!(Selu.alpha(1.6732).gamma(1.0507))),
    (kinds![Cast], 6, By(moves::cast)),
    (kinds![Tile], 6, By(moves::tile)),
    (kinds![Add And Div Equal Greater Less Mul Or Pow Sub Xor], 7, By(broadcast::axis)),
    (kinds![Gemm], 7, Drop(&["broadcast"])),
    (kinds![PRelu], 7, By(broadcast::slope)),
    (kinds![GRU LSTM RNN], 7, Drop(&["output_sequence"])),
    (kinds![Slice], 10, Operand("starts", ops::Slice::AT.starts)),
    (kinds![Slice], 10, Operand("ends", ops::Slice::AT.ends)),
    (kinds![Slice], 10, Operand("axes", ops::Slice::AT.axes)),
    (kinds![TopK], 10, By(moves::top_k)),
    (kinds![Clip], 11, By(moves::clip)),
    (kinds![Pad], 11, By(moves::pad)),
    (kinds![Resize], 11, By(resize::resize_10)),
    (kinds![Dropout], 12, By(norm::dropout)),
    (kinds![Squeeze], 13, Operand("axes", ops::Squeeze::AT.axes)),
    (kinds![Unsqueeze], 13, Operand("axes", ops::Unsqueeze::AT.axes)),
    (kinds![ReduceSum], 13, Operand("axes", ops::ReduceSum::AT.axes)),
    (kinds![Split], 13, Operand("split", ops::Split::AT.split)),
    (kinds![Softmax LogSoftmax Hardmax], 13, By(softmax::flattened)),
    (kinds![BatchNormalization], 14, By(norm::batch_normalization)),
    (
        kinds![RoiAlign],
        16,
        defaults!(RoiAlign.coordinate_transformation_mode(RoiTransform::OutputHalfPixel)),
    ),
    (
        kinds![
            ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSumSquare
        ],
        18,
        Operand("axes", ops::ReduceMax::AT.axes),
    ),
    (kinds![Split], 18, By(moves::split)),
    (kinds![DFT], 20, By(moves::dft)),
    (kinds![GridSample], 20, By(resize::grid_modes)),
    (kinds![GroupNormalization], 21, By(norm::group_normalization)),
    (kinds![Optional], ALWAYS, By(moves::optional)),
    (kinds![Resize], ALWAYS, By(resize::empty_operands)),
];

/// The version from which on an operator means what its op means: before it, the same node was read in another way. 1
/// if changes only concern the form of nodes.
pub(crate) fn settled(kind: OpKind) -> i64 {
    let of_kind = CHANGES.iter().filter(|(kinds, ..)| kinds.contains(&kind));
    let meanings = of_kind.filter(|(_, until, change)| {
        *until != ALWAYS && matches!(change, By(_) | Change::Defaults(_))
    });
    meanings.map(|(_, until, _)| *until).max().unwrap_or(1)
}

/// Brings a node to the newest form of its op.
pub(crate) fn upgrade(
    b: &mut Builder<'_>,
    node: &mut Node<'_>,
    op: &mut Op,
) -> Result<Step, OnnxError> {
    type ByKind = HashMap<OpKind, Vec<(i64, &'static Change)>>;
    static BY_KIND: LazyLock<ByKind> = LazyLock::new(|| {
        let mut map = ByKind::new();
        for (kinds, until, change) in CHANGES {
            kinds.iter().for_each(|kind| map.entry(*kind).or_default().push((*until, change)));
        }
        map
    });
    for (until, change) in BY_KIND.get(&op.kind).into_iter().flatten() {
        if node.version < *until
            && let Step::Done(outputs) = change.apply(b, node, op)?
        {
            return Ok(Step::Done(outputs));
        }
    }
    Ok(Step::Continue)
}

impl Change {
    fn apply(
        &self,
        b: &mut Builder<'_>,
        node: &mut Node<'_>,
        op: &mut Op,
    ) -> Result<Step, OnnxError> {
        match self {
            Drop(names) => names.iter().for_each(|name| drop(node.remove(name))),
            Operand(name, place) => {
                if let Some(list) = node.take_ints(name)?.filter(|list| !list.is_empty()) {
                    if op.input(*place).is_some() {
                        return Err(
                            OnnxErrorKind::AttributeTwice { name: (*name).to_owned() }.into()
                        );
                    }
                    set_operand(op, *place, Some(b.literal(Literal::vector(&list))));
                }
            }
            Whole(name) => match node.take(name)? {
                Some(Attr::Float(v)) if v.fract() == 0.0 => {
                    node.put_back(name, Attr::Int(v as i64));
                }
                Some(Attr::Int(v)) => node.put_back(name, Attr::Int(v)),
                None => {}
                Some(other) => {
                    let found = format!("{other:?}");
                    let (name, expected) = ((*name).to_owned(), "a whole number");
                    return Err(OnnxErrorKind::AttributeValue { name, found, expected }.into());
                }
            },
            Change::Defaults(set) => set(op),
            By(rewrite) => return rewrite(b, node, op),
        }
        Ok(Step::Continue)
    }
}

/// Gives an op the operand at a place.
fn set_operand(op: &mut Op, place: usize, value: Option<ValueId>) {
    if op.inputs.len() <= place {
        op.inputs.resize(place + 1, None);
    }
    op.inputs[place] = value;
}

/// The error for an attribute that must be set.
pub(crate) fn missing(name: &str) -> OnnxErrorKind {
    OnnxErrorKind::MissingAttribute { name: name.to_owned() }
}
