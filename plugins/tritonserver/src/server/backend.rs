//! The backend: this library in the server, under the name it was loaded by.

use super::api;
use super::error::{Result, check, text};
use super::message;
use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr::{null, null_mut};

/// The version of the server's interface: major and minor.
pub(crate) fn api_version() -> Result<(u32, u32)> {
    let (mut major, mut minor) = (0, 0);
    // SAFETY: both are written.
    unsafe { check(api::TRITONBACKEND_ApiVersion(&mut major, &mut minor))? };
    Ok((major, minor))
}

/// A backend whose state, once set, is an `S`.
pub(crate) struct Backend<S> {
    backend: *mut api::Backend,
    state: PhantomData<S>,
}

impl<S> Backend<S> {
    /// # Safety
    /// The server keeps the backend while this is used, and its state is an `S` that this type has set, or none.
    pub(crate) unsafe fn from_raw(backend: *mut api::Backend) -> Backend<S> {
        Backend { backend, state: PhantomData }
    }

    /// The name, as in `libtriton_<name>.so`.
    pub(crate) fn name(&self) -> Result<String> {
        let mut name = null();
        // SAFETY: the name lives as long as the backend.
        unsafe {
            check(api::TRITONBACKEND_BackendName(self.backend, &mut name))?;
            Ok(text(name))
        }
    }

    /// The settings of the command line, as JSON.
    pub(crate) fn config(&self) -> Result<String> {
        let mut config = null_mut();
        // SAFETY: the message lives as long as the backend, and is not deleted here.
        unsafe {
            check(api::TRITONBACKEND_BackendConfig(self.backend, &mut config))?;
            message::json(config)
        }
    }

    /// The state, if it is set.
    pub(crate) fn state(&self) -> Result<Option<&S>> {
        // SAFETY: the state is an `S` until it is taken, for which nobody may use the backend.
        Ok(unsafe { self.raw_state()?.cast::<S>().as_ref() })
    }

    pub(crate) fn set_state(&self, state: Box<S>) -> Result<()> {
        let state: *mut c_void = Box::into_raw(state).cast();
        // SAFETY: it is this type's state.
        unsafe { check(api::TRITONBACKEND_BackendSetState(self.backend, state)) }
    }

    /// Takes the state away.
    ///
    /// # Safety
    /// Nobody uses it.
    pub(crate) unsafe fn take_state(&self) -> Result<Option<Box<S>>> {
        let state = self.raw_state()?;
        // SAFETY: it was made from a box, and no pointer to it remains.
        unsafe {
            check(api::TRITONBACKEND_BackendSetState(self.backend, null_mut()))?;
            Ok((!state.is_null()).then(|| Box::from_raw(state.cast::<S>())))
        }
    }

    fn raw_state(&self) -> Result<*mut c_void> {
        let mut state = null_mut();
        // SAFETY: it is written.
        unsafe { check(api::TRITONBACKEND_BackendState(self.backend, &mut state))? };
        Ok(state)
    }
}

/// What the server asks of a backend before it uses it.
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
