//! Loading a model and choosing devices.

use crate::failure::Failure;
use crate::limits::Limits;
use bytes::Bytes;
use indicatif::ProgressBar;
use std::fs;
use std::io::{IsTerminal, stderr};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use trident_cpu::CpuDevice;
use trident_engine::Session;
use trident_onnx::Model;
use trident_runtime::{Device, KernelCompiler, map_file};

/// Options of every command that runs models.
#[derive(clap::Args, Debug)]
pub(crate) struct DeviceArgs {
    /// Threads of the CPU; 0 means one for each core
    #[arg(short, long, value_name = "N", default_value_t = 0)]
    pub(crate) threads: usize,
    /// Device to run on, as `trident devices` lists them
    #[arg(long, value_name = "NAME", default_value = "cpu")]
    pub(crate) device: String,
}

/// Most threads that may be asked for: far more than any machine has, far fewer than a system refuses.
const MAX_THREADS: usize = 1024;

impl DeviceArgs {
    /// The devices a session may use.
    pub(crate) fn open(&self) -> Result<Vec<Arc<dyn Device>>, Failure> {
        Ok(vec![self.cpu()?])
    }

    /// What compiles kernels.
    pub(crate) fn compiler(&self) -> Result<Arc<dyn KernelCompiler>, Failure> {
        Ok(self.cpu()?)
    }

    fn cpu(&self) -> Result<Arc<CpuDevice>, Failure> {
        if self.threads > MAX_THREADS {
            let text = format!("{} threads are more than {MAX_THREADS}", self.threads);
            return Err(Failure::usage(text));
        }
        match self.device.as_str() {
            "cpu" => Ok(Arc::new(CpuDevice::new(self.threads))),
            other => {
                let text = format!("there is no device `{other}`");
                Err(Failure::usage(text).hint("`trident devices` lists what there is"))
            }
        }
    }
}

/// A session and the time it took to make.
pub(crate) struct Loaded {
    pub(crate) session: Session,
    pub(crate) time: Duration,
}

/// Files from this size on are mapped into memory: for smaller ones reading is faster, and they may change at any time.
const MAP_FROM: u64 = 4 << 20;

/// Reads a model.
pub(crate) fn read(path: &Path) -> Result<Model, Failure> {
    let open = |path: &Path| match fs::metadata(path)?.len() {
        0..MAP_FROM => fs::read(path).map(Bytes::from),
        _ => map_file(path),
    };
    trident_onnx::load_with(path, &open)
        .map_err(|e| Failure::usage(format!("cannot load `{}`: {e}", path.display())))
}

/// Loads a model and plans it for the devices.
pub(crate) fn load(path: &Path, args: &DeviceArgs, limits: &Limits) -> Result<Loaded, Failure> {
    let start = Instant::now();
    let session = with_spinner(&format!("loading {}", path.display()), || {
        let module = read(path)?.module;
        Session::new(module, &args.open()?, &limits.options()).map_err(|e| limits.explain_plan(e))
    })?;
    Ok(Loaded { session, time: start.elapsed() })
}

/// Runs `work`; if it takes longer than a second, a spinner shows on a terminal.
pub(crate) fn with_spinner<T>(message: &str, work: impl FnOnce() -> T) -> T {
    if !stderr().is_terminal() {
        return work();
    }
    let (done, wait) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            if wait.recv_timeout(Duration::from_secs(1)) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let spinner = ProgressBar::new_spinner().with_message(message.to_owned());
            while wait.recv_timeout(Duration::from_millis(100)) == Err(RecvTimeoutError::Timeout) {
                spinner.tick();
            }
            spinner.finish_and_clear();
        });
        let result = work();
        drop(done);
        result
    })
}
