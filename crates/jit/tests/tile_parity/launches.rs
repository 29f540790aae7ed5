//! Launches that hold their memory.

use std::sync::Arc;

use trident_ir::Module;
use trident_jit::Compiler;
use trident_kernels::Threads;
use trident_runtime::{Arguments, Checks, Kernel, KernelCompiler, KernelOptions, LaunchError};
use trident_simd::Isa;

/// out[i] = x[i] for `i < n`, 16 elements a program.
const COPY: &str = "func @copy tile (%x: ptr<i32>[], %out: ptr<i32>[], %n: i32[]) {
   %pid = program_id {axis = 0} %size = constant {value = i32[](16)} %start = mul(%pid, %size)
   %starts = splat(%start) : i32[16] %r = arange {start = 0, end = 16} %i = add(%starts, %r)
   %ns = splat(%n) : i32[16] %m = less(%i, %ns)
   %xs = splat(%x) : ptr<i32>[16] %px = ptr_add(%xs, %i) %v = load(%px, %m)
   %os = splat(%out) : ptr<i32>[16] %po = ptr_add(%os, %i) store(%po, %v, %m) return
 }";

fn compiled(text: &str, checks: Checks) -> Arc<dyn Kernel> {
    let module: Module = text.parse().unwrap();
    let compiler = Compiler::new(Isa::detect(), Arc::new(Threads::new(2)));
    compiler.compile_kernel(&module, &KernelOptions { checks }).unwrap()
}

#[test]
fn memory_is_lent_to_kernels_that_check_their_accesses() {
    let x: Vec<u8> = (0..160).collect();
    for checks in [Checks::Bounds, Checks::All] {
        let kernel = compiled(COPY, checks);
        let mut out = vec![0; 160];
        let mut list = Arguments::new().read("x", &x).write("out", &mut out).scalar(37);
        kernel.launch(&list.launch([3, 1, 1])).unwrap();
        assert!(out[..37 * 4] == x[..37 * 4] && out[37 * 4..].iter().all(|&b| b == 0));

        let mut out = vec![0; 99];
        let mut list = Arguments::new().read("x", &x).write("out", &mut out).scalar(40);
        let error = kernel.launch(&list.launch([3, 1, 1])).unwrap_err().to_string();
        let text = "program (1, 0, 0): out-of-bounds write of 4 bytes at byte 96 (element 24) of `out`, whose memory is bytes 0 to 99";
        assert_eq!(error, text);
        assert_eq!((&out[..96], &out[96..]), (&x[..96], &[0; 3][..]));

        let mut list = Arguments::new().read("x", &x).read("out", &out).scalar(1);
        let error = kernel.launch(&list.launch([3, 1, 1])).unwrap_err().to_string();
        assert!(error.contains("write of 4 bytes") && error.contains("of `out`"), "{error}");
    }
}

#[test]
fn other_launches_on_memory_are_refused() {
    let (x, mut out) = ([0; 64], [0; 64]);
    let mut list = Arguments::new().read("x", &x).write("out", &mut out).scalar(4);
    let unchecked = LaunchError::Unchecked { kernel: "copy".into() };
    assert_eq!(compiled(COPY, Checks::None).launch(&list.launch([1; 3])), Err(unchecked));
    let kernel = compiled(COPY, Checks::Bounds);
    let refused = |mut list: Arguments<'_>| kernel.launch(&list.launch([1; 3])).unwrap_err();
    let error = refused(Arguments::new().read("x", &x).scalar(4));
    assert!(matches!(error, LaunchError::Arguments { expected: 3, actual: 2, .. }), "{error}");
    let error = refused(Arguments::new().read("x", &x).scalar(4096).scalar(4));
    assert_eq!(error.to_string(), "kernel `copy`: argument 1 needs memory");
    let error = refused(Arguments::new().read("x", &x).read("out", &x).read("n", &x));
    assert_eq!(error.to_string(), "kernel `copy`: argument 2 is a number, not memory");
    let text = "func @f tile (%d: desc<f32>[4]) { return }";
    let error = compiled(text, Checks::Bounds);
    let error = error.launch(&Arguments::new().read("d", &x).launch([1; 3])).unwrap_err();
    assert!(error.to_string().contains("argument 0 is a descriptor"), "{error}");
}

/// Adds 1 to what lies `far` bytes behind the pointer, by a pointer that was an integer in between.
const FAR: &str = "func @far tile (%x: ptr<i32>[], %far: i64[]) {
   %a = ptr_to_int(%x) %b = add(%a, %far) %p = int_to_ptr(%b) : ptr<i32>[]
   %one = constant {value = i32[](1)}
   %o = atomic_rmw(%p, %one) {op = \"add\"} return
 }";

#[test]
fn computed_pointers_stay_in_the_launch_and_atomics_are_aligned() {
    let kernel = compiled(FAR, Checks::Bounds);
    let launch = |far: i64| {
        let mut words = [0u64; 4];
        // SAFETY: plain bytes.
        let bytes = unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast::<u8>(), 32) };
        let mut list = Arguments::new().write("x", bytes).scalar(far as u64);
        kernel.launch(&list.launch([1; 3])).map_err(|e| e.to_string()).map(|()| words)
    };
    assert_eq!(launch(8), Ok([0, 1, 0, 0]));
    assert_eq!(launch(28), Ok([0, 0, 0, 1 << 32]));
    for far in [29, 32, -4, i64::MIN, 1 << 40] {
        let error = launch(far).unwrap_err();
        assert!(error.contains("out-of-bounds atomic access of 4 bytes"), "{error}");
        assert!(error.contains(&format!("byte {far}")) && error.contains("of `x`"), "{error}");
    }
    let error = launch(6).unwrap_err();
    assert!(error.contains("misaligned atomic access of 4 bytes at byte 6 of `x`"), "{error}");
}
