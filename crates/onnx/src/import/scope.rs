//! Names of values, block within block.

use crate::error::Fault;
use crate::proto::NodeProto;
use std::collections::{HashMap, HashSet};
use trident_ir::ValueId;

/// The values that nodes of one graph see: its own, and those of the graphs around it.
pub(crate) struct Scope<'a, 's> {
    /// `None` stands for an operand that the call of a function leaves out.
    names: HashMap<&'a str, Option<ValueId>>,
    nodes: &'a [NodeProto],
    outer: Option<&'s Scope<'a, 's>>,
}

impl<'a, 's> Scope<'a, 's> {
    /// The scope of a graph with these nodes.
    pub(crate) fn new(nodes: &'a [NodeProto], outer: Option<&'s Scope<'a, 's>>) -> Scope<'a, 's> {
        Scope { names: HashMap::new(), nodes, outer }
    }

    /// Names a value of this graph.
    pub(crate) fn define(&mut self, name: &'a str, value: ValueId) -> Result<(), Fault> {
        self.insert(name, Some(value))
    }

    /// Names an operand that a call of a function leaves out.
    pub(crate) fn leave_out(&mut self, name: &'a str) -> Result<(), Fault> {
        self.insert(name, None)
    }

    fn insert(&mut self, name: &'a str, value: Option<ValueId>) -> Result<(), Fault> {
        match self.names.insert(name, value) {
            None => Ok(()),
            Some(_) => Err(Fault::DefinedTwice { tensor: name.to_owned() }),
        }
    }

    /// Names a node's result. The standard does not let these hide values of the graphs around.
    pub(crate) fn define_result(&mut self, name: &'a str, value: ValueId) -> Result<(), Fault> {
        match self.find(name) {
            None => self.define(name, value),
            Some(_) => Err(Fault::DefinedTwice { tensor: name.to_owned() }),
        }
    }

    fn find(&self, name: &str) -> Option<Option<ValueId>> {
        let mut scope = Some(self);
        while let Some(s) = scope {
            if let Some(&value) = s.names.get(name) {
                return Some(value);
            }
            scope = s.outer;
        }
        None
    }

    /// The operand with a name; `None` if the name is empty or stands for one that was left out.
    pub(crate) fn operand(&self, name: &str) -> Result<Option<ValueId>, Fault> {
        match name.is_empty() {
            true => Ok(None),
            false => self.find(name).ok_or_else(|| self.explain(name)),
        }
    }

    /// The value with a name, or why there is none.
    pub(crate) fn value(&self, name: &str) -> Result<ValueId, Fault> {
        self.operand(name)?.ok_or_else(|| Fault::Undefined { tensor: name.to_owned() })
    }

    fn explain(&self, name: &str) -> Fault {
        let mut scope = Some(self);
        while let Some(s) = scope {
            if let Some(producer) = s.nodes.iter().find(|n| n.output.iter().any(|o| o == name)) {
                return match cycle(s.nodes, name) {
                    Some(tensors) => Fault::Cycle { tensors },
                    None => Fault::OutOfOrder {
                        tensor: name.to_owned(),
                        producer: node_name(producer).to_owned(),
                    },
                };
            }
            scope = s.outer;
        }
        Fault::Undefined { tensor: name.to_owned() }
    }
}

/// How messages name a node: by its name, or its first result.
pub(crate) fn node_name(node: &NodeProto) -> &str {
    match node.name.is_empty() {
        true => node.output.iter().find(|o| !o.is_empty()).map_or("?", String::as_str),
        false => &node.name,
    }
}

/// The tensors of a cycle that leads from `start` back to it, if there is one.
fn cycle(nodes: &[NodeProto], start: &str) -> Option<Vec<String>> {
    let mut producer = HashMap::new();
    for node in nodes {
        producer.extend(node.output.iter().filter(|o| !o.is_empty()).map(|o| (o.as_str(), node)));
    }
    // Depth first along operands; `path` holds the tensors from `start` to the current one.
    let mut path = vec![start];
    let mut pending = vec![producer.get(start)?.input.iter()];
    let mut seen = HashSet::from([start]);
    while let Some(operands) = pending.last_mut() {
        match operands.next().map(String::as_str) {
            Some(name) if name == start => {
                path.push(start);
                path.reverse();
                return Some(path.into_iter().map(str::to_owned).collect());
            }
            Some(name) => {
                if let Some(node) = producer.get(name)
                    && seen.insert(name)
                {
                    path.push(name);
                    pending.push(node.input.iter());
                }
            }
            None => {
                pending.pop();
                path.pop();
            }
        }
    }
    None
}
