//! Python environments from pinned requirements, and running the programs of `xtask/python` in them.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use clap::ValueEnum;

use crate::{debian, paths};

/// The file that a finished environment has.
const MARKER: &str = "complete";

/// The installer of packages, as pip takes it.
const UV: &str = "uv==0.13.9";

/// The environments, one for each `requirements-<name>.txt`.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Venv {
    /// Suites, fuzzer, benchmarks.
    Onnx,
    /// Training, export and tests of the examples.
    Examples,
    /// Tests of the Python package, without PyTorch.
    Triton,
    /// PyTorch beside Triton: conformance and benchmarks of kernels.
    Torch,
    /// Linking for macOS.
    Darwin,
    /// A real Triton Inference Server and its clients.
    Serving,
    /// Clients of inference servers that do not fit beside those of `serving`.
    Clients,
    /// The Python examples of the clients' repository.
    Upstream,
    /// Checks of the files that deploy the server.
    Deploy,
    /// ONNX Runtime beside the version of `onnx` that its own tests need.
    Ort,
    /// Programs that carry their models.
    Apps,
    /// Ray and Envoy.
    Cluster,
    /// PaddlePaddle 3.3.1.
    Paddle,
    /// PaddlePaddle 2.6.2.
    Paddle2,
    /// PaddlePaddle 3.2.2.
    Paddle32,
    /// PaddleOCR with PaddleX 3.7, without PaddlePaddle.
    Paddleocr,
    /// PaddleOCR with PaddleX 3.5, without PaddlePaddle.
    Paddleocr35,
}

impl Venv {
    /// The environments of CI.
    pub(crate) const CI: &'static [Venv] = &[
        Venv::Onnx,
        Venv::Examples,
        Venv::Triton,
        Venv::Torch,
        Venv::Darwin,
        Venv::Serving,
        Venv::Clients,
        Venv::Deploy,
    ];

    /// Every environment.
    pub(crate) fn all() -> Vec<Venv> {
        let paddle =
            &[Venv::Paddle, Venv::Paddle2, Venv::Paddle32, Venv::Paddleocr, Venv::Paddleocr35];
        [Venv::CI, &[Venv::Upstream, Venv::Ort, Venv::Apps, Venv::Cluster], paddle].concat()
    }

    fn name(self) -> &'static str {
        match self {
            Venv::Onnx => "onnx",
            Venv::Examples => "examples",
            Venv::Triton => "triton",
            Venv::Torch => "torch",
            Venv::Darwin => "darwin",
            Venv::Serving => "serving",
            Venv::Clients => "clients",
            Venv::Upstream => "upstream",
            Venv::Deploy => "deploy",
            Venv::Ort => "ort",
            Venv::Apps => "apps",
            Venv::Cluster => "cluster",
            Venv::Paddle => "paddle",
            Venv::Paddle2 => "paddle2",
            Venv::Paddle32 => "paddle32",
            Venv::Paddleocr => "paddleocr",
            Venv::Paddleocr35 => "paddleocr35",
        }
    }

    /// The environment's Python interpreter; the environment is made if it is missing.
    ///
    /// It lies in the cache, under a name that changes with the requirements and the interpreter. A marker written last
    /// distinguishes a complete environment from an interrupted one, and a lock keeps two processes from making it at
    /// once.
    pub(crate) fn ensure(self) -> Result<PathBuf> {
        let folder = self.folder()?;
        let python = folder.join("bin/python");
        let marker = folder.join(MARKER);
        if marker.exists() {
            return Ok(python);
        }
        let lock = File::create(folder.with_extension("lock"))?;
        lock.lock()?;
        if marker.exists() {
            return Ok(python);
        }
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        eprintln!("making the Python environment {} ...", folder.display());
        create(&folder, &paths::cache()?)?;
        let install = Command::new(uv(&python)?)
            .args(["pip", "install", "--quiet", "--python"])
            .arg(&python)
            .args(["--only-binary=:all:", "--no-deps", "--requirement"])
            .arg(self.requirements())
            .status()?;
        ensure!(install.success(), "uv cannot install {}", self.requirements().display());
        File::create(marker)?;
        Ok(python)
    }

    /// Whether the environment has been made.
    pub(crate) fn is_made(self) -> Result<bool> {
        Ok(self.folder()?.join(MARKER).exists())
    }

    /// A package with the version that the requirements pin, as pip takes it.
    pub(crate) fn pinned(self, package: &str) -> Result<String> {
        let pinned = fs::read_to_string(self.requirements())?;
        let line = pinned.lines().find(|line| line.split("==").next() == Some(package));
        Ok(line.with_context(|| format!("the requirements have no {package}"))?.to_owned())
    }

    /// The folder of the environment's packages.
    pub(crate) fn site(self) -> Result<PathBuf> {
        site(&self.ensure()?)
    }

    fn requirements(self) -> PathBuf {
        paths::root().join(format!("xtask/python/requirements-{}.txt", self.name()))
    }

    pub(crate) fn folder(self) -> Result<PathBuf> {
        let requirements = self.requirements();
        let pinned = fs::read_to_string(&requirements)
            .with_context(|| format!("cannot read {}", requirements.display()))?;
        let version = interpreter_version()?;
        let name = format!("venv-{}-{:016x}", self.name(), hash(&pinned, &version));
        Ok(paths::cache()?.join(name))
    }
}

/// The installer `uv`, which the environments share; `python` has a pip that gets it where it is
/// missing.
///
/// It takes a tenth of pip's time, as it loads packages side by side, keeps one copy of those that
/// several environments have, and compiles no modules: that happens when they are first imported.
pub(crate) fn uv(python: &Path) -> Result<PathBuf> {
    let folder = paths::cache()?.join(UV.replace("==", "-"));
    let program = folder.join("bin/uv");
    let lock = File::create(folder.with_extension("lock"))?;
    lock.lock()?;
    if folder.join(MARKER).exists() {
        return Ok(program);
    }
    let install = Command::new(python)
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
        .args(["--only-binary=:all:", "--no-deps", "--upgrade", UV, "--target"])
        .arg(&folder)
        .status()?;
    ensure!(install.success(), "pip cannot install {UV}");
    File::create(folder.join(MARKER))?;
    Ok(program)
}

/// The interpreter that environments are made with: `$TRIDENT_PYTHON`, by default `python3`.
fn interpreter() -> Command {
    Command::new(std::env::var_os("TRIDENT_PYTHON").unwrap_or_else(|| "python3".into()))
}

/// Path and version of the interpreter; the pinned packages need 3.11 or later.
fn interpreter_version() -> Result<String> {
    let script =
        "import sys; print(sys.executable, sys.version); sys.exit(sys.version_info < (3, 11))";
    let output = interpreter()
        .args(["-c", script])
        .stderr(Stdio::inherit())
        .output()
        .context("python3 is needed (Debian: apt-get install python3)")?;
    let version = String::from_utf8_lossy(&output.stdout).into_owned();
    ensure!(output.status.success(), "Python 3.11 or later is needed, this is {version}");
    Ok(version)
}

/// Make an environment with pip in it. Debian's python3 has no `ensurepip` unless python3-venv is
/// installed: then take virtualenv, or install python3-venv where that is allowed.
fn create(folder: &Path, cache: &Path) -> Result<()> {
    let attempt = |command: &mut Command| -> bool {
        let _ = fs::remove_dir_all(folder);
        let silent = command.stdout(Stdio::null()).stderr(Stdio::null());
        silent.status().is_ok_and(|status| status.success())
    };
    if attempt(interpreter().args(["-m", "venv"]).arg(folder))
        || attempt(interpreter().args(["-m", "virtualenv"]).arg(folder))
    {
        return Ok(());
    }
    let local = cache.join("virtualenv");
    let pip = ["-m", "pip", "install", "--quiet", "--upgrade", "virtualenv==21.15.7", "--target"];
    if attempt(interpreter().args(pip).arg(&local)) {
        let mut virtualenv = interpreter();
        virtualenv.env("PYTHONPATH", &local).args(["-m", "virtualenv"]).arg(folder);
        if attempt(&mut virtualenv) {
            return Ok(());
        }
    }
    let _lock = debian::lock();
    let apt = |args: &[&str]| attempt(Command::new("apt-get").args(args));
    if apt(&["update"])
        && apt(&["install", "--yes", "--no-install-recommends", "python3-venv"])
        && attempt(interpreter().args(["-m", "venv"]).arg(folder))
    {
        return Ok(());
    }
    bail!(
        "cannot make a Python environment: install python3-venv (Debian: apt-get install \
         python3-venv) or virtualenv (pip install virtualenv), then run this again"
    )
}

/// The folder of an environment's packages, by its interpreter.
pub(crate) fn site(python: &Path) -> Result<PathBuf> {
    let script = "import sysconfig; print(sysconfig.get_path('purelib'))";
    let mut command = Command::new(python);
    command.args(["-I", "-c", script]);
    Ok(crate::printed(command)?.into())
}

/// Makes an environment with no package in it, not even pip. Returns its interpreter.
pub(crate) fn bare(folder: &Path) -> Result<PathBuf> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    let made = interpreter().args(["-m", "venv", "--without-pip"]).arg(folder).status()?;
    ensure!(made.success(), "cannot make a Python environment in {}", folder.display());
    Ok(folder.join("bin/python"))
}

/// A hash of the requirements and the interpreter; short, and stable for one build of xtask.
fn hash(pinned: &str, version: &str) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    hasher.write(pinned.as_bytes());
    hasher.write(version.as_bytes());
    hasher.finish()
}

/// A Python program to run in an environment.
pub(crate) struct Tool {
    command: Command,
}

impl Tool {
    /// A module of `xtask/python`.
    pub(crate) fn module(venv: Venv, module: &str) -> Result<Tool> {
        let mut tool = Tool::new(venv)?;
        tool.command.args(["-m", module]);
        Ok(tool)
    }

    /// A file.
    pub(crate) fn script(venv: Venv, file: &Path) -> Result<Tool> {
        let mut tool = Tool::new(venv)?;
        tool.command.arg(file);
        Ok(tool)
    }

    fn new(venv: Venv) -> Result<Tool> {
        let mut command = Command::new(venv.ensure()?);
        command
            .current_dir(paths::root())
            .env("PYTHONPATH", paths::root().join("xtask/python"))
            // Modules that were imported once are read compiled, and nothing is written beside their sources.
            .env("PYTHONPYCACHEPREFIX", paths::cache()?.join("compiled-modules"))
            .env_remove("PYTHONDONTWRITEBYTECODE")
            .env("TRIDENT_CACHE", paths::cache()?);
        Ok(Tool { command })
    }

    pub(crate) fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Tool {
        self.command.args(args);
        self
    }

    /// Tell the program where the `trident` binary is.
    pub(crate) fn trident(mut self, binary: Option<&Path>) -> Tool {
        if let Some(binary) = binary {
            self.command.env("TRIDENT", binary);
        }
        self
    }

    /// Let the program import the Python package unpacked in `folder`.
    pub(crate) fn package(mut self, folder: &Path) -> Result<Tool> {
        let paths = [paths::root().join("xtask/python"), folder.to_path_buf()];
        self.command.env("PYTHONPATH", std::env::join_paths(paths)?);
        Ok(self)
    }

    pub(crate) fn into_command(self) -> Command {
        self.command
    }
}
