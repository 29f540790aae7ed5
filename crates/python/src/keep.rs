//! Compiled kernels that are kept for later processes: saved as bytes, and in the user's folder under a name.
//!
//! Machine code is taken back only under the seal of the user's key. Whatever else is found is left alone, with one
//! warning, and the kernel is compiled again.

use crate::device;
use crate::kernel::{Kernel, Mode, compile};
use pyo3::exceptions::{PyOSError, PyRuntimeWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::ffi::CString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use trident_runtime::{Key, SealError, Vault, VaultClaim, VaultError};

/// Ending of the files in the user's folder. Triton asks that it be the name of the back end's last stage.
const ENDING: &str = "trident";

/// Says once in a process that what is kept cannot be used.
fn warn(py: Python<'_>, trouble: &dyn std::fmt::Display) -> PyResult<()> {
    static SAID: AtomicBool = AtomicBool::new(false);
    if SAID.swap(true, Ordering::Relaxed) {
        return Ok(());
    }
    let text = format!("stored kernels are ignored and compiled again: {trouble}");
    let text = CString::new(text.replace('\0', "?"))?;
    PyErr::warn(py, &py.get_type::<PyRuntimeWarning>(), &text, 1)
}

/// The user's key; where it cannot be had, one that is good for this process.
fn key(py: Python<'_>) -> PyResult<Key> {
    let trouble = match Vault::of_user().and_then(|vault| vault.key()) {
        Ok(key) => return Ok(key),
        Err(trouble) => trouble,
    };
    excused(py, trouble)?;
    static OWN: OnceLock<Option<Key>> = OnceLock::new();
    let own = OWN.get_or_init(Key::random).clone();
    own.ok_or_else(|| PyOSError::new_err("the system gave no random numbers for a key"))
}

/// A kernel's facts beside its code: how it runs, and its Triton IR.
fn about(mode: Mode, source: &str) -> Vec<u8> {
    [&[mode as u8], source.as_bytes()].concat()
}

fn parse_about(about: Vec<u8>) -> Option<(Mode, String)> {
    let (mode, source) = about.split_first()?;
    Some((*Mode::ALL.get(usize::from(*mode))?, String::from_utf8(source.to_vec()).ok()?))
}

/// The kernel as bytes that [`load`] takes.
pub(crate) fn save<'py>(
    py: Python<'py>,
    kernel: &Kernel,
    name: &str,
) -> PyResult<Bound<'py, PyBytes>> {
    let about = about(kernel.mode(), kernel.source());
    Ok(PyBytes::new(py, &key(py)?.seal(name, &about, kernel.image().as_ref())))
}

/// Why bytes give no kernel.
enum Refused {
    Seal(SealError),
    Python(PyErr),
}

/// The kernel in sealed bytes. Code of another version or machine is compiled again.
fn open(py: Python<'_>, sealed: &[u8], name: Option<&str>) -> Result<Kernel, Refused> {
    let opened = key(py).map_err(Refused::Python)?.open(sealed, name).map_err(Refused::Seal)?;
    let (mode, source) = parse_about(opened.about).ok_or(Refused::Seal(SealError::Forged))?;
    if let Some(image) = opened.image
        && let Ok(kernel) = device::current().map_err(Refused::Python)?.compiler.load_kernel(&image)
    {
        return Kernel::new(py, kernel, source, mode).map_err(Refused::Python);
    }
    let (check, interpret) = (mode == Mode::Check, mode == Mode::Interpret);
    let unchecked = mode == Mode::Plain;
    compile(py, source, Some(check), Some(interpret), unchecked).map_err(Refused::Python)
}

/// A kernel from what `Kernel.save` gave to this user; machine code that does not suit this machine is compiled again.
/// With a name, only the kernel that was saved under it.
#[pyfunction]
#[pyo3(signature = (image, name = None))]
pub(crate) fn load(py: Python<'_>, image: &[u8], name: Option<&str>) -> PyResult<Kernel> {
    open(py, image, name).map_err(|refused| match refused {
        Refused::Python(error) => error,
        Refused::Seal(error) => PyValueError::new_err(format!(
            "these bytes are {error}: compile the kernel's Triton IR again with trident.compile"
        )),
    })
}

fn file(name: &str) -> String {
    format!("{name}.{ENDING}")
}

/// Stores the result of `Kernel.save` in the user's folder. Returns the file's path, or `None` if there is no such
/// folder or no room in it.
#[pyfunction]
pub(crate) fn keep(py: Python<'_>, name: &str, image: &[u8]) -> PyResult<Option<PathBuf>> {
    let kept = Vault::of_user().and_then(|vault| {
        // Under another key than the user's it would be worthless to others.
        vault.key()?;
        py.detach(|| vault.write(&file(name), image))
    });
    match kept {
        Ok(path) => Ok(path),
        Err(trouble) => excused(py, trouble).map(|()| None),
    }
}

/// An error for a setting that is wrong; for other trouble, a warning.
fn excused(py: Python<'_>, trouble: VaultError) -> PyResult<()> {
    match trouble {
        VaultError::Limit { .. } => Err(PyValueError::new_err(trouble.to_string())),
        trouble => warn(py, &trouble),
    }
}

/// The right to compile the kernel of a name: other threads and processes of the user wait until it is released.
#[pyclass(name = "Claim", module = "trident._trident", frozen)]
pub(crate) struct KernelClaim {
    claim: Mutex<Option<VaultClaim>>,
    /// Whether another thread or process had it until now, and may have kept the kernel.
    #[pyo3(get)]
    waited: bool,
}

#[pymethods]
impl KernelClaim {
    /// Lets others compile the kernel.
    fn release(&self) {
        self.claim.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

/// Waits for the right to compile the kernel of this name; `None` where it cannot be had: then two may compile it.
#[pyfunction]
pub(crate) fn claim(py: Python<'_>, name: &str) -> PyResult<Option<KernelClaim>> {
    let vault = match Vault::of_user() {
        Ok(vault) => vault,
        Err(VaultError::Nowhere) => return Ok(None),
        Err(trouble) => return excused(py, trouble).map(|()| None),
    };
    // A folder that is not used has been warned about, or will be.
    let claim = py.detach(|| vault.claim(name)).ok().flatten();
    Ok(claim.map(|claim| {
        let waited = claim.waited();
        KernelClaim { claim: Mutex::new(Some(claim)), waited }
    }))
}

/// The kernel that is kept under this name, with its file's path and content; `None` where there is none to be trusted.
#[pyfunction]
pub(crate) fn kept<'py>(
    py: Python<'py>,
    name: &str,
) -> PyResult<Option<(PathBuf, Bound<'py, PyBytes>, Kernel)>> {
    let found = Vault::of_user().and_then(|vault| {
        let content = vault.read(&file(name))?;
        Ok(content.map(|content| (vault.path().join(file(name)), content)))
    });
    let (path, content) = match found {
        Ok(Some(found)) => found,
        Ok(None) | Err(VaultError::Nowhere) => return Ok(None),
        Err(trouble) => return excused(py, trouble).map(|()| None),
    };
    match open(py, &content, Some(name)) {
        Ok(kernel) => Ok(Some((path, PyBytes::new(py, &content), kernel))),
        Err(Refused::Python(error)) => Err(error),
        Err(Refused::Seal(error)) => {
            let text = format!("{} is {error}", path.display());
            warn(py, &text).map(|()| None)
        }
    }
}

/// Removes the files with this ending from a folder, and returns their bytes. Who has opened one goes on reading it.
fn remove(folder: &Path, ending: &str) -> io::Result<u64> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(error),
    };
    let mut bytes = 0;
    for entry in entries {
        let entry = entry?;
        let path = entry.path();
        if path.extension().is_none_or(|found| found != ending) || !entry.file_type()?.is_file() {
            continue;
        }
        let size = entry.metadata().map_or(0, |file| file.len());
        match fs::remove_file(&path) {
            Ok(()) => bytes += size,
            // Another process was first.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(bytes)
}

/// Removes the compiled kernels that are kept for this user's processes, and returns the bytes that they took. They are compiled
/// again when they are needed; the key stays.
#[pyfunction]
pub(crate) fn cache_clear(py: Python<'_>) -> PyResult<u64> {
    let vault = match Vault::of_user() {
        Ok(vault) => vault,
        Err(VaultError::Nowhere) => return Ok(0),
        Err(trouble) => return Err(PyValueError::new_err(trouble.to_string())),
    };
    // Apple's compiler makes archives of its own from our Metal programs.
    let archives = vault.path().with_file_name("metal");
    let bytes = py.detach(|| Ok(remove(vault.path(), ENDING)? + remove(&archives, "metallib")?));
    bytes.map_err(|error: io::Error| error.into())
}
