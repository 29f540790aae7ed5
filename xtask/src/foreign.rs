//! `cargo xtask test --target aarch64`: the Rust suites of the CPU's crates for another processor, run under QEMU.
//!
//! The pinned toolchain has the standard library for its own machine only, so Debian's compiler builds all of it from
//! source.

use anyhow::Result;
use clap::ValueEnum;

use crate::debian::{self, Needed};
use crate::steps::{Choice, Step, Steps};
use crate::tally::Outcome;
use crate::test::arguments;

/// A processor that tests can run for.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Target {
    /// 64-bit Arm: the CPU of every Mac
    Aarch64,
}

/// The packages that the tests run under and are linked with.
const NEEDED: [Needed; 3] = [
    ("/usr/bin/qemu-aarch64", "qemu-user"),
    ("/usr/bin/aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu"),
    ("/usr/aarch64-linux-gnu/lib/libc.so.6", "libc6-dev-arm64-cross"),
];

/// The crates whose code differs between processors, and the crates that such code is built on.
const CRATES: &[&str] =
    &["ir", "runtime", "simd", "kernels", "tile-analysis", "graph-to-tile", "jit", "cpu"];

/// The subset that CI has time for: vectors, and code written with them.
const QUICK: &[&str] = &["simd", "kernels", "tile-analysis"];

/// Run the chosen suites of all crates; prints the sum of the counts as the last line.
pub(crate) fn run(target: Target, choice: Choice) -> Result<Outcome> {
    let mut steps = Steps::default();
    suites(&mut steps, target, CRATES);
    steps.run(choice)
}

/// Add the part that CI has time for.
pub(crate) fn quick(steps: &mut Steps) {
    suites(steps, Target::Aarch64, QUICK);
}

fn suites(steps: &mut Steps, Target::Aarch64: Target, crates: &'static [&str]) {
    let install = || debian::install(&[&debian::RUST[..], &NEEDED].concat());
    steps.add(Step::check("aarch64 environment", install));
    let tests = Step::command("rust tests on aarch64", || {
        let mut tests = arguments(debian::cargo("aarch64"), "test -Zbuild-std --profile ci");
        tests.arg("--no-fail-fast").args(["--lib", "--tests"]);
        tests.args(["--target", "aarch64-unknown-linux-gnu"]);
        tests.args(crates.iter().flat_map(|name| ["-p".into(), format!("trident-{name}")]));
        tests.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", "aarch64-linux-gnu-gcc").env(
            "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER",
            "qemu-aarch64 -L /usr/aarch64-linux-gnu",
        );
        // QEMU 7.2 aborts when a child of a program with several threads starts a thread.
        tests.args(["--", "--skip", "forked_children"]);
        Ok(tests)
    });
    steps.add(tests.needs(&["aarch64 environment"]).builds_elsewhere());
}
