//! The kinds of attributes that rows of the op table name, and the Rust types of their values in an op's view.

use super::Default;
use crate::{AttrKind, Literal};
use std::sync::LazyLock;

/// A kind of attribute.
pub trait AttrType {
    /// How the value is stored.
    const STORED: AttrKind;
    /// The only texts that the attribute may have; empty if any value of its stored kind will do.
    const TEXTS: &'static [&'static str] = &[];
    /// Whether the value is a truth value.
    const FLAG: bool = false;
    /// A value as views give it.
    type View<'a>;
    /// A value as builders take it.
    type Value;

    /// Reads a stored value; `None` if it is of another kind.
    fn read(stored: &crate::Attr) -> Option<Self::View<'_>>;
    /// Reads the default of a declaration; the kind's empty value if there is none.
    fn default<'a>(declared: Default) -> Self::View<'a>;
    /// Makes a value to store.
    fn store(value: Self::Value) -> crate::Attr;
}

macro_rules! kind {
    ($(#[doc = $doc:literal])+ $name:ident ($stored:ident) view $view:ty, value $value:ty,
     empty $empty:expr, read $read:expr $(, declared $variant:ident $of:ty)?) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug)]
        pub enum $name {}

        impl AttrType for $name {
            const STORED: AttrKind = AttrKind::$stored;
            type View<'a> = $view;
            type Value = $value;

            fn read(stored: &crate::Attr) -> Option<Self::View<'_>> {
                match stored {
                    crate::Attr::$stored(value) => Some($read(value)),
                    _ => None,
                }
            }

            fn default<'a>(declared: Default) -> Self::View<'a> {
                match declared {
                    $(Default::$variant(value) => value,)?
                    _ => $empty,
                }
            }

            fn store(value: $value) -> crate::Attr {
                crate::Attr::$stored(value)
            }
        }

        $(impl $name {
            /// The default of a row.
            pub(crate) const fn declare(value: $of) -> Default {
                Default::$variant(value)
            }
        })?
    };
}

kind! {
    /// An integer.
    Int(Int) view i64, value i64, empty 0, read |v: &i64| *v, declared Int i64
}
kind! {
    /// A number.
    Float(Float) view f32, value f32, empty 0.0, read |v: &f32| *v, declared Float f32
}
kind! {
    /// A text.
    Str(Str) view &'a str, value String, empty "", read String::as_str, declared Str &'static str
}
kind! {
    /// An element type.
    DType(DType) view crate::DType, value crate::DType, empty crate::DType::F32,
    read |v: &crate::DType| *v, declared DType crate::DType
}
kind! {
    /// Integers.
    Ints(Ints) view &'a [i64], value Vec<i64>, empty &[], read Vec::as_slice
}
kind! {
    /// Numbers.
    Floats(Floats) view &'a [f32], value Vec<f32>, empty &[], read Vec::as_slice
}
kind! {
    /// Texts.
    Strs(Strs) view &'a [String], value Vec<String>, empty &[], read Vec::as_slice
}
kind! {
    /// A type.
    Type(Type) view &'a crate::Type, value crate::Type, empty &BOOL, read |v| v
}
kind! {
    /// A constant tensor.
    Tensor(Tensor) view &'a Literal, value Literal, empty &EMPTY, read |v| v
}

/// The empty values of kinds that are not constants.
static BOOL: LazyLock<crate::Type> = LazyLock::new(|| crate::Type::unranked(crate::DType::Bool));
static EMPTY: LazyLock<Literal> = LazyLock::new(|| Literal::vector::<f32>(&[]));

/// A truth value, stored as an integer that is 0 or not.
#[derive(Clone, Copy, Debug)]
pub enum Flag {}

impl AttrType for Flag {
    const STORED: AttrKind = AttrKind::Int;
    const FLAG: bool = true;
    type View<'a> = bool;
    type Value = bool;

    fn read(stored: &crate::Attr) -> Option<bool> {
        Int::read(stored).map(|v| v != 0)
    }

    fn default<'a>(declared: Default) -> Self::View<'a> {
        <Int as AttrType>::default(declared) != 0
    }

    fn store(value: bool) -> crate::Attr {
        crate::Attr::Int(value.into())
    }
}

impl Flag {
    /// The default of a row.
    pub(crate) const fn declare(value: bool) -> Default {
        Default::Int(value as i64)
    }
}
