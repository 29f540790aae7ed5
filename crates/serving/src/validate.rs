//! Rules that fields of a configuration must obey together.

use crate::config::*;
use crate::ensemble::check_flow;
use crate::invalid::{ConfigError, GroupFault};
use crate::normalize::Host;

/// The platform of models that are made of others.
const ENSEMBLE: &str = "ensemble";

impl ModelConfig {
    /// Checks a normalised configuration.
    pub fn validate(&self, host: &Host) -> Result<(), ConfigError> {
        self.validate_backend()?;
        if self.max_batch_size < 0 {
            return Err(ConfigError::MaxBatchSize { model: self.name.clone() });
        }
        match &self.scheduling {
            SchedulingChoice::Dynamic(batching) => self.validate_dynamic(batching)?,
            SchedulingChoice::Sequence(batching) => self.validate_sequence(batching)?,
            SchedulingChoice::Ensemble(ensembling) => check_flow(self, ensembling)?,
            SchedulingChoice::Unset => {}
        }
        let decoupled = self.model_transaction_policy.as_ref().is_some_and(|p| p.decoupled);
        if decoupled && self.caches_responses() {
            return Err(ConfigError::CachedDecoupled { model: self.name.clone() });
        }
        let controls = self.model_metrics.iter().flat_map(|metrics| &metrics.metric_control);
        for (at, control) in controls.enumerate() {
            let buckets = control.histogram_options.iter().flat_map(|options| &options.buckets);
            let has_numbers = buckets.clone().all(|bound| bound.is_finite());
            if !has_numbers || !buckets.is_sorted_by(|one, next| one < next) {
                return Err(ConfigError::Buckets { model: self.name.clone(), at });
            }
        }
        for (at, input) in self.input.iter().enumerate() {
            let ModelInput { name, data_type, dims, reshape, .. } = input;
            let place = format!("input[{at}]");
            self.validate_tensor(&place, "model input", name, *data_type, dims, reshape.as_ref())?;
            if input.format != ImageFormat::None && dims.len() != 3 {
                let field = format!("{place}.format");
                return Err(self.tensor(field, "model input NHWC/NCHW".into(), "require 3 dims"));
            }
            self.validate_tensor_rt(&place, input.is_shape_tensor, input.is_non_linear_format_io)?;
        }
        for (at, output) in self.output.iter().enumerate() {
            let ModelOutput { name, data_type, dims, reshape, .. } = output;
            let place = format!("output[{at}]");
            self.validate_tensor(&place, "model output", name, *data_type, dims, reshape.as_ref())?;
            let non_linear = output.is_non_linear_format_io;
            self.validate_tensor_rt(&place, output.is_shape_tensor, non_linear)?;
        }
        self.instance_group.iter().try_for_each(|group| self.validate_group(group, host))?;
        self.validate_ragged()
    }

    fn validate_backend(&self) -> Result<(), ConfigError> {
        let (model, platform) = (self.name.clone(), self.platform.clone());
        let ensemble = matches!(self.scheduling, SchedulingChoice::Ensemble(_));
        if model.is_empty() {
            Err(ConfigError::NoName)
        } else if platform == ENSEMBLE {
            match (self.backend.is_empty(), ensemble) {
                (false, _) => Err(ConfigError::EnsembleBackend { model }),
                (true, false) => Err(ConfigError::NoEnsembleScheduling { model }),
                (true, true) => Ok(()),
            }
        } else if self.backend.is_empty() {
            Err(ConfigError::Platform { model, platform })
        } else if ensemble {
            Err(ConfigError::NoEnsemble { model })
        } else if self.backend == "onnxruntime" && platform != "onnxruntime_onnx" {
            Err(ConfigError::PlatformOfBackend { platform, backend: self.backend.clone() })
        } else {
            Ok(())
        }
    }

    /// Whether its answers are to be kept.
    pub(crate) fn caches_responses(&self) -> bool {
        self.response_cache.as_ref().is_some_and(|cache| cache.enable)
    }

    fn validate_dynamic(&self, batching: &ModelDynamicBatching) -> Result<(), ConfigError> {
        let model = || self.name.clone();
        self.validate_sizes(&batching.preferred_batch_size, "dynamic batching preferred size")?;
        let levels = batching.priority_levels;
        if levels != 0 {
            if !(1..=levels).contains(&batching.default_priority_level) {
                return Err(ConfigError::DefaultPriority { model: model(), levels });
            }
            if !batching.priority_queue_policy.keys().all(|level| (1..=levels).contains(level)) {
                return Err(ConfigError::QueuePriority { model: model(), levels });
            }
        }
        if batching.preserve_ordering {
            if levels > 1 {
                return Err(ConfigError::OrderedPriorities { model: model() });
            }
            let policies = batching.priority_queue_policy.values();
            let delays = |policy: &ModelQueuePolicy| {
                policy.default_timeout_microseconds != 0
                    && policy.timeout_action == TimeoutAction::Delay
            };
            if policies.chain(&batching.default_queue_policy).any(delays) {
                return Err(ConfigError::OrderedDelay { model: model() });
            }
        }
        Ok(())
    }

    fn validate_sizes(&self, sizes: &[i32], scheduler: &'static str) -> Result<(), ConfigError> {
        let model = self.name.clone();
        if sizes.iter().any(|size| *size <= 0) {
            return Err(ConfigError::PreferredSizePositive { model, scheduler });
        }
        if sizes.iter().any(|size| *size > self.max_batch_size) {
            return Err(ConfigError::PreferredSizeTooLarge { model, scheduler });
        }
        Ok(())
    }

    fn validate_sequence(&self, batching: &ModelSequenceBatching) -> Result<(), ConfigError> {
        let model = || self.name.clone();
        if self.caches_responses() {
            return Err(ConfigError::CachedSequences { model: model() });
        }
        for (index, input) in batching.control_input.iter().enumerate() {
            if input.name.is_empty() {
                return Err(ConfigError::ControlName { model: model() });
            }
            let before = &batching.control_input[..index];
            if before.iter().any(|other| other.name == input.name) || input.control.len() > 1 {
                let (model, tensor) = (model(), input.name.clone());
                return Err(ConfigError::ControlTwice { model, tensor });
            }
        }
        let controls = batching.control_input.iter().flat_map(|input| &input.control);
        let mut seen = vec![];
        for control in controls {
            if seen.contains(&control.kind) {
                return Err(ConfigError::ControlKindTwice { model: model(), kind: control.kind });
            }
            seen.push(control.kind);
            self.validate_control(control)?;
        }
        match &batching.strategy {
            SequenceStrategy::Oldest(oldest) => {
                let scheduler = "sequence batching preferred batch size";
                self.validate_sizes(&oldest.preferred_batch_size, scheduler)
            }
            SequenceStrategy::Direct(direct)
                if !(0.0..=1.0).contains(&direct.minimum_slot_utilization) =>
            {
                Err(ConfigError::SlotUtilization { model: model() })
            }
            _ => Ok(()),
        }
    }

    fn validate_control(&self, control: &SequenceControl) -> Result<(), ConfigError> {
        let (model, kind) = (self.name.clone(), control.kind);
        let values = [
            ("int32_false_true", control.int32_false_true.len()),
            ("fp32_false_true", control.fp32_false_true.len()),
            ("bool_false_true", control.bool_false_true.len()),
        ];
        let mut given = values.into_iter().filter(|(_, count)| *count > 0);
        let (first, second) = (given.next(), given.next());
        if kind == SequenceControlKind::Corrid {
            let known = matches!(
                control.data_type,
                DataType::Uint64
                    | DataType::Int64
                    | DataType::Uint32
                    | DataType::Int32
                    | DataType::String
            );
            return match first {
                Some(_) => Err(ConfigError::CorridValues { model }),
                None if !known => Err(ConfigError::CorridType { model }),
                None => Ok(()),
            };
        }
        match (first, second) {
            (None, _) => Err(ConfigError::ControlValues { model, kind }),
            (_, Some(_)) => Err(ConfigError::ControlValuesTwice { model, kind }),
            (Some((field, count)), None) if count != 2 => {
                Err(ConfigError::ControlTwoValues { model, kind, field })
            }
            _ => Ok(()),
        }
    }

    fn tensor(&self, field: String, tensor: String, fault: &'static str) -> ConfigError {
        ConfigError::Tensor { model: self.name.clone(), tensor, fault, field }
    }

    /// Checks an input or output, whose path is `place`.
    fn validate_tensor(
        &self,
        place: &str,
        role: &str,
        name: &str,
        data_type: DataType,
        dims: &[i64],
        reshape: Option<&ModelTensorReshape>,
    ) -> Result<(), ConfigError> {
        let fault = |field: &str, fault| {
            Err(self.tensor(format!("{place}.{field}"), format!("{role} '{name}'"), fault))
        };
        let valid = |dims: &[i64]| dims.iter().all(|dim| *dim >= 1 || *dim == -1);
        if name.is_empty() {
            return Err(self.tensor(format!("{place}.name"), role.into(), "must specify 'name'"));
        }
        if data_type == DataType::Invalid {
            return fault("data_type", "must specify 'data_type'");
        }
        if dims.is_empty() {
            return fault("dims", "must specify 'dims'");
        }
        if !valid(dims) {
            return fault(
                "dims",
                "dimension must be integer >= 1, or -1 to indicate a variable-size dimension",
            );
        }
        let Some(ModelTensorReshape { shape }) = reshape else { return Ok(()) };
        if shape.is_empty() && self.max_batch_size == 0 {
            return fault(
                "reshape",
                "cannot have empty reshape for non-batching model as scalar tensors are not supported",
            );
        }
        if !valid(shape) {
            return fault(
                "reshape.shape",
                "reshape dimensions must be integer >= 1, or -1 to indicate a variable-size dimension",
            );
        }
        let (from, to) = (pieces(dims), pieces(shape));
        if from.len() != to.len() {
            return fault(
                "reshape.shape",
                "has different number of variable-size dimensions for dims and reshape",
            );
        }
        // Numbers of elements that no integer holds are never equal.
        if from.iter().zip(&to).any(|(from, to)| from.is_none() || from != to) {
            return fault("reshape.shape", "has different size for dims and reshape");
        }
        Ok(())
    }

    fn validate_tensor_rt(
        &self,
        place: &str,
        shape: bool,
        non_linear: bool,
    ) -> Result<(), ConfigError> {
        if shape {
            let (field, fault) =
                (format!("{place}.is_shape_tensor"), "are only supported for TensorRT platform");
            return Err(self.tensor(field, "shape tensors".into(), fault));
        }
        if non_linear {
            let field = format!("{place}.is_non_linear_format_io");
            let fault = "is only supported for the TensorRT platform";
            return Err(self.tensor(field, "Non-linear IO format".into(), fault));
        }
        Ok(())
    }

    fn validate_group(&self, group: &ModelInstanceGroup, host: &Host) -> Result<(), ConfigError> {
        let (model, name) = (self.name.clone(), group.name.clone());
        if group.count < 0 {
            return Err(ConfigError::InstanceCount { model, group: name, count: group.count });
        }
        let kind = group.kind.name();
        let fault = match group.kind {
            InstanceKind::Gpu if host.gpus.is_empty() => Some(GroupFault::Absent),
            InstanceKind::Gpu if group.gpus.is_empty() => Some(GroupFault::NamesNone),
            InstanceKind::Cpu | InstanceKind::Model if !group.gpus.is_empty() => {
                Some(GroupFault::Names)
            }
            _ => None,
        };
        if let Some(fault) = fault {
            return Err(ConfigError::InstanceGroup { model, group: name, kind, fault });
        }
        if let Some(gpu) = group.gpus.iter().find(|gpu| !host.gpus.contains(gpu)) {
            return Err(ConfigError::Gpu { model, group: name, gpu: *gpu });
        }
        if !group.profile.is_empty() {
            let platform = self.platform.clone();
            return Err(ConfigError::Profile { model, group: name, platform });
        }
        Ok(())
    }
}

/// The number of elements of each group of dimensions between variable ones.
fn pieces(dims: &[i64]) -> Vec<Option<i64>> {
    let product = |dims: &[i64]| dims.iter().try_fold(1i64, |n, dim| n.checked_mul(*dim));
    dims.split(|dim| *dim == -1).map(product).collect()
}
