//! Regions of shared memory that clients have registered.
//!
//! A client may write to a region, or shrink it, at any time. So a region is not mapped where the system lets it shrink: it is read and
//! written by system calls on its descriptor (`pread`, `pwrite`), and one that has shrunk is an error of the request. On macOS, where
//! regions keep their size and descriptors cannot be read, it is mapped, and copied by pointers (`trident_runtime::SharedMapping`).

#[cfg(not(target_os = "macos"))]
mod file;
#[cfg(any(target_os = "macos", test))]
mod mapped;
mod region;
#[cfg(all(test, target_os = "linux"))]
mod tests;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use trident_serving::{ErrorCode, Fault, Fill};

use crate::infer::SharedRegion;
use region::{OPEN, OpenObject, Region};

/// The regions of a server.
pub struct Regions {
    known: Mutex<BTreeMap<String, Arc<Registered>>>,
    open: OpenObject,
}

impl Default for Regions {
    fn default() -> Regions {
        Regions { known: Mutex::default(), open: OPEN }
    }
}

/// A registered region.
pub struct Registered {
    /// The region as the client described it.
    pub info: RegionInfo,
    region: Region,
}

/// The name, place and size of a region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionInfo {
    /// The name under which requests know it.
    pub name: String,
    /// The name under which the system knows it: `/name`.
    pub key: String,
    /// Bytes of the system's object before the region.
    pub offset: u64,
    /// Bytes of the region.
    pub size: u64,
}

impl Regions {
    /// Registers a region.
    ///
    /// # Errors
    /// A name that is registered, or an object that cannot be opened.
    pub fn register(&self, info: RegionInfo) -> Result<(), Fault> {
        // Of two registrations of one name at a time, the second waits for the first, and fails.
        let mut known = self.lock();
        match known.entry(info.name.clone()) {
            Entry::Occupied(entry) => {
                let text = format!("shared memory region '{}' already in manager", entry.key());
                Err(Fault { code: ErrorCode::AlreadyExists, text })
            }
            Entry::Vacant(place) => {
                let region = Region::open(&info, self.open)?;
                place.insert(Arc::new(Registered { info, region }));
                Ok(())
            }
        }
    }

    /// Forgets a region, if there is one of this name. Requests that are under way keep it.
    pub fn unregister(&self, name: &str) {
        self.lock().remove(name);
    }

    /// Forgets all regions.
    pub fn unregister_all(&self) {
        self.lock().clear();
    }

    /// All regions, in the order of their names.
    pub fn all(&self) -> Vec<RegionInfo> {
        self.lock().values().map(|region| region.info.clone()).collect()
    }

    /// The region of a name, or all if it is empty, in the order of their names.
    ///
    /// # Errors
    /// No region has this name.
    pub fn named(&self, name: &str) -> Result<Vec<RegionInfo>, Fault> {
        let mut regions = self.all();
        if !name.is_empty() {
            regions.retain(|region| region.name == name);
            if regions.is_empty() {
                return Err(unknown("system", name));
            }
        }
        Ok(regions)
    }

    /// A region.
    ///
    /// # Errors
    /// No region has this name.
    pub fn get(&self, name: &str) -> Result<Arc<Registered>, Fault> {
        self.lock().get(name).cloned().ok_or_else(|| {
            let text = format!("Unable to find shared memory region: '{name}'");
            Fault { code: ErrorCode::NotFound, text }
        })
    }

    /// The part of a region that a tensor names.
    ///
    /// # Errors
    /// An unknown region, or a part that leaves it.
    pub fn part(&self, place: &SharedRegion) -> Result<RegionPart, Fault> {
        let region = self.get(&place.name)?;
        let invalid = |part| {
            let text = format!("Invalid {part} for shared memory region: '{}'", place.name);
            Fault::invalid(text)
        };
        if place.offset >= region.info.size {
            return Err(invalid("offset"));
        }
        if place.size > region.info.size - place.offset {
            return Err(invalid("offset + byte size"));
        }
        Ok(RegionPart { region, offset: place.offset, size: place.size })
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Registered>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The fault of a name that no region of a kind has.
pub(crate) fn unknown(kind: &str, name: &str) -> Fault {
    let text = format!("Unable to find {kind} shared memory region: '{name}'");
    Fault { code: ErrorCode::NotFound, text }
}

/// The fault of a region on a GPU of NVIDIA.
pub(crate) fn no_cuda(name: &str) -> Fault {
    Fault::invalid(format_args!(
        "failed to register CUDA shared memory region: '{name}', GPUs not supported"
    ))
}

/// A part of a region, which outlives the region's registration.
#[derive(Clone)]
pub struct RegionPart {
    region: Arc<Registered>,
    offset: u64,
    size: u64,
}

impl RegionPart {
    /// Writes an output's bytes to the start of the part.
    ///
    /// # Errors
    /// More bytes than the part has, or a region that has shrunk.
    pub fn write(&self, output: &str, bytes: &[u8]) -> Result<(), Fault> {
        if bytes.len() as u64 > self.size {
            return Err(Fault::internal(format_args!(
                "shared memory size specified with the request for output '{output}' ({} bytes) should be at least {} bytes to \
                 hold the results",
                self.size,
                bytes.len()
            )));
        }
        self.region.region.write(bytes, self.offset).map_err(|error| self.fault(&error))
    }

    fn fault(&self, error: &std::io::Error) -> Fault {
        Fault::invalid(format_args!("shared memory region '{}': {error}", self.region.info.name))
    }
}

impl Fill for RegionPart {
    fn size(&self) -> usize {
        usize::try_from(self.size).unwrap_or(usize::MAX)
    }

    fn fill(&self, to: &mut [u8]) -> Result<usize, Fault> {
        self.region.region.read(to, self.offset).map_err(|error| self.fault(&error))?;
        Ok(to.len())
    }
}
