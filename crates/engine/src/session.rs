//! A model prepared to run.

use crate::context::{CancelFlag, RunContext};
use crate::entry::Entry;
use crate::error::{PlanError, RunError};
use crate::ledger::{Ledger, Unfolded};
use crate::optimized::{Optimized, OptimizedEntry};
use crate::plan::report::{PlanReport, RowDependent};
use crate::profile::Profile;
use crate::signature::Signature;
use crate::state::State;
use bytes::Bytes;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use trident_ir::rewrite::PassReport;
use trident_ir::verify::VerifyError;
use trident_ir::{DType, Module, ValueInfo};
use trident_passes::PassOptions;
use trident_runtime::{
    ByteSource, Device, ForeignMemory, KernelError, Pool, PoolStats, Tensor, TensorView,
    TensorViewMut, Value,
};

/// Options of a session.
#[derive(Clone, Debug)]
pub struct Options {
    /// The name under which the device lists the session's memory; by default the name of the first function.
    pub name: Option<String>,
    /// Maximum number of ops in a function, including those in regions.
    pub max_ops: usize,
    /// Maximum bytes of tensors live at once, including constants, packed or not; 0 for no limit. Inputs count if the session made
    /// them ([`Session::gather`], [`Session::strings`]).
    pub memory_limit: usize,
    /// Time limit for constant folding; ops left over are executed in each run.
    pub fold_limit: Option<Duration>,
    /// The device that folds constants; by default the session's first.
    pub folder: Option<Arc<dyn Device>>,
    /// The passes to omit.
    pub passes: PassOptions,
    /// Ends the preparation of a session early. It is checked before each op that is folded or compiled; an op is finished. Later runs
    /// have flags of their own ([`RunContext::cancel`]).
    pub cancel: Option<CancelFlag>,
}

impl Default for Options {
    fn default() -> Options {
        let passes = PassOptions::default();
        Options {
            name: None,
            max_ops: 1 << 20,
            memory_limit: 0,
            fold_limit: None,
            folder: None,
            passes,
            cancel: None,
        }
    }
}

/// A model prepared to run. Runs may overlap: every method takes `&self`.
///
/// Each function of the module is an [`Entry`]; the session's own methods refer to the first.
pub struct Session {
    first: Entry,
    others: Vec<Entry>,
    metadata: BTreeMap<String, String>,
    pool: Pool,
    unfolded: Option<Unfolded>,
}

impl Session {
    /// Plans a module for the devices. The module is consumed so that constants that devices have packed can be
    /// dropped.
    pub fn new(
        module: Module,
        devices: &[Arc<dyn Device>],
        options: &Options,
    ) -> Result<Session, PlanError> {
        Session::with_optional(module, vec![], devices, options)
    }

    /// Like [`Session::new`], for a module in which some constants are only defaults of the first function's inputs.
    /// `optional` has the names of these inputs, and the types of values that may be given for them. The default plan
    /// treats them as constants; a run with some of these inputs uses a separate plan, which is cached for later runs
    /// with the same ones.
    pub fn with_optional(
        module: Module,
        optional: Vec<ValueInfo>,
        devices: &[Arc<dyn Device>],
        options: &Options,
    ) -> Result<Session, PlanError> {
        module.verify()?;
        let Module { funcs, metadata } = module;
        let name = funcs.first().map_or("", |func| &func.name);
        let ledger = Arc::new(Ledger::new(pool(name, devices, options)));
        let mut optional = Some(optional);
        // One after the other: planning a function frees what its weights took.
        let entries = funcs.into_iter().map(|func| {
            let optional = optional.take().unwrap_or_default();
            let entry = OptimizedEntry::new(func, optional, devices, options, &ledger)?;
            Entry::new(entry, devices, options, &ledger)
        });
        let entries = entries.collect::<Result<_, _>>()?;
        Session::of(entries, metadata, &ledger)
    }

    /// Plans a module after its passes. The result equals [`Session::with_optional`] on the module before its passes,
    /// with the same devices and options. An error if these need another [`Form`](crate::Form).
    pub fn from_optimized(
        mut optimized: Optimized,
        devices: &[Arc<dyn Device>],
        options: &Options,
    ) -> Result<Session, PlanError> {
        optimized.check(devices, options)?;
        let Optimized { entries, metadata, .. } = optimized;
        let name = entries.first().map_or("", |entry| &entry.func.name);
        let ledger = Arc::new(Ledger::new(pool(name, devices, options)));
        let entries = entries.into_iter().map(|entry| Entry::new(entry, devices, options, &ledger));
        let entries = entries.collect::<Result<_, _>>()?;
        Session::of(entries, metadata, &ledger)
    }

    fn of(
        entries: Vec<Entry>,
        metadata: BTreeMap<String, String>,
        ledger: &Ledger,
    ) -> Result<Session, PlanError> {
        let mut others = entries.into_iter();
        let first = others.next().ok_or(VerifyError::Empty)?;
        let (pool, unfolded) = (ledger.pool().clone(), ledger.unfolded());
        Ok(Session { first, others: others.collect(), metadata, pool, unfolded })
    }

    /// The functions, in the module's order.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        std::iter::once(&self.first).chain(&self.others)
    }

    /// The function of this name.
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries().find(|entry| entry.name() == name)
    }

    /// See [`Entry::signature`].
    pub fn signature(&self) -> &Signature {
        self.first.signature()
    }

    /// Free text from the model.
    pub fn metadata(&self) -> &BTreeMap<String, String> {
        &self.metadata
    }

    /// See [`Entry::passes`].
    pub fn passes(&self) -> &[PassReport] {
        self.first.passes()
    }

    /// See [`Entry::report`].
    pub fn report(&self, shapes: &[(&str, Vec<usize>)]) -> Result<PlanReport, PlanError> {
        self.first.report(shapes)
    }

    /// See [`Entry::row_dependent`].
    pub fn row_dependent(&self) -> Vec<RowDependent> {
        self.first.row_dependent()
    }

    /// Counters of the session's memory: constants, wherever they lie, and everything live during runs. The device lists them under
    /// the session's name ([`Pool::device_stats`]).
    pub fn memory(&self) -> PoolStats {
        self.pool.stats()
    }

    /// The ops on constants that were not run when the session was made, because there was too little memory. Each run is slower
    /// by them. Plans for optional inputs, which are made later, do not count.
    pub fn unfolded(&self) -> Option<&Unfolded> {
        self.unfolded.as_ref()
    }

    /// The session's memory. Inputs that are allocated in it count towards the session's limit.
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// A tensor in the session's memory whose elements are the concatenated parts, see [`Tensor::gather`]: an input that several
    /// callers give rows of.
    pub fn gather(
        &self,
        dtype: DType,
        dims: &[usize],
        parts: impl IntoIterator<Item = impl ByteSource>,
    ) -> Result<Tensor, KernelError> {
        Tensor::gather(&self.pool, dtype, dims, parts)
    }

    /// A tensor over bytes, which is a copy in the session's memory only if they are not aligned, see [`Tensor::from_bytes`].
    pub fn adopt(&self, dtype: DType, dims: &[usize], bytes: Bytes) -> Result<Tensor, KernelError> {
        Tensor::from_bytes(&self.pool, dtype, dims, bytes)
    }

    /// A tensor in memory of another owner, for an input; a copy in the session's memory only if it is misaligned, see
    /// [`Tensor::of_foreign`].
    pub fn of_foreign(
        &self,
        dtype: DType,
        dims: &[usize],
        memory: ForeignMemory,
    ) -> Result<Tensor, KernelError> {
        Tensor::of_foreign(&self.pool, dtype, dims, memory)
    }

    /// A tensor in memory of another owner, for an output, see [`Tensor::in_foreign`].
    pub fn in_foreign(
        &self,
        dtype: DType,
        dims: &[usize],
        memory: ForeignMemory,
    ) -> Result<Tensor, KernelError> {
        Tensor::in_foreign(&self.pool, dtype, dims, memory)
    }

    /// A tensor of copies of strings, which count in the session's memory, see [`Tensor::gather_strings`].
    pub fn strings<'a>(
        &self,
        dims: &[usize],
        values: impl Iterator<Item = &'a str> + Clone,
    ) -> Result<Tensor, KernelError> {
        Tensor::gather_strings(&self.pool, dims, values)
    }

    /// See [`Entry::run`].
    pub fn run(&self, inputs: &[(&str, Value)]) -> Result<Vec<(String, Value)>, RunError> {
        self.first.run(inputs)
    }

    /// See [`Entry::run_with`].
    pub fn run_with(
        &self,
        inputs: &[(&str, Value)],
        context: RunContext,
    ) -> Result<(Vec<(String, Value)>, Profile), RunError> {
        self.first.run_with(inputs, context)
    }

    /// See [`Entry::run_unnamed`].
    pub fn run_unnamed(
        &self,
        inputs: Vec<(&str, Value)>,
        context: RunContext,
    ) -> Result<(Vec<Value>, Profile), RunError> {
        self.first.run_unnamed(inputs, context)
    }

    /// See [`Entry::direct`].
    pub fn direct(&self, inputs: &[TensorView<'_>], outputs: &mut [TensorViewMut<'_>]) -> bool {
        self.first.direct(inputs, outputs)
    }

    /// See [`Entry::run_in`].
    pub fn run_in(
        &self,
        state: &mut State,
        inputs: &[(&str, Value)],
        context: RunContext,
    ) -> Result<(Vec<(String, Value)>, Profile), RunError> {
        self.first.run_in(state, inputs, context)
    }
}

/// The pool of a session whose first function has this name.
pub(crate) fn pool(first: &str, devices: &[Arc<dyn Device>], options: &Options) -> Pool {
    // Any device can use it; memory from the first device suits that one best.
    let memory = devices.first().map_or_else(Pool::host, |device| device.memory());
    let pool = memory.child(options.name.as_deref().unwrap_or(first));
    pool.set_limit(options.memory_limit);
    pool
}
