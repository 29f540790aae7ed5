//! Ops that run as the tile functions they are lowered to.

use crate::kernel::{Call, Compile, Kernel};
use std::collections::HashMap;
use std::sync::Arc;
use trident_graph_to_tile::{self as graph, Arg, Array, Lowering, Refusal, Request, Step, Target};
use trident_ir::{Literal, Module};
use trident_jit::Compiler;
use trident_runtime::{
    Arguments, Checks, CompileError, Declined, ForkMutex, KernelCompiler, KernelError,
    KernelOptions, Tensor,
};
use trident_simd::Isa;

/// The CPU. Blocks are long enough that a program's own cost does not count.
const TARGET: Target =
    Target { block: 256, vector: 16, flops_per_byte: 32, scratch: 128 << 20, matrix_unit: false };

/// The kernel of an op that is written as tile functions. They are compiled when shapes are known, once for each structure.
pub(super) fn kernel(cx: &Compile<'_>) -> Result<Box<dyn Kernel>, Declined> {
    let arrays = |ids| Array::of(cx.unit.func, ids).map_err(|e| cx.declined(e.to_string()));
    let (operands, results) = (arrays(&cx.op.inputs)?, arrays(&cx.op.outputs)?);
    let contents = |i: usize| cx.constant(i)?.to_literal().ok();
    let compiler = Compiler::new(Isa::detect(), Arc::clone(cx.threads));
    let name = format!("{}.tile", cx.op.decl().name);
    let kernel = Lowered { name, compiler, results, kernels: ForkMutex::new(HashMap::new) };
    let request = Request {
        op: cx.op,
        operands: &operands,
        results: &kernel.results,
        contents: &contents,
        constant: &|_| false,
        target: &TARGET,
    };
    match graph::lower(&request) {
        Ok(lowering) => {
            for step in &lowering.steps {
                kernel.compiled(step).map_err(|error| cx.declined(error.to_string()))?;
            }
        }
        Err(Refusal::Unknown | Refusal::Geometry(_)) => {}
        Err(Refusal::Unsupported(reason)) => return Err(cx.declined(reason)),
    }
    Ok(Box::new(kernel))
}

struct Lowered {
    name: String,
    compiler: Compiler,
    results: Vec<Option<Array>>,
    /// Compiled functions by their text.
    kernels: ForkMutex<HashMap<String, Arc<dyn trident_runtime::Kernel>>>,
}

impl Lowered {
    fn compiled(&self, step: &Step) -> Result<Arc<dyn trident_runtime::Kernel>, CompileError> {
        let module = Module { funcs: vec![step.func.clone()], ..Module::default() };
        let text = module.to_string();
        let mut kernels = self.kernels.lock();
        if let Some(known) = kernels.get(&text) {
            return Ok(Arc::clone(known));
        }
        let options = KernelOptions { checks: Checks::Bounds };
        let made = self.compiler.compile_kernel(&module, &options);
        let made = made.map_err(CompileError::declined)?;
        kernels.insert(text, Arc::clone(&made));
        Ok(made)
    }

    fn steps(
        &self,
        lowering: &Lowering,
        operands: &[Option<Tensor>],
        results: &mut [Option<Tensor>],
        scratch: &mut [Tensor],
    ) -> Result<(), KernelError> {
        for step in &lowering.steps {
            let kernel = self.compiled(step).map_err(|e| KernelError::domain(e.to_string()))?;
            let mut results: Vec<_> = results.iter_mut().map(Option::as_mut).collect();
            let mut scratch: Vec<_> = scratch.iter_mut().map(Some).collect();
            let mut arguments = Arguments::new();
            for (place, arg) in step.args.iter().enumerate() {
                let written = match *arg {
                    Arg::Scalar(bits) => {
                        arguments = arguments.scalar(bits);
                        continue;
                    }
                    Arg::Operand(i) => {
                        let operand = operands.get(i).and_then(Option::as_ref);
                        let operand = operand.ok_or(KernelError::Missing(i))?;
                        arguments = arguments.read("operand", operand.bytes()?);
                        continue;
                    }
                    Arg::Result(i) => results.get_mut(i).and_then(Option::take),
                    Arg::Scratch(i) => scratch.get_mut(i).and_then(Option::take),
                    // No operand is said to be constant.
                    Arg::Packed(_) | Arg::Fault => None,
                };
                let written = written.ok_or(KernelError::Missing(place))?;
                arguments = arguments.write("result", written.bytes_mut()?);
            }
            let launched = kernel.launch(&arguments.launch(step.grid));
            launched.map_err(|error| KernelError::domain(error.to_string()))?;
        }
        Ok(())
    }
}

impl Kernel for Lowered {
    fn name(&self) -> &str {
        &self.name
    }

    fn run(&self, call: &mut Call<'_, '_>) -> Result<(), KernelError> {
        let operands = (0..call.inputs()).map(|i| call.opt(i)).collect::<Result<Vec<_>, _>>()?;
        let array = |t: &Tensor| Array { dtype: t.dtype(), dims: Some(t.dims().to_vec()) };
        let arrays: Vec<_> = operands.iter().map(|t| t.as_ref().map(array)).collect();
        // The only op that comes here broadcasts its operands.
        let mut dims = vec![];
        for operand in operands.iter().flatten() {
            dims = trident_ir::geometry::broadcast(&dims, operand.dims())?;
        }
        let results: Vec<_> = self
            .results
            .iter()
            .map(|r| r.as_ref().map(|r| Array { dtype: r.dtype, dims: Some(dims.clone()) }))
            .collect();
        let contents =
            |i: usize| -> Option<Literal> { operands.get(i)?.as_ref()?.to_literal().ok() };
        let request = Request {
            op: call.op,
            operands: &arrays,
            results: &results,
            contents: &contents,
            constant: &|_| false,
            target: &TARGET,
        };
        let lowering = graph::lower(&request).map_err(|refusal| match refusal {
            Refusal::Geometry(error) => KernelError::Geometry(error),
            other => KernelError::domain(other.to_string()),
        })?;
        let mut made = vec![];
        for (i, result) in results.iter().enumerate() {
            let alloc = |r: &Array| call.alloc(i, r.dtype, &dims);
            made.push(result.as_ref().map(alloc).transpose()?);
        }
        let scratch = lowering.scratch.iter().map(|(dtype, len)| call.temp(*dtype, &[*len]));
        let mut scratch = scratch.collect::<Result<Vec<_>, _>>()?;
        self.steps(&lowering, &operands, &mut made, &mut scratch)?;
        for (i, tensor) in made.into_iter().enumerate() {
            if let Some(tensor) = tensor {
                call.set(i, tensor);
            }
        }
        Ok(())
    }
}
