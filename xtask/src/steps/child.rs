//! The process of a step: its output, its end, and the processor time that it used.

use std::io::{self, BufRead, BufReader, IsTerminal};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::processors;
use crate::tally::Tally;

/// The longest time for a step. One that hangs would otherwise use up the time of the whole run,
/// whose end then says neither which step it was nor what the others found.
const LIMIT: Duration = Duration::from_secs(40 * 60);

/// The result of the process of a step.
#[derive(Debug)]
pub(super) struct End {
    pub(super) tally: Tally,
    /// Processor time.
    pub(super) used: Duration,
}

/// Run a command, hand on each line that it prints, and add up the counts in them. A command without counts is one test. A
/// command that fails without having counted a failure (a crash, a compile error, no end within [`LIMIT`]) is one.
///
/// At a terminal there is no limit: the command stays in the terminal's process group, and a person
/// stops what hangs.
pub(super) fn watch(command: Command, print: impl FnMut(String)) -> Result<End> {
    watch_within(command, (!io::stdin().is_terminal()).then_some(LIMIT), print)
}

fn watch_within(
    mut command: Command,
    limit: Option<Duration>,
    mut print: impl FnMut(String),
) -> Result<End> {
    if limit.is_some() {
        command.process_group(0);
    }
    let (output, input) = io::pipe()?;
    let name = command.get_program().display().to_string();
    let mut child = command
        .stdout(input.try_clone()?)
        .stderr(input)
        .spawn()
        .with_context(|| format!("cannot start {name}"))?;
    // It holds the end of the pipe that is written to, whose last copy must be that of the processes.
    drop(command);
    let group = child.id();
    let (ended, end) = mpsc::channel::<()>();
    let guard = limit.map(|limit| {
        thread::spawn(move || {
            let is_over = end.recv_timeout(limit) == Err(RecvTimeoutError::Timeout);
            is_over && end_group(group)
        })
    });
    let mut counted: Option<Tally> = None;
    for line in BufReader::new(output).split(b'\n') {
        let line = String::from_utf8_lossy(&line?).into_owned();
        if let Some(tally) = Tally::parse(&line) {
            *counted.get_or_insert_default() += tally;
        }
        print(line);
    }
    // Before the process is waited for: then the system forgets its times.
    let used = processors::used_by(group);
    let status = child.wait()?;
    drop(ended);
    let was_ended = guard.is_some_and(|guard| guard.join().unwrap_or(false));
    if let Some(limit) = limit.filter(|_| was_ended) {
        print(format!("ended after {} s: a step may not take longer", limit.as_secs()));
    }
    let mut tally = counted.unwrap_or_default();
    if was_ended || !status.success() {
        tally.failed = tally.failed.max(1);
    } else if counted.is_none() {
        tally.passed = 1;
    }
    Ok(End { tally, used })
}

/// End all processes of a group; true if that could be done.
fn end_group(group: u32) -> bool {
    // The shell's own `kill`: a bare system has no other.
    let kill = Command::new("sh").arg("-c").arg(format!("kill -s KILL -- -{group}")).status();
    kill.is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_command_that_hangs_is_ended_with_its_children() {
        // The child of the shell keeps the pipe open.
        let command = shell("echo '3 passed, 0 failed, 0 skipped'; sleep 600 & wait");
        let start = Instant::now();
        let end = watch_within(command, Some(Duration::from_millis(200)), drop).unwrap();
        assert_eq!((end.tally.passed, end.tally.failed), (3, 1));
        assert!(start.elapsed() < Duration::from_secs(60));
    }

    #[test]
    fn counts_are_read_from_what_a_command_prints() {
        for (script, passed, failed) in [
            ("echo '3 passed, 0 failed, 0 skipped'", 3, 0),
            ("echo '3 passed, 2 failed, 0 skipped'; exit 1", 3, 2),
            ("echo '3 passed, 0 failed, 0 skipped' >&2; exit 1", 3, 1),
            ("echo no counts", 1, 0),
            ("exit 1", 0, 1),
        ] {
            let end = watch_within(shell(script), Some(LIMIT), drop).unwrap();
            assert_eq!((end.tally.passed, end.tally.failed), (passed, failed), "{script}");
        }
    }

    #[test]
    fn both_streams_are_handed_on_in_order() {
        let mut lines = vec![];
        let script = "echo one; echo two >&2; printf '\\377three'";
        watch_within(shell(script), Some(LIMIT), |line| lines.push(line)).unwrap();
        assert_eq!(lines, ["one", "two", "\u{fffd}three"]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn processor_time_is_that_of_the_children_of_one_command() {
        // Two shells below the shell that is watched, one of which works.
        let work = "sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'; true";
        let busy = watch_within(shell(work), Some(LIMIT), drop).unwrap();
        let idle = watch_within(shell("sh -c 'sleep 0.1'; true"), Some(LIMIT), drop).unwrap();
        assert!(busy.used > 4 * idle.used, "{busy:?} {idle:?}");
    }
}
