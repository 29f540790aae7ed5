//! Pointers, loads, stores and atomics.

use super::emit::Keywords;
use super::{Import, Lowered};
use crate::Failure;
use crate::ttir::{Attr as Text, Op};
use trident_ir::op::words::{AtomicOp, CacheHint, EvictionHint, MemoryOrder, MemoryScope};
use trident_ir::{Op as IrOp, ValueId, ops};

const ORDERS: Keywords<MemoryOrder> = Keywords {
    known: &[
        ("relaxed", MemoryOrder::Relaxed),
        ("acquire", MemoryOrder::Acquire),
        ("release", MemoryOrder::Release),
        ("acq_rel", MemoryOrder::AcqRel),
    ],
};
const SCOPES: Keywords<MemoryScope> = Keywords {
    known: &[("gpu", MemoryScope::Gpu), ("cta", MemoryScope::Cta), ("sys", MemoryScope::Sys)],
};
const UPDATES: Keywords<AtomicOp> = Keywords {
    known: &[
        ("and", AtomicOp::And),
        ("or", AtomicOp::Or),
        ("xor", AtomicOp::Xor),
        ("add", AtomicOp::Add),
        ("fadd", AtomicOp::FAdd),
        ("max", AtomicOp::Max),
        ("min", AtomicOp::Min),
        ("umax", AtomicOp::UMax),
        ("umin", AtomicOp::UMin),
        ("exch", AtomicOp::Exchange),
    ],
};
const CACHES: Keywords<CacheHint> = Keywords {
    known: &[
        ("none", CacheHint::None),
        ("ca", CacheHint::All),
        ("cg", CacheHint::Global),
        ("wb", CacheHint::WriteBack),
        ("cs", CacheHint::Streaming),
        ("wt", CacheHint::WriteThrough),
        ("cv", CacheHint::Volatile),
    ],
};
const EVICTIONS: Keywords<EvictionHint> = Keywords {
    known: &[
        ("evict_normal", EvictionHint::Normal),
        ("evict_first", EvictionHint::First),
        ("evict_last", EvictionHint::Last),
    ],
};

/// A program's hints about caches.
#[derive(Default)]
pub(super) struct CacheHints {
    pub(super) cache: Option<CacheHint>,
    pub(super) eviction: Option<EvictionHint>,
}

impl Import<'_> {
    pub(super) fn pointer(&mut self, op: &Op, name: &str, xs: &[ValueId]) -> Lowered {
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
                let update = self.choice(op, "atomic_rmw_op", &UPDATES)?;
                let (order, scope) = self.ordering(op)?;
                let rmw = ops::AtomicRmw::new(ptr, value, mask).op(update);
                rmw.order(order).scope(scope).into()
            }
            "atomic_cas" => {
                let [ptr, expected, value] = self.exactly(op, xs)?;
                let (order, scope) = self.ordering(op)?;
                ops::AtomicCas::new(ptr, expected, value).order(order).scope(scope).into()
            }
            "atomic_load" => {
                let ([ptr], [mask]) = self.up_to(op, xs)?;
                let (order, scope) = self.ordering(op)?;
                ops::AtomicLoad::new(ptr, mask).order(order).scope(scope).into()
            }
            "atomic_store" => {
                let ([ptr, value], [mask]) = self.up_to(op, xs)?;
                let (order, scope) = self.ordering(op)?;
                ops::AtomicStore::new(ptr, value, mask).order(order).scope(scope).into()
            }
            _ => {
                let ([ptr, expected], [timeout]) = self.up_to(op, xs)?;
                let (order, scope) = self.ordering(op)?;
                ops::AtomicPoll::new(ptr, expected, timeout).order(order).scope(scope).into()
            }
        };
        Ok(self.push(made, &self.result_types(op)))
    }

    /// The order and the scope of an access to memory that several threads see.
    fn ordering(&self, op: &Op) -> Result<(MemoryOrder, MemoryScope), Failure> {
        Ok((self.choice(op, "sem", &ORDERS)?, self.choice(op, "scope", &SCOPES)?))
    }

    /// Cache modifier and eviction policy: two attributes, or since Triton 3.9 one that holds both.
    pub(super) fn cache_hints(&self, op: &Op) -> Result<CacheHints, Failure> {
        let policy = op.dict.get("cachePolicy").and_then(|p| self.context.tree.resolved(p));
        let field = |name: &str| match policy {
            Some(Text::Fields(_, fields) | Text::Dict(fields)) => fields.get(name),
            _ => None,
        };
        let mut hints = CacheHints::default();
        for (value, name) in [
            (field("cache_modifier"), "cache_modifier"),
            (op.dict.get("cacheModifier"), "cacheModifier"),
        ] {
            if let Some(value) = value {
                hints.cache = Some(self.hint(op, value, name, &CACHES)?);
            }
        }
        for (value, name) in [
            (field("eviction_policy"), "eviction_policy"),
            (op.dict.get("evictionPolicy"), "evictionPolicy"),
        ] {
            if let Some(value) = value {
                hints.eviction = Some(self.hint(op, value, name, &EVICTIONS)?);
            }
        }
        Ok(hints)
    }

    /// The meaning of a hint.
    fn hint<T: Copy>(
        &self,
        op: &Op,
        value: &Text,
        name: &'static str,
        known: &Keywords<T>,
    ) -> Result<T, Failure> {
        match known.meaning(value) {
            Some(hint) => Ok(hint),
            None => self.attribute(op, name, "a hint that Triton has"),
        }
    }
}
