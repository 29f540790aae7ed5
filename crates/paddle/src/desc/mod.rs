//! Programs as messages `ProgramDesc` of `framework.proto`.

mod op;
mod rename;

use crate::dtype;
use crate::error::{Fault, PaddleErrorKind};
use crate::params::Stored;
use crate::program::{Budget, Op, Program, TensorInfo, VarInfo, VarType};
use crate::wire::{Fields, TensorDesc, Wire};
use std::collections::HashMap;

/// The oldest and the newest version of Paddle whose programs are read: 3.2.1 is 3002001. Builds between releases
/// write 0.
const VERSIONS: (i64, i64) = (0, 3_999_999);

/// Kinds of variables that are not tensors: lists of inputs and outputs, and raw memory.
const UNSTORED: [i64; 3] = [9, 10, 17];

/// A block as the file has it.
#[derive(Default)]
struct RawBlock<'a> {
    vars: HashMap<&'a str, Declared>,
    ops: Vec<&'a [u8]>,
}

/// A declared variable.
struct Declared {
    ty: VarType,
    /// Whether it is a parameter, whose data are in a file.
    is_stored: bool,
}

/// Reads a program. Its parameters are listed apart from it, until their data are read.
pub(crate) fn read(message: &[u8]) -> Result<(Program, Vec<Stored>), Fault> {
    let mut budget = Budget::of(message.len());
    let (mut blocks, mut version) = (vec![], 0);
    for field in Fields(message) {
        match field? {
            (1, value) => blocks.push(block(value, &mut budget)?),
            (4, value) => {
                for field in value.fields()? {
                    if let (1, value) = field? {
                        version = value.int()?;
                    }
                }
            }
            _ => {}
        }
    }
    let (oldest, newest) = VERSIONS;
    if !(oldest..=newest).contains(&version) {
        return Err(PaddleErrorKind::Version { found: version, oldest, newest }.into());
    }
    rename::program(&blocks, version)
}

fn block<'a>(message: Wire<'a>, budget: &mut Budget) -> Result<RawBlock<'a>, PaddleErrorKind> {
    budget.take::<RawBlock<'_>>()?;
    let mut block = RawBlock::default();
    for field in message.fields()? {
        match field? {
            (3, value) => {
                budget.take::<(&str, Declared)>()?;
                let (name, declared) = variable(value)?;
                block.vars.insert(name, declared);
            }
            (4, value) => {
                // Each op has a result at least.
                budget.take::<(Op, VarInfo)>()?;
                block.ops.push(value.bytes()?);
            }
            _ => {}
        }
    }
    Ok(block)
}

fn variable(message: Wire<'_>) -> Result<(&str, Declared), PaddleErrorKind> {
    let (mut name, mut persistable) = ("", false);
    let (mut kind, mut ty) = (-1, VarType::Tensor(TensorInfo::default()));
    for field in message.fields()? {
        match field? {
            (1, value) => name = value.text()?,
            (2, value) => (kind, ty) = variable_type(value)?,
            (3, value) => persistable = value.int()? != 0,
            _ => {}
        }
    }
    Ok((name, Declared { ty, is_stored: persistable && !UNSTORED.contains(&kind) }))
}

/// The kind of a variable and its type.
fn variable_type(message: Wire<'_>) -> Result<(i64, VarType), PaddleErrorKind> {
    let (mut kind, mut dense, mut array) = (-1, None, None);
    for field in message.fields()? {
        match field? {
            (1, value) => kind = value.int()?,
            (3, value) => dense = Some(value),
            (4, value) => array = Some(value),
            _ => {}
        }
    }
    let ty = match kind {
        7 => VarType::Tensor(dense.map_or_else(|| Ok(TensorInfo::default()), tensor)?),
        13 => VarType::Array(array.map_or_else(|| Ok(TensorInfo::default()), tensor)?),
        8 => VarType::Other("selected_rows".into()),
        11 => VarType::Other("step_scopes".into()),
        kind => VarType::Other(format!("variables of kind {kind}").into()),
    };
    Ok((kind, ty))
}

/// Element type and dimensions of a message that has a `TensorDesc`.
fn tensor(message: Wire<'_>) -> Result<TensorInfo, PaddleErrorKind> {
    let mut info = TensorInfo::default();
    for field in message.fields()? {
        if let (1, value) = field? {
            let TensorDesc { dtype, dims } = TensorDesc::read(value.bytes()?)?;
            let dims = dims.into_iter().map(|dim| dim.max(-1)).collect();
            info = TensorInfo { dtype: dtype::from_number(dtype), dims: Some(dims) };
        }
    }
    Ok(info)
}

#[cfg(test)]
mod tests;
