//! `apple::framework`, which calls Metal on a Mac, against the mock of Metal: `cargo xtask mock` runs it.
#![cfg(trident_mock)]
#![allow(unsafe_code, clippy::unwrap_used)] // runs kernels; what fails there fails the test

use objc2 as _; // the features of these crates make them take GCC's runtime
use objc2_foundation::NSString;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use trident_apple::framework::Gpu;
use trident_apple::metal::{
    Batch, CompileOptions, ConstantValue, Dispatch, Family, FunctionConstant, GpuTimes,
    LanguageVersion, Metal, MetalBuffer, MetalError, Pipeline,
};
use trident_emulator as _; // what the mock forwards to

unsafe extern "C" {
    static mock_objects: AtomicI64;
    static mock_blocks: AtomicI64;
    static mock_leaks: AtomicI64;
    static mock_barriers: AtomicI64;
    static mock_resident: AtomicI64;
    static mock_archive_hits: AtomicI64;
    static mut mock_system: i64;
    static mut mock_gpu_family: i64;
    static mut mock_no_device: bool;
    static mut mock_no_memory: bool;
}

/// One test at a time, as the mock counts all objects of the process; at the end there are none.
struct Alone(#[allow(dead_code)] MutexGuard<'static, ()>);

fn alone() -> Alone {
    static ONE: Mutex<()> = Mutex::new(());
    let alone = Alone(ONE.lock().unwrap_or_else(PoisonError::into_inner));
    unsafe {
        (mock_system, mock_gpu_family, mock_no_device, mock_no_memory) = (15, 1007, false, false);
        mock_barriers.store(0, Ordering::SeqCst);
    }
    alone
}

impl Drop for Alone {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        // A thread of the mock releases its command buffer after the handlers have run.
        let counts = || unsafe { [&mock_objects, &mock_blocks, &mock_resident, &mock_leaks] };
        let counts = || counts().map(|count| count.load(Ordering::SeqCst));
        for _ in 0..200 {
            if counts() == [0; 4] {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        panic!("objects, blocks, resident buffers, autoreleased without a pool: {:?}", counts());
    }
}

const TEXT: &str = "\
#include <metal_stdlib>
using namespace metal;

constant int factor [[function_constant(3)]];

kernel void scale(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],
                  constant uint& n [[buffer(2)]], uint i [[thread_position_in_grid]]) {
    if (i < n) y[i] = x[i] * float(factor);
}

kernel void add(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],
                uint i [[thread_position_in_grid]]) {
    y[i] = x[i] + 1.0f;
}

kernel void reversed(device float* x [[buffer(0)]], threadgroup float* t [[threadgroup(0)]],
                     uint i [[thread_index_in_threadgroup]]) {
    t[i] = x[i];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    x[i] = t[31 - i];
}
";

fn pipeline(gpu: &Gpu, name: &str) -> Arc<dyn Pipeline> {
    let constants = [FunctionConstant { index: 3, value: ConstantValue::Int(3) }];
    let library = gpu.library(TEXT, &CompileOptions::default()).unwrap();
    library.pipeline(name, &constants).unwrap()
}

fn floats(gpu: &Gpu, values: &[f32]) -> Arc<dyn MetalBuffer> {
    let buffer = gpu.buffer(size_of_val(values)).unwrap();
    let to = buffer.contents().cast::<f32>();
    unsafe { std::ptr::copy_nonoverlapping(values.as_ptr(), to.as_ptr(), values.len()) };
    buffer
}

fn read(buffer: &Arc<dyn MetalBuffer>) -> Vec<f32> {
    let from = buffer.contents().cast::<f32>();
    unsafe { std::slice::from_raw_parts(from.as_ptr(), buffer.bytes() / 4) }.to_vec()
}

fn run(gpu: &Gpu, batch: impl Into<Batch>) -> Result<GpuTimes, MetalError> {
    unsafe { gpu.queue()?.commit(batch.into()) }?.wait()
}

#[test]
fn the_device_tells_its_figures() {
    let _alone = alone();
    for (family, expected) in [
        (1007, Family::Apple7),
        (1008, Family::Apple8),
        (1009, Family::Apple9),
        (1010, Family::Apple10),
    ] {
        unsafe { mock_gpu_family = family };
        let gpu = Gpu::open().unwrap();
        let limits = gpu.limits();
        assert_eq!((limits.family, limits.name.as_str()), (expected, "Apple Mock"));
        assert_eq!(
            (limits.max_threads_per_threadgroup, limits.max_threadgroup_bytes),
            (1024, 32768)
        );
    }
    unsafe { mock_gpu_family = 1006 };
    assert!(
        Gpu::open().unwrap_err().to_string().contains("`Apple Mock` is not a GPU of Apple silicon")
    );
    unsafe { mock_no_device = true };
    assert!(Gpu::open().unwrap_err().to_string().contains("no GPU"));
}

#[test]
fn kernels_run_with_constants_bytes_and_threadgroup_memory() {
    let _alone = alone();
    let gpu = Gpu::open().unwrap();
    let (x, y) = (floats(&gpu, &[1.0, -2.0, f32::INFINITY, 5.0]), floats(&gpu, &[0.0; 4]));
    x.set_label("x");
    let scale = Dispatch::new(pipeline(&gpu, "scale"), [1, 1, 1], [32, 1, 1]);
    let times = run(&gpu, scale.buffer(0, &x, 0).buffer(1, &y, 0).bytes(2, &3u32.to_ne_bytes()));
    assert!(times.unwrap().elapsed() > std::time::Duration::ZERO);
    assert_eq!(read(&y), [3.0, -6.0, f32::INFINITY, 0.0]);
    // A grid of threads whose last threadgroup is smaller.
    let (x, y) = (floats(&gpu, &[1.0; 40]), floats(&gpu, &[0.0; 40]));
    let add = Dispatch::of_threads(pipeline(&gpu, "add"), [40, 1, 1], [32, 1, 1]);
    run(&gpu, add.buffer(0, &x, 0).buffer(1, &y, 0)).unwrap();
    assert_eq!(read(&y), [2.0; 40]);
    let rising: Vec<f32> = (0..32u8).map(f32::from).collect();
    let x = floats(&gpu, &rising);
    let reversed = Dispatch::new(pipeline(&gpu, "reversed"), [1, 1, 1], [32, 1, 1]);
    run(&gpu, reversed.buffer(0, &x, 0).threadgroup(0, 128)).unwrap();
    assert!(read(&x).iter().eq(rising.iter().rev()));
}

#[test]
fn dispatches_wait_for_what_they_read_and_for_nothing_else() {
    let _alone = alone();
    let gpu = Gpu::open().unwrap();
    let add = pipeline(&gpu, "add");
    let buffers: Vec<_> = (0..4).map(|_| floats(&gpu, &[0.0; 32])).collect();
    let step =
        |from: usize, to: usize| {
            Dispatch::new(Arc::clone(&add), [1, 1, 1], [32, 1, 1])
                .buffer(0, &buffers[from], 0)
                .buffer(1, &buffers[to], 0)
        };
    // The mock runs what lies between barriers in reverse.
    let dispatches = vec![step(0, 1), step(1, 2), step(0, 3), step(2, 1)];
    run(&gpu, Batch { dispatches }).unwrap();
    assert_eq!(unsafe { mock_barriers.load(Ordering::SeqCst) }, 2);
    let first: Vec<f32> = buffers.iter().map(|buffer| read(buffer)[7]).collect();
    assert_eq!(first, [0.0, 3.0, 2.0, 1.0]);
}

#[test]
fn batches_hold_what_they_use_and_run_in_order() {
    let _alone = alone();
    let gpu = Gpu::open().unwrap();
    let queue = gpu.queue().unwrap();
    let x = floats(&gpu, &[1.0; 32]);
    let (sender, receiver) = mpsc::channel();
    for i in 0..20 {
        let y = gpu.buffer(128).unwrap();
        let add = Dispatch::new(pipeline(&gpu, "add"), [1, 1, 1], [32, 1, 1]);
        let back = add.clone().buffer(0, &y, 0).buffer(1, &x, 0);
        let add = add.buffer(0, &x, 0).buffer(1, &y, 0);
        let done = unsafe { queue.commit(Batch { dispatches: vec![add, back] }) }.unwrap();
        let sender = sender.clone();
        done.on_completed(Box::new(move |result| sender.send((i, result.is_ok())).unwrap()));
    }
    drop((sender, queue, gpu));
    assert!(receiver.iter().eq((0..20).map(|i| (i, true))));
    assert_eq!(read(&x), [41.0; 32]);
}

#[test]
fn host_memory_is_used_in_place_until_nothing_needs_it() {
    let _alone = alone();
    #[repr(align(16384))]
    struct Page([f32; 4096]);
    struct Owner(Arc<AtomicBool>);
    impl Drop for Owner {
        fn drop(&mut self) {
            self.0.store(true, Ordering::SeqCst);
        }
    }
    let gpu = Gpu::open().unwrap();
    let mut page = Box::new(Page([2.0; 4096]));
    let start = NonNull::from(&mut page.0).cast::<u8>();
    let dropped = Arc::new(AtomicBool::new(false));
    let wrap = |start, bytes| unsafe { gpu.wrap(start, bytes, Box::new(Owner(dropped.clone()))) };
    let error = wrap(start, 100).unwrap_err();
    assert!(matches!(error, MetalError::Alignment { .. }), "{error}");
    assert!(dropped.swap(false, Ordering::SeqCst));
    unsafe { mock_no_memory = true };
    assert!(matches!(wrap(start, 16384), Err(MetalError::Memory { .. })));
    assert!(matches!(gpu.buffer(4), Err(MetalError::Memory { .. })));
    assert!(
        dropped.swap(false, Ordering::SeqCst),
        "the owner goes with the buffer that was not made"
    );
    unsafe { mock_no_memory = false };
    let buffer = wrap(start, 16384).unwrap();
    let add = Dispatch::new(pipeline(&gpu, "add"), [1, 1, 1], [32, 1, 1]);
    run(&gpu, add.buffer(0, &floats(&gpu, &[9.0; 32]), 0).buffer(1, &buffer, 128)).unwrap();
    assert!(!dropped.load(Ordering::SeqCst));
    drop(buffer);
    while !dropped.load(Ordering::SeqCst) {
        std::thread::yield_now();
    }
    assert_eq!((page.0[31], page.0[32], page.0[63], page.0[64]), (2.0, 10.0, 10.0, 2.0));
}

#[test]
fn what_is_wrong_is_said() {
    let _alone = alone();
    let gpu = Gpu::open().unwrap();
    let options = CompileOptions::default();
    let error = |text: &str| gpu.library(text, &options).map(drop).unwrap_err().to_string();
    let text = "#include <metal_stdlib>\nkernel void k(device int* x [[buffer(0)]]) { *x = y; }\n";
    assert!(error(text).contains("msl:2: use of undeclared identifier 'y'"), "{}", error(text));
    let library = gpu.library(TEXT, &options).unwrap();
    assert_eq!(library.functions(), ["scale", "add", "reversed"]);
    let error = |name, value| {
        let constants = [FunctionConstant { index: 3, value }];
        library.pipeline(name, &constants).map(drop).unwrap_err().to_string()
    };
    let said = error("scale", ConstantValue::Float(1.0));
    assert!(said.contains("constant 3 `factor` is not of type float"), "{said}");
    assert!(error("none", ConstantValue::Int(1)).contains("it has scale, add, reversed"));
    let said = library.pipeline("scale", &[]).unwrap_err().to_string();
    assert!(said.contains("constant 3 `factor` has no value"), "{said}");

    let x = floats(&gpu, &[0.0; 16]);
    let add = |threads| Dispatch::new(pipeline(&gpu, "add"), [1, 1, 1], [threads, 1, 1]);
    let said = run(&gpu, add(32).buffer(0, &x, 0)).unwrap_err().to_string();
    assert!(said.contains("slot 1 is not bound; hint: `y` needs an argument"), "{said}");
    let said = run(&gpu, add(32).buffer(0, &x, 0).bytes(1, &[0; 64])).unwrap_err().to_string();
    assert!(said.contains("slot 1 has inline bytes, which the kernel may write"), "{said}");
    let said = run(&gpu, add(2048).buffer(0, &x, 0).buffer(1, &x, 0)).unwrap_err().to_string();
    assert!(said.contains("2048, more than the limit of 1024"), "{said}");
    // 32 threads and 16 elements: the emulator stops the kernel, and the framework's error reaches the caller.
    let said = run(&gpu, add(32).buffer(0, &x, 0).buffer(1, &floats(&gpu, &[0.0; 16]), 0));
    let said = said.unwrap_err().to_string();
    assert!(said.contains("kernel `add` failed: ") && said.contains("not bound"), "{said}");
    let other = Gpu::open().unwrap();
    let foreign = run(&other, add(16).buffer(0, &x, 0).buffer(1, &x, 0)).unwrap_err();
    assert!(matches!(foreign, MetalError::Foreign { .. }), "{foreign}");
}

#[test]
fn older_systems_have_no_residency_sets_and_older_languages() {
    let _alone = alone();
    unsafe { mock_system = 14 };
    let gpu = Gpu::open().unwrap();
    let (x, y) = (floats(&gpu, &[1.0; 32]), floats(&gpu, &[0.0; 32]));
    assert_eq!(unsafe { mock_resident.load(Ordering::SeqCst) }, 0);
    let add = Dispatch::new(pipeline(&gpu, "add"), [1, 1, 1], [32, 1, 1]);
    run(&gpu, add.buffer(0, &x, 0).buffer(1, &y, 0)).unwrap();
    assert_eq!(read(&y), [2.0; 32]);
    let options = CompileOptions { language: LanguageVersion::V3_2, ..CompileOptions::default() };
    let said = gpu.library(TEXT, &options).unwrap_err().to_string();
    assert!(said.contains("version 3.2 of Metal's language needs macOS 15"), "{said}");
}

#[test]
fn compiled_kernels_are_found_again() {
    let _alone = alone();
    let hits = || unsafe { mock_archive_hits.load(Ordering::SeqCst) };
    let gpu = Gpu::open().unwrap();
    // A text that no run has stored.
    let text = format!("{TEXT}// {:?}\n", std::time::SystemTime::now());
    let make = |options: &CompileOptions| {
        gpu.library(&text, options)
            .unwrap()
            .pipeline("add", &[FunctionConstant { index: 3, value: ConstantValue::Int(1) }])
    };
    make(&CompileOptions::default()).unwrap();
    let before = hits();
    make(&CompileOptions::default()).unwrap();
    assert_eq!(hits(), before + 1);
    make(&CompileOptions { language: LanguageVersion::V3_0, ..CompileOptions::default() }).unwrap();
    assert_eq!(hits(), before + 1, "another language is another kernel");
}

#[test]
fn buffers_of_other_libraries_are_taken_by_their_handles() {
    let _alone = alone();
    let gpu = Gpu::open().unwrap();
    let theirs = floats(&gpu, &[1.0; 32]);
    let resident = || unsafe { mock_resident.load(Ordering::SeqCst) };
    let before = resident();
    let x = unsafe { gpu.adopt(theirs.handle()) }.unwrap();
    assert_eq!((x.place(), x.bytes()), (theirs.place(), 128));
    assert_eq!(resident(), before, "the set of resident buffers has only our own");
    // It lives on without the library that made it.
    drop(theirs);
    let y = floats(&gpu, &[0.0; 32]);
    let add = Dispatch::new(pipeline(&gpu, "add"), [1, 1, 1], [32, 1, 1]);
    run(&gpu, add.buffer(0, &x, 0).buffer(1, &y, 0)).unwrap();
    assert_eq!(read(&y), [2.0; 32]);
    let refused = |handle| unsafe { gpu.adopt(handle) }.unwrap_err().to_string();
    assert!(refused(0).contains("the handle 0x0 is not a buffer of this device: there is none"));
    let text = NSString::from_str("no buffer");
    let said = refused((&raw const *text) as u64);
    assert!(said.contains("it is an object of another kind"), "{said}");
}
