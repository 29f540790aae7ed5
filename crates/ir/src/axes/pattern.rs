//! Patterns of axes: `...m_, ..._k -> ...mk`.

use super::{Axes, Axis, Label, OperandAxes, ResultAxes, rank};
use crate::Dim;
use crate::shape::View;

/// The axes that a term says of an operand or a result.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Term {
    before: Vec<Axis>,
    rest: Option<Rest>,
    after: Vec<Axis>,
}

/// The axes that a term does not list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rest {
    /// `...` (with broadcasting) or `..`.
    Carried { broadcasts: bool },
    /// `*`.
    Mixed,
}

impl Term {
    /// Reads a term; `None` if it is not one.
    pub(super) fn read(text: &str) -> Option<Term> {
        let mut term = Term { before: vec![], rest: None, after: vec![] };
        let mut left = text.trim();
        while let Some(first) = left.chars().next() {
            let rests = [
                ("...", Rest::Carried { broadcasts: true }),
                ("..", Rest::Carried { broadcasts: false }),
                ("*", Rest::Mixed),
            ];
            if let Some((sign, rest)) = rests.into_iter().find(|(sign, _)| left.starts_with(sign)) {
                if term.rest.replace(rest).is_some() {
                    return None;
                }
                left = &left[sign.len()..];
                continue;
            }
            left = &left[first.len_utf8()..];
            let broadcasts = left.starts_with('?');
            let axis = match first {
                '_' if !broadcasts => Axis::Mixed,
                'a'..='z' => Axis::Carried { label: Label(first as usize), broadcasts },
                _ => return None,
            };
            left = left.strip_prefix('?').unwrap_or(left);
            match term.rest {
                None => term.before.push(axis),
                Some(_) => term.after.push(axis),
            }
        }
        Some(term)
    }

    /// The number of axes that it does not list, of an operand of this rank; `None` if it does not fit.
    fn remaining(&self, rank: usize) -> Option<usize> {
        let remaining = rank.checked_sub(self.before.len() + self.after.len())?;
        (self.rest.is_some() || remaining == 0).then_some(remaining)
    }

    /// The axes, with so many that it does not list.
    fn axes(&self, remaining: usize) -> Vec<Axis> {
        let rest = (0..remaining).rev().map(|after| match self.rest {
            Some(Rest::Carried { broadcasts }) => {
                Axis::Carried { label: Label::from_end(after), broadcasts }
            }
            Some(Rest::Mixed) | None => Axis::Mixed,
        });
        self.before.iter().copied().chain(rest).chain(self.after.iter().copied()).collect()
    }

    /// Whether it says something of the axes.
    fn is_open(&self) -> bool {
        *self == Term { before: vec![], rest: Some(Rest::Mixed), after: vec![] }
    }
}

/// The terms of operands and results of each form; `None` if the text is not a pattern.
pub(super) fn read(pattern: &str) -> Option<Vec<(Vec<Term>, Vec<Term>)>> {
    let form = |form: &str| {
        let (operands, results) = form.split_once("->")?;
        let terms = |side: &str| side.split(',').map(Term::read).collect::<Option<Vec<_>>>();
        Some((terms(operands)?, terms(results)?))
    };
    pattern.split('|').map(form).collect()
}

/// The statement of the first form that fits the ranks of the operands.
pub(super) fn apply(cx: &View<'_>, pattern: &str) -> Option<Axes> {
    let forms = read(pattern)?;
    forms.iter().find_map(|(operands, results)| fitted(cx, operands, results))
}

fn fitted(cx: &View<'_>, operands: &[Term], results: &[Term]) -> Option<Axes> {
    let mut rest = 0;
    let source = |i: usize| {
        let term = operands.get(i).or(operands.last())?;
        if term.is_open() || !cx.has(i) {
            return Some(OperandAxes::mixed());
        }
        let remaining = term.remaining(rank(cx, i)?)?;
        if matches!(term.rest, Some(Rest::Carried { .. })) {
            rest = rest.max(remaining);
        }
        Some(OperandAxes::Elements(term.axes(remaining)))
    };
    let operands = (0..cx.op.inputs.len()).map(source).collect::<Option<Vec<_>>>()?;
    let sink = |(i, value): (usize, &Option<crate::ValueId>)| {
        let term = results.get(i).or(results.last())?;
        let remaining = match term.rest {
            Some(Rest::Carried { .. }) => rest,
            // New axes count only where axes with labels follow.
            Some(Rest::Mixed) if term.after.is_empty() => 0,
            Some(Rest::Mixed) => {
                let rank = value.and_then(|value| cx.func.ty(value).shape().map(<[Dim]>::len));
                term.remaining(rank?)?
            }
            None => 0,
        };
        let labels = term.axes(remaining).into_iter().map(Axis::label);
        Some(ResultAxes::Labels(labels.collect()))
    };
    let results = cx.op.outputs.iter().enumerate().map(sink).collect::<Option<Vec<_>>>()?;
    Some(Axes { operands, results })
}
