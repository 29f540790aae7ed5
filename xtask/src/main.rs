//! The project's own commands: `cargo xtask test`, `sanitize`, `darwin`, `conformance`, `bench`, `backend`, `fuzz`, `env`.
//!
//! Suites, fuzzer and benchmarks are Python programs under `xtask/python`; this binary makes their
//! environments, builds what they drive, and adds up what they report.

mod backend;
mod build;
mod codegen;
mod darwin;
mod debian;
mod demo;
mod echo;
mod foreign;
mod free_threaded;
mod fresh;
mod fuzz;
mod house;
mod load;
mod mock;
mod msl;
mod paddle_headers;
mod paths;
mod processors;
mod python;
mod sanitize;
mod steps;
mod tally;
mod test;
mod tritonserver;
mod wheel;
mod whole;

use std::path::Path;
use std::process::{self, ExitCode};

use anyhow::{Result, ensure};
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::build::{Devices, Peer, Profile};
use crate::fuzz::Format;
use crate::python::{Tool, Venv};
use crate::steps::Choice;
use crate::tally::Outcome;
use crate::test::Tier;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "The project's own commands")]
struct Cli {
    /// Run only this step of a command that has steps, in this process
    #[arg(long, hide = true, value_name = "NAME")]
    step: Option<String>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Install missing tools, and check format, lints, Rust and Python tests, and the ONNX suite on the CPU
    Test {
        /// Check everything, as CI does: also other processors, macOS, sanitizers, the examples and more suites
        #[arg(long, conflicts_with = "target")]
        all: bool,
        /// Run only steps whose name has this text, and those that build what they need; may be given several times
        #[arg(long, value_name = "STEP", conflicts_with = "target")]
        only: Vec<String>,
        /// Run only the Rust tests of the CPU's crates, for this processor, under QEMU
        #[arg(long)]
        target: Option<foreign::Target>,
    },
    /// Look for errors that plain tests do not show: out-of-bounds accesses (AddressSanitizer), errors that only some orders
    /// of threads show (models), and wrong results on narrower instruction sets
    Sanitize {
        /// Only this part
        part: Option<sanitize::Part>,
    },
    /// Compile every crate for macOS on arm64 and link the programs, from Linux
    Darwin {
        /// Make the wheel of the Python package, too
        #[arg(long)]
        wheel: bool,
    },
    /// Run the code that calls Metal on a Mac against a mock of Metal, on Linux
    Mock,
    /// Run a conformance suite, and compare failures with the list of known ones
    Conformance {
        suite: Suite,
        #[command(flatten)]
        args: ToolArgs,
    },
    /// Measure Trident beside other engines
    Bench {
        subject: Subject,
        #[command(flatten)]
        args: ToolArgs,
    },
    /// Serve the models of the examples: digits, and the sentence search, which is made on first use
    Serve {
        #[command(flatten)]
        args: ToolArgs,
    },
    /// Build the backend of the Triton Inference Server, as a folder for its `--backend-directory`
    Backend(backend::Options),
    /// Run mutated models and tensors; with `triton`, read damaged Triton IR; with `mps`, load damaged compiled models;
    /// with `calls`, call the Python package in mutated sequences. An error is fine, a crash or a hang is not
    Fuzz {
        #[command(flatten)]
        args: ToolArgs,
    },
    /// The clients of `bench backend` and `bench server`
    #[command(hide = true)]
    Load(load::Options),
    /// The limit of `bench server`
    #[command(hide = true)]
    Echo(echo::Options),
    /// Write the files that are generated from the op table
    Codegen,
    /// Write the table of kernel signatures of the Paddle device, from Paddle's wheels
    PaddleHeaders(paddle_headers::Options),
    /// Build a package of its own beside the Python package, as a wheel
    Wheel(wheel::Options),
    /// Count patterns that the code should lose, and compare each count with its limit, which may only fall
    House(house::Options),
    /// Make the Python environments and print their interpreters
    Env {
        /// Only this one
        name: Option<Venv>,
    },
}

/// Options of the Python program that a command runs; `--help` after the command lists them.
#[derive(Args)]
#[command(disable_help_flag = true)]
struct ToolArgs {
    /// Options of the program, see `--help` after the command
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPTIONS")]
    args: Vec<String>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Suite {
    /// The ONNX backend suite
    Onnx,
    /// Upstream Triton's tests, with the Python package as its back end
    Triton,
    /// Functions under PyTorch's `torch.compile`, with the Python package as Inductor's Triton
    Torch,
    /// Kernels as Metal programs in the checked emulator; needs clang 22
    Msl,
    /// The backend library in a real Triton Inference Server
    Backend,
    /// The files that deploy the server
    Deploy,
    /// The server beside recorded answers of the Triton Inference Server, and with clients that others wrote
    Server,
    /// Small cases at the edges of the standard, beside outside references
    Edges,
    /// ONNX Runtime's own Python tests on `trident.onnxruntime`
    OrtPython,
    /// Programs that carry their models, on ONNX Runtime and on `trident.onnxruntime`
    Apps,
    /// Servers on three nodes of a Ray cluster, behind Envoy
    Cluster,
    /// Paddle's models beside Paddle itself
    Paddle,
}

#[derive(Clone, Copy, ValueEnum)]
enum Subject {
    /// Whole models
    Models,
    /// How long models take to load, as ONNX files and compiled
    Load,
    /// Short requests beside models whose runs take seconds, in one scheduler
    Neighbours,
    /// Calls of models from Python
    Calls,
    /// Triton kernels
    Kernels,
    /// Metal programs on an NVIDIA GPU beside Triton's own code; needs clang 22
    Msl,
    /// The pool of buffers beside mimalloc
    Pool,
    /// The backend library beside other backends of a real Triton Inference Server
    Backend,
    /// `trident serve` beside a real Triton Inference Server
    Server,
    /// Paddle's models beside Paddle and ONNX Runtime
    Paddle,
}

fn main() -> ExitCode {
    match run(Cli::parse()) {
        Ok(Outcome::Success) => ExitCode::SUCCESS,
        Ok(Outcome::Failure) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            if error.is::<debian::Missing>() { ExitCode::from(2) } else { ExitCode::FAILURE }
        }
    }
}

fn run(Cli { step, command }: Cli) -> Result<Outcome> {
    let choice = |only| step.map_or(Choice::Named(only), Choice::One);
    match command {
        Command::Test { target: Some(target), .. } => foreign::run(target, choice(vec![])),
        Command::Test { all, only, .. } => {
            test::run(if all { Tier::All } else { Tier::Quick }, choice(only))
        }
        Command::Sanitize { part } => sanitize::run(part, choice(vec![])),
        Command::Mock => mock::run(choice(vec![])),
        Command::Serve { args } => demo::run(&args.args),
        Command::Backend(options) => backend::run(&options).map(|()| Outcome::Success),
        Command::Darwin { wheel } => darwin::run(wheel).map(|()| Outcome::Success),
        Command::Conformance { suite: Suite::Onnx, args } => onnx(&args.args),
        Command::Conformance { suite: Suite::Edges, args } => {
            // One group exports models from PyTorch, whose environment is large: it is skipped without it.
            let venv = if Venv::Torch.is_made()? { Venv::Torch } else { Venv::Onnx };
            run_tool(venv, Profile::Ci, "edge_suite", &args.args)
        }
        Command::Conformance { suite: Suite::Triton, args } => {
            with_package(Venv::Torch, "triton_suite", &args.args, &[])
        }
        Command::Conformance { suite: Suite::Torch, args } => {
            with_package(Venv::Torch, "torch_compile.check", &args.args, &[])
        }
        Command::Conformance { suite: Suite::OrtPython, args } => {
            with_package(Venv::Ort, "ort_suite", &args.args, &[])
        }
        Command::Conformance { suite: Suite::Msl, args } => msl::conformance(&args.args),
        Command::Conformance { suite: Suite::Backend, args } => {
            tritonserver::conformance(&args.args)
        }
        Command::Conformance { suite: Suite::Server, args } => {
            tritonserver::conformance_server(&args.args)
        }
        Command::Conformance { suite: Suite::Apps, args } => apps(&args.args),
        Command::Conformance { suite: Suite::Cluster, args } => cluster(&args.args),
        Command::Conformance { suite: Suite::Paddle, args } => paddle(&args.args),
        Command::Bench { subject: Subject::Paddle, args } => {
            let status = paddle_tool("paddle_bench", Profile::Release, &args.args)?.status()?;
            Ok(Outcome::from(status.success()))
        }
        Command::Conformance { suite: Suite::Deploy, args } => {
            let args = [&[test::DEPLOY.to_owned()], &args.args[..]].concat();
            run_tool(Venv::Deploy, Profile::Ci, "unit", &args)
        }
        Command::Bench { subject: Subject::Backend, args } => tritonserver::bench(&args.args),
        Command::Bench { subject: Subject::Server, args } => tritonserver::bench_server(&args.args),
        Command::Bench { subject: Subject::Msl, args } => msl::bench(&args.args),
        Command::Bench { subject: Subject::Pool, args }
            if args.args.first().is_some_and(|arg| arg == "--record") =>
        {
            build::record_pool(&args.args[1..])
        }
        Command::Bench { subject: Subject::Pool, args } => {
            let status = build::pool_bench()?.args(&args.args).status()?;
            Ok(Outcome::from(status.success()))
        }
        Command::Bench { subject: Subject::Models, args } => {
            bench_models("model_bench", &[("TRIDENT_PEERS", Peer::Models)], &args.args)
        }
        Command::Bench { subject: Subject::Load, args } => {
            bench_models("model_bench.load", &[], &args.args)
        }
        Command::Bench { subject: Subject::Neighbours, args } => {
            let tool = Tool::module(Venv::Onnx, "model_bench.neighbours")?.args(&args.args);
            let mut command = tool.into_command();
            if !wants_help(&args.args) {
                command.env("TRIDENT_NEIGHBOURS", build::neighbours()?);
            }
            Ok(Outcome::from(command.status()?.success()))
        }
        Command::Bench { subject: Subject::Calls, args } => {
            with_package(Venv::Triton, "call_bench", &args.args, &[])
        }
        Command::Bench { subject: Subject::Kernels, args } => {
            let peers = [("TRIDENT_GEMM", Peer::Gemm)];
            with_package(Venv::Torch, "kernel_bench", &args.args, &peers)
        }
        Command::Fuzz { args } => match args.args.first().and_then(|n| Format::by_name(n)) {
            Some(format) => format.run(&args.args),
            None if args.args.first().is_some_and(|form| form == "calls") => {
                fuzz::calls(&args.args[1..])
            }
            None => run_tool(Venv::Onnx, Profile::Ci, "fuzz", &args.args),
        },
        Command::Codegen => codegen::write().map(|()| Outcome::Success),
        Command::PaddleHeaders(options) => paddle_headers::run(&options).map(|()| Outcome::Success),
        Command::Wheel(options) => wheel::run(&options).map(|()| Outcome::Success),
        Command::House(options) => house::run(&options),
        Command::Load(options) => load::run(&options).map(|()| Outcome::Success),
        Command::Echo(options) => echo::run(&options).map(|()| Outcome::Success),
        Command::Env { name } => {
            for venv in name.map_or_else(Venv::all, |venv| vec![venv]) {
                println!("{}", venv.ensure()?.display());
            }
            Ok(Outcome::Success)
        }
    }
}

/// Prepare a comparison of models and run it: make the MiniLM model and `peers`, and set the variables that locate
/// them.
fn bench_models(module: &str, peers: &[(&str, Peer)], args: &[String]) -> Result<Outcome> {
    if wants_help(args) {
        return run_tool(Venv::Onnx, Profile::Release, module, args);
    }
    let tool = Tool::module(Venv::Onnx, module)?.args(args);
    let mut command = tool.trident(Some(&build::trident(Profile::Release)?)).into_command();
    command.env("TRIDENT_MINILM", minilm()?);
    for (variable, peer) in peers {
        command.env(variable, peer.build()?);
    }
    Ok(Outcome::from(command.status()?.success()))
}

/// The ONNX suite, by itself or in batches.
fn onnx(args: &[String]) -> Result<Outcome> {
    if wants_help(args) || !args.iter().any(|arg| arg == "--batched") {
        return run_tool(Venv::Onnx, Profile::Ci, "onnx_suite", args);
    }
    let binary = build::trident(Profile::Ci)?;
    Ok(Outcome::from(batches(&binary, args)?.status()?.success()))
}

/// The suite that compares rows in batches with rows alone, with the MiniLM model.
pub(crate) fn batches(binary: &Path, args: &[String]) -> Result<process::Command> {
    let tool = Tool::module(Venv::Onnx, "onnx_suite")?.args(args).trident(Some(binary));
    let mut command = tool.into_command();
    command.env("TRIDENT_MINILM", minilm()?);
    Ok(command)
}

/// The path of the MiniLM model, which is exported to the cache on first use.
pub(crate) fn minilm() -> Result<String> {
    let export = paths::root().join("examples/minilm/export.py");
    printed(Tool::script(Venv::Examples, &export)?.into_command())
}

/// The one line that a program prints.
pub(crate) fn printed(mut command: process::Command) -> Result<String> {
    let done = command.output()?;
    ensure!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let text = String::from_utf8(done.stdout)?;
    Ok(text.lines().last().unwrap_or_default().trim().to_owned())
}

pub(crate) fn wants_help(args: &[String]) -> bool {
    args.iter().any(|arg| arg == "--help" || arg == "-h")
}

/// Build the `trident` binary and run one of the Python programs with it.
fn run_tool(venv: Venv, profile: Profile, module: &str, args: &[String]) -> Result<Outcome> {
    let binary = if wants_help(args) { None } else { Some(build::trident(profile)?) };
    let status = Tool::module(venv, module)?
        .args(args)
        .trident(binary.as_deref())
        .into_command()
        .status()?;
    Ok(Outcome::from(status.success()))
}

/// Build the Python package and run one of the Python programs that need it.
/// `peers` names variables that tell it where programs to compare with are.
fn with_package(
    venv: Venv,
    module: &str,
    args: &[String],
    peers: &[(&str, Peer)],
) -> Result<Outcome> {
    let tool = Tool::module(venv, module)?.args(args);
    if wants_help(args) {
        return Ok(Outcome::from(tool.into_command().status()?.success()));
    }
    let package = match args.iter().any(|arg| arg.ends_with("metal-emulated")) {
        true => msl::package(venv)?,
        false => build::python_package(venv, Profile::Release, Devices::Default)?,
    };
    let mut command = tool.package(&package)?.into_command();
    for (variable, peer) in peers {
        command.env(variable, peer.build()?);
    }
    Ok(Outcome::from(command.status()?.success()))
}

/// Build the Python package and compare the programs. Those that import PyTorch run in its environment.
fn apps(args: &[String]) -> Result<Outcome> {
    let tool = Tool::module(Venv::Apps, "apps_suite")?.args(args);
    if wants_help(args) {
        return Ok(Outcome::from(tool.into_command().status()?.success()));
    }
    let package = build::python_package(Venv::Torch, Profile::Release, Devices::Default)?;
    let mut command = tool.package(&package)?.into_command();
    command.env("TRIDENT_MINILM", minilm()?).env("TRIDENT_TORCH_PYTHON", Venv::Torch.ensure()?);
    Ok(Outcome::from(command.status()?.success()))
}

/// A Python program in Paddle's environment, with the Python package of this profile.
fn paddle_tool(module: &str, profile: Profile, args: &[String]) -> Result<process::Command> {
    let tool = Tool::module(Venv::Paddle, module)?.args(args);
    if wants_help(args) {
        return Ok(tool.into_command());
    }
    let package = build::python_package(Venv::Triton, profile, Devices::Default)?;
    Ok(tool.package(&package)?.into_command())
}

/// Compare the Python package with Paddle, whose older release and whose PaddleOCR have environments of their own.
fn paddle(args: &[String]) -> Result<Outcome> {
    // The suites of the device need the plug-in or its wheel, and no Python package.
    let suite = suite_of(args).filter(|_| !wants_help(args));
    if matches!(suite, Some("kernels" | "api")) {
        let mut command = Tool::module(Venv::Paddle, "paddle_suite")?.args(args).into_command();
        command.env("TRIDENT_PADDLE_DEVICE", build::paddle_device(Profile::Ci)?);
        return Ok(Outcome::from(command.status()?.success()));
    }
    if matches!(suite, Some("mps" | "bad")) {
        wheel::paddle(Profile::Ci)?;
        return Ok(Outcome::from(wheel::suite(args)?.status()?.success()));
    }
    let mut command = paddle_tool("paddle_suite", Profile::Ci, args)?;
    if wants_help(args) {
        return Ok(Outcome::from(command.status()?.success()));
    }
    command
        .env("TRIDENT_PADDLE2_PYTHON", Venv::Paddle2.ensure()?)
        .env("TRIDENT_PADDLEOCR_PYTHON", Venv::Paddleocr.ensure()?)
        .env("TRIDENT_PADDLEOCR35_PYTHON", Venv::Paddleocr35.ensure()?);
    let runs_program = args.iter().any(|word| ["command", "converted"].contains(&word.as_str()));
    if runs_program && std::env::var_os("TRIDENT").is_none() {
        command.env("TRIDENT", build::trident(Profile::Ci)?);
    }
    Ok(Outcome::from(command.status()?.success()))
}

/// The name that `--suite` gives, without a path.
fn suite_of(args: &[String]) -> Option<&str> {
    let after = |pair: &[String]| pair[0] == "--suite";
    let separate = args.windows(2).find(|pair| after(pair)).map(|pair| pair[1].as_str());
    let joined = args.iter().find_map(|arg| arg.strip_prefix("--suite="));
    separate.or(joined).map(|suite| suite.split('=').next().unwrap_or(suite))
}

/// Build the Python package and the server, and run them in a Ray cluster.
fn cluster(args: &[String]) -> Result<Outcome> {
    let tool = Tool::module(Venv::Cluster, "cluster_suite")?.args(args);
    if wants_help(args) {
        return Ok(Outcome::from(tool.into_command().status()?.success()));
    }
    let package = build::python_package(Venv::Triton, Profile::Ci, Devices::Default)?;
    let tool = tool.package(&package)?.trident(Some(&build::trident(Profile::Ci)?));
    Ok(Outcome::from(tool.into_command().status()?.success()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use trident_filetest::pages;

    #[test]
    fn every_command_line_in_the_documentation_parses() {
        let mut checked = 0;
        for line in pages::command_lines(paths::root()).unwrap() {
            let [cargo, xtask, args @ ..] = &line.words[..] else { continue };
            // A command in capitals stands for every command.
            if (cargo.as_str(), xtask.as_str()) != ("cargo", "xtask") || args == ["COMMAND"] {
                continue;
            }
            checked += 1;
            let Err(error) = Cli::try_parse_from(&line.words[1..]) else { continue };
            use clap::error::ErrorKind::{
                DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, MissingRequiredArgument,
            };
            let fits = match error.kind() {
                DisplayHelp => true,
                DisplayHelpOnMissingArgumentOrSubcommand | MissingRequiredArgument => line.is_span,
                _ => false,
            };
            assert!(fits, "{}: {}: {error}", line.place, line.words.join(" "));
        }
        assert!(checked > 40, "{checked} lines");
    }
}
