//! Schedulers.

use super::DataType;
use crate::schema::{enumeration, message, oneof};
use std::collections::BTreeMap;

oneof! {
    /// The scheduler of a model's requests.
    pub enum SchedulingChoice {
        /// Each request separately.
        Unset,
        /// In batches, formed as requests come.
        Dynamic(ModelDynamicBatching) = "dynamic_batching",
        /// In batches, with all requests of a sequence on the same instance.
        Sequence(ModelSequenceBatching) = "sequence_batching",
        /// By other models.
        Ensemble(ModelEnsembling) = "ensemble_scheduling",
    }
}

message! {
    /// Batches that are formed as requests come.
    pub struct ModelDynamicBatching {
        /// Sizes that are run without waiting for more.
        preferred_batch_size: Vec<i32>,
        /// The longest time that a request waits for others, in µs.
        max_queue_delay_microseconds: u64,
        /// Whether responses have the order of requests.
        preserve_ordering: bool,
        /// The number of priorities; 0 for none. 1 is the highest priority.
        priority_levels: u64,
        /// The priority of requests that give none.
        default_priority_level: u64,
        /// The rules for waiting requests.
        default_queue_policy: Option<ModelQueuePolicy>,
        /// The same by priority.
        priority_queue_policy: BTreeMap<u64, ModelQueuePolicy>,
    }
}

enumeration! {
    /// The action for a request that has waited too long.
    pub enum TimeoutAction {
        /// It fails.
        Reject = "REJECT",
        /// It is moved to the end of the queue.
        Delay = "DELAY",
    }
}

message! {
    /// Rules for waiting requests.
    pub struct ModelQueuePolicy {
        /// The action after the time-out.
        timeout_action: TimeoutAction,
        /// The longest time that a request waits, in µs; 0 means no limit.
        default_timeout_microseconds: u64,
        /// Whether requests may give a shorter time.
        allow_timeout_override: bool,
        /// The greatest number of waiting requests; 0 means no limit.
        max_queue_size: u32,
    }
}

message! {
    /// Batches in which all requests of a sequence run on the same instance.
    pub struct ModelSequenceBatching {
        /// The way in which sequences share an instance.
        strategy: SequenceStrategy,
        /// The longest time of a sequence without requests, in µs.
        max_sequence_idle_microseconds: u64,
        /// Inputs that tell the model about the sequence.
        control_input: Vec<SequenceControlInput>,
        /// Tensors that are kept from one request of a sequence to the next.
        state: Vec<SequenceState>,
        /// Whether the model schedules its requests again itself.
        iterative_sequence: bool,
    }
}

oneof! {
    /// The way in which sequences share an instance.
    pub enum SequenceStrategy {
        /// Like [`SequenceStrategy::Direct`], without waiting.
        Unset,
        /// Each sequence has a slot of the batch.
        Direct(StrategyDirect) = "direct",
        /// The sequences that have waited longest form a batch.
        Oldest(StrategyOldest) = "oldest",
    }
}

message! {
    /// Each sequence has a slot of the batch.
    pub struct StrategyDirect {
        /// The longest time that a request waits for others, in µs.
        max_queue_delay_microseconds: u64,
        /// The part of the slots that are to be used before a batch runs early, 0 to 1.
        minimum_slot_utilization: f32,
    }
}

message! {
    /// The sequences that have waited longest form a batch.
    pub struct StrategyOldest {
        /// The number of sequences that an instance has at a time.
        max_candidate_sequences: i32,
        /// Sizes that are run without waiting for more.
        preferred_batch_size: Vec<i32>,
        /// The longest time that a request waits for others, in µs.
        max_queue_delay_microseconds: u64,
        /// Whether responses have the order of requests.
        preserve_ordering: bool,
    }
}

message! {
    /// An input that tells the model about the sequence.
    pub struct SequenceControlInput {
        /// The input's name.
        name: String,
        /// The facts that it tells.
        control: Vec<SequenceControl>,
    }
}

enumeration! {
    /// The fact about the sequence that an input tells the model.
    pub enum SequenceControlKind {
        /// Whether the request is the first.
        Start = "CONTROL_SEQUENCE_START",
        /// Whether there is a request at all in this slot.
        Ready = "CONTROL_SEQUENCE_READY",
        /// Whether the request is the last.
        End = "CONTROL_SEQUENCE_END",
        /// The sequence's id.
        Corrid = "CONTROL_SEQUENCE_CORRID",
    }
}

message! {
    /// The fact about the sequence that an input tells the model, and its values.
    pub struct SequenceControl {
        /// The fact.
        kind: SequenceControlKind,
        /// The integers for no and yes.
        int32_false_true: Vec<i32>,
        /// The floats for no and yes.
        fp32_false_true: Vec<f32>,
        /// The truth values for no and yes.
        bool_false_true: Vec<bool>,
        /// The type of the sequence's id.
        data_type: DataType,
    }
}

message! {
    /// A tensor that is kept from one request of a sequence to the next.
    pub struct SequenceState {
        /// The model's input that gets it.
        input_name: String,
        /// The model's output that gives it.
        output_name: String,
        /// Its element type.
        data_type: DataType,
        /// Its dimensions; -1 for any size.
        dims: Vec<i64>,
        /// Its value for a sequence's first request.
        initial_state: Vec<InitialState>,
        /// Whether input and output are one buffer.
        use_same_buffer_for_input_output: bool,
        /// Whether the buffer grows in place.
        use_growable_memory: bool,
    }
}

message! {
    /// A state's value for a sequence's first request.
    pub struct InitialState {
        /// Its element type.
        data_type: DataType,
        /// Its dimensions.
        dims: Vec<i64>,
        /// Its elements.
        data: InitialStateData,
        /// Its name.
        name: String,
    }
}

oneof! {
    /// The elements of a state's first value.
    pub enum InitialStateData {
        /// Nothing is said.
        Unset,
        /// Zeros.
        Zero(bool) = "zero_data",
        /// The contents of a file in the model's folder `initial_state`.
        File(String) = "data_file",
    }
}

message! {
    /// Models that together make a model.
    pub struct ModelEnsembling {
        /// The models.
        step: Vec<EnsembleStep>,
        /// The greatest number of requests that are in the steps at a time.
        max_inflight_requests: u32,
    }
}

message! {
    /// A model of an ensemble.
    pub struct EnsembleStep {
        /// Its name.
        model_name: String,
        /// Its version; -1 for the highest.
        model_version: i64,
        /// The ensemble's tensor for each of its inputs.
        input_map: BTreeMap<String, String>,
        /// The ensemble's tensor for each of its outputs.
        output_map: BTreeMap<String, String>,
        /// The namespace in which the model is looked for, if models have namespaces.
        model_namespace: String,
    }
}
