//! Checks that the command lines in the documentation and in `--help` can be parsed.

use crate::Cli;
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use std::path::Path;
use trident_filetest::pages::{self, CommandLine};

/// The arguments of `trident` in a command line, if it runs that.
fn arguments(words: &[String]) -> Option<&[String]> {
    let program = match words.first()?.as_str() {
        "trident" | "target/release/trident" => 0,
        "cargo" if words.get(1)? == "run" && !words.contains(&"-p".to_owned()) => {
            words.iter().position(|word| word == "--")?
        }
        _ => return None,
    };
    let args = &words[program + 1..];
    // A command in capitals stands for every command.
    let any = args.first()?.chars().all(|c| c.is_ascii_uppercase());
    (!any).then_some(args)
}

/// The command lines in the examples of `--help`. Comments follow three spaces or more.
fn in_help() -> Vec<CommandLine> {
    let mut found = vec![];
    let top = Cli::command();
    for command in std::iter::once(&top).chain(top.get_subcommands()) {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        for line in help.replace("\\\n", "").lines().filter_map(|line| line.strip_prefix("  ")) {
            let line = line.split("   ").find(|part| !part.is_empty()).unwrap_or_default();
            let place = format!("trident {} --help", command.get_name());
            found.push(CommandLine { place, words: pages::words(line), is_span: false });
        }
    }
    found
}

#[test]
fn every_command_line_in_the_documentation_parses() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut checked = (0, 0);
    for line in pages::command_lines(&root).unwrap().into_iter().chain(in_help()) {
        let Some(args) = arguments(&line.words) else { continue };
        *(if line.is_span { &mut checked.1 } else { &mut checked.0 }) += 1;
        // `N` stands for a number.
        let words = args.iter().map(|word| if word == "N" { "1" } else { word });
        let Err(error) = Cli::try_parse_from(std::iter::once("trident").chain(words)) else {
            continue;
        };
        let fits = match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => true,
            ErrorKind::MissingRequiredArgument => line.is_span,
            _ => false,
        };
        assert!(fits, "{}: trident {}: {error}", line.place, args.join(" "));
    }
    assert!(checked.0 > 40 && checked.1 > 30, "{checked:?} lines");
}

#[test]
fn only_the_command_itself_is_held_to_its_arguments() {
    let args = |line: &str| arguments(&pages::words(line)).map(|args| args.join(","));
    assert_eq!(args("trident run a.onnx").as_deref(), Some("run,a.onnx"));
    assert_eq!(args("cargo run --release -- run k.ttir ...").as_deref(), Some("run,k.ttir"));
    for other in ["trident COMMAND --help", "cargo run -p other -- x", "pip install .", "trident"] {
        assert_eq!(args(other), None, "{other}");
    }
}
