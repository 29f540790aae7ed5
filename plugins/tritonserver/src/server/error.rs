//! Errors, in both directions.

use super::api::{self, Status};
use std::ffi::{CStr, CString, c_char};
use std::fmt;
use std::ptr::NonNull;

/// The kind of an error; it decides the status that clients see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[allow(dead_code)] // the whole table
pub(crate) enum Code {
    Unknown = 0,
    Internal = 1,
    NotFound = 2,
    InvalidArg = 3,
    Unavailable = 4,
    Unsupported = 5,
    AlreadyExists = 6,
    Cancelled = 7,
}

/// An error for the server, or from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Error {
    pub(crate) code: Code,
    pub(crate) text: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Error {}

pub(crate) type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn new(code: Code, text: impl Into<String>) -> Error {
        Error { code, text: text.into() }
    }

    pub(crate) fn internal(text: impl Into<String>) -> Error {
        Error::new(Code::Internal, text)
    }

    pub(crate) fn invalid(text: impl Into<String>) -> Error {
        Error::new(Code::InvalidArg, text)
    }

    pub(crate) fn unsupported(text: impl Into<String>) -> Error {
        Error::new(Code::Unsupported, text)
    }

    /// The server's form.
    pub(crate) fn to_raw(&self) -> RawError {
        let text = c_string(&self.text);
        // SAFETY: the text ends with a zero and is copied.
        RawError(NonNull::new(unsafe {
            api::TRITONSERVER_ErrorNew(self.code as u32, text.as_ptr())
        }))
    }
}

/// An error in the server's form, which is deleted with this.
pub(crate) struct RawError(Option<NonNull<api::Error>>);

impl RawError {
    pub(crate) fn as_ptr(&self) -> *mut api::Error {
        self.0.map_or(std::ptr::null_mut(), NonNull::as_ptr)
    }

    /// Leaves it to the server.
    pub(crate) fn into_status(mut self) -> Status {
        self.0.take().map_or(std::ptr::null_mut(), NonNull::as_ptr)
    }
}

impl Drop for RawError {
    fn drop(&mut self) {
        if let Some(error) = self.0 {
            // SAFETY: it is an error that nobody else has.
            unsafe { api::TRITONSERVER_ErrorDelete(error.as_ptr()) };
        }
    }
}

/// The result of a call.
///
/// # Safety
/// `status` comes from a function of the API just called.
pub(crate) unsafe fn check(status: Status) -> Result<()> {
    let Some(error) = NonNull::new(status) else { return Ok(()) };
    let error = RawError(Some(error));
    // SAFETY: it is an error until it is dropped; its text lives as long.
    let (code, text) = unsafe {
        let text = text(api::TRITONSERVER_ErrorMessage(error.as_ptr()));
        (api::TRITONSERVER_ErrorCode(error.as_ptr()), text)
    };
    let codes = [
        Code::Unknown,
        Code::Internal,
        Code::NotFound,
        Code::InvalidArg,
        Code::Unavailable,
        Code::Unsupported,
        Code::AlreadyExists,
        Code::Cancelled,
    ];
    let code = codes.into_iter().find(|known| *known as u32 == code).unwrap_or(Code::Unknown);
    Err(Error { code, text })
}

/// A copy of one of the server's strings; empty for null.
///
/// # Safety
/// `text` is null or ends with a zero.
pub(crate) unsafe fn text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// A string for the server, up to its first zero.
pub(crate) fn c_string(text: &str) -> CString {
    let text = text.split('\0').next().unwrap_or("");
    CString::new(text).unwrap_or_default()
}
