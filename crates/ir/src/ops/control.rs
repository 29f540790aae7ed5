//! Control flow, and chains of elementwise ops.

use super::common::{given, open};
use crate::cost::Work;
use crate::op::grammar::ops;
use crate::tile::region::{FOR_HEAD, operands};
use crate::tile::{Site, Types};
use crate::{DType, Type, ops};

ops! {
    /// Runs region 0 if the condition holds, else region 1. The results are what the region yields.
    If "if" Control (cond: Bool) -> (outputs[many]: Regions) {} onnx "" 1 regions 2 shape given tile if_types lane if_types;
    /// Repeats the region at most `trip_count` times while the condition holds. The region takes the iteration number,
    /// the condition and the carried values, and yields the condition, the carried values and one slice of each scan output.
    Loop "loop" Control (trip_count[opt]: I64, cond[opt]: Bool, init[many]: Value) -> (outputs[many]: Regions) {}
        onnx "" 1 regions 1 shape given;
    /// Runs the region once for each slice of the last `num_scan_inputs` operands along their scan axes; the region takes
    /// the states and the slices and yields the states and slices of the outputs.
    Scan "scan" Control (xs[many]: Value) -> (outputs[many]: Regions) {
        num_scan_inputs: Int, scan_input_axes[opt]: Ints, scan_output_axes[opt]: Ints,
        scan_input_directions[opt]: Ints, scan_output_directions[opt]: Ints,
    } onnx "" 8 regions 1 shape given;
    /// Runs the region for lower, lower + step, … below upper (signed; step is positive). Its parameters are the
    /// counter and the carried values, and it yields the next carried values. The results are the last ones.
    For "for" Control (lower, upper, step, init[many]: Value) -> (outputs[many]: Regions) {}
        regions 1 tile for_types lane for_types;
    /// The first region takes the carried values and yields a condition and values. While the condition holds, the
    /// second region takes these values and yields the next carried values. The results are the values of the first
    /// region's last run.
    While "while" Control (init[many]: Value) -> (outputs[many]: Declared) {} regions 2 tile while_types lane while_types;
    /// Calls function `callee` of the module.
    Call "call" Control (args[many]: Value) -> (results[many]: Declared) { callee: Str } effect Write tile open lane open;
    /// A chain of elementwise ops in one. The operands broadcast to each other, and the region computes an element of the
    /// result from one of each: its parameters, results and ops have rank 0.
    Fused "fused" Fused (xs[many]) -> (y: Regions) {} regions 1 shape given flops fused_flops;
}

/// The operations that the region computes, for each element of the result.
fn fused_flops(work: &Work<'_>) -> f64 {
    work.out() * work.op.regions.first().map_or(0.0, |region| region.ops.len() as f64)
}

/// At levels tile and lane.
fn if_types(site: &Site<'_>) -> Types {
    site.expect(ops::If::AT.cond, &truth())?;
    all(site.types(&site.region(0)?.results))
}

fn for_types(site: &Site<'_>) -> Types {
    let (dtype, _) = site
        .elements(ops::For::AT.lower, "one i32 or i64", |d| matches!(d, DType::I32 | DType::I64))?;
    (0..FOR_HEAD).try_for_each(|i| site.expect(i, &Type::fixed(dtype, &[])))?;
    all(operands(site, FOR_HEAD)?)
}

fn while_types(site: &Site<'_>) -> Types {
    let yields = site.types(&site.region(0)?.results);
    match yields.split_first() {
        Some((condition, values)) if *condition == truth() => all(values.to_vec()),
        _ => {
            Err(site
                .region_fault(format!("the first region yields no condition, {}, first", truth())))
        }
    }
}

fn truth() -> Type {
    Type::fixed(DType::Bool, &[])
}

fn all(types: Vec<Type>) -> Types {
    Ok(types.into_iter().map(Some).collect())
}
