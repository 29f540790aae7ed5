//! The wheel of the Python package in an environment that has NumPy and nothing else.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::build::{self, Devices, Profile};
use crate::paths;
use crate::python::{self, Venv};

/// The tests, on the wheel that was built last. The environment is made anew each time.
pub(crate) fn tests(profile: Profile) -> Result<Command> {
    let wheels = build::python_folder(profile, Devices::Default).join("wheels");
    let wheel = fs::read_dir(&wheels)?.next().context("there is no wheel")??.path();
    let python = python::bare(&paths::target().join("python/fresh"))?;
    let numpy = Venv::Triton.pinned("numpy")?;
    install(&python, &["--only-binary=:all:".as_ref(), numpy.as_ref()])?;
    install(&python, &["--no-index".as_ref(), wheel.as_ref()])?;
    let modules = paths::root().join("xtask/python");
    let mut tests = Command::new(python);
    tests
        .args(["-m", "unit"])
        .arg(modules.join("fresh"))
        .env("PYTHONPATH", modules)
        .env("PYTHONDONTWRITEBYTECODE", "1");
    Ok(tests)
}

/// Installs a package, without dependencies, by the pip of another environment.
fn install(python: &Path, package: &[&OsStr]) -> Result<()> {
    let mut pip = Command::new(Venv::Triton.ensure()?);
    pip.args(["-m", "pip", "--python"]).arg(python);
    pip.args(["install", "--quiet", "--disable-pip-version-check", "--no-deps"]).args(package);
    ensure!(pip.status()?.success(), "pip cannot install {}", package[1].display());
    Ok(())
}
