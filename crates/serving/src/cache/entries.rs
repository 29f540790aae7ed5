//! The answers in a cache, by the time of their last use.

use super::key::Digest;
use crate::batch::Output;
use bytes::Bytes;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// About the bytes that an answer takes in both tables, beside its outputs.
const OVERHEAD: usize = 256;

/// The model's number and the digest of a request to it.
pub(super) type Key = (u64, Digest);

/// Answers within a number of bytes.
#[derive(Default)]
pub(super) struct Entries {
    most: usize,
    used: usize,
    by_key: BTreeMap<Key, Entry>,
    /// The keys by their last use, the oldest one first.
    by_use: BTreeMap<u64, Key>,
    uses: u64,
    /// The models that are there.
    models: BTreeSet<u64>,
    next_model: u64,
}

struct Entry {
    outputs: Arc<[Output]>,
    bytes: usize,
    /// The last use.
    used: u64,
}

impl Entries {
    pub(super) fn new(most: usize) -> Entries {
        Entries { most, ..Entries::default() }
    }

    /// The bytes of all answers.
    pub(super) fn used(&self) -> usize {
        self.used
    }

    /// Adds a model, which gets a number that no other one has had.
    pub(super) fn add_model(&mut self) -> u64 {
        self.next_model += 1;
        self.models.insert(self.next_model);
        self.next_model
    }

    /// Removes a model with its answers, which are returned to be dropped where no lock is held.
    pub(super) fn remove_model(&mut self, model: u64) -> Vec<Arc<[Output]>> {
        self.models.remove(&model);
        self.clear(model)
    }

    /// Removes the answers of a model.
    pub(super) fn clear(&mut self, model: u64) -> Vec<Arc<[Output]>> {
        let own = (model, [0; 32])..=(model, [u8::MAX; 32]);
        let keys: Vec<Key> = self.by_key.range(own).map(|(key, _)| *key).collect();
        keys.iter().filter_map(|key| self.remove(key)).collect()
    }

    /// The outputs of an answer, which has its last use now.
    pub(super) fn find(&mut self, key: &Key) -> Option<Arc<[Output]>> {
        let entry = self.by_key.get_mut(key)?;
        self.uses += 1;
        self.by_use.remove(&entry.used);
        self.by_use.insert(self.uses, *key);
        entry.used = self.uses;
        Some(Arc::clone(&entry.outputs))
    }

    /// Whether an answer of so many bytes is missing, and would be kept.
    pub(super) fn lacks(&self, key: &Key, bytes: usize) -> bool {
        bytes <= self.most && self.models.contains(&key.0) && !self.by_key.contains_key(key)
    }

    /// Keeps an answer of so many bytes, and returns those that make room for it.
    pub(super) fn insert(
        &mut self,
        key: Key,
        outputs: Arc<[Output]>,
        bytes: usize,
    ) -> Vec<Arc<[Output]>> {
        if !self.lacks(&key, bytes) {
            return vec![];
        }
        let removed = self.shrink(self.most - bytes);
        self.uses += 1;
        self.used += bytes;
        self.by_use.insert(self.uses, key);
        self.by_key.insert(key, Entry { outputs, bytes, used: self.uses });
        removed
    }

    /// Removes the answers that were used longest ago until the others take at most so many bytes.
    pub(super) fn shrink(&mut self, most: usize) -> Vec<Arc<[Output]>> {
        let mut removed = vec![];
        while self.used > most {
            let Some(oldest) = self.by_use.first_key_value().map(|(_, key)| *key) else { break };
            removed.extend(self.remove(&oldest));
        }
        removed
    }

    fn remove(&mut self, key: &Key) -> Option<Arc<[Output]>> {
        let entry = self.by_key.remove(key)?;
        self.by_use.remove(&entry.used);
        self.used -= entry.bytes;
        Some(entry.outputs)
    }
}

/// The bytes that an answer takes.
pub(super) fn size(outputs: &[Output]) -> usize {
    let own =
        |output: &Output| size_of::<Output>() + size_of_val(&output.shape[..]) + output.data.len();
    outputs.iter().map(own).fold(OVERHEAD, usize::saturating_add)
}

/// A copy of an answer. The answer itself is a view of its batch's results, and would keep the memory of them all.
pub(super) fn copy(outputs: &[Output]) -> Arc<[Output]> {
    let own =
        |output: &Output| Output { data: Bytes::copy_from_slice(&output.data), ..output.clone() };
    outputs.iter().map(own).collect()
}
