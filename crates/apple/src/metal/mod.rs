//! The seam to Metal: everything that Trident asks of a GPU API, as few object-safe traits.
//!
//! A [`Metal`] device makes buffers, compiles Metal Shading Language (MSL) into libraries and opens queues. A
//! [`Library`] makes pipelines, one for each kernel and set of function constants. A [`Queue`] takes a [`Batch`] of
//! [`Dispatch`]es and returns a [`Completion`].
//!
//! Rules that Metal leaves unchecked are checked here, for every implementation: a `Dispatch` is a request, which
//! [`Dispatch::check`] compares with the limits of its pipeline and device. `Queue::commit` refuses a batch with a
//! dispatch that does not pass, where Metal would silently run nothing.

// Kernels access memory by address: see `Queue::commit` and `Metal::wrap`.
#![allow(unsafe_code)]

mod completion;
mod dispatch;
mod error;
mod limits;
mod order;

pub use completion::Pending;
pub use dispatch::{Argument, Batch, Binding, Dispatch, Resident};
pub use error::{Diagnostic, MetalError};
pub use limits::{Family, Limits};
pub use order::Order;

use std::any::Any;
use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;
use std::time::Duration;

/// Slots for buffers and inline bytes of a kernel, `[[buffer(0)]]` to `[[buffer(30)]]`.
pub const BUFFER_SLOTS: u32 = 31;

/// The most bytes that a dispatch can pass in place of a buffer.
pub const MAX_INLINE_BYTES: usize = 4096;

/// The bit of places that are private to the GPU. No address of the CPU has it.
pub const PRIVATE: usize = 1 << (usize::BITS - 1);

/// A GPU, or what emulates one.
pub trait Metal: fmt::Debug + Send + Sync {
    /// The device's name and figures.
    fn limits(&self) -> &Limits;

    /// Makes a zeroed buffer of `bytes` bytes, at least 1, in memory that the CPU and the GPU share.
    ///
    /// # Errors
    /// [`MetalError::Limit`] for more than [`Limits::max_buffer_bytes`]; [`MetalError::Memory`] if there is no memory.
    fn buffer(&self, bytes: usize) -> Result<Arc<dyn MetalBuffer>, MetalError>;

    /// Makes a buffer of `bytes` bytes of the host's memory, without a copy. The buffer holds `owner` as long as it
    /// lives.
    ///
    /// # Errors
    /// [`MetalError::Alignment`] unless both address and length are multiples of [`Limits::page_bytes`];
    /// [`MetalError::Limit`] and [`MetalError::Memory`] as in [`Metal::buffer`].
    ///
    /// # Safety
    /// The memory must be valid for reads and writes, or for reads if no kernel writes it, until `owner` is dropped.
    unsafe fn wrap(
        &self,
        start: NonNull<u8>,
        bytes: usize,
        owner: Box<dyn Any + Send + Sync>,
    ) -> Result<Arc<dyn MetalBuffer>, MetalError>;

    /// Holds a buffer that another library of this process has made, by its handle: the `id<MTLBuffer>` that DLPack
    /// gives as the data of an array on device `kDLMetal`. A handle is not an address of memory. The buffer is not
    /// copied.
    ///
    /// # Errors
    /// [`MetalError::Handle`] if the handle does not belong to a buffer of this device.
    ///
    /// # Safety
    /// The handle belongs to an object that lives until this returns. Its memory is accessed under the contract of
    /// [`Queue::commit`].
    unsafe fn adopt(&self, handle: u64) -> Result<Arc<dyn MetalBuffer>, MetalError>;

    /// Compiles MSL.
    ///
    /// # Errors
    /// [`MetalError::Compile`] with the compiler's diagnostics.
    fn library(
        &self,
        source: &str,
        options: &CompileOptions,
    ) -> Result<Arc<dyn Library>, MetalError>;

    /// Opens a queue. Batches of one queue run in the order of their commits, those of different queues in any order.
    ///
    /// # Errors
    /// [`MetalError::Memory`] if the device has no further queue.
    fn queue(&self) -> Result<Arc<dyn Queue>, MetalError>;
}

/// Memory that the CPU and the GPU share. An implementation recognises its own buffers by their type.
pub trait MetalBuffer: Any + fmt::Debug + Send + Sync {
    /// Length in bytes.
    fn bytes(&self) -> usize;

    /// The first byte, in the CPU's address space. Kernels that run may write there: see [`Queue::commit`]. Dangling for a
    /// buffer that was adopted and is private to the GPU.
    fn contents(&self) -> NonNull<u8>;

    /// The address that tells its memory from others': the CPU's address of the first byte, or where the CPU has none, an
    /// address with [`PRIVATE`]. Buffers of the same pages have the same place.
    fn place(&self) -> usize {
        self.contents().as_ptr() as usize
    }

    /// The identity of the buffer in other libraries of this process: see [`Metal::adopt`].
    fn handle(&self) -> u64;

    /// The address of the first byte in kernels, for pointers that are stored in memory. A dispatch that follows such
    /// a pointer lists the buffer in [`Dispatch::resident`].
    fn gpu_address(&self) -> u64;

    /// Names the buffer in captures and reports.
    fn set_label(&self, label: &str) {
        let _ = label;
    }

    /// Says that the content means nothing until a kernel, or [`MetalBuffer::written`], has written it. A device that checks
    /// kernels then reports a read of a byte that was not written.
    fn discard(&self) {}

    /// Says that the host has written `bytes` bytes from `offset`, after [`MetalBuffer::discard`].
    fn written(&self, offset: usize, bytes: usize) {
        let _ = (offset, bytes);
    }
}

impl dyn MetalBuffer {
    /// The buffer as the type `T` of an implementation.
    pub fn downcast<T: MetalBuffer>(&self) -> Option<&T> {
        (self as &dyn Any).downcast_ref()
    }
}

/// Versions of MSL by the first macOS that has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LanguageVersion {
    /// macOS 13.
    V3_0,
    /// macOS 14: `bfloat`.
    V3_1,
    /// macOS 15: lambdas, `coherent` memory, fences.
    V3_2,
    /// macOS 26: tensors.
    V4_0,
}

impl LanguageVersion {
    /// The value of `__METAL_VERSION__`: 310 for 3.1.
    pub fn number(self) -> u32 {
        match self {
            LanguageVersion::V3_0 => 300,
            LanguageVersion::V3_1 => 310,
            LanguageVersion::V3_2 => 320,
            LanguageVersion::V4_0 => 400,
        }
    }
}

/// The assumptions about floating-point numbers that the compiler may make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MathMode {
    /// NaN and infinities exist; no reassociation. Functions without a namespace are the precise ones.
    Safe,
    /// NaN and infinities exist; reassociation and approximate division are allowed.
    Relaxed,
    /// There are neither NaN nor infinities.
    Fast,
}

/// How a library is compiled. Nothing is left to a default of Metal's: those differ by compiler and processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CompileOptions {
    /// Version of the language.
    pub language: LanguageVersion,
    /// Assumptions about numbers.
    pub math: MathMode,
}

impl Default for CompileOptions {
    /// Version 3.1 with safe math.
    fn default() -> CompileOptions {
        CompileOptions { language: LanguageVersion::V3_1, math: MathMode::Safe }
    }
}

/// A compiled text.
pub trait Library: fmt::Debug + Send + Sync {
    /// The names of its kernels, in the order of the text.
    fn functions(&self) -> Vec<String>;

    /// Compiles a kernel for the given values of function constants.
    ///
    /// # Errors
    /// [`MetalError::NoFunction`]; [`MetalError::Constant`] for a function constant that is missing or has
    /// another type; [`MetalError::Limit`] for too much threadgroup memory; [`MetalError::Compile`].
    fn pipeline(
        &self,
        function: &str,
        constants: &[FunctionConstant],
    ) -> Result<Arc<dyn Pipeline>, MetalError>;
}

/// The value of `[[function_constant(index)]]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FunctionConstant {
    /// The index in the attribute.
    pub index: u32,
    /// The value, which must have the constant's type.
    pub value: ConstantValue,
}

/// The value of a function constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ConstantValue {
    /// `bool`
    Bool(bool),
    /// `short`
    Short(i16),
    /// `ushort`
    UShort(u16),
    /// `int`
    Int(i32),
    /// `uint`
    UInt(u32),
    /// `float`
    Float(f32),
}

impl ConstantValue {
    /// The type's name in MSL.
    pub fn type_name(self) -> &'static str {
        match self {
            ConstantValue::Bool(_) => "bool",
            ConstantValue::Short(_) => "short",
            ConstantValue::UShort(_) => "ushort",
            ConstantValue::Int(_) => "int",
            ConstantValue::UInt(_) => "uint",
            ConstantValue::Float(_) => "float",
        }
    }
}

/// A kernel that can be dispatched. An implementation recognises its own pipelines by their type.
pub trait Pipeline: Any + fmt::Debug + Send + Sync {
    /// The kernel's name and what limits its dispatches.
    fn info(&self) -> &PipelineInfo;
}

impl dyn Pipeline {
    /// The pipeline as the type `T` of an implementation.
    pub fn downcast<T: Pipeline>(&self) -> Option<&T> {
        (self as &dyn Any).downcast_ref()
    }
}

/// Facts about a compiled kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PipelineInfo {
    /// The kernel's name.
    pub function: String,
    /// The most threads of a threadgroup, which registers may limit to less than the device's figure.
    pub max_total_threads_per_threadgroup: u32,
    /// Bytes of threadgroup memory that the kernel itself declares.
    pub static_threadgroup_bytes: u32,
    /// Threads of a simdgroup.
    pub execution_width: u32,
}

/// A queue of batches.
pub trait Queue: fmt::Debug + Send + Sync {
    /// Submits a batch. It holds the buffers and pipelines that it uses until it has completed. Its dispatches run one
    /// after the other, and each sees the writes of the earlier ones, except where [`Dispatch::concurrent`] allows
    /// concurrency.
    ///
    /// # Errors
    /// The errors of [`Dispatch::check`], and [`MetalError::Foreign`] for an object of another device. Then
    /// nothing of the batch runs. Later failures are the result of [`Completion::wait`].
    ///
    /// # Safety
    /// The kernels access no memory but that of the buffers bound to them or resident, within their lengths. Until
    /// the batch has completed, nothing else writes this memory, and nothing reads what the kernels write.
    unsafe fn commit(&self, batch: Batch) -> Result<Arc<dyn Completion>, MetalError>;
}

/// A batch that was committed.
pub trait Completion: fmt::Debug + Send + Sync {
    /// Waits until the batch has completed.
    ///
    /// # Errors
    /// The reason why it stopped: [`MetalError::Execution`], [`MetalError::Timeout`], [`MetalError::Check`]. The content of its
    /// buffers is then unknown.
    fn wait(&self) -> Result<GpuTimes, MetalError>;

    /// Returns the result of [`Completion::wait`], or `None` while the batch runs.
    fn poll(&self) -> Option<Result<GpuTimes, MetalError>>;

    /// Calls `handler` once with the result, on a thread of the device when the batch completes, or on this one if it
    /// has. The handler must not wait for other batches.
    fn on_completed(&self, handler: CompletionHandler);
}

/// A function that [`Completion::on_completed`] calls.
pub type CompletionHandler = Box<dyn FnOnce(&Result<GpuTimes, MetalError>) + Send>;

/// The time at which the GPU ran a batch, on the GPU's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GpuTimes {
    /// Begin of the first dispatch.
    pub start: Duration,
    /// End of the last dispatch.
    pub end: Duration,
}

impl GpuTimes {
    /// The time between start and end.
    pub fn elapsed(&self) -> Duration {
        self.end.saturating_sub(self.start)
    }
}
