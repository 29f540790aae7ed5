//! A build without the feature `texts`, which has no code for Metal: it says which build shows Metal programs.

use super::Args;
use crate::failure::Failure;
use trident_devices::METAL;

/// The builds with the feature.
const ELSEWHERE: &str =
    "the program `trident` that `cargo install --path crates/cli` installs does";

/// The hint where the emulator is missing.
pub(super) const INSTEAD_OF_EMULATOR: &str =
    "`cargo install --path crates/cli` installs a program that shows the Metal program";

/// Whether kernels are shown as Metal programs where no device is named.
pub(super) fn is_here() -> bool {
    false
}

/// The failure to show a kernel as a Metal program.
pub(super) fn text(args: &Args) -> Result<String, Failure> {
    let file = args.file.display();
    let text = format!("`{file}`: this build of trident shows no kernels for `--device {METAL}`");
    Err(Failure::usage(text).hint(ELSEWHERE))
}
