//! Runs kernels in tests: arrays in, arrays out.
#![allow(dead_code)] // each test uses a part
#![allow(clippy::unwrap_used)] // a helper that fails fails its test

use std::sync::{Arc, OnceLock};
use trident_apple::metal::{
    Batch, CompileOptions, Dispatch, LanguageVersion, Library, Metal, MetalBuffer, MetalError,
    Queue,
};
use trident_emulator::{Check, CheckReport, Emulator, EmulatorOptions, FindingKind};

/// The includes of every kernel, on one line: a kernel's first line is line 2.
pub(crate) const HEADER: &str = "#include <metal_stdlib>\nusing namespace metal;\n";

fn shared(checked: bool) -> Emulator {
    static PLAIN: OnceLock<Emulator> = OnceLock::new();
    PLAIN.get_or_init(|| Emulator::new(options(false)).unwrap());
    if checked { Emulator::new(options(true)).unwrap() } else { PLAIN.get().unwrap().clone() }
}

pub(crate) fn options(checked: bool) -> EmulatorOptions {
    let check = checked.then(Check::default);
    EmulatorOptions {
        check,
        cache: Some(std::env::temp_dir().join("trident-emulator-tests")),
        ..EmulatorOptions::default()
    }
}

/// An emulator with a kernel.
pub(crate) struct Rig {
    pub(crate) emulator: Emulator,
    pub(crate) library: Arc<dyn Library>,
    pub(crate) queue: Arc<dyn Queue>,
}

impl Rig {
    /// Compiles a text that has its own includes.
    pub(crate) fn new(source: &str, checked: bool) -> Result<Rig, MetalError> {
        let emulator = shared(checked);
        // Versions before 4 refuse tensors.
        let plain = CompileOptions::default();
        let language =
            if source.contains("mpp::") { LanguageVersion::V4_0 } else { plain.language };
        let library = emulator.library(source, &CompileOptions { language, ..plain })?;
        let queue = emulator.queue()?;
        Ok(Rig { emulator, library, queue })
    }

    pub(crate) fn buffer<T: Copy>(&self, data: &[T]) -> Arc<dyn MetalBuffer> {
        let buffer = self.emulator.buffer(size_of_val(data)).unwrap();
        // SAFETY: the buffer has room, and nothing uses it yet.
        unsafe {
            let to = buffer.contents().cast::<T>().as_ptr();
            std::ptr::copy_nonoverlapping(data.as_ptr(), to, data.len());
        }
        buffer
    }

    /// A dispatch of the first kernel.
    pub(crate) fn dispatch(&self, groups: [u32; 3], threads: [u32; 3]) -> Dispatch {
        let name = &self.library.functions()[0];
        Dispatch::new(self.library.pipeline(name, &[]).unwrap(), groups, threads)
    }

    pub(crate) fn run(&self, dispatch: Dispatch) -> Result<(), MetalError> {
        // SAFETY: the tests' kernels stay inside of their buffers, or are checked.
        unsafe { self.queue.commit(Batch::from(dispatch)) }?.wait().map(|_| ())
    }
}

pub(crate) fn read<T: Copy>(buffer: &Arc<dyn MetalBuffer>) -> Vec<T> {
    let count = buffer.bytes() / size_of::<T>();
    // SAFETY: the batches that use the buffer have completed.
    unsafe { std::slice::from_raw_parts(buffer.contents().cast::<T>().as_ptr(), count) }.to_vec()
}

pub(crate) fn bytes_of<T: Copy>(data: &[T]) -> Vec<u8> {
    // SAFETY: the types of tests are numbers.
    unsafe { std::slice::from_raw_parts(data.as_ptr().cast::<u8>(), size_of_val(data)) }.to_vec()
}

/// Numbers between -1 and 1 that look random.
pub(crate) fn noise(count: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1u32 << 23) as f32 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

/// Runs a checked kernel on float buffers of 128 elements for the first parameters, 2 threadgroups of 64 threads.
pub(crate) fn reports(source: &str) -> Vec<CheckReport> {
    let rig = Rig::new(source, true).unwrap_or_else(|error| panic!("{error}\n{source}"));
    let mut dispatch = rig.dispatch([2, 1, 1], [64, 1, 1]);
    for slot in 0..4 {
        if source.contains(&format!("[[buffer({slot})]]")) {
            dispatch = dispatch.buffer(slot, &rig.buffer(&[0f32; 128]), 0);
        }
    }
    let result = rig.run(dispatch);
    let reports = rig.emulator.take_reports();
    let errors = reports.iter().any(|report| !report.kind.is_warning());
    assert_eq!(matches!(result, Err(MetalError::Check { .. })), errors, "{result:?} {reports:?}");
    reports
}

pub(crate) fn kinds(reports: &[CheckReport]) -> Vec<FindingKind> {
    let mut kinds: Vec<FindingKind> = reports.iter().map(|report| report.kind).collect();
    kinds.sort();
    kinds.dedup();
    kinds
}
