//! Runs modules: places their ops on devices, plans lifetimes and memory, executes the plan.
//!
//! [`Session`] is the whole interface, with an [`Entry`] for each function. Creating a session optimises the module,
//! assigns each op to a device, has the device compile it (choose a kernel, pack constant operands) and determines
//! where each value is last used. A run follows the plan; control flow (`if`, `loop`, `scan`) is executed here,
//! everything else by the devices.
//!
//! The engine does not depend on particular devices: it is given a list and asks each for its estimates.

mod context;
mod direct;
mod entry;
mod error;
mod evaluate;
mod exec;
mod form;
mod ledger;
mod optimized;
mod place;
mod plan;
mod profile;
mod recent;
mod session;
mod signature;
mod state;
mod variant;

pub use context::{CancelFlag, Partial, RunContext, Sink};
pub use entry::Entry;
pub use error::{InputError, OpFailure, PlanError, RunError, RunPoint};
pub use form::{DeviceForm, Form};
pub use ledger::Unfolded;
pub use optimized::{Optimized, OptimizedEntry, Overridable};
pub use place::{Placement, Region};
pub use plan::report::{MemoryReport, PlanReport, RowDependent, StepReport};
pub use profile::{Event, OpTotal, Profile, Profiling};
pub use session::{Options, Session};
pub use signature::{OptionalInput, Signature};
pub use state::State;
pub use trident_ir::rewrite::PassReport;
pub use trident_passes::{PassOptions, rows};
pub use trident_runtime::Handover;
