//! Functions that the language lacks, each printed if a kernel uses it.

use super::report::TAKE;

/// A function by its name, in the order in which they may use each other.
pub(super) const FUNCTIONS: &[(&str, &str)] = &[
    (
        "quotient",
        "template <typename T> T quotient(T a, T b) { return b == T(-1) ? T(0 - ulong(a)) : T(a / b); }",
    ),
    (
        "remainder_of_divisor",
        "template <typename T> T remainder_of_divisor(T a, T b) {\n    \
         if (b == T(-1)) return T(0);\n    \
         T rest = T(a % b);\n    \
         return rest != 0 && (rest < 0) != (b < 0) ? T(rest + b) : rest;\n}",
    ),
    (
        "remainder_of_dividend",
        "template <typename T> T remainder_of_dividend(T a, T b) { return b == T(-1) ? T(0) : T(a % b); }",
    ),
    TAKE,
    (
        "compare_exchange",
        "template <typename P, typename T> T compare_exchange(P word, T expected, T value) {\n    \
         T found = expected;\n    \
         while (!atomic_compare_exchange_weak_explicit(word, &found, value, memory_order_relaxed, memory_order_relaxed)\n        \
         && found == expected) {}\n    \
         return found;\n}",
    ),
    (
        "modulo",
        "float modulo(float a, float b) {\n    \
         float rest = precise::fmod(a, b);\n    \
         if (rest != 0.0f) return (rest < 0.0f) != (b < 0.0f) ? rest + b : rest;\n    \
         return isnan(rest) ? rest : 0.0f;\n}",
    ),
    (
        // Special values of formats: 0 as those of IEEE 754, 1 all bits set is NaN, 2 the sign alone is NaN.
        "decoded_8",
        "template <int mantissa, int bias, uint greatest, int specials> float decoded_8(uchar code) {\n    \
         uint sign = uint(code & 0x80) << 24, rest = code & 0x7f;\n    \
         if (specials == 2 && code == 0x80) return as_type<float>(0x7fc00000u);\n    \
         if (specials != 2 && rest > greatest)\n        \
         return as_type<float>(sign | (specials == 0 && rest == greatest + 1 ? 0x7f800000u : 0x7fc00000u));\n    \
         if (rest >> mantissa == 0)\n        \
         return as_type<float>(sign | as_type<uint>(float(rest) * as_type<float>(uint(128 - bias - mantissa) << 23)));\n    \
         return as_type<float>(sign | ((rest << (23 - mantissa)) + (uint(127 - bias) << 23)));\n}",
    ),
    (
        // To nearest even. Below the least normal number the spacing stays.
        "encoded_8",
        "template <int mantissa, int bias, uint greatest, int specials> uchar encoded_8(float x, bool saturate) {\n    \
         uint bits = as_type<uint>(x), sign = bits >> 24 & 0x80u, rest = bits & 0x7fffffffu;\n    \
         uint infinity = specials == 2 ? 0x80u : sign | (greatest + 1);\n    \
         if (rest > 0x7f800000u) return uchar(specials == 0 ? infinity | 1u << (mantissa - 1) : infinity);\n    \
         uint code;\n    \
         if (rest < uint(128 - bias) << 23) {\n        \
         code = uint(precise::rint(as_type<float>(rest) * as_type<float>(uint(126 + bias + mantissa) << 23)));\n    \
         } else {\n        \
         rest -= uint(127 - bias) << 23;\n        \
         code = (rest + (1u << (22 - mantissa)) - 1 + (rest >> (23 - mantissa) & 1)) >> (23 - mantissa);\n    \
         }\n    \
         if (code > greatest) return uchar(saturate ? sign | greatest : infinity);\n    \
         return uchar(specials == 2 && code == 0 ? 0u : sign | code);\n}",
    ),
    (
        // Bits beyond those of f32 make the last bit odd if any is set, so that the value is rounded once.
        "bfloat_of",
        "bfloat bfloat_of(ulong magnitude, bool negative) {\n    \
         float scale = 1.0f;\n    \
         while (magnitude >> 24 != 0) {\n        \
         magnitude = magnitude >> 8 | ((magnitude & 0xff) != 0);\n        \
         scale *= 256.0f;\n    \
         }\n    \
         float value = float(uint(magnitude)) * scale;\n    \
         return bfloat(negative ? -value : value);\n}",
    ),
    (
        // Towards zero.
        "bfloat_below",
        "bfloat bfloat_below(float x) {\n    \
         return isnan(x) ? bfloat(x) : as_type<bfloat>(ushort(as_type<uint>(x) >> 16));\n}",
    ),
    (
        "half_below",
        "half half_below(float x) {\n    \
         half near = half(x);\n    \
         return precise::fabs(float(near)) > precise::fabs(x) ? as_type<half>(ushort(as_type<ushort>(near) - 1)) : near;\n}",
    ),
    (
        "greater_of",
        "float greater_of(float a, float b) {\n    \
         return a == b ? as_type<float>(as_type<uint>(a) & as_type<uint>(b)) : precise::max(a, b);\n}",
    ),
    (
        "lesser_of",
        "float lesser_of(float a, float b) {\n    \
         return a == b ? as_type<float>(as_type<uint>(a) | as_type<uint>(b)) : precise::min(a, b);\n}",
    ),
    (
        "greater_or_nan",
        "float greater_or_nan(float a, float b) { return isnan(a) ? a : isnan(b) ? b : greater_of(a, b); }",
    ),
    (
        "lesser_or_nan",
        "float lesser_or_nan(float a, float b) { return isnan(a) ? a : isnan(b) ? b : lesser_of(a, b); }",
    ),
    // The form and the coefficients of `simd::math::erf`: near zero, and 1 less the power of a polynomial.
    (
        "error_function",
        "float error_function(float x) {\n    \
         float a = precise::fabs(x), square = a * a, b = a > 4.0f ? 4.0f : a;\n    \
         float near = -0.000676109595f;\n    \
         near = fma(near, square, 0.00511598168f);\n    \
         near = fma(near, square, -0.0268354341f);\n    \
         near = fma(near, square, 0.112833932f);\n    \
         near = fma(near, square, -0.376126200f);\n    \
         near = fma(near, square, 0.128379166f);\n    \
         float far = 0.000305655791f;\n    \
         far = fma(far, b, -0.00460828515f);\n    \
         far = fma(far, b, 0.0329039171f);\n    \
         far = fma(far, b, -0.151612028f);\n    \
         far = fma(far, b, -0.917433620f);\n    \
         far = fma(far, b, -1.62793005f);\n    \
         far = fma(far, b, -4.23382881e-5f);\n    \
         return copysign(a < 0.75f ? fma(a, near, a) : 1.0f - precise::exp2(far), x);\n}",
    ),
    // W. Kahan's: the errors of the rounded exponential cancel with those of its logarithm.
    (
        "exp_less_one",
        "float exp_less_one(float x) {\n    \
         float u = precise::exp(x);\n    \
         if (u == 1.0f) return x;\n    \
         if (isinf(u) || u - 1.0f == -1.0f) return u - 1.0f;\n    \
         return (u - 1.0f) * (x / precise::log(u));\n}",
    ),
    (
        "log_of_one_more",
        "float log_of_one_more(float x) {\n    \
         float u = 1.0f + x;\n    \
         if (u == 1.0f) return x;\n    \
         return isinf(u) ? u : precise::log(u) * (x / (u - 1.0f));\n}",
    ),
    // Half the complementary error function of -x/sqrt(2): below -1 by Press et al., Numerical Recipes, 6.2, within 1.2e-7.
    (
        "normal_distribution",
        "float normal_distribution(float x) {\n    \
         if (!(x < -1.0f)) return 0.5f + 0.5f * error_function(x * 0.707106781f);\n    \
         float z = -x * 0.707106781f, t = 1.0f / (1.0f + 0.5f * z), sum = 0.17087277f;\n    \
         sum = fma(sum, t, -0.82215223f);\n    \
         sum = fma(sum, t, 1.48851587f);\n    \
         sum = fma(sum, t, -1.13520398f);\n    \
         sum = fma(sum, t, 0.27886807f);\n    \
         sum = fma(sum, t, -0.18628806f);\n    \
         sum = fma(sum, t, 0.09678418f);\n    \
         sum = fma(sum, t, 0.37409196f);\n    \
         sum = fma(sum, t, 1.00002368f);\n    \
         sum = fma(sum, t, -1.26551223f);\n    \
         return 0.5f * t * precise::exp(fma(-z, z, sum));\n}",
    ),
];

/// The function of this prelude that another one calls, if any.
pub(super) fn uses(name: &str) -> Option<&'static str> {
    match name {
        "greater_or_nan" => Some("greater_of"),
        "lesser_or_nan" => Some("lesser_of"),
        "normal_distribution" => Some("error_function"),
        _ => None,
    }
}
