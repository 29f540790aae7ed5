//! The rules of one op alone, for operands that are at hand.

use super::known::{Known, MAX_ELEMS};
use super::{Infer, ShapeError};
use crate::func::ValueInfo;
use crate::{Block, Func, Literal, Op, OpKind, Type, ValueId};
use std::collections::HashMap;

/// The known facts about one operand of a launch.
#[derive(Clone, Debug)]
pub struct Operand {
    /// Its type.
    pub ty: Type,
    /// Its elements, if available. Shapes depend on the elements of small tensors only ([`MAX_ELEMS`]).
    pub value: Option<Literal>,
}

/// An op apart from its function: what its results are for given operands.
#[derive(Clone, Debug)]
pub struct Rule {
    /// The op over a function that has its operands and results alone.
    op: Op,
    func: Func,
    /// Operands that are constant, by value.
    known: Vec<Option<Known>>,
}

impl Rule {
    /// The rule of an op of `func`, some of whose operands are constant. `None` for control flow, whose results follow
    /// from what its regions do.
    pub fn new(
        func: &Func,
        op: &Op,
        constant: &dyn Fn(ValueId) -> Option<Literal>,
    ) -> Option<Rule> {
        if !op.regions.is_empty() && op.kind != OpKind::Fused {
            return None;
        }
        let mut values: Vec<ValueInfo> = vec![];
        let mut known = vec![];
        let mut own = |value: &Option<ValueId>, constant: &dyn Fn(ValueId) -> Option<Literal>| {
            let value = (*value)?;
            values.push(func.info(value).clone());
            let small = func.ty(value).dims().is_some_and(|d| super::known::size(&d).is_some());
            let literal = if small { constant(value) } else { None };
            known.push(literal.as_ref().and_then(Known::of));
            Some(ValueId((values.len() - 1) as u32))
        };
        let mut op = op.clone();
        op.inputs = op.inputs.iter().map(|v| own(v, constant)).collect();
        op.outputs = op.outputs.iter().map(|v| own(v, &|_| None)).collect();
        let mut inner = HashMap::new();
        for region in &mut op.regions {
            rename(region, &mut |v| {
                *inner.entry(v).or_insert_with(|| own(&Some(v), &|_| None).unwrap_or(v))
            });
        }
        let func = Func { values, ..Func::new(func.name.clone(), func.level) };
        Some(Rule { op, func, known })
    }

    /// Types of the results in order, `None` for unused ones. Where `operands` has no entry, the function's declared
    /// type counts. An error if the operands contradict each other, because a launch could only fail.
    pub fn results(&self, operands: &[Option<Operand>]) -> Result<Vec<Option<Type>>, ShapeError> {
        let (mut func, mut known) = (self.func.clone(), self.known.clone());
        for (value, operand) in self.op.inputs.iter().zip(operands) {
            let (Some(value), Some(operand)) = (value, operand) else { continue };
            func.values[value.index()].ty = operand.ty.clone();
            if let Some(literal) = operand.value.as_ref().filter(|l| l.len() <= MAX_ELEMS) {
                known[value.index()] = Known::of(literal);
            }
        }
        Infer { func: &mut func, known }.op(&self.op)?;
        Ok(self.op.outputs.iter().map(|v| v.map(|v| func.ty(v).clone())).collect())
    }
}

/// Gives all values of a region other numbers.
fn rename(region: &mut Block, number: &mut dyn FnMut(ValueId) -> ValueId) {
    region.params.iter_mut().for_each(|v| *v = number(*v));
    for op in &mut region.ops {
        op.inputs.iter_mut().chain(&mut op.outputs).flatten().for_each(|v| *v = number(*v));
    }
    region.results.iter_mut().for_each(|v| *v = number(*v));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DType, Level, OpKind};

    #[test]
    fn results_follow_from_operands_at_hand() {
        let mut func = Func::new("f", Level::Graph);
        let x = func.value("x", Type::unranked(DType::F32));
        let to = func.value("to", Type::unranked(DType::I64));
        let y = func.value("y", Type::unranked(DType::F32));
        let op = Op::new(OpKind::Reshape, vec![Some(x), Some(to)], vec![Some(y)]);
        let rule = Rule::new(&func, &op, &|_| None).unwrap();
        let operand = |ty: Type, value| Some(Operand { ty, value });
        let x = operand(Type::fixed(DType::F32, &[6, 4]), None);
        let shape = Literal::vector(&[-1i64, 8]);
        let known = operand(Type::fixed(DType::I64, &[2]), Some(shape));
        let results = rule.results(&[x.clone(), known]).unwrap();
        assert_eq!(results, [Some(Type::fixed(DType::F32, &[3, 8]))]);
        let unknown = operand(Type::fixed(DType::I64, &[2]), None);
        let results = rule.results(&[x.clone(), unknown]).unwrap();
        assert_eq!(results[0].as_ref().and_then(Type::dims), None);
        let wrong = operand(Type::fixed(DType::I64, &[1]), Some(Literal::vector(&[5i64])));
        assert!(rule.results(&[x, wrong]).is_err());
    }

    #[test]
    fn constant_operands_need_not_be_handed_over() {
        let mut func = Func::new("f", Level::Graph);
        let x = func.value("x", Type::unranked(DType::F32));
        let to = func.value("to", Type::fixed(DType::I64, &[1]));
        let y = func.value("y", Type::unranked(DType::F32));
        let op = Op::new(OpKind::Reshape, vec![Some(x), Some(to)], vec![Some(y)]);
        let constant = |v: ValueId| (v == to).then(|| Literal::vector(&[-1i64]));
        let rule = Rule::new(&func, &op, &constant).unwrap();
        let x = Operand { ty: Type::fixed(DType::F32, &[6, 4]), value: None };
        assert_eq!(rule.results(&[Some(x), None]).unwrap(), [Some(Type::fixed(DType::F32, &[24]))]);
    }
}
