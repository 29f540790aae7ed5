//! The state of a server at one time, and what changed between two.

use super::page::Metric;
use std::collections::BTreeMap;
use std::time::Duration;

/// A reading of a server's metrics.
#[derive(Clone, Debug, Default)]
pub(super) struct Sample {
    /// By name and version.
    pub(super) models: BTreeMap<(String, String), ModelSample>,
    /// Gauges of the machine and its devices: their names, labels and values.
    pub(super) gauges: Vec<Metric>,
}

/// Counters of a version of a model. Times are in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ModelSample {
    pub(super) success: f64,
    pub(super) failure: f64,
    pub(super) rows: f64,
    pub(super) runs: f64,
    pub(super) total: f64,
    pub(super) queue: f64,
    pub(super) compute: f64,
    pub(super) pending: f64,
    pub(super) memory: Option<f64>,
}

/// The activity of a model between two readings.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Activity {
    /// Requests answered a second.
    pub(super) rate: f64,
    /// Mean times in microseconds, if there were requests.
    pub(super) latency: Option<f64>,
    pub(super) queue: Option<f64>,
    /// Mean time of a run in microseconds, and mean rows of one, if there were runs.
    pub(super) run: Option<f64>,
    pub(super) batch: Option<f64>,
}

impl Sample {
    /// The sample of a page's metrics; `None` if they are no inference server's.
    pub(super) fn of(metrics: Vec<Metric>) -> Option<Sample> {
        let known = |metric: &Metric| {
            ["nv_", "trident_", "metal_"].iter().any(|own| metric.name.starts_with(own))
        };
        if !metrics.iter().any(known) {
            return None;
        }
        let mut sample = Sample::default();
        for metric in metrics {
            let (Some(model), Some(version)) = (metric.label("model"), metric.label("version"))
            else {
                if known(&metric) {
                    sample.gauges.push(metric);
                }
                continue;
            };
            let own = sample.models.entry((model.to_owned(), version.to_owned())).or_default();
            own.add(&metric.name, metric.value);
        }
        Some(sample)
    }

    /// The activity of a model since an earlier reading.
    pub(super) fn activity(
        &self,
        key: &(String, String),
        before: &Sample,
        passed: Duration,
    ) -> Option<Activity> {
        let (now, before) = (self.models.get(key)?, before.models.get(key)?);
        // A model that was loaded again counts from 0.
        (now.success >= before.success && !passed.is_zero()).then(|| now.since(before, passed))
    }
}

impl ModelSample {
    fn add(&mut self, name: &str, value: f64) {
        match name {
            "nv_inference_request_success" => self.success += value,
            "nv_inference_request_failure" => self.failure += value,
            "nv_inference_count" => self.rows += value,
            "nv_inference_exec_count" => self.runs += value,
            "nv_inference_request_duration_us" => self.total += value,
            "nv_inference_queue_duration_us" => self.queue += value,
            "nv_inference_compute_infer_duration_us" => self.compute += value,
            "nv_inference_pending_request_count" => self.pending += value,
            "trident_model_memory_bytes" => *self.memory.get_or_insert(0.0) += value,
            _ => {}
        }
    }

    fn since(&self, before: &ModelSample, passed: Duration) -> Activity {
        let ratio = |part: f64, whole: f64| (whole > 0.0).then(|| part / whole);
        let (requests, runs) = (self.success - before.success, self.runs - before.runs);
        Activity {
            rate: requests / passed.as_secs_f64(),
            latency: ratio(self.total - before.total, requests),
            queue: ratio(self.queue - before.queue, requests),
            run: ratio(self.compute - before.compute, requests),
            batch: ratio(self.rows - before.rows, runs),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // what fails there fails the test
    use super::super::page::parse;
    use super::*;

    fn sample(success: u32, total: u32, rows: u32, runs: u32) -> Sample {
        let labels = r#"{model="m",version="1"}"#;
        let page = format!(
            "nv_inference_request_success{labels} {success}\nnv_inference_request_duration_us{labels} {total}\n\
             nv_inference_count{labels} {rows}\nnv_inference_exec_count{labels} {runs}\nnv_cpu_utilization 0.5\ngo_threads 7\n"
        );
        Sample::of(parse(&page).unwrap()).unwrap()
    }

    #[test]
    fn rates_come_from_two_readings() {
        let key = ("m".to_owned(), "1".to_owned());
        let (before, now) = (sample(10, 1000, 10, 10), sample(30, 5000, 50, 20));
        let activity = now.activity(&key, &before, Duration::from_secs(2)).unwrap();
        assert_eq!(
            (activity.rate, activity.latency, activity.batch),
            (10.0, Some(200.0), Some(4.0))
        );
        assert_eq!(now.gauges.len(), 1);
        let idle = now.activity(&key, &now, Duration::from_secs(2)).unwrap();
        assert_eq!(idle, Activity::default());
        assert_eq!(before.activity(&key, &now, Duration::from_secs(2)), None);
    }

    #[test]
    fn pages_of_other_programs_are_no_samples() {
        assert!(Sample::of(parse("go_threads 7\n").unwrap()).is_none());
    }
}
