//! `trident run` on several files in turn.
#![allow(clippy::unwrap_used)] // what does not fit fails the test

mod common;

use common::{Scratch, digits, json, stdout, trident};
use std::fs;

/// A folder with three images of digits, and the classifier's answer to each.
fn images(scratch: &Scratch) -> Vec<String> {
    let samples = common::examples();
    let mut images: Vec<_> = walk(&samples);
    images.sort();
    images.truncate(3);
    fs::create_dir(scratch.path("in")).unwrap();
    for (i, image) in images.iter().enumerate() {
        fs::copy(image, scratch.path(&format!("in/{i}.png"))).unwrap();
    }
    (0..images.len()).map(|i| scratch.path(&format!("in/{i}.png"))).collect()
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let found = entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] });
    found.filter(|path| path.extension().is_some_and(|e| e == "png")).collect()
}

#[test]
fn a_folder_a_pattern_and_a_list_run_file_by_file() {
    let scratch = Scratch::new("several");
    let (files, model) = (images(&scratch), digits());
    assert!(files.len() > 1);
    let alone: Vec<_> = files
        .iter()
        .map(|f| json(&["run", &model, "-i", f, "--json"])["outputs"].clone())
        .collect();
    let (folder, pattern) = (scratch.path("in"), scratch.path("in/*.png"));
    let list: Vec<&str> = files.iter().flat_map(|file| ["-i", file]).collect();
    for inputs in [&["-i", &*folder][..], &["-i", &pattern], &list] {
        let args = [&["run", &model, "--json"][..], inputs].concat();
        let report = json(&args);
        let runs = report["runs"].as_array().unwrap();
        assert!(report["load_ms"].is_number());
        for ((run, file), expected) in runs.iter().zip(&files).zip(&alone) {
            assert_eq!(run["file"], **file);
            assert_eq!(run["outputs"], *expected);
        }
        assert_eq!(runs.len(), files.len());
    }
    let text = stdout(&["run", &model, "-i", &folder]);
    let places: Vec<_> = files.iter().map(|file| text.find(file.as_str()).unwrap()).collect();
    assert!(places.is_sorted(), "{text}");
    assert_eq!(text.matches("ran in").count(), files.len());
}

#[test]
fn each_run_has_an_output_of_its_own() {
    let scratch = Scratch::new("several-outputs");
    let (files, model) = (images(&scratch), digits());
    fs::create_dir(scratch.path("out")).unwrap();
    let (folder, each) = (scratch.path("in"), scratch.path("out/{}.npy"));
    stdout(&["run", &model, "-i", &folder, "-o", &each]);
    for (i, file) in files.iter().enumerate() {
        let alone = scratch.path("alone.npy");
        stdout(&["run", &model, "-i", file, "-o", &alone]);
        let written = fs::read(scratch.path(&format!("out/{i}.npy"))).unwrap();
        assert_eq!(written, fs::read(alone).unwrap());
    }
    let output = trident(&["run", &model, "-i", &folder, "-o", &scratch.path("one.npy")]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && text.contains("`{}` stands for"), "{text}");
    fs::copy(&files[0], scratch.path("in/0.jpg")).unwrap();
    let output = trident(&["run", &model, "-i", &folder, "-o", &each]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && text.contains("both have"), "{text}");
}

#[test]
fn a_file_that_fails_does_not_stop_the_others() {
    let scratch = Scratch::new("several-failures");
    let (files, model) = (images(&scratch), digits());
    fs::write(&files[0], "no image").unwrap();
    let folder = scratch.path("in");
    let output = trident(&["run", &model, "-i", &folder, "--json"]);
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.matches(&files[0]).count() == 1 && text.contains("1 of"), "{text}");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(report["runs"][0]["error"].is_string());
    assert!(report["runs"][1]["outputs"].is_object());
}

#[test]
fn folders_without_inputs_and_two_folders_are_refused() {
    let scratch = Scratch::new("several-refused");
    let (model, empty) = (digits(), scratch.path(""));
    for (args, expected) in [
        (vec!["run", &model, "-i", &empty], "no inputs in"),
        (vec!["run", &model, "-i", &scratch.path("*.png")], "no inputs in"),
    ] {
        let output = trident(&args);
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && text.contains(expected), "{text}");
    }
}
