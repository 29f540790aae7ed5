// The keywords and types of the Metal Shading Language for clang's OpenCL C++ mode, which has address spaces, `half` and
// templates. A text compiles as it is, apart from what `text::rewrite` replaces.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable

// Words that OpenCL reserves and Metal does not.
#define global msl_word_global
#define local msl_word_local
#define private msl_word_private
#define generic msl_word_generic
#define pipe msl_word_pipe
#define read_only msl_word_read_only
#define write_only msl_word_write_only
#define read_write msl_word_read_write

#define __METAL__ 1
#define __METAL_VERSION__ MSL_LANGUAGE
#define __HAVE_BFLOAT__ 1

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef ulong size_t;
typedef long ptrdiff_t;
typedef char int8_t;
typedef uchar uint8_t;
typedef short int16_t;
typedef ushort uint16_t;
typedef int int32_t;
typedef uint uint32_t;
typedef long int64_t;
typedef ulong uint64_t;
typedef __bf16 bfloat;

// `device` and `constant` are the two halves of OpenCL's global memory. Neither converts to the other, and both convert
// to generic memory, so structs can be copied from either.
#define device __attribute__((opencl_global_device))
#if MSL_PTX
#define constant const  // generic: a scalar argument is a parameter of the entry point
#define kernel static MSL_F
#else
#define constant const __attribute__((opencl_global_host))
// A kernel is a plain function, so that clang refuses `threadgroup` variables that `text::rewrite` has not replaced.
#define kernel
#endif
#define threadgroup __local
#define thread __private
// A variable at program scope: `text::rewrite` writes this for `constant`.
#define msl_program const __global
#define METAL_FUNC inline
#define METAL_ASM(...)

#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define FLT_MAX 3.402823466e+38f
#define FLT_MIN 1.175494351e-38f
#define FLT_EPSILON 1.192092896e-07f
#define MAXFLOAT FLT_MAX
#define HUGE_VALF INFINITY
#define HALF_MAX ((half)65504.0f)
#define HALF_MIN ((half)6.103515625e-05f)
#define M_PI_F 3.14159265358979323846f
#define M_PI_2_F 1.57079632679489661923f
#define M_E_F 2.71828182845904523536f
#define M_LOG2E_F 1.44269504088896340736f
#define M_LN2_F 0.69314718055994530942f
#define M_SQRT2_F 1.41421356237309504880f
#define CHAR_MAX 127
#define CHAR_MIN (-128)
#define UCHAR_MAX 255
#define SHRT_MAX 32767
#define SHRT_MIN (-32768)
#define USHRT_MAX 65535
#define INT_MAX 2147483647
#define INT_MIN (-2147483647 - 1)
#define UINT_MAX 4294967295u
#define LONG_MAX 9223372036854775807l
#define LONG_MIN (-9223372036854775807l - 1)
#define ULONG_MAX 18446744073709551615ul

#define MSL_F inline __attribute__((always_inline))

#define MSL_VECTOR(T) \
    typedef T T##2 __attribute__((ext_vector_type(2))); \
    typedef T T##3 __attribute__((ext_vector_type(3))); \
    typedef T T##4 __attribute__((ext_vector_type(4)));
MSL_VECTOR(char)
MSL_VECTOR(uchar)
MSL_VECTOR(short)
MSL_VECTOR(ushort)
MSL_VECTOR(int)
MSL_VECTOR(uint)
MSL_VECTOR(long)
MSL_VECTOR(ulong)
MSL_VECTOR(float)
MSL_VECTOR(half)
MSL_VECTOR(bfloat)
#undef MSL_VECTOR

// Operations of atomics, as `hooks.c` numbers them.
enum msl_operation {
    msl_load, msl_store, msl_exchange_op, msl_add, msl_sub, msl_and, msl_or, msl_xor,
    msl_min_int, msl_max_int, msl_min_uint, msl_max_uint, msl_add_float, msl_sub_float
};

namespace metal {

// ---- traits
template <class T, T V> struct integral_constant {
    static constexpr T value = V;
    constexpr operator T() const { return V; }
};
template <bool B> using bool_constant = integral_constant<bool, B>;
typedef bool_constant<true> true_type;
typedef bool_constant<false> false_type;
template <bool B, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { typedef T type; };
template <bool B, class T = void> using enable_if_t = typename enable_if<B, T>::type;
template <bool B, class T, class F> struct conditional { typedef T type; };
template <class T, class F> struct conditional<false, T, F> { typedef F type; };
template <bool B, class T, class F> using conditional_t = typename conditional<B, T, F>::type;
template <class A, class B> constexpr bool is_same_v = __is_same(A, B);
template <class A, class B> struct is_same : bool_constant<__is_same(A, B)> {};
template <class A, class B> constexpr bool is_convertible_v = __is_convertible(A, B);
template <class T> constexpr bool is_integral_v = __is_integral(T);
template <class T> struct is_integral : bool_constant<__is_integral(T)> {};
template <class T> constexpr bool is_floating_point_v =
    __is_same(T, float) || __is_same(T, half) || __is_same(T, bfloat);
template <class T> struct is_floating_point : bool_constant<is_floating_point_v<T>> {};
template <class T> constexpr bool is_unsigned_v = __is_unsigned(T);
template <class T> struct is_unsigned : bool_constant<__is_unsigned(T)> {};
template <class T> constexpr bool is_signed_v = __is_signed(T);
template <class T> struct is_signed : bool_constant<__is_signed(T)> {};
template <class T> struct remove_cv { typedef T type; };
template <class T> struct remove_cv<const T> { typedef T type; };
template <class T> struct remove_cv<volatile T> { typedef T type; };
template <class T> struct remove_cv<const volatile T> { typedef T type; };
template <class T> using remove_cv_t = typename remove_cv<T>::type;

// ---- vectors
template <int N> struct bool_vector;
template <class T, int N> struct vector_of { typedef T type __attribute__((ext_vector_type(N))); };
template <int N> struct vector_of<bool, N> { typedef bool_vector<N> type; };
template <class T, int N> using ext = T __attribute__((ext_vector_type(N)));
template <class T, int N> using vec = typename vector_of<T, N>::type;

// The element type and the number of elements of a scalar or vector.
template <class T> struct shape { typedef T element; static constexpr int count = 1; };
template <class T> struct shape<ext<T, 2>> { typedef T element; static constexpr int count = 2; };
template <class T> struct shape<ext<T, 3>> { typedef T element; static constexpr int count = 3; };
template <class T> struct shape<ext<T, 4>> { typedef T element; static constexpr int count = 4; };
template <int N> struct shape<bool_vector<N>> { typedef bool element; static constexpr int count = N; };

// `decltype` of a variable has its address space.
template <class T> struct shape<__private T> : shape<T> {};

template <class T, int N> struct packed_vec;
template <class T, int N> struct shape<packed_vec<T, N>> { typedef T element; static constexpr int count = N; };

#define MSL_BOOL_VECTOR(N, MEMBERS) \
    template <> struct __attribute__((aligned(N == 2 ? 2 : 4))) bool_vector<N> { \
        bool MEMBERS; \
        bool_vector() = default; \
        template <class T> MSL_F bool_vector(ext<T, N> mask) { \
            for (int i = 0; i < N; i++) (&x)[i] = mask[i] != 0; \
        } \
        MSL_F bool operator[](int i) const { return (&x)[i]; } \
        MSL_F bool& operator[](int i) { return (&x)[i]; } \
        MSL_F void set(int i, bool v) { (&x)[i] = v; } \
    };
#define MSL_COMMA ,
MSL_BOOL_VECTOR(2, x MSL_COMMA y)
MSL_BOOL_VECTOR(3, x MSL_COMMA y MSL_COMMA z)
MSL_BOOL_VECTOR(4, x MSL_COMMA y MSL_COMMA z MSL_COMMA w)
#undef MSL_BOOL_VECTOR
#undef MSL_COMMA
#define MSL_BOOL_OPERATOR(op) \
    template <int N> MSL_F bool_vector<N> operator op(bool_vector<N> a, bool_vector<N> b) { \
        bool_vector<N> r; \
        for (int i = 0; i < N; i++) r.set(i, a[i] op b[i]); \
        return r; \
    } \
    template <class T, int N> MSL_F bool_vector<N> operator op(ext<T, N> a, bool_vector<N> b) { \
        return bool_vector<N>(a) op b; \
    } \
    template <class T, int N> MSL_F bool_vector<N> operator op(bool_vector<N> a, ext<T, N> b) { \
        return a op bool_vector<N>(b); \
    }
MSL_BOOL_OPERATOR(&&)
MSL_BOOL_OPERATOR(||)
MSL_BOOL_OPERATOR(&)
MSL_BOOL_OPERATOR(|)
MSL_BOOL_OPERATOR(^)
MSL_BOOL_OPERATOR(==)
MSL_BOOL_OPERATOR(!=)
#undef MSL_BOOL_OPERATOR
template <int N> MSL_F bool_vector<N> operator!(bool_vector<N> a) {
    bool_vector<N> r;
    for (int i = 0; i < N; i++) r.set(i, !a[i]);
    return r;
}

// A conversion of numbers. clang has none between the 16-bit types.
template <class T, class F> MSL_F constexpr T to(F v) {
    if constexpr ((__is_same(T, half) && __is_same(F, bfloat)) || (__is_same(T, bfloat) && __is_same(F, half))) {
        return (T)(float)v;
    } else {
        return (T)v;
    }
}
template <class T> MSL_F constexpr T to() { return (T)0; }

template <class T> MSL_F auto component(T v, int i) {
    if constexpr (shape<T>::count == 1) return v;
    else return v[i];
}
template <class T, int N, class V> MSL_F void set_component(thread V& v, int i, T x) {
    if constexpr (__is_same(T, bool)) v.set(i, x);
    else v[i] = x;
}

// `float4(a, b.xy, c)`: the constructors of vectors, which are macros below. One scalar fills all components.
template <class T, int N, class... A> MSL_F constexpr vec<T, N> make(A... a) {
    constexpr int given = (0 + ... + shape<A>::count);
    constexpr bool fill = sizeof...(A) == 1 && given == 1;
    static_assert(sizeof...(A) == 0 || fill || given == N,
        "a vector's constructor takes one scalar or exactly as many components as the vector has");
    vec<T, N> r;
    int n = 0;
    if constexpr (sizeof...(A) == 0) {
        for (int i = 0; i < N; i++) set_component<T, N>(r, i, (T)0);
    } else if constexpr (fill) {
        for (int i = 0; i < N; i++) (set_component<T, N>(r, i, to<T>(a)), ...);
    } else {
        auto put = [&](auto v) {
            for (int i = 0; i < shape<decltype(v)>::count; i++) {
                set_component<T, N>(r, n + i, to<T>(component(v, i)));
            }
            n += shape<decltype(v)>::count;
        };
        (put(a), ...);
    }
    return r;
}

template <class T, int N> struct packed_vec {
    T v[N];
    packed_vec() = default;
    MSL_F packed_vec(ext<T, N> x) { for (int i = 0; i < N; i++) v[i] = x[i]; }
    MSL_F explicit packed_vec(T x) { for (int i = 0; i < N; i++) v[i] = x; }
    MSL_F operator ext<T, N>() const {
        ext<T, N> r;
        for (int i = 0; i < N; i++) r[i] = v[i];
        return r;
    }
    MSL_F T operator[](int i) const { return v[i]; }
    MSL_F T& operator[](int i) { return v[i]; }
};

template <class T, int N> struct array {
    T elements[N];
    MSL_F const T& operator[](uint i) const { return elements[i]; }
    MSL_F T& operator[](uint i) { return elements[i]; }
    static constexpr int size() { return N; }
};

template <class T, class F> MSL_F T as_type(F v) {
    static_assert(sizeof(T) == sizeof(F), "as_type keeps the size");
    return __builtin_bit_cast(T, v);
}

template <class T> struct numeric_limits {
    static constexpr T max() {
        if constexpr (__is_same(T, float)) return FLT_MAX;
        else if constexpr (__is_same(T, half)) return HALF_MAX;
        else if constexpr (__is_unsigned(T)) return (T)~(T)0;
        else return (T)((((T)1 << (sizeof(T) * 8 - 2)) - 1) * 2 + 1);
    }
    static constexpr T lowest() {
        if constexpr (is_floating_point_v<T>) return -max();
        else return (T)(-max() - 1 + (__is_unsigned(T) ? 1 + max() : 0));
    }
    static constexpr T min() {
        if constexpr (__is_same(T, float)) return FLT_MIN;
        else if constexpr (__is_same(T, half)) return HALF_MIN;
        else return lowest();
    }
    static constexpr T infinity() { return (T)INFINITY; }
    static constexpr T quiet_NaN() { return (T)NAN; }
};

// Kernel parameters that are positions and sizes, from three components.
template <class T> MSL_F T position(uint x, uint y, uint z) {
    typedef typename shape<T>::element E;
    if constexpr (shape<T>::count == 1) return (T)x;
    else if constexpr (shape<T>::count == 2) return make<E, 2>((E)x, (E)y);
    else return make<E, 3>((E)x, (E)y, (E)z);
}

// Where a function is called.
struct site {
    uint line;
    const __constant char* file;
    static constexpr site here(uint line = __builtin_LINE(), const __constant char* file = __builtin_FILE()) {
        return site{line, file};
    }
};

}  // namespace metal

#define MSL_PACKED(T) \
    typedef metal::packed_vec<T, 2> packed_##T##2; \
    typedef metal::packed_vec<T, 3> packed_##T##3; \
    typedef metal::packed_vec<T, 4> packed_##T##4;
MSL_PACKED(char)
MSL_PACKED(uchar)
MSL_PACKED(short)
MSL_PACKED(ushort)
MSL_PACKED(int)
MSL_PACKED(uint)
MSL_PACKED(long)
MSL_PACKED(ulong)
MSL_PACKED(float)
MSL_PACKED(half)
MSL_PACKED(bfloat)
#undef MSL_PACKED
typedef metal::bool_vector<2> bool2;
typedef metal::bool_vector<3> bool3;
typedef metal::bool_vector<4> bool4;
using metal::as_type;

#define char2(...) metal::make<char, 2>(__VA_ARGS__)
#define char3(...) metal::make<char, 3>(__VA_ARGS__)
#define char4(...) metal::make<char, 4>(__VA_ARGS__)
#define uchar2(...) metal::make<uchar, 2>(__VA_ARGS__)
#define uchar3(...) metal::make<uchar, 3>(__VA_ARGS__)
#define uchar4(...) metal::make<uchar, 4>(__VA_ARGS__)
#define short2(...) metal::make<short, 2>(__VA_ARGS__)
#define short3(...) metal::make<short, 3>(__VA_ARGS__)
#define short4(...) metal::make<short, 4>(__VA_ARGS__)
#define ushort2(...) metal::make<ushort, 2>(__VA_ARGS__)
#define ushort3(...) metal::make<ushort, 3>(__VA_ARGS__)
#define ushort4(...) metal::make<ushort, 4>(__VA_ARGS__)
#define int2(...) metal::make<int, 2>(__VA_ARGS__)
#define int3(...) metal::make<int, 3>(__VA_ARGS__)
#define int4(...) metal::make<int, 4>(__VA_ARGS__)
#define uint2(...) metal::make<uint, 2>(__VA_ARGS__)
#define uint3(...) metal::make<uint, 3>(__VA_ARGS__)
#define uint4(...) metal::make<uint, 4>(__VA_ARGS__)
#define long2(...) metal::make<long, 2>(__VA_ARGS__)
#define long3(...) metal::make<long, 3>(__VA_ARGS__)
#define long4(...) metal::make<long, 4>(__VA_ARGS__)
#define ulong2(...) metal::make<ulong, 2>(__VA_ARGS__)
#define ulong3(...) metal::make<ulong, 3>(__VA_ARGS__)
#define ulong4(...) metal::make<ulong, 4>(__VA_ARGS__)
#define float2(...) metal::make<float, 2>(__VA_ARGS__)
#define float3(...) metal::make<float, 3>(__VA_ARGS__)
#define float4(...) metal::make<float, 4>(__VA_ARGS__)
#define half2(...) metal::make<half, 2>(__VA_ARGS__)
#define half3(...) metal::make<half, 3>(__VA_ARGS__)
#define half4(...) metal::make<half, 4>(__VA_ARGS__)
#define bfloat2(...) metal::make<bfloat, 2>(__VA_ARGS__)
#define bfloat3(...) metal::make<bfloat, 3>(__VA_ARGS__)
#define bfloat4(...) metal::make<bfloat, 4>(__VA_ARGS__)
#define bool2(...) metal::make<bool, 2>(__VA_ARGS__)
#define bool3(...) metal::make<bool, 3>(__VA_ARGS__)
#define bool4(...) metal::make<bool, 4>(__VA_ARGS__)
