//! The files of a converted model, written in whole or not at all.

use crate::failure::Failure;
use crate::output::{self, Replaced};
use std::fs;
use std::io;
use std::path::Path;
use trident_onnx::export::{OnnxFile, has_data_in};

/// Refuses to replace a file of weights that no earlier conversion to this output wrote: another model may refer to it.
fn check_free(data: &Path, output: &Path) -> Result<(), Failure> {
    let name = data.file_name().unwrap_or_default().to_string_lossy();
    if data.exists() && !fs::read(output).is_ok_and(|model| has_data_in(&model, &name)) {
        let text =
            format!("`{}` would be replaced, and may belong to another model", data.display());
        let hint = "remove the file, or choose another name for the output";
        return Err(Failure::usage(text).hint(hint));
    }
    Ok(())
}

/// Writes both files beside their places first. A model never stands beside weights of another conversion: the old model
/// goes before the weights that it may refer to.
pub(super) fn files(
    converted: &OnnxFile,
    output: &Path,
    data: &Path,
    report: &dyn Fn(u64),
) -> Result<(), Failure> {
    let failed = |path: &Path, error: io::Error| output::cannot_write(path, &error);
    let weights = match converted.data_bytes() {
        0 => None,
        _ => {
            check_free(data, output)?;
            let written = Replaced::new(data, |out| converted.write_data(out, report));
            Some(written.map_err(|error| failed(data, error))?)
        }
    };
    let done = converted.data_bytes();
    let model = Replaced::new(output, |out| converted.write(out, &|bytes| report(done + bytes)))
        .map_err(|error| failed(output, error))?;
    if let Some(weights) = weights {
        if output.exists() {
            fs::remove_file(output).map_err(|error| failed(output, error))?;
        }
        weights.finish().map_err(|error| failed(data, error))?;
    }
    model.finish().map_err(|error| failed(output, error))?;
    Ok(())
}
