//! The functions and types of the Metal standard library, by their results.
#![allow(unsafe_code)] // shared helpers commit batches

mod common;

use common::{HEADER, Rig, read};
use trident_apple::metal::Dispatch;

/// Runs a kernel on one simdgroup, plainly and checked, with `o` for 64 floats and `u` for 64 integers.
fn run(before: &str, body: &str) -> (Vec<f32>, Vec<u32>) {
    let source = format!(
        "{HEADER}{before}\nkernel void t(device float* o [[buffer(0)]], device uint* u [[buffer(1)]], \
         uint g [[thread_position_in_grid]]) {{\n{body}\n}}\n"
    );
    let mut results = Vec::new();
    for checked in [false, true] {
        let rig = Rig::new(&source, checked).unwrap_or_else(|error| panic!("{error}\n{source}"));
        let (o, u) = (rig.buffer(&[0f32; 64]), rig.buffer(&[0u32; 64]));
        let dispatch = rig.dispatch([1, 1, 1], [32, 1, 1]).buffer(0, &o, 0).buffer(1, &u, 0);
        rig.run(dispatch).unwrap_or_else(|error| panic!("{error}\n{source}"));
        results.push((read::<f32>(&o), read::<u32>(&u)));
    }
    let bits = |result: &(Vec<f32>, Vec<u32>)| {
        (result.0.iter().map(|x| x.to_bits()).collect::<Vec<_>>(), result.1.clone())
    };
    assert_eq!(bits(&results[0]), bits(&results[1]), "checked kernels compute the same");
    results.remove(0)
}

/// Results of single expressions: floats.
fn floats(expressions: &[&str]) -> Vec<f32> {
    let lines = expressions.iter().enumerate();
    let lines: Vec<String> = lines.map(|(i, e)| format!("if (g == 0) o[{i}] = {e};")).collect();
    run("constant float2 pairs[2] = {float2(1, 2), float2(3, 4)};", &lines.join("\n")).0
        [..expressions.len()]
        .to_vec()
}

/// Results of single expressions: 32-bit integers.
fn integers(expressions: &[&str]) -> Vec<u32> {
    let lines = expressions.iter().enumerate();
    let lines: Vec<String> = lines.map(|(i, e)| format!("if (g == 0) u[{i}] = {e};")).collect();
    run("", &lines.join("\n")).1[..expressions.len()].to_vec()
}

#[test]
fn maximum_and_minimum_prefer_numbers_to_nan() {
    let all = [
        "max(float(NAN), 1.0f)",
        "max(1.0f, float(NAN))",
        "min(float(NAN), 1.0f)",
        "min(1.0f, float(NAN))",
        "fmax(1.0f, float(NAN))",
        "fmin(float(NAN), 1.0f)",
        "precise::max(1.0f, float(NAN))",
        "float(max(half(NAN), half(1.0f)))",
        "max(float4(NAN), float4(1.0f)).z",
        "clamp(float(NAN), 1.0f, 2.0f)",
    ];
    assert_eq!(floats(&all), [1.0; 10]);
}

#[test]
fn conversions_to_integers_saturate() {
    let inputs =
        "float big = o[1] + 3e9f, huge = o[1] + 1e20f, low = o[1] - 3e9f, nan = o[1] / o[2];\n";
    let (_, u) = run(
        "",
        &format!(
            "{inputs}if (g == 0) {{ u[0] = uint(int(big)); u[1] = uint(int(low)); u[2] = uint(int(nan)); u[3] = uint(big); \
             u[4] = uint(low); u[5] = uint(huge); u[6] = uint(char(huge)); u[7] = uint(int3(float3(huge)).z); \
             u[8] = uint(ulong(huge) >> 32); u[9] = uint(half(300.7f)); u[10] = uint(int(-1.9f)); }}"
        ),
    );
    let int = |x: i32| x as u32;
    let expected = [
        i32::MAX as u32,
        int(i32::MIN),
        0,
        3_000_000_000,
        0,
        u32::MAX,
        127,
        i32::MAX as u32,
        u32::MAX,
        300,
        int(-1),
    ];
    assert_eq!(u[..11], expected);
}

#[test]
fn shuffles_do_not_wrap() {
    let down: Vec<f32> = (0..32).map(|i| if i < 30 { i + 2 } else { i } as f32).collect();
    assert_eq!(run("", "o[g] = simd_shuffle_down(float(g), 2);").0[..32], down);
    let up: Vec<f32> = (0..32).map(|i| if i >= 3 { i - 3 } else { i } as f32).collect();
    assert_eq!(run("", "o[g] = simd_shuffle_up(float(g), 3);").0[..32], up);
    let turned: Vec<u32> = (0..32).map(|i| (i + 5) % 32).collect();
    assert_eq!(run("", "u[g] = simd_shuffle_rotate_down(g, 5);").1[..32], turned);
    let turned: Vec<u32> = (0..32).map(|i| (i + 27) % 32).collect();
    assert_eq!(run("", "u[g] = simd_shuffle_rotate_up(g, 5);").1[..32], turned);
    let filled: Vec<u32> = (0..32).map(|i| if i < 30 { i + 2 } else { 100 + i - 30 }).collect();
    assert_eq!(run("", "u[g] = simd_shuffle_and_fill_down(g, g + 100, 2);").1[..32], filled);
    let filled: Vec<u32> = (0..32).map(|i| if i >= 2 { i - 2 } else { 100 + 30 + i }).collect();
    assert_eq!(run("", "u[g] = simd_shuffle_and_fill_up(g, g + 100, 2);").1[..32], filled);
    let crossed: Vec<u32> = (0..32).map(|i| i ^ 9).collect();
    assert_eq!(run("", "u[g] = simd_shuffle_xor(g, 9);").1[..32], crossed);
    assert_eq!(
        run("", "u[g] = simd_broadcast(g * 2, 7) + simd_broadcast_first(g + 1);").1[..32],
        [15; 32]
    );
    let other: Vec<u32> = (0..32).map(|i| i * 5 % 32 + 1).collect();
    assert_eq!(
        run("", "u[g] = ushort2(simd_shuffle(ushort2(g, g + 1), ushort(g * 5 % 32))).y;").1[..32],
        other
    );
}

#[test]
fn reductions_of_simdgroups_and_quads() {
    let one = |body: &str| run("", &format!("u[g] = {body};")).1[..32].to_vec();
    assert_eq!(one("simd_sum(g)"), [496; 32]);
    assert_eq!(one("simd_product(g % 2 + 1)"), [1 << 16; 32]);
    assert_eq!(one("simd_max(g) * 100 + simd_min(g + 3)"), [3103; 32]);
    assert_eq!(one("simd_and(g | 32) + simd_or(g) * 100"), [32 + 3100; 32]);
    assert_eq!(one("simd_xor(g + 1)"), [32; 32]);
    let each = |f: fn(u32) -> u32| (0..32).map(f).collect::<Vec<u32>>();
    assert_eq!(one("simd_prefix_exclusive_sum(g)"), each(|i| i * i.saturating_sub(1) / 2));
    assert_eq!(one("simd_prefix_inclusive_sum(g)"), each(|i| i * (i + 1) / 2));
    assert_eq!(
        one("simd_prefix_inclusive_product(g < 5 ? 2u : 1u)"),
        each(|i| 1 << (i + 1).min(5))
    );
    assert_eq!(one("simd_prefix_exclusive_product(g < 5 ? 2u : 1u)"), each(|i| 1 << i.min(5)));
    assert_eq!(one("uint((ulong)simd_ballot(g % 3 == 0))"), [0x4924_9249; 32]);
    assert_eq!(
        one(
            "simd_all(g < 32) + 2 * simd_all(g < 31) + 4 * simd_any(g == 5) + 8 * simd_any(g > 31)"
        ),
        [5; 32]
    );
    assert_eq!(
        one("simd_ballot(g < 32).all() + 2 * simd_is_first()"),
        each(|i| if i == 0 { 3 } else { 1 })
    );
    assert_eq!(one("uint(simd_vote::vote_t(simd_active_threads_mask()))"), [u32::MAX; 32]);
    assert_eq!(one("quad_sum(g)"), each(|i| i / 4 * 16 + 6));
    assert_eq!(one("quad_max(g) + quad_broadcast(g, 1)"), each(|i| i / 4 * 8 + 4));
    assert_eq!(one("quad_shuffle_xor(g, 3)"), each(|i| i ^ 3));
    assert_eq!(one("quad_shuffle_down(g, 1)"), each(|i| if i % 4 < 3 { i + 1 } else { i }));
    assert_eq!(one("quad_shuffle_rotate_up(g, 1)"), each(|i| i / 4 * 4 + (i + 3) % 4));
    assert_eq!(one("quad_all(g > 0) + 2 * quad_any(g == 0)"), each(|i| if i < 4 { 2 } else { 1 }));
    assert_eq!(floats(&["0.0f"]), [0.0]);
    assert_eq!(run("", "o[g] = simd_sum(0.5f) + float(simd_sum(half(g)));").0[..32], [512.0; 32]);
}

#[test]
fn vectors_and_their_constructors() {
    let all = [
        "float4(1.0f, float2(2, 3), 4.0f).w",
        "float3(float2(1, 2), 3).z",
        "float2(5.0f).y",
        "float4(int4(1, 2, 3, 4)).z",
        "half4(half2(1.5h), 2.0h, 3.0h).y",
        "float3(packed_float3(float3(1, 2, 3))).y",
        "float2(uchar2(3, 250)).y",
        "bool3(true).z",
        "float(any(float4(1, 2, 3, 4) > float4(3.5f)))",
        "float(all(bool2(true, false)))",
        "select(float2(1, 2), float2(3, 4), bool2(false, true)).y",
        "select(1.0f, 2.0f, true)",
        "select(float4(1), float4(2), float4(1, 5, 1, 1) > float4(3)).y",
        "float4(1, 2, 3, 4).wzyx.x",
        "float(short2(int2(70000, -3)).y)",
        "dot(float3(1, 2, 3), float3(4, 5, 6))",
        "length(float2(3, 4))",
        "cross(float3(1, 0, 0), float3(0, 1, 0)).z",
        "float(bfloat4(float4(1, 2, 3, 4)).z)",
        "vec<float, 3>(7.0f).z",
        "float(half(bfloat(1.5f)))",
        "float(bfloat4(half4(2.5h)).x)",
        "float(static_cast<bfloat>(0.5h))",
        "float((bool2(true, false) || bool2(false, true)).y)",
        "float(as_type<uint2>(0x100000002ul).y)",
        "pairs[1].y",
        "float(((float2(1, 2) < float2(2)) && bool2(true)).x)",
        "float(sizeof(bool3))",
        "float(int2(bool2(false, true)).y)",
        "float(all((float2(1) > float2(0)) | bool2(false)))",
    ];
    let expected = [
        4.0, 3.0, 5.0, 3.0, 1.5, 2.0, 250.0, 1.0, 1.0, 0.0, 4.0, 2.0, 2.0, 4.0, -3.0, 32.0, 5.0,
        1.0, 3.0, 7.0, 1.5, 2.5, 0.5, 1.0, 1.0, 4.0, 1.0, 4.0, 1.0, 1.0,
    ];
    assert_eq!(floats(&all), expected);
}

#[test]
fn functions_of_floats() {
    let x = 0.7f64;
    let all: [(&str, f64); 30] = [
        ("exp(0.7f)", x.exp()),
        ("exp2(0.7f)", x.exp2()),
        ("exp10(0.7f)", 10f64.powf(x)),
        ("log(0.7f)", x.ln()),
        ("log2(0.7f)", x.log2()),
        ("log10(0.7f)", x.log10()),
        ("sin(0.7f)", x.sin()),
        ("cos(0.7f)", x.cos()),
        ("tan(0.7f)", x.tan()),
        ("asin(0.7f)", x.asin()),
        ("acos(0.7f)", x.acos()),
        ("atan(0.7f)", x.atan()),
        ("sinh(0.7f)", x.sinh()),
        ("cosh(0.7f)", x.cosh()),
        ("tanh(0.7f)", x.tanh()),
        ("asinh(0.7f)", x.asinh()),
        ("acosh(1.7f)", 1.7f64.acosh()),
        ("atanh(0.7f)", x.atanh()),
        ("atan2(0.7f, -2.0f)", x.atan2(-2.0)),
        ("pow(0.7f, 3.5f)", x.powf(3.5)),
        ("sinpi(0.7f)", (x * std::f64::consts::PI).sin()),
        ("cospi(0.7f)", (x * std::f64::consts::PI).cos()),
        ("rsqrt(0.7f)", 1.0 / x.sqrt()),
        ("precise::exp(0.7f)", x.exp()),
        ("fast::log(0.7f)", x.ln()),
        ("fma(0.7f, 2.0f, 1.0f)", 2.4),
        ("mix(1.0f, 3.0f, 0.25f)", 1.5),
        ("smoothstep(0.0f, 1.0f, 0.5f)", 0.5),
        ("fmod(-5.5f, 2.0f)", -1.5),
        ("ldexp(0.7f, 3)", 5.6),
    ];
    let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
    for (got, (name, want)) in floats(&names).into_iter().zip(all) {
        assert!(
            (f64::from(got) - want).abs() <= 4e-7 * want.abs().max(1.0),
            "{name}: {got}, not {want}"
        );
    }
    let exact = [
        ("floor(-1.5f)", -2.0),
        ("ceil(-1.5f)", -1.0),
        ("trunc(-1.5f)", -1.0),
        ("round(2.5f)", 3.0),
        ("rint(2.5f)", 2.0),
        ("fract(-0.25f)", 0.75),
        ("sign(-3.0f)", -1.0),
        ("saturate(1.5f)", 1.0),
        ("step(2.0f, 1.0f)", 0.0),
        ("copysign(2.0f, -1.0f)", -2.0),
        ("fabs(-2.0f)", 2.0),
        ("abs(-2.0f)", 2.0),
        ("fdim(3.0f, 1.0f)", 2.0),
        ("sqrt(half(2.25h))", 1.5),
        ("float(isnan(float(NAN)) + isinf(INFINITY) * 2)", 3.0),
        ("median3(3.0f, 1.0f, 2.0f)", 2.0),
        ("max3(1.0f, 3.0f, 2.0f)", 3.0),
        ("floor(float2(1.5f, -0.5f)).y", -1.0),
        ("float(signbit(-0.0f))", 1.0),
        ("float(fma(1024.0h, 1.001h, 0.25h))", 1025.0),
        ("float(pow(half2(2.0h, 3.0h), half2(2.0h)).y)", 9.0),
        ("float(half(1e-7f))", f32::from_bits(0x3400_0000)),
        ("float(ulong(1ul << 40))", 1_099_511_627_776.0),
        ("cospi(0.5f)", 0.0),
        ("sinpi(1.0f)", 0.0),
    ];
    let names: Vec<&str> = exact.iter().map(|(name, _)| *name).collect();
    for (got, (name, want)) in floats(&names).into_iter().zip(exact) {
        assert_eq!(got, want, "{name}");
    }
    // Neither contracted nor in higher precision.
    let body = "float a = 1.0f + o[40] + 0x1p-12f;\nif (g == 0) { o[0] = a * a - (1.0f + 0x1p-11f); bfloat b = bfloat(1.0f + o[40]); \
                o[1] = float(b + bfloat(0x1p-9f) - b); half h = half(2048.0f + o[40]); o[2] = float(h + 1.0h - h); }";
    assert_eq!(run("", body).0[..3], [0.0, 0.0, 0.0]);
    assert_eq!(run("", "thread float whole;\nfloat f = modf(2.75f, whole);\nthread int e;\nfloat m = frexp(10.0f, e);\nif (g == 0) { o[0] = f; o[1] = whole; o[2] = m; o[3] = e; }").0[..4], [0.75, 2.0, 0.625, 4.0]);
}

#[test]
fn rounding_to_bfloat_and_half() {
    let body = "if (g < 6) { float x = as_type<float>(u[g + 8]); u[g] = as_type<ushort>(bfloat(x)); \
                u[g + 16] = as_type<ushort>(half(x)); }";
    let inputs = [0x3f80_8000u32, 0x3f81_8000, 0x3f80_8001, 0x7f7f_ffff, 0x0000_8001, 0xff80_0000];
    let lines: Vec<String> =
        inputs.iter().enumerate().map(|(i, x)| format!("u[{}] = {x}u;", i + 8)).collect();
    let body = format!(
        "if (g == 0) {{ {} }}\nthreadgroup_barrier(mem_flags::mem_device);\n{body}",
        lines.join(" ")
    );
    let (_, u) = run("", &body);
    assert_eq!(u[..6], [0x3f80, 0x3f82, 0x3f81, 0x7f80, 0x0001, 0xff80]);
    assert_eq!(u[16..22], [0x3c04, 0x3c0c, 0x3c04, 0x7c00, 0, 0xfc00]);
}

#[test]
fn a_bfloat_that_is_moved_keeps_all_bits() {
    let body = "device bfloat* p = (device bfloat*)u;\n\
                if (g < 4) p[g + 8] = as_type<bfloat>(ushort(0x7f81 + g * 0x4000));\n\
                threadgroup_barrier(mem_flags::mem_device);\nbfloat x = bfloat(1.0f);\n\
                if (g < 4) x = p[3 - g + 8];\nif (g < 8) p[g] = x;";
    let (_, u) = run("", body);
    assert_eq!(u[..4], [0xff81_3f81, 0x7f81_bf81, 0x3f80_3f80, 0x3f80_3f80]);
}

#[test]
fn functions_of_integers() {
    let all = [
        "popcount(0xff00u)",
        "uint(popcount(char(-1)))",
        "clz(1u)",
        "uint(clz(uchar(1)))",
        "ctz(8u)",
        "ctz(0u)",
        "reverse_bits(1u)",
        "rotate(0x80000001u, 1u)",
        "mulhi(0x80000000u, 6u)",
        "uint(mulhi(-2, 3))",
        "uint(absdiff(3, -4))",
        "addsat(0xfffffff0u, 0x20u)",
        "uint(subsat(char(-100), char(100)))",
        "hadd(3u, 0xffffffffu)",
        "rhadd(3u, 4u)",
        "extract_bits(0xabcdu, 4, 8)",
        "uint(extract_bits(0xf0, 4, 4))",
        "insert_bits(0u, 0xfu, 8, 4)",
        "uint(abs(-5))",
        "clamp(7u, 1u, 5u)",
        "uint(max(-1, 1))",
        "min(uint2(3, 4), uint2(5, 1)).y",
        "mad24(3u, 4u, 5u)",
        "madhi(0x80000000u, 2u, 1u)",
        "uint(ulong(0x1ffffffffl) >> 32)",
        "numeric_limits<uint>::max()",
        "uint(numeric_limits<int>::lowest())",
        "uint(as_type<uint>(1.0f))",
        "uint(as_type<ushort>(1.0h))",
    ];
    let expected = [
        8,
        8,
        31,
        7,
        3,
        32,
        1 << 31,
        3,
        3,
        u32::MAX,
        7,
        u32::MAX,
        (-128i32) as u32,
        0x8000_0001,
        4,
        0xbc,
        u32::MAX,
        0xf00,
        5,
        5,
        1,
        1,
        17,
        2,
        1,
        u32::MAX,
        1 << 31,
        0x3f80_0000,
        0x3c00,
    ];
    assert_eq!(integers(&all), expected);
}

#[test]
fn atomics_and_their_results() {
    let source = format!(
        "{HEADER}kernel void t(device atomic_uint* a [[buffer(0)]], device atomic_int* i [[buffer(1)]], \
         device atomic_float* f [[buffer(2)]], device atomic_ulong* l [[buffer(3)]], device uint* o [[buffer(4)]], \
         uint g [[thread_position_in_grid]]) {{\n\
         threadgroup atomic_uint c;\n\
         if (g == 0) {{ atomic_store_explicit(&c, 0u, memory_order_relaxed); o[0] = atomic_exchange_explicit(a, 7u, memory_order_relaxed); }}\n\
         threadgroup_barrier(mem_flags::mem_threadgroup);\n\
         atomic_fetch_or_explicit(a + 1, 1u << g, memory_order_relaxed);\n\
         atomic_fetch_and_explicit(a + 2, ~(1u << g), memory_order_relaxed);\n\
         atomic_fetch_xor_explicit(a + 3, g, memory_order_relaxed);\n\
         atomic_fetch_min_explicit(i, -int(g), memory_order_relaxed);\n\
         atomic_fetch_max_explicit(i + 1, int(g), memory_order_relaxed);\n\
         atomic_fetch_sub_explicit(i + 2, 1, memory_order_relaxed);\n\
         atomic_fetch_add_explicit(f, 0.5f, memory_order_relaxed);\n\
         atomic_max_explicit(l, ulong(g) << 40, memory_order_relaxed);\n\
         atomic_min_explicit(l + 1, ulong(g) + 3, memory_order_relaxed);\n\
         uint old = atomic_load_explicit(&c, memory_order_relaxed);\n\
         while (!atomic_compare_exchange_weak_explicit(&c, &old, old + 2, memory_order_relaxed, memory_order_relaxed)) {{}}\n\
         threadgroup_barrier(mem_flags::mem_threadgroup);\n\
         if (g == 5) o[1] = atomic_load_explicit(&c, memory_order_relaxed);\n}}\n"
    );
    for checked in [false, true] {
        let rig = Rig::new(&source, checked).unwrap_or_else(|error| panic!("{error}"));
        let a = rig.buffer(&[3u32, 0, u32::MAX, 0]);
        let (i, f) = (rig.buffer(&[0i32, 0, 0]), rig.buffer(&[0f32]));
        let (l, o) = (rig.buffer(&[0u64, u64::MAX]), rig.buffer(&[0u32; 2]));
        let dispatch = rig.dispatch([1, 1, 1], [32, 1, 1]).buffer(0, &a, 0).buffer(1, &i, 0);
        rig.run(dispatch.buffer(2, &f, 0).buffer(3, &l, 0).buffer(4, &o, 0)).unwrap();
        assert_eq!(read::<u32>(&a), [7, u32::MAX, 0, 0]);
        assert_eq!(read::<i32>(&i), [-31, 31, -32]);
        assert_eq!((read::<f32>(&f), read::<u64>(&l)), (vec![16.0], vec![31 << 40, 3]));
        assert_eq!(read::<u32>(&o), [3, 64]);
    }
}

#[test]
fn forms_of_kernels_and_declarations() {
    // Threadgroup variables in nested scopes, function pointers, constants, templates, arrays, structs with methods.
    let before = "constant float table[3] = {1, 2, 3};\nconstant constexpr uint N = 4;\n\
        struct Pair { float a, b; float sum() { return a + b; } };\n\
        template <typename T, int M> T total(thread T (&x)[M]) { T s = 0; for (int i = 0; i < M; i++) s += x[i]; return s; }\n\
        float twice(float x) { return 2 * x; }\n\
        inline void put(device float* p, uint i, float v) { p[i] = v; }\n\
        template <class T> METAL_FUNC T first(const threadgroup T* p) { return p[0]; }";
    let body = "alignas(16) threadgroup uchar bytes[64];\nthreadgroup alignas(16) uchar more[16];\n\
        if (g < 16) { ((threadgroup float*)bytes)[g] = 1; more[g] = 2; }\n\
        if (g < 32) {\nthreadgroup float s[N], u;\nif (g == 0) { s[1] = 5; u = 6; }\n\
        threadgroup_barrier(mem_flags::mem_threadgroup);\nif (g == 1) { put(o, 0, s[1]); put(o, 1, first(&u)); }\n}\n\
        float (*f)(float) = twice;\nfloat a[3] = {1, 2, 3};\nPair p = {1, 2};\narray<float, 2> r;\nr[1] = 8;\n\
        if (g == 0) { o[2] = f(table[2]); o[3] = total(a); o[4] = p.sum(); o[5] = r[1]; o[6] = N; }";
    assert_eq!(run(before, body).0[..7], [5.0, 6.0, 6.0, 6.0, 3.0, 8.0, 4.0]);
    for head in [
        "[[kernel]] void t",
        "kernel void t",
        "[[max_total_threads_per_threadgroup(64)]] kernel void t",
    ] {
        let source = format!(
            "{HEADER}{head}(device float* o [[buffer(0)]], uint g [[thread_position_in_grid]]) {{ o[g] = 3; }}\n"
        );
        let rig = Rig::new(&source, false).unwrap_or_else(|error| panic!("{error}"));
        let o = rig.buffer(&[0f32; 32]);
        rig.run(rig.dispatch([1, 1, 1], [32, 1, 1]).buffer(0, &o, 0)).unwrap();
        assert_eq!(read::<f32>(&o), [3.0; 32]);
    }
}

#[test]
fn positions_of_threads() {
    let source = format!(
        "{HEADER}kernel void t(device uint* o [[buffer(0)]], ushort3 g [[thread_position_in_grid]], \
         ushort3 l [[thread_position_in_threadgroup]], ushort3 b [[threadgroup_position_in_grid]], \
         ushort3 n [[threads_per_grid]], ushort3 s [[threads_per_threadgroup]], ushort3 c [[threadgroups_per_grid]], \
         uint i [[thread_index_in_threadgroup]], uint w [[threads_per_simdgroup]], uint lane [[thread_index_in_simdgroup]], \
         uint sg [[simdgroup_index_in_threadgroup]], uint q [[simdgroups_per_threadgroup]]) {{\n\
         uint at = (uint(g.z) * n.y + g.y) * n.x + g.x;\n\
         bool fine = all(g == b * s + l) && all(n == c * s) && i == (uint(l.z) * s.y + l.y) * s.x + l.x \
         && w == 32 && lane == i % 32 && sg == i / 32 && q == 2;\n\
         o[at] = fine ? at + 1 : 0;\n}}\n"
    );
    let rig = Rig::new(&source, true).unwrap_or_else(|error| panic!("{error}"));
    let o = rig.buffer(&vec![0u32; 6 * 8 * 9]);
    rig.run(rig.dispatch([2, 2, 3], [3, 4, 3]).buffer(0, &o, 0)).unwrap();
    let expected: Vec<u32> = (1..=6 * 8 * 9).collect();
    assert_eq!(read::<u32>(&o), expected);
}

#[test]
fn the_last_threadgroups_of_a_grid_of_threads_are_smaller() {
    let source = format!(
        "{HEADER}kernel void t(device uint* o [[buffer(0)]], uint2 g [[thread_position_in_grid]], \
         uint2 l [[thread_position_in_threadgroup]], uint2 b [[threadgroup_position_in_grid]], \
         uint2 n [[threads_per_grid]], uint2 s [[threads_per_threadgroup]], uint i [[thread_index_in_threadgroup]], \
         uint2 d [[dispatch_threads_per_threadgroup]], uint q [[simdgroups_per_threadgroup]]) {{\n\
         bool fine = all(g == b * d + l) && all(d == uint2(16, 4)) && all(s == min(d, n - b * d)) \
         && i == l.y * s.x + l.x && q == (s.x * s.y + 31) / 32;\n\
         threadgroup_barrier(mem_flags::mem_none);\n\
         o[g.y * n.x + g.x] = fine ? simd_sum(1u) : 0;\n}}\n"
    );
    let rig = Rig::new(&source, true).unwrap_or_else(|error| panic!("{error}"));
    let o = rig.buffer(&vec![0u32; 37 * 6]);
    let pipeline = rig.library.pipeline("t", &[]).unwrap();
    rig.run(Dispatch::of_threads(pipeline, [37, 6, 1], [16, 4, 1]).buffer(0, &o, 0)).unwrap();
    // Lanes that do not exist take no part: the threadgroup at the right end has 5 by 4 threads, that below it 5 by 2.
    let found = read::<u32>(&o);
    assert_eq!([found[0], found[36], found[37 * 5], found[37 * 6 - 1]], [32, 20, 32, 10]);
    assert!(!found.contains(&0));
}

#[test]
fn fast_functions_are_no_better_than_they_promise() {
    let names = ["exp", "log", "sin", "cos", "tan", "exp2", "log2", "rsqrt"];
    let arguments = [1.37f32, 0.61, 2.9, 0.083];
    for name in names {
        let of = |space: &str| {
            let call = |x: &f32| format!("{space}::{name}({x}f + o[40])");
            let calls: Vec<String> = arguments.iter().map(call).collect();
            floats(&calls.iter().map(String::as_str).collect::<Vec<_>>())
        };
        let mut differ = false;
        for (fast, precise) in of("fast").into_iter().zip(of("precise")) {
            let units = 8.0 * f32::EPSILON * precise.abs();
            let bound = if ["sin", "cos"].contains(&name) { 1.3e-4 } else { units };
            let error = (fast - precise).abs();
            assert!(error < bound, "{name}: {fast} {precise}");
            differ |= error > 0.0;
        }
        assert!(differ, "{name}");
    }
    let nan = floats(&["fast::max(1.0f, float(NAN))", "fast::min(float(NAN), 1.0f)"]);
    assert!(nan[0] == 1.0 && nan[1].is_nan(), "the second operand is lost if one is NaN: {nan:?}");
}
