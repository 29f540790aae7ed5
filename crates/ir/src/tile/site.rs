//! An op in its function, as the rules ask about it.

use crate::op::kinds::{self, AttrType};
use crate::op::{TypeError, view};
use crate::{Attr, AttrName, Block, DType, Func, Level, Op, Space, Type, ValueId};

/// An op in its function.
pub(crate) struct Site<'a> {
    pub(crate) func: &'a Func,
    pub(crate) op: &'a Op,
}

impl<'a> Site<'a> {
    /// The noun for a value with elements in errors.
    fn noun(&self) -> &'static str {
        match self.func.level {
            Level::Lane => "a scalar or vector",
            _ => "a block",
        }
    }

    fn operand_name(&self, index: usize) -> &'static str {
        self.op.decl().operand(index).map_or("?", |o| o.name)
    }

    /// The type of an operand that must be there.
    pub(crate) fn operand(&self, index: usize) -> Result<&'a Type, TypeError> {
        self.optional(index).ok_or_else(|| TypeError::MissingOperand {
            op: self.op.decl().name,
            name: self.operand_name(index),
            index,
        })
    }

    /// The type of an operand that may be left out.
    pub(crate) fn optional(&self, index: usize) -> Option<&'a Type> {
        self.op.input(index).map(|id| self.func.ty(id))
    }

    /// The declared type of a result; `None` if it is unused.
    pub(crate) fn result(&self, index: usize) -> Option<&'a Type> {
        self.op.output(index).map(|id| self.func.ty(id))
    }

    /// Types of some of the function's values.
    pub(crate) fn types(&self, ids: &[ValueId]) -> Vec<Type> {
        ids.iter().map(|&id| self.func.ty(id).clone()).collect()
    }

    /// A region of the op.
    pub(crate) fn region(&self, index: usize) -> Result<&'a Block, TypeError> {
        self.op
            .regions
            .get(index)
            .ok_or_else(|| self.region_fault(format!("region {index} is missing")))
    }

    pub(crate) fn region_fault(&self, reason: String) -> TypeError {
        TypeError::Region { op: self.op.decl().name, reason }
    }

    /// The error that operand `index` is not what the op takes.
    pub(crate) fn wrong(&self, index: usize, expected: impl Into<String>) -> TypeError {
        TypeError::Operand {
            op: self.op.decl().name,
            name: self.operand_name(index),
            index,
            actual: self.optional(index).map_or("absent".into(), Type::to_string),
            expected: expected.into(),
        }
    }

    /// The error that result `index` is declared as something the op cannot give.
    pub(crate) fn wrong_result(&self, index: usize, expected: impl Into<String>) -> TypeError {
        TypeError::Result {
            op: self.op.decl().name,
            name: self.op.decl().result(index).map_or("?", |r| r.name),
            index,
            actual: self.result(index).map_or("absent".into(), Type::to_string),
            expected: expected.into(),
        }
    }

    /// Element type and dimensions of a block of elements.
    pub(crate) fn tensor(&self, index: usize) -> Result<(DType, Vec<usize>), TypeError> {
        let ty = self.operand(index)?;
        match (ty.dtype(), ty.dims()) {
            (Some(dtype), Some(dims)) => Ok((dtype, dims)),
            _ => Err(self.wrong(index, format!("{} of elements", self.noun()))),
        }
    }

    /// Like [`tensor`](Self::tensor), with an element type for which `takes` holds; `what` names these types.
    pub(crate) fn elements(
        &self,
        index: usize,
        what: &str,
        takes: impl Fn(DType) -> bool,
    ) -> Result<(DType, Vec<usize>), TypeError> {
        match self.tensor(index)? {
            (dtype, dims) if takes(dtype) => Ok((dtype, dims)),
            _ => Err(self.wrong(index, format!("{} of {what}", self.noun()))),
        }
    }

    /// Element type pointed to and dimensions of a block of pointers.
    pub(crate) fn pointer(&self, index: usize) -> Result<(DType, Vec<usize>), TypeError> {
        let ty = self.operand(index)?;
        match (ty, ty.dims(), self.func.level) {
            (Type::Pointer(p), Some(dims), _) => Ok((p.to, dims)),
            (.., Level::Lane) => Err(self.wrong(index, "a pointer")),
            _ => Err(self.wrong(index, "a block of pointers")),
        }
    }

    /// Like [`pointer`](Self::pointer), to memory that may be written.
    pub(crate) fn writable(&self, index: usize) -> Result<(DType, Vec<usize>), TypeError> {
        match self.operand(index)? {
            Type::Pointer(p) if p.space == Space::Constant => {
                Err(self.wrong(index, "pointers to memory that may be written"))
            }
            _ => self.pointer(index),
        }
    }

    /// A block of what the pointers of operand `index` point to, and its dimensions.
    pub(crate) fn pointee(&self, index: usize) -> Result<(Type, Vec<usize>), TypeError> {
        let (to, dims) = self.pointer(index)?;
        Ok((Type::fixed(to, &dims), dims))
    }

    /// The element type of a scalar; `what` names the types for which `takes` holds.
    pub(crate) fn scalar(
        &self,
        index: usize,
        what: &str,
        takes: impl Fn(DType) -> bool,
    ) -> Result<DType, TypeError> {
        match self.tensor(index)? {
            (dtype, dims) if dims.is_empty() && takes(dtype) => Ok(dtype),
            _ => Err(self.wrong(index, format!("a scalar, {what}"))),
        }
    }

    /// The operands from this one on are absent: at level lane branches decide who takes part.
    pub(crate) fn unmasked(&self, from: usize) -> Result<(), TypeError> {
        match (from..self.op.inputs.len()).find(|&i| self.optional(i).is_some()) {
            Some(i) => Err(self.wrong(i, "none: branches guard the accesses of a thread")),
            None => Ok(()),
        }
    }

    /// Dimensions of a block of elements or pointers.
    pub(crate) fn dims(&self, index: usize) -> Result<Vec<usize>, TypeError> {
        let dims = self.operand(index)?.dims();
        dims.ok_or_else(|| self.wrong(index, format!("{} of elements or pointers", self.noun())))
    }

    /// Operand `index` must be of this type.
    pub(crate) fn expect(&self, index: usize, ty: &Type) -> Result<(), TypeError> {
        match self.operand(index)? == ty {
            true => Ok(()),
            false => Err(self.wrong(index, ty.to_string())),
        }
    }

    /// The memory that operand `index` points to, one of `spaces`.
    pub(crate) fn space(&self, index: usize, spaces: &[Space]) -> Result<Space, TypeError> {
        let names = || spaces.iter().map(|s| s.name()).collect::<Vec<_>>().join(" or ");
        match self.operand(index)? {
            Type::Pointer(p) if spaces.contains(&p.space) => Ok(p.space),
            _ => Err(self.wrong(index, format!("a pointer to {} memory", names()))),
        }
    }

    /// If operand `index` is there it must be a mask over `dims`.
    pub(crate) fn mask(&self, index: usize, dims: &[usize]) -> Result<(), TypeError> {
        match self.optional(index) {
            Some(_) => self.expect(index, &Type::fixed(DType::Bool, dims)),
            None => Ok(()),
        }
    }

    /// The error that an attribute has a value that the op does not take.
    pub(crate) fn wrong_attr<K>(
        &self,
        name: AttrName<K>,
        expected: impl Into<String>,
    ) -> TypeError {
        TypeError::AttributeValue {
            op: self.op.decl().name,
            name: name.text(),
            actual: view::shown(self.op, name),
            expected: expected.into(),
        }
    }

    /// The value of an attribute that must be set or have a default.
    fn attr<K: AttrType>(
        &self,
        name: AttrName<K>,
        expected: &str,
    ) -> Result<K::View<'a>, TypeError> {
        view::set_or_declared(self.op, name).ok_or_else(|| self.wrong_attr(name, expected))
    }

    /// An axis: 0 … `rank` − 1.
    pub(crate) fn axis(&self, name: AttrName<kinds::Int>, rank: usize) -> Result<usize, TypeError> {
        let axis = usize::try_from(self.attr(name, "an integer")?).ok();
        let axis = axis.filter(|&axis| axis < rank);
        axis.ok_or_else(|| self.wrong_attr(name, format!("an axis below {rank}")))
    }

    /// Truth values are 0 or 1.
    pub(super) fn flags(&self) -> Result<(), TypeError> {
        for attr in self.op.decl().attrs.iter().filter(|attr| attr.flag) {
            let value = view::value(self.op, attr);
            if !matches!(value, Some(Attr::Int(0 | 1))) {
                return Err(TypeError::AttributeValue {
                    op: self.op.decl().name,
                    name: attr.name,
                    actual: value.map_or("absent".into(), |value| value.to_string()),
                    expected: "0 or 1".into(),
                });
            }
        }
        Ok(())
    }

    /// The error that a choice is none of those that the op takes at this level.
    pub(crate) fn among<K: Copy + PartialEq + std::fmt::Display>(
        &self,
        name: AttrName<K>,
        given: K,
        choices: &[K],
    ) -> Result<(), TypeError> {
        let expected = || choices.iter().map(K::to_string).collect::<Vec<_>>().join(", ");
        match choices.contains(&given) {
            true => Ok(()),
            false => Err(self.wrong_attr(name, format!("one of {}", expected()))),
        }
    }

    /// The element type in an attribute, of those that live in blocks.
    pub(crate) fn element(&self, name: AttrName<kinds::DType>) -> Result<DType, TypeError> {
        let dtype = view::set_or_declared(self.op, name).filter(|&d| super::is_element(d));
        dtype.ok_or_else(|| self.wrong_attr(name, "an element type of blocks"))
    }

    /// The view of the op.
    pub(crate) fn view<V>(&self, of: impl FnOnce(&'a Op) -> Option<V>) -> Result<V, TypeError> {
        of(self.op).ok_or_else(|| TypeError::malformed(self.op))
    }
}
