//! Single requests to a model of one short launch: from the bytes of the request to those of its answer, without the machinery of a
//! run. That took ten times as long as the launch.

use super::part::{Part, size};
use super::prepare::Prepared;
use super::request::{Output, Response, Timing};
use super::respond;
use crate::config::DataType;
use crate::model::{InputSpec, ServedModel};
use std::sync::Arc;
use std::time::{Duration, Instant};
use trident_engine::Session;
use trident_ir::{DType, Dim, Type};
use trident_runtime::{TensorView, TensorViewMut};

/// The most inputs of such a model.
const INPUTS: usize = 4;

/// The most bytes of a request's inputs, and of its result. They are not counted in the model's memory.
const BYTES: usize = 16 << 10;

/// Where copies of inputs begin: at multiples of this.
const ALIGNMENT: usize = 16;

/// A model of one short launch.
#[derive(Debug)]
pub(crate) struct DirectModel {
    /// The element types of its inputs, in the session's order, which is that of the served model.
    inputs: Vec<DType>,
    result: DType,
    data_type: DataType,
    dims: Vec<ResultDim>,
}

/// A dimension of the result.
#[derive(Clone, Copy, Debug)]
enum ResultDim {
    Fixed(usize),
    /// The same as an axis of an input.
    Of {
        input: usize,
        axis: usize,
    },
}

impl DirectModel {
    /// `None` for a session that is not one short launch, or whose result has dimensions that no input has.
    pub(crate) fn of(session: &Session, inputs: &[InputSpec]) -> Option<DirectModel> {
        let signature = session.signature();
        let [output] = &signature.outputs[..] else { return None };
        let is_same =
            inputs.iter().map(|own| &own.name).eq(signature.inputs.iter().map(|i| &i.name));
        let is_made = inputs.iter().any(|own| own.is_made);
        if !is_same || is_made || inputs.len() > INPUTS || !signature.optional.is_empty() {
            return None;
        }
        let types = signature.inputs.iter().map(|input| tensor(&input.ty));
        let types = types.collect::<Option<Vec<_>>>()?;
        let (result, dims) = tensor(&output.ty)?;
        let dim = |dim: &Dim| match dim {
            Dim::Fixed(size) => Some(ResultDim::Fixed(*size)),
            Dim::Sym(_) => types.iter().enumerate().find_map(|(input, (_, dims))| {
                let axis = dims.iter().position(|own| own == dim)?;
                Some(ResultDim::Of { input, axis })
            }),
            _ => None,
        };
        let own = DirectModel {
            inputs: types.iter().map(|(dtype, _)| *dtype).collect(),
            result,
            data_type: DataType::of(result)?,
            dims: dims.iter().map(dim).collect::<Option<_>>()?,
        };
        own.is_direct(session, &types).then_some(own)
    }

    /// Whether a launch on the smallest inputs is direct.
    fn is_direct(&self, session: &Session, types: &[(DType, &[Dim])]) -> bool {
        let size = |dim: &Dim| dim.fixed().unwrap_or(1);
        let shapes: Vec<Vec<usize>> =
            types.iter().map(|(_, dims)| dims.iter().map(size).collect()).collect();
        let shapes: Vec<&[usize]> = shapes.iter().map(Vec::as_slice).collect();
        let bytes = types.iter().zip(&shapes).map(|((dtype, _), dims)| length(*dtype, dims));
        let Some(bytes) = bytes.collect::<Option<Vec<usize>>>() else { return false };
        let zeros: Vec<Vec<u8>> = bytes.into_iter().map(|bytes| vec![0; bytes]).collect();
        let inputs: Vec<&[u8]> = zeros.iter().map(Vec::as_slice).collect();
        self.launch(session, &shapes, &inputs).is_some()
    }

    /// The result of a launch; `None` if it is not direct.
    fn launch(
        &self,
        session: &Session,
        shapes: &[&[usize]],
        inputs: &[&[u8]],
    ) -> Option<(Vec<usize>, Vec<u8>)> {
        let dims = self.dims.iter().map(|dim| match *dim {
            ResultDim::Fixed(size) => Some(size),
            ResultDim::Of { input, axis } => shapes.get(input)?.get(axis).copied(),
        });
        let dims = dims.collect::<Option<Vec<usize>>>()?;
        // Memory that is asked for as zeros does not come from the allocator's cache of the thread.
        let bytes = length(self.result, &dims)?;
        let mut result: Vec<u8> = std::iter::repeat_n(0, bytes).collect();
        let mut views = [TensorView::new(DType::U8, &[0], &[])?; INPUTS];
        for (at, view) in views[..self.inputs.len()].iter_mut().enumerate() {
            *view = TensorView::new(self.inputs[at], shapes.get(at)?, inputs.get(at)?)?;
        }
        let view = TensorViewMut::new(self.result, &dims, &mut result)?;
        let is_done = session.direct(&views[..self.inputs.len()], &mut [view]);
        is_done.then_some((dims, result))
    }
}

impl ServedModel {
    /// The answer to a request that runs alone; `None` if it needs a run, which also tells what is wrong with it.
    pub(crate) fn direct(&self, request: &Prepared<'_>) -> Option<Response> {
        let direct = self.direct.as_ref()?;
        let ([at], None, None) = (&request.outputs[..], &request.kept, request.length) else {
            return None;
        };
        let (at, spec) = (*at, &self.outputs[*at]);
        let is_whole = spec.at == Some(0) && spec.scatter.is_none() && spec.cuts.is_empty();
        let start = Instant::now();
        if !is_whole
            || request.inputs.len() != direct.inputs.len()
            || request.left().is_some()
            || self.operations.is_due(start)
        {
            return None;
        }
        let (mut shapes, mut places) = ([&[][..]; INPUTS], [None; INPUTS]);
        let (mut copies, mut end) = (vec![], 0);
        for (at, given) in request.inputs.iter().enumerate() {
            shapes[at] = &given.dims;
            if let [Part::Shared(bytes)] = &given.parts[..]
                && bytes.as_ptr().addr().is_multiple_of(direct.inputs[at].size().max(1))
            {
                continue;
            }
            places[at] = Some(end);
            end = (end + size(&given.parts)).next_multiple_of(ALIGNMENT);
            if end > BYTES {
                return None;
            }
        }
        copies.resize(end, 0);
        for (given, place) in request.inputs.iter().zip(places) {
            let Some(mut at) = place else { continue };
            for part in &given.parts {
                let end = at + part.size();
                write(part, copies.get_mut(at..end)?)?;
                at = end;
            }
        }
        let mut inputs = [&[][..]; INPUTS];
        for (at, given) in request.inputs.iter().enumerate() {
            inputs[at] = match (places[at], &given.parts[..]) {
                (Some(place), parts) => copies.get(place..place + size(parts))?,
                (None, [Part::Shared(bytes)]) => bytes,
                (None, _) => return None,
            };
        }
        let run = Instant::now();
        let count = direct.inputs.len();
        let (dims, data) = direct.launch(&self.session, &shapes[..count], &inputs[..count])?;
        let end = Instant::now();
        // Else the configuration is wrong.
        if self.largest_batch.is_some() && dims.first() != Some(&request.rows) {
            return None;
        }
        let shape = match dims.is_empty() {
            true => spec.scalar.clone(),
            false => dims.into_iter().map(respond::size).collect(),
        };
        let (name, data_type) = (Arc::clone(&spec.name), direct.data_type);
        let (input, output) = (run.saturating_duration_since(start), Duration::ZERO);
        let (run, rows) = (end.saturating_duration_since(run), request.rows);
        let timing = Some(Timing { start, input, run, output, rows, leads: true });
        Some(Response {
            outputs: vec![Output { at, name, data_type, shape, data: data.into() }],
            timing,
        })
    }
}

/// Writes the bytes of a part. `None` if they cannot be written, or may still change.
fn write(part: &Part<'_>, to: &mut [u8]) -> Option<()> {
    match part {
        Part::Borrowed(bytes) => to.copy_from_slice(bytes),
        Part::Shared(bytes) => to.copy_from_slice(bytes),
        Part::Fill(fill) => return (fill.fill(to).ok()? == to.len()).then_some(()),
        Part::Foreign(_) => return None,
    }
    Some(())
}

/// Element type and dimensions of a tensor whose elements are numbers of whole bytes.
fn tensor(ty: &Type) -> Option<(DType, &[Dim])> {
    let Type::Tensor(tensor) = ty else { return None };
    let is_number =
        !matches!(tensor.dtype, DType::Str | DType::Bool) && tensor.dtype.bits() % 8 == 0;
    Some((tensor.dtype, ty.shape().filter(|_| is_number)?))
}

/// The bytes of a tensor; `None` if they are too many.
fn length(dtype: DType, dims: &[usize]) -> Option<usize> {
    let bytes = dims.iter().try_fold(dtype.size(), |bytes, dim| bytes.checked_mul(*dim));
    bytes.filter(|bytes| *bytes <= BYTES)
}
