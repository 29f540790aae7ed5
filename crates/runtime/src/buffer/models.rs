//! Models of pool and arena: each runs under many schedules, and no two buffers may ever share memory.
#![allow(clippy::unwrap_used)] // a failed unwrap fails the test

use std::sync::Arc;

use shuttle::{check_pct, check_random, thread};

use super::*;

const SCHEDULES: usize = 1000;

fn explore(model: impl Fn() + Send + Sync + 'static) {
    let model = Arc::new(model);
    let again = model.clone();
    check_random(move || model(), SCHEDULES);
    check_pct(move || again(), SCHEDULES, 3);
}

/// Runs `run` on one thread per tag, passing each its tag.
fn on_threads(tags: u8, run: impl Fn(u8) + Send + Sync + 'static) {
    let run = Arc::new(run);
    let threads: Vec<_> = (1..=tags)
        .map(|tag| {
            let run = run.clone();
            thread::spawn(move || run(tag))
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// Fills a buffer with a tag, lets other threads run, and checks that the contents are unchanged.
fn own(mut buffer: Buffer, tag: u8) {
    buffer.bytes_mut().fill(tag);
    thread::yield_now();
    assert!(buffer.bytes().iter().all(|&b| b == tag), "another buffer has the same memory");
}

#[test]
fn blocks_belong_to_one_buffer_at_a_time() {
    explore(|| {
        let pool = Pool::new();
        let inner = pool.clone();
        on_threads(3, move |tag| {
            for len in [100, 120] {
                own(inner.alloc(len).unwrap(), tag);
            }
        });
        let stats = pool.stats();
        assert!(stats.live == 0 && stats.peak <= 3 * 128, "{stats:?}");
        assert!(stats.hits + stats.misses == 6 && pool.device_stats().cached <= PAGE);
    });
}

#[test]
fn the_limit_holds_at_every_moment() {
    explore(|| {
        const LIMIT: usize = 256;
        let pool = Pool::new();
        drop(pool.alloc(200));
        pool.set_limit(LIMIT);
        let inner = pool.clone();
        on_threads(3, move |tag| {
            for len in [100, 130] {
                let buffer = inner.alloc(len);
                assert!(inner.stats().live <= LIMIT);
                buffer.into_iter().for_each(|buffer| own(buffer, tag));
            }
            let charge = inner.charge(120);
            assert!(inner.stats().live <= LIMIT);
            drop(charge);
        });
        let stats = pool.device_stats().buffers;
        assert!(pool.stats().live == 0 && pool.stats().peak <= LIMIT);
        assert_eq!((stats.live, stats.elsewhere, pool.stats().elsewhere), (0, 0, 0));
    });
}

#[test]
fn counters_agree_with_what_is_alive_and_kept() {
    explore(|| {
        let pool = Pool::new();
        let inner = pool.clone();
        on_threads(3, move |tag| match tag {
            1 => drop(inner.empty_cache()),
            2 => inner.reset_device_peaks(),
            _ => own(inner.alloc(64).unwrap(), tag),
        });
        let stats = pool.device_stats();
        assert!(stats.buffers.live == 0 && (stats.cached == 0 || stats.cached == PAGE));
        pool.empty_cache();
        let stats = pool.device_stats();
        assert!(stats.reserved == 0 && stats.given_back.asked == PAGE as u64, "{stats:?}");
    });
}

#[test]
fn runs_are_given_back_while_others_are_taken() {
    explore(|| {
        let settings = PoolSettings { max_unused: 5 * PAGE, ..PoolSettings::default() };
        let pool = Pool::with(HostMemory::provider(), settings);
        let inner = pool.clone();
        on_threads(3, move |tag| {
            for pages in [5, 6] {
                let mut buffer = inner.alloc(pages * PAGE).unwrap();
                buffer.bytes_mut()[..10].fill(tag);
                thread::yield_now();
                assert!(buffer.bytes()[..10].iter().all(|&b| b == tag));
            }
        });
        let stats = pool.device_stats();
        assert!(stats.buffers.live == 0 && stats.cached <= 5 * PAGE, "{stats:?}");
        pool.empty_cache();
        assert_eq!(pool.device_stats().reserved, 0);
    });
}

#[test]
fn pages_on_their_way_to_the_system_are_nobody_s() {
    explore(|| {
        let pool = Pool::new();
        drop((pool.alloc(8 * PAGE), pool.alloc(40_000)));
        let inner = pool.clone();
        on_threads(3, move |tag| match tag {
            1 => drop(inner.empty_cache()),
            2 => drop(inner.give_back_at_most(3 * PAGE)),
            _ => {
                for len in [3 * PAGE, 8 * PAGE, 40_000] {
                    let mut buffer = inner.alloc(len).unwrap();
                    let (first, last) = (0, buffer.len() - 1);
                    buffer.bytes_mut()[first] = tag;
                    buffer.bytes_mut()[last] = tag;
                    thread::yield_now();
                    assert_eq!((buffer.bytes()[first], buffer.bytes()[last]), (tag, tag));
                }
            }
        });
        let stats = pool.device_stats();
        assert!(stats.buffers.live == 0 && stats.reserved == stats.cached, "{stats:?}");
        pool.empty_cache();
        let stats = pool.device_stats();
        assert_eq!((stats.reserved, stats.fragmentation), (0, 0.0), "{stats:?}");
    });
}

#[test]
fn a_named_pool_leaves_nothing() {
    explore(|| {
        let pool = Pool::new();
        let inner = pool.clone();
        on_threads(2, move |tag| own(inner.child("model").alloc(100).unwrap(), tag));
        pool.empty_cache();
        let stats = pool.device_stats();
        assert!(stats.reserved == 0 && stats.pools.is_empty(), "{stats:?}");
    });
}

#[test]
fn parts_of_an_arena_never_overlap() {
    explore(|| {
        let arena = Arena::new(&Pool::new(), 256).unwrap();
        on_threads(3, move |tag| {
            for (offset, len) in [(0, 128), (64, 128), (128, 64)] {
                arena.alloc(offset, len).into_iter().for_each(|part| own(part, tag));
            }
        });
    });
}

#[test]
fn an_arena_goes_back_once_with_its_last_part() {
    explore(|| {
        let pool = Pool::new();
        let arena = Arena::new(&pool, 256).unwrap();
        on_threads(2, move |tag| {
            let part = arena.clone().alloc(usize::from(tag - 1) * 128, 128).unwrap();
            own(part, tag);
        });
        let stats = pool.stats();
        assert_eq!((stats.live, stats.peak, stats.hits + stats.misses), (0, 256, 1));
    });
}
