//! Libraries and pipelines.

use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;

use objc2::rc::{Retained, autoreleasepool};
use objc2::runtime::ProtocolObject;
use objc2_foundation::{NSArray, NSString};
use objc2_metal::{
    MTLBinding, MTLBindingAccess, MTLBindingType, MTLCompileOptions, MTLComputePipelineDescriptor,
    MTLComputePipelineReflection, MTLComputePipelineState, MTLDataType, MTLDevice, MTLFunction,
    MTLFunctionConstantValues, MTLLanguageVersion, MTLLibrary, MTLMathFloatingPointFunctions,
    MTLMathMode, MTLPipelineOption,
};

use super::archive::Key;
use super::{DEVICE, Device, description, is_macos};
use crate::metal::{
    CompileOptions, ConstantValue, Diagnostic, FunctionConstant, LanguageVersion, Library,
    MathMode, MetalError, Pipeline, PipelineInfo,
};

/// A text that the framework has compiled.
#[derive(Debug)]
pub(super) struct SourceLibrary {
    device: Arc<Device>,
    raw: Retained<ProtocolObject<dyn MTLLibrary>>,
    key: Key,
}

impl SourceLibrary {
    pub(super) fn new(
        device: &Arc<Device>,
        source: &str,
        options: &CompileOptions,
    ) -> Result<SourceLibrary, MetalError> {
        autoreleasepool(|_| {
            let theirs = compile_options(options)?;
            let text = NSString::from_str(source);
            let made = device.raw.newLibraryWithSource_options_error(&text, Some(&theirs));
            let raw =
                made.map_err(|error| MetalError::Compile(Diagnostic::parse(&description(&error))))?;
            let key = device.archives.key(source, options);
            Ok(SourceLibrary { device: Arc::clone(device), raw, key })
        })
    }

    /// The function with values for its constants.
    fn function(
        &self,
        name: &str,
        constants: &[FunctionConstant],
    ) -> Result<Retained<ProtocolObject<dyn MTLFunction>>, MetalError> {
        let text = NSString::from_str(name);
        let plain = self.raw.newFunctionWithName(&text);
        let plain = plain.ok_or_else(|| MetalError::NoFunction {
            name: name.to_owned(),
            known: self.functions(),
        })?;
        let known = plain.functionConstantsDictionary();
        if known.is_empty() {
            return Ok(plain);
        }
        let values = MTLFunctionConstantValues::new();
        for known in known.allValues().iter() {
            let index = u32::try_from(known.index()).unwrap_or(u32::MAX);
            let wrong = |reason: String| {
                Err(MetalError::Constant { kernel: name.to_owned(), index, reason })
            };
            let Some(given) = constants.iter().find(|constant| constant.index == index) else {
                if known.required() {
                    return wrong(format!("`{}` has no value", known.name()));
                }
                continue;
            };
            if data_type(given.value) != known.r#type() {
                let (name, ty) = (known.name(), given.value.type_name());
                return wrong(format!("`{name}` is not of type {ty}, as the value is"));
            }
            set(&values, *given);
        }
        let made = self.raw.newFunctionWithName_constantValues_error(&text, &values);
        made.map_err(|error| MetalError::Compile(Diagnostic::parse(&description(&error))))
    }
}

/// Options as the system takes them.
fn compile_options(options: &CompileOptions) -> Result<Retained<MTLCompileOptions>, MetalError> {
    let CompileOptions { language, math } = *options;
    let (version, system) = match language {
        LanguageVersion::V3_0 => (MTLLanguageVersion::Version3_0, 13),
        LanguageVersion::V3_1 => (MTLLanguageVersion::Version3_1, 14),
        LanguageVersion::V3_2 => (MTLLanguageVersion::Version3_2, 15),
        LanguageVersion::V4_0 => (MTLLanguageVersion::Version4_0, 26),
    };
    if !is_macos(system) {
        let (major, minor) = (language.number() / 100, language.number() / 10 % 10);
        return Err(MetalError::Unavailable {
            device: DEVICE,
            reason: format!("version {major}.{minor} of Metal's language needs macOS {system}"),
            hint: "update the system".to_owned(),
        });
    }
    let theirs = MTLCompileOptions::new();
    theirs.setLanguageVersion(version);
    if is_macos(15) {
        let (mode, functions) = match math {
            MathMode::Safe => (MTLMathMode::Safe, MTLMathFloatingPointFunctions::Precise),
            MathMode::Relaxed => (MTLMathMode::Relaxed, MTLMathFloatingPointFunctions::Fast),
            MathMode::Fast => (MTLMathMode::Fast, MTLMathFloatingPointFunctions::Fast),
        };
        theirs.setMathMode(mode);
        theirs.setMathFloatingPointFunctions(functions);
    } else {
        // Older systems have no mode in between.
        #[allow(deprecated)]
        theirs.setFastMathEnabled(math == MathMode::Fast);
    }
    Ok(theirs)
}

fn data_type(value: ConstantValue) -> MTLDataType {
    match value {
        ConstantValue::Bool(_) => MTLDataType::Bool,
        ConstantValue::Short(_) => MTLDataType::Short,
        ConstantValue::UShort(_) => MTLDataType::UShort,
        ConstantValue::Int(_) => MTLDataType::Int,
        ConstantValue::UInt(_) => MTLDataType::UInt,
        ConstantValue::Float(_) => MTLDataType::Float,
    }
}

fn set(values: &MTLFunctionConstantValues, FunctionConstant { index, value }: FunctionConstant) {
    // A union of all types would do: what the method reads is the type's bytes.
    let mut bytes = [0; 4];
    let used: &[u8] = match value {
        ConstantValue::Bool(value) => &[u8::from(value)],
        ConstantValue::Short(value) => &value.to_ne_bytes(),
        ConstantValue::UShort(value) => &value.to_ne_bytes(),
        ConstantValue::Int(value) => &value.to_ne_bytes(),
        ConstantValue::UInt(value) => &value.to_ne_bytes(),
        ConstantValue::Float(value) => &value.to_ne_bytes(),
    };
    bytes[..used.len()].copy_from_slice(used);
    let word = u32::from_ne_bytes(bytes);
    let address = NonNull::from(&word).cast::<c_void>();
    // SAFETY: the address is aligned, and holds a value of the type; the method copies it. The index is the kernel's.
    unsafe { values.setConstantValue_type_atIndex(address, data_type(value), index as usize) };
}

impl Library for SourceLibrary {
    fn functions(&self) -> Vec<String> {
        autoreleasepool(|_| self.raw.functionNames().iter().map(|name| name.to_string()).collect())
    }

    fn pipeline(
        &self,
        function: &str,
        constants: &[FunctionConstant],
    ) -> Result<Arc<dyn Pipeline>, MetalError> {
        autoreleasepool(|_| {
            let compiled = self.function(function, constants)?;
            let descriptor = MTLComputePipelineDescriptor::new();
            descriptor.setLabel(Some(&NSString::from_str(function)));
            descriptor.setComputeFunction(Some(&compiled));
            let device = &self.device;
            let key = self.key.of_kernel(function, constants);
            let stored = device.archives.open(&device.raw, &key);
            if let Some(stored) = &stored {
                descriptor.setBinaryArchives(Some(&NSArray::from_slice(&[&**stored])));
            }
            let mut reflection = None;
            let raw = device
                .raw
                .newComputePipelineStateWithDescriptor_options_reflection_error(
                    &descriptor,
                    MTLPipelineOption::BindingInfo,
                    Some(&mut reflection),
                )
                .map_err(|error| MetalError::Compile(Diagnostic::parse(&description(&error))))?;
            let static_bytes = raw.staticThreadgroupMemoryLength() as u64;
            let most = device.limits.max_threadgroup_bytes;
            if static_bytes > u64::from(most) {
                return Err(MetalError::Limit {
                    what: format!("kernel `{function}`: threadgroup memory in bytes"),
                    asked: static_bytes,
                    limit: most.into(),
                    hint: "use smaller tiles",
                });
            }
            if stored.is_none() {
                device.archives.store(&device.raw, &key, &descriptor);
            }
            let fit = |figure: usize| u32::try_from(figure).unwrap_or(u32::MAX);
            let info = PipelineInfo {
                function: function.to_owned(),
                max_total_threads_per_threadgroup: fit(raw.maxTotalThreadsPerThreadgroup()),
                static_threadgroup_bytes: static_bytes as u32, // at most the limit
                execution_width: fit(raw.threadExecutionWidth()),
            };
            let parameters = reflection.as_deref().map(parameters).unwrap_or_default();
            Ok(Arc::new(ComputePipeline { device: Arc::clone(device), raw, info, parameters })
                as Arc<dyn Pipeline>)
        })
    }
}

/// A parameter of a kernel that is a buffer.
#[derive(Debug)]
pub(super) struct Parameter {
    pub(super) slot: u32,
    pub(super) name: String,
    pub(super) writes: bool,
}

/// The parameters of a kernel, as the compiler reports them.
fn parameters(reflection: &MTLComputePipelineReflection) -> Vec<Parameter> {
    let parameter = |binding: Retained<ProtocolObject<dyn MTLBinding>>| {
        let is_buffer = binding.r#type() == MTLBindingType::Buffer && binding.isUsed();
        is_buffer.then(|| Parameter {
            slot: u32::try_from(binding.index()).unwrap_or(u32::MAX),
            name: binding.name().to_string(),
            writes: binding.access() != MTLBindingAccess::ReadOnly,
        })
    };
    reflection.bindings().iter().filter_map(parameter).collect()
}

/// A compiled kernel.
#[derive(Debug)]
pub(super) struct ComputePipeline {
    device: Arc<Device>,
    raw: Retained<ProtocolObject<dyn MTLComputePipelineState>>,
    info: PipelineInfo,
    pub(super) parameters: Vec<Parameter>,
}

impl ComputePipeline {
    /// The pipeline, for queues of the device it belongs to.
    pub(super) fn of(
        &self,
        device: &Arc<Device>,
    ) -> Option<&ProtocolObject<dyn MTLComputePipelineState>> {
        Arc::ptr_eq(&self.device, device).then_some(&*self.raw)
    }
}

impl Pipeline for ComputePipeline {
    fn info(&self) -> &PipelineInfo {
        &self.info
    }
}
