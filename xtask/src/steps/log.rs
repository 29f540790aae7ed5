//! The output of the steps of a run, as if they had run one after the other.

use std::collections::VecDeque;
use std::io::{self, Write};

/// The output of steps that run side by side. The step that began first prints as it goes; what the others print is kept until
/// their turn.
pub(super) struct Log<W> {
    out: W,
    /// The steps that are not shown to their end, in the order in which they began.
    steps: VecDeque<Shown>,
}

struct Shown {
    name: String,
    kept: Vec<String>,
    verdict: Option<String>,
}

impl<W: Write> Log<W> {
    pub(super) fn new(out: W) -> Log<W> {
        Log { out, steps: VecDeque::new() }
    }

    /// Announce a step, whose name is unique.
    pub(super) fn begin(&mut self, name: &str) -> io::Result<()> {
        match self.steps.front() {
            None => writeln!(self.out, "── {name}")?,
            Some(front) => writeln!(self.out, "── {name} (shown after {})", front.name)?,
        }
        self.steps.push_back(Shown { name: name.to_owned(), kept: vec![], verdict: None });
        Ok(())
    }

    /// Print a line of a step that has begun, or keep it.
    pub(super) fn line(&mut self, name: &str, line: String) -> io::Result<()> {
        match self.steps.iter_mut().position(|step| step.name == name) {
            Some(0) => writeln!(self.out, "{line}"),
            Some(other) => {
                self.steps[other].kept.push(line);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// End a step. If it was shown, the next one is, from its start on.
    pub(super) fn end(&mut self, name: &str, verdict: String) -> io::Result<()> {
        if let Some(step) = self.steps.iter_mut().find(|step| step.name == name) {
            step.verdict = Some(verdict);
        }
        while let Some(verdict) = self.steps.front_mut().and_then(|step| step.verdict.take()) {
            if let Some(ended) = self.steps.pop_front() {
                writeln!(self.out, "── {}: {verdict}", ended.name)?;
            }
            if let Some(front) = self.steps.front_mut() {
                writeln!(self.out, "── {}", front.name)?;
                for line in front.kept.drain(..) {
                    writeln!(self.out, "{line}")?;
                }
            }
        }
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_shown_one_after_the_other() {
        let mut log = Log::new(vec![]);
        log.begin("lints").unwrap();
        log.begin("macos").unwrap();
        log.line("macos", "linking".to_owned()).unwrap();
        log.line("lints", "checking".to_owned()).unwrap();
        log.end("macos", "ok".to_owned()).unwrap();
        log.begin("mock").unwrap();
        log.line("mock", "1".to_owned()).unwrap();
        log.end("lints", "FAILED".to_owned()).unwrap();
        log.line("mock", "2".to_owned()).unwrap();
        log.end("mock", "ok".to_owned()).unwrap();
        log.begin("format").unwrap();
        let expected = "── lints\n── macos (shown after lints)\nchecking\n\
            ── mock (shown after lints)\n── lints: FAILED\n── macos\nlinking\n── macos: ok\n\
            ── mock\n1\n2\n── mock: ok\n── format\n";
        assert_eq!(String::from_utf8(log.out).unwrap(), expected);
    }
}
