//! Runs of a loaded model.

use super::Named;
use super::failure::{Failure, FailureKind};
use super::give;
use super::load::Loaded;
use super::read::Reader;
use super::refusal::Refusal;
use super::stop::Interrupt;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use trident_engine::{CancelFlag, Profile, RunContext, RunError};
use trident_ir::counted;
use trident_runtime::{AliasGroup, Tensor, Value};

/// Values by the names of inputs.
type Inputs<'a> = Vec<(&'a str, Value)>;

/// The results of a run, by name.
type Results = Vec<(String, Value)>;

impl Loaded {
    /// The inputs of a call: in the model's order, then by name.
    pub(super) fn arguments<'a>(
        &'a self,
        args: &Bound<'_, PyTuple>,
        named: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Inputs<'a>> {
        let py = args.py();
        let signature = self.session.signature();
        let count = signature.inputs.len() + signature.optional.len();
        if args.len() > count {
            let text = format!("the model takes {}, not {}", counted(count, "input"), args.len());
            let failure = Failure::new(FailureKind::Argument, text);
            return Err(Failure { hint: Some(signature.hint()), ..failure }.raise(py));
        }
        let reader = self.reader(None);
        let mut inputs = Vec::with_capacity(count);
        for (info, object) in signature.all().zip(args.iter()) {
            let value = reader.value(&object, &info.ty);
            let value = value.map_err(|refusal| self.refused(py, "input", &info.name, refusal))?;
            inputs.push((&*info.name, value));
        }
        if let Some(named) = named {
            self.add(py, &mut inputs, &reader, &super::by_name(named, "a call")?)?;
        }
        Ok(inputs)
    }

    /// The inputs of a dictionary.
    pub(super) fn by_name<'a>(
        &'a self,
        py: Python<'_>,
        named: &Named<'_>,
        group: Option<&AliasGroup>,
    ) -> PyResult<Inputs<'a>> {
        let mut inputs = Vec::with_capacity(named.len());
        self.add(py, &mut inputs, &self.reader(group), named)?;
        Ok(inputs)
    }

    fn add<'a>(
        &'a self,
        py: Python<'_>,
        inputs: &mut Inputs<'a>,
        reader: &Reader<'_>,
        named: &Named<'_>,
    ) -> PyResult<()> {
        let signature = self.session.signature();
        for (name, object) in named {
            let Some(info) = signature.find(name) else {
                let known: Vec<&str> = signature.all().map(|input| &*input.name).collect();
                return Err(unknown(py, "input", name, &known, signature.hint()));
            };
            // Nothing is what is left out.
            if object.is_none() && signature.optional.iter().any(|input| input.info.name == **name)
            {
                continue;
            }
            let value = reader.value(object, &info.ty);
            let value = value.map_err(|refusal| self.refused(py, "input", name, refusal))?;
            inputs.push((&*info.name, value));
        }
        Ok(())
    }

    /// Tensors in arrays of the caller, for results.
    pub(super) fn memory(
        &self,
        py: Python<'_>,
        out: &Named<'_>,
        group: &AliasGroup,
    ) -> PyResult<Vec<(String, Tensor)>> {
        let reader = self.reader(Some(group));
        let memory = out.iter().map(|(name, array)| {
            self.check_output(py, name)?;
            let tensor = reader.output(array, group);
            let tensor = tensor.map_err(|refusal| self.refused(py, "output", name, refusal))?;
            Ok((name.to_string(), tensor))
        });
        memory.collect()
    }

    fn reader<'a>(&'a self, group: Option<&'a AliasGroup>) -> Reader<'a> {
        Reader { session: &self.session, copied: &self.copied, group }
    }

    /// An error for a name that no output has.
    pub(super) fn check_output(&self, py: Python<'_>, name: &str) -> PyResult<()> {
        let outputs = &self.session.signature().outputs;
        if outputs.iter().any(|output| output.name == name) {
            return Ok(());
        }
        let known: Vec<&str> = outputs.iter().map(|output| &*output.name).collect();
        Err(unknown(py, "output", name, &known, self.outputs_hint()))
    }

    fn outputs_hint(&self) -> String {
        let outputs = self.session.signature().outputs.iter();
        let outputs: Vec<String> = outputs.map(|o| format!("{}: {}", o.name, o.ty)).collect();
        format!("the model's outputs are {}", outputs.join(", "))
    }

    /// The exception for an object that is no value of an input or output.
    fn refused(&self, py: Python<'_>, kind: &str, name: &str, refusal: Refusal) -> PyErr {
        match refusal {
            Refusal::Text(reason) => {
                let hint = match kind {
                    "input" => self.session.signature().hint(),
                    _ => self.outputs_hint(),
                };
                Failure::of_operand(kind, name, reason, hint).raise(py)
            }
            Refusal::Raised(error) => {
                // The exception itself says more than a failure to add a note.
                let note = format!("{kind} `{name}` of the model");
                let _ = error.value(py).call_method1("add_note", (note,));
                error
            }
        }
    }

    /// Runs the model without holding the interpreter.
    pub(super) fn run(
        &self,
        py: Python<'_>,
        inputs: Inputs<'_>,
        mut context: RunContext,
        stop: Option<CancelFlag>,
    ) -> PyResult<(Results, Profile)> {
        let interrupt = Interrupt::default();
        context.cancel = Some(interrupt.flag(stop));
        context.time_limit = self.settings.time_limit;
        let outcome = py.detach(|| {
            let (mut results, profile) = self.session.run_with(&inputs, context)?;
            let settled = results.iter_mut().try_for_each(|(name, value)| {
                value.settle().map_err(|error| RunError::Output {
                    name: name.clone(),
                    reason: error.to_string(),
                })
            });
            settled.map(|()| (results, profile))
        });
        // What was lent is the caller's again before results are looked at.
        drop(inputs);
        match (interrupt.take(), outcome) {
            (Some(raised), _) => Err(raised),
            (None, outcome) => outcome.map_err(|error| Failure::from(error).raise(py)),
        }
    }

    /// The result of the only output, or a tuple of all.
    pub(super) fn in_order<'py>(
        &self,
        py: Python<'py>,
        results: Results,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut all = results.into_iter().map(|(_, value)| give::value(py, value, &self.copied));
        match (all.next(), all.len()) {
            (Some(only), 0) => only,
            (first, _) => {
                let all = first.into_iter().chain(all).collect::<PyResult<Vec<_>>>()?;
                PyTuple::new(py, all)?.into_bound_py_any(py)
            }
        }
    }
}

/// The exception for a name that the model does not have.
fn unknown(py: Python<'_>, kind: &str, name: &str, known: &[&str], hint: String) -> PyErr {
    let message = format!("the model has no {kind} `{name}`");
    let same = known.iter().find(|known| known.eq_ignore_ascii_case(name));
    let hint = match same {
        Some(same) => format!("it is called `{same}`; {hint}"),
        None => hint,
    };
    let operand = Some(name.to_owned());
    let failure = Failure::new(FailureKind::Argument, message);
    Failure { operand, hint: Some(hint), ..failure }.raise(py)
}
