// 8x8 matrices of a simdgroup. Each lane holds two neighbours of a row; `matrix_row` and `matrix_column` say which.
namespace metal {

template <class T, int C, int R> struct simdgroup_matrix {
    static_assert(C == 8 && R == 8, "matrices of a simdgroup are 8x8");
    static_assert(__is_same(T, float) || __is_same(T, half) || __is_same(T, bfloat),
        "matrices of a simdgroup have elements of half, bfloat or float");
    ext<T, 2> e;
    simdgroup_matrix() = default;
    MSL_F explicit simdgroup_matrix(T diagonal, site s = site::here());
    MSL_F thread ext<T, 2>& thread_elements() __private { return e; }
};
typedef simdgroup_matrix<float, 8, 8> simdgroup_float8x8;
typedef simdgroup_matrix<half, 8, 8> simdgroup_half8x8;
typedef simdgroup_matrix<bfloat, 8, 8> simdgroup_bfloat8x8;

template <class T, int C, int R> MSL_F simdgroup_matrix<T, C, R>::simdgroup_matrix(T diagonal, site s) {
    uint lane = meet(s, "simdgroup_matrix"), row = matrix_row(lane), column = matrix_column(lane);
    e[0] = row == column ? diagonal : (T)0;
    e[1] = row == column + 1 ? diagonal : (T)0;
}
template <class T, int C = 8, int R = 8> MSL_F simdgroup_matrix<T, C, R> make_filled_simdgroup_matrix(T v) {
    simdgroup_matrix<T, C, R> m;
    m.e[0] = v;
    m.e[1] = v;
    return m;
}
template <class T, int C = 8, int R = 8>
MSL_F simdgroup_matrix<T, C, R> make_diagonal_simdgroup_matrix(T v, site s = site::here()) {
    return simdgroup_matrix<T, C, R>(v, s);
}

// Whether all pairs of a matrix can be read at once.
template <class T> MSL_F bool has_pairs(ulong p, ulong stride, bool transpose) {
    return reads_pairs && !transpose && (p | stride * sizeof(T)) % (2 * sizeof(T)) == 0;
}
#define MSL_MATRIX_MEMORY(AS) \
    template <class T> MSL_F void simdgroup_load(thread simdgroup_matrix<T, 8, 8>& m, const AS T* p, ulong stride = 8, \
        ulong2 origin = ulong2(0ul), bool transpose = false, site s = site::here()) { \
        uint lane = meet(s, "simdgroup_load"), row = matrix_row(lane), column = matrix_column(lane); \
        p += origin.y * stride + origin.x; \
        if (has_pairs<T>((ulong)p, stride, transpose)) { \
            m.e = *(const AS ext<T, 2>*)(p + row * stride + column); \
            return; \
        } \
        m.e[0] = transpose ? p[column * stride + row] : p[row * stride + column]; \
        m.e[1] = transpose ? p[(column + 1) * stride + row] : p[row * stride + column + 1]; \
    } \
    template <class T> MSL_F void simdgroup_store(simdgroup_matrix<T, 8, 8> m, AS T* p, ulong stride = 8, \
        ulong2 origin = ulong2(0ul), bool transpose = false, site s = site::here()) { \
        uint lane = meet(s, "simdgroup_store"), row = matrix_row(lane), column = matrix_column(lane); \
        p += origin.y * stride + origin.x; \
        if (has_pairs<T>((ulong)p, stride, transpose)) { \
            *(AS ext<T, 2>*)(p + row * stride + column) = m.e; \
            return; \
        } \
        p[transpose ? column * stride + row : row * stride + column] = m.e[0]; \
        p[transpose ? (column + 1) * stride + row : row * stride + column + 1] = m.e[1]; \
    }
MSL_MATRIX_MEMORY(device)
MSL_MATRIX_MEMORY(threadgroup)
#undef MSL_MATRIX_MEMORY

// d = a b + c in float, one fused multiply and add after the other.
template <class D, class A, class B, class C>
MSL_F void simdgroup_multiply_accumulate(thread simdgroup_matrix<D, 8, 8>& d, simdgroup_matrix<A, 8, 8> a,
    simdgroup_matrix<B, 8, 8> b, simdgroup_matrix<C, 8, 8> c, site s = site::here()) {
    float2 sum = float2((float)c.e[0], (float)c.e[1]);
    if constexpr (has_matrix_unit<A, B>) {
        sum = matrix_unit(a.e, b.e, sum);
    } else {
        float4 own = float4((float)a.e[0], (float)a.e[1], (float)b.e[0], (float)b.e[1]);
        lanes<float4> all(own, 0, s, "simdgroup_multiply_accumulate");
        uint row = matrix_row(all.lane()), column = matrix_column(all.lane());
        for (uint k = 0; k < 8; k++) {
            float4 left = all[matrix_lane(row, k)], right = all[matrix_lane(k, column)];
            float factor = left[k & 1];
            sum = float2(__builtin_fmaf(factor, right[2], sum[0]), __builtin_fmaf(factor, right[3], sum[1]));
        }
    }
    d.e[0] = (D)sum[0];
    d.e[1] = (D)sum[1];
}
template <class D, class A, class B>
MSL_F void simdgroup_multiply(thread simdgroup_matrix<D, 8, 8>& d, simdgroup_matrix<A, 8, 8> a,
    simdgroup_matrix<B, 8, 8> b, site s = site::here()) {
    simdgroup_multiply_accumulate(d, a, b, make_filled_simdgroup_matrix<float, 8, 8>(0.0f), s);
}
template <class T>
MSL_F simdgroup_matrix<T, 8, 8> operator*(simdgroup_matrix<T, 8, 8> a, simdgroup_matrix<T, 8, 8> b) {
    simdgroup_matrix<T, 8, 8> d;
    simdgroup_multiply(d, a, b);
    return d;
}

}  // namespace metal

#define double struct msl_no_double
