//! `POST /v1/embeddings`: texts become vectors.

use bytes::Bytes;
use trident_serving::{DataType, Fault, ModelConfig};

use super::models::Service;
use super::{Asking, Failure, PARAMETER};
use crate::base64;
use crate::http::infer::elements;
use crate::http::inference::answered;
use crate::http::reply::{Reply, json, object};
use crate::infer::{AnswerTensor, Data, InferInput, InferOutput, InferRequest};
use crate::json::{Document, JsonValue, Writer};

/// The output that counts the tokens of each text, if the model has it.
const COUNT: &str = "token_count";

/// The most texts of a request, as OpenAI has it.
const MOST: usize = 2048;

/// A request.
struct Question {
    model: String,
    texts: Vec<Vec<u8>>,
    form: Form,
    /// The dimensions that the client asks for.
    dimensions: Option<u64>,
}

/// How vectors are written.
#[derive(Clone, Copy)]
enum Form {
    /// Numbers.
    Float,
    /// Bytes of little-endian f32 in base64.
    Base64,
}

/// The vectors of some texts.
struct Vectors {
    /// The output, whose elements are those of all texts.
    tensor: AnswerTensor,
    data: Bytes,
    /// The bytes of a vector.
    width: usize,
    /// The tokens of all texts, if the model counts them.
    tokens: Option<u64>,
}

/// Answers a request.
pub(super) async fn embed(asking: &mut Asking<'_>, document: &Document) -> Result<Reply, Failure> {
    let model = asking.model(document)?;
    let question = Question::of(document, model.name())?;
    if Service::of(model.config()) != Some(Service::Embeddings) {
        return Err(Failure::invalid(format!(
            "model '{}' does not embed texts: set its parameter '{PARAMETER}' to '{}' if it does",
            question.model,
            Service::Embeddings.name()
        )));
    }
    let tensors = Tensors::of(model.config())?;
    // Requests of one client follow each other, so that those of others come between them.
    let mut batches = vec![];
    for texts in question.texts.chunks(tensors.most) {
        let mut request = tensors.request(texts);
        asking.submits(&mut request)?;
        let answer = answered(asking.front, &model, request, &mut asking.observed).await?;
        let vectors = Vectors::of(answer.outputs, &tensors, texts.len())?;
        let dimensions = (vectors.width / size_of::<f32>()) as u64;
        if let Some(asked) = question.dimensions.filter(|asked| *asked != dimensions) {
            return Err(Failure::invalid(format!(
                "'dimensions' is {asked}, and the vectors of '{}' have {dimensions}",
                question.model
            )));
        }
        batches.push(vectors);
    }
    Ok(json(write(&question, &batches)?))
}

/// An error unless a model with this configuration can embed texts.
pub(super) fn check(config: &ModelConfig) -> Result<(), Fault> {
    if config.model_transaction_policy.as_ref().is_some_and(|policy| policy.decoupled) {
        return Err(Fault::invalid(format_args!(
            "model '{}' has any number of answers (decoupled), and embeddings need one",
            config.name
        )));
    }
    Tensors::of(config).map(drop)
}

impl Question {
    fn of(document: &Document, model: &str) -> Result<Question, Failure> {
        let (root, model) = (document.root(), model.to_owned());
        let form = match root.get("encoding_format").filter(|form| !form.is_null()) {
            None => Form::Float,
            Some(form) => match form.string().as_deref() {
                Ok(b"float") => Form::Float,
                Ok(b"base64") => Form::Base64,
                _ => return Err(Failure::invalid("'encoding_format' must be 'float' or 'base64'")),
            },
        };
        let dimensions = root.get("dimensions").filter(|dimensions| !dimensions.is_null());
        let dimensions = dimensions.map(JsonValue::unsigned).transpose();
        let dimensions =
            dimensions.map_err(|_| Failure::invalid("'dimensions' must be a whole number"))?;
        let texts = texts(root.get("input"))?;
        Ok(Question { model, texts, form, dimensions })
    }
}

/// The texts of a request: one, or several in an array.
fn texts(input: Option<JsonValue<'_>>) -> Result<Vec<Vec<u8>>, Failure> {
    let refused =
        || Failure::invalid("'input' must be a text or an array of texts; tokens are not taken");
    let input = input.ok_or_else(refused)?;
    if let Ok(text) = input.string() {
        return Ok(vec![text.into_owned()]);
    }
    if !input.is_array() || input.is_numbers() {
        return Err(refused());
    }
    let texts = input.elements().into_iter().flatten();
    let texts = texts.map(|text| text.string().map(|text| text.into_owned()));
    let texts = texts.collect::<Result<Vec<_>, _>>().map_err(|_| refused())?;
    match texts.len() {
        1..=MOST => Ok(texts),
        count => {
            Err(Failure::invalid(format!("'input' has {count} texts, and must have 1 to {MOST}")))
        }
    }
}

/// The tensors of a model that embeds texts.
struct Tensors<'a> {
    input: &'a str,
    output: &'a str,
    counts: bool,
    has_batch: bool,
    /// The most texts of a request to the model.
    most: usize,
}

impl Tensors<'_> {
    fn of(config: &ModelConfig) -> Result<Tensors<'_>, Fault> {
        let vectors = || config.output.iter().filter(|output| output.data_type == DataType::Fp32);
        let has_batch = config.max_batch_size > 0;
        let dims: &[i64] = if has_batch { &[1] } else { &[-1] };
        let most = usize::try_from(config.max_batch_size).ok().filter(|_| has_batch);
        match (&*config.input, vectors().count(), vectors().next()) {
            ([input], 1, Some(output))
                if input.data_type == DataType::String && input.dims == dims =>
            {
                let counts = config
                    .output
                    .iter()
                    .any(|output| output.name == COUNT && output.data_type == DataType::Int64);
                let (input, output) = (&*input.name, &*output.name);
                Ok(Tensors { input, output, counts, has_batch, most: most.unwrap_or(MOST) })
            }
            _ => Err(Fault::invalid(format_args!(
                "model '{}' has the parameter '{}', so that it must have one input of type TYPE_STRING and dims {dims:?}, and one \
                 output of type TYPE_FP32",
                config.name, PARAMETER
            ))),
        }
    }

    /// The request of some texts to the model.
    fn request(&self, texts: &[Vec<u8>]) -> InferRequest {
        let mut data = Vec::with_capacity(texts.iter().map(|text| text.len() + 4).sum());
        for text in texts {
            // A body is at most some mebibytes.
            data.extend_from_slice(&(text.len() as u32).to_le_bytes());
            data.extend_from_slice(text);
        }
        let rows = texts.len() as i64;
        let input = InferInput {
            name: self.input.to_owned(),
            data_type: DataType::String,
            shape: if self.has_batch { vec![rows, 1] } else { vec![rows] },
            data: Data::Bytes(data.into()),
        };
        let names = [Some(self.output), self.counts.then_some(COUNT)];
        let output = |name: &str| InferOutput { name: name.to_owned(), ..InferOutput::default() };
        let outputs = names.into_iter().flatten().map(output).collect();
        InferRequest { inputs: vec![input], outputs, ..InferRequest::default() }
    }
}

impl Vectors {
    /// The vectors of so many texts.
    fn of(
        outputs: Vec<AnswerTensor>,
        tensors: &Tensors<'_>,
        rows: usize,
    ) -> Result<Vectors, Failure> {
        let mut outputs = outputs;
        let counts = outputs.iter().find(|output| output.name == COUNT && tensors.counts);
        let tokens = counts.map(|counts| {
            let (counts, _) = counts.data.as_deref().unwrap_or_default().as_chunks();
            let mut counts =
                counts.iter().map(|count| u64::try_from(i64::from_le_bytes(*count)).ok());
            counts.try_fold(0u64, |sum, count| sum.checked_add(count?))
        });
        if tokens == Some(None) {
            let text = format!("output '{COUNT}' has numbers that count no tokens");
            return Err(Fault::internal(text).into());
        }
        let vectors = outputs.iter().position(|output| output.name == tensors.output);
        let Some(mut tensor) = vectors.map(|at| outputs.swap_remove(at)) else {
            return Err(Fault::internal("the model has answered without its vectors").into());
        };
        let data = tensor.data.take().unwrap_or_default();
        let has_rows = tensor.shape.len() > 1 && tensor.shape.first() == Some(&(rows as i64));
        if !has_rows || data.is_empty() || !data.len().is_multiple_of(rows * size_of::<f32>()) {
            return Err(Fault::internal(format_args!(
                "output '{}' has the shape {:?}, and not a vector for each of {rows} texts",
                tensor.name, tensor.shape
            ))
            .into());
        }
        Ok(Vectors { tensor, width: data.len() / rows, data, tokens: tokens.flatten() })
    }
}

/// The answer to a request.
fn write(question: &Question, batches: &[Vectors]) -> Result<Vec<u8>, Fault> {
    let mut written = Ok(());
    let text = object(|writer| {
        writer.name("object").string(b"list");
        writer.name("data").array(|writer| {
            let rows = batches.iter().flat_map(|vectors| {
                vectors.data.chunks_exact(vectors.width).map(|row| (&vectors.tensor, row))
            });
            for (index, (tensor, row)) in rows.enumerate() {
                writer.object(|writer| {
                    writer.name("object").string(b"embedding");
                    writer.name("index").integer(index);
                    let vector = writer.name("embedding");
                    if let Err(fault) = vector_of(vector, question.form, tensor, row) {
                        written = Err(fault);
                    }
                });
            }
        });
        writer.name("model").string(question.model.as_bytes());
        let tokens = batches.iter().map(|vectors| vectors.tokens);
        let tokens = tokens.reduce(|sum, more| sum?.checked_add(more?)).flatten();
        if let Some(tokens) = tokens {
            writer.name("usage").object(|writer| {
                writer.name("prompt_tokens").integer(tokens);
                writer.name("total_tokens").integer(tokens);
            });
        }
    });
    written.map(|()| text)
}

fn vector_of(
    writer: &mut Writer,
    form: Form,
    tensor: &AnswerTensor,
    row: &[u8],
) -> Result<(), Fault> {
    match form {
        Form::Base64 => {
            writer.string(base64::encode(row).as_bytes());
            Ok(())
        }
        Form::Float => {
            let (numbers, _) = row.as_chunks();
            if !numbers.iter().all(|number| f32::from_le_bytes(*number).is_finite()) {
                return Err(Fault::internal(format_args!(
                    "output '{}' has a vector with NaN or infinity, which JSON does not have; hint: 'encoding_format' may be 'base64'",
                    tensor.name
                )));
            }
            let mut written = Ok(());
            writer.array(|writer| written = elements(writer, tensor, row));
            written
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tensor(name: &str, data_type: DataType, shape: &[i64], data: &[u8]) -> AnswerTensor {
        let data = Some(Bytes::copy_from_slice(data));
        AnswerTensor { name: name.to_owned(), data_type, shape: shape.to_vec(), data }
    }

    #[test]
    fn vectors_with_numbers_that_json_lacks_are_refused() {
        let vector = tensor("v", DataType::Fp32, &[1, 1], &f32::NAN.to_le_bytes());
        let row = vector.data.clone().unwrap();
        let write = |form| vector_of(&mut Writer::new(vec![]), form, &vector, &row);
        let fault = write(Form::Float).unwrap_err();
        assert!(fault.text.starts_with("output 'v' has a vector with NaN"), "{}", fault.text);
        assert!(write(Form::Base64).is_ok());
    }

    #[test]
    fn counts_below_zero_are_refused() {
        let tensors = Tensors { input: "t", output: "v", counts: true, has_batch: true, most: 2 };
        let answer = |count: i64| {
            let vector = tensor("v", DataType::Fp32, &[1, 1], &1f32.to_le_bytes());
            let count = tensor(COUNT, DataType::Int64, &[1, 1], &count.to_le_bytes());
            Vectors::of(vec![vector, count], &tensors, 1)
        };
        assert_eq!(answer(7).ok().unwrap().tokens, Some(7));
        assert!(answer(-1).err().unwrap().text.contains("'token_count'"));
    }
}
