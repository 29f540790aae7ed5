//! Loads and stores through pointers.

use std::collections::HashSet;

use cranelift_codegen::ir::{Endianness, InstBuilder, MemFlagsData, Value};
use trident_ir::{DType, Op, ops};
use trident_tile_analysis::{Destination, Elem, Index, NodeId};

use super::node::{Kind, Register};
use super::row::{StorePlan, VectorPath};
use super::{Emitter, Result};
use crate::abi;

/// Memory flags with a byte order, which bit casts require.
pub(super) fn little() -> MemFlagsData {
    MemFlagsData::new().with_endianness(Endianness::Little)
}

/// A block to be stored.
#[derive(Clone, Copy)]
pub(super) struct Store {
    pub(super) ptr: NodeId,
    pub(super) value: NodeId,
    pub(super) mask: Option<NodeId>,
    pub(super) site: u64,
}

impl Store {
    /// Its destination.
    pub(super) fn target(&self) -> Destination {
        Destination { ptr: self.ptr, mask: self.mask, site: self.site }
    }
}

impl<'m> Emitter<'m, '_> {
    /// Converts a byte to a truth value: any byte but 0 is true.
    pub(super) fn truth_of_byte(&mut self, value: Value, elem: Elem) -> Value {
        use cranelift_codegen::ir::condcodes::IntCC;
        match elem == Elem::Data(DType::Bool) {
            true => self.b.ins().icmp_imm_s(IntCC::NotEqual, value, 0),
            false => value,
        }
    }

    /// Reads the element at an address; where the mask does not hold, returns `other` or else 0.
    pub(super) fn read(
        &mut self,
        elem: Elem,
        address: Value,
        mask: Option<Value>,
        other: Option<Value>,
    ) -> Value {
        let flags = self.flags();
        let Some(mask) = mask else {
            let value = self.b.ins().load(elem.clif(), flags, address, 0);
            return self.truth_of_byte(value, elem);
        };
        // Masked-off elements read a dummy instead, which avoids a branch.
        let at = self.b.ins().select(mask, address, self.program.scratch);
        let value = self.b.ins().load(elem.clif(), flags, at, 0);
        let value = self.truth_of_byte(value, elem);
        let other = match other {
            Some(other) => other,
            None => self.zero(elem.clif()),
        };
        self.b.ins().select(mask, value, other)
    }

    /// Writes an element where the mask holds.
    fn write(&mut self, address: Value, value: Value, mask: Option<Value>) {
        let at = match mask {
            Some(mask) => self.b.ins().select(mask, address, self.program.scratch),
            None => address,
        };
        let flags = self.flags();
        self.b.ins().store(flags, value, at, 0);
    }

    /// Returns from the entry, executing no further programs, if the status is not 0.
    pub(super) fn stop_if(&mut self, status: Value) {
        let (stop, go_on) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(stop);
        self.b.ins().brif(status, stop, &[], go_on, &[]);
        self.b.switch_to_block(stop);
        self.stop();
        self.b.switch_to_block(go_on);
    }

    /// Returns from the entry, executing no further programs.
    pub(super) fn stop(&mut self) {
        if self.wide.allowed && self.wide.streams {
            self.b.ins().fence();
        }
        let one = self.int(1);
        self.b.ins().return_(&[one]);
    }

    /// Op `store`.
    pub(super) fn store(&mut self, op: &'m Op) -> Result<()> {
        let at = ops::Store::AT;
        let ((ptr, dims), (value, _)) = (self.tile(op, at.ptr)?, self.tile(op, at.value)?);
        let mask = self.optional(op, at.mask)?;
        let site = self.site(op);
        self.store_block(&dims, Store { ptr, value, mask, site })
    }

    /// Stores a block of these dimensions.
    pub(super) fn store_block(&mut self, dims: &[usize], store: Store) -> Result<()> {
        if dims.is_empty() {
            return self.store_elements(dims, store);
        }
        // Loads of a single row need not be forced: a run-time test shows whether the store overlaps them.
        let plan = self.store_rows(dims, store);
        let row = plan.as_ref().map(StorePlan::row).filter(|row| row.is_whole());
        let spared: HashSet<NodeId> =
            row.into_iter().flat_map(|r| &r.loads).map(|load| load.node).collect();
        let apart = spared.is_empty();
        let early = self.nodes.read_before(store.target(), store.value, &spared);
        self.force(early)?;
        let mut plan = self.store_rows(dims, store);
        if !matches!(plan, Some(StorePlan::Wide(_))) {
            self.force_functions(&[store.value])?;
            plan = self.store_rows(dims, store);
        }
        match plan {
            Some(plan) if apart || plan.row().is_whole() => self.store_apart(dims, store, plan),
            None if apart => self.store_elements(dims, store),
            // The loads left unforced would otherwise be evaluated after some elements have been stored.
            _ => {
                let value = self.copied(dims, store.value)?;
                self.store_block(dims, Store { value, ..store })
            }
        }
    }

    /// Copies the block to scratch.
    fn copied(&mut self, dims: &[usize], value: NodeId) -> Result<NodeId> {
        let (elem, bits) = (self.nodes[value].elem, self.nodes[value].bits);
        let copy = self.reserve(elem.size() << bits);
        self.fill(dims, &[(value, copy)])?;
        Ok(self.node(Kind::Buffer(copy), elem, bits, 1, 0))
    }

    /// Stores by rows; if the store overlaps loads of the only row, a copy is stored instead.
    fn store_apart(&mut self, dims: &[usize], store: Store, plan: StorePlan) -> Result<()> {
        let overlaps = self.nodes.overlaps(plan.row(), store.ptr);
        if overlaps.is_empty() || !plan.row().is_whole() {
            return self.store_by(plan, store);
        }
        let apart = self.apart(plan.row(), &overlaps)?;
        let direct = |e: &mut Self| e.store_by(plan, store).map(|()| vec![]);
        let copied = |e: &mut Self| {
            let store = Store { value: e.copied(dims, store.value)?, ..store };
            match e.store_rows(dims, store) {
                Some(plan) => e.store_by(plan, store)?,
                None => e.store_elements(dims, store)?,
            }
            Ok(vec![])
        };
        self.either(apart, direct, copied).map(drop)
    }

    /// The rows by which vectors can store a block; `None` if they cannot.
    fn store_rows(&self, dims: &[usize], store: Store) -> Option<StorePlan> {
        let wide = self.wide_store_rows(dims, store).map(StorePlan::Wide);
        wide.or_else(|| self.lane_store_rows(dims, store).map(StorePlan::Lanes))
    }

    fn store_by(&mut self, plan: StorePlan, store: Store) -> Result<()> {
        match plan {
            StorePlan::Wide(rows) => {
                self.decide_row("store", VectorPath::Wide, &rows.row);
                self.store_wide(rows, store)
            }
            StorePlan::Lanes(row) => {
                self.decide_row("store", VectorPath::Lanes, &row);
                self.store_lanes_of(&row, store)
            }
        }
    }

    fn store_elements(&mut self, dims: &[usize], store: Store) -> Result<()> {
        self.output.decide(|| "store: by elements".into());
        let Store { ptr, value, mask, .. } = store;
        let roots: Vec<NodeId> = [Some(ptr), Some(value), mask].into_iter().flatten().collect();
        let to = (store.target(), self.nodes[value].elem.size());
        self.sweep_proved(dims, &roots, Some(to), &|e, index| e.store_element(store, index))
    }

    pub(super) fn store_element(&mut self, store: Store, index: &Index) -> Result<()> {
        let address = self.eval(store.ptr, index)?;
        let mask = store.mask.map(|m| self.eval(m, index)).transpose()?;
        let value = self.eval(store.value, index)?;
        if !self.is_store_proved() {
            let bytes = self.nodes[store.value].elem.size();
            self.checked(address, bytes, abi::Kind::WRITE, mask, store.site);
        }
        self.write(address, value, mask);
        Ok(())
    }
}
