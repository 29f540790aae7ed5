//! `trident serve` and `trident monitor` in a build without the server.

use crate::failure::Failure;
use std::ffi::OsString;

/// Words of the command line, which this build does not read.
#[derive(clap::Args, Debug)]
#[command(disable_help_flag = true)]
pub(crate) struct Args {
    /// Words of the command
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPTIONS")]
    words: Vec<OsString>,
}

/// Tells how to get a build with the server.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    absent("serve", args)
}

/// `trident monitor`, which belongs to the server.
pub(crate) mod monitor {
    pub(crate) use super::Args;
    use crate::failure::Failure;

    /// Tells how to get a build with the server.
    pub(crate) fn run(args: &Args) -> Result<(), Failure> {
        super::absent("monitor", args)
    }
}

fn absent(command: &str, args: &Args) -> Result<(), Failure> {
    let words: Vec<_> = args.words.iter().map(|word| word.to_string_lossy()).collect();
    let line = format!("cargo run --release --features serve -- {command} {}", words.join(" "));
    let hint = format!("in Trident's sources, type `{}`", line.trim_end());
    Err(Failure::usage("this build of `trident` has no server").hint(hint))
}

/// The words as they are.
pub(crate) fn expand(words: Vec<OsString>) -> Result<Vec<OsString>, Failure> {
    Ok(words)
}

/// No name of the program has a usage of its own.
pub(crate) fn usage(_words: &[OsString]) -> Option<&'static str> {
    None
}
