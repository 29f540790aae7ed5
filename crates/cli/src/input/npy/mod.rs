//! NumPy's .npy and .npz files (format versions 1 to 3,
//! <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>).
//!
//! Written here instead of taken from a crate because of the element types NumPy has no name for: `ml_dtypes` stores
//! them as raw bytes (`V2`, `V1`), and only the model's input says which type they are.

mod archive;
mod header;
mod types;

pub(crate) use archive::{read_npz, write_npz};
pub(crate) use types::numpy_name;

use crate::limits;
use crate::render::counted;
use header::{ANEW, Header, MAGIC};
use trident_ir::dtype::Class;
use trident_ir::{DType, literal::checked_len};
use trident_runtime::{KernelError, Pool, Tensor};
use types::{element_type, header_name, unknown, widen};

/// A tensor from the contents of a .npy file. `wanted` settles what raw bytes mean.
pub(crate) fn read(pool: &Pool, bytes: &[u8], wanted: Option<DType>) -> Result<Tensor, String> {
    let header = Header::parse(bytes)?;
    let data = &bytes[header.size..];
    let too_large =
        || format!("its shape {:?} has more elements than memory can hold: {ANEW}", header.dims);
    let len = checked_len(&header.dims).ok_or_else(too_large)?;
    let big = header.descr.starts_with('>');
    let name = header.descr.strip_prefix(['<', '>', '=', '|']).unwrap_or(&header.descr);
    if let Some(width) = name.strip_prefix(['U', 'S']) {
        let width: usize = width.parse().map_err(|_| unknown(&header.descr, name, wanted))?;
        return text(pool, &header, data, len, (width, name.starts_with('U'), big));
    }
    let dtype = element_type(&header.descr, name, wanted)?;
    let size = len.checked_mul(dtype.size()).ok_or_else(too_large)?;
    let elements = data.get(..size).ok_or_else(|| {
        format!("it is cut off: {} of elements, expected {size}", counted(data.len(), "byte"))
    })?;
    let mut tensor = limits::alloc(pool, dtype, &header.dims)?;
    let to = tensor.bytes_mut().map_err(|e| e.to_string())?;
    if header.fortran {
        let width = dtype.size();
        for (to, i) in to.chunks_exact_mut(width).zip(row_major(&header.dims)) {
            to.copy_from_slice(&elements[i * width..][..width]);
        }
    } else {
        to.copy_from_slice(elements);
    }
    if big {
        // Complex numbers are pairs, each swapped by itself.
        let part = if dtype.class() == Class::Complex { 2 } else { 1 };
        to.chunks_exact_mut(dtype.size() / part).for_each(<[u8]>::reverse);
    }
    if dtype == DType::Bool {
        to.iter_mut().for_each(|b| *b = u8::from(*b != 0));
    }
    if dtype.bits() < 8 {
        widen(to, dtype)?;
    }
    Ok(tensor)
}

/// Fixed-width strings: UTF-32 (`U`) or bytes (`S`), filled up with zeros.
fn text(
    pool: &Pool,
    header: &Header,
    data: &[u8],
    len: usize,
    (width, wide, big): (usize, bool, bool),
) -> Result<Tensor, String> {
    let size = width.checked_mul(if wide { 4 } else { 1 });
    let size = size.filter(|s| len.checked_mul(*s).is_some_and(|n| n <= data.len()));
    let size = size.ok_or("it is cut off")?;
    let decode = |i: usize| -> Result<String, String> {
        let item = &data[i * size..][..size];
        if !wide {
            let end = item.iter().rposition(|&b| b != 0).map_or(0, |i| i + 1);
            return String::from_utf8(item[..end].to_vec()).map_err(|e| e.to_string());
        }
        let codes = item.chunks_exact(4).map(|c| {
            let code = c.iter().fold(0u32, |n, &b| n << 8 | u32::from(b));
            if big { code } else { code.swap_bytes() }
        });
        let codes: Vec<u32> = codes.collect();
        let end = codes.iter().rposition(|&c| c != 0).map_or(0, |i| i + 1);
        let chars = codes[..end].iter().map(|&c| char::from_u32(c));
        chars.collect::<Option<String>>().ok_or_else(|| "it holds an invalid character".into())
    };
    let mut tensor = limits::alloc(pool, DType::Str, &header.dims)?;
    let mut to = tensor.write_strings().map_err(|e| e.to_string())?;
    let mut write = |i| to.push(&[&decode(i)?]).map_err(|e| limits::refusal(pool, &e));
    match header.fortran {
        true => row_major(&header.dims).try_for_each(&mut write)?,
        false => (0..len).try_for_each(&mut write)?,
    }
    Ok(tensor)
}

/// Places of the elements in column-major order, for an array that exists, row by row.
fn row_major(dims: &[usize]) -> impl Iterator<Item = usize> {
    let len = if dims.contains(&0) { 0 } else { dims.iter().product() };
    (0..len).map(move |mut i| {
        let mut stride = len;
        dims.iter().rev().fold(0, |place, d| {
            stride /= d;
            let index = i % d;
            i /= d;
            place + index * stride
        })
    })
}

/// The contents of a .npy file. Types NumPy lacks are written as `ml_dtypes` stores them: raw bytes, narrow ones in the
/// low bits of a byte.
pub(crate) fn write(tensor: &Tensor) -> Result<Vec<u8>, KernelError> {
    let dtype = tensor.dtype();
    let longest = || -> Result<usize, KernelError> {
        Ok(tensor.strings()?.iter().map(|s| s.chars().count()).max().unwrap_or(0).max(1))
    };
    let descr = match header_name(dtype) {
        Some(name) if dtype.size() == 1 => format!("|{name}"),
        Some(name) => format!("<{name}"),
        None if dtype == DType::Str => format!("<U{}", longest()?),
        None => format!("|V{}", dtype.size()),
    };
    let dims: Vec<String> = tensor.dims().iter().map(|d| format!("{d},")).collect();
    let shape = dims.join(" ");
    let mut header =
        format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}), }}");
    // Elements start at a multiple of 64 bytes; the header ends in a line feed.
    let used = MAGIC.len() + 4 + header.len() + 1;
    header.push_str(&" ".repeat(used.next_multiple_of(64) - used));
    header.push('\n');
    let length = u16::try_from(header.len());
    let length = length.map_err(|_| KernelError::shape("too many dimensions for a .npy file"))?;
    let mut bytes = MAGIC.to_vec();
    bytes.extend([1, 0]);
    bytes.extend(length.to_le_bytes());
    bytes.extend(header.as_bytes());
    if dtype == DType::Str {
        let width = longest()?;
        for s in tensor.strings()? {
            if s.ends_with('\0') {
                let text = format!("{s:?} ends in a null character, which a .npy file cannot hold");
                return Err(KernelError::domain(text));
            }
            let codes = s.chars().map(u32::from).chain(std::iter::repeat(0)).take(width);
            codes.for_each(|c| bytes.extend(c.to_le_bytes()));
        }
    } else if dtype.bits() < 8 {
        let mask = (1u8 << dtype.bits()) - 1;
        bytes.extend(tensor.bytes()?.iter().map(|b| b & mask));
    } else {
        bytes.extend(tensor.bytes()?);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([1, 0]);
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        bytes
    }

    /// A row of elements of a type.
    fn row(descr: &str, len: usize, data: &[u8]) -> Vec<u8> {
        let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({len},)}}");
        file(&header, data)
    }

    #[test]
    fn byte_order_and_column_order() {
        let header = "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }\n";
        let t =
            read(&Pool::new(), &file(header, &[0, 0, 0, 3, 0, 1, 0, 4, 0, 2, 0, 5]), None).unwrap();
        assert_eq!((t.dims(), t.slice::<i16>().unwrap()), (&[2, 3][..], &[0, 1, 2, 3, 4, 5][..]));
        let scalar = "{'descr': '<f4', 'fortran_order': False, 'shape': (), }";
        let t = read(&Pool::new(), &file(scalar, &1.5f32.to_le_bytes()), None).unwrap();
        assert_eq!((t.dims(), t.slice::<f32>().unwrap()), (&[][..], &[1.5f32][..]));
        let strings = "{'descr': '|S1', 'fortran_order': True, 'shape': (2, 1, 2)}";
        let t = read(&Pool::new(), &file(strings, b"acbd"), None).unwrap();
        assert_eq!(t.strings().unwrap(), ["a", "b", "c", "d"]);
        let complex = [1f32.to_be_bytes(), 2f32.to_be_bytes()].concat();
        let t = read(&Pool::new(), &row(">c8", 1, &complex), None).unwrap();
        assert_eq!(t.bytes().unwrap(), [1f32.to_le_bytes(), 2f32.to_le_bytes()].concat());
    }

    #[test]
    fn format_versions_two_and_three_have_longer_headers() {
        let header = "{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }";
        for version in [2, 3] {
            let mut bytes = [MAGIC, &[version, 0]].concat();
            bytes.extend((header.len() as u32).to_le_bytes());
            bytes.extend(header.as_bytes());
            bytes.push(9);
            assert_eq!(read(&Pool::new(), &bytes, None).unwrap().slice::<u8>().unwrap(), [9]);
        }
    }

    #[test]
    fn types_of_ml_dtypes_are_what_the_model_says() {
        let bytes = |dtype, data: &[u8]| {
            read(&Pool::new(), &row("<V1", data.len(), data), Some(dtype))
                .map(|t| t.bytes().unwrap().to_vec())
        };
        // As `numpy.save` writes −8, −1, 0 and 7 of int4: the low half of each byte.
        assert_eq!(bytes(DType::I4, &[8, 15, 0, 7]).unwrap(), [0xf8, 0xff, 0, 7]);
        assert_eq!(bytes(DType::I4, &[0xf8, 0xff]).unwrap(), [0xf8, 0xff]);
        assert_eq!(bytes(DType::I2, &[2, 3, 1]).unwrap(), [0xfe, 0xff, 1]);
        assert_eq!(bytes(DType::U4, &[15, 0]).unwrap(), [15, 0]);
        assert_eq!(bytes(DType::F4E2M1FN, &[15]).unwrap(), [15]);
        assert_eq!(bytes(DType::F8E4M3FN, &[0xff]).unwrap(), [0xff]);
        for (dtype, byte) in [
            (DType::I4, 100),
            (DType::I4, 0x8f),
            (DType::U4, 0xff),
            (DType::I2, 4),
            (DType::U2, 4),
            (DType::F4E2M1FN, 16),
        ] {
            let error = bytes(dtype, &[0, byte]).unwrap_err();
            assert_eq!(
                error,
                format!("element 1 is the byte 0x{byte:02x}, which is not a value of {dtype}")
            );
        }
        // `ml_dtypes` gives this one a name.
        let t = read(&Pool::new(), &row("<f1", 1, &[0x3c]), None).unwrap();
        assert_eq!((t.dtype(), t.bytes().unwrap()), (DType::F8E5M2, &[0x3c][..]));
        // NumPy would have named these.
        for wanted in [DType::I8, DType::U8, DType::Bool, DType::F32, DType::BF16, DType::Str] {
            let error = bytes(wanted, &[0]).unwrap_err();
            assert!(error.contains("raw bytes") && error.contains(".astype("), "{error}");
        }
    }

    #[test]
    fn narrow_types_are_written_as_ml_dtypes_stores_them() {
        let pool = Pool::new();
        let t = Tensor::from_bytes(&pool, DType::I4, &[3], vec![0xff, 0xf8, 7].into()).unwrap();
        let bytes = write(&t).unwrap();
        assert!(bytes.ends_with(&[15, 8, 7]) && bytes.len() == 64 + 64 + 3, "{bytes:?}");
        assert_eq!(read(&Pool::new(), &bytes, Some(DType::I4)).unwrap().bytes(), t.bytes());
        let null = Tensor::from_strings(&[1], vec!["a\0".into()]).unwrap();
        assert!(write(&null).unwrap_err().to_string().contains("null character"));
    }

    #[test]
    fn broken_files_are_refused() {
        let cases: &[(Vec<u8>, &str)] = &[
            (vec![], "empty"),
            (b"PK".to_vec(), "not a .npy"),
            (MAGIC.to_vec(), "header"),
            ([MAGIC, &[9, 0, 0, 0]].concat(), "version 9"),
            (row("<f4", 9, &[0; 8]), "cut off"),
            (file("{'descr': '<f4', 'shape': (1,)}", &[0; 4]), "fortran_order"),
            (file("{'fortran_order': False, 'shape': (1,)}", &[0; 4]), "descr"),
            (file("{'descr': '<f4', 'fortran_order': False}", &[0; 4]), "shape"),
            (
                file(
                    "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999, 99999999999)}",
                    &[],
                ),
                "its shape [99999999999999, 99999999999] has more elements than memory can hold",
            ),
            (
                file("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", &[0; 4]),
                "named fields",
            ),
            (row("|V7", 1, &[0; 7]), "raw bytes"),
            (row("|O", 1, &[0; 8]), "Python objects"),
            (row("<M8[ns]", 1, &[0; 8]), "dates"),
            (row("|T16", 1, &[0; 16]), "astype('U')"),
            (row("<f16", 1, &[0; 16]), "astype('float32')"),
            (row("<U99999999999", 2, &[0; 7]), "cut off"),
            (row("<Ux", 1, &[0; 4]), "(`<Ux`)"),
        ];
        for (bytes, expected) in cases {
            let error = read(&Pool::new(), bytes, None).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
