//! Inference requests and answers as messages.

mod contents;
mod parameters;
mod read;
mod write;

pub(super) use read::{Asked, read};
pub(super) use write::answer;
