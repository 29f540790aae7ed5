//! What a device offers and what the engine gives it.

use crate::{
    Fence, HostMemory, Immediate, KernelError, MemoryProvider, OutputShape, Pool, Stream,
    Submitted, Tensor, Value,
};
use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;
use trident_ir::{DType, Func, Op, ValueId};

/// Something that can run ops. Memory is shared, so a device never owns tensors.
pub trait Device: Send + Sync {
    /// Name, limits, peak figures.
    fn info(&self) -> &DeviceInfo;

    /// What running these ops would cost; `None`: "not mine".
    fn estimate(&self, func: &Func, ops: &[&Op]) -> Option<Cost>;

    /// What the device would run of consecutive ops of a block, and at what cost: regions of one op or many, which may
    /// overlap. The engine takes those that cost least together, and asks to compile each as one [`Unit`]. Where that is
    /// declined, it goes on with claims of single ops. A device that has no units of several ops claims each by itself.
    fn claim(&self, func: &Func, ops: &[Op]) -> Vec<Claim> {
        let single = |(i, op)| Some(Claim { ops: i..i + 1, cost: self.estimate(func, &[op])? });
        ops.iter().enumerate().filter_map(single).collect()
    }

    /// Makes a unit ready to run: chooses kernels, packs constant operands.
    fn compile(&self, unit: &Unit<'_>) -> Result<Arc<dyn Executable>, Declined>;

    /// A queue for launches. A device that runs them at once needs none of its own.
    fn stream(&self) -> Arc<dyn Stream> {
        Immediate::stream()
    }

    /// Begins a run on this thread, which ends when the admission is dropped, on the same thread. A device whose cores
    /// computing runs share may let it wait; `None` if that lasts until `until`. A run inside another one, on its thread,
    /// does not wait. Runs ask a session's devices in turn, so of those only one may let them wait.
    fn admit(&self, limits: LaunchLimits, until: Option<Instant>) -> Option<Admission> {
        let _ = (limits, until);
        Some(Admission::default())
    }

    /// Where the device's memory comes from.
    fn memory(&self) -> Arc<dyn MemoryProvider> {
        HostMemory::provider()
    }
}

impl fmt::Debug for dyn Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device").field("info", self.info()).finish()
    }
}

/// The right to run, until it is dropped.
#[derive(Default)]
pub struct Admission(Option<Box<dyn Any>>);

impl Admission {
    /// A right that lasts as long as this value.
    pub fn of(guard: impl Any) -> Admission {
        Admission(Some(Box::new(guard)))
    }
}

impl fmt::Debug for Admission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Admission").field("held", &self.0.is_some()).finish()
    }
}

/// Facts about a device.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceInfo {
    /// Short name, as in `--device`: `cpu`.
    pub name: String,
    /// What the hardware calls itself, and what of it is used.
    pub description: String,
    /// Number of cores or threads in use.
    pub threads: usize,
    /// Instruction sets in use.
    pub features: Vec<String>,
}

/// An estimate, for choosing between devices and for reports.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Floating-point or integer operations.
    pub flops: f64,
    /// Bytes read and written.
    pub bytes: f64,
    /// Nanoseconds, entry and exit included.
    pub nanos: f64,
}

/// Consecutive ops that a device would run as one unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// Their places among the ops that it was asked about; never empty.
    pub ops: Range<usize>,
    /// What they cost together.
    pub cost: Cost,
}

/// A device refuses ops by name and says why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{op} is not supported on this device: {reason}")]
pub struct Declined {
    /// The op, with the node's name where known.
    pub op: String,
    /// Why.
    pub reason: String,
}

/// A piece of a function for one device: consecutive ops and the values that cross its border.
pub struct Unit<'a> {
    /// The function the ops belong to.
    pub func: &'a Func,
    /// The ops in order.
    pub ops: &'a [Op],
    /// Values that come in, in the order of [`Launch::inputs`]; for a single op its operands, absent ones included.
    pub inputs: Vec<Option<ValueId>>,
    /// Values that go out, in the order in which `launch` gives them; for a single op its results, unwanted ones included.
    pub outputs: Vec<Option<ValueId>>,
    /// The tensor of an input that is constant.
    pub constant: &'a dyn Fn(ValueId) -> Option<Tensor>,
    /// Where packed constants come from.
    pub pool: &'a Pool,
}

impl Unit<'_> {
    /// The element type of a value that is a tensor.
    pub fn dtype(&self, value: ValueId) -> Option<DType> {
        self.func.ty(value).dtype()
    }
}

/// A compiled unit.
pub trait Executable: Send + Sync {
    /// The kernel chosen, for reports: `conv.gemm.avx512`.
    fn kernel(&self) -> &str;

    /// Inputs (by place) that need not be handed over any more, as their contents are packed.
    fn packed(&self) -> &[usize] {
        &[]
    }

    /// Bytes of packed constants.
    fn packed_bytes(&self) -> usize {
        0
    }

    /// What the outputs look like for these inputs, as far as that is known before a launch; [`OpShapes`] answers for
    /// units of one op. An error if a launch of these inputs could only fail.
    ///
    /// [`OpShapes`]: crate::OpShapes
    fn shapes(&self, inputs: &[Option<Value>]) -> Result<Vec<OutputShape>, KernelError>;

    /// Submits a launch to a stream of the device, where it runs behind what was submitted there before and behind
    /// the fences `after`. An operand that an earlier launch on this stream gives needs no fence.
    ///
    /// Outputs that the launch has yet to give can be handed to further launches at once. What fails before the launch
    /// is on the stream is an error here, what fails later one of its fence. A synchronous device does all of it here.
    fn submit(
        &self,
        stream: &dyn Stream,
        launch: &mut Launch<'_>,
        after: &[Fence],
    ) -> Result<Submitted, KernelError>;
}

/// Gives memory for output `i` of a type and dimensions, with arbitrary contents.
pub type Alloc<'a> = dyn FnMut(usize, DType, &[usize]) -> Result<Tensor, KernelError> + 'a;

/// One run of an executable: operands and memory.
pub struct Launch<'a> {
    /// Operands in the order of [`Unit::inputs`]; `None` where they are packed. Some may be those of launches that have
    /// not ended ([`Tensor::fence`]). A value that the caller needs no more
    /// is not shared, so a kernel may take it and write its result over it.
    pub inputs: &'a mut [Option<Value>],
    /// Gives memory for output `i`.
    pub alloc: &'a mut Alloc<'a>,
    /// For temporaries.
    pub pool: &'a Pool,
    /// What the run allows.
    pub limits: LaunchLimits,
}

/// What a run allows to its launches. Results do not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaunchLimits {
    /// Most threads to use, of a device that has them; 0 for all.
    pub threads: usize,
    /// Of the runs that wait for a device, those of a higher number go first.
    pub priority: i32,
}

impl Launch<'_> {
    /// Waits for fences, and for operands that other launches give: what a synchronous device does first.
    pub fn settle(&mut self, after: &[Fence]) -> Result<(), KernelError> {
        after.iter().try_for_each(|fence| fence.wait().map_err(KernelError::dependency))?;
        self.inputs.iter_mut().flatten().try_for_each(Value::settle)
    }
}
