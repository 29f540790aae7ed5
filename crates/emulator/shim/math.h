// The functions of the Metal standard library on numbers: `precise::`, and without a namespace, correctly rounded where the
// specification demands it; `fast::` no better than that promises. `bfloat` has none of them.
namespace metal {

namespace f32 {
#define MSL_LIBM(name) MSL_F float name(float x) { return msl_##name##f(x); }
MSL_LIBM(acos)
MSL_LIBM(acosh)
MSL_LIBM(asin)
MSL_LIBM(asinh)
MSL_LIBM(atan)
MSL_LIBM(atanh)
MSL_LIBM(cos)
MSL_LIBM(cosh)
MSL_LIBM(exp)
MSL_LIBM(exp2)
MSL_LIBM(exp10)
MSL_LIBM(log)
MSL_LIBM(log2)
MSL_LIBM(log10)
MSL_LIBM(sin)
MSL_LIBM(sinh)
MSL_LIBM(tan)
MSL_LIBM(tanh)
#undef MSL_LIBM
// Exact at multiples of a half: the argument is reduced before it is multiplied by pi.
MSL_F float sinpi(float x) {
    float r = x - 2.0f * __builtin_rintf(0.5f * x);
    if (r > 0.5f) r = 1.0f - r;
    if (r < -0.5f) r = -1.0f - r;
    return msl_sinf(M_PI_F * r);
}
MSL_F float cospi(float x) { return sinpi(0.5f - __builtin_fabsf(x - 2.0f * __builtin_rintf(0.5f * x))); }
MSL_F float tanpi(float x) { return sinpi(x) / cospi(x); }
MSL_F float ceil(float x) { return __builtin_ceilf(x); }
MSL_F float floor(float x) { return __builtin_floorf(x); }
MSL_F float rint(float x) { return __builtin_rintf(x); }
MSL_F float round(float x) { return __builtin_roundf(x); }
MSL_F float trunc(float x) { return __builtin_truncf(x); }
MSL_F float fabs(float x) { return __builtin_fabsf(x); }
MSL_F float sqrt(float x) { return __builtin_sqrtf(x); }
MSL_F float rsqrt(float x) { return msl_rsqrtf(x); }
MSL_F float fract(float x) {
    float r = x - __builtin_floorf(x);
    return r < 1.0f ? r : 0x1.fffffep-1f;
}
MSL_F float saturate(float x) { return __builtin_fminf(__builtin_fmaxf(x, 0.0f), 1.0f); }
MSL_F float sign(float x) { return x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : x != x ? 0.0f : x; }
MSL_F float atan2(float y, float x) { return msl_atan2f(y, x); }
MSL_F float pow(float x, float y) { return msl_powf(x, y); }
MSL_F float powr(float x, float y) { return x < 0.0f ? NAN : msl_powf(x, y); }
MSL_F float fmod(float x, float y) { return msl_fmodf(x, y); }
MSL_F float fmax(float x, float y) { return __builtin_fmaxf(x, y); }
MSL_F float fmin(float x, float y) { return __builtin_fminf(x, y); }
MSL_F float fdim(float x, float y) { return x > y ? x - y : x != x || y != y ? NAN : 0.0f; }
MSL_F float copysign(float x, float y) { return __builtin_copysignf(x, y); }
MSL_F float divide(float x, float y) { return x / y; }
MSL_F float step(float edge, float x) { return x < edge ? 0.0f : 1.0f; }
MSL_F float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
MSL_F float mix(float a, float b, float t) { return a + (b - a) * t; }
MSL_F float smoothstep(float a, float b, float x) {
    float t = saturate((x - a) / (b - a));
    return t * t * (3.0f - 2.0f * t);
}
MSL_F float fmax3(float a, float b, float c) { return fmax(a, fmax(b, c)); }
MSL_F float fmin3(float a, float b, float c) { return fmin(a, fmin(b, c)); }
MSL_F float fmedian3(float a, float b, float c) { return fmax(fmin(a, b), fmin(fmax(a, b), c)); }
}  // namespace f32

// `fast::`: the same but for these.
namespace fast32 {
using namespace f32;
#define MSL_LIBM(name) MSL_F float name(float x) { return msl_fast_##name##f(x); }
MSL_LIBM(acos)
MSL_LIBM(asin)
MSL_LIBM(atan)
MSL_LIBM(cos)
MSL_LIBM(cosh)
MSL_LIBM(exp)
MSL_LIBM(exp2)
MSL_LIBM(exp10)
MSL_LIBM(log)
MSL_LIBM(log2)
MSL_LIBM(log10)
MSL_LIBM(rsqrt)
MSL_LIBM(sin)
MSL_LIBM(sinh)
MSL_LIBM(tan)
MSL_LIBM(tanh)
#undef MSL_LIBM
MSL_F float pow(float x, float y) { return msl_fast_powf(x, y); }
MSL_F float powr(float x, float y) { return msl_fast_powf(x, y); }
MSL_F float divide(float x, float y) { return msl_fast_divide(x, y); }
MSL_F float fmax(float x, float y) { return msl_fast_max(x, y); }
MSL_F float fmin(float x, float y) { return msl_fast_min(x, y); }
MSL_F float fmax3(float a, float b, float c) { return fast32::fmax(a, fast32::fmax(b, c)); }
MSL_F float fmin3(float a, float b, float c) { return fast32::fmin(a, fast32::fmin(b, c)); }
}  // namespace fast32

template <class T> constexpr bool has_math =
    __is_same(typename shape<T>::element, float) || __is_same(typename shape<T>::element, half);

// A function of floats for half, float and their vectors. Half results are rounded from float ones.
#define MSL_MATH_1(name, from) \
    template <class T, class = enable_if_t<has_math<T>>> MSL_F T name(T x) { \
        typedef typename shape<T>::element E; \
        if constexpr (shape<T>::count == 1) return (E)from::name((float)x); \
        else { T r; for (int i = 0; i < shape<T>::count; i++) r[i] = (E)from::name((float)x[i]); return r; } \
    }
#define MSL_MATH_2(name, from) \
    template <class T, class = enable_if_t<has_math<T>>> MSL_F T name(T x, T y) { \
        typedef typename shape<T>::element E; \
        if constexpr (shape<T>::count == 1) return (E)from::name((float)x, (float)y); \
        else { \
            T r; \
            for (int i = 0; i < shape<T>::count; i++) r[i] = (E)from::name((float)x[i], (float)y[i]); \
            return r; \
        } \
    }
#define MSL_MATH_3(name, from) \
    template <class T, class = enable_if_t<has_math<T>>> MSL_F T name(T x, T y, T z) { \
        typedef typename shape<T>::element E; \
        if constexpr (shape<T>::count == 1) return (E)from::name((float)x, (float)y, (float)z); \
        else { \
            T r; \
            for (int i = 0; i < shape<T>::count; i++) { \
                r[i] = (E)from::name((float)x[i], (float)y[i], (float)z[i]); \
            } \
            return r; \
        } \
    }
#define MSL_EACH_1(f, from) \
    f(acos, from) f(acosh, from) f(asin, from) f(asinh, from) f(atan, from) f(atanh, from) f(cos, from) f(cosh, from) \
    f(exp, from) f(exp2, from) f(exp10, from) f(log, from) f(log2, from) f(log10, from) f(sin, from) f(sinh, from) \
    f(tan, from) f(tanh, from) f(sinpi, from) f(cospi, from) f(tanpi, from) f(ceil, from) f(floor, from) f(rint, from) \
    f(round, from) f(trunc, from) f(fabs, from) f(sqrt, from) f(rsqrt, from) f(fract, from) f(saturate, from) f(sign, from)
#define MSL_EACH_2(f, from) \
    f(atan2, from) f(pow, from) f(powr, from) f(fmod, from) f(fmax, from) f(fmin, from) f(fdim, from) f(copysign, from) \
    f(divide, from) f(step, from)
#define MSL_EACH_3(f, from) \
    f(mix, from) f(smoothstep, from) f(fmax3, from) f(fmin3, from) f(fmedian3, from)
#define MSL_IN_NAMESPACE(space, from) \
    namespace space { \
    MSL_EACH_1(MSL_MATH_1, from) MSL_EACH_2(MSL_MATH_2, from) MSL_EACH_3(MSL_MATH_3, from) MSL_MATH_3(fma, from) \
    template <class T, class = enable_if_t<has_math<T>>> MSL_F T max(T x, T y) { return space::fmax(x, y); } \
    template <class T, class = enable_if_t<has_math<T>>> MSL_F T min(T x, T y) { return space::fmin(x, y); } \
    template <class T, class = enable_if_t<has_math<T>>> MSL_F T abs(T x) { return space::fabs(x); } \
    template <class T, class = enable_if_t<has_math<T>>> MSL_F T clamp(T x, T low, T high) { \
        return space::fmin(space::fmax(x, low), high); \
    } \
    }
MSL_EACH_1(MSL_MATH_1, f32)
MSL_EACH_2(MSL_MATH_2, f32)
MSL_EACH_3(MSL_MATH_3, f32)
MSL_IN_NAMESPACE(fast, fast32)
MSL_IN_NAMESPACE(precise, f32)

// The product of two halves is exact in float, but the sum with a third would be rounded twice.
MSL_F half fma_half(half a, half b, half c) { return (half)((double)a * (double)b + (double)c); }
template <class T, class = enable_if_t<has_math<T>>> MSL_F T fma(T a, T b, T c) {
    if constexpr (__is_same(typename shape<T>::element, float)) return precise::fma(a, b, c);
    else if constexpr (shape<T>::count == 1) return fma_half(a, b, c);
    else { T r; for (int i = 0; i < shape<T>::count; i++) r[i] = fma_half(a[i], b[i], c[i]); return r; }
}

template <class T> MSL_F T ldexp(T x, int n) {
    static_assert(has_math<T> && shape<T>::count == 1, "ldexp takes half or float");
    return (T)__builtin_ldexpf((float)x, n);
}
template <class T> MSL_F T frexp(T x, thread int& e) {
    static_assert(has_math<T> && shape<T>::count == 1, "frexp takes half or float");
    int n = 0;
    T r = (T)msl_frexpf((float)x, &n);
    e = n;
    return r;
}
template <class T> MSL_F T modf(T x, thread T& whole) {
    whole = trunc(x);
    return copysign(x == whole ? (T)0 : (T)(x - whole), x);
}
template <class T> MSL_F T sincos(T x, thread T& c) {
    c = cos(x);
    return sin(x);
}

#define MSL_TEST(name, expression) \
    template <class T, class = enable_if_t<is_floating_point_v<typename shape<T>::element>>> MSL_F auto name(T v) { \
        constexpr int n = shape<T>::count; \
        if constexpr (n == 1) { float x = (float)v; return (bool)(expression); } \
        else { \
            bool_vector<n> r; \
            for (int i = 0; i < n; i++) { float x = (float)v[i]; r.set(i, expression); } \
            return r; \
        } \
    }
MSL_TEST(isnan, x != x)
MSL_TEST(isinf, __builtin_fabsf(x) == INFINITY)
MSL_TEST(isfinite, __builtin_fabsf(x) < INFINITY)
MSL_TEST(isnormal, __builtin_fabsf(x) < INFINITY && __builtin_fabsf(x) >= FLT_MIN)
MSL_TEST(signbit, __builtin_signbit(x))
#undef MSL_TEST

// ---- integers, and functions of both
template <class T> constexpr bool has_integers =
    __is_integral(typename shape<T>::element) && !__is_same(typename shape<T>::element, bool);
template <class T> constexpr bool has_order = has_integers<T> || has_math<T>;
#define MSL_INTEGERS class T, class = enable_if_t<has_integers<T>>

template <class T, class F> MSL_F T each(T x, T y, F f) {
    if constexpr (shape<T>::count == 1) return f(x, y);
    else { T r; for (int i = 0; i < shape<T>::count; i++) r[i] = f(x[i], y[i]); return r; }
}
// The operand that is a number wins over a NaN.
template <class T> MSL_F T max(T x, T y) {
    static_assert(has_order<T>, "max takes half, float and integers of one type; bfloat converts to float first");
    if constexpr (has_math<T>) return fmax(x, y);
    else return each(x, y, [](auto a, auto b) { return a > b ? a : b; });
}
template <class T> MSL_F T min(T x, T y) {
    static_assert(has_order<T>, "min takes half, float and integers of one type; bfloat converts to float first");
    if constexpr (has_math<T>) return fmin(x, y);
    else return each(x, y, [](auto a, auto b) { return a < b ? a : b; });
}
template <class T> MSL_F T max3(T a, T b, T c) { return max(a, max(b, c)); }
template <class T> MSL_F T min3(T a, T b, T c) { return min(a, min(b, c)); }
template <class T> MSL_F T median3(T a, T b, T c) { return max(min(a, b), min(max(a, b), c)); }
template <class T> MSL_F T clamp(T x, T low, T high) { return min(max(x, low), high); }
template <class T> MSL_F T abs(T x) {
    static_assert(has_order<T>, "abs takes half, float and integers; bfloat converts to float first");
    if constexpr (has_math<T>) return fabs(x);
    else return each(x, x, [](auto a, auto) { return (decltype(a))(a < 0 ? 0 - a : a); });
}
template <MSL_INTEGERS> MSL_F T absdiff(T x, T y) {
    return each(x, y, [](auto a, auto b) { return (decltype(a))(a > b ? a - b : b - a); });
}
template <MSL_INTEGERS> MSL_F T popcount(T x) {
    return each(x, x, [](auto a, auto) {
        typedef typename shape<decltype(a)>::element E;
        ulong bits = (ulong)a & (~0ul >> (64 - 8 * sizeof(E)));
        return (E)__builtin_popcountl(bits);
    });
}
template <MSL_INTEGERS> MSL_F T clz(T x) {
    return each(x, x, [](auto a, auto) {
        typedef typename shape<decltype(a)>::element E;
        constexpr int width = 8 * sizeof(E);
        ulong bits = (ulong)a & (~0ul >> (64 - width));
        return (E)(bits ? __builtin_clzl(bits) - (64 - width) : width);
    });
}
template <MSL_INTEGERS> MSL_F T ctz(T x) {
    return each(x, x, [](auto a, auto) {
        typedef typename shape<decltype(a)>::element E;
        constexpr int width = 8 * sizeof(E);
        ulong bits = (ulong)a & (~0ul >> (64 - width));
        return (E)(bits ? __builtin_ctzl(bits) : width);
    });
}
template <MSL_INTEGERS> MSL_F T reverse_bits(T x) {
    return each(x, x, [](auto a, auto) {
        typedef typename shape<decltype(a)>::element E;
        ulong bits = __builtin_bitreverse64((ulong)a) >> (64 - 8 * sizeof(E));
        return (E)bits;
    });
}
template <MSL_INTEGERS> MSL_F T rotate(T x, T n) {
    return each(x, n, [](auto a, auto s) {
        typedef typename shape<decltype(a)>::element E;
        constexpr ulong width = 8 * sizeof(E);
        ulong bits = (ulong)a & (~0ul >> (64 - width)), by = (ulong)s & (width - 1);
        return (E)(by ? bits << by | bits >> (width - by) : bits);
    });
}
template <MSL_INTEGERS> MSL_F T mulhi(T x, T y) {
    return each(x, y, [](auto a, auto b) {
        typedef typename shape<decltype(a)>::element E;
        if constexpr (__is_unsigned(E)) return (E)((unsigned __int128)a * b >> (8 * sizeof(E)));
        else return (E)((__int128)a * b >> (8 * sizeof(E)));
    });
}
template <MSL_INTEGERS> MSL_F T madhi(T a, T b, T c) { return mulhi(a, b) + c; }
template <MSL_INTEGERS> MSL_F T mul24(T x, T y) { return x * y; }
template <MSL_INTEGERS> MSL_F T mad24(T x, T y, T z) { return x * y + z; }
template <class E> MSL_F E saturated(__int128 v) {
    __int128 high = numeric_limits<E>::max(), low = numeric_limits<E>::lowest();
    return (E)(v > high ? high : v < low ? low : v);
}
template <MSL_INTEGERS> MSL_F T addsat(T x, T y) {
    return each(x, y, [](auto a, auto b) { return saturated<typename shape<decltype(a)>::element>((__int128)a + b); });
}
template <MSL_INTEGERS> MSL_F T subsat(T x, T y) {
    return each(x, y, [](auto a, auto b) { return saturated<typename shape<decltype(a)>::element>((__int128)a - b); });
}
template <MSL_INTEGERS> MSL_F T hadd(T x, T y) {
    return each(x, y, [](auto a, auto b) { return (decltype(a))(((__int128)a + b) >> 1); });
}
template <MSL_INTEGERS> MSL_F T rhadd(T x, T y) {
    return each(x, y, [](auto a, auto b) { return (decltype(a))(((__int128)a + b + 1) >> 1); });
}
template <MSL_INTEGERS> MSL_F T extract_bits(T x, uint offset, uint bits) {
    return each(x, x, [=](auto a, auto) {
        typedef typename shape<decltype(a)>::element E;
        constexpr uint width = 8 * sizeof(E);
        if (bits == 0) return (E)0;
        E up = (E)((ulong)a << (width - offset - bits));
        return (E)(up >> (width - bits));
    });
}
template <MSL_INTEGERS> MSL_F T insert_bits(T base, T insert, uint offset, uint bits) {
    return each(base, insert, [=](auto a, auto b) {
        ulong mask = (bits ? ~0ul >> (64 - bits) : 0ul) << offset;
        return (decltype(a))(((ulong)a & ~mask) | ((ulong)b << offset & mask));
    });
}

template <class T> MSL_F bool all(T v) {
    if constexpr (shape<T>::count == 1) return v;
    else { bool r = true; for (int i = 0; i < shape<T>::count; i++) r = r && v[i]; return r; }
}
template <class T> MSL_F bool any(T v) {
    if constexpr (shape<T>::count == 1) return v;
    else { bool r = false; for (int i = 0; i < shape<T>::count; i++) r = r || v[i]; return r; }
}
// `b` where the condition holds.
template <class T, class B> MSL_F T select(T a, T b, B c) {
    static_assert(shape<T>::count == shape<B>::count, "select takes as many conditions as elements");
    if constexpr (shape<T>::count == 1) return c ? b : a;
    else { T r; for (int i = 0; i < shape<T>::count; i++) r[i] = c[i] ? b[i] : a[i]; return r; }
}

// ---- geometry
template <class T, int N> MSL_F T dot(ext<T, N> a, ext<T, N> b) {
    T s = 0;
    for (int i = 0; i < N; i++) s += a[i] * b[i];
    return s;
}
template <class T, int N> MSL_F T length_squared(ext<T, N> v) { return dot(v, v); }
template <class T, int N> MSL_F T length(ext<T, N> v) { return sqrt(dot(v, v)); }
template <class T, int N> MSL_F T distance(ext<T, N> a, ext<T, N> b) { return length(a - b); }
template <class T, int N> MSL_F ext<T, N> normalize(ext<T, N> v) { return v * rsqrt(dot(v, v)); }
template <class T> MSL_F ext<T, 3> cross(ext<T, 3> a, ext<T, 3> b) { return a.yzx * b.zxy - a.zxy * b.yzx; }

}  // namespace metal
