//! Loops over rows in the processor's widest vectors: a separate code generator, as Cranelift's vectors have 128 bits.
//!
//! A [`Loop`] describes the computation for each element of a row: values in the order of their definition, each of
//! which uses earlier ones, and a sink: stores or a reduction. It contains neither addresses nor scalars, which the
//! caller passes as arguments. [`x86`] compiles it to AVX-512 code.

mod functions;
#[cfg(test)]
pub(crate) mod tests;
mod x86;

use std::collections::HashMap;
use std::fmt;

pub(crate) use functions::traced;

use crate::reduction::Reduction;

/// A value of a loop: its position.
pub(crate) type Id = usize;

/// Operations on two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Binary {
    /// Arithmetic of floats.
    Add,
    Sub,
    Mul,
    Div,
    /// The greater (lesser); the second operand if either is NaN or both are zeros.
    Max,
    Min,
    /// The greater (lesser); if one is NaN, the other; +0 is greater than −0.
    MaxNum,
    MinNum,
    /// `a * 2^b` for integral `b`.
    Scale,
    /// Arithmetic of integers.
    IntAdd,
    IntSub,
    IntMul,
    IntMax,
    IntMin,
    UintMax,
    UintMin,
    /// Bitwise operations.
    And,
    Or,
    Xor,
}

/// Operations on one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Unary {
    Sqrt,
    /// To the nearest integer, ties to even.
    Round,
    Floor,
    Ceil,
    /// A signed integer's value.
    FromInt,
    /// A float rounded toward zero to a signed integer; the least integer if it is out of range or NaN.
    ToInt,
    /// The `f32` number rounded to the nearest `f16` number, or toward zero.
    F16,
    F16TowardZero,
    /// Shifts of bits by a constant: to the left, to the right with zeros or with the sign.
    ShiftLeft(u8),
    ShiftRight(u8),
    ShiftArithmetic(u8),
}

/// Relations of floats (false for NaN, except `Unordered`) and of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Relation {
    Less,
    LessOrEqual,
    Equal,
    Greater,
    GreaterOrEqual,
    /// Either is NaN.
    Unordered,
}

/// The kind of a comparison's operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Class {
    Float,
    Int,
    Uint,
}

/// Combines truth values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Logic {
    And,
    Or,
    Xor,
}

/// The format of elements in a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Format {
    /// The same as that of values.
    Same,
    /// 16-bit floats of the two kinds, whose values are `f32`.
    F16,
    BF16,
    /// Integers of 1 or 2 bytes, extended to the loop's width; truth values are bytes too.
    I8,
    U8,
    I16,
    U16,
}

impl Format {
    /// Bytes of an element.
    fn bytes(self, width: Width) -> usize {
        match self {
            Format::Same => width.bytes(),
            Format::F16 | Format::BF16 | Format::I16 | Format::U16 => 2,
            Format::I8 | Format::U8 => 1,
        }
    }
}

/// How a value is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Value {
    /// The element of a stream: contiguous memory whose address is argument `stream`. If `other` is given, memory is
    /// accessed only for enabled elements, and the other elements have that value.
    Load {
        stream: usize,
        other: Option<Id>,
        format: Format,
    },
    /// The scalar that is this argument.
    Scalar(usize),
    /// The scalar of these bits.
    Const(u64),
    /// The element's position in the row, an integer.
    Number,
    Binary(Binary, Id, Id),
    Unary(Unary, Id),
    /// `a * b + c`, rounded once.
    MulAdd(Id, Id, Id),
    /// A truth value.
    Compare(Class, Relation, Id, Id),
    Logic(Logic, Id, Id),
    Not(Id),
    /// The first value where the condition holds, else the second.
    Select(Id, Id, Id),
    /// The first value for elements that are on, else the second.
    On(Id, Id),
}

impl Value {
    /// The values it is computed from.
    fn operands(self) -> impl Iterator<Item = Id> {
        let used = match self {
            Value::Load { other, .. } => [other, None, None],
            Value::Scalar(_) | Value::Const(_) | Value::Number => [None; 3],
            Value::Unary(_, a) | Value::Not(a) => [Some(a), None, None],
            Value::Binary(_, a, b)
            | Value::Compare(.., a, b)
            | Value::Logic(_, a, b)
            | Value::On(a, b) => [Some(a), Some(b), None],
            Value::MulAdd(a, b, c) | Value::Select(a, b, c) => [Some(a), Some(b), Some(c)],
        };
        used.into_iter().flatten()
    }

    /// The same value with other operands.
    fn with(self, mut of: impl FnMut(Id) -> Id) -> Value {
        match self {
            Value::Load { stream, other, format } => {
                Value::Load { stream, other: other.map(of), format }
            }
            Value::Unary(op, a) => Value::Unary(op, of(a)),
            Value::Not(a) => Value::Not(of(a)),
            Value::Binary(op, a, b) => Value::Binary(op, of(a), of(b)),
            Value::Compare(class, relation, a, b) => Value::Compare(class, relation, of(a), of(b)),
            Value::Logic(op, a, b) => Value::Logic(op, of(a), of(b)),
            Value::MulAdd(a, b, c) => Value::MulAdd(of(a), of(b), of(c)),
            Value::Select(a, b, c) => Value::Select(of(a), of(b), of(c)),
            Value::On(a, b) => Value::On(of(a), of(b)),
            plain @ (Value::Scalar(_) | Value::Const(_) | Value::Number) => plain,
        }
    }

    /// Whether it is a truth value.
    fn is_truth(self) -> bool {
        matches!(self, Value::Compare(..) | Value::Logic(..) | Value::Not(_))
    }

    /// Whether it is the same for all elements.
    fn is_uniform(self) -> bool {
        matches!(self, Value::Scalar(_) | Value::Const(_))
    }
}

/// The size of a loop's elements: all values of one loop have the same size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Width {
    Four,
    Eight,
}

impl Width {
    pub(crate) fn bytes(self) -> usize {
        match self {
            Width::Four => 4,
            Width::Eight => 8,
        }
    }
}

/// Loop outputs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Sink {
    /// Each value is written to the stream whose address is the argument: integers are truncated to the format's bits,
    /// floats are already rounded to it. With `streaming`, by non-temporal stores: the addresses are then multiples of
    /// 64, and other threads are guaranteed to see the values only after a fence.
    Store { values: Vec<(Id, usize, Format)>, streaming: bool },
    /// The value's elements are reduced to one, in the order that [`Reduction`] defines, which is written to the address in
    /// the argument.
    Reduce { op: Reduction, class: Class, value: Id, to: usize },
}

/// A loop over the elements of a row.
///
/// Its code takes the address of its arguments, words of 8 bytes; the number of enabled elements, which come first; and
/// the number of all elements. All elements are stored.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Loop {
    pub(crate) width: Width,
    values: Vec<Value>,
    pub(crate) sink: Sink,
    /// Maximum number of elements in a row.
    len: usize,
    /// Streams for which the memory after the row is prefetched, because it usually holds the next row.
    ahead: Vec<(usize, Format)>,
}

/// Values under construction, without duplicates.
pub(crate) struct Values {
    pub(crate) width: Width,
    list: Vec<Value>,
    known: HashMap<Value, Id>,
}

impl Values {
    pub(crate) fn new(width: Width) -> Values {
        Values { width, list: vec![], known: HashMap::new() }
    }

    pub(crate) fn add(&mut self, value: Value) -> Id {
        let list = &mut self.list;
        *self.known.entry(value).or_insert_with(|| {
            list.push(value);
            list.len() - 1
        })
    }

    /// Whether the value is a truth value.
    pub(crate) fn is_truth(&self, id: Id) -> bool {
        self.list[id].is_truth()
    }

    /// The bits of a constant.
    pub(crate) fn constant(&self, id: Id) -> Option<u64> {
        match self.list[id] {
            Value::Const(bits) => Some(bits),
            _ => None,
        }
    }

    /// The float, with a signalling NaN made quiet.
    pub(crate) fn quieted(&mut self, id: Id) -> Id {
        match self.list[id] {
            Value::Binary(Binary::Add | Binary::Sub | Binary::Mul | Binary::Div, ..)
            | Value::MulAdd(..)
            | Value::Unary(Unary::Sqrt | Unary::Round | Unary::Floor | Unary::Ceil, _)
            | Value::Const(_) => id,
            _ => {
                let zero = self.float(0.0);
                self.add(Value::Binary(Binary::Sub, id, zero))
            }
        }
    }

    /// The `f32` number rounded toward zero to a `bf16` number.
    pub(crate) fn truncated_bf16(&mut self, x: Id) -> Id {
        self.upper_half_or_nan(x, x)
    }

    /// The `f32` number rounded to the nearest `bf16` number, ties to even.
    pub(crate) fn nearest_bf16(&mut self, x: Id) -> Id {
        let [one, half] = [1, 0x7fff].map(|bits| self.add(Value::Const(bits)));
        let last = self.add(Value::Unary(Unary::ShiftRight(16), x));
        let odd = self.add(Value::Binary(Binary::And, last, one));
        let up = self.add(Value::Binary(Binary::IntAdd, half, odd));
        let sum = self.add(Value::Binary(Binary::IntAdd, x, up));
        self.upper_half_or_nan(sum, x)
    }

    /// The upper half of `bits`. For a NaN, the upper half of `x` itself, made quiet, because rounding could have
    /// altered it.
    fn upper_half_or_nan(&mut self, bits: Id, x: Id) -> Id {
        let [high, quiet] = [0xffff_0000, 0x40_0000].map(|bits| self.add(Value::Const(bits)));
        let nan = self.add(Value::Compare(Class::Float, Relation::Unordered, x, x));
        let quieted = self.add(Value::Binary(Binary::Or, x, quiet));
        let chosen = self.add(Value::Select(nan, quieted, bits));
        self.add(Value::Binary(Binary::And, chosen, high))
    }

    /// The float rounded toward zero to a signed integer of the loop's width, saturated; 0 for NaN.
    pub(crate) fn saturated_int(&mut self, x: Id) -> Id {
        let bits = 8 * self.width.bytes() as i32;
        let number = self.add(Value::Unary(Unary::ToInt, x));
        let end = self.float(2f64.powi(bits - 1));
        let beyond = self.add(Value::Compare(Class::Float, Relation::GreaterOrEqual, x, end));
        let greatest = self.magnitude_bits();
        let number = self.add(Value::Select(beyond, greatest, number));
        let nan = self.add(Value::Compare(Class::Float, Relation::Unordered, x, x));
        let zero = self.add(Value::Const(0));
        self.add(Value::Select(nan, zero, number))
    }

    /// The 4-byte integer wrapped to the format's range.
    pub(crate) fn wrapped(&mut self, x: Id, format: Format) -> Id {
        let extended = |e: &mut Self, bits: u8| {
            let high = e.add(Value::Unary(Unary::ShiftLeft(bits), x));
            e.add(Value::Unary(Unary::ShiftArithmetic(bits), high))
        };
        match format {
            Format::I8 => extended(self, 24),
            Format::I16 => extended(self, 16),
            Format::U8 | Format::U16 => {
                let low = self.add(Value::Const(if format == Format::U8 { 0xff } else { 0xffff }));
                self.add(Value::Binary(Binary::And, x, low))
            }
            Format::Same | Format::F16 | Format::BF16 => x,
        }
    }

    /// A constant of `f32` or `f64`, depending on the width.
    pub(crate) fn float(&mut self, value: f64) -> Id {
        let bits = match self.width {
            Width::Four => u64::from((value as f32).to_bits()),
            Width::Eight => value.to_bits(),
        };
        self.add(Value::Const(bits))
    }

    /// The sign bit.
    pub(crate) fn sign_bit(&mut self) -> Id {
        self.add(Value::Const(1 << (8 * self.width.bytes() - 1)))
    }

    /// All other bits.
    pub(crate) fn magnitude_bits(&mut self) -> Id {
        self.add(Value::Const((1 << (8 * self.width.bytes() - 1)) - 1))
    }

    /// Completes a loop over rows of up to `len` elements, a power of two of at least 16.
    pub(crate) fn finish(self, sink: Sink, len: usize, ahead: Vec<(usize, Format)>) -> Loop {
        Loop { width: self.width, values: self.list, sink, len, ahead }
    }
}

impl Loop {
    /// Machine code; `None` if the values need more registers than there are.
    pub(crate) fn compile(&self) -> Option<Vec<u8>> {
        // Repeating comparisons at each use takes fewer mask registers, which are scarce.
        x86::compile(self).or_else(|| x86::compile(&self.comparing_again()))
    }

    /// The same loop with a separate comparison for each use.
    fn comparing_again(&self) -> Loop {
        let mut values = vec![];
        // The new position of each value. Comparisons have numeric operands, so none is an operand of another.
        let mut at: Vec<Id> = vec![];
        for &value in &self.values {
            let value = value.with(|id| match self.values[id] {
                Value::Compare(class, relation, a, b) => {
                    values.push(Value::Compare(class, relation, at[a], at[b]));
                    values.len() - 1
                }
                _ => at[id],
            });
            values.push(value);
            at.push(values.len() - 1);
        }
        let sink = match &self.sink {
            Sink::Store { values, streaming } => {
                let values = values.iter().map(|&(id, to, format)| (at[id], to, format)).collect();
                Sink::Store { values, streaming: *streaming }
            }
            &Sink::Reduce { op, class, value, to } => {
                Sink::Reduce { op, class, value: at[value], to }
            }
        };
        Loop { values, sink, ahead: self.ahead.clone(), ..*self }
    }
}

/// For listings: one line for each value.
impl fmt::Display for Loop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} elements of {} bytes", self.len, self.width.bytes())?;
        for (id, value) in self.values.iter().enumerate() {
            write!(f, "    v{id} = ")?;
            match *value {
                Value::Load { stream, other: None, format } => {
                    writeln!(f, "load arg{stream} ({format:?})")
                }
                Value::Load { stream, other: Some(o), format } => {
                    writeln!(f, "load arg{stream} ({format:?}) if on, else v{o}")
                }
                Value::Scalar(word) => writeln!(f, "arg{word}"),
                Value::Const(bits) => match self.width {
                    Width::Four => {
                        writeln!(f, "{bits:#x} ({:?})", f32::from_bits(bits as u32))
                    }
                    Width::Eight => writeln!(f, "{bits:#x} ({:?})", f64::from_bits(bits)),
                },
                Value::Number => writeln!(f, "number"),
                Value::Binary(op, a, b) => writeln!(f, "{op:?} v{a}, v{b}"),
                Value::Unary(op, a) => writeln!(f, "{op:?} v{a}"),
                Value::MulAdd(a, b, c) => writeln!(f, "MulAdd v{a}, v{b}, v{c}"),
                Value::Compare(class, relation, a, b) => {
                    writeln!(f, "{relation:?} v{a}, v{b} ({class:?})")
                }
                Value::Logic(op, a, b) => writeln!(f, "{op:?} v{a}, v{b}"),
                Value::Not(a) => writeln!(f, "Not v{a}"),
                Value::Select(c, a, b) => writeln!(f, "v{a} if v{c}, else v{b}"),
                Value::On(a, b) => writeln!(f, "v{a} if on, else v{b}"),
            }?;
        }
        match &self.sink {
            Sink::Store { values, streaming } => {
                let how = if *streaming { "stream" } else { "store" };
                values.iter().try_for_each(|(id, to, format)| {
                    writeln!(f, "    {how} v{id} to arg{to} ({format:?})")
                })
            }
            Sink::Reduce { op, value, to, .. } => {
                writeln!(f, "    reduce v{value} by {op:?} to arg{to}")
            }
        }
    }
}
