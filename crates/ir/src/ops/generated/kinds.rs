// Generated from the rows of ops by `cargo xtask codegen`.

use crate::op::OpDecl;

/// Every op. Each variant tells what it computes, and below that its form in the text, optional operands and results with
/// `[opt]`, repeated ones with `[many]`; [`OpKind::decl`] gives the same as data.
///
#[doc = include_str!("../../op/conventions.md")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OpKind {
    /// x where x ≥ 0, else alpha·(exp(x/alpha) − 1).
    ///
    /// `(y) = celu(x) {alpha: Float = 1.0}`
    Celu,
    /// x where x ≥ 0, else alpha·(exp(x) − 1).
    ///
    /// `(y) = elu(x) {alpha: Float = 1.0}`
    Elu,
    /// x·Φ(x) with the normal distribution Φ; `approximate = "tanh"` uses the tanh formula. At −∞ it is NaN, the product
    /// of −∞ and 0.
    ///
    /// `(y) = gelu(x) {approximate: GeluFormula = GeluFormula::Exact}`
    Gelu,
    /// `gelu` of x + bias, broadcast.
    ///
    /// `(y) = bias_gelu(x, bias) {}`
    BiasGelu,
    /// `gelu` by the tanh formula of x + bias, broadcast.
    ///
    /// `(y) = fast_gelu(x, bias[opt]) {}`
    FastGelu,
    /// x·sigmoid(alpha·x), the form of GELU in CLIP.
    ///
    /// `(y) = quick_gelu(x) {alpha: Float = 1.702}`
    QuickGelu,
    /// alpha·x + beta, clamped to 0 … 1.
    ///
    /// `(y) = hard_sigmoid(x) {alpha: Float = 0.2, beta: Float = 0.5}`
    HardSigmoid,
    /// x·(x/6 + 1/2), the second factor clamped to 0 … 1. At −∞ it is NaN, the product of −∞ and 0.
    ///
    /// `(y) = hard_swish(x) {}`
    HardSwish,
    /// x where x ≥ 0, else alpha·x.
    ///
    /// `(y) = leaky_relu(x) {alpha: Float = 0.01}`
    LeakyRelu,
    /// x·tanh(ln(1 + exp(x))).
    ///
    /// `(y) = mish(x) {}`
    Mish,
    /// x where x ≥ 0, else slope·x; the slope broadcasts to x.
    ///
    /// `(y) = prelu(x, slope) {}`
    PRelu,
    /// 0 where x < 0, else x: NaN and −0 stay.
    ///
    /// `(y) = relu(x) {}`
    Relu,
    /// gamma·x where x > 0, else gamma·(alpha·exp(x) − alpha).
    ///
    /// `(y) = selu(x) {alpha: Float = 1.673_263_2, gamma: Float = 1.050_701}`
    Selu,
    /// x + bias below −lambd, x − bias above lambd, else 0, NaN included; of integers computed in f64.
    ///
    /// `(y) = shrink(x) {bias: Float = 0.0, lambd: Float = 0.5}`
    Shrink,
    /// 1/(1 + exp(−x)).
    ///
    /// `(y) = sigmoid(x) {}`
    Sigmoid,
    /// ln(1 + exp(x)), without overflow.
    ///
    /// `(y) = softplus(x) {}`
    Softplus,
    /// x/(1 + |x|).
    ///
    /// `(y) = softsign(x) {}`
    Softsign,
    /// a·sigmoid(alpha·a)·b, the gate first; the shapes are equal, nothing broadcasts.
    ///
    /// `(y) = swiglu(a, b) {alpha: Float = 1.0}`
    SwiGLU,
    /// x·sigmoid(alpha·x).
    ///
    /// `(y) = swish(x) {alpha: Float = 1.0}`
    Swish,
    /// x where x > alpha, else 0, NaN included.
    ///
    /// `(y) = thresholded_relu(x) {alpha: Float = 1.0}`
    ThresholdedRelu,
    /// Magnitude; the least signed integer maps to itself.
    ///
    /// `(y) = abs(x) {}`
    Abs,
    /// Negation; integers wrap.
    ///
    /// `(y) = neg(x) {}`
    Neg,
    /// −1, 0 or 1; NaN stays, −0 gives 0.
    ///
    /// `(y) = sign(x) {}`
    Sign,
    /// Sum of two tensors, broadcast; integers wrap.
    ///
    /// `(c) = add(a, b) {}`
    Add,
    /// Difference, broadcast; integers wrap.
    ///
    /// `(c) = sub(a, b) {}`
    Sub,
    /// Product, broadcast; integers wrap.
    ///
    /// `(c) = mul(a, b) {}`
    Mul,
    /// Quotient, broadcast; integers truncate towards zero.
    ///
    /// `(c) = div(a, b) {}`
    Div,
    /// Remainder, broadcast: with the sign of the divisor, or of the dividend with `fmod`. −4 mod 2 is +0, and −0 with
    /// `fmod`.
    ///
    /// `(c) = mod(a, b) {fmod: Flag = false}`
    Mod,
    /// a·b + c, rounded once.
    ///
    /// `(y) = fma(a, b, c) {}`
    Fma,
    /// Greatest of all operands, broadcast; NaN wins, and +0 is greater than −0.
    ///
    /// `(y) = max(xs[many]) {}`
    Max,
    /// The greater of two; of NaN and a number the number. +0 is greater than −0, unless `signed_zeros` is 0: then either may
    /// be the result.
    ///
    /// `(c) = max_num(a, b) {signed_zeros: Flag = true}`
    MaxNum,
    /// Least of all operands, broadcast; NaN wins, and −0 is less than +0.
    ///
    /// `(y) = min(xs[many]) {}`
    Min,
    /// The lesser of two; of NaN and a number the number. −0 is less than +0, unless `signed_zeros` is 0: then either may be
    /// the result.
    ///
    /// `(c) = min_num(a, b) {signed_zeros: Flag = true}`
    MinNum,
    /// The upper half of the product of two integers, in their width.
    ///
    /// `(c) = mul_high(a, b) {}`
    MulHigh,
    /// min(max(x, low), high) element by element; a NaN operand x gives `low`, or NaN with `propagate_nan`.
    ///
    /// `(y) = clamp(x, low, high) {propagate_nan: Flag = false}`
    Clamp,
    /// x clamped to bounds of rank 0 that may be left out: `min` where x < min, then `max` where that is greater. NaN and
    /// −0 stay; a bound that is NaN has no effect.
    ///
    /// `(y) = clip(x, min[opt], max[opt]) {}`
    Clip,
    /// Sum of all operands, broadcast.
    ///
    /// `(y) = sum(xs[many]) {}`
    Sum,
    /// Mean of all operands, broadcast.
    ///
    /// `(y) = mean(xs[many]) {}`
    Mean,
    /// Least integer not below the operand.
    ///
    /// `(y) = ceil(x) {}`
    Ceil,
    /// Greatest integer not above the operand.
    ///
    /// `(y) = floor(x) {}`
    Floor,
    /// Nearest integer, ties to even.
    ///
    /// `(y) = round(x) {}`
    Round,
    /// Converts to element type `to`; to its own type nothing changes. Floats to integers truncate. What an integer cannot hold,
    /// NaN included, is arbitrary at level tile; at level graph it is cut to 32 bits, or 64 for `u32` and integers of 64
    /// bits, with the least value for what these cannot hold, and then wraps (`u64` holds all below 2^64, and 0 stands for
    /// the rest). Integers wrap. To narrower floats round to nearest even; with `saturate`, 8-bit floats clamp to their
    /// finite range. `round_mode` governs f8e8m0fnu; `rounding` is `rtne` or, from floats to floats at level tile, `rtz`
    /// (towards zero).
    ///
    /// `(y) = cast(x) {to: DType, saturate: Flag = true, round_mode: ScaleRounding = ScaleRounding::Up, rounding: FloatRounding = FloatRounding::NearestEven}`
    Cast,
    /// Bits of the operand read as another element type of the same width.
    ///
    /// `(y) = bitcast(x) {to: DType}`
    BitCast,
    /// Atomically replaces the element by `op`(element, value) where `mask` holds and gives the former one (arbitrary
    /// elsewhere).
    ///
    /// `(former) = atomic_rmw(ptr, value, mask[opt]) {op: AtomicOp, order: MemoryOrder = MemoryOrder::AcqRel, scope: MemoryScope = MemoryScope::Gpu}`
    AtomicRmw,
    /// Atomically replaces the element by `value` where its bits are those of `expected`, and gives the former one.
    ///
    /// `(former) = atomic_cas(ptr, expected, value) {order: MemoryOrder = MemoryOrder::AcqRel, scope: MemoryScope = MemoryScope::Gpu}`
    AtomicCas,
    /// Reads atomically where `mask` holds.
    ///
    /// `(y) = atomic_load(ptr, mask[opt]) {order: MemoryOrder = MemoryOrder::Acquire, scope: MemoryScope = MemoryScope::Gpu}`
    AtomicLoad,
    /// Writes atomically where `mask` holds.
    ///
    /// `() = atomic_store(ptr, value, mask[opt]) {order: MemoryOrder = MemoryOrder::Release, scope: MemoryScope = MemoryScope::Gpu}`
    AtomicStore,
    /// Reads repeatedly, at least once, until each element is the expected one or `timeout` nanoseconds (i64, for all
    /// elements together) are over. Returns the elements that were seen equal.
    ///
    /// `(done) = atomic_poll(ptr, expected, timeout[opt]) {order: MemoryOrder = MemoryOrder::Acquire, scope: MemoryScope = MemoryScope::Gpu}`
    AtomicPoll,
    /// Scaled dot-product attention by heads: softmax(softcap(scale·q·kᵀ) + mask)·v, where softcap(s) is
    /// softcap·tanh(s/softcap) if that is not 0 and scale is 1/√head size if absent. q, k and v are [batch, heads,
    /// length, size], or [batch, length, heads·size] with the numbers of heads given; several query heads may share one
    /// of k and v. The past key and value precede k and v along the length. A bool mask tells what takes part, a float
    /// one is added; `is_causal` and the windows (−1: open) count positions from the end of the keys. A row with
    /// everything masked gives 0; with `plain_mask`, which fusion sets, the mask is a summand and no more, and such
    /// a row gives NaN as softmax does. `qk_matmul_output` is the scores: 0 plain, 1 after the soft cap, 2 after the mask, 3
    /// after softmax.
    ///
    /// `(y, present_key[opt], present_value[opt], qk_matmul_output[opt]) = attention(q, k, v, attn_mask[opt], past_key[opt], past_value[opt], nonpad_kv_seqlen[opt]) {is_causal: Flag = false, q_num_heads[opt]: Int, kv_num_heads[opt]: Int, scale[opt]: Float, softcap: Float = 0.0, softmax_precision[opt]: DType, qk_matmul_output_mode: Int = 0, left_window_size: Int = -1, right_window_size: Int = -1, plain_mask: Flag = false}`
    Attention,
    /// `attention` as ONNX Runtime's operator of that name: operands [batch, length, heads·size], or all three side by
    /// side in `query`. The keys and values of a step are appended to the cached ones, in caches that have room for
    /// `total_sequence_length`. `seqlens_k` is the resulting number of keys, less one. With `do_rotary` queries and
    /// keys are rotated, by their positions after the cached ones or by `position_ids`. Each query sees the keys up to
    /// its own position, at most the last `local_window_size` of them if that is set. A scale of 0 is 1/√head size.
    ///
    /// `(y, present_key[opt], present_value[opt]) = group_query_attention(query, key[opt], value[opt], past_key[opt], past_value[opt], seqlens_k, total_sequence_length, cos_cache[opt], sin_cache[opt], position_ids[opt]) {num_heads: Int, kv_num_heads: Int, scale: Float = 0.0, softcap: Float = 0.0, do_rotary: Flag = false, rotary_interleaved: Flag = false, local_window_size: Int = -1, smooth_softmax: Int = -1, qk_output: Int = 0}`
    GroupQueryAttention,
    /// Attention as a recurrence over a state S [batch, kv heads, d_k, d_v], operands packed as [batch, length,
    /// heads·size]: S += k⊗v (`linear`), with S·exp(decay) before it (`gated`), or k⊗(beta·(v − Sᵀk)) for k⊗v (`delta`,
    /// `gated_delta`). The output is scale·Sᵀq, scale 1/√d_k if 0. `chunk_size` does not change results.
    ///
    /// `(y, present_state) = linear_attention(query, key, value, past_state[opt], decay[opt], beta[opt]) {chunk_size: Int = 64, kv_num_heads: Int, q_num_heads: Int, scale: Float = 0.0, update_rule: UpdateRule = UpdateRule::GatedDelta}`
    LinearAttention,
    /// Rotates pairs of features, halves of a head or neighbours if `interleaved`, by the angles whose cosines and
    /// sines are cached: [max position, size/2] with `position_ids`, else [batch, length, size/2]. `x` is [batch,
    /// heads, length, size], or [batch, length, heads·size] with `num_heads`. Features from `rotary_embedding_dim` on
    /// (0: none) stay.
    ///
    /// `(y) = rotary_embedding(x, cos_cache, sin_cache, position_ids[opt]) {interleaved: Flag = false, num_heads[opt]: Int, rotary_embedding_dim: Int = 0}`
    RotaryEmbedding,
    /// Which program of the grid this is, along `axis` (0, 1, 2 are x, y, z).
    ///
    /// `(y) = program_id() {axis: Int}`
    ProgramId,
    /// Number of programs of the grid along `axis`.
    ///
    /// `(y) = num_programs() {axis: Int}`
    NumPrograms,
    /// The integers start … end − 1.
    ///
    /// `(y) = arange() {start: Int, end: Int}`
    Arange,
    /// A block with the scalar in each place.
    ///
    /// `(y) = splat(x) {}`
    Splat,
    /// The only element of a block.
    ///
    /// `(y) = unsplat(x) {}`
    Unsplat,
    /// Inserts an axis of length 1 at place `axis` of the result.
    ///
    /// `(y) = expand_dims(x) {axis: Int}`
    ExpandDims,
    /// Repeats along axes of length 1 up to the result's dimensions; ranks are equal.
    ///
    /// `(y) = broadcast(x) {}`
    Broadcast,
    /// The same elements in row-major order under other dimensions. `reorder` allows any order.
    ///
    /// `(y) = view(x) {reorder: Flag = false}`
    View,
    /// Axis i of the result is axis `order[i]` of the operand.
    ///
    /// `(y) = permute(x) {order: Ints}`
    Permute,
    /// Concatenates two blocks of rank 1.
    ///
    /// `(c) = cat(a, b) {}`
    Cat,
    /// Both blocks along a last axis of length 2.
    ///
    /// `(c) = join(a, b) {}`
    Join,
    /// The two halves of a last axis of length 2.
    ///
    /// `(a, b) = unjoin(x) {}`
    Unjoin,
    /// result[…, i, …] = x[…, indices[…, i, …], …] along `axis`. An index outside is an error in checked runs, else its
    /// element is arbitrary.
    ///
    /// `(y) = take_along_axis(x, indices) {axis: Int}`
    TakeAlongAxis,
    /// How many elements (where `mask` holds) have each of the values 0 … bins − 1; others are not counted.
    ///
    /// `(y) = histogram(x, mask[opt]) {}`
    Histogram,
    /// Folds the blocks along `axis`, which disappears; the region combines two elements: parameters are the left
    /// ones of all operands, then the right ones. The order of combinations is open.
    ///
    /// `(ys[many]) = reduce(xs[many]) {axis: Int}`
    Reduce,
    /// Inclusive prefixes along `axis`, from its end with `reverse`. The region is like that of `reduce`; its left
    /// elements are the prefix so far.
    ///
    /// `(ys[many]) = prefix_scan(xs[many]) {axis: Int, reverse: Flag = false}`
    PrefixScan,
    /// Runs the region for each group of `pack` consecutive elements. Its parameters are the `pack` elements of the
    /// first operand, then of the next, and so on; its results are in the same order.
    ///
    /// `(ys[many]) = map(xs[many]) {pack: Int = 1}`
    Map,
    /// Any value of the type.
    ///
    /// `(y) = poison() {}`
    Poison,
    /// The operand, with promises by the program for each axis: in each run of `contiguity` elements, the elements rise
    /// by 1 and the first is divisible by `divisibility`; runs of `constancy` elements are equal.
    ///
    /// `(y) = hint(x) {contiguity[opt]: Ints, constancy[opt]: Ints, divisibility[opt]: Ints}`
    Hint,
    /// All tensors of a sequence joined along an axis, or stacked along a further one.
    ///
    /// `(y) = concat_from_sequence(xs) {axis: Int, new_axis: Flag = false}`
    ConcatFromSequence,
    /// An optional value that holds the operand, or nothing.
    ///
    /// `(y) = optional(x[opt]) {elem_type[opt]: Type}`
    Optional,
    /// The value inside an optional; nothing inside is an error.
    ///
    /// `(y) = optional_get_element(x) {}`
    OptionalGetElement,
    /// Whether there is a value.
    ///
    /// `(y) = optional_has_element(x[opt]) {}`
    OptionalHasElement,
    /// The item at a position (negative from the end).
    ///
    /// `(y) = sequence_at(xs, position) {}`
    SequenceAt,
    /// A sequence of the operands.
    ///
    /// `(y) = sequence_construct(xs[many]) {}`
    SequenceConstruct,
    /// A sequence without items.
    ///
    /// `(y) = sequence_empty() {dtype[opt]: DType}`
    SequenceEmpty,
    /// The sequence without the item at a position (the last by default).
    ///
    /// `(y) = sequence_erase(xs, position[opt]) {}`
    SequenceErase,
    /// The sequence with a tensor inserted before a position (at the end by default).
    ///
    /// `(y) = sequence_insert(xs, x, position[opt]) {}`
    SequenceInsert,
    /// The number of items.
    ///
    /// `(y) = sequence_length(xs) {}`
    SequenceLength,
    /// A tensor divided along an axis into a sequence: by a vector of sizes, into parts of one size (rank 0), or into
    /// slices. For slices, `keepdims = 0` removes the axis.
    ///
    /// `(y) = split_to_sequence(x, split[opt]) {axis: Int = 0, keepdims: Flag = true}`
    SplitToSequence,
    /// Runs region 0 if the condition holds, else region 1. The results are what the region yields.
    ///
    /// `(outputs[many]) = if(cond) {}`
    If,
    /// Repeats the region at most `trip_count` times while the condition holds. The region takes the iteration number,
    /// the condition and the carried values, and yields the condition, the carried values and one slice of each scan output.
    ///
    /// `(outputs[many]) = loop(trip_count[opt], cond[opt], init[many]) {}`
    Loop,
    /// Runs the region once for each slice of the last `num_scan_inputs` operands along their scan axes; the region takes
    /// the states and the slices and yields the states and slices of the outputs.
    ///
    /// `(outputs[many]) = scan(xs[many]) {num_scan_inputs: Int, scan_input_axes[opt]: Ints, scan_output_axes[opt]: Ints, scan_input_directions[opt]: Ints, scan_output_directions[opt]: Ints}`
    Scan,
    /// Runs the region for lower, lower + step, … below upper (signed; step is positive). Its parameters are the
    /// counter and the carried values, and it yields the next carried values. The results are the last ones.
    ///
    /// `(outputs[many]) = for(lower, upper, step, init[many]) {}`
    For,
    /// The first region takes the carried values and yields a condition and values. While the condition holds, the
    /// second region takes these values and yields the next carried values. The results are the values of the first
    /// region's last run.
    ///
    /// `(outputs[many]) = while(init[many]) {}`
    While,
    /// Calls function `callee` of the module.
    ///
    /// `(results[many]) = call(args[many]) {callee: Str}`
    Call,
    /// A chain of elementwise ops in one. The operands broadcast to each other, and the region computes an element of the
    /// result from one of each: its parameters, results and ops have rank 0.
    ///
    /// `(y) = fused(xs[many]) {}`
    Fused,
    /// Cross-correlation of `x` [N, C, spatial…] with `w` [M, C/group, kernel…], plus `b` of length M.
    ///
    /// `(y) = conv(x, w, b[opt]) {auto_pad: AutoPad = AutoPad::NotSet, dilations[opt]: Ints, group: Int = 1, kernel_shape[opt]: Ints, pads[opt]: Ints, strides[opt]: Ints}`
    Conv,
    /// activation(conv(x, w, b) + residual): the result of fusing a convolution with its neighbours. Activations are
    /// `none`, `clip` (alpha to beta), `elu` (alpha), `gelu`, `gelu_tanh`, `hard_sigmoid` (alpha, beta), `hard_swish`,
    /// `leaky_relu` (alpha), `mish`, `relu`, `sigmoid`, `silu` and `tanh` ([`crate::op::Activation`]); the residual has
    /// the shape of the result.
    ///
    /// `(y) = fused_conv(x, w, b[opt], residual[opt]) {auto_pad: AutoPad = AutoPad::NotSet, dilations[opt]: Ints, group: Int = 1, kernel_shape[opt]: Ints, pads[opt]: Ints, strides[opt]: Ints, activation: FusedActivation = FusedActivation::None, alpha: Float = 0.0, beta: Float = 0.0}`
    FusedConv,
    /// Integer convolution of (x − x_zero_point) with (w − w_zero_point), accumulated in i32.
    ///
    /// `(y) = conv_integer(x, w, x_zero_point[opt], w_zero_point[opt]) {auto_pad: AutoPad = AutoPad::NotSet, dilations[opt]: Ints, group: Int = 1, kernel_shape[opt]: Ints, pads[opt]: Ints, strides[opt]: Ints}`
    ConvInteger,
    /// Transposed convolution, the gradient of `conv` by its input; `w` is [C, M/group, kernel…]. An axis has length
    /// stride·(n − 1) + output_padding + k' − begin − end, or the length that `output_shape` states, with pads that are
    /// split according to `auto_pad`. SAME means n·stride.
    ///
    /// `(y) = conv_transpose(x, w, b[opt]) {auto_pad: AutoPad = AutoPad::NotSet, dilations[opt]: Ints, group: Int = 1, kernel_shape[opt]: Ints, output_padding[opt]: Ints, output_shape[opt]: Ints, pads[opt]: Ints, strides[opt]: Ints}`
    ConvTranspose,
    /// Convolution whose taps are displaced by `offset` [N, offset_group·taps·axes, out…], read by linear interpolation
    /// with 0 outside, and weighted by `mask` [N, offset_group·taps, out…].
    ///
    /// `(y) = deform_conv(x, w, offset, b[opt], mask[opt]) {dilations[opt]: Ints, group: Int = 1, kernel_shape[opt]: Ints, offset_group: Int = 1, pads[opt]: Ints, strides[opt]: Ints}`
    DeformConv,
    /// Depthwise convolution of [batch, channels, length] that looks back only: `weight` is [channels, 1, k], the state
    /// holds the last k − 1 inputs and stands before `x`. `activation` is none, silu or swish.
    ///
    /// `(y, present_state) = causal_conv_with_state(x, weight, bias[opt], past_state[opt]) {activation: CausalActivation = CausalActivation::None}`
    CausalConvWithState,
    /// `conv_integer` of quantised tensors plus `b` (i32, scale x_scale·w_scale), requantised to y's scale and zero
    /// point. `w_scale` may have one element per output channel.
    ///
    /// `(y) = qlinear_conv(x, x_scale, x_zero_point, w, w_scale, w_zero_point, y_scale, y_zero_point, b[opt]) {auto_pad: AutoPad = AutoPad::NotSet, dilations[opt]: Ints, group: Int = 1, kernel_shape[opt]: Ints, pads[opt]: Ints, strides[opt]: Ints}`
    QLinearConv,
    /// `qlinear_conv` of images whose channels are in blocks, as `pack` makes them of axis 1: blocks of `x_block` channels in `x`,
    /// and of `y_block` in `y`; 0 stands for a row-major tensor.
    ///
    /// `(y) = blocked_qlinear_conv(x, x_scale, x_zero_point, w, w_scale, w_zero_point, y_scale, y_zero_point, b[opt]) {auto_pad: AutoPad = AutoPad::NotSet, dilations[opt]: Ints, group: Int = 1, kernel_shape[opt]: Ints, pads[opt]: Ints, strides[opt]: Ints, x_block: Int = 0, y_block: Int = 0}`
    BlockedQLinearConv,
    /// Sums columns [N, C·block, places] back into the image [N, C, image_shape…] they were cut from.
    ///
    /// `(y) = col2im(x, image_shape, block_shape) {dilations[opt]: Ints, pads[opt]: Ints, strides[opt]: Ints}`
    Col2Im,
    /// The tensor in attribute `value`.
    ///
    /// `(output) = constant() {value: Tensor}`
    Constant,
    /// A tensor of the shape given by the operand, every element the one in `value` (f32 zero if absent).
    ///
    /// `(output) = constant_of_shape(shape) {value[opt]: Tensor}`
    ConstantOfShape,
    /// Ones on the k-th diagonal of a matrix shaped as the operand.
    ///
    /// `(y) = eye_like(x) {dtype[opt]: DType, k: Int = 0}`
    EyeLike,
    /// start + i·delta for all i from 0 until limit is reached.
    ///
    /// `(y) = range(start, limit, delta) {stash_type: DType = DType::F32}`
    Range,
    /// A view of a tensor in memory: base pointer, r lengths (i32), r strides in elements (i64, the last 1). Reads
    /// outside give `padding`.
    ///
    /// `(y) = make_descriptor(base, dims[many]) {padding: DescriptorPadding = DescriptorPadding::Zero}`
    MakeDescriptor,
    /// The block that starts at the offsets (i32); outside the tensor the padding.
    ///
    /// `(y) = descriptor_load(descriptor, offsets[many]) {cache: CacheHint = CacheHint::None, eviction: EvictionHint = EvictionHint::Normal}`
    DescriptorLoad,
    /// Writes the block that starts at the offsets as far as it is inside.
    ///
    /// `() = descriptor_store(descriptor, value, offsets[many]) {}`
    DescriptorStore,
    /// Like `descriptor_store`, combining atomically by `op`.
    ///
    /// `() = descriptor_reduce(descriptor, value, offsets[many]) {op: DescriptorReduction}`
    DescriptorReduce,
    /// Rows of the tensor by number, from a column on.
    ///
    /// `(y) = descriptor_gather(descriptor, rows, column) {}`
    DescriptorGather,
    /// Writes rows of the tensor by number, from a column on.
    ///
    /// `() = descriptor_scatter(descriptor, value, rows, column) {}`
    DescriptorScatter,
    /// a·b + c for [m, k], [k, n], [m, n], or with a leading batch axis. `precision` allows f32 factors to be rounded; the interpreter and all devices keep all of their bits.
    /// The sum is of c's element type.
    ///
    /// `(y) = dot(a, b, c) {precision: DotPrecision = DotPrecision::Ieee}`
    Dot,
    /// a·b + c where groups of 32 (or 16) factors along k share a scale 2^(s − 127) (e8m0, NaN for 0xff) or an e4m3 one.
    /// e2m1 holds two values a byte, the low half first, along k, or
    /// along m (n) where `a_k_pack` (`b_k_pack`) is 0. Scales are [m, k/32] and [n, k/32]; a missing one is 1.
    ///
    /// `(y) = dot_scaled(a, b, c, a_scale[opt], b_scale[opt]) {a_format: ScaledFormat, b_format: ScaledFormat, a_k_pack: Flag = true, b_k_pack: Flag = true, fast_math: Flag = false}`
    DotScaled,
    /// Cuts or zero-pads the named axes (all if absent) around the centre to the given sizes; an odd element is cut at
    /// the beginning and padded at the end.
    ///
    /// `(y) = center_crop_pad(x, shape) {axes[opt]: Ints}`
    CenterCropPad,
    /// The slices along the axis at which the condition, a bool vector, holds. Without an axis, elements of the
    /// flattened operand.
    ///
    /// `(y) = compress(x, condition) {axis[opt]: Int}`
    Compress,
    /// Slices of `x` along the axis at the indices (negative from the end).
    ///
    /// `(y) = gather(x, indices) {axis: Int = 0}`
    Gather,
    /// y[i…] = x[i… with the index at i… along the axis]; the result has the shape of the indices.
    ///
    /// `(y) = gather_elements(x, indices) {axis: Int = 0}`
    GatherElements,
    /// Slices of `x` at the index tuples in the last axis of `indices`, after `batch_dims` axes that both share.
    ///
    /// `(y) = gather_nd(x, indices) {batch_dims: Int = 0}`
    GatherND,
    /// Indices of the elements that are not zero, one column each.
    ///
    /// `(y) = non_zero(x) {}`
    NonZero,
    /// `values[1]` at the indices along an additional axis of length `depth`, else `values[0]`. An index out of range
    /// marks nothing.
    ///
    /// `(y) = one_hot(indices, depth, values) {axis: Int = -1}`
    OneHot,
    /// Adds or cuts (negative) borders of the named axes: `constant`, `reflect` (without the edge), `edge` or `wrap`.
    ///
    /// `(y) = pad(x, pads, value[opt], axes[opt]) {mode: PadMode = PadMode::Constant}`
    Pad,
    /// Reverses the first `sequence_lens[i]` slices along the time axis of entry i of the batch axis.
    ///
    /// `(y) = reverse_sequence(x, sequence_lens) {batch_axis: Int = 1, time_axis: Int = 0}`
    ReverseSequence,
    /// Copy of `x` with elements at indices along one axis replaced by or combined with updates.
    ///
    /// `(y) = scatter_elements(x, indices, updates) {axis: Int = 0, reduction: ScatterReduction = ScatterReduction::Replace}`
    ScatterElements,
    /// Copy of `x` with slices at index tuples replaced by or combined with updates.
    ///
    /// `(y) = scatter_nd(x, indices, updates) {reduction: ScatterReduction = ScatterReduction::Replace}`
    ScatterND,
    /// Elements start, start + step, … before end of each named axis (all if absent); bounds are clamped, steps may be
    /// negative.
    ///
    /// `(y) = slice(x, starts, ends, axes[opt], steps[opt]) {}`
    Slice,
    /// Copy of a cache with `update` written from `write_indices[batch]` (0 if absent) on along the axis; `circular`
    /// wraps around.
    ///
    /// `(y) = tensor_scatter(past_cache, update, write_indices[opt]) {axis: Int = -2, mode: CacheMode = CacheMode::Linear}`
    TensorScatter,
    /// The upper or lower triangle of the matrices in the last two axes, from the k-th diagonal; 0 elsewhere.
    ///
    /// `(y) = trilu(x, k[opt]) {upper: Flag = true}`
    Trilu,
    /// Sampling grid of an affine map `theta`, for a result of shape `size`: the mapped coordinates, −1 … 1, of each
    /// place.
    ///
    /// `(grid) = affine_grid(theta, size) {align_corners: Flag = false}`
    AffineGrid,
    /// Samples `x` by `linear`, `nearest` or `cubic` interpolation at the grid's positions, x first. −1 and 1 are the
    /// outer edges of the corner elements or, with `align_corners`, their centres. Outside, the padding is `zeros`,
    /// `border` or `reflection`.
    ///
    /// `(y) = grid_sample(x, grid) {align_corners: Flag = false, mode: Interpolation = Interpolation::Linear, padding_mode: SamplePadding = SamplePadding::Zeros}`
    GridSample,
    /// Decodes an image file held in a u8 vector to [H, W, C].
    ///
    /// `(image) = image_decoder(stream) {pixel_format: PixelFormat = PixelFormat::Rgb}`
    ImageDecoder,
    /// Rows [batch, class, box] of the kept boxes, best first. Dropped are boxes below the score threshold, and boxes
    /// whose intersection over union with a kept box is above the other threshold.
    ///
    /// `(selected) = non_max_suppression(boxes, scores, max_output_boxes_per_class[opt], iou_threshold[opt], score_threshold[opt]) {center_point_box: Flag = false}`
    NonMaxSuppression,
    /// Resamples along the named axes to `sizes`, or by `scales`: `nearest`, `linear` or `cubic`.
    /// `coordinate_transformation_mode` maps positions of the result to the operand: half_pixel (also _symmetric,
    /// pytorch_), align_corners, asymmetric, tf_half_pixel_for_nn, or tf_crop_and_resize, which takes `roi`.
    /// `nearest_mode` is round_prefer_floor, round_prefer_ceil, floor, ceil, or ceil_when_shrinking: the rule of
    /// operator set 10, which takes the element above on axes that shrink and the element below on others.
    ///
    /// `(y) = resize(x, roi[opt], scales[opt], sizes[opt]) {antialias: Flag = false, axes[opt]: Ints, coordinate_transformation_mode: CoordinateTransform = CoordinateTransform::HalfPixel, cubic_coeff_a: Float = -0.75, exclude_outside: Flag = false, extrapolation_value: Float = 0.0, keep_aspect_ratio_policy: AspectRatioPolicy = AspectRatioPolicy::Stretch, mode: Interpolation = Interpolation::Nearest, nearest_mode: NearestMode = NearestMode::PreferFloor}`
    Resize,
    /// Mean or maximum of bilinear samples in each cell of regions [x1, y1, x2, y2] times `spatial_scale`;
    /// `sampling_ratio`² samples, 0 meaning ⌈cell size⌉.
    ///
    /// `(y) = roi_align(x, rois, batch_indices) {coordinate_transformation_mode: RoiTransform = RoiTransform::HalfPixel, mode: RoiPooling = RoiPooling::Average, output_height: Int = 1, output_width: Int = 1, sampling_ratio: Int = 0, spatial_scale: Float = 1.0}`
    RoiAlign,
    /// Which threadgroup of the grid this thread is in, along `axis` (0, 1, 2 are x, y, z).
    ///
    /// `(y) = threadgroup_id() {axis: Int}`
    ThreadgroupId,
    /// Number of threadgroups of the grid along `axis`.
    ///
    /// `(y) = num_threadgroups() {axis: Int}`
    NumThreadgroups,
    /// Which thread of its threadgroup this is.
    ///
    /// `(y) = thread_index() {}`
    ThreadIndex,
    /// Which simdgroup of its threadgroup the thread is in: the thread's index / 32.
    ///
    /// `(y) = simdgroup_index() {}`
    SimdgroupIndex,
    /// Which lane of its simdgroup the thread is: the thread's index mod 32.
    ///
    /// `(y) = lane_index() {}`
    LaneIndex,
    /// The vector of these scalars, 2 to 4.
    ///
    /// `(y) = vector(xs[many]) {}`
    Vector,
    /// The element of a vector at place `at`.
    ///
    /// `(y) = extract(x) {at: Int}`
    Extract,
    /// The vector with the element at place `at` replaced.
    ///
    /// `(y) = insert(x, element) {at: Int}`
    Insert,
    /// All threads of the threadgroup wait for each other. Their accesses before it to the memory it names
    /// (`threadgroup`, `device`, `both` or `none`) precede those after it.
    ///
    /// `() = threadgroup_barrier() {memory: BarrierMemory = BarrierMemory::Threadgroup}`
    ThreadgroupBarrier,
    /// Like `threadgroup_barrier`, for the threads of a simdgroup.
    ///
    /// `() = simdgroup_barrier() {memory: BarrierMemory = BarrierMemory::Threadgroup}`
    SimdgroupBarrier,
    /// The value of the lane that `lane` (i32) names, for each lane its own choice.
    ///
    /// `(y) = simd_shuffle(x, lane) {}`
    SimdShuffle,
    /// The value of the lane whose index is this one's xor `mask` (i32, equal in all lanes).
    ///
    /// `(y) = simd_shuffle_xor(x, mask) {}`
    SimdShuffleXor,
    /// The value of the lane `delta` (i32, equal in all lanes, 0 … 31) below; the first `delta` lanes keep their own.
    ///
    /// `(y) = simd_shuffle_up(x, delta) {}`
    SimdShuffleUp,
    /// The value of the lane `delta` (i32, equal in all lanes, 0 … 31) above; the last `delta` of 32 lanes keep their own.
    ///
    /// `(y) = simd_shuffle_down(x, delta) {}`
    SimdShuffleDown,
    /// The values of all lanes combined by `op`: `add`, `mul`, `min`, `max` (of NaN and a number the number), or of
    /// integers `and`, `or`, `xor`. The order of combinations is open.
    ///
    /// `(y) = simd_reduce(x) {op: SimdReduction}`
    SimdReduce,
    /// The values of the lanes up to this one, itself left out if `exclusive`, combined by `op`: `add` or `mul`. The order
    /// of combinations is open.
    ///
    /// `(y) = simd_prefix(x) {op: PrefixOp, exclusive: Flag = false}`
    SimdPrefix,
    /// Bit i tells whether the condition holds in lane i.
    ///
    /// `(mask) = simd_ballot(condition) {}`
    SimdBallot,
    /// Whether the condition holds in all lanes.
    ///
    /// `(y) = simd_all(condition) {}`
    SimdAll,
    /// Whether the condition holds in some lane.
    ///
    /// `(y) = simd_any(condition) {}`
    SimdAny,
    /// Divides an axis into blocks of `block` elements, and moves the place within a block to a new last axis: with `axis` 1,
    /// [N, C, H, W] becomes [N, C/block, H, W, block].
    ///
    /// `(y) = pack(x) {axis: Int = 1, block: Int}`
    Pack,
    /// The inverse of `pack`: the last axis, of length `block`, becomes the inner part of the result's axis `axis`.
    ///
    /// `(y) = unpack(x) {axis: Int = 1, block: Int}`
    Unpack,
    /// Logical and, broadcast.
    ///
    /// `(c) = and(a, b) {}`
    And,
    /// Logical or, broadcast.
    ///
    /// `(c) = or(a, b) {}`
    Or,
    /// Logical exclusive or, broadcast.
    ///
    /// `(c) = xor(a, b) {}`
    Xor,
    /// Logical negation.
    ///
    /// `(y) = not(x) {}`
    Not,
    /// a = b, broadcast.
    ///
    /// `(c) = equal(a, b) {}`
    Equal,
    /// a > b, broadcast; true is greater than false.
    ///
    /// `(c) = greater(a, b) {}`
    Greater,
    /// a ≥ b, broadcast.
    ///
    /// `(c) = greater_or_equal(a, b) {}`
    GreaterOrEqual,
    /// a < b, broadcast.
    ///
    /// `(c) = less(a, b) {}`
    Less,
    /// a ≤ b, broadcast.
    ///
    /// `(c) = less_or_equal(a, b) {}`
    LessOrEqual,
    /// x where the condition holds, else y; broadcast.
    ///
    /// `(output) = where(condition, x, y) {}`
    Where,
    /// Whether the element is an infinity of a requested sign.
    ///
    /// `(y) = is_inf(x) {detect_negative: Flag = true, detect_positive: Flag = true}`
    IsInf,
    /// Whether the element is not a number.
    ///
    /// `(y) = is_nan(x) {}`
    IsNaN,
    /// Shifts `x` by `y` bits in `direction` LEFT or RIGHT, broadcast; signed types shift arithmetically to the right.
    ///
    /// `(z) = bit_shift(x, y) {direction: ShiftDirection}`
    BitShift,
    /// Bitwise and, broadcast.
    ///
    /// `(c) = bitwise_and(a, b) {}`
    BitwiseAnd,
    /// Complements every bit.
    ///
    /// `(y) = bitwise_not(x) {}`
    BitwiseNot,
    /// Bitwise or, broadcast.
    ///
    /// `(c) = bitwise_or(a, b) {}`
    BitwiseOr,
    /// Bitwise exclusive or, broadcast.
    ///
    /// `(c) = bitwise_xor(a, b) {}`
    BitwiseXor,
    /// Inverse cosine in radians.
    ///
    /// `(y) = acos(x) {}`
    Acos,
    /// Inverse hyperbolic cosine.
    ///
    /// `(y) = acosh(x) {}`
    Acosh,
    /// Inverse sine in radians.
    ///
    /// `(y) = asin(x) {}`
    Asin,
    /// Inverse hyperbolic sine.
    ///
    /// `(y) = asinh(x) {}`
    Asinh,
    /// Inverse tangent in radians.
    ///
    /// `(y) = atan(x) {}`
    Atan,
    /// Inverse hyperbolic tangent.
    ///
    /// `(y) = atanh(x) {}`
    Atanh,
    /// Cosine of radians.
    ///
    /// `(y) = cos(x) {}`
    Cos,
    /// Hyperbolic cosine.
    ///
    /// `(y) = cosh(x) {}`
    Cosh,
    /// Gauss error function.
    ///
    /// `(y) = erf(x) {}`
    Erf,
    /// e to the power of the operand.
    ///
    /// `(y) = exp(x) {}`
    Exp,
    /// 2 to the power of the operand.
    ///
    /// `(y) = exp2(x) {}`
    Exp2,
    /// A function of the C mathematics library or an extension of it in device libraries, by its C name without the
    /// type's suffix: `acosh`, `hypot`, `normcdf`, `add_rz` (rounded towards zero) …
    ///
    /// `(y) = libm(xs[many]) {function: Str, to: DType}`
    Libm,
    /// Natural logarithm.
    ///
    /// `(y) = log(x) {}`
    Log,
    /// Logarithm to base 2.
    ///
    /// `(y) = log2(x) {}`
    Log2,
    /// x to the power of y, broadcast, in the type of x. At level tile both are floats of one type.
    ///
    /// `(z) = pow(x, y) {}`
    Pow,
    /// 1/x.
    ///
    /// `(y) = reciprocal(x) {}`
    Reciprocal,
    /// 1/√x.
    ///
    /// `(y) = rsqrt(x) {}`
    Rsqrt,
    /// Sine of radians.
    ///
    /// `(y) = sin(x) {}`
    Sin,
    /// Hyperbolic sine.
    ///
    /// `(y) = sinh(x) {}`
    Sinh,
    /// Square root.
    ///
    /// `(y) = sqrt(x) {}`
    Sqrt,
    /// Tangent of radians.
    ///
    /// `(y) = tan(x) {}`
    Tan,
    /// Hyperbolic tangent.
    ///
    /// `(y) = tanh(x) {}`
    Tanh,
    /// Determinant of the matrices in the last two axes.
    ///
    /// `(y) = det(x) {}`
    Det,
    /// Sums of products by an equation in Einstein's notation. `...` stands for axes that broadcast. Without `->` the
    /// result has the letters that occur once, in alphabetical order.
    ///
    /// `(y) = einsum(xs[many]) {equation: Str}`
    Einsum,
    /// alpha·op(a)·op(b) + beta·c for matrices, op transposing where `trans_*` says so, `c` broadcast to the result.
    ///
    /// `(y) = gemm(a, b, c[opt]) {alpha: Float = 1.0, beta: Float = 1.0, trans_a: Flag = false, trans_b: Flag = false}`
    Gemm,
    /// Matrix product over the last two axes, batch axes broadcast, rank-1 operands as row or column (NumPy's matmul).
    ///
    /// `(y) = matmul(a, b) {}`
    MatMul,
    /// activation(scale·op(a)·op(b) + bias + residual): what fusion makes of a matrix product and its neighbours.
    /// `trans_*` swap the last two axes; `bias` has one element per column, the residual the shape of the result;
    /// activations as for `fused_conv`.
    ///
    /// `(y) = fused_matmul(a, b, bias[opt], residual[opt]) {scale: Float = 1.0, trans_a: Flag = false, trans_b: Flag = false, activation: FusedActivation = FusedActivation::None, alpha: Float = 0.0, beta: Float = 0.0}`
    FusedMatMul,
    /// Integer matrix product of (a − a_zero_point) and (b − b_zero_point), accumulated in i32; zero points have one
    /// element, or one per row of `a` and column of `b`.
    ///
    /// `(y) = matmul_integer(a, b, a_zero_point[opt], b_zero_point[opt]) {}`
    MatMulInteger,
    /// activation(a·w + bias + residual) as ONNX Runtime's operator of that name, with a matrix w [k, n] of quantised
    /// weights, which are widened where they are used: (q − zero point)·scale in a's type. `b` [n, blocks,
    /// block_size·bits/8] has the numbers q column by column, in blocks of `block_size` along k, of 2, 4 or 8 `bits`,
    /// lowest bits first. Each block has a scale, and a zero point in the type of the scales, or packed like `b` with
    /// each column starting at a new byte, or 2^(bits − 1). The other operands are those of `fused_matmul`.
    ///
    /// `(y) = matmul_n_bits(a, b, bias[opt], residual[opt], scales, zero_points[opt]) {k: Int, n: Int, bits: Int = 4, block_size: Int, activation: FusedActivation = FusedActivation::None, alpha: Float = 0.0, beta: Float = 0.0}`
    MatMulNBits,
    /// `matmul_integer` of quantised tensors, requantised to y's scale and zero point. The scales of `a` and `b` may
    /// have one element per row and column.
    ///
    /// `(y) = qlinear_matmul(a, a_scale, a_zero_point, b, b_scale, b_zero_point, y_scale, y_zero_point) {}`
    QLinearMatMul,
    /// The matrix with this scalar, equal in all lanes, at every place.
    ///
    /// `(y) = matrix_fill(x) {}`
    MatrixFill,
    /// The matrix whose element (i, j) lies `stride`·i + j elements after the pointer, or `stride`·j + i with
    /// `transpose`. Pointer (to device or threadgroup memory) and stride (i32) are equal in all lanes.
    ///
    /// `(y) = matrix_load(ptr, stride) {transpose: Flag = false}`
    MatrixLoad,
    /// Writes a matrix to where `matrix_load` would read it.
    ///
    /// `() = matrix_store(ptr, value, stride) {transpose: Flag = false}`
    MatrixStore,
    /// a·b + c. Factors have one element type, c has it too or has f32. The number of roundings of a sum is not
    /// specified.
    ///
    /// `(y) = matrix_multiply_add(a, b, c) {}`
    MatrixMultiplyAdd,
    /// The accumulator with this scalar (f32), equal in all lanes, at every place.
    ///
    /// `(y) = accumulator_fill(x) {}`
    AccumulatorFill,
    /// The accumulator whose element (i, j), of f32, lies `stride`·i + j elements after the pointer. Pointer (to device
    /// or threadgroup memory) and stride (i32) are equal in all lanes.
    ///
    /// `(y) = accumulator_load(ptr, stride) {}`
    AccumulatorLoad,
    /// Writes an accumulator to where `accumulator_load` would read it.
    ///
    /// `() = accumulator_store(ptr, value, stride) {}`
    AccumulatorStore,
    /// a·b + c of 32×32 factors in threadgroup memory: element (i, j) of a lies `a_stride`·i + j elements after `a`, or
    /// `a_stride`·j + i if the type of c has it transposed; the same holds for b. Pointers and strides are equal in all
    /// lanes. How often a sum is rounded is open.
    ///
    /// `(y) = accumulator_multiply_add(a, a_stride, b, b_stride, c) {}`
    AccumulatorMultiplyAdd,
    /// Moves pointers by a number of elements, a signed integer.
    ///
    /// `(y) = ptr_add(ptr, offset) {}`
    PtrAdd,
    /// The same addresses as pointers to another type.
    ///
    /// `(y) = ptr_cast(ptr) {}`
    PtrCast,
    /// Addresses as pointers.
    ///
    /// `(y) = int_to_ptr(x) {}`
    IntToPtr,
    /// Addresses of pointers.
    ///
    /// `(y) = ptr_to_int(ptr) {}`
    PtrToInt,
    /// Reads where `mask` holds; elsewhere memory is not touched and the element is that of `other`, or arbitrary.
    /// `cache` and `eviction` are hints. At level lane there is no mask, and a pointer gives `width` consecutive
    /// elements (1, 2 or 4). The program promises that its address is a multiple of `align` bytes; 0 means the size of
    /// one element.
    ///
    /// `(y) = load(ptr, mask[opt], other[opt]) {cache: CacheHint = CacheHint::None, eviction: EvictionHint = EvictionHint::Normal, volatile: Flag = false, width: Int = 1, align: Int = 0}`
    Load,
    /// Writes where `mask` holds. If several elements have the same address, any of them may be written last. At level
    /// lane there is no mask, and a vector (of 2 or 4) is written to consecutive elements; `align` is as in `load`.
    ///
    /// `() = store(ptr, value, mask[opt]) {cache: CacheHint = CacheHint::None, eviction: EvictionHint = EvictionHint::Normal, align: Int = 0}`
    Store,
    /// An array of `len` elements of type `dtype`, unwritten, in `space` `threadgroup`, where all threads get the same
    /// one, or `thread`. It stands outside of regions and lives until the function ends; only a kernel has arrays in
    /// threadgroup memory.
    ///
    /// `(ptr) = alloc() {space: LocalSpace, dtype: DType, len: Int}`
    Alloc,
    /// All memory effects before it precede those after it, for every thread of the program.
    ///
    /// `() = barrier() {}`
    Barrier,
    /// Orders accesses to the device's memory for threads of other threadgroups: accesses before the fence, by this
    /// thread or ordered before it by barriers, precede those after it. The other threads must learn of it by an atomic
    /// op followed by a fence.
    ///
    /// `() = device_fence() {}`
    DeviceFence,
    /// Prints a line for each element: `pid (x, y, z) idx (i, j)`, `prefix`, `(operand n) ` where there are several,
    /// and the element; one line without operands. `signed` says which operands are signed integers; without it their
    /// types do. At level lane elements of a block of `dims`, if that is not empty, are printed one by one: the last
    /// operand (i32) is the position.
    ///
    /// `() = print(xs[many]) {prefix: Str, hex: Flag = false, signed[opt]: Ints, dims[opt]: Ints}`
    Print,
    /// Stops the launch with `message` if an element of the condition is false.
    ///
    /// `() = assert(condition) {message: Str}`
    Assert,
    /// A condition that the program promises to hold.
    ///
    /// `() = assume(condition) {}`
    Assume,
    /// Elements of the last axis at the given indices.
    ///
    /// `(z) = array_feature_extractor(x, y) {}`
    ArrayFeatureExtractor,
    /// 1 above the threshold, else 0.
    ///
    /// `(y) = binarizer(x) {threshold: Float = 0.0}`
    Binarizer,
    /// The values of a map by ascending key, as a row. The keys of a `SPARSE` map are positions below `max_map`; other
    /// elements are 0.
    ///
    /// `(y) = cast_map(x) {cast_to: MapCast = MapCast::Float, map_form: MapForm = MapForm::Dense, max_map: Int = 1}`
    CastMap,
    /// Category names to numbers or back.
    ///
    /// `(y) = category_mapper(x) {cats_int64s[opt]: Ints, cats_strings[opt]: Strs, default_int64: Int = -1, default_string: Str = "_Unused"}`
    CategoryMapper,
    /// The values of a map in the order of a vocabulary.
    ///
    /// `(y) = dict_vectorizer(x) {int64_vocabulary[opt]: Ints, string_vocabulary[opt]: Strs}`
    DictVectorizer,
    /// Columns of all operands side by side, as f32.
    ///
    /// `(y) = feature_vectorizer(xs[many]) {inputdimensions[opt]: Ints}`
    FeatureVectorizer,
    /// Replaces one value (NaN too) by another, per column or the same for all.
    ///
    /// `(y) = imputer(x) {imputed_value_floats[opt]: Floats, imputed_value_int64s[opt]: Ints, replaced_value_float: Float = 0.0, replaced_value_int64: Int = 0}`
    Imputer,
    /// Maps keys to the values at the same places, others to the default.
    ///
    /// `(y) = label_encoder(x) {default_float: Float = -0.0, default_int64: Int = -1, default_string: Str = "_Unused", default_tensor[opt]: Tensor, keys_floats[opt]: Floats, keys_int64s[opt]: Ints, keys_strings[opt]: Strs, keys_tensor[opt]: Tensor, values_floats[opt]: Floats, values_int64s[opt]: Ints, values_strings[opt]: Strs, values_tensor[opt]: Tensor}`
    LabelEncoder,
    /// The label of the best class, and the scores coefficients·x + intercepts after `post_transform`.
    ///
    /// `(y, z) = linear_classifier(x) {classlabels_ints[opt]: Ints, classlabels_strings[opt]: Strs, coefficients: Floats, intercepts[opt]: Floats, multi_class: Int = 0, post_transform: PostTransform = PostTransform::None}`
    LinearClassifier,
    /// coefficients·x + intercepts for each target, after `post_transform`.
    ///
    /// `(y) = linear_regressor(x) {coefficients[opt]: Floats, intercepts[opt]: Floats, post_transform: PostTransform = PostTransform::None, targets: Int = 1}`
    LinearRegressor,
    /// Rows divided by their greatest magnitude (`MAX`), sum of magnitudes (`L1`) or Euclidean norm (`L2`).
    ///
    /// `(y) = normalizer(x) {norm: RowNorm = RowNorm::Max}`
    Normalizer,
    /// One-hot vectors of categories in an additional axis. An unknown category gives all zeros, or an error without
    /// `zeros`.
    ///
    /// `(y) = one_hot_encoder(x) {cats_int64s[opt]: Ints, cats_strings[opt]: Strs, zeros: Flag = true}`
    OneHotEncoder,
    /// (x − offset)·scale per column.
    ///
    /// `(y) = scaler(x) {offset[opt]: Floats, scale[opt]: Floats}`
    Scaler,
    /// Support vector classification: the label that wins the votes between pairs of classes (or linear scores), and
    /// the scores, by `prob_a` and `prob_b` as probabilities. Kernels are LINEAR, POLY, RBF and SIGMOID of gamma,
    /// coef0, degree.
    ///
    /// `(y, z) = svm_classifier(x) {classlabels_ints[opt]: Ints, classlabels_strings[opt]: Strs, coefficients[opt]: Floats, kernel_params[opt]: Floats, kernel_type: SvmKernel = SvmKernel::Linear, post_transform: PostTransform = PostTransform::None, prob_a[opt]: Floats, prob_b[opt]: Floats, rho[opt]: Floats, support_vectors[opt]: Floats, vectors_per_class[opt]: Ints}`
    SVMClassifier,
    /// Support vector regression with the kernels of `svm_classifier`; `one_class` gives the sign.
    ///
    /// `(y) = svm_regressor(x) {coefficients[opt]: Floats, kernel_params[opt]: Floats, kernel_type: SvmKernel = SvmKernel::Linear, n_supports: Int = 0, one_class: Flag = false, post_transform: PostTransform = PostTransform::None, rho[opt]: Floats, support_vectors[opt]: Floats}`
    SVMRegressor,
    /// Leaf weights of decision trees, per target the mean, sum, least or greatest (`aggregate_function` 0 to 3). A
    /// node compares its feature by ≤, <, ≥, >, =, ≠ or membership (`nodes_modes` 0 to 6); NaN goes where
    /// `nodes_missing_value_tracks_true` says.
    ///
    /// `(y) = tree_ensemble(x) {aggregate_function: Int = 1, leaf_targetids: Ints, leaf_weights: Tensor, membership_values[opt]: Tensor, n_targets[opt]: Int, nodes_falseleafs: Ints, nodes_falsenodeids: Ints, nodes_featureids: Ints, nodes_hitrates[opt]: Tensor, nodes_missing_value_tracks_true[opt]: Ints, nodes_modes: Tensor, nodes_splits: Tensor, nodes_trueleafs: Ints, nodes_truenodeids: Ints, post_transform: Int = 0, tree_roots: Ints}`
    TreeEnsemble,
    /// The label of the best class, and the scores that the leaves of decision trees add up to. Where all leaves vote for
    /// the first of two classes, the sum is the score of the second, and the first gets its complement (its negative, if a
    /// vote is negative or a transform follows); where all vote for the second, it wins from a sum above a half (above 0,
    /// if a vote is negative).
    ///
    /// `(y, z) = tree_ensemble_classifier(x) {base_values[opt]: Floats, base_values_as_tensor[opt]: Tensor, class_ids[opt]: Ints, class_nodeids[opt]: Ints, class_treeids[opt]: Ints, class_weights[opt]: Floats, class_weights_as_tensor[opt]: Tensor, classlabels_int64s[opt]: Ints, classlabels_strings[opt]: Strs, nodes_falsenodeids[opt]: Ints, nodes_featureids[opt]: Ints, nodes_hitrates[opt]: Floats, nodes_hitrates_as_tensor[opt]: Tensor, nodes_missing_value_tracks_true[opt]: Ints, nodes_modes[opt]: Strs, nodes_nodeids[opt]: Ints, nodes_treeids[opt]: Ints, nodes_truenodeids[opt]: Ints, nodes_values[opt]: Floats, nodes_values_as_tensor[opt]: Tensor, post_transform: PostTransform = PostTransform::None}`
    TreeEnsembleClassifier,
    /// Per target the sum, mean, least or greatest weight of the leaves of decision trees.
    ///
    /// `(y) = tree_ensemble_regressor(x) {aggregate_function: TreeAggregate = TreeAggregate::Sum, base_values[opt]: Floats, base_values_as_tensor[opt]: Tensor, n_targets[opt]: Int, nodes_falsenodeids[opt]: Ints, nodes_featureids[opt]: Ints, nodes_hitrates[opt]: Floats, nodes_hitrates_as_tensor[opt]: Tensor, nodes_missing_value_tracks_true[opt]: Ints, nodes_modes[opt]: Strs, nodes_nodeids[opt]: Ints, nodes_treeids[opt]: Ints, nodes_truenodeids[opt]: Ints, nodes_values[opt]: Floats, nodes_values_as_tensor[opt]: Tensor, post_transform: PostTransform = PostTransform::None, target_ids[opt]: Ints, target_nodeids[opt]: Ints, target_treeids[opt]: Ints, target_weights[opt]: Floats, target_weights_as_tensor[opt]: Tensor}`
    TreeEnsembleRegressor,
    /// Rows of scores as maps from class to score.
    ///
    /// `(z) = zip_map(x) {classlabels_int64s[opt]: Ints, classlabels_strings[opt]: Strs}`
    ZipMap,
    /// (x − mean)/√(var + epsilon)·scale + b per channel (axis 1). In training mode by the batch's own mean and
    /// variance, and the running ones are momentum·old + (1 − momentum)·the batch's.
    ///
    /// `(y, running_mean[opt], running_var[opt]) = batch_normalization(x, scale, b, mean, var) {epsilon: Float = 1e-5, momentum: Float = 0.9, training_mode: Flag = false}`
    BatchNormalization,
    /// (x − mean)/√(variance + epsilon)·scale + bias, statistics over `num_groups` groups of channels and all spatial
    /// axes of a sample, scale and bias per channel.
    ///
    /// `(y) = group_normalization(x, scale, bias) {epsilon: Float = 1e-5, num_groups: Int, stash_type: DType = DType::F32}`
    GroupNormalization,
    /// `group_normalization` of single channels: statistics over the spatial axes of each sample.
    ///
    /// `(y) = instance_normalization(x, scale, b) {epsilon: Float = 1e-5}`
    InstanceNormalization,
    /// (x − mean)/√(variance + epsilon)·scale + b, statistics over the axes from `axis` on; mean and 1/√(variance +
    /// epsilon) are additional results, in which those axes have length 1.
    ///
    /// `(y, mean[opt], inv_std_dev[opt]) = layer_normalization(x, scale, b[opt]) {axis: Int = -1, epsilon: Float = 1e-5, stash_type: DType = DType::F32}`
    LayerNormalization,
    /// Layer normalisation over the last axis of x + skip + bias, and optionally that sum.
    ///
    /// `(y, sum[opt]) = skip_layer_normalization(x, skip, scale, b[opt], bias[opt]) {epsilon: Float = 1e-5}`
    SkipLayerNormalization,
    /// Layer normalisation of x + skip + bias over the last axis, and that sum, as ONNX Runtime's operator.
    ///
    /// `(y, mean[opt], inv_std_var[opt], sum[opt]) = runtime_skip_layer_normalization(x, skip, gamma, beta[opt], bias[opt]) {epsilon: Float = 1e-12}`
    RuntimeSkipLayerNormalization,
    /// `rms_normalization` of x + skip + bias over the last axis, and that sum.
    ///
    /// `(y, mean[opt], inv_std_var[opt], sum[opt]) = skip_simplified_layer_normalization(x, skip, gamma, bias[opt]) {epsilon: Float = 1e-12}`
    SkipSimplifiedLayerNormalization,
    /// x/√(mean(x²) + epsilon)·scale over the axes from `axis` on.
    ///
    /// `(y) = rms_normalization(x, scale) {axis: Int = -1, epsilon: Float = 1e-5, stash_type: DType = DType::F32}`
    RMSNormalization,
    /// x/(bias + alpha/size·Σx²)^beta, the sum over the `size` channels around, ⌊(size − 1)/2⌋ of them before.
    ///
    /// `(y) = lrn(x) {alpha: Float = 1e-4, beta: Float = 0.75, bias: Float = 1.0, size: Int}`
    LRN,
    /// x divided by its Lp norm along the axis, p 1 or 2; where the norm is 0, so is the result.
    ///
    /// `(y) = lp_normalization(x) {axis: Int = -1, p: Int = 2}`
    LpNormalization,
    /// (x − mean)/standard deviation over the axes, 0, 2 and 3 if none are given.
    ///
    /// `(y) = mean_variance_normalization(x) {axes[opt]: Ints}`
    MeanVarianceNormalization,
    /// exp(x)/Σexp(x) along the axis.
    ///
    /// `(y) = softmax(x) {axis: Int = -1}`
    Softmax,
    /// ln(softmax(x)) along the axis.
    ///
    /// `(y) = log_softmax(x) {axis: Int = -1}`
    LogSoftmax,
    /// 1 at the first greatest element along the axis, else 0.
    ///
    /// `(y) = hardmax(x) {axis: Int = -1}`
    Hardmax,
    /// Mean over windows, of the elements inside the input, or with `count_include_pad` of those in its padding too.
    ///
    /// `(y) = average_pool(x) {auto_pad: AutoPad = AutoPad::NotSet, ceil_mode: Flag = false, count_include_pad: Flag = false, dilations[opt]: Ints, kernel_shape: Ints, pads[opt]: Ints, strides[opt]: Ints}`
    AveragePool,
    /// Mean over all spatial axes.
    ///
    /// `(y) = global_average_pool(x) {}`
    GlobalAveragePool,
    /// Lp norm over all spatial axes.
    ///
    /// `(y) = global_lp_pool(x) {p: Int = 2}`
    GlobalLpPool,
    /// Maximum over all spatial axes.
    ///
    /// `(y) = global_max_pool(x) {}`
    GlobalMaxPool,
    /// (Σ|x|^p)^(1/p) over windows.
    ///
    /// `(y) = lp_pool(x) {auto_pad: AutoPad = AutoPad::NotSet, ceil_mode: Flag = false, dilations[opt]: Ints, kernel_shape: Ints, p: Int = 2, pads[opt]: Ints, strides[opt]: Ints}`
    LpPool,
    /// Maximum over windows, and optionally its index in the whole of `x` flattened row-major (column-major in the
    /// spatial axes with `storage_order = 1`).
    ///
    /// `(y, indices[opt]) = max_pool(x) {auto_pad: AutoPad = AutoPad::NotSet, ceil_mode: Flag = false, dilations[opt]: Ints, kernel_shape: Ints, pads[opt]: Ints, storage_order: Int = 0, strides[opt]: Ints}`
    MaxPool,
    /// Maximum over the `pooled_shape` cells of each region, a row [batch, x1, y1, x2, y2] of `rois` times
    /// `spatial_scale`.
    ///
    /// `(y) = max_roi_pool(x, rois) {pooled_shape: Ints, spatial_scale: Float = 1.0}`
    MaxRoiPool,
    /// Puts pooled values back to the places that `max_pool` took them from; elsewhere 0.
    ///
    /// `(y) = max_unpool(x, indices, output_shape[opt]) {kernel_shape: Ints, pads[opt]: Ints, strides[opt]: Ints}`
    MaxUnpool,
    /// (x − zero_point)·scale, per tensor, axis or block, computed in the result's type.
    ///
    /// `(y) = dequantize_linear(x, x_scale, x_zero_point[opt]) {axis: Int = 1, block_size: Int = 0, output_dtype[opt]: DType}`
    DequantizeLinear,
    /// Quantises to u8: the scale is (max(x, 0) − min(x, 0))/255, the zero point round(−min/scale), both results too.
    ///
    /// `(y, y_scale, y_zero_point) = dynamic_quantize_linear(x) {}`
    DynamicQuantizeLinear,
    /// round(x/scale) + zero_point, ties to even, clamped to the result's type; per tensor, axis or block. `saturate`
    /// governs 8-bit floats as in `cast`, `precision` is the type of the division.
    ///
    /// `(y) = quantize_linear(x, y_scale, y_zero_point[opt]) {axis: Int = 1, block_size: Int = 0, output_dtype[opt]: DType, precision[opt]: DType, saturate: Flag = true}`
    QuantizeLinear,
    /// 1 with the probability that the operand gives, else 0.
    ///
    /// `(y) = bernoulli(x) {dtype[opt]: DType, seed[opt]: Float}`
    Bernoulli,
    /// In training mode zeroes elements with probability `ratio` (1/2 if absent), and scales the others, which the mask
    /// marks, by 1/(1 − ratio). Otherwise the operand itself.
    ///
    /// `(y, mask[opt]) = dropout(x, ratio[opt], training_mode[opt]) {seed[opt]: Int}`
    Dropout,
    /// Samples class indices by unnormalised log probabilities.
    ///
    /// `(y) = multinomial(x) {dtype: DType = DType::I32, sample_size: Int = 1, seed[opt]: Float}`
    Multinomial,
    /// Normally distributed numbers.
    ///
    /// `(y) = random_normal() {dtype: DType = DType::F32, mean: Float = 0.0, scale: Float = 1.0, seed[opt]: Float, shape: Ints}`
    RandomNormal,
    /// Normally distributed numbers in the shape of the operand.
    ///
    /// `(y) = random_normal_like(x) {dtype[opt]: DType, mean: Float = 0.0, scale: Float = 1.0, seed[opt]: Float}`
    RandomNormalLike,
    /// Uniformly distributed numbers.
    ///
    /// `(y) = random_uniform() {dtype: DType = DType::F32, high: Float = 1.0, low: Float = 0.0, seed[opt]: Float, shape: Ints}`
    RandomUniform,
    /// Uniformly distributed numbers in the shape of the operand.
    ///
    /// `(y) = random_uniform_like(x) {dtype[opt]: DType, high: Float = 1.0, low: Float = 0.0, seed[opt]: Float}`
    RandomUniformLike,
    /// Gated recurrent unit over a sequence, gates z, r, h: h' = g(Wh·x + Rh·(r∘h)), or with `linear_before_reset`
    /// g(Wh·x + r∘(Rh·h + bias)); the state is (1 − z)∘h' + z∘h. Activations are sigmoid and tanh if absent, `clip`
    /// bounds their arguments.
    ///
    /// `(y[opt], y_h[opt]) = gru(x, w, r, b[opt], sequence_lens[opt], initial_h[opt]) {activation_alpha[opt]: Floats, activation_beta[opt]: Floats, activations[opt]: Strs, clip[opt]: Float, direction: RecurrentDirection = RecurrentDirection::Forward, hidden_size[opt]: Int, layout: Flag = false, linear_before_reset: Flag = false}`
    GRU,
    /// Long short-term memory over a sequence, gates i, o, f, c with peepholes `p`: c = f∘c + i∘g, h = o∘tanh(c);
    /// `input_forget` couples f = 1 − i. Activations are sigmoid, tanh, tanh if absent, `clip` bounds their arguments.
    ///
    /// `(y[opt], y_h[opt], y_c[opt]) = lstm(x, w, r, b[opt], sequence_lens[opt], initial_h[opt], initial_c[opt], p[opt]) {activation_alpha[opt]: Floats, activation_beta[opt]: Floats, activations[opt]: Strs, clip[opt]: Float, direction: RecurrentDirection = RecurrentDirection::Forward, hidden_size[opt]: Int, input_forget: Flag = false, layout: Flag = false}`
    LSTM,
    /// Elman network over a sequence: h = f(W·x + R·h + biases), f tanh if absent, `clip` bounds its argument.
    ///
    /// `(y[opt], y_h[opt]) = rnn(x, w, r, b[opt], sequence_lens[opt], initial_h[opt]) {activation_alpha[opt]: Floats, activation_beta[opt]: Floats, activations[opt]: Strs, clip[opt]: Float, direction: RecurrentDirection = RecurrentDirection::Forward, hidden_size[opt]: Int, layout: Flag = false}`
    RNN,
    /// Index of the greatest element along the axis, of equals the first or with `select_last_index` the last.
    ///
    /// `(y) = argmax(x) {axis: Int = 0, keepdims: Flag = true, select_last_index: Flag = false}`
    ArgMax,
    /// Index of the least element along the axis, of equals the first or with `select_last_index` the last.
    ///
    /// `(y) = argmin(x) {axis: Int = 0, keepdims: Flag = true, select_last_index: Flag = false}`
    ArgMin,
    /// Running product along an axis, a rank-0 operand; `exclusive` leaves out the element itself, `reverse` runs from
    /// the end.
    ///
    /// `(y) = cumprod(x, axis) {exclusive: Flag = false, reverse: Flag = false}`
    CumProd,
    /// Running sum along an axis, a rank-0 operand; `exclusive` leaves out the element itself, `reverse` runs from the
    /// end.
    ///
    /// `(y) = cumsum(x, axis) {exclusive: Flag = false, reverse: Flag = false}`
    CumSum,
    /// Σ|x| over the axes (all if none are given).
    ///
    /// `(y) = reduce_l1(x, axes[opt]) {keepdims: Flag = true, noop_with_empty_axes: Flag = false}`
    ReduceL1,
    /// √Σx² over the axes.
    ///
    /// `(y) = reduce_l2(x, axes[opt]) {keepdims: Flag = true, noop_with_empty_axes: Flag = false}`
    ReduceL2,
    /// ln Σx over the axes.
    ///
    /// `(y) = reduce_log_sum(x, axes[opt]) {keepdims: Flag = true, noop_with_empty_axes: Flag = false}`
    ReduceLogSum,
    /// ln Σexp(x) over the axes, without overflow.
    ///
    /// `(y) = reduce_log_sum_exp(x, axes[opt]) {keepdims: Flag = true, noop_with_empty_axes: Flag = false}`
    ReduceLogSumExp,
    /// Greatest element over the axes; of none, the least value of the type.
    ///
    /// `(y) = reduce_max(x, axes[opt]) {keepdims: Flag = true, noop_with_empty_axes: Flag = false}`
    ReduceMax,
    /// Mean over the axes.
    ///
    /// `(y) = reduce_mean(x, axes[opt]) {keepdims: Flag = true, noop_with_empty_axes: Flag = false}`
    ReduceMean,
    /// Least element over the axes; of none, the greatest value of the type.
    ///
    /// `(y) = reduce_min(x, axes[opt]) {keepdims: Flag = true, noop_with_empty_axes: Flag = false}`
    ReduceMin,
    /// Product over the axes.
    ///
    /// `(y) = reduce_prod(x, axes[opt]) {keepdims: Flag = true, noop_with_empty_axes: Flag = false}`
    ReduceProd,
    /// Sum over the axes.
    ///
    /// `(y) = reduce_sum(x, axes[opt]) {keepdims: Flag = true, noop_with_empty_axes: Flag = false}`
    ReduceSum,
    /// Σx² over the axes.
    ///
    /// `(y) = reduce_sum_square(x, axes[opt]) {keepdims: Flag = true, noop_with_empty_axes: Flag = false}`
    ReduceSumSquare,
    /// The k greatest or least elements along the axis and their indices, in order; of equals the one with the lower
    /// index first.
    ///
    /// `(values, indices) = topk(x, k) {axis: Int = -1, largest: Flag = true, sorted: Flag = true}`
    TopK,
    /// Distinct elements of the flattened operand or distinct slices along `axis`, ascending or in order of occurrence,
    /// with the index of the first occurrence, the position of each element among them, and counts.
    ///
    /// `(y, indices[opt], inverse_indices[opt], counts[opt]) = unique(x) {axis[opt]: Int, sorted: Flag = true}`
    Unique,
    /// A matrix: the axes before `axis` as rows, the others as columns.
    ///
    /// `(y) = flatten(x) {axis: Int = 1}`
    Flatten,
    /// The operand itself, of any type.
    ///
    /// `(y) = identity(x) {}`
    Identity,
    /// The same elements in other dimensions: 0 copies one (unless `allowzero`), −1 is inferred.
    ///
    /// `(y) = reshape(x, shape) {allowzero: Flag = false}`
    Reshape,
    /// The dimensions of the operand from `start` to `end`.
    ///
    /// `(y) = shape(x) {start: Int = 0, end[opt]: Int}`
    Shape,
    /// The number of elements, rank 0.
    ///
    /// `(y) = size(x) {}`
    Size,
    /// Removes the named axes, which have length 1; all such axes without `axes`.
    ///
    /// `(y) = squeeze(x, axes[opt]) {}`
    Squeeze,
    /// Inserts axes of length 1 at these places of the result.
    ///
    /// `(y) = unsqueeze(x, axes) {}`
    Unsqueeze,
    /// Operands joined along the axis.
    ///
    /// `(y) = concat(xs[many]) {axis: Int}`
    Concat,
    /// Moves channels into blocks of space; the block's place is the outer part of the channel (`DCR`) or the inner one
    /// (`CRD`).
    ///
    /// `(y) = depth_to_space(x) {blocksize: Int, mode: BlockOrder = BlockOrder::DepthLast}`
    DepthToSpace,
    /// Broadcasts `x` and `shape` against each other.
    ///
    /// `(y) = expand(x, shape) {}`
    Expand,
    /// Moves blocks of space into channels; the block's place becomes the outer part of the channel (`DCR`) or the
    /// inner one (`CRD`).
    ///
    /// `(y) = space_to_depth(x) {blocksize: Int, mode: BlockOrder = BlockOrder::DepthLast}`
    SpaceToDepth,
    /// Cuts along the axis into parts of the given sizes, or of equal ones, the last being smaller.
    ///
    /// `(ys[many]) = split(x, split[opt]) {axis: Int = 0, num_outputs[opt]: Int}`
    Split,
    /// Repeats the operand along each axis.
    ///
    /// `(y) = tile(x, repeats) {}`
    Tile,
    /// Permutes axes; reverses them without `perm`.
    ///
    /// `(y) = transpose(x) {perm[opt]: Ints}`
    Transpose,
    /// Discrete Fourier transform along an axis (−2 if absent), cut or zero-padded to `dft_length`; the last axis holds
    /// the real or the real and imaginary part. The inverse divides by the length; `onesided` keeps the first ⌊n/2⌋ + 1
    /// terms.
    ///
    /// `(y) = dft(x, dft_length[opt], axis[opt]) {inverse: Flag = false, onesided: Flag = false}`
    DFT,
    /// Matrix [dft_length/2 + 1, mel bins] of triangles that map a spectrum to bins even on the mel scale 2595·log10(1
    /// + f/700).
    ///
    /// `(y) = mel_weight_matrix(num_mel_bins, dft_length, sample_rate, lower_edge_hertz, upper_edge_hertz) {output_datatype: DType = DType::F32}`
    MelWeightMatrix,
    /// Fourier transforms of frames of `frame_length` elements, `frame_step` apart, times the window: [batch, frames,
    /// terms, 2].
    ///
    /// `(y) = stft(signal, frame_step, window[opt], frame_length[opt]) {onesided: Flag = true}`
    STFT,
    /// Blackman window; `periodic` divides the circle into `size` parts, else into size − 1.
    ///
    /// `(y) = blackman_window(size) {output_datatype: DType = DType::F32, periodic: Flag = true}`
    BlackmanWindow,
    /// Hamming window, 25/46 its constant term; `periodic` as for the Blackman window.
    ///
    /// `(y) = hamming_window(size) {output_datatype: DType = DType::F32, periodic: Flag = true}`
    HammingWindow,
    /// Hann window; `periodic` as for the Blackman window.
    ///
    /// `(y) = hann_window(size) {output_datatype: DType = DType::F32, periodic: Flag = true}`
    HannWindow,
    /// Whether the whole string matches the pattern (RE2 syntax).
    ///
    /// `(y) = regex_full_match(x) {pattern: Str}`
    RegexFullMatch,
    /// Strings joined elementwise, broadcast.
    ///
    /// `(z) = string_concat(x, y) {}`
    StringConcat,
    /// A vector (or single row) of strings without stop words, in `LOWER` or `UPPER` case or as it is (`NONE`); one
    /// empty string if nothing is left.
    ///
    /// `(y) = string_normalizer(x) {case_change_action: CaseChange = CaseChange::None, is_case_sensitive: Flag = false, locale[opt]: Str, stopwords[opt]: Strs}`
    StringNormalizer,
    /// Cuts strings at a delimiter, by default at runs of blanks, at most `maxsplit` times; the last axis is filled
    /// with empty strings, and the second result counts the parts.
    ///
    /// `(y, counts) = string_split(x) {delimiter[opt]: Str, maxsplit[opt]: Int}`
    StringSplit,
    /// Counts the pool's n-grams in each row, with up to `max_skip_count` elements skipped between theirs: the counts
    /// (`TF`), weights where they occur (`IDF`) or counts times weights (`TFIDF`), at `ngram_indexes`.
    ///
    /// `(y) = tfidf_vectorizer(x) {max_gram_length: Int, max_skip_count: Int, min_gram_length: Int, mode: TermWeight, ngram_counts: Ints, ngram_indexes: Ints, pool_int64s[opt]: Ints, pool_strings[opt]: Strs, weights[opt]: Floats}`
    TfIdfVectorizer,
    /// `−weight[t]·x[n, t, …]` for target classes t, 0 where t is `ignore_index`; `mean` divides by the sum of the
    /// weights.
    ///
    /// `(loss) = negative_log_likelihood_loss(x, target, weight[opt]) {ignore_index[opt]: Int, reduction: BatchReduction = BatchReduction::Mean}`
    NegativeLogLikelihoodLoss,
    /// Negative log likelihood of softmax(scores), and optionally the log probabilities.
    ///
    /// `(loss, log_prob[opt]) = softmax_cross_entropy_loss(scores, labels, weights[opt]) {ignore_index[opt]: Int, reduction: BatchReduction = BatchReduction::Mean}`
    SoftmaxCrossEntropyLoss,
    /// One step of Adagrad with rate r at step t: all parameters, gradients and accumulated squares in, parameters and
    /// squares out.
    ///
    /// `(ys[many]) = adagrad(r, t, xs[many]) {decay_factor: Float = 0.0, epsilon: Float = 1e-6, norm_coefficient: Float = 0.0}`
    Adagrad,
    /// One step of Adam with rate r at step t: all parameters, gradients, first and second moments in, parameters and
    /// moments out.
    ///
    /// `(ys[many]) = adam(r, t, xs[many]) {alpha: Float = 0.9, beta: Float = 0.999, epsilon: Float = 1e-6, norm_coefficient: Float = 0.0, norm_coefficient_post: Float = 0.0}`
    Adam,
    /// One step of gradient descent with `standard` or `nesterov` momentum: all parameters, gradients and velocities
    /// in, parameters and velocities out.
    ///
    /// `(ys[many]) = momentum(r, t, xs[many]) {alpha: Float, beta: Float, mode: MomentumMode, norm_coefficient: Float}`
    Momentum,
}

impl OpKind {
    /// Every op in the order of the table.
    pub const ALL: &'static [OpKind] = &[
        OpKind::Celu,
        OpKind::Elu,
        OpKind::Gelu,
        OpKind::BiasGelu,
        OpKind::FastGelu,
        OpKind::QuickGelu,
        OpKind::HardSigmoid,
        OpKind::HardSwish,
        OpKind::LeakyRelu,
        OpKind::Mish,
        OpKind::PRelu,
        OpKind::Relu,
        OpKind::Selu,
        OpKind::Shrink,
        OpKind::Sigmoid,
        OpKind::Softplus,
        OpKind::Softsign,
        OpKind::SwiGLU,
        OpKind::Swish,
        OpKind::ThresholdedRelu,
        OpKind::Abs,
        OpKind::Neg,
        OpKind::Sign,
        OpKind::Add,
        OpKind::Sub,
        OpKind::Mul,
        OpKind::Div,
        OpKind::Mod,
        OpKind::Fma,
        OpKind::Max,
        OpKind::MaxNum,
        OpKind::Min,
        OpKind::MinNum,
        OpKind::MulHigh,
        OpKind::Clamp,
        OpKind::Clip,
        OpKind::Sum,
        OpKind::Mean,
        OpKind::Ceil,
        OpKind::Floor,
        OpKind::Round,
        OpKind::Cast,
        OpKind::BitCast,
        OpKind::AtomicRmw,
        OpKind::AtomicCas,
        OpKind::AtomicLoad,
        OpKind::AtomicStore,
        OpKind::AtomicPoll,
        OpKind::Attention,
        OpKind::GroupQueryAttention,
        OpKind::LinearAttention,
        OpKind::RotaryEmbedding,
        OpKind::ProgramId,
        OpKind::NumPrograms,
        OpKind::Arange,
        OpKind::Splat,
        OpKind::Unsplat,
        OpKind::ExpandDims,
        OpKind::Broadcast,
        OpKind::View,
        OpKind::Permute,
        OpKind::Cat,
        OpKind::Join,
        OpKind::Unjoin,
        OpKind::TakeAlongAxis,
        OpKind::Histogram,
        OpKind::Reduce,
        OpKind::PrefixScan,
        OpKind::Map,
        OpKind::Poison,
        OpKind::Hint,
        OpKind::ConcatFromSequence,
        OpKind::Optional,
        OpKind::OptionalGetElement,
        OpKind::OptionalHasElement,
        OpKind::SequenceAt,
        OpKind::SequenceConstruct,
        OpKind::SequenceEmpty,
        OpKind::SequenceErase,
        OpKind::SequenceInsert,
        OpKind::SequenceLength,
        OpKind::SplitToSequence,
        OpKind::If,
        OpKind::Loop,
        OpKind::Scan,
        OpKind::For,
        OpKind::While,
        OpKind::Call,
        OpKind::Fused,
        OpKind::Conv,
        OpKind::FusedConv,
        OpKind::ConvInteger,
        OpKind::ConvTranspose,
        OpKind::DeformConv,
        OpKind::CausalConvWithState,
        OpKind::QLinearConv,
        OpKind::BlockedQLinearConv,
        OpKind::Col2Im,
        OpKind::Constant,
        OpKind::ConstantOfShape,
        OpKind::EyeLike,
        OpKind::Range,
        OpKind::MakeDescriptor,
        OpKind::DescriptorLoad,
        OpKind::DescriptorStore,
        OpKind::DescriptorReduce,
        OpKind::DescriptorGather,
        OpKind::DescriptorScatter,
        OpKind::Dot,
        OpKind::DotScaled,
        OpKind::CenterCropPad,
        OpKind::Compress,
        OpKind::Gather,
        OpKind::GatherElements,
        OpKind::GatherND,
        OpKind::NonZero,
        OpKind::OneHot,
        OpKind::Pad,
        OpKind::ReverseSequence,
        OpKind::ScatterElements,
        OpKind::ScatterND,
        OpKind::Slice,
        OpKind::TensorScatter,
        OpKind::Trilu,
        OpKind::AffineGrid,
        OpKind::GridSample,
        OpKind::ImageDecoder,
        OpKind::NonMaxSuppression,
        OpKind::Resize,
        OpKind::RoiAlign,
        OpKind::ThreadgroupId,
        OpKind::NumThreadgroups,
        OpKind::ThreadIndex,
        OpKind::SimdgroupIndex,
        OpKind::LaneIndex,
        OpKind::Vector,
        OpKind::Extract,
        OpKind::Insert,
        OpKind::ThreadgroupBarrier,
        OpKind::SimdgroupBarrier,
        OpKind::SimdShuffle,
        OpKind::SimdShuffleXor,
        OpKind::SimdShuffleUp,
        OpKind::SimdShuffleDown,
        OpKind::SimdReduce,
        OpKind::SimdPrefix,
        OpKind::SimdBallot,
        OpKind::SimdAll,
        OpKind::SimdAny,
        OpKind::Pack,
        OpKind::Unpack,
        OpKind::And,
        OpKind::Or,
        OpKind::Xor,
        OpKind::Not,
        OpKind::Equal,
        OpKind::Greater,
        OpKind::GreaterOrEqual,
        OpKind::Less,
        OpKind::LessOrEqual,
        OpKind::Where,
        OpKind::IsInf,
        OpKind::IsNaN,
        OpKind::BitShift,
        OpKind::BitwiseAnd,
        OpKind::BitwiseNot,
        OpKind::BitwiseOr,
        OpKind::BitwiseXor,
        OpKind::Acos,
        OpKind::Acosh,
        OpKind::Asin,
        OpKind::Asinh,
        OpKind::Atan,
        OpKind::Atanh,
        OpKind::Cos,
        OpKind::Cosh,
        OpKind::Erf,
        OpKind::Exp,
        OpKind::Exp2,
        OpKind::Libm,
        OpKind::Log,
        OpKind::Log2,
        OpKind::Pow,
        OpKind::Reciprocal,
        OpKind::Rsqrt,
        OpKind::Sin,
        OpKind::Sinh,
        OpKind::Sqrt,
        OpKind::Tan,
        OpKind::Tanh,
        OpKind::Det,
        OpKind::Einsum,
        OpKind::Gemm,
        OpKind::MatMul,
        OpKind::FusedMatMul,
        OpKind::MatMulInteger,
        OpKind::MatMulNBits,
        OpKind::QLinearMatMul,
        OpKind::MatrixFill,
        OpKind::MatrixLoad,
        OpKind::MatrixStore,
        OpKind::MatrixMultiplyAdd,
        OpKind::AccumulatorFill,
        OpKind::AccumulatorLoad,
        OpKind::AccumulatorStore,
        OpKind::AccumulatorMultiplyAdd,
        OpKind::PtrAdd,
        OpKind::PtrCast,
        OpKind::IntToPtr,
        OpKind::PtrToInt,
        OpKind::Load,
        OpKind::Store,
        OpKind::Alloc,
        OpKind::Barrier,
        OpKind::DeviceFence,
        OpKind::Print,
        OpKind::Assert,
        OpKind::Assume,
        OpKind::ArrayFeatureExtractor,
        OpKind::Binarizer,
        OpKind::CastMap,
        OpKind::CategoryMapper,
        OpKind::DictVectorizer,
        OpKind::FeatureVectorizer,
        OpKind::Imputer,
        OpKind::LabelEncoder,
        OpKind::LinearClassifier,
        OpKind::LinearRegressor,
        OpKind::Normalizer,
        OpKind::OneHotEncoder,
        OpKind::Scaler,
        OpKind::SVMClassifier,
        OpKind::SVMRegressor,
        OpKind::TreeEnsemble,
        OpKind::TreeEnsembleClassifier,
        OpKind::TreeEnsembleRegressor,
        OpKind::ZipMap,
        OpKind::BatchNormalization,
        OpKind::GroupNormalization,
        OpKind::InstanceNormalization,
        OpKind::LayerNormalization,
        OpKind::SkipLayerNormalization,
        OpKind::RuntimeSkipLayerNormalization,
        OpKind::SkipSimplifiedLayerNormalization,
        OpKind::RMSNormalization,
        OpKind::LRN,
        OpKind::LpNormalization,
        OpKind::MeanVarianceNormalization,
        OpKind::Softmax,
        OpKind::LogSoftmax,
        OpKind::Hardmax,
        OpKind::AveragePool,
        OpKind::GlobalAveragePool,
        OpKind::GlobalLpPool,
        OpKind::GlobalMaxPool,
        OpKind::LpPool,
        OpKind::MaxPool,
        OpKind::MaxRoiPool,
        OpKind::MaxUnpool,
        OpKind::DequantizeLinear,
        OpKind::DynamicQuantizeLinear,
        OpKind::QuantizeLinear,
        OpKind::Bernoulli,
        OpKind::Dropout,
        OpKind::Multinomial,
        OpKind::RandomNormal,
        OpKind::RandomNormalLike,
        OpKind::RandomUniform,
        OpKind::RandomUniformLike,
        OpKind::GRU,
        OpKind::LSTM,
        OpKind::RNN,
        OpKind::ArgMax,
        OpKind::ArgMin,
        OpKind::CumProd,
        OpKind::CumSum,
        OpKind::ReduceL1,
        OpKind::ReduceL2,
        OpKind::ReduceLogSum,
        OpKind::ReduceLogSumExp,
        OpKind::ReduceMax,
        OpKind::ReduceMean,
        OpKind::ReduceMin,
        OpKind::ReduceProd,
        OpKind::ReduceSum,
        OpKind::ReduceSumSquare,
        OpKind::TopK,
        OpKind::Unique,
        OpKind::Flatten,
        OpKind::Identity,
        OpKind::Reshape,
        OpKind::Shape,
        OpKind::Size,
        OpKind::Squeeze,
        OpKind::Unsqueeze,
        OpKind::Concat,
        OpKind::DepthToSpace,
        OpKind::Expand,
        OpKind::SpaceToDepth,
        OpKind::Split,
        OpKind::Tile,
        OpKind::Transpose,
        OpKind::DFT,
        OpKind::MelWeightMatrix,
        OpKind::STFT,
        OpKind::BlackmanWindow,
        OpKind::HammingWindow,
        OpKind::HannWindow,
        OpKind::RegexFullMatch,
        OpKind::StringConcat,
        OpKind::StringNormalizer,
        OpKind::StringSplit,
        OpKind::TfIdfVectorizer,
        OpKind::NegativeLogLikelihoodLoss,
        OpKind::SoftmaxCrossEntropyLoss,
        OpKind::Adagrad,
        OpKind::Adam,
        OpKind::Momentum,
    ];
}

/// Rows by the number of their kind.
pub(crate) static TABLE: [&OpDecl; 318] = [
    &crate::ops::activation::ROWS[0],
    &crate::ops::activation::ROWS[1],
    &crate::ops::activation::ROWS[2],
    &crate::ops::activation::ROWS[3],
    &crate::ops::activation::ROWS[4],
    &crate::ops::activation::ROWS[5],
    &crate::ops::activation::ROWS[6],
    &crate::ops::activation::ROWS[7],
    &crate::ops::activation::ROWS[8],
    &crate::ops::activation::ROWS[9],
    &crate::ops::activation::ROWS[10],
    &crate::ops::activation::ROWS[11],
    &crate::ops::activation::ROWS[12],
    &crate::ops::activation::ROWS[13],
    &crate::ops::activation::ROWS[14],
    &crate::ops::activation::ROWS[15],
    &crate::ops::activation::ROWS[16],
    &crate::ops::activation::ROWS[17],
    &crate::ops::activation::ROWS[18],
    &crate::ops::activation::ROWS[19],
    &crate::ops::arithmetic::ROWS[0],
    &crate::ops::arithmetic::ROWS[1],
    &crate::ops::arithmetic::ROWS[2],
    &crate::ops::arithmetic::ROWS[3],
    &crate::ops::arithmetic::ROWS[4],
    &crate::ops::arithmetic::ROWS[5],
    &crate::ops::arithmetic::ROWS[6],
    &crate::ops::arithmetic::ROWS[7],
    &crate::ops::arithmetic::ROWS[8],
    &crate::ops::arithmetic::ROWS[9],
    &crate::ops::arithmetic::ROWS[10],
    &crate::ops::arithmetic::ROWS[11],
    &crate::ops::arithmetic::ROWS[12],
    &crate::ops::arithmetic::ROWS[13],
    &crate::ops::arithmetic::ROWS[14],
    &crate::ops::arithmetic::ROWS[15],
    &crate::ops::arithmetic::ROWS[16],
    &crate::ops::arithmetic::ROWS[17],
    &crate::ops::arithmetic::ROWS[18],
    &crate::ops::arithmetic::ROWS[19],
    &crate::ops::arithmetic::ROWS[20],
    &crate::ops::arithmetic::ROWS[21],
    &crate::ops::arithmetic::ROWS[22],
    &crate::ops::atomic::ROWS[0],
    &crate::ops::atomic::ROWS[1],
    &crate::ops::atomic::ROWS[2],
    &crate::ops::atomic::ROWS[3],
    &crate::ops::atomic::ROWS[4],
    &crate::ops::attention::ROWS[0],
    &crate::ops::attention::ROWS[1],
    &crate::ops::attention::ROWS[2],
    &crate::ops::attention::ROWS[3],
    &crate::ops::block::ROWS[0],
    &crate::ops::block::ROWS[1],
    &crate::ops::block::ROWS[2],
    &crate::ops::block::ROWS[3],
    &crate::ops::block::ROWS[4],
    &crate::ops::block::ROWS[5],
    &crate::ops::block::ROWS[6],
    &crate::ops::block::ROWS[7],
    &crate::ops::block::ROWS[8],
    &crate::ops::block::ROWS[9],
    &crate::ops::block::ROWS[10],
    &crate::ops::block::ROWS[11],
    &crate::ops::block::ROWS[12],
    &crate::ops::block::ROWS[13],
    &crate::ops::block::ROWS[14],
    &crate::ops::block::ROWS[15],
    &crate::ops::block::ROWS[16],
    &crate::ops::block::ROWS[17],
    &crate::ops::block::ROWS[18],
    &crate::ops::container::ROWS[0],
    &crate::ops::container::ROWS[1],
    &crate::ops::container::ROWS[2],
    &crate::ops::container::ROWS[3],
    &crate::ops::container::ROWS[4],
    &crate::ops::container::ROWS[5],
    &crate::ops::container::ROWS[6],
    &crate::ops::container::ROWS[7],
    &crate::ops::container::ROWS[8],
    &crate::ops::container::ROWS[9],
    &crate::ops::container::ROWS[10],
    &crate::ops::control::ROWS[0],
    &crate::ops::control::ROWS[1],
    &crate::ops::control::ROWS[2],
    &crate::ops::control::ROWS[3],
    &crate::ops::control::ROWS[4],
    &crate::ops::control::ROWS[5],
    &crate::ops::control::ROWS[6],
    &crate::ops::conv::ROWS[0],
    &crate::ops::conv::ROWS[1],
    &crate::ops::conv::ROWS[2],
    &crate::ops::conv::ROWS[3],
    &crate::ops::conv::ROWS[4],
    &crate::ops::conv::ROWS[5],
    &crate::ops::conv::ROWS[6],
    &crate::ops::conv::ROWS[7],
    &crate::ops::conv::ROWS[8],
    &crate::ops::create::ROWS[0],
    &crate::ops::create::ROWS[1],
    &crate::ops::create::ROWS[2],
    &crate::ops::create::ROWS[3],
    &crate::ops::descriptor::ROWS[0],
    &crate::ops::descriptor::ROWS[1],
    &crate::ops::descriptor::ROWS[2],
    &crate::ops::descriptor::ROWS[3],
    &crate::ops::descriptor::ROWS[4],
    &crate::ops::descriptor::ROWS[5],
    &crate::ops::dot::ROWS[0],
    &crate::ops::dot::ROWS[1],
    &crate::ops::gather::ROWS[0],
    &crate::ops::gather::ROWS[1],
    &crate::ops::gather::ROWS[2],
    &crate::ops::gather::ROWS[3],
    &crate::ops::gather::ROWS[4],
    &crate::ops::gather::ROWS[5],
    &crate::ops::gather::ROWS[6],
    &crate::ops::gather::ROWS[7],
    &crate::ops::gather::ROWS[8],
    &crate::ops::gather::ROWS[9],
    &crate::ops::gather::ROWS[10],
    &crate::ops::gather::ROWS[11],
    &crate::ops::gather::ROWS[12],
    &crate::ops::gather::ROWS[13],
    &crate::ops::image::ROWS[0],
    &crate::ops::image::ROWS[1],
    &crate::ops::image::ROWS[2],
    &crate::ops::image::ROWS[3],
    &crate::ops::image::ROWS[4],
    &crate::ops::image::ROWS[5],
    &crate::ops::lane::ROWS[0],
    &crate::ops::lane::ROWS[1],
    &crate::ops::lane::ROWS[2],
    &crate::ops::lane::ROWS[3],
    &crate::ops::lane::ROWS[4],
    &crate::ops::lane::ROWS[5],
    &crate::ops::lane::ROWS[6],
    &crate::ops::lane::ROWS[7],
    &crate::ops::lane::ROWS[8],
    &crate::ops::lane::ROWS[9],
    &crate::ops::lane::ROWS[10],
    &crate::ops::lane::ROWS[11],
    &crate::ops::lane::ROWS[12],
    &crate::ops::lane::ROWS[13],
    &crate::ops::lane::ROWS[14],
    &crate::ops::lane::ROWS[15],
    &crate::ops::lane::ROWS[16],
    &crate::ops::lane::ROWS[17],
    &crate::ops::lane::ROWS[18],
    &crate::ops::layout::ROWS[0],
    &crate::ops::layout::ROWS[1],
    &crate::ops::logic::ROWS[0],
    &crate::ops::logic::ROWS[1],
    &crate::ops::logic::ROWS[2],
    &crate::ops::logic::ROWS[3],
    &crate::ops::logic::ROWS[4],
    &crate::ops::logic::ROWS[5],
    &crate::ops::logic::ROWS[6],
    &crate::ops::logic::ROWS[7],
    &crate::ops::logic::ROWS[8],
    &crate::ops::logic::ROWS[9],
    &crate::ops::logic::ROWS[10],
    &crate::ops::logic::ROWS[11],
    &crate::ops::logic::ROWS[12],
    &crate::ops::logic::ROWS[13],
    &crate::ops::logic::ROWS[14],
    &crate::ops::logic::ROWS[15],
    &crate::ops::logic::ROWS[16],
    &crate::ops::math::ROWS[0],
    &crate::ops::math::ROWS[1],
    &crate::ops::math::ROWS[2],
    &crate::ops::math::ROWS[3],
    &crate::ops::math::ROWS[4],
    &crate::ops::math::ROWS[5],
    &crate::ops::math::ROWS[6],
    &crate::ops::math::ROWS[7],
    &crate::ops::math::ROWS[8],
    &crate::ops::math::ROWS[9],
    &crate::ops::math::ROWS[10],
    &crate::ops::math::ROWS[11],
    &crate::ops::math::ROWS[12],
    &crate::ops::math::ROWS[13],
    &crate::ops::math::ROWS[14],
    &crate::ops::math::ROWS[15],
    &crate::ops::math::ROWS[16],
    &crate::ops::math::ROWS[17],
    &crate::ops::math::ROWS[18],
    &crate::ops::math::ROWS[19],
    &crate::ops::math::ROWS[20],
    &crate::ops::math::ROWS[21],
    &crate::ops::matmul::ROWS[0],
    &crate::ops::matmul::ROWS[1],
    &crate::ops::matmul::ROWS[2],
    &crate::ops::matmul::ROWS[3],
    &crate::ops::matmul::ROWS[4],
    &crate::ops::matmul::ROWS[5],
    &crate::ops::matmul::ROWS[6],
    &crate::ops::matmul::ROWS[7],
    &crate::ops::matrix::ROWS[0],
    &crate::ops::matrix::ROWS[1],
    &crate::ops::matrix::ROWS[2],
    &crate::ops::matrix::ROWS[3],
    &crate::ops::matrix::ROWS[4],
    &crate::ops::matrix::ROWS[5],
    &crate::ops::matrix::ROWS[6],
    &crate::ops::matrix::ROWS[7],
    &crate::ops::memory::ROWS[0],
    &crate::ops::memory::ROWS[1],
    &crate::ops::memory::ROWS[2],
    &crate::ops::memory::ROWS[3],
    &crate::ops::memory::ROWS[4],
    &crate::ops::memory::ROWS[5],
    &crate::ops::memory::ROWS[6],
    &crate::ops::memory::ROWS[7],
    &crate::ops::memory::ROWS[8],
    &crate::ops::memory::ROWS[9],
    &crate::ops::memory::ROWS[10],
    &crate::ops::memory::ROWS[11],
    &crate::ops::ml::ROWS[0],
    &crate::ops::ml::ROWS[1],
    &crate::ops::ml::ROWS[2],
    &crate::ops::ml::ROWS[3],
    &crate::ops::ml::ROWS[4],
    &crate::ops::ml::ROWS[5],
    &crate::ops::ml::ROWS[6],
    &crate::ops::ml::ROWS[7],
    &crate::ops::ml::ROWS[8],
    &crate::ops::ml::ROWS[9],
    &crate::ops::ml::ROWS[10],
    &crate::ops::ml::ROWS[11],
    &crate::ops::ml::ROWS[12],
    &crate::ops::ml::ROWS[13],
    &crate::ops::ml::ROWS[14],
    &crate::ops::ml::ROWS[15],
    &crate::ops::ml::ROWS[16],
    &crate::ops::ml::ROWS[17],
    &crate::ops::ml::ROWS[18],
    &crate::ops::norm::ROWS[0],
    &crate::ops::norm::ROWS[1],
    &crate::ops::norm::ROWS[2],
    &crate::ops::norm::ROWS[3],
    &crate::ops::norm::ROWS[4],
    &crate::ops::norm::ROWS[5],
    &crate::ops::norm::ROWS[6],
    &crate::ops::norm::ROWS[7],
    &crate::ops::norm::ROWS[8],
    &crate::ops::norm::ROWS[9],
    &crate::ops::norm::ROWS[10],
    &crate::ops::norm::ROWS[11],
    &crate::ops::norm::ROWS[12],
    &crate::ops::norm::ROWS[13],
    &crate::ops::pool::ROWS[0],
    &crate::ops::pool::ROWS[1],
    &crate::ops::pool::ROWS[2],
    &crate::ops::pool::ROWS[3],
    &crate::ops::pool::ROWS[4],
    &crate::ops::pool::ROWS[5],
    &crate::ops::pool::ROWS[6],
    &crate::ops::pool::ROWS[7],
    &crate::ops::quant::ROWS[0],
    &crate::ops::quant::ROWS[1],
    &crate::ops::quant::ROWS[2],
    &crate::ops::random::ROWS[0],
    &crate::ops::random::ROWS[1],
    &crate::ops::random::ROWS[2],
    &crate::ops::random::ROWS[3],
    &crate::ops::random::ROWS[4],
    &crate::ops::random::ROWS[5],
    &crate::ops::random::ROWS[6],
    &crate::ops::recurrent::ROWS[0],
    &crate::ops::recurrent::ROWS[1],
    &crate::ops::recurrent::ROWS[2],
    &crate::ops::reduce::ROWS[0],
    &crate::ops::reduce::ROWS[1],
    &crate::ops::reduce::ROWS[2],
    &crate::ops::reduce::ROWS[3],
    &crate::ops::reduce::ROWS[4],
    &crate::ops::reduce::ROWS[5],
    &crate::ops::reduce::ROWS[6],
    &crate::ops::reduce::ROWS[7],
    &crate::ops::reduce::ROWS[8],
    &crate::ops::reduce::ROWS[9],
    &crate::ops::reduce::ROWS[10],
    &crate::ops::reduce::ROWS[11],
    &crate::ops::reduce::ROWS[12],
    &crate::ops::reduce::ROWS[13],
    &crate::ops::reduce::ROWS[14],
    &crate::ops::reduce::ROWS[15],
    &crate::ops::reshape::ROWS[0],
    &crate::ops::reshape::ROWS[1],
    &crate::ops::reshape::ROWS[2],
    &crate::ops::reshape::ROWS[3],
    &crate::ops::reshape::ROWS[4],
    &crate::ops::reshape::ROWS[5],
    &crate::ops::reshape::ROWS[6],
    &crate::ops::shape::ROWS[0],
    &crate::ops::shape::ROWS[1],
    &crate::ops::shape::ROWS[2],
    &crate::ops::shape::ROWS[3],
    &crate::ops::shape::ROWS[4],
    &crate::ops::shape::ROWS[5],
    &crate::ops::shape::ROWS[6],
    &crate::ops::signal::ROWS[0],
    &crate::ops::signal::ROWS[1],
    &crate::ops::signal::ROWS[2],
    &crate::ops::signal::ROWS[3],
    &crate::ops::signal::ROWS[4],
    &crate::ops::signal::ROWS[5],
    &crate::ops::text::ROWS[0],
    &crate::ops::text::ROWS[1],
    &crate::ops::text::ROWS[2],
    &crate::ops::text::ROWS[3],
    &crate::ops::text::ROWS[4],
    &crate::ops::train::ROWS[0],
    &crate::ops::train::ROWS[1],
    &crate::ops::train::ROWS[2],
    &crate::ops::train::ROWS[3],
    &crate::ops::train::ROWS[4],
];
