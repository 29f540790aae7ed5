//! Ops: what the table declares of each.

mod activation;
mod class;
mod effect;
pub(crate) mod grammar;
mod identity;
pub mod kinds;
mod operand;
pub(crate) mod rows;
mod rule;
pub mod shared;
pub(crate) mod view;
pub mod words;

pub use crate::ops::OpKind;
pub use activation::Activation;
pub use class::Class;
pub use effect::Effect;
pub(crate) use identity::{IdentityRule, Unchanged};
pub use operand::{Arity, Elements, Operand, Use};
pub use rule::{Operands, Rule, TypeError};
pub use view::{New, Set};

use crate::axes::AxesRule;
use crate::cost::FlopsRule;
use crate::decompose::Expand;
use crate::ops::TABLE;
use crate::shape::{ShapeRule, ValuesRule, WholeRule};
use crate::tile::{CheckRule, TypesRule};
use crate::{Attr, AttrKind, DType};
use std::collections::HashMap;
use std::sync::LazyLock;

/// Where in the stack a function stands. Functions only move down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// Values are whole tensors, dimensions possibly symbolic.
    Graph,
    /// Values are one program's blocks of elements.
    Tile,
    /// Values are one GPU thread's scalars or short vectors.
    Lane,
}

impl Level {
    /// Every level, from the top down.
    pub const ALL: &'static [Level] = &[Level::Graph, Level::Tile, Level::Lane];

    /// The name in the text form.
    pub const fn name(self) -> &'static str {
        match self {
            Level::Graph => "graph",
            Level::Tile => "tile",
            Level::Lane => "lane",
        }
    }

    /// The level with this name.
    pub fn by_name(name: &str) -> Option<Level> {
        Level::ALL.iter().copied().find(|level| level.name() == name)
    }
}

impl std::fmt::Display for Level {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Family of an op, used by passes and reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Group {
    /// One result element from one element of each operand; the same op at every level.
    Elementwise,
    /// Several elementwise ops in one.
    Fused,
    /// Regions and transfers of control; the same op at every level.
    Control,
    /// Convolution, matrix products, attention: where the FLOPs are.
    Contract,
    /// Pooling.
    Pool,
    /// Normalisation, softmax, reductions and scans along axes.
    Reduce,
    /// Elements move, values do not change.
    Move,
    /// Quantised arithmetic.
    Quant,
    /// Recurrent networks.
    Recurrent,
    /// Images and regions of interest.
    Image,
    /// Fourier transforms and windows.
    Signal,
    /// Strings.
    Text,
    /// Sequences, optional values and maps.
    Container,
    /// Random numbers: equal operands do not mean equal results.
    Random,
    /// Losses and optimisers.
    Train,
    /// Classical machine learning.
    Ml,
    /// Blocks of elements of one program, without effects; at level `tile`, some at level `lane` too.
    Tile,
    /// Reads, writes and other effects of one program or thread; at levels `tile` and `lane`.
    Memory,
    /// Scalars and short vectors of one thread, without effects; at level `lane`.
    Lane,
    /// Collective ops of a threadgroup or simdgroup. They must not be moved into divergent code. At level `lane`.
    Together,
}

impl Group {
    /// The effect of its ops whose rows name no other.
    pub(crate) const fn effect(self) -> Effect {
        match self {
            Group::Memory | Group::Together => Effect::Write,
            Group::Elementwise
            | Group::Fused
            | Group::Control
            | Group::Contract
            | Group::Pool
            | Group::Reduce
            | Group::Move
            | Group::Quant
            | Group::Recurrent
            | Group::Image
            | Group::Signal
            | Group::Text
            | Group::Container
            | Group::Random
            | Group::Train
            | Group::Ml
            | Group::Tile
            | Group::Lane => Effect::Pure,
        }
    }
}

/// A declared result.
#[derive(Clone, Copy, Debug)]
pub struct OpResult {
    /// The field's usual name for it.
    pub name: &'static str,
    /// How often it occurs.
    pub arity: Arity,
    /// Its type from operands and attributes, as far as it is known without shapes.
    pub rule: Rule,
}

/// The value an attribute has where an op does not set it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Default {
    /// Must be set.
    Required(AttrKind),
    /// May be absent; the op's documentation says what that means.
    Absent(AttrKind),
    /// An integer.
    Int(i64),
    /// A number.
    Float(f32),
    /// A text.
    Str(&'static str),
    /// An element type.
    DType(DType),
}

/// A declared attribute.
#[derive(Clone, Copy, Debug)]
pub struct AttrDecl {
    /// Name, as in the text form.
    pub name: &'static str,
    /// Value where it is not set.
    pub default: Default,
    /// Whether passes set it, and no operator of ONNX models has it.
    pub internal: bool,
    /// The only texts it may have; empty if any value of its kind will do.
    pub texts: &'static [&'static str],
    /// Whether it is a truth value.
    pub flag: bool,
}

impl AttrDecl {
    /// The kind of value it takes.
    pub fn kind(&self) -> AttrKind {
        match self.default {
            Default::Required(kind) | Default::Absent(kind) => kind,
            Default::Int(_) => AttrKind::Int,
            Default::Float(_) => AttrKind::Float,
            Default::Str(_) => AttrKind::Str,
            Default::DType(_) => AttrKind::DType,
        }
    }

    /// Whether it can have this value.
    pub fn takes(&self, value: &Attr) -> bool {
        let is_value = match value {
            Attr::Str(text) => self.texts.is_empty() || self.texts.contains(&text.as_str()),
            Attr::Int(number) => !self.flag || matches!(number, 0 | 1),
            _ => true,
        };
        value.kind() == self.kind() && is_value
    }

    /// Whether an op must set it.
    pub fn is_required(&self) -> bool {
        matches!(self.default, Default::Required(_))
    }

    /// The default as a value, if there is one.
    pub fn default_value(&self) -> Option<Attr> {
        match self.default {
            Default::Required(_) | Default::Absent(_) => None,
            Default::Int(v) => Some(Attr::Int(v)),
            Default::Float(v) => Some(Attr::Float(v)),
            Default::Str(v) => Some(Attr::Str(v.to_owned())),
            Default::DType(v) => Some(Attr::DType(v)),
        }
    }
}

/// An operator of ONNX models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Onnx {
    /// Its operator set: empty for the standard's `ai.onnx`.
    pub domain: &'static str,
    /// Its name there.
    pub name: &'static str,
    /// The version of the operator set that brought it.
    pub since: i64,
}

impl OpKind {
    /// The op's declaration.
    pub fn decl(self) -> &'static OpDecl {
        TABLE[self as usize]
    }

    /// The op with this name in the text form.
    pub fn by_name(name: &str) -> Option<OpKind> {
        static BY_NAME: LazyLock<HashMap<&str, OpKind>> =
            LazyLock::new(|| TABLE.iter().map(|d| (d.name, d.kind)).collect());
        BY_NAME.get(name).copied()
    }

    /// The op with this variant name.
    pub fn by_variant(variant: &str) -> Option<OpKind> {
        static BY_VARIANT: LazyLock<HashMap<&str, OpKind>> =
            LazyLock::new(|| TABLE.iter().map(|d| (d.variant, d.kind)).collect());
        BY_VARIANT.get(variant).copied()
    }

    /// The op that is this operator of ONNX models; the standard's domain is empty.
    pub fn by_onnx(domain: &str, name: &str) -> Option<OpKind> {
        static BY_ONNX: LazyLock<HashMap<(&str, &str), OpKind>> = LazyLock::new(|| {
            let operators = TABLE.iter().filter_map(|d| Some((d.onnx?, d.kind)));
            operators.map(|(onnx, kind)| ((onnx.domain, onnx.name), kind)).collect()
        });
        BY_ONNX.get(&(domain, name)).copied()
    }
}

/// Rules for types where every dimension is a number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exact {
    /// Checks operands and attributes, and gives the types of results as far as they follow.
    pub(crate) infer: TypesRule,
    /// Checks the types of results that only the function tells.
    pub(crate) check: Option<CheckRule>,
}

/// The declaration of an op in the table.
#[derive(Debug)]
pub struct OpDecl {
    /// The op.
    pub kind: OpKind,
    /// Name of the Rust variant: the standard's name of a graph op.
    pub variant: &'static str,
    /// Name in the text form.
    pub name: &'static str,
    /// Family.
    pub group: Group,
    /// Operands in order.
    pub operands: &'static [Operand],
    /// Results in order.
    pub results: &'static [OpResult],
    /// Attributes.
    pub attrs: &'static [AttrDecl],
    /// The operator of ONNX models that it is.
    pub onnx: Option<Onnx>,
    /// Number of regions.
    pub regions: usize,
    /// Instructions for one element of the result, roughly, where native code computes single elements.
    pub cost: u32,
    /// The way in which the elements of its results are computed.
    pub class: Class,
    /// Writes it as other ops, if it is a composite of level graph.
    pub expand: Option<Expand>,
    /// Its effect, without that of its regions.
    pub(crate) effect: Effect,
    /// The shapes of its results, from those of its operands; `None` if it is not of level graph.
    pub(crate) shape: Option<ShapeRule>,
    /// The type of its only result, for ops whose results are not tensors of a shape.
    pub(crate) whole: Option<WholeRule>,
    /// The small numbers that its results hold, from the numbers in its operands.
    pub(crate) values: Option<ValuesRule>,
    /// The number of its operations.
    pub(crate) flops: FlopsRule,
    /// The operand of whose elements the first result consists, quantised ones too; see [`Op::moved`](crate::Op::moved).
    pub(crate) moves: Option<usize>,
    /// When the op changes nothing.
    pub(crate) identity: Option<IdentityRule>,
    /// How the axes of its results come from those of its operands; without a statement, all axes mix.
    pub(crate) axes: Option<AxesRule>,
    /// The types of its results at level tile; `None` if it is not of that level.
    pub(crate) tile: Option<Exact>,
    /// The types of its results at level lane; `None` if it is not of that level.
    pub(crate) lane: Option<Exact>,
    /// Its meaning, which is also the documentation of the variant.
    pub doc: &'static str,
}

impl OpDecl {
    /// The declaration of an attribute.
    pub(crate) fn attr(&self, name: &str) -> Option<&'static AttrDecl> {
        self.attrs.iter().find(|a| a.name == name)
    }

    /// Least and greatest number of operands; trailing optional ones may be left out.
    pub fn operand_count(&self) -> (usize, usize) {
        count(self.operands.iter().map(|o| o.arity))
    }

    /// Least and greatest number of results.
    pub fn result_count(&self) -> (usize, usize) {
        count(self.results.iter().map(|o| o.arity))
    }

    /// The declaration that governs operand `i`.
    pub fn operand(&self, i: usize) -> Option<&'static Operand> {
        self.operands.get(i).or_else(|| self.operands.last().filter(|o| o.arity == Arity::Many))
    }

    /// The declaration that governs result `i`.
    pub fn result(&self, i: usize) -> Option<&'static OpResult> {
        self.results.get(i).or_else(|| self.results.last().filter(|o| o.arity == Arity::Many))
    }

    /// Whether the op belongs to functions of this level: its row has rules for it.
    pub fn allowed_at(&self, level: Level) -> bool {
        match level {
            Level::Graph => self.shape.is_some(),
            Level::Tile => self.tile.is_some(),
            Level::Lane => self.lane.is_some(),
        }
    }

    /// The rules for types at a level where every dimension is a number.
    pub(crate) fn exact(&self, level: Level) -> Option<Exact> {
        match level {
            Level::Graph => None,
            Level::Tile => self.tile,
            Level::Lane => self.lane,
        }
    }

    /// The rows, after checking that each belongs to at least one level.
    pub(crate) const fn checked(rows: &'static [OpDecl]) -> &'static [OpDecl] {
        let mut at = 0;
        while at < rows.len() {
            let row = &rows[at];
            assert!(
                row.shape.is_some() || row.tile.is_some() || row.lane.is_some(),
                "a row needs a rule: `shape`, `tile` or `lane`"
            );
            at += 1;
        }
        rows
    }

    /// Whether equal operands and attributes give equal results.
    pub fn is_deterministic(&self) -> bool {
        !matches!(self.group, Group::Random | Group::Memory | Group::Together)
    }
}

fn count(arities: impl Iterator<Item = Arity>) -> (usize, usize) {
    let (mut least, mut most) = (0, 0usize);
    for (i, arity) in arities.enumerate() {
        match arity {
            Arity::One => (least, most) = (i + 1, most + 1),
            Arity::Optional => most += 1,
            Arity::Many => most = usize::MAX,
        }
    }
    (least, most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_are_unique_and_declarations_well_formed() {
        let (mut names, mut variants) = (HashSet::new(), HashSet::new());
        let mut operators = HashSet::new();
        for &kind in OpKind::ALL {
            let decl = kind.decl();
            assert_eq!(decl.kind, kind);
            assert!(names.insert(decl.name), "{} twice", decl.name);
            assert!(variants.insert(decl.variant), "{} twice", decl.variant);
            assert_eq!(OpKind::by_name(decl.name), Some(kind));
            assert_eq!(OpKind::by_variant(decl.variant), Some(kind));
            assert!(!decl.doc.is_empty(), "{} has no semantics", decl.name);
            if let Some(onnx) = decl.onnx {
                assert!(operators.insert((onnx.domain, onnx.name)), "{onnx:?} twice");
                assert_eq!(OpKind::by_onnx(onnx.domain, onnx.name), Some(kind));
            }
            for arities in [
                decl.operands.iter().map(|o| o.arity).collect::<Vec<_>>(),
                decl.results.iter().map(|o| o.arity).collect(),
            ] {
                let many = arities.iter().position(|&a| a == Arity::Many);
                assert!(many.is_none_or(|i| i + 1 == arities.len()), "{}", decl.name);
            }
            let attrs: HashSet<_> = decl.attrs.iter().map(|a| a.name).collect();
            assert_eq!(attrs.len(), decl.attrs.len(), "{}: attribute twice", decl.name);
        }
    }
}
