//! What the results of a launch look like, told before it.

use crate::{KernelError, Tensor, Unit, Value};
use trident_ir::shape::{MAX_ELEMS, Operand, Rule};
use trident_ir::{DType, Literal, Type};

/// What is known of an output before the launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutputShape {
    /// Nobody asked for it.
    Unwanted,
    /// A tensor of this type.
    Known {
        /// Element type; never strings.
        dtype: DType,
        /// Dimensions.
        dims: Vec<usize>,
    },
    /// Only the launch tells: the output depends on operands' contents, or is no tensor of numbers.
    AfterLaunch,
}

impl OutputShape {
    /// Whether a value is as foretold.
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

/// Output shapes of a unit of one op, by the rules of the IR.
#[derive(Clone, Debug)]
pub struct OpShapes {
    rule: Option<Rule>,
    outputs: usize,
}

impl OpShapes {
    /// The rule of the unit's op with what is constant around it. Units of several ops have none.
    pub fn of(unit: &Unit<'_>) -> OpShapes {
        let constant = |v| (unit.constant)(v).and_then(|t| t.to_literal().ok());
        let rule = match unit.ops {
            [op] => Rule::new(unit.func, op, &constant),
            _ => None,
        };
        OpShapes { rule, outputs: unit.outputs.len() }
    }

    /// The shapes for these operands; contents count where they are few and at hand. An error if the operands
    /// contradict each other: the launch could only fail.
    pub fn outputs(&self, inputs: &[Option<Value>]) -> Result<Vec<OutputShape>, KernelError> {
        let Some(rule) = &self.rule else {
            return Ok(vec![OutputShape::AfterLaunch; self.outputs]);
        };
        let operands: Vec<_> = inputs.iter().map(|v| operand(v.as_ref()?)).collect();
        let types = rule.results(&operands).map_err(|e| KernelError::shape(e.to_string()))?;
        Ok(types.into_iter().map(OutputShape::of).collect())
    }
}

/// What a rule needs to know of an operand; containers count as declared.
fn operand(value: &Value) -> Option<Operand> {
    let tensor = value.as_tensor()?;
    Some(Operand { ty: tensor.ty(), value: contents(tensor) })
}

fn contents(tensor: &Tensor) -> Option<Literal> {
    let small = tensor.len() <= MAX_ELEMS && tensor.dtype() != DType::Str;
    if small { tensor.to_literal().ok() } else { None }
}
