//! Stores and reductions of so many elements that a loop takes them: the same bits as at level tile, and no loop where a step
//! could write what a later one reads.

use trident_ir::Module;
use trident_tile_to_lane::{self as lane, GpuFigures};

use super::generate::Tensor;
use super::run;

/// Elements of the blocks: 256 for each of 32 threads.
const LEN: usize = 8192;

/// Loads of `a` (`z`), of `a` from one element on (`x`) and of a part of `b` (`y`), those that are used by the lines behind them.
fn text(lines: &str) -> String {
    let loads = ["%x = load(%an)", "%y = load(%bp, %in, %ones)", "%z = load(%ap)"];
    let is_used = |load: &&str| {
        lines.contains(&format!("({}", &load[..2])) || lines.contains(&format!(", {}", &load[..2]))
    };
    let loads: String =
        loads.into_iter().filter(is_used).map(|load| format!("  {load}\n")).collect();
    format!(
        "func @f tile (%a: ptr<i32>[], %b: ptr<i32>[], %c: ptr<i32>[], %bound: i32[]) {{\n\
         %hinted = hint(%a) {{divisibility = [16]}}\n  %n = arange {{start = 0, end = {LEN}}}\n\
         %many = constant {{value = i32[](80)}}\n  %most = mul(%bound, %many)\n\
         %ends = splat(%most) : i32[{LEN}]\n  %in = less(%n, %ends)\n\
         %one = constant {{value = i32[](1)}}\n  %ones = splat(%one) : i32[{LEN}]\n\
         %next = add(%n, %ones)\n  %as = splat(%hinted) : ptr<i32>[{LEN}]\n\
         %ap = ptr_add(%as, %n)\n  %an = ptr_add(%as, %next)\n\
         %bs = splat(%b) : ptr<i32>[{LEN}]\n  %bp = ptr_add(%bs, %n)\n\
         %cs = splat(%c) : ptr<i32>[{LEN}]\n  %cp = ptr_add(%cs, %n)\n\
         {loads}{lines}  return\n}}\n"
    )
}

/// Compares both levels; how many stores and reductions are loops.
fn loops(lines: &str) -> usize {
    let text = text(lines);
    let module: Module = text.parse().unwrap_or_else(|e| panic!("{e}\n{text}"));
    module.verify().unwrap_or_else(|e| panic!("{e}\n{text}"));
    let figures = GpuFigures { threads: 32, ..GpuFigures::APPLE };
    let lowered = lane::lower(&module, &figures).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let tensor = |name: &str| Tensor {
        name: name.to_owned(),
        elements: (0..LEN + 4).map(|i| (i * 7 + i / 5) as i32).collect(),
    };
    let tensors = ["a", "b", "c"].map(tensor);
    let expected = run(&module, &tensors, [1, 1, 1]).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let found = run(&lowered.module, &tensors, [1, 1, 1]);
    let found = found.unwrap_or_else(|e| panic!("{e}\n{}", lowered.plan));
    let differs = (0..expected.len()).find(|&i| found[i] != expected[i]);
    assert!(differs.is_none(), "{lines}: tensor {differs:?}\n{}", lowered.plan);
    let (mut ops, loops) = (0, lowered.plan.matches("by a loop").count());
    lowered.module.funcs[0].body.walk(&mut |_| ops += 1);
    let is_short = lowered.plan.matches("store").count() > loops || ops < 400 * loops.max(1);
    assert!(is_short, "{ops} ops\n{}", lowered.plan);
    loops
}

#[test]
fn elements_of_other_memory_are_read_by_the_loop_that_writes() {
    assert_eq!(loops("  %s = add(%x, %y)\n  store(%cp, %s, %in)\n"), 1);
    assert_eq!(loops("  store(%cp, %z)\n"), 1);
    // At renamed indices, and with what is known of every element.
    let turned = format!(
        "  %m = view(%z) : i32[64, {0}]\n  %t = permute(%m) {{order = [1, 0]}}\n  %v = view(%t) : i32[{LEN}]\n\
         %r = add(%v, %n)\n  store(%cp, %r)\n",
        LEN / 64
    );
    assert_eq!(loops(&turned), 1);
    let joined = format!(
        "  %m = cat(%x, %y)\n  %t = view(%m) : i32[2, {LEN}]\n  %u = permute(%t) {{order = [1, 0]}}\n  %l, %r = unjoin(%u)\n\
         %d = sub(%l, %r)\n  store(%cp, %d)\n"
    );
    assert_eq!(loops(&joined), 1);
}

#[test]
fn elements_that_a_step_could_overwrite_are_held() {
    // The same memory, and a write between.
    assert_eq!(loops("  %s = add(%x, %y)\n  store(%ap, %s)\n"), 0);
    assert_eq!(loops("  %s = add(%x, %n)\n  store(%ap, %n)\n  store(%cp, %s)\n"), 1);
    // What a store needs held is held for reductions, too.
    let reduced = sum("x", "add")
        + &format!("  %ss = splat(%sum_x) : i32[{LEN}]\n  %s = sub(%x, %ss)\n  store(%ap, %s)\n");
    assert_eq!(loops(&reduced), 0);
}

/// The reduction of a block to a scalar.
fn sum(of: &str, op: &str) -> String {
    format!(
        "  %sum_{of} = reduce(%{of}) {{axis = 0}} region (%{of}1: i32[], %{of}2: i32[]) {{\n\
         %{of}3 = {op}(%{of}1, %{of}2)\n    yield %{of}3\n  }}\n"
    )
}

#[test]
fn reductions_read_their_elements_in_loops_of_their_own() {
    let stored = |name: &str| format!("  store(%c, %{name})\n");
    assert_eq!(loops(&(sum("y", "add") + &stored("sum_y"))), 1);
    assert_eq!(loops(&(sum("z", "max") + &stored("sum_z"))), 1);
    // Two reductions and a store take the elements of one load.
    let softmax = sum("x", "max")
        + &format!("  %ms = splat(%sum_x) : i32[{LEN}]\n  %d = sub(%x, %ms)\n  %e = mul(%d, %d)\n")
        + &sum("e", "add")
        + &format!(
            "  %es = splat(%sum_e) : i32[{LEN}]\n  %s = bitwise_xor(%e, %es)\n  store(%cp, %s)\n"
        );
    assert_eq!(loops(&softmax), 3);
    // The place of the greatest element: two operands, of which one is not a load.
    let place = "  %v, %i = reduce(%x, %n) {axis = 0} region (%p: i32[], %o: i32[], %q: i32[], %r: i32[]) {\n    \
                 %g = greater(%q, %p)\n    %m = where(%g, %q, %p)\n    %k = where(%g, %r, %o)\n    yield %m, %k\n  }\n";
    assert_eq!(loops(&(place.to_owned() + &stored("i"))), 1);
    // Atomics may tell of writes.
    let told = "  %t = atomic_rmw(%c, %one) {op = \"add\"}\n".to_owned();
    let held = "  %k = add(%z, %n)\n".to_owned() + &told + &sum("k", "add");
    assert_eq!(loops(&(held + "  %to = ptr_add(%c, %one)\n  store(%to, %sum_k)\n")), 0);
}

#[test]
fn reductions_of_an_axis_keep_the_others_in_registers() {
    for (rows, axis) in [(2, 1), (8, 1), (LEN / 2, 0), (LEN / 8, 0), (64, 0), (64, 1)] {
        let columns = LEN / rows;
        let (kept, way) = if axis == 1 { (rows, [rows, 1]) } else { (columns, [1, columns]) };
        let lines = format!(
            "  %m = view(%y) : i32[{rows}, {columns}]\n\
             %r = reduce(%m) {{axis = {axis}}} region (%p: i32[], %q: i32[]) {{\n    %s = add(%p, %q)\n    yield %s\n  }}\n\
             %v = view(%r) : i32[{0}, {1}]\n  %w = broadcast(%v) : i32[{rows}, {columns}]\n  %d = sub(%m, %w)\n\
             %l = view(%d) : i32[{LEN}]\n  store(%cp, %l)\n  %k = arange {{start = 0, end = {kept}}}\n\
             %bt = splat(%b) : ptr<i32>[{kept}]\n  %bk = ptr_add(%bt, %k)\n  store(%bk, %r)\n",
            way[0], way[1],
        );
        loops(&lines);
    }
}
