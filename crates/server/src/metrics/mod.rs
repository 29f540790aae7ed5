//! The page of metrics, in the text format of Prometheus.
//!
//! Names that begin with `nv_` are the server's, with its texts and labels. Those that begin with `trident_` are ours. Values that
//! cannot be read are absent, never 0.

mod counters;
mod family;
mod host;
mod own;
mod times;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use family::{CACHE_FAMILIES, FAMILIES, Family, Kind, REASONS, Reason, Value};

use trident_serving::{CoreUse, OpTotal};

use crate::statistics::{ModelStatistics, TimeFamilies};

pub(crate) use counters::own_resident;
pub use host::HostCounters;

/// The type of the page.
pub const CONTENT_TYPE: &str = "text/plain; charset=utf-8";

/// A model with the labels that its configuration adds (`metric_tags`).
pub struct Measured {
    /// Its counters.
    pub statistics: ModelStatistics,
    /// Names and values of further labels.
    pub tags: BTreeMap<String, String>,
    /// Whether its answers are kept.
    pub caches: bool,
    /// Bytes of its memory; `None` if it has none of its own.
    pub memory: Option<u64>,
    /// Its share in the cores; `None` if the scheduler does not run it.
    pub core_use: Option<CoreUse>,
    /// How long its operations took in the runs that were measured.
    pub operations: Vec<OpTotal>,
}

/// Figures of all models together, and the families that are asked for.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    /// The families of times.
    pub times: TimeFamilies,
    /// Runs that are suspended.
    pub suspended: usize,
    /// Bytes of the answers that are kept; `None` if there is no cache.
    pub cached: Option<usize>,
}

/// The page for these models on this machine.
pub fn page(models: &[Measured], totals: Totals, host: &HostCounters) -> String {
    let mut page = String::with_capacity(4096 + 2048 * models.len());
    let all: Vec<&Measured> = models.iter().collect();
    let cached: Vec<&Measured> = models.iter().filter(|model| model.caches).collect();
    let counters = totals.times.counters;
    families(&mut page, &FAMILIES, &all, counters);
    families(&mut page, &CACHE_FAMILIES, &cached, counters);
    times::summaries(&mut page, models, totals.times.summaries.as_deref().unwrap_or_default());
    times::first_responses(&mut page, models);
    let values = host.read();
    let mut gauge = |name, help, value: Option<String>| {
        if let Some(value) = value {
            head(&mut page, name, help, Kind::Gauge);
            let _ = writeln!(page, "{name} {value}");
        }
    };
    // There is no pinned memory: this server copies nothing to GPUs of NVIDIA.
    let pinned = "Pinned memory pool total memory size, in bytes";
    gauge("nv_pinned_memory_pool_total_bytes", pinned, Some("0".to_owned()));
    let pinned = "Pinned memory pool used memory size, in bytes";
    gauge("nv_pinned_memory_pool_used_bytes", pinned, Some("0".to_owned()));
    let utilization = values.utilization.map(|value| value.to_string());
    gauge("nv_cpu_utilization", "CPU utilization rate [0.0 - 1.0]", utilization);
    let memory = values.memory.map(|value| value.to_string());
    gauge("nv_cpu_memory_total_bytes", "CPU total memory (RAM), in bytes", memory);
    let used = values.used.map(|value| value.to_string());
    gauge("nv_cpu_memory_used_bytes", "CPU used memory (RAM), in bytes", used);
    let help =
        "Runs that have handed their cores to other models, or wait for their clients to read";
    gauge("trident_suspended_runs", help, Some(totals.suspended.to_string()));
    let cached = totals.cached.map(|bytes| bytes.to_string());
    gauge("trident_response_cache_bytes", "Answers in the response cache, in bytes", cached);
    own::models(&mut page, models);
    own::machine(&mut page, &counters::read(Path::new("/")));
    page
}

// Writing to a string cannot fail.

fn head(page: &mut String, name: &str, help: &str, kind: Kind) {
    let _ = writeln!(page, "# HELP {name} {help}\n# TYPE {name} {}", kind.name());
}

/// Families of these models, maybe without those of times. Without models there are none.
fn families(page: &mut String, families: &[Family], models: &[&Measured], times: bool) {
    let is_shown =
        |family: &&Family| !models.is_empty() && (times || !matches!(family.value, Value::Time(_)));
    for family in families.iter().filter(is_shown) {
        head(page, family.name, family.help, family.kind);
        models.iter().for_each(|model| lines(page, family, model));
    }
}

/// The lines of a model in a family.
fn lines(page: &mut String, family: &Family, model: &Measured) {
    let statistics = &model.statistics;
    let mut line = |reason: Option<&str>, value: u64| {
        page.push_str(family.name);
        let reason = reason.map(|reason| ("reason", reason));
        labels(page, model, reason.as_slice());
        let _ = writeln!(page, " {value}");
    };
    match family.value {
        Value::Count(count) => line(None, count(statistics)),
        Value::Time(time) => line(None, time(&statistics.requests) / 1000),
        Value::Reasons => {
            for Reason { name, count } in &REASONS {
                line(Some(name), count(&statistics.failures));
            }
        }
    }
}

/// `{model="simple",reason="OTHER",version="1"}`, in the order of the labels' names.
fn labels(page: &mut String, model: &Measured, further: &[(&str, &str)]) {
    let version = model.statistics.version.to_string();
    let tags = model.tags.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let own = [("model", model.statistics.name.as_str()), ("version", version.as_str())];
    let mut all: Vec<(&str, &str)> =
        own.into_iter().chain(further.iter().copied()).chain(tags).collect();
    all.sort_by_key(|(name, _)| *name);
    // A tag does not take the place of a label of ours.
    all.dedup_by(|later, earlier| later.0 == earlier.0);
    for (at, (name, value)) in all.into_iter().enumerate() {
        page.push(if at == 0 { '{' } else { ',' });
        page.push_str(name);
        page.push_str("=\"");
        escape(page, value);
        page.push('"');
    }
    page.push('}');
}

/// A label's value between its quotation marks.
fn escape(page: &mut String, value: &str) {
    for char in value.chars() {
        match char {
            '\\' => page.push_str("\\\\"),
            '"' => page.push_str("\\\""),
            '\n' => page.push_str("\\n"),
            char => page.push(char),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::{FailureTallies, Tally};

    fn measured(name: &str) -> Measured {
        let mut statistics = ModelStatistics { version: 1, ..ModelStatistics::default() };
        statistics.name = name.into();
        Measured {
            statistics,
            tags: BTreeMap::new(),
            caches: false,
            memory: None,
            core_use: None,
            operations: vec![],
        }
    }

    #[test]
    fn the_page_has_the_recorded_lines() {
        let recorded = include_str!("../../../../conformance/server/metrics.txt");
        let page = page(&[measured("simple")], Totals::default(), &HostCounters::default());
        let zeroed = |line: &str| match line.split_once("} ") {
            _ if line.starts_with('#') => line.to_owned(),
            Some((series, _)) => format!("{series}}} 0"),
            None => format!("{} 0", line.split(' ').next().unwrap()),
        };
        let mut expected: Vec<&str> = recorded.lines().collect();
        if !cfg!(target_os = "linux") {
            expected.retain(|line| !line.contains("nv_cpu"));
        }
        let of_the_server = page.lines().filter(|line| line.contains("nv_"));
        assert_eq!(of_the_server.map(zeroed).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn values_and_labels_are_those_of_the_model() {
        let mut model = measured("a\"b\\c\nd");
        model.statistics.failures = FailureTallies { rejected: 7, ..FailureTallies::default() };
        model.statistics.requests.queue.ns = 2_999;
        model.statistics.pending = 4;
        model.tags = [("zone", "x"), ("model", "y")].map(|(n, v)| (n.into(), v.into())).into();
        let page = page(&[model], Totals::default(), &HostCounters::default());
        let labels = r#"model="a\"b\\c\nd""#;
        for line in [
            format!(
                r#"nv_inference_request_failure{{{labels},reason="REJECTED",version="1",zone="x"}} 7"#
            ),
            format!(r#"nv_inference_queue_duration_us{{{labels},version="1",zone="x"}} 2"#),
            format!(r#"nv_inference_pending_request_count{{{labels},version="1",zone="x"}} 4"#),
        ] {
            assert!(page.lines().any(|own| own == line), "{line}\n{page}");
        }
    }

    #[test]
    fn own_families_have_memory_histograms_and_operations() {
        let mut model = measured("m");
        model.memory = Some(4096);
        let time = std::time::Duration::from_millis(1500);
        model.core_use = Some(CoreUse { weight: 400, time });
        let times = &mut model.statistics.latencies.queue;
        (times.buckets[0], times.buckets[3], times.buckets[16], times.ns) =
            (2, 1, 1, 1_500_000_000);
        let duration = std::time::Duration::from_millis(250);
        let op = OpTotal { op: "add", device: "cpu".into(), count: 3, duration };
        model.operations = vec![op];
        let totals = Totals { suspended: 3, ..Totals::default() };
        let page = page(&[model, measured("built_in")], totals, &HostCounters::default());
        let own = r#"model="m",version="1""#;
        for line in [
            "trident_suspended_runs 3".to_owned(),
            "# TYPE trident_request_queue_seconds histogram".to_owned(),
            format!("trident_model_memory_bytes{{{own}}} 4096"),
            format!("trident_model_share_weight{{{own}}} 400"),
            "# TYPE trident_model_core_seconds_total counter".to_owned(),
            format!("trident_model_core_seconds_total{{{own}}} 1.5"),
            format!(r#"trident_request_queue_seconds_bucket{{le="0.0001",{own}}} 2"#),
            format!(r#"trident_request_queue_seconds_bucket{{le="0.0005",{own}}} 2"#),
            format!(r#"trident_request_queue_seconds_bucket{{le="0.001",{own}}} 3"#),
            format!(r#"trident_request_queue_seconds_bucket{{le="10",{own}}} 3"#),
            format!(r#"trident_request_queue_seconds_bucket{{le="+Inf",{own}}} 4"#),
            format!("trident_request_queue_seconds_sum{{{own}}} 1.5"),
            format!("trident_request_queue_seconds_count{{{own}}} 4"),
            r#"trident_operation_seconds_total{device="cpu",model="m",op="add",version="1"} 0.25"#
                .to_owned(),
            r#"trident_operations_total{device="cpu",model="m",op="add",version="1"} 3"#.to_owned(),
        ] {
            assert!(page.lines().any(|own| own == line), "{line}\n{page}");
        }
        for name in ["memory_bytes", "share_weight", "core_seconds_total"] {
            assert!(!page.contains(&format!(r#"trident_model_{name}{{model="built_in"#)), "{page}");
        }
    }

    #[test]
    fn only_models_whose_answers_are_kept_have_families_of_the_cache() {
        let mut model = measured("m");
        model.caches = true;
        model.statistics.requests.cache_hit = Tally { count: 3, ns: 4_500 };
        model.statistics.requests.cache_miss = Tally { count: 2, ns: 9_000 };
        let totals = Totals { cached: Some(77), ..Totals::default() };
        let page = page(&[model, measured("other")], totals, &HostCounters::default());
        let of_the_cache: Vec<&str> =
            page.lines().filter(|line| !line.starts_with('#') && line.contains("cache")).collect();
        let own = r#"{model="m",version="1"}"#;
        assert_eq!(
            of_the_cache,
            [
                format!("nv_cache_num_hits_per_model{own} 3"),
                format!("nv_cache_num_misses_per_model{own} 2"),
                format!("nv_cache_hit_duration_per_model{own} 4"),
                format!("nv_cache_miss_duration_per_model{own} 9"),
                "trident_response_cache_bytes 77".to_owned(),
            ]
        );
    }

    #[test]
    fn a_server_without_models_has_no_families_of_models() {
        let page = page(&[], Totals::default(), &HostCounters::default());
        assert!(
            !page.contains("nv_inference")
                && !page.contains("trident_request")
                && page.contains("nv_pinned_memory_pool_used_bytes 0")
        );
    }
}
