//! `cargo xtask test`: checks, one after the other, with the time that each took.

use std::fs;
use std::panic::resume_unwind;
use std::path::Path;
use std::process::Command;
use std::thread;

use anyhow::{Context, Result, ensure};

use crate::build::{self, Devices, Profile, cargo};
use crate::python::{Tool, Venv};
use crate::steps::{Steps, counted};
use crate::tally::Outcome;
use crate::{darwin, foreign, fresh, fuzz, mock, msl, paths, sanitize, tritonserver};

/// Mutated files per run in CI.
const MUTANTS: &str = "500";

/// Sequences of calls of the Python package per run in CI.
const SEQUENCES: &str = "100";

/// All crates, with the features of what ships. Steps that share a build name the same ones.
pub(crate) const WORKSPACE: &str = "--workspace --features trident-cli/serve";

/// The folder with the checks of the files that deploy the server.
pub(crate) const DEPLOY: &str = "xtask/python/deploy_suite";

/// How pytest runs the tests of the package.
const PYTEST: &[&str] = &["-p", "pytest_tally", "-p", "no:cacheprovider", "--quiet"];

/// How much to check.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Tier {
    /// The checks that find most, in minutes.
    Quick,
    /// Everything, as in CI.
    All,
}

/// Run the checks of a tier, or only those whose name has one of these texts; prints the sum of their counts as the last line.
pub(crate) fn run(tier: Tier, only: Vec<String>) -> Result<Outcome> {
    let all = tier == Tier::All;
    let mut steps = Steps::new(only);
    steps.prepare("tools", || tools().map(|()| None));
    // They are downloaded and unpacked while Cargo builds. A step that needs one waits for it.
    let environments = thread::spawn(move || environments(tier));
    steps.command("format", || Ok(arguments(cargo(), "fmt --all --check")));
    steps.command("lints", || {
        let line = format!("clippy {WORKSPACE} --all-targets --profile ci -- -D warnings");
        Ok(arguments(cargo(), &line))
    });
    steps.command("rust tests", || {
        Ok(arguments(cargo(), &format!("test {WORKSPACE} --profile ci --no-fail-fast")))
    });
    if all {
        steps.command("ops left out", || {
            let line = "test -p trident-cpu --no-default-features --profile ci --lib";
            Ok(arguments(cargo(), &format!("{line} features_of_the_build")))
        });
        sanitize::quick(&mut steps);
        foreign::quick(&mut steps);
        steps.check("macos", || darwin::run(false).map(|()| None));
        steps.command("mock of Metal", mock::tests);
    } else {
        sanitize::narrow(&mut steps);
    }
    steps.prepare("environments", || {
        let made = environments.join().unwrap_or_else(|panic| resume_unwind(panic));
        made.map(|()| None)
    });
    // After the Rust tests, which build it without the emulated device.
    let built = steps.prepare("build", || build::trident(Profile::Ci).map(|_| None));
    steps.command("python format", || {
        tool(Venv::Onnx, "ruff", &["format", "--no-cache", "--check", "."])
    });
    steps.command("python lints", || {
        tool(Venv::Onnx, "ruff", &["check", "--no-cache", "--quiet", "."])
    });
    steps.command("python tests", || tool(Venv::Onnx, "unit", &["xtask/python/tests"]));
    let package = steps.produce("python package", || {
        build::python_package(Venv::Triton, Profile::Ci, Devices::Default)
    });
    steps.check("python package tests", || {
        let package = package.as_deref().context("not run: the package does not build")?;
        counted(with_package(
            Venv::Triton,
            package,
            "pytest",
            &[PYTEST, &["python/tests"]].concat(),
        )?)
    });
    steps.check("python types", || {
        let package = package.as_deref().context("not run: the package does not build")?;
        counted(with_package(Venv::Triton, package, "type_check", &[])?)
    });
    steps.needs(package.is_some(), "package with NumPy alone", || fresh::tests(Profile::Ci));
    if all {
        rest(&mut steps, built, package.as_deref())?;
    } else {
        conformance(&mut steps, built, "cpu");
    }
    Ok(steps.finish())
}

/// The steps of `--all` that need what has been built.
fn rest(steps: &mut Steps, built: bool, package: Option<&Path>) -> Result<()> {
    let tensors = [PYTEST, &["python/tests/test_model_torch.py"]].concat();
    let users = [
        ("tensors of PyTorch", Venv::Torch, "pytest", &tensors[..]),
        ("examples/triton", Venv::Triton, "unit", &["examples/triton"]),
        ("examples/torch_compile", Venv::Torch, "unit", &["examples/torch_compile"]),
        ("examples/torch_export", Venv::Torch, "unit", &["examples/torch_export"]),
        ("conformance torch", Venv::Torch, "torch_compile.check", &[]),
    ];
    for (name, venv, module, args) in users {
        steps.check(name, || {
            let package = package.context("not run: the package does not build")?;
            counted(with_package(venv, package, module, args)?)
        });
    }
    steps.check("conformance msl", || counted(msl::suite(Venv::Triton)?));
    for example in ["digits", "minilm"] {
        let folder = format!("examples/{example}");
        steps.needs(built, &folder, || {
            let package = package.context("not run: the package does not build")?;
            with_package(Venv::Examples, package, "unit", &[&folder])
        });
    }
    steps.check("fuzz calls", || {
        let package = package.context("not run: the package does not build")?;
        counted(fuzz::calls_on(package, &["--count".to_owned(), SEQUENCES.to_owned()])?)
    });
    let lists = devices_with_lists()?;
    for devices in lists.iter().map(String::as_str).chain(["queued", "queued,cpu"]) {
        conformance(steps, built, devices);
    }
    steps.needs(built, "conformance onnx in batches", || {
        let args = ["--batched", "--quick"].map(str::to_owned);
        crate::batches(&build::trident_path(Profile::Ci), &args)
    });
    steps.needs(built, "conformance edges", || tool(Venv::Onnx, "edge_suite", &["--quick"]));
    steps.needs(built, "conformance server", || tritonserver::server_suite(Profile::Ci, &[]));
    steps.needs(built, "conformance backend", || tritonserver::suite(Profile::Ci, &[]));
    steps.needs(built, "conformance deploy", || tool(Venv::Deploy, "unit", &[DEPLOY]));
    steps.needs(built, "fuzz", || tool(Venv::Onnx, "fuzz", &["--count", MUTANTS]));
    Ok(())
}

/// The ONNX suite on these devices.
fn conformance(steps: &mut Steps, built: bool, devices: &str) {
    let name = format!("conformance onnx on {devices}");
    steps.needs(built, &name, || tool(Venv::Onnx, "onnx_suite", &["--device", devices]));
}

/// The devices that have a list of expected failures, `conformance/onnx-<device>.toml`.
fn devices_with_lists() -> Result<Vec<String>> {
    let mut devices = vec![];
    for entry in std::fs::read_dir(paths::root().join("conformance"))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let device = name.strip_prefix("onnx-").and_then(|name| name.strip_suffix(".toml"));
        devices.extend(device.map(str::to_owned));
    }
    devices.sort_unstable();
    Ok(devices)
}

/// Install what Cargo needs and report what cannot be installed.
fn tools() -> Result<()> {
    for component in ["rustfmt", "clippy"] {
        let subcommand = component.trim_start_matches("rust");
        let probe = arguments(cargo(), &format!("{subcommand} --version")).output()?;
        if !probe.status.success() {
            let mut rustup = arguments(Command::new("rustup"), "component add");
            let added = rustup.arg(component).current_dir(paths::root()).status();
            let added = added.with_context(|| format!("{component} and rustup are missing"))?;
            ensure!(added.success(), "rustup cannot add {component}");
        }
    }
    // The emulator's own tests need it.
    msl::install_clang()
}

/// Make the Python environments of later steps.
fn environments(tier: Tier) -> Result<()> {
    let environments: &[Venv] = match tier {
        Tier::Quick => &[Venv::Onnx, Venv::Triton],
        Tier::All => Venv::CI,
    };
    environments.iter().try_for_each(|venv| venv.ensure().map(drop))
}

pub(crate) fn arguments(mut command: Command, line: &str) -> Command {
    command.args(line.split(' '));
    command
}

pub(crate) fn tool(venv: Venv, module: &str, args: &[&str]) -> Result<Command> {
    let binary = build::trident_path(Profile::Ci);
    Ok(Tool::module(venv, module)?.args(args).trident(Some(&binary)).into_command())
}

/// A program that imports the Python package, with a separate cache of compiled kernels.
fn with_package(venv: Venv, package: &Path, module: &str, args: &[&str]) -> Result<Command> {
    let binary = build::trident_path(Profile::Ci);
    let tool = Tool::module(venv, module)?.args(args).package(package)?.trident(Some(&binary));
    let cache = paths::target().join("python/triton-cache");
    if cache.exists() {
        fs::remove_dir_all(&cache)?;
    }
    let mut command = tool.into_command();
    command.env("TRITON_CACHE_DIR", cache);
    Ok(command)
}
