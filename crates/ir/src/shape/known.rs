//! Small values known before the program runs, in whole or in part.
//!
//! Shape arithmetic in a model (Shape, Gather, Concat, Mul …) computes with small integer tensors.
//! Following them with symbolic elements gives the shapes that they lead to.

use super::expr::Expr;
use crate::element::B8;
use crate::{DType, Literal};

/// Values of more elements than this are not followed.
pub const MAX_ELEMS: usize = 64;

/// One element.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Elem {
    /// An integer, or a truth value as 0 or 1.
    Int(Expr),
    /// A floating-point number.
    Float(f64),
    /// Not known.
    Unknown,
}

impl Elem {
    /// The integer, if it is one.
    pub(crate) fn int(&self) -> Option<&Expr> {
        match self {
            Elem::Int(e) => Some(e),
            _ => None,
        }
    }

    /// The integer, if it is a number.
    pub(crate) fn constant(&self) -> Option<i64> {
        self.int()?.constant()
    }
}

impl From<Option<Expr>> for Elem {
    fn from(value: Option<Expr>) -> Elem {
        value.map_or(Elem::Unknown, Elem::Int)
    }
}

/// A tensor of at most [`MAX_ELEMS`] elements.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Known {
    /// Dimensions.
    pub(crate) dims: Vec<usize>,
    /// Elements in row-major order.
    pub(crate) elems: Vec<Elem>,
}

impl Known {
    /// A tensor; `None` if it is too large or its parts do not fit together.
    pub(crate) fn new(dims: Vec<usize>, elems: Vec<Elem>) -> Option<Known> {
        (size(&dims)? == elems.len()).then_some(Known { dims, elems })
    }

    /// A rank-0 tensor.
    pub(crate) fn scalar(elem: Elem) -> Known {
        Known { dims: vec![], elems: vec![elem] }
    }

    /// A rank-1 tensor; `None` if it is too large.
    pub(crate) fn vector(elems: Vec<Elem>) -> Option<Known> {
        Known::new(vec![elems.len()], elems)
    }

    /// A constant; `None` if it is too large or of a type that is not followed.
    pub(crate) fn of(literal: &Literal) -> Option<Known> {
        size(literal.dims())?;
        let elems: Vec<Elem> = match literal.dtype() {
            DType::F32 => {
                literal.to_vec::<f32>()?.into_iter().map(|v| Elem::Float(v.into())).collect()
            }
            DType::F64 => literal.to_vec::<f64>()?.into_iter().map(Elem::Float).collect(),
            DType::Bool => {
                let bits = literal.to_vec::<B8>()?;
                bits.into_iter().map(|b| Elem::Int(Expr::from(i64::from(bool::from(b))))).collect()
            }
            _ => literal.to_i64s()?.into_iter().map(|v| Elem::Int(Expr::from(v))).collect(),
        };
        Known::new(literal.dims().to_vec(), elems)
    }

    /// The constant of an element type, if every element is known.
    pub(crate) fn literal(&self, dtype: DType) -> Option<Literal> {
        let floats = || -> Option<Vec<f64>> {
            let float = |e: &Elem| match e {
                Elem::Float(v) => Some(*v),
                _ => None,
            };
            self.elems.iter().map(float).collect()
        };
        let vector = match dtype {
            DType::I64 => Literal::vector(&self.ints()?),
            DType::I32 => {
                let ints = self.ints()?.into_iter().map(|n| i32::try_from(n).ok());
                Literal::vector(&ints.collect::<Option<Vec<_>>>()?)
            }
            DType::Bool => {
                let bits = self.ints()?.into_iter().map(|n| B8::from(n != 0));
                Literal::vector(&bits.collect::<Vec<_>>())
            }
            DType::F64 => Literal::vector(&floats()?),
            DType::F32 => {
                Literal::vector(&floats()?.into_iter().map(|v| v as f32).collect::<Vec<_>>())
            }
            _ => return None,
        };
        vector.with_dims(self.dims.clone())
    }

    /// All elements as integers, if they are numbers.
    pub(crate) fn ints(&self) -> Option<Vec<i64>> {
        self.elems.iter().map(Elem::constant).collect()
    }

    /// Whether nothing is known of any element.
    pub(crate) fn is_unknown(&self) -> bool {
        self.elems.iter().all(|e| *e == Elem::Unknown) && !self.elems.is_empty()
    }

    /// The knowledge about a value that is one or the other.
    pub(crate) fn join(&self, other: &Known) -> Option<Known> {
        if self.dims != other.dims {
            return None;
        }
        let join = |(a, b): (&Elem, &Elem)| if a == b { a.clone() } else { Elem::Unknown };
        Known::new(self.dims.clone(), self.elems.iter().zip(&other.elems).map(join).collect())
    }
}

/// The number of elements, if it is small enough to follow them.
pub(crate) fn size(dims: &[usize]) -> Option<usize> {
    crate::literal::checked_len(dims).filter(|n| *n <= MAX_ELEMS)
}
