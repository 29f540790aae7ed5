//! Divisions by a shared divisor and extremes have the same bits at level lane, for all kinds of numbers.

use std::fmt::Write as _;

use trident_ir::Module;
use trident_ir::interp::{InterpValue, Interpreter, Memory};
use trident_tile_to_lane::{self as lane, GpuFigures};

/// Elements of a program, and programs of a launch.
const LEN: usize = 256;
const PROGRAMS: usize = 64;

/// Numbers where something changes, and many in between.
struct Numbers(u64);

impl Numbers {
    fn bits(&mut self) -> u32 {
        // xorshift64* (S. Vigna, 2014).
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    }

    /// A number whose exponent is one of these.
    fn within(&mut self, exponents: std::ops::Range<i32>) -> f32 {
        let exponent = exponents.start + (self.bits() % exponents.len() as u32) as i32;
        let magnitude = f64::from(self.bits() >> 8).mul_add(2f64.powi(-24), 1.0);
        (magnitude * 2f64.powi(exponent)) as f32
    }

    fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.bits() as usize % of.len()].clone()
    }

    /// A number whose exponent is in one of these ranges.
    fn within_one(&mut self, exponents: &[std::ops::Range<i32>]) -> f32 {
        let exponents = self.pick(exponents);
        self.within(exponents)
    }

    fn any(&mut self) -> f32 {
        match self.bits() % 8 {
            0 => 0.0,
            1 => -0.0,
            2 => {
                let ends = [f32::MAX, f32::MIN_POSITIVE, 1e-45];
                self.pick(&[&ends[..], &[f32::INFINITY, f32::NEG_INFINITY, f32::NAN]].concat())
            }
            3 => f32::from_bits(self.bits()),
            4 => -self.within(-4..4),
            _ => self.within(-4..4),
        }
    }
}

fn launch(module: &Module, x: &[f32], by: &[f32], len: usize) -> Vec<u32> {
    let mut memory = Memory::default();
    let args = [("x", x), ("by", by), ("out", &vec![0.0; len][..])]
        .map(|(name, data)| InterpValue::address(memory.add(name, data)));
    let mut interpreter = Interpreter::new(module).unwrap_or_else(|e| panic!("{e}"));
    let done = interpreter.launch([PROGRAMS as u32, 1, 1], &args, &mut memory);
    done.unwrap_or_else(|e| panic!("{e}"));
    let bytes = memory.bytes("out").unwrap_or_default();
    let bits = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
    // Any NaN will do.
    let same = |b| if f32::from_bits(b).is_nan() { u32::MAX } else { b };
    bytes.chunks(4).map(|b| same(bits(b))).collect()
}

/// Runs a function of `%v`, the program's elements of x, and `%d`, its element of by, at both levels.
fn check(body: &str, result: usize, x: &[f32], by: &[f32]) -> Module {
    let mut text = format!(
        "func @f tile (%x: ptr<f32>[], %by: ptr<f32>[], %out: ptr<f32>[]) {{
  %p = program_id {{axis = 0}}
  %xa = hint(%x) {{divisibility = [16]}}
  %byp = ptr_add(%by, %p)
  %d = load(%byp)
  %len = constant {{value = i32[]({LEN})}}
  %first = mul(%p, %len)
  %firsts = splat(%first) : i32[{LEN}]
  %each = arange {{start = 0, end = {LEN}}}
  %at = add(%firsts, %each)
  %xs = splat(%xa) : ptr<f32>[{LEN}]
  %xp = ptr_add(%xs, %at)
  %v = load(%xp)\n"
    );
    text.push_str(body);
    match result {
        1 => text.push_str("  %to = ptr_add(%out, %p)\n"),
        _ => {
            let _ = writeln!(text, "  %outa = hint(%out) {{divisibility = [16]}}");
            let _ = writeln!(text, "  %outs = splat(%outa) : ptr<f32>[{LEN}]");
            let _ = writeln!(text, "  %to = ptr_add(%outs, %at)");
        }
    }
    text.push_str("  store(%to, %r)\n  return\n}\n");
    let module: Module = text.parse().unwrap_or_else(|e| panic!("{e}\n{text}"));
    module.verify().unwrap_or_else(|e| panic!("{e}\n{text}"));
    let lowered = lane::lower(&module, &GpuFigures::APPLE);
    let lowered = lowered.unwrap_or_else(|e| panic!("{e}")).module;
    let expected = launch(&module, x, by, result * PROGRAMS);
    let found = launch(&lowered, x, by, result * PROGRAMS);
    for (i, (found, expected)) in found.iter().zip(&expected).enumerate() {
        let (x, by) = (x[i.min(x.len() - 1)], by[i / result]);
        assert_eq!(found, expected, "element {i}: {x:e}, {by:e}: {body}\n{lowered}");
    }
    lowered
}

fn has(module: &Module, name: &str) -> bool {
    let mut found = false;
    module.funcs[0].body.walk(&mut |op| found |= op.decl().name == name);
    found
}

#[test]
fn divisions_by_one_divisor_are_rounded_correctly() {
    let mut numbers = Numbers(1);
    let body = format!("  %ds = splat(%d) : f32[{LEN}]\n  %r = div(%v, %ds)\n");
    for turn in 0..24 {
        // All in range, so that products are taken; at the ends of the range; anything.
        let x: Vec<f32> = (0..LEN * PROGRAMS)
            .map(|_| match turn % 3 {
                0 if numbers.bits().is_multiple_of(16) => numbers.pick(&[0.0, -0.0]),
                0 => numbers.within(-20..20).copysign(f32::from_bits(numbers.bits())),
                1 => numbers.within_one(&[-80..-70, 95..102]),
                _ => numbers.any(),
            })
            .collect();
        let by: Vec<f32> = (0..PROGRAMS)
            .map(|_| match turn % 3 {
                0 => numbers.within(-6..6),
                1 => numbers.within_one(&[-26..-22, 22..26]),
                _ => numbers.any(),
            })
            .collect();
        let lowered = check(&body, LEN, &x, &by);
        assert!(has(&lowered, "fma"), "no division is a product:\n{lowered}");
    }
}

#[test]
fn a_dividend_that_is_computed_late_is_divided_by_itself() {
    let mut numbers = Numbers(2);
    // The second division takes the result of the first.
    let body = format!(
        "  %ds = splat(%d) : f32[{LEN}]\n  %q = div(%v, %ds)\n  %w = add(%q, %v)\n  %u = div(%w, %ds)\n  %r = div(%u, %q)\n"
    );
    for _ in 0..4 {
        let x: Vec<f32> = (0..LEN * PROGRAMS).map(|_| numbers.any()).collect();
        let by: Vec<f32> = (0..PROGRAMS).map(|_| numbers.within(-3..3)).collect();
        check(&body, LEN, &x, &by);
    }
}

#[test]
fn extremes_know_nan_and_the_signs_of_zeros() {
    let mut numbers = Numbers(3);
    for kind in ["max", "min", "max_num", "min_num"] {
        let body = format!(
            "  %r = reduce(%v) {{axis = 0}} region (%a: f32[], %b: f32[]) {{\n    %c = {kind}(%a, %b)\n    yield %c\n  }}\n"
        );
        for turn in 0..6 {
            let mut x: Vec<f32> = vec![];
            for program in 0..PROGRAMS {
                // Programs of zeros of both signs, of NaN, with one number, of anything.
                let one = numbers.bits() as usize % LEN;
                x.extend((0..LEN).map(|i| match (program + turn) % 5 {
                    0 if i == one => numbers.pick(&[0.0, -0.0]),
                    0 => [-0.0, 0.0][turn % 2],
                    1 if i == one => numbers.any(),
                    1 => f32::NAN,
                    2 => numbers.pick(&[0.0, -0.0]),
                    3 => numbers.within(-4..4) * [1.0, -1.0][turn % 2],
                    _ => numbers.any(),
                }));
            }
            let lowered = check(&body, 1, &x, &vec![0.0; PROGRAMS]);
            assert!(has(&lowered, "simd_reduce"), "{lowered}");
        }
    }
}
