//! Native code of tile functions against the reference interpreter: both run the same module on the same memory, which
//! has to end up with the same bits.
#![allow(clippy::unwrap_used)] // what does not fit fails the test

use trident_cpu::CpuDevice;
use trident_ir::interp::{Interpreter, Memory, Value};
use trident_ir::{Element, Module};
use trident_runtime::{KernelCompiler, KernelLaunch, KernelOptions};

enum Arg {
    Tensor(String, Vec<u8>),
    Scalar(u64, Value),
}

fn tensor<T: Element>(name: &str, elements: &[T]) -> Arg {
    Arg::Tensor(name.into(), elements.iter().flat_map(|e| bytes_of(e).to_vec()).collect())
}

fn bytes_of<T: Element>(element: &T) -> Vec<u8> {
    let literal = trident_ir::Literal::scalar(*element);
    match literal.data() {
        trident_ir::literal::LiteralData::Bytes(b) => b.to_vec(),
        trident_ir::literal::LiteralData::Strings(_) => vec![],
    }
}

fn scalar<T: Element>(value: T) -> Arg {
    let mut word = [0; 8];
    let bytes = bytes_of(&value);
    word[..bytes.len()].copy_from_slice(&bytes);
    Arg::Scalar(u64::from_le_bytes(word), Value::scalar(value))
}

/// Runs the module both ways, the native code with one and three threads and from its image, and compares all tensors.
fn compare(text: &str, grid: [u32; 3], args: &[Arg]) {
    let module: Module = text.parse().unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut memory = Memory::default();
    let mut values = vec![];
    for arg in args {
        values.push(match arg {
            Arg::Tensor(name, bytes) => Value::address(memory.add(name, bytes)),
            Arg::Scalar(_, value) => value.clone(),
        });
    }
    let mut interpreter = Interpreter::new(&module).unwrap();
    interpreter.launch(grid, &values, &mut memory).unwrap_or_else(|e| panic!("{e}\n{text}"));
    for threads in [1, 3] {
        let device = CpuDevice::new(threads);
        let kernel = device.compile_kernel(&module, &KernelOptions::default());
        let kernel = kernel.unwrap_or_else(|e| panic!("{e}\n{text}"));
        let image = kernel.image().unwrap();
        let again = device.load_kernel(&image).unwrap();
        assert_eq!(again.params(), kernel.params());
        for kernel in [kernel, again] {
            let mut tensors: Vec<Vec<u64>> = vec![];
            let mut words = vec![];
            for arg in args {
                match arg {
                    Arg::Tensor(_, bytes) => {
                        let word = |chunk: &[u8]| {
                            let mut word = [0; 8];
                            word[..chunk.len()].copy_from_slice(chunk);
                            u64::from_le_bytes(word)
                        };
                        let data: Vec<u64> = bytes.chunks(8).map(word).collect();
                        let to = data.as_ptr();
                        words.push(to as u64);
                        tensors.push(data);
                    }
                    Arg::Scalar(bits, _) => words.push(*bits),
                }
            }
            kernel.launch(&KernelLaunch { grid, args: &words, extents: &[] }).unwrap();
            let names = args.iter().filter_map(|a| match a {
                Arg::Tensor(name, bytes) => Some((name, bytes.len())),
                Arg::Scalar(..) => None,
            });
            for ((name, n), data) in names.zip(&tensors) {
                let bytes: Vec<u8> = data.iter().flat_map(|w| w.to_le_bytes()).take(n).collect();
                assert_eq!(memory.bytes(name).unwrap(), bytes, "`{name}` of\n{text}");
            }
        }
    }
}

/// Numbers that look random: a linear congruential generator's upper halves.
fn noise(n: usize, seed: u64) -> Vec<u32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    (0..n)
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as u32
        })
        .collect()
}

fn floats(n: usize, seed: u64) -> Vec<f32> {
    noise(n, seed).into_iter().map(|x| (x as f32 / (1u64 << 30) as f32 - 1.0) * 8.0).collect()
}

fn ints(n: usize, seed: u64) -> Vec<i32> {
    noise(n, seed).into_iter().map(|x| x as i32 - (1 << 30)).collect()
}

/// A function over blocks of 16 elements: pointers `%pa`, `%pb`, `%po`, mask `%m` and elements `%a`, `%b` are there.
fn elementwise(dtype: &str, out: &str, body: &str) -> String {
    format!(
        "func @k tile (%x: ptr<{dtype}>[], %y: ptr<{dtype}>[], %z: ptr<{out}>[], %n: i32[]) {{
           %pid = program_id {{axis = 0}}
           %size = constant {{value = i32[](16)}}
           %start = mul(%pid, %size)
           %starts = splat(%start) : i32[16]
           %r = arange {{start = 0, end = 16}}
           %at = add(%starts, %r)
           %ns = splat(%n) : i32[16]
           %m = less(%at, %ns)
           %xs = splat(%x) : ptr<{dtype}>[16]
           %ys = splat(%y) : ptr<{dtype}>[16]
           %zs = splat(%z) : ptr<{out}>[16]
           %pa = ptr_add(%xs, %at)
           %pb = ptr_add(%ys, %at)
           %po = ptr_add(%zs, %at)
           %a = load(%pa, %m)
           %b = load(%pb, %m)
           {body}
           store(%po, %o, %m)
           return
         }}"
    )
}

#[test]
fn arithmetic_of_floats() {
    let (n, grid) = (61, [4, 1, 1]);
    for op in ["add", "sub", "mul", "div", "max", "min", "max_num", "min_num"] {
        let text = elementwise("f32", "f32", &format!("%o = {op}(%a, %b)"));
        let args = [
            tensor("x", &floats(n, 1)),
            tensor("y", &floats(n, 2)),
            tensor("z", &floats(n, 3)),
            scalar(n as i32),
        ];
        compare(&text, grid, &args);
    }
    for op in ["neg", "abs", "sqrt", "floor", "ceil"] {
        let text = elementwise("f64", "f64", &format!("%c = mul(%a, %a) %o = {op}(%c)"));
        let x: Vec<f64> = floats(n, 4).into_iter().map(f64::from).collect();
        compare(
            &text,
            grid,
            &[tensor("x", &x), tensor("y", &x), tensor("z", &x), scalar(n as i32)],
        );
    }
}

#[test]
fn narrow_floats_round_once() {
    let every: Vec<u16> = (0..=u16::MAX).collect();
    let other: Vec<u16> = every.iter().map(|&x| x.wrapping_mul(40503).wrapping_add(77)).collect();
    let grid = [(every.len() / 16) as u32, 1, 1];
    for dtype in ["f16", "bf16"] {
        for op in ["add", "mul", "sub"] {
            let body = format!(
                "%c = {op}(%a, %b) %nan = is_nan(%c) %q = constant {{value = {dtype}[](0)}} \
                 %zero = splat(%q) : {dtype}[16] %o = where(%nan, %zero, %c)"
            );
            let text = elementwise(dtype, dtype, &body);
            let args =
                [tensor("x", &every), tensor("y", &other), tensor("z", &every), scalar(1i32 << 16)];
            compare(&text, grid, &args);
        }
        let body = format!("%w = cast(%a) {{to = f32}} %o = cast(%w) {{to = {dtype}}}");
        let numbers: Vec<u16> =
            every.iter().map(|&x| if x & 0x7c00 == 0x7c00 { 0 } else { x }).collect();
        let args =
            [tensor("x", &numbers), tensor("y", &other), tensor("z", &every), scalar(1i32 << 16)];
        compare(&elementwise(dtype, dtype, &body), grid, &args);
    }
}

#[test]
fn casts_round_as_they_say() {
    let n = 1024;
    let mut x: Vec<f32> =
        noise(n, 7).into_iter().map(|b| f32::from_bits(b << 1)).filter(|x| !x.is_nan()).collect();
    x.resize(n, 65519.99);
    for to in ["f16", "bf16"] {
        for rounding in ["rtne", "rtz"] {
            let body = format!("%o = cast(%a) {{to = {to}, rounding = \"{rounding}\"}}");
            let args =
                [tensor("x", &x), tensor("y", &x), tensor("z", &vec![0u16; n]), scalar(n as i32)];
            compare(&elementwise("f32", to, &body), [64, 1, 1], &args);
        }
        let wide: Vec<f64> = x.iter().map(|&x| f64::from(x) * (1.0 + 1e-12)).collect();
        let body = format!("%o = cast(%a) {{to = {to}}}");
        let args =
            [tensor("x", &wide), tensor("y", &wide), tensor("z", &vec![0u16; n]), scalar(n as i32)];
        compare(&elementwise("f64", to, &body), [64, 1, 1], &args);
        let i = ints(n, 8);
        let args =
            [tensor("x", &i), tensor("y", &i), tensor("z", &vec![0u16; n]), scalar(n as i32)];
        compare(&elementwise("i32", to, &body), [64, 1, 1], &args);
    }
}

#[test]
fn arithmetic_of_integers() {
    let n = 64;
    let (x, y) = (
        ints(n, 5),
        ints(n, 6).iter().map(|&v| if v == 0 { 1 } else { v >> 20 | 1 }).collect::<Vec<_>>(),
    );
    for op in [
        "add",
        "sub",
        "mul",
        "div",
        "max",
        "min",
        "bitwise_and",
        "bitwise_or",
        "bitwise_xor",
        "mul_high",
        "mod",
    ] {
        for extra in ["", " {fmod = 1}"].iter().filter(|e| op == "mod" || e.is_empty()) {
            let text = elementwise("i32", "i32", &format!("%o = {op}(%a, %b){extra}"));
            compare(
                &text,
                [4, 1, 1],
                &[tensor("x", &x), tensor("y", &y), tensor("z", &x), scalar(n as i32)],
            );
            let body = format!(
                "%c = bitcast(%a) {{to = u32}} %d = bitcast(%b) {{to = u32}} %e = {op}(%c, %d){extra} %o = bitcast(%e) {{to = i32}}"
            );
            let args = [tensor("x", &x), tensor("y", &y), tensor("z", &x), scalar(n as i32)];
            compare(&elementwise("i32", "i32", &body), [4, 1, 1], &args);
        }
    }
    for op in ["less", "less_or_equal", "greater", "equal"] {
        let body = format!("%c = {op}(%a, %b) %o = cast(%c) {{to = i8}}");
        let args = [tensor("x", &x), tensor("y", &y), tensor("z", &vec![7i8; n]), scalar(50i32)];
        compare(&elementwise("i32", "i8", &body), [4, 1, 1], &args);
    }
}

/// A function that loads a block of `x` and stores another one to `z`, rows and columns as given.
fn moved(n: usize, out: usize, body: &str) -> String {
    format!(
        "func @k tile (%x: ptr<i32>[], %z: ptr<i32>[]) {{
           %r = arange {{start = 0, end = {n}}}
           %xs = splat(%x) : ptr<i32>[{n}]
           %pa = ptr_add(%xs, %r)
           %a = load(%pa)
           {body}
           %f = view(%o) : i32[{out}]
           %q = arange {{start = 0, end = {out}}}
           %zs = splat(%z) : ptr<i32>[{out}]
           %po = ptr_add(%zs, %q)
           store(%po, %f)
           return
         }}"
    )
}

#[test]
fn blocks_move() {
    let cases = [
        (64, 64, "%v = view(%a) : i32[4, 16] %o = permute(%v) {order = [1, 0]}"),
        (64, 64, "%v = view(%a) : i32[2, 4, 8] %o = permute(%v) {order = [2, 0, 1]}"),
        (8, 64, "%e = expand_dims(%a) {axis = 1} %o = broadcast(%e) : i32[8, 8]"),
        (8, 64, "%e = expand_dims(%a) {axis = 0} %o = broadcast(%e) : i32[8, 8]"),
        (16, 32, "%o = join(%a, %r)"),
        (16, 32, "%o = cat(%r, %a)"),
        (32, 16, "%v = view(%a) : i32[16, 2] %l, %s = unjoin(%v) %o = sub(%s, %l)"),
        (
            32,
            32,
            "%v = view(%a) : i32[8, 4] %w = view(%r) : i32[8, 4] %k = constant {value = i32[](3)} %ks = splat(%k) : i32[8, 4] \
             %i = bitwise_and(%w, %ks) %j = sub(%ks, %i) %o = take_along_axis(%v, %j) {axis = 1}",
        ),
        (
            64,
            8,
            "%v = view(%a) : i32[8, 8] %o = reduce(%v) {axis = 1} region (%l: i32[], %m: i32[]) { %s = add(%l, %m) yield %s }",
        ),
        (
            64,
            8,
            "%v = view(%a) : i32[8, 8] %w = view(%r) : i32[8, 8] %b, %o = reduce(%v, %w) {axis = 0} \
             region (%l: i32[], %i: i32[], %m: i32[], %j: i32[]) { %c = greater(%l, %m) %s = where(%c, %l, %m) %t = where(%c, %i, %j) yield %s, %t }",
        ),
        (
            64,
            64,
            "%v = view(%a) : i32[8, 8] %o = prefix_scan(%v) {axis = 0} region (%l: i32[], %m: i32[]) { %s = add(%l, %m) yield %s }",
        ),
        (
            64,
            64,
            "%v = view(%a) : i32[8, 8] %o = prefix_scan(%v) {axis = 1, reverse = 1} region (%l: i32[], %m: i32[]) { %s = mul(%l, %m) yield %s }",
        ),
        (
            64,
            64,
            "%o = map(%a) {pack = 2} region (%l: i32[], %m: i32[]) { %c = less(%l, %m) \
             %s = if(%c) region { %d = sub(%m, %l) yield %d } region { yield %l } yield %m, %s }",
        ),
    ];
    for (n, out, body) in cases {
        compare(
            &moved(n, out, body),
            [1, 1, 1],
            &[tensor("x", &ints(n, 9)), tensor("z", &vec![0i32; out])],
        );
    }
}

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

#[test]
fn products_of_integers() {
    let text = "func @k tile (%x: ptr<i8>[], %z: ptr<i32>[]) {
       %r = arange {start = 0, end = 512} %xs = splat(%x) : ptr<i8>[512] %pa = ptr_add(%xs, %r) %v = load(%pa)
       %a = view(%v) : i8[16, 32] %b = permute(%a) {order = [1, 0]}
       %q = arange {start = 0, end = 256} %c = view(%q) : i32[16, 16] %d = dot(%a, %b, %c)
       %f = view(%d) : i32[256] %zs = splat(%z) : ptr<i32>[256] %po = ptr_add(%zs, %q) store(%po, %f) return
     }";
    let x: Vec<i8> = noise(512, 14).into_iter().map(|v| v as i8).collect();
    compare(text, [1, 1, 1], &[tensor("x", &x), tensor("z", &[0i32; 256])]);
}

#[test]
fn eight_bit_floats_and_longer_blocks() {
    let n = 1000;
    for to in ["f8e4m3fn", "f8e5m2"] {
        let body =
            format!("%c = cast(%a) {{to = {to}}} %d = cast(%c) {{to = f32}} %o = add(%d, %b)");
        let args = [
            tensor("x", &floats(n, 15)),
            tensor("y", &floats(n, 16)),
            tensor("z", &floats(n, 17)),
            scalar(n as i32),
        ];
        compare(&elementwise("f32", "f32", &body), [63, 1, 1], &args);
    }
    // Blocks of several groups of lanes; the last program's mask ends within one.
    let body = "%c = mul(%a, %b) %d = less(%a, %b) %e = where(%d, %c, %a) %f = max_num(%e, %b) %o = div(%f, %c)";
    let text = elementwise("f32", "f32", body)
        .replace("16]", "128]")
        .replace("(16)", "(128)")
        .replace("end = 16", "end = 128");
    let args = [
        tensor("x", &floats(n, 18)),
        tensor("y", &floats(n, 19)),
        tensor("z", &floats(n, 20)),
        scalar(n as i32),
    ];
    compare(&text, [9, 1, 1], &args);
    // Offsets that wrap around are no run.
    let body = "%w = constant {value = i32[](2147483640)} %ws = splat(%w) : i32[16] %g = add(%at, %ws) %h = sub(%g, %ws) \
                %k = less(%g, %ws) %pc = ptr_add(%xs, %h) %l = load(%pc, %m) %q = where(%k, %l, %b) %o = add(%q, %a)";
    let args = [
        tensor("x", &floats(16, 18)),
        tensor("y", &floats(16, 19)),
        tensor("z", &floats(16, 20)),
        scalar(16i32),
    ];
    compare(&elementwise("f32", "f32", body), [1, 1, 1], &args);
}

#[test]
fn rows_are_folded() {
    for op in ["add", "max", "min", "bitwise_xor", "mul"] {
        let body = format!(
            "%v = view(%a) : i32[4, 32] %f0 = reduce(%v) {{axis = 1}} region (%l: i32[], %m: i32[]) {{ %s = {op}(%m, %l) yield %s }} \
             %e = expand_dims(%f0) {{axis = 1}} %g = broadcast(%e) : i32[4, 32] %o = sub(%v, %g)"
        );
        compare(
            &moved(128, 128, &body),
            [1, 1, 1],
            &[tensor("x", &ints(128, 21)), tensor("z", &vec![0i32; 128])],
        );
    }
}
