//! Locations: the places in the Python source that operations come from.

use crate::MAX_DEPTH;
use std::collections::HashMap;
use trident_ir::{Loc, SourceLoc};

/// A location of the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct LocId(u32);

impl LocId {
    /// Nothing is known; entry 0 of the table.
    pub(crate) const UNKNOWN: LocId = LocId(0);
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Entry {
    Unknown,
    File {
        file: Box<str>,
        line: u32,
        column: u32,
    },
    /// The name of a variable, at a place.
    Name {
        name: Box<str>,
        child: LocId,
    },
    Alias(Box<str>),
    /// A place in a function that was inlined at a call.
    Call {
        callee: LocId,
        caller: LocId,
    },
    /// Places of what became one op.
    Fused(Box<[LocId]>),
}

/// The most calls recorded for a place; outer ones are dropped.
const MAX_FRAMES: usize = 64;

/// All locations of a text. Aliases may be defined before and after their uses, so they are looked up at the end.
#[derive(Debug)]
pub(crate) struct Locs {
    table: Vec<Entry>,
    pub(super) aliases: HashMap<Box<str>, LocId>,
}

impl Default for Locs {
    fn default() -> Self {
        Locs { table: vec![Entry::Unknown], aliases: HashMap::new() }
    }
}

impl Locs {
    pub(super) fn entry(&self, id: LocId) -> &Entry {
        self.table.get(id.0 as usize).unwrap_or(&Entry::Unknown)
    }

    pub(super) fn add(&mut self, loc: Entry) -> LocId {
        self.table.push(loc);
        LocId(u32::try_from(self.table.len() - 1).unwrap_or(0))
    }

    /// The place in the source that the location leads to, with the calls that lead there.
    pub(crate) fn resolve(&self, id: LocId) -> Option<Loc> {
        let (mut frames, mut rest) = (vec![], vec![id]);
        // Definitions that refer to each other in a cycle take more steps than there are definitions.
        for _ in 0..=self.table.len() + self.aliases.len() {
            let Some(id) = rest.pop().filter(|_| frames.len() < MAX_FRAMES) else { break };
            let known = match self.entry(id) {
                Entry::File { file, line, column } => {
                    frames.push((&**file, *line, *column));
                    true
                }
                Entry::Name { child, .. } => {
                    rest.push(*child);
                    true
                }
                Entry::Alias(name) => {
                    rest.extend(self.aliases.get(name));
                    self.aliases.contains_key(name)
                }
                Entry::Call { callee, caller } => {
                    rest.extend([*caller, *callee]);
                    true
                }
                // The first counts that is known.
                Entry::Fused(parts) => {
                    rest.extend(parts.iter().find(|&&part| part != LocId::UNKNOWN));
                    parts.iter().any(|&part| part != LocId::UNKNOWN)
                }
                Entry::Unknown => false,
            };
            // Callers alone are not the place of the op.
            if frames.is_empty() && !known {
                return None;
            }
        }
        SourceLoc::of_frames(frames).map(Loc::Source)
    }
}

/// The place in the source of the op on the line around byte `at`, for a text that could not be read to its end: most
/// locations are defined there.
pub(crate) fn of_line(text: &str, at: usize) -> Option<Loc> {
    let line = text.get(at..)?.lines().next()?;
    let mut loc = &line[line.rfind("loc(")?..];
    // As in `resolve`, definitions may be cyclic.
    for _ in 0..MAX_DEPTH {
        if let Some(place) = file_in(loc) {
            return Some(place);
        }
        let name = &loc[loc.find('#')?..];
        let name = &name[..name.find([')', ' ', ',', ']']).unwrap_or(name.len())];
        let defined = |l: &&str| l.strip_prefix(name).is_some_and(|l| l.starts_with(" = loc("));
        loc = text.lines().find(defined)?.split_once(" = ")?.1;
    }
    None
}

/// The place that the first `"file":line:column` of a location names.
fn file_in(loc: &str) -> Option<Loc> {
    let (_, rest) = loc.split_once('"')?;
    let (file, rest) = rest.split_once("\":")?;
    let (line, rest) = rest.split_once(':')?;
    let column = &rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())];
    Some(Loc::source(file, line.parse().ok()?, column.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_op_that_ends_the_reading_is_placed_by_definitions_behind_it() {
        let text = "  %1 = tt.noise \"a\" : i32 loc(#loc3)\n\
                    #loc1 = loc(\"k.py\":7:12)\n\
                    #loc2 = loc(\"y\"(#loc1))\n\
                    #loc3 = loc(callsite(#loc2 at #loc9))\n";
        assert_eq!(of_line(text, 7), Some(Loc::source("k.py", 7, 12)));
        let direct = "tt.noise loc(\"k.py\":1:2 to :8)";
        assert_eq!(of_line(direct, 0), Some(Loc::source("k.py", 1, 2)));
        for lost in
            ["tt.noise", "x loc(#a)", "x loc(#a)\n#a = loc(#a)", "x loc(\"k.py\":1)", "x loc("]
        {
            assert_eq!(of_line(lost, 0), None, "{lost}");
        }
    }
    fn frames(text: &str) -> Vec<String> {
        let module = crate::parse(text).unwrap();
        let loc = module.funcs[0].body.ops[0].loc.clone();
        let source = loc.as_ref().and_then(Loc::as_source);
        source.into_iter().flat_map(SourceLoc::frames).map(SourceLoc::to_string).collect()
    }

    fn kernel(locs: &str) -> String {
        format!(
            "module {{\n tt.func public @k(%n: i32) {{\n %x = tt.get_program_id x : i32 loc(#loc)\n tt.return\n }}\n}}\n{locs}"
        )
    }

    #[test]
    fn calls_lead_to_places() {
        let nested = kernel(
            "#loc = loc(callsite(#inner at #call))\n#inner = loc(\"a.py\":1:2)\n\
             #call = loc(callsite(\"b.py\":3:4 at \"c.py\":5:6))\n",
        );
        assert_eq!(frames(&nested), ["a.py:1:2", "b.py:3:4", "c.py:5:6"]);
        let unknown = kernel("#loc = loc(callsite(unknown at \"c.py\":5:6))\n");
        assert_eq!(frames(&unknown), [""; 0]);
    }

    #[test]
    fn calls_in_a_circle_end() {
        let circle = kernel("#loc = loc(callsite(#a at #loc))\n#a = loc(\"a.py\":1:2)\n");
        let found = frames(&circle);
        assert!((1..=MAX_FRAMES).contains(&found.len()) && found.iter().all(|f| f == "a.py:1:2"));
        let lost = kernel("#loc = loc(callsite(#loc at #a))\n#a = loc(\"a.py\":1:2)\n");
        assert!(frames(&lost).len() <= MAX_FRAMES);
    }
}
