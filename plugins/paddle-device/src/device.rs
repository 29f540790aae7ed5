//! The devices behind `mps:0`, `mps:1` …, and their memory.

use std::collections::HashMap;
use std::env;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use trident_devices::{DeviceSettings, names, open};
use trident_runtime::{Buffer, Device, PAGE, Pool};

/// A device of Paddle.
pub(crate) struct PaddleDevice {
    /// The device that runs kernels.
    pub(crate) device: Arc<dyn Device>,
    /// The device that computes on constants when a function is compiled.
    pub(crate) folder: Arc<dyn Device>,
    /// The memory of tensors.
    pool: Pool,
    /// Blocks that Paddle has, by their addresses.
    blocks: Mutex<HashMap<usize, Buffer>>,
}

static DEVICES: OnceLock<Vec<PaddleDevice>> = OnceLock::new();

/// Opens the devices that `TRIDENT_DEVICE` names, by default the CPU: one device of Paddle for each name, so `cpu,cpu` are two.
///
/// # Errors
/// The reason why a device cannot be opened.
pub(crate) fn open_devices() -> Result<(), String> {
    if DEVICES.get().is_some() {
        return Ok(());
    }
    let choice = match env::var("TRIDENT_DEVICE") {
        Ok(choice) => choice,
        Err(env::VarError::NotPresent) => "cpu".to_owned(),
        Err(error) => return Err(format!("TRIDENT_DEVICE: {error}")),
    };
    let opened = names(&choice).into_iter().map(|name| {
        let opened = open(Some(name), &DeviceSettings::default()).and_then(|it| it.models());
        let opened = opened.map_err(|error| format!("TRIDENT_DEVICE={choice}: {error}"))?;
        let device = opened.devices.into_iter().next();
        let device = device.ok_or_else(|| format!("TRIDENT_DEVICE={choice}: no device"))?;
        let pool = device.memory().child("paddle");
        Ok(PaddleDevice { device, folder: opened.folder, pool, blocks: Mutex::default() })
    });
    let opened = opened.collect::<Result<Vec<_>, String>>()?;
    // A second call in parallel has opened the same ones.
    let _ = DEVICES.set(opened);
    Ok(())
}

/// The number of devices.
pub(crate) fn device_count() -> usize {
    DEVICES.get().map_or(0, Vec::len)
}

/// A device by its number in Paddle.
pub(crate) fn device(number: usize) -> Option<&'static PaddleDevice> {
    DEVICES.get()?.get(number)
}

/// Bytes of memory of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Memory {
    /// All there is.
    pub(crate) total: usize,
    /// The part that Paddle has not taken.
    pub(crate) free: usize,
}

impl PaddleDevice {
    /// Memory for tensors, aligned to pages: its address. `None` if there is too little.
    pub(crate) fn allocate(&self, bytes: usize) -> Option<usize> {
        let bytes = bytes.max(1).checked_next_multiple_of(PAGE)?;
        let buffer = self.pool.alloc(bytes)?;
        let address = buffer.bytes().as_ptr().addr();
        self.blocks().insert(address, buffer);
        Some(address)
    }

    /// Returns memory. False if the address is not one of [`PaddleDevice::allocate`].
    pub(crate) fn free(&self, address: usize) -> bool {
        // Its memory goes back to the pool after the lock has been released.
        let block = self.blocks().remove(&address);
        block.is_some()
    }

    /// The hardware's name, and the part of it that is used.
    pub(crate) fn description(&self) -> &str {
        &self.device.info().description
    }

    /// Returns memory that is not in use to the system.
    pub(crate) fn give_back(&self) {
        self.pool.empty_cache();
    }

    /// The machine's memory, which the device shares.
    pub(crate) fn memory(&self) -> Memory {
        let total = machine_bytes();
        Memory { total, free: total.saturating_sub(self.pool.stats().live) }
    }

    fn blocks(&self) -> std::sync::MutexGuard<'_, HashMap<usize, Buffer>> {
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Bytes of the machine's memory.
fn machine_bytes() -> usize {
    crate::abi::system::memory_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_return_to_the_pool() {
        open_devices().unwrap();
        let device = device(0).unwrap();
        let before = device.memory();
        let address = device.allocate(5_000).unwrap();
        assert!(address.is_multiple_of(PAGE), "{address:#x}");
        assert!(device.memory().free <= before.free - 5_000);
        assert!(device.free(address) && !device.free(address));
        assert_eq!(device.memory(), before);
        assert_eq!(device.allocate(usize::MAX), None);
        let empty = device.allocate(0).unwrap();
        assert!(device.free(empty));
    }
}
