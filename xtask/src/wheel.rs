//! `cargo xtask wheel paddle`: the wheel `paddle-trident`, which is the plug-in for Paddle with its Python modules.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use clap::{Args, ValueEnum};

use crate::build::{self, Profile};
use crate::paths;
use crate::python::{self, Tool, Venv};

/// The packages that the command makes.
#[derive(Clone, Copy, ValueEnum)]
enum Package {
    /// The device `mps` for PaddlePaddle
    Paddle,
}

/// Options of the command.
#[derive(Args)]
pub(crate) struct Options {
    package: Package,
    /// The folder to write the wheel to
    #[arg(long, value_name = "DIR", default_value = "target/wheels")]
    out: PathBuf,
    /// A library that was built before, such as that of `cargo xtask darwin`; a release is built without it
    #[arg(long, value_name = "FILE")]
    library: Option<PathBuf>,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let Package::Paddle = options.package;
    let built = || library(Profile::Release);
    let library = options.library.clone().map_or_else(built, Ok)?;
    write(&library, &options.out)
}

/// Build the plug-in, and return its path.
fn library(profile: Profile) -> Result<PathBuf> {
    let folder = build::paddle_device(profile)?;
    let library = fs::read_dir(folder)?.next().context("there is no plug-in")??.path();
    Ok(library)
}

/// Write the wheel with this library, and print its path and size.
fn write(library: &Path, out: &Path) -> Result<()> {
    let tool = Tool::module(Venv::Triton, "paddle_wheel")?;
    let mut command = tool.args([library, out]).args([env!("CARGO_PKG_VERSION")]).into_command();
    ensure!(command.status()?.success(), "the wheel cannot be made");
    Ok(())
}

/// Build the wheel for [`tests`].
pub(crate) fn paddle(profile: Profile) -> Result<()> {
    let folder = wheels();
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    write(&library(profile)?, &folder)
}

/// Unpack the wheel that was built last. The folder belongs on `PYTHONPATH`; Python does not run the lines of `.pth` files there.
fn unpacked() -> Result<PathBuf> {
    let folder = paths::target().join("python/paddle-site");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let python = Venv::Paddle.ensure()?;
    install(&python, &[python.as_ref(), "--target".as_ref(), folder.as_ref()])?;
    Ok(folder)
}

/// Install the wheel that was built last: in the environment of an interpreter, with further options of `uv`.
fn install(environment: &Path, place: &[&OsStr]) -> Result<()> {
    let wheel = fs::read_dir(wheels())?.next().context("there is no wheel")??.path();
    let mut uv = Command::new(python::uv(environment)?);
    uv.args(["pip", "install", "--quiet", "--no-deps", "--no-index", "--python"]).args(place);
    ensure!(uv.arg(&wheel).status()?.success(), "uv cannot install {}", wheel.display());
    Ok(())
}

fn wheels() -> PathBuf {
    paths::target().join("python/paddle-wheels")
}

/// A suite of `paddle_suite` that needs the wheel which was built last. Its tests find PyTorch if its environment exists.
pub(crate) fn suite(args: &[String]) -> Result<Command> {
    let mut command = Tool::module(Venv::Paddle, "paddle_suite")?.args(args).into_command();
    command.env("TRIDENT_PADDLE_SITE", unpacked()?);
    if Venv::Torch.is_made()? {
        command.env("TRIDENT_TORCH_SITE", Venv::Torch.site()?);
    }
    Ok(command)
}

/// The tests of the wheel that was built last, with the Paddle of an environment. A new environment has the wheel, and finds the
/// packages of the other one by a line of a `.pth` file: Paddle is large.
pub(crate) fn tests(venv: Venv, name: &str) -> Result<Command> {
    let paddle = venv.ensure()?;
    let python = python::bare(&paths::target().join("python").join(name))?;
    install(&paddle, &[python.as_ref()])?;
    let line = python::site(&paddle)?;
    let file = python::site(&python)?.join("paddle-of-another.pth");
    fs::write(file, line.into_os_string().into_encoded_bytes())?;
    let mut tests = Command::new(python);
    tests
        .args(["-m", "unit", "plugins/paddle-device/python/tests"])
        .current_dir(paths::root())
        .env("PYTHONPATH", paths::root().join("xtask/python"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env_remove("CUSTOM_DEVICE_ROOT");
    Ok(tests)
}
