//! Dimensions of results that Paddle infers wrongly before it calls a kernel.

use crate::argument::{Argument, Operand};
use crate::extents::Extents;

/// The dimensions of a kernel's first result, if Paddle has inferred others: a product of matrices has all batches of both operands,
/// and Paddle 3.3.1 takes those of the operand with more axes.
pub(crate) fn corrected(
    row: &str,
    arguments: &[(&'static str, Argument<'_>)],
    result: &Operand,
) -> Option<Extents> {
    if row != "matmul" {
        return None;
    }
    let mut operands = arguments.iter().flat_map(|(_, argument)| argument.operands());
    let (x, y) = (operands.next()?.dims, operands.next()?.dims);
    let (x, y, known) = (x.as_slice(), y.as_slice(), result.dims.as_slice());
    let batches = known.len().checked_sub(2)?;
    if x.len() < 2 || y.len() < 2 || x.len().max(y.len()) != known.len() {
        return None;
    }
    // Axes are counted from the last one of a batch.
    let of = |dims: &[i64], i: usize| dims[..dims.len() - 2].iter().rev().nth(i).copied();
    let dim = |axis: usize| {
        let (x, y) = (of(x, batches - 1 - axis), of(y, batches - 1 - axis));
        if x == Some(1) { y.or(x) } else { x.or(y) }
    };
    let dims = Extents::new(known.len() as i64, |axis| match axis < batches {
        true => dim(axis).unwrap_or(known[axis]),
        false => known[axis],
    })?;
    (dims != result.dims).then_some(dims)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::memory::TensorMemory;
    use crate::element::Element;

    fn operand(dims: &[i64]) -> Operand {
        let dims = Extents::new(dims.len() as i64, |i| dims[i]).unwrap();
        Operand { element: Element(11), dims, memory: TensorMemory::NONE }
    }

    #[test]
    fn batches_of_products_are_those_of_both_operands() {
        let of = |row: &str, x: &[i64], y: &[i64], inferred: &[i64]| {
            let arguments = [x, y].map(|dims| ("operand", Argument::Tensor(operand(dims))));
            corrected(row, &arguments, &operand(inferred)).map(|dims| dims.as_slice().to_vec())
        };
        let (x, y) = ([2, 1, 4, 3], [5, 3, 2]);
        assert_eq!(of("matmul", &x, &y, &[2, 1, 4, 2]), Some(vec![2, 5, 4, 2]));
        assert_eq!(of("matmul", &x, &y, &[2, 5, 4, 2]), None);
        assert_eq!(of("add", &x, &y, &[2, 1, 4, 2]), None);
        assert_eq!(of("matmul", &[4, 3], &[3, 2], &[4, 2]), None);
        assert_eq!(of("matmul", &[7, 4, 3], &[3], &[7, 4]), None);
        assert_eq!(of("matmul", &[0, 4, 3], &[1, 3, 2], &[0, 4, 2]), None);
    }
}
