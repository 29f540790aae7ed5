//! Calls that Paddle's CPU runs in place of the device, where `TRIDENT_PADDLE_FALLBACK=1` allows it.
//!
//! Paddle reports them only in its log: a line of level 3 of the file `kernel_factory`. A sink of its logging library, glog 0.4,
//! counts these lines. The library prints a line before sinks get it, so it is told to print warnings and errors only, and the sink
//! prints the other lines.

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int};
use std::slice::from_raw_parts;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Ptr;
use super::library::symbol;

/// The libraries that have a copy of the logging library, each with flags and levels of its own.
const LIBRARIES: [&CStr; 2] = [c"libphi_core.so", c"libpaddle.so"];

/// The severity of a warning.
const WARNING: c_int = 1;

/// Calls by kernel and element type, as Paddle names them.
static COUNTS: Mutex<BTreeMap<(String, String), u64>> = Mutex::new(BTreeMap::new());

/// The least severity that the user wants to see.
static SHOWN: AtomicI32 = AtomicI32::new(0);

/// The virtual functions of `google::LogSink`: two destructors, `send` and `WaitTillSent`.
#[repr(C)]
struct Functions {
    destroy: extern "C" fn(Ptr),
    delete: extern "C" fn(Ptr),
    send: unsafe extern "C" fn(
        Ptr,
        c_int,
        *const c_char,
        *const c_char,
        c_int,
        Ptr,
        *const u8,
        usize,
    ),
    wait: extern "C" fn(Ptr),
}

/// An object of the class.
#[repr(C)]
struct Sink(&'static Functions);

extern "C" fn nothing(_: Ptr) {}

/// # Safety
/// As of the class: the file's name ends with null, and the message has `len` bytes.
unsafe extern "C" fn send(
    _: Ptr,
    severity: c_int,
    _: *const c_char,
    file: *const c_char,
    line: c_int,
    _: Ptr,
    message: *const u8,
    len: usize,
) {
    // SAFETY: the caller promises both.
    let (file, message) = unsafe { (CStr::from_ptr(file), from_raw_parts(message, len)) };
    let message = String::from_utf8_lossy(message);
    match missing(&message) {
        Some((kernel, dtype)) => {
            let mut counts = counts();
            let count = counts.entry((kernel.to_owned(), dtype.to_owned())).or_default();
            *count += 1;
            if *count == 1 {
                eprintln!(
                    "trident: {kernel} of {dtype} runs on Paddle's CPU, since the device has no such kernel"
                );
            }
        }
        None if severity < WARNING && severity >= SHOWN.load(Relaxed) => {
            eprintln!("I {}:{line}] {message}", file.to_string_lossy());
        }
        None => {}
    }
}

fn counts() -> MutexGuard<'static, BTreeMap<(String, String), u64>> {
    COUNTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Kernel and element type of a message about a kernel that is missing.
fn missing(message: &str) -> Option<(&str, &str)> {
    let (kernel, rest) = message.strip_prefix("missing mps kernel: ")?.split_once(',')?;
    let (key, _) = rest.split_once("expected_kernel_key:(")?.1.split_once("), fallback")?;
    Some((kernel, key.rsplit(", ").next()?))
}

/// Counts fallbacks from now on.
///
/// # Errors
/// The reason if Paddle has another logging library.
///
/// # Safety
/// No other thread logs meanwhile, as is the case when Paddle loads plug-ins.
pub(super) unsafe fn count() -> Result<(), String> {
    static FUNCTIONS: Functions =
        Functions { destroy: nothing, delete: nothing, send, wait: nothing };
    let of_first = |name| symbol(LIBRARIES[0], name);
    let table = of_first(c"_ZTVN6google7LogSinkE")?.cast::<usize>();
    let pure = symbol(c"libstdc++.so.6", c"__cxa_pure_virtual")?.addr();
    // SAFETY: a class's table begins with two words that are no functions; that of this class has two destructors next.
    if unsafe { *table.add(4) } != pure {
        return Err("another version of glog".to_owned());
    }
    for library in LIBRARIES {
        let flag = |name| symbol(library, name).map(|flag| flag.cast::<c_int>());
        let quiet = symbol(library, c"_ZN3fLB17FLAGS_logtostderrE").map(|flag| flag.cast::<bool>());
        let least = flag(c"_ZN3fLI17FLAGS_minloglevelE");
        let threshold = flag(c"_ZN3fLI21FLAGS_stderrthresholdE");
        let (Ok(quiet), Ok(least), Ok(threshold)) = (quiet, least, threshold) else { continue };
        let level = symbol(library, c"_ZN6google12SetVLOGLevelEPKci")?;
        // SAFETY: flags and function have these types in glog, and no thread reads them meanwhile. The text ends with null.
        unsafe {
            let level: unsafe extern "C" fn(*const c_char, c_int) -> c_int =
                std::mem::transmute::<Ptr, _>(level);
            level(c"kernel_factory".as_ptr(), 3);
            SHOWN.fetch_max(*least, Relaxed);
            (*quiet, *threshold, *least) = (false, WARNING.max(*least), 0);
        }
    }
    let destination = of_first(c"_ZN6google17SetLogDestinationEiPKc")?;
    let add = of_first(c"_ZN6google10AddLogSinkEPNS_7LogSinkE")?;
    // SAFETY: these are glog's functions, of these types, and texts end with null. The sink lives forever.
    unsafe {
        let destination: unsafe extern "C" fn(c_int, *const c_char) =
            std::mem::transmute::<Ptr, _>(destination);
        let add: unsafe extern "C" fn(Ptr) = std::mem::transmute::<Ptr, _>(add);
        // Lines go to no files.
        (0..=2).for_each(|severity| destination(severity, c"".as_ptr()));
        add(Box::into_raw(Box::new(Sink(&FUNCTIONS))).cast());
    }
    Ok(())
}

/// Writes lines such as `erfinv float32 2` to a buffer of `len` bytes, as far as they fit. Returns the bytes of all lines.
///
/// # Safety
/// The buffer has this many bytes, or `len` is 0.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn trident_paddle_fallbacks(buffer: *mut u8, len: usize) -> usize {
    let lines = counts();
    let lines = lines.iter().map(|((kernel, dtype), count)| format!("{kernel} {dtype} {count}\n"));
    let text: String = lines.collect();
    let fits = len.min(text.len());
    if fits > 0 && !buffer.is_null() {
        // SAFETY: the caller promises the buffer; the text has these bytes, too.
        unsafe { buffer.copy_from_nonoverlapping(text.as_ptr(), fits) };
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_have_kernel_and_element_type() {
        let message = "missing mps kernel: erfinv, expected_kernel_key:(mps, Undefined(AnyLayout), float32), fallbacking to CPU one!";
        assert_eq!(missing(message), Some(("erfinv", "float32")));
        assert_eq!(missing("missing gpu kernel: erfinv"), None);
    }

    #[test]
    fn counts_are_written_as_lines() {
        let message = "missing mps kernel: foo, expected_kernel_key:(mps, NCHW, int8), fallbacking to CPU one!";
        let mut buffer = [0; 64];
        // SAFETY: the name ends with null, the message and the buffer have these lengths.
        let (all, again) = unsafe {
            for _ in 0..2 {
                let file = c"kernel_factory.cc".as_ptr();
                let none = std::ptr::null_mut();
                send(none, 0, file, file, 1, none, message.as_ptr(), message.len());
            }
            let all = trident_paddle_fallbacks(std::ptr::null_mut(), 0);
            (all, trident_paddle_fallbacks(buffer.as_mut_ptr(), buffer.len()))
        };
        assert_eq!((all, &buffer[..all]), (again, &b"foo int8 2\n"[..]));
    }
}
