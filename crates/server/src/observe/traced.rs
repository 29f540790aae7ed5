//! Tensors, as traces show them.

use bytes::Bytes;
use trident_serving::{Fill, Input, Output, Part};

use super::cut;
use crate::http::infer::elements;
use crate::infer::{AnswerTensor, Data, InferInput};
use crate::json::Writer;
use crate::memory::Regions;

/// The bytes that a tensor takes beside its name, shape and elements.
const FRAME: usize = 64;

/// A tensor of a traced request.
pub(super) struct TracedTensor {
    activity: &'static str,
    name: String,
    /// The elements, separated by commas; empty for types that texts do not carry, and if there is no room for them.
    data: String,
    shape: Vec<i64>,
    data_type: &'static str,
}

impl TracedTensor {
    /// An input that a model has not seen yet, if there is room for it. Elements that cannot be read are left out: the model refuses
    /// them.
    pub(super) fn of_input(
        input: &InferInput,
        regions: &Regions,
        room: usize,
    ) -> Option<TracedTensor> {
        let data = match &input.data {
            Data::Bytes(bytes) => Some(bytes.clone()),
            Data::Json(json) => filled(json, room),
            Data::Varints(varints) => filled(varints, room),
            Data::Shared(place) => regions.part(place).ok().and_then(|part| filled(&part, room)),
            // Requests of clients have no parts. Those of steps are not yet in this form.
            Data::Parts(_) => None,
        };
        let (name, shape) = (cut(&input.name).to_owned(), input.shape.clone());
        let tensor = AnswerTensor { name, data_type: input.data_type, shape, data };
        TracedTensor::of_output(&tensor, room).map(TracedTensor::into_input)
    }

    /// An input of a step, if there is room for it.
    pub(super) fn of_step_input(input: &Input<'_>, room: usize) -> Option<TracedTensor> {
        let size: usize = input.data.iter().map(Part::size).sum();
        let data = if size > room { None } else { Part::joined(&input.data).ok() };
        let (name, shape) = (cut(&input.name).to_owned(), input.shape.clone());
        let tensor = AnswerTensor { name, data_type: input.data_type, shape, data };
        TracedTensor::of_output(&tensor, room).map(TracedTensor::into_input)
    }

    fn into_input(self) -> TracedTensor {
        TracedTensor { activity: "TENSOR_QUEUE_INPUT", ..self }
    }

    /// An output of a step, if there is room for it.
    pub(super) fn of_step_output(output: &Output, room: usize) -> Option<TracedTensor> {
        let data = Some(output.data.clone());
        let (name, shape) = (output.name.to_string(), output.shape.clone());
        TracedTensor::of_output(
            &AnswerTensor { name, data_type: output.data_type, shape, data },
            room,
        )
    }

    /// An output of a model, if there is room for it. Elements of more bytes than the room are left out.
    pub(super) fn of_output(tensor: &AnswerTensor, room: usize) -> Option<TracedTensor> {
        if FRAME + tensor.name.len() + size_of_val(&tensor.shape[..]) > room {
            return None;
        }
        let data = tensor.data.as_deref().filter(|data| data.len() <= room).unwrap_or_default();
        let mut written = Ok(());
        let mut writer = Writer::new(vec![]);
        writer.array(|writer| written = elements(writer, tensor, data));
        let text = writer.finish();
        let text = match (written, &text[..]) {
            (Ok(()), [_, elements @ .., _]) => elements,
            _ => &[],
        };
        Some(TracedTensor {
            activity: "TENSOR_BACKEND_OUTPUT",
            name: tensor.name.clone(),
            data: String::from_utf8_lossy(text).into_owned(),
            shape: tensor.shape.clone(),
            data_type: tensor.data_type.protocol_name(),
        })
    }

    /// The room that it takes.
    pub(super) fn size(&self) -> usize {
        FRAME + self.name.len() + size_of_val(&self.shape[..]) + self.data.len()
    }

    /// Writes the members of the tensor's object.
    pub(super) fn write(&self, writer: &mut Writer) {
        let shape: Vec<String> = self.shape.iter().map(i64::to_string).collect();
        writer.name("activity").string(self.activity.as_bytes());
        writer.name("tensor").object(|writer| {
            writer.name("name").string(self.name.as_bytes());
            writer.name("data").string(self.data.as_bytes());
            writer.name("shape").string(shape.join(",").as_bytes());
            writer.name("dtype").string(self.data_type.as_bytes());
        });
    }
}

/// The bytes of a source, if it has them and there is room for them.
fn filled(source: &dyn Fill, room: usize) -> Option<Bytes> {
    if source.size() > room { None } else { Part::filled(source).ok() }
}
