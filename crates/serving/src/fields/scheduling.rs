//! Fields of schedulers.

use super::first;
use crate::config::{
    ModelConfig, ModelDynamicBatching, ModelQueuePolicy, SchedulingChoice, SequenceControlKind,
    SequenceStrategy, TimeoutAction,
};
use crate::invalid::ConfigError;
use crate::sequence::StateFault;

/// The field of an error about a scheduler.
pub(super) fn field(config: &ModelConfig, error: &ConfigError) -> Option<String> {
    use ConfigError as E;
    let sequences = |field: &str| Some(format!("sequence_batching.{field}"));
    match error {
        E::PreferredSizePositive { .. } => {
            sizes(config, |sizes| sizes.iter().position(|size| *size <= 0))
        }
        // If any is too large, the largest is.
        E::PreferredSizeTooLarge { .. } => sizes(config, |sizes| {
            let largest = sizes.iter().max()?;
            sizes.iter().position(|size| size == largest)
        }),
        E::DefaultPriority { .. } => Some("dynamic_batching.default_priority_level".into()),
        E::QueuePriority { levels, .. } => {
            let policies = &dynamic(config)?.priority_queue_policy;
            let level = policies.keys().find(|level| !(1..=*levels).contains(level))?;
            Some(format!("dynamic_batching.priority_queue_policy[{level}]"))
        }
        E::OrderedPriorities { .. } => Some("dynamic_batching.priority_levels".into()),
        E::OrderedDelay { .. } => delayed(dynamic(config)?),
        E::SlotUtilization { .. } => sequences("direct.minimum_slot_utilization"),
        E::ControlName { .. } => {
            let controls = &config.sequences()?.control_input;
            sequences(&format!(
                "{}.name",
                first("control_input", controls, |own| own.name.is_empty())?
            ))
        }
        E::ControlTwice { tensor, .. } => {
            let controls = &config.sequences()?.control_input;
            let at = controls.iter().rposition(|own| own.name == *tensor)?;
            let field = if controls[at].control.len() > 1 { "control[1]" } else { "name" };
            sequences(&format!("control_input[{at}].{field}"))
        }
        E::ControlKindTwice { kind, .. } => control(config, *kind, ".kind"),
        E::ControlValues { kind, .. } | E::ControlValuesTwice { kind, .. } => {
            control(config, *kind, "")
        }
        E::ControlTwoValues { kind, field, .. } => control(config, *kind, &format!(".{field}")),
        E::CorridValues { .. } => control(config, SequenceControlKind::Corrid, ""),
        E::CorridType { .. } => control(config, SequenceControlKind::Corrid, ".data_type"),
        E::State { fault, .. } => state(config, fault),
        _ => None,
    }
}

fn dynamic(config: &ModelConfig) -> Option<&ModelDynamicBatching> {
    match &config.scheduling {
        SchedulingChoice::Dynamic(batching) => Some(batching),
        _ => None,
    }
}

/// The preferred batch size that is chosen.
fn sizes(config: &ModelConfig, choose: impl Fn(&[i32]) -> Option<usize>) -> Option<String> {
    let (place, sizes) = match &config.scheduling {
        SchedulingChoice::Dynamic(batching) => ("dynamic_batching", &batching.preferred_batch_size),
        SchedulingChoice::Sequence(batching) => match &batching.strategy {
            SequenceStrategy::Oldest(oldest) => {
                ("sequence_batching.oldest", &oldest.preferred_batch_size)
            }
            _ => return None,
        },
        _ => return None,
    };
    Some(format!("{place}.preferred_batch_size[{}]", choose(sizes)?))
}

/// The policy that moves requests to the end of the queue.
fn delayed(batching: &ModelDynamicBatching) -> Option<String> {
    let delays = |policy: &ModelQueuePolicy| policy.timeout_action == TimeoutAction::Delay;
    let mut policies = batching.priority_queue_policy.iter();
    let place = match policies.find(|(_, policy)| delays(policy)) {
        Some((level, _)) => format!("priority_queue_policy[{level}].value"),
        None => "default_queue_policy".to_owned(),
    };
    Some(format!("dynamic_batching.{place}.timeout_action"))
}

/// The field of the last control of a kind: of two, the second one is at fault.
fn control(config: &ModelConfig, kind: SequenceControlKind, field: &str) -> Option<String> {
    let inputs = config.sequences()?.control_input.iter().enumerate().rev();
    let mut places = inputs.filter_map(|(at, input)| {
        let inner = input.control.iter().rposition(|control| control.kind == kind)?;
        Some(format!("sequence_batching.control_input[{at}].control[{inner}]{field}"))
    });
    places.next()
}

/// The field of a state without a first value.
fn state(config: &ModelConfig, fault: &StateFault) -> Option<String> {
    use StateFault as F;
    let (name, field) = match fault {
        F::Several { state, .. } => (state, "initial_state[1]"),
        F::Type { state } => (state, "initial_state[0].data_type"),
        F::NoName { state } => (state, "initial_state[0].name"),
        F::Rank { state, .. } | F::Variable { state } | F::Dim { state, .. } => {
            (state, "initial_state[0].dims")
        }
        F::NoData { state } => (state, "initial_state[0]"),
        F::Strings { state, .. } => (state, "initial_state[0].data_file"),
        F::TooLarge { state } => (state, "dims"),
        F::Short { file, .. } => {
            return super::tensors::file(config, &format!("initial_state/{file}"));
        }
    };
    let place = first("sequence_batching.state", &config.sequences()?.state, |own| {
        own.input_name == *name
    })?;
    Some(format!("{place}.{field}"))
}
