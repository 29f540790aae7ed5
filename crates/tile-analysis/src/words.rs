//! Forms and guards as text.

use trident_ir::ValueId;

use super::affine::Affine;
use super::graph::NodeId;
use super::guard::{Guard, Shows};
use super::index::Bit;
use super::term::{Arith, Term, TermId, Terms};

/// Names of the coordinates along axes; those after the third are for integers that count as axes.
const COORDINATES: [&str; 8] = ["i", "j", "k", "u", "v", "w", "x", "y"];

/// The names of values and blocks.
pub(super) trait Names {
    fn scalar(&self, id: ValueId) -> String;
    fn block(&self, node: NodeId) -> String;
}

/// The context of a term: one that binds less tightly is parenthesised.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Alone,
    Sum,
    Factor,
}

fn bracketed(text: String, own: Place, place: Place) -> String {
    if own < place { format!("({text})") } else { text }
}

fn number(names: &dyn Names, terms: &Terms<ValueId>, term: TermId, place: Place) -> String {
    let of = |term, place| number(names, terms, term, place);
    match &terms[term] {
        Term::Const(value @ 0..) => value.to_string(),
        Term::Const(value) => bracketed(value.to_string(), Place::Alone, place),
        &Term::Scalar(id, _) => names.scalar(id),
        Term::Element(node, index) => {
            let bits = index.iter().enumerate().map(|(k, bit)| match bit {
                Bit::Const(set) => usize::from(*set) << k,
                Bit::Of { .. } => 0,
            });
            format!("{}[{}]", names.block(*node), bits.sum::<usize>())
        }
        &Term::Least(node) => format!("least({})", names.block(node)),
        &Term::Greatest(node) => format!("greatest({})", names.block(node)),
        &Term::Low(x) => format!("i32({})", of(x, Place::Alone)),
        &Term::Shifted(x, bits) => {
            bracketed(format!("{} >> {bits}", of(x, Place::Factor)), Place::Alone, place)
        }
        &Term::Binary(Arith::Add, x, y) => {
            let sum = format!("{} + {}", of(x, Place::Sum), of(y, Place::Sum));
            bracketed(sum, Place::Sum, place)
        }
        &Term::Binary(Arith::Sub, x, y) => {
            let difference = format!("{} - {}", of(x, Place::Sum), of(y, Place::Factor));
            bracketed(difference, Place::Sum, place)
        }
        &Term::Binary(Arith::Mul, x, y) => {
            format!("{}·{}", of(y, Place::Factor), of(x, Place::Factor))
        }
        &Term::Binary(Arith::Min, x, y) => {
            format!("min({}, {})", of(x, Place::Alone), of(y, Place::Alone))
        }
        &Term::Binary(Arith::Max, x, y) => {
            format!("max({}, {})", of(x, Place::Alone), of(y, Place::Alone))
        }
    }
}

/// `base + step·i + …`, for a block of rank `rank`.
pub(super) fn form(
    names: &dyn Names,
    terms: &Terms<ValueId>,
    form: &Affine,
    rank: usize,
) -> String {
    let mut parts = vec![];
    if terms.constant(form.base) != Some(0) {
        parts.push(number(names, terms, form.base, Place::Sum));
    }
    for (axis, step) in form.steps.iter().enumerate() {
        let Some(step) = *step else { continue };
        let at = if axis < rank { axis } else { axis - rank + 3 };
        let coordinate = COORDINATES.get(at).copied().unwrap_or("z");
        parts.push(match terms.constant(step) {
            Some(0) => continue,
            Some(1) => coordinate.into(),
            _ => format!("{}·{coordinate}", number(names, terms, step, Place::Factor)),
        });
    }
    if parts.is_empty() { "0".into() } else { parts.join(" + ") }
}

/// A line for the numbers that divide base and steps, if more is known of the base than that it is an address.
pub(super) fn divisors(terms: &Terms<ValueId>, form: &Affine) -> String {
    let base = terms.divisor(form.base);
    if base == 1 {
        return String::new();
    }
    let steps = form.steps.iter().zip(COORDINATES).filter_map(|(step, name)| {
        let divisor = terms.divisor((*step)?);
        Some(format!(", of {name} by {divisor}"))
    });
    format!("  divisible: base by {base}{}\n", steps.collect::<String>())
}

/// The facts that guards prove, one line each.
pub(super) fn shown(names: &dyn Names, guards: &[Guard<ValueId>]) -> Vec<String> {
    let mut seen: Vec<Shows> = vec![];
    for guard in guards {
        if !seen.contains(&guard.shows) {
            seen.push(guard.shows);
        }
    }
    let line = |shows: Shows| match shows {
        Shows::Exact(node) => format!("{} does not wrap around", names.block(node)),
        Shows::Remainder(node) => format!("{} is its dividend", names.block(node)),
        Shows::Near(node) => format!("elements of {} are near to each other", names.block(node)),
        Shows::Mask(node) => format!("mask {} holds everywhere", names.block(node)),
        Shows::Aligned => "its elements are aligned".into(),
        Shows::Inside => "all of it is inside".into(),
    };
    seen.into_iter().map(line).collect()
}
