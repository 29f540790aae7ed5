//! `InitPlugin`, which Paddle calls when it has loaded the library.

use std::env;
use std::ffi::{CStr, CString, c_int};
use std::sync::OnceLock;

use super::fallbacks::count;
use super::interface::callbacks;
use super::library::{api, load, objects};
use super::signatures::ENTRIES;
use super::throw::guarded;
use super::{Ptr, entries::KernelEntry};
use crate::device::open_devices;
use crate::element::Element;
use crate::failure::Failure;
use crate::kernel::{Group, Param};

/// The name of the devices.
const NAME: &CStr = c"mps";

/// `CustomRuntimeParams` of Paddle.
#[repr(C)]
pub(crate) struct RuntimeParams {
    size: usize,
    interface: *mut u8,
    version: [usize; 3],
    device_type: *const std::ffi::c_char,
    sub_device_type: *const std::ffi::c_char,
    passes: Ptr,
    reserved: [u8; 32],
}

/// The releases of Paddle by the size of `C_DeviceInterface`, which has another layout in each.
const RELEASES: [(usize, &str); 2] = [(1032, "3.2.2"), (1128, "3.3.1")];

/// Element types that releases do not know: `import paddle` fails if a kernel is registered for one of them.
const UNKNOWN_ELEMENTS: [(&str, &[&str]); 1] = [("3.2.2", &["u16", "u32", "u64"])];

/// The reason why there are no devices, for the Python module.
pub(super) static REASON: OnceLock<CString> = OnceLock::new();

/// Makes the devices `mps` known to Paddle, and their kernels. If that is not possible it says why, and there are no such devices.
///
/// # Safety
/// As of Paddle's interface: `params` and the interface in it have the sizes that they state, and can be written.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C-unwind" fn InitPlugin(params: *mut RuntimeParams) {
    // SAFETY: the caller promises the parameters.
    if let Err(reason) = unsafe { start(params) } {
        eprintln!("trident: the device `mps` is not available: {reason}");
        let _ = REASON.set(CString::new(reason).unwrap_or_default());
    }
}

/// # Safety
/// As for [`InitPlugin`].
unsafe fn start(params: *mut RuntimeParams) -> Result<(), String> {
    if cfg!(not(target_os = "linux")) {
        return Err("Paddle's device plug-ins are supported on Linux only".to_owned());
    }
    // SAFETY: the caller promises the parameters, which begin with their size; that of the interface stands first in it.
    let (params, release) = unsafe {
        let params = params.as_mut().ok_or("Paddle gave no parameters")?;
        if params.size != size_of::<RuntimeParams>() || params.interface.is_null() {
            return Err(format!("its parameters have {} bytes", params.size));
        }
        let size = *params.interface.cast::<usize>();
        let release = RELEASES.iter().find(|(known, _)| *known == size);
        let release = release.ok_or_else(|| {
            let known = RELEASES.map(|(_, release)| release).join(" and ");
            format!(
                "this release of Paddle is not supported: {known} are (interface of {size} bytes)"
            )
        })?;
        (params, release.1)
    };
    load()?;
    let opened = guarded(|| open_devices().map_err(Failure::invalid));
    opened.map_err(|failure| failure.text)?;
    params.version = [0, 1, 1];
    params.device_type = NAME.as_ptr();
    params.sub_device_type = c"trident".as_ptr();
    for (offset, callback) in callbacks() {
        // SAFETY: the interface of each supported release has a callback there, of the type of this one.
        unsafe { *params.interface.add(offset).cast::<*const ()>() = callback };
    }
    let set = |name: &str, value: &str| env::var_os(name).is_some_and(|own| own == value);
    let refuses = !set("TRIDENT_PADDLE_FALLBACK", "1");
    if refuses {
        let flag = objects().ok_or("Paddle is not loaded")?.fallback;
        // SAFETY: the flag is a `bool` of Paddle's, which no other thread reads while plug-ins are loaded.
        unsafe { *std::ptr::with_exposed_provenance_mut::<bool>(flag) = false };
    } else {
        // SAFETY: Paddle loads plug-ins on one thread, and no other one logs meanwhile.
        unsafe { count() }.map_err(|reason| format!("fallbacks cannot be counted: {reason}"))?;
    }
    // For tests: a device without kernels, on which everything must fail.
    if !set("TRIDENT_PADDLE_KERNELS", "0") {
        let entries = ENTRIES.iter().filter(|entry| entry.kernel.versions.contains(&release));
        // SAFETY: the entries are those of this release.
        entries.for_each(|entry| unsafe { register(entry, release, refuses) });
    }
    Ok(())
}

/// Registers a kernel for each of its element types, and maybe refusals for the others. Without them Paddle would say that the kernel is
/// not registered, and run its CPU's kernel in static graphs.
///
/// # Safety
/// The kernel has the signature of the running release of Paddle.
unsafe fn register(entry: &KernelEntry, release: &str, refuses: bool) {
    /// Paddle asks it for changes of the kernel's arguments: there are none.
    extern "C" fn keep_arguments(_: Ptr, _: Ptr) {}
    let Some(api) = api() else { return };
    let kernel = entry.kernel;
    let numbers = |group| -> Vec<c_int> {
        let of_group = kernel.params.iter().filter(|param| param.kind.group() == group);
        of_group.map(|Param { kind, .. }| kind.number()).collect()
    };
    let [inputs, attributes, results] =
        [Group::Input, Group::Attribute, Group::Result].map(numbers);
    // Paddle copies the name.
    let Ok(name) = std::ffi::CString::new(kernel.name) else { return };
    let unknown = UNKNOWN_ELEMENTS.iter().filter(|(of, _)| *of == release);
    let unknown: Vec<Element> =
        unknown.flat_map(|(_, names)| *names).filter_map(|name| Element::named(name)).collect();
    let own: Vec<Element> = kernel.elements().collect();
    let all = Element::all().filter(|element| refuses || own.contains(element));
    for element in all.filter(|element| !unknown.contains(element)) {
        let (eager, context) = match own.contains(&element) {
            true => (entry.eager, entry.context),
            false => entry.refusals,
        };
        // SAFETY: names end with null, lists have their lengths, and both entries take what the lists say.
        unsafe {
            (api.register)(
                name.as_ptr(),
                NAME.as_ptr(),
                element.0,
                0,
                inputs.len(),
                inputs.as_ptr(),
                attributes.len(),
                attributes.as_ptr(),
                results.len(),
                results.as_ptr(),
                keep_arguments,
                context as *const (),
                eager,
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_have_the_layout_of_paddles() {
        assert_eq!(size_of::<RuntimeParams>(), 96);
        assert_eq!(std::mem::offset_of!(RuntimeParams, device_type), 40);
        assert_eq!(std::mem::offset_of!(RuntimeParams, reserved), 64);
    }

    #[test]
    fn a_foreign_release_is_refused() {
        let mut interface = [0usize; 200];
        interface[0] = 920;
        let mut params = RuntimeParams {
            size: 96,
            interface: interface.as_mut_ptr().cast(),
            version: [0; 3],
            device_type: std::ptr::null(),
            sub_device_type: std::ptr::null(),
            passes: std::ptr::null_mut(),
            reserved: [0; 32],
        };
        // SAFETY: the parameters and the interface are those of this test.
        let error = unsafe { start(&mut params) }.unwrap_err();
        assert!(!cfg!(target_os = "linux") || error.contains("920 bytes"), "{error}");
        assert!(interface[1..].iter().all(|slot| *slot == 0) && params.device_type.is_null());
    }
}
