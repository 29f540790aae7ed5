//! Counting what test runners report.

use std::fmt;
use std::ops::AddAssign;

/// Whether a command did what it should.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Success,
    Failure,
}

impl From<bool> for Outcome {
    fn from(success: bool) -> Self {
        if success { Outcome::Success } else { Outcome::Failure }
    }
}

/// Tests passed, failed and skipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) skipped: u64,
}

impl Tally {
    /// The counts in one line of output, if it is a runner's closing line: libtest's
    /// `test result: ok. 3 passed; 0 failed; 1 ignored; …` or `3 passed, 0 failed, 1 skipped`.
    pub(crate) fn parse(line: &str) -> Option<Tally> {
        let line = line.trim();
        let counts = match line.strip_prefix("test result: ") {
            Some(result) => result.split_once(". ")?.1,
            None => line,
        };
        let mut tally = Tally::default();
        let mut words = counts.split([' ', ',', ';']).filter(|word| !word.is_empty());
        for (name, slot) in [
            (["passed", "passed"], &mut tally.passed),
            (["failed", "failed"], &mut tally.failed),
            (["skipped", "ignored"], &mut tally.skipped),
        ] {
            *slot = words.next()?.parse().ok()?;
            words.next().filter(|word| name.contains(word))?;
        }
        Some(tally)
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_closing_lines_of_both_forms() {
        let libtest = "test result: FAILED. 12 passed; 1 failed; 2 ignored; 0 measured; 0 filtered";
        assert_eq!(Tally::parse(libtest), Some(Tally { passed: 12, failed: 1, skipped: 2 }));
        let plain = Tally { passed: 1900, failed: 0, skipped: 133 };
        assert_eq!(Tally::parse(&format!("{plain}\n")), Some(plain));
    }

    #[test]
    fn ignores_other_lines() {
        for line in ["", "3 passed", "test ops::conv ... ok", "1 passed, 2 skipped, 3 failed"] {
            assert_eq!(Tally::parse(line), None, "{line}");
        }
    }
}
