//! Values that persist between runs.
//!
//! A run gets the values themselves, not copies: [`Lent`] lends the tensors of a state to one run, and restores them if
//! the run fails or panics. A kernel may extend a lent tensor, or replace parts of it, in place
//! (`runtime/src/tensor/loan.rs`).

use crate::signature::Signature;
use std::collections::{BTreeMap, BTreeSet};
use trident_ir::literal::checked_len;
use trident_ir::{Dim, ValueInfo};
use trident_runtime::{Recall, Value};

/// The least size for which a growing dimension is planned.
const LEAST: usize = 64;

/// Values that one run stores for the next: key–value caches, hidden states. Each is an output of one run that becomes
/// an input of later ones, of the same function or another of the session. One state serves one sequence of runs, such
/// as a conversation; a session can have any number of states.
///
/// A cache is updated in place, as long as the caller does not hold the value too:
/// - by `TensorScatter`, `ScatterND` and `ScatterElements` (without a reduction), which write only the updated elements,
/// - by `Concat`, if the cache is its first operand and all dimensions before the axis are 1. It writes only the new rows. Once the
///   memory is full, the cache moves to memory of [`State::with_capacity`], or of twice the size.
///
/// In all other cases the run makes a new value.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Outputs by the name of the input that they become.
    links: BTreeMap<String, String>,
    /// Values by the name of the input.
    values: BTreeMap<String, Value>,
    /// Sizes that dimensions are expected to reach, by name.
    capacities: BTreeMap<String, usize>,
    /// See [`State::written`].
    written: usize,
}

impl State {
    /// An empty state: each of `links` is an input and the output that a later run receives as this input. A function
    /// that lacks one of the two neither uses nor updates it.
    pub fn new<'a>(links: impl IntoIterator<Item = (&'a str, &'a str)>) -> State {
        let links = links.into_iter();
        let links = links.map(|(input, output)| (input.to_owned(), output.to_owned())).collect();
        State { links, ..State::default() }
    }

    /// The state with an expected size of a dimension, by the name that inputs of the model have for it. Runs up to this size share
    /// one memory plan, and caches get memory for it when they first grow. A larger size is not an error. Without an expected size,
    /// the dimensions in which caches grow are planned for the next power of two.
    pub fn with_capacity(mut self, dim: &str, size: usize) -> State {
        self.capacities.insert(dim.to_owned(), size);
        self
    }

    /// The value that the next run receives as this input, if there is one.
    pub fn get(&self, input: &str) -> Option<&Value> {
        self.values.get(input)
    }

    /// Sets the value that the next run receives as this input; `None`, without effect, if no link has such an input.
    pub fn set(&mut self, input: &str, value: Value) -> Option<()> {
        self.links.contains_key(input).then(|| {
            self.values.insert(input.to_owned(), value);
        })
    }

    /// Removes all values.
    pub fn clear(&mut self) {
        self.values.clear();
    }

    /// The number of bytes that the last successful run wrote to this state: the new elements of values that were updated in place,
    /// and all elements of the others.
    pub fn written(&self) -> usize {
        self.written
    }

    /// Lends the values that a run of this signature needs from the state, except inputs that the caller gives. Returns
    /// them by the names of inputs.
    pub(crate) fn lend<'f>(
        &mut self,
        signature: &'f Signature,
        given: &[(&str, Value)],
        growth: &Growth,
    ) -> (Lent<'_>, Vec<(&'f str, Value)>) {
        let (mut lent, mut values) = (vec![], vec![]);
        for info in signature.all() {
            let name = info.name.as_str();
            if given.iter().any(|(other, _)| *other == name) {
                continue;
            }
            let Some(mut value) = self.values.remove(name) else { continue };
            let recall = match &mut value {
                Value::Tensor(tensor) => tensor.lend(growth.bytes(info, tensor.dims())),
                _ => None,
            };
            let back = recall.map_or_else(|| Back::Shared(value.clone()), Back::Lent);
            lent.push((name.to_owned(), back));
            values.push((name, value));
        }
        (Lent { state: self, lent }, values)
    }

    /// The outputs that the state stores.
    pub(crate) fn outputs(&self) -> impl Iterator<Item = &str> {
        self.links.values().map(String::as_str)
    }

    /// The sizes for which runs of this signature are planned.
    pub(crate) fn growth(&self, signature: &Signature) -> Growth {
        let mut growing = BTreeSet::new();
        for (input, output) in &self.links {
            let output = signature.outputs.iter().find(|info| info.name == *output);
            let (Some(input), Some(output)) = (signature.find(input), output) else { continue };
            let (Some(before), Some(after)) = (input.ty.shape(), output.ty.shape()) else {
                continue;
            };
            if before.len() == after.len() {
                let pairs = before.iter().zip(after);
                let changed = pairs.filter(|(before, after)| before != after);
                growing.extend(changed.filter_map(|(before, _)| match before {
                    Dim::Sym(name) => Some(name.to_string()),
                    _ => None,
                }));
            }
        }
        Growth { capacities: self.capacities.clone(), growing }
    }

    /// Stores the results that later runs use, and returns the others.
    fn keep(&mut self, results: Vec<(String, Value)>) -> Vec<(String, Value)> {
        let mut others = vec![];
        self.written = 0;
        for (name, mut value) in results {
            let written = match &mut value {
                Value::Tensor(tensor) => tensor.end_loan(),
                _ => None,
            };
            let inputs: Vec<&String> =
                self.links.iter().filter(|(_, o)| **o == name).map(|(i, _)| i).collect();
            if inputs.is_empty() {
                others.push((name, value));
                continue;
            }
            self.written += written.unwrap_or_else(|| value.size());
            for input in inputs {
                self.values.insert(input.clone(), value.clone());
            }
        }
        others
    }
}

/// The values of a state that are lent to a run. Values that the run does not replace return to the state when this is
/// dropped.
pub(crate) struct Lent<'s> {
    state: &'s mut State,
    /// By the name of the input.
    lent: Vec<(String, Back)>,
}

/// How a value returns to the state.
enum Back {
    /// Once the run has dropped it.
    Lent(Recall),
    /// A copy that shares the elements, which the run therefore cannot change.
    Shared(Value),
}

impl Lent<'_> {
    /// Stores the results that later runs use, and returns the others.
    pub(crate) fn keep(mut self, results: Vec<(String, Value)>) -> Vec<(String, Value)> {
        let others = self.state.keep(results);
        let replaced = |input: &String| self.state.values.contains_key(input);
        self.lent.retain(|(input, _)| !replaced(input));
        others
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        for (input, back) in self.lent.drain(..) {
            let value = match back {
                Back::Lent(recall) => recall.take().map(Value::Tensor),
                Back::Shared(value) => Some(value),
            };
            if let Some(value) = value {
                self.state.values.insert(input, value);
            }
        }
    }
}

/// The sizes for which runs with a state are planned: the greatest ones of each dimension, so that a longer cache does
/// not need a new plan.
#[derive(Debug, Default)]
pub(crate) struct Growth {
    /// Expected sizes by name.
    capacities: BTreeMap<String, usize>,
    /// Dimensions in which values of the state grow.
    growing: BTreeSet<String>,
}

impl Growth {
    /// The size for which a named dimension is planned that is `actual` now.
    pub(crate) fn planned(&self, name: &str, actual: usize) -> usize {
        match self.capacities.get(name) {
            Some(&capacity) if actual <= capacity => capacity,
            None if !self.growing.contains(name) => actual,
            _ => actual.checked_next_power_of_two().unwrap_or(actual).max(LEAST),
        }
    }

    /// Whether a dimension of this name is planned for another size than it has.
    pub(crate) fn is_open(&self, name: &str) -> bool {
        self.capacities.contains_key(name) || self.growing.contains(name)
    }

    /// The size in bytes for which an input with these dimensions is planned; 0 if it is not known.
    fn bytes(&self, info: &ValueInfo, dims: &[usize]) -> usize {
        let (Some(shape), Some(dtype)) = (info.ty.shape(), info.ty.dtype()) else { return 0 };
        let planned = shape.iter().zip(dims).map(|(dim, &actual)| match dim {
            Dim::Sym(name) => self.planned(name, actual),
            _ => actual,
        });
        let planned: Vec<usize> = planned.collect();
        checked_len(&planned).and_then(|n| n.checked_mul(dtype.size())).unwrap_or(0)
    }
}
