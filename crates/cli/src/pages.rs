//! The command lines in the documentation and in `--help`, held to what the command takes.

use crate::Cli;
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use std::fs;
use std::path::{Path, PathBuf};

/// A command line, and where it stands.
struct Line {
    place: String,
    /// The arguments, from the subcommand on.
    args: Vec<String>,
    /// A part of a sentence, such as `trident inspect`, leaves arguments out.
    is_part: bool,
}

/// Pages with commands: README, docs, contributions, and the READMEs of the examples.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let in_folder =
        |folder: PathBuf| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut pages = vec![root.join("README.md"), root.join("CONTRIBUTING.md")];
    pages.extend(
        in_folder(root.join("docs")).filter(|path| path.extension() == Some("md".as_ref())),
    );
    pages.extend(in_folder(root.join("examples")).map(|folder| folder.join("README.md")));
    pages
}

/// The words of a line as a shell splits it: up to a comment, a pipe, a redirection or the next command.
fn words(line: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![];
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in line.chars() {
        match (c, quote) {
            (_, Some(open)) if c == open => quote = None,
            (_, Some(_)) => word.get_or_insert_default().push(c),
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            ('#', None) if word.is_none() => break,
            ('|' | '>' | '&' | ';', None) => break,
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// The arguments of `trident` in a line, if it runs that.
fn arguments(line: &str) -> Option<Vec<String>> {
    let mut words = words(line);
    let is_setting =
        |word: &String| word.split_once('=').is_some_and(|(name, _)| name.to_uppercase() == name);
    let settings = words.iter().take_while(|word| is_setting(word)).count();
    words.drain(..settings);
    let program = match words.first()?.as_str() {
        "trident" | "target/release/trident" => 0,
        "cargo" if words.get(1)? == "run" && !words.contains(&"-p".to_owned()) => {
            words.iter().position(|word| word == "--")?
        }
        _ => return None,
    };
    let given = words.drain(program + 1..);
    // `…` stands for the rest. A command in capitals stands for every command.
    let args: Vec<String> =
        given.take_while(|word| !["...", "…"].contains(&word.as_str())).collect();
    let any = args.first().is_some_and(|word| word.chars().all(|c| c.is_ascii_uppercase()));
    (!any && !args.is_empty()).then_some(args)
}

/// The command lines of a page: those in blocks without a language, and the spans of code that begin with `trident`.
fn lines_of(page: &Path) -> Vec<Line> {
    let text = fs::read_to_string(page).unwrap_or_else(|e| panic!("{}: {e}", page.display()));
    let mut found = vec![];
    let mut block: Option<&str> = None;
    let mut command = String::new();
    for (number, line) in text.lines().enumerate() {
        let place = format!("{}:{}", page.display(), number + 1);
        if let Some(language) = line.trim_start().strip_prefix("```") {
            block = block.is_none().then_some(language);
        } else if let Some(language) = block {
            let line = line.trim_start().trim_start_matches("$ ");
            command.push_str(line.trim_end_matches('\\'));
            if line.ends_with('\\') {
                continue;
            }
            let args = arguments(&command).filter(|_| language.is_empty());
            found.extend(args.map(|args| Line { place, args, is_part: false }));
            command.clear();
        } else {
            let spans =
                line.split('`').skip(1).step_by(2).filter(|span| span.starts_with("trident "));
            let args = spans.filter_map(arguments);
            found.extend(args.map(|args| Line { place: place.clone(), args, is_part: true }));
        }
    }
    found
}

/// The command lines in the examples of `--help`. Comments stand behind three spaces or more.
fn lines_of_help() -> Vec<Line> {
    let mut found = vec![];
    let top = Cli::command();
    for command in std::iter::once(&top).chain(top.get_subcommands()) {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        for line in help.replace("\\\n", "").lines().filter_map(|line| line.strip_prefix("  ")) {
            let line = line.split("   ").find(|part| !part.is_empty()).unwrap_or_default();
            let place = format!("trident {} --help", command.get_name());
            found.extend(arguments(line).map(|args| Line { place, args, is_part: false }));
        }
    }
    found
}

#[test]
fn every_command_line_in_the_documentation_parses() {
    let (pages, help) = (pages(), lines_of_help());
    let in_pages: Vec<Line> = pages.iter().flat_map(|page| lines_of(page)).collect();
    let whole = in_pages.iter().filter(|line| !line.is_part).count();
    let counts = (pages.len(), in_pages.len(), whole, help.len());
    assert!(counts.0 > 12 && counts.1 > 40 && counts.2 > 9 && counts.3 > 20, "{counts:?}");
    for Line { place, args, is_part } in in_pages.into_iter().chain(help) {
        // `N` stands for a number.
        let words = args.iter().map(|word| if word == "N" { "1" } else { word });
        let parsed = Cli::try_parse_from(std::iter::once("trident").chain(words));
        let Err(error) = parsed else { continue };
        let fits = match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => true,
            ErrorKind::MissingRequiredArgument => is_part,
            _ => false,
        };
        assert!(fits, "{place}: trident {}: {error}", args.join(" "));
    }
}

#[test]
fn lines_are_split_as_a_shell_does() {
    let args = |line: &str| arguments(line).map(|args| args.join(","));
    assert_eq!(
        args("trident run a.onnx -o 'out/{}.npy'  # note").as_deref(),
        Some("run,a.onnx,-o,out/{}.npy")
    );
    assert_eq!(args("A=1 cargo run --release -- run k.ttir ...").as_deref(), Some("run,k.ttir"));
    assert_eq!(
        args("trident inspect m.onnx --json | jq .plan").as_deref(),
        Some("inspect,m.onnx,--json")
    );
    for other in [
        "trident COMMAND --help",
        "cargo run -p other -- x",
        "pip install .",
        "trident … | head",
        "",
    ] {
        assert_eq!(args(other), None, "{other}");
    }
}
