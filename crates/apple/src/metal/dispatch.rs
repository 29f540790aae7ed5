//! Batches of dispatches, and the limits that they must obey.

use super::{BUFFER_SLOTS, Limits, MAX_INLINE_BYTES, MetalBuffer, MetalError, Pipeline};
use std::ops::Range;
use std::sync::Arc;
use trident_ir::counted;

/// The content of a slot, as a kernel finds it.
#[derive(Clone, Debug)]
pub enum Argument {
    /// Bytes of a buffer.
    Buffer {
        /// The buffer.
        buffer: Arc<dyn MetalBuffer>,
        /// The bytes that the kernel may access; a device that checks kernels reports accesses to other bytes.
        bytes: Range<usize>,
        /// The byte whose address the kernel gets, within `bytes` or just after the last one.
        at: usize,
    },
    /// A copy of at most [`MAX_INLINE_BYTES`] bytes.
    Bytes(Vec<u8>),
}

/// An argument and its slot.
#[derive(Clone, Debug)]
pub struct Binding {
    /// The index of `[[buffer(index)]]`.
    pub slot: u32,
    /// The content of the slot.
    pub argument: Argument,
}

/// Memory that a kernel reaches through addresses in memory.
#[derive(Clone, Debug)]
pub struct Resident {
    /// The buffer.
    pub buffer: Arc<dyn MetalBuffer>,
    /// The bytes that the kernel may access; a device that checks kernels reports accesses to other bytes.
    pub bytes: Range<usize>,
}

/// One launch of a kernel: threadgroups of equal size, except at the ends of a grid of threads.
#[derive(Clone, Debug)]
pub struct Dispatch {
    /// The kernel.
    pub pipeline: Arc<dyn Pipeline>,
    /// Threadgroups in x, y and z.
    pub groups: [u32; 3],
    /// Threads of each threadgroup in x, y and z.
    pub threads: [u32; 3],
    /// Threads of the grid in x, y and z, if its last threadgroups may be smaller; else all are whole.
    pub grid: Option<[u32; 3]>,
    /// Arguments, in any order, at most one for each slot.
    pub bindings: Vec<Binding>,
    /// Threadgroup memory of parameters with `[[threadgroup(index)]]`: index and bytes, a multiple of 16.
    pub threadgroup_memory: Vec<(u32, u32)>,
    /// Memory that the kernel reaches through addresses in memory.
    pub resident: Vec<Resident>,
    /// Whether it may run at the same time as the dispatch before it: neither reads what the other writes.
    pub concurrent: bool,
}

impl Dispatch {
    /// A dispatch without arguments.
    pub fn new(pipeline: Arc<dyn Pipeline>, groups: [u32; 3], threads: [u32; 3]) -> Dispatch {
        Dispatch {
            pipeline,
            groups,
            threads,
            grid: None,
            bindings: Vec::new(),
            threadgroup_memory: Vec::new(),
            resident: Vec::new(),
            concurrent: false,
        }
    }

    /// A dispatch of as many threads, without arguments: the last threadgroups have those that are left.
    pub fn of_threads(pipeline: Arc<dyn Pipeline>, grid: [u32; 3], threads: [u32; 3]) -> Dispatch {
        let groups = std::array::from_fn(|d| grid[d].div_ceil(threads[d].max(1)));
        Dispatch { grid: Some(grid), ..Dispatch::new(pipeline, groups, threads) }
    }

    /// Threads of the whole grid in x, y and z. For a checked dispatch they fit in 32 bits.
    pub fn threads_of_grid(&self) -> [u32; 3] {
        let whole = std::array::from_fn(|d| self.groups[d].saturating_mul(self.threads[d]));
        self.grid.unwrap_or(whole)
    }

    /// Binds a buffer from `offset` bytes on.
    #[must_use]
    pub fn buffer(self, slot: u32, buffer: &Arc<dyn MetalBuffer>, offset: usize) -> Dispatch {
        self.part(slot, buffer, offset..buffer.bytes())
    }

    /// Binds some bytes of a buffer, such as one of several tensors in it.
    #[must_use]
    pub fn part(self, slot: u32, buffer: &Arc<dyn MetalBuffer>, bytes: Range<usize>) -> Dispatch {
        let at = bytes.start;
        self.inside(slot, buffer, bytes, at)
    }

    /// Binds some bytes of a buffer. The kernel gets the address of byte `at` of the buffer.
    #[must_use]
    pub fn inside(
        mut self,
        slot: u32,
        buffer: &Arc<dyn MetalBuffer>,
        bytes: Range<usize>,
        at: usize,
    ) -> Dispatch {
        let argument = Argument::Buffer { buffer: Arc::clone(buffer), bytes, at };
        self.bindings.push(Binding { slot, argument });
        self
    }

    /// Binds a copy of `bytes`.
    #[must_use]
    pub fn bytes(mut self, slot: u32, bytes: &[u8]) -> Dispatch {
        self.bindings.push(Binding { slot, argument: Argument::Bytes(bytes.to_vec()) });
        self
    }

    /// Gives `bytes` bytes of threadgroup memory to the parameter `[[threadgroup(index)]]`.
    #[must_use]
    pub fn threadgroup(mut self, index: u32, bytes: u32) -> Dispatch {
        self.threadgroup_memory.push((index, bytes));
        self
    }

    /// Lets the kernel follow addresses to some bytes of a buffer.
    #[must_use]
    pub fn reaching(mut self, buffer: &Arc<dyn MetalBuffer>, bytes: Range<usize>) -> Dispatch {
        self.resident.push(Resident { buffer: Arc::clone(buffer), bytes });
        self
    }

    /// Compares the dispatch with the limits of its pipeline and of the device. Implementations call it for each
    /// dispatch of a batch before anything runs.
    ///
    /// # Errors
    /// [`MetalError::Empty`], [`MetalError::Limit`], [`MetalError::Binding`] or [`MetalError::Alignment`], with the
    /// kernel's name.
    pub fn check(&self, limits: &Limits) -> Result<(), MetalError> {
        let info = self.pipeline.info();
        let kernel = || info.function.clone();
        for (what, sizes) in [("the grid", self.groups), ("the threadgroup", self.threads)] {
            if sizes.contains(&0) {
                return Err(MetalError::Empty { kernel: kernel(), what, sizes });
            }
        }
        let limit = |what: &str, asked: u64, limit: u64, hint| {
            let what = format!("kernel `{}`: {what}", info.function);
            if asked > limit {
                return Err(MetalError::Limit { what, asked, limit, hint });
            }
            Ok(())
        };
        let most = info.max_total_threads_per_threadgroup.min(limits.max_threads_per_threadgroup);
        let threads = self.threads.iter().fold(1, |all: u64, n| all.saturating_mul((*n).into()));
        let hint =
            "launch smaller threadgroups, or compile with [[max_total_threads_per_threadgroup]]";
        limit("the number of threads per threadgroup", threads, most.into(), hint)?;
        // The position in the grid is a `uint`.
        for (groups, threads) in self.groups.into_iter().zip(self.threads) {
            let total = u64::from(groups) * u64::from(threads);
            let hint = "split the dispatch, or use another dimension";
            limit("a dimension of the grid in threads", total, u32::MAX.into(), hint)?;
        }
        let passed: u64 = self.threadgroup_memory.iter().map(|(_, bytes)| u64::from(*bytes)).sum();
        let bytes = passed + u64::from(info.static_threadgroup_bytes);
        let hint = "use smaller tiles";
        limit("threadgroup memory in bytes", bytes, limits.max_threadgroup_bytes.into(), hint)?;
        if let Some((index, bytes)) = self.threadgroup_memory.iter().find(|(_, n)| n % 16 != 0) {
            return Err(MetalError::Alignment {
                what: format!("kernel `{}`: length of threadgroup({index})", info.function),
                value: (*bytes).into(),
                multiple: 16,
                hint: "round it up",
            });
        }
        self.check_bindings(&info.function)
    }

    fn check_bindings(&self, kernel: &str) -> Result<(), MetalError> {
        let outside = |resident: &&Resident| {
            let part = &resident.bytes;
            part.start >= part.end || part.end > resident.buffer.bytes()
        };
        if let Some(Resident { buffer, bytes }) = self.resident.iter().find(outside) {
            let (start, end, bytes) = (bytes.start, bytes.end, buffer.bytes());
            let what = format!("kernel `{kernel}`: bytes {start} to {end} of a resident buffer");
            let hint = "offsets are in bytes";
            return Err(MetalError::Limit { what, asked: end as u64, limit: bytes as u64, hint });
        }
        let mut used = 0u64;
        for Binding { slot, argument } in &self.bindings {
            let wrong = |reason: String| {
                Err(MetalError::Binding { kernel: kernel.to_owned(), slot: *slot, reason })
            };
            if *slot >= BUFFER_SLOTS {
                return wrong(format!("does not exist; hint: there are {BUFFER_SLOTS}"));
            }
            if used & 1 << slot != 0 {
                return wrong("is bound twice; hint: bind it once in each dispatch".to_owned());
            }
            used |= 1 << slot;
            match argument {
                Argument::Buffer { buffer, bytes: part, .. }
                    if part.start >= part.end || part.end > buffer.bytes() =>
                {
                    let (start, end, bytes) = (part.start, part.end, buffer.bytes());
                    return wrong(format!(
                        "has bytes {start} to {end} of a buffer of {}; hint: offsets are in bytes",
                        counted(bytes, "byte")
                    ));
                }
                Argument::Buffer { bytes, at, .. } if *at < bytes.start || *at > bytes.end => {
                    let (start, end) = (bytes.start, bytes.end);
                    return wrong(format!(
                        "points to byte {at} of a buffer, outside of its bytes {start} to {end}"
                    ));
                }
                Argument::Bytes(bytes) if bytes.is_empty() => {
                    return wrong("has no bytes; hint: leave it unbound".to_owned());
                }
                Argument::Bytes(bytes) if bytes.len() > MAX_INLINE_BYTES => {
                    let length = bytes.len();
                    return wrong(format!(
                        "has {length} inline bytes, more than {MAX_INLINE_BYTES}; hint: use a buffer"
                    ));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Dispatches that are submitted together.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// In the order in which they run.
    pub dispatches: Vec<Dispatch>,
}

impl From<Dispatch> for Batch {
    fn from(dispatch: Dispatch) -> Batch {
        Batch { dispatches: vec![dispatch] }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Family, PipelineInfo};
    use super::*;
    use std::ptr::NonNull;

    #[derive(Debug)]
    struct Kernel(PipelineInfo);

    impl Pipeline for Kernel {
        fn info(&self) -> &PipelineInfo {
            &self.0
        }
    }

    #[derive(Debug)]
    struct Memory;

    impl MetalBuffer for Memory {
        fn bytes(&self) -> usize {
            64
        }
        fn contents(&self) -> NonNull<u8> {
            NonNull::dangling()
        }
        fn gpu_address(&self) -> u64 {
            0
        }
        fn handle(&self) -> u64 {
            0
        }
    }

    fn dispatch(groups: [u32; 3], threads: [u32; 3]) -> Dispatch {
        let info = PipelineInfo {
            function: "k".to_owned(),
            max_total_threads_per_threadgroup: 256,
            static_threadgroup_bytes: 32_000,
            execution_width: 32,
        };
        Dispatch::new(Arc::new(Kernel(info)), groups, threads)
    }

    fn message(dispatch: &Dispatch) -> String {
        let limits = Limits {
            name: "test".to_owned(),
            family: Family::Apple7,
            cores: 8,
            max_threads_per_threadgroup: 1024,
            max_threadgroup_bytes: 32_768,
            max_buffer_bytes: 1 << 30,
            simd_width: 32,
            page_bytes: 16_384,
        };
        dispatch.check(&limits).err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn a_dispatch_within_all_limits_passes() {
        let buffer: Arc<dyn MetalBuffer> = Arc::new(Memory);
        let fine = dispatch([7, 1, 1], [32, 8, 1]).buffer(0, &buffer, 60).bytes(30, &[1; 4096]);
        assert_eq!(message(&fine.threadgroup(0, 768)), "");
    }

    #[test]
    fn each_limit_is_an_error_with_its_figures() {
        let buffer: Arc<dyn MetalBuffer> = Arc::new(Memory);
        let one = || dispatch([1, 1, 1], [32, 1, 1]);
        for (wrong, expected) in [
            (dispatch([1, 0, 1], [32, 1, 1]), "the grid has a zero dimension: [1, 0, 1]"),
            (dispatch([1, 1, 1], [0, 1, 1]), "the threadgroup has a zero dimension"),
            (dispatch([1, 1, 1], [257, 1, 1]), "is 257, more than the limit of 256"),
            (dispatch([1, 1, 1], [u32::MAX, u32::MAX, 2]), "more than the limit of 256"),
            (
                dispatch([1 << 27, 1, 1], [32, 1, 1]),
                "a dimension of the grid in threads is 4294967296",
            ),
            (one().threadgroup(0, 784), "threadgroup memory in bytes is 32784"),
            (one().threadgroup(0, 8), "length of threadgroup(0) is 8, no multiple of 16"),
            (one().bytes(31, &[1]), "slot 31 does not exist"),
            (one().bytes(2, &[1]).bytes(2, &[1]), "slot 2 is bound twice"),
            (one().buffer(1, &buffer, 64), "slot 1 has bytes 64 to 64 of a buffer of 64 bytes"),
            (one().inside(1, &buffer, 8..16, 4), "slot 1 points to byte 4 of a buffer, outside"),
            (one().bytes(0, &[]), "slot 0 has no bytes"),
            (one().bytes(0, &[0; 4097]), "slot 0 has 4097 inline bytes"),
        ] {
            assert!(message(&wrong).contains(expected), "{}", message(&wrong));
        }
    }
}
