//! Texts that occur many times in a model.

use crate::error::PaddleErrorKind;
use std::collections::HashSet;
use std::rc::Rc;

/// The first of an op's slots or attributes whose name an earlier one has. Paddle's own readers disagree on which of
/// the two counts, and no release writes such an op.
pub(crate) fn repeated<'n>(names: impl IntoIterator<Item = &'n str>) -> Option<PaddleErrorKind> {
    let mut seen = HashSet::new();
    let name = names.into_iter().find(|name| !seen.insert(*name))?;
    Some(PaddleErrorKind::Malformed(format!("the op has `{name}` twice")))
}

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
