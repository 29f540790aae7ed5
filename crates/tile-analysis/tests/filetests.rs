//! File tests of analysis; see `trident_filetest` for their form.

use trident_filetest::{Failed, run};
use trident_ir::op::Class;
use trident_ir::{DType, Module, Op};
use trident_tile_analysis::{AnalysisReport, Elem, RowOperand, VectorTarget};

/// Vectors that hold numbers of 4 and 8 bytes, and compute all but functions.
struct Vectors;

impl VectorTarget for Vectors {
    fn holds(&self, elem: Elem) -> bool {
        matches!(elem, Elem::Data(dtype) if dtype == DType::Bool || dtype.size() >= 4)
    }

    fn reads(&self, _: Elem) -> bool {
        true
    }

    fn computes(&self, op: &Op, _: &[RowOperand], _: Elem) -> bool {
        !matches!(op.decl().class, Class::Function)
    }
}

fn access(text: &str) -> Result<String, String> {
    let module: Module = text.parse().map_err(|error| format!("{error}"))?;
    module.verify().map_err(|error| format!("{error}"))?;
    let reports = module.funcs.iter().map(|func| AnalysisReport::of(func, &Vectors, &|_| false));
    reports.collect()
}

#[test]
fn filetests() -> Result<(), Failed> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/filetests");
    run(folder, &[("access", &access)])
}
