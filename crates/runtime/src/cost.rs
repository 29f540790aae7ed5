//! The cost of running ops, estimated from a device's rates.

use trident_ir::cost::{flops, typical_bytes, typical_dims};
use trident_ir::{Func, Op, ValueId};

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
    /// The cost of these ops, each a launch. A dimension that is not known counts as [`TYPICAL_SIZE`](trident_ir::cost::TYPICAL_SIZE), and a tensor of unknown
    /// rank as a square of that size.
    pub fn cost(&self, func: &Func, ops: &[&Op]) -> Cost {
        let dims = |ids: &[Option<ValueId>]| -> Vec<Vec<usize>> {
            ids.iter().map(|v| v.map(|v| typical_dims(func, v)).unwrap_or_default()).collect()
        };
        let mut cost = Cost::default();
        for op in ops {
            let flops = flops(op, &dims(&op.inputs), &dims(&op.outputs));
            let bytes: f64 = op.used().chain(op.defined()).map(|v| typical_bytes(func, v)).sum();
            // Whichever of arithmetic and memory takes longer hides the other.
            let busy = (flops / self.flops).max(bytes / self.bandwidth);
            cost.flops += flops;
            cost.bytes += bytes;
            cost.nanos += self.launch_nanos + busy * 1e9;
        }
        cost
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trident_ir::cost::TYPICAL_SIZE;

    #[test]
    fn dimensions_that_are_not_known_count_as_typical_ones() {
        let cost = |ty: &str, size: usize| {
            let text = format!(
                "func @f graph (%x: {ty}, %w: f32[{size}, {size}]) -> ({ty}) {{
                    %y = matmul(%x, %w) : {ty}
                    return %y
                }}"
            );
            let func: Func = text.parse().unwrap();
            let rates = Rates { flops: 1e9, bandwidth: 1e9, launch_nanos: 100.0 };
            rates.cost(&func, &[&func.body.ops[0]])
        };
        assert_eq!(cost("f32[N, 8]", 8), cost(&format!("f32[{TYPICAL_SIZE}, 8]"), 8));
        let square = format!("f32[{TYPICAL_SIZE}, {TYPICAL_SIZE}]");
        assert_eq!(cost("f32[*]", TYPICAL_SIZE), cost(&square, TYPICAL_SIZE));
    }
}
