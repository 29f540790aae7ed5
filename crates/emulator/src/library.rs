//! Libraries and pipelines.

use crate::device::Device;
use crate::exec::Image;
use crate::lint::lint;
use crate::text::{Kernel, Program, rewrite, unseen};
use std::fmt;
use std::sync::Arc;
use trident_apple::metal::{
    CompileOptions, FunctionConstant, Library, MetalError, Pipeline, PipelineInfo,
};

/// A text that was checked.
pub(crate) struct HostLibrary {
    device: Arc<Device>,
    pub program: Program,
    options: CompileOptions,
    /// The compiled text, if it has no function constants.
    _image: Option<Arc<Image>>,
}

impl fmt::Debug for HostLibrary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostLibrary").field("kernels", &self.functions()).finish()
    }
}

impl HostLibrary {
    pub(crate) fn new(
        device: Arc<Device>,
        source: &str,
        options: CompileOptions,
    ) -> Result<HostLibrary, MetalError> {
        let mut found = lint(source, options.language);
        if device.options.check.is_some() {
            found.extend(unseen(source));
        }
        if !found.is_empty() {
            return Err(MetalError::Compile(found));
        }
        let program = rewrite(source).map_err(MetalError::Compile)?;
        let image = if program.constants.is_empty() {
            Some(device.image(&program, &[], &options)?)
        } else {
            device.clang.verify(&program, &options)?;
            None
        };
        Ok(HostLibrary { device, program, options, _image: image })
    }
}

impl Library for HostLibrary {
    fn functions(&self) -> Vec<String> {
        self.program.kernels.iter().map(|kernel| kernel.name.clone()).collect()
    }

    fn pipeline(
        &self,
        function: &str,
        constants: &[FunctionConstant],
    ) -> Result<Arc<dyn Pipeline>, MetalError> {
        let kernel = self.program.kernels.iter().find(|kernel| kernel.name == function);
        let Some(kernel) = kernel else {
            let (name, known) = (function.to_owned(), self.functions());
            return Err(MetalError::NoFunction { name, known });
        };
        self.check_constants(function, constants)?;
        let image = self.device.image(&self.program, constants, &self.options)?;
        let extents = kernel.variables.iter().filter_map(|(n, _)| image.variables().get(*n));
        let bytes = extents.fold(0, |at: usize, extent| {
            at.next_multiple_of(extent.align.max(1)).saturating_add(extent.bytes)
        });
        let limits = &self.device.options.limits;
        if bytes > limits.max_threadgroup_bytes as usize {
            return Err(MetalError::Limit {
                what: format!("kernel `{function}`: threadgroup memory in bytes"),
                asked: bytes as u64,
                limit: limits.max_threadgroup_bytes.into(),
                hint: "use smaller tiles",
            });
        }
        let most = limits.max_threads_per_threadgroup;
        let info = PipelineInfo {
            function: function.to_owned(),
            max_total_threads_per_threadgroup: kernel.max_threads.unwrap_or(most).min(most),
            static_threadgroup_bytes: bytes as u32, // at most the limit
            execution_width: limits.simd_width,
        };
        Ok(Arc::new(HostPipeline {
            device: Arc::clone(&self.device),
            info,
            kernel: kernel.clone(),
            image,
        }))
    }
}

impl HostLibrary {
    fn check_constants(
        &self,
        function: &str,
        constants: &[FunctionConstant],
    ) -> Result<(), MetalError> {
        for known in &self.program.constants {
            let given = constants.iter().find(|constant| constant.index == known.index);
            let reason = match given.map(|constant| constant.value.type_name()) {
                Some(ty) if ty != known.ty => {
                    format!("`{}` has type {}, and the value {ty}", known.name, known.ty)
                }
                None if known.used => format!("`{}` has no value", known.name),
                _ => continue,
            };
            let kernel = function.to_owned();
            return Err(MetalError::Constant { kernel, index: known.index, reason });
        }
        Ok(())
    }
}

/// A compiled kernel.
#[derive(Debug)]
pub(crate) struct HostPipeline {
    pub device: Arc<Device>,
    pub info: PipelineInfo,
    pub kernel: Kernel,
    pub image: Arc<Image>,
}

impl Pipeline for HostPipeline {
    fn info(&self) -> &PipelineInfo {
        &self.info
    }
}
