//! A device's memory, which its pools share: small blocks from slabs, larger ones from regions.

use super::buddy::PAGES;
use super::clock;
use super::large::{Detached, Large, REGION, Run, Unused, elapsed};
use super::pages::{MemoryProvider, PAGE, Pages};
use super::pool::{Counters, PoolStats};
use super::region::Region;
use super::settings::PoolSettings;
use super::slab::{CLASSES, Class, Left, SMALL, Small, class_of, size_of};
use super::timer::Timer;
use crate::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use crate::sync::{Mutex, MutexGuard};
use std::ptr::NonNull;
use std::sync::{Arc, PoisonError, Weak};
use std::time::Duration;

/// Memory that has one owner at a time.
#[derive(Debug)]
pub(super) struct Block {
    ptr: NonNull<u8>,
    len: usize,
    home: Home,
}

#[derive(Debug)]
enum Home {
    /// A block of a slab, in the class of its length. The region is the slab's, which holds it on behalf of its blocks.
    Slab(NonNull<Region>, u32),
    /// Pages of a region that others share, with the region's slot.
    Run(Arc<Region>, u32),
    Own(Arc<Region>),
}

// SAFETY: a block owns its part of its region, which is not bound to a thread and can be shared.
unsafe impl Send for Block {}
// SAFETY: nothing is accessed through a shared block; buffers and arenas control who may read and write which part of
// it.
unsafe impl Sync for Block {}

impl Block {
    fn small(small: &Small, len: usize) -> Block {
        Block { ptr: small.ptr, len, home: Home::Slab(small.region, small.slab) }
    }

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
            Home::Run(region, _) | Home::Own(region) => region.pages(),
        }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: `len` initialised bytes lie there for as long as the block or its slab holds the region, and no other block has
        // them: a slab hands out each place once, and a region each page.
        unsafe { std::slice::from_raw_parts_mut(self.ptr.as_ptr(), self.len) }
    }
}

/// Reserved memory may exceed the peak of live buffers by 1/`SPARE`. A smaller slack makes repeating workloads release
/// and re-acquire pages.
const SPARE: usize = 7;

/// Bytes that may be reserved beyond that: the parts of pages at the ends of slabs.
const LEEWAY: usize = 2 * PAGE;

/// Bytes that may be reserved in any case: a page for each of many sizes.
pub(super) const LITTLE: usize = 512 << 10;

/// A request this many times as large as the cache cannot be served by releasing the cache.
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
    /// More was unused than is kept ([`PoolSettings::max_unused`]), or did not fit and was more than a seventh of the peak.
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
    /// Regions for blocks that are larger than those of classes. Locked after a class, never before one.
    large: Mutex<Large>,
    /// Regions for slabs, which would lie between large blocks for long. Locked as `large` is.
    small: Mutex<Large>,
    pub(super) counters: Counters,
    /// A bit for each class that may have an empty slab.
    empties: AtomicU64,
    /// Bytes of touched pages.
    reserved: AtomicUsize,
    peak_reserved: AtomicUsize,
    given_back: [AtomicU64; 4],
    pub(super) pools: Mutex<Vec<Weak<super::pool::Shared>>>,
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

/// Locks a part of a heap. Its content is consistent between any two statements, so a panic elsewhere does not invalidate it.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Heap {
    pub(super) fn new(provider: Arc<dyn MemoryProvider>, settings: PoolSettings) -> Heap {
        Heap {
            provider,
            settings,
            classes: (0..CLASSES).map(|class| Mutex::new(Class::new(class))).collect(),
            large: Mutex::default(),
            small: Mutex::default(),
            counters: Counters::default(),
            empties: AtomicU64::new(0),
            reserved: AtomicUsize::new(0),
            peak_reserved: AtomicUsize::new(0),
            given_back: [const { AtomicU64::new(0) }; 4],
            pools: Mutex::default(),
            timer: Timer::default(),
        }
    }

    /// Takes every lock of the heap, in the order in which threads take several.
    #[cfg(not(all(test, feature = "models")))]
    pub(super) fn lock_all(&self) -> Locked<'_> {
        Locked {
            heap: self,
            _pools: locked(&self.pools),
            timer: self.timer.thread(),
            _classes: self.classes.iter().map(locked).collect(),
            _large: self.large(),
            _small: self.small(),
        }
    }

    fn class(&self, class: usize) -> MutexGuard<'_, Class> {
        locked(&self.classes[class])
    }

    fn large(&self) -> MutexGuard<'_, Large> {
        locked(&self.large)
    }

    fn small(&self) -> MutexGuard<'_, Large> {
        locked(&self.small)
    }

    /// Where slabs with blocks of this size lie.
    fn regions(&self, size: usize) -> &Mutex<Large> {
        if size <= PAGE { &self.small } else { &self.large }
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
        let ((large, most), (small, most_small)) = (self.large().free(), self.small().free());
        (large + small, most.max(most_small))
    }

    /// A block of [`block_len`] bytes, and how many of them are touched for the first time.
    #[inline(always)]
    pub(super) fn take(&self, size: usize) -> Option<(Block, usize)> {
        if size <= SMALL {
            let class = class_of(size);
            let small = self.class(class).take();
            if let Some(small) = small {
                if small.touched > 0 {
                    self.touch(small.touched, size);
                }
                return Some((Block::small(&small, size), small.touched));
            }
        }
        self.take_more(size)
    }

    /// The same where no slab has a block.
    #[inline(never)]
    fn take_more(&self, size: usize) -> Option<(Block, usize)> {
        let taken = self.try_take(size).or_else(|| {
            if size / HOPELESS > self.cached() {
                return None;
            }
            self.give_back(Reason::Asked, 0, usize::MAX);
            self.try_take(size)
        });
        let (block, touched) = taken?;
        if touched > 0 {
            self.touch(touched, size);
        }
        Some((block, touched))
    }

    /// Counts bytes that are touched for the first time with a block of this size.
    #[cold]
    fn touch(&self, touched: usize, size: usize) {
        // The free memory does not fit the request, so it is trimmed to the amount worth keeping.
        let (reserved, most) = (self.reserved() + touched, self.enough(size));
        // A little more than needed at a time, as others follow.
        if reserved > most + most / 32 {
            self.give_back(Reason::Size, 0, reserved - most);
        }
        let reserved = self.reserved.fetch_add(touched, Relaxed) + touched;
        self.peak_reserved.fetch_max(reserved, Relaxed);
    }

    /// A block that no slab has room for, and the number of bytes that it touches for the first time.
    fn try_take(&self, size: usize) -> Option<(Block, usize)> {
        if size <= SMALL {
            let small = self.take_of_slab(class_of(size))?;
            return Some((Block::small(&small, size), small.touched));
        }
        if size <= REGION {
            let Run { region, slot, pages } = self.take_run(&self.large, size / PAGE, 1)?;
            let touched = region.touch(pages.clone()) * PAGE;
            let ptr = region.ptr(pages.start * PAGE);
            return Some((Block { ptr, len: size, home: Home::Run(region, slot) }, touched));
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

    /// The most bytes worth reserving when `more` further bytes are in use: the peak of live buffers and a fraction of
    /// it.
    fn enough(&self, more: usize) -> usize {
        let peak = self.counters.high_blocks().max(self.counters.blocks() + more);
        (peak + peak / SPARE + LEEWAY).max(LITTLE)
    }

    /// Returns slabs that have been empty for `age` milliseconds to their regions, until their pages take `most` bytes. How many they
    /// take.
    fn give_back_slabs(&self, now: u32, age: u32, most: usize) -> usize {
        let (mut bytes, mut left) = (0, self.empties.swap(0, Relaxed));
        while let Some(class) = (left != 0 && bytes < most).then(|| left.trailing_zeros() as usize)
        {
            left &= left - 1;
            let mut slabs = self.class(class);
            if let Some((run, since)) = slabs.unused(now, age) {
                bytes += run.touched() * PAGE;
                locked(self.regions(size_of(class))).give(&run, Some(since));
            } else if slabs.empty_since().is_some() {
                self.may_be_empty(class);
            }
        }
        self.empties.fetch_or(left, Relaxed);
        bytes
    }

    /// Allocates `n` pages, at most [`PAGES`], for `blocks` blocks: from one of these regions, or from another if none
    /// has them.
    fn take_run(&self, regions: &Mutex<Large>, n: usize, blocks: u64) -> Option<Run> {
        if self.empties.load(Relaxed) != 0 {
            let room = self.enough(n * PAGE).saturating_sub(self.reserved()) / PAGE;
            let run = locked(regions).take(n, blocks, room);
            if run.is_some() {
                return run;
            }
            // Other sizes can use the memory of empty slabs.
            self.give_back_slabs(clock::now(), 0, usize::MAX);
        }
        let run = locked(regions).take(n, blocks, n);
        if run.is_some() {
            return run;
        }
        // Without the lock, as the system is slow. It may refuse a large region and have a smaller one.
        let least = n.next_power_of_two();
        let sizes = std::iter::successors(Some(PAGES), |size| Some(size / 2));
        let mut sizes = sizes.take_while(|size| *size >= least);
        let region = Arc::new(sizes.find_map(|n| Region::of(&*self.provider, n * PAGE))?);
        let mut regions = locked(regions);
        regions.add(region);
        regions.take(n, blocks, n)
    }

    /// A block of a further slab, or of one that another thread adds meanwhile.
    fn take_of_slab(&self, class: usize) -> Option<Small> {
        let pages = self.class(class).pages();
        let run = self.take_run(self.regions(size_of(class)), pages, 0)?;
        let mut slabs = self.class(class);
        if let Some(small) = slabs.take() {
            // Another thread has added a slab meanwhile.
            drop(slabs);
            locked(self.regions(size_of(class))).give(&run, None);
            return Some(small);
        }
        slabs.add(run);
        slabs.take()
    }

    /// Remembers that a class may have an empty slab.
    fn may_be_empty(&self, class: usize) {
        let bit = 1 << class;
        // Mostly it is known, and reading is cheaper.
        if self.empties.load(Relaxed) & bit == 0 {
            self.empties.fetch_or(bit, Relaxed);
        }
    }

    /// Takes a block back, which is no longer counted as live.
    pub(super) fn give(&self, mut block: Block) {
        self.provider.recycle(block.bytes_mut());
        let Block { ptr, len, home } = block;
        match home {
            Home::Slab(_, slab) => {
                let left = self.class(class_of(len)).give(slab, ptr, clock::now);
                match left {
                    Left::Used => return,
                    Left::Empty => self.may_be_empty(class_of(len)),
                    Left::Unneeded(run) => give_run(self.regions(len), &run),
                }
            }
            Home::Run(region, slot) => {
                let first = region.offset(ptr) / PAGE;
                give_run(&self.large, &Run { region, slot, pages: first..first + len / PAGE });
            }
            Home::Own(region) => self.large().give_own(region, clock::now()),
        }
        let (cached, max) = (self.cached(), self.settings.max_unused);
        if cached > max {
            // A little more than needed, as the next block comes soon.
            self.give_back(Reason::Size, 0, cached - max + max / 8);
        }
    }

    /// Returns free memory to the system: memory unused for `age` milliseconds, until `most` bytes are returned, and no
    /// more than these if the reason demands it. Slabs go last, because small buffers are frequent.
    pub(super) fn give_back(&self, reason: Reason, age: u32, most: usize) -> usize {
        let exact = matches!(reason, Reason::Asked);
        let unused = Unused { now: clock::now(), age, most, exact };
        let mut given = self.give_back_pages(&self.large, unused);
        if given < most {
            self.give_back_slabs(unused.now, age, most - given);
        }
        for regions in [&self.large, &self.small] {
            if given < most {
                given += self.give_back_pages(regions, Unused { most: most - given, ..unused });
            }
        }
        self.given_back[reason as usize].fetch_add(given as u64, Relaxed);
        given
    }

    /// Gives back free pages of some regions, and regions that are free.
    fn give_back_pages(&self, from: &Mutex<Large>, unused: Unused) -> usize {
        let mut held = locked(from);
        let Detached { mut bytes, regions, runs } = held.detach(unused);
        // Before the lock ends, so that other threads do not give back more than is needed.
        self.reserved.fetch_sub(bytes, Relaxed);
        drop(held);
        for run in runs {
            // SAFETY: the run is ours until it is given back below.
            let given = unsafe { run.region.discard(run.pages.clone()) };
            let kept = (run.pages.len() - given) * PAGE;
            self.reserved.fetch_add(kept, Relaxed);
            bytes -= kept;
            locked(from).give(&run, None);
        }
        drop(regions);
        bytes
    }

    /// Returns memory that is too old to the system. The result is the time until more becomes too old; `None` if
    /// nothing is cached.
    pub(super) fn sweep(&self) -> Option<Duration> {
        let age = self.age();
        self.give_back(Reason::Age, age, usize::MAX);
        let now = clock::now();
        let slabs = (0..CLASSES).filter_map(|class| self.class(class).empty_since());
        let slabs = slabs.map(|since| elapsed(now, since)).max();
        let pages = self.large().unused_for(now).max(self.small().unused_for(now));
        let unused_for = slabs.max(pages)?;
        // Blocks that are given back one after another are swept together.
        let least = (age / 8).clamp(1, 1000);
        Some(Duration::from_millis(age.saturating_sub(unused_for).max(least).into()))
    }

    /// The longest that memory is kept unused, in milliseconds.
    pub(super) fn age(&self) -> u32 {
        u32::try_from(self.settings.max_age.as_millis()).unwrap_or(u32::MAX / 2).min(u32::MAX / 2)
    }
}

/// Takes pages back that are free from now on.
fn give_run(regions: &Mutex<Large>, run: &Run) {
    // The clock is read before the lock is taken.
    let now = clock::now();
    locked(regions).give(run, Some(now));
}

/// All locks of a heap, held around a fork.
#[cfg(not(all(test, feature = "models")))]
pub(super) struct Locked<'a> {
    heap: &'a Heap,
    _pools: MutexGuard<'a, Vec<Weak<super::pool::Shared>>>,
    timer: MutexGuard<'a, Option<std::thread::Thread>>,
    _classes: Vec<MutexGuard<'a, Class>>,
    _large: MutexGuard<'a, Large>,
    _small: MutexGuard<'a, Large>,
}

#[cfg(not(all(test, feature = "models")))]
impl Locked<'_> {
    /// Notes in a forked child that the timer's thread does not exist: the next block that is given back starts one.
    pub(super) fn lose_timer(&mut self) {
        *self.timer = None;
        self.heap.timer.lose();
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        self.timer.end();
    }
}
