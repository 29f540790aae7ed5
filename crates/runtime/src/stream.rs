//! Queues of a device, and what is given for a launch that was submitted to one.

use crate::{Fence, KernelError, Later, Value};
use std::any::Any;
use std::sync::{Arc, LazyLock};

/// A queue of a device. Launches on one stream run one after another in the order in which they were submitted, those on
/// different streams in any order that fences leave open. Until a launch has ended, its stream holds all memory that the
/// launch reads or writes. A stream that is dropped still does what was submitted.
pub trait Stream: Any + Send + Sync {
    /// A fence behind everything that was submitted so far.
    fn fence(&self) -> Fence;

    /// Whether a launch has ended when its submission returns: its operands should be at hand by then.
    fn is_synchronous(&self) -> bool;

    /// Leaves out the launches that have not begun: they end as [`KernelError::Cancelled`].
    fn cancel(&self);
}

/// The stream of a synchronous device: the caller's thread.
#[derive(Debug)]
pub struct Immediate;

impl Immediate {
    /// The stream, made once for all.
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

/// A launch that was submitted.
#[derive(Clone, Debug)]
pub struct Submitted {
    /// What it gives.
    pub outputs: Outputs,
    /// Behind it.
    pub fence: Fence,
}

/// Outputs of a submitted launch in the order of the unit's; `None` for those that nobody asked for.
#[derive(Clone, Debug)]
pub enum Outputs {
    /// Values whose types are known. Their elements may come with the fence: reading them waits.
    Known(Vec<Option<Value>>),
    /// Types are known after the launch only.
    Later(Later),
}

impl Submitted {
    /// A launch that has ended.
    pub fn ended(outputs: Vec<Option<Value>>) -> Submitted {
        Submitted { outputs: Outputs::Known(outputs), fence: Fence::PASSED }
    }

    /// Waits for the launch and gives its outputs, all of them at hand.
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
