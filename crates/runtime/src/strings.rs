//! Strings of tensors, which a pool counts before they are copied.

use crate::{Charge, KernelError, Pool};
use trident_ir::DType;

/// Strings, and what a pool counts for them.
#[derive(Debug, Default)]
pub(crate) struct Strings {
    pub(crate) values: Vec<String>,
    pub(crate) charge: Option<Charge>,
}

impl From<Vec<String>> for Strings {
    fn from(values: Vec<String>) -> Strings {
        Strings { values, charge: None }
    }
}

impl Strings {
    /// `len` empty strings, counted by `pool`; `None` if it has no room for them.
    pub(crate) fn empty(pool: &Pool, len: usize) -> Option<Strings> {
        let mut values = Vec::new();
        // The memory is reserved before it is counted: a refusal by the system must not raise the peak, and a
        // reservation takes no memory yet.
        values.try_reserve_exact(len).ok()?;
        let charge = pool.charge(len * size_of::<String>())?;
        values.resize(len, String::new());
        Some(Strings { values, charge: Some(charge) })
    }

    /// Replaces the strings, for a tensor of these dimensions.
    pub(crate) fn write<'a>(&'a mut self, dims: &'a [usize]) -> StringWriter<'a> {
        StringWriter { slots: self.values.iter_mut(), charge: self.charge.as_mut(), room: 0, dims }
    }
}

/// Writes the elements of a tensor of strings in order, see [`Tensor::write_strings`](crate::Tensor::write_strings).
#[derive(Debug)]
pub struct StringWriter<'a> {
    slots: std::slice::IterMut<'a, String>,
    charge: Option<&'a mut Charge>,
    /// Bytes that are counted and not yet written.
    room: usize,
    dims: &'a [usize],
}

impl StringWriter<'_> {
    /// Writes the next element, the concatenation of `pieces`. An error after the last element, or if the pool has no
    /// room.
    pub fn push(&mut self, pieces: &[&str]) -> Result<(), KernelError> {
        let slot = self.slots.next();
        let slot = slot.ok_or_else(|| {
            KernelError::shape(format!("internal error: there are more strings than {:?} has elements; please report it with the model", self.dims))
        })?;
        let bytes = total(pieces.iter().copied());
        self.reserve(bytes)?;
        self.room -= bytes;
        let mut string = String::new();
        string.try_reserve_exact(bytes).map_err(|_| self.too_large())?;
        string.extend(pieces.iter().copied());
        *slot = string;
        Ok(())
    }

    /// Writes copies of strings, which are counted all at once.
    pub fn extend<'s>(
        &mut self,
        strings: impl Iterator<Item = &'s str> + Clone,
    ) -> Result<(), KernelError> {
        self.reserve(total(strings.clone()))?;
        for string in strings {
            self.push(&[string])?;
        }
        Ok(())
    }

    /// Has the pool count `bytes` that are about to be written.
    fn reserve(&mut self, bytes: usize) -> Result<(), KernelError> {
        let more = bytes.saturating_sub(self.room);
        if self.charge.as_mut().is_some_and(|charge| !charge.grow(more)) {
            return Err(self.too_large());
        }
        self.room += more;
        Ok(())
    }

    fn too_large(&self) -> KernelError {
        KernelError::TooLarge { dtype: DType::Str, dims: self.dims.to_vec() }
    }
}

/// Bytes of all strings; one may be repeated more often than memory could hold.
fn total<'a>(strings: impl Iterator<Item = &'a str>) -> usize {
    strings.fold(0, |sum, string| sum.saturating_add(string.len()))
}

/// Memory of strings in bytes, roughly.
pub(crate) fn strings_bytes(values: &[String]) -> usize {
    values.iter().map(|s| size_of::<String>() + s.capacity()).sum()
}

#[cfg(all(test, not(feature = "models")))]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed unwrap fails the test
    use crate::{KernelError, Pool, Tensor};
    use trident_ir::DType;

    #[test]
    fn strings_count_before_they_are_made() {
        let pool = Pool::new().child("m");
        pool.set_limit(1000);
        let mut tensor = Tensor::alloc(&pool, DType::Str, &[4]).unwrap();
        let empty = pool.stats().live;
        let mut writer = tensor.write_strings().unwrap();
        writer.push(&["ab", "", "cd"]).unwrap();
        writer.extend(["é", "x"].into_iter()).unwrap();
        assert_eq!(pool.stats().live, empty + 4 + 2 + 1);
        let long = "l".repeat(900);
        assert!(matches!(writer.push(&["l", &long]), Err(KernelError::TooLarge { .. })));
        assert_eq!(pool.stats().peak, empty + 7);
        assert_eq!(tensor.strings().unwrap(), ["abcd", "é", "x", ""]);
        let more = tensor.write_strings().unwrap().extend(std::iter::repeat_n("", 5));
        assert!(matches!(more, Err(KernelError::Shape(_))), "{more:?}");
    }

    #[test]
    fn shared_strings_are_written_elsewhere() {
        let pool = Pool::new().child("m");
        let mut tensor = Tensor::gather_strings(&pool, &[2], ["a", "b"].into_iter()).unwrap();
        let other = tensor.clone();
        tensor.write_strings().unwrap().push(&["c"]).unwrap();
        assert_eq!(other.strings().unwrap(), ["a", "b"]);
        assert_eq!(tensor.strings().unwrap(), ["c", "b"]);
        drop((tensor, other));
        assert_eq!(pool.stats().live, 0);
    }

    #[test]
    fn copies_count_before_they_are_made() {
        let pool = Pool::new().child("m");
        let long = "l".repeat(1000);
        let tensor = Tensor::gather_strings(&pool, &[1], [&*long].into_iter()).unwrap();
        let (live, mut copy) = (pool.stats().live, tensor.clone());
        pool.set_limit(live + 100);
        assert!(copy.strings_mut().is_err());
        assert!(pool.stats().peak < live + 100);
    }

    #[test]
    fn what_the_system_refuses_is_no_peak() {
        let pool = Pool::new().child("m");
        for dims in [&[1usize << 58][..], &[1 << 59], &[1 << 62]] {
            assert!(Tensor::alloc(&pool, DType::Str, dims).is_err());
            let none = std::iter::empty::<&str>();
            assert!(Tensor::gather_strings(&pool, dims, none).is_err());
        }
        assert_eq!(pool.stats().peak, 0);
    }
}
