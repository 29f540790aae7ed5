//! Measures of memory and time on the server's page of metrics.
//!
//! Executions only count; a thread carries the counts to the server twice a second, so that they cost requests nothing.

use crate::served::Served;
use crate::server::{Error, Family, Kind, Metric, Result, Times};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::Duration;
use trident_runtime::{Device, MemoryStats, PoolStats};

/// The time between two looks at the counters.
const INTERVAL: Duration = Duration::from_millis(500);

/// What a model has executed.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    executions: AtomicU64,
    /// Nanoseconds of each phase.
    phases: [AtomicU64; PHASES.len()],
}

/// What an execution does: it reads requests, runs the model, writes responses.
const PHASES: [&str; 3] = ["input", "infer", "output"];

impl Counts {
    pub(crate) fn add(&self, times: Times) {
        self.executions.fetch_add(1, Relaxed);
        let marks = [times.start, times.compute_start, times.compute_end, times.end];
        for (phase, marks) in self.phases.iter().zip(marks.windows(2)) {
            phase.fetch_add(marks[1].saturating_sub(marks[0]), Relaxed);
        }
    }
}

/// The names of the measures.
pub(crate) struct Families {
    memory: [Arc<Family>; MEMORY.len()],
    given_back: Arc<Family>,
    model: [Arc<Family>; MODEL.len()],
    executions: Arc<Family>,
    seconds: Arc<Family>,
}

type Named = (Kind, &'static str, &'static str);

const MEMORY: [Named; 6] = [
    (Kind::Gauge, "trident_memory_allocated_bytes", "Bytes in live buffers of a device"),
    (Kind::Gauge, "trident_memory_peak_bytes", "Most bytes in live buffers of a device so far"),
    (
        Kind::Gauge,
        "trident_memory_reserved_bytes",
        "Bytes that a device's pool takes of the system",
    ),
    (Kind::Gauge, "trident_memory_cached_bytes", "Reserved bytes of a device that are not in use"),
    (Kind::Counter, "trident_memory_hits", "Buffers of a device for which its pool had memory"),
    (Kind::Counter, "trident_memory_misses", "Buffers of a device with memory from the system"),
];

const GIVEN_BACK: Named = (
    Kind::Counter,
    "trident_memory_given_back_bytes",
    "Bytes of a device that were returned to the system, by the reason",
);

const MODEL: [Named; 4] = [
    (Kind::Gauge, "trident_model_memory_allocated_bytes", "Bytes in live buffers of a model"),
    (
        Kind::Gauge,
        "trident_model_memory_peak_bytes",
        "Most bytes in live buffers of a model so far",
    ),
    (
        Kind::Counter,
        "trident_model_memory_hits",
        "Buffers of a model for which the pool had memory",
    ),
    (
        Kind::Counter,
        "trident_model_memory_misses",
        "Buffers of a model with memory from the system",
    ),
];

const EXECUTIONS: Named =
    (Kind::Counter, "trident_executions", "Executions of a model, each of one or more requests");

const SECONDS: Named =
    (Kind::Counter, "trident_execution_seconds", "Seconds of a model's executions, by the phase");

impl Families {
    pub(crate) fn new() -> Result<Families> {
        let one = |(kind, name, help): Named| Family::new(kind, name, help).map(Arc::new);
        Ok(Families {
            memory: several(MEMORY, one)?,
            given_back: one(GIVEN_BACK)?,
            model: several(MODEL, one)?,
            executions: one(EXECUTIONS)?,
            seconds: one(SECONDS)?,
        })
    }
}

/// An array of what may fail for each item.
fn several<A, B, const N: usize>(
    items: [A; N],
    mut make: impl FnMut(A) -> Result<B>,
) -> Result<[B; N]> {
    let made = items.into_iter().map(&mut make).collect::<Result<Vec<B>>>()?;
    made.try_into().map_err(|_| Error::internal("an array of another length"))
}

/// A metric that follows a number.
struct Following {
    metric: Metric,
    kind: Kind,
    /// What the server was told.
    last: f64,
}

impl Following {
    fn new(family: &Arc<Family>, kind: Kind, labels: &[(&str, &str)]) -> Result<Following> {
        // A gauge may still have the value of the same model before it was loaded again.
        let last = if kind == Kind::Gauge { f64::NAN } else { 0.0 };
        Ok(Following { metric: Metric::new(family, labels)?, kind, last })
    }

    fn follow(&mut self, value: f64) {
        if value == self.last {
            return;
        }
        // A value that cannot be shown is shown the next time.
        let told = match self.kind {
            Kind::Gauge => self.metric.set(value),
            Kind::Counter => self.metric.add((value - self.last).max(0.0)),
        };
        if told.is_ok() {
            self.last = value;
        }
    }
}

fn all<const N: usize>(
    families: &[Arc<Family>; N],
    named: [Named; N],
    labels: &[(&str, &str)],
) -> Result<[Following; N]> {
    let mut families = families.iter();
    several(named, |(kind, ..)| match families.next() {
        Some(family) => Following::new(family, kind, labels),
        None => Err(Error::internal("a metric without a family")),
    })
}

struct OfDevice {
    device: Arc<dyn Device>,
    memory: [Following; MEMORY.len()],
    given_back: [Following; REASONS.len()],
}

/// Why memory is returned: for its age, as too much was kept, as a model was unloaded, because somebody asked.
const REASONS: [&str; 4] = ["age", "size", "unload", "asked"];

impl OfDevice {
    fn new(families: &Families, backend: &str, device: &Arc<dyn Device>) -> Result<OfDevice> {
        let name = &device.info().name;
        let labels = [("backend", backend), ("device", &**name)];
        let given_back = |reason| {
            let labels = [labels[0], labels[1], ("reason", reason)];
            Following::new(&families.given_back, Kind::Counter, &labels)
        };
        Ok(OfDevice {
            device: Arc::clone(device),
            memory: all(&families.memory, MEMORY, &labels)?,
            given_back: several(REASONS, given_back)?,
        })
    }

    fn update(&mut self) {
        let MemoryStats { buffers, reserved, cached, given_back, .. } =
            self.device.memory().device_stats();
        let PoolStats { live, peak, hits, misses, .. } = buffers;
        let values = [live as f64, peak as f64, reserved as f64, cached as f64];
        let values = values.into_iter().chain([hits as f64, misses as f64]);
        self.memory.iter_mut().zip(values).for_each(|(metric, value)| metric.follow(value));
        let given_back =
            [given_back.age, given_back.size, given_back.unload, given_back.asked].into_iter();
        let metrics = self.given_back.iter_mut();
        metrics.zip(given_back).for_each(|(metric, bytes)| metric.follow(bytes as f64));
    }
}

struct OfModel {
    served: Weak<Served>,
    memory: [Following; MODEL.len()],
    executions: Following,
    phases: [Following; PHASES.len()],
}

impl OfModel {
    fn new(families: &Families, backend: &str, served: &Arc<Served>) -> Result<OfModel> {
        let (version, device) = (served.version.to_string(), served.devices());
        let labels = [
            ("model", &*served.name),
            ("version", &version),
            ("backend", backend),
            ("device", &device),
        ];
        let phase = |phase| {
            let labels = [labels[0], labels[1], labels[2], labels[3], ("phase", phase)];
            Following::new(&families.seconds, Kind::Counter, &labels)
        };
        Ok(OfModel {
            served: Arc::downgrade(served),
            memory: all(&families.model, MODEL, &labels)?,
            executions: Following::new(&families.executions, Kind::Counter, &labels)?,
            phases: several(PHASES, phase)?,
        })
    }

    /// Whether the model is still there.
    fn update(&mut self) -> bool {
        let Some(served) = self.served.upgrade() else { return false };
        let PoolStats { live, peak, hits, misses, .. } = served.memory();
        let values = [live as f64, peak as f64, hits as f64, misses as f64];
        self.memory.iter_mut().zip(values).for_each(|(metric, value)| metric.follow(value));
        self.executions.follow(served.counts.executions.load(Relaxed) as f64);
        for (metric, nanoseconds) in self.phases.iter_mut().zip(&served.counts.phases) {
            metric.follow(nanoseconds.load(Relaxed) as f64 / 1e9);
        }
        true
    }
}

/// What is shown.
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
        if shown.devices.iter().any(|known| known.device.info().name == *name) {
            return;
        }
        // A server without metrics shows none.
        if let Ok(mut metrics) = OfDevice::new(&self.families, &self.backend, device) {
            metrics.update();
            shown.devices.push(metrics);
        }
    }

    /// Shows a model until it is dropped.
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
            // It has no result that could be lost.
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
