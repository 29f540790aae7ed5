//! Figures for the Python module, by functions of the C interface.

use std::ffi::{CStr, CString, c_char, c_int};
use std::sync::{LazyLock, OnceLock};

use super::entries::KernelEntry;
use super::plugin::REASON;
use super::signatures::ENTRIES;
use crate::compiled::forget;
use crate::device::{PaddleDevice, device, device_count};
use crate::kernel::Entry;

/// The names of all kernels, one on each line, each once.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn trident_paddle_kernels() -> *const c_char {
    static NAMES: LazyLock<CString> = LazyLock::new(|| {
        let mut names: Vec<&str> = ENTRIES.iter().map(|entry| entry.kernel.name).collect();
        names.dedup();
        CString::new(names.join("\n")).unwrap_or_default()
    });
    NAMES.as_ptr()
}

/// The kernels with the element types that they are registered for, on lines such as `relu f32 f64`. A kernel with several signatures
/// has several lines.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn trident_paddle_elements() -> *const c_char {
    static LINES: LazyLock<CString> = LazyLock::new(|| {
        let line = |entry: &KernelEntry| {
            format!("{} {}", entry.kernel.name, entry.kernel.elements.join(" "))
        };
        let lines: Vec<String> = ENTRIES.iter().map(line).collect();
        CString::new(lines.join("\n")).unwrap_or_default()
    });
    LINES.as_ptr()
}

/// The number of calls of a kernel that have given their results: by the eager interface (`entry` 0), by contexts (1). −1 if there
/// is no such kernel or entry.
///
/// # Safety
/// `name` is null or a text that ends with null.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn trident_paddle_calls(name: *const c_char, entry: c_int) -> i64 {
    let entry = match entry {
        0 => Entry::Eager,
        1 => Entry::Context,
        _ => return -1,
    };
    if name.is_null() {
        return -1;
    }
    // SAFETY: the caller promises a text.
    let name = unsafe { CStr::from_ptr(name) }.to_bytes();
    let found = ENTRIES.iter().filter(|entry| entry.kernel.name.as_bytes() == name);
    let calls = found.map(|found| found.kernel.calls(entry));
    calls.reduce(|a, b| a + b).map_or(-1, |calls| i64::try_from(calls).unwrap_or(i64::MAX))
}

/// The reason why there are no devices; empty if there are, or if Paddle has not asked for them.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn trident_paddle_reason() -> *const c_char {
    REASON.get().map_or(c"".as_ptr(), |reason| reason.as_ptr())
}

/// The hardware of each device, one on each line.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn trident_paddle_devices() -> *const c_char {
    static NAMES: OnceLock<CString> = OnceLock::new();
    if device_count() == 0 {
        return c"".as_ptr();
    }
    let names = || {
        let devices = (0..device_count()).filter_map(device);
        let names = devices.map(|device| device.description().replace('\n', " "));
        CString::new(names.collect::<Vec<_>>().join("\n")).unwrap_or_default()
    };
    NAMES.get_or_init(names).as_ptr()
}

/// Bytes of a device: all its memory (`which` 0), the part that Paddle has not taken (1). −1 if there is no such device or number.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn trident_paddle_memory(number: usize, which: c_int) -> i64 {
    let memory = device(number).map(PaddleDevice::memory);
    let bytes = memory.and_then(|memory| match which {
        0 => Some(memory.total),
        1 => Some(memory.free),
        _ => None,
    });
    bytes.and_then(|bytes| i64::try_from(bytes).ok()).unwrap_or(-1)
}

/// Drops all compiled functions that no call is using, and returns unused memory of the devices to the system. Returns the number
/// of the functions.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn trident_paddle_empty_cache() -> usize {
    let dropped = forget();
    (0..device_count()).filter_map(device).for_each(|device| device.give_back());
    dropped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_counted_by_name() {
        // SAFETY: the texts end with null.
        let calls = |name: &CStr, entry| unsafe { trident_paddle_calls(name.as_ptr(), entry) };
        assert_eq!((calls(c"add", 0), calls(c"add", 2), calls(c"no_kernel", 0)), (0, -1, -1));
        // SAFETY: the names end with null.
        let names = unsafe { CStr::from_ptr(trident_paddle_kernels()) }.to_str().unwrap();
        assert!(names.lines().any(|name| name == "add") && names.lines().count() > 100);
        // SAFETY: likewise.
        let lines = unsafe { CStr::from_ptr(trident_paddle_elements()) }.to_str().unwrap();
        assert!(lines.lines().any(|line| line == "sin f16 bf16 f32 f64"), "{lines}");
    }

    #[test]
    fn devices_have_names_and_memory() {
        crate::device::open_devices().unwrap();
        // SAFETY: the names end with null.
        let names = unsafe { CStr::from_ptr(trident_paddle_devices()) }.to_str().unwrap();
        assert_eq!(names.lines().filter(|name| !name.is_empty()).count(), device_count());
        let (total, free) = (trident_paddle_memory(0, 0), trident_paddle_memory(0, 1));
        assert!(0 < free && free <= total, "{free} of {total}");
        assert_eq!((trident_paddle_memory(0, 2), trident_paddle_memory(99, 0)), (-1, -1));
        trident_paddle_empty_cache();
        assert!(trident_paddle_memory(0, 1) >= free);
    }
}
