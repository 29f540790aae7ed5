//! Paddle's inference models to graph functions.
//!
//! [`load_from`] reads a program in either of Paddle's formats, PIR (`*.json`) or `ProgramDesc` (`*.pdmodel`,
//! `__model__`), with its parameters (`*.pdiparams`, or one file for each). Both become one form (`program`), which the
//! importer turns into ops. Parameters are read into memory of their own. Pickles are never read.

mod catalogue;
mod desc;
mod dtype;
mod error;
mod files;
mod import;
mod kernel;
mod params;
mod pir;
mod program;
#[cfg(test)]
#[path = "../tests/common/mod.rs"]
mod testing;
mod wire;

// The helpers of the tests are part of this crate and of its test programs.
#[cfg(test)]
extern crate self as trident_paddle;

pub use catalogue::support_table;
pub use error::{PaddleError, PaddleErrorKind, PaddlePlace, ParameterFault};
pub use files::{PaddleFolder, is_program, program_names};
pub use kernel::{KernelArgument, KernelResult, KernelTensor, has_kernel, kernel, kernel_results};

use error::Fault;
use program::{Form, Program};
use trident_ir::Module;

/// A Paddle model that was loaded.
#[derive(Clone, Debug)]
pub struct PaddleModel {
    /// A module with one function, the model's program.
    pub module: Module,
    /// The file's facts about itself.
    pub info: PaddleInfo,
}

/// The facts that a Paddle model's file states about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaddleInfo {
    /// Name of the program's format: `PIR` or `ProgramDesc`.
    pub format: &'static str,
    /// Version of the format, for PIR; 0 is a build between releases.
    pub format_version: i64,
    /// Version of the Paddle that wrote it, for a `ProgramDesc`: `2.3.2`.
    pub paddle_version: Option<String>,
}

/// Loads a model by the name of its program's file, whose parameters are in the same folder.
pub fn load_from(folder: &dyn PaddleFolder, file: &str) -> Result<PaddleModel, PaddleError> {
    let program = read(folder, file)?;
    let module = import::import(&program).map_err(|fault| fault.of(file))?;
    let version = program.version;
    let info = match program.form {
        Form::Pir => PaddleInfo { format: "PIR", format_version: version, paddle_version: None },
        Form::ProgramDesc => PaddleInfo {
            format: "ProgramDesc",
            format_version: 0,
            paddle_version: (version > 0).then(|| {
                let (major, minor) = (version / 1_000_000, version / 1_000 % 1_000);
                format!("{major}.{minor}.{}", version % 1_000)
            }),
        },
    };
    Ok(PaddleModel { module, info })
}

/// Reads a program with its parameters.
fn read(folder: &dyn PaddleFolder, file: &str) -> Result<Program, PaddleError> {
    let (mut program, stored) = parsed(folder, file).map_err(|fault| fault.of(file))?;
    params::read(folder, file, &mut program, stored)?;
    Ok(program)
}

fn parsed(folder: &dyn PaddleFolder, file: &str) -> Result<(Program, Vec<params::Stored>), Fault> {
    let size = folder.size(file)?;
    let bytes = folder.read(file, 0..size)?;
    match &bytes[..] {
        // The protocols of pickles that Paddle has written.
        [0x80, 2..=5, ..] => Err(PaddleErrorKind::Pickle.into()),
        [] => Err(PaddleErrorKind::Malformed("the file is empty".into()).into()),
        [0, 0, 0, 0, ..] => Err(PaddleErrorKind::ParametersOnly.into()),
        [first, ..] if *first == b'{' || file.ends_with(".json") => {
            let text = std::str::from_utf8(&bytes);
            let invalid = |_| PaddleErrorKind::Malformed("the text is not valid UTF-8".into());
            pir::read(text.map_err(invalid)?)
        }
        _ => desc::read(&bytes),
    }
}
