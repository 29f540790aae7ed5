//! Functions planned for a selection of optional inputs. Inputs that the caller omits are constants, folded and packed
//! like any other; the rest are parameters.

use crate::context::CancelFlag;
use crate::error::PlanError;
use crate::ledger::Ledger;
use crate::optimized::optimize;
use crate::place::Placement;
use crate::plan::shapes::Shapes;
use crate::plan::{self, Plan};
use crate::recent::Recent;
use crate::session::Options;
use crate::signature::OptionalInput;
use std::sync::Arc;
use trident_ir::literal::LiteralData;
use trident_ir::{Func, ValueId, ValueInfo, ops};
use trident_runtime::{Charge, Device, ForkMutex};

/// Maximum number of selections of optional inputs whose plans are cached.
const MAX_VARIANTS: usize = 4;

/// A function, planned.
pub(crate) struct Prepared {
    pub(crate) plan: Plan,
    pub(crate) shapes: Shapes,
}

/// Plans a function after its passes.
pub(crate) fn prepare(
    func: Func,
    placement: &Placement,
    devices: &[Arc<dyn Device>],
    ledger: &Ledger,
    cancel: Option<&CancelFlag>,
) -> Result<Prepared, PlanError> {
    let shapes = Shapes::of(&func);
    let plan = plan::compile(func, placement, devices, ledger, cancel)?;
    Ok(Prepared { plan, shapes })
}

/// Creates plans for the optional inputs given to runs, and caches the most recent.
pub(crate) struct Variants {
    /// The function before any pass. Its constants share the model's memory.
    func: Func,
    /// The constants that are the defaults of optional inputs.
    values: Vec<ValueId>,
    devices: Vec<Arc<dyn Device>>,
    options: Options,
    ledger: Arc<Ledger>,
    /// Charges for the function's constants, which are kept in addition to those of plans.
    _charges: Vec<Arc<Charge>>,
    /// Plans by the optional inputs given.
    made: ForkMutex<Recent<Prepared>>,
}

impl Variants {
    /// Finds the defaults of optional inputs among the function's constants.
    pub(crate) fn new(
        func: Func,
        optional: Vec<ValueInfo>,
        devices: &[Arc<dyn Device>],
        options: &Options,
        ledger: &Arc<Ledger>,
    ) -> Result<(Variants, Vec<OptionalInput>), PlanError> {
        let (mut values, mut inputs) = (vec![], vec![]);
        for info in optional {
            let found = func.body.ops.iter().find_map(|op| {
                let constant = ops::Constant::of(op)?;
                let value = constant.output()?;
                let is_default = func.info(value).name == info.name;
                is_default.then(|| (value, constant.value().clone()))
            });
            let (value, default) =
                found.ok_or_else(|| PlanError::NoDefault { input: info.name.clone() })?;
            values.push(value);
            inputs.push(OptionalInput { info, default });
        }
        // The flag is for the session's preparation.
        let options = Options { cancel: None, ..options.clone() };
        let (devices, ledger) = (devices.to_vec(), Arc::clone(ledger));
        let _charges = charges(&func, &ledger)?;
        let made = ForkMutex::new(|| Recent::new(MAX_VARIANTS));
        Ok((Variants { func, values, devices, options, ledger, _charges, made }, inputs))
    }

    /// The plan with these optional inputs, by their positions in the signature, as parameters after the required ones.
    pub(crate) fn get(
        &self,
        given: &[usize],
        inputs: &[OptionalInput],
    ) -> Result<Arc<Prepared>, PlanError> {
        if let Some(found) = self.made.lock().get(given) {
            return Ok(found);
        }
        // Planning takes a while: other runs should not wait for it.
        let mut func = self.func.clone();
        for &at in given {
            let value = self.values[at];
            func.body.ops.retain(|op| op.output(0) != Some(value));
            func.values[value.index()].ty = inputs[at].info.ty.clone();
            func.body.params.push(value);
        }
        let (_, placement) = optimize(&mut func, &self.devices, &self.options, &self.ledger)?;
        let prepared = Arc::new(prepare(func, &placement, &self.devices, &self.ledger, None)?);
        Ok(self.made.lock().put(given, prepared, 1))
    }
}

/// Counts the constants of a function.
fn charges(func: &Func, ledger: &Ledger) -> Result<Vec<Arc<Charge>>, PlanError> {
    let mut charges = Ok(vec![]);
    func.body.walk(&mut |op| {
        if let (Ok(all), Some(constant)) = (&mut charges, ops::Constant::of(op))
            && let LiteralData::Bytes(bytes) = constant.value().data()
        {
            match ledger.borrowed(&op.name().into(), bytes) {
                Ok(charge) => all.extend(charge),
                Err(error) => charges = Err(error),
            }
        }
    });
    charges
}
