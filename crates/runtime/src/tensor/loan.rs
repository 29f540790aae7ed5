//! Tensors that are lent to a run, which may extend them or replace parts in place.

use super::{Data, Tensor};
use crate::buffer::Home;
use crate::{KernelError, Pool};
use std::sync::Arc;
use trident_ir::DType;
use trident_ir::literal::checked_len;

/// The right to get a lent tensor back once it has been dropped.
#[derive(Debug)]
pub struct Recall {
    home: Arc<Home>,
    dtype: DType,
    dims: Vec<usize>,
}

impl Recall {
    /// The tensor as it was lent; `None` as long as someone has it, or if it was kept ([`Tensor::end_loan`]).
    pub fn take(self) -> Option<Tensor> {
        Tensor::from_buffer(self.dtype, &self.dims, self.home.take()?).ok()
    }
}

impl Tensor {
    /// Lends the tensor: who receives it may extend it ([`Tensor::extended`]) and replace parts ([`Tensor::patch`]) in place. Any
    /// other writing copies the elements first. Once it is dropped, the lender gets it back as it was. `capacity` is the size in
    /// bytes that the lender expects it to reach. `None`, without effect, if the elements are shared, constant or strings.
    pub fn lend(&mut self, capacity: usize) -> Option<Recall> {
        let Data::Buffer(buffer) = &mut self.data else { return None };
        let home = Arc::get_mut(buffer)?.lend(capacity);
        Some(Recall { home, dtype: self.dtype, dims: self.dims.clone() })
    }

    /// Whether this is a lent, unshared tensor, which can be extended and patched in place.
    pub fn is_lent(&self) -> bool {
        matches!(&self.data, Data::Buffer(b) if Arc::strong_count(b) == 1 && b.is_lent())
    }

    /// Ends the loan of a tensor, which stays as it is. Returns the number of bytes that were written to it in place; `None` if it is
    /// not lent, or shared.
    pub fn end_loan(&mut self) -> Option<usize> {
        match &mut self.data {
            Data::Buffer(buffer) => Arc::get_mut(buffer)?.end_loan(),
            _ => None,
        }
    }

    /// A tensor of `dims` that begins with the elements of this lent one; `fill` writes the bytes of the others. It lies in the same
    /// memory if that is large enough. Otherwise the elements are copied to memory of `pool` with room for as many as the lender
    /// expects, or for twice as many if it expects fewer. An error if `dims` have fewer elements.
    pub fn extended(
        mut self,
        pool: &Pool,
        dims: &[usize],
        fill: impl FnOnce(&mut [u8]),
    ) -> Result<Tensor, KernelError> {
        let dtype = self.dtype;
        let too_large = || KernelError::TooLarge { dtype, dims: dims.to_vec() };
        let bytes = checked_len(dims).and_then(|n| n.checked_mul(dtype.size()));
        let bytes = bytes.ok_or_else(too_large)?;
        let from = self.size();
        if dtype == DType::Str || bytes < from {
            let ty = self.ty();
            return Err(KernelError::shape(format!("{ty} cannot be extended to {dims:?}")));
        }
        let mut expected = 0;
        if let Data::Buffer(buffer) = &mut self.data
            && let Some(buffer) = Arc::get_mut(buffer)
        {
            if buffer.extend(bytes) {
                fill(&mut buffer.bytes_mut()[from..]);
                self.dims = dims.to_vec();
                return Ok(self);
            }
            expected = buffer.expected();
        }
        let room = if expected < bytes { bytes.saturating_mul(2) } else { expected };
        // Memory that only just suffices is better than none.
        let buffer = pool.alloc_within(bytes, room).or_else(|| pool.alloc(bytes));
        let mut larger = Tensor::from_buffer(dtype, dims, buffer.ok_or_else(too_large)?)?;
        let (own, added) = larger.bytes_mut()?.split_at_mut(from);
        own.copy_from_slice(self.bytes()?);
        fill(added);
        Ok(larger)
    }

    /// Replaces the bytes from `at` on of a lent tensor, in place; they are restored if the loan does not end otherwise. An error if
    /// the tensor is not lent ([`Tensor::is_lent`]), or has no such bytes.
    pub fn patch(&mut self, at: usize, bytes: &[u8]) -> Result<(), KernelError> {
        let patched = match &mut self.data {
            Data::Buffer(buffer) => {
                Arc::get_mut(buffer).is_some_and(|buffer| buffer.patch(at, bytes))
            }
            _ => false,
        };
        match patched {
            true => Ok(()),
            false => {
                let (ty, end) = (self.ty(), at.saturating_add(bytes.len()));
                Err(KernelError::domain(format!("{ty} has no bytes {at}..{end} to replace")))
            }
        }
    }
}

#[cfg(all(test, not(feature = "models")))]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed unwrap fails the test
    use super::*;

    fn rows(pool: &Pool, n: usize) -> Tensor {
        let values: Vec<f32> = (0..n * 4).map(|i| i as f32).collect();
        Tensor::from_slice(pool, &[n, 4], &values).unwrap()
    }

    fn at(tensor: &Tensor) -> usize {
        tensor.bytes().unwrap().as_ptr().addr()
    }

    #[test]
    fn a_lent_tensor_grows_in_place_within_what_its_lender_expects() {
        let pool = Pool::new();
        // The memory has room for 4 rows and no more.
        let mut tensor = rows(&pool, 4);
        let recall = tensor.lend(1000 * 16).unwrap();
        let mut tensor = tensor.extended(&pool, &[5, 4], |added| added.fill(5)).unwrap();
        let place = at(&tensor);
        assert!(!tensor.is_lent() && tensor.end_loan().is_none(), "it moved to larger memory");
        assert_eq!(recall.take().unwrap().dims(), [4, 4]);
        for n in 6..=1000 {
            drop(tensor.lend(1000 * 16).unwrap());
            tensor = tensor.extended(&pool, &[n, 4], |added| added.fill(n as u8)).unwrap();
            assert_eq!((at(&tensor), tensor.end_loan()), (place, Some(16)), "row {n}");
        }
        let bytes = tensor.bytes().unwrap();
        assert_eq!(bytes[..64], *rows(&pool, 4).bytes().unwrap());
        assert!((5..=1000).all(|n| bytes[(n - 1) * 16..n * 16] == [n as u8; 16]));
    }

    #[test]
    fn without_expectations_memory_doubles() {
        let pool = Pool::new();
        let (mut tensor, mut moves) = (rows(&pool, 1), 0);
        for n in 2..=1000 {
            drop(tensor.lend(0).unwrap());
            tensor = tensor.extended(&pool, &[n, 4], |added| added.fill(n as u8)).unwrap();
            moves += usize::from(tensor.end_loan().is_none());
        }
        assert!((2..=10).contains(&moves), "{moves}");
    }

    #[test]
    fn what_is_dropped_comes_back_as_it_was() {
        let pool = Pool::new();
        let mut tensor = rows(&pool, 8);
        let (place, before) = (at(&tensor), tensor.bytes().unwrap().to_vec());
        let recall = tensor.lend(0).unwrap();
        assert!(tensor.is_lent() && !tensor.is_unique());
        tensor.patch(16, &[1; 16]).unwrap();
        tensor.patch(24, &[2; 16]).unwrap();
        assert!(tensor.patch(120, &[3; 16]).is_err(), "beyond its end");
        assert_eq!(tensor.bytes().unwrap()[16..40], [[1; 8], [2; 8], [2; 8]].concat());
        drop(tensor);
        let tensor = recall.take().unwrap();
        assert_eq!((at(&tensor), tensor.bytes().unwrap()), (place, &before[..]));
        assert!(tensor.is_unique());
        drop(tensor);
        assert_eq!(pool.stats().live, 0);
    }

    #[test]
    fn extended_memory_comes_back_with_its_former_length() {
        let pool = Pool::new();
        let tensor = pool.alloc_within(32, 4096).unwrap();
        let mut tensor = Tensor::from_buffer(DType::F32, &[8], tensor).unwrap();
        tensor.bytes_mut().unwrap().fill(7);
        let recall = tensor.lend(0).unwrap();
        let place = at(&tensor);
        let tensor = tensor.extended(&pool, &[100], |added| added.fill(8)).unwrap();
        assert_eq!((at(&tensor), tensor.len()), (place, 100));
        drop(tensor);
        let tensor = recall.take().unwrap();
        assert_eq!((at(&tensor), tensor.bytes().unwrap()), (place, &[7; 32][..]));
    }

    #[test]
    fn other_writing_copies_what_is_lent() {
        let pool = Pool::new();
        let mut tensor = rows(&pool, 1);
        let recall = tensor.lend(0).unwrap();
        tensor.slice_mut::<f32>().unwrap()[0] = 9.0;
        assert!(tensor.is_unique() && tensor.patch(0, &[0]).is_err());
        let own = recall.take().unwrap();
        assert_eq!(own.slice::<f32>().unwrap()[0], 0.0);
    }

    #[test]
    fn a_tensor_that_is_kept_does_not_come_back() {
        let pool = Pool::new();
        let mut tensor = rows(&pool, 2);
        let recall = tensor.lend(0).unwrap();
        tensor.patch(0, &[5; 4]).unwrap();
        assert_eq!(tensor.end_loan(), Some(4));
        assert!(tensor.is_unique() && recall.take().is_none());
        // Nor does one that someone else still has.
        let recall = tensor.lend(0).unwrap();
        let other = tensor.clone();
        drop(tensor);
        assert!(recall.take().is_none());
        assert_eq!(other.bytes().unwrap()[..4], [5; 4]);
        drop(other);
        assert_eq!(pool.stats().live, 0, "and its memory is free once all have dropped it");
    }

    #[test]
    fn shared_and_constant_tensors_are_not_lent() {
        let pool = Pool::new();
        let mut tensor = rows(&pool, 2);
        let other = tensor.clone();
        assert!(tensor.lend(0).is_none());
        drop(other);
        assert!(tensor.lend(0).is_some());
        let mut text = Tensor::from_strings(&[1], vec!["a".into()]).unwrap();
        assert!(text.lend(0).is_none() && !text.is_lent());
    }
}
