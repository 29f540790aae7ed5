//! Requests that the server has handed over.

use super::api;
use super::error::{Code, Error, Result, check};
use super::instance::{Instance, Times};
use super::response::{Response, State};
use std::cell::OnceCell;
use std::ffi::{CStr, c_char};
use std::ptr::{null, null_mut};
use std::sync::{Arc, Mutex, PoisonError};
use trident_serving::{CancelFlag, ForeignBytes};

/// A request that belongs to the backend. It is released when this is dropped, with an error if it is still unanswered.
pub(crate) struct Request {
    request: *mut api::Request,
    progress: Progress,
    /// The request for those who ask whether it is cancelled, who may outlive it.
    watched: OnceCell<Arc<Mutex<Watched>>>,
}

/// The progress of a request.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    Unanswered,
    Failed,
    Succeeded,
    /// It is answered and counted.
    Counted,
}

/// A request until it is released.
struct Watched(Option<*mut api::Request>);

// SAFETY: any thread may ask whether a request is cancelled, at any time until its release.
unsafe impl Send for Watched {}

impl Request {
    /// # Safety
    /// The request was given to the backend, which reports to the server that it has taken it.
    pub(crate) unsafe fn take(request: *mut api::Request) -> Request {
        Request { request, progress: Progress::Unanswered, watched: OnceCell::new() }
    }

    pub(crate) fn as_ptr(&self) -> *mut api::Request {
        self.request
    }

    /// Whether the client no longer waits.
    pub(crate) fn is_cancelled(&self) -> bool {
        // SAFETY: it is not released yet.
        unsafe { is_cancelled(self.request) }
    }

    /// A flag that is set when the client no longer waits.
    pub(crate) fn cancel_flag(&self) -> CancelFlag {
        let watched = || Arc::new(Mutex::new(Watched(Some(self.request))));
        let watched = Arc::clone(self.watched.get_or_init(watched));
        CancelFlag::when(move || {
            let watched = watched.lock().unwrap_or_else(PoisonError::into_inner);
            // SAFETY: who releases the request takes it away before, and waits for the lock.
            watched.0.is_some_and(|request| unsafe { is_cancelled(request) })
        })
    }

    /// Whether an answer was sent.
    pub(crate) fn is_answered(&self) -> bool {
        self.progress != Progress::Unanswered
    }

    /// The inputs, with those that the server's scheduler adds.
    pub(crate) fn inputs(&self) -> Result<impl Iterator<Item = Result<Input<'_>>>> {
        let mut count = 0;
        // SAFETY: it is written.
        unsafe { check(api::TRITONBACKEND_RequestInputCount(self.request, &mut count))? };
        Ok((0..count).map(|index| self.input(index)))
    }

    fn input(&self, index: u32) -> Result<Input<'_>> {
        let mut input = null_mut();
        let (mut name, mut shape) = (null::<c_char>(), null());
        let (mut datatype, mut dims, mut buffers) = (0, 0, 0);
        // SAFETY: name and shape live as long as the request, which the result borrows.
        unsafe {
            check(api::TRITONBACKEND_RequestInputByIndex(self.request, index, &mut input))?;
            check(api::TRITONBACKEND_InputProperties(
                input,
                &mut name,
                &mut datatype,
                &mut shape,
                &mut dims,
                null_mut(),
                &mut buffers,
            ))?;
            let name = CStr::from_ptr(name);
            let shape = match dims {
                0 => &[][..],
                dims => std::slice::from_raw_parts(shape, dims as usize),
            };
            Ok(Input { input, name, datatype, shape, buffers, request: self })
        }
    }

    /// The names of the outputs that are asked for.
    pub(crate) fn outputs(&self) -> Result<impl Iterator<Item = Result<&CStr>>> {
        let mut count = 0;
        // SAFETY: it is written.
        unsafe { check(api::TRITONBACKEND_RequestOutputCount(self.request, &mut count))? };
        Ok((0..count).map(|index| {
            let mut name = null();
            // SAFETY: the name lives as long as the request.
            unsafe {
                check(api::TRITONBACKEND_RequestOutputName(self.request, index, &mut name))?;
                Ok(CStr::from_ptr(name))
            }
        }))
    }

    /// A value of the request's sequence for its next request.
    pub(crate) fn state(&self, name: &CStr, datatype: u32, shape: &[i64]) -> Result<State<'_>> {
        State::new(self, name, datatype, shape)
    }

    /// Answers with results. A response that cannot be sent is an answer all the same, which has failed.
    pub(crate) fn answer(&mut self, response: Response) -> Result<()> {
        self.progress = Progress::Failed;
        response.send(None)?;
        self.progress = Progress::Succeeded;
        Ok(())
    }

    /// Counts the request, if it is answered and not yet counted.
    pub(crate) fn count<S>(&mut self, instance: &Instance<S>, times: Times) -> Result<()> {
        let success = match self.progress {
            Progress::Unanswered | Progress::Counted => return Ok(()),
            Progress::Failed => false,
            Progress::Succeeded => true,
        };
        self.progress = Progress::Counted;
        instance.report(self, success, times)
    }

    /// Answers with an error.
    pub(crate) fn fail(&mut self, error: &Error) {
        // If this fails too, the failure cannot be reported.
        self.progress = Progress::Failed;
        if let Ok(response) = Response::new(self) {
            let _ = response.send(Some(error));
        }
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        if !self.is_answered() {
            self.fail(&Error::new(Code::Internal, "the backend has left the request unanswered"));
        }
        if let Some(watched) = self.watched.get() {
            watched.lock().unwrap_or_else(PoisonError::into_inner).0 = None;
        }
        // SAFETY: nobody uses the request after this.
        let _ = unsafe { check(api::TRITONBACKEND_RequestRelease(self.request, api::RELEASE_ALL)) };
    }
}

/// # Safety
/// The request is not released yet.
unsafe fn is_cancelled(request: *mut api::Request) -> bool {
    let mut cancelled = false;
    // SAFETY: the caller's promise; `cancelled` is written.
    let asked = unsafe { check(api::TRITONBACKEND_RequestIsCancelled(request, &mut cancelled)) };
    asked.is_ok() && cancelled
}

/// An input of a request.
pub(crate) struct Input<'a> {
    input: *mut api::Input,
    pub(crate) name: &'a CStr,
    pub(crate) datatype: u32,
    /// Dimensions, with the batch's if the model has one.
    pub(crate) shape: &'a [i64],
    buffers: u32,
    request: &'a Request,
}

impl<'a> Input<'a> {
    /// The elements, which may lie in several places, one after the other.
    pub(crate) fn buffers(&self) -> impl ExactSizeIterator<Item = Result<ForeignBytes<'a>>> {
        let (input, request) = (self.input, self.request);
        (0..self.buffers as usize).map(move |index| buffer(input, index as u32, request))
    }
}

fn buffer(input: *mut api::Input, index: u32, _: &Request) -> Result<ForeignBytes<'_>> {
    let (mut buffer, mut byte_size) = (null(), 0);
    let (mut memory, mut memory_id) = (api::MEMORY_CPU, 0);
    // SAFETY: the input is the request's, which is not released yet; the rest is written.
    unsafe {
        check(api::TRITONBACKEND_InputBuffer(
            input,
            index,
            &mut buffer,
            &mut byte_size,
            &mut memory,
            &mut memory_id,
        ))?;
    }
    on_host(memory)?;
    let byte_size = usize::try_from(byte_size)
        .map_err(|_| Error::invalid("an input is larger than the address space"))?;
    let byte_size = if buffer.is_null() { 0 } else { byte_size };
    // SAFETY: the server keeps the buffer as long as the request. Where it lies in shared memory the client, another process, may
    // write to it. A client that names one region as the input of a request and the output of another one breaks the protocol.
    Ok(unsafe { ForeignBytes::new(buffer.cast::<u8>(), byte_size) })
}

/// Whether a kind of memory can be read and written here.
pub(super) fn on_host(memory: u32) -> Result<()> {
    match memory {
        api::MEMORY_CPU | api::MEMORY_CPU_PINNED => Ok(()),
        _ => Err(Error::unsupported(
            "tensors in the memory of a GPU are not supported; hint: send them in host memory",
        )),
    }
}
