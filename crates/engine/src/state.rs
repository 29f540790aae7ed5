//! Values that persist between runs.

use std::collections::BTreeMap;
use trident_runtime::Value;

/// Values that one run stores for the next: key–value caches, hidden states. Each is an output of one run that becomes
/// an input of later ones, of the same function or another of the session. One state serves one sequence of runs, such
/// as a conversation; a session can have any number of states.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Outputs by the name of the input that they become.
    links: BTreeMap<String, String>,
    /// Values by the name of the input.
    values: BTreeMap<String, Value>,
}

impl State {
    /// An empty state: each of `links` is an input and the output that a later run receives as this input. A function
    /// that lacks one of the two neither uses nor updates it.
    pub fn new<'a>(links: impl IntoIterator<Item = (&'a str, &'a str)>) -> State {
        let links = links.into_iter();
        let links = links.map(|(input, output)| (input.to_owned(), output.to_owned())).collect();
        State { links, values: BTreeMap::new() }
    }

    /// The value that the next run receives as this input, if there is one.
    pub fn get(&self, input: &str) -> Option<&Value> {
        self.values.get(input)
    }

    /// Sets the value that the next run receives as this input; `None`, without effect, if no link has such an input.
    pub fn set(&mut self, input: &str, value: Value) -> Option<()> {
        self.links.contains_key(input).then(|| {
            self.values.insert(input.to_owned(), value);
        })
    }

    /// Removes all values.
    pub fn clear(&mut self) {
        self.values.clear();
    }

    /// The inputs that a run takes from this state: those that the function has and the caller does not give.
    pub(crate) fn inputs<'s>(
        &'s self,
        takes: impl Fn(&str) -> bool,
        given: &[(&str, Value)],
    ) -> Vec<(&'s str, Value)> {
        let own = self.values.iter().filter(|(name, _)| {
            takes(name) && !given.iter().any(|(other, _)| *other == name.as_str())
        });
        own.map(|(name, value)| (name.as_str(), value.clone())).collect()
    }

    /// Stores the results that later runs use, and returns the others.
    pub(crate) fn keep(&mut self, results: Vec<(String, Value)>) -> Vec<(String, Value)> {
        let mut others = vec![];
        for (name, value) in results {
            let inputs: Vec<&String> =
                self.links.iter().filter(|(_, o)| **o == name).map(|(i, _)| i).collect();
            if inputs.is_empty() {
                others.push((name, value));
                continue;
            }
            for input in inputs {
                self.values.insert(input.clone(), value.clone());
            }
        }
        others
    }
}
