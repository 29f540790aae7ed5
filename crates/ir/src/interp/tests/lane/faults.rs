//! Kernels with an error: it is found and named.

use super::*;

/// Runs a kernel of 64 threads on the tensors `x`, of 64 numbers 0, and `y`, of 64 unwritten ones, and tells its end.
fn outcome(threads: usize, grid: u32, body: &str) -> String {
    let body = constants(&[0, 1, 4, 32, 40, 63])
        + "%s = alloc {space = \"threadgroup\", dtype = f32, len = 64}
           %own = alloc {space = \"thread\", dtype = f32, len = 4}
           %l = lane_index
           %nil = constant {value = f32[](0)}
           %ps = ptr_add(%s, %t)
           %px = ptr_add(%x, %t)
           %other = sub(%c63, %t)
           %po = ptr_add(%s, %other)
           %low = less(%l, %c4)
           %one = equal(%t, %c0) "
        + body;
    let module = kernel(threads, "%x: ptr<f32>[], %y: ptr<f32>[]", &body);
    let mut memory = Memory::default();
    let args = [memory.add("x", &[0f32; 64]), memory.reserve("y", 256)].map(InterpValue::address);
    launch(&module, grid, &args, &mut memory).map_or_else(|e| e.to_string(), |()| "fine".into())
}

/// Each body has the error beside it.
fn check(cases: &[(&str, &str)]) {
    for (body, reason) in cases {
        let found = outcome(64, 1, body);
        assert!(found.contains(reason), "{body}\nfound: {found}\nexpected: {reason}");
    }
}

#[test]
fn accesses_outside_and_unwritten() {
    check(&[
        (
            "%p = ptr_add(%ps, %c1) store(%p, %nil)",
            "store, threadgroup (0, 0, 0), thread 63: threadgroup memory: write of 4 bytes at offset 256 of `s`, \
             which has 256 bytes",
        ),
        (
            "%v = load(%ps)",
            "thread 0: threadgroup memory: read of 4 bytes at offset 0 of `s`, which nothing has written",
        ),
        (
            "%v = load(%own)",
            "thread 0: thread memory: read of 4 bytes at offset 0 of `own`, which nothing",
        ),
        (
            "%p = ptr_add(%own, %c4) store(%p, %nil)",
            "thread memory: write of 4 bytes at offset 16 of `own`",
        ),
        (
            "%v = load(%y)",
            "thread 0: read of 4 bytes at offset 0 of `y`, which nothing has written",
        ),
        ("%p = ptr_add(%px, %c1) %v = load(%p)", "thread 63: read of 4 bytes at offset 256 of `x`"),
        (
            "%v = load(%px) {width = 2, align = 8}",
            "thread 1: misaligned read of 8 bytes at offset 4 of `x`",
        ),
        ("%v = load(%px) {width = 2}", "thread 63: read of 8 bytes at offset 252 of `x`"),
        ("%m = matrix_load(%ps, %c1)", "operand 0 differs from that of thread 0"),
        (
            "%m = matrix_load(%s, %c1)",
            "thread 0: threadgroup memory: read of 4 bytes at offset 0 of `s`, which nothing",
        ),
    ]);
}

#[test]
fn races() {
    let store = "store(%ps, %nil) loc(\"put\") ";
    let exchange = |between: &str| format!("{store}{between} %v = load(%po) loc(\"get\")");
    assert_eq!(outcome(64, 1, &exchange("threadgroup_barrier")), "fine");
    assert_eq!(outcome(64, 1, &exchange("threadgroup_barrier {memory = \"both\"}")), "fine");
    for between in [
        "",
        "threadgroup_barrier {memory = \"none\"}",
        "threadgroup_barrier {memory = \"device\"}",
        // The other thread is in the other simdgroup.
        "simdgroup_barrier",
        "%n = simd_reduce(%l) {op = \"add\"}",
    ] {
        assert_eq!(
            outcome(64, 1, &exchange(between)),
            "@f: load `get`, threadgroup (0, 0, 0), thread 0: race: read at offset 252 of `s`, which thread 63 in \
             store `put` writes, with no barrier between"
        );
    }
    // Within a simdgroup its barrier is enough.
    let near = |between: &str| {
        format!("{store}{between} %n = bitwise_xor(%t, %c1) %q = ptr_add(%s, %n) %v = load(%q)")
    };
    assert_eq!(outcome(64, 1, &near("simdgroup_barrier")), "fine");
    assert!(outcome(64, 1, &near("")).contains("thread 0: race: read at offset 4"));
    check(&[
        ("store(%s, %nil)", "thread 1: race: write at offset 0 of `s`, which thread 0 in store writes"),
        (
            "store(%ps, %nil) threadgroup_barrier %v = load(%s) store(%ps, %nil)",
            "thread 0: race: write at offset 0 of `s`, which thread 1 in load reads",
        ),
        (
            "%p = ptr_add(%y, %c0) if(%one) region { store(%p, %nil) yield } region { yield }
             %n = atomic_rmw(%p, %nil) {op = \"fadd\", order = \"relaxed\"}",
            "thread 1: race: atomic access at offset 0 of `y`, which thread 0 in store writes",
        ),
        (
            "%n = atomic_rmw(%x, %nil) {op = \"fadd\", order = \"relaxed\"} %v = load(%x)",
            "thread 0: race: read at offset 0 of `x`, which thread 1 in atomic_rmw writes",
        ),
        (
            "store(%ps, %nil) %m = matrix_fill(%nil) threadgroup_barrier
             %first = less(%t, %c32) if(%first) region { matrix_store(%s, %m, %c4) %v = load(%s) yield } region { yield }",
            "race: write at offset 16 of `s`, which simdgroup 0 in matrix_store writes",
        ),
    ]);
    // Threadgroups have no order.
    assert_eq!(outcome(64, 1, "store(%px, %nil)"), "fine");
    assert_eq!(
        outcome(64, 2, "store(%px, %nil)"),
        "@f: store, threadgroup (1, 0, 0), thread 0: race: write at offset 0 of `x`, which thread 0 of threadgroup \
         (0, 0, 0) in store writes, with no barrier between"
    );
    assert_eq!(outcome(64, 3, "%v = load(%px)"), "fine");
    let late = "%g = threadgroup_id {axis = 0} %last = equal(%g, %c4)
                %v = load(%x)
                if(%last) region { store(%x, %nil) yield } region { yield }";
    assert!(outcome(1, 4, late) == "fine" && outcome(1, 5, late).contains("in load reads"));
}

#[test]
fn divergence() {
    let branch =
        |op: &str| format!("if(%low) loc(\"low\") region {{ {op} yield }} region {{ yield }}");
    let turns =
        |op: &str| format!("for(%c0, %l, %c1) loc(\"turns\") region (%i: i32[]) {{ {op} yield }}");
    let barrier = "threadgroup_barrier loc(\"here\")";
    let shuffle = "%y1 = simd_shuffle_xor(%l, %c1) loc(\"here\")";
    for (body, thread, missing, at) in [
        (branch(barrier), 0, 4, "if `low`"),
        (branch(shuffle), 0, 4, "if `low`"),
        (branch("simdgroup_barrier loc(\"here\")"), 0, 4, "if `low`"),
        // Lane 0 does not loop at all.
        (turns(barrier), 1, 0, "for `turns`"),
        (turns(shuffle), 1, 0, "for `turns`"),
        (turns(&branch(shuffle)), 1, 0, "for `turns`"),
    ] {
        let found = outcome(64, 1, &body);
        let expected = format!(
            "thread {thread}: divergent: thread {missing} does not come here, it went another way at {at}"
        );
        assert!(found.contains(" `here`, ") && found.ends_with(&expected), "{body}\n{found}");
    }
    // Both ways have a barrier, but not the same.
    let both = format!("if(%low) region {{ {barrier} yield }} region {{ {barrier} yield }}");
    assert!(outcome(64, 1, &both).contains("thread 4 does not come here"));
    // All threads loop alike.
    assert_eq!(
        outcome(64, 1, &format!("for(%c0, %c4, %c1) region (%i: i32[]) {{ {barrier} yield }}")),
        "fine"
    );
}

#[test]
fn functions_that_are_called() {
    let kernel = |body: &str, callee: &str| {
        let text = format!(
            "func @f lane {{threads = 8}} (%n: i32[]) {{
               %t = thread_index
               %low = less(%t, %n)
               {body}
               return
             }}
             func @g lane (%x: i32[]) -> (i32[]) {{
               %own = alloc {{space = \"thread\", dtype = i32, len = 1}}
               {callee}
               return %y
             }}"
        );
        let module: Module = text.parse().unwrap();
        let outcome = launch(&module, 1, &[InterpValue::scalar(5i32)], &mut Memory::default());
        outcome.map_or_else(|e| e.to_string(), |()| "fine".into())
    };
    let call = "%y = call(%t) {callee = \"g\"} : i32[]";
    let branch = format!("if(%low) region {{ {call} yield }} region {{ yield }}");
    let stores = "store(%own, %x) %y = load(%own)";
    assert_eq!(kernel(&format!("{call} %z = call(%y) {{callee = \"g\"}} : i32[]"), stores), "fine");
    assert_eq!(kernel(&branch, stores), "fine");
    // The array of the first call is not that of the second.
    let once = "%c = equal(%x, %x) %y = load(%own)";
    assert!(
        kernel(call, once).contains("@g: load, threadgroup (0, 0, 0), thread 0: thread memory")
    );
    let barrier = "threadgroup_barrier %y = abs(%x)";
    assert_eq!(kernel(call, barrier), "fine");
    assert!(
        kernel(&branch, barrier)
            .contains("@g: threadgroup_barrier, threadgroup (0, 0, 0), thread 0: divergent: thread 5 does not come here, it went another way at if")
    );
}

#[test]
fn lanes_that_are_not_there_or_differ() {
    check(&[
        ("%v = simd_shuffle(%l, %t)", "thread 32: lane 32 is asked for, the simdgroup has 32"),
        ("%v = simd_shuffle_xor(%l, %t)", "thread 1: operand 1 differs from that of thread 0"),
        ("%v = simd_shuffle_up(%l, %c40)", "thread 0: lane 40 is asked for, the simdgroup has 32"),
        ("%f = cast(%t) {to = f32} %m = matrix_fill(%f)", "thread 1: operand 0 differs"),
        (
            "%a = matrix_fill(%nil) %f = constant {value = f32[](1)} %b = matrix_fill(%f)
             %m = where(%low, %t, %l)",
            "fine",
        ),
        (
            "assert(%low) {message = \"low\"}",
            "assert, threadgroup (0, 0, 0), thread 4: assertion failed: low",
        ),
        (
            "%e = while(%c0) : i32[] region (%i: i32[]) { %go = less(%c0, %c1) yield %go, %i } region (%j: i32[]) { yield %j }",
            "ops have run: an endless loop?",
        ),
    ]);
    let partial = |body: &str, reason: &str| {
        let found = outcome(40, 1, body);
        assert!(found.contains(reason), "{body}\n{found}");
    };
    partial(
        "%m = matrix_fill(%nil)",
        "thread 32: a matrix needs all 32 lanes of a simdgroup, this one has 8",
    );
    partial(
        "%v = simd_shuffle_down(%l, %c4)",
        "thread 36: lane 8 is asked for, the simdgroup has 8",
    );
    partial("%v = simd_shuffle_up(%l, %c4)", "fine");
}

#[test]
fn kernels_are_launched_and_others_called() {
    let module: Module = "func @g lane () { return }".parse().unwrap();
    let error = launch(&module, 1, &[], &mut Memory::default()).unwrap_err();
    assert_eq!(error, InterpError::NoKernel("g".into()));
    let graph: Module = "func @g graph () { return }".parse().unwrap();
    let error = launch(&graph, 1, &[], &mut Memory::default()).unwrap_err();
    assert_eq!(error.to_string(), "@g is at level graph, only tile and lane functions run");
}
