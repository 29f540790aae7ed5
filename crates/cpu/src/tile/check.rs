//! Checked launches: what is known of each byte that a kernel may touch.
//!
//! Programs of a checked launch run one after another, so a lock is always free and every run finds the same faults.
//! Two programs race for a byte if both touch it, one of them writing, and no chain of atomic releases and acquires
//! leads from the one to the other (the happens-before relation of the C++ memory model, kept as sets of programs).

use std::collections::{HashMap, HashSet};
use trident_runtime::Extent;

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// A plain read.
    Read,
    /// A plain write.
    Write,
    /// An atomic operation that reads, writes or both.
    Atomic {
        /// Sees what was released at the place.
        acquire: bool,
        /// Publishes what the program has done.
        release: bool,
        /// Whether it leaves a value there.
        writes: bool,
    },
}

impl Access {
    fn name(self) -> &'static str {
        match self {
            Access::Read => "read",
            Access::Write => "write",
            Access::Atomic { .. } => "atomic access",
        }
    }

    fn writes(self) -> bool {
        matches!(self, Access::Write | Access::Atomic { writes: true, .. })
    }
}

/// A wrong access.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AccessFault {
    /// The address belongs to no known tensor.
    #[error(
        "{access} of {bytes} bytes at address {address:#x}, which belongs to no argument{near}"
    )]
    Nowhere { access: &'static str, bytes: usize, address: u64, near: String },
    /// The address is not a multiple of the element's size.
    #[error("misaligned {access} of {bytes} bytes at byte {offset} of `{tensor}`")]
    Misaligned { access: &'static str, bytes: usize, offset: usize, tensor: String },
    /// The bytes were never written.
    #[error("read of {bytes} bytes at byte {offset} of `{tensor}`, which nothing has written")]
    Uninitialised { bytes: usize, offset: usize, tensor: String },
    /// Another program touched the bytes and nothing orders the two.
    #[error(
        "{access} of {bytes} bytes at byte {offset} of `{tensor}` races with a {other} by program {program}"
    )]
    Race {
        access: &'static str,
        bytes: usize,
        offset: usize,
        tensor: String,
        other: &'static str,
        program: u32,
    },
}

/// Bytes that are described together; most launches touch few of them.
const PAGE: usize = 1 << 12;

/// Marks in place of a program: none, and more than one reader.
const NOBODY: u32 = u32::MAX;
const SEVERAL: u32 = u32::MAX - 1;

/// What is known of the bytes of a page.
struct Page {
    written: Vec<bool>,
    /// The program that wrote last, plainly or atomically.
    writer: Vec<u32>,
    /// The program that read since.
    reader: Vec<u32>,
    /// Whether the last write was atomic: atomics do not race with one another.
    atomic: Vec<bool>,
}

impl Page {
    fn new(written: bool) -> Page {
        Page {
            written: vec![written; PAGE],
            writer: vec![NOBODY; PAGE],
            reader: vec![NOBODY; PAGE],
            atomic: vec![false; PAGE],
        }
    }
}

struct Region {
    name: String,
    address: u64,
    bytes: usize,
    initialised: bool,
    pages: HashMap<usize, Page>,
}

/// The state of a checked launch.
pub(crate) struct Checker {
    /// By address; they do not overlap.
    regions: Vec<Region>,
    program: u32,
    /// Programs whose effects the running one has acquired.
    seen: HashSet<u32>,
    /// By address of an atomic: the programs whose effects it publishes.
    released: HashMap<u64, HashSet<u32>>,
}

impl Checker {
    /// A launch that may touch these extents; of overlapping ones the union is taken under the first one's name.
    pub(crate) fn new(extents: &[Extent<'_>]) -> Checker {
        let mut regions: Vec<Region> = vec![];
        let mut sorted: Vec<&Extent<'_>> = extents.iter().filter(|e| e.bytes > 0).collect();
        sorted.sort_by_key(|e| e.address);
        for extent in sorted {
            let start = extent.address as u64;
            match regions.last_mut().filter(|r| r.address + r.bytes as u64 > start) {
                Some(last) => {
                    let end = extent.address + extent.bytes;
                    last.bytes = last.bytes.max(end - last.address as usize);
                    last.initialised |= extent.initialised;
                }
                None => regions.push(Region {
                    name: extent.name.to_owned(),
                    address: start,
                    bytes: extent.bytes,
                    initialised: extent.initialised,
                    pages: HashMap::new(),
                }),
            }
        }
        let (seen, released) = (HashSet::new(), HashMap::new());
        Checker { regions, program: 0, seen, released }
    }

    /// Starts a program, by its number in the linearised grid.
    pub(crate) fn begin(&mut self, program: u32) {
        self.program = program;
        self.seen.clear();
    }

    /// Looks at one element's access, and takes note of it.
    pub(crate) fn access(
        &mut self,
        address: u64,
        bytes: usize,
        access: Access,
    ) -> Result<(), AccessFault> {
        let at = self.regions.partition_point(|r| r.address <= address);
        let fits = |r: &Region| {
            address - r.address <= (r.bytes as u64).saturating_sub(bytes as u64) && bytes <= r.bytes
        };
        let Some(region) = at.checked_sub(1).map(|i| &mut self.regions[i]).filter(|r| fits(r))
        else {
            return Err(self.nowhere(address, bytes, access));
        };
        let offset = (address - region.address) as usize;
        let tensor = || region.name.clone();
        if !address.is_multiple_of(bytes as u64) {
            let (access, tensor) = (access.name(), tensor());
            return Err(AccessFault::Misaligned { access, bytes, offset, tensor });
        }
        if let Access::Atomic { acquire: true, .. } = access
            && let Some(published) = self.released.get(&address)
        {
            self.seen.extend(published);
        }
        let (program, seen) = (self.program, &self.seen);
        let ordered = |other: u32| {
            other == NOBODY || other == program || other == SEVERAL || seen.contains(&other)
        };
        for i in offset..offset + bytes {
            let initialised = region.initialised;
            let page = region.pages.entry(i / PAGE).or_insert_with(|| Page::new(initialised));
            let i = i % PAGE;
            let race = |other: &'static str, by: u32| AccessFault::Race {
                access: access.name(),
                bytes,
                offset,
                tensor: region.name.clone(),
                other,
                program: by,
            };
            let both_atomic = page.atomic[i] && matches!(access, Access::Atomic { .. });
            if !both_atomic && !ordered(page.writer[i]) {
                return Err(race("write", page.writer[i]));
            }
            if access == Access::Write && !ordered(page.reader[i]) {
                return Err(race("read", page.reader[i]));
            }
            if access != Access::Write && !page.written[i] {
                let tensor = region.name.clone();
                return Err(AccessFault::Uninitialised { bytes, offset, tensor });
            }
            if access.writes() {
                page.written[i] = true;
                page.writer[i] = program;
                page.atomic[i] = access != Access::Write;
                page.reader[i] = NOBODY;
            } else if access == Access::Read {
                let reader = &mut page.reader[i];
                *reader = match *reader {
                    NOBODY => program,
                    same if same == program => program,
                    before if seen.contains(&before) => program,
                    _ => SEVERAL,
                };
            }
        }
        if let Access::Atomic { release: true, .. } = access {
            let published = self.released.entry(address).or_default();
            published.extend(&self.seen);
            published.insert(self.program);
        }
        Ok(())
    }

    fn nowhere(&self, address: u64, bytes: usize, access: Access) -> AccessFault {
        // The tensor whose begin or end is nearest is most likely the one that was meant.
        let distance = |r: &Region| {
            let end = r.address + r.bytes as u64;
            if address < r.address { r.address - address } else { address.saturating_sub(end) }
        };
        let near = self.regions.iter().min_by_key(|r| distance(r)).map(|r| {
            let (size, offset) = (r.bytes, address as i128 - i128::from(r.address));
            format!("; it is byte {offset} of `{}`, which has {size}", r.name)
        });
        let near = near.unwrap_or_default();
        AccessFault::Nowhere { access: access.name(), bytes, address, near }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: Access = Access::Atomic { acquire: true, release: true, writes: true };

    fn checker(initialised: bool) -> Checker {
        Checker::new(&[
            Extent { name: "x", address: 0x1000, bytes: 64, initialised: true },
            Extent { name: "y", address: 0x2000, bytes: 64, initialised },
        ])
    }

    #[test]
    fn bounds_and_alignment_name_tensor_and_offset() {
        let mut c = checker(true);
        assert_eq!(c.access(0x103c, 4, Access::Read), Ok(()));
        let error = c.access(0x1040, 4, Access::Read).unwrap_err().to_string();
        assert!(error.contains("byte 64 of `x`, which has 64"), "{error}");
        let error = c.access(0x1ffc, 4, Access::Write).unwrap_err().to_string();
        assert!(error.contains("byte -4 of `y`"), "{error}");
        let error = c.access(0x203e, 4, Access::Read).unwrap_err().to_string();
        assert!(error.contains("byte 62 of `y`, which has 64"), "{error}");
        let error = c.access(0x2002, 4, Access::Read).unwrap_err().to_string();
        assert!(error.contains("misaligned read of 4 bytes at byte 2 of `y`"), "{error}");
        assert!(c.access(u64::MAX - 3, 4, Access::Read).is_err());
    }

    #[test]
    fn memory_is_read_after_it_was_written() {
        let mut c = checker(false);
        let error = c.access(0x2008, 8, Access::Read).unwrap_err().to_string();
        assert!(error.contains("byte 8 of `y`, which nothing has written"), "{error}");
        assert_eq!(c.access(0x2008, 8, Access::Write), Ok(()));
        assert_eq!(c.access(0x2008, 8, Access::Read), Ok(()));
        assert!(c.access(0x2010, 1, LOCK).is_err());
    }

    #[test]
    fn programs_race_where_one_writes() {
        let mut c = checker(true);
        c.begin(0);
        assert_eq!(c.access(0x1000, 4, Access::Read), Ok(()));
        assert_eq!(c.access(0x1004, 4, Access::Write), Ok(()));
        assert_eq!(c.access(0x1004, 4, Access::Write), Ok(()));
        c.begin(1);
        assert_eq!(c.access(0x1000, 4, Access::Read), Ok(()));
        for access in [Access::Read, Access::Write, LOCK] {
            let error = c.access(0x1004, 4, access).unwrap_err().to_string();
            assert!(error.contains("races with a write by program 0"), "{error}");
        }
        c.begin(2);
        assert_eq!(c.access(0x1008, 4, Access::Read), Ok(()));
        c.begin(3);
        let error = c.access(0x1008, 4, Access::Write).unwrap_err().to_string();
        assert!(error.contains("races with a read by program 2"), "{error}");
    }

    #[test]
    fn atomics_do_not_race_and_a_lock_orders_what_it_guards() {
        let mut c = checker(true);
        for program in 0..4 {
            c.begin(program);
            assert_eq!(c.access(0x2000, 4, LOCK), Ok(()));
            assert_eq!(c.access(0x1010, 4, Access::Read), Ok(()));
            assert_eq!(c.access(0x1010, 4, Access::Write), Ok(()));
            assert_eq!(c.access(0x2000, 4, LOCK), Ok(()));
        }
        c.begin(5);
        assert!(c.access(0x1010, 4, Access::Read).is_err());
        let relaxed = Access::Atomic { acquire: false, release: false, writes: true };
        c.begin(6);
        assert_eq!(c.access(0x2000, 4, relaxed), Ok(()));
        assert!(c.access(0x1010, 4, Access::Read).is_err());
        assert!(c.access(0x2000, 4, Access::Write).is_ok());
    }
}
