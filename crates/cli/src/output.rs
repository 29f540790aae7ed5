//! Writing results to files.

use crate::failure::Failure;
use crate::input::{json, npy};
use serde_json::{Map, Value as Json};
use std::fs::{self, File};
use std::path::Path;
use trident_runtime::{Tensor, Value};

/// All results as one JSON object.
pub(crate) fn to_json(results: &[(String, Value)]) -> Json {
    Json::Object(results.iter().map(|(n, v)| (n.clone(), json::write(v))).collect::<Map<_, _>>())
}

/// Writes results: `.npz` and `.json` hold all by name, `.npy` the only one.
pub(crate) fn write(path: &Path, results: &[(String, Value)]) -> Result<(), Failure> {
    let failed = |e: &dyn std::fmt::Display| {
        Failure::usage(format!("cannot write `{}`: {e}", path.display()))
    };
    let tensor = |(name, value): &(String, Value)| -> Result<Tensor, Failure> {
        value.as_tensor().cloned().ok_or_else(|| {
            let text = format!("output `{name}` is {}, no tensor", value.describe());
            Failure::usage(text).hint("write it to a .json file")
        })
    };
    match path.extension().and_then(|e| e.to_str()) {
        Some("npy") => {
            let [only] = results else {
                let text =
                    format!("the model has {} outputs, a .npy file holds one", results.len());
                return Err(Failure::usage(text).hint("write them to a .npz file"));
            };
            let bytes = npy::write(&tensor(only)?).map_err(|e| failed(&e))?;
            fs::write(path, bytes).map_err(|e| failed(&e))
        }
        Some("npz") => {
            let tensors = results.iter().map(tensor).collect::<Result<Vec<_>, _>>()?;
            let arrays: Vec<_> = results.iter().map(|(n, _)| n.as_str()).zip(&tensors).collect();
            let file = File::create(path).map_err(|e| failed(&e))?;
            npy::write_npz(file, &arrays).map_err(|e| failed(&e))
        }
        Some("json") => fs::write(path, format!("{}\n", to_json(results))).map_err(|e| failed(&e)),
        _ => {
            let text = format!("`{}` is of no known kind", path.display());
            Err(Failure::usage(text).hint("outputs are .npy, .npz or .json files"))
        }
    }
}
