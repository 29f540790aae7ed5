//! Accumulators: Metal 4's cooperative tensors, the sums of a simdgroup's tensor operations.
//!
//! The elements that a thread holds differ from chip to chip, so they are only accessed through the tensor's own
//! functions. A cooperative tensor is neither returned nor initialised from another one, because compilers were seen to
//! miscompile that; instead its elements are copied. Most copies are avoided: a product takes over the variable of the
//! sums that it adds to, if these have no other use.

use trident_ir::types::{ACCUMULATOR, AccumulatorType};
use trident_ir::{Op, OpKind as K, Type, ops};
use trident_runtime::Declined;

use super::types::scalar;
use super::writer::{Writer, decline, malformed, view};

/// The headers of a text with accumulators, besides the standard library's.
pub(super) const HEADERS: &str = "#include <metal_tensor>\n\
     #include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>\n";

/// Where operands lie.
const EXTENTS: &str = "dextents<int32_t, 2>";

pub(super) fn write(writer: &mut Writer<'_>, op: &Op) -> Result<(), Declined> {
    let x = writer.operands(op);
    match op.kind {
        K::AccumulatorStore => {
            let to = square(writer, op, &x[0], &x[2])?;
            writer.statement(&format!("{{ auto to = {to}; {}.store(to); }}", x[1]));
            return Ok(());
        }
        K::AccumulatorMultiplyAdd => {
            return multiply_add(writer, view(op, ops::AccumulatorMultiplyAdd::of)?, &x);
        }
        _ => {}
    }
    let Some(id) = op.defined().next() else { return Ok(()) };
    let name = writer.name(id);
    writer.declare(op, id, &name, None)?;
    writer.own(id, 0);
    match op.kind {
        K::AccumulatorFill => each(writer, &name, &x[0]),
        _ => {
            let from = square(writer, op, &x[0], &x[1])?;
            writer.statement(&format!("{{ auto from = {from}; {name}.load(from); }}"));
        }
    }
    Ok(())
}

fn multiply_add(
    writer: &mut Writer<'_>,
    product: ops::AccumulatorMultiplyAdd<'_>,
    x: &[String],
) -> Result<(), Declined> {
    let (op, c) = (product.as_op(), product.c());
    let Some(out) = product.y() else { return Ok(()) };
    let Type::Accumulator(ty) = *writer.ty(out) else {
        return Err(malformed(op, "adds to no accumulator"));
    };
    let (name, factor) = (writer.name(out), element(ty));
    for (side, ptr, stride) in [("a", &x[0], &x[1]), ("b", &x[2], &x[3])] {
        let tensor = format!("factor_{factor} {name}_{side}");
        writer.statement(&format!("{tensor}({});", place(ptr, stride)));
    }
    match writer.is_free(c) {
        true => writer.rename(out, x[4].clone()),
        false => writer.declare(op, out, &name, Some(&x[4]))?,
    }
    writer.own(out, 0);
    let (suffix, sums) = (suffix(ty), writer.name(out));
    writer.statement(&format!("multiply_{suffix}.run({name}_a, {name}_b, {sums});"));
    Ok(())
}

/// Declares an accumulator, optionally with a copy of another one's elements.
pub(super) fn declare(
    writer: &mut Writer<'_>,
    ty: AccumulatorType,
    name: &str,
    value: Option<&str>,
) {
    let (factor, suffix) = (element(ty), suffix(ty));
    writer.accumulators.insert((factor, ty.letters()));
    writer.statement(&format!(
        "auto {name} = multiply_{suffix}.get_destination_cooperative_tensor<factor_{factor}, factor_{factor}, float>();"
    ));
    if let Some(value) = value {
        copy(writer, name, value);
    }
}

/// Assigns the elements of an accumulator to another one's.
pub(super) fn copy(writer: &mut Writer<'_>, to: &str, from: &str) {
    each(writer, to, &format!("{from}[i]"));
}

/// Assigns to each element.
fn each(writer: &mut Writer<'_>, to: &str, value: &str) {
    writer.statement("#pragma unroll");
    writer.statement(&format!("for (ushort i = 0; i < {to}.get_capacity(); i++) {{"));
    writer.statement(&format!("    if ({to}.is_valid_element(i)) {to}[i] = {value};"));
    writer.statement("}");
}

/// The sums at the pointer that is the first operand.
fn square(writer: &Writer<'_>, op: &Op, ptr: &str, stride: &str) -> Result<String, Declined> {
    let space = match op.used().next().map(|id| writer.ty(id)) {
        Some(Type::Pointer(to)) if !to.space.is_local() && writer.is_coherent => {
            return Err(decline(op, "accesses memory that threadgroups share"));
        }
        Some(Type::Pointer(to)) => writer.space(to.space),
        _ => return Err(malformed(op, "takes no pointer")),
    };
    let place = place(ptr, stride);
    Ok(format!("tensor<{space} float, {EXTENTS}, tensor_inline>({place})"))
}

/// The arguments of a tensor's constructor: neighbours come first, then lines.
fn place(ptr: &str, stride: &str) -> String {
    format!("{ptr}, {EXTENTS}({ACCUMULATOR}, {ACCUMULATOR}), array<int32_t, 2>{{1, {stride}}}")
}

fn element(ty: AccumulatorType) -> &'static str {
    scalar(ty.factor).unwrap_or_default()
}

fn suffix(ty: AccumulatorType) -> String {
    format!("{}_{}", element(ty), ty.letters())
}

/// The types of a text's accumulators, and the statements with which its kernel begins.
pub(super) fn types(writer: &Writer<'_>) -> (String, String) {
    let (mut types, mut objects) = (String::new(), String::new());
    let mut known = None;
    for (factor, letters) in &writer.accumulators {
        if known.replace(factor) != Some(factor) {
            let tensor = format!("tensor<threadgroup {factor}, {EXTENTS}, tensor_inline>");
            types.push_str(&format!("using factor_{factor} = {tensor};\n"));
        }
        let transposed = |at: usize| letters.as_bytes().get(at) == Some(&b't');
        types.push_str(&format!(
            "using product_{factor}_{letters} = mpp::tensor_ops::matmul2d<\n    \
             mpp::tensor_ops::matmul2d_descriptor({ACCUMULATOR}, {ACCUMULATOR}, {ACCUMULATOR}, {}, {}, false,\n        \
             mpp::tensor_ops::matmul2d_descriptor::mode::multiply_accumulate),\n    execution_simdgroup>;\n",
            transposed(0),
            transposed(1),
        ));
        objects.push_str(&format!("    product_{factor}_{letters} multiply_{factor}_{letters};\n"));
    }
    if !types.is_empty() {
        types.push('\n');
    }
    (types, objects)
}
