//! Scales and shifts by channel that move into the weights and bias of the convolution or normalisation before them.

use crate::matching::literal;
use crate::rewrite::{Change, Rewriter, pair};
use trident_ir::{DType, Element, Literal, Op, OpKind as K, ValueId, ops};

/// A product whose weights are constant: Conv, ConvTranspose or Gemm.
struct Weights {
    op: Op,
    x: ValueId,
    /// The weights as an operand, and their elements.
    operand: ValueId,
    w: Literal,
    /// Zero where there is no bias.
    bias: Vec<f64>,
    layout: Layout,
}

/// Where weights have their output channels.
#[derive(Clone, Copy)]
enum Layout {
    /// [M, …].
    First,
    /// [K, M].
    Last,
    /// [C, M/group, kernel…]: each group of rows has its own block of channels.
    Grouped(usize),
}

impl Layout {
    fn channels(self, dims: &[usize]) -> Option<usize> {
        match self {
            Layout::First => dims.first().copied(),
            Layout::Last => dims.get(1).copied(),
            Layout::Grouped(group) => dims.get(1)?.checked_mul(group),
        }
    }
}

impl Weights {
    /// The op that produces `value`, if its weights and bias are constant and its result has no other use.
    fn of(cx: &Rewriter<'_>, value: ValueId) -> Option<Weights> {
        let op = cx.producer(value).filter(|_| cx.single(value))?.clone();
        let (x, w, b, layout) = match op.kind {
            K::Conv => {
                let conv = ops::Conv::of(&op)?;
                (conv.x(), conv.w(), conv.b(), Layout::First)
            }
            K::ConvTranspose => {
                let conv = ops::ConvTranspose::of(&op)?;
                let group = usize::try_from(conv.group()).ok()?;
                (conv.x(), conv.w(), conv.b(), Layout::Grouped(group))
            }
            K::Gemm => {
                let gemm = ops::Gemm::of(&op).filter(|g| g.alpha() == 1.0 && g.beta() == 1.0)?;
                let layout = if gemm.trans_b() { Layout::First } else { Layout::Last };
                (gemm.a(), gemm.b(), gemm.c(), layout)
            }
            _ => return None,
        };
        let (operand, w) = (w, cx.constant(w)?.clone());
        let channels = layout.channels(w.dims())?;
        let bias = match b {
            None => vec![0.0; channels],
            Some(b) => cx.floats(b).filter(|b| b.len() == channels)?,
        };
        Some(Weights { op, x, operand, w, bias, layout })
    }

    /// The length of the runs of weights of one output channel, and the channel of each run.
    fn runs(&self) -> (usize, impl Fn(usize) -> usize) {
        let dims = self.w.dims();
        let after = |axis: usize| dims.iter().skip(axis).product::<usize>().max(1);
        // Consecutive runs have the channels of a block, `rows` times over, then those of the next block.
        let (run, block, rows) = match self.layout {
            Layout::First => (after(1), 1, 1),
            Layout::Last => (1, after(1), dims[0]),
            Layout::Grouped(group) => (after(2), dims[1].max(1), dims[0] / group.max(1)),
        };
        let rows = rows.max(1);
        (run, move |i| i / block / rows * block + i % block)
    }

    /// The weights, each times its channel's factor; `None` where one would vanish, or is not moderate before or after.
    fn times(&self, scale: &[f64]) -> Option<Literal> {
        let (run, channel) = self.runs();
        macro_rules! times {
            ($t:ty) => {{
                let mut elements = self.w.to_vec::<$t>()?;
                let mut exact = true;
                for (i, run) in elements.chunks_mut(run).enumerate() {
                    let factor = *scale.get(channel(i))?;
                    for w in run {
                        let old = f64::from(*w);
                        *w = (old * factor) as $t;
                        exact &= (*w != 0.0) | (old == 0.0);
                        exact &= is_moderate(<$t>::DTYPE, old);
                        exact &= is_moderate(<$t>::DTYPE, f64::from(*w));
                    }
                }
                exact.then(|| Literal::from_vec(elements))?.with_dims(self.w.dims().to_vec())
            }};
        }
        match self.w.dtype() {
            DType::F32 => times!(f32),
            DType::F64 => times!(f64),
            _ => None,
        }
    }

    /// Whether the weights as they are are moderate.
    fn are_moderate(&self) -> bool {
        let moderate = |w: f64| is_moderate(self.w.dtype(), w);
        match self.w.elements::<f32>() {
            Some(mut weights) => weights.all(|w| moderate(w.into())),
            None => self.w.to_f64s().is_some_and(|all| all.into_iter().all(moderate)),
        }
    }

    /// The same product of `scale·result + shift`, in the place of `root`; `None` where a number would
    /// vanish or is not moderate.
    fn scaled(
        mut self,
        cx: &mut Rewriter<'_>,
        root: &Op,
        scale: &[f64],
        shift: &[f64],
    ) -> Option<Change> {
        let mut all = scale.iter().chain(shift).chain(&self.bias);
        if scale.len() != self.bias.len() || !all.all(|v| is_moderate(self.w.dtype(), *v)) {
            return None;
        }
        for ((b, s), t) in self.bias.iter_mut().zip(scale).zip(shift) {
            *b = *b * s + t;
        }
        let b = moderate(self.w.dtype(), &self.bias)?;
        let w = if scale.iter().any(|s| *s != 1.0) {
            let w = self.times(scale)?;
            cx.literal("weights", w)
        } else if self.are_moderate() {
            self.operand
        } else {
            return None;
        };
        let b = cx.literal("bias", b);
        let inputs = [self.x, w, b].map(Some).to_vec();
        Some(Change::Op(Op { inputs, outputs: root.outputs.clone(), ..self.op }))
    }
}

/// A BatchNormalization by given statistics.
fn inference(op: &Op) -> Option<ops::BatchNormalization<'_>> {
    let norm = ops::BatchNormalization::of(op)?;
    (!norm.training_mode() && op.outputs.len() == 1).then_some(norm)
}

/// Scale, shift, mean and variance, which are constant.
fn parameters(cx: &Rewriter<'_>, norm: ops::BatchNormalization<'_>) -> Option<[Vec<f64>; 4]> {
    let floats = |v: ValueId| cx.floats(v);
    Some([floats(norm.scale())?, floats(norm.b())?, floats(norm.mean())?, floats(norm.var())?])
}

/// BatchNormalization after a convolution or product.
pub(super) fn batch_norm(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    let norm = inference(op)?;
    let weights = Weights::of(cx, norm.x())?;
    let [gamma, beta, mean, var] = parameters(cx, norm)?;
    let epsilon = f64::from(norm.epsilon());
    let scale: Vec<f64> = gamma.iter().zip(&var).map(|(g, v)| g / (v + epsilon).sqrt()).collect();
    let shift: Vec<f64> = beta.iter().zip(&mean).zip(&scale).map(|((b, m), s)| b - m * s).collect();
    weights.scaled(cx, op, &scale, &shift)
}

/// Mul, Div, Add or Sub with a constant: `x` times or plus what `k` holds.
struct Affine {
    kind: K,
    x: ValueId,
    k: ValueId,
}

impl Affine {
    fn of(cx: &Rewriter<'_>, op: &Op) -> Option<Affine> {
        if !matches!(op.kind, K::Mul | K::Div | K::Add | K::Sub) {
            return None;
        }
        let (a, b) = pair(op)?;
        let swap = cx.constant(a).is_some();
        if swap && matches!(op.kind, K::Div | K::Sub) {
            return None;
        }
        let (x, k) = if swap { (b, a) } else { (a, b) };
        Some(Affine { kind: op.kind, x, k })
    }

    /// The factor and the addend of each of `n` channels.
    fn by_channel(&self, cx: &Rewriter<'_>, n: usize) -> Option<(Vec<f64>, Vec<f64>)> {
        let values = per_channel(cx.constant(self.k)?, n, cx.rank(self.x)?)?;
        let each = |f: fn(f64) -> f64| values.iter().map(|v| f(*v)).collect::<Vec<f64>>();
        Some(match self.kind {
            K::Mul => (values, vec![0.0; n]),
            K::Div => (each(|v| 1.0 / v), vec![0.0; n]),
            K::Add => (vec![1.0; n], values),
            _ => (vec![1.0; n], each(|v| -v)),
        })
    }
}

/// A constant for each channel after a convolution.
pub(super) fn scale(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    let affine = Affine::of(cx, op)?;
    let weights = Weights::of(cx, affine.x).filter(|w| w.op.kind != K::Gemm)?;
    let (scale, shift) = affine.by_channel(cx, weights.bias.len())?;
    weights.scaled(cx, op, &scale, &shift)
}

/// A constant for each channel after a BatchNormalization, which then moves into the convolution before it as a whole.
pub(super) fn norm_scale(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    let affine = Affine::of(cx, op)?;
    let norm = cx.producer(affine.x)?.clone();
    let batch = inference(&norm).filter(|_| cx.single(affine.x))?;
    let [gamma, beta, mean, var] = parameters(cx, batch)?;
    let (scale, shift) = affine.by_channel(cx, gamma.len())?;
    if [&beta, &mean, &var].iter().any(|all| all.len() != gamma.len()) {
        return None;
    }
    let dtype = cx.dtype(batch.scale())?;
    let product: Vec<f64> = gamma.iter().zip(&scale).map(|(g, s)| g * s).collect();
    let sum: Vec<f64> = beta.iter().zip(&scale).zip(&shift).map(|((b, s), t)| b * s + t).collect();
    // A factor that vanishes would make NaN of an infinity.
    let vanishes = |(i, p): (usize, &f64)| *p as f32 == 0.0 && gamma[i] != 0.0 && scale[i] != 0.0;
    if product.iter().enumerate().any(vanishes) {
        return None;
    }
    // The kernel multiplies by one number and adds another for each channel.
    let epsilon = f64::from(batch.epsilon());
    let factors: Vec<f64> =
        product.iter().zip(&var).map(|(p, v)| p / (v + epsilon).sqrt()).collect();
    let addends: Vec<f64> =
        sum.iter().zip(&mean).zip(&factors).map(|((b, m), f)| b - m * f).collect();
    moderate(dtype, &factors).and(moderate(dtype, &addends))?;
    let (gamma, beta) = (moderate(dtype, &product)?, moderate(dtype, &sum)?);
    let (gamma, beta) = (cx.literal("scale", gamma), cx.literal("bias", beta));
    let inputs = [batch.x(), gamma, beta, batch.mean(), batch.var()].map(Some).to_vec();
    Some(Change::Op(Op { inputs, outputs: op.outputs.clone(), ..norm }))
}

/// Whether a number is far below the greatest one of its type. With greater numbers, infinities and NaN, it matters
/// whether a factor is applied before or after the sum, so such weights are not changed.
fn is_moderate(dtype: DType, value: f64) -> bool {
    let most = if dtype == DType::F64 { 1e300 } else { 1e30 };
    value.abs() <= most
}

/// A vector of numbers rounded to an element type; `None` if one is not moderate.
fn moderate(dtype: DType, values: &[f64]) -> Option<Literal> {
    let all = values.iter().all(|v| is_moderate(dtype, *v));
    literal(dtype, vec![values.len()], values).filter(|_| all)
}

/// The numbers of a constant that broadcasts along all axes but the second of a tensor of this rank.
fn per_channel(k: &Literal, channels: usize, rank: usize) -> Option<Vec<f64>> {
    let dims = k.dims();
    let skip = rank.checked_sub(dims.len())?;
    let along = dims.iter().enumerate().all(|(i, &n)| n == 1 || (i + skip == 1 && n == channels));
    let values = k.to_f64s().filter(|_| along)?;
    match values.as_slice() {
        [one] => Some(vec![*one; channels]),
        _ => Some(values),
    }
}
