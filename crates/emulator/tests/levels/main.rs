//! Random tile functions give the same bits in the reference interpreter, on the CPU and as Metal programs, in which the checked
//! emulator finds no race, no divergent barrier, and no access outside of memory or of what nobody wrote.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

#[path = "../../../tile-to-lane/tests/lane/generate.rs"]
mod generate;

mod casts;
mod products;
mod reports;
mod together;

use generate::{Generator, Tensor};
use std::sync::Arc;
use trident_apple::device::GpuCompiler;
use trident_emulator::{Check, Emulator, EmulatorOptions};
use trident_ir::Module;
use trident_ir::interp::{InterpValue, Interpreter, Memory};
use trident_jit::Compiler;
use trident_runtime::{Arguments, Checks, Kernel, KernelCompiler, KernelOptions, LaunchError};

/// Programs of each launch.
const GRID: [u32; 3] = [2, 1, 1];

/// The interpreter's results in memory.
fn expected(module: &Module, tensors: &[Tensor]) -> Vec<Vec<u8>> {
    let mut memory = Memory::default();
    let mut args: Vec<InterpValue> = vec![];
    for tensor in tensors {
        args.push(InterpValue::address(memory.add(&tensor.name, &tensor.elements)));
    }
    args.push(InterpValue::scalar(generate::BOUND));
    let mut interpreter = Interpreter::new(module).unwrap_or_else(|e| panic!("{e}"));
    interpreter.launch(GRID, &args, &mut memory).unwrap_or_else(|e| panic!("{e}"));
    let bytes = |t: &Tensor| memory.bytes(&t.name).map(<[u8]>::to_vec).unwrap_or_default();
    tensors.iter().map(bytes).collect()
}

/// A device's results in memory.
fn computed(kernel: &dyn Kernel, tensors: &[Tensor]) -> Result<Vec<Vec<u8>>, LaunchError> {
    let bytes = |t: &Tensor| t.elements.iter().flat_map(|e| e.to_le_bytes()).collect();
    let mut memory: Vec<Vec<u8>> = tensors.iter().map(bytes).collect();
    let mut arguments = Arguments::new();
    for (tensor, bytes) in tensors.iter().zip(&mut memory) {
        arguments = arguments.write(&tensor.name, bytes);
    }
    arguments = arguments.scalar(generate::BOUND as u64);
    kernel.launch(&arguments.launch(GRID))?;
    Ok(memory)
}

fn emulators() -> GpuCompiler {
    let emulator = |check| {
        Emulator::new(EmulatorOptions { check, ..EmulatorOptions::default() })
            .unwrap_or_else(|e| panic!("{e}"))
    };
    let checked = Arc::new(emulator(Some(Check::default())));
    GpuCompiler::new(Arc::new(emulator(None)), Some(checked))
}

#[test]
fn random_functions_give_the_same_bits() {
    let (gpu, cpu) = (emulators(), Compiler::for_machine(1));
    let options = KernelOptions { checks: Checks::Bounds };
    let count = std::env::var("TRIDENT_MSL_FUNCTIONS").ok().and_then(|n| n.parse().ok());
    for seed in 0..count.unwrap_or(200u64) {
        let (text, tensors) = Generator::new(seed).function();
        let module: Module = text.parse().unwrap_or_else(|e| panic!("{seed}: {e}\n{text}"));
        let wanted = expected(&module, &tensors);
        let compilers: [(&str, &dyn KernelCompiler); 2] = [("the CPU", &cpu), ("Metal", &gpu)];
        for (device, compiler) in compilers {
            let kernel = compiler.compile_kernel(&module, &options);
            let kernel = kernel.unwrap_or_else(|e| panic!("{seed} on {device}: {e}\n{text}"));
            let found = computed(&*kernel, &tensors).unwrap_or_else(|e| {
                let msl = kernel.listing("msl").unwrap_or_default();
                panic!("{seed} on {device}: {e}\n{text}\n{msl}")
            });
            let msl = kernel.listing("msl").unwrap_or_default();
            assert!(found == wanted, "{seed} on {device}:\n{text}\n{msl}");
        }
    }
}
