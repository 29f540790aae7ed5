//! Printing of blocks from kernels, in the form of Triton's `device_print`.

use std::fmt::Write as _;
use std::io::Write as _;

use half::{bf16, f16};
use trident_ir::DType;
use trident_ir::element::{F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ};

use super::narrow::Narrow;
use super::{Registry, Routine, any_isa};

/// Operands of [`Routine::Print`], which writes one line for each element to standard output:
/// `pid (x, y, z) idx (i, j) prefix value`, with `(operand i)` before the value if there are several operands.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Print {
    /// The prefix in UTF-8, as given by the op.
    pub prefix: *const u8,
    /// Length of the prefix in bytes.
    pub prefix_len: usize,
    /// Program id.
    pub program: [u32; 3],
    /// Number of dimensions.
    pub rank: u32,
    /// The dimensions.
    pub dims: *const u64,
    /// Contiguous elements, row-major; unused without an operand.
    pub data: *const u8,
    /// Index of the operand's type in [`DType::ALL`]; `u32::MAX` for a pointer (printed as an address).
    pub dtype: u32,
    /// Index of this operand.
    pub operand: u32,
    /// Number of the op's operands; without operands only the prefix is printed.
    pub operands: u32,
    /// 1 to print in hexadecimal.
    pub hex: u32,
    /// 1 for a signed integer.
    pub signed: u32,
}

pub(super) fn register(registry: &mut Registry) {
    let addresses = any_isa!(fn(args: *const Print) {
        // SAFETY: compiled code passes an argument block on its stack, filled as the fields of `Print` say.
        let text = unsafe { lines(&*args) };
        // In one write, so that programs do not interleave their lines. A closed output is not an error.
        let mut out = std::io::stdout().lock();
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    });
    registry.add(Routine::Print, addresses);
}

/// The text.
///
/// # Safety
/// The pointers are valid for what `Print` says.
unsafe fn lines(p: &Print) -> String {
    // SAFETY: `prefix` has `prefix_len` bytes and `dims` has `rank` numbers, as the fields of `Print` say.
    let (prefix, dims): (&[u8], &[u64]) = unsafe {
        let dims = match p.rank {
            0 => &[],
            rank => std::slice::from_raw_parts(p.dims, rank as usize),
        };
        (std::slice::from_raw_parts(p.prefix, p.prefix_len), dims)
    };
    let prefix = String::from_utf8_lossy(prefix);
    let [x, y, z] = p.program;
    if p.operands == 0 {
        return format!("pid ({x}, {y}, {z}){prefix}\n");
    }
    let dtype = DType::ALL.get(p.dtype as usize).copied();
    let size = dtype.map_or(8, DType::size);
    let mut text = String::new();
    let mut index = vec![0u64; dims.len()];
    for i in 0..dims.iter().product::<u64>() as usize {
        let _ = write!(text, "pid ({x}, {y}, {z}) idx (");
        for (axis, (place, dim)) in index.iter().zip(dims).enumerate() {
            let separator = if axis == 0 { "" } else { ", " };
            // Padded to the number of digits of the dimension less 1.
            let width = dim.saturating_sub(1).checked_ilog10().map_or(0, |d| d as usize + 1);
            let _ = write!(text, "{separator}{place:width$}");
        }
        let _ = write!(text, "){prefix}");
        if p.operands > 1 {
            let _ = write!(text, "(operand {}) ", p.operand);
        }
        let mut bits = [0u8; 8];
        // SAFETY: element `i` of the operand.
        unsafe {
            bits.as_mut_ptr().copy_from_nonoverlapping(p.data.add(i * size), size.min(8));
        }
        element(&mut text, dtype, u64::from_le_bytes(bits), p.hex != 0, p.signed != 0);
        text.push('\n');
        for (place, dim) in index.iter_mut().zip(dims).rev() {
            *place += 1;
            if *place < *dim {
                break;
            }
            *place = 0;
        }
    }
    text
}

/// Writes one element as C's `printf` would: `%f`, `%i`, `%u`, `%p` or all hexadecimal digits of the type.
fn element(text: &mut String, dtype: Option<DType>, bits: u64, hex: bool, signed: bool) {
    let Some(dtype) = dtype else {
        let _ = write!(text, "{bits:#x}");
        return;
    };
    let float = match dtype {
        _ if hex => None,
        DType::F64 => Some(f64::from_bits(bits)),
        DType::F32 => Some(f32::from_bits(bits as u32).into()),
        DType::F16 => Some(f16::from_code(bits as u32).decode().into()),
        DType::BF16 => Some(bf16::from_code(bits as u32).decode().into()),
        DType::F8E4M3FN => Some(F8E4M3FN(bits as u8).decode().into()),
        DType::F8E4M3FNUZ => Some(F8E4M3FNUZ(bits as u8).decode().into()),
        DType::F8E5M2 => Some(F8E5M2(bits as u8).decode().into()),
        DType::F8E5M2FNUZ => Some(F8E5M2FNUZ(bits as u8).decode().into()),
        _ => None,
    };
    let width = dtype.size() * 8;
    let _ = match float {
        Some(x) if x.is_nan() => write!(text, "{}nan", if x.is_sign_negative() { "-" } else { "" }),
        Some(x) => write!(text, "{x:.6}"),
        None if hex => write!(text, "0x{bits:0digits$x}", digits = width / 4),
        None if signed => {
            let unused = 64 - width.clamp(1, 64);
            write!(text, "{}", (bits << unused) as i64 >> unused)
        }
        None => write!(text, "{bits}"),
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use trident_ir::Element;

    fn print<T: Element>(x: &[T], dims: &[u64], hex: bool, signed: bool, operands: u32) -> String {
        let dtype = DType::ALL.iter().position(|d| *d == T::DTYPE).unwrap() as u32;
        let p = Print {
            prefix: " x: ".as_ptr(),
            prefix_len: 4,
            program: [1, 2, 3],
            rank: dims.len() as u32,
            dims: dims.as_ptr(),
            data: x.as_ptr().cast(),
            dtype,
            operand: operands.saturating_sub(1),
            operands,
            hex: hex.into(),
            signed: signed.into(),
        };
        // SAFETY: `p` describes the slices above.
        unsafe { lines(&p) }
    }

    #[test]
    fn lines_are_those_of_triton() {
        assert_eq!(print(&[1.5f32], &[], false, true, 1), "pid (1, 2, 3) idx () x: 1.500000\n");
        assert_eq!(print::<f32>(&[], &[], false, true, 0), "pid (1, 2, 3) x: \n");
        assert_eq!(
            print(&[-1i8, 5], &[1, 2], false, true, 2),
            "pid (1, 2, 3) idx (0, 0) x: (operand 1) -1\npid (1, 2, 3) idx (0, 1) x: (operand 1) 5\n"
        );
        assert_eq!(print(&[-1i8], &[], false, false, 1), "pid (1, 2, 3) idx () x: 255\n");
        assert_eq!(print(&[-1i16], &[], true, true, 1), "pid (1, 2, 3) idx () x: 0xffff\n");
        assert_eq!(print(&[1.0f32], &[], true, true, 1), "pid (1, 2, 3) idx () x: 0x3f800000\n");
        assert_eq!(
            print(&[i64::MIN], &[], false, true, 1),
            "pid (1, 2, 3) idx () x: -9223372036854775808\n"
        );
        assert_eq!(print(&[-f64::INFINITY], &[], false, true, 1), "pid (1, 2, 3) idx () x: -inf\n");
        assert_eq!(
            print(&[bf16::from_f32(0.5)], &[], false, true, 1),
            "pid (1, 2, 3) idx () x: 0.500000\n"
        );
        let many = print(&[7u32; 16], &[16], false, false, 1);
        assert!(many.starts_with("pid (1, 2, 3) idx ( 0) x: 7\n"), "{many}");
        assert!(many.ends_with("pid (1, 2, 3) idx (15) x: 7\n"), "{many}");
        assert_eq!(many.lines().count(), 16);
    }
}
