// Barriers and the functions of simdgroups and quads. Every function that lanes execute together meets in `msl_simd`, where each
// lane leaves up to 16 bytes and finds those of the others.
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
}

namespace metal {

// Where a function is called.
struct site {
    uint line;
    const __constant char* file;
    static constexpr site here(uint line = __builtin_LINE(), const __constant char* file = __builtin_FILE()) {
        return site{line, file};
    }
};

enum class mem_flags { mem_none = 0, mem_device = 1, mem_threadgroup = 2, mem_texture = 4 };
MSL_F constexpr mem_flags operator|(mem_flags a, mem_flags b) { return (mem_flags)((int)a | (int)b); }

MSL_F void threadgroup_barrier(mem_flags flags, site s = site::here()) { msl_barrier((uint)flags, s.line, s.file); }
MSL_F void simdgroup_barrier(mem_flags flags, site s = site::here()) { msl_simd_barrier((uint)flags, s.line, s.file); }

template <class T> constexpr bool in_simd =
    has_order<T> && sizeof(typename shape<T>::element) <= 4;
#define MSL_SIMD_TYPE(T) \
    static_assert(in_simd<T>, "functions of a simdgroup take 8, 16 and 32-bit integers, half, float and vectors of " \
        "them; pass bool and bfloat as ushort, 64-bit values as two uints")

// The values of all lanes.
template <class T> struct lanes {
    msl_exchange e;
    MSL_F lanes(T v, uint argument, site s, const __constant char* name) {
        e = msl_simd(&v, sizeof(T), argument, s.line, s.file, name);
    }
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
};

#define MSL_SHUFFLE(name, ARGUMENT, SOURCE) \
    template <class T> MSL_F T simd_##name(T v, ushort n, site s = site::here()) { \
        MSL_SIMD_TYPE(T); \
        lanes<T> all(v, ARGUMENT, s, "simd_" #name); \
        uint lane = all.e.lane; \
        return all.of(SOURCE, s, "simd_" #name); \
    }
// A lane may read any other in `simd_shuffle`; the other functions take one number for all lanes.
MSL_SHUFFLE(shuffle, ~0u, n)
MSL_SHUFFLE(broadcast, n, n)
MSL_SHUFFLE(shuffle_xor, n, lane ^ n)
MSL_SHUFFLE(shuffle_rotate_down, n, (lane + n) % 32)
MSL_SHUFFLE(shuffle_rotate_up, n, (lane + 32 - n % 32) % 32)
// The lanes at the end keep their values: there is no wrap.
MSL_SHUFFLE(shuffle_down, n, lane + n < 32 ? lane + n : lane)
MSL_SHUFFLE(shuffle_up, n, lane >= n ? lane - n : lane)
#undef MSL_SHUFFLE

template <class T> MSL_F T simd_broadcast_first(T v, site s = site::here()) {
    MSL_SIMD_TYPE(T);
    lanes<T> all(v, 0, s, "simd_broadcast_first");
    return all[__builtin_ctz(all.e.mask)];
}
template <class T>
MSL_F T simd_shuffle_and_fill_down(T v, T fill, ushort n, ushort modulo = 32, site s = site::here()) {
    MSL_SIMD_TYPE(T);
    lanes<T> values(v, n, s, "simd_shuffle_and_fill_down"), fills(fill, modulo, s, "simd_shuffle_and_fill_down");
    uint at = values.e.lane % modulo + n, base = values.e.lane - values.e.lane % modulo;
    if (at < modulo) return values.of(base + at, s, "simd_shuffle_and_fill_down");
    return fills.of(base + at - modulo, s, "simd_shuffle_and_fill_down");
}
template <class T>
MSL_F T simd_shuffle_and_fill_up(T v, T fill, ushort n, ushort modulo = 32, site s = site::here()) {
    MSL_SIMD_TYPE(T);
    lanes<T> values(v, n, s, "simd_shuffle_and_fill_up"), fills(fill, modulo, s, "simd_shuffle_and_fill_up");
    uint at = values.e.lane % modulo, base = values.e.lane - at;
    if (at >= n) return values.of(base + at - n, s, "simd_shuffle_and_fill_up");
    return fills.of(base + modulo + at - n, s, "simd_shuffle_and_fill_up");
}

// A reduction over the active lanes, and the same over the lanes before this one.
#define MSL_FOLD(name, CHECK, EXPRESSION) \
    template <class T> MSL_F T simd_##name(T v, site s = site::here()) { \
        MSL_SIMD_TYPE(T); \
        CHECK; \
        return lanes<T>(v, 0, s, "simd_" #name).reduce(0, 32, [](T a, T b) { return (T)(EXPRESSION); }); \
    } \
    template <class T> MSL_F T quad_##name(T v, site s = site::here()) { \
        MSL_SIMD_TYPE(T); \
        CHECK; \
        lanes<T> all(v, 0, s, "quad_" #name); \
        return all.reduce(all.e.lane & ~3u, 4, [](T a, T b) { return (T)(EXPRESSION); }); \
    }
#define MSL_INTEGER static_assert(has_integers<T>, "bitwise functions of a simdgroup take integers")
MSL_FOLD(sum, , a + b)
MSL_FOLD(product, , a * b)
MSL_FOLD(max, , metal::max(a, b))
MSL_FOLD(min, , metal::min(a, b))
MSL_FOLD(and, MSL_INTEGER, a & b)
MSL_FOLD(or, MSL_INTEGER, a | b)
MSL_FOLD(xor, MSL_INTEGER, a ^ b)
#undef MSL_FOLD
#undef MSL_INTEGER

#define MSL_PREFIX(name, START, EXPRESSION) \
    template <class T> MSL_F T simd_prefix_##name(T v, site s = site::here()) { \
        MSL_SIMD_TYPE(T); \
        lanes<T> all(v, 0, s, "simd_prefix_" #name); \
        T a = START; \
        for (uint i = 0; i < all.e.lane; i++) { \
            if (all.active(i)) { T b = all[i]; a = (T)(EXPRESSION); } \
        } \
        return a; \
    }
#define MSL_INCLUSIVE(name, START, EXPRESSION) \
    template <class T> MSL_F T simd_prefix_##name(T v, site s = site::here()) { \
        MSL_SIMD_TYPE(T); \
        lanes<T> all(v, 0, s, "simd_prefix_" #name); \
        T a = START; \
        for (uint i = 0; i <= all.e.lane; i++) { \
            if (all.active(i)) { T b = all[i]; a = (T)(EXPRESSION); } \
        } \
        return a; \
    }
MSL_PREFIX(exclusive_sum, (T)0, a + b)
MSL_PREFIX(exclusive_product, (T)1, a * b)
MSL_INCLUSIVE(inclusive_sum, (T)0, a + b)
MSL_INCLUSIVE(inclusive_product, (T)1, a * b)
#undef MSL_PREFIX
#undef MSL_INCLUSIVE

// The lanes of which a condition holds.
MSL_F uint votes(bool b, site s, const __constant char* name, thread uint& mask) {
    lanes<uint> all(b, 0, s, name);
    uint r = 0;
    for (uint i = 0; i < 32; i++) {
        if (all.active(i) && all[i]) r |= 1u << i;
    }
    mask = all.e.mask;
    return r;
}
class simd_vote {
    ulong v;
  public:
    typedef ulong vote_t;
    explicit constexpr simd_vote(vote_t bits = 0) : v(bits) {}
    MSL_F explicit operator vote_t() const { return v; }
    MSL_F bool all() const { return (uint)v == ~0u; }
    MSL_F bool any() const { return v != 0; }
};
MSL_F simd_vote simd_ballot(bool b, site s = site::here()) {
    uint mask;
    return simd_vote((ulong)votes(b, s, "simd_ballot", mask));
}
MSL_F simd_vote simd_active_threads_mask(site s = site::here()) {
    uint mask;
    votes(true, s, "simd_active_threads_mask", mask);
    return simd_vote((ulong)mask);
}
MSL_F bool simd_all(bool b, site s = site::here()) {
    uint mask, v = votes(b, s, "simd_all", mask);
    return v == mask;
}
MSL_F bool simd_any(bool b, site s = site::here()) {
    uint mask;
    return votes(b, s, "simd_any", mask) != 0;
}
MSL_F bool simd_is_first(site s = site::here()) {
    lanes<uint> all(0, 0, s, "simd_is_first");
    return all.e.lane == (uint)__builtin_ctz(all.e.mask);
}
MSL_F bool simd_is_helper_thread() { return false; }

// Quads are 4 lanes from a multiple of 4. They meet together with their simdgroup.
#define MSL_QUAD(name, ARGUMENT, SOURCE) \
    template <class T> MSL_F T quad_##name(T v, ushort n, site s = site::here()) { \
        MSL_SIMD_TYPE(T); \
        lanes<T> all(v, ARGUMENT, s, "quad_" #name); \
        uint base = all.e.lane & ~3u, lane = all.e.lane & 3; \
        uint source = SOURCE; \
        return all.of(source < 4 ? base + source : ~0u, s, "quad_" #name); \
    }
MSL_QUAD(shuffle, ~0u, n)
MSL_QUAD(broadcast, n, n)
MSL_QUAD(shuffle_xor, n, lane ^ n)
MSL_QUAD(shuffle_down, n, lane + n < 4 ? lane + n : lane)
MSL_QUAD(shuffle_up, n, lane >= n ? lane - n : lane)
MSL_QUAD(shuffle_rotate_down, n, (lane + n) % 4)
MSL_QUAD(shuffle_rotate_up, n, (lane + 4 - n % 4) % 4)
#undef MSL_QUAD
class quad_vote {
    ulong v;
  public:
    typedef ulong vote_t;
    explicit constexpr quad_vote(vote_t bits = 0) : v(bits) {}
    MSL_F explicit operator vote_t() const { return v; }
    MSL_F bool all() const { return (v & 15) == 15; }
    MSL_F bool any() const { return v != 0; }
};
MSL_F uint quad_votes(bool b, site s, const __constant char* name) {
    lanes<uint> all(b, 0, s, name);
    uint r = 0, base = all.e.lane & ~3u;
    for (uint i = 0; i < 4; i++) {
        if (all.active(base + i) && all[base + i]) r |= 1u << i;
    }
    return r;
}
MSL_F quad_vote quad_ballot(bool b, site s = site::here()) {
    return quad_vote((ulong)quad_votes(b, s, "quad_ballot"));
}
MSL_F bool quad_any(bool b, site s = site::here()) { return quad_votes(b, s, "quad_any") != 0; }
MSL_F bool quad_all(bool b, site s = site::here()) { return quad_votes(!b, s, "quad_all") == 0; }

}  // namespace metal
