//! Literals.

use half::{bf16, f16};
use trident_ir::literal::LiteralData;
use trident_ir::{DType, Op, ops};

use super::types::{scalar, unsigned};

/// A scalar constant as an expression; the error says why there is none.
pub(super) fn expression(op: &Op) -> Result<String, String> {
    let literal = ops::Constant::of(op).ok_or("has no value")?.value();
    let dtype = literal.dtype();
    let name = scalar(dtype).ok_or_else(|| format!("Metal has no element type {dtype}"))?;
    let data = match literal.data() {
        LiteralData::Bytes(data) if data.len() == dtype.size() => data,
        _ => return Err("is not one element".into()),
    };
    let mut bytes = [0; 8];
    bytes[..data.len()].copy_from_slice(data);
    let bits = u64::from_le_bytes(bytes);
    Ok(number(dtype, name, bits))
}

/// Whether a constant is one positive integer, of a type that counts loops.
pub(super) fn is_positive(op: &Op) -> bool {
    let Some(literal) = ops::Constant::of(op).map(|op| op.value()) else { return false };
    let one = |value: Option<i64>| value.is_some_and(|value| value > 0);
    match literal.dtype() {
        DType::I32 => one(literal.to_vec::<i32>().and_then(|x| Some(i64::from(*x.first()?)))),
        DType::I64 => one(literal.to_vec::<i64>().and_then(|x| x.first().copied())),
        _ => false,
    }
}

/// The text of a number. NaN and numbers without an exact decimal form of a few digits are written by their bits.
fn number(dtype: DType, name: &str, bits: u64) -> String {
    let by_bits = || format!("as_type<{name}>({}({bits:#x}))", unsigned(dtype));
    let float = |value: f32, suffix: &str, exact: bool| match value.is_finite() && exact {
        true => format!("{value:?}{suffix}"),
        false => by_bits(),
    };
    match dtype {
        DType::Bool => (bits != 0).to_string(),
        DType::F32 => {
            let value = f32::from_bits(bits as u32);
            float(value, "f", !value.is_subnormal())
        }
        DType::F16 => {
            let value = f16::from_bits(bits as u16).to_f32();
            float(value, "h", value.fract() == 0.0 && value.abs() < 2048.0)
        }
        DType::BF16 => {
            let value = bf16::from_bits(bits as u16).to_f32();
            match value.fract() == 0.0 && value.abs() < 256.0 {
                true => format!("bfloat({value:?}f)"),
                false => by_bits(),
            }
        }
        // The least integers have no literals: their magnitudes are out of range.
        DType::I32 => match bits as u32 as i32 {
            i32::MIN => "(-2147483647 - 1)".to_owned(),
            value => value.to_string(),
        },
        DType::I64 => match bits as i64 {
            i64::MIN => "(-9223372036854775807l - 1)".to_owned(),
            value => format!("{value}l"),
        },
        DType::U32 => format!("{bits}u"),
        DType::U64 => format!("{bits}ul"),
        DType::I8 => format!("char({})", bits as u8 as i8),
        DType::I16 => format!("short({})", bits as u16 as i16),
        _ => format!("{name}({bits})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_exact() {
        let text = |dtype, bits| number(dtype, scalar(dtype).unwrap_or_default(), bits);
        assert_eq!(text(DType::F32, 0.1f32.to_bits().into()), "0.1f");
        assert_eq!(text(DType::F32, (-0.0f32).to_bits().into()), "-0.0f");
        assert_eq!(text(DType::F32, 0x7fc0_0000), "as_type<float>(uint(0x7fc00000))");
        assert_eq!(text(DType::F16, 0x3c00), "1.0h");
        assert_eq!(text(DType::F16, 0x2e66), "as_type<half>(ushort(0x2e66))");
        assert_eq!(text(DType::I32, 0x8000_0000), "(-2147483647 - 1)");
        assert_eq!(text(DType::I8, 0xff), "char(-1)");
        assert_eq!(text(DType::U8, 0xff), "uchar(255)");
    }
}
