//! State that the launches of kernels share: a queue, buffers of other libraries, memory that kernels reach by address, and the GPU's
//! time.
// Buffers of other libraries and host memory are taken on the caller's word.
#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::ops::Range;
use std::ptr::{self, NonNull};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

use trident_runtime::{
    HeldBuffer, LaunchMark, OwnBuffer, ReachedMemory, SharedGpu, SharedGpuError,
};

use crate::metal::{GpuTimes, Metal, MetalBuffer, MetalError, Queue, Resident};

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The GPU that kernels are launched on, as the process that launches them sees it.
#[derive(Debug)]
pub struct GpuHost {
    metal: Arc<dyn Metal>,
    /// Buffers of other libraries that are arguments at present, by their place.
    held: Mutex<BTreeMap<usize, Weak<Held>>>,
    /// Memory that addresses were taken of, by where it begins for kernels.
    reached: Mutex<BTreeMap<u64, Weak<Reached>>>,
    clock: Mutex<Clock>,
}

/// A buffer of another library: launches use it for arguments that lie in it as long as this lives.
#[derive(Debug)]
pub struct Held {
    buffer: Arc<dyn MetalBuffer>,
}

impl Held {
    /// The number that stands for the address of its first byte in launches.
    pub fn place(&self) -> usize {
        self.buffer.place()
    }

    /// Length in bytes.
    pub fn bytes(&self) -> usize {
        self.buffer.bytes()
    }
}

/// Memory that kernels may reach by addresses that they read or compute, as long as this value lives.
#[derive(Debug)]
pub struct Reached {
    buffer: Arc<dyn MetalBuffer>,
    bytes: Range<usize>,
}

impl Reached {
    /// The address of its first byte in kernels.
    pub fn address(&self) -> u64 {
        self.buffer.gpu_address() + self.bytes.start as u64
    }
}

/// The time of the last launches.
#[derive(Debug, Default)]
struct Clock {
    launches: u64,
    end: Duration,
    /// Takes the begin of the next launch.
    next: Arc<OnceLock<Duration>>,
}

impl GpuHost {
    /// A GPU that nothing was launched on.
    pub fn new(metal: Arc<dyn Metal>) -> GpuHost {
        let (held, reached, clock) = (Mutex::default(), Mutex::default(), Mutex::default());
        GpuHost { metal, held, reached, clock }
    }

    /// A buffer that another library has made, by its handle: see [`Metal::adopt`].
    ///
    /// # Errors
    /// [`MetalError::Handle`] if the handle does not belong to a buffer of the GPU.
    ///
    /// # Safety
    /// As for [`Metal::adopt`].
    pub unsafe fn hold(&self, handle: u64) -> Result<Arc<Held>, MetalError> {
        // SAFETY: the caller promises that the object of the handle lives until `adopt` returns.
        let buffer = unsafe { self.metal.adopt(handle) }?;
        let mut held = lock(&self.held);
        held.retain(|_, held| held.strong_count() > 0);
        let place = buffer.place();
        if let Some(known) = held.get(&place).and_then(Weak::upgrade)
            && known.bytes() == buffer.bytes()
        {
            return Ok(known);
        }
        let new = Arc::new(Held { buffer });
        held.insert(place, Arc::downgrade(&new));
        Ok(new)
    }

    /// A buffer that this process can give away by its handle.
    ///
    /// # Errors
    /// The errors of [`Metal::buffer`].
    pub fn buffer(&self, bytes: usize) -> Result<Arc<dyn MetalBuffer>, MetalError> {
        self.metal.buffer(bytes)
    }

    /// Makes memory reachable by its address for kernels: memory of held buffers, or of the host.
    ///
    /// # Errors
    /// The errors of [`Metal::wrap`].
    ///
    /// # Safety
    /// The memory may be read and written until what this returns is dropped.
    pub unsafe fn reach(&self, memory: Range<usize>) -> Result<Arc<Reached>, MetalError> {
        let mut reached = lock(&self.reached);
        reached.retain(|_, reached| reached.strong_count() > 0);
        // Memory has one address, also if several arrays share it.
        let known = reached.values().filter_map(Weak::upgrade).find(|known| {
            let place = known.buffer.place();
            place + known.bytes.start == memory.start && place + known.bytes.end == memory.end
        });
        if let Some(known) = known {
            return Ok(known);
        }
        let (buffer, start) = match self.holder(&memory) {
            Some(buffer) => {
                let start = memory.start - buffer.place();
                (buffer, start)
            }
            // SAFETY: the caller lets the memory be read and written until the buffer, which the result holds, is dropped.
            None => unsafe { wrap(&*self.metal, &memory) }?,
        };
        let new = Arc::new(Reached { buffer, bytes: start..start + memory.len() });
        reached.insert(new.address(), Arc::downgrade(&new));
        Ok(new)
    }

    /// The memory that kernels may reach by address at present.
    pub(super) fn reached(&self) -> Vec<Resident> {
        let reached = lock(&self.reached);
        let reached = reached.values().filter_map(Weak::upgrade).filter(|r| !r.bytes.is_empty());
        reached
            .map(|reached| Resident {
                buffer: Arc::clone(&reached.buffer),
                bytes: reached.bytes.clone(),
            })
            .collect()
    }

    /// The buffer of another library that memory lies in.
    pub(super) fn holder(&self, memory: &Range<usize>) -> Option<Arc<dyn MetalBuffer>> {
        let held = lock(&self.held);
        let (place, held) = held.range(..=memory.start).next_back()?;
        let held = held.upgrade()?;
        (memory.end <= place + held.bytes()).then(|| Arc::clone(&held.buffer))
    }

    /// A point between the launches that have ended and the later ones.
    pub fn mark(&self) -> LaunchMark {
        let clock = lock(&self.clock);
        LaunchMark::new(clock.launches, clock.end, Arc::clone(&clock.next))
    }

    /// Notes when a launch ran.
    pub(super) fn ran(&self, times: GpuTimes) {
        let mut clock = lock(&self.clock);
        clock.launches += 1;
        clock.end = clock.end.max(times.end);
        // Nobody has set it: it is replaced whenever it is set.
        let _ = std::mem::take(&mut clock.next).set(times.start);
    }
}

impl SharedGpu for GpuHost {
    unsafe fn hold(&self, handle: u64) -> Result<Arc<dyn HeldBuffer>, SharedGpuError> {
        // SAFETY: the caller promises what `GpuHost::hold` asks for.
        let held = unsafe { GpuHost::hold(self, handle) }.map_err(told)?;
        Ok(held)
    }

    fn make(&self, bytes: usize) -> Result<Arc<dyn OwnBuffer>, SharedGpuError> {
        Ok(Arc::new(Made(self.buffer(bytes).map_err(told)?)))
    }

    unsafe fn reach(&self, memory: Range<usize>) -> Result<Arc<dyn ReachedMemory>, SharedGpuError> {
        // SAFETY: the caller promises what `GpuHost::reach` asks for.
        let reached = unsafe { GpuHost::reach(self, memory) }.map_err(told)?;
        Ok(reached)
    }

    fn mark(&self) -> LaunchMark {
        GpuHost::mark(self)
    }
}

fn told(error: MetalError) -> SharedGpuError {
    SharedGpuError(error.to_string())
}

impl HeldBuffer for Held {
    fn place(&self) -> usize {
        Held::place(self)
    }

    fn bytes(&self) -> usize {
        Held::bytes(self)
    }
}

impl ReachedMemory for Reached {
    fn address(&self) -> u64 {
        Reached::address(self)
    }
}

/// A buffer that was made for this process.
#[derive(Debug)]
struct Made(Arc<dyn MetalBuffer>);

impl OwnBuffer for Made {
    fn handle(&self) -> u64 {
        self.0.handle()
    }

    fn contents(&self) -> NonNull<u8> {
        self.0.contents()
    }
}

/// The pages around memory of the host as a buffer, and where the memory starts in it.
///
/// # Safety
/// As for [`Metal::wrap`], of the memory; the rest of its pages is not accessed.
pub(super) unsafe fn wrap(
    metal: &dyn Metal,
    memory: &Range<usize>,
) -> Result<(Arc<dyn MetalBuffer>, usize), MetalError> {
    let page = metal.limits().page_bytes;
    let start = memory.start / page * page;
    let bytes = memory.end.next_multiple_of(page) - start;
    let first = NonNull::new(ptr::with_exposed_provenance_mut::<u8>(start));
    let first = first.ok_or_else(|| MetalError::Memory {
        what: "an argument".to_owned(),
        reason: "its address is null".to_owned(),
    })?;
    // SAFETY: the caller promises that the memory is valid until the buffer is dropped; nothing accesses the rest of its pages.
    let buffer = unsafe { metal.wrap(first, bytes, Box::new(())) }?;
    Ok((buffer, memory.start - start))
}

/// A queue that is opened at the first launch and kept. A forked child opens its own.
#[derive(Debug, Default)]
pub(super) struct KeptQueue(Mutex<Option<(u32, Arc<dyn Queue>)>>);

impl KeptQueue {
    pub(super) fn get(&self, metal: &dyn Metal) -> Result<Arc<dyn Queue>, MetalError> {
        // A lock that a thread held when the process was forked is never released in the child.
        let Ok(mut kept) = self.0.try_lock() else { return metal.queue() };
        let process = std::process::id();
        if let Some((owner, queue)) = &*kept
            && *owner == process
        {
            return Ok(Arc::clone(queue));
        }
        let queue = metal.queue()?;
        // The parent's queue has no thread here that could end it.
        std::mem::forget(kept.replace((process, Arc::clone(&queue))));
        Ok(queue)
    }
}
