//! Blocks that vectors compute in runs: masks that end or begin within one, stores that overlap loads, and element types.

use half::{bf16, f16};

use super::{compare, compare_floats, floats, ints, noise, scalar, tensor};

const N: usize = 64;

/// A function of a block `%r` of 0, 1, … 63, scalars `%m` and `%n` and these as blocks `%ms` and `%ns`.
fn kernel(params: &str, body: &str) -> String {
    format!(
        "func @k tile ({params}, %m: i32[], %n: i32[]) {{
           %r = arange {{start = 0, end = {N}}}
           %ms = splat(%m) : i32[{N}]
           %ns = splat(%n) : i32[{N}]
           {body}
           return
         }}"
    )
}

#[test]
fn masks_end_and_begin_within_runs() {
    let text = kernel(
        "%x: ptr<f32>[], %z: ptr<f32>[], %s: ptr<f32>[]",
        "%above = greater_or_equal(%r, %ms)
         %below = less(%r, %ns)
         %in = and(%above, %below)
         %xs = splat(%x) : ptr<f32>[64]
         %px = ptr_add(%xs, %r)
         %seven = constant {value = f32[](7)}
         %other = splat(%seven) : f32[64]
         %a = load(%px, %in, %other)
         %two = constant {value = f32[](2)}
         %rest = splat(%two) : f32[64]
         %b = load(%px, %below, %rest)
         %t = mul(%a, %b)
         %all = reduce(%t) {axis = 0} region (%l: f32[], %q: f32[]) { %v = max(%l, %q) yield %v }
         store(%s, %all)
         %zs = splat(%z) : ptr<f32>[64]
         %pz = ptr_add(%zs, %r)
         store(%pz, %a)
         %far = splat(%n) : i32[64]
         %c = constant {value = i32[](64)}
         %cs = splat(%c) : i32[64]
         %py = ptr_add(%pz, %cs)
         store(%py, %t, %in)",
    );
    let x = floats(N, 1);
    let args = |n, m| {
        let (z, s) = (tensor("z", &[0.5f32; 128]), tensor("s", &[0f32]));
        vec![tensor("x", &x), z, s, scalar(m), scalar(n)]
    };
    let starts = [0, 1, 15, 16, 17, 40, 64];
    for args in (0..=N as i32).flat_map(|n| starts.map(|m| args(n, m))) {
        compare(&text, [1, 1, 1], &args);
    }
}

#[test]
fn all_is_stored_of_what_is_loaded_in_part() {
    let text = kernel(
        "%x: ptr<f32>[], %z: ptr<f32>[]",
        "%below = less(%r, %ns)
         %above = greater_or_equal(%r, %ms)
         %in = and(%above, %below)
         %xs = splat(%x) : ptr<f32>[64]
         %px = ptr_add(%xs, %r)
         %seven = constant {value = f32[](7)}
         %other = splat(%seven) : f32[64]
         %a = load(%px, %in, %other)
         %b = load(%px, %below, %other)
         %e = exp(%b)
         %t = sub(%a, %e)
         %d = div(%t, %other)
         %zs = splat(%z) : ptr<f32>[64]
         %pz = ptr_add(%zs, %r)
         store(%pz, %d)",
    );
    let x = floats(N, 3);
    for n in [0, 1, 15, 16, 33, 63, 64] {
        for m in [0, 1, 16, 17, 40, 64] {
            let args = [tensor("x", &x), tensor("z", &[0.5f32; 64]), scalar(m), scalar(n)];
            compare_floats::<f32>(&text, [1, 1, 1], &args, 1e-6);
        }
    }
}

#[test]
fn stores_may_overlap_loads() {
    let text = kernel(
        "%x: ptr<i32>[]",
        "%xs = splat(%x) : ptr<i32>[64]
         %pm = ptr_add(%xs, %ms)
         %pa = ptr_add(%pm, %r)
         %a = load(%pa)
         %pn = ptr_add(%xs, %ns)
         %pb = ptr_add(%pn, %r)
         %b = load(%pb)
         %c = add(%a, %b)
         store(%pa, %c)
         %d = sub(%a, %b)
         store(%pb, %d)",
    );
    let x = ints(3 * N, 2);
    for m in [0, 1, 4, 16, 63, 64, 100] {
        for n in [0, 1, 3, 17, 64, 65, 128] {
            compare(&text, [1, 1, 1], &[tensor("x", &x), scalar::<i32>(m), scalar::<i32>(n)]);
        }
    }
}

#[test]
fn rows_have_their_own_masks() {
    let text = "func @k tile (%x: ptr<f32>[], %z: ptr<f32>[], %m: i32[], %n: i32[]) {
         %i = arange {start = 0, end = 8}
         %j = arange {start = 0, end = 32}
         %ms = splat(%m) : i32[8]
         %ns = splat(%n) : i32[32]
         %mi = less(%i, %ms)
         %nj = less(%j, %ns)
         %me = expand_dims(%mi) {axis = 1}
         %ne = expand_dims(%nj) {axis = 0}
         %mb = broadcast(%me) : bool[8, 32]
         %nb = broadcast(%ne) : bool[8, 32]
         %in = and(%mb, %nb)
         %ie = expand_dims(%i) {axis = 1}
         %je = expand_dims(%j) {axis = 0}
         %ib = broadcast(%ie) : i32[8, 32]
         %jb = broadcast(%je) : i32[8, 32]
         %w = constant {value = i32[](32)}
         %ws = splat(%w) : i32[8, 32]
         %row = mul(%ib, %ws)
         %at = add(%row, %jb)
         %xs = splat(%x) : ptr<f32>[8, 32]
         %px = ptr_add(%xs, %at)
         %a = load(%px, %in)
         %b = add(%a, %a)
         %zs = splat(%z) : ptr<f32>[8, 32]
         %pz = ptr_add(%zs, %at)
         store(%pz, %b, %in)
         return
       }";
    let x = floats(8 * 32, 3);
    for m in [0, 1, 7, 8] {
        for n in [0, 5, 16, 31, 32] {
            let args =
                [tensor("x", &x), tensor("z", &[9f32; 256]), scalar::<i32>(m), scalar::<i32>(n)];
            compare(text, [1, 1, 1], &args);
        }
    }
}

#[test]
fn elements_of_four_and_eight_bytes_mix() {
    let text = kernel(
        "%x: ptr<f32>[], %y: ptr<i64>[], %f: ptr<f64>[], %g: ptr<i64>[], %h: ptr<f32>[], %q: ptr<i32>[]",
        "%xs = splat(%x) : ptr<f32>[64]
         %px = ptr_add(%xs, %r)
         %a = load(%px)
         %ys = splat(%y) : ptr<i64>[64]
         %py = ptr_add(%ys, %r)
         %b = load(%py)
         %wide = cast(%a) {to = f64}
         %sq = mul(%wide, %wide)
         %fs = splat(%f) : ptr<f64>[64]
         %pf = ptr_add(%fs, %r)
         store(%pf, %sq)
         %small = cast(%b) {to = i32}
         %less = less(%small, %r)
         %long = cast(%r) {to = i64}
         %greater = greater(%b, %long)
         %either = xor(%less, %greater)
         %pick = where(%either, %b, %long)
         %gs = splat(%g) : ptr<i64>[64]
         %pg = ptr_add(%gs, %r)
         store(%pg, %pick)
         %back = cast(%sq) {to = f32}
         %float = cast(%small) {to = f32}
         %one = cast(%less) {to = f32}
         %sum = add(%back, %float)
         %total = add(%sum, %one)
         %hs = splat(%h) : ptr<f32>[64]
         %ph = ptr_add(%hs, %r)
         store(%ph, %total)
         %shifted = bit_shift(%small, %ns) {direction = \"RIGHT\"}
         %not = bitwise_not(%shifted)
         %least = min(%not, %r)
         %flag = cast(%greater) {to = i32}
         %both = add(%least, %flag)
         %qs = splat(%q) : ptr<i32>[64]
         %pq = ptr_add(%qs, %r)
         store(%pq, %both)",
    );
    let x = floats(N, 1);
    let y: Vec<i64> = (0..N as i64).map(|i| i * i * 0x9e37_79b9 - 77 * i - 5).collect();
    for n in [0, 3, 31] {
        let args = [
            tensor("x", &x),
            tensor("y", &y),
            tensor("f", &[0f64; N]),
            tensor("g", &[0i64; N]),
            tensor("h", &[0f32; N]),
            tensor("q", &[0i32; N]),
            scalar::<i32>(0),
            scalar::<i32>(n),
        ];
        compare(&text, [1, 1, 1], &args);
    }
}

#[test]
fn halves_are_rounded_after_each_op() {
    for (ty, one) in [("f16", "f16[](1.25)"), ("bf16", "bf16[](1.25)")] {
        let text = kernel(
            &format!(
                "%x: ptr<{ty}>[], %y: ptr<{ty}>[], %z: ptr<{ty}>[], %w: ptr<f32>[], %s: ptr<{ty}>[]"
            ),
            &format!(
                "%below = less(%r, %ns)
                 %xs = splat(%x) : ptr<{ty}>[64]
                 %px = ptr_add(%xs, %r)
                 %ys = splat(%y) : ptr<{ty}>[64]
                 %py = ptr_add(%ys, %r)
                 %pm = ptr_add(%py, %ms)
                 %one = constant {{value = {one}}}
                 %ones = splat(%one) : {ty}[64]
                 %scalar = load(%s)
                 %scale = splat(%scalar) : {ty}[64]
                 %a = load(%px, %below, %ones)
                 %b = load(%pm)
                 %p = mul(%a, %b)
                 %t = add(%p, %scale)
                 %d = div(%t, %ones)
                 %most = max_num(%d, %b)
                 %n0 = neg(%most)
                 %lt = less(%a, %n0)
                 %c = where(%lt, %n0, %a)
                 %e = cast(%c) {{to = f32}}
                 %f = exp(%e)
                 %g = cast(%f) {{to = {ty}}}
                 %q = add(%g, %c)
                 %zs = splat(%z) : ptr<{ty}>[64]
                 %pz = ptr_add(%zs, %r)
                 store(%pz, %q, %below)
                 %ws = splat(%w) : ptr<f32>[64]
                 %pw = ptr_add(%ws, %r)
                 store(%pw, %e)"
            ),
        );
        let halves = |k| -> Vec<u16> {
            let bits = |x: f32| match ty {
                "f16" => f16::from_f32(x).to_bits(),
                _ => bf16::from_f32(x).to_bits(),
            };
            floats(2 * N, k).into_iter().map(bits).collect()
        };
        let (x, y) = (halves(5), halves(6));
        for n in [0, 1, 16, 17, 40, 64] {
            for m in [0, 1, 7] {
                let args = [
                    tensor("x", &x),
                    tensor("y", &y),
                    tensor("z", &y[64..]),
                    tensor("w", &[0f32; 64]),
                    tensor("s", &x[3..4]),
                    scalar(m),
                    scalar(n),
                ];
                compare(&text, [1, 1, 1], &args);
            }
        }
    }
}

#[test]
fn short_integers_wrap_after_each_op() {
    for (ty, bytes) in [("i8", 1), ("u8", 1), ("i16", 2), ("u16", 2)] {
        let float = if bytes == 1 { "f8e5m2" } else { "bf16" };
        let other = if ty.starts_with('i') { ty.replace('i', "u") } else { ty.replace('u', "i") };
        let text = kernel(
            &format!(
                "%x: ptr<{ty}>[], %y: ptr<{float}>[], %z: ptr<{ty}>[], %w: ptr<i32>[], %f: ptr<f32>[], %h: ptr<{float}>[], %s: ptr<{ty}>[]"
            ),
            &format!(
                "%below = less(%r, %ns)
                 %xs = splat(%x) : ptr<{ty}>[64]
                 %px = ptr_add(%xs, %r)
                 %ys = splat(%y) : ptr<{float}>[64]
                 %py = ptr_add(%ys, %r)
                 %c = constant {{value = {ty}[](77)}}
                 %cs = splat(%c) : {ty}[64]
                 %scalar = load(%s)
                 %ss = splat(%scalar) : {ty}[64]
                 %a = load(%px, %below, %cs)
                 %e = load(%py)
                 %b = bitcast(%e) {{to = {ty}}}
                 %p = mul(%a, %b)
                 %t = sub(%p, %ss)
                 %one = constant {{value = {ty}[](3)}}
                 %by = splat(%one) : {ty}[64]
                 %left = bit_shift(%t, %by) {{direction = \"LEFT\"}}
                 %right = bit_shift(%left, %by) {{direction = \"RIGHT\"}}
                 %not = bitwise_not(%right)
                 %most = max(%not, %b)
                 %lt = less(%most, %a)
                 %q = where(%lt, %a, %most)
                 %n0 = neg(%q)
                 %zs = splat(%z) : ptr<{ty}>[64]
                 %pz = ptr_add(%zs, %r)
                 store(%pz, %n0, %below)
                 %long = cast(%n0) {{to = i32}}
                 %odd = cast(%n0) {{to = {other}}}
                 %longer = cast(%odd) {{to = i32}}
                 %both = add(%long, %longer)
                 %ws = splat(%w) : ptr<i32>[64]
                 %pw = ptr_add(%ws, %r)
                 %old = load(%pw)
                 %sum = add(%both, %old)
                 store(%pw, %sum)
                 %fs = splat(%f) : ptr<f32>[64]
                 %pf = ptr_add(%fs, %r)
                 %g = load(%pf)
                 %number = cast(%n0) {{to = f32}}
                 %scaled = mul(%number, %g)
                 store(%pf, %scaled)
                 %i = cast(%g) {{to = i32}}
                 %u = bitwise_xor(%i, %sum)
                 %v = cast(%u) {{to = {ty}}}
                 %d = cast(%number) {{to = {ty}}}
                 %k = add(%v, %d)
                 %bits = bitcast(%k) {{to = {float}}}
                 %hs = splat(%h) : ptr<{float}>[64]
                 %ph = ptr_add(%hs, %r)
                 %pm = ptr_add(%ph, %ms)
                 store(%pm, %bits)"
            ),
        );
        let bits = |k: u64| -> Vec<u8> {
            noise(bytes * 2 * N, k).into_iter().map(|x| (x >> 9) as u8).collect()
        };
        let mut g = floats(N, 9);
        g[..4].copy_from_slice(&[2147483520.0, -2147483648.0, -0.99, 0.99]);
        for n in [0, 1, 16, 17, 40, 64] {
            for m in [0, 1, 7] {
                let args = [
                    tensor("x", &bits(1)),
                    tensor("y", &bits(2)),
                    tensor("z", &bits(3)),
                    tensor("w", &ints(N, 4)),
                    tensor("f", &g),
                    tensor("h", &bits(5)),
                    tensor("s", &bits(6)),
                    scalar(m),
                    scalar(n),
                ];
                compare(&text, [1, 1, 1], &args);
            }
        }
    }
}

#[test]
fn truth_that_is_needed_twice_is_kept() {
    let text = kernel(
        "%x: ptr<f32>[], %z: ptr<i8>[], %s: ptr<i32>[]",
        "%xs = splat(%x) : ptr<f32>[64]
         %px = ptr_add(%xs, %r)
         %a = load(%px)
         %e = sqrt(%a)
         %d = div(%e, %a)
         %q = sqrt(%d)
         %t = less(%q, %e)
         %i = cast(%t) {to = i32}
         %all = reduce(%i) {axis = 0} region (%l: i32[], %k: i32[]) { %v = add(%l, %k) yield %v }
         store(%s, %all)
         %c = cast(%t) {to = i8}
         %zs = splat(%z) : ptr<i8>[64]
         %pz = ptr_add(%zs, %r)
         store(%pz, %c)",
    );
    let x: Vec<f32> = floats(N, 3).into_iter().map(|x| x.abs() + 0.1).collect();
    let args = [
        tensor("x", &x),
        tensor("z", &[9i8; N]),
        tensor("s", &[0i32]),
        scalar::<i32>(0),
        scalar::<i32>(0),
    ];
    compare(&text, [1, 1, 1], &args);
}

/// Truth values in memory, made by ops that no loop has, beside elements of 8 bytes.
#[test]
fn truth_in_memory_chooses_among_long_elements() {
    for ty in ["f64", "i64", "f32", "i8"] {
        let text = kernel(
            &format!("%x: ptr<i32>[], %w: ptr<{ty}>[], %z: ptr<{ty}>[], %s: ptr<i32>[]"),
            &format!(
                "%xs = splat(%x) : ptr<i32>[64]
                 %px = ptr_add(%xs, %r)
                 %a = load(%px)
                 %seven = constant {{value = i32[](7)}}
                 %sevens = splat(%seven) : i32[64]
                 %rest = mod(%a, %sevens)
                 %t = greater(%rest, %ns)
                 %i = cast(%t) {{to = i32}}
                 %all = reduce(%i) {{axis = 0}} region (%l: i32[], %k: i32[]) {{ %v = add(%l, %k) yield %v }}
                 store(%s, %all)
                 %ws = splat(%w) : ptr<{ty}>[64]
                 %pw = ptr_add(%ws, %r)
                 %b = load(%pw)
                 %c = neg(%b)
                 %d = where(%t, %b, %c)
                 %zs = splat(%z) : ptr<{ty}>[64]
                 %pz = ptr_add(%zs, %r)
                 store(%pz, %d)"
            ),
        );
        let x: Vec<i32> = ints(N, 8).into_iter().map(i32::abs).collect();
        let bytes: Vec<u8> = match ty {
            "f64" => floats(N, 1).iter().flat_map(|&x| f64::from(x).to_le_bytes()).collect(),
            "f32" => floats(N, 1).iter().flat_map(|x| x.to_le_bytes()).collect(),
            _ => noise(8 * N, 2).into_iter().map(|x| x as u8).collect(),
        };
        let args = [
            tensor("x", &x),
            tensor("w", &bytes),
            tensor("z", &vec![0u8; bytes.len()]),
            tensor("s", &[0i32]),
            scalar::<i32>(0),
            scalar::<i32>(3),
        ];
        compare(&text, [1, 1, 1], &args);
    }
}

#[test]
fn loops_carry_long_elements_and_truth() {
    for ty in ["f64", "f32", "i64"] {
        let text = kernel(
            &format!("%x: ptr<{ty}>[], %y: ptr<{ty}>[], %z: ptr<i8>[]"),
            &format!(
                "%xs = splat(%x) : ptr<{ty}>[64]
                 %px = ptr_add(%xs, %r)
                 %first = load(%px)
                 %flag = equal(%first, %first)
                 %one = constant {{value = i32[](1)}}
                 %size = constant {{value = i32[](64)}}
                 %sizes = splat(%size) : i32[64]
                 %end, %truth = for(%m, %n, %one, %first, %flag) region (%i: i32[], %acc: {ty}[64], %f: bool[64]) {{
                   %is = splat(%i) : i32[64]
                   %off = mul(%is, %sizes)
                   %p = ptr_add(%px, %off)
                   %b = load(%p)
                   %sum = add(%acc, %b)
                   %g = greater(%sum, %acc)
                   %other = xor(%g, %f)
                   yield %sum, %other
                 }}
                 %ys = splat(%y) : ptr<{ty}>[64]
                 %py = ptr_add(%ys, %r)
                 store(%py, %end)
                 %bytes = cast(%truth) {{to = i8}}
                 %zs = splat(%z) : ptr<i8>[64]
                 %pz = ptr_add(%zs, %r)
                 store(%pz, %bytes)"
            ),
        );
        let bytes: Vec<u8> = match ty {
            "f64" => floats(5 * N, 1).iter().flat_map(|&x| f64::from(x).to_le_bytes()).collect(),
            "f32" => floats(5 * N, 1).iter().flat_map(|x| x.to_le_bytes()).collect(),
            _ => noise(5 * 8 * N, 2).into_iter().map(|x| x as u8).collect(),
        };
        let args = [
            tensor("x", &bytes),
            tensor("y", &bytes[..bytes.len() / 5]),
            tensor("z", &[9i8; N]),
            scalar::<i32>(1),
            scalar::<i32>(5),
        ];
        compare(&text, [1, 1, 1], &args);
    }
}

#[test]
fn copies_keep_every_bit() {
    for (ty, bytes) in [("f16", 2), ("bf16", 2), ("f8e4m3fn", 1), ("f8e5m2", 1), ("i16", 2)] {
        let text = kernel(
            &format!("%x: ptr<{ty}>[], %y: ptr<{ty}>[]"),
            &format!(
                "%xs = splat(%x) : ptr<{ty}>[64]
                 %pid = program_id {{axis = 0}}
                 %size = constant {{value = i32[](64)}}
                 %start = mul(%pid, %size)
                 %starts = splat(%start) : i32[64]
                 %at = add(%starts, %r)
                 %below = less(%at, %ns)
                 %px = ptr_add(%xs, %at)
                 %a = load(%px, %below)
                 %ys = splat(%y) : ptr<{ty}>[64]
                 %py = ptr_add(%ys, %at)
                 store(%py, %a, %below)"
            ),
        );
        let every: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
        let count = every.len() / bytes;
        let args = [
            tensor("x", &every),
            tensor("y", &vec![1u8; every.len()]),
            scalar::<i32>(0),
            scalar::<i32>(count as i32 - 7),
        ];
        compare(&text, [count.div_ceil(N) as u32, 1, 1], &args);
    }
}
