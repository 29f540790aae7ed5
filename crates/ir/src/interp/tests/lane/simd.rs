//! Functions of a simdgroup against plain loops over its lanes.

use super::*;

/// The value `%y` of type `dtype` that each of `threads` threads computes from its element `%v` of `x` and the scalar `%n`.
fn lanes<T: Element, R: Element>(threads: usize, x: &[T], n: i32, body: &str) -> Vec<R> {
    let body = format!(
        "%p = ptr_add(%x, %t) %v = load(%p) %l = lane_index {body} %q = ptr_add(%to, %t) store(%q, %y)"
    );
    let head = format!("%x: ptr<{}>[], %to: ptr<{}>[], %n: i32[]", T::DTYPE, R::DTYPE);
    let module = kernel(threads, &head, &body);
    let mut memory = Memory::default();
    let (x, to) = (memory.add("x", x), memory.reserve("to", threads * size_of::<R>()));
    let args = [InterpValue::address(x), InterpValue::address(to), InterpValue::scalar(n)];
    launch(&module, 1, &args, &mut memory).unwrap();
    memory.read_all("to").unwrap()
}

#[test]
fn shuffles() {
    let x: Vec<i32> = (0..64).map(|n| n * n - 7).collect();
    for by in [0, 1, 5, 16, 31] {
        let shuffled = |op: &str| lanes::<i32, i32>(64, &x, by, &format!("%y = {op}(%v, %n)"));
        let expected = |from: &dyn Fn(i32) -> i32| -> Vec<i32> {
            (0..64).map(|t| x[(t / 32 * 32 + from(t % 32)) as usize]).collect()
        };
        assert_eq!(shuffled("simd_shuffle"), expected(&|_| by));
        assert_eq!(shuffled("simd_shuffle_xor"), expected(&|l| l ^ by));
        assert_eq!(shuffled("simd_shuffle_up"), expected(&|l| if l < by { l } else { l - by }));
        assert_eq!(
            shuffled("simd_shuffle_down"),
            expected(&|l| if l + by > 31 { l } else { l + by })
        );
    }
    // Each lane asks for another one.
    let rotated: Vec<i32> = lanes(
        64,
        &x,
        1,
        "%m = add(%l, %n) %w = constant {value = i32[](32)} %f = mod(%m, %w) %y = simd_shuffle(%v, %f)",
    );
    let expected: Vec<i32> = (0..64).map(|t| x[t / 32 * 32 + (t + 1) % 32]).collect();
    assert_eq!(rotated, expected);
}

#[test]
fn reductions_and_prefixes() {
    // The last simdgroup has 8 lanes.
    let x: Vec<u32> = numbers(40, 9).into_iter().map(|n| n as u32 | 1).collect();
    type Combine = fn(u32, u32) -> u32;
    let ops: [(&str, Combine); 7] = [
        ("add", u32::wrapping_add),
        ("mul", u32::wrapping_mul),
        ("min", u32::min),
        ("max", u32::max),
        ("and", |a, b| a & b),
        ("or", |a, b| a | b),
        ("xor", |a, b| a ^ b),
    ];
    for (op, combine) in ops {
        let got: Vec<u32> = lanes(40, &x, 0, &format!("%y = simd_reduce(%v) {{op = \"{op}\"}}"));
        let each = |part: &[u32]| vec![part.iter().copied().reduce(combine).unwrap(); part.len()];
        assert_eq!(got, x.chunks(32).flat_map(each).collect::<Vec<_>>(), "{op}");
    }
    for ((op, combine), neutral) in ops.into_iter().zip([0, 1]) {
        for exclusive in [0, 1] {
            let body = format!("%y = simd_prefix(%v) {{op = \"{op}\", exclusive = {exclusive}}}");
            let prefix = |part: &[u32]| -> Vec<u32> {
                let to = |i: usize| part[..i + 1 - exclusive].iter().copied();
                (0..part.len()).map(|i| to(i).fold(neutral, combine)).collect()
            };
            let expected: Vec<u32> = x.chunks(32).flat_map(prefix).collect();
            assert_eq!(lanes::<u32, u32>(40, &x, 0, &body), expected, "{op} {exclusive}");
        }
    }
    let floats: Vec<f32> = small(32, 4);
    let most: Vec<f32> = lanes(32, &floats, 0, "%y = simd_reduce(%v) {op = \"max\"}");
    assert_eq!(most, [floats.iter().copied().fold(f32::MIN, f32::max); 32]);
}

#[test]
fn votes() {
    let x: Vec<i32> = (0..40).map(|t| t % 3).collect();
    let ballot: Vec<u32> = lanes(40, &x, 1, "%c = less(%v, %n) %y = simd_ballot(%c)");
    let bits = |part: &[i32]| {
        let mask = (0..part.len()).fold(0u32, |mask, i| mask | u32::from(part[i] < 1) << i);
        vec![mask; part.len()]
    };
    assert_eq!(ballot, x.chunks(32).flat_map(bits).collect::<Vec<_>>());
    for (op, limit, expected) in [("all", 3, 1), ("all", 2, 0), ("any", 1, 1), ("any", 0, 0)] {
        let body = format!("%c = less(%v, %n) %b = simd_{op}(%c) %y = cast(%b) {{to = i32}}");
        assert_eq!(lanes::<i32, i32>(40, &x, limit, &body), [expected; 40], "{op} {limit}");
    }
}

/// Simdgroups may loop for different times, as long as the lanes of each stay together.
#[test]
fn simdgroups_go_their_own_ways() {
    let body = constants(&[0, 1])
        + "%g = simdgroup_index
           %y = for(%c0, %g, %c1, %v) : i32[] region (%i: i32[], %s: i32[]) {
             %r = simd_reduce(%s) {op = \"add\"}
             yield %r
           }";
    let got: Vec<i32> = lanes(96, &[1i32; 96], 0, &body);
    let expected: Vec<i32> = (0..96).map(|t| 32i32.pow(t / 32)).collect();
    assert_eq!(got, expected);
}
