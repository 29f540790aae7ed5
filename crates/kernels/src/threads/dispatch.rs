//! The tasks of a job, taken one after the other by the members of teams.

use super::crew::Crew;
use super::stop::{self, Pace, Watched, Watcher};
use super::{Padded, Threads};
use crate::sync::{AtomicBool, AtomicUsize, Ordering};

impl Threads {
    /// [`Threads::run`]. Takes a trait object, so that a kernel's loop is compiled once and not for each way of calling it.
    ///
    /// A job has several teams, one after the other, if its run is suspended or gets more workers in the middle.
    pub(super) fn dispatch(&self, count: usize, task: &(dyn Fn(usize) + Sync)) {
        if count <= 1 {
            return (0..count).for_each(task);
        }
        let watcher = Watcher::of_thread();
        if self.count == 1 {
            let mut pace = Pace::new(watcher.as_ref());
            for i in 0..count {
                if i > 0 && pace.is_due() {
                    pace.give_way();
                }
                if pace.stops() {
                    stop::unwind();
                }
                task(i);
            }
            return;
        }
        let tasks = Tasks { next: Padded(AtomicUsize::new(0)), count, task };
        while !tasks.are_taken() {
            let crew = Crew::of(self.executor(), self.count - 1);
            let round = Round { tasks: &tasks, crew, is_over: AtomicBool::new(false) };
            let member = |member| round.take_part(member, watcher.as_ref());
            let Some(watcher) = &watcher else {
                self.team(count, &member);
                continue;
            };
            self.watched_team(count, &member, &|| _ = watcher.stops());
            if watcher.is_due() && !watcher.has_stopped() {
                watcher.give_way();
            }
            // Also if all tasks are done: a run that stopped while it was suspended has no core.
            if watcher.has_stopped() {
                stop::unwind();
            }
        }
    }
}

/// The tasks of a job.
struct Tasks<'a> {
    /// The first that nobody has taken.
    next: Padded<AtomicUsize>,
    count: usize,
    task: &'a (dyn Fn(usize) + Sync),
}

impl Tasks<'_> {
    fn are_taken(&self) -> bool {
        self.next.0.load(Ordering::Relaxed) >= self.count
    }
}

/// When dropped, also by a panic, leaves no task to take.
struct Stop<'a>(&'a Tasks<'a>);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.next.0.store(self.0.count, Ordering::Relaxed);
    }
}

/// The work of one team.
struct Round<'a> {
    tasks: &'a Tasks<'a>,
    crew: Option<Crew<'a>>,
    /// Whether the team ends though tasks are left.
    is_over: AtomicBool,
}

impl Round<'_> {
    /// Takes tasks as a member of the team: 0 is the run's thread, whose watcher is given.
    fn take_part(&self, member: usize, watcher: Option<&Watcher>) {
        let stop = Stop(self.tasks);
        let worker = watcher.filter(|_| member != 0).map(Watcher::of_worker);
        let mut pace = Pace::new(worker.as_ref().or(watcher));
        let _watched = worker.clone().map(Watched::by);
        loop {
            if self.ends(member) {
                // The others, or the next team, take the rest.
                std::mem::forget(stop);
                return;
            }
            let i = self.tasks.next.0.fetch_add(1, Ordering::Relaxed);
            if i >= self.tasks.count || pace.stops() {
                return;
            }
            (self.tasks.task)(i);
            // After a task: each team does at least one.
            if member == 0 && (pace.is_due() || self.crew.as_ref().is_some_and(Crew::can_grow)) {
                self.is_over.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Whether a member leaves the team though tasks are left.
    fn ends(&self, member: usize) -> bool {
        self.is_over.load(Ordering::Relaxed)
            || member != 0 && self.crew.as_ref().is_some_and(|crew| crew.leaves(member))
    }
}
