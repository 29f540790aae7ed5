//! `cargo xtask backend`: the backend of the Triton Inference Server, as a folder for `--backend-directory`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::build::{Profile, cargo};
use crate::paths;

const PACKAGE: &str = "trident-tritonserver";

/// The names by which configurations ask for it. By the last two, repositories of the ONNX Runtime and Paddle
/// backends start unchanged.
pub(crate) const NAMES: [&str; 4] = ["trident", "metal_mps", "onnxruntime", "paddle"];

/// Options of the command.
#[derive(Args)]
pub(crate) struct Options {
    /// The folder to write `<name>/libtriton_<name>.so` to, for each name
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Only these names
    #[arg(long, value_name = "NAME", value_delimiter = ',', default_values = NAMES)]
    names: Vec<String>,
    /// Leave out the ops that are Cargo features, `image-decoder` and `regex`
    #[arg(long)]
    no_default_features: bool,
    /// Cargo features to build with
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    features: Vec<String>,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let names: Vec<&str> = options.names.iter().map(String::as_str).collect();
    let default = options.no_default_features.then_some("--no-default-features");
    let features = options.features.iter().flat_map(|name| ["--features", name]);
    let args: Vec<&str> = default.into_iter().chain(features).collect();
    build(Profile::Release, &options.out, &names, &args)
}

/// Build the library, with further arguments for Cargo, and put it below `out` under each name.
pub(crate) fn build(profile: Profile, out: &Path, names: &[&str], args: &[&str]) -> Result<()> {
    let mut command = cargo();
    command.args(["build", "--quiet", "--locked", "--package", PACKAGE]);
    command.args(["--profile", profile.name()]).args(args);
    ensure!(command.status()?.success(), "the backend does not build");
    let (prefix, suffix) = (std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let library =
        paths::target().join(profile.name()).join(format!("{prefix}triton_trident{suffix}"));
    let mut first: Option<PathBuf> = None;
    for name in names {
        let folder = out.join(name);
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        // The server takes this suffix on every system.
        let file = folder.join(format!("libtriton_{name}.so"));
        put(first.as_deref(), &library, &file)?;
        println!("{}", file.display());
        first.get_or_insert(file);
    }
    Ok(())
}

/// Install the library as a file, as a hard link to the first one if possible. An existing file is replaced, not
/// overwritten, because servers may run it.
fn put(first: Option<&Path>, library: &Path, file: &Path) -> Result<()> {
    let part = file.with_extension("part");
    if part.exists() {
        fs::remove_file(&part)?;
    }
    let linked = first.is_some_and(|first| fs::hard_link(first, &part).is_ok());
    if !linked {
        fs::copy(library, &part).with_context(|| format!("cannot write {}", part.display()))?;
    }
    fs::rename(&part, file).with_context(|| format!("cannot replace {}", file.display()))
}
