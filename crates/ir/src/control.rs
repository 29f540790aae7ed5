//! How the operands and results of control-flow ops meet the parameters and results of their regions.

use crate::{Op, OpKind, ops};

/// The value that a parameter of a region takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Param {
    /// The number of the iteration, an i64.
    Iteration,
    /// The condition under which the iteration runs, a bool.
    Condition,
    /// At first this operand, then what the run before yielded.
    Carried(usize),
    /// One slice, or one element, of this operand.
    Slice(usize),
}

/// The use of a result of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Yield {
    /// Whether to go on, a bool.
    Condition,
    /// This result of the op, as the last run yields it.
    Last(usize),
    /// One slice, or one element, of this result of the op.
    Slice(usize),
}

/// Operands of a loop before the carried values: trip count and condition.
const LOOP_HEAD: usize = 2;

/// Operands of `for` before the carried values: bounds and step.
const FOR_HEAD: usize = 3;

/// Number of values that are carried from run to run.
fn carried(op: &Op) -> usize {
    match op.kind {
        OpKind::Loop => op.inputs.len().saturating_sub(LOOP_HEAD),
        OpKind::Scan => op.inputs.len().saturating_sub(slices(op)),
        OpKind::For => op.inputs.len().saturating_sub(FOR_HEAD),
        _ => 0,
    }
}

/// Number of operands that a scan takes slice by slice.
fn slices(op: &Op) -> usize {
    ops::Scan::of(op).and_then(|op| usize::try_from(op.num_scan_inputs()).ok()).unwrap_or(0)
}

/// The values that the parameters of each region of `op` take.
pub fn params(op: &Op) -> Vec<Param> {
    let n = carried(op);
    match op.kind {
        OpKind::Loop => {
            let carried = (0..n).map(|i| Param::Carried(i + LOOP_HEAD));
            [Param::Iteration, Param::Condition].into_iter().chain(carried).collect()
        }
        OpKind::Scan => {
            let slices = (n..op.inputs.len()).map(Param::Slice);
            (0..n).map(Param::Carried).chain(slices).collect()
        }
        OpKind::Fused => (0..op.inputs.len()).map(Param::Slice).collect(),
        // The counter has the type of the lower bound.
        OpKind::For => {
            [0].into_iter().chain((0..n).map(|i| i + FOR_HEAD)).map(Param::Carried).collect()
        }
        _ => vec![],
    }
}

/// The uses of the results of each region of `op`.
pub fn yields(op: &Op) -> Vec<Yield> {
    let head = (op.kind == OpKind::Loop).then_some(Yield::Condition);
    let n = match op.kind {
        OpKind::If | OpKind::Reduce | OpKind::PrefixScan => op.outputs.len(),
        _ => carried(op),
    };
    let results = 0..op.outputs.len().max(n);
    head.into_iter()
        .chain(results.map(|i| if i < n { Yield::Last(i) } else { Yield::Slice(i) }))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Func, ValueId};

    fn op(text: &str) -> Op {
        let text = format!("func @f graph (%a: f32[], %b: f32[], %c: f32[]) {{ {text} return }}");
        let mut func: Func = text.parse().unwrap();
        func.body.ops.remove(0)
    }

    #[test]
    fn loops_carry_what_follows_trip_count_and_condition() {
        let op = op("%x, %y = loop(%a, _, %b) : f32[], f32[] region { yield }");
        assert_eq!(params(&op), [Param::Iteration, Param::Condition, Param::Carried(2)]);
        assert_eq!(yields(&op), [Yield::Condition, Yield::Last(0), Yield::Slice(1)]);
    }

    #[test]
    fn scans_take_the_last_operands_in_slices() {
        let op =
            op("%x, %y = scan(%a, %b, %c) {num_scan_inputs = 2} : f32[], f32[] region { yield }");
        assert_eq!(params(&op), [Param::Carried(0), Param::Slice(1), Param::Slice(2)]);
        assert_eq!(yields(&op), [Yield::Last(0), Yield::Slice(1)]);
    }

    #[test]
    fn branches_yield_the_results() {
        let op = op("%x, _ = if(%a) : f32[] region { yield } region { yield }");
        assert_eq!(params(&op), []);
        assert_eq!(yields(&op), [Yield::Last(0), Yield::Last(1)]);
    }

    #[test]
    fn senseless_counts_do_not_overflow() {
        for n in [-1, 4, i64::MAX] {
            let op =
                op(&format!("%x = scan(%a) {{num_scan_inputs = {n}}} : f32[] region {{ yield }}"));
            assert!(params(&op).len() == 1 && yields(&op).len() == 1);
        }
        let op = Op::new(OpKind::Loop, vec![], vec![Some(ValueId(0))]);
        assert_eq!(yields(&op), [Yield::Condition, Yield::Slice(0)]);
    }
}
