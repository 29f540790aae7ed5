//! Texts that occur many times in a model.

use std::collections::HashSet;
use std::rc::Rc;

/// Keeps each text once.
#[derive(Default)]
pub(crate) struct Names(HashSet<Rc<str>>);

impl Names {
    /// The text, shared with all others that equal it.
    pub(crate) fn shared(&mut self, text: &str) -> Rc<str> {
        if let Some(known) = self.0.get(text) {
            return known.clone();
        }
        let new: Rc<str> = text.into();
        self.0.insert(new.clone());
        new
    }
}
