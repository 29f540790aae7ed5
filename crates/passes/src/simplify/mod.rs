//! Removal of ops that have no effect, that repeat another op, or whose result is known.

mod branches;
mod casts;
mod chains;
mod common;
mod dead;
mod neutral;
mod no_ops;
pub(crate) mod shapes;

pub(crate) use common::run as common_subexpressions;
pub(crate) use dead::run as dead_code;

use crate::rewrite::{Named, run};
use trident_ir::Func;
use trident_ir::rewrite::PassReport;

const RULES: &[Named<'static>] = &[
    ("no-ops", &no_ops::no_op),
    ("casts", &casts::cast),
    ("neutral-elements", &neutral::neutral),
    ("sum-to-add", &neutral::sum_to_add),
    ("transpose-chains", &chains::transposes),
    ("reshape-chains", &chains::reshapes),
    ("constant-branches", &branches::constant_if),
    ("constant-branches", &branches::no_trips),
];

/// Applies all rules once, in one walk.
pub(crate) fn run_rules(func: &mut Func, enabled: &dyn Fn(&str) -> bool) -> Vec<PassReport> {
    let rules: Vec<Named<'_>> = RULES.iter().filter(|(n, _)| enabled(n)).copied().collect();
    run(func, &rules)
}

/// The names of the rules.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    RULES.iter().map(|(name, _)| *name)
}
