//! Faults of memory accesses.

use std::fmt;
use trident_ir::{Loc, counted};

/// The kind of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// A plain read.
    Read,
    /// A plain write.
    Write,
    /// An atomic operation that reads, writes or both.
    Atomic {
        /// Acquires what was released at this address.
        acquire: bool,
        /// Releases the program's earlier effects.
        release: bool,
        /// Whether it stores a value.
        writes: bool,
    },
}

impl Access {
    pub(super) fn writes(self) -> bool {
        matches!(self, Access::Write | Access::Atomic { writes: true, .. })
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Access::Read => "read",
            Access::Write => "write",
            Access::Atomic { .. } => "atomic access",
        })
    }
}

/// The location of an access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A location in a tensor: byte offset from where the argument points, and number of bytes accessed.
    Tensor { name: String, offset: i64, bytes: usize },
    /// Memory outside all arguments.
    Unknown { address: u64 },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Tensor { name, offset, bytes } => {
                write!(f, "byte {offset}")?;
                let size = *bytes as i64;
                if size > 0 && offset % size == 0 {
                    write!(f, " (element {})", offset / size)?;
                }
                write!(f, " of `{name}`")
            }
            Place::Unknown { address } => {
                write!(f, "address {address:#x}, which belongs to no argument")
            }
        }
    }
}

/// An invalid access.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AccessFault {
    /// Outside the tensor that the pointer comes from.
    #[error(
        "out-of-bounds {access} of {} at {place}, whose memory is bytes {begin} to {end}",
        counted(*bytes, "byte")
    )]
    Outside { access: Access, bytes: usize, place: Place, begin: i64, end: i64 },
    /// A write to a tensor that the launch declares as read-only.
    #[error("{access} of {} at {place}, which is read-only", counted(*bytes, "byte"))]
    ReadOnly { access: Access, bytes: usize, place: Place },
    /// Through a pointer of unknown origin, outside all tensors of a launch that declares all its memory.
    #[error(
        "out-of-bounds {access} of {} at address {address:#x}, which belongs to no argument{}",
        counted(*bytes, "byte"),
        near(.nearest)
    )]
    Stray { access: Access, bytes: usize, address: u64, nearest: Option<Place> },
    /// A null pointer, possibly with an offset.
    #[error("{access} of {} through a null pointer (address {address:#x})", counted(*bytes, "byte"))]
    Null { access: Access, bytes: usize, address: u64 },
    /// The address is not a multiple of the element's size.
    #[error("misaligned {access} of {} at {place}", counted(*bytes, "byte"))]
    Misaligned { access: Access, bytes: usize, place: Place },
    /// The bytes were never written.
    #[error("{access} of {} at {place}, which nothing has written", counted(*bytes, "byte"))]
    Unwritten { access: Access, bytes: usize, place: Place },
    /// Another program accessed the bytes and nothing orders the two accesses.
    #[error("{access} of {} at {place} races with a {other}", counted(*bytes, "byte"))]
    Race { access: Access, bytes: usize, place: Place, other: Other },
}

/// Describes the location nearest to an address.
fn near(place: &Option<Place>) -> String {
    place.as_ref().map(|place| format!(": it would be {place}")).unwrap_or_default()
}

/// The other access of a race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Other {
    pub(crate) wrote: bool,
    /// Program id along x, y and z.
    pub(crate) program: [u32; 3],
    /// Its place, if it differs from that of the access itself.
    pub(crate) loc: Option<Loc>,
}

impl fmt::Display for Other {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.program;
        let kind = if self.wrote { "write" } else { "read" };
        write!(f, "{kind} by program ({x}, {y}, {z})")?;
        match &self.loc {
            Some(loc) => write!(f, " at {loc}"),
            None => Ok(()),
        }
    }
}
