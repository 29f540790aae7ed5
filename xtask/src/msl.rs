//! Kernels as Metal programs: `conformance msl` runs them in the emulator, `bench msl` on an NVIDIA GPU.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail, ensure};

use crate::build::{self, Devices, Profile, cargo};
use crate::debian::{self, Missing};
use crate::python::{Tool, Venv};
use crate::tally::Outcome;
use crate::{paths, wants_help};

/// The name or path of clang, as the emulator finds it.
fn clang() -> String {
    let named = std::env::var("TRIDENT_CLANG").ok().filter(|name| !name.is_empty());
    named.unwrap_or_else(|| "clang-22".into())
}

fn require_clang() -> Result<()> {
    let clang = clang();
    let version = Command::new(&clang).arg("--version").output();
    let is_22 = version
        .is_ok_and(|told| String::from_utf8_lossy(&told.stdout).contains("clang version 22."));
    if is_22 {
        return Ok(());
    }
    bail!(Missing(format!(
        "`{clang}` is not clang 22, which compiles Metal programs; hint: install it (Debian: apt-get install clang-22) \
         or set TRIDENT_CLANG to its path"
    )))
}

/// Install clang if there is none.
pub(crate) fn install_clang() -> Result<()> {
    match require_clang() {
        Ok(()) => Ok(()),
        Err(_) => debian::install(&[("/usr/bin/clang-22", "clang-22")]),
    }
}

/// The package that has the emulated device.
pub(crate) fn package(venv: Venv) -> Result<PathBuf> {
    require_clang()?;
    build::python_package(venv, Profile::Ci, Devices::Emulated)
}

/// The folder of the package that has the emulated device, once it is built.
pub(crate) fn built() -> PathBuf {
    build::python_folder(Profile::Ci, Devices::Emulated).join("site")
}

/// The suite, with the package unpacked in a folder.
pub(crate) fn suite_on(venv: Venv, package: &Path) -> Result<Command> {
    Ok(Tool::module(venv, "msl_suite")?.package(package)?.into_command())
}

/// `cargo xtask conformance msl`. Upstream's tests need PyTorch, whose environment is large: they are a part where it is made.
pub(crate) fn conformance(args: &[String]) -> Result<Outcome> {
    let venv = if Venv::Torch.is_made()? { Venv::Torch } else { Venv::Triton };
    if wants_help(args) {
        let tool = Tool::module(venv, "msl_suite")?.args(args);
        return Ok(Outcome::from(tool.into_command().status()?.success()));
    }
    Ok(Outcome::from(suite_on(venv, &package(venv)?)?.args(args).status()?.success()))
}

/// `cargo xtask bench msl`: compile all that an NVIDIA GPU needs, then measure if this machine has one.
pub(crate) fn bench(args: &[String]) -> Result<Outcome> {
    let tool = Tool::module(Venv::Triton, "msl_bench")?.args(args);
    if wants_help(args) {
        return Ok(Outcome::from(tool.into_command().status()?.success()));
    }
    require_clang()?;
    let package = build::python_package(Venv::Triton, Profile::Ci, Devices::Default)?;
    let mut command = tool.package(&package)?.into_command();
    command.env("TRIDENT_PTX", ptx()?);
    Ok(Outcome::from(command.status()?.success()))
}

/// Build the program that goes from a tile function to PTX.
fn ptx() -> Result<PathBuf> {
    let profile = Profile::Ci.name();
    let args = ["build", "--quiet", "-p", "trident-emulator", "--example", "ptx", "--profile"];
    ensure!(cargo().args(args).arg(profile).status()?.success(), "the emulator does not build");
    Ok(paths::target().join(profile).join("examples/ptx"))
}
