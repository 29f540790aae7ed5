//! Measures of memory and time on the server's page of metrics.
//!
//! Executions only increment counters. A thread reports them to the server twice a second, so that requests do not pay
//! for it.

mod device;
mod families;
mod model;

pub(crate) use families::Families;
pub(crate) use model::Counts;

use crate::served::Served;
use crate::server::{Error, Result};
use device::OfDevice;
use model::OfModel;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
use trident_runtime::Device;

/// The time between two looks at the counters.
const INTERVAL: Duration = Duration::from_millis(500);

/// The metrics that are shown.
#[derive(Default)]
struct Shown {
    devices: Vec<OfDevice>,
    models: Vec<OfModel>,
    stop: bool,
}

#[derive(Default)]
struct Shared {
    shown: Mutex<Shown>,
    stopped: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Shown> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The thread that carries counts to the server. It ends when this is dropped.
pub(crate) struct Sampler {
    backend: String,
    families: Families,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Sampler {
    pub(crate) fn start(backend: &str, families: Families) -> Result<Sampler> {
        let shared = Arc::<Shared>::default();
        let its = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("trident-metrics".into());
        let thread = thread.spawn(move || run(&its)).map_err(|error| {
            Error::internal(format!("the thread for metrics cannot be started: {error}"))
        })?;
        let (backend, thread) = (backend.to_owned(), Some(thread));
        Ok(Sampler { backend, families, shared, thread })
    }

    /// Shows a device's memory.
    pub(crate) fn device(&self, device: &Arc<dyn Device>) {
        let mut shown = self.shared.lock();
        let name = &device.info().name;
        if shown.devices.iter().any(|known| known.is(name)) {
            return;
        }
        // A server without metrics shows none.
        if let Ok(mut metrics) = OfDevice::new(&self.families, &self.backend, device) {
            metrics.update();
            shown.devices.push(metrics);
        }
    }

    /// Shows a model no longer.
    pub(crate) fn forget(&self, served: &Arc<Served>) {
        self.shared.lock().models.retain(|model| !model.is(served));
    }

    /// Shows a model.
    pub(crate) fn model(&self, served: &Arc<Served>) {
        if let Ok(mut metrics) = OfModel::new(&self.families, &self.backend, served) {
            metrics.update();
            self.shared.lock().models.push(metrics);
        }
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        self.shared.lock().stop = true;
        self.shared.stopped.notify_all();
        if let Some(thread) = self.thread.take() {
            // An error means that the thread panicked: there is nothing left to stop.
            let _ = thread.join();
        }
        // Metrics must go before their families.
        *self.shared.lock() = Shown::default();
    }
}

fn run(shared: &Shared) {
    let mut shown = shared.lock();
    while !shown.stop {
        shown = match shared.stopped.wait_timeout(shown, INTERVAL) {
            Ok((shown, _)) => shown,
            Err(poisoned) => poisoned.into_inner().0,
        };
        shown.devices.iter_mut().for_each(OfDevice::update);
        shown.models.retain_mut(OfModel::update);
    }
}
