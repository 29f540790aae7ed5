//! Groups of elements in 128-bit vectors.
//!
//! Truth values are 32-bit lanes of all ones or zeros, whatever the width of the values they were computed from.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, Type, Value, types};
use trident_ir::dtype::Class;
use trident_ir::op::words::ShiftDirection;
use trident_ir::{DType, Op, OpKind as K, ops};
use trident_tile_analysis::{
    Destination, Elem, Fun, GROUP, Index, NodeId, Row, RowOperand, VectorTarget, rename, start,
    uniform,
};

use super::access::Store;
use super::arithmetic::comparison;
use super::node::{Kind, Register};
use super::row::{Part, VectorPath};
use super::{Declined, Emitter, Result, is_toward_zero, refused, view};

/// Bytes of a vector.
const BYTES: usize = 16;

/// Number of 4-byte lanes, and of 8-byte lanes.
const SINGLE: usize = 4;

/// Number of vectors for a group.
fn vectors(ty: Type) -> usize {
    (1 << GROUP) * ty.lane_type().bytes() as usize / BYTES
}

/// The capabilities of 128-bit vectors.
struct Lanes;

impl VectorTarget for Lanes {
    fn holds(&self, elem: Elem) -> bool {
        vector(elem).is_some()
    }

    fn reads(&self, elem: Elem) -> bool {
        elem != Elem::Data(DType::Bool)
    }

    /// Whether one or a few instructions compute the op.
    fn computes(&self, op: &Op, operands: &[RowOperand], result: Elem) -> bool {
        let Some(&RowOperand { elem: Elem::Data(dtype), .. }) = operands.first() else {
            return false;
        };
        let to = result.dtype();
        let float = matches!(dtype, DType::F32 | DType::F64);
        let int = matches!(dtype, DType::I32 | DType::U32 | DType::I64 | DType::U64);
        let truth = dtype == DType::Bool;
        match op.kind {
            K::Add | K::Sub | K::Mul | K::Neg => float || int,
            K::Max | K::Min => float || int && dtype != DType::U64,
            K::MaxNum | K::MinNum => float,
            K::Div | K::Sqrt | K::Abs | K::Floor | K::Ceil | K::Round | K::IsNaN => float,
            K::Less | K::LessOrEqual | K::Greater | K::GreaterOrEqual => {
                float || int && dtype != DType::U64
            }
            K::Equal => float || int,
            K::BitwiseAnd | K::BitwiseOr | K::BitwiseXor | K::BitwiseNot => int,
            K::BitShift => int && operands.get(1).is_some_and(|o| o.uniform),
            K::And | K::Or | K::Xor | K::Not => truth,
            K::Where => true,
            K::BitCast => dtype.size() == to.size() && !truth && to != DType::Bool,
            K::Cast if is_toward_zero(op) && to.is_float() => false,
            K::Cast => matches!(
                (dtype, to),
                (DType::I32 | DType::Bool, DType::F32)
                    | (DType::F32, DType::F64 | DType::I32)
                    | (DType::F64, DType::F32)
                    | (DType::Bool, DType::I32 | DType::U32)
                    | (DType::I32 | DType::U32, DType::I64 | DType::U64 | DType::I32 | DType::U32)
                    | (DType::I64 | DType::U64, DType::I32 | DType::U32)
            ),
            _ => false,
        }
    }
}

/// The type of the vectors that hold elements; `None` if vectors cannot hold them.
pub(super) fn vector(elem: Elem) -> Option<Type> {
    match elem {
        Elem::Data(DType::F32) => Some(types::F32X4),
        Elem::Data(DType::F64) => Some(types::F64X2),
        Elem::Data(DType::I32 | DType::U32 | DType::Bool) => Some(types::I32X4),
        Elem::Data(DType::I64 | DType::U64) => Some(types::I64X2),
        _ => None,
    }
}

/// The error for an op that [`Lanes::computes`] promises and nothing here computes.
fn no_vectors(op: &Op, dtype: DType) -> Declined {
    refused(op, format!("elements of type {dtype} are not supported"))
}

impl<'m> Emitter<'m, '_> {
    /// The longest rows of these blocks that vectors can compute.
    pub(super) fn lane_row(
        &self,
        dims: &[usize],
        roots: &[NodeId],
        to: Option<Destination>,
    ) -> Option<Row> {
        self.row(&Lanes, dims, roots, to)
    }

    /// Whether vectors can be stored as these elements in memory.
    fn storable(&self, elem: Elem) -> bool {
        elem != Elem::Data(DType::Bool) && vector(elem).is_some()
    }

    /// Writes blocks as [`Emitter::fill`] does, in vectors; returns false, having generated nothing, if that is
    /// impossible.
    pub(super) fn fill_lanes(
        &mut self,
        dims: &[usize],
        blocks: &[(NodeId, Value)],
    ) -> Result<bool> {
        let roots: Vec<NodeId> = blocks.iter().map(|b| b.0).collect();
        let wide = roots.iter().all(|&n| self.storable(self.nodes[n].elem));
        let row = self.lane_row(dims, &roots, None).filter(|_| wide);
        let Some(row) = row else { return Ok(false) };
        let body = |e: &mut Self, index: &Index, part: Part| {
            if part == Part::Element {
                return e.fill_element(index, blocks);
            }
            for &(node, address) in blocks {
                let size = e.nodes[node].elem.size();
                let first = e.element_address(address, &start(index), size);
                let values = e.lanes(node, index, part)?;
                e.store_lanes(values, first, size);
            }
            Ok(())
        };
        self.decide_row("fill", VectorPath::Lanes, &row);
        self.sweep_rows(&row, &body)?;
        Ok(true)
    }

    /// The rows by which 128-bit vectors can store a block; `None` if they cannot.
    pub(super) fn lane_store_rows(&self, dims: &[usize], store: Store) -> Option<Row> {
        let storable = self.storable(self.nodes[store.value].elem);
        let to = Some(store.target());
        self.lane_row(dims, &[store.value], to).filter(|_| storable)
    }

    /// Stores a block by rows.
    pub(super) fn store_lanes_of(&mut self, row: &Row, store: Store) -> Result<()> {
        let size = self.nodes[store.value].elem.size();
        self.sweep_rows(row, &|e, index, part| {
            if part == Part::Element {
                return e.store_element(store, index);
            }
            let first = e.eval(store.ptr, &start(index))?;
            let values = e.lanes(store.value, index, part)?;
            e.store_lanes(values, first, size);
            Ok(())
        })
    }

    /// The address of the current pass in an array that holds the row's first element at `first`.
    fn group_address(&mut self, first: Value, size: usize) -> Value {
        let bytes = self.b.ins().ishl_imm_u(self.sweeps.offset, i64::from(size.trailing_zeros()));
        self.b.ins().iadd(first, bytes)
    }

    fn store_lanes(&mut self, values: Vec<Value>, first: Value, size: usize) {
        let at = self.group_address(first, size);
        let flags = self.flags();
        let ahead = self.sweeps.ahead as i32 * size as i32;
        for (k, value) in values.into_iter().enumerate() {
            self.b.ins().store(flags, value, at, ahead + (BYTES * k) as i32);
        }
    }

    fn load_lanes(&mut self, ty: Type, first: Value) -> Vec<Value> {
        let size = ty.lane_type().bytes() as usize;
        let at = self.group_address(first, size);
        let flags = self.flags();
        let ahead = self.sweeps.ahead as i32 * size as i32;
        (0..vectors(ty))
            .map(|k| self.b.ins().load(ty, flags, at, ahead + (BYTES * k) as i32))
            .collect()
    }

    /// The elements of the current group.
    fn lanes(&mut self, node: NodeId, index: &Index, part: Part) -> Result<Vec<Value>> {
        let elem = self.nodes[node].elem;
        let ty = vector(elem).unwrap_or(types::I32X4);
        let key = (node, index.clone());
        if let Some(found) = self.sweeps.group(&key) {
            return Ok(found.clone());
        }
        let same = uniform(index) || matches!(self.nodes[node].kind, Kind::Uniform(_));
        let values: Vec<Value> = if same {
            let value = self.eval(node, index)?;
            vec![self.splat(value, elem, ty); vectors(ty)]
        } else {
            match self.nodes[node].kind.clone() {
                Kind::Iota(_) => {
                    let first = self.eval(node, &start(index))?;
                    let offset = self.b.ins().ireduce(types::I32, self.sweeps.offset);
                    let first = self.b.ins().iadd(first, offset);
                    let first = self.b.ins().iadd_imm_s(first, self.sweeps.ahead);
                    let first = self.b.ins().splat(ty, first);
                    (0..vectors(ty))
                        .map(|k| {
                            let steps: Vec<u8> = (0..SINGLE)
                                .flat_map(|j| ((k * SINGLE + j) as u32).to_le_bytes())
                                .collect();
                            let steps = self.b.func.dfg.constants.insert(steps.into());
                            let steps = self.b.ins().vconst(ty, steps);
                            self.b.ins().iadd(first, steps)
                        })
                        .collect()
                }
                Kind::Buffer(address) => {
                    let first = self.element_address(address, &start(index), elem.size());
                    self.load_lanes(ty, first)
                }
                Kind::Load { mask: Some(_), other, .. } if part == Part::Off => match other {
                    Some(other) => {
                        let at = self.nodes.operand_index(other, index);
                        self.lanes(other, &at, part)?
                    }
                    None => {
                        let zero = self.zero(elem.clif());
                        vec![self.splat(zero, elem, ty); vectors(ty)]
                    }
                },
                Kind::Load { ptr, .. } => {
                    let first = self.eval(ptr, &start(index))?;
                    self.load_lanes(ty, first)
                }
                Kind::View(of, map) => self.lanes(of, &rename(&map, index), part)?,
                Kind::Apply(Fun::Op(op), operands) => {
                    self.lanes_of(op, &operands, elem, index, part)?
                }
                _ => {
                    return Err(self.calls.refusal("a block cannot be computed in vectors"));
                }
            }
        };
        self.sweeps.keep_group(key, values.clone());
        Ok(values)
    }

    /// Copies a scalar to all lanes.
    fn splat(&mut self, value: Value, elem: Elem, ty: Type) -> Value {
        if elem == Elem::Data(DType::Bool) {
            let wide = self.b.ins().uextend(types::I32, value);
            let mask = self.b.ins().ineg(wide);
            return self.b.ins().splat(ty, mask);
        }
        self.b.ins().splat(ty, value)
    }

    /// Applies the op to the operands' groups.
    fn lanes_of(
        &mut self,
        op: &Op,
        operands: &[NodeId],
        result: Elem,
        index: &Index,
        part: Part,
    ) -> Result<Vec<Value>> {
        let from = self.nodes[operands[0]].elem.dtype();
        if op.kind == K::Where && self.sweeps.settled.contains(&(operands[0], index.clone())) {
            let chosen = operands[if part == Part::Group { 1 } else { 2 }];
            let at = self.nodes.operand_index(chosen, index);
            return self.lanes(chosen, &at, part);
        }
        let parts: Result<Vec<Vec<Value>>> = operands
            .iter()
            .enumerate()
            .map(|(i, &o)| {
                let at = self.nodes.operand_index(o, index);
                // All lanes are shifted by the same amount, a scalar.
                match op.kind == K::BitShift && i == 1 {
                    true => Ok(vec![self.eval(o, &start(&at))?]),
                    false => self.lanes(o, &at, part),
                }
            })
            .collect();
        let mut parts = parts?;
        if op.kind == K::Cast {
            return self.cast_lanes(op, parts.swap_remove(0), from, result.dtype());
        }
        let ty = vector(result).unwrap_or(types::I32X4);
        if op.kind == K::Where && ty.lane_bits() == 64 {
            parts[0] = self.widen_lanes(&parts[0], true);
        }
        let values: Vec<Value> = (0..parts.last().map_or(0, Vec::len).max(parts[0].len()))
            .map(|k| {
                let x: Vec<Value> = parts
                    .iter()
                    .map(|p| p.get(k).or(p.first()).copied().unwrap_or(self.program.scratch))
                    .collect();
                self.vector_op(op, &x, from, ty)
            })
            .collect::<Result<_>>()?;
        let truth = result == Elem::Data(DType::Bool);
        Ok(if truth && from.size() == 8 { self.narrow_lanes(&values) } else { values })
    }

    /// Widens to twice as many vectors, with lanes of twice the width.
    fn widen_lanes(&mut self, x: &[Value], signed: bool) -> Vec<Value> {
        x.iter()
            .flat_map(|&v| match signed {
                true => [self.b.ins().swiden_low(v), self.b.ins().swiden_high(v)],
                false => [self.b.ins().uwiden_low(v), self.b.ins().uwiden_high(v)],
            })
            .collect()
    }

    /// The lower halves of 64-bit lanes.
    fn narrow_lanes(&mut self, x: &[Value]) -> Vec<Value> {
        x.chunks_exact(2).map(|pair| self.even_lanes(pair[0], pair[1], types::I32X4)).collect()
    }

    /// The even 32-bit lanes of two vectors.
    fn even_lanes(&mut self, a: Value, b: Value, ty: Type) -> Value {
        let lanes: Vec<u8> = [0u8, 8, 16, 24].into_iter().flat_map(|k| k..k + 4).collect();
        self.shuffle(a, b, lanes, ty)
    }

    fn shuffle(&mut self, a: Value, b: Value, bytes: Vec<u8>, ty: Type) -> Value {
        let mask = self.b.func.dfg.immediates.push(bytes.into());
        let [a, b] = [a, b].map(|v| self.bitcast(v, types::I8X16));
        let shuffled = self.b.ins().shuffle(a, b, mask);
        self.bitcast(shuffled, ty)
    }

    fn cast_lanes(&mut self, op: &Op, x: Vec<Value>, from: DType, to: DType) -> Result<Vec<Value>> {
        let each = |e: &mut Self, f: &dyn Fn(&mut Self, Value) -> Value| -> Vec<Value> {
            x.iter().map(|&v| f(e, v)).collect()
        };
        Ok(match (from, to) {
            (DType::I32, DType::F32) => {
                each(self, &|e, v| e.b.ins().fcvt_from_sint(types::F32X4, v))
            }
            (DType::F32, DType::I32) => {
                each(self, &|e, v| e.b.ins().fcvt_to_sint_sat(types::I32X4, v))
            }
            (DType::Bool, DType::F32) => {
                let one = self.b.ins().iconst(types::I32, i64::from(1f32.to_bits()));
                let one = self.b.ins().splat(types::I32X4, one);
                each(self, &|e, v| {
                    let v = e.b.ins().band(v, one);
                    e.bitcast(v, types::F32X4)
                })
            }
            (DType::Bool, DType::I32 | DType::U32) => {
                each(self, &|e, v| e.b.ins().ushr_imm_u(v, 31))
            }
            (DType::F32, DType::F64) => {
                let mut wide = vec![];
                for v in x {
                    let high: Vec<u8> = (8..16).chain(8..16).collect();
                    let high = self.shuffle(v, v, high, types::F32X4);
                    wide.extend([v, high].map(|v| self.b.ins().fvpromote_low(v)));
                }
                wide
            }
            (DType::F64, DType::F32) => x
                .chunks_exact(2)
                .map(|pair| {
                    let [low, high] = [pair[0], pair[1]].map(|v| self.b.ins().fvdemote(v));
                    let lanes: Vec<u8> = (0..8).chain(16..24).collect();
                    self.shuffle(low, high, lanes, types::F32X4)
                })
                .collect(),
            _ if from.is_int() && to.is_int() => match (from.size(), to.size()) {
                (4, 8) => self.widen_lanes(&x, from.class() == Class::Int),
                (8, 4) => self.narrow_lanes(&x),
                (4, 4) => x,
                _ => return Err(no_vectors(op, from)),
            },
            _ => return Err(no_vectors(op, from)),
        })
    }

    fn vector_op(&mut self, op: &Op, x: &[Value], from: DType, ty: Type) -> Result<Value> {
        let float = from.is_float();
        let signed = from.class() == Class::Int;
        let a = x[0];
        let b = x.get(1).copied().unwrap_or(a);
        if from != DType::Bool
            && let Some((signed_cc, unsigned_cc, float_cc)) = comparison(op.kind)
        {
            return Ok(match (float, signed) {
                (true, _) => self.b.ins().fcmp(float_cc, a, b),
                (_, true) => self.b.ins().icmp(signed_cc, a, b),
                _ => self.b.ins().icmp(unsigned_cc, a, b),
            });
        }
        Ok(match op.kind {
            K::Add if float => self.b.ins().fadd(a, b),
            K::Sub if float => self.b.ins().fsub(a, b),
            K::Mul if float => self.b.ins().fmul(a, b),
            K::Neg if float => self.b.ins().fneg(a),
            K::Add => self.b.ins().iadd(a, b),
            K::Sub => self.b.ins().isub(a, b),
            K::Mul => self.b.ins().imul(a, b),
            K::Neg => self.b.ins().ineg(a),
            K::Div if float => self.b.ins().fdiv(a, b),
            K::Sqrt if float => self.b.ins().sqrt(a),
            K::Abs if float => self.b.ins().fabs(a),
            K::Floor if float => self.b.ins().floor(a),
            K::Ceil if float => self.b.ins().ceil(a),
            K::Round if float => self.b.ins().nearest(a),
            K::Max if float => x[1..].iter().fold(a, |s, &v| self.b.ins().fmax(s, v)),
            K::Min if float => x[1..].iter().fold(a, |s, &v| self.b.ins().fmin(s, v)),
            K::MaxNum | K::MinNum if float => self.extreme_num_lanes(a, b, op.kind == K::MaxNum),
            K::Max => x[1..].iter().fold(a, |s, &v| self.extreme_lanes(s, v, true, signed)),
            K::Min => x[1..].iter().fold(a, |s, &v| self.extreme_lanes(s, v, false, signed)),
            K::IsNaN if float => self.b.ins().fcmp(FloatCC::Unordered, a, a),
            K::BitwiseAnd | K::And => self.b.ins().band(a, b),
            K::BitwiseOr | K::Or => self.b.ins().bor(a, b),
            K::BitwiseXor | K::Xor => self.b.ins().bxor(a, b),
            K::BitwiseNot | K::Not => self.b.ins().bnot(a),
            K::BitShift => match (view(op, ops::BitShift::of)?.direction(), signed) {
                (ShiftDirection::Left, _) => self.b.ins().ishl(a, b),
                (_, true) => self.b.ins().sshr(a, b),
                (_, false) => self.b.ins().ushr(a, b),
            },
            K::Where => self.choose(a, b, x[2]),
            K::BitCast => self.bitcast(a, ty),
            _ => return Err(no_vectors(op, from)),
        })
    }

    fn extreme_lanes(&mut self, a: Value, b: Value, greater: bool, signed: bool) -> Value {
        let cc = match (greater, signed) {
            (true, true) => IntCC::SignedGreaterThan,
            (true, false) => IntCC::UnsignedGreaterThan,
            (false, true) => IntCC::SignedLessThan,
            (false, false) => IntCC::UnsignedLessThan,
        };
        let which = self.b.ins().icmp(cc, a, b);
        self.choose(which, a, b)
    }

    /// The greater (lesser) of two; if one is NaN, the other.
    fn extreme_num_lanes(&mut self, a: Value, b: Value, greater: bool) -> Value {
        let both = if greater { self.b.ins().fmax(a, b) } else { self.b.ins().fmin(a, b) };
        let a_nan = self.b.ins().fcmp(FloatCC::Unordered, a, a);
        let b_nan = self.b.ins().fcmp(FloatCC::Unordered, b, b);
        let not_b = self.choose(b_nan, a, both);
        self.choose(a_nan, b, not_b)
    }

    /// Selects lanes of `a` or `b` by a mask of all ones or zeros.
    fn choose(&mut self, mask: Value, a: Value, b: Value) -> Value {
        let ty = self.b.func.dfg.value_type(a);
        let bits = self.b.func.dfg.value_type(mask);
        let [a, b] = [a, b].map(|v| self.bitcast(v, bits));
        let chosen = self.b.ins().bitselect(mask, a, b);
        self.bitcast(chosen, ty)
    }
}
