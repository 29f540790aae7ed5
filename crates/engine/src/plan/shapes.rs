//! Types of all values, and memory plans, for given input shapes.

use super::Plan;
use super::memory::{self, MemoryPlan};
use crate::recent::Recent;
use crate::state::Growth;
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use trident_ir::shape::{self, Expr, ShapeError};
use trident_ir::{Block, DType, Dim, Func, Type, ValueId, ops};
use trident_runtime::{ForkMutex, Tensor, Value};

/// Most bytes of the plans that are kept, one for each set of input shapes. A model of 200 ops has plans of about 20 KiB; making
/// one takes a small part of the time of its run.
const MAX_PLAN_BYTES: usize = 1 << 20;

/// Constants of more elements than this cannot take part in shape arithmetic.
const MAX_SHAPE_ELEMENTS: usize = 64;

/// Determines the types of all values for given input shapes.
pub(crate) struct Shapes {
    params: Vec<ValueId>,
    /// The dimensions of each parameter, as declared.
    declared: Vec<Vec<Declared>>,
    /// The function as it was compiled, with large constants turned into parameters; `None` if all its input types are
    /// fixed, so that its declared types apply.
    func: Option<Func>,
    /// Plans by the types of the inputs, see [`key`].
    plans: ForkMutex<Recent<MemoryPlan>>,
    /// Number of plans made so far.
    made: AtomicUsize,
}

/// A declared dimension of a parameter.
enum Declared {
    /// A name.
    Name(Arc<str>),
    /// An expression over names, such as `past + 1`.
    Expression(Expr),
    /// A number, or unknown.
    Other,
}

impl Declared {
    fn of(dim: &Dim) -> Declared {
        match Expr::of(dim) {
            Some(expr) if expr.constant().is_none() => match expr.as_name() {
                Some(name) => Declared::Name(name.clone()),
                None => Declared::Expression(expr),
            },
            _ => Declared::Other,
        }
    }

    /// The dimension for which runs are planned; unknown if it follows from other dimensions.
    fn planned(&self, actual: usize, growth: &Growth) -> Dim {
        match self {
            Declared::Name(name) => Dim::Fixed(growth.planned(name, actual)),
            Declared::Expression(expr) => {
                let open = Cell::new(false);
                expr.substitute(&|name| {
                    open.set(open.get() || growth.is_open(name));
                    None
                });
                if open.get() { Dim::Unknown } else { Dim::Fixed(actual) }
            }
            Declared::Other => Dim::Fixed(actual),
        }
    }
}

impl Shapes {
    /// Records what inference needs, before the function's ops become steps.
    pub(crate) fn of(func: &Func) -> Shapes {
        let params = func.body.params.clone();
        let declared = params.iter().map(|p| {
            let dims = func.ty(*p).shape().unwrap_or_default();
            dims.iter().map(Declared::of).collect()
        });
        let declared = declared.collect();
        let open = params.iter().any(|p| func.ty(*p).dims().is_none());
        let func = open.then(|| {
            let mut params = func.body.params.clone();
            let ops = func.body.ops.iter().filter(|op| {
                let becomes_param = ops::Constant::of(op).is_some_and(|constant| {
                    let value = constant.value();
                    value.len() > MAX_SHAPE_ELEMENTS || value.dtype() == DType::Str
                });
                if becomes_param {
                    params.extend(op.output(0));
                }
                !becomes_param
            });
            let ops = ops.cloned().collect();
            let body = Block { params, ops, results: func.body.results.clone() };
            Func { values: func.values.clone(), body, ..Func::new(func.name.clone(), func.level) }
        });
        let plans = ForkMutex::new(|| Recent::new(MAX_PLAN_BYTES));
        Shapes { params, declared, func, plans, made: AtomicUsize::new(0) }
    }

    /// The function with its values' types inferred for inputs of these types; an error if they contradict the
    /// function.
    pub(crate) fn infer(&self, plan: &Plan, inputs: &[Type]) -> Result<Func, ShapeError> {
        let Some(func) = &self.func else { return Ok(plan.func.clone()) };
        let mut func = func.clone();
        let given = self.params.iter().copied().zip(inputs.iter().cloned());
        shape::infer(&mut func, &given.collect::<HashMap<_, _>>())?;
        Ok(func)
    }

    /// The number of memory plans made so far.
    pub(crate) fn made(&self) -> usize {
        self.made.load(Ordering::Relaxed)
    }

    /// The memory plan for these inputs. `None` if they contradict the function, or are not tensors: other types
    /// determine no sizes. With `growth`, the plan is for the sizes that dimensions may reach, and its parts are larger
    /// than the values.
    pub(crate) fn plan(
        &self,
        plan: &Plan,
        inputs: &[Value],
        growth: Option<&Growth>,
    ) -> Option<Arc<MemoryPlan>> {
        let inputs: Vec<&Tensor> = inputs.iter().map(Value::as_tensor).collect::<Option<_>>()?;
        // Fixed input types have one plan, whatever runs are given.
        let key = match (&self.func, growth) {
            (None, _) => vec![],
            (Some(_), None) => key_of(&inputs),
            (Some(_), Some(growth)) => key(&self.planned(&inputs, growth)),
        };
        let types = || match growth {
            None => inputs.iter().map(|input| input.ty()).collect(),
            Some(growth) => self.planned(&inputs, growth),
        };
        let known = self.plans.lock().get(&key);
        if known.is_some() {
            return known;
        }
        // Inference takes a while: other runs should not wait for it.
        let made = match &self.func {
            None => memory::plan(&plan.body, &plan.func),
            Some(_) => match self.sizes(plan, &types()) {
                Some(sizes) => memory::plan(&plan.body, &sizes),
                // Sizes that dimensions may reach can contradict dimensions that depend on them in an unknown way.
                None if growth.is_some() => {
                    let inputs: Vec<Value> = inputs.into_iter().cloned().map(Value::from).collect();
                    return self.plan(plan, &inputs, None);
                }
                None => return None,
            },
        };
        self.made.fetch_add(1, Ordering::Relaxed);
        // If values exceed the address space, the pool refuses them at the op that produces them.
        let made = Arc::new(made.unwrap_or_else(|| MemoryPlan::none(&plan.func)));
        let weight = made.bytes() + Recent::<MemoryPlan>::bytes(&key);
        Some(self.plans.lock().put(&key, made, weight))
    }

    /// The types for which a run with these inputs is planned.
    fn planned(&self, inputs: &[&Tensor], growth: &Growth) -> Vec<Type> {
        let ty = |(tensor, declared): (&&Tensor, &Vec<Declared>)| {
            if declared.len() != tensor.rank() {
                return tensor.ty();
            }
            let dims = tensor.dims().iter().zip(declared);
            Type::tensor(tensor.dtype(), dims.map(|(&actual, dim)| dim.planned(actual, growth)))
        };
        inputs.iter().zip(&self.declared).map(ty).collect()
    }

    /// The function with the types of its values for these inputs, without its ops; `None` if they contradict each other. Most
    /// dimensions are expressions over those of the inputs. Only if others are left, the ops are looked at.
    fn sizes(&self, plan: &Plan, inputs: &[Type]) -> Option<Func> {
        let compiled = &plan.func;
        let body = Block { params: self.params.clone(), ..Block::default() };
        let mut func = Func {
            values: compiled.values.clone(),
            body,
            ..Func::new(compiled.name.clone(), compiled.level)
        };
        let given = self.params.iter().copied().zip(inputs.iter().cloned());
        shape::bind(&mut func, &given.collect()).ok()?;
        let values = || memory::values(&plan.body).map(|value| &func.values[value].ty);
        if values().any(|ty| ty.dtype().is_some() && ty.dims().is_none()) {
            return self.infer(plan, inputs).ok();
        }
        debug_assert!(
            self.infer(plan, inputs).ok().is_none_or(|inferred| {
                let inferred = memory::values(&plan.body).map(|value| &inferred.values[value].ty);
                values().zip(inferred).all(|(a, b)| a.dims() == b.dims() || b.dims().is_none())
            }),
            "the dimensions of a value are not what they were inferred to be"
        );
        Some(func)
    }
}

/// The types of tensors as numbers, which differ if the types do.
fn key(types: &[Type]) -> Vec<usize> {
    let each = types.iter().flat_map(|ty| {
        let dims = ty.shape().unwrap_or_default();
        let dtype = ty.dtype().map_or(usize::MAX, |dtype| dtype as usize);
        let sizes = dims.iter().map(|dim| dim.fixed().unwrap_or(usize::MAX));
        [dtype, dims.len()].into_iter().chain(sizes)
    });
    each.collect()
}

/// The key of these tensors' types.
fn key_of(tensors: &[&Tensor]) -> Vec<usize> {
    let mut key = Vec::with_capacity(tensors.iter().map(|tensor| 2 + tensor.rank()).sum());
    for tensor in tensors {
        key.extend([tensor.dtype() as usize, tensor.rank()]);
        key.extend_from_slice(tensor.dims());
    }
    key
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed unwrap fails the test
    use super::{MAX_PLAN_BYTES, key, key_of};
    use crate::Options;
    use crate::ledger::Ledger;
    use crate::optimized::optimize;
    use crate::variant::{Prepared, prepare};
    use std::sync::Arc;
    use trident_cpu::CpuDevice;
    use trident_ir::{DType, Func, Type};
    use trident_runtime::{Device, Pool, Tensor};

    fn devices() -> [Arc<dyn Device>; 1] {
        [Arc::new(CpuDevice::new(1))]
    }

    fn prepared(text: &str) -> Prepared {
        let (mut func, ledger): (Func, _) = (text.parse().unwrap(), Ledger::new(Pool::new()));
        let (devices, options) = (devices(), Options::default());
        let (_, placement) = optimize(&mut func, &devices, &options, &ledger).unwrap();
        prepare(func, &placement, &devices, &ledger, None).unwrap()
    }

    #[test]
    fn ops_are_looked_at_only_where_sizes_do_not_follow_from_the_inputs() {
        let rows = "func @f graph (%x: f32[N, 8]) -> (f32[*]) {
            %e = exp(%x) : f32[N, 8]
            %c = concat(%e, %x) {axis = 0}
            %t = tanh(%c)
            return %t
        }";
        let some = "func @f graph (%x: f32[N, 8]) -> (i64[*]) {
            %e = exp(%x) : f32[N, 8]
            %n = non_zero(%e) : i64[*]
            return %n
        }";
        for (text, looked) in [(rows, false), (some, true)] {
            let made = prepared(text);
            let types = [Type::fixed(DType::F32, &[5, 8])];
            let sizes = made.shapes.sizes(&made.plan, &types).unwrap();
            assert_eq!(!sizes.body.ops.is_empty(), looked, "{text}");
            assert!(made.shapes.sizes(&made.plan, &[Type::fixed(DType::F32, &[5, 7])]).is_none());
        }
    }

    #[test]
    fn plans_of_many_sizes_are_kept() {
        let text = "func @f graph (%x: f32[N]) -> (f32[N]) {
            %e = exp(%x) : f32[N]
            %t = tanh(%e) : f32[N]
            return %t
        }";
        let made = prepared(text);
        let value = |n: usize| Tensor::alloc(&Pool::new(), DType::F32, &[n]).unwrap().into();
        let first = made.shapes.plan(&made.plan, &[value(1)], None).unwrap();
        (2..200).for_each(|n| drop(made.shapes.plan(&made.plan, &[value(n)], None)));
        assert!(Arc::ptr_eq(&first, &made.shapes.plan(&made.plan, &[value(1)], None).unwrap()));
    }

    #[test]
    fn tensors_have_the_key_of_their_types() {
        let tensors = [&[2, 3][..], &[], &[0, 7, 1]]
            .map(|dims| Tensor::alloc(&Pool::new(), DType::I64, dims));
        let tensors = tensors.map(Result::unwrap);
        let types: Vec<Type> = tensors.iter().map(Tensor::ty).collect();
        assert_eq!(key_of(&tensors.iter().collect::<Vec<_>>()), key(&types));
    }

    #[test]
    fn keys_of_plans_take_part_of_what_is_kept() {
        let text = "func @f graph (%x: f32[*]) -> (f32[*]) {
            %e = exp(%x)
            return %e
        }";
        let made = prepared(text);
        let plan = |n: usize| {
            let dims = [vec![1; 1000], vec![n]].concat();
            let value = Tensor::alloc(&Pool::new(), DType::F32, &dims).unwrap();
            made.shapes.plan(&made.plan, &[value.into()], None).unwrap()
        };
        let first = plan(1);
        (2..=MAX_PLAN_BYTES / 8000 + 1).for_each(|n| drop(plan(n)));
        assert!(!Arc::ptr_eq(&first, &plan(1)));
    }
}
