//! Products of blocks: sums that stay where they are, factors that are read where they lie. All elements are small
//! integers, so that every order of summing gives the same bits.

use super::{compare, ints, scalar, tensor};

fn small(n: usize, seed: u64) -> Vec<f32> {
    ints(n, seed).into_iter().map(|v| (v % 4) as f32).collect()
}

/// A function over blocks `%a`, `%b` and `%c` of 16 × 16 elements, which are at the beginning of `%x`, `%y` and `%z`; the
/// body makes the block `%o` that replaces `%c`. There are pointers `%pz`, a block of zeros, scalars and a column `%w`.
fn blocks(body: &str) -> String {
    format!(
        "func @k tile (%x: ptr<f32>[], %y: ptr<f32>[], %z: ptr<f32>[]) {{
           %r = arange {{start = 0, end = 256}} %at = view(%r) : i32[16, 16]
           %xs = splat(%x) : ptr<f32>[16, 16] %px = ptr_add(%xs, %at) %a = load(%px)
           %ys = splat(%y) : ptr<f32>[16, 16] %py = ptr_add(%ys, %at) %b = load(%py)
           %zs = splat(%z) : ptr<f32>[16, 16] %pz = ptr_add(%zs, %at) %c = load(%pz)
           %nought = constant {{value = f32[](0)}} %zeros = splat(%nought) : f32[16, 16]
           %q = arange {{start = 0, end = 16}} %f = cast(%q) {{to = f32}} %w = expand_dims(%f) {{axis = 1}}
           %from = constant {{value = i32[](0)}} %to = constant {{value = i32[](3)}} %by = constant {{value = i32[](1)}}
           {body}
           store(%pz, %o) return
         }}"
    )
}

fn check(body: &str) {
    let args =
        [tensor("x", &small(256, 1)), tensor("y", &small(256, 2)), tensor("z", &small(512, 3))];
    compare(&blocks(body), [1, 1, 1], &args);
}

#[test]
fn sums_that_loops_carry() {
    let looped = |init: &str, params: &str, body: &str| {
        format!("for(%from, %to, %by, {init}) region (%i: i32[], {params}) {{ {body} }}")
    };
    let one = "%s: f32[16, 16]";
    let two = "%s: f32[16, 16], %t: f32[16, 16]";
    let pair = |body: &str| {
        check(&format!("%u, %v = {} %o = sub(%u, %v)", looped("%c, %a", two, body)));
    };
    // Alone, and scaled by rows before.
    check(&format!("%o = {}", looped("%c", one, "%d = dot(%a, %b, %s) yield %d")));
    check(&format!(
        "%o = {}",
        looped(
            "%c",
            one,
            "%g = broadcast(%w) : f32[16, 16] %h = mul(%g, %s) %d = dot(%a, %b, %h) yield %d"
        )
    ));
    // The product of the sum itself, and with what is made of it.
    check(&format!("%o = {}", looped("%a", one, "%d = dot(%s, %b, %s) yield %d")));
    check(&format!(
        "%o = {}",
        looped("%c", one, "%h = permute(%s) {order = [1, 0]} %d = dot(%a, %b, %h) yield %d")
    ));
    check(&format!("%o = {}", looped("%c", one, "%h = add(%s, %a) %d = dot(%h, %b, %h) yield %d")));
    // The sum before the product is used after it.
    check(&format!("%o = {}", looped("%c", one, "%d = dot(%a, %b, %s) %e = sub(%d, %s) yield %e")));
    pair("%d = dot(%a, %b, %s) %e = add(%t, %s) yield %d, %e");
    pair("%d = dot(%a, %b, %s) yield %d, %s");
    // Two sums change places, or one becomes both.
    pair("%d = dot(%a, %b, %s) %e = dot(%b, %a, %t) yield %e, %d");
    pair("%d = dot(%a, %b, %s) %e = add(%t, %d) yield %d, %d");
    pair("%d = dot(%a, %b, %s) %e = dot(%b, %d, %t) yield %d, %e");
    // It is stored while the loop runs, into memory that the next run loads from.
    check(&format!(
        "%o = {}",
        looped("%zeros", one, "%l = load(%pz) %d = dot(%a, %l, %s) store(%pz, %d) yield %d")
    ));
    // It goes on in a loop within, and in one behind.
    let inner = looped("%s", "%t: f32[16, 16]", "%d = dot(%a, %b, %t) yield %d");
    let inner = inner.replace("%i:", "%j:");
    check(&format!(
        "%v = {} %n = {} %o = sub(%n, %v)",
        looped("%c", one, &format!("%e = {inner} %g = sub(%e, %s) yield %g")),
        looped("%v", "%m: f32[16, 16]", "%p = dot(%b, %a, %m) yield %p").replace("%i:", "%k:"),
    ));
}

#[test]
fn sums_that_begin_with_zeros() {
    check("%o = dot(%a, %b, %zeros)");
    check("%minus = neg(%nought) %m = splat(%minus) : f32[16, 16] %o = dot(%a, %b, %m)");
    check("%d = dot(%a, %b, %zeros) %e = dot(%b, %a, %zeros) %o = sub(%d, %e)");
    check("%one = constant {value = f32[](1)} %m = splat(%one) : f32[16, 16] %o = dot(%a, %b, %m)");
}

/// `z = x y` of 16 × 32 and 32 × 16 elements; the indices of x are made by `body`: `%at` of the row `%rs` and the column
/// `%cs`, and the mask `%m`.
fn from_memory(body: &str) -> String {
    format!(
        "func @k tile (%x: ptr<f32>[], %y: ptr<f32>[], %z: ptr<f32>[], %first: i32[], %row: i32[], %col: i32[], %n: i32[]) {{
           %r = arange {{start = 0, end = 16}} %c = arange {{start = 0, end = 32}}
           %r0 = expand_dims(%r) {{axis = 1}} %c0 = expand_dims(%c) {{axis = 0}}
           %rs = broadcast(%r0) : i32[16, 32] %cs = broadcast(%c0) : i32[16, 32]
           %rows = splat(%row) : i32[16, 32] %cols = splat(%col) : i32[16, 32] %firsts = splat(%first) : i32[16, 32]
           %ns = splat(%n) : i32[16, 32] %zero = constant {{value = i32[](0)}} %noughts = splat(%zero) : i32[16, 32]
           %xs = splat(%x) : ptr<f32>[16, 32] %nought = constant {{value = f32[](0)}} %none = splat(%nought) : f32[16, 32]
           {body}
           %px = ptr_add(%xs, %at) %a = load(%px, %m, %none)
           %l = arange {{start = 0, end = 512}} %bt = view(%l) : i32[32, 16]
           %ys = splat(%y) : ptr<f32>[32, 16] %py = ptr_add(%ys, %bt) %b = load(%py)
           %k = arange {{start = 0, end = 256}} %zt = view(%k) : i32[16, 16]
           %zs = splat(%z) : ptr<f32>[16, 16] %pz = ptr_add(%zs, %zt)
           %zeros = splat(%nought) : f32[16, 16]
           %d = dot(%a, %b, %zeros) store(%pz, %d)
           return
         }}"
    )
}

const LINES: &str =
    "%i = mul(%rs, %rows) %j = mul(%cs, %cols) %ij = add(%i, %j) %at = add(%ij, %firsts)";

fn check_memory(body: &str, [first, row, col, n]: [i32; 4]) {
    let args = [
        tensor("x", &small(2048, 4)),
        tensor("y", &small(512, 5)),
        tensor("z", &[0f32; 256]),
        scalar(first),
        scalar(row),
        scalar(col),
        scalar(n),
    ];
    compare(&from_memory(body), [1, 1, 1], &args);
}

#[test]
fn factors_in_memory() {
    let masks = [
        "%m = less(%rs, %ns)",
        "%m = greater(%ns, %cs)",
        "%m1 = less(%rs, %ns) %m2 = greater_or_equal(%cs, %noughts) %m = and(%m1, %m2)",
        // Holds for the first rows only: behind them the product wraps around.
        "%w = constant {value = i32[](268435456)} %ws = splat(%w) : i32[16, 32] %h = mul(%rs, %ws) \
         %m = greater_or_equal(%h, %noughts)",
    ];
    for mask in masks {
        for steps in [
            [0, 32, 1],
            [0, 64, 2],
            [0, 1, 16],
            [2047, -64, -1],
            [31, 32, -1],
            [5, 0, 1],
            [0, 0, 0],
        ] {
            for n in [32, 16, 15, 1, 0, -3] {
                let [first, row, col] = steps;
                check_memory(&format!("{LINES} {mask}"), [first, row, col, n]);
            }
        }
    }
    // Offsets of 64 bits, and what `mod` leaves as it is or not.
    let wide = "%i = mul(%rs, %rows) %j = mul(%cs, %cols) %ij = add(%i, %j) %u = add(%ij, %firsts) %at = cast(%u) {to = i64}";
    check_memory(&format!("{wide} {}", masks[0]), [7, 40, 1, 16]);
    for n in [16, 9] {
        let around = "%v = mod(%rs, %ns) {fmod = 1} %i = mul(%v, %rows) %j = mul(%cs, %cols) %ij = add(%i, %j) \
                      %at = add(%ij, %firsts) %m = equal(%noughts, %noughts)";
        check_memory(around, [7, 40, 1, n]);
        let around = around.replace("%m = equal(%noughts, %noughts)", "%m = less(%rs, %cols)");
        check_memory(&around, [7, 1, 40, n]);
    }
    // Squares are not lines.
    let squares = "%i = mul(%rs, %rs) %at = add(%i, %cs)";
    check_memory(&format!("{squares} {}", masks[0]), [0, 0, 0, 16]);
}

#[test]
fn batches_in_memory() {
    // Two products of 16 × 16 elements; the pointers move along the loop, and the last run is masked in part.
    let text = "func @k tile (%x: ptr<f32>[], %y: ptr<f32>[], %z: ptr<f32>[], %n: i32[]) {
       %r = arange {start = 0, end = 512} %at = view(%r) : i32[2, 16, 16]
       %c = arange {start = 0, end = 16} %c0 = expand_dims(%c) {axis = 0} %c1 = expand_dims(%c0) {axis = 0}
       %xs = splat(%x) : ptr<f32>[2, 16, 16] %px = ptr_add(%xs, %at)
       %ys = splat(%y) : ptr<f32>[2, 16, 16] %t = permute(%at) {order = [0, 2, 1]} %py = ptr_add(%ys, %t)
       %zs = splat(%z) : ptr<f32>[2, 16, 16] %pz = ptr_add(%zs, %at) %first = load(%pz)
       %nought = constant {value = f32[](0)} %none = splat(%nought) : f32[2, 16, 16]
       %step = constant {value = i32[](512)} %steps = splat(%step) : i32[2, 16, 16]
       %from = constant {value = i32[](0)} %to = constant {value = i32[](3)} %by = constant {value = i32[](1)} %w = constant {value = i32[](16)}
       %o, %e, %f = for(%from, %to, %by, %first, %px, %py) region (%i: i32[], %s: f32[2, 16, 16], %p: ptr<f32>[2, 16, 16], %q: ptr<f32>[2, 16, 16]) {
         %past = mul(%i, %w) %left = sub(%n, %past) %lefts = splat(%left) : i32[1, 1, 16]
         %m0 = less(%c1, %lefts) %m = broadcast(%m0) : bool[2, 16, 16]
         %a = load(%p, %m, %none) %b = load(%q) %d = dot(%a, %b, %s)
         %p1 = ptr_add(%p, %steps) %q1 = ptr_add(%q, %steps) yield %d, %p1, %q1
       }
       store(%pz, %o) return
     }";
    for n in [48, 40, 16, 0] {
        let args = [
            tensor("x", &small(1536, 6)),
            tensor("y", &small(1536, 7)),
            tensor("z", &small(512, 8)),
            scalar(n),
        ];
        compare(text, [1, 1, 1], &args);
    }
}

#[test]
fn factors_that_are_overwritten() {
    // The product is of what was loaded, not of what was stored since.
    check("store(%px, %c) store(%py, %a) %o = dot(%a, %b, %c)");
    check("%d = dot(%a, %b, %c) store(%px, %d) %e = load(%px) %o = dot(%e, %a, %d)");
    check(
        "%t = permute(%a) {order = [1, 0]} %d = dot(%t, %t, %c) store(%px, %d) %o = dot(%a, %t, %d)",
    );
    check("%t = permute(%b) {order = [1, 0]} %o = dot(%a, %t, %c)");
    // The same block on both sides, and memory that the result is written to.
    check("%d = dot(%a, %a, %zeros) store(%px, %d) %o = dot(%c, %c, %c)");
}
