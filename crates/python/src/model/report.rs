//! Facts, plans and profiles of models, as dictionaries that `trident/reports.py` shows.

use super::failure::Failure;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::collections::BTreeMap;
use trident_engine::{Profile, Session, StepReport};
use trident_model::Model;

/// The facts that a model's file states about itself.
pub(super) fn info<'py>(py: Python<'py>, model: &Model) -> PyResult<Bound<'py, PyDict>> {
    let info = model.info();
    let facts = PyDict::new(py);
    facts.set_item("ir_version", info.ir_version)?;
    facts.set_item("opsets", info.opsets.iter().cloned().collect::<BTreeMap<_, _>>())?;
    facts.set_item("producer_name", &info.producer_name)?;
    facts.set_item("producer_version", &info.producer_version)?;
    facts.set_item("domain", &info.domain)?;
    facts.set_item("model_version", info.model_version)?;
    facts.set_item("doc", &info.doc)?;
    facts.set_item("graph_name", &info.graph_name)?;
    facts.set_item("graph_doc", &info.graph_doc)?;
    Ok(facts)
}

/// The plan for inputs of these dimensions.
pub(super) fn plan<'py>(
    py: Python<'py>,
    session: &Session,
    shapes: &BTreeMap<String, Vec<usize>>,
) -> PyResult<Bound<'py, PyDict>> {
    let shapes: Vec<(&str, Vec<usize>)> =
        shapes.iter().map(|(name, dims)| (name.as_str(), dims.clone())).collect();
    session.signature().check_dims(&shapes).map_err(|error| Failure::from(error).raise(py))?;
    let report = session.report(&shapes).map_err(|error| Failure::from(error).raise(py))?;
    let plan = PyDict::new(py);
    let steps = report.steps.iter().map(|step| self::step(py, step));
    plan.set_item("steps", PyList::new(py, steps.collect::<PyResult<Vec<_>>>()?)?)?;
    plan.set_item("constant_bytes", report.constant_bytes)?;
    plan.set_item("packed_bytes", report.packed_bytes)?;
    plan.set_item("arena_bytes", report.memory.arena)?;
    plan.set_item("peak_bytes", report.peak_bytes())?;
    plan.set_item("unplanned", report.unplanned)?;
    plan.set_item("flops", report.flops())?;
    plan.set_item("note", session.unfolded().map(ToString::to_string))?;
    Ok(plan)
}

fn step<'py>(py: Python<'py>, step: &StepReport) -> PyResult<Bound<'py, PyDict>> {
    let facts = PyDict::new(py);
    facts.set_item("depth", step.depth)?;
    facts.set_item("op", step.op)?;
    facts.set_item("ops", step.ops)?;
    facts.set_item("node", &step.node)?;
    facts.set_item("kernel", &step.kernel)?;
    facts.set_item("device", &step.device)?;
    facts.set_item("reason", &step.reason)?;
    facts.set_item("flops", step.flops)?;
    facts.set_item("packed_bytes", step.packed_bytes)?;
    facts.set_item("results", &step.results)?;
    Ok(facts)
}

/// The measurements of a run. Times are in seconds.
pub(super) fn profile<'py>(py: Python<'py>, profile: &Profile) -> PyResult<Bound<'py, PyDict>> {
    let facts = PyDict::new(py);
    let events = profile.events.iter().map(|event| {
        let facts = PyDict::new(py);
        facts.set_item("node", &event.node)?;
        facts.set_item("op", event.op)?;
        facts.set_item("kernel", &event.kernel)?;
        facts.set_item("device", &event.device)?;
        facts.set_item("start", event.start.as_secs_f64())?;
        facts.set_item("duration", event.duration.as_secs_f64())?;
        facts.set_item("bytes", event.bytes)?;
        facts.set_item("types", &event.types)?;
        facts.set_item("flops", event.flops)?;
        Ok(facts)
    });
    facts.set_item("events", PyList::new(py, events.collect::<PyResult<Vec<_>>>()?)?)?;
    facts.set_item("total", profile.total.as_secs_f64())?;
    Ok(facts)
}
