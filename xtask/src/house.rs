//! `cargo xtask house`: counts of habits that the code is leaving behind. Each has a limit that may only fall, and a goal.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use regex_lite::Regex;

use crate::paths;
use crate::tally::Outcome;

/// Options of the command.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// List the places that this count, named as in the table, consists of
    #[arg(long, value_name = "COUNT")]
    list: Option<String>,
    /// Print a JSON object instead of a table
    #[arg(long)]
    json: bool,
}

/// A habit and how often it occurs.
struct Count {
    name: &'static str,
    explanation: &'static str,
    /// The most that the tree may have. Lower it in the commit that lowers the count.
    limit: usize,
    /// The most that it is meant to have in the end.
    goal: usize,
    places: fn(&Sources) -> Result<Vec<String>>,
}

const COUNTS: &[Count] = &[
    Count {
        name: "attributes",
        explanation: "attributes read or written by a string, outside of the text form, the verifier and importers",
        limit: 0,
        goal: 0,
        places: |sources| {
            let reads = r#"\.(?:int|flag|float|str|ints|floats|strs|dtype|attr)\("\w+"\)"#;
            let access = r#"attrs\.(?:get|set|remove)\(""#;
            let writes = r#"\("\w+", Attr::"#;
            let pattern = format!("{reads}|{access}|{writes}");
            sources.library(&pattern, |path| {
                let exempt = [
                    "crates/ir/src/text/",
                    "crates/ir/src/verify/",
                    "crates/onnx/src/import/",
                    // Attributes of Paddle's ops.
                    "crates/paddle/src/",
                ];
                !exempt.iter().any(|exempt| path.starts_with(exempt))
            })
        },
    },
    Count {
        name: "defaults",
        explanation: "second defaults of attributes, beside those of the op table",
        limit: 0,
        goal: 0,
        places: |sources| {
            let read = r#"\.(?:int|flag|float|str|ints|floats|strs|dtype|attr)\("\w+"\)"#;
            sources.library(&format!(r"{read}\s*\.(?:unwrap_or|map_or)"), |_| true)
        },
    },
    Count {
        name: "operands",
        explanation: "operands by number outside of `ir/src/ops`",
        limit: 38,
        goal: 60,
        places: |sources| {
            let names = "input|tensor|opt|operand|optional|take|constant|scalar|shape|known|has|dtype|dims|ints|value|reuse|ty|rank|exprs|count";
            sources.library(&format!(r"\.(?:{names})\([0-9]+[,)]"), |path| {
                !path.starts_with("crates/ir/src/ops/")
            })
        },
    },
    Count {
        name: "matches",
        explanation: "files outside of `ir/src/ops` that match over eight or more kinds of ops",
        limit: 20,
        goal: 20,
        places: matches_over_kinds,
    },
    Count {
        name: "guesses",
        explanation: "places that guess a fact about an op that they do not know",
        limit: 0,
        goal: 0,
        places: guesses,
    },
    Count {
        name: "kernels",
        explanation: "CPU kernels that read the op at each launch: `Plain::boxed` and `call.op`",
        limit: 0,
        goal: 0,
        places: |sources| {
            sources
                .library(r"Plain::boxed|\bcall\.op\b", |path| path.starts_with("crates/cpu/src/"))
        },
    },
    Count {
        name: "names",
        explanation: "names of public types that several crates have",
        limit: 0,
        goal: 12,
        places: shared_names,
    },
    Count {
        name: "pseudo-ops",
        explanation: "errors that name an op which does not exist",
        limit: 0,
        goal: 0,
        places: |sources| {
            let names = "kernel|module|region|block|yield|element|the engine";
            sources.library(&format!(r#""(?:{names})"\.into\(\)"#), |_| true)
        },
    },
    Count {
        name: "safety",
        explanation: "SAFETY comments that refer to another one, or only to the caller",
        limit: 0,
        goal: 0,
        places: |sources| {
            let elsewhere = "[Aa]s |passed on|guaranteed by the caller|the caller's contract";
            sources.all(&format!("SAFETY: (?:{elsewhere})"))
        },
    },
    Count {
        name: "what",
        explanation: "lines of doc comments that begin with \"What\"",
        limit: 0,
        goal: 20,
        places: |sources| sources.all(r"(?m)^\s*//[/!] What\b"),
    },
    Count {
        name: "long",
        explanation: "files of more than 500 lines",
        limit: 10,
        goal: 12,
        places: |sources| {
            let long = |(path, text): &(String, String)| {
                let lines = text.lines().count();
                (lines > 500).then(|| format!("{path}: {lines} lines"))
            };
            Ok(sources.files.iter().filter_map(long).collect())
        },
    },
    Count {
        name: "median",
        explanation: "lines of the median file",
        limit: 143,
        goal: 150,
        places: |sources| {
            let mut lines: Vec<usize> =
                sources.files.iter().map(|(_, text)| text.lines().count()).collect();
            lines.sort_unstable();
            let median = lines.get(lines.len() / 2).copied().unwrap_or_default();
            Ok(vec!["a line of the median file".to_owned(); median])
        },
    },
];

/// The Rust files of the workspace that people write.
struct Sources {
    /// Path from the root, with slashes, and text.
    files: Vec<(String, String)>,
}

impl Sources {
    fn read() -> Result<Sources> {
        let mut files = vec![];
        for folder in ["crates", "plugins", "xtask"] {
            let mut pending: Vec<PathBuf> = vec![paths::root().join(folder)];
            while let Some(folder) = pending.pop() {
                for entry in fs::read_dir(&folder)? {
                    let path = entry?.path();
                    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                    if path.is_dir() && name != "target" {
                        pending.push(path);
                    } else if name.ends_with(".rs") {
                        let text = fs::read_to_string(&path)?;
                        if !text.starts_with("// Generated") {
                            files.push((relative(&path)?, text));
                        }
                    }
                }
            }
        }
        files.sort();
        Ok(Sources { files })
    }

    /// The library's files, each without the tests at its end.
    fn library_files(&self) -> impl Iterator<Item = (&str, &str)> {
        let is_library = |path: &str| {
            path.starts_with("crates/")
                && path.contains("/src/")
                && !path.split('/').any(|part| part.contains("tests") || part == "testing.rs")
        };
        let files = self.files.iter().filter(move |(path, _)| is_library(path));
        files.map(|(path, text)| {
            // Tests stand at the end, in a module of the file.
            let code = match text.find("\n#[cfg(test)]\nmod tests {") {
                Some(end) => &text[..end],
                None => text,
            };
            (path.as_str(), code)
        })
    }

    /// Occurrences of a pattern in the library's code without tests.
    fn library(&self, pattern: &str, wanted: impl Fn(&str) -> bool) -> Result<Vec<String>> {
        occurrences(self.library_files().filter(|(path, _)| wanted(path)), pattern)
    }

    /// Occurrences of a pattern in all files.
    fn all(&self, pattern: &str) -> Result<Vec<String>> {
        let own = "xtask/src/house.rs";
        let files = self.files.iter().map(|(path, text)| (path.as_str(), text.as_str()));
        occurrences(files.filter(|(path, _)| *path != own), pattern)
    }
}

fn relative(path: &Path) -> Result<String> {
    let path = path.strip_prefix(paths::root()).context("a file outside of the workspace")?;
    Ok(path.to_string_lossy().replace('\\', "/"))
}

fn occurrences<'a>(
    files: impl Iterator<Item = (&'a str, &'a str)>,
    pattern: &str,
) -> Result<Vec<String>> {
    let pattern = Regex::new(pattern)?;
    let mut found = vec![];
    for (path, text) in files {
        for hit in pattern.find_iter(text) {
            let line = text[..hit.start()].matches('\n').count() + 1;
            found.push(format!("{path}:{line}: {}", hit.as_str().trim()));
        }
    }
    Ok(found)
}

/// The patterns of the arms of matches, without their guards. Kinds may stand anywhere in a pattern: alone, in tuples, in structs.
fn patterns(code: &str) -> impl Iterator<Item = &str> {
    code.match_indices("=>").map(|(end, _)| {
        let pattern = &code[pattern_start(code, end)..end];
        pattern.split_once(" if ").map_or(pattern, |(pattern, _)| pattern)
    })
}

/// Where the pattern begins that ends at `end`: after the arm before it, or after the brace that opens the match.
fn pattern_start(code: &str, end: usize) -> usize {
    let mut depth = 0;
    for (at, char) in code[..end].char_indices().rev() {
        let after = at + char.len_utf8();
        let is_outside = depth == 0;
        match char {
            // The body of the arm before, unless the pattern is of a struct.
            '}' if is_outside && !code[after..end].trim().is_empty() => return after,
            ')' | ']' | '}' => depth += 1,
            '(' | '[' | '{' | ',' | ';' if is_outside => return after,
            '(' | '[' | '{' => depth -= 1,
            _ => {}
        }
    }
    0
}

/// Files whose arms of matches name eight or more kinds of ops.
fn matches_over_kinds(sources: &Sources) -> Result<Vec<String>> {
    let kind = Regex::new(r"\b(?:K|OpKind)::(\w+)")?;
    let mut found = vec![];
    for (path, code) in sources.library_files() {
        let kinds: BTreeSet<&str> = patterns(code)
            .flat_map(|pattern| kind.captures_iter(pattern))
            .filter_map(|kind| kind.get(1).map(|name| name.as_str()))
            .collect();
        if kinds.len() >= 8 && !path.starts_with("crates/ir/src/ops/") {
            found.push(format!("{path}: {} kinds", kinds.len()));
        }
    }
    Ok(found)
}

/// A place that guesses, and a text in the source that marks the guess.
const GUESSES: &[(&str, &str)] = &[
    ("crates/ir/src/cost.rs", "_ => match op.decl().group"),
    ("crates/ir/src/op/effect.rs", "_ => Effect::Pure"),
    ("crates/ir/src/op/mod.rs", "fn serves_threads"),
    ("crates/ir/src/op/mod.rs", "_ => level == Level::Graph"),
    ("crates/ir/src/shape/check.rs", "matches!(op.decl().group, Group::Container"),
    ("crates/passes/src/fold/constants.rs", "fn only_weights"),
    ("crates/engine/src/plan/memory.rs", "fn is_view"),
];

fn guesses(sources: &Sources) -> Result<Vec<String>> {
    let is_there = |(path, text): &&(&str, &str)| {
        let mut files = sources.files.iter();
        files.any(|(known, code)| known == path && code.contains(text))
    };
    for (path, _) in GUESSES {
        let known = sources.files.iter().any(|(known, _)| known == path);
        anyhow::ensure!(known, "the place of a guess, {path}, is gone: mend the list");
    }
    let places = GUESSES.iter().filter(is_there);
    Ok(places.map(|(path, text)| format!("{path}: {text}")).collect())
}

fn shared_names(sources: &Sources) -> Result<Vec<String>> {
    let declared = Regex::new(r"(?m)^\s*pub (?:struct|enum|trait|type|union) (\w+)")?;
    let mut crates: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (path, code) in sources.library_files() {
        for name in declared.captures_iter(code).filter_map(|found| found.get(1)) {
            let owner = path.split('/').nth(1).unwrap_or_default();
            crates.entry(name.as_str()).or_default().insert(owner);
        }
    }
    let shared = crates.iter().filter(|(_, owners)| owners.len() > 1);
    Ok(shared
        .map(|(name, owners)| {
            format!("{name}: {}", Vec::from_iter(owners.iter().copied()).join(", "))
        })
        .collect())
}

/// Prints the counts, or the places of one. Fails if a count is above its limit.
pub(crate) fn run(options: &Options) -> Result<Outcome> {
    let sources = Sources::read()?;
    if let Some(name) = &options.list {
        let count = COUNTS.iter().find(|count| count.name == name);
        let names = || COUNTS.iter().map(|count| count.name).collect::<Vec<_>>().join(", ");
        let count = count.with_context(|| format!("no count `{name}`; there are {}", names()))?;
        (count.places)(&sources)?.iter().for_each(|place| println!("{place}"));
        return Ok(Outcome::Success);
    }
    let counts: Vec<(&Count, usize)> = COUNTS
        .iter()
        .map(|count| anyhow::Ok((count, (count.places)(&sources)?.len())))
        .collect::<Result<_>>()?;
    if options.json {
        let object = counts.iter().map(|(count, now)| {
            let Count { name, limit, goal, .. } = count;
            format!(r#"  "{name}": {{"count": {now}, "limit": {limit}, "goal": {goal}}}"#)
        });
        println!("{{\n{}\n}}", object.collect::<Vec<_>>().join(",\n"));
    } else {
        println!("{:<11} {:>5} {:>5} {:>5}", "count", "now", "limit", "goal");
        for (count, now) in &counts {
            let Count { name, limit, goal, explanation, .. } = count;
            println!("{name:<11} {now:>5} {limit:>5} {goal:>5}  {explanation}");
        }
    }
    Ok(Outcome::from(counts.iter().all(|(count, now)| *now <= count.limit)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_found_anywhere_in_a_pattern() {
        let code = r"
            match (op, &forms[..]) {
                (K::Add | K::Sub, [(x, ..), _]) if x.is(K::Guard) => Found { of: K::Body },
                Some(K::Mul) => { K::Body }
                Pair { kind: K::Div, .. } => {
                    if a { K::Body } else { b }
                }
                K::Mod
                | K::Neg => f(K::Body, 1),
                _ => K::Body,
            }";
        let found = patterns(code).map(str::trim).collect::<Vec<_>>();
        let wanted = [
            "(K::Add | K::Sub, [(x, ..), _])",
            "Some(K::Mul)",
            "Pair { kind: K::Div, .. }",
            "K::Mod\n                | K::Neg",
            "_",
        ];
        assert_eq!(found, wanted);
    }

    #[test]
    fn counts_only_fall() {
        let sources = Sources::read().unwrap();
        let mut wrong = vec![];
        for Count { name, limit, places, .. } in COUNTS {
            let now = places(&sources).unwrap().len();
            if now > *limit {
                wrong.push(format!(
                    "{name} rose from {limit} to {now}: `cargo xtask house --list {name}` tells where"
                ));
            } else if now < *limit {
                wrong.push(format!("{name} fell to {now}: lower its limit, which is {limit}"));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
