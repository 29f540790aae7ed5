//! Words of the command line that stand for others: the name `tritonserver`, and `--config FILE`.

use super::options::Args;
use crate::failure::Failure;
use clap::error::ErrorKind;
use clap::{Args as _, Command};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;
use toml::{Table, Value};

/// The words in full: through a link named `tritonserver`, the program serves; and the options of a file stand before the others, which
/// take precedence.
pub(crate) fn expand(mut words: Vec<OsString>) -> Result<Vec<OsString>, Failure> {
    words.splice(1.min(words.len())..1.min(words.len()), link(&words).iter().map(OsString::from));
    if words.get(1).map(OsString::as_os_str) != Some(OsStr::new("serve")) {
        return Ok(words);
    }
    let command = Args::augment_args(Command::new("serve"));
    if let Some(file) = config(&words[2..]) {
        let options = read(Path::new(&file), &command)?;
        words.splice(2..2, options);
    }
    Ok(joined(words, &command))
}

/// The words with the values of switches that may stand alone (`--console-admin false`) as part of their options: otherwise the value
/// would be a repository.
fn joined(words: Vec<OsString>, command: &Command) -> Vec<OsString> {
    let may_stand_alone = |word: &OsStr| {
        let name = word.to_str().and_then(|word| word.strip_prefix("--"));
        let mut options = command.get_arguments().filter(|option| option.is_require_equals_set());
        name.is_some_and(|name| options.any(|option| option.get_long() == Some(name)))
    };
    let mut joined: Vec<OsString> = Vec::with_capacity(words.len());
    for word in words {
        let is_value = word.to_str().is_some_and(|word| super::options::switch(word).is_ok());
        match joined.last_mut().filter(|last| is_value && may_stand_alone(last)) {
            Some(option) => {
                option.push("=");
                option.push(word);
            }
            None => joined.push(word),
        }
    }
    joined
}

/// The usage of `serve` through a link named `tritonserver`, which leaves the word out; `None` for other names of the program.
pub(crate) fn usage(words: &[OsString]) -> Option<&'static str> {
    (link(words) == ["serve"]).then_some("tritonserver [OPTIONS] [REPOSITORY]...")
}

/// The words for which the name of the program stands.
fn link(words: &[OsString]) -> &'static [&'static str] {
    let program = words.first().and_then(|word| Path::new(word).file_stem()?.to_str());
    match program {
        Some("tritonserver") => &["serve"],
        Some("metal_performance_monitor") => &["monitor"],
        Some("metal_memory_stats") => &["monitor", "--memory"],
        _ => &[],
    }
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
fn read(path: &Path, command: &Command) -> Result<Vec<OsString>, Failure> {
    let refuse = |cause: &str| Failure::usage(format!("`{}`: {cause}", path.display()));
    let text = fs::read_to_string(path).map_err(|error| refuse(&error.to_string()))?;
    let table: Table = text.parse().map_err(|error: toml::de::Error| {
        let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
        refuse(&format!("line {line}: {}", error.message()))
    })?;
    // Options that have no value on the command line.
    let has_no_value = |name: &str| {
        let mut options = command.get_arguments();
        options.any(|option| option.get_long() == Some(name) && !option.get_action().takes_values())
    };
    let mut words = vec![];
    for (name, value) in &table {
        if name == "config" {
            return Err(refuse(&format!("line {}: a file names no other file", line(&text, name))));
        }
        let values = match value {
            Value::Array(values) => &values[..],
            value => std::slice::from_ref(value),
        };
        let first = words.len();
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
        // The command line's own errors would not name the file.
        let parsed = [OsString::from("serve")].into_iter().chain(words[first..].iter().cloned());
        if let Err(error) = command.clone().try_get_matches_from(parsed)
            && error.kind() != ErrorKind::MissingRequiredArgument
        {
            let text_of_error = error.to_string();
            let mut lines = text_of_error.lines().map(str::trim);
            let cause = lines.next().unwrap_or_default();
            let cause = cause.strip_prefix("error: ").unwrap_or(cause);
            let failure = refuse(&format!("line {}: {cause}", line(&text, name)));
            let tip = lines.find_map(|line| line.strip_prefix("tip: "));
            return Err(match tip {
                Some(tip) => failure.hint(tip),
                None => failure,
            });
        }
    }
    Ok(words)
}

/// The line of a name at the start of a line.
fn line(text: &str, name: &str) -> usize {
    let is_it = |line: &str| {
        let line = line.trim_start().trim_start_matches(['"', '\'']);
        let rest =
            line.strip_prefix(name).map(|rest| rest.trim_start_matches(['"', '\'', ' ', '\t']));
        rest.is_some_and(|rest| rest.starts_with('='))
    };
    1 + text.lines().position(is_it).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn names_of_the_program_stand_for_commands() {
        let expanded = expand(words("/opt/bin/tritonserver --model-store=m")).unwrap();
        assert_eq!(expanded, words("/opt/bin/tritonserver serve --model-store=m"));
        assert_eq!(expand(words("trident run a")).unwrap(), words("trident run a"));
        let expanded = expand(words("metal_performance_monitor --once")).unwrap();
        assert_eq!(expanded, words("metal_performance_monitor monitor --once"));
        let expanded = expand(words("bin/metal_memory_stats host:8002")).unwrap();
        assert_eq!(expanded, words("bin/metal_memory_stats monitor --memory host:8002"));
        assert_eq!(expand(vec![]).unwrap(), Vec::<OsString>::new());
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
        assert!(expand(given.clone()).unwrap_err().message().contains("`id` is neither"));
        for (text, part) in [
            ("id = 'a'\n\nhttp-prot = 1\n", "line 3: unexpected argument '--http-prot'"),
            ("id = 'a'\nhttp-port = 'x'\n", "line 2: invalid value 'x' for '--http-port"),
            ("config = 'other.toml'\n", "line 1: a file names no other file"),
        ] {
            fs::write(&file, text).unwrap();
            let failure = expand(given.clone()).unwrap_err();
            assert!(failure.message().contains("server.toml`: "), "{}", failure.message());
            assert!(failure.message().contains(part), "{}", failure.message());
        }
    }

    #[test]
    fn values_of_switches_may_be_words_of_their_own() {
        let given = words("trident serve --console-admin false m --log-requests TRUE --check");
        let expected = words("trident serve --console-admin=false m --log-requests=TRUE --check");
        assert_eq!(expand(given).unwrap(), expected);
        let alone = words("trident serve --console-admin m --http-port 1");
        assert_eq!(expand(alone.clone()).unwrap(), alone);
    }

    /// The options of the Triton Inference Server, the deprecated ones last.
    const UPSTREAM: &str = "id exit-timeout-secs model-repository model-store exit-on-error \
        disable-auto-complete-config strict-readiness model-control-mode repository-poll-secs load-model \
        model-config-name model-load-thread-count model-load-retry-count model-namespacing enable-peer-access \
        allow-http http-address http-port reuse-http-port http-header-forward-pattern http-thread-count \
        http-max-input-size http-restricted-api allow-grpc grpc-address grpc-port reuse-grpc-port \
        grpc-header-forward-pattern grpc-infer-thread-count grpc-infer-allocation-pool-size \
        grpc-max-response-pool-size grpc-use-ssl grpc-use-ssl-mutual grpc-server-cert grpc-server-key \
        grpc-root-cert grpc-infer-response-compression-level grpc-keepalive-time grpc-keepalive-timeout \
        grpc-keepalive-permit-without-calls grpc-http2-max-pings-without-data \
        grpc-http2-min-recv-ping-interval-without-data grpc-http2-max-ping-strikes grpc-max-connection-age \
        grpc-max-connection-age-grace grpc-restricted-protocol log-verbose log-info log-warning log-error \
        log-format log-file allow-metrics allow-gpu-metrics allow-cpu-metrics metrics-address metrics-port \
        metrics-interval-ms metrics-config trace-config backend-directory backend-config repoagent-directory \
        cache-config cache-directory rate-limit rate-limit-resource pinned-memory-pool-byte-size \
        cuda-memory-pool-byte-size cuda-virtual-address-size min-supported-compute-capability \
        buffer-manager-thread-count host-policy model-load-gpu-limit allow-client-shm allow-sagemaker \
        sagemaker-port sagemaker-safe-port-range sagemaker-thread-count allow-vertex-ai vertex-ai-port \
        vertex-ai-thread-count vertex-ai-default-model strict-model-config response-cache-byte-size trace-file \
        trace-level trace-rate trace-count trace-log-frequency";

    #[test]
    fn all_options_of_the_triton_inference_server_are_known() {
        let command = Args::augment_args(Command::new("serve"));
        let is_known = |name: &str| {
            command.get_arguments().any(|option| {
                let aliases = option.get_all_aliases().unwrap_or_default();
                option.get_long() == Some(name) || aliases.contains(&name)
            })
        };
        assert!(UPSTREAM.split_whitespace().count() > 80);
        let unknown: Vec<&str> =
            UPSTREAM.split_whitespace().filter(|name| !is_known(name)).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }
}
