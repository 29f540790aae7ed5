//! Detection: boxes around the cells of a feature map.

use super::boxes::{stacked, vector};
use crate::catalogue::graph::Made;
use crate::catalogue::signature::{row, signature};
use crate::catalogue::{Call, MOST_PARTS, Outputs, Row};
use trident_ir::{ValueId, ops};

signature! {
    PriorBox (input: ValueId, image: ValueId) {
        min_sizes: Vec<f64>, max_sizes: Vec<f64> = [], aspect_ratios: Vec<f64> = [], variances: Vec<f64> = [],
        flip: bool = true, clip: bool = true, step_w: f64 = 0.0, step_h: f64 = 0.0, offset: f64 = 0.5,
        min_max_aspect_ratios_order: bool = false,
    } -> out var
}

pub(super) static ROWS: &[Row] =
    &[row!("prior_box", PriorBox, prior_box, "prior_box": "out=Boxes var=Variances")];

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
