//! `trident compile`: what a kernel becomes.

use crate::failure::Failure;
use crate::kernel::{self, CheckArgs};
use crate::model::DeviceName;
use std::io::Write;
use std::path::PathBuf;
use trident_runtime::Listing;

const EXAMPLES: &str = "\
Triton writes the IR of a kernel as `kernel.asm[\"ttir\"]`, and into its cache as *.ttir.

Examples:
  trident compile add.ttir                         what the kernel computes, in Trident's text form
  trident compile add.ttir --emit asm              the machine code";

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Triton IR (.ttir)
    kernel: PathBuf,
    /// Which text to print
    #[arg(short, long, value_enum, default_value = "tile")]
    emit: Emit,
    #[command(flatten)]
    checks: CheckArgs,
    #[command(flatten)]
    device: DeviceName,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Emit {
    /// Trident's own form of the kernel
    Tile,
    /// The code generator's form
    Clif,
    /// Machine code
    Asm,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    if args.kernel.extension().is_some_and(|e| e.eq_ignore_ascii_case("onnx")) {
        let text =
            format!("`{}` is a model, and this command is for kernels", args.kernel.display());
        return Err(Failure::usage(text).hint("`trident inspect` shows what is in a model"));
    }
    let compiler = args.device.compiler()?;
    let module = kernel::read(&args.kernel)?;
    let listing = match args.emit {
        Emit::Tile => None,
        Emit::Clif => Some(Listing::Clif),
        Emit::Asm => Some(Listing::Assembly),
    };
    let text = match listing {
        None => module.funcs.iter().map(|f| format!("{f}\n")).collect(),
        Some(listing) => {
            let kernel = compiler.compile_kernel(&module, &args.checks.options()?);
            let kernel = kernel.map_err(Failure::run)?;
            kernel.listing(listing).ok_or_else(|| Failure::run("the device has no such text"))?
        }
    };
    anstream::stdout().write_all(text.as_bytes())?;
    Ok(())
}
