//! Bodies of inference requests: a JSON text, and bytes of tensors after it.

mod read;
mod source;
mod write;

pub use read::read;
pub use write::{Body, write};

#[cfg(test)]
mod tests;
