//! Forms of vectors that mean something else in OpenCL.

use super::{Lint, STATIC, VECTOR_COMPARISON, VECTOR_COMPONENT, VECTOR_LITERAL};
use crate::text::{angle, close, split};
use std::ops::Range;

const ELEMENTS: [&str; 12] = [
    "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "half", "bfloat",
    "bool",
];

fn is_vector(word: &str) -> bool {
    let element = word.strip_suffix(['2', '3', '4']);
    element.is_some_and(|element| ELEMENTS.contains(&element))
}

/// Whether a component is one of OpenCL's: `s0`, `s12`.
fn is_numbered(word: &str) -> bool {
    word.strip_prefix(['s', 'S'])
        .is_some_and(|digits| !digits.is_empty() && digits.chars().all(|c| c.is_ascii_hexdigit()))
}

impl Lint<'_> {
    pub(super) fn vectors(&mut self) {
        for at in 0..self.tokens.len() {
            let token = &self.tokens[at];
            if token.is(".") && self.is_word(at + 1) && !self.is(at + 2, "(") {
                let name = self.tokens[at + 1].text;
                if is_numbered(name) && !self.declares(name) {
                    let message = format!("vectors have no component `{name}`; hint: x, y, z, w");
                    self.report(VECTOR_COMPONENT, at + 1, message);
                }
            } else if token.is_word() && is_vector(token.text) {
                self.vector(at);
            }
        }
        for function in self.functions.clone() {
            for at in function.body {
                if self.is(at, "static") {
                    let message = "a variable of a function is not `static`; hint: declare a `constant` \
                                   at program scope";
                    self.report(STATIC, at, message.to_owned());
                }
            }
        }
    }

    /// Whether a struct has a member of this name.
    fn declares(&self, name: &str) -> bool {
        let mut records = self.items.iter().filter(|item| item.sort == crate::text::Sort::Record);
        records.any(|item| self.tokens[item.body.clone()].iter().any(|token| token.is(name)))
    }

    /// A literal or constructor with the type at `at`.
    fn vector(&mut self, at: usize) {
        let name = self.tokens[at].text;
        if at > 0 && self.is(at - 1, "(") && self.is(at + 1, ")") && self.is(at + 2, "(") {
            let end = close(self.tokens, at + 2);
            if split(self.tokens, at + 3..end).len() > 1 {
                let message = format!("`({name})(…, …)` is a cast; hint: `{name}(…, …)`");
                self.report(VECTOR_LITERAL, at, message);
            }
        }
        if !self.is(at + 1, "(") || name.starts_with("bool") {
            return;
        }
        let end = close(self.tokens, at + 1);
        if let [argument] = &split(self.tokens, at + 2..end)[..]
            && self.compares(argument.clone())
        {
            let message =
                format!("`{name}` of a comparison; hint: `select({name}(0), {name}(1), …)`");
            self.report(VECTOR_COMPARISON, at, message);
        }
    }

    /// Whether an expression is a comparison, outside of brackets and of `?`.
    fn compares(&self, range: Range<usize>) -> bool {
        let mut at = range.start;
        let mut found = false;
        while at < range.end {
            if self.is(at, "?") {
                return false;
            }
            if self.is(at, "(") || self.is(at, "[") {
                at = close(self.tokens, at) + 1;
                continue;
            }
            if self.is(at, "<") && self.is(at + 1, "<") {
                at += 2;
                continue;
            }
            if self.is(at, "<") {
                let after = angle(self.tokens, at);
                found |= after == at + 1;
                at = after;
                continue;
            }
            // A shift is two signs.
            let shift =
                self.is(at, ">") && (self.is(at + 1, ">") || self.is(at.wrapping_sub(1), ">"));
            found |= !shift && [">", "<=", ">=", "==", "!="].iter().any(|sign| self.is(at, sign));
            at += 1;
        }
        found
    }
}
