//! Errors planted in kernels are reported, with their kind and line, and what is right is not.
#![allow(unsafe_code)] // commits batches

mod common;

use common::{HEADER, Rig, kinds, reports};
use trident_apple::metal::MetalError;
use trident_emulator::{CheckReport, FindingKind};

/// A kernel `t` with parameters and lines of a body. The first line of the body is line 4.
fn kernel(parameters: &str, body: &str) -> String {
    format!("{HEADER}kernel void t({parameters}) {{\n{body}\n}}\n")
}

const OUT: &str = "device float* o [[buffer(0)]], uint g [[thread_position_in_grid]], \
                   uint t [[thread_index_in_threadgroup]]";
const IN_OUT: &str = "device float* o [[buffer(0)]], device const float* x [[buffer(1)]], \
                      uint g [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]]";

/// The one kind and line that a kernel must be reported with.
fn one(parameters: &str, body: &str, kind: FindingKind, line: u32) -> Vec<CheckReport> {
    let found = reports(&kernel(parameters, body));
    assert_eq!(kinds(&found), [kind], "{body}\n{found:#?}");
    let lines: Vec<u32> = found.iter().map(|report| report.place.line).collect();
    assert!(lines.contains(&line), "{body}\nlines {lines:?}, not {line}: {found:#?}");
    found
}

fn clean(parameters: &str, body: &str) {
    assert_eq!(reports(&kernel(parameters, body)), [], "{body}");
}

#[test]
fn accesses_out_of_bounds() {
    use FindingKind::OutOfBounds as FindingKind;
    // Buffers: one past the end, far away, before the start, by a vector, by an atomic, in a function, unused.
    let found = one(OUT, "o[g] = 1;\nif (g == 127) o[g + 1] = 2;", FindingKind, 5);
    assert_eq!(
        (found[0].group, found[0].thread, &*found[0].variable),
        ([1, 0, 0], [63, 0, 0], "o")
    );
    assert!(found[0].detail.contains("write of 4 bytes at byte 512 of `o`, which has 512"));
    one(OUT, "o[g + 1000000] = 1;", FindingKind, 4);
    one(IN_OUT, "o[g] = x[int(g) - 1];", FindingKind, 4);
    one(
        IN_OUT,
        "device const float4* v = (device const float4*)x;\no[g] = v[g].x;",
        FindingKind,
        5,
    );
    let atomic = "device atomic_uint* o [[buffer(0)]], uint g [[thread_position_in_grid]]";
    one(atomic, "atomic_fetch_add_explicit(o + g + 1, 1u, memory_order_relaxed);", FindingKind, 4);
    let source = format!(
        "{HEADER}float f(device const float* p, uint i) {{\n  return p[i + 100];\n}}\n\
         kernel void t({OUT}) {{ o[g] = f(o, g); }}\n"
    );
    let found = reports(&source);
    assert_eq!((kinds(&found), found[0].place.line), (vec![FindingKind], 4));
    one(IN_OUT, "float v = x[g + 1000];\n(void)v;\no[g] = 1;", FindingKind, 4);
    // Threadgroup variables: past the end, into the next one by pointer, and an own array.
    one(OUT, "threadgroup float s[64];\ns[t + 1] = 1;\no[g] = 1;", FindingKind, 5);
    let body = "threadgroup float s[64], u[64];\nthreadgroup float* p = s;\nu[t] = 1;\np[t + 64] = 1;\no[g] = 1;";
    one(OUT, body, FindingKind, 7);
    one(
        OUT,
        "float a[4];\nfor (uint i = 0; i < 4; i++) a[i] = i;\no[g] = a[g & 15];",
        FindingKind,
        6,
    );
    one(OUT, "simdgroup_float8x8 m(1.0f);\nsimdgroup_store(m, o + 100, 8);", FindingKind, 5);
}

#[test]
fn a_buffer_beside_another_is_not_reached() {
    let source = kernel(IN_OUT, "o[g] = x[g + 128];");
    assert_eq!(kinds(&reports(&source)), [FindingKind::OutOfBounds]);
}

#[test]
fn inline_bytes_have_bounds() {
    let parameters = "device float* o [[buffer(0)]], constant float* c [[buffer(1)]], \
                      uint g [[thread_position_in_grid]]";
    let rig = Rig::new(&kernel(parameters, "o[g] = c[g];"), true).unwrap();
    let run = |threads| {
        let out = rig.buffer(&[0f32; 8]);
        let dispatch = rig.dispatch([1, 1, 1], [threads, 1, 1]).buffer(0, &out, 0);
        rig.run(dispatch.bytes(1, &[0; 12]))
    };
    assert_eq!(run(3), Ok(()));
    assert!(matches!(run(4), Err(MetalError::Check { .. })));
    assert_eq!(rig.emulator.take_reports()[0].variable, "c");
}

#[test]
fn reads_of_what_was_never_written() {
    use FindingKind::Uninitialised as FindingKind;
    let body = "threadgroup float s[64];\nif ((t & 1) == 0) s[t] = t;\n\
                threadgroup_barrier(mem_flags::mem_threadgroup);\no[g] = s[t];";
    let found = one(OUT, body, FindingKind, 7);
    assert_eq!(found[0].variable, "s");
    one(OUT, "threadgroup float s[64];\ns[t] += 1;\no[g] = 1;", FindingKind, 5);
    // The second threadgroup does not see what the first has written.
    let body = "threadgroup float s[64];\nif (g < 64) s[t] = t;\no[g] = s[t];";
    assert_eq!(one(OUT, body, FindingKind, 6)[0].group, [1, 0, 0]);
    one(
        OUT,
        "threadgroup atomic_uint n;\natomic_fetch_add_explicit(&n, 1u, memory_order_relaxed);\no[g] = 1;",
        FindingKind,
        5,
    );
    let body = "threadgroup uchar s[64];\ns[t & 62] = 1;\nthreadgroup_barrier(mem_flags::mem_threadgroup);\no[g] = s[t];";
    let found = reports(&kernel(OUT, body));
    assert!(kinds(&found).contains(&FindingKind), "{found:?}");
}

#[test]
fn discarded_buffers_are_read_only_after_a_write() {
    let rig = Rig::new(&kernel(IN_OUT, "o[g] = x[g];"), true).unwrap();
    let (out, x) = (rig.buffer(&[0f32; 128]), rig.buffer(&[0f32; 128]));
    let run = |x: &_, out: &_| {
        rig.run(rig.dispatch([2, 1, 1], [64, 1, 1]).buffer(0, out, 0).buffer(1, x, 0))
    };
    assert_eq!(run(&x, &out), Ok(()));
    x.discard();
    assert!(run(&x, &out).is_err());
    let found = rig.emulator.take_reports();
    assert_eq!((kinds(&found), &*found[0].variable), (vec![FindingKind::Uninitialised], "x"));
    x.written(0, 508);
    assert!(run(&x, &out).is_err());
    assert!(rig.emulator.take_reports()[0].detail.contains("byte 508"));
    // A kernel's writes count.
    out.discard();
    x.written(508, 4);
    assert_eq!(run(&x, &out), Ok(()));
    assert_eq!(run(&out, &x), Ok(()));
}

#[test]
fn races_in_threadgroup_memory() {
    use FindingKind::Race as FindingKind;
    let exchange = |barrier: &str, with: &str| {
        format!("threadgroup float s[64];\ns[t] = t;\n{barrier}\no[g] = s[t ^ {with}];")
    };
    let barrier = "threadgroup_barrier(mem_flags::mem_threadgroup);";
    clean(OUT, &exchange(barrier, "33"));
    clean(OUT, &exchange("simdgroup_barrier(mem_flags::mem_threadgroup);", "1"));
    // Across simdgroups, with the wrong flags, in the other direction, both writing. The lines are those of reads that
    // come after writes in one order of the threads, or writes after reads in the other.
    for body in [
        exchange("threadgroup_barrier(mem_flags::mem_device);", "33"),
        exchange("threadgroup_barrier(mem_flags::mem_none);", "1"),
        exchange("simdgroup_barrier(mem_flags::mem_device);", "1"),
        exchange("simd_sum(1.0f);", "1"),
    ] {
        let found = one(OUT, &body, FindingKind, 7);
        assert_eq!((&*found[0].variable, found[0].other.as_ref().unwrap().line), ("s", 5));
    }
    let found =
        reports(&kernel(OUT, &exchange("simdgroup_barrier(mem_flags::mem_threadgroup);", "32")));
    assert!(
        kinds(&found)
            .iter()
            .all(|kind| [FindingKind, crate::FindingKind::Uninitialised].contains(kind))
    );
    assert!(!found.is_empty());
    let body = format!(
        "threadgroup float s[64];\ns[t] = t;\n{barrier}\nfloat v = s[t ^ 33];\ns[t] = v;\no[g] = v;"
    );
    one(OUT, &body, FindingKind, 8);
    one(OUT, "threadgroup float s[64];\ns[t / 2] = t;\no[g] = 1;", FindingKind, 5);
    // The writer's own read comes after those of others.
    let body = format!(
        "threadgroup float s;\nif (t == 0) s = 1;\n{barrier}\nfloat v = s;\nif (t == 63) s = 2;\no[g] = v;"
    );
    one(OUT, &body, FindingKind, 8);
}

#[test]
fn races_in_device_memory() {
    use FindingKind::Race as FindingKind;
    let found = one(OUT, "o[g & 63] = g;", FindingKind, 4);
    assert!(found[0].detail.contains("threadgroup"), "{}", found[0]);
    one(OUT, "o[g] = 1;\no[g ^ 1] = 2;", FindingKind, 5);
    // A barrier does not order threadgroups.
    let body = "o[g] = 1;\nthreadgroup_barrier(mem_flags::mem_device);\no[g] = o[127 - g];";
    one(OUT, body, FindingKind, 6);
    clean(
        OUT,
        "o[g] = 1;\nthreadgroup_barrier(mem_flags::mem_device);\nfloat v = o[g ^ 33];\nthreadgroup_barrier(mem_flags::mem_device);\no[g] = v;",
    );
    one(
        OUT,
        "o[g] = 1;\nthreadgroup_barrier(mem_flags::mem_threadgroup);\nfloat v = o[g ^ 1];\n(void)v;",
        FindingKind,
        6,
    );
    // Atomics race with plain accesses only.
    let atomic = "device atomic_uint* o [[buffer(0)]], uint g [[thread_position_in_grid]]";
    let add = "atomic_fetch_add_explicit(o, 1u, memory_order_relaxed);";
    clean(atomic, add);
    let body = format!("device uint* q = (device uint*)o;\nif (g == 0) q[0] = 5; else\n{add}");
    let found = reports(&kernel(atomic, &body));
    assert_eq!(kinds(&found), [FindingKind]);
    let body =
        format!("device uint* q = (device uint*)o;\n{add}\nif (g == 127 && q[0] == 1) q[0] = 7;");
    one(atomic, &body, FindingKind, 6);
    // Neighbouring bytes and halves are apart.
    clean("device uchar* o [[buffer(0)]], uint g [[thread_position_in_grid]]", "o[g] = g;");
    clean("device half* o [[buffer(0)]], uint g [[thread_position_in_grid]]", "o[g] = half(g);");
}

#[test]
fn divergent_barriers() {
    use FindingKind::DivergentBarrier as FindingKind;
    let barrier = "threadgroup_barrier(mem_flags::mem_threadgroup);";
    one(OUT, &format!("if (g & 1)\n{barrier}\no[g] = g;"), FindingKind, 5);
    one(OUT, &format!("if (t < 32) {{\n{barrier}\n}}\no[g] = g;"), FindingKind, 5);
    one(
        OUT,
        &format!("for (uint i = 0; i < t / 32 + 1; i++) {{\n{barrier}\n}}\no[g] = g;"),
        FindingKind,
        5,
    );
    let body = format!("if (t < 32) {{\n{barrier}\n}} else {{\n{barrier}\n}}\no[g] = g;");
    let found = reports(&kernel(OUT, &body));
    assert_eq!(kinds(&found), [FindingKind]);
    // By way of one function, from two places.
    let source = |called: &str| {
        format!(
            "{HEADER}float f(threadgroup float* s, uint t) {{\ns[t] = t;\n{barrier}\nreturn s[t];\n}}\n\
             kernel void t({OUT}) {{\nthreadgroup float s[64];\nfloat r;\n{called}\no[g] = r;\n}}\n"
        )
    };
    let found = reports(&source("if (t < 32) r = f(s, t);\nelse r = f(s, t) + 1;"));
    assert_eq!((kinds(&found), found[0].place.line), (vec![FindingKind], 5));
    assert_eq!(reports(&source("r = f(s, t);\nr += f(s, t) + 1;")), []);
}

#[test]
fn divergent_functions_of_simdgroups() {
    use FindingKind::DivergentSimd as FindingKind;
    one(OUT, "float r = 0;\nif (g % 3 == 0)\nr = simd_sum(1.0f);\no[g] = r;", FindingKind, 6);
    one(OUT, "if (g & 1) {\nsimdgroup_barrier(mem_flags::mem_none);\n}\no[g] = 1;", FindingKind, 5);
    let body = "float r;\nif (g & 1) r = simd_max(1.0f);\nelse\nr = simd_max(2.0f);\no[g] = r;";
    assert_eq!(kinds(&reports(&kernel(OUT, body))), [FindingKind]);
    one(
        OUT,
        "simdgroup_float8x8 m(0.0f);\nif (t % 32 < 16)\nsimdgroup_multiply(m, m, m);\no[g] = 1;",
        FindingKind,
        6,
    );
    // A simdgroup as a whole may go its own way.
    clean(OUT, "float r = 0;\nif (t < 32) r = simd_sum(1.0f);\no[g] = r;");
}

#[test]
fn arguments_and_lanes_of_functions_of_simdgroups() {
    one(OUT, "o[g] = simd_shuffle(float(g), 40);", FindingKind::BadLane, 4);
    one(OUT, "o[g] = simd_broadcast(float(g), ushort(g & 3));", FindingKind::NotUniform, 4);
    one(OUT, "o[g] =\nsimd_shuffle_down(float(g), ushort(g & 3));", FindingKind::NotUniform, 5);
    clean(OUT, "o[g] = simd_shuffle(float(g), ushort(t * 7 % 32));");
    // Half of the last simdgroup does not exist.
    let rig = Rig::new(&kernel(OUT, "o[g] = simd_shuffle_xor(1.0f, 16);"), true).unwrap();
    let dispatch = rig.dispatch([1, 1, 1], [48, 1, 1]).buffer(0, &rig.buffer(&[0f32; 48]), 0);
    assert!(rig.run(dispatch).is_err());
    assert_eq!(kinds(&rig.emulator.take_reports()), [FindingKind::BadLane]);
}

#[test]
fn misaligned_accesses() {
    let body = "if (g == 0)\n*(device float4*)(o + 1) = float4(1.0f);";
    one(OUT, body, FindingKind::Misaligned, 5);
    let body = "device uchar* b = (device uchar*)o;\nif (g == 3) *(device uint*)(b + 6) = 1;";
    one(OUT, body, FindingKind::Misaligned, 5);
    clean(OUT, "if (g == 0) *(device packed_float4*)(o + 1) = packed_float4(float4(1.0f));");
}

#[test]
fn threads_that_return_early_are_a_warning() {
    let barrier = "threadgroup_barrier(mem_flags::mem_threadgroup);";
    for (body, line) in [
        (format!("if (g >= 100) return;\n{barrier}\no[g] = g;"), 5),
        ("if (g >= 100) return;\no[g] = simd_sum(1.0f);".to_owned(), 5),
    ] {
        let found = one(OUT, &body, FindingKind::EarlyReturn, line);
        assert!(found.iter().all(|report| report.kind.is_warning()));
    }
    clean(OUT, "if (g >= 100) return;\no[g] = g;");
}

#[test]
fn buffers_that_overlap() {
    let rig = Rig::new(&kernel(IN_OUT, "o[g] = x[g];"), true).unwrap();
    let buffer = rig.buffer(&[0f32; 256]);
    let dispatch =
        rig.dispatch([2, 1, 1], [64, 1, 1]).buffer(0, &buffer, 0).buffer(1, &buffer, 512);
    assert!(rig.run(dispatch).is_err());
    assert_eq!(kinds(&rig.emulator.take_reports()), [FindingKind::Overlap]);
    // Tensors in one buffer are apart, and each has its own bounds.
    let apart = |end| {
        let dispatch = rig.dispatch([2, 1, 1], [64, 1, 1]);
        rig.run(dispatch.part(0, &buffer, 0..512).part(1, &buffer, 512..end))
    };
    assert_eq!(apart(1024), Ok(()));
    assert!(apart(1020).is_err());
    assert_eq!(kinds(&rig.emulator.take_reports()), [FindingKind::OutOfBounds]);
    // Buffers that are only read may be one.
    let parameters = "device const float* a [[buffer(0)]], device const float* b [[buffer(1)]], \
                      device float* o [[buffer(2)]], uint g [[thread_position_in_grid]]";
    let rig = Rig::new(&kernel(parameters, "o[g] = a[g] + b[g];"), true).unwrap();
    let (x, o) = (rig.buffer(&[1f32; 128]), rig.buffer(&[0f32; 128]));
    let dispatch = rig.dispatch([2, 1, 1], [64, 1, 1]);
    assert_eq!(rig.run(dispatch.buffer(0, &x, 0).buffer(1, &x, 0).buffer(2, &o, 0)), Ok(()));
}

#[test]
fn lines_are_those_of_the_python_source() {
    let body =
        "#line 41 \"softmax.py\"\no[g] = 1;\n#line 17 \"softmax.py\"\nif (g < 127) o[g + 1] = 2;";
    let found = reports(&kernel(OUT, body));
    assert_eq!(kinds(&found), [FindingKind::Race], "{found:?}");
    assert_eq!(found[0].place.to_string(), "softmax.py:41");
    assert_eq!(found[0].other.as_ref().unwrap().to_string(), "softmax.py:17");
    let text = found[0].to_string();
    assert!(text.starts_with("race: softmax.py:41: write of `o` at byte "), "{text}");
    assert!(text.contains("in kernel `t`"), "{text}");
}

#[test]
fn a_removed_barrier_of_a_real_kernel_is_found() {
    let source = include_str!("kernels/softmax.metal");
    let planted = source.lines().position(|line| line.contains("// PLANT")).unwrap();
    let lines = source.lines().enumerate().map(|(i, line)| if i == planted { "" } else { line });
    let rig = Rig::new(&lines.collect::<Vec<_>>().join("\n"), true).unwrap();
    let run = |source: &Rig| {
        let dispatch = source
            .dispatch([4, 1, 1], [256, 1, 1])
            .buffer(0, &source.buffer(&[1f32; 4000]), 0)
            .buffer(1, &source.buffer(&[0f32; 4000]), 0);
        source.run(dispatch.bytes(2, &1000u32.to_le_bytes()))
    };
    assert!(run(&rig).is_err());
    let found = rig.emulator.take_reports();
    assert!(kinds(&found).contains(&FindingKind::Race), "{found:?}");
    assert!(found.iter().all(|report| report.variable == "scratch"));
    assert_eq!(run(&Rig::new(source, true).unwrap()), Ok(()));
}
