//! A whole repository: whether a server can serve each of its models.

use super::served::list;
use super::{Served, device, load};
use crate::failure::Failure;
use crate::model::DeviceArgs;
use crate::progress::with_progress;
use crate::render::{Align, Table, counted, escape, style};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use trident_serving::{
    BACKENDS, Hardware, Host, ModelConfig, ModelFolder, ReadOptions, SchedulingChoice,
};

/// Characters of a cell that lists tensors.
const MOST_SHOWN: usize = 40;

/// Findings about each model of a repository.
pub(crate) struct Overview {
    path: PathBuf,
    models: Vec<Row>,
}

/// A model.
#[derive(Default)]
struct Row {
    name: String,
    /// The versions that are served, the newest first.
    versions: Vec<u64>,
    /// Its backend or, without one, its platform.
    backend: String,
    /// The largest batch; 0 if there are no batches.
    max_batch: Option<i32>,
    inputs: Vec<String>,
    outputs: Vec<String>,
    devices: Vec<String>,
    /// Whether Trident runs it, so that the model itself was checked.
    foreign: bool,
    errors: Vec<String>,
    warnings: Vec<String>,
    /// The exit status for its errors.
    exit: u8,
}

impl Overview {
    /// Checks the models in these folders of a repository.
    pub(crate) fn of(path: &Path, folders: &[PathBuf], args: &DeviceArgs) -> Overview {
        let mut opened = HashMap::new();
        let count = folders.len();
        let models = with_progress(|progress| {
            let check = |(i, folder): (usize, &PathBuf)| {
                let name = name(folder);
                progress(format!("checking {} ({} of {count})", escape(&name), i + 1));
                let mut row = Row { name, ..Row::default() };
                if let Err(failure) = row.check(folder, folders, args, &mut opened) {
                    row.fail("", &failure);
                }
                row
            };
            folders.iter().enumerate().map(check).collect()
        });
        Overview { path: path.to_owned(), models }
    }

    /// An error if there is a model that cannot be served.
    pub(crate) fn result(&self) -> Result<(), Failure> {
        let broken = self.models.iter().filter(|row| !row.errors.is_empty());
        let Some(status) = broken.clone().map(|row| row.exit).max() else { return Ok(()) };
        let (broken, all) = (broken.count(), self.models.len());
        let text = format!(
            "`{}`: {broken} of {} cannot be served",
            self.path.display(),
            counted(all, "model")
        );
        Err(if status == 1 { Failure::run(text) } else { Failure::usage(text) })
    }

    pub(crate) fn text(&self) -> String {
        let mut table = Table::new(&[
            ("model", Align::Left),
            ("versions", Align::Left),
            ("backend", Align::Left),
            ("batch", Align::Right),
            ("inputs", Align::Left),
            ("outputs", Align::Left),
            ("devices", Align::Left),
            ("status", Align::Left),
        ]);
        for row in &self.models {
            let versions: Vec<String> = row.versions.iter().map(u64::to_string).collect();
            table.row([
                row.name.clone(),
                versions.join(", "),
                row.backend.clone(),
                row.max_batch.map_or_else(String::new, |size| size.to_string()),
                short(&row.inputs),
                short(&row.outputs),
                row.devices.join(", "),
                row.status().to_owned(),
            ]);
        }
        let mut text = table.to_string();
        let models = || self.models.iter();
        let errors = models().map(|row| ("error", style::ERROR, row, &row.errors));
        let warnings = models().map(|row| ("warning", style::WARNING, row, &row.warnings));
        for (kind, style, row, lines) in errors.chain(warnings) {
            for line in lines {
                let (name, line) = (escape(&row.name), escape(line));
                // Writing to a string cannot fail.
                let _ = writeln!(text, "\n{style}{kind}:{style:#} {name}: {line}");
            }
        }
        text
    }

    pub(crate) fn json(&self) -> Value {
        let model = |row: &Row| {
            json!({
                "name": row.name, "versions": row.versions, "backend": row.backend, "max_batch_size": row.max_batch,
                "inputs": row.inputs, "outputs": row.outputs, "devices": row.devices,
                "status": row.status(), "errors": row.errors, "warnings": row.warnings,
            })
        };
        let models: Vec<Value> = self.models.iter().map(model).collect();
        json!({ "repository": self.path.display().to_string(), "models": models })
    }
}

impl Row {
    fn status(&self) -> &'static str {
        match self {
            row if !row.errors.is_empty() => "error",
            row if row.foreign => "not checked",
            row if !row.warnings.is_empty() => "warnings",
            _ => "ok",
        }
    }

    /// Notes an error; `place` stands before its text.
    fn fail(&mut self, place: &str, failure: &Failure) {
        self.errors.push(format!("{place}{}", failure.with_hint()));
        self.exit = self.exit.max(failure.status());
    }

    fn check(
        &mut self,
        path: &Path,
        folders: &[PathBuf],
        args: &DeviceArgs,
        opened: &mut HashMap<Option<String>, Hardware>,
    ) -> Result<(), Failure> {
        let Some(folder) = ModelFolder::open(path, None)? else {
            let text = "this folder has neither a `config.pbtxt` nor versions such as `1`";
            let hint = "a server loads every folder of a repository as a model";
            return Err(Failure::usage(text).hint(hint));
        };
        let config = folder.config();
        self.declared(config);
        let ensemble = config.platform == "ensemble";
        if ensemble || config.backend.is_empty() && of_others(&config.platform) {
            self.backend = config.platform.clone();
            self.foreign = !ensemble;
            return match ensemble {
                true => check_ensemble(&folder, folders),
                false => Ok(()),
            };
        }
        self.versions = folder.served()?;
        self.backend = folder.named(self.versions.first().copied())?.backend;
        self.foreign = !BACKENDS.contains(&&*self.backend);
        if self.foreign {
            return Ok(());
        }
        let choice = device(&folder).map(str::to_owned);
        let hardware = match opened.get(&choice) {
            Some(hardware) => hardware.clone(),
            None => {
                let hardware = args.hardware(choice.as_deref())?;
                opened.insert(choice, hardware.clone());
                hardware
            }
        };
        for (i, version) in self.versions.clone().into_iter().enumerate() {
            let mut warnings = vec![];
            let loaded = load(&folder, version, &hardware, &mut warnings).and_then(|loaded| {
                let (model, served) = loaded;
                let declared = model.info().outputs.clone();
                let session = model.session(&served.setup.devices, &served.setup.options)?;
                warnings.extend(trident_model::warnings(&declared, &session));
                Ok(served)
            });
            warnings.retain(|line| !self.warnings.contains(line));
            self.warnings.append(&mut warnings);
            match loaded {
                Ok(served) if i == 0 => self.show(&served),
                Ok(_) => {}
                Err(failure) => self.fail(&format!("version {version}: "), &failure),
            }
        }
        Ok(())
    }

    /// Shows what a configuration declares.
    fn declared(&mut self, config: &ModelConfig) {
        let tensor = |name: &str, ty: &str, dims: &[i64]| {
            let batch = (config.max_batch_size > 0).then_some(-1);
            let shape: Vec<i64> = batch.into_iter().chain(dims.iter().copied()).collect();
            format!("{name} {ty} {}", list(&shape))
        };
        let inputs = config.input.iter();
        let inputs = inputs.map(|it| tensor(&it.name, it.data_type.protocol_name(), &it.dims));
        let outputs = config.output.iter();
        let outputs = outputs.map(|it| tensor(&it.name, it.data_type.protocol_name(), &it.dims));
        (self.inputs, self.outputs) = (inputs.collect(), outputs.collect());
        self.max_batch = Some(config.max_batch_size);
        self.backend = config.backend.clone();
    }

    /// Shows a version as a server has it.
    fn show(&mut self, served: &Served) {
        self.declared(&served.config);
        self.devices.clone_from(&served.setup.placement.devices);
    }
}

/// Whether a platform belongs to another backend, which the server knows by it.
fn of_others(platform: &str) -> bool {
    !platform.is_empty() && platform != "onnxruntime_onnx"
}

/// Checks the configuration of an ensemble, and that the repository has the models of its steps.
fn check_ensemble(folder: &ModelFolder, folders: &[PathBuf]) -> Result<(), Failure> {
    let mut config = folder.named(None)?;
    folder.settle(&mut config, &Host::default(), &ReadOptions::default())?;
    let SchedulingChoice::Ensemble(steps) = &config.scheduling else { return Ok(()) };
    let there = |model: &str| folders.iter().any(|folder| name(folder) == model);
    match steps.step.iter().position(|step| !there(&step.model_name)) {
        Some(at) => {
            let place = folder.place_of(&format!("ensemble_scheduling.step[{at}].model_name"));
            let model = &steps.step[at].model_name;
            Err(Failure::usage(format!("{place}: the repository has no model `{model}`")))
        }
        None => Ok(()),
    }
}

fn name(folder: &Path) -> String {
    folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The tensors that fit into a cell, at least one, and the number of the others.
fn short(tensors: &[String]) -> String {
    let mut text = String::new();
    for (i, tensor) in tensors.iter().enumerate() {
        let long = text.chars().count() + tensor.chars().count() > MOST_SHOWN;
        if i > 0 && long {
            let _ = write!(text, " + {}", tensors.len() - i);
            return text;
        }
        text += if i > 0 { ", " } else { "" };
        text += tensor;
    }
    text
}
