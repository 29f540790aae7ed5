#include <metal_stdlib>
using namespace metal;

struct Sizes {
    uint n;
    float alpha;
};

// out = mask ? a + alpha * b : a, 4 elements a thread, with a scalar tail.
kernel void vadd(device const float* a [[buffer(0)]],
                 device const float* b [[buffer(1)]],
                 device const uchar* mask [[buffer(2)]],
                 device float* out [[buffer(3)]],
                 constant Sizes& s [[buffer(4)]],
                 uint gid [[thread_position_in_grid]]) {
    uint base = gid * 4;
    if (base + 4 <= s.n) {
        float4 x = *(device const float4*)(a + base), y = *(device const float4*)(b + base);
        float4 m = float4(mask[base] ? 1.0f : 0.0f, float2(mask[base + 1] != 0, mask[base + 2] != 0),
                          mask[base + 3] ? 1.0f : 0.0f);
        *(device float4*)(out + base) = x + float4(s.alpha) * y * m;
    } else {
        for (uint i = base; i < s.n; ++i) out[i] = mask[i] ? a[i] + s.alpha * b[i] : a[i];
    }
}
