//! Loops in vectors of 128 bits.
//!
//! A run of [`GROUP`] neighbouring elements is computed at once where every element has 32 bits and is uniform in the run,
//! contiguous in memory, or made of such by ops that vectors have. Pointers and masks are looked at for the first and the
//! last element only: they move by one element (or not at all) from lane to lane, so if the ends are as far apart as they
//! should be nothing wraps around, and comparisons that hold at both ends hold between. Runs that fail the test take the
//! road of single elements, with the same results.

use std::collections::{HashMap, HashSet};

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, Type, Value, types};
use trident_ir::{DType, OpKind as K};

use super::index::{Bit, Index, counter, log2, rename};
use super::node::{Elem, Fun, Kind, NodeId};
use super::{Emitter, Result};

/// Bits of the number of elements that are computed at once.
const GROUP: u8 = 4;
/// Elements of a vector.
const LANES: usize = 4;
/// Vectors for a group.
const VECTORS: usize = (1 << GROUP) / LANES;
/// The name of the "counter" whose bits tell the lane.
const LANE: u16 = u16::MAX - 1;

/// What has to hold at both ends of a group.
#[derive(Default)]
struct Guards {
    /// Pointers, and integers that are compared, that rise by one element.
    rising: Vec<(NodeId, Index)>,
    /// Masks.
    masks: Vec<(NodeId, Index)>,
    seen: HashSet<(NodeId, Index)>,
}

/// How an index depends on the lane.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lane {
    /// Not at all.
    None,
    /// Its lowest bits are the lane.
    Low,
    Other,
}

fn lane(index: &Index) -> Lane {
    let of = |b: &Bit| matches!(b, Bit::Of { var: LANE, .. });
    if !index.iter().any(of) {
        return Lane::None;
    }
    let low = (0..GROUP).all(|k| index.get(usize::from(k)) == Some(&Bit::Of { var: LANE, bit: k }));
    match low && !index.iter().skip(usize::from(GROUP)).any(of) {
        true => Lane::Low,
        false => Lane::Other,
    }
}

/// The index of the first (last) lane.
fn end(index: &Index, last: bool) -> Index {
    let bit = |b: &Bit| if matches!(b, Bit::Of { var: LANE, .. }) { Bit::Const(last) } else { *b };
    index.iter().map(bit).collect()
}

fn vector(elem: Elem) -> Option<Type> {
    match elem {
        Elem::Data(DType::F32) => Some(types::F32X4),
        Elem::Data(DType::I32 | DType::U32 | DType::Bool) => Some(types::I32X4),
        _ => None,
    }
}

impl<'m> Emitter<'m, '_> {
    /// Writes blocks as [`Emitter::fill`] does, in vectors; gives whether that can be.
    pub(super) fn fill_lanes(
        &mut self,
        dims: &[usize],
        blocks: &[(NodeId, Value)],
    ) -> Result<bool> {
        let roots: Vec<NodeId> = blocks.iter().map(|b| b.0).collect();
        let wide = roots.iter().all(|&n| {
            self.nodes[n].elem != Elem::Data(DType::Bool) && vector(self.nodes[n].elem).is_some()
        });
        let Some((bits, mut guards)) = self.groups(dims, &roots).filter(|_| wide) else {
            return Ok(false);
        };
        self.sweep_groups(bits, &mut guards, |e, index, fast| {
            for &(node, address) in blocks {
                let at = e.element_address(
                    address,
                    &if fast { end(index, false) } else { index.clone() },
                    4,
                );
                let flags = e.flags();
                if fast {
                    let values = e.lanes(node, index)?;
                    for (k, value) in values.into_iter().enumerate() {
                        e.b.ins().store(flags, value, at, 16 * k as i32);
                    }
                } else {
                    let value = e.eval(node, index)?;
                    e.b.ins().store(flags, value, at, 0);
                }
            }
            Ok(())
        })?;
        Ok(true)
    }

    /// Stores a block as [`Emitter::store_block`] does, in vectors; gives whether that can be.
    pub(super) fn store_lanes(
        &mut self,
        dims: &[usize],
        ptr: NodeId,
        value: NodeId,
        mask: Option<NodeId>,
    ) -> Result<bool> {
        let elem = self.nodes[value].elem;
        if self.check || elem == Elem::Data(DType::Bool) || vector(elem).is_none() {
            return Ok(false);
        }
        let Some((bits, mut guards)) = self.groups(dims, &[value]) else { return Ok(false) };
        let index = lanes_index(bits);
        let pointers = self.rises(ptr, &index, &mut HashMap::new()) == Some(1);
        if !pointers || !mask.is_none_or(|m| self.interval(m, &index, &mut guards)) {
            return Ok(false);
        }
        guards.rising.push((ptr, index.clone()));
        guards.masks.extend(mask.map(|m| (m, index)));
        self.sweep_groups(bits, &mut guards, |e, index, fast| {
            if fast {
                let address = e.eval(ptr, &end(index, false))?;
                let values = e.lanes(value, index)?;
                let flags = e.flags();
                for (k, value) in values.into_iter().enumerate() {
                    e.b.ins().store(flags, value, address, 16 * k as i32);
                }
                return Ok(());
            }
            let address = e.eval(ptr, index)?;
            let mask = mask.map(|m| e.eval(m, index)).transpose()?;
            let value = e.eval(value, index)?;
            e.write(elem, address, value, mask, 0);
            Ok(())
        })?;
        Ok(true)
    }

    /// The bits of the loops over groups, and what has to hold for a group; `None` if vectors cannot compute it.
    fn groups(&mut self, dims: &[usize], roots: &[NodeId]) -> Option<((u8, u8), Guards)> {
        let total: u8 = dims.iter().map(|&n| log2(n)).sum();
        let inner = dims.last().map_or(0, |&n| log2(n));
        if self.check || inner < GROUP {
            return None;
        }
        let bits = (inner - GROUP, total - inner);
        let mut guards = Guards::default();
        let index = lanes_index(bits);
        roots.iter().all(|&n| self.fits(n, &index, &mut guards)).then_some((bits, guards))
    }

    /// Runs `body` for each group, or element by element where the guards do not hold. The guards' indices stand for the
    /// counters by [`INNER`] and [`OUTER`], which get their names here.
    fn sweep_groups(
        &mut self,
        (inner, outer): (u8, u8),
        guards: &mut Guards,
        body: impl Fn(&mut Self, &Index, bool) -> Result<()>,
    ) -> Result<()> {
        self.repeat(outer, &[], |e, o, _| {
            e.repeat(inner, &[], |e, i, _| {
                let actual = |b: &Bit| match *b {
                    Bit::Of { var: OUTER, bit } => Bit::Of { var: o, bit },
                    Bit::Of { var: INNER, bit } => Bit::Of { var: i, bit },
                    other => other,
                };
                let place = |index: &Index| -> Index { index.iter().map(actual).collect() };
                let group = place(&lanes_index((inner, outer)));
                let mut ok: Option<Value> = None;
                let both = |e: &mut Self, ok: Option<Value>, v: Value| match ok {
                    Some(ok) => e.b.ins().band(ok, v),
                    None => v,
                };
                for (node, index) in &guards.rising {
                    let index = place(index);
                    let elem = e.nodes[*node].elem;
                    let step = if let Elem::Ptr(to) = elem { to.size() } else { 1 };
                    let first = e.eval(*node, &end(&index, false))?;
                    let last = e.eval(*node, &end(&index, true))?;
                    let [first, last] = [first, last].map(|v| e.wide(v, elem.dtype()));
                    let far = e.b.ins().isub(last, first);
                    let whole = (step as i64) * ((1 << GROUP) - 1);
                    let v = e.b.ins().icmp_imm_s(IntCC::Equal, far, whole);
                    ok = Some(both(e, ok, v));
                }
                for (node, index) in &guards.masks {
                    let index = place(index);
                    for last in [false, true] {
                        let v = e.eval(*node, &end(&index, last))?;
                        ok = Some(both(e, ok, v));
                    }
                }
                let Some(ok) = ok else {
                    body(e, &group, true)?;
                    return Ok(vec![]);
                };
                let blocks = [e.b.create_block(), e.b.create_block(), e.b.create_block()];
                e.b.ins().brif(ok, blocks[0], &[], blocks[1], &[]);
                e.b.switch_to_block(blocks[0]);
                e.repeat(0, &[], |e, _, _| body(e, &group, true).map(|()| vec![]))?;
                e.b.ins().jump(blocks[2], &[]);
                e.b.switch_to_block(blocks[1]);
                e.repeat(GROUP, &[], |e, var, _| {
                    let one = |b: &Bit| match *b {
                        Bit::Of { var: LANE, bit } => Bit::Of { var, bit },
                        other => other,
                    };
                    body(e, &group.iter().map(one).collect(), false).map(|()| vec![])
                })?;
                e.b.ins().jump(blocks[2], &[]);
                e.b.switch_to_block(blocks[2]);
                Ok(vec![])
            })
        })?;
        Ok(())
    }

    /// Whether vectors can compute the block at the index; collects what has to hold.
    fn fits(&self, node: NodeId, index: &Index, guards: &mut Guards) -> bool {
        let n = &self.nodes[node];
        match lane(index) {
            Lane::None => return vector(n.elem).is_some(),
            Lane::Other => return false,
            Lane::Low => {}
        }
        if vector(n.elem).is_none() || !guards.seen.insert((node, index.clone())) {
            return vector(n.elem).is_some();
        }
        match &n.kind {
            Kind::Uniform(_) => true,
            Kind::Iota(_) => true,
            Kind::Buffer(_) => n.elem != Elem::Data(DType::Bool),
            Kind::View(of, map) => self.fits(*of, &rename(map, index), guards),
            Kind::Apply(Fun::Op(op), operands) => {
                let elems: Vec<Elem> = operands.iter().map(|&o| self.nodes[o].elem).collect();
                let blocks = operands.iter().all(|&o| self.nodes[o].bits > 0);
                let float = elems.first() == Some(&Elem::Data(DType::F32));
                let int = matches!(elems.first(), Some(Elem::Data(DType::I32 | DType::U32)));
                let truth = elems.first() == Some(&Elem::Data(DType::Bool));
                let has = match op.kind {
                    K::Add | K::Sub | K::Mul => float || int,
                    K::Div | K::Sqrt | K::Max | K::Min | K::MaxNum | K::MinNum | K::Abs => float,
                    K::Neg => float || int,
                    K::Less | K::LessOrEqual | K::Greater | K::GreaterOrEqual | K::Equal => {
                        float || elems.first() == Some(&Elem::Data(DType::I32))
                    }
                    K::BitwiseAnd | K::BitwiseOr | K::BitwiseXor => int,
                    K::And | K::Or => truth,
                    K::Where => true,
                    _ => false,
                };
                let two = !matches!(op.kind, K::Max | K::Min) || operands.len() == 2;
                has && two && blocks && operands.iter().all(|&o| self.fits(o, index, guards))
            }
            Kind::Load { ptr, mask, .. } => {
                if n.elem == Elem::Data(DType::Bool) {
                    return false;
                }
                if self.rises(*ptr, index, &mut HashMap::new()) != Some(1) {
                    return false;
                }
                if let Some(mask) = mask {
                    if !self.interval(*mask, index, guards) {
                        return false;
                    }
                    guards.masks.push((*mask, index.clone()));
                }
                guards.rising.push((*ptr, index.clone()));
                true
            }
            _ => false,
        }
    }

    /// How much integers or pointers rise from lane to lane, where that is 0 or 1 (leaving overflow aside).
    fn rises(
        &self,
        node: NodeId,
        index: &Index,
        known: &mut HashMap<(NodeId, Index), Option<u8>>,
    ) -> Option<u8> {
        if let Some(&found) = known.get(&(node, index.clone())) {
            return found;
        }
        let found = match (lane(index), &self.nodes[node].kind) {
            (Lane::None, _) | (_, Kind::Uniform(_)) => Some(0),
            (Lane::Other, _) => None,
            (_, Kind::Iota(_)) => Some(1),
            (_, Kind::View(of, map)) => self.rises(*of, &rename(map, index), known),
            (_, Kind::Apply(Fun::Op(op), operands)) => {
                let mut of = |i: usize| {
                    let &o = operands.get(i)?;
                    if self.nodes[o].bits == 0 { Some(0) } else { self.rises(o, index, known) }
                };
                match op.kind {
                    K::Add | K::PtrAdd => match (of(0)?, of(1)?) {
                        (a, b) if a + b <= 1 => Some(a + b),
                        _ => None,
                    },
                    K::Sub if of(1)? == 0 => of(0),
                    K::Cast => {
                        let int = |e: Elem| matches!(e, Elem::Data(DType::I32 | DType::I64));
                        let from = operands.first().map(|&o| self.nodes[o].elem);
                        let wider = from
                            .is_some_and(|f| int(f) && f.size() <= self.nodes[node].elem.size());
                        if wider && int(self.nodes[node].elem) { of(0) } else { None }
                    }
                    _ if (0..operands.len()).all(|i| of(i) == Some(0)) => Some(0),
                    _ => None,
                }
            }
            (_, Kind::Apply(Fun::Add, operands)) => {
                let sum: Option<Vec<u8>> =
                    operands.iter().map(|&o| self.rises(o, index, known)).collect();
                sum.map(|s| s.iter().sum()).filter(|&s: &u8| s <= 1)
            }
            (_, Kind::Apply(Fun::Wide, operands)) => self.rises(operands[0], index, known),
            _ => None,
        };
        known.insert((node, index.clone()), found);
        found
    }

    /// Whether the mask holds for all lanes if it holds for the first and the last one, given the guards collected.
    fn interval(&self, node: NodeId, index: &Index, guards: &mut Guards) -> bool {
        if lane(index) == Lane::None {
            return true;
        }
        match &self.nodes[node].kind {
            Kind::Uniform(_) => true,
            Kind::View(of, map) => self.interval(*of, &rename(map, index), guards),
            Kind::Apply(Fun::Op(op), operands) => match op.kind {
                K::And => operands.iter().all(|&o| self.interval(o, index, guards)),
                K::Less | K::LessOrEqual | K::Greater | K::GreaterOrEqual => {
                    let mut sides = 0;
                    for &o in operands {
                        let int = matches!(self.nodes[o].elem, Elem::Data(DType::I32 | DType::I64));
                        match self.rises(o, index, &mut HashMap::new()) {
                            Some(0) => {}
                            Some(1) if int => {
                                sides += 1;
                                guards.rising.push((o, index.clone()));
                            }
                            _ => return false,
                        }
                    }
                    sides <= 1
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// The elements of a group.
    fn lanes(&mut self, node: NodeId, index: &Index) -> Result<Vec<Value>> {
        let elem = self.nodes[node].elem;
        let ty = vector(elem).unwrap_or(types::I32X4);
        let key = (node, index.clone());
        if let Some(found) = self.wide_memo.iter().rev().find_map(|m| m.get(&key)) {
            return Ok(found.clone());
        }
        let uniform =
            lane(index) == Lane::None || matches!(self.nodes[node].kind, Kind::Uniform(_));
        let values: Vec<Value> = if uniform {
            let value = self.eval(node, index)?;
            vec![self.splat(value, elem); VECTORS]
        } else {
            match self.nodes[node].kind.clone() {
                Kind::Iota(_) => {
                    let first = self.eval(node, &end(index, false))?;
                    let first = self.b.ins().splat(ty, first);
                    (0..VECTORS)
                        .map(|k| {
                            let steps: Vec<u8> = (0..LANES)
                                .flat_map(|j| ((k * LANES + j) as u32).to_le_bytes())
                                .collect();
                            let steps = self.b.func.dfg.constants.insert(steps.into());
                            let steps = self.b.ins().vconst(ty, steps);
                            self.b.ins().iadd(first, steps)
                        })
                        .collect()
                }
                Kind::Buffer(address) => {
                    let at = self.element_address(address, &end(index, false), 4);
                    self.load_lanes(ty, at)
                }
                Kind::Load { ptr, .. } => {
                    let at = self.eval(ptr, &end(index, false))?;
                    self.load_lanes(ty, at)
                }
                Kind::View(of, map) => self.lanes(of, &rename(&map, index))?,
                Kind::Apply(Fun::Op(op), operands) => {
                    let of: Elem = self.nodes[operands[0]].elem;
                    let parts: Result<Vec<Vec<Value>>> =
                        operands.iter().map(|&o| self.lanes(o, index)).collect();
                    let parts = parts?;
                    (0..VECTORS)
                        .map(|k| {
                            let x: Vec<Value> = parts.iter().map(|p| p[k]).collect();
                            self.vector_op(op.kind, &x, of)
                        })
                        .collect()
                }
                _ => vec![self.scratch; VECTORS],
            }
        };
        if let Some(memo) = self.wide_memo.last_mut() {
            memo.insert(key, values.clone());
        }
        Ok(values)
    }

    fn load_lanes(&mut self, ty: Type, at: Value) -> Vec<Value> {
        let flags = self.flags();
        (0..VECTORS).map(|k| self.b.ins().load(ty, flags, at, 16 * k as i32)).collect()
    }

    /// A scalar in all lanes; truth values are all ones or zeros.
    fn splat(&mut self, value: Value, elem: Elem) -> Value {
        if elem == Elem::Data(DType::Bool) {
            let wide = self.b.ins().uextend(types::I32, value);
            let mask = self.b.ins().ineg(wide);
            return self.b.ins().splat(types::I32X4, mask);
        }
        self.b.ins().splat(vector(elem).unwrap_or(types::I32X4), value)
    }

    fn vector_op(&mut self, kind: K, x: &[Value], of: Elem) -> Value {
        let float = of == Elem::Data(DType::F32);
        let a = x[0];
        let b = x.get(1).copied().unwrap_or(a);
        let compare = |e: &mut Self, f: FloatCC, i: IntCC| match float {
            true => e.b.ins().fcmp(f, a, b),
            false => e.b.ins().icmp(i, a, b),
        };
        match kind {
            K::Add if float => self.b.ins().fadd(a, b),
            K::Sub if float => self.b.ins().fsub(a, b),
            K::Mul if float => self.b.ins().fmul(a, b),
            K::Neg if float => self.b.ins().fneg(a),
            K::Add => self.b.ins().iadd(a, b),
            K::Sub => self.b.ins().isub(a, b),
            K::Mul => self.b.ins().imul(a, b),
            K::Neg => self.b.ins().ineg(a),
            K::Div => self.b.ins().fdiv(a, b),
            K::Sqrt => self.b.ins().sqrt(a),
            K::Abs => self.b.ins().fabs(a),
            K::Max => self.b.ins().fmax(a, b),
            K::Min => self.b.ins().fmin(a, b),
            K::MaxNum | K::MinNum => {
                let both = match kind {
                    K::MaxNum => self.b.ins().fmax(a, b),
                    _ => self.b.ins().fmin(a, b),
                };
                let a_nan = self.b.ins().fcmp(FloatCC::Unordered, a, a);
                let b_nan = self.b.ins().fcmp(FloatCC::Unordered, b, b);
                let not_b = self.choose(b_nan, a, both);
                self.choose(a_nan, b, not_b)
            }
            K::Less => compare(self, FloatCC::LessThan, IntCC::SignedLessThan),
            K::LessOrEqual => compare(self, FloatCC::LessThanOrEqual, IntCC::SignedLessThanOrEqual),
            K::Greater => compare(self, FloatCC::GreaterThan, IntCC::SignedGreaterThan),
            K::GreaterOrEqual => {
                compare(self, FloatCC::GreaterThanOrEqual, IntCC::SignedGreaterThanOrEqual)
            }
            K::Equal => compare(self, FloatCC::Equal, IntCC::Equal),
            K::BitwiseAnd | K::And => self.b.ins().band(a, b),
            K::BitwiseOr | K::Or => self.b.ins().bor(a, b),
            K::BitwiseXor => self.b.ins().bxor(a, b),
            K::Where => self.choose(a, b, x[2]),
            _ => a,
        }
    }

    /// Lanes of one vector or the other, by a mask of all ones or zeros.
    fn choose(&mut self, mask: Value, a: Value, b: Value) -> Value {
        let ty = self.b.func.dfg.value_type(a);
        let [a, b] = [a, b].map(|v| self.bitcast(v, types::I32X4));
        let chosen = self.b.ins().bitselect(mask, a, b);
        self.bitcast(chosen, ty)
    }
}

/// Stand for the counters of loops that are not open yet.
const OUTER: u16 = u16::MAX - 2;
const INNER: u16 = u16::MAX - 3;

/// The index of a group: lanes, then the counters of the inner and of the outer loop.
fn lanes_index((inner, outer): (u8, u8)) -> Index {
    counter(LANE, GROUP).chain(counter(INNER, inner)).chain(counter(OUTER, outer)).collect()
}
