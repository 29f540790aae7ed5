//! Tile functions as lane functions: what each thread of a threadgroup computes.
//!
//! A threadgroup runs one program. A [`Plan`] decides in integers how many threads it has and which register of which thread
//! holds each element of a block ([`Layout`]): neighbours in memory go to neighbouring threads, in vectors as far as addresses
//! are known to be aligned. Blocks are expressions ([`crate::access`]); a store evaluates, in each thread, the elements that the
//! thread writes, and a load fills registers where it stands.

mod control;
mod dot;
mod element;
mod emit;
mod error;
mod exchange;
mod figures;
mod hazard;
mod layout;
mod plan;
mod reduce;
mod scan;
mod transfer;

pub use self::error::Unsupported;
pub use self::figures::Figures;
pub use self::layout::Layout;
pub use self::plan::Plan;

use trident_ir::lane::threadgroup_bytes;
use trident_ir::tile::Origins;
use trident_ir::{Level, Module, decompose};

/// A kernel at level lane, and the plan behind it as text.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The kernel.
    pub module: Module,
    /// How it is spread over threads, a line for each access.
    pub plan: String,
}

/// Lowers the entry of a module at level tile. An op that has no form at level lane is an error that names it.
pub fn lower(module: &Module, figures: &Figures) -> Result<Lowered, Unsupported> {
    let whole = |reason: String| Unsupported { op: "module".into(), reason, at: None };
    let primitives = decompose::lower(module, &|_| false).map_err(|e| whole(e.to_string()))?;
    let module = primitives.as_ref().unwrap_or(module);
    let entry = module.entry().ok_or_else(|| whole("has no function".into()))?;
    if entry.level != Level::Tile {
        return Err(whole(format!("`{}` is not at level tile", entry.name)));
    }
    let plan = Plan::of(entry, figures)?;
    let kernel = emit::emit(entry, &plan, &Origins::new(module))?;
    let bytes = threadgroup_bytes(&kernel);
    if bytes > figures.threadgroup {
        let most = figures.threadgroup;
        return Err(whole(format!(
            "needs {bytes} bytes of threadgroup memory, of which there are {most}"
        )));
    }
    let lowered = Module { funcs: vec![kernel], metadata: module.metadata.clone() };
    lowered.verify().map_err(|error| whole(error.to_string()))?;
    Ok(Lowered { plan: plan.to_string(), module: lowered })
}
