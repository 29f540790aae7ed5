//! Ops that break a rule, and what the verifier says; those that keep them are file tests.

use crate::{Func, Module};

/// The error for a function of this body.
fn fault(body: &str) -> String {
    let text = format!(
        "func @f tile (%f: f32[8], %g: f32[16], %i: i32[8], %k: i32[16], %s: f32[], %n: i32[], %w: i64[], %c: bool[], \
         %m: bool[8], %p: ptr<f32>[8], %q: ptr<f32, constant>[8], %z: ptr<f32>[], %d: desc<f32>[1, 8]) {{ {body} return }}"
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
        ("%x = poison : f32[3]", "`%x` is f32[3]: at level tile every dimension is a power of two"),
        ("%x = poison : f32[0]", "power of two"),
        ("%x = poison : f32[N]", "every dimension is a number"),
        ("%x = poison : f32[*]", "every dimension is a number"),
        ("%x = poison : f32[2097152]", "at most 1048576 elements"),
        ("%x = poison : str[]", "elements are floats and integers of whole bytes"),
        ("%x = poison : i4[2]", "elements are floats and integers of whole bytes"),
        ("%x = poison : seq<f32[]>", "values are blocks, pointers or descriptors"),
        ("%x = poison : desc<f32>[]", "at least one axis"),
        ("%x = constant {value = i32[3](1, 2, 3)}", "power of two"),
    ]);
}

#[test]
fn elementwise_ops_do_not_broadcast() {
    check(&[
        ("%x = add(%f, %g)", "operand 1 (`b`) is f32[16], expected f32[8]"),
        ("%x = add(%f, %s)", "expected f32[8]"),
        ("%x = add(%f, %i)", "operand 1 (`b`) is i32[8], expected f32[8]"),
        ("%x = add(%f, %f) : f32[16]", "result 0 (`c`) is f32[16], by the type rule it is f32[8]"),
        ("%x = less(%f, %f) : f32[8]", "by the type rule it is bool[8]"),
        ("%x = add(%m, %m)", "expected a block of numbers"),
        ("%x = exp(%i)", "expected a block of floats"),
        ("%x = bitwise_and(%f, %f)", "expected a block of integers"),
        ("%x = and(%i, %i)", "expected a block of truth values"),
        ("%x = add(%p, %p)", "expected a block of elements"),
        ("%x = where(%m, %f, %g)", "operand 2 (`y`) is f32[16], expected f32[8]"),
        ("%x = where(%m, %g, %g)", "operand 0 (`condition`) is bool[8], expected bool[16]"),
        ("%x = where(%c, %p, %q)", "expected ptr<f32>[8]"),
        ("%x = bitcast(%f) {to = i16}", "attribute `to` is i16, must be a type as wide as f32"),
        ("%x = bitcast(%m) {to = i8}", "must be a type as wide as bool"),
        ("%x = cast(%f) {to = str}", "attribute `to` is str, must be an element type of blocks"),
        ("%x = cast(%f) {to = f16, rounding = \"up\"}", "must be one of rtne, rtz"),
        ("%x = bit_shift(%i, %i) {direction = \"UP\"}", "must be one of LEFT, RIGHT"),
        ("%x = libm(%f, %g) {function = \"pow\", to = f32}", "operand 1 (`xs`) is f32[16]"),
        ("%x = max {} : f32[]", "needs operand 0"),
        ("%x = matmul(%f, %g) : f32[8]", "does not belong to the tile level"),
    ]);
}

#[test]
fn blocks() {
    check(&[
        ("%x = program_id {axis = 3}", "attribute `axis` is 3, must be an axis below 3"),
        ("%x = arange {start = 4, end = 4}", "attribute `end` is 4, must be above start, 4"),
        ("%x = arange {start = 0, end = 2147483648}", "must be an i32"),
        ("%x = splat(%f) : f32[8, 8]", "operand 0 (`x`) is f32[8], expected a scalar"),
        ("%x = splat(%s) : i32[8]", "result 0 (`y`) is i32[8], must be elements as in f32[*]"),
        ("%x = splat(%s)", "they do not follow from its operands"),
        ("%x = unsplat(%f)", "expected a block of one element"),
        ("%x = expand_dims(%f) {axis = 2}", "must be an axis below 2"),
        ("%x = expand_dims(%f) {axis = -1}", "must be an axis below 2"),
        ("%x = broadcast(%f) : f32[16]", "must be dimensions [8] with other lengths in place of 1"),
        ("%x = view(%f) : f32[4, 4]", "must be 8 elements"),
        ("%x = permute(%f) {order = [1]}", "must be an order of 1 axis"),
        ("%x = permute(%f) {order = [0, 0]}", "must be an order of 1 axis"),
        ("%x = cat(%f, %s)", "operand 1 (`b`) is f32[], expected a block of rank 1"),
        ("%x = join(%f, %g)", "expected f32[8]"),
        ("%x, %y = unjoin(%f)", "expected a block whose last axis has length 2"),
        ("%x = take_along_axis(%f, %g) {axis = 0}", "expected a block of integers"),
        ("%x = take_along_axis(%f, %n) {axis = 0}", "expected dimensions [8] but for axis 0"),
        ("%x = histogram(%f) : i32[4]", "expected a block of integers"),
        ("%x = histogram(%k, %m) : i32[4]", "operand 1 (`mask`) is bool[8], expected bool[16]"),
        ("%x = histogram(%i) : i64[4]", "must be a block of i32 of rank 1"),
        ("%x = hint(%f) {divisibility = [16, 16]}", "must be 1 positive number"),
        ("%x = poison : desc<f32>[8]", "must be a block"),
        ("%x = hint(%d)", "expected a block of elements or pointers"),
        ("%x = hint(%f) {divisibility = [0]}", "must be 1 positive number"),
    ]);
}

#[test]
fn regions() {
    check(&[
        (
            "%x = reduce(%f) {axis = 1} region (%a: f32[], %b: f32[]) { yield %a }",
            "must be an axis below 1",
        ),
        (
            "%x = reduce(%s) {axis = 0} region (%a: f32[], %b: f32[]) { yield %a }",
            "must be an axis below 0",
        ),
        (
            "%x = reduce(%f) {axis = 0} region (%a: f32[]) { yield %a }",
            "region 0 has 1 parameter, needs 2",
        ),
        (
            "%x = reduce(%f) {axis = 0} region (%a: f32[], %b: i32[]) { yield %a }",
            "parameter 1 of region 0 is i32[], must be f32[]",
        ),
        (
            "%x = reduce(%f) {axis = 0} region (%a: f32[], %b: f32[]) { yield %n }",
            "result 0 of region 0 is i32[], must be f32[]",
        ),
        (
            "%x, %y = reduce(%f, %k) {axis = 0} region (%a: f32[], %b: f32[]) { yield %a }",
            "expected a block with dimensions [8]",
        ),
        (
            "%x = map(%f) {pack = 16} region { yield }",
            "attribute `pack` is 16, must be a divisor of 8",
        ),
        (
            "%x = map(%f) {pack = 2} region (%a: f32[], %b: f32[]) { yield %a }",
            "yields 1 value, needs 2",
        ),
        (
            "%x = map(%f) {pack = 2} region (%a: f32[], %b: f32[]) { yield %a, %n }",
            "result 1 of region 0 is i32[], must be f32[]",
        ),
        ("%x = if(%m) region { yield %f } region { yield %f }", "expected bool[]"),
        (
            "%x = if(%c) region { yield %f } region { yield %g }",
            "result 0 of region 1 is f32[16], must be f32[8]",
        ),
        (
            "for(%n, %n, %w) region (%j: i32[]) { yield }",
            "operand 2 (`step`) is i64[], expected i32[]",
        ),
        ("for(%s, %s, %s) region (%j: f32[]) { yield }", "expected a block of one i32 or i64"),
        (
            "%x = for(%n, %n, %n, %f) region (%j: i32[], %v: f32[8]) { yield %g }",
            "result 0 of region 0 is f32[16], must be f32[8]",
        ),
        ("while region { yield %n } region { yield }", "the first region yields no condition"),
        (
            "%x = while(%n) region (%a: i32[]) { yield %c, %f } region (%b: i32[]) { yield %b }",
            "parameter 0 of region 1 is i32[], must be f32[8]",
        ),
    ]);
}

#[test]
fn products() {
    let with = |op: &str| {
        format!(
            "%a = poison : f16[16, 32] %b = poison : f16[32, 8] %o = poison : f32[16, 8] %e = poison : i8[16, 16] \
             %t = poison : f8e4m3fn[32, 8] %u = poison : i8[16, 2] {op}"
        )
    };
    for (op, reason) in [
        ("%x = dot(%a, %a, %o)", "expected 32 rows"),
        ("%x = dot(%a, %b, %a)", "operand 2 (`c`) is f16[16, 32], expected f16[16, 8]"),
        ("%x = dot(%a, %t, %o)", "operand 1 (`b`) is f8e4m3fn[32, 8], expected a block of f16"),
        ("%x = dot(%a, %b, %n)", "expected a block of floats"),
        ("%x = dot(%a, %b, %o) {precision = \"fast\"}", "must be one of ieee, tf32, tf32x3"),
        (
            "%x = dot_scaled(%a, %t, %o) {a_format = \"bf16\", b_format = \"e4m3\"}",
            "expected a block of what holds bf16",
        ),
        (
            "%x = dot_scaled(%e, %t, %o) {a_format = \"e2m1\", b_format = \"e4m3\", a_k_pack = 0}",
            "expected 16 rows",
        ),
        (
            "%x = dot_scaled(%a, %t, %o, %e) {a_format = \"fp16\", b_format = \"e4m3\"}",
            "expected dimensions [16, 1] or [16, 2]",
        ),
        (
            "%x = dot_scaled(%e, %t, %o, %u, %u) {a_format = \"e2m1\", b_format = \"e4m3\"}",
            "operand 4 (`b_scale`) is i8[16, 2], expected dimensions [8, 1] or [8, 2]",
        ),
        (
            "%x = dot_scaled(%a, %t, %o) {a_format = \"e3m2\", b_format = \"e4m3\"}",
            "must be one of e4m3, e5m2",
        ),
    ] {
        check(&[(&with(op), reason)]);
    }
}

#[test]
fn memory() {
    check(&[
        ("%x = ptr_add(%p, %f)", "expected a block of signed integers"),
        (
            "%x = ptr_add(%p, %n)",
            "operand 1 (`offset`) is i32[], expected a block with dimensions [8]",
        ),
        ("%x = ptr_cast(%p) : f32[8]", "must be pointers with dimensions [8]"),
        ("%x = int_to_ptr(%n) : ptr<f32>[]", "expected a block of i64 or u64"),
        ("%x = load(%f)", "operand 0 (`ptr`) is f32[8], expected a block of pointers"),
        ("%x = load(%p, %c)", "operand 1 (`mask`) is bool[], expected bool[8]"),
        ("%x = load(%p, %m, %i)", "operand 2 (`other`) is i32[8], expected f32[8]"),
        ("%x = load(%p, _, %f)", "needs operand 1 (`mask`)"),
        ("%x = load(%p) : i32[8]", "by the type rule it is f32[8]"),
        ("%x = load(%p) {cache = \"l1\"}", "must be one of none, ca"),
        ("store(%p, %i)", "operand 1 (`value`) is i32[8], expected f32[8]"),
        ("store(%q, %f)", "expected pointers to memory that may be written"),
        ("%x = atomic_rmw(%p, %f) {op = \"add\"}", "expected a block of integers"),
        ("%x = atomic_rmw(%p, %f) {op = \"nand\"}", "must be one of add, fadd"),
        ("%x = atomic_rmw(%p, %f) {op = \"fadd\", order = \"seq_cst\"}", "must be one of relaxed"),
        ("%x = atomic_cas(%p, %f, %g)", "operand 2 (`value`) is f32[16], expected f32[8]"),
        ("%x = atomic_load(%p) {order = \"release\"}", "must be one of relaxed, acquire"),
        ("%x = atomic_poll(%p, %f, %n)", "operand 2 (`timeout`) is i32[], expected i64[]"),
        ("assert(%n) {message = \"\"}", "expected a block of truth values"),
        ("print(%n) {prefix = \"\", signed = [1, 1]}", "must be as many flags as operands"),
    ]);
}

#[test]
fn descriptors() {
    check(&[
        ("%x = make_descriptor(%p, %n, %w) : desc<f32>[8]", "expected one pointer"),
        (
            "%x = make_descriptor(%z, %w, %w) : desc<f32>[8]",
            "operand 1 (`dims`) is i64[], expected i32[]",
        ),
        ("%x = make_descriptor(%z, %n, %w) : desc<f16>[8]", "must be a descriptor of f32"),
        ("%x = make_descriptor(%z, %n, %w) : desc<f32>[8, 8]", "must be 1 axis"),
        ("%x = descriptor_load(%d, %n) : f32[8]", "needs operand 2 (`offsets`)"),
        ("%x = descriptor_load(%d, %n, %n, %n) : f32[8]", "offsets are as many as axes"),
        ("%x = descriptor_load(%d, %n, %n) : f32[16]", "must be f32[1, 8]"),
        ("descriptor_store(%d, %g, %n, %n)", "expected the block of desc<f32>[1, 8]"),
        (
            "descriptor_reduce(%d, %f, %n, %n) {op = \"xor\"}",
            "expected a descriptor of what `xor` takes",
        ),
        ("%x = descriptor_gather(%d, %f, %n) : f32[8, 8]", "expected a block of i16 or i32"),
        ("%x = descriptor_gather(%d, %i, %n) : f32[16, 8]", "must be f32[8, 8]"),
        ("descriptor_scatter(%d, %f, %i, %n)", "expected f32 with dimensions [8, 8]"),
    ]);
}

#[test]
fn parsing_and_verifying_never_panic_on_left_out_operands() {
    for &kind in crate::OpKind::ALL {
        let outs = ["", "%r = ", "%r, %t = "];
        for (out, ins) in
            outs.iter().flat_map(|o| ["", "(_)", "(%n)", "(_, %n)", "(%d)"].map(|i| (o, i)))
        {
            let text = format!(
                "func @f tile (%n: i32[], %d: desc<i8>[2]) {{ {out}{}{ins} return }}",
                kind.decl().name
            );
            if let Ok(module) = text.parse::<Module>() {
                let _ = module.verify();
            }
        }
    }
}
