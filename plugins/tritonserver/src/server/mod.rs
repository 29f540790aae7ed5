//! Safe wrappers of the server's objects and functions in [`api`].
//!
//! Handles are pointers that the server gives to an entry point; making one is `unsafe` and promises that the server
//! keeps the object for as long as the handle is used. Objects that are valid only during a call borrow from a handle.

#![allow(unsafe_code)] // the server's interface is C

pub(crate) mod api;
mod backend;
mod error;
mod instance;
mod kept;
pub(crate) mod log;
mod message;
mod metrics;
mod model;
mod request;
mod response;

pub(crate) use backend::{Attributes, Backend, api_version};
pub(crate) use error::{Code, Error, Result};
pub(crate) use instance::{Instance, Times};
pub(crate) use metrics::{Family, Kind, Metric};
pub(crate) use model::Model;
pub(crate) use request::Request;
pub(crate) use response::Response;

/// Nanoseconds of the monotonic clock, which the server's statistics use. Never 0.
pub(crate) fn now() -> u64 {
    let mut time = Timespec { seconds: 0, nanoseconds: 0 };
    // SAFETY: `time` is where a time is written.
    unsafe { clock_gettime(CLOCK_MONOTONIC, &mut time) };
    let (seconds, nanoseconds) = (time.seconds.unsigned_abs(), time.nanoseconds.unsigned_abs());
    (seconds * 1_000_000_000 + nanoseconds).max(1)
}

/// `struct timespec` of 64-bit systems.
#[repr(C)]
struct Timespec {
    seconds: i64,
    nanoseconds: i64,
}

#[cfg(target_os = "macos")]
const CLOCK_MONOTONIC: i32 = 6;
#[cfg(not(target_os = "macos"))]
const CLOCK_MONOTONIC: i32 = 1;

unsafe extern "C" {
    fn clock_gettime(clock: i32, time: *mut Timespec) -> i32;
}
