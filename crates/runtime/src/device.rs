//! The interface between devices and the engine.

use crate::{
    Cost, Declined, Fence, Immediate, KernelError, OutputShape, Pool, Stream, Submitted, Tensor,
    TensorView, TensorViewMut, Value,
};
use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::Instant;
use trident_ir::rewrite::{Context, RewriteError, RewriteReport};
use trident_ir::{DType, Func, Op, ValueId};

/// Tells whether a run has to stop.
pub type StopCheck = Arc<dyn Fn() -> bool + Send + Sync>;

/// Something that can run ops. Memory is shared, so a device never owns tensors.
pub trait Device: Send + Sync {
    /// Name, limits, peak figures.
    fn info(&self) -> &DeviceInfo;

    /// The cost of these ops on this device; `None` if it does not claim them. `compile` may still decline what is
    /// claimed, with a reason.
    fn estimate(&self, func: &Func, ops: &[&Op]) -> Option<Cost>;

    /// The ops of a block that the device would run, with their costs. From claims of single ops the engine makes
    /// regions, which the device rewrites and then compiles op by op. A claim of several ops is for a device that
    /// compiles them as one [`Unit`]; they must be connected, and no path between two of them may lead over another op.
    /// Claims may overlap. The engine chooses the cheapest combination. If a unit is declined, its ops are compiled one
    /// by one. The default claims each op separately.
    fn claim(&self, func: &Func, ops: &[Op]) -> Vec<Claim> {
        let single = |(i, op)| Some(Claim { ops: vec![i], cost: self.estimate(func, &[op])? });
        ops.iter().enumerate().filter_map(single).collect()
    }

    /// The delay in nanoseconds, beyond the two ops themselves, before an op of another device can use a result of this
    /// one, or the reverse: for submission, a fence and a thread that wakes up. Memory is unified, so nothing is
    /// copied. Between two devices the greater delay counts.
    fn crossing_nanos(&self) -> f64 {
        5_000.0
    }

    /// Whether the device takes this composite graph op whole ([`trident_ir::decompose`]). By default it takes the ops that
    /// the composite is made of.
    fn takes(&self, op: &Op) -> bool {
        let _ = op;
        false
    }

    /// The names of the rewrites of [`Device::rewrite`]. A compiled model holds ops after them, so it is for devices with the
    /// same names only.
    fn rewrites(&self) -> Vec<&'static str> {
        vec![]
    }

    /// Rewrites ops that this device will run into the form that it runs fastest, for example by fusing them. The
    /// function is in the canonical form that all devices see in [`Device::claim`]; results keep their names and
    /// meaning, up to rounding.
    fn rewrite(&self, func: &mut Func, cx: &Context<'_>) -> Result<RewriteReport, RewriteError> {
        let _ = (func, cx);
        Ok(RewriteReport::default())
    }

    /// Prepares a unit: chooses kernels and packs constant operands.
    fn compile(&self, unit: &Unit<'_>) -> Result<Arc<dyn Executable>, Declined>;

    /// Opens a queue for launches. A device that runs launches at once uses the default.
    fn stream(&self) -> Arc<dyn Stream> {
        Immediate::stream()
    }

    /// Begins a run on this thread, which ends when the admission is dropped on the same thread. A device whose cores
    /// are shared by runs may block until they are free. It gives up, with `None`, where the request says that the run has to
    /// stop. A nested run on the same thread does not block. A session's devices admit a run in turn, so only one of them may
    /// block. During launches, too, the device may ask on the same thread whether the run has to stop, and end it with
    /// [`KernelError::Cancelled`]; and whether it has to hand its core over, and block until it may go on.
    fn admit(&self, request: AdmissionRequest) -> Option<Admission> {
        let _ = request;
        Some(Admission::default())
    }

    /// The device's memory. Each session has its own pool of it ([`Pool::child`]).
    fn memory(&self) -> Pool {
        Pool::host()
    }
}

impl fmt::Debug for dyn Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device").field("info", self.info()).finish()
    }
}

/// The request of a run to its devices.
#[derive(Clone, Default)]
pub struct AdmissionRequest {
    /// Limits of its launches.
    pub limits: LaunchLimits,
    /// When it has to stop.
    pub until: Option<Instant>,
    /// Whether it has to stop: asked every millisecond while it waits.
    pub stop: Option<StopCheck>,
    /// When it hands its core to others.
    pub handover: Option<Arc<dyn Handover>>,
}

/// Decides when a run hands its core to others, and when it goes on.
pub trait Handover: Send + Sync {
    /// Whether the run has to hand its core over. It is asked between all tasks, so it must take little time.
    fn is_due(&self) -> bool;

    /// Returns when the run may go on. It is called on the thread of the run, which has no core meanwhile. It has to call
    /// `has_to_stop` every few milliseconds, and to return soon after that is true.
    fn wait(&self, has_to_stop: &dyn Fn() -> bool);
}

/// The right to run, until it is dropped.
#[derive(Default)]
pub struct Admission(Option<Box<dyn Any>>);

impl Admission {
    /// Permission that lasts as long as this value.
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
    /// The hardware's name, and which part of it is used.
    pub description: String,
    /// Number of cores or threads in use.
    pub threads: usize,
    /// Instruction sets in use.
    pub features: Vec<String>,
}

/// One op that a device would run, or several that it would run as one unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// Their positions among the ops passed to [`Device::claim`]. Constants need not be named.
    pub ops: Vec<usize>,
    /// Their total cost.
    pub cost: Cost,
}

/// Part of a function for one device: consecutive ops and the values that cross its boundary.
pub struct Unit<'a> {
    /// The function the ops belong to.
    pub func: &'a Func,
    /// The ops in order.
    pub ops: &'a [Op],
    /// Incoming values, in the order of [`Launch::inputs`]; for a single op its operands, including absent ones.
    pub inputs: Vec<Option<ValueId>>,
    /// Outgoing values, in the order in which a launch returns them; for a single op its results, including unused
    /// ones.
    pub outputs: Vec<Option<ValueId>>,
    /// The tensor of an input that is constant.
    pub constant: &'a dyn Fn(ValueId) -> Option<Tensor>,
    /// Memory for packed constants.
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

    /// Inputs (by position) that the engine may drop, as their contents are packed.
    fn packed(&self) -> &[usize] {
        &[]
    }

    /// Bytes of packed constants.
    fn packed_bytes(&self) -> usize {
        0
    }

    /// The part of [`Executable::packed_bytes`] that is not from the unit's pool, which the engine has it count.
    fn packed_elsewhere(&self) -> usize {
        0
    }

    /// Whether the last bits of a row of the results may depend on the number of rows, because few rows are computed in
    /// another way than many.
    fn depends_on_rows(&self) -> bool {
        false
    }

    /// Output shapes for these inputs, as far as they are known before a launch; [`OpShapes`] implements this for units
    /// of one op. An error if a launch with these inputs could only fail.
    ///
    /// [`OpShapes`]: crate::OpShapes
    fn shapes(&self, inputs: &[Option<Value>]) -> Result<Vec<OutputShape>, KernelError>;

    /// Computes all results at once on the calling thread, in memory of the caller, without allocating any and without an
    /// [admission](Device::admit). It is for launches so short that starting them takes most of the time; longer ones are
    /// submitted, so that they get their threads and can be stopped.
    ///
    /// False if the unit has no such way, if operands or results do not fit it, or if the launch is too long or fails: the
    /// results then have any contents, and the caller [submits](Executable::submit) the launch, which also says what is wrong.
    fn direct(&self, inputs: &[TensorView<'_>], outputs: &mut [TensorViewMut<'_>]) -> bool {
        let _ = (inputs, outputs);
        false
    }

    /// Submits a launch to a stream of the device, where it runs after everything submitted to that stream before and
    /// after the fences `after`. Operands produced by an earlier launch on the same stream need no fence.
    ///
    /// Pending outputs can be passed to further launches at once. A failure before the launch is on the stream is
    /// returned here, a later one by its fence. A synchronous device does all its work here.
    fn submit(
        &self,
        stream: &dyn Stream,
        launch: &mut Launch<'_>,
        after: &[Fence],
    ) -> Result<Submitted, KernelError>;
}

/// Allocates output `i` with this type and these dimensions, with arbitrary contents.
pub type Alloc<'a> = dyn FnMut(usize, DType, &[usize]) -> Result<Tensor, KernelError> + 'a;

/// One run of an executable: operands and memory.
pub struct Launch<'a> {
    /// Operands in the order of [`Unit::inputs`]; `None` where they are packed. Some may be results of launches that
    /// have not ended ([`Tensor::fence`]). A value that the caller no longer needs is not shared, so a kernel may take
    /// it and overwrite it with its result.
    pub inputs: &'a mut [Option<Value>],
    /// Allocates output `i`.
    pub alloc: &'a mut Alloc<'a>,
    /// Memory for temporaries.
    pub pool: &'a Pool,
    /// Limits of the run.
    pub limits: LaunchLimits,
}

/// A run's limits on its launches. They do not affect results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaunchLimits {
    /// Maximum number of threads, on devices that have them; 0 for all.
    pub threads: usize,
}

impl Launch<'_> {
    /// Waits for fences and pending operands, which a synchronous device does first; an error if one of their launches
    /// failed.
    pub fn settle(&mut self, after: &[Fence]) -> Result<(), KernelError> {
        after.iter().try_for_each(|fence| fence.wait().map_err(KernelError::dependency))?;
        self.inputs.iter_mut().flatten().try_for_each(Value::settle)
    }
}
