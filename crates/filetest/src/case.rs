//! One file.

use crate::Command;

const CHECK: &str = "; check:";

/// The parts of a file.
pub(crate) struct Case<'t> {
    commands: Vec<&'t str>,
    /// Everything before the expectation.
    input: &'t str,
    /// The lines of the expectation as in the file; `None` if there is none.
    check: Option<&'t str>,
}

impl<'t> Case<'t> {
    pub(crate) fn parse(text: &'t str) -> Result<Case<'t>, String> {
        let first = text.lines().next().unwrap_or("");
        let Some(names) = first.strip_prefix("; test:") else {
            return Err("the first line is not `; test: COMMAND`\n".into());
        };
        let commands: Vec<_> = names.split('|').map(str::trim).collect();
        let (input, check) = match text.find(&format!("\n{CHECK}")) {
            Some(at) => {
                let rest = &text[at + 1..];
                let (head, check) = rest.split_once('\n').unwrap_or((rest, ""));
                if head.trim_end() != CHECK {
                    return Err(format!("`{head}`: the expectation starts on the next line\n"));
                }
                (&text[..=at], Some(check))
            }
            None => (text, None),
        };
        Ok(Case { commands, input, check })
    }

    /// The outcome of the commands; an error only for an unknown command.
    pub(crate) fn run(&self, commands: &[Command<'_>]) -> Result<String, String> {
        let mut text = self.input.to_owned();
        for &name in &self.commands {
            let Some((_, command)) = commands.iter().find(|(n, _)| *n == name) else {
                let known: Vec<_> = commands.iter().map(|(n, _)| *n).collect();
                return Err(format!("no command `{name}`, there are: {}\n", known.join(", ")));
            };
            match command(&text) {
                Ok(next) => text = next,
                Err(e) => return Ok(format!("error: {e}")),
            }
        }
        Ok(text)
    }

    /// The expected text, without the comment signs.
    pub(crate) fn expected(&self) -> String {
        let plain = |line: &'t str| line.strip_prefix("; ").or(line.strip_prefix(';'));
        let lines = self.check.unwrap_or("").lines().map(|line| plain(line).unwrap_or(line));
        lines.collect::<Vec<_>>().join("\n")
    }

    pub(crate) fn expects(&self, actual: &str) -> bool {
        // A file that expects nothing would pass with a command that does nothing.
        self.check.is_some_and(|check| !check.trim().is_empty())
            && trimmed(&self.expected()) == trimmed(actual)
    }

    /// The file with `actual` as its expectation.
    pub(crate) fn with_expectation(&self, actual: &str) -> String {
        let mut text = format!("{}\n\n{CHECK}\n", self.input.trim_end());
        for line in trimmed(actual) {
            text.push_str(if line.is_empty() { ";" } else { "; " });
            text.push_str(line);
            text.push('\n');
        }
        text
    }
}

/// Lines without blanks at their ends, and without empty ones at either end.
pub(crate) fn trimmed(text: &str) -> Vec<&str> {
    let mut lines: Vec<_> = text.lines().map(str::trim_end).collect();
    while lines.last().is_some_and(|l| l.is_empty()) {
        lines.pop();
    }
    let empty = lines.iter().take_while(|l| l.is_empty()).count();
    lines.split_off(empty)
}
