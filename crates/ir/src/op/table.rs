//! The op table. Graph ops follow the newest meaning of the ONNX operator that their variant is named
//! after (<https://onnx.ai/onnx/operators/>); a front door translates older forms to these. Conventions that
//! several ops share stand once, in `conventions.md`.

use super::Default::{Absent, DType as Ty, Float, Int, Required, Str};
use super::custom::{
    cast_map, category, class_labels, constant, empty_sequence, filled, label_values, linear_state,
    map_values, optional, quantized, zip_map,
};
use super::{Arity, AttrDecl, Default, Group, OpDecl, OpResult, Operand, Rule};
use crate::{AttrKind, DType};
use Rule::{AttrOr, Elem, Fn, InnerOf, Is, ItemOf, Regions, Same, SeqOf};
use std::collections::HashMap;
use std::sync::LazyLock;

const INT: Default = Absent(AttrKind::Int);
const INTS: Default = Absent(AttrKind::Ints);
const FLOAT: Default = Absent(AttrKind::Float);
const FLOATS: Default = Absent(AttrKind::Floats);
const STR: Default = Absent(AttrKind::Str);
const STRS: Default = Absent(AttrKind::Strs);
const DTYPE: Default = Absent(AttrKind::DType);
const TENSOR: Default = Absent(AttrKind::Tensor);
const BOOL: Rule = Is(DType::Bool);
const I64: Rule = Is(DType::I64);
const F32: Rule = Is(DType::F32);

macro_rules! arity {
    () => {
        Arity::One
    };
    (opt) => {
        Arity::Optional
    };
    (many) => {
        Arity::Many
    };
}

macro_rules! ops {
    ($( $(#[doc = $doc:literal])+ $variant:ident $name:literal $group:ident
        ( $($in:ident $([$iq:ident])?),* ) -> ( $($out:ident $([$oq:ident])? : $rule:expr),* )
        { $($attr:ident = $default:expr),* $(,)? } $(regions $regions:literal)? ; )*) => {
        /// Every op. Each variant tells what it computes, and below that its form in the text, optional operands and
        /// results behind `[opt]`, repeated ones behind `[many]`; [`OpKind::decl`] gives the same as data.
        ///
        #[doc = include_str!("conventions.md")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum OpKind { $(
            $(#[doc = $doc])+
            ///
            #[doc = concat!(
                "`", stringify!(($($out $([$oq])?),*)), " = ", $name, stringify!(($($in $([$iq])?),*)),
                " ", stringify!({$($attr = $default),*}), "`",
            )]
            $variant,
        )* }

        impl OpKind {
            /// Every op in the order of the table.
            pub const ALL: &'static [OpKind] = &[$(OpKind::$variant,)*];
        }

        static TABLE: &[OpDecl] = &[$( OpDecl {
            kind: OpKind::$variant,
            variant: stringify!($variant),
            name: $name,
            group: Group::$group,
            operands: &[$( Operand { name: stringify!($in), arity: arity!($($iq)?) }, )*],
            results: &[$( OpResult { name: stringify!($out), arity: arity!($($oq)?), rule: $rule }, )*],
            attrs: &[$( AttrDecl { name: stringify!($attr), default: $default }, )*],
            regions: 0 $( + $regions )?,
            doc: concat!($($doc),+).trim_ascii(),
        }, )*];
    };
}

impl OpKind {
    /// The op's declaration.
    pub fn decl(self) -> &'static OpDecl {
        &TABLE[self as usize]
    }

    /// The op with this name in the text form.
    pub fn by_name(name: &str) -> Option<OpKind> {
        static BY_NAME: LazyLock<HashMap<&str, OpKind>> =
            LazyLock::new(|| TABLE.iter().map(|d| (d.name, d.kind)).collect());
        BY_NAME.get(name).copied()
    }

    /// The op with this variant name.
    pub fn by_variant(variant: &str) -> Option<OpKind> {
        static BY_VARIANT: LazyLock<HashMap<&str, OpKind>> =
            LazyLock::new(|| TABLE.iter().map(|d| (d.variant, d.kind)).collect());
        BY_VARIANT.get(variant).copied()
    }
}

ops! {
    // ---------------------------------------------------------------- constants
    /// The tensor in attribute `value`.
    Constant "constant" Move () -> (output: Fn(constant)) { value = Required(AttrKind::Tensor) };
    /// A tensor of the shape given by the operand, every element the one in `value` (f32 zero if absent).
    ConstantOfShape "constant_of_shape" Move (shape) -> (output: Fn(filled)) { value = TENSOR };

    // ---------------------------------------------------------------- elementwise, one operand
    /// Magnitude; the least signed integer maps to itself.
    Abs "abs" Elementwise (x) -> (y: Elem(0)) {};
    /// Inverse cosine in radians.
    Acos "acos" Elementwise (x) -> (y: Elem(0)) {};
    /// Inverse hyperbolic cosine.
    Acosh "acosh" Elementwise (x) -> (y: Elem(0)) {};
    /// Inverse sine in radians.
    Asin "asin" Elementwise (x) -> (y: Elem(0)) {};
    /// Inverse hyperbolic sine.
    Asinh "asinh" Elementwise (x) -> (y: Elem(0)) {};
    /// Inverse tangent in radians.
    Atan "atan" Elementwise (x) -> (y: Elem(0)) {};
    /// Inverse hyperbolic tangent.
    Atanh "atanh" Elementwise (x) -> (y: Elem(0)) {};
    /// Bits of the operand read as another element type of the same width.
    BitCast "bitcast" Elementwise (x) -> (y: Rule::Attr("to")) { to = Required(AttrKind::DType) };
    /// Complements every bit.
    BitwiseNot "bitwise_not" Elementwise (x) -> (y: Elem(0)) {};
    /// Converts to element type `to`. Floats to integers truncate; to narrower floats round to nearest even;
    /// with `saturate`, 8-bit floats clamp to their finite range. `round_mode` governs f8e8m0fnu.
    Cast "cast" Elementwise (x) -> (y: Rule::Attr("to"))
        { to = Required(AttrKind::DType), saturate = Int(1), round_mode = Str("up") };
    /// Least integer not below the operand.
    Ceil "ceil" Elementwise (x) -> (y: Elem(0)) {};
    /// max(0, x) + min(0, alpha·(exp(x/alpha) − 1)).
    Celu "celu" Elementwise (x) -> (y: Elem(0)) { alpha = Float(1.0) };
    /// Cosine of radians.
    Cos "cos" Elementwise (x) -> (y: Elem(0)) {};
    /// Hyperbolic cosine.
    Cosh "cosh" Elementwise (x) -> (y: Elem(0)) {};
    /// x where x > 0, else alpha·(exp(x) − 1).
    Elu "elu" Elementwise (x) -> (y: Elem(0)) { alpha = Float(1.0) };
    /// Gauss error function.
    Erf "erf" Elementwise (x) -> (y: Elem(0)) {};
    /// e to the power of the operand.
    Exp "exp" Elementwise (x) -> (y: Elem(0)) {};
    /// Greatest integer not above the operand.
    Floor "floor" Elementwise (x) -> (y: Elem(0)) {};
    /// x·Φ(x) with the normal distribution Φ; `approximate = "tanh"` uses the tanh formula.
    Gelu "gelu" Elementwise (x) -> (y: Elem(0)) { approximate = Str("none") };
    /// max(0, min(1, alpha·x + beta)).
    HardSigmoid "hard_sigmoid" Elementwise (x) -> (y: Elem(0)) { alpha = Float(0.2), beta = Float(0.5) };
    /// x·max(0, min(1, x/6 + 1/2)).
    HardSwish "hard_swish" Elementwise (x) -> (y: Elem(0)) {};
    /// The operand itself, of any type.
    Identity "identity" Move (x) -> (y: Same(0)) {};
    /// Whether the element is an infinity of a sign that is asked for.
    IsInf "is_inf" Elementwise (x) -> (y: BOOL) { detect_negative = Int(1), detect_positive = Int(1) };
    /// Whether the element is not a number.
    IsNaN "is_nan" Elementwise (x) -> (y: BOOL) {};
    /// x where x ≥ 0, else alpha·x.
    LeakyRelu "leaky_relu" Elementwise (x) -> (y: Elem(0)) { alpha = Float(0.01) };
    /// Natural logarithm.
    Log "log" Elementwise (x) -> (y: Elem(0)) {};
    /// x·tanh(ln(1 + exp(x))).
    Mish "mish" Elementwise (x) -> (y: Elem(0)) {};
    /// Negation; integers wrap.
    Neg "neg" Elementwise (x) -> (y: Elem(0)) {};
    /// Logical negation.
    Not "not" Elementwise (x) -> (y: BOOL) {};
    /// 1/x.
    Reciprocal "reciprocal" Elementwise (x) -> (y: Elem(0)) {};
    /// max(0, x); NaN stays.
    Relu "relu" Elementwise (x) -> (y: Elem(0)) {};
    /// Nearest integer, ties to even.
    Round "round" Elementwise (x) -> (y: Elem(0)) {};
    /// gamma·x where x > 0, else gamma·(alpha·exp(x) − alpha).
    Selu "selu" Elementwise (x) -> (y: Elem(0)) { alpha = Float(1.673_263_2), gamma = Float(1.050_701) };
    /// x + bias below −lambd, x − bias above lambd, else 0.
    Shrink "shrink" Elementwise (x) -> (y: Elem(0)) { bias = Float(0.0), lambd = Float(0.5) };
    /// 1/(1 + exp(−x)).
    Sigmoid "sigmoid" Elementwise (x) -> (y: Elem(0)) {};
    /// −1, 0 or 1; NaN stays.
    Sign "sign" Elementwise (x) -> (y: Elem(0)) {};
    /// Sine of radians.
    Sin "sin" Elementwise (x) -> (y: Elem(0)) {};
    /// Hyperbolic sine.
    Sinh "sinh" Elementwise (x) -> (y: Elem(0)) {};
    /// ln(1 + exp(x)), without overflow.
    Softplus "softplus" Elementwise (x) -> (y: Elem(0)) {};
    /// x/(1 + |x|).
    Softsign "softsign" Elementwise (x) -> (y: Elem(0)) {};
    /// Square root.
    Sqrt "sqrt" Elementwise (x) -> (y: Elem(0)) {};
    /// x·sigmoid(alpha·x).
    Swish "swish" Elementwise (x) -> (y: Elem(0)) { alpha = Float(1.0) };
    /// Tangent of radians.
    Tan "tan" Elementwise (x) -> (y: Elem(0)) {};
    /// Hyperbolic tangent.
    Tanh "tanh" Elementwise (x) -> (y: Elem(0)) {};
    /// x where x > alpha, else 0.
    ThresholdedRelu "thresholded_relu" Elementwise (x) -> (y: Elem(0)) { alpha = Float(1.0) };

    // ---------------------------------------------------------------- elementwise, several operands
    /// Sum of two tensors, broadcast; integers wrap.
    Add "add" Elementwise (a, b) -> (c: Elem(0)) {};
    /// Logical and, broadcast.
    And "and" Elementwise (a, b) -> (c: BOOL) {};
    /// Shifts `x` by `y` bits in `direction` LEFT or RIGHT, broadcast; signed types shift arithmetically to the right.
    BitShift "bit_shift" Elementwise (x, y) -> (z: Elem(0)) { direction = Required(AttrKind::Str) };
    /// Bitwise and, broadcast.
    BitwiseAnd "bitwise_and" Elementwise (a, b) -> (c: Elem(0)) {};
    /// Bitwise or, broadcast.
    BitwiseOr "bitwise_or" Elementwise (a, b) -> (c: Elem(0)) {};
    /// Bitwise exclusive or, broadcast.
    BitwiseXor "bitwise_xor" Elementwise (a, b) -> (c: Elem(0)) {};
    /// min(max(x, lo), hi) with rank-0 bounds that may be left out.
    Clip "clip" Elementwise (x, min[opt], max[opt]) -> (y: Elem(0)) {};
    /// Quotient, broadcast; integers truncate towards zero.
    Div "div" Elementwise (a, b) -> (c: Elem(0)) {};
    /// a = b, broadcast.
    Equal "equal" Elementwise (a, b) -> (c: BOOL) {};
    /// a > b, broadcast.
    Greater "greater" Elementwise (a, b) -> (c: BOOL) {};
    /// a ≥ b, broadcast.
    GreaterOrEqual "greater_or_equal" Elementwise (a, b) -> (c: BOOL) {};
    /// a < b, broadcast.
    Less "less" Elementwise (a, b) -> (c: BOOL) {};
    /// a ≤ b, broadcast.
    LessOrEqual "less_or_equal" Elementwise (a, b) -> (c: BOOL) {};
    /// Greatest of all operands, broadcast; NaN wins.
    Max "max" Elementwise (xs[many]) -> (y: Elem(0)) {};
    /// Mean of all operands, broadcast.
    Mean "mean" Elementwise (xs[many]) -> (y: Elem(0)) {};
    /// Least of all operands, broadcast; NaN wins.
    Min "min" Elementwise (xs[many]) -> (y: Elem(0)) {};
    /// Remainder, broadcast: with the sign of the divisor, or of the dividend with `fmod`.
    Mod "mod" Elementwise (a, b) -> (c: Elem(0)) { fmod = Int(0) };
    /// Product, broadcast; integers wrap.
    Mul "mul" Elementwise (a, b) -> (c: Elem(0)) {};
    /// Logical or, broadcast.
    Or "or" Elementwise (a, b) -> (c: BOOL) {};
    /// x where x ≥ 0, else slope·x; the slope broadcasts to x.
    PRelu "prelu" Elementwise (x, slope) -> (y: Elem(0)) {};
    /// x to the power of y, broadcast, in the type of x.
    Pow "pow" Elementwise (x, y) -> (z: Elem(0)) {};
    /// Difference, broadcast; integers wrap.
    Sub "sub" Elementwise (a, b) -> (c: Elem(0)) {};
    /// Sum of all operands, broadcast.
    Sum "sum" Elementwise (xs[many]) -> (y: Elem(0)) {};
    /// swish(a)·b.
    SwiGLU "swiglu" Elementwise (a, b) -> (y: Elem(0)) { alpha = Float(1.0) };
    /// x where the condition holds, else y; broadcast.
    Where "where" Elementwise (condition, x, y) -> (output: Elem(1)) {};
    /// Logical exclusive or, broadcast.
    Xor "xor" Elementwise (a, b) -> (c: BOOL) {};

    // ---------------------------------------------------------------- control flow
    /// Runs region 0 if the condition holds, else region 1, and results in what it yields.
    If "if" Control (cond) -> (outputs[many]: Regions) {} regions 2;
    /// Repeats the region at most `trip_count` times while the condition holds. The region takes the iteration number,
    /// the condition and the carried values, and yields the condition, the carried values and one slice of each scan output.
    Loop "loop" Control (trip_count[opt], cond[opt], init[many]) -> (outputs[many]: Regions) {} regions 1;
    /// Runs the region once for each slice of the last `num_scan_inputs` operands along their scan axes; the region takes
    /// the states and the slices and yields the states and slices of the outputs.
    Scan "scan" Control (xs[many]) -> (outputs[many]: Regions) {
        num_scan_inputs = Required(AttrKind::Int), scan_input_axes = INTS, scan_output_axes = INTS,
        scan_input_directions = INTS, scan_output_directions = INTS,
    } regions 1;

    // ---------------------------------------------------------------- contractions
    /// Scaled dot-product attention: softmax(scale·q·kᵀ + mask)·v by heads, with causal and windowed masks, soft cap,
    /// grouped queries and a cache of past keys and values.
    Attention "attention" Contract
        (q, k, v, attn_mask[opt], past_key[opt], past_value[opt], nonpad_kv_seqlen[opt])
        -> (y: Elem(0), present_key[opt]: Elem(1), present_value[opt]: Elem(2), qk_matmul_output[opt]: Elem(0)) {
        is_causal = Int(0), q_num_heads = INT, kv_num_heads = INT, scale = FLOAT, softcap = Float(0.0),
        softmax_precision = DTYPE, qk_matmul_output_mode = Int(0), left_window_size = Int(-1), right_window_size = Int(-1),
    };
    /// Cross-correlation of `x` [N, C, spatial…] with `w` [M, C/group, kernel…], plus `b` of length M.
    Conv "conv" Contract (x, w, b[opt]) -> (y: Elem(0)) {
        auto_pad = Str("NOTSET"), dilations = INTS, group = Int(1), kernel_shape = INTS, pads = INTS, strides = INTS,
    };
    /// activation(conv(x, w, b) + residual): what fusion makes of a convolution and its neighbours. Activations are
    /// `none`, `relu`, `clip` (alpha to beta), `leaky_relu` (alpha), `hard_swish`, `hard_sigmoid` (alpha, beta), `sigmoid`,
    /// `tanh`, `silu`, `gelu` and `gelu_tanh`; the residual has the shape of the result.
    FusedConv "fused_conv" Contract (x, w, b[opt], residual[opt]) -> (y: Elem(0)) {
        auto_pad = Str("NOTSET"), dilations = INTS, group = Int(1), kernel_shape = INTS, pads = INTS, strides = INTS,
        activation = Str("none"), alpha = Float(0.0), beta = Float(0.0),
    };
    /// Integer convolution of (x − x_zero_point) with (w − w_zero_point), accumulated in i32.
    ConvInteger "conv_integer" Quant (x, w, x_zero_point[opt], w_zero_point[opt]) -> (y: Is(DType::I32)) {
        auto_pad = Str("NOTSET"), dilations = INTS, group = Int(1), kernel_shape = INTS, pads = INTS, strides = INTS,
    };
    /// Transposed convolution (the gradient of `conv` by its input).
    ConvTranspose "conv_transpose" Contract (x, w, b[opt]) -> (y: Elem(0)) {
        auto_pad = Str("NOTSET"), dilations = INTS, group = Int(1), kernel_shape = INTS, output_padding = INTS,
        output_shape = INTS, pads = INTS, strides = INTS,
    };
    /// Convolution whose taps are displaced by `offset` and weighted by `mask`.
    DeformConv "deform_conv" Contract (x, w, offset, b[opt], mask[opt]) -> (y: Elem(0)) {
        dilations = INTS, group = Int(1), kernel_shape = INTS, offset_group = Int(1), pads = INTS, strides = INTS,
    };
    /// Depthwise causal 1-D convolution with a carried state of the last inputs.
    CausalConvWithState "causal_conv_with_state" Contract (x, weight, bias[opt], past_state[opt])
        -> (y: Elem(0), present_state: Elem(0)) { activation = Str("none") };
    /// Sum over products as the equation in Einstein's notation tells.
    Einsum "einsum" Contract (xs[many]) -> (y: Elem(0)) { equation = Required(AttrKind::Str) };
    /// alpha·op(a)·op(b) + beta·c for matrices, `c` broadcast.
    Gemm "gemm" Contract (a, b, c[opt]) -> (y: Elem(0)) {
        alpha = Float(1.0), beta = Float(1.0), trans_a = Int(0), trans_b = Int(0),
    };
    /// Linear attention with a carried state, by the update rule named.
    LinearAttention "linear_attention" Contract (query, key, value, past_state[opt], decay[opt], beta[opt])
        -> (y: Elem(0), present_state: Rule::Fn(linear_state)) {
        chunk_size = Int(64), kv_num_heads = Required(AttrKind::Int), q_num_heads = Required(AttrKind::Int),
        scale = Float(0.0), update_rule = Str("gated_delta"),
    };
    /// Matrix product over the last two axes, batch axes broadcast, rank-1 operands as row or column (NumPy's matmul).
    MatMul "matmul" Contract (a, b) -> (y: Elem(0)) {};
    /// activation(scale·op(a)·op(b) + bias + residual): what fusion makes of a matrix product and its neighbours.
    /// `trans_*` swap the last two axes; `bias` has one element per column, the residual the shape of the result;
    /// activations as for `fused_conv`.
    FusedMatMul "fused_matmul" Contract (a, b, bias[opt], residual[opt]) -> (y: Elem(0)) {
        scale = Float(1.0), trans_a = Int(0), trans_b = Int(0),
        activation = Str("none"), alpha = Float(0.0), beta = Float(0.0),
    };
    /// Integer matrix product of (a − a_zero_point) and (b − b_zero_point), accumulated in i32.
    MatMulInteger "matmul_integer" Quant (a, b, a_zero_point[opt], b_zero_point[opt]) -> (y: Is(DType::I32)) {};
    /// Rotates pairs of features by position-dependent angles.
    RotaryEmbedding "rotary_embedding" Contract (x, cos_cache, sin_cache, position_ids[opt]) -> (y: Elem(0)) {
        interleaved = Int(0), num_heads = INT, rotary_embedding_dim = Int(0),
    };
    /// Determinant of the matrices in the last two axes.
    Det "det" Contract (x) -> (y: Elem(0)) {};

    // ---------------------------------------------------------------- quantisation
    /// (x − zero_point)·scale, per tensor, per axis or per block.
    DequantizeLinear "dequantize_linear" Quant (x, x_scale, x_zero_point[opt]) -> (y: AttrOr("output_dtype", 1)) {
        axis = Int(1), block_size = Int(0), output_dtype = DTYPE,
    };
    /// Quantises to u8 with scale and zero point taken from the least and greatest element.
    DynamicQuantizeLinear "dynamic_quantize_linear" Quant (x) -> (y: Is(DType::U8), y_scale: F32, y_zero_point: Is(DType::U8)) {};
    /// Convolution of quantised tensors, requantised.
    QLinearConv "qlinear_conv" Quant (x, x_scale, x_zero_point, w, w_scale, w_zero_point, y_scale, y_zero_point, b[opt])
        -> (y: Elem(7)) {
        auto_pad = Str("NOTSET"), dilations = INTS, group = Int(1), kernel_shape = INTS, pads = INTS, strides = INTS,
    };
    /// Matrix product of quantised tensors, requantised.
    QLinearMatMul "qlinear_matmul" Quant (a, a_scale, a_zero_point, b, b_scale, b_zero_point, y_scale, y_zero_point)
        -> (y: Elem(7)) {};
    /// round(x/scale) + zero_point, saturated to the result's type; per tensor, per axis or per block.
    QuantizeLinear "quantize_linear" Quant (x, y_scale, y_zero_point[opt]) -> (y: Fn(quantized)) {
        axis = Int(1), block_size = Int(0), output_dtype = DTYPE, precision = DTYPE, saturate = Int(1),
    };

    // ---------------------------------------------------------------- pooling
    /// Mean over windows.
    AveragePool "average_pool" Pool (x) -> (y: Elem(0)) {
        auto_pad = Str("NOTSET"), ceil_mode = Int(0), count_include_pad = Int(0), dilations = INTS,
        kernel_shape = Required(AttrKind::Ints), pads = INTS, strides = INTS,
    };
    /// Mean over all spatial axes.
    GlobalAveragePool "global_average_pool" Pool (x) -> (y: Elem(0)) {};
    /// Lp norm over all spatial axes.
    GlobalLpPool "global_lp_pool" Pool (x) -> (y: Elem(0)) { p = Int(2) };
    /// Maximum over all spatial axes.
    GlobalMaxPool "global_max_pool" Pool (x) -> (y: Elem(0)) {};
    /// Lp norm over windows.
    LpPool "lp_pool" Pool (x) -> (y: Elem(0)) {
        auto_pad = Str("NOTSET"), ceil_mode = Int(0), dilations = INTS, kernel_shape = Required(AttrKind::Ints),
        p = Int(2), pads = INTS, strides = INTS,
    };
    /// Maximum over windows, and optionally its flat index in `x`.
    MaxPool "max_pool" Pool (x) -> (y: Elem(0), indices[opt]: I64) {
        auto_pad = Str("NOTSET"), ceil_mode = Int(0), dilations = INTS, kernel_shape = Required(AttrKind::Ints),
        pads = INTS, storage_order = Int(0), strides = INTS,
    };
    /// Maximum over the cells of each region of interest.
    MaxRoiPool "max_roi_pool" Pool (x, rois) -> (y: Elem(0)) {
        pooled_shape = Required(AttrKind::Ints), spatial_scale = Float(1.0),
    };
    /// Puts pooled values back to the places that `max_pool` took them from.
    MaxUnpool "max_unpool" Pool (x, indices, output_shape[opt]) -> (y: Elem(0)) {
        kernel_shape = Required(AttrKind::Ints), pads = INTS, strides = INTS,
    };

    // ---------------------------------------------------------------- normalisation, reductions, scans
    /// (x − mean)/√(variance + epsilon)·scale + b per channel; in training mode by the batch's own statistics, and also
    /// results in the running ones.
    BatchNormalization "batch_normalization" Reduce (x, scale, b, mean, var)
        -> (y: Elem(0), running_mean[opt]: Elem(3), running_var[opt]: Elem(4)) {
        epsilon = Float(1e-5), momentum = Float(0.9), training_mode = Int(0),
    };
    /// Normalises groups of channels, then scales and shifts each channel.
    GroupNormalization "group_normalization" Reduce (x, scale, bias) -> (y: Elem(0)) {
        epsilon = Float(1e-5), num_groups = Required(AttrKind::Int), stash_type = Ty(DType::F32),
    };
    /// Normalises each channel of each sample over its spatial axes.
    InstanceNormalization "instance_normalization" Reduce (x, scale, b) -> (y: Elem(0)) { epsilon = Float(1e-5) };
    /// Normalises over the axes from `axis` on, then scales and shifts.
    LayerNormalization "layer_normalization" Reduce (x, scale, b[opt])
        -> (y: Elem(0), mean[opt]: AttrOr("stash_type", 0), inv_std_dev[opt]: AttrOr("stash_type", 0)) {
        axis = Int(-1), epsilon = Float(1e-5), stash_type = Ty(DType::F32),
    };
    /// Layer normalisation over the last axis of x + skip + bias, and optionally that sum.
    SkipLayerNormalization "skip_layer_normalization" Reduce (x, skip, scale, b[opt], bias[opt])
        -> (y: Elem(0), sum[opt]: Elem(0)) { epsilon = Float(1e-5) };
    /// x/√(mean(x²) + epsilon)·scale over the axes from `axis` on.
    RMSNormalization "rms_normalization" Reduce (x, scale) -> (y: Elem(1)) {
        axis = Int(-1), epsilon = Float(1e-5), stash_type = Ty(DType::F32),
    };
    /// x/(bias + alpha/size·Σx²)^beta, the sum over `size` neighbouring channels.
    LRN "lrn" Reduce (x) -> (y: Elem(0)) {
        alpha = Float(1e-4), beta = Float(0.75), bias = Float(1.0), size = Required(AttrKind::Int),
    };
    /// x divided by its Lp norm along the axis.
    LpNormalization "lp_normalization" Reduce (x) -> (y: Elem(0)) { axis = Int(-1), p = Int(2) };
    /// (x − mean)/standard deviation over the axes.
    MeanVarianceNormalization "mean_variance_normalization" Reduce (x) -> (y: Elem(0)) { axes = INTS };
    /// exp(x)/Σexp(x) along the axis.
    Softmax "softmax" Reduce (x) -> (y: Elem(0)) { axis = Int(-1) };
    /// ln(softmax(x)) along the axis.
    LogSoftmax "log_softmax" Reduce (x) -> (y: Elem(0)) { axis = Int(-1) };
    /// 1 at the first greatest element along the axis, else 0.
    Hardmax "hardmax" Reduce (x) -> (y: Elem(0)) { axis = Int(-1) };
    /// Index of the greatest element along the axis, the first or last of equals.
    ArgMax "argmax" Reduce (x) -> (y: I64) { axis = Int(0), keepdims = Int(1), select_last_index = Int(0) };
    /// Index of the least element along the axis, the first or last of equals.
    ArgMin "argmin" Reduce (x) -> (y: I64) { axis = Int(0), keepdims = Int(1), select_last_index = Int(0) };
    /// Running product along an axis.
    CumProd "cumprod" Reduce (x, axis) -> (y: Elem(0)) { exclusive = Int(0), reverse = Int(0) };
    /// Running sum along an axis.
    CumSum "cumsum" Reduce (x, axis) -> (y: Elem(0)) { exclusive = Int(0), reverse = Int(0) };
    /// Σ|x| over the axes (all if none are given).
    ReduceL1 "reduce_l1" Reduce (x, axes[opt]) -> (y: Elem(0)) { keepdims = Int(1), noop_with_empty_axes = Int(0) };
    /// √Σx² over the axes.
    ReduceL2 "reduce_l2" Reduce (x, axes[opt]) -> (y: Elem(0)) { keepdims = Int(1), noop_with_empty_axes = Int(0) };
    /// ln Σx over the axes.
    ReduceLogSum "reduce_log_sum" Reduce (x, axes[opt]) -> (y: Elem(0)) { keepdims = Int(1), noop_with_empty_axes = Int(0) };
    /// ln Σexp(x) over the axes, without overflow.
    ReduceLogSumExp "reduce_log_sum_exp" Reduce (x, axes[opt]) -> (y: Elem(0)) { keepdims = Int(1), noop_with_empty_axes = Int(0) };
    /// Greatest element over the axes; of none, the least value of the type.
    ReduceMax "reduce_max" Reduce (x, axes[opt]) -> (y: Elem(0)) { keepdims = Int(1), noop_with_empty_axes = Int(0) };
    /// Mean over the axes.
    ReduceMean "reduce_mean" Reduce (x, axes[opt]) -> (y: Elem(0)) { keepdims = Int(1), noop_with_empty_axes = Int(0) };
    /// Least element over the axes; of none, the greatest value of the type.
    ReduceMin "reduce_min" Reduce (x, axes[opt]) -> (y: Elem(0)) { keepdims = Int(1), noop_with_empty_axes = Int(0) };
    /// Product over the axes.
    ReduceProd "reduce_prod" Reduce (x, axes[opt]) -> (y: Elem(0)) { keepdims = Int(1), noop_with_empty_axes = Int(0) };
    /// Sum over the axes.
    ReduceSum "reduce_sum" Reduce (x, axes[opt]) -> (y: Elem(0)) { keepdims = Int(1), noop_with_empty_axes = Int(0) };
    /// Σx² over the axes.
    ReduceSumSquare "reduce_sum_square" Reduce (x, axes[opt]) -> (y: Elem(0)) { keepdims = Int(1), noop_with_empty_axes = Int(0) };
    /// The k greatest or least elements along the axis and their indices.
    TopK "topk" Reduce (x, k) -> (values: Elem(0), indices: I64) { axis = Int(-1), largest = Int(1), sorted = Int(1) };
    /// Distinct elements or slices, with first indices, inverse indices and counts.
    Unique "unique" Reduce (x) -> (y: Elem(0), indices[opt]: I64, inverse_indices[opt]: I64, counts[opt]: I64) {
        axis = INT, sorted = Int(1),
    };

    // ---------------------------------------------------------------- moving elements
    /// Cuts or zero-pads the named axes around the centre to the given sizes.
    CenterCropPad "center_crop_pad" Move (x, shape) -> (y: Elem(0)) { axes = INTS };
    /// Sums columns back into the image they were cut from.
    Col2Im "col2im" Move (x, image_shape, block_shape) -> (y: Elem(0)) { dilations = INTS, pads = INTS, strides = INTS };
    /// Slices along the axis where the condition holds; of the flattened operand if there is no axis.
    Compress "compress" Move (x, condition) -> (y: Elem(0)) { axis = INT };
    /// Operands joined along the axis.
    Concat "concat" Move (xs[many]) -> (y: Elem(0)) { axis = Required(AttrKind::Int) };
    /// Moves blocks of channels into space.
    DepthToSpace "depth_to_space" Move (x) -> (y: Elem(0)) { blocksize = Required(AttrKind::Int), mode = Str("DCR") };
    /// Broadcasts `x` and `shape` against each other.
    Expand "expand" Move (x, shape) -> (y: Elem(0)) {};
    /// Ones on the k-th diagonal of a matrix shaped as the operand.
    EyeLike "eye_like" Move (x) -> (y: AttrOr("dtype", 0)) { dtype = DTYPE, k = Int(0) };
    /// A matrix: the axes before `axis` as rows, the others as columns.
    Flatten "flatten" Move (x) -> (y: Elem(0)) { axis = Int(1) };
    /// Slices of `x` along the axis at the indices (negative from the end).
    Gather "gather" Move (x, indices) -> (y: Elem(0)) { axis = Int(0) };
    /// Elements of `x` at indices along one axis.
    GatherElements "gather_elements" Move (x, indices) -> (y: Elem(0)) { axis = Int(0) };
    /// Slices of `x` at index tuples.
    GatherND "gather_nd" Move (x, indices) -> (y: Elem(0)) { batch_dims = Int(0) };
    /// Indices of the elements that are not zero, one column each.
    NonZero "non_zero" Move (x) -> (y: I64) {};
    /// `values[1]` at the indices along a further axis of length `depth`, else `values[0]`.
    OneHot "one_hot" Move (indices, depth, values) -> (y: Elem(2)) { axis = Int(-1) };
    /// Adds or cuts borders: constant, reflect, edge or wrap.
    Pad "pad" Move (x, pads, value[opt], axes[opt]) -> (y: Elem(0)) { mode = Str("constant") };
    /// start, start + delta, … up to but without limit.
    Range "range" Move (start, limit, delta) -> (y: Elem(0)) { stash_type = Ty(DType::F32) };
    /// The same elements in other dimensions: 0 copies one (unless `allowzero`), −1 is inferred.
    Reshape "reshape" Move (x, shape) -> (y: Elem(0)) { allowzero = Int(0) };
    /// Reverses the first `sequence_lens[i]` slices of each batch entry.
    ReverseSequence "reverse_sequence" Move (x, sequence_lens) -> (y: Elem(0)) { batch_axis = Int(1), time_axis = Int(0) };
    /// Copy of `x` with elements at indices along one axis replaced by or combined with updates.
    ScatterElements "scatter_elements" Move (x, indices, updates) -> (y: Elem(0)) { axis = Int(0), reduction = Str("none") };
    /// Copy of `x` with slices at index tuples replaced by or combined with updates.
    ScatterND "scatter_nd" Move (x, indices, updates) -> (y: Elem(0)) { reduction = Str("none") };
    /// The dimensions of the operand from `start` to `end`.
    Shape "shape" Move (x) -> (y: I64) { start = Int(0), end = INT };
    /// The number of elements, rank 0.
    Size "size" Move (x) -> (y: I64) {};
    /// A strided cut along some axes; bounds are clamped.
    Slice "slice" Move (x, starts, ends, axes[opt], steps[opt]) -> (y: Elem(0)) {};
    /// Moves blocks of space into channels.
    SpaceToDepth "space_to_depth" Move (x) -> (y: Elem(0)) { blocksize = Required(AttrKind::Int), mode = Str("DCR") };
    /// Cuts along the axis into parts of the given or equal sizes.
    Split "split" Move (x, split[opt]) -> (ys[many]: Elem(0)) { axis = Int(0), num_outputs = INT };
    /// Removes axes of length 1.
    Squeeze "squeeze" Move (x, axes[opt]) -> (y: Elem(0)) {};
    /// Copy of a cache with `update` written at `write_indices` along the axis.
    TensorScatter "tensor_scatter" Move (past_cache, update, write_indices[opt]) -> (y: Elem(0)) { axis = Int(-2), mode = Str("linear") };
    /// Repeats the operand along each axis.
    Tile "tile" Move (x, repeats) -> (y: Elem(0)) {};
    /// Permutes axes; reverses them without `perm`.
    Transpose "transpose" Move (x) -> (y: Elem(0)) { perm = INTS };
    /// Zeroes the elements below or above the k-th diagonal.
    Trilu "trilu" Move (x, k[opt]) -> (y: Elem(0)) { upper = Int(1) };
    /// Inserts axes of length 1.
    Unsqueeze "unsqueeze" Move (x, axes) -> (y: Elem(0)) {};

    // ---------------------------------------------------------------- recurrent
    /// Gated recurrent unit over a sequence.
    GRU "gru" Recurrent (x, w, r, b[opt], sequence_lens[opt], initial_h[opt]) -> (y[opt]: Elem(0), y_h[opt]: Elem(0)) {
        activation_alpha = FLOATS, activation_beta = FLOATS, activations = STRS, clip = FLOAT, direction = Str("forward"),
        hidden_size = INT, layout = Int(0), linear_before_reset = Int(0),
    };
    /// Long short-term memory over a sequence.
    LSTM "lstm" Recurrent (x, w, r, b[opt], sequence_lens[opt], initial_h[opt], initial_c[opt], p[opt])
        -> (y[opt]: Elem(0), y_h[opt]: Elem(0), y_c[opt]: Elem(0)) {
        activation_alpha = FLOATS, activation_beta = FLOATS, activations = STRS, clip = FLOAT, direction = Str("forward"),
        hidden_size = INT, input_forget = Int(0), layout = Int(0),
    };
    /// Elman network over a sequence.
    RNN "rnn" Recurrent (x, w, r, b[opt], sequence_lens[opt], initial_h[opt]) -> (y[opt]: Elem(0), y_h[opt]: Elem(0)) {
        activation_alpha = FLOATS, activation_beta = FLOATS, activations = STRS, clip = FLOAT, direction = Str("forward"),
        hidden_size = INT, layout = Int(0),
    };

    // ---------------------------------------------------------------- images
    /// Sampling grid of an affine map.
    AffineGrid "affine_grid" Image (theta, size) -> (grid: Elem(0)) { align_corners = Int(0) };
    /// Samples `x` at the places of the grid.
    GridSample "grid_sample" Image (x, grid) -> (y: Elem(0)) {
        align_corners = Int(0), mode = Str("linear"), padding_mode = Str("zeros"),
    };
    /// Decodes an image file held in a u8 vector to [H, W, C].
    ImageDecoder "image_decoder" Image (stream) -> (image: Is(DType::U8)) { pixel_format = Str("RGB") };
    /// Indices of boxes kept after dropping those that overlap a better one.
    NonMaxSuppression "non_max_suppression" Image (boxes, scores, max_output_boxes_per_class[opt], iou_threshold[opt], score_threshold[opt])
        -> (selected: I64) { center_point_box = Int(0) };
    /// Resamples along axes: nearest, linear or cubic, with the standard's coordinate maps.
    Resize "resize" Image (x, roi[opt], scales[opt], sizes[opt]) -> (y: Elem(0)) {
        antialias = Int(0), axes = INTS, coordinate_transformation_mode = Str("half_pixel"), cubic_coeff_a = Float(-0.75),
        exclude_outside = Int(0), extrapolation_value = Float(0.0), keep_aspect_ratio_policy = Str("stretch"),
        mode = Str("nearest"), nearest_mode = Str("round_prefer_floor"),
    };
    /// Pools bilinear samples of regions of interest.
    RoiAlign "roi_align" Image (x, rois, batch_indices) -> (y: Elem(0)) {
        coordinate_transformation_mode = Str("half_pixel"), mode = Str("avg"), output_height = Int(1), output_width = Int(1),
        sampling_ratio = Int(0), spatial_scale = Float(1.0),
    };

    // ---------------------------------------------------------------- signals
    /// Discrete Fourier transform along an axis; the last axis holds real and imaginary parts.
    DFT "dft" Signal (x, dft_length[opt], axis[opt]) -> (y: Elem(0)) { inverse = Int(0), onesided = Int(0) };
    /// Matrix that maps a spectrum to mel bins.
    MelWeightMatrix "mel_weight_matrix" Signal (num_mel_bins, dft_length, sample_rate, lower_edge_hertz, upper_edge_hertz)
        -> (y: Rule::Attr("output_datatype")) { output_datatype = Ty(DType::F32) };
    /// Fourier transforms of windowed frames.
    STFT "stft" Signal (signal, frame_step, window[opt], frame_length[opt]) -> (y: Elem(0)) { onesided = Int(1) };
    /// Blackman window.
    BlackmanWindow "blackman_window" Signal (size) -> (y: Rule::Attr("output_datatype")) { output_datatype = Ty(DType::F32), periodic = Int(1) };
    /// Hamming window.
    HammingWindow "hamming_window" Signal (size) -> (y: Rule::Attr("output_datatype")) { output_datatype = Ty(DType::F32), periodic = Int(1) };
    /// Hann window.
    HannWindow "hann_window" Signal (size) -> (y: Rule::Attr("output_datatype")) { output_datatype = Ty(DType::F32), periodic = Int(1) };

    // ---------------------------------------------------------------- strings
    /// Whether the whole string matches the pattern (RE2 syntax).
    RegexFullMatch "regex_full_match" Text (x) -> (y: BOOL) { pattern = Required(AttrKind::Str) };
    /// Strings joined elementwise, broadcast.
    StringConcat "string_concat" Text (x, y) -> (z: Is(DType::Str)) {};
    /// Drops stop words and changes case.
    StringNormalizer "string_normalizer" Text (x) -> (y: Is(DType::Str)) {
        case_change_action = Str("NONE"), is_case_sensitive = Int(0), locale = STR, stopwords = STRS,
    };
    /// Cuts strings at a delimiter; shorter ones are filled with empty strings, the counts are the second result.
    StringSplit "string_split" Text (x) -> (y: Is(DType::Str), counts: I64) { delimiter = STR, maxsplit = INT };
    /// Counts or weights n-grams.
    TfIdfVectorizer "tfidf_vectorizer" Text (x) -> (y: F32) {
        max_gram_length = Required(AttrKind::Int), max_skip_count = Required(AttrKind::Int),
        min_gram_length = Required(AttrKind::Int), mode = Required(AttrKind::Str),
        ngram_counts = Required(AttrKind::Ints), ngram_indexes = Required(AttrKind::Ints),
        pool_int64s = INTS, pool_strings = STRS, weights = FLOATS,
    };

    // ---------------------------------------------------------------- sequences, optional values
    /// All tensors of a sequence joined along an axis, or stacked along a further one.
    ConcatFromSequence "concat_from_sequence" Container (xs) -> (y: ItemOf(0)) { axis = Required(AttrKind::Int), new_axis = Int(0) };
    /// An optional value that holds the operand, or nothing.
    Optional "optional" Container (x[opt]) -> (y: Fn(optional)) { elem_type = Absent(AttrKind::Type) };
    /// The value inside an optional; nothing inside is an error.
    OptionalGetElement "optional_get_element" Container (x) -> (y: InnerOf(0)) {};
    /// Whether there is a value.
    OptionalHasElement "optional_has_element" Container (x[opt]) -> (y: BOOL) {};
    /// The item at a position (negative from the end).
    SequenceAt "sequence_at" Container (xs, position) -> (y: ItemOf(0)) {};
    /// A sequence of the operands.
    SequenceConstruct "sequence_construct" Container (xs[many]) -> (y: SeqOf(0)) {};
    /// A sequence without items.
    SequenceEmpty "sequence_empty" Container () -> (y: Fn(empty_sequence)) { dtype = DTYPE };
    /// The sequence without the item at a position (the last by default).
    SequenceErase "sequence_erase" Container (xs, position[opt]) -> (y: Same(0)) {};
    /// The sequence with a tensor inserted before a position (at the end by default).
    SequenceInsert "sequence_insert" Container (xs, x, position[opt]) -> (y: Rule::Like(0)) {};
    /// The number of items.
    SequenceLength "sequence_length" Container (xs) -> (y: I64) {};
    /// A tensor cut along an axis into a sequence.
    SplitToSequence "split_to_sequence" Container (x, split[opt]) -> (y: SeqOf(0)) { axis = Int(0), keepdims = Int(1) };

    // ---------------------------------------------------------------- random numbers
    /// 1 with the probability that the operand gives, else 0.
    Bernoulli "bernoulli" Random (x) -> (y: AttrOr("dtype", 0)) { dtype = DTYPE, seed = FLOAT };
    /// Zeroes elements at random and scales the rest in training mode; else the operand itself.
    Dropout "dropout" Random (x, ratio[opt], training_mode[opt]) -> (y: Elem(0), mask[opt]: BOOL) { seed = INT };
    /// Samples class indices by unnormalised log probabilities.
    Multinomial "multinomial" Random (x) -> (y: Rule::Attr("dtype")) { dtype = Ty(DType::I32), sample_size = Int(1), seed = FLOAT };
    /// Normally distributed numbers.
    RandomNormal "random_normal" Random () -> (y: Rule::Attr("dtype")) {
        dtype = Ty(DType::F32), mean = Float(0.0), scale = Float(1.0), seed = FLOAT, shape = Required(AttrKind::Ints),
    };
    /// Normally distributed numbers in the shape of the operand.
    RandomNormalLike "random_normal_like" Random (x) -> (y: AttrOr("dtype", 0)) { dtype = DTYPE, mean = Float(0.0), scale = Float(1.0), seed = FLOAT };
    /// Uniformly distributed numbers.
    RandomUniform "random_uniform" Random () -> (y: Rule::Attr("dtype")) {
        dtype = Ty(DType::F32), high = Float(1.0), low = Float(0.0), seed = FLOAT, shape = Required(AttrKind::Ints),
    };
    /// Uniformly distributed numbers in the shape of the operand.
    RandomUniformLike "random_uniform_like" Random (x) -> (y: AttrOr("dtype", 0)) { dtype = DTYPE, high = Float(1.0), low = Float(0.0), seed = FLOAT };

    // ---------------------------------------------------------------- losses, optimisers
    /// Negative log likelihood of the target classes, reduced by mean, sum or not at all.
    NegativeLogLikelihoodLoss "negative_log_likelihood_loss" Train (x, target, weight[opt]) -> (loss: Elem(0)) {
        ignore_index = INT, reduction = Str("mean"),
    };
    /// Negative log likelihood of softmax(scores), and optionally the log probabilities.
    SoftmaxCrossEntropyLoss "softmax_cross_entropy_loss" Train (scores, labels, weights[opt])
        -> (loss: Elem(0), log_prob[opt]: Elem(0)) { ignore_index = INT, reduction = Str("mean") };
    /// One step of Adagrad: parameters, gradients and accumulated squares in, parameters and squares out.
    Adagrad "adagrad" Train (r, t, xs[many]) -> (ys[many]: Elem(2)) {
        decay_factor = Float(0.0), epsilon = Float(1e-6), norm_coefficient = Float(0.0),
    };
    /// One step of Adam: parameters, gradients and both moments in, parameters and moments out.
    Adam "adam" Train (r, t, xs[many]) -> (ys[many]: Elem(2)) {
        alpha = Float(0.9), beta = Float(0.999), epsilon = Float(1e-6), norm_coefficient = Float(0.0), norm_coefficient_post = Float(0.0),
    };
    /// One step of gradient descent with momentum, standard or Nesterov's.
    Momentum "momentum" Train (r, t, xs[many]) -> (ys[many]: Elem(2)) {
        alpha = Required(AttrKind::Float), beta = Required(AttrKind::Float), mode = Required(AttrKind::Str),
        norm_coefficient = Required(AttrKind::Float),
    };

    // ---------------------------------------------------------------- classical machine learning
    /// Elements of the last axis at the given indices.
    ArrayFeatureExtractor "array_feature_extractor" Ml (x, y) -> (z: Elem(0)) {};
    /// 1 above the threshold, else 0.
    Binarizer "binarizer" Ml (x) -> (y: Elem(0)) { threshold = Float(0.0) };
    /// The values of a map as a tensor.
    CastMap "cast_map" Ml (x) -> (y: Fn(cast_map)) { cast_to = Str("TO_FLOAT"), map_form = Str("DENSE"), max_map = Int(1) };
    /// Category names to numbers or back.
    CategoryMapper "category_mapper" Ml (x) -> (y: Fn(category)) {
        cats_int64s = INTS, cats_strings = STRS, default_int64 = Int(-1), default_string = Str("_Unused"),
    };
    /// The values of a map in the order of a vocabulary.
    DictVectorizer "dict_vectorizer" Ml (x) -> (y: Fn(map_values)) { int64_vocabulary = INTS, string_vocabulary = STRS };
    /// Columns of all operands side by side, as f32.
    FeatureVectorizer "feature_vectorizer" Ml (xs[many]) -> (y: F32) { inputdimensions = INTS };
    /// Replaces one value by another, per column.
    Imputer "imputer" Ml (x) -> (y: Elem(0)) {
        imputed_value_floats = FLOATS, imputed_value_int64s = INTS, replaced_value_float = Float(0.0), replaced_value_int64 = Int(0),
    };
    /// Maps keys to values.
    LabelEncoder "label_encoder" Ml (x) -> (y: Fn(label_values)) {
        default_float = Float(-0.0), default_int64 = Int(-1), default_string = Str("_Unused"), default_tensor = TENSOR,
        keys_floats = FLOATS, keys_int64s = INTS, keys_strings = STRS, keys_tensor = TENSOR,
        values_floats = FLOATS, values_int64s = INTS, values_strings = STRS, values_tensor = TENSOR,
    };
    /// Linear scores and the best class.
    LinearClassifier "linear_classifier" Ml (x) -> (y: Fn(class_labels), z: F32) {
        classlabels_ints = INTS, classlabels_strings = STRS, coefficients = Required(AttrKind::Floats), intercepts = FLOATS,
        multi_class = Int(0), post_transform = Str("NONE"),
    };
    /// Linear regression.
    LinearRegressor "linear_regressor" Ml (x) -> (y: F32) {
        coefficients = FLOATS, intercepts = FLOATS, post_transform = Str("NONE"), targets = Int(1),
    };
    /// Rows divided by their maximum, sum or Euclidean norm.
    Normalizer "normalizer" Ml (x) -> (y: F32) { norm = Str("MAX") };
    /// One-hot vectors of categories.
    OneHotEncoder "one_hot_encoder" Ml (x) -> (y: F32) { cats_int64s = INTS, cats_strings = STRS, zeros = Int(1) };
    /// (x − offset)·scale per column.
    Scaler "scaler" Ml (x) -> (y: F32) { offset = FLOATS, scale = FLOATS };
    /// Support vector classification.
    SVMClassifier "svm_classifier" Ml (x) -> (y: Fn(class_labels), z: F32) {
        classlabels_ints = INTS, classlabels_strings = STRS, coefficients = FLOATS, kernel_params = FLOATS,
        kernel_type = Str("LINEAR"), post_transform = Str("NONE"), prob_a = FLOATS, prob_b = FLOATS, rho = FLOATS,
        support_vectors = FLOATS, vectors_per_class = INTS,
    };
    /// Support vector regression.
    SVMRegressor "svm_regressor" Ml (x) -> (y: F32) {
        coefficients = FLOATS, kernel_params = FLOATS, kernel_type = Str("LINEAR"), n_supports = Int(0), one_class = Int(0),
        post_transform = Str("NONE"), rho = FLOATS, support_vectors = FLOATS,
    };
    /// Sum, mean, least or greatest leaf weight over decision trees.
    TreeEnsemble "tree_ensemble" Ml (x) -> (y: Elem(0)) {
        aggregate_function = Int(1), leaf_targetids = Required(AttrKind::Ints), leaf_weights = Required(AttrKind::Tensor),
        membership_values = TENSOR, n_targets = INT, nodes_falseleafs = Required(AttrKind::Ints),
        nodes_falsenodeids = Required(AttrKind::Ints), nodes_featureids = Required(AttrKind::Ints), nodes_hitrates = TENSOR,
        nodes_missing_value_tracks_true = INTS, nodes_modes = Required(AttrKind::Tensor), nodes_splits = Required(AttrKind::Tensor),
        nodes_trueleafs = Required(AttrKind::Ints), nodes_truenodeids = Required(AttrKind::Ints), post_transform = Int(0),
        tree_roots = Required(AttrKind::Ints),
    };
    /// Classes voted by decision trees.
    TreeEnsembleClassifier "tree_ensemble_classifier" Ml (x) -> (y: Fn(class_labels), z: F32) {
        base_values = FLOATS, base_values_as_tensor = TENSOR, class_ids = INTS, class_nodeids = INTS, class_treeids = INTS,
        class_weights = FLOATS, class_weights_as_tensor = TENSOR, classlabels_int64s = INTS, classlabels_strings = STRS,
        nodes_falsenodeids = INTS, nodes_featureids = INTS, nodes_hitrates = FLOATS, nodes_hitrates_as_tensor = TENSOR,
        nodes_missing_value_tracks_true = INTS, nodes_modes = STRS, nodes_nodeids = INTS, nodes_treeids = INTS,
        nodes_truenodeids = INTS, nodes_values = FLOATS, nodes_values_as_tensor = TENSOR, post_transform = Str("NONE"),
    };
    /// Regression by decision trees.
    TreeEnsembleRegressor "tree_ensemble_regressor" Ml (x) -> (y: F32) {
        aggregate_function = Str("SUM"), base_values = FLOATS, base_values_as_tensor = TENSOR, n_targets = INT,
        nodes_falsenodeids = INTS, nodes_featureids = INTS, nodes_hitrates = FLOATS, nodes_hitrates_as_tensor = TENSOR,
        nodes_missing_value_tracks_true = INTS, nodes_modes = STRS, nodes_nodeids = INTS, nodes_treeids = INTS,
        nodes_truenodeids = INTS, nodes_values = FLOATS, nodes_values_as_tensor = TENSOR, post_transform = Str("NONE"),
        target_ids = INTS, target_nodeids = INTS, target_treeids = INTS, target_weights = FLOATS, target_weights_as_tensor = TENSOR,
    };
    /// Rows of scores as maps from class to score.
    ZipMap "zip_map" Ml (x) -> (z: Fn(zip_map)) { classlabels_int64s = INTS, classlabels_strings = STRS };
}
