//! Options of the Triton Inference Server that have no effect here, or that are refused because ignoring them would be wrong.

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, Error, FromArgMatches};

/// Options that were given, of those that have no effect.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inert {
    given: Vec<(&'static Flag, String)>,
}

/// An option without a meaning here.
#[derive(Debug)]
struct Flag {
    name: &'static str,
    effect: Effect,
}

#[derive(Debug)]
enum Effect {
    /// It is logged, with the reason.
    None(&'static str),
    /// It is an error, unless the value is one of these.
    Refused(&'static str, &'static [&'static str]),
    /// It is an older name of this setting of `--trace-config`.
    Trace(&'static str),
}

const OFF: &[&str] = &["false", "off", "0"];
const CUDA: &str = "there is no CUDA here";
const THREADS: &str =
    "all protocols share the threads of `--http-thread-count`, and all models one set of cores";
const CLOUD: &str = "the server has no ports for SageMaker and Vertex AI";

const fn none(name: &'static str, reason: &'static str) -> Flag {
    Flag { name, effect: Effect::None(reason) }
}

const fn refused(
    name: &'static str,
    reason: &'static str,
    harmless: &'static [&'static str],
) -> Flag {
    Flag { name, effect: Effect::Refused(reason, harmless) }
}

const fn trace(name: &'static str, setting: &'static str) -> Flag {
    Flag { name, effect: Effect::Trace(setting) }
}

static FLAGS: &[Flag] = &[
    none("enable-peer-access", CUDA),
    none("pinned-memory-pool-byte-size", CUDA),
    none("cuda-memory-pool-byte-size", CUDA),
    none("cuda-virtual-address-size", CUDA),
    none("min-supported-compute-capability", CUDA),
    none("model-load-gpu-limit", CUDA),
    none("allow-gpu-metrics", CUDA),
    none("buffer-manager-thread-count", THREADS),
    none("grpc-infer-thread-count", THREADS),
    none("grpc-infer-allocation-pool-size", "requests have no pools"),
    none("grpc-max-response-pool-size", "responses have no pools"),
    none("grpc-keepalive-permit-without-calls", "clients may always send pings"),
    none("grpc-http2-max-pings-without-data", "clients may always send pings"),
    none("grpc-http2-min-recv-ping-interval-without-data", "clients may always send pings"),
    none("grpc-http2-max-ping-strikes", "clients may always send pings"),
    none("backend-directory", "backends are built in"),
    none("repoagent-directory", "there are no agents of repositories"),
    none("cache-directory", "caches are built in"),
    none("host-policy", "the system places threads"),
    none("allow-cpu-metrics", "the page of metrics always has them"),
    none("metrics-interval-ms", "metrics are measured when they are asked for"),
    refused("model-namespacing", "names of models are unique in a server", OFF),
    trace("trace-file", "triton,file"),
    trace("trace-level", "level"),
    trace("trace-rate", "rate"),
    trace("trace-count", "count"),
    trace("trace-log-frequency", "triton,log-frequency"),
    refused("allow-sagemaker", CLOUD, OFF),
    refused("sagemaker-port", CLOUD, &[]),
    refused("sagemaker-safe-port-range", CLOUD, &[]),
    refused("sagemaker-thread-count", CLOUD, &[]),
    refused("allow-vertex-ai", CLOUD, OFF),
    refused("vertex-ai-port", CLOUD, &[]),
    refused("vertex-ai-thread-count", CLOUD, &[]),
    refused("vertex-ai-default-model", CLOUD, &[]),
];

impl Inert {
    /// A line of the log for each option.
    ///
    /// # Errors
    /// An option that is refused, by name.
    pub(crate) fn lines(&self) -> Result<Vec<String>, String> {
        let line = |(flag, value): &(&Flag, String)| match flag.effect {
            Effect::None(reason) => Ok(Some(format!("--{} has no effect: {reason}", flag.name))),
            Effect::Trace(setting) => Ok(Some(format!(
                "--{} is deprecated; hint: --trace-config={setting}={value} has the same effect",
                flag.name
            ))),
            Effect::Refused(reason, harmless) => {
                let is_harmless = harmless.iter().any(|one| one.eq_ignore_ascii_case(value));
                let refusal = || format!("--{}={value} is not supported: {reason}", flag.name);
                if is_harmless { Ok(None) } else { Err(refusal()) }
            }
        };
        self.given.iter().filter_map(|given| line(given).transpose()).collect()
    }

    /// The values of `--trace-config` that older options stand for.
    pub(crate) fn trace_settings(&self) -> Vec<String> {
        let setting = |(flag, value): &(&Flag, String)| match flag.effect {
            Effect::Trace(setting) => Some(format!("{setting}={value}")),
            Effect::None(_) | Effect::Refused(..) => None,
        };
        self.given.iter().filter_map(setting).collect()
    }
}

impl clap::Args for Inert {
    fn augment_args(command: Command) -> Command {
        command.args(FLAGS.iter().map(|flag| {
            Arg::new(flag.name)
                .long(flag.name)
                .value_name("VALUE")
                .action(ArgAction::Append)
                .hide(true)
        }))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Inert::augment_args(command)
    }
}

impl FromArgMatches for Inert {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Inert, Error> {
        let mut inert = Inert::default();
        inert.update_from_arg_matches(matches)?;
        Ok(inert)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        for flag in FLAGS {
            if matches.value_source(flag.name) == Some(ValueSource::CommandLine) {
                let values = matches.get_many::<String>(flag.name).into_iter().flatten();
                self.given.extend(values.map(|value| (flag, value.clone())));
            }
        }
        Ok(())
    }
}
