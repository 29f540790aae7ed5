//! The streams of a run and its launches in flight.

use super::launch::Operands;
use crate::plan::Step;
use std::cell::{OnceCell, RefCell};
use std::sync::Arc;
use trident_runtime::{Device, Fence, Stream};

/// Number of recorded launches at which successful ones are dropped.
const MANY: usize = 32;

/// A launch that had not ended, or had failed, when its submission returned.
pub(super) struct InFlight<'a> {
    pub(super) fence: Fence,
    pub(super) step: &'a Step,
    pub(super) operands: Operands,
}

/// Streams by device, opened on first use.
pub(crate) struct Streams<'a> {
    devices: &'a [Arc<dyn Device>],
    open: Vec<OnceCell<Arc<dyn Stream>>>,
    /// In order of submission, so that none depends on a later one.
    in_flight: RefCell<Vec<InFlight<'a>>>,
}

impl<'a> Streams<'a> {
    pub(crate) fn new(devices: &'a [Arc<dyn Device>]) -> Streams<'a> {
        let open = devices.iter().map(|_| OnceCell::new()).collect();
        Streams { devices, open, in_flight: RefCell::default() }
    }

    /// The stream of a device, by its position in the session's list.
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

    /// Removes and returns the launches in flight.
    pub(super) fn take(&self) -> Vec<InFlight<'a>> {
        self.in_flight.take()
    }

    /// Waits for all launches in flight, so that their memory is free; failures are reported later. Returns whether
    /// there were any.
    pub(super) fn quiesce(&self) -> bool {
        let in_flight = self.in_flight.borrow();
        in_flight.iter().for_each(|launch| drop(launch.fence.wait()));
        !in_flight.is_empty()
    }

    /// Waits until all launches have ended or been cancelled, so that none holds memory.
    pub(super) fn settle(&self) {
        self.open.iter().filter_map(OnceCell::get).for_each(|stream| drop(stream.fence().wait()));
    }

    /// Cancels launches that have not begun.
    pub(super) fn cancel(&self) {
        self.open.iter().filter_map(OnceCell::get).for_each(|stream| stream.cancel());
    }
}
