#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

struct Shape {
    uint m, n, k;
};
constant constexpr uint BM = 32, BN = 32, BK = 16;

// c = a b, half to float, in tiles of 32 x 32: 4 simdgroups with 16 x 16 each.
kernel void matmul(device const half* a [[buffer(0)]],
                   device const half* b [[buffer(1)]],
                   device float* c [[buffer(2)]],
                   constant Shape& s [[buffer(3)]],
                   uint2 group [[threadgroup_position_in_grid]],
                   uint tid [[thread_index_in_threadgroup]],
                   uint sg [[simdgroup_index_in_threadgroup]]) {
    threadgroup half as[BM * BK];
    threadgroup half bs[BK * BN];
    simdgroup_float8x8 acc[2][2];
    for (uint i = 0; i < 2; ++i)
        for (uint j = 0; j < 2; ++j) acc[i][j] = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
    uint r0 = group.y * BM, c0 = group.x * BN, sr = (sg / 2) * 16, sc = (sg % 2) * 16;
    for (uint k0 = 0; k0 < s.k; k0 += BK) {
        for (uint i = tid; i < BM * BK; i += 128) {
            uint r = r0 + i / BK, k = k0 + i % BK;
            as[i] = (r < s.m && k < s.k) ? a[r * s.k + k] : half(0);
        }
        for (uint i = tid; i < BK * BN; i += 128) {
            uint k = k0 + i / BN, n = c0 + i % BN;
            bs[i] = (k < s.k && n < s.n) ? b[k * s.n + n] : half(0);
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint kk = 0; kk < BK; kk += 8) {
            simdgroup_half8x8 x[2], y[2];
            for (uint i = 0; i < 2; ++i) simdgroup_load(x[i], as + (sr + 8 * i) * BK + kk, BK);
            for (uint j = 0; j < 2; ++j) simdgroup_load(y[j], bs + kk * BN + sc + 8 * j, BN);
            for (uint i = 0; i < 2; ++i)
                for (uint j = 0; j < 2; ++j) simdgroup_multiply_accumulate(acc[i][j], x[i], y[j], acc[i][j]);
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    for (uint i = 0; i < 2; ++i)
        for (uint j = 0; j < 2; ++j)
            simdgroup_store(acc[i][j], c + (r0 + sr + 8 * i) * s.n + c0 + sc + 8 * j, s.n);
}
