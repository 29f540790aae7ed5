//! The names that rows of ops use, in scope for these alone: `Int` in a row is a kind of attribute, `Elem(0)` a rule for types.

pub(crate) use super::grammar::{
    arity, axes, class, default, exact, expand, flops, internal, kind, mark, or,
};
pub(crate) use super::kinds::AttrType;
pub(crate) use super::rule::Rule::{
    AttrOr, Declared, Elem, Element, Fn, InnerOf, Is, ItemOf, Pointee, Regions, Same, SeqOf,
};
pub(crate) use super::rule::{Rule, TypeError};
pub(crate) use super::words::*;
pub(crate) use super::{
    Arity, AttrDecl, Class, Default, Effect, Elements, Exact, Group, Onnx, OpDecl, OpKind,
    OpResult, Operand, Use,
};
pub(crate) use crate::DType;
pub(crate) use crate::axes::AxesRule;
pub(crate) use crate::tile::alike;
pub(crate) use crate::{cost, ops};

pub(crate) const BOOL: Rule = Is(DType::Bool);
pub(crate) const I64: Rule = Is(DType::I64);
pub(crate) const F32: Rule = Is(DType::F32);
