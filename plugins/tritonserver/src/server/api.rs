//! The server's interface: the functions of `tritonbackend.h` and `tritonserver.h` that this library calls,
//! all in API 1.0 to 1.19, with their types and constants.
//!
//! Objects are opaque. Functions return null or an error that the caller deletes, unless they say otherwise.

#![allow(non_snake_case, missing_docs)] // the names are the server's

use std::ffi::{c_char, c_void};

macro_rules! opaque {
    ($($name:ident)*) => {$(
        #[repr(C)]
        pub(crate) struct $name {
            _private: [u8; 0],
        }
    )*};
}

opaque! {
    Backend BackendAttribute Model Instance Request Input Response Output State
    Error Message BufferAttributes MetricFamily Metric Parameter
}

/// The oldest minor version of `TRITONBACKEND` that has all functions below: with `RequestIsCancelled`.
pub(crate) const MAJOR: u32 = 1;
pub(crate) const MINOR: u32 = 17;

pub(crate) const MEMORY_CPU: u32 = 0;
pub(crate) const MEMORY_CPU_PINNED: u32 = 1;
pub(crate) const RELEASE_ALL: u32 = 1;
pub(crate) const COMPLETE_FINAL: u32 = 1;
/// Of configurations as JSON.
pub(crate) const CONFIG_VERSION: u32 = 1;
pub(crate) const ARTIFACT_FILESYSTEM: u32 = 0;
pub(crate) const METRIC_COUNTER: u32 = 0;
pub(crate) const METRIC_GAUGE: u32 = 1;
pub(crate) const PARAMETER_STRING: u32 = 0;

pub(crate) type Status = *mut Error;

unsafe extern "C" {
    pub(crate) fn TRITONBACKEND_ApiVersion(major: *mut u32, minor: *mut u32) -> Status;

    pub(crate) fn TRITONBACKEND_BackendName(
        backend: *mut Backend,
        name: *mut *const c_char,
    ) -> Status;
    /// The message stays the server's.
    pub(crate) fn TRITONBACKEND_BackendConfig(
        backend: *mut Backend,
        config: *mut *mut Message,
    ) -> Status;
    pub(crate) fn TRITONBACKEND_BackendState(
        backend: *mut Backend,
        state: *mut *mut c_void,
    ) -> Status;
    pub(crate) fn TRITONBACKEND_BackendSetState(
        backend: *mut Backend,
        state: *mut c_void,
    ) -> Status;
    pub(crate) fn TRITONBACKEND_BackendAttributeSetParallelModelInstanceLoading(
        attributes: *mut BackendAttribute,
        enabled: bool,
    ) -> Status;

    pub(crate) fn TRITONBACKEND_ModelName(model: *mut Model, name: *mut *const c_char) -> Status;
    pub(crate) fn TRITONBACKEND_ModelVersion(model: *mut Model, version: *mut u64) -> Status;
    pub(crate) fn TRITONBACKEND_ModelRepository(
        model: *mut Model,
        kind: *mut u32,
        location: *mut *const c_char,
    ) -> Status;
    /// The caller deletes the message.
    pub(crate) fn TRITONBACKEND_ModelConfig(
        model: *mut Model,
        version: u32,
        config: *mut *mut Message,
    ) -> Status;
    pub(crate) fn TRITONBACKEND_ModelAutoCompleteConfig(
        model: *mut Model,
        complete: *mut bool,
    ) -> Status;
    /// The message stays the caller's.
    pub(crate) fn TRITONBACKEND_ModelSetConfig(
        model: *mut Model,
        version: u32,
        config: *mut Message,
    ) -> Status;
    pub(crate) fn TRITONBACKEND_ModelBackend(
        model: *mut Model,
        backend: *mut *mut Backend,
    ) -> Status;
    pub(crate) fn TRITONBACKEND_ModelState(model: *mut Model, state: *mut *mut c_void) -> Status;
    pub(crate) fn TRITONBACKEND_ModelSetState(model: *mut Model, state: *mut c_void) -> Status;
    /// The attributes stay the caller's.
    pub(crate) fn TRITONBACKEND_ModelReportMemoryUsage(
        model: *mut Model,
        usage: *mut *mut BufferAttributes,
        count: u32,
    ) -> Status;

    pub(crate) fn TRITONBACKEND_ModelInstanceName(
        instance: *mut Instance,
        name: *mut *const c_char,
    ) -> Status;
    pub(crate) fn TRITONBACKEND_ModelInstanceModel(
        instance: *mut Instance,
        model: *mut *mut Model,
    ) -> Status;
    pub(crate) fn TRITONBACKEND_ModelInstanceState(
        instance: *mut Instance,
        state: *mut *mut c_void,
    ) -> Status;
    pub(crate) fn TRITONBACKEND_ModelInstanceSetState(
        instance: *mut Instance,
        state: *mut c_void,
    ) -> Status;
    pub(crate) fn TRITONBACKEND_ModelInstanceReportStatistics(
        instance: *mut Instance,
        request: *mut Request,
        success: bool,
        exec_start_ns: u64,
        compute_start_ns: u64,
        compute_end_ns: u64,
        exec_end_ns: u64,
    ) -> Status;
    pub(crate) fn TRITONBACKEND_ModelInstanceReportBatchStatistics(
        instance: *mut Instance,
        batch: u64,
        exec_start_ns: u64,
        compute_start_ns: u64,
        compute_end_ns: u64,
        exec_end_ns: u64,
    ) -> Status;

    pub(crate) fn TRITONBACKEND_RequestIsCancelled(
        request: *mut Request,
        cancelled: *mut bool,
    ) -> Status;
    pub(crate) fn TRITONBACKEND_RequestInputCount(request: *mut Request, count: *mut u32)
    -> Status;
    pub(crate) fn TRITONBACKEND_RequestInputByIndex(
        request: *mut Request,
        index: u32,
        input: *mut *mut Input,
    ) -> Status;
    pub(crate) fn TRITONBACKEND_RequestOutputCount(
        request: *mut Request,
        count: *mut u32,
    ) -> Status;
    pub(crate) fn TRITONBACKEND_RequestOutputName(
        request: *mut Request,
        index: u32,
        name: *mut *const c_char,
    ) -> Status;
    pub(crate) fn TRITONBACKEND_RequestRelease(request: *mut Request, flags: u32) -> Status;

    pub(crate) fn TRITONBACKEND_InputProperties(
        input: *mut Input,
        name: *mut *const c_char,
        datatype: *mut u32,
        shape: *mut *const i64,
        dims: *mut u32,
        byte_size: *mut u64,
        buffers: *mut u32,
    ) -> Status;
    pub(crate) fn TRITONBACKEND_InputBuffer(
        input: *mut Input,
        index: u32,
        buffer: *mut *const c_void,
        byte_size: *mut u64,
        memory: *mut u32,
        memory_id: *mut i64,
    ) -> Status;

    pub(crate) fn TRITONBACKEND_ResponseNew(
        response: *mut *mut Response,
        request: *mut Request,
    ) -> Status;
    pub(crate) fn TRITONBACKEND_ResponseDelete(response: *mut Response) -> Status;
    pub(crate) fn TRITONBACKEND_ResponseOutput(
        response: *mut Response,
        output: *mut *mut Output,
        name: *const c_char,
        datatype: u32,
        shape: *const i64,
        dims: u32,
    ) -> Status;
    pub(crate) fn TRITONBACKEND_OutputBuffer(
        output: *mut Output,
        buffer: *mut *mut c_void,
        byte_size: u64,
        memory: *mut u32,
        memory_id: *mut i64,
    ) -> Status;
    /// Takes the response, also if it fails, but not the error.
    pub(crate) fn TRITONBACKEND_ResponseSend(
        response: *mut Response,
        flags: u32,
        error: *mut Error,
    ) -> Status;

    pub(crate) fn TRITONBACKEND_StateNew(
        state: *mut *mut State,
        request: *mut Request,
        name: *const c_char,
        datatype: u32,
        shape: *const i64,
        dims: u32,
    ) -> Status;
    pub(crate) fn TRITONBACKEND_StateBuffer(
        state: *mut State,
        buffer: *mut *mut c_void,
        byte_size: u64,
        memory: *mut u32,
        memory_id: *mut i64,
    ) -> Status;
    pub(crate) fn TRITONBACKEND_StateUpdate(state: *mut State) -> Status;

    pub(crate) fn TRITONSERVER_ErrorNew(code: u32, text: *const c_char) -> *mut Error;
    pub(crate) fn TRITONSERVER_ErrorDelete(error: *mut Error);
    pub(crate) fn TRITONSERVER_ErrorCode(error: *mut Error) -> u32;
    pub(crate) fn TRITONSERVER_ErrorMessage(error: *mut Error) -> *const c_char;

    pub(crate) fn TRITONSERVER_MessageNewFromSerializedJson(
        message: *mut *mut Message,
        base: *const c_char,
        size: usize,
    ) -> Status;
    /// The text belongs to the message and need not end with a zero.
    pub(crate) fn TRITONSERVER_MessageSerializeToJson(
        message: *mut Message,
        base: *mut *const c_char,
        size: *mut usize,
    ) -> Status;
    pub(crate) fn TRITONSERVER_MessageDelete(message: *mut Message) -> Status;

    pub(crate) fn TRITONSERVER_LogIsEnabled(level: u32) -> bool;
    pub(crate) fn TRITONSERVER_LogMessage(
        level: u32,
        file: *const c_char,
        line: i32,
        text: *const c_char,
    ) -> Status;

    pub(crate) fn TRITONSERVER_BufferAttributesNew(
        attributes: *mut *mut BufferAttributes,
    ) -> Status;
    pub(crate) fn TRITONSERVER_BufferAttributesDelete(attributes: *mut BufferAttributes) -> Status;
    pub(crate) fn TRITONSERVER_BufferAttributesSetMemoryType(
        attributes: *mut BufferAttributes,
        memory: u32,
    ) -> Status;
    pub(crate) fn TRITONSERVER_BufferAttributesSetMemoryTypeId(
        attributes: *mut BufferAttributes,
        memory_id: i64,
    ) -> Status;
    pub(crate) fn TRITONSERVER_BufferAttributesSetByteSize(
        attributes: *mut BufferAttributes,
        byte_size: usize,
    ) -> Status;

    pub(crate) fn TRITONSERVER_ParameterNew(
        name: *const c_char,
        kind: u32,
        value: *const c_void,
    ) -> *mut Parameter;
    pub(crate) fn TRITONSERVER_ParameterDelete(parameter: *mut Parameter);
    pub(crate) fn TRITONSERVER_MetricFamilyNew(
        family: *mut *mut MetricFamily,
        kind: u32,
        name: *const c_char,
        description: *const c_char,
    ) -> Status;
    pub(crate) fn TRITONSERVER_MetricFamilyDelete(family: *mut MetricFamily) -> Status;
    pub(crate) fn TRITONSERVER_MetricNew(
        metric: *mut *mut Metric,
        family: *mut MetricFamily,
        labels: *mut *const Parameter,
        count: u64,
    ) -> Status;
    pub(crate) fn TRITONSERVER_MetricDelete(metric: *mut Metric) -> Status;
    pub(crate) fn TRITONSERVER_MetricIncrement(metric: *mut Metric, value: f64) -> Status;
    pub(crate) fn TRITONSERVER_MetricSet(metric: *mut Metric, value: f64) -> Status;
}
