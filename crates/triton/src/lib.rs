//! The importer of Triton kernels: Triton IR (MLIR text, the `ttir` stage of Triton's compiler) to `tile` functions.
//!
//! ```
//! let text = r#"module {
//!   tt.func public @fill(%arg0: !tt.ptr<f32>, %arg1: f32) {
//!     %0 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
//!     %1 = tt.splat %arg0 : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
//!     %2 = tt.addptr %1, %0 : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
//!     %3 = tt.splat %arg1 : f32 -> tensor<16xf32>
//!     tt.store %2, %3 : tensor<16x!tt.ptr<f32>>
//!     tt.return
//!   }
//! }"#;
//! let module = trident_triton::parse(text).unwrap();
//! assert_eq!(module.entry().unwrap().name, "fill");
//! ```
//!
//! The text becomes a tree with one form of op whatever the printed form (`ttir`), and `import` translates each op of
//! the tree to ops of the table. `docs/triton-ir.md` lists the
//! translation of each op and the refusals. The spellings of Triton 3.7 to 3.9 are supported.

mod error;
mod import;
mod ttir;

pub use error::{Error, ErrorKind};

use trident_ir::Module;

/// The most elements that a block may have, as in Triton.
pub const MAX_ELEMENTS: usize = 1 << 20;

/// The most axes that a block may have: sorting 2^20 elements splits them into 20 axes of length 2.
pub const MAX_RANK: usize = 24;

/// How deep regions, types, attributes and locations may nest.
pub const MAX_DEPTH: usize = 48;

/// The most blocks that a region may have.
pub const MAX_BLOCKS: usize = 1024;

/// The most ops that structuring a region may copy.
pub const MAX_COPIES: usize = 20_000;

/// An error within the text: the byte it is about and, if an op with a location has it, that location.
#[derive(Debug)]
struct Failure {
    at: usize,
    loc: ttir::LocId,
    fault: Box<ErrorKind>,
}

impl Failure {
    fn new(at: usize, fault: ErrorKind) -> Failure {
        Failure { at, loc: ttir::LocId::UNKNOWN, fault: Box::new(fault) }
    }
}

/// Reads a module of Triton IR and translates it to `tile` functions, the public function first.
///
/// Parameters of the entry keep their names and order. Promises about them (`tt.divisibility` …) become `hint` ops at
/// the start of the function. The module is verified.
pub fn parse(text: &str) -> Result<Module, Error> {
    let mut tree = ttir::Tree::default();
    let module = ttir::parse(text, &mut tree).and_then(|()| import::module(&tree));
    let module = module.map_err(|failure| located(text, &tree, failure))?;
    match module.verify() {
        Ok(()) => Ok(module),
        Err(e) => {
            Err(Error { line: 0, column: 0, source: None, fault: Box::new(ErrorKind::Verify(e)) })
        }
    }
}

/// Reads a module of Triton IR and prints it as Triton's compiler does: values have its names, numbers its digits, and
/// attributes its order. With `locations` ops have their places in the source, and values the names of variables that
/// those tell (`str`); else neither is printed (`str_nodebug`).
///
/// The text need not have a meaning to Trident, only the form of Triton IR. Forms of ops that show parameters without
/// their locations, such as the one of `scf.for`, lose the names of those.
pub fn reprint(text: &str, locations: bool) -> Result<String, Error> {
    let mut tree = ttir::Tree::default();
    match ttir::parse(text, &mut tree) {
        Ok(()) => Ok(tree.text(locations).to_string()),
        Err(failure) => Err(located(text, &tree, failure)),
    }
}

fn located(text: &str, tree: &ttir::Tree, failure: Failure) -> Error {
    let at = (0..=failure.at.min(text.len())).rev().find(|&i| text.is_char_boundary(i));
    let before = text.get(..at.unwrap_or(0)).unwrap_or("");
    let line = before.rfind('\n').map_or(before, |i| &before[i + 1..]);
    Error {
        line: before.matches('\n').count() + 1,
        column: line.chars().count() + 1,
        source: tree.locs.resolve(failure.loc).or_else(|| ttir::of_line(text, failure.at)),
        fault: failure.fault,
    }
}
