//! Programs from Debian's packages.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::test::arguments;

/// Install the packages whose files are missing: pairs of a file and the package that has it.
pub(crate) fn install(needed: &[(&str, &str)]) -> Result<()> {
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
        let status = apt.status();
        let status = status.with_context(|| format!("install Debian's packages {list} first"))?;
        ensure!(status.success(), "apt-get failed; install Debian's packages {list} first");
    }
    Ok(())
}
