//! The proof that a model bears padding: a padded run beside an exact one.
//!
//! Inputs are those of the configuration's warm-up requests, or synthetic ones. The first half of a request along its padded
//! axis runs alone, and then padded to the whole length, so that no length occurs that the request does not have itself.

use super::padded::cut;
use super::part::Part;
use super::prepare::{Merge, Prepared};
use super::request::{InferenceRequest, Input, Output};
use super::respond::Share;
use super::run::{BatchError, RunSpan};
use crate::check::list;
use crate::config::DataType;
use crate::failure::{RequestError, ServeError};
use crate::model::{InputSpec, PadFault, Padding, ServedModel};
use crate::warmup::{WarmupRequest, WarmupTensor};
use bytes::Bytes;
use trident_ir::literal::LiteralData;
use trident_ir::{DType, Literal};

/// The lengths of synthetic inputs.
const LENGTHS: [usize; 3] = [2, 9, 16];

/// The rows of synthetic inputs.
const ROWS: usize = 2;

/// The size of other variable dimensions of synthetic inputs.
const OTHER: usize = 3;

impl ServedModel {
    /// Puts the parameter `pad` into effect, if the model has it: requests of different lengths share a batch from now on. An error
    /// if padding changes the results for the warm-up requests, or for synthetic ones if none of them has a length of 2 or more.
    ///
    /// Results of floats may differ by a part of the output's largest value: 1e-5 for FP32, 1e-12 for FP64, 1e-2 for FP16, 1e-1 for
    /// BF16. Others must be the same.
    pub fn prove_padding(&mut self, requests: &[WarmupRequest]) -> Result<(), ServeError> {
        let Some(padding) = self.padding.take() else { return Ok(()) };
        self.pads(&padding, true);
        let proven = self.proven(&padding, requests);
        self.pads(&padding, proven.is_ok());
        proven.map_err(|fault| {
            let (model, fault) = (self.name.clone(), Box::new(fault));
            ServeError::Padding { model, fault }
        })
    }

    /// Whether inputs of different lengths are padded.
    fn pads(&mut self, padding: &Padding, yes: bool) {
        for input in &padding.inputs {
            let spec = &mut self.inputs[input.at];
            spec.merge = if yes { Merge::Padded(input.axis) } else { Merge::Rows };
            spec.pad = input.element.clone();
        }
    }

    fn proven(&self, padding: &Padding, requests: &[WarmupRequest]) -> Result<(), PadFault> {
        if !self.merges || self.largest_batch.is_none_or(|largest| largest < 2) {
            return Err(PadFault::Alone);
        }
        let mut is_proven = false;
        for request in requests {
            let name = format!("warm-up request '{}'", request.name);
            is_proven |= self.prove(padding, &name, &request.inputs)?;
        }
        for length in LENGTHS.into_iter().filter(|_| !is_proven) {
            self.prove(padding, "synthetic inputs", &self.synthetic(padding, length))?;
        }
        Ok(())
    }

    /// Compares a padded run with an exact one. Whether the request is long enough for that.
    fn prove(
        &self,
        padding: &Padding,
        name: &str,
        tensors: &[WarmupTensor],
    ) -> Result<bool, PadFault> {
        let Some(length) = self.length(padding, tensors).filter(|length| *length > 1) else {
            return Ok(false);
        };
        let half = length.div_ceil(2);
        let request = format!("{name} of length {half}, padded to {length}");
        let run = |error: RequestError| PadFault::Run {
            request: request.clone(),
            cause: error.to_string(),
        };
        let inputs = tensors.iter().map(|tensor| self.shortened(padding, tensor, length, half));
        let inputs = InferenceRequest { inputs: inputs.collect(), ..InferenceRequest::default() };
        let prepared = self.prepare(0, inputs).map_err(run)?;
        let exact = self.run_alone(&prepared, half).map_err(run)?;
        let padded = self.run_alone(&prepared, length).map_err(run)?;
        for (exact, padded) in exact.iter().zip(&padded) {
            compare(&request, exact, padded)?;
        }
        Ok(true)
    }

    /// The outputs of a request that is padded to a length.
    fn run_alone(
        &self,
        request: &Prepared<'_>,
        length: usize,
    ) -> Result<Vec<Output>, RequestError> {
        let batch = [request];
        let results = self.run_to(&batch, Some(length), &mut RunSpan::default());
        let results = results.map_err(|error| match error {
            BatchError::Whole(error) => error,
            BatchError::Requests(faults) => {
                let mut errors = faults.into_iter().map(|(_, error)| error);
                errors.next().unwrap_or(RequestError::Abandoned)
            }
        })?;
        let output = |at: &usize| {
            let (rows, longest) = (request.rows, Some(length));
            let share = Share { batch: &batch, position: 0, rows, range: 0..rows, longest };
            self.output(&results, share, *at)
        };
        request.outputs.iter().map(output).collect()
    }

    /// The length of a request along its padded axes, if it is the same for all.
    fn length(&self, padding: &Padding, tensors: &[WarmupTensor]) -> Option<usize> {
        let mut lengths = padding.inputs.iter().map(|input| {
            let name = &self.inputs[input.at].name;
            let tensor = tensors.iter().find(|tensor| tensor.name == *name)?;
            usize::try_from(*tensor.shape.get(input.axis)?).ok()
        });
        let first = lengths.next()??;
        lengths.all(|other| other == Some(first)).then_some(first)
    }

    /// An input of a request, without the entries of its padded axis that are beyond a length.
    fn shortened(
        &self,
        padding: &Padding,
        tensor: &WarmupTensor,
        length: usize,
        kept: usize,
    ) -> Input<'static> {
        let (mut shape, mut data) = (tensor.shape.clone(), tensor.data.clone());
        let is_own = |at: usize| self.inputs[at].name == tensor.name;
        if let Some(input) = padding.inputs.iter().find(|input| is_own(input.at)) {
            let sizes = shape[..input.axis].iter().map(|dim| usize::try_from(*dim).unwrap_or(0));
            data = cut(&data, sizes.product(), length, kept);
            shape[input.axis] = kept as i64;
        }
        Input {
            name: tensor.name.clone().into(),
            data_type: tensor.data_type,
            shape,
            data: vec![Part::Shared(Bytes::from(data))],
        }
    }

    /// Inputs of a length: numbers from -1 to 1; integers and truth values are 0 or 1, and 1 at the start of each padded
    /// axis, so that no mask hides all of a row.
    fn synthetic(&self, padding: &Padding, length: usize) -> Vec<WarmupTensor> {
        let mut random = 1u64;
        let given = self.inputs.iter().enumerate().filter(|(_, spec)| spec.required);
        let tensor = |(at, spec): (usize, &InputSpec)| {
            let padded = padding.inputs.iter().find(|input| input.at == at);
            let axis = padded.map(|input| input.axis);
            let dims = spec.dims.as_deref().unwrap_or_default().iter().enumerate();
            let dims = dims.map(|(i, dim)| match usize::try_from(*dim) {
                _ if i == 0 => ROWS,
                _ if axis == Some(i) => length,
                Ok(dim) => dim,
                Err(_) => OTHER,
            });
            let dims: Vec<usize> = dims.collect();
            let inner: usize = axis.map_or(1, |axis| dims[axis + 1..].iter().product());
            let elements = (0..dims.iter().product()).flat_map(|i: usize| {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                let is_first = axis.is_some() && (i / inner.max(1)).is_multiple_of(length);
                synthetic(spec.dtype, random, is_first)
            });
            WarmupTensor {
                name: spec.name.clone(),
                data_type: spec.data_type,
                data: elements.collect(),
                shape: dims.iter().map(|dim| *dim as i64).collect(),
            }
        };
        given.map(tensor).collect()
    }
}

/// The bytes of an element with these random bits.
fn synthetic(dtype: DType, random: u64, is_first: bool) -> Vec<u8> {
    let fraction = (random >> 11) as f64 / (1u64 << 53) as f64;
    let value = match dtype.is_float() {
        true => fraction * 2.0 - 1.0,
        false if is_first || fraction >= 0.5 => 1.0,
        false => 0.0,
    };
    if dtype == DType::Str {
        return [&1u32.to_le_bytes()[..], b"a"].concat();
    }
    match Literal::number(dtype, value).data() {
        LiteralData::Bytes(bytes) => bytes.to_vec(),
        _ => vec![],
    }
}

/// An error if an output of a padded run is not that of an exact one.
fn compare(request: &str, exact: &Output, padded: &Output) -> Result<(), PadFault> {
    let form = |padded: String, exact_form: String| PadFault::Form {
        request: request.to_owned(),
        output: exact.name.to_string(),
        padded,
        exact: exact_form,
    };
    if exact.shape != padded.shape {
        let shape = |output: &Output| format!("of shape {}", list(&output.shape));
        return Err(form(shape(padded), shape(exact)));
    }
    if exact.data == padded.data {
        return Ok(());
    }
    let other = || form("not the same".into(), exact.data_type.name().into());
    let tolerance = tolerance(exact.data_type).ok_or_else(other)?;
    let (exact_values, padded_values) = numbers(exact).zip(numbers(padded)).ok_or_else(other)?;
    let largest = exact_values.iter().map(|value| value.abs()).filter(|value| value.is_finite());
    let allowed = tolerance * largest.fold(0.0, f64::max);
    let mut worst: Option<(usize, f64)> = None;
    for (i, (exact, padded)) in exact_values.iter().zip(&padded_values).enumerate() {
        let is_same = exact == padded || exact.is_nan() && padded.is_nan();
        let difference = (exact - padded).abs();
        let is_close = is_same || difference <= allowed;
        if !is_close && worst.is_none_or(|(_, other)| difference > other || difference.is_nan()) {
            worst = Some((i, difference));
        }
    }
    let Some((element, difference)) = worst else { return Ok(()) };
    Err(PadFault::Differs {
        request: request.to_owned(),
        output: exact.name.to_string(),
        element,
        padded: padded_values[element],
        exact: exact_values[element],
        difference,
        allowed,
    })
}

/// The part of an output's largest value by which its elements may differ; `None` if they must be the same.
fn tolerance(data_type: DataType) -> Option<f64> {
    match data_type {
        DataType::Fp64 => Some(1e-12),
        DataType::Fp32 => Some(1e-5),
        DataType::Fp16 => Some(1e-2),
        DataType::Bf16 => Some(1e-1),
        _ => None,
    }
}

fn numbers(output: &Output) -> Option<Vec<f64>> {
    let dims = output.shape.iter().map(|dim| usize::try_from(*dim).ok()).collect::<Option<_>>()?;
    Literal::from_bytes(output.data_type.dtype()?, dims, output.data.clone()).ok()?.to_f64s()
}
