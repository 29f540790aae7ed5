//! Buffers, pipelines, queues and errors: the seam as a whole.
#![allow(unsafe_code)] // commits batches and wraps memory

mod common;

use common::{HEADER, Rig, options, read};
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;
use trident_apple::metal::{
    Batch, CompileOptions, ConstantValue, Dispatch, FunctionConstant, Metal, MetalError,
};
use trident_emulator::{Emulator, EmulatorOptions};

const FILL: &str = "kernel void t(device uint* o [[buffer(0)]], uint g [[thread_position_in_grid]]) { o[g] += g; }";

fn rig(source: &str) -> Rig {
    Rig::new(&format!("{HEADER}{source}\n"), false).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn buffers_are_zeroed_pages_and_have_limits() {
    let emulator = Emulator::new(options(false)).unwrap();
    let buffer = emulator.buffer(5).unwrap();
    assert_eq!((buffer.bytes(), read::<u8>(&buffer)), (5, vec![0; 5]));
    assert_eq!(buffer.contents().as_ptr() as usize % 16384, 0);
    assert_eq!(buffer.gpu_address(), buffer.contents().as_ptr() as u64);
    assert!(matches!(emulator.buffer(0), Err(MetalError::Memory { .. })));
    let most = emulator.limits().max_buffer_bytes;
    let error = emulator.buffer(most + 1).unwrap_err();
    assert!(matches!(error, MetalError::Limit { limit, .. } if limit == most as u64));
}

#[repr(align(16384))]
struct Page([u32; 4096]);

#[test]
fn host_memory_becomes_a_buffer_without_a_copy() {
    let rig = rig(FILL);
    let page = Arc::new(Page([1; 4096]));
    let start = NonNull::from(&page.0).cast::<u8>();
    let wrap = |start: NonNull<u8>, bytes: usize| {
        // SAFETY: the owner holds the page, and only the kernel writes it.
        unsafe { rig.emulator.wrap(start, bytes, Box::new(Arc::clone(&page))) }
    };
    let buffer = wrap(start, 16384).unwrap();
    assert_eq!(Arc::strong_count(&page), 2);
    rig.run(rig.dispatch([64, 1, 1], [64, 1, 1]).buffer(0, &buffer, 0)).unwrap();
    assert_eq!(buffer.contents(), start);
    assert_eq!(read::<u32>(&buffer)[4095], 4096);
    drop(buffer);
    assert_eq!(Arc::strong_count(&page), 1);
    // SAFETY: the page has more bytes.
    let inside = unsafe { start.add(4096) };
    assert!(matches!(wrap(inside, 16384), Err(MetalError::Alignment { .. })));
    let error = wrap(start, 100).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the length of host memory for a buffer is 100, no multiple of 16384; hint: allocate whole pages, or copy into a buffer"
    );
}

#[test]
fn dispatches_of_a_batch_run_in_order_and_report_times() {
    let rig = rig(FILL);
    let buffer = rig.buffer(&[0u32; 64]);
    let one = || rig.dispatch([2, 1, 1], [32, 1, 1]).buffer(0, &buffer, 0);
    let batch = Batch { dispatches: vec![one(), one(), one()] };
    // SAFETY: the kernel stays inside of its buffer.
    let done = unsafe { rig.queue.commit(batch) }.unwrap();
    let (sender, receiver) = channel();
    let again = sender.clone();
    done.on_completed(Box::new(move |result| sender.send(result.clone()).unwrap()));
    let times = done.wait().unwrap();
    assert!(times.elapsed() > Duration::ZERO && times.elapsed() < Duration::from_secs(10));
    assert_eq!(receiver.recv().unwrap(), Ok(times));
    assert_eq!(done.poll(), Some(Ok(times)));
    done.on_completed(Box::new(move |result| again.send(result.clone()).unwrap()));
    assert_eq!(receiver.recv().unwrap(), Ok(times));
    assert_eq!(read::<u32>(&buffer)[63], 189);
}

#[test]
fn function_constants_select_code() {
    let source = "constant int N [[function_constant(0)]];\nconstant bool plus [[function_constant(1)]];\n\
        constant float scale [[function_constant(7)]];\nconstant int twice = N * 2;\n\
        kernel void t(device float* o [[buffer(0)]], uint g [[thread_position_in_grid]]) {\n\
        float s = is_function_constant_defined(scale) ? scale : 1.0f;\n\
        if (plus) o[g] = N * s; else o[g] = twice;\n}";
    let source = format!("{HEADER}{source}");
    let rig = Rig::new(&source, false).unwrap_or_else(|error| panic!("{error}"));
    let value = |index, value| FunctionConstant { index, value };
    let result = |constants: &[FunctionConstant]| {
        let pipeline = rig.library.pipeline("t", constants)?;
        let o = rig.buffer(&[0f32]);
        rig.run(Dispatch::new(pipeline, [1, 1, 1], [1, 1, 1]).buffer(0, &o, 0))?;
        Ok(read::<f32>(&o)[0])
    };
    let n = value(0, ConstantValue::Int(-3));
    let plus = |on| value(1, ConstantValue::Bool(on));
    let scale = value(7, ConstantValue::Float(0.5));
    assert_eq!(result(&[n, plus(true), scale]), Ok(-1.5));
    assert_eq!(result(&[n, plus(false), scale]), Ok(-6.0));
    let error: MetalError = result(&[n, scale]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "kernel `t`: function constant 1 `plus` has no value; hint: pass a value of its type"
    );
    let error = result(&[value(0, ConstantValue::UInt(3)), plus(true), scale]).unwrap_err();
    assert!(error.to_string().contains("`N` has type int, and the value uint"), "{error}");
}

#[test]
fn pipelines_know_their_limits() {
    let rig = rig(
        "[[max_total_threads_per_threadgroup(96)]]\nkernel void t(device float* o [[buffer(0)]], \
        uint t [[thread_index_in_threadgroup]]) { threadgroup float a[100]; threadgroup uchar b; threadgroup float4 c; \
        a[t] = 1; b = 1; c = 1; o[t] = a[t]; }\nkernel void u() {}",
    );
    let pipeline = rig.library.pipeline("t", &[]).unwrap();
    let info = pipeline.info();
    assert_eq!((info.max_total_threads_per_threadgroup, info.execution_width), (96, 32));
    assert_eq!(info.static_threadgroup_bytes, 432);
    let buffer = rig.buffer(&[0f32; 128]);
    let run = |threads| {
        rig.run(Dispatch::new(pipeline.clone(), [1, 1, 1], [threads, 1, 1]).buffer(0, &buffer, 0))
    };
    assert_eq!(run(96), Ok(()));
    assert!(matches!(run(97), Err(MetalError::Limit { asked: 97, limit: 96, .. })));
    assert_eq!(rig.library.functions(), ["t", "u"]);
    let error = rig.library.pipeline("v", &[]).unwrap_err();
    assert_eq!(error.to_string(), "the library has no kernel `v`; hint: it has t, u");
    let large = format!(
        "{HEADER}kernel void t(device float* o [[buffer(0)]]) {{ threadgroup float a[8193]; a[0] = 1; o[0] = a[0]; }}"
    );
    let library = Rig::new(&large, false).unwrap().library;
    assert!(matches!(library.pipeline("t", &[]), Err(MetalError::Limit { asked: 32772, .. })));
}

#[test]
fn what_does_not_fit_a_kernel_is_refused() {
    let rig = rig(FILL);
    let message = |dispatch| rig.run(dispatch).unwrap_err().to_string();
    let one = || rig.dispatch([1, 1, 1], [1, 1, 1]);
    assert_eq!(message(one()), "kernel `t`: slot 0 is not bound; hint: `o` needs an argument");
    assert!(
        message(one().bytes(0, &[0; 4]))
            .contains("slot 0 has inline bytes, which the kernel may write")
    );
    let other = Emulator::new(options(false)).unwrap();
    let source = format!("{HEADER}{FILL}");
    let library = other.library(&source, &CompileOptions::default()).unwrap();
    let foreign = Dispatch::new(library.pipeline("t", &[]).unwrap(), [1, 1, 1], [1, 1, 1]);
    assert!(matches!(rig.run(foreign), Err(MetalError::Foreign { .. })));
}

#[test]
fn resident_buffers_are_reached_by_address() {
    let source = format!(
        "{HEADER}kernel void t(device const ulong* table [[buffer(0)]], uint g [[thread_position_in_grid]]) {{\n\
         device uint* p = (device uint*)table[0];\np[g] = g + 1;\n}}"
    );
    let rig = Rig::new(&source, true).unwrap_or_else(|error| panic!("{error}"));
    let target = rig.buffer(&[0u32; 32]);
    let table = rig.buffer(&[target.gpu_address()]);
    let dispatch = rig.dispatch([1, 1, 1], [32, 1, 1]).buffer(0, &table, 0);
    assert!(matches!(rig.run(dispatch.clone()), Err(MetalError::Check { .. })));
    let part = rig.run(dispatch.clone().reaching(&target, 0..64)).unwrap_err().to_string();
    assert!(part.contains("at byte 64 of `resident buffer`, which has 64"), "{part}");
    assert!(rig.run(dispatch.clone().reaching(&target, 0..129)).is_err());
    assert_eq!(rig.run(dispatch.reaching(&target, 0..128)), Ok(()));
    assert_eq!(read::<u32>(&target)[31], 32);
}

#[test]
fn handles_stand_for_living_buffers_of_the_process() {
    let rig = rig(FILL);
    let buffer = rig.emulator.buffer(64).unwrap();
    let handle = buffer.handle();
    assert_ne!(handle, buffer.gpu_address());
    // SAFETY: a handle is a buffer of this emulator that lives, or one that it does not know.
    let adopt = |handle| unsafe { rig.emulator.adopt(handle) };
    let same = adopt(handle).unwrap();
    assert_eq!((same.place(), same.bytes()), (buffer.place(), 64));
    let refused = adopt(buffer.gpu_address()).unwrap_err().to_string();
    assert!(refused.contains("is not a buffer of this device"), "{refused}");
    drop((buffer, same));
    assert!(matches!(adopt(handle), Err(MetalError::Handle { .. })));
}

#[test]
fn faults_and_endless_kernels_are_errors() {
    let wild = "kernel void t(device uint* o [[buffer(0)]], uint g [[thread_position_in_grid]]) {\n\
                o[0] = 1;\nif (g == 70) o[1ul << 40] = 7;\n}";
    let wild = rig(wild);
    let run = |rig: &Rig| {
        let buffer = rig.buffer(&[0u32; 128]);
        rig.run(rig.dispatch([4, 1, 1], [32, 1, 1]).buffer(0, &buffer, 0))
    };
    for _ in 0..3 {
        let error = run(&wild).unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("kernel `t` failed: msl:5: an access at address 0x"), "{text}");
    }
    let deep = "uint f(uint n) { uint a[64]; for (uint i = 0; i < 64; i++) a[i] = n * i; \
                return n == 0 ? 0 : f(n - 1) + a[n % 64]; }\n\
                kernel void t(device uint* o [[buffer(0)]], uint g [[thread_position_in_grid]]) { o[g] = f(o[g] + 100000); }";
    let wide = "kernel void t(device uint* o [[buffer(0)]], uint g [[thread_position_in_grid]]) {\n\
                uint a[400000]; a[o[g] + 5] = 3; a[o[g + 1]] = 4; o[g] = a[o[g] + 5]; }";
    for (checked, source) in [(false, deep), (false, wide), (true, wide)] {
        let rig = Rig::new(&format!("{HEADER}{source}"), checked).unwrap();
        let text = run(&rig).unwrap_err().to_string();
        assert!(text.contains("kernel `t` failed: the variables and calls of a thread"), "{text}");
        assert!(text.contains("use smaller blocks"), "{text}");
    }
    assert_eq!(run(&rig(FILL)), Ok(()));
    for (checked, source) in [
        (false, "while (o[0] == 0) {}"),
        (true, "while (o[0] == 0) {}"),
        (false, "for (uint i = 0; i < 2; i -= i) o[g] += 1;"),
        (false, "while (o[0] == 0) threadgroup_barrier(mem_flags::mem_device);"),
    ] {
        let source = format!(
            "{HEADER}kernel void t(device volatile uint* o [[buffer(0)]], uint g [[thread_position_in_grid]]) {{ {source} }}"
        );
        let limit = Duration::from_millis(200);
        let emulator =
            Emulator::new(EmulatorOptions { time_limit: limit, ..options(checked) }).unwrap();
        let library = emulator.library(&source, &CompileOptions::default()).unwrap();
        let pipeline = library.pipeline("t", &[]).unwrap();
        let buffer = emulator.buffer(512).unwrap();
        let dispatch = Dispatch::new(pipeline, [4, 1, 1], [32, 1, 1]).buffer(0, &buffer, 0);
        // SAFETY: the kernel stays inside of its buffer.
        let done = unsafe { emulator.queue().unwrap().commit(Batch::from(dispatch)) }.unwrap();
        let result = done.wait();
        assert!(
            matches!(result, Err(MetalError::Timeout { .. } | MetalError::Check { .. })),
            "{result:?} {source}"
        );
    }
}

#[test]
fn divisions_by_zero_have_any_value_and_do_not_stop_a_kernel() {
    let source = format!(
        "{HEADER}kernel void t(device int* o [[buffer(0)]], uint g [[thread_position_in_grid]]) {{\n\
         int d = o[g];\nint v = 100 / d + 100 % d + int(7ul / ulong(d)) + short(short(5) / short(d));\n\
         o[g] = v;\n}}"
    );
    for checked in [false, true] {
        let rig = Rig::new(&source, checked).unwrap_or_else(|error| panic!("{error}"));
        let o = rig.buffer(&[0, 7, 0, i32::MAX]);
        rig.run(rig.dispatch([1, 1, 1], [4, 1, 1]).buffer(0, &o, 0)).unwrap();
        let got = read::<i32>(&o);
        assert_eq!((got[1], got[3]), (17, 95));
    }
}

#[test]
fn atomics_of_parallel_threadgroups_add_up() {
    let source = format!(
        "{HEADER}kernel void t(device atomic_uint* o [[buffer(0)]]) {{ atomic_fetch_add_explicit(o, 1u, memory_order_relaxed); }}"
    );
    let emulator = Emulator::new(EmulatorOptions { workers: 4, ..options(false) }).unwrap();
    let library = emulator.library(&source, &CompileOptions::default()).unwrap();
    let pipeline = library.pipeline("t", &[]).unwrap();
    let buffer = emulator.buffer(4).unwrap();
    let dispatch = Dispatch::new(pipeline, [500, 1, 1], [64, 1, 1]).buffer(0, &buffer, 0);
    // SAFETY: the kernel stays inside of its buffer.
    unsafe { emulator.queue().unwrap().commit(Batch::from(dispatch)) }.unwrap().wait().unwrap();
    assert_eq!(read::<u32>(&buffer), [32000]);
}
