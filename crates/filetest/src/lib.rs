//! File tests: a text file holds an input, the commands to run on it and the expected output.
//!
//! ```text
//! ; test: infer | fold
//! ; What the file shows, in a line or two.
//!
//! func @f graph () -> (f32[1]) {
//!   %x = constant {value = f32[1](2)}
//!   %y = neg(%x) : f32[1]
//!   return %y
//! }
//!
//! ; check:
//! ; func @f graph () -> (f32[1]) {
//! ;   %y = constant {value = f32[1](-2)}
//! ;   return %y
//! ; }
//! ```
//!
//! * The first line names the commands; each takes the output of the previous one, and the first takes the file up to
//!   `; check:`. An error of a command ends the run, and the output is `error: …`.
//! * All lines after `; check:` are the expected text, each after `; `. Blanks at the ends of lines do not count.
//! * With `BLESS=1` in the environment, expectations that differ are rewritten in the files; read the difference before
//!   committing it.
//! * One file shows one idea, which its name states.
//!
//! A test passes the functions of the commands:
//!
//! ```no_run
//! fn upper(text: &str) -> Result<String, String> {
//!     Ok(text.to_uppercase())
//! }
//! # fn main() -> Result<(), trident_filetest::Failed> {
//! trident_filetest::run("tests/filetests", &[("upper", &upper)])
//! # }
//! ```
//!
//! [`pages`] finds the command lines in the documentation, for tests that check them.
//!
//! The crate handles only texts, so that every crate can use it in its tests, `trident-ir` too.

mod case;
mod diff;
pub mod pages;

use case::Case;
use std::fmt;
use std::path::{Path, PathBuf};

/// A command's name, and its effect on a text; an error is an outcome that a file may expect.
pub type Command<'a> = (&'a str, &'a dyn Fn(&str) -> Result<String, String>);

/// Files whose outcome is not the expected one.
pub struct Failed {
    /// The files, and for each what is wrong.
    pub files: Vec<(PathBuf, String)>,
    /// How many files there are in all.
    pub total: usize,
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (file, reason) in &self.files {
            writeln!(f, "{}:\n{reason}", file.display())?;
        }
        write!(f, "{} of {} file tests failed", self.files.len(), self.total)
    }
}

// The output of `unwrap` in a test. The escapes of a derived form would make differences unreadable.
impl fmt::Debug for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}")
    }
}

impl std::error::Error for Failed {}

/// Runs every `*.tir` file under `folder`, nested ones too. A folder without any fails.
pub fn run(folder: impl AsRef<Path>, commands: &[Command<'_>]) -> Result<(), Failed> {
    let bless = std::env::var_os("BLESS").is_some_and(|v| v == "1");
    run_with(folder.as_ref(), commands, bless)
}

fn run_with(folder: &Path, commands: &[Command<'_>], bless: bool) -> Result<(), Failed> {
    let mut paths = vec![];
    let mut files = vec![];
    if let Err(e) = find(folder, &mut paths) {
        files.push((folder.to_owned(), e.to_string()));
    } else if paths.is_empty() {
        files.push((folder.to_owned(), "holds no `*.tir` file".to_owned()));
    }
    paths.sort();
    for path in &paths {
        if let Err(reason) = run_file(path, commands, bless) {
            files.push((path.clone(), reason));
        }
    }
    if files.is_empty() { Ok(()) } else { Err(Failed { files, total: paths.len() }) }
}

fn find(folder: &Path, paths: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            find(&path, paths)?;
        } else if path.extension().is_some_and(|e| e == "tir") {
            paths.push(path);
        }
    }
    Ok(())
}

fn run_file(path: &Path, commands: &[Command<'_>], bless: bool) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let case = Case::parse(&text)?;
    let actual = case.run(commands)?;
    if case.expects(&actual) {
        return Ok(());
    }
    if bless {
        return std::fs::write(path, case.with_expectation(&actual)).map_err(|e| e.to_string());
    }
    let hint = "run again with BLESS=1 to accept what came out";
    Err(format!("{}{hint}\n", diff::lines(&case.expected(), &actual)))
}

#[cfg(test)]
mod tests;
