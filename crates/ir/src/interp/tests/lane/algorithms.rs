//! Usual algorithms of kernels, against plain loops.

use super::*;
use half::{bf16, f16};

#[test]
fn a_tree_of_sums() {
    let body = constants(&[0, 1, 2, 64, 128])
        + "%s = alloc {space = \"threadgroup\", dtype = i32, len = 128}
           %g = threadgroup_id {axis = 0}
           %first = mul(%g, %c128)
           %at = add(%first, %t)
           %p = ptr_add(%x, %at)
           %v = load(%p)
           %q = ptr_add(%s, %t)
           store(%q, %v)
           threadgroup_barrier
           %end = while(%c64) : i32[] region (%d: i32[]) {
             %go = greater(%d, %c0)
             yield %go, %d
           } region (%e: i32[]) {
             %low = less(%t, %e)
             if(%low) region {
               %r = ptr_add(%q, %e)
               %a = load(%q)
               %b = load(%r)
               %c = add(%a, %b)
               store(%q, %c)
               yield
             } region {
               yield
             }
             threadgroup_barrier
             %half = div(%e, %c2)
             yield %half
           }
           %leads = equal(%t, %c0)
           if(%leads) region {
             %total = load(%s)
             %to = ptr_add(%y, %g)
             store(%to, %total)
             yield
           } region {
             yield
           }";
    let module = kernel(128, "%x: ptr<i32>[], %y: ptr<i32>[]", &body);
    let x: Vec<i32> = numbers(384, 7).into_iter().map(|n| n as i32).collect();
    let mut memory = Memory::default();
    let args =
        [InterpValue::address(memory.add("x", &x)), InterpValue::address(memory.reserve("y", 12))];
    launch(&module, 3, &args, &mut memory).unwrap();
    let sum = |part: &[i32]| part.iter().fold(0i32, |s, &n| s.wrapping_add(n));
    assert_eq!(memory.read_all::<i32>("y").unwrap(), x.chunks(128).map(sum).collect::<Vec<_>>());
}

/// Prefix sums of a simdgroup by shuffles, then the sums of the simdgroups before it.
#[test]
fn prefix_sums_by_shuffles() {
    let body = constants(&[0, 1, 2, 31, 32])
        + "%s = alloc {space = \"threadgroup\", dtype = i32, len = 4}
           %l = lane_index
           %g = simdgroup_index
           %p = ptr_add(%x, %t)
           %v = load(%p)
           %d, %sum = while(%c1, %v) : i32[], i32[] region (%d0: i32[], %s0: i32[]) {
             %go = less(%d0, %c32)
             yield %go, %d0, %s0
           } region (%d1: i32[], %s1: i32[]) {
             %below = simd_shuffle_up(%s1, %d1)
             %has = greater_or_equal(%l, %d1)
             %more = add(%s1, %below)
             %s2 = where(%has, %more, %s1)
             %d2 = mul(%d1, %c2)
             yield %d2, %s2
           }
           %last = equal(%l, %c31)
           if(%last) region {
             %q = ptr_add(%s, %g)
             store(%q, %sum)
             yield
           } region {
             yield
           }
           threadgroup_barrier
           %all = for(%c0, %g, %c1, %sum) : i32[] region (%i: i32[], %so: i32[]) {
             %r = ptr_add(%s, %i)
             %o = load(%r)
             %n = add(%so, %o)
             yield %n
           }
           store(%p, %all)";
    let module = kernel(128, "%x: ptr<i32>[]", &body);
    let x: Vec<i32> = numbers(128, 3).into_iter().map(|n| n as i32).collect();
    let mut memory = Memory::default();
    let args = [InterpValue::address(memory.add("x", &x))];
    launch(&module, 1, &args, &mut memory).unwrap();
    let mut so_far = 0i32;
    let expected: Vec<i32> = x
        .iter()
        .map(|&n| {
            so_far = so_far.wrapping_add(n);
            so_far
        })
        .collect();
    assert_eq!(memory.read_all::<i32>("x").unwrap(), expected);
}

/// y = a·b + c, or with the factors transposed.
fn product(dtype: &str, transpose: usize) -> Module {
    let text = format!(
        "func @f lane {{threads = 32}} (%a: ptr<{dtype}>[], %b: ptr<{dtype}>[], %c: ptr<f32>[], %y: ptr<f32>[]) {{
           {}
           %i = matrix_load(%a, %c8) {{transpose = {transpose}}}
           %j = matrix_load(%b, %c9) {{transpose = {transpose}}}
           %k = matrix_load(%c, %c8)
           %m = matrix_multiply_add(%i, %j, %k)
           matrix_store(%y, %m, %c10)
           return
         }}",
        constants(&[8, 9, 10])
    );
    text.parse().unwrap()
}

#[test]
fn products_of_matrices() {
    let (a, b, c) = (small(64, 1), small(72, 2), small(64, 3));
    for transpose in [0, 1] {
        let mut expected = vec![0.0; 78];
        for i in 0..8 {
            for j in 0..8 {
                let at = |row: usize, column: usize, stride: usize| match transpose {
                    0 => row * stride + column,
                    _ => column * stride + row,
                };
                let sum: f32 = (0..8).map(|k| a[at(i, k, 8)] * b[at(k, j, 9)]).sum();
                expected[i * 10 + j] = sum + c[i * 8 + j];
            }
        }
        for dtype in ["f32", "f16"] {
            let mut memory = Memory::default();
            let narrow = |x: &[f32]| x.iter().map(|&x| f16::from_f32(x)).collect::<Vec<_>>();
            let (a, b) = match dtype {
                "f32" => (memory.add("a", &a), memory.add("b", &b)),
                _ => (memory.add("a", &narrow(&a)), memory.add("b", &narrow(&b))),
            };
            let (c, y) = (memory.add("c", &c), memory.add("y", &[0f32; 78]));
            let args = [a, b, c, y].map(InterpValue::address);
            launch(&product(dtype, transpose), 1, &args, &mut memory).unwrap();
            assert_eq!(memory.read_all::<f32>("y").unwrap(), expected, "{dtype} {transpose}");
        }
    }
}

/// Accumulators: y = a·b + c, each factor in rows of 33 or 34 elements, or columns.
#[test]
fn products_of_accumulators() {
    let (a, b, c) = (small(33 * 32, 1), small(34 * 32, 2), small(32 * 32, 3));
    let narrow = |x: &[f32]| x.iter().map(|&x| f16::from_f32(x)).collect::<Vec<_>>();
    let copy = |from: &str, to: &str, len: usize| {
        format!(
            "for(%c0, %c{len}, %c32) region (%{from}0: i32[]) {{
               %{from}1 = add(%t, %{from}0)
               %{from}2 = ptr_add(%{from}, %{from}1)
               %{from}3 = load(%{from}2)
               %{from}4 = ptr_add(%{to}, %{from}1)
               store(%{from}4, %{from}3)
               yield
             }}
             "
        )
    };
    for (letters, left, right) in
        [("nn", false, false), ("nt", false, true), ("tn", true, false), ("tt", true, true)]
    {
        let text = format!(
            "func @f lane {{threads = 32}} (%a: ptr<f16>[], %b: ptr<f16>[], %c: ptr<f32>[], %y: ptr<f32>[]) {{
               %s = alloc {{space = \"threadgroup\", dtype = f16, len = 2144}}
               {}
               %t = thread_index
               %second = ptr_add(%s, %c1056)
               {}{}
               threadgroup_barrier
               %k = accumulator_load(%c, %c32) : accumulator<f16, {letters}>
               %m = accumulator_multiply_add(%s, %c33, %second, %c34, %k)
               accumulator_store(%y, %m, %c35)
               return
             }}",
            constants(&[0, 32, 33, 34, 35, 1056, 1088]),
            copy("a", "s", 1056),
            copy("b", "second", 1088),
        );
        let module: Module = text.parse().unwrap();
        module.verify().unwrap();
        let at = |transposed: bool, row: usize, column: usize, stride: usize| match transposed {
            false => row * stride + column,
            true => column * stride + row,
        };
        let mut expected = vec![0.0; 35 * 32];
        for (i, j) in (0..32 * 32).map(|n| (n / 32, n % 32)) {
            let sum: f32 = (0..32).map(|k| a[at(left, i, k, 33)] * b[at(right, k, j, 34)]).sum();
            expected[i * 35 + j] = sum + c[i * 32 + j];
        }
        let mut memory = Memory::default();
        let (x, z) = (memory.add("a", &narrow(&a)), memory.add("b", &narrow(&b)));
        let (c, y) = (memory.add("c", &c), memory.add("y", &[0f32; 35 * 32]));
        launch(&module, 1, &[x, z, c, y].map(InterpValue::address), &mut memory).unwrap();
        assert_eq!(memory.read_all::<f32>("y").unwrap(), expected, "{letters}");
    }
}

#[test]
fn products_round_to_the_accumulator() {
    let text = format!(
        "func @f lane {{threads = 32}} (%a: ptr<bf16>[], %y: ptr<bf16>[], %f: bf16[]) {{
           {}
           %i = matrix_load(%a, %c8)
           %j = matrix_fill(%f)
           %k = matrix_multiply_add(%i, %j, %j)
           matrix_store(%y, %k, %c8) {{transpose = 1}}
           return
         }}",
        constants(&[8])
    );
    let module: Module = text.parse().unwrap();
    let a: Vec<bf16> = small(64, 6).into_iter().map(bf16::from_f32).collect();
    let mut memory = Memory::default();
    let (x, y) = (memory.add("a", &a), memory.reserve("y", 128));
    let fill = bf16::from_f32(1.5);
    let args = [InterpValue::address(x), InterpValue::address(y), InterpValue::scalar(fill)];
    launch(&module, 1, &args, &mut memory).unwrap();
    let row = |at: usize| a[at % 8 * 8..][..8].iter().map(|x| 1.5 * x.to_f64()).sum::<f64>() + 1.5;
    let expected: Vec<bf16> = (0..64).map(|at| bf16::from_f64(row(at))).collect();
    assert_eq!(memory.read_all::<bf16>("y").unwrap(), expected);
}

/// Tiles of 8×8 of a 16×24 matrix, one for each threadgroup, go through threadgroup memory.
#[test]
fn a_transposition() {
    let body = constants(&[3, 8, 9, 16, 24])
        + "%s = alloc {space = \"threadgroup\", dtype = f32, len = 72}
           %g = threadgroup_id {axis = 0}
           %gr = div(%g, %c3)
           %gc = mod(%g, %c3)
           %r = div(%t, %c8)
           %c = mod(%t, %c8)
           %row0 = mul(%gr, %c8)
           %column0 = mul(%gc, %c8)
           %row = add(%row0, %r)
           %column = add(%column0, %c)
           %from0 = mul(%row, %c24)
           %from = add(%from0, %column)
           %p = ptr_add(%x, %from)
           %v = load(%p)
           %put0 = mul(%r, %c9)
           %put = add(%put0, %c)
           %q = ptr_add(%s, %put)
           store(%q, %v)
           threadgroup_barrier
           %get0 = mul(%c, %c9)
           %get = add(%get0, %r)
           %o = ptr_add(%s, %get)
           %w = load(%o)
           %trow = add(%column0, %r)
           %tcolumn = add(%row0, %c)
           %to0 = mul(%trow, %c16)
           %to = add(%to0, %tcolumn)
           %z = ptr_add(%y, %to)
           store(%z, %w)";
    let module = kernel(64, "%x: ptr<f32>[], %y: ptr<f32>[]", &body);
    let x: Vec<f32> = (0..16 * 24).map(|n| n as f32).collect();
    let mut memory = Memory::default();
    let args = [memory.add("x", &x), memory.reserve("y", 4 * x.len())].map(InterpValue::address);
    launch(&module, 6, &args, &mut memory).unwrap();
    let expected: Vec<f32> = (0..24 * 16).map(|at| x[at % 16 * 24 + at / 16]).collect();
    assert_eq!(memory.read_all::<f32>("y").unwrap(), expected);
}

/// Each threadgroup counts in its own memory and adds its counts to the device's.
#[test]
fn a_histogram() {
    let body = constants(&[0, 1, 8, 48])
        + "%s = alloc {space = \"threadgroup\", dtype = i32, len = 8}
           %counts = less(%t, %c8)
           %own = ptr_add(%s, %t)
           if(%counts) region {
             store(%own, %c0)
             yield
           } region {
             yield
           }
           threadgroup_barrier
           %g = threadgroup_id {axis = 0}
           %first = mul(%g, %c48)
           %at = add(%first, %t)
           %p = ptr_add(%x, %at)
           %v = load(%p)
           %bin = ptr_add(%s, %v)
           %before = atomic_rmw(%bin, %c1) {op = \"add\", order = \"relaxed\"}
           threadgroup_barrier
           if(%counts) region {
             %n = load(%own)
             %to = ptr_add(%y, %t)
             %former = atomic_rmw(%to, %n) {op = \"add\", order = \"relaxed\"}
             yield
           } region {
             yield
           }";
    let module = kernel(48, "%x: ptr<i32>[], %y: ptr<i32>[]", &body);
    let x: Vec<i32> = numbers(48 * 4, 5).into_iter().map(|n| (n % 8) as i32).collect();
    let mut memory = Memory::default();
    let args = [memory.add("x", &x), memory.add("y", &[0i32; 8])].map(InterpValue::address);
    launch(&module, 4, &args, &mut memory).unwrap();
    let count = |bin| x.iter().filter(|&&n| n == bin).count() as i32;
    assert_eq!(memory.read_all::<i32>("y").unwrap(), (0..8).map(count).collect::<Vec<_>>());
}
