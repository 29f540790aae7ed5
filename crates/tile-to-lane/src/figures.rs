//! The figures of a GPU that a plan depends on, besides the kernel.

use super::dot::Banks;

/// GpuFigures of a GPU, which decide how a kernel is spread over threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GpuFigures {
    /// Most threads of a threadgroup.
    pub threads: u32,
    /// Threadgroup memory, in bytes.
    pub threadgroup: usize,
    /// Most bytes that a thread reads or writes at once.
    pub vector: usize,
    /// Banks of threadgroup memory, of 4 bytes each.
    pub banks: usize,
    /// Bytes of a core's registers.
    pub registers: usize,
    /// Threads of a core that hide the latency of memory.
    pub resident: usize,
    /// Most registers that a thread can name, of 4 bytes each.
    pub named: usize,
    /// Whether simdgroups multiply 8×8 matrices.
    pub matrices: bool,
    /// Whether the GPU has a separate unit for tensor operations. GPUs before M5 support these operations, but they are
    /// not faster there (llama.cpp).
    pub tensors: bool,
}

impl GpuFigures {
    /// The figures that every GPU of Apple silicon offers; abilities of those from M5 on are off.
    pub const APPLE: GpuFigures = GpuFigures {
        threads: 1024,
        threadgroup: 32 << 10,
        vector: 16,
        banks: 32,
        registers: 208 << 10,
        resident: 768,
        named: 128,
        matrices: true,
        tensors: false,
    };

    /// The chips that have figures, one for each generation.
    pub const CHIPS: [&str; 5] = ["m1", "m2", "m3", "m4", "m5"];

    /// The figures of a chip by its name, such as `m2` or `Apple M2 Pro`: those of its generation. Registers are as measured
    /// by P. Turner (metal-benchmarks); M1 loses more than others if fewer threads are resident (llama.cpp), and from M3 on
    /// registers are a cache.
    pub fn chip(name: &str) -> Option<GpuFigures> {
        let generation = name.split_whitespace().find_map(|word| word.strip_prefix(['M', 'm']))?;
        let resident = match generation {
            "1" => 1024,
            "2" => 768,
            "3" | "4" | "5" => 512,
            _ => return None,
        };
        Some(GpuFigures { resident, tensors: generation == "5", ..GpuFigures::APPLE })
    }

    pub(super) fn banks(&self) -> Banks {
        Banks { count: self.banks, word: 4 }
    }

    /// Registers of a thread, of 4 bytes each, while `threads` threads are on a core.
    pub(super) fn registers_of(&self, threads: u32) -> usize {
        (self.registers / 4 / (threads as usize).max(1)).min(self.named)
    }

    /// The number of fragments of sums that a simdgroup holds while enough threads are resident: they take half of a
    /// thread's registers, and a fragment takes `each` of these.
    pub(super) fn fragments(&self, each: usize) -> usize {
        (self.elements() / each).max(1)
    }

    /// The elements of a block that a thread holds while enough threads are resident: half of its registers of 4 bytes.
    pub(super) fn elements(&self) -> usize {
        (self.registers / 4 / self.resident.max(1) / 2).max(1)
    }
}
