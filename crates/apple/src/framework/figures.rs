//! The figures of a GPU.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

use objc2::runtime::ProtocolObject;
use objc2_metal::{MTLDevice, MTLGPUFamily};

use super::DEVICE;
use crate::metal::{Family, Limits, MetalError};

/// Bytes of a page on Apple silicon.
const PAGE: usize = 16 << 10;

/// Cores of a GPU that does not tell: those of the smallest M1.
const FEWEST_CORES: u32 = 7;

/// The limits of a device, as the framework and the system know them.
pub(super) fn of(device: &ProtocolObject<dyn MTLDevice>) -> Result<Limits, MetalError> {
    let name = device.name().to_string();
    let families = [
        (MTLGPUFamily::Apple10, Family::Apple10),
        (MTLGPUFamily::Apple9, Family::Apple9),
        (MTLGPUFamily::Apple8, Family::Apple8),
        (MTLGPUFamily::Apple7, Family::Apple7),
    ];
    let family = families.into_iter().find(|(theirs, _)| device.supportsFamily(*theirs));
    let Some((_, family)) = family else {
        return Err(MetalError::Unavailable {
            device: DEVICE,
            reason: format!("`{name}` is not a GPU of Apple silicon"),
            hint: "run on a Mac with an M1 or later".to_owned(),
        });
    };
    let fit = |figure: usize| u32::try_from(figure).unwrap_or(u32::MAX);
    Ok(Limits {
        name,
        family,
        cores: cores().unwrap_or(FEWEST_CORES),
        max_threads_per_threadgroup: fit(device.maxThreadsPerThreadgroup().width),
        max_threadgroup_bytes: fit(device.maxThreadgroupMemoryLength()),
        max_buffer_bytes: device.maxBufferLength(),
        simd_width: 32,
        page_bytes: PAGE,
    })
}

// The C interface of the system's registry of devices, as far as it is used.
#[cfg_attr(target_os = "macos", link(name = "IOKit", kind = "framework"))]
#[cfg_attr(target_os = "macos", link(name = "CoreFoundation", kind = "framework"))]
unsafe extern "C" {
    fn IOServiceMatching(class: *const c_char) -> *mut c_void;
    fn IOServiceGetMatchingService(port: u32, matching: *mut c_void) -> u32;
    fn IORegistryEntryCreateCFProperty(
        entry: u32,
        key: *const c_void,
        allocator: *const c_void,
        options: u32,
    ) -> *const c_void;
    fn IOObjectRelease(object: u32) -> c_int;
    fn CFStringCreateWithCString(
        allocator: *const c_void,
        text: *const c_char,
        encoding: u32,
    ) -> *const c_void;
    fn CFGetTypeID(object: *const c_void) -> usize;
    fn CFNumberGetTypeID() -> usize;
    fn CFNumberGetValue(number: *const c_void, kind: isize, value: *mut c_void) -> u8;
    fn CFRelease(object: *const c_void);
}

/// `kCFStringEncodingUTF8`
const UTF8: u32 = 0x0800_0100;

/// `kCFNumberSInt32Type`
const SINT32: isize = 3;

/// The number of cores that the GPU's driver tells. The framework does not have it.
fn cores() -> Option<u32> {
    const CLASS: &CStr = c"AGXAccelerator";
    const KEY: &CStr = c"gpu-core-count";
    // SAFETY: the functions are called as Apple documents them. `matching` is consumed by the search, and what the others
    // create is released once, if it is there.
    unsafe {
        let matching = IOServiceMatching(CLASS.as_ptr());
        if matching.is_null() {
            return None;
        }
        let service = IOServiceGetMatchingService(0, matching);
        if service == 0 {
            return None;
        }
        let key = CFStringCreateWithCString(ptr::null(), KEY.as_ptr(), UTF8);
        let mut property = ptr::null();
        if !key.is_null() {
            property = IORegistryEntryCreateCFProperty(service, key, ptr::null(), 0);
            CFRelease(key);
        }
        IOObjectRelease(service);
        if property.is_null() {
            return None;
        }
        let mut count = 0i32;
        let read = CFGetTypeID(property) == CFNumberGetTypeID()
            && CFNumberGetValue(property, SINT32, (&raw mut count).cast()) != 0;
        CFRelease(property);
        u32::try_from(count).ok().filter(|count| read && *count > 0)
    }
}
