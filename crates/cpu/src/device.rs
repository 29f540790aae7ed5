//! The device: information, estimates and compilation.

use crate::kernel::{Call, Compile, CpuKernel};
use crate::ops;
use crate::rewrites::REWRITES;
use crate::tile::Functions;
use std::sync::Arc;
use std::time::Instant;
use trident_ir::rewrite::{Context, RewriteError, RewriteReport};
use trident_ir::{Func, Op};
use trident_jit::Compiler;
use trident_kernels::threads::{ThreadRequest, Threads, stoppable};
use trident_runtime::{
    Admission, Cost, Declined, Device, DeviceInfo, Executable, Fence, KernelError, Launch,
    LaunchLimits, OpShapes, OutputShape, Rates, StopCheck, Stream, Submitted, Unit, Value,
};

/// Operations a second of one thread, for estimates: what products of matrices reach with 256-bit vectors.
const FLOPS: f64 = 40e9;
/// Bytes a second from memory, for estimates.
const BANDWIDTH: f64 = 15e9;
/// Nanoseconds from one op to the next, for estimates.
const LAUNCH_NANOS: f64 = 500.0;

/// The cores of this machine.
pub struct CpuDevice {
    info: DeviceInfo,
    threads: Arc<Threads>,
    functions: Arc<Functions>,
}

impl CpuDevice {
    /// A device that uses `threads` threads; 0 means one for each core.
    pub fn new(threads: usize) -> CpuDevice {
        let compiler = Compiler::for_machine(threads);
        CpuDevice {
            info: compiler.info(),
            threads: Arc::clone(compiler.threads()),
            functions: Arc::new(Functions::new(compiler)),
        }
    }
}

impl Device for CpuDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn admit(
        &self,
        limits: LaunchLimits,
        until: Option<Instant>,
        stop: Option<StopCheck>,
    ) -> Option<Admission> {
        let LaunchLimits { priority, threads } = limits;
        let request = ThreadRequest { priority, threads, until, stop };
        self.threads.enter(request).map(Admission::of)
    }

    fn estimate(&self, func: &Func, ops: &[&Op]) -> Option<Cost> {
        let flops = FLOPS * self.info.threads as f64;
        let rates = Rates { flops, bandwidth: BANDWIDTH, launch_nanos: LAUNCH_NANOS };
        Some(rates.cost(func, ops))
    }

    /// Launches end when they are submitted, and wait where they begin.
    fn crossing_nanos(&self) -> f64 {
        0.0
    }

    fn rewrites(&self) -> Vec<&'static str> {
        trident_passes::names(REWRITES)
    }

    fn rewrite(&self, func: &mut Func, cx: &Context<'_>) -> Result<RewriteReport, RewriteError> {
        trident_passes::rewrite(func, REWRITES, cx)
    }

    fn compile(&self, unit: &Unit<'_>) -> Result<Arc<dyn Executable>, Declined> {
        let [op] = unit.ops else {
            return Err(Declined::Several { ops: unit.ops.len() });
        };
        let kernel =
            ops::kernel(&Compile { op, unit, threads: &self.threads, functions: &self.functions })?;
        Ok(Arc::new(Compiled {
            kernel,
            wanted: op.outputs.iter().map(Option::is_some).collect(),
            shapes: OpShapes::of(unit),
            threads: self.threads.clone(),
        }))
    }
}

/// A compiled op.
struct Compiled {
    kernel: Box<dyn CpuKernel>,
    /// For each result, whether it is in use.
    wanted: Vec<bool>,
    shapes: OpShapes,
    threads: Arc<Threads>,
}

impl Executable for Compiled {
    fn kernel(&self) -> &str {
        self.kernel.name()
    }

    fn packed(&self) -> &[usize] {
        self.kernel.packed()
    }

    fn packed_bytes(&self) -> usize {
        self.kernel.packed_bytes()
    }

    fn packed_elsewhere(&self) -> usize {
        self.kernel.packed_bytes()
    }

    fn shapes(&self, inputs: &[Option<Value>]) -> Result<Vec<OutputShape>, KernelError> {
        self.shapes.outputs(inputs)
    }

    fn submit(
        &self,
        _: &dyn Stream,
        launch: &mut Launch<'_>,
        after: &[Fence],
    ) -> Result<Submitted, KernelError> {
        launch.settle(after)?;
        let limited = match launch.limits.threads {
            0 => None,
            n => Some(self.threads.limited(n)),
        };
        let mut call = Call::new(&self.wanted, launch, limited.as_ref().unwrap_or(&self.threads));
        // A launch that its run has to stop unwinds, so that nothing is left in part.
        stoppable(|| self.kernel.run(&mut call)).map_err(|_| KernelError::Cancelled)??;
        Ok(Submitted::ended(call.finish()))
    }
}
