//! Helpers that the tests of the binary share.
#![allow(dead_code)] // each test file uses its part

pub(crate) mod onnx;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The folder of the digit classifier, the example.
pub(crate) fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/digits")
}

pub(crate) fn digits() -> String {
    examples().join("digits.onnx").to_str().unwrap().to_owned()
}

pub(crate) fn trident(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_trident")).args(args).output().unwrap()
}

/// Standard output of a run that has to succeed.
pub(crate) fn stdout(args: &[&str]) -> String {
    let output = trident(args);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{args:?}: {text}");
    String::from_utf8(output.stdout).unwrap()
}

pub(crate) fn json(args: &[&str]) -> serde_json::Value {
    serde_json::from_str(&stdout(args)).unwrap()
}

/// Exit status and standard error of a run that has to fail.
pub(crate) fn failure(args: &[&str]) -> (i32, String) {
    let output = trident(args);
    assert!(output.stdout.is_empty(), "{args:?} wrote to standard output");
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

/// A folder that goes when the test ends.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new(name: &str) -> Scratch {
        let folder = std::env::temp_dir().join(format!("trident-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Scratch(folder)
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
