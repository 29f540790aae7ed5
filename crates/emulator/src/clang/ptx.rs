//! PTX for NVIDIA GPUs, on which generated texts can be measured.

use super::{Clang, diagnose, full_text};
use crate::text::{Kernel, Program};
use std::fs;
use std::io;
use std::process::Command;
use trident_apple::metal::{CompileOptions, Diagnostic, MetalError};

/// The version of the language that clang writes.
const VERSION: &str = "+ptx80";

impl Clang {
    /// Compiles a text for a processor such as `sm_90`. Each kernel becomes an entry `msl_entry_NAME`.
    ///
    /// # Errors
    /// [`MetalError::Compile`] with clang's diagnostics, or a function that the headers do not have for such processors;
    /// [`MetalError::Memory`] if files cannot be written.
    pub(crate) fn ptx(
        &self,
        program: &Program,
        options: &CompileOptions,
        processor: &str,
    ) -> Result<String, MetalError> {
        let failed = |error: io::Error| MetalError::Memory {
            what: "a compiled kernel".to_owned(),
            reason: error.to_string(),
        };
        let folder = tempfile::tempdir_in(&self.cache).map_err(failed)?;
        let (source, result) = (folder.path().join("kernel.metal"), folder.path().join("ptx"));
        fs::write(&source, full_text(program, &[], Kernel::ptx_entry)).map_err(failed)?;
        let mut command = Command::new(&self.program);
        command.args(["-target", "nvptx64-nvidia-cuda", "-nogpulib", "-DMSL_PTX=1", "-O3", "-S"]);
        command.arg(format!("-march={processor}"));
        command.args(["-Xclang", "-target-feature", "-Xclang", VERSION]);
        self.language(&mut command, options);
        diagnose(command.arg(&source).arg("-o").arg(&result))?;
        let text = fs::read_to_string(result).map_err(failed)?;
        match text.lines().find_map(|line| line.strip_prefix(".extern .func")) {
            Some(missing) => Err(MetalError::Compile(vec![Diagnostic {
                file: String::new(),
                line: 0,
                rule: None,
                message: format!("a function has no form in PTX: `{}`", missing.trim()),
            }])),
            None => Ok(with_threads(text, &program.kernels)),
        }
    }
}

/// The text with the number of threads of each entry, by which the driver gives them registers.
fn with_threads(mut text: String, kernels: &[Kernel]) -> String {
    for kernel in kernels {
        let Some(threads) = kernel.max_threads else { continue };
        let entry = text.find(&format!(".entry msl_entry_{}(", kernel.name));
        let body = entry.and_then(|at| Some(at + text[at..].find("\n{")?));
        if let Some(body) = body {
            text.insert_str(body, &format!("\n.reqntid {threads}, 1, 1"));
        }
    }
    text
}
