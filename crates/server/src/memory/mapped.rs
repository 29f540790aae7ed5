//! Objects of shared memory that are mapped, for macOS.

use std::io;

use trident_runtime::SharedMapping;

use super::region::SharedObject;

pub(super) fn open(name: &str) -> io::Result<Box<dyn SharedObject>> {
    Ok(Box::new(SharedMapping::open(&format!("/{name}"))?))
}

impl SharedObject for SharedMapping {
    fn length(&self) -> io::Result<u64> {
        Ok(SharedMapping::length(self) as u64)
    }

    fn read(&self, to: &mut [u8], at: u64) -> io::Result<()> {
        SharedMapping::read(self, to, place(at))
    }

    fn write(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        SharedMapping::write(self, bytes, place(at))
    }
}

/// A place beyond all addresses is beyond the end, too.
fn place(at: u64) -> usize {
    usize::try_from(at).unwrap_or(usize::MAX)
}
