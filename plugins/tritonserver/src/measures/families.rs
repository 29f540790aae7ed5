//! The names of the measures, and metrics that follow numbers.

use crate::server::{Error, Family, Kind, Metric, Result};
use std::sync::Arc;

/// The names of the measures.
pub(crate) struct Families {
    pub(super) memory: [Arc<Family>; MEMORY.len()],
    pub(super) given_back: Arc<Family>,
    pub(super) model: [Arc<Family>; MODEL.len()],
    pub(super) executions: Arc<Family>,
    pub(super) seconds: Arc<Family>,
    pub(super) operations: [Arc<Family>; OPERATIONS.len()],
}

pub(super) type Named = (Kind, &'static str, &'static str);

pub(super) const MEMORY: [Named; 9] = [
    (Kind::Gauge, "trident_memory_allocated_bytes", "Bytes in live buffers of a device"),
    (Kind::Gauge, "trident_memory_peak_bytes", "Most bytes in live buffers of a device so far"),
    (
        Kind::Gauge,
        "trident_memory_reserved_bytes",
        "Bytes that a device's pool takes of the system",
    ),
    (
        Kind::Gauge,
        "trident_memory_peak_reserved_bytes",
        "Most bytes that a device's pool took of the system so far",
    ),
    (Kind::Gauge, "trident_memory_cached_bytes", "Reserved bytes of a device that are not in use"),
    (
        Kind::Gauge,
        "trident_memory_fragmentation",
        "Part of a device's cached bytes that one buffer cannot have, from 0 to 1",
    ),
    (
        Kind::Gauge,
        "trident_memory_elsewhere_bytes",
        "Allocated bytes of a device that are outside of its pool: strings and packed weights",
    ),
    (Kind::Counter, "trident_memory_hits", "Buffers of a device for which its pool had memory"),
    (Kind::Counter, "trident_memory_misses", "Buffers of a device with memory from the system"),
];

pub(super) const GIVEN_BACK: Named = (
    Kind::Counter,
    "trident_memory_given_back_bytes",
    "Bytes of a device that were returned to the system, by the reason",
);

pub(super) const MODEL: [Named; 5] = [
    (Kind::Gauge, "trident_model_memory_allocated_bytes", "Bytes in live buffers of a model"),
    (
        Kind::Gauge,
        "trident_model_memory_peak_bytes",
        "Most bytes in live buffers of a model so far",
    ),
    (
        Kind::Gauge,
        "trident_model_memory_elsewhere_bytes",
        "Allocated bytes of a model that are outside of the pool: strings and packed weights",
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

pub(super) const EXECUTIONS: Named =
    (Kind::Counter, "trident_executions", "Executions of a model, each of one or more requests");

pub(super) const SECONDS: Named =
    (Kind::Counter, "trident_execution_seconds", "Seconds of a model's executions, by the phase");

pub(super) const OPERATIONS: [Named; 2] = [
    (Kind::Counter, "trident_operations", "Operations of a model's measured executions"),
    (
        Kind::Counter,
        "trident_operation_seconds",
        "Seconds of operations of a model's measured executions",
    ),
];

impl Families {
    pub(crate) fn new() -> Result<Families> {
        let one = |(kind, name, help): Named| Family::new(kind, name, help).map(Arc::new);
        Ok(Families {
            memory: several(MEMORY, one)?,
            given_back: one(GIVEN_BACK)?,
            model: several(MODEL, one)?,
            executions: one(EXECUTIONS)?,
            seconds: one(SECONDS)?,
            operations: several(OPERATIONS, one)?,
        })
    }
}

/// An array of what may fail for each item.
pub(super) fn several<A, B, const N: usize>(
    items: [A; N],
    mut make: impl FnMut(A) -> Result<B>,
) -> Result<[B; N]> {
    let made = items.into_iter().map(&mut make).collect::<Result<Vec<B>>>()?;
    made.try_into().map_err(|_| Error::internal("an array of another length"))
}

/// A metric that follows a number.
pub(super) struct Following {
    metric: Metric,
    kind: Kind,
    /// The value that the server has.
    last: f64,
}

impl Following {
    pub(super) fn new(
        family: &Arc<Family>,
        kind: Kind,
        labels: &[(&str, &str)],
    ) -> Result<Following> {
        // A gauge may still have the value of the same model before it was loaded again.
        let last = if kind == Kind::Gauge { f64::NAN } else { 0.0 };
        Ok(Following { metric: Metric::new(family, labels)?, kind, last })
    }

    pub(super) fn follow(&mut self, value: f64) {
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

pub(super) fn all<const N: usize>(
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
