#include <metal_stdlib>
#include <metal_atomic>
using namespace metal;

// Counts of values modulo 16: in threadgroup memory that the dispatch passes, then in device memory; and all in a float.
kernel void histogram(device const uint* x [[buffer(0)]],
                      device atomic_uint* h [[buffer(1)]],
                      device atomic_float* total [[buffer(2)]],
                      constant uint& n [[buffer(3)]],
                      threadgroup atomic_uint* counts [[threadgroup(0)]],
                      uint g [[thread_position_in_grid]],
                      uint t [[thread_index_in_threadgroup]]) {
    if (t < 16) atomic_store_explicit(&counts[t], 0u, memory_order_relaxed);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (g < n) {
        atomic_fetch_add_explicit(&counts[x[g] & 15], 1u, memory_order_relaxed);
        atomic_fetch_add_explicit(total, 1.0f, memory_order_relaxed);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (t < 16) {
        uint count = atomic_load_explicit(&counts[t], memory_order_relaxed);
        atomic_fetch_add_explicit(&h[t], count, memory_order_relaxed);
    }
}
