//! Ops that run as the tile functions that they are lowered to.

use crate::kernel::{Call, Compile, CpuKernel, Made};
use std::collections::HashMap;
use std::sync::Arc;
use trident_graph_to_tile::{
    Arg, Array, Kept, Lowering, LoweringRequest, Refusal, Target, TileLaunch,
};
use trident_ir::geometry::broadcast;
use trident_ir::tile::is_element;
use trident_ir::{Module, Op};
use trident_jit::Compiler;
use trident_kernels::threads::has_to_stop;
use trident_runtime::{
    Arguments, Checks, CompileError, Declined, ForkMutex, KernelCompiler, KernelError,
    KernelOptions, LaunchError, Tensor,
};

/// The CPU. Blocks are long enough that a program's own cost does not count.
const TARGET: Target =
    Target { block: 256, vector: 16, flops_per_byte: 32, scratch: 128 << 20, matrix_unit: false };

/// The tile functions of a device, compiled once for each structure.
pub(crate) struct Functions {
    compiler: Compiler,
    /// Compiled functions by their text, in which sizes are parameters.
    known: ForkMutex<HashMap<String, Arc<dyn trident_runtime::Kernel>>>,
}

impl Functions {
    /// No functions yet.
    pub(crate) fn new(compiler: Compiler) -> Functions {
        Functions { compiler, known: ForkMutex::new(HashMap::new) }
    }

    fn compiled(&self, step: &TileLaunch) -> Result<Arc<dyn trident_runtime::Kernel>, Declined> {
        let module = Module { funcs: vec![step.func.clone()], ..Module::default() };
        let text = module.to_string();
        let mut known = self.known.lock();
        if let Some(known) = known.get(&text) {
            return Ok(Arc::clone(known));
        }
        let options = KernelOptions { checks: Checks::Bounds };
        let made = self.compiler.compile_kernel(&module, &options);
        let made = made.map_err(CompileError::declined)?;
        known.insert(text, Arc::clone(&made));
        Ok(made)
    }

    /// The functions of all steps.
    fn all(&self, lowering: &Lowering) -> Result<Vec<Arc<dyn trident_runtime::Kernel>>, Declined> {
        lowering.steps.iter().map(|step| self.compiled(step)).collect()
    }
}

/// The kernel of an elementwise op or a chain of them, whose operands broadcast to its results. Its functions are
/// compiled here, for the known dimensions and for likely values of the unknown ones.
pub(crate) fn kernel(cx: &Compile<'_>) -> Made {
    let arrays = |ids| Array::of(cx.unit.func, ids).map_err(|e| cx.declined(e.to_string()));
    let (operands, results) = (arrays(&cx.op.inputs)?, arrays(&cx.op.outputs)?);
    let dtypes = || operands.iter().flatten().map(|array| array.dtype);
    if let Some(dtype) = dtypes().find(|dtype| !is_element(*dtype)) {
        return Err(cx.declined(format!("there is no kernel for elements of {dtype}")));
    }
    let kernel = TileKernel {
        name: format!("{}.tile", cx.op.decl().name),
        op: cx.op.clone(),
        results,
        functions: Arc::clone(cx.functions),
        last: ForkMutex::new(|| None),
    };
    let contents = |i: usize| cx.constant(i)?.to_literal().ok();
    let mut refused = None;
    for operands in likely(&operands) {
        // Operands that do not fit together are an error of the launch.
        let Some(dims) = broadcast_all(&operands) else { return Ok(Box::new(kernel)) };
        let results = kernel.results_of(&dims);
        match Kept::of(&kernel.request(&operands, &results, &contents)) {
            Ok(kept) => {
                kernel.functions.all(kept.lowering())?;
                return Ok(Box::new(kernel));
            }
            Err(Refusal::Unknown | Refusal::Geometry(_)) => return Ok(Box::new(kernel)),
            Err(Refusal::Unsupported(reason)) => refused = Some(reason),
        }
    }
    match refused {
        Some(reason) => Err(cx.declined(reason)),
        None => Ok(Box::new(kernel)),
    }
}

/// The operands with likely dimensions in place of unknown ones: the shape of the others, or a scalar, which some ops
/// require.
fn likely(operands: &[Option<Array>]) -> Vec<Vec<Option<Array>>> {
    let all: Vec<&Array> = operands.iter().flatten().collect();
    if all.iter().all(|array| array.dims.is_some()) {
        return vec![operands.to_vec()];
    }
    let known: Vec<Option<Array>> =
        all.into_iter().filter(|array| array.dims.is_some()).map(|a| Some(a.clone())).collect();
    let shared = broadcast_all(&known).filter(|dims| !dims.is_empty());
    let with = |dims: Vec<usize>| {
        let fill = |array: &Array| Array {
            dtype: array.dtype,
            dims: Some(array.dims.clone().unwrap_or_else(|| dims.clone())),
        };
        operands.iter().map(|array| array.as_ref().map(fill)).collect()
    };
    vec![with(shared.unwrap_or_else(|| vec![2])), with(vec![])]
}

/// The dimensions that operands broadcast to; `None` if they do not.
fn broadcast_all(operands: &[Option<Array>]) -> Option<Vec<usize>> {
    let dims = operands.iter().flatten().filter_map(|array| array.dims.as_ref());
    dims.into_iter().try_fold(vec![], |all, dims| broadcast(&all, dims).ok())
}

struct TileKernel {
    name: String,
    op: Op,
    /// The results; only their element types are used.
    results: Vec<Option<Array>>,
    functions: Arc<Functions>,
    /// The lowering of the last launch, which mostly serves the next one.
    last: ForkMutex<Option<Arc<Ready>>>,
}

/// A lowering with the function of each step.
struct Ready {
    kept: Kept,
    kernels: Vec<Arc<dyn trident_runtime::Kernel>>,
}

impl TileKernel {
    fn request<'a>(
        &'a self,
        operands: &'a [Option<Array>],
        results: &'a [Option<Array>],
        contents: &'a dyn Fn(usize) -> Option<trident_ir::Literal>,
    ) -> LoweringRequest<'a> {
        let constant = &|_| false;
        LoweringRequest { op: &self.op, operands, results, contents, constant, target: &TARGET }
    }

    /// The results, which have these dimensions.
    fn results_of(&self, dims: &[usize]) -> Vec<Option<Array>> {
        let result = |r: &Array| Array { dtype: r.dtype, dims: Some(dims.to_vec()) };
        self.results.iter().map(|r| r.as_ref().map(result)).collect()
    }

    /// The lowering for these operands: the last one, if it fits.
    fn ready(
        &self,
        operands: &[Option<Tensor>],
        dims: &[usize],
    ) -> Result<Arc<Ready>, KernelError> {
        let array = |t: &Tensor| Array { dtype: t.dtype(), dims: Some(t.dims().to_vec()) };
        let arrays: Vec<_> = operands.iter().map(|t| t.as_ref().map(array)).collect();
        let results = self.results_of(dims);
        let contents = |i: usize| operands.get(i)?.as_ref()?.to_literal().ok();
        let request = self.request(&arrays, &results, &contents);
        let last = self.last.lock().clone();
        if let Some(ready) = last.filter(|ready| ready.kept.fits(&request)) {
            return Ok(ready);
        }
        let kept = Kept::of(&request).map_err(|refusal| match refusal {
            Refusal::Geometry(error) => KernelError::Geometry(error),
            other => KernelError::domain(other.to_string()),
        })?;
        let kernels = self.functions.all(kept.lowering());
        let kernels = kernels.map_err(|declined| KernelError::domain(declined.to_string()))?;
        let ready = Arc::new(Ready { kept, kernels });
        *self.last.lock() = Some(Arc::clone(&ready));
        Ok(ready)
    }
}

/// The memory of a launch.
struct Memory<'a> {
    operands: &'a [Option<Tensor>],
    results: Vec<Option<Tensor>>,
    scratch: Vec<Tensor>,
    /// The `i32` that reports operands outside of the op's domain.
    fault: Option<Tensor>,
}

impl Memory<'_> {
    /// Runs one step.
    fn run(
        &mut self,
        step: &TileLaunch,
        kernel: &dyn trident_runtime::Kernel,
    ) -> Result<(), KernelError> {
        let mut results: Vec<_> = self.results.iter_mut().map(Option::as_mut).collect();
        let mut scratch: Vec<_> = self.scratch.iter_mut().map(Some).collect();
        let mut fault = self.fault.as_mut();
        let mut arguments = Arguments::new();
        for (place, arg) in step.args.iter().enumerate() {
            let written = match *arg {
                Arg::Scalar(bits) => {
                    arguments = arguments.scalar(bits);
                    continue;
                }
                Arg::Operand(i) => {
                    let operand = self.operands.get(i).and_then(Option::as_ref);
                    let operand = operand.ok_or(KernelError::Missing(i))?;
                    arguments = arguments.read("operand", operand.bytes()?);
                    continue;
                }
                Arg::Result(i) => results.get_mut(i).and_then(Option::take),
                Arg::Scratch(i) => scratch.get_mut(i).and_then(Option::take),
                Arg::Fault => fault.take(),
                // No operand is said to be constant.
                Arg::Packed(_) => None,
            };
            let written = written.ok_or(KernelError::Missing(place))?;
            arguments = arguments.write("result", written.bytes_mut()?);
        }
        let launched = kernel.launch(&arguments.launch(step.grid).watched(&has_to_stop));
        launched.map_err(|error| match error {
            LaunchError::Stopped { .. } => KernelError::Cancelled,
            error => KernelError::domain(error.to_string()),
        })
    }
}

impl CpuKernel for TileKernel {
    fn name(&self) -> &str {
        &self.name
    }

    fn run(&self, call: &mut Call<'_, '_>) -> Result<(), KernelError> {
        let operands = (0..call.inputs()).map(|i| call.opt(i)).collect::<Result<Vec<_>, _>>()?;
        let mut dims = vec![];
        for operand in operands.iter().flatten() {
            dims = broadcast(&dims, operand.dims())?;
        }
        let ready = self.ready(&operands, &dims)?;
        let lowering = ready.kept.lowering();
        let mut results = vec![];
        for (i, result) in self.results.iter().enumerate() {
            let own = result.as_ref().filter(|_| lowering.same[i].is_none());
            results.push(own.map(|array| call.alloc(i, array.dtype, &dims)).transpose()?);
        }
        let scratch = lowering.scratch.iter().map(|(dtype, len)| call.temp(*dtype, &[*len]));
        let scratch = scratch.collect::<Result<Vec<_>, _>>()?;
        let fault = lowering.fault.map(|_| Tensor::from_slice(call.pool(), &[1], &[0i32]));
        let fault = fault.transpose()?;
        let mut memory = Memory { operands: &operands, results, scratch, fault };
        for (step, kernel) in lowering.steps.iter().zip(&ready.kernels) {
            memory.run(step, &**kernel)?;
        }
        if let (Some(fault), Some(meaning)) = (&memory.fault, lowering.fault)
            && fault.slice::<i32>()? != [0]
        {
            return Err(KernelError::domain(meaning));
        }
        for (i, result) in memory.results.into_iter().enumerate() {
            if let Some(result) = result {
                call.set(i, result);
            }
        }
        for (i, same) in lowering.same.iter().enumerate() {
            if let Some(from) = *same {
                let operand = operands.get(from).cloned().flatten();
                let operand = operand.ok_or(KernelError::Missing(from))?;
                call.set(i, operand.reshaped(&dims)?);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trident_ir::{DType, Func, Level, Type, ops};

    #[test]
    fn ops_of_one_structure_share_a_function() {
        let functions = Functions::new(Compiler::for_machine(1));
        let count = |dims: &[usize]| {
            let mut func = Func::new("f", Level::Graph);
            let mut value = || func.value("v", Type::fixed(DType::F32, dims));
            let (x, y) = (value(), value());
            let mut op = ops::Exp2::new(x).into_op();
            op.outputs = vec![Some(y)];
            let arrays = Array::of(&func, &op.inputs).unwrap();
            let (contents, constant) = (&|_| None, &|_| false);
            let kept = Kept::of(&LoweringRequest {
                op: &op,
                operands: &arrays,
                results: &arrays,
                contents,
                constant,
                target: &TARGET,
            });
            functions.all(kept.unwrap().lowering()).unwrap();
            functions.known.lock().len()
        };
        // A scalar has no axis, so its structure is another one.
        assert_eq!((count(&[5]), count(&[7, 3]), count(&[])), (1, 1, 2));
    }

    #[test]
    fn dimensions_that_are_not_known_are_those_of_the_others() {
        let array = |dims: Option<&[usize]>| {
            Some(Array { dtype: DType::F32, dims: dims.map(<[usize]>::to_vec) })
        };
        let dims = |operands: &[Option<Array>]| -> Vec<Vec<Option<Vec<usize>>>> {
            let of = |all: Vec<Option<Array>>| all.into_iter().map(|a| a.unwrap().dims).collect();
            likely(operands).into_iter().map(of).collect()
        };
        let fixed = |dims: &[usize]| Some(dims.to_vec());
        assert_eq!(dims(&[array(Some(&[3])), array(Some(&[]))]), [[fixed(&[3]), fixed(&[])]]);
        assert_eq!(
            dims(&[array(Some(&[4, 3])), array(None)]),
            [[fixed(&[4, 3]), fixed(&[4, 3])], [fixed(&[4, 3]), fixed(&[])]]
        );
        assert_eq!(
            dims(&[array(None), array(Some(&[]))]),
            [[fixed(&[2]), fixed(&[])], [fixed(&[]), fixed(&[])]]
        );
    }
}
