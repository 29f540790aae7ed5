//! `trident compile`: a model after its optimisations as a file, or what a kernel becomes.

#[cfg_attr(not(feature = "texts"), path = "compile/no_metal.rs")]
mod metal;

use crate::failure::Failure;
use crate::kernel::{self, CheckArgs};
use crate::limits::MemoryArgs;
use crate::model::{self, DeviceName};
use crate::output::{self, Replaced};
use crate::render;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use trident_devices::{DeviceError, ForModels, METAL};
use trident_engine::Options;
use trident_ir::Module;
use trident_model::{Compiled, Model};
use trident_runtime::Listing;

const EXAMPLES: &str = "\
Models: --emit mps writes the optimised graph and the weights to a file. Every command takes this file in place of the
ONNX file, and gets the same results without optimising again. The file is for the devices of --device (by default,
those that a run uses) and for this build of Trident. Other devices and builds refuse it, and the model must be
compiled again, so keep the ONNX file.

Kernels: `kernel.asm[\"ttir\"]` is the IR of a Triton kernel; Triton's cache has it as *.ttir.

Examples:
  trident compile model.onnx --emit mps -o model.mps
  trident compile model.onnx --emit mps -o model.metal.mps --device metal,cpu
  trident compile add.ttir                         show the kernel in Trident's text form
  trident compile add.ttir --emit asm              show the machine code
  trident compile add.ttir --device metal --emit msl --chip m5
                                                   show the Metal program, on any machine";

/// The form of compiled models.
const MPS: &str = "mps";
/// The form of kernels that no device makes.
const TILE: &str = "tile";

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// ONNX file, Paddle model (.json, .pdmodel) or its folder, or Triton IR (.ttir)
    file: PathBuf,
    /// Form to write. Models: `mps` (a compiled model). Kernels: `tile` (Trident's text form); with `--device cpu`, `clif` (input
    /// of the code generator Cranelift) or `asm` (machine code); with `--device metal`, on any machine, `plan` (the thread of each
    /// element), `lane` (the code of one thread) or `msl` (the Metal program). The Python package has the last three on macOS
    /// only [default: tile]
    #[arg(short, long, value_name = "FORM")]
    emit: Option<String>,
    /// File to write; without it, the forms of kernels go to standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Chip for which `--device metal` compiles a kernel: m1, m2, m3, m4 or m5 [default: the chip of this Mac; elsewhere m1]
    #[arg(long, value_name = "NAME")]
    chip: Option<String>,
    #[command(flatten)]
    checks: CheckArgs,
    #[command(flatten)]
    device: DeviceName,
    #[command(flatten)]
    memory: MemoryArgs,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    if let Some(path) = &args.output {
        output::check_writable(path)?;
    }
    match kernel::is_kernel(&args.file) {
        true => of_kernel(args),
        false => of_model(args),
    }
}

fn of_model(args: &Args) -> Result<(), Failure> {
    let file = args.file.display();
    if args.chip.is_some() {
        let text = format!("`{file}` is a model, and --chip is for kernels");
        return Err(Failure::usage(text).hint("name the devices of a compiled model by --device"));
    }
    if let Some(option) = args.checks.given().first() {
        return Err(Failure::usage(format!("`{file}` is a model, and {option} is for kernels")));
    }
    let output = match (args.emit.as_deref(), &args.output) {
        (Some(MPS), Some(output)) => output,
        (Some(MPS), None) => {
            let text = format!("`{file}` needs the name of the file to compile it to");
            return Err(Failure::usage(text).hint("add `-o MODEL.mps`"));
        }
        (Some(form), _) => {
            let text = format!("`{file}` is a model, and models have no form `{form}`");
            return Err(Failure::usage(text).hint("write `--emit mps -o MODEL.mps`"));
        }
        (None, _) => {
            let text = format!("`{file}` is a model, which is compiled to a file");
            return Err(Failure::usage(text).hint(
                "write `--emit mps -o MODEL.mps`; `trident inspect` shows what is in a model",
            ));
        }
    };
    let model = match model::read(&args.file)? {
        Model::Source(model) => model,
        Model::Compiled(_) => {
            let text = format!("`{}` is a compiled model already", args.file.display());
            return Err(Failure::usage(text).hint("compile the model that it was made from"));
        }
    };
    let same = fs::canonicalize(&args.file).ok().zip(fs::canonicalize(output).ok());
    if same.is_some_and(|(file, output)| file == output) {
        let text = format!("the output would replace the model `{}` itself", args.file.display());
        return Err(Failure::usage(text).hint("choose another name for --output"));
    }
    let limits = args.memory.limits();
    let ForModels { devices, folder } =
        args.device.models().map_err(|error| no_devices(args.device.named(), error))?;
    let options = Options { folder: Some(folder), ..limits.options() };
    let compiled = Compiled::new(model, &devices, &options).map_err(|e| limits.explain_plan(e))?;
    let size = Replaced::new(output, |out| compiled.write(out))
        .and_then(Replaced::finish)
        .map_err(|e| output::cannot_write(output, &e))?;
    let devices = compiled.optimized.form.names().replace(',', ", ");
    let size = usize::try_from(size).map_or_else(|_| "?".into(), render::bytes);
    writeln!(anstream::stdout(), "{}: {size}, compiled for {devices}", output.display())?;
    Ok(())
}

/// The failure of these devices to compile a model.
fn no_devices(names: Option<&str>, error: DeviceError) -> Failure {
    let unavailable = matches!(error, DeviceError::Unavailable { .. });
    let is_metal = names.is_some_and(|names| trident_devices::names(names).contains(&METAL));
    let failure = model::failure(error);
    match unavailable && is_metal && !cfg!(target_os = "macos") {
        true => failure.hint("compile the model on the Mac that will run it"),
        false => failure,
    }
}

/// The failure of the device of this name to compile kernels.
fn no_compiler(name: &str, error: DeviceError) -> Failure {
    let failure = model::failure(error);
    match !cfg!(feature = "emulator") && trident_devices::is_emulated(name) {
        true => failure.hint(metal::INSTEAD_OF_EMULATOR),
        false => failure,
    }
}

fn of_kernel(args: &Args) -> Result<(), Failure> {
    if args.memory.is_given() {
        let file = args.file.display();
        let text = format!("`{file}` is a kernel, and --memory-limit is for models");
        return Err(Failure::usage(text));
    }
    let named = args.device.named();
    let is_metal = named.map_or_else(metal::is_here, |name| name == METAL);
    let text = match is_metal {
        true => metal::text(args)?,
        false => device_text(args)?,
    };
    match &args.output {
        None => anstream::stdout().write_all(text.as_bytes())?,
        Some(path) => fs::write(path, text).map_err(|e| output::cannot_write(path, &e))?,
    }
    Ok(())
}

/// A text of a kernel that a device of this machine compiles.
fn device_text(args: &Args) -> Result<String, Failure> {
    let named = args.device.named().unwrap_or("cpu");
    if let Some(chip) = &args.chip {
        let text =
            format!("`--chip {chip}` is for `--device {METAL}`, and the device is `{named}`");
        return Err(Failure::usage(text));
    }
    let compiler = args.device.compiler().map_err(|error| no_compiler(named, error))?;
    let module = kernel::read(&args.file)?;
    let form = args.emit.as_deref().unwrap_or(TILE);
    if form == TILE {
        return Ok(tile_text(&module));
    }
    let kernel = compiler.compile_kernel(&module, &args.checks.options()?);
    let kernel = kernel.map_err(Failure::run)?;
    kernel.listing(form).ok_or_else(|| no_text(form, kernel.listings()))
}

fn tile_text(module: &Module) -> String {
    module.funcs.iter().map(|func| format!("{func}\n")).collect()
}

/// The failure that lists the texts there are.
fn no_text(form: &str, listings: &[Listing]) -> Failure {
    let names = listings.iter().map(|listing| listing.name);
    let names = [TILE].into_iter().chain(names).collect::<Vec<_>>().join(", ");
    Failure::usage(format!("there is no text `{form}` of this kernel"))
        .hint(format!("there are {names}"))
}
