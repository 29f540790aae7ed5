//! Type rules: the type of a result from operands and attributes, shapes left aside.

use super::{kinds, view};
use crate::{AttrName, DType, Op, Type, verify};

/// How the type of a result follows.
#[derive(Clone, Copy, Debug)]
pub enum Rule {
    /// A tensor with the element type of this operand.
    Elem(usize),
    /// A block of the elements or pointers of this operand.
    Element(usize),
    /// A block of what the pointers of this operand point to.
    Pointee(usize),
    /// A tensor of this element type.
    Is(DType),
    /// A tensor of the element type that the attribute names.
    Attr(AttrName<kinds::DType>),
    /// Like `Attr`; if the attribute is absent, the element type of this operand.
    AttrOr(AttrName<kinds::DType>, usize),
    /// The whole type of this operand, shape included.
    Same(usize),
    /// The type of this operand, shapes left aside.
    Like(usize),
    /// A sequence of the type of this operand (shape unknown).
    SeqOf(usize),
    /// The item type of this sequence operand.
    ItemOf(usize),
    /// The type inside this optional operand; the operand's own type if it is none.
    InnerOf(usize),
    /// The type of what the regions yield at the place of the result.
    Regions,
    /// Whatever the function says; the verifier of the level knows more.
    Declared,
    /// Computed by a function of the op and its operand types.
    Fn(fn(&Op, &Operands<'_>) -> Result<Type, TypeError>),
}

/// Looks up the type of operand `i`; `None` if it is absent.
pub type Operands<'a> = dyn Fn(usize) -> Option<&'a Type> + 'a;

/// An op whose operands have no fitting type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TypeError {
    /// A required operand is absent.
    #[error("needs operand {index} (`{name}`)")]
    MissingOperand {
        /// Op name.
        op: &'static str,
        /// Operand name.
        name: &'static str,
        /// Its place.
        index: usize,
    },
    /// A required attribute is absent or of another kind.
    #[error("needs attribute `{name}` ({expected})")]
    Attribute {
        /// Op name.
        op: &'static str,
        /// Attribute name.
        name: &'static str,
        /// The expected one.
        expected: &'static str,
    },
    /// An operand is of another type than the op takes.
    #[error("operand {index} (`{name}`) is {actual}, expected {expected}")]
    Operand {
        /// Op name.
        op: &'static str,
        /// Operand name.
        name: &'static str,
        /// Its place.
        index: usize,
        /// Its type.
        actual: String,
        /// The types that the op takes.
        expected: String,
    },
    /// An attribute has a value that the op does not take.
    #[error("attribute `{name}` is {actual}, must be {expected}")]
    AttributeValue {
        /// Op name.
        op: &'static str,
        /// Attribute name.
        name: &'static str,
        /// Its value.
        actual: String,
        /// The types that the op takes.
        expected: String,
    },
    /// A result is declared with a type that the op cannot give.
    #[error("result {index} (`{name}`) is {actual}, must be {expected}")]
    Result {
        /// Op name.
        op: &'static str,
        /// Result name.
        name: &'static str,
        /// Its place.
        index: usize,
        /// Its declared type.
        actual: String,
        /// The types that the op can give.
        expected: String,
    },
    /// Operands or attributes do not fit the op's row.
    #[error("{reason}")]
    Malformed {
        /// Op name.
        op: &'static str,
        /// The fault.
        reason: String,
    },
    /// The regions of an op do not fit it.
    #[error("{reason}")]
    Region {
        /// Op name.
        op: &'static str,
        /// The reason.
        reason: String,
    },
}

impl TypeError {
    /// The error of an op that does not fit its row.
    pub(crate) fn malformed(op: &Op) -> TypeError {
        let fault = verify::operands(op).and_then(|()| verify::attributes(op));
        let reason =
            fault.map_or_else(|fault| fault.to_string(), |()| "does not fit its row".into());
        TypeError::Malformed { op: op.decl().name, reason }
    }
}

impl Rule {
    /// The type of result `index` of `op`; `None` where only its function tells.
    pub fn apply<'a>(
        &self,
        op: &Op,
        index: usize,
        operands: &Operands<'a>,
        yields: &dyn Fn(usize) -> Option<Type>,
    ) -> Result<Option<Type>, TypeError> {
        let decl = op.kind.decl();
        let name = |i: usize| decl.operand(i).map_or("?", |o| o.name);
        let operand = |i: usize| {
            operands(i).ok_or(TypeError::MissingOperand { op: decl.name, name: name(i), index: i })
        };
        let wrong = |i: usize, actual: &Type, expected: &str| TypeError::Operand {
            op: decl.name,
            name: name(i),
            index: i,
            actual: actual.to_string(),
            expected: expected.to_owned(),
        };
        let elem = |i: usize| {
            let ty = operand(i)?;
            ty.dtype().ok_or_else(|| wrong(i, ty, "a tensor"))
        };
        let attr_dtype = |name| view::set_or_declared(op, name);
        Ok(Some(match *self {
            Rule::Declared => return Ok(None),
            Rule::Elem(i) => Type::unranked(elem(i)?),
            Rule::Element(i) => match operand(i)? {
                ty @ (Type::Tensor(_) | Type::Pointer(_)) => ty.with_shape(None),
                other => return Err(wrong(i, other, "a block of elements or pointers")),
            },
            Rule::Pointee(i) => match operand(i)? {
                Type::Pointer(p) => Type::unranked(p.to),
                other => return Err(wrong(i, other, "a pointer")),
            },
            Rule::Is(dtype) => Type::unranked(dtype),
            Rule::Attr(name) => Type::unranked(attr_dtype(name).ok_or(TypeError::Attribute {
                op: decl.name,
                name: name.text(),
                expected: "an element type",
            })?),
            Rule::AttrOr(name, i) => Type::unranked(match attr_dtype(name) {
                Some(dtype) => dtype,
                None => elem(i)?,
            }),
            Rule::Same(i) => operand(i)?.clone(),
            Rule::Like(i) => operand(i)?.unshaped(),
            Rule::SeqOf(i) => Type::Seq(Box::new(operand(i)?.unshaped())),
            Rule::ItemOf(i) => match operand(i)? {
                Type::Seq(item) => (**item).clone(),
                other => return Err(wrong(i, other, "a sequence")),
            },
            Rule::InnerOf(i) => match operand(i)? {
                Type::Optional(inner) => (**inner).clone(),
                other => other.clone(),
            },
            Rule::Regions => yields(index).ok_or_else(|| TypeError::Region {
                op: decl.name,
                reason: format!("no region yields result {index}"),
            })?,
            Rule::Fn(rule) => rule(op, operands)?,
        }))
    }
}
