//! A cache of the most recently used values.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// A cache of the most recently used values, by key.
pub(crate) struct Recent<V> {
    /// The greatest total weight of values; the last one is kept whatever it weighs.
    most: usize,
    weight: usize,
    entries: HashMap<Key, Entry<V>>,
    /// Keys in the order of their last use.
    order: BTreeMap<u64, Key>,
    /// The number of uses so far.
    uses: u64,
}

type Key = Arc<[usize]>;

struct Entry<V> {
    value: Arc<V>,
    weight: usize,
    used: u64,
}

impl<V> Recent<V> {
    /// A cache of values that weigh at most `most` together.
    pub(crate) fn new(most: usize) -> Self {
        Recent { most, weight: 0, entries: HashMap::new(), order: BTreeMap::new(), uses: 0 }
    }

    /// Bytes that an entry with this key takes, roughly, besides the value's.
    pub(crate) fn bytes(key: &[usize]) -> usize {
        // Tables and nodes are half full at worst. Keys and values have two counters each.
        let places = size_of::<(Key, Entry<V>)>() + size_of::<(u64, Key)>();
        2 * places + size_of_val(key) + 4 * size_of::<usize>()
    }

    /// The value of a key.
    pub(crate) fn get(&mut self, key: &[usize]) -> Option<Arc<V>> {
        let entry = self.entries.get_mut(key)?;
        if entry.used < self.uses {
            let key = self.order.remove(&entry.used)?;
            self.uses += 1;
            entry.used = self.uses;
            self.order.insert(entry.used, key);
        }
        Some(entry.value.clone())
    }

    /// Adds a value, unless another thread has added one in the meantime. Returns the stored value.
    pub(crate) fn put(&mut self, key: &[usize], value: Arc<V>, weight: usize) -> Arc<V> {
        if let Some(known) = self.get(key) {
            return known;
        }
        self.weight += weight;
        while self.weight > self.most
            && let Some((_, oldest)) = self.order.pop_first()
        {
            self.weight -= self.entries.remove(&oldest).map_or(0, |entry| entry.weight);
        }
        self.uses += 1;
        let (key, used) = (Key::from(key), self.uses);
        self.order.insert(used, Arc::clone(&key));
        self.entries.insert(key, Entry { value: value.clone(), weight, used });
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_value_goes() {
        let mut cache = Recent::new(2);
        cache.put(&[1], Arc::new('a'), 1);
        cache.put(&[2], Arc::new('b'), 1);
        assert_eq!(cache.get(&[1]).as_deref(), Some(&'a'));
        cache.put(&[3], Arc::new('c'), 1);
        assert_eq!(cache.get(&[2]), None);
        assert_eq!(*cache.put(&[1], Arc::new('z'), 1), 'a');
        assert_eq!((cache.entries.len(), cache.order.len()), (2, 2));
    }

    #[test]
    fn a_heavy_value_takes_the_place_of_several() {
        let mut cache = Recent::new(10);
        (0..5).for_each(|i| drop(cache.put(&[i], Arc::new(i), 2)));
        cache.put(&[5], Arc::new(5), 5);
        let mut kept = |i| cache.get(&[i]).is_some();
        assert_eq!([0, 1, 2, 3, 4, 5].map(&mut kept), [false, false, false, true, true, true]);
        cache.put(&[6], Arc::new(6), 100);
        assert!(cache.get(&[5]).is_none() && cache.get(&[6]).is_some());
        cache.put(&[7], Arc::new(7), 10);
        assert!(cache.get(&[6]).is_none() && cache.get(&[7]).is_some());
    }
}
