//! Checks that run one after the other, with the time that each took and the sum of their counts.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use crate::tally::{Outcome, Tally};

/// The run so far.
pub(crate) struct Steps {
    total: Tally,
    start: Instant,
    failures: Vec<String>,
}

impl Steps {
    pub(crate) fn new() -> Steps {
        Steps { total: Tally::default(), start: Instant::now(), failures: Vec::new() }
    }

    /// Run one step and add its counts. A step without counts is one test.
    pub(crate) fn check(
        &mut self,
        name: &str,
        step: impl FnOnce() -> Result<Option<Tally>>,
    ) -> bool {
        println!("── {name}");
        let start = Instant::now();
        let result = step();
        let single = Tally { passed: 1, ..Tally::default() };
        let (tally, success) = match result {
            Ok(tally) => {
                let tally = tally.unwrap_or(single);
                (tally, tally.failed == 0)
            }
            Err(error) => {
                println!("{error:#}");
                (Tally { failed: 1, ..Tally::default() }, false)
            }
        };
        self.total += tally;
        if !success {
            self.failures.push(name.to_owned());
        }
        let verdict = if success { "ok" } else { "FAILED" };
        println!("── {name}: {verdict} ({tally}) in {:.1} s", start.elapsed().as_secs_f64());
        success
    }

    /// Run a step that gives a path, and hand that on.
    pub(crate) fn produce(
        &mut self,
        name: &str,
        step: impl FnOnce() -> Result<PathBuf>,
    ) -> Option<PathBuf> {
        let mut path = None;
        self.check(name, || {
            path = Some(step()?);
            Ok(None)
        });
        path
    }

    /// Run a command as a step.
    pub(crate) fn command(&mut self, name: &str, command: impl FnOnce() -> Result<Command>) {
        self.check(name, || counted(command()?));
    }

    /// Run a command as a step if its requirements are available.
    pub(crate) fn needs(
        &mut self,
        met: bool,
        name: &str,
        command: impl FnOnce() -> Result<Command>,
    ) {
        self.check(name, || {
            ensure!(met, "not run: the build failed");
            counted(command()?)
        });
    }

    pub(crate) fn finish(self) -> Outcome {
        if !self.failures.is_empty() {
            println!("failed: {}", self.failures.join(", "));
        }
        println!("all steps took {:.0} s", self.start.elapsed().as_secs_f64());
        println!("{}", self.total);
        Outcome::from(self.failures.is_empty())
    }
}

/// Run a command, pass its output on, and add up the counts in it. A command that fails without
/// having counted a failure (a crash, a compile error) is one.
pub(crate) fn counted(mut command: Command) -> Result<Option<Tally>> {
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {}", command.get_program().display()))?;
    let mut total: Option<Tally> = None;
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines() {
            let line = line?;
            println!("{line}");
            if let Some(tally) = Tally::parse(&line) {
                *total.get_or_insert_default() += tally;
            }
        }
    }
    let status = child.wait()?;
    if !status.success() {
        let total = total.get_or_insert_default();
        total.failed = total.failed.max(1);
        println!("{status}");
    }
    Ok(total)
}
