//! What kernels print, and assertions that fail.

use super::emulators;
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
fn lines_that_are_printed_do_not_stop_a_launch() {
    let body = "  print(%v, %xp) {prefix = \" v: \"}\n  print {prefix = \" end\"}\n";
    assert_eq!(launch(body, [1, 2, 3, 8], [3, 2, 1]), Ok(()));
}
