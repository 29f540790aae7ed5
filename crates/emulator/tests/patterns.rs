//! Patterns of real kernels: what is right has no reports, and a small change that breaks it has one.
#![allow(unsafe_code)] // commits batches

mod common;

use common::{HEADER, Rig, kinds, read, reports};
use trident_apple::metal::Batch;
use trident_emulator::{CheckReport, FindingKind};

const OUT: &str = "device float* o [[buffer(0)]], uint g [[thread_position_in_grid]], \
                   uint t [[thread_index_in_threadgroup]], uint lane [[thread_index_in_simdgroup]], \
                   uint sg [[simdgroup_index_in_threadgroup]]";
const BARRIER: &str = "threadgroup_barrier(mem_flags::mem_threadgroup);";

fn kernel(body: &str) -> String {
    format!(
        "{HEADER}struct P {{ float a; uchar b; half c[3]; }};\nkernel void t({OUT}) {{\n{body}\n}}\n"
    )
}

/// The body is right as it is; without its lines that end with `// PLANT` it has errors of a kind, at a line of the
/// body, from 1; at any line for 0.
#[track_caller]
fn planted(body: &str, kind: FindingKind, line: u32) {
    assert_eq!(reports(&kernel(body)), [], "{body}");
    let lines = body.lines().map(|line| if line.ends_with("// PLANT") { "" } else { line });
    let found = reports(&kernel(&lines.collect::<Vec<_>>().join("\n")));
    // Which access of a race comes first depends on the order of the threads.
    let lines = |report: &CheckReport| {
        [Some(report.place.line), report.other.as_ref().map(|other| other.line)]
    };
    let hit = found.iter().any(|report| {
        report.kind == kind && (line == 0 || lines(report).contains(&Some(line + 4)))
    });
    assert!(hit, "{kind:?} at {}: {found:#?}\n{body}", line + 4);
}

#[test]
fn tree_of_sums_in_threadgroup_memory() {
    let body = format!(
        "threadgroup float s[64];\ns[t] = t;\nfor (uint d = 32; d > 0; d /= 2) {{\n{BARRIER} // PLANT\n\
         if (t < d) s[t] += s[t + d];\n}}\nif (t == 0) o[g] = s[0];"
    );
    planted(&body, FindingKind::Race, 5);
}

#[test]
fn two_buffers_in_turn() {
    let body = format!(
        "threadgroup float s[2][64];\ns[0][t] = 0;\nfor (uint i = 0; i < 4; i++) {{\n{BARRIER} // PLANT\n\
         float v = s[i & 1][(t + 33) % 64];\ns[1 - (i & 1)][t] = v + 1;\n}}\no[g] = s[0][t];"
    );
    planted(&body, FindingKind::Race, 0);
}

#[test]
fn tiles_are_not_overwritten_while_they_are_read() {
    let body = format!(
        "threadgroup float s[64];\nfloat sum = 0;\nfor (uint i = 0; i < 3; i++) {{\ns[t] = t + i;\n{BARRIER}\n\
         for (uint j = 0; j < 64; j++) sum += s[j];\n{BARRIER} // PLANT\n}}\no[g] = sum;"
    );
    planted(&body, FindingKind::Race, 0);
}

#[test]
fn one_lane_writes_for_its_simdgroup() {
    let body = "threadgroup float s[2];\nif (lane == 0) s[sg] = sg;\n\
                simdgroup_barrier(mem_flags::mem_threadgroup); // PLANT\no[g] = s[sg];";
    planted(body, FindingKind::Race, 4);
}

#[test]
fn matrices_pass_through_threadgroup_memory() {
    let body = "threadgroup float s[2][64];\nsimdgroup_float8x8 m(1.0f), n;\nsimdgroup_store(m, s[sg]);\n\
                simdgroup_barrier(mem_flags::mem_threadgroup); // PLANT\nsimdgroup_load(n, s[sg], 8, ulong2(0, 0), true);\n\
                simdgroup_barrier(mem_flags::mem_none);\no[g] = n.thread_elements()[0];";
    planted(body, FindingKind::Race, 5);
    let body = "threadgroup float s[2][72];\nsimdgroup_float8x8 m(1.0f);\n\
                for (uint i = lane; i < 72; i += 32) s[sg][i] = 0; // PLANT\n\
                simdgroup_barrier(mem_flags::mem_threadgroup);\nsimdgroup_load(m, s[sg] + 8);\no[g] = m.thread_elements()[1];";
    planted(body, FindingKind::Uninitialised, 5);
}

#[test]
fn counters_are_read_after_a_barrier() {
    let body = format!(
        "threadgroup atomic_uint c;\nif (t == 0) atomic_store_explicit(&c, 0u, memory_order_relaxed);\n{BARRIER}\n\
         atomic_fetch_add_explicit(&c, 1u, memory_order_relaxed);\n{BARRIER} // PLANT\n\
         threadgroup uint* p = (threadgroup uint*)&c;\no[g] = *p;"
    );
    planted(&body, FindingKind::Race, 7);
}

#[test]
fn vectors_and_structs_cover_their_bytes() {
    let body = format!(
        "threadgroup float4 s[16];\nif (t < 16) s[t] = float4(t);\n{BARRIER} // PLANT\n\
         threadgroup float* p = (threadgroup float*)s;\no[g] = p[63 - t];"
    );
    planted(&body, FindingKind::Race, 5);
    let wrong = |body: &str, kind: FindingKind| {
        let found = reports(&kernel(body));
        assert_eq!(kinds(&found), [kind], "{body}\n{found:#?}");
    };
    wrong(
        "device packed_float3* p = (device packed_float3*)o;\nif (g < 43) p[g] = packed_float3(float3(1.0f));",
        FindingKind::OutOfBounds,
    );
    wrong(
        "device P* p = (device P*)o;\nP x;\nx.a = 1;\nif (g < 44) p[g % 44] = x;",
        FindingKind::OutOfBounds,
    );
    wrong(
        "device half* p = (device half*)o;\nif (g == 0) p[256] = 1.0h;",
        FindingKind::OutOfBounds,
    );
    wrong(
        "device bfloat4* p = (device bfloat4*)o;\nif (g == 0) p[64] = bfloat4(1.0f);",
        FindingKind::OutOfBounds,
    );
    wrong(
        "device P* p = (device P*)o;\nP x = p[g % 2];\nx.c[2] = 1;\nif (g < 8) p[g % 4] = x;",
        FindingKind::Race,
    );
    assert_eq!(
        reports(&kernel(
            "device P* p = (device P*)o;\nif (g < 42) { P x = p[g]; x.c[1] = 2; p[g] = x; }"
        )),
        []
    );
}

#[test]
fn loops_that_end_at_different_times_do_not_meet_at_barriers() {
    let body = format!(
        "for (uint i = 0; i < 4; i++) {{\nif (i > t / 32) break;\n{BARRIER}\n}}\no[g] = 1;"
    );
    let found = reports(&kernel(&body));
    assert_eq!(kinds(&found), [FindingKind::DivergentBarrier], "{found:#?}");
}

#[test]
fn threadgroup_parameters_have_bounds() {
    let source = |index: &str| {
        format!(
            "{HEADER}kernel void t(device float* o [[buffer(0)]], threadgroup float* a [[threadgroup(0)]], \
             threadgroup half* b [[threadgroup(1)]], uint t [[thread_index_in_threadgroup]]) {{\n\
             a[t] = t;\nb[t] = t;\n{BARRIER}\no[t] = a[{index}] + float(b[63 - t]);\n}}\n"
        )
    };
    let run = |index: &str| {
        let rig = Rig::new(&source(index), true).unwrap_or_else(|error| panic!("{error}"));
        let out = rig.buffer(&[0f32; 64]);
        let dispatch = rig.dispatch([1, 1, 1], [64, 1, 1]).buffer(0, &out, 0);
        let result = rig.run(dispatch.threadgroup(0, 256).threadgroup(1, 128));
        (result.is_ok(), kinds(&rig.emulator.take_reports()), read::<f32>(&out)[0])
    };
    assert_eq!(run("63 - t"), (true, vec![], 126.0));
    assert_eq!(run("64 + t").1, [FindingKind::OutOfBounds]);
}

#[test]
fn dispatches_of_a_batch_do_not_race() {
    let source = kernel("o[g] = o[127 - g] + 1;");
    let first = kernel("o[g] = g;");
    let rig = Rig::new(&first, true).unwrap();
    let atomics = format!(
        "{HEADER}kernel void t(device atomic_uint* o [[buffer(0)]]) {{ atomic_fetch_add_explicit(o, 1u, memory_order_relaxed); }}\n\
         kernel void u(device const uint* o [[buffer(0)]], device uint* p [[buffer(1)]], uint g [[thread_position_in_grid]]) {{ p[g] = o[0]; }}\n"
    );
    let library = Rig::new(&atomics, true).unwrap();
    let (counter, copies) = (library.buffer(&[0u32]), library.buffer(&[0u32; 64]));
    let add = library.dispatch([4, 1, 1], [64, 1, 1]).buffer(0, &counter, 0);
    let mut copy =
        library.dispatch([2, 1, 1], [32, 1, 1]).buffer(0, &counter, 0).buffer(1, &copies, 0);
    copy.pipeline = library.library.pipeline("u", &[]).unwrap();
    // SAFETY: the kernels are checked.
    let done = unsafe { library.queue.commit(Batch { dispatches: vec![add, copy] }) }.unwrap();
    assert!(done.wait().is_ok());
    assert_eq!(read::<u32>(&copies), [256; 64]);
    let out = rig.buffer(&[0f32; 128]);
    assert_eq!(rig.run(rig.dispatch([2, 1, 1], [64, 1, 1]).buffer(0, &out, 0)), Ok(()));
    assert_eq!(kinds(&reports(&source)), [FindingKind::Race]);
}
