//! Checks the inputs of a run against the model's parameters.

use crate::error::{InputError, RunError};
use trident_ir::{Dim, Literal, TensorType, Type, ValueInfo};
use trident_runtime::{Tensor, Value};

/// Names and types of inputs and outputs.
#[derive(Clone, Debug)]
pub struct Signature {
    /// Required inputs, in the model's order; those of optional type may be omitted.
    pub inputs: Vec<ValueInfo>,
    /// Inputs with defaults, in the model's order.
    pub optional: Vec<OptionalInput>,
    /// Outputs in the model's order.
    pub outputs: Vec<ValueInfo>,
}

/// An input with a default value.
#[derive(Clone, Debug)]
pub struct OptionalInput {
    /// Its name, and the type required of values given for it.
    pub info: ValueInfo,
    /// The default value.
    pub default: Literal,
}

/// The inputs of a run.
#[derive(Debug)]
pub(crate) struct Bound {
    /// The required inputs, followed by the optional ones that were given.
    pub(crate) values: Vec<Value>,
    /// Positions of the latter in the signature, ascending.
    pub(crate) given: Vec<usize>,
}

impl Signature {
    /// The input of this name, required or optional.
    pub fn find(&self, name: &str) -> Option<&ValueInfo> {
        self.all().find(|input| input.name == name)
    }

    /// All inputs, the optional ones last.
    pub fn all(&self) -> impl Iterator<Item = &ValueInfo> {
        self.inputs.iter().chain(self.optional.iter().map(|o| &o.info))
    }

    /// The values in the model's order, each checked by name, element type, rank and dimensions; named dimensions must
    /// have the same size everywhere. An input of optional type may be omitted.
    pub(crate) fn bind(&self, given: Vec<(&str, Value)>) -> Result<Bound, RunError> {
        self.check(given)
            .map_err(|error| RunError::Input { error: Box::new(error), hint: self.hint() })
    }

    fn check(&self, given: Vec<(&str, Value)>) -> Result<Bound, InputError> {
        let mut bound: Vec<Option<Value>> = vec![None; self.inputs.len() + self.optional.len()];
        for (name, value) in given {
            let at = self.all().position(|input| input.name == name);
            let name = || name.to_owned();
            let slot = at.and_then(|at| bound.get_mut(at));
            let slot = slot.ok_or_else(|| InputError::Unknown { name: name() })?;
            if slot.replace(value).is_some() {
                return Err(InputError::Twice { name: name() });
            }
        }
        let mut symbols = vec![];
        let (mut values, mut optional) = (vec![], vec![]);
        for (i, (input, value)) in self.all().zip(bound).enumerate() {
            match value {
                Some(value) => {
                    fits(input, &value, &mut symbols)?;
                    values.push(value);
                    optional.extend(i.checked_sub(self.inputs.len()));
                }
                None if i >= self.inputs.len() => {}
                None if matches!(input.ty, Type::Optional(_)) => values.push(Value::Optional(None)),
                None => {
                    let (name, expected) = (input.name.clone(), input.ty.to_string());
                    return Err(InputError::Missing { name, expected });
                }
            }
        }
        Ok(Bound { values, given: optional })
    }

    /// Checks dimensions by input name as [`bind`](Signature::bind) checks those of tensors. Inputs may be missing.
    pub fn check_dims(&self, given: &[(&str, Vec<usize>)]) -> Result<(), RunError> {
        let mut symbols = vec![];
        let check = |(name, dims): &(&str, Vec<usize>)| {
            let input =
                self.find(name).ok_or_else(|| InputError::Unknown { name: (*name).to_owned() })?;
            dims_fit(input, dims, &mut symbols)
        };
        given
            .iter()
            .try_for_each(check)
            .map_err(|error| RunError::Input { error: Box::new(error), hint: self.hint() })
    }

    /// The inputs, as a hint for the user.
    pub fn hint(&self) -> String {
        if self.all().next().is_none() {
            return "the model takes no inputs".into();
        }
        let list = |inputs: &mut dyn Iterator<Item = &ValueInfo>| -> String {
            inputs.map(|i| format!("{}: {}", i.name, i.ty)).collect::<Vec<_>>().join(", ")
        };
        let needed = list(&mut self.inputs.iter());
        match self.optional.is_empty() {
            true => format!("the model's inputs are {needed}"),
            false => {
                let optional = list(&mut self.optional.iter().map(|o| &o.info));
                format!("the model's inputs are {needed}; optional ones are {optional}")
            }
        }
    }
}

/// Sizes of named dimensions, each with its name and the input that determined it. Models have few.
type Symbols<'a> = Vec<(&'a str, usize, &'a str)>;

fn fits<'a>(
    input: &'a ValueInfo,
    value: &Value,
    symbols: &mut Symbols<'a>,
) -> Result<(), InputError> {
    match (value, &input.ty) {
        (Value::Tensor(tensor), Type::Tensor(ty)) => tensor_fits(input, tensor, ty, symbols),
        _ if value.fits(&input.ty) => Ok(()),
        _ => Err(InputError::Kind {
            name: input.name.clone(),
            actual: misfit(value, &input.ty),
            expected: input.ty.to_string(),
        }),
    }
}

/// The value that does not fit, down to the first item of a sequence that does not.
fn misfit(value: &Value, ty: &Type) -> String {
    match (value, ty) {
        (Value::Seq(items), Type::Seq(item)) => {
            let wrong = items.iter().enumerate().find(|(_, value)| !value.fits(item));
            match wrong {
                Some((i, value)) => format!("a sequence whose item {i} is {}", misfit(value, item)),
                None => value.describe(),
            }
        }
        (Value::Optional(Some(value)), Type::Optional(ty)) => {
            format!("an optional {}", misfit(value, ty))
        }
        (value, Type::Optional(ty)) if !matches!(value, Value::Optional(_)) => misfit(value, ty),
        (Value::Map(map), _) => {
            format!("a map of {} to {}", map.keys.dtype(), map.values.dtype())
        }
        _ => value.describe(),
    }
}

fn tensor_fits<'a>(
    input: &'a ValueInfo,
    tensor: &Tensor,
    ty: &'a TensorType,
    symbols: &mut Symbols<'a>,
) -> Result<(), InputError> {
    if tensor.dtype() != ty.dtype {
        let (actual, expected) = (tensor.dtype().to_string(), ty.dtype.to_string());
        return Err(InputError::DType { name: input.name.clone(), actual, expected });
    }
    dims_fit(input, tensor.dims(), symbols)
}

fn dims_fit<'a>(
    input: &'a ValueInfo,
    dims: &[usize],
    symbols: &mut Symbols<'a>,
) -> Result<(), InputError> {
    let (name, expected) = (|| input.name.clone(), || input.ty.to_string());
    let Some(shape) = input.ty.shape() else { return Ok(()) };
    if shape.len() != dims.len() {
        let (actual, rank) = (dims.len(), shape.len());
        return Err(InputError::Rank { name: name(), actual, rank, expected: expected() });
    }
    for (axis, (dim, &actual)) in shape.iter().zip(dims).enumerate() {
        match dim {
            Dim::Fixed(dim) if *dim != actual => {
                let (dim, expected) = (*dim, expected());
                return Err(InputError::Dim { name: name(), axis, actual, dim, expected });
            }
            Dim::Sym(symbol) => {
                let known = symbols.iter().find(|(name, ..)| *name == &**symbol);
                let Some(&(_, bound, other)) = known else {
                    symbols.push((symbol, actual, &input.name));
                    continue;
                };
                if bound != actual {
                    let (symbol, other) = (symbol.to_string(), other.to_owned());
                    let name = name();
                    return Err(InputError::Symbol { name, axis, symbol, actual, bound, other });
                }
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use trident_ir::DType;
    use trident_runtime::Pool;

    fn info(name: &str, ty: Type) -> ValueInfo {
        ValueInfo { name: name.into(), ty }
    }

    fn zeros(dtype: DType, dims: &[usize]) -> Value {
        Tensor::alloc(&Pool::new(), dtype, dims).unwrap().into()
    }

    fn signature() -> Signature {
        let n = Dim::sym("N");
        Signature {
            inputs: vec![
                info("x", Type::tensor(DType::F32, [n.clone(), Dim::Fixed(3)])),
                info("y", Type::tensor(DType::I64, [n])),
                info("z", Type::Optional(Box::new(Type::unranked(DType::F32)))),
            ],
            optional: vec![OptionalInput {
                info: info("w", Type::tensor(DType::F32, [Dim::sym("N")])),
                default: Literal::vector(&[1.0f32]),
            }],
            outputs: vec![],
        }
    }

    fn error(given: &[(&str, Value)]) -> InputError {
        match signature().bind(given.to_vec()) {
            Err(RunError::Input { error, hint }) => {
                assert!(hint.contains("x: f32[N, 3]"), "{hint}");
                *error
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn each_violation_is_its_own_error() {
        let x = || ("x", zeros(DType::F32, &[2, 3]));
        let y = || ("y", zeros(DType::I64, &[2]));
        let bound = signature().bind(vec![y(), x()]).unwrap();
        assert_eq!((bound.values.len(), bound.given), (3, vec![]));
        let w = |n| ("w", zeros(DType::F32, &[n]));
        let bound = signature().bind(vec![w(2), y(), x()]).unwrap();
        assert_eq!((bound.values.len(), bound.given), (4, vec![0]));
        assert!(matches!(error(&[w(3), x(), y()]), InputError::Symbol { .. }));
        assert!(matches!(error(&[x()]), InputError::Missing { name, .. } if name == "y"));
        assert!(matches!(error(&[x(), x(), y()]), InputError::Twice { .. }));
        assert!(matches!(error(&[("v", zeros(DType::F32, &[]))]), InputError::Unknown { .. }));
        let with_x = |dtype, dims: &[usize]| error(&[("x", zeros(dtype, dims)), y()]);
        assert!(matches!(with_x(DType::F64, &[2, 3]), InputError::DType { .. }));
        assert!(matches!(with_x(DType::F32, &[2]), InputError::Rank { actual: 1, rank: 2, .. }));
        assert!(matches!(with_x(DType::F32, &[2, 4]), InputError::Dim { axis: 1, .. }));
        let other = error(&[("x", zeros(DType::F32, &[5, 3])), y()]);
        assert_eq!(
            other.to_string(),
            "input `y`: dimension 0 (`N`) is 2, but `N` is 5 in input `x`"
        );
        let kind = error(&[("x", Value::seq(vec![])), y()]);
        assert_eq!(kind.to_string(), "input `x` is a sequence of 0, expected f32[N, 3]");
    }

    #[test]
    fn dimensions_alone_are_checked_as_those_of_tensors() {
        let check = |given: &[(&str, Vec<usize>)]| signature().check_dims(given);
        assert!(check(&[("x", vec![2, 3]), ("y", vec![2])]).is_ok());
        for bad in [[("x", vec![2, 4]), ("y", vec![2])], [("x", vec![2, 3]), ("y", vec![5])]] {
            assert!(matches!(check(&bad), Err(RunError::Input { .. })), "{bad:?}");
        }
        assert!(check(&[("w", vec![])]).is_err());
    }
}
