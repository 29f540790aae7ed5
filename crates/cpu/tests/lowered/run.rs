//! Runs an op by its kernel, and as the tile functions that it is lowered to.

use trident_cpu::CpuDevice;
use trident_graph_to_tile::{self as graph, Arg, Array, Lowering, LoweringRequest, Packed, Target};
use trident_ir::{Attr, DType, Func, Level, Literal, Module, Op, OpKind, Type, ValueInfo, generic};
use trident_jit::Compiler;
use trident_runtime::{
    Arguments, Checks, Device, Immediate, KernelCompiler, KernelOptions, Launch, LaunchLimits,
    Pool, Tensor, Unit, Value,
};

/// A GPU, which uses all algorithms.
pub(crate) const TARGET: Target =
    Target { block: 256, vector: 16, flops_per_byte: 32, scratch: 128 << 20, matrix_unit: false };

/// An op with its operands.
pub(crate) struct Case {
    /// The op, whose operands and results are replaced by those of the case.
    pub(crate) op: Op,
    /// The values that its regions use.
    pub(crate) values: Vec<ValueInfo>,
    pub(crate) operands: Vec<Option<Tensor>>,
    pub(crate) results: usize,
}

impl Case {
    /// An op without regions.
    pub(crate) fn new(
        kind: OpKind,
        attrs: &[(&'static str, Attr)],
        operands: Vec<Option<Tensor>>,
        results: usize,
    ) -> Case {
        let op = generic::op(kind, vec![], attrs).unwrap();
        Case { op, values: vec![], operands, results }
    }

    /// A function with the values of regions.
    fn func(&self) -> Func {
        Func { values: self.values.clone(), ..Func::new("case", Level::Graph) }
    }

    fn op(&self, func: &mut Func) -> Op {
        let operand = |(i, t): (usize, &Option<Tensor>)| {
            t.as_ref().map(|t| func.value(format!("x{i}"), t.ty()))
        };
        let mut op = self.op.clone();
        op.inputs = self.operands.iter().enumerate().map(operand).collect();
        let result = |i| Some(func.value(format!("y{i}"), Type::unranked(DType::F32)));
        op.outputs = (0..self.results).map(result).collect();
        op
    }

    /// Runs the CPU's kernel, which must not fail.
    pub(crate) fn kernel(&self) -> Vec<Tensor> {
        self.by_kernel().unwrap()
    }

    /// Runs the CPU's kernel.
    pub(crate) fn by_kernel(&self) -> Result<Vec<Tensor>, String> {
        let mut func = self.func();
        let op = self.op(&mut func);
        let pool = Pool::new();
        let unit = Unit {
            func: &func,
            ops: std::slice::from_ref(&op),
            inputs: op.inputs.clone(),
            outputs: op.outputs.clone(),
            constant: &|_| None,
            pool: &pool,
        };
        let exe = CpuDevice::new(1).compile(&unit).map_err(|e| e.reason().to_string())?;
        let mut inputs: Vec<Option<Value>> =
            self.operands.iter().map(|t| t.clone().map(Value::Tensor)).collect();
        let mut launch = Launch {
            inputs: &mut inputs,
            alloc: &mut |_, dtype, dims| Tensor::alloc(&pool, dtype, dims),
            pool: &pool,
            limits: LaunchLimits::default(),
        };
        let submitted = exe.submit(&Immediate, &mut launch, &[]).map_err(|e| e.to_string())?;
        let results = submitted.wait().map_err(|e| e.to_string())?;
        Ok(results.into_iter().map(|v| v.unwrap().as_tensor().unwrap().clone()).collect())
    }

    /// Runs the steps that the op is lowered to, for results of these types.
    pub(crate) fn lowered(&self, like: &[Tensor]) -> Result<Vec<Tensor>, String> {
        self.run(&self.lowering(like, &TARGET, &|_| false)?, like)
    }

    /// The steps for this target, where some operands are constant.
    pub(crate) fn lowering(
        &self,
        like: &[Tensor],
        target: &Target,
        constant: &dyn Fn(usize) -> bool,
    ) -> Result<Lowering, String> {
        let mut func = self.func();
        let op = self.op(&mut func);
        let array = |t: &Tensor| Array { dtype: t.dtype(), dims: Some(t.dims().to_vec()) };
        let operands: Vec<_> = self.operands.iter().map(|t| t.as_ref().map(array)).collect();
        let results: Vec<_> = like.iter().map(|t| Some(array(t))).collect();
        let contents =
            |i: usize| -> Option<Literal> { self.operands.get(i)?.as_ref()?.to_literal().ok() };
        let request = LoweringRequest {
            op: &op,
            operands: &operands,
            results: &results,
            contents: &contents,
            constant,
            target,
        };
        graph::lower(&request).map_err(|e| e.to_string())
    }

    /// Runs the steps of a lowering.
    pub(crate) fn run(&self, lowering: &Lowering, like: &[Tensor]) -> Result<Vec<Tensor>, String> {
        let pool = Pool::new();
        let empty = |dtype, dims: &[usize]| Tensor::alloc(&pool, dtype, dims).unwrap();
        let mut results: Vec<Tensor> = like.iter().map(|t| empty(t.dtype(), t.dims())).collect();
        let mut scratch: Vec<Tensor> =
            lowering.scratch.iter().map(|(dtype, len)| empty(*dtype, &[*len])).collect();
        let form = |packed: &Packed| {
            let operand = self.operands[packed.operand].as_ref()?.to_literal().ok()?;
            Tensor::from_literal(&pool, &packed.of(&operand)?).ok()
        };
        let packed: Vec<Option<Tensor>> = lowering.packed.iter().map(form).collect();
        let mut fault = Tensor::from_slice(&pool, &[1], &[0i32]).unwrap();
        let compiler = Compiler::for_machine(1);
        for step in &lowering.steps {
            let module = Module { funcs: vec![step.func.clone()], ..Module::default() };
            module.verify().map_err(|e| e.to_string())?;
            let options = KernelOptions { checks: Checks::Bounds };
            let kernel = compiler.compile_kernel(&module, &options).map_err(|e| e.to_string())?;
            let mut written: Vec<Option<&mut Tensor>> =
                results.iter_mut().chain(&mut scratch).map(Some).collect();
            let mut flag = Some(&mut fault);
            let mut arguments = Arguments::new();
            for arg in &step.args {
                let to = match arg {
                    Arg::Scalar(bits) => {
                        arguments = arguments.scalar(*bits);
                        continue;
                    }
                    Arg::Operand(i) => {
                        let operand = self.operands[*i].as_ref().unwrap();
                        arguments = arguments.read("operand", operand.bytes().unwrap());
                        continue;
                    }
                    Arg::Packed(i) => {
                        let form = packed[*i].as_ref().ok_or("a form is missing")?;
                        arguments = arguments.read("packed", form.bytes().unwrap());
                        continue;
                    }
                    Arg::Result(i) => written[*i].take(),
                    Arg::Scratch(i) => written[like.len() + i].take(),
                    Arg::Fault => flag.take(),
                };
                let to = to.ok_or("an array is an argument twice")?;
                arguments = arguments.write("written", to.bytes_mut().unwrap());
            }
            kernel.launch(&arguments.launch(step.grid)).map_err(|e| e.to_string())?;
        }
        if fault.slice::<i32>().unwrap() != [0] {
            return Err(lowering.fault.unwrap_or("a fault without a meaning").to_owned());
        }
        for (i, same) in lowering.same.iter().enumerate() {
            let Some(operand) = same else { continue };
            let operand = self.operands[*operand].clone().unwrap();
            results[i] = operand.reshaped(like[i].dims()).unwrap();
        }
        Ok(results)
    }
}

/// Whether every element is the same, or close to it for floats.
pub(crate) fn agree(a: &Tensor, b: &Tensor) -> Result<(), String> {
    if a.dtype() != DType::F32 {
        let same = a.bytes().unwrap() == b.bytes().unwrap();
        return same.then_some(()).ok_or_else(|| format!("{a:?} against {b:?}"));
    }
    let (a, b) = (a.slice::<f32>().unwrap(), b.slice::<f32>().unwrap());
    for (i, (&a, &b)) in a.iter().zip(b).enumerate() {
        let close = (a - b).abs() <= 2e-5 * (1.0 + a.abs());
        if !(close || a == b || a.is_nan() && b.is_nan()) {
            return Err(format!("element {i}: {a} against {b}"));
        }
    }
    Ok(())
}

/// Numbers between −2 and 2, the same on each run.
pub(crate) fn floats(dims: &[usize], seed: u32) -> Option<Tensor> {
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(12345);
    let values: Vec<f32> = (0..dims.iter().product())
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 22) as f32 - 2.0
        })
        .collect();
    Some(Tensor::from_slice(&Pool::new(), dims, &values).unwrap())
}

/// Integers as an operand.
pub(crate) fn ints(dims: &[usize], values: &[i64]) -> Option<Tensor> {
    Some(Tensor::from_slice(&Pool::new(), dims, values).unwrap())
}
