//! Checks that run one after the other, with the time that each took and the sum of their counts.
//!
//! A step on a shared machine may take twice its usual time. So its processor time stands beside that, and at the end the
//! time that a virtual machine's host spent on others.

use std::io::{self, BufRead, BufReader, IsTerminal};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::processors;
use crate::tally::{Outcome, Tally};

/// The longest time for a command. One that hangs would otherwise use up the time of the whole run,
/// whose end then says neither which step it was nor what the others found.
const LIMIT: Duration = Duration::from_secs(40 * 60);

/// The run so far.
pub(crate) struct Steps {
    /// Texts, of which a step's name has one; none for all steps.
    only: Vec<String>,
    total: Tally,
    start: Instant,
    /// The host's time for others before the run.
    stolen: Duration,
    failures: Vec<String>,
}

impl Steps {
    /// A run of the steps whose name has one of these texts, or of all steps if there are none.
    pub(crate) fn new(only: Vec<String>) -> Steps {
        let (start, stolen) = (Instant::now(), processors::stolen());
        Steps { only, total: Tally::default(), start, stolen, failures: Vec::new() }
    }

    /// Run one step, if it is wanted, and add its counts. A step without counts is one test.
    pub(crate) fn check(
        &mut self,
        name: &str,
        step: impl FnOnce() -> Result<Option<Tally>>,
    ) -> bool {
        let is_wanted = self.only.is_empty() || self.only.iter().any(|text| name.contains(text));
        !is_wanted || self.prepare(name, step)
    }

    /// Run a step that others need, whether it is wanted or not.
    pub(crate) fn prepare(
        &mut self,
        name: &str,
        step: impl FnOnce() -> Result<Option<Tally>>,
    ) -> bool {
        println!("── {name}");
        let (start, used) = (Instant::now(), processors::used());
        let result = step();
        let used = processors::used().saturating_sub(used);
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
        println!(
            "── {name}: {verdict} ({tally}) in {:.1} s, {:.1} s of processor time",
            start.elapsed().as_secs_f64(),
            used.as_secs_f64()
        );
        success
    }

    /// Run a step that gives a path which others need, and hand that on.
    pub(crate) fn produce(
        &mut self,
        name: &str,
        step: impl FnOnce() -> Result<PathBuf>,
    ) -> Option<PathBuf> {
        let mut path = None;
        self.prepare(name, || {
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
        println!(
            "all steps took {:.0} s, {:.0} s of processor time; the host took {:.0} s for others",
            self.start.elapsed().as_secs_f64(),
            processors::used().as_secs_f64(),
            processors::stolen().saturating_sub(self.stolen).as_secs_f64()
        );
        println!("{}", self.total);
        Outcome::from(self.failures.is_empty())
    }
}

/// Run a command, pass its output on, and add up the counts in it. A command that fails without
/// having counted a failure (a crash, a compile error, no end within [`LIMIT`]) is one.
///
/// At a terminal there is no limit: the command stays in the terminal's process group, and a person
/// stops what hangs.
pub(crate) fn counted(command: Command) -> Result<Option<Tally>> {
    counted_within(command, (!io::stdin().is_terminal()).then_some(LIMIT))
}

fn counted_within(mut command: Command, limit: Option<Duration>) -> Result<Option<Tally>> {
    if limit.is_some() {
        command.process_group(0);
    }
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {}", command.get_program().display()))?;
    let group = child.id();
    let (ended, end) = mpsc::channel::<()>();
    let guard = limit.map(|limit| {
        thread::spawn(move || {
            let is_over = end.recv_timeout(limit) == Err(RecvTimeoutError::Timeout);
            is_over && end_group(group, limit)
        })
    });
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
    drop(ended);
    let was_ended = guard.is_some_and(|guard| guard.join().unwrap_or(false));
    if was_ended || !status.success() {
        let total = total.get_or_insert_default();
        total.failed = total.failed.max(1);
        println!("{status}");
    }
    Ok(total)
}

/// End all processes of a command that has run for longer than `limit`; true if that could be done.
fn end_group(group: u32, limit: Duration) -> bool {
    println!("ended after {} s: a step may not take longer", limit.as_secs());
    // The shell's own `kill`: a bare system has no other.
    let kill = Command::new("sh").arg("-c").arg(format!("kill -s KILL -- -{group}")).status();
    kill.is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_hangs_is_ended_with_its_children() {
        let mut command = Command::new("sh");
        // The child of the shell keeps the pipe open.
        command.args(["-c", "echo '3 passed, 0 failed, 0 skipped'; sleep 600 & wait"]);
        let start = Instant::now();
        let tally = counted_within(command, Some(Duration::from_millis(200))).unwrap().unwrap();
        assert_eq!((tally.passed, tally.failed), (3, 1));
        assert!(start.elapsed() < Duration::from_secs(60));
    }

    #[test]
    fn only_steps_that_are_wanted_or_needed_run() {
        let mut steps = Steps::new(vec!["lint".to_owned()]);
        assert!(steps.check("format", || panic!("unwanted")));
        assert!(!steps.check("python lints", || Err(anyhow::anyhow!("wanted"))));
        assert!(steps.prepare("build", || Ok(None)));
        assert_eq!((steps.total.passed, steps.total.failed), (1, 1));
    }

    #[test]
    fn a_command_that_ends_is_not() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo '3 passed, 0 failed, 0 skipped'"]);
        let tally = counted_within(command, Some(LIMIT)).unwrap().unwrap();
        assert_eq!((tally.passed, tally.failed), (3, 0));
    }
}
