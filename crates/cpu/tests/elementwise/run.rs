//! A case, run by the interpreter, as native code and as a graph kernel.

use super::cases::{Case, LEN};
use std::sync::Arc;
use trident_cpu::CpuDevice;
use trident_ir::interp::{Block, InterpValue, Interpreter, Memory};
use trident_ir::{DType, Func, Level, Literal, Module, Type, generic};
use trident_jit::Compiler;
use trident_kernels::threads::Threads;
use trident_runtime::{
    Arguments, Checks, Device, Immediate, KernelCompiler, KernelOptions, Launch, LaunchLimits,
    Pool, Submitted, Tensor, Unit,
};
use trident_simd::Isa;

/// Elements of a block, in native code.
const BLOCK: usize = 64;

fn bytes(dtype: DType, bits: &[u64]) -> Vec<u8> {
    bits.iter().flat_map(|x| x.to_le_bytes().into_iter().take(dtype.size())).collect()
}

fn bits(dtype: DType, bytes: &[u8]) -> Vec<u64> {
    let word = |chunk: &[u8]| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    };
    bytes.chunks_exact(dtype.size()).map(word).collect()
}

fn dims(data: &[u64]) -> Vec<usize> {
    if data.len() == 1 { vec![] } else { vec![data.len()] }
}

fn parse(text: &str) -> Module {
    text.parse().unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn list(n: usize, of: impl Fn(usize) -> String) -> String {
    (0..n).map(of).collect::<Vec<_>>().join(", ")
}

/// The op of the text form, on values `%x0`, `%x1` …
fn op(case: &Case) -> String {
    let args = list(case.types.len(), |i| format!("%x{i}"));
    let attrs = case.attributes();
    let attrs = if attrs.is_empty() { attrs } else { format!(" {{{attrs}}}") };
    format!("%y = {}({args}){attrs}", case.kind.decl().name)
}

/// The element type and the bits of the result on `data`.
pub(crate) fn interpreted(case: &Case, data: &[Vec<u64>]) -> (DType, Vec<u64>) {
    let params = list(data.len(), |i| {
        let dims = if data[i].len() == 1 { String::new() } else { LEN.to_string() };
        format!("%x{i}: {}[{dims}]", case.types[i])
    });
    let module = parse(&format!("func @f tile ({params}) {{ {} return %y }}", op(case)));
    let args: Vec<InterpValue> = case
        .types
        .iter()
        .zip(data)
        .map(|(&dtype, x)| {
            let literal = Literal::from_bytes(dtype, dims(x), bytes(dtype, x).into()).unwrap();
            InterpValue::Block(Block::from_literal(&literal).unwrap())
        })
        .collect();
    let mut interpreter = Interpreter::new(&module).unwrap_or_else(|e| panic!("{case}: {e}"));
    let results = interpreter.call("f", &args, &mut Memory::default());
    let results = results.unwrap_or_else(|e| panic!("{case}: {e}"));
    let InterpValue::Block(y) = &results[0] else { panic!("{case} gives no block") };
    (y.dtype, y.bits.to_vec())
}

/// The result's bits by native code.
pub(crate) fn native(case: &Case, isa: Isa) -> Result<Vec<u64>, String> {
    let n = case.types.len();
    let result = interpreted(case, &case.data).0;
    let params = list(n, |i| format!("%p{i}: ptr<{}>[]", case.types[i]));
    let loads: String = (0..n)
        .map(|i| match case.data[i].len() {
            1 => format!("%x{i} = load(%p{i})\n"),
            _ => format!(
                "%s{i} = splat(%p{i}) : ptr<{}>[{BLOCK}] %q{i} = ptr_add(%s{i}, %at) %x{i} = load(%q{i}, %m)\n",
                case.types[i]
            ),
        })
        .collect();
    let module = parse(&format!(
        "func @k tile ({params}, %py: ptr<{result}>[], %n: i32[]) {{
           %pid = program_id {{axis = 0}}
           %size = constant {{value = i32[]({BLOCK})}}
           %start = mul(%pid, %size)
           %starts = splat(%start) : i32[{BLOCK}]
           %r = arange {{start = 0, end = {BLOCK}}}
           %at = add(%starts, %r)
           %ns = splat(%n) : i32[{BLOCK}]
           %m = less(%at, %ns)
           {loads}
           {}
           %sy = splat(%py) : ptr<{result}>[{BLOCK}]
           %qy = ptr_add(%sy, %at)
           store(%qy, %y, %m)
           return
         }}",
        op(case)
    ));
    let compiler = Compiler::new(isa, Arc::new(Threads::new(1)));
    let options = KernelOptions { checks: Checks::Bounds };
    let kernel = compiler.compile_kernel(&module, &options).map_err(|e| e.to_string())?;
    let operands: Vec<Vec<u8>> =
        case.types.iter().zip(&case.data).map(|(&dtype, x)| bytes(dtype, x)).collect();
    let mut y = vec![0u8; LEN * result.size()];
    let mut arguments = Arguments::new();
    for x in &operands {
        arguments = arguments.read("x", x);
    }
    // Several programs, of which the last one's mask ends within a group of lanes.
    let mut arguments = arguments.write("y", &mut y).scalar((LEN - 5) as u64);
    let grid = [LEN.div_ceil(BLOCK) as u32, 1, 1];
    let launched = kernel.launch(&arguments.launch(grid));
    drop(arguments);
    launched.map_err(|e| e.to_string())?;
    let mut found = bits(result, &y);
    found.truncate(LEN - 5);
    // The elements that were not asked for count as right.
    found.extend(&interpreted(case, &case.data).1[LEN - 5..]);
    Ok(found)
}

/// The result's bits by the graph kernel.
pub(crate) fn graph(case: &Case) -> Result<Vec<u64>, String> {
    let pool = Pool::new();
    let mut func = Func::new("f", Level::Graph);
    let (mut inputs, mut values) = (vec![], vec![]);
    for (&dtype, x) in case.types.iter().zip(&case.data) {
        inputs.push(Some(func.value("x", Type::fixed(dtype, &dims(x)))));
        let tensor = Tensor::from_bytes(&pool, dtype, &dims(x), bytes(dtype, x).into()).unwrap();
        values.push(Some(tensor.into()));
    }
    let result = interpreted(case, &case.data).0;
    let outputs = vec![Some(func.value("y", Type::unranked(result)))];
    let mut op = generic::op(case.kind, inputs.clone(), &case.attrs).unwrap();
    op.outputs.clone_from(&outputs);
    let ops = std::slice::from_ref(&op);
    let unit = Unit { func: &func, ops, inputs, outputs, constant: &|_| None, pool: &pool };
    let kernel = CpuDevice::new(1).compile(&unit).map_err(|e| e.to_string())?;
    let mut launch = Launch {
        inputs: &mut values,
        alloc: &mut |_, dtype, dims| Tensor::alloc(&pool, dtype, dims),
        pool: &pool,
        limits: LaunchLimits::default(),
    };
    let launched = kernel.submit(&Immediate, &mut launch, &[]).and_then(Submitted::wait);
    let results = launched.map_err(|e| e.to_string())?;
    let y = results[0].as_ref().and_then(|v| v.as_tensor()).unwrap();
    assert_eq!(y.dtype(), result, "{case}");
    Ok(bits(result, y.bytes().unwrap()))
}
