//! Loading a model and choosing devices.

use crate::failure::Failure;
use crate::input::print_note;
use crate::kernel;
use crate::limits::Limits;
use crate::progress;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use trident_devices::{DeviceError, DeviceSettings, ForModels, MAX_THREADS};
use trident_engine::{Options, Session};
use trident_model::{LoadError, Model, program_in};
use trident_runtime::KernelCompiler;
use trident_serving::Hardware;

/// Options of every command that runs models.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct DeviceArgs {
    /// Number of CPU threads; 0 means one per core
    #[arg(short, long, value_name = "N", default_value_t = 0, value_parser = threads, allow_negative_numbers = true)]
    threads: usize,
    #[command(flatten)]
    device: DeviceName,
}

/// The option of commands for which threads make no difference.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct DeviceName {
    /// Device to run on, as listed by `trident devices`. Models also take several, separated by commas. The default is
    /// `cpu`; on a Mac it is `metal` for kernels and `metal,cpu` for models
    #[arg(long, value_name = "NAME")]
    device: Option<String>,
}

fn threads(text: &str) -> Result<usize, String> {
    let threads = text.parse().ok().filter(|n| *n <= MAX_THREADS);
    threads.ok_or_else(|| format!("give 1 to {MAX_THREADS} threads, or 0 for one on each core"))
}

impl DeviceArgs {
    /// The devices a session may use.
    pub(crate) fn open(&self) -> Result<ForModels, Failure> {
        self.device.models_on(self.threads).map_err(failure)
    }

    /// The hardware for a served model: these devices, or the devices that its parameter names.
    pub(crate) fn hardware(&self, choice: Option<&str>) -> Result<Hardware, Failure> {
        let settings = DeviceSettings { threads: self.threads };
        let choice = choice.or(self.device.named());
        let opened = trident_devices::open(choice, &settings).and_then(|opened| opened.models());
        let opened = opened.map_err(failure)?;
        let accelerators = trident_devices::accelerators(&opened, &settings);
        let ForModels { devices, folder } = opened;
        Ok(Hardware { devices, folder, accelerators, is_gpu: trident_devices::is_gpu })
    }

    /// The compiler of kernels.
    pub(crate) fn compiler(&self) -> Result<Arc<dyn KernelCompiler>, Failure> {
        self.device.compiler_on(self.threads).map_err(failure)
    }
}

impl DeviceName {
    /// The compiler of kernels.
    pub(crate) fn compiler(&self) -> Result<Arc<dyn KernelCompiler>, DeviceError> {
        self.compiler_on(1)
    }

    /// The devices of sessions.
    pub(crate) fn models(&self) -> Result<ForModels, DeviceError> {
        self.models_on(0)
    }

    /// The device as it was named.
    pub(crate) fn named(&self) -> Option<&str> {
        self.device.as_deref()
    }

    fn models_on(&self, threads: usize) -> Result<ForModels, DeviceError> {
        trident_devices::open(self.named(), &DeviceSettings { threads })?.models()
    }

    fn compiler_on(&self, threads: usize) -> Result<Arc<dyn KernelCompiler>, DeviceError> {
        let opened = trident_devices::open(self.named(), &DeviceSettings { threads })?;
        opened.kernels().map(|opened| opened.compiler)
    }
}

/// The failure of a choice of devices.
pub(crate) fn failure(error: DeviceError) -> Failure {
    let hint = match &error {
        DeviceError::Unavailable { hint: Some(hint), .. } => hint.as_str(),
        _ => "`trident devices` lists the devices",
    };
    Failure::usage(&error).hint(hint)
}

/// A session and the time it took to make.
pub(crate) struct Loaded {
    pub(crate) session: Session,
    warnings: Vec<String>,
    pub(crate) time: Duration,
}

impl Loaded {
    /// Prints the warnings about the model on standard error.
    pub(crate) fn print_warnings(&self) {
        self.warnings.iter().for_each(|warning| print_note(warning));
    }
}

/// Reads a model of any format; a folder stands for the Paddle model in it.
pub(crate) fn read(path: &Path) -> Result<Model, Failure> {
    if kernel::is_kernel(path) {
        let text = format!("`{}` is a kernel, and this command is for models", path.display());
        return Err(Failure::usage(text).hint(
            "`trident run` launches kernels, with times in its results; `trident compile` shows what they become",
        ));
    }
    let within = |text: &str| Failure::usage(format!("cannot load `{}`: {text}", path.display()));
    let is_folder = fs::metadata(path).map_err(|error| within(&error.to_string()))?.is_dir();
    if is_folder && let Err(LoadError::Paddle(_)) = program_in(path) {
        let hint = "give a model's file, or the folder of a Paddle model; `trident inspect` also takes a model's folder or a repository of the Triton Inference Server";
        return Err(within("it is a folder without a Paddle model").hint(hint));
    }
    trident_model::load(path).map_err(|error| within(&error.to_string()))
}

/// Loads a model and plans it for the devices.
pub(crate) fn load(path: &Path, args: &DeviceArgs, limits: &Limits) -> Result<Loaded, Failure> {
    let start = Instant::now();
    let (session, warnings) = progress::while_loading(&path.display().to_string(), || {
        let model = read(path)?;
        let ForModels { devices, folder } = args.open()?;
        let options = Options { folder: Some(folder), ..limits.options() };
        let declared = model.info().outputs.clone();
        let session = model.session(&devices, &options).map_err(|e| limits.explain_plan(e))?;
        let warnings = trident_model::warnings(&declared, &session);
        Ok::<_, Failure>((session, warnings))
    })?;
    Ok(Loaded { session, warnings, time: start.elapsed() })
}
