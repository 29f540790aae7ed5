//! Outputs that are divided among the requests of a batch by the shapes of an input (`batch_output`).

use super::prepare::Prepared;
use super::request::Output;
use super::respond::{all_of, size};
use crate::config::{DataType, ModelConfig, ModelOutput};
use crate::failure::RequestError;
use crate::model::{InputSpec, OutputSpec, ServedModel};
use std::sync::Arc;
use trident_runtime::Tensor;

/// The rule for an output.
#[derive(Debug)]
pub(crate) struct Scatter {
    /// The dimensions of a request's part; `None` for those of the source.
    dims: Vec<Option<usize>>,
    /// The position of the source among the inputs.
    source: usize,
}

impl Scatter {
    /// The rule for an output, if the configuration has one, which was compared with the model.
    pub(crate) fn of(
        config: &ModelConfig,
        output: &ModelOutput,
        inputs: &[InputSpec],
    ) -> Option<Scatter> {
        let mut rules = config.batch_output.iter();
        let rule = rules.find(|rule| rule.target_name.contains(&output.name))?;
        let source = rule.source_input.first()?;
        let source = inputs.iter().position(|spec| spec.name == *source)?;
        let dims = config.scattered(output);
        let dims = dims.into_iter().map(|dim| usize::try_from(dim).ok()).collect();
        Some(Scatter { dims, source })
    }

    /// The dimensions of a request's part.
    fn shape(&self, request: &Prepared<'_>) -> impl Iterator<Item = usize> {
        let source = request.given(self.source).map_or(&[][..], |given| &given.dims);
        let own = self.dims.iter().enumerate();
        own.map(|(at, dim)| dim.or_else(|| source.get(at).copied()).unwrap_or(0))
    }

    /// The number of elements of the parts of requests.
    fn elements(&self, requests: &[&Prepared<'_>]) -> usize {
        let parts =
            requests.iter().map(|request| self.shape(request).fold(1, usize::saturating_mul));
        parts.fold(0, usize::saturating_add)
    }
}

impl ServedModel {
    /// The part of the request at a position of a batch: so many elements of the output as its shape has, after those of the
    /// requests before it.
    pub(super) fn scattered(
        &self,
        spec: &OutputSpec,
        scatter: &Scatter,
        batch: &[&Prepared<'_>],
        request: usize,
        tensor: &Tensor,
        (at, data_type): (usize, DataType),
    ) -> Result<Output, RequestError> {
        let (model, output) = (|| self.name.clone(), || spec.name.to_string());
        let expected = scatter.elements(batch);
        if expected != tensor.len() {
            let (model, output, given) = (model(), output(), tensor.len());
            let input = self.inputs[scatter.source].name.clone();
            return Err(RequestError::OutputElements { model, output, input, expected, given });
        }
        let start = scatter.elements(&batch[..request]);
        let end = start + scatter.elements(&batch[request..=request]);
        let shape = scatter.shape(batch[request]).map(size).collect();
        let data = all_of(tensor, start..end);
        let fault = |source| RequestError::Output { model: model(), output: output(), source };
        let name = Arc::clone(&spec.name);
        Ok(Output { at, name, data_type, shape, data: data.map_err(fault)? })
    }
}
