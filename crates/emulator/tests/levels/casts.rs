//! Conversions give the same bits as in the interpreter: all codes of types of 8 and 16 bits, many of longer ones.

use super::{GRID, emulators};
use std::fmt::Write as _;
use trident_ir::interp::{InterpValue, Interpreter, Memory};
use trident_ir::{DType, Module};
use trident_runtime::{Arguments, Checks, KernelCompiler, KernelOptions};

/// Elements of a program's block.
const BLOCK: usize = 256;

const TYPES: &[DType] = &[
    DType::Bool,
    DType::I8,
    DType::U8,
    DType::I16,
    DType::U16,
    DType::I32,
    DType::U32,
    DType::I64,
    DType::U64,
    DType::F8E4M3FN,
    DType::F8E4M3FNUZ,
    DType::F8E5M2,
    DType::F8E5M2FNUZ,
    DType::F16,
    DType::BF16,
    DType::F32,
];

/// Conversions from a type, each to a tensor of its own. What an integer cannot hold is arbitrary: floats become floats.
fn targets(from: DType) -> Vec<(DType, &'static str)> {
    let to = |&to: &DType| match from.is_float() {
        true if !to.is_float() => vec![],
        true if matches!(to, DType::F16 | DType::BF16) && from == DType::F32 => {
            vec![(to, ""), (to, ", rounding = \"rtz\"")]
        }
        _ if to.is_float() && to.bits() == 8 => vec![(to, ""), (to, ", saturate = 0")],
        _ => vec![(to, "")],
    };
    TYPES.iter().flat_map(to).collect()
}

fn text(from: DType, to: &[(DType, &str)]) -> String {
    let mut text = format!("func @f tile (%x: ptr<{from}>[]");
    for (i, (to, _)) in to.iter().enumerate() {
        let _ = write!(text, ", %y{i}: ptr<{to}>[]");
    }
    let _ = write!(
        text,
        ") {{\n  %each = arange {{start = 0, end = {BLOCK}}}\n  %p = program_id {{axis = 0}}
  %n = constant {{value = i32[]({BLOCK})}}\n  %m = mul(%p, %n)\n  %first = splat(%m) : i32[{BLOCK}]
  %at = add(%each, %first)\n  %xs = splat(%x) : ptr<{from}>[{BLOCK}]\n  %xp = ptr_add(%xs, %at)\n  %v = load(%xp)\n"
    );
    for (i, (to, options)) in to.iter().enumerate() {
        let _ = write!(
            text,
            "  %c{i} = cast(%v) {{to = {to}{options}}}\n  %ys{i} = splat(%y{i}) : ptr<{to}>[{BLOCK}]
  %yp{i} = ptr_add(%ys{i}, %at)\n  store(%yp{i}, %c{i})\n"
        );
    }
    text + "  return\n}\n"
}

/// Elements by their bits, a multiple of a block's.
fn elements(dtype: DType) -> Vec<u8> {
    let bits: Vec<u64> = match dtype {
        DType::Bool => (0..BLOCK as u64).map(|i| i & 1).collect(),
        _ if dtype.bits() == 8 => (0..256).collect(),
        // Every 13th code, and all of some binades.
        _ if dtype.bits() == 16 => (0..8192).map(|i| (i * 13) & 0xffff).collect(),
        _ => {
            let mut state = 0x9e37_79b9_7f4a_7c15u64;
            let mut next = || {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                // All magnitudes.
                match dtype.is_float() {
                    true => state,
                    false => state >> (state % 64),
                }
            };
            (0..4096).map(|_| next()).collect()
        }
    };
    bits.into_iter().flat_map(|bits| bits.to_le_bytes()[..dtype.size()].to_vec()).collect()
}

fn is_nan(dtype: DType, bytes: &[u8]) -> bool {
    let bits = bytes.iter().rev().fold(0u32, |bits, &byte| bits << 8 | u32::from(byte));
    match dtype {
        DType::F32 => f32::from_bits(bits).is_nan(),
        DType::F16 => bits & 0x7fff > 0x7c00,
        DType::BF16 => bits & 0x7fff > 0x7f80,
        _ => false,
    }
}

#[test]
fn conversions_give_the_same_bits() {
    let compiler = emulators();
    for &from in TYPES {
        let to = targets(from);
        let text = text(from, &to);
        let module: Module = text.parse().unwrap_or_else(|e| panic!("{e}\n{text}"));
        let input = elements(from);
        let count = input.len() / from.size();
        let grid = [(count / BLOCK) as u32, GRID[1], GRID[2]];
        let mut memory = Memory::default();
        let mut args = vec![InterpValue::address(memory.add("x", &input))];
        let mut results: Vec<Vec<u8>> = vec![];
        for (i, (to, _)) in to.iter().enumerate() {
            results.push(vec![0; count * to.size()]);
            args.push(InterpValue::address(memory.add(&format!("y{i}"), &results[i])));
        }
        let mut interpreter = Interpreter::new(&module).unwrap_or_else(|e| panic!("{e}"));
        interpreter.launch(grid, &args, &mut memory).unwrap_or_else(|e| panic!("{e}"));

        let kernel = compiler.compile_kernel(&module, &KernelOptions { checks: Checks::Bounds });
        let kernel = kernel.unwrap_or_else(|e| panic!("{from}: {e}\n{text}"));
        let mut input = input;
        let mut arguments = Arguments::new().write("x", &mut input);
        let names: Vec<String> = (0..to.len()).map(|i| format!("y{i}")).collect();
        for (name, result) in names.iter().zip(&mut results) {
            arguments = arguments.write(name, result);
        }
        kernel.launch(&arguments.launch(grid)).unwrap_or_else(|e| panic!("{from}: {e}"));
        drop(arguments);
        for (i, ((to, options), found)) in to.iter().zip(&results).enumerate() {
            let expected = memory.bytes(&format!("y{i}")).unwrap_or_default();
            let differ = expected.chunks(to.size()).zip(found.chunks(to.size())).enumerate();
            // Metal leaves open which NaN a conversion gives.
            let same = |(a, b): (&[u8], &[u8])| a == b || is_nan(*to, a) && is_nan(*to, b);
            let wrong = differ.filter(|(_, pair)| !same(*pair)).map(|(at, (a, b))| {
                let x = &input[at * from.size()..(at + 1) * from.size()];
                format!("{x:x?}: {a:x?} is {b:x?}")
            });
            let wrong: Vec<String> = wrong.take(8).collect();
            assert!(wrong.is_empty(), "{from} to {to}{options}: {wrong:?}");
        }
    }
}
