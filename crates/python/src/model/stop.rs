//! The early end of runs: by Ctrl-C, and by a switch.

use pyo3::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use trident_engine::CancelFlag;

/// A switch that ends the runs it is given to.
#[pyclass(frozen, module = "trident._trident")]
pub(crate) struct Stop(pub(super) CancelFlag);

#[pymethods]
impl Stop {
    #[new]
    fn new() -> Stop {
        Stop(CancelFlag::new())
    }

    /// Ends the runs, and those that begin later.
    fn stop(&self) {
        self.0.cancel();
    }
}

/// How often a run looks for signals, in nanoseconds: a look waits for the interpreter.
const PAUSE: u64 = 50_000_000;

/// The exception that a handler of signals has raised during a run.
#[derive(Clone, Default)]
pub(super) struct Interrupt(Arc<Mutex<Option<PyErr>>>);

impl Interrupt {
    /// A flag that is set once a handler raises, or by the switch.
    pub(super) fn flag(&self, stop: Option<CancelFlag>) -> CancelFlag {
        let raised = self.clone();
        let (start, next) = (Instant::now(), AtomicU64::new(PAUSE));
        CancelFlag::when(move || {
            if stop.as_ref().is_some_and(CancelFlag::is_cancelled) {
                return true;
            }
            let now = start.elapsed().as_nanos() as u64;
            if now < next.load(Relaxed) {
                return false;
            }
            next.store(now + PAUSE, Relaxed);
            raised.look()
        })
    }

    /// Runs handlers of signals that have arrived. Python does so on its main thread only: elsewhere this finds nothing.
    fn look(&self) -> bool {
        // An interpreter that ends has no more handlers to run.
        match Python::try_attach(|py| py.check_signals()) {
            None | Some(Ok(())) => false,
            Some(Err(error)) => {
                *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                true
            }
        }
    }

    pub(super) fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
