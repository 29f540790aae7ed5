//! Configurations as a real server shows them, for the `config.pbtxt` files that it was given.
//!
//! The recordings are not part of the repository: `TRIDENT_SERVER_GOLDEN` names their folder, else they are looked for
//! beside the checkout. Without them the test says so and passes; `load.rs` and `text.rs` have configurations of their own.

#![allow(clippy::unwrap_used)] // a file that cannot be read fails the test

use serde_json::Value;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use trident_serving::{Host, ModelConfig, ModelSignature, SchedulingChoice};

fn golden() -> Option<PathBuf> {
    recordings(std::env::var_os("TRIDENT_SERVER_GOLDEN"))
}

/// The folder of the recordings, if there is one; one that is named must be there.
fn recordings(named: Option<OsString>) -> Option<PathBuf> {
    if let Some(named) = named.map(PathBuf::from) {
        assert!(named.is_dir(), "TRIDENT_SERVER_GOLDEN names no folder: {}", named.display());
        return Some(named);
    }
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/server-golden");
    beside.is_dir().then_some(beside)
}

#[test]
#[should_panic(expected = "TRIDENT_SERVER_GOLDEN names no folder: nowhere")]
fn recordings_that_are_named_must_be_there() {
    recordings(Some("nowhere".into()));
}

/// The recorded cases.
fn cases(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("http.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A configuration, with what loading it fills in.
fn load(mut config: ModelConfig, folder: &Path) -> ModelConfig {
    let name = folder.file_name().unwrap().to_str().unwrap();
    let files = fs::read_dir(folder.join("1")).unwrap();
    let files: Vec<String> =
        files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    config.complete_backend(name, &files).unwrap();
    config.normalize(&Host::default());
    config.validate(&Host::default()).unwrap();
    config
}

/// The stand-in for the ONNX backend is a program, which the server writes to `runtime`.
fn as_recorded(mut config: ModelConfig) -> String {
    if config.backend == "onnxruntime" {
        config.runtime = "model.py".into();
    }
    config.to_json()
}

#[test]
fn configurations_are_what_the_server_shows() {
    let Some(golden) = golden() else {
        println!("skipped: there are no recordings of a server");
        return;
    };
    let roots = ["models", "oracle/models"].map(|root| golden.join(root));
    let mut compared = 0;
    for case in cases(&golden) {
        let path = case["request"]["path"].as_str().unwrap();
        let get = case["request"]["method"] == "GET" && case["response"]["status"] == 200;
        let model = path.strip_prefix("/v2/models/").and_then(|rest| rest.split('/').next());
        let (true, true, Some(model)) = (get, path.ends_with("/config"), model) else { continue };
        // These show a configuration that was given in place of the file's.
        if ["override_config", "plain_config"].contains(&case["case"].as_str().unwrap()) {
            continue;
        }
        let folder = roots.iter().map(|root| root.join(model)).find(|f| f.is_dir()).unwrap();
        let text = fs::read_to_string(folder.join("config.pbtxt")).unwrap();
        let config = load(ModelConfig::from_text(&text).unwrap(), &folder);
        assert_eq!(as_recorded(config), case["response"]["body"].as_str().unwrap(), "{model}");
        compared += 1;
    }
    assert!(compared >= 6, "{compared} configurations");
}

#[test]
fn a_configuration_given_as_json_is_what_the_server_shows() {
    let Some(golden) = golden() else {
        println!("skipped: there are no recordings of a server");
        return;
    };
    let cases = cases(&golden);
    let case = |name: &str| cases.iter().find(|case| case["case"] == name).unwrap();
    let request = case("load_override")["request"]["body"].as_str().unwrap();
    let request: Value = serde_json::from_str(request).unwrap();
    let config = request["parameters"]["config"].as_str().unwrap();
    let config = load(ModelConfig::from_json(config).unwrap(), &golden.join("models/simple"));
    let shown = case("override_config")["response"]["body"].as_str().unwrap();
    assert_eq!(as_recorded(config), shown);
}

#[test]
fn recorded_configurations_survive_both_forms() {
    let Some(golden) = golden() else {
        println!("skipped: there are no recordings of a server");
        return;
    };
    for case in cases(&golden) {
        let path = case["request"]["path"].as_str().unwrap();
        if !path.ends_with("/config") || case["response"]["status"] != 200 {
            continue;
        }
        let shown = case["response"]["body"].as_str().unwrap();
        let config = ModelConfig::from_json(shown).unwrap();
        assert_eq!(config.to_json(), shown);
        assert_eq!(ModelConfig::from_text(&config.to_text()).unwrap(), config);
    }
}

#[test]
fn models_agree_with_their_configurations_and_complete_them() {
    let Some(golden) = golden() else {
        println!("skipped: there are no recordings of a server");
        return;
    };
    let models = ["models", "models_float"].map(|root| fs::read_dir(golden.join(root)).unwrap());
    let folders = models.into_iter().flatten().map(|folder| folder.unwrap().path());
    for folder in folders.filter(|folder| folder.is_dir()) {
        let name = folder.file_name().unwrap().to_str().unwrap();
        let model = trident_model::load(folder.join("1/model.onnx")).unwrap();
        let signature = ModelSignature::of(name, &model.interface().unwrap()).unwrap();
        let text = fs::read_to_string(folder.join("config.pbtxt")).unwrap();
        let given = load(ModelConfig::from_text(&text).unwrap(), &folder);
        given.check(&signature).unwrap();
        // The model does not tell which of its inputs are controls, whose scheduler may need a batch size.
        let sequences = matches!(given.scheduling, SchedulingChoice::Sequence(_));
        let mut bare = ModelConfig::default();
        if sequences {
            (bare.scheduling, bare.max_batch_size) =
                (given.scheduling.clone(), given.max_batch_size);
        }
        let mut completed = load(bare, &folder);
        assert_eq!(completed.complete(&signature, 8), Ok(!sequences));
        assert_eq!((&completed.input, &completed.output), (&given.input, &given.output), "{name}");
        assert_eq!(completed.max_batch_size, given.max_batch_size);
    }
}
