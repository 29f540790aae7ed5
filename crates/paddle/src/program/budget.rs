//! The memory that a program may take.

use crate::error::PaddleErrorKind;

/// Bytes of structures for each byte of the file. Lists double while they grow, so that the peak is about twice as much.
const FACTOR: usize = 4;

/// Bytes that any program may take.
const BASE: usize = 64 << 10;

/// Counts the memory of what is read, so that a hostile file of the smallest parts does not take a multiple of its size.
#[derive(Debug, Default)]
pub(crate) struct Budget(usize);

impl Budget {
    /// The budget of a file of this size.
    pub(crate) fn of(size: usize) -> Budget {
        Budget(size.saturating_mul(FACTOR).saturating_add(BASE))
    }

    /// Counts a value of type `T`.
    pub(crate) fn take<T>(&mut self) -> Result<(), PaddleErrorKind> {
        match self.0.checked_sub(size_of::<T>()) {
            Some(left) => {
                self.0 = left;
                Ok(())
            }
            None => Err(PaddleErrorKind::Malformed(
                "it has more ops and values than its size allows for".into(),
            )),
        }
    }
}
