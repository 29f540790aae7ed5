//! The start of a run: devices may delay it until others have ended.

use crate::context::{CancelFlag, Deadline};
use crate::error::{RunError, RunPoint};
use std::sync::Arc;
use trident_runtime::{Admission, AdmissionRequest, Device, Handover, LaunchLimits, StopCheck};

/// Waits until each device admits the run.
pub(crate) fn admit(
    devices: &[Arc<dyn Device>],
    limits: LaunchLimits,
    deadline: Option<Deadline>,
    cancel: Option<&CancelFlag>,
    handover: Option<Arc<dyn Handover>>,
) -> Result<Vec<Admission>, RunError> {
    let is_cancelled = || cancel.is_some_and(CancelFlag::is_cancelled);
    let stop = cancel.map(|flag| -> StopCheck {
        let flag = flag.clone();
        Arc::new(move || flag.is_cancelled())
    });
    let request = AdmissionRequest { limits, until: deadline.map(|d| d.at), stop, handover };
    let admitted = |device: &Arc<dyn Device>| {
        let admission = device.admit(request.clone());
        admission.ok_or_else(|| {
            let at = RunPoint::Admission { device: device.info().name.clone() };
            match deadline.filter(|_| !is_cancelled()) {
                Some(Deadline { limit, .. }) => RunError::Deadline { at, limit },
                None => RunError::Cancelled { at },
            }
        })
    };
    devices.iter().map(admitted).collect()
}
