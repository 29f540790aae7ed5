//! Equations of `einsum`.

use crate::counted;
use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::{GeometryError, invalid};

/// The name of an axis: a letter, or a place in the ellipsis counted from its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Label {
    /// A place in the ellipsis.
    Ellipsis(Reverse<usize>),
    /// A letter.
    Letter(char),
}

/// Labels of each operand's axes and of the result's.
#[derive(Clone, Debug)]
pub struct Equation {
    /// Of each operand.
    pub terms: Vec<Vec<Label>>,
    /// Of the result, no label twice.
    pub result: Vec<Label>,
}

fn bad<T>(reason: String) -> Result<T, GeometryError> {
    invalid(format!("attribute `equation`: {reason}"))
}

/// The labels of a term for an operand of this rank; without a rank its ellipsis has `dots` axes.
fn labels(term: &str, rank: Option<usize>, dots: usize) -> Result<Vec<Label>, GeometryError> {
    let letters = |s: &str| -> Result<Vec<Label>, GeometryError> {
        let letter = |c: char| match c.is_ascii_alphabetic() {
            true => Ok(Label::Letter(c)),
            false => bad(format!("has `{c}`")),
        };
        s.chars().map(letter).collect()
    };
    let (before, after, dots) = match term.split_once("...") {
        Some((before, after)) => {
            let (before, after) = (letters(before)?, letters(after)?);
            let named = before.len() + after.len();
            let dots = match rank.map(|rank| (rank, rank.checked_sub(named))) {
                Some((_, Some(dots))) => dots,
                Some((rank, None)) => return bad(format!("`{term}` is longer than rank {rank}")),
                None => dots,
            };
            (before, after, dots)
        }
        None => (letters(term)?, vec![], 0),
    };
    let ellipsis = (0..dots).map(|i| Label::Ellipsis(Reverse(dots - 1 - i)));
    let all: Vec<Label> = before.into_iter().chain(ellipsis).chain(after).collect();
    match rank {
        Some(rank) if all.len() != rank => bad(format!("`{term}` does not fit rank {rank}")),
        _ => Ok(all),
    }
}

impl Equation {
    /// Reads an equation for operands of these ranks.
    pub fn parse(text: &str, ranks: &[usize]) -> Result<Equation, GeometryError> {
        let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let (left, right) = match text.split_once("->") {
            Some((left, right)) => (left, Some(right)),
            None => (&text[..], None),
        };
        let parts: Vec<&str> = left.split(',').collect();
        if parts.len() != ranks.len() {
            return bad(format!(
                "has {} for {}",
                counted(parts.len(), "term"),
                counted(ranks.len(), "operand")
            ));
        }
        let terms = parts.iter().zip(ranks).map(|(term, &rank)| labels(term, Some(rank), 0));
        let terms: Vec<_> = terms.collect::<Result<_, _>>()?;
        let dots =
            terms.iter().map(|t| t.iter().filter(|l| matches!(l, Label::Ellipsis(_))).count());
        let result = match right {
            Some(right) => labels(right, None, dots.max().unwrap_or(0))?,
            None => {
                // Letters that occur once, in order, after the ellipsis.
                let mut counts = BTreeMap::new();
                terms.iter().flatten().for_each(|l| *counts.entry(*l).or_insert(0) += 1);
                let stays = |(l, n): &(Label, i32)| *n == 1 || matches!(l, Label::Ellipsis(_));
                counts.into_iter().filter(stays).map(|(l, _)| l).collect()
            }
        };
        let mut seen = vec![];
        for &l in &result {
            if seen.contains(&l) || !terms.iter().any(|t| t.contains(&l)) {
                return bad(format!("cannot result in {l:?}"));
            }
            seen.push(l);
        }
        Ok(Equation { terms, result })
    }

    /// The length of each label, where one of length 1 broadcasts, for operands of these dimensions.
    pub fn sizes(&self, operands: &[&[usize]]) -> Result<BTreeMap<Label, usize>, GeometryError> {
        let mut sizes: BTreeMap<Label, usize> = BTreeMap::new();
        for (term, dims) in self.terms.iter().zip(operands) {
            for (i, (&l, &d)) in term.iter().zip(*dims).enumerate() {
                let first = term.iter().position(|&m| m == l).unwrap_or(i);
                if dims[first] != d {
                    return invalid(format!("a label names axes of different length of {dims:?}"));
                }
                let size = sizes.entry(l).or_insert(d);
                match (*size, d) {
                    (a, b) if a == b || b == 1 => {}
                    (1, b) => *size = b,
                    (a, b) => {
                        return invalid(format!("axes of lengths {a} and {b} share a label"));
                    }
                }
            }
        }
        Ok(sizes)
    }
}
