//! `print`: a line for each element, in the form of Triton's `device_print`.

use super::block::places;
use super::error::Trap;
use super::machine::{Machine, Site, Values};
use super::number::{float, int};
use super::value::Block;
use crate::Type;
use crate::dtype::Class;

pub(super) fn run(machine: &mut Machine<'_>, site: &Site<'_>) -> Values {
    let [x, y, z] = machine.program;
    let prefix = site.op.str("prefix").unwrap_or_default();
    let operands = site.blocks()?;
    if operands.is_empty() {
        machine.printed.push(format!("pid ({x}, {y}, {z}){prefix}"));
    }
    for (i, block) in operands.iter().enumerate() {
        let pointer =
            matches!(site.func.ty(site.op.input(i).ok_or(Trap::Unknown)?), Type::Pointer(_));
        // Where nothing tells, the type does.
        let signed = site.op.ints("signed").and_then(|s| s.get(i)).map(|&s| s != 0);
        let signed = signed.unwrap_or(block.dtype.class() == Class::Int);
        let which = if operands.len() > 1 { format!("(operand {i}) ") } else { String::new() };
        for (place, &bits) in places(&block.dims).zip(&block.bits[..]) {
            let value = match pointer {
                true => format!("{bits:#x}"),
                false => element(block, bits, site.op.flag("hex"), signed),
            };
            let place = index(&block.dims, &place);
            machine
                .printed
                .push(format!("pid ({x}, {y}, {z}) idx ({place}){prefix}{which}{value}"));
        }
    }
    Ok(vec![])
}

/// A place, each number as wide as the greatest of its axis.
fn index(dims: &[usize], place: &[usize]) -> String {
    let width =
        |n: usize| n.saturating_sub(1).checked_ilog10().map_or(0, |digits| digits as usize + 1);
    let numbers = dims.iter().zip(place).map(|(&n, p)| format!("{p:width$}", width = width(n)));
    numbers.collect::<Vec<_>>().join(", ")
}

/// An element as C's `%f`, `%i` or `%u` has it, or all its hexadecimal digits.
fn element(block: &Block, bits: u64, hex: bool, signed: bool) -> String {
    let dtype = block.dtype;
    match dtype.class() {
        _ if hex => format!("0x{bits:0width$x}", width = 2 * dtype.size()),
        Class::Float => match float(dtype, bits) {
            x if x.is_nan() => if x.is_sign_negative() { "-nan" } else { "nan" }.to_owned(),
            x => format!("{x:.6}"),
        },
        Class::UInt if signed => {
            let sign = 1i128 << (dtype.bits() - 1);
            ((int(dtype, bits) ^ sign) - sign).to_string()
        }
        Class::Int if !signed => bits.to_string(),
        _ => int(dtype, bits).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use crate::interp::{Interpreter, Memory, Value};

    #[test]
    fn places_are_as_wide_as_the_greatest_of_their_axis() {
        assert_eq!(super::index(&[16, 2, 1], &[5, 1, 0]), " 5, 1, 0");
        assert_eq!(super::index(&[1024], &[12]), "  12");
        assert_eq!(super::index(&[], &[]), "");
    }

    #[test]
    fn lines_name_program_place_and_value() {
        let module = "func @f tile (%x: i8[2], %y: f16[], %p: ptr<i8>[]) {
            print(%x, %y, %p) {prefix = \" x: \"}
            print(%x) {prefix = \" u: \", signed = [0]}
            print(%x) {prefix = \" h: \", hex = 1}
            print {prefix = \" end\"}
            return
        }"
        .parse()
        .unwrap();
        let mut interpreter = Interpreter::new(&module).unwrap();
        let x = Value::Block(super::super::Block::new(crate::DType::I8, &[2], vec![0xff, 1]));
        let args = [x, Value::scalar(half::f16::from_f32(-0.5)), Value::address(0x40)];
        interpreter.launch([1, 2, 1], &args, &mut Memory::default()).unwrap();
        let second: Vec<_> = interpreter.printed.iter().skip(9).map(String::as_str).collect();
        assert_eq!(
            second,
            [
                "pid (0, 1, 0) idx (0) x: (operand 0) -1",
                "pid (0, 1, 0) idx (1) x: (operand 0) 1",
                "pid (0, 1, 0) idx () x: (operand 1) -0.500000",
                "pid (0, 1, 0) idx () x: (operand 2) 0x40",
                "pid (0, 1, 0) idx (0) u: 255",
                "pid (0, 1, 0) idx (1) u: 1",
                "pid (0, 1, 0) idx (0) h: 0xff",
                "pid (0, 1, 0) idx (1) h: 0x01",
                "pid (0, 1, 0) end",
            ]
        );
    }
}
