//! The grammar of rows: what one declares becomes an [`super::OpKind`] and an [`super::OpDecl`].
//!
//! ```text
//! /// What the op computes.
//! Variant "name" Group (operand[opt]: Elements Alike, …) -> (result: Rule, …)
//!     { attribute: Kind = default, required: Kind, absent[opt]: Kind } onnx "domain" 1 regions 1 cost 8 class Element shape like;
//! ```
//!
//! `onnx "domain" 14` says that the op is the operator of that domain with the variant's name, and the version of the operator
//! set that brought it; `onnx "domain" 1 as "Name"` gives the operator another name. The standard's domain is `""`. Operands,
//! results and attributes are the operator's, too. Attributes marked `[internal]` are not; models cannot set them.
//!
//! `shape` names a rule of `shape/rules`. Rows of graph ops must name one; those of elementwise ops may leave it out, as their
//! results broadcast. `composite NAME` stands before it, and `[many]` marks operands and results that repeat.
//! Kinds are those of `kinds.rs` and the choices of `words.rs`.

macro_rules! arity {
    () => {
        Arity::One
    };
    (opt) => {
        Arity::Optional
    };
    (many) => {
        Arity::Many
    };
}

/// The second, or the first if there is no second.
macro_rules! or {
    ($default:expr) => {
        $default
    };
    ($default:expr, $value:expr) => {
        $value
    };
}

/// The kind of an attribute: a kind of value, or else an enumeration of `words.rs`.
macro_rules! kind {
    (Int) => {
        crate::op::kinds::Int
    };
    (Float) => {
        crate::op::kinds::Float
    };
    (Str) => {
        crate::op::kinds::Str
    };
    (DType) => {
        crate::op::kinds::DType
    };
    (Ints) => {
        crate::op::kinds::Ints
    };
    (Floats) => {
        crate::op::kinds::Floats
    };
    (Strs) => {
        crate::op::kinds::Strs
    };
    (Type) => {
        crate::op::kinds::Type
    };
    (Tensor) => {
        crate::op::kinds::Tensor
    };
    (Flag) => {
        crate::op::kinds::Flag
    };
    ($word:ident) => {
        crate::op::words::$word
    };
}

/// The declaration of an attribute that is required, optional or has a default.
macro_rules! default {
    ([opt] $kind:ident) => {
        Default::Absent(<kind!($kind) as Kind>::STORED)
    };
    ($kind:ident) => {
        Default::Required(<kind!($kind) as Kind>::STORED)
    };
    ($([internal])? $kind:ident = $value:expr) => {
        <kind!($kind)>::declare($value)
    };
}

/// Whether an attribute is marked as internal.
macro_rules! internal {
    (internal) => {
        true
    };
    ($($mark:ident)?) => {
        false
    };
}

macro_rules! class {
    (Elementwise) => {
        Class::Element
    };
    ($group:ident) => {
        Class::Whole
    };
    ($group:ident = $composite:ident) => {
        Class::Composite(decompose::$composite)
    };
    ($group:ident $class:ident) => {
        Class::$class
    };
}

/// The rule for the shapes of results. A graph op must have one in its row; the results of elementwise ops broadcast unless
/// the row says otherwise, and blocks of programs have the sizes that their types say.
macro_rules! shape {
    (Elementwise) => {
        rules::broadcast
    };
    (Tile) => {
        rules::given
    };
    (Memory) => {
        rules::given
    };
    (Lane) => {
        rules::given
    };
    (Together) => {
        rules::given
    };
    ($group:ident $rule:ident) => {
        rules::$rule
    };
}

macro_rules! ops {
    ($( $(#[doc = $doc:literal])+ $variant:ident $name:literal $group:ident
        ( $($in:ident $([$iq:ident])? $(: $takes:ident $($alike:ident)?)?),* )
        -> ( $($out:ident $([$oq:ident])? : $rule:expr),* )
        { $($attr:ident $([$aq:ident])? : $kind:ident $(= $default:expr)?),* $(,)? }
        $(onnx $domain:literal $since:literal $(as $operator:literal)?)? $(regions $regions:literal)?
        $(cost $cost:literal)? $(class $class:ident)? $(composite $composite:ident)? $(shape $shape:ident)? ; )*) => {
        /// Every op. Each variant tells what it computes, and below that its form in the text, optional operands and
        /// results behind `[opt]`, repeated ones behind `[many]`; [`OpKind::decl`] gives the same as data.
        ///
        #[doc = include_str!("conventions.md")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum OpKind { $(
            $(#[doc = $doc])+
            ///
            #[doc = concat!(
                "`", stringify!(($($out $([$oq])?),*)), " = ", $name, stringify!(($($in $([$iq])?),*)),
                " ", stringify!({$($attr $([$aq])?: $kind $(= $default)?),*}), "`",
            )]
            $variant,
        )* }

        impl OpKind {
            /// Every op in the order of the table.
            pub const ALL: &'static [OpKind] = &[$(OpKind::$variant,)*];
        }

        pub(super) static TABLE: &[OpDecl] = &[$( OpDecl {
            kind: OpKind::$variant,
            variant: stringify!($variant),
            name: $name,
            group: Group::$group,
            operands: &[$( Operand {
                name: stringify!($in),
                arity: arity!($($iq)?),
                takes: or!(Elements::Any $(, Elements::$takes)?),
                alike: or!(None $($(, Some(stringify!($alike)))?)?),
            }, )*],
            results: &[$( OpResult { name: stringify!($out), arity: arity!($($oq)?), rule: $rule }, )*],
            attrs: &[$( AttrDecl {
                name: stringify!($attr),
                default: default!($([$aq])? $kind $(= $default)?),
                internal: internal!($($aq)?),
                rust: stringify!($kind),
                texts: <kind!($kind) as Kind>::TEXTS,
            }, )*],
            onnx: or!(None $(, Some(Onnx {
                domain: $domain,
                name: or!(stringify!($variant) $(, $operator)?),
                since: $since,
            }))?),
            regions: 0 $( + $regions )?,
            cost: or!(1 $(, $cost)?),
            class: class!($group $($class)? $(= $composite)?),
            shape: shape!($group $($shape)?),
            doc: concat!($($doc),+).trim_ascii(),
        }, )*];

    };
}

pub(super) use {arity, class, default, internal, kind, ops, or, shape};
