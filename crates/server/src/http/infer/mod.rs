//! Bodies of inference requests: a JSON text, and bytes of tensors after it.

mod raw;
mod read;
mod source;
mod write;

pub use raw::read_raw;
pub use read::read;
pub use write::{Body, write};

pub(super) use read::{parameter_of, text_of, unable};
pub(super) use source::{data_of, not_in_json};
pub(crate) use write::elements;
pub(super) use write::parameter;

#[cfg(test)]
mod tests;
