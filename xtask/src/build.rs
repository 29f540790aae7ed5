//! Building the `trident` binary.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, ensure};

use crate::paths;

/// A Cargo profile.
#[derive(Clone, Copy)]
pub(crate) enum Profile {
    /// What users run.
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

/// Build `trident` and return the binary's path.
pub(crate) fn trident(profile: Profile) -> Result<PathBuf> {
    let args = ["build", "--quiet", "--package", "trident-cli", "--profile", profile.name()];
    ensure!(cargo().args(args).status()?.success(), "trident does not build");
    Ok(trident_path(profile))
}

/// Where Cargo puts the `trident` binary.
pub(crate) fn trident_path(profile: Profile) -> PathBuf {
    let name = format!("trident{}", std::env::consts::EXE_SUFFIX);
    paths::target().join(profile.name()).join(name)
}

/// Build the program that measures other engines, in the cache, since it is no part of the
/// workspace and outlives checkouts. The first time takes minutes.
pub(crate) fn peers() -> Result<PathBuf> {
    let target = paths::cache()?.join("peers-target");
    let manifest = paths::root().join("xtask/peers/Cargo.toml");
    let status = cargo()
        .args(["build", "--release", "--locked", "--manifest-path"])
        .arg(manifest)
        .arg("--target-dir")
        .arg(&target)
        .status()?;
    ensure!(status.success(), "xtask/peers does not build");
    Ok(target.join("release").join(format!("peers{}", std::env::consts::EXE_SUFFIX)))
}
