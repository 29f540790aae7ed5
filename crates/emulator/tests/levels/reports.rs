//! Printing kernels, assertions that fail, and programs that wait in vain.

use super::emulators;
use std::sync::Arc;
use std::time::Duration;
use trident_apple::device::GpuCompiler;
use trident_emulator::{Emulator, EmulatorOptions};
use trident_ir::Module;
use trident_runtime::{Arguments, Checks, KernelCompiler, KernelOptions, LaunchError};

/// Launches a kernel on four numbers.
fn launch(body: &str, elements: [i32; 4], grid: [u32; 3]) -> Result<(), LaunchError> {
    let text = format!(
        "func @f tile (%x: ptr<i32>[]) {{\n  %each = arange {{start = 0, end = 4}}
  %xs = splat(%x) : ptr<i32>[4]\n  %xp = ptr_add(%xs, %each)\n  %v = load(%xp)\n{body}  return\n}}\n"
    );
    let module: Module = text.parse().unwrap_or_else(|e| panic!("{e}\n{text}"));
    let options = KernelOptions { checks: Checks::Bounds };
    let kernel = emulators().compile_kernel(&module, &options).unwrap_or_else(|e| panic!("{e}"));
    let mut bytes: Vec<u8> = elements.iter().flat_map(|e| e.to_le_bytes()).collect();
    let mut arguments = Arguments::new().write("x", &mut bytes);
    kernel.launch(&arguments.launch(grid))
}

#[test]
fn assertions_that_fail_are_errors_with_their_place() {
    let body = "  %n = constant {value = i32[](9)}\n  %ns = splat(%n) : i32[4]
  %small = less(%v, %ns)\n  assert(%small) {message = \"too large\"} loc(\"k.py:7\")\n";
    assert_eq!(launch(body, [1, 2, 3, 8], [2, 1, 1]), Ok(()));
    let error = launch(body, [1, 2, 9, 8], [1, 1, 1]).unwrap_err();
    assert_eq!(error.to_string(), "program (0, 0, 0) at k.py:7: assertion failed: too large");
}

#[test]
fn steps_that_are_not_positive_are_errors_with_their_place() {
    // The step is the sum of the elements; x[0] becomes the number of iterations, in every element's thread.
    let body = "  %step = reduce(%v) {axis = 0} region (%a: i32[], %b: i32[]) {
    %sum = add(%a, %b)\n    yield %sum\n  }
  %zero = constant {value = i32[](0)}\n  %ten = constant {value = i32[](10)}
  %last = for(%zero, %ten, %step, %zero) loc(\"k.py:7\") region (%i: i32[], %c: i32[]) {
    yield %i\n  }
  %lasts = splat(%last) : i32[4]\n  %fine = equal(%lasts, %v)\n  store(%xp, %lasts)\n";
    assert_eq!(launch(body, [1, 0, 0, 2], [1, 1, 1]), Ok(()));
    for (elements, step) in [([1, 0, 0, -1], 0), ([5, -9, 0, 1], -3)] {
        let error = launch(body, elements, [1, 1, 1]).unwrap_err().to_string();
        let text = format!(
            "program (0, 0, 0) at k.py:7: the step of the loop is {step}, expected a positive number"
        );
        assert_eq!(error, text);
    }
}

#[test]
fn lines_that_are_printed_do_not_stop_a_launch() {
    let body = "  print(%v, %xp) {prefix = \" v: \"}\n  print {prefix = \" end\"}\n";
    assert_eq!(launch(body, [1, 2, 3, 8], [3, 2, 1]), Ok(()));
}

#[test]
fn programs_that_wait_in_vain_end_with_an_error() {
    let text = "func @f tile (%x: ptr<i32>[]) {
  %zero = constant {value = i32[](0)}
  while() region () {
    %seen = atomic_load(%x)
    %none = equal(%seen, %zero)
    yield %none
  } region () {
    yield
  }
  return
}
";
    let module: Module = text.parse().unwrap_or_else(|e| panic!("{e}\n{text}"));
    let options =
        EmulatorOptions { time_limit: Duration::from_millis(200), ..EmulatorOptions::default() };
    let emulator = Arc::new(Emulator::new(options).unwrap_or_else(|e| panic!("{e}")));
    let compiler = GpuCompiler::new(emulator.clone(), Some(emulator));
    let options = KernelOptions { checks: Checks::Bounds };
    let kernel = compiler.compile_kernel(&module, &options).unwrap_or_else(|e| panic!("{e}"));
    let plan = kernel.listing("plan").unwrap_or_default();
    assert!(plan.contains("while may wait for other programs"), "{plan}");
    let launch = |value: u8| {
        let mut bytes = vec![value, 0, 0, 0];
        kernel.launch(&Arguments::new().write("x", &mut bytes).launch([1, 1, 1]))
    };
    assert_eq!(launch(1), Ok(()));
    assert!(matches!(launch(0), Err(LaunchError::Device { .. })));
}
