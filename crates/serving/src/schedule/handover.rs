//! Runs that hand their cores to batches of other models.

use super::contest::Suspended;
use super::cores::Run;
use super::shared::{Runner, Shared};
use std::sync::Arc;
use std::time::Duration;
use trident_engine::Handover;

/// How often a suspended run asks whether it has to stop.
const LOOK: Duration = Duration::from_millis(5);

/// The core that a run has from its scheduler.
pub(super) struct CoreOfRun<R: Runner> {
    shared: Arc<Shared<R>>,
    run: Arc<Run>,
}

impl<R: Runner> CoreOfRun<R> {
    pub(super) fn of(shared: &Arc<Shared<R>>, run: &Arc<Run>) -> Arc<dyn Handover> {
        Arc::new(CoreOfRun { shared: Arc::clone(shared), run: Arc::clone(run) })
    }
}

impl<R: Runner> Handover for CoreOfRun<R> {
    fn is_due(&self) -> bool {
        let Shared { clock, start, .. } = &*self.shared;
        // Most runs are not contested, and do not look at the clock.
        self.run.is_contested() && self.run.is_due(clock.now().saturating_duration_since(*start))
    }

    /// Has another thread run what waits, until this run is the furthest behind its share among those that wait for a core. A run
    /// that keeps its core returns at once.
    fn wait(&self, has_to_stop: &dyn Fn() -> bool) {
        let Self { shared, run } = self;
        let mut state = shared.lock();
        match state.suspend(run, shared.clock.now(), || shared.add_thread()) {
            Suspended::No => return,
            Suspended::For(Some(other)) => other.notify(),
            Suspended::For(None) => shared.notify(),
        }
        while state.is_suspended(run) {
            drop(state);
            let stops = has_to_stop();
            state = shared.lock();
            if stops {
                // It ends, for which it needs no core.
                state.resume(run, shared.clock.now());
            }
            if state.is_suspended(run) {
                state = run.pause(state, LOOK);
            }
        }
    }
}
