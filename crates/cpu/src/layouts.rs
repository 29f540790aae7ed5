//! The layout of 8-bit convolutions: channels in blocks of four, the word that 8-bit products consume.
//!
//! The figures are estimates for one machine with AVX-512, and the same on every machine: models that are compiled on one run on another.

use trident_ir::cost::typical_bytes;
use trident_ir::ops::QLinearConv;
use trident_ir::{DType, Func, ValueId};
use trident_kernels::conv::{ConvLayout8, ConvSpec};
use trident_passes::layout::{LayoutOp, Layouts, Saving, Site, blocked_qlinear_conv};

/// Blocks of four channels.
pub(crate) const BLOCKS: Layouts = Layouts {
    axis: 1,
    block: ConvLayout8::BLOCK,
    convert: |bytes| CONVERSION + bytes * CONVERTED,
    ops: &[LayoutOp {
        kind: QLinearConv::KIND,
        operand: QLinearConv::AT.x,
        saves: saving,
        make: blocked_qlinear_conv,
    }],
};

/// Nanoseconds of a conversion, and of each byte that it moves.
const CONVERSION: f64 = 500.0;
const CONVERTED: f64 = 0.2;

/// Nanoseconds saved for each byte of the patches that a convolution reads in blocks, and for each byte that it writes in blocks.
/// Direct convolutions of single channels count as if they saved nothing.
const READ: f64 = 0.14;
const WRITTEN: f64 = 0.14;

/// The time that a convolution saves by reading or writing blocks. Its weights must be constant, as they are packed for the layout.
fn saving(site: &Site<'_>) -> Saving {
    let func = site.func;
    let found = QLinearConv::of(site.op)
        .filter(|op| {
            site.is_constant(op.w())
                && [Some(op.x()), Some(op.w()), op.y()].into_iter().all(|v| is_byte(func, v))
        })
        .and_then(|op| Some((op, spec(func, op)?)));
    let Some((op, spec)) = found else { return Saving::default() };
    let fits =
        |blocked_image, blocked_result| ConvLayout8 { blocked_image, blocked_result }.fits(&spec);
    let result = op.y().map_or(0.0, |y| typical_bytes(func, y));
    let patches =
        result / spec.out_channels.max(1) as f64 * (spec.in_channels * spec.taps()) as f64;
    let is_direct = spec.groups > 1 && spec.in_channels == spec.groups;
    let saves = |nanos: f64| if is_direct { 0.0 } else { nanos };
    Saving {
        read: fits(true, false).then_some(saves(READ * patches)),
        write: fits(false, true).then_some(saves(WRITTEN * result)),
    }
}

fn is_byte(func: &Func, value: Option<ValueId>) -> bool {
    value.is_some_and(|v| matches!(func.ty(v).dtype(), Some(DType::U8 | DType::I8)))
}

/// The convolution, up to its strides and borders.
fn spec(func: &Func, op: QLinearConv<'_>) -> Option<ConvSpec> {
    let w = func.ty(op.w()).dims()?;
    let groups = usize::try_from(op.group()).ok()?;
    let [out_channels, in_channels, kernel @ ..] = w.as_slice() else { return None };
    let (ones, none) = (vec![1; kernel.len()], vec![0; kernel.len()]);
    Some(ConvSpec {
        in_channels: in_channels.checked_mul(groups)?,
        out_channels: *out_channels,
        groups,
        kernel: kernel.to_vec(),
        strides: ones.clone(),
        dilations: ones,
        pads_begin: none.clone(),
        pads_end: none,
    })
}
