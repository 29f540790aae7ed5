//! Short requests beside a model whose runs take seconds, in one scheduler: `cargo xtask bench neighbours`.
//!
//! Digits come at a fixed rate, whatever their answers take. The other models are saturated: a request of a whole batch always waits.
//! A latency counts from the time when its request was due.
#![allow(clippy::unwrap_used, clippy::print_stdout)] // a program for measurements, which ends with the first fault

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};
use trident_cpu::CpuDevice;
use trident_onnx::files::Disk;
use trident_runtime::Device;
use trident_serving::{
    CancelFlag, Hardware, Host, InferenceRequest, Input, ModelConfig, ModelFile, Part,
    RequestError, ScheduledModel, Scheduler, ServedModel, VersionFolder,
};

/// Requests for digits a second.
const RATE: u32 = 200;
/// The queue timeout that is checked.
const TIMEOUT: Duration = Duration::from_millis(50);

/// A model with a request for it.
struct Subject {
    model: Arc<ScheduledModel>,
    inputs: Vec<Input<'static>>,
}

impl Subject {
    /// Loads a model, with requests of so many rows.
    fn load(
        scheduler: &Scheduler,
        hardware: &Hardware,
        path: &str,
        rows: i64,
        instances: u32,
    ) -> Self {
        let path = Path::new(path);
        let (name, file) = (path.file_stem().unwrap().to_str().unwrap(), path.file_name().unwrap());
        let policy = "default_timeout_microseconds: 3600000000 allow_timeout_override: true";
        let text = format!(
            "name: '{name}' backend: 'onnxruntime' default_model_filename: '{}' max_batch_size: 8
             dynamic_batching {{ default_queue_policy {{ {policy} }} }}
             instance_group {{ kind: KIND_CPU count: {instances} }}",
            file.to_str().unwrap()
        );
        let mut config = ModelConfig::from_text(&text).unwrap();
        config.complete_backend(name, &[file.to_str().unwrap()]).unwrap();
        let folder = path.parent().unwrap();
        let files = Disk::repository(folder);
        let version = VersionFolder { path: folder.to_str().unwrap(), files: &files };
        let read = ModelFile::read(&config, &version).unwrap();
        config.complete(read.signature(), 0).unwrap();
        config.normalize(&Host::default());
        config.validate(&Host::default()).unwrap();
        let inputs = read.signature().inputs.iter().map(|input| {
            let item = input.dims.as_ref().unwrap()[1..].iter();
            let shape: Vec<i64> = std::iter::once(rows).chain(item.copied()).collect();
            let count = shape.iter().product::<i64>();
            let values = (0..count).flat_map(|i| ((i * 37 % 101) as f32 / 101.0).to_le_bytes());
            let data = vec![Part::Shared(values.collect::<Vec<u8>>().into())];
            Input { name: input.name.clone().into(), data_type: input.data_type, shape, data }
        });
        let inputs = inputs.collect();
        let model = ServedModel::new(read, &config, hardware, &mut |_, _| {}).unwrap();
        let model = Arc::new(scheduler.add(Arc::new(model), &config).unwrap());
        Subject { model, inputs }
    }

    fn request(&self) -> InferenceRequest<'static> {
        InferenceRequest { inputs: self.inputs.clone(), ..InferenceRequest::default() }
    }

    /// Answers one request.
    fn warm(&self) {
        let (sender, answer) = channel();
        self.model.submit(self.request(), move |given| sender.send(given.map(drop)).unwrap());
        answer.recv().unwrap().unwrap();
    }
}

/// A load that keeps a model saturated. Clones share it.
#[derive(Clone)]
struct Load {
    is_over: Arc<AtomicBool>,
    /// When requests were answered.
    answered: Arc<Mutex<Vec<Instant>>>,
    /// The requests that wait or run.
    open: Arc<AtomicUsize>,
}

impl Load {
    fn start(subject: &Subject, requests: usize) -> Load {
        let open = Arc::new(AtomicUsize::new(requests));
        let load = Load { is_over: Arc::default(), answered: Arc::default(), open };
        (0..requests).for_each(|_| load.submit(&subject.model, &subject.inputs));
        load
    }

    fn submit(&self, model: &Arc<ScheduledModel>, inputs: &[Input<'static>]) {
        let (again, own, inputs) = (self.clone(), Arc::clone(model), inputs.to_vec());
        let request = InferenceRequest { inputs: inputs.clone(), ..InferenceRequest::default() };
        model.submit(request, move |answer| {
            answer.unwrap();
            again.answered.lock().unwrap().push(Instant::now());
            match again.is_over.load(Ordering::SeqCst) {
                false => again.submit(&own, &inputs),
                true => drop(again.open.fetch_sub(1, Ordering::SeqCst)),
            }
        });
    }

    /// Ends it. The times at which requests were answered until then.
    fn end(self) -> Vec<Instant> {
        self.is_over.store(true, Ordering::SeqCst);
        let answered = self.answered.lock().unwrap().clone();
        while self.open.load(Ordering::SeqCst) > 0 {
            thread::sleep(Duration::from_millis(5));
        }
        answered
    }

    /// Ends it. The requests answered a second, between the first and the last answer.
    fn rate(self) -> f64 {
        let answered = self.end();
        assert!(answered.len() > 2, "too few runs: measure longer");
        let (first, last) = (answered[0], answered[answered.len() - 1]);
        (answered.len() - 1) as f64 / (last - first).as_secs_f64()
    }
}

/// Sends requests at the rate. The latencies in milliseconds, ascending.
fn latencies(subject: &Subject, time: Duration) -> Vec<f64> {
    let (sender, answers) = channel();
    let period = Duration::from_secs(1) / RATE;
    let mut due = Instant::now();
    let end = due + time;
    while due < end {
        thread::sleep(due.saturating_duration_since(Instant::now()));
        submit(subject, due, &sender);
        due += period;
    }
    drop(sender);
    let mut all: Vec<f64> = answers.iter().collect();
    all.sort_by(f64::total_cmp);
    all
}

fn submit(subject: &Subject, due: Instant, sender: &Sender<f64>) {
    let sender = sender.clone();
    subject.model.submit(subject.request(), move |answer| {
        answer.unwrap();
        sender.send(due.elapsed().as_secs_f64() * 1e3).unwrap();
    });
}

fn quantile(sorted: &[f64], part: f64) -> f64 {
    sorted[((sorted.len() as f64 * part) as usize).min(sorted.len() - 1)]
}

/// The largest deviation of queue timeouts in milliseconds, while the model is saturated.
fn timeouts(subject: &Subject) -> f64 {
    let (sender, answers) = channel();
    for _ in 0..50 {
        let (sent, sender) = (Instant::now(), sender.clone());
        let request = InferenceRequest { timeout: Some(TIMEOUT), ..subject.request() };
        subject.model.submit(request, move |answer| {
            assert_eq!(answer.map(drop), Err(RequestError::Timeout));
            let late = sent.elapsed().as_secs_f64() - TIMEOUT.as_secs_f64();
            sender.send(late.abs() * 1e3).unwrap();
        });
        thread::sleep(Duration::from_millis(7));
    }
    drop(sender);
    answers.iter().fold(0.0, f64::max)
}

/// The most milliseconds from the time when the client of a run leaves to the start of the next run on its core.
fn freed(subject: &Subject, instances: u32) -> f64 {
    let (starts, started) = channel::<Instant>();
    let submit = |_| {
        let (starts, is_first) = (Mutex::new(starts.clone()), AtomicBool::new(true));
        // A run asks it before its first op.
        let asked = move || {
            if is_first.swap(false, Ordering::SeqCst) {
                starts.lock().unwrap().send(Instant::now()).unwrap();
            }
            false
        };
        let cancel = Some(CancelFlag::when(asked));
        subject.model.submit(InferenceRequest { cancel, ..subject.request() }, |_| ())
    };
    let mut tickets: Vec<_> = (0..instances + 20).map(submit).collect();
    (0..instances).for_each(|_| _ = started.recv().unwrap());
    let mut longest = 0.0f64;
    for ticket in &tickets[..20] {
        thread::sleep(Duration::from_millis(37));
        let left = Instant::now();
        ticket.cancel();
        longest = longest.max((started.recv().unwrap() - left).as_secs_f64() * 1e3);
    }
    tickets.drain(..).for_each(|ticket| ticket.cancel());
    longest
}

struct Options {
    models: Vec<String>,
    seconds: u64,
    cores: usize,
    instances: u32,
    json: bool,
}

impl Options {
    fn read() -> Options {
        let mut options =
            Options { models: vec![], seconds: 20, cores: 2, instances: 2, json: false };
        let mut args = std::env::args().skip(1);
        while let Some(arg) = args.next() {
            let mut number = || args.next().and_then(|n| n.parse().ok()).unwrap();
            match &*arg {
                "--json" => options.json = true,
                "--seconds" => options.seconds = number(),
                "--cores" => options.cores = number() as usize,
                "--instances" => options.instances = number() as u32,
                _ => options.models.push(arg),
            }
        }
        assert_eq!(options.models.len(), 3, "give the files of digits and of two large models");
        options
    }
}

fn main() {
    let options = Options::read();
    let cpu: Arc<dyn Device> = Arc::new(CpuDevice::new(options.cores));
    let devices = vec![Arc::clone(&cpu)];
    let hardware = Hardware { devices, folder: cpu, accelerators: vec![], is_gpu: |_| false };
    let scheduler = Scheduler::start(options.cores).unwrap();
    let [digits, large, other] = [(0, 1), (1, 8), (2, 8)].map(|(at, rows)| {
        Subject::load(&scheduler, &hardware, &options.models[at], rows, options.instances)
    });
    [&digits, &large, &other].into_iter().for_each(Subject::warm);
    let time = Duration::from_secs(options.seconds);
    let requests = 2 * options.instances as usize;
    let saturated = |subject: &Subject| {
        let load = Load::start(subject, requests);
        thread::sleep(time);
        load.rate()
    };

    let alone = latencies(&digits, time);
    let (large_alone, other_alone) = (saturated(&large), saturated(&other));
    let load = Load::start(&large, requests);
    let beside = latencies(&digits, time);
    let large_beside = load.rate();
    let loads = [Load::start(&large, requests), Load::start(&other, requests)];
    thread::sleep(2 * time);
    let [large_shared, other_shared] = loads.map(Load::rate);
    let load = Load::start(&large, requests);
    thread::sleep(time / 4);
    let late = timeouts(&large);
    load.end();
    let freed = freed(&large, options.instances);

    let p99 = [&alone, &beside].map(|all| quantile(all, 0.99));
    let p50 = [&alone, &beside].map(|all| quantile(all, 0.5));
    // A run of digits takes less than its latency alone, so digits leave at least this.
    let left = 1.0 - f64::from(RATE) * p50[0] / 1e3 / options.cores as f64;
    let shares = [large_shared / large_alone, other_shared / other_alone];
    let share = shares[0] / (shares[0] + shares[1]);
    let no_bar = f64::INFINITY;
    let rows = [
        ("digits alone, median ms", p50[0], no_bar),
        ("digits alone, p99 ms", p99[0], no_bar),
        ("digits beside the large model, median ms", p50[1], no_bar),
        ("digits beside the large model, p99 ms", p99[1], 10.0),
        ("p99 beside / alone", p99[1] / p99[0], 3.0),
        (
            "the large model loses, of what digits leave",
            1.0 - large_beside / large_alone / left,
            0.15,
        ),
        ("two saturated models, distance from a half", (share - 0.5).abs(), 0.05),
        ("two saturated models together lose", 1.0 - shares[0] - shares[1], no_bar),
        ("queue timeouts, largest deviation ms", late, 5.0),
        ("core is free after a cancel, at most ms", freed, 20.0),
    ];
    print(&rows, options.json);
    if rows.iter().any(|(_, value, most)| value > most) {
        std::process::exit(1);
    }
}

/// Prints figures with their bars.
fn print(rows: &[(&str, f64, f64)], json: bool) {
    if json {
        let rows = rows.iter().map(|(name, value, most)| {
            let bar = most.is_finite().then_some(most);
            serde_json::json!({ "name": name, "value": value, "at_most": bar })
        });
        return println!("{}", serde_json::Value::Array(rows.collect()));
    }
    for (name, value, most) in rows {
        let bar = if most.is_finite() { format!("at most {most}") } else { String::new() };
        println!("{name:44} {value:9.3}  {bar}");
    }
}
