//! The real Triton Inference Server: `conformance backend`, `conformance server`, `bench backend` and `bench server`.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::build::{self, Profile};
use crate::debian::{self, Needed};
use crate::python::{Tool, Venv};
use crate::tally::Outcome;
use crate::{backend, minilm, paths, printed, wants_help};

/// `cargo xtask conformance backend`.
pub(crate) fn conformance(args: &[String]) -> Result<Outcome> {
    Ok(Outcome::from(suite(Profile::Release, args)?.status()?.success()))
}

/// The suite. With `--engine reference` nothing is built: a stand-in is served.
pub(crate) fn suite(profile: Profile, args: &[String]) -> Result<Command> {
    if wants_help(args) || args.iter().any(|arg| arg.ends_with("reference")) {
        return backend_suite(args);
    }
    libraries(profile)?;
    suite_on(&build::trident(Profile::Ci)?, args)
}

/// The suite, with the libraries that were built last.
pub(crate) fn suite_on(trident: &Path, args: &[String]) -> Result<Command> {
    let mut command = backend_suite(args)?;
    command
        .env("TRIDENT", trident)
        .env("TRIDENT_BACKENDS", folder(Library::Plain))
        .env("TRIDENT_BACKENDS_PANIC", folder(Library::PanicTest));
    Ok(command)
}

fn backend_suite(args: &[String]) -> Result<Command> {
    let mut command = Tool::module(Venv::Serving, "backend_suite")?.args(args).into_command();
    if !wants_help(args) {
        command.env("TRIDENT_ONNX_CASES", cases()?).env("TRIDENT_MINILM", minilm()?);
    }
    Ok(command)
}

/// Debian packages that checks of the server need: a browser without windows, and a font for its pictures.
const BROWSER: [Needed; 2] = [
    ("/usr/bin/chromium-headless-shell", "chromium-headless-shell"),
    ("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", "fonts-dejavu-core"),
];

/// The program that checks pages of metrics.
const PROMTOOL: Needed = ("usr/bin/promtool", "prometheus");

/// Install the browser, and fetch the program that checks pages of metrics. Prometheus itself would be started as a service.
pub(crate) fn install_tools() -> Result<()> {
    debian::install(&BROWSER)?;
    debian::fetch(&PROMTOOL).map(drop)
}

/// `cargo xtask conformance server`.
pub(crate) fn conformance_server(args: &[String]) -> Result<Outcome> {
    Ok(Outcome::from(server_suite(Profile::Ci, args)?.status()?.success()))
}

fn server_suite(profile: Profile, args: &[String]) -> Result<Command> {
    if wants_help(args) {
        return Ok(Tool::module(Venv::Serving, "server_suite")?.args(args).into_command());
    }
    // CI does not build what only this group needs.
    let trident = match args.iter().any(|arg| arg == "stores") {
        true => build::trident_with(profile, "emulator,serve,stores")?,
        false => build::trident(profile)?,
    };
    library(profile, Library::Plain)?;
    // Checks that need them are skipped by name.
    if let Err(error) = install_tools() {
        println!("{error:#}");
    }
    server_suite_on(&trident, args)
}

/// The suite of `trident serve`. One group compares it with the real server and the library, and one runs clients of another environment.
pub(crate) fn server_suite_on(trident: &Path, args: &[String]) -> Result<Command> {
    let mut command = Tool::module(Venv::Serving, "server_suite")?.args(args).into_command();
    command
        .env("TRIDENT", trident)
        .env("TRIDENT_CLIENTS", Venv::Clients.ensure()?)
        .env("TRIDENT_BACKENDS", folder(Library::Plain));
    if let Some(promtool) = debian::fetched(&PROMTOOL)? {
        command.env("TRIDENT_PROMTOOL", promtool);
    }
    // CI has no checkouts of upstream's repositories.
    if args.iter().any(|arg| arg.starts_with("--suite")) {
        command.env("TRIDENT_UPSTREAM", Venv::Upstream.ensure()?);
    }
    Ok(command)
}

/// `cargo xtask bench backend`. The clients are this program.
pub(crate) fn bench(args: &[String]) -> Result<Outcome> {
    let mut command = Tool::module(Venv::Serving, "backend_bench")?.args(args).into_command();
    if !wants_help(args) {
        command
            .env("TRIDENT_MINILM", minilm()?)
            .env("TRIDENT_LOAD", std::env::current_exe()?)
            .env("TRIDENT_BACKENDS", library(Profile::Release, Library::Plain)?);
    }
    Ok(Outcome::from(command.status()?.success()))
}

/// `cargo xtask bench server`. The clients are this program. The limit is this program, too, but built as the server is.
pub(crate) fn bench_server(args: &[String]) -> Result<Outcome> {
    let mut command = Tool::module(Venv::Serving, "server_bench")?.args(args).into_command();
    if !wants_help(args) {
        command
            .env("TRIDENT_MINILM", minilm()?)
            .env("TRIDENT_LOAD", std::env::current_exe()?)
            .env("TRIDENT", build::server(Profile::Release)?)
            .env("TRIDENT_ECHO", build::own_release()?);
    }
    Ok(Outcome::from(command.status()?.success()))
}

/// The folder of generated cases of the ONNX suite. They are made in that suite's environment, on whose packages they depend.
fn cases() -> Result<String> {
    printed(Tool::module(Venv::Onnx, "onnx_suite.cached")?.into_command())
}

/// A build of the library.
#[derive(Clone, Copy)]
enum Library {
    Plain,
    /// It panics on request.
    PanicTest,
}

/// The folder that has a build of the library, under all its names.
fn folder(library: Library) -> PathBuf {
    paths::target().join(match library {
        Library::Plain => "backend",
        Library::PanicTest => "backend-panic",
    })
}

/// Build the library, and return its folder.
fn library(profile: Profile, library: Library) -> Result<PathBuf> {
    let folder = folder(library);
    let args: &[&str] = match library {
        Library::Plain => &[],
        Library::PanicTest => &["--features", "panic-test"],
    };
    backend::build(profile, &folder, &backend::NAMES, args)?;
    Ok(folder)
}

/// Build both libraries.
pub(crate) fn libraries(profile: Profile) -> Result<()> {
    library(profile, Library::Plain)?;
    library(profile, Library::PanicTest).map(drop)
}
