//! Divisions of several elements by one divisor, as in a softmax by its sum. A correctly rounded division has a branch
//! for numbers out of range, so a thread's divisions run one after the other. A product with the reciprocal, followed
//! by a correction, gives the same bits with one branch for all elements.

use std::collections::{HashMap, HashSet};
use std::mem;

use trident_ir::op::TypeError;
use trident_ir::{Block, Builder, DType, Func, Literal, Loc, Op, OpKind as K, ValueId};

/// The least number of divisions that are worth a branch of their own.
const LEAST: usize = 4;

/// The range of divisors (and the range of dividends' magnitudes, besides 0) in which no quotient overflows and neither
/// quotients nor remainders are subnormal: a remainder is a multiple of 2^(e - 47) for a dividend of exponent e.
const DIVISORS: [f32; 2] = [power_of_two(-24), power_of_two(24)];
const DIVIDENDS: [f32; 2] = [power_of_two(-78), power_of_two(100)];

const fn power_of_two(exponent: i32) -> f32 {
    f32::from_bits(((exponent + 127) as u32) << 23)
}

type Result<T> = std::result::Result<T, TypeError>;

/// Divisions that are computed together.
struct Group {
    divisor: ValueId,
    divisions: Vec<Division>,
    /// The first op that takes one of the results.
    place: usize,
    loc: Option<Loc>,
}

struct Division {
    dividend: ValueId,
    result: ValueId,
}

/// A divisor in a block: its reciprocal, that with the other sign, and whether the divisor is in range.
#[derive(Clone, Copy)]
struct Divisor {
    value: ValueId,
    reciprocal: ValueId,
    negated: ValueId,
    in_range: ValueId,
}

/// Computes divisions of a lane function by the same divisor together.
pub(super) fn share(func: &mut Func) -> Result<()> {
    let mut body = mem::take(&mut func.body);
    let shared = in_block(func, &mut body);
    func.body = body;
    shared
}

fn in_block(func: &mut Func, block: &mut Block) -> Result<()> {
    for region in block.ops.iter_mut().flat_map(|op| &mut op.regions) {
        in_block(func, region)?;
    }
    let groups = groups(func, block);
    let replaced: HashSet<ValueId> =
        groups.iter().flat_map(|group| &group.divisions).map(|division| division.result).collect();
    let mut groups = groups.into_iter().peekable();
    let mut divisors = HashMap::new();
    for (at, op) in mem::take(&mut block.ops).into_iter().map(Some).chain([None]).enumerate() {
        while let Some(group) = groups.next_if(|group| group.place == at) {
            block.ops.extend(together(func, &group, &mut divisors)?);
        }
        let kept = |op: &Op| op.output(0).is_none_or(|id| !replaced.contains(&id));
        block.ops.extend(op.filter(kept));
    }
    Ok(())
}

/// The groups of a block by their places. A division joins the last group of its divisor if its dividend is there at the place
/// of the group.
fn groups(func: &Func, block: &Block) -> Vec<Group> {
    let firsts = first_uses(block);
    let is_f32 = |id| func.ty(id).dtype() == Some(DType::F32);
    // The op from which on values of this block are available. The position of a group moves forward while it grows.
    let mut since: HashMap<ValueId, usize> = HashMap::new();
    let mut groups: Vec<Group> = vec![];
    let mut last: HashMap<ValueId, usize> = HashMap::new();
    for (at, op) in block.ops.iter().enumerate() {
        since.extend(op.defined().map(|id| (id, at)));
        let (K::Div, [Some(dividend), Some(divisor)], Some(result)) =
            (op.kind, &op.inputs[..], op.output(0))
        else {
            continue;
        };
        if !is_f32(result) {
            continue;
        }
        let (dividend, divisor) = (*dividend, *divisor);
        let place = firsts.get(&result).copied().unwrap_or(block.ops.len());
        let own = Group { divisor, divisions: vec![], place, loc: op.loc.clone() };
        let is_there = |group: &Group| since.get(&dividend).is_none_or(|&at| at < group.place);
        let joined = last.get(&divisor).copied().filter(|&i| is_there(&groups[i]));
        let i = joined.unwrap_or_else(|| {
            groups.push(own);
            last.insert(divisor, groups.len() - 1);
            groups.len() - 1
        });
        let group = &mut groups[i];
        group.place = group.place.min(place);
        group.divisions.push(Division { dividend, result });
        since.insert(result, group.place);
    }
    groups.retain(|group| group.divisions.len() >= LEAST);
    groups.sort_by_key(|group| group.place);
    groups
}

/// The first op of the block that takes a value, in its regions or itself.
fn first_uses(block: &Block) -> HashMap<ValueId, usize> {
    fn visit(op: &Op, see: &mut dyn FnMut(ValueId)) {
        op.used().for_each(&mut *see);
        for region in &op.regions {
            region.ops.iter().for_each(|op| visit(op, see));
            region.results.iter().copied().for_each(&mut *see);
        }
    }
    let mut firsts = HashMap::new();
    for (at, op) in block.ops.iter().enumerate() {
        visit(op, &mut |id| {
            firsts.entry(id).or_insert(at);
        });
    }
    firsts
}

/// The divisions of a group: by products if all operands are in range, else as they were.
fn together(
    func: &mut Func,
    group: &Group,
    divisors: &mut HashMap<ValueId, Divisor>,
) -> Result<Vec<Op>> {
    let mut b = Builder::new(func);
    b.loc = group.loc.clone();
    let divisor = match divisors.get(&group.divisor) {
        Some(known) => *known,
        None => *divisors.entry(group.divisor).or_insert(Divisor::of(&mut b, group.divisor)?),
    };
    let range = Range::of(&mut b, DIVIDENDS);
    let zero = b.literal(Literal::scalar(0.0f32));
    let mut in_range = divisor.in_range;
    for Division { dividend, .. } in &group.divisions {
        let size = b.op(K::Abs, &[*dividend])?;
        let is_zero = b.op(K::Equal, &[*dividend, zero])?;
        let from_least = b.op(K::GreaterOrEqual, &[size, range.least])?;
        let from_least = b.op(K::Or, &[from_least, is_zero])?;
        let to_most = b.op(K::LessOrEqual, &[size, range.most])?;
        in_range = b.op(K::And, &[in_range, from_least])?;
        in_range = b.op(K::And, &[in_range, to_most])?;
    }
    let mut ops = b.finish().ops;
    let products = each(func, group, |b, dividend| divisor.divide(b, dividend))?;
    let quotients = each(func, group, |b, dividend| b.op(K::Div, &[dividend, divisor.value]))?;

    let results = group.divisions.iter().map(|division| Some(division.result)).collect();
    let mut either = Op::new(K::If, vec![Some(in_range)], results);
    either.regions = vec![products, quotients];
    either.loc = group.loc.clone();
    ops.push(either);
    Ok(ops)
}

/// A region that yields a quotient for each dividend.
fn each(
    func: &mut Func,
    group: &Group,
    divide: impl Fn(&mut Builder<'_>, ValueId) -> Result<ValueId>,
) -> Result<Block> {
    let mut b = Builder::new(func);
    b.loc = group.loc.clone();
    let dividends = group.divisions.iter().map(|division| division.dividend);
    let results = dividends.map(|dividend| divide(&mut b, dividend)).collect::<Result<_>>()?;
    Ok(Block { results, ..b.finish() })
}

struct Range {
    least: ValueId,
    most: ValueId,
}

impl Range {
    fn of(b: &mut Builder<'_>, [least, most]: [f32; 2]) -> Range {
        Range { least: b.literal(Literal::scalar(least)), most: b.literal(Literal::scalar(most)) }
    }
}

impl Divisor {
    /// Divisors of the other sign are left out: the sign of 0 would be lost.
    fn of(b: &mut Builder<'_>, value: ValueId) -> Result<Divisor> {
        let range = Range::of(b, DIVISORS);
        let one = b.literal(Literal::scalar(1.0f32));
        let reciprocal = b.op(K::Div, &[one, value])?;
        let negated = b.op(K::Neg, &[reciprocal])?;
        let from_least = b.op(K::GreaterOrEqual, &[value, range.least])?;
        let to_most = b.op(K::LessOrEqual, &[value, range.most])?;
        let in_range = b.op(K::And, &[from_least, to_most])?;
        Ok(Divisor { value, reciprocal, negated, in_range })
    }

    /// The quotient in range, rounded correctly, as the reciprocal is (Markstein; Brisebarre, Muller and Raina,
    /// "Accelerating correctly rounded floating-point division when the divisor is known in advance", 2004). The
    /// remainder is computed with the opposite sign, so that a quotient of -0 is preserved.
    fn divide(self, b: &mut Builder<'_>, dividend: ValueId) -> Result<ValueId> {
        let quotient = b.op(K::Mul, &[dividend, self.reciprocal])?;
        let less = b.op(K::Neg, &[dividend])?;
        let beyond = b.op(K::Fma, &[quotient, self.value, less])?;
        b.op(K::Fma, &[beyond, self.negated, quotient])
    }
}
