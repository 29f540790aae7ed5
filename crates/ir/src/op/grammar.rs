//! The grammar of rows. Each row becomes an [`OpDecl`](super::OpDecl) in the `ROWS` of its file.
//!
//! ```text
//! /// What the op computes.
//! Variant "name" Group (operand[opt mark]: Elements Alike, …) -> (result: Rule, …)
//!     { attribute: Kind = default, required: Kind, absent[opt]: Kind }
//!     onnx "domain" 1 regions 1 effect Write cost 8 class Element composite rule
//!     shape rule whole rule values rule flops rule moves operand identity rule
//!     axes "n*, * -> n*" tile rule checks rule lane rule checks rule;
//! ```
//!
//! `[opt]` marks an operand or result that may be absent, `[many]` one that repeats. Operands can have one of the marks
//! of [`Use`](super::Use) too. Kinds are those of `kinds.rs` and the choices of `words.rs`. All clauses may be left
//! out, but stand in this order:
//!
//! - `onnx "domain" 14`: the op is the operator of that domain with the variant's name, and the version of the operator set
//!   that brought it; `onnx "domain" 1 as "Name"` gives the operator another name. The standard's domain is `""`. Operands,
//!   results and attributes are the operator's, too. Attributes marked `[internal]` are not; models cannot set them.
//! - `effect`: an [`Effect`](super::Effect), where it is not that of the group.
//! - `cost`: instructions for an element, by default 1. `class`: a [`Class`](super::Class).
//! - `composite`: the function that writes the op as others ([`crate::decompose`]).
//! - `shape`: the shapes of results at level graph; of elementwise ops, broadcast operands by default. `whole` gives the whole
//!   type of the only result. `values`: the small numbers that results hold.
//! - `flops`: a count of [`crate::cost`], needed by groups whose ops do not count alike.
//! - `moves`: the operand of whose elements the first result consists; of a `[many]` operand, all of them. Every device
//!   computes such an op on quantised elements too.
//! - `identity`: a rule for when the first result is the first operand, so that the op can go.
//! - `axes`: how the axes of results come from those of operands ([`crate::axes`]), as a pattern or a rule. Elementwise ops
//!   carry all axes by default; other ops without it mix all.
//! - `tile`, `lane`: the types of results at these levels, by default those of elementwise ops. `checks` names the rule
//!   for declared types that do not follow.
//!
//! An op belongs to the levels for which it has rules. Rules are functions of the file that has the row.
//! A row of a graph op without a rule for shapes does not compile:
//!
//! ```
//! fn conv() {}
//! let rule: Option<fn()> = trident_ir::shape_rule!(Contract conv);
//! ```
//!
//! ```compile_fail
//! fn conv() {}
//! let rule: Option<fn()> = trident_ir::shape_rule!(Contract);
//! ```

macro_rules! arity {
    () => {
        Arity::One
    };
    (opt $($mark:ident)?) => {
        Arity::Optional
    };
    (many $($mark:ident)?) => {
        Arity::Many
    };
    ($mark:ident) => {
        Arity::One
    };
}

/// The mark of an operand for how it is used.
macro_rules! mark {
    () => {
        Use::Data
    };
    (opt $($mark:ident)?) => {
        mark!($($mark)?)
    };
    (many $($mark:ident)?) => {
        mark!($($mark)?)
    };
    (weight) => {
        Use::Weight
    };
    (form) => {
        Use::Form
    };
    (view) => {
        Use::View
    };
    (target) => {
        Use::Target
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
        $crate::op::kinds::Int
    };
    (Float) => {
        $crate::op::kinds::Float
    };
    (Str) => {
        $crate::op::kinds::Str
    };
    (DType) => {
        $crate::op::kinds::DType
    };
    (Ints) => {
        $crate::op::kinds::Ints
    };
    (Floats) => {
        $crate::op::kinds::Floats
    };
    (Strs) => {
        $crate::op::kinds::Strs
    };
    (Type) => {
        $crate::op::kinds::Type
    };
    (Tensor) => {
        $crate::op::kinds::Tensor
    };
    (Flag) => {
        $crate::op::kinds::Flag
    };
    ($word:ident) => {
        $crate::op::words::$word
    };
}

/// The declaration of an attribute that is required, optional or has a default.
macro_rules! default {
    ([opt] $kind:ident) => {
        Default::Absent(<kind!($kind) as AttrType>::STORED)
    };
    ($kind:ident) => {
        Default::Required(<kind!($kind) as AttrType>::STORED)
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
    ($variant:ident Elementwise) => {
        Class::Element
    };
    ($variant:ident Elementwise = $composite:ident) => {
        Class::Composite(|e| Some($composite($crate::ops::$variant::of(e.op())?, e)))
    };
    ($variant:ident $group:ident) => {
        Class::Whole
    };
    ($variant:ident $group:ident $class:ident) => {
        Class::$class
    };
    ($variant:ident $group:ident = $composite:ident) => {
        Class::Whole
    };
}

/// The function that writes a composite graph op as others.
macro_rules! expand {
    ($variant:ident $group:ident) => {
        None
    };
    ($variant:ident Elementwise $composite:ident) => {
        None
    };
    ($variant:ident $group:ident $composite:ident) => {
        Some(|op, b| match $crate::ops::$variant::of(op) {
            Some(op) => $composite(op, b),
            None => Err(TypeError::malformed(op)),
        })
    };
}

/// The rule of a row for the shapes of results.
#[doc(hidden)]
#[macro_export]
macro_rules! shape_rule {
    (Elementwise) => {
        Some($crate::ops::common::broadcast)
    };
    // These are at level graph if they have a rule.
    (Control) => {
        None
    };
    (Tile) => {
        None
    };
    (Memory) => {
        None
    };
    (Lane) => {
        None
    };
    (Together) => {
        None
    };
    ($group:ident $rule:ident) => {
        Some($rule)
    };
}

/// The rule of a row for the number of operations.
macro_rules! flops {
    (Elementwise) => {
        cost::one_each
    };
    (Pool) => {
        cost::four_each
    };
    (Reduce) => {
        cost::four_each
    };
    (Quant) => {
        cost::two_each
    };
    (Image) => {
        cost::two_each
    };
    (Signal) => {
        cost::two_each
    };
    (Control) => {
        cost::none
    };
    (Move) => {
        cost::none
    };
    (Text) => {
        cost::none
    };
    (Container) => {
        cost::none
    };
    (Random) => {
        cost::none
    };
    (Train) => {
        cost::none
    };
    (Ml) => {
        cost::none
    };
    (Tile) => {
        cost::none
    };
    (Memory) => {
        cost::none
    };
    (Lane) => {
        cost::none
    };
    (Together) => {
        cost::none
    };
    ($group:ident $rule:ident) => {
        $rule
    };
}

/// The statement of a row about axes.
macro_rules! axes {
    (Elementwise) => {
        Some(AxesRule::Pattern("... -> ..."))
    };
    ($group:ident) => {
        None
    };
    ($group:ident $pattern:literal) => {
        Some(AxesRule::Pattern($pattern))
    };
    ($group:ident $rule:ident) => {
        Some(AxesRule::Fn($rule))
    };
}

/// The rules of a row for exact types.
macro_rules! exact {
    (Elementwise) => {
        Some(Exact { infer: alike, check: None })
    };
    ($group:ident) => {
        None
    };
    ($group:ident $infer:ident) => {
        Some(Exact { infer: $infer, check: None })
    };
    ($group:ident $infer:ident $check:ident) => {
        Some(Exact { infer: $infer, check: Some($check) })
    };
}

macro_rules! ops {
    ($( $(#[doc = $doc:literal])+ $variant:ident $name:literal $group:ident
        ( $($in:ident $([$($mark:ident)+])? $(: $takes:ident $($alike:ident)?)?),* )
        -> ( $($out:ident $([$oq:ident])? : $rule:expr),* )
        { $($attr:ident $([$aq:ident])? : $kind:ident $(= $default:expr)?),* $(,)? }
        $(onnx $domain:literal $since:literal $(as $operator:literal)?)? $(regions $regions:literal)?
        $(effect $effect:ident)? $(cost $cost:literal)? $(class $class:ident)? $(composite $composite:ident)?
        $(shape $shape:ident)? $(whole $whole:ident)? $(values $values:ident)? $(flops $flops:ident)?
        $(moves $moves:ident)? $(identity $identity:ident)? $(axes $axes:tt)?
        $(tile $tile:ident $(checks $tile_check:ident)?)? $(lane $lane:ident $(checks $lane_check:ident)?)? ; )*) => {
        const LIST: &[$crate::op::OpDecl] = {
            use $crate::op::rows::*;
            &[$( OpDecl {
                kind: OpKind::$variant,
                variant: stringify!($variant),
                name: $name,
                group: Group::$group,
                operands: &[$( Operand {
                    name: stringify!($in),
                    arity: arity!($($($mark)+)?),
                    used: mark!($($($mark)+)?),
                    takes: or!(Elements::Any $(, Elements::$takes)?),
                    alike: or!(None $($(, Some(stringify!($alike)))?)?),
                }, )*],
                results: &[$( OpResult { name: stringify!($out), arity: arity!($($oq)?), rule: $rule }, )*],
                attrs: &[$( AttrDecl {
                    name: stringify!($attr),
                    default: default!($([$aq])? $kind $(= $default)?),
                    internal: internal!($($aq)?),
                    texts: <kind!($kind) as AttrType>::TEXTS,
                    flag: <kind!($kind) as AttrType>::FLAG,
                }, )*],
                onnx: or!(None $(, Some(Onnx {
                    domain: $domain,
                    name: or!(stringify!($variant) $(, $operator)?),
                    since: $since,
                }))?),
                regions: 0 $( + $regions )?,
                effect: or!(Group::$group.effect() $(, Effect::$effect)?),
                cost: or!(1 $(, $cost)?),
                class: class!($variant $group $($class)? $(= $composite)?),
                expand: expand!($variant $group $($composite)?),
                shape: $crate::shape_rule!($group $($shape)?),
                whole: or!(None $(, Some($whole))?),
                values: or!(None $(, Some(|cx| $values(cx).into()))?),
                flops: flops!($group $($flops)?),
                moves: or!(None $(, Some($crate::ops::$variant::AT.$moves))?),
                identity: or!(None $(, Some($identity))?),
                axes: axes!($group $($axes)?),
                tile: exact!($group $($tile $($tile_check)?)?),
                lane: exact!($group $($lane $($lane_check)?)?),
                doc: concat!($($doc),+).trim_ascii(),
            }, )*]
        };

        pub(super) static ROWS: &[$crate::op::OpDecl] = $crate::op::OpDecl::checked(LIST);
    };
}

pub(crate) use {arity, axes, class, default, exact, expand, flops, internal, kind, mark, ops, or};
