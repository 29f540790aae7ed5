//! Checks and times the pool of buffers: `pool-bench [--quick]`.
//!
//! Four threads take and drop buffers at random while a simple model knows who has what. Traffic that was recorded of models, and
//! random traffic like theirs, is timed beside mimalloc. And after a spike, the process has to become as small as before.

mod model;
mod random;
mod recorded;
mod spike;
mod traffic;

use anyhow::{Result, bail};

fn main() -> Result<()> {
    let quick = match std::env::args().skip(1).collect::<Vec<_>>().as_slice() {
        [] => false,
        [option] if option == "--quick" => true,
        other => bail!("unknown arguments {other:?}; the only option is --quick"),
    };
    model::run(if quick { 500_000 } else { 10_000_000 })?;
    spike::run()?;
    traffic::run(if quick { 5 } else { 21 })
}
