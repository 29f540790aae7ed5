//! Truth values, comparisons and bits.

use crate::decompose::{Composite, Expr};
use crate::op::grammar::ops;
use crate::ops;
use crate::shape::values::{comparison, each, less, truths};
use crate::shape::{Elem, Known, View};
use crate::tile::{Site, Types, one, with_dims};
use crate::{DType, OpKind, Type, shape};

ops! {
    /// Logical and, broadcast.
    And "and" Elementwise (a: Bool, b: Bool) -> (c: BOOL) {} onnx "" 1 values and_values;
    /// Logical or, broadcast.
    Or "or" Elementwise (a: Bool, b: Bool) -> (c: BOOL) {} onnx "" 1 values or_values;
    /// Logical exclusive or, broadcast.
    Xor "xor" Elementwise (a: Bool, b: Bool) -> (c: BOOL) {} onnx "" 1;
    /// Logical negation.
    Not "not" Elementwise (x: Bool) -> (y: BOOL) {} onnx "" 1 values not_values;
    /// a = b, broadcast.
    Equal "equal" Elementwise (a: Any T, b: Any T) -> (c: BOOL) {} onnx "" 1 values equal_values;
    /// a > b, broadcast; true is greater than false.
    Greater "greater" Elementwise (a: Ordered T, b: Ordered T) -> (c: BOOL) {} onnx "" 1 values greater_values;
    /// a ≥ b, broadcast.
    GreaterOrEqual "greater_or_equal" Elementwise (a: Ordered T, b: Ordered T) -> (c: BOOL) {}
        onnx "" 12 values greater_or_equal_values;
    /// a < b, broadcast.
    Less "less" Elementwise (a: Ordered T, b: Ordered T) -> (c: BOOL) {} onnx "" 1 values less_values;
    /// a ≤ b, broadcast.
    LessOrEqual "less_or_equal" Elementwise (a: Ordered T, b: Ordered T) -> (c: BOOL) {} onnx "" 12 values less_or_equal_values;
    /// x where the condition holds, else y; broadcast.
    Where "where" Elementwise (condition: Bool, x: Any T, y: Any T) -> (output: Element(1)) {}
        onnx "" 9 values where_values tile where_types lane where_types;
    /// Whether the element is an infinity of a requested sign.
    IsInf "is_inf" Elementwise (x: Float) -> (y: BOOL) { detect_negative: Flag = true, detect_positive: Flag = true }
        onnx "" 10 composite is_inf;
    /// Whether the element is not a number.
    IsNaN "is_nan" Elementwise (x: Float) -> (y: BOOL) {} onnx "" 9;
    /// Shifts `x` by `y` bits in `direction` LEFT or RIGHT, broadcast; signed types shift arithmetically to the right.
    BitShift "bit_shift" Elementwise (x: Int T, y: Int T) -> (z: Elem(0)) { direction: ShiftDirection } onnx "" 11;
    /// Bitwise and, broadcast.
    BitwiseAnd "bitwise_and" Elementwise (a: Int T, b: Int T) -> (c: Elem(0)) {} onnx "" 18;
    /// Complements every bit.
    BitwiseNot "bitwise_not" Elementwise (x: Int) -> (y: Elem(0)) {} onnx "" 18;
    /// Bitwise or, broadcast.
    BitwiseOr "bitwise_or" Elementwise (a: Int T, b: Int T) -> (c: Elem(0)) {} onnx "" 18;
    /// Bitwise exclusive or, broadcast.
    BitwiseXor "bitwise_xor" Elementwise (a: Int T, b: Int T) -> (c: Elem(0)) {} onnx "" 18;
}

/// The order of its operands that a comparison tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderTest {
    /// Whether the first operand has to be the greater one.
    pub is_descending: bool,
    /// Whether equal operands pass.
    pub takes_equal: bool,
}

impl OpKind {
    /// The order that the op tests; `None` unless it is one of the four comparisons by order.
    pub fn order_test(self) -> Option<OrderTest> {
        let (is_descending, takes_equal) = match self {
            OpKind::Less => (false, false),
            OpKind::LessOrEqual => (false, true),
            OpKind::Greater => (true, false),
            OpKind::GreaterOrEqual => (true, true),
            _ => return None,
        };
        Some(OrderTest { is_descending, takes_equal })
    }
}

fn is_inf<'a>(op: ops::IsInf<'_>, e: &'a Composite<'a>) -> Expr<'a> {
    let x = e.operand(ops::IsInf::AT.x);
    match (op.detect_positive(), op.detect_negative()) {
        (true, true) => x.abs().equals(f64::INFINITY),
        (true, false) => x.equals(f64::INFINITY),
        (false, true) => x.equals(f64::NEG_INFINITY),
        // Neither sign is detected, so the result is false: nothing is less than itself.
        (false, false) => x.lt(x),
    }
}

fn not_values(cx: &View<'_>) -> Option<Known> {
    truths(cx, |args| args.first()?.map(|a| !a))
}

fn and_values(cx: &View<'_>) -> Option<Known> {
    truths(cx, |args| match args {
        [Some(false), _] | [_, Some(false)] => Some(false),
        [Some(true), Some(true)] => Some(true),
        _ => None,
    })
}

fn or_values(cx: &View<'_>) -> Option<Known> {
    truths(cx, |args| match args {
        [Some(true), _] | [_, Some(true)] => Some(true),
        [Some(false), Some(false)] => Some(false),
        _ => None,
    })
}

fn equal_values(cx: &View<'_>) -> Option<Known> {
    let int = |a: &shape::Expr, b: &shape::Expr| {
        let difference = a.sub(b)?;
        match difference.constant() {
            Some(d) => Some(d == 0),
            None => {
                let apart = difference.positive()
                    || difference.mul(&(-1).into()).is_some_and(|d| d.positive());
                apart.then_some(false)
            }
        }
    };
    comparison(cx, int, |a, b| a == b)
}

fn greater_values(cx: &View<'_>) -> Option<Known> {
    comparison(cx, |a, b| less(b, a), |a, b| a > b)
}

fn greater_or_equal_values(cx: &View<'_>) -> Option<Known> {
    comparison(cx, |a, b| less(a, b).map(|less| !less), |a, b| a >= b)
}

fn less_values(cx: &View<'_>) -> Option<Known> {
    comparison(cx, less, |a, b| a < b)
}

fn less_or_equal_values(cx: &View<'_>) -> Option<Known> {
    comparison(cx, |a, b| less(b, a).map(|less| !less), |a, b| a <= b)
}

fn where_values(cx: &View<'_>) -> Option<Known> {
    each(cx, |_, args| match args {
        [condition, x, y] => match condition.constant() {
            Some(0) => (*y).clone(),
            Some(_) => (*x).clone(),
            None if x == y => (*x).clone(),
            None => Elem::Unknown,
        },
        _ => Elem::Unknown,
    })
}

/// At levels tile and lane: blocks of elements or pointers; nothing broadcasts but a scalar condition.
fn where_types(site: &Site<'_>) -> Types {
    let at = ops::Where::AT;
    let dims = site.dims(at.x)?;
    let ty = with_dims(site.operand(at.x)?, &dims);
    site.expect(at.y, &ty)?;
    if site.operand(at.condition)? != &Type::fixed(DType::Bool, &[]) {
        site.mask(at.condition, &dims)?;
    }
    one(ty)
}
