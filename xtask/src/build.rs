//! Building the `trident` binary.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::paths;
use crate::python::Venv;
use crate::tally::Outcome;

/// A Cargo profile.
#[derive(Clone, Copy)]
pub(crate) enum Profile {
    /// The build that users run.
    Release,
    /// Optimised, with overflow and debug checks.
    Ci,
}

impl Profile {
    /// The profile's name, which is also its folder below `target`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Profile::Release => "release",
            Profile::Ci => "ci",
        }
    }
}

/// A Cargo command in the root of the checkout.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(paths::root());
    command
}

/// Build `trident` and return the binary's path. The one for tests has the emulated Metal device and the server.
pub(crate) fn trident(profile: Profile) -> Result<PathBuf> {
    trident_with(
        profile,
        match profile {
            Profile::Ci => "emulator,serve",
            Profile::Release => "",
        },
    )
}

/// Build this program as users' builds are, and return the binary's path.
pub(crate) fn own_release() -> Result<PathBuf> {
    let args = ["build", "--quiet", "--package", "xtask", "--profile", Profile::Release.name()];
    ensure!(cargo().args(args).status()?.success(), "xtask does not build");
    let name = format!("xtask{}", std::env::consts::EXE_SUFFIX);
    Ok(paths::target().join(Profile::Release.name()).join(name))
}

/// Build `trident` with its server and return the binary's path.
pub(crate) fn server(profile: Profile) -> Result<PathBuf> {
    trident_with(profile, "serve")
}

/// Build `trident` with these features and return the binary's path.
pub(crate) fn trident_with(profile: Profile, features: &str) -> Result<PathBuf> {
    let args = ["build", "--quiet", "--package", "trident-cli", "--features", features];
    let status = cargo().args(args).args(["--profile", profile.name()]).status()?;
    ensure!(status.success(), "trident does not build");
    Ok(trident_path(profile))
}

/// Copy a `trident` binary to where builds with other features do not replace it.
pub(crate) fn keep(binary: &Path) -> Result<()> {
    let kept = kept();
    fs::create_dir_all(kept.parent().context("a file without a folder")?)?;
    fs::copy(binary, &kept).with_context(|| format!("cannot write {}", kept.display()))?;
    Ok(())
}

/// The binary that was kept last.
pub(crate) fn kept() -> PathBuf {
    paths::target().join(format!("tested/trident{}", std::env::consts::EXE_SUFFIX))
}

/// Where Cargo puts the `trident` binary.
pub(crate) fn trident_path(profile: Profile) -> PathBuf {
    let name = format!("trident{}", std::env::consts::EXE_SUFFIX);
    paths::target().join(profile.name()).join(name)
}

/// Build the device plug-in of Paddle, and return the folder that has the library and nothing else, for `CUSTOM_DEVICE_ROOT`.
pub(crate) fn paddle_device(profile: Profile) -> Result<PathBuf> {
    let args = ["build", "--quiet", "--package", "trident-paddle-device"];
    let status = cargo().args(args).args(["--profile", profile.name()]).status()?;
    ensure!(status.success(), "the device plug-in of Paddle does not build");
    let (prefix, suffix) = (std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let name = format!("{prefix}trident_paddle_device{suffix}");
    let folder = paths::target().join(format!("paddle-device/{}", profile.name()));
    fs::create_dir_all(&folder)?;
    let built = paths::target().join(profile.name()).join(&name);
    fs::copy(&built, folder.join(&name))
        .with_context(|| format!("cannot copy {}", built.display()))?;
    Ok(folder)
}

/// The devices that the Python package can run kernels on.
#[derive(Clone, Copy)]
pub(crate) enum Devices {
    /// The devices that users have.
    Default,
    /// The emulated Metal device too.
    Emulated,
}

/// The folder of the Python package: `wheels` has the wheel, and `site` the unpacked package.
pub(crate) fn python_folder(profile: Profile, devices: Devices) -> PathBuf {
    let suffix = match devices {
        Devices::Default => "",
        Devices::Emulated => "-emulator",
    };
    paths::target().join("python").join(format!("{}{suffix}", profile.name()))
}

/// Build the Python package and unpack it below `target`; the folder belongs on `PYTHONPATH`, where
/// Triton finds the package's entry point as in an installed one. The environment stays as it is,
/// so that checkouts can share it.
pub(crate) fn python_package(venv: Venv, profile: Profile, devices: Devices) -> Result<PathBuf> {
    let python = venv.ensure()?;
    let features: &[&str] = match devices {
        Devices::Default => &[],
        Devices::Emulated => &["--features", "emulator"],
    };
    let folder = python_folder(profile, devices);
    let (wheels, package) = (folder.join("wheels"), folder.join("site"));
    for stale in [&wheels, &package] {
        if stale.exists() {
            fs::remove_dir_all(stale)?;
        }
    }
    let built = Command::new(&python)
        .current_dir(paths::root())
        .args(["-m", "maturin", "build", "--quiet", "--profile", profile.name()])
        .args(features)
        .arg("--out")
        .arg(&wheels)
        .status()?;
    ensure!(built.success(), "the Python package does not build");
    let wheel = fs::read_dir(&wheels)?.next().context("maturin made no wheel")??.path();
    let installed = Command::new(&python)
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"])
        .args(["--no-index", "--target"])
        .args([&package, &wheel])
        .status()?;
    ensure!(installed.success(), "pip cannot unpack {}", wheel.display());
    Ok(package)
}

/// Programs that measure what the benchmarks compare with. They lie in the cache, since they are no
/// part of the workspace and outlive checkouts.
#[derive(Clone, Copy)]
pub(crate) enum Peer {
    /// Models with rten and tract.
    Models,
    /// Matrix products with the `gemm` crate.
    Gemm,
}

impl Peer {
    /// Build the program and return its path. The first time takes minutes.
    pub(crate) fn build(self) -> Result<PathBuf> {
        let (folder, program) = match self {
            Peer::Models => ("peers", "peers"),
            Peer::Gemm => ("gemm", "gemm-peer"),
        };
        project(folder, program, &paths::cache()?.join(format!("{folder}-target")))
    }
}

/// Build the program that measures the pool of buffers. It is a separate project because it uses mimalloc.
pub(crate) fn pool_bench() -> Result<Command> {
    Ok(Command::new(project("pool", "pool-bench", &paths::target().join("pool-bench"))?))
}

/// Record what runs of two models, a convolutional network and a transformer, take from pools: what that program replays.
pub(crate) fn record_pool(models: &[String]) -> Result<Outcome> {
    let traces = paths::root().join("xtask/pool/traces");
    let status = cargo()
        .args(["run", "--quiet", "--profile", Profile::Ci.name(), "--package", "trident-engine"])
        .args(["--features", "trace", "--example", "record_pool", "--"])
        .arg(traces)
        .args(models)
        .status()?;
    Ok(Outcome::from(status.success()))
}

/// Build the program that measures models beside each other, and return its path.
pub(crate) fn neighbours() -> Result<PathBuf> {
    let args = ["build", "--release", "--package", "trident-serving", "--example", "neighbours"];
    ensure!(cargo().args(args).status()?.success(), "the example `neighbours` does not build");
    let name = format!("neighbours{}", std::env::consts::EXE_SUFFIX);
    Ok(paths::target().join("release/examples").join(name))
}

/// Build a project outside of the workspace and return its program's path.
fn project(folder: &str, program: &str, target: &Path) -> Result<PathBuf> {
    let manifest = paths::root().join("xtask").join(folder).join("Cargo.toml");
    let status = cargo()
        .args(["build", "--release", "--locked", "--manifest-path"])
        .arg(manifest)
        .arg("--target-dir")
        .arg(target)
        .status()?;
    ensure!(status.success(), "xtask/{folder} does not build");
    Ok(target.join("release").join(format!("{program}{}", std::env::consts::EXE_SUFFIX)))
}
