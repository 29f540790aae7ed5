//! Requests to models with `sequence_batching`: how they are prepared, and when their batches close.

use super::batching::Batching;
use super::sequences::{SequenceRules, Step};
use crate::batch::{InferenceRequest, Prepared};
use crate::config::{ModelConfig, ModelDynamicBatching, ModelSequenceBatching, SequenceStrategy};
use crate::failure::RequestError;
use crate::model::Interface;
use crate::sequence::{Controls, Correlation, Kept, StateSpec};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Prepares the requests of a model with sequences.
pub(super) struct Sequencing {
    controls: Controls,
    /// The states that requests get from their sequences, if they get any.
    states: Option<Arc<[StateSpec]>>,
    /// The positions of the controls and states among the model's inputs.
    added: Vec<usize>,
    /// Whether each request is a sequence of its own. The field's other effect, requests that a model schedules again, needs a
    /// backend that asks for it.
    is_iterative: bool,
    /// The id of the next iterative request that gives none.
    next: AtomicU64,
}

impl Sequencing {
    pub(super) fn of(
        model: Interface<'_>,
        batching: &ModelSequenceBatching,
        states: Option<Arc<[StateSpec]>>,
    ) -> Sequencing {
        let controls = Controls::of(model, batching);
        let inputs = states.iter().flat_map(|states| states.iter()).map(|state| state.input);
        let added = controls.positions().chain(inputs).collect();
        let is_iterative = batching.iterative_sequence;
        Sequencing { controls, states, added, is_iterative, next: AtomicU64::new(1) }
    }

    /// Checks a request, and adds the inputs that the scheduler fills in.
    pub(super) fn prepare<'r>(
        &self,
        model: Interface<'_>,
        mut request: InferenceRequest<'r>,
    ) -> Result<(Prepared<'r>, Option<Step>), RequestError> {
        let mut sequence = std::mem::take(&mut request.sequence);
        let mut item = model.prepare_beside(0, request, &self.added)?;
        if self.is_iterative && sequence.id.is_none() {
            sequence.id = Correlation::Number(self.next.fetch_add(1, Ordering::Relaxed));
            sequence.start = true;
        }
        if let Some(kept) = item.outputs.iter().find(|at| !model.outputs[**at].usual) {
            let (model, output) = (model.name.to_owned(), model.outputs[*kept].name.to_string());
            return Err(RequestError::UnexpectedOutput { model, output });
        }
        let controls = self.controls.given(&sequence)?;
        self.controls.check(&sequence.id, item.rows)?;
        item.inputs.extend(controls);
        item.inputs.sort_unstable_by_key(|given| given.at);
        item.kept = self.states.as_ref().map(Kept::new);
        let (starts, ends) = (sequence.start, sequence.end || self.is_iterative);
        Ok((item, Some(Step { id: sequence.id, starts, ends })))
    }
}

/// How sequences share a model that runs so many batches at a time.
pub(super) fn rules(
    config: &ModelConfig,
    batching: &ModelSequenceBatching,
    instances: usize,
) -> SequenceRules {
    let most = |number: i32| usize::try_from(number).unwrap_or(0);
    let candidates = match &batching.strategy {
        SequenceStrategy::Oldest(oldest) => most(oldest.max_candidate_sequences),
        SequenceStrategy::Direct(_) | SequenceStrategy::Unset => 0,
    };
    let slots = if candidates > 0 { candidates } else { most(config.max_batch_size).max(1) };
    SequenceRules {
        model: config.name.clone(),
        slots: slots.saturating_mul(instances),
        idle: Duration::from_micros(batching.max_sequence_idle_microseconds),
    }
}

/// How the requests of sequences become batches of at most so many rows; 0 if requests run one by one.
pub(super) fn batching(batching: &ModelSequenceBatching, most: usize) -> Batching {
    match &batching.strategy {
        SequenceStrategy::Unset => Batching { most, ..Batching::default() },
        // A batch waits only if both fields are set, as in the server. It takes all requests there are.
        SequenceStrategy::Direct(direct) => {
            let share = f64::from(direct.minimum_slot_utilization.clamp(0.0, 1.0));
            if share == 0.0 {
                return Batching { most, ..Batching::default() };
            }
            let least = ((share * most as f64).ceil() as usize).max(1);
            let delay = Duration::from_micros(direct.max_queue_delay_microseconds);
            Batching { most, preferred: (least..=most).collect(), delay, ordered: false }
        }
        SequenceStrategy::Oldest(oldest) => {
            let dynamic = ModelDynamicBatching {
                preferred_batch_size: oldest.preferred_batch_size.clone(),
                max_queue_delay_microseconds: oldest.max_queue_delay_microseconds,
                preserve_ordering: oldest.preserve_ordering,
                ..Default::default()
            };
            Batching::of(&dynamic, most)
        }
    }
}
