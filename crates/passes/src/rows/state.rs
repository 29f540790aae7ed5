//! The states of values.

use super::{MixedRows, Mixing, ROWS};
use std::rc::Rc;
use trident_ir::shape::Expr;
use trident_ir::{Dim, Op};

/// How a value depends on the rows of a batch. For sequences and optional values, how their items do.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum State {
    /// The same alone and in every batch.
    Shared,
    /// It depends on the number of rows, and on nothing else of a batch.
    Sized,
    /// Its parts along an axis are those that each row has alone.
    Rows(Along),
    /// Rows are mixed, by this cause.
    Mixed(Rc<MixedRows>),
}

/// The place of rows: index (o·rows + row)·inner + i of the axis belongs to a row, for all o < outer and i < inner.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Along {
    pub(super) axis: usize,
    pub(super) outer: Expr,
    pub(super) inner: Expr,
}

impl State {
    /// The rows are the first axis.
    pub(super) fn first_axis() -> State {
        State::Rows(Along { axis: 0, outer: Expr::from(1), inner: Expr::from(1) })
    }

    pub(super) fn is_first_axis(&self) -> bool {
        *self == State::first_axis()
    }

    /// The state of a value that has the one or the other; `None` if they have nothing in common.
    pub(super) fn join(&self, other: &State) -> Option<State> {
        match (self, other) {
            (a, b) if a == b => Some(a.clone()),
            (State::Mixed(cause), _) | (_, State::Mixed(cause)) => {
                Some(State::Mixed(Rc::clone(cause)))
            }
            (State::Shared, State::Sized) | (State::Sized, State::Shared) => Some(State::Sized),
            _ => None,
        }
    }
}

/// The state of results in which an op mixes rows.
pub(super) fn mixed(op: &Op, reason: Mixing) -> State {
    State::Mixed(Rc::new(MixedRows::Op { op: op.name(), reason }))
}

/// The number of rows.
pub(super) fn rows() -> Expr {
    Expr::name(ROWS.into())
}

/// Whether a dimension may depend on the number of rows; `None` if it is not known.
pub(super) fn depends(dim: &Dim) -> Option<bool> {
    Expr::of(dim).map(|expr| expr.mentions(ROWS))
}

impl Along {
    /// The length of the axis.
    pub(super) fn len(&self) -> Option<Expr> {
        self.outer.mul(&rows())?.mul(&self.inner)
    }

    /// Whether a value of these dimensions can have its rows there, and nowhere else.
    pub(super) fn fits(&self, dims: &[Dim]) -> bool {
        dims.iter().enumerate().all(|(i, dim)| match (i == self.axis, Expr::of(dim)) {
            (_, None) => true,
            (true, Some(len)) => self.len().is_none_or(|own| own == len),
            (false, Some(len)) => !len.mentions(ROWS),
        })
    }
}
