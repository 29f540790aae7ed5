//! Faults of repositories and configurations that are told, and not passed over.

use std::fs;

use trident_server::repository::{ControlMode, Repository, RepositoryOptions};
use trident_serving::Scheduler;

use crate::bench::*;

#[test]
fn a_repository_that_cannot_be_read_unloads_nothing() {
    let options = RepositoryOptions { mode: ControlMode::Poll, ..Default::default() };
    let bench = Bench::with(options, |folder| {
        put(folder, "a", 1, "Neg");
        put(folder, "b", 1, "Abs");
    });
    assert_eq!(bench.repository.start(), vec![]);
    let lines =
        |text: &str| bench.log.lock().unwrap().iter().filter(|line| line.contains(text)).count();
    let away = bench.folder.path().with_extension("away");
    fs::rename(bench.folder.path(), &away).unwrap();
    (0..3).for_each(|_| bench.repository.poll());
    assert_eq!(bench.index(), ["a:1 READY", "b:1 READY"]);
    assert_eq!(bench.ask("a", &[1.0, -2.0]), Ok(vec![-1.0, 2.0]));
    assert_eq!(lines("cannot read the repository `"), 1, "{:?}", bench.log);
    fs::rename(&away, bench.folder.path()).unwrap();
    fs::remove_dir_all(bench.path("a")).unwrap();
    (0..2).for_each(|_| bench.repository.poll());
    assert_eq!(lines("can be read again"), 1);
    assert_eq!(lines("unloading model 'a', whose folder is gone"), 1, "{:?}", bench.log);
    assert_eq!(bench.settled_index(), ["a:1 UNAVAILABLE unloaded", "b:1 READY"]);
}

#[test]
fn models_that_cannot_do_what_they_are_marked_for_fail() {
    let bench = Bench::new(|folder| {
        for (name, mark) in [("m", "embeddings"), ("n", "embedding"), ("o", "")] {
            put(folder, name, 1, "Neg");
            let config =
                format!("parameters {{ key: 'openai' value: {{ string_value: '{mark}' }} }}");
            write(&folder.join(name), &[("config.pbtxt", config.as_bytes())]);
        }
    });
    let fault = |name| bench.load(name).unwrap_err().text;
    assert!(fault("m").contains("must have one input of type TYPE_STRING"), "{}", fault("m"));
    assert!(bench.logged("config.pbtxt`: 1:1: `parameters[openai]`"), "{:?}", bench.log);
    assert!(fault("n").contains("which is 'embeddings' or 'completions'"), "{}", fault("n"));
    bench.load("o").unwrap();
}

#[test]
fn fields_that_would_be_ignored_are_refused_or_logged() {
    let bench = Bench::new(|folder| {
        put(folder, "m", 1, "Neg");
        let config =
            "max_batch_size: 4\nmodel_repository_agents { agents [ { name: \"checksum\" } ] }";
        write(folder, &[("m/config.pbtxt", config.as_bytes())]);
        put(folder, "n", 1, "Neg");
        write(folder, &[("n/config.pbtxt", b"optimization { cuda { graphs: true } }")]);
    });
    let fault = bench.load("m").unwrap_err();
    assert!(fault.text.contains("`model_repository_agents.agents` is not supported"), "{fault:?}");
    assert!(
        bench.logged("config.pbtxt`: 2:27: `model_repository_agents.agents`"),
        "{:?}",
        bench.log
    );
    bench.load("n").unwrap();
    assert!(bench.logged("model 'n': without effect: `optimization.cuda` (there is no CUDA here)"));
}

#[test]
fn a_repository_without_models_is_told_at_the_start() {
    let bench = Bench::with(RepositoryOptions::default(), |_| {});
    assert_eq!(bench.repository.start(), vec![]);
    assert!(bench.logged("has no folders of models; hint: a model's file belongs in `"));
    assert_eq!(bench.repository.empty_folders().len(), 1);
    let folders = vec![bench.path("none")];
    let options = RepositoryOptions { folders, ..Default::default() };
    let missing = Repository::new(options, Box::new(hardware), Scheduler::start(1).unwrap());
    let failed = missing.start();
    assert!(failed[0].1.text.contains("cannot read the repository"), "{failed:?}");
}
