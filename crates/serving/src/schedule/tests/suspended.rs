//! Runs that hand their cores over.

use super::sequences::{IDLE, of, sequential_with};
use super::*;
use crate::batch::Response;
use crate::failure::RequestError;
use crate::schedule::ManualClock;
use crate::schedule::model::Schedule;
use crate::schedule::pending::{Answer, Pending};
use crate::schedule::shared::Shared;
use std::sync::Weak;
use std::sync::atomic::{AtomicUsize, Ordering};
use trident_engine::Handover;

/// The scheduler of a bench, for runs that start others while they wait.
type Own = Weak<Shared<Fake>>;

/// A bench whose runs are suspended. Threads are calls: a run that waits has the test run the others.
fn suspending(cores: usize) -> (Bench, Own) {
    let bench = Bench::new(cores);
    bench.shared.suspend_runs(0, Box::new(|| true));
    let shared = Arc::downgrade(&bench.shared);
    (bench, shared)
}

/// Waits for a core, while others run. Whether it was suspended.
fn give_way(core: &dyn Handover, shared: &Own) -> bool {
    let suspended = AtomicUsize::new(0);
    core.wait(&|| {
        suspended.fetch_add(1, Ordering::SeqCst);
        while shared.upgrade().unwrap().run_next() {}
        false
    });
    suspended.into_inner() > 0
}

/// A model without batches, with two instances.
fn plain() -> Schedule {
    schedule(Batching::default(), Levels::default())
}

/// The events of a test, in their order.
type Events = Arc<Mutex<Vec<String>>>;

fn note(events: &Events, event: impl Into<String>) {
    events.lock().unwrap().push(event.into());
}

#[test]
fn a_run_that_is_ahead_of_its_share_hands_its_core_to_one_that_waits() {
    let (bench, own) = suspending(1);
    let events = Events::default();
    let (noted, clock) = (Arc::clone(&events), Arc::clone(&bench.clock));
    let other = Arc::new(Mutex::new(None::<Box<dyn Fn() + Send>>));
    let submit = Arc::clone(&other);
    let long = bench.add_with_core(schedule(batching(&[4], 0), Levels::default()), {
        move |_, _, core| {
            clock.advance(Duration::from_millis(100));
            assert!(!core.is_due(), "nobody waits");
            assert!(!give_way(core, &own));
            submit.lock().unwrap().take().unwrap()();
            // The other one was idle: it has a credit.
            assert!(core.is_due());
            note(&noted, "due");
            assert!(give_way(core, &own));
            assert!(!core.is_due());
            note(&noted, "goes on");
        }
    });
    let noted = Arc::clone(&events);
    let short = bench.add(schedule(batching(&[4], 0), Levels::default()), move |_, _| {
        note(&noted, "short");
    });
    let bench = Arc::new(bench);
    let inner = Arc::downgrade(&bench);
    *other.lock().unwrap() =
        Some(Box::new(move || drop(inner.upgrade().unwrap().submit(short, ask()))));
    bench.submit(long, ask());
    run_all(&bench);
    assert_eq!(*events.lock().unwrap(), ["due", "short", "goes on"]);
    assert!((0..2).all(|name| bench.answer(name).is_ok()));
    assert!(bench.shared.is_quiet(1));
}

#[test]
fn runs_of_one_model_and_runs_beside_a_free_core_are_not_suspended() {
    for (cores, other) in [(1, false), (2, true)] {
        let (bench, own) = suspending(cores);
        let clock = Arc::clone(&bench.clock);
        let seen = Arc::new(AtomicUsize::new(0));
        let asked = Arc::clone(&seen);
        let between = move |_: &[Row], _, core: &dyn Handover| {
            clock.advance(Duration::from_secs(10));
            assert!(!core.is_due() && !give_way(core, &own));
            asked.fetch_add(1, Ordering::SeqCst);
        };
        let model = bench.add_with_core(plain(), between);
        bench.submit(model, ask());
        let second = if other { bench.add(plain(), |_, _| ()) } else { model };
        bench.submit(second, ask());
        run_all(&bench);
        assert_eq!(seen.load(Ordering::SeqCst), if other { 1 } else { 2 });
    }
}

/// Runs a request on the only core. It is suspended for one of another model, and `ends` acts before that runs. The events, with the
/// answers to both.
fn ending(
    deadline: Option<Duration>,
    ends: impl Fn(&Shared<Fake>, &Arc<Pending>, &ManualClock) + Send + Sync + 'static,
) -> (Vec<String>, [Answer; 2]) {
    let (bench, own) = suspending(1);
    let bench = Arc::new(bench);
    let events = Events::default();
    let noted = Arc::clone(&events);
    let short = bench.add(plain(), move |_, _| note(&noted, "short"));
    let first: Arc<Mutex<Option<Arc<Pending>>>> = Arc::default();
    let (left, noted) = (Arc::clone(&first), Arc::clone(&events));
    let (world, clock) = (Arc::downgrade(&bench), Arc::clone(&bench.clock));
    let long = bench.add_with_core(plain(), move |_, _, core| {
        clock.advance(Duration::from_millis(100));
        world.upgrade().unwrap().submit(short, ask());
        let (pending, shared) = (left.lock().unwrap().take().unwrap(), own.upgrade().unwrap());
        core.wait(&|| {
            assert_eq!(shared.suspended(), 1);
            ends(&shared, &pending, &clock);
            let stops = pending.cancel.is_cancelled();
            // Another thread.
            while !stops && shared.run_next() {}
            stops
        });
        assert_eq!(shared.suspended(), 0);
        note(&noted, "ends");
    });
    *first.lock().unwrap() = Some(bench.submit(long, Ask { deadline, ..ask() }));
    run_all(&bench);
    assert!(bench.shared.is_quiet(1));
    let events = events.lock().unwrap().clone();
    (events, [0, 1].map(|name| bench.answer(name)))
}

#[test]
fn a_suspended_run_that_nobody_waits_for_ends_without_a_core() {
    let (events, answers) = ending(None, |shared, pending, _| shared.cancel(pending));
    assert_eq!(events, ["ends", "short"]);
    assert_eq!(answers, [Err(RequestError::Cancelled), Ok(Response::default())]);

    let time = Duration::from_millis(200);
    let (events, answers) = ending(Some(time), move |shared, _, clock| {
        clock.advance(time);
        shared.expire();
    });
    assert_eq!(events, ["ends", "short"]);
    assert_eq!(answers, [Err(RequestError::Timeout), Ok(Response::default())]);
}

#[test]
fn a_suspended_run_goes_on_when_the_scheduler_closes() {
    let (events, answers) = ending(None, |shared, _, _| shared.close());
    assert_eq!(events, ["ends"]);
    assert_eq!(answers, [Ok(Response::default()), Err(RequestError::Closing)]);
}

#[test]
fn a_run_keeps_its_core_where_no_thread_can_be_started() {
    for threads in [true, false] {
        let bench = Arc::new(Bench::new(1));
        if threads {
            bench.shared.suspend_runs(0, Box::new(|| false));
        }
        let (world, own, clock) =
            (Arc::downgrade(&bench), Arc::downgrade(&bench.shared), Arc::clone(&bench.clock));
        let other = bench.add(plain(), |_, _| ());
        let long = bench.add_with_core(plain(), move |_, _, core| {
            clock.advance(Duration::from_millis(100));
            world.upgrade().unwrap().submit(other, ask());
            assert!(!give_way(core, &own));
        });
        bench.submit(long, ask());
        run_all(&bench);
        assert!((0..2).all(|name| bench.answer(name).is_ok()));
    }
}

#[test]
fn suspended_runs_count_as_instances_and_go_first() {
    let (bench, own) = suspending(1);
    let bench = Arc::new(bench);
    let events = Events::default();
    let (noted, world, clock) =
        (Arc::clone(&events), Arc::downgrade(&bench), Arc::clone(&bench.clock));
    let other = bench.add(plain(), {
        let events = Arc::clone(&events);
        move |_, _| note(&events, "other")
    });
    let begins = Arc::clone(&events);
    let one = Schedule { instances: 1, ..plain() };
    let long = bench.add_with_core(one, move |rows, _, core| {
        note(&begins, format!("begin {}", rows[0].name));
        clock.advance(Duration::from_millis(100));
        world.upgrade().unwrap().submit(other, ask());
        give_way(core, &own);
        note(&noted, "end");
    });
    bench.submit(long, ask());
    bench.submit(long, ask());
    run_all(&bench);
    let expected = ["begin 0", "other", "end", "begin 1", "other", "end"];
    assert_eq!(*events.lock().unwrap(), expected);
}

#[test]
fn a_request_that_receives_a_slot_while_all_cores_are_taken_is_waited_for() {
    let (bench, own) = suspending(1);
    let bench = Arc::new(bench);
    let events = Events::default();
    let noted = Arc::clone(&events);
    let sequential = sequential_with(&bench, 1, move |_, _, _| note(&noted, "sequence"));
    // The only slot belongs to a sequence without requests.
    bench.submit(sequential, of("(a"));
    run_all(&bench);
    let (noted, world) = (Arc::clone(&events), Arc::downgrade(&bench));
    let long = bench.add_with_core(plain(), move |_, _, core| {
        let bench = world.upgrade().unwrap();
        bench.submit(sequential, of("(b)"));
        bench.advance(IDLE - 1);
        assert!(!core.is_due(), "the request has no slot");
        bench.advance(1);
        assert!(core.is_due());
        assert!(give_way(core, &own));
        note(&noted, "end");
    });
    bench.submit(long, ask());
    run_all(&bench);
    assert_eq!(*events.lock().unwrap(), ["sequence", "sequence", "end"]);
    assert!(bench.shared.is_quiet(1));
}
