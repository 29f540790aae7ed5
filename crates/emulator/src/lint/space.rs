//! Pointers and references without an address space.

use super::{Lint, SPACE};
use crate::text::{Sort, angle, close, split};
use std::ops::Range;

const SPACES: [&str; 5] = ["device", "constant", "threadgroup", "thread", "threadgroup_imageblock"];

/// Words that stand before a type.
const QUALIFIERS: [&str; 9] = [
    "const",
    "volatile",
    "static",
    "constexpr",
    "typedef",
    "inline",
    "METAL_FUNC",
    "coherent",
    "mutable",
];

impl Lint<'_> {
    pub(super) fn spaces(&mut self) {
        for function in self.functions.clone() {
            let result = function.result.clone();
            let template = result.clone().find(|at| self.is(*at, "template"));
            let result =
                template.map_or(result.clone(), |at| angle(self.tokens, at + 1)..result.end);
            if self.has_pointer(result.clone()) && !self.has_space(result.clone()) {
                self.no_space(result.start, "the result of a function");
            }
            for parameter in &function.parameters {
                let range = self.before_default(parameter.range.clone());
                if self.has_pointer(range.clone()) && !self.has_space(range) {
                    let what = format!("parameter `{}`", parameter.name);
                    self.no_space(parameter.range.start, &what);
                }
            }
            self.statements(function.body.clone());
        }
        for item in self.items.clone() {
            match item.sort {
                Sort::Record => self.statements(item.body.clone()),
                Sort::Other => {
                    self.statements(item.head.clone());
                    self.declared_parameters(item.head.clone());
                }
                _ => {}
            }
        }
    }

    /// The parameters of a function that is only declared.
    fn declared_parameters(&mut self, head: Range<usize>) {
        let words = ["using", "typedef", "static_assert", "struct", "class", "union", "enum"];
        if self.tokens.get(head.start).is_some_and(|token| words.contains(&token.text)) {
            return;
        }
        let Some(open) = head.clone().find(|at| self.is(*at, "(")) else { return };
        for range in split(self.tokens, open + 1..close(self.tokens, open).min(head.end)) {
            let range = self.before_default(range);
            if self.has_pointer(range.clone()) && !self.has_space(range.clone()) {
                self.no_space(range.start, "a parameter");
            }
        }
    }

    fn no_space(&mut self, at: usize, what: &str) {
        let message = format!(
            "{what} is a pointer or reference without an address space; hint: `thread` for own variables"
        );
        self.report(SPACE, at, message);
    }

    fn before_default(&self, range: Range<usize>) -> Range<usize> {
        let default = range.clone().find(|at| self.is(*at, "="));
        range.start..default.unwrap_or(range.end)
    }

    fn has_space(&self, range: Range<usize>) -> bool {
        range.clone().any(|at| SPACES.iter().any(|space| self.is(at, space)))
    }

    /// Whether a declaration has `*` or `&` in its type, other than in a pointer to a function.
    fn has_pointer(&self, range: Range<usize>) -> bool {
        let mut at = range.start;
        while at < range.end {
            if self.is(at, "<") {
                at = angle(self.tokens, at);
                continue;
            }
            if self.is(at, "(") {
                let end = close(self.tokens, at);
                if self.is_pointer(at + 1) && self.is(end + 1, "[") {
                    return true;
                }
                at = end + 1;
                continue;
            }
            if self.is(at, "[") {
                at = close(self.tokens, at) + 1;
                continue;
            }
            if self.is_pointer(at) {
                return true;
            }
            at += 1;
        }
        false
    }

    fn is_pointer(&self, at: usize) -> bool {
        ["*", "&", "&&"].iter().any(|sign| self.is(at, sign))
    }

    /// Declarations and casts among statements or members.
    fn statements(&mut self, range: Range<usize>) {
        let mut inside = Vec::new();
        for at in range.clone() {
            let starts = at == range.start
                || ["{", "}"].iter().any(|sign| self.is(at - 1, sign))
                || self.is(at - 1, ";") && inside.is_empty()
                || self.is(at - 1, "(") && at >= 2 && self.is(at - 2, "for")
                || self.tokens[at - 1].class == crate::text::Class::Directive;
            if starts {
                self.declaration(at);
            }
            if self.is(at, "(") {
                inside.push(at);
            } else if self.is(at, ")") {
                inside.pop();
            } else if self.is_pointer(at) && at > range.start {
                self.cast(at, range.start);
            }
        }
    }

    /// A declaration of a pointer or reference at `at`, if there is one.
    fn declaration(&mut self, at: usize) {
        let mut next = at;
        let (mut space, mut name) = (false, false);
        loop {
            if QUALIFIERS.iter().any(|word| self.is(next, word)) {
                next += 1;
            } else if SPACES.iter().any(|word| self.is(next, word)) {
                space = true;
                next += 1;
            } else if self.is(next, "auto") {
                // The initialiser gives the address space.
                return;
            } else if !name && self.is_word(next) {
                name = true;
                next += 1;
                while self.is(next, "::") && self.is_word(next + 1) {
                    next += 2;
                }
                if ["unsigned", "signed"].iter().any(|word| self.is(next - 1, word)) {
                    next += usize::from(self.is_word(next));
                }
                if self.is(next, "<") {
                    next = angle(self.tokens, next);
                }
            } else {
                break;
            }
        }
        let nested = self.is(next, "(") && self.is_pointer(next + 1) && {
            let end = close(self.tokens, next);
            self.is(end + 1, "[")
        };
        if nested && name && !space {
            self.no_space(at, "a variable");
            return;
        }
        let mut pointers = 0;
        while self.is_pointer(next) || pointers > 0 && self.is(next, "const") {
            pointers += 1;
            next += 1;
        }
        let ends = ["=", ";", ",", ")", "[", ":", "{"].iter().any(|sign| self.is(next + 1, sign));
        if name && pointers > 0 && self.is_word(next) && ends && !space {
            let what = format!("`{}`", self.tokens[next].text);
            self.no_space(at, &what);
        }
    }

    /// A type that ends with the sign at `at`: that of a cast or of a template's argument.
    fn cast(&mut self, at: usize, start: usize) {
        let ends = [")", ">", ";"].iter().any(|sign| self.is(at + 1, sign));
        if !ends || self.is(at - 1, "[") || self.is(at - 1, "operator") {
            return;
        }
        let open = (start..at)
            .rev()
            .find(|i| ["(", "<", "=", ";", "{", "}", ","].iter().any(|sign| self.is(*i, sign)));
        let from = open.map_or(start, |open| open + 1);
        if from < at && !self.has_space(from..at) && !self.is(from, "auto") {
            self.no_space(from, "a type");
        }
    }
}
