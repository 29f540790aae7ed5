//! A Paddle model as both of its formats are read: blocks of ops over variables that are written once.
//!
//! In PIR, operands and results of an op have positions. In a `ProgramDesc` they have slots, each with a list of
//! variables. [`Args`] holds either. A `ProgramDesc` may write one variable many times; its reader gives each write a
//! [`Var`] of its own, and turns blocks of ops into the form that PIR has (see [`Op::blocks`]).

mod args;
mod attr;
mod budget;
mod names;

pub(crate) use args::Args;
pub(crate) use attr::Attr;
pub(crate) use budget::Budget;
pub(crate) use names::{Names, repeated};

use std::rc::Rc;
use trident_ir::{DType, Literal};

/// A model as read from its files.
#[derive(Debug)]
pub(crate) struct Program {
    /// The format of the program's file.
    pub form: Form,
    /// The format's version as the file states it: a number of PIR's files, or Paddle's version in a `ProgramDesc`
    /// (2003002 is 2.3.2, 0 a development build).
    pub version: i64,
    /// All variables; [`Var`] is the position in this table.
    pub vars: Vec<VarInfo>,
    /// Inputs in the order in which the model lists them.
    pub inputs: Vec<Port>,
    /// Outputs in the order in which the model lists them.
    pub outputs: Vec<Port>,
    /// Parameters.
    pub params: Vec<Param>,
    /// The ops. Variables of `inputs` and `params` are defined before the first one.
    pub main: Block,
}

/// The formats of programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// JSON of Paddle's newer IR.
    Pir,
    /// The message `ProgramDesc`.
    ProgramDesc,
}

/// A variable of a program, written once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Var(pub u32);

impl Var {
    /// The position in tables indexed by variable.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The facts about a variable.
#[derive(Clone, Debug)]
pub(crate) struct VarInfo {
    /// The name in the file: in PIR that of a parameter or input, else `%` and a number. Not unique in a
    /// `ProgramDesc` that writes one variable many times.
    pub name: Rc<str>,
    /// The type.
    pub ty: VarType,
}

/// Types of variables.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum VarType {
    /// A tensor.
    Tensor(TensorInfo),
    /// A list of values of these types.
    List(Box<[VarType]>),
    /// A tensor array; each element has this type, whose dimensions are often not stated.
    Array(TensorInfo),
    /// Nothing: a result that the op does not give.
    Nothing,
    /// Any other type by its name, such as `selected_rows`. Using it is an error.
    Other(Rc<str>),
}

/// Element type and dimensions as far as the file states them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TensorInfo {
    /// The element type, if it is stated and is one of ours.
    pub dtype: Option<DType>,
    /// Dimensions, of which -1 is not known; `None` if the rank is not stated either.
    pub dims: Option<Box<[i64]>>,
}

/// An input or output.
#[derive(Clone, Debug)]
pub(crate) struct Port {
    /// The name by which callers know it.
    pub name: Rc<str>,
    /// The variable.
    pub var: Var,
}

/// A parameter of the model.
#[derive(Clone, Debug)]
pub(crate) struct Param {
    /// The variable; its name is the parameter's.
    pub var: Var,
    /// The elements. `None` if the program declares the parameter and its file does not have it, such as the state of
    /// a dropout: ops that compute with it are an error.
    pub data: Option<Literal>,
}

/// Ops in the order in which they run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Block {
    /// Variables that the owner of the block defines.
    pub params: Vec<Var>,
    /// The ops.
    pub ops: Vec<Op>,
    /// Variables that the block gives to its owner.
    pub results: Vec<Var>,
}

/// An op.
///
/// Some ops have the same form in both formats, since the reader of `ProgramDesc` makes it:
///
/// | op | operands | blocks | results |
/// |---|---|---|---|
/// | `while` | condition, carried values | one, with the carried values as parameters and the condition and values as results | the carried values |
/// | `if` | condition | two, without parameters: the condition is true, or false | the values of the block that ran |
/// | `undefined` of dialect `builtin` | none | none | a variable that nothing has written yet |
///
/// These have positions, never slots. Blocks see all variables that are defined before the op.
#[derive(Clone, Debug)]
pub(crate) struct Op {
    /// The dialect: `pd_op`, `builtin`, `custom_op`, `onednn_op` …, or `legacy` for ops of a `ProgramDesc`.
    pub dialect: Rc<str>,
    /// The name without its dialect.
    pub name: Rc<str>,
    /// The operands.
    pub operands: Args,
    /// The results.
    pub results: Args,
    /// Attributes by name, in the order of the file.
    pub attrs: Vec<(Rc<str>, Attr)>,
    /// Inner blocks.
    pub blocks: Vec<Block>,
    /// The layer that made the op, as Paddle names it: `/Model/Linear_1/`.
    pub layer: Option<Rc<str>>,
    /// The number of the op in the file, over all blocks in the order of the file.
    pub number: u32,
}

impl Op {
    /// An attribute.
    pub(crate) fn attr(&self, name: &str) -> Option<&Attr> {
        self.attrs.iter().find(|(known, _)| &**known == name).map(|(_, attr)| attr)
    }
}

impl Program {
    /// The facts about a variable.
    pub(crate) fn var(&self, var: Var) -> &VarInfo {
        &self.vars[var.index()]
    }
}
