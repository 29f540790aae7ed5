//! Objects of the server that keep a state for the backend: the backend itself, models and instances.

use super::api::{self, Status};
use super::error::{Result, check};
use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr::null_mut;

/// An object in which the server keeps a pointer.
///
/// # Safety
/// `GET` writes the pointer that `SET` was last called with, or null.
pub(super) unsafe trait Keeper: Sized {
    const GET: unsafe extern "C" fn(*mut Self, *mut *mut c_void) -> Status;
    const SET: unsafe extern "C" fn(*mut Self, *mut c_void) -> Status;
}

// SAFETY: it is what the server's functions of these names do.
unsafe impl Keeper for api::Backend {
    const GET: unsafe extern "C" fn(*mut Self, *mut *mut c_void) -> Status =
        api::TRITONBACKEND_BackendState;
    const SET: unsafe extern "C" fn(*mut Self, *mut c_void) -> Status =
        api::TRITONBACKEND_BackendSetState;
}

// SAFETY: `TRITONBACKEND_ModelState` writes the pointer that `TRITONBACKEND_ModelSetState` has stored in the model, or null.
unsafe impl Keeper for api::Model {
    const GET: unsafe extern "C" fn(*mut Self, *mut *mut c_void) -> Status =
        api::TRITONBACKEND_ModelState;
    const SET: unsafe extern "C" fn(*mut Self, *mut c_void) -> Status =
        api::TRITONBACKEND_ModelSetState;
}

// SAFETY: `TRITONBACKEND_ModelInstanceState` writes the pointer that `TRITONBACKEND_ModelInstanceSetState` has stored, or null.
unsafe impl Keeper for api::Instance {
    const GET: unsafe extern "C" fn(*mut Self, *mut *mut c_void) -> Status =
        api::TRITONBACKEND_ModelInstanceState;
    const SET: unsafe extern "C" fn(*mut Self, *mut c_void) -> Status =
        api::TRITONBACKEND_ModelInstanceSetState;
}

/// An object whose state, once set, is an `S`.
#[allow(private_bounds)] // the keepers are those above
pub(crate) struct Kept<K: Keeper, S> {
    pub(super) raw: *mut K,
    state: PhantomData<S>,
}

#[allow(private_bounds)]
impl<K: Keeper, S> Kept<K, S> {
    /// # Safety
    /// The server keeps the object while this is used, and its state is an `S` that this type has set, or none.
    pub(crate) unsafe fn from_raw(raw: *mut K) -> Kept<K, S> {
        Kept { raw, state: PhantomData }
    }

    /// The state, if it is set.
    pub(crate) fn state(&self) -> Result<Option<&S>> {
        // SAFETY: the state is an `S` until it is taken, for which nobody may use the object.
        Ok(unsafe { self.raw_state()?.cast::<S>().as_ref() })
    }

    pub(crate) fn set_state(&self, state: Box<S>) -> Result<()> {
        // SAFETY: it is this type's state.
        unsafe { check(K::SET(self.raw, Box::into_raw(state).cast())) }
    }

    /// Takes the state away.
    ///
    /// # Safety
    /// Nobody uses it.
    pub(crate) unsafe fn take_state(&self) -> Result<Option<Box<S>>> {
        let state = self.raw_state()?;
        // SAFETY: it was made from a box, and no pointer to it remains.
        unsafe {
            check(K::SET(self.raw, null_mut()))?;
            Ok((!state.is_null()).then(|| Box::from_raw(state.cast::<S>())))
        }
    }

    fn raw_state(&self) -> Result<*mut c_void> {
        let mut state = null_mut();
        // SAFETY: it is written.
        unsafe { check(K::GET(self.raw, &mut state))? };
        Ok(state)
    }
}
