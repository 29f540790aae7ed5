//! Memory that holds machine code.

use memmap2::{Mmap, MmapMut};

use super::abi::Entry;

/// Machine code, readable and executable. It is written before it becomes executable and never afterwards: no page is
/// both writable and executable. Systems that require a special allocation for code (`MAP_JIT` on macOS) would be
/// handled in [`Code::new`].
pub(super) struct Code {
    map: Mmap,
    len: usize,
}

impl Code {
    /// Maps these bytes as code.
    pub(super) fn new(bytes: &[u8]) -> std::io::Result<Code> {
        let mut map = MmapMut::map_anon(bytes.len().max(1))?;
        map[..bytes.len()].copy_from_slice(bytes);
        let map = map.make_exec()?;
        flush(&map);
        Ok(Code { map, len: bytes.len() })
    }

    /// The bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.map[..self.len]
    }

    /// The entry, at this byte offset.
    ///
    /// # Safety
    /// The bytes are those of a kernel compiled for this machine, and `at` is the offset of its entry.
    pub(super) unsafe fn entry(&self, at: usize) -> Entry {
        // SAFETY: the caller states that an entry of a kernel for this machine is at this offset; the mapping is executable.
        unsafe { std::mem::transmute::<*const u8, Entry>(self.map.as_ptr().add(at)) }
    }
}

/// Makes the code visible to the instruction caches.
#[cfg(not(target_arch = "aarch64"))]
fn flush(_: &[u8]) {}

/// Makes the code visible to the instruction caches: cleans the data cache to the point of unification line by line,
/// then invalidates the instruction cache's lines (Arm Architecture Reference Manual, B2.7.4).
#[cfg(target_arch = "aarch64")]
fn flush(bytes: &[u8]) {
    use std::arch::asm;
    const LINE: usize = 16;
    let range = bytes.as_ptr_range();
    let lines = || (range.start as usize & !(LINE - 1)..range.end as usize).step_by(LINE);
    // SAFETY: cache maintenance by address of memory that is mapped.
    unsafe {
        lines().for_each(|p| asm!("dc cvau, {}", in(reg) p));
        asm!("dsb ish");
        lines().for_each(|p| asm!("ic ivau, {}", in(reg) p));
        asm!("dsb ish", "isb");
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn memory_is_never_writable_and_executable_at_once() {
        let code = Code::new(&[0xc3; 10_000]).unwrap();
        assert!(code.bytes() == [0xc3; 10_000]);
        let at = code.bytes().as_ptr().addr();
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let rights: Vec<&str> = maps
            .lines()
            .filter_map(|line| {
                let (range, rest) = line.split_once(' ')?;
                let (from, to) = range.split_once('-')?;
                let bound = |text| usize::from_str_radix(text, 16).ok();
                (bound(from)?..bound(to)?).contains(&at).then_some(rest.split(' ').next()?)
            })
            .collect();
        assert_eq!(rights, ["r-xp"]);
        assert!(!maps.lines().any(|line| line.contains(" rwx")), "{maps}");
    }
}
