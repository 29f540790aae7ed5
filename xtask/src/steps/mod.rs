//! The steps of a run: checks, each in a process of its own, and two of them side by side.
//!
//! Suites that use one core, or wait, leave the other core to a build. A process of its own keeps a step's output and its
//! processor time apart from those of the step beside it: this program runs itself with the option `--step NAME`.

mod child;
mod log;
mod order;
mod run;

use std::env;
use std::io;
use std::path::PathBuf;
use std::process::{self, Command};

use anyhow::{Context, Result};

use self::order::{State, Uses};
use crate::tally::Outcome;

/// The steps to run.
pub(crate) enum Choice {
    /// The steps whose name has one of these texts, and those that they need; all steps if there are no texts.
    Named(Vec<String>),
    /// The one step of this name, in this process.
    One(String),
}

/// A check.
pub(crate) struct Step {
    name: String,
    /// Names of steps that must have passed.
    needs: Vec<&'static str>,
    uses: Uses,
    gives_way: bool,
    is_always_chosen: bool,
    action: Box<dyn FnOnce() -> Result<Option<Command>>>,
    state: State,
}

impl Step {
    /// A check that is a command. The counts that it prints are added up; a command that prints none is one test.
    pub(crate) fn command(
        name: impl Into<String>,
        command: impl FnOnce() -> Result<Command> + 'static,
    ) -> Step {
        Step::new(name.into(), Box::new(|| command().map(Some)))
    }

    /// A check that is a function: one test.
    pub(crate) fn check(
        name: impl Into<String>,
        check: impl FnOnce() -> Result<()> + 'static,
    ) -> Step {
        Step::new(name.into(), Box::new(|| check().map(|()| None)))
    }

    fn new(name: String, action: Box<dyn FnOnce() -> Result<Option<Command>>>) -> Step {
        let (needs, uses, state) = (vec![], Uses::Nothing, State::Waiting);
        let (gives_way, is_always_chosen) = (false, false);
        Step { name, needs, uses, gives_way, is_always_chosen, action, state }
    }

    /// The same, after these steps of the list have passed.
    pub(crate) fn needs(mut self, names: &[&'static str]) -> Step {
        self.needs.extend(names);
        self
    }

    /// The same, which builds in Cargo's target folder.
    pub(crate) fn builds(mut self) -> Step {
        self.uses = Uses::Target;
        self.builds_elsewhere()
    }

    /// The same, which builds in a folder of its own. Builds give way to suites, some of which have limits of time.
    pub(crate) fn builds_elsewhere(mut self) -> Step {
        self.gives_way = true;
        self
    }

    /// The same, with no other step beside it.
    pub(crate) fn alone(mut self) -> Step {
        self.uses = Uses::Machine;
        self
    }

    /// The same, also where only other steps are wanted.
    pub(crate) fn always(mut self) -> Step {
        self.is_always_chosen = true;
        self
    }

    /// This program, which runs the step.
    fn process(&self) -> Result<Command> {
        // Cargo may replace the program's file during the run. Linux has another name for the program that runs.
        let linux = PathBuf::from(format!("/proc/{}/exe", process::id()));
        let program = if linux.exists() { linux } else { env::current_exe()? };
        let mut command = Command::new("nice");
        command.args(["-n", if self.gives_way { "5" } else { "0" }]).arg(program);
        command.args(["--step", &self.name]).args(env::args_os().skip(1));
        Ok(command)
    }

    /// Run the step in this process.
    fn perform(self) -> Result<Outcome> {
        let Some(mut command) = (self.action)()? else { return Ok(Outcome::Success) };
        let program = command.get_program().display().to_string();
        let status = command.status().with_context(|| format!("cannot start {program}"))?;
        if !status.success() {
            println!("{status}");
        }
        Ok(Outcome::from(status.success()))
    }
}

/// The steps of a run. Of several that can begin, the first in the list does.
#[derive(Default)]
pub(crate) struct Steps {
    list: Vec<Step>,
}

impl Steps {
    /// Add a step after those that it needs.
    pub(crate) fn add(&mut self, step: Step) {
        let is_listed = |name: &&str| self.list.iter().any(|step| step.name == *name);
        assert!(step.needs.iter().all(is_listed), "{} needs a step that is not listed", step.name);
        assert!(!is_listed(&step.name.as_str()), "two steps have the name {}", step.name);
        self.list.push(step);
    }

    /// Run the steps and print what they print, their times, and the sum of their counts as the last line.
    pub(crate) fn run(self, choice: Choice) -> Result<Outcome> {
        match choice {
            Choice::Named(texts) => run::run(self.chosen(&texts), Step::process, &mut io::stdout()),
            Choice::One(name) => {
                let step = self.list.into_iter().find(|step| step.name == name);
                step.with_context(|| format!("there is no step `{name}`"))?.perform()
            }
        }
    }
}
