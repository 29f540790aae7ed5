//! A device for testing queues: it doubles numbers, fails on negative ones and panics on NaN.
#![allow(clippy::unwrap_used)] // a failed unwrap fails the test

use super::{Queued, QueuedOptions};
use crate::*;
use std::sync::Arc;
use std::time::Duration;
use trident_ir::{DType, Func, Level, Op, OpKind, Type};

pub(super) struct Doubler(DeviceInfo);

impl Doubler {
    fn new() -> Doubler {
        let (name, description) = ("doubler".into(), "doubles".into());
        Doubler(DeviceInfo { name, description, threads: 1, features: vec![] })
    }
}

impl Device for Doubler {
    fn info(&self) -> &DeviceInfo {
        &self.0
    }

    fn estimate(&self, _: &Func, _: &[&Op]) -> Option<Cost> {
        Some(Cost::default())
    }

    fn compile(&self, unit: &Unit<'_>) -> Result<Arc<dyn Executable>, Declined> {
        Ok(Arc::new(Double { told: unit.ops[0].kind == OpKind::Neg }))
    }
}

/// Doubles every operand; if the shapes are known only after the launch, only the numbers above 0.
struct Double {
    told: bool,
}

impl Executable for Double {
    fn kernel(&self) -> &str {
        "double"
    }

    fn shapes(&self, inputs: &[Option<Value>]) -> Result<Vec<OutputShape>, KernelError> {
        let tensor = inputs[0].as_ref().unwrap().as_tensor().unwrap();
        Ok(vec![match self.told {
            true => OutputShape::Known { dtype: tensor.dtype(), dims: tensor.dims().to_vec() },
            false => OutputShape::AfterLaunch,
        }])
    }

    fn submit(
        &self,
        _: &dyn Stream,
        launch: &mut Launch<'_>,
        after: &[Fence],
    ) -> Result<Submitted, KernelError> {
        launch.settle(after)?;
        let tensor = launch.inputs[0].take().unwrap();
        let mut doubled: Vec<f32> = tensor.as_tensor().unwrap().slice::<f32>()?.to_vec();
        if doubled.iter().any(|x| *x < 0.0) {
            return Err(KernelError::domain("negative"));
        }
        assert!(!doubled.iter().any(|x| x.is_nan()), "not a number");
        if !self.told {
            doubled.retain(|x| *x > 0.0);
        }
        let mut out = (launch.alloc)(0, DType::F32, &[doubled.len()])?;
        for (to, from) in out.slice_mut::<f32>()?.iter_mut().zip(&doubled) {
            *to = 2.0 * from;
        }
        Ok(Submitted::ended(vec![Some(out.into())]))
    }
}

/// A queued device with executables whose shapes are known before the launch, and after it.
pub(super) struct Bench {
    pub(super) device: Queued,
    pub(super) told: Arc<dyn Executable>,
    pub(super) later: Arc<dyn Executable>,
    pub(super) pool: Pool,
}

impl Bench {
    pub(super) fn new(max_delay: Duration) -> Bench {
        let options = QueuedOptions { max_delay, ..QueuedOptions::default() };
        let device = Queued::new(Arc::new(Doubler::new()), options);
        let pool = device.memory();
        let mut func = Func::new("f", Level::Graph);
        let x = Some(func.value("x", Type::unranked(DType::F32)));
        let compiled = |kind| {
            let ops = [Op::new(kind, vec![x], vec![x])];
            let (inputs, outputs) = (vec![x], vec![x]);
            let unit =
                Unit { func: &func, ops: &ops, inputs, outputs, constant: &|_| None, pool: &pool };
            device.compile(&unit).unwrap()
        };
        let (told, later) = (compiled(OpKind::Neg), compiled(OpKind::Abs));
        Bench { device, told, later, pool }
    }

    pub(super) fn numbers(&self, values: &[f32]) -> Value {
        Tensor::from_slice(&self.pool, &[values.len()], values).unwrap().into()
    }

    pub(super) fn submit(&self, stream: &dyn Stream, exe: &dyn Executable, x: Value) -> Submitted {
        self.submit_after(stream, exe, x, &[])
    }

    pub(super) fn submit_after(
        &self,
        stream: &dyn Stream,
        exe: &dyn Executable,
        x: Value,
        after: &[Fence],
    ) -> Submitted {
        let pool = &self.pool;
        let mut launch = Launch {
            inputs: &mut [Some(x)],
            alloc: &mut |_, dtype, dims| Tensor::alloc(pool, dtype, dims),
            pool,
            limits: LaunchLimits::default(),
        };
        exe.submit(stream, &mut launch, after).unwrap()
    }
}

/// The only output of a launch, as a value whose elements may be pending.
pub(super) fn output(submitted: &Submitted) -> Value {
    match &submitted.outputs {
        Outputs::Known(outputs) => outputs[0].clone().unwrap(),
        Outputs::Later(later) => later.clone().wait().unwrap()[0].clone().unwrap(),
    }
}

pub(super) fn elements(value: &Value) -> Result<Vec<f32>, KernelError> {
    Ok(value.as_tensor().unwrap().slice::<f32>()?.to_vec())
}
