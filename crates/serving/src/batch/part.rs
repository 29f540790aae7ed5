//! The bytes of inputs, and where they come from.

use crate::failure::{Fault, RequestError};
use bytes::Bytes;
use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;
use trident_runtime::{ByteSource, ForeignBytes};

/// Bytes of an input.
#[derive(Clone)]
pub enum Part<'a> {
    /// Bytes that are copied.
    Borrowed(&'a [u8]),
    /// Bytes that the client may still write to. They are copied once, and only the copy is looked at.
    Foreign(ForeignBytes<'a>),
    /// Bytes that the model may read in place.
    Shared(Bytes),
    /// Bytes that do not exist yet: they are written into the batch's tensor.
    Fill(Arc<dyn Fill + 'a>),
}

/// Writes bytes of an input into the place that they have in the batch's tensor: numbers from text, a body that is
/// decompressed, a region that is read by a system call.
pub trait Fill: Send + Sync {
    /// The number of bytes. It does not change.
    fn size(&self) -> usize;

    /// Writes the bytes to `to`, which has [`Fill::size`] bytes of arbitrary contents, from its start on. Returns how many bytes
    /// were written; fewer than the size are an error of the request. It is called again if the request runs a second time.
    fn fill(&self, to: &mut [u8]) -> Result<usize, Fault>;
}

impl Part<'_> {
    /// All bytes of an input in one piece.
    ///
    /// # Errors
    /// Bytes that cannot be written, or are fewer than their size.
    pub fn joined(parts: &[Part<'_>]) -> Result<Bytes, Fault> {
        if let [Part::Shared(bytes)] = parts {
            return Ok(bytes.clone());
        }
        let mut all = vec![0; size(parts)];
        let mut rest = &mut all[..];
        for part in parts {
            let place;
            (place, rest) = rest.split_at_mut(part.size());
            match part {
                Part::Borrowed(bytes) => place.copy_from_slice(bytes),
                Part::Shared(bytes) => place.copy_from_slice(bytes),
                Part::Foreign(bytes) => bytes.copy_to(place),
                Part::Fill(fill) => fill_whole(&**fill, place)?,
            }
        }
        Ok(all.into())
    }

    /// The bytes of a source.
    ///
    /// # Errors
    /// Bytes that cannot be written, or are fewer than their size.
    pub fn filled(fill: &dyn Fill) -> Result<Bytes, Fault> {
        let mut bytes = vec![0; fill.size()];
        fill_whole(fill, &mut bytes)?;
        Ok(bytes.into())
    }

    /// The number of bytes.
    pub fn size(&self) -> usize {
        match self {
            Part::Borrowed(bytes) => bytes.len(),
            Part::Foreign(bytes) => bytes.size(),
            Part::Shared(bytes) => bytes.len(),
            Part::Fill(fill) => fill.size(),
        }
    }
}

/// Writes all bytes of a source.
fn fill_whole(fill: &dyn Fill, to: &mut [u8]) -> Result<(), Fault> {
    let (written, expected) = (fill.fill(to)?, to.len());
    if written == expected {
        return Ok(());
    }
    let text = "bytes of an input changed while they were read";
    Err(Fault::invalid(format_args!("{text}: expected {expected} bytes, got {written}")))
}

impl fmt::Debug for Part<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self {
            Part::Borrowed(_) => "Borrowed",
            Part::Foreign(_) => "Foreign",
            Part::Shared(_) => "Shared",
            Part::Fill(_) => "Fill",
        };
        write!(f, "{kind}({} bytes)", self.size())
    }
}

/// The number of bytes of an input.
pub(super) fn size(parts: &[Part<'_>]) -> usize {
    parts.iter().map(Part::size).fold(0, usize::saturating_add)
}

/// The faults of a batch's requests, by their positions in the batch.
#[derive(Default)]
pub(super) struct Faults(RefCell<Vec<(usize, RequestError)>>);

impl Faults {
    pub(super) fn add(&self, request: usize, error: RequestError) {
        let mut faults = self.0.borrow_mut();
        if !faults.iter().any(|(known, _)| *known == request) {
            faults.push((request, error));
        }
    }

    pub(super) fn into_vec(self) -> Vec<(usize, RequestError)> {
        self.0.into_inner()
    }
}

/// A part of a request, on its way into a tensor.
pub(super) struct Source<'p> {
    pub(super) part: &'p Part<'p>,
    /// The position of the request in its batch.
    pub(super) request: usize,
    /// Names of the model and the input, for errors.
    pub(super) model: &'p str,
    pub(super) input: &'p str,
    pub(super) faults: &'p Faults,
}

impl ByteSource for Source<'_> {
    fn size(&self) -> usize {
        self.part.size()
    }

    fn copy_to(&self, to: &mut [u8]) {
        match self.part {
            Part::Borrowed(bytes) => to.copy_from_slice(bytes),
            Part::Foreign(bytes) => bytes.copy_to(to),
            Part::Shared(bytes) => to.copy_from_slice(bytes),
            Part::Fill(fill) => self.fill(&**fill, to),
        }
    }
}

impl Source<'_> {
    fn fill(&self, fill: &dyn Fill, to: &mut [u8]) {
        let (expected, given) = (to.len(), fill.fill(to));
        if matches!(given, Ok(given) if given == expected) {
            return;
        }
        let (model, input) = (self.model.to_owned(), self.input.to_owned());
        let error = match given {
            Ok(given) => RequestError::ByteSize { model, input, expected, given },
            Err(source) => RequestError::Fill { model, input, source },
        };
        self.faults.add(self.request, error);
    }
}
