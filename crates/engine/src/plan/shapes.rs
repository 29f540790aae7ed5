//! Types of all values, and memory plans, for given input shapes.

use super::Plan;
use super::memory::{self, MemoryPlan};
use crate::recent::Recent;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use trident_ir::shape::{self, ShapeError};
use trident_ir::{Attr, Block, DType, Func, OpKind, Type, ValueId};
use trident_runtime::Value;

/// Maximum number of input shapes whose plans are cached.
const MAX_PLANS: usize = 8;

/// Constants of more elements than this cannot take part in shape arithmetic.
const MAX_SHAPE_ELEMENTS: usize = 64;

/// Determines the types of all values for given input shapes.
pub(crate) struct Shapes {
    params: Vec<ValueId>,
    /// The function as it was compiled, with large constants turned into parameters; `None` if all its input types are
    /// fixed, so that its declared types apply.
    func: Option<Func>,
    /// Plans by the types of the inputs.
    plans: Mutex<Recent<Vec<Type>, MemoryPlan>>,
}

impl Shapes {
    /// Records what inference needs, before the function's ops become steps.
    pub(crate) fn of(func: &Func) -> Shapes {
        let params = func.body.params.clone();
        let open = params.iter().any(|p| func.ty(*p).dims().is_none());
        let func = open.then(|| {
            let mut params = func.body.params.clone();
            let ops = func.body.ops.iter().filter(|op| {
                let large = match op.attrs.get("value") {
                    Some(Attr::Tensor(t)) => {
                        t.len() > MAX_SHAPE_ELEMENTS || t.dtype() == DType::Str
                    }
                    _ => false,
                };
                let becomes_param = op.kind == OpKind::Constant && large;
                if becomes_param {
                    params.extend(op.output(0));
                }
                !becomes_param
            });
            let ops = ops.cloned().collect();
            let body = Block { params, ops, results: func.body.results.clone() };
            Func { values: func.values.clone(), body, ..Func::new(func.name.clone(), func.level) }
        });
        Shapes { params, func, plans: Mutex::new(Recent::new(MAX_PLANS)) }
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

    /// The memory plan for these inputs; `None` if they contradict the function.
    pub(crate) fn plan(&self, plan: &Plan, inputs: &[Value]) -> Option<Arc<MemoryPlan>> {
        let types: Vec<Type> = inputs.iter().map(type_of).collect::<Option<_>>()?;
        // Fixed input types have one plan, whatever runs are given.
        let key = if self.func.is_none() { vec![] } else { types };
        let plans = || self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        let known = plans().get(&key);
        if known.is_some() {
            return known;
        }
        // Inference takes a while: other runs should not wait for it.
        let made = match &self.func {
            None => memory::plan(&plan.body, &plan.func),
            Some(_) => memory::plan(&plan.body, &self.infer(plan, &key).ok()?),
        };
        // If values exceed the address space, the pool refuses them at the op that produces them.
        let made = Arc::new(made.unwrap_or_else(|| MemoryPlan::none(&plan.func)));
        let made = plans().put(key, made);
        Some(made)
    }
}

/// The type of a tensor; `None` for other values, whose types do not determine shapes.
fn type_of(value: &Value) -> Option<Type> {
    value.as_tensor().map(|t| t.ty())
}
