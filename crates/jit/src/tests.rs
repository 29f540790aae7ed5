//! Compares loops with routines, which must give the same bits.

use trident_simd::Isa;

use super::loops::tests::{Random, address, call, disassembled, runs, same};
use super::loops::{Class, Format, Sink, Value, Values, Width, traced};
use super::reduction::Reduction;
use super::routine::{Function, Routine, table};

#[test]
fn functions_give_the_bits_of_their_strips() {
    if !runs() {
        return;
    }
    let x: Vec<f32> =
        (0..1u32 << 16).map(|i| f32::from_bits(i << 16 | i.wrapping_mul(40503) & 0xffff)).collect();
    let mut checked = 0;
    for function in Function::all() {
        let Some(traced) = traced(function.name, function.inputs) else { continue };
        checked += 1;
        let mut v = Values::new(Width::Four);
        let load = v.add(Value::Load { stream: 0, other: None, format: Format::Same });
        let y = v.trace(traced, load);
        let code = v
            .finish(
                Sink::Store { values: vec![(y, 1, Format::Same)], streaming: false },
                1024,
                vec![(0, Format::Same)],
            )
            .compile();
        let code = code.unwrap_or_else(|| panic!("{} needs too many registers", function.name));
        let (mut ours, mut strip) = (vec![0f32; x.len()], vec![0f32; x.len()]);
        call(&code, &[address(&x), ours.as_mut_ptr() as u64], x.len(), x.len());
        let slot = Routine::Function(function).slot().unwrap();
        // SAFETY: a function of one `f32` has this signature.
        unsafe {
            let f: extern "C" fn(*mut f32, *const f32, usize) =
                std::mem::transmute(table(Isa::detect())[slot]);
            f(strip.as_mut_ptr(), x.as_ptr(), x.len());
        }
        for ((x, a), b) in x.iter().zip(&ours).zip(&strip) {
            assert!(same(*a, *b), "{}({x:e}): {a:e}, not {b:e}", function.name);
        }
    }
    assert!(checked >= 7);
}

/// Compares a reduction of every length with the routine's.
fn reductions<T: trident_ir::Element + PartialEq>(
    width: Width,
    class: Class,
    ops: &[Reduction],
    values: &[T],
    is_nan: impl Fn(T) -> bool,
) {
    for &op in ops {
        for len in [16, 32, 64, 128, 512] {
            let mut v = Values::new(width);
            let zero = v.float(0.0);
            let x = v.add(Value::Load { stream: 0, other: Some(zero), format: Format::Same });
            let l =
                v.finish(Sink::Reduce { op, class, value: x, to: 1 }, len, vec![(0, Format::Same)]);
            let code = l.compile().unwrap();
            disassembled(&code);
            for on in [len, len - 1, 17.min(len), 0] {
                let mut whole = values[..len].to_vec();
                whole[on..].fill(T::default());
                let slot = Routine::Reduce { op, dtype: T::DTYPE }.slot().unwrap();
                let (mut ours, mut theirs) = ([T::default(); 2], [T::default(); 2]);
                call(&code, &[address(values), ours.as_mut_ptr() as u64], on, len);
                // SAFETY: a reduction has this signature.
                unsafe {
                    let f: extern "C" fn(*mut T, *const T, usize, usize, usize) =
                        std::mem::transmute(table(Isa::detect())[slot]);
                    f(theirs.as_mut_ptr(), whole.as_ptr(), 1, len, len);
                }
                let equal = ours[0] == theirs[0] || is_nan(ours[0]) && is_nan(theirs[0]);
                assert!(equal, "{op:?} of {on} of {len}");
                assert!(ours[1] == T::default());
            }
        }
    }
}

#[test]
fn reductions_give_the_bits_of_the_routine() {
    if !runs() {
        return;
    }
    let floats = [
        Reduction::Sum,
        Reduction::Prod,
        Reduction::Max,
        Reduction::Min,
        Reduction::MaxNum,
        Reduction::MinNum,
    ];
    let ints = [
        Reduction::Sum,
        Reduction::Prod,
        Reduction::Max,
        Reduction::Min,
        Reduction::And,
        Reduction::Or,
        Reduction::Xor,
    ];
    let mut r = Random(77);
    reductions(Width::Four, Class::Float, &floats, &[f32::NAN; 512], f32::is_nan);
    reductions(Width::Four, Class::Float, &floats, &[f32::NEG_INFINITY; 512], f32::is_nan);
    reductions(Width::Eight, Class::Float, &floats, &[f64::INFINITY; 512], f64::is_nan);
    let mixed: Vec<f32> = (0..512).map(|i| [f32::NAN, f32::NEG_INFINITY][i % 2]).collect();
    reductions(Width::Four, Class::Float, &floats, &mixed, f32::is_nan);
    for nan in [None, Some(0), Some(9), Some(70)] {
        let mut x: Vec<f64> = (0..512).map(|_| (r.below(4001) as f64 - 2000.0) / 1024.0).collect();
        if let Some(at) = nan {
            x[at] = f64::NAN;
        }
        let single: Vec<f32> = x.iter().map(|&x| x as f32).collect();
        reductions(Width::Eight, Class::Float, &floats, &x, f64::is_nan);
        reductions(Width::Four, Class::Float, &floats, &single, f32::is_nan);
        let bits: Vec<i64> = x.iter().map(|x| x.to_bits() as i64).collect();
        reductions(Width::Eight, Class::Int, &ints, &bits, |_| false);
        let bits: Vec<u64> = x.iter().map(|x| x.to_bits()).collect();
        reductions(Width::Eight, Class::Uint, &ints, &bits, |_| false);
        let bits: Vec<i32> = single.iter().map(|x| x.to_bits() as i32).collect();
        reductions(Width::Four, Class::Int, &ints, &bits, |_| false);
        let bits: Vec<u32> = single.iter().map(|x| x.to_bits()).collect();
        reductions(Width::Four, Class::Uint, &ints, &bits, |_| false);
    }
}

/// File tests. Register spills depend on the processor's architecture.
#[cfg(target_arch = "x86_64")]
mod files {
    use trident_ir::Module;

    use crate::target;

    /// How a module's blocks are computed. Rows in the widest vectors are analysed on every machine.
    fn compile(text: &str, loops: bool) -> Result<String, String> {
        let module: Module = text.parse().map_err(|e| format!("{e}"))?;
        module.verify().map_err(|e| e.to_string())?;
        let decisions = target::decisions(&module, loops).map_err(|e| e.to_string())?;
        Ok(decisions.iter().map(|line| format!("{line}\n")).collect())
    }

    #[test]
    fn filetests() -> Result<(), trident_filetest::Failed> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/filetests");
        let narrow = |text: &str| compile(text, false);
        let wide = |text: &str| compile(text, true);
        trident_filetest::run(folder, &[("compile", &narrow), ("compile-loops", &wide)])
    }
}
