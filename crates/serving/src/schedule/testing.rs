//! A model for tests, whose requests say what becomes of them.

use super::batching::{Batching, Item};
use super::clock::{Clock, ManualClock};
use super::model::{Schedule, Turn};
use super::pending::{Answer, Pending};
use super::priority::Priority;
use super::queue::Levels;
use super::shared::{Ran, Runner, Shared};
use super::state::Joining;
use crate::batch::Response;
use crate::failure::RequestError;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use trident_engine::CancelFlag;

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
}

impl Item for Row {
    fn rows(&self) -> usize {
        self.rows
    }

    fn joins(&self, other: &Self) -> bool {
        self.shape == other.shape
    }
}

/// Events during a run of these requests.
pub(super) type During = dyn Fn(&[Row], Turn) + Send + Sync;

#[derive(Clone)]
pub(super) struct Fake {
    pub(super) during: Arc<During>,
}

impl Runner for Fake {
    type Item = Row;

    fn run(&self, batch: &mut [Row], turn: Turn) -> Ran {
        (self.during)(batch, turn);
        let lacks = |(at, row): (usize, &Row)| (row.lacks && turn == Turn::Shared).then_some(at);
        let lacking: Vec<usize> = batch.iter().enumerate().filter_map(lacks).collect();
        let answer = |at: usize| match lacking.contains(&at) {
            true => Err(RequestError::Abandoned),
            false => Ok(Response::default()),
        };
        Ran { answers: (0..batch.len()).map(answer).collect(), lacking }
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
}

/// A request of one row that waits for ever.
pub(super) fn ask() -> Ask {
    let row = Row { name: 0, rows: 1, shape: 0, lacks: false };
    Ask { row, priority: 0, timeout: None, deadline: None }
}

pub(super) fn schedule(batching: Batching, levels: Levels) -> Schedule {
    Schedule { levels, batching, instances: 2, weight: 100 }
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
        self.shared.add(Fake { during: Arc::new(during) }, schedule)
    }

    /// Submits a request. Its name is its position among all.
    pub(super) fn submit(&self, model: u64, ask: Ask) -> Arc<Pending> {
        let Ask { mut row, priority, timeout, deadline } = ask;
        row.name = {
            let mut answers = self.answers.lock().unwrap();
            answers.push(vec![]);
            answers.len() - 1
        };
        let (answers, name) = (Arc::clone(&self.answers), row.name);
        let reply = Box::new(move |answer| answers.lock().unwrap()[name].push(answer));
        let deadline = deadline.map(|time| self.clock.now() + time);
        let joining = Joining { priority: Priority::level(priority), timeout, item: row };
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
