//! Native code of tile functions against the reference interpreter: both run the same module on the same memory, which
//! has to end up with the same bits.
#![allow(clippy::unwrap_used)] // what does not fit fails the test
#![allow(unsafe_code)]

mod blocks;
mod conditions;
mod contract;
mod control;
mod elements;
mod elementwise;
mod launches;
mod memory;
mod native;
mod products;
mod runs;

use trident_ir::interp::{InterpError, InterpValue, Interpreter, Memory};
use trident_ir::{Element, Literal, Module};
use trident_runtime::{Extent, Kernel, KernelLaunch, LaunchError};

use native::Native;

enum Arg {
    Tensor(String, Vec<u8>),
    Scalar(u64, InterpValue),
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
    Arg::Scalar(u64::from_le_bytes(word), InterpValue::scalar(value))
}

/// Runs the module both ways and compares the bits of all tensors.
fn compare(text: &str, grid: [u32; 3], args: &[Arg]) {
    run_both(text, grid, args, &|expected, found| expected == found);
}

/// Runs the module both ways and compares the floats of all tensors: they differ by `tolerance` at most, relative to their
/// size, and a NaN may be any.
fn compare_floats<T: Element + Into<f64>>(
    text: &str,
    grid: [u32; 3],
    args: &[Arg],
    tolerance: f64,
) {
    run_both(text, grid, args, &|expected, found| {
        let floats = |bytes: &[u8]| -> Vec<f64> {
            let dims = vec![bytes.len() / T::DTYPE.size()];
            let literal = Literal::from_bytes(T::DTYPE, dims, bytes.to_vec().into()).unwrap();
            literal.to_vec::<T>().unwrap().into_iter().map(Into::into).collect()
        };
        floats(expected).into_iter().zip(floats(found)).all(|(e, y)| {
            e == y || e.is_nan() && y.is_nan() || (e - y).abs() <= tolerance * e.abs().max(1e-30)
        })
    });
}

/// Runs the module both ways, the native code with one and three threads, from its image, and with checks of bounds, which
/// change no bit; `agree` judges the bytes of each tensor. Then it runs with less memory for each of the tensors.
fn run_both(text: &str, grid: [u32; 3], args: &[Arg], agree: &dyn Fn(&[u8], &[u8]) -> bool) {
    let module: Module = text.parse().unwrap_or_else(|e| panic!("{e}\n{text}"));
    let whole = interpreted(&module, grid, args, &lengths(args));
    let whole = whole.unwrap_or_else(|(_, e)| panic!("{e}\n{text}"));
    let cuts = shorter(&module, grid, args);
    for Native { plain, checked } in native::compiled(text, &module).iter() {
        let [found, loaded] =
            plain.each_ref().map(|kernel| launched(&**kernel, grid, args, &lengths(args)).unwrap());
        for data in [&found, &loaded] {
            for ((expected, found), arg) in whole.iter().zip(data).zip(tensors(args)) {
                let name = arg.0;
                assert!(
                    agree(expected, found),
                    "`{name}` of\n{text}\nexpected {expected:02x?}\nfound    {found:02x?}"
                );
            }
        }
        for kernel in checked {
            let bits = launched(&**kernel, grid, args, &lengths(args)).unwrap();
            assert!(bits == found, "checks change the bits of\n{text}");
        }
        for (lengths, expected) in &cuts {
            let found = launched(&*checked[0], grid, args, lengths);
            cut_short(text, args, &whole, expected, found, agree);
        }
    }
}

/// Tensors of fewer bytes, and what the interpreter makes of them.
type Cut = (Vec<usize>, Interpreted);

fn shorter(module: &Module, grid: [u32; 3], args: &[Arg]) -> Vec<Cut> {
    let tensors = lengths(args).into_iter().enumerate();
    let cuts = tensors.flat_map(|(at, n)| [(at, n.saturating_sub(8)), (at, n / 16 * 8)]);
    cuts.map(|(at, less)| {
        let mut cut = lengths(args);
        cut[at] = less;
        let expected = interpreted(module, grid, args, &cut);
        (cut, expected)
    })
    .collect()
}

/// Judges a launch on the beginnings of tensors: the first program that leaves them is told.
fn cut_short(
    text: &str,
    args: &[Arg],
    whole: &[Vec<u8>],
    expected: &Interpreted,
    found: Result<Vec<Vec<u8>>, LaunchError>,
    agree: &dyn Fn(&[u8], &[u8]) -> bool,
) {
    match (expected, found) {
        (Ok(expected), Ok(found)) => {
            for (expected, found) in expected.iter().zip(found) {
                assert!(agree(expected, &found[..expected.len()]), "{text}");
            }
        }
        // Elements that nothing needs are not read.
        (Err((_, fault)), Ok(found)) => {
            for ((whole, found), (_, bytes)) in whole.iter().zip(found).zip(tensors(args)) {
                let untouched = whole == bytes;
                assert!(untouched || agree(whole, &found), "{fault}, but natively not, in\n{text}");
            }
        }
        (Err((program, fault)), Err(LaunchError::Access { at, access })) => {
            assert_eq!(at.program, *program, "{fault}, {access}\n{text}");
            assert!(access.contains("out-of-bounds"), "{access}\n{text}");
            let named = tensors(args).any(|(name, _)| access.contains(&format!("`{name}`")));
            assert!(named, "{access}\n{text}");
        }
        (Err((_, fault)), Err(e)) => panic!("{fault}, but natively {e} in\n{text}"),
        (Ok(_), Err(e)) => panic!("{e} in\n{text}"),
    }
}

fn tensors(args: &[Arg]) -> impl Iterator<Item = (&str, &[u8])> {
    args.iter().filter_map(|a| match a {
        Arg::Tensor(name, bytes) => Some((&name[..], &bytes[..])),
        Arg::Scalar(..) => None,
    })
}

fn lengths(args: &[Arg]) -> Vec<usize> {
    tensors(args).map(|t| t.1.len()).collect()
}

/// The tensors after a run of the interpreter, or the program that failed and why.
type Interpreted = Result<Vec<Vec<u8>>, ([u32; 3], String)>;

fn interpreted(module: &Module, grid: [u32; 3], args: &[Arg], lengths: &[usize]) -> Interpreted {
    let mut memory = Memory::default();
    let mut lengths = lengths.iter();
    let mut values = vec![];
    for arg in args {
        values.push(match arg {
            Arg::Tensor(name, bytes) => {
                InterpValue::address(memory.add(name, &bytes[..*lengths.next().unwrap()]))
            }
            Arg::Scalar(_, value) => value.clone(),
        });
    }
    let mut interpreter = Interpreter::new(module).unwrap();
    interpreter.launch(grid, &values, &mut memory).map_err(|e| match &e {
        InterpError::Op { program, .. } => (*program, e.to_string()),
        _ => panic!("{e}"),
    })?;
    Ok(tensors(args).map(|(name, _)| memory.bytes(name).unwrap().to_vec()).collect())
}

/// The tensors after a launch of the kernel, which may touch their first bytes; behind them are other ones.
fn launched(
    kernel: &dyn Kernel,
    grid: [u32; 3],
    args: &[Arg],
    lengths: &[usize],
) -> Result<Vec<Vec<u8>>, LaunchError> {
    const GUARD: u64 = 0x5a5a_5a5a_5a5a_5a5a;
    let word = |chunk: &[u8]| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    };
    let mut memory: Vec<Vec<u64>> = vec![];
    for ((_, bytes), &length) in tensors(args).zip(lengths) {
        let behind = bytes[length..].iter().map(|b| !b);
        let bytes: Vec<u8> = bytes[..length].iter().copied().chain(behind).collect();
        memory.push(bytes.chunks(8).map(word).chain([GUARD; 8]).collect());
    }
    let (mut words, mut extents) = (vec![], vec![]);
    let mut arrays = memory.iter_mut().zip(lengths);
    for (param, arg) in args.iter().enumerate() {
        words.push(match arg {
            Arg::Tensor(name, _) => {
                let (data, &bytes) = arrays.next().unwrap();
                let address = data.as_mut_ptr().expose_provenance();
                extents.push(Extent { name, param, address, bytes, writable: true });
                address as u64
            }
            Arg::Scalar(bits, _) => *bits,
        });
    }
    // SAFETY: the memory is there, and kernels without checks are known to stay inside.
    let launch = unsafe { KernelLaunch::of_addresses(grid, &words, &extents) };
    let outcome = match kernel.launch(&launch.bounded()) {
        Err(LaunchError::Unchecked { .. }) => kernel.launch(&launch),
        other => other,
    };
    let mut found = vec![];
    for ((data, (_, bytes)), &length) in memory.iter().zip(tensors(args)).zip(lengths) {
        let data: Vec<u8> = data.iter().flat_map(|w| w.to_le_bytes()).collect();
        let behind = bytes.len().next_multiple_of(8);
        let same = data[length..].iter().zip(&bytes[length..]).all(|(a, b)| *a == !b);
        assert!(same, "written behind a tensor");
        assert!(data[behind..].iter().all(|&b| b == 0x5a), "written behind the memory");
        found.push(data[..bytes.len()].to_vec());
    }
    outcome.map(|()| found)
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
