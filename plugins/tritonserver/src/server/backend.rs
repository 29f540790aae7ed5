//! The backend: this library in the server, under the name it was loaded by.

use super::api;
use super::error::{Result, check, text};
use super::kept::Kept;
use super::message;
use std::ptr::{null, null_mut};

/// The version of the server's interface: major and minor.
pub(crate) fn api_version() -> Result<(u32, u32)> {
    let (mut major, mut minor) = (0, 0);
    // SAFETY: both are written.
    unsafe { check(api::TRITONBACKEND_ApiVersion(&mut major, &mut minor))? };
    Ok((major, minor))
}

/// A backend whose state, once set, is an `S`.
pub(crate) type Backend<S> = Kept<api::Backend, S>;

impl<S> Backend<S> {
    /// The name, as in `libtriton_<name>.so`.
    pub(crate) fn name(&self) -> Result<String> {
        let mut name = null();
        // SAFETY: the name lives as long as the backend.
        unsafe {
            check(api::TRITONBACKEND_BackendName(self.raw, &mut name))?;
            Ok(text(name))
        }
    }

    /// The settings of the command line, as JSON.
    pub(crate) fn config(&self) -> Result<String> {
        let mut config = null_mut();
        // SAFETY: the message lives as long as the backend, and is not deleted here.
        unsafe {
            check(api::TRITONBACKEND_BackendConfig(self.raw, &mut config))?;
            message::json(config)
        }
    }
}

/// The attributes that the server asks of a backend before it uses it.
pub(crate) struct Attributes(*mut api::BackendAttribute);

impl Attributes {
    /// # Safety
    /// The server keeps the attributes while this is used.
    pub(crate) unsafe fn from_raw(attributes: *mut api::BackendAttribute) -> Attributes {
        Attributes(attributes)
    }

    /// Instances of a model may be made at the same time.
    pub(crate) fn make_instances_in_parallel(&self) -> Result<()> {
        // SAFETY: they are attributes.
        unsafe {
            check(api::TRITONBACKEND_BackendAttributeSetParallelModelInstanceLoading(self.0, true))
        }
    }
}
