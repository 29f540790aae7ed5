//! Losses of classes: each target's log probability, weighted, and their mean or sum.

use trident_ir::geometry::GeometryError;
use trident_ir::op::words::BatchReduction;
use trident_ir::{DType, OpKind as K, ops};

use super::rows::{Rows, Shape, float, log_softmax};
use super::site::{Site, unsupported};
use super::writer::Fold;
use super::{Arg, Entry, Result, entry};

pub(super) const LOWERINGS: &[Entry] = &[
    entry(ops::NegativeLogLikelihoodLoss::KIND, |site| loss(site, false)),
    entry(ops::SoftmaxCrossEntropyLoss::KIND, |site| loss(site, true)),
];

type Scores = ops::SoftmaxCrossEntropyLoss<'static>;
type LogProbabilities = ops::NegativeLogLikelihoodLoss<'static>;

// Both have operands and loss at the same places.
const _: () = assert!(Scores::AT.scores == LogProbabilities::AT.x);
const _: () = assert!(Scores::AT.labels == LogProbabilities::AT.target);
const _: () = assert!(Scores::AT.weights == LogProbabilities::AT.weight);
const _: () = assert!(Scores::AT.loss == LogProbabilities::AT.loss);

/// Targets that one program looks up.
const BLOCK: usize = 256;

/// Negative log likelihood, of log probabilities or of scores.
fn loss(site: &mut Site<'_>, of_scores: bool) -> Result<()> {
    let op = site.view(ops::LossReduction::of)?;
    let dtype = site.dtype(Scores::AT.scores)?;
    float(dtype)?;
    let reduction = op.reduction();
    let (x, targets) = (site.dims(Scores::AT.scores)?, site.dims(Scores::AT.labels)?);
    if x.len() < 2 || targets.first() != x.first() || targets[1..] != x[2..] {
        let text = format!("scores of dimensions {x:?} do not fit targets of {targets:?}");
        return Err(GeometryError::Invalid(text).into());
    }
    let (batch, classes, inner) = (x[0], x[1], x[2..].iter().product::<usize>());
    let len = batch * inner;
    let all = len * classes;
    let (mut from, mut from_type) = (Arg::Operand(Scores::AT.scores), dtype);
    if of_scores {
        (from, from_type) = match site.wants(Scores::AT.log_prob) {
            true => (Arg::Result(Scores::AT.log_prob), dtype),
            false => (site.scratch(DType::F32, all), DType::F32),
        };
        log_softmax(site, &Shape::along(x, 1), dtype, from, from_type)?;
    }
    let single = reduction == BatchReduction::None;
    let (losses, loss_type) = match single {
        true => (Arg::Result(Scores::AT.loss), dtype),
        false => (site.scratch(DType::F32, len), DType::F32),
    };
    let weights = if single { None } else { Some(site.scratch(DType::F32, len)) };

    site.fault("a target is not one of the classes");
    let mut w = site.writer(all);
    let n = w.size(len)?;
    let (at, mask) = w.span(0, BLOCK, n)?;
    let class_type = site.dtype(Scores::AT.labels)?;
    let base = w.array(Arg::Operand(Scores::AT.labels), class_type)?;
    let given = w.load_or_zero(base, at, mask)?;
    let (zero, count) = (w.literal(class_type, 0)?, w.size(classes)?);
    let count = w.cast(count, class_type)?;
    let (under, over) = (w.less(given, zero)?, w.op(K::GreaterOrEqual, &[given, count])?);
    let mut wrong = w.op(K::Or, &[under, over])?;
    wrong = w.and(wrong, mask)?;
    let mut used = mask;
    if let Some(ignored) = op.ignore_index() {
        let ignored = w.literal(class_type, ignored)?;
        let ignored = w.op(K::Equal, &[given, ignored])?;
        let counted = w.op(K::Not, &[ignored])?;
        used = w.and(used, counted)?;
        wrong = w.and(wrong, counted)?;
    }
    let fault = w.array(Arg::Fault, DType::I32)?;
    let (first, one) = (w.int(0)?, w.literal(DType::I32, 1)?);
    let first = w.spread_like(first, wrong)?;
    w.store(fault, first, one, wrong)?;
    let right = w.op(K::Not, &[wrong])?;
    used = w.and(used, right)?;
    let class = w.index(given)?;
    let place = w.unravel(at, &[batch, inner])?;
    let strides = [(classes * inner) as isize, inner as isize, 1];
    let offset = w.offset(&[place[0], class, place[1]], &strides, 0)?;
    let offset = offset.ok_or_else(|| unsupported("lacks axes"))?;
    let base = w.array(from, from_type)?;
    let log = w.load_or_zero(base, offset, used)?;
    let log = w.cast(log, DType::F32)?;
    let none = w.float(DType::F32, 0.0)?;
    let weight = match site.has(Scores::AT.weights) {
        true => {
            let base = w.array(Arg::Operand(Scores::AT.weights), dtype)?;
            let weight = w.load_or_zero(base, class, used)?;
            w.cast(weight, DType::F32)?
        }
        false => {
            let one = w.float(DType::F32, 1.0)?;
            w.select(used, one, none)?
        }
    };
    let log = w.select(used, log, none)?;
    let loss = w.mul(log, weight)?;
    let loss = w.sub(none, loss)?;
    let loss = w.cast(loss, loss_type)?;
    let to = w.array(losses, loss_type)?;
    w.store(to, at, loss, mask)?;
    if let Some(weights) = weights {
        let to = w.array(weights, DType::F32)?;
        w.store(to, at, weight, mask)?;
    }
    site.step(w, [len.div_ceil(BLOCK), 1, 1])?;

    let Some(weights) = weights else { return Ok(()) };
    let mut w = site.writer(len);
    let (base, weights) = (w.array(losses, DType::F32)?, w.array(weights, DType::F32)?);
    let rows = Rows::new(&mut w, &Shape { outer: 1, columns: len, inner: 1 })?;
    let mut sum = rows.fold(&mut w, Fold::Sum, |w, place| place.of(w, base))?;
    if reduction == BatchReduction::Mean {
        let total = rows.fold(&mut w, Fold::Sum, |w, place| place.of(w, weights))?;
        sum = w.div(sum, total)?;
    }
    let to = w.array(Arg::Result(Scores::AT.loss), dtype)?;
    rows.store(&mut w, to, dtype, sum)?;
    site.step(w, rows.grid())
}
