//! Command lines in the documentation, so that tests can hold them to the commands.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A command line, and where it stands.
#[derive(Debug, PartialEq, Eq)]
pub struct CommandLine {
    /// Page and line.
    pub place: String,
    /// The program and its arguments.
    pub words: Vec<String>,
    /// A span in a sentence, such as `trident inspect`, which may leave arguments out.
    pub is_span: bool,
}

/// The command lines of README.md, CONTRIBUTING.md, docs and the READMEs of the examples in a checkout. They are the lines of
/// blocks without a language, outputs among them, and the spans of code in sentences.
pub fn command_lines(root: &Path) -> io::Result<Vec<CommandLine>> {
    let mut found = vec![];
    for page in pages(root)? {
        let text = fs::read_to_string(&page)?;
        in_page(&page.strip_prefix(root).unwrap_or(&page).to_string_lossy(), &text, &mut found);
    }
    Ok(found)
}

fn pages(root: &Path) -> io::Result<Vec<PathBuf>> {
    let in_folder = |folder: &str| -> io::Result<Vec<PathBuf>> {
        fs::read_dir(root.join(folder))?.map(|entry| Ok(entry?.path())).collect()
    };
    let mut pages = vec![root.join("README.md"), root.join("CONTRIBUTING.md")];
    for folder in ["docs", "docs/design", "docs/development"] {
        let entries = in_folder(folder)?.into_iter();
        pages.extend(entries.filter(|path| path.extension() == Some("md".as_ref())));
    }
    pages.extend(in_folder("examples")?.into_iter().map(|folder| folder.join("README.md")));
    pages.sort();
    Ok(pages)
}

fn in_page(page: &str, text: &str, found: &mut Vec<CommandLine>) {
    let mut add = |number: usize, command: &str, is_span: bool| {
        let words = words(command);
        if !words.is_empty() {
            found.push(CommandLine { place: format!("{page}:{}", number + 1), words, is_span });
        }
    };
    let mut block: Option<&str> = None;
    let mut command = String::new();
    for (number, line) in text.lines().enumerate() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            block = block.is_none().then_some(language);
        } else if let Some(language) = block {
            command.push_str(line.trim_end_matches('\\'));
            if line.ends_with('\\') {
                continue;
            }
            if language.is_empty() {
                add(number, &command, false);
            }
            command.clear();
        } else {
            let spans = line.split('`').skip(1).step_by(2);
            spans.for_each(|span| add(number, span, true));
        }
    }
}

/// The words of a command line as a shell splits it, up to a comment, a pipe, a redirection or the next command. Settings of
/// variables in front of the command are left out. So is the end of a line from `...` or `…` on, which stands for more arguments.
pub fn words(line: &str) -> Vec<String> {
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
    let is_setting =
        |word: &String| word.split_once('=').is_some_and(|(name, _)| name.to_uppercase() == name);
    let words = words.into_iter().skip_while(is_setting);
    words.take_while(|word| !["...", "…"].contains(&word.as_str())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_split_as_a_shell_does() {
        let joined = |line: &str| words(line).join(",");
        assert_eq!(
            joined("trident run a.onnx -o 'out/{}.npy'  # note"),
            "trident,run,a.onnx,-o,out/{}.npy"
        );
        assert_eq!(
            joined("A=1 B= cargo run -- k.ttir --arg x=1 ..."),
            "cargo,run,--,k.ttir,--arg,x=1"
        );
        assert_eq!(
            joined("trident inspect m.onnx --json | jq .plan"),
            "trident,inspect,m.onnx,--json"
        );
        assert_eq!(joined("echo \"a 'b'\" '' > file"), "echo,a 'b',");
        assert_eq!(joined("# nothing"), "");
    }

    #[test]
    fn blocks_and_spans_of_a_page_are_found() {
        let text = "Say `a b` or `c`.\n\n```\nd e \\\n  f\n$(g)\n```\n```python\nh\n```\nNot i.\n";
        let mut found = vec![];
        in_page("page.md", text, &mut found);
        let found: Vec<_> = found
            .iter()
            .map(|line| (line.place.as_str(), line.words.join(" "), line.is_span))
            .collect();
        let expected = [
            ("page.md:1", "a b".to_owned(), true),
            ("page.md:1", "c".to_owned(), true),
            ("page.md:5", "d e f".to_owned(), false),
            ("page.md:6", "$(g)".to_owned(), false),
        ];
        assert_eq!(found, expected);
    }
}
