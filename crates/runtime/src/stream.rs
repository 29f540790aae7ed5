//! Queues of a device, and submitted launches.

use crate::{Fence, KernelError, Later, Value};
use std::any::Any;
use std::sync::{Arc, LazyLock};

/// A queue of a device. Launches on one stream run one after another in the order of submission; launches on different
/// streams run in any order that fences permit. Until a launch has ended, its stream holds all memory that the launch
/// reads or writes. A dropped stream still runs what was submitted.
pub trait Stream: Any + Send + Sync {
    /// A fence after everything submitted so far.
    fn fence(&self) -> Fence;

    /// Whether a launch has ended when its submission returns; its operands should then be available beforehand.
    fn is_synchronous(&self) -> bool;

    /// Skips the launches that have not begun: they end as [`KernelError::Cancelled`].
    fn cancel(&self);
}

/// The stream of a synchronous device: the caller's thread.
#[derive(Debug)]
pub struct Immediate;

impl Immediate {
    /// The shared stream.
    pub fn stream() -> Arc<dyn Stream> {
        static STREAM: LazyLock<Arc<Immediate>> = LazyLock::new(|| Arc::new(Immediate));
        STREAM.clone()
    }
}

impl Stream for Immediate {
    fn fence(&self) -> Fence {
        Fence::PASSED
    }

    fn is_synchronous(&self) -> bool {
        true
    }

    fn cancel(&self) {}
}

/// A submitted launch.
#[derive(Clone, Debug)]
pub struct Submitted {
    /// Its outputs.
    pub outputs: Outputs,
    /// Passed when the launch has ended.
    pub fence: Fence,
}

/// Outputs of a submitted launch in the order of the unit's; `None` for those not requested.
#[derive(Clone, Debug)]
pub enum Outputs {
    /// Values whose types are known. Their elements may be pending: reading them waits for the fence.
    Known(Vec<Option<Value>>),
    /// Values whose types are known only after the launch.
    Later(Later),
}

impl Submitted {
    /// A launch that has ended.
    pub fn ended(outputs: Vec<Option<Value>>) -> Submitted {
        Submitted { outputs: Outputs::Known(outputs), fence: Fence::PASSED }
    }

    /// Waits for the launch and returns its outputs, all of them available.
    pub fn wait(self) -> Result<Vec<Option<Value>>, KernelError> {
        self.fence.wait()?;
        let mut outputs = match self.outputs {
            Outputs::Known(outputs) => outputs,
            Outputs::Later(later) => later.wait()?,
        };
        outputs.iter_mut().flatten().try_for_each(Value::settle)?;
        Ok(outputs)
    }
}
