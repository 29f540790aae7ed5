//! A model made ready to run.

use crate::error::{PlanError, RunError};
use crate::exec::{Deadline, Run, Streams};
use crate::plan;
use crate::plan::report::PlanReport;
use crate::profile::{Profile, Recorder};
use crate::signature::{Bound, Signature};
use crate::variant::{Prepared, Variants, prepare};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use trident_ir::verify::VerifyError;
use trident_ir::{Dim, Func, Module, Type, ValueId, ValueInfo};
use trident_passes::{OptimizeError, Options as PassOptions, PassReport};
use trident_runtime::{Arena, Device, Pool, PoolStats, Value};

/// How a session is made.
#[derive(Clone, Debug)]
pub struct Options {
    /// Ops a model may have, those in regions included.
    pub max_ops: usize,
    /// Most bytes of tensors alive at once, constants included; 0 for no limit.
    pub memory_limit: usize,
    /// Longest time for running ops on constants ahead of time; those left are run each time.
    pub fold_limit: Option<Duration>,
    /// Which passes to leave out.
    pub passes: PassOptions,
}

impl Default for Options {
    fn default() -> Options {
        let passes = PassOptions::default();
        Options { max_ops: 1 << 20, memory_limit: 0, fold_limit: None, passes }
    }
}

/// How one run is made.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunOptions {
    /// Longest time; checked between ops and between iterations.
    pub time_limit: Option<Duration>,
    /// Whether to take the time of each step.
    pub profile: bool,
}

/// A model made ready to run. Runs may overlap: every method takes `&self`.
pub struct Session {
    /// What runs where no optional input is given.
    main: Prepared,
    variants: Option<Variants>,
    signature: Signature,
    metadata: BTreeMap<String, String>,
    pool: Pool,
}

impl Session {
    /// Plans a module for the devices. The module is consumed so that constants which devices pack can be dropped.
    pub fn new(
        module: Module,
        devices: &[Arc<dyn Device>],
        options: &Options,
    ) -> Result<Session, PlanError> {
        Session::with_optional(module, vec![], devices, options)
    }

    /// As [`Session::new`], for a module some of whose constants are only the defaults of inputs: `optional` has their
    /// names, and the types that their values may have. The plan takes them as constants; a run that is given some of
    /// them makes a plan of its own, which is kept for the runs that are given the same ones.
    pub fn with_optional(
        module: Module,
        optional: Vec<ValueInfo>,
        devices: &[Arc<dyn Device>],
        options: &Options,
    ) -> Result<Session, PlanError> {
        module.verify()?;
        let Module { funcs, metadata } = module;
        let func = funcs.into_iter().next().ok_or(VerifyError::Empty)?;
        let infos = |func: &Func, ids: &[ValueId]| -> Vec<ValueInfo> {
            ids.iter().map(|v| func.info(*v).clone()).collect()
        };
        let inputs = infos(&func, &func.body.params);
        let names: Vec<String> =
            infos(&func, &func.body.results).into_iter().map(|info| info.name).collect();
        plan::check(&func, devices, options)?;
        // Any device can use it; that of the first listed suits that one best.
        let memory = devices.first().map(|device| device.memory());
        let pool = memory.map_or_else(Pool::new, Pool::of);
        pool.set_limit(options.memory_limit);
        // Without optional inputs nobody needs the function as it was.
        let (variants, optional) = match optional.is_empty() {
            true => (None, vec![]),
            false => {
                let (variants, optional) = Variants::new(&func, optional, devices, options)?;
                (Some(variants), optional)
            }
        };
        let main = prepare(func, devices, options, &pool)?;
        // Passes tell more of the results' types, but the names are the model's.
        let outputs = names.into_iter().zip(&main.results);
        let outputs = outputs.map(|(name, ty)| ValueInfo { name, ty: ty.clone() }).collect();
        let signature = Signature { inputs, optional, outputs };
        Ok(Session { main, variants, signature, metadata, pool })
    }

    /// Names and types of inputs, as the model declares them, and of outputs, as far as inference tells.
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// Free text that came with the model.
    pub fn metadata(&self) -> &BTreeMap<String, String> {
        &self.metadata
    }

    /// Which passes changed the model, and how often.
    pub fn passes(&self) -> &[PassReport] {
        &self.main.passes
    }

    /// The plan for runs without optional inputs in words and numbers. Inputs take the given dimensions by name; without
    /// those, figures that depend on dimensions known only at run time are absent. An error if the dimensions contradict
    /// the model, or ask for more memory than there are addresses.
    pub fn report(&self, shapes: &[(&str, Vec<usize>)]) -> Result<PlanReport, PlanError> {
        let types = self.signature.inputs.iter().map(|input| {
            let given = shapes.iter().find(|(name, _)| *name == input.name);
            match (given, &input.ty) {
                (Some((_, dims)), Type::Tensor(t)) => {
                    Type::tensor(t.dtype, dims.iter().map(|&d| Dim::Fixed(d)))
                }
                _ => input.ty.clone(),
            }
        });
        let types: Vec<Type> = types.collect();
        let Prepared { plan, shapes, .. } = &self.main;
        let func = shapes.infer(plan, &types).map_err(OptimizeError::from)?;
        plan.report(&func)
    }

    /// Counters of the session's memory: constants and everything alive during runs.
    pub fn memory(&self) -> PoolStats {
        self.pool.stats()
    }

    /// Runs the model. Inputs are given by name in any order; results come in the model's order.
    pub fn run(&self, inputs: &[(&str, Value)]) -> Result<Vec<(String, Value)>, RunError> {
        self.run_with(inputs, &RunOptions::default()).map(|(results, _)| results)
    }

    /// Runs the model with a time limit or a profile, which is empty unless asked for.
    pub fn run_with(
        &self,
        inputs: &[(&str, Value)],
        options: &RunOptions,
    ) -> Result<(Vec<(String, Value)>, Profile), RunError> {
        let Bound { values: args, given } = self.signature.bind(inputs)?;
        let variant = self.variant(&given)?;
        let Prepared { plan, shapes, .. } = variant.as_deref().unwrap_or(&self.main);
        let recorder = options.profile.then(Recorder::start);
        let deadline = options
            .time_limit
            .and_then(|limit| Some(Deadline { at: Instant::now().checked_add(limit)?, limit }));
        let memory = shapes.plan(plan, &args);
        // Where memory does not suffice for all at once, it may still do piece by piece.
        let memory = memory
            .as_ref()
            .filter(|m| m.size > 0)
            .and_then(|m| Some((m.as_ref(), Arena::new(&self.pool, m.size)?)));
        let pool = &self.pool;
        let streams = Streams::new(&plan.devices);
        let run = Run { plan, pool, deadline, recorder: recorder.as_ref(), memory, streams };
        let results = run.function(args)?;
        let names = self.signature.outputs.iter().map(|o| o.name.clone());
        let profile = recorder.map(Recorder::finish).unwrap_or_default();
        Ok((names.zip(results).collect(), profile))
    }
    /// The plan for these optional inputs; `None` for that of none.
    fn variant(&self, given: &[usize]) -> Result<Option<Arc<Prepared>>, RunError> {
        let Some(variants) = self.variants.as_ref().filter(|_| !given.is_empty()) else {
            return Ok(None);
        };
        let optional = &self.signature.optional;
        variants.get(given, optional, &self.pool).map(Some).map_err(|error| {
            let names = given.iter().map(|&at| optional[at].info.name.clone()).collect();
            RunError::Plan { given: names, error: Box::new(error) }
        })
    }
}
