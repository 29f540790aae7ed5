//! The commands, one a file.

pub(crate) mod bench;
pub(crate) mod devices;
pub(crate) mod inspect;
pub(crate) mod run;
pub(crate) mod worker;
