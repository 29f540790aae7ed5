//! Examples in the documentation, run as they are printed: the pages show what the command writes.
#![allow(clippy::unwrap_used)] // what does not fit fails the test

mod common;

use common::{Scratch, digits, examples};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The first block of code of a page after a text that stands once in it.
#[track_caller]
fn block_after(page: &str, text: &str) -> String {
    let content = std::fs::read_to_string(root().join(page)).unwrap();
    let (before, after) = content.split_once(text).unwrap();
    assert!(!before.contains(text) && !after.contains(text), "{page}: `{text}` is there twice");
    let after = after.trim_start_matches('\n').trim_start_matches("```\n");
    let (_, block) = after.split_once("```\n").unwrap();
    block.split_once("```").unwrap().0.to_owned()
}

/// Runs a command line in a folder.
fn run(line: &str, folder: &Path) -> Output {
    let args = line.strip_prefix("trident ").unwrap().split(' ');
    Command::new(env!("CARGO_BIN_EXE_trident")).args(args).current_dir(folder).output().unwrap()
}

/// The words of each line, without what differs between machines: times, and the instruction set in a kernel's name.
fn words(text: &str) -> Vec<Vec<String>> {
    let word = |word: &str| {
        let parts = word.rsplit_once('.');
        let set = |set: &str| ["avx512", "avx2", "portable"].contains(&set);
        parts.filter(|(_, last)| set(last)).map_or(word, |(kernel, _)| kernel).to_owned()
    };
    let line = |line: &str| match line.split_once("loaded in ") {
        Some(_) => vec!["loaded in".to_owned()],
        None => line.split_whitespace().map(word).collect(),
    };
    text.lines().map(line).collect()
}

#[test]
fn the_readme_shows_a_run_and_a_plan() {
    let shown = |line: &str| {
        let output = run(line, &root());
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
        words(&String::from_utf8(output.stdout).unwrap())
    };
    let line = "trident run examples/digits/digits.onnx --input examples/digits/7.png";
    assert_eq!(shown(line), words(&block_after("README.md", line)));
    if cfg!(target_os = "macos") {
        return; // The plan there begins with the GPU.
    }
    let line = "trident inspect examples/digits/digits.onnx";
    let (all, end) = (shown(line), words(&block_after("README.md", line)));
    assert!(end.len() > 5 && all.ends_with(&end), "{all:?}");
}

#[test]
#[cfg(not(target_os = "macos"))] // which has a GPU for the second model
fn the_table_of_a_repository_is_the_one_on_the_page() {
    let scratch = Scratch::new("docs-repository");
    let configs = [
        ("digits", "backend: \"trident\" max_batch_size: 8 dynamic_batching { }\n"),
        (
            "digits_gpu",
            "backend: \"metal_mps\"\nmax_batch_size: 8\ninstance_group { count: 1 kind: KIND_GPU gpus: [ 0 ] }\n",
        ),
        ("digits_old", "backend: \"trident\"\nmax_batch_siz: 8\n"),
    ];
    for (model, config) in configs {
        let folder = scratch.path(&format!("models/{model}"));
        std::fs::create_dir_all(format!("{folder}/1")).unwrap();
        std::fs::copy(digits(), format!("{folder}/1/model.onnx")).unwrap();
        std::fs::write(format!("{folder}/config.pbtxt"), config).unwrap();
    }
    let output = run("trident inspect models", Path::new(&scratch.path("")));
    assert_eq!(output.status.code(), Some(2));
    let text = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()).concat();
    assert_eq!(text, block_after("docs/cli.md", "```\ntrident inspect models\n"));
}

#[test]
fn a_folder_of_images_runs_as_the_page_says() {
    let scratch = Scratch::new("docs-folder");
    let at = |name: &str| PathBuf::from(scratch.path(name));
    std::fs::create_dir_all(at("photos")).unwrap();
    std::fs::create_dir_all(at("scores")).unwrap();
    std::fs::copy(digits(), at("resnet50.onnx")).unwrap();
    std::fs::copy(examples().join("labels.txt"), at("imagenet.txt")).unwrap();
    for digit in [3, 7] {
        let image = format!("{digit}.png");
        std::fs::copy(examples().join(&image), at("photos").join(&image)).unwrap();
    }
    let line = block_after("docs/cli.md", "## Several runs").replace('\'', "");
    let output = run(line.trim(), &at(""));
    assert!(output.status.success(), "{output:?}");
    assert!(at("scores/3.npy").exists() && at("scores/7.npy").exists());
}
