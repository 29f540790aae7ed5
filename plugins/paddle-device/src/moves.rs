//! Moves of elements with strides, and fills: for all of Paddle's element types, complex numbers included.

use crate::element::Element;
use trident_ir::DType;
use trident_ir::Literal;
use trident_ir::literal::LiteralData;

/// The kernels that only move elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Move {
    /// `contiguous(input) -> out`: the elements of a strided tensor in row-major order.
    Contiguous,
    /// `strided_copy(input, dims, out_stride, offset) -> out`: elements into a strided tensor that exists.
    StridedCopy,
    /// `fill(x, value) -> out`: one value for all elements.
    Fill,
    /// `assign(x) -> out`: a copy.
    Assign,
}

impl Move {
    /// The move that a kernel is.
    pub(crate) fn of(kernel: &str) -> Option<Move> {
        match kernel {
            "contiguous" => Some(Move::Contiguous),
            "strided_copy" => Some(Move::StridedCopy),
            "fill" => Some(Move::Fill),
            // Of real numbers.
            "assign" | "conj" => Some(Move::Assign),
            _ => None,
        }
    }
}

/// The elements that a strided tensor reaches over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    /// The elements before the first one, which negative strides lead to.
    pub(crate) before: usize,
    /// All elements, the first one and those before it included.
    pub(crate) len: usize,
}

/// The span of a tensor with these strides; `None` if it reaches beyond all addresses.
pub(crate) fn span(dims: &[usize], strides: &[i64]) -> Option<Span> {
    if dims.contains(&0) {
        return Some(Span { before: 0, len: 0 });
    }
    let (mut before, mut after) = (0usize, 0usize);
    for (dim, stride) in dims.iter().zip(strides) {
        let reach = usize::try_from(stride.unsigned_abs()).ok()?.checked_mul(dim - 1)?;
        let side = if *stride < 0 { &mut before } else { &mut after };
        *side = side.checked_add(reach)?;
    }
    Some(Span { before, len: before.checked_add(after)?.checked_add(1)? })
}

/// A strided tensor's elements: their bytes, and strides in elements.
pub(crate) struct Strided<'a, B> {
    /// The bytes of the tensor's [`span`], from the lowest address on.
    pub(crate) bytes: B,
    /// The strides.
    pub(crate) strides: &'a [i64],
}

/// Copies elements of `size` bytes between tensors of the same dimensions.
///
/// # Panics
/// If the bytes are fewer than the spans of the tensors.
pub(crate) fn copy(
    dims: &[usize],
    size: usize,
    from: &Strided<'_, &[u8]>,
    to: &mut Strided<'_, &mut [u8]>,
) {
    if dims.contains(&0) {
        return;
    }
    let Some((&len, outer)) = dims.split_last() else {
        to.bytes[..size].copy_from_slice(&from.bytes[..size]);
        return;
    };
    // Steps of negative strides wrap: their sums with positions do not.
    let stride = |strides: &[i64], axis: usize| {
        strides.get(axis).map_or(0, |n| (*n as usize).wrapping_mul(size))
    };
    let first = |strides: &[i64]| span(dims, strides).map_or(0, |span| span.before * size);
    let (from_step, to_step) = (stride(from.strides, outer.len()), stride(to.strides, outer.len()));
    let mut index = vec![0; outer.len()];
    let (mut from_at, mut to_at) = (first(from.strides), first(to.strides));
    loop {
        if len == 1 || from_step == size && to_step == size {
            let row = &from.bytes[from_at..from_at + len * size];
            to.bytes[to_at..to_at + len * size].copy_from_slice(row);
        } else {
            for i in 0..len {
                let at = from_at.wrapping_add(i.wrapping_mul(from_step));
                let place = to_at.wrapping_add(i.wrapping_mul(to_step));
                to.bytes[place..place + size].copy_from_slice(&from.bytes[at..at + size]);
            }
        }
        // The next row, by counting up from the innermost of the outer axes.
        let mut axis = outer.len();
        loop {
            let Some(next) = axis.checked_sub(1) else { return };
            axis = next;
            index[axis] += 1;
            from_at = from_at.wrapping_add(stride(from.strides, axis));
            to_at = to_at.wrapping_add(stride(to.strides, axis));
            if index[axis] < outer[axis] {
                break;
            }
            let (from_row, to_row) = (stride(from.strides, axis), stride(to.strides, axis));
            from_at = from_at.wrapping_sub(from_row.wrapping_mul(outer[axis]));
            to_at = to_at.wrapping_sub(to_row.wrapping_mul(outer[axis]));
            index[axis] = 0;
        }
    }
}

/// The strides of a row-major tensor as Paddle has them: of a tensor without elements they are its dimensions. With any others
/// Paddle takes the tensor for a view and asks for a contiguous copy of it, without end.
pub(crate) fn row_major(dims: &[usize]) -> Vec<i64> {
    if dims.contains(&0) {
        return dims.iter().map(|dim| *dim as i64).collect();
    }
    let mut strides = vec![1i64; dims.len()];
    for axis in (1..dims.len()).rev() {
        strides[axis - 1] = strides[axis].saturating_mul(dims[axis] as i64);
    }
    strides
}

/// Whether elements lie row by row. Strides of axes of length 1 do not matter.
pub(crate) fn is_row_major(dims: &[usize], strides: &[i64]) -> bool {
    let mut own = 1i64;
    let mut axes = dims.iter().zip(strides).rev();
    dims.len() == strides.len()
        && axes.all(|(dim, stride)| {
            let fits = *dim == 1 || *stride == own;
            own = own.saturating_mul(*dim as i64);
            fits
        })
}

/// The bytes of one element with a value, as an integer and as a number; `None` for types that have no numbers.
pub(crate) fn element_bytes(element: Element, int: i64, float: f64) -> Option<Vec<u8>> {
    let number = |dtype| match Literal::number(dtype, float).data() {
        LiteralData::Bytes(bytes) => Some(bytes.to_vec()),
        LiteralData::Strings(_) => None,
    };
    match (element.dtype(), element.size()) {
        (Some(DType::Bool), _) => Some(vec![u8::from(float != 0.0)]),
        (Some(dtype), _) if dtype.is_float() => number(dtype),
        (Some(_), size) => Some(int.to_le_bytes()[..size].to_vec()),
        // Of complex numbers, Paddle's C interface gives no imaginary part.
        (None, _) => None,
    }
}

/// An element as an integer and as a number: the opposite of [`element_bytes`]. `None` for complex numbers.
pub(crate) fn element_number(element: Element, bytes: &[u8]) -> Option<(i64, f64)> {
    let dtype = element.dtype()?;
    if dtype.is_float() {
        let literal = Literal::from_bytes(dtype, vec![], bytes.to_vec().into()).ok()?;
        let number = *literal.to_f64s()?.first()?;
        return Some((number as i64, number));
    }
    let mut wide = [0; 8];
    wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
    let unsigned = u64::from_le_bytes(wide);
    let shift = 64 - 8 * u32::try_from(bytes.len()).ok()?;
    let signed = matches!(dtype, DType::I8 | DType::I16 | DType::I32 | DType::I64);
    let int = if signed { (unsigned << shift) as i64 >> shift } else { unsigned as i64 };
    Some((int, int as f64))
}

/// A number of a scalar attribute.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    /// A whole number, exactly.
    Int(i64),
    /// Any other number.
    Float(f64),
}

impl Number {
    /// The number that Paddle converts to these two values.
    pub(crate) fn of(int: i64, float: f64) -> Number {
        match int as f64 == float && (int != 0 || float.is_sign_positive()) {
            true => Number::Int(int),
            false => Number::Float(float),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_found_by_their_strides() {
        let bytes: Vec<u8> = (0..24).collect();
        // The transpose of a [3, 4] matrix of two-byte elements.
        let (dims, strides) = ([4, 3], [1, 4]);
        assert_eq!(span(&dims, &strides), Some(Span { before: 0, len: 12 }));
        let mut copied = [0; 24];
        let from = Strided { bytes: &bytes[..], strides: &strides };
        let strides = row_major(&dims);
        copy(&dims, 2, &from, &mut Strided { bytes: &mut copied[..], strides: &strides });
        for (i, pair) in copied.chunks(2).enumerate() {
            let at = (i % 3 * 4 + i / 3) as u8 * 2;
            assert_eq!(pair, [at, at + 1], "element {i}");
        }
    }

    #[test]
    fn strides_are_those_of_paddles_contiguous_tensors() {
        assert_eq!(row_major(&[2, 3, 4]), [12, 4, 1]);
        assert_eq!((row_major(&[0, 7]), row_major(&[3, 0])), (vec![0, 7], vec![3, 0]));
        assert!(row_major(&[]).is_empty());
        assert!(is_row_major(&[2, 3, 4], &[12, 4, 1]) && is_row_major(&[], &[]));
        assert!(is_row_major(&[2, 1, 4], &[4, 99, 1]), "the stride of one element");
        assert!(!is_row_major(&[4, 3], &[1, 4]) && !is_row_major(&[4, 3], &[3]));
        assert!(!is_row_major(&[2, 3], &[0, 1]), "rows in one place");
    }

    #[test]
    fn strided_places_are_written_and_others_kept() {
        let mut bytes = [9u8; 12];
        let strides = [6, 2];
        let mut to = Strided { bytes: &mut bytes[..11], strides: &strides };
        copy(&[2, 3], 1, &Strided { bytes: &[1, 2, 3, 4, 5, 6], strides: &[3, 1] }, &mut to);
        assert_eq!(bytes, [1, 9, 2, 9, 3, 9, 4, 9, 5, 9, 6, 9]);
    }

    #[test]
    fn scalars_and_empty_tensors_have_no_rows() {
        let mut bytes = [0u8; 4];
        let mut to = Strided { bytes: &mut bytes[..], strides: &[] };
        copy(&[], 4, &Strided { bytes: &[1, 2, 3, 4], strides: &[] }, &mut to);
        assert_eq!(bytes, [1, 2, 3, 4]);
        let mut none = Strided { bytes: &mut [][..], strides: &[0, 1] };
        copy(&[0, 5], 4, &Strided { bytes: &[], strides: &[5, 1] }, &mut none);
        let spans =
            |dims: &[usize], strides| span(dims, strides).map(|span| (span.before, span.len));
        assert_eq!((spans(&[0, 5], &[5, 1]), spans(&[], &[])), (Some((0, 0)), Some((0, 1))));
        assert_eq!(spans(&[4, 3], &[-5, 1]), Some((15, 18)));
        assert_eq!(spans(&[2, usize::MAX], &[1, 2]), None);
    }

    #[test]
    fn negative_strides_are_followed_backwards() {
        let mut copied = [0u8; 6];
        // Rows of [[1, 2, 3], [4, 5, 6]] from the last to the first, each from the last element to the first one.
        let from = Strided { bytes: &[1, 2, 3, 4, 5, 6][..], strides: &[-3, -1] };
        copy(&[2, 3], 1, &from, &mut Strided { bytes: &mut copied[..], strides: &[3, 1] });
        assert_eq!(copied, [6, 5, 4, 3, 2, 1]);
        let from = Strided { bytes: &[1, 2, 3, 4, 5, 6][..], strides: &[3, -2] };
        let mut copied = [0u8; 4];
        copy(&[2, 2], 1, &from, &mut Strided { bytes: &mut copied[..], strides: &[2, 1] });
        assert_eq!(copied, [3, 1, 6, 4]);
    }

    #[test]
    fn values_have_the_bytes_of_their_types() {
        let bytes =
            |name: &str, int, float| element_bytes(Element::named(name).unwrap(), int, float);
        assert_eq!(bytes("i64", -1, -1.0), Some(vec![255; 8]));
        assert_eq!(bytes("u8", -1, -1.0), Some(vec![255]));
        assert_eq!(bytes("f32", 1, 1.5), Some(1.5f32.to_le_bytes().to_vec()));
        assert_eq!(bytes("bf16", 1, 1.0), Some(vec![0x80, 0x3f]));
        assert_eq!(bytes("bool", 0, 0.5), Some(vec![1]));
        assert_eq!((bytes("c64", 1, 1.0), bytes("c128", 1, 1.0)), (None, None));
        assert_eq!(bytes("undefined", 1, 1.0), None);
        for (name, int, float) in [("i8", -3, -3.0), ("u8", 253, 253.0), ("f16", 1, 1.5)] {
            let element = Element::named(name).unwrap();
            let bytes = bytes(name, int, float).unwrap();
            assert_eq!(element_number(element, &bytes), Some((int, float)), "{name}");
        }
        assert_eq!(element_number(Element::named("c64").unwrap(), &[0; 8]), None);
        assert_eq!(Number::of(0, -0.0), Number::Float(-0.0));
        assert_eq!(Number::of(3, 3.0), Number::Int(3));
        assert_eq!(Number::of(2, 2.5), Number::Float(2.5));
    }
}
