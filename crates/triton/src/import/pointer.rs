//! Pointers, loads, stores and atomics.

use super::emit::unless_default;
use super::{Import, Lowered};
use crate::Failure;
use crate::syntax::{Attr as Text, Op};
use trident_ir::op::OpKind as K;
use trident_ir::{Attr, OpKind, ValueId};

// Keywords in the order of their numbers in Triton's definitions, which start at 1.
const ORDERS: &[&str] = &["", "relaxed", "acquire", "release", "acq_rel"];
const SCOPES: &[&str] = &["", "gpu", "cta", "sys"];
const UPDATES: &[&str] =
    &["", "and", "or", "xor", "add", "fadd", "max", "min", "umax", "umin", "exch"];
const CACHES: &[&str] = &["", "none", "ca", "cg", "wb", "cs", "wt", "cv"];
const EVICTIONS: &[&str] = &["", "evict_normal", "evict_first", "evict_last"];

impl Import<'_, '_> {
    pub(super) fn pointer(&mut self, op: &Op<'_>, name: &str, xs: &[ValueId]) -> Lowered {
        // The least and greatest number of operands.
        let (kind, least, most): (OpKind, usize, usize) = match name {
            "addptr" => (K::PtrAdd, 2, 2),
            "int_to_ptr" => (K::IntToPtr, 1, 1),
            "ptr_to_int" => (K::PtrToInt, 1, 1),
            "load" => (K::Load, 1, 3),
            "store" => (K::Store, 2, 3),
            "atomic_rmw" => (K::AtomicRmw, 2, 3),
            "atomic_cas" => (K::AtomicCas, 3, 3),
            "atomic_load" => (K::AtomicLoad, 1, 2),
            "atomic_store" => (K::AtomicStore, 2, 3),
            _ => (K::AtomicPoll, 2, 3),
        };
        let count = xs.len().clamp(least, most);
        self.counted(op, "operand", xs.len(), count)?;
        let mut attrs = vec![];
        match kind {
            K::Load | K::Store => {
                attrs.extend(self.cache_hints(op, kind)?);
                let volatile = op.attrs.get("isVolatile").and_then(Text::int);
                if kind == K::Load && volatile.is_some_and(|v| v != 0) {
                    attrs.push(("volatile", Attr::Int(1)));
                }
            }
            K::AtomicRmw => {
                let update = match self.keyword(op, "atomic_rmw_op", UPDATES)? {
                    "exch" => "exchange",
                    other => other,
                };
                attrs.push(("op", Attr::Str(update.into())));
                attrs.extend(self.order(op, kind)?);
            }
            K::AtomicCas | K::AtomicLoad | K::AtomicStore | K::AtomicPoll => {
                attrs.extend(self.order(op, kind)?);
            }
            _ => {}
        }
        let inputs = xs.iter().copied().map(Some).collect();
        Ok(self.push(kind, inputs, attrs, &op.result_types))
    }

    fn order(&self, op: &Op<'_>, kind: OpKind) -> Result<Vec<(&'static str, Attr)>, Failure> {
        let order = Attr::Str(self.keyword(op, "sem", ORDERS)?.into());
        let scope = Attr::Str(self.keyword(op, "scope", SCOPES)?.into());
        let set = [("order", order), ("scope", scope)];
        Ok(set.into_iter().filter_map(|(name, value)| unless_default(kind, name, value)).collect())
    }

    /// Cache modifier and eviction policy: two attributes, or since Triton 3.9 one that holds both.
    pub(super) fn cache_hints(
        &self,
        op: &Op<'_>,
        kind: OpKind,
    ) -> Result<Vec<(&'static str, Attr)>, Failure> {
        let alias = |name: &str| self.context.tree.aliases.get(name);
        let policy = match op.attrs.get("cachePolicy") {
            Some(Text::Alias(name)) => alias(name),
            other => other,
        };
        let field = |name: &str| match policy {
            Some(Text::Dict(fields)) => fields.get(name),
            _ => None,
        };
        let mut hints = vec![];
        for (value, what, name, known, prefix) in [
            (field("cache_modifier"), "cache_modifier", "cache", CACHES, ""),
            (op.attrs.get("cacheModifier"), "cacheModifier", "cache", CACHES, ""),
            (op.attrs.get("cache"), "cache", "cache", CACHES, ""),
            (field("eviction_policy"), "eviction_policy", "eviction", EVICTIONS, "evict_"),
            (op.attrs.get("evictionPolicy"), "evictionPolicy", "eviction", EVICTIONS, "evict_"),
            (op.attrs.get("evict"), "evict", "eviction", EVICTIONS, "evict_"),
        ] {
            let Some(value) = value else { continue };
            let number = value.int().and_then(|i| known.get(usize::try_from(i).ok()?));
            let word = value.word().and_then(|w| known.iter().find(|k| **k == w)).or(number);
            match word {
                Some(word) if !word.is_empty() => {
                    let word = word.strip_prefix(prefix).unwrap_or(word);
                    hints.extend(unless_default(kind, name, Attr::Str(word.into())));
                }
                _ => return self.attribute(op, what, "a hint that Triton has"),
            }
        }
        Ok(hints)
    }
}
