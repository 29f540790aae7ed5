//! What a plan depends on besides the kernel.

/// Figures of a GPU, which decide how a kernel is spread over threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figures {
    /// Most threads of a threadgroup.
    pub threads: u32,
    /// Threadgroup memory, in bytes.
    pub threadgroup: usize,
    /// Most bytes that a thread reads or writes at once.
    pub vector: usize,
}

impl Figures {
    /// What every GPU of Apple silicon offers.
    pub const APPLE: Figures = Figures { threads: 1024, threadgroup: 32 << 10, vector: 16 };
}
