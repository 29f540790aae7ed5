//! Ops of two broadcast operands.

use crate::dispatch;
use crate::kernel::{Call, Compile, Kernel, Plain};
use trident_ir::geometry::{broadcast, broadcast_strides};
use trident_ir::{Element, OpKind};
use trident_runtime::{KernelError, Tensor};

/// The kernel for a binary op.
pub(super) fn kernel(cx: &Compile<'_>) -> Option<Box<dyn Kernel>> {
    match cx.op.kind {
        OpKind::Add => Some(Plain::boxed("add", |call| {
            let dtype = call.tensor(0)?.dtype();
            dispatch!(dtype, [F32, F64] as T => map::<T, T>(call, |a, b| a + b),
                else => Err(KernelError::Unsupported(dtype)))
        })),
        _ => None,
    }
}

/// `f` over the broadcast operands.
fn map<T: Element, U: Element>(
    call: &mut Call<'_, '_>,
    f: impl Fn(T, T) -> U + Sync,
) -> Result<(), KernelError> {
    let (a, b) = (call.tensor(0)?, call.tensor(1)?);
    let dims = broadcast(a.dims(), b.dims())?;
    let mut out = call.alloc(0, U::DTYPE, &dims)?;
    apply(&a, &b, &dims, out.slice_mut::<U>()?, f)?;
    call.set(0, out);
    Ok(())
}

fn apply<T: Element, U: Element>(
    a: &Tensor,
    b: &Tensor,
    dims: &[usize],
    out: &mut [U],
    f: impl Fn(T, T) -> U,
) -> Result<(), KernelError> {
    let (x, y) = (a.slice::<T>()?, b.slice::<T>()?);
    let (sx, sy) = (broadcast_strides(a.dims(), dims), broadcast_strides(b.dims(), dims));
    let mut index = vec![0; dims.len()];
    for slot in out {
        let at = |s: &[usize]| index.iter().zip(s).map(|(i, s)| i * s).sum::<usize>();
        *slot = f(x[at(&sx)], y[at(&sy)]);
        for (i, &d) in index.iter_mut().zip(dims).rev() {
            *i += 1;
            if *i < d {
                break;
            }
            *i = 0;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::testing::{elements, run, tensor};
    use trident_ir::OpKind;

    #[test]
    fn add_broadcasts() {
        let (a, b) = (tensor(&[2, 1], &[1.0f32, 2.0]), tensor(&[3], &[10.0f32, 20.0, 30.0]));
        let y = run(OpKind::Add, &[], vec![a, b]).unwrap();
        assert_eq!(y.as_tensor().unwrap().dims(), [2, 3]);
        assert_eq!(elements::<f32>(&y), [11.0, 21.0, 31.0, 12.0, 22.0, 32.0]);
    }
}
