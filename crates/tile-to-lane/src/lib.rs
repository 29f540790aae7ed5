//! Lowering of tile functions to lane functions, which state the computation of each thread of a threadgroup.
//!
//! The threads of a threadgroup run one program; programs of one simdgroup may share a threadgroup
//! ([`Lowered::programs`]), of which the lane function knows nothing. A [`LanePlan`] decides in integers how many
//! threads it has and which register of which thread holds each element of a block ([`Layout`]): neighbours in memory
//! go to neighbouring threads, in vectors as far as addresses are known to be aligned. Blocks are expressions
//! ([`trident_tile_analysis`]); a store evaluates, in each thread, the elements that the thread writes, and a load
//! fills registers at its place in the code.

mod atomic;
mod banks;
mod calls;
mod carry;
mod control;
mod descriptor;
mod divide;
mod dot;
mod element;
mod emit;
mod error;
mod exchange;
mod extreme;
mod figures;
mod gather;
mod hazard;
mod late;
mod layout;
mod memory;
mod ordering;
mod plan;
mod reduce;
mod report;
mod scan;
mod transfer;

pub use self::error::{LowerError, Unsupported};
pub use self::figures::GpuFigures;
pub use self::layout::Layout;
pub use self::plan::LanePlan;

use trident_ir::lane::threadgroup_bytes;
use trident_ir::tile::Origins;
use trident_ir::{Level, Module, decompose};

/// A kernel at level lane, and its plan as text.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The kernel.
    pub module: Module,
    /// How it is spread over threads, a line for each access.
    pub plan: String,
    /// Whether atomic ops on short elements access whole words of 4 bytes, those at both ends of tensors too.
    pub exchanges_words: bool,
    /// The most programs that a threadgroup may run, a simdgroup each.
    pub programs: u32,
}

/// Lowers the entry of a module at level tile. An op without a form at level lane is an error that names it. So is a
/// program that needs more threadgroup memory or registers than there are.
pub fn lower(module: &Module, figures: &GpuFigures) -> Result<Lowered, LowerError> {
    let whole = |reason: String| Unsupported::Function { reason };
    let entry = module.entry().ok_or_else(|| whole("the module has no function".into()))?;
    if entry.level != Level::Tile {
        return Err(whole(format!("`{}` is not a kernel", entry.name)).into());
    }
    let mut entry = calls::inline(module, entry)?;
    descriptor::expand(&mut entry)?;
    dot::expand(&mut entry)?;
    let module = Module { funcs: vec![entry], metadata: module.metadata.clone() };
    let primitives = decompose::lower(&module, &|_| false).map_err(|e| whole(e.to_string()))?;
    let module = primitives.unwrap_or(module);
    let entry = module.entry().ok_or_else(|| whole("the module has no function".into()))?;
    dot::fits(entry, figures)?;
    let origins = Origins::new(&module);
    let plan = LanePlan::of(entry, &origins, figures)?;
    let (mut kernel, exchanges_words) = emit::emit(entry, &plan, &origins)?;
    divide::share(&mut kernel).map_err(|error| whole(error.to_string()))?;
    let (needed, most) = (threadgroup_bytes(&kernel), figures.threadgroup);
    if needed > most {
        return Err(LowerError::Threadgroup { needed, most });
    }
    let programs = plan.programs(needed);
    let lowered = Module { funcs: vec![kernel], metadata: module.metadata.clone() };
    lowered.verify().map_err(|error| whole(error.to_string()))?;
    Ok(Lowered { plan: plan.to_string(), exchanges_words, programs, module: lowered })
}
