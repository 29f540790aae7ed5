//! Slices of tensors along an axis, and tensors stacked from slices, for `loop` and `scan`.

use trident_ir::{DType, Type};
use trident_runtime::{Charge, KernelError, Pool, Tensor};

/// Slice `at` of a tensor along `axis`; the result lacks that axis.
pub(super) fn slice(
    pool: &Pool,
    tensor: &Tensor,
    axis: usize,
    at: usize,
) -> Result<Tensor, KernelError> {
    let dims = tensor.dims();
    let (outer, inner) = around(dims, axis);
    let count = dims[axis];
    let mut rest = dims.to_vec();
    rest.remove(axis);
    if tensor.dtype() == DType::Str {
        let strings = tensor.strings()?;
        let picked = (0..outer).flat_map(|o| {
            let start = (o * count + at) * inner;
            strings[start..start + inner].iter().map(String::as_str)
        });
        return Tensor::gather_strings(pool, &rest, picked);
    }
    let run = inner * tensor.dtype().size();
    let mut result = Tensor::alloc(pool, tensor.dtype(), &rest)?;
    if result.is_empty() {
        return Ok(result);
    }
    let source = tensor.bytes()?;
    for (o, to) in result.bytes_mut()?.chunks_exact_mut(run).enumerate() {
        let start = (o * count + at) * run;
        to.copy_from_slice(&source[start..start + run]);
    }
    Ok(result)
}

/// Size in bytes beyond which blocks of slices do not grow.
const BLOCK: usize = 16 << 20;

/// Slices of one type as they arrive, in few blocks from the pool: a loop may produce millions of small ones.
#[derive(Default)]
pub(super) struct Slices {
    /// The type of each slice.
    each: Option<(DType, Vec<usize>)>,
    count: usize,
    /// Tensors of slices along axis 0, all full except the last.
    blocks: Vec<Tensor>,
    /// Number of slices in the last block.
    filled: usize,
    strings: Vec<String>,
    /// Has the pool count the strings.
    charge: Option<Charge>,
}

impl Slices {
    /// Adds a slice, which must have the type of the others.
    pub(super) fn push(&mut self, pool: &Pool, slice: &Tensor) -> Result<(), KernelError> {
        let (dtype, dims) = self.each.get_or_insert_with(|| (slice.dtype(), slice.dims().to_vec()));
        if (*dtype, dims.as_slice()) != (slice.dtype(), slice.dims()) {
            let (a, b) = (Type::fixed(*dtype, dims), slice.ty());
            return Err(KernelError::shape(format!(
                "slices of types {a} and {b} cannot be stacked"
            )));
        }
        let stacked = |n: usize| [&[n], dims.as_slice()].concat();
        let too_large = KernelError::TooLarge { dtype: *dtype, dims: stacked(self.count + 1) };
        let size = slice.size();
        if *dtype == DType::Str {
            let strings = slice.strings()?;
            let bytes = strings.iter().map(|s| size_of::<String>() + s.len()).sum();
            let counted = match &mut self.charge {
                Some(charge) => charge.grow(bytes),
                none => {
                    *none = pool.charge(bytes);
                    none.is_some()
                }
            };
            if !counted {
                return Err(too_large);
            }
            self.strings.extend_from_slice(strings);
        } else if size > 0 {
            let capacity = |block: &Tensor| block.dims().first().copied().unwrap_or(0);
            if self.blocks.last().is_none_or(|block| self.filled == capacity(block)) {
                let n = self.count.clamp(1, BLOCK.div_euclid(size).max(1));
                let block = Tensor::alloc(pool, *dtype, &stacked(n)).map_err(|_| too_large)?;
                self.blocks.push(block);
                self.filled = 0;
            }
            if let Some(block) = self.blocks.last_mut() {
                let start = self.filled * size;
                block.bytes_mut()?[start..start + size].copy_from_slice(slice.bytes()?);
            }
            self.filled += 1;
        }
        self.count += 1;
        Ok(())
    }

    /// The dimensions of each slice; `None` before the first.
    pub(super) fn dims(&self) -> Option<&[usize]> {
        self.each.as_ref().map(|(_, dims)| dims.as_slice())
    }

    /// The slices stacked along a new axis, in reverse order if `backwards`.
    pub(super) fn stack(
        self,
        pool: &Pool,
        axis: usize,
        backwards: bool,
    ) -> Result<Tensor, KernelError> {
        let Some((dtype, mut dims)) = self.each else {
            return Err(KernelError::domain("there are no slices to stack"));
        };
        let count = self.count;
        let size = dims.iter().product::<usize>() * dtype.size();
        dims.insert(axis, count);
        let (outer, inner) = around(&dims, axis);
        let mut result = Tensor::alloc(pool, dtype, &dims)?;
        if result.is_empty() {
            return Ok(result);
        }
        // The position of part `o` of slice `i`, in units of the product of the inner dimensions.
        let place = |i: usize, o: usize| o * count + if backwards { count - 1 - i } else { i };
        if dtype == DType::Str {
            let slice = |i: usize| if backwards { count - 1 - i } else { i };
            let runs = (0..outer).flat_map(|o| (0..count).map(move |i| slice(i) * outer + o));
            let strings = runs.flat_map(|run| &self.strings[run * inner..(run + 1) * inner]);
            result.write_strings()?.extend(strings.map(String::as_str))?;
            return Ok(result);
        }
        let run = inner * dtype.size();
        let to = result.bytes_mut()?;
        let mut first = 0;
        for block in self.blocks {
            let slices = block.bytes()?.chunks_exact(size).take(count - first);
            let n = slices.len();
            for (i, slice) in (first..).zip(slices) {
                for (o, from) in slice.chunks_exact(run).enumerate() {
                    let start = place(i, o) * run;
                    to[start..start + run].copy_from_slice(from);
                }
            }
            first += n;
        }
        Ok(result)
    }
}

/// Products of the dimensions before and after an axis.
fn around(dims: &[usize], axis: usize) -> (usize, usize) {
    (dims[..axis].iter().product(), dims[axis + 1..].iter().product())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(dims: &[usize]) -> Tensor {
        let n = dims.iter().product::<usize>() as i32;
        Tensor::from_slice(&Pool::new(), dims, &(0..n).collect::<Vec<_>>()).unwrap()
    }

    fn stack(
        pool: &Pool,
        slices: &[Tensor],
        axis: usize,
        backwards: bool,
    ) -> Result<Tensor, KernelError> {
        let mut all = Slices::default();
        slices.iter().try_for_each(|slice| all.push(pool, slice))?;
        all.stack(pool, axis, backwards)
    }

    #[test]
    fn slicing_and_stacking_are_inverse_along_every_axis() {
        let pool = Pool::new();
        let whole = numbers(&[2, 3, 4]);
        for axis in 0..3 {
            let n = whole.dims()[axis];
            let slices: Vec<_> = (0..n).map(|i| slice(&pool, &whole, axis, i).unwrap()).collect();
            let again = stack(&pool, &slices, axis, false).unwrap();
            assert_eq!((again.dims(), again.bytes()), (whole.dims(), whole.bytes()));
            let back = stack(&pool, &slices, axis, true).unwrap();
            let last = slice(&pool, &back, axis, 0).unwrap();
            assert_eq!(last.bytes(), slices[n - 1].bytes());
        }
        assert_eq!(
            slice(&pool, &whole, 1, 2).unwrap().slice::<i32>().unwrap()[..5],
            [8, 9, 10, 11, 20]
        );
    }

    #[test]
    fn many_slices_take_little_more_than_their_elements_and_stop_at_the_limit() {
        let pool = Pool::new();
        pool.set_limit(1 << 20);
        let mut all = Slices::default();
        for i in 0..50_000i32 {
            all.push(&pool, &Tensor::from_slice(&Pool::new(), &[], &[i]).unwrap()).unwrap();
        }
        assert!(pool.stats().live <= 2 * 4 * 50_000 + 4096, "{:?}", pool.stats());
        let stacked = all.stack(&pool, 0, false).unwrap();
        assert!(stacked.slice::<i32>().unwrap().iter().copied().eq(0..50_000));
        for slice in [numbers(&[3]), Tensor::from_strings(&[], vec!["word".into()]).unwrap()] {
            let mut all = Slices::default();
            let error = (0..1 << 20).find_map(|_| all.push(&pool, &slice).err());
            assert!(matches!(error, Some(KernelError::TooLarge { .. })), "{error:?}");
        }
    }

    #[test]
    fn strings_and_empty_tensors() {
        let pool = Pool::new();
        let words: Vec<String> = ["a", "b", "c", "d"].map(String::from).into();
        let whole = Tensor::from_strings(&[2, 2], words.clone()).unwrap();
        let slices = [slice(&pool, &whole, 1, 0).unwrap(), slice(&pool, &whole, 1, 1).unwrap()];
        assert_eq!(slices[1].strings().unwrap(), ["b", "d"]);
        assert_eq!(stack(&pool, &slices, 1, false).unwrap().strings().unwrap(), words);
        let little = Pool::new().child("m");
        little.set_limit(2 * size_of::<String>());
        assert!(slice(&little, &whole, 1, 0).is_err(), "what is picked counts");
        let empty = stack(&pool, &[numbers(&[0, 3]), numbers(&[0, 3])], 2, false).unwrap();
        assert_eq!(empty.dims(), [0, 3, 2]);
        assert!(stack(&pool, &[numbers(&[1]), numbers(&[2])], 0, false).is_err());
    }
}
