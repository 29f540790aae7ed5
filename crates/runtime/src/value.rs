//! Values passed between ops: tensors, sequences, optional values, maps.

use crate::{KernelError, Pool, Tensor};
use std::sync::Arc;
use trident_ir::{DType, Type};

/// A value at run time. Clones share their contents.
#[derive(Clone, Debug)]
pub enum Value {
    /// A tensor.
    Tensor(Tensor),
    /// A list of values of one type.
    Seq(Arc<Vec<Value>>),
    /// A value or nothing.
    Optional(Option<Arc<Value>>),
    /// A dictionary.
    Map(Arc<MapValue>),
}

/// Keys and values in corresponding order; both of rank 1.
#[derive(Clone, Debug)]
pub struct MapValue {
    /// Integers or strings.
    pub keys: Tensor,
    /// One for each key.
    pub values: Tensor,
}

impl Value {
    /// A sequence.
    pub fn seq(items: Vec<Value>) -> Value {
        Value::Seq(Arc::new(items))
    }

    /// The tensor, if this is one.
    pub fn as_tensor(&self) -> Option<&Tensor> {
        match self {
            Value::Tensor(t) => Some(t),
            _ => None,
        }
    }

    /// Whether some tensor of the value, itself or inside, has a property.
    pub fn any_tensor(&self, has: &dyn Fn(&Tensor) -> bool) -> bool {
        match self {
            Value::Tensor(tensor) => has(tensor),
            Value::Seq(items) => items.iter().any(|item| item.any_tensor(has)),
            Value::Optional(value) => value.as_ref().is_some_and(|value| value.any_tensor(has)),
            Value::Map(map) => has(&map.keys) || has(&map.values),
        }
    }

    /// Waits for the elements of a pending tensor; an error if its launch failed. Other values never hold pending
    /// tensors.
    pub fn settle(&mut self) -> Result<(), KernelError> {
        match self {
            Value::Tensor(tensor) => tensor.settle(),
            _ => Ok(()),
        }
    }

    /// See [`Tensor::count_strings`]; of other values those whose elements are strings count.
    pub fn count_strings(&mut self, pool: &Pool) -> Result<(), KernelError> {
        let of_strings = |value: Option<&Value>| {
            value.and_then(Value::as_tensor).is_some_and(|t| t.dtype() == DType::Str)
        };
        match self {
            Value::Tensor(tensor) => tensor.count_strings(pool),
            Value::Seq(items) if of_strings(items.first()) => match Arc::get_mut(items) {
                Some(items) => items.iter_mut().try_for_each(|item| item.count_strings(pool)),
                None => Ok(()),
            },
            Value::Optional(Some(value)) => match Arc::get_mut(value) {
                Some(value) => value.count_strings(pool),
                None => Ok(()),
            },
            Value::Map(map) => match Arc::get_mut(map) {
                Some(map) => {
                    map.keys.count_strings(pool)?;
                    map.values.count_strings(pool)
                }
                None => Ok(()),
            },
            Value::Seq(_) | Value::Optional(None) => Ok(()),
        }
    }

    /// The kind of value, for messages: `f32[2, 3]`, `a sequence of 4` …
    pub fn describe(&self) -> String {
        match self {
            Value::Tensor(t) => t.ty().to_string(),
            Value::Seq(items) => format!("a sequence of {}", items.len()),
            Value::Optional(None) => "an empty optional".into(),
            Value::Optional(Some(v)) => format!("an optional {}", v.describe()),
            Value::Map(m) => format!("a map of {}", m.keys.len()),
        }
    }

    /// Whether the value can be an argument for a parameter of this type; fixed dimensions must be equal.
    pub fn fits(&self, ty: &Type) -> bool {
        match (self, ty) {
            (Value::Tensor(t), Type::Tensor(want)) => {
                t.dtype() == want.dtype
                    && want.shape.as_ref().is_none_or(|shape| {
                        shape.len() == t.rank()
                            && shape
                                .iter()
                                .zip(t.dims())
                                .all(|(s, &d)| s.fixed().is_none_or(|s| s == d))
                    })
            }
            (Value::Seq(items), Type::Seq(item)) => items.iter().all(|v| v.fits(item)),
            (Value::Optional(v), Type::Optional(inner)) => v.as_ref().is_none_or(|v| v.fits(inner)),
            (v, Type::Optional(inner)) => v.fits(inner),
            (Value::Map(m), Type::Map(key, value)) => {
                m.keys.dtype() == *key && value.dtype().is_none_or(|d: DType| d == m.values.dtype())
            }
            _ => false,
        }
    }

    /// Size in bytes, counting shared contents once per reference.
    pub fn size(&self) -> usize {
        match self {
            Value::Tensor(t) => t.size(),
            Value::Seq(items) => items.iter().map(Value::size).sum(),
            Value::Optional(v) => v.as_ref().map_or(0, |v| v.size()),
            Value::Map(m) => m.keys.size() + m.values.size(),
        }
    }
}

impl From<Tensor> for Value {
    fn from(t: Tensor) -> Value {
        Value::Tensor(t)
    }
}
