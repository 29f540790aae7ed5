//! Every elementwise op of the table, on every element type that it takes: graph kernels and native code of level tile, on
//! each instruction set, against the reference interpreter.
//!
//! Primitives of few instructions have the interpreter's bits. Functions and composites are within [`ULPS`] of what the
//! interpreter gives for operands that are at most one unit in the last place away (the mixed forward-backward error),
//! with the same NaNs, infinities and signs of zeros.
#![allow(clippy::unwrap_used)] // what does not fit fails the test

mod cases;
mod run;

use cases::{Case, cases};
use run::{graph, interpreted, native};
use std::collections::HashSet;
use trident_ir::interp::number::{float, from_float, int};
use trident_ir::op::{Class, Group};
use trident_ir::{DType, OpKind};
use trident_simd::Isa;

/// Units in the last place by which functions and composites may differ.
const ULPS: f64 = 8.0;

fn ops() -> impl Iterator<Item = OpKind> {
    OpKind::ALL.iter().copied().filter(|k| k.decl().group == Group::Elementwise)
}

#[test]
fn native_code_of_each_isa_is_as_the_interpreter_says() {
    let mut wrong = vec![];
    for case in ops().flat_map(cases) {
        let expected = Expected::of(&case);
        for isa in Isa::available() {
            match native(&case, isa) {
                Ok(found) => wrong.extend(expected.differs(&case, &found, isa.name())),
                Err(e) => wrong.push(format!("{}: {case} has no native code: {e}", isa.name())),
            }
        }
    }
    report(&wrong);
}

#[test]
fn graph_kernels_are_as_the_interpreter_says() {
    let mut wrong = vec![];
    for case in ops().flat_map(cases).filter(|c| !c.is_for_tile_only()) {
        match graph(&case) {
            Ok(found) => {
                let mut expected = Expected::of(&case);
                if case.kind == OpKind::Gelu {
                    expected.spread_by_operand(&case);
                }
                wrong.extend(expected.differs(&case, &found, "graph"));
            }
            // The standard has no arithmetic of 8-bit floats.
            Err(_) if case.types.iter().any(|d| d.is_float() && d.bits() == 8) => {}
            Err(e) => wrong.push(format!("{case} has no graph kernel: {e}")),
        }
    }
    report(&wrong);
}

fn report(wrong: &[String]) {
    // Cases that differ in their operands only can fail with the same message.
    let mut seen = HashSet::new();
    let shown: Vec<&str> =
        wrong.iter().map(String::as_str).filter(|&line| seen.insert(line)).take(60).collect();
    assert!(wrong.is_empty(), "{} cases differ:\n{}", wrong.len(), shown.join("\n"));
}

/// The interpreter's results, and how far from them others may be.
struct Expected {
    dtype: DType,
    bits: Vec<u64>,
    /// How much each result changes with the last bits of the operands.
    spread: Option<Vec<f64>>,
}

impl Expected {
    fn of(case: &Case) -> Expected {
        let (dtype, bits) = interpreted(case, &case.data);
        let exact = matches!(case.kind.decl().class, Class::Element | Class::View);
        if exact || !dtype.is_float() {
            return Expected { dtype, bits, spread: None };
        }
        let mut spread = vec![0f64; bits.len()];
        for (operand, of) in case.types.iter().enumerate() {
            for by in [1, u64::MAX].into_iter().filter(|_| of.is_float()) {
                let mut data = case.data.clone();
                data[operand].iter_mut().for_each(|x| *x = neighbour(*of, *x, by));
                let (_, near) = interpreted(case, &data);
                for ((spread, near), at) in spread.iter_mut().zip(near).zip(&bits) {
                    let far = (float(dtype, near) - float(dtype, *at)).abs();
                    *spread = spread.max(if far.is_nan() { 0.0 } else { far });
                }
            }
        }
        Expected { dtype, bits, spread: Some(spread) }
    }

    /// For the kernel of x/2·(1 + erf(x/√2)) in f32, which cancels below 0: it is within units of the operand.
    fn spread_by_operand(&mut self, case: &Case) {
        for (spread, &x) in self.spread.iter_mut().flatten().zip(&case.data[0]) {
            let x = float(case.types[0], x).abs();
            *spread = spread.max(if x.is_finite() { x * f64::from(f32::EPSILON) } else { 0.0 });
        }
    }

    /// Says where results are wrong.
    fn differs(&self, case: &Case, found: &[u64], by: &str) -> Option<String> {
        let at = (0..self.bits.len()).filter(|&i| case.is_defined(i, self.dtype));
        let mut wrong = at.filter(|&i| !self.allows(i, found[i]));
        let first = wrong.next()?;
        let show = |dtype: DType, bits: u64| match dtype.is_float() {
            true => format!("{:e}", float(dtype, bits)),
            false => int(dtype, bits).to_string(),
        };
        let place = |operand: &Vec<u64>| operand[if operand.len() == 1 { 0 } else { first }];
        let operands: Vec<String> =
            case.types.iter().zip(&case.data).map(|(d, x)| show(*d, place(x))).collect();
        Some(format!(
            "{by}: {case} of ({}) is {}, expected {}; {} more",
            operands.join(", "),
            show(self.dtype, found[first]),
            show(self.dtype, self.bits[first]),
            wrong.count()
        ))
    }

    fn allows(&self, i: usize, found: u64) -> bool {
        let expected = self.bits[i];
        if found == expected {
            return true;
        }
        if !self.dtype.is_float() {
            return false;
        }
        let (e, y) = (float(self.dtype, expected), float(self.dtype, found));
        if e.is_nan() || y.is_nan() || e == y {
            return e.is_nan() && y.is_nan();
        }
        let Some(spread) = &self.spread else { return false };
        if e.is_infinite() || y.is_infinite() {
            return spread[i].is_infinite();
        }
        let unit = (float(self.dtype, neighbour(self.dtype, expected, 1)) - e).abs();
        // Below the normal numbers results may be flushed to 0.
        let least = float(self.dtype, least_normal(self.dtype));
        (e - y).abs() <= ULPS * unit.max(spread[i]).max(least)
    }
}

/// The float of the next magnitude up, or down with `u64::MAX`; NaN, infinities and zeros stay.
fn neighbour(dtype: DType, bits: u64, by: u64) -> u64 {
    let x = float(dtype, bits);
    if !x.is_finite() || x == 0.0 { bits } else { bits.wrapping_add(by) }
}

fn least_normal(dtype: DType) -> u64 {
    match dtype {
        DType::F64 => f64::MIN_POSITIVE.to_bits(),
        DType::F32 => f32::MIN_POSITIVE.to_bits().into(),
        other => from_float(other, 2f64.powi(-14)),
    }
}
