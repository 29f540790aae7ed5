//! Loading, unloading and replacing models.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Instant;

use bytes::Bytes;
use trident_server::repository::{ControlMode, LoadOptions, RepositoryOptions};
use trident_serving::ErrorCode;

use crate::bench::*;

const UNREAD: &str = "failed to load 'm', failed to poll from model repository";

fn config(json: &str) -> LoadOptions {
    LoadOptions { config: Some(json.to_owned()), files: vec![] }
}

#[test]
fn models_are_loaded_and_unloaded_by_name() {
    let bench = Bench::new(|folder| {
        put(folder, "m", 1, "Neg");
        put(folder, "other", 3, "Abs");
    });
    assert!(!bench.repository.has_started());
    assert_eq!(bench.repository.start(), vec![]);
    assert!(bench.repository.has_started());
    assert_eq!(bench.index(), ["m", "other"], "never loaded");
    let unknown = bench.ask("m", &[1.0, 2.0]).unwrap_err();
    assert_eq!(unknown.text, "Request for unknown model: 'm' is not found");
    bench.load("m").unwrap();
    assert_eq!(bench.ask("m", &[1.0, -2.0]), Ok(vec![-1.0, 2.0]));
    assert_eq!(bench.index(), ["m:1 READY", "other"]);
    let model = bench.repository.model("m", None).unwrap();
    bench.repository.unload("m", false).unwrap();
    assert_eq!(bench.index(), ["m:1 UNLOADING", "other"], "somebody still uses it");
    drop(model);
    assert_eq!(bench.settled_index(), ["m:1 UNAVAILABLE unloaded", "other"]);
    assert!(!bench.repository.has_failed(), "unloaded on request");
    let gone = bench.ask("m", &[1.0, 2.0]).unwrap_err();
    assert_eq!(gone.text, "Request for unknown model: 'm' has no available versions");
    assert_eq!(gone.code, ErrorCode::NotFound);
    bench.repository.unload("nope", true).unwrap();
    assert_eq!(bench.index().len(), 2);
    bench.load("other").unwrap();
    let fault = bench.repository.model("other", Some(1)).err().unwrap();
    assert_eq!(fault.to_string(), "Request for unknown model: 'other' version 1 is not found");
    assert_eq!(bench.repository.model("other", Some(3)).unwrap().version(), 3);
}

#[test]
fn an_unchanged_model_keeps_what_a_client_sent_until_it_is_unloaded() {
    let bench = Bench::new(|folder| put(folder, "m", 1, "Neg"));
    bench.load("m").unwrap();
    let batch = || bench.repository.model("m", None).unwrap().config().max_batch_size;
    assert_eq!(batch(), 4, "filled in");
    let sent = config(r#"{"max_batch_size": 7, "backend": "onnxruntime"}"#);
    bench.repository.load("m", sent).unwrap();
    assert_eq!(batch(), 7);
    let before = bench.repository.model("m", None).unwrap();
    bench.load("m").unwrap();
    let after = bench.repository.model("m", None).unwrap();
    assert!(std::sync::Arc::ptr_eq(&before, &after) && batch() == 7, "nothing was loaded");
    bench.repository.unload("m", false).unwrap();
    bench.load("m").unwrap();
    assert_eq!(batch(), 4);
    // A change of the folder ends an override, too.
    bench.repository.load("m", config(r#"{"max_batch_size": 7}"#)).unwrap();
    put(bench.folder.path(), "m", 1, "Sigmoid");
    bench.load("m").unwrap();
    assert_eq!(batch(), 4);
}

#[test]
fn files_that_a_client_sends_stay_in_memory() {
    let bench = Bench::new(|folder| put(folder, "m", 1, "Neg"));
    let file = |name: &str| (name.to_owned(), model("Abs"));
    let load = |name: &str, config: Option<&str>, files: Vec<(String, Bytes)>| {
        let config = config.map(str::to_owned);
        bench.repository.load(name, LoadOptions { config, files })
    };
    load("m", Some("{}"), vec![file("file:5/model.onnx")]).unwrap();
    assert_eq!(bench.ask("m", &[-1.0, 2.0]), Ok(vec![1.0, 2.0]));
    assert_eq!(bench.index(), ["m:5 READY"], "the folder's version is not used");
    load("new", Some("{}"), vec![file("1/model.onnx")]).unwrap();
    assert_eq!(bench.ask("new", &[-1.0, 2.0]), Ok(vec![1.0, 2.0]));
    assert!(!bench.path("new").exists() && !bench.path("m/5").exists());
    assert_eq!(bench.index(), ["m:5 READY", "new:1 READY"]);
    bench.repository.unload("new", false).unwrap();
    assert_eq!(bench.index(), ["m:5 READY"], "no folder has it");
    let gone = bench.ask("new", &[1.0, 2.0]).unwrap_err();
    assert_eq!(gone.text, "Request for unknown model: 'new' has no available versions");
    let cases = [
        (None, "1/model.onnx".to_owned(), "without a configuration"),
        (Some("{bad"), "1/model.onnx".to_owned(), "the configuration that was sent"),
        (Some("{}"), "../1/model.onnx".to_owned(), "inside of the repository"),
        (Some("{}"), "/1/model.onnx".to_owned(), "inside of the repository"),
        (Some("{}"), format!("1/{}", "x".repeat(256)), "256 bytes is too long"),
        (Some("{}"), "labels.txt".to_owned(), "no file of a version was sent"),
        (Some(r#"{"name": "n"}"#), "1/model.onnx".to_owned(), "directory name must equal"),
    ];
    for (config, name, cause) in cases {
        let fault = load("m", config, vec![(name, model("Abs"))]).unwrap_err();
        assert_eq!((fault.code, &*fault.text), (ErrorCode::Internal, UNREAD), "{cause}");
        assert!(bench.logged(cause), "{cause}: {:?}", bench.log);
    }
    assert_eq!(bench.ask("m", &[-1.0, 2.0]), Ok(vec![1.0, 2.0]), "serves on");
}

#[test]
fn names_that_are_no_folders_of_the_repository_are_refused() {
    let bench = Bench::new(|folder| put(folder, "in/m", 1, "Neg"));
    put(bench.folder.path(), "a", 1, "Neg");
    let long = "x".repeat(300);
    for name in ["..", ".", "", "in/m", "../a", "/etc", "nope", "a\0", &long] {
        let fault = bench.load(name).unwrap_err();
        let text = format!("failed to load '{name}', failed to poll from model repository");
        assert!(fault.text.starts_with(&text), "{}", fault.text);
        assert_eq!(fault.code, ErrorCode::Internal, "{name}");
    }
    bench.load("a").unwrap();
    assert!(!bench.repository.has_failed());
}

#[test]
fn a_version_that_fails_leaves_the_one_that_answers() {
    let bench = Bench::new(|folder| put(folder, "m", 1, "Neg"));
    bench.load("m").unwrap();
    write(&bench.path("m"), &[("1/model.onnx", b"no model")]);
    let fault = bench.load("m").unwrap_err();
    let start =
        "load failed for model 'm': version 1 is at UNAVAILABLE state: Internal: failed to load '";
    assert!(fault.text.starts_with(start) && fault.text.ends_with(";\n"), "{}", fault.text);
    assert_eq!(fault.code, ErrorCode::InvalidArg);
    assert_eq!(bench.ask("m", &[1.0, 2.0]), Ok(vec![-1.0, -2.0]));
    assert!(bench.index()[0].starts_with("m:1 READY Internal: failed to load '"), "the cause");
    // The same files fail again, each time that a client asks for them.
    assert_eq!(bench.load("m").unwrap_err(), fault);
    assert!(bench.index()[0].starts_with("m:1 READY Internal: failed to load '"), "the cause");
    assert!(bench.logged("failed to load 'm' version 1: Internal"));
    // So does one that is newer.
    put(bench.folder.path(), "m", 1, "Neg");
    write(&bench.path("m"), &[("2/model.onnx", b"no model")]);
    bench.load("m").unwrap_err();
    assert_eq!(bench.ask("m", &[1.0, 2.0]), Ok(vec![-1.0, -2.0]));
    assert!(bench.index()[1].starts_with("m:2 UNAVAILABLE Internal"), "{:?}", bench.index());
    assert!(bench.repository.has_failed());
    put(bench.folder.path(), "m", 2, "Abs");
    bench.load("m").unwrap();
    assert_eq!(bench.ask("m", &[-1.0, 2.0]), Ok(vec![1.0, 2.0]));
    assert_eq!(bench.settled_index(), ["m:1 UNAVAILABLE unloaded", "m:2 READY"]);
    assert!(!bench.repository.has_failed());
}

#[test]
fn a_configuration_that_fails_leaves_the_one_that_answers() {
    let bench = Bench::new(|folder| put(folder, "m", 1, "Neg"));
    bench.load("m").unwrap();
    write(&bench.path("m"), &[("config.pbtxt", b"max_batch_sise: 3")]);
    let fault = bench.load("m").unwrap_err();
    assert!(
        fault.text.starts_with(UNREAD) && fault.text.contains("max_batch_size"),
        "{}",
        fault.text
    );
    assert_eq!(bench.ask("m", &[1.0, 2.0]), Ok(vec![-1.0, -2.0]));
    assert!(bench.index()[0].contains("READY") && bench.index()[0].contains("max_batch_size"));
    // A configuration that is read, but does not fit.
    write(&bench.path("m"), &[("config.pbtxt", b"name: \"n\"")]);
    let fault = bench.load("m").unwrap_err();
    assert!(fault.text.contains("directory name must equal"), "{}", fault.text);
    assert_eq!(bench.load("m").unwrap_err(), fault);
    fs::remove_file(bench.path("m/config.pbtxt")).unwrap();
    bench.load("m").unwrap();
    assert_eq!(bench.index(), ["m:1 READY"]);
}

#[test]
fn faults_of_configurations_have_their_places_in_the_index_and_the_log() {
    let bench = Bench::new(|folder| put(folder, "m", 1, "Neg"));
    let faulty = |text: &str| {
        write(&bench.path("m"), &[("config.pbtxt", text.as_bytes())]);
        let fault = bench.load("m").unwrap_err();
        (fault.text, bench.index().concat())
    };
    let file = bench.path("m/config.pbtxt").display().to_string();
    // The Triton Inference Server tells clients no cause: they get the place, too.
    let (told, index) = faulty("backend: \"trident\"\nmax_batch_size: -1");
    let place = format!("Invalid argument: `{file}`: 2:1: `max_batch_size`: 'max_batch_size' must");
    assert!(told.contains(&place) && index.contains(&place), "{told}\n{index}");
    assert!(bench.logged(&place), "{:?}", bench.log);
    // It tells them this cause, in these words.
    let output = "output { name: \"y\" data_type: TYPE_FP32 dims: [ 3 ] }";
    let (told, index) = faulty(&format!("max_batch_size: 2\n{output}"));
    let place =
        format!("Invalid argument: `{file}`: 2:41: `output[0].dims`: model 'm', tensor 'y'");
    assert!(told.contains("Invalid argument: model 'm', tensor 'y'"), "{told}");
    assert!(index.contains(&place) && bench.logged(&place), "{index}\n{:?}", bench.log);
    let (told, index) = faulty("\nbackend: \"python\"");
    let place = format!("Unsupported: `{file}`: 2:1: `backend`: model 'm' asks for");
    assert!(told.contains("Unsupported: model 'm' asks for") && index.contains(&place), "{index}");
    let (told, index) = faulty("backend: \"trident\"\n\ndefault_model_filename: \"x.onnx\"");
    let place = format!("Unavailable: `{file}`: 3:1: `default_model_filename`: unable to find");
    assert!(told.contains("Unavailable: unable to find") && index.contains(&place), "{index}");
    // The start of a server tells all of it.
    let failed = Bench::with(RepositoryOptions::default(), |folder| {
        put(folder, "m", 1, "Neg");
        write(&folder.join("m"), &[("config.pbtxt", output.replace("FP32", "INT8").as_bytes())]);
    });
    let failed = &failed.repository.start()[0].1.text;
    assert!(failed.contains("config.pbtxt`: 1:20: `output[0].data_type`: unable"), "{failed}");
}

#[test]
fn a_new_version_takes_over_without_a_dropped_request() {
    let bench = Bench::new(|folder| put(folder, "m", 1, "Neg"));
    bench.load("m").unwrap();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let clients: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| {
                    let mut count = [0; 2];
                    while !stop.load(Ordering::Relaxed) || count[1] == 0 {
                        let answer = bench.ask("m", &[1.0, 2.0]).unwrap();
                        match &*answer {
                            [-1.0, -2.0] => count[0] += 1,
                            [1.0, 2.0] => count[1] += 1,
                            other => panic!("{other:?}"),
                        }
                    }
                    count
                })
            })
            .collect();
        for version in 2..12 {
            put(bench.folder.path(), "m", version, "Abs");
            bench.load("m").unwrap();
        }
        stop.store(true, Ordering::Relaxed);
        for client in clients {
            assert!(client.join().unwrap()[1] > 0);
        }
    });
    assert_eq!(bench.index().last().unwrap(), "m:11 READY");
}

#[test]
fn version_policies_choose_and_leave_versions_loaded_that_are_the_same() {
    let bench = Bench::new(|folder| {
        put(folder, "m", 1, "Neg");
        put(folder, "m", 2, "Abs");
        put(folder, "m", 10, "Relu");
    });
    let policy = |text: &str| {
        let text = format!("version_policy {{ {text} }}");
        write(&bench.path("m"), &[("config.pbtxt", text.as_bytes())]);
        bench.load("m")
    };
    let model = |version| bench.repository.model("m", Some(version)).ok();
    policy("all {}").unwrap();
    assert_eq!(bench.index(), ["m:1 READY", "m:2 READY", "m:10 READY"]);
    assert_eq!(bench.repository.model("m", None).unwrap().version(), 10);
    let one = model(1).unwrap();
    policy("specific { versions: [ 1, 2, 7 ] }").unwrap();
    assert_eq!(bench.settled_index()[2], "m:10 UNAVAILABLE unloaded");
    policy("latest { num_versions: 2 }").unwrap();
    assert!(model(1).is_none() && model(2).is_some() && model(10).is_some());
    drop(one);
    for empty in ["specific { versions: [ 7 ] }", "latest { num_versions: 0 }"] {
        let fault = policy(empty).unwrap_err();
        let cause = "no version that its `version_policy` selects";
        assert!(fault.text.contains(cause), "{}", fault.text);
    }
    assert!(model(10).is_some(), "serves on");
}

#[test]
fn without_explicit_control_all_models_are_loaded_at_the_start() {
    let options = |mode| RepositoryOptions { mode, ..Default::default() };
    for mode in [ControlMode::None, ControlMode::Poll] {
        let bench = Bench::with(options(mode), |folder| {
            put(folder, "a", 1, "Neg");
            put(folder, "b", 1, "Abs");
            write(folder, &[("broken/1/model.onnx", b"no model"), (".git/config", b"")]);
        });
        let failed = bench.repository.start();
        assert_eq!(failed.len(), 1);
        assert!(failed[0].1.text.starts_with("load failed for model 'broken'"), "{failed:?}");
        assert!(bench.repository.has_started() && bench.repository.has_failed());
        assert_eq!(bench.index()[..2], ["a:1 READY", "b:1 READY"]);
        assert!(bench.index()[2].starts_with("broken:1 UNAVAILABLE Internal"));
        let text = "explicit model load / unload is not allowed if polling is enabled";
        for fault in [bench.load("a"), bench.repository.unload("a", false)] {
            let fault = fault.unwrap_err();
            assert_eq!((fault.code, &*fault.text), (ErrorCode::Unavailable, text));
        }
    }
}

#[test]
fn chosen_models_are_loaded_at_the_start() {
    let load = |names: &[&str]| {
        let load = names.iter().map(|name| (*name).to_owned()).collect();
        let options = RepositoryOptions { mode: ControlMode::Explicit, load, ..Default::default() };
        let bench = Bench::with(options, |folder| {
            put(folder, "a", 1, "Neg");
            put(folder, "b", 1, "Abs");
        });
        let failed = bench.repository.start().len();
        (bench.index(), failed)
    };
    assert_eq!(load(&["b"]), (vec!["a".to_owned(), "b:1 READY".to_owned()], 0));
    assert_eq!(load(&["*"]).0, ["a:1 READY", "b:1 READY"]);
    assert_eq!(load(&["nope"]).1, 1);
}

#[test]
fn polls_find_folders_that_are_new_changed_or_gone() {
    let options = RepositoryOptions { mode: ControlMode::Poll, ..Default::default() };
    let bench = Bench::with(options, |folder| {
        put(folder, "a", 1, "Neg");
        put(folder, "b", 1, "Abs");
        write(folder, &[("c/config.pbtxt", b"nonsense: 1")]);
        put(folder, "e", 1, "Relu");
        write(folder, &[("e/config.pbtxt", b"name: \"f\"")]);
    });
    bench.repository.start();
    let tries = || bench.log.lock().unwrap().len();
    let before = tries();
    bench.repository.poll();
    assert_eq!(tries(), before, "nothing has changed");
    fs::remove_dir_all(bench.path("a")).unwrap();
    put(bench.folder.path(), "b", 2, "Neg");
    put(bench.folder.path(), "d", 1, "Relu");
    fs::remove_file(bench.path("c/config.pbtxt")).unwrap();
    put(bench.folder.path(), "c", 1, "Relu");
    fs::remove_file(bench.path("e/config.pbtxt")).unwrap();
    bench.repository.poll();
    assert_eq!(
        bench.settled_index(),
        [
            "a:1 UNAVAILABLE unloaded",
            "b:1 UNAVAILABLE unloaded",
            "b:2 READY",
            "c:1 READY",
            "d:1 READY",
            "e:1 READY"
        ]
    );
    assert_eq!(bench.ask("b", &[1.0, 2.0]), Ok(vec![-1.0, -2.0]));
    // Files that fail are tried once, whether or not something answers in their place, until they change.
    let warned = || {
        bench.repository.poll();
        bench.log.lock().unwrap().len()
    };
    for text in ["name: \"f\"", "nonsense: 1", "nothing: 2"] {
        let before = tries();
        write(&bench.path("e"), &[("config.pbtxt", text.as_bytes())]);
        assert_eq!((warned(), warned()), (before + 1, before + 1), "{text}: {:?}", bench.log);
    }
    assert_eq!(bench.ask("e", &[-1.0, 2.0]), Ok(vec![0.0, 2.0]));
}

#[test]
fn polls_look_at_each_folder_once() {
    let time = |count: usize| {
        let options = RepositoryOptions { mode: ControlMode::Poll, ..Default::default() };
        let bench = Bench::with(options, |folder| {
            (0..count).for_each(|at| fs::create_dir(folder.join(format!("m{at}"))).unwrap());
        });
        bench.repository.start();
        let poll = || {
            let start = Instant::now();
            bench.repository.poll();
            start.elapsed()
        };
        (0..5).map(|_| poll()).min().unwrap()
    };
    // 16 times as many folders take about 16 times as long. Looking at all for each one took 100 times as long.
    // A machine that is busy for a moment is measured again.
    let measured: Vec<_> = (0..8).map(|_| (time(100), time(1600))).collect();
    assert!(measured.iter().any(|(few, many)| *many < *few * 48), "{measured:?}");
}

#[test]
fn a_bare_file_is_a_model() {
    let bench = Bench::new(|folder| write(folder, &[("m/model.onnx", &model("Neg"))]));
    bench.load("m").unwrap();
    assert_eq!(bench.ask("m", &[1.0, 2.0]), Ok(vec![-1.0, -2.0]));
    // The repository itself, as KServe has it.
    let options = RepositoryOptions { bare_name: Some("digits".into()), ..Default::default() };
    let bench = Bench::with(options, |folder| write(folder, &[("model.onnx", &model("Abs"))]));
    assert_eq!(bench.repository.start(), vec![]);
    assert_eq!(bench.index(), ["digits:1 READY"]);
    assert_eq!(bench.ask("digits", &[-1.0, 2.0]), Ok(vec![1.0, 2.0]));
}

#[test]
fn other_backends_and_hardware_are_load_errors_that_tell_the_way_out() {
    let bench = Bench::new(|folder| put(folder, "m", 1, "Neg"));
    let fault = |text: &str| {
        write(&bench.path("m"), &[("config.pbtxt", text.as_bytes())]);
        bench.load("m").unwrap_err().text
    };
    let text = fault("backend: \"python\"");
    let python = "version 1 is at UNAVAILABLE state: Unsupported: model 'm' asks for backend 'python', which is not part of \
                  this server; hint: export the model to ONNX";
    assert!(text.contains(python), "{text}");
    let text = fault("parameters { key: \"device\" value { string_value: \"broken\" } }");
    assert!(text.contains("Invalid argument: there is no device `broken`"), "{text}");
    let gpu = "instance_group [ { kind: KIND_GPU count: 1 gpus: [ 0 ] } ] backend: \"metal_mps\"";
    write(&bench.path("m"), &[("config.pbtxt", gpu.as_bytes())]);
    bench.load("m").unwrap();
    let model = bench.repository.model("m", None).unwrap();
    assert!(model.config_json().contains("KIND_CPU"), "{}", model.config_json());
    assert!(bench.logged("`instance_group[0].kind` asks for a GPU"));
    let mut options = RepositoryOptions { mode: ControlMode::Explicit, ..Default::default() };
    options.read.strict_instance_kind = true;
    let strict = Bench::with(options, |folder| {
        put(folder, "m", 1, "Neg");
        write(&folder.join("m"), &[("config.pbtxt", gpu.as_bytes())]);
    });
    let text = strict.load("m").unwrap_err().text;
    assert!(text.contains("`instance_group[0].kind` asks for a GPU"), "{text}");
}

#[test]
fn configurations_for_apple_start_unchanged_with_and_without_a_gpu() {
    let engine = "platform: \"onnxruntime_onnx\" max_batch_size: 8 dynamic_batching { } instance_group [ { kind: KIND_GPU count: 1 } ] \
        optimization { execution_accelerators { gpu_execution_accelerator [ { name: \"apple_neural_engine\" \
        parameters { key: \"precision\" value: \"fp16\" } parameters { key: \"power_mode\" value: \"high_performance\" } } ] } }";
    let metal = "backend: \"metal_mps\" max_batch_size: 8 instance_group [ { kind: KIND_GPU count: 1 gpus: [ 0 ] } ]";
    let options = || RepositoryOptions { mode: ControlMode::Explicit, ..Default::default() };
    for (text, gpus) in [(engine, "\"gpus\":[0]"), (metal, "\"gpus\":[0]")] {
        let fill = |folder: &Path| {
            put(folder, "m", 1, "Neg");
            write(&folder.join("m"), &[("config.pbtxt", text.as_bytes())]);
        };
        let shown = |bench: &Bench| {
            bench.load("m").unwrap();
            assert_eq!(bench.ask("m", &[1.0, 2.0]), Ok(vec![-1.0, -2.0]));
            bench.repository.model("m", None).unwrap().config_json().to_owned()
        };
        let config = shown(&Bench::with(options(), fill));
        assert!(config.contains("KIND_CPU") && config.contains("\"gpus\":[]"), "{config}");
        let config = shown(&Bench::on(hardware_with_gpu, options(), fill));
        assert!(config.contains("KIND_GPU") && config.contains(gpus), "{config}");
        let mut strict = options();
        strict.read.strict_instance_kind = true;
        assert!(Bench::with(strict.clone(), fill).load("m").is_err());
        Bench::on(hardware_with_gpu, strict, fill).load("m").unwrap();
    }
}

#[test]
fn warm_up_requests_run_before_a_model_is_ready() {
    let warmup = |shape: &str| {
        format!(
            "max_batch_size: 4 model_warmup {{ name: \"w\" batch_size: 2 count: 3 \
             inputs {{ key: \"x\" value {{ data_type: TYPE_FP32 dims: [ {shape} ] zero_data: true }} }} }}"
        )
    };
    let bench = Bench::new(|folder| put(folder, "m", 1, "Neg"));
    write(&bench.path("m"), &[("config.pbtxt", warmup("3").as_bytes())]);
    let text = bench.load("m").unwrap_err().text;
    assert!(text.contains("failed to run warm-up request 'w' of model 'm'"), "{text}");
    write(&bench.path("m"), &[("config.pbtxt", warmup("2").as_bytes())]);
    bench.load("m").unwrap();
}
