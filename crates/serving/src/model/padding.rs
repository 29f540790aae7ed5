//! The parameter `pad`: requests of different lengths share a batch, with padded inputs.
//!
//! The parameter names inputs with the values that they are padded with: `input_ids=0, attention_mask=0`. Each of them has one
//! variable dimension after that of the batch, which is padded at its end. The analysis of axes tells along which axes of the
//! outputs results are cut back (`rows/padding.rs` of `passes`); a run tells whether the model bears padding (`prove.rs`).

use crate::check::list;
use crate::config::{DataType, ModelConfig};
use crate::model::InputSpec;
use bytes::Bytes;
use trident_engine::rows::{LostAxis, PaddedAxis};
use trident_ir::Literal;
use trident_ir::literal::LiteralData;
use trident_model::Model as Loaded;

/// The reason why requests of a model cannot be padded.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // fields are what the texts say they are
pub enum PadFault {
    /// An entry that is not a name and a value.
    #[error(
        "'{0}' is not of the form INPUT=VALUE; entries are separated by commas, as in 'input_ids=0, attention_mask=0'"
    )]
    Entry(String),
    /// A name that is not an input.
    #[error("'{0}' is not an input that every request gives")]
    Input(String),
    /// An input with two values.
    #[error("input '{0}' is named twice")]
    Twice(String),
    /// A value that the input's type does not have.
    #[error("'{value}' is not a value of input '{input}' of type {ty}")]
    Value { input: String, value: String, ty: &'static str },
    /// An input with no axis to pad, or several.
    #[error(
        "input '{input}' has shape {shape}, but one variable dimension is expected after that of the batch"
    )]
    Shape { input: String, shape: String },
    /// A field that forms batches in another way.
    #[error("it cannot be combined with '{0}'")]
    Field(&'static str),
    /// A model without batches of several requests.
    #[error("requests of this model run one by one, so padding would have no effect")]
    Alone,
    /// Results that cannot be cut back.
    #[error("results of a padded run could not be cut back: {0}")]
    Axis(LostAxis),
    /// A run that fails.
    #[error(
        "the model does not run on {request}: {cause}; hint: declare a request that fits the model in 'model_warmup'"
    )]
    Run { request: String, cause: String },
    /// A result that depends on padding.
    #[error(
        "padding changes results: on {request}, element {element} of output '{output}' is {padded} padded and {exact} exact, which \
         differ by {difference:.3e}; allowed is {allowed:.3e}"
    )]
    Differs {
        request: String,
        output: String,
        element: usize,
        padded: f64,
        exact: f64,
        difference: f64,
        allowed: f64,
    },
    /// A result whose form or text depends on padding.
    #[error(
        "padding changes results: on {request}, output '{output}' is {padded} padded and {exact} exact"
    )]
    Form { request: String, output: String, padded: String, exact: String },
}

/// How inputs are padded and outputs cut back.
#[derive(Clone, Debug)]
pub(crate) struct Padding {
    pub(crate) inputs: Vec<PaddedInput>,
    /// By the model's outputs: the axes that are cut, ascending.
    pub(crate) cuts: Vec<Vec<usize>>,
}

/// An input that is padded.
#[derive(Clone, Debug)]
pub(crate) struct PaddedInput {
    /// Its position in the model.
    pub(crate) at: usize,
    pub(crate) axis: usize,
    /// The bytes of an element of the padding.
    pub(crate) element: Bytes,
}

impl Padding {
    /// The padding that a configuration asks for, if it does.
    pub(super) fn of(
        config: &ModelConfig,
        model: &Loaded,
        inputs: &[InputSpec],
        same_bits: bool,
    ) -> Result<Option<Padding>, PadFault> {
        let Some(text) = config.parameter("pad") else { return Ok(None) };
        let fields = [
            ("sequence_batching", config.sequences().is_some()),
            ("allow_ragged_batch", config.input.iter().any(|input| input.allow_ragged_batch)),
            ("batch_input", !config.batch_input.is_empty()),
            ("batch_output", !config.batch_output.is_empty()),
            ("same_bits", same_bits),
        ];
        if let Some((field, _)) = fields.into_iter().find(|(_, given)| *given) {
            return Err(PadFault::Field(field));
        }
        let mut padded: Vec<PaddedInput> = vec![];
        for entry in text.split(',').map(str::trim) {
            let input = PaddedInput::of(entry, inputs)?;
            if padded.iter().any(|other| other.at == input.at) {
                return Err(PadFault::Twice(inputs[input.at].name.clone()));
            }
            padded.push(input);
        }
        let axes: Vec<PaddedAxis> =
            padded.iter().map(|own| PaddedAxis { input: own.at, axis: own.axis }).collect();
        let cuts = model.padded_axes(&axes).map_err(PadFault::Axis)?;
        Ok(Some(Padding { inputs: padded, cuts }))
    }
}

impl PaddedInput {
    fn of(entry: &str, inputs: &[InputSpec]) -> Result<PaddedInput, PadFault> {
        let Some((name, value)) = entry.split_once('=') else {
            return Err(PadFault::Entry(entry.into()));
        };
        let (name, value) = (name.trim(), value.trim());
        let at = inputs.iter().position(|spec| spec.name == name && spec.required);
        let at = at.ok_or_else(|| PadFault::Input(name.into()))?;
        let spec = &inputs[at];
        let element = element(spec, value).ok_or_else(|| {
            let ty = spec.data_type.name();
            PadFault::Value { input: name.into(), value: value.into(), ty }
        })?;
        let dims = spec.dims.as_deref().unwrap_or_default();
        let mut axes = (1..dims.len()).filter(|axis| dims[*axis] == -1);
        match (axes.next(), axes.next()) {
            (Some(axis), None) => Ok(PaddedInput { at, axis, element }),
            _ => {
                let shape = spec.dims.as_deref().map_or_else(|| "any".into(), list);
                Err(PadFault::Shape { input: name.into(), shape })
            }
        }
    }
}

/// The bytes of a value; `None` if the input's type does not have it.
fn element(spec: &InputSpec, value: &str) -> Option<Bytes> {
    let bytes = match spec.data_type {
        DataType::Invalid | DataType::String => return None,
        DataType::Bool => vec![match value {
            "0" | "false" => 0,
            "1" | "true" => 1,
            _ => return None,
        }],
        DataType::Uint8 => value.parse::<u8>().ok()?.to_le_bytes().to_vec(),
        DataType::Uint16 => value.parse::<u16>().ok()?.to_le_bytes().to_vec(),
        DataType::Uint32 => value.parse::<u32>().ok()?.to_le_bytes().to_vec(),
        DataType::Uint64 => value.parse::<u64>().ok()?.to_le_bytes().to_vec(),
        DataType::Int8 => value.parse::<i8>().ok()?.to_le_bytes().to_vec(),
        DataType::Int16 => value.parse::<i16>().ok()?.to_le_bytes().to_vec(),
        DataType::Int32 => value.parse::<i32>().ok()?.to_le_bytes().to_vec(),
        DataType::Int64 => value.parse::<i64>().ok()?.to_le_bytes().to_vec(),
        DataType::Fp32 => value.parse::<f32>().ok()?.to_le_bytes().to_vec(),
        DataType::Fp64 => value.parse::<f64>().ok()?.to_le_bytes().to_vec(),
        DataType::Fp16 | DataType::Bf16 => {
            match Literal::number(spec.dtype, value.parse().ok()?).data() {
                LiteralData::Bytes(bytes) => return Some(bytes.clone()),
                _ => return None,
            }
        }
    };
    Some(bytes.into())
}
