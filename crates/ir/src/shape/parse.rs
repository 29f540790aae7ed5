//! Reads the canonical spelling of dimension expressions, and the usual ones of exporters.

use super::expr::Expr;

/// Nesting beyond which a text is taken as a name.
const MAX_NESTING: usize = 16;

/// The expression that a text spells; `None` if it is not one.
pub(super) fn parse(text: &str) -> Option<Expr> {
    if is_identifier(text) {
        return Some(Expr::name(text.into()));
    }
    let mut parser = Parser { rest: text.trim(), nesting: 0 };
    let expr = parser.sum()?;
    parser.rest.is_empty().then_some(expr)
}

/// Whether a name needs no marks inside an expression.
pub(super) fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_alphabetic() || c == '_') && name.chars().all(is_name_char)
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | ':')
}

struct Parser<'a> {
    rest: &'a str,
    nesting: usize,
}

impl<'a> Parser<'a> {
    fn eat(&mut self, token: char) -> bool {
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn take(&mut self, fits: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !fits(c)).unwrap_or(self.rest.len());
        let (found, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        found
    }

    fn sum(&mut self) -> Option<Expr> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return None;
        }
        let minus = Expr::from(-1);
        let mut sum = if self.eat('-') { self.product()?.mul(&minus)? } else { self.product()? };
        loop {
            if self.eat('+') {
                sum = sum.add(&self.product()?)?;
            } else if self.eat('-') {
                sum = sum.sub(&self.product()?)?;
            } else {
                self.nesting -= 1;
                return Some(sum);
            }
        }
    }

    fn product(&mut self) -> Option<Expr> {
        let mut product = self.factor()?;
        while self.eat('*') {
            product = product.mul(&self.factor()?)?;
        }
        Some(product)
    }

    fn factor(&mut self) -> Option<Expr> {
        if self.eat('(') {
            let inner = self.sum()?;
            return self.eat(')').then_some(inner);
        }
        if let Some(rest) = self.rest.strip_prefix('`') {
            self.rest = rest;
            let name = self.take(|c| c != '`');
            return self.eat('`').then(|| Expr::name(name.into()));
        }
        if self.rest.starts_with(|c: char| c.is_ascii_digit()) {
            let digits = self.take(|c| c.is_ascii_digit());
            return digits.parse().ok().map(|n: i64| Expr::from(n));
        }
        let name = self.take(is_name_char);
        if !is_identifier(name) {
            return None;
        }
        if !self.eat('(') {
            return Some(Expr::name(name.into()));
        }
        let a = self.sum()?;
        let separated = if name == "floor" { self.eat('/') } else { self.eat(',') };
        let b = if separated { self.factor_or_sum(name)? } else { return None };
        if !self.eat(')') {
            return None;
        }
        Expr::call(name, &a, &b)
    }

    fn factor_or_sum(&mut self, name: &str) -> Option<Expr> {
        if name == "floor" { self.factor() } else { self.sum() }
    }
}
