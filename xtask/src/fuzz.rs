//! `cargo xtask fuzz triton`, `fuzz mps` and `fuzz paddle`: more of the damaged files that the tests of a crate look at. `fuzz calls`: mutated calls
//! of the Python package.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};
use clap::Parser;

use crate::build::{self, Devices, Profile, cargo};
use crate::python::{Tool, Venv};
use crate::tally::Outcome;
use crate::{sanitize, wants_help};

/// The format that is damaged.
#[derive(Clone, Copy)]
pub(crate) enum Format {
    /// Triton IR.
    Triton,
    /// Compiled models.
    Mps,
    /// Paddle's programs and parameters.
    Paddle,
}

/// Feed damaged files to their reader.
#[derive(Parser)]
#[command(name = "cargo xtask fuzz triton|mps|paddle")]
struct Options {
    /// Files in all [default: 10000 of Triton IR, 2000 compiled models, 20000 Paddle models]
    #[arg(long)]
    count: Option<u64>,
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Show this one file and its outcome
    #[arg(long)]
    only: Option<u64>,
}

impl Format {
    /// The format of this name.
    pub(crate) fn by_name(name: &str) -> Option<Format> {
        match name {
            "triton" => Some(Format::Triton),
            "mps" => Some(Format::Mps),
            "paddle" => Some(Format::Paddle),
            _ => None,
        }
    }

    /// Package, test, test's function and how many files there are.
    fn test(self) -> ([&'static str; 3], u64) {
        match self {
            Format::Triton => (["trident-triton", "fuzz", "damaged_texts"], 10_000),
            Format::Mps => (["trident-model", "damage", "damaged_files"], 2_000),
            Format::Paddle => (["trident-paddle", "fuzz", "damaged_models"], 20_000),
        }
    }

    /// Run the test with the options in `args`, which starts with the format's name.
    pub(crate) fn run(self, args: &[String]) -> Result<Outcome> {
        let options = Options::parse_from(args);
        let ([package, test, function], count) = self.test();
        let count = options.count.unwrap_or(count);
        let mut command = cargo();
        command
            .args(["test", "--quiet", "--package", package, "--test", test])
            .args(["--profile", Profile::Ci.name(), function, "--", "--nocapture"])
            .env("TRIDENT_FUZZ_COUNT", count.to_string())
            .env("TRIDENT_FUZZ_SEED", options.seed.to_string());
        if let Some(number) = options.only {
            command.env("TRIDENT_FUZZ_ONLY", number.to_string());
        }
        let success = command.status()?.success();
        let files = options.only.map_or(count, |_| 1);
        let (passed, failed) = if success { (files, 0) } else { (0, 1) };
        println!("{passed} passed, {failed} failed, 0 skipped");
        Ok(Outcome::from(success))
    }
}

/// The program that makes and runs the calls.
const CALLS: &str = "fuzz_calls";

/// Run mutated sequences of calls of the Python package, with the options of the Python program in `args`.
pub(crate) fn calls(args: &[String]) -> Result<Outcome> {
    if wants_help(args) {
        let help = Tool::module(Venv::Onnx, CALLS)?.args(args).into_command().status()?;
        return Ok(Outcome::from(help.success()));
    }
    let package = build::python_package(Venv::Triton, Profile::Ci, Devices::Default)?;
    let sanitized = args.iter().any(|arg| arg == "--sanitize");
    let mut command = calls_on(&package, args)?;
    if sanitized {
        sanitize::extension(&package)?;
        preload(&mut command)?;
    }
    Ok(Outcome::from(command.status()?.success()))
}

/// The command that runs calls of the package unpacked in a folder.
pub(crate) fn calls_on(package: &Path, args: &[String]) -> Result<Command> {
    Ok(Tool::module(Venv::Onnx, CALLS)?.args(args).package(package)?.into_command())
}

/// Have the interpreter load AddressSanitizer before anything else. Python leaks on purpose.
fn preload(command: &mut Command) -> Result<()> {
    let found = Command::new("cc").arg("-print-file-name=libasan.so").output()?;
    let library = String::from_utf8(found.stdout)?;
    let library = Path::new(library.trim()).canonicalize()?;
    ensure!(
        library.is_file(),
        "AddressSanitizer needs gcc's libasan (Debian: apt-get install gcc)"
    );
    command
        .env("LD_PRELOAD", library)
        .env("ASAN_OPTIONS", "detect_leaks=0:allocator_may_return_null=1");
    Ok(())
}
