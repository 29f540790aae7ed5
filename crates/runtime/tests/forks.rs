//! Memory and caches in forked children.
#![cfg(not(feature = "models"))]
#![allow(clippy::unwrap_used, unsafe_code)] // what does not fit fails the test; `fork` is unsafe

mod forked;

use forked::settle;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use trident_runtime::{ForkMutex, HostMemory, Pool, PoolSettings};

/// Whether the child found `body` true.
fn child(body: impl FnOnce() -> bool) -> bool {
    forked::child(body) == Ok(0)
}

/// A child keeps a cache unless it was locked.
fn keep_caches() {
    let cache = ForkMutex::<Vec<i32>>::new(Vec::new);
    cache.lock().push(1);
    assert!(child(|| *cache.lock() == [1] && child(|| *cache.lock() == [1])));
    let held = cache.lock();
    // As if another thread held it: the child does not use the guard.
    let in_child = || {
        cache.lock().push(2);
        *cache.lock() == [2] && child(|| *cache.lock() == [2])
    };
    assert!(child(in_child));
    drop(held);
    assert_eq!(*cache.lock(), [1]);
}

/// Children take memory while other threads do.
fn take_memory() {
    let (pool, done) = (Pool::new(), AtomicBool::new(false));
    let sizes = [64, 4096, 70 << 10, 3 << 20];
    let traffic = || {
        for (i, size) in (0..).zip(sizes.iter().cycle()) {
            let mut kept = pool.alloc(*size).unwrap();
            kept.bytes_mut()[0] = 1;
            if i % 50 == 0 {
                pool.empty_cache();
            }
            if done.load(Ordering::Relaxed) {
                break;
            }
        }
    };
    let in_child = || {
        let buffers: Vec<_> = (0..5).flat_map(|_| sizes.map(|n| pool.alloc(n))).collect();
        let whole = buffers.iter().all(Option::is_some);
        drop(buffers);
        pool.empty_cache();
        pool.device_stats();
        whole && pool.child("of the child").alloc(100).is_some()
    };
    let right = std::thread::scope(|scope| {
        (0..3).for_each(|_| _ = scope.spawn(traffic));
        settle();
        let right: Vec<bool> = (0..50).map(|_| child(in_child)).collect();
        done.store(true, Ordering::Relaxed);
        right
    });
    assert_eq!(right, [true; 50]);
}

/// A child gives unused memory back.
fn give_back() {
    let settings = PoolSettings { max_unused: 1 << 30, max_age: Duration::from_millis(500) };
    let pool = Pool::with(HostMemory::provider(), settings);
    let is_given_back = || {
        drop(pool.alloc(2 << 20));
        let start = Instant::now();
        while pool.device_stats().given_back.age == 0 && start.elapsed().as_secs() < 10 {
            std::thread::sleep(Duration::from_millis(1));
        }
        pool.device_stats().given_back.age > 0
    };
    drop(pool.alloc(1 << 20));
    settle();
    // The parent's timer runs, and does not exist in the child.
    assert!(child(is_given_back));
}

#[test]
fn forked_children_have_memory_and_caches() {
    keep_caches();
    take_memory();
    give_back();
}
