//! A model made ready to run.

use crate::error::{PlanError, RunError};
use crate::exec::{Deadline, Run};
use crate::plan::report::PlanReport;
use crate::plan::{self, Plan};
use crate::profile::{Profile, Recorder};
use crate::signature::Signature;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use trident_ir::Module;
use trident_runtime::{Device, Pool, PoolStats, Value};

/// How a session is made.
#[derive(Clone, Debug)]
pub struct Options {
    /// Ops a model may have, those in regions included.
    pub max_ops: usize,
    /// Most bytes of tensors alive at once, constants included; 0 for no limit.
    pub memory_limit: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options { max_ops: 1 << 20, memory_limit: 0 }
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
        let Module { funcs, metadata } = module;
        let func = funcs.into_iter().next().ok_or(PlanError::Empty)?;
        let pool = Pool::new();
        pool.set_limit(options.memory_limit);
        let infos =
            |ids: &[trident_ir::ValueId]| ids.iter().map(|v| func.info(*v).clone()).collect();
        let signature =
            Signature { inputs: infos(&func.body.params), outputs: infos(&func.body.results) };
        let plan = plan::compile(func, devices, &pool, options)?;
        Ok(Session { plan, signature, metadata, pool })
    }

    /// Names and types of inputs and outputs.
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// Free text that came with the model.
    pub fn metadata(&self) -> &BTreeMap<String, String> {
        &self.metadata
    }

    /// The plan in words and numbers.
    pub fn report(&self) -> PlanReport {
        self.plan.report()
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
        let run = Run { plan: &self.plan, pool: &self.pool, deadline, recorder: recorder.as_ref() };
        let results = run.function(args)?;
        let names = self.signature.outputs.iter().map(|o| o.name.clone());
        let profile = recorder.map(Recorder::finish).unwrap_or_default();
        Ok((names.zip(results).collect(), profile))
    }
}
