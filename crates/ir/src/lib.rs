//! Trident's intermediate representation.
//!
//! A [`Module`] holds functions over one op vocabulary, [`OpKind`]; one table declares each op's level, operands,
//! attributes, type rule and meaning ([`OpKind::decl`]). [`Builder`] makes functions, [`text`] prints and parses them,
//! [`verify`] checks them, [`interp`] runs those of levels tile and lane. The crate depends on no other crate of the
//! project and does no I/O.

pub mod attr;
pub mod axes;
pub mod builder;
pub mod control;
pub mod cost;
mod counted;
pub mod decompose;
pub mod dim;
pub mod dtype;
pub mod element;
pub mod func;
pub mod generic;
pub mod geometry;
pub mod interp;
pub mod lane;
pub mod literal;
mod loc;
pub mod op;
pub mod ops;
pub mod rewrite;
pub mod shape;
pub mod text;
pub mod tile;
pub mod types;
pub mod verify;

pub use attr::{Attr, AttrKind, AttrName, Attrs};
pub use builder::Builder;
pub use counted::counted;
pub use dim::{Dim, Shape};
pub use dtype::DType;
pub use element::Element;
pub use func::{Block, Func, Module, Op, ValueId, ValueInfo};
pub use literal::Literal;
pub use loc::{FuncPart, Loc, OpName, SourceLoc};
pub use op::{Level, OpDecl, OpKind};
pub use types::{AccumulatorType, DescriptorType, PointerType, Space, TensorType, Type};
