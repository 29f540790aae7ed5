//! Models of queues and fences: each runs under many schedules.
#![allow(clippy::unwrap_used)] // a failed unwrap fails the test

use super::testing::{Bench, elements, output};
use super::*;
use shuttle::{check_pct, check_random, thread};

const SCHEDULES: usize = 500;

fn explore(model: impl Fn() + Send + Sync + 'static) {
    let model = Arc::new(model);
    let again = model.clone();
    check_random(move || model(), SCHEDULES);
    check_pct(move || again(), SCHEDULES, 3);
}

#[test]
fn results_are_there_when_a_fence_is_passed() {
    explore(|| {
        let bench = Bench::new(Duration::ZERO);
        let (first, second) = (bench.device.stream(), bench.device.stream());
        let a = bench.submit(&*first, &*bench.told, bench.numbers(&[1.0]));
        let after = [a.fence.clone()];
        let b = bench.submit_after(&*second, &*bench.told, output(&a), &after);
        let c = bench.submit(&*second, &*bench.told, output(&b));
        if c.fence.is_passed() {
            assert!(a.fence.is_passed() && b.fence.is_passed());
        }
        let d = bench.submit(&*second, &*bench.later, output(&c));
        assert_eq!(elements(&output(&c)).unwrap(), [8.0]);
        assert_eq!(elements(d.wait().unwrap()[0].as_ref().unwrap()).unwrap(), [16.0]);
        assert!(a.fence.is_passed() && b.fence.is_passed());
    });
}

#[test]
fn a_last_owner_has_the_memory_alone() {
    explore(|| {
        let bench = Bench::new(Duration::ZERO);
        let stream = bench.device.stream();
        let submitted = bench.submit(&*stream, &*bench.told, bench.numbers(&[1.0]));
        let mut value = output(&submitted);
        drop(submitted);
        value.settle().unwrap();
        assert!(value.as_tensor().unwrap().is_unique());
        drop(value);
        stream.fence().wait().unwrap();
        assert_eq!(bench.pool.stats().live, 0);
    });
}

#[test]
fn every_fence_is_passed_whoever_submits_waits_or_cancels() {
    explore(|| {
        let bench = Arc::new(Bench::new(Duration::ZERO));
        let stream = bench.device.stream();
        let threads: Vec<_> = (0..2)
            .map(|i| {
                let (bench, stream) = (bench.clone(), stream.clone());
                thread::spawn(move || {
                    let submitted = bench.submit(&*stream, &*bench.told, bench.numbers(&[1.0]));
                    if i == 1 {
                        stream.cancel();
                    }
                    match submitted.fence.wait() {
                        Ok(()) => assert_eq!(elements(&output(&submitted)).unwrap(), [2.0]),
                        Err(error) => assert_eq!(error, KernelError::Cancelled),
                    }
                })
            })
            .collect();
        drop(stream);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(bench.pool.stats().live, 0);
    });
}
