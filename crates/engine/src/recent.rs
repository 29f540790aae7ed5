//! A small cache of what was used last.

use std::sync::Arc;

/// Values by key, of which the most recently used are kept.
pub(crate) struct Recent<K, V> {
    /// What values may weigh together; the last one is kept whatever it weighs.
    most: usize,
    weight: usize,
    /// Least recently used first.
    entries: Vec<Entry<K, V>>,
}

struct Entry<K, V> {
    key: K,
    value: Arc<V>,
    weight: usize,
}

impl<K: PartialEq, V> Recent<K, V> {
    /// A cache of values that weigh at most `most` together.
    pub(crate) fn new(most: usize) -> Self {
        Recent { most, weight: 0, entries: vec![] }
    }

    /// The value of a key.
    pub(crate) fn get<Q: PartialEq<K> + ?Sized>(&mut self, key: &Q) -> Option<Arc<V>> {
        let at = self.entries.iter().rposition(|entry| *key == entry.key)?;
        self.entries[at..].rotate_left(1);
        self.entries.last().map(|entry| entry.value.clone())
    }

    /// Adds a value, unless another thread has added one in the meantime; returns the one that is kept.
    pub(crate) fn put(&mut self, key: K, value: Arc<V>, weight: usize) -> Arc<V> {
        if let Some(known) = self.get(&key) {
            return known;
        }
        self.weight += weight;
        let mut old = 0;
        while self.weight > self.most && old < self.entries.len() {
            self.weight -= self.entries[old].weight;
            old += 1;
        }
        self.entries.drain(..old);
        self.entries.push(Entry { key, value: value.clone(), weight });
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_value_goes() {
        let mut cache = Recent::new(2);
        cache.put(1, Arc::new('a'), 1);
        cache.put(2, Arc::new('b'), 1);
        assert_eq!(cache.get(&1).as_deref(), Some(&'a'));
        cache.put(3, Arc::new('c'), 1);
        assert_eq!(cache.get(&2), None);
        assert_eq!(*cache.put(1, Arc::new('z'), 1), 'a');
    }

    #[test]
    fn a_heavy_value_takes_the_place_of_several() {
        let mut cache = Recent::new(10);
        (0..5).for_each(|i| drop(cache.put(i, Arc::new(i), 2)));
        cache.put(5, Arc::new(5), 5);
        let mut kept = |i| cache.get(&i).is_some();
        assert_eq!([0, 1, 2, 3, 4, 5].map(&mut kept), [false, false, false, true, true, true]);
        cache.put(6, Arc::new(6), 100);
        assert!(cache.get(&5).is_none() && cache.get(&6).is_some());
        cache.put(7, Arc::new(7), 10);
        assert!(cache.get(&6).is_none() && cache.get(&7).is_some());
    }
}
