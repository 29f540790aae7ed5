//! Facts about the machine.

/// Bytes of the machine's memory; 0 if the system does not say.
pub(crate) fn memory_bytes() -> usize {
    // SAFETY: `sysconf` only reads a setting.
    let (pages, size) =
        unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    let number = |value: libc::c_long| usize::try_from(value).unwrap_or(0);
    number(pages).saturating_mul(number(size))
}
