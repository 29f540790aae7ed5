//! A device's figures.

/// Generations of Apple GPUs; each has the features of the earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// M1.
    Apple7,
    /// M2.
    Apple8,
    /// M3 and M4.
    Apple9,
    /// M5.
    Apple10,
}

/// A device's name and what limits buffers and dispatches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The system's name of it: `Apple M1 Pro`.
    pub name: String,
    /// The generation.
    pub family: Family,
    /// GPU cores, each of which runs threadgroups.
    pub cores: u32,
    /// The most threads of a threadgroup; a pipeline may allow fewer.
    pub max_threads_per_threadgroup: u32,
    /// Bytes of threadgroup memory of a threadgroup, declared by the kernel and passed by the dispatch together.
    pub max_threadgroup_bytes: u32,
    /// The longest buffer, in bytes.
    pub max_buffer_bytes: usize,
    /// Threads of a simdgroup.
    pub simd_width: u32,
    /// Alignment of host memory that becomes a buffer, and of its length, in bytes.
    pub page_bytes: usize,
}
