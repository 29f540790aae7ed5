//! Loops against a decoder that is not ours and against plain evaluation.

mod decoder;
mod evaluate;
mod formats;
mod integers;
mod limits;
mod random;

use iced_x86::{Decoder, DecoderOptions, Formatter, IntelFormatter};
use trident_simd::Isa;

use super::*;
use crate::code::Code;
use evaluate::plain;

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

pub(crate) fn same(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}
