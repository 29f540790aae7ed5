//! Options of traces, as `--trace-config` gives them.

use std::time::Duration;

use super::{TraceLevel, TraceMode, TraceSettings};

/// A collector of OpenTelemetry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collector {
    /// Its address.
    pub url: String,
    /// The attributes of the server.
    pub resource: Vec<(String, String)>,
    /// The most spans that wait to be sent.
    pub most_waiting: usize,
    /// The most spans of a message.
    pub batch: usize,
    /// The pause between messages.
    pub delay: Duration,
}

impl Default for Collector {
    fn default() -> Collector {
        Collector {
            url: "http://localhost:4318/v1/traces".to_owned(),
            resource: vec![("service.name".to_owned(), "triton-inference-server".to_owned())],
            most_waiting: 2048,
            batch: 512,
            delay: Duration::from_millis(5000),
        }
    }
}

/// A URL without its user and password, which settings, the log and the header `Host` would tell to others.
pub(crate) fn without_user(url: &str) -> String {
    let start = url.find("://").map_or(0, |at| at + "://".len());
    let (scheme, rest) = url.split_at(start);
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    [scheme, host, path].concat()
}

/// The place of traces, and the requests that are traced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceOptions {
    /// The settings of all models, which clients can change.
    pub settings: TraceSettings,
    /// The form and place.
    pub mode: TraceMode,
    /// The file of mode [`TraceMode::Triton`]; empty for none.
    pub file: String,
    /// The collector of mode [`TraceMode::OpenTelemetry`].
    pub collector: Collector,
}

/// Why an option of traces cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TraceOptionError {
    /// Another form.
    #[error("`{0}` is not `<setting>=<value>` or `<mode>,<setting>=<value>`")]
    Form(String),
    /// A setting that does not exist.
    #[error(
        "`{0}` is not a setting; the settings are level, rate, count, mode, `triton,file`, `triton,log-frequency`, \
         `opentelemetry,url`, `opentelemetry,resource`, and `opentelemetry,bsp_max_queue_size`, `bsp_schedule_delay` and \
         `bsp_max_export_batch_size`"
    )]
    Setting(String),
    /// A value that a setting does not take.
    #[error("`{value}` is not a value of `{setting}`, expected {expected}")]
    Value {
        /// The setting's name.
        setting: String,
        /// The value.
        value: String,
        /// The values that the setting takes.
        expected: &'static str,
    },
    /// Mode triton without a file.
    #[error("traces need a file: `triton,file=FILE`, or `mode=opentelemetry`")]
    NoFile,
}

impl TraceOptions {
    /// Adds an option.
    ///
    /// # Errors
    /// A setting that does not exist, or a value that it does not take.
    pub fn add(&mut self, text: &str) -> Result<(), TraceOptionError> {
        let form = || TraceOptionError::Form(text.to_owned());
        let (setting, value) = text.split_once('=').ok_or_else(form)?;
        let wrong = |expected| {
            let (setting, value) = (setting.to_owned(), value.to_owned());
            TraceOptionError::Value { setting, value, expected }
        };
        let natural = || value.parse::<u32>().map_err(|_| wrong("a whole number"));
        let settings = &mut self.settings;
        match setting {
            "level" => match value.to_ascii_uppercase().as_str() {
                "OFF" => settings.levels.clear(),
                "TIMESTAMPS" => settings.levels.push(TraceLevel::Timestamps),
                "TENSORS" => settings.levels.push(TraceLevel::Tensors),
                _ => return Err(wrong("OFF, TIMESTAMPS or TENSORS")),
            },
            "rate" => settings.rate = natural()?,
            "count" => {
                let count = value.parse().ok().filter(|count| *count >= -1);
                settings.count = count.ok_or_else(|| wrong("-1 or a whole number"))?;
            }
            "mode" => {
                self.mode = match value.to_ascii_lowercase().as_str() {
                    "triton" => TraceMode::Triton,
                    "opentelemetry" => TraceMode::OpenTelemetry,
                    _ => return Err(wrong("triton or opentelemetry")),
                }
            }
            "triton,file" => value.clone_into(&mut self.file),
            "triton,log-frequency" => settings.frequency = natural()?,
            "opentelemetry,url" => self.collector.url = without_user(value),
            "opentelemetry,resource" => {
                let pair = value.split_once('=').ok_or_else(|| wrong("<attribute>=<value>"))?;
                let (key, value) = (pair.0.to_owned(), pair.1.to_owned());
                self.collector.resource.retain(|(own, _)| *own != key);
                self.collector.resource.push((key, value));
            }
            "opentelemetry,bsp_max_queue_size" => self.collector.most_waiting = natural()? as usize,
            "opentelemetry,bsp_max_export_batch_size" => {
                self.collector.batch = natural()?.max(1) as usize;
            }
            "opentelemetry,bsp_schedule_delay" => {
                self.collector.delay = Duration::from_millis(natural()?.max(1).into());
            }
            _ => return Err(TraceOptionError::Setting(setting.to_owned())),
        }
        Ok(())
    }

    /// Checks the options as a whole.
    ///
    /// # Errors
    /// Traces without a place.
    pub fn check(&self) -> Result<(), TraceOptionError> {
        match self.settings.levels.is_empty() || self.has_place() {
            true => Ok(()),
            false => Err(TraceOptionError::NoFile),
        }
    }

    /// Whether traces have a place.
    pub(super) fn has_place(&self) -> bool {
        self.mode == TraceMode::OpenTelemetry || !self.file.is_empty()
    }

    /// The mode and its own settings, as the protocols show them.
    pub(super) fn texts(&self, frequency: u32) -> Vec<(&'static str, Vec<String>)> {
        let one = |name, value: String| (name, vec![value]);
        match self.mode {
            TraceMode::Triton => vec![
                one("log_frequency", frequency.to_string()),
                one("trace_file", self.file.clone()),
                one("trace_mode", "triton".to_owned()),
            ],
            TraceMode::OpenTelemetry => {
                let Collector { url, resource, most_waiting, batch, delay } = &self.collector;
                let pairs = resource.iter().map(|(key, value)| format!("{key}={value}"));
                vec![
                    one("trace_mode", "opentelemetry".to_owned()),
                    one("url", url.clone()),
                    one("bsp_schedule_delay", delay.as_millis().to_string()),
                    one("resource", pairs.collect::<Vec<_>>().join(",")),
                    one("bsp_max_export_batch_size", batch.to_string()),
                    one("bsp_max_queue_size", most_waiting.to_string()),
                ]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() {
        let mut options = TraceOptions::default();
        for text in [
            "level=timestamps",
            "level=TENSORS",
            "rate=5",
            "count=-1",
            "triton,log-frequency=7",
            "opentelemetry,resource=service.name=mine",
            "opentelemetry,bsp_schedule_delay=200",
        ] {
            options.add(text).unwrap();
        }
        assert_eq!(options.check(), Err(TraceOptionError::NoFile));
        options.add("triton,file=/t").unwrap();
        options.check().unwrap();
        let settings = &options.settings;
        assert_eq!(settings.levels, [TraceLevel::Timestamps, TraceLevel::Tensors]);
        assert_eq!((settings.rate, settings.count, settings.frequency), (5, -1, 7));
        assert_eq!(options.collector.resource, [("service.name".into(), "mine".into())]);
        assert_eq!(options.collector.delay, Duration::from_millis(200));
        for (text, part) in [
            ("level", "is not `<setting>=<value>`"),
            ("level=x", "expected OFF, TIMESTAMPS or TENSORS"),
            ("count=-2", "expected -1 or a whole number"),
            ("nope=1", "`nope` is not a setting"),
        ] {
            let error = options.add(text).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn urls_have_no_passwords() {
        for (given, kept) in [
            ("http://u:p@ss@host:4318/v1/traces?a=b@c", "http://host:4318/v1/traces?a=b@c"),
            ("u:p@host", "host"),
            ("http://[::1]:4318", "http://[::1]:4318"),
            ("http://host/a@b", "http://host/a@b"),
        ] {
            let mut options = TraceOptions { mode: TraceMode::OpenTelemetry, ..Default::default() };
            options.add(&format!("opentelemetry,url={given}")).unwrap();
            assert_eq!(options.texts(0)[1], ("url", vec![kept.to_owned()]));
        }
    }
}
