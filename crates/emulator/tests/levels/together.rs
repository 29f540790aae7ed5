//! Programs of one simdgroup that share threadgroups.

use std::sync::Arc;

use trident_ir::Module;
use trident_ir::interp::{InterpValue, Interpreter, Memory};
use trident_runtime::{Arguments, Checks, Kernel, KernelCompiler, KernelOptions};

use crate::emulators;

/// A transposition, whose elements change threads, and what depends on the size of the grid.
const FUNCTION: &str = "func @f tile (%x: ptr<i32>[], %out: ptr<i32>[]) {
  %p = program_id {axis = 0}
  %q = program_id {axis = 1}
  %width = num_programs {axis = 0}
  %height = num_programs {axis = 1}
  %rows = mul(%q, %width)
  %own = add(%rows, %p)
  %len = constant {value = i32[](64)}
  %first = mul(%own, %len)
  %each = arange {start = 0, end = 64}
  %firsts = splat(%first) : i32[64]
  %at = add(%firsts, %each)
  %xs = splat(%x) : ptr<i32>[64]
  %xp = ptr_add(%xs, %at)
  %v = load(%xp)
  %square = view(%v) : i32[8, 8]
  %turned = permute(%square) {order = [1, 0]}
  %line = view(%turned) : i32[64]
  %sums = prefix_scan(%line) {axis = 0} region (%a: i32[], %b: i32[]) {
    %c = add(%a, %b)
    yield %c
  }
  %size = mul(%width, %height)
  %sizes = splat(%size) : i32[64]
  %r = add(%sums, %sizes)
  %outs = splat(%out) : ptr<i32>[64]
  %op = ptr_add(%outs, %at)
  store(%op, %r)
  return
}
";

fn compiled(compiler: &dyn KernelCompiler, module: &Module) -> Arc<dyn Kernel> {
    let options = KernelOptions { checks: Checks::Bounds };
    compiler.compile_kernel(module, &options).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn programs_share_threadgroups() {
    let module: Module = FUNCTION.parse().unwrap_or_else(|e| panic!("{e}"));
    module.verify().unwrap_or_else(|e| panic!("{e}"));
    let compiler = emulators();
    // Few programs have threadgroups of their own; the last threadgroup of a row may be smaller.
    for grid in [[1, 1, 1], [5, 3, 1], [133, 2, 1], [301, 5, 1]] {
        let len = 64 * grid.iter().product::<u32>() as usize;
        let x: Vec<i32> =
            (0..len as i32).map(|i| i.wrapping_mul(0x9e37_79b1u32 as i32) >> 20).collect();
        let mut memory = Memory::default();
        let args = [("x", &x), ("out", &vec![0; len])]
            .map(|(name, data)| InterpValue::address(memory.add(name, data)));
        let mut interpreter = Interpreter::new(&module).unwrap_or_else(|e| panic!("{e}"));
        interpreter.launch(grid, &args, &mut memory).unwrap_or_else(|e| panic!("{e}"));
        let kernel = compiled(&compiler, &module);
        let msl = kernel.listing("msl").unwrap_or_default();
        assert!(msl.contains("max_total_threads_per_threadgroup(256)"), "{msl}");
        let (mut x, mut out) =
            (x.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>(), vec![0; 4 * len]);
        let mut arguments = Arguments::new().write("x", &mut x).write("out", &mut out);
        let done = kernel.launch(&arguments.launch(grid));
        done.unwrap_or_else(|e| panic!("{grid:?}: {e}\n{msl}"));
        assert!(memory.bytes("out") == Some(&out[..]), "{grid:?}:\n{msl}");
    }
}

#[test]
fn a_grid_of_too_many_threads_is_refused() {
    let module: Module = FUNCTION.parse().unwrap_or_else(|e| panic!("{e}"));
    let kernel = compiled(&emulators(), &module);
    let (mut x, mut out) = (vec![0; 4], vec![0; 4]);
    let mut arguments = Arguments::new().write("x", &mut x).write("out", &mut out);
    let error = kernel.launch(&arguments.launch([1 << 27, 1, 1])).err().map(|e| e.to_string());
    assert!(error.as_deref().is_some_and(|e| e.contains("programs along x")), "{error:?}");
}
