//! Fields of inputs and outputs, and of what is made from them.

use super::{first, last};
use crate::config::{BatchInput, BatchOutput, DataType, InitialStateData, ModelConfig};
use crate::invalid::ConfigError;
use crate::ragged::RaggedFault;

/// The field of an error about a tensor.
pub(super) fn field(config: &ModelConfig, error: &ConfigError) -> Option<String> {
    use ConfigError as E;
    match error {
        E::ModelType { role, tensor, .. } | E::UnknownRank { role, tensor, .. } => {
            declared(config, role, tensor, "name")
        }
        E::InputCount { .. } => Some("input".into()),
        E::MissingInput { role, tensor, .. }
        | E::TensorTwice { role, tensor, .. }
        | E::UnexpectedTensor { role, tensor, .. } => declared(config, role, tensor, "name"),
        E::TensorType { role, tensor, .. } => declared(config, role, tensor, "data_type"),
        E::TensorShape { tensor, .. } | E::Scalar { tensor, .. } => {
            let roles = ["input", "output", "sequence control", "sequence state"];
            roles.into_iter().find_map(|role| declared(config, role, tensor, "dims"))
        }
        E::OptionalInBatch { tensor, .. } => declared(config, "input", tensor, "optional"),
        _ => None,
    }
}

/// The path of a field of a tensor's last declaration: of two, the second one is at fault.
fn declared(config: &ModelConfig, role: &str, tensor: &str, field: &str) -> Option<String> {
    let sequences = || config.sequences();
    let state = |is_output: bool| {
        let name = if is_output { "output_name" } else { "input_name" };
        let place = last("sequence_batching.state", &sequences()?.state, |own| {
            *tensor == *if is_output { &own.output_name } else { &own.input_name }
        })?;
        Some(format!("{place}.{}", if field == "name" { name } else { field }))
    };
    let shaped = |list: &str, at: usize, is_reshaped: bool| {
        let field = if field == "dims" && is_reshaped { "reshape" } else { field };
        format!("{list}[{at}].{field}")
    };
    match role {
        "input" => {
            let at = config.input.iter().rposition(|own| own.name == tensor)?;
            Some(shaped("input", at, config.input[at].reshape.is_some()))
        }
        "output" => {
            let at = config.output.iter().rposition(|own| own.name == tensor)?;
            Some(shaped("output", at, config.output[at].reshape.is_some()))
        }
        "sequence control" => {
            let controls = &sequences()?.control_input;
            let place =
                last("sequence_batching.control_input", controls, |own| own.name == tensor)?;
            Some(if field == "name" { format!("{place}.name") } else { format!("{place}.control") })
        }
        "sequence state" => state(false),
        "sequence state output" => state(true),
        "batch input" => {
            let made = |own: &BatchInput| own.target_name.iter().any(|name| name == tensor);
            let place = last("batch_input", &config.batch_input, made)?;
            Some(format!("{place}.{}", if field == "name" { "target_name" } else { field }))
        }
        _ => None,
    }
}

/// The field that names a file of the model's folder.
pub(super) fn file(config: &ModelConfig, file: &str) -> Option<String> {
    let labels = first("output", &config.output, |own| own.label_filename == file);
    let states = || {
        let file = file.strip_prefix("initial_state/")?;
        let mut states = config.states().enumerate();
        states.find_map(|(at, state)| {
            let is = |data: &InitialStateData| matches!(data, InitialStateData::File(own) if own == file);
            let place = first("initial_state", &state.initial_state, |own| is(&own.data))?;
            Some(format!("sequence_batching.state[{at}].{place}.data_file"))
        })
    };
    labels.map(|place| format!("{place}.label_filename")).or_else(states)
}

/// The field of an error about ragged batches.
pub(super) fn ragged(config: &ModelConfig, fault: &RaggedFault) -> Option<String> {
    use RaggedFault as F;
    let inputs = |is: &dyn Fn(&BatchInput) -> bool| first("batch_input", &config.batch_input, is);
    let outputs =
        |is: &dyn Fn(&BatchOutput) -> bool| last("batch_output", &config.batch_output, is);
    let has = |names: &[String], name: &String| names.contains(name);
    match fault {
        F::Sources { side: "input", .. } => {
            Some(format!("{}.source_input", inputs(&|own| own.source_input.len() != 1)?))
        }
        F::Sources { .. } => {
            Some(format!("{}.source_input", outputs(&|own| own.source_input.len() != 1)?))
        }
        F::InputType => {
            let types = [DataType::Int32, DataType::Fp32];
            Some(format!("{}.data_type", inputs(&|own| !types.contains(&own.data_type))?))
        }
        F::Source(name) => {
            let input = inputs(&|own| has(&own.source_input, name));
            let place = input.or_else(|| outputs(&|own| has(&own.source_input, name)))?;
            Some(format!("{place}.source_input"))
        }
        F::Output(name) | F::OutputTwice(name) => {
            Some(format!("{}.target_name", outputs(&|own| has(&own.target_name, name))?))
        }
        F::NoTarget { side: "input", .. } => {
            Some(format!("{}.target_name", inputs(&|own| own.target_name.is_empty())?))
        }
        F::NoTarget { .. } => {
            Some(format!("{}.target_name", outputs(&|own| own.target_name.is_empty())?))
        }
        F::NoBatch { .. } => Some("max_batch_size".into()),
        F::Shape { input, .. } | F::Optional { input } => {
            declared(config, "input", input, "allow_ragged_batch")
        }
        F::InputShape { input, .. } => declared(config, "batch input", input, "kind"),
        F::OutputShape { output, .. } => declared(config, "output", output, "dims"),
    }
}
