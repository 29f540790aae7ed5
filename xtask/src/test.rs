//! `cargo xtask test`: every check, one after the other, with the time that each took.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use crate::build::{self, Profile, cargo};
use crate::paths;
use crate::python::{Tool, Venv};
use crate::tally::{Outcome, Tally};

/// Mutated files per run in CI.
const MUTANTS: &str = "500";

/// Run all checks; prints the sum of their counts as the last line.
pub(crate) fn run() -> Result<Outcome> {
    let mut steps = Steps { total: Tally::default(), start: Instant::now(), failures: Vec::new() };
    steps.check("environment", || environment().map(|()| None));
    steps.command("format", || Ok(arguments(cargo(), "fmt --all --check")));
    steps.command("lints", || {
        Ok(arguments(cargo(), "clippy --workspace --all-targets --profile ci -- -D warnings"))
    });
    let built = steps.check("build", || build::trident(Profile::Ci).map(|_| None));
    steps.command("rust tests", || {
        Ok(arguments(cargo(), "test --workspace --profile ci --no-fail-fast"))
    });
    steps.command("python format", || {
        tool(Venv::Onnx, "ruff", &["format", "--no-cache", "--check", "."])
    });
    steps.command("python lints", || {
        tool(Venv::Onnx, "ruff", &["check", "--no-cache", "--quiet", "."])
    });
    steps.command("python tests", || tool(Venv::Onnx, "unit", &["xtask/python/tests"]));
    let package =
        steps.produce("python package", || build::python_package(Venv::Triton, Profile::Ci));
    steps.check("python package tests", || {
        let package = package.as_deref().context("not run: the package does not build")?;
        let options = ["-p", "pytest_tally", "-p", "no:cacheprovider", "--quiet"];
        counted(kernels(package, "pytest", &[&options[..], &["python/tests"]].concat())?)
    });
    for example in ["triton", "torch_compile"] {
        let folder = format!("examples/{example}");
        steps.check(&folder, || {
            let package = package.as_deref().context("not run: the package does not build")?;
            counted(kernels(package, "unit", &[&folder])?)
        });
    }
    for example in ["digits", "minilm"] {
        let folder = format!("examples/{example}");
        steps.needs(built, &folder, || tool(Venv::Examples, "unit", &[&folder]));
    }
    steps.needs(built, "conformance onnx", || tool(Venv::Onnx, "onnx_suite", &[]));
    steps.needs(built, "fuzz", || tool(Venv::Onnx, "fuzz", &["--count", MUTANTS]));
    Ok(steps.finish())
}

/// Install what later steps need and report what cannot be installed.
fn environment() -> Result<()> {
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
    for venv in [Venv::Onnx, Venv::Examples, Venv::Triton] {
        venv.ensure()?;
    }
    Ok(())
}

fn arguments(mut command: Command, line: &str) -> Command {
    command.args(line.split(' '));
    command
}

fn tool(venv: Venv, module: &str, args: &[&str]) -> Result<Command> {
    let binary = build::trident_path(Profile::Ci);
    Ok(Tool::module(venv, module)?.args(args).trident(Some(&binary)).into_command())
}

/// A program that runs kernels by the Python package, with a cache of compiled kernels of its own.
fn kernels(package: &Path, module: &str, args: &[&str]) -> Result<Command> {
    let tool = Tool::module(Venv::Triton, module)?.args(args).package(package)?;
    let cache = paths::target().join("python/triton-cache");
    if cache.exists() {
        fs::remove_dir_all(&cache)?;
    }
    let mut command = tool.into_command();
    command.env("TRITON_CACHE_DIR", cache);
    Ok(command)
}

/// The run so far.
struct Steps {
    total: Tally,
    start: Instant,
    failures: Vec<String>,
}

impl Steps {
    /// Run one step and add its counts. A step without counts of its own is one test.
    fn check(&mut self, name: &str, step: impl FnOnce() -> Result<Option<Tally>>) -> bool {
        println!("── {name}");
        let start = Instant::now();
        let result = step();
        let single = Tally { passed: 1, ..Tally::default() };
        let (tally, success) = match result {
            Ok(tally) => {
                let tally = tally.unwrap_or(single);
                (tally, tally.failed == 0)
            }
            Err(error) => {
                println!("{error:#}");
                (Tally { failed: 1, ..Tally::default() }, false)
            }
        };
        self.total += tally;
        if !success {
            self.failures.push(name.to_owned());
        }
        let verdict = if success { "ok" } else { "FAILED" };
        println!("── {name}: {verdict} ({tally}) in {:.1} s", start.elapsed().as_secs_f64());
        success
    }

    /// Run a step that gives a path, and hand that on.
    fn produce(&mut self, name: &str, step: impl FnOnce() -> Result<PathBuf>) -> Option<PathBuf> {
        let mut path = None;
        self.check(name, || {
            path = Some(step()?);
            Ok(None)
        });
        path
    }

    /// Run a command as a step.
    fn command(&mut self, name: &str, command: impl FnOnce() -> Result<Command>) {
        self.check(name, || counted(command()?));
    }

    /// Run a command as a step if what it needs is there.
    fn needs(&mut self, met: bool, name: &str, command: impl FnOnce() -> Result<Command>) {
        self.check(name, || {
            ensure!(met, "not run: the build failed");
            counted(command()?)
        });
    }

    fn finish(self) -> Outcome {
        if !self.failures.is_empty() {
            println!("failed: {}", self.failures.join(", "));
        }
        println!("all steps took {:.0} s", self.start.elapsed().as_secs_f64());
        println!("{}", self.total);
        Outcome::from(self.failures.is_empty())
    }
}

/// Run a command, pass its output on, and add up the counts in it. A command that fails without
/// having counted a failure (a crash, a compile error) is one.
fn counted(mut command: Command) -> Result<Option<Tally>> {
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {}", command.get_program().display()))?;
    let mut total: Option<Tally> = None;
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines() {
            let line = line?;
            println!("{line}");
            if let Some(tally) = Tally::parse(&line) {
                *total.get_or_insert_default() += tally;
            }
        }
    }
    let status = child.wait()?;
    if !status.success() {
        let total = total.get_or_insert_default();
        total.failed = total.failed.max(1);
        println!("{status}");
    }
    Ok(total)
}
