//! Debian's packages. Its Rust toolchain includes the sources of the standard library, so it builds for systems and
//! processors for which the pinned toolchain has no standard library.

use std::fmt;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::paths;
use crate::test::arguments;

/// A file of a package, and the package.
pub(crate) type Needed = (&'static str, &'static str);

/// The toolchain.
pub(crate) const RUST: [Needed; 3] = [
    ("/usr/bin/cargo", "cargo-web"),
    ("/usr/bin/rustc", "rustc-web"),
    ("/usr/lib/rustlib/src/rust/library/Cargo.toml", "rust-web-src"),
];

/// A need of a command that cannot be installed: the program ends with status 2.
#[derive(Debug)]
pub(crate) struct Missing(pub(crate) String);

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Missing {}

/// Wait until no other step installs packages: apt-get fails beside another one.
pub(crate) fn lock() -> Result<File> {
    let lock = File::create(paths::cache()?.join("debian.lock"))?;
    lock.lock()?;
    Ok(lock)
}

/// Install the packages whose file is missing, which takes root.
pub(crate) fn install(needed: &[Needed]) -> Result<()> {
    let _lock = lock()?;
    let missing: Vec<&str> =
        needed.iter().filter(|(file, _)| !Path::new(file).exists()).map(|n| n.1).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let list = missing.join(" ");
    println!("installing {list}");
    for line in ["update --quiet", "install --yes --quiet --no-install-recommends"] {
        let mut apt = arguments(Command::new("apt-get"), line);
        if line.starts_with("install") {
            apt.args(&missing);
        }
        let reason = match apt.status() {
            Ok(status) if status.success() => continue,
            Ok(_) => "apt-get failed".to_owned(),
            Err(error) => format!("apt-get does not run: {error}"),
        };
        bail!(Missing(format!(
            "{reason}; install Debian's packages {list} (as root: apt-get update && apt-get install {list})"
        )));
    }
    Ok(())
}

/// The file of a package that was fetched.
pub(crate) fn fetched((file, package): &Needed) -> Result<Option<PathBuf>> {
    Ok(Some(folder(package)?.join(file)).filter(|file| file.exists()))
}

fn folder(package: &str) -> Result<PathBuf> {
    Ok(paths::cache()?.join(format!("debian-{package}")))
}

/// Fetch a file of a package into the cache, without installing the package, which may start a service.
pub(crate) fn fetch(needed: &Needed) -> Result<PathBuf> {
    let _lock = lock()?;
    if let Some(fetched) = fetched(needed)? {
        return Ok(fetched);
    }
    let (file, package) = *needed;
    let folder = folder(package)?;
    println!("fetching {package}");
    let temporary = folder.with_extension("new");
    for stale in [&folder, &temporary] {
        if stale.exists() {
            fs::remove_dir_all(stale)?;
        }
    }
    fs::create_dir_all(&temporary)?;
    let run = |program: &str, line: &str| -> Result<()> {
        let mut command = arguments(Command::new(program), line);
        match command.current_dir(&temporary).status() {
            Ok(status) if status.success() => Ok(()),
            Ok(_) => {
                bail!(Missing(format!("{program} failed to fetch Debian's package {package}")))
            }
            Err(error) => bail!(Missing(format!("{program} does not run: {error}"))),
        }
    };
    run("apt-get", "update --quiet")?;
    run("apt-get", &format!("download --quiet {package}"))?;
    for entry in fs::read_dir(&temporary)? {
        let archive = entry?.path();
        if archive.extension().is_some_and(|ending| ending == "deb") {
            run("dpkg-deb", &format!("--extract {} .", archive.display()))?;
            fs::remove_file(archive)?;
        }
    }
    fs::rename(&temporary, &folder)?;
    let missing = || Missing(format!("Debian's package {package} has no file {file}"));
    fetched(needed)?.with_context(missing)
}

/// The toolchain's Cargo, in the root of the checkout, with a target folder of its own below the pinned one's.
pub(crate) fn cargo(target: &str) -> Command {
    let mut command = Command::new("/usr/bin/cargo");
    command.current_dir(paths::root());
    toolchain(&mut command, target);
    command
}

/// Let a command that calls Cargo call the toolchain's.
pub(crate) fn toolchain(command: &mut Command, target: &str) {
    command
        .env("CARGO_TARGET_DIR", paths::target().join(target))
        .env("RUSTC", "/usr/bin/rustc")
        // `-Zbuild-std`.
        .env("RUSTC_BOOTSTRAP", "1")
        // Set by the Cargo that runs this program, for itself.
        .env_remove("CARGO")
        .env_remove("RUSTUP_TOOLCHAIN");
}
