//! The kinds of values that operands and attributes have.

use super::call::{Call, Given};
use crate::dtype;
use crate::error::PaddleErrorKind;
use crate::program::Attr;
use trident_ir::{DType, Dim, ValueId};

/// A kind of operand or attribute.
pub(crate) trait Field: Sized {
    /// The kind in words, for the table of ops.
    const KIND: &'static str;

    /// The value that an op of a program gives; `None` if it is of another kind.
    fn read(call: &mut Call<'_, '_>, given: Given<'_>) -> Result<Option<Self>, PaddleErrorKind>;

    /// The value where the op gives none and the row has no default.
    fn missing() -> Option<Self> {
        None
    }
}

impl Field for ValueId {
    const KIND: &'static str = "tensor";

    fn read(_: &mut Call<'_, '_>, given: Given<'_>) -> Result<Option<ValueId>, PaddleErrorKind> {
        Ok(match given {
            Given::Tensor(value) => Some(value),
            Given::List(values) => <[ValueId; 1]>::try_from(values).ok().map(|[value]| value),
            Given::Attr(_) => None,
        })
    }
}

impl<T: Field> Field for Option<T> {
    const KIND: &'static str = T::KIND;

    fn read(call: &mut Call<'_, '_>, given: Given<'_>) -> Result<Option<Self>, PaddleErrorKind> {
        // Element types that are those of an operand; older programs number them −1.
        let is_open = match given {
            Given::Attr(Attr::DType(None)) => true,
            Given::Attr(Attr::Int(number)) => T::KIND == DType::KIND && *number < 0,
            _ => false,
        };
        if is_open {
            return Ok(Some(None));
        }
        Ok(T::read(call, given)?.map(Some))
    }

    fn missing() -> Option<Self> {
        Some(None)
    }
}

impl Field for Vec<ValueId> {
    const KIND: &'static str = "tensors";

    fn read(_: &mut Call<'_, '_>, given: Given<'_>) -> Result<Option<Self>, PaddleErrorKind> {
        Ok(match given {
            Given::Tensor(value) => Some(vec![value]),
            Given::List(values) => Some(values),
            Given::Attr(_) => None,
        })
    }

    fn missing() -> Option<Self> {
        Some(vec![])
    }
}

/// Integers that are known, or a vector of i64 that is computed.
#[derive(Clone, Debug)]
pub(crate) enum Ints {
    /// Known numbers.
    Known(Vec<i64>),
    /// A vector.
    Computed(ValueId),
}

impl<const N: usize> From<[i64; N]> for Ints {
    fn from(values: [i64; N]) -> Ints {
        Ints::Known(values.to_vec())
    }
}

impl Ints {
    /// The numbers; an error if they are computed.
    pub(crate) fn known(&self, what: &str) -> Result<&[i64], PaddleErrorKind> {
        match self {
            Ints::Known(values) => Ok(values),
            Ints::Computed(_) => {
                let reason =
                    format!("`{what}` is computed by the model; only constants are supported");
                Err(PaddleErrorKind::Unsupported(reason))
            }
        }
    }

    /// The numbers as a vector.
    pub(crate) fn value(&self, call: &mut Call<'_, '_>) -> Result<ValueId, PaddleErrorKind> {
        match self {
            Ints::Known(values) => call.ints(values),
            Ints::Computed(value) => Ok(*value),
        }
    }
}

impl Field for Ints {
    const KIND: &'static str = "integers";

    fn read(call: &mut Call<'_, '_>, given: Given<'_>) -> Result<Option<Ints>, PaddleErrorKind> {
        let parts = match given {
            Given::Attr(attr) => {
                let one = || attr.as_int().map(|value| vec![value]);
                return Ok(attr.as_ints().or_else(one).map(Ints::Known));
            }
            Given::Tensor(value) => vec![value],
            Given::List(values) => values,
        };
        let known = parts.iter().map(|&part| call.facts.ints(part)).collect::<Option<Vec<_>>>();
        if let Some(known) = known {
            return Ok(Some(Ints::Known(known.concat())));
        }
        // Items of a list have one number each.
        let length = if parts.len() > 1 { 1 } else { -1 };
        let mut vectors = vec![];
        for part in parts {
            let part = call.cast(part, DType::I64)?;
            vectors.push(match call.ty(part).shape() {
                Some([Dim::Fixed(_)]) => part,
                _ => call.reshape(part, &[length])?,
            });
        }
        call.concat(&vectors, 0).map(|joined| Some(Ints::Computed(joined)))
    }
}

/// A number that is known, or a tensor of one element that is computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    /// An integer or truth value.
    Int(i64),
    /// A float.
    Float(f64),
    /// A tensor.
    Computed(ValueId),
}

impl From<f64> for Number {
    fn from(value: f64) -> Number {
        Number::Float(value)
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Number {
        Number::Int(value)
    }
}

impl Number {
    /// The number; an error if it is computed.
    pub(crate) fn known(self, what: &str) -> Result<f64, PaddleErrorKind> {
        match self {
            Number::Int(value) => Ok(value as f64),
            Number::Float(value) => Ok(value),
            Number::Computed(_) => {
                let reason =
                    format!("`{what}` is computed by the model; only constants are supported");
                Err(PaddleErrorKind::Unsupported(reason))
            }
        }
    }

    /// The whole number; an error if it is computed or has a fraction.
    pub(crate) fn int(self, what: &str) -> Result<i64, PaddleErrorKind> {
        match self {
            Number::Int(value) => Ok(value),
            other => match other.known(what)? {
                value if value.fract() == 0.0 && value.abs() < 9e15 => Ok(value as i64),
                value => Err(PaddleErrorKind::Unsupported(format!(
                    "`{what}` is {value}, expected an integer"
                ))),
            },
        }
    }

    /// A tensor of rank 0 with an element type.
    pub(crate) fn value(
        self,
        call: &mut Call<'_, '_>,
        dtype: DType,
    ) -> Result<ValueId, PaddleErrorKind> {
        match self {
            Number::Int(value) if dtype.is_int() || dtype == DType::Bool => {
                let exact = call.literal(trident_ir::Literal::scalar(value))?;
                call.cast(exact, dtype)
            }
            Number::Int(value) => call.number(dtype, value as f64),
            Number::Float(value) => call.number(dtype, value),
            Number::Computed(value) => {
                let value = call.scalar(value)?;
                call.cast(value, dtype)
            }
        }
    }
}

impl Field for Number {
    const KIND: &'static str = "number";

    fn read(call: &mut Call<'_, '_>, given: Given<'_>) -> Result<Option<Number>, PaddleErrorKind> {
        let value = match given {
            Given::Attr(attr) => return Ok(number(attr)),
            Given::Tensor(value) => value,
            Given::List(values) => match values[..] {
                [value] => value,
                _ => return Ok(None),
            },
        };
        if let Some([known]) = call.facts.ints(value).as_deref() {
            return Ok(Some(Number::Int(*known)));
        }
        let literal = call.facts.literal(call.b.func, value);
        if let Some([known]) = literal.and_then(|literal| literal.to_f64s()).as_deref() {
            return Ok(Some(Number::Float(*known)));
        }
        Ok(Some(Number::Computed(value)))
    }
}

fn number(attr: &Attr) -> Option<Number> {
    match attr {
        Attr::Bool(value) => Some(Number::Int((*value).into())),
        Attr::Int(value) => Some(Number::Int(*value)),
        Attr::Float(value) => Some(Number::Float(*value)),
        // Numbers as text, which keep their digits.
        Attr::Text(text) => {
            text.parse().map(Number::Int).or_else(|_| text.parse().map(Number::Float)).ok()
        }
        _ => None,
    }
}

/// Declares kinds that only attributes have.
macro_rules! attributes {
    ($($ty:ty, $kind:literal, $read:expr;)*) => { $(
        impl Field for $ty {
            const KIND: &'static str = $kind;

            fn read(_: &mut Call<'_, '_>, given: Given<'_>) -> Result<Option<$ty>, PaddleErrorKind> {
                let read: fn(&Attr) -> Option<$ty> = $read;
                match given {
                    Given::Attr(attr) => Ok(read(attr)),
                    _ => Ok(None),
                }
            }
        }
    )* };
}

attributes! {
    bool, "truth value", Attr::as_bool;
    i64, "integer", Attr::as_int;
    f64, "number", Attr::as_float;
    String, "text", |attr| attr.as_text().map(str::to_owned);
    Vec<f64>, "numbers", |attr| attr.as_floats().or_else(|| attr.as_float().map(|value| vec![value]));
    DType, "element type", |attr| match attr {
        Attr::DType(dtype) => *dtype,
        other => dtype::from_number(other.as_int()?),
    };
}

impl Field for Vec<i64> {
    const KIND: &'static str = "integers";

    fn read(call: &mut Call<'_, '_>, given: Given<'_>) -> Result<Option<Self>, PaddleErrorKind> {
        match Ints::read(call, given)? {
            Some(ints) => ints.known("a list of integers").map(|values| Some(values.to_vec())),
            None => Ok(None),
        }
    }
}

/// Numbers of any element type, as `assign_value` has them.
pub(crate) struct Values(pub(crate) Vec<Number>);

impl Field for Values {
    const KIND: &'static str = "numbers";

    fn read(_: &mut Call<'_, '_>, given: Given<'_>) -> Result<Option<Values>, PaddleErrorKind> {
        let Given::Attr(attr) = given else { return Ok(None) };
        let numbers = match attr {
            Attr::Bools(values) => values.iter().map(|&value| Number::Int(value.into())).collect(),
            Attr::Ints(values) => values.iter().map(|&value| Number::Int(value)).collect(),
            Attr::Floats(values) => values.iter().map(|&value| Number::Float(value)).collect(),
            Attr::List(items) => {
                return Ok(items.iter().map(number).collect::<Option<_>>().map(Values));
            }
            _ => return Ok(None),
        };
        Ok(Some(Values(numbers)))
    }

    fn missing() -> Option<Values> {
        Some(Values(vec![]))
    }
}
