//! Running steps, and adding up what they report.
//!
//! A step on a shared machine may take twice its usual time. So its processor time stands beside that, and at the end the
//! time that a virtual machine's host spent on others.

use std::io::Write;
use std::process::Command;
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};

use super::child::{self, End};
use super::log::Log;
use super::order::State;
use super::{Step, Steps};
use crate::processors;
use crate::tally::{Outcome, Tally};

/// A report on the process of the step with this number.
enum Event {
    Line(usize, String),
    End(usize, Result<End>),
}

/// Run all steps, whose processes the function `process` makes, and write to `out` what they print.
pub(super) fn run(
    mut steps: Steps,
    process: fn(&Step) -> Result<Command>,
    out: &mut impl Write,
) -> Result<Outcome> {
    let (start, stolen) = (Instant::now(), processors::stolen());
    let mut starts = vec![start; steps.list.len()];
    let mut total = Tally::default();
    let mut log = Log::new(&mut *out);
    let (sender, events) = mpsc::channel();
    loop {
        while let Some(number) = steps.next() {
            starts[number] = Instant::now();
            steps.list[number].state = State::Running;
            let step = &steps.list[number];
            log.begin(&step.name)?;
            let command = match steps.failed_need(step) {
                None => process(step),
                Some(need) => Err(anyhow!("not run: `{need}` failed")),
            };
            begin(number, command, sender.clone());
        }
        if steps.are(State::Running).next().is_none() {
            break;
        }
        match events.recv()? {
            Event::Line(number, line) => log.line(&steps.list[number].name, line)?,
            Event::End(number, end) => {
                let step = &mut steps.list[number];
                let End { tally, used } = match end {
                    Ok(end) => end,
                    Err(error) => {
                        log.line(&step.name, format!("{error:#}"))?;
                        let tally = Tally { failed: 1, ..Tally::default() };
                        End { tally, used: Duration::ZERO }
                    }
                };
                total += tally;
                let (state, verdict) = match tally.failed {
                    0 => (State::Passed, "ok"),
                    _ => (State::Failed, "FAILED"),
                };
                step.state = state;
                let verdict = format!(
                    "{verdict} ({tally}) in {:.1} s, {:.1} s of processor time",
                    starts[number].elapsed().as_secs_f64(),
                    used.as_secs_f64()
                );
                log.end(&step.name, verdict)?;
            }
        }
    }
    let failures: Vec<&str> = steps.are(State::Failed).map(|step| &step.name[..]).collect();
    if !failures.is_empty() {
        writeln!(out, "failed: {}", failures.join(", "))?;
    }
    writeln!(
        out,
        "all steps took {:.0} s, {:.0} s of processor time; the host took {:.0} s for others",
        start.elapsed().as_secs_f64(),
        processors::used().as_secs_f64(),
        processors::stolen().saturating_sub(stolen).as_secs_f64()
    )?;
    writeln!(out, "{total}")?;
    Ok(Outcome::from(failures.is_empty()))
}

/// Start the process of a step, and report its lines and its end.
fn begin(number: usize, command: Result<Command>, events: Sender<Event>) {
    thread::spawn(move || {
        // The receiver is gone only if the run has ended by an error.
        let report = |event| drop(events.send(event));
        let end = command
            .and_then(|command| child::watch(command, |line| report(Event::Line(number, line))));
        report(Event::End(number, end));
    });
}

#[cfg(test)]
mod tests {
    use std::{env, fs, process};

    use super::*;

    /// The name of a step is the script that it runs.
    fn shell(step: &Step) -> Result<Command> {
        let mut command = Command::new("sh");
        command.args(["-c", &step.name]);
        Ok(command)
    }

    /// Run steps that are the scripts of a shell; the outcome, and the lines of the log.
    fn outcome(list: Vec<Step>) -> (Outcome, Vec<String>) {
        let (mut steps, mut out) = (Steps::default(), vec![]);
        list.into_iter().for_each(|step| steps.add(step));
        let outcome = run(steps, shell, &mut out).unwrap();
        (outcome, String::from_utf8(out).unwrap().lines().map(str::to_owned).collect())
    }

    fn step(script: &str) -> Step {
        Step::check(script, || Ok(()))
    }

    #[test]
    fn two_steps_run_at_once() {
        let folder = env::temp_dir().join(format!("xtask-steps-{}", process::id()));
        fs::create_dir_all(&folder).unwrap();
        let meet = |mine: &str, other: &str| {
            let folder = folder.display();
            step(&format!(
                "touch {folder}/{mine}; i=0; until [ -e {folder}/{other} ]; do \
                 sleep 0.05; i=$((i+1)); [ $i -lt 1000 ] || exit 1; done"
            ))
        };
        let (outcome, log) = outcome(vec![meet("a", "b"), meet("b", "a")]);
        fs::remove_dir_all(folder).unwrap();
        assert_eq!(outcome, Outcome::Success);
        assert_eq!(log.last().unwrap(), "2 passed, 0 failed, 0 skipped");
    }

    #[test]
    fn a_step_without_what_it_needs_fails() {
        let counts = step("echo 3 passed, 0 failed, 1 skipped; echo told >&2");
        let (outcome, log) = outcome(vec![counts, step("exit 1"), step("true").needs(&["exit 1"])]);
        assert_eq!(outcome, Outcome::Failure);
        assert_eq!(log.last().unwrap(), "3 passed, 2 failed, 1 skipped");
        for line in ["told", "not run: `exit 1` failed", "failed: exit 1, true"] {
            assert!(log.iter().any(|printed| printed == line), "{log:?}");
        }
    }
}
