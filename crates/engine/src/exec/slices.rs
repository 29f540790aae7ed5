//! Slices of tensors along an axis, and tensors stacked from slices: what `loop` and `scan` need.

use trident_ir::DType;
use trident_runtime::{KernelError, Pool, Tensor};

/// Slice `at` of a tensor along `axis`, without that axis.
pub(super) fn slice(
    pool: &Pool,
    tensor: &Tensor,
    axis: usize,
    at: usize,
) -> Result<Tensor, KernelError> {
    let dims = tensor.dims();
    let (outer, inner) = around(dims, axis);
    let count = dims[axis];
    let mut rest = dims.to_vec();
    rest.remove(axis);
    if tensor.dtype() == DType::Str {
        let strings = tensor.strings()?;
        let picked = (0..outer).flat_map(|o| {
            let start = (o * count + at) * inner;
            strings[start..start + inner].iter().cloned()
        });
        return Tensor::from_strings(&rest, picked.collect());
    }
    let run = inner * tensor.dtype().size();
    let mut result = Tensor::alloc(pool, tensor.dtype(), &rest)?;
    if result.is_empty() {
        return Ok(result);
    }
    let source = tensor.bytes()?;
    for (o, to) in result.bytes_mut()?.chunks_exact_mut(run).enumerate() {
        let start = (o * count + at) * run;
        to.copy_from_slice(&source[start..start + run]);
    }
    Ok(result)
}

/// Slices of equal type and shape joined along a further axis, in reverse if `backwards`.
pub(super) fn stack(
    pool: &Pool,
    slices: &[Tensor],
    axis: usize,
    backwards: bool,
) -> Result<Tensor, KernelError> {
    let Some(first) = slices.first() else {
        return Err(KernelError::domain("there are no slices to stack"));
    };
    if let Some(other) = slices.iter().find(|s| s.ty() != first.ty()) {
        let (a, b) = (first.ty(), other.ty());
        return Err(KernelError::shape(format!("slices of types {a} and {b} do not stack")));
    }
    let count = slices.len();
    let place = |i: usize| if backwards { count - 1 - i } else { i };
    let mut dims = first.dims().to_vec();
    dims.insert(axis, count);
    let (outer, inner) = around(&dims, axis);
    let mut result = Tensor::alloc(pool, first.dtype(), &dims)?;
    if result.is_empty() {
        return Ok(result);
    }
    if first.dtype() == DType::Str {
        let to = result.strings_mut()?;
        for (i, slice) in slices.iter().enumerate() {
            for (o, from) in slice.strings()?.chunks_exact(inner).enumerate() {
                let start = (o * count + place(i)) * inner;
                to[start..start + inner].clone_from_slice(from);
            }
        }
        return Ok(result);
    }
    let run = inner * first.dtype().size();
    let to = result.bytes_mut()?;
    for (i, slice) in slices.iter().enumerate() {
        for (o, from) in slice.bytes()?.chunks_exact(run).enumerate().take(outer) {
            let start = (o * count + place(i)) * run;
            to[start..start + run].copy_from_slice(from);
        }
    }
    Ok(result)
}

/// Products of the dimensions before and after an axis.
fn around(dims: &[usize], axis: usize) -> (usize, usize) {
    (dims[..axis].iter().product(), dims[axis + 1..].iter().product())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(dims: &[usize]) -> Tensor {
        let n = dims.iter().product::<usize>() as i32;
        Tensor::from_slice(&Pool::new(), dims, &(0..n).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn slicing_and_stacking_are_inverse_along_every_axis() {
        let pool = Pool::new();
        let whole = numbers(&[2, 3, 4]);
        for axis in 0..3 {
            let n = whole.dims()[axis];
            let slices: Vec<_> = (0..n).map(|i| slice(&pool, &whole, axis, i).unwrap()).collect();
            let again = stack(&pool, &slices, axis, false).unwrap();
            assert_eq!((again.dims(), again.bytes()), (whole.dims(), whole.bytes()));
            let back = stack(&pool, &slices, axis, true).unwrap();
            let last = slice(&pool, &back, axis, 0).unwrap();
            assert_eq!(last.bytes(), slices[n - 1].bytes());
        }
        assert_eq!(
            slice(&pool, &whole, 1, 2).unwrap().slice::<i32>().unwrap()[..5],
            [8, 9, 10, 11, 20]
        );
    }

    #[test]
    fn strings_and_empty_tensors() {
        let pool = Pool::new();
        let words: Vec<String> = ["a", "b", "c", "d"].map(String::from).into();
        let whole = Tensor::from_strings(&[2, 2], words.clone()).unwrap();
        let slices = [slice(&pool, &whole, 1, 0).unwrap(), slice(&pool, &whole, 1, 1).unwrap()];
        assert_eq!(slices[1].strings().unwrap(), ["b", "d"]);
        assert_eq!(stack(&pool, &slices, 1, false).unwrap().strings().unwrap(), words);
        let empty = stack(&pool, &[numbers(&[0, 3]), numbers(&[0, 3])], 2, false).unwrap();
        assert_eq!(empty.dims(), [0, 3, 2]);
        assert!(stack(&pool, &[numbers(&[1]), numbers(&[2])], 0, false).is_err());
    }
}
