//! Which step begins when.

use super::{Step, Steps};

/// The number of steps that run at once.
const LANES: usize = 2;

/// The resource that a step shares with no other one.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Uses {
    Nothing,
    /// Cargo's target folder. Cargo locks it, and a build replaces the programs of the one before.
    Target,
    /// All cores: the step measures times.
    Machine,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum State {
    Waiting,
    Running,
    Passed,
    Failed,
}

impl Steps {
    /// The steps whose name has one of these texts, or all steps if there are none, with the steps that they need.
    pub(super) fn chosen(mut self, only: &[String]) -> Steps {
        let mut needed: Vec<&str> = vec![];
        let mut chosen = vec![];
        while let Some(step) = self.list.pop() {
            let is_wanted = only.is_empty() || only.iter().any(|text| step.name.contains(text));
            let is_chosen = is_wanted || step.is_always_chosen;
            if is_chosen || needed.contains(&step.name.as_str()) {
                needed.extend(&step.needs);
                chosen.push(step);
            }
        }
        chosen.reverse();
        Steps { list: chosen }
    }

    /// The step that can begin now, if any.
    pub(super) fn next(&self) -> Option<usize> {
        let running: Vec<&Step> = self.are(State::Running).collect();
        if running.len() == LANES || running.iter().any(|step| step.uses == Uses::Machine) {
            return None;
        }
        let is_free = |uses| match uses {
            Uses::Nothing => true,
            Uses::Target => running.iter().all(|step| step.uses != Uses::Target),
            Uses::Machine => running.is_empty(),
        };
        self.list.iter().position(|step| {
            step.state == State::Waiting && is_free(step.uses) && self.have_ended(&step.needs)
        })
    }

    fn have_ended(&self, names: &[&str]) -> bool {
        let mut ended = self.list.iter().filter(|step| names.contains(&step.name.as_str()));
        ended.all(|step| matches!(step.state, State::Passed | State::Failed))
    }

    /// The name of a step that this one needs and that failed.
    pub(super) fn failed_need(&self, step: &Step) -> Option<&str> {
        self.are(State::Failed).map(|step| &step.name[..]).find(|name| step.needs.contains(name))
    }

    /// The steps in a state.
    pub(super) fn are(&self, state: State) -> impl Iterator<Item = &Step> {
        self.list.iter().filter(move |step| step.state == state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(name: &str) -> Step {
        Step::check(name, || Ok(()))
    }

    fn steps(list: Vec<Step>) -> Steps {
        let mut steps = Steps::default();
        list.into_iter().for_each(|step| steps.add(step));
        steps
    }

    /// Begin the steps that can, and return the names of those that run.
    fn begin(steps: &mut Steps) -> Vec<&str> {
        while let Some(next) = steps.next() {
            steps.list[next].state = State::Running;
        }
        steps.are(State::Running).map(|step| &step.name[..]).collect()
    }

    fn end(steps: &mut Steps, name: &str, state: State) {
        steps.list.iter_mut().find(|step| step.name == name).unwrap().state = state;
    }

    #[test]
    fn builds_in_one_folder_do_not_run_side_by_side() {
        let list =
            vec![step("lints").builds(), step("tests").builds(), step("macos"), step("fuzz")];
        let mut steps = steps(list);
        assert_eq!(begin(&mut steps), ["lints", "macos"]);
        end(&mut steps, "lints", State::Passed);
        assert_eq!(begin(&mut steps), ["tests", "macos"]);
        end(&mut steps, "macos", State::Failed);
        assert_eq!(begin(&mut steps), ["tests", "fuzz"]);
    }

    #[test]
    fn a_step_waits_for_what_it_needs() {
        let mut steps = steps(vec![
            step("build").builds(),
            step("suite").needs(&["build"]),
            step("package").builds(),
            step("both").needs(&["build", "package"]),
        ]);
        assert_eq!(begin(&mut steps), ["build"]);
        end(&mut steps, "build", State::Failed);
        // A step that cannot pass begins too, and fails.
        assert_eq!(begin(&mut steps), ["suite", "package"]);
        assert_eq!(steps.failed_need(&steps.list[1]), Some("build"));
        assert_eq!(steps.failed_need(&steps.list[2]), None);
        end(&mut steps, "suite", State::Failed);
        assert_eq!(begin(&mut steps), ["package"]);
    }

    #[test]
    fn a_step_that_measures_times_runs_alone() {
        let list = vec![step("tools").alone(), step("server").alone(), step("a"), step("b")];
        let mut steps = steps(list);
        assert_eq!(begin(&mut steps), ["tools"]);
        end(&mut steps, "tools", State::Passed);
        assert_eq!(begin(&mut steps), ["server"]);
        end(&mut steps, "server", State::Passed);
        assert_eq!(begin(&mut steps), ["a", "b"]);
    }

    #[test]
    fn only_steps_that_are_wanted_or_needed_are_chosen() {
        let list = vec![
            step("tools").always(),
            step("format"),
            step("build").needs(&["format"]),
            step("python package"),
            step("python lints").needs(&["build"]),
        ];
        let only = ["lint".to_owned()];
        let names: Vec<String> =
            steps(list).chosen(&only).list.into_iter().map(|step| step.name).collect();
        assert_eq!(names, ["tools", "format", "build", "python lints"]);
    }

    #[test]
    #[should_panic(expected = "not listed")]
    fn a_need_that_does_not_exist_is_an_error() {
        steps(vec![step("suite").needs(&["build"])]);
    }
}
