//! The real Triton Inference Server: `conformance backend`, `conformance server`, `bench backend` and `bench server`.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::build::{self, Profile};
use crate::python::{Tool, Venv};
use crate::tally::Outcome;
use crate::{backend, minilm, paths, printed, wants_help};

/// `cargo xtask conformance backend`.
pub(crate) fn conformance(args: &[String]) -> Result<Outcome> {
    Ok(Outcome::from(suite(Profile::Release, args)?.status()?.success()))
}

/// The suite, with the library built in a profile. With `--engine reference` nothing is built: a stand-in is served.
pub(crate) fn suite(profile: Profile, args: &[String]) -> Result<Command> {
    let mut command = Tool::module(Venv::Serving, "backend_suite")?.args(args).into_command();
    if !wants_help(args) {
        command.env("TRIDENT_ONNX_CASES", cases()?).env("TRIDENT_MINILM", minilm()?);
        if !args.iter().any(|arg| arg.ends_with("reference")) {
            command
                .env("TRIDENT", build::trident(Profile::Ci)?)
                .env("TRIDENT_BACKENDS", library(profile, false)?)
                .env("TRIDENT_BACKENDS_PANIC", library(profile, true)?);
        }
    }
    Ok(command)
}

/// `cargo xtask conformance server`.
pub(crate) fn conformance_server(args: &[String]) -> Result<Outcome> {
    Ok(Outcome::from(server_suite(Profile::Ci, args)?.status()?.success()))
}

/// The suite of `trident serve`. One group compares it with the real server and the library, and one runs clients of another environment.
pub(crate) fn server_suite(profile: Profile, args: &[String]) -> Result<Command> {
    let mut command = Tool::module(Venv::Serving, "server_suite")?.args(args).into_command();
    if !wants_help(args) {
        // CI does not build what only this group needs.
        let trident = match args.iter().any(|arg| arg == "stores") {
            true => build::trident_with(profile, "emulator,serve,stores")?,
            false => build::trident(profile)?,
        };
        command
            .env("TRIDENT", trident)
            .env("TRIDENT_CLIENTS", Venv::Clients.ensure()?)
            .env("TRIDENT_BACKENDS", library(profile, false)?);
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
            .env("TRIDENT_BACKENDS", library(Profile::Release, false)?);
    }
    Ok(Outcome::from(command.status()?.success()))
}

/// `cargo xtask bench server`. The clients and the limit are this program.
pub(crate) fn bench_server(args: &[String]) -> Result<Outcome> {
    let mut command = Tool::module(Venv::Serving, "server_bench")?.args(args).into_command();
    if !wants_help(args) {
        command
            .env("TRIDENT_MINILM", minilm()?)
            .env("TRIDENT_LOAD", std::env::current_exe()?)
            .env("TRIDENT", build::server(Profile::Release)?);
    }
    Ok(Outcome::from(command.status()?.success()))
}

/// The folder of generated cases of the ONNX suite. They are made in that suite's environment, on whose packages they depend.
fn cases() -> Result<String> {
    printed(Tool::module(Venv::Onnx, "onnx_suite.cached")?.into_command())
}

/// The library under all its names, with panics on request or without.
fn library(profile: Profile, panic_test: bool) -> Result<PathBuf> {
    let (name, args): (_, &[&str]) = match panic_test {
        true => ("backend-panic", &["--features", "panic-test"]),
        false => ("backend", &[]),
    };
    let folder = paths::target().join(name);
    backend::build(profile, &folder, &backend::NAMES, args)?;
    Ok(folder)
}
