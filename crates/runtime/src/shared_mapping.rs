//! Objects of POSIX shared memory that are mapped, for systems that do not read them by their descriptors.
//!
//! Other processes may write to the bytes at any time, so there are no references to them: they are copied by pointers.
//! Access beyond the end of an object that has shrunk would end the process. On macOS, an object gets its size once and keeps it
//! (`pshm_truncate` of XNU's `bsd/kern/posix_shm.c` refuses a second one). Elsewhere objects can shrink at any time: there, other
//! code than tests uses descriptors.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::OwnedFd;
use std::ptr::{self, NonNull};
use std::sync::{PoisonError, RwLock};

use rustix::fs::{Mode, fstat};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use rustix::shm;

use crate::foreign::{ByteSource, ForeignBytes};

/// An object of POSIX shared memory, mapped as a whole.
pub struct SharedMapping {
    object: OwnedFd,
    start: NonNull<u8>,
    length: usize,
    /// Held while bytes are copied, for writing while this process writes.
    copying: RwLock<()>,
}

// SAFETY: the mapping belongs to no thread, and it is accessed under a lock.
unsafe impl Send for SharedMapping {}
// SAFETY: the same.
unsafe impl Sync for SharedMapping {}

impl SharedMapping {
    /// Maps the object of a name, as `shm_open` knows it.
    ///
    /// # Errors
    /// No object has this name, it has no bytes, or it cannot be read and written.
    pub fn open(name: &str) -> io::Result<SharedMapping> {
        let object = shm::open(name, shm::OFlags::RDWR, Mode::empty())?;
        let length = size(&object)?;
        if length == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let (access, flags) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED);
        // SAFETY: the system chooses an address at which nothing is mapped.
        let start = unsafe { mmap(ptr::null_mut(), length, access, flags, &object, 0) }?;
        let start = NonNull::new(start.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(SharedMapping { object, start, length, copying: RwLock::new(()) })
    }

    /// The bytes of the object when it was mapped.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Copies the bytes from `at` on, as many as `to` has.
    ///
    /// # Errors
    /// `UnexpectedEof` if the object has fewer bytes.
    pub fn read(&self, to: &mut [u8], at: usize) -> io::Result<()> {
        let _copying = self.copying.read().unwrap_or_else(PoisonError::into_inner);
        let from = self.place(at, to.len())?;
        // SAFETY: the bytes are mapped and in the object, and while the lock is held only other processes write to them.
        unsafe { ForeignBytes::new(from, to.len()) }.copy_to(to);
        Ok(())
    }

    /// Copies bytes to the place from `at` on.
    ///
    /// # Errors
    /// `UnexpectedEof` if the object has fewer bytes. It does not grow.
    pub fn write(&self, from: &[u8], at: usize) -> io::Result<()> {
        let _copying = self.copying.write().unwrap_or_else(PoisonError::into_inner);
        let to = self.place(at, from.len())?;
        // SAFETY: the bytes are mapped and in the object, and while the lock is held nothing of this process refers to them. `from` lies
        // elsewhere, because there are no references to mapped bytes.
        unsafe { ptr::copy_nonoverlapping(from.as_ptr(), to, from.len()) };
        Ok(())
    }

    /// The address of so many bytes from `at` on, which the mapping and the object have now.
    fn place(&self, at: usize, count: usize) -> io::Result<*mut u8> {
        let end = at.checked_add(count).ok_or(io::ErrorKind::UnexpectedEof)?;
        if end > self.length || end > size(&self.object)? {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        // SAFETY: the place is in the mapping or at its end.
        Ok(unsafe { self.start.as_ptr().add(at) })
    }
}

impl Drop for SharedMapping {
    fn drop(&mut self) {
        // SAFETY: the mapping is this one's, and nobody accesses it any more. It cannot fail for a mapping that exists.
        let _ = unsafe { munmap(self.start.as_ptr().cast(), self.length) };
    }
}

fn size(object: &OwnedFd) -> io::Result<usize> {
    usize::try_from(fstat(object)?.st_size).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::ftruncate;
    use std::process;

    /// An object of its own, which goes with this.
    struct Object(String, OwnedFd);

    impl Object {
        fn new(name: &str, size: u64) -> Object {
            let name = format!("/trident_{name}_{}", process::id());
            let flags = shm::OFlags::RDWR | shm::OFlags::CREATE | shm::OFlags::EXCL;
            let object = shm::open(&name, flags, Mode::RUSR | Mode::WUSR).unwrap();
            ftruncate(&object, size).unwrap();
            Object(name, object)
        }
    }

    impl Drop for Object {
        fn drop(&mut self) {
            shm::unlink(&self.0).unwrap();
        }
    }

    #[test]
    fn bytes_are_copied_both_ways_and_seen_by_others() {
        let object = Object::new("copy", 100_000);
        let [one, other] = [0, 1].map(|_| SharedMapping::open(&object.0).unwrap());
        assert!(one.length() >= 100_000);
        for (at, count) in [(0, 1), (1, 7), (3, 64), (4095, 70_001), (99_999, 1), (77, 0)] {
            let bytes: Vec<u8> = (0..count).map(|at| at as u8 ^ 0x5a).collect();
            one.write(&bytes, at).unwrap();
            let mut seen = vec![0; count];
            other.read(&mut seen, at).unwrap();
            assert_eq!(seen, bytes);
        }
    }

    #[test]
    fn places_beyond_the_end_are_refused() {
        let object = Object::new("end", 4096);
        let mapping = SharedMapping::open(&object.0).unwrap();
        let length = mapping.length();
        for at in [length, length - 7, length + 1, usize::MAX - 3, usize::MAX] {
            let error = mapping.read(&mut [0; 8], at).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof, "{at}");
            let error = mapping.write(&[0; 8], at).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof, "{at}");
        }
        mapping.write(&[1; 8], length - 8).unwrap();
        assert!(SharedMapping::open("/trident_that_nobody_made").is_err());
    }

    // On macOS an object cannot shrink.
    #[test]
    #[cfg(target_os = "linux")]
    fn an_object_that_has_shrunk_is_refused() {
        let object = Object::new("shrunk", 8192);
        let mapping = SharedMapping::open(&object.0).unwrap();
        ftruncate(&object.1, 100).unwrap();
        let error = mapping.read(&mut [0; 8], 96).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
        mapping.read(&mut [0; 8], 92).unwrap();
        assert!(SharedMapping::open(&Object::new("empty", 0).0).is_err());
    }
}
