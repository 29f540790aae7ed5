//! `cargo xtask sanitize`: looks for faults that plain tests do not show. `cargo xtask test --all` includes its quick
//! part, and `cargo xtask test` the narrower instruction sets for code that depends on them.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use clap::ValueEnum;

use crate::build::{self, Profile, cargo};
use crate::paths;
use crate::python::Venv;
use crate::steps::{Choice, Step, Steps};
use crate::tally::Outcome;
use crate::test::{WORKSPACE, arguments, tool, unoptimized};

/// A part that can be run alone.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum Part {
    /// The Rust suites under AddressSanitizer
    Address,
    /// Models of the thread pool, of memory and of the scheduler, each under thousands of schedules
    Models,
    /// The Rust tests of vector code and part of the ONNX suite on narrower instruction sets
    Narrow,
}

/// Instruction sets below the machine's own, as `TRIDENT_ISA` names them.
#[cfg(target_arch = "x86_64")]
const NARROW: &[&str] = &["avx2", "portable"];
#[cfg(not(target_arch = "x86_64"))]
const NARROW: &[&str] = &["portable"];

/// Cases of the ONNX suite whose kernels are written in vectors.
const VECTORS: &str = "conv|gemm|matmul|pool|reduce|norm|softmax|attention|quantize|lstm|gru";

/// The packages for AddressSanitizer in CI, where building the kernels for it would take several minutes. Optimising these takes
/// longer than it saves in their tests.
const QUICK: &str = "--package trident-runtime --lib --tests \
    --config profile.dev.opt-level=0 --config profile.dev.package.'*'.opt-level=0";

/// Run the chosen steps of all of it, or of one part; prints the sum of the counts as the last line.
pub(crate) fn run(only: Option<Part>, choice: Choice) -> Result<Outcome> {
    let mut steps = Steps::default();
    let wanted = |part| only.is_none_or(|only| only == part);
    if wanted(Part::Models) {
        models(&mut steps);
    }
    if wanted(Part::Narrow) {
        let build = || build::keep(&build::trident(Profile::Ci)?);
        steps.add(Step::check("build", build).builds());
        narrow(&mut steps);
        for set in NARROW {
            let suite = move || {
                let mut command = tool(Venv::Onnx, "onnx_suite", &["--filter", VECTORS])?;
                command.env("TRIDENT_ISA", set);
                Ok(command)
            };
            let name = format!("conformance onnx on {set}");
            steps.add(Step::command(name, suite).needs(&["build"]));
        }
    }
    if wanted(Part::Address) {
        let crates = "--workspace --exclude trident-python --exclude xtask --lib --bins --tests";
        steps.add(address(crates));
    }
    steps.run(choice)
}

/// Crates between those with models, which no model runs: they are compiled again for these features, so quickly.
const BETWEEN: [&str; 4] = ["trident-jit", "trident-cpu", "trident-engine", "trident-model"];

/// In one command, so that dependencies get the features of the rest of the workspace and are not rebuilt.
pub(crate) fn models(steps: &mut Steps) {
    let tests = || {
        let crates = ["trident-runtime", "trident-kernels", "trident-serving"];
        let packages = crates.map(|name| format!("--package {name}")).join(" ");
        let features = crates.map(|name| format!("{name}/models")).join(",");
        let quickly = BETWEEN.map(unoptimized).join(" ");
        let line = format!("test {packages} --features {features} --lib --profile ci {quickly}");
        Ok(arguments(cargo(), &format!("{line} -- models::")))
    };
    steps.add(Step::command("models", tests).builds());
}

/// The pattern of the crates that have code for each instruction set, or tests of what is computed by it.
const VECTORS_IN: &str =
    "trident-simd|trident-kernels|trident-jit|trident-cpu|trident-engine|trident-model";

/// Runs the Rust tests of code that depends on the instruction set, on the narrower ones.
///
/// Cargo always gets the whole workspace, because the build of `cargo xtask test` can be reused. For a few packages it would build
/// their dependencies again, with fewer features. A runner skips the tests of other crates. Long tests that go through the
/// instruction sets by themselves have `each_isa` in their names, and are skipped.
pub(crate) fn narrow(steps: &mut Steps) {
    let only = format!(r#"case $CARGO_PKG_NAME in {VECTORS_IN}) exec "$@";; esac"#);
    let runner = format!("target.'cfg(all())'.runner = ['sh', '-c', '{only}', 'sh']");
    for set in NARROW {
        let runner = runner.clone();
        let tests = move || {
            let line = format!("test {WORKSPACE} --profile ci --no-fail-fast --lib --bins --tests");
            let mut tests = arguments(cargo(), &line);
            tests.args(["--config", &runner, "--", "--skip", "each_isa"]).env("TRIDENT_ISA", set);
            Ok(tests)
        };
        steps.add(Step::command(format!("rust tests on {set}"), tests).builds());
    }
}

/// Add the part that CI has time for.
pub(crate) fn address_quick(steps: &mut Steps) {
    steps.add(address(QUICK));
}

/// Tests of these crates with every access to memory checked, in a folder of their own. The compiler that is pinned has
/// the sanitizer's library, but calls its switch unstable.
fn address(crates: &'static str) -> Step {
    Step::command("AddressSanitizer", || address_tests(crates)).builds_elsewhere()
}

fn address_tests(crates: &str) -> Result<Command> {
    let mut tests = checked(&format!("test {crates} --no-fail-fast"))?;
    tests
        .env("ASAN_OPTIONS", "allocator_may_return_null=1:detect_stack_use_after_return=1")
        // Frames are larger with the gaps between variables.
        .env("RUST_MIN_STACK", (16 << 20).to_string());
    Ok(tests)
}

/// A Cargo command whose code has its accesses to memory checked.
fn checked(line: &str) -> Result<Command> {
    let mut command = arguments(cargo(), &format!("{line} --target {}", host()?));
    command
        .arg("--target-dir")
        .arg(paths::target().join("sanitize"))
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTFLAGS", "-Zsanitizer=address");
    Ok(command)
}

/// Builds the Rust half of the Python package with its accesses to memory checked, and puts it in the place of the one in an
/// unpacked package. An interpreter that loads it must have loaded the sanitizer's library before.
pub(crate) fn extension(package: &Path) -> Result<()> {
    let built = checked("build --package trident-python --profile ci")?.status()?;
    ensure!(built.success(), "the package does not build for AddressSanitizer");
    let library = paths::target().join("sanitize").join(host()?).join("ci/lib_trident.so");
    let place = package.join("trident/_trident.abi3.so");
    // A name of its own, as the other one may be a link to the build's.
    fs::remove_file(&place).with_context(|| format!("no {}", place.display()))?;
    fs::copy(&library, &place).with_context(|| format!("no {}", library.display()))?;
    Ok(())
}

/// The triple of the machine that the compiler runs on.
fn host() -> Result<String> {
    let output = Command::new("rustc").arg("-vV").current_dir(paths::root()).output();
    let output = output.context("cannot start rustc")?;
    ensure!(output.status.success(), "rustc -vV failed");
    let text = String::from_utf8(output.stdout)?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc -vV names no host")?.to_owned())
}
