//! The parser: a stack of open groups, each with the items that it has so far.

use super::Refusal;
use regex_syntax::hir::{Class, ClassBytes, ClassBytesRange, Hir, Look, Repetition};

/// The deepest nesting of groups and repetitions, which compiling visits by recursion.
pub(super) const NESTED: usize = 500;

/// The largest count of a repetition, and of the copies of a part by repetitions inside each other.
const COPIES: u32 = 1000;

/// The flags that change which texts match.
#[derive(Clone, Copy, Default)]
pub(super) struct Flags {
    /// `i`
    pub(super) fold_case: bool,
    /// `m`
    pub(super) multi_line: bool,
    /// `s`
    pub(super) dot_newline: bool,
}

/// A part of the pattern that a repetition may follow.
struct Item {
    hir: Hir,
    /// The most copies that repetitions inside of it make of a part.
    copies: u32,
    depth: usize,
}

/// A group that is open: its finished alternatives, and the items of the current one.
struct Group {
    /// The flags outside.
    outside: Flags,
    /// Where its parenthesis is.
    open: usize,
    alternatives: Vec<Item>,
    items: Vec<Item>,
}

pub(super) struct Parser<'p> {
    pattern: &'p str,
    /// The byte of the pattern that is read next.
    pub(super) at: usize,
    pub(super) flags: Flags,
    groups: Vec<Group>,
    /// Where the repetition operator starts that was read last, if nothing was read since.
    repeated: Option<usize>,
}

/// The regular expression of a pattern. It is not anchored.
pub(super) fn parse(pattern: &str) -> Result<Hir, Refusal> {
    let flags = Flags::default();
    let mut parser = Parser { pattern, at: 0, flags, groups: vec![], repeated: None };
    parser.open(0);
    while let Some(c) = parser.peek() {
        let repeated = parser.repeated.take();
        parser.token(c, repeated)?;
    }
    match parser.groups.pop() {
        Some(group) if parser.groups.is_empty() => Ok(group.finish()?.hir),
        // Only a parenthesis opens a second group.
        group => {
            let open = group.map_or(0, |group| group.open);
            Err(parser.refuse(open, "the group is not closed; hint: add `)`"))
        }
    }
}

impl<'p> Parser<'p> {
    pub(super) fn rest(&self) -> &'p str {
        &self.pattern[self.at..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Reads one character.
    pub(super) fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// Reads `text` if it is next.
    pub(super) fn eat(&mut self, text: &str) -> bool {
        let there = self.rest().starts_with(text);
        if there {
            self.at += text.len();
        }
        there
    }

    /// A refusal of the part from byte `from` to what was read last.
    pub(super) fn refuse(&self, from: usize, reason: &'static str) -> Refusal {
        let at = self.pattern[..from].chars().count() + 1;
        Refusal::Syntax { part: self.pattern[from..self.at].to_owned(), at, reason }
    }

    /// Opens a group whose parenthesis is at byte `open`.
    pub(super) fn open(&mut self, open: usize) {
        let outside = self.flags;
        self.groups.push(Group { outside, open, alternatives: vec![], items: vec![] });
    }

    /// Adds an item without parts to the innermost group.
    fn push(&mut self, hir: Hir) {
        if let Some(group) = self.groups.last_mut() {
            group.items.push(Item { hir, copies: 1, depth: 1 });
        }
    }

    /// Adds a character. A surrogate is in no text.
    fn literal(&mut self, code: u32) {
        let hir = match char::from_u32(code) {
            Some(c) if self.flags.fold_case => self.folded(c),
            Some(c) => Hir::literal(c.encode_utf8(&mut [0; 4]).as_bytes()),
            None => Hir::fail(),
        };
        self.push(hir);
    }

    /// Reads one token that starts with `c`; `repeated` is where the token before starts if it is a repetition operator.
    fn token(&mut self, c: char, repeated: Option<usize>) -> Result<(), Refusal> {
        let from = self.at;
        match c {
            '[' => {
                let class = self.class()?;
                self.push(class);
            }
            '\\' => self.escaped()?,
            '{' => match self.counts() {
                Some((least, most)) => self.repeat(from, repeated, least, most)?,
                None => {
                    self.at += 1;
                    self.literal('{'.into());
                }
            },
            _ => {
                self.at += c.len_utf8();
                match c {
                    '(' if self.rest().starts_with('?') => self.question(from)?,
                    '(' => self.open(from),
                    ')' => self.close(from)?,
                    '|' => {
                        if let Some(group) = self.groups.last_mut() {
                            group.finish_alternative()?;
                        }
                    }
                    '^' if self.flags.multi_line => self.push(Hir::look(Look::StartLF)),
                    '^' => self.push(Hir::look(Look::Start)),
                    '$' if self.flags.multi_line => self.push(Hir::look(Look::EndLF)),
                    '$' => self.push(Hir::look(Look::End)),
                    '.' => {
                        let class = self.dot();
                        self.push(class);
                    }
                    '*' => self.repeat(from, repeated, 0, None)?,
                    '+' => self.repeat(from, repeated, 1, None)?,
                    '?' => self.repeat(from, repeated, 0, Some(1))?,
                    c => self.literal(c.into()),
                }
            }
        }
        Ok(())
    }

    /// Reads `{N}`, `{N,}` or `{N,M}`. Other braces are plain characters, and nothing is read.
    fn counts(&mut self) -> Option<(u32, Option<u32>)> {
        let (inside, _) = self.rest().strip_prefix('{')?.split_once('}')?;
        let (least, most) = match inside.split_once(',') {
            None => (count(inside)?, Some(count(inside)?)),
            Some((least, "")) => (count(least)?, None),
            Some((least, most)) => (count(least)?, Some(count(most)?)),
        };
        self.at += inside.len() + 2;
        Some((least, most))
    }

    /// Repeats the last item. The operator starts at byte `from` and has been read, except for a `?` that prefers fewer
    /// repetitions.
    fn repeat(
        &mut self,
        from: usize,
        before: Option<usize>,
        min: u32,
        max: Option<u32>,
    ) -> Result<(), Refusal> {
        self.eat("?");
        if let Some(before) = before {
            let reason = "a repetition cannot be repeated, and there are no possessive ones; hint: use a group";
            return Err(self.refuse(before, reason));
        }
        let most = max.unwrap_or(min);
        if most < min {
            return Err(self.refuse(from, "the second count is less than the first"));
        }
        if most > COPIES || min > COPIES {
            return Err(self.refuse(from, "a repetition count may be at most 1000"));
        }
        let item = self.groups.last_mut().and_then(|group| group.items.pop());
        let Some(item) = item else {
            return Err(self.refuse(
                from,
                "there is nothing to repeat; hint: write `\\` before a plain character",
            ));
        };
        // `*`, `+` and `?` are not counted.
        let copies = item.copies.saturating_mul(most.max(1));
        if copies > COPIES {
            let reason = "repetitions inside each other make more than 1000 copies";
            return Err(self.refuse(from, reason));
        }
        let depth = item.depth + 1;
        let hir = Hir::repetition(Repetition { min, max, greedy: true, sub: Box::new(item.hir) });
        if let Some(group) = self.groups.last_mut() {
            group.items.push(Item { hir, copies, depth });
        }
        self.repeated = Some(from);
        Ok(())
    }

    /// Closes the innermost group at the `)` before.
    fn close(&mut self, from: usize) -> Result<(), Refusal> {
        if self.groups.len() < 2 {
            return Err(
                self.refuse(from, "no group is open; hint: write `\\)` for a plain parenthesis")
            );
        }
        if let Some(group) = self.groups.pop() {
            self.flags = group.outside;
            let item = group.finish()?;
            if let Some(outer) = self.groups.last_mut() {
                outer.items.push(item);
            }
        }
        Ok(())
    }

    /// Reads what a backslash starts outside of a class.
    fn escaped(&mut self) -> Result<(), Refusal> {
        let looks = [
            ("\\A", Look::Start),
            ("\\z", Look::End),
            ("\\b", Look::WordAscii),
            ("\\B", Look::WordAsciiNegate),
        ];
        for (text, look) in looks {
            if self.eat(text) {
                self.push(Hir::look(look));
                return Ok(());
            }
        }
        if self.eat("\\C") {
            let bytes = ClassBytes::new([ClassBytesRange::new(0, 0xff)]);
            self.push(Hir::class(Class::Bytes(bytes)));
        } else if self.eat("\\Q") {
            while !self.eat("\\E") {
                let Some(c) = self.next() else { break };
                self.literal(c.into());
            }
        } else if let Some(class) = self.escaped_class()? {
            self.push(Hir::class(Class::Unicode(class)));
        } else {
            let code = self.escape()?;
            self.literal(code);
        }
        Ok(())
    }
}

impl Group {
    fn finish_alternative(&mut self) -> Result<(), Refusal> {
        let items = std::mem::take(&mut self.items);
        self.alternatives.push(joined(items, Hir::concat)?);
        Ok(())
    }

    fn finish(mut self) -> Result<Item, Refusal> {
        self.finish_alternative()?;
        joined(self.alternatives, Hir::alternation)
    }
}

/// Joins items into one; a single item is returned as it is.
fn joined(mut items: Vec<Item>, join: fn(Vec<Hir>) -> Hir) -> Result<Item, Refusal> {
    if items.len() == 1 {
        return items.pop().filter(|item| item.depth <= NESTED).ok_or(Refusal::Nested);
    }
    let depth = items.iter().map(|item| item.depth).max().unwrap_or(0) + 1;
    if depth > NESTED {
        return Err(Refusal::Nested);
    }
    let copies = items.iter().map(|item| item.copies).max().unwrap_or(1);
    Ok(Item { hir: join(items.into_iter().map(|item| item.hir).collect()), copies, depth })
}

/// A count without leading zeros. One of more than 9 digits is none, as in RE2.
fn count(text: &str) -> Option<u32> {
    let is_count = text.bytes().all(|b| b.is_ascii_digit())
        && (1..=9).contains(&text.len())
        && (text == "0" || !text.starts_with('0'));
    is_count.then(|| text.parse().ok()).flatten()
}
