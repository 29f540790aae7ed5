//! Whether an ensemble gives any number of answers, because a step's model does.

use super::{EnsembleFault, Step};
use crate::config::{ModelConfig, ModelEnsembling};
use std::collections::BTreeMap;

/// Whether the outputs come from a step with decoupled responses. Tensors that meet in a step, or in an answer, must come from the same
/// one, because nothing tells which of their rounds belong together.
pub(super) fn is_decoupled(
    config: &ModelConfig,
    ensembling: &ModelEnsembling,
    steps: &[Step],
) -> Result<bool, EnsembleFault> {
    // The number of the decoupled step that tensors come from; 0 for none.
    let mut sources: BTreeMap<&str, usize> =
        config.input.iter().map(|input| (input.name.as_str(), 0)).collect();
    let mut left: Vec<usize> = (0..steps.len()).collect();
    let common = |sources: &BTreeMap<&str, usize>, names: Vec<&String>, model: &str| {
        let mut known = names.iter().filter_map(|name| sources.get(name.as_str()).copied());
        let first = known.next().unwrap_or(0);
        match known.all(|source| source == first) {
            true => Ok(first),
            false => {
                let (ensemble, model) = (config.name.clone(), model.to_owned());
                Err(EnsembleFault::Decoupled { ensemble, model })
            }
        }
    };
    // The flow has been checked, so that each pass finds steps whose inputs are known.
    while let Some(position) = left.iter().position(|&at| {
        ensembling.step[at].input_map.values().all(|name| sources.contains_key(name.as_str()))
    }) {
        let at = left.remove(position);
        let own = &ensembling.step[at];
        let before = common(&sources, own.input_map.values().collect(), &own.model_name)?;
        let source = if steps[at].is_decoupled { at + 1 } else { before };
        sources.extend(own.output_map.values().map(|name| (name.as_str(), source)));
    }
    let outputs = config.output.iter().map(|output| &output.name).collect();
    Ok(common(&sources, outputs, &config.name)? > 0)
}
