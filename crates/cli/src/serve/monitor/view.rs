//! Samples as text and as JSON.

use super::page::Metric;
use super::sample::Sample;
use crate::render::{Align, Table, bytes, count, duration};
use serde_json::{Value, json};
use std::fmt::Write;
use std::time::Duration;

/// The table of models, and gauges of the machine below it.
pub(super) fn text(now: &Sample, before: &Sample, passed: Duration) -> String {
    let mut table = Table::new(&[
        ("model", Align::Left),
        ("version", Align::Right),
        ("requests/s", Align::Right),
        ("latency", Align::Right),
        ("in queue", Align::Right),
        ("run", Align::Right),
        ("batch", Align::Right),
        ("waiting", Align::Right),
        ("failed", Align::Right),
        ("memory", Align::Right),
    ]);
    for (key, model) in &now.models {
        let activity = now.activity(key, before, passed).unwrap_or_default();
        let time = |micros: Option<f64>| {
            let time = |micros: f64| Duration::try_from_secs_f64(micros / 1e6).unwrap_or_default();
            micros.map_or("–".into(), |micros| duration(time(micros)))
        };
        table.row([
            key.0.clone(),
            key.1.clone(),
            format!("{:.1}", activity.rate),
            time(activity.latency),
            time(activity.queue),
            time(activity.run),
            activity.batch.map_or("–".into(), |rows| format!("{rows:.1}")),
            count(model.pending),
            count(model.failure),
            model.memory.map_or("–".into(), |memory| bytes(memory as usize)),
        ]);
    }
    let mut text =
        if now.models.is_empty() { "no models are ready\n".to_owned() } else { table.to_string() };
    text.push('\n');
    // Writing to a string cannot fail.
    now.gauges.iter().for_each(|gauge| writeln!(text, "{}", line(gauge)).unwrap_or(()));
    text
}

/// The table of memory by model and device.
pub(super) fn memory(now: &Sample) -> String {
    let mut table = Table::new(&[("memory", Align::Left), ("bytes", Align::Right)]);
    for ((name, version), model) in &now.models {
        let memory = model.memory.map_or("–".into(), |memory| bytes(memory as usize));
        table.row([format!("model {name}, version {version}"), memory]);
    }
    for gauge in now.gauges.iter().filter(|gauge| gauge.name.ends_with("_bytes")) {
        table.row([title(gauge), bytes(gauge.value as usize)]);
    }
    table.to_string()
}

/// A sample as JSON. Times are in microseconds.
pub(super) fn value(now: &Sample, before: &Sample, passed: Duration) -> Value {
    let models = now.models.iter().map(|(key, model)| {
        let activity = now.activity(key, before, passed);
        json!({
            "name": key.0, "version": key.1, "requests": model.success, "failures": model.failure,
            "pending": model.pending, "memory_bytes": model.memory,
            "requests_per_second": activity.map(|activity| activity.rate),
            "latency_us": activity.and_then(|activity| activity.latency),
            "queue_us": activity.and_then(|activity| activity.queue),
            "run_us": activity.and_then(|activity| activity.run),
            "batch": activity.and_then(|activity| activity.batch),
        })
    });
    let gauges = now.gauges.iter().map(|gauge| {
        let labels = gauge.labels.iter().map(|(name, value)| (name.clone(), json!(value)));
        json!({ "name": gauge.name, "labels": Value::Object(labels.collect()), "value": gauge.value })
    });
    json!({ "models": models.collect::<Vec<_>>(), "gauges": gauges.collect::<Vec<_>>() })
}

fn line(gauge: &Metric) -> String {
    let value = match &*gauge.name {
        name if name.ends_with("_bytes") => bytes(gauge.value as usize),
        name if name.ends_with("utilization") => format!("{:.0} %", 100.0 * gauge.value),
        _ => gauge.value.to_string(),
    };
    format!("{}: {value}", title(gauge))
}

/// `nv_cpu_memory_used_bytes` as `cpu memory used`, with the values of its labels.
fn title(gauge: &Metric) -> String {
    let name = ["nv_", "trident_"].iter().find_map(|own| gauge.name.strip_prefix(own));
    let name = name.unwrap_or(&gauge.name);
    let mut title = name.strip_suffix("_bytes").unwrap_or(name).replace('_', " ");
    for (_, value) in &gauge.labels {
        title.push(' ');
        title.push_str(value);
    }
    title
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // what fails there fails the test
    use super::super::page::parse;
    use super::*;

    #[test]
    fn models_and_gauges_are_shown() {
        let page = |success: u32| {
            format!(
                "nv_inference_request_success{{model=\"m\",version=\"1\"}} {success}\nnv_cpu_utilization 0.25\n\
                 nv_cpu_memory_used_bytes 1048576\ntrident_model_memory_bytes{{model=\"m\",version=\"1\"}} 2048\n"
            )
        };
        let sample = |success| Sample::of(parse(&page(success)).unwrap()).unwrap();
        let (before, now) = (sample(0), sample(10));
        let text = text(&now, &before, Duration::from_secs(1));
        assert!(text.contains("10.0") && text.contains("cpu utilization: 25 %"), "{text}");
        let value = value(&now, &before, Duration::from_secs(1));
        assert_eq!(value["models"][0]["requests_per_second"], 10.0);
        assert_eq!(value["models"][0]["batch"], Value::Null);
        assert_eq!(value["models"][0]["memory_bytes"], 2048.0);
        let memory = memory(&now);
        assert!(
            memory.contains("model m, version 1") && memory.contains("cpu memory used"),
            "{memory}"
        );
    }
}
