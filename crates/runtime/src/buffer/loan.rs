//! Loans: memory that is restored and returned to its lender, unless the borrower's result is kept.
//!
//! A lent buffer may grow within its block, and parts of it may be replaced after their former contents are saved. When
//! the buffer is dropped, its former contents and length are restored and its memory returns to the lender.
//! [`Buffer::end_loan`] ends the loan with the buffer as it is.

use super::{Buffer, Memory};
use crate::sync::Mutex;
use std::ops::Range;
use std::sync::{Arc, PoisonError};

/// The place where a dropped buffer waits for its lender.
#[derive(Debug, Default)]
pub(crate) struct Home(Mutex<Option<Buffer>>);

impl Home {
    /// The buffer, if the borrower has dropped it.
    pub(crate) fn take(&self) -> Option<Buffer> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// The terms of a loan, and the changes since it began.
#[derive(Debug)]
pub(super) struct Loan {
    home: Arc<Home>,
    /// Length of the buffer when it was lent.
    len: usize,
    /// The places that were replaced, the oldest first, and their former bytes.
    replaced: Vec<Range<usize>>,
    saved: Vec<u8>,
    /// Bytes that were added or replaced.
    written: usize,
    /// Bytes for which the lender expects to need memory.
    capacity: usize,
}

impl Buffer {
    /// Lends the buffer: the place where it will be found once it is dropped. `capacity` is the length in bytes that the lender
    /// expects it to reach. A former loan ends.
    pub(crate) fn lend(&mut self, capacity: usize) -> Arc<Home> {
        let home = Arc::new(Home::default());
        self.loan = Some(Box::new(Loan {
            home: Arc::clone(&home),
            len: self.len,
            replaced: vec![],
            saved: vec![],
            written: 0,
            capacity,
        }));
        home
    }

    /// Whether the buffer is lent.
    pub(crate) fn is_lent(&self) -> bool {
        self.loan.is_some()
    }

    /// Ends a loan with the buffer as it is. Returns the number of bytes that were added or replaced; `None` if the buffer is not
    /// lent.
    pub(crate) fn end_loan(&mut self) -> Option<usize> {
        self.loan.take().map(|loan| loan.written)
    }

    /// The length in bytes that the lender expects the buffer to reach; 0 if it is not lent.
    pub(crate) fn expected(&self) -> usize {
        self.loan.as_ref().map_or(0, |loan| loan.capacity)
    }

    /// Extends a lent buffer to `len` bytes; the additional bytes have arbitrary contents. False, without effect, if
    /// its memory is too small.
    pub(crate) fn extend(&mut self, len: usize) -> bool {
        let capacity = match &self.memory {
            Memory::Block(block, _) => block.len(),
            Memory::Nothing | Memory::Part(..) => self.len,
        };
        let Some(loan) = self.loan.as_mut().filter(|_| self.len <= len && len <= capacity) else {
            return false;
        };
        loan.written += len - self.len;
        self.len = len;
        true
    }

    /// Replaces bytes of a lent buffer, and saves the former ones. False, without effect, if the buffer is not lent or has no such
    /// bytes.
    pub(crate) fn patch(&mut self, at: usize, bytes: &[u8]) -> bool {
        let Some(mut loan) = self.loan.take() else { return false };
        let range = at..at.saturating_add(bytes.len());
        let place = self.bytes_mut().get_mut(range.clone());
        let patched = place.is_some();
        if let Some(place) = place {
            loan.saved.extend_from_slice(place);
            loan.replaced.push(range);
            loan.written += bytes.len();
            place.copy_from_slice(bytes);
        }
        self.loan = Some(loan);
        patched
    }

    /// Returns the memory to its lender, as it was.
    pub(super) fn return_to(&mut self, loan: Loan) {
        let mut saved = loan.saved.as_slice();
        for range in loan.replaced.into_iter().rev() {
            let (rest, bytes) = saved.split_at(saved.len() - range.len());
            self.bytes_mut()[range].copy_from_slice(bytes);
            saved = rest;
        }
        let memory = std::mem::replace(&mut self.memory, Memory::Nothing);
        let own = Buffer { memory, len: loan.len, loan: None };
        *loan.home.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(own);
    }
}
