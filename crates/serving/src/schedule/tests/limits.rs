//! Runs that need limited resources.

use super::*;
use crate::ModelConfig;
use crate::failure::RequestError;
use crate::schedule::RateLimits;
use crate::schedule::limits::Group;
use crate::schedule::model::{Schedule, Turn};
use crate::schedule::shared::Shared;
use std::collections::BTreeMap;
use std::sync::Weak;
use std::sync::atomic::{AtomicUsize, Ordering};
use trident_engine::Handover;

/// A bench whose runs need resources, of which there are these.
fn limited(cores: usize, resources: &[&str]) -> Bench {
    let bench = Bench::new(cores);
    let mut limits = RateLimits::default();
    resources.iter().for_each(|text| limits.add(text).unwrap());
    bench.shared.limit(limits);
    bench
}

/// A model with these instance groups in text form, without batches.
fn needing(groups: &str) -> Schedule {
    let text = format!("name: 'm' instance_group [ {groups} ]");
    let groups = Group::of(&ModelConfig::from_text(&text).unwrap());
    Schedule { groups, ..schedule(Batching::default(), Levels::default()) }
}

fn needs(count: u32) -> Schedule {
    needing(&format!(
        "{{ count: 1 kind: KIND_CPU rate_limiter {{ resources {{ name: 'r' count: {count} }} }} }}"
    ))
}

/// A model that notes its runs, during which others may start on the other cores. Whether one did.
fn noted(bench: &Bench, name: char, schedule: Schedule, order: &Order) -> u64 {
    let (own, order) = (Arc::downgrade(&bench.shared), Arc::clone(order));
    bench.add(schedule, move |_, _| {
        order.lock().unwrap().push(name);
        if own.upgrade().unwrap().run_next() {
            order.lock().unwrap().push('+');
        }
    })
}

/// The names of models in the order of their runs; a plus after those that ran together.
type Order = Arc<Mutex<String>>;

fn submit(bench: &Bench, models: &[u64]) {
    models.iter().for_each(|model| drop(bench.submit(*model, ask())));
}

#[test]
fn runs_start_together_only_if_there_is_enough_for_both() {
    // Without a number, there is as much as one instance needs.
    for (resources, counts, expected) in [
        (&[][..], [1, 1], "AB"),
        (&[], [1, 2], "AB"),
        (&["r:2"], [1, 1], "AB+"),
        (&["R:3:0"], [1, 2], "AB+"),
        (&["r:3"], [2, 2], "AB"),
    ] {
        let (bench, order) = (limited(2, resources), Order::default());
        let a = noted(&bench, 'A', needs(counts[0]), &order);
        let b = noted(&bench, 'B', needs(counts[1]), &order);
        submit(&bench, &[a, b]);
        run_all(&bench);
        assert_eq!(*order.lock().unwrap(), expected, "{resources:?} {counts:?}");
        assert!(bench.shared.is_quiet(2));
    }
}

#[test]
fn instances_without_needs_do_not_wait_for_those_with() {
    let (bench, order) = (limited(2, &["r:1"]), Order::default());
    let a = noted(&bench, 'A', needs(1), &order);
    let b = noted(&bench, 'B', needs(1), &order);
    let free = noted(&bench, 'F', needing("{ count: 1 kind: KIND_CPU }"), &order);
    submit(&bench, &[a, b, free]);
    run_all(&bench);
    assert_eq!(*order.lock().unwrap(), "AF+B");
}

#[test]
fn without_a_limiter_needs_have_no_effect() {
    let (bench, order) = (Bench::new(2), Order::default());
    let a = noted(&bench, 'A', needs(1), &order);
    let b = noted(&bench, 'B', needs(1), &order);
    submit(&bench, &[a, b]);
    run_all(&bench);
    assert_eq!(*order.lock().unwrap(), "AB+");
}

#[test]
fn groups_have_needs_and_instances_of_their_own() {
    let group = |count, resource| {
        format!(
            "{{ count: {count} kind: KIND_CPU rate_limiter {{ resources {{ name: '{resource}' count: 1 global: true }} }} }}"
        )
    };
    // The first group has one instance, whatever there is of its resource.
    let groups = format!("{}, {}", group(1, "x"), group(1, "y"));
    for (resources, expected) in [(["x:1", "y:1"], "AA+A"), (["x:9", "y:1"], "AA+A")] {
        let (bench, order) = (limited(3, &resources), Order::default());
        let own = Schedule { instances: 2, ..needing(&groups) };
        let a = noted(&bench, 'A', own, &order);
        submit(&bench, &[a, a, a]);
        run_all(&bench);
        assert_eq!(*order.lock().unwrap(), expected, "{resources:?}");
    }
    let (bench, order) = (limited(3, &["x:1", "y:1"]), Order::default());
    let a = noted(&bench, 'A', needing(&group(1, "x")), &order);
    let b = noted(&bench, 'B', Schedule { instances: 2, ..needing(&groups) }, &order);
    submit(&bench, &[a, b, b]);
    run_all(&bench);
    assert_eq!(*order.lock().unwrap(), "AB+B", "only the second group's resource is free");
}

#[test]
fn those_that_have_run_least_by_their_priorities_go_first() {
    let (bench, order) = (limited(2, &[]), Order::default());
    let group = |priority| {
        needing(&format!(
            "{{ count: 1 kind: KIND_CPU rate_limiter {{ priority: {priority} resources {{ name: 'r' count: 1 }} }} }}"
        ))
    };
    let models = [('A', 1), ('B', 3)].map(|(name, of)| noted(&bench, name, group(of), &order));
    for _ in 0..40 {
        submit(&bench, &models);
    }
    (0..40).for_each(|_| assert!(bench.shared.run_next()));
    let order = order.lock().unwrap();
    assert!(order.starts_with("AAAAABAA"), "{order}");
    let count = |name| order.chars().filter(|own| *own == name).count();
    assert_eq!((count('A'), count('B'), count('+')), (31, 9, 0), "{order}");
}

#[test]
fn an_instance_that_needs_much_is_not_starved_by_those_that_need_little() {
    let (bench, order) = (Arc::new(limited(2, &["r:2"])), Order::default());
    let (own, noted_in) = (Arc::downgrade(&bench), Arc::clone(&order));
    let ids = Arc::new(Mutex::new(vec![]));
    let small: Vec<u64> = ['A', 'B', 'C']
        .into_iter()
        .map(|name| {
            let (own, order, ids) = (own.clone(), Arc::clone(&noted_in), Arc::clone(&ids));
            bench.add(needs(1), move |_, _| {
                let bench = own.upgrade().unwrap();
                order.lock().unwrap().push(name);
                let ids = ids.lock().unwrap().clone();
                // The others never stop to ask.
                if order.lock().unwrap().len() < 60 {
                    submit(&bench, &ids);
                }
                bench.shared.run_next();
            })
        })
        .collect();
    ids.lock().unwrap().clone_from(&small);
    let large = noted(&bench, 'L', needs(2), &order);
    submit(&bench, &small);
    submit(&bench, &[large]);
    run_all(&bench);
    let order = order.lock().unwrap();
    assert!(order.find('L').unwrap() < 8, "{order}");
}

#[test]
fn an_instance_that_was_idle_is_ahead_by_a_few_runs_only() {
    let (bench, order) = (limited(1, &[]), Order::default());
    let busy = noted(&bench, 'A', needs(1), &order);
    let idle = noted(&bench, 'B', needs(1), &order);
    submit(&bench, &[busy; 100]);
    run_all(&bench);
    order.lock().unwrap().clear();
    // The core is shared, too, so that the idle one has a credit there as well.
    for _ in 0..60 {
        submit(&bench, &[busy, idle]);
    }
    (0..60).for_each(|_| assert!(bench.shared.run_next()));
    let order = order.lock().unwrap();
    let ahead = order.find('A').unwrap();
    assert!((1..=20).contains(&ahead), "{order}");
}

#[test]
fn a_run_is_not_suspended_for_one_that_needs_what_it_has() {
    let bench = Arc::new(limited(1, &[]));
    bench.shared.suspend_runs(0, Box::new(|| true));
    let (own, clock) = (Arc::downgrade(&bench), Arc::clone(&bench.clock));
    let waiting = Arc::new(AtomicUsize::new(0));
    let ids = Arc::new(Mutex::new([0, 0]));
    let others = Arc::clone(&ids);
    let shared: Weak<Shared<Fake>> = Arc::downgrade(&bench.shared);
    let suspensions = Arc::clone(&waiting);
    let between = move |_: &[Row], _: Turn, core: &dyn Handover| {
        let [blocked, free] = *others.lock().unwrap();
        let bench = own.upgrade().unwrap();
        bench.submit(blocked, ask());
        clock.advance(Duration::from_secs(1));
        assert!(!core.is_due(), "the other one could not start");
        bench.submit(free, ask());
        clock.advance(Duration::from_secs(1));
        assert!(core.is_due());
        core.wait(&|| {
            suspensions.fetch_add(1, Ordering::SeqCst);
            let shared = shared.upgrade().unwrap();
            while shared.run_next() {}
            false
        });
    };
    let long = bench.add_with_core(needs(1), between);
    let order = Order::default();
    *ids.lock().unwrap() = [
        noted(&bench, 'B', needs(1), &order),
        noted(&bench, 'F', needing("{ count: 1 kind: KIND_CPU }"), &order),
    ];
    bench.submit(long, ask());
    run_all(&bench);
    assert_eq!((waiting.load(Ordering::SeqCst), &**order.lock().unwrap()), (1, "FB"));
    assert!(bench.shared.is_quiet(1));
}

#[test]
fn a_request_that_leaves_gives_up_its_place() {
    let (bench, order) = (limited(2, &["r:2"]), Order::default());
    let (own, clear) = (Arc::downgrade(&bench.shared), Arc::new(Mutex::new(None)));
    let leaves = Arc::clone(&clear);
    let noted_in = Arc::clone(&order);
    let first = bench.add(needs(1), move |_, _| {
        noted_in.lock().unwrap().push('A');
        let shared = own.upgrade().unwrap();
        assert!(!shared.run_next(), "the large one is next, and waits for this run");
        shared.cancel(&leaves.lock().unwrap().take().unwrap());
        assert!(shared.run_next());
    });
    let large = noted(&bench, 'L', needs(2), &order);
    let small = noted(&bench, 'B', needs(1), &order);
    submit(&bench, &[first]);
    *clear.lock().unwrap() = Some(bench.submit(large, ask()));
    submit(&bench, &[small]);
    run_all(&bench);
    assert_eq!(*order.lock().unwrap(), "AB");
}

#[test]
fn models_that_could_never_run_are_refused() {
    let add = |bench: &Bench, schedule| {
        let runner = Fake { during: Arc::new(|_: &[Row], _, _: &dyn Handover| {}), rest: None };
        bench.shared.add(runner, schedule).map_err(|error| error.to_string())
    };
    let limit = |limit, needed| {
        Err(format!(
            "Resource count for \"r\" is limited to {limit} which will prevent scheduling of one or more model instances, the \
             minimum required count is {needed}"
        ))
    };
    let bench = limited(1, &["r:2:0", "r:9:1"]);
    assert!(add(&bench, needs(2)).is_ok());
    assert_eq!(add(&bench, needs(3)), limit(2, 3));
    assert_eq!(add(&limited(1, &["q:2"]), needs(1)), limit(0, 1));
    let global = || {
        needing(
            "{ count: 1 kind: KIND_CPU rate_limiter { resources { name: 'R' count: 9 global: true } } }",
        )
    };
    let scope =
        Err("Resource \"R\" is present as both global and device-specific resource in the model configuration.".to_owned());
    assert_eq!(add(&bench, global()), scope);
    assert!(add(&limited(1, &["r:2:0", "r:9:1"]), global()).is_ok(), "the largest number counts");
    // A model that is gone does not count.
    let bench = limited(1, &[]);
    let first = add(&bench, needs(2)).unwrap();
    assert_eq!(add(&bench, global()), scope);
    bench.shared.retire(first);
    assert!(add(&bench, global()).is_ok());
}

#[test]
fn any_mixture_of_needs_ends_within_its_limits() {
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let totals = [("x", 3), ("y", 2), ("z", 4)];
        let texts = totals.map(|(name, count)| format!("{name}:{count}"));
        let bench = Arc::new(limited(4, &texts.each_ref().map(String::as_str)));
        let used: Arc<Mutex<BTreeMap<&str, u64>>> = Arc::default();
        let models: Vec<u64> = (0..6)
            .map(|_| {
                let own: Vec<(&str, u64)> = totals
                    .into_iter()
                    .filter_map(|(name, most)| Some((name, random.below(most + 1))).filter(|own| own.1 > 0))
                    .collect();
                let resources: Vec<String> =
                    own.iter().map(|(name, n)| format!("{{ name: '{name}' count: {n} }}")).collect();
                let groups = format!(
                    "{{ count: 2 kind: KIND_CPU rate_limiter {{ priority: {} resources [ {} ] }} }}",
                    random.below(4),
                    resources.join(", ")
                );
                let (used, shared) = (Arc::clone(&used), Arc::downgrade(&bench.shared));
                bench.add(needing(&groups), move |_, _| {
                    let add = |sign: i64| {
                        let mut used = used.lock().unwrap();
                        for (name, count) in &own {
                            let used = used.entry(name).or_default();
                            *used = used.checked_add_signed(sign * (*count as i64)).unwrap();
                        }
                        used.clone()
                    };
                    let now = add(1);
                    assert!(totals.iter().all(|(name, most)| now.get(name).is_none_or(|n| n <= most)));
                    shared.upgrade().unwrap().run_next();
                    add(-1);
                })
            })
            .collect();
        let pending: Vec<_> =
            (0..60).map(|_| bench.submit(models[random.below(6) as usize], ask())).collect();
        for own in &pending {
            if random.is_one_in(6) {
                bench.shared.cancel(own);
            } else if random.is_one_in(3) {
                bench.shared.run_next();
            }
        }
        run_all(&bench);
        let is_right =
            |answers: &Vec<_>| matches!(answers[..], [Ok(_) | Err(RequestError::Cancelled)]);
        assert!(bench.answers().iter().all(is_right), "seed {seed}: {:?}", bench.answers());
        assert!(bench.shared.is_quiet(4) && used.lock().unwrap().values().all(|used| *used == 0));
    }
}
