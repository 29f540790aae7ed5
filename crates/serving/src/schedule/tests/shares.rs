//! The shares of models in the cores.

use super::*;
use crate::ModelConfig;
use crate::schedule::model::Schedule;
use crate::schedule::shares::weight;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use trident_engine::Handover;

/// A model with a weight, whose runs take this long, and the time that it has had.
fn model(bench: &Bench, weight: u32, millis: u64) -> (u64, Arc<AtomicU64>) {
    let used = Arc::new(AtomicU64::new(0));
    let (clock, own) = (Arc::clone(&bench.clock), Arc::clone(&used));
    let schedule = Schedule { weight, ..schedule(batching(&[4], 0), Levels::default()) };
    let id = bench.add(schedule, move |_, _| {
        clock.advance(Duration::from_millis(millis));
        own.fetch_add(millis, Ordering::Relaxed);
    });
    (id, used)
}

/// Runs both models, which always have requests, for about this long. The part of the first.
fn saturated(bench: &Bench, models: &[(u64, Arc<AtomicU64>); 2], millis: u64) -> f64 {
    let used = || models.each_ref().map(|(_, used)| used.load(Ordering::Relaxed));
    let before = used();
    while used().iter().sum::<u64>() - before.iter().sum::<u64>() < millis {
        for (id, _) in models {
            if bench.shared.waiting(*id) == 0 {
                bench.submit(*id, rows(4));
            }
        }
        assert!(bench.shared.run_next());
    }
    for ((id, _), millis) in models.iter().zip(used()) {
        let time = bench.shared.core_use(*id).unwrap().time;
        assert_eq!(time, Duration::from_millis(millis));
    }
    let [first, second] = [0, 1].map(|at| (used()[at] - before[at]) as f64);
    first / (first + second)
}

#[test]
fn saturated_models_share_the_cores_by_weight_whatever_a_run_takes() {
    for (weights, expected) in [([100, 100], 0.5), ([400, 100], 0.8), ([25, 100], 0.2)] {
        let bench = Bench::new(1);
        let models = [model(&bench, weights[0], 10), model(&bench, weights[1], 300)];
        let part = saturated(&bench, &models, 60_000);
        assert!((part - expected).abs() < 0.02, "{weights:?}: {part}");
    }
}

#[test]
fn a_model_that_was_idle_does_not_save_up_time() {
    let bench = Bench::new(1);
    let models = [model(&bench, 100, 10), model(&bench, 100, 10)];
    // The first one has the core alone for a minute.
    for _ in 0..6000 {
        bench.submit(models[0].0, ask());
        assert!(bench.shared.run_next());
    }
    let part = saturated(&bench, &models, 1000);
    assert!((part - 0.5).abs() < 0.03, "{part}");
    // A model that comes later starts where the others are, too.
    let [first, _] = models;
    let part = saturated(&bench, &[first, model(&bench, 100, 10)], 1000);
    assert!((part - 0.5).abs() < 0.03, "{part}");
}

#[test]
fn runs_count_before_they_end() {
    let bench = Bench::new(2);
    let order = Ran::default();
    let (shared, own, clock) =
        (Arc::downgrade(&bench.shared), Arc::clone(&order), Arc::clone(&bench.clock));
    let record = |own: Ran| move |rows: &[Row], _| own.lock().unwrap().push(vec![rows[0].name]);
    let long = bench.add(schedule(Batching::default(), Levels::default()), move |rows, turn| {
        record(Arc::clone(&own))(rows, turn);
        if rows[0].name == 0 {
            clock.advance(Duration::from_secs(1));
            // The other core: the long model is ahead of its share though its run has not ended.
            assert!(shared.upgrade().unwrap().run_next());
        }
    });
    let other =
        bench.add(schedule(Batching::default(), Levels::default()), record(Arc::clone(&order)));
    bench.submit(long, ask());
    bench.submit(long, ask());
    bench.submit(other, ask());
    run_all(&bench);
    assert_eq!(*order.lock().unwrap(), [[0], [2], [1]]);
}

/// The length of a test, in milliseconds of its clock.
const LENGTH: usize = 20_000;

/// Two saturated models with such weights, whose runs take 3 seconds, on one core with real threads: the part of the first, and the
/// number of suspensions.
fn parts(weights: [u32; 2]) -> (f64, usize) {
    let bench = Arc::new(Bench::new(1));
    let threads: Arc<Mutex<Vec<JoinHandle<()>>>> = Arc::default();
    let (shared, own) = (Arc::downgrade(&bench.shared), Arc::clone(&threads));
    let add_thread = move || {
        let shared = shared.upgrade().unwrap();
        own.lock().unwrap().push(thread::spawn(move || shared.work()));
        true
    };
    add_thread();
    bench.shared.suspend_runs(1, Box::new(add_thread));
    let used = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
    let suspended = Arc::new(AtomicUsize::new(0));
    let ids = [0, 1].map(|at| {
        let schedule =
            Schedule { weight: weights[at], ..schedule(Batching::default(), Levels::default()) };
        let (used, suspended) = (Arc::clone(&used), Arc::clone(&suspended));
        let clock = Arc::clone(&bench.clock);
        let between = move |_: &[Row], _, core: &dyn Handover| {
            for _ in 0..3000 {
                if used.iter().map(|used| used.load(Ordering::SeqCst)).sum::<usize>() >= LENGTH {
                    return;
                }
                clock.advance(Duration::from_millis(1));
                used[at].fetch_add(1, Ordering::SeqCst);
                if core.is_due() {
                    core.wait(&|| false);
                    suspended.fetch_add(1, Ordering::SeqCst);
                }
            }
        };
        bench.add_with_core(schedule, between)
    });
    // Each has enough requests until the end.
    let count = LENGTH / 3000 + 1;
    for _ in 0..count {
        ids.iter().for_each(|id| drop(bench.submit(*id, ask())));
    }
    while bench.answers().iter().any(Vec::is_empty) {
        thread::sleep(Duration::from_millis(1));
    }
    bench.shared.close();
    let next = || threads.lock().unwrap().pop();
    while let Some(thread) = next() {
        thread.join().unwrap();
    }
    assert!(bench.shared.is_quiet(1));
    // The time of suspended runs is not counted.
    for (id, used) in ids.iter().zip(&*used) {
        let time = bench.shared.core_use(*id).unwrap().time;
        assert_eq!(time, Duration::from_millis(used.load(Ordering::SeqCst) as u64));
    }
    let [first, second] = [0, 1].map(|at| used[at].load(Ordering::SeqCst) as f64);
    (first / (first + second), suspended.load(Ordering::SeqCst))
}

#[test]
fn saturated_models_with_long_runs_take_turns_of_milliseconds() {
    for (weights, expected) in [([100, 100], 0.5), ([100, 300], 0.25), ([400, 100], 0.8)] {
        let (part, suspended) = parts(weights);
        assert!((part - expected).abs() < 0.05, "{weights:?}: {part}");
        assert!(suspended > 500, "{weights:?}: {suspended}");
    }
}

#[test]
fn weights_are_a_parameter_or_that_of_the_priority() {
    let of = |text: &str| weight(&ModelConfig::from_text(&format!("name: 'm' {text}")).unwrap());
    let share =
        |value| format!("parameters {{ key: 'share' value {{ string_value: '{value}' }} }}");
    let priority = |name| format!("optimization {{ priority: {name} }}");
    assert_eq!(of("").unwrap(), 100);
    assert_eq!(of(&priority("PRIORITY_MAX")).unwrap(), 400);
    assert_eq!(of(&priority("PRIORITY_MIN")).unwrap(), 25);
    assert_eq!(of(&[priority("PRIORITY_MIN"), share("7")].join(" ")).unwrap(), 7);
    for wrong in ["0", "10001", "-1", "1.5", "much"] {
        let error = of(&share(wrong)).unwrap_err().to_string();
        assert!(error.contains("share") && error.contains(wrong), "{error}");
        assert!(error.contains("1 to 10000"), "{error}");
    }
}
