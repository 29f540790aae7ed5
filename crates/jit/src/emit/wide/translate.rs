//! Expressions as values of loops.

use std::collections::HashMap;

use cranelift_codegen::ir::Value;
use half::f16;
use trident_ir::dtype::Class as Kinds;
use trident_ir::op::words::ShiftDirection;
use trident_ir::{DType, Op, OpKind as K, ops};
use trident_tile_analysis::{
    Elem, Fun, Index, NodeId, Row, function_name, is_block_function, rename, start, uniform,
};

use super::super::is_toward_zero;
use super::Word;
use crate::emit::Emitter;
use crate::emit::node::Kind;
use crate::loops::{
    Binary, Class, Format, Id, Logic, Relation, Unary, Value as Of, Values, Width, traced,
};
use crate::routine::{Function, Routine};

/// An expression being translated to a loop.
pub(super) struct Translation<'r> {
    pub(super) row: &'r Row,
    pub(super) values: Values,
    pub(super) words: Vec<Word>,
    known: HashMap<(NodeId, Index), Id>,
    /// Loads through pointers, and their streams.
    pub(super) loads: Vec<(NodeId, usize)>,
}

impl Translation<'_> {
    /// The number of an argument, which is added if it is new.
    pub(super) fn word(&mut self, word: Word) -> usize {
        let found = self.words.iter().position(|w| *w == word);
        found.unwrap_or_else(|| {
            self.words.push(word);
            self.words.len() - 1
        })
    }

    /// The elements of a buffer, read as a type of their size.
    fn buffer(&mut self, address: Value, index: &Index, elem: Elem) -> Id {
        let stream = self.word(Word::Buffer(address, start(index), elem.size()));
        self.values.add(Of::Load { stream, other: None, format: format_of(elem) })
    }

    fn scalar(&mut self, node: NodeId, index: &Index) -> Id {
        let word = self.word(Word::Scalar(node, index.clone()));
        self.values.add(Of::Scalar(word))
    }

    fn binary(&mut self, op: Binary, a: Id, b: Id) -> Id {
        self.values.add(Of::Binary(op, a, b))
    }
}

/// How a loop compares and orders elements of a type.
pub(super) fn class_of(dtype: DType) -> Class {
    match dtype.class() {
        Kinds::Float => Class::Float,
        Kinds::Int => Class::Int,
        _ => Class::Uint,
    }
}

/// The width of the values that represent elements; shorter ones are computed in 4 bytes and rounded after each op.
fn width_of(elem: Elem) -> Option<Width> {
    use DType as D;
    match elem {
        Elem::Data(D::F32 | D::I32 | D::U32 | D::F16 | D::BF16) => Some(Width::Four),
        Elem::Data(D::I8 | D::U8 | D::I16 | D::U16) => Some(Width::Four),
        Elem::Data(D::F64 | D::I64 | D::U64) => Some(Width::Eight),
        _ => None,
    }
}

pub(super) fn format_of(elem: Elem) -> Format {
    match elem {
        Elem::Data(DType::F16) => Format::F16,
        Elem::Data(DType::BF16) => Format::BF16,
        Elem::Data(DType::I8) => Format::I8,
        Elem::Data(_) if elem.size() == 1 => Format::U8,
        Elem::Data(DType::I16) => Format::I16,
        Elem::Data(DType::U16) => Format::U16,
        _ => Format::Same,
    }
}

/// Whether the elements have fewer than the 4 bytes in which loops compute them.
pub(in crate::emit) fn is_short(elem: Elem) -> bool {
    elem.size() < 4
}

/// Rounds the value to the elements' type.
fn rounded(v: &mut Values, x: Id, elem: Elem) -> Id {
    match format_of(elem) {
        Format::F16 => v.add(Of::Unary(Unary::F16, x)),
        Format::BF16 => v.nearest_bf16(x),
        format => v.wrapped(x, format),
    }
}

/// Extends the bits of an element to those of the value that represents it.
fn extended(bits: u64, elem: Elem) -> u64 {
    match format_of(elem) {
        Format::Same => bits,
        Format::F16 => f16::from_bits(bits as u16).to_f32().to_bits().into(),
        Format::BF16 => bits << 16,
        Format::I8 => (bits as i8 as u32).into(),
        Format::I16 => (bits as i16 as u32).into(),
        Format::U8 | Format::U16 => bits,
    }
}

impl Emitter<'_, '_> {
    /// Starts a translation of these blocks.
    pub(super) fn translation<'r>(
        &self,
        row: &'r Row,
        roots: &[NodeId],
    ) -> Option<Translation<'r>> {
        let elem = self.nodes[*roots.first()?].elem;
        let width = if is_short(elem) { Width::Four } else { width_of(elem)? };
        let values = Values::new(width);
        let (words, loads) = (vec![], vec![]);
        Some(Translation { row, values, words, known: HashMap::new(), loads })
    }

    /// The value that is written to memory for a block, and its format. Short floats that are only copied pass through as
    /// integers: loops do not support 8-bit floats, and converting f16 or bf16 would quiet a signalling NaN.
    pub(super) fn stored(
        &self,
        t: &mut Translation<'_>,
        root: NodeId,
        index: &Index,
    ) -> Option<(Id, Format)> {
        let n = &self.nodes[root];
        let bits = match n.elem.size() {
            1 => Elem::Data(DType::U8),
            _ => Elem::Data(DType::U16),
        };
        let moved = match &n.kind {
            Kind::View(of, map) => return self.stored(t, *of, &rename(map, index)),
            Kind::Apply(Fun::Op(op), operands) if op.kind == K::BitCast && is_short(n.elem) => {
                let &of = operands.first()?;
                let whole = matches!(self.nodes[of].elem, Elem::Data(d) if d.is_int());
                let at = self.nodes.operand_index(of, index);
                if whole { self.stored(t, of, &at) } else { None }
            }
            Kind::Load { .. } if is_short(n.elem) && n.elem.dtype().is_float() => {
                self.translate_load(t, root, index, bits).map(|id| (id, format_of(bits)))
            }
            &Kind::Buffer(address)
                if is_short(n.elem) && n.elem.dtype().is_float() && !uniform(index) =>
            {
                Some((t.buffer(address, index, bits), format_of(bits)))
            }
            _ => None,
        };
        moved.or_else(|| Some((self.translate(t, root, index)?, format_of(n.elem))))
    }

    /// The block as values of a loop; `None` if a loop cannot compute it.
    pub(super) fn translate(
        &self,
        t: &mut Translation<'_>,
        node: NodeId,
        index: &Index,
    ) -> Option<Id> {
        let key = (node, index.clone());
        if let Some(&id) = t.known.get(&key) {
            return Some(id);
        }
        let n = &self.nodes[node];
        let truth = n.elem == Elem::Data(DType::Bool);
        if !truth && width_of(n.elem) != Some(t.values.width) {
            return None;
        }
        let id = match &n.kind {
            _ if truth && (uniform(index) || matches!(n.kind, Kind::Uniform(_))) => return None,
            Kind::Uniform(value) => match self.nodes.constant(*value) {
                Some(bits) => t.values.add(Of::Const(extended(bits, n.elem))),
                None => t.scalar(node, index),
            },
            _ if uniform(index) => t.scalar(node, index),
            Kind::Iota(_) => {
                let first = t.scalar(node, &start(index));
                let number = t.values.add(Of::Number);
                t.binary(Binary::IntAdd, first, number)
            }
            &Kind::Buffer(address) => {
                let bits = t.buffer(address, index, n.elem);
                let zero = t.values.add(Of::Const(0));
                match truth {
                    true => t.values.add(Of::Compare(Class::Uint, Relation::Greater, bits, zero)),
                    false => bits,
                }
            }
            Kind::View(of, map) => self.translate(t, *of, &rename(map, index))?,
            Kind::Load { .. } if truth => return None,
            Kind::Load { .. } => self.translate_load(t, node, index, n.elem)?,
            Kind::Apply(Fun::Op(op), operands) => {
                self.translate_op(t, op, operands, n.elem, index)?
            }
            _ => return None,
        };
        t.known.insert(key, id);
        Some(id)
    }

    /// The elements that a load reads, interpreted as this type.
    fn translate_load(
        &self,
        t: &mut Translation<'_>,
        node: NodeId,
        index: &Index,
        elem: Elem,
    ) -> Option<Id> {
        let &Kind::Load { ptr, mask, other, .. } = &self.nodes[node].kind else { return None };
        let other = match (mask, other) {
            (None, _) => None,
            (Some(_), None) => Some(t.values.add(Of::Const(0))),
            (Some(_), Some(_)) if elem != self.nodes[node].elem => return None,
            (Some(_), Some(other)) => {
                let at = self.nodes.operand_index(other, index);
                Some(self.translate(t, other, &at)?)
            }
        };
        let stream = t.word(Word::Pointer(ptr, start(index)));
        t.loads.push((node, stream));
        Some(t.values.add(Of::Load { stream, other, format: format_of(elem) }))
    }

    fn translate_op(
        &self,
        t: &mut Translation<'_>,
        op: &Op,
        operands: &[NodeId],
        result: Elem,
        index: &Index,
    ) -> Option<Id> {
        let &first = operands.first()?;
        let Elem::Data(from) = self.nodes[first].elem else { return None };
        if op.kind == K::Where && t.row.settles(first, index) {
            let [_, yes, no] = *operands else { return None };
            let mut of = |o| self.translate(t, o, &self.nodes.operand_index(o, index));
            let (yes, no) = (of(yes)?, of(no)?);
            return Some(t.values.add(Of::On(yes, no)));
        }
        let short = op.kind == K::BitCast && is_short(result);
        if short && matches!(self.nodes[first].kind, Kind::Load { .. }) && result.dtype().is_int() {
            return self.translate_load(t, first, &self.nodes.operand_index(first, index), result);
        }
        let mut x = vec![];
        for &o in operands {
            x.push(self.translate(t, o, &self.nodes.operand_index(o, index))?);
        }
        if let Some(Routine::Function(function)) = self.block_routine(op, operands, result) {
            return Some(t.values.trace(traced(function.name, function.inputs)?, x[0]));
        }
        let v = &mut t.values;
        let halves = matches!(format_of(result), Format::F16 | Format::BF16);
        if is_block_function(op) && halves {
            let function = Function::find(function_name(op), &[DType::F32])?;
            let value = v.trace(traced(function.name, function.inputs)?, x[0]);
            return Some(rounded(v, value, result));
        }
        if from == DType::Bool {
            return of_truth(v, op, &x, result);
        }
        if let Some(relation) = relation(op.kind) {
            return Some(v.add(Of::Compare(class_of(from), relation, x[0], *x.get(1)?)));
        }
        if op.kind == K::IsNaN {
            return Some(v.add(Of::Compare(Class::Float, Relation::Unordered, x[0], x[0])));
        }
        let value = match (op.kind, from.is_float()) {
            (K::Cast, true) if is_toward_zero(op) && result.dtype().is_float() => {
                return truncated(v, x[0], from, result);
            }
            (K::Cast, _) => converted(v, op, x[0], from, result.dtype())?,
            (K::BitCast, _) => recast(x[0], from, result)?,
            (_, true) => of_floats(v, op, &x)?,
            (_, false) => of_integers(v, op, &x, from)?,
        };
        // Selecting an operand or changing a float's sign is exact, and so are bitwise ops on extended integers.
        let exact = match op.kind {
            K::Max | K::MaxNum | K::Min | K::MinNum => true,
            K::Neg | K::Abs => from.is_float(),
            K::BitwiseAnd | K::BitwiseOr | K::BitwiseXor => true,
            K::BitShift => ops::BitShift::of(op)?.direction() == ShiftDirection::Right,
            _ => false,
        };
        Some(if exact { value } else { rounded(v, value, result) })
    }
}

fn relation(kind: K) -> Option<Relation> {
    Some(match kind {
        K::Less => Relation::Less,
        K::LessOrEqual => Relation::LessOrEqual,
        K::Equal => Relation::Equal,
        K::Greater => Relation::Greater,
        K::GreaterOrEqual => Relation::GreaterOrEqual,
        _ => return None,
    })
}

/// Combines all operands by a binary operation.
fn reduced(v: &mut Values, x: &[Id], mut of: impl FnMut(&mut Values, Id, Id) -> Id) -> Option<Id> {
    let (&first, rest) = x.split_first()?;
    Some(rest.iter().fold(first, |sum, &y| of(v, sum, y)))
}

/// The greatest (least) of the operands; `None` for other ops.
fn of_extremes(v: &mut Values, op: &Op, x: &[Id], class: Class) -> Option<Id> {
    let (greater, nan) = match op.kind {
        K::Max => (true, true),
        K::MaxNum => (true, false),
        K::Min => (false, true),
        K::MinNum => (false, false),
        _ => return None,
    };
    reduced(v, x, |v, a, b| extreme(v, class, greater, nan, a, b))
}

/// An op on floats, not yet rounded to their type.
fn of_floats(v: &mut Values, op: &Op, x: &[Id]) -> Option<Id> {
    let (a, b) = (*x.first()?, *x.get(1).unwrap_or(x.first()?));
    let binary = |op| Of::Binary(op, a, b);
    let value = match op.kind {
        K::Add => binary(Binary::Add),
        K::Sub => binary(Binary::Sub),
        K::Mul => binary(Binary::Mul),
        K::Div => binary(Binary::Div),
        K::Neg => Of::Binary(Binary::Xor, a, v.sign_bit()),
        K::Abs => Of::Binary(Binary::And, a, v.magnitude_bits()),
        K::Sqrt => Of::Unary(Unary::Sqrt, a),
        K::Floor => Of::Unary(Unary::Floor, a),
        K::Ceil => Of::Unary(Unary::Ceil, a),
        K::Round => Of::Unary(Unary::Round, a),
        _ => return of_extremes(v, op, x, Class::Float),
    };
    Some(v.add(value))
}

/// An op on integers, not yet wrapped to their type.
fn of_integers(v: &mut Values, op: &Op, x: &[Id], from: DType) -> Option<Id> {
    let (a, b) = (*x.first()?, *x.get(1).unwrap_or(x.first()?));
    let binary = |op| Of::Binary(op, a, b);
    let value = match op.kind {
        K::Add => binary(Binary::IntAdd),
        K::Sub => binary(Binary::IntSub),
        K::Mul => binary(Binary::IntMul),
        K::Neg => Of::Binary(Binary::IntSub, v.add(Of::Const(0)), a),
        K::BitwiseAnd => binary(Binary::And),
        K::BitwiseOr => binary(Binary::Or),
        K::BitwiseXor => binary(Binary::Xor),
        K::BitwiseNot => {
            let all = v.add(Of::Const(u64::MAX >> (64 - 8 * v.width.bytes())));
            Of::Binary(Binary::Xor, a, all)
        }
        K::BitShift => {
            let by = v.constant(b).filter(|&n| n < 8 * from.size() as u64)? as u8;
            let shift = match (ops::BitShift::of(op)?.direction(), class_of(from)) {
                (ShiftDirection::Left, _) => Unary::ShiftLeft(by),
                (_, Class::Int) => Unary::ShiftArithmetic(by),
                _ => Unary::ShiftRight(by),
            };
            Of::Unary(shift, a)
        }
        _ => return of_extremes(v, op, x, class_of(from)),
    };
    Some(v.add(value))
}

/// Reinterprets bits as another type, if loops hold both alike.
fn recast(x: Id, from: DType, to: Elem) -> Option<Id> {
    let alike = from.size() >= 4 || from.is_int() && to.dtype().is_int();
    (from.size() == to.size() && alike).then_some(x)
}

/// Rounds a float toward zero to a shorter type.
fn truncated(v: &mut Values, x: Id, from: DType, to: Elem) -> Option<Id> {
    match (from, format_of(to)) {
        (DType::F32, Format::F16) => Some(v.add(Of::Unary(Unary::F16TowardZero, x))),
        (DType::F32, Format::BF16) => Some(v.truncated_bf16(x)),
        _ => None,
    }
}

/// Converts a number to another type, not yet rounded to it.
fn converted(v: &mut Values, op: &Op, x: Id, from: DType, to: DType) -> Option<Id> {
    use DType as D;
    let to_zero = is_toward_zero(op);
    Some(match (from, to) {
        (D::I32, D::F32) | (D::I64, D::F64) => v.add(Of::Unary(Unary::FromInt, x)),
        (from, to) if from.is_int() && to.is_int() => x,
        // The conversion is exact; the result is rounded afterwards.
        (from, to) if from.is_int() && from.size() < 4 && to.is_float() && !to_zero => {
            v.add(Of::Unary(Unary::FromInt, x))
        }
        (from, to) if from.is_float() && to.is_float() => x,
        (from, D::I8 | D::U8 | D::I16 | D::U16 | D::I32 | D::I64) if from.is_float() => {
            v.saturated_int(x)
        }
        _ => return None,
    })
}

/// The greater (lesser) of two; if one is NaN, NaN or with `nan` false the other.
fn extreme(v: &mut Values, class: Class, greater: bool, nan: bool, a: Id, b: Id) -> Id {
    let op = match (class, greater) {
        (Class::Float, true) => Binary::MaxNum,
        (Class::Float, false) => Binary::MinNum,
        (Class::Int, true) => Binary::IntMax,
        (Class::Int, false) => Binary::IntMin,
        (Class::Uint, true) => Binary::UintMax,
        (Class::Uint, false) => Binary::UintMin,
    };
    if class != Class::Float {
        return v.add(Of::Binary(op, a, b));
    }
    // The instruction would return a signalling NaN, which only memory can contain, instead of the other operand.
    let [a, b] = [a, b].map(|x| if nan { x } else { v.quieted(x) });
    let number = v.add(Of::Binary(op, a, b));
    if !nan {
        return number;
    }
    let unordered = v.add(Of::Compare(Class::Float, Relation::Unordered, a, b));
    let sum = v.add(Of::Binary(Binary::Add, a, b));
    v.add(Of::Select(unordered, sum, number))
}

/// An op on truth values.
fn of_truth(v: &mut Values, op: &Op, x: &[Id], result: Elem) -> Option<Id> {
    let (a, b) = (x[0], *x.last()?);
    Some(match op.kind {
        K::And => v.add(Of::Logic(Logic::And, a, b)),
        K::Or => v.add(Of::Logic(Logic::Or, a, b)),
        K::Xor => v.add(Of::Logic(Logic::Xor, a, b)),
        K::Not => v.add(Of::Not(a)),
        K::Where if result != Elem::Data(DType::Bool) => v.add(Of::Select(a, *x.get(1)?, b)),
        K::Cast => {
            let Elem::Data(to) = result else { return None };
            let one = if to.is_float() { v.float(1.0) } else { v.add(Of::Const(1)) };
            let zero = v.add(Of::Const(0));
            v.add(Of::Select(a, one, zero))
        }
        _ => return None,
    })
}
