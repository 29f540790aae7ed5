//! The program `trident`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(trident_cli::run(std::env::args_os()))
}
