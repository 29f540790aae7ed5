//! Comparison of an ensemble's maps with the inputs and outputs of the models of its steps.

use super::EnsembleFault;
use crate::check::{full, list};
use crate::config::{DataType, EnsembleStep, ModelConfig};
use std::collections::BTreeMap;

/// A tensor of the ensemble as a model describes it.
struct Known {
    model: String,
    data_type: DataType,
    dims: Vec<i64>,
    /// With the batch dimension.
    full: Vec<i64>,
}

impl Known {
    fn of(config: &ModelConfig, data_type: DataType, dims: &[i64]) -> Known {
        let (model, full) = (config.name.clone(), full(config, dims));
        Known { model, data_type, dims: dims.to_vec(), full }
    }
}

/// Types and shapes of an ensemble's tensors, as far as they are known.
pub(super) struct Tensors<'c> {
    ensemble: &'c ModelConfig,
    known: BTreeMap<String, Known>,
}

impl<'c> Tensors<'c> {
    pub(super) fn of(ensemble: &'c ModelConfig) -> Tensors<'c> {
        let inputs = ensemble.input.iter().map(|input| {
            let dims = input.reshape.as_ref().map_or(&input.dims, |reshape| &reshape.shape);
            (input.name.clone(), Known::of(ensemble, input.data_type, dims))
        });
        let outputs = ensemble.output.iter().map(|output| {
            let dims = output.reshape.as_ref().map_or(&output.dims, |reshape| &reshape.shape);
            (output.name.clone(), Known::of(ensemble, output.data_type, dims))
        });
        Tensors { ensemble, known: inputs.chain(outputs).collect() }
    }

    /// Adds a step with the complete configuration of its model.
    pub(super) fn add(
        &mut self,
        step: &EnsembleStep,
        model: &ModelConfig,
    ) -> Result<(), EnsembleFault> {
        let config = self.ensemble;
        let (ensemble, name) = (|| config.name.clone(), || step.model_name.clone());
        let (most, largest) = (config.max_batch_size, model.max_batch_size);
        if largest != 0 && largest < most {
            return Err(EnsembleFault::BatchSize {
                ensemble: ensemble(),
                own: most,
                model: name(),
                largest,
            });
        }
        for (input, tensor) in &step.input_map {
            if !model.input.iter().any(|own| own.name == *input) {
                let (tensor, input) = (tensor.clone(), input.clone());
                let (ensemble, model) = (ensemble(), name());
                return Err(EnsembleFault::NoInput { ensemble, tensor, input, model });
            }
        }
        for input in &model.input {
            match step.input_map.get(&input.name) {
                Some(tensor) => {
                    self.agree(tensor, Known::of(model, input.data_type, &input.dims))?
                }
                None if input.optional => {}
                None => {
                    let (ensemble, input, model) = (ensemble(), input.name.clone(), name());
                    return Err(EnsembleFault::Unmapped { ensemble, input, model });
                }
            }
        }
        for (output, tensor) in &step.output_map {
            let Some(own) = model.output.iter().find(|own| own.name == *output) else {
                let (tensor, output) = (tensor.clone(), output.clone());
                let (ensemble, model) = (ensemble(), name());
                return Err(EnsembleFault::NoOutput { ensemble, tensor, output, model });
            };
            self.agree(tensor, Known::of(model, own.data_type, &own.dims))?;
        }
        Ok(())
    }

    /// Compares a tensor with what is known of it.
    fn agree(&mut self, tensor: &str, new: Known) -> Result<(), EnsembleFault> {
        let Some(known) = self.known.get(tensor) else {
            self.known.insert(tensor.to_owned(), new);
            return Ok(());
        };
        let (ensemble, tensor) = (self.ensemble.name.clone(), tensor.to_owned());
        let (first, second) = (known.model.clone(), new.model.clone());
        if known.data_type != new.data_type {
            let types = [known.data_type, new.data_type];
            return Err(EnsembleFault::Type { ensemble, tensor, types, first, second });
        }
        // A model without batches may have the batch as a dimension of its own.
        if !fits(&known.dims, &new.dims) && !fits(&known.full, &new.full) {
            let shapes = Box::new([list(&known.full), list(&new.full)]);
            return Err(EnsembleFault::Shape { ensemble, tensor, shapes, first, second });
        }
        Ok(())
    }
}

fn fits(first: &[i64], second: &[i64]) -> bool {
    let same = |(a, b): (&i64, &i64)| a == b || *a == -1 || *b == -1;
    first.len() == second.len() && first.iter().zip(second).all(same)
}
