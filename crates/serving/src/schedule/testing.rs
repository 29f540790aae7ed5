//! A model for tests, whose requests say what becomes of them.

use super::batching::{Batching, Item};
use super::clock::{Clock, ManualClock};
use super::model::{Schedule, Turn};
use super::pending::{Answer, Pending};
use super::priority::Priority;
use super::queue::Levels;
use super::resting::Rest;
use super::sequences::Step;
use super::shared::{Ran, Runner, Shared};
use super::state::Joining;
use crate::batch::{Lengths, Response};
use crate::failure::RequestError;
use crate::sequence::States;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use trident_engine::{CancelFlag, Handover};

/// A request.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// Its name in the tests, from 0 on.
    pub(super) name: usize,
    pub(super) rows: usize,
    /// Requests of one shape run together.
    pub(super) shape: u32,
    /// Whether it lacks memory while other runs are under way.
    pub(super) lacks: bool,
    /// The states of its sequence.
    pub(super) states: Option<States>,
}

impl Item for Row {
    fn receive(&mut self, states: &States) {
        self.states = Some(states.clone());
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn size(&self) -> usize {
        self.rows
    }

    fn joins(&self, other: &Self) -> bool {
        self.shape == other.shape
    }

    fn lengths(&self) -> Option<Lengths> {
        None
    }
}

/// Events during a run of these requests, which may hand its core over.
pub(super) type During = dyn Fn(&[Row], Turn, &dyn Handover) + Send + Sync;

#[derive(Clone)]
pub(super) struct Fake {
    pub(super) during: Arc<During>,
    /// How batches rest after their runs.
    pub(super) rest: Option<Rest>,
}

/// No run is asked for its core.
struct Uncontested;

impl Handover for Uncontested {
    fn is_due(&self) -> bool {
        false
    }

    fn wait(&self, _: &dyn Fn() -> bool) {}
}

impl Runner for Fake {
    type Item = Row;

    fn run_alone(&self, request: &mut Row) -> Option<Answer> {
        (self.during)(std::slice::from_ref(request), Turn::Shared, &Uncontested);
        (!request.lacks).then(|| Ok(Response::default()))
    }

    fn run(&self, batch: &mut [Row], turn: Turn, core: &Arc<dyn Handover>) -> Ran {
        (self.during)(batch, turn, &**core);
        let lacks = |(at, row): (usize, &Row)| (row.lacks && turn == Turn::Shared).then_some(at);
        let lacking: Vec<usize> = batch.iter().enumerate().filter_map(lacks).collect();
        let answer = |at: usize| match lacking.contains(&at) {
            true => Err(RequestError::Abandoned),
            false => Ok(Response::default()),
        };
        let answers = (0..batch.len()).map(answer).collect();
        Ran { answers, lacking, rest: self.rest }
    }
}

/// A scheduler of such models on a clock that stands still, and the answers by the names of requests.
pub(super) struct Bench {
    pub(super) shared: Arc<Shared<Fake>>,
    pub(super) clock: Arc<ManualClock>,
    pub(super) answers: Arc<Mutex<Vec<Vec<Answer>>>>,
}

/// A request with the ways in which it waits.
#[derive(Clone, Debug)]
pub(super) struct Ask {
    pub(super) row: Row,
    pub(super) priority: u64,
    pub(super) timeout: Option<Duration>,
    pub(super) deadline: Option<Duration>,
    pub(super) step: Option<Step>,
    /// Whether the test's thread may run it while it submits it.
    pub(super) may_run_here: bool,
}

/// A request of one row that waits for ever.
pub(super) fn ask() -> Ask {
    let row = Row { name: 0, rows: 1, shape: 0, lacks: false, states: None };
    Ask { row, priority: 0, timeout: None, deadline: None, step: None, may_run_here: false }
}

pub(super) fn schedule(batching: Batching, levels: Levels) -> Schedule {
    let (groups, sequences, is_steady, runs_alone) = (vec![], None, false, false);
    let (instances, weight) = (2, 100);
    Schedule { levels, batching, instances, groups, weight, is_steady, runs_alone, sequences }
}

impl Bench {
    pub(super) fn new(cores: usize) -> Bench {
        let clock = Arc::new(ManualClock::new());
        let shared = Shared::new(cores, Arc::clone(&clock) as Arc<dyn Clock>);
        Bench { shared: Arc::new(shared), clock, answers: Arc::default() }
    }

    pub(super) fn add(
        &self,
        schedule: Schedule,
        during: impl Fn(&[Row], Turn) + Send + Sync + 'static,
    ) -> u64 {
        self.add_with_core(schedule, move |rows, turn, _| during(rows, turn))
    }

    /// A model whose runs may hand their cores over.
    pub(super) fn add_with_core(
        &self,
        schedule: Schedule,
        during: impl Fn(&[Row], Turn, &dyn Handover) + Send + Sync + 'static,
    ) -> u64 {
        self.shared.add(Fake { during: Arc::new(during), rest: None }, schedule).unwrap()
    }

    /// A model whose batches rest after their runs.
    pub(super) fn add_resting(
        &self,
        schedule: Schedule,
        rest: Rest,
        during: impl Fn(&[Row]) + Send + Sync + 'static,
    ) -> u64 {
        let during = Arc::new(move |rows: &[Row], _: Turn, _: &dyn Handover| during(rows));
        self.shared.add(Fake { during, rest: Some(rest) }, schedule).unwrap()
    }

    /// Submits a request. Its name is its position among all.
    pub(super) fn submit(&self, model: u64, ask: Ask) -> Arc<Pending> {
        let Ask { mut row, priority, timeout, deadline, step, may_run_here } = ask;
        row.name = {
            let mut answers = self.answers.lock().unwrap();
            answers.push(vec![]);
            answers.len() - 1
        };
        let (answers, name) = (Arc::clone(&self.answers), row.name);
        let reply = Box::new(move |answer| answers.lock().unwrap()[name].push(answer));
        let deadline = deadline.map(|time| self.clock.now() + time);
        let priority = Priority::level(priority);
        let since = None;
        let joining = Joining { priority, timeout, since, step, may_run_here, item: row };
        self.shared.submit(model, deadline, CancelFlag::new(), reply, joining)
    }

    #[cfg(not(feature = "models"))]
    pub(super) fn advance(&self, millis: u64) {
        self.clock.advance(Duration::from_millis(millis));
        self.shared.expire();
    }

    /// The answers so far, by the names of requests.
    pub(super) fn answers(&self) -> Vec<Vec<Answer>> {
        self.answers.lock().unwrap().clone()
    }

    /// The only answer to a request.
    pub(super) fn answer(&self, name: usize) -> Answer {
        let answers = self.answers();
        assert_eq!(answers[name].len(), 1, "request {name}");
        answers[name][0].clone()
    }
}

/// Pseudo-random numbers (xorshift64).
#[cfg(not(feature = "models"))]
pub(super) struct Random(u64);

#[cfg(not(feature = "models"))]
impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random(seed * 2 + 1)
    }

    pub(super) fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }

    pub(super) fn is_one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}
