//! The plan in words and numbers, for `trident inspect`.

use super::{BlockPlan, Plan, Work, memory};
use crate::error::PlanError;
use trident_ir::cost::flops;
use trident_ir::{Func, Op, ValueId, ValueInfo};

/// One step of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct StepReport {
    /// How deep it is nested in control flow.
    pub depth: usize,
    /// The op; of a region the first.
    pub op: &'static str,
    /// How many ops the step runs: more than one for a region that a device claimed.
    pub ops: usize,
    /// The node's name, empty if it has none.
    pub node: String,
    /// The kernel chosen.
    pub kernel: String,
    /// The device; `engine` for control flow.
    pub device: String,
    /// Why this device.
    pub reason: String,
    /// Floating-point or integer operations of one run of the step, where the dimensions are known.
    pub flops: Option<f64>,
    /// Bytes of packed constants.
    pub packed_bytes: usize,
    /// Types of the results, as far as known.
    pub results: Vec<String>,
}

/// Memory of intermediate values, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryReport {
    /// The arena that holds them.
    pub arena: usize,
    /// The most that is alive at once: no plan can do with less.
    pub live: usize,
    /// Results of the model.
    pub results: usize,
}

/// A plan.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlanReport {
    /// Steps in order, those of nested blocks after their owner.
    pub steps: Vec<StepReport>,
    /// Bytes of constants that are kept as they are.
    pub constant_bytes: usize,
    /// Bytes of packed constants.
    pub packed_bytes: usize,
    /// Memory of intermediate values of known shape.
    pub memory: MemoryReport,
    /// Steps with a result whose size is known only at run time; its memory comes from the pool.
    pub unplanned: usize,
}

impl PlanReport {
    /// Peak bytes as planned: constants, packed constants, intermediate values, results.
    pub fn peak_bytes(&self) -> usize {
        self.constant_bytes + self.packed_bytes + self.memory.arena + self.memory.results
    }

    /// Operations of one run, as far as known.
    pub fn flops(&self) -> f64 {
        // A sum of no numbers would be -0.
        self.steps.iter().filter_map(|s| s.flops).fold(0.0, |sum, n| sum + n)
    }
}

impl Plan {
    /// The plan in words and numbers, with the types of `func`; an error if no memory can hold its values.
    pub(crate) fn report(&self, func: &Func) -> Result<PlanReport, PlanError> {
        for input in &func.body.params {
            countable(func, *input, || "input".to_owned())?;
        }
        let mut report = PlanReport::default();
        report_block(&self.body, func, 0, &mut report)?;
        report.constant_bytes = self.constants.iter().flatten().map(|v| v.size()).sum();
        report.packed_bytes = report.steps.iter().map(|s| s.packed_bytes).sum();
        let planned = memory::plan(&self.body, func)
            .ok_or(PlanError::TooLarge { what: "the values that are alive at once".to_owned() })?;
        report.memory =
            MemoryReport { arena: planned.size, live: planned.live, results: planned.results };
        Ok(report)
    }
}

/// An error if a value takes more bytes than memory can have.
fn countable(func: &Func, value: ValueId, role: impl Fn() -> String) -> Result<(), PlanError> {
    let ValueInfo { name, ty } = func.info(value);
    match memory::bytes(ty) {
        Some(None) => Err(PlanError::TooLarge { what: format!("{} `{name}` ({ty})", role()) }),
        _ => Ok(()),
    }
}

fn report_block(
    block: &BlockPlan,
    func: &Func,
    depth: usize,
    report: &mut PlanReport,
) -> Result<(), PlanError> {
    for step in &block.steps {
        let op = &step.op;
        for value in step.results.iter().flatten() {
            countable(func, *value, || format!("result of {}", op.decl().name))?;
        }
        let dims = |ids: &[Option<ValueId>]| -> Option<Vec<Vec<usize>>> {
            ids.iter().map(|v| v.map_or(Some(vec![]), |v| func.ty(v).dims())).collect()
        };
        let work = |op: &Op| Some(flops(op, &dims(&op.inputs)?, &dims(&op.outputs)?));
        report.unplanned += usize::from(dims(&step.results).is_none());
        report.steps.push(StepReport {
            depth,
            op: op.decl().name,
            ops: step.more.len() + 1,
            node: op.loc.as_deref().unwrap_or_default().to_owned(),
            kernel: step.work.kernel().to_owned(),
            device: step.placement.device.clone(),
            reason: step.placement.reason.clone(),
            flops: step.ops().map(work).sum(),
            packed_bytes: match &step.work {
                Work::Kernel(exe) => exe.packed_bytes(),
                _ => 0,
            },
            results: step.results.iter().flatten().map(|v| func.ty(*v).to_string()).collect(),
        });
        for nested in step.work.blocks() {
            report_block(nested, func, depth + 1, report)?;
        }
    }
    Ok(())
}
