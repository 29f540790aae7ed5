//! The plan in words and numbers, for `trident inspect`.

use super::{BlockPlan, Plan};

/// One step of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct StepReport {
    /// How deep it is nested in control flow.
    pub depth: usize,
    /// The op.
    pub op: &'static str,
    /// The node's name, empty if it has none.
    pub node: String,
    /// The kernel chosen.
    pub kernel: String,
    /// The device; `engine` for control flow.
    pub device: String,
    /// Why this device.
    pub reason: String,
    /// Bytes of packed constants.
    pub packed_bytes: usize,
    /// Types of the results, as far as known.
    pub results: Vec<String>,
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
}

impl Plan {
    /// The plan in words and numbers.
    pub(crate) fn report(&self) -> PlanReport {
        let mut report = PlanReport::default();
        self.report_block(&self.body, 0, &mut report);
        report.constant_bytes = self.constants.iter().flatten().map(|v| v.size()).sum();
        report.packed_bytes = report.steps.iter().map(|s| s.packed_bytes).sum();
        report
    }

    fn report_block(&self, block: &BlockPlan, depth: usize, report: &mut PlanReport) {
        for step in &block.steps {
            let packed = match &step.work {
                super::Work::Kernel(exe) => exe.packed_bytes(),
                _ => 0,
            };
            report.steps.push(StepReport {
                depth,
                op: step.op.decl().name,
                node: step.op.loc.as_deref().unwrap_or_default().to_owned(),
                kernel: step.work.kernel().to_owned(),
                device: step.placement.device.clone(),
                reason: step.placement.reason.clone(),
                packed_bytes: packed,
                results: step.op.defined().map(|v| self.func.ty(v).to_string()).collect(),
            });
            for nested in step.work.blocks() {
                self.report_block(nested, depth + 1, report);
            }
        }
    }
}
