//! Checks of a request to an ensemble, with the texts of requests to models.

use super::Ensemble;
use crate::batch::{InferenceRequest, Input};
use crate::check::{full, list};
use crate::config::ModelInput;
use crate::failure::RequestError;

impl Ensemble {
    /// An error unless a request fits the ensemble's inputs and outputs. Sizes in bytes are checked by the steps.
    pub(super) fn check(&self, request: &InferenceRequest<'_>) -> Result<(), RequestError> {
        let model = || self.config.name.clone();
        let mut rows = None;
        for (at, input) in request.inputs.iter().enumerate() {
            let Some(spec) = self.config.input.iter().find(|spec| spec.name == input.name) else {
                let input = input.name.clone().into_owned();
                return Err(RequestError::UnexpectedInput { model: model(), input });
            };
            if request.inputs[..at].iter().any(|other| other.name == input.name) {
                return Err(RequestError::Twice { input: input.name.clone().into_owned() });
            }
            self.check_input(spec, input, &mut rows)?;
        }
        let is_given = |spec: &ModelInput| request.inputs.iter().any(|i| i.name == spec.name);
        let required = || self.config.input.iter().filter(|spec| !spec.optional);
        let missing: Vec<String> =
            required().filter(|spec| !is_given(spec)).map(|spec| spec.name.clone()).collect();
        if !missing.is_empty() {
            let given = request.inputs.iter().map(|input| input.name.clone().into_owned());
            let (given, expected) = (given.collect(), required().count());
            return Err(RequestError::Missing { model: model(), expected, given, missing });
        }
        let names = request.outputs.iter().flatten();
        let mut unknown =
            names.filter(|name| !self.config.output.iter().any(|own| own.name == ***name));
        match unknown.next() {
            Some(name) => {
                let output = name.clone().into_owned();
                Err(RequestError::UnexpectedOutput { model: model(), output })
            }
            None => Ok(()),
        }
    }

    /// Checks a single input. `rows` is the batch size of those before.
    fn check_input(
        &self,
        spec: &ModelInput,
        input: &Input<'_>,
        rows: &mut Option<i64>,
    ) -> Result<(), RequestError> {
        let (model, name) = (|| self.config.name.clone(), || spec.name.clone());
        if input.data_type != spec.data_type {
            let (given, expected) = (input.data_type, spec.data_type);
            return Err(RequestError::DataType { model: model(), input: name(), given, expected });
        }
        let dims = spec.reshape.as_ref().map_or(&spec.dims, |reshape| &reshape.shape);
        let full = full(&self.config, dims);
        let fits = |(own, given): (&i64, &i64)| *given >= 0 && (*own == -1 || own == given);
        if full.len() != input.shape.len() || !full.iter().zip(&input.shape).all(fits) {
            let (expected, given) = (list(&full), list(&input.shape));
            return Err(RequestError::Shape { model: model(), input: name(), expected, given });
        }
        let is_batched = self.config.max_batch_size > 0;
        let Some(own) = input.shape.first().filter(|_| is_batched) else { return Ok(()) };
        if rows.is_some_and(|rows| rows != *own) {
            return Err(RequestError::BatchSize { model: model(), input: name() });
        }
        *rows = Some(*own);
        let largest = usize::try_from(self.config.max_batch_size).unwrap_or(0);
        match usize::try_from(*own).is_ok_and(|own| own <= largest) {
            true => Ok(()),
            false => Err(RequestError::TooManyRows { model: model(), largest }),
        }
    }
}
