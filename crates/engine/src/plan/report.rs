//! The plan as a report, for `trident inspect`.

use super::{BlockPlan, Plan, Work, memory};
use crate::error::PlanError;
use trident_ir::cost::flops;
use trident_ir::{Func, Loc, Op, OpName, ValueId, ValueInfo};

/// One step of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct StepReport {
    /// Nesting depth in control flow.
    pub depth: usize,
    /// The op; for a region of several, the first.
    pub op: &'static str,
    /// Number of ops in the step: more than one for a region that a device claimed.
    pub ops: usize,
    /// The node's name, empty if it has none.
    pub node: String,
    /// The chosen kernel.
    pub kernel: String,
    /// The device; `engine` for control flow.
    pub device: String,
    /// The reason for choosing the device.
    pub reason: String,
    /// Floating-point or integer operations of one run of the step, if the dimensions are known.
    pub flops: Option<f64>,
    /// Bytes of packed constants.
    pub packed_bytes: usize,
    /// Types of the results, as far as known.
    pub results: Vec<String>,
}

/// Memory of intermediate values, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryReport {
    /// Size of the arena that holds them.
    pub arena: usize,
    /// The most bytes live at once: a lower bound for any plan.
    pub live: usize,
    /// Size of the model's results.
    pub results: usize,
}

/// A plan.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlanReport {
    /// Steps in order, those of nested blocks after their owner.
    pub steps: Vec<StepReport>,
    /// Bytes of constants that are not packed.
    pub constant_bytes: usize,
    /// Bytes of packed constants.
    pub packed_bytes: usize,
    /// Memory of intermediate values of known shape.
    pub memory: MemoryReport,
    /// Number of steps with a result whose size is known only at run time; its memory comes from the pool.
    pub unplanned: usize,
}

impl PlanReport {
    /// Planned peak in bytes: constants, packed constants, intermediate values, results.
    pub fn peak_bytes(&self) -> usize {
        self.constant_bytes + self.packed_bytes + self.memory.arena + self.memory.results
    }

    /// Number of regions: runs of steps on one device.
    pub fn regions(&self) -> usize {
        self.steps.chunk_by(|a, b| a.device == b.device).count()
    }

    /// Operations of one run, as far as known.
    pub fn flops(&self) -> f64 {
        // The sum of an empty iterator would be -0.
        self.steps.iter().filter_map(|s| s.flops).fold(0.0, |sum, n| sum + n)
    }
}

/// An op on a device that may compute few rows in another way than many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowDependent {
    /// The op; for a region of several, the first.
    pub op: OpName,
    /// The device's name.
    pub device: String,
}

impl Plan {
    /// The steps whose kernels depend on the number of rows, see [`Executable::depends_on_rows`].
    ///
    /// [`Executable::depends_on_rows`]: trident_runtime::Executable::depends_on_rows
    pub(crate) fn row_dependent(&self) -> Vec<RowDependent> {
        fn walk(block: &BlockPlan, found: &mut Vec<RowDependent>) {
            for step in &block.steps {
                if matches!(&step.work, Work::Kernel(exe) if exe.depends_on_rows()) {
                    let device = step.choice.device.clone();
                    found.push(RowDependent { op: step.op.name(), device });
                }
                step.work.blocks().iter().for_each(|nested| walk(nested, found));
            }
        }
        let mut found = vec![];
        walk(&self.body, &mut found);
        found
    }

    /// The plan's report, with the types of `func`; an error if a value exceeds the address space.
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

/// An error if the size of a value exceeds the address space.
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
            node: op.loc.as_ref().map(Loc::to_string).unwrap_or_default(),
            kernel: step.work.kernel().to_owned(),
            device: step.choice.device.clone(),
            reason: step.choice.reason.clone(),
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
