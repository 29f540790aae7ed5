//! The functions that the server calls. Nothing else is exported.
//!
//! A panic must not reach the server, whose process it would end with all models: each function turns it into an error.

#![allow(unsafe_code)] // the server's interface is C

use crate::execute::{Seat, execute, finish, give_up};
use crate::library::Library;
use crate::served::Served;
use crate::server::log::log;
use crate::server::{
    Attributes, Backend, Error, Instance, Model, Request, Result, api, api_version,
};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;
use std::sync::Arc;

/// Called once, when the library is loaded.
///
/// # Safety
/// As of the server's interface: the backend is there until [`TRITONBACKEND_Finalize`].
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TRITONBACKEND_Initialize(
    backend: *mut api::Backend,
) -> api::Status {
    guarded("Initialize", || {
        fault("Initialize", || Ok(None))?;
        // SAFETY: the backend is there for the call; only this library sets its state.
        let backend = unsafe { Backend::<Library>::from_raw(backend) };
        let (major, minor) = api_version()?;
        if major != api::MAJOR || minor < api::MINOR {
            return Err(Error::unsupported(format!(
                "this library needs version {}.{} of the server's backend interface, or a later {}.x, but the server has \
                 {major}.{minor}",
                api::MAJOR,
                api::MINOR,
                api::MAJOR
            )));
        }
        let library = Library::new(backend.name()?, &backend.config()?)?;
        log!(Info, "backend '{}': Trident {}", library.name, env!("CARGO_PKG_VERSION"));
        backend.set_state(Box::new(library))
    })
}

/// Called once, before the server ends.
///
/// # Safety
/// As of the server's interface: all models are finalised, and nothing is called afterwards.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TRITONBACKEND_Finalize(backend: *mut api::Backend) -> api::Status {
    guarded("Finalize", || {
        fault("Finalize", || Ok(None))?;
        // SAFETY: the backend is there for the call, and its models are gone.
        drop(unsafe { Backend::<Library>::from_raw(backend).take_state()? });
        Ok(())
    })
}

/// Called once, after [`TRITONBACKEND_Initialize`].
///
/// # Safety
/// As the server's interface guarantees, both are valid during the call.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TRITONBACKEND_GetBackendAttribute(
    _: *mut api::Backend,
    attributes: *mut api::BackendAttribute,
) -> api::Status {
    guarded("GetBackendAttribute", || {
        fault("GetBackendAttribute", || Ok(None))?;
        // SAFETY: the attributes are there for the call.
        unsafe { Attributes::from_raw(attributes) }.make_instances_in_parallel()
    })
}

/// Called for each version of a model that is loaded, maybe for several at a time.
///
/// # Safety
/// As of the server's interface: the model is there until [`TRITONBACKEND_ModelFinalize`], as is its backend.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TRITONBACKEND_ModelInitialize(
    model: *mut api::Model,
) -> api::Status {
    guarded("ModelInitialize", || {
        // SAFETY: the model is there for the call; only this library sets its state and the backend's.
        let model = unsafe { Model::<Arc<Served>>::from_raw(model) };
        fault("ModelInitialize", || model.name().map(Some))?;
        // SAFETY: a model's backend outlives it, and only this library sets the backend's state, to a `Library`.
        let backend = unsafe { model.backend::<Library>()? };
        let library = backend.state()?.ok_or_else(|| Error::internal("no backend is loaded"))?;
        let served = Arc::new(Served::load(&model, library)?);
        let bytes = served.size();
        if bytes > 0
            && let Err(error) = model.report_memory(bytes)
        {
            log!(Verbose, "the server does not count the memory of '{}': {error}", served.name);
        }
        library.show(&served);
        model.set_state(Box::new(served))
    })
}

/// Called when a version of a model is unloaded, also if loading it has failed.
///
/// # Safety
/// As the server's interface guarantees, its instances are finalised, and it is not used afterwards.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TRITONBACKEND_ModelFinalize(model: *mut api::Model) -> api::Status {
    guarded("ModelFinalize", || {
        // SAFETY: the model is there for the call, and its instances are gone.
        let model = unsafe { Model::<Arc<Served>>::from_raw(model) };
        fault("ModelFinalize", || model.name().map(Some))?;
        // SAFETY: a model's backend outlives it, and only this library sets the backend's state, to a `Library`.
        let backend = unsafe { model.backend::<Library>()? };
        // SAFETY: only this library sets the model's state. The model's instances, which shared the state, are gone.
        let served = unsafe { model.take_state()? };
        if let (Some(library), Some(served)) = (backend.state()?, &served) {
            library.hide(served);
        }
        drop(served);
        trim();
        Ok(())
    })
}

/// Called for each instance of a model, maybe for several at a time.
///
/// # Safety
/// As of the server's interface: the instance is there until [`TRITONBACKEND_ModelInstanceFinalize`], as is its model.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TRITONBACKEND_ModelInstanceInitialize(
    instance: *mut api::Instance,
) -> api::Status {
    guarded("ModelInstanceInitialize", || {
        // SAFETY: the instance is there for the call; only this library sets its state and the model's.
        let instance = unsafe { Instance::<Seat>::from_raw(instance) };
        // SAFETY: an instance's model outlives it, and only this library sets the model's state, to an `Arc<Served>`.
        let model = unsafe { instance.model::<Arc<Served>>()? };
        fault("ModelInstanceInitialize", || model.name().map(Some))?;
        let served = model.state()?.ok_or_else(|| Error::internal("the model is not loaded"))?;
        let (name, served) = (instance.name()?, Arc::clone(served));
        instance.set_state(Box::new(Seat { name, served }))
    })
}

/// Called when an instance is not needed any more, also if making it has failed.
///
/// # Safety
/// As the server's interface guarantees, no execution is in progress, and it is not used afterwards.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TRITONBACKEND_ModelInstanceFinalize(
    instance: *mut api::Instance,
) -> api::Status {
    guarded("ModelInstanceFinalize", || {
        // SAFETY: the instance is there for the call, and nobody uses it.
        let instance = unsafe { Instance::<Seat>::from_raw(instance) };
        fault("ModelInstanceFinalize", || name_of(&instance).map(Some))?;
        // SAFETY: only this library sets the instance's state, and the server runs nothing on an instance that it finalises.
        drop(unsafe { instance.take_state()? });
        Ok(())
    })
}

/// Answers requests. They stay the server's if this returns an error; otherwise they have been answered and released.
///
/// # Safety
/// As of the server's interface: `requests` points to `count` requests; there is one call at a time for an instance.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TRITONBACKEND_ModelInstanceExecute(
    instance: *mut api::Instance,
    requests: *mut *mut api::Request,
    count: u32,
) -> api::Status {
    guarded("ModelInstanceExecute", || {
        // SAFETY: the instance is there for the call; only this library sets its state.
        let instance = unsafe { Instance::<Seat>::from_raw(instance) };
        let seat = instance.state()?.ok_or_else(|| Error::internal("the instance is not made"))?;
        fault("ModelInstanceExecute", || name_of(&instance).map(Some))?;
        let given = match count {
            0 => &[][..],
            // SAFETY: the server passes so many, and keeps the array for the call.
            count => unsafe { std::slice::from_raw_parts(requests, count as usize) },
        };
        let mut taken: Vec<Request> = Vec::with_capacity(given.len());
        // SAFETY: nothing returns an error from here, which tells the server that they are taken.
        taken.extend(given.iter().map(|request| unsafe { Request::take(*request) }));
        let done = catch_unwind(AssertUnwindSafe(|| {
            fault("ModelInstanceExecute:late", || name_of(&instance).map(Some))?;
            let done = execute(seat, &mut taken);
            fault("ModelInstanceExecute:answered", || name_of(&instance).map(Some))?;
            finish(&instance, seat, &mut taken, done);
            Ok(())
        }));
        if let Err(error) =
            done.unwrap_or_else(|panic| Err(panicked("ModelInstanceExecute", &*panic)))
        {
            give_up(&instance, &mut taken, &error);
        }
        Ok(())
    })
}

/// Returns memory to the system that loading and unloading a model leaves in the C library's heap, which would
/// otherwise grow with each reload.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn trim() {
    unsafe extern "C" {
        fn malloc_trim(pad: usize) -> i32;
    }
    // SAFETY: it may be called at any time; it locks what it changes.
    let _ = unsafe { malloc_trim(0) };
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn trim() {}

/// Runs an entry point; errors and panics become the server's errors.
fn guarded(entry: &str, body: impl FnOnce() -> Result<()>) -> api::Status {
    let done = catch_unwind(AssertUnwindSafe(body));
    let error = match done {
        Ok(Ok(())) => return null_mut(),
        Ok(Err(error)) => error,
        Err(panic) => panicked(entry, &*panic),
    };
    error.to_raw().into_status()
}

/// The error that stands for a panic.
fn panicked(entry: &str, panic: &(dyn std::any::Any + Send)) -> Error {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(|text| &**text));
    let text = text.unwrap_or("no message");
    let error = format!(
        "internal error: TRITONBACKEND_{entry} panicked: {text}; this is a bug in Trident, please report it with the model"
    );
    log!(Error, "{error}");
    Error::internal(error)
}

/// The name of an instance's model.
fn name_of(instance: &Instance<Seat>) -> Result<String> {
    // SAFETY: only this library sets the model's state.
    unsafe { instance.model::<Arc<Served>>()? }.name()
}

/// Panics in a build for tests if `TRITON_TRIDENT_PANIC` names this entry point, as `NAME` or `NAME@MODEL`.
#[cfg(feature = "panic-test")]
#[allow(clippy::panic)] // what the feature is for
fn fault(entry: &str, model: impl FnOnce() -> Result<Option<String>>) -> Result<()> {
    let asked = std::env::var("TRITON_TRIDENT_PANIC").unwrap_or_default();
    let (name, only) = asked.split_once('@').unwrap_or((&asked, ""));
    let model = if name == entry { model()? } else { return Ok(()) };
    if only.is_empty() || model.is_none_or(|model| model == only) {
        panic!("a test asks for it");
    }
    Ok(())
}

#[cfg(not(feature = "panic-test"))]
fn fault(_: &str, _: impl FnOnce() -> Result<Option<String>>) -> Result<()> {
    Ok(())
}
