//! The part of the op table that all levels share: functions of elements, primitives and composites. Conventions are in
//! `conventions.md`.

macro_rules! with_elementwise_ops {
    ($then:ident! { $($table:tt)* }) => { with_tile_ops! { $then! { $($table)*

    // ---------------------------------------------------------------- elementwise, one operand
    /// Magnitude; the least signed integer maps to itself.
    Abs "abs" Elementwise (x: Number) -> (y: Elem(0)) {} onnx "" 1;
    /// Inverse cosine in radians.
    Acos "acos" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 7 cost 30 class Function;
    /// Inverse hyperbolic cosine.
    Acosh "acosh" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 9 cost 30 class Function;
    /// Inverse sine in radians.
    Asin "asin" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 7 cost 30 class Function;
    /// Inverse hyperbolic sine.
    Asinh "asinh" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 9 cost 30 class Function;
    /// Inverse tangent in radians.
    Atan "atan" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 7 cost 30 class Function;
    /// Inverse hyperbolic tangent.
    Atanh "atanh" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 9 cost 30 class Function;
    /// Bits of the operand read as another element type of the same width.
    BitCast "bitcast" Elementwise (x) -> (y: Rule::Attr("to")) { to: DType } onnx "" 26 cost 0 class View;
    /// Complements every bit.
    BitwiseNot "bitwise_not" Elementwise (x: Int) -> (y: Elem(0)) {} onnx "" 18;
    /// Converts to element type `to`; to its own type nothing changes. Floats to integers truncate. What an integer cannot hold,
    /// NaN included, is arbitrary at level tile; at level graph it is cut to 32 bits, or 64 for `u32` and integers of 64
    /// bits, with the least value for what these cannot hold, and then wraps (`u64` holds all below 2^64, and 0 stands for
    /// the rest). Integers wrap. To narrower floats round to nearest even; with `saturate`, 8-bit floats clamp to their
    /// finite range. `round_mode` governs f8e8m0fnu; `rounding` is `rtne` or, from floats to floats at level tile, `rtz`
    /// (towards zero).
    Cast "cast" Elementwise (x) -> (y: Rule::Attr("to"))
        { to: DType, saturate: Flag = true, round_mode: ScaleRounding = ScaleRounding::Up, rounding[internal]: FloatRounding = FloatRounding::NearestEven } onnx "" 1;
    /// Least integer not below the operand.
    Ceil "ceil" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 1;
    /// x where x ≥ 0, else alpha·(exp(x/alpha) − 1).
    Celu "celu" Elementwise (x: Float) -> (y: Elem(0)) { alpha: Float = 1.0 } onnx "" 12 composite celu;
    /// Cosine of radians.
    Cos "cos" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 7 cost 20 class Function;
    /// Hyperbolic cosine.
    Cosh "cosh" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 9 cost 30 class Function;
    /// x where x ≥ 0, else alpha·(exp(x) − 1).
    Elu "elu" Elementwise (x: Float) -> (y: Elem(0)) { alpha: Float = 1.0 } onnx "" 1 composite elu;
    /// Gauss error function.
    Erf "erf" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 9 cost 20 class Function;
    /// e to the power of the operand.
    Exp "exp" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 1 cost 20 class Function;
    /// 2 to the power of the operand.
    Exp2 "exp2" Elementwise (x: Float) -> (y: Elem(0)) {} cost 20 class Function;
    /// Greatest integer not above the operand.
    Floor "floor" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 1;
    /// x·Φ(x) with the normal distribution Φ; `approximate = "tanh"` uses the tanh formula. At −∞ it is NaN, the product
    /// of −∞ and 0.
    Gelu "gelu" Elementwise (x: Float) -> (y: Elem(0)) { approximate: GeluFormula = GeluFormula::Exact } onnx "" 20 composite gelu;
    /// alpha·x + beta, clamped to 0 … 1.
    HardSigmoid "hard_sigmoid" Elementwise (x: Float) -> (y: Elem(0)) { alpha: Float = 0.2, beta: Float = 0.5 } onnx "" 1 composite hard_sigmoid;
    /// x·(x/6 + 1/2), the second factor clamped to 0 … 1. At −∞ it is NaN, the product of −∞ and 0.
    HardSwish "hard_swish" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 14 composite hard_swish;
    /// The operand itself, of any type.
    Identity "identity" Move (x) -> (y: Same(0)) {} onnx "" 1 cost 0 class View shape given;
    /// Whether the element is an infinity of a sign that is asked for.
    IsInf "is_inf" Elementwise (x: Float) -> (y: BOOL) { detect_negative: Flag = true, detect_positive: Flag = true } onnx "" 10 composite is_inf;
    /// Whether the element is not a number.
    IsNaN "is_nan" Elementwise (x: Float) -> (y: BOOL) {} onnx "" 9;
    /// x where x ≥ 0, else alpha·x.
    LeakyRelu "leaky_relu" Elementwise (x: Float) -> (y: Elem(0)) { alpha: Float = 0.01 } onnx "" 1 composite leaky_relu;
    /// Natural logarithm.
    Log "log" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 1 cost 20 class Function;
    /// Logarithm to base 2.
    Log2 "log2" Elementwise (x: Float) -> (y: Elem(0)) {} cost 20 class Function;
    /// x·tanh(ln(1 + exp(x))).
    Mish "mish" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 18 composite mish;
    /// Negation; integers wrap.
    Neg "neg" Elementwise (x: Number) -> (y: Elem(0)) {} onnx "" 1;
    /// Logical negation.
    Not "not" Elementwise (x: Bool) -> (y: BOOL) {} onnx "" 1;
    /// 1/x.
    Reciprocal "reciprocal" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 1 composite reciprocal;
    /// 0 where x < 0, else x: NaN and −0 stay.
    Relu "relu" Elementwise (x: Number) -> (y: Elem(0)) {} onnx "" 1 composite relu;
    /// Nearest integer, ties to even.
    Round "round" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 11;
    /// 1/√x.
    Rsqrt "rsqrt" Elementwise (x: Float) -> (y: Elem(0)) {} composite rsqrt;
    /// gamma·x where x > 0, else gamma·(alpha·exp(x) − alpha).
    Selu "selu" Elementwise (x: Float) -> (y: Elem(0)) { alpha: Float = 1.673_263_2, gamma: Float = 1.050_701 } onnx "" 1 composite selu;
    /// x + bias below −lambd, x − bias above lambd, else 0, NaN included; of integers computed in f64.
    Shrink "shrink" Elementwise (x: Number) -> (y: Elem(0)) { bias: Float = 0.0, lambd: Float = 0.5 } onnx "" 9 composite shrink;
    /// 1/(1 + exp(−x)).
    Sigmoid "sigmoid" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 1 composite sigmoid;
    /// −1, 0 or 1; NaN stays, −0 gives 0.
    Sign "sign" Elementwise (x: Number) -> (y: Elem(0)) {} onnx "" 9 composite sign;
    /// Sine of radians.
    Sin "sin" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 7 cost 20 class Function;
    /// Hyperbolic sine.
    Sinh "sinh" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 9 cost 30 class Function;
    /// ln(1 + exp(x)), without overflow.
    Softplus "softplus" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 1 composite softplus;
    /// x/(1 + |x|).
    Softsign "softsign" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 1 composite softsign;
    /// Square root.
    Sqrt "sqrt" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 1 cost 6;
    /// x·sigmoid(alpha·x).
    Swish "swish" Elementwise (x: Float) -> (y: Elem(0)) { alpha: Float = 1.0 } onnx "" 24 composite swish;
    /// Tangent of radians.
    Tan "tan" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 7 cost 20 class Function;
    /// Hyperbolic tangent.
    Tanh "tanh" Elementwise (x: Float) -> (y: Elem(0)) {} onnx "" 1 cost 20 class Function;
    /// x where x > alpha, else 0, NaN included.
    ThresholdedRelu "thresholded_relu" Elementwise (x: Float) -> (y: Elem(0)) { alpha: Float = 1.0 } onnx "" 10 composite thresholded_relu;

    // ---------------------------------------------------------------- elementwise, several operands
    /// Sum of two tensors, broadcast; integers wrap.
    Add "add" Elementwise (a: Number T, b: Number T) -> (c: Elem(0)) {} onnx "" 1;
    /// Logical and, broadcast.
    And "and" Elementwise (a: Bool, b: Bool) -> (c: BOOL) {} onnx "" 1;
    /// Shifts `x` by `y` bits in `direction` LEFT or RIGHT, broadcast; signed types shift arithmetically to the right.
    BitShift "bit_shift" Elementwise (x: Int T, y: Int T) -> (z: Elem(0)) { direction: ShiftDirection } onnx "" 11;
    /// Bitwise and, broadcast.
    BitwiseAnd "bitwise_and" Elementwise (a: Int T, b: Int T) -> (c: Elem(0)) {} onnx "" 18;
    /// Bitwise or, broadcast.
    BitwiseOr "bitwise_or" Elementwise (a: Int T, b: Int T) -> (c: Elem(0)) {} onnx "" 18;
    /// Bitwise exclusive or, broadcast.
    BitwiseXor "bitwise_xor" Elementwise (a: Int T, b: Int T) -> (c: Elem(0)) {} onnx "" 18;
    /// min(max(x, low), high) element by element; a NaN operand x gives `low`, or NaN with `propagate_nan`.
    Clamp "clamp" Elementwise (x: Float T, low: Float T, high: Float T) -> (y: Elem(0)) { propagate_nan: Flag = false } composite clamp;
    /// x clamped to bounds of rank 0 that may be left out: `min` where x < min, then `max` where that is greater. NaN and
    /// −0 stay; a bound that is NaN has no effect.
    Clip "clip" Elementwise (x: Number T, min[opt]: Number T, max[opt]: Number T) -> (y: Elem(0)) {} onnx "" 1 composite clip shape like;
    /// Quotient, broadcast; integers truncate towards zero.
    Div "div" Elementwise (a: Number T, b: Number T) -> (c: Elem(0)) {} onnx "" 1 cost 6;
    /// a = b, broadcast.
    Equal "equal" Elementwise (a: Any T, b: Any T) -> (c: BOOL) {} onnx "" 1;
    /// a·b + c, rounded once.
    Fma "fma" Elementwise (a: Float T, b: Float T, c: Float T) -> (y: Elem(0)) {} class Function;
    /// a > b, broadcast; true is greater than false.
    Greater "greater" Elementwise (a: Ordered T, b: Ordered T) -> (c: BOOL) {} onnx "" 1;
    /// a ≥ b, broadcast.
    GreaterOrEqual "greater_or_equal" Elementwise (a: Ordered T, b: Ordered T) -> (c: BOOL) {} onnx "" 12;
    /// a < b, broadcast.
    Less "less" Elementwise (a: Ordered T, b: Ordered T) -> (c: BOOL) {} onnx "" 1;
    /// a ≤ b, broadcast.
    LessOrEqual "less_or_equal" Elementwise (a: Ordered T, b: Ordered T) -> (c: BOOL) {} onnx "" 12;
    /// A function of the C mathematics library, or one that device libraries have beside it, by its name in C without the
    /// suffix of a type: `acosh`, `hypot`, `normcdf`, `add_rz` (rounded towards zero) …
    Libm "libm" Elementwise (xs[many]) -> (y: Rule::Attr("to")) { function: Str, to: DType } cost 30 class Function;
    /// Greatest of all operands, broadcast; NaN wins, and +0 is greater than −0.
    Max "max" Elementwise (xs[many]: Number T) -> (y: Elem(0)) {} onnx "" 1;
    /// The greater of two; of NaN and a number the number. +0 is greater than −0, unless `signed_zeros` is 0: then either may
    /// be the result.
    MaxNum "max_num" Elementwise (a: Float T, b: Float T) -> (c: Elem(0)) { signed_zeros: Flag = true };
    /// Mean of all operands, broadcast.
    Mean "mean" Elementwise (xs[many]: Float T) -> (y: Elem(0)) {} onnx "" 1 composite mean;
    /// Least of all operands, broadcast; NaN wins, and −0 is less than +0.
    Min "min" Elementwise (xs[many]: Number T) -> (y: Elem(0)) {} onnx "" 1;
    /// The lesser of two; of NaN and a number the number. −0 is less than +0, unless `signed_zeros` is 0: then either may be
    /// the result.
    MinNum "min_num" Elementwise (a: Float T, b: Float T) -> (c: Elem(0)) { signed_zeros: Flag = true };
    /// Remainder, broadcast: with the sign of the divisor, or of the dividend with `fmod`. −4 mod 2 is +0, and −0 with
    /// `fmod`.
    Mod "mod" Elementwise (a: Number T, b: Number T) -> (c: Elem(0)) { fmod: Flag = false } onnx "" 10 cost 12;
    /// Product, broadcast; integers wrap.
    Mul "mul" Elementwise (a: Number T, b: Number T) -> (c: Elem(0)) {} onnx "" 1;
    /// The upper half of the product of two integers, in their width.
    MulHigh "mul_high" Elementwise (a: Int T, b: Int T) -> (c: Elem(0)) {};
    /// Logical or, broadcast.
    Or "or" Elementwise (a: Bool, b: Bool) -> (c: BOOL) {} onnx "" 1;
    /// x where x ≥ 0, else slope·x; the slope broadcasts to x.
    PRelu "prelu" Elementwise (x: Number T, slope: Number T) -> (y: Elem(0)) {} onnx "" 1 composite prelu shape like;
    /// x to the power of y, broadcast, in the type of x. At level tile both are floats of one type.
    Pow "pow" Elementwise (x: Number, y: Number) -> (z: Elem(0)) {} onnx "" 1 cost 30 class Function;
    /// Difference, broadcast; integers wrap.
    Sub "sub" Elementwise (a: Number T, b: Number T) -> (c: Elem(0)) {} onnx "" 1;
    /// Sum of all operands, broadcast.
    Sum "sum" Elementwise (xs[many]: Number T) -> (y: Elem(0)) {} onnx "" 1 composite sum;
    /// a·sigmoid(alpha·a)·b, the gate first; the shapes are equal, nothing broadcasts.
    SwiGLU "swiglu" Elementwise (a: Float T, b: Float T) -> (y: Elem(0)) { alpha: Float = 1.0 } onnx "" 28 composite swiglu;
    /// x where the condition holds, else y; broadcast.
    Where "where" Elementwise (condition: Bool, x: Any T, y: Any T) -> (output: Element(1)) {} onnx "" 9;
    /// Logical exclusive or, broadcast.
    Xor "xor" Elementwise (a: Bool, b: Bool) -> (c: BOOL) {} onnx "" 1;

    } } };
}

pub(super) use with_elementwise_ops;
