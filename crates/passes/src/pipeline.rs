//! Which passes run, in which order.

use crate::fold::{self, Evaluate};
use crate::rewrite::{Named, PassReport, run};
use crate::{fuse as fusion, recognise, simplify};
use std::collections::{HashMap, HashSet};
use trident_ir::shape::{self, ShapeError};
use trident_ir::verify::VerifyError;
use trident_ir::{Func, OpKind};

/// Rules in the order of their stages: what one stage makes, the next may take further. The rules of a stage share one walk.
const STAGES: &[&[&[Named<'static>]]] = &[
    &[fold::NORMS],
    &[fusion::QUANTIZED, fold::WEIGHTS, recognise::FORMULAS],
    &[recognise::PRODUCTS, fusion::PRODUCTS],
    &[fusion::NORMS],
];

/// Rounds after which passes that still find something are left alone.
const MAX_ROUNDS: usize = 6;

/// What to run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Passes to leave out, by name: one of [`passes`], or `simplify`, `fold` or `fuse` for all of a kind.
    pub disabled: Vec<String>,
    /// Whether chains of elementwise ops become one op each, and products keep quantised weights: for devices to which a launch, or a pass over memory, costs more
    /// than what their kernels for single ops save.
    pub chains: bool,
}

impl Options {
    /// Shape inference only.
    pub fn none() -> Options {
        let disabled = ["simplify", "fold", "fuse"].map(str::to_owned).to_vec();
        Options { disabled, chains: false }
    }

    fn enabled(&self, name: &str) -> bool {
        !self.disabled.iter().any(|d| d == name)
    }
}

/// What was done to a function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// One entry for each pass that applied, in the order of their first application.
    pub passes: Vec<PassReport>,
}

impl Report {
    fn add(&mut self, more: Vec<PassReport>) -> bool {
        let changed = more.iter().any(|r| r.count > 0);
        for report in more {
            match self.passes.iter_mut().find(|p| p.pass == report.pass) {
                Some(known) => {
                    known.count += report.count;
                    known.details.extend(report.details);
                }
                None => self.passes.push(report),
            }
        }
        changed
    }

    /// How often a pass applied.
    pub fn count(&self, pass: &str) -> usize {
        self.passes.iter().filter(|p| p.pass == pass).map(|p| p.count).sum()
    }
}

/// Why a function cannot be optimised.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum OptimizeError {
    /// The function contradicts itself.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A pass broke the function: a mistake in the pass.
    #[error("pass `{pass}` broke the function: {source}")]
    Broken {
        /// The pass.
        pass: &'static str,
        /// The broken rule.
        source: VerifyError,
    },
}

/// The names of all passes that can be left out.
pub fn passes() -> Vec<&'static str> {
    let mut names = vec!["dead-code", "common-subexpressions", "fold-shapes", "fold-constants"];
    names.extend(simplify::names());
    names.extend(fusions());
    let mut seen = HashSet::new();
    names.retain(|name| seen.insert(*name));
    names
}

/// The names of the fusions among [`passes`].
pub fn fusions() -> Vec<&'static str> {
    let last: &[&[Named<'static>]] = &[fusion::CHAINS, fusion::WEIGHTS];
    STAGES
        .iter()
        .copied()
        .chain([last])
        .flatten()
        .copied()
        .flatten()
        .map(|(name, _)| *name)
        .collect()
}

/// Applies the rules of a stage that are not disabled, in one walk.
fn stage(func: &mut Func, groups: &[&[Named<'static>]], options: &Options) -> Vec<PassReport> {
    let rules = groups.iter().copied().flatten().copied();
    run(func, &rules.filter(|(name, _)| options.enabled(name)).collect::<Vec<_>>())
}

/// Infers types and runs all passes that are not disabled, until none finds anything more.
///
/// Results keep their names and meaning: fusions may round differently, nothing else changes.
pub fn optimize(
    func: &mut Func,
    options: &Options,
    evaluate: &Evaluate<'_>,
) -> Result<Report, OptimizeError> {
    let mut report = Report::default();
    shape::infer(func, &HashMap::new())?;
    // Quantised weights stay as they are for the fusions that take them so.
    let quantized = options.enabled("fuse")
        && (options.enabled("quantized-ops")
            || options.chains && options.enabled("quantized-weights"));
    let keep: &[OpKind] = if quantized { &[OpKind::DequantizeLinear] } else { &[] };
    clean(func, options, evaluate, keep, &mut report)?;
    for keep in [keep, &[]] {
        fuse(func, options, evaluate, keep, &mut report)?;
        if options.chains && options.enabled("fuse") {
            report.add(stage(func, &[fusion::WEIGHTS], options));
            checked(func, "quantized-weights")?;
        }
        clean(func, options, evaluate, &[], &mut report)?;
    }
    if options.chains && options.enabled("fuse") {
        report.add(stage(func, &[fusion::CHAINS], options));
        checked(func, "elementwise-chains")?;
        shape::infer(func, &HashMap::new())?;
    }
    Ok(report)
}

/// Fuses until nothing changes, simplifying between.
fn fuse(
    func: &mut Func,
    options: &Options,
    evaluate: &Evaluate<'_>,
    keep: &[OpKind],
    report: &mut Report,
) -> Result<(), OptimizeError> {
    if options.enabled("fuse") {
        for _ in 0..MAX_ROUNDS {
            let reports = STAGES.iter().flat_map(|groups| stage(func, groups, options)).collect();
            let changed = report.add(reports);
            checked(func, "fuse")?;
            if !changed {
                break;
            }
            clean(func, options, evaluate, keep, report)?;
        }
    }
    Ok(())
}

/// Simplifies and folds until nothing changes.
fn clean(
    func: &mut Func,
    options: &Options,
    evaluate: &Evaluate<'_>,
    keep: &[OpKind],
    report: &mut Report,
) -> Result<(), OptimizeError> {
    let enabled = |name: &str| options.enabled(name);
    for _ in 0..MAX_ROUNDS {
        let mut changed = false;
        if enabled("simplify") {
            if enabled("dead-code") {
                report.add(simplify::dead_code(func));
                checked(func, "dead-code")?;
            }
            changed |= report.add(simplify::run_rules(func, &enabled));
            checked(func, "simplify")?;
            if enabled("common-subexpressions") {
                changed |= report.add(simplify::common_subexpressions(func));
                checked(func, "common-subexpressions")?;
            }
        }
        if enabled("fold") {
            changed |= report.add(fold::constants(func, evaluate, &enabled, keep));
            checked(func, "fold")?;
        }
        shape::infer(func, &HashMap::new())?;
        if !changed {
            break;
        }
    }
    Ok(())
}

/// Verifies the function in debug builds.
fn checked(func: &Func, pass: &'static str) -> Result<(), OptimizeError> {
    if cfg!(debug_assertions) {
        func.verify().map_err(|source| OptimizeError::Broken { pass, source })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use trident_ir::{Literal, Module};

    #[test]
    fn weights_stay_quantised_without_products_of_integers() {
        let text = "func @f graph (%a: f32[N, 2]) -> (f32[*]) {
            %w = constant {value = i8[2, 1](-3, 4)}
            %s = constant {value = f32[](0.5)}
            %d = dequantize_linear(%w, %s)
            %y = matmul(%a, %d)
            return %y
        }";
        let evaluate: &Evaluate<'_> = &|_, op, _| {
            let found = Literal::vector(&[-1.5f32, 2.0]).with_dims(vec![2, 1]);
            (op.kind == OpKind::DequantizeLinear).then_some(vec![found])
        };
        for (disabled, chains, count) in [
            (&[][..], true, 1),
            (&["quantized-ops"], true, 1),
            (&["quantized-weights"], true, 0),
            (&["quantized-ops", "quantized-weights"], true, 0),
            (&["quantized-ops"], false, 0),
        ] {
            let mut module: Module = text.parse().unwrap();
            let disabled = disabled.iter().map(|&name| name.to_owned()).collect();
            let options = Options { disabled, chains };
            let report = optimize(&mut module.funcs[0], &options, evaluate).unwrap();
            assert_eq!(report.count("quantized-weights"), count, "{options:?}");
            assert_eq!(report.count("fold-constants"), 1 - count, "{options:?}");
        }
    }
}
