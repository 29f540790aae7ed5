//! The families of metrics that the Triton Inference Server does not have.

use std::fmt::Write;

use super::{Kind, Measured, escape, head, labels};
use crate::statistics::{BOUNDS, Latencies, TimeHistogram};

/// A histogram of requests: its name, its text, and its values.
type HistogramFamily = (&'static str, &'static str, fn(&Latencies) -> &TimeHistogram);

const HISTOGRAMS: [HistogramFamily; 3] = [
    ("trident_request_queue_seconds", "Time of requests before their batch", |all| &all.queue),
    ("trident_request_compute_seconds", "Time of requests in their batch", |all| &all.compute),
    ("trident_request_duration_seconds", "Time of requests from arrival to answer", |all| {
        &all.total
    }),
];

/// Adds the families of models.
pub(super) fn models(page: &mut String, models: &[Measured]) {
    let owned = || models.iter().filter_map(|model| Some((model, model.memory?)));
    if owned().next().is_some() {
        let name = "trident_model_memory_bytes";
        head(page, name, "Weights, states and memory of runs, in bytes", Kind::Gauge);
        for (model, bytes) in owned() {
            page.push_str(name);
            labels(page, model, &[]);
            let _ = writeln!(page, " {bytes}");
        }
    }
    shares(page, models);
    for (name, help, of) in HISTOGRAMS {
        if !models.is_empty() {
            head(page, name, help, Kind::Histogram);
        }
        models
            .iter()
            .for_each(|model| histogram(page, name, model, of(&model.statistics.latencies)));
    }
    operations(page, models);
}

/// The weights of models, and the time that they have had of the cores.
fn shares(page: &mut String, models: &[Measured]) {
    let shared = || models.iter().filter_map(|model| Some((model, model.core_use?)));
    if shared().next().is_none() {
        return;
    }
    let name = "trident_model_share_weight";
    head(page, name, "Weight of the model's share in the cores", Kind::Gauge);
    for (model, own) in shared() {
        page.push_str(name);
        labels(page, model, &[]);
        let _ = writeln!(page, " {}", own.weight);
    }
    let name = "trident_model_core_seconds_total";
    head(page, name, "Time for which runs of the model have had a core", Kind::Counter);
    for (model, own) in shared() {
        page.push_str(name);
        labels(page, model, &[]);
        let _ = writeln!(page, " {}", own.time.as_secs_f64());
    }
}

/// The lines of a histogram, whose buckets count the times of lower ones, too.
fn histogram(page: &mut String, name: &str, model: &Measured, times: &TimeHistogram) {
    let bounds = BOUNDS.iter().map(|micros| (*micros as f64 / 1e6).to_string());
    let mut count = 0;
    for (bound, own) in bounds.chain(["+Inf".to_owned()]).zip(times.buckets) {
        count += own;
        let _ = write!(page, "{name}_bucket");
        labels(page, model, &[("le", &bound)]);
        let _ = writeln!(page, " {count}");
    }
    for (end, value) in [("sum", (times.ns as f64 / 1e9).to_string()), ("count", count.to_string())]
    {
        let _ = write!(page, "{name}_{end}");
        labels(page, model, &[]);
        let _ = writeln!(page, " {value}");
    }
}

/// The times of operations in the runs that were measured.
fn operations(page: &mut String, models: &[Measured]) {
    let all = || models.iter().flat_map(|model| model.operations.iter().map(move |op| (model, op)));
    if all().next().is_none() {
        return;
    }
    let name = "trident_operation_seconds_total";
    head(page, name, "Time of operations in the runs that were measured", Kind::Counter);
    for (model, op) in all() {
        page.push_str(name);
        labels(page, model, &[("op", op.op), ("device", &op.device)]);
        let _ = writeln!(page, " {}", op.duration.as_secs_f64());
    }
    let name = "trident_operations_total";
    head(page, name, "Operations in the runs that were measured", Kind::Counter);
    for (model, op) in all() {
        page.push_str(name);
        labels(page, model, &[("op", op.op), ("device", &op.device)]);
        let _ = writeln!(page, " {}", op.count);
    }
}

/// A family of the machine or the process: the name of a label, and its values with the metric's.
pub(super) struct MachineFamily {
    pub(super) name: &'static str,
    pub(super) help: &'static str,
    pub(super) kind: Kind,
    pub(super) label: &'static str,
    pub(super) values: Vec<(String, f64)>,
}

/// Adds families of the machine, those that have values.
pub(super) fn machine(page: &mut String, families: &[MachineFamily]) {
    for family in families.iter().filter(|family| !family.values.is_empty()) {
        head(page, family.name, family.help, family.kind);
        for (label, value) in &family.values {
            page.push_str(family.name);
            if !family.label.is_empty() {
                let _ = write!(page, "{{{}=\"", family.label);
                escape(page, label);
                page.push_str("\"}");
            }
            let _ = writeln!(page, " {value}");
        }
    }
}
