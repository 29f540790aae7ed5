//! Tensors that lie in memory of other owners.

use super::{Data, Tensor, align, not_filled};
use crate::foreign::{ForeignMemory, overlap};
use crate::{KernelError, Pool};
use std::ops::Range;
use std::sync::Arc;
use trident_ir::DType;
use trident_ir::literal::checked_len;

impl Tensor {
    /// A tensor whose elements are the bytes of foreign memory, in place. They need the alignment of the element type only. `pool`
    /// counts the copies that are made where elements that cannot be written in place are written. An error unless the memory has
    /// exactly the size of the elements; for strings; and for misaligned memory: see [`Tensor::of_foreign`].
    pub fn in_foreign(
        pool: &Pool,
        dtype: DType,
        dims: &[usize],
        memory: ForeignMemory,
    ) -> Result<Tensor, KernelError> {
        let bytes = memory.bytes();
        let expected = checked_len(dims).and_then(|n| n.checked_mul(dtype.size()));
        if dtype == DType::Str || expected != Some(bytes.len()) {
            return Err(not_filled(bytes.len(), "byte", format!("{dtype}{dims:?}")));
        }
        if bytes.is_empty() {
            // It may lie anywhere, and slices of elements need their alignment even so.
            return Tensor::alloc(pool, dtype, dims);
        }
        if !is_aligned(bytes, dtype) {
            let (at, align) = (bytes.as_ptr().addr(), align(dtype));
            return Err(KernelError::domain(format!(
                "memory at {at:#x} is not aligned to the {align} bytes that elements of type {dtype} need"
            )));
        }
        let data = Data::Foreign(Arc::new(memory), pool.clone());
        Ok(Tensor { dtype, dims: dims.to_vec(), data })
    }

    /// Like [`Tensor::in_foreign`], for read-only memory: misaligned elements are copied to `pool`, and their owner is
    /// dropped.
    pub fn of_foreign(
        pool: &Pool,
        dtype: DType,
        dims: &[usize],
        memory: ForeignMemory,
    ) -> Result<Tensor, KernelError> {
        if dtype == DType::Str || is_aligned(memory.bytes(), dtype) {
            return Tensor::in_foreign(pool, dtype, dims, memory);
        }
        Tensor::gather(pool, dtype, dims, [memory.bytes()])
    }

    /// Whether elements of both tensors lie at the same addresses. False where elements are pending, as their memory is new.
    pub fn overlaps(&self, other: &Tensor) -> bool {
        let both = self.addresses().zip(other.addresses());
        both.is_some_and(|(own, other)| overlap(&own, &other))
    }

    fn addresses(&self) -> Option<Range<usize>> {
        let bytes = match &self.data {
            Data::Buffer(buffer) => buffer.bytes(),
            Data::Bytes(bytes, _) => bytes,
            Data::Foreign(memory, _) => memory.bytes(),
            Data::Strings(_) | Data::Pending(_) => return None,
        };
        let start = bytes.as_ptr().addr();
        Some(start..start + bytes.len())
    }
}

fn is_aligned(bytes: &[u8], dtype: DType) -> bool {
    bytes.is_empty() || bytes.as_ptr().addr().is_multiple_of(align(dtype))
}

#[cfg(all(test, not(feature = "models")))]
mod tests {
    #![allow(unsafe_code, clippy::unwrap_used)] // memory is lent; a failed unwrap fails the test
    use super::*;
    use crate::foreign::AliasGroup;
    use std::ptr::NonNull;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    /// An array of another library, which counts how often it is dropped.
    struct Array {
        words: Vec<u64>,
        drops: Arc<AtomicUsize>,
    }

    impl Drop for Array {
        fn drop(&mut self) {
            self.words.fill(u64::MAX);
            self.drops.fetch_add(1, Relaxed);
        }
    }

    /// An array of these floats, with its address.
    fn array(values: &[f32]) -> (Arc<Array>, NonNull<u8>, Arc<AtomicUsize>) {
        let drops = Arc::new(AtomicUsize::new(0));
        let mut words = vec![0u64; values.len().div_ceil(2)];
        bytemuck::cast_slice_mut::<u64, f32>(&mut words)[..values.len()].copy_from_slice(values);
        let mut array = Array { words, drops: drops.clone() };
        let start = NonNull::new(array.words.as_mut_ptr().cast::<u8>()).unwrap();
        (Arc::new(array), start, drops)
    }

    fn readable(start: NonNull<u8>, len: usize, owner: &Arc<Array>) -> ForeignMemory {
        // SAFETY: the owner holds the bytes, which nobody writes to.
        unsafe { ForeignMemory::readable(start, len, owner.clone()) }
    }

    fn writable(start: NonNull<u8>, len: usize, owner: &Arc<Array>) -> ForeignMemory {
        // SAFETY: the owner holds the bytes, which nobody else accesses but members of the group that the test names.
        unsafe { ForeignMemory::writable(start, len, owner.clone()) }
    }

    #[test]
    fn elements_lie_where_their_owner_has_them() {
        let pool = Pool::new();
        let (owner, start, drops) = array(&[1.0, 2.0, 3.0, 4.0]);
        let memory = readable(start, 16, &owner);
        let tensor = Tensor::in_foreign(&pool, DType::F32, &[2, 2], memory).unwrap();
        drop(owner);
        assert_eq!(tensor.bytes().unwrap().as_ptr().addr(), start.addr().get());
        assert_eq!((tensor.slice::<f32>().unwrap(), pool.stats().live), (&[1., 2., 3., 4.][..], 0));
        let rows = tensor.rows(1..2).unwrap();
        let mut copy = tensor.clone();
        copy.slice_mut::<f32>().unwrap()[0] = 9.0;
        assert_eq!(tensor.slice::<f32>().unwrap()[0], 1.0, "it is only read");
        assert!(copy.is_unique() && pool.stats().live > 0, "the pool counts the copy");
        drop(tensor);
        assert_eq!((drops.load(Relaxed), rows[..4].len()), (0, 4), "its bytes are still in use");
        drop(rows);
        assert_eq!(drops.load(Relaxed), 1);
    }

    #[test]
    fn writable_elements_are_written_in_place_by_their_only_user() {
        let pool = Pool::new();
        let (owner, start, drops) = array(&[0.0; 4]);
        let memory = writable(start, 16, &owner);
        let mut tensor = Tensor::in_foreign(&pool, DType::F32, &[4], memory).unwrap();
        assert!(tensor.is_unique());
        tensor.slice_mut::<f32>().unwrap().fill(5.0);
        let mut other = tensor.clone();
        other.slice_mut::<f32>().unwrap().fill(6.0);
        drop(tensor);
        assert_eq!(bytemuck::cast_slice::<u64, f32>(&owner.words), [5.0; 4]);
        drop((other, owner));
        assert_eq!(drops.load(Relaxed), 1);
    }

    #[test]
    fn misaligned_elements_are_copied_where_they_are_only_read() {
        let pool = Pool::new();
        let (owner, start, drops) = array(&[0.0, 0.0, 0.0]);
        // SAFETY: the array has 12 bytes.
        let odd = unsafe { start.add(1) };
        let error = Tensor::in_foreign(&pool, DType::F32, &[2], writable(odd, 8, &owner));
        assert!(error.unwrap_err().to_string().contains("not aligned"));
        let tensor = Tensor::of_foreign(&pool, DType::F32, &[2], readable(odd, 8, &owner)).unwrap();
        assert!(tensor.bytes().unwrap().as_ptr().addr().is_multiple_of(4));
        assert!(Tensor::of_foreign(&pool, DType::U8, &[8], readable(odd, 8, &owner)).is_ok());
        // Half of what a buffer of the pool is aligned to, and enough for the element type.
        // SAFETY: the array has 12 bytes.
        let half = unsafe { start.add(4) };
        let memory = readable(half, 8, &owner);
        let tensor = Tensor::in_foreign(&pool, DType::F32, &[2], memory).unwrap();
        assert_eq!(tensor.bytes().unwrap().as_ptr().addr(), half.addr().get());
        drop((owner, tensor));
        assert_eq!(drops.load(Relaxed), 1);
        for (dtype, dims) in [(DType::F32, [3]), (DType::Str, [8])] {
            let (owner, start, _) = array(&[0.0; 2]);
            assert!(Tensor::of_foreign(&pool, dtype, &dims, readable(start, 8, &owner)).is_err());
        }
        let nothing = readable(NonNull::dangling(), 0, &array(&[]).0);
        let nothing = Tensor::in_foreign(&pool, DType::F64, &[0, 3], nothing).unwrap();
        assert_eq!(nothing.slice::<f64>().unwrap(), [0.0; 0]);
    }

    #[test]
    fn overlapping_memory_is_not_written_in_place() {
        let pool = Pool::new();
        let group = AliasGroup::new();
        let (owner, start, _) = array(&[1.0, 2.0, 3.0, 4.0]);
        let part = |at: usize, dims: &[usize]| {
            // SAFETY: the parts lie in the array of 16 bytes.
            let start = unsafe { start.add(4 * at) };
            let memory = writable(start, 4 * dims[0], &owner).in_group(&group);
            Tensor::in_foreign(&pool, DType::F32, dims, memory).unwrap()
        };
        let (mut a, b, c) = (part(0, &[3]), part(2, &[2]), part(0, &[2]));
        assert!(a.overlaps(&b) && a.overlaps(&c) && !b.overlaps(&c) && !a.is_unique());
        drop(c);
        assert!(!a.is_unique() && !b.is_unique());
        let before = b.slice::<f32>().unwrap();
        a.slice_mut::<f32>().unwrap().fill(7.0);
        assert_eq!(before, [3.0, 4.0], "what is written is a copy");
        drop(a);
        let c = part(0, &[2]);
        assert!(b.is_unique() && c.is_unique(), "they have no element in common");
    }
}
