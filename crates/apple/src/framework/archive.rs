//! Compiled kernels on disk.
//!
//! An archive holds one kernel's machine code. Its name is a digest of the text, the options, the constants, the GPU
//! and the system's build, so it is never out of date. A missing or unusable archive only costs time.

use std::fs;
use std::path::PathBuf;

use objc2::rc::Retained;
use objc2::runtime::ProtocolObject;
use objc2_foundation::{NSProcessInfo, NSString, NSURL};
use objc2_metal::{
    MTLBinaryArchive, MTLBinaryArchiveDescriptor, MTLComputePipelineDescriptor, MTLDevice,
};

use crate::metal::{CompileOptions, FunctionConstant};

/// The folder of archives.
#[derive(Debug)]
pub(super) struct Archives {
    /// None where the user has no home folder.
    folder: Option<PathBuf>,
    system: blake3::Hasher,
}

/// A digest of what a text's compiled kernels depend on.
#[derive(Debug)]
pub(super) struct Key(blake3::Hasher);

impl Key {
    /// The digest for one of the kernels.
    pub(super) fn of_kernel(&self, function: &str, constants: &[FunctionConstant]) -> String {
        let mut hasher = self.0.clone();
        part(&mut hasher, function);
        let mut constants: Vec<String> = constants.iter().map(|c| format!("{c:?}")).collect();
        constants.sort();
        constants.iter().for_each(|constant| part(&mut hasher, constant));
        hasher.finalize().to_hex()[..32].to_owned()
    }
}

fn part(hasher: &mut blake3::Hasher, text: &str) {
    hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
}

impl Archives {
    pub(super) fn new(gpu: &str) -> Archives {
        let folder = |name| std::env::var_os(name).filter(|f| !f.is_empty()).map(PathBuf::from);
        let caches = || Some(folder("HOME")?.join(".cache"));
        let cache = folder("XDG_CACHE_HOME").or_else(caches);
        let mut system = blake3::Hasher::new();
        part(&mut system, gpu);
        // The build is a part of it: `Version 15.1 (Build 24B83)`.
        let version = NSProcessInfo::processInfo().operatingSystemVersionString();
        part(&mut system, &version.to_string());
        Archives { folder: cache.map(|cache| cache.join("trident").join("metal")), system }
    }

    pub(super) fn key(&self, source: &str, options: &CompileOptions) -> Key {
        let mut hasher = self.system.clone();
        part(&mut hasher, source);
        part(&mut hasher, &format!("{options:?}"));
        Key(hasher)
    }

    fn path(&self, key: &str) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(format!("{key}.metallib")))
    }

    /// The archive of a kernel, if there is one.
    pub(super) fn open(
        &self,
        device: &ProtocolObject<dyn MTLDevice>,
        key: &str,
    ) -> Option<Retained<ProtocolObject<dyn MTLBinaryArchive>>> {
        let path = self.path(key).filter(|path| path.exists())?;
        let descriptor = MTLBinaryArchiveDescriptor::new();
        descriptor.setUrl(Some(&*url(&path)?));
        let opened = device.newBinaryArchiveWithDescriptor_error(&descriptor);
        if opened.is_err() {
            // The next run makes it again.
            let _ = fs::remove_file(&path);
        }
        opened.ok()
    }

    /// Stores a kernel's code. If that fails, the next run tries again.
    pub(super) fn store(
        &self,
        device: &ProtocolObject<dyn MTLDevice>,
        key: &str,
        kernel: &MTLComputePipelineDescriptor,
    ) -> Option<()> {
        let (folder, path) = (self.folder.as_ref()?, self.path(key)?);
        fs::create_dir_all(folder).ok()?;
        let empty = MTLBinaryArchiveDescriptor::new();
        let archive = device.newBinaryArchiveWithDescriptor_error(&empty).ok()?;
        archive.addComputePipelineFunctionsWithDescriptor_error(kernel).ok()?;
        // Others see the whole file or none.
        let unfinished = path.with_extension(format!("{}", std::process::id()));
        let stored = archive.serializeToURL_error(&*url(&unfinished)?).is_ok()
            && fs::rename(&unfinished, &path).is_ok();
        if !stored {
            let _ = fs::remove_file(&unfinished);
        }
        Some(())
    }
}

fn url(path: &std::path::Path) -> Option<Retained<NSURL>> {
    Some(NSURL::fileURLWithPath(&NSString::from_str(path.to_str()?)))
}
