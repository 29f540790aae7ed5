//! Detection: boxes of priors, anchors and codes. A box is its corners [x1, y1, x2, y2].

use crate::catalogue::graph::Made;
use crate::catalogue::signature::{row, signature};
use crate::catalogue::{Call, Graph, MOST_PARTS, MOST_SIZE, Outputs, Row};
use trident_ir::{DType, Literal, ValueId, ops};

signature! {
    PriorBox (input: ValueId, image: ValueId) {
        min_sizes: Vec<f64>, max_sizes: Vec<f64> = [], aspect_ratios: Vec<f64> = [], variances: Vec<f64> = [],
        flip: bool = true, clip: bool = true, step_w: f64 = 0.0, step_h: f64 = 0.0, offset: f64 = 0.5,
        min_max_aspect_ratios_order: bool = false,
    } -> out var
}

signature! {
    BoxCoder (prior_box: ValueId, prior_box_var: Option<ValueId>, target_box: ValueId) {
        code_type: String = "encode_center_size", box_normalized: bool = true, axis: i64 = 0,
        variance: Vec<f64> = [],
    } -> output_box
}

signature! {
    YoloBox (x: ValueId, img_size: ValueId) {
        anchors: Vec<i64> = [], class_num: i64 = 1, conf_thresh: f64 = 0.01, downsample_ratio: i64 = 32,
        clip_bbox: bool = true, scale_x_y: f64 = 1.0, iou_aware: bool = false, iou_aware_factor: f64 = 0.5,
    } -> boxes scores
}

signature! {
    Nms (x: ValueId) { threshold: f64 = 1.0 } -> out
}

pub(super) static ROWS: &[Row] = &[
    row!("box_coder", BoxCoder, box_coder),
    row!("nms", Nms, nms, "nms": "x=Boxes out=KeepBoxesIdxs"),
    row!("prior_box", PriorBox, prior_box, "prior_box": "out=Boxes var=Variances"),
    row!("yolo_box", YoloBox, yolo_box),
];

/// A vector of numbers in the element type of `like`.
fn vector(c: &mut Call<'_, '_>, like: ValueId, numbers: &[f64]) -> Made {
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
fn stacked(c: &mut Call<'_, '_>, parts: &[ValueId]) -> Made {
    let mut columns = vec![];
    for &part in parts {
        let last = c.rank(part)? as i64;
        columns.push(c.unsqueeze(part, &[last])?);
    }
    let last = c.rank(parts[0])? as i64;
    c.concat(&columns, last)
}

/// Half the width and height of each prior of a cell.
fn priors(c: &Call<'_, '_>, op: &PriorBox) -> Made<Vec<[f64; 2]>> {
    if !op.max_sizes.is_empty() && op.max_sizes.len() != op.min_sizes.len() {
        return c.refuse(format!(
            "`max_sizes` has {} numbers for {} of `min_sizes`",
            op.max_sizes.len(),
            op.min_sizes.len()
        ));
    }
    if op.aspect_ratios.len() > MOST_PARTS as usize {
        return c.refuse(format!("`aspect_ratios` has {} numbers", op.aspect_ratios.len()));
    }
    let is_near = |a: f64, b: f64| (a - b).abs() < 1e-6;
    let mut ratios = vec![1.0];
    for &ratio in &op.aspect_ratios {
        if !ratios.iter().any(|&known| is_near(ratio, known)) {
            ratios.push(ratio);
            if op.flip {
                ratios.push(1.0 / ratio);
            }
        }
    }
    let count = op.min_sizes.len().saturating_mul(ratios.len() + 1);
    if count > MOST_PARTS as usize {
        return c.refuse(format!("{count} priors of a cell, expected up to {MOST_PARTS}"));
    }
    let mut halves = vec![];
    for (i, &size) in op.min_sizes.iter().enumerate() {
        let square = op.max_sizes.get(i).map(|most| [(size * most).sqrt() / 2.0; 2]);
        let of_ratio = |&ratio: &f64| [size * ratio.sqrt() / 2.0, size / ratio.sqrt() / 2.0];
        if op.min_max_aspect_ratios_order {
            halves.push([size / 2.0; 2]);
            halves.extend(square);
            halves.extend(ratios.iter().filter(|&&ratio| !is_near(ratio, 1.0)).map(of_ratio));
        } else {
            halves.extend(ratios.iter().map(of_ratio));
            halves.extend(square);
        }
    }
    Ok(halves)
}

/// Boxes [height, width, priors, 4] around the cells of a feature map, in parts of the image; and their variances.
fn prior_box(c: &mut Call<'_, '_>, op: PriorBox) -> Made<Outputs> {
    if op.variances.len() != 4 {
        return c.refuse(format!("`variances` has {} numbers, expected 4", op.variances.len()));
    }
    let halves = priors(c, &op)?;
    let dtype = c.dtype(op.input)?;
    let is_stated = op.step_w != 0.0 && op.step_h != 0.0;
    // The ends of an axis: x with its cells along axis 1 of the result, y along axis 0.
    let mut ends = vec![];
    for (at, step) in [op.step_w, op.step_h].into_iter().enumerate() {
        let axis = 3 - at;
        let (cells, image) = (c.dim_of(op.input, axis)?, c.dim_of(op.image, axis)?);
        let image = c.cast(image, dtype)?;
        let step = match is_stated {
            true => c.number(dtype, step)?,
            false => {
                let cells = c.cast(cells, dtype)?;
                c.add(ops::Div::new(image, cells))?
            }
        };
        let places = c.range(cells)?;
        let places = c.cast(places, dtype)?;
        let offset = c.number(dtype, op.offset)?;
        let centers = c.add(ops::Add::new(places, offset))?;
        let centers = c.add(ops::Mul::new(centers, step))?;
        let centers = c.unsqueeze(centers, if at == 0 { &[0, 2] } else { &[1, 2] })?;
        let half: Vec<f64> = halves.iter().map(|half| half[at]).collect();
        let half = vector(c, op.input, &half)?;
        let (low, high) =
            (c.add(ops::Sub::new(centers, half))?, c.add(ops::Add::new(centers, half))?);
        ends.push([c.add(ops::Div::new(low, image))?, c.add(ops::Div::new(high, image))?]);
    }
    let count = c.ints(&[halves.len() as i64])?;
    let (rows, columns) = (c.dim_of(op.input, 2)?, c.dim_of(op.input, 3)?);
    let shape = c.concat(&[rows, columns, count], 0)?;
    let mut corners = vec![];
    for corner in [ends[0][0], ends[1][0], ends[0][1], ends[1][1]] {
        corners.push(c.expand(corner, shape)?);
    }
    let mut boxes = stacked(c, &corners)?;
    let whole = c.shape_of(boxes)?;
    if op.clip {
        let (low, high) = (c.number(dtype, 0.0)?, c.number(dtype, 1.0)?);
        boxes = c.add(ops::Clip::new(boxes, Some(low), Some(high)))?;
    }
    let variances = vector(c, op.input, &op.variances)?;
    let variances = c.expand(variances, whole)?;
    Ok([boxes, variances].into())
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
