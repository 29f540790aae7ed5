//! `trident compile`: a model after its optimisations as a file, or what a kernel becomes.

use crate::failure::Failure;
use crate::kernel::{self, CheckArgs};
use crate::limits::LimitArgs;
use crate::model::{self, DeviceName};
use crate::output;
use crate::render;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use trident_devices::ForModels;
use trident_engine::Options;
use trident_mps::{Compiled, Model};

const EXAMPLES: &str = "\
Models: --emit mps writes the optimised graph and the weights to a file that every command takes in place of the ONNX file.
Loading it optimises nothing, and it gives the same bits. It is for the devices of --device, the default
ones without it, and for this version of Trident; others say so and ask for it to be compiled again. Keep the ONNX file.

Kernels: Triton writes the IR of a kernel as `kernel.asm[\"ttir\"]`, and into its cache as *.ttir.

Examples:
  trident compile model.onnx --emit mps -o model.mps
  trident compile model.onnx --emit mps -o model.metal.mps --device metal,cpu
  trident compile add.ttir                         what the kernel computes, in Trident's text form
  trident compile add.ttir --emit asm              the machine code";

/// The form of compiled models.
const MPS: &str = "mps";

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// ONNX file, or Triton IR (.ttir)
    file: PathBuf,
    /// What to write: of a model `mps`, a compiled model; of a kernel a text: `tile` is Trident's own form, others are the
    /// device's, such as `clif` (the code generator's form) and `asm` (machine code) of the CPU [default: tile]
    #[arg(short, long, value_name = "FORM")]
    emit: Option<String>,
    /// Where to write; without it, texts go to standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    checks: CheckArgs,
    #[command(flatten)]
    device: DeviceName,
    #[command(flatten)]
    limits: LimitArgs,
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
    let output = match (args.emit.as_deref(), &args.output) {
        (Some(MPS), Some(output)) => output,
        (Some(MPS), None) => {
            let text = format!("`{file}` is compiled to a file, and its name is missing");
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
        Model::Onnx(model) => model,
        Model::Compiled(_) => {
            let text = format!("`{}` is a compiled model already", args.file.display());
            return Err(Failure::usage(text).hint("compile the ONNX file that it was made of"));
        }
    };
    let same = fs::canonicalize(&args.file).ok().zip(fs::canonicalize(output).ok());
    if same.is_some_and(|(file, output)| file == output) {
        let text = format!("`{}` would be replaced by what it is compiled to", args.file.display());
        return Err(Failure::usage(text).hint("choose another name for --output"));
    }
    let limits = args.limits.limits();
    let ForModels { devices, folder } = args.device.models()?;
    let options = Options { folder: Some(folder), ..limits.options() };
    let compiled = Compiled::new(model, &devices, &options).map_err(|e| limits.explain_plan(e))?;
    let size = replace(output, |out| compiled.write(out))
        .map_err(|e| Failure::run(format!("cannot write `{}`: {e}", output.display())))?;
    let devices = compiled.origin.devices.join(", ");
    let size = usize::try_from(size).map_or_else(|_| "?".into(), render::bytes);
    writeln!(anstream::stdout(), "{}: {size}, compiled for {devices}", output.display())?;
    Ok(())
}

/// Writes a file that is there as a whole or not at all; gives its bytes.
fn replace(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<u64> {
    let mut scratch = path.as_os_str().to_owned();
    scratch.push(format!(".{}.part", std::process::id()));
    let scratch = PathBuf::from(scratch);
    let written = fs::File::create(&scratch).and_then(|file| {
        let mut out = BufWriter::with_capacity(1 << 20, file);
        write(&mut out)?;
        out.flush()?;
        let size = out.get_ref().metadata()?.len();
        fs::rename(&scratch, path)?;
        Ok(size)
    });
    if written.is_err() {
        let _ = fs::remove_file(&scratch);
    }
    written
}

fn of_kernel(args: &Args) -> Result<(), Failure> {
    let compiler = args.device.compiler()?;
    let module = kernel::read(&args.file)?;
    let text = match args.emit.as_deref().unwrap_or("tile") {
        "tile" => module.funcs.iter().map(|f| format!("{f}\n")).collect(),
        name => {
            let kernel = compiler.compile_kernel(&module, &args.checks.options()?);
            let kernel = kernel.map_err(Failure::run)?;
            let names = kernel.listings().iter().map(|listing| listing.name);
            let names = ["tile"].into_iter().chain(names).collect::<Vec<_>>().join(", ");
            kernel.listing(name).ok_or_else(|| {
                Failure::usage(format!("there is no text `{name}` of this kernel"))
                    .hint(format!("there are {names}"))
            })?
        }
    };
    match &args.output {
        None => anstream::stdout().write_all(text.as_bytes())?,
        Some(path) => fs::write(path, text)
            .map_err(|e| Failure::run(format!("cannot write `{}`: {e}", path.display())))?,
    }
    Ok(())
}
