//! Plans of one launch: they run without the machinery of a run, where the device has a direct way to do so.

use crate::plan::{Plan, Source, Work};
use crate::signature::Signature;
use std::sync::Arc;
use trident_ir::{DType, Dim, Type};
use trident_runtime::{Executable, TensorView, TensorViewMut, Value};

/// The most operands of a direct launch. They are listed without an allocation.
const MOST: usize = 8;

/// The only launch of a plan: it takes the function's inputs and constants, and its results are the outputs, in their order.
pub(crate) struct OnlyLaunch {
    exe: Arc<dyn Executable>,
    operands: Vec<Origin>,
    outputs: usize,
    inputs: Vec<InputType>,
    /// Axes of inputs that must have the same length.
    same: Vec<[Axis; 2]>,
}

/// The position of an input, and one of its axes.
type Axis = (usize, usize);

/// The origin of an operand.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Origin {
    Input(usize),
    Constant(usize),
}

/// The declared type of an input.
struct InputType {
    dtype: DType,
    /// Lengths of axes where they are fixed; `None` if the rank is open.
    dims: Option<Vec<Option<usize>>>,
}

impl OnlyLaunch {
    /// The only launch of a plan; `None` if the plan has several steps, or one that is not such a launch.
    pub(crate) fn of(plan: &Plan, signature: &Signature) -> Option<OnlyLaunch> {
        let [step] = &plan.body.steps[..] else { return None };
        let Work::Kernel(exe) = &step.work else { return None };
        let operands = step.inputs.iter().map(|operand| match operand.source {
            Source::Absent => None,
            Source::Constant(at) => Some(Origin::Constant(at)),
            Source::Value(place) => {
                let input = plan.body.params.iter().position(|param| *param == Some(place))?;
                Some(Origin::Input(input))
            }
        });
        let operands = operands.collect::<Option<Vec<_>>>().filter(|all| all.len() <= MOST)?;
        let outputs = step.outputs.iter().map(|place| (*place).map(Source::Value));
        let results = plan.body.results.iter().map(|result| Some(result.source));
        if !outputs.eq(results) {
            return None;
        }
        let (inputs, same) = declared(signature)?;
        let outputs = step.outputs.len();
        Some(OnlyLaunch { exe: Arc::clone(exe), operands, outputs, inputs, same })
    }

    /// Computes the outputs in the caller's memory; false if that is not possible, see [`Executable::direct`].
    pub(crate) fn run(
        &self,
        plan: &Plan,
        inputs: &[TensorView<'_>],
        outputs: &mut [TensorViewMut<'_>],
    ) -> bool {
        if !self.fits(inputs) || outputs.len() != self.outputs {
            return false;
        }
        let own = self.operands.iter().copied().eq((0..inputs.len()).map(Origin::Input));
        if own {
            return self.exe.direct(inputs, outputs);
        }
        let Some(mut operands) = TensorView::new(DType::Bool, &[0], &[]).map(|it| [it; MOST])
        else {
            return false;
        };
        for (operand, origin) in operands.iter_mut().zip(&self.operands) {
            let found = match *origin {
                Origin::Input(at) => inputs.get(at).copied(),
                Origin::Constant(at) => {
                    let constant = plan.constants.get(at).and_then(Option::as_ref);
                    constant.and_then(Value::as_tensor).and_then(|tensor| tensor.view().ok())
                }
            };
            match found {
                Some(found) => *operand = found,
                None => return false,
            }
        }
        self.exe.direct(&operands[..self.operands.len()], outputs)
    }

    /// Whether inputs have the declared types.
    fn fits(&self, inputs: &[TensorView<'_>]) -> bool {
        let fits = |(input, ty): (&TensorView<'_>, &InputType)| {
            let dims = ty.dims.as_deref().is_none_or(|dims| {
                let mut axes = dims.iter().zip(input.dims());
                dims.len() == input.dims().len()
                    && axes.all(|(dim, actual)| dim.is_none_or(|dim| dim == *actual))
            });
            dims && input.dtype() == ty.dtype
        };
        let length = |(input, axis): Axis| inputs.get(input)?.dims().get(axis).copied();
        inputs.len() == self.inputs.len()
            && inputs.iter().zip(&self.inputs).all(fits)
            && self.same.iter().all(|[a, b]| length(*a) == length(*b))
    }
}

/// The declared types of inputs, and the axes that share a named dimension; `None` if an input is not a tensor.
fn declared(signature: &Signature) -> Option<(Vec<InputType>, Vec<[Axis; 2]>)> {
    let (mut inputs, mut same) = (vec![], vec![]);
    let mut named: Vec<(&str, Axis)> = vec![];
    for (i, input) in signature.inputs.iter().enumerate() {
        let Type::Tensor(ty) = &input.ty else { return None };
        let shape = input.ty.shape();
        for (axis, dim) in shape.into_iter().flatten().enumerate() {
            let Dim::Sym(name) = dim else { continue };
            match named.iter().find(|(known, _)| *known == &**name) {
                Some((_, first)) => same.push([*first, (i, axis)]),
                None => named.push((name, (i, axis))),
            }
        }
        let fixed = |dim: &Dim| if let Dim::Fixed(dim) = dim { Some(*dim) } else { None };
        let dims = shape.map(|shape| shape.iter().map(fixed).collect());
        inputs.push(InputType { dtype: ty.dtype, dims });
    }
    Some((inputs, same))
}
