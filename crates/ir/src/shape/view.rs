//! The view that a rule has of its op.

use super::dims;
use super::error::ShapeError;
use super::expr::Expr;
use super::known::{Elem, Known, MAX_ELEMS};
use super::values::Values;
use crate::op::kinds::Int;
use crate::op::view;
use crate::{AttrName, DType, Dim, Func, Op, Shape, Type, ValueId, geometry};
use std::fmt::{self, Display};

/// An op, the types of its operands and what is known of their values.
pub(crate) struct View<'a> {
    /// The op.
    pub(crate) op: &'a Op,
    /// The function around it.
    pub(crate) func: &'a Func,
    /// The known values, by [`ValueId`].
    pub(crate) known: &'a [Option<Known>],
}

/// Shapes of the results in order; `None` where not even the rank is known.
pub(crate) type Shapes = Result<Vec<Option<Shape>>, ShapeError>;

/// A rule for shapes.
pub(crate) type ShapeRule = fn(&View<'_>) -> Shapes;

/// A rule for the type of the only result; `None` where the rules for types of the row say all.
pub(crate) type WholeRule = fn(&View<'_>) -> Result<Option<Type>, ShapeError>;

/// A rule for the values of results.
pub(crate) type ValuesRule = fn(&View<'_>) -> Values;

/// The shapes of an op of one result.
pub(crate) fn one(shape: Shape) -> Shapes {
    Ok(vec![Some(shape)])
}

/// Nothing is known of any result.
pub(crate) fn nothing() -> Shapes {
    Ok(vec![])
}

impl<'a> View<'a> {
    /// Whether operand `i` is present.
    pub(crate) fn has(&self, i: usize) -> bool {
        self.op.input(i).is_some()
    }

    /// The type of operand `i`.
    pub(crate) fn ty(&self, i: usize) -> Option<&'a Type> {
        self.op.input(i).map(|v| self.func.ty(v))
    }

    /// Element type of operand `i`.
    pub(crate) fn dtype(&self, i: usize) -> Option<DType> {
        self.ty(i)?.dtype()
    }

    /// Dimensions of operand `i`, if its rank is known.
    pub(crate) fn shape(&self, i: usize) -> Option<&'a [Dim]> {
        self.ty(i)?.shape()
    }

    /// Rank of operand `i`.
    pub(crate) fn rank(&self, i: usize) -> Option<usize> {
        self.shape(i).map(<[Dim]>::len)
    }

    /// The known value of operand `i`.
    pub(crate) fn known(&self, i: usize) -> Option<&'a Known> {
        self.known_value(self.op.input(i)?)
    }

    fn known_value(&self, v: ValueId) -> Option<&'a Known> {
        self.known.get(v.index())?.as_ref()
    }

    /// The elements of an integer operand: one entry an element, `None` where it is not known.
    pub(crate) fn exprs(&self, i: usize) -> Option<Vec<Option<Expr>>> {
        let known = self.known(i)?;
        Some(known.elems.iter().map(|e| e.int().cloned()).collect())
    }

    /// The elements of an integer operand, if all are numbers.
    pub(crate) fn ints(&self, i: usize) -> Option<Vec<i64>> {
        self.known(i)?.ints()
    }

    /// The only element of an integer operand, if it is a number.
    pub(crate) fn int(&self, i: usize) -> Option<i64> {
        match self.ints(i)?.as_slice() {
            [v] => Some(*v),
            _ => None,
        }
    }

    /// The elements of a floating-point operand, if all are known.
    pub(crate) fn floats(&self, i: usize) -> Option<Vec<f64>> {
        let float = |e: &Elem| match e {
            Elem::Float(v) => Some(*v),
            _ => None,
        };
        self.known(i)?.elems.iter().map(float).collect()
    }

    /// An operand that holds dimensions, as a shape; unknown where an element is.
    pub(crate) fn dims_in(&self, i: usize) -> Option<Shape> {
        let dim = |e: Option<Expr>| e.map_or(Dim::Unknown, |e| e.dim());
        match self.exprs(i) {
            Some(exprs) => Some(exprs.into_iter().map(dim).collect()),
            None => self.count(i).map(dims::unknown),
        }
    }

    /// The number of elements of a vector operand.
    pub(crate) fn count(&self, i: usize) -> Option<usize> {
        match self.shape(i)? {
            [Dim::Fixed(n)] if *n <= MAX_ELEMS => Some(*n),
            _ => None,
        }
    }

    /// How errors name operand `i`. Nothing is written until there is an error.
    pub(crate) fn name(&self, i: usize) -> impl Display {
        fmt::from_fn(move |f| match self.op.input(i) {
            Some(v) => write!(f, "`{}`", self.func.info(v).name),
            None => write!(f, "operand {i}"),
        })
    }

    /// Name and shape of operand `i`.
    pub(crate) fn name_shape(&self, i: usize) -> impl Display {
        fmt::from_fn(move |f| match self.shape(i) {
            Some(shape) => write!(f, "{} {}", self.name(i), dims::show(shape)),
            None => self.name(i).fmt(f),
        })
    }

    /// An error of this op.
    pub(crate) fn error(&self, reason: impl Into<String>) -> ShapeError {
        ShapeError::Shape { op: self.op.name().into(), reason: reason.into() }
    }

    /// `axis`, negative from the end, as an index below `rank`.
    pub(crate) fn wrap(&self, axis: i64, rank: usize) -> Result<usize, ShapeError> {
        geometry::axis(axis, rank).map_err(|e| self.error(e.to_string()))
    }

    /// Attribute `name` as an axis below `rank`.
    pub(crate) fn axis(&self, name: AttrName<Int>, rank: usize) -> Result<usize, ShapeError> {
        self.wrap(view::set_or_declared(self.op, name).unwrap_or(0), rank)
    }

    /// Several axes, sorted.
    pub(crate) fn wrap_all(&self, axes: &[i64], rank: usize) -> Result<Vec<usize>, ShapeError> {
        geometry::axes(axes, rank).map_err(|e| self.error(e.to_string()))
    }

    /// Fails unless operand `i`, if its rank is known, has `rank` dimensions.
    pub(crate) fn expect_rank(&self, i: usize, rank: usize) -> Result<(), ShapeError> {
        match self.rank(i) {
            Some(actual) if actual != rank => {
                Err(self
                    .error(format!("{} has rank {actual}, expected {rank}", self.name_shape(i))))
            }
            _ => Ok(()),
        }
    }

    /// Fails if the rank of operand `i` is known to be below `least`.
    pub(crate) fn expect_rank_from(&self, i: usize, least: usize) -> Result<(), ShapeError> {
        match self.rank(i) {
            Some(actual) if actual < least => Err(self.error(format!(
                "{} has rank {actual}, expected at least {least}",
                self.name_shape(i)
            ))),
            _ => Ok(()),
        }
    }

    /// The more precise of two dimensions; an error if they are known to differ.
    pub(crate) fn equal(&self, a: &Dim, b: &Dim, what: impl Display) -> Result<Dim, ShapeError> {
        dims::unify(a, b).ok_or_else(|| self.error(format!("{what}: {a} and {b} differ")))
    }

    /// Broadcasts the shapes of these operands.
    pub(crate) fn broadcast(&self, operands: &[usize]) -> Result<Option<Shape>, ShapeError> {
        let mut result: Shape = vec![];
        for &i in operands {
            let Some(shape) = self.shape(i) else { return Ok(None) };
            result = dims::broadcast(&result, shape).ok_or_else(|| {
                let all: Vec<_> =
                    operands.iter().map(|&i| self.name_shape(i).to_string()).collect();
                self.error(format!("{} do not broadcast together", all.join(" and ")))
            })?;
        }
        Ok(Some(result))
    }
}
