//! The instructions for operations, by the width of elements.

use super::super::{Binary, Class, Format, Relation, Width};
use super::assemble::Opcode;

/// Opcodes that floats of both widths have: `ps` forms have no prefix and no W, `pd` forms have 66 and W.
pub(super) fn packed(width: Width, byte: u8) -> Opcode {
    let wide = width == Width::Eight;
    Opcode { map: 1, prefix: u8::from(wide), wide, byte, half: false }
}

/// Opcodes of the later maps, where W alone tells the width.
pub(super) fn later(width: Width, map: u8, byte: u8) -> Opcode {
    Opcode { map, prefix: 1, wide: width == Width::Eight, byte, half: false }
}

/// Opcodes of integers; some have others for the greater width.
pub(super) fn integer(width: Width, four: u8, eight: u8) -> Opcode {
    let wide = width == Width::Eight;
    Opcode { map: 1, prefix: 1, wide, byte: if wide { eight } else { four }, half: false }
}

/// The instruction that widens shorter integers or `f16` when it loads them, such as `vpmovsxbd`, and the one that narrows
/// integers when it stores them, such as `vpmovdb`.
pub(super) fn short(format: Format, width: Width) -> Option<(Opcode, Opcode)> {
    let (load, store) = match format {
        Format::I8 => (0x21, 0x31),
        Format::U8 => (0x31, 0x31),
        Format::I16 => (0x23, 0x33),
        Format::U16 => (0x33, 0x33),
        Format::Same | Format::F16 | Format::BF16 => return None,
    };
    let further = u8::from(width == Width::Eight);
    let [load, store] = [load, store].map(|byte| later(Width::Four, 2, byte + further));
    Some((load, Opcode { prefix: 2, ..store }))
}

/// The instruction of a binary operation, with its immediate.
pub(super) fn binary(op: Binary, width: Width) -> (Opcode, Option<u8>) {
    let plain = match op {
        Binary::Add => packed(width, 0x58),
        Binary::Mul => packed(width, 0x59),
        Binary::Sub => packed(width, 0x5c),
        Binary::Min => packed(width, 0x5d),
        Binary::Div => packed(width, 0x5e),
        Binary::Max => packed(width, 0x5f),
        // By range, with the sign of the operand that was chosen.
        Binary::MinNum => return (later(width, 3, 0x50), Some(0b0100)),
        Binary::MaxNum => return (later(width, 3, 0x50), Some(0b0101)),
        Binary::Scale => later(width, 2, 0x2c),
        Binary::IntAdd => integer(width, 0xfe, 0xd4),
        Binary::IntSub => integer(width, 0xfa, 0xfb),
        Binary::IntMul => later(width, 2, 0x40),
        Binary::IntMax => later(width, 2, 0x3d),
        Binary::IntMin => later(width, 2, 0x39),
        Binary::UintMax => later(width, 2, 0x3f),
        Binary::UintMin => later(width, 2, 0x3b),
        Binary::And => integer(width, 0xdb, 0xdb),
        Binary::Or => integer(width, 0xeb, 0xeb),
        Binary::Xor => integer(width, 0xef, 0xef),
    };
    (plain, None)
}

/// Whether the operands can change places.
pub(super) fn commutes(op: Binary) -> bool {
    !matches!(
        op,
        Binary::Sub | Binary::Div | Binary::Max | Binary::Min | Binary::Scale | Binary::IntSub
    )
}

/// The instruction that compares, and the number of the relation.
pub(super) fn comparison(class: Class, relation: Relation, width: Width) -> (Opcode, u8) {
    let number = match (class, relation) {
        // Quiet ones.
        (Class::Float, Relation::Less) => 0x11,
        (Class::Float, Relation::LessOrEqual) => 0x12,
        (Class::Float, Relation::Equal) => 0x00,
        (Class::Float, Relation::Greater) => 0x1e,
        (Class::Float, Relation::GreaterOrEqual) => 0x1d,
        (Class::Float, Relation::Unordered) => 0x03,
        (_, Relation::Less) => 1,
        (_, Relation::LessOrEqual) => 2,
        (_, Relation::Equal) => 0,
        (_, Relation::Greater) => 6,
        (_, Relation::GreaterOrEqual) => 5,
        // No integer is.
        (_, Relation::Unordered) => 3,
    };
    let op = match class {
        Class::Float => packed(width, 0xc2),
        Class::Int => later(width, 3, 0x1f),
        Class::Uint => later(width, 3, 0x1e),
    };
    (op, number)
}
