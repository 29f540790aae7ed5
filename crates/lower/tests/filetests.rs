//! File tests of analysis; see `trident_filetest` for their form.

use trident_filetest::{Failed, run};
use trident_ir::interp::runs;
use trident_ir::op::Class;
use trident_ir::{DType, Module, Op};
use trident_lower::access::{Elem, Operand, Report, Target};
use trident_lower::lane::{self, Figures};

/// Vectors that hold numbers of 4 and 8 bytes, and compute all but functions.
struct Vectors;

impl Target for Vectors {
    fn holds(&self, elem: Elem) -> bool {
        matches!(elem, Elem::Data(dtype) if dtype == DType::Bool || dtype.size() >= 4)
    }

    fn reads(&self, _: Elem) -> bool {
        true
    }

    fn computes(&self, op: &Op, _: &[Operand], _: Elem) -> bool {
        !matches!(op.decl().class, Class::Function)
    }
}

fn access(text: &str) -> Result<String, String> {
    let module: Module = text.parse().map_err(|error| format!("{error}"))?;
    module.verify().map_err(|error| format!("{error}"))?;
    let reports = module.funcs.iter().map(|func| Report::of(func, &Vectors, &|_| false));
    reports.collect()
}

/// The kernel at level lane and its plan; lines that say what the kernel gives hold at both levels.
fn lowered(text: &str) -> Result<String, String> {
    let module: Module = text.parse().map_err(|error| format!("{error}"))?;
    module.verify().map_err(|error| format!("{error}"))?;
    let lowered = match lane::lower(&module, &Figures::APPLE) {
        Ok(lowered) => lowered,
        Err(error) => return Ok(format!("error: {error}")),
    };
    if text.contains("; run:") {
        runs::check(&module, text).map_err(|error| format!("tile: {error}"))?;
        runs::check(&lowered.module, text).map_err(|error| format!("lane: {error}"))?;
    }
    Ok(format!("{}{}", lowered.plan, lowered.module))
}

#[test]
fn filetests() -> Result<(), Failed> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/filetests");
    run(folder, &[("access", &access), ("lane", &lowered)])
}
