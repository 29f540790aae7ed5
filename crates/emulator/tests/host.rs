//! State that launches share: buffers of other libraries, memory that kernels reach by address, more arguments than slots, and the
//! GPU's time.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(unsafe_code)] // launches on addresses
#![allow(clippy::unwrap_used)] // what fails there fails the test

use std::fmt::Write as _;
use std::sync::Arc;
use trident_apple::device::GpuCompiler;
use trident_apple::metal::{MetalBuffer, PRIVATE};
use trident_emulator::{Check, Emulator, EmulatorOptions};
use trident_ir::Module;
use trident_runtime::{
    Checks, Extent, Kernel, KernelCompiler, KernelLaunch, KernelOptions, LaunchError,
};

fn compiler() -> GpuCompiler {
    let emulator = |check| {
        Arc::new(Emulator::new(EmulatorOptions { check, ..EmulatorOptions::default() }).unwrap())
    };
    GpuCompiler::new(emulator(None), Some(emulator(Some(Check::default()))))
}

fn kernel(compiler: &GpuCompiler, text: &str, checks: Checks) -> Arc<dyn Kernel> {
    let module: Module = text.parse().unwrap();
    compiler.compile_kernel(&module, &KernelOptions { checks }).unwrap()
}

/// A launch of one program on parts of memory, by address and bytes; all may be written.
fn launch(kernel: &dyn Kernel, memory: &[(usize, usize)]) -> Result<(), LaunchError> {
    let names: Vec<String> = (0..memory.len()).map(|i| format!("p{i}")).collect();
    let extents =
        memory.iter().zip(&names).enumerate().map(|(param, (&(address, bytes), name))| Extent {
            name,
            param,
            address,
            bytes,
            writable: true,
        });
    let extents: Vec<_> = extents.collect();
    let args: Vec<u64> = memory.iter().map(|&(address, _)| address as u64).collect();
    // SAFETY: the memory lives until this returns, and checked kernels stay inside.
    kernel.launch(&unsafe { KernelLaunch::of_addresses([1; 3], &args, &extents) })
}

fn memory<T>(values: &mut [T]) -> (usize, usize) {
    (values.as_mut_ptr().expose_provenance(), size_of_val(values))
}

/// The sum of 64 elements of each but the last of `count` parameters, into the last.
fn sum(count: usize) -> String {
    let names = (0..count).map(|i| format!("%p{i}: ptr<f32>[]")).collect::<Vec<_>>().join(", ");
    let mut text = format!("func @sum tile ({names}) {{\n  %at = arange {{start = 0, end = 64}}\n");
    for i in 0..count {
        let _ = writeln!(text, "  %s{i} = splat(%p{i}) : ptr<f32>[64]");
        let _ = writeln!(text, "  %e{i} = ptr_add(%s{i}, %at)");
        if i + 1 < count {
            let _ = writeln!(text, "  %v{i} = load(%e{i})");
        }
        match i {
            _ if i + 1 == count => {}
            0 => {}
            1 => {
                let _ = writeln!(text, "  %t1 = add(%v0, %v1)");
            }
            _ => {
                let _ = writeln!(text, "  %t{i} = add(%t{}, %v{i})", i - 1);
            }
        }
    }
    let (to, total) = (count - 1, count - 2);
    let _ = write!(text, "  store(%e{to}, %t{total})\n  return\n}}\n");
    text
}

#[test]
fn kernels_have_more_arguments_than_slots() {
    let compiler = compiler();
    for (count, tabled) in [(31, false), (32, true), (40, true)] {
        for checks in [Checks::None, Checks::All] {
            let kernel = kernel(&compiler, &sum(count), checks);
            let text = kernel.listing("msl").unwrap();
            assert_eq!(text.contains("constant Table& table [[buffer(30)]]"), tabled, "{text}");
            let mut arrays = vec![vec![1.0f32; 64]; count];
            for (i, array) in arrays.iter_mut().enumerate() {
                array[5] = i as f32;
            }
            let parts: Vec<_> = arrays.iter_mut().map(|array| memory(array)).collect();
            launch(&*kernel, &parts).unwrap();
            let inputs = (count - 1) as f32;
            assert_eq!(arrays[count - 1][4], inputs);
            assert_eq!(arrays[count - 1][5], inputs * (inputs - 1.0) / 2.0);
        }
    }
}

#[test]
fn accesses_through_the_table_are_checked() {
    let kernel = kernel(&compiler(), &sum(40), Checks::All);
    let mut arrays = vec![vec![1.0f32; 64]; 40];
    let mut parts: Vec<_> = arrays.iter_mut().map(|array| memory(array)).collect();
    parts[35].1 -= 4;
    let error = launch(&*kernel, &parts).unwrap_err().to_string();
    assert!(error.contains("out of bounds") && error.contains("of `p35`"), "{error}");
}

#[test]
fn arguments_in_the_table_may_be_one_memory() {
    let kernel = kernel(&compiler(), &sum(40), Checks::All);
    let (mut ones, mut out) = (vec![1.0f32; 64], vec![0.0f32; 64]);
    let mut parts = vec![memory(&mut ones); 40];
    parts[39] = memory(&mut out);
    launch(&*kernel, &parts).unwrap();
    assert_eq!(out, [39.0; 64]);
}

/// Doubles 64 elements.
const DOUBLE: &str = "
func @double tile (%x: ptr<f32>[], %y: ptr<f32>[]) {
  %at = arange {start = 0, end = 64}
  %xs = splat(%x) : ptr<f32>[64]
  %xp = ptr_add(%xs, %at)
  %v = load(%xp)
  %d = add(%v, %v)
  %ys = splat(%y) : ptr<f32>[64]
  %yp = ptr_add(%ys, %at)
  store(%yp, %d)
  return
}
";

fn floats(buffer: &dyn MetalBuffer) -> Vec<f32> {
    let first = buffer.contents().as_ptr().cast::<f32>();
    // SAFETY: the buffer is that long, and tests look at it between launches.
    unsafe { std::slice::from_raw_parts(first, buffer.bytes() / 4) }.to_vec()
}

fn fill(buffer: &dyn MetalBuffer, value: f32) {
    let first = buffer.contents().as_ptr().cast::<f32>();
    // SAFETY: the buffer has that many floats, and no kernel runs while a test fills it.
    unsafe { std::slice::from_raw_parts_mut(first, buffer.bytes() / 4) }.fill(value);
}

#[test]
fn buffers_of_other_libraries_are_used_as_they_are() {
    let compiler = compiler();
    let host = compiler.host();
    let theirs = host.buffer(1024).unwrap();
    fill(&*theirs, 3.0);
    let kernel = kernel(&compiler, DOUBLE, Checks::All);
    // SAFETY: the buffer lives.
    let held = unsafe { host.hold(theirs.handle()) }.unwrap();
    assert_eq!((held.place() & PRIVATE, held.bytes()), (0, 1024));
    launch(&*kernel, &[(held.place(), 256), (held.place() + 256, 256)]).unwrap();
    assert_eq!(floats(&*theirs)[64..128], [6.0; 64]);
    assert_eq!(floats(&*theirs)[128..192], [3.0; 64]);
    let missed = launch(&*kernel, &[(PRIVATE | 4096, 256), (held.place(), 256)]);
    assert!(missed.unwrap_err().to_string().contains("no array holds"));
    // SAFETY: an emulated device only compares handles.
    let refused = unsafe { host.hold(held.place() as u64) }.unwrap_err().to_string();
    assert!(refused.contains("is not a buffer of this device"), "{refused}");
}

/// Doubles 64 elements at an address that a table has.
const FOLLOW: &str = "
func @follow tile (%table: ptr<i64>[]) {
  %address = load(%table)
  %x = int_to_ptr(%address) : ptr<f32>[]
  %at = arange {start = 0, end = 64}
  %xs = splat(%x) : ptr<f32>[64]
  %xp = ptr_add(%xs, %at)
  %v = load(%xp)
  %d = add(%v, %v)
  store(%xp, %d)
  return
}
";

#[test]
fn kernels_follow_addresses_of_memory_that_is_known() {
    let compiler = compiler();
    let kernel = kernel(&compiler, FOLLOW, Checks::All);
    let mut numbers = vec![2.0f32; 100];
    let (start, _) = memory(&mut numbers);
    // SAFETY: the numbers outlive it.
    let reached = unsafe { compiler.host().reach(start..start + 256) }.unwrap();
    let mut table = [reached.address()];
    launch(&*kernel, &[memory(&mut table)]).unwrap();
    assert_eq!((numbers[63], numbers[64]), (4.0, 2.0));
    // SAFETY: `numbers` lives until the end of the test, after the memory is dropped.
    let again = unsafe { compiler.host().reach(start..start + 256) }.unwrap();
    assert_eq!(again.address(), table[0]);
    drop((again, reached));
    let error = launch(&*kernel, &[memory(&mut table)]).unwrap_err().to_string();
    let address = format!("at address {:#x}", table[0]);
    assert!(error.contains(&address) && error.contains("trident.address(array)"), "{error}");
    assert_eq!(numbers[63], 4.0);
}

#[test]
fn marks_measure_the_launches_between_them() {
    let compiler = compiler();
    let kernel = kernel(&compiler, DOUBLE, Checks::None);
    let (mut x, mut y) = (vec![1.0f32; 64], vec![0.0f32; 64]);
    let parts = [memory(&mut x), memory(&mut y)];
    let marks: Vec<_> = (0..3)
        .map(|launches| {
            (0..launches).for_each(|_| launch(&*kernel, &parts).unwrap());
            compiler.host().mark()
        })
        .collect();
    assert_eq!(compiler.host().mark().until(&marks[0]), None);
    let times: Vec<_> = [(0, 1), (1, 2), (0, 2)]
        .map(|(from, to)| marks[from].until(&marks[to]).unwrap().as_nanos())
        .into();
    assert!(times.iter().all(|&time| time > 0) && times[2] >= times[0] + times[1], "{times:?}");
    assert_eq!(marks[2].until(&marks[2]), None);
    assert_eq!(marks[2].until(&marks[1]), None);
}
