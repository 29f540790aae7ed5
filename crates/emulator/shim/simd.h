// Barriers and the functions of simdgroups and quads. Every function that lanes execute together meets in `lanes`, where each lane
// leaves up to 16 bytes and finds those of the others.
namespace metal {

enum class mem_flags { mem_none = 0, mem_device = 1, mem_threadgroup = 2, mem_texture = 4 };
MSL_F constexpr mem_flags operator|(mem_flags a, mem_flags b) { return (mem_flags)((int)a | (int)b); }

MSL_F void threadgroup_barrier(mem_flags flags, site s = site::here()) { msl_barrier((uint)flags, s.line, s.file); }
MSL_F void simdgroup_barrier(mem_flags flags, site s = site::here()) { msl_simd_barrier((uint)flags, s.line, s.file); }

template <class T> constexpr bool in_simd =
    has_order<T> && sizeof(typename shape<T>::element) <= 4;
#define MSL_SIMD_TYPE(T) \
    static_assert(in_simd<T>, "functions of a simdgroup take 8, 16 and 32-bit integers, half, float and vectors of " \
        "them; pass bool and bfloat as ushort, 64-bit values as two uints")

#define MSL_SHUFFLE(name, ARGUMENT, SOURCE) \
    template <class T> MSL_F T simd_##name(T v, ushort n, site s = site::here()) { \
        MSL_SIMD_TYPE(T); \
        lanes<T> all(v, ARGUMENT, s, "simd_" #name); \
        uint lane = all.lane(); \
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
    return all[__builtin_ctz(all.mask())];
}
template <class T>
MSL_F T simd_shuffle_and_fill_down(T v, T fill, ushort n, ushort modulo = 32, site s = site::here()) {
    MSL_SIMD_TYPE(T);
    lanes<T> values(v, n, s, "simd_shuffle_and_fill_down"), fills(fill, modulo, s, "simd_shuffle_and_fill_down");
    uint at = values.lane() % modulo + n, base = values.lane() - values.lane() % modulo;
    if (at < modulo) return values.of(base + at, s, "simd_shuffle_and_fill_down");
    return fills.of(base + at - modulo, s, "simd_shuffle_and_fill_down");
}
template <class T>
MSL_F T simd_shuffle_and_fill_up(T v, T fill, ushort n, ushort modulo = 32, site s = site::here()) {
    MSL_SIMD_TYPE(T);
    lanes<T> values(v, n, s, "simd_shuffle_and_fill_up"), fills(fill, modulo, s, "simd_shuffle_and_fill_up");
    uint at = values.lane() % modulo, base = values.lane() - at;
    if (at >= n) return values.of(base + at - n, s, "simd_shuffle_and_fill_up");
    return fills.of(base + modulo + at - n, s, "simd_shuffle_and_fill_up");
}

// A reduction over the active lanes.
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
        return all.reduce(all.lane() & ~3u, 4, [](T a, T b) { return (T)(EXPRESSION); }); \
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

// The same over the lanes before this one, and this one if it is inclusive.
#define MSL_PREFIX(name, START, OWN, EXPRESSION) \
    template <class T> MSL_F T simd_prefix_##name(T v, site s = site::here()) { \
        MSL_SIMD_TYPE(T); \
        lanes<T> all(v, 0, s, "simd_prefix_" #name); \
        return all.fold(START, all.lane() + OWN, [](T a, T b) { return (T)(EXPRESSION); }); \
    }
MSL_PREFIX(exclusive_sum, (T)0, 0, a + b)
MSL_PREFIX(exclusive_product, (T)1, 0, a * b)
MSL_PREFIX(inclusive_sum, (T)0, 1, a + b)
MSL_PREFIX(inclusive_product, (T)1, 1, a * b)
#undef MSL_PREFIX

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
    return simd_vote((ulong)votes(b, s, "simd_ballot").holds);
}
MSL_F simd_vote simd_active_threads_mask(site s = site::here()) {
    return simd_vote((ulong)votes(true, s, "simd_active_threads_mask").mask);
}
MSL_F bool simd_all(bool b, site s = site::here()) { return votes(!b, s, "simd_all").holds == 0; }
MSL_F bool simd_any(bool b, site s = site::here()) { return votes(b, s, "simd_any").holds != 0; }
MSL_F bool simd_is_first(site s = site::here()) {
    lanes<uint> all(0, 0, s, "simd_is_first");
    return all.lane() == (uint)__builtin_ctz(all.mask());
}
MSL_F bool simd_is_helper_thread() { return false; }

// Quads are 4 lanes from a multiple of 4. They meet together with their simdgroup.
#define MSL_QUAD(name, ARGUMENT, SOURCE) \
    template <class T> MSL_F T quad_##name(T v, ushort n, site s = site::here()) { \
        MSL_SIMD_TYPE(T); \
        lanes<T> all(v, ARGUMENT, s, "quad_" #name); \
        uint base = all.lane() & ~3u, lane = all.lane() & 3; \
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
    vote v = votes(b, s, name);
    return v.holds >> (v.lane & ~3u) & 15;
}
MSL_F quad_vote quad_ballot(bool b, site s = site::here()) {
    return quad_vote((ulong)quad_votes(b, s, "quad_ballot"));
}
MSL_F bool quad_any(bool b, site s = site::here()) { return quad_votes(b, s, "quad_any") != 0; }
MSL_F bool quad_all(bool b, site s = site::here()) { return quad_votes(!b, s, "quad_all") == 0; }

}  // namespace metal
