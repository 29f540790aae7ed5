//! Fields of ensembles.

use super::first;
use crate::config::{EnsembleStep, ModelConfig, SchedulingChoice};
use crate::ensemble::EnsembleFault;
use std::collections::BTreeMap;

/// The field of an error about an ensemble.
pub(super) fn field(config: &ModelConfig, fault: &EnsembleFault) -> Option<String> {
    use EnsembleFault as F;
    let SchedulingChoice::Ensemble(ensembling) = &config.scheduling else { return None };
    let steps = &ensembling.step[..];
    let of_model = |name: &str| step(steps, |step| step.model_name == *name);
    match fault {
        F::Field { field, .. } => Some(field.replace(' ', "_")),
        F::Warmup { .. } => Some("model_warmup".into()),
        F::NoSteps { .. } => Some("ensemble_scheduling".into()),
        F::NoField { step, field, .. } => Some(format!("ensemble_scheduling.step[{step}].{field}")),
        F::WrittenTwice { step, tensor, .. } => {
            let key = key(&steps.get(*step)?.output_map, tensor)?;
            Some(format!("ensemble_scheduling.step[{step}].output_map[{key}]"))
        }
        F::NotUsed { role: "input", tensor, .. } => {
            Some(format!("{}.name", first("input", &config.input, |own| own.name == *tensor)?))
        }
        F::NotUsed { tensor, .. } | F::NotWritten { output: tensor, .. } => {
            Some(format!("{}.name", first("output", &config.output, |own| own.name == *tensor)?))
        }
        F::Unused { tensor, .. } => mapped(steps, |_| true, tensor),
        F::BatchSize { .. } => Some("max_batch_size".into()),
        F::NoInput { input, model, .. } => Some(format!("{}.input_map[{input}]", of_model(model)?)),
        F::Unmapped { model, .. } => Some(format!("{}.input_map", of_model(model)?)),
        F::NoOutput { output, model, .. } => {
            Some(format!("{}.output_map[{output}]", of_model(model)?))
        }
        F::Type { tensor, second, .. } | F::Shape { tensor, second, .. } => {
            mapped(steps, |step| step.model_name == *second, tensor)
        }
        F::Decoupled { model, .. } => of_model(model),
        F::NoModel { .. } => Some("ensemble_scheduling.step".into()),
    }
}

/// The path of the first step that is as asked for.
fn step(steps: &[EnsembleStep], is: impl Fn(&EnsembleStep) -> bool) -> Option<String> {
    first("ensemble_scheduling.step", steps, is)
}

/// The path of the entry of a map of these steps that has a tensor.
fn mapped(
    steps: &[EnsembleStep],
    is: impl Fn(&EnsembleStep) -> bool,
    tensor: &str,
) -> Option<String> {
    steps.iter().enumerate().filter(|(_, step)| is(step)).find_map(|(at, step)| {
        let maps = [("output_map", &step.output_map), ("input_map", &step.input_map)];
        maps.into_iter().find_map(|(map, own)| {
            Some(format!("ensemble_scheduling.step[{at}].{map}[{}]", key(own, tensor)?))
        })
    })
}

/// The key of a tensor in a map.
fn key<'m>(map: &'m BTreeMap<String, String>, tensor: &str) -> Option<&'m str> {
    map.iter().find(|(_, own)| *own == tensor).map(|(key, _)| key.as_str())
}
