//! The streams of a run and the launches that are on their way.

use super::launch::Operands;
use crate::plan::Step;
use std::cell::{OnceCell, RefCell};
use std::sync::Arc;
use trident_runtime::{Device, Fence, Stream};

/// Launches kept for their errors from which on those that ended well are dropped.
const MANY: usize = 32;

/// A launch that had not ended when it was submitted.
pub(super) struct InFlight<'a> {
    pub(super) fence: Fence,
    pub(super) step: &'a Step,
    pub(super) operands: Operands,
}

/// Streams by device, opened at first use.
pub(crate) struct Streams<'a> {
    devices: &'a [Arc<dyn Device>],
    open: Vec<OnceCell<Arc<dyn Stream>>>,
    /// In the order of submission, which is one in which none depends on a later one.
    in_flight: RefCell<Vec<InFlight<'a>>>,
}

impl<'a> Streams<'a> {
    pub(crate) fn new(devices: &'a [Arc<dyn Device>]) -> Streams<'a> {
        let open = devices.iter().map(|_| OnceCell::new()).collect();
        Streams { devices, open, in_flight: RefCell::default() }
    }

    /// The stream of a device, by its place in the session's list.
    pub(super) fn of(&self, device: usize) -> &dyn Stream {
        &**self.open[device].get_or_init(|| self.devices[device].stream())
    }

    pub(super) fn push(&self, launch: InFlight<'a>) {
        let mut in_flight = self.in_flight.borrow_mut();
        if in_flight.len() >= MANY {
            in_flight.retain(|launch| launch.fence.outcome() != Some(Ok(())));
        }
        in_flight.push(launch);
    }

    /// The launches on their way, which are then forgotten here.
    pub(super) fn take(&self) -> Vec<InFlight<'a>> {
        self.in_flight.take()
    }

    /// Waits for all launches on their way, so that their memory is free; how they ended is told later. Whether there
    /// were any.
    pub(super) fn quiesce(&self) -> bool {
        let in_flight = self.in_flight.borrow();
        in_flight.iter().for_each(|launch| drop(launch.fence.wait()));
        !in_flight.is_empty()
    }

    /// Leaves out what has not begun.
    pub(super) fn cancel(&self) {
        self.open.iter().filter_map(OnceCell::get).for_each(|stream| stream.cancel());
    }
}
