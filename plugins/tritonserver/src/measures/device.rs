//! The memory of a device.

use super::families::{Families, Following, MEMORY, all, several};
use crate::server::{Kind, Result};
use std::sync::Arc;
use trident_runtime::{Device, MemoryStats, PoolStats};

pub(super) struct OfDevice {
    device: Arc<dyn Device>,
    memory: [Following; MEMORY.len()],
    given_back: [Following; REASONS.len()],
}

/// Reasons for returning memory: its age, too much reserved memory, an unloaded model, a request.
const REASONS: [&str; 4] = ["age", "size", "unload", "asked"];

impl OfDevice {
    pub(super) fn new(
        families: &Families,
        backend: &str,
        device: &Arc<dyn Device>,
    ) -> Result<OfDevice> {
        let name = &device.info().name;
        let labels = [("backend", backend), ("device", &**name)];
        let given_back = |reason| {
            let labels = [labels[0], labels[1], ("reason", reason)];
            Following::new(&families.given_back, Kind::Counter, &labels)
        };
        Ok(OfDevice {
            device: Arc::clone(device),
            memory: all(&families.memory, MEMORY, &labels)?,
            given_back: several(REASONS, given_back)?,
        })
    }

    /// Whether it is the device of this name.
    pub(super) fn is(&self, name: &str) -> bool {
        self.device.info().name == name
    }

    pub(super) fn update(&mut self) {
        let MemoryStats {
            buffers, reserved, peak_reserved, cached, given_back, fragmentation, ..
        } = self.device.memory().device_stats();
        let PoolStats { live, elsewhere, peak, hits, misses } = buffers;
        let reserved = [reserved as f64, peak_reserved as f64, cached as f64, fragmentation];
        let values = [live as f64, peak as f64].into_iter().chain(reserved);
        let values = values.chain([elsewhere as f64, hits as f64, misses as f64]);
        self.memory.iter_mut().zip(values).for_each(|(metric, value)| metric.follow(value));
        let given_back =
            [given_back.age, given_back.size, given_back.unload, given_back.asked].into_iter();
        let metrics = self.given_back.iter_mut();
        metrics.zip(given_back).for_each(|(metric, bytes)| metric.follow(bytes as f64));
    }
}
