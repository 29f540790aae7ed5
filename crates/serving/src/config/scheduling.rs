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
        Dynamic(ModelDynamicBatching) = ("dynamic_batching", 11),
        /// In batches, with all requests of a sequence on the same instance.
        Sequence(ModelSequenceBatching) = ("sequence_batching", 13),
        /// By other models.
        Ensemble(ModelEnsembling) = ("ensemble_scheduling", 15),
    }
}

message! {
    /// Batches that are formed as requests come.
    pub struct ModelDynamicBatching {
        /// Sizes that are run without waiting for more.
        preferred_batch_size: Vec<i32> = 1,
        /// The longest time that a request waits for others, in µs.
        max_queue_delay_microseconds: u64 = 2,
        /// Whether responses have the order of requests.
        preserve_ordering: bool = 3,
        /// The number of priorities; 0 for none. 1 is the highest priority.
        priority_levels: u64 = 4,
        /// The priority of requests that give none.
        default_priority_level: u64 = 5,
        /// The rules for waiting requests.
        default_queue_policy: Option<ModelQueuePolicy> = 6,
        /// The same by priority.
        priority_queue_policy: BTreeMap<u64, ModelQueuePolicy> = 7,
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
        timeout_action: TimeoutAction = 1,
        /// The longest time that a request waits, in µs; 0 means no limit.
        default_timeout_microseconds: u64 = 2,
        /// Whether requests may give a shorter time.
        allow_timeout_override: bool = 3,
        /// The greatest number of waiting requests; 0 means no limit.
        max_queue_size: u32 = 4,
    }
}

message! {
    /// Batches in which all requests of a sequence run on the same instance.
    pub struct ModelSequenceBatching {
        /// The way in which sequences share an instance.
        strategy: SequenceStrategy,
        /// The longest time of a sequence without requests, in µs.
        max_sequence_idle_microseconds: u64 = 1,
        /// Inputs that tell the model about the sequence.
        control_input: Vec<SequenceControlInput> = 2,
        /// Tensors that are kept from one request of a sequence to the next.
        state: Vec<SequenceState> = 5,
        /// Whether the model schedules its requests again itself.
        iterative_sequence: bool = 6,
    }
}

oneof! {
    /// The way in which sequences share an instance.
    pub enum SequenceStrategy {
        /// Like [`SequenceStrategy::Direct`], without waiting.
        Unset,
        /// Each sequence has a slot of the batch.
        Direct(StrategyDirect) = ("direct", 3),
        /// The sequences that have waited longest form a batch.
        Oldest(StrategyOldest) = ("oldest", 4),
    }
}

message! {
    /// Each sequence has a slot of the batch.
    pub struct StrategyDirect {
        /// The longest time that a request waits for others, in µs.
        max_queue_delay_microseconds: u64 = 1,
        /// The part of the slots that are to be used before a batch runs early, 0 to 1.
        minimum_slot_utilization: f32 = 2,
    }
}

message! {
    /// The sequences that have waited longest form a batch.
    pub struct StrategyOldest {
        /// The number of sequences that an instance has at a time.
        max_candidate_sequences: i32 = 1,
        /// Sizes that are run without waiting for more.
        preferred_batch_size: Vec<i32> = 2,
        /// The longest time that a request waits for others, in µs.
        max_queue_delay_microseconds: u64 = 3,
        /// Whether responses have the order of requests.
        preserve_ordering: bool = 4,
    }
}

message! {
    /// An input that tells the model about the sequence.
    pub struct SequenceControlInput {
        /// The input's name.
        name: String = 1,
        /// The facts that it tells.
        control: Vec<SequenceControl> = 2,
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
        kind: SequenceControlKind = 1,
        /// The integers for no and yes.
        int32_false_true: Vec<i32> = 2,
        /// The floats for no and yes.
        fp32_false_true: Vec<f32> = 3,
        /// The truth values for no and yes.
        bool_false_true: Vec<bool> = 5,
        /// The type of the sequence's id.
        data_type: DataType = 4,
    }
}

message! {
    /// A tensor that is kept from one request of a sequence to the next.
    pub struct SequenceState {
        /// The model's input that gets it.
        input_name: String = 1,
        /// The model's output that gives it.
        output_name: String = 2,
        /// Its element type.
        data_type: DataType = 3,
        /// Its dimensions; -1 for any size.
        dims: Vec<i64> = 4,
        /// Its value for a sequence's first request.
        initial_state: Vec<InitialState> = 5,
        /// Whether input and output are one buffer.
        use_same_buffer_for_input_output: bool = 6,
        /// Whether the buffer grows in place.
        use_growable_memory: bool = 7,
    }
}

message! {
    /// A state's value for a sequence's first request.
    pub struct InitialState {
        /// Its element type.
        data_type: DataType = 1,
        /// Its dimensions.
        dims: Vec<i64> = 2,
        /// Its elements.
        data: InitialStateData,
        /// Its name.
        name: String = 5,
    }
}

oneof! {
    /// The elements of a state's first value.
    pub enum InitialStateData {
        /// Nothing is said.
        Unset,
        /// Zeros.
        Zero(bool) = ("zero_data", 3),
        /// The contents of a file in the model's folder `initial_state`.
        File(String) = ("data_file", 4),
    }
}

message! {
    /// Models that together make a model.
    pub struct ModelEnsembling {
        /// The models.
        step: Vec<EnsembleStep> = 1,
        /// The greatest number of requests that are in the steps at a time.
        max_inflight_requests: u32 = 2,
    }
}

message! {
    /// A model of an ensemble.
    pub struct EnsembleStep {
        /// Its name.
        model_name: String = 1,
        /// Its version; -1 for the highest.
        model_version: i64 = 2,
        /// The ensemble's tensor for each of its inputs.
        input_map: BTreeMap<String, String> = 3,
        /// The ensemble's tensor for each of its outputs.
        output_map: BTreeMap<String, String> = 4,
        /// The namespace in which the model is looked for, if models have namespaces.
        model_namespace: String = 5,
    }
}
