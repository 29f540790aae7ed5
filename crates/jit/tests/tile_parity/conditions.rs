//! Conditions on values: native code stops where the interpreter does.

use std::sync::Arc;

use trident_ir::Module;
use trident_ir::interp::{InterpError, InterpValue, Interpreter, Memory, Trap};
use trident_jit::Compiler;
use trident_kernels::Threads;
use trident_runtime::{
    Arguments, Checks, KernelCompiler, KernelOptions, LaunchError, ProgramPoint,
};
use trident_simd::Isa;

/// The interpreter's error as a launch reports it. Ops are described by their name and, in quotes, their place.
fn expected(error: InterpError) -> LaunchError {
    let InterpError::Op { op, program, fault, .. } = error else { panic!("{error}") };
    let at = ProgramPoint { program, loc: op.as_ref().and_then(|op| op.loc.clone()) };
    assert!(at.loc.is_some(), "{op:?}");
    match *fault {
        Trap::Assert(message) => LaunchError::Assert { at, message },
        Trap::Assume => LaunchError::Assume { at },
        Trap::Step(step) => LaunchError::Step { at, step },
        Trap::Index { index, length } => LaunchError::Index { at, index, length },
        Trap::Wait(expected) => LaunchError::Wait { at, expected },
        other => panic!("{other}"),
    }
}

/// Launches three programs of `@f(%x: ptr<i32>[], %n: i32[])`, where `x` has 64 elements and a program has 16 at `own`, with each of these checks on each
/// instruction set, also from the kernel's image. All end as in the interpreter, and those before the failing one have run.
fn ends_alike(body: &str, n: i32, checks: &[Checks]) -> Result<(), LaunchError> {
    let text = format!(
        "func @f tile (%x: ptr<i32>[], %n: i32[]) {{
 %id = program_id {{axis = 0}} %sixteen = constant {{value = i32[](16)}}
 %first = mul(%id, %sixteen) %own = ptr_add(%x, %first)\n{body}\n return\n}}"
    );
    let module: Module = text.parse().unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut memory = Memory::default();
    let x = memory.add("x", &[0i32; 64]);
    let args = [InterpValue::address(x), InterpValue::scalar(n)];
    let mut interpreter = Interpreter::new(&module).unwrap();
    let outcome = interpreter.launch([3, 1, 1], &args, &mut memory).map_err(expected);
    let bytes = memory.bytes("x").unwrap().to_vec();
    for isa in Isa::available() {
        for &checks in checks {
            let compiler = Compiler::new(isa, Arc::new(Threads::new(2)));
            let kernel = compiler.compile_kernel(&module, &KernelOptions { checks });
            let kernel = kernel.unwrap_or_else(|e| panic!("{e}\n{text}"));
            let again = compiler.load_kernel(&kernel.image().unwrap()).unwrap();
            for kernel in [kernel, again] {
                let mut found = vec![0; 256];
                let mut list = Arguments::new().write("x", &mut found).scalar(n as u32 as u64);
                let launch = match checks {
                    // SAFETY: the kernels of this file stay inside of `x`.
                    Checks::None => unsafe { list.launch_unchecked([3, 1, 1]) },
                    Checks::Bounds | Checks::All => list.launch([3, 1, 1]),
                };
                assert_eq!(kernel.launch(&launch), outcome, "{checks:?}, n = {n}\n{text}");
                assert!(outcome.is_err() || found == bytes, "{checks:?}, n = {n}\n{text}");
            }
        }
    }
    outcome
}

const ALL: &[Checks] = &[Checks::None, Checks::Bounds, Checks::All];
const CHECKED: &[Checks] = &[Checks::Bounds, Checks::All];

#[test]
fn steps_are_positive_in_every_launch() {
    // Counts the iterations into x[0].
    let counts = |ty: &str, lower: i64, upper: i64, step: &str| {
        format!(
            " {step} %zero = constant {{value = i32[](0)}} %one = constant {{value = i32[](1)}}
 %lower = constant {{value = {ty}[]({lower})}} %upper = constant {{value = {ty}[]({upper})}}
 %count = for(%lower, %upper, %step, %zero) loc(\"k.py:5:11\") region (%i: {ty}[], %c: i32[]) {{
   %more = add(%c, %one) yield %more
 }}
 store(%own, %count)"
        )
    };
    for (lower, upper, n, fails) in [
        (88, -1, -8, true),
        (5, 10, -3, true),
        (0, 10, 0, true),
        (10, 0, 0, true),
        (0, 10, i32::MIN, true),
        (0, 10, 3, false),
        (10, 0, 3, false),
        (-7, 10, i32::MAX, false),
    ] {
        let wide = "%step = cast(%n) {to = i64}";
        let literal = |ty: &str| format!("%step = constant {{value = {ty}[]({n})}}");
        for (ty, step) in [
            ("i32", "%nothing = sub(%n, %n) %step = add(%n, %nothing)".to_owned()),
            ("i64", wide.to_owned()),
            ("i32", literal("i32")),
            ("i64", literal("i64")),
        ] {
            let outcome = ends_alike(&counts(ty, lower, upper, &step), n, ALL);
            assert_eq!(outcome.is_err(), fails, "{lower}, {upper}, {n}");
            if let Err(error) = outcome {
                let text = format!(
                    "program (0, 0, 0) at k.py:5:11: the step of the loop is {n}, expected a positive number"
                );
                assert_eq!(error.to_string(), text);
            }
        }
    }
}

#[test]
fn a_step_of_a_later_program_is_that_programs_error() {
    let body = " %step = sub(%n, %id) %zero = constant {value = i32[](0)}
 %last = for(%zero, %n, %step, %zero) loc(\"k.py:3\") region (%i: i32[], %c: i32[]) { yield %i }
 store(%own, %last)";
    let error = ends_alike(body, 2, ALL).unwrap_err();
    assert!(matches!(error, LaunchError::Step { step: 0, at } if at.program == [2, 0, 0]));
    ends_alike(body, 3, ALL).unwrap();
}

#[test]
fn assertions_hold_in_every_launch_and_assumptions_in_checked_ones() {
    for (op, checks) in [("assert", ALL), ("assume", CHECKED)] {
        let message = if op == "assert" { " {message = \"not below\"}" } else { "" };
        let scalar = format!(" %fine = less(%id, %n) {op}(%fine){message} loc(\"k.py:2\")");
        let block = format!(
            " %each = arange {{start = 0, end = 16}} %ns = splat(%n) : i32[16]
 %fine = less(%each, %ns) {op}(%fine){message} loc(\"k.py:2\")"
        );
        ends_alike(&scalar, 3, checks).unwrap();
        ends_alike(&scalar, 2, checks).unwrap_err();
        ends_alike(&block, 16, checks).unwrap();
        ends_alike(&block, 15, checks).unwrap_err();
        ends_alike(&block, 0, checks).unwrap_err();
    }
}

#[test]
fn indices_of_gathers_are_inside_in_checked_launches() {
    for (ty, dims) in [("i32", "[16]"), ("i64", "[16]"), ("i8", "[16]")] {
        // Element i of x becomes i + n of the first sixteen.
        let body = format!(
            " %each = arange {{start = 0, end = 16}} %ns = splat(%n) : i32[16] %at = add(%each, %ns)
 %index = cast(%at) {{to = {ty}}} %taken = take_along_axis(%each, %index) {{axis = 0}} loc(\"k.py:4\")
 %xs = splat(%own) : ptr<i32>{dims} %to = ptr_add(%xs, %each) store(%to, %taken)"
        );
        ends_alike(&body, 0, CHECKED).unwrap();
        for n in [1, 15, 16, 100, -1, -16, -100] {
            let error = ends_alike(&body, n, CHECKED).unwrap_err();
            let first = if n < 0 { n } else { 16.max(n) };
            let text = format!("index {first} is outside of an axis of length 16");
            assert_eq!(error.to_string(), format!("program (0, 0, 0) at k.py:4: {text}"));
        }
    }
    // Along the first axis of two, where not all elements are stored.
    let body = " %each = arange {start = 0, end = 32} %block = view(%each) : i32[4, 8]
 %limit = splat(%n) : i32[2, 8] %pick = arange {start = 0, end = 16} %picks = view(%pick) : i32[2, 8]
 %index = sub(%picks, %limit) %taken = take_along_axis(%block, %index) {axis = 0} loc(\"k.py:4\")
 %none = less(%picks, %limit) %xs = splat(%own) : ptr<i32>[2, 8] %to = ptr_add(%xs, %picks)
 store(%to, %taken, %none)";
    let error = ends_alike(body, 13, CHECKED).unwrap_err();
    assert!(matches!(error, LaunchError::Index { index: -13, length: 4, .. }), "{error}");
}

#[test]
fn waits_that_nobody_ends_are_found_where_programs_run_one_after_another() {
    // Each program waits for what the one before has counted, plus n.
    let body = " %one = constant {value = i32[](1)} %until = add(%id, %n)
 %done = atomic_poll(%x, %until) loc(\"k.py:6\") %before = atomic_rmw(%x, %one) {op = \"add\"}";
    ends_alike(body, 0, CHECKED).unwrap();
    let error = ends_alike(body, -7, &[Checks::All]).unwrap_err();
    let text =
        "it would wait forever for the value 0xfffffff9, because programs run one after another";
    assert_eq!(error.to_string(), format!("program (0, 0, 0) at k.py:6: {text}"));
    // With a timeout it goes on.
    let body = " %none = constant {value = i64[](0)} %done = atomic_poll(%own, %n, %none)
 %seen = cast(%done) {to = i32} store(%own, %seen)";
    ends_alike(body, 5, &[Checks::All]).unwrap();
}
