//! Borders.

use super::conv::is_channels_last;
use crate::catalogue::field::{Ints, Number};
use crate::catalogue::graph::Made;
use crate::catalogue::signature::{row, signature};
use crate::catalogue::{Call, Row};
use trident_ir::op::words::PadMode;
use trident_ir::{DType, ValueId, ops};

signature! {
    Pad (x: ValueId, pad_value: Number = 0.0) { paddings: Vec<i64> } -> out
}

signature! {
    Pad3d (x: ValueId, paddings: Ints = []) {
        mode: String = "constant", pad_value: f64 = 0.0, data_format: String = "NCDHW",
    } -> out
}

pub(super) static ROWS: &[Row] = &[
    row!("pad", Pad, |c, op| {
        // Pairs for all axes, from the first axis on.
        let begin: Vec<i64> = op.paddings.iter().step_by(2).copied().collect();
        let end: Vec<i64> = op.paddings.iter().skip(1).step_by(2).copied().collect();
        let pads = c.ints(&[begin, end].concat())?;
        let dtype = c.dtype(op.x)?;
        let value = op.pad_value.value(c, dtype)?;
        c.add(ops::Pad::new(op.x, pads, Some(value), None))
    }),
    row!("pad2d", Pad3d, pad2d, "pad2d": "paddings=Paddings,.paddings"),
    row!("pad3d", Pad3d, pad3d, "pad3d": "paddings=Paddings,.paddings pad_value=.value"),
];

fn mode(c: &Call<'_, '_>, mode: &str) -> Made<PadMode> {
    match mode {
        "constant" => Ok(PadMode::Constant),
        "reflect" => Ok(PadMode::Reflect),
        "replicate" | "edge" => Ok(PadMode::Edge),
        "circular" => Ok(PadMode::Wrap),
        other => c.refuse(format!(
            "`mode` is `{other}`, expected constant, reflect, replicate or circular"
        )),
    }
}

/// Pads of the spatial axes: pairs of begin and end, from the last axis to the first.
fn pad3d(c: &mut Call<'_, '_>, op: Pad3d) -> Made {
    let rank = c.rank(op.x)?;
    let first = if is_channels_last(&op.data_format) { 1 } else { 2 };
    let spatial = rank.saturating_sub(2);
    let pads = op.paddings.value(c)?;
    let order: Vec<i64> = (0..spatial as i64)
        .rev()
        .map(|pair| 2 * pair)
        .chain((0..spatial as i64).rev().map(|pair| 2 * pair + 1))
        .collect();
    padded(c, op.x, pads, &order, first, &op.mode, op.pad_value)
}

/// Pads of height and width: top, bottom, left, right.
fn pad2d(c: &mut Call<'_, '_>, op: Pad3d) -> Made {
    let first = if is_channels_last(&op.data_format) { 1 } else { 2 };
    let pads = op.paddings.value(c)?;
    padded(c, op.x, pads, &[0, 2, 1, 3], first, &op.mode, op.pad_value)
}

/// Pads the axes from `first` on, with the pads in this order: those at the begins, then those at the ends.
fn padded(
    c: &mut Call<'_, '_>,
    x: ValueId,
    pads: ValueId,
    order: &[i64],
    first: i64,
    text: &str,
    value: f64,
) -> Made {
    let mode = mode(c, text)?;
    let order_value = c.ints(order)?;
    let pads = c.add(ops::Gather::new(pads, order_value))?;
    let pads = c.cast(pads, DType::I64)?;
    let axes: Vec<i64> = (first..first + order.len() as i64 / 2).collect();
    let axes = c.ints(&axes)?;
    let value = match mode {
        PadMode::Constant => Some(c.number_like(x, value)?),
        _ => None,
    };
    c.add(ops::Pad::new(x, pads, value, Some(axes)).mode(mode))
}
