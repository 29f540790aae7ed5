//! From a tile function to a pipeline.

use std::sync::Arc;

use trident_ir::tile::Origins;
use trident_ir::{Module, Type};
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
        let limits = metal.limits();
        let figures = Figures {
            threads: limits.max_threads_per_threadgroup,
            threadgroup: limits.max_threadgroup_bytes as usize,
            ..Figures::APPLE
        };
        let lowered = lane::lower(module, &figures)
            .map_err(|error| Declined { op: error.op, reason: error.reason })?;
        let program = msl::write(&lowered.module)?;
        let language = CompileOptions { language: program.language, ..CompileOptions::default() };
        let compiled = metal.library(&program.source, &language);
        let pipeline = compiled.and_then(|library| library.pipeline(&program.entry, &[]));
        let pipeline = pipeline.map_err(|error| Declined {
            op: format!("kernel `{name}`"),
            reason: error.to_string(),
        })?;
        let most = pipeline.info().max_total_threads_per_threadgroup;
        if program.threads > most {
            let reason = format!(
                "needs {} threads for a program, and its registers allow {most}",
                program.threads
            );
            return Err(Declined { op: format!("kernel `{name}`"), reason });
        }
        Ok(Arc::new(GpuKernel {
            name,
            params,
            written: Origins::new(module).written(),
            metal: Arc::clone(metal),
            is_checked: options.checks != Checks::None,
            pipeline,
            program,
            plan: lowered.plan,
            lane: lowered.module.to_string(),
        }))
    }
}

/// A compiled kernel.
#[derive(Debug)]
pub(super) struct GpuKernel {
    pub(super) name: String,
    pub(super) params: Vec<Type>,
    pub(super) written: Vec<bool>,
    pub(super) metal: Arc<dyn Metal>,
    pub(super) is_checked: bool,
    pub(super) pipeline: Arc<dyn Pipeline>,
    pub(super) program: Program,
    plan: String,
    lane: String,
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
        Some(&self.written)
    }

    fn launch(&self, launch: &KernelLaunch<'_>) -> Result<(), LaunchError> {
        self.run(launch)
    }

    fn listings(&self) -> &'static [Listing] {
        LISTINGS
    }

    fn listing(&self, name: &str) -> Option<String> {
        match name {
            "plan" => Some(self.plan.clone()),
            "lane" => Some(self.lane.clone()),
            "msl" => Some(self.program.source.clone()),
            _ => None,
        }
    }
}
