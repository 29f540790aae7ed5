//! The use of the cores: which batch starts next, and which run hands its core over to it.

use super::batching::{Close, Item};
use super::cores::Run;
use super::model::{Model, Turn};
use super::pending::Pending;
use super::queue::Waiting;
use super::state::{Job, Joining, State, Timer};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a run that has kept its core does not ask again.
const KEEPS: Duration = Duration::from_millis(1);

/// The use of a free core.
pub(super) enum Next<R, T> {
    Batch(Job<R, T>),
    /// A suspended run goes on.
    GoesOn(Arc<Run>),
}

/// A use of a core by a model.
struct Candidate {
    model: u64,
    /// The virtual time of the model.
    time: f64,
    work: Work,
}

enum Work {
    /// A batch of these requests.
    Batch(Vec<u64>),
    /// A suspended run.
    Run(Arc<Run>),
}

/// A start of one of a model's runs.
struct Claim<R> {
    runner: R,
    turn: Turn,
    /// The group of its instance, if the model needs limited resources.
    group: Option<usize>,
}

/// A model that waits for a core.
struct Contender {
    model: u64,
    time: f64,
    /// Since when, or from when on.
    at: Instant,
}

/// The outcome for a run that would hand its core over.
pub(super) enum Suspended {
    /// It keeps its core.
    No,
    /// This run has its core, or a thread has to start a batch there.
    For(Option<Arc<Run>>),
}

impl<R: Clone, T: Item> State<R, T> {
    /// Starts the next batch, or lets a suspended run go on, if a core is free for it.
    pub(super) fn start(&mut self, now: Instant) -> Option<Next<R, T>> {
        if !self.cores.has_free() {
            return None;
        }
        let next = first(self.candidates(now)).and_then(|Candidate { model, time, work }| {
            self.last = self.last.max(time);
            match work {
                Work::Batch(batch) => self.start_batch(model, batch, false, now).map(Next::Batch),
                Work::Run(run) => self.resume(&run, now).then(|| Next::GoesOn(run)),
            }
        });
        self.contest(now);
        next
    }

    /// Starts the next batch if it is one of this model that is known to be brief, and a core is free for it.
    pub(super) fn start_brief(&mut self, model: u64, now: Instant) -> Option<Job<R, T>> {
        let own = self.models.get(&model)?;
        // Most models have no brief runs, and do not look at the queues of all.
        if !own.schedule.is_steady || !own.brief.has_any() || !self.cores.has_free() {
            return None;
        }
        let next = first(self.candidates(now)).filter(|next| next.model == model)?;
        let Candidate { time, work: Work::Batch(batch), .. } = next else { return None };
        if !own.is_brief(&batch) {
            return None;
        }
        self.last = self.last.max(time);
        let job = self.start_batch(model, batch, true, now);
        self.contest(now);
        job
    }

    /// Starts a request as a batch of its own, where joining the queue would lead to that at once: its run is known to be brief, a core
    /// is free, and nothing else waits. Otherwise returns it.
    pub(super) fn start_at_once(
        &mut self,
        pending: &Arc<Pending>,
        joining: Joining<T>,
        now: Instant,
    ) -> Result<Job<R, T>, Joining<T>> {
        let id = pending.model;
        let is_next = joining.may_run_here
            && joining.step.is_none()
            && self.is_next(id, &joining.item, pending.deadline, now);
        if !is_next {
            return Err(joining);
        }
        self.catch_up(id, now);
        self.last = self.last.max(self.time_of(id, now));
        let Some(model) = self.models.get_mut(&id) else { return Err(joining) };
        let claim = Claim { turn: model.start(now), runner: model.runner.clone(), group: None };
        if let Some(at) = pending.deadline {
            self.timers.insert((at, pending.id, Timer::Deadline), Arc::clone(pending));
        }
        let (pending, item) = (Arc::clone(pending), joining.item);
        let waiting = Waiting { pending, since: now, expires: None, item };
        let job = self.launch(id, claim, [waiting], true, now);
        self.contest(now);
        Ok(job)
    }

    /// Whether a request that would join a model's queue now would be the next batch, and is known to be brief.
    pub(super) fn is_next(
        &self,
        id: u64,
        request: &T,
        deadline: Option<Instant>,
        now: Instant,
    ) -> bool {
        let Some(model) = self.models.get(&id) else { return false };
        model.sequences.is_none()
            && model.is_brief_alone(request)
            && !self.is_closed()
            && deadline.is_none_or(|end| end > now)
            && self.cores.has_free()
            && self.cores.suspended().len() == 0
            && self.limiter.as_ref().is_none_or(|limiter| !limiter.limits(id))
            && !self.models.values().any(Model::may_start)
    }

    /// The possible uses of a core. Of one model, a run that has begun comes before a batch.
    fn candidates(&self, now: Instant) -> impl Iterator<Item = Candidate> {
        let suspended = self.cores.suspended().map(move |run| {
            let (model, time) = (run.model, self.time_of(run.model, now));
            Candidate { model, time, work: Work::Run(Arc::clone(run)) }
        });
        let openings = self.openings(now);
        let free = self.models.iter().filter(move |(id, _)| openings.are_for(**id));
        let ready = free.filter_map(move |(id, model)| match model.close(now)? {
            Close::Now(batch) => {
                let time = model.share.virtual_time(now);
                Some(Candidate { model: *id, time, work: Work::Batch(batch) })
            }
            Close::At(_) => None,
        });
        suspended.chain(ready)
    }

    fn start_batch(
        &mut self,
        id: u64,
        batch: Vec<u64>,
        is_brief: bool,
        now: Instant,
    ) -> Option<Job<R, T>> {
        let group = self.openings(now).group(id);
        let model = self.models.get_mut(&id)?;
        let claim = Claim { turn: model.start(now), runner: model.runner.clone(), group };
        let batch: Vec<_> = batch.into_iter().filter_map(|id| model.take(id)).collect();
        Some(self.launch(id, claim, batch, is_brief, now))
    }

    /// Gives a core to a batch of these requests of a model.
    fn launch(
        &mut self,
        id: u64,
        claim: Claim<R>,
        batch: impl IntoIterator<Item = Waiting<T>>,
        is_brief: bool,
        now: Instant,
    ) -> Job<R, T> {
        let Claim { runner, turn, group } = claim;
        let run = self.id();
        let run = self.cores.start(run, id, is_brief, now);
        if let Some(limiter) = &mut self.limiter {
            limiter.take(id, group);
        }
        let (mut pending, mut items, mut since) = (vec![], vec![], vec![]);
        for waiting in batch {
            if let Some(at) = waiting.expires {
                self.timers.remove(&(at, waiting.pending.id, Timer::Queue));
            }
            pending.push(waiting.pending);
            items.push(waiting.item);
            since.push(waiting.since);
        }
        Job { runner, pending, items, turn, run, group, since, rests: false }
    }

    /// The virtual time of a model.
    fn time_of(&self, model: u64, now: Instant) -> f64 {
        self.models.get(&model).map_or(0.0, |model| model.share.virtual_time(now))
    }

    /// The models that wait for a core beside runs of other models.
    fn contenders(&self, now: Instant) -> Vec<Contender> {
        // Most of the time one model has all cores, and nothing else waits.
        let only = self.cores.only_model();
        let openings = self.openings(now);
        let is_free = |id: &u64| Some(*id) != only && openings.are_for(*id);
        let models = self.models.iter().filter(|(id, _)| is_free(id));
        let ready = models.filter_map(|(id, model)| {
            let at = match model.close(now)? {
                Close::Now(_) => now,
                Close::At(at) => at,
            };
            Some(Contender { model: *id, time: model.share.virtual_time(now), at })
        });
        let suspended = self.cores.suspended().map(|run| {
            let time = self.time_of(run.model, now);
            Contender { model: run.model, time, at: now }
        });
        ready.chain(suspended).collect()
    }

    /// Sets when each run has to hand its core over: when its model is ahead of another one that waits for a core.
    pub(super) fn contest(&mut self, now: Instant) {
        let waiting = match self.cores.has_free() || !self.cores.may_suspend() {
            true => vec![],
            false => self.contenders(now),
        };
        for run in self.cores.running() {
            let others = waiting.iter().filter(|other| other.model != run.model);
            let due = others.filter_map(|other| {
                let own = &self.models.get(&run.model)?.share;
                let slack = own.slack(&self.models.get(&other.model)?.share);
                let ahead = now.checked_add(own.time_until(other.time + slack, now)?)?;
                Some(ahead.max(other.at).saturating_duration_since(self.start))
            });
            run.set_due(due.min());
        }
    }

    /// Takes the core of a run, if its model is ahead of one that waits for a core, and gives it to a suspended run if that is next. For
    /// a batch there has to be a thread, or one that `add_thread` starts.
    pub(super) fn suspend(
        &mut self,
        run: &Run,
        now: Instant,
        add_thread: impl FnOnce() -> bool,
    ) -> Suspended {
        let next = match self.cores.may_suspend() && !self.cores.has_free() {
            true => first(self.candidates(now).filter(|next| self.is_ahead(run, next, now))),
            false => None,
        };
        let has_thread = match &next {
            Some(Candidate { work: Work::Batch(_), .. }) => self.has_thread(add_thread),
            _ => true,
        };
        let Some(Candidate { work, .. }) = next.filter(|_| has_thread) else {
            self.contest(now);
            run.postpone(now.saturating_duration_since(self.start) + KEEPS);
            return Suspended::No;
        };
        if let Some(since) = self.cores.suspend(run)
            && let Some(model) = self.models.get_mut(&run.model)
        {
            model.share.suspend(since, now);
        }
        let other = match work {
            Work::Batch(_) => None,
            Work::Run(other) => self.resume(&other, now).then_some(other),
        };
        self.contest(now);
        Suspended::For(other)
    }

    /// Whether the model of a run is ahead of another one.
    fn is_ahead(&self, run: &Run, other: &Candidate, now: Instant) -> bool {
        let [own, next] = [run.model, other.model].map(|model| self.models.get(&model));
        match (own, next) {
            (Some(own), Some(next)) if run.model != other.model => {
                own.share.virtual_time(now) >= other.time + own.share.slack(&next.share)
            }
            _ => false,
        }
    }

    /// Whether there is a thread for a batch once one more run is suspended. If not, it is started.
    fn has_thread(&mut self, add_thread: impl FnOnce() -> bool) -> bool {
        if !self.cores.lack_thread() {
            return true;
        }
        let is_added = add_thread();
        if is_added {
            self.cores.add_thread();
        }
        is_added
    }

    pub(super) fn is_suspended(&self, run: &Run) -> bool {
        self.cores.is_suspended(run)
    }

    /// How many runs are suspended.
    pub(super) fn suspended(&self) -> usize {
        self.cores.suspended().len()
    }

    /// Gives a run a core, also if none is free; whether it was suspended.
    pub(super) fn resume(&mut self, run: &Run, now: Instant) -> bool {
        self.last = self.last.max(self.time_of(run.model, now));
        let was_suspended = self.cores.resume(run, now);
        if was_suspended && let Some(model) = self.models.get_mut(&run.model) {
            model.share.resume(now);
        }
        was_suspended
    }

    /// Counts a thread that runs batches.
    pub(super) fn add_thread(&mut self) {
        self.cores.add_thread();
    }
}

/// The candidate of the model furthest behind its share.
fn first(candidates: impl Iterator<Item = Candidate>) -> Option<Candidate> {
    candidates.min_by(|a, b| a.time.total_cmp(&b.time))
}
