//! Runs the texts under `filetests`.

use std::collections::HashMap;
use trident_ir::rewrite::Context;
use trident_ir::{Func, Literal, Module, Op, cost, geometry, ops};
use trident_passes::layout::{LayoutOp, Layouts, Saving, Site, blocked_qlinear_conv};
use trident_passes::{RewriteStep, fuse};

fn parse(text: &str) -> Result<Module, String> {
    text.parse().map_err(|e: trident_ir::text::ParseError| e.to_string())
}

/// Applies a pass to each function and prints the module.
fn each(
    text: &str,
    pass: impl Fn(&mut trident_ir::Func) -> Result<(), String>,
) -> Result<String, String> {
    let mut module = parse(text)?;
    module.funcs.iter_mut().try_for_each(pass)?;
    Ok(module.to_string())
}

fn infer(text: &str) -> Result<String, String> {
    each(text, |f| trident_ir::shape::infer(f, &HashMap::new()).map_err(|e| e.to_string()))
}

/// Runs all passes but those left out, without an evaluator; `fold-constants` has nothing to do.
fn optimize(text: &str, disabled: &[&str], list: &[RewriteStep]) -> Result<String, String> {
    let disabled: Vec<String> = disabled.iter().map(|&name| name.to_owned()).collect();
    let cx = Context { evaluate: &|_, _, _| None, disabled: &disabled, part: false };
    each(text, |f| {
        trident_passes::canonicalize(f, &cx).map_err(|e| e.to_string())?;
        trident_passes::rewrite(f, list, &cx).map_err(|e| e.to_string())?;
        f.renumber();
        Ok(())
    })
}

fn simplify(text: &str) -> Result<String, String> {
    optimize(text, &["fuse"], &[])
}

/// The form in which devices claim ops.
fn recognise(text: &str) -> Result<String, String> {
    optimize(text, &[], &[])
}

/// The form for several devices, without further passes.
fn free_shapes(text: &str) -> Result<String, String> {
    let cx = Context { evaluate: &|_, _, _| None, disabled: &[], part: false };
    each(&infer(text)?, |f| {
        trident_passes::free_shapes(f, &cx).map_err(|e| e.to_string())?;
        Ok(())
    })
}

fn fuse(text: &str) -> Result<String, String> {
    optimize(text, &["quantized-weights", "elementwise-chains"], fuse::ALL)
}

fn chains(text: &str) -> Result<String, String> {
    optimize(text, &[], fuse::ALL)
}

/// Blocks of four channels: a byte takes a nanosecond to convert, and a convolution reads one for a tap in half a nanosecond less.
const BLOCKS: Layouts = Layouts {
    axis: 1,
    block: 4,
    convert: |bytes| bytes,
    ops: &[LayoutOp {
        kind: ops::QLinearConv::KIND,
        operand: ops::QLinearConv::AT.x,
        saves: saving,
        make: blocked_qlinear_conv,
    }],
};

fn saving(site: &Site<'_>) -> Saving {
    let Some(op) = ops::QLinearConv::of(site.op) else { return Saving::default() };
    let taps: usize = cost::typical_dims(site.func, op.w())[2..].iter().product();
    let read = 0.5 * taps as f64 * cost::typical_bytes(site.func, op.x());
    Saving { read: Some(read), write: Some(0.0) }
}

/// Packs constants of f32.
fn packed(_: &Func, op: &Op, operands: &[Option<Literal>]) -> Option<Vec<Option<Literal>>> {
    let (pack, [Some(x)]) = (ops::Pack::of(op)?, operands) else { return None };
    let dims = geometry::pack(x.dims(), pack.axis(), pack.block()).ok()?;
    let (axis, block) = (geometry::axis(pack.axis(), x.dims().len()).ok()?, *dims.last()?);
    let inner: usize = x.dims()[axis + 1..].iter().product();
    let values = x.to_vec::<f32>()?;
    let from = |i: usize| {
        let (first, rest) = (i / (block * inner) * block * inner, i % (block * inner));
        values[first + rest % block * inner + rest / block]
    };
    let moved: Vec<f32> = (0..values.len()).map(from).collect();
    Some(vec![Literal::vector(&moved).with_dims(dims)])
}

/// Brings convolutions into blocks of channels.
fn layout(text: &str) -> Result<String, String> {
    let cx = Context { evaluate: &packed, disabled: &[], part: false };
    each(text, |f| {
        trident_passes::canonicalize(f, &cx).map_err(|e| e.to_string())?;
        trident_passes::rewrite(f, &[RewriteStep::Layout(&BLOCKS)], &cx)
            .map_err(|e| e.to_string())?;
        f.renumber();
        Ok(())
    })
}

#[test]
fn filetests() -> Result<(), trident_filetest::Failed> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/filetests");
    let tests: &[trident_filetest::Command<'_>] = &[
        ("infer", &infer),
        ("simplify", &simplify),
        ("recognise", &recognise),
        ("free-shapes", &free_shapes),
        ("fuse", &fuse),
        ("chains", &chains),
        ("layout", &layout),
    ];
    trident_filetest::run(folder, tests)
}
