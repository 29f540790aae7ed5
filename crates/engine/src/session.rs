//! A model made ready to run.

use crate::error::{PlanError, RunError};
use crate::evaluate::evaluate;
use crate::exec::{Deadline, Run};
use crate::plan::report::PlanReport;
use crate::plan::shapes::Shapes;
use crate::plan::{self, Plan};
use crate::profile::{Profile, Recorder};
use crate::signature::Signature;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use trident_ir::literal::LiteralData;
use trident_ir::verify::VerifyError;
use trident_ir::{Attr, Dim, Func, Literal, Module, Type, ValueId, ValueInfo};
use trident_passes::{OptimizeError, Options as PassOptions, PassReport, optimize};
use trident_runtime::{Arena, Device, Pool, PoolStats, Value, release_pages};

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
    plan: Plan,
    shapes: Shapes,
    passes: Vec<PassReport>,
    signature: Signature,
    metadata: BTreeMap<String, String>,
    pool: Pool,
}

/// Bytes from which on a constant is worth giving back.
const LARGE: usize = 64 << 10;

/// The large constants.
fn large_constants(func: &Func) -> Vec<Literal> {
    let mut found = vec![];
    func.body.walk(&mut |op| match op.attrs.get("value") {
        Some(Attr::Tensor(literal)) if literal.len() * literal.dtype().size() >= LARGE => {
            found.push(literal.clone());
        }
        _ => {}
    });
    found
}

impl Session {
    /// Plans a module for the devices. The module is consumed so that constants which devices pack can be dropped.
    pub fn new(
        module: Module,
        devices: &[Arc<dyn Device>],
        options: &Options,
    ) -> Result<Session, PlanError> {
        module.verify()?;
        let Module { funcs, metadata } = module;
        let mut func = funcs.into_iter().next().ok_or(VerifyError::Empty)?;
        let infos = |func: &Func, ids: &[ValueId]| -> Vec<ValueInfo> {
            ids.iter().map(|v| func.info(*v).clone()).collect()
        };
        let inputs = infos(&func, &func.body.params);
        let names: Vec<String> =
            infos(&func, &func.body.results).into_iter().map(|info| info.name).collect();
        plan::check(&func, devices, options)?;
        let pool = Pool::new();
        pool.set_limit(options.memory_limit);
        let until = options.fold_limit.and_then(|limit| Instant::now().checked_add(limit));
        let mapped = large_constants(&func);
        let report = optimize(&mut func, &options.passes, &|func, op, operands| {
            evaluate(devices, &pool, until, (func, op, operands))
        })?;
        // Folding reads weights that their folded forms replace: the system may have that memory back.
        for literal in mapped {
            if let LiteralData::Bytes(bytes) = literal.data() {
                release_pages(bytes);
            }
        }
        // Passes tell more of the results' types, but the names are the model's.
        let results = func.body.results.iter().map(|v| func.ty(*v).clone());
        let outputs = names.into_iter().zip(results).map(|(name, ty)| ValueInfo { name, ty });
        let signature = Signature { inputs, outputs: outputs.collect() };
        let shapes = Shapes::of(&func);
        let plan = plan::compile(func, devices, &pool)?;
        Ok(Session { plan, shapes, passes: report.passes, signature, metadata, pool })
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
        &self.passes
    }

    /// The plan in words and numbers. Inputs take the given dimensions by name; without those, figures that depend on
    /// dimensions known only at run time are absent. An error if the dimensions contradict the model, or ask for more
    /// memory than there are addresses.
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
        let func = self.shapes.infer(&self.plan, &types).map_err(OptimizeError::from)?;
        self.plan.report(&func)
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
        let args = self.signature.bind(inputs)?;
        let recorder = options.profile.then(Recorder::start);
        let deadline = options
            .time_limit
            .and_then(|limit| Some(Deadline { at: Instant::now().checked_add(limit)?, limit }));
        let memory = self.shapes.plan(&self.plan, &args);
        // Where memory does not suffice for all at once, it may still do piece by piece.
        let memory = memory
            .as_ref()
            .filter(|m| m.size > 0)
            .and_then(|m| Some((m.as_ref(), Arena::new(&self.pool, m.size)?)));
        let (plan, pool) = (&self.plan, &self.pool);
        let run = Run { plan, pool, deadline, recorder: recorder.as_ref(), memory };
        let results = run.function(args)?;
        let names = self.signature.outputs.iter().map(|o| o.name.clone());
        let profile = recorder.map(Recorder::finish).unwrap_or_default();
        Ok((names.zip(results).collect(), profile))
    }
}
