//! The device: information, estimates and compilation.

use crate::kernel::{Call, Compile, CpuKernel};
use crate::ops;
use crate::rewrites::REWRITES;
use crate::tile::Functions;
use std::sync::Arc;
use trident_ir::rewrite::{Context, RewriteError, RewriteReport};
use trident_ir::{Func, Op};
use trident_jit::Compiler;
use trident_kernels::threads::{self, ThreadRequest, Threads, give_way, stoppable};
use trident_runtime::{
    Admission, AdmissionRequest, Cost, Declined, Device, DeviceInfo, Executable, Fence, Handover,
    KernelError, Launch, OpShapes, OutputShape, Rates, Stream, Submitted, TensorView,
    TensorViewMut, Unit, Value,
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

    fn admit(&self, request: AdmissionRequest) -> Option<Admission> {
        let AdmissionRequest { limits, until, stop, handover } = request;
        let handover = handover
            .map(|handover| -> Arc<dyn threads::CoreHandover> { Arc::new(OfCore(handover)) });
        let request = ThreadRequest { threads: limits.threads, until, stop, handover };
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

/// A handover of the engine, for the threads.
struct OfCore(Arc<dyn Handover>);

impl threads::CoreHandover for OfCore {
    fn is_due(&self) -> bool {
        self.0.is_due()
    }

    fn wait(&self, has_to_stop: &dyn Fn() -> bool) {
        self.0.wait(has_to_stop);
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

    fn direct(&self, inputs: &[TensorView<'_>], outputs: &mut [TensorViewMut<'_>]) -> bool {
        self.kernel.direct(inputs, outputs, &self.threads)
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
        give_way();
        // A launch that its run has to stop unwinds, so that nothing is left in part.
        stoppable(|| self.kernel.run(&mut call)).map_err(|_| KernelError::Cancelled)??;
        Ok(Submitted::ended(call.finish()))
    }
}
