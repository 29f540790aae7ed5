//! Regular expressions in the syntax of RE2, with its options by default: texts are UTF-8, and `\d`, `\s`, `\w`, `\b` and the
//! POSIX classes are ASCII.
//!
//! The parser turns a pattern into the form that `regex-automata` compiles. Only whole texts are matched, so it keeps
//! neither groups nor which repetitions prefer fewer. Unicode's tables are those of `regex-syntax`.

mod class;
mod escape;
mod group;
mod parse;

use regex_automata::meta::{self, BuildError};
use regex_automata::{Anchored, Input};
use regex_syntax::hir::{Hir, Look};

/// Bytes that a compiled pattern may take, as in RE2.
const SIZE_LIMIT: usize = 8 << 20;

/// A compiled pattern.
pub(super) struct Regex(meta::Regex);

/// A pattern that RE2 refuses, or that is too large.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refusal {
    /// The part of the pattern from character `at`, counted from 1.
    #[error("`{part}` at character {at} is not valid in RE2: {reason}")]
    Syntax { part: String, at: usize, reason: &'static str },
    #[error(
        "the pattern is nested more than {} deep; hint: remove repetitions of repetitions",
        parse::NESTED
    )]
    Nested,
    #[error("the compiled pattern takes more than {} MiB; hint: use smaller repetition counts", SIZE_LIMIT >> 20)]
    Size,
    #[error("the pattern does not compile: {0}")]
    Build(Box<BuildError>),
}

impl Regex {
    /// Compiles a pattern.
    pub(super) fn new(pattern: &str) -> Result<Regex, Refusal> {
        let whole = Hir::concat(vec![parse::parse(pattern)?, Hir::look(Look::End)]);
        let config = meta::Regex::config().utf8_empty(false).nfa_size_limit(Some(SIZE_LIMIT));
        let built = meta::Regex::builder().configure(config).build_from_hir(&whole);
        built.map(Regex).map_err(|error| match error.size_limit() {
            Some(_) => Refusal::Size,
            None => Refusal::Build(Box::new(error)),
        })
    }

    /// Bytes that the compiled pattern takes.
    pub(super) fn bytes(&self) -> usize {
        self.0.memory_usage()
    }

    /// Whether the whole text matches.
    pub(super) fn is_full_match(&self, text: &str) -> bool {
        self.0.is_match(Input::new(text).anchored(Anchored::Yes))
    }
}

#[cfg(test)]
mod tests;
