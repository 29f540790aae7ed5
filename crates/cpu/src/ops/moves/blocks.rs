//! Conversions between row-major tensors and tensors in blocks.

use crate::kernel::{Call, Compile, Made, Prepared};
use trident_ir::ops::{Pack, Unpack};
use trident_ir::{DType, geometry};
use trident_kernels::blocked::BlockedChannels;
use trident_runtime::{KernelError, Tensor};
use trident_simd::Isa;

/// A row-major tensor in blocks.
pub(super) fn pack(cx: &Compile<'_>) -> Made {
    let (op, at, isa) = (cx.view(Pack::of)?, Pack::AT, Isa::detect());
    let (axis, block) = (op.axis(), op.block());
    movable(cx, at.x)?;
    Prepared::boxed(cx, move |call| {
        let x = call.tensor(at.x)?;
        let dims = geometry::pack(x.dims(), axis, block)?;
        let Some(blocks) = blocks(&x, x.dims(), axis, block)? else {
            return same(call, at.x, at.y, &dims);
        };
        let mut y = call.alloc(at.y, x.dtype(), &dims)?;
        blocks.pack(call.threads, isa, x.bytes()?, y.bytes_mut()?);
        call.set(at.y, y);
        Ok(())
    })
}

/// A tensor in blocks made row-major.
pub(super) fn unpack(cx: &Compile<'_>) -> Made {
    let (op, at, isa) = (cx.view(Unpack::of)?, Unpack::AT, Isa::detect());
    let (axis, block) = (op.axis(), op.block());
    movable(cx, at.x)?;
    Prepared::boxed(cx, move |call| {
        let x = call.tensor(at.x)?;
        let dims = geometry::unpack(x.dims(), axis, block)?;
        let Some(blocks) = blocks(&x, &dims, axis, block)? else {
            return same(call, at.x, at.y, &dims);
        };
        let mut y = call.alloc(at.y, x.dtype(), &dims)?;
        blocks.unpack(call.threads, isa, x.bytes()?, y.bytes_mut()?);
        call.set(at.y, y);
        Ok(())
    })
}

/// Refuses elements that are not stored as bytes of a fixed number.
fn movable(cx: &Compile<'_>, x: usize) -> Result<(), trident_runtime::Declined> {
    match cx.element(x)? {
        DType::Str => Err(cx.refused(KernelError::Unsupported(DType::Str))),
        _ => Ok(()),
    }
}

/// The channels of a tensor of the row-major dimensions `dense`; `None` if both forms have the same order.
fn blocks(
    x: &Tensor,
    dense: &[usize],
    axis: i64,
    block: i64,
) -> Result<Option<BlockedChannels>, KernelError> {
    let axis = geometry::axis(axis, dense.len())?;
    let (outer, inner) = (geometry::extent(&dense[..axis]), geometry::extent(&dense[axis + 1..]));
    let block = block as usize;
    if x.is_empty() || inner == 1 || block == 1 {
        return Ok(None);
    }
    let element_size = x.dtype().size();
    Ok(Some(BlockedChannels { outer, channels: dense[axis], inner, block, element_size }))
}

/// Sets the result to the operand, in other dimensions.
fn same(call: &mut Call<'_, '_>, x: usize, y: usize, dims: &[usize]) -> Result<(), KernelError> {
    let result = call.take(x)?.reshaped(dims)?;
    call.set(y, result);
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::testing::{elements, run, strings, tensor};
    use trident_ir::{Attr, Element, OpKind};
    use trident_runtime::{KernelError, Value};

    fn convert(kind: OpKind, axis: i64, block: i64, x: Value) -> Result<Value, KernelError> {
        run(kind, &[("axis", Attr::Int(axis)), ("block", Attr::Int(block))], vec![x])
    }

    fn dims(value: &Value) -> Vec<usize> {
        value.as_tensor().unwrap().dims().to_vec()
    }

    /// Packs and unpacks, and compares with the places that the definition says.
    fn round_trip<T: Element + PartialEq + std::fmt::Debug>(
        shape: &[usize],
        axis: i64,
        block: usize,
        element: impl Fn(usize) -> T,
    ) {
        let at = if axis < 0 { (shape.len() as i64 + axis) as usize } else { axis as usize };
        let len: usize = shape.iter().product();
        let values: Vec<T> = (0..len).map(element).collect();
        let packed = convert(OpKind::Pack, axis, block as i64, tensor(shape, &values)).unwrap();
        let mut want = [shape, &[block]].concat();
        want[at] /= block;
        assert_eq!(dims(&packed), want);
        let got = elements::<T>(&packed);
        let inner: usize = shape[at + 1..].iter().product();
        for (i, value) in values.iter().enumerate() {
            let (outer, c, rest) = (i / inner / shape[at], i / inner % shape[at], i % inner);
            let blocks = shape[at] / block;
            let to = ((outer * blocks + c / block) * inner + rest) * block + c % block;
            assert_eq!(got[to], *value, "{shape:?} at {i}");
        }
        let back = convert(OpKind::Unpack, axis, block as i64, packed).unwrap();
        assert_eq!(dims(&back), shape);
        assert_eq!(elements::<T>(&back), values);
    }

    #[test]
    fn elements_are_where_the_definition_says() {
        round_trip(&[2, 8, 3, 5], 1, 4, |i| i as u8);
        round_trip(&[1, 32, 7, 7], -3, 16, |i| i as f32);
        round_trip(&[3, 4, 6], 1, 4, |i| i as i64);
        round_trip(&[6, 5], 0, 3, |i| i as u16);
        round_trip(&[2, 8], 1, 4, |i| i as u8);
        round_trip(&[2, 3, 4], 1, 1, |i| i as u8);
        round_trip(&[2, 3, 4], 1, 3, |i| i as f64);
        for empty in [[0, 8, 3], [2, 0, 3], [2, 8, 0]] {
            round_trip(&empty, 1, 4, |i| i as u8);
        }
    }

    #[test]
    fn what_is_not_in_whole_blocks_is_refused() {
        let x = || tensor(&[1, 6, 2], &[0u8; 12]);
        assert!(convert(OpKind::Pack, 1, 4, x()).is_err());
        assert!(convert(OpKind::Pack, 3, 2, x()).is_err());
        assert!(convert(OpKind::Pack, 1, 0, x()).is_err());
        assert!(convert(OpKind::Unpack, 1, 4, x()).is_err());
        assert!(convert(OpKind::Unpack, 2, 2, x()).is_err());
        assert!(convert(OpKind::Pack, 0, 1, strings(&[1], &["a"])).is_err());
    }
}
