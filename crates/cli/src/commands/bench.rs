//! `trident bench`: latency, throughput, profile, trace.

use crate::failure::Failure;
use crate::input::{InputArgs, whole};
use crate::limits::{LimitArgs, Limits};
use crate::model::{self, DeviceArgs};
use crate::output;
use crate::render::{self, Align, Table, counted, style};
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::iter;
use std::path::PathBuf;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};
use trident_engine::{Event, Profile, Profiling, RunContext, Session};
use trident_runtime::Value;

const EXAMPLES: &str = "\
Inputs without a value are random. Dimensions that are known only at run time are 1, unless --shape gives their sizes. Where a model
cannot run on that size, these dimensions get a larger one, except an input's first one, and it is printed.

Examples:
  trident bench resnet50.onnx --threads 2 --shape input=8x3x224x224
  trident bench model.onnx --iterations 200 --json
  trident bench model.onnx --concurrency 2         run two sessions at a time in one process
  trident bench model.onnx --profile               show the time of each op and of the slowest nodes
  trident bench model.onnx --trace trace.json      open it at https://ui.perfetto.dev";

/// Runs that a profile sums up.
const PROFILED_RUNS: usize = 10;
/// Nodes that a profile lists.
const LISTED_NODES: usize = 15;

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// ONNX file, Paddle model (.json, .pdmodel) or its folder, or compiled model (.mps)
    model: PathBuf,
    #[command(flatten)]
    inputs: InputArgs,
    /// Number of runs before the measurement
    #[arg(short, long, value_name = "N", default_value_t = 5, allow_negative_numbers = true, value_parser = whole::<usize>)]
    warmup: usize,
    /// Number of measured runs of each caller
    #[arg(short = 'n', long, value_name = "N", default_value_t = 50, allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..))]
    iterations: u32,
    /// Number of callers at a time. Each has its own session and makes all runs; they share the threads
    #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    concurrency: u16,
    /// Show the time of each op, and of the slowest nodes
    #[arg(long)]
    profile: bool,
    /// Write the steps of one run to a file in Chrome's trace format
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Print as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    limits: LimitArgs,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    if let Some(path) = &args.trace {
        output::check_writable(path)?;
    }
    let limits = args.limits.limits();
    let loaded = model::load(&args.model, &args.device, &limits)?;
    loaded.print_warnings();
    let session = &loaded.session;
    let bound = args.inputs.read(session, None, &limits, true)?;
    let inputs = bound.as_slice();

    let first = Instant::now();
    session.run_with(&inputs, limits.context()).map_err(|e| limits.explain(e))?;
    let first_run = first.elapsed();
    let others = (1..args.concurrency).map(|_| model::load(&args.model, &args.device, &limits));
    let others = others.collect::<Result<Vec<_>, _>>()?;
    let sessions: Vec<&Session> =
        iter::once(session).chain(others.iter().map(|loaded| &loaded.session)).collect();
    let (times, wall) = measure(args, &sessions, &inputs, &limits)?;
    let report = Report {
        throughput: (times.len() * batch(&inputs)) as f64 / wall.as_secs_f64().max(1e-12),
        latency: Latency::of(times),
        load: loaded.time,
        first_run,
        peak_rss: peak_rss(),
        batch: batch(&inputs),
        profiles: profiles(args, session, &inputs, &limits)?,
    };
    if let (Some(path), Some(profile)) = (&args.trace, report.profiles.last()) {
        let text = trace(profile).to_string();
        fs::write(path, text)
            .map_err(|e| Failure::usage(format!("cannot write `{}`: {e}", path.display())))?;
    }
    let text = if args.json { report.json(args) } else { report.text(args) };
    anstream::stdout().write_all(text.as_bytes())?;
    Ok(())
}

/// The time of each run, and of all of them together: each session's runs follow one another on a thread.
fn measure(
    args: &Args,
    sessions: &[&Session],
    inputs: &[(&str, Value)],
    limits: &Limits,
) -> Result<(Vec<Duration>, Duration), Failure> {
    let start = Barrier::new(sessions.len());
    let caller = |session: &Session| {
        let run = || {
            let start = Instant::now();
            session.run_with(inputs, limits.context()).map_err(|e| limits.explain(e))?;
            Ok::<_, Failure>(start.elapsed())
        };
        let warm = (0..args.warmup).try_for_each(|_| run().map(drop));
        // Even if that failed: the others wait.
        start.wait();
        let start = Instant::now();
        warm?;
        let times = (0..args.iterations).map(|_| run()).collect::<Result<Vec<_>, _>>()?;
        Ok((times, start, Instant::now()))
    };
    let callers: Vec<Result<_, Failure>> = thread::scope(|scope| {
        let callers: Vec<_> =
            sessions.iter().map(|session| scope.spawn(|| caller(session))).collect();
        let joined = callers
            .into_iter()
            .map(|caller| caller.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        joined.collect()
    });
    let callers = callers.into_iter().collect::<Result<Vec<_>, _>>()?;
    let first = callers.iter().map(|(_, start, _)| *start).min();
    let last = callers.iter().map(|(.., end)| *end).max();
    let wall = first.zip(last).map(|(first, last)| last - first).unwrap_or_default();
    Ok((callers.into_iter().flat_map(|(times, ..)| times).collect(), wall))
}

/// Profiles of further runs, which are not measured: taking times costs time.
fn profiles(
    args: &Args,
    session: &Session,
    inputs: &[(&str, Value)],
    limits: &Limits,
) -> Result<Vec<Profile>, Failure> {
    let runs = match (args.profile, &args.trace) {
        (true, _) => PROFILED_RUNS,
        (false, Some(_)) => 1,
        (false, None) => 0,
    };
    let context = || RunContext { profile: Profiling::Steps, ..limits.context() };
    let run = || session.run_with(inputs, context()).map_err(|e| limits.explain(e));
    (0..runs).map(|_| Ok(run()?.1)).collect()
}

/// The first dimension of the first input, if all inputs share it: what throughput counts.
fn batch(inputs: &[(&str, Value)]) -> usize {
    let mut firsts =
        inputs.iter().map(|(_, v)| v.as_tensor().and_then(|t| t.dims().first().copied()));
    match firsts.next() {
        Some(Some(n)) if firsts.all(|f| f == Some(n)) => n.max(1),
        _ => 1,
    }
}

/// Most memory the process ever had resident, in bytes, where the system tells.
fn peak_rss() -> Option<usize> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok().map(|kib| kib * 1024)
}

/// Times of runs, sorted.
struct Latency(Vec<Duration>);

impl Latency {
    fn of(mut times: Vec<Duration>) -> Latency {
        times.sort_unstable();
        Latency(times)
    }

    /// The time that a share `q` of the runs stayed below, between neighbours linearly interpolated.
    fn quantile(&self, q: f64) -> Duration {
        let place = q * self.0.len().saturating_sub(1) as f64;
        let at = |i: usize| self.0.get(i).or(self.0.last()).copied().unwrap_or_default();
        let (low, high) = (at(place.floor() as usize), at(place.ceil() as usize));
        low + high.saturating_sub(low).mul_f64(place.fract())
    }

    fn mean(&self) -> Duration {
        self.0.iter().sum::<Duration>() / self.0.len().max(1) as u32
    }
}

struct Report {
    latency: Latency,
    /// Runs each second, times the batch.
    throughput: f64,
    load: Duration,
    first_run: Duration,
    peak_rss: Option<usize>,
    batch: usize,
    profiles: Vec<Profile>,
}

/// The total time of all steps of one kind, over all profiled runs.
#[derive(Default)]
struct Sum {
    time: Duration,
    count: usize,
    flops: f64,
    bytes: usize,
}

impl Report {
    /// Sums by a key of the events, greatest first. The time of control flow holds that of its nested steps.
    fn sums(&self, key: impl Fn(&Event) -> [String; 3]) -> Vec<([String; 3], Sum)> {
        let mut sums: BTreeMap<[String; 3], Sum> = BTreeMap::new();
        for event in self.profiles.iter().flat_map(|p| &p.events) {
            let sum = sums.entry(key(event)).or_default();
            sum.time += event.duration;
            sum.count += 1;
            sum.flops += event.flops;
            sum.bytes += event.bytes;
        }
        let mut sums: Vec<_> = sums.into_iter().collect();
        sums.sort_by_key(|(_, sum)| std::cmp::Reverse(sum.time));
        sums
    }

    fn by_op(&self) -> Vec<([String; 3], Sum)> {
        self.sums(|e| [e.op.to_owned(), e.kernel.clone(), e.device.clone()])
    }

    fn by_node(&self) -> Vec<([String; 3], Sum)> {
        self.sums(|e| [e.node.clone(), e.kernel.clone(), e.types.clone()])
    }

    fn text(&self, args: &Args) -> String {
        let (title, l) = (style::TITLE, &self.latency);
        let d = render::duration;
        let mut text = format!(
            "{title}latency{title:#}     p50 {}   p90 {}   p99 {}   min {}   mean {}   ({})\n",
            d(l.quantile(0.5)),
            d(l.quantile(0.9)),
            d(l.quantile(0.99)),
            d(l.quantile(0.0)),
            d(l.mean()),
            counted(l.0.len(), "run")
        );
        let unit = if self.batch > 1 { "items" } else { "runs" };
        text.push_str(&format!("{title}throughput{title:#}  {:.1} {unit}/s\n", self.throughput));
        text.push_str(&format!(
            "{title}load{title:#}        {}   first run {}\n",
            d(self.load),
            d(self.first_run)
        ));
        if let Some(rss) = self.peak_rss {
            text.push_str(&format!(
                "{title}memory{title:#}      {} resident at the peak\n",
                render::bytes(rss)
            ));
        }
        if args.profile {
            text.push('\n');
            text.push_str(&self.table(["op", "kernel", "device"], self.by_op(), usize::MAX));
            text.push('\n');
            text.push_str(&self.table(["node", "kernel", "types"], self.by_node(), LISTED_NODES));
        }
        text
    }

    fn table(
        &self,
        titles: [&'static str; 3],
        rows: Vec<([String; 3], Sum)>,
        most: usize,
    ) -> String {
        let runs = self.profiles.len().max(1);
        let total: Duration = self.profiles.iter().map(|p| p.total).sum();
        let mut table = Table::new(&[
            (titles[0], Align::Left),
            (titles[1], Align::Left),
            ("calls", Align::Right),
            ("time", Align::Right),
            ("%", Align::Right),
            ("GFLOP/s", Align::Right),
            ("GB/s", Align::Right),
            (titles[2], Align::Left),
        ]);
        for ([name, kernel, third], sum) in rows.into_iter().take(most) {
            let seconds = sum.time.as_secs_f64().max(1e-12);
            let share = 100.0 * seconds / total.as_secs_f64().max(1e-12);
            table.row([
                name,
                kernel,
                (sum.count / runs).to_string(),
                render::duration(sum.time / runs as u32),
                format!("{share:.1}"),
                format!("{:.1}", sum.flops / seconds / 1e9),
                format!("{:.1}", sum.bytes as f64 / seconds / 1e9),
                third,
            ]);
        }
        table.to_string()
    }

    fn json(&self, args: &Args) -> String {
        let (ms, l) = (render::millis, &self.latency);
        let mut report = json!({
            "latency_ms": {
                "p50": ms(l.quantile(0.5)), "p90": ms(l.quantile(0.9)), "p99": ms(l.quantile(0.99)),
                "min": ms(l.quantile(0.0)), "mean": ms(l.mean()),
            },
            "iterations": l.0.len(),
            "concurrency": args.concurrency,
            "batch": self.batch,
            "throughput_per_s": self.throughput,
            "load_ms": ms(self.load),
            "first_run_ms": ms(self.first_run),
            "peak_rss_bytes": self.peak_rss,
        });
        if args.profile {
            let runs = self.profiles.len().max(1) as f64;
            let rows =
                |names: [&str; 3], sums: Vec<([String; 3], Sum)>| -> Vec<serde_json::Value> {
                    let row = |(key, sum): ([String; 3], Sum)| {
                        json!({
                            names[0]: key[0], names[1]: key[1], names[2]: key[2],
                            "calls": sum.count as f64 / runs, "ms": ms(sum.time) / runs,
                            "flops": sum.flops / runs, "bytes": sum.bytes as f64 / runs,
                        })
                    };
                    sums.into_iter().map(row).collect()
                };
            report["profile"] = json!({
                "by_op": rows(["op", "kernel", "device"], self.by_op()),
                "by_node": rows(["node", "kernel", "types"], self.by_node()),
            });
        }
        render::json(&report)
    }
}

/// A run in the Trace Event Format, as Chrome and Perfetto read it; times in microseconds.
fn trace(profile: &Profile) -> serde_json::Value {
    let micros = |d: Duration| d.as_nanos() as f64 / 1e3;
    let events = profile.events.iter().map(|e| {
        json!({
            "name": e.node, "cat": e.op, "ph": "X", "pid": 1, "tid": e.device,
            "ts": micros(e.start), "dur": micros(e.duration),
            "args": {
                "op": e.op, "kernel": e.kernel, "types": e.types, "flops": e.flops, "bytes": e.bytes,
            },
        })
    });
    json!({ "displayTimeUnit": "ms", "traceEvents": events.collect::<Vec<_>>() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_interpolate() {
        let times = [4u64, 1, 3, 2].map(Duration::from_millis);
        let latency = Latency::of(times.to_vec());
        assert_eq!(latency.quantile(0.0), Duration::from_millis(1));
        assert_eq!(latency.quantile(0.5), Duration::from_micros(2500));
        assert_eq!(latency.quantile(1.0), Duration::from_millis(4));
        assert_eq!(latency.mean(), Duration::from_micros(2500));
        assert_eq!(Latency::of(vec![]).quantile(0.5), Duration::ZERO);
    }
}
