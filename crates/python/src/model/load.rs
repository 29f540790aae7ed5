//! Loading models from files and bytes.

use super::Copied;
use super::device;
use super::failure::{self, Failure};
use super::report;
use super::stop::Interrupt;
use crate::device::default_threads;
use crate::kernel::switch;
use bytes::Bytes;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyMemoryView};
use pyo3::{IntoPyObjectExt, intern};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use trident_devices::ForModels;
use trident_engine::{CancelFlag, Session};
use trident_ir::Type;
use trident_model::{Compiled, Model};

/// Where a model comes from.
pub(super) enum Source {
    /// An absolute path.
    Path(PathBuf),
    /// The contents of a file.
    Bytes(Py<PyBytes>),
}

/// How a model is prepared and run.
#[derive(Clone)]
pub(super) struct Settings {
    /// As given; 0 for the default.
    threads: usize,
    /// The threads that the model was loaded with.
    cpu_threads: usize,
    device: Option<String>,
    /// In bytes; 0 for no limit.
    memory_limit: usize,
    pub(super) time_limit: Option<Duration>,
    /// Whether a load of more than a second shows on a terminal; by default as `TRIDENT_PROGRESS` says.
    progress: Option<bool>,
}

/// A model with its session.
pub(super) struct Loaded {
    pub(super) session: Session,
    pub(super) info: Py<PyDict>,
    /// The types of the outputs that the file declares.
    pub(super) declared: Vec<Option<Type>>,
    pub(super) source: Source,
    pub(super) settings: Settings,
    pub(super) copied: Copied,
}

impl Settings {
    pub(super) fn new(
        threads: usize,
        device: Option<String>,
        memory_limit: Option<usize>,
        time_limit: Option<f64>,
        progress: Option<bool>,
    ) -> PyResult<Settings> {
        let time_limit = time_limit.map(|seconds| {
            let limit = Duration::try_from_secs_f64(seconds).ok();
            limit.filter(|limit| !limit.is_zero()).ok_or_else(|| {
                PyValueError::new_err("time_limit is a number of seconds above 0, or None")
            })
        });
        let memory_limit = memory_limit.unwrap_or(0);
        let cpu_threads = if threads > 0 { threads } else { default_threads()? };
        let time_limit = time_limit.transpose()?;
        Ok(Settings { threads, cpu_threads, device, memory_limit, time_limit, progress })
    }

    /// The arguments that make them.
    pub(super) fn dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("threads", self.threads)?;
        dict.set_item("device", &self.device)?;
        dict.set_item("memory_limit", (self.memory_limit > 0).then_some(self.memory_limit))?;
        dict.set_item("time_limit", self.time_limit.map(|limit| limit.as_secs_f64()))?;
        if let Some(progress) = self.progress {
            dict.set_item("progress", progress)?;
        }
        Ok(dict)
    }

    /// The outcome of `work` on the opened devices, without holding the interpreter. A handler of signals that raises sets the flag, and
    /// its exception is the outcome.
    fn prepare<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&ForModels, CancelFlag) -> Result<T, Failure> + Send,
    ) -> PyResult<T> {
        let interrupt = Interrupt::default();
        let cancel = interrupt.flag(None);
        let outcome = py.detach(|| {
            let opened = device::open(self.device.as_deref(), self.cpu_threads)?;
            work(&opened, cancel)
        });
        match interrupt.take() {
            Some(raised) => Err(raised),
            None => outcome.map_err(|failure| failure.raise(py)),
        }
    }

    fn shows_progress(&self) -> PyResult<bool> {
        const VARIABLE: &str = "TRIDENT_PROGRESS";
        match self.progress {
            Some(progress) => Ok(progress),
            None => Ok(std::env::var_os(VARIABLE).is_none() || switch(VARIABLE)?),
        }
    }
}

impl Source {
    /// A path, or an object with the buffer protocol.
    fn of(model: &Bound<'_, PyAny>) -> PyResult<Source> {
        if let Ok(bytes) = model.cast::<PyBytes>() {
            return Ok(Source::Bytes(bytes.clone().unbind()));
        }
        if model.is_instance_of::<PyByteArray>() || model.is_instance_of::<PyMemoryView>() {
            let bytes = model.py().get_type::<PyBytes>().call1((model,))?;
            return Ok(Source::Bytes(bytes.cast_into::<PyBytes>()?.unbind()));
        }
        let path: PathBuf = model.extract().map_err(|_| {
            PyTypeError::new_err("a model is given by its path, or as the bytes of its file")
        })?;
        Ok(Source::Path(std::path::absolute(&path).unwrap_or(path)))
    }

    pub(super) fn object(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        match self {
            Source::Path(path) => path.as_os_str().into_py_any(py),
            Source::Bytes(bytes) => Ok(bytes.clone_ref(py).into_any()),
        }
    }

    /// The model in messages.
    fn name(&self) -> String {
        match self {
            Source::Path(path) => format!("`{}`", path.display()),
            Source::Bytes(_) => "from bytes".to_owned(),
        }
    }

    /// The model, before it is prepared.
    fn read(&self, py: Python<'_>) -> PyResult<Model> {
        match self {
            Source::Path(path) => {
                let name = format!("`{}`", path.display());
                let read = py.detach(|| trident_model::load(path));
                read.map_err(|error| failure::load(py, &name, error))
            }
            Source::Bytes(bytes) => {
                let bytes = Bytes::from_owner(PyBackedBytes::from(bytes.bind(py).clone()));
                let read = py.detach(|| trident_model::load_from(&bytes, "", None));
                read.map_err(|error| failure::load(py, "the bytes of a model", error))
            }
        }
    }
}

impl Loaded {
    pub(super) fn new(model: &Bound<'_, PyAny>, settings: Settings) -> PyResult<Loaded> {
        let source = Source::of(model)?;
        let (name, shows_progress) = (source.name(), settings.shows_progress()?);
        let py = model.py();
        let start = Instant::now();
        let load = || Loaded::of(py, source, settings);
        let loaded = match shows_progress {
            true => trident_cli::while_loading(&name, load),
            false => load(),
        }?;
        loaded.log(py, &name, start.elapsed())?;
        Ok(loaded)
    }

    fn of(py: Python<'_>, source: Source, settings: Settings) -> PyResult<Loaded> {
        let model = source.read(py)?;
        let info = report::info(py, &model)?.unbind();
        let declared = model.info().outputs.clone();
        let session = settings.prepare(py, |opened, cancel| {
            let options = device::options(opened, settings.memory_limit, cancel);
            Ok(model.session(&opened.devices, &options)?)
        })?;
        Ok(Loaded { session, info, declared, source, settings, copied: Copied::default() })
    }

    /// Tells Python's logger `trident` that the model is loaded, and the warnings about it.
    fn log(&self, py: Python<'_>, name: &str, time: Duration) -> PyResult<()> {
        let warnings = trident_model::warnings(&self.declared, &self.session);
        // Without the module nobody listens.
        let modules = py.import("sys")?.getattr("modules")?;
        if warnings.is_empty() && !modules.contains(intern!(py, "logging"))? {
            return Ok(());
        }
        let logging = py.import("logging")?;
        let logger = logging.call_method1("getLogger", ("trident",))?;
        for warning in warnings {
            logger.call_method1("warning", ("model %s: %s", name, warning))?;
        }
        let text = "loaded model %s in %.3f s";
        logger.call_method1("info", (text, name, time.as_secs_f64()))?;
        Ok(())
    }

    /// Writes the model as it is after its passes.
    pub(super) fn compile(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let compiled = match self.source.read(py)? {
            Model::Compiled(compiled) => compiled,
            Model::Source(model) => self.settings.prepare(py, |opened, cancel| {
                let options = device::options(opened, self.settings.memory_limit, cancel);
                Ok(Compiled::new(model, &opened.devices, &options)?)
            })?,
        };
        py.detach(|| write(&compiled, &path)).map_err(|error| failure::file(&path, error))
    }
}

/// Writes a file that is whole whenever it has its name.
fn write(compiled: &Compiled, path: &Path) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.partial", std::process::id()));
    let partial = path.with_file_name(name);
    let written = File::create(&partial).and_then(|file| {
        let mut out = BufWriter::new(file);
        compiled.write(&mut out)?;
        out.flush()
    });
    let outcome = written.and_then(|()| fs::rename(&partial, path));
    if outcome.is_err() {
        // The first error is the one to tell.
        let _ = fs::remove_file(&partial);
    }
    outcome
}
