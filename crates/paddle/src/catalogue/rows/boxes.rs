//! Detection: boxes and their codes. A box is its corners [x1, y1, x2, y2].

use crate::catalogue::graph::Made;
use crate::catalogue::signature::{row, signature};
use crate::catalogue::{Call, Graph, Row};
use trident_ir::{DType, Literal, ValueId, ops};

signature! {
    BoxCoder (prior_box: ValueId, prior_box_var: Option<ValueId>, target_box: ValueId) {
        code_type: String = "encode_center_size", box_normalized: bool = true, axis: i64 = 0,
        variance: Vec<f64> = [],
    } -> output_box
}

signature! {
    Nms (x: ValueId) { threshold: f64 = 1.0 } -> out
}

pub(super) static ROWS: &[Row] = &[
    row!("box_coder", BoxCoder, box_coder),
    row!("nms", Nms, nms, "nms": "x=Boxes threshold=.iou_threshold out=KeepBoxesIdxs"),
];

/// A vector of numbers in the element type of `like`.
pub(super) fn vector(c: &mut Call<'_, '_>, like: ValueId, numbers: &[f64]) -> Made {
    let dtype = c.dtype(like)?;
    let wide = c.literal(Literal::vector(numbers))?;
    c.cast(wide, dtype)
}

/// Column `at` of the last axis, without the axis.
pub(super) fn column(c: &mut Graph<'_>, boxes: ValueId, at: i64) -> Made {
    let axis = c.rank(boxes)? as i64 - 1;
    let column = c.slice(boxes, axis, at, at + 1)?;
    c.squeeze(column, &[axis])
}

/// Tensors of one shape, stacked along a new last axis.
pub(super) fn stacked(c: &mut Call<'_, '_>, parts: &[ValueId]) -> Made {
    let mut columns = vec![];
    for &part in parts {
        let last = c.rank(part)? as i64;
        columns.push(c.unsqueeze(part, &[last])?);
    }
    let last = c.rank(parts[0])? as i64;
    c.concat(&columns, last)
}

/// Offsets and sizes of boxes relative to priors, or the boxes that such codes stand for.
///
/// Encoded are boxes [n, 4] against each of m priors [m, 4], to [n, m, 4]. Decoded are codes [n, m, 4], where priors
/// belong to axis 1 with `axis` 0, and to axis 0 with `axis` 1.
fn box_coder(c: &mut Call<'_, '_>, op: BoxCoder) -> Made {
    let is_decoder = match &*op.code_type {
        "encode_center_size" => false,
        "decode_center_size" => true,
        other => {
            return c.refuse(format!(
                "`code_type` is `{other}`, expected encode_center_size or decode_center_size"
            ));
        }
    };
    let rank = if is_decoder { 3 } else { 2 };
    if c.rank(op.target_box)? != rank || c.rank(op.prior_box)? != 2 {
        return c.refuse("boxes must be [boxes, 4], and codes [boxes, priors, 4]");
    }
    c.within("axis", op.axis, 0..=1)?;
    // Boxes of whole pixels include their last row and column.
    let pixel = if op.box_normalized { 0.0 } else { 1.0 };
    let more = c.number_like(op.prior_box, pixel)?;
    let half = c.number_like(op.prior_box, 0.5)?;
    // Along the axis of priors.
    let axis = if is_decoder && op.axis == 1 { 1 } else { 0 };
    let along = |c: &mut Call<'_, '_>, x: ValueId, at: i64| {
        let x = column(c, x, at)?;
        c.unsqueeze(x, &[axis])
    };
    let variance = |c: &mut Call<'_, '_>, at: usize| -> Made<Option<ValueId>> {
        match (op.prior_box_var, op.variance.get(at)) {
            (Some(of_priors), _) if c.rank(of_priors)? == 2 => {
                along(c, of_priors, at as i64).map(Some)
            }
            (Some(of_all), _) => c.slice(of_all, 0, at as i64, at as i64 + 1).map(Some),
            (None, Some(&variance)) => c.number_like(op.prior_box, variance).map(Some),
            (None, None) => Ok(None),
        }
    };
    let (mut firsts, mut seconds) = (vec![], vec![]);
    // x, then y.
    for at in 0..2usize {
        let (low, high) =
            (along(c, op.prior_box, at as i64)?, along(c, op.prior_box, at as i64 + 2)?);
        let size = c.add(ops::Sub::new(high, low))?;
        let size = c.add(ops::Add::new(size, more))?;
        let center = c.add(ops::Mul::new(size, half))?;
        let center = c.add(ops::Add::new(low, center))?;
        let (first, second) = (variance(c, at)?, variance(c, at + 2)?);
        if is_decoder {
            let (mut shift, mut scale) =
                (column(c, op.target_box, at as i64)?, column(c, op.target_box, at as i64 + 2)?);
            if let (Some(first), Some(second)) = (first, second) {
                shift = c.add(ops::Mul::new(first, shift))?;
                scale = c.add(ops::Mul::new(second, scale))?;
            }
            let shift = c.add(ops::Mul::new(shift, size))?;
            let center = c.add(ops::Add::new(shift, center))?;
            let scale = c.add(ops::Exp::new(scale))?;
            let size = c.add(ops::Mul::new(scale, size))?;
            let reach = c.add(ops::Mul::new(size, half))?;
            firsts.push(c.add(ops::Sub::new(center, reach))?);
            let end = c.add(ops::Add::new(center, reach))?;
            seconds.push(c.add(ops::Sub::new(end, more))?);
        } else {
            let (from, to) =
                (column(c, op.target_box, at as i64)?, column(c, op.target_box, at as i64 + 2)?);
            let (from, to) = (c.unsqueeze(from, &[1])?, c.unsqueeze(to, &[1])?);
            let own = c.add(ops::Sub::new(to, from))?;
            let own = c.add(ops::Add::new(own, more))?;
            let middle = c.add(ops::Add::new(from, to))?;
            let middle = c.add(ops::Mul::new(middle, half))?;
            let shift = c.add(ops::Sub::new(middle, center))?;
            let mut shift = c.add(ops::Div::new(shift, size))?;
            let ratio = c.add(ops::Div::new(own, size))?;
            let ratio = c.add(ops::Abs::new(ratio))?;
            let mut scale = c.add(ops::Log::new(ratio))?;
            if let (Some(first), Some(second)) = (first, second) {
                shift = c.add(ops::Div::new(shift, first))?;
                scale = c.add(ops::Div::new(scale, second))?;
            }
            firsts.push(shift);
            seconds.push(scale);
        }
    }
    stacked(c, &[firsts, seconds].concat())
}

/// The places of the boxes that overlap none of the kept ones before them by more than the threshold.
fn nms(c: &mut Call<'_, '_>, op: Nms) -> Made {
    let count = c.dim_of(op.x, 0)?;
    let places = c.range(count)?;
    // Scores that fall from box to box keep the order.
    let falling = c.add(ops::Sub::new(count, places))?;
    let scores = c.cast(falling, DType::F32)?;
    let scores = c.unsqueeze(scores, &[0, 1])?;
    let boxes = c.unsqueeze(op.x, &[0])?;
    let most = c.literal(Literal::scalar(i64::MAX))?;
    let overlap = c.literal(Literal::scalar(op.threshold as f32))?;
    let nms = ops::NonMaxSuppression::new(boxes, scores, Some(most), Some(overlap), None);
    let kept = c.add(nms)?;
    column(c, kept, 2)
}
