//! The effect of each field of a configuration in our own server.
//!
//! Every field of the schema is in one table: it acts, it is refused, or it is logged as without effect. The backend of the Triton
//! Inference Server does not use the table, because there the server acts on some of these fields.

use crate::config::ModelConfig;
use crate::node::{Kind, Node};
use crate::schema::{Form, Value};
use Effect::{Absent, Acts, Refused};

/// The effect of a field, and of the fields in it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Effect {
    /// It is obeyed, or checked and refused where it is read.
    Acts,
    /// It changes only speed or memory, and nothing here.
    Absent(&'static str),
    /// Ignoring it would be wrong.
    Refused(&'static str),
}

const CUDA: &str = "there is no CUDA here";
const BUILT_IN: &str = "backends are built in";

/// The fields by their paths, without positions in lists. A path stands also for the fields in it.
static FIELDS: &[(&str, Effect)] = &[
    ("name", Acts),
    ("platform", Acts),
    ("backend", Acts),
    ("runtime", Absent(BUILT_IN)),
    ("version_policy.latest.num_versions", Acts),
    ("version_policy.all", Acts),
    ("version_policy.specific.versions", Acts),
    ("max_batch_size", Acts),
    ("input.name", Acts),
    ("input.data_type", Acts),
    ("input.format", Absent("the model's own layout counts")),
    ("input.dims", Acts),
    ("input.reshape.shape", Acts),
    ("input.is_shape_tensor", Acts),
    ("input.allow_ragged_batch", Acts),
    ("input.optional", Acts),
    ("input.is_non_linear_format_io", Acts),
    ("output.name", Acts),
    ("output.data_type", Acts),
    ("output.dims", Acts),
    ("output.reshape.shape", Acts),
    ("output.label_filename", Acts),
    ("output.is_shape_tensor", Acts),
    ("output.is_non_linear_format_io", Acts),
    ("batch_input.kind", Acts),
    ("batch_input.target_name", Acts),
    ("batch_input.data_type", Acts),
    ("batch_input.source_input", Acts),
    ("batch_output.target_name", Acts),
    ("batch_output.kind", Acts),
    ("batch_output.source_input", Acts),
    ("optimization.graph.level", Acts),
    ("optimization.priority", Acts),
    ("optimization.cuda", Absent(CUDA)),
    ("optimization.execution_accelerators.gpu_execution_accelerator.name", Acts),
    ("optimization.execution_accelerators.gpu_execution_accelerator.parameters", Acts),
    ("optimization.execution_accelerators.cpu_execution_accelerator.name", Acts),
    ("optimization.execution_accelerators.cpu_execution_accelerator.parameters", Acts),
    ("optimization.input_pinned_memory", Absent(CUDA)),
    ("optimization.output_pinned_memory", Absent(CUDA)),
    ("optimization.gather_kernel_buffer_threshold", Absent(CUDA)),
    ("optimization.eager_batching", Absent("a batch is gathered when a core is free for it")),
    ("dynamic_batching.preferred_batch_size", Acts),
    ("dynamic_batching.max_queue_delay_microseconds", Acts),
    ("dynamic_batching.preserve_ordering", Acts),
    ("dynamic_batching.priority_levels", Acts),
    ("dynamic_batching.default_priority_level", Acts),
    ("dynamic_batching.default_queue_policy.timeout_action", Acts),
    ("dynamic_batching.default_queue_policy.default_timeout_microseconds", Acts),
    ("dynamic_batching.default_queue_policy.allow_timeout_override", Acts),
    ("dynamic_batching.default_queue_policy.max_queue_size", Acts),
    ("dynamic_batching.priority_queue_policy.timeout_action", Acts),
    ("dynamic_batching.priority_queue_policy.default_timeout_microseconds", Acts),
    ("dynamic_batching.priority_queue_policy.allow_timeout_override", Acts),
    ("dynamic_batching.priority_queue_policy.max_queue_size", Acts),
    ("sequence_batching.direct.max_queue_delay_microseconds", Acts),
    ("sequence_batching.direct.minimum_slot_utilization", Acts),
    ("sequence_batching.oldest.max_candidate_sequences", Acts),
    ("sequence_batching.oldest.preferred_batch_size", Acts),
    ("sequence_batching.oldest.max_queue_delay_microseconds", Acts),
    ("sequence_batching.oldest.preserve_ordering", Acts),
    ("sequence_batching.max_sequence_idle_microseconds", Acts),
    ("sequence_batching.control_input.name", Acts),
    ("sequence_batching.control_input.control.kind", Acts),
    ("sequence_batching.control_input.control.int32_false_true", Acts),
    ("sequence_batching.control_input.control.fp32_false_true", Acts),
    ("sequence_batching.control_input.control.bool_false_true", Acts),
    ("sequence_batching.control_input.control.data_type", Acts),
    ("sequence_batching.state.input_name", Acts),
    ("sequence_batching.state.output_name", Acts),
    ("sequence_batching.state.data_type", Acts),
    ("sequence_batching.state.dims", Acts),
    ("sequence_batching.state.initial_state.data_type", Acts),
    ("sequence_batching.state.initial_state.dims", Acts),
    ("sequence_batching.state.initial_state.zero_data", Acts),
    ("sequence_batching.state.initial_state.data_file", Acts),
    ("sequence_batching.state.initial_state.name", Acts),
    (
        "sequence_batching.state.use_same_buffer_for_input_output",
        Absent("the engine places states"),
    ),
    ("sequence_batching.state.use_growable_memory", Absent(CUDA)),
    ("sequence_batching.iterative_sequence", Acts),
    ("ensemble_scheduling.step.model_name", Acts),
    ("ensemble_scheduling.step.model_version", Acts),
    ("ensemble_scheduling.step.input_map", Acts),
    ("ensemble_scheduling.step.output_map", Acts),
    ("ensemble_scheduling.step.model_namespace", Refused("names of models are unique in a server")),
    ("ensemble_scheduling.max_inflight_requests", Acts),
    ("instance_group.name", Acts),
    ("instance_group.kind", Acts),
    // Instances are counted where `--rate-limit` limits them; cores limit all models together.
    ("instance_group.count", Acts),
    ("instance_group.rate_limiter.resources.name", Acts),
    ("instance_group.rate_limiter.resources.global", Acts),
    ("instance_group.rate_limiter.resources.count", Acts),
    ("instance_group.rate_limiter.priority", Acts),
    ("instance_group.gpus", Acts),
    ("instance_group.secondary_devices", Absent("there is no NVDLA here")),
    ("instance_group.profile", Acts),
    ("instance_group.passive", Refused("instances that get no requests are not supported")),
    ("instance_group.host_policy", Absent("the system places threads")),
    ("default_model_filename", Acts),
    ("cc_model_filenames", Absent("there is no GPU of NVIDIA here")),
    ("metric_tags", Acts),
    ("parameters", Acts),
    ("model_warmup.name", Acts),
    ("model_warmup.batch_size", Acts),
    ("model_warmup.inputs", Acts),
    ("model_warmup.count", Acts),
    ("model_operations.op_library_filename", Acts),
    ("model_transaction_policy.decoupled", Acts),
    (
        "model_repository_agents.agents",
        Refused(
            "there are no agents of repositories, so that nobody would check or change the model's \
             files; hint: have your deployment do it before the server starts",
        ),
    ),
    ("response_cache.enable", Acts),
    ("model_metrics.metric_control", Acts),
];

/// A field that is given, and does not act.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldNote {
    /// Its path, such as `instance_group[0].passive`.
    pub field: String,
    /// The reason.
    pub reason: &'static str,
}

impl ModelConfig {
    /// The first field that our server refuses.
    pub fn refused_field(&self) -> Option<FieldNote> {
        let refused = self.notes().into_iter().find(|(_, is_refused)| *is_refused);
        refused.map(|(note, _)| note)
    }

    /// The fields that have no effect in our server.
    pub fn fields_without_effect(&self) -> Vec<FieldNote> {
        let notes = self.notes().into_iter();
        notes.filter(|(_, is_refused)| !is_refused).map(|(note, _)| note).collect()
    }

    /// The fields that are given and do not act, and whether they are refused.
    fn notes(&self) -> Vec<(FieldNote, bool)> {
        let mut notes = vec![];
        visit(&self.to_node(Form::Brief), ("", ""), &mut notes);
        notes
    }
}

/// Adds the notes of the fields of a node, by its path with positions and without.
fn visit(node: &Node, (place, path): (&str, &str), notes: &mut Vec<(FieldNote, bool)>) {
    let note = |reason| FieldNote { field: place.to_owned(), reason };
    match effect(path) {
        Some(Acts) => return,
        Some(Absent(reason)) => return notes.push((note(reason), false)),
        Some(Refused(reason)) => return notes.push((note(reason), true)),
        None => {}
    }
    match &node.kind {
        Kind::Message(entries) => entries.iter().for_each(|entry| {
            let (place, path) = (join(place, &entry.name), join(path, &entry.name));
            visit(&entry.value, (&place, &path), notes);
        }),
        Kind::List(items) => items.iter().enumerate().for_each(|(at, item)| {
            visit(item, (&format!("{place}[{at}]"), path), notes);
        }),
        _ => {}
    }
}

/// The effect of exactly this path.
fn effect(path: &str) -> Option<Effect> {
    FIELDS.iter().find(|(own, _)| *own == path).map(|(_, effect)| *effect)
}

pub(crate) fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_of_the_schema_is_in_the_table_once() {
        let mut leaves = vec![];
        <ModelConfig as Value>::leaves("", &mut leaves);
        assert!(leaves.len() > 120, "{}", leaves.len());
        let covers = |own: &str, leaf: &str| {
            leaf.strip_prefix(own).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        for leaf in &leaves {
            let count = FIELDS.iter().filter(|(own, _)| covers(own, leaf)).count();
            assert_eq!(count, 1, "`{leaf}` has {count} entries in the table of effects");
        }
        for (own, _) in FIELDS {
            assert!(leaves.iter().any(|leaf| covers(own, leaf)), "`{own}` is no field");
        }
    }

    #[test]
    fn fields_that_do_not_act_are_told() {
        let text = "runtime: 'libx.so' optimization { cuda { graphs: true } eager_batching: true } \
                    instance_group [ { count: 2 }, { host_policy: 'p' } ] metric_tags { key: 'a' value: 'b' }";
        let config = ModelConfig::from_text(text).unwrap();
        let notes = config.fields_without_effect();
        let fields: Vec<&str> = notes.iter().map(|note| &*note.field).collect();
        let expected = [
            "runtime",
            "optimization.cuda",
            "optimization.eager_batching",
            "instance_group[1].host_policy",
        ];
        assert_eq!(fields, expected);
        assert_eq!(config.refused_field(), None);
        for (text, field) in [
            (
                "model_repository_agents { agents [ { name: 'checksum' } ] }",
                "model_repository_agents.agents",
            ),
            ("instance_group [ {}, { passive: true } ]", "instance_group[1].passive"),
            (
                "ensemble_scheduling { step { model_name: 'a' } step { model_namespace: 'n' } }",
                "ensemble_scheduling.step[1].model_namespace",
            ),
        ] {
            let config = ModelConfig::from_text(text).unwrap();
            assert_eq!(config.refused_field().unwrap().field, field);
        }
    }
}
