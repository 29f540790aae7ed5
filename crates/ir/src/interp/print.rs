//! `print`: a line for each element.

use super::block::places;
use super::error::Fault;
use super::machine::{Machine, Site, Values};
use super::number::float;
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
        let ty = site.func.ty(site.op.input(i).ok_or(Fault::Unknown)?);
        // Where nothing tells, the type does.
        let signed = site.op.ints("signed").and_then(|s| s.get(i)).map(|&s| s != 0);
        for (place, &bits) in places(&block.dims).zip(&block.bits[..]) {
            let place: Vec<String> = place.iter().map(usize::to_string).collect();
            let value = match ty {
                Type::Pointer(_) => format!("{bits:#x}"),
                _ if site.op.flag("hex") => {
                    format!("0x{bits:0width$x}", width = 2 * block.dtype.size())
                }
                _ if block.dtype.is_float() => float(block.dtype, bits).to_string(),
                _ => {
                    let class = block.dtype.class();
                    let signed = signed.unwrap_or(class == Class::Int) && class != Class::Bool;
                    let unused = 64 - 8 * block.dtype.size() as u32;
                    let number = (bits << unused) as i64 >> unused;
                    if signed { number.to_string() } else { bits.to_string() }
                }
            };
            machine
                .printed
                .push(format!("pid ({x}, {y}, {z}) idx ({}){prefix}{value}", place.join(", ")));
        }
    }
    Ok(vec![])
}

#[cfg(test)]
mod tests {
    use crate::interp::{Interpreter, Memory, Value};

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
                "pid (0, 1, 0) idx (0) x: -1",
                "pid (0, 1, 0) idx (1) x: 1",
                "pid (0, 1, 0) idx () x: -0.5",
                "pid (0, 1, 0) idx () x: 0x40",
                "pid (0, 1, 0) idx (0) u: 255",
                "pid (0, 1, 0) idx (1) u: 1",
                "pid (0, 1, 0) idx (0) h: 0xff",
                "pid (0, 1, 0) idx (1) h: 0x01",
                "pid (0, 1, 0) end",
            ]
        );
    }
}
