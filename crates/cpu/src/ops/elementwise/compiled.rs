//! Ops without a kernel of their own: the device compiles them from level tile, where an op means the same.

use super::several::expand;
use crate::kernel::{Call, Compile, Kernel};
use std::sync::Arc;
use trident_ir::geometry::broadcast;
use trident_ir::op::TypeError;
use trident_ir::tile::is_element;
use trident_ir::{
    Attr, Builder, DType, Func, Level, Literal, Module, Op, OpKind as K, Type, ValueId,
};
use trident_jit::Compiler;
use trident_runtime::{
    Arguments, Checks, CompileError, Declined, KernelCompiler, KernelError, KernelOptions, Tensor,
};
use trident_simd::Isa;

/// Elements that one program computes.
const BLOCK: usize = 1024;

/// The kernel for any elementwise op.
pub(in crate::ops) fn kernel(cx: &Compile<'_>) -> Result<Box<dyn Kernel>, Declined> {
    let places: Vec<usize> =
        (0..cx.op.inputs.len()).filter(|&i| cx.op.input(i).is_some()).collect();
    let mut operands = vec![];
    for &i in &places {
        let dtype = cx.dtype(i).ok_or_else(|| cx.declined("an operand has no element type"))?;
        if !is_element(dtype) {
            return Err(cx.declined(format!("there is no kernel for elements of {dtype}")));
        }
        operands.push(dtype);
    }
    let (func, result) = tile_function(cx.op, &operands).map_err(|e| cx.declined(e.to_string()))?;
    let module = Module { funcs: vec![func], ..Module::default() };
    let compiler = Compiler::new(Isa::detect(), Arc::clone(cx.threads));
    let kernel = compiler.compile_kernel(&module, &KernelOptions { checks: Checks::Bounds });
    let kernel = kernel.map_err(CompileError::declined)?;
    let name = format!("{}.compiled", cx.op.decl().name);
    Ok(Box::new(Compiled { name, kernel, places, result }))
}

struct Compiled {
    name: String,
    kernel: Arc<dyn trident_runtime::Kernel>,
    /// The operands that there are.
    places: Vec<usize>,
    result: DType,
}

impl Kernel for Compiled {
    fn name(&self) -> &str {
        &self.name
    }

    fn run(&self, call: &mut Call<'_, '_>) -> Result<(), KernelError> {
        let mut dims = vec![];
        for &i in &self.places {
            dims = broadcast(&dims, call.tensor(i)?.dims())?;
        }
        let mut operands = vec![];
        for &i in &self.places {
            let x = call.tensor(i)?;
            operands.push(if x.dims() == dims { x } else { spread(call, &x, &dims)? });
        }
        let mut y = call.alloc(0, self.result, &dims)?;
        let len = y.len();
        let programs = u32::try_from(len.div_ceil(BLOCK))
            .map_err(|_| KernelError::shape(format!("{len} elements are too many")))?;
        let mut arguments = Arguments::new();
        for x in &operands {
            arguments = arguments.read("operand", x.bytes()?);
        }
        let mut arguments = arguments.write("result", y.bytes_mut()?).scalar(len as u64);
        let launched = self.kernel.launch(&arguments.launch([programs, 1, 1]));
        drop(arguments);
        launched.map_err(|e| KernelError::domain(e.to_string()))?;
        call.set(0, y);
        Ok(())
    }
}

/// The operand, broadcast to these dimensions.
fn spread(call: &Call<'_, '_>, x: &Tensor, dims: &[usize]) -> Result<Tensor, KernelError> {
    let mut y = call.temp(x.dtype(), dims)?;
    expand(call, x, &mut y)?;
    Ok(y)
}

/// A function that applies the op to arrays of these element types, a block a program: pointers to the operands and to the
/// result are its parameters, then the number of elements. With the element type of the result.
fn tile_function(op: &Op, operands: &[DType]) -> Result<(Func, DType), TypeError> {
    let mut func = Func::new(op.decl().name, Level::Tile);
    let pointers: Vec<ValueId> =
        operands.iter().map(|&dtype| func.value("x", Type::pointer(dtype, &[]))).collect();
    // Its type follows from the op.
    let out = func.value("y", Type::pointer(DType::Bool, &[]));
    let len = func.value("n", Type::fixed(DType::I64, &[]));
    func.body.params = pointers.iter().copied().chain([out, len]).collect();

    let mut b = Builder::new(&mut func);
    let i64s = [("to", Attr::DType(DType::I64))];
    let block = |dtype: DType| Type::fixed(dtype, &[BLOCK]);
    let program = b.op(K::ProgramId, &[], &[("axis", Attr::Int(0))])?;
    let program = b.op(K::Cast, &[program], &i64s)?;
    let size = b.literal(Literal::scalar(BLOCK as i64));
    let start = b.op(K::Mul, &[program, size], &[])?;
    let start = b.declared(K::Splat, &[start], &[], &[block(DType::I64)])?[0];
    let range = [("start", Attr::Int(0)), ("end", Attr::Int(BLOCK as i64))];
    let offset = b.declared(K::Arange, &[], &range, &[block(DType::I32)])?[0];
    let offset = b.op(K::Cast, &[offset], &i64s)?;
    let at = b.op(K::Add, &[start, offset], &[])?;
    let end = b.declared(K::Splat, &[len], &[], &[block(DType::I64)])?[0];
    let mask = b.op(K::Less, &[at, end], &[])?;

    let mut inputs = vec![];
    let mut loaded = pointers.iter();
    for operand in &op.inputs {
        let Some(&pointer) = operand.and_then(|_| loaded.next()) else {
            inputs.push(None);
            continue;
        };
        let places = places(&mut b, pointer, at)?;
        inputs.push(Some(b.op(K::Load, &[places, mask], &[])?));
    }
    let attrs: Vec<(&'static str, Attr)> = op.attrs.iter().map(|(n, v)| (n, v.clone())).collect();
    let y = b.ops(op.kind, &inputs, &attrs, 1)?[0];
    let result = b.func.ty(y).dtype().unwrap_or(DType::Bool);
    b.func.values[out.index()].ty = Type::pointer(result, &[]);
    let places = places(&mut b, out, at)?;
    b.declared(K::Store, &[places, y, mask], &[], &[])?;
    func.body.ops = b.finish().ops;
    Ok((func, result))
}

/// Pointers to the elements of a block.
fn places(b: &mut Builder<'_>, pointer: ValueId, at: ValueId) -> Result<ValueId, TypeError> {
    let ty = b.func.ty(pointer).with_shape(Some(vec![BLOCK.into()]));
    let pointers = b.declared(K::Splat, &[pointer], &[], &[ty])?[0];
    b.op(K::PtrAdd, &[pointers, at], &[])
}
