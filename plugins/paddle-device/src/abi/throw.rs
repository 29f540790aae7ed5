//! Paddle's own exceptions.

use std::any::Any;
use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::abort;

use super::Ptr;
use super::library::{api, objects};
use crate::failure::Failure;

/// `common::ErrorSummary`: a code, and a `std::string` of libstdc++. The exception's constructor copies the text.
#[repr(C)]
struct Summary {
    code: c_int,
    text: *const u8,
    len: usize,
    /// Texts that are stored in place; not used.
    local: [u8; 16],
}

/// Bytes of the exception's object: those of Paddle 3.3.1 are 88.
const EXCEPTION: usize = 256;

/// Throws Paddle's exception.
///
/// # Safety
/// The frames up to Paddle's have nothing left to drop, and may be unwound (`C-unwind`).
pub(super) unsafe fn throw(failure: Failure) -> ! {
    let (Some(api), Some(objects)) = (api(), objects()) else {
        // Only kernels throw, and they are registered when both are loaded.
        eprintln!("trident: {}", failure.text);
        abort()
    };
    let Failure { code, text } = failure;
    // SAFETY: the constructor gets memory that is large enough, and a summary with the layout that it expects; it copies the text.
    let object = unsafe {
        let object = (api.allocate_exception)(EXCEPTION);
        let mut summary =
            Summary { code: code as c_int, text: text.as_ptr(), len: text.len(), local: [0; 16] };
        let summary: *mut Summary = &mut summary;
        (api.make_exception)(object, summary.cast(), c"trident".as_ptr(), 0);
        object
    };
    drop(text);
    let info = std::ptr::with_exposed_provenance_mut::<u8>(objects.exception_type) as Ptr;
    let drop = std::ptr::with_exposed_provenance_mut::<u8>(objects.drop_exception) as Ptr;
    // SAFETY: the object is of this type, and the caller promises that frames can be unwound.
    unsafe { (api.throw_exception)(object, info, drop) }
}

/// Runs code that calls nothing of Paddle. A panic becomes a failure.
pub(super) fn guarded<R>(run: impl FnOnce() -> Result<R, Failure>) -> Result<R, Failure> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|payload| Err(panicked(&*payload)))
}

fn panicked(payload: &(dyn Any + Send)) -> Failure {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
    Failure::fatal(format!("internal error: {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Code;

    #[test]
    fn panics_become_failures() {
        let failure = guarded::<()>(|| panic!("no {}", 7)).unwrap_err();
        assert_eq!((failure.code, &*failure.text), (Code::Fatal, "internal error: no 7"));
        assert_eq!(guarded(|| Ok(5)).unwrap(), 5);
    }
}
