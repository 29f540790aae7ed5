//! Detection: boxes of a YOLO head.

use super::boxes::vector;
use crate::catalogue::graph::Made;
use crate::catalogue::signature::{row, signature};
use crate::catalogue::{Call, MOST_SIZE, Outputs, Row};
use trident_ir::{ValueId, ops};

signature! {
    YoloBox (x: ValueId, img_size: ValueId) {
        anchors: Vec<i64> = [], class_num: i64 = 1, conf_thresh: f64 = 0.01, downsample_ratio: i64 = 32,
        clip_bbox: bool = true, scale_x_y: f64 = 1.0, iou_aware: bool = false, iou_aware_factor: f64 = 0.5,
    } -> boxes scores
}

pub(super) static ROWS: &[Row] = &[row!("yolo_box", YoloBox, yolo_box)];

/// Boxes [images, anchors·cells, 4] in pixels and scores [images, anchors·cells, classes] from a YOLO head. Both are 0
/// where the confidence is below the threshold.
fn yolo_box(c: &mut Call<'_, '_>, op: YoloBox) -> Made<Outputs> {
    let count = op.anchors.len() as i64 / 2;
    if count == 0 || !op.anchors.len().is_multiple_of(2) {
        return c.refuse(format!("`anchors` has {} numbers, expected pairs", op.anchors.len()));
    }
    let classes = c.within("class_num", op.class_num, 1..=MOST_SIZE)?;
    let stride = c.within("downsample_ratio", op.downsample_ratio, 1..=MOST_SIZE)?;
    let dtype = c.dtype(op.x)?;
    let (images, cells) = (c.dim_of(op.x, 0)?, c.add(ops::Shape::new(op.x).start(2))?);
    // With overlaps, their channels come first: one for each anchor.
    let (mut x, mut overlap) = (op.x, None);
    if op.iou_aware {
        let overlaps = c.slice(x, 1, 0, count)?;
        let overlaps = c.unsqueeze(overlaps, &[2])?;
        overlap = Some(c.add(ops::Sigmoid::new(overlaps))?);
        x = c.slice(x, 1, count, i64::MAX)?;
    }
    let parts = c.ints(&[count, classes + 5])?;
    let shape = c.concat(&[images, parts, cells], 0)?;
    let x = c.reshape_to(x, shape)?;
    let entry = |c: &mut Call<'_, '_>, from: i64, to: i64| c.slice(x, 2, from, to);

    let mut confidence = entry(c, 4, 5)?;
    confidence = c.add(ops::Sigmoid::new(confidence))?;
    if let Some(overlap) = overlap {
        let own = c.number(dtype, 1.0 - op.iou_aware_factor)?;
        let other = c.number(dtype, op.iou_aware_factor)?;
        let (own, other) =
            (c.add(ops::Pow::new(confidence, own))?, c.add(ops::Pow::new(overlap, other))?);
        confidence = c.add(ops::Mul::new(own, other))?;
    }
    let limit = c.number(dtype, op.conf_thresh)?;
    let is_low = c.add(ops::Less::new(confidence, limit))?;
    let zero = c.number(dtype, 0.0)?;

    let (mut lows, mut highs) = (vec![], vec![]);
    // x, then y.
    for at in 0..2usize {
        let length = c.dim_of(op.x, 3 - at)?;
        let places = c.range(length)?;
        let places = c.cast(places, dtype)?;
        let places = if at == 0 { places } else { c.unsqueeze(places, &[1])? };
        let length = c.cast(length, dtype)?;
        // [images, 1, 1, 1, 1].
        let image = c.slice(op.img_size, 1, 1 - at as i64, 2 - at as i64)?;
        let image = c.cast(image, dtype)?;
        let image = c.unsqueeze(image, &[2, 3, 4])?;

        let shift = entry(c, at as i64, at as i64 + 1)?;
        let shift = c.add(ops::Sigmoid::new(shift))?;
        let scale = c.number(dtype, op.scale_x_y)?;
        let shift = c.add(ops::Mul::new(shift, scale))?;
        let bias = c.number(dtype, -0.5 * (op.scale_x_y - 1.0))?;
        let center = c.add(ops::Add::new(places, shift))?;
        let center = c.add(ops::Add::new(center, bias))?;
        let center = c.add(ops::Mul::new(center, image))?;
        let center = c.add(ops::Div::new(center, length))?;

        let anchors: Vec<f64> =
            op.anchors.iter().skip(at).step_by(2).map(|&anchor| anchor as f64).collect();
        let anchors = vector(c, op.x, &anchors)?;
        let anchors = c.unsqueeze(anchors, &[1, 2, 3])?;
        let size = entry(c, at as i64 + 2, at as i64 + 3)?;
        let size = c.add(ops::Exp::new(size))?;
        let size = c.add(ops::Mul::new(size, anchors))?;
        let size = c.add(ops::Mul::new(size, image))?;
        let stride = c.number(dtype, stride as f64)?;
        let input = c.add(ops::Mul::new(length, stride))?;
        let size = c.add(ops::Div::new(size, input))?;

        let half = c.number(dtype, 0.5)?;
        let half = c.add(ops::Mul::new(size, half))?;
        let mut low = c.add(ops::Sub::new(center, half))?;
        let mut high = c.add(ops::Add::new(center, half))?;
        if op.clip_bbox {
            let one = c.number(dtype, 1.0)?;
            let last = c.add(ops::Sub::new(image, one))?;
            let is_inside = c.add(ops::Greater::new(low, zero))?;
            low = c.add(ops::Where::new(is_inside, low, zero))?;
            let is_inside = c.add(ops::Less::new(high, last))?;
            high = c.add(ops::Where::new(is_inside, high, last))?;
        }
        lows.push(c.add(ops::Where::new(is_low, zero, low))?);
        highs.push(c.add(ops::Where::new(is_low, zero, high))?);
    }
    // [images, anchors, 4 or classes, height, width], with the entries of a cell side by side in the result.
    let boxes = c.concat(&[lows, highs].concat(), 2)?;
    let scores = entry(c, 5, i64::MAX)?;
    let scores = c.add(ops::Sigmoid::new(scores))?;
    let scores = c.add(ops::Mul::new(confidence, scores))?;
    let scores = c.add(ops::Where::new(is_low, zero, scores))?;
    let places = c.add(ops::ReduceProd::new(cells, None).keepdims(true))?;
    let anchors = c.ints(&[count])?;
    let places = c.add(ops::Mul::new(places, anchors))?;
    let mut outs = [boxes, scores];
    for (out, width) in outs.iter_mut().zip([4, classes]) {
        let by_cell = c.transpose(*out, &[0, 1, 3, 4, 2])?;
        let width = c.ints(&[width])?;
        let shape = c.concat(&[images, places, width], 0)?;
        *out = c.reshape_to(by_cell, shape)?;
    }
    Ok(outs.into())
}
