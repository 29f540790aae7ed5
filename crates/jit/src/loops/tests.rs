//! Loops against a decoder that is not ours and against plain evaluation.

use iced_x86::{Decoder, DecoderOptions, Formatter, IntelFormatter};
use trident_simd::Isa;

use super::*;
use crate::code::Code;

/// Whether the machine can run the code.
pub(crate) fn runs() -> bool {
    Isa::detect().name() == "avx512"
}

/// Calls a loop's code.
pub(crate) fn call(code: &[u8], words: &[u64], on: usize, all: usize) {
    let code = Code::new(code).unwrap();
    // SAFETY: the code is a loop's, its arguments are what the tests give it.
    unsafe {
        let f: extern "C" fn(*const u64, u64, u64) = std::mem::transmute(code.bytes().as_ptr());
        f(words.as_ptr(), on as u64, all as u64);
    }
}

pub(crate) fn address<T>(slice: &[T]) -> u64 {
    slice.as_ptr() as u64
}

/// The instructions, as another decoder reads them.
pub(crate) fn disassembled(code: &[u8]) -> Vec<String> {
    let mut decoder = Decoder::new(64, code, DecoderOptions::NONE);
    let mut formatter = IntelFormatter::new();
    let mut lines = vec![];
    for instruction in &mut decoder {
        assert!(!instruction.is_invalid(), "after {lines:?}");
        let mut line = String::new();
        formatter.format(&instruction, &mut line);
        let end = line == "ret";
        lines.push(line);
        if end {
            break;
        }
    }
    lines
}

/// A loop that stores one value, of one stream or two (words 0 and 1), to word 2.
fn one(width: Width, value: impl FnOnce(&mut Values, Id, Id) -> Id) -> Loop {
    let mut v = Values::new(width);
    let x = v.add(Value::Load { stream: 0, other: None, format: Format::Same });
    let y = v.add(Value::Load { stream: 1, other: None, format: Format::Same });
    let z = value(&mut v, x, y);
    v.finish(Sink::Store { values: vec![(z, 2, Format::Same)], streaming: false }, 64, vec![])
}

/// The mnemonics of the instruction between loads and store.
fn names(l: &Loop) -> Vec<String> {
    let code = l.compile().unwrap();
    let lines = disassembled(&code);
    lines.iter().filter_map(|l| l.split(' ').next()).map(str::to_owned).collect()
}

#[test]
fn a_decoder_reads_what_is_meant() {
    use Binary as B;
    use Width::{Eight, Four};
    for (op, four, eight) in [
        (B::Add, "vaddps", "vaddpd"),
        (B::Sub, "vsubps", "vsubpd"),
        (B::Mul, "vmulps", "vmulpd"),
        (B::Div, "vdivps", "vdivpd"),
        (B::Max, "vmaxps", "vmaxpd"),
        (B::Min, "vminps", "vminpd"),
        (B::MaxNum, "vrangeps", "vrangepd"),
        (B::Scale, "vscalefps", "vscalefpd"),
        (B::IntAdd, "vpaddd", "vpaddq"),
        (B::IntSub, "vpsubd", "vpsubq"),
        (B::IntMul, "vpmulld", "vpmullq"),
        (B::IntMax, "vpmaxsd", "vpmaxsq"),
        (B::IntMin, "vpminsd", "vpminsq"),
        (B::UintMax, "vpmaxud", "vpmaxuq"),
        (B::UintMin, "vpminud", "vpminuq"),
        (B::And, "vpandd", "vpandq"),
        (B::Or, "vpord", "vporq"),
        (B::Xor, "vpxord", "vpxorq"),
    ] {
        for (width, name) in [(Four, four), (Eight, eight)] {
            let names = names(&one(width, |v, x, y| v.add(Value::Binary(op, x, y))));
            assert!(names.iter().any(|n| n == name), "{op:?}: {names:?}");
        }
    }
    for (op, four, eight) in [
        (Unary::Sqrt, "vsqrtps", "vsqrtpd"),
        (Unary::Floor, "vrndscaleps", "vrndscalepd"),
        (Unary::FromInt, "vcvtdq2ps", "vcvtqq2pd"),
        (Unary::ToInt, "vcvttps2dq", "vcvttpd2qq"),
        (Unary::ShiftLeft(3), "vpslld", "vpsllq"),
        (Unary::ShiftRight(3), "vpsrld", "vpsrlq"),
        (Unary::ShiftArithmetic(3), "vpsrad", "vpsraq"),
    ] {
        for (width, name) in [(Four, four), (Eight, eight)] {
            let names = names(&one(width, |v, x, _| v.add(Value::Unary(op, x))));
            assert!(names.iter().any(|n| n == name), "{op:?}: {names:?}");
        }
    }
    let fused = one(Four, |v, x, y| v.add(Value::MulAdd(x, y, y)));
    let code = disassembled(&fused.compile().unwrap()).join("\n");
    for line in [
        "mov r8,[rdi]",
        "mov r9,[rdi+8]",
        "vmovups ymm0,[r8+rax*4]",
        "vinsertf64x4 zmm0,zmm0,[r8+rax*4+20h],1",
        "vmovups ymm0,[r8+rax*4+40h]",
        "vinsertf64x4 zmm0,zmm0,[r8+rax*4+60h],1",
        "vmovups zmm0{k2}{z},[r8+rax*4]",
        "vfmadd213ps zmm0,zmm1,zmm1",
        "vmovups [r10+rax*4]{k2},zmm0",
        "add rax,40h",
        "vpbroadcastd zmm31,ecx",
        "vzeroupper",
    ] {
        assert!(code.contains(line), "no {line} in\n{code}");
    }
}

#[test]
fn stores_past_the_caches_are_whole() {
    let l = one(Width::Four, |v, x, y| v.add(Value::Binary(Binary::Add, x, y)));
    let Sink::Store { values, .. } = l.sink.clone() else { unreachable!() };
    let l = Loop { sink: Sink::Store { values, streaming: true }, ..l };
    let code = disassembled(&l.compile().unwrap()).join("\n");
    assert!(code.contains("vmovntps [r10+rax*4+40h],zmm2"), "{code}");
    assert!(code.contains("vmovups [r10+rax*4]{k2},zmm2"), "{code}");
}

#[test]
fn halves_are_read_and_written() {
    use half::{bf16, f16};
    if !runs() {
        return;
    }
    let all: Vec<u16> = (0..=u16::MAX).collect();
    for format in [Format::F16, Format::BF16] {
        let wide = |bits: u16| match format {
            Format::F16 => f16::from_bits(bits).to_f32(),
            _ => bf16::from_bits(bits).to_f32(),
        };
        // Every half becomes the number, and with 1.001 times it the nearest half.
        for other in [None, Some(0.0), Some(-2.5)] {
            let mut v = Values::new(Width::Four);
            let other_id = other.map(|x| v.float(x));
            let x = v.add(Value::Load { stream: 0, other: other_id, format });
            let factor = v.float(1.001);
            let product = v.add(Value::Binary(Binary::Mul, x, factor));
            let rounded = match format {
                Format::F16 => v.add(Value::Unary(Unary::F16, product)),
                _ => v.nearest_bf16(product),
            };
            let values =
                vec![(x, 1, Format::Same), (rounded, 2, Format::Same), (rounded, 3, format)];
            let l = v.finish(Sink::Store { values, streaming: false }, 1024, vec![(0, format)]);
            let code = l.compile().unwrap();
            disassembled(&code);
            for (on, n) in [(1024, 1024), (1000, 1024), (17, 100)] {
                for part in all.chunks(1024) {
                    let (same_x, nearest, halves) =
                        (vec![7f32; 1024], vec![7f32; 1024], vec![7u16; 1024]);
                    let words =
                        [address(part), address(&same_x), address(&nearest), address(&halves)];
                    call(&code, &words, on, n);
                    for (i, &bits) in part.iter().enumerate() {
                        if i >= n {
                            assert_eq!((same_x[i], nearest[i], halves[i]), (7.0, 7.0, 7));
                            continue;
                        }
                        let x = match other {
                            Some(other) if i >= on => other as f32,
                            _ => wide(bits),
                        };
                        assert!(same(same_x[i], x), "{bits:#x}: {}, not {x}", same_x[i]);
                        let y = match format {
                            Format::F16 => f16::from_f32(x * 1.001).to_f32(),
                            _ => bf16::from_f32(x * 1.001).to_f32(),
                        };
                        assert!(same(nearest[i], y), "{x}: {}, not {y}", nearest[i]);
                        assert!(same(wide(halves[i]), y), "{x}: {:#x}, not {y}", halves[i]);
                    }
                }
            }
        }
    }
}

#[test]
fn short_integers_are_read_and_written() {
    if !runs() {
        return;
    }
    let bytes: Vec<u8> = (0..1024u32).map(|i| ((i * 167) >> 2) as u8).collect();
    for (format, instructions) in [
        (Format::I8, ["vpmovsxbd", "vpmovdb"]),
        (Format::U8, ["vpmovzxbd", "vpmovdb"]),
        (Format::I16, ["vpmovsxwd", "vpmovdw"]),
        (Format::U16, ["vpmovzxwd", "vpmovdw"]),
    ] {
        let size = format.bytes(Width::Four);
        let n = bytes.len() / size;
        for other in [None, Some(0u64), Some(3)] {
            let mut v = Values::new(Width::Four);
            let other_id = other.map(|bits| v.add(Value::Const(bits)));
            let x = v.add(Value::Load { stream: 0, other: other_id, format });
            let three = v.add(Value::Const(3));
            let product = v.add(Value::Binary(Binary::IntMul, x, three));
            let wrapped = v.wrapped(product, format);
            let values =
                vec![(x, 1, Format::Same), (wrapped, 2, Format::Same), (product, 3, format)];
            let l = v.finish(Sink::Store { values, streaming: false }, n, vec![(0, format)]);
            let code = l.compile().unwrap();
            let lines = disassembled(&code).join("\n");
            assert!(instructions.iter().all(|name| lines.contains(name)), "{lines}");
            for (on, all) in [(n, n), (n - 24, n), (17, 100), (0, 0)] {
                let (x, wrapped, short) = (vec![7i32; n], vec![7i32; n], vec![7u8; bytes.len()]);
                let words = [address(&bytes), address(&x), address(&wrapped), address(&short)];
                call(&code, &words, on, all);
                let number = |bytes: &[u8]| -> i32 {
                    let low = |k: usize| i32::from(bytes[size * k]);
                    let word =
                        |k: usize| i32::from(u16::from_le_bytes([bytes[2 * k], bytes[2 * k + 1]]));
                    match format {
                        Format::I8 => low(0) as i8 as i32,
                        Format::U8 => low(0),
                        Format::I16 => word(0) as i16 as i32,
                        _ => word(0),
                    }
                };
                for i in 0..n {
                    let part = &bytes[size * i..size * (i + 1)];
                    let found = (x[i], wrapped[i], number(&short[size * i..size * (i + 1)]));
                    let expected = match other {
                        _ if i >= all => (7, 7, number(&[7, 7])),
                        Some(other) if i >= on => {
                            (other as i32, 3 * other as i32, 3 * other as i32)
                        }
                        _ => {
                            let product = (number(part) * 3).to_le_bytes();
                            (number(part), number(&product), number(&product))
                        }
                    };
                    assert_eq!(found, expected, "element {i} of {on} and {all}, {format:?}");
                }
            }
        }
    }
}

#[test]
fn floats_become_the_nearest_integers_that_there_are() {
    if !runs() {
        return;
    }
    let edges = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 0.99, -0.99, 1.5, -2.5];
    let ends = [31, 32, 63, 64].map(|k| 2f64.powi(k));
    let mut x = edges.to_vec();
    x.extend(ends.iter().flat_map(|&e| [e, -e, e * (1.0 - 1e-7), -e * (1.0 + 1e-7)]));
    x.resize(64, -3e9);
    let single: Vec<f32> = x.iter().map(|&x| x as f32).collect();
    let (int, long) = (vec![7i32; 64], vec![7i64; 64]);
    for (width, words) in [
        (Width::Four, [address(&single), address(&single), address(&int)]),
        (Width::Eight, [address(&x), address(&x), address(&long)]),
    ] {
        let code = one(width, |v, x, _| v.saturated_int(x)).compile().unwrap();
        call(&code, &words, 64, 64);
    }
    assert_eq!(int, single.iter().map(|&x| x as i32).collect::<Vec<_>>());
    assert_eq!(long, x.iter().map(|&x| x as i64).collect::<Vec<_>>());
}

#[test]
fn every_short_format_is_known_in_both_widths() {
    let integers = [Format::I8, Format::U8, Format::I16, Format::U16];
    let names = [
        (Width::Four, ["vpmovsxbd", "vpmovzxbd", "vpmovsxwd", "vpmovzxwd"], ["vpmovdb", "vpmovdw"]),
        (
            Width::Eight,
            ["vpmovsxbq", "vpmovzxbq", "vpmovsxwq", "vpmovzxwq"],
            ["vpmovqb", "vpmovqw"],
        ),
    ];
    let moved = |width, format| {
        let mut v = Values::new(width);
        let zero = v.add(Value::Const(0));
        let x = v.add(Value::Load { stream: 0, other: Some(zero), format });
        v.finish(Sink::Store { values: vec![(x, 1, format)], streaming: false }, 64, vec![])
    };
    for (width, loads, stores) in names {
        for (k, format) in integers.into_iter().enumerate() {
            let l = moved(width, format);
            let code = l.compile().unwrap();
            let lines = disassembled(&code).join("\n");
            assert!(lines.contains(loads[k]) && lines.contains(stores[k / 2]), "{lines}");
            if !runs() {
                continue;
            }
            let x: Vec<u8> = (1..=128).collect();
            let z = vec![200u8; 129];
            let bytes = format.bytes(width);
            for (on, all) in [(64, 64), (37, 50)] {
                call(&code, &[address(&x), address(&z)], on, all);
                assert_eq!(z[..on * bytes], x[..on * bytes]);
                assert!(z[on * bytes..all * bytes].iter().all(|&b| b == 0));
                assert_eq!(z[64 * bytes], 200);
            }
        }
    }
    // Halves have values of 4 bytes only.
    assert!(
        [Format::F16, Format::BF16].iter().all(|&f| moved(Width::Eight, f).compile().is_none())
    );
}

/// Plain evaluation of a loop's values for one element.
fn plain(l: &Loop, words: &[u64], element: usize, on: bool) -> Vec<f32> {
    let mut at: Vec<f32> = vec![];
    for &value in &l.values {
        let truth = |b: bool| if b { 1.0 } else { 0.0 };
        let v = match value {
            Value::Load { stream, other, .. } => match other {
                Some(other) if !on => at[other],
                // SAFETY: the tests' streams are long enough.
                _ => unsafe { *(words[stream] as *const f32).add(element) },
            },
            Value::Scalar(word) => f32::from_bits(words[word] as u32),
            Value::Const(bits) => f32::from_bits(bits as u32),
            Value::Number => f32::from_bits(element as u32),
            Value::Binary(op, a, b) => {
                let (x, y) = (at[a], at[b]);
                let int = |f: fn(i32, i32) -> i32| {
                    f32::from_bits(f(x.to_bits() as i32, y.to_bits() as i32) as u32)
                };
                match op {
                    Binary::Add => x + y,
                    Binary::Sub => x - y,
                    Binary::Mul => x * y,
                    Binary::Div => x / y,
                    Binary::Max => {
                        if x > y {
                            x
                        } else {
                            y
                        }
                    }
                    Binary::Min => {
                        if x < y {
                            x
                        } else {
                            y
                        }
                    }
                    Binary::MaxNum => x.max(y),
                    Binary::MinNum => x.min(y),
                    Binary::Scale => x * y.exp2(),
                    Binary::IntAdd => int(i32::wrapping_add),
                    Binary::IntSub => int(i32::wrapping_sub),
                    Binary::IntMul => int(i32::wrapping_mul),
                    Binary::IntMax => int(i32::max),
                    Binary::IntMin => int(i32::min),
                    Binary::UintMax | Binary::UintMin => unreachable!("not in these tests"),
                    Binary::And => f32::from_bits(x.to_bits() & y.to_bits()),
                    Binary::Or => f32::from_bits(x.to_bits() | y.to_bits()),
                    Binary::Xor => f32::from_bits(x.to_bits() ^ y.to_bits()),
                }
            }
            Value::Unary(op, a) => match op {
                Unary::Sqrt => at[a].sqrt(),
                Unary::Round => at[a].round_ties_even(),
                Unary::Floor => at[a].floor(),
                Unary::Ceil => at[a].ceil(),
                Unary::FromInt => at[a].to_bits() as i32 as f32,
                Unary::ToInt => f32::from_bits(at[a] as i32 as u32),
                Unary::F16TowardZero => unreachable!("not in these tests"),
                Unary::F16 => half::f16::from_f32(at[a]).to_f32(),
                Unary::ShiftLeft(n) => f32::from_bits(at[a].to_bits() << n),
                Unary::ShiftRight(n) => f32::from_bits(at[a].to_bits() >> n),
                Unary::ShiftArithmetic(n) => f32::from_bits((at[a].to_bits() as i32 >> n) as u32),
            },
            Value::MulAdd(a, b, c) => at[a].mul_add(at[b], at[c]),
            Value::Compare(class, relation, a, b) => {
                let (x, y) = (at[a], at[b]);
                let (i, j) = (x.to_bits() as i32, y.to_bits() as i32);
                truth(match (class, relation) {
                    (Class::Float, Relation::Less) => x < y,
                    (Class::Float, Relation::LessOrEqual) => x <= y,
                    (Class::Float, Relation::Equal) => x == y,
                    (Class::Float, Relation::Greater) => x > y,
                    (Class::Float, Relation::GreaterOrEqual) => x >= y,
                    (Class::Float, Relation::Unordered) => x.is_nan() || y.is_nan(),
                    (_, Relation::Less) => i < j,
                    (_, Relation::LessOrEqual) => i <= j,
                    (_, Relation::Equal) => i == j,
                    (_, Relation::Greater) => i > j,
                    (_, Relation::GreaterOrEqual) => i >= j,
                    (_, Relation::Unordered) => false,
                })
            }
            Value::Logic(op, a, b) => truth(match op {
                Logic::And => at[a] != 0.0 && at[b] != 0.0,
                Logic::Or => at[a] != 0.0 || at[b] != 0.0,
                Logic::Xor => (at[a] != 0.0) != (at[b] != 0.0),
            }),
            Value::Not(a) => truth(at[a] == 0.0),
            Value::Select(c, a, b) => {
                if at[c] != 0.0 {
                    at[a]
                } else {
                    at[b]
                }
            }
            Value::On(a, b) => {
                if on {
                    at[a]
                } else {
                    at[b]
                }
            }
        };
        at.push(v);
    }
    at
}

/// A pseudo-random sequence (Marsaglia's xorshift).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
}

/// A loop of random values over streams 0 and 1 and the scalar in word 3, to streams 2 and 4.
fn random(random: &mut Random, steps: usize, len: usize) -> Loop {
    let mut v = Values::new(Width::Four);
    let zero = v.float(0.0);
    let half = v.float(-0.5);
    let scalar = v.add(Value::Scalar(3));
    let other = [zero, half, scalar][random.below(3)];
    let x = v.add(Value::Load { stream: 0, other: Some(other), format: Format::Same });
    let y = v.add(Value::Load { stream: 1, other: None, format: Format::Same });
    let mut floats = vec![half, scalar, x, y];
    let mut truths = vec![v.add(Value::Compare(Class::Float, Relation::Less, x, y))];
    for _ in 0..steps {
        let n = floats.len();
        // Mostly what is recent, so that not all is alive at the same time.
        let pick = |r: &mut Random| match r.below(4) {
            0 => floats[r.below(n)],
            _ => floats[n - 1 - r.below(n.min(4))],
        };
        let [a, b, c] = [0; 3].map(|_| pick(random));
        let condition = truths[truths.len() - 1];
        // No operation on bits: those of NaN are not always the same.
        let binary = [Binary::Add, Binary::Sub, Binary::Mul, Binary::Max, Binary::Min];
        let next = match random.below(8) {
            0 => Value::MulAdd(a, b, c),
            1 => Value::Select(condition, a, b),
            2 => Value::On(a, b),
            3 => Value::Unary(Unary::Round, a),
            4 => {
                let relation = [Relation::Less, Relation::GreaterOrEqual, Relation::Unordered];
                let class = Class::Float;
                let made = v.add(Value::Compare(class, relation[random.below(3)], a, b));
                let not = v.add(Value::Not(condition));
                let both = v.add(Value::Logic(Logic::Xor, made, not));
                truths.push(both);
                continue;
            }
            5 => {
                let number = v.add(Value::Number);
                Value::Unary(Unary::FromInt, number)
            }
            _ => Value::Binary(binary[random.below(binary.len())], a, b),
        };
        floats.push(v.add(next));
    }
    let last = floats.len() - 1;
    let stores =
        vec![(floats[last], 2, Format::Same), (floats[random.below(last)], 4, Format::Same)];
    v.finish(Sink::Store { values: stores, streaming: random.below(2) == 1 }, len, vec![])
}

/// Sevens from an address on that is a multiple of 64.
struct Aligned(Vec<f32>, usize);

impl Aligned {
    fn of(n: usize) -> Aligned {
        let memory = vec![7f32; n + 16];
        let skip = memory.as_ptr().align_offset(64);
        Aligned(memory, skip)
    }

    fn slice(&self) -> &[f32] {
        &self.0[self.1..self.0.len() - 16 + self.1]
    }
}

#[test]
fn comparisons_may_outnumber_masks() {
    if !runs() {
        return;
    }
    // All comparisons are made before the first is needed.
    let l = one(Width::Four, |v, x, y| {
        let number = v.add(Value::Number);
        let truths: Vec<Id> = (0..9)
            .map(|k| {
                let k = v.add(Value::Const(7 * k));
                v.add(Value::Compare(Class::Int, Relation::Less, number, k))
            })
            .collect();
        truths.iter().fold(x, |sum, &t| {
            let next = v.add(Value::Select(t, x, y));
            let again = v.add(Value::Not(t));
            let other = v.add(Value::Select(again, next, x));
            v.add(Value::Binary(Binary::Sub, sum, other))
        })
    });
    let (x, y, z) = ([0.5f32; 64], [3f32; 64], [7f32; 64]);
    let words = [address(&x), address(&y), address(&z)];
    call(&l.compile().unwrap(), &words, 64, 64);
    let expected: Vec<f32> = (0..64).map(|i| plain(&l, &words, i, true)[last_of(&l)]).collect();
    assert_eq!(z.to_vec(), expected);
}

/// The value that a loop stores first.
fn last_of(l: &Loop) -> Id {
    let Sink::Store { values, .. } = &l.sink else { unreachable!() };
    values[0].0
}

#[test]
fn quotients_are_those_of_the_division() {
    if !runs() {
        return;
    }
    let mut v = Values::new(Width::Four);
    let x = v.add(Value::Load { stream: 0, other: None, format: Format::Same });
    let divisor = v.add(Value::Scalar(1));
    let y = v.add(Value::Binary(Binary::Div, x, divisor));
    let l = v.finish(
        Sink::Store { values: vec![(y, 2, Format::Same)], streaming: false },
        1024,
        vec![],
    );
    let code = l.compile().unwrap();
    disassembled(&code);
    let mut r = Random(42);
    let edges = [0.0, -0.0, 1.0, f32::INFINITY, f32::NAN, f32::MAX, -1e-40, 1e-30, 3e38, 2e-38];
    let mut number = |k: usize| match k % 16 {
        0 => edges[r.below(edges.len())],
        1 => f32::from_bits(r.below(1 << 32) as u32),
        // Mantissas near both ends, where quotients are nearest to the middle of two floats.
        2 => f32::from_bits(((120 + r.below(14) as u32) << 23) | (0x7f_ffff - r.below(16) as u32)),
        3 => f32::from_bits(((120 + r.below(14) as u32) << 23) | r.below(16) as u32),
        _ => f32::from_bits(((100 + r.below(54) as u32) << 23) | r.below(1 << 23) as u32),
    };
    for k in 0..4000 {
        let x: Vec<f32> =
            (0..1024).map(|i| number(i + usize::from(k % 2 == 0 && i % 16 < 2) * 4)).collect();
        let (divisor, out) = (number(k), vec![0f32; 1024]);
        call(&code, &[address(&x), divisor.to_bits().into(), address(&out)], 1024, 1024);
        for (x, y) in x.iter().zip(&out) {
            assert!(same(*y, x / divisor), "{x:e} / {divisor:e}: {y:e}, not {:e}", x / divisor);
        }
    }
}

pub(crate) fn same(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

#[test]
fn random_loops_of_every_length() {
    if !runs() {
        return;
    }
    let mut r = Random(0x9e37_79b9_7f4a_7c15);
    let mut refused = 0;
    for round in 0..400 {
        let len = 16 << r.below(5);
        let steps = 1 + r.below(if round % 4 == 0 { 120 } else { 20 });
        let l = random(&mut r, steps, len);
        let Some(code) = l.compile() else {
            refused += 1;
            continue;
        };
        let mut number = || (r.below(2001) as f32 - 1000.0) / 64.0;
        let (x, y): (Vec<f32>, Vec<f32>) = (0..len).map(|_| (number(), number())).unzip();
        let scalar = number();
        for (on, all) in [(len, len), (0, len), (len / 3, len), (len - 1, len - 1), (5, 5), (0, 0)]
        {
            let (first, second) = (Aligned::of(len + 1), Aligned::of(len + 1));
            let words = [
                address(&x),
                address(&y),
                address(first.slice()),
                scalar.to_bits().into(),
                address(second.slice()),
            ];
            call(&code, &words, on, all);
            let (first, second) = (first.slice(), second.slice());
            let Sink::Store { values: stores, .. } = &l.sink else { unreachable!() };
            for (at, out) in [(0, first), (1, second)] {
                for (i, &found) in out[..len].iter().enumerate() {
                    let expected =
                        if i < all { plain(&l, &words, i, i < on)[stores[at].0] } else { 7.0 };
                    assert!(
                        same(found, expected),
                        "element {i} of {on} and {all}: {found}, not {expected}: {l:?}"
                    );
                }
                assert_eq!(out[len], 7.0);
            }
        }
    }
    assert!(refused < 60, "{refused}");
}
