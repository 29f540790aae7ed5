//! Inputs that are made from a batch: numbers of elements and shapes of its requests (`batch_input`).

use super::prepare::{Given, Prepared};
use super::run::BatchError;
use crate::config::{BatchInputKind, DataType, ModelConfig};
use crate::failure::RequestError;
use crate::model::{InputSpec, ServedModel};
use trident_ir::DType;
use trident_runtime::{KernelError, Value};

/// An input that is made from a batch.
#[derive(Debug)]
pub(crate) struct MadeInput {
    kind: BatchInputKind,
    /// The positions of the inputs that get it.
    targets: Vec<usize>,
    dtype: DType,
    /// The position of the input that it is made from.
    source: usize,
}

/// Numbers, and their dimensions.
struct Numbers {
    dims: Vec<usize>,
    values: Vec<usize>,
}

impl MadeInput {
    /// The inputs that a configuration has made, which was compared with the model.
    pub(crate) fn all(config: &ModelConfig, inputs: &[InputSpec]) -> Vec<MadeInput> {
        let find = |name: &String| inputs.iter().position(|spec| spec.name == *name);
        let made = config.batch_input.iter().filter_map(|made| {
            Some(MadeInput {
                kind: made.kind,
                targets: made.target_name.iter().filter_map(find).collect(),
                dtype: made.data_type.dtype()?,
                source: find(made.source_input.first()?)?,
            })
        });
        made.collect()
    }

    /// As in the server, numbers of elements are those of requests, and shapes are those of rows.
    fn numbers(&self, batch: &[&Prepared<'_>]) -> Numbers {
        let given = batch.iter().filter_map(|request| request.given(self.source));
        let counts = given.clone().map(|given| given.elements);
        let sums = counts.clone().scan(0usize, |sum, count| {
            *sum = sum.saturating_add(count);
            Some(*sum)
        });
        let shapes = given.clone().flat_map(|Given { dims, .. }| match &**dims {
            [rows, item @ ..] => item.repeat(*rows),
            [] => vec![],
        });
        let list = |values: Vec<usize>| Numbers { dims: vec![values.len()], values };
        match self.kind {
            BatchInputKind::ElementCount => list(counts.collect()),
            BatchInputKind::AccumulatedElementCount => list(sums.collect()),
            BatchInputKind::AccumulatedElementCountWithZero => {
                list([0].into_iter().chain(sums).collect())
            }
            // Only its length tells something, so its elements are zeros.
            BatchInputKind::MaxElementCountAsShape => list(vec![0; counts.max().unwrap_or(0)]),
            BatchInputKind::ItemShapeFlatten => list(shapes.collect()),
            BatchInputKind::ItemShape => {
                let rank = given.map(|given| given.dims.len().saturating_sub(1)).max();
                let rows = batch.iter().map(|request| request.rows).sum();
                Numbers { dims: vec![rows, rank.unwrap_or(0)], values: shapes.collect() }
            }
        }
    }
}

impl ServedModel {
    /// The inputs that are made from a batch.
    pub(super) fn made(&self, batch: &[&Prepared<'_>]) -> Result<Vec<(&str, Value)>, BatchError> {
        let mut inputs = vec![];
        for made in &self.made {
            let Numbers { dims, values } = made.numbers(batch);
            for &at in &made.targets {
                let bytes = encoded(made.dtype, &values).ok_or_else(|| {
                    let (model, input) = (self.name.clone(), self.inputs[at].name.clone());
                    BatchError::Whole(RequestError::Count { model, input })
                })?;
                let fault = |source: KernelError| BatchError::Whole(self.no_input(at, source));
                let tensor = self.session.gather(made.dtype, &dims, [&*bytes]).map_err(fault)?;
                inputs.push((&*self.inputs[at].name, Value::Tensor(tensor)));
            }
        }
        Ok(inputs)
    }
}

/// Numbers in the form of a tensor: as FP32, rounded, or as INT32. `None` if this type does not hold them.
fn encoded(dtype: DType, values: &[usize]) -> Option<Vec<u8>> {
    let number = |value: &usize| match DataType::of(dtype) {
        Some(DataType::Fp32) => Some((*value as f32).to_le_bytes()),
        _ => i32::try_from(*value).ok().map(i32::to_le_bytes),
    };
    let bytes: Option<Vec<[u8; 4]>> = values.iter().map(number).collect();
    Some(bytes?.concat())
}
