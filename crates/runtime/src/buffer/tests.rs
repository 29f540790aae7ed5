#![allow(clippy::unwrap_used)] // a failed unwrap fails the test

use super::heap::{Heap, LITTLE, Reason, block_len};
use super::testing::{Random, below, parts_go_back};
use super::*;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// A pool that keeps what is unused, and shares it with no other test.
fn alone() -> Pool {
    Pool::with(HostMemory::provider(), PoolSettings::default())
}

fn with(max_unused: usize, max_age: Duration) -> Pool {
    Pool::with(HostMemory::provider(), PoolSettings { max_unused, max_age })
}

const MIB: usize = 1 << 20;

/// Waits until something holds that another thread sees to.
fn wait(what: &str, holds: impl Fn() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(60), "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn memory_is_aligned_and_reused() {
    let pool = alone();
    for len in [10, 1000, 5000, 65_536, 100_000, 3 * MIB, 70 * MIB] {
        let a = pool.alloc(len).unwrap();
        let at = a.bytes().as_ptr();
        assert_eq!(at.addr() % if len > 64 << 10 { PAGE } else { LINE }, 0);
        drop(a);
        let before = pool.stats();
        assert_eq!(pool.alloc(len - len / 100).unwrap().bytes().as_ptr(), at, "{len}");
        assert_eq!((pool.stats().live, pool.stats().hits), (0, before.hits + 1));
        assert!(pool.stats().peak >= len && pool.stats().misses == before.misses);
    }
}

#[test]
fn the_limit_and_absurd_sizes_are_refused() {
    let pool = alone();
    assert!(pool.alloc(usize::MAX).is_none());
    assert!(pool.alloc(isize::MAX as usize).is_none());
    assert_eq!(pool.stats(), PoolStats::default());
    pool.set_limit(MIB);
    assert!(pool.alloc(2 * MIB).is_none());
    let half = pool.alloc(MIB / 2).unwrap();
    assert!(pool.charge(MIB / 2).is_some() && pool.charge(MIB / 2 + 1).is_none());
    assert!(pool.alloc(MIB / 2 + 1).is_none());
    assert!(pool.child("other").alloc(2 * MIB).is_some(), "limits are a pool's own");
    drop(half);
    pool.set_limit(0);
    assert_eq!(pool.alloc(2 * MIB).unwrap().len(), 2 * MIB);
}

#[test]
fn what_is_allocated_elsewhere_counts_as_live() {
    let pool = alone();
    let model = pool.child("model");
    model.set_limit(MIB);
    let mut charge = model.charge(MIB / 2).unwrap();
    let buffer = model.alloc(PAGE * 8).unwrap();
    let live = MIB / 2 + PAGE * 8;
    let (own, all) = (model.stats(), pool.device_stats());
    assert_eq!((own.live, own.elsewhere, own.peak), (live, MIB / 2, live));
    assert_eq!((all.buffers.live, all.buffers.elsewhere), (live, MIB / 2));
    assert_eq!((all.reserved, all.cached), (PAGE * 8, 0), "the device has no memory of it");
    assert!(!charge.grow(MIB / 2) && charge.bytes() == MIB / 2 && model.stats() == own);
    assert!(charge.resize(MIB - PAGE * 8) && !charge.resize(MIB) && model.alloc(1).is_none());
    assert!(charge.resize(10) && model.alloc(MIB / 2).is_some());
    drop((charge, buffer));
    assert_eq!((model.stats().live, model.stats().elsewhere), (0, 0));
    drop(model);
    let all = pool.device_stats();
    assert_eq!((all.reserved, all.buffers.live, all.buffers.elsewhere), (0, 0, 0));
}

#[test]
fn fresh_memory_is_zero() {
    let pool = alone();
    for len in [1, 100, 20_000, 3 * MIB, 100 * MIB] {
        let mut buffer = pool.alloc(len).unwrap();
        assert!(buffer.bytes().iter().all(|&b| b == 0), "{len}");
        buffer.bytes_mut().fill(1);
        drop(buffer);
        pool.empty_cache();
        assert_eq!(pool.device_stats().reserved, 0);
    }
}

#[test]
fn parts_of_an_arena_never_overlap() {
    let pool = alone();
    let arena = Arena::new(&pool, 1000).unwrap();
    let mut a = arena.alloc(0, 100).unwrap();
    let mut b = arena.alloc(128, 64).unwrap();
    a.bytes_mut().fill(1);
    b.bytes_mut().fill(2);
    assert!(a.bytes().iter().all(|&v| v == 1) && b.bytes().iter().all(|&v| v == 2));
    for (offset, len) in [(0, 1), (64, 65), (128, 1), (64, 200), (100, 4), (960, 100)] {
        assert!(arena.alloc(offset, len).is_none(), "{offset}, {len}");
    }
    assert!(arena.alloc(usize::MAX - 63, 64).is_none());
    assert_eq!(arena.alloc(128, 0).unwrap().bytes(), []);
    drop(a);
    assert!(arena.alloc(64, 64).is_some() && arena.alloc(0, 128).is_some());
    drop(arena);
    assert!(pool.stats().live >= 1000, "a part keeps the block alive");
    drop(b);
    assert_eq!(pool.stats().live, 0);
}

#[test]
fn large_blocks_are_whole_pages_and_small_ones_share_them() {
    let pool = alone();
    let large = pool.alloc(70_000).unwrap();
    let (pages, offset) = large.pages().unwrap();
    assert!(pages.len() == 64 * MIB && offset % PAGE == 0);
    assert_eq!(pool.stats().live, 5 * PAGE);
    let small: Vec<Buffer> = (0..600).map(|_| pool.alloc(100).unwrap()).collect();
    for buffer in &small {
        let (pages, offset) = buffer.pages().unwrap();
        assert!(offset + buffer.len() <= pages.len() && offset % LINE == 0);
    }
    assert_eq!(pool.stats().live, 5 * PAGE + 600 * 128);
    // Pages count from the first block on that lies in them.
    assert_eq!(pool.device_stats().reserved, (5 + (600 * 128usize).div_ceil(PAGE)) * PAGE);
    // Beyond a region they have one of their own, of one of eight sizes for each power of two.
    let huge = pool.alloc(100 * MIB).unwrap();
    assert_eq!((huge.len(), huge.pages().unwrap().0.len()), (100 * MIB, 104 * MIB));
}

#[test]
fn what_is_given_back_is_counted_by_its_reason() {
    let pool = with(8 * MIB, Duration::from_secs(3600));
    let given = || pool.device_stats().given_back;
    drop((pool.alloc(5 * MIB), pool.alloc(100)));
    assert_eq!((given(), pool.device_stats().cached), (GivenBack::default(), 5 * MIB + PAGE));
    drop((pool.alloc(5 * MIB), pool.alloc(6 * MIB)));
    assert!(given().size > 0 && pool.device_stats().cached <= 8 * MIB, "{:?}", given());
    drop(pool.alloc(MIB));
    assert!(pool.empty_cache() >= MIB);
    assert!(given().asked > 0 && pool.device_stats().cached == 0);

    let model = pool.child("model");
    let result = model.alloc(3 * MIB).unwrap();
    assert_eq!(pool.device_stats().pools, [("model".to_owned(), model.stats())]);
    drop(model);
    assert_eq!(pool.device_stats().pools.len(), 1, "its buffers are alive");
    drop(result);
    assert_eq!((given().unload, pool.device_stats().pools.len()), (3 * MIB as u64, 0));
    let stats = pool.device_stats();
    assert_eq!((stats.reserved, stats.cached, stats.buffers.live), (0, 0, 0));
}

#[test]
fn a_timer_gives_back_what_is_unused_for_too_long() {
    let pool = with(1 << 30, Duration::from_millis(60));
    let kept = pool.alloc(100_000).unwrap();
    let unused = (pool.alloc(20 * MIB), pool.alloc(88 * MIB), pool.alloc(1000));
    let start = Instant::now();
    drop(unused);
    // What shares a region with the buffer that is kept goes back where parts do.
    let whole = 88 * MIB;
    let given = if parts_go_back() { 20 * MIB + whole + PAGE } else { whole };
    wait("memory to go back", || pool.device_stats().given_back.age >= given as u64);
    assert!(start.elapsed() >= Duration::from_millis(50));
    let stats = pool.device_stats();
    let reserved = kept.len().next_multiple_of(PAGE) + 20 * MIB + whole + PAGE - given;
    assert_eq!((stats.given_back.age, stats.reserved), (given as u64, reserved));
    assert_eq!((stats.buffers.misses, stats.given_back.size), (4, 0));
    // The timer starts again.
    drop(kept);
    wait("the rest to go back", || pool.device_stats().reserved == 0);
}

#[test]
fn a_timer_that_panics_is_started_again() {
    /// Releases memory, which fails the first time.
    #[derive(Debug)]
    struct Faulty(Arc<AtomicUsize>);
    impl MemoryProvider for Faulty {
        fn pages(&self, len: usize) -> Option<Pages> {
            let (pages, released) = (HostMemory.pages(len)?, Arc::clone(&self.0));
            let start = pages.ptr();
            let release = Box::new(move || {
                drop(pages);
                assert!(released.fetch_add(1, Relaxed) > 0, "a fault of the provider");
            });
            // SAFETY: the pages live until `release` is called or dropped.
            Some(unsafe { Pages::from_raw(start, len, release) })
        }
    }
    let released = Arc::new(AtomicUsize::new(0));
    let settings = PoolSettings { max_age: Duration::from_millis(10), ..PoolSettings::default() };
    let pool = Pool::with(Arc::new(Faulty(Arc::clone(&released))), settings);
    wait("memory to be released twice", || {
        drop(pool.alloc(72 * MIB).unwrap());
        std::thread::sleep(Duration::from_millis(50));
        released.load(Relaxed) >= 2
    });
}

#[test]
fn nothing_is_kept_where_that_is_the_limit() {
    let pool = with(0, Duration::from_secs(3600));
    for len in [10, 1000, 40_000, 100_000, 3 * MIB, 72 * MIB] {
        drop((pool.alloc(len).unwrap(), pool.alloc(len).unwrap()));
        assert_eq!(pool.device_stats().reserved, 0, "{len}");
    }
    let kept = pool.alloc(10).unwrap();
    [1000, 40_000, 100_000].into_iter().for_each(|len| drop(pool.alloc(len).unwrap()));
    if parts_go_back() {
        assert_eq!(pool.device_stats().reserved, PAGE);
    }
    drop(kept);
    assert_eq!(pool.device_stats().reserved, 0);
}

#[test]
fn no_more_is_given_back_than_asked_for() {
    let pool = alone();
    drop((pool.alloc(72 * MIB), pool.alloc(10 * MIB)));
    let parts = |bytes| if parts_go_back() { bytes } else { 0 };
    assert_eq!(pool.give_back_at_most(0), 0);
    assert_eq!(pool.give_back_at_most(MIB), parts(MIB));
    assert_eq!(pool.device_stats().cached, 82 * MIB - parts(MIB));
    assert_eq!(pool.give_back_at_most(70 * MIB), 72 * MIB, "as much as 70 MiB take");
    assert_eq!(pool.empty_cache(), 10 * MIB - parts(MIB));
}

#[test]
fn slabs_are_given_back_last() {
    let heap = Heap::new(HostMemory::provider(), PoolSettings::default());
    let take = |len| heap.take(block_len(len).unwrap()).unwrap().0;
    let blocks = [100, 300, 3000, 40_000, 5 * MIB, 72 * MIB].map(take);
    blocks.into_iter().for_each(|block| heap.give(block));
    let (free, reserved) = (heap.free(), heap.reserved());
    assert_eq!(heap.give_back(Reason::Size, 0, 72 * MIB), 72 * MIB);
    assert_eq!(heap.free(), free, "all slabs are left");
    assert_eq!(heap.give_back(Reason::Size, 0, usize::MAX), reserved - 72 * MIB);
    assert_eq!((heap.reserved(), heap.free()), (0, (0, 0)));
}

#[test]
fn what_cannot_be_had_changes_nothing() {
    /// So much of the host's memory, and what of it is taken.
    #[derive(Debug)]
    struct Limited(usize, Arc<AtomicUsize>);
    impl MemoryProvider for Limited {
        fn pages(&self, len: usize) -> Option<Pages> {
            let fits = |taken: usize| taken.checked_add(len).filter(|taken| *taken <= self.0);
            self.1.fetch_update(Relaxed, Relaxed, fits).ok()?;
            let (pages, taken) = (HostMemory.pages(len)?, Arc::clone(&self.1));
            let start = pages.ptr();
            let release = Box::new(move || {
                drop(pages);
                taken.fetch_sub(len, Relaxed);
            });
            // SAFETY: the pages live until `release` is called or dropped.
            Some(unsafe { Pages::from_raw(start, len, release) })
        }
    }
    let pool = Pool::of(Arc::new(Limited(100 * MIB, Arc::default())));
    drop(pool.alloc(72 * MIB).unwrap());
    // Far more than is cached.
    assert!(pool.alloc(640 * MIB).is_none());
    assert_eq!((pool.device_stats().given_back.asked, pool.device_stats().cached), (0, 72 * MIB));
    // This can be had if that is given back.
    let kept = pool.alloc(80 * MIB).unwrap();
    assert_eq!(pool.device_stats().given_back.asked, 72 * MIB as u64);
    // Within the limit, but there is no memory.
    pool.set_limit(1 << 30);
    let before = pool.stats();
    assert!(pool.alloc(96 * MIB).is_none());
    assert_eq!((pool.stats(), kept.len()), (before, 80 * MIB));
}

#[test]
fn smaller_regions_do_where_large_ones_are_refused() {
    /// No more than so many bytes at a time.
    #[derive(Debug)]
    struct Small(usize);
    impl MemoryProvider for Small {
        fn pages(&self, len: usize) -> Option<Pages> {
            HostMemory.pages(len).filter(|_| len <= self.0)
        }
    }
    let pool = Pool::with(Arc::new(Small(3 * MIB)), PoolSettings::default());
    assert!(pool.alloc(4 * MIB).is_none() && pool.alloc(72 * MIB).is_none());
    let mut all: Vec<Buffer> = (0..9).map(|_| pool.alloc(MIB).unwrap()).collect();
    all.extend([100, 5000, 2 * MIB].map(|len| pool.alloc(len).unwrap()));
    assert!(all.iter().all(|buffer| buffer.pages().unwrap().0.len() == 2 * MIB));
    for (tag, buffer) in all.iter_mut().enumerate() {
        buffer.bytes_mut().fill(tag as u8);
    }
    for (tag, buffer) in all.iter().enumerate() {
        assert!(buffer.bytes().iter().all(|&b| b == tag as u8));
    }
    drop(all);
    assert_eq!(pool.empty_cache(), 11 * MIB + 2 * PAGE);
    assert_eq!(pool.device_stats().reserved, 0);
}

#[test]
fn the_device_asks_the_system_without_a_lock() {
    /// Uses the pool while it makes and releases memory, as another thread might.
    #[derive(Debug, Default)]
    struct Nested(std::sync::OnceLock<Pool>, Arc<AtomicUsize>);
    impl MemoryProvider for Nested {
        fn pages(&self, len: usize) -> Option<Pages> {
            let pool = self.0.get().cloned();
            let other = pool.as_ref().filter(|_| len > 64 * MIB).map(|pool| pool.alloc(100));
            let (pages, released) = (HostMemory.pages(len)?, Arc::clone(&self.1));
            let start = pages.ptr();
            let release = Box::new(move || {
                let stats = pool.map(|pool| (pool.device_stats(), pool.alloc(0)));
                released.fetch_add(1, Relaxed);
                drop((pages, other, stats));
            });
            // SAFETY: the pages live until `release` is called or dropped.
            Some(unsafe { Pages::from_raw(start, len, release) })
        }
    }
    let nested = Arc::new(Nested::default());
    let pool = Pool::with(Arc::clone(&nested) as Arc<dyn MemoryProvider>, PoolSettings::default());
    nested.0.set(pool.clone()).unwrap();
    drop((pool.alloc(100), pool.alloc(MIB), pool.alloc(72 * MIB)));
    pool.empty_cache();
    // A region for slabs, one for runs of pages, and one of a single block.
    assert_eq!(nested.1.load(Relaxed), 3);
}

#[test]
fn what_is_kept_does_not_depend_on_peaks_that_are_reset() {
    let most = |resets: bool| {
        let pool = alone();
        drop(pool.alloc(40 * MIB));
        if resets {
            pool.reset_peak();
            pool.reset_device_peaks();
        }
        // Fits no free block, and 40 + 1 MiB are no more than a seventh above the most so far.
        let held = pool.alloc(50 * MIB);
        drop(held);
        (pool.device_stats().reserved, pool.device_stats().given_back)
    };
    assert_eq!(most(true), most(false));
    let unload = |resets: bool| {
        let pool = alone();
        let model = pool.child("model");
        drop(model.alloc(3 * MIB));
        if resets {
            model.reset_peak();
        }
        drop(model);
        pool.device_stats().reserved
    };
    assert_eq!((unload(true), unload(false)), (0, 0));
}

#[test]
fn traffic_that_repeats_takes_nothing_of_the_system() {
    // Runs of models: blocks of these sizes are taken one after another and dropped in the same order.
    let run = |pool: &Pool, sizes: &[usize]| {
        let live: Vec<Buffer> = sizes.iter().map(|size| pool.alloc(*size).unwrap()).collect();
        drop(live);
    };
    let batches = |pool: &Pool| {
        [1, 1, 4, 2, 1, 3, 1, 2].iter().for_each(|n| run(pool, &[n * 602_112, n * 7_225_344]));
    };
    let texts = |pool: &Pool| {
        let lengths = [8, 350, 560, 700, 170, 280];
        lengths.iter().for_each(|n| run(pool, &[n * 8, n * 8, n * 9_400, 16]));
    };
    let growing = |pool: &Pool| {
        let mut state = pool.alloc(8);
        for n in 1..130 {
            run(pool, &[1024, 8, 1]);
            state = pool.alloc(n * 1024);
        }
        drop(state);
    };
    let mixed = |pool: &Pool| {
        let small: Vec<usize> = (1..400).map(|n| n * 37 % 5000 + 1).collect();
        let kept: Vec<Buffer> = small.iter().map(|size| pool.alloc(*size).unwrap()).collect();
        batches(pool);
        drop(kept);
        texts(pool);
    };
    type Traffic<'a> = (&'a str, &'a dyn Fn(&Pool));
    let all: [Traffic; 4] =
        [("batches", &batches), ("texts", &texts), ("growing", &growing), ("mixed", &mixed)];
    for (name, traffic) in all {
        let pool = alone();
        (0..4).for_each(|_| traffic(&pool));
        let before = pool.device_stats();
        (0..8).for_each(|_| traffic(&pool));
        let after = pool.device_stats();
        assert_eq!(after.given_back, before.given_back, "{name}");
        assert_eq!(after.buffers.misses, before.buffers.misses, "{name}");
        let most = (after.buffers.peak * 5 / 4).max(LITTLE + LITTLE / 32);
        assert!(after.peak_reserved <= most, "{name}: {after:?}");
    }
}

#[test]
fn elsewhere_is_no_peak_of_blocks() {
    let pool = alone();
    let (weights, model) = (pool.child("weights"), pool.child("model"));
    drop(model.alloc(20 * MIB));
    let charge = weights.charge(90 * MIB).unwrap();
    drop(weights.alloc(MIB));
    assert_eq!(pool.device_stats().buffers.peak, 91 * MIB);
    // What goes with it is what its blocks have taken, not its weights.
    drop((charge, weights));
    assert_eq!(pool.device_stats().given_back.unload, MIB as u64);
    assert_eq!(pool.device_stats().cached, 19 * MIB);
}

#[test]
fn peaks_are_reset_to_what_there_is() {
    let pool = alone();
    let kept = pool.alloc(MIB).unwrap();
    drop(pool.alloc(9 * MIB));
    let stats = pool.device_stats();
    assert_eq!((stats.buffers.peak, stats.peak_reserved), (10 * MIB, 10 * MIB));
    pool.reset_device_peaks();
    pool.empty_cache();
    pool.reset_device_peaks();
    let stats = pool.device_stats();
    let reserved = if parts_go_back() { MIB } else { 10 * MIB };
    assert_eq!((stats.buffers.peak, stats.peak_reserved), (MIB, reserved));
    assert_eq!(pool.stats().peak, 10 * MIB);
    pool.reset_peak();
    assert_eq!((pool.stats().peak, kept.len()), (MIB, MIB));
}

#[test]
fn fragmentation_is_what_one_buffer_cannot_have() {
    let pool = alone();
    let mut all: Vec<Buffer> = (0..64).map(|_| pool.alloc(MIB).unwrap()).collect();
    assert_eq!(pool.device_stats().fragmentation, 0.0);
    let mut odd = 0;
    all.retain(|_| {
        odd += 1;
        odd % 2 == 0
    });
    assert_eq!(pool.device_stats().fragmentation, 1.0 - 1.0 / 32.0);
    // What the system has put no memory behind is not kept from anybody.
    let pool = alone();
    drop(pool.alloc(MIB).unwrap());
    assert_eq!(pool.device_stats().fragmentation, 0.0);
}

#[test]
fn providers_make_and_see_their_memory() {
    #[derive(Debug)]
    struct Marked;
    impl MemoryProvider for Marked {
        fn pages(&self, len: usize) -> Option<Pages> {
            let pages = HostMemory.pages(len)?;
            // SAFETY: the pages live until `release` is dropped.
            Some(unsafe { Pages::from_raw(pages.ptr(), len, Box::new(move || drop(pages))) })
        }
        fn recycle(&self, bytes: &mut [u8]) {
            bytes.fill(7);
        }
    }
    let pool = Pool::of(Arc::new(Marked));
    for len in [10, 40_000, 100_000, 72 * MIB] {
        drop(pool.alloc(len).unwrap());
        assert!(pool.alloc(len).unwrap().bytes().iter().all(|&b| b == 7), "{len}");
    }
    // Parts of such memory stay, and whole regions go, that of small slabs among them.
    let kept = pool.alloc(100_000).unwrap();
    assert_eq!(pool.empty_cache(), (72 << 20) + PAGE);
    assert!(pool.device_stats().cached > 0);
    drop(kept);
    pool.empty_cache();
    assert_eq!(pool.device_stats().reserved, 0);
}

#[test]
fn memory_of_another_length_is_refused() {
    /// Memory of the length that it makes of the one asked for.
    #[derive(Debug)]
    struct Other(fn(usize) -> Option<usize>);
    impl MemoryProvider for Other {
        fn pages(&self, len: usize) -> Option<Pages> {
            HostMemory.pages(self.0(len)?)
        }
    }
    for other in [|len| Some(len - PAGE), |len| Some(len + PAGE), |_| None] {
        let pool = Pool::of(Arc::new(Other(other)));
        for len in [10, 40_000, 100_000, 72 * MIB] {
            assert!(pool.alloc(len).is_none(), "{len}");
        }
        let stats = pool.device_stats();
        assert_eq!((stats.buffers, stats.reserved), (PoolStats::default(), 0));
    }
}

#[test]
fn random_buffers_never_share_memory() {
    for seed in 0..3 {
        let pool = with([0, 4 * MIB, 1 << 30][seed as usize], Duration::from_millis(3));
        let threads: Vec<_> = (0..4u64)
            .map(|thread| {
                let pool = pool.child("random");
                std::thread::spawn(move || random_buffers(&pool, Random(seed * 4 + thread)))
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(pool.device_stats().buffers.live, 0);
        pool.empty_cache();
        let stats = pool.device_stats();
        assert_eq!((stats.reserved, stats.cached, stats.pools.len()), (0, 0, 0));
        assert_eq!(stats.buffers.hits + stats.buffers.misses, 4 * 4000);
    }
}

/// Each buffer has its own number at both ends and in between, which has to be there when it is dropped.
fn random_buffers(pool: &Pool, mut random: Random) {
    let mut live: Vec<(Buffer, usize, u8)> = vec![];
    let places = |len: usize| [0, len / 3, len / 2, len - 1];
    for number in 0..4000 {
        let most = [200, 5000, 100_000, 2 * MIB][below(&mut random, 4)];
        let len = 1 + below(&mut random, most);
        let mut buffer = pool.alloc(len).unwrap();
        let tag = (number % 251) as u8;
        places(len).into_iter().for_each(|at| buffer.bytes_mut()[at] = tag);
        live.push((buffer, len, tag));
        while live.len() > 40 || !live.is_empty() && below(&mut random, 3) == 0 {
            let (buffer, len, tag) = live.swap_remove(below(&mut random, live.len()));
            assert!(places(len).into_iter().all(|at| buffer.bytes()[at] == tag));
            if below(&mut random, 500) == 0 {
                pool.empty_cache();
            }
        }
    }
}
