//! Names of values, block within block.

use crate::error::OnnxErrorKind;
use crate::proto::NodeProto;
use std::collections::HashMap;
use trident_ir::ValueId;

/// The values that the nodes of a graph see: its own, and those of the enclosing graphs.
pub(crate) struct Scope<'a, 's> {
    /// `None` stands for an operand that the call of a function leaves out.
    names: HashMap<&'a str, Option<ValueId>>,
    outer: Option<&'s Scope<'a, 's>>,
}

impl<'a, 's> Scope<'a, 's> {
    /// The scope of a graph within another.
    pub(crate) fn new(outer: Option<&'s Scope<'a, 's>>) -> Scope<'a, 's> {
        Scope { names: HashMap::new(), outer }
    }

    /// Whether a name has a value here or around.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// Names a value of this graph.
    pub(crate) fn define(&mut self, name: &'a str, value: ValueId) -> Result<(), OnnxErrorKind> {
        self.insert(name, Some(value))
    }

    /// Names an operand that a call of a function leaves out.
    pub(crate) fn leave_out(&mut self, name: &'a str) -> Result<(), OnnxErrorKind> {
        self.insert(name, None)
    }

    fn insert(&mut self, name: &'a str, value: Option<ValueId>) -> Result<(), OnnxErrorKind> {
        match self.names.insert(name, value) {
            None => Ok(()),
            Some(_) => Err(OnnxErrorKind::DefinedTwice { tensor: name.to_owned() }),
        }
    }

    /// Names a node's result. The standard does not let these hide values of the graphs around.
    pub(crate) fn define_result(
        &mut self,
        name: &'a str,
        value: ValueId,
    ) -> Result<(), OnnxErrorKind> {
        match self.find(name) {
            None => self.define(name, value),
            Some(_) => Err(OnnxErrorKind::DefinedTwice { tensor: name.to_owned() }),
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

    /// The operand with a name; `None` if the name is empty or refers to an omitted operand.
    pub(crate) fn operand(&self, name: &str) -> Result<Option<ValueId>, OnnxErrorKind> {
        match name.is_empty() {
            true => Ok(None),
            false => {
                self.find(name).ok_or_else(|| OnnxErrorKind::Undefined { tensor: name.to_owned() })
            }
        }
    }

    /// The value with a name, or why there is none.
    pub(crate) fn value(&self, name: &str) -> Result<ValueId, OnnxErrorKind> {
        self.operand(name)?.ok_or_else(|| OnnxErrorKind::Undefined { tensor: name.to_owned() })
    }
}

/// How messages name a node: by its name, or its first result.
pub(crate) fn node_name(node: &NodeProto) -> &str {
    match node.name.is_empty() {
        true => node.output.iter().find(|o| !o.is_empty()).map_or("?", String::as_str),
        false => &node.name,
    }
}
