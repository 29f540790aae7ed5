//! The commands, one in each file.

pub(crate) mod bench;
pub(crate) mod compile;
pub(crate) mod convert;
pub(crate) mod devices;
pub(crate) mod inspect;
mod launch;
mod report;
pub(crate) mod run;
mod several;
pub(crate) mod worker;
