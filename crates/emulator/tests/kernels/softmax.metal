#include <metal_stdlib>
using namespace metal;

template <typename T>
METAL_FUNC T block_max(T v, threadgroup T* scratch, uint lane, uint sg, uint nsg) {
    v = simd_max(v);
    if (lane == 0) scratch[sg] = v;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    T r = simd_max(lane < nsg ? scratch[lane] : T(-INFINITY));
    threadgroup_barrier(mem_flags::mem_threadgroup);
    return r;
}

// One threadgroup for each row.
kernel void softmax(device const float* in [[buffer(0)]],
                    device float* out [[buffer(1)]],
                    constant uint& cols [[buffer(2)]],
                    uint row [[threadgroup_position_in_grid]],
                    uint tid [[thread_index_in_threadgroup]],
                    uint tpg [[threads_per_threadgroup]],
                    uint lane [[thread_index_in_simdgroup]],
                    uint sg [[simdgroup_index_in_threadgroup]],
                    uint nsg [[simdgroups_per_threadgroup]]) {
    threadgroup float scratch[32];
    device const float* x = in + ulong(row) * cols;
    device float* y = out + ulong(row) * cols;
    float m = -INFINITY;
    for (uint i = tid; i < cols; i += tpg) m = max(m, x[i]);
    m = block_max(m, scratch, lane, sg, nsg);
    float s = 0;
    for (uint i = tid; i < cols; i += tpg) {
        float e = precise::exp(x[i] - m);
        y[i] = e;
        s += e;
    }
    s = simd_sum(s);
    if (lane == 0) scratch[sg] = s;
    threadgroup_barrier(mem_flags::mem_threadgroup);  // PLANT
    s = simd_sum(lane < nsg ? scratch[lane] : 0.0f);
    float inv = 1.0f / s;
    for (uint i = tid; i < cols; i += tpg) y[i] = y[i] * inv;
}
