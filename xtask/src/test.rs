//! `cargo xtask test`: the checks of this checkout, two at a time, with the time that each took.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::build::{self, Devices, Profile, cargo};
use crate::python::{Tool, Venv};
use crate::steps::{Choice, Step, Steps};
use crate::tally::Outcome;
use crate::{
    darwin, foreign, free_threaded, fresh, fuzz, mock, msl, paths, sanitize, tritonserver, wheel,
};

/// Mutated files per run in CI.
const MUTANTS: &str = "500";

/// Sequences of calls of the Python package per run in CI.
const SEQUENCES: &str = "100";

/// All crates, with the features of what ships. Steps that share a build name the same ones.
pub(crate) const WORKSPACE: &str = "--workspace --features trident-cli/serve";

/// The folder with the checks of the files that deploy the server.
pub(crate) const DEPLOY: &str = "xtask/python/deploy_suite";

// The steps that others need.
const PROGRAM: &str = "build";
const PACKAGE: &str = "python package";
const METAL_PACKAGE: &str = "python package for Metal";
const BACKEND: &str = "backend library";
const PADDLE_WHEEL: &str = "wheel for paddle";

/// How much to check.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Tier {
    /// The checks that find most, in minutes.
    Quick,
    /// Everything, as in CI.
    All,
}

/// Run the chosen checks of a tier; prints the sum of their counts as the last line.
pub(crate) fn run(tier: Tier, choice: Choice) -> Result<Outcome> {
    steps(tier)?.run(choice)
}

/// The checks of a tier. Suites stand before builds in folders of their own, so that most builds have a suite beside them.
fn steps(tier: Tier) -> Result<Steps> {
    let all = tier == Tier::All;
    let mut steps = Steps::default();
    // Before all others, which need some of them.
    steps.add(Step::check("tools", move || tools(tier)).alone().always());
    // A step that needs an environment makes it, or waits for it.
    steps.add(Step::check("environments", move || environments(tier)));
    steps.add(Step::command("format", || Ok(arguments(cargo(), "fmt --all --check"))));
    programs(&mut steps, all);
    rust_tests(&mut steps, all);
    python_tests(&mut steps);
    if all {
        with_package(&mut steps);
        with_program(&mut steps)?;
        with_paddle(&mut steps);
        foreign::quick(&mut steps);
        steps.add(Step::check("macos", || darwin::run(false)).builds_elsewhere());
        steps.add(Step::command("mock of Metal", mock::tests).builds_elsewhere());
        sanitize::address_quick(&mut steps);
    } else {
        conformance(&mut steps, "cpu");
    }
    Ok(steps)
}

/// Builds of what suites run. They come early, because suites run beside later builds.
fn programs(steps: &mut Steps, all: bool) {
    let build = || build::keep(&build::trident(Profile::Ci)?);
    steps.add(Step::check(PROGRAM, build).builds());
    let package =
        |devices| move || build::python_package(Venv::Triton, Profile::Ci, devices).map(drop);
    steps.add(Step::check(PACKAGE, package(Devices::Default)).builds());
    if all {
        steps.add(Step::check(METAL_PACKAGE, || msl::package(Venv::Triton).map(drop)).builds());
        steps.add(Step::check(BACKEND, || tritonserver::libraries(Profile::Ci)).builds());
        steps.add(Step::check(PADDLE_WHEEL, || wheel::paddle(Profile::Ci)).builds());
    }
}

fn rust_tests(steps: &mut Steps, all: bool) {
    steps.add(
        Step::command("lints", || {
            // Checks share nothing with builds, so they may look at all that ships.
            let features = "trident-cli/stores,trident-cli/tokenizer";
            let line = format!(
                "clippy {WORKSPACE} --features {features} --all-targets --profile ci -- -D warnings"
            );
            Ok(arguments(cargo(), &line))
        })
        .builds(),
    );
    steps.add(
        Step::command("rust tests", || {
            Ok(arguments(cargo(), &format!("test {WORKSPACE} --profile ci --no-fail-fast")))
        })
        .builds(),
    );
    sanitize::narrow(steps);
    if all {
        steps.add(
            Step::command("ops left out", || {
                // Its test looks at the list of ops: it needs no fast kernels.
                let quickly = unoptimized("trident-cpu");
                let line = "test -p trident-cpu --no-default-features --profile ci --lib";
                Ok(arguments(cargo(), &format!("{line} {quickly} features_of_the_build")))
            })
            .builds(),
        );
        sanitize::models(steps);
    }
}

/// Checks of Python code, and of the package.
fn python_tests(steps: &mut Steps) {
    for (name, module, args) in [
        ("python format", "ruff", &["format", "--no-cache", "--check", "."][..]),
        ("python lints", "ruff", &["check", "--no-cache", "--quiet", "."]),
    ] {
        steps.add(Step::command(name, move || tool(Venv::Onnx, module, args)));
    }
    let tests = || tool(Venv::Onnx, "unit", &["xtask/python/tests"]);
    steps.add(Step::command("python tests", tests).needs(&[PROGRAM]));
    package_step(steps, "python package tests", Venv::Triton, "pytest", &pytest("python/tests"));
    package_step(steps, "python types", Venv::Triton, "type_check", &[]);
    let fresh = || fresh::tests(Profile::Ci);
    steps.add(Step::command("package with NumPy alone", fresh).needs(&[PACKAGE]));
}

/// The steps of `--all` that import the Python package.
fn with_package(steps: &mut Steps) {
    package_step(
        steps,
        "tensors of PyTorch",
        Venv::Torch,
        "pytest",
        &pytest("python/tests/test_model_torch.py"),
    );
    package_step(
        steps,
        "kernels on tensors of PyTorch",
        Venv::Torch,
        "pytest",
        &pytest("python/tests/test_launch_torch.py"),
    );
    for (example, venv) in [
        ("examples/triton", Venv::Triton),
        ("examples/torch_compile", Venv::Torch),
        ("examples/torch_export", Venv::Torch),
        ("examples/digits", Venv::Examples),
        ("examples/minilm", Venv::Examples),
    ] {
        package_step(steps, example, venv, "unit", &[example]);
    }
    package_step(steps, "conformance torch", Venv::Torch, "torch_compile.check", &[]);
    let metal = || msl::suite_on(Venv::Triton, &msl::built());
    steps.add(Step::command("conformance msl", metal).needs(&[METAL_PACKAGE]));
    let args = ["--count", SEQUENCES].map(str::to_owned);
    let calls = move || fuzz::calls_on(&package(), &args);
    steps.add(Step::command("fuzz calls", calls).needs(&[PACKAGE]));
    steps.add(Step::command("free-threaded python", || free_threaded::tests(Profile::Ci)).builds());
}

/// The suites that run the program, or the backend library.
fn with_program(steps: &mut Steps) -> Result<()> {
    let lists = devices_with_lists()?;
    for devices in lists.iter().map(String::as_str).chain(["queued", "queued,cpu"]) {
        conformance(steps, devices);
    }
    let batches = || crate::batches(&build::kept(), &["--batched", "--quick"].map(str::to_owned));
    steps.add(Step::command("conformance onnx in batches", batches).needs(&[PROGRAM]));
    for (name, venv, module, args) in [
        ("conformance edges", Venv::Onnx, "edge_suite", &["--quick"][..]),
        ("conformance deploy", Venv::Deploy, "unit", &[DEPLOY]),
        ("fuzz", Venv::Onnx, "fuzz", &["--count", MUTANTS]),
    ] {
        steps.add(Step::command(name, move || tool(venv, module, args)).needs(&[PROGRAM]));
    }
    let backend = || tritonserver::suite_on(&build::kept(), &[]);
    steps.add(Step::command("conformance backend", backend).needs(&[PROGRAM, BACKEND]));
    // Its checks of timers and of shares of the cores hold beside some other work, but not beside any.
    let server = || tritonserver::server_suite_on(&build::kept(), &[]);
    steps.add(Step::command("conformance server", server).needs(&[PROGRAM, BACKEND]).alone());
    Ok(())
}

/// The tests of the device `mps` in both releases of Paddle.
fn with_paddle(steps: &mut Steps) {
    for (name, venv) in [("paddle 3.3 on mps", Venv::Paddle), ("paddle 3.2 on mps", Venv::Paddle32)]
    {
        let tests = move || wheel::tests(venv, &name.replace(' ', "-"));
        steps.add(Step::command(name, tests).needs(&[PADDLE_WHEEL]));
    }
    let bad = || wheel::suite(&["--suite", "bad"].map(str::to_owned));
    steps.add(Step::command("conformance paddle, bad calls", bad).needs(&[PADDLE_WHEEL]));
}

/// The ONNX suite on these devices.
fn conformance(steps: &mut Steps, devices: &str) {
    let name = format!("conformance onnx on {devices}");
    let devices = devices.to_owned();
    let suite = move || tool(Venv::Onnx, "onnx_suite", &["--device", &devices]);
    steps.add(Step::command(name, suite).needs(&[PROGRAM]));
}

/// The devices that have a list of expected failures, `conformance/onnx-<device>.toml`.
fn devices_with_lists() -> Result<Vec<String>> {
    let mut devices = vec![];
    for entry in fs::read_dir(paths::root().join("conformance"))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let device = name.strip_prefix("onnx-").and_then(|name| name.strip_suffix(".toml"));
        devices.extend(device.map(str::to_owned));
    }
    devices.sort_unstable();
    Ok(devices)
}

/// Install what Cargo needs and report what cannot be installed.
fn tools(tier: Tier) -> Result<()> {
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
    msl::install_clang()?;
    if tier == Tier::All {
        tritonserver::install_tools()?;
    }
    Ok(())
}

/// Make the Python environments of the steps.
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

/// The option with which Cargo does not optimise a crate in the profile `ci`, for a step that hardly runs it: optimising takes
/// three quarters of the time of compiling.
pub(crate) fn unoptimized(package: &str) -> String {
    format!("--config profile.ci.package.{package}.opt-level=0")
}

/// A Python program that runs the built program.
pub(crate) fn tool(venv: Venv, module: &str, args: &[&str]) -> Result<Command> {
    Ok(Tool::module(venv, module)?.args(args).trident(Some(&build::kept())).into_command())
}

/// The folder of the built Python package.
fn package() -> PathBuf {
    build::python_folder(Profile::Ci, Devices::Default).join("site")
}

/// How pytest runs tests of the package.
fn pytest(tests: &'static str) -> [&'static str; 6] {
    ["-p", "pytest_tally", "-p", "no:cacheprovider", "--quiet", tests]
}

/// Add a Python program that imports the Python package, with a separate cache of compiled kernels.
fn package_step(
    steps: &mut Steps,
    name: &'static str,
    venv: Venv,
    module: &'static str,
    args: &[&'static str],
) {
    let args = args.to_vec();
    let command = move || {
        let tool = Tool::module(venv, module)?.args(args).package(&package())?;
        let mut command = tool.trident(Some(&build::kept())).into_command();
        let cache = paths::target().join("python/triton-cache").join(name.replace(['/', ' '], "-"));
        if cache.exists() {
            fs::remove_dir_all(&cache)?;
        }
        command.env("TRITON_CACHE_DIR", cache);
        Ok(command)
    };
    steps.add(Step::command(name, command).needs(&[PROGRAM, PACKAGE]));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_steps_of_both_tiers_are_complete() {
        for tier in [Tier::Quick, Tier::All] {
            steps(tier).unwrap();
        }
    }
}
