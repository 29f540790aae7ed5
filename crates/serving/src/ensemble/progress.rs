//! How far a request to an ensemble is: its tensors, the steps that run, and the answers that wait to be given.
//!
//! A step with decoupled responses makes several tensors of one name. They are told apart by rounds: the inputs of a request are of
//! round 0, the responses of a decoupled step are rounds from 0 on, and other steps keep the round of their inputs.

use super::run::{Reply, Turn};
use super::{Cancel, Ensemble, StepAnswer};
use crate::batch::{Output, Part, Response};
use crate::config::DataType;
use crate::failure::RequestError;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

/// A tensor of an ensemble.
#[derive(Clone)]
pub(super) struct Tensor {
    pub(super) data_type: DataType,
    pub(super) shape: Vec<i64>,
    pub(super) data: Vec<Part<'static>>,
    /// Whether its first dimension is that of the batch.
    pub(super) has_batch: bool,
}

/// The times that steps took together.
#[derive(Clone, Copy, Default)]
pub(super) struct Spent {
    pub(super) input: Duration,
    pub(super) run: Duration,
    pub(super) output: Duration,
}

/// The progress of a request.
pub(super) struct Progress {
    /// `None` while a thread gives an answer, and after the last one.
    pub(super) reply: Option<Reply>,
    /// Answers that are to be given.
    pub(super) answers: VecDeque<StepAnswer<RequestError>>,
    /// Whether the last answer is given, or among those that wait.
    pub(super) has_ended: bool,
    /// By number and round; `None` for a tensor that is optional and not there.
    pub(super) tensors: Vec<BTreeMap<u64, Option<Tensor>>>,
    /// Steps that have started, while their inputs are there.
    started: BTreeSet<Turn>,
    /// Steps that have started and not ended, for cancellation. `None` while a step starts.
    pub(super) running: HashMap<Turn, Option<Arc<dyn Cancel>>>,
    /// How many responses of each decoupled step that runs are not used.
    unread: BTreeMap<Turn, usize>,
    /// The responses of each decoupled step.
    responses: Vec<u64>,
    /// The round of the next answer.
    answered: u64,
    pub(super) spent: Spent,
}

/// The tensors that a request needs: those that its outputs are made of.
pub(super) struct Needs {
    /// Numbers of the outputs, in the configuration's order.
    pub(super) outputs: Vec<usize>,
    /// Steps that outputs depend on.
    pub(super) steps: Vec<usize>,
    /// The steps among them that read each tensor.
    readers: Vec<Vec<usize>>,
    /// The steps that need responses of each decoupled step.
    after: BTreeMap<usize, BTreeSet<usize>>,
}

impl Needs {
    /// The needs of a request for these outputs.
    pub(super) fn of(ensemble: &Ensemble, outputs: Vec<usize>) -> Needs {
        let mut wanted = outputs.clone();
        let mut steps = BTreeSet::new();
        while let Some(tensor) = wanted.pop() {
            let makers = ensemble.steps.iter().enumerate();
            for (at, step) in makers.filter(|(_, s)| s.outputs.iter().any(|(_, n)| *n == tensor)) {
                if steps.insert(at) {
                    wanted.extend(step.inputs.iter().map(|(_, number)| *number));
                }
            }
        }
        let mut readers = vec![vec![]; ensemble.names.len()];
        for &step in &steps {
            ensemble.steps[step].inputs.iter().for_each(|(_, number)| readers[*number].push(step));
        }
        let decoupled = steps.iter().filter(|&&step| ensemble.steps[step].is_decoupled);
        let after = decoupled.map(|&step| (step, after(ensemble, &readers, step))).collect();
        Needs { outputs, steps: steps.into_iter().collect(), readers, after }
    }
}

/// The steps that need outputs of a step.
fn after(ensemble: &Ensemble, readers: &[Vec<usize>], step: usize) -> BTreeSet<usize> {
    let (mut found, mut left) = (BTreeSet::new(), vec![step]);
    while let Some(step) = left.pop() {
        let outputs = ensemble.steps[step].outputs.iter();
        let next = outputs.flat_map(|(_, number)| &readers[*number]);
        left.extend(next.filter(|reader| found.insert(**reader)));
    }
    found
}

impl Progress {
    pub(super) fn new(ensemble: &Ensemble, reply: Reply) -> Progress {
        Progress {
            reply: Some(reply),
            answers: VecDeque::new(),
            has_ended: false,
            tensors: vec![BTreeMap::new(); ensemble.names.len()],
            started: BTreeSet::new(),
            running: HashMap::new(),
            unread: BTreeMap::new(),
            responses: vec![0; ensemble.steps.len()],
            answered: 0,
            spent: Spent::default(),
        }
    }

    /// Starts the steps whose inputs are there: they count as running.
    pub(super) fn ready(&mut self, ensemble: &Ensemble, needs: &Needs) -> Vec<Turn> {
        let mut ready = vec![];
        for &step in &needs.steps {
            let inputs = &ensemble.steps[step].inputs;
            let Some((_, first)) = inputs.first() else { continue };
            let has = |round: &u64| {
                inputs.iter().all(|(_, number)| self.tensors[*number].contains_key(round))
            };
            let rounds = self.tensors[*first].keys().copied().filter(has);
            ready.extend(rounds.map(|round| Turn { step, round }));
        }
        ready.retain(|turn| self.started.insert(*turn));
        self.running.extend(ready.iter().map(|turn| (*turn, None)));
        ready
    }

    /// Drops the tensors that no step reads any more, except outputs of answers to come: they take memory of the models of steps.
    pub(super) fn forget(&mut self, ensemble: &Ensemble, needs: &Needs) {
        let Progress { tensors, started, answered, .. } = self;
        for (number, rounds) in tensors.iter_mut().enumerate() {
            let is_output = needs.outputs.contains(&number);
            let waits = |round| {
                let mut readers = needs.readers[number].iter();
                readers.any(|&step| !started.contains(&Turn { step, round }))
            };
            rounds.retain(|&round, _| is_output && round >= *answered || waits(round));
        }
        started.retain(|turn| {
            let mut inputs = ensemble.steps[turn.step].inputs.iter();
            inputs.any(|(_, number)| tensors[*number].contains_key(&turn.round))
        });
    }

    /// Takes the response of a step.
    pub(super) fn take(&mut self, ensemble: &Ensemble, turn: Turn, response: Response) {
        let step = &ensemble.steps[turn.step];
        let round = match step.is_decoupled {
            true => {
                *self.unread.entry(turn).or_default() += 1;
                self.responses[turn.step] += 1;
                self.responses[turn.step] - 1
            }
            false => turn.round,
        };
        if let Some(timing) = &response.timing {
            self.spent.input += timing.input;
            self.spent.run += timing.run;
            self.spent.output += timing.output;
        }
        // An output that is missing may be an optional input of another step.
        for (_, number) in &step.outputs {
            self.tensors[*number].insert(round, None);
        }
        for Output { name, data_type, shape, data, .. } in response.outputs {
            if let Some((_, number)) = step.outputs.iter().find(|(own, _)| **own == *name) {
                let (data, has_batch) = (vec![Part::Shared(data)], step.has_batch);
                let tensor = Tensor { data_type, shape, data, has_batch };
                self.tensors[*number].insert(round, Some(tensor));
            }
        }
    }

    /// Ends a step.
    pub(super) fn end(&mut self, turn: Turn) {
        self.running.remove(&turn);
        self.unread.remove(&turn);
    }

    /// The decoupled steps whose responses have been used, and how many: not more of them wait than steps after it run.
    pub(super) fn read(&mut self, needs: &Needs) -> Vec<(Arc<dyn Cancel>, usize)> {
        let mut read = vec![];
        if self.unread.is_empty() {
            return read;
        }
        let mut running: BTreeMap<usize, usize> = BTreeMap::new();
        self.running.keys().for_each(|turn| *running.entry(turn.step).or_default() += 1);
        for (turn, unread) in &mut self.unread {
            let after = needs.after.get(&turn.step).into_iter().flatten();
            let open: usize = after.filter_map(|step| running.get(step)).sum();
            let used = unread.saturating_sub(open);
            // A step that starts just now has no ticket.
            let ticket = self.running.get(turn).and_then(Option::as_ref);
            if let Some(ticket) = ticket.filter(|_| used > 0) {
                read.push((Arc::clone(ticket), used));
                *unread = open;
            }
        }
        read
    }

    /// The outputs of the next round, in the configuration's order, if all are there.
    pub(super) fn outputs(&mut self, needs: &Needs) -> Option<Vec<(usize, Option<Tensor>)>> {
        let round = self.answered;
        let is_there = |number: &usize| self.tensors[*number].contains_key(&round);
        if needs.outputs.is_empty() || !needs.outputs.iter().all(is_there) {
            return None;
        }
        self.answered += 1;
        let take = |number: &usize| (*number, self.tensors[*number].get(&round).cloned().flatten());
        Some(needs.outputs.iter().map(take).collect())
    }
}
