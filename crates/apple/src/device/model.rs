//! Models on a Metal device: graph ops are lowered to tile functions and those to Metal programs.
// Submits launches, whose kernels access memory by address.
#![allow(unsafe_code)]

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use trident_graph_to_tile::{
    self as graph, Arg, Array, Kept, Lowering, LoweringRequest, Packed, Refusal, Target, TileLaunch,
};
use trident_ir::rewrite::{Context, RewriteError, RewriteReport};
use trident_ir::{Func, Module, Op};
use trident_runtime::{
    CompileError, Cost, Declined, Device, DeviceInfo, Executable, Fence, KernelError, Launch,
    OpShapes, OutputShape, Outputs, Pool, Promise, Rates, Stream, Submitted, Tensor, Unit, Value,
};

use super::compile::Compiled;
use super::launch::scalars;
use super::memory::{DeviceMemory, reachable};
use super::rewrites::REWRITES;
use super::stream::{GpuStream, Launched};
use super::translation::target;
use crate::metal::{Dispatch, Metal};
use crate::msl::{Binding, is_native};

/// Operations per second of a GPU core, for estimates: the rate of the first generation.
const FLOPS: f64 = 200e9;
/// Bytes a second from memory, for estimates.
const BANDWIDTH: f64 = 60e9;
/// Nanoseconds to add a dispatch to a batch, for estimates.
const ENCODE_NANOS: f64 = 300.0;

/// A Metal device for models.
pub struct GpuDevice {
    info: DeviceInfo,
    shared: Arc<Shared>,
    pool: Pool,
}

struct Shared {
    metal: Arc<dyn Metal>,
    target: Target,
    memory: Arc<DeviceMemory>,
    /// Compiled functions by their text, which determines structure and types but not sizes.
    kernels: Mutex<HashMap<String, Arc<Compiled>>>,
}

impl GpuDevice {
    /// A device that runs its launches on `metal`.
    pub fn new(info: DeviceInfo, metal: Arc<dyn Metal>) -> GpuDevice {
        let target = target(metal.limits());
        GpuDevice::with_target(info, metal, target)
    }

    /// Like [`Self::new`], with blocks and algorithms chosen for this target.
    pub fn with_target(info: DeviceInfo, metal: Arc<dyn Metal>, target: Target) -> GpuDevice {
        let shared = Shared {
            target,
            memory: Arc::new(DeviceMemory::new(Arc::clone(&metal))),
            kernels: Mutex::default(),
            metal,
        };
        let pool = Pool::of(shared.memory.clone());
        GpuDevice { info, shared: Arc::new(shared), pool }
    }
}

impl Shared {
    fn kernel(&self, step: &TileLaunch) -> Result<Arc<Compiled>, Declined> {
        let module = Module { funcs: vec![step.func.clone()], ..Module::default() };
        let text = module.to_string();
        let kernels = || self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kernels().get(&text) {
            return Ok(Arc::clone(known));
        }
        let made = Arc::new(Compiled::of(&module, &*self.metal).map_err(CompileError::declined)?);
        Ok(Arc::clone(kernels().entry(text).or_insert(made)))
    }
}

impl Device for GpuDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn estimate(&self, func: &Func, ops: &[&Op]) -> Option<Cost> {
        let flops = FLOPS * f64::from(self.shared.metal.limits().cores);
        let rates = Rates { flops, bandwidth: BANDWIDTH, launch_nanos: ENCODE_NANOS };
        Some(rates.cost(func, ops))
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
        let declined = |reason: String| Declined::op(op, reason);
        let arrays = |ids| Array::of(unit.func, ids).map_err(|e| declined(e.to_string()));
        let (operands, results) = (arrays(&op.inputs)?, arrays(&op.outputs)?);
        let constants: Vec<Option<Tensor>> =
            op.inputs.iter().map(|id| id.and_then(|id| (unit.constant)(id))).collect();
        let contents = |i: usize| constants.get(i)?.as_ref()?.to_literal().ok();
        let constant = |i: usize| constants.get(i).is_some_and(Option::is_some);
        let request = LoweringRequest {
            op,
            operands: &operands,
            results: &results,
            contents: &contents,
            constant: &constant,
            target: &self.shared.target,
        };
        let (mut algorithm, mut packed) = (None, vec![]);
        match graph::lower(&request) {
            Ok(lowering) => {
                (algorithm, packed) = (lowering.algorithm, lowering.packed.clone());
                for step in &lowering.steps {
                    self.shared.kernel(step).map_err(|e| declined(e.to_string()))?;
                }
            }
            // Then no kernel can be compiled yet, which would refuse them.
            Err(Refusal::Unknown) => {
                algorithm = graph::by_size(&request).then_some("by_size");
                let all = operands.iter().chain(&results).flatten();
                if let Some(array) = all.into_iter().find(|array| !is_native(array.dtype)) {
                    return Err(declined(format!("Metal has no element type {}", array.dtype)));
                }
            }
            // Operands that do not fit together are an error of the launch.
            Err(Refusal::Geometry(_)) => {}
            Err(Refusal::Unsupported(reason)) => return Err(declined(reason)),
        }
        let mut held = vec![];
        for constant in &constants {
            let copy = constant.as_ref().map(|tensor| reachable(tensor, unit.pool));
            held.push(copy.transpose().map_err(|e| declined(e.to_string()))?);
        }
        let forms = packed.into_iter().map(|packed| Ok((packed, form(packed, &held, unit.pool)?)));
        let forms = forms.collect::<Result<_, KernelError>>();
        let forms = forms.map_err(|e| declined(e.to_string()))?;
        Ok(Arc::new(GpuOp {
            name: format!("{}.{}", op.decl().name, algorithm.unwrap_or("tile")),
            packed: (0..held.len()).filter(|&i| held[i].is_some()).collect(),
            op: op.clone(),
            results,
            held,
            shapes: OpShapes::of(unit),
            shared: Arc::clone(&self.shared),
            forms: Mutex::new(forms),
            pool: unit.pool.clone(),
            last: Mutex::default(),
        }))
    }

    fn stream(&self) -> Arc<dyn Stream> {
        Arc::new(GpuStream::new(self.shared.metal.queue()))
    }

    fn memory(&self) -> Pool {
        self.pool.clone()
    }
}

/// A compiled op.
struct GpuOp {
    name: String,
    op: Op,
    results: Vec<Option<Array>>,
    /// Constant operands, in memory that the GPU reaches.
    held: Vec<Option<Tensor>>,
    packed: Vec<usize>,
    shapes: OpShapes,
    shared: Arc<Shared>,
    /// Constant operands in another form.
    forms: Mutex<Vec<(Packed, Tensor)>>,
    /// Memory for them.
    pool: Pool,
    /// The lowering of the last launch, which mostly serves the next one.
    last: Mutex<Option<Arc<Lowered>>>,
}

/// A constant operand in another form, in memory that the GPU reaches.
fn form(packed: Packed, held: &[Option<Tensor>], pool: &Pool) -> Result<Tensor, KernelError> {
    let operand = held.get(packed.operand).and_then(Option::as_ref);
    let literal = operand.ok_or(KernelError::Missing(packed.operand))?.to_literal()?;
    let form = packed.of(&literal);
    let form = form.ok_or_else(|| KernelError::domain("a constant input cannot be packed"))?;
    reachable(&Tensor::from_literal(pool, &form)?, pool)
}

/// A lowering for certain operands.
struct Lowered {
    kept: Kept,
    /// The kernel of each step.
    kernels: Vec<Arc<Compiled>>,
    packed: Vec<Tensor>,
}

/// The memory of a launch.
struct Memory<'a> {
    operands: &'a [Option<Tensor>],
    results: Vec<Option<Tensor>>,
    scratch: Vec<Tensor>,
    packed: Vec<Tensor>,
    fault: Option<Tensor>,
}

impl Executable for GpuOp {
    fn kernel(&self) -> &str {
        &self.name
    }

    fn packed(&self) -> &[usize] {
        &self.packed
    }

    fn packed_bytes(&self) -> usize {
        let forms = self.forms.lock().unwrap_or_else(PoisonError::into_inner);
        let forms = forms.iter().map(|(_, tensor)| tensor);
        self.held.iter().flatten().chain(forms).map(Tensor::size).sum()
    }

    fn depends_on_rows(&self) -> bool {
        graph::depends_on_rows(self.op.kind)
    }

    fn shapes(&self, inputs: &[Option<Value>]) -> Result<Vec<OutputShape>, KernelError> {
        self.shapes.outputs(inputs)
    }

    fn submit(
        &self,
        stream: &dyn Stream,
        launch: &mut Launch<'_>,
        after: &[Fence],
    ) -> Result<Submitted, KernelError> {
        let stream = (stream as &dyn Any).downcast_ref::<GpuStream>();
        let stream = stream.ok_or_else(|| KernelError::domain("internal error: the stream belongs to another device; please report it with the model"))?;
        for fence in after.iter().filter(|fence| !fence.is_on(stream.timeline())) {
            fence.wait().map_err(KernelError::dependency)?;
        }
        let dims = self.result_dims(launch)?;
        let operands = self.operands(launch, stream)?;
        let lowered = self.lowered(&operands, &dims)?;
        let memory = self.memory(launch, &operands, &dims, &lowered)?;
        let mut dispatches = vec![];
        for (step, kernel) in lowered.kept.lowering().steps.iter().zip(&lowered.kernels) {
            dispatches.push(self.dispatch(step, kernel, &memory)?);
        }
        self.run(stream, dispatches, lowered.kept.lowering(), memory, &dims)
    }
}

impl GpuOp {
    /// The dimensions of the results, for which small operands are waited for.
    fn result_dims(&self, launch: &mut Launch<'_>) -> Result<Vec<Option<Vec<usize>>>, KernelError> {
        let mut shapes = self.shapes.outputs(launch.inputs)?;
        if shapes.contains(&OutputShape::AfterLaunch) {
            launch.inputs.iter_mut().flatten().try_for_each(Value::settle)?;
            shapes = self.shapes.outputs(launch.inputs)?;
        }
        let dims = |shape| match shape {
            OutputShape::Known { dims, .. } => Ok(Some(dims)),
            OutputShape::Unwanted => Ok(None),
            OutputShape::AfterLaunch => {
                Err(KernelError::domain("the shape of a result is not known before the launch"))
            }
        };
        shapes.into_iter().map(dims).collect()
    }

    /// The operands, in memory that the GPU reaches.
    fn operands(
        &self,
        launch: &Launch<'_>,
        stream: &GpuStream,
    ) -> Result<Vec<Option<Tensor>>, KernelError> {
        let mut operands = vec![];
        for i in 0..self.op.inputs.len() {
            let given = launch.inputs.get(i).and_then(Option::as_ref);
            operands.push(match (self.held.get(i), given) {
                (Some(Some(held)), _) => Some(held.clone()),
                (_, None) => None,
                (_, Some(Value::Tensor(tensor))) => {
                    let foreign = |fence: &&Fence| !fence.is_on(stream.timeline());
                    if let Some(fence) = tensor.fence().filter(foreign) {
                        fence.wait().map_err(KernelError::dependency)?;
                    }
                    Some(reachable(tensor, launch.pool)?)
                }
                (_, Some(other)) => {
                    let actual = other.describe();
                    return Err(KernelError::Kind { index: i, actual, expected: "a tensor" });
                }
            });
        }
        Ok(operands)
    }

    /// The lowering for these operands: the last one, if it fits.
    fn lowered(
        &self,
        operands: &[Option<Tensor>],
        results: &[Option<Vec<usize>>],
    ) -> Result<Arc<Lowered>, KernelError> {
        let contents = |i: usize| operands.get(i)?.as_ref()?.to_literal().ok();
        let arrays: Vec<Option<Array>> = operands
            .iter()
            .map(|t| t.as_ref().map(|t| Array { dtype: t.dtype(), dims: Some(t.dims().to_vec()) }))
            .collect();
        let results: Vec<Option<Array>> = self
            .results
            .iter()
            .zip(results)
            .map(|(array, dims)| {
                array.as_ref().map(|array| Array { dtype: array.dtype, dims: dims.clone() })
            })
            .collect();
        let request = LoweringRequest {
            op: &self.op,
            operands: &arrays,
            results: &results,
            contents: &contents,
            constant: &|i| self.held.get(i).is_some_and(Option::is_some),
            target: &self.shared.target,
        };
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = last.as_ref().filter(|known| known.kept.fits(&request)) {
            return Ok(Arc::clone(known));
        }
        let kept = Kept::of(&request).map_err(|refusal| match refusal {
            Refusal::Geometry(error) => KernelError::Geometry(error),
            other => KernelError::domain(other.to_string()),
        })?;
        let lowering = kept.lowering();
        let kernels = lowering.steps.iter().map(|step| self.shared.kernel(step));
        let kernels = kernels
            .collect::<Result<Vec<_>, _>>()
            .map_err(|declined| KernelError::domain(declined.to_string()))?;
        let packed = lowering.packed.iter().map(|packed| self.form(*packed));
        let packed = packed.collect::<Result<_, _>>()?;
        let lowered = Arc::new(Lowered { kept, kernels, packed });
        *last = Some(Arc::clone(&lowered));
        Ok(lowered)
    }

    /// A constant operand in another form, converted at the first request.
    fn form(&self, packed: Packed) -> Result<Tensor, KernelError> {
        let mut forms = self.forms.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = forms.iter().find(|(known, _)| *known == packed) {
            return Ok(known.clone());
        }
        let made = form(packed, &self.held, &self.pool)?;
        forms.push((packed, made.clone()));
        Ok(made)
    }

    fn memory<'a>(
        &self,
        launch: &mut Launch<'_>,
        operands: &'a [Option<Tensor>],
        dims: &[Option<Vec<usize>>],
        lowered: &Lowered,
    ) -> Result<Memory<'a>, KernelError> {
        let lowering = lowered.kept.lowering();
        let mut results = vec![];
        for (i, (array, dims)) in self.results.iter().zip(dims).enumerate() {
            results.push(match (array, dims, lowering.same.get(i).copied().flatten()) {
                (Some(array), Some(dims), None) => {
                    let made = (launch.alloc)(i, array.dtype, dims)?;
                    Some(if made.is_empty() || made.pages().is_some() {
                        made
                    } else {
                        Tensor::alloc(launch.pool, array.dtype, dims)?
                    })
                }
                _ => None,
            });
        }
        let scratch = lowering.scratch.iter();
        let scratch =
            scratch.map(|(dtype, len)| Tensor::alloc(launch.pool, *dtype, &[*len])).collect();
        let fault = lowering.fault.map(|_| Tensor::from_slice(launch.pool, &[1], &[0i32]));
        Ok(Memory {
            operands,
            results,
            scratch: Result::from_iter::<Vec<_>>(scratch)?,
            packed: lowered.packed.clone(),
            fault: fault.transpose()?,
        })
    }

    fn dispatch(
        &self,
        step: &TileLaunch,
        kernel: &Compiled,
        memory: &Memory<'_>,
    ) -> Result<Dispatch, KernelError> {
        let program = kernel.translation.program();
        let mut dispatch = kernel
            .dispatch(step.grid, self.shared.metal.limits())
            .map_err(|error| KernelError::Domain(error.to_string()))?;
        let word = |arg: &Arg| match arg {
            Arg::Scalar(bits) => *bits,
            _ => 0,
        };
        let words: Vec<u64> = step.args.iter().map(word).collect();
        for (slot, binding) in (0u32..).zip(&program.bindings) {
            dispatch = match binding {
                Binding::Scalars { fields, size } => {
                    dispatch.bytes(slot, &scalars(fields, *size, &words))
                }
                // Graph ops tell nothing.
                Binding::Report => return Err(KernelError::Missing(slot as usize)),
                // No op has so many operands.
                Binding::Table(_) => {
                    return Err(KernelError::domain(
                        "the op has more inputs than a Metal kernel can take",
                    ));
                }
                Binding::Buffer(param) => {
                    let tensor = match step.args.get(*param) {
                        Some(Arg::Operand(i)) => memory.operands.get(*i).and_then(Option::as_ref),
                        Some(Arg::Result(i)) => memory.results.get(*i).and_then(Option::as_ref),
                        Some(Arg::Scratch(i)) => memory.scratch.get(*i),
                        Some(Arg::Packed(i)) => memory.packed.get(*i),
                        Some(Arg::Fault) => memory.fault.as_ref(),
                        _ => None,
                    };
                    let tensor = tensor.ok_or(KernelError::Missing(*param))?;
                    // A slot needs a buffer even if nothing of it is read.
                    let part = match tensor.is_empty() {
                        true => self.shared.memory.nothing()?,
                        false => self.shared.memory.part(tensor)?,
                    };
                    dispatch.part(slot, &part.buffer, part.bytes)
                }
            };
        }
        Ok(dispatch)
    }

    fn run(
        &self,
        stream: &GpuStream,
        dispatches: Vec<Dispatch>,
        lowering: &Lowering,
        memory: Memory<'_>,
        dims: &[Option<Vec<usize>>],
    ) -> Result<Submitted, KernelError> {
        let mut fence = Fence::PASSED;
        let mut written = vec![None; memory.results.len()];
        if !dispatches.is_empty() {
            let all = memory.operands.iter().chain(&memory.results).flatten();
            let holds = all.chain(&memory.scratch).chain(&memory.packed).cloned().collect();
            let fault = memory.fault.zip(lowering.fault);
            // SAFETY: lowered functions mask every access to the extents of their arrays, whose tensors the launch holds. Held
            // tensors are shared, so nothing writes them, and the results are promised for when the fence has passed.
            fence = unsafe { stream.submit(dispatches, Launched { holds, fault }) };
        }
        for (to, result) in written.iter_mut().zip(memory.results) {
            let Some(result) = result else { continue };
            let (pending, promise) = Promise::new(result.dtype(), result.dims(), fence.clone());
            promise.keep(result)?;
            *to = Some(Value::Tensor(pending));
        }
        for (i, same) in lowering.same.iter().enumerate() {
            let (Some(operand), Some(Some(dims))) = (same, dims.get(i)) else { continue };
            let tensor = memory.operands.get(*operand).cloned().flatten();
            let tensor = tensor.ok_or(KernelError::Missing(*operand))?;
            written[i] = Some(Value::Tensor(tensor.reshaped(dims)?));
        }
        Ok(Submitted { outputs: Outputs::Known(written), fence })
    }
}
