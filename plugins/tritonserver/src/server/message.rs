//! JSON texts that the server owns or takes.

use super::api;
use super::error::{Result, check};
use std::ptr::null_mut;

/// A message that is deleted with this.
pub(crate) struct Message(*mut api::Message);

impl Message {
    /// # Safety
    /// `message` is a message that nobody else deletes.
    pub(crate) unsafe fn own(message: *mut api::Message) -> Message {
        Message(message)
    }

    pub(crate) fn of(json: &str) -> Result<Message> {
        let mut message = null_mut();
        // SAFETY: the text has that many bytes and is copied.
        unsafe {
            check(api::TRITONSERVER_MessageNewFromSerializedJson(
                &mut message,
                json.as_ptr().cast(),
                json.len(),
            ))?;
        }
        Ok(Message(message))
    }

    pub(crate) fn json(&self) -> Result<String> {
        // SAFETY: it is a message until it is dropped.
        unsafe { json(self.0) }
    }

    pub(crate) fn as_ptr(&self) -> *mut api::Message {
        self.0
    }
}

impl Drop for Message {
    fn drop(&mut self) {
        // SAFETY: nobody else has it.
        let _ = unsafe { check(api::TRITONSERVER_MessageDelete(self.0)) };
    }
}

/// A message's text.
///
/// # Safety
/// `message` is one.
pub(crate) unsafe fn json(message: *mut api::Message) -> Result<String> {
    let (mut base, mut size) = (std::ptr::null(), 0);
    // SAFETY: it is a message, and its text, which is not changed, lives as long.
    let bytes = unsafe {
        check(api::TRITONSERVER_MessageSerializeToJson(message, &mut base, &mut size))?;
        match base.is_null() {
            true => &[],
            false => std::slice::from_raw_parts(base.cast::<u8>(), size),
        }
    };
    Ok(String::from_utf8_lossy(bytes).into_owned())
}
