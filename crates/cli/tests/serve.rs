//! `trident serve`: what a start and `--check` refuse, and signals.
#![cfg(all(feature = "serve", unix))]
#![allow(clippy::unwrap_used)] // what does not fit fails the test

mod common;
use common::{Scratch, digits, trident};
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const MODELS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/models");

/// Status and standard error of `trident serve` with these words.
fn serve(words: &[&str]) -> (i32, String) {
    let output = trident(&[&["serve"][..], words].concat());
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[track_caller]
fn refuses(status: i32, words: &[&str], parts: &[&str]) {
    let (actual, text) = serve(words);
    assert_eq!(actual, status, "{words:?}: {text}");
    for part in parts {
        assert!(text.contains(part), "{words:?} lacks `{part}`: {text}");
    }
}

#[test]
fn checks_find_repositories_without_models() {
    let scratch = Scratch::new("serve-empty");
    let folder = scratch.path("models");
    fs::create_dir(&folder).unwrap();
    let layout = ["has no folders of models", "NAME/1/model.onnx"];
    refuses(1, &[&folder, "--check"], &layout);
    fs::copy(digits(), format!("{folder}/digits.onnx")).unwrap();
    refuses(1, &[&folder, "--check"], &["hint: move `digits.onnx` to", "digits/1/model.onnx"]);
    refuses(0, &[MODELS, "--check"], &[]);
}

#[test]
fn checks_find_faults_that_a_start_would_find() {
    let scratch = Scratch::new("serve-faults");
    let (folder, missing) = (scratch.path("folder"), scratch.path("none/trace"));
    fs::create_dir(&folder).unwrap();
    let check = |words: &[&str], parts: &[&str]| {
        refuses(1, &[&[MODELS, "--check"][..], words].concat(), parts);
    };
    let load = ["--model-control-mode=explicit", "--load-model=nope"];
    check(&load, &["failed to load 'nope'", "no folder of this name"]);
    check(&["--record", &folder], &["cannot record to `", "/folder`"]);
    let trace = format!("--trace-config=triton,file={missing}");
    check(
        &["--trace-config=level=TIMESTAMPS", &trace],
        &["cannot write traces to `", "none/trace`"],
    );
    let file = scratch.path("server.pem");
    fs::write(&file, "no certificate").unwrap();
    let files = ["--http-server-cert", &file, "--http-server-key", &file];
    check(&[&["--http-use-ssl=true"][..], &files].concat(), &["no TLS for HTTP", "server.pem"]);
}

#[test]
fn every_failed_version_has_a_line() {
    let scratch = Scratch::new("serve-versions");
    let models = scratch.path("models");
    for (model, version) in [("a", 1), ("a", 2), ("b", 1)] {
        let folder = format!("{models}/{model}/{version}");
        fs::create_dir_all(&folder).unwrap();
        fs::write(format!("{folder}/model.onnx"), "no model").unwrap();
    }
    fs::write(format!("{models}/a/config.pbtxt"), "version_policy { all {} }").unwrap();
    let (status, text) = serve(&[&models, "--check"]);
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("error: ")).collect();
    assert_eq!((status, lines.len()), (1, 3), "{text}");
    assert!(lines[1].contains("load failed for model 'a': version 2"), "{text}");
    assert!(!text.contains("\\n"), "{text}");
}

#[test]
fn files_of_an_identity_need_the_switch() {
    for protocol in ["http", "grpc", "metrics"] {
        for file in ["server-cert", "server-key", "root-cert"] {
            let option = format!("--{protocol}-{file}");
            let text = format!("{option} has no effect without --{protocol}-use-ssl=true");
            refuses(2, &[MODELS, "--check", &option, "file.pem"], &[&text]);
        }
        let (off, file) =
            (format!("--{protocol}-use-ssl=false"), format!("--{protocol}-server-key=f"));
        refuses(0, &[MODELS, "--check", &off, &file], &["has no effect: --"]);
    }
}

#[test]
fn a_server_without_protocols_is_refused() {
    let off = ["--allow-http=false", "--allow-grpc=false", "--allow-metrics=false"];
    refuses(2, &[&[MODELS][..], &off].concat(), &["nothing would be served"]);
}

/// A server that ends with the test.
struct Serving(Child);

impl Serving {
    /// Starts a server, and waits until it is ready. Returns the lines of its start.
    fn start(words: &[&str]) -> (Serving, Vec<String>) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_trident"));
        command.arg("serve").args(words).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let serving = Serving(child);
        let mut lines = vec![];
        for line in output.lines() {
            let line = line.unwrap();
            if line == "ready" {
                return (serving, lines);
            }
            lines.push(line);
        }
        panic!("it ended: {lines:?}");
    }

    fn signal(&self, name: &str) {
        let kill = Command::new("kill").args([name, &self.0.id().to_string()]).status();
        assert!(kill.unwrap().success());
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_hangup_opens_the_log_again() {
    let scratch = Scratch::new("serve-hangup");
    let (log, old) = (scratch.path("log"), scratch.path("old"));
    let words = [MODELS, "--http-address=localhost", "--http-port=0", "--allow-grpc=false"];
    let words = [&words[..], &["--allow-metrics=false", "--log-file", &log]].concat();
    let (mut serving, lines) = Serving::start(&words);
    assert!(lines.iter().any(|line| line.starts_with("HTTP on 127.0.0.1:")), "{lines:?}");
    fs::rename(&log, &old).unwrap();
    serving.signal("-HUP");
    let start = Instant::now();
    let text = || fs::read_to_string(&log).unwrap_or_default();
    while !text().contains("SIGHUP: the file of the log is opened again") {
        assert!(start.elapsed() < Duration::from_secs(60), "{}", text());
        std::thread::sleep(Duration::from_millis(10));
    }
    serving.signal("-TERM");
    assert_eq!(serving.0.wait().unwrap().code(), Some(0));
    assert!(text().contains("the server has ended"));
}

#[test]
fn the_table_shows_rows_and_devices() {
    let scratch = Scratch::new("serve-table");
    let models = scratch.path("models");
    fs::create_dir_all(format!("{models}/gpu/1")).unwrap();
    fs::copy(digits(), format!("{models}/gpu/1/model.onnx")).unwrap();
    let config = "instance_group [ { kind: KIND_GPU gpus: [ 0 ] } ]";
    fs::write(format!("{models}/gpu/config.pbtxt"), config).unwrap();
    let words = ["serve", &models, "--device", "cpu", "--check"];
    let text = common::stdout(&words);
    assert!(text.contains("independent") && text.contains("cpu; not here: KIND_GPU"), "{text}");
    let json = common::json(&[&words[..], &["--json"]].concat());
    assert_eq!(json[0]["rows"], "independent");
    fs::create_dir_all(format!("{models}/plan/1")).unwrap();
    fs::write(format!("{models}/plan/config.pbtxt"), "platform: 'tensorrt_plan'").unwrap();
    refuses(1, &words[1..], &["asks for platform 'tensorrt_plan'", "serve the ONNX file"]);
}

#[test]
fn the_monitor_reads_sockets_in_the_file_system() {
    let scratch = Scratch::new("serve-monitor");
    let address = format!("unix:{}", scratch.path("metrics"));
    let words = [MODELS, "--allow-grpc=false", "--allow-http=false", "--metrics-address", &address];
    let _serving = Serving::start(&words);
    let sample = common::json(&["monitor", &address, "--json", "--interval", "0.1"]);
    assert_eq!(sample["models"][0]["name"], "digits", "{sample}");
}
