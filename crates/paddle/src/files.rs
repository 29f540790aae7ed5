//! The files of a model, found by the names that Paddle gives them.

use bytes::Bytes;
use std::io;
use std::ops::Range;

/// The folder with the files of a model. Its implementation decides where they are.
pub trait PaddleFolder {
    /// Size of a file in bytes. The error is of kind `NotFound` if there is no such file.
    fn size(&self, name: &str) -> io::Result<u64>;

    /// All bytes of a range, which lies within the file.
    fn read(&self, name: &str, range: Range<u64>) -> io::Result<Bytes>;
}

/// Names that Paddle and its tools give to programs, the preferred one first.
const PROGRAMS: &[&str] = &[
    "inference.json",
    "inference.pdmodel",
    "model.json",
    "model.pdmodel",
    "__model__",
    "inference_model.json",
    "inference_model.pdmodel",
];

/// The names by which a program is found in a folder, the preferred one first.
pub fn program_names() -> &'static [&'static str] {
    PROGRAMS
}

/// Whether a file is a program of Paddle, by its name and its first bytes. Both decide: any JSON text begins like a
/// program, and a `ProgramDesc` like many messages.
pub fn is_program(name: &str, start: &[u8]) -> bool {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    match extension {
        "json" | "pdmodel" => true,
        // Parameters and pickles, for which the error says what to give instead.
        "pdiparams" | "pdparams" | "pdopt" | "info" => true,
        "onnx" | "mps" => false,
        _ => stem == "__model__" || matches!(start, [b'{' | 0x0a, ..]),
    }
}
