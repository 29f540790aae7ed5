//! Greedy suppression of boxes that overlap a better one.

use crate::kernel::{Call, Compile, Made, Prepared};
use crate::real::read;
use std::cmp::Ordering;
use trident_ir::DType;
use trident_ir::ops::NonMaxSuppression;
use trident_kernels::threads::checkpoint;
use trident_runtime::{KernelError, Tensor};

/// Least and greatest coordinates: [x1, x2, y1, y2].
type Box2 = [f32; 4];

fn corners(b: &[f32], centered: bool) -> Box2 {
    let sorted = |a: f32, b: f32| if a >= b { [b, a] } else { [a, b] };
    let ([x1, x2], [y1, y2]) = match centered {
        true => {
            let (w, h) = (b[2] / 2.0, b[3] / 2.0);
            ([b[0] - w, b[0] + w], [b[1] - h, b[1] + h])
        }
        false => (sorted(b[1], b[3]), sorted(b[0], b[2])),
    };
    [x1, x2, y1, y2]
}

/// Intersection over union; 0 for boxes without area.
fn overlap(a: &Box2, b: &Box2) -> f32 {
    let side = |lo: usize| a[lo + 1].min(b[lo + 1]) - a[lo].max(b[lo]);
    let area = |b: &Box2| (b[1] - b[0]) * (b[3] - b[2]);
    let (w, h) = (side(0), side(2));
    let (area_a, area_b) = (area(a), area(b));
    if w <= 0.0 || h <= 0.0 || area_a <= 0.0 || area_b <= 0.0 {
        return 0.0;
    }
    w * h / (area_a + area_b - w * h)
}

fn number(call: &Call<'_, '_>, i: usize) -> Result<Option<f32>, KernelError> {
    let t = call.opt(i)?.filter(|t| !t.is_empty());
    t.map(|t: Tensor| Ok(read::<f32>(&t)?[0])).transpose()
}

pub(super) fn non_max_suppression(cx: &Compile<'_>) -> Made {
    let centered = cx.view(NonMaxSuppression::of)?.center_point_box();
    Prepared::boxed(cx, move |call| suppress(call, centered))
}

fn suppress(call: &mut Call<'_, '_>, centered: bool) -> Result<(), KernelError> {
    let at = NonMaxSuppression::AT;
    let (boxes, scores) = (call.tensor(at.boxes)?, call.tensor(at.scores)?);
    let (&[batch, count, 4], &[sb, classes, sc]) = (boxes.dims(), scores.dims()) else {
        let (b, s) = (boxes.dims(), scores.dims());
        return Err(KernelError::shape(format!(
            "`boxes` has dimensions {b:?} and `scores` {s:?}, expected [batch, boxes, 4] and [batch, classes, boxes]"
        )));
    };
    if (sb, sc) != (batch, count) {
        let (b, s) = (boxes.dims(), scores.dims());
        return Err(KernelError::shape(format!(
            "boxes of dimensions {b:?} do not fit scores of {s:?}"
        )));
    }
    let limit =
        call.ints(at.max_output_boxes_per_class)?.and_then(|v| v.first().copied()).unwrap_or(0);
    let limit = usize::try_from(limit).unwrap_or(0);
    let threshold = number(call, at.iou_threshold)?.unwrap_or(0.0);
    let least = number(call, at.score_threshold)?;
    let (boxes, scores) = (read::<f32>(&boxes)?, read::<f32>(&scores)?);
    let boxes: Vec<Box2> = boxes.chunks_exact(4).map(|b| corners(b, centered)).collect();

    // One list of kept boxes for each sample and class.
    let mut kept: Vec<Vec<usize>> = vec![Vec::new(); batch * classes];
    call.threads.for_chunks_mut(&mut kept, 1, |i, kept| {
        let boxes = &boxes[i / classes * count..][..count];
        let scores = &scores[i * count..][..count];
        let above = |&b: &usize| least.is_none_or(|least| scores[b] > least);
        let mut order: Vec<usize> = (0..count).filter(above).collect();
        // Best first, equals in the order of the operand.
        order.sort_by(|&a, &b| scores[b].partial_cmp(&scores[a]).unwrap_or(Ordering::Equal));
        let kept = &mut kept[0];
        for b in order {
            if kept.len() >= limit {
                break;
            }
            checkpoint();
            if kept.iter().all(|&k| overlap(&boxes[b], &boxes[k]) <= threshold) {
                kept.push(b);
            }
        }
    });
    let rows = kept.iter().enumerate().flat_map(|(i, kept)| {
        kept.iter().flat_map(move |&b| [i / classes, i % classes, b].map(|v| v as i64))
    });
    let rows: Vec<i64> = rows.collect();
    let mut out = call.alloc(at.selected, DType::I64, &[rows.len() / 3, 3])?;
    out.slice_mut::<i64>()?.copy_from_slice(&rows);
    call.set(at.selected, out);
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::testing::{elements, run, tensor};
    use trident_ir::OpKind;

    #[test]
    fn overlapping_boxes_are_dropped() {
        let boxes =
            [[0.0f32, 0.0, 1.0, 1.0], [0.0, 0.1, 1.0, 1.1], [0.0, 10.0, 1.0, 11.0]].concat();
        let boxes = tensor(&[1, 3, 4], &boxes);
        let scores = tensor(&[1, 1, 3], &[0.7f32, 0.9, 0.6]);
        let go = |limit: i64, least: f32| {
            let rest = [tensor(&[1], &[0.5f32]), tensor(&[1], &[least])];
            let mut inputs = vec![boxes.clone(), scores.clone(), tensor(&[1], &[limit])];
            inputs.extend(rest);
            elements::<i64>(&run(OpKind::NonMaxSuppression, &[], inputs).unwrap())
        };
        assert_eq!(go(3, 0.0), [0, 0, 1, 0, 0, 2]);
        assert_eq!(go(1, 0.0), [0, 0, 1]);
        assert_eq!(go(3, 0.65), [0, 0, 1]);
        assert!(go(0, 0.0).is_empty());
    }
}
