//! Metal 4's tensor operations: what they compute, and that kernels which take more for granted than the API promises fail.
#![allow(unsafe_code)] // commits batches

mod common;

use common::{Rig, kinds, noise, read, reports};
use trident_emulator::FindingKind;

const SIDE: usize = 32;

/// A kernel that multiplies 32×32 factors, of which these are transposed; it ends with these statements.
fn kernel(transposed: [bool; 2], barrier: &str, end: &str) -> String {
    let [left, right] = transposed;
    format!(
        "#include <metal_stdlib>\n#include <metal_tensor>\n\
         #include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>\nusing namespace metal;\n\
         using factor = tensor<threadgroup half, dextents<int32_t, 2>, tensor_inline>;\n\
         using sums = tensor<device float, dextents<int32_t, 2>, tensor_inline>;\n\
         using product = mpp::tensor_ops::matmul2d<mpp::tensor_ops::matmul2d_descriptor(32, 32, 32, {left}, {right}, false,\n\
         mpp::tensor_ops::matmul2d_descriptor::mode::multiply_accumulate), execution_simdgroup>;\n\
         kernel void t(device float* o [[buffer(0)]], device const float* x [[buffer(1)]], device const float* y [[buffer(2)]],\n\
         uint t [[thread_index_in_threadgroup]], uint lane [[thread_index_in_simdgroup]], uint sg [[simdgroup_index_in_threadgroup]]) {{\n\
         threadgroup half s[1056];\nthreadgroup half r[1056];\n\
         for (uint i = t; i < 1024; i += 64) {{ s[i / 32 * 33 + i % 32] = half(x[i]); r[i / 32 * 33 + i % 32] = half(y[i]); }}\n\
         {barrier}\n\
         if (sg > 0) return;\n\
         product multiply;\n\
         auto c = multiply.get_destination_cooperative_tensor<factor, factor, float>();\n\
         for (ushort i = 0; i < c.get_capacity(); i++) if (c.is_valid_element(i)) c[i] = 0.5f;\n\
         factor a(s, dextents<int32_t, 2>(32, 32), array<int32_t, 2>{{1, 33}});\n\
         factor b(r, dextents<int32_t, 2>(32, 32), array<int32_t, 2>{{1, 33}});\n\
         {end}\n}}\n"
    )
}

const BARRIER: &str = "threadgroup_barrier(mem_flags::mem_threadgroup);";
const STORE: &str = "multiply.run(a, b, c);\n\
     sums to(o, dextents<int32_t, 2>(32, 32), array<int32_t, 2>{1, 32});\nc.store(to);";
const BY_INDEX: &str = "multiply.run(a, b, c);\nfor (ushort i = 0; i < c.get_capacity(); i++) {\n\
     if (!c.is_valid_element(i)) continue;\nauto at = c.get_multidimensional_index(i);\n\
     o[at[1] * 32 + at[0]] = c[i];\n}";
const BY_PLACE: &str = "multiply.run(a, b, c);\n\
     for (ushort i = 0; i < 32; i++) o[i * 32 + lane] = c[i];";

/// The kernel's results, and the sums in f64.
fn sums(transposed: [bool; 2], end: &str) -> (Vec<f32>, Vec<f64>) {
    let half = |x: f32| half::f16::from_f32(x).to_f32();
    let factor = |seed| noise(SIDE * SIDE, seed).into_iter().map(half).collect::<Vec<f32>>();
    let (a, b) = (factor(1), factor(2));
    let source = kernel(transposed, BARRIER, end);
    let rig = Rig::new(&source, true).unwrap_or_else(|error| panic!("{error}\n{source}"));
    let out = rig.buffer(&[0f32; SIDE * SIDE]);
    let dispatch = rig.dispatch([1, 1, 1], [64, 1, 1]).buffer(0, &out, 0);
    let dispatch = dispatch.buffer(1, &rig.buffer(&a), 0).buffer(2, &rig.buffer(&b), 0);
    rig.run(dispatch).unwrap_or_else(|error| panic!("{error}\n{source}"));
    let at = |x: &[f32], transposed: bool, i: usize, j: usize| {
        f64::from(if transposed { x[j * SIDE + i] } else { x[i * SIDE + j] })
    };
    let [left, right] = transposed;
    let sum = |n: usize| {
        let products = (0..SIDE).map(|k| at(&a, left, n / SIDE, k) * at(&b, right, k, n % SIDE));
        0.5 + products.sum::<f64>()
    };
    (read(&out), (0..SIDE * SIDE).map(sum).collect())
}

fn agree((found, expected): &(Vec<f32>, Vec<f64>)) -> bool {
    found.iter().zip(expected).all(|(&x, &y)| (f64::from(x) - y).abs() < 1e-5)
}

#[test]
fn products_are_sums_of_rows_times_columns() {
    for transposed in [[false, false], [false, true], [true, false], [true, true]] {
        for end in [STORE, BY_INDEX] {
            assert!(agree(&sums(transposed, end)), "{transposed:?} {end}");
        }
    }
}

#[test]
fn places_of_elements_are_not_to_be_assumed() {
    assert!(!agree(&sums([false, false], BY_PLACE)));
}

#[test]
fn what_tensor_operations_read_is_checked() {
    let source = |barrier, end| kernel([false, false], barrier, end).replace("1024; i", "128; i");
    // Most of what they read is not written here.
    let found = kinds(&reports(&source(BARRIER, STORE)));
    assert!(found.contains(&FindingKind::Uninitialised), "{found:?}");
    let found = kinds(&reports(&source("", STORE)));
    assert!(found.contains(&FindingKind::Race), "{found:?}");
}

#[test]
fn all_lanes_have_to_take_part() {
    let end = "if (lane < 16) { multiply.run(a, b, c); }\no[t] = c[0];";
    let found = kinds(&reports(&kernel([false, false], BARRIER, end).replace("1024; i", "128; i")));
    assert!(found.contains(&FindingKind::DivergentSimd), "{found:?}");
}
