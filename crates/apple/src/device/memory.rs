//! The memory of a Metal device, and tensors as parts of its buffers.
// Pages of a buffer are handed out, and host pages become buffers.
#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use trident_runtime::{HostMemory, KernelError, MemoryProvider, PAGE, Pages, Pool, Tensor};

use crate::metal::{Metal, MetalBuffer};

/// Bytes of a buffer that is there to be bound.
const ROOM: usize = 16;

type Buffers = BTreeMap<usize, Arc<dyn MetalBuffer>>;

/// Makes pages that are buffers of the device.
#[derive(Debug)]
pub(super) struct DeviceMemory {
    metal: Arc<dyn Metal>,
    /// The buffers that are handed out as pages, by address.
    buffers: Arc<Mutex<Buffers>>,
}

fn lock(buffers: &Mutex<Buffers>) -> MutexGuard<'_, Buffers> {
    buffers.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Part of a buffer.
pub(super) struct Part {
    pub(super) buffer: Arc<dyn MetalBuffer>,
    pub(super) bytes: Range<usize>,
}

impl DeviceMemory {
    pub(super) fn new(metal: Arc<dyn Metal>) -> DeviceMemory {
        DeviceMemory { metal, buffers: Arc::default() }
    }

    /// Stands for the elements of an empty tensor.
    pub(super) fn nothing(&self) -> Result<Part, KernelError> {
        let buffer = self.metal.buffer(ROOM);
        let buffer = buffer.map_err(|error| KernelError::domain(error.to_string()))?;
        Ok(Part { buffer, bytes: 0..ROOM })
    }

    /// The elements of a tensor, which lie in pages and are not empty.
    pub(super) fn part(&self, tensor: &Tensor) -> Result<Part, KernelError> {
        let (pages, offset) = tensor.pages().ok_or_else(|| {
            KernelError::domain("an input lies in memory that the GPU cannot reach")
        })?;
        let known = lock(&self.buffers).get(&pages.ptr().addr().get()).cloned();
        let end = offset + tensor.size();
        if let Some(buffer) = known {
            return Ok(Part { buffer, bytes: offset..end });
        }
        // Only those of its pages that the tensor lies in: the others are many, and belong to other tensors.
        let first = offset / PAGE * PAGE;
        let len = end.next_multiple_of(PAGE) - first;
        // SAFETY: the tensor lies in its pages, which are a multiple of PAGE long.
        let start = unsafe { pages.ptr().add(first) };
        // SAFETY: the tensor keeps its pages, which are whole and initialised, until the buffer is dropped.
        let buffer = unsafe { self.metal.wrap(start, len, Box::new(tensor.clone())) };
        let buffer = buffer.map_err(|error| KernelError::domain(error.to_string()))?;
        Ok(Part { buffer, bytes: offset - first..end - first })
    }
}

/// The tensor if it lies in pages, which the GPU can access, else a copy in pages.
pub(super) fn reachable(tensor: &Tensor, pool: &Pool) -> Result<Tensor, KernelError> {
    if tensor.is_empty() || tensor.pages().is_some() {
        return Ok(tensor.clone());
    }
    let mut copy = Tensor::alloc(pool, tensor.dtype(), tensor.dims())?;
    copy.bytes_mut()?.copy_from_slice(tensor.bytes()?);
    Ok(copy)
}

impl MemoryProvider for DeviceMemory {
    fn pages(&self, len: usize) -> Option<Pages> {
        let buffer = self.metal.buffer(len).ok()?;
        let start = buffer.contents();
        let address = start.addr().get();
        if !len.is_multiple_of(PAGE) || !address.is_multiple_of(PAGE) {
            // The host's pages become a buffer when a launch binds them.
            return HostMemory.pages(len);
        }
        lock(&self.buffers).insert(address, buffer);
        let buffers = Arc::clone(&self.buffers);
        let release = Box::new(move || drop(lock(&buffers).remove(&address)));
        // SAFETY: the buffer is new and zeroed, has `len` bytes, and lives until it leaves the table, or longer if a batch holds
        // it. Only launches on tensors in these pages access it.
        Some(unsafe { Pages::from_raw(start, len, release) })
    }
}
