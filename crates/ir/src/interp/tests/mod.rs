//! Ops against plain loops.

mod block;
mod contract;
mod elementwise;
mod fold;
mod function;
mod lane;
mod memory;

use super::{Block, InterpError, InterpValue, Interpreter, Memory};
use crate::{DType, Element, Literal, Module};

/// A block of these elements.
fn tensor<T: Element>(elements: &[T], dims: &[usize]) -> InterpValue {
    let literal = Literal::vector(elements).with_dims(dims.to_vec()).unwrap();
    InterpValue::Block(Block::from_literal(&literal).unwrap())
}

/// A block of bits.
fn bits(dtype: DType, elements: &[u64], dims: &[usize]) -> InterpValue {
    InterpValue::Block(Block::new(dtype, dims, elements.to_vec()))
}

/// The elements of a result.
fn elements<T: Element>(value: &InterpValue) -> Vec<T> {
    let InterpValue::Block(block) = value else { panic!("{value:?} is not a block") };
    block.to_literal().unwrap().to_vec().unwrap_or_else(|| panic!("{value:?}"))
}

/// The module of a function `f`.
fn module(head: &str, body: &str) -> Module {
    let module: Module = format!("func @f tile ({head}) {{ {body} }}")
        .parse()
        .unwrap_or_else(|e| panic!("{body}: {e}"));
    module.verify().unwrap_or_else(|e| panic!("{body}: {e}"));
    module
}

/// The results of `f`.
fn run(head: &str, body: &str, args: &[InterpValue]) -> Vec<InterpValue> {
    run_in(head, body, args, &mut Memory::default()).unwrap()
}

fn run_in(
    head: &str,
    body: &str,
    args: &[InterpValue],
    memory: &mut Memory,
) -> Result<Vec<InterpValue>, InterpError> {
    let module = module(head, body);
    Interpreter::new(&module).unwrap().call("f", args, memory)
}

/// Numbers that look random and are always the same (xorshift).
fn numbers(n: usize, mut seed: u64) -> Vec<u64> {
    let mut next = || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    };
    (0..n).map(|_| next()).collect()
}

/// Numbers between −4 and 4 of so few bits that sums and products of some are exact.
fn small(n: usize, seed: u64) -> Vec<f32> {
    numbers(n, seed).into_iter().map(|x| (x % 65) as f32 / 8.0 - 4.0).collect()
}
