//! Integer expressions over named dimensions, in one canonical spelling.
//!
//! An expression is a polynomial with integer coefficients over names and over the non-polynomial terms `floor(a/b)`,
//! `max(a, b)` and `min(a, b)`. Equal spellings mean equal numbers, which is all that [`Dim::Sym`] needs. Equal numbers
//! may have different spellings, as not every identity of floors and maxima is known.

use crate::Dim;
use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

/// Terms beyond which an expression is given up as unknown.
const MAX_TERMS: usize = 24;
/// Nesting beyond which an expression is given up as unknown.
const MAX_DEPTH: usize = 6;

/// An integer, as a sum of products of [`Atom`]s.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Expr {
    /// Sorted factors and their coefficient, which is never 0; no factors for the constant term. Sorted by factors.
    terms: Vec<Term>,
}

type Term = (Vec<Atom>, i64);

/// A factor that is not taken apart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Atom {
    /// A named dimension: a number that is not negative.
    Name(Arc<str>),
    /// The quotient, rounded down.
    Floor(Arc<Pair>),
    /// The greater of two.
    Max(Arc<Pair>),
    /// The lesser of two.
    Min(Arc<Pair>),
}

/// The operands of an [`Atom`]; shared, because expressions are copied far more often than they are made.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Pair {
    a: Expr,
    b: Expr,
    /// The nesting of an atom of them.
    depth: usize,
}

impl Pair {
    fn of(a: &Expr, b: &Expr) -> Arc<Pair> {
        Arc::new(Pair { a: a.clone(), b: b.clone(), depth: 1 + a.depth().max(b.depth()) })
    }
}

impl From<i64> for Expr {
    fn from(value: i64) -> Expr {
        Expr { terms: if value == 0 { vec![] } else { vec![(vec![], value)] } }
    }
}

impl Expr {
    /// The expression that a dimension stands for; `None` if nothing is known of it.
    pub fn of(dim: &Dim) -> Option<Expr> {
        match dim {
            Dim::Fixed(n) => i64::try_from(*n).ok().map(Expr::from),
            Dim::Sym(name) => {
                Some(super::parse::parse(name).unwrap_or_else(|| Expr::name(name.clone())))
            }
            Dim::Unknown => None,
        }
    }

    /// The dimension; unknown if it is a negative number.
    pub fn dim(&self) -> Dim {
        match self.constant() {
            Some(n) => usize::try_from(n).map_or(Dim::Unknown, Dim::Fixed),
            None => match self.as_name() {
                // A name that reads like another expression keeps its quotes.
                Some(name) if super::parse::parse(name).is_none_or(|e| e == *self) => {
                    Dim::Sym(name.clone())
                }
                _ => Dim::Sym(self.to_string().into()),
            },
        }
    }

    /// A named dimension.
    pub fn name(name: Arc<str>) -> Expr {
        Expr::atom(Atom::Name(name))
    }

    fn atom(atom: Atom) -> Expr {
        Expr { terms: vec![(vec![atom], 1)] }
    }

    /// The number, if it is one.
    pub fn constant(&self) -> Option<i64> {
        match self.terms.as_slice() {
            [] => Some(0),
            [(factors, k)] if factors.is_empty() => Some(*k),
            _ => None,
        }
    }

    /// The name, if it is nothing else.
    pub fn as_name(&self) -> Option<&Arc<str>> {
        match self.terms.as_slice() {
            [(factors, 1)] => match factors.as_slice() {
                [Atom::Name(name)] => Some(name),
                _ => None,
            },
            _ => None,
        }
    }

    fn limited(self) -> Option<Expr> {
        (self.terms.len() <= MAX_TERMS && self.depth() <= MAX_DEPTH).then_some(self)
    }

    fn depth(&self) -> usize {
        let atom = |a: &Atom| match a {
            Atom::Name(_) => 0,
            Atom::Floor(pair) | Atom::Max(pair) | Atom::Min(pair) => pair.depth,
        };
        self.terms.iter().flat_map(|(factors, _)| factors).map(atom).max().unwrap_or(0)
    }

    /// The sum; `None` if it overflows or grows out of bounds, as with all arithmetic here.
    pub fn add(&self, other: &Expr) -> Option<Expr> {
        self.plus(other, 1)
    }

    /// The difference.
    pub fn sub(&self, other: &Expr) -> Option<Expr> {
        self.plus(other, -1)
    }

    /// The sum with a multiple of the other: both lists are sorted, and so is the result.
    fn plus(&self, other: &Expr, times: i64) -> Option<Expr> {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) = (&self.terms[..], &other.terms[..]);
        loop {
            let order = match (left.first(), right.first()) {
                (Some((a, _)), Some((b, _))) => a.cmp(b),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => break,
            };
            let (mut factors, mut sum) = (None, 0i64);
            if let (Ordering::Less | Ordering::Equal, Some(((a, k), rest))) =
                (order, left.split_first())
            {
                (factors, sum, left) = (Some(a), *k, rest);
            }
            if let (Ordering::Greater | Ordering::Equal, Some(((b, k), rest))) =
                (order, right.split_first())
            {
                (factors, right) = (Some(b), rest);
                sum = sum.checked_add(k.checked_mul(times)?)?;
            }
            if let (Some(factors), true) = (factors, sum != 0) {
                terms.push((factors.clone(), sum));
            }
        }
        Expr { terms }.limited()
    }

    /// The product.
    pub fn mul(&self, other: &Expr) -> Option<Expr> {
        let mut products: Vec<Term> = Vec::with_capacity(self.terms.len() * other.terms.len());
        for (a, x) in &self.terms {
            for (b, y) in &other.terms {
                let mut factors = [a.as_slice(), b.as_slice()].concat();
                factors.sort();
                products.push((factors, x.checked_mul(*y)?));
            }
        }
        products.sort_by(|(a, _), (b, _)| a.cmp(b));
        let mut terms: Vec<Term> = Vec::with_capacity(products.len());
        for (factors, k) in products {
            match terms.last_mut() {
                Some((last, sum)) if *last == factors => *sum = sum.checked_add(k)?,
                _ => terms.push((factors, k)),
            }
        }
        terms.retain(|(_, k)| *k != 0);
        Expr { terms }.limited()
    }

    /// The quotient if the division leaves no remainder whatever the names stand for (they are taken
    /// as not 0 in the divisor).
    pub fn div_exact(&self, other: &Expr) -> Option<Expr> {
        let (divisor, k) = match other.terms.as_slice() {
            [(factors, k)] => (factors, *k),
            _ => return (!other.terms.is_empty() && self == other).then(|| Expr::from(1)),
        };
        let mut terms = Vec::with_capacity(self.terms.len());
        for (factors, c) in &self.terms {
            if c.checked_rem(k)? != 0 {
                return None;
            }
            let mut left = factors.clone();
            for atom in divisor {
                left.remove(left.iter().position(|a| a == atom)?);
            }
            terms.push((left, c.checked_div(k)?));
        }
        terms.sort();
        Some(Expr { terms })
    }

    /// The quotient rounded down; `None` if the divisor may be 0 or negative.
    pub fn div_floor(&self, other: &Expr) -> Option<Expr> {
        if let (Some(a), Some(b)) = (self.constant(), other.constant()) {
            return (b > 0).then(|| Expr::from(a.div_euclid(b)));
        }
        if !other.constant().map_or(other.at_least_zero(), |k| k > 0) {
            return None;
        }
        if let Some(exact) = self.div_exact(other) {
            return Some(exact);
        }
        Expr::atom(Atom::Floor(Pair::of(self, other))).limited()
    }

    /// The quotient rounded up, by a positive number.
    pub fn div_ceil(&self, divisor: i64) -> Option<Expr> {
        self.add(&Expr::from(divisor.checked_sub(1)?))?.div_floor(&Expr::from(divisor))
    }

    /// The greater of both.
    pub fn maximum(&self, other: &Expr) -> Option<Expr> {
        self.choose(other, true)
    }

    /// The lesser of both.
    pub fn minimum(&self, other: &Expr) -> Option<Expr> {
        self.choose(other, false)
    }

    fn choose(&self, other: &Expr, greatest: bool) -> Option<Expr> {
        let difference = self.sub(other)?;
        if difference.at_least_zero() {
            return Some(if greatest { self } else { other }.clone());
        }
        if difference.mul(&Expr::from(-1))?.at_least_zero() {
            return Some(if greatest { other } else { self }.clone());
        }
        let (a, b) = if self <= other { (self, other) } else { (other, self) };
        let pair = Pair::of(a, b);
        Expr::atom(if greatest { Atom::Max(pair) } else { Atom::Min(pair) }).limited()
    }

    /// The other operand, if this is the lesser of something and a positive number.
    pub(crate) fn capped(&self) -> Option<&Expr> {
        let [(factors, 1)] = self.terms.as_slice() else { return None };
        let [Atom::Min(pair)] = factors.as_slice() else { return None };
        let is_positive = |e: &Expr| e.constant().is_some_and(|k| k > 0);
        match &**pair {
            Pair { a, b, .. } if is_positive(a) => Some(b),
            Pair { a, b, .. } if is_positive(b) => Some(a),
            _ => None,
        }
    }

    /// Whether it is not negative, whatever the names stand for (`false`: not known).
    pub fn at_least_zero(&self) -> bool {
        let atom = |a: &Atom| match a {
            Atom::Name(_) => true,
            Atom::Floor(p) | Atom::Min(p) => p.a.at_least_zero() && p.b.at_least_zero(),
            Atom::Max(p) => p.a.at_least_zero() || p.b.at_least_zero(),
        };
        self.terms.iter().all(|(factors, k)| *k > 0 && factors.iter().all(atom))
    }

    /// Whether it is greater than 0, whatever the names stand for (`false`: not known).
    pub fn positive(&self) -> bool {
        self.sub(&Expr::from(1)).is_some_and(|e| e.at_least_zero())
    }

    /// Puts expressions in the place of names.
    pub fn substitute(&self, lookup: &dyn Fn(&str) -> Option<Expr>) -> Option<Expr> {
        let mut sum = Expr::default();
        for (factors, k) in &self.terms {
            let mut product = Expr::from(*k);
            let both = |p: &Pair| p.a.substitute(lookup).zip(p.b.substitute(lookup));
            for atom in factors {
                let value = match atom {
                    Atom::Name(name) => lookup(name).unwrap_or_else(|| Expr::name(name.clone())),
                    Atom::Floor(pair) => both(pair).and_then(|(a, b)| a.div_floor(&b))?,
                    Atom::Max(pair) => both(pair).and_then(|(a, b)| a.maximum(&b))?,
                    Atom::Min(pair) => both(pair).and_then(|(a, b)| a.minimum(&b))?,
                };
                product = product.mul(&value)?;
            }
            sum = sum.add(&product)?;
        }
        Some(sum)
    }

    /// The same expression written with a function of two operands, for the parser.
    pub(super) fn call(name: &str, a: &Expr, b: &Expr) -> Option<Expr> {
        match name {
            "floor" => a.div_floor(b),
            "max" => a.maximum(b),
            "min" => a.minimum(b),
            _ => None,
        }
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.terms.is_empty() {
            return f.write_str("0");
        }
        // Products of more factors first, the constant last: `N*M+2*N+1`.
        let mut terms: Vec<_> = self.terms.iter().collect();
        terms.sort_by(|(a, _), (b, _)| b.len().cmp(&a.len()).then(a.cmp(b)));
        for (i, (factors, k)) in terms.into_iter().enumerate() {
            match (i, *k < 0) {
                (_, true) => f.write_str("-")?,
                (0, false) => {}
                (_, false) => f.write_str("+")?,
            }
            let magnitude = k.unsigned_abs();
            if factors.is_empty() || magnitude != 1 {
                write!(f, "{magnitude}{}", if factors.is_empty() { "" } else { "*" })?;
            }
            for (j, atom) in factors.iter().enumerate() {
                write!(f, "{}{atom}", if j > 0 { "*" } else { "" })?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Atom::Name(name) if super::parse::is_identifier(name) => f.write_str(name),
            Atom::Name(name) => write!(f, "`{name}`"),
            Atom::Floor(pair) => write!(f, "floor(({})/({}))", pair.a, pair.b),
            Atom::Max(pair) => write!(f, "max({}, {})", pair.a, pair.b),
            Atom::Min(pair) => write!(f, "min({}, {})", pair.a, pair.b),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn e(text: &str) -> Expr {
        Expr::of(&Dim::sym(text)).unwrap()
    }

    #[test]
    fn spellings_are_canonical() {
        for (text, expected) in [
            ("1+2*N", "2*N+1"),
            ("N + N", "2*N"),
            ("M*N - N*M", "0"),
            ("past_len + seq-1", "past_len+seq-1"),
            ("(N+1)*(N-1)", "N*N-1"),
            ("(N+1)*(N+1)*2-4*N", "2*N*N+2"),
            ("N*M+M - (M*N+N) - M", "-N"),
            ("min(N, 8)-min(8, N)+M", "M"),
            ("floor((2*N)/2)", "N"),
            ("floor((N-1)/(2))+1", "floor((N-1)/(2))+1"),
            ("max(N, N+3)", "N+3"),
        ] {
            assert_eq!(e(text).to_string(), expected, "{text}");
            assert_eq!(e(expected).to_string(), expected, "{text} does not come back");
        }
    }

    #[test]
    fn odd_names_are_names() {
        for name in ["batch size", "unk__12?", "a//b", "", "N+"] {
            let dim = e(name).dim();
            assert_eq!(dim, Dim::sym(name));
            let twice = e(name).add(&e(name)).unwrap().dim();
            assert_eq!(Expr::of(&twice), e(name).mul(&Expr::from(2)));
        }
    }

    #[test]
    fn division_is_exact_or_a_floor() {
        assert_eq!(e("6*N*M").div_exact(&e("3*N")), Some(e("2*M")));
        assert_eq!(e("N+1").div_exact(&e("2")), None);
        assert_eq!(
            e("N+1").div_ceil(2).map(|e| e.to_string()).as_deref(),
            Some("floor((N+2)/(2))")
        );
        assert_eq!(Expr::from(-3).div_floor(&Expr::from(2)), Some(Expr::from(-2)));
        assert_eq!(e("N").div_floor(&Expr::from(0)), None);
    }

    #[test]
    fn names_take_values() {
        let at = |n: i64| move |name: &str| (name == "N").then(|| Expr::from(n));
        let x = e("floor((N-3)/(2))+N*M");
        assert_eq!(x.substitute(&at(7)), Some(e("7*M+2")));
    }

    #[test]
    fn overflow_is_unknown() {
        assert_eq!(Expr::from(i64::MAX).add(&Expr::from(1)), None);
        assert_eq!(Expr::from(i64::MAX).mul(&e("2*N")), None);
    }
}
