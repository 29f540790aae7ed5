//! Inputs that tell a model about the sequence of a request.

use super::{Correlation, Sequence, SequenceFault};
use crate::batch::{Given, Merge, Part, encode_strings};
use crate::config::{DataType, ModelSequenceBatching, SequenceControl, SequenceControlKind};
use crate::model::Interface;
use bytes::Bytes;
use std::slice;

/// The longest text of an id, in bytes.
const LONGEST_ID: usize = 128;

/// The controls of a model.
pub(crate) struct Controls {
    model: String,
    start: Option<Flag>,
    end: Option<Flag>,
    ready: Option<Flag>,
    id: Option<IdControl>,
}

/// An input that tells a truth value.
struct Flag {
    at: usize,
    dims: Vec<usize>,
    no: Bytes,
    yes: Bytes,
}

/// The input that tells the id.
struct IdControl {
    at: usize,
    dims: Vec<usize>,
    name: String,
    data_type: DataType,
}

impl Controls {
    /// The controls of a configuration that has been compared with the model.
    pub(crate) fn of(model: Interface<'_>, batching: &ModelSequenceBatching) -> Controls {
        let (start, end, ready, id) = Default::default();
        let mut controls = Controls { model: model.name.to_owned(), start, end, ready, id };
        for input in &batching.control_input {
            let Some(at) = model.inputs.iter().position(|spec| spec.name == input.name) else {
                continue;
            };
            let is_scalar = model.inputs[at].dims.as_ref().is_some_and(Vec::is_empty);
            let dims = match model.largest_batch {
                Some(_) => vec![1, 1],
                None if is_scalar => vec![],
                None => vec![1],
            };
            // Validation has seen to it that an input has one.
            let Some(control) = input.control.first() else { continue };
            let [no, yes] = control_values(control);
            let flag = |dims| Some(Flag { at, dims, no, yes });
            match control.kind {
                SequenceControlKind::Start => controls.start = flag(dims),
                SequenceControlKind::End => controls.end = flag(dims),
                SequenceControlKind::Ready => controls.ready = flag(dims),
                SequenceControlKind::Corrid => {
                    let (name, data_type) = (input.name.clone(), control.data_type);
                    controls.id = Some(IdControl { at, dims, name, data_type });
                }
            }
        }
        controls
    }

    /// The positions of the controls among the model's inputs.
    pub(crate) fn positions(&self) -> impl Iterator<Item = usize> {
        let flags = [&self.start, &self.end, &self.ready].into_iter().flatten();
        flags.map(|flag| flag.at).chain(self.id.as_ref().map(|id| id.at))
    }

    /// The inputs of a request. It is always ready: batches have no rows without a request.
    pub(crate) fn given(&self, sequence: &Sequence) -> Result<Vec<Given<'static>>, SequenceFault> {
        let flags = [(&self.start, sequence.start), (&self.end, sequence.end), (&self.ready, true)];
        let flags = flags.into_iter().filter_map(|(flag, value)| {
            let Flag { at, dims, no, yes } = flag.as_ref()?;
            Some(single(*at, dims, if value { yes } else { no }.clone()))
        });
        let mut given: Vec<Given<'static>> = flags.collect();
        if let Some(control) = &self.id {
            let bytes = self.bytes(control, &sequence.id)?;
            given.push(single(control.at, &control.dims, bytes));
        }
        Ok(given)
    }

    /// An id as the model's input has it. The types of fewer bits hold it if no bit is lost, as in the server.
    fn bytes(&self, control: &IdControl, id: &Correlation) -> Result<Bytes, SequenceFault> {
        let (model, name) = (|| self.model.clone(), || control.name.clone());
        let expected = control.data_type;
        match (id, expected) {
            (Correlation::Text(text), DataType::String) => {
                Ok(encode_strings(slice::from_ref(text)))
            }
            (Correlation::Number(_), DataType::String) => {
                let given = DataType::Uint64;
                Err(SequenceFault::IdType { model: model(), control: name(), given, expected })
            }
            (Correlation::Text(_), _) => {
                let given = DataType::String;
                Err(SequenceFault::IdType { model: model(), control: name(), given, expected })
            }
            (Correlation::Number(id), DataType::Uint32 | DataType::Int32) => {
                match u32::try_from(*id) {
                    Ok(id) => Ok(Bytes::copy_from_slice(&id.to_le_bytes())),
                    Err(_) => {
                        let (id, control) = (*id, name());
                        Err(SequenceFault::IdRange { model: model(), control, id, expected })
                    }
                }
            }
            (Correlation::Number(id), _) => Ok(Bytes::copy_from_slice(&id.to_le_bytes())),
        }
    }

    /// An error unless a request of so many rows may belong to a sequence of this id.
    pub(crate) fn check(&self, id: &Correlation, rows: usize) -> Result<(), SequenceFault> {
        match id {
            _ if rows != 1 => Err(SequenceFault::Rows { model: self.model.clone() }),
            id if id.is_none() => Err(SequenceFault::NoId { model: self.model.clone() }),
            Correlation::Text(text) if text.len() > LONGEST_ID => Err(SequenceFault::LongId),
            _ => Ok(()),
        }
    }
}

/// An input of one element.
fn single(at: usize, dims: &[usize], bytes: Bytes) -> Given<'static> {
    let (dims, parts) = (dims.to_vec(), vec![Part::Shared(bytes)]);
    Given { at, dims, elements: 1, parts, merge: Merge::Rows }
}

/// The bytes of no and yes. Validation has seen to it that there are two values, of one type; the id has none.
pub(crate) fn control_values(control: &SequenceControl) -> [Bytes; 2] {
    let SequenceControl { int32_false_true, fp32_false_true, bool_false_true, .. } = control;
    [0, 1].map(|at| match (int32_false_true.get(at), fp32_false_true.get(at)) {
        (Some(value), _) => Bytes::copy_from_slice(&value.to_le_bytes()),
        (None, Some(value)) => Bytes::copy_from_slice(&value.to_le_bytes()),
        (None, None) => match bool_false_true.get(at) {
            Some(value) => Bytes::copy_from_slice(&[u8::from(*value)]),
            None => Bytes::new(),
        },
    })
}
