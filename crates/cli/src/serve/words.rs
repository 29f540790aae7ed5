//! Words of the command line that stand for others: the name `tritonserver`, and `--config FILE`.

use super::options::Args;
use crate::failure::Failure;
use clap::{Args as _, Command};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;
use toml::{Table, Value};

/// The words in full: through a link named `tritonserver`, the program serves; and the options of a file stand before the others, which
/// take precedence.
pub(crate) fn expand(mut words: Vec<OsString>) -> Result<Vec<OsString>, Failure> {
    if is_link(&words) {
        words.insert(1, "serve".into());
    }
    if words.get(1).map(OsString::as_os_str) != Some(OsStr::new("serve")) {
        return Ok(words);
    }
    if let Some(file) = config(&words[2..]) {
        let options = read(Path::new(&file))?;
        words.splice(2..2, options);
    }
    Ok(words)
}

/// The usage of `serve` through a link named `tritonserver`, which leaves the word out; `None` for other names of the program.
pub(crate) fn usage(words: &[OsString]) -> Option<&'static str> {
    is_link(words).then_some("tritonserver [OPTIONS] [REPOSITORY]...")
}

/// Whether the program is called by the name `tritonserver`.
fn is_link(words: &[OsString]) -> bool {
    let program = words.first().map(|word| Path::new(word).file_stem().unwrap_or_default());
    program == Some(OsStr::new("tritonserver"))
}

/// The value of the last `--config`.
fn config(words: &[OsString]) -> Option<OsString> {
    let mut file = None;
    for (at, word) in words.iter().enumerate() {
        if word == "--config" {
            file = words.get(at + 1).cloned();
        } else if let Some(value) = word.to_str().and_then(|word| word.strip_prefix("--config=")) {
            file = Some(value.into());
        }
    }
    file
}

/// The options of a file: names as on the command line, and arrays for options that may be repeated.
fn read(path: &Path) -> Result<Vec<OsString>, Failure> {
    let refuse = |cause: &str| Failure::usage(format!("`{}`: {cause}", path.display()));
    let text = fs::read_to_string(path).map_err(|error| refuse(&error.to_string()))?;
    let table: Table = text.parse().map_err(|error: toml::de::Error| {
        let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
        refuse(&format!("line {line}: {}", error.message()))
    })?;
    let command = Args::augment_args(Command::new("serve"));
    // Options that have no value on the command line.
    let has_no_value = |name: &str| {
        let mut options = command.get_arguments();
        options.any(|option| option.get_long() == Some(name) && !option.get_action().takes_values())
    };
    let mut words = vec![];
    for (name, value) in &table {
        let values = match value {
            Value::Array(values) => &values[..],
            value => std::slice::from_ref(value),
        };
        for value in values {
            let word = match value {
                Value::String(text) => format!("--{name}={text}"),
                Value::Integer(number) => format!("--{name}={number}"),
                Value::Float(number) => format!("--{name}={number}"),
                Value::Boolean(true) if has_no_value(name) => format!("--{name}"),
                Value::Boolean(false) if has_no_value(name) => continue,
                Value::Boolean(switch) => format!("--{name}={switch}"),
                Value::Datetime(_) | Value::Array(_) | Value::Table(_) => {
                    let text = format!(
                        "`{name}` is neither a text, number or switch nor an array of them"
                    );
                    return Err(refuse(&text));
                }
            };
            words.push(word.into());
        }
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn a_link_named_tritonserver_serves() {
        let expanded = expand(words("/opt/bin/tritonserver --model-store=m")).unwrap();
        assert_eq!(expanded, words("/opt/bin/tritonserver serve --model-store=m"));
        assert_eq!(expand(words("trident run a")).unwrap(), words("trident run a"));
    }

    #[test]
    fn options_of_a_file_come_first() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("server.toml");
        let text = "http-port = 0\nallow-grpc = false\ncheck = true\njson = false\nload-model = ['a', 'b']\n";
        fs::write(&file, text).unwrap();
        let given = words(&format!("trident serve --http-port 1 --config {}", file.display()));
        let expanded = expand(given.clone()).unwrap();
        let mut options = expanded[2..7].to_vec();
        options.sort();
        let expected =
            words("--allow-grpc=false --check --http-port=0 --load-model=a --load-model=b");
        assert_eq!(options, expected);
        assert_eq!(expanded[7..], given[2..]);

        fs::write(&file, "id = 'a'\nhttp-port = \n").unwrap();
        let failure = expand(given.clone()).unwrap_err();
        assert!(failure.message().contains("line 2"), "{}", failure.message());
        fs::write(&file, "id = 1979-05-27\n").unwrap();
        assert!(expand(given).unwrap_err().message().contains("`id` is neither"));
    }
}
