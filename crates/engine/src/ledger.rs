//! Counts, for a session's pool, of constants that lie elsewhere.

use crate::error::PlanError;
use bytes::Bytes;
use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::sync::{Arc, Weak};
use trident_ir::literal::LiteralData;
use trident_ir::{Func, FuncPart, Literal, Op, ValueId, counted};
use trident_runtime::{Charge, ForkMutex, KernelError, Pool, Tensor};

/// A session's pool, and the constants that the session's plans read in place, where they were loaded. Plans share
/// constants: each counts once, as long as a plan has it.
pub(crate) struct Ledger {
    pool: Pool,
    known: ForkMutex<Known>,
}

#[derive(Default)]
struct Known {
    /// Charges by the address and size of what they are for.
    charged: HashMap<(usize, usize), Weak<Charge>>,
    /// Addresses of literals in the pool that are in use.
    pooled: HashMap<usize, Weak<()>>,
    /// The first op that was not folded for lack of memory.
    unfolded: Option<PlanError>,
    /// The ops that are not folded for lack of memory: function, first result, and the op in words.
    left: Vec<(String, Option<ValueId>, String)>,
}

/// Ops on constants that run each time, because there was too little memory to run them when the session was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfolded {
    /// The ops and their nodes, in the order in which memory ran out.
    pub ops: Vec<String>,
    /// [`Options::memory_limit`](crate::Options::memory_limit), in bytes; 0 if there is none.
    pub limit: usize,
}

impl fmt::Display for Unfolded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = self.ops.first().map_or("", String::as_str);
        match self.ops.len() {
            1 => write!(f, "1 operation on constants runs each time ({first})"),
            n => write!(f, "{n} operations on constants run each time (the first: {first})"),
        }?;
        match self.limit {
            0 => f.write_str(", because there was too little memory to run them once beforehand"),
            limit => write!(
                f,
                ", because the memory limit of {} leaves too little to run them once beforehand",
                counted(limit, "byte")
            ),
        }
    }
}

/// The bytes of a literal that lie in the pool.
struct Pooled {
    bytes: Bytes,
    _in_use: Arc<()>,
}

impl AsRef<[u8]> for Pooled {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Ledger {
    pub(crate) fn new(pool: Pool) -> Ledger {
        Ledger { pool, known: ForkMutex::new(Known::default) }
    }

    pub(crate) fn pool(&self) -> &Pool {
        &self.pool
    }

    /// The literal of a tensor; `None` if the tensor cannot be read. The pool counts its memory as long as the literal
    /// is in use.
    pub(crate) fn literal(&self, tensor: &Tensor) -> Option<Literal> {
        if tensor.pages().is_none() {
            return tensor.to_literal().ok();
        }
        let (bytes, in_use) = (tensor.to_bytes().ok()?, Arc::new(()));
        let mut known = self.known.lock();
        tidy(&mut known.pooled);
        known.pooled.insert(bytes.as_ptr().addr(), Arc::downgrade(&in_use));
        drop(known);
        let bytes = Bytes::from_owner(Pooled { bytes, _in_use: in_use });
        Literal::from_bytes(tensor.dtype(), tensor.dims().to_vec(), bytes).ok()
    }

    /// Notes that an op was not folded as there was no memory for it.
    pub(crate) fn note_unfolded(&self, func: &Func, op: &Op, source: KernelError) {
        let mut known = self.known.lock();
        if !known.left.iter().any(|left| is(left, func, op)) {
            known.left.push((func.name.clone(), op.output(0), op.describe()));
        }
        known.unfolded.get_or_insert(PlanError::Constant { op: op.name().into(), source });
    }

    /// Notes that an op was folded, maybe in a later attempt.
    pub(crate) fn note_folded(&self, func: &Func, op: &Op) {
        self.known.lock().left.retain(|left| !is(left, func, op));
    }

    /// The ops that are not folded for lack of memory.
    pub(crate) fn unfolded(&self) -> Option<Unfolded> {
        let known = self.known.lock();
        let ops = || known.left.iter().map(|(_, _, op)| op.clone()).collect();
        let unfolded = || Unfolded { ops: ops(), limit: self.pool.limit() };
        (!known.left.is_empty()).then(unfolded)
    }

    /// An error if there was no memory to fold an op.
    pub(crate) fn folded(&self) -> Result<(), PlanError> {
        let known = self.known.lock();
        known.unfolded.clone().map_or(Ok(()), Err)
    }

    /// Counts bytes of an op that are allocated outside of the pool.
    pub(crate) fn charge(&self, op: &FuncPart, bytes: usize) -> Result<Charge, PlanError> {
        self.pool.charge(bytes).ok_or_else(|| self.short(op, bytes))
    }

    /// An error if the pool has no room for `bytes` bytes of an op.
    pub(crate) fn fits(&self, op: &FuncPart, bytes: usize) -> Result<(), PlanError> {
        let (live, limit) = (self.pool.stats().live, self.pool.limit());
        let fits = limit == 0 || bytes <= limit.saturating_sub(live);
        fits.then_some(()).ok_or_else(|| self.short(op, bytes))
    }

    fn short(&self, op: &FuncPart, bytes: usize) -> PlanError {
        let (live, limit) = (self.pool.stats().live, self.pool.limit());
        PlanError::Memory { op: op.clone(), bytes, live, limit }
    }

    /// Bytes of a constant that nothing counts so far.
    pub(crate) fn uncounted(&self, literal: &Literal) -> usize {
        let LiteralData::Bytes(bytes) = literal.data() else { return 0 };
        let place = (bytes.as_ptr().addr(), bytes.len());
        let known = self.known.lock();
        let pooled = known.pooled.get(&place.0).is_some_and(|in_use| in_use.strong_count() > 0);
        let charged = known.charged.get(&place).is_some_and(|charge| charge.strong_count() > 0);
        if pooled || charged { 0 } else { bytes.len() }
    }

    /// Counts the elements of a constant, unless the pool does already; `None` if it does.
    pub(crate) fn constant(
        &self,
        op: &FuncPart,
        tensor: &Tensor,
    ) -> Result<Option<Arc<Charge>>, PlanError> {
        match tensor.bytes() {
            Ok(bytes) if tensor.pages().is_none() => self.borrowed(op, bytes),
            // Strings have been counted.
            _ => Ok(None),
        }
    }

    /// Counts bytes that the session keeps where they were loaded; `None` if they lie in the pool.
    pub(crate) fn borrowed(
        &self,
        op: &FuncPart,
        bytes: &[u8],
    ) -> Result<Option<Arc<Charge>>, PlanError> {
        let at = bytes.as_ptr().addr();
        let mut known = self.known.lock();
        let pooled = known.pooled.get(&at).is_some_and(|in_use| in_use.strong_count() > 0);
        if bytes.is_empty() || pooled {
            return Ok(None);
        }
        let place = (at, bytes.len());
        if let Some(charge) = known.charged.get(&place).and_then(Weak::upgrade) {
            return Ok(Some(charge));
        }
        let charge = Arc::new(self.charge(op, bytes.len())?);
        tidy(&mut known.charged);
        known.charged.insert(place, Arc::downgrade(&charge));
        Ok(Some(charge))
    }
}

/// Whether an entry of [`Known::left`] stands for this op.
fn is((name, result, _): &(String, Option<ValueId>, String), func: &Func, op: &Op) -> bool {
    *name == func.name && *result == op.output(0)
}

/// Drops entries that are no longer in use, before the map grows.
fn tidy<K: Eq + Hash, V>(map: &mut HashMap<K, Weak<V>>) {
    if map.len() == map.capacity() {
        map.retain(|_, value| value.strong_count() > 0);
    }
}
