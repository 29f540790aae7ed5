//! Modules after their passes, which a session only has to plan.

use crate::context::go_on;
use crate::error::PlanError;
use crate::evaluate::evaluate;
use crate::form::Form;
use crate::ledger::Ledger;
use crate::place::{self, Placement};
use crate::plan;
use crate::session::{self, Options};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Instant;
use trident_ir::rewrite::{Context, PassReport, RewriteError};
use trident_ir::{Func, Level, Module, Type, ValueId, ValueInfo, decompose, shape};
use trident_runtime::Device;

/// A module after its passes: it can be stored, and makes the sessions that the module would have made.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimized {
    /// The devices and passes that its ops depend on.
    pub form: Form,
    /// The functions in the module's order.
    pub entries: Vec<OptimizedEntry>,
    /// Free text from the model.
    pub metadata: BTreeMap<String, String>,
}

/// A function after its passes.
#[derive(Clone, Debug, PartialEq)]
pub struct OptimizedEntry {
    /// The function.
    pub func: Func,
    /// Its regions, and their devices.
    pub placement: Placement,
    /// Names and types of its parameters, as the model declares them.
    pub inputs: Vec<ValueInfo>,
    /// Names of its results, as the model declares them.
    pub outputs: Vec<String>,
    /// Data for inputs with defaults; `None` if there are none.
    pub overridable: Option<Overridable>,
    /// The passes that changed it, and how often. Empty for a stored function.
    pub passes: Vec<PassReport>,
}

/// A function in which callers may replace some constants. Values for them make another function, which is optimised when
/// they are given.
#[derive(Clone, Debug, PartialEq)]
pub struct Overridable {
    /// The function before its passes.
    pub func: Func,
    /// Names of its constants that are defaults of inputs, with the types that values for them may have.
    pub optional: Vec<ValueInfo>,
}

impl Optimized {
    /// Runs the passes over a module, as [`Session::with_optional`](crate::Session::with_optional) does. An error also if there was no
    /// memory to fold constants, which a session that only runs the model does without.
    pub fn new(
        module: Module,
        optional: Vec<ValueInfo>,
        devices: &[Arc<dyn Device>],
        options: &Options,
    ) -> Result<Optimized, PlanError> {
        module.verify()?;
        let Module { funcs, metadata } = module;
        let pool = session::pool(funcs.first().map_or("", |func| &func.name), devices, options);
        let ledger = Ledger::new(pool);
        let mut optional = Some(optional);
        let entries = funcs.into_iter().map(|func| {
            OptimizedEntry::new(
                func,
                optional.take().unwrap_or_default(),
                devices,
                options,
                &ledger,
            )
        });
        let entries = entries.collect::<Result<_, _>>()?;
        // A stored model must not depend on the amount of memory.
        ledger.folded()?;
        Ok(Optimized { form: Form::of(devices, options), entries, metadata })
    }

    /// Checks an untrusted module: its functions, and that the data stored with them fits them.
    pub(crate) fn check(
        &mut self,
        devices: &[Arc<dyn Device>],
        options: &Options,
    ) -> Result<(), PlanError> {
        let wanted = Form::of(devices, options);
        if self.form != wanted {
            return Err(PlanError::Form { made: self.form.clone(), wanted });
        }
        let funcs = self.entries.iter_mut();
        let funcs = funcs
            .map(|entry| std::mem::replace(&mut entry.func, Func::new("", Level::Graph)))
            .collect();
        let module = Module { funcs, metadata: BTreeMap::new() };
        module.verify()?;
        for (entry, func) in self.entries.iter_mut().zip(module.funcs) {
            plan::check(&func, devices, options)?;
            entry.placement.check(&func, devices.len())?;
            entry.func = func;
            if let Some(Overridable { func, .. }) = &entry.overridable {
                func.verify()?;
                plan::check(func, devices, options)?;
            }
            entry.check()?;
        }
        Ok(())
    }
}

impl OptimizedEntry {
    /// Runs the passes over a function of a verified module. `optional` are the inputs with constants as defaults.
    pub(crate) fn new(
        mut func: Func,
        optional: Vec<ValueInfo>,
        devices: &[Arc<dyn Device>],
        options: &Options,
        ledger: &Ledger,
    ) -> Result<OptimizedEntry, PlanError> {
        plan::check(&func, devices, options)?;
        let infos = |ids: &[ValueId]| -> Vec<ValueInfo> {
            ids.iter().map(|v| func.info(*v).clone()).collect()
        };
        let inputs = infos(&func.body.params);
        let outputs = infos(&func.body.results).into_iter().map(|info| info.name).collect();
        // Without optional inputs, the original function is not needed any more.
        let overridable =
            (!optional.is_empty()).then(|| Overridable { func: func.clone(), optional });
        let (passes, placement) = optimize(&mut func, devices, options, ledger)?;
        Ok(OptimizedEntry { func, placement, inputs, outputs, overridable, passes })
    }

    /// Checks that function, interface and original, which is verified, fit each other.
    fn check(&mut self) -> Result<(), PlanError> {
        let ends = |func: &Func| (func.body.params.len(), func.body.results.len());
        let (inputs, outputs) = ends(&self.func);
        if (inputs, outputs) != (self.inputs.len(), self.outputs.len()) {
            return Err(self.malformed(
                "has other inputs and outputs than it declares; compile the model again",
            ));
        }
        let mut funcs = vec![&self.func];
        if let Some(Overridable { func, .. }) = &self.overridable {
            if ends(func) != (inputs, outputs) {
                let reason = "has other inputs and outputs than before it was compiled; compile the model again";
                return Err(self.malformed(reason));
            }
            funcs.push(func);
        }
        for func in funcs {
            let types = func.body.params.iter().map(|v| func.ty(*v));
            if types.zip(&self.inputs).any(|(ty, info)| shape::unify(ty, &info.ty).is_none()) {
                return Err(self.malformed(
                    "has inputs of other types than it declares; compile the model again",
                ));
            }
        }
        // Types that contradict each other would be found when memory is planned, or not at all.
        Ok(shape::infer(&mut self.func, &HashMap::new()).map_err(RewriteError::from)?)
    }

    fn malformed(&self, reason: &str) -> PlanError {
        let op = format!("function `{}`", self.func.name);
        PlanError::Malformed { op: op.into(), reason: reason.into() }
    }

    /// Types of the results.
    pub(crate) fn results(&self) -> Vec<Type> {
        self.func.body.results.iter().map(|v| self.func.ty(*v).clone()).collect()
    }
}

/// Brings a function into the canonical form, places its ops, and has the devices rewrite them.
pub(crate) fn optimize(
    func: &mut Func,
    devices: &[Arc<dyn Device>],
    options: &Options,
    ledger: &Ledger,
) -> Result<(Vec<PassReport>, Placement), PlanError> {
    let until = options.fold_limit.and_then(|limit| Instant::now().checked_add(limit));
    let folder = options.folder.as_ref().or(devices.first()).ok_or(PlanError::NoDevices)?;
    let cancel = options.cancel.as_ref();
    let cx = Context {
        // What follows a cancelled op is short.
        evaluate: &|func, op, operands| {
            go_on(cancel).ok()?;
            evaluate(&**folder, ledger, until, (func, op, operands))
        },
        disabled: &options.passes.disabled,
        part: false,
    };
    decompose::expand(func, &|op| devices.iter().any(|device| device.takes(op)))
        .map_err(RewriteError::from)?;
    let mut report = trident_passes::canonicalize(func, &cx)?;
    go_on(cancel)?;
    if devices.len() > 1 {
        report.add(trident_passes::free_shapes(func, &cx)?.passes);
    }
    let (rewritten, placement) = place::place(func, devices, &cx)?;
    report.add(rewritten.passes);
    go_on(cancel)?;
    Ok((report.passes, placement))
}
