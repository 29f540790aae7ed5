//! Defaults that a configuration leaves out.

use crate::accelerators::Fallback;
use crate::config::*;
use crate::invalid::ConfigError;
use crate::model::PADDLE_FILES;

/// The backend of ONNX models, its platform and its file.
const ONNX: (&str, &str, &str) = ("onnxruntime", "onnxruntime_onnx", "model.onnx");

/// The backends that are this engine, so that existing repositories start unchanged.
pub const BACKENDS: [&str; 4] = ["trident", "metal_mps", "onnxruntime", PADDLE];

/// The backend of Paddle models. It has no platform, and its configurations name no file.
pub(crate) const PADDLE: &str = "paddle";

/// The backend of Python models and its file.
const PYTHON: (&str, &str) = ("python", "model.py");

/// The default of the longest time of a sequence without requests, in µs.
const SEQUENCE_IDLE: u64 = 1_000_000;

/// The machine's hardware.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Host {
    /// Numbers of the GPUs that instances of `KIND_GPU` may use.
    pub gpus: Vec<i32>,
}

impl ModelConfig {
    /// Names the model by its folder, and the backend by platform, file name or `files`, the content of a version's folder.
    pub fn complete_backend(&mut self, folder: &str, files: &[&str]) -> Result<(), ConfigError> {
        if self.name.is_empty() {
            self.name = folder.to_owned();
        } else if self.name != folder {
            let (model, folder) = (self.name.clone(), folder.to_owned());
            return Err(ConfigError::Name { model, folder });
        }
        let nothing = |config: &ModelConfig| {
            config.platform.is_empty() && config.default_model_filename.is_empty()
        };
        let (onnx, onnx_platform, onnx_file) = ONNX;
        let (python, python_file) = PYTHON;
        if self.backend.is_empty() {
            let has = |file: &str| {
                self.default_model_filename == file || nothing(self) && files.contains(&file)
            };
            if self.platform == onnx_platform || has(onnx_file) {
                self.backend = onnx.into();
            } else if has(python_file) {
                self.backend = python.into();
            } else if PADDLE_FILES.iter().any(|file| has(file)) {
                self.backend = PADDLE.into();
            } else if nothing(self) {
                let Some((_, backend)) = self.name.split_once('.') else {
                    return Err(ConfigError::NoBackend { model: self.name.clone() });
                };
                self.default_model_filename = format!("model.{backend}");
                self.backend = backend.to_owned();
            }
        }
        let (platform, file) = match &*self.backend {
            name if name == onnx => (onnx_platform, onnx_file),
            name if name == python => ("", python_file),
            _ => return Ok(()),
        };
        if self.platform.is_empty() {
            self.platform = platform.into();
        }
        if self.default_model_filename.is_empty() {
            self.default_model_filename = file.into();
        }
        Ok(())
    }

    /// Moves instances that request GPUs to the CPU if the host has no GPU, unless the parameter `fallback` is
    /// `refused`. To be called before [`ModelConfig::normalize`]; without it, [`ModelConfig::validate`] refuses them,
    /// as the server does.
    ///
    /// Returns the paths of the fields that request GPUs: `instance_group[0].kind`.
    ///
    /// # Errors
    /// Another value of `fallback`, or a GPU with a negative number, which no host has.
    pub fn fall_back(&mut self, host: &Host) -> Result<Vec<String>, ConfigError> {
        if !host.gpus.is_empty() || Fallback::of(self)? == Fallback::Refused {
            return Ok(vec![]);
        }
        let mut fields = vec![];
        for (index, group) in self.instance_group.iter_mut().enumerate() {
            let field = match group.kind {
                InstanceKind::Gpu => "kind",
                InstanceKind::Auto if !group.gpus.is_empty() => "gpus",
                _ => continue,
            };
            // No host has such a GPU.
            if let Some(gpu) = group.gpus.iter().copied().find(|gpu| *gpu < 0) {
                let (model, mut name) = (self.name.clone(), group.name.clone());
                if name.is_empty() {
                    name = format!("{model}_{index}");
                }
                return Err(ConfigError::Gpu { model, group: name, gpu });
            }
            group.kind = InstanceKind::Cpu;
            group.gpus.clear();
            fields.push(format!("instance_group[{index}].{field}"));
        }
        Ok(fields)
    }

    /// Fills in the defaults of the server.
    pub fn normalize(&mut self, host: &Host) {
        self.version_policy.get_or_insert(ModelVersionPolicy {
            choice: VersionPolicyChoice::Latest(LatestVersions { num_versions: 1 }),
        });
        let largest = (self.max_batch_size > 0).then_some(self.max_batch_size);
        match &mut self.scheduling {
            SchedulingChoice::Unset => {}
            // The models of the steps have instances, the ensemble has none.
            SchedulingChoice::Ensemble(_) => return,
            SchedulingChoice::Dynamic(batching) => {
                if batching.preferred_batch_size.is_empty() {
                    batching.preferred_batch_size.extend(largest);
                }
            }
            SchedulingChoice::Sequence(batching) => {
                if batching.max_sequence_idle_microseconds == 0 {
                    batching.max_sequence_idle_microseconds = SEQUENCE_IDLE;
                }
                if let SequenceStrategy::Oldest(oldest) = &mut batching.strategy
                    && oldest.preferred_batch_size.is_empty()
                {
                    oldest.preferred_batch_size.extend(largest);
                }
            }
        }
        let optimization = self.optimization.get_or_insert_default();
        let pinned = || PinnedMemoryBuffer { enable: true };
        optimization.input_pinned_memory.get_or_insert_with(pinned);
        optimization.output_pinned_memory.get_or_insert_with(pinned);
        self.normalize_instances(host);
    }

    fn normalize_instances(&mut self, host: &Host) {
        if self.instance_group.is_empty() {
            let name = self.name.clone();
            self.instance_group.push(ModelInstanceGroup { name, ..Default::default() });
        }
        for (index, group) in self.instance_group.iter_mut().enumerate() {
            if group.name.is_empty() {
                group.name = format!("{}_{index}", self.name);
            }
            if group.kind == InstanceKind::Auto {
                let there =
                    !host.gpus.is_empty() && group.gpus.iter().all(|n| host.gpus.contains(n));
                group.kind = if there { InstanceKind::Gpu } else { InstanceKind::Cpu };
            }
            if group.count == 0 {
                let two = ["onnxruntime", "tensorflow"].contains(&&*self.backend);
                group.count = if two && group.kind == InstanceKind::Cpu { 2 } else { 1 };
            }
            if group.kind == InstanceKind::Gpu && group.gpus.is_empty() {
                group.gpus.clone_from(&host.gpus);
            }
        }
    }
}
