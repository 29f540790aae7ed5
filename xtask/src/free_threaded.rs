//! Tests of the Python package under a Python without an interpreter lock, where there is one.
//!
//! Before 3.15, a Python without the lock loads no modules of the stable ABI, so the package is compiled for it alone.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::build::Profile;
use crate::paths;
use crate::python::{self, Venv};

/// The variable with the path of the interpreter.
const VARIABLE: &str = "TRIDENT_FREE_THREADED_PYTHON";

/// The interpreters that are looked for without the variable.
const NAMES: [&str; 2] = ["python3.14t", "python3.15t"];

/// The packages that the tests need, with the versions of the usual environment.
const PACKAGES: [&str; 7] =
    ["numpy", "ml_dtypes", "pytest", "pluggy", "iniconfig", "packaging", "pygments"];

/// The tests that need neither Triton nor ONNX Runtime.
const TESTS: [&str; 8] = [
    "test_threads.py",
    "test_model.py",
    "test_model_arrays.py",
    "test_model_errors.py",
    "test_model_exchange.py",
    "test_model_lifetimes.py",
    "test_model_out.py",
    "test_model_processes.py",
];

/// The interpreter; `None` if this machine has none. One that the variable names must be there.
fn interpreter() -> Result<Option<PathBuf>> {
    let named = std::env::var_os(VARIABLE).filter(|path| !path.is_empty());
    if let Some(path) = named.map(PathBuf::from) {
        ensure!(
            has_no_lock(&path),
            "{VARIABLE}: {} is not a Python without an interpreter lock",
            path.display()
        );
        return Ok(Some(path));
    }
    Ok(NAMES.into_iter().map(PathBuf::from).find(|name| has_no_lock(name)))
}

/// Whether this is a Python that was built without an interpreter lock.
fn has_no_lock(python: &Path) -> bool {
    let script =
        "import sysconfig; raise SystemExit(not sysconfig.get_config_var('Py_GIL_DISABLED'))";
    let answer = Command::new(python).args(["-c", script]).output();
    answer.is_ok_and(|answer| answer.status.success())
}

/// Installs packages without dependencies. Older versions of pip take wheels for the usual Python.
fn install(python: &Path, options: &[&str], packages: &[impl AsRef<OsStr>]) -> Result<()> {
    let mut uv = Command::new(python::uv(&Venv::Triton.ensure()?)?);
    uv.args(["pip", "install", "--quiet", "--no-deps", "--python"]).arg(python);
    let status = uv.args(options).args(packages).status()?;
    ensure!(status.success(), "uv cannot install packages for {}", python.display());
    Ok(())
}

/// The package's tests of models and threads; without an interpreter, a program that counts one skipped test.
pub(crate) fn tests(profile: Profile) -> Result<Command> {
    let Some(interpreter) = interpreter()? else {
        let mut skipped = Command::new("echo");
        skipped.arg(format!(
            "there is no Python without an interpreter lock ({})\n0 passed, 0 failed, 1 skipped",
            NAMES.join(", ")
        ));
        return Ok(skipped);
    };
    let folder = paths::target().join("python/free-threaded");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let made =
        Command::new(&interpreter).args(["-m", "venv", "--without-pip"]).arg(&folder).status()?;
    ensure!(made.success(), "cannot make a Python environment in {}", folder.display());
    let python = folder.join("bin/python");
    let pinned = PACKAGES.iter().map(|package| Venv::Triton.pinned(package));
    let pinned = pinned.collect::<Result<Vec<_>>>()?;
    install(&python, &["--only-binary=:all:"], &pinned)?;
    let wheels = folder.join("wheels");
    let built = Command::new(Venv::Triton.ensure()?)
        .current_dir(paths::root())
        .args(["-m", "maturin", "build", "--quiet", "--profile", profile.name(), "--interpreter"])
        .arg(&python)
        .arg("--out")
        .arg(&wheels)
        .status()?;
    ensure!(built.success(), "the Python package does not build for {}", interpreter.display());
    let wheel = fs::read_dir(&wheels)?.next().context("maturin made no wheel")??.path();
    install(&python, &["--no-index"], &[wheel])?;
    let mut tests = Command::new(&python);
    tests.current_dir(paths::root()).args(["-m", "pytest"]);
    tests.args(["-p", "pytest_tally", "-p", "no:cacheprovider", "--quiet"]);
    tests.args(TESTS.map(|test| format!("python/tests/{test}")));
    // A module that needs the lock must fail rather than turn it on.
    tests.env("PYTHONPATH", paths::root().join("xtask/python")).env_remove("PYTHON_GIL");
    tests.env("PYTHONDONTWRITEBYTECODE", "1");
    Ok(tests)
}
