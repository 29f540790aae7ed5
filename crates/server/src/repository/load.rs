//! Loading of a version.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;

use bytes::Bytes;
use trident_serving::{
    BACKENDS, ErrorCode, Fault, FieldNote, FolderVersion, Hardware, Host, InferenceRequest, Input,
    Labels, LogLevel, ModelConfig, ModelFolder, Part, ScheduledModel, ServedModel, WarmupRequest,
};

use super::Repository;
use super::fault::LoadFault;
use crate::builtin::{BuiltIn, Code};
use crate::http::check_service;
use crate::model::{Backend, Evictable, HostedModel, Resident};

impl Repository {
    /// Loads a version, and runs its warm-up requests.
    pub(super) fn load_version(
        &self,
        folder: &ModelFolder,
        version: u64,
    ) -> Result<HostedModel, LoadFault> {
        self.obeys(folder)?;
        let named = folder.named(Some(version))?;
        if Code::has(&named.backend) {
            return self.built_in(folder, version, named);
        }
        let (config, labels, scheduled) = self.scheduled(folder, version)?;
        takes_part(folder, &config)?;
        let resident = match self.evicts(&config) {
            false => Resident::Fixed(Box::new(scheduled)),
            true => {
                let absent = self.scheduler.absent(&config).map_err(|error| {
                    Fault::internal(format_args!("cannot start the thread of queues: {error}"))
                })?;
                let (folder, wake) = (folder.clone(), self.wake.clone());
                Resident::Evictable(Evictable::new(folder, version, scheduled, absent, wake))
            }
        };
        let log = self.options.verbosity.executions.then(|| Arc::clone(&self.options.log));
        let model = self.hosted(version, config, labels, Backend::Scheduled(resident));
        Ok(model.telling(log))
    }

    /// An error if a configuration has a field that is refused. Fields without effect are logged.
    pub(super) fn obeys(&self, folder: &ModelFolder) -> Result<(), LoadFault> {
        let (name, config) = (folder.name(), folder.config());
        if let Some(FieldNote { field, reason }) = config.refused_field() {
            let text = format!("model '{name}': `{field}` is not supported: {reason}");
            let fault = Fault { code: ErrorCode::Unsupported, text };
            return Err(LoadFault::at(&folder.place_of(&field), fault));
        }
        let notes = config.fields_without_effect();
        let notes: Vec<String> =
            notes.iter().map(|note| format!("`{}` ({})", note.field, note.reason)).collect();
        if !notes.is_empty() {
            let line = format!("model '{name}': without effect: {}", notes.join(", "));
            self.log(LogLevel::Warning, &line);
        }
        Ok(())
    }

    /// A version that the scheduler has, after its warm-up requests, with its configuration and labels.
    pub(super) fn scheduled(
        &self,
        folder: &ModelFolder,
        version: u64,
    ) -> Result<(ModelConfig, Labels, ScheduledModel), LoadFault> {
        let named = folder.named(Some(version))?;
        if !BACKENDS.contains(&&*named.backend) {
            let is_platform = folder.config().backend.is_empty() && !named.platform.is_empty();
            let field = if is_platform { "platform" } else { "backend" };
            return Err(LoadFault::at(&folder.place_of(field), unavailable(&named)));
        }
        let failed = |error| folder.model_fault(error);
        named.supported().map_err(failed)?;
        let hardware = self.hardware(named.parameter("device"));
        let hardware = hardware
            .map_err(|fault| LoadFault::at(&folder.place_of("parameters[device]"), fault))?;
        let read = folder.read(version, &hardware, &self.options.read)?;
        let FolderVersion { config, file, labels, without_gpu, .. } = read;
        let name = &config.name;
        let mut log = |level, line: &str| self.log(level, line);
        let served = ServedModel::new(file, &config, &hardware, &mut log);
        let mut served = served.map_err(failed)?;
        let lacks_gpu = !without_gpu.is_empty();
        for field in without_gpu {
            let (place, devices) = (folder.place_of(&field), served.placement());
            let line = format!(
                "model '{name}': {place} asks for a GPU, and there is none here: it runs on {devices}"
            );
            self.log(LogLevel::Warning, &line);
        }
        if lacks_gpu {
            served.lacks_gpu();
        }
        for line in self.options.verbosity.of_model(&served, version).map_err(failed)? {
            self.log(LogLevel::Info, &line);
        }
        let requests = folder.warmup(&config)?;
        served.prove_padding(&requests).map_err(failed)?;
        warm_up(&served, requests, folder)?;
        let states = |file: &str| folder.file(file);
        let scheduled = self.scheduler.add_with(Arc::new(served), &config, states);
        let scheduled = scheduled.map_err(failed)?;
        Ok((config, labels, scheduled))
    }

    /// A version whose backend is built in. It has no file.
    fn built_in(
        &self,
        folder: &ModelFolder,
        version: u64,
        mut config: ModelConfig,
    ) -> Result<HostedModel, LoadFault> {
        folder.settle(&mut config, &Host::default(), &self.options.read)?;
        let labels = folder.labels(&config)?;
        // Its warm-up requests have to be right, and there is nothing that they would prepare.
        folder.warmup(&config)?;
        let add = |native| {
            let scheduled = self.scheduler.add_native(native, &config);
            scheduled.map_err(|error| folder.model_fault(error))
        };
        let files = |name: &str| match folder.file(&format!("{version}/{name}")) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => folder.file(name),
            read => read,
        };
        let code = Code::of(&config, &files, self.options.memory_limit, |line| {
            self.log(LogLevel::Info, line);
        });
        let code = code.map_err(|fault| LoadFault::at(&folder.place_of("backend"), fault))?;
        let backend = match code {
            Code::Single(native) => Backend::Scheduled(Resident::Fixed(Box::new(add(native)?))),
            Code::Decoupled(code) => {
                let scheduled = add(code.turns())?;
                Backend::BuiltIn(Box::new(BuiltIn::new(code, scheduled, &self.alarm)))
            }
        };
        takes_part(folder, &config)?;
        Ok(self.hosted(version, config, labels, backend))
    }

    /// The hardware for a choice of devices, which is opened once.
    fn hardware(&self, choice: Option<&str>) -> Result<Hardware, Fault> {
        let mut opened = super::lock(&self.opened);
        if let Some(hardware) = opened.get(&choice.map(str::to_owned)) {
            return Ok(hardware.clone());
        }
        let hardware = (self.open)(choice)?;
        for line in self.options.verbosity.of_hardware(&hardware) {
            self.log(LogLevel::Info, &line);
        }
        opened.insert(choice.map(str::to_owned), hardware.clone());
        Ok(hardware)
    }
}

/// An error if a model is marked for OpenAI's API and does not have the tensors for it.
pub(super) fn takes_part(folder: &ModelFolder, config: &ModelConfig) -> Result<(), LoadFault> {
    let place = || folder.place_of("parameters[openai]");
    check_service(config).map_err(|fault| LoadFault::at(&place(), fault))
}

/// Runs the requests that a configuration declares for this.
fn warm_up(
    model: &ServedModel,
    requests: Vec<WarmupRequest>,
    folder: &ModelFolder,
) -> Result<(), LoadFault> {
    for request in requests {
        let inputs: Vec<Input<'static>> = request
            .inputs
            .into_iter()
            .map(|tensor| Input {
                name: Cow::Owned(tensor.name),
                data_type: tensor.data_type,
                shape: tensor.shape,
                data: vec![Part::Shared(Bytes::from(tensor.data))],
            })
            .collect();
        for _ in 0..request.count {
            let inputs = inputs.clone();
            let ran = model.execute([InferenceRequest { inputs, ..InferenceRequest::default() }]);
            for response in ran.responses {
                response.map_err(|error| {
                    let name = &request.name;
                    let text = format!(
                        "failed to run warm-up request '{name}' of model '{}': {error}",
                        folder.name()
                    );
                    let mut declared = folder.config().model_warmup.iter();
                    let at = declared.position(|own| own.name == *name).unwrap_or_default();
                    let place = folder.place_of(&format!("model_warmup[{at}]"));
                    LoadFault::at(&place, Fault { code: error.code(), text })
                })?;
            }
        }
    }
    Ok(())
}

/// The fault of a model whose backend is another program's.
fn unavailable(config: &ModelConfig) -> Fault {
    let ModelConfig { name, backend, platform, .. } = config;
    let (field, asked) = match backend.is_empty() {
        true => ("platform", platform),
        false => ("backend", backend),
    };
    let way_out = match &**asked {
        "python" => "export the model to ONNX, which runs without Python",
        "tensorrt" | "tensorrtllm" | "tensorrt_plan" => {
            "serve the ONNX file that the engine was built from"
        }
        "pytorch" | "pytorch_libtorch" => {
            "export the model to ONNX, for example by `torch.onnx.export`"
        }
        "tensorflow" | "tensorflow_graphdef" | "tensorflow_savedmodel" => {
            "convert the model to ONNX, for example by `tf2onnx`"
        }
        "openvino" => "serve the ONNX file that the model was converted from",
        _ => "convert the model to ONNX",
    };
    let text = format!(
        "model '{name}' asks for {field} '{asked}', which is not part of this server; hint: {way_out}, and remove \
         `backend` and `platform` from its configuration"
    );
    Fault { code: ErrorCode::Unsupported, text }
}
