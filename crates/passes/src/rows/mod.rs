//! Independent rows: whether each row of the outputs depends only on the same row of the inputs, so that requests may
//! share a batch.
//!
//! The first dimension of every input becomes one symbol, the number of rows, and types are inferred again. Then each
//! value gets a [`State`], by what its op states about axes ([`trident_ir::axes`]): the rows lie along one axis, or the
//! value is the same in any batch, or it depends on the number of rows, or rows are mixed. A Reshape may merge the rows
//! with other axes, and another one may split them again, so an axis may be `outer` × rows × `inner`.
//!
//! The answer errs on one side: a model that is called independent is so, while an op whose shapes cannot be inferred
//! counts as mixing.

mod control;
mod padding;
mod state;
mod transfer;

pub use padding::{LostAxis, PaddedAxis, padded_axes};

use state::State;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use trident_ir::shape::Facts;
use trident_ir::{Block, Dim, Func, Op, OpName, Type, ValueId};

/// The name of the number of rows, which no model has.
const ROWS: &str = "rows of the batch";

/// The evidence that rows are not independent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MixedRows {
    /// An input has no first dimension, or more than the first one has its name.
    #[error("input `{input}` of type {ty} does not have its rows along the first dimension alone")]
    Input {
        /// Its name.
        input: String,
        /// Its type.
        ty: String,
    },
    /// An op mixes rows.
    #[error("{op} {reason}")]
    Op {
        /// The op, with its place in the model.
        op: OpName,
        /// How it does so.
        reason: Mixing,
    },
    /// An output has no rows, or not along its first dimension.
    #[error("output `{output}` of type {ty} does not have the rows along its first dimension{}", from(op.as_ref()))]
    Output {
        /// Its name.
        output: String,
        /// The op that gives it.
        op: Option<OpName>,
        /// Its type, for any number of rows.
        ty: String,
    },
    /// The model does not take another number of rows.
    #[error("the model takes a fixed number of rows: {0}")]
    Shape(String),
}

/// How an op mixes rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mixing {
    /// It computes across the axis of rows, or its row of the op table does not say how it treats that axis.
    Across {
        /// The operand.
        operand: String,
        /// Its axis with the rows.
        axis: usize,
    },
    /// Operands have the rows along axes that do not belong together.
    Apart,
    /// An operand that is the same in every batch has a fixed number of rows.
    Fixed {
        /// The operand.
        operand: String,
    },
    /// It computes with the number of rows.
    Counts,
    /// The dimensions of its result do not keep rows apart.
    Merged {
        /// The result's type.
        ty: String,
    },
    /// The runs of its regions depend on rows, or the values that these yield have no common rows.
    Runs,
    /// Its results are random.
    Random,
}

impl fmt::Display for Mixing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mixing::Across { operand, axis } => {
                write!(f, "computes across axis {axis} of `{operand}`, which has the rows")
            }
            Mixing::Apart => f.write_str("combines operands with rows along different axes"),
            Mixing::Fixed { operand } => {
                write!(f, "combines rows with `{operand}`, which has a fixed number of them")
            }
            Mixing::Counts => f.write_str("computes with the number of rows"),
            Mixing::Merged { ty } => {
                write!(f, "does not keep rows apart in its result of type {ty}")
            }
            Mixing::Runs => f.write_str("runs its subgraphs in a way that depends on all rows"),
            Mixing::Random => f.write_str("gives random numbers"),
        }
    }
}

/// Whether the rows of a graph function's outputs depend only on the same rows of its inputs. The error is the first
/// op that mixes rows on the way to an output.
pub fn independent(func: &Func) -> Result<(), MixedRows> {
    let mut func = with_rows(func)?;
    let facts = Facts::of(&mut func).map_err(|e| MixedRows::Shape(e.to_string()))?;
    let states = vec![State::Shared; func.values.len()];
    let mut flow = Flow { func: &func, facts: &facts, states };
    for &param in &func.body.params {
        flow.states[param.index()] = State::first_axis();
    }
    flow.block(&func.body);
    for &result in &func.body.results {
        match &flow.states[result.index()] {
            State::Mixed(cause) => return Err((**cause).clone()),
            state if state.is_first_axis() => {}
            _ => {
                let info = func.info(result);
                let (output, ty) = (info.name.clone(), shown(&info.ty));
                let from = |op: &&Op| op.defined().any(|value| value == result);
                let op = func.body.ops.iter().find(from).map(Op::name);
                return Err(MixedRows::Output { output, op, ty });
            }
        }
    }
    Ok(())
}

/// The function with the symbol as the first dimension of every parameter. Other dimensions that are not known get a
/// name each, so that shapes can be followed.
fn with_rows(func: &Func) -> Result<Func, MixedRows> {
    let mut func = func.clone();
    let mut own = HashMap::new();
    for &param in &func.body.params {
        let info = func.info(param);
        let error = || MixedRows::Input { input: info.name.clone(), ty: info.ty.to_string() };
        let shape = info.ty.as_tensor().and_then(|ty| ty.shape.clone());
        let first = shape.as_ref().and_then(|shape| shape.first()).ok_or_else(error)?;
        if let Dim::Sym(name) = first {
            own.insert(Arc::clone(name), param);
        }
    }
    for &param in &func.body.params {
        let info = &mut func.values[param.index()];
        let before = info.ty.to_string();
        let Type::Tensor(ty) = &mut info.ty else { continue };
        for (i, dim) in ty.shape.iter_mut().flatten().enumerate() {
            match dim {
                _ if i == 0 => *dim = Dim::sym(ROWS),
                Dim::Unknown => *dim = own_name(param, i),
                Dim::Sym(name) if own.contains_key(name) => {
                    return Err(MixedRows::Input { input: info.name.clone(), ty: before });
                }
                Dim::Sym(_) | Dim::Fixed(_) => {}
            }
        }
    }
    Ok(func)
}

/// A name for a dimension of a parameter that has none.
fn own_name(param: ValueId, axis: usize) -> Dim {
    Dim::sym(&format!("dimension {axis} of value {}", param.0))
}

/// The op that gives an output, as messages show it.
fn from(op: Option<&OpName>) -> String {
    op.map_or_else(String::new, |op| format!(": it is the result of {op}"))
}

/// A type as messages show it.
fn shown(ty: &Type) -> String {
    ty.to_string().replace(&format!("`{ROWS}`"), "rows").replace(ROWS, "rows").replace('"', "")
}

/// A walk over a function.
struct Flow<'a> {
    func: &'a Func,
    facts: &'a Facts,
    /// By value.
    states: Vec<State>,
}

impl Flow<'_> {
    fn block(&mut self, block: &Block) {
        for op in &block.ops {
            let results = match op.regions.is_empty() {
                true => self.transfer(op),
                false => self.control(op),
            };
            for (out, state) in op.outputs.iter().zip(results) {
                if let Some(out) = out {
                    self.states[out.index()] = state;
                }
            }
        }
    }

    fn state(&self, value: ValueId) -> &State {
        &self.states[value.index()]
    }
}
