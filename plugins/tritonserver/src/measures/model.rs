//! The memory, executions and operations of a model.

use super::families::{Families, Following, MODEL, OPERATIONS, all, several};
use crate::served::Served;
use crate::server::{Family, Kind, Result, Times};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Weak};
use trident_runtime::PoolStats;
use trident_serving::OpTotal;

/// Counts of a model's executions.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    executions: AtomicU64,
    /// Nanoseconds of each phase.
    phases: [AtomicU64; PHASES.len()],
}

/// The phases of an execution: it reads requests, runs the model, writes responses.
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

pub(super) struct OfModel {
    served: Weak<Served>,
    memory: [Following; MODEL.len()],
    executions: Following,
    phases: [Following; PHASES.len()],
    operations: OfOperations,
}

impl OfModel {
    pub(super) fn new(families: &Families, backend: &str, served: &Arc<Served>) -> Result<OfModel> {
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
            operations: OfOperations::new(families, backend, served),
        })
    }

    pub(super) fn is(&self, served: &Arc<Served>) -> bool {
        std::ptr::eq(self.served.as_ptr(), Arc::as_ptr(served))
    }

    /// Whether the model is still there.
    pub(super) fn update(&mut self) -> bool {
        let Some(served) = self.served.upgrade() else { return false };
        let PoolStats { live, elsewhere, peak, hits, misses } = served.memory();
        let values = [live, peak, elsewhere].map(|bytes| bytes as f64).into_iter();
        let values = values.chain([hits as f64, misses as f64]);
        self.memory.iter_mut().zip(values).for_each(|(metric, value)| metric.follow(value));
        self.executions.follow(served.counts.executions.load(Relaxed) as f64);
        for (metric, nanoseconds) in self.phases.iter_mut().zip(&served.counts.phases) {
            metric.follow(nanoseconds.load(Relaxed) as f64 / 1e9);
        }
        self.operations.update(&served);
        true
    }
}

/// A model's operations, each shown from the first time that it was measured.
struct OfOperations {
    families: [Arc<Family>; OPERATIONS.len()],
    backend: String,
    version: String,
    shown: BTreeMap<(&'static str, String), [Following; OPERATIONS.len()]>,
}

impl OfOperations {
    pub(super) fn new(families: &Families, backend: &str, served: &Served) -> OfOperations {
        OfOperations {
            families: families.operations.clone(),
            backend: backend.to_owned(),
            version: served.version.to_string(),
            shown: BTreeMap::new(),
        }
    }

    pub(super) fn update(&mut self, served: &Served) {
        for OpTotal { op, device, count, duration } in served.model.operations() {
            let metrics = match self.shown.entry((op, device)) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(vacant) => {
                    let labels = [
                        ("model", &*served.name),
                        ("version", &self.version),
                        ("backend", &self.backend),
                        ("device", &vacant.key().1),
                        ("op", op),
                    ];
                    // A server without metrics shows none.
                    let Ok(metrics) = all(&self.families, OPERATIONS, &labels) else { return };
                    vacant.insert(metrics)
                }
            };
            let values = [count as f64, duration.as_secs_f64()];
            metrics.iter_mut().zip(values).for_each(|(metric, value)| metric.follow(value));
        }
    }
}
