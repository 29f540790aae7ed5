//! `trident inspect` on models in repositories of the Triton Inference Server.
#![allow(clippy::unwrap_used)] // what does not fit fails the test

mod common;

use common::{Scratch, digits, failure, json, stdout, trident};

/// A repository of models that classify digits.
struct Repository(Scratch);

impl Repository {
    fn new(name: &str) -> Repository {
        Repository(Scratch::new(name))
    }

    /// Adds a model with one version; its folder.
    fn add(&self, name: &str, config: &str) -> String {
        let folder = self.0.path(name);
        std::fs::create_dir_all(format!("{folder}/1")).unwrap();
        std::fs::copy(digits(), format!("{folder}/1/model.onnx")).unwrap();
        std::fs::write(format!("{folder}/config.pbtxt"), config).unwrap();
        folder
    }
}

#[test]
fn inspect_shows_what_a_repository_makes_of_a_model() {
    let scratch = Scratch::new("repository");
    let folder = scratch.path("digits");
    for version in ["2", "10"] {
        std::fs::create_dir_all(format!("{folder}/{version}")).unwrap();
    }
    std::fs::copy(digits(), format!("{folder}/10/model.onnx")).unwrap();
    let configure = |text: &str| std::fs::write(format!("{folder}/config.pbtxt"), text).unwrap();
    let accelerators = |fallback: &str| {
        format!(
            "backend: 'trident' max_batch_size: 8 parameters {{ key: 'fallback' value {{ string_value: '{fallback}' }} }}
             optimization {{ execution_accelerators {{ gpu_execution_accelerator [ {{ name: 'amx' }}, {{ name: 'cuda' }} ] }} }}"
        )
    };
    configure(&accelerators("allowed"));
    let report = json(&["inspect", &folder, "--device", "cpu", "--json"]);
    let expected = serde_json::json!({
        "name": "digits", "version": 10, "devices": ["cpu"],
        "max_batch_size": 8, "max_batch_size_filled_in": false, "dynamic_batching": true, "dependent_rows": null,
        "inputs": [{ "name": "image", "data_type": "FP32", "shape": [-1, 1, 8, 8], "optional": false }],
        "outputs": [{ "name": "probabilities", "data_type": "FP32", "shape": [-1, 10], "optional": false }],
        "absent_accelerators": ["amx"], "ignored_accelerators": ["cuda"], "fallback": "allowed",
    });
    assert_eq!((&report["served"], &report["parameters"]), (&expected, &58_314.into()));
    let text = stdout(&["inspect", &folder, "--device", "cpu"]);
    assert!(
        text.contains("`digits`, version 10: batches of up to 8, with dynamic batching"),
        "{text}"
    );
    assert!(
        text.contains("  input image: FP32 [-1,1,8,8]\n  output probabilities: FP32 [-1,10]\n"),
        "{text}"
    );
    assert!(text.contains("on cpu; not here: amx; of other hardware: cuda"), "{text}");

    // Versions are those that the policy serves, and whose folders are written as numbers are.
    std::fs::create_dir(format!("{folder}/+11")).unwrap();
    std::fs::create_dir(format!("{folder}/012")).unwrap();
    std::fs::copy(digits(), format!("{folder}/2/model.onnx")).unwrap();
    for (policy, version) in
        [("latest { num_versions: 2 }", 10), ("all {}", 10), ("specific { versions: [2, 3] }", 2)]
    {
        configure(&format!("backend: 'trident' version_policy {{ {policy} }}"));
        let report = json(&["inspect", &folder, "--device", "cpu", "--json"]);
        assert_eq!(report["served"]["version"], version, "{policy}");
    }
    configure("backend: 'trident' version_policy { specific { versions: 3 } }");
    let (status, text) = failure(&["inspect", &folder]);
    assert!(status == 2 && text.contains("no version that its `version_policy` selects"), "{text}");
    std::fs::remove_file(format!("{folder}/2/model.onnx")).unwrap();

    configure(&accelerators("refused"));
    let (status, text) = failure(&["inspect", &folder, "--device", "cpu"]);
    assert!(status == 2 && text.contains("'amx' is requested"), "{text}");
    configure(
        "backend: 'trident' output { name: 'probabilities' data_type: TYPE_FP32 dims: 10 label_filename: 'absent.txt' }",
    );
    let (status, text) = failure(&["inspect", &folder]);
    let place = "config.pbtxt`: 1:81: `output[0].label_filename`: failed to read 'absent.txt'";
    assert!(status == 2 && text.contains(place), "{text}");
    configure("backend: 'trident'\nmax_batch_siz: 8");
    let (status, text) = failure(&["inspect", &folder]);
    assert!(status == 2 && text.contains("2:1: `max_batch_siz`"), "{text}");
    // Without a configuration, the server makes one. Of a file, nothing is served.
    std::fs::remove_file(format!("{folder}/config.pbtxt")).unwrap();
    let served = &json(&["inspect", &folder, "--json"])["served"];
    assert_eq!(
        (&served["version"], &served["max_batch_size_filled_in"]),
        (&10.into(), &true.into())
    );
    assert!(json(&["inspect", &digits(), "--json"])["served"].is_null());
    std::fs::remove_dir_all(format!("{folder}/10")).unwrap();
    let (_, text) = failure(&["inspect", &folder]);
    assert!(
        text.contains("Could not determine backend") && !text.contains("config.pbtxt"),
        "{text}"
    );
    configure("backend: 'trident'");
    let (_, text) = failure(&["inspect", &folder]);
    assert!(text.contains("unable to find") && text.contains("2/model.onnx"), "{text}");
}

/// As a document about Apple's hardware prints it.
const NEURAL_ENGINE: &str = r#"backend: "metal_mps"
max_batch_size: 8
optimization { execution_accelerators {
  gpu_execution_accelerator [ {
    name: "apple_neural_engine"
    parameters { key: "precision" value: "fp16" }
    parameters { key: "power_mode" value: "high_performance" }
  } ]
} }
"#;

#[test]
fn settings_of_accelerators_are_read_as_documents_print_them() {
    let repository = Repository::new("accelerators");
    let folder = repository.add("digits", NEURAL_ENGINE);
    let served = &json(&["inspect", &folder, "--json"])["served"];
    assert_eq!(served["absent_accelerators"], serde_json::json!(["apple_neural_engine"]));
    let folder = repository.add("wrong", &NEURAL_ENGINE.replace("fp16", "fp7"));
    let (status, text) = failure(&["inspect", &folder]);
    assert_eq!(status, 2);
    for part in
        ["unsupported precision mode 'fp7' is requested", "hint: FP16, FP32, INT8 are accepted"]
    {
        assert!(text.contains(part), "{text}");
    }
}

/// As documents print it; more fields of the group and of the model.
fn on_gpu(group: &str, more: &str) -> String {
    format!(
        "backend: \"metal_mps\"\ninstance_group {{\n  count: 1\n  kind: KIND_GPU\n  {group}\n}}\n{more}\n"
    )
}

const REFUSED: &str = "parameters { key: \"fallback\" value { string_value: \"refused\" } }";

#[test]
fn without_a_gpu_its_instances_run_on_the_cpu_with_a_warning() {
    let repository = Repository::new("no-gpu");
    let folder = repository.add("digits", &on_gpu("gpus: [ 0 ]", ""));
    let output = trident(&["inspect", &folder, "--device", "cpu", "--json"]);
    assert!(output.status.success());
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["served"]["devices"], serde_json::json!(["cpu"]));
    let warning = report["warnings"][0].as_str().unwrap();
    let start = format!(
        "`{folder}/config.pbtxt`: 4:3: `instance_group[0].kind` asks for a GPU, and there is none here: the model runs on cpu"
    );
    assert!(warning.starts_with(&start), "{warning}");
    assert!(warning.contains("Server without a GPU of NVIDIA refuses such a group"), "{warning}");
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(text, format!("warning: {warning}\n"));

    let folder = repository.add("refused", &on_gpu("gpus: [ 0 ]", REFUSED));
    let (status, text) = failure(&["inspect", &folder, "--device", "cpu"]);
    let expected =
        "instance group refused_0 of model refused has kind KIND_GPU but no GPUs are available";
    assert!(status == 2 && text.contains(expected), "{text}");
}

#[test]
fn a_gpu_runs_its_instances() {
    // The emulated device stands for the GPU of a Mac. It needs a build with the feature `emulator`, and clang.
    let device = if cfg!(target_os = "macos") { "metal" } else { "metal-emulated" };
    if !trident(&["inspect", &digits(), "--device", device]).status.success() {
        println!("skipped: there is no device `{device}`");
        return;
    }
    let repository = Repository::new("gpu");
    for more in ["", REFUSED] {
        let folder = repository.add("digits", &on_gpu("gpus: [ 0 ]", more));
        let output = trident(&["inspect", &folder, "--device", device, "--json"]);
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && text.is_empty(), "{text}");
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["served"]["devices"], serde_json::json!([device]));
        let folder = repository.add("digits", &on_gpu("gpus: [ 0, 1 ]", more));
        let (status, text) = failure(&["inspect", &folder, "--device", device]);
        let expected =
            "instance group digits_0 of model digits specifies invalid or unsupported gpu id 1";
        assert!(status == 2 && text.contains(expected), "{text}");
    }
}

/// The status of each model, in the order of the table.
fn statuses(report: &serde_json::Value) -> Vec<(&str, &str)> {
    let models = report["models"].as_array().unwrap().iter();
    models.map(|m| (m["name"].as_str().unwrap(), m["status"].as_str().unwrap())).collect()
}

/// The report on a repository, its exit status and what is on standard error.
fn survey(path: &str) -> (serde_json::Value, i32, String) {
    let output = trident(&["inspect", path, "--device", "cpu", "--json"]);
    let text = String::from_utf8(output.stderr).unwrap();
    (serde_json::from_slice(&output.stdout).unwrap(), output.status.code().unwrap(), text)
}

#[test]
fn a_repository_is_a_table_of_its_models() {
    let repository = Repository::new("whole");
    repository.add("digits", "backend: 'trident' max_batch_size: 8");
    repository.add("gpu", &on_gpu("gpus: [ 0 ]", ""));
    let versions = repository.add("versions", "backend: 'trident' version_policy { all { } }");
    std::fs::create_dir(format!("{versions}/12")).unwrap();
    std::fs::copy(digits(), format!("{versions}/12/model.onnx")).unwrap();
    repository.add("script", "backend: 'python' instance_group { kind: KIND_GPU }");
    let step = "ensemble_scheduling { step { model_name: 'digits' model_version: -1 input_map { key: 'image' value: 'image' }
        output_map { key: 'probabilities' value: 'probabilities' } } }";
    let ends = "input { name: 'image' data_type: TYPE_FP32 dims: [ 1, 8, 8 ] }
        output { name: 'probabilities' data_type: TYPE_FP32 dims: [ 10 ] }";
    let chain = format!("platform: 'ensemble' max_batch_size: 8 {step} {ends}");
    repository.add("chain", &chain);
    let path = repository.0.path("");
    std::fs::write(format!("{path}/notes.txt"), "").unwrap();
    let (report, status, text) = survey(&path);
    assert_eq!((status, &*text), (0, ""));
    let expected = [
        ("chain", "ok"),
        ("digits", "ok"),
        ("gpu", "warnings"),
        ("script", "not checked"),
        ("versions", "ok"),
    ];
    assert_eq!(statuses(&report), expected);
    let digits = serde_json::json!({
        "name": "digits", "versions": [1], "backend": "trident", "max_batch_size": 8,
        "inputs": ["image FP32 [-1,1,8,8]"], "outputs": ["probabilities FP32 [-1,10]"], "devices": ["cpu"],
        "status": "ok", "errors": [], "warnings": [],
    });
    assert_eq!(report["models"][1], digits);
    assert_eq!(report["models"][4]["versions"], serde_json::json!([12, 1]));
    let text = stdout(&["inspect", &path, "--device", "cpu"]);
    let rows: Vec<&str> = text.lines().collect();
    assert!(rows[0].starts_with("model     versions  backend"), "{text}");
    assert!(rows[2].starts_with("digits    1         trident        8  image FP32"), "{text}");
    assert!(rows[2].ends_with("cpu      ok"), "{text}");
    assert!(rows[5].starts_with("versions  12, 1 "), "{text}");
    assert!(text.contains("\n\nwarning: gpu: `") && text.contains("asks for a GPU"), "{text}");
    assert!(!text.contains("\n\n\n"), "{text}");
}

#[test]
fn a_model_that_cannot_be_served_is_an_error_of_the_repository() {
    let repository = Repository::new("broken");
    repository.add("digits", "backend: 'trident'");
    repository.add("misspelt", "backend: 'trident'\nmax_batch_siz: 8");
    let folder = repository.add("versions", "backend: 'trident' version_policy { all { } }");
    std::fs::create_dir(format!("{folder}/2")).unwrap();
    std::fs::write(format!("{folder}/2/model.onnx"), b"\xff\xff").unwrap();
    let folder = repository.add("empty", "backend: 'trident'");
    std::fs::remove_file(format!("{folder}/1/model.onnx")).unwrap();
    let chain = "platform: 'ensemble' input { name: 'x' data_type: TYPE_FP32 dims: [ 1 ] } \
                 output { name: 'y' data_type: TYPE_FP32 dims: [ 1 ] } ensemble_scheduling { step { model_name: 'none' \
                 model_version: -1 input_map { key: 'a' value: 'x' } output_map { key: 'b' value: 'y' } } }";
    repository.add("chain", chain);
    std::fs::create_dir(repository.0.path("stray")).unwrap();
    let path = repository.0.path("");
    let (report, status, text) = survey(&path);
    assert_eq!(status, 2);
    assert!(text.contains("5 of 6 models cannot be served"), "{text}");
    let broken = ["chain", "empty", "misspelt", "stray", "versions"];
    for (name, status) in statuses(&report) {
        assert_eq!(status == "error", broken.contains(&name), "{name}: {status}");
    }
    let errors = |at: usize| report["models"][at]["errors"][0].as_str().unwrap();
    let place = "`ensemble_scheduling.step[0].model_name`: the repository has no model `none`";
    assert!(errors(0).contains(place), "{report}");
    assert!(errors(2).contains("unable to find"), "{report}");
    assert!(errors(3).contains("2:1: `max_batch_siz`"), "{report}");
    assert!(errors(4).contains("neither a `config.pbtxt` nor versions"), "{report}");
    assert!(errors(5).starts_with("version 2: failed to load"), "{report}");
    let output = trident(&["inspect", &path, "--device", "cpu"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.matches("error: ").count(), 5, "{text}");
}

#[test]
fn options_and_folders_that_do_not_fit_a_repository_are_named() {
    let repository = Repository::new("options");
    let path = repository.0.path("");
    let (status, text) = failure(&["inspect", &path]);
    assert_eq!(status, 2);
    assert!(
        text.contains("is neither a model's folder") && text.contains("nor a repository"),
        "{text}"
    );
    repository.add("digits", "backend: 'trident'");
    for options in [&["--steps"][..], &["--ir"], &["--no-passes"], &["--shape", "image=1x1x8x8"]] {
        let (status, text) = failure(&[&["inspect", &path], options].concat());
        assert_eq!(status, 2);
        assert!(text.contains(&format!("`{}` applies to one model", options[0])), "{text}");
    }
}
