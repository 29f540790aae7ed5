//! The arguments of a kernel call, as read from Paddle.

use crate::abi::memory::TensorMemory;
use crate::element::Element;
use crate::extents::Extents;
use crate::moves::Number;
use std::fmt;
use trident_paddle::{KernelArgument, KernelTensor};

/// The most parameters that a kernel may have, results included.
pub(crate) const MAX_PARAMS: usize = 24;

/// A tensor's type, and the address of its first element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operand {
    /// The element type.
    pub(crate) element: Element,
    /// Dimensions; −1 for those of a result that are not known before the kernel has run.
    pub(crate) dims: Extents,
    /// The memory: empty if there are no elements, or if none was allocated.
    pub(crate) memory: TensorMemory,
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:?}", self.element, self.dims)
    }
}

/// An argument of a kernel. Lists are Paddle's own memory.
#[derive(Clone, Debug)]
pub(crate) enum Argument<'a> {
    /// A tensor or a list that is left out, or a result that nobody needs.
    Absent,
    /// A tensor.
    Tensor(Operand),
    /// A list of tensors.
    Tensors(Vec<Operand>),
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A number.
    Float(f64),
    /// Text.
    Text(&'a str),
    /// An element type.
    Element(Element),
    /// 32-bit integers.
    I32s(&'a [i32]),
    /// 64-bit integers.
    I64s(&'a [i64]),
    /// 32-bit floats.
    F32s(&'a [f32]),
    /// 64-bit floats.
    F64s(&'a [f64]),
    /// Scalars.
    Numbers(Vec<Number>),
}

impl Argument<'_> {
    /// The tensors of the argument.
    pub(crate) fn operands(&self) -> &[Operand] {
        match self {
            Argument::Tensor(operand) => std::slice::from_ref(operand),
            Argument::Tensors(operands) => operands,
            _ => &[],
        }
    }

    /// Gives tensors without an element type this one.
    pub(crate) fn define(&mut self, element: Element) {
        let operands = match self {
            Argument::Tensor(operand) => std::slice::from_mut(operand),
            Argument::Tensors(operands) => operands,
            _ => return,
        };
        let undefined = operands.iter_mut().filter(|it| it.element == Element::UNDEFINED);
        undefined.for_each(|operand| operand.element = element);
    }

    /// Appends what selects a compiled function: types and ranks of tensors, values of attributes.
    pub(crate) fn write_key(&self, key: &mut Vec<u8>) {
        match self {
            Argument::Absent => key.push(0),
            Argument::Tensor(operand) => {
                key.extend([1, operand.element.0 as u8, operand.dims.as_slice().len() as u8]);
            }
            Argument::Tensors(operands) => {
                key.push(2);
                key.extend((operands.len() as u64).to_le_bytes());
                let types = operands
                    .iter()
                    .flat_map(|o| [o.element.0 as u8, o.dims.as_slice().len() as u8]);
                key.extend(types);
            }
            Argument::Bool(value) => key.extend([3, u8::from(*value)]),
            Argument::Int(value) => write_list(key, 4, 1, &mut [value.to_le_bytes()].into_iter()),
            Argument::Float(value) => write_list(key, 5, 1, &mut [value.to_le_bytes()].into_iter()),
            Argument::Text(text) => {
                key.push(6);
                key.extend((text.len() as u64).to_le_bytes());
                key.extend(text.as_bytes());
            }
            Argument::Element(element) => key.extend([7, element.0 as u8]),
            Argument::I64s(values) => {
                write_list(key, 8, values.len(), &mut values.iter().map(|v| v.to_le_bytes()));
            }
            Argument::F64s(values) => {
                write_list(key, 9, values.len(), &mut values.iter().map(|v| v.to_le_bytes()));
            }
            Argument::I32s(values) => {
                let wide = values.iter().map(|v| i64::from(*v).to_le_bytes());
                write_list(key, 8, values.len(), &mut { wide });
            }
            Argument::F32s(values) => {
                let wide = values.iter().map(|v| f64::from(*v).to_le_bytes());
                write_list(key, 9, values.len(), &mut { wide });
            }
            Argument::Numbers(values) => {
                let tags = values.iter().map(|value| matches!(value, Number::Int(_)) as i64);
                write_list(key, 10, values.len(), &mut tags.map(i64::to_le_bytes));
                let bytes = values.iter().map(|value| match value {
                    Number::Int(value) => value.to_le_bytes(),
                    Number::Float(value) => value.to_le_bytes(),
                });
                write_list(key, 11, values.len(), &mut { bytes });
            }
        }
    }

    /// The argument for the catalogue, with open sizes or with those of the operands; `None` if it is left out.
    pub(crate) fn described(&self, with_sizes: bool) -> Result<Option<KernelArgument>, Element> {
        let tensor = |operand: &Operand| {
            let dims = operand.dims.as_slice().iter();
            Ok(KernelTensor {
                dtype: operand.element.dtype().ok_or(operand.element)?,
                dims: dims.map(|dim| usize::try_from(*dim).ok().filter(|_| with_sizes)).collect(),
            })
        };
        Ok(Some(match self {
            Argument::Absent => return Ok(None),
            Argument::Tensor(operand) => KernelArgument::Tensor(tensor(operand)?),
            Argument::Tensors(operands) => {
                KernelArgument::Tensors(operands.iter().map(tensor).collect::<Result<_, _>>()?)
            }
            Argument::Bool(value) => KernelArgument::Bool(*value),
            Argument::Int(value) => KernelArgument::Int(*value),
            Argument::Float(value) => KernelArgument::Float(*value),
            Argument::Text(text) => KernelArgument::Text((*text).to_owned()),
            Argument::Element(Element::UNDEFINED) => KernelArgument::DType(None),
            Argument::Element(element) => {
                KernelArgument::DType(Some(element.dtype().ok_or(*element)?))
            }
            Argument::I32s(values) => {
                KernelArgument::Ints(values.iter().map(|v| i64::from(*v)).collect())
            }
            Argument::I64s(values) => KernelArgument::Ints(values.to_vec()),
            Argument::F32s(values) => {
                KernelArgument::Floats(values.iter().map(|v| f64::from(*v)).collect())
            }
            Argument::F64s(values) => KernelArgument::Floats(values.to_vec()),
            Argument::Numbers(values) => {
                let items = values.iter().map(|value| match value {
                    Number::Int(value) => KernelArgument::Int(*value),
                    Number::Float(value) => KernelArgument::Float(*value),
                });
                KernelArgument::List(items.collect())
            }
        }))
    }
}

fn write_list(key: &mut Vec<u8>, tag: u8, len: usize, values: &mut dyn Iterator<Item = [u8; 8]>) {
    key.push(tag);
    key.extend((len as u64).to_le_bytes());
    values.for_each(|value| key.extend(value));
}

impl fmt::Display for Argument<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Argument::Absent => f.write_str("none"),
            Argument::Tensor(operand) => operand.fmt(f),
            Argument::Tensors(operands) => {
                f.write_str("[")?;
                for (i, operand) in operands.iter().enumerate() {
                    write!(f, "{}{operand}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str("]")
            }
            Argument::Bool(value) => value.fmt(f),
            Argument::Int(value) => value.fmt(f),
            Argument::Float(value) => value.fmt(f),
            Argument::Text(text) => write!(f, "{text:?}"),
            Argument::Element(element) => element.fmt(f),
            Argument::I32s(values) => write!(f, "{values:?}"),
            Argument::I64s(values) => write!(f, "{values:?}"),
            Argument::F32s(values) => write!(f, "{values:?}"),
            Argument::F64s(values) => write!(f, "{values:?}"),
            Argument::Numbers(values) => write!(f, "{values:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operand(dims: &[i64]) -> Operand {
        let dims = Extents::new(dims.len() as i64, |i| dims[i]).unwrap();
        Operand { element: Element(11), dims, memory: TensorMemory::NONE }
    }

    fn key(argument: &Argument<'_>) -> Vec<u8> {
        let mut key = vec![];
        argument.write_key(&mut key);
        key
    }

    #[test]
    fn sizes_do_not_select_functions_and_ranks_do() {
        let of = |dims: &[i64]| key(&Argument::Tensor(operand(dims)));
        assert_eq!(of(&[2, 3]), of(&[4, 5]));
        assert_ne!(of(&[2, 3]), of(&[2, 3, 1]));
        assert_eq!(key(&Argument::I32s(&[1, -1])), key(&Argument::I64s(&[1, -1])));
        assert_ne!(key(&Argument::Float(0.0)), key(&Argument::Float(-0.0)));
        assert_ne!(key(&Argument::I64s(&[1])), key(&Argument::Int(1)));
    }
}
