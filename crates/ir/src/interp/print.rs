//! `print`: a line for each element, in the form of Triton's `device_print`.

use super::error::Trap;
use super::machine::{Machine, Site, Values};
use super::number::{float, int};
use crate::dtype::Class;
use crate::{DType, Type, ops};
use std::fmt;

/// A line that a kernel prints.
#[derive(Clone, Copy, Debug)]
pub struct Printed<'a> {
    /// The program.
    pub program: [u32; 3],
    /// The text before the element.
    pub prefix: &'a str,
    /// The element, if there is one.
    pub element: Option<PrintedElement<'a>>,
}

/// The element of a line.
#[derive(Clone, Copy, Debug)]
pub struct PrintedElement<'a> {
    /// Dimensions of its block.
    pub dims: &'a [usize],
    /// Its place in the block, row-major.
    pub place: usize,
    /// Its type; pointers have none.
    pub dtype: Option<DType>,
    /// Its bits.
    pub bits: u64,
    /// Whether all hexadecimal digits are printed.
    pub hex: bool,
    /// Whether an integer has a sign.
    pub signed: bool,
}

impl fmt::Display for Printed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.program;
        write!(f, "pid ({x}, {y}, {z})")?;
        let Some(element) = &self.element else { return f.write_str(self.prefix) };
        write!(f, " idx ({}){}{element}", index(element.dims, element.place), self.prefix)
    }
}

impl fmt::Display for PrintedElement<'_> {
    /// The element as C's `%f`, `%i`, `%u` or `%p` has it, or all its hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PrintedElement { dtype, bits, hex, signed, .. } = *self;
        let Some(dtype) = dtype else { return write!(f, "{bits:#x}") };
        match dtype.class() {
            _ if hex => write!(f, "0x{bits:0width$x}", width = 2 * dtype.size()),
            Class::Float => match float(dtype, bits) {
                x if x.is_nan() => f.write_str(if x.is_sign_negative() { "-nan" } else { "nan" }),
                x => write!(f, "{x:.6}"),
            },
            Class::UInt if signed => {
                let sign = 1i128 << (dtype.bits() - 1);
                write!(f, "{}", (int(dtype, bits) ^ sign) - sign)
            }
            Class::Int if !signed => write!(f, "{bits}"),
            _ => write!(f, "{}", int(dtype, bits)),
        }
    }
}

/// A place, each number as wide as the greatest of its axis.
fn index(dims: &[usize], place: usize) -> String {
    let width =
        |n: usize| n.saturating_sub(1).checked_ilog10().map_or(0, |digits| digits as usize + 1);
    let mut rest = place;
    let mut numbers: Vec<String> = vec![];
    for &n in dims.iter().rev() {
        let n = n.max(1);
        numbers.push(format!("{:width$}", rest % n, width = width(n)));
        rest /= n;
    }
    numbers.reverse();
    numbers.join(", ")
}

pub(super) fn run(machine: &mut Machine<'_>, site: &Site<'_>) -> Values {
    let (program, inputs) = (machine.program, &site.op.inputs);
    let op = ops::Print::of(site.op).ok_or(Trap::Unknown)?;
    let prefix = op.prefix();
    let mut operands = site.blocks()?;
    // At level lane the last operand is the place in a block.
    let block: Vec<usize> = op.dims().unwrap_or_default().iter().map(|&n| n as usize).collect();
    let first = match block.is_empty() {
        true => 0,
        false => operands.pop().ok_or(Trap::Unknown)?.first() as usize,
    };
    if operands.is_empty() {
        machine.printed.push(Printed { program, prefix, element: None }.to_string());
    }
    for (i, operand) in operands.iter().enumerate() {
        let pointer = matches!(site.func.ty(inputs[i].ok_or(Trap::Unknown)?), Type::Pointer(_));
        // Without the attribute, the type decides.
        let signed = op.signed().and_then(|s| s.get(i)).map(|&s| s != 0);
        let signed = signed.unwrap_or(operand.dtype.class() == Class::Int);
        let prefix = match operands.len() {
            1 => prefix.to_owned(),
            _ => format!("{prefix}(operand {i}) "),
        };
        let dims = if block.is_empty() { &operand.dims[..] } else { &block[..] };
        for (place, &bits) in operand.bits.iter().enumerate() {
            let dtype = (!pointer).then_some(operand.dtype);
            let (place, hex) = (first + place, op.hex());
            let element = Some(PrintedElement { dims, place, dtype, bits, hex, signed });
            machine.printed.push(Printed { program, prefix: &prefix, element }.to_string());
        }
    }
    Ok(vec![])
}

#[cfg(test)]
mod tests {
    use crate::interp::{InterpValue, Interpreter, Memory};

    #[test]
    fn places_are_as_wide_as_the_greatest_of_their_axis() {
        assert_eq!(super::index(&[16, 2, 1], 11), " 5, 1, 0");
        assert_eq!(super::index(&[1024], 12), "  12");
        assert_eq!(super::index(&[], 0), "");
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
        let x = InterpValue::Block(super::super::Block::new(crate::DType::I8, &[2], vec![0xff, 1]));
        let args = [x, InterpValue::scalar(half::f16::from_f32(-0.5)), InterpValue::address(0x40)];
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
