//! TfIdfVectorizer: counts of n-grams, with items skipped in between.

use crate::kernel::Call;
use std::collections::HashMap;
use std::hash::Hash;
use trident_ir::{DType, Op, counted};
use trident_runtime::KernelError;

/// Known n-grams by the numbers of their items, with the column each counts in.
struct Grams<K> {
    items: HashMap<K, u32>,
    columns: HashMap<Vec<u32>, usize>,
    /// Lengths that occur.
    sizes: Vec<usize>,
    width: usize,
}

fn index(v: i64, name: &'static str) -> Result<usize, KernelError> {
    usize::try_from(v).map_err(|_| KernelError::attr(name, format!("{v} is negative")))
}

impl<K: Hash + Eq + Copy> Grams<K> {
    fn new(op: &Op, pool: &[K]) -> Result<Grams<K>, KernelError> {
        let starts = op.ints("ngram_counts").unwrap_or_default();
        let starts: Vec<usize> =
            starts.iter().map(|&s| index(s, "ngram_counts")).collect::<Result<_, _>>()?;
        let columns = op.ints("ngram_indexes").unwrap_or_default();
        let columns: Vec<usize> =
            columns.iter().map(|&c| index(c, "ngram_indexes")).collect::<Result<_, _>>()?;
        let length = |name| index(op.int(name).unwrap_or(1), name);
        let (least, most) = (length("min_gram_length")?.max(1), length("max_gram_length")?);
        let mut grams = Grams {
            items: HashMap::new(),
            columns: HashMap::new(),
            sizes: Vec::new(),
            width: columns.iter().max().map_or(0, |c| c.saturating_add(1)),
        };
        let mut seen = 0;
        for (i, &start) in starts.iter().enumerate() {
            let end = starts.get(i + 1).copied().unwrap_or(pool.len());
            let part = pool.get(start..end).ok_or_else(|| {
                let items = counted(pool.len(), "item");
                KernelError::attr("ngram_counts", format!("{start}..{end} of {items}"))
            })?;
            let size = i + 1;
            for gram in part.chunks_exact(size) {
                let column = columns.get(seen).copied();
                seen += 1;
                if !(least..=most).contains(&size) {
                    continue;
                }
                let column =
                    column.ok_or_else(|| KernelError::attr("ngram_indexes", "are too few"))?;
                let key = gram.iter().map(|&item| {
                    let next = grams.items.len() as u32;
                    *grams.items.entry(item).or_insert(next)
                });
                let key = key.collect();
                grams.columns.insert(key, column);
                if grams.sizes.last() != Some(&size) {
                    grams.sizes.push(size);
                }
            }
        }
        Ok(grams)
    }

    /// Adds the n-grams of a row to `counts`; items of an n-gram lie 1 to `skips + 1` apart.
    fn count(&self, row: &[K], skips: usize, counts: &mut [f32]) {
        let row: Vec<Option<u32>> = row.iter().map(|k| self.items.get(k).copied()).collect();
        for distance in 1..=skips.saturating_add(1).min(row.len()) {
            // Single items do not depend on the distance and count once.
            for &size in self.sizes.iter().filter(|&&s| s > 1 || distance == 1) {
                let reach = (size - 1).saturating_mul(distance);
                for first in 0..row.len().saturating_sub(reach) {
                    let items = row[first..].iter().step_by(distance).take(size);
                    let Some(key) = items.copied().collect::<Option<Vec<u32>>>() else { continue };
                    if let Some(&column) = self.columns.get(&key) {
                        counts[column] += 1.0;
                    }
                }
            }
        }
    }
}

/// TfIdfVectorizer.
pub(super) fn run(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let x = call.tensor(0)?;
    let (strings, ints) = (call.op.strs("pool_strings"), call.op.ints("pool_int64s"));
    match (x.dtype(), strings, ints) {
        (DType::Str, Some(pool), _) => {
            let pool: Vec<&str> = pool.iter().map(String::as_str).collect();
            let items: Vec<&str> = x.strings()?.iter().map(String::as_str).collect();
            let grams = Grams::new(call.op, &pool)?;
            vectorize(call, x.dims(), &items, &grams)
        }
        (d, _, Some(pool)) if d.is_int() => {
            let grams = Grams::new(call.op, pool)?;
            vectorize(call, x.dims(), &x.to_i64s()?, &grams)
        }
        (d, ..) => Err(KernelError::Unsupported(d)),
    }
}

fn vectorize<K: Hash + Eq + Copy>(
    call: &mut Call<'_, '_>,
    dims: &[usize],
    items: &[K],
    grams: &Grams<K>,
) -> Result<(), KernelError> {
    let (rows, columns, dims) = match *dims {
        [] => (1, 1, vec![grams.width]),
        [n] => (1, n, vec![grams.width]),
        [b, n] => (b, n, vec![b, grams.width]),
        _ => return Err(KernelError::shape(format!("{dims:?} is neither [C] nor [N, C]"))),
    };
    let (idf, scaled) = match call.op.str("mode") {
        Some("TF") => (false, false),
        Some("IDF") => (true, true),
        Some("TFIDF") => (false, true),
        other => return Err(KernelError::attr("mode", format!("unknown: {other:?}"))),
    };
    let weights = call.op.floats("weights").filter(|w| scaled && !w.is_empty());
    if weights.is_some_and(|w| w.len() < grams.width) {
        return Err(KernelError::attr("weights", format!("are fewer than {}", grams.width)));
    }
    let skips = index(call.op.int("max_skip_count").unwrap_or(0), "max_skip_count")?;
    let mut out = call.alloc(0, DType::F32, &dims)?;
    let counts = out.slice_mut::<f32>()?;
    counts.fill(0.0);
    for (r, counts) in counts.chunks_exact_mut(grams.width.max(1)).enumerate().take(rows) {
        grams.count(&items[r * columns..(r + 1) * columns], skips, counts);
        for (c, count) in counts.iter_mut().enumerate() {
            let base = if idf { count.min(1.0) } else { *count };
            *count = base * weights.map_or(1.0, |w| w[c]);
        }
    }
    call.set(0, out);
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::testing::{elements, run, strings, tensor};
    use trident_ir::{Attr, OpKind};
    use trident_runtime::Value;

    fn go(x: Value, pool: (&'static str, Attr), more: &[(&'static str, Attr)]) -> Vec<f32> {
        let mut attrs = vec![
            pool,
            ("mode", Attr::Str("TF".into())),
            ("min_gram_length", Attr::Int(1)),
            ("max_gram_length", Attr::Int(2)),
            ("max_skip_count", Attr::Int(1)),
            ("ngram_counts", Attr::Ints(vec![0, 2])),
            ("ngram_indexes", Attr::Ints(vec![0, 1, 3])),
        ];
        attrs.extend_from_slice(more);
        elements(&run(OpKind::TfIdfVectorizer, &attrs, vec![x]).unwrap())
    }

    #[test]
    fn grams_with_skips() {
        // Single items 5 and 7, and the pair 5 7 next to each other or one apart.
        let pool = ("pool_int64s", Attr::Ints(vec![5, 7, 5, 7]));
        let x = tensor(&[2, 4], &[5i64, 5, 7, 1, 7, 7, 5, 5]);
        assert_eq!(go(x, pool, &[]), [2.0, 1.0, 0.0, 2.0, 2.0, 2.0, 0.0, 0.0]);
        let pool = ("pool_strings", Attr::Strs(["a", "b", "a", "b"].map(String::from).to_vec()));
        let idf = [
            ("mode", Attr::Str("IDF".into())),
            ("weights", Attr::Floats(vec![0.5, 2.0, 1.0, 4.0])),
        ];
        let x = strings(&[4], &["a", "a", "b", "c"]);
        let attrs: Vec<_> = idf.into_iter().collect();
        assert_eq!(go(x, pool, &attrs), [0.5, 2.0, 0.0, 4.0]);
    }
}
