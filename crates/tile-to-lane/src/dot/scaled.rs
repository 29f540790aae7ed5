//! Products of scaled factors as products of the factors times their scales, in a type that holds these exactly, except
//! numbers near the ends of its range.

use trident_ir::op::words::ScaledFormat;
use trident_ir::op::words::ShiftDirection;
use trident_ir::op::{New, TypeError};
use trident_ir::{Block, Builder, DType, Func, Literal, Op, OpKind as K, ValueId, ops};

use crate::error::Unsupported;

type Made<T> = Result<T, TypeError>;

/// Replaces the products of scaled factors in a function.
pub(crate) fn expand(func: &mut Func) -> Result<(), Unsupported> {
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
        match ops::DotScaled::of(&op) {
            Some(dot) => expanded.extend(
                product(func, dot).map_err(|error| Unsupported::new(&op, error.to_string()))?,
            ),
            None => expanded.push(op),
        }
    }
    Ok(Block { params, ops: expanded, results })
}

fn product(func: &mut Func, op: ops::DotScaled<'_>) -> Made<Vec<Op>> {
    let mut blocks = Blocks { b: Builder::new(func) };
    blocks.b.loc = op.as_op().loc.clone();
    let of = |x, scale, format, k_pack, is_right| Factor {
        x,
        scale,
        is_packed: format == ScaledFormat::E2M1,
        k_pack,
        is_right,
    };
    let a = of(op.a(), op.a_scale(), op.a_format(), op.a_k_pack(), false);
    let b = of(op.b(), op.b_scale(), op.b_format(), op.b_k_pack(), true);
    let dtype = blocks.exact(&[a, b]);
    let (a, b) = (blocks.factor(a, dtype)?, blocks.factor(b, dtype)?);
    let mut dot = ops::Dot::new(a, b, op.c()).into_op();
    dot.outputs = op.as_op().outputs.clone();
    blocks.b.push(dot)?;
    Ok(blocks.b.finish().ops)
}

/// A factor as the op has it.
#[derive(Clone, Copy)]
struct Factor {
    x: ValueId,
    scale: Option<ValueId>,
    /// Whether a byte holds two numbers.
    is_packed: bool,
    /// Whether these are neighbours along k.
    k_pack: bool,
    /// Whether it is the right one.
    is_right: bool,
}

struct Blocks<'f> {
    b: Builder<'f>,
}

impl Blocks<'_> {
    /// A type that holds factors times their scales: bf16 if all have few enough digits.
    fn exact(&self, factors: &[Factor]) -> DType {
        let of = |id| self.b.func.ty(id).dtype();
        let fine = factors.iter().any(|factor| match of(factor.x) {
            Some(DType::F16) => true,
            Some(DType::BF16) => factor.scale.and_then(of) == Some(DType::F8E4M3FN),
            _ => false,
        });
        if fine { DType::F32 } else { DType::BF16 }
    }

    /// A factor times its scale.
    fn factor(&mut self, factor: Factor, dtype: DType) -> Made<ValueId> {
        let Factor { mut x, scale, is_packed, k_pack, is_right } = factor;
        if is_packed {
            // k is the last axis of a and the last but one of b.
            x = self.unpacked(x, k_pack != is_right)?;
        } else if self.b.func.ty(x).dtype() != Some(dtype) {
            x = self.cast(x, DType::F32)?;
        }
        if let Some(scale) = scale {
            x = self.cast(x, DType::F32)?;
            x = self.scaled(x, scale, is_right)?;
        }
        self.cast(x, dtype)
    }

    /// The numbers packed two to a byte, the low half first, along the last axis or the one before it. Numbers up to
    /// 1.5 are multiples of 0.5; the others have an exponent.
    fn unpacked(&mut self, x: ValueId, along_columns: bool) -> Made<ValueId> {
        let dims = self.dims(x);
        let x = self.bitcast(x, DType::U8)?;
        let low = self.with(K::BitwiseAnd, x, 15)?;
        let high = self.shift_right(x, 4)?;
        let mut both = self.b.add(ops::Join::new(low, high))?;
        let mut whole = dims.clone();
        let last = dims.len() - 1;
        let axis = if along_columns { last } else { last - 1 };
        whole[axis] *= 2;
        if !along_columns {
            let mut order: Vec<i64> = (0..=dims.len() as i64).collect();
            order.swap(last, last + 1);
            both = self.b.add(ops::Permute::new(both).order(order))?;
        }
        let code = self.shaped(ops::View::new(both), both, &whole)?;
        let magnitude = self.with(K::BitwiseAnd, code, 7)?;
        let exponent = self.shift_right(magnitude, 1)?;
        let normal = self.with(K::Min, exponent, 1)?;
        let digit = self.with(K::BitwiseAnd, magnitude, 1)?;
        let leading = self.shift_left(normal, 1)?;
        let digits = self.b.op(K::BitwiseOr, &[leading, digit])?;
        let by = self.b.op(K::Sub, &[exponent, normal])?;
        let halves = self.b.add(left(digits, by))?;
        let halves = self.cast(halves, DType::F32)?;
        let half = self.number(halves, DType::F32, 0.5)?;
        let value = self.b.op(K::Mul, &[halves, half])?;
        let negative = self.b.op(K::Neg, &[value])?;
        let eight = self.number(code, DType::U8, 8.0)?;
        let is_positive = self.b.op(K::Less, &[code, eight])?;
        self.b.op(K::Where, &[is_positive, value, negative])
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
            let single = self.b.add(ops::ExpandDims::new(value).axis(groups.len() as i64))?;
            let spread = [&groups[..], &[each]].concat();
            let repeated = self.shaped(ops::Broadcast::new(single), single, &spread)?;
            let mut value = self.shaped(ops::View::new(repeated), repeated, &along)?;
            if transposed {
                let mut order: Vec<i64> = (0..along.len() as i64).collect();
                order.swap(last, last - 1);
                value = self.b.add(ops::Permute::new(value).order(order))?;
            }
            values.push(value);
        }
        let product = self.b.op(K::Mul, &[x, values[0]])?;
        let Some(&least) = values.get(1) else { return Ok(product) };
        let half = self.number(product, DType::F32, 0.5)?;
        let halved = self.b.op(K::Mul, &[product, half])?;
        self.b.op(K::Where, &[least, halved, product])
    }

    /// Scales as f32. GPUs may treat 2^-127 as 0, so it is doubled, and the condition holds there.
    fn power(&mut self, scale: ValueId) -> Made<(ValueId, Option<ValueId>)> {
        if self.b.func.ty(scale).dtype() == Some(DType::F8E4M3FN) {
            return Ok((self.cast(scale, DType::F32)?, None));
        }
        let bits = self.bitcast(scale, DType::U8)?;
        let bits = self.cast(bits, DType::I32)?;
        let zero = self.number(bits, DType::I32, 0.0)?;
        let least = self.b.op(K::Equal, &[bits, zero])?;
        let exponent = self.with(K::Max, bits, 1)?;
        let shifted = self.shift_left(exponent, 23)?;
        let power = self.bitcast(shifted, DType::F32)?;
        let none = self.number(bits, DType::I32, 255.0)?;
        let is_none = self.b.op(K::Equal, &[bits, none])?;
        let nan = self.number(power, DType::F32, f64::NAN)?;
        Ok((self.b.op(K::Where, &[is_none, nan, power])?, Some(least)))
    }

    fn dims(&self, x: ValueId) -> Vec<usize> {
        self.b.func.ty(x).dims().unwrap_or_default()
    }

    fn cast(&mut self, x: ValueId, to: DType) -> Made<ValueId> {
        match self.b.func.ty(x).dtype() == Some(to) {
            true => Ok(x),
            false => self.b.add(ops::Cast::new(x).to(to)),
        }
    }

    fn bitcast(&mut self, x: ValueId, to: DType) -> Made<ValueId> {
        self.b.add(ops::BitCast::new(x).to(to))
    }

    /// The number in every place of a block with the dimensions of `like`.
    fn number(&mut self, like: ValueId, dtype: DType, value: f64) -> Made<ValueId> {
        let dims = self.dims(like);
        let scalar = self.b.literal(Literal::number(dtype, value));
        self.shaped(ops::Splat::new(scalar), scalar, &dims)
    }

    /// An op of a block and a number.
    fn with(&mut self, kind: K, x: ValueId, value: u8) -> Made<ValueId> {
        let dtype = self.b.func.ty(x).dtype().unwrap_or(DType::U8);
        let value = self.number(x, dtype, value.into())?;
        self.b.op(kind, &[x, value])
    }

    fn shift_left(&mut self, x: ValueId, by: u8) -> Made<ValueId> {
        let dtype = self.b.func.ty(x).dtype().unwrap_or(DType::U8);
        let by = self.number(x, dtype, by.into())?;
        self.b.add(left(x, by))
    }

    fn shift_right(&mut self, x: ValueId, by: u8) -> Made<ValueId> {
        let dtype = self.b.func.ty(x).dtype().unwrap_or(DType::U8);
        let by = self.number(x, dtype, by.into())?;
        self.b.add(ops::BitShift::new(x, by).direction(ShiftDirection::Right))
    }

    /// Appends an op whose result has the element type of `like` and these dimensions.
    fn shaped<V>(&mut self, new: New<V>, like: ValueId, dims: &[usize]) -> Made<ValueId> {
        let ty = self.b.func.ty(like).with_shape(Some(dims.iter().map(|&n| n.into()).collect()));
        self.b.add_as(new, ty)
    }
}

fn left(x: ValueId, by: ValueId) -> New<ops::BitShift<'static>> {
    ops::BitShift::new(x, by).direction(ShiftDirection::Left)
}
