//! Detection: scores that fall with the overlap of boxes (Wang et al., "SOLOv2", 2020).

use super::boxes::column;
use super::detection::{ranked, rows, without_background};
use crate::catalogue::graph::Made;
use crate::catalogue::signature::{row, signature};
use crate::catalogue::{Call, Graph, Outputs, Row};
use trident_ir::{DType, Literal, ValueId, ops};

signature! {
    MatrixNms (bboxes: ValueId, scores: ValueId) {
        score_threshold: f64,
        nms_top_k: i64 = -1,
        keep_top_k: i64 = -1,
        post_threshold: f64 = 0.0,
        use_gaussian: bool = false,
        gaussian_sigma: f64 = 2.0,
        background_label: i64 = 0,
        normalized: bool = true,
    } -> out index roisnum
}

pub(super) static ROWS: &[Row] =
    &[row!("matrix_nms", MatrixNms, matrix_nms, "matrix_nms": "bboxes=BBoxes roisnum=RoisNum")];

/// Boxes of all classes whose decayed score is above a threshold. Rows are [class, score, x1, y1, x2, y2] by image and
/// score, with the place of each box among those of all images, and the number of rows of each image.
fn matrix_nms(c: &mut Call<'_, '_>, op: MatrixNms) -> Made<Outputs> {
    if c.dim(op.bboxes, 2) != Some(4) || c.rank(op.scores)? != 3 {
        return c.refuse("boxes must be [images, boxes, 4], and scores [images, classes, boxes]");
    }
    let (images, classes) = (c.dim_of(op.scores, 0)?, c.dim_of(op.scores, 1)?);
    let boxes = c.dim_of(op.scores, 2)?;
    let scores = without_background(c, op.scores, op.background_label)?;
    let rounds = c.add(ops::Mul::new(images, classes))?;
    let shape = c.concat(&[rounds, boxes], 0)?;
    let scores = c.reshape_to(scores, shape)?;
    let classes = c.scalar(classes)?;
    let dtype = c.dtype(scores)?;
    let none = |dtype, dims| Literal::from_bytes(dtype, dims, Vec::new().into());
    let initial = [c.literal(none(DType::I64, vec![0, 3])?)?, c.literal(none(dtype, vec![0])?)?];
    // A round for each class of each image, so that memory grows with the candidates of one class only.
    let found = c.repeat(rounds, &initial, |c, round, carried| {
        let image = c.add(ops::Div::new(round, classes))?;
        let class = c.add(ops::Mod::new(round, classes))?;
        let own = c.add(ops::Gather::new(scores, round))?;
        let boxes = c.add(ops::Gather::new(op.bboxes, image))?;
        let (order, score) = decayed(c, &op, boxes, own)?;
        let count = c.dim_of(order, 0)?;
        let mut columns = vec![];
        for number in [image, class] {
            let number = c.expand(number, count)?;
            columns.push(c.unsqueeze(number, &[1])?);
        }
        columns.push(c.unsqueeze(order, &[1])?);
        let places = c.concat(&columns, 1)?;
        Ok(vec![c.concat(&[carried[0], places], 0)?, c.concat(&[carried[1], score], 0)?])
    })?;
    let found = [c.reshape(found[0], &[-1, 3])?, c.reshape(found[1], &[-1])?];
    let most = if op.keep_top_k < 0 { i64::MAX } else { op.keep_top_k };
    let order = ranked(c, found[0], found[1], images, most)?;
    let kept = c.add(ops::Gather::new(found[0], order))?;
    let score = c.add(ops::Gather::new(found[1], order))?;
    Ok(rows(c, op.bboxes, kept, score)?.into())
}

/// The places of one class's boxes whose decayed score is above the threshold, best undecayed score first; with their
/// decayed scores.
fn decayed(
    c: &mut Graph<'_>,
    op: &MatrixNms,
    boxes: ValueId,
    scores: ValueId,
) -> Made<(ValueId, ValueId)> {
    let threshold = c.number_like(scores, op.score_threshold)?;
    let is_candidate = c.add(ops::Greater::new(scores, threshold))?;
    let length = c.dim_of(scores, 0)?;
    let places = c.range(length)?;
    let candidates = c.add(ops::Compress::new(places, is_candidate).axis(0))?;
    let own = c.add(ops::Gather::new(scores, candidates))?;
    let mut count = c.dim_of(candidates, 0)?;
    if op.nms_top_k >= 0 {
        let limit = c.ints(&[op.nms_top_k])?;
        count = c.add(ops::Min::new(&[count, limit]))?;
    }
    let top = c.add_all(ops::TopK::new(own, count), 2)?;
    let (scores, order) = (top[0], c.add(ops::Gather::new(candidates, top[1]))?);
    let boxes = c.add(ops::Gather::new(boxes, order))?;

    let overlap = overlaps(c, boxes, op.normalized)?;
    let places = c.range(count)?;
    let (rows, columns) = (c.unsqueeze(places, &[1])?, c.unsqueeze(places, &[0])?);
    let is_better = c.add(ops::Less::new(columns, rows))?;
    let (zero, one) = (c.number_like(scores, 0.0)?, c.number_like(scores, 1.0)?);
    let overlap = c.add(ops::Where::new(is_better, overlap, zero))?;
    let last = c.ints(&[1])?;
    // The greatest overlap of each box with a better one.
    let most = c.add(ops::ReduceMax::new(overlap, Some(last)).keepdims(false))?;
    let most = c.unsqueeze(most, &[0])?;
    let decay = if op.use_gaussian {
        let (a, b) = (c.add(ops::Mul::new(most, most))?, c.add(ops::Mul::new(overlap, overlap))?);
        let difference = c.add(ops::Sub::new(a, b))?;
        let sigma = c.number_like(scores, op.gaussian_sigma)?;
        let exponent = c.add(ops::Mul::new(difference, sigma))?;
        c.add(ops::Exp::new(exponent))?
    } else {
        let (a, b) = (c.add(ops::Sub::new(one, overlap))?, c.add(ops::Sub::new(one, most))?);
        c.add(ops::Div::new(a, b))?
    };
    let decay = c.add(ops::Where::new(is_better, decay, one))?;
    // Paddle's minimum passes over NaN, the quotient of two boxes that cover others completely.
    let is_nan = c.add(ops::IsNaN::new(decay))?;
    let decay = c.add(ops::Where::new(is_nan, one, decay))?;
    let least = c.add(ops::ReduceMin::new(decay, Some(last)).keepdims(false))?;
    let scores = c.add(ops::Mul::new(least, scores))?;
    let threshold = c.number_like(scores, op.post_threshold)?;
    let is_kept = c.add(ops::Greater::new(scores, threshold))?;
    let order = c.add(ops::Compress::new(order, is_kept).axis(0))?;
    let scores = c.add(ops::Compress::new(scores, is_kept).axis(0))?;
    Ok((order, scores))
}

/// Intersection over union of each two of the boxes [n, 4], as [n, n]. Boxes of whole pixels, which are not normalized,
/// include their last row and column. The area of a box that ends before its start is 0.
fn overlaps(c: &mut Graph<'_>, boxes: ValueId, is_normalized: bool) -> Made {
    let pixel = c.number_like(boxes, if is_normalized { 0.0 } else { 1.0 })?;
    let (x, y) = (Axis::of(c, boxes, 0, pixel)?, Axis::of(c, boxes, 1, pixel)?);
    let zero = c.number_like(boxes, 0.0)?;
    let area = c.add(ops::Mul::new(x.length, y.length))?;
    let is_turned = c.add(ops::Or::new(x.is_turned, y.is_turned))?;
    let area = c.add(ops::Where::new(is_turned, zero, area))?;
    let shared = c.add(ops::Mul::new(x.shared, y.shared))?;
    let (rows, columns) = (c.unsqueeze(area, &[1])?, c.unsqueeze(area, &[0])?);
    let union = c.add(ops::Add::new(rows, columns))?;
    let union = c.add(ops::Sub::new(union, shared))?;
    let overlap = c.add(ops::Div::new(shared, union))?;
    let is_apart = c.add(ops::Or::new(x.is_apart, y.is_apart))?;
    let overlap = c.add(ops::Where::new(is_apart, zero, overlap))?;
    // Two boxes without an area: Paddle's maximum and minimum pass over NaN.
    let is_nan = c.add(ops::IsNaN::new(overlap))?;
    c.add(ops::Where::new(is_nan, zero, overlap))
}

/// Boxes along x or y: `length` and `is_turned` of each, `shared` and `is_apart` of each two.
struct Axis {
    length: ValueId,
    /// Whether the end is before the start.
    is_turned: ValueId,
    /// The length of the intersection.
    shared: ValueId,
    /// Whether there is no intersection.
    is_apart: ValueId,
}

impl Axis {
    fn of(c: &mut Graph<'_>, boxes: ValueId, at: i64, pixel: ValueId) -> Made<Axis> {
        let span = |c: &mut Graph<'_>, start: ValueId, end: ValueId| {
            let length = c.add(ops::Sub::new(end, start))?;
            c.add(ops::Add::new(length, pixel))
        };
        let (start, end) = (column(c, boxes, at)?, column(c, boxes, at + 2)?);
        let (start_a, end_a) = (c.unsqueeze(start, &[1])?, c.unsqueeze(end, &[1])?);
        let (start_b, end_b) = (c.unsqueeze(start, &[0])?, c.unsqueeze(end, &[0])?);
        let from = c.add(ops::Max::new(&[start_a, start_b]))?;
        let to = c.add(ops::Min::new(&[end_a, end_b]))?;
        let (after, before) =
            (c.add(ops::Greater::new(start_b, end_a))?, c.add(ops::Less::new(end_b, start_a))?);
        Ok(Axis {
            length: span(c, start, end)?,
            is_turned: c.add(ops::Less::new(end, start))?,
            shared: span(c, from, to)?,
            is_apart: c.add(ops::Or::new(after, before))?,
        })
    }
}
