//! Merges of sorted lists, on several threads.

use crate::threads::Threads;

/// Elements of a merged list that one task writes.
const PIECE: usize = 1 << 16;

/// The first `k` elements of all lists, ascending. Each list is ascending, and no element comes twice.
pub(super) fn first<K: Copy + Ord + Default + Send + Sync>(
    threads: &Threads,
    mut lists: Vec<Vec<K>>,
    k: usize,
) -> Vec<K> {
    while lists.len() > 1 {
        let mut merged = Vec::with_capacity(lists.len().div_ceil(2));
        let mut rest = lists.into_iter();
        while let Some(a) = rest.next() {
            merged.push(match rest.next() {
                Some(b) => pair(threads, &a, &b, k),
                None => a,
            });
        }
        lists = merged;
    }
    lists.pop().unwrap_or_default()
}

fn pair<K: Copy + Ord + Default + Send + Sync>(
    threads: &Threads,
    a: &[K],
    b: &[K],
    k: usize,
) -> Vec<K> {
    let mut out = vec![K::default(); (a.len() + b.len()).min(k)];
    threads.for_chunks_mut(&mut out, PIECE, |i, piece| {
        let start = i * PIECE;
        let from_a = share(a, b, start);
        write(&a[from_a..], &b[start - from_a..], piece);
    });
    out
}

/// The number of elements of `a` among the first `n` of both lists.
fn share<K: Ord>(a: &[K], b: &[K], n: usize) -> usize {
    let (mut least, mut most) = (n.saturating_sub(b.len()), n.min(a.len()));
    while least < most {
        let middle = least.midpoint(most);
        match a[middle] < b[n - 1 - middle] {
            true => least = middle + 1,
            false => most = middle,
        }
    }
    least
}

fn write<K: Copy + Ord>(mut a: &[K], mut b: &[K], mut out: &mut [K]) {
    while !out.is_empty() {
        // Within so many steps, neither list ends.
        let steps = out.len().min(a.len()).min(b.len());
        if steps == 0 {
            out.copy_from_slice(&(if a.is_empty() { b } else { a })[..out.len()]);
            return;
        }
        let (now, later) = std::mem::take(&mut out).split_at_mut(steps);
        let (mut i, mut j) = (0, 0);
        for slot in now {
            let (x, y) = (a[i], b[j]);
            let is_first = x < y;
            *slot = if is_first { x } else { y };
            i += usize::from(is_first);
            j += usize::from(!is_first);
        }
        (a, b, out) = (&a[i..], &b[j..], later);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_data::Random;

    #[test]
    fn merged_lists_are_sorted_and_end_after_k() {
        let mut random = Random::new(5);
        for (lists, len) in [(0, 0), (1, 9), (2, 0), (3, 1), (5, 100), (3, 150_000)] {
            let mut all: Vec<u64> = (0..lists * len).map(|i| i as u64).collect();
            for i in (1..all.len()).rev() {
                all.swap(i, random.below(i + 1));
            }
            let mut parts: Vec<Vec<u64>> = all.chunks(len.max(1)).map(<[u64]>::to_vec).collect();
            parts.push(vec![]);
            parts.iter_mut().for_each(|part| part.sort_unstable());
            for k in [1, all.len() / 3, all.len()] {
                let want: Vec<u64> = (0..k.min(all.len())).map(|i| i as u64).collect();
                for threads in [1, 3] {
                    assert_eq!(first(&Threads::new(threads), parts.clone(), k), want);
                }
            }
        }
    }
}
