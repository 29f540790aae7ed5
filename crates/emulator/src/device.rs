//! The device.
#![allow(unsafe_code)] // wraps host memory as `Metal` asks

use crate::buffer::{HostBuffer, PAGE};
use crate::check::CheckReport;
use crate::clang::Clang;
use crate::exec::{Image, MAX_THREADS};
use crate::library::HostLibrary;
use crate::queue::HostQueue;
use std::any::Any;
use std::collections::HashMap;
use std::path::PathBuf;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use trident_apple::metal::{
    CompileOptions, Family, FunctionConstant, Library, Limits, Metal, MetalBuffer, MetalError,
    Queue,
};

/// Settings of an emulator.
#[derive(Clone, Debug)]
pub struct EmulatorOptions {
    /// Whether kernels are checked. It takes 10 to 50 times as long, on one thread.
    pub check: Option<Check>,
    /// The figures of the device. The defaults are those of an M1.
    pub limits: Limits,
    /// Threads that run a dispatch which is not checked; all processors by default.
    pub workers: usize,
    /// The longest that a dispatch may take, five times that if it is checked. 20 s by default.
    pub time_limit: Duration,
    /// The folder of compiled kernels; `$XDG_CACHE_HOME/trident/emulator` by default. Whoever may write there may run
    /// code in this process.
    pub cache: Option<PathBuf>,
}

impl Default for EmulatorOptions {
    fn default() -> EmulatorOptions {
        EmulatorOptions {
            check: None,
            limits: Limits {
                name: "Emulated Apple GPU".to_owned(),
                family: Family::Apple7,
                cores: 8,
                max_threads_per_threadgroup: MAX_THREADS as u32,
                max_threadgroup_bytes: 32 << 10,
                max_buffer_bytes: 8 << 30,
                simd_width: 32,
                page_bytes: PAGE,
            },
            workers: std::thread::available_parallelism().map_or(1, usize::from),
            time_limit: Duration::from_secs(20),
            cache: None,
        }
    }
}

/// How kernels are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Check {
    /// How often each dispatch runs, each time with its threads in another order, from the same memory. The first is the
    /// natural order, and the one whose results stay.
    pub schedules: u32,
}

impl Default for Check {
    /// Two schedules.
    fn default() -> Check {
        Check { schedules: 2 }
    }
}

/// A device that runs Metal kernels on the CPU.
#[derive(Debug, Clone)]
pub struct Emulator(pub(crate) Arc<Device>);

/// The state that libraries, pipelines and queues share.
#[derive(Debug)]
pub(crate) struct Device {
    pub options: EmulatorOptions,
    pub clang: Clang,
    /// The texts in memory that a library or pipeline holds.
    images: Mutex<HashMap<PathBuf, Weak<Image>>>,
    reports: Mutex<Vec<CheckReport>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Emulator {
    /// Opens the device.
    ///
    /// # Errors
    /// [`MetalError::Unavailable`] without clang 22, without a folder for compiled kernels, or on a processor without
    /// AVX2, FMA and F16C.
    pub fn new(options: EmulatorOptions) -> Result<Emulator, MetalError> {
        let processor = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let flags = processor.lines().find_map(|line| line.strip_prefix("flags")).unwrap_or("");
        let has = |feature: &&str| flags.split_whitespace().any(|flag| flag == *feature);
        if let Some(missing) = ["avx2", "fma", "f16c", "bmi2"].iter().find(|name| !has(name)) {
            return Err(MetalError::Unavailable {
                device: "metal-emulated",
                reason: format!("the processor lacks `{missing}`"),
                hint: "use a processor with AVX2: Intel's since 2013, AMD's since 2015".to_owned(),
            });
        }
        let cache = options.cache.clone().unwrap_or_else(default_cache);
        let clang = Clang::find(&cache)?;
        Ok(Emulator(Arc::new(Device {
            options,
            clang,
            images: Mutex::default(),
            reports: Mutex::default(),
        })))
    }

    /// Takes the checker's findings since the last call, warnings included.
    pub fn take_reports(&self) -> Vec<CheckReport> {
        std::mem::take(&mut *lock(&self.0.reports))
    }
}

/// `$XDG_CACHE_HOME/trident/emulator`.
pub(crate) fn default_cache() -> PathBuf {
    let folder = |name| std::env::var_os(name).filter(|f| !f.is_empty()).map(PathBuf::from);
    let cache = folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")));
    cache.unwrap_or_else(std::env::temp_dir).join("trident").join("emulator")
}

impl Device {
    pub(crate) fn add_reports(&self, reports: &[CheckReport]) {
        lock(&self.reports).extend_from_slice(reports);
    }

    /// The compiled text, from memory, disk or clang.
    pub(crate) fn image(
        &self,
        program: &crate::text::Program,
        constants: &[FunctionConstant],
        options: &CompileOptions,
    ) -> Result<Arc<Image>, MetalError> {
        let checked = self.options.check.is_some();
        let path = self.clang.build(program, constants, options, checked)?;
        let mut images = lock(&self.images);
        if let Some(image) = images.get(&path).and_then(Weak::upgrade) {
            return Ok(image);
        }
        // SAFETY: clang has made the file from a text that `text::rewrite` has prepared, in a folder that is the user's.
        let image = unsafe { Image::load(&path, checked) }.map_err(|reason| {
            MetalError::Memory { what: "a compiled kernel".to_owned(), reason }
        })?;
        let image = Arc::new(image);
        images.retain(|_, image| image.strong_count() > 0);
        images.insert(path, Arc::downgrade(&image));
        Ok(image)
    }
}

fn check_length(limits: &Limits, bytes: usize) -> Result<(), MetalError> {
    if bytes == 0 {
        let (what, reason) = ("a buffer".to_owned(), "it has no bytes".to_owned());
        return Err(MetalError::Memory { what, reason });
    }
    if bytes > limits.max_buffer_bytes {
        return Err(MetalError::Limit {
            what: "the length of a buffer in bytes".to_owned(),
            asked: bytes as u64,
            limit: limits.max_buffer_bytes as u64,
            hint: "split the tensor",
        });
    }
    Ok(())
}

impl Metal for Emulator {
    fn limits(&self) -> &Limits {
        &self.0.options.limits
    }

    fn buffer(&self, bytes: usize) -> Result<Arc<dyn MetalBuffer>, MetalError> {
        check_length(self.limits(), bytes)?;
        Ok(HostBuffer::new(bytes)?)
    }

    unsafe fn wrap(
        &self,
        start: NonNull<u8>,
        bytes: usize,
        owner: Box<dyn Any + Send + Sync>,
    ) -> Result<Arc<dyn MetalBuffer>, MetalError> {
        check_length(self.limits(), bytes)?;
        let page = self.limits().page_bytes;
        for (what, value) in [("the address", start.as_ptr() as usize), ("the length", bytes)] {
            if !value.is_multiple_of(page) {
                return Err(MetalError::Alignment {
                    what: format!("{what} of host memory for a buffer"),
                    value: value as u64,
                    multiple: page as u64,
                    hint: "allocate whole pages, or copy into a buffer",
                });
            }
        }
        Ok(HostBuffer::wrap(start, bytes, owner))
    }

    unsafe fn adopt(&self, handle: u64) -> Result<Arc<dyn MetalBuffer>, MetalError> {
        let reason = "no buffer of this process has it";
        match HostBuffer::of_handle(handle) {
            Some(buffer) => Ok(buffer),
            None => Err(MetalError::Handle { handle, reason }),
        }
    }

    fn library(
        &self,
        source: &str,
        options: &CompileOptions,
    ) -> Result<Arc<dyn Library>, MetalError> {
        Ok(Arc::new(HostLibrary::new(Arc::clone(&self.0), source, *options)?))
    }

    fn queue(&self) -> Result<Arc<dyn Queue>, MetalError> {
        Ok(Arc::new(HostQueue::new(Arc::clone(&self.0))?))
    }
}
