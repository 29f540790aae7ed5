//! Summaries and histograms of times, with the server's names and texts. `--metrics-config` asks for them.

use std::fmt::Write;

use super::{Kind, Measured, head, labels};
use crate::statistics::Timed;

/// The families of summaries: their names and texts, and whether only models whose answers are kept have them.
const SUMMARIES: [(&str, &str, Timed, bool); 7] = [
    (
        "nv_inference_request_summary_us",
        "Summary of inference request duration in microseconds (includes cached requests)",
        Timed::Request,
        false,
    ),
    (
        "nv_inference_queue_summary_us",
        "Summary of inference queuing duration in microseconds (includes cached requests)",
        Timed::Queue,
        false,
    ),
    (
        "nv_inference_compute_input_summary_us",
        "Cumulative compute input duration in microseconds (does not include cached requests)",
        Timed::Input,
        false,
    ),
    (
        "nv_inference_compute_infer_summary_us",
        "Cumulative compute inference duration in microseconds (does not include cached requests)",
        Timed::Run,
        false,
    ),
    (
        "nv_inference_compute_output_summary_us",
        "Cumulative inference compute output duration in microseconds (does not include cached requests)",
        Timed::Output,
        false,
    ),
    (
        "nv_cache_hit_summary_per_model",
        "Summary of cache hit counts/durations per model, in microseconds.",
        Timed::CacheHit,
        true,
    ),
    (
        "nv_cache_miss_summary_per_model",
        "Summary of cache miss counts/durations per model, in microseconds.",
        Timed::CacheMiss,
        true,
    ),
];

/// Adds the summaries of models, with these quantiles.
pub(super) fn summaries<'a>(page: &mut String, models: &'a [Measured], quantiles: &[f64]) {
    for (name, help, kind, of_cache) in SUMMARIES {
        let shown = || {
            let wanted = models.iter().filter(move |model| model.caches || !of_cache);
            let times = move |own: &'a Measured| Some(own.statistics.summaries.as_ref()?.of(kind));
            wanted.filter_map(move |model| Some((model, times(model)?)))
        };
        if shown().next().is_some() {
            head(page, name, help, Kind::Summary);
        }
        for (model, times) in shown() {
            line(page, &format!("{name}_count"), model, &[], times.count);
            line(page, &format!("{name}_sum"), model, &[], times.micros);
            for (quantile, value) in quantiles.iter().zip(&times.quantiles) {
                let quantile = quantile.to_string();
                let label = [("quantile", quantile.as_str())];
                match value {
                    Some(micros) => line(page, name, model, &label, micros),
                    None => line(page, name, model, &label, "Nan"),
                }
            }
        }
    }
}

/// Adds the times until the first answers of decoupled models.
pub(super) fn first_responses(page: &mut String, models: &[Measured]) {
    let name = "nv_inference_first_response_histogram_ms";
    let shown = || {
        let first = |model: &Measured| model.statistics.first_responses.clone();
        models.iter().filter_map(move |model| Some((model, first(model)?)))
    };
    if shown().next().is_some() {
        head(
            page,
            name,
            "Duration from request to first response in milliseconds",
            Kind::Histogram,
        );
    }
    for (model, times) in shown() {
        let count = times.counts.iter().sum::<u64>();
        line(page, &format!("{name}_count"), model, &[], count);
        line(page, &format!("{name}_sum"), model, &[], times.micros as f64 / 1e3);
        let bounds = times.bounds.iter().map(f64::to_string).chain(["+Inf".to_owned()]);
        let mut below = 0;
        for (bound, own) in bounds.zip(&times.counts) {
            below += own;
            line(page, &format!("{name}_bucket"), model, &[("le", &bound)], below);
        }
    }
}

fn line(
    page: &mut String,
    name: &str,
    model: &Measured,
    further: &[(&str, &str)],
    value: impl std::fmt::Display,
) {
    page.push_str(name);
    labels(page, model, further);
    // Writing to a string cannot fail.
    let _ = writeln!(page, " {value}");
}
