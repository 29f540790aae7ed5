//! The constants of a function during compilation.

use crate::error::PlanError;
use crate::ledger::Ledger;
use std::cell::RefCell;
use std::sync::Arc;
use trident_ir::{FuncPart, Literal, ValueId};
use trident_runtime::{Charge, Tensor, Value};

/// The constants of a function. They stay literals until a device asks for them or compilation ends, so that packed
/// weights are never held three times.
pub(super) struct Constants<'a> {
    of_value: Vec<Option<usize>>,
    /// Number of uses, by value.
    uses: Vec<usize>,
    table: RefCell<Vec<Entry>>,
    ledger: &'a Ledger,
}

struct Entry {
    op: FuncPart,
    data: Data,
    uses: usize,
}

/// Constants by their position in the table, and the charges for those outside of the pool.
pub(super) type Kept = (Vec<Option<Value>>, Vec<Arc<Charge>>);

/// Size in bytes from which memory is returned to the system at once.
const LARGE: usize = 1 << 20;

enum Data {
    Literal(Literal),
    Tensor(Tensor),
    Dropped,
}

impl<'a> Constants<'a> {
    /// An empty table; `uses` is the number of uses of each value.
    pub(super) fn new(uses: Vec<usize>, ledger: &'a Ledger) -> Constants<'a> {
        Constants { of_value: vec![None; uses.len()], uses, table: RefCell::default(), ledger }
    }

    /// The position of a constant in the table.
    pub(super) fn place(&self, v: ValueId) -> Option<usize> {
        self.of_value[v.index()]
    }

    pub(super) fn has(&self, v: ValueId) -> bool {
        self.of_value[v.index()].is_some()
    }

    pub(super) fn add(&mut self, value: ValueId, literal: Literal, op: FuncPart) {
        let table = self.table.get_mut();
        self.of_value[value.index()] = Some(table.len());
        let uses = self.uses[value.index()];
        let data = if uses == 0 { Data::Dropped } else { Data::Literal(literal) };
        table.push(Entry { op, data, uses });
    }

    /// The tensor of a constant; `None` for other values and if memory is insufficient.
    pub(super) fn tensor(&self, v: ValueId) -> Option<Tensor> {
        let at = *self.of_value.get(v.index())?.as_ref()?;
        let mut table = self.table.borrow_mut();
        let entry = table.get_mut(at)?;
        if let Data::Literal(literal) = &entry.data {
            let tensor = Tensor::from_literal(self.ledger.pool(), literal).ok()?;
            entry.data = Data::Tensor(tensor);
        }
        match &entry.data {
            Data::Tensor(t) => Some(t.clone()),
            _ => None,
        }
    }

    /// Bytes of these constants that nothing counts so far.
    pub(super) fn uncounted(&self, values: &[Option<ValueId>]) -> usize {
        let table = self.table.borrow();
        let entries = values.iter().flatten().filter_map(|v| table.get(self.place(*v)?));
        let bytes = entries.map(|entry| match &entry.data {
            Data::Literal(literal) => self.ledger.uncounted(literal),
            // Copies are in the pool, and what is used in place is counted in the end.
            Data::Tensor(_) | Data::Dropped => 0,
        });
        bytes.sum()
    }

    /// Records that one user has packed the constant, which is dropped after the last.
    pub(super) fn release(&mut self, at: usize) {
        if let Some(entry) = self.table.get_mut().get_mut(at) {
            entry.uses = entry.uses.saturating_sub(1);
            if entry.uses == 0
                && let Data::Tensor(tensor) = std::mem::replace(&mut entry.data, Data::Dropped)
                && tensor.size() >= LARGE
                // Memory that belongs to a file's bytes, or that another tensor shares, cannot be returned to the pool.
                && tensor.is_unique()
            {
                let size = tensor.size();
                drop(tensor);
                self.ledger.pool().give_back_at_most(size);
            }
        }
    }

    /// The constants still in use, as tensors.
    pub(super) fn finish(self) -> Result<Kept, PlanError> {
        let mut charges = vec![];
        let finish = |Entry { op, data, .. }: Entry| {
            let made = match data {
                Data::Dropped => return Ok(None),
                Data::Tensor(tensor) => Ok(tensor),
                Data::Literal(literal) => Tensor::from_literal(self.ledger.pool(), &literal),
            };
            match made {
                Ok(tensor) => {
                    charges.extend(self.ledger.constant(&op, &tensor)?);
                    Ok(Some(tensor.into()))
                }
                Err(source) => Err(PlanError::Constant { op, source }),
            }
        };
        let constants = self.table.into_inner().into_iter().map(finish);
        Ok((constants.collect::<Result<_, _>>()?, charges))
    }
}
