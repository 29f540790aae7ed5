//! One function of a session, prepared to run.

use crate::context::RunContext;
use crate::direct::OnlyLaunch;
use crate::error::{PlanError, RunError};
use crate::exec::{Outputs, Run, Streams, admit, separate};
use crate::ledger::Ledger;
use crate::optimized::{OptimizedEntry, Overridable};
use crate::plan::report::{PlanReport, RowDependent};
use crate::profile::{Profile, Recorder};
use crate::session::Options;
use crate::signature::{Bound, Signature};
use crate::state::{Growth, State};
use crate::variant::{Prepared, Variants, prepare};
use std::sync::Arc;
use trident_ir::rewrite::{PassReport, RewriteError};
use trident_ir::{Dim, Type, ValueInfo};
use trident_runtime::{Arena, Device, Pool, TensorView, TensorViewMut, Value};

/// The part of a state that concerns a run, besides its values.
struct StateRun {
    growth: Growth,
    /// The outputs that the state stores.
    outputs: Vec<String>,
}

/// A function of a module, planned for the session's devices.
pub struct Entry {
    name: String,
    /// The plan for runs without optional inputs.
    main: Prepared,
    /// The launch of a plan that has no other.
    only: Option<OnlyLaunch>,
    variants: Option<Variants>,
    signature: Signature,
    passes: Vec<PassReport>,
    pool: Pool,
}

impl Entry {
    /// Plans a function after its passes.
    pub(crate) fn new(
        optimized: OptimizedEntry,
        devices: &[Arc<dyn Device>],
        options: &Options,
        ledger: &Arc<Ledger>,
    ) -> Result<Entry, PlanError> {
        let name = optimized.func.name.clone();
        // Passes determine the results' types more precisely, but the names are the model's.
        let results = optimized.results();
        let OptimizedEntry { func, placement, inputs, outputs, overridable, passes } = optimized;
        let outputs = outputs.into_iter().zip(results);
        let outputs = outputs.map(|(name, ty)| ValueInfo { name, ty }).collect();
        let (variants, optional) = match overridable {
            None => (None, vec![]),
            Some(Overridable { func, optional }) => {
                let (variants, optional) = Variants::new(func, optional, devices, options, ledger)?;
                (Some(variants), optional)
            }
        };
        let main = prepare(func, &placement, devices, ledger, options.cancel.as_ref())?;
        let signature = Signature { inputs, optional, outputs };
        let only = OnlyLaunch::of(&main.plan, &signature);
        let pool = ledger.pool().clone();
        Ok(Entry { name, main, only, variants, signature, passes, pool })
    }

    /// The function's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Names and types of the inputs, as the model declares them, and of the outputs, as inferred.
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// The passes that changed the function, and how often. Empty for a function that was stored after its passes.
    pub fn passes(&self) -> &[PassReport] {
        &self.passes
    }

    /// A report of the plan for runs without optional inputs. Inputs have the given dimensions, by name; without them,
    /// figures that depend on dimensions known only at run time are absent. An error if the dimensions contradict the
    /// model, or require more memory than the address space has.
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
        let func = shapes.infer(plan, &types).map_err(RewriteError::from)?;
        plan.report(&func)
    }

    /// The ops whose results may change in their last bits with the number of rows, because their device computes few
    /// rows in another way than many.
    pub fn row_dependent(&self) -> Vec<RowDependent> {
        self.main.plan.row_dependent()
    }

    /// Runs the function. Inputs are given by name in any order; results are in the model's order.
    pub fn run(&self, inputs: &[(&str, Value)]) -> Result<Vec<(String, Value)>, RunError> {
        self.run_with(inputs, RunContext::default()).map(|(results, _)| results)
    }

    /// Runs the function in a context; the profile is empty unless the context asks for one.
    pub fn run_with(
        &self,
        inputs: &[(&str, Value)],
        context: RunContext,
    ) -> Result<(Vec<(String, Value)>, Profile), RunError> {
        let (results, profile) = self.execute(inputs.to_vec(), context, None)?;
        Ok((self.named(results), profile))
    }

    /// Like [`Entry::run_with`], but the results have no names, only the order of [`Signature::outputs`].
    pub fn run_unnamed(
        &self,
        inputs: Vec<(&str, Value)>,
        context: RunContext,
    ) -> Result<(Vec<Value>, Profile), RunError> {
        self.execute(inputs, context, None)
    }

    /// Computes the outputs from the required inputs, both in the order of [`Entry::signature`], on the calling thread and in the
    /// caller's memory. Nothing is allocated, locked or admitted, so a short launch takes little more than its kernel.
    ///
    /// False if the function is not one short launch for which the device has such a way ([`Executable::direct`]), or if something
    /// is wrong: the outputs then have any contents, and a [run](Entry::run_unnamed) gives the results or the error.
    ///
    /// [`Executable::direct`]: trident_runtime::Executable::direct
    pub fn direct(&self, inputs: &[TensorView<'_>], outputs: &mut [TensorViewMut<'_>]) -> bool {
        self.only.as_ref().is_some_and(|only| only.run(&self.main.plan, inputs, outputs))
    }

    /// The results with their names.
    fn named(&self, results: Vec<Value>) -> Vec<(String, Value)> {
        self.signature.outputs.iter().map(|output| output.name.clone()).zip(results).collect()
    }

    fn execute(
        &self,
        inputs: Vec<(&str, Value)>,
        context: RunContext,
        state: Option<&StateRun>,
    ) -> Result<(Vec<Value>, Profile), RunError> {
        separate(&inputs, &context.outputs)?;
        let Bound { values: args, given } = self.signature.bind(inputs)?;
        let variant = self.variant(&given)?;
        let Prepared { plan, shapes, .. } = variant.as_deref().unwrap_or(&self.main);
        let (deadline, limits) = (context.until(), context.launch_limits());
        let (cancel, handover) = (context.cancel.as_ref(), context.handover);
        let admitted = admit(&plan.devices, limits, deadline, cancel, handover)?;
        let recorder = Recorder::start(context.profile);
        let memory = shapes.plan(plan, &args, state.map(|state| &state.growth));
        // If memory is insufficient for the whole arena, it may still suffice for individual values.
        let memory = memory
            .as_ref()
            .filter(|m| m.size > 0)
            .and_then(|m| Some((m.as_ref(), Arena::new(&self.pool, m.size)?)));
        let sink = context.sink.map(|sink| (sink, state.map_or(&[][..], |state| &state.outputs)));
        let run = Run {
            plan,
            pool: &self.pool,
            deadline,
            limits,
            cancel: context.cancel,
            recorder: recorder.as_ref(),
            memory,
            streams: Streams::new(&plan.devices),
            outputs: Outputs::new(plan, &self.signature, context.outputs, sink)?,
            lent: state.is_some(),
            spare: Default::default(),
        };
        let results = run.function(args)?;
        drop((run, admitted));
        Ok((results, recorder.map(Recorder::finish).unwrap_or_default()))
    }

    /// Runs the function with the state's values as additional inputs, and stores the outputs that later runs need in
    /// the state. These outputs are neither returned nor passed to a sink. A run that fails leaves the state unchanged;
    /// it ends once no launch uses the state's memory, which may be after its deadline.
    pub fn run_in(
        &self,
        state: &mut State,
        inputs: &[(&str, Value)],
        context: RunContext,
    ) -> Result<(Vec<(String, Value)>, Profile), RunError> {
        let growth = state.growth(&self.signature);
        let outputs = state.outputs().map(str::to_owned).collect();
        // Dropped after the run, which no longer has the values then.
        let (lent, own) = state.lend(&self.signature, inputs, &growth);
        let all = inputs.iter().cloned().chain(own).collect();
        let (results, profile) = self.execute(all, context, Some(&StateRun { growth, outputs }))?;
        Ok((lent.keep(self.named(results)), profile))
    }

    /// The number of memory plans made so far for runs without optional inputs. Plans are cached by the types of the inputs; runs
    /// with a [`State`] share plans ([`State::with_capacity`]).
    pub fn plans(&self) -> usize {
        self.main.shapes.made()
    }

    /// The plan for these optional inputs; `None` if there are none.
    fn variant(&self, given: &[usize]) -> Result<Option<Arc<Prepared>>, RunError> {
        let Some(variants) = self.variants.as_ref().filter(|_| !given.is_empty()) else {
            return Ok(None);
        };
        let optional = &self.signature.optional;
        variants.get(given, optional).map(Some).map_err(|error| {
            let names = given.iter().map(|&at| optional[at].info.name.clone()).collect();
            RunError::Plan { given: names, error: Box::new(error) }
        })
    }
}
