//! Control flow. Values that leave a region are variables that its end assigns.

use trident_ir::{Block, Op, OpKind as K, Type, ValueId, ops};
use trident_runtime::Declined;

use super::report;
use super::writer::{Writer, decline, malformed};

pub(super) fn write(writer: &mut Writer<'_>, op: &Op) -> Result<(), Declined> {
    match (op.kind, op.regions.as_slice()) {
        (K::If, [then, otherwise]) => branch(writer, op, then, otherwise),
        (K::For, [body]) => counted(writer, op, body),
        (K::While, [condition, body]) => conditional(writer, op, condition, body),
        _ => Err(decline(op, "Metal has no such operation")),
    }
}

/// Declares variables for an op's results, without values.
fn variables(writer: &mut Writer<'_>, op: &Op) -> Result<(), Declined> {
    for id in op.defined() {
        let name = writer.name(id);
        writer.declare(op, id, &name, None)?;
        writer.own(id, 0);
    }
    Ok(())
}

/// Assigns values to variables, all at once: a value may be another one's variable.
fn assign(
    writer: &mut Writer<'_>,
    op: &Op,
    to: &[Option<ValueId>],
    from: &[ValueId],
) -> Result<(), Declined> {
    let pairs: Vec<(ValueId, ValueId)> =
        to.iter().zip(from).filter_map(|(to, from)| Some(((*to)?, *from))).collect();
    // A value that has taken over the variable is already in it.
    let is_elsewhere = |(to, from): &(ValueId, ValueId)| writer.name(*to) != writer.name(*from);
    let pairs: Vec<(ValueId, ValueId)> = pairs.into_iter().filter(is_elsewhere).collect();
    let targets: Vec<String> = pairs.iter().map(|(to, _)| writer.name(*to)).collect();
    let clash = pairs.iter().any(|(_, from)| targets.contains(&writer.name(*from)));
    for (target, (to, from)) in targets.iter().zip(&pairs) {
        let value = writer.name(*from);
        if clash {
            writer.declare(op, *to, &format!("next_{target}"), Some(&value))?;
        } else {
            writer.assign(*to, target, &value);
        }
    }
    if clash {
        for (target, (to, _)) in targets.iter().zip(&pairs) {
            writer.assign(*to, target, &format!("next_{target}"));
        }
    }
    Ok(())
}

fn branch(
    writer: &mut Writer<'_>,
    op: &Op,
    then: &Block,
    otherwise: &Block,
) -> Result<(), Declined> {
    variables(writer, op)?;
    let condition = writer.operands(op).join("");
    writer.braces(&format!("if ({condition})"), |w| {
        w.body(then)?;
        assign(w, op, &op.outputs, &then.results)
    })?;
    if otherwise.ops.is_empty() && otherwise.results.is_empty() {
        return Ok(());
    }
    writer.braces("else", |w| {
        w.body(otherwise)?;
        assign(w, op, &op.outputs, &otherwise.results)
    })
}

/// Carried values are the region's parameters, which start as the op's operands.
fn carry(
    writer: &mut Writer<'_>,
    op: &Op,
    params: &[ValueId],
    init: usize,
) -> Result<(), Declined> {
    for (param, from) in params.iter().zip(op.inputs.iter().skip(init).flatten()) {
        let (name, from) = (writer.name(*param), writer.name(*from));
        writer.declare(op, *param, &name, Some(&from))?;
    }
    Ok(())
}

/// Results are the carried values at the end.
fn leave(writer: &mut Writer<'_>, op: &Op, values: &[ValueId]) -> Result<(), Declined> {
    for (out, value) in op.outputs.iter().zip(values) {
        let Some(out) = out else { continue };
        let (name, value) = (writer.name(*out), writer.name(*value));
        if let Type::Accumulator(_) = writer.ty(*out) {
            writer.rename(*out, value);
            writer.own(*out, 0);
            continue;
        }
        writer.declare(op, *out, &name, Some(&value))?;
    }
    Ok(())
}

/// Counts without passing the bound: the next number may not exist. With a step that is not positive, a loop runs no times
/// and the launch fails.
fn counted(writer: &mut Writer<'_>, op: &Op, body: &Block) -> Result<(), Declined> {
    let Some((&counter, carried)) = body.params.split_first() else {
        return Err(malformed(op, "has no counter"));
    };
    carry(writer, op, carried, 3)?;
    carried.iter().for_each(|&param| writer.own(param, 1));
    let x = writer.operands(op);
    let (lower, upper, step) = (&x[0], &x[1], &x[2]);
    let (ty, i) = (writer.type_name(op, counter)?, writer.name(counter));
    let wide = if ty == "long" { "ulong" } else { "uint" };
    let is_known = op.input(ops::For::AT.step).is_some_and(|step| writer.is_positive(step));
    if !is_known {
        report::step(writer, op, step)?;
    }
    let runs = if is_known { String::new() } else { format!("{step} > 0 && ") };
    writer.braces(
        &format!("for ({ty} {i} = {lower}; {runs}{i} < {upper}; {i} += {step})"),
        |w| {
            w.body(body)?;
            let params: Vec<Option<ValueId>> = carried.iter().copied().map(Some).collect();
            assign(w, op, &params, &body.results)?;
            w.statement(&format!("if ({wide}({upper}) - {wide}({i}) <= {wide}({step})) break;"));
            Ok(())
        },
    )?;
    leave(writer, op, carried)
}

fn conditional(
    writer: &mut Writer<'_>,
    op: &Op,
    condition: &Block,
    body: &Block,
) -> Result<(), Declined> {
    carry(writer, op, &condition.params, 0)?;
    let Some((&holds, values)) = condition.results.split_first() else {
        return Err(malformed(op, "has no condition"));
    };
    variables(writer, op)?;
    writer.braces("while (true)", |w| {
        w.body(condition)?;
        assign(w, op, &op.outputs, values)?;
        let holds = w.name(holds);
        w.statement(&format!("if (!{holds}) break;"));
        for (param, value) in body.params.iter().zip(values) {
            let (name, value) = (w.name(*param), w.name(*value));
            w.declare(op, *param, &name, Some(&value))?;
        }
        w.body(body)?;
        let params: Vec<Option<ValueId>> = condition.params.iter().copied().map(Some).collect();
        assign(w, op, &params, &body.results)
    })
}
