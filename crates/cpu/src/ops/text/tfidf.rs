//! TfIdfVectorizer: counts of n-grams, with items skipped in between.

use crate::kernel::{Call, Compile, Made, Prepared};
use std::collections::HashMap;
use std::hash::Hash;
use trident_ir::op::words::TermWeight;
use trident_ir::ops::TfIdfVectorizer;
use trident_ir::{DType, counted};
use trident_runtime::KernelError;

/// Known n-grams by the numbers of their items, with the column each counts in.
struct Grams {
    columns: HashMap<Vec<u32>, usize>,
    /// Lengths that occur.
    sizes: Vec<usize>,
    width: usize,
}

/// N-grams, and the numbers of the items that they are of.
struct Vocabulary<K> {
    items: HashMap<K, u32>,
    grams: Grams,
}

fn index(v: i64, name: &'static str) -> Result<usize, KernelError> {
    usize::try_from(v).map_err(|_| KernelError::attr(name, format!("{v} is negative")))
}

fn indices(list: &[i64], name: &'static str) -> Result<Vec<usize>, KernelError> {
    list.iter().map(|&v| index(v, name)).collect()
}

/// The width of a row of counts in these columns.
fn width(columns: &[usize]) -> usize {
    columns.iter().max().map_or(0, |c| c.saturating_add(1))
}

impl<K: Hash + Eq + Clone> Vocabulary<K> {
    fn new(op: TfIdfVectorizer<'_>, pool: &[K]) -> Result<Vocabulary<K>, KernelError> {
        let starts = indices(op.ngram_counts(), "ngram_counts")?;
        let columns = indices(op.ngram_indexes(), "ngram_indexes")?;
        let least = index(op.min_gram_length(), "min_gram_length")?.max(1);
        let most = index(op.max_gram_length(), "max_gram_length")?;
        let grams = Grams { columns: HashMap::new(), sizes: Vec::new(), width: width(&columns) };
        let mut vocabulary = Vocabulary { items: HashMap::new(), grams };
        let Vocabulary { items, grams } = &mut vocabulary;
        let mut seen = 0;
        for (i, &start) in starts.iter().enumerate() {
            let end = starts.get(i + 1).copied().unwrap_or(pool.len());
            let part = pool.get(start..end).ok_or_else(|| {
                let items = counted(pool.len(), "item");
                KernelError::attr(
                    "ngram_counts",
                    format!("items {start} to {end} are asked for, and the pool has {items}"),
                )
            })?;
            let size = i + 1;
            for gram in part.chunks_exact(size) {
                let column = columns.get(seen).copied();
                seen += 1;
                if !(least..=most).contains(&size) {
                    continue;
                }
                let column = column.ok_or_else(|| {
                    KernelError::attr("ngram_indexes", "there are fewer indices than n-grams")
                })?;
                let key = gram.iter().map(|item| {
                    let next = items.len() as u32;
                    *items.entry(item.clone()).or_insert(next)
                });
                let key = key.collect();
                grams.columns.insert(key, column);
                if grams.sizes.last() != Some(&size) {
                    grams.sizes.push(size);
                }
            }
        }
        Ok(vocabulary)
    }

    /// Bytes of the tables, without texts.
    fn bytes(&self) -> usize {
        let grams = self.grams.columns.keys().map(|key| size_of_val(key.as_slice()));
        self.items.capacity() * size_of::<(K, u32)>()
            + self.grams.columns.capacity() * size_of::<(Vec<u32>, usize)>()
            + grams.sum::<usize>()
    }
}

impl Grams {
    /// Adds the n-grams of a row to `counts`; items of an n-gram lie 1 to `skips + 1` apart.
    fn count(&self, row: &[Option<u32>], skips: usize, counts: &mut [f32]) {
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

/// The n-grams that an op counts, and how it weighs the counts.
struct Counter {
    strings: Option<Vocabulary<String>>,
    ints: Option<Vocabulary<i64>>,
    skips: usize,
    /// Whether an n-gram counts once in a row.
    once: bool,
    /// Factors of the counts, for each column.
    weights: Option<Vec<f32>>,
}

/// TfIdfVectorizer.
pub(super) fn vectorizer(cx: &Compile<'_>) -> Made {
    let counter = Counter::new(cx.view(TfIdfVectorizer::of)?).map_err(|e| cx.refused(e))?;
    Prepared::holding(cx, counter.bytes(), move |call| counter.run(call))
}

impl Counter {
    fn new(op: TfIdfVectorizer<'_>) -> Result<Counter, KernelError> {
        let strings = op.pool_strings().map(|pool| Vocabulary::new(op, pool)).transpose()?;
        let ints = op.pool_int64s().map(|pool| Vocabulary::new(op, pool)).transpose()?;
        let (once, scaled) = match op.mode() {
            TermWeight::Count => (false, false),
            TermWeight::Weight => (true, true),
            TermWeight::Product => (false, true),
        };
        let weights = op.weights().filter(|w| scaled && !w.is_empty()).map(<[f32]>::to_vec);
        let width = width(&indices(op.ngram_indexes(), "ngram_indexes")?);
        if weights.as_ref().is_some_and(|w| w.len() < width) {
            return Err(KernelError::attr("weights", format!("there are fewer than {width}")));
        }
        let skips = index(op.max_skip_count(), "max_skip_count")?;
        Ok(Counter { strings, ints, skips, once, weights })
    }

    fn bytes(&self) -> usize {
        let Counter { strings, ints, weights, .. } = self;
        let texts = strings.iter().flat_map(|v| v.items.keys()).map(String::len).sum::<usize>();
        texts
            + strings.as_ref().map_or(0, Vocabulary::bytes)
            + ints.as_ref().map_or(0, Vocabulary::bytes)
            + weights.as_ref().map_or(0, |w| size_of_val(w.as_slice()))
    }

    fn run(&self, call: &mut Call<'_, '_>) -> Result<(), KernelError> {
        let x = call.tensor(TfIdfVectorizer::AT.x)?;
        let (grams, items): (_, Vec<_>) = match (x.dtype(), &self.strings, &self.ints) {
            (DType::Str, Some(known), _) => {
                let items = x.strings()?.iter().map(|item| known.items.get(item).copied());
                (&known.grams, items.collect())
            }
            (d, _, Some(known)) if d.is_int() => {
                let items = x.to_i64s()?;
                let items = items.iter().map(|item| known.items.get(item).copied());
                (&known.grams, items.collect())
            }
            (d, ..) => return Err(KernelError::Unsupported(d)),
        };
        let (rows, columns, dims) = match *x.dims() {
            [] => (1, 1, vec![grams.width]),
            [n] => (1, n, vec![grams.width]),
            [b, n] => (b, n, vec![b, grams.width]),
            ref dims => {
                return Err(KernelError::shape(format!(
                    "the input has dimensions {dims:?}, expected [C] or [N, C]"
                )));
            }
        };
        let y = TfIdfVectorizer::AT.y;
        let mut out = call.alloc(y, DType::F32, &dims)?;
        let counts = out.slice_mut::<f32>()?;
        counts.fill(0.0);
        for (r, counts) in counts.chunks_exact_mut(grams.width.max(1)).enumerate().take(rows) {
            grams.count(&items[r * columns..(r + 1) * columns], self.skips, counts);
            for (c, count) in counts.iter_mut().enumerate() {
                let base = if self.once { count.min(1.0) } else { *count };
                *count = base * self.weights.as_ref().map_or(1.0, |w| w[c]);
            }
        }
        call.set(y, out);
        Ok(())
    }
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
