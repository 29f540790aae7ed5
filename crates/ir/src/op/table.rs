//! The op table, to which `elementwise.rs`, `tile.rs` and `lane.rs` add rows. Graph ops follow the newest meaning of the ONNX
//! operator that their variant is named after (<https://onnx.ai/onnx/operators/>); an importer translates older forms
//! to these. Conventions that several ops share stand once, in `conventions.md`.

use super::custom::{
    cast_map, category, class_labels, constant, empty_sequence, filled, joined, label_values,
    linear_state, map_values, optional, quantized, zip_map,
};
use super::elementwise::with_elementwise_ops;
use super::grammar::{arity, class, default, internal, kind, ops, or, shape};
use super::kinds::Kind;
use super::lane::with_lane_ops;
use super::tile::with_tile_ops;
use super::words::*;
use super::{
    Arity, AttrDecl, Class, Default, Elements, Group, Onnx, OpDecl, OpResult, Operand, Rule,
};
use crate::shape::rules;
use crate::{DType, decompose};
use Rule::{
    AttrOr, Declared, Elem, Element, Fn, InnerOf, Is, ItemOf, Pointee, Regions, Same, SeqOf,
};

const BOOL: Rule = Is(DType::Bool);
const I64: Rule = Is(DType::I64);
const F32: Rule = Is(DType::F32);

with_elementwise_ops! { ops! {
    // ---------------------------------------------------------------- constants
    /// The tensor in attribute `value`.
    Constant "constant" Move () -> (output: Fn(constant)) { value: Tensor } onnx "" 1 cost 0 class Element shape given;
    /// A tensor of the shape given by the operand, every element the one in `value` (f32 zero if absent).
    ConstantOfShape "constant_of_shape" Move (shape) -> (output: Fn(filled)) { value[opt]: Tensor } onnx "" 9 shape filled;

    // ---------------------------------------------------------------- control flow
    /// Runs region 0 if the condition holds, else region 1, and results in what it yields.
    If "if" Control (cond: Bool) -> (outputs[many]: Regions) {} onnx "" 1 regions 2 shape given;
    /// Repeats the region at most `trip_count` times while the condition holds. The region takes the iteration number,
    /// the condition and the carried values, and yields the condition, the carried values and one slice of each scan output.
    Loop "loop" Control (trip_count[opt]: I64, cond[opt]: Bool, init[many]) -> (outputs[many]: Regions) {} onnx "" 1 regions 1 shape given;
    /// Runs the region once for each slice of the last `num_scan_inputs` operands along their scan axes; the region takes
    /// the states and the slices and yields the states and slices of the outputs.
    Scan "scan" Control (xs[many]) -> (outputs[many]: Regions) {
        num_scan_inputs: Int, scan_input_axes[opt]: Ints, scan_output_axes[opt]: Ints,
        scan_input_directions[opt]: Ints, scan_output_directions[opt]: Ints,
    } onnx "" 8 regions 1 shape given;

    // ---------------------------------------------------------------- fusion
    /// A chain of elementwise ops in one. The operands broadcast to each other, and the region computes an element of the
    /// result from one of each: its parameters, results and ops have rank 0.
    Fused "fused" Fused (xs[many]) -> (y: Regions) {} regions 1 shape given;

    // ---------------------------------------------------------------- contractions
    /// Scaled dot-product attention by heads: softmax(softcap(scale·q·kᵀ) + mask)·v, where softcap(s) is
    /// softcap·tanh(s/softcap) if that is not 0 and scale is 1/√head size if absent. q, k and v are [batch, heads,
    /// length, size], or [batch, length, heads·size] with the numbers of heads given; several query heads may share one
    /// of k and v. The past key and value precede k and v along the length. A bool mask tells what takes part, a float
    /// one is added; `is_causal` and the windows (−1: open) count positions from the end of the keys. A row with
    /// everything masked gives 0; with `plain_mask`, which fusion sets, the mask is a summand and no more, and such
    /// a row gives NaN as softmax does. `qk_matmul_output` is the scores: 0 plain, 1 after the soft cap, 2 after the mask, 3
    /// after softmax.
    Attention "attention" Contract
        (q: Float T, k: Float T, v: Any U, attn_mask[opt], past_key[opt]: Float T, past_value[opt]: Any U, nonpad_kv_seqlen[opt])
        -> (y: Elem(0), present_key[opt]: Elem(1), present_value[opt]: Elem(2), qk_matmul_output[opt]: Elem(0)) {
        is_causal: Flag = false, q_num_heads[opt]: Int, kv_num_heads[opt]: Int, scale[opt]: Float, softcap: Float = 0.0,
        softmax_precision[opt]: DType, qk_matmul_output_mode: Int = 0, left_window_size: Int = -1, right_window_size: Int = -1,
        plain_mask[internal]: Flag = false,
    } onnx "" 23 shape attention;
    /// Cross-correlation of `x` [N, C, spatial…] with `w` [M, C/group, kernel…], plus `b` of length M.
    Conv "conv" Contract (x: Float T, w: Float T, b[opt]: Float T) -> (y: Elem(0)) {
        auto_pad: AutoPad = AutoPad::NotSet, dilations[opt]: Ints, group: Int = 1, kernel_shape[opt]: Ints, pads[opt]: Ints, strides[opt]: Ints,
    } onnx "" 1 shape conv;
    /// activation(conv(x, w, b) + residual): what fusion makes of a convolution and its neighbours. Activations are
    /// `none`, `clip` (alpha to beta), `elu` (alpha), `gelu`, `gelu_tanh`, `hard_sigmoid` (alpha, beta), `hard_swish`,
    /// `leaky_relu` (alpha), `mish`, `relu`, `sigmoid`, `silu` and `tanh` ([`super::Activation`]); the residual has the shape
    /// of the result.
    FusedConv "fused_conv" Contract (x: Float T, w: Float T, b[opt]: Float T, residual[opt]: Float T) -> (y: Elem(0)) {
        auto_pad: AutoPad = AutoPad::NotSet, dilations[opt]: Ints, group: Int = 1, kernel_shape[opt]: Ints, pads[opt]: Ints, strides[opt]: Ints,
        activation: Str = "none", alpha: Float = 0.0, beta: Float = 0.0,
    } shape conv;
    /// Integer convolution of (x − x_zero_point) with (w − w_zero_point), accumulated in i32.
    ConvInteger "conv_integer" Quant (x: Any T, w: Any U, x_zero_point[opt]: Any T, w_zero_point[opt]: Any U) -> (y: Is(DType::I32)) {
        auto_pad: AutoPad = AutoPad::NotSet, dilations[opt]: Ints, group: Int = 1, kernel_shape[opt]: Ints, pads[opt]: Ints, strides[opt]: Ints,
    } onnx "" 10 shape integer_conv;
    /// Transposed convolution, the gradient of `conv` by its input; `w` is [C, M/group, kernel…]. An axis has stride·(n
    /// − 1) + output_padding + k' − begin − end places, or those that `output_shape` asks for, by pads that are split
    /// as `auto_pad` says; SAME means n·stride.
    ConvTranspose "conv_transpose" Contract (x: Float T, w: Float T, b[opt]: Float T) -> (y: Elem(0)) {
        auto_pad: AutoPad = AutoPad::NotSet, dilations[opt]: Ints, group: Int = 1, kernel_shape[opt]: Ints, output_padding[opt]: Ints,
        output_shape[opt]: Ints, pads[opt]: Ints, strides[opt]: Ints,
    } onnx "" 1 shape transposed_conv;
    /// Convolution whose taps are displaced by `offset` [N, offset_group·taps·axes, out…], read by linear interpolation
    /// with 0 outside, and weighted by `mask` [N, offset_group·taps, out…].
    DeformConv "deform_conv" Contract (x: Float T, w: Float T, offset: Float T, b[opt]: Float T, mask[opt]: Float T) -> (y: Elem(0)) {
        dilations[opt]: Ints, group: Int = 1, kernel_shape[opt]: Ints, offset_group: Int = 1, pads[opt]: Ints, strides[opt]: Ints,
    } onnx "" 19 shape deform_conv;
    /// Depthwise convolution of [batch, channels, length] that looks back only: `weight` is [channels, 1, k], the state
    /// holds the last k − 1 inputs and stands before `x`. `activation` is none, silu or swish.
    CausalConvWithState "causal_conv_with_state" Contract (x, weight, bias[opt], past_state[opt])
        -> (y: Elem(0), present_state: Elem(0)) { activation: CausalActivation = CausalActivation::None } onnx "" 27 shape causal_conv;
    /// Sum over products as the equation in Einstein's notation tells; `...` stands for axes that broadcast, and
    /// without `->` the result has the letters that occur once, in order of the alphabet.
    Einsum "einsum" Contract (xs[many]: Any T) -> (y: Elem(0)) { equation: Str } onnx "" 12 shape einsum;
    /// alpha·op(a)·op(b) + beta·c for matrices, op transposing where `trans_*` says so, `c` broadcast to the result.
    Gemm "gemm" Contract (a: Number T, b: Number T, c[opt]: Number T) -> (y: Elem(0)) {
        alpha: Float = 1.0, beta: Float = 1.0, trans_a: Flag = false, trans_b: Flag = false,
    } onnx "" 1 shape gemm;
    /// Attention as a recurrence over a state S [batch, kv heads, d_k, d_v], operands packed as [batch, length,
    /// heads·size]: S += k⊗v (`linear`), with S·exp(decay) before it (`gated`), or k⊗(beta·(v − Sᵀk)) for k⊗v (`delta`,
    /// `gated_delta`). The output is scale·Sᵀq, scale 1/√d_k if 0. `chunk_size` does not change results.
    LinearAttention "linear_attention" Contract (query, key, value, past_state[opt], decay[opt], beta[opt])
        -> (y: Elem(0), present_state: Rule::Fn(linear_state)) {
        chunk_size: Int = 64, kv_num_heads: Int, q_num_heads: Int,
        scale: Float = 0.0, update_rule: UpdateRule = UpdateRule::GatedDelta,
    } onnx "" 27 shape linear_attention;
    /// Matrix product over the last two axes, batch axes broadcast, rank-1 operands as row or column (NumPy's matmul).
    MatMul "matmul" Contract (a: Number T, b: Number T) -> (y: Elem(0)) {} onnx "" 1 shape matmul;
    /// activation(scale·op(a)·op(b) + bias + residual): what fusion makes of a matrix product and its neighbours.
    /// `trans_*` swap the last two axes; `bias` has one element per column, the residual the shape of the result;
    /// activations as for `fused_conv`.
    FusedMatMul "fused_matmul" Contract (a: Any T, b: Any T, bias[opt]: Any T, residual[opt]: Any T) -> (y: Elem(0)) {
        scale: Float = 1.0, trans_a: Flag = false, trans_b: Flag = false,
        activation: Str = "none", alpha: Float = 0.0, beta: Float = 0.0,
    } shape fused_matmul;
    /// activation(a·w + bias + residual) as ONNX Runtime's operator of that name, with a matrix w [k, n] of quantised weights, which
    /// are widened where they are used: (q − zero point)·scale in a's type. `b` [n, blocks, block_size·bits/8] has the
    /// numbers q column by column, in blocks of `block_size` along k, of 2, 4 or 8 `bits`, lowest bits first. Each block has
    /// a scale, and a zero point in the type of the scales, or packed like `b` with each column from a byte of its own,
    /// or 2^(bits − 1). The others are as for `fused_matmul`.
    MatMulNBits "matmul_n_bits" Contract
        (a: Float T, b, bias[opt]: Float T, residual[opt]: Float T, scales: Float T, zero_points[opt])
        -> (y: Elem(0)) {
        k: Int, n: Int, bits: Int = 4, block_size: Int,
        activation: Str = "none", alpha: Float = 0.0, beta: Float = 0.0,
    } shape n_bits;
    /// Integer matrix product of (a − a_zero_point) and (b − b_zero_point), accumulated in i32; zero points have one
    /// element, or one per row of `a` and column of `b`.
    MatMulInteger "matmul_integer" Quant (a: Any T, b: Any U, a_zero_point[opt]: Any T, b_zero_point[opt]: Any U) -> (y: Is(DType::I32)) {} onnx "" 10 shape matmul;
    /// Rotates pairs of features, halves of a head or neighbours if `interleaved`, by the angles whose cosines and
    /// sines are cached: [max position, size/2] with `position_ids`, else [batch, length, size/2]. `x` is [batch,
    /// heads, length, size], or [batch, length, heads·size] with `num_heads`. Features from `rotary_embedding_dim` on
    /// (0: none) stay.
    RotaryEmbedding "rotary_embedding" Contract (x, cos_cache, sin_cache, position_ids[opt]) -> (y: Elem(0)) {
        interleaved: Flag = false, num_heads[opt]: Int, rotary_embedding_dim: Int = 0,
    } onnx "" 23 shape like;
    /// Determinant of the matrices in the last two axes.
    Det "det" Contract (x) -> (y: Elem(0)) {} onnx "" 11 shape det;

    // ---------------------------------------------------------------- quantisation
    /// (x − zero_point)·scale, per tensor, axis or block, computed in the result's type.
    DequantizeLinear "dequantize_linear" Quant (x: Any T, x_scale, x_zero_point[opt]: Any T) -> (y: AttrOr("output_dtype", 1)) {
        axis: Int = 1, block_size: Int = 0, output_dtype[opt]: DType,
    } onnx "" 10 shape like;
    /// Quantises to u8: the scale is (max(x, 0) − min(x, 0))/255, the zero point round(−min/scale), both results too.
    DynamicQuantizeLinear "dynamic_quantize_linear" Quant (x) -> (y: Is(DType::U8), y_scale: F32, y_zero_point: Is(DType::U8)) {} onnx "" 11 shape dynamic_quantize;
    /// `conv_integer` of quantised tensors plus `b` (i32, scale x_scale·w_scale), requantised to y's scale and zero
    /// point. `w_scale` may have one element per output channel.
    QLinearConv "qlinear_conv" Quant (x: Any T, x_scale, x_zero_point: Any T, w: Any U, w_scale, w_zero_point: Any U, y_scale, y_zero_point, b[opt])
        -> (y: Elem(7)) {
        auto_pad: AutoPad = AutoPad::NotSet, dilations[opt]: Ints, group: Int = 1, kernel_shape[opt]: Ints, pads[opt]: Ints, strides[opt]: Ints,
    } onnx "" 10 shape qlinear_conv;
    /// `matmul_integer` of quantised tensors, requantised to y's scale and zero point. The scales of `a` and `b` may
    /// have one element per row and column.
    QLinearMatMul "qlinear_matmul" Quant (a: Any T, a_scale, a_zero_point: Any T, b: Any U, b_scale, b_zero_point: Any U, y_scale, y_zero_point)
        -> (y: Elem(7)) {} onnx "" 10 shape qlinear_matmul;
    /// round(x/scale) + zero_point, ties to even, clamped to the result's type; per tensor, axis or block. `saturate`
    /// governs 8-bit floats as in `cast`, `precision` is the type of the division.
    QuantizeLinear "quantize_linear" Quant (x, y_scale, y_zero_point[opt]) -> (y: Fn(quantized)) {
        axis: Int = 1, block_size: Int = 0, output_dtype[opt]: DType, precision[opt]: DType, saturate: Flag = true,
    } onnx "" 10 shape like;

    // ---------------------------------------------------------------- pooling
    /// Mean over windows, of the elements inside the input, or with `count_include_pad` of those in its padding too.
    AveragePool "average_pool" Pool (x) -> (y: Elem(0)) {
        auto_pad: AutoPad = AutoPad::NotSet, ceil_mode: Flag = false, count_include_pad: Flag = false, dilations[opt]: Ints,
        kernel_shape: Ints, pads[opt]: Ints, strides[opt]: Ints,
    } onnx "" 1 shape pool;
    /// Mean over all spatial axes.
    GlobalAveragePool "global_average_pool" Pool (x) -> (y: Elem(0)) {} onnx "" 1 shape global_pool;
    /// Lp norm over all spatial axes.
    GlobalLpPool "global_lp_pool" Pool (x) -> (y: Elem(0)) { p: Int = 2 } onnx "" 1 shape global_pool;
    /// Maximum over all spatial axes.
    GlobalMaxPool "global_max_pool" Pool (x) -> (y: Elem(0)) {} onnx "" 1 shape global_pool;
    /// (Σ|x|^p)^(1/p) over windows.
    LpPool "lp_pool" Pool (x) -> (y: Elem(0)) {
        auto_pad: AutoPad = AutoPad::NotSet, ceil_mode: Flag = false, dilations[opt]: Ints, kernel_shape: Ints,
        p: Int = 2, pads[opt]: Ints, strides[opt]: Ints,
    } onnx "" 1 shape pool;
    /// Maximum over windows, and optionally its index in the whole of `x` flattened row-major (column-major in the
    /// spatial axes with `storage_order = 1`).
    MaxPool "max_pool" Pool (x) -> (y: Elem(0), indices[opt]: I64) {
        auto_pad: AutoPad = AutoPad::NotSet, ceil_mode: Flag = false, dilations[opt]: Ints, kernel_shape: Ints,
        pads[opt]: Ints, storage_order: Int = 0, strides[opt]: Ints,
    } onnx "" 1 shape pool;
    /// Maximum over the `pooled_shape` cells of each region, a row [batch, x1, y1, x2, y2] of `rois` times
    /// `spatial_scale`.
    MaxRoiPool "max_roi_pool" Pool (x: Any T, rois: Any T) -> (y: Elem(0)) {
        pooled_shape: Ints, spatial_scale: Float = 1.0,
    } onnx "" 1 shape max_roi_pool;
    /// Puts pooled values back to the places that `max_pool` took them from; elsewhere 0.
    MaxUnpool "max_unpool" Pool (x, indices, output_shape[opt]) -> (y: Elem(0)) {
        kernel_shape: Ints, pads[opt]: Ints, strides[opt]: Ints,
    } onnx "" 9 shape max_unpool;

    // ---------------------------------------------------------------- normalisation, reductions, scans
    /// (x − mean)/√(var + epsilon)·scale + b per channel (axis 1). In training mode by the batch's own mean and
    /// variance, and the running ones are momentum·old + (1 − momentum)·the batch's.
    BatchNormalization "batch_normalization" Reduce (x: Float, scale: Any T, b: Any T, mean: Any U, var: Any U)
        -> (y: Elem(0), running_mean[opt]: Elem(3), running_var[opt]: Elem(4)) {
        epsilon: Float = 1e-5, momentum: Float = 0.9, training_mode: Flag = false,
    } onnx "" 1 shape batch_norm;
    /// (x − mean)/√(variance + epsilon)·scale + bias, statistics over `num_groups` groups of channels and all spatial
    /// axes of a sample, scale and bias per channel.
    GroupNormalization "group_normalization" Reduce (x: Any T, scale: Any T, bias: Any T) -> (y: Elem(0)) {
        epsilon: Float = 1e-5, num_groups: Int, stash_type: DType = DType::F32,
    } onnx "" 18 shape like;
    /// `group_normalization` of single channels: statistics over the spatial axes of each sample.
    InstanceNormalization "instance_normalization" Reduce (x: Float T, scale: Float T, b: Float T) -> (y: Elem(0)) { epsilon: Float = 1e-5 } onnx "" 1 shape like;
    /// (x − mean)/√(variance + epsilon)·scale + b, statistics over the axes from `axis` on; mean and 1/√(variance +
    /// epsilon) are further results, those axes being 1.
    LayerNormalization "layer_normalization" Reduce (x: Float T, scale: Float T, b[opt]: Float T)
        -> (y: Elem(0), mean[opt]: AttrOr("stash_type", 0), inv_std_dev[opt]: AttrOr("stash_type", 0)) {
        axis: Int = -1, epsilon: Float = 1e-5, stash_type: DType = DType::F32,
    } onnx "" 17 shape layer_norm;
    /// Layer normalisation over the last axis of x + skip + bias, and optionally that sum.
    SkipLayerNormalization "skip_layer_normalization" Reduce (x: Any T, skip: Any T, scale: Any T, b[opt]: Any T, bias[opt]: Any T)
        -> (y: Elem(0), sum[opt]: Elem(0)) { epsilon: Float = 1e-5 } shape skip_layer_norm;
    /// x/√(mean(x²) + epsilon)·scale over the axes from `axis` on.
    RMSNormalization "rms_normalization" Reduce (x, scale) -> (y: Elem(1)) {
        axis: Int = -1, epsilon: Float = 1e-5, stash_type: DType = DType::F32,
    } onnx "" 23 shape like;
    /// x/(bias + alpha/size·Σx²)^beta, the sum over the `size` channels around, ⌊(size − 1)/2⌋ of them before.
    LRN "lrn" Reduce (x: Float) -> (y: Elem(0)) {
        alpha: Float = 1e-4, beta: Float = 0.75, bias: Float = 1.0, size: Int,
    } onnx "" 1 shape like;
    /// x divided by its Lp norm along the axis, p 1 or 2; where the norm is 0, so is the result.
    LpNormalization "lp_normalization" Reduce (x) -> (y: Elem(0)) { axis: Int = -1, p: Int = 2 } onnx "" 1 shape along_axis;
    /// (x − mean)/standard deviation over the axes, 0, 2 and 3 if none are given.
    MeanVarianceNormalization "mean_variance_normalization" Reduce (x) -> (y: Elem(0)) { axes[opt]: Ints } onnx "" 9 shape like;
    /// exp(x)/Σexp(x) along the axis.
    Softmax "softmax" Reduce (x: Float) -> (y: Elem(0)) { axis: Int = -1 } onnx "" 1 shape along_axis;
    /// ln(softmax(x)) along the axis.
    LogSoftmax "log_softmax" Reduce (x) -> (y: Elem(0)) { axis: Int = -1 } onnx "" 1 shape along_axis;
    /// 1 at the first greatest element along the axis, else 0.
    Hardmax "hardmax" Reduce (x: Float) -> (y: Elem(0)) { axis: Int = -1 } onnx "" 1 shape along_axis;
    /// Index of the greatest element along the axis, of equals the first or with `select_last_index` the last.
    ArgMax "argmax" Reduce (x: Number) -> (y: I64) { axis: Int = 0, keepdims: Flag = true, select_last_index: Flag = false } onnx "" 1 shape arg_reduce;
    /// Index of the least element along the axis, of equals the first or with `select_last_index` the last.
    ArgMin "argmin" Reduce (x: Number) -> (y: I64) { axis: Int = 0, keepdims: Flag = true, select_last_index: Flag = false } onnx "" 1 shape arg_reduce;
    /// Running product along an axis, a rank-0 operand; `exclusive` leaves out the element itself, `reverse` runs from
    /// the end.
    CumProd "cumprod" Reduce (x, axis) -> (y: Elem(0)) { exclusive: Flag = false, reverse: Flag = false } onnx "" 26 shape like;
    /// Running sum along an axis, a rank-0 operand; `exclusive` leaves out the element itself, `reverse` runs from the
    /// end.
    CumSum "cumsum" Reduce (x, axis) -> (y: Elem(0)) { exclusive: Flag = false, reverse: Flag = false } onnx "" 11 shape like;
    /// Σ|x| over the axes (all if none are given).
    ReduceL1 "reduce_l1" Reduce (x: Number, axes[opt]: I64) -> (y: Elem(0)) { keepdims: Flag = true, noop_with_empty_axes: Flag = false } onnx "" 1 shape reduce;
    /// √Σx² over the axes.
    ReduceL2 "reduce_l2" Reduce (x: Number, axes[opt]: I64) -> (y: Elem(0)) { keepdims: Flag = true, noop_with_empty_axes: Flag = false } onnx "" 1 shape reduce;
    /// ln Σx over the axes.
    ReduceLogSum "reduce_log_sum" Reduce (x, axes[opt]) -> (y: Elem(0)) { keepdims: Flag = true, noop_with_empty_axes: Flag = false } onnx "" 1 shape reduce;
    /// ln Σexp(x) over the axes, without overflow.
    ReduceLogSumExp "reduce_log_sum_exp" Reduce (x, axes[opt]) -> (y: Elem(0)) { keepdims: Flag = true, noop_with_empty_axes: Flag = false } onnx "" 1 shape reduce;
    /// Greatest element over the axes; of none, the least value of the type.
    ReduceMax "reduce_max" Reduce (x, axes[opt]) -> (y: Elem(0)) { keepdims: Flag = true, noop_with_empty_axes: Flag = false } onnx "" 1 shape reduce;
    /// Mean over the axes.
    ReduceMean "reduce_mean" Reduce (x: Number, axes[opt]: I64) -> (y: Elem(0)) { keepdims: Flag = true, noop_with_empty_axes: Flag = false } onnx "" 1 shape reduce;
    /// Least element over the axes; of none, the greatest value of the type.
    ReduceMin "reduce_min" Reduce (x, axes[opt]) -> (y: Elem(0)) { keepdims: Flag = true, noop_with_empty_axes: Flag = false } onnx "" 1 shape reduce;
    /// Product over the axes.
    ReduceProd "reduce_prod" Reduce (x: Number, axes[opt]: I64) -> (y: Elem(0)) { keepdims: Flag = true, noop_with_empty_axes: Flag = false } onnx "" 1 shape reduce;
    /// Sum over the axes.
    ReduceSum "reduce_sum" Reduce (x: Number, axes[opt]: I64) -> (y: Elem(0)) { keepdims: Flag = true, noop_with_empty_axes: Flag = false } onnx "" 1 shape reduce;
    /// Σx² over the axes.
    ReduceSumSquare "reduce_sum_square" Reduce (x, axes[opt]) -> (y: Elem(0)) { keepdims: Flag = true, noop_with_empty_axes: Flag = false } onnx "" 1 shape reduce;
    /// The k greatest or least elements along the axis and their indices, in order; of equals the one with the lower
    /// index first.
    TopK "topk" Reduce (x: Number, k) -> (values: Elem(0), indices: I64) { axis: Int = -1, largest: Flag = true, sorted: Flag = true } onnx "" 1 shape top_k;
    /// Distinct elements of the flattened operand or distinct slices along `axis`, ascending or in order of occurrence,
    /// with the index of the first occurrence, the place of each element among them, and counts.
    Unique "unique" Reduce (x) -> (y: Elem(0), indices[opt]: I64, inverse_indices[opt]: I64, counts[opt]: I64) {
        axis[opt]: Int, sorted: Flag = true,
    } onnx "" 11 shape unique;

    // ---------------------------------------------------------------- moving elements
    /// Cuts or zero-pads the named axes (all if absent) around the centre to the given sizes; an odd element is cut
    /// before and padded behind.
    CenterCropPad "center_crop_pad" Move (x, shape) -> (y: Elem(0)) { axes[opt]: Ints } onnx "" 18 shape center_crop_pad;
    /// Sums columns [N, C·block, places] back into the image [N, C, image_shape…] they were cut from.
    Col2Im "col2im" Move (x, image_shape, block_shape) -> (y: Elem(0)) { dilations[opt]: Ints, pads[opt]: Ints, strides[opt]: Ints } onnx "" 18 shape col2im;
    /// Slices along the axis where the condition, a bool vector, holds; of the flattened operand if there is no axis.
    Compress "compress" Move (x, condition: Bool) -> (y: Elem(0)) { axis[opt]: Int } onnx "" 9 shape compress;
    /// Operands joined along the axis.
    Concat "concat" Move (xs[many]: Any T) -> (y: Elem(0)) { axis: Int } onnx "" 1 shape concat;
    /// Moves channels into blocks of space; the block's place is the outer part of the channel (`DCR`) or the inner one
    /// (`CRD`).
    DepthToSpace "depth_to_space" Move (x) -> (y: Elem(0)) { blocksize: Int, mode: BlockOrder = BlockOrder::DepthLast } onnx "" 1 shape depth_to_space;
    /// Broadcasts `x` and `shape` against each other.
    Expand "expand" Move (x, shape: I64) -> (y: Elem(0)) {} onnx "" 8 shape expand;
    /// Ones on the k-th diagonal of a matrix shaped as the operand.
    EyeLike "eye_like" Move (x) -> (y: AttrOr("dtype", 0)) { dtype[opt]: DType, k: Int = 0 } onnx "" 9 shape like;
    /// A matrix: the axes before `axis` as rows, the others as columns.
    Flatten "flatten" Move (x) -> (y: Elem(0)) { axis: Int = 1 } onnx "" 1 shape flatten;
    /// Slices of `x` along the axis at the indices (negative from the end).
    Gather "gather" Move (x, indices: Index) -> (y: Elem(0)) { axis: Int = 0 } onnx "" 1 shape gather;
    /// y[i…] = x[i… with the index at i… along the axis]; the result has the shape of the indices.
    GatherElements "gather_elements" Move (x, indices: Index) -> (y: Elem(0)) { axis: Int = 0 } onnx "" 11 shape gather_elements;
    /// Slices of `x` at the index tuples in the last axis of `indices`, behind `batch_dims` axes that both share.
    GatherND "gather_nd" Move (x, indices: I64) -> (y: Elem(0)) { batch_dims: Int = 0 } onnx "" 11 shape gather_nd;
    /// Indices of the elements that are not zero, one column each.
    NonZero "non_zero" Move (x) -> (y: I64) {} onnx "" 9 shape non_zero;
    /// `values[1]` at the indices along a further axis of length `depth`, else `values[0]`; an index outside marks
    /// nothing.
    OneHot "one_hot" Move (indices, depth, values) -> (y: Elem(2)) { axis: Int = -1 } onnx "" 9 shape one_hot;
    /// Adds or cuts (negative) borders of the named axes: `constant`, `reflect` (without the edge), `edge` or `wrap`.
    Pad "pad" Move (x: Any T, pads: I64, value[opt]: Any T, axes[opt]: Index) -> (y: Elem(0)) { mode: PadMode = PadMode::Constant } onnx "" 1 shape pad;
    /// start + i·delta for all i from 0 until limit is reached.
    Range "range" Move (start: Any T, limit: Any T, delta: Any T) -> (y: Elem(0)) { stash_type: DType = DType::F32 } onnx "" 11 shape range;
    /// The same elements in other dimensions: 0 copies one (unless `allowzero`), −1 is inferred.
    Reshape "reshape" Move (x, shape: I64) -> (y: Elem(0)) { allowzero: Flag = false } onnx "" 1 shape reshape;
    /// Reverses the first `sequence_lens[i]` slices along the time axis of entry i of the batch axis.
    ReverseSequence "reverse_sequence" Move (x, sequence_lens) -> (y: Elem(0)) { batch_axis: Int = 1, time_axis: Int = 0 } onnx "" 10 shape like;
    /// Copy of `x` with elements at indices along one axis replaced by or combined with updates.
    ScatterElements "scatter_elements" Move (x: Any T, indices: Index, updates: Any T) -> (y: Elem(0)) { axis: Int = 0, reduction: ScatterReduction = ScatterReduction::Replace } onnx "" 11 shape like;
    /// Copy of `x` with slices at index tuples replaced by or combined with updates.
    ScatterND "scatter_nd" Move (x: Any T, indices: I64, updates: Any T) -> (y: Elem(0)) { reduction: ScatterReduction = ScatterReduction::Replace } onnx "" 11 shape like;
    /// The dimensions of the operand from `start` to `end`.
    Shape "shape" Move (x) -> (y: I64) { start: Int = 0, end[opt]: Int } onnx "" 1 shape shape;
    /// The number of elements, rank 0.
    Size "size" Move (x) -> (y: I64) {} onnx "" 1 shape scalar;
    /// Elements start, start + step, … before end of each named axis (all if absent); bounds are clamped, steps may be
    /// negative.
    Slice "slice" Move (x, starts: Index, ends: Index, axes[opt]: Index, steps[opt]: Index) -> (y: Elem(0)) {} onnx "" 1 shape slice;
    /// Moves blocks of space into channels; the block's place becomes the outer part of the channel (`DCR`) or the
    /// inner one (`CRD`).
    SpaceToDepth "space_to_depth" Move (x) -> (y: Elem(0)) { blocksize: Int, mode: BlockOrder = BlockOrder::DepthLast } onnx "" 1 shape space_to_depth;
    /// Cuts along the axis into parts of the given sizes, or of equal ones, the last being smaller.
    Split "split" Move (x, split[opt]: I64) -> (ys[many]: Elem(0)) { axis: Int = 0, num_outputs[opt]: Int } onnx "" 1 shape split;
    /// Removes the named axes, which have length 1; all such axes without `axes`.
    Squeeze "squeeze" Move (x, axes[opt]: I64) -> (y: Elem(0)) {} onnx "" 1 shape squeeze;
    /// Copy of a cache with `update` written from `write_indices[batch]` (0 if absent) on along the axis; `circular`
    /// wraps around.
    TensorScatter "tensor_scatter" Move (past_cache: Any T, update: Any T, write_indices[opt]) -> (y: Elem(0)) { axis: Int = -2, mode: CacheMode = CacheMode::Linear } onnx "" 24 shape like;
    /// Repeats the operand along each axis.
    Tile "tile" Move (x, repeats: I64) -> (y: Elem(0)) {} onnx "" 1 shape tile;
    /// Permutes axes; reverses them without `perm`.
    Transpose "transpose" Move (x) -> (y: Elem(0)) { perm[opt]: Ints } onnx "" 1 shape transpose;
    /// The upper or lower triangle of the matrices in the last two axes, from the k-th diagonal; 0 elsewhere.
    Trilu "trilu" Move (x, k[opt]: I64) -> (y: Elem(0)) { upper: Flag = true } onnx "" 14 shape like;
    /// Inserts axes of length 1 at these places of the result.
    Unsqueeze "unsqueeze" Move (x, axes: I64) -> (y: Elem(0)) {} onnx "" 1 shape unsqueeze;

    // ---------------------------------------------------------------- recurrent
    /// Gated recurrent unit over a sequence, gates z, r, h: h' = g(Wh·x + Rh·(r∘h)), or with `linear_before_reset`
    /// g(Wh·x + r∘(Rh·h + bias)); the state is (1 − z)∘h' + z∘h. Activations are sigmoid and tanh if absent, `clip`
    /// bounds their arguments.
    GRU "gru" Recurrent (x: Any T, w: Any T, r: Any T, b[opt]: Any T, sequence_lens[opt], initial_h[opt]: Any T) -> (y[opt]: Elem(0), y_h[opt]: Elem(0)) {
        activation_alpha[opt]: Floats, activation_beta[opt]: Floats, activations[opt]: Strs, clip[opt]: Float, direction: RecurrentDirection = RecurrentDirection::Forward,
        hidden_size[opt]: Int, layout: Flag = false, linear_before_reset: Flag = false,
    } onnx "" 1 shape recurrent;
    /// Long short-term memory over a sequence, gates i, o, f, c with peepholes `p`: c = f∘c + i∘g, h = o∘tanh(c);
    /// `input_forget` couples f = 1 − i. Activations are sigmoid, tanh, tanh if absent, `clip` bounds their arguments.
    LSTM "lstm" Recurrent (x: Any T, w: Any T, r: Any T, b[opt]: Any T, sequence_lens[opt], initial_h[opt]: Any T, initial_c[opt]: Any T, p[opt]: Any T)
        -> (y[opt]: Elem(0), y_h[opt]: Elem(0), y_c[opt]: Elem(0)) {
        activation_alpha[opt]: Floats, activation_beta[opt]: Floats, activations[opt]: Strs, clip[opt]: Float, direction: RecurrentDirection = RecurrentDirection::Forward,
        hidden_size[opt]: Int, input_forget: Flag = false, layout: Flag = false,
    } onnx "" 1 shape recurrent;
    /// Elman network over a sequence: h = f(W·x + R·h + biases), f tanh if absent, `clip` bounds its argument.
    RNN "rnn" Recurrent (x: Any T, w: Any T, r: Any T, b[opt]: Any T, sequence_lens[opt], initial_h[opt]: Any T) -> (y[opt]: Elem(0), y_h[opt]: Elem(0)) {
        activation_alpha[opt]: Floats, activation_beta[opt]: Floats, activations[opt]: Strs, clip[opt]: Float, direction: RecurrentDirection = RecurrentDirection::Forward,
        hidden_size[opt]: Int, layout: Flag = false,
    } onnx "" 1 shape recurrent;

    // ---------------------------------------------------------------- images
    /// Sampling grid of an affine map `theta`, for a result of shape `size`: the mapped coordinates, −1 … 1, of each
    /// place.
    AffineGrid "affine_grid" Image (theta, size) -> (grid: Elem(0)) { align_corners: Flag = false } onnx "" 20 shape affine_grid;
    /// Samples `x` by `linear`, `nearest` or `cubic` interpolation at the grid's places, x first, −1 … 1 being the
    /// edges of the corner elements or, with `align_corners`, their centres; outside `zeros`, `border` or `reflection`.
    GridSample "grid_sample" Image (x, grid) -> (y: Elem(0)) {
        align_corners: Flag = false, mode: Interpolation = Interpolation::Linear, padding_mode: SamplePadding = SamplePadding::Zeros,
    } onnx "" 16 shape grid_sample;
    /// Decodes an image file held in a u8 vector to [H, W, C].
    ImageDecoder "image_decoder" Image (stream) -> (image: Is(DType::U8)) { pixel_format: PixelFormat = PixelFormat::Rgb } onnx "" 20 shape image_decoder;
    /// Rows [batch, class, box] of boxes kept, best first, after dropping those below the score threshold or with an
    /// intersection over union above the other threshold with one that is kept.
    NonMaxSuppression "non_max_suppression" Image (boxes, scores, max_output_boxes_per_class[opt], iou_threshold[opt], score_threshold[opt])
        -> (selected: I64) { center_point_box: Flag = false } onnx "" 10 shape non_max_suppression;
    /// Resamples along the named axes to `sizes`, or by `scales`: `nearest`, `linear` or `cubic`.
    /// `coordinate_transformation_mode` maps places of the result to the operand: half_pixel (also _symmetric,
    /// pytorch_), align_corners, asymmetric, tf_half_pixel_for_nn, or tf_crop_and_resize, which takes `roi`.
    /// `nearest_mode` is round_prefer_floor, round_prefer_ceil, floor, ceil, or ceil_when_shrinking: the rule of operator
    /// set 10, which takes the element above on axes that shrink and the element below on others.
    Resize "resize" Image (x, roi[opt], scales[opt], sizes[opt]) -> (y: Elem(0)) {
        antialias: Flag = false, axes[opt]: Ints, coordinate_transformation_mode: CoordinateTransform = CoordinateTransform::HalfPixel, cubic_coeff_a: Float = -0.75,
        exclude_outside: Flag = false, extrapolation_value: Float = 0.0, keep_aspect_ratio_policy: AspectRatioPolicy = AspectRatioPolicy::Stretch,
        mode: Interpolation = Interpolation::Nearest, nearest_mode: NearestMode = NearestMode::PreferFloor,
    } onnx "" 10 shape resize;
    /// Mean or maximum of bilinear samples in each cell of regions [x1, y1, x2, y2] times `spatial_scale`;
    /// `sampling_ratio`² samples, 0 meaning ⌈cell size⌉.
    RoiAlign "roi_align" Image (x: Any T, rois: Any T, batch_indices) -> (y: Elem(0)) {
        coordinate_transformation_mode: RoiTransform = RoiTransform::HalfPixel, mode: RoiPooling = RoiPooling::Average, output_height: Int = 1, output_width: Int = 1,
        sampling_ratio: Int = 0, spatial_scale: Float = 1.0,
    } onnx "" 10 shape roi_align;

    // ---------------------------------------------------------------- signals
    /// Discrete Fourier transform along an axis (−2 if absent), cut or zero-padded to `dft_length`; the last axis holds
    /// the real or the real and imaginary part. The inverse divides by the length; `onesided` keeps the first ⌊n/2⌋ + 1
    /// terms.
    DFT "dft" Signal (x, dft_length[opt], axis[opt]) -> (y: Elem(0)) { inverse: Flag = false, onesided: Flag = false } onnx "" 17 shape dft;
    /// Matrix [dft_length/2 + 1, mel bins] of triangles that map a spectrum to bins even on the mel scale 2595·log10(1
    /// + f/700).
    MelWeightMatrix "mel_weight_matrix" Signal (num_mel_bins, dft_length, sample_rate, lower_edge_hertz, upper_edge_hertz)
        -> (y: Rule::Attr("output_datatype")) { output_datatype: DType = DType::F32 } onnx "" 17 shape mel_weights;
    /// Fourier transforms of frames of `frame_length` elements, `frame_step` apart, times the window: [batch, frames,
    /// terms, 2].
    STFT "stft" Signal (signal, frame_step, window[opt], frame_length[opt]) -> (y: Elem(0)) { onesided: Flag = true } onnx "" 17 shape stft;
    /// Blackman window; `periodic` divides the circle into `size` parts, else into size − 1.
    BlackmanWindow "blackman_window" Signal (size) -> (y: Rule::Attr("output_datatype")) { output_datatype: DType = DType::F32, periodic: Flag = true } onnx "" 17 shape signal_window;
    /// Hamming window, 25/46 its constant term; `periodic` as for the Blackman window.
    HammingWindow "hamming_window" Signal (size) -> (y: Rule::Attr("output_datatype")) { output_datatype: DType = DType::F32, periodic: Flag = true } onnx "" 17 shape signal_window;
    /// Hann window; `periodic` as for the Blackman window.
    HannWindow "hann_window" Signal (size) -> (y: Rule::Attr("output_datatype")) { output_datatype: DType = DType::F32, periodic: Flag = true } onnx "" 17 shape signal_window;

    // ---------------------------------------------------------------- strings
    /// Whether the whole string matches the pattern (RE2 syntax).
    RegexFullMatch "regex_full_match" Text (x: Str) -> (y: BOOL) { pattern: Str } onnx "" 20 shape like;
    /// Strings joined elementwise, broadcast.
    StringConcat "string_concat" Text (x: Str, y: Str) -> (z: Is(DType::Str)) {} onnx "" 20 shape broadcast;
    /// A vector (or single row) of strings without stop words, in `LOWER` or `UPPER` case or as it is (`NONE`); one
    /// empty string if nothing is left.
    StringNormalizer "string_normalizer" Text (x: Str) -> (y: Is(DType::Str)) {
        case_change_action: CaseChange = CaseChange::None, is_case_sensitive: Flag = false, locale[opt]: Str, stopwords[opt]: Strs,
    } onnx "" 10 shape string_normalizer;
    /// Cuts strings at a delimiter, by default at runs of blanks, at most `maxsplit` times; the last axis is filled up
    /// with empty strings, the second result counts the parts.
    StringSplit "string_split" Text (x: Str) -> (y: Is(DType::Str), counts: I64) { delimiter[opt]: Str, maxsplit[opt]: Int } onnx "" 20 shape string_split;
    /// Counts the pool's n-grams in each row, with up to `max_skip_count` elements skipped between theirs: the counts
    /// (`TF`), weights where they occur (`IDF`) or counts times weights (`TFIDF`), at `ngram_indexes`.
    TfIdfVectorizer "tfidf_vectorizer" Text (x) -> (y: F32) {
        max_gram_length: Int, max_skip_count: Int,
        min_gram_length: Int, mode: TermWeight,
        ngram_counts: Ints, ngram_indexes: Ints,
        pool_int64s[opt]: Ints, pool_strings[opt]: Strs, weights[opt]: Floats,
    } onnx "" 9 shape tf_idf;

    // ---------------------------------------------------------------- sequences, optional values
    /// All tensors of a sequence joined along an axis, or stacked along a further one.
    ConcatFromSequence "concat_from_sequence" Container (xs) -> (y: Fn(joined)) { axis: Int, new_axis: Flag = false } onnx "" 11 shape given;
    /// An optional value that holds the operand, or nothing.
    Optional "optional" Container (x[opt]) -> (y: Fn(optional)) { elem_type[opt]: Type } onnx "" 15 shape given;
    /// The value inside an optional; nothing inside is an error.
    OptionalGetElement "optional_get_element" Container (x) -> (y: InnerOf(0)) {} onnx "" 15 shape given;
    /// Whether there is a value.
    OptionalHasElement "optional_has_element" Container (x[opt]) -> (y: BOOL) {} onnx "" 15 shape scalar;
    /// The item at a position (negative from the end).
    SequenceAt "sequence_at" Container (xs, position) -> (y: ItemOf(0)) {} onnx "" 11 shape given;
    /// A sequence of the operands.
    SequenceConstruct "sequence_construct" Container (xs[many]) -> (y: SeqOf(0)) {} onnx "" 11 shape given;
    /// A sequence without items.
    SequenceEmpty "sequence_empty" Container () -> (y: Fn(empty_sequence)) { dtype[opt]: DType } onnx "" 11 shape given;
    /// The sequence without the item at a position (the last by default).
    SequenceErase "sequence_erase" Container (xs, position[opt]) -> (y: Same(0)) {} onnx "" 11 shape given;
    /// The sequence with a tensor inserted before a position (at the end by default).
    SequenceInsert "sequence_insert" Container (xs, x, position[opt]) -> (y: Rule::Like(0)) {} onnx "" 11 shape given;
    /// The number of items.
    SequenceLength "sequence_length" Container (xs) -> (y: I64) {} onnx "" 11 shape scalar;
    /// A tensor cut along an axis into a sequence: by a vector of sizes, into parts of one size (rank 0), or into
    /// slices, from which `keepdims = 0` takes the axis.
    SplitToSequence "split_to_sequence" Container (x, split[opt]) -> (y: SeqOf(0)) { axis: Int = 0, keepdims: Flag = true } onnx "" 11 shape given;

    // ---------------------------------------------------------------- random numbers
    /// 1 with the probability that the operand gives, else 0.
    Bernoulli "bernoulli" Random (x) -> (y: AttrOr("dtype", 0)) { dtype[opt]: DType, seed[opt]: Float } onnx "" 15 shape like;
    /// In training mode zeroes elements with probability `ratio` (1/2 if absent), scales the others by 1/(1 − ratio)
    /// and tells by the mask which those are; else the operand itself.
    Dropout "dropout" Random (x, ratio[opt], training_mode[opt]) -> (y: Elem(0), mask[opt]: BOOL) { seed[opt]: Int } onnx "" 1 shape same_for_all;
    /// Samples class indices by unnormalised log probabilities.
    Multinomial "multinomial" Random (x) -> (y: Rule::Attr("dtype")) { dtype: DType = DType::I32, sample_size: Int = 1, seed[opt]: Float } onnx "" 7 shape multinomial;
    /// Normally distributed numbers.
    RandomNormal "random_normal" Random () -> (y: Rule::Attr("dtype")) {
        dtype: DType = DType::F32, mean: Float = 0.0, scale: Float = 1.0, seed[opt]: Float, shape: Ints,
    } onnx "" 1 shape random;
    /// Normally distributed numbers in the shape of the operand.
    RandomNormalLike "random_normal_like" Random (x) -> (y: AttrOr("dtype", 0)) { dtype[opt]: DType, mean: Float = 0.0, scale: Float = 1.0, seed[opt]: Float } onnx "" 1 shape like;
    /// Uniformly distributed numbers.
    RandomUniform "random_uniform" Random () -> (y: Rule::Attr("dtype")) {
        dtype: DType = DType::F32, high: Float = 1.0, low: Float = 0.0, seed[opt]: Float, shape: Ints,
    } onnx "" 1 shape random;
    /// Uniformly distributed numbers in the shape of the operand.
    RandomUniformLike "random_uniform_like" Random (x) -> (y: AttrOr("dtype", 0)) { dtype[opt]: DType, high: Float = 1.0, low: Float = 0.0, seed[opt]: Float } onnx "" 1 shape like;

    // ---------------------------------------------------------------- losses, optimisers
    /// `−weight[t]·x[n, t, …]` for target classes t, 0 where t is `ignore_index`; `mean` divides by the sum of the
    /// weights.
    NegativeLogLikelihoodLoss "negative_log_likelihood_loss" Train (x, target, weight[opt]) -> (loss: Elem(0)) {
        ignore_index[opt]: Int, reduction: BatchReduction = BatchReduction::Mean,
    } onnx "" 12 shape loss;
    /// Negative log likelihood of softmax(scores), and optionally the log probabilities.
    SoftmaxCrossEntropyLoss "softmax_cross_entropy_loss" Train (scores, labels, weights[opt])
        -> (loss: Elem(0), log_prob[opt]: Elem(0)) { ignore_index[opt]: Int, reduction: BatchReduction = BatchReduction::Mean } onnx "" 12 shape loss;
    /// One step of Adagrad with rate r at step t: all parameters, gradients and accumulated squares in, parameters and
    /// squares out.
    Adagrad "adagrad" Train (r, t, xs[many]) -> (ys[many]: Elem(2)) {
        decay_factor: Float = 0.0, epsilon: Float = 1e-6, norm_coefficient: Float = 0.0,
    } onnx "ai.onnx.preview.training" 1 shape optimizer;
    /// One step of Adam with rate r at step t: all parameters, gradients, first and second moments in, parameters and
    /// moments out.
    Adam "adam" Train (r, t, xs[many]) -> (ys[many]: Elem(2)) {
        alpha: Float = 0.9, beta: Float = 0.999, epsilon: Float = 1e-6, norm_coefficient: Float = 0.0, norm_coefficient_post: Float = 0.0,
    } onnx "ai.onnx.preview.training" 1 shape optimizer;
    /// One step of gradient descent with `standard` or `nesterov` momentum: all parameters, gradients and velocities
    /// in, parameters and velocities out.
    Momentum "momentum" Train (r, t, xs[many]) -> (ys[many]: Elem(2)) {
        alpha: Float, beta: Float, mode: MomentumMode,
        norm_coefficient: Float,
    } onnx "ai.onnx.preview.training" 1 shape optimizer;

    // ---------------------------------------------------------------- classical machine learning
    /// Elements of the last axis at the given indices.
    ArrayFeatureExtractor "array_feature_extractor" Ml (x, y) -> (z: Elem(0)) {} onnx "ai.onnx.ml" 1 shape given;
    /// 1 above the threshold, else 0.
    Binarizer "binarizer" Ml (x) -> (y: Elem(0)) { threshold: Float = 0.0 } onnx "ai.onnx.ml" 1 shape like;
    /// The values of a map by ascending key as a row; a `SPARSE` map has keys that are places below `max_map`, others
    /// being 0.
    CastMap "cast_map" Ml (x) -> (y: Fn(cast_map)) { cast_to: MapCast = MapCast::Float, map_form: MapForm = MapForm::Dense, max_map: Int = 1 } onnx "ai.onnx.ml" 1 shape given;
    /// Category names to numbers or back.
    CategoryMapper "category_mapper" Ml (x) -> (y: Fn(category)) {
        cats_int64s[opt]: Ints, cats_strings[opt]: Strs, default_int64: Int = -1, default_string: Str = "_Unused",
    } onnx "ai.onnx.ml" 1 shape like;
    /// The values of a map in the order of a vocabulary.
    DictVectorizer "dict_vectorizer" Ml (x) -> (y: Fn(map_values)) { int64_vocabulary[opt]: Ints, string_vocabulary[opt]: Strs } onnx "ai.onnx.ml" 1 shape given;
    /// Columns of all operands side by side, as f32.
    FeatureVectorizer "feature_vectorizer" Ml (xs[many]) -> (y: F32) { inputdimensions[opt]: Ints } onnx "ai.onnx.ml" 1 shape given;
    /// Replaces one value (NaN too) by another, per column or the same for all.
    Imputer "imputer" Ml (x) -> (y: Elem(0)) {
        imputed_value_floats[opt]: Floats, imputed_value_int64s[opt]: Ints, replaced_value_float: Float = 0.0, replaced_value_int64: Int = 0,
    } onnx "ai.onnx.ml" 1 shape like;
    /// Maps keys to the values at the same places, others to the default.
    LabelEncoder "label_encoder" Ml (x) -> (y: Fn(label_values)) {
        default_float: Float = -0.0, default_int64: Int = -1, default_string: Str = "_Unused", default_tensor[opt]: Tensor,
        keys_floats[opt]: Floats, keys_int64s[opt]: Ints, keys_strings[opt]: Strs, keys_tensor[opt]: Tensor,
        values_floats[opt]: Floats, values_int64s[opt]: Ints, values_strings[opt]: Strs, values_tensor[opt]: Tensor,
    } onnx "ai.onnx.ml" 1 shape like;
    /// The label of the best class, and the scores coefficients·x + intercepts after `post_transform`.
    LinearClassifier "linear_classifier" Ml (x) -> (y: Fn(class_labels), z: F32) {
        classlabels_ints[opt]: Ints, classlabels_strings[opt]: Strs, coefficients: Floats, intercepts[opt]: Floats,
        multi_class: Int = 0, post_transform: PostTransform = PostTransform::None,
    } onnx "ai.onnx.ml" 1 shape classes;
    /// coefficients·x + intercepts for each target, after `post_transform`.
    LinearRegressor "linear_regressor" Ml (x) -> (y: F32) {
        coefficients[opt]: Floats, intercepts[opt]: Floats, post_transform: PostTransform = PostTransform::None, targets: Int = 1,
    } onnx "ai.onnx.ml" 1 shape regression;
    /// Rows divided by their greatest magnitude (`MAX`), sum of magnitudes (`L1`) or Euclidean norm (`L2`).
    Normalizer "normalizer" Ml (x) -> (y: F32) { norm: RowNorm = RowNorm::Max } onnx "ai.onnx.ml" 1 shape like;
    /// One-hot vectors of categories in a further axis; all zeros for an unknown one, which without `zeros` is an
    /// error.
    OneHotEncoder "one_hot_encoder" Ml (x) -> (y: F32) { cats_int64s[opt]: Ints, cats_strings[opt]: Strs, zeros: Flag = true } onnx "ai.onnx.ml" 1 shape one_hot_categories;
    /// (x − offset)·scale per column.
    Scaler "scaler" Ml (x) -> (y: F32) { offset[opt]: Floats, scale[opt]: Floats } onnx "ai.onnx.ml" 1 shape like;
    /// Support vector classification: the label that wins the votes between pairs of classes (or linear scores), and
    /// the scores, by `prob_a` and `prob_b` as probabilities. Kernels are LINEAR, POLY, RBF and SIGMOID of gamma,
    /// coef0, degree.
    SVMClassifier "svm_classifier" Ml (x) -> (y: Fn(class_labels), z: F32) {
        classlabels_ints[opt]: Ints, classlabels_strings[opt]: Strs, coefficients[opt]: Floats, kernel_params[opt]: Floats,
        kernel_type: SvmKernel = SvmKernel::Linear, post_transform: PostTransform = PostTransform::None, prob_a[opt]: Floats, prob_b[opt]: Floats, rho[opt]: Floats,
        support_vectors[opt]: Floats, vectors_per_class[opt]: Ints,
    } onnx "ai.onnx.ml" 1 shape classes;
    /// Support vector regression with the kernels of `svm_classifier`; `one_class` gives the sign.
    SVMRegressor "svm_regressor" Ml (x) -> (y: F32) {
        coefficients[opt]: Floats, kernel_params[opt]: Floats, kernel_type: SvmKernel = SvmKernel::Linear, n_supports: Int = 0, one_class: Flag = false,
        post_transform: PostTransform = PostTransform::None, rho[opt]: Floats, support_vectors[opt]: Floats,
    } onnx "ai.onnx.ml" 1 shape regression_of_one;
    /// Leaf weights of decision trees, per target the mean, sum, least or greatest (`aggregate_function` 0 to 3). A
    /// node compares its feature by ≤, <, ≥, >, =, ≠ or membership (`nodes_modes` 0 to 6); NaN goes where
    /// `nodes_missing_value_tracks_true` says.
    TreeEnsemble "tree_ensemble" Ml (x) -> (y: Elem(0)) {
        aggregate_function: Int = 1, leaf_targetids: Ints, leaf_weights: Tensor,
        membership_values[opt]: Tensor, n_targets[opt]: Int, nodes_falseleafs: Ints,
        nodes_falsenodeids: Ints, nodes_featureids: Ints, nodes_hitrates[opt]: Tensor,
        nodes_missing_value_tracks_true[opt]: Ints, nodes_modes: Tensor, nodes_splits: Tensor,
        nodes_trueleafs: Ints, nodes_truenodeids: Ints, post_transform: Int = 0,
        tree_roots: Ints,
    } onnx "ai.onnx.ml" 5 shape tree_regression;
    /// The label of the best class, and the scores that the leaves of decision trees add up to. Where all leaves vote for
    /// the first of two classes, the sum is the score of the second, and the first gets its complement (its negative, if a
    /// vote is negative or a transform follows); where all vote for the second, it wins from a sum above a half (above 0,
    /// if a vote is negative).
    TreeEnsembleClassifier "tree_ensemble_classifier" Ml (x) -> (y: Fn(class_labels), z: F32) {
        base_values[opt]: Floats, base_values_as_tensor[opt]: Tensor, class_ids[opt]: Ints, class_nodeids[opt]: Ints, class_treeids[opt]: Ints,
        class_weights[opt]: Floats, class_weights_as_tensor[opt]: Tensor, classlabels_int64s[opt]: Ints, classlabels_strings[opt]: Strs,
        nodes_falsenodeids[opt]: Ints, nodes_featureids[opt]: Ints, nodes_hitrates[opt]: Floats, nodes_hitrates_as_tensor[opt]: Tensor,
        nodes_missing_value_tracks_true[opt]: Ints, nodes_modes[opt]: Strs, nodes_nodeids[opt]: Ints, nodes_treeids[opt]: Ints,
        nodes_truenodeids[opt]: Ints, nodes_values[opt]: Floats, nodes_values_as_tensor[opt]: Tensor, post_transform: PostTransform = PostTransform::None,
    } onnx "ai.onnx.ml" 1 shape classes;
    /// Per target the sum, mean, least or greatest weight of the leaves of decision trees.
    TreeEnsembleRegressor "tree_ensemble_regressor" Ml (x) -> (y: F32) {
        aggregate_function: TreeAggregate = TreeAggregate::Sum, base_values[opt]: Floats, base_values_as_tensor[opt]: Tensor, n_targets[opt]: Int,
        nodes_falsenodeids[opt]: Ints, nodes_featureids[opt]: Ints, nodes_hitrates[opt]: Floats, nodes_hitrates_as_tensor[opt]: Tensor,
        nodes_missing_value_tracks_true[opt]: Ints, nodes_modes[opt]: Strs, nodes_nodeids[opt]: Ints, nodes_treeids[opt]: Ints,
        nodes_truenodeids[opt]: Ints, nodes_values[opt]: Floats, nodes_values_as_tensor[opt]: Tensor, post_transform: PostTransform = PostTransform::None,
        target_ids[opt]: Ints, target_nodeids[opt]: Ints, target_treeids[opt]: Ints, target_weights[opt]: Floats, target_weights_as_tensor[opt]: Tensor,
    } onnx "ai.onnx.ml" 1 shape tree_regression;
    /// Rows of scores as maps from class to score.
    ZipMap "zip_map" Ml (x) -> (z: Fn(zip_map)) { classlabels_int64s[opt]: Ints, classlabels_strings[opt]: Strs } onnx "ai.onnx.ml" 1 shape given;
} }
