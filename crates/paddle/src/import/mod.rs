//! Programs to functions of the IR.

use crate::error::{Fault, PaddleErrorKind};
use crate::program::Program;
use trident_ir::{Func, Level, Module};

/// The module of a program: one function, with the program's inputs and outputs by their names.
pub(crate) fn import(program: &Program) -> Result<Module, Fault> {
    let func = Func::new("main", Level::Graph);
    match program.main.ops.first() {
        Some(op) => Err(Fault::from(PaddleErrorKind::UnknownOp).at(op)),
        None => Ok(Module { funcs: vec![func], ..Module::default() }),
    }
}
