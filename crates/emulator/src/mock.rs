//! The emulator as functions of C, for the mock of Metal in `mock/metal.m`.
//!
//! An object is the address of a box with an `Arc`, which its `…_free` function takes back.
#![allow(unsafe_code)] // speaks C
#![allow(clippy::undocumented_unsafe_blocks)] // the contracts stand in `metal.m`

use crate::library::{HostLibrary, HostPipeline};
use crate::{Check, Emulator, EmulatorOptions};
use std::ffi::{CStr, c_char, c_void};
use std::ptr::{self, NonNull};
use std::slice;
use std::sync::{Arc, OnceLock};
use trident_apple::metal::{
    Batch, CompileOptions, ConstantValue, Dispatch, FunctionConstant, LanguageVersion, Library,
    MathMode, Metal, MetalBuffer, MetalError, Pipeline,
};

/// Room for names and for errors.
const NAME: usize = 64;
const TEXT: usize = 4096;

#[repr(C)]
struct Parameter {
    slot: u32,
    writes: bool,
    name: [c_char; NAME],
}

#[repr(C)]
struct Constant {
    index: u32,
    kind: u32,
    used: bool,
    name: [c_char; NAME],
}

#[repr(C)]
struct Value {
    index: u32,
    kind: u32,
    bytes: [u8; 4],
}

#[repr(C)]
struct Info {
    threads: u32,
    threadgroup_bytes: u32,
    width: u32,
}

#[repr(C)]
struct Binding {
    slot: usize,
    buffer: *const c_void,
    offset: usize,
    bytes: *const u8,
    length: usize,
}

#[repr(C)]
struct Launch {
    pipeline: *const c_void,
    groups: [usize; 3],
    threads: [usize; 3],
    bindings: *const Binding,
    count: usize,
    threadgroup: *const usize,
    resident: *const *const c_void,
    residents: usize,
    of_threads: bool,
}

/// The device, which checks kernels.
fn emulator() -> &'static Emulator {
    static EMULATOR: OnceLock<Emulator> = OnceLock::new();
    EMULATOR.get_or_init(|| {
        let options =
            EmulatorOptions { check: Some(Check::default()), ..EmulatorOptions::default() };
        Emulator::new(options).unwrap_or_else(|error| panic!("{error}"))
    })
}

fn give<T>(object: T) -> *mut c_void {
    Box::into_raw(Box::new(object)).cast()
}

unsafe fn borrow<'a, T>(object: *const c_void) -> &'a T {
    unsafe { &*object.cast() }
}

unsafe fn free<T>(object: *mut c_void) {
    drop(unsafe { Box::from_raw(object.cast::<T>()) });
}

unsafe fn write(text: &str, to: *mut c_char, room: usize) {
    let bytes = &text.as_bytes()[..text.len().min(room - 1)];
    unsafe {
        ptr::copy_nonoverlapping(bytes.as_ptr(), to.cast(), bytes.len());
        *to.add(bytes.len()) = 0;
    }
}

/// The object, or null and the error's text.
unsafe fn result<T>(made: Result<T, MetalError>, error: *mut c_char) -> *mut c_void {
    match made {
        Ok(object) => give(object),
        Err(failed) => {
            unsafe { write(&compiler_text(&failed), error, TEXT) };
            ptr::null_mut()
        }
    }
}

/// As Apple's compiler prints errors.
fn compiler_text(error: &MetalError) -> String {
    let MetalError::Compile(found) = error else { return error.to_string() };
    let line = |d: &trident_apple::metal::Diagnostic| {
        let file = if d.file.is_empty() { "program_source" } else { &d.file };
        format!("{file}:{}:1: error: {}", d.line, d.message)
    };
    found.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[unsafe(no_mangle)]
extern "C" fn mock_buffer(bytes: usize) -> *mut c_void {
    emulator().buffer(bytes).map_or(ptr::null_mut(), give)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mock_wrap(start: *mut u8, bytes: usize) -> *mut c_void {
    let Some(start) = NonNull::new(start) else { return ptr::null_mut() };
    unsafe { emulator().wrap(start, bytes, Box::new(())) }.map_or(ptr::null_mut(), give)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mock_contents(buffer: *const c_void) -> *mut u8 {
    unsafe { borrow::<Arc<dyn MetalBuffer>>(buffer) }.contents().as_ptr()
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mock_buffer_free(buffer: *mut c_void) {
    unsafe { free::<Arc<dyn MetalBuffer>>(buffer) };
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mock_library(
    text: *const c_char,
    version: usize,
    math: isize,
    error: *mut c_char,
) -> *mut c_void {
    // `MTLLanguageVersion` and `MTLMathMode`.
    let language = match (version >> 16, version & 0xffff) {
        (3, 0) => LanguageVersion::V3_0,
        (3, 1) => LanguageVersion::V3_1,
        (3, 2) => LanguageVersion::V3_2,
        _ => LanguageVersion::V4_0,
    };
    let math = match math {
        0 => MathMode::Safe,
        1 => MathMode::Relaxed,
        _ => MathMode::Fast,
    };
    let text = unsafe { CStr::from_ptr(text) }.to_string_lossy();
    let device = Arc::clone(&emulator().0);
    unsafe { result(HostLibrary::new(device, &text, CompileOptions { language, math }), error) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mock_kernel(library: *const c_void, i: usize, name: *mut c_char) -> bool {
    let library = unsafe { borrow::<HostLibrary>(library) };
    let Some(function) = library.functions().into_iter().nth(i) else { return false };
    unsafe { write(&function, name, TEXT) };
    true
}

/// Types by their number in `MTLDataType`.
const TYPES: [(&str, u32); 6] =
    [("bool", 53), ("short", 37), ("ushort", 41), ("int", 29), ("uint", 33), ("float", 3)];

#[unsafe(no_mangle)]
unsafe extern "C" fn mock_library_constant(
    library: *const c_void,
    i: usize,
    constant: *mut Constant,
) -> bool {
    let library = unsafe { borrow::<HostLibrary>(library) };
    let Some(known) = library.program.constants.get(i) else { return false };
    let kind = TYPES.iter().find(|(name, _)| *name == known.ty).map_or(0, |(_, kind)| *kind);
    unsafe {
        (*constant).index = known.index;
        (*constant).kind = kind;
        (*constant).used = known.used;
        write(&known.name, (&raw mut (*constant).name).cast(), NAME);
    }
    true
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mock_library_free(library: *mut c_void) {
    unsafe { free::<HostLibrary>(library) };
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mock_pipeline(
    library: *const c_void,
    name: *const c_char,
    values: *const Value,
    count: usize,
    info: *mut Info,
    error: *mut c_char,
) -> *mut c_void {
    let library = unsafe { borrow::<HostLibrary>(library) };
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
    let values = if count == 0 { &[] } else { unsafe { slice::from_raw_parts(values, count) } };
    let value = |value: &Value| {
        let [a, b, ..] = value.bytes;
        let value_of = match value.kind {
            53 => ConstantValue::Bool(a != 0),
            37 => ConstantValue::Short(i16::from_ne_bytes([a, b])),
            41 => ConstantValue::UShort(u16::from_ne_bytes([a, b])),
            29 => ConstantValue::Int(i32::from_ne_bytes(value.bytes)),
            33 => ConstantValue::UInt(u32::from_ne_bytes(value.bytes)),
            _ => ConstantValue::Float(f32::from_ne_bytes(value.bytes)),
        };
        FunctionConstant { index: value.index, value: value_of }
    };
    let made = library.pipeline(&name, &values.iter().map(value).collect::<Vec<_>>());
    if let Ok(made) = &made {
        let known = made.info();
        unsafe {
            *info = Info {
                threads: known.max_total_threads_per_threadgroup,
                threadgroup_bytes: known.static_threadgroup_bytes,
                width: known.execution_width,
            };
        }
    }
    unsafe { result(made, error) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mock_pipeline_parameter(
    pipeline: *const c_void,
    i: usize,
    parameter: *mut Parameter,
) -> bool {
    let pipeline = unsafe { borrow::<Arc<dyn Pipeline>>(pipeline) };
    let known = pipeline.downcast::<HostPipeline>().and_then(|p| p.kernel.buffers.get(i));
    let Some((slot, name, writes)) = known else { return false };
    unsafe {
        (*parameter).slot = *slot;
        (*parameter).writes = *writes;
        write(name, (&raw mut (*parameter).name).cast(), NAME);
    }
    true
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mock_pipeline_free(pipeline: *mut c_void) {
    unsafe { free::<Arc<dyn Pipeline>>(pipeline) };
}

/// Runs a dispatch and waits for it; false and the error's text if it fails.
#[unsafe(no_mangle)]
unsafe extern "C" fn mock_run(launch: *const Launch, error: *mut c_char) -> bool {
    let launch = unsafe { &*launch };
    let pipeline = Arc::clone(unsafe { borrow::<Arc<dyn Pipeline>>(launch.pipeline) });
    let size = |sizes: [usize; 3]| sizes.map(|n| u32::try_from(n).unwrap_or(u32::MAX));
    let used: Vec<u32> = pipeline
        .downcast::<HostPipeline>()
        .map(|p| p.kernel.buffers.iter().map(|(slot, ..)| *slot).collect())
        .unwrap_or_default();
    let make = if launch.of_threads { Dispatch::of_threads } else { Dispatch::new };
    let mut dispatch = make(pipeline, size(launch.groups), size(launch.threads));
    for binding in unsafe { slice::from_raw_parts(launch.bindings, launch.count) } {
        let slot = u32::try_from(binding.slot).unwrap_or(u32::MAX);
        // Bindings of earlier dispatches of the encoder remain.
        if !used.contains(&slot) {
            continue;
        }
        dispatch = if binding.buffer.is_null() {
            let bytes = unsafe { slice::from_raw_parts(binding.bytes, binding.length) };
            dispatch.bytes(slot, bytes)
        } else {
            let buffer = unsafe { borrow::<Arc<dyn MetalBuffer>>(binding.buffer) };
            dispatch.inside(slot, buffer, 0..buffer.bytes(), binding.offset)
        };
    }
    for index in 0..31 {
        let length = unsafe { *launch.threadgroup.add(index as usize) };
        if length > 0 {
            dispatch = dispatch.threadgroup(index, u32::try_from(length).unwrap_or(u32::MAX));
        }
    }
    if launch.residents > 0 {
        let resident = unsafe { slice::from_raw_parts(launch.resident, launch.residents) };
        for one in resident {
            let buffer = unsafe { borrow::<Arc<dyn MetalBuffer>>(*one) };
            dispatch = dispatch.reaching(buffer, 0..buffer.bytes());
        }
    }
    let run = || unsafe { emulator().queue()?.commit(Batch::from(dispatch)) }?.wait();
    let run = run();
    if let Err(failed) = &run {
        unsafe { write(&failed.to_string(), error, TEXT) };
    }
    run.is_ok()
}
