//! `trident compile`: what a kernel becomes.

use crate::failure::Failure;
use crate::kernel::{self, CheckArgs};
use crate::model::DeviceName;
use std::io::Write;
use std::path::PathBuf;
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
    /// Which text to print: `tile` is Trident's own form of the kernel, others are the device's, such as `clif` (the
    /// code generator's form) and `asm` (machine code) of the CPU
    #[arg(short, long, value_name = "TEXT", default_value = "tile")]
    emit: String,
    #[command(flatten)]
    checks: CheckArgs,
    #[command(flatten)]
    device: DeviceName,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    if args.kernel.extension().is_some_and(|e| e.eq_ignore_ascii_case("onnx")) {
        let text =
            format!("`{}` is a model, and this command is for kernels", args.kernel.display());
        return Err(Failure::usage(text).hint("`trident inspect` shows what is in a model"));
    }
    let compiler = args.device.compiler()?;
    let module = kernel::read(&args.kernel)?;
    let text = match args.emit.as_str() {
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
    anstream::stdout().write_all(text.as_bytes())?;
    Ok(())
}
