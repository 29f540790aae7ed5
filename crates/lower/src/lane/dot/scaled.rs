//! Products of scaled factors as products of the factors times their scales, in a type that holds these exactly but for
//! numbers near the ends of its range.

use trident_ir::op::TypeError;
use trident_ir::{Attr, Block, Builder, DType, Func, Literal, Op, OpKind as K, ValueId};

use crate::lane::error::Unsupported;

type Made<T> = Result<T, TypeError>;

/// Replaces the products of scaled factors in a function.
pub(in crate::lane) fn expand(func: &mut Func) -> Result<(), Unsupported> {
    let body = std::mem::take(&mut func.body);
    func.body = block(func, body)?;
    func.unique_names();
    Ok(())
}

fn block(func: &mut Func, block: Block) -> Result<Block, Unsupported> {
    let Block { params, ops, results } = block;
    let mut expanded = Vec::with_capacity(ops.len());
    for mut op in ops {
        for region in &mut op.regions {
            *region = self::block(func, std::mem::take(region))?;
        }
        match op.kind {
            K::DotScaled => expanded.extend(
                product(func, &op).map_err(|error| Unsupported::new(&op, error.to_string()))?,
            ),
            _ => expanded.push(op),
        }
    }
    Ok(Block { params, ops: expanded, results })
}

fn product(func: &mut Func, op: &Op) -> Made<Vec<Op>> {
    let b = Builder::new(func);
    let mut blocks = Blocks { b, op };
    blocks.b.loc = op.loc.clone();
    let dtype = blocks.exact();
    let a = blocks.factor(0, ("a_format", "a_k_pack"), 3, dtype)?;
    let b = blocks.factor(1, ("b_format", "b_k_pack"), 4, dtype)?;
    let inputs = vec![Some(a), Some(b), op.input(2)];
    blocks.b.push(Op::new(K::Dot, inputs, op.outputs.clone()))?;
    Ok(blocks.b.finish().ops)
}

struct Blocks<'f, 'o> {
    b: Builder<'f>,
    op: &'o Op,
}

impl Blocks<'_, '_> {
    /// A type that holds factors times their scales: bf16 if all have few enough digits.
    fn exact(&self) -> DType {
        let of = |i| self.op.input(i).and_then(|id| self.b.func.ty(id).dtype());
        let fine = [(0, 3), (1, 4)].iter().any(|&(factor, scale)| match of(factor) {
            Some(DType::F16) => true,
            Some(DType::BF16) => of(scale) == Some(DType::F8E4M3FN),
            _ => false,
        });
        if fine { DType::F32 } else { DType::BF16 }
    }

    /// A factor times its scale.
    fn factor(
        &mut self,
        i: usize,
        (format, k_pack): (&str, &str),
        scale: usize,
        dtype: DType,
    ) -> Made<ValueId> {
        let Some(mut x) = self.op.input(i) else { return Err(self.lacks(i)) };
        let is_packed = self.op.str(format) == Some("e2m1");
        if is_packed {
            // k is the last axis of a and the last but one of b.
            x = self.unpacked(x, self.op.flag(k_pack) == (i == 0))?;
        } else if self.b.func.ty(x).dtype() != Some(dtype) {
            x = self.cast(x, DType::F32)?;
        }
        if let Some(scale) = self.op.input(scale) {
            x = self.cast(x, DType::F32)?;
            x = self.scaled(x, scale, i == 1)?;
        }
        self.cast(x, dtype)
    }

    /// The numbers of which each byte holds two, the low half first, along the last axis or the one before it. Those up to 1.5
    /// are counts of halves, the others have an exponent.
    fn unpacked(&mut self, x: ValueId, along_columns: bool) -> Made<ValueId> {
        let dims = self.dims(x);
        let x = self.b.op(K::BitCast, &[x], &[("to", Attr::DType(DType::U8))])?;
        let low = self.with(K::BitwiseAnd, x, 15)?;
        let high = self.shifted(x, "RIGHT", 4)?;
        let mut both = self.b.op(K::Join, &[low, high], &[])?;
        let mut whole = dims.clone();
        let last = dims.len() - 1;
        let axis = if along_columns { last } else { last - 1 };
        whole[axis] *= 2;
        if !along_columns {
            let mut order: Vec<i64> = (0..=dims.len() as i64).collect();
            order.swap(last, last + 1);
            both = self.b.op(K::Permute, &[both], &[("order", Attr::Ints(order.into()))])?;
        }
        let code = self.shaped(K::View, both, &whole)?;
        let magnitude = self.with(K::BitwiseAnd, code, 7)?;
        let exponent = self.shifted(magnitude, "RIGHT", 1)?;
        let normal = self.with(K::Min, exponent, 1)?;
        let digit = self.with(K::BitwiseAnd, magnitude, 1)?;
        let leading = self.shifted(normal, "LEFT", 1)?;
        let digits = self.b.op(K::BitwiseOr, &[leading, digit], &[])?;
        let by = self.b.op(K::Sub, &[exponent, normal], &[])?;
        let halves = self.b.op(K::BitShift, &[digits, by], &[direction("LEFT")])?;
        let halves = self.cast(halves, DType::F32)?;
        let half = self.number(halves, DType::F32, 0.5)?;
        let value = self.b.op(K::Mul, &[halves, half], &[])?;
        let negative = self.b.op(K::Neg, &[value], &[])?;
        let eight = self.number(code, DType::U8, 8.0)?;
        let is_positive = self.b.op(K::Less, &[code, eight], &[])?;
        self.b.op(K::Where, &[is_positive, value, negative], &[])
    }

    /// Times the scale of the group along k: one for each row of a or column of b (`transposed`).
    fn scaled(&mut self, x: ValueId, scale: ValueId, transposed: bool) -> Made<ValueId> {
        let (dims, groups) = (self.dims(x), self.dims(scale));
        let (factor, least) = self.power(scale)?;
        let mut values = vec![];
        for value in [Some(factor), least].into_iter().flatten() {
            let mut along = dims.clone();
            let last = along.len() - 1;
            if transposed {
                along.swap(last, last - 1);
            }
            let each = along[last] / groups[last].max(1);
            let axis = [("axis", Attr::Int(groups.len() as i64))];
            let single = self.b.op(K::ExpandDims, &[value], &axis)?;
            let repeated = self.shaped(K::Broadcast, single, &[&groups[..], &[each]].concat())?;
            let mut value = self.shaped(K::View, repeated, &along)?;
            if transposed {
                let mut order: Vec<i64> = (0..along.len() as i64).collect();
                order.swap(last, last - 1);
                value = self.b.op(K::Permute, &[value], &[("order", Attr::Ints(order.into()))])?;
            }
            values.push(value);
        }
        let product = self.b.op(K::Mul, &[x, values[0]], &[])?;
        let Some(&least) = values.get(1) else { return Ok(product) };
        let half = self.number(product, DType::F32, 0.5)?;
        let halved = self.b.op(K::Mul, &[product, half], &[])?;
        self.b.op(K::Where, &[least, halved, product], &[])
    }

    /// Scales as f32. Of 2^-127, which GPUs may take for 0, they are twice as much, and the condition holds.
    fn power(&mut self, scale: ValueId) -> Made<(ValueId, Option<ValueId>)> {
        if self.b.func.ty(scale).dtype() == Some(DType::F8E4M3FN) {
            return Ok((self.cast(scale, DType::F32)?, None));
        }
        let bits = self.b.op(K::BitCast, &[scale], &[("to", Attr::DType(DType::U8))])?;
        let bits = self.cast(bits, DType::I32)?;
        let zero = self.number(bits, DType::I32, 0.0)?;
        let least = self.b.op(K::Equal, &[bits, zero], &[])?;
        let exponent = self.with(K::Max, bits, 1)?;
        let shifted = self.shifted(exponent, "LEFT", 23)?;
        let power = self.b.op(K::BitCast, &[shifted], &[("to", Attr::DType(DType::F32))])?;
        let none = self.number(bits, DType::I32, 255.0)?;
        let is_none = self.b.op(K::Equal, &[bits, none], &[])?;
        let nan = self.number(power, DType::F32, f64::NAN)?;
        Ok((self.b.op(K::Where, &[is_none, nan, power], &[])?, Some(least)))
    }

    fn dims(&self, x: ValueId) -> Vec<usize> {
        self.b.func.ty(x).dims().unwrap_or_default()
    }

    fn cast(&mut self, x: ValueId, to: DType) -> Made<ValueId> {
        match self.b.func.ty(x).dtype() == Some(to) {
            true => Ok(x),
            false => self.b.op(K::Cast, &[x], &[("to", Attr::DType(to))]),
        }
    }

    /// The number in every place of a block with the dimensions of `like`.
    fn number(&mut self, like: ValueId, dtype: DType, value: f64) -> Made<ValueId> {
        let dims = self.dims(like);
        let scalar = self.b.literal(Literal::number(dtype, value));
        self.shaped(K::Splat, scalar, &dims)
    }

    /// An op of a block and a number.
    fn with(&mut self, kind: K, x: ValueId, value: u8) -> Made<ValueId> {
        let dtype = self.b.func.ty(x).dtype().unwrap_or(DType::U8);
        let value = self.number(x, dtype, value.into())?;
        self.b.op(kind, &[x, value], &[])
    }

    fn shifted(&mut self, x: ValueId, to: &str, by: u8) -> Made<ValueId> {
        let dtype = self.b.func.ty(x).dtype().unwrap_or(DType::U8);
        let by = self.number(x, dtype, by.into())?;
        self.b.op(K::BitShift, &[x, by], &[direction(to)])
    }

    fn shaped(&mut self, kind: K, x: ValueId, dims: &[usize]) -> Made<ValueId> {
        let ty = self.b.func.ty(x).with_shape(Some(dims.iter().map(|&n| n.into()).collect()));
        Ok(self.b.declared(kind, &[x], &[], &[ty])?[0])
    }

    fn lacks(&self, index: usize) -> TypeError {
        let name = self.op.decl().operand(index).map_or("?", |operand| operand.name);
        TypeError::MissingOperand { op: self.op.decl().name, name, index }
    }
}

fn direction(to: &str) -> (&'static str, Attr) {
    ("direction", Attr::Str(to.into()))
}
