//! Checks of an ensemble's data flow, from its configuration alone.

use super::EnsembleFault;
use crate::config::{EnsembleStep, ModelConfig, ModelEnsembling};
use std::collections::{BTreeMap, BTreeSet};

/// A tensor of an ensemble.
#[derive(Default)]
struct Node<'c> {
    is_written: bool,
    is_ready: bool,
    /// The tensors that the step needs that writes this one.
    before: Vec<&'c str>,
    /// Whether a step reads it.
    is_read: bool,
}

/// Checks that every tensor is written before it is read, and used. So steps form no cycle.
pub(crate) fn check_flow(
    config: &ModelConfig,
    ensembling: &ModelEnsembling,
) -> Result<(), EnsembleFault> {
    let ensemble = || config.name.clone();
    check_fields(config, ensembling)?;
    let mut nodes: BTreeMap<&str, Node<'_>> = BTreeMap::new();
    for (step, element) in ensembling.step.iter().enumerate() {
        add(&mut nodes, config, step, element)?;
    }
    for input in &config.input {
        let tensor = input.name.clone();
        match nodes.get_mut(&*input.name) {
            Some(node) if node.is_written => {
                let step = ensembling.step.iter().position(|step| writes(step, &tensor));
                let (ensemble, step) = (ensemble(), step.unwrap_or(0));
                return Err(EnsembleFault::WrittenTwice { ensemble, step, tensor });
            }
            Some(node) => node.is_ready = true,
            None => {
                let (ensemble, role) = (ensemble(), "input");
                return Err(EnsembleFault::NotUsed { ensemble, role, tensor });
            }
        }
    }
    settle(&mut nodes);
    for output in &config.output {
        let Some(node) = nodes.get(&*output.name) else {
            let (role, tensor) = ("output", output.name.clone());
            return Err(EnsembleFault::NotUsed { ensemble: ensemble(), role, tensor });
        };
        if !node.is_ready {
            let (output, cause) = (output.name.clone(), cause(&nodes, &output.name));
            return Err(EnsembleFault::NotWritten { ensemble: ensemble(), output, cause });
        }
    }
    let is_output = |name: &str| config.output.iter().any(|output| output.name == name);
    let unused = |(name, node): (&&str, &Node<'_>)| {
        (!is_output(name) && (!node.is_ready || !node.is_read)).then(|| (*name).to_owned())
    };
    match nodes.iter().find_map(unused) {
        Some(tensor) => Err(EnsembleFault::Unused { ensemble: ensemble(), tensor }),
        None => Ok(()),
    }
}

fn check_fields(config: &ModelConfig, ensembling: &ModelEnsembling) -> Result<(), EnsembleFault> {
    let ensemble = config.name.clone();
    if !config.instance_group.is_empty() {
        return Err(EnsembleFault::Field { ensemble, field: "instance group" });
    }
    if config.optimization.is_some() {
        return Err(EnsembleFault::Field { ensemble, field: "optimization" });
    }
    if !config.model_warmup.is_empty() {
        return Err(EnsembleFault::Warmup { ensemble });
    }
    match ensembling.step.is_empty() {
        true => Err(EnsembleFault::NoSteps { ensemble }),
        false => Ok(()),
    }
}

/// Adds a step's tensors.
fn add<'c>(
    nodes: &mut BTreeMap<&'c str, Node<'c>>,
    config: &ModelConfig,
    step: usize,
    element: &'c EnsembleStep,
) -> Result<(), EnsembleFault> {
    let ensemble = config.name.clone();
    let fields = [
        ("model_name", element.model_name.is_empty()),
        ("input_map", element.input_map.is_empty()),
        ("output_map", element.output_map.is_empty()),
    ];
    if let Some((field, _)) = fields.into_iter().find(|(_, is_missing)| *is_missing) {
        return Err(EnsembleFault::NoField { ensemble, step, field });
    }
    let inputs: Vec<&str> = element.input_map.values().map(String::as_str).collect();
    for name in element.output_map.values() {
        let node = nodes.entry(name).or_default();
        if std::mem::replace(&mut node.is_written, true) {
            let tensor = name.clone();
            return Err(EnsembleFault::WrittenTwice { ensemble, step, tensor });
        }
        node.before.clone_from(&inputs);
    }
    for name in inputs {
        nodes.entry(name).or_default().is_read = true;
    }
    Ok(())
}

fn writes(step: &EnsembleStep, tensor: &str) -> bool {
    step.output_map.values().any(|name| name == tensor)
}

/// Marks the tensors that steps can write.
fn settle(nodes: &mut BTreeMap<&str, Node<'_>>) {
    loop {
        let is_ready = |name: &&str| nodes.get(*name).is_some_and(|node| node.is_ready);
        let next = nodes.iter().find(|(_, node)| {
            !node.is_ready && node.is_written && node.before.iter().all(is_ready)
        });
        let Some(name) = next.map(|(name, _)| *name) else { return };
        if let Some(node) = nodes.get_mut(name) {
            node.is_ready = true;
        }
    }
}

/// The first tensor that is missing for an output: what none of the steps before it can write.
fn cause(nodes: &BTreeMap<&str, Node<'_>>, output: &str) -> Option<String> {
    let (mut seen, mut last) = (BTreeSet::new(), output);
    while let Some(node) = nodes.get(last) {
        let is_missing =
            |name: &&&str| nodes.get(**name).is_some_and(|n| !n.is_ready) && !seen.contains(**name);
        let Some(name) = node.before.iter().find(is_missing) else { break };
        seen.insert(*name);
        last = name;
    }
    (last != output).then(|| last.to_owned())
}
