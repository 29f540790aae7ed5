//! NumPy's .npy and .npz files (format versions 1 to 3,
//! <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>).
//!
//! Written here instead of taken from a crate because of the element types NumPy has no name for: `ml_dtypes` stores
//! bf16 and the 8-bit floats as raw bytes (`V2`, `V1`), and only the model's input says which type they are.

use std::io::{Read, Seek, Write};
use trident_ir::{DType, literal::checked_len};
use trident_runtime::{KernelError, Pool, Tensor};

const MAGIC: &[u8] = b"\x93NUMPY";

/// Names of element types in .npy headers, without the byte order.
const NAMES: &[(&str, DType)] = &[
    ("f8", DType::F64),
    ("f4", DType::F32),
    ("f2", DType::F16),
    ("i8", DType::I64),
    ("i4", DType::I32),
    ("i2", DType::I16),
    ("i1", DType::I8),
    ("u8", DType::U64),
    ("u4", DType::U32),
    ("u2", DType::U16),
    ("u1", DType::U8),
    ("b1", DType::Bool),
    ("c8", DType::C64),
    ("c16", DType::C128),
];

/// A tensor from the contents of a .npy file. `wanted` settles what raw bytes mean.
pub(crate) fn read(bytes: &[u8], wanted: Option<DType>) -> Result<Tensor, String> {
    let header = Header::parse(bytes)?;
    let data = &bytes[header.size..];
    let len = checked_len(&header.dims).ok_or("its shape is too large")?;
    let (order, name) = header.descr.split_at_checked(1).ok_or("its element type is empty")?;
    if let Some(width) = name.strip_prefix(['U', 'S']).or(header.descr.strip_prefix(['U', 'S'])) {
        let wide = name.starts_with('U');
        let width: usize = width.parse().map_err(|_| unknown(&header.descr))?;
        return header.text(data, len, width, wide, order == ">");
    }
    let dtype = match NAMES.iter().find(|(n, _)| *n == name) {
        Some((_, dtype)) => *dtype,
        None => match (name.strip_prefix('V').and_then(|w| w.parse::<usize>().ok()), wanted) {
            (Some(width), Some(wanted)) if wanted.size() == width => wanted,
            _ => return Err(unknown(&header.descr)),
        },
    };
    let size = len.checked_mul(dtype.size()).ok_or("its shape is too large")?;
    let elements = data.get(..size).ok_or_else(|| {
        format!("it is cut off: {} bytes of elements, expected {size}", data.len())
    })?;
    let mut elements = elements.to_vec();
    if order == ">" {
        // Complex numbers are pairs, each swapped by itself.
        let part = if dtype.class() == trident_ir::dtype::Class::Complex { 2 } else { 1 };
        elements.chunks_exact_mut(dtype.size() / part).for_each(<[u8]>::reverse);
    }
    if dtype == DType::Bool {
        elements.iter_mut().for_each(|b| *b = u8::from(*b != 0));
    }
    if header.fortran {
        elements = to_row_major(&elements, &header.dims, dtype.size());
    }
    let made = Tensor::from_bytes(&Pool::new(), dtype, &header.dims, elements.into());
    made.map_err(|e| e.to_string())
}

fn unknown(descr: &str) -> String {
    format!("its element type `{descr}` is not supported")
}

struct Header {
    descr: String,
    fortran: bool,
    dims: Vec<usize>,
    /// Bytes before the elements.
    size: usize,
}

impl Header {
    fn parse(bytes: &[u8]) -> Result<Header, String> {
        let short = || "it is cut off within its header".to_owned();
        let rest = bytes.strip_prefix(MAGIC).ok_or("it is no .npy file")?;
        let (&major, rest) = rest.split_first().ok_or_else(short)?;
        let rest = rest.get(1..).ok_or_else(short)?;
        let width = if major == 1 { 2 } else { 4 };
        let length = rest.get(..width).ok_or_else(short)?;
        let length = length.iter().rev().fold(0usize, |n, &b| n << 8 | usize::from(b));
        let start = MAGIC.len() + 2 + width;
        let size = start.checked_add(length).ok_or_else(short)?;
        let text = bytes.get(start..size).ok_or_else(short)?;
        let text = std::str::from_utf8(text).map_err(|_| "its header is no text")?;
        let after = |key: &str| {
            let at = text.find(&format!("'{key}'"))? + key.len() + 2;
            text.get(at..)?.trim_start().strip_prefix(':').map(str::trim_start)
        };
        let missing = |key: &str| format!("its header has no usable `{key}`");
        let descr = after("descr").and_then(|t| t.strip_prefix('\'')?.split('\'').next());
        let shape = after("shape").and_then(|t| t.strip_prefix('(')?.split(')').next());
        let dims = shape.ok_or_else(|| missing("shape"))?.split(',').map(str::trim);
        let dims = dims.filter(|d| !d.is_empty()).map(|d| d.parse().map_err(|_| missing("shape")));
        Ok(Header {
            descr: descr.ok_or_else(|| missing("descr"))?.to_owned(),
            fortran: after("fortran_order").is_some_and(|t| t.starts_with("True")),
            dims: dims.collect::<Result<_, _>>()?,
            size,
        })
    }

    /// Fixed-width strings: UTF-32 (`U`) or bytes (`S`), filled up with zeros.
    fn text(
        &self,
        data: &[u8],
        len: usize,
        width: usize,
        wide: bool,
        big: bool,
    ) -> Result<Tensor, String> {
        if self.fortran {
            return Err("its strings are in Fortran order, which is not supported".into());
        }
        let size = width.checked_mul(if wide { 4 } else { 1 });
        let size = size.filter(|s| len.checked_mul(*s).is_some_and(|n| n <= data.len()));
        let size = size.ok_or("it is cut off")?;
        let decode = |item: &[u8]| -> Result<String, String> {
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
        let strings = match size {
            0 => vec![String::new(); len],
            _ => data.chunks_exact(size).take(len).map(decode).collect::<Result<_, _>>()?,
        };
        Tensor::from_strings(&self.dims, strings).map_err(|e| e.to_string())
    }
}

/// Elements from column-major to row-major order.
fn to_row_major(from: &[u8], dims: &[usize], size: usize) -> Vec<u8> {
    let mut to = Vec::with_capacity(from.len());
    let mut index = vec![0; dims.len()];
    for _ in 0..from.len() / size.max(1) {
        let place = index.iter().zip(dims).rev().fold(0, |at, (i, d)| at * d + i) * size;
        to.extend_from_slice(&from[place..place + size]);
        for (i, d) in index.iter_mut().zip(dims).rev() {
            *i += 1;
            if *i < *d {
                break;
            }
            *i = 0;
        }
    }
    to
}

/// The contents of a .npy file. Types NumPy lacks are written as `ml_dtypes` does: raw bytes.
pub(crate) fn write(tensor: &Tensor) -> Result<Vec<u8>, KernelError> {
    let dtype = tensor.dtype();
    let name = NAMES.iter().find(|(_, d)| *d == dtype).map(|(name, _)| *name);
    let longest = || -> Result<usize, KernelError> {
        Ok(tensor.strings()?.iter().map(|s| s.chars().count()).max().unwrap_or(0).max(1))
    };
    let descr = match name {
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
            let codes = s.chars().map(u32::from).chain(std::iter::repeat(0)).take(width);
            codes.for_each(|c| bytes.extend(c.to_le_bytes()));
        }
    } else {
        bytes.extend(tensor.bytes()?);
    }
    Ok(bytes)
}

/// Names and contents of the arrays of a .npz file.
pub(crate) fn read_npz(file: impl Read + Seek) -> Result<Vec<(String, Vec<u8>)>, String> {
    let mut archive = zip::ZipArchive::new(file).map_err(|e| e.to_string())?;
    let mut arrays = Vec::new();
    for i in 0..archive.len() {
        let mut entry = archive.by_index(i).map_err(|e| e.to_string())?;
        let name = entry.name().map_err(|e| e.to_string())?.into_owned();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).map_err(|e| e.to_string())?;
        arrays.push((name.strip_suffix(".npy").unwrap_or(&name).to_owned(), bytes));
    }
    Ok(arrays)
}

/// Writes a .npz file.
pub(crate) fn write_npz(
    file: impl Write + Seek,
    arrays: &[(&str, &Tensor)],
) -> Result<(), Box<dyn std::error::Error>> {
    let mut archive = zip::ZipWriter::new(file);
    let options = zip::write::SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Stored)
        .large_file(true);
    for (name, tensor) in arrays {
        archive.start_file(format!("{name}.npy"), options)?;
        archive.write_all(&write(tensor)?)?;
    }
    archive.finish()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::{self, Scalar};

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([1, 0]);
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        bytes
    }

    #[test]
    fn every_type_round_trips() {
        for &dtype in DType::ALL.iter().filter(|d| **d != DType::F8E8M0FNU) {
            let elements = match dtype {
                DType::Str => vec![Scalar::Text("é".into()), Scalar::Text("long".into())],
                _ => vec![Scalar::Int(1), Scalar::Int(0)],
            };
            let t = scalar::tensor(dtype, &[2, 1], &elements).unwrap();
            let bytes = write(&t).unwrap();
            let again = read(&bytes, Some(dtype)).unwrap();
            assert_eq!((again.dtype(), again.dims()), (dtype, &[2, 1][..]));
            assert_eq!(again.bytes().ok(), t.bytes().ok());
            assert_eq!(again.strings().ok(), t.strings().ok());
        }
    }

    #[test]
    fn byte_order_and_column_order() {
        let header = "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }\n";
        let t = read(&file(header, &[0, 0, 0, 3, 0, 1, 0, 4, 0, 2, 0, 5]), None).unwrap();
        assert_eq!((t.dims(), t.slice::<i16>().unwrap()), (&[2, 3][..], &[0, 1, 2, 3, 4, 5][..]));
        let scalar = "{'descr': '<f4', 'fortran_order': False, 'shape': (), }";
        let t = read(&file(scalar, &1.5f32.to_le_bytes()), None).unwrap();
        assert_eq!((t.dims(), t.slice::<f32>().unwrap()), (&[][..], &[1.5f32][..]));
    }

    #[test]
    fn broken_files_are_refused() {
        let cases: &[(Vec<u8>, &str)] = &[
            (b"PK".to_vec(), "no .npy"),
            (MAGIC.to_vec(), "header"),
            (file("{'descr': '<f4', 'shape': (9,)}", &[0; 8]), "cut off"),
            (file("{'descr': '<f4', 'shape': (99999999999999, 99999999999)}", &[]), "too large"),
            (file("{'descr': [('a', '<f4')], 'shape': (1,)}", &[0; 4]), "descr"),
            (file("{'descr': '|V7', 'shape': (1,)}", &[0; 7]), "not supported"),
            (file("{'descr': '<U99999999999', 'shape': (2,)}", &[0; 7]), "cut off"),
        ];
        for (bytes, expected) in cases {
            let error = read(bytes, None).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn archives_keep_names() {
        let t = scalar::tensor(DType::I32, &[1], &[Scalar::Int(7)]).unwrap();
        let mut file = std::io::Cursor::new(Vec::new());
        write_npz(&mut file, &[("a.b", &t), ("c", &t)]).unwrap();
        let arrays = read_npz(file).unwrap();
        let names: Vec<_> = arrays.iter().map(|(n, _)| n.as_str()).collect();
        assert_eq!(names, ["a.b", "c"]);
        assert_eq!(read(&arrays[1].1, None).unwrap().slice::<i32>().unwrap(), [7]);
    }
}
