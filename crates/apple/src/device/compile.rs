//! From a tile function to a pipeline.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use trident_ir::tile::Origins;
use trident_ir::{DType, Module, Type};
use trident_lower::lane::{self, Figures, LowerError, Unsupported};
use trident_runtime::{
    Checks, CompileError, Declined, Kernel, KernelCompiler, KernelLaunch, KernelOptions,
    LaunchError, Listing,
};

use super::alias::{self, Alias};
use super::host::{GpuHost, KeptQueue};
use crate::metal::{CompileOptions, Dispatch, Family, Limits, Metal, MetalError, Pipeline};
use crate::msl::{self, Binding, Program};

/// Threadgroups of each core below which programs get threadgroups of their own.
const GROUPS: u64 = 8;

/// Compiles kernels for Metal devices: one for kernels without checks, and maybe one that checks what kernels do.
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
    /// A compiler whose kernels run on `plain`; those that check their accesses run on `checked`, and are declined without it.
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
                let reason = "the GPU does not check accesses; check them on `cpu`".to_owned();
                return Err(Declined { op: "kernel".into(), reason }.into());
            }
        };
        let entry = module.entry().map(|entry| {
            let params = entry.body.params.iter().map(|&id| entry.ty(id).clone());
            (entry.name.clone(), params.collect::<Vec<Type>>())
        });
        let Some((name, params)) = entry else {
            return Err(Declined { op: "module".into(), reason: "has no function".into() }.into());
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

/// What plans depend on, from a device's limits.
pub(super) fn figures(limits: &Limits) -> Figures {
    Figures {
        threads: limits.max_threads_per_threadgroup,
        threadgroup: limits.max_threadgroup_bytes as usize,
        tensors: limits.family >= Family::Apple10,
        ..Figures::APPLE
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

/// Declines the first op on 64-bit floats, which Metal lacks. It has a place in the source, which what it becomes may have lost.
fn native(module: &Module) -> Result<(), Declined> {
    let mut found = None;
    for func in &module.funcs {
        func.body.walk(&mut |op| {
            let is_wide = |id| match func.ty(id) {
                Type::Pointer(to) => to.to == DType::F64,
                ty => ty.dtype() == Some(DType::F64),
            };
            if op.used().chain(op.defined()).any(is_wide) {
                let reason = "Metal has no element type f64".to_owned();
                found.get_or_insert(Declined { op: op.describe(), reason });
            }
        });
    }
    found.map_or(Ok(()), Err)
}

/// A tile function as a pipeline, and the texts on the way to it.
#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) pipeline: Arc<dyn Pipeline>,
    pub(super) program: Program,
    /// Whether the kernel accesses whole words at both ends of tensors.
    pub(super) exchanges_words: bool,
    /// Whether the kernel follows addresses that it reads or computes.
    pub(super) follows: bool,
    /// For each parameter, whether the kernel may write through it.
    written: Vec<bool>,
    plan: String,
    lane: String,
}

impl Compiled {
    pub(super) fn of(module: &Module, metal: &dyn Metal) -> Result<Compiled, CompileError> {
        let kernel = module.entry().map_or("", |entry| &entry.name);
        let resources = |what, needed, most| CompileError::Resources {
            kernel: kernel.to_owned(),
            what,
            needed,
            most,
        };
        native(module)?;
        let lowered =
            lane::lower(module, &figures(metal.limits())).map_err(|error| match error {
                LowerError::Unsupported(Unsupported { op, reason, .. }) => {
                    Declined { op, reason }.into()
                }
                LowerError::Threadgroup { needed, most } => {
                    resources("bytes of threadgroup memory", needed, most)
                }
                LowerError::Registers { needed, most, .. } => {
                    resources("bytes of registers", needed, most)
                }
            })?;
        let program = msl::write(&lowered.module, lowered.programs)?;
        let options = CompileOptions { language: program.language, ..CompileOptions::default() };
        let compiled = metal.library(&program.source, &options);
        let pipeline = compiled.and_then(|library| library.pipeline(&program.entry, &[]));
        let pipeline = pipeline.map_err(|error| Declined {
            op: format!("kernel `{kernel}`"),
            reason: error.to_string(),
        })?;
        let most = pipeline.info().max_total_threads_per_threadgroup;
        if program.threads > most {
            return Err(resources("threads", program.threads as usize, most as usize));
        }
        let origins = Origins::new(module);
        Ok(Compiled {
            follows: follows(module, &origins),
            written: origins.written(),
            exchanges_words: lowered.exchanges_words,
            pipeline,
            program,
            plan: lowered.plan,
            lane: lowered.module.to_string(),
        })
    }
}

impl Compiled {
    /// A dispatch of a grid of programs, without arguments. [`MetalError::Limit`] if programs that share threadgroups are too many
    /// for the numbers of their threads.
    pub(super) fn dispatch(&self, grid: [u32; 3], limits: &Limits) -> Result<Dispatch, MetalError> {
        let Program { threads, programs, .. } = self.program;
        let pipeline = Arc::clone(&self.pipeline);
        if programs == 1 {
            return Ok(Dispatch::new(pipeline, grid, [threads, 1, 1]));
        }
        let [x, y, z] = grid;
        let width = x.checked_mul(threads).ok_or_else(|| MetalError::Limit {
            what: format!("kernel `{}`: programs along x", self.program.entry),
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
        self.separate.program.bindings.iter().any(|binding| match binding {
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

/// The texts of a kernel.
const LISTINGS: &[Listing] = &[
    Listing { name: "plan", about: "which thread holds which elements" },
    Listing { name: "lane", about: "what each thread computes" },
    Listing { name: "msl", about: "the Metal program" },
];

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
        match name {
            "plan" => Some(self.separate.plan.clone()),
            "lane" => Some(self.separate.lane.clone()),
            "msl" => Some(self.separate.program.source.clone()),
            _ => None,
        }
    }
}
