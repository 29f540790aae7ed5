//! Programs to functions of the IR.

#![allow(dead_code)] // until the readers are here

use crate::error::{PaddleErrorKind, PaddlePlace};
use crate::program::{Op, Program};
use trident_ir::{Func, Level, Module};

/// A fault, and the op at which it was found.
pub(crate) type Fault = (PaddleErrorKind, Option<Box<PaddlePlace>>);

/// The place of an op, for errors.
pub(crate) fn place(op: &Op) -> Box<PaddlePlace> {
    Box::new(PaddlePlace {
        op: format!("{}.{}", op.dialect, op.name),
        number: op.number,
        layer: op.layer.as_deref().map(str::to_owned),
    })
}

/// The module of a program: one function, with the program's inputs and outputs by their names.
pub(crate) fn import(program: &Program) -> Result<Module, Fault> {
    let func = Func::new("main", Level::Graph);
    match program.main.ops.first() {
        Some(op) => Err((PaddleErrorKind::UnknownOp, Some(place(op)))),
        None => Ok(Module { funcs: vec![func], ..Module::default() }),
    }
}
