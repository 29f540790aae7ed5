//! Loops, branches, calls and the order of memory accesses.

use super::blocks::moved;
use super::{compare, ints, tensor};

#[test]
fn loads_come_before_later_stores() {
    // The block moves by one place within its own memory.
    let text = moved(
        16,
        16,
        "%one = constant {value = i32[](1)} %ones = splat(%one) : i32[16] %pb = ptr_add(%pa, %ones) \
         %late = load(%pb) store(%pb, %a) %o = add(%late, %a)",
    );
    compare(&text, [1, 1, 1], &[tensor("x", &ints(17, 10)), tensor("z", &[0i32; 16])]);
}

#[test]
fn loops_carry_blocks_pointers_and_scalars() {
    let text = moved(
        16,
        16,
        "%zero = constant {value = i32[](0)} %one = constant {value = i32[](1)} %five = constant {value = i32[](5)}
         %ones = splat(%one) : i32[16] %sixteen = constant {value = i32[](16)} %step = splat(%sixteen) : i32[16]
         %s, %t, %p, %u = for(%zero, %five, %one, %a, %r, %pa, %five) region (%i: i32[], %c: i32[16], %d: i32[16], %p0: ptr<i32>[16], %v: i32[]) {
           %l = load(%p0) %e = add(%c, %l) %is = splat(%i) : i32[16] %g = mul(%e, %is) %p1 = ptr_add(%p0, %step) %v1 = add(%v, %i)
           yield %d, %g, %p1, %v1
         }
         %w = load(%p) %us = splat(%u) : i32[16] %h = add(%s, %t) %h1 = add(%h, %w) %o = add(%h1, %us)",
    );
    compare(&text, [1, 1, 1], &[tensor("x", &ints(96, 11)), tensor("z", &[0i32; 16])]);
    let text = moved(
        16,
        16,
        "%hundred = constant {value = i32[](100)} %one = constant {value = i32[](1)} %ones = splat(%one) : i32[16]
         %o, %n = while(%r, %one) region (%c: i32[16], %i: i32[]) {
           %sum = reduce(%c) {axis = 0} region (%l: i32[], %m: i32[]) { %s = add(%l, %m) yield %s }
           %go = less(%i, %hundred) %d = add(%c, %ones) yield %go, %d, %sum
         } region (%e: i32[16], %j: i32[]) { yield %e, %j }",
    );
    compare(&text, [1, 1, 1], &[tensor("x", &ints(16, 12)), tensor("z", &[0i32; 16])]);
}

#[test]
fn branches_give_blocks() {
    let text = "func @k tile (%x: ptr<i32>[], %z: ptr<i32>[]) {
       %pid = program_id {axis = 0} %grid = num_programs {axis = 0}
       %y = program_id {axis = 1} %i = mul(%y, %grid) %j = add(%i, %pid)
       %r = arange {start = 0, end = 8} %eight = constant {value = i32[](8)} %k = mul(%j, %eight)
       %ks = splat(%k) : i32[8] %at = add(%ks, %r) %xs = splat(%x) : ptr<i32>[8] %pa = ptr_add(%xs, %at) %a = load(%pa)
       %one = constant {value = i32[](1)} %bit = bitwise_and(%j, %one) %odd = equal(%bit, %one)
       %b, %s = if(%odd) region { %n = neg(%a) yield %n, %j } region { %m = call(%a, %pid) {callee = \"twice\"} : i32[8] yield %m, %pid }
       %ss = splat(%s) : i32[8] %o = add(%b, %ss)
       %zs = splat(%z) : ptr<i32>[8] %po = ptr_add(%zs, %at) store(%po, %o) return
     }
     func @twice tile (%a: i32[8], %p: i32[]) { %b = add(%a, %a) return %b }";
    compare(text, [3, 5, 1], &[tensor("x", &ints(120, 13)), tensor("z", &vec![0i32; 120])]);
}
