//! One small rule for each op or family: the shapes of results from those of operands.

mod attention;
mod contain;
mod conv;
mod image;
mod matmul;
mod misc;
mod moves;
mod pool;
mod recurrent;
mod reduce;
mod reshape;
mod signal;
mod slice;
mod window;

pub(super) use contain::container;
pub(super) use moves::shape_bounds;
pub(super) use slice::axes_in;

use super::error::ShapeError;
use super::view::{Shapes, View, nothing, one};
use crate::OpKind as K;
use crate::counted;
use crate::op::Group;

/// The shapes of the op's results.
pub(super) fn shapes(cx: &View<'_>) -> Shapes {
    match cx.op.kind {
        // The table's rule gives these whole types.
        K::Constant | K::Identity => nothing(),

        K::Clip | K::PRelu => like(cx, 0),

        K::ConstantOfShape => moves::filled(cx),
        K::CenterCropPad => slice::center_crop_pad(cx),
        K::Col2Im => image::col2im(cx),
        K::Compress => slice::compress(cx),
        K::Concat => moves::concat(cx),
        K::DepthToSpace => moves::depth_to_space(cx),
        K::SpaceToDepth => moves::space_to_depth(cx),
        K::Expand => moves::expand(cx),
        K::Flatten => reshape::flatten(cx),
        K::Gather => moves::gather(cx),
        K::GatherElements => moves::gather_elements(cx),
        K::GatherND => moves::gather_nd(cx),
        K::NonZero => moves::non_zero(cx),
        K::OneHot => moves::one_hot(cx),
        K::Pad => slice::pad(cx),
        K::Range => moves::range(cx),
        K::Reshape => reshape::reshape(cx),
        K::Shape => moves::shape(cx),
        K::Size => one(vec![]),
        K::Slice => slice::slice(cx),
        K::Split => slice::split(cx),
        K::Squeeze => reshape::squeeze(cx),
        K::Unsqueeze => reshape::unsqueeze(cx),
        K::Tile => moves::tile(cx),
        K::Transpose => moves::transpose(cx),

        K::Attention => attention::attention(cx),
        K::LinearAttention => attention::linear_attention(cx),
        K::CausalConvWithState => attention::causal_conv(cx),
        K::RotaryEmbedding => like(cx, 0),
        K::Conv | K::FusedConv | K::ConvInteger => conv::conv(cx, 0, 1, cx.op.input(2).map(|_| 2)),
        K::QLinearConv => conv::conv(cx, 0, 3, cx.op.input(8).map(|_| 8)),
        K::ConvTranspose => conv::transposed(cx),
        K::DeformConv => conv::conv(cx, 0, 1, cx.op.input(3).map(|_| 3)),
        K::Det => matmul::det(cx),
        K::Einsum => matmul::einsum(cx),
        K::Gemm => matmul::gemm(cx),
        K::MatMul | K::MatMulInteger => matmul::matmul(cx, 0, 1),
        K::FusedMatMul => matmul::fused(cx),
        K::MatMulNBits => matmul::n_bits(cx),
        K::QLinearMatMul => matmul::matmul(cx, 0, 3),

        K::AveragePool | K::LpPool | K::MaxPool => pool::windows(cx),
        K::GlobalAveragePool | K::GlobalLpPool | K::GlobalMaxPool => pool::global(cx),
        K::MaxRoiPool => pool::max_roi(cx),
        K::MaxUnpool => pool::unpool(cx),

        K::BatchNormalization => reduce::batch_norm(cx),
        K::LayerNormalization => reduce::layer_norm(cx),
        K::SkipLayerNormalization => reduce::skip_layer_norm(cx),
        K::ArgMax | K::ArgMin => reduce::arg(cx),
        K::TopK => reduce::top_k(cx),
        K::Unique => reduce::unique(cx),
        K::ReduceL1
        | K::ReduceL2
        | K::ReduceLogSum
        | K::ReduceLogSumExp
        | K::ReduceMax
        | K::ReduceMean
        | K::ReduceMin
        | K::ReduceProd
        | K::ReduceSum
        | K::ReduceSumSquare => reduce::reduce(cx),
        K::Softmax | K::LogSoftmax | K::Hardmax | K::LpNormalization => reduce::along_axis(cx),

        K::GRU | K::LSTM | K::RNN => recurrent::recurrent(cx),

        K::AffineGrid => image::affine_grid(cx),
        K::GridSample => image::grid_sample(cx),
        K::ImageDecoder => image::decoder(cx),
        K::NonMaxSuppression => image::non_max_suppression(cx),
        K::Resize => image::resize(cx),
        K::RoiAlign => image::roi_align(cx),

        K::DFT => signal::dft(cx),
        K::STFT => signal::stft(cx),
        K::MelWeightMatrix => signal::mel(cx),
        K::BlackmanWindow | K::HammingWindow | K::HannWindow => signal::window(cx),

        K::DynamicQuantizeLinear => misc::dynamic_quantize(cx),
        K::StringNormalizer => misc::string_normalizer(cx),
        K::StringSplit => misc::string_split(cx),
        K::TfIdfVectorizer => misc::tf_idf(cx),
        K::Dropout => misc::same_for_all(cx),
        K::Multinomial => misc::multinomial(cx),
        K::RandomNormal | K::RandomUniform => misc::random(cx),
        K::NegativeLogLikelihoodLoss | K::SoftmaxCrossEntropyLoss => misc::loss(cx),
        K::Adagrad | K::Adam | K::Momentum => misc::optimizer(cx),
        K::OptionalHasElement | K::SequenceLength => one(vec![]),

        K::StringConcat => broadcast(cx),
        K::RegexFullMatch | K::Bernoulli | K::RandomNormalLike | K::RandomUniformLike => {
            like(cx, 0)
        }
        _ => match cx.op.decl().group {
            Group::Elementwise => broadcast(cx),
            Group::Ml => misc::ml(cx),
            Group::Quant | Group::Reduce => like(cx, 0),
            Group::Move => like(cx, 0),
            _ => nothing(),
        },
    }
}

/// The shape of operand `i`.
fn like(cx: &View<'_>, i: usize) -> Shapes {
    Ok(vec![cx.shape(i).map(<[_]>::to_vec)])
}

/// All operands broadcast together.
fn broadcast(cx: &View<'_>) -> Shapes {
    let present: Vec<usize> = (0..cx.op.inputs.len()).filter(|&i| cx.has(i)).collect();
    Ok(vec![cx.broadcast(&present)?])
}

/// The error for an attribute list of the wrong length.
fn expect_len(cx: &View<'_>, name: &str, list: &[i64], len: usize) -> Result<(), ShapeError> {
    if list.len() == len {
        return Ok(());
    }
    Err(cx.error(format!("`{name}` has {}, expected {len}", counted(list.len(), "entry"))))
}
