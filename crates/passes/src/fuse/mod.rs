//! Several ops made one that a device runs faster.

use crate::rewrite::{Named, PassReport, run};
use trident_ir::Func;

/// Rules in the order of their stages: what one stage makes, the next may take further.
const STAGES: &[&[Named<'static>]] = &[];

/// Applies all rules once, stage by stage.
pub(crate) fn run_rules(func: &mut Func, enabled: &dyn Fn(&str) -> bool) -> Vec<PassReport> {
    let mut reports = vec![];
    for stage in STAGES {
        let rules: Vec<Named<'_>> = stage.iter().filter(|(n, _)| enabled(n)).copied().collect();
        reports.extend(run(func, &rules));
    }
    reports
}

/// The names of the rules.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    STAGES.iter().copied().flatten().map(|(name, _)| *name)
}
