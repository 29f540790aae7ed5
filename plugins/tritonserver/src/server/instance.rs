//! An instance of a model: what executes requests, one call at a time.

use super::api;
use super::error::{Result, check, text};
use super::kept::Kept;
use super::model::Model;
use super::request::Request;
use std::ptr::{null, null_mut};

/// An instance whose state, once set, is an `S`.
pub(crate) type Instance<S> = Kept<api::Instance, S>;

/// When an execution began and ended, and in it the computation, by [`super::now`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    pub(crate) start: u64,
    pub(crate) compute_start: u64,
    pub(crate) compute_end: u64,
    pub(crate) end: u64,
}

impl<S> Instance<S> {
    pub(crate) fn name(&self) -> Result<String> {
        let mut name = null();
        // SAFETY: the name lives as long as the instance.
        unsafe {
            check(api::TRITONBACKEND_ModelInstanceName(self.raw, &mut name))?;
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
            check(api::TRITONBACKEND_ModelInstanceModel(self.raw, &mut model))?;
            Ok(Model::from_raw(model))
        }
    }

    /// Counts an answered request, which happens once: see [`Request::count`].
    pub(super) fn report(&self, request: &Request, success: bool, times: Times) -> Result<()> {
        let Times { start, compute_start, compute_end, end } = times;
        // SAFETY: the request is not released yet.
        unsafe {
            check(api::TRITONBACKEND_ModelInstanceReportStatistics(
                self.raw,
                request.as_ptr(),
                success,
                start,
                compute_start,
                compute_end,
                end,
            ))
        }
    }

    /// Counts an execution of this many rows.
    pub(crate) fn report_batch(&self, rows: u64, times: Times) -> Result<()> {
        let Times { start, compute_start, compute_end, end } = times;
        // SAFETY: it is an instance.
        unsafe {
            check(api::TRITONBACKEND_ModelInstanceReportBatchStatistics(
                self.raw,
                rows,
                start,
                compute_start,
                compute_end,
                end,
            ))
        }
    }
}
