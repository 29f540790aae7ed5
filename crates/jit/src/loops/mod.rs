//! Loops over runs in the processor's widest vectors: a code generator of its own beside Cranelift, which has 128 bits.
//!
//! A [`Loop`] says what is done with each element of a run: values in the order of their definition, of which each
//! uses earlier ones, and what becomes of some of them: stores, or a fold. It has neither addresses nor scalars in it;
//! those are words that the caller passes. [`x86`] makes AVX-512 code of it.

mod functions;
#[cfg(test)]
pub(crate) mod tests;
mod x86;

use std::collections::HashMap;
use std::fmt;

pub(crate) use functions::traced;

use crate::fold::Fold;

/// A value of a loop: its position.
pub(crate) type Id = usize;

/// What two operands give.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Binary {
    /// Arithmetic of floats.
    Add,
    Sub,
    Mul,
    Div,
    /// The greater (lesser); the second operand where either is NaN or both are zeros.
    Max,
    Min,
    /// The greater (lesser); of NaN and a number the number, and +0 is greater than −0.
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
    /// Of bits.
    And,
    Or,
    Xor,
}

/// What one operand gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Unary {
    Sqrt,
    /// To the nearest integer, ties to even.
    Round,
    Floor,
    Ceil,
    /// A signed integer's value.
    FromInt,
    /// The signed integer next to a float toward zero; the least integer for what is out of range, or NaN.
    ToInt,
    /// The `f32` number that is nearest among those of IEEE's half, or the next toward zero.
    Half,
    HalfToZero,
    /// Shifts of bits by a constant: to the left, to the right with zeros or with the sign.
    ShiftLeft(u8),
    ShiftRight(u8),
    ShiftArithmetic(u8),
}

/// Relations of floats (false for NaN, but for `Unordered`) and of integers.
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

/// What the operands of a comparison are.
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

/// How a stream holds elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Format {
    /// As values have them.
    Same,
    /// As halves of the two kinds, whose values are `f32`.
    F16,
    BF16,
    /// As integers of 1 or 2 bytes, whose values are the same numbers in the loop's width; truth values are bytes too.
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

/// How a value comes about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Value {
    /// The element of a stream: contiguous memory whose address is argument `stream`. Where `other` is given, memory is
    /// touched only for elements that are on, and others have that value.
    Load {
        stream: usize,
        other: Option<Id>,
        format: Format,
    },
    /// The scalar that is this argument.
    Scalar(usize),
    /// The scalar of these bits.
    Const(u64),
    /// The element's number in the run, an integer.
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
    /// The values that it is made of.
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

    /// The same of other operands.
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

    /// Whether all elements have the same.
    fn is_uniform(self) -> bool {
        matches!(self, Value::Scalar(_) | Value::Const(_))
    }
}

/// Bytes of the elements of a loop: all values of one are of the same size.
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

/// What becomes of values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Sink {
    /// Each value is written to the stream whose address is the argument: integers are cut to the format's bits, floats
    /// have its values already. If `streaming`, past the caches: the addresses are multiples of 64 then, and other
    /// threads see the values only behind a fence.
    Store { values: Vec<(Id, usize, Format)>, streaming: bool },
    /// The value's elements are folded, in the order that [`Fold`] has, into one, which is written to
    /// where the argument says.
    Fold { op: Fold, class: Class, value: Id, to: usize },
}

/// A loop over the elements of a run.
///
/// Its code takes the address of its arguments, words of 8 bytes; the number of elements that are on, which are the
/// first; and the number of all. Stores take place for all elements.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Loop {
    pub(crate) width: Width,
    values: Vec<Value>,
    pub(crate) sink: Sink,
    /// Elements of the longest run.
    len: usize,
    /// Streams whose memory behind the run is brought into the cache meanwhile: mostly the next run is there.
    ahead: Vec<(usize, Format)>,
}

/// Values under construction: equal ones are one.
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

    /// The float, where it is a signalling NaN as a quiet one.
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

    /// The `f32` number that is next toward zero among those of `bf16`.
    pub(crate) fn truncated_bf16(&mut self, x: Id) -> Id {
        self.upper_half_or_nan(x, x)
    }

    /// The `f32` number that is nearest among those of `bf16`, ties to even.
    pub(crate) fn nearest_bf16(&mut self, x: Id) -> Id {
        let [one, half] = [1, 0x7fff].map(|bits| self.add(Value::Const(bits)));
        let last = self.add(Value::Unary(Unary::ShiftRight(16), x));
        let odd = self.add(Value::Binary(Binary::And, last, one));
        let up = self.add(Value::Binary(Binary::IntAdd, half, odd));
        let sum = self.add(Value::Binary(Binary::IntAdd, x, up));
        self.upper_half_or_nan(sum, x)
    }

    /// The upper half of 4 bytes; where the float is NaN that of its bits, which a change of others could carry away.
    fn upper_half_or_nan(&mut self, bits: Id, x: Id) -> Id {
        let [high, quiet] = [0xffff_0000, 0x40_0000].map(|bits| self.add(Value::Const(bits)));
        let nan = self.add(Value::Compare(Class::Float, Relation::Unordered, x, x));
        let quieted = self.add(Value::Binary(Binary::Or, x, quiet));
        let chosen = self.add(Value::Select(nan, quieted, bits));
        self.add(Value::Binary(Binary::And, chosen, high))
    }

    /// The signed integer of the loop's width that is next to a float toward zero, or the nearest that there is; 0 for NaN.
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

    /// The integer of 4 bytes as one of the format has it.
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

    /// A constant of `f32` or `f64`, as the width says.
    pub(crate) fn float(&mut self, value: f64) -> Id {
        let bits = match self.width {
            Width::Four => u64::from((value as f32).to_bits()),
            Width::Eight => value.to_bits(),
        };
        self.add(Value::Const(bits))
    }

    /// The bit of the sign.
    pub(crate) fn sign_bit(&mut self) -> Id {
        self.add(Value::Const(1 << (8 * self.width.bytes() - 1)))
    }

    /// All other bits.
    pub(crate) fn magnitude_bits(&mut self) -> Id {
        self.add(Value::Const((1 << (8 * self.width.bytes() - 1)) - 1))
    }

    /// The loop over runs of up to `len` elements, a power of two of at least 16.
    pub(crate) fn finish(self, sink: Sink, len: usize, ahead: Vec<(usize, Format)>) -> Loop {
        Loop { width: self.width, values: self.list, sink, len, ahead }
    }
}

impl Loop {
    /// Machine code, or `None` if there are too many values for the registers.
    pub(crate) fn compile(&self) -> Option<Vec<u8>> {
        // Comparisons that are made again at each use take fewer of the masks, which are few.
        x86::compile(self).or_else(|| x86::compile(&self.comparing_again()))
    }

    /// The same with a comparison of its own for each use.
    fn comparing_again(&self) -> Loop {
        let mut values = vec![];
        // Where each value is now. Comparisons are made of numbers, so one is no operand of another.
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
            &Sink::Fold { op, class, value, to } => Sink::Fold { op, class, value: at[value], to },
        };
        Loop { values, sink, ahead: self.ahead.clone(), ..*self }
    }
}

/// For listings: a line for each value.
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
            Sink::Fold { op, value, to, .. } => {
                writeln!(f, "    fold v{value} by {op:?} to arg{to}")
            }
        }
    }
}
