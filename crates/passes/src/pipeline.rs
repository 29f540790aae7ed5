//! The order of passes: the canonical form that every device sees, then the rewrites that a device lists.

use crate::layout::{self, Layouts};
use crate::rewrite::{Named, run};
use crate::{fold, fuse, recognise, simplify, types};
use std::collections::HashSet;
use trident_ir::rewrite::{Context, PassReport, RewriteError, RewriteReport};
use trident_ir::{Func, OpKind};

/// Rounds after which passes that still find something are left alone.
const MAX_ROUNDS: usize = 6;

/// Rules with names, which share one walk over a function.
#[derive(Clone, Copy)]
pub struct Rules(pub(crate) &'static [Named<'static>]);

impl Rules {
    /// The names of the rules.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|(name, _)| *name)
    }
}

/// Rules in the order of their stages: a later stage may match the results of an earlier one. The rules of a stage
/// share one walk.
pub type Stages = &'static [&'static [Rules]];

/// The rules that lead to the canonical form.
const CANONICAL: Stages =
    &[&[fold::NORMS], &[fold::WEIGHTS, recognise::FORMULAS], &[recognise::PRODUCTS]];

/// A step of a device's list of rewrites.
#[derive(Clone, Copy)]
pub enum RewriteStep {
    /// Applies rules until none of them finds anything, and simplifies and folds between.
    Repeat(Stages),
    /// Applies rules once.
    Once(Rules),
    /// Folds constants that are dequantised. Until then they stay ops, for the rules that look for them. If there were
    /// any, weights are folded and patterns recognised again, and these rules are applied until none matches.
    Dequantize(Stages),
    /// Brings ops into a layout that the device has kernels for. No other step looks for the ops that this leads to.
    Layout(&'static Layouts),
}

impl RewriteStep {
    /// The names of its rules.
    fn names(self) -> impl Iterator<Item = &'static str> {
        let (stages, once, layout) = match self {
            RewriteStep::Repeat(stages) | RewriteStep::Dequantize(stages) => (stages, None, None),
            RewriteStep::Once(rules) => (&[][..], Some(rules), None),
            RewriteStep::Layout(_) => (&[][..], None, Some(layout::names())),
        };
        let rules = stages.iter().copied().flatten().copied().chain(once);
        rules.flat_map(Rules::names).chain(layout.into_iter().flatten())
    }
}

/// The names of the rules of a list, each once.
pub fn names(list: &[RewriteStep]) -> Vec<&'static str> {
    unique(list.iter().flat_map(|step| step.names()))
}

/// Passes to leave out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PassOptions {
    /// Their names: of [`passes`], or `simplify`, `fold`, `fuse` or `layout` for all of a kind. `fuse` stands for all that make one
    /// op of several, whether every device or only some take the result.
    pub disabled: Vec<String>,
}

impl PassOptions {
    /// Shape inference only.
    pub fn none() -> PassOptions {
        PassOptions { disabled: ["simplify", "fold", "fuse", "layout"].map(str::to_owned).to_vec() }
    }
}

/// The names of all passes that can be left out.
pub fn passes() -> Vec<&'static str> {
    let always = ["dead-code", "common-subexpressions", "fold-shapes", "fold-constants"];
    let simplify = simplify::names().chain([simplify::shapes::NAME]);
    unique(always.into_iter().chain(simplify).chain(fusions()).chain(layout::names()))
}

/// The names of the passes that make one op of several.
pub fn fusions() -> Vec<&'static str> {
    let canonical = CANONICAL.iter().copied().flatten().copied().flat_map(Rules::names);
    unique(canonical.chain(names(fuse::ALL)))
}

fn unique(names: impl Iterator<Item = &'static str>) -> Vec<&'static str> {
    let mut seen = HashSet::new();
    names.filter(|name| seen.insert(*name)).collect()
}

/// Brings a function into the form in which devices claim its ops: types are inferred, constants folded, and patterns
/// replaced by the ops that they stand for.
///
/// Results keep their names and meaning: patterns may round differently, nothing else changes. Constants that are dequantised
/// stay ops, as some devices compute on quantised tensors: [`rewrite`] or [`finish`] folds the others.
pub fn canonicalize(func: &mut Func, cx: &Context<'_>) -> Result<RewriteReport, RewriteError> {
    types::infer(func, cx)?;
    let mut run = Run { func, cx, keep: QUANTIZED, report: RewriteReport::default() };
    run.clean()?;
    run.repeat(CANONICAL)?;
    Ok(run.report)
}

/// Makes arithmetic on shapes independent of ops that only compute contents. It is of use in a function for several devices: a device
/// that runs a long region then need not stop in the middle for a shape that another one computes.
pub fn free_shapes(func: &mut Func, cx: &Context<'_>) -> Result<RewriteReport, RewriteError> {
    let mut run = Run { func, cx, keep: QUANTIZED, report: RewriteReport::default() };
    if cx.enabled("simplify") && cx.enabled(simplify::shapes::NAME) {
        let reports = simplify::shapes::run(run.func);
        run.done(simplify::shapes::NAME, reports)?;
    }
    Ok(run.report)
}

/// Applies a device's list to a canonical function.
pub fn rewrite(
    func: &mut Func,
    list: &[RewriteStep],
    cx: &Context<'_>,
) -> Result<RewriteReport, RewriteError> {
    let mut run = Run { func, cx, keep: QUANTIZED, report: RewriteReport::default() };
    let (mut dirty, fuses) = (false, cx.enabled("fuse"));
    for step in list {
        if dirty {
            run.clean()?;
            dirty = false;
        }
        match *step {
            RewriteStep::Repeat(stages) => run.repeat(stages)?,
            RewriteStep::Once(rules) if fuses => dirty = run.stage(&[rules])?,
            RewriteStep::Once(_) => {}
            RewriteStep::Dequantize(stages) => {
                if run.dequantize()? {
                    run.repeat(stages)?;
                }
            }
            RewriteStep::Layout(layouts) => run.layout(layouts)?,
        }
    }
    if dirty {
        types::infer(run.func, cx)?;
    }
    Ok(run.report)
}

/// Folds the constants that [`canonicalize`] has left for devices that compute on quantised tensors, in a function
/// whose devices do not.
pub fn finish(func: &mut Func, cx: &Context<'_>) -> Result<RewriteReport, RewriteError> {
    let mut run = Run { func, cx, keep: QUANTIZED, report: RewriteReport::default() };
    run.dequantize()?;
    Ok(run.report)
}

/// The ops on constants that are not folded at first.
const QUANTIZED: &[OpKind] = &[OpKind::DequantizeLinear];

/// Passes over a function.
struct Run<'a, 'f> {
    func: &'f mut Func,
    cx: &'a Context<'a>,
    /// The ops on constants that are not folded.
    keep: &'static [OpKind],
    report: RewriteReport,
}

impl Run<'_, '_> {
    /// Fuses until nothing changes, simplifying between.
    fn repeat(&mut self, stages: Stages) -> Result<(), RewriteError> {
        if self.cx.enabled("fuse") {
            for _ in 0..MAX_ROUNDS {
                let mut changed = false;
                for stage in stages {
                    changed |= self.stage(stage)?;
                }
                if !changed {
                    break;
                }
                self.clean()?;
            }
        }
        Ok(())
    }

    /// Applies the rules that are not disabled, in one walk. Returns whether one applied.
    fn stage(&mut self, rules: &[Rules]) -> Result<bool, RewriteError> {
        let rules = rules.iter().flat_map(|rules| rules.0).copied();
        let rules: Vec<Named<'_>> = rules.filter(|(name, _)| self.cx.enabled(name)).collect();
        let reports = run(self.func, &rules);
        self.done("fuse", reports)
    }

    /// Brings ops into a layout, and folds and drops the conversions that need not be run.
    fn layout(&mut self, layouts: &Layouts) -> Result<(), RewriteError> {
        if !self.cx.enabled("layout") {
            return Ok(());
        }
        if let Some(reports) = layout::assign(self.func, layouts, self.cx) {
            self.done("layout", reports)?;
            self.stage(&[layout::CANCEL])?;
            self.clean()?;
        }
        Ok(())
    }

    /// Folds dequantised constants. Returns whether there were any.
    fn dequantize(&mut self) -> Result<bool, RewriteError> {
        self.keep = &[];
        let mut found = false;
        self.func.body.walk(&mut |op| found |= QUANTIZED.contains(&op.kind));
        if !found {
            return Ok(false);
        }
        let before = self.report.count("fold-constants");
        self.clean()?;
        let folded = self.report.count("fold-constants") > before;
        if folded {
            self.repeat(CANONICAL)?;
        }
        Ok(folded)
    }

    /// Simplifies and folds until nothing changes.
    fn clean(&mut self) -> Result<(), RewriteError> {
        let cx = self.cx;
        for _ in 0..MAX_ROUNDS {
            let mut changed = false;
            if cx.enabled("simplify") {
                if cx.enabled("dead-code") {
                    let reports = simplify::dead_code(self.func);
                    self.done("dead-code", reports)?;
                }
                let reports = simplify::run_rules(self.func, &|name| cx.enabled(name));
                changed |= self.done("simplify", reports)?;
                if cx.enabled("common-subexpressions") {
                    let reports = simplify::common_subexpressions(self.func);
                    changed |= self.done("common-subexpressions", reports)?;
                }
            }
            let mut typed = false;
            if cx.enabled("fold") {
                let reports = fold::constants(self.func, cx, self.keep)?;
                typed = !self.done("fold", reports)?;
                changed |= !typed;
            }
            if !typed {
                types::infer(self.func, cx)?;
            }
            if !changed {
                break;
            }
        }
        Ok(())
    }

    /// Takes on reports, and verifies the function in debug builds. Returns whether a pass applied.
    fn done(&mut self, pass: &'static str, reports: Vec<PassReport>) -> Result<bool, RewriteError> {
        if cfg!(debug_assertions) {
            self.func.verify().map_err(|source| RewriteError::Broken { pass, source })?;
        }
        Ok(self.report.add(reports))
    }
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
        for (disabled, packs, count) in [
            (&[][..], true, 1),
            (&["quantized-ops"], true, 1),
            (&["quantized-weights"], true, 0),
            (&["quantized-ops", "quantized-weights"], true, 0),
            (&["quantized-ops"], false, 0),
            (&["fuse"], true, 0),
        ] {
            let mut module: Module = text.parse().unwrap();
            let disabled: Vec<String> = disabled.iter().map(|&name| name.to_owned()).collect();
            let cx = Context {
                evaluate: &|_, op, _| {
                    let found = Literal::vector(&[-1.5f32, 2.0]).with_dims(vec![2, 1]);
                    (op.kind == OpKind::DequantizeLinear).then_some(vec![found])
                },
                disabled: &disabled,
                part: false,
            };
            let func = &mut module.funcs[0];
            let canonical = canonicalize(func, &cx).unwrap();
            assert_eq!(canonical.count("fold-constants"), 0);
            let report = match packs {
                true => rewrite(func, fuse::ALL, &cx).unwrap(),
                false => finish(func, &cx).unwrap(),
            };
            assert_eq!(report.count("quantized-weights"), count, "{disabled:?}");
            assert_eq!(report.count("fold-constants"), 1 - count, "{disabled:?}");
        }
    }
}
