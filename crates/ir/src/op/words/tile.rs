//! The choices of ops of levels tile and lane.

use super::{AttrType, Default};
use crate::types::Space;
use crate::{Attr, AttrKind};

words! {
    /// The change that an atomic op makes to an element by its operand.
    pub enum AtomicOp {
        /// The sum of integers.
        Add = "add",
        /// The sum of floats.
        FAdd = "fadd",
        /// The bits that both have.
        And = "and",
        /// The bits that either has.
        Or = "or",
        /// The bits that one has.
        Xor = "xor",
        /// The greater of signed integers.
        Max = "max",
        /// The lesser of signed integers.
        Min = "min",
        /// The greater of unsigned integers.
        UMax = "umax",
        /// The lesser of unsigned integers.
        UMin = "umin",
        /// The operand.
        Exchange = "exchange",
    }
    /// The order of an atomic access among the thread's other accesses.
    pub enum MemoryOrder {
        /// None.
        Relaxed = "relaxed",
        /// Before all that follow it.
        Acquire = "acquire",
        /// After all that precede it.
        Release = "release",
        /// Both.
        AcqRel = "acq_rel",
    }
    /// The threads for which an atomic access is ordered.
    pub enum MemoryScope {
        /// Those of the program.
        Cta = "cta",
        /// Those of the device.
        Gpu = "gpu",
        /// Those of all devices and the host.
        Sys = "sys",
    }
    /// A hint about the caches of an access, by the names of NVIDIA's PTX.
    pub enum CacheHint {
        /// None.
        None = "none",
        /// Cache at all levels.
        All = "ca",
        /// Cache at the level that all programs share.
        Global = "cg",
        /// Write back.
        WriteBack = "wb",
        /// Used once.
        Streaming = "cs",
        /// Write through.
        WriteThrough = "wt",
        /// Do not cache.
        Volatile = "cv",
    }
    /// A hint about when a cache gives up the elements of an access.
    pub enum EvictionHint {
        /// None.
        Normal = "normal",
        /// Before others.
        First = "first",
        /// After others.
        Last = "last",
    }
    /// The elements that a descriptor reads outside of its tensor.
    pub enum DescriptorPadding {
        /// 0.
        Zero = "zero",
        /// NaN.
        Nan = "nan",
    }
    /// The op by which a descriptor combines a block with memory. Its element type tells the sign of integers.
    pub enum DescriptorReduction {
        /// The sum.
        Add = "add",
        /// The lesser.
        Min = "min",
        /// The greater.
        Max = "max",
        /// The bits that both have.
        And = "and",
        /// The bits that either has.
        Or = "or",
        /// The bits that one has.
        Xor = "xor",
    }
    /// The least precision of products of f32.
    pub enum DotPrecision {
        /// Exact products.
        Ieee = "ieee",
        /// Factors rounded to 11 bits.
        Tf32 = "tf32",
        /// Three products of factors of 11 bits.
        Tf32x3 = "tf32x3",
        /// Three products of bf16.
        Bf16x3 = "bf16x3",
        /// Six products of bf16.
        Bf16x6 = "bf16x6",
    }
    /// The format of scaled factors.
    pub enum ScaledFormat {
        /// 8 bits, 4 of them the exponent's.
        E4M3 = "e4m3",
        /// 8 bits, 5 of them the exponent's.
        E5M2 = "e5m2",
        /// 4 bits, 2 of them the exponent's: two factors a byte.
        E2M1 = "e2m1",
        /// bf16.
        Bf16 = "bf16",
        /// f16.
        Fp16 = "fp16",
    }
    /// The memory of an array that a function allocates.
    pub enum LocalSpace {
        /// One array for the threads of a threadgroup.
        Threadgroup = "threadgroup",
        /// One for each thread.
        Thread = "thread",
    }
    /// The memory whose accesses a barrier orders.
    pub enum BarrierMemory {
        /// That of the threadgroup.
        Threadgroup = "threadgroup",
        /// That of the device.
        Device = "device",
        /// Both.
        Both = "both",
        /// None.
        None = "none",
    }
    /// The op by which the values of all lanes are combined.
    pub enum SimdReduction {
        /// The sum.
        Add = "add",
        /// The product.
        Mul = "mul",
        /// The least.
        Min = "min",
        /// The greatest.
        Max = "max",
        /// The bits that all have.
        And = "and",
        /// The bits that any has.
        Or = "or",
        /// The bits that an odd number has.
        Xor = "xor",
    }
    /// The op by which the values of the lanes up to one are combined.
    pub enum PrefixOp {
        /// The sum.
        Add = "add",
        /// The product.
        Mul = "mul",
    }
}

impl From<LocalSpace> for Space {
    fn from(space: LocalSpace) -> Space {
        match space {
            LocalSpace::Threadgroup => Space::Threadgroup,
            LocalSpace::Thread => Space::Thread,
        }
    }
}

impl From<DescriptorReduction> for AtomicOp {
    /// The op of the same name, with which signed integers are compared.
    fn from(op: DescriptorReduction) -> AtomicOp {
        match op {
            DescriptorReduction::Add => AtomicOp::Add,
            DescriptorReduction::Min => AtomicOp::Min,
            DescriptorReduction::Max => AtomicOp::Max,
            DescriptorReduction::And => AtomicOp::And,
            DescriptorReduction::Or => AtomicOp::Or,
            DescriptorReduction::Xor => AtomicOp::Xor,
        }
    }
}
