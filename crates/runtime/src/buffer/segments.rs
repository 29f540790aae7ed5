//! Memory outside of pools that is allocated at once and given back piece by piece: what a model's weights are read into.

use super::PAGE;
use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
use std::fmt;
use std::io;
use std::ptr::{NonNull, null_mut};

/// Bytes of what can be given back singly: pages of the system, which are larger than [`PAGE`] on some ARM servers.
fn unit() -> usize {
    rustix::param::page_size().max(PAGE)
}

/// Large pages start at multiples of this many bytes. Where they have another size, less of the memory consists of them.
const HUGE: usize = 2 << 20;

/// Initialised bytes of one owner, which are given back to the system as soon as they are dropped.
pub struct Segment {
    ptr: NonNull<u8>,
    len: usize,
}

// SAFETY: a segment owns its memory, which is not bound to a thread.
unsafe impl Send for Segment {}
// SAFETY: through a shared segment the memory is only read.
unsafe impl Sync for Segment {}

impl Segment {
    /// Segments of these lengths in bytes, which are zero and start at a multiple of [`PAGE`]. They lie side by side in
    /// large pages where the system has these, because it prepares a large page several times as fast as the same
    /// memory in small pages.
    pub fn allocate(lens: &[usize]) -> io::Result<Vec<Segment>> {
        let mut segments = Vec::with_capacity(lens.len());
        let unit = unit();
        let sizes = lens.iter().map(|len| len.checked_next_multiple_of(unit));
        let total = sizes.into_iter().try_fold(0, |sum: usize, size| sum.checked_add(size?));
        let total = total.ok_or(io::ErrorKind::OutOfMemory)?;
        if total == 0 {
            segments.extend(lens.iter().map(|_| Segment { ptr: NonNull::dangling(), len: 0 }));
            return Ok(segments);
        }
        let slack = total.checked_add(HUGE).ok_or(io::ErrorKind::OutOfMemory)?;
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: the system chooses an address where nothing is.
        let mapped = unsafe { mmap_anonymous(null_mut(), slack, access, MapFlags::PRIVATE) }?;
        let mapped = NonNull::new(mapped.cast::<u8>()).ok_or(io::ErrorKind::OutOfMemory)?;
        let before = mapped.addr().get().next_multiple_of(HUGE) - mapped.addr().get();
        // SAFETY: at most `HUGE` bytes are before, and so many were added.
        let start = unsafe { mapped.add(before) };
        // SAFETY: these pages of the mapping are in no segment: first those before, then those after.
        let _ = unsafe {
            munmap(mapped.as_ptr().cast(), before)
                .and(munmap(start.add(total).as_ptr().cast(), HUGE - before))
        };
        #[cfg(target_os = "linux")]
        // SAFETY: the advice changes no bytes; the pages are those of this mapping. Without large pages it takes longer.
        let _ = unsafe {
            use rustix::mm::{Advice, madvise};
            madvise(start.as_ptr().cast(), total, Advice::LinuxHugepage)
        };
        let mut at = start;
        for &len in lens {
            segments.push(Segment { ptr: at, len });
            // SAFETY: the sizes add up to `total`.
            at = unsafe { at.add(len.next_multiple_of(unit)) };
        }
        Ok(segments)
    }
}

impl AsRef<[u8]> for Segment {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: these bytes are the segment's, initialised, and shared for reading only.
        unsafe { std::slice::from_raw_parts(self.ptr.as_ptr(), self.len) }
    }
}

impl AsMut<[u8]> for Segment {
    fn as_mut(&mut self) -> &mut [u8] {
        // SAFETY: these bytes are the segment's, initialised, and nobody else has them.
        unsafe { std::slice::from_raw_parts_mut(self.ptr.as_ptr(), self.len) }
    }
}

impl Drop for Segment {
    fn drop(&mut self) {
        let len = self.len.next_multiple_of(unit());
        if len > 0 {
            // SAFETY: these whole pages are the segment's, and it ends. An error means that they stay.
            let _ = unsafe { munmap(self.ptr.as_ptr().cast(), len) };
        }
    }
}

impl fmt::Debug for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Segment").field("ptr", &self.ptr).field("len", &self.len).finish()
    }
}

#[cfg(all(test, not(feature = "models")))]
mod tests {
    use super::*;

    /// Segments of these lengths with numbers in them, dropped in an order of their own, as sessions drop weights.
    fn check(lens: [usize; 7]) {
        let Ok(mut segments) = Segment::allocate(&lens) else { panic!("there is no memory") };
        for (i, segment) in segments.iter_mut().enumerate() {
            let start = segment.as_ref().as_ptr();
            assert!(segment.as_ref().is_empty() || start.addr().is_multiple_of(PAGE));
            assert_eq!(segment.as_ref(), vec![0; lens[i]]);
            segment.as_mut().fill(i as u8);
        }
        let mut segments: Vec<_> = segments.into_iter().map(Some).collect();
        for gone in [3, 0, 6, 1, 4, 2, 5] {
            segments[gone] = None;
            for (i, segment) in segments.iter().enumerate() {
                let bytes = segment.as_ref().map_or(&[][..], Segment::as_ref);
                assert!(bytes.iter().all(|byte| *byte == i as u8));
            }
        }
    }

    #[test]
    fn segments_are_apart_and_outlive_each_other() {
        let mut others = vec![];
        for round in 0..8 {
            check([1, 0, PAGE, 3 * HUGE + 5, PAGE - 1, 0, 2 * PAGE + 1]);
            // The system's next mapping starts elsewhere, at a page of its own.
            others.push(memmap2::MmapMut::map_anon(4096 * (1 + round % 3)).unwrap());
        }
    }

    #[test]
    fn what_does_not_fit_is_an_error() {
        assert!(Segment::allocate(&[]).unwrap().is_empty());
        for lens in [&[usize::MAX][..], &[usize::MAX - PAGE, PAGE], &[isize::MAX as usize, 5]] {
            Segment::allocate(lens).unwrap_err();
        }
    }
}
