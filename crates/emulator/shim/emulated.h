// What the emulator does for kernels: calls that `hooks.c` passes on to it.
// Neither copied nor merged: threads that wait at different places are divergent.
#define MSL_TOGETHER __attribute__((convergent, noduplicate, nomerge))
extern "C" {
struct msl_exchange {
    const char* slots;  // 16 bytes of each lane
    uint mask;          // lanes that take part
    uint lane;          // this one
};
// `argument` must be the same in all lanes.
MSL_TOGETHER msl_exchange msl_simd(
    const void* in, uint size, uint argument, uint line, const __constant char* file, const __constant char* name);
MSL_TOGETHER void msl_barrier(uint flags, uint line, const __constant char* file);
MSL_TOGETHER void msl_simd_barrier(uint flags, uint line, const __constant char* file);
// Reports the use of a lane that does not take part.
void msl_bad_lane(uint lane, uint line, const __constant char* file, const __constant char* name);
void* msl_threadgroup(uint id);
uint msl_lane();
void msl_reached_end();
void* msl_threadgroup_argument(uint index);
uint msl_atomic_32(void* p, uint value, uint operation);
uint msl_atomic_exchange_if_32(void* p, uint expected, uint value);
void msl_atomic_64(void* p, ulong value, uint operation);
void msl_fence(void);
}

// A threadgroup variable of type `msl_type_N`. Its extent lies in a section of its own, where the loader finds it.
#define MSL_THREADGROUP(N, name) \
    static const __global uint msl_extent_##N[3] __attribute__((used, section("msl_tg"))) = { \
        N, sizeof(msl_type_##N), alignof(msl_type_##N)}; \
    threadgroup msl_type_##N& name = *(threadgroup msl_type_##N*)msl_threadgroup(N);

// ---- functions of the C library, under names of our own: clang computes the others itself where operands are constants.
extern "C" {
float msl_acosf(float);
float msl_acoshf(float);
float msl_asinf(float);
float msl_asinhf(float);
float msl_atanf(float);
float msl_atanhf(float);
float msl_atan2f(float, float);
float msl_cosf(float);
float msl_coshf(float);
float msl_expf(float);
float msl_exp2f(float);
float msl_exp10f(float);
float msl_logf(float);
float msl_log2f(float);
float msl_log10f(float);
float msl_powf(float, float);
float msl_sinf(float);
float msl_sinhf(float);
float msl_tanf(float);
float msl_tanhf(float);
float msl_fmodf(float, float);
float msl_frexpf(float, int*);
}
MSL_F float msl_rsqrtf(float x) { return 1.0f / __builtin_sqrtf(x); }

// `fast::` functions are as far off as the specification allows, so that a kernel that needs more shows it: a few units in the
// last place, and 2^-13 for sine and cosine.
MSL_F float msl_coarse(float x) {
    uint bits = __builtin_bit_cast(uint, x);
    return (bits & 0x7f800000) == 0x7f800000 ? x : __builtin_bit_cast(float, bits & ~3u);
}
MSL_F float msl_coarser(float x) { return __builtin_rintf(x * 4096.0f) / 4096.0f; }
#define MSL_FAST(name, rounded) MSL_F float msl_fast_##name(float x) { return rounded(msl_##name(x)); }
MSL_FAST(acosf, msl_coarse)
MSL_FAST(asinf, msl_coarse)
MSL_FAST(atanf, msl_coarse)
MSL_FAST(cosf, msl_coarser)
MSL_FAST(coshf, msl_coarse)
MSL_FAST(expf, msl_coarse)
MSL_FAST(exp2f, msl_coarse)
MSL_FAST(exp10f, msl_coarse)
MSL_FAST(logf, msl_coarse)
MSL_FAST(log2f, msl_coarse)
MSL_FAST(log10f, msl_coarse)
MSL_FAST(rsqrtf, msl_coarse)
MSL_FAST(sinf, msl_coarser)
MSL_FAST(sinhf, msl_coarse)
MSL_FAST(tanf, msl_coarse)
MSL_FAST(tanhf, msl_coarse)
#undef MSL_FAST
MSL_F float msl_fast_powf(float x, float y) { return msl_coarse(msl_powf(x, y)); }
MSL_F float msl_fast_divide(float x, float y) { return msl_coarse(x / y); }
// Which operand they give if one is NaN is not defined.
MSL_F float msl_fast_max(float x, float y) { return x < y ? y : x; }
MSL_F float msl_fast_min(float x, float y) { return y < x ? y : x; }

namespace metal {

// The values of all lanes.
template <class T> struct lanes {
    msl_exchange e;
    MSL_F lanes(T v, uint argument, site s, const __constant char* name) {
        e = msl_simd(&v, sizeof(T), argument, s.line, s.file, name);
    }
    MSL_F uint lane() const { return e.lane; }
    MSL_F uint mask() const { return e.mask; }
    MSL_F bool active(uint i) const { return i < 32 && (e.mask >> i & 1); }
    MSL_F T operator[](uint i) const {
        T r;
        __builtin_memcpy(&r, e.slots + i * 16, sizeof(T));
        return r;
    }
    MSL_F T of(uint i, site s, const __constant char* name) const {
        if (active(i)) return (*this)[i];
        msl_bad_lane(i, s.line, s.file, name);
        return (*this)[e.lane];
    }
    // In pairs, as a tree: the order does not depend on which lanes are active.
    template <class F> MSL_F T reduce(uint from, uint count, F f) const {
        T a[32];
        bool full[32];
        for (uint i = 0; i < count; i++) {
            full[i] = active(from + i);
            if (full[i]) a[i] = (*this)[from + i];
        }
        for (uint d = 1; d < count; d *= 2) {
            for (uint i = 0; i + d < count; i += 2 * d) {
                if (full[i] && full[i + d]) a[i] = f(a[i], a[i + d]);
                else if (full[i + d]) { a[i] = a[i + d]; full[i] = true; }
            }
        }
        return a[0];
    }
    // One after the other, those of the lanes before `end`.
    template <class F> MSL_F T fold(T start, uint end, F f) const {
        for (uint i = 0; i < end; i++) {
            if (active(i)) start = f(start, (*this)[i]);
        }
        return start;
    }
};

// The lanes of which a condition holds, those that take part, and this one.
struct vote { uint holds, mask, lane; };
MSL_F vote votes(bool b, site s, const __constant char* name) {
    lanes<uint> all(b, 0, s, name);
    uint holds = 0;
    for (uint i = 0; i < 32; i++) {
        if (all.active(i) && all[i]) holds |= 1u << i;
    }
    return vote{holds, all.mask(), all.lane()};
}

// The lane. Checked kernels meet, as all lanes have to come here.
MSL_F uint meet(site s, const __constant char* name) {
#if MSL_CHECKED
    return lanes<uint>(0, 0, s, name).lane();
#else
    return msl_lane();
#endif
}

// ---- where the elements of a matrix are: the places that Apple's GPUs were seen to use
// The row and first column of a lane.
MSL_F constexpr uint matrix_row(uint lane) { return (lane >> 2 & 4) | (lane >> 1 & 3); }
MSL_F constexpr uint matrix_column(uint lane) { return (lane >> 1 & 4) | (lane & 1) << 1; }
// The lane that holds an element.
MSL_F constexpr uint matrix_lane(uint row, uint column) {
    return (row & 4) << 2 | (column & 4) << 1 | (row & 3) << 1 | (column >> 1 & 1);
}
// There is no unit of its own for products, and accesses are checked element by element.
template <class A, class B> constexpr bool has_matrix_unit = false;
constexpr bool reads_pairs = false;

}  // namespace metal
