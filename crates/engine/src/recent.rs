//! A small cache of what was used last.

use std::sync::Arc;

/// Values by key, of which only the most recently used are kept.
pub(crate) struct Recent<K, V> {
    most: usize,
    /// Least recently used first.
    entries: Vec<(K, Arc<V>)>,
}

impl<K: PartialEq, V> Recent<K, V> {
    /// A cache of at most `most` values.
    pub(crate) fn new(most: usize) -> Self {
        Recent { most, entries: vec![] }
    }

    /// The value of a key.
    pub(crate) fn get<Q: PartialEq<K> + ?Sized>(&mut self, key: &Q) -> Option<Arc<V>> {
        let at = self.entries.iter().position(|(known, _)| key == known)?;
        let entry = self.entries.remove(at);
        let found = entry.1.clone();
        self.entries.push(entry);
        Some(found)
    }

    /// Adds a value, unless another thread has added one in the meantime; returns the one that is kept.
    pub(crate) fn put(&mut self, key: K, value: Arc<V>) -> Arc<V> {
        if let Some(known) = self.get(&key) {
            return known;
        }
        if self.entries.len() >= self.most {
            self.entries.remove(0);
        }
        self.entries.push((key, value.clone()));
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_value_goes() {
        let mut cache = Recent::new(2);
        cache.put(1, Arc::new('a'));
        cache.put(2, Arc::new('b'));
        assert_eq!(cache.get(&1).as_deref(), Some(&'a'));
        cache.put(3, Arc::new('c'));
        assert_eq!(cache.get(&2), None);
        assert_eq!(*cache.put(1, Arc::new('z')), 'a');
    }
}
