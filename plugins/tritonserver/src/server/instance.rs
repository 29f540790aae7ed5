//! An instance of a model: what executes requests, one call at a time.

use super::api;
use super::error::{Result, check, text};
use super::model::Model;
use super::request::Request;
use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr::{null, null_mut};

/// An instance whose state, once set, is an `S`.
pub(crate) struct Instance<S> {
    instance: *mut api::Instance,
    state: PhantomData<S>,
}

/// When an execution began and ended, and in it the computation, by [`super::now`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    pub(crate) start: u64,
    pub(crate) compute_start: u64,
    pub(crate) compute_end: u64,
    pub(crate) end: u64,
}

impl<S> Instance<S> {
    /// # Safety
    /// The server keeps the instance while this is used, and its state is an `S` that this type has set, or none.
    pub(crate) unsafe fn from_raw(instance: *mut api::Instance) -> Instance<S> {
        Instance { instance, state: PhantomData }
    }

    pub(crate) fn name(&self) -> Result<String> {
        let mut name = null();
        // SAFETY: the name lives as long as the instance.
        unsafe {
            check(api::TRITONBACKEND_ModelInstanceName(self.instance, &mut name))?;
            Ok(text(name))
        }
    }

    /// Its model, whose state is an `M`.
    ///
    /// # Safety
    /// As of [`Model::from_raw`].
    pub(crate) unsafe fn model<M>(&self) -> Result<Model<M>> {
        let mut model = null_mut();
        // SAFETY: a model outlives its instances; the state is as the caller says.
        unsafe {
            check(api::TRITONBACKEND_ModelInstanceModel(self.instance, &mut model))?;
            Ok(Model::from_raw(model))
        }
    }

    /// Counts an answered request.
    pub(crate) fn report(&self, request: &Request, success: bool, times: Times) -> Result<()> {
        let Times { start, compute_start, compute_end, end } = times;
        // SAFETY: the request is not released yet.
        unsafe {
            check(api::TRITONBACKEND_ModelInstanceReportStatistics(
                self.instance,
                request.as_ptr(),
                success,
                start,
                compute_start,
                compute_end,
                end,
            ))
        }
    }

    /// Counts an execution of so many rows.
    pub(crate) fn report_batch(&self, rows: u64, times: Times) -> Result<()> {
        let Times { start, compute_start, compute_end, end } = times;
        // SAFETY: it is an instance.
        unsafe {
            check(api::TRITONBACKEND_ModelInstanceReportBatchStatistics(
                self.instance,
                rows,
                start,
                compute_start,
                compute_end,
                end,
            ))
        }
    }

    /// The state, if it is set.
    pub(crate) fn state(&self) -> Result<Option<&S>> {
        // SAFETY: the state is an `S` until it is taken, for which nobody may use the instance.
        Ok(unsafe { self.raw_state()?.cast::<S>().as_ref() })
    }

    pub(crate) fn set_state(&self, state: Box<S>) -> Result<()> {
        let state: *mut c_void = Box::into_raw(state).cast();
        // SAFETY: it is this type's state.
        unsafe { check(api::TRITONBACKEND_ModelInstanceSetState(self.instance, state)) }
    }

    /// Takes the state away.
    ///
    /// # Safety
    /// Nobody uses it.
    pub(crate) unsafe fn take_state(&self) -> Result<Option<Box<S>>> {
        let state = self.raw_state()?;
        // SAFETY: it was made from a box, and no pointer to it remains.
        unsafe {
            check(api::TRITONBACKEND_ModelInstanceSetState(self.instance, null_mut()))?;
            Ok((!state.is_null()).then(|| Box::from_raw(state.cast::<S>())))
        }
    }

    fn raw_state(&self) -> Result<*mut c_void> {
        let mut state = null_mut();
        // SAFETY: it is written.
        unsafe { check(api::TRITONBACKEND_ModelInstanceState(self.instance, &mut state))? };
        Ok(state)
    }
}
