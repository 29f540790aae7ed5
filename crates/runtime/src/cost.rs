//! The cost of running ops, estimated from a device's rates.

use trident_ir::cost::flops;
use trident_ir::{DType, Func, Op, ValueId};

/// An estimate, for choosing between devices and for reports.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Number of floating-point or integer operations.
    pub flops: f64,
    /// Bytes read and written.
    pub bytes: f64,
    /// Nanoseconds, including launch overhead.
    pub nanos: f64,
}

/// A device's rates, for estimates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Operations a second.
    pub flops: f64,
    /// Bytes a second from memory.
    pub bandwidth: f64,
    /// Nanoseconds from one op to the next.
    pub launch_nanos: f64,
}

impl Rates {
    /// The cost of these ops, each a launch. Unknown sizes count as 0.
    pub fn cost(&self, func: &Func, ops: &[&Op]) -> Cost {
        let dims = |ids: &[Option<ValueId>]| -> Vec<Vec<usize>> {
            ids.iter().map(|v| v.and_then(|v| func.ty(v).dims()).unwrap_or_default()).collect()
        };
        let size = |v: ValueId| -> f64 {
            let elements = func.ty(v).dims().map_or(0.0, |d| d.iter().map(|&n| n as f64).product());
            elements * func.ty(v).dtype().map_or(0, DType::size) as f64
        };
        let mut cost = Cost::default();
        for op in ops {
            let flops = flops(op, &dims(&op.inputs), &dims(&op.outputs));
            let bytes: f64 = op.used().chain(op.defined()).map(size).sum();
            // Whichever of arithmetic and memory takes longer hides the other.
            let busy = (flops / self.flops).max(bytes / self.bandwidth);
            cost.flops += flops;
            cost.bytes += bytes;
            cost.nanos += self.launch_nanos + busy * 1e9;
        }
        cost
    }
}
