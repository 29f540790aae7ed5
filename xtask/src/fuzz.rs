//! `cargo xtask fuzz triton`: more of the damaged Triton IR that the crate's own test looks at.

use anyhow::Result;
use clap::Parser;

use crate::build::{Profile, cargo};
use crate::tally::Outcome;

/// Feed damaged texts to the reader of Triton IR.
#[derive(Parser)]
#[command(name = "cargo xtask fuzz triton")]
struct Options {
    /// Texts in all
    #[arg(long, default_value_t = 10_000)]
    count: u64,
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Show this one text and what comes of it
    #[arg(long)]
    only: Option<u64>,
}

/// Run the test `fuzz` of crate `triton` with these options; `args` starts with the word `triton`.
pub(crate) fn triton(args: &[String]) -> Result<Outcome> {
    let options = Options::parse_from(args);
    let mut command = cargo();
    command
        .args(["test", "--quiet", "--package", "trident-triton", "--test", "fuzz"])
        .args(["--profile", Profile::Ci.name(), "--", "--nocapture"])
        .env("TRIDENT_FUZZ_COUNT", options.count.to_string())
        .env("TRIDENT_FUZZ_SEED", options.seed.to_string());
    if let Some(number) = options.only {
        command.env("TRIDENT_FUZZ_ONLY", number.to_string());
    }
    let success = command.status()?.success();
    let texts = options.only.map_or(options.count, |_| 1);
    let (passed, failed) = if success { (texts, 0) } else { (0, 1) };
    println!("{passed} passed, {failed} failed, 0 skipped");
    Ok(Outcome::from(success))
}
