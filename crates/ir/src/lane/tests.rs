//! Ops that break a rule, and what the verifier says; those that keep them are file tests.

use crate::{Func, Module};

/// The error for a kernel of this body.
fn fault(body: &str) -> String {
    let text = format!(
        "func @f lane {{threads = 64}} (%f: f32[], %h: f16[], %b: bf16[], %v: f32[4], %t: f32[3], %n: i32[], %w: i64[], %c: bool[], \
         %m: bool[4], %p: ptr<f32>[], %q: ptr<f32, constant>[], %i: ptr<i32>[], %l: ptr<i64>[]) {{
         %s = alloc {{space = \"threadgroup\", dtype = f32, len = 64}}
         %o = alloc {{space = \"thread\", dtype = f32, len = 4}}
         %z = matrix_fill(%f)
         %y = matrix_fill(%h)
         {body} return }}"
    );
    let func: Func = match text.parse() {
        Ok(func) => func,
        Err(e) => return e.to_string(),
    };
    func.verify().map_or_else(|e| e.to_string(), |()| "fine".into())
}

/// Each body is wrong for the reason beside it.
fn check(cases: &[(&str, &str)]) {
    for (body, reason) in cases {
        let found = fault(body);
        assert!(found.contains(reason), "{body}\nfound: {found}\nexpected: {reason}");
    }
}

#[test]
fn types_of_values() {
    check(&[
        ("%x = poison : f32[1]", "`%x` is f32[1]: at level lane values are scalars or vectors"),
        ("%x = poison : f32[5]", "vectors of 2, 3 or 4 elements"),
        ("%x = poison : f32[2, 2]", "vectors of 2, 3 or 4 elements"),
        ("%x = poison : f32[N]", "vectors of 2, 3 or 4 elements"),
        ("%x = poison : i4[2]", "elements are floats and integers of whole bytes"),
        ("%x = poison : ptr<i4>[]", "elements are floats and integers of whole bytes"),
        ("%x = poison : ptr<f32>[2]", "pointers are single"),
        (
            "%x = poison : desc<f32>[2]",
            "values are scalars, vectors, pointers, matrices or accumulators",
        ),
        ("%x = poison : matrix<f64>", "matrices are of f16, bf16 or f32"),
        ("%x = poison : matrix<f32>", "must be no matrix"),
        ("%x = poison : f32[3]", "fine"),
    ]);
}

#[test]
fn elementwise_ops_and_vectors() {
    check(&[
        ("%x = add(%v, %v)", "fine"),
        ("%x = add(%v, %f)", "operand 1 (`b`) is f32[], expected f32[4]"),
        ("%x = add(%z, %z)", "expected a scalar or vector of elements"),
        ("%x = add(%m, %m)", "expected a scalar or vector of numbers"),
        ("%x = where(%c, %v, %v)", "fine"),
        ("%x = where(%c, %p, %q)", "operand 2 (`y`) is ptr<f32, constant>[], expected ptr<f32>[]"),
        ("%x = splat(%v) : f32[4]", "expected a scalar"),
        ("%x = splat(%f) : f32[]", "must be a vector"),
        ("%x = splat(%f) : f16[4]", "must be a vector of the operand"),
        ("%x = splat(%p) : f32[2]", "expected a scalar or vector of elements"),
        ("%x = vector(%f)", "the last of 2, 3 or 4 elements"),
        ("%x = vector(%f, %f, %f, %f, %f)", "the last of 2, 3 or 4 elements"),
        ("%x = vector(%f, %h)", "operand 1 (`xs`) is f16[], expected f32[]"),
        ("%x = vector(%v, %f)", "expected a scalar"),
        ("%x = extract(%v) {at = 4}", "attribute `at` is 4, must be a place below 4"),
        ("%x = extract(%v) {at = -1}", "a place below 4"),
        ("%x = extract(%f) {at = 0}", "expected a vector"),
        ("%x = insert(%v, %h) {at = 0}", "operand 1 (`element`) is f16[], expected f32[]"),
        ("%x = threadgroup_id {axis = 3}", "an axis below 3"),
    ]);
}

#[test]
fn memory() {
    check(&[
        ("%x = alloc {space = \"device\", dtype = f32, len = 4}", "one of threadgroup, thread"),
        ("%x = alloc {space = \"thread\", dtype = i4, len = 4}", "must be an element type"),
        ("%x = alloc {space = \"thread\", dtype = f32, len = 0}", "must be 1 to 65536"),
        ("%x = alloc {space = \"thread\", dtype = f32, len = 65537}", "must be 1 to 65536"),
        ("%x = load(%f)", "operand 0 (`ptr`) is f32[], expected a pointer"),
        ("%x = load(%s, %c)", "operand 1 (`mask`) is bool[], expected none"),
        ("%x = load(%s, _, %f)", "operand 2 (`other`) is f32[], expected none"),
        ("%x = load(%s) {width = 3}", "attribute `width` is 3, must be 1, 2 or 4"),
        ("%x = load(%s) {width = 2, align = 16}", "must be 0 or a power of two from 4 to 8"),
        ("%x = load(%s) {align = 2}", "must be 0 or a power of two from 4 to 4"),
        ("%x = load(%s) {width = 4, align = 12}", "a power of two from 4 to 16"),
        ("%x = load(%s) {cache = \"l1\"}", "must be one of none, ca"),
        ("store(%o, %v) {align = 16}", "fine"),
        ("store(%o, %t)", "operand 1 (`value`) is f32[3], expected 1, 2 or 4 elements"),
        ("store(%o, %h)", "operand 1 (`value`) is f16[], expected f32, as in memory"),
        ("store(%q, %f)", "expected pointers to memory that may be written"),
        ("store(%p, %f, %c)", "operand 2 (`mask`) is bool[], expected none"),
        ("%x = ptr_add(%p, %f)", "expected a scalar or vector of signed integers"),
        ("%x = ptr_cast(%s) : ptr<i32>[]", "must be a pointer to threadgroup memory"),
        ("%x = ptr_cast(%s) : ptr<i32, threadgroup>[]", "fine"),
        ("%x = ptr_to_int(%s)", "expected a pointer to device or constant memory"),
        ("%x = int_to_ptr(%w) : ptr<f32, thread>[]", "must be a pointer to device or constant"),
        ("%x = if(%c) region { yield %p } region { yield %s }", "result 0 of region 1 is"),
    ]);
}

#[test]
fn atomics() {
    check(&[
        (
            "%x = atomic_rmw(%i, %n) {op = \"add\"}",
            "attribute `order` is \"acq_rel\", must be one of relaxed",
        ),
        ("%x = atomic_rmw(%i, %n) {op = \"add\", order = \"relaxed\"}", "fine"),
        ("%x = atomic_rmw(%i, %n, %c) {op = \"add\", order = \"relaxed\"}", "expected none"),
        (
            "%x = atomic_rmw(%i, %n) {op = \"add\", order = \"relaxed\", scope = \"sys\"}",
            "one of cta, gpu",
        ),
        (
            "%x = atomic_rmw(%l, %w) {op = \"add\", order = \"relaxed\"}",
            "expected a pointer to i32, u32 or f32",
        ),
        ("%x = atomic_rmw(%p, %f) {op = \"fadd\", order = \"relaxed\"}", "fine"),
        (
            "%x = atomic_rmw(%s, %f) {op = \"fadd\", order = \"relaxed\"}",
            "expected a pointer to i32 or u32 in threadgroup memory",
        ),
        (
            "%x = atomic_rmw(%o, %f) {op = \"fadd\", order = \"relaxed\"}",
            "expected a pointer to device or threadgroup memory",
        ),
        ("%x = atomic_cas(%i, %n, %n) {order = \"relaxed\"}", "fine"),
        (
            "%x = atomic_load(%q) {order = \"relaxed\"}",
            "expected a pointer to device or threadgroup memory",
        ),
        ("atomic_store(%i, %n) {order = \"relaxed\"}", "fine"),
        ("%x = atomic_poll(%i, %n)", "the op does not belong to the lane level"),
    ]);
}

#[test]
fn threads_together() {
    check(&[
        ("threadgroup_barrier {memory = \"all\"}", "one of threadgroup, device, both, none"),
        ("%x = simd_shuffle(%v, %n)", "fine"),
        ("%x = simd_shuffle(%b, %n)", "fine"),
        ("%x = simd_shuffle(%c, %n)", "expected a scalar or vector of at most 32 bits"),
        ("%x = simd_shuffle_xor(%w, %n)", "expected a scalar or vector of at most 32 bits"),
        ("%x = simd_shuffle_up(%f, %w)", "operand 1 (`delta`) is i64[], expected i32[]"),
        ("%x = simd_reduce(%f) {op = \"xor\"}", "expected a scalar or vector of integers"),
        ("%x = simd_reduce(%b) {op = \"add\"}", "integers of at most 32 bits, f16 or f32"),
        ("%x = simd_reduce(%w) {op = \"add\"}", "integers of at most 32 bits, f16 or f32"),
        ("%x = simd_reduce(%f) {op = \"sub\"}", "must be one of add, mul"),
        ("%x = simd_prefix(%f) {op = \"max\"}", "must be one of add, mul"),
        ("%x = simd_prefix(%f) {op = \"add\", exclusive = 2}", "must be 0 or 1"),
        ("%x = simd_ballot(%n)", "operand 0 (`condition`) is i32[], expected bool[]"),
        ("%x = simd_ballot(%c) : i32[]", "by the type rule it is u32[]"),
    ]);
}

#[test]
fn matrices() {
    check(&[
        ("%x = matrix_fill(%n)", "expected a scalar, f16, bf16 or f32"),
        ("%x = matrix_fill(%v)", "expected a scalar, f16, bf16 or f32"),
        ("%x = matrix_load(%i, %n)", "expected a pointer to f16, bf16 or f32"),
        ("%x = matrix_load(%q, %n)", "expected a pointer to device or threadgroup memory"),
        ("%x = matrix_load(%o, %n)", "expected a pointer to device or threadgroup memory"),
        ("%x = matrix_load(%s, %w)", "operand 1 (`stride`) is i64[], expected i32[]"),
        ("%x = matrix_load(%s, %n) {transpose = 1}", "fine"),
        ("matrix_store(%s, %y, %n)", "operand 1 (`value`) is matrix<f16>, expected matrix<f32>"),
        ("%x = matrix_multiply_add(%y, %y, %z)", "fine"),
        ("%x = matrix_multiply_add(%z, %z, %y)", "expected a matrix of f32"),
        (
            "%x = matrix_multiply_add(%y, %z, %z)",
            "operand 1 (`b`) is matrix<f32>, expected matrix<f16>",
        ),
        ("%x = matrix_multiply_add(%f, %z, %z)", "expected a matrix"),
        ("%x = simd_shuffle(%z, %n)", "expected a scalar or vector of elements"),
        ("print(%z) {prefix = \"\"}", "expected a scalar or vector of elements or pointers"),
    ]);
}

#[test]
fn composites_decompose_on_vectors() {
    let text = "func @f lane (%x: f32[4]) -> (f32[4]) { %y = sigmoid(%x) return %y }";
    let module: Module = text.parse().unwrap();
    let lowered = crate::decompose::lower(&module, &|_| false).unwrap().unwrap();
    lowered.verify().unwrap();
    let text = lowered.to_string();
    assert!(text.contains("splat") && !text.contains("sigmoid"), "{text}");
}

#[test]
fn arrays_add_up() {
    let bytes = |body: &str| {
        let text = format!("func @f lane {{threads = 32}} () {{ {body} return }}");
        let func: Func = text.parse().unwrap();
        func.verify().unwrap();
        super::threadgroup_bytes(&func)
    };
    let array = |name: &str, space: &str, dtype: &str, len: usize| {
        format!("%{name} = alloc {{space = \"{space}\", dtype = {dtype}, len = {len}}} ")
    };
    assert_eq!(bytes(""), 0);
    let two = array("a", "threadgroup", "f16", 9) + &array("b", "threadgroup", "i8", 1);
    assert_eq!(bytes(&(two + &array("c", "thread", "f32", 64))), 32 + 16);
}

#[test]
fn parsing_and_verifying_never_panic_on_left_out_operands() {
    for &kind in crate::OpKind::ALL {
        for out in ["", "%r = ", "%r, %t = "] {
            for ins in ["", "(_)", "(%n)", "(_, %n)", "(%p, _)", "(%v, %n, %n)"] {
                let name = kind.decl().name;
                let text = format!(
                    "func @f lane (%n: i32[], %v: f32[2], %p: ptr<f32, threadgroup>[]) {{ {out}{name}{ins} return }}",
                );
                if let Ok(module) = text.parse::<Module>() {
                    let _ = module.verify();
                }
            }
        }
    }
}
