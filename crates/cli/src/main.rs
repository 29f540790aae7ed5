//! The command `trident`.

mod commands;
mod failure;
mod input;
mod kernel;
mod labels;
mod limits;
mod model;
mod output;
#[cfg(test)]
mod pages;
mod preprocess;
mod random;
mod render;
mod repository;
mod scalar;

use clap::{Parser, Subcommand};
use failure::Failure;
use std::process::ExitCode;
use trident_runtime::PoolSettings;

const EXAMPLES: &str = "\
Examples:
  trident run digits.onnx --input 7.png            classify an image
  trident run bert.onnx --input ids=ids.npy --input mask=mask.npy --output out.npz
  trident run model.onnx --input random --shape x=1x3x224x224
  trident inspect model.onnx                       what is in it and how it will run
  trident bench model.onnx --threads 2 --profile   how fast it runs, and where the time goes
  trident compile model.onnx --emit mps -o model.mps   the model after its optimisations
  trident run add.ttir --grid 8 --arg x=@x.npy --arg y=zeros:8192 --arg n=8000
  trident devices                                  what this machine offers

Exit status: 0 success; 1 the model or kernel failed to plan or to run; 2 wrong usage, files or inputs.";

/// Runs ONNX models and Triton kernels on CPUs and Apple GPUs.
#[derive(Parser)]
#[command(name = "trident", version, about, after_help = EXAMPLES, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a model once, or launch a kernel
    Run(commands::run::Args),
    /// Show what is in a model and how it will run, or check a repository
    Inspect(commands::inspect::Args),
    /// Write a model after its optimisations, or show what a Triton kernel becomes
    Compile(commands::compile::Args),
    /// Measure latency and throughput
    Bench(commands::bench::Args),
    /// List devices
    Devices(commands::devices::Args),
    /// Serve requests of the test suites, one a line
    #[command(hide = true)]
    Worker(commands::worker::Args),
}

fn main() -> ExitCode {
    let command = Cli::parse().command;
    match PoolSettings::from_environment() {
        Ok(settings) => settings.install(),
        Err(error) => return Failure::usage(error).report(),
    }
    let result = match command {
        Command::Run(args) => commands::run::run(&args),
        Command::Inspect(args) => commands::inspect::run(&args),
        Command::Compile(args) => commands::compile::run(&args),
        Command::Bench(args) => commands::bench::run(&args),
        Command::Devices(args) => commands::devices::run(&args),
        Command::Worker(args) => commands::worker::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
