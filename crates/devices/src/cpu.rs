//! The CPU, and for tests the CPU behind a queue.

use std::sync::Arc;
use trident_jit::Compiler;
#[cfg(feature = "models")]
use trident_runtime::{Queued, QueuedOptions};

#[cfg(feature = "models")]
use crate::OpenModels;
use crate::{CPU, DeviceEntry, ForKernels, OpenKernels};

/// The CPU.
pub(crate) struct Cpu;

impl DeviceEntry for Cpu {
    fn name(&self) -> &'static str {
        CPU
    }

    fn kernels(&self) -> Option<OpenKernels> {
        Some(|settings| {
            let compiler = Compiler::for_machine(settings.threads);
            Ok(ForKernels { info: compiler.info(), compiler: Arc::new(compiler), gpu: None })
        })
    }

    #[cfg(feature = "models")]
    fn models(&self) -> Option<OpenModels> {
        Some(|choice| Ok(choice.cpu.clone()))
    }
}

/// The CPU behind a queue. Beside other devices it claims half of all ops, so that values cross between them.
#[cfg(feature = "models")]
pub(crate) struct QueuedCpu;

#[cfg(feature = "models")]
impl DeviceEntry for QueuedCpu {
    fn name(&self) -> &'static str {
        "queued"
    }

    fn is_for_tests(&self) -> bool {
        true
    }

    fn models(&self) -> Option<OpenModels> {
        Some(|choice| {
            let share = if choice.devices > 1 { 50 } else { 100 };
            let options = QueuedOptions { share, ..QueuedOptions::default() };
            Ok(Arc::new(Queued::new(choice.cpu.clone(), options)))
        })
    }
}
