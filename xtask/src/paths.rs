//! Where things are: the checkout, Cargo's output, and the cache outside the checkout.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The root of the checkout.
pub(crate) fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here)
}

/// Cargo's target folder.
pub(crate) fn target() -> PathBuf {
    match env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root().join(folder),
        None => root().join("target"),
    }
}

/// The folder for environments, generated cases and models: `$XDG_CACHE_HOME/trident`, by default
/// `~/.cache/trident`. It is made if missing.
pub(crate) fn cache() -> Result<PathBuf> {
    let base = match env::var_os("XDG_CACHE_HOME").filter(|folder| !folder.is_empty()) {
        Some(folder) => PathBuf::from(folder),
        None => env::home_dir().context("no home folder; set XDG_CACHE_HOME")?.join(".cache"),
    };
    let cache = base.join("trident");
    std::fs::create_dir_all(&cache).with_context(|| format!("cannot make {}", cache.display()))?;
    Ok(cache)
}
