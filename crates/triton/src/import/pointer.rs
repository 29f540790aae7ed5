//! Pointers, loads, stores and atomics.

use super::{Import, Lowered};
use crate::Failure;
use crate::syntax::{Attr as Text, Op};
use trident_ir::{Op as IrOp, ValueId, ops};

// Keywords in the order of their numbers in Triton's definitions, which start at 1.
const ORDERS: &[&str] = &["", "relaxed", "acquire", "release", "acq_rel"];
const SCOPES: &[&str] = &["", "gpu", "cta", "sys"];
const UPDATES: &[&str] =
    &["", "and", "or", "xor", "add", "fadd", "max", "min", "umax", "umin", "exch"];
const CACHES: &[&str] = &["", "none", "ca", "cg", "wb", "cs", "wt", "cv"];
const EVICTIONS: &[&str] = &["", "evict_normal", "evict_first", "evict_last"];

/// The order and scope of an access to memory that several threads see.
struct Ordering {
    order: String,
    scope: String,
}

/// A program's hints about caches.
#[derive(Default)]
pub(super) struct CacheHints {
    pub(super) cache: Option<String>,
    pub(super) eviction: Option<String>,
}

impl Import<'_, '_> {
    pub(super) fn pointer(&mut self, op: &Op<'_>, name: &str, xs: &[ValueId]) -> Lowered {
        let made: IrOp = match name {
            "addptr" => {
                let [ptr, offset] = self.exactly(op, xs)?;
                ops::PtrAdd::new(ptr, offset).into()
            }
            "int_to_ptr" => {
                let [x] = self.exactly(op, xs)?;
                ops::IntToPtr::new(x).into()
            }
            "ptr_to_int" => {
                let [ptr] = self.exactly(op, xs)?;
                ops::PtrToInt::new(ptr).into()
            }
            "load" => {
                let ([ptr], [mask, other]) = self.up_to(op, xs)?;
                let hints = self.cache_hints(op)?;
                let mut load = ops::Load::new(ptr, mask, other);
                load = load.volatile(self.flag(op, "isVolatile"));
                if let Some(cache) = hints.cache {
                    load = load.cache(cache);
                }
                if let Some(eviction) = hints.eviction {
                    load = load.eviction(eviction);
                }
                load.into()
            }
            "store" => {
                let ([ptr, value], [mask]) = self.up_to(op, xs)?;
                let hints = self.cache_hints(op)?;
                let mut store = ops::Store::new(ptr, value, mask);
                if let Some(cache) = hints.cache {
                    store = store.cache(cache);
                }
                if let Some(eviction) = hints.eviction {
                    store = store.eviction(eviction);
                }
                store.into()
            }
            "atomic_rmw" => {
                let ([ptr, value], [mask]) = self.up_to(op, xs)?;
                let update = match self.keyword(op, "atomic_rmw_op", UPDATES)? {
                    "exch" => "exchange",
                    other => other,
                };
                let Ordering { order, scope } = self.ordering(op)?;
                let rmw = ops::AtomicRmw::new(ptr, value, mask).op(update.into());
                rmw.order(order).scope(scope).into()
            }
            "atomic_cas" => {
                let [ptr, expected, value] = self.exactly(op, xs)?;
                let Ordering { order, scope } = self.ordering(op)?;
                ops::AtomicCas::new(ptr, expected, value).order(order).scope(scope).into()
            }
            "atomic_load" => {
                let ([ptr], [mask]) = self.up_to(op, xs)?;
                let Ordering { order, scope } = self.ordering(op)?;
                ops::AtomicLoad::new(ptr, mask).order(order).scope(scope).into()
            }
            "atomic_store" => {
                let ([ptr, value], [mask]) = self.up_to(op, xs)?;
                let Ordering { order, scope } = self.ordering(op)?;
                ops::AtomicStore::new(ptr, value, mask).order(order).scope(scope).into()
            }
            _ => {
                let ([ptr, expected], [timeout]) = self.up_to(op, xs)?;
                let Ordering { order, scope } = self.ordering(op)?;
                ops::AtomicPoll::new(ptr, expected, timeout).order(order).scope(scope).into()
            }
        };
        Ok(self.push(made, &op.result_types))
    }

    fn ordering(&self, op: &Op<'_>) -> Result<Ordering, Failure> {
        let order = self.keyword(op, "sem", ORDERS)?.to_owned();
        let scope = self.keyword(op, "scope", SCOPES)?.to_owned();
        Ok(Ordering { order, scope })
    }

    /// Cache modifier and eviction policy: two attributes, or since Triton 3.9 one that holds both.
    pub(super) fn cache_hints(&self, op: &Op<'_>) -> Result<CacheHints, Failure> {
        let alias = |name: &str| self.context.tree.aliases.get(name);
        let policy = match op.dict.get("cachePolicy") {
            Some(Text::Alias(name)) => alias(name),
            other => other,
        };
        let field = |name: &str| match policy {
            Some(Text::Dict(fields)) => fields.get(name),
            _ => None,
        };
        let mut hints = CacheHints::default();
        for (value, name) in [
            (field("cache_modifier"), "cache_modifier"),
            (op.dict.get("cacheModifier"), "cacheModifier"),
            (op.dict.get("cache"), "cache"),
        ] {
            if let Some(value) = value {
                hints.cache = Some(self.hint(op, value, name, CACHES)?.to_owned());
            }
        }
        for (value, name) in [
            (field("eviction_policy"), "eviction_policy"),
            (op.dict.get("evictionPolicy"), "evictionPolicy"),
            (op.dict.get("evict"), "evict"),
        ] {
            if let Some(value) = value {
                let word = self.hint(op, value, name, EVICTIONS)?;
                hints.eviction = Some(word.trim_start_matches("evict_").to_owned());
            }
        }
        Ok(hints)
    }

    /// The word of a hint, or the one that its number stands for.
    fn hint<'k>(
        &self,
        op: &Op<'_>,
        value: &Text<'_>,
        name: &'static str,
        known: &[&'k str],
    ) -> Result<&'k str, Failure> {
        let number = value.int().and_then(|i| known.get(usize::try_from(i).ok()?));
        let word = value.word().and_then(|word| known.iter().find(|known| **known == word));
        match word.or(number) {
            Some(word) if !word.is_empty() => Ok(word),
            _ => self.attribute(op, name, "a hint that Triton has"),
        }
    }
}
