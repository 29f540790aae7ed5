//! `cargo xtask mock`: runs the code that calls Metal on a Mac against a mock of Metal, on Linux.
//!
//! `crates/emulator/mock/metal.m` is the mock, on GCC's Objective-C runtime. The code is the one that macOS gets, compiled
//! with `--cfg trident_mock`.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};

use crate::build::cargo;
use crate::debian::{self, Missing, Needed};
use crate::paths;
use crate::steps::{Choice, Step, Steps};
use crate::tally::Outcome;
use crate::test::arguments;

/// The compiler and the runtime.
const NEEDED: [Needed; 2] =
    [("/usr/bin/clang-22", "clang-22"), ("/usr/lib/x86_64-linux-gnu/libobjc.so.4", "libobjc4")];

const TARGET: &str = "x86_64-unknown-linux-gnu";

/// Libraries that `objc2` asks for, and whose functions the mock has.
const EMPTY: [&str; 3] = ["gnustep-base", "BlocksRuntime", "dispatch"];

/// Run the tests; prints their counts as the last line.
pub(crate) fn run(choice: Choice) -> Result<Outcome> {
    let mut steps = Steps::default();
    steps.add(Step::command("mock of Metal", tests));
    steps.run(choice)
}

/// The command that runs the tests, for which the mock is compiled.
pub(crate) fn tests() -> Result<Command> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Err(Missing("the mock of Metal runs on 64-bit x86 Linux only".to_owned()).into());
    }
    debian::install(&NEEDED)?;
    let folder = paths::target().join("mock");
    let libraries = folder.join("lib");
    fs::create_dir_all(&libraries)?;
    for name in EMPTY {
        fs::write(libraries.join(format!("lib{name}.a")), "!<arch>\n")?;
    }
    let runtime = libraries.join("libobjc.so");
    if !runtime.exists() {
        symlink(NEEDED[1].0, &runtime)?;
    }
    let object = folder.join("metal.o");
    compile(&object)?;
    let line = format!("test --target {TARGET} --profile ci --locked");
    let mut tests = arguments(cargo(), &line);
    tests.args(["-p", "trident-emulator", "--test", "framework"]);
    tests
        .env("CARGO_TARGET_DIR", &folder)
        .env("TRIDENT_MOCK", &folder)
        .env("XDG_CACHE_HOME", folder.join("cache"))
        // Built once and run for seconds.
        .env("CARGO_PROFILE_CI_OPT_LEVEL", "0")
        .env("RUSTC_WRAPPER", paths::root().join("xtask/python/darwin/mock_rustc.py"))
        .env(
            "CARGO_ENCODED_RUSTFLAGS",
            [
                "--cfg".to_owned(),
                "trident_mock".to_owned(),
                "-L".to_owned(),
                format!("native={}", libraries.display()),
                "-C".to_owned(),
                format!("link-arg={}", object.display()),
            ]
            .join("\x1f"),
        );
    Ok(tests)
}

/// Compile the mock, if it has changed: all programs are linked again with a new object.
fn compile(object: &Path) -> Result<()> {
    let source = paths::root().join("crates/emulator/mock/metal.m");
    let time = |path: &Path| fs::metadata(path).and_then(|data| data.modified()).ok();
    if time(object) >= time(&source) {
        return Ok(());
    }
    let mut clang = arguments(
        Command::new("clang-22"),
        "-std=gnu17 -fobjc-runtime=gcc -fblocks -fPIC -O1 -g -Wall -Werror -Wno-unused-parameter -c",
    );
    clang.args(["-Wno-deprecated-objc-isa-usage", "-o"]).arg(object).arg(&source);
    ensure!(clang.status()?.success(), "the mock does not compile");
    Ok(())
}
