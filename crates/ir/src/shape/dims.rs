//! Arithmetic on dimensions that may be unknown.

use super::expr::Expr;
use crate::literal::checked_len;
use crate::{Dim, Shape};

/// `op` on two dimensions; unknown if one of them is, or if it has no answer.
pub(crate) fn combine(a: &Dim, b: &Dim, op: impl Fn(&Expr, &Expr) -> Option<Expr>) -> Dim {
    match (Expr::of(a), Expr::of(b)) {
        (Some(a), Some(b)) => op(&a, &b).map_or(Dim::Unknown, |e| e.dim()),
        _ => Dim::Unknown,
    }
}

/// `op` on the expression of a dimension; unknown if that is.
pub(crate) fn map(dim: &Dim, op: impl Fn(&Expr) -> Option<Expr>) -> Dim {
    Expr::of(dim).and_then(|e| op(&e)).map_or(Dim::Unknown, |e| e.dim())
}

/// Sum.
pub(crate) fn add(a: &Dim, b: &Dim) -> Dim {
    combine(a, b, Expr::add)
}

/// Product; 0 wherever one is, even times an unknown.
pub(crate) fn mul(a: &Dim, b: &Dim) -> Dim {
    match (a, b) {
        (Dim::Fixed(0), _) | (_, Dim::Fixed(0)) => Dim::Fixed(0),
        (Dim::Fixed(a), Dim::Fixed(b)) => checked_len(&[*a, *b]).map_or(Dim::Unknown, Dim::Fixed),
        _ => combine(a, b, Expr::mul),
    }
}

/// Product of all.
pub(crate) fn product(dims: &[Dim]) -> Dim {
    // Numbers first: each product of expressions reads and writes a text.
    let numbers: Vec<usize> = dims.iter().filter_map(Dim::fixed).collect();
    let symbols = dims.iter().filter(|d| d.fixed().is_none());
    match checked_len(&numbers) {
        Some(0) => Dim::Fixed(0),
        Some(n) => symbols.fold(Dim::Fixed(n), |n, d| mul(&n, d)),
        None => Dim::Unknown,
    }
}

/// Times a number.
pub(crate) fn times(dim: &Dim, k: i64) -> Dim {
    match usize::try_from(k) {
        Ok(k) => mul(dim, &Dim::Fixed(k)),
        Err(_) => map(dim, |e| e.mul(&Expr::from(k))),
    }
}

/// A dimension divided by a number that must divide it; rounded down if it is symbolic.
pub(crate) fn part(dim: &Dim, k: i64) -> Dim {
    map(dim, |e| e.div_floor(&Expr::from(k)))
}

/// As many unknown dimensions.
pub(crate) fn unknown(rank: usize) -> Shape {
    vec![Dim::Unknown; rank]
}

/// The knowledge about a dimension that is both; `None` if it cannot be.
pub(crate) fn unify(a: &Dim, b: &Dim) -> Option<Dim> {
    match (a, b) {
        (Dim::Fixed(x), Dim::Fixed(y)) => (x == y).then(|| a.clone()),
        (Dim::Fixed(_), _) | (_, Dim::Unknown) => Some(a.clone()),
        (_, Dim::Fixed(_)) | (Dim::Unknown, _) => Some(b.clone()),
        (Dim::Sym(_), Dim::Sym(_)) => Some(a.clone()),
    }
}

/// The knowledge about a dimension that is one or the other.
pub(crate) fn join(a: &Dim, b: &Dim) -> Dim {
    if a == b { a.clone() } else { Dim::Unknown }
}

/// NumPy's broadcasting of two dimensions; `None` if they cannot be broadcast.
fn broadcast_dim(a: &Dim, b: &Dim) -> Option<Dim> {
    Some(match (a, b) {
        (Dim::Fixed(x), Dim::Fixed(y)) if x != y && *x != 1 && *y != 1 => return None,
        (Dim::Fixed(1), other) | (other, Dim::Fixed(1)) => other.clone(),
        // The other can only be the same, or 1.
        (Dim::Fixed(n), _) | (_, Dim::Fixed(n)) => Dim::Fixed(*n),
        _ if a.same(b) => a.clone(),
        // min(n, k) that is not n is k, which broadcasts with n only if k is 1: the result is n either way.
        _ if is_capped(a, b) => b.clone(),
        _ if is_capped(b, a) => a.clone(),
        _ => Dim::Unknown,
    })
}

/// Whether `a` is min(b, k) with a positive number k.
fn is_capped(a: &Dim, b: &Dim) -> bool {
    match (Expr::of(a), Expr::of(b)) {
        (Some(a), Some(b)) => a.capped() == Some(&b),
        _ => false,
    }
}

/// NumPy's broadcasting; `None` if the shapes cannot be broadcast.
pub(crate) fn broadcast(a: &[Dim], b: &[Dim]) -> Option<Shape> {
    let rank = a.len().max(b.len());
    let one = Dim::Fixed(1);
    let at = |s: &'_ [Dim], i: usize| {
        (i + s.len()).checked_sub(rank).and_then(|j| s.get(j)).unwrap_or(&one).clone()
    };
    (0..rank).map(|i| broadcast_dim(&at(a, i), &at(b, i))).collect()
}

/// A shape as errors print it.
pub(crate) fn show(shape: &[Dim]) -> String {
    let dims: Vec<_> = shape.iter().map(Dim::to_string).collect();
    format!("[{}]", dims.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broadcasting_keeps_what_is_certain() {
        let (n, m) = (Dim::sym("N"), Dim::sym("M"));
        let f = Dim::Fixed;
        assert_eq!(broadcast(&[n.clone(), f(1)], &[f(5)]), Some(vec![n.clone(), f(5)]));
        let ns = [n.clone()];
        assert_eq!(broadcast(&ns, &ns), Some(ns.to_vec()));
        assert_eq!(broadcast(&ns, &[m]), Some(vec![Dim::Unknown]));
        assert_eq!(broadcast(&[n], &[f(4)]), Some(vec![f(4)]));
        assert_eq!(broadcast(&[Dim::Unknown], &[Dim::Unknown]), Some(vec![Dim::Unknown]));
        assert_eq!(broadcast(&[f(3)], &[f(4)]), None);
        assert_eq!(broadcast(&ns, &[Dim::sym("min(512, N)")]), Some(ns.to_vec()));
        assert_eq!(broadcast(&[Dim::sym("min(M, N)")], &ns), Some(vec![Dim::Unknown]));
    }

    #[test]
    fn products_know_zero() {
        assert_eq!(product(&[Dim::Unknown, Dim::Fixed(0)]), Dim::Fixed(0));
        assert_eq!(product(&[Dim::sym("N"), Dim::Fixed(2)]), Dim::sym("2*N"));
        assert_eq!(product(&[]), Dim::Fixed(1));
    }
}
