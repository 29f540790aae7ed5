//! `trident run` on several files, one run each. A file that fails does not stop those after it.

use super::report::Report;
use super::run::Args;
use crate::failure::Failure;
use crate::input::{self, Turn};
use crate::labels::Labels;
use crate::limits::Limits;
use crate::model::Loaded;
use crate::output;
use crate::render::{self, counted, escape, style};
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;
use trident_image_steps::ImageSteps;

/// The part of `--output` that stands for the name of the input file, without its ending.
const NAME: &str = "{}";

/// The arguments and the model that all runs share.
pub(super) struct Several<'a> {
    pub(super) args: &'a Args,
    pub(super) loaded: &'a Loaded,
    pub(super) limits: &'a Limits,
    pub(super) steps: Option<&'a ImageSteps>,
    pub(super) labels: &'a Labels,
}

impl Several<'_> {
    /// Runs the model on each file, and ends with the status of the first that failed.
    pub(super) fn run(&self, turns: &[Turn]) -> Result<(), Failure> {
        if self.args.preprocess.is_some() && !turns.iter().any(Turn::is_image) {
            return Err(super::run::no_image());
        }
        let outputs = self.outputs(turns)?;
        let (mut said, mut reports, mut failures) = (BTreeSet::new(), vec![], vec![]);
        let title = style::TITLE;
        for (turn, output) in turns.iter().zip(&outputs) {
            let file = &turn.file;
            if !self.args.json {
                let line = format!("{title}{}{title:#}\n", escape(file));
                anstream::stdout().write_all(line.as_bytes())?;
            }
            match self.turn(turn, output.as_deref(), &mut said) {
                Ok(Outcome::Text(text)) => anstream::stdout().write_all(text.as_bytes())?,
                Ok(Outcome::Json(report)) => reports.push(with_file(report, file)),
                Err(failure) => {
                    let failure = failure.within(file);
                    failure.report();
                    reports.push(json!({ "file": file, "error": failure.message() }));
                    failures.push(failure);
                }
            }
        }
        if self.args.json {
            let load = render::millis(self.loaded.time);
            let report = render::json(&json!({ "load_ms": load, "runs": reports }));
            anstream::stdout().write_all(report.as_bytes())?;
        }
        match failures.first() {
            None => Ok(()),
            Some(first) => {
                let files = counted(turns.len(), "file");
                let text = format!("{} of {files} failed", failures.len());
                Err(if first.status() == 2 { Failure::usage(text) } else { Failure::run(text) })
            }
        }
    }

    fn turn(
        &self,
        turn: &Turn,
        output: Option<&Path>,
        said: &mut BTreeSet<String>,
    ) -> Result<Outcome, Failure> {
        let (args, session) = (self.args, &self.loaded.session);
        let bound = turn.inputs.read_silently(session, self.steps, self.limits, false)?;
        let mut say = |note: &str| {
            if said.insert(note.to_owned()) {
                input::print_note(note);
            }
        };
        bound.notes().iter().for_each(|note| say(note));
        let start = Instant::now();
        let results = session.run_with(&bound.as_slice(), self.limits.context());
        let (results, _) = results.map_err(|e| self.limits.explain(e))?;
        let time = start.elapsed();
        if args.top_k != Some(0)
            && let Some(note) = self.labels.check(&results)?
        {
            say(&note);
        }
        let labels = self.labels;
        let report = Report { args, results: &results, labels, output, load: None, time };
        report.check_top_k()?;
        if let Some(path) = output {
            output::write(path, &results)?;
        }
        Ok(if args.json { Outcome::Json(report.value()) } else { Outcome::Text(report.text()) })
    }

    /// The file for each run's results; all are different.
    fn outputs(&self, turns: &[Turn]) -> Result<Vec<Option<PathBuf>>, Failure> {
        let Some(output) = &self.args.output else { return Ok(vec![None; turns.len()]) };
        let text = output.to_string_lossy();
        if !text.contains(NAME) {
            let problem = format!("`{text}` is one file, and there are several runs");
            let hint = "`{}` stands for the name of the input: --output 'results/{}.npz'";
            return Err(Failure::usage(problem).hint(hint));
        }
        let mut files = BTreeMap::new();
        let each = turns.iter().map(|turn| {
            let name = Path::new(&turn.file).file_stem().unwrap_or_default().to_string_lossy();
            let path = text.replace(NAME, &name);
            if let Some(other) = files.insert(path.clone(), &turn.file) {
                let file = &turn.file;
                let problem = format!("`{other}` and `{file}` both have their results in `{path}`");
                return Err(Failure::usage(problem).hint("give them different names"));
            }
            let path = PathBuf::from(path);
            output::check(&path)?;
            Ok(Some(path))
        });
        each.collect()
    }
}

/// The printed result of a run.
enum Outcome {
    Text(String),
    Json(Json),
}

fn with_file(mut report: Json, file: &str) -> Json {
    if let Some(fields) = report.as_object_mut() {
        fields.insert("file".to_owned(), json!(file));
    }
    report
}
