//! Responses, and what requests leave for the next ones of their sequence.

use super::api::{self, Status};
use super::error::{Error, RawError, Result, check};
use super::request::{Request, on_host};
use std::ffi::{CStr, c_void};
use std::marker::PhantomData;
use std::ptr::null_mut;

/// A response that is not sent yet; if it never is, it is deleted.
pub(crate) struct Response(*mut api::Response);

impl Response {
    pub(crate) fn new(request: &Request) -> Result<Response> {
        let mut response = null_mut();
        // SAFETY: the request is not released yet.
        unsafe { check(api::TRITONBACKEND_ResponseNew(&mut response, request.as_ptr()))? };
        Ok(Response(response))
    }

    /// Adds an output, whose elements are then to be written.
    pub(crate) fn output(
        &mut self,
        name: &CStr,
        datatype: u32,
        shape: &[i64],
    ) -> Result<Output<'_>> {
        let mut output = null_mut();
        // SAFETY: name and shape are copied.
        unsafe {
            check(api::TRITONBACKEND_ResponseOutput(
                self.0,
                &mut output,
                name.as_ptr(),
                datatype,
                shape.as_ptr(),
                rank(shape)?,
            ))?;
        }
        Ok(Output { output, response: PhantomData })
    }

    /// Sends it: what has been added to it, or an error.
    pub(super) fn send(self, error: Option<&Error>) -> Result<()> {
        let error = error.map(Error::to_raw);
        let raw = error.as_ref().map_or(null_mut(), RawError::as_ptr);
        let response = self.0;
        std::mem::forget(self);
        // SAFETY: the server takes the response, also if this fails; the error stays here.
        unsafe { check(api::TRITONBACKEND_ResponseSend(response, api::COMPLETE_FINAL, raw)) }
    }
}

impl Drop for Response {
    fn drop(&mut self) {
        // SAFETY: it has not been sent.
        let _ = unsafe { check(api::TRITONBACKEND_ResponseDelete(self.0)) };
    }
}

/// An output of a response.
pub(crate) struct Output<'a> {
    output: *mut api::Output,
    response: PhantomData<&'a mut Response>,
}

impl Output<'_> {
    /// Writes the elements.
    pub(crate) fn write(self, elements: &[u8]) -> Result<()> {
        // SAFETY: the server makes a buffer of as many bytes as it is asked for.
        unsafe {
            fill(elements, |buffer, bytes, memory, id| {
                api::TRITONBACKEND_OutputBuffer(self.output, buffer, bytes, memory, id)
            })
        }
    }
}

/// A value that the next request of the same sequence receives as an input.
pub(crate) struct State<'a> {
    state: *mut api::State,
    request: PhantomData<&'a Request>,
}

impl<'a> State<'a> {
    pub(super) fn new(
        request: &'a Request,
        name: &CStr,
        datatype: u32,
        shape: &[i64],
    ) -> Result<State<'a>> {
        let mut state = null_mut();
        // SAFETY: name and shape are copied; the request keeps the state.
        unsafe {
            check(api::TRITONBACKEND_StateNew(
                &mut state,
                request.as_ptr(),
                name.as_ptr(),
                datatype,
                shape.as_ptr(),
                rank(shape)?,
            ))?;
        }
        Ok(State { state, request: PhantomData })
    }

    /// Writes the elements, and makes them the sequence's.
    pub(crate) fn write(self, elements: &[u8]) -> Result<()> {
        // SAFETY: the server makes a buffer of as many bytes as it is asked for, and the request, which is borrowed, keeps the
        // state.
        unsafe {
            fill(elements, |buffer, bytes, memory, id| {
                api::TRITONBACKEND_StateBuffer(self.state, buffer, bytes, memory, id)
            })?;
            check(api::TRITONBACKEND_StateUpdate(self.state))
        }
    }
}

/// Copies elements into a buffer that `make` has the server make.
///
/// # Safety
/// `make` writes where a buffer of this many bytes is, or null, and in which memory.
unsafe fn fill(
    elements: &[u8],
    make: impl FnOnce(*mut *mut c_void, u64, *mut u32, *mut i64) -> Status,
) -> Result<()> {
    let mut buffer = null_mut();
    let (mut memory, mut memory_id) = (api::MEMORY_CPU, 0);
    let made = make(&mut buffer, elements.len() as u64, &mut memory, &mut memory_id);
    // SAFETY: it is what a function of the server returned.
    unsafe { check(made)? };
    on_host(memory)?;
    match buffer.is_null() {
        true if elements.is_empty() => {}
        true => return Err(Error::internal("the server has no memory for an output")),
        // SAFETY: the server has just made the buffer, so it is not part of the elements.
        false => unsafe {
            std::ptr::copy_nonoverlapping(elements.as_ptr(), buffer.cast::<u8>(), elements.len());
        },
    }
    Ok(())
}

fn rank(shape: &[i64]) -> Result<u32> {
    u32::try_from(shape.len()).map_err(|_| Error::internal("a tensor has too many dimensions"))
}
