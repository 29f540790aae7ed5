//! Models: `trident.Model`, whose half in Python is `trident/models.py`.
//!
//! Arguments are lent to the engine where they are (`read.rs`, `lend.rs`), and results are arrays over its memory (`give.rs`). The
//! interpreter is released while a run lasts. A model's lock is only held while the interpreter is: a forked child finds it free.

mod device;
mod dtype;
mod failure;
mod give;
mod interface;
mod lend;
mod load;
mod memory;
mod options;
mod read;
mod refusal;
mod report;
mod run;
mod stop;
mod torch;

pub(crate) use device::devices;
pub(crate) use interface::ValueInfo;
pub(crate) use stop::Stop;

use failure::{Failure, FailureKind};
use load::{Loaded, Settings};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyDict, PyMapping, PyString, PyTuple};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use trident_engine::{Profile, RunContext};
use trident_runtime::AliasGroup;

/// Arrays of the caller, by the names of inputs or outputs.
type Named<'py> = Vec<(PyBackedStr, Bound<'py, PyAny>)>;

/// Bytes of arrays that could not be lent, and of results that could not be given as they were.
#[derive(Default)]
pub(crate) struct Copied {
    inputs: AtomicU64,
    outputs: AtomicU64,
}

/// A model prepared to run.
#[pyclass(subclass, frozen, module = "trident._trident")]
pub(crate) struct Model {
    /// `None` once it is closed.
    loaded: Mutex<Option<Arc<Loaded>>>,
}

impl Model {
    fn loaded(&self, py: Python<'_>) -> PyResult<Arc<Loaded>> {
        let loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner).clone();
        loaded.ok_or_else(|| Failure::new(FailureKind::Run, "the model is closed").raise(py))
    }
}

#[pymethods]
impl Model {
    #[new]
    #[pyo3(signature = (model, threads = 0, device = None, memory_limit = None, time_limit = None, precision = None, progress = None))]
    fn new(
        model: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = options::threads)] threads: usize,
        #[pyo3(from_py_with = options::device)] device: Option<String>,
        #[pyo3(from_py_with = options::memory_limit)] memory_limit: Option<usize>,
        #[pyo3(from_py_with = options::time_limit)] time_limit: Option<f64>,
        precision: Option<&Bound<'_, PyAny>>,
        progress: Option<bool>,
    ) -> PyResult<Model> {
        let py = model.py();
        if let Ok(other) = model.cast::<Model>() {
            let limits = memory_limit.is_some() || time_limit.is_some() || progress.is_some();
            if threads != 0 || device.is_some() || limits || precision.is_some() {
                let text = "a copy of a model has its options: give a path or bytes for others";
                return Err(PyValueError::new_err(text));
            }
            let shared = Mutex::new(Some(other.get().loaded(py)?));
            return Ok(Model { loaded: shared });
        }
        if let Some(precision) = precision {
            let text = format!(
                "precision is {}, and models run in their own types only: leave it out",
                precision.repr()?
            );
            return Err(Failure::new(FailureKind::Argument, text).raise(py));
        }
        let settings = Settings::new(threads, device, memory_limit, time_limit, progress)?;
        let loaded = Loaded::new(model, settings)?;
        Ok(Model { loaded: Mutex::new(Some(Arc::new(loaded))) })
    }

    /// Runs the model. Arguments are its inputs in their order, or by name; the result is that of the output, or a tuple of them.
    #[pyo3(signature = (*args, **named))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        named: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let loaded = self.loaded(py)?;
        let inputs = loaded.arguments(args, named)?;
        let (results, _) = loaded.run(py, inputs, RunContext::default(), None)?;
        loaded.in_order(py, results)
    }

    /// Runs the model on inputs by name. The result has the outputs by name, or those of `outputs`; those of `out` are written to
    /// arrays of the caller.
    #[pyo3(signature = (inputs, outputs = None, out = None, stop = None))]
    fn run<'py>(
        &self,
        py: Python<'py>,
        inputs: &Bound<'py, PyAny>,
        outputs: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
        stop: Option<&Bound<'py, Stop>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let loaded = self.loaded(py)?;
        let context = RunContext::default();
        Ok(run_by_name(py, &loaded, inputs, outputs, out, stop, context)?.0)
    }

    /// Runs the model as `run` does, and measures each step; the results, and the profile.
    #[pyo3(signature = (inputs, outputs = None, out = None, stop = None))]
    fn run_profiled<'py>(
        &self,
        py: Python<'py>,
        inputs: &Bound<'py, PyAny>,
        outputs: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
        stop: Option<&Bound<'py, Stop>>,
    ) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyDict>)> {
        let loaded = self.loaded(py)?;
        let context = RunContext::profiled();
        let (results, profile) = run_by_name(py, &loaded, inputs, outputs, out, stop, context)?;
        Ok((results, report::profile(py, &profile)?))
    }

    /// Runs the model as a call does, and measures each step; the results, and the profile.
    #[pyo3(signature = (*args, **named))]
    fn profiled<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        named: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyDict>)> {
        let loaded = self.loaded(py)?;
        let inputs = loaded.arguments(args, named)?;
        let (results, profile) = loaded.run(py, inputs, RunContext::profiled(), None)?;
        Ok((loaded.in_order(py, results)?, report::profile(py, &profile)?))
    }

    /// The plan. Inputs have these dimensions, by name; without them, figures that depend on symbols are absent.
    fn plan<'py>(
        &self,
        py: Python<'py>,
        shapes: BTreeMap<String, Vec<usize>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        report::plan(py, &self.loaded(py)?.session, &shapes)
    }

    /// Writes the model as a compiled one.
    fn compile(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.loaded(py)?.compile(py, path)
    }

    /// Inputs that a run needs, then those with defaults.
    #[getter]
    fn inputs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let loaded = self.loaded(py)?;
        let signature = loaded.session.signature();
        let needed = signature.inputs.iter().map(|info| ValueInfo::new(info, false));
        let optional = signature.optional.iter().map(|input| ValueInfo::new(&input.info, true));
        PyTuple::new(py, needed.chain(optional).collect::<Vec<_>>())
    }

    /// Outputs in the model's order. Dimensions that do not follow from the inputs are as the file declares.
    #[getter]
    fn outputs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let loaded = self.loaded(py)?;
        let declared = loaded.declared.iter().map(Option::as_ref);
        let declared = declared.chain(std::iter::repeat(None));
        let outputs = loaded.session.signature().outputs.iter().zip(declared);
        let outputs = outputs.map(|(info, declared)| ValueInfo::output(info, declared));
        PyTuple::new(py, outputs.collect::<Vec<_>>())
    }

    /// The free text in the model's file.
    #[getter]
    fn metadata(&self, py: Python<'_>) -> PyResult<BTreeMap<String, String>> {
        Ok(self.loaded(py)?.session.metadata().clone())
    }

    /// The facts that the model's file states about itself.
    #[getter]
    fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.loaded(py)?.info.bind(py).copy()
    }

    /// Bytes of arrays that could not be lent, and of results that could not be given as they were, since the model was loaded.
    #[getter]
    fn copied_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let loaded = self.loaded(py)?;
        let counts = PyDict::new(py);
        counts.set_item("inputs", loaded.copied.inputs.load(Relaxed))?;
        counts.set_item("outputs", loaded.copied.outputs.load(Relaxed))?;
        Ok(counts)
    }

    /// The file's path, or its bytes, and the options: what makes the model anew.
    #[getter]
    fn origin<'py>(&self, py: Python<'py>) -> PyResult<(Py<PyAny>, Bound<'py, PyDict>)> {
        let loaded = self.loaded(py)?;
        Ok((loaded.source.object(py)?, loaded.settings.dict(py)?))
    }

    /// Whether it is closed.
    #[getter]
    fn is_closed(&self) -> bool {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }

    /// Gives the memory back, once runs that have begun are over. Results keep theirs.
    fn close(&self) {
        let loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(loaded);
    }
}

/// A run on inputs by name: the outputs by name, or those of `outputs`, and the measurements that the context asks for. Those of `out`
/// are written to arrays of the caller.
fn run_by_name<'py>(
    py: Python<'py>,
    loaded: &Loaded,
    inputs: &Bound<'py, PyAny>,
    outputs: Option<&Bound<'py, PyAny>>,
    out: Option<&Bound<'py, PyAny>>,
    stop: Option<&Bound<'py, Stop>>,
    context: RunContext,
) -> PyResult<(Bound<'py, PyDict>, Profile)> {
    let outputs = options::outputs(inputs, outputs)?;
    for name in outputs.iter().flatten() {
        loaded.check_output(py, name)?;
    }
    let inputs = by_name(inputs, "inputs")?;
    let out = out.map(|out| by_name(out, "out")).transpose()?;
    // Arrays for results may be parts of one that inputs are parts of, too.
    let group = out.as_ref().map(|_| AliasGroup::new());
    let inputs = loaded.by_name(py, &inputs, group.as_ref())?;
    let memory = match (&out, &group) {
        (Some(out), Some(group)) => loaded.memory(py, out, group)?,
        _ => vec![],
    };
    let context = RunContext { outputs: memory, ..context };
    let stop = stop.map(|stop| stop.get().0.clone());
    let (results, profile) = loaded.run(py, inputs, context, stop)?;
    let dict = PyDict::new(py);
    for (name, value) in results {
        if outputs.as_ref().is_some_and(|wanted| !wanted.contains(&name)) {
            continue;
        }
        let own = out.iter().flatten().find(|(known, _)| **known == *name);
        match own {
            Some((_, array)) => dict.set_item(name, array)?,
            None => dict.set_item(name, give::value(py, value, &loaded.copied)?)?,
        }
    }
    Ok((dict, profile))
}

/// Arrays by name, of a dictionary or another mapping, such as NumPy's files of several arrays. What the arrays' own code does to the
/// dictionary while they are read changes nothing.
fn by_name<'py>(given: &Bound<'py, PyAny>, argument: &str) -> PyResult<Named<'py>> {
    if !given.is_instance_of::<PyDict>() && !given.is_instance_of::<PyMapping>() {
        let text = format!(
            "{argument} takes a dict of arrays by name; call the model to give inputs in order"
        );
        return Err(PyTypeError::new_err(text));
    }
    let dict = match given.cast::<PyDict>() {
        Ok(dict) => dict.clone(),
        Err(_) => given.py().get_type::<PyDict>().call1((given,))?.cast_into()?,
    };
    // Without an interpreter lock, other threads may change the dictionary too.
    let mut named = Vec::with_capacity(dict.len());
    let entries = dict.items();
    for entry in entries.iter() {
        let (name, array): (Bound<'py, PyAny>, Bound<'py, PyAny>) = entry.extract()?;
        let name = PyBackedStr::try_from(name.cast_into::<PyString>().map_err(|error| {
            let name = error.into_inner();
            PyTypeError::new_err(format!(
                "{argument} takes a dict of arrays by name, and {name:?} is not a str"
            ))
        })?)?;
        named.push((name, array));
    }
    Ok(named)
}
