#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

constant float factors[4] = {1.0f, 2.0f, 3.0f, 4.0f};
struct Settings {
    packed_float3 a;
    half h;
    uint n;
};
template <typename T> METAL_FUNC T halved(T x) { return x * T(0.5f); }

// c = 2 a^T b for bfloat 8x8, by way of structs in constant memory, packed vectors and matrices as vectors.
kernel void mixed(device const bfloat* a [[buffer(0)]],
                  device const bfloat* b [[buffer(1)]],
                  device float* c [[buffer(2)]],
                  constant Settings& settings [[buffer(3)]],
                  device packed_float3* p [[buffer(4)]],
                  uint lane [[thread_index_in_simdgroup]]) {
    Settings s = settings;
    simdgroup_bfloat8x8 x, y;
    simdgroup_float8x8 d(0.0f), one(1.0f), f;
    simdgroup_load(x, a, 8, ulong2(0, 0), true);
    simdgroup_load(y, b);
    simdgroup_multiply_accumulate(d, x, y, d);
    simdgroup_multiply(f, d, one);
    float3 v = float3(s.a);
    float4 w = float4(v, 1.0f);
    w.xyz *= factors[1];
    float t = halved<float>(w.x) + float(s.h) * 0.0f + dot(w, float4(0.0f)) + 1.0f;
    f.thread_elements()[0] *= t;
    f.thread_elements()[1] *= t;
    simdgroup_store(f, c, 8);
    p[lane] = float3(s.a) * float(lane + 1);
}
