//! The beginning of a run: devices may let it wait until others have ended.

use crate::context::{CancelFlag, Deadline};
use crate::error::RunError;
use std::sync::Arc;
use std::time::{Duration, Instant};
use trident_runtime::{Admission, Device, LaunchLimits};

/// How long a run that can be cancelled waits before it looks at its flag again.
pub(super) const LOOK: Duration = Duration::from_millis(1);

/// Waits until each device lets the run begin.
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
