//! Runs that are suspended for those of another model.

use crate::models::*;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use trident_ir::{DType, Literal};
use trident_onnx::proto::GraphProto;
use trident_serving::{
    CancelFlag, Correlation, DataType, InferenceRequest, Input, Part, RequestError, Response,
    ScheduledModel, Scheduler, Sequence, ServedModel,
};

type Answer = Result<Response, RequestError>;

const WIDTH: usize = 128;
/// Some tens of milliseconds on one core.
const LAYERS: usize = 150;

/// Many layers of `tanh(x w)`, of which the first one adds `old` if there is a state.
fn deep(has_state: bool) -> GraphProto {
    let ty = || tensor(DType::F32, &format!("N {WIDTH}"));
    let mut inputs = vec![("x", ty())];
    let mut nodes = vec![];
    let mut last = "x".to_owned();
    if has_state {
        inputs.push(("old", ty()));
        nodes.push(node("s = Add(x, old)"));
        last = "s".to_owned();
    }
    for layer in 0..LAYERS {
        nodes.push(node(&format!("p{layer} = MatMul({last}, w)")));
        last = format!("t{layer}");
        nodes.push(node(&format!("{last} = Tanh(p{layer})")));
    }
    nodes.push(node(&format!("y = Identity({last})")));
    let outputs = [&["y"][..], if has_state { &["s"] } else { &[] }].concat();
    let mut graph = graph(&inputs, nodes, &outputs);
    let weights = (0..WIDTH * WIDTH).map(|i| ((i * 7919 % 1013) as f32 - 506.0) / 2400.0);
    let weights = Literal::vector(&weights.collect::<Vec<_>>());
    constant(&mut graph, "w", weights.with_dims(vec![WIDTH, WIDTH]).unwrap());
    graph
}

fn served(scheduler: &Scheduler, config: &str, graph: GraphProto) -> ScheduledModel {
    let files = Folder::of([("model.onnx", encoded(graph))]);
    let (file, config) = completed(config, &files).unwrap();
    let model = ServedModel::new(file, &config, &hardware(), &mut |_, _| {}).unwrap();
    scheduler.add(Arc::new(model), &config).unwrap()
}

fn rows(seed: usize, rows: usize) -> InferenceRequest<'static> {
    let values: Vec<f32> =
        (0..rows * WIDTH).map(|i| ((i * 31 + seed * 17) % 101) as f32 / 50.0 - 1.0).collect();
    let data = vec![Part::Shared(bytes(&values).into())];
    let shape = vec![rows as i64, WIDTH as i64];
    request(vec![Input { name: "x".into(), data_type: DataType::Fp32, shape, data }])
}

fn short() -> InferenceRequest<'static> {
    let data = vec![Part::Shared(bytes(&[1.0f32; 3]).into())];
    let shape = vec![1, 3];
    request(vec![Input { name: "x".into(), data_type: DataType::Fp32, shape, data }])
}

fn to<T: Send + 'static>(sender: &Sender<T>) -> impl FnOnce(T) + Send + 'static {
    let sender = sender.clone();
    move |answer| drop(sender.send(answer))
}

fn next<T>(answers: &Receiver<T>) -> T {
    answers.recv_timeout(Duration::from_secs(60)).unwrap()
}

fn output(answer: Answer) -> Vec<u8> {
    answer.unwrap().outputs[0].data.to_vec()
}

/// Ends the other thread, also by a panic.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Calls `work` while short requests of another model come, until one of these has run beside a suspended run.
fn beside_short_runs(scheduler: &Arc<Scheduler>, mut work: impl FnMut()) {
    let model = served(scheduler, "name: 'short' max_batch_size: 1", add());
    let (is_over, suspended) = (AtomicBool::new(false), Arc::new(AtomicUsize::new(0)));
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::SeqCst) {
                let (own, count) = (Arc::downgrade(scheduler), Arc::clone(&suspended));
                // Its run asks this before its first op.
                let asked = move || {
                    let runs = own.upgrade().map_or(0, |own| own.suspended_runs());
                    count.fetch_add(runs, Ordering::SeqCst);
                    false
                };
                let cancel = Some(CancelFlag::when(asked));
                let (sender, answers) = channel();
                model.submit(InferenceRequest { cancel, ..short() }, to(&sender));
                next(&answers).unwrap();
            }
        });
        let _over = Over(&is_over);
        for round in 0.. {
            assert!(round < 100, "no run was suspended");
            work();
            if suspended.load(Ordering::SeqCst) > 0 {
                break;
            }
        }
    });
    assert_eq!(scheduler.suspended_runs(), 0);
}

#[test]
fn results_of_suspended_runs_keep_their_bits() {
    let scheduler = Arc::new(Scheduler::start(1).unwrap());
    let model = served(&scheduler, "name: 'm' max_batch_size: 64 dynamic_batching {}", deep(false));
    let sizes = [1, 3, 40, 17, 64, 2];
    let submit = |seed: usize| {
        let (sender, answers) = channel();
        model.submit(rows(seed, sizes[seed]), to(&sender));
        answers
    };
    let alone: Vec<Vec<u8>> = (0..sizes.len()).map(|seed| output(next(&submit(seed)))).collect();
    beside_short_runs(&scheduler, || {
        let answers: Vec<_> = (0..sizes.len()).map(submit).collect();
        for (alone, answers) in alone.iter().zip(answers) {
            assert!(*alone == output(next(&answers)), "other bits");
        }
    });
}

#[test]
fn sequences_keep_their_states_and_their_order_while_runs_are_suspended() {
    let scheduler = Arc::new(Scheduler::start(2).unwrap());
    let state = format!(
        "state {{ input_name: 'old' output_name: 's' data_type: TYPE_FP32 dims: {WIDTH} }}"
    );
    let instances = "instance_group { kind: KIND_CPU count: 4 }";
    let config = format!("name: 'm' max_batch_size: 1 {instances} sequence_batching {{ {state} }}");
    let model = served(&scheduler, &config, deep(true));
    let submit = |id: u64, step: usize| {
        let id = Correlation::Number(id);
        let sequence = Sequence { id, start: step == 0, end: step == 3 };
        let (sender, answers) = channel();
        model.submit(InferenceRequest { sequence, ..rows(step, 1) }, to(&sender));
        answers
    };
    let alone: Vec<Vec<u8>> = (0..4).map(|step| output(next(&submit(9, step)))).collect();
    assert!(alone[0] != alone[1]);
    beside_short_runs(&scheduler, || {
        // All at once: each waits for the one before in its sequence.
        let steps = (0..4).flat_map(|step| (1..=6).map(move |id| (id, step)));
        let answers: Vec<_> = steps.map(|(id, step)| (step, submit(id, step))).collect();
        for (step, answers) in answers {
            assert!(output(next(&answers)) == alone[step], "step {step}");
        }
    });
}

#[test]
fn a_suspended_run_whose_client_leaves_gives_its_memory_back_without_a_core() {
    let scheduler = Scheduler::start(1).unwrap();
    let model = served(&scheduler, "name: 'm' max_batch_size: 64", deep(false));
    let other = served(&scheduler, "name: 'short' max_batch_size: 1", add());
    let (sender, answers) = channel();
    model.submit(rows(0, 64), to(&sender));
    drop(next(&answers));
    let idle = model.model().unwrap().memory().live;

    // Each run asks a flag before its ops: the first one waits there for the second one, which keeps the core until the test ends.
    let [first, second] = [Gate::new(), Gate::new()];
    let asked = InferenceRequest { cancel: Some(first.flag), ..rows(0, 64) };
    let ticket = model.submit(asked, to(&sender));
    next(&first.asked);
    let (holds, held) = channel();
    other.submit(InferenceRequest { cancel: Some(second.flag), ..short() }, to(&holds));
    // Longer than a model may be ahead of another one.
    thread::sleep(Duration::from_millis(10));
    drop(first.go);
    wait_until("it is suspended", || scheduler.suspended_runs() == 1);
    assert!(model.model().unwrap().memory().live > idle);
    let left = Instant::now();
    ticket.cancel();
    assert_eq!(next(&answers), Err(RequestError::Cancelled));
    wait_until("its memory is free", || model.model().unwrap().memory().live == idle);
    assert!(left.elapsed() < Duration::from_secs(5), "{:?}", left.elapsed());
    assert_eq!(scheduler.suspended_runs(), 0);
    drop(second.go);
    assert!(next(&held).is_ok());
}

/// A flag that is never set. Whoever asks it waits.
struct Gate {
    flag: CancelFlag,
    /// Receives something when the flag is asked.
    asked: Receiver<()>,
    /// Nobody waits any longer once this is dropped.
    go: Sender<()>,
}

impl Gate {
    fn new() -> Gate {
        let ((go, gate), (asks, asked)) = (channel(), channel());
        let gate = Mutex::new(gate);
        let flag = CancelFlag::when(move || {
            let _ = asks.send(());
            let _ = gate.lock().unwrap_or_else(PoisonError::into_inner).recv();
            false
        });
        Gate { flag, asked, go }
    }
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what}");
        thread::sleep(Duration::from_micros(500));
    }
}
