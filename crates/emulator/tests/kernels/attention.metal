#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

struct Args {
    uint n;
    float scale;
};

// Attention with an online softmax, 64 channels: each simdgroup has 8 queries, the threadgroup passes keys and values by tiles
// of 32 through its memory, with rows padded against bank conflicts.
[[max_total_threads_per_threadgroup(128)]]
kernel void attention(device const half* q [[buffer(0)]],
                      device const half* k [[buffer(1)]],
                      device const half* v [[buffer(2)]],
                      device float* out [[buffer(3)]],
                      constant Args& a [[buffer(4)]],
                      uint3 group [[threadgroup_position_in_grid]],
                      uint tid [[thread_index_in_threadgroup]],
                      uint lane [[thread_index_in_simdgroup]],
                      uint sg [[simdgroup_index_in_threadgroup]]) {
    threadgroup half kv[32 * 72];
    threadgroup float s[4][8 * 36];
    threadgroup half p[4][8 * 40];
    threadgroup float m[4][8], l[4][8], c[4][8];
    threadgroup float acc[4][8 * 68];
    const uint row = (group.x * 4 + sg) * 8;
    for (uint i = lane; i < 8 * 64; i += 32) acc[sg][(i / 64) * 68 + i % 64] = 0.0f;
    if (lane < 8) {
        m[sg][lane] = -INFINITY;
        l[sg][lane] = 0.0f;
    }
    simdgroup_half8x8 qf[8];
    for (uint i = 0; i < 8; ++i) simdgroup_load(qf[i], q + row * 64 + i * 8, 64);
    for (uint t = 0; t < a.n; t += 32) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint i = tid; i < 32 * 64 / 4; i += 128) {
            *(threadgroup half4*)(kv + (i / 16) * 72 + (i % 16) * 4) = *(device const half4*)(k + t * 64 + i * 4);
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint j = 0; j < 4; ++j) {
            simdgroup_float8x8 f = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
            for (uint i = 0; i < 8; ++i) {
                simdgroup_half8x8 kf;
                simdgroup_load(kf, kv + j * 8 * 72 + i * 8, 72, ulong2(0, 0), true);
                simdgroup_multiply_accumulate(f, qf[i], kf, f);
            }
            simdgroup_store(f, s[sg] + j * 8, 36);
        }
        simdgroup_barrier(mem_flags::mem_threadgroup);
        if (lane < 8) {
            float old = m[sg][lane], most = old;
            for (uint j = 0; j < 32; ++j) most = max(most, s[sg][lane * 36 + j] * a.scale);
            float sum = 0.0f;
            for (uint j = 0; j < 32; ++j) {
                float e = precise::exp(s[sg][lane * 36 + j] * a.scale - most);
                sum += e;
                p[sg][lane * 40 + j] = half(e);
            }
            float correction = precise::exp(old - most);
            l[sg][lane] = l[sg][lane] * correction + sum;
            m[sg][lane] = most;
            c[sg][lane] = correction;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint i = tid; i < 32 * 64 / 4; i += 128) {
            *(threadgroup half4*)(kv + (i / 16) * 72 + (i % 16) * 4) = *(device const half4*)(v + t * 64 + i * 4);
        }
        for (uint i = lane; i < 8 * 64; i += 32) acc[sg][(i / 64) * 68 + i % 64] *= c[sg][i / 64];
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint d = 0; d < 8; ++d) {
            simdgroup_float8x8 f;
            simdgroup_load(f, acc[sg] + d * 8, 68);
            for (uint j = 0; j < 4; ++j) {
                simdgroup_half8x8 pf, vf;
                simdgroup_load(pf, p[sg] + j * 8, 40);
                simdgroup_load(vf, kv + j * 8 * 72 + d * 8, 72);
                simdgroup_multiply_accumulate(f, pf, vf, f);
            }
            simdgroup_store(f, acc[sg] + d * 8, 68);
        }
        simdgroup_barrier(mem_flags::mem_threadgroup);
    }
    for (uint i = lane; i < 8 * 64; i += 32) {
        out[row * 64 + i] = acc[sg][(i / 64) * 68 + i % 64] / l[sg][i / 64];
    }
}
