//! `cargo xtask darwin`: compiles every crate for macOS on arm64 from Linux, and links `trident`, the Python extension and the
//! backend of the Triton Inference Server.
//!
//! Debian's compiler builds the standard library, zig links, against stubs of the system's libraries; `python/darwin` has
//! the stubs, and checks the files. Nothing is run.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::debian::{self, Missing};
use crate::paths;
use crate::python::{Tool, Venv};
use crate::test::arguments;

/// The profile, target folder and environment of this command.
const NAME: &str = "darwin";

const TARGET: &str = "aarch64-apple-darwin";

/// The oldest macOS that runs what is linked.
const OLDEST: &str = "13.0";

/// The oldest Python that takes the extension.
const PYTHON: &str = "3.11";

/// The files that are linked and checked: the program and the extension.
const FILES: [&str; 2] = ["trident", "lib_trident.dylib"];

/// Build and check everything, and maybe the wheel.
pub(crate) fn run(wheel: bool) -> Result<()> {
    let python = environment().map_err(|error| Missing(format!("{error:#}")))?;
    let stubs = paths::target().join(NAME).join("stubs");
    tool(&["--stubs".into(), stubs.clone().into()])?;
    let mut cargo =
        arguments(debian::cargo(NAME), "build -Zbuild-std -Zwarnings --workspace --locked --quiet");
    cargo.args(["--profile", NAME, "--target", TARGET]);
    cargo.env("CARGO_BUILD_WARNINGS", "deny");
    for_macos(&mut cargo, &python, &stubs)?;
    ensure!(cargo.status()?.success(), "the workspace does not build for {TARGET}");
    let built = paths::target().join(NAME).join(TARGET).join(NAME);
    let mut files: Vec<PathBuf> = FILES.iter().map(|name| built.join(name)).collect();
    if wheel {
        files.push(build_wheel(&python, &stubs)?);
    }
    tool(&files.iter().map(OsString::from).collect::<Vec<_>>())?;
    let mut crates = 1;
    for folder in ["crates", "plugins"] {
        crates += fs::read_dir(paths::root().join(folder))?.count();
    }
    println!("darwin: ok ({crates} crates, {} binaries)", files.len());
    Ok(())
}

/// Install what is missing; the interpreter of the environment with zig.
fn environment() -> Result<PathBuf> {
    debian::install(&debian::RUST)?;
    Venv::Darwin.ensure()
}

/// Make a command that calls Cargo link for macOS.
fn for_macos(
    command: &mut Command,
    python: &std::path::Path,
    stubs: &std::path::Path,
) -> Result<()> {
    let mut path = OsString::from(python.parent().context("an interpreter without a folder")?);
    path.push(":");
    path.push(env::var_os("PATH").unwrap_or_default());
    let zig = paths::root().join("xtask/python/darwin/zig_cc.py");
    command
        .env("PATH", path) // the linker is a Python program
        .env("CARGO_TARGET_AARCH64_APPLE_DARWIN_LINKER", &zig)
        .env("CC_aarch64_apple_darwin", &zig)
        .env("SDKROOT", stubs)
        .env("MACOSX_DEPLOYMENT_TARGET", OLDEST)
        .env("PYO3_CROSS_PYTHON_VERSION", PYTHON);
    Ok(())
}

/// The wheel for macOS, in release mode.
fn build_wheel(python: &std::path::Path, stubs: &std::path::Path) -> Result<PathBuf> {
    let folder = paths::target().join(NAME).join("wheels");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let mut maturin = Command::new(python);
    maturin.current_dir(paths::root()).args([
        "-m",
        "maturin",
        "build",
        "--quiet",
        "--locked",
        "--release",
    ]);
    maturin
        .args(["--target", TARGET, "--interpreter", &format!("python{PYTHON}"), "--out"])
        .arg(&folder);
    debian::toolchain(&mut maturin, NAME);
    for_macos(&mut maturin, python, stubs)?;
    maturin
        .env("CARGO", "/usr/bin/cargo")
        .env("CARGO_UNSTABLE_BUILD_STD", "std,panic_unwind")
        // Debian's toolchain has no `rust-objcopy`.
        .env("CARGO_PROFILE_RELEASE_STRIP", "none");
    ensure!(maturin.status()?.success(), "the wheel does not build for {TARGET}");
    Ok(fs::read_dir(&folder)?.next().context("maturin made no wheel")??.path())
}

/// Run `xtask/python/darwin`.
fn tool(args: &[OsString]) -> Result<()> {
    let status = Tool::module(Venv::Darwin, "darwin")?.args(args).into_command().status()?;
    ensure!(status.success(), "what was linked is not what macOS loads");
    Ok(())
}
