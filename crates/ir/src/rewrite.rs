//! The interface between callers of rewrites and the rewrites of functions: the context that a rewrite may query, and
//! its report. Passes implement rewrites, devices choose among them, and the engine asks devices.

use crate::shape::ShapeError;
use crate::verify::VerifyError;
use crate::{Func, Literal, Op};
use std::fmt;

/// Runs one op on constants. It gets one entry for each operand, `None` if absent, and returns one entry for each
/// result, `None` if the op does not have it. `None` as a whole means that the op cannot be run ahead of time.
pub type Evaluate<'a> = dyn Fn(&Func, &Op, &[Option<Literal>]) -> Option<Vec<Option<Literal>>> + 'a;

/// The surroundings of a rewrite.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// Runs ops on constants, for constant folding.
    pub evaluate: &'a Evaluate<'a>,
    /// Passes to leave out, by name or by kind.
    pub disabled: &'a [String],
    /// Whether the function is a part of another one. Its parameters may then be values from whose contents types followed
    /// in the whole function, so types that are known already are kept.
    pub part: bool,
}

impl Context<'_> {
    /// Whether a pass, or a kind of passes, is to run.
    pub fn enabled(&self, name: &str) -> bool {
        !self.disabled.iter().any(|disabled| disabled == name)
    }
}

impl fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Context { disabled, part, .. } = self;
        f.debug_struct("Context").field("disabled", disabled).field("part", part).finish()
    }
}

/// How often a pass applied, and to which ops.
#[derive(Clone, Debug, PartialEq)]
pub struct PassReport {
    /// Name of the pass.
    pub pass: &'static str,
    /// How often it applied.
    pub count: usize,
    /// The ops it applied to, as errors describe them.
    pub details: Vec<String>,
}

/// Everything that passes did to a function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RewriteReport {
    /// One entry for each pass that applied, in the order of their first application.
    pub passes: Vec<PassReport>,
}

impl RewriteReport {
    /// Adds the reports of more passes. Returns whether one of them applied.
    pub fn add(&mut self, more: Vec<PassReport>) -> bool {
        let changed = more.iter().any(|report| report.count > 0);
        for report in more {
            match self.passes.iter_mut().find(|known| known.pass == report.pass) {
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

/// Why a function cannot be rewritten.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RewriteError {
    /// The function contradicts itself.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A pass broke the function: a mistake in the pass.
    #[error(
        "internal error: optimisation `{pass}` broke the model: {source}; please report it with the model"
    )]
    Broken {
        /// The pass.
        pass: &'static str,
        /// The broken rule.
        source: VerifyError,
    },
}
