//! Texts as PTX, to be measured on NVIDIA GPUs.

use crate::clang::Clang;
use crate::device::default_cache;
use crate::lint::lint;
use crate::text::rewrite;
use trident_apple::metal::{CompileOptions, MetalError};

/// Compiles a text for an NVIDIA processor such as `sm_90`, by the headers that the emulator uses.
///
/// Each kernel becomes an entry `msl_entry_NAME` with a parameter for each buffer, in the order of the kernel's
/// parameters: a pointer, or for a reference to constant memory its value. A grid has a block for each threadgroup, and
/// blocks have exactly the threads that `[[max_total_threads_per_threadgroup]]` says.
///
/// # Errors
/// [`MetalError::Unavailable`] without clang 22; [`MetalError::Constant`] for a text with function constants;
/// [`MetalError::Compile`] for texts that the emulator would refuse, and for functions that the headers do not have for
/// these processors.
pub fn ptx(source: &str, options: &CompileOptions, processor: &str) -> Result<String, MetalError> {
    let found = lint(source, options.language);
    if !found.is_empty() {
        return Err(MetalError::Compile(found));
    }
    let program = rewrite(source).map_err(MetalError::Compile)?;
    if let Some(constant) = program.constants.iter().find(|constant| constant.used) {
        return Err(MetalError::Constant {
            kernel: "every kernel".to_owned(),
            index: constant.index,
            reason: format!("`{}` has no value", constant.name),
        });
    }
    Clang::find(&default_cache())?.ptx(&program, options, processor)
}
