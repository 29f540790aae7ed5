//! The command line of Trident: the program `trident`, and `python -m trident`.

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
mod progress;
mod random;
mod render;
mod repository;
mod scalar;
#[cfg(feature = "serve")]
mod serve;
#[cfg(not(feature = "serve"))]
#[path = "serve/absent.rs"]
mod serve;

pub use progress::while_loading;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use failure::Failure;
use std::ffi::OsString;
use std::io::{self, Write};
use trident_runtime::PoolSettings;

const EXAMPLES: &str = "\
Examples:
  trident run digits.onnx --input 7.png            classify an image
  trident run bert.onnx --input ids=ids.npy --input mask=mask.npy --output out.npz
  trident run model.onnx --input random --shape x=1x3x224x224
  trident inspect model.onnx                       show inputs, outputs, ops and the plan
  trident bench model.onnx --threads 2 --profile   measure speed, and the time of each op
  trident compile model.onnx --emit mps -o model.mps   write the optimised model to a file
  trident convert inference.json model.onnx        write a Paddle model as ONNX
  trident run add.ttir --grid 8 --arg x=@x.npy --arg y=zeros:8192 --arg n=8000
  trident serve models                             serve a repository of models
  trident monitor                                  show what the server does
  trident devices                                  list the devices of this machine

Exit status: 0: success. 1: a device refused the model or kernel, or its run failed. 2: wrong usage, files or inputs.";

/// Runs ONNX models and Triton kernels on CPUs and Apple GPUs.
#[derive(Parser)]
#[command(name = "trident", version, after_help = EXAMPLES, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a model, or launch a Triton kernel
    Run(commands::run::Args),
    /// Show the contents and the plan of a model, or check a model repository
    Inspect(commands::inspect::Args),
    /// Write an optimised model, or show the code of a Triton kernel
    Compile(commands::compile::Args),
    /// Write a model as an ONNX file, for ONNX Runtime and other tools
    Convert(commands::convert::Args),
    /// Measure latency and throughput
    Bench(commands::bench::Args),
    /// Serve a repository of models to clients of the Triton Inference Server and of KServe
    Serve(Box<serve::Args>),
    /// Show what a server does now
    Monitor(serve::monitor::Args),
    /// List devices
    Devices(commands::devices::Args),
    /// Serve requests of the test suites, one a line
    #[command(hide = true)]
    Worker(commands::worker::Args),
}

/// Runs a command line, whose first word is the program's name, and gives the exit status. Messages go to standard output and
/// standard error.
///
/// Ctrl-C must have its default effect, which ends the process. A command may change the panic hook, and end the process when
/// a time limit is over, so nothing else should run in it.
pub fn run(words: impl IntoIterator<Item = OsString>) -> u8 {
    let words = match serve::expand(words.into_iter().collect()) {
        Ok(words) => words,
        Err(failure) => return failure.report(),
    };
    let status = match parse(words) {
        Ok(cli) => cli.command.run(),
        Err(error) => {
            // A message that cannot be written has no reader.
            let _ = error.print();
            u8::try_from(error.exit_code()).unwrap_or(2)
        }
    };
    // The runtime of Rust does this at the end of `main`, and not for a library. Commands report their own failures.
    let _ = io::stdout().flush();
    status
}

/// Reads a command line.
fn parse(words: Vec<OsString>) -> Result<Cli, clap::Error> {
    let mut command = Cli::command();
    if let Some(usage) = serve::usage(&words) {
        command = command.mut_subcommand("serve", |serve| serve.override_usage(usage));
    }
    let mut matches = command.try_get_matches_from_mut(words)?;
    Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
}

impl Command {
    fn run(&self) -> u8 {
        match PoolSettings::from_environment() {
            Ok(settings) => settings.install(),
            Err(error) => return Failure::usage(error).report(),
        }
        let result = match self {
            Command::Run(args) => commands::run::run(args),
            Command::Inspect(args) => commands::inspect::run(args),
            Command::Compile(args) => commands::compile::run(args),
            Command::Convert(args) => commands::convert::run(args),
            Command::Bench(args) => commands::bench::run(args),
            Command::Serve(args) => serve::run(args),
            Command::Monitor(args) => serve::monitor::run(args),
            Command::Devices(args) => commands::devices::run(args),
            Command::Worker(args) => commands::worker::run(args),
        };
        match result {
            Ok(()) => 0,
            Err(failure) => failure.report(),
        }
    }
}

#[cfg(all(test, feature = "serve"))]
mod tests {
    use super::*;

    #[test]
    fn the_usage_has_the_name_that_was_typed() {
        let usage = |program: &str, words: &[&str]| {
            let words = [program].iter().chain(words).map(OsString::from).collect();
            let error = parse(serve::expand(words).unwrap()).err().unwrap().to_string();
            error.lines().find(|line| line.starts_with("Usage: ")).unwrap().to_owned()
        };
        let link = "Usage: tritonserver [OPTIONS] [REPOSITORY]...";
        assert_eq!(usage("/opt/bin/tritonserver", &["--help"]), link);
        assert_eq!(usage("tritonserver", &["--no-such-option"]), link);
        let own = "Usage: trident serve [OPTIONS] [REPOSITORY]...";
        assert_eq!(usage("trident", &["serve", "--help"]), own);
    }
}
