//! Kernels as Metal programs, which need no GPU.

use super::{Args, TILE, no_text, tile_text};
use crate::failure::Failure;
use crate::kernel;
use trident_devices::{METAL, MetalChip};

pub(super) use trident_devices::has_metal as is_here;

/// The hint where the emulator is missing.
pub(super) const INSTEAD_OF_EMULATOR: &str =
    "`--device metal` shows the Metal program, and needs no emulator";

/// A text of a kernel as a Metal program.
pub(super) fn text(args: &Args) -> Result<String, Failure> {
    let chip = MetalChip::named(args.chip.as_deref()).map_err(Failure::usage)?;
    if args.checks.checks_more() {
        let text = format!("programs for `{METAL}` cannot check accesses, which --check asks for");
        return Err(Failure::usage(text).hint("`--device cpu` shows code that checks"));
    }
    let module = kernel::read(&args.file)?;
    let form = args.emit.as_deref().unwrap_or(TILE);
    if form == TILE {
        return Ok(tile_text(&module));
    }
    if MetalChip::LISTINGS.iter().all(|listing| listing.name != form) {
        return Err(no_text(form, MetalChip::LISTINGS));
    }
    let texts = chip.translate(&module).map_err(Failure::run)?;
    Ok(texts.listing(form).unwrap_or_default().to_owned())
}
