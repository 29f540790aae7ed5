//! Folds, scans and maps with regions of several kinds, against loops.

use super::*;

#[test]
fn sums_along_each_axis() {
    let x = small(2 * 4 * 8, 1);
    for axis in 0..3 {
        let mut dims = vec![2, 4, 8];
        let body = format!(
            "%y = reduce(%x) {{axis = {axis}}} region (%a: f32[], %b: f32[]) {{ %c = add(%a, %b) yield %c }} return %y"
        );
        let out = run("%x: f32[2, 4, 8]", &body, &[tensor(&x, &dims)]);
        let n = dims.remove(axis);
        let inner: usize = dims[axis..].iter().product();
        let outer: usize = dims[..axis].iter().product();
        let mut expected = vec![];
        for o in 0..outer {
            for i in 0..inner {
                expected.push((0..n).map(|k| x[(o * n + k) * inner + i]).sum::<f32>());
            }
        }
        assert_eq!(out[0], tensor(&expected, &dims), "axis {axis}");
    }
}

#[test]
fn the_place_of_the_greatest_element() {
    // Two operands, and a value from outside of the region; of equal ones the first place.
    let x = [3i32, 9, -1, 9, 2, 2, 2, 2];
    let body = "%r = arange {start = 0, end = 4} %e = expand_dims(%r) {axis = 0} %i = broadcast(%e) : i32[2, 4]
        %v, %at = reduce(%x, %i) {axis = 1} region (%a: i32[], %i0: i32[], %b: i32[], %i1: i32[]) {
          %more = greater(%a, %b) %same = equal(%a, %b) %before = less(%i0, %i1)
          %tie = and(%same, %before) %left = or(%more, %tie)
          %value = where(%left, %a, %b) %place = where(%left, %i0, %i1) %scaled = mul(%place, %one)
          yield %value, %scaled
        }
        return %v, %at";
    let out =
        run("%x: i32[2, 4], %one: i32[]", body, &[tensor(&x, &[2, 4]), InterpValue::scalar(1i32)]);
    assert_eq!(out, [tensor(&[9i32, 2], &[2]), tensor(&[1i32, 0], &[2])]);
}

#[test]
fn prefixes_in_both_directions() {
    // A recurrence a·x + b as a scan of pairs: not commutative.
    let (a, b): (Vec<i64>, Vec<i64>) = (0..16).map(|i| (i % 5 - 2, i % 7 - 3)).unzip();
    for reverse in [0, 1] {
        let body = format!(
            "%p, %q = prefix_scan(%a, %b) {{axis = 1, reverse = {reverse}}}
             region (%a0: i64[], %b0: i64[], %a1: i64[], %b1: i64[]) {{
               %a2 = mul(%a1, %a0) %t = mul(%a1, %b0) %b2 = add(%t, %b1) yield %a2, %b2
             }} return %p, %q"
        );
        let dims = [2, 8];
        let out =
            run("%a: i64[2, 8], %b: i64[2, 8]", &body, &[tensor(&a, &dims), tensor(&b, &dims)]);
        let (mut p, mut q) = (a.clone(), b.clone());
        for row in 0..2 {
            let place = |i: usize| row * 8 + if reverse == 1 { 7 - i } else { i };
            for i in 1..8 {
                let (now, before) = (place(i), place(i - 1));
                (p[now], q[now]) = (a[now] * p[before], a[now] * q[before] + b[now]);
            }
        }
        assert_eq!(out, [tensor(&p, &dims), tensor(&q, &dims)], "reverse {reverse}");
    }
}

#[test]
fn maps_take_runs_of_elements_and_may_branch_and_write() {
    let x: Vec<i32> = (0..8).map(|i| i * 3 % 8).collect();
    let y: Vec<i32> = (0..8).collect();
    let body = "%z, %m = map(%x, %y) {pack = 2}
        region (%x0: i32[], %x1: i32[], %y0: i32[], %y1: i32[]) {
          %c = less(%x0, %x1)
          %r = if(%c) region {
            %q = ptr_add(%p, %y0) store(%q, %x0) yield %y0
          } region {
            %s = sub(%x0, %x1) yield %s
          }
          %d = greater(%y0, %x1)
          yield %r, %y1, %c, %d
        } return %z, %m";
    let mut memory = Memory::default();
    let p = memory.add("p", &[-1i32; 8]);
    let args = [tensor(&x, &[8]), tensor(&y, &[8]), InterpValue::address(p)];
    let out = run_in("%x: i32[8], %y: i32[8], %p: ptr<i32>[]", body, &args, &mut memory).unwrap();
    let (mut z, mut m, mut written) = (vec![], vec![], vec![-1; 8]);
    for i in (0..8).step_by(2) {
        let less = x[i] < x[i + 1];
        if less {
            written[y[i] as usize] = x[i];
        }
        z.extend([if less { y[i] } else { x[i] - x[i + 1] }, y[i + 1]]);
        m.extend([u64::from(less), u64::from(y[i] > x[i + 1])]);
    }
    assert_eq!(out, [tensor(&z, &[8]), bits(DType::Bool, &m, &[8])]);
    assert_eq!(memory.read_all::<i32>("p").unwrap(), written);
}
