//! A version of a model.

use super::api;
use super::backend::Backend;
use super::error::{Error, Result, check, text};
use super::kept::Kept;
use super::message::Message;
use std::path::PathBuf;
use std::ptr::{null, null_mut};

/// A model whose state, once set, is an `S`.
pub(crate) type Model<S> = Kept<api::Model, S>;

impl<S> Model<S> {
    pub(crate) fn name(&self) -> Result<String> {
        let mut name = null();
        // SAFETY: the name lives as long as the model.
        unsafe {
            check(api::TRITONBACKEND_ModelName(self.raw, &mut name))?;
            Ok(text(name))
        }
    }

    pub(crate) fn version(&self) -> Result<u64> {
        let mut version = 0;
        // SAFETY: it is written.
        unsafe { check(api::TRITONBACKEND_ModelVersion(self.raw, &mut version))? };
        Ok(version)
    }

    /// The folder of the model, which contains the folders of its versions.
    pub(crate) fn folder(&self) -> Result<PathBuf> {
        let (mut kind, mut location) = (0, null());
        // SAFETY: the text lives as long as the model.
        let location = unsafe {
            check(api::TRITONBACKEND_ModelRepository(self.raw, &mut kind, &mut location))?;
            text(location)
        };
        match kind {
            api::ARTIFACT_FILESYSTEM => Ok(PathBuf::from(location)),
            kind => {
                Err(Error::unsupported(format!("the model's files are of an unknown kind {kind}")))
            }
        }
    }

    /// The configuration with all defaults, as JSON.
    pub(crate) fn config(&self) -> Result<String> {
        let mut config = null_mut();
        // SAFETY: the message is the caller's.
        let message = unsafe {
            check(api::TRITONBACKEND_ModelConfig(self.raw, api::CONFIG_VERSION, &mut config))?;
            Message::own(config)
        };
        message.json()
    }

    /// Replaces inputs, outputs, batch size and scheduler of the configuration; only while the model is made.
    pub(crate) fn set_config(&self, json: &str) -> Result<()> {
        let message = Message::of(json)?;
        // SAFETY: the message stays here.
        unsafe {
            let config = message.as_ptr();
            check(api::TRITONBACKEND_ModelSetConfig(self.raw, api::CONFIG_VERSION, config))
        }
    }

    /// Whether the backend is to fill in what the configuration leaves out.
    pub(crate) fn is_to_complete(&self) -> Result<bool> {
        let mut complete = false;
        // SAFETY: it is written.
        unsafe { check(api::TRITONBACKEND_ModelAutoCompleteConfig(self.raw, &mut complete))? };
        Ok(complete)
    }

    /// Its backend, whose state is a `B`.
    ///
    /// # Safety
    /// As of [`Backend::from_raw`].
    pub(crate) unsafe fn backend<B>(&self) -> Result<Backend<B>> {
        let mut backend = null_mut();
        // SAFETY: a backend outlives its models; the state is as the caller says.
        unsafe {
            check(api::TRITONBACKEND_ModelBackend(self.raw, &mut backend))?;
            Ok(Backend::from_raw(backend))
        }
    }

    /// Reports how much of the host's memory the model takes, in bytes.
    pub(crate) fn report_memory(&self, bytes: usize) -> Result<()> {
        let mut attributes = null_mut();
        // SAFETY: the attributes are made, filled, reported, for which they are copied, and deleted.
        unsafe {
            check(api::TRITONSERVER_BufferAttributesNew(&mut attributes))?;
            let filled =
                check(api::TRITONSERVER_BufferAttributesSetMemoryType(attributes, api::MEMORY_CPU))
                    .and_then(|()| {
                        check(api::TRITONSERVER_BufferAttributesSetMemoryTypeId(attributes, 0))
                    })
                    .and_then(|()| {
                        check(api::TRITONSERVER_BufferAttributesSetByteSize(attributes, bytes))
                    })
                    .and_then(|()| {
                        check(api::TRITONBACKEND_ModelReportMemoryUsage(
                            self.raw,
                            &mut attributes,
                            1,
                        ))
                    });
            check(api::TRITONSERVER_BufferAttributesDelete(attributes)).and(filled)
        }
    }
}
