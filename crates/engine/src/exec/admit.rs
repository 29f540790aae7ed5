//! The start of a run: devices may delay it until others have ended.

use crate::context::{CancelFlag, Deadline};
use crate::error::RunError;
use std::sync::Arc;
use std::time::{Duration, Instant};
use trident_runtime::{Admission, Device, LaunchLimits};

/// How long a cancellable run waits before it checks its flag again.
pub(super) const LOOK: Duration = Duration::from_millis(1);

/// Waits until each device admits the run.
pub(crate) fn admit(
    devices: &[Arc<dyn Device>],
    limits: LaunchLimits,
    deadline: Option<Deadline>,
    cancel: Option<&CancelFlag>,
) -> Result<Vec<Admission>, RunError> {
    let admitted = |device: &Arc<dyn Device>| {
        loop {
            let look = cancel.map(|_| Instant::now() + LOOK);
            let until = [deadline.map(|d| d.at), look].into_iter().flatten().min();
            if let Some(admission) = device.admit(limits, until) {
                return Ok(admission);
            }
            let op = || format!("its beginning, as others keep `{}` busy", device.info().name);
            if cancel.is_some_and(CancelFlag::is_cancelled) {
                return Err(RunError::Cancelled { op: op() });
            }
            if let Some(Deadline { limit, .. }) = deadline.filter(|d| Instant::now() >= d.at) {
                return Err(RunError::Deadline { op: op(), limit });
            }
        }
    };
    devices.iter().map(admitted).collect()
}
