//! The shapes of a launch's results, determined before it.

use crate::{Fence, KernelError, Tensor, Unit, Value};
use trident_ir::shape::{MAX_ELEMS, Operand, Rule};
use trident_ir::{DType, Literal, Type};

/// The knowledge about an output before the launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutputShape {
    /// The output is unused.
    Unwanted,
    /// A tensor of this type.
    Known {
        /// Element type; never strings.
        dtype: DType,
        /// Dimensions.
        dims: Vec<usize>,
    },
    /// Known only after the launch: the output depends on operands' contents, or is not a tensor of numbers.
    AfterLaunch,
}

impl OutputShape {
    /// Whether a value matches.
    pub fn fits(&self, value: Option<&Value>) -> bool {
        match (self, value) {
            (OutputShape::Known { dtype, dims }, Some(Value::Tensor(t))) => {
                t.dtype() == *dtype && t.dims() == dims
            }
            (OutputShape::Known { .. }, _) => false,
            (OutputShape::Unwanted | OutputShape::AfterLaunch, _) => true,
        }
    }

    fn of(ty: Option<Type>) -> OutputShape {
        let Some(ty) = ty else { return OutputShape::Unwanted };
        match (ty.dtype(), ty.dims()) {
            (Some(dtype), Some(dims)) if dtype != DType::Str => OutputShape::Known { dtype, dims },
            _ => OutputShape::AfterLaunch,
        }
    }
}

/// Output shapes of a unit of one op, by the IR's shape rules.
#[derive(Clone, Debug)]
pub struct OpShapes {
    rule: Option<Rule>,
    outputs: usize,
}

impl OpShapes {
    /// The rule of the unit's op, with the constants it uses. Units of several ops have none.
    pub fn of(unit: &Unit<'_>) -> OpShapes {
        let constant = |v| (unit.constant)(v).and_then(|t| t.to_literal().ok());
        let rule = match unit.ops {
            [op] => Rule::new(unit.func, op, &constant),
            _ => None,
        };
        OpShapes { rule, outputs: unit.outputs.len() }
    }

    /// The output shapes for these operands; contents are used if they are few and available, but are not waited for.
    /// An error if the operands contradict each other, so that a launch could only fail.
    pub fn outputs(&self, inputs: &[Option<Value>]) -> Result<Vec<OutputShape>, KernelError> {
        let Some(rule) = &self.rule else {
            return Ok(vec![OutputShape::AfterLaunch; self.outputs]);
        };
        let operands: Vec<_> = inputs.iter().map(|v| operand(v.as_ref()?)).collect();
        let types = rule.results(&operands).map_err(|e| KernelError::shape(e.to_string()))?;
        Ok(types.into_iter().map(OutputShape::of).collect())
    }
}

/// The facts about an operand that a rule needs; containers count as declared.
fn operand(value: &Value) -> Option<Operand> {
    let tensor = value.as_tensor()?;
    Some(Operand { ty: tensor.ty(), value: contents(tensor) })
}

/// The elements of a small tensor, unless they are pending: this must not wait for them.
fn contents(tensor: &Tensor) -> Option<Literal> {
    let small = tensor.len() <= MAX_ELEMS && tensor.dtype() != DType::Str;
    let at_hand = tensor.fence().is_none_or(Fence::is_passed);
    if small && at_hand { tensor.to_literal().ok() } else { None }
}

#[cfg(all(test, not(feature = "models")))]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed unwrap fails the test
    use super::*;
    use crate::{Pool, Promise, Timeline};
    use trident_ir::{Func, Level, Op, OpKind};

    #[test]
    fn contents_count_once_they_are_at_hand() {
        let mut func = Func::new("f", Level::Graph);
        let x = Some(func.value("x", Type::unranked(DType::F32)));
        let to = Some(func.value("to", Type::unranked(DType::I64)));
        let y = Some(func.value("y", Type::unranked(DType::F32)));
        let pool = Pool::new();
        let ops = [Op::new(OpKind::Reshape, vec![x, to], vec![y])];
        let (inputs, outputs) = (vec![x, to], vec![y]);
        let unit =
            Unit { func: &func, ops: &ops, inputs, outputs, constant: &|_| None, pool: &pool };
        let shapes = OpShapes::of(&unit);
        let timeline = Timeline::new();
        let (to, promise) = Promise::new(DType::I64, &[2], timeline.submit());
        let x = Tensor::from_slice(&pool, &[6], &[0f32; 6]).unwrap();
        let operands = [Some(x.into()), Some(to.into())];
        assert_eq!(shapes.outputs(&operands).unwrap(), [OutputShape::AfterLaunch]);
        promise.keep(Tensor::from_slice(&pool, &[2], &[2i64, -1]).unwrap()).unwrap();
        timeline.end(Ok(()));
        let known = OutputShape::Known { dtype: DType::F32, dims: vec![2, 3] };
        assert_eq!(shapes.outputs(&operands).unwrap(), [known]);
    }
}
