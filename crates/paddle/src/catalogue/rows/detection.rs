//! Detection: the choice of boxes by non-maximum suppression.

use super::array::{choose, region};
use super::boxes::column;
use crate::catalogue::graph::Made;
use crate::catalogue::signature::{row, signature};
use crate::catalogue::{Call, Graph, Row};
use trident_ir::{Block, DType, Literal, ValueId, ops};

signature! {
    MulticlassNms (bboxes: ValueId, scores: ValueId, rois_num: Option<ValueId>) {
        score_threshold: f64,
        nms_top_k: i64 = -1,
        keep_top_k: i64 = -1,
        nms_threshold: f64 = 0.3,
        normalized: bool = true,
        nms_eta: f64 = 1.0,
        background_label: i64 = 0,
    } -> out index nms_rois_num
}

pub(super) static ROWS: &[Row] = &[
    row!("multiclass_nms", MulticlassNms, multiclass_nms1, "multiclass_nms": "bboxes=BBoxes"),
    row!(
        "multiclass_nms3",
        MulticlassNms,
        |c, op| multiclass_nms(c, &op),
        "multiclass_nms2": "bboxes=BBoxes",
        "multiclass_nms3": "bboxes=BBoxes",
    ),
];

/// Without any box, the oldest of these ops gives [[−1]].
fn multiclass_nms1(c: &mut Call<'_, '_>, op: MulticlassNms) -> Made {
    let [out, ..] = multiclass_nms(c, &op)?;
    let none = Literal::number(c.dtype(out)?, -1.0).with_dims(vec![1, 1]);
    let Some(none) = none else { return c.refuse("a constant has too many elements") };
    let (count, zero) = (c.dim_of(out, 0)?, c.number(DType::I64, 0.0)?);
    let count = c.scalar(count)?;
    let is_empty = c.add(ops::Equal::new(count, zero))?;
    let none = region(c, |b| Ok(b.literal(none)))?;
    choose(c, is_empty, none, Block { results: vec![out], ..Block::default() })
}

/// Non-maximum suppression of each class, then the best boxes of each image. Rows are [class, score, x1, y1, x2, y2], by
/// image, class and score; with the place of each box among those of all images, and the number of rows of each image.
fn multiclass_nms(c: &mut Call<'_, '_>, op: &MulticlassNms) -> Made<[ValueId; 3]> {
    if op.rois_num.is_some() {
        return c.refuse(
            "boxes of images with different numbers of boxes (`rois_num`) are not supported",
        );
    }
    if op.nms_eta < 1.0 {
        return c.refuse(format!("`nms_eta` is {}, only 1 is supported", op.nms_eta));
    }
    if c.dim(op.bboxes, 2) != Some(4) || c.rank(op.scores)? != 3 {
        return c.refuse("boxes must be [images, boxes, 4], and scores [images, classes, boxes]");
    }
    let scores = candidates(c, op)?;
    let boxes = match op.normalized {
        true => op.bboxes,
        // Boxes of whole pixels include their last row and column.
        false => {
            let dtype = c.dtype(op.bboxes)?;
            let more = c.literal(Literal::vector(&[0f32, 0.0, 1.0, 1.0]))?;
            let more = c.cast(more, dtype)?;
            c.add(ops::Add::new(op.bboxes, more))?
        }
    };
    let most = c.literal(Literal::scalar(i64::MAX))?;
    let overlap = c.literal(Literal::scalar(op.nms_threshold as f32))?;
    let threshold = c.literal(Literal::scalar(op.score_threshold as f32))?;
    let nms =
        ops::NonMaxSuppression::new(boxes, scores, Some(most), Some(overlap), Some(threshold));
    let mut kept = c.add(nms)?;
    if op.keep_top_k >= 0 {
        kept = best(c, kept, scores, op.keep_top_k)?;
    }
    let score = c.add(ops::GatherND::new(op.scores, kept))?;
    rows(c, op.bboxes, kept, score)
}

/// Scores, where those that take no part are below every threshold: of the background, and behind the best `nms_top_k`
/// of a class.
fn candidates(c: &mut Call<'_, '_>, op: &MulticlassNms) -> Made {
    let scores = without_background(c, op.scores, op.background_label)?;
    let never = c.number_like(scores, f64::NEG_INFINITY)?;
    let boxes = c.dim(scores, 2);
    if op.nms_top_k < 0 || boxes.is_some_and(|n| n as i64 <= op.nms_top_k) {
        return Ok(scores);
    }
    let (count, limit) = (c.dim_of(scores, 2)?, c.ints(&[op.nms_top_k])?);
    let k = c.add(ops::Min::new(&[count, limit]))?;
    let top = c.add_all(ops::TopK::new(scores, k), 2)?;
    let shape = c.shape_of(scores)?;
    let none = c.expand(never, shape)?;
    c.add(ops::ScatterElements::new(none, top[1], top[0]).axis(2))
}

/// Scores [images, classes, boxes], where those of the background are below every threshold.
pub(super) fn without_background(c: &mut Graph<'_>, scores: ValueId, background: i64) -> Made {
    if background < 0 {
        return Ok(scores);
    }
    let classes = c.dim_of(scores, 1)?;
    let class = c.range(classes)?;
    let background = c.number(DType::I64, background as f64)?;
    let is_background = c.add(ops::Equal::new(class, background))?;
    let is_background = c.unsqueeze(is_background, &[1])?;
    let never = c.number_like(scores, f64::NEG_INFINITY)?;
    c.add(ops::Where::new(is_background, never, scores))
}

/// The rows [image, class, box] with the best scores of each image, at most `most`, in their order.
fn best(c: &mut Call<'_, '_>, kept: ValueId, scores: ValueId, most: i64) -> Made {
    let score = c.add(ops::GatherND::new(scores, kept))?;
    let images = c.dim_of(scores, 0)?;
    let chosen = ranked(c, kept, score, images, most)?;
    let left = c.dim_of(chosen, 0)?;
    let chosen = c.add_all(ops::TopK::new(chosen, left).largest(false), 2)?[0];
    c.add(ops::Gather::new(kept, chosen))
}

/// The places of the rows [image, class, box] by image and then by score, at most `most` of each image.
pub(super) fn ranked(
    c: &mut Graph<'_>,
    kept: ValueId,
    score: ValueId,
    images: ValueId,
    most: i64,
) -> Made {
    let count = c.dim_of(kept, 0)?;
    // By score, then by image: both sorts keep the order of equals.
    let by_score = c.add_all(ops::TopK::new(score, count), 2)?[1];
    let image = column(c, kept, 0)?;
    let image = c.add(ops::Gather::new(image, by_score))?;
    let sorted = c.add_all(ops::TopK::new(image, count).largest(false), 2)?;
    let order = c.add(ops::Gather::new(by_score, sorted[1]))?;
    // The rank of a row within its image: its place, less the number of rows of the images before.
    let (numbers, places) = (c.range(images)?, c.range(count)?);
    let numbers = c.unsqueeze(numbers, &[1])?;
    let own = c.unsqueeze(sorted[0], &[0])?;
    let before = c.add(ops::Less::new(own, numbers))?;
    let before = c.cast(before, DType::I64)?;
    let axes = c.ints(&[1])?;
    let before = c.add(ops::ReduceSum::new(before, Some(axes)).keepdims(false))?;
    let before = c.add(ops::Gather::new(before, sorted[0]))?;
    let rank = c.add(ops::Sub::new(places, before))?;
    let limit = c.literal(Literal::scalar(most))?;
    let is_best = c.add(ops::Less::new(rank, limit))?;
    c.add(ops::Compress::new(order, is_best).axis(0))
}

/// The results for rows [image, class, box] of `kept` and their scores.
pub(super) fn rows(
    c: &mut Graph<'_>,
    bboxes: ValueId,
    kept: ValueId,
    score: ValueId,
) -> Made<[ValueId; 3]> {
    let dtype = c.dtype(bboxes)?;
    let (image, class) = (column(c, kept, 0)?, column(c, kept, 1)?);
    let place = column(c, kept, 2)?;
    let score = c.unsqueeze(score, &[1])?;
    let columns = [c.unsqueeze(image, &[1])?, c.unsqueeze(place, &[1])?];
    let pairs = c.concat(&columns, 1)?;
    let boxes = c.add(ops::GatherND::new(bboxes, pairs))?;
    let class = c.cast(class, dtype)?;
    let class = c.unsqueeze(class, &[1])?;
    let out = c.concat(&[class, score, boxes], 1)?;
    let count = c.dim_of(bboxes, 1)?;
    let first = c.add(ops::Mul::new(image, count))?;
    let index = c.add(ops::Add::new(first, place))?;
    let index = c.unsqueeze(index, &[1])?;
    let index = c.cast(index, DType::I32)?;
    let images = c.dim_of(bboxes, 0)?;
    let numbers = c.range(images)?;
    let (numbers, image) = (c.unsqueeze(numbers, &[1])?, c.unsqueeze(image, &[0])?);
    let own = c.add(ops::Equal::new(numbers, image))?;
    let own = c.cast(own, DType::I32)?;
    let axes = c.ints(&[1])?;
    let counts = c.add(ops::ReduceSum::new(own, Some(axes)).keepdims(false))?;
    Ok([out, index, counts])
}
