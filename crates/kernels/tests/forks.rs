//! Executors in forked children.
#![cfg(not(feature = "models"))]
#![allow(clippy::unwrap_used, unsafe_code)] // what does not fit fails the test; `fork` is unsafe

#[path = "../../runtime/tests/forked/mod.rs"]
mod forked;

use forked::{child, settle};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use trident_kernels::threads::{ThreadRequest, Threads};

/// Whether runs with and without a place find all tasks done.
fn computes(threads: &Threads) -> bool {
    (0..10).all(|_| {
        let _run = threads.enter(ThreadRequest::default());
        let sum = AtomicUsize::new(0);
        threads.run(100, |i| _ = sum.fetch_add(i, Ordering::Relaxed));
        sum.into_inner() == 4950
    })
}

#[test]
fn forked_children_have_executors_of_their_own() {
    let threads = Threads::new(3);
    let done = AtomicUsize::new(0);
    std::thread::scope(|s| {
        for _ in 0..4 {
            let (threads, done) = (&threads, &done);
            s.spawn(move || {
                while done.load(Ordering::Relaxed) == 0 {
                    let _run = threads.enter(ThreadRequest::default());
                    threads.run(50, |_| std::thread::sleep(Duration::from_micros(20)));
                }
            });
        }
        settle();
        let children = || (0..20).map(|_| child(|| computes(&threads)));
        let outside: Vec<_> = children().collect();
        // A child that goes on with its parent's run.
        let run = threads.enter(ThreadRequest::default());
        let inside: Vec<_> = children().collect();
        let nested = child(|| {
            drop(run);
            computes(&threads) && child(|| computes(&threads)) == Ok(0)
        });
        done.store(1, Ordering::Relaxed);
        assert_eq!((outside, inside, nested), (vec![Ok(0); 20], vec![Ok(0); 20], Ok(0)));
    });
}
