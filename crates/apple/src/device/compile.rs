//! From a tile function to a pipeline.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use trident_ir::tile::Origins;
use trident_ir::{Module, Type, ValueId};
use trident_lower::lane::{self, Figures};
use trident_runtime::{
    Checks, Declined, Kernel, KernelCompiler, KernelLaunch, KernelOptions, LaunchError, Listing,
};

use crate::metal::{CompileOptions, Metal, Pipeline};
use crate::msl::{self, Program};

/// Compiles kernels for Metal devices: one for kernels without checks, and maybe one that checks what kernels do.
#[derive(Clone, Debug)]
pub struct GpuCompiler {
    plain: Arc<dyn Metal>,
    checked: Option<Arc<dyn Metal>>,
}

impl GpuCompiler {
    /// A compiler whose kernels run on `plain`; those that check their accesses run on `checked`, and are declined without it.
    pub fn new(plain: Arc<dyn Metal>, checked: Option<Arc<dyn Metal>>) -> GpuCompiler {
        GpuCompiler { plain, checked }
    }
}

impl KernelCompiler for GpuCompiler {
    fn compile_kernel(
        &self,
        module: &Module,
        options: &KernelOptions,
    ) -> Result<Arc<dyn Kernel>, Declined> {
        let metal = match (options.checks, &self.checked) {
            (Checks::None, _) => &self.plain,
            (_, Some(checked)) => checked,
            (_, None) => {
                let reason = "the GPU does not check accesses; check them on `cpu`".to_owned();
                return Err(Declined { op: "kernel".into(), reason });
            }
        };
        let entry = module.entry().map(|entry| {
            let params = entry.body.params.iter().map(|&id| entry.ty(id).clone());
            (entry.name.clone(), params.collect::<Vec<Type>>())
        });
        let Some((name, params)) = entry else {
            return Err(Declined { op: "module".into(), reason: "has no function".into() });
        };
        Ok(Arc::new(GpuKernel {
            separate: Arc::new(Variant::of(module, &**metal)?),
            shared: Mutex::default(),
            name,
            params,
            module: module.clone(),
            metal: Arc::clone(metal),
            is_checked: options.checks != Checks::None,
        }))
    }
}

/// A compiled kernel.
#[derive(Debug)]
pub(super) struct GpuKernel {
    pub(super) name: String,
    pub(super) params: Vec<Type>,
    pub(super) metal: Arc<dyn Metal>,
    pub(super) is_checked: bool,
    module: Module,
    /// For arguments that do not overlap.
    separate: Arc<Variant>,
    /// For launches in which parameters point to the same memory: by the first parameter that points to each one's.
    shared: Mutex<HashMap<Vec<usize>, Arc<Variant>>>,
}

/// The program for launches whose arguments overlap in one way.
#[derive(Debug)]
pub(super) struct Variant {
    pub(super) pipeline: Arc<dyn Pipeline>,
    pub(super) program: Program,
    /// For each parameter, whether the kernel may write through it.
    pub(super) written: Vec<bool>,
    plan: String,
    lane: String,
}

impl Variant {
    fn of(module: &Module, metal: &dyn Metal) -> Result<Variant, Declined> {
        let limits = metal.limits();
        let figures = Figures {
            threads: limits.max_threads_per_threadgroup,
            threadgroup: limits.max_threadgroup_bytes as usize,
            ..Figures::APPLE
        };
        let lowered = lane::lower(module, &figures)
            .map_err(|error| Declined { op: error.op, reason: error.reason })?;
        let program = msl::write(&lowered.module)?;
        let compiled = metal.library(&program.source, &CompileOptions::default());
        let pipeline = compiled.and_then(|library| library.pipeline(&program.entry, &[]));
        let declined = |reason| Declined { op: format!("kernel `{}`", program.entry), reason };
        let pipeline = pipeline.map_err(|error| declined(error.to_string()))?;
        let most = pipeline.info().max_total_threads_per_threadgroup;
        if program.threads > most {
            return Err(declined(format!(
                "needs {} threads for a program, and its registers allow {most}",
                program.threads
            )));
        }
        Ok(Variant {
            written: Origins::new(module).written(),
            pipeline,
            program,
            plan: lowered.plan,
            lane: lowered.module.to_string(),
        })
    }
}

impl GpuKernel {
    /// The program for launches in which parameter `i` points to the memory of parameter `first[i]`.
    pub(super) fn variant(&self, first: &[usize]) -> Result<Arc<Variant>, Declined> {
        if first.iter().enumerate().all(|(i, &first)| i == first) {
            return Ok(Arc::clone(&self.separate));
        }
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(variant) = shared.get(first) {
            return Ok(Arc::clone(variant));
        }
        let mut module = self.module.clone();
        if let Some(entry) = module.funcs.first_mut() {
            let params = &entry.body.params;
            let names = first.iter().enumerate().map(|(i, &first)| (params[i], params[first]));
            let names: HashMap<ValueId, ValueId> = names.collect();
            entry.body.ops.iter_mut().for_each(|op| op.rename(&names));
        }
        let variant = Arc::new(Variant::of(&module, &*self.metal)?);
        shared.insert(first.to_vec(), Arc::clone(&variant));
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
