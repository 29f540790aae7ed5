//! Random tile functions give the same bits at level lane: both interpreters run them, and that of level lane finds races,
//! divergent barriers, accesses outside of memory and reads of what nobody wrote.

mod generate;
mod loops;
mod products;

use generate::{Generator, Tensor};
use trident_ir::interp::{InterpValue, Interpreter, Memory};
use trident_ir::{Level, Module};
use trident_tile_to_lane::{self as lane, GpuFigures, LowerError};

/// Programs of each launch.
const GRID: [u32; 3] = [2, 1, 1];

/// The memory after a launch, or the error that stopped it.
fn run(module: &Module, tensors: &[Tensor], grid: [u32; 3]) -> Result<Vec<Vec<u8>>, String> {
    let mut memory = Memory::default();
    let mut args: Vec<InterpValue> = vec![];
    for tensor in tensors {
        args.push(InterpValue::address(memory.add(&tensor.name, &tensor.elements)));
    }
    args.push(InterpValue::scalar(generate::BOUND));
    let mut interpreter = Interpreter::new(module).map_err(|error| error.to_string())?;
    interpreter.launch(grid, &args, &mut memory).map_err(|error| error.to_string())?;
    let bytes = |t: &Tensor| memory.bytes(&t.name).map(<[u8]>::to_vec).unwrap_or_default();
    Ok(tensors.iter().map(bytes).collect())
}

#[test]
fn random_functions_give_the_same_bits() {
    let count = std::env::var("TRIDENT_LANE_FUNCTIONS").ok().and_then(|n| n.parse().ok());
    let mut used = std::collections::BTreeMap::<&str, usize>::new();
    for seed in 0..count.unwrap_or(300u64) {
        let (text, tensors) = Generator::new(seed).function();
        let module: Module = text.parse().unwrap_or_else(|e| panic!("{seed}: {e}\n{text}"));
        module.verify().unwrap_or_else(|e| panic!("{seed}: {e}\n{text}"));
        // With little memory blocks change threads in pieces.
        let threadgroup = if seed % 2 == 0 { GpuFigures::APPLE.threadgroup } else { 2 << 10 };
        // With few registers products are loops.
        let named = if seed % 4 < 2 { GpuFigures::APPLE.named } else { 4 };
        let figures = GpuFigures { threadgroup, named, ..GpuFigures::APPLE };
        let lowered = match lane::lower(&module, &figures) {
            // A few need more, which is an error and not a wrong result.
            Err(LowerError::Threadgroup { .. }) => lane::lower(&module, &GpuFigures::APPLE),
            lowered => lowered,
        };
        let lowered = lowered.unwrap_or_else(|e| panic!("{seed}: {e}\n{text}"));
        assert_eq!(lowered.module.entry().map(|f| f.level), Some(Level::Lane));
        let expected =
            run(&module, &tensors, GRID).unwrap_or_else(|e| panic!("{seed}: {e}\n{text}"));
        let found = run(&lowered.module, &tensors, GRID);
        assert_eq!(found, Ok(expected), "{seed}:\n{text}\n{}{}", lowered.plan, lowered.module);
        module.funcs[0].body.walk(&mut |op| *used.entry(op.decl().name).or_default() += 1);
    }
    for op in [
        "reduce",
        "prefix_scan",
        "permute",
        "join",
        "unjoin",
        "broadcast",
        "for",
        "if",
        "view",
        "dot",
        "atomic_rmw",
        "atomic_cas",
        "take_along_axis",
        "histogram",
        "map",
    ] {
        assert!(used.contains_key(op), "no function has a `{op}`: {used:?}");
    }
}
