//! Launches see the memory of their arguments as the CPU does: in place, at any address, also where several arguments are the
//! same array.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(unsafe_code)] // launches on addresses
#![allow(clippy::unwrap_used)] // what fails there fails the test

use std::sync::Arc;
use trident_apple::device::GpuCompiler;
use trident_emulator::{Check, Emulator, EmulatorOptions};
use trident_ir::Module;
use trident_runtime::{
    Checks, Extent, Kernel, KernelCompiler, KernelLaunch, KernelOptions, LaunchError,
};

/// Each program rotates its 64 elements of `x` by one into `y`, then doubles what it has written.
const ROTATE: &str = "
func @rotate tile (%x: ptr<f32>[], %y: ptr<f32>[], %n: i32[]) {
  %size = constant {value = i32[](64)}
  %program = program_id {axis = 0}
  %first = mul(%program, %size)
  %firsts = splat(%first) : i32[64]
  %each = arange {start = 0, end = 64}
  %at = add(%firsts, %each)
  %one = constant {value = i32[](1)}
  %ones = splat(%one) : i32[64]
  %next = add(%each, %ones)
  %sizes = splat(%size) : i32[64]
  %turned = mod(%next, %sizes)
  %from = add(%firsts, %turned)
  %ns = splat(%n) : i32[64]
  %inside = less(%at, %ns)
  %known = less(%from, %ns)
  %xs = splat(%x) : ptr<f32>[64]
  %xp = ptr_add(%xs, %from)
  %xv = load(%xp, %known)
  %ys = splat(%y) : ptr<f32>[64]
  %yp = ptr_add(%ys, %at)
  store(%yp, %xv, %inside)
  %written = load(%xp, %known)
  %twice = add(%xv, %written)
  store(%yp, %twice, %inside)
  return
}
";

fn kernel(checks: Checks) -> Arc<dyn Kernel> {
    let emulator = |check| {
        Arc::new(Emulator::new(EmulatorOptions { check, ..EmulatorOptions::default() }).unwrap())
    };
    let compiler = GpuCompiler::new(emulator(None), Some(emulator(Some(Check::default()))));
    let module: Module = ROTATE.parse().unwrap();
    compiler.compile_kernel(&module, &KernelOptions { checks }).unwrap()
}

/// Launches with `x` and `y` as parts of one array of floats.
fn launch(
    kernel: &dyn Kernel,
    memory: &mut [f32],
    [x, y]: [std::ops::Range<usize>; 2],
) -> Result<(), LaunchError> {
    let n = y.len();
    let base = memory.as_mut_ptr().expose_provenance();
    let extent = |name, param, part: std::ops::Range<usize>, writable| Extent {
        name,
        param,
        address: base + part.start * 4,
        bytes: part.len() * 4,
        writable,
    };
    let extents = [extent("x", 0, x, false), extent("y", 1, y, true)];
    let args = [extents[0].address as u64, extents[1].address as u64, n as u64];
    // SAFETY: the extents lie in `memory`, and the kernel stays inside: it masks what it accesses by `n`.
    let launch =
        unsafe { KernelLaunch::of_addresses([n.div_ceil(64) as u32, 1, 1], &args, &extents) };
    kernel.launch(&launch)
}

/// The kernel's result for `x` and another array.
fn rotated(x: &[f32], i: usize) -> f32 {
    let from = i / 64 * 64 + (i + 1) % 64;
    if from < x.len() { 2.0 * x[from] } else { 0.0 }
}

#[test]
fn arrays_of_any_length_and_address_are_used_in_place() {
    for checks in [Checks::None, Checks::Bounds] {
        let kernel = kernel(checks);
        // Small ones are copied, large ones shared; neither starts at a page.
        for n in [1, 63, 640, 16_385, 100_003] {
            let mut memory: Vec<f32> = (0..2 * n + 9).map(|i| i as f32).collect();
            let before = memory.clone();
            launch(&*kernel, &mut memory, [3..3 + n, n + 5..2 * n + 5]).unwrap();
            for (i, &value) in memory.iter().enumerate() {
                let expected = match i.checked_sub(n + 5) {
                    Some(i) if i < n => rotated(&before[3..3 + n], i),
                    _ => before[i],
                };
                assert!(value == expected, "n = {n}, element {i}: {value}, not {expected}");
            }
        }
    }
}

#[test]
fn one_array_as_two_arguments_is_one_memory() {
    // The second load reads what the first store wrote: neighbours that have turned already.
    for checks in [Checks::None, Checks::Bounds] {
        let kernel = kernel(checks);
        for n in [64, 32_768] {
            let mut memory: Vec<f32> = (0..n).map(|i| i as f32).collect();
            launch(&*kernel, &mut memory, [0..n, 0..n]).unwrap();
            for (i, &value) in memory.iter().enumerate() {
                let at = |by: usize| (i / 64 * 64 + (i + by) % 64) as f32;
                assert!(value == at(1) + at(2), "n = {n}, element {i}: {value}");
            }
        }
    }
}

#[test]
fn arrays_of_one_address_may_differ_in_length() {
    let kernel = kernel(Checks::Bounds);
    let mut memory: Vec<f32> = (0..128).map(|i| i as f32).collect();
    launch(&*kernel, &mut memory, [0..64, 0..128]).unwrap();
    assert_eq!(memory[64], 65.0 + 66.0);
}

#[test]
fn arrays_that_overlap_in_part_are_one_memory() {
    for checks in [Checks::None, Checks::Bounds] {
        let kernel = kernel(checks);
        let mut memory: Vec<f32> = (0..128).map(|i| i as f32).collect();
        launch(&*kernel, &mut memory, [0..64, 32..96]).unwrap();
        // The program stores all, then reads what is left of `x` and what it has stored.
        let turned = |i: usize| ((i + 1) % 64) as f32;
        for i in 0..64 {
            let from = (i + 1) % 64;
            let again = if from < 32 { from as f32 } else { turned(from - 32) };
            assert_eq!(memory[32 + i], turned(i) + again, "element {i}");
        }
    }
}

#[test]
fn pointers_outside_of_their_arrays_are_refused() {
    let mut memory = [0.0f32; 8];
    let address = memory.as_mut_ptr().expose_provenance();
    let extents = [Extent { name: "x", param: 0, address, bytes: 16, writable: false }];
    let args = [address as u64 + 20, address as u64 + 16, 4];
    // SAFETY: the launch is refused.
    let launch = unsafe { KernelLaunch::of_addresses([1, 1, 1], &args, &extents) };
    let error = kernel(Checks::None).launch(&launch).unwrap_err();
    assert!(error.to_string().contains("argument 0 points outside of its array"), "{error}");
}
