//! Kernels: files of Triton IR, compiling them, and the arguments of a launch from the command line.

use crate::failure::Failure;
use crate::input::npy;
use crate::limits::{self, Limits};
use crate::model::DeviceArgs;
use crate::random::Random;
use crate::render;
use crate::scalar::{self, Scalar};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use trident_ir::{DType, Module, Type, ValueInfo};
use trident_runtime::{Checks, Kernel, KernelOptions, Pool, Tensor, switch};

/// Options of a launch.
#[derive(clap::Args)]
pub(crate) struct KernelArgs {
    /// Number of programs of a kernel launch, e.g. 8 or 8x4
    #[arg(long, value_name = "SIZES")]
    pub(crate) grid: Option<String>,
    /// Argument of a kernel as NAME=NUMBER, NAME=@FILE.npy, NAME=zeros:DIMS or NAME=random:DIMS
    #[arg(short, long, value_name = "NAME=VALUE")]
    pub(crate) arg: Vec<String>,
    #[command(flatten)]
    pub(crate) checks: CheckArgs,
}

/// The checks that a kernel's code makes before it touches memory.
#[derive(clap::Args)]
pub(crate) struct CheckArgs {
    /// Check a kernel also for misaligned accesses, reads of uninitialised memory and races, as with TRIDENT_CHECK=1; slow
    #[arg(long)]
    check: bool,
    /// Do not check the bounds of a kernel's accesses: a wrong access corrupts memory
    #[arg(long, conflicts_with = "check")]
    unchecked: bool,
}

impl CheckArgs {
    /// Whether more than bounds is to be checked.
    #[cfg(feature = "texts")]
    pub(crate) fn checks_more(&self) -> bool {
        self.check
    }

    /// The options that were given.
    pub(crate) fn given(&self) -> Vec<&'static str> {
        let options = [("--check", self.check), ("--unchecked", self.unchecked)];
        options.into_iter().filter(|(_, given)| *given).map(|(name, _)| name).collect()
    }

    /// How to compile a kernel.
    pub(crate) fn options(&self) -> Result<KernelOptions, Failure> {
        let checks = match self {
            CheckArgs { unchecked: true, .. } => Checks::None,
            CheckArgs { check: true, .. } => Checks::All,
            _ if switch("TRIDENT_CHECK").map_err(Failure::usage)? => Checks::All,
            _ => Checks::Bounds,
        };
        Ok(KernelOptions { checks })
    }
}

impl KernelArgs {
    /// The options that were given.
    pub(crate) fn given(&self) -> Vec<&'static str> {
        let options = [("--grid", self.grid.is_some()), ("--arg", !self.arg.is_empty())];
        let given = options.into_iter().filter(|(_, given)| *given).map(|(name, _)| name);
        given.chain(self.checks.given()).collect()
    }
}

/// Whether a file is a kernel by its name.
pub(crate) fn is_kernel(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("ttir"))
}

/// Reads a kernel.
pub(crate) fn read(path: &Path) -> Result<Module, Failure> {
    let text = fs::read_to_string(path)
        .map_err(|e| Failure::usage(format!("cannot read `{}`: {e}", path.display())))?;
    trident_triton::parse(&text).map_err(|e| {
        // An error without a line concerns the whole file.
        let colon = if e.line > 0 { "" } else { " " };
        let failure = Failure::usage(format!("{}:{colon}{e}", path.display()));
        match text.lines().nth(e.line.wrapping_sub(1)) {
            Some(line) => failure.hint(format!("the line is `{}`", line.trim())),
            None => failure.hint("`kernel.asm[\"ttir\"]` of a Triton kernel is such a text"),
        }
    })
}

/// Compiles a kernel.
pub(crate) fn compile(
    module: &Module,
    device: &DeviceArgs,
    options: &KernelOptions,
) -> Result<Arc<dyn Kernel>, Failure> {
    device.compiler()?.compile_kernel(module, options).map_err(Failure::run)
}

/// The parameters of a kernel's entry function.
pub(crate) fn params(module: &Module) -> Result<Vec<&ValueInfo>, Failure> {
    let entry = module.entry().ok_or_else(|| Failure::usage("the file holds no kernel"))?;
    Ok(entry.body.params.iter().map(|v| &entry.values[v.index()]).collect())
}

/// Number of programs along x, y and z, from `8`, `8x4` or `8,4,1`.
pub(crate) fn grid(text: &str) -> Result<[u32; 3], Failure> {
    let wrong = || {
        Failure::usage(format!("`--grid {text}` is not a grid"))
            .hint("write the number of programs as 8, 8x4 or 8x4x2")
    };
    let sizes: Result<Vec<u32>, _> = text.split(['x', ',']).map(|n| n.trim().parse()).collect();
    let sizes = sizes.ok().filter(|s| (1..=3).contains(&s.len())).ok_or_else(wrong)?;
    let mut grid = [1; 3];
    grid[..sizes.len()].copy_from_slice(&sizes);
    Ok(grid)
}

/// An argument of a launch.
pub(crate) enum Argument {
    /// The bits of a number.
    Scalar(u64),
    /// Memory, as it is and as it was before.
    Array { now: Tensor, before: Vec<u8> },
}

/// Reads the options `NAME=VALUE`, one for each parameter, into the parameters' order. Also returns the memory that
/// they take, including the copy of each array that is compared after the launch.
pub(crate) fn arguments(
    options: &[String],
    params: &[&ValueInfo],
    seed: u64,
    limits: &Limits,
) -> Result<(Vec<Argument>, usize), Failure> {
    let mut random = Random::new(seed);
    let mut taken = 0usize;
    let mut found: Vec<Option<Argument>> = params.iter().map(|_| None).collect();
    for option in options {
        let (name, value) = option.split_once('=').ok_or_else(|| {
            Failure::usage(format!("`--arg {option}` has no value")).hint(listed(params))
        })?;
        let place = params.iter().position(|p| p.name == name).ok_or_else(|| {
            Failure::usage(format!("the kernel has no parameter `{name}`")).hint(listed(params))
        })?;
        let wrong = |e: String| Failure::usage(format!("`--arg {option}`: {e}"));
        let bytes = bytes(value, &params[place].ty).map_err(wrong)?;
        taken = taken.saturating_add(bytes.saturating_mul(2));
        limits.admit(taken, "the arrays of the launch")?;
        let read = argument(value, &params[place].ty, &mut random).map_err(wrong)?;
        if found[place].replace(read).is_some() {
            return Err(Failure::usage(format!("parameter `{name}` is given twice")));
        }
    }
    let missing = |p: &&ValueInfo| {
        Failure::usage(format!("parameter `{}` has no value", p.name)).hint(listed(params))
    };
    let found: Result<_, _> =
        found.into_iter().zip(params).map(|(a, p)| a.ok_or_else(|| missing(p))).collect();
    Ok((found?, taken))
}

/// The memory that an argument will take.
fn bytes(value: &str, ty: &Type) -> Result<usize, String> {
    let Type::Pointer(pointer) = ty else { return Ok(0) };
    if let Some(file) = value.strip_prefix('@') {
        let length = fs::metadata(file).map_err(|e| format!("cannot read `{file}`: {e}"))?.len();
        return Ok(usize::try_from(length).unwrap_or(usize::MAX));
    }
    let shape = value.strip_prefix("zeros:").or_else(|| value.strip_prefix("random:"));
    let dims = shape.map_or(Ok(vec![0]), dims)?;
    Ok(limits::tensor_bytes(pointer.to, &dims).unwrap_or(usize::MAX))
}

/// Sizes from `1000` or `32x64`.
fn dims(text: &str) -> Result<Vec<usize>, String> {
    let dims: Result<_, _> = text.split('x').map(str::parse).collect();
    dims.map_err(|_| format!("`{text}` is not a shape such as 1000 or 32x64"))
}

fn argument(value: &str, ty: &Type, random: &mut Random) -> Result<Argument, String> {
    match ty {
        Type::Pointer(pointer) => {
            let now = array(value, pointer.to, random)?;
            let bytes = now.bytes().map_err(|e| e.to_string())?;
            let mut before = Vec::new();
            let lacking =
                |_| format!("there is no memory for a copy of {}", render::bytes(bytes.len()));
            before.try_reserve_exact(bytes.len()).map_err(lacking)?;
            before.extend_from_slice(bytes);
            Ok(Argument::Array { now, before })
        }
        Type::Tensor(t) => match number(value)? {
            Scalar::Int(n) if t.dtype.is_int() => integer(n, t.dtype).map(Argument::Scalar),
            number => {
                let tensor = scalar::tensor(&Pool::new(), t.dtype, &[], &[number])?;
                let bytes = tensor.bytes().map_err(|e| e.to_string())?;
                Ok(Argument::Scalar(bytes.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b))))
            }
        },
        other => Err(format!("a parameter of type {other} cannot be given on the command line")),
    }
}

/// `@FILE.npy`, `zeros:DIMS` or `random:DIMS`.
fn array(value: &str, dtype: DType, random: &mut Random) -> Result<Tensor, String> {
    if let Some(file) = value.strip_prefix('@') {
        let bytes = fs::read(file).map_err(|e| format!("cannot read `{file}`: {e}"))?;
        let tensor = npy::read(&Pool::new(), &bytes, Some(dtype))?;
        return match tensor.dtype() {
            // Triton has no booleans in memory: they are bytes.
            actual if actual == dtype || actual.size() == 1 && dtype.size() == 1 => Ok(tensor),
            actual if actual.size() == dtype.size() && actual.is_int() && dtype.is_int() => {
                Ok(tensor)
            }
            actual => Err(format!("`{file}` holds {actual}, the parameter points to {dtype}")),
        };
    }
    match value.split_once(':') {
        Some(("zeros", shape)) => {
            let mut tensor = limits::alloc(&Pool::new(), dtype, &dims(shape)?)?;
            tensor.bytes_mut().map_err(|e| e.to_string())?.fill(0);
            Ok(tensor)
        }
        Some(("random", shape)) => random.tensor(&Pool::new(), dtype, &dims(shape)?),
        _ => Err("an array is @FILE.npy, zeros:DIMS or random:DIMS".into()),
    }
}

fn number(value: &str) -> Result<Scalar, String> {
    let float = || value.parse().ok().map(Scalar::Double);
    let number = match value {
        "true" => Some(Scalar::Bool(true)),
        "false" => Some(Scalar::Bool(false)),
        _ => value.parse().ok().map(Scalar::Int).or_else(float),
    };
    number.ok_or_else(|| format!("`{value}` is not a number"))
}

/// The bits of an integer. It has to fit as a signed or as an unsigned integer, because kernels do not distinguish
/// these.
fn integer(n: i128, dtype: DType) -> Result<u64, String> {
    let bits = dtype.bits();
    let (least, greatest) = (-1i128 << (bits - 1), (1i128 << bits) - 1);
    if (least..=greatest).contains(&n) {
        return Ok(n as u64 & u64::MAX >> (64 - bits));
    }
    Err(format!(
        "{n} does not fit into {dtype}, which takes {least} to {greatest}, signed or unsigned"
    ))
}

/// The kernel's parameters in words.
fn listed(params: &[&ValueInfo]) -> String {
    let params: Vec<String> = params.iter().map(|p| format!("{}: {}", p.name, p.ty)).collect();
    format!("the kernel's parameters are {}", params.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_have_one_to_three_sizes() {
        assert_eq!(grid("8").unwrap(), [8, 1, 1]);
        assert_eq!(grid("8x4").unwrap(), [8, 4, 1]);
        assert_eq!(grid("8,4,0").unwrap(), [8, 4, 0]);
        for wrong in ["", "x", "1x2x3x4", "-1", "1.5"] {
            assert!(grid(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn scalars_are_packed_by_their_type() {
        let bits = |text: &str, dtype| {
            let ty = Type::fixed(dtype, &[]);
            match argument(text, &ty, &mut Random::new(0)) {
                Ok(Argument::Scalar(bits)) => Ok(bits),
                Ok(Argument::Array { .. }) => Err("an array".into()),
                Err(e) => Err(e),
            }
        };
        assert_eq!(bits("-1", DType::I32), Ok(0xffff_ffff));
        assert_eq!(bits("1.5", DType::F32), Ok(u64::from(1.5f32.to_bits())));
        assert_eq!(bits("2", DType::F64), Ok(2f64.to_bits()));
        assert_eq!(bits("true", DType::Bool), Ok(1));
        assert_eq!(bits("-9223372036854775808", DType::I64), Ok(1 << 63));
        assert_eq!(bits("18446744073709551615", DType::I64), Ok(u64::MAX));
        assert_eq!(
            bits("18446744073709551616", DType::I64).unwrap_err(),
            "18446744073709551616 does not fit into i64, which takes -9223372036854775808 to \
             18446744073709551615, signed or unsigned"
        );
        assert!(bits("1.5", DType::I32).is_err() && bits("300", DType::I8).is_err());
        assert!(bits("", DType::F32).is_err());
    }
}
