//! Results that go into memory of the caller, or that the caller receives before the run ends.

use crate::context::{Partial, Sink};
use crate::error::RunError;
use crate::plan::{Plan, Source};
use crate::signature::Signature;
use std::cell::RefCell;
use std::sync::Arc;
use trident_ir::DType;
use trident_runtime::{Tensor, Value};

/// The caller's memory and sink for results.
#[derive(Default)]
pub(crate) struct Outputs {
    /// Results by their place in the frame; empty without a sink.
    places: Vec<(usize, String)>,
    bound: RefCell<Vec<Binding>>,
    sink: Option<Arc<dyn Sink>>,
}

struct Binding {
    /// The position of the result among the function's, and its place in the frame if a step computes it.
    result: usize,
    place: Option<usize>,
    name: String,
    /// `None` once a launch has taken it.
    memory: Option<Tensor>,
    /// The memory's first byte and length; `None` for strings, which have no bytes.
    place_of_bytes: Option<(usize, usize)>,
}

/// The address of a tensor's first byte, and the number of bytes; `None` for strings.
fn place_of_bytes(tensor: &Tensor) -> Option<(usize, usize)> {
    tensor.bytes().ok().map(|bytes| (bytes.as_ptr().addr(), bytes.len()))
}

/// An error if memory bound to an output overlaps an input or another output's memory: it would be written while it is
/// read.
pub(crate) fn separate(
    inputs: &[(&str, Value)],
    outputs: &[(String, Tensor)],
) -> Result<(), RunError> {
    for (i, (name, memory)) in outputs.iter().enumerate() {
        let overlapped = |value: &Value| value.any_tensor(&|tensor| tensor.overlaps(memory));
        let input = inputs.iter().find(|(_, value)| overlapped(value));
        let input = input.map(|(other, _)| format!("input `{other}`"));
        let output = || outputs[..i].iter().find(|(_, other)| other.overlaps(memory));
        let other = input.or_else(|| output().map(|(other, _)| format!("output `{other}`")));
        if let Some(other) = other {
            let reason =
                format!("its memory overlaps that of {other}, which needs memory of its own");
            return Err(RunError::Output { name: name.clone(), reason });
        }
    }
    Ok(())
}

impl Outputs {
    /// Binds memory to results, by name, and a sink, which does not get the results with the names given with it.
    pub(crate) fn new(
        plan: &Plan,
        signature: &Signature,
        bound: Vec<(String, Tensor)>,
        sink: Option<(Arc<dyn Sink>, &[String])>,
    ) -> Result<Outputs, RunError> {
        if bound.is_empty() && sink.is_none() {
            return Ok(Outputs::default());
        }
        let place = |result: usize| match plan.body.results.get(result)?.source {
            Source::Value(place) => Some(place),
            _ => None,
        };
        let mut bindings: Vec<Binding> = vec![];
        for (name, memory) in bound {
            let at = signature.outputs.iter().position(|output| output.name == name);
            let wrong =
                |reason: &str| RunError::Output { name: name.clone(), reason: reason.into() };
            let result = at.ok_or_else(|| wrong("the model has no such output"))?;
            if bindings.iter().any(|other| other.result == result) {
                return Err(wrong("it is bound twice"));
            }
            if !memory.is_unique() {
                return Err(wrong("its memory is shared or constant, so it cannot be written"));
            }
            let place_of_bytes = place_of_bytes(&memory);
            let memory = Some(memory);
            bindings.push(Binding { result, place: place(result), name, memory, place_of_bytes });
        }
        let mut places = vec![];
        let sink = sink.map(|(sink, without)| {
            let names = signature.outputs.iter().enumerate();
            let names = names.filter(|(_, output)| !without.contains(&output.name));
            places.extend(names.filter_map(|(i, output)| Some((place(i)?, output.name.clone()))));
            sink
        });
        Ok(Outputs { places, bound: RefCell::new(bindings), sink })
    }

    /// The caller's memory for the value at a place, if it has this type.
    pub(super) fn memory(&self, place: usize, dtype: DType, dims: &[usize]) -> Option<Tensor> {
        let mut bound = self.bound.borrow_mut();
        let binding = bound.iter_mut().find(|binding| binding.place == Some(place))?;
        let fits = |t: &&mut Tensor| (t.dtype(), t.dims()) == (dtype, dims);
        binding.memory.as_mut().filter(fits)?;
        binding.memory.take()
    }

    /// Whether the caller has a sink for parts of results.
    pub(super) fn wants_parts(&self) -> bool {
        self.sink.is_some()
    }

    /// Passes part of the value at a place to the caller's sink, if it is a result.
    pub(super) fn part(&self, place: Option<usize>, part: Partial<'_>) {
        let (Some(sink), Some(place)) = (&self.sink, place) else { return };
        for (_, name) in self.places.iter().filter(|(own, _)| *own == place) {
            sink.partial(name, part);
        }
    }

    /// Copies results that were computed elsewhere, such as views of others, into the memory bound to them.
    ///
    /// # Errors
    /// If a result does not fit its memory, or if a launch has taken the memory and given a result that lies elsewhere: nobody could
    /// write the memory any more.
    pub(super) fn fill(&self, results: &mut [Value]) -> Result<(), RunError> {
        for Binding { result, name, memory, place_of_bytes: own, .. } in self.bound.take() {
            let wrong = |reason: String| RunError::Output { name: name.clone(), reason };
            let Some(value) = results.get_mut(result) else { continue };
            let Some(mut memory) = memory else {
                let given = value.as_tensor().and_then(place_of_bytes);
                // Memory without bytes has nothing to write.
                if own.is_some_and(|(_, len)| len > 0) && given != own {
                    let reason = "an op has taken its memory and given a result that lies in other \
                                  memory; run without memory of your own for it, and report this";
                    return Err(wrong(reason.to_owned()));
                }
                continue;
            };
            match value {
                Value::Tensor(t) if (t.dtype(), t.dims()) == (memory.dtype(), memory.dims()) => {
                    let copied = match t.dtype() {
                        DType::Str => t.strings().and_then(|from| {
                            memory.write_strings()?.extend(from.iter().map(String::as_str))
                        }),
                        _ => t.bytes().and_then(|from| {
                            memory.bytes_mut()?.copy_from_slice(from);
                            Ok(())
                        }),
                    };
                    copied.map_err(|e| wrong(e.to_string()))?;
                    *value = Value::Tensor(memory);
                }
                other => {
                    let (actual, given) = (other.describe(), memory.ty());
                    return Err(wrong(format!("it is {actual}, but its memory is for {given}")));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trident_runtime::Pool;

    #[test]
    fn a_result_beside_memory_that_a_launch_has_taken_is_an_error() {
        let pool = Pool::new();
        let tensor = || Tensor::from_slice(&pool, &[2], &[1.0f32, 2.0]).unwrap();
        let fill = |memory: Option<Tensor>, own: &Tensor, result: Tensor| {
            let place_of_bytes = place_of_bytes(own);
            let name = "y".to_owned();
            let binding = Binding { result: 0, place: None, name, memory, place_of_bytes };
            let outputs = Outputs { bound: RefCell::new(vec![binding]), ..Outputs::default() };
            outputs.fill(&mut [Value::Tensor(result)])
        };
        let own = tensor();
        assert!(fill(None, &own, own.clone()).is_ok());
        let error = fill(None, &own, tensor()).unwrap_err();
        assert!(matches!(&error, RunError::Output { name, .. } if name == "y"), "{error}");
        // What nobody has taken is filled by a copy.
        assert!(fill(Some(tensor()), &own, tensor()).is_ok());
    }
}
