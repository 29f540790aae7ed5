//! A device's memory, which its pools share: small blocks from slabs, larger ones from regions.

use super::buddy::PAGES;
use super::large::{Detached, Large, REGION, Run, Unused, elapsed};
use super::pages::{MemoryProvider, PAGE, Pages};
use super::pool::{Counters, PoolStats};
use super::region::Region;
use super::settings::PoolSettings;
use super::slab::{CLASSES, Class, Left, SMALL, class_of, size_of};
use super::timer::Timer;
use crate::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use crate::sync::{Mutex, MutexGuard};
use std::ptr::NonNull;
use std::sync::{Arc, PoisonError, Weak};
use std::time::{Duration, Instant};

/// Memory that has one owner at a time.
#[derive(Debug)]
pub(super) struct Block {
    ptr: NonNull<u8>,
    len: usize,
    home: Home,
}

#[derive(Debug)]
enum Home {
    /// A block of a slab of the class of its length. The region is that of the slab, which holds it for its blocks.
    Slab(NonNull<Region>, u32),
    Run(Run),
    Own(Arc<Region>),
}

// SAFETY: a block owns its part of its region, which is not bound to a thread and can be shared.
unsafe impl Send for Block {}
// SAFETY: nothing is accessed through a shared block; buffers and arenas control who may read and write which part of
// it.
unsafe impl Sync for Block {}

impl Block {
    pub(super) fn ptr(&self) -> NonNull<u8> {
        self.ptr
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The pages that the block lies in.
    pub(super) fn pages(&self) -> &Pages {
        match &self.home {
            // SAFETY: the slab holds the region as long as one of its blocks is in use.
            Home::Slab(region, _) => unsafe { region.as_ref() }.pages(),
            Home::Own(region) => region.pages(),
            Home::Run(run) => run.region.pages(),
        }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: `len` initialised bytes lie there for as long as the block or its slab holds the region, and no other block has
        // them: a slab hands out each place once, and a region each page.
        unsafe { std::slice::from_raw_parts_mut(self.ptr.as_ptr(), self.len) }
    }
}

/// What may be reserved beyond an eighth more than buffers have taken at the peak, in bytes: the parts of pages at the ends of slabs.
const LEEWAY: usize = 2 * PAGE;

/// What may be reserved in any case, in bytes: a page for each of many sizes.
const LITTLE: usize = 512 << 10;

/// How many slabs are made before empty ones are looked for.
const MERGE: usize = 8;

/// A request that is so many times as large as what is cached is not had by giving that back.
const HOPELESS: usize = 8;

/// Why memory was given back.
#[derive(Clone, Copy)]
pub(super) enum Reason {
    Age,
    Size,
    Unload,
    Asked,
}

/// Bytes of a device's memory that were given back to the system, by the reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GivenBack {
    /// They were unused for too long: [`PoolSettings::max_age`].
    pub age: u64,
    /// More was unused than is kept ([`PoolSettings::max_unused`]), or did not fit and was more than an eighth of the peak.
    pub size: u64,
    /// A pool with a name, which had used as much, has ended.
    pub unload: u64,
    /// [`Pool::empty_cache`](super::Pool::empty_cache), [`Pool::give_back_at_most`](super::Pool::give_back_at_most), or memory was short.
    pub asked: u64,
}

/// See [`MemoryStats`](super::MemoryStats).
#[derive(Debug)]
pub(super) struct Heap {
    provider: Arc<dyn MemoryProvider>,
    settings: PoolSettings,
    classes: Vec<Mutex<Class>>,
    /// Locked after a class, never before one.
    large: Mutex<Large>,
    pub(super) counters: Counters,
    /// Bytes of touched pages.
    reserved: AtomicUsize,
    peak_reserved: AtomicUsize,
    /// How many slabs were made since empty ones were returned to their regions.
    slabs: AtomicUsize,
    given_back: [AtomicU64; 4],
    pub(super) pools: Mutex<Vec<Weak<super::pool::Shared>>>,
    start: Instant,
    pub(super) timer: Timer,
}

/// The length of a block for `len` bytes, which are not 0; `None` if that is more than memory has.
pub(super) fn block_len(len: usize) -> Option<usize> {
    if len <= SMALL {
        return Some(size_of(class_of(len)));
    }
    // Requests of similar size share regions of their own: this wastes at most an eighth.
    let unit = if len <= REGION { PAGE } else { len.checked_next_power_of_two()? / 16 };
    len.checked_next_multiple_of(unit)
}

impl Heap {
    pub(super) fn new(provider: Arc<dyn MemoryProvider>, settings: PoolSettings) -> Heap {
        Heap {
            provider,
            settings,
            classes: (0..CLASSES).map(|class| Mutex::new(Class::new(class))).collect(),
            large: Mutex::default(),
            counters: Counters::default(),
            reserved: AtomicUsize::new(0),
            peak_reserved: AtomicUsize::new(0),
            slabs: AtomicUsize::new(0),
            given_back: [const { AtomicU64::new(0) }; 4],
            pools: Mutex::default(),
            start: Instant::now(),
            timer: Timer::default(),
        }
    }

    fn class(&self, class: usize) -> MutexGuard<'_, Class> {
        // What it holds is consistent between any two statements, so a panic elsewhere does not invalidate it.
        self.classes[class].lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn large(&self) -> MutexGuard<'_, Large> {
        self.large.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Milliseconds, which wrap.
    fn now(&self) -> u32 {
        self.start.elapsed().as_millis() as u32
    }

    /// Bytes that take memory.
    pub(super) fn reserved(&self) -> usize {
        self.reserved.load(Relaxed)
    }

    pub(super) fn peak_reserved(&self) -> usize {
        self.peak_reserved.load(Relaxed)
    }

    pub(super) fn reset_peak_reserved(&self) {
        self.peak_reserved.store(self.reserved(), Relaxed);
    }

    /// Bytes that take memory and belong to no buffer.
    pub(super) fn cached(&self) -> usize {
        self.reserved().saturating_sub(self.counters.blocks())
    }

    pub(super) fn given_back(&self) -> GivenBack {
        let [age, size, unload, asked] = &self.given_back;
        let of = |bytes: &AtomicU64| bytes.load(Relaxed);
        GivenBack { age: of(age), size: of(size), unload: of(unload), asked: of(asked) }
    }

    /// Counters of all buffers.
    pub(super) fn stats(&self) -> PoolStats {
        let classes = (0..CLASSES).map(|class| self.class(class).taken).sum::<u64>();
        self.counters.stats(classes + self.large().taken)
    }

    /// Bytes of regions that blocks share that are free and take memory, and of them the most that lie together.
    pub(super) fn free(&self) -> (usize, usize) {
        self.large().free()
    }

    /// A block of [`block_len`] bytes, and whether no memory of the system was needed.
    pub(super) fn take(&self, size: usize) -> Option<(Block, bool)> {
        let taken = self.try_take(size).or_else(|| {
            if size / HOPELESS > self.cached() {
                return None;
            }
            self.give_back(Reason::Asked, 0, usize::MAX);
            self.try_take(size)
        });
        let (block, touched) = taken?;
        if touched > 0 {
            // What is free does not fit: no more of it is kept than pays off.
            let (reserved, most) = (self.reserved() + touched, self.enough(size));
            // A little more than needed at a time, as others follow.
            if reserved > most + most / 32 {
                self.give_back(Reason::Size, 0, reserved - most);
            }
            let reserved = self.reserved.fetch_add(touched, Relaxed) + touched;
            self.peak_reserved.fetch_max(reserved, Relaxed);
        }
        Some((block, touched == 0))
    }

    /// A block, and the bytes that are touched with it for the first time.
    fn try_take(&self, size: usize) -> Option<(Block, usize)> {
        if size <= SMALL {
            return self.take_small(class_of(size));
        }
        if size <= REGION {
            self.merge_slabs(size);
            let run = self.take_run(size / PAGE, 1)?;
            let touched = run.region.touch(run.pages.clone()) * PAGE;
            let ptr = run.region.ptr(run.pages.start * PAGE);
            return Some((Block { ptr, len: size, home: Home::Run(run) }, touched));
        }
        let free = self.large().take_own(size);
        let touched = if free.is_some() { 0 } else { size };
        let region = match free {
            Some(region) => region,
            None => Arc::new(Region::of(&*self.provider, size)?),
        };
        self.large().taken += 1;
        Some((Block { ptr: region.ptr(0), len: size, home: Home::Own(region) }, touched))
    }

    /// The most that may be reserved when so many bytes more are in use: what buffers have taken at the peak and an eighth, as more
    /// would be kept than pays off.
    fn enough(&self, more: usize) -> usize {
        let peak = self.counters.high_blocks().max(self.counters.blocks() + more);
        (peak + peak / 8 + LEEWAY).max(LITTLE)
    }

    /// Returns empty slabs to their regions, where memory that is behind them serves others, if `more` bytes would be too much and some
    /// slabs have come since this was last done.
    fn merge_slabs(&self, more: usize) {
        if self.slabs.load(Relaxed) < MERGE || self.reserved() + more <= self.enough(more) {
            return;
        }
        self.slabs.store(0, Relaxed);
        let now = self.now();
        for class in &self.classes {
            let mut class = class.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((run, since)) = class.unused(now, 0) {
                self.large().give(&run, Some(since));
            }
        }
    }

    /// `n` pages of a shared region, at most [`PAGES`], for so many blocks; of another region if none has them.
    fn take_run(&self, n: usize, blocks: u64) -> Option<Run> {
        let run = self.large().take(n, blocks);
        if run.is_some() {
            return run;
        }
        // Without the lock, as the system is slow. It may refuse a large region and have a smaller one.
        let least = n.next_power_of_two();
        let sizes = std::iter::successors(Some(PAGES), |size| Some(size / 2));
        let mut regions = sizes.take_while(|size| *size >= least);
        let region = Arc::new(regions.find_map(|n| Region::of(&*self.provider, n * PAGE))?);
        let mut large = self.large();
        large.add(region);
        large.take(n, blocks)
    }

    fn take_small(&self, class: usize) -> Option<(Block, usize)> {
        let mut slabs = self.class(class);
        let mut taken = slabs.take();
        if taken.is_none() {
            let pages = slabs.pages();
            drop(slabs);
            self.slabs.fetch_add(1, Relaxed);
            self.merge_slabs(size_of(class).next_multiple_of(PAGE));
            let run = self.take_run(pages, 0)?;
            slabs = self.class(class);
            taken = slabs.take();
            if taken.is_none() {
                slabs.add(run);
                taken = slabs.take();
            } else {
                // Another thread has added a slab meanwhile.
                self.large().give(&run, None);
            }
        }
        let small = taken?;
        let region = NonNull::from(&*slabs.run(small.slab)?.region);
        drop(slabs);
        let home = Home::Slab(region, small.slab);
        Some((Block { ptr: small.ptr, len: size_of(class), home }, small.touched * PAGE))
    }

    /// Takes a block back, which is no longer counted as live.
    pub(super) fn give(&self, mut block: Block) {
        self.provider.recycle(block.bytes_mut());
        let Block { ptr, len, home } = block;
        match home {
            Home::Slab(_, slab) => match self.class(class_of(len)).give(slab, ptr, || self.now()) {
                Left::Used => return,
                Left::Empty => {}
                Left::Unneeded(run) => self.give_run(&run),
            },
            Home::Run(run) => self.give_run(&run),
            Home::Own(region) => self.large().give_own(region, self.now()),
        }
        let (cached, max) = (self.cached(), self.settings.max_unused);
        if cached > max {
            // A little more than needed, as the next block comes soon.
            self.give_back(Reason::Size, 0, cached - max + max / 8);
        }
    }

    /// Takes pages back that are free from now on.
    fn give_run(&self, run: &Run) {
        // The clock is read before the lock is taken.
        let now = self.now();
        self.large().give(run, Some(now));
    }

    /// Gives free memory back to the system: what is unused for `age` milliseconds, until `most` bytes are given back, and not more
    /// than those if that is asked for. Slabs go last, as small buffers come often.
    pub(super) fn give_back(&self, reason: Reason, age: u32, most: usize) -> usize {
        let exact = matches!(reason, Reason::Asked);
        let unused = Unused { now: self.now(), age, most, exact };
        let mut given = self.give_back_pages(unused);
        let mut slabs = 0;
        for class in 0..CLASSES {
            if given + slabs >= most {
                break;
            }
            let mut class = self.class(class);
            if let Some((run, since)) = class.unused(unused.now, age) {
                slabs += run.touched() * PAGE;
                self.large().give(&run, Some(since));
            }
        }
        if slabs > 0 {
            given += self.give_back_pages(Unused { most: most - given, ..unused });
        }
        self.given_back[reason as usize].fetch_add(given as u64, Relaxed);
        given
    }

    /// Gives back what belongs to no slab.
    fn give_back_pages(&self, unused: Unused) -> usize {
        let mut large = self.large();
        let Detached { mut bytes, regions, runs } = large.detach(unused);
        // Before the lock ends, so that other threads do not give back more than is needed.
        self.reserved.fetch_sub(bytes, Relaxed);
        drop(large);
        for run in runs {
            // SAFETY: the run is ours until it is given back below.
            let given = unsafe { run.region.discard(run.pages.clone()) };
            let kept = (run.pages.len() - given) * PAGE;
            self.reserved.fetch_add(kept, Relaxed);
            bytes -= kept;
            self.large().give(&run, None);
        }
        drop(regions);
        bytes
    }

    /// Gives back what is too old, and tells when there will be more to give back; `None` if nothing is cached.
    pub(super) fn sweep(&self) -> Option<Duration> {
        let age = self.age();
        self.give_back(Reason::Age, age, usize::MAX);
        let now = self.now();
        let slabs = (0..CLASSES).filter_map(|class| self.class(class).empty_since());
        let slabs = slabs.map(|since| elapsed(now, since)).max();
        let unused_for = slabs.max(self.large().unused_for(now))?;
        // Blocks that are given back one after another are swept together.
        let least = (age / 8).clamp(1, 1000);
        Some(Duration::from_millis(age.saturating_sub(unused_for).max(least).into()))
    }

    /// The longest that memory is kept unused, in milliseconds.
    pub(super) fn age(&self) -> u32 {
        u32::try_from(self.settings.max_age.as_millis()).unwrap_or(u32::MAX / 2).min(u32::MAX / 2)
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        self.timer.end();
    }
}
