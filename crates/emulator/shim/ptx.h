// What kernels find on an NVIDIA GPU, where generated texts are measured: a simdgroup is a warp. Functions that are not here,
// such as those of threadgroup memory given as an argument, stay undefined, and `clang::ptx` refuses a text that uses them.
extern "C" {
void* msl_threadgroup_argument(uint index);
float msl_acosf(float);
float msl_acoshf(float);
float msl_asinf(float);
float msl_asinhf(float);
float msl_atanf(float);
float msl_atanhf(float);
float msl_atan2f(float, float);
float msl_coshf(float);
float msl_fmodf(float, float);
float msl_frexpf(float, int*);
float msl_sinhf(float);
float msl_tanf(float);
void msl_atomic_64(void* p, ulong value, uint operation);
}

// A threadgroup variable of type `msl_type_N`: in shared memory, which OpenCL allows in its own kernels only.
#define MSL_THREADGROUP(N, name) \
    ulong msl_memory_##N; \
    __asm__(".shared .align 16 .b8 msl_shared_" #N "[%1];\n\tmov.u64 %0, msl_shared_" #N ";" \
        : "=l"(msl_memory_##N) : "n"(sizeof(msl_type_##N))); \
    __builtin_assume(msl_memory_##N % 16 == 0); \
    threadgroup msl_type_##N& name = *(threadgroup msl_type_##N*)msl_memory_##N;

MSL_F void msl_reached_end() {}
MSL_F uint msl_lane() { return __nvvm_read_ptx_sreg_laneid(); }
MSL_F void msl_barrier(uint, uint, const __constant char*) { __syncthreads(); }
MSL_F void msl_simd_barrier(uint, uint, const __constant char*) { __nvvm_bar_warp_sync(~0u); }

// ---- functions, from the unit's approximations
MSL_F float msl_exp2f(float x) { return __nvvm_ex2_approx_f(x); }
MSL_F float msl_expf(float x) {
    // What the product with log2 e loses is put back as a factor; it is NaN for infinities, whose power needs none.
    float high = x * 1.44269502f;
    float low = __builtin_fmaf(x, 1.92596303e-8f, __builtin_fmaf(x, 1.44269502f, -high));
    return __nvvm_ex2_approx_f(high) * __builtin_fmaf(__builtin_fmaxf(low, -1.0f), 0.693147181f, 1.0f);
}
MSL_F float msl_exp10f(float x) { return msl_exp2f(x * 3.32192809f); }
MSL_F float msl_log2f(float x) { return __nvvm_lg2_approx_f(x); }
MSL_F float msl_logf(float x) { return msl_log2f(x) * 0.693147181f; }
MSL_F float msl_log10f(float x) { return msl_log2f(x) * 0.301029996f; }
MSL_F float msl_powf(float x, float y) { return msl_exp2f(y * msl_log2f(x)); }
MSL_F float msl_sinf(float x) { return __nvvm_sin_approx_f(x); }
MSL_F float msl_cosf(float x) { return __nvvm_cos_approx_f(x); }
MSL_F float msl_tanhf(float x) {
    float power = msl_expf(-2.0f * __builtin_fabsf(x));
    float large = (1.0f - power) / (1.0f + power);
    float square = x * x;
    float small = x * __builtin_fmaf(square, __builtin_fmaf(square, 0.133333333f, -0.333333333f), 1.0f);
    return __builtin_fabsf(x) < 0.1f ? small : __builtin_copysignf(large, x);
}
MSL_F float msl_rsqrtf(float x) { return __nvvm_rsqrt_approx_f(x); }
#define MSL_FAST(name, expression) MSL_F float msl_fast_##name(float x) { return expression; }
MSL_FAST(acosf, msl_acosf(x))
MSL_FAST(asinf, msl_asinf(x))
MSL_FAST(atanf, msl_atanf(x))
MSL_FAST(cosf, __nvvm_cos_approx_f(x))
MSL_FAST(coshf, msl_coshf(x))
MSL_FAST(expf, __nvvm_ex2_approx_f(x * 1.44269504f))
MSL_FAST(exp2f, __nvvm_ex2_approx_f(x))
MSL_FAST(exp10f, __nvvm_ex2_approx_f(x * 3.32192809f))
MSL_FAST(logf, __nvvm_lg2_approx_f(x) * 0.693147181f)
MSL_FAST(log2f, __nvvm_lg2_approx_f(x))
MSL_FAST(log10f, __nvvm_lg2_approx_f(x) * 0.301029996f)
MSL_FAST(rsqrtf, __nvvm_rsqrt_approx_f(x))
MSL_FAST(sinf, __nvvm_sin_approx_f(x))
MSL_FAST(sinhf, msl_sinhf(x))
MSL_FAST(tanf, msl_tanf(x))
MSL_FAST(tanhf, msl_tanhf(x))
#undef MSL_FAST
MSL_F float msl_fast_powf(float x, float y) { return __nvvm_ex2_approx_f(y * __nvvm_lg2_approx_f(x)); }
MSL_F float msl_fast_divide(float x, float y) { return __nvvm_div_approx_f(x, y); }
MSL_F float msl_fast_max(float x, float y) { return x < y ? y : x; }
MSL_F float msl_fast_min(float x, float y) { return y < x ? y : x; }

// ---- atomics, relaxed, of the whole GPU
#define MSL_ATOMIC(f, ...) __scoped_atomic_##f(__VA_ARGS__, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)
MSL_F void msl_fence(void) { __nvvm_membar_gl(); }
MSL_F uint msl_atomic_exchange_if_32(void* p, uint expected, uint v) {
    __scoped_atomic_compare_exchange_n(
        (uint*)p, &expected, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
    return expected;
}
MSL_F uint msl_atomic_32(void* p, uint v, uint operation) {
    uint* at = (uint*)p;
    switch (operation) {
    case msl_load: return MSL_ATOMIC(load_n, at);
    case msl_store: MSL_ATOMIC(store_n, at, v); return 0;
    case msl_exchange_op: return MSL_ATOMIC(exchange_n, at, v);
    case msl_add: return MSL_ATOMIC(fetch_add, at, v);
    case msl_sub: return MSL_ATOMIC(fetch_sub, at, v);
    case msl_and: return MSL_ATOMIC(fetch_and, at, v);
    case msl_or: return MSL_ATOMIC(fetch_or, at, v);
    case msl_xor: return MSL_ATOMIC(fetch_xor, at, v);
    case msl_min_int: return (uint)MSL_ATOMIC(fetch_min, (int*)at, (int)v);
    case msl_max_int: return (uint)MSL_ATOMIC(fetch_max, (int*)at, (int)v);
    case msl_min_uint: return MSL_ATOMIC(fetch_min, at, v);
    case msl_max_uint: return MSL_ATOMIC(fetch_max, at, v);
    }
    float by = __builtin_bit_cast(float, v);
    return __builtin_bit_cast(uint, MSL_ATOMIC(fetch_add, (float*)at, operation == msl_add_float ? by : -by));
}
#undef MSL_ATOMIC

namespace metal {

// The values of all lanes. All of a warp come here together: the emulator refuses what does not.
template <class T> struct lanes {
    T v;
    MSL_F lanes(T v, uint, site, const __constant char*) : v(v) {}
    MSL_F uint lane() const { return msl_lane(); }
    MSL_F uint mask() const { return ~0u; }
    MSL_F bool active(uint i) const { return i < 32; }
    MSL_F static T read(T v, uint i) {
        constexpr int words = (sizeof(T) + 3) / 4;
        int word[words] = {};
        __builtin_memcpy(word, &v, sizeof(T));
        for (int k = 0; k < words; k++) word[k] = __nvvm_shfl_sync_idx_i32(~0u, word[k], i, 31);
        __builtin_memcpy(&v, word, sizeof(T));
        return v;
    }
    MSL_F T operator[](uint i) const { return read(v, i); }
    MSL_F T of(uint i, site, const __constant char*) const { return read(v, i); }
    template <class F> MSL_F T reduce(uint, uint count, F f) const {
        T r = v;
        for (uint d = 1; d < count; d *= 2) r = f(r, read(r, msl_lane() ^ d));
        return r;
    }
    template <class F> MSL_F T fold(T start, uint end, F f) const {
        for (uint i = 0; i < 32; i++) {
            T next = f(start, read(v, i));
            start = i < end ? next : start;
        }
        return start;
    }
};

struct vote { uint holds, mask, lane; };
MSL_F vote votes(bool b, site, const __constant char*) {
    return vote{(uint)__nvvm_vote_ballot_sync(~0u, b), ~0u, msl_lane()};
}
MSL_F uint meet(site, const __constant char*) { return msl_lane(); }

// ---- where the elements of a matrix are: as `mma` has those of its left operand and its result
MSL_F constexpr uint matrix_row(uint lane) { return lane >> 2; }
MSL_F constexpr uint matrix_column(uint lane) { return (lane & 3) << 1; }
MSL_F constexpr uint matrix_lane(uint row, uint column) { return row << 2 | column >> 1; }
constexpr bool reads_pairs = true;

template <class A, class B> constexpr bool has_matrix_unit = __is_same(A, B) && sizeof(A) == 2;
// a b + c on the unit for 16×8×8, whose lower 8 rows are left empty. It takes the right operand transposed.
template <class T> MSL_F float2 matrix_unit(ext<T, 2> a, ext<T, 2> b, float2 c) {
    uint left = __builtin_bit_cast(uint, a), right = __builtin_bit_cast(uint, b), zero = 0;
    float2 d;
    float none = 0.0f, d2, d3, d0, d1;
    __asm__("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(right));
    if constexpr (__is_same(T, half)) {
        __asm__("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"
            : "=f"(d0), "=f"(d1), "=f"(d2), "=f"(d3)
            : "r"(left), "r"(zero), "r"(right), "f"(c[0]), "f"(c[1]), "f"(none), "f"(none));
    } else {
        __asm__("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"
            : "=f"(d0), "=f"(d1), "=f"(d2), "=f"(d3)
            : "r"(left), "r"(zero), "r"(right), "f"(c[0]), "f"(c[1]), "f"(none), "f"(none));
    }
    d[0] = d0;
    d[1] = d1;
    return d;
}

}  // namespace metal
