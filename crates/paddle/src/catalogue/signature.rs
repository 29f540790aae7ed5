//! Operands, attributes and results of an op, and the values that one op of a program gives them.

use super::call::Call;
use crate::error::PaddleErrorKind;

/// An operand or attribute of a row.
pub(crate) struct Parameter {
    /// Paddle's name.
    pub name: &'static str,
    /// The kind of value in words.
    pub kind: &'static str,
    /// The default as Rust text; empty if there is none.
    pub default: &'static str,
}

/// The operands and attributes of an op as fields.
pub(crate) trait Signature: Sized {
    /// Operands by position.
    const OPERANDS: &'static [Parameter];
    /// Attributes.
    const ATTRS: &'static [Parameter];
    /// Results.
    const RESULTS: &'static [&'static str];

    /// Reads the fields from an op of a program.
    fn read(call: &mut Call<'_, '_>) -> Result<Self, PaddleErrorKind>;
}

/// Declares a signature: operands in parentheses by their positions in PIR, attributes in braces, then results.
macro_rules! signature {
    (
        $(#[$doc:meta])*
        $name:ident ($($op:ident: $oty:ty $(= $odef:expr)?),* $(,)?)
            { $($at:ident: $aty:ty $(= $adef:expr)?),* $(,)? }
            -> $($result:ident)+
    ) => {
        $(#[$doc])*
        #[allow(dead_code)] // operands are listed for their positions, too
        pub(super) struct $name {
            $(pub(super) $op: $oty,)*
            $(pub(super) $at: $aty,)*
        }

        impl $crate::catalogue::signature::Signature for $name {
            const OPERANDS: &'static [$crate::catalogue::signature::Parameter] =
                &[$(signature!(@parameter $op: $oty $(= $odef)?)),*];
            const ATTRS: &'static [$crate::catalogue::signature::Parameter] =
                &[$(signature!(@parameter $at: $aty $(= $adef)?)),*];
            const RESULTS: &'static [&'static str] = &[$(stringify!($result)),+];

            fn read(
                call: &mut $crate::catalogue::Call<'_, '_>,
            ) -> Result<$name, $crate::error::PaddleErrorKind> {
                Ok($name {
                    $($op: call.field(stringify!($op), signature!(@default $oty $(, $odef)?))?,)*
                    $($at: call.field(stringify!($at), signature!(@default $aty $(, $adef)?))?,)*
                })
            }
        }
    };
    (@parameter $name:ident: $ty:ty $(= $default:expr)?) => {
        $crate::catalogue::signature::Parameter {
            name: stringify!($name),
            kind: <$ty as $crate::catalogue::field::Field>::KIND,
            default: concat!("" $(, stringify!($default))?),
        }
    };
    (@default $ty:ty) => { None };
    (@default $ty:ty, $default:expr) => { Some(<$ty>::from($default)) };
}

/// A row: name, signature, function, and older names with the places of parameters that do not follow from the row.
macro_rules! row {
    ($name:literal, $signature:ty, $build:expr $(, $old:literal $(: $renamed:literal)?)* $(,)?) => {
        $crate::catalogue::Row {
            name: $name,
            operands: <$signature as $crate::catalogue::signature::Signature>::OPERANDS,
            attrs: <$signature as $crate::catalogue::signature::Signature>::ATTRS,
            results: <$signature as $crate::catalogue::signature::Signature>::RESULTS,
            old: &[$($crate::catalogue::Old { name: $old, renamed: concat!("" $(, $renamed)?) }),*],
            build: |call| {
                let op = <$signature as $crate::catalogue::signature::Signature>::read(call)?;
                let build: fn(
                    &mut $crate::catalogue::Call<'_, '_>,
                    $signature,
                ) -> Result<_, $crate::error::PaddleErrorKind> = $build;
                build(call, op).map($crate::catalogue::Outputs::from)
            },
        }
    };
}

pub(crate) use {row, signature};
