//! Writing results to files.

use crate::failure::Failure;
use crate::input::{json, npy};
use crate::render::counted;
use serde_json::{Map, Value as Json};
use std::fmt::Display;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use trident_ir::ValueInfo;
use trident_runtime::{Tensor, Value};

/// All results as one JSON object.
pub(crate) fn to_json(results: &[(String, Value)]) -> Json {
    Json::Object(results.iter().map(|(n, v)| (n.clone(), json::write(v))).collect::<Map<_, _>>())
}

/// Kinds of files that results can be written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Npy,
    Npz,
    Json,
}

impl Kind {
    fn of(path: &Path) -> Result<Kind, Failure> {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        match extension.to_ascii_lowercase().as_str() {
            "npy" => Ok(Kind::Npy),
            "npz" => Ok(Kind::Npz),
            "json" => Ok(Kind::Json),
            _ => {
                let text = format!("the kind of `{}` is unknown", path.display());
                Err(Failure::usage(text).hint("outputs are .npy, .npz or .json files"))
            }
        }
    }
}

pub(crate) fn cannot_write(path: &Path, e: &dyn Display) -> Failure {
    Failure::usage(format!("cannot write `{}`: {e}", path.display()))
}

/// Finds out before a run whether its results could be written to this file.
pub(crate) fn check(path: &Path) -> Result<(), Failure> {
    Kind::of(path)?;
    check_writable(path)
}

/// Checks whether a file could be written, without changing its contents.
pub(crate) fn check_writable(path: &Path) -> Result<(), Failure> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        let text = format!("there is no folder `{}`", folder.display());
        return Err(cannot_write(path, &text));
    }
    let existed = path.exists();
    let opened = OpenOptions::new().append(true).create(true).open(path);
    opened.map_err(|e| cannot_write(path, &e))?;
    if !existed {
        fs::remove_file(path).map_err(|e| cannot_write(path, &e))?;
    }
    Ok(())
}

/// A file that was written beside the place that it will have, so that this place never holds a part of it.
pub(crate) struct Replaced {
    scratch: PathBuf,
    place: PathBuf,
    bytes: u64,
    is_finished: bool,
}

impl Replaced {
    /// Writes the contents of a file for this place.
    pub(crate) fn new(
        place: &Path,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<Replaced> {
        let mut scratch = place.as_os_str().to_owned();
        scratch.push(format!(".{}.part", std::process::id()));
        let (scratch, place) = (PathBuf::from(scratch), place.to_owned());
        let file = File::create(&scratch)?;
        let mut replaced = Replaced { scratch, place, bytes: 0, is_finished: false };
        let mut out = BufWriter::with_capacity(1 << 20, file);
        write(&mut out)?;
        out.flush()?;
        replaced.bytes = out.get_ref().metadata()?.len();
        Ok(replaced)
    }

    /// Moves the file to its place, and returns its number of bytes.
    pub(crate) fn finish(mut self) -> io::Result<u64> {
        fs::rename(&self.scratch, &self.place)?;
        self.is_finished = true;
        Ok(self.bytes)
    }
}

impl Drop for Replaced {
    fn drop(&mut self) {
        if !self.is_finished {
            // The failure that brings us here is reported already.
            let _ = fs::remove_file(&self.scratch);
        }
    }
}

/// Finds out whether a file could hold values of these types.
pub(crate) fn check_types(path: &Path, outputs: &[ValueInfo]) -> Result<(), Failure> {
    let kind = Kind::of(path)?;
    if kind == Kind::Npy && outputs.len() != 1 {
        return Err(not_one(outputs.len()));
    }
    let tensor = |info: &&ValueInfo| info.ty.as_tensor().is_some();
    match outputs.iter().find(|info| kind != Kind::Json && !tensor(info)) {
        Some(info) => Err(no_tensor(&info.name, &info.ty.to_string())),
        None => Ok(()),
    }
}

fn not_one(outputs: usize) -> Failure {
    let verb = if outputs == 1 { "is" } else { "are" };
    let outputs = counted(outputs, "output");
    let text = format!("there {verb} {outputs}, and a .npy file holds one");
    Failure::usage(text).hint("write them to a .npz file")
}

fn no_tensor(name: &str, what: &str) -> Failure {
    Failure::usage(format!("output `{name}` is {what}, no tensor")).hint("write it to a .json file")
}

/// Writes results: `.npz` and `.json` hold all by name, `.npy` the only one.
pub(crate) fn write(path: &Path, results: &[(String, Value)]) -> Result<(), Failure> {
    let failed = |e: &dyn Display| cannot_write(path, e);
    let tensor = |(name, value): &(String, Value)| -> Result<Tensor, Failure> {
        value.as_tensor().cloned().ok_or_else(|| no_tensor(name, &value.describe()))
    };
    match Kind::of(path)? {
        Kind::Npy => {
            let [only] = results else { return Err(not_one(results.len())) };
            let bytes = npy::write(&tensor(only)?).map_err(|e| failed(&e))?;
            fs::write(path, bytes).map_err(|e| failed(&e))
        }
        Kind::Npz => {
            let tensors = results.iter().map(tensor).collect::<Result<Vec<_>, _>>()?;
            let arrays: Vec<_> = results.iter().map(|(n, _)| n.as_str()).zip(&tensors).collect();
            let file = File::create(path).map_err(|e| failed(&e))?;
            npy::write_npz(file, &arrays).map_err(|e| failed(&e))
        }
        Kind::Json => fs::write(path, format!("{}\n", to_json(results))).map_err(|e| failed(&e)),
    }
}
