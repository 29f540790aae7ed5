//! From a tile function to a pipeline.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use trident_ir::tile::Origins;
use trident_ir::{Module, Type};
use trident_runtime::{
    Checks, CompileError, Declined, Kernel, KernelCompiler, KernelLaunch, KernelOptions,
    LaunchError, Listing,
};

use super::alias::{self, Alias};
use super::host::{GpuHost, KeptQueue};
use super::translation::{LISTINGS, Translation, figures};
use crate::metal::{CompileOptions, Dispatch, Limits, Metal, MetalError, Pipeline};
use crate::msl::{Binding, Program};

/// Threadgroups of each core below which programs get threadgroups of their own.
const GROUPS: u64 = 8;

/// Compiles kernels for Metal devices: one for kernels without checks, and optionally one that checks accesses.
#[derive(Clone, Debug)]
pub struct GpuCompiler {
    plain: Arc<Side>,
    checked: Option<Arc<Side>>,
    host: Arc<GpuHost>,
}

/// A device that kernels run on, and their queue.
#[derive(Debug)]
pub(super) struct Side {
    pub(super) metal: Arc<dyn Metal>,
    pub(super) queue: KeptQueue,
}

impl Side {
    fn new(metal: Arc<dyn Metal>) -> Arc<Side> {
        Arc::new(Side { metal, queue: KeptQueue::default() })
    }
}

impl GpuCompiler {
    /// A compiler whose kernels run on `plain`. Kernels that check their accesses run on `checked`, and are declined
    /// without it.
    pub fn new(plain: Arc<dyn Metal>, checked: Option<Arc<dyn Metal>>) -> GpuCompiler {
        let host = Arc::new(GpuHost::new(Arc::clone(&plain)));
        GpuCompiler { plain: Side::new(plain), checked: checked.map(Side::new), host }
    }

    /// The GPU as its kernels' launches share it.
    pub fn host(&self) -> &Arc<GpuHost> {
        &self.host
    }
}

impl KernelCompiler for GpuCompiler {
    fn compile_kernel(
        &self,
        module: &Module,
        options: &KernelOptions,
    ) -> Result<Arc<dyn Kernel>, CompileError> {
        let side = match (options.checks, &self.checked) {
            (Checks::None, _) => &self.plain,
            (_, Some(checked)) => checked,
            (_, None) => {
                let name = module.entry().map_or("", |entry| &entry.name);
                let reason = "the GPU does not check accesses; check them on `cpu`";
                return Err(Declined::kernel(name, reason).into());
            }
        };
        let entry = module.entry().map(|entry| {
            let params = entry.body.params.iter().map(|&id| entry.ty(id).clone());
            (entry.name.clone(), params.collect::<Vec<Type>>())
        });
        let Some((name, params)) = entry else {
            return Err(Declined::module("the module has no function").into());
        };
        Ok(Arc::new(GpuKernel {
            separate: Arc::new(Compiled::of(module, &*side.metal)?),
            shared: Mutex::default(),
            name,
            params,
            module: module.clone(),
            side: Arc::clone(side),
            host: Arc::clone(&self.host),
            is_checked: options.checks != Checks::None,
        }))
    }
}

/// A compiled kernel.
#[derive(Debug)]
pub(super) struct GpuKernel {
    pub(super) name: String,
    pub(super) params: Vec<Type>,
    pub(super) side: Arc<Side>,
    pub(super) host: Arc<GpuHost>,
    pub(super) is_checked: bool,
    module: Module,
    /// For arguments that do not overlap.
    pub(super) separate: Arc<Compiled>,
    /// For arguments that overlap, by what each parameter is.
    shared: Mutex<HashMap<Vec<Alias>, Arc<Compiled>>>,
}

/// A tile function as a pipeline, and the texts on the way to it.
#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) pipeline: Arc<dyn Pipeline>,
    pub(super) translation: Translation,
    /// Whether the kernel follows addresses that it reads or computes.
    pub(super) follows: bool,
    /// For each parameter, whether the kernel may write through it.
    written: Vec<bool>,
}

impl Compiled {
    pub(super) fn of(module: &Module, metal: &dyn Metal) -> Result<Compiled, CompileError> {
        let translation = Translation::of(module, &figures(metal.limits()))?;
        let program = translation.program();
        let options = CompileOptions { language: program.language, ..CompileOptions::default() };
        let compiled = metal.library(&program.source, &options);
        let pipeline = compiled.and_then(|library| library.pipeline(&program.entry, &[]));
        let kernel = || module.entry().map_or_else(String::new, |entry| entry.name.clone());
        let pipeline = pipeline.map_err(|error| Declined::kernel(kernel(), error.to_string()))?;
        let most = pipeline.info().max_total_threads_per_threadgroup;
        if program.threads > most {
            let (needed, most) = (program.threads as usize, most as usize);
            return Err(CompileError::Resources {
                kernel: kernel(),
                what: "threads",
                needed,
                most,
            });
        }
        let origins = Origins::new(module);
        Ok(Compiled {
            follows: follows(module, &origins),
            written: origins.written(),
            pipeline,
            translation,
        })
    }
}

impl Compiled {
    /// A dispatch of a grid of programs, without arguments. [`MetalError::Limit`] if programs that share threadgroups are too many
    /// for the numbers of their threads.
    pub(super) fn dispatch(&self, grid: [u32; 3], limits: &Limits) -> Result<Dispatch, MetalError> {
        let Program { threads, programs, ref entry, .. } = *self.translation.program();
        let pipeline = Arc::clone(&self.pipeline);
        if programs == 1 {
            return Ok(Dispatch::new(pipeline, grid, [threads, 1, 1]));
        }
        let [x, y, z] = grid;
        let width = x.checked_mul(threads).ok_or_else(|| MetalError::Limit {
            what: format!("kernel `{entry}`: programs along x"),
            asked: x.into(),
            limit: (u32::MAX / threads).into(),
            hint: "use larger blocks",
        })?;
        // No core is left without work for the sake of larger threadgroups.
        let all = grid.iter().map(|&n| u64::from(n)).product::<u64>();
        let shared = all / (u64::from(limits.cores.max(1)) * GROUPS);
        let fit = pipeline.info().max_total_threads_per_threadgroup / threads;
        let together = u64::from(programs.min(fit).min(x)).min(shared).max(1) as u32;
        Ok(Dispatch::of_threads(pipeline, [width, y, z], [threads * together, 1, 1]))
    }
}

/// Whether a module has pointers that come from memory or integers.
fn follows(module: &Module, origins: &Origins<'_>) -> bool {
    let mut found = false;
    for func in &module.funcs {
        func.body.walk(&mut |op| {
            found = found || op.defined().any(|value| origins.of(&func.name, value).open);
        });
    }
    found
}

impl GpuKernel {
    /// Whether the kernel uses a parameter, a pointer.
    pub(super) fn uses(&self, param: usize) -> bool {
        self.separate.translation.program().bindings.iter().any(|binding| match binding {
            Binding::Buffer(used) => *used == param,
            Binding::Table(used) => used.contains(&param),
            Binding::Scalars { .. } | Binding::Report => false,
        })
    }

    /// Whether the kernel may write through a parameter.
    pub(super) fn writes(&self, param: usize) -> bool {
        self.separate.written.get(param).copied().unwrap_or(true)
    }

    /// The program for launches whose parameters are related like this.
    pub(super) fn variant(&self, aliases: &[Alias]) -> Result<Arc<Compiled>, CompileError> {
        if aliases.iter().all(|&alias| alias == Alias::Own) {
            return Ok(Arc::clone(&self.separate));
        }
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(variant) = shared.get(aliases) {
            return Ok(Arc::clone(variant));
        }
        let module = alias::apply(&self.module, aliases);
        let variant = Arc::new(Compiled::of(&module, &*self.side.metal)?);
        shared.insert(aliases.to_vec(), Arc::clone(&variant));
        Ok(variant)
    }
}

impl Kernel for GpuKernel {
    fn name(&self) -> &str {
        &self.name
    }

    fn params(&self) -> &[Type] {
        &self.params
    }

    fn written(&self) -> Option<&[bool]> {
        Some(&self.separate.written)
    }

    fn launch(&self, launch: &KernelLaunch<'_>) -> Result<(), LaunchError> {
        self.run(launch)
    }

    fn listings(&self) -> &'static [Listing] {
        LISTINGS
    }

    fn listing(&self, name: &str) -> Option<String> {
        self.separate.translation.listing(name).map(str::to_owned)
    }
}
