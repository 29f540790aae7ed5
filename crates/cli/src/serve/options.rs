//! Options of the command, most of which have the names of the Triton Inference Server's.

use super::address::Address;
use super::backend_config::BackendSetting;
use super::inert::Inert;
use super::time_families::TimeSetting;
use super::tls::TlsFlags;
use crate::model::DeviceArgs;
use clap::{ArgAction, ValueEnum};
use std::net::Ipv4Addr;
use std::path::PathBuf;
use trident_server::settings::LogFormat;

/// Options of `trident serve`. Those of the Triton Inference Server have its names; switches take true or false.
#[derive(clap::Args, Debug)]
#[command(args_override_self = true)]
pub(crate) struct Args {
    /// Folders of models' folders
    #[arg(value_name = "REPOSITORY")]
    pub(crate) repositories: Vec<PathBuf>,
    /// The same, as an option
    #[arg(long, alias = "model-store", value_name = "FOLDER")]
    pub(crate) model_repository: Vec<PathBuf>,
    /// Load all models, print a table, and open no port
    #[arg(long)]
    pub(crate) check: bool,
    /// Print the table of `--check` as JSON
    #[arg(long, requires = "check")]
    pub(crate) json: bool,
    /// A TOML file with options by their names; options of the command line take precedence
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) devices: DeviceArgs,
    #[command(flatten)]
    pub(crate) models: ModelOptions,
    #[command(flatten)]
    pub(crate) http: HttpFlags,
    #[command(flatten)]
    pub(crate) grpc: GrpcFlags,
    #[command(flatten)]
    pub(crate) metrics: MetricsFlags,
    /// A file of API keys, one a line: all requests but those for health need one as `Authorization: Bearer <KEY>`
    #[arg(long, value_name = "FILE", help_heading = "Access")]
    pub(crate) api_key_file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) tls: TlsFlags,
    #[command(flatten)]
    pub(crate) limits: LimitFlags,
    #[command(flatten)]
    pub(crate) log: LogFlags,
    #[command(flatten)]
    pub(crate) ending: EndingFlags,
    #[command(flatten)]
    pub(crate) inert: Inert,
}

/// Who loads which models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ControlMode {
    /// All models, at the start
    None,
    /// The same, and changes of the folders
    Poll,
    /// The models that clients ask for
    Explicit,
}

/// The rule by which instances get resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RateLimit {
    /// None: `rate_limiter` has no effect
    Off,
    /// Instances that have run least go first, by their priorities
    #[value(name = "execution_count")]
    ExecutionCount,
}

#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Models")]
pub(crate) struct ModelOptions {
    /// The server's name
    #[arg(long, value_name = "NAME", default_value = "trident")]
    pub(crate) id: String,
    /// Which models are loaded, and when
    #[arg(long, value_enum, value_name = "MODE", default_value = "none", ignore_case = true)]
    pub(crate) model_control_mode: ControlMode,
    /// In mode explicit, a model to load at the start; `*` for all
    #[arg(long, value_name = "MODEL")]
    pub(crate) load_model: Vec<String>,
    /// In mode poll, seconds between looks at the folders
    #[arg(long, value_name = "SECONDS", default_value_t = 15)]
    pub(crate) repository_poll_secs: u32,
    /// The name of configurations in the folders `configs` of models
    #[arg(long, value_name = "NAME")]
    pub(crate) model_config_name: Option<String>,
    /// How many models are loaded at a time
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub(crate) model_load_thread_count: usize,
    /// How often a load that failed is tried again
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) model_load_retry_count: usize,
    /// End if a model fails to load at the start
    #[arg(long, value_name = "SWITCH", default_value = "true", value_parser = switch, action = ArgAction::Set)]
    pub(crate) exit_on_error: bool,
    /// Be not ready while a model that failed to load does not answer
    #[arg(long, value_name = "SWITCH", default_value = "true", value_parser = switch, action = ArgAction::Set)]
    pub(crate) strict_readiness: bool,
    /// The most bytes of all models, with a suffix K, M or G: models that are idle longest are unloaded, and the next request
    /// loads them again
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub(crate) memory_limit: Option<u64>,
    /// Unload models that nobody has asked for that long; the next request loads them again
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) idle_unload: Option<u32>,
    /// Keep answers for models whose configurations have `response_cache`, within a number of bytes: `local,size=<BYTES>`
    #[arg(long, value_name = "CACHE", value_parser = cache)]
    pub(crate) cache_config: Option<usize>,
    /// Deprecated: `--cache-config=local,size=<BYTES>`
    #[arg(long, value_name = "BYTES", conflicts_with = "cache_config", hide = true)]
    pub(crate) response_cache_byte_size: Option<usize>,
    /// Whether instances run only while the resources are free that their groups name (`rate_limiter`)
    #[arg(long, value_enum, value_name = "MODE", default_value = "off", ignore_case = true)]
    pub(crate) rate_limit: RateLimit,
    /// How many there are of a resource, of each device or one: `<NAME>:<COUNT>` or `<NAME>:<COUNT>:<DEVICE>`
    #[arg(long, value_name = "RESOURCE")]
    pub(crate) rate_limit_resource: Vec<String>,
    /// Refuse instances on a GPU where there is none, instead of running them on the CPU
    #[arg(long, value_name = "SWITCH", default_value = "false", default_missing_value = "true", num_args = 0..=1, require_equals = true, value_parser = switch, action = ArgAction::Set)]
    pub(crate) strict_instance_kind: bool,
    /// Take configurations as they are written, and fill nothing in from the models
    #[arg(long, value_name = "SWITCH", default_value = "false", default_missing_value = "true", num_args = 0..=1, require_equals = true, value_parser = switch, action = ArgAction::Set)]
    pub(crate) disable_auto_complete_config: bool,
    /// Deprecated: the same
    #[arg(long, value_name = "SWITCH", value_parser = switch, hide = true)]
    pub(crate) strict_model_config: Option<bool>,
    /// Settings of backends: `<BACKEND>,<KEY>=<VALUE>`, or `<KEY>=<VALUE>` for all; `default-max-batch-size` acts
    #[arg(long, value_name = "SETTING", value_parser = BackendSetting::parse)]
    pub(crate) backend_config: Vec<BackendSetting>,
    /// Let clients register shared memory
    #[arg(long, value_name = "SWITCH", default_value = "false", value_parser = switch, action = ArgAction::Set)]
    pub(crate) allow_client_shm: bool,
}

#[derive(clap::Args, Debug)]
#[command(next_help_heading = "HTTP")]
pub(crate) struct HttpFlags {
    /// Serve HTTP
    #[arg(long, value_name = "SWITCH", default_value = "true", value_parser = switch, action = ArgAction::Set)]
    pub(crate) allow_http: bool,
    /// The address to listen on, or `unix:FILE`
    #[arg(long, value_name = "ADDRESS", default_value_t = Ipv4Addr::UNSPECIFIED.into())]
    pub(crate) http_address: Address,
    /// The port; 0 for any free one
    #[arg(long, value_name = "PORT", default_value_t = 8000)]
    pub(crate) http_port: u16,
    /// Let other processes listen on the port, too
    #[arg(long, value_name = "SWITCH", default_value = "false", value_parser = switch, action = ArgAction::Set)]
    pub(crate) reuse_http_port: bool,
    /// The most threads for connections; there are no more than cores
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub(crate) http_thread_count: usize,
    /// The most bytes of a request's body, also decompressed
    #[arg(long, value_name = "BYTES", default_value_t = 64 << 20)]
    pub(crate) http_max_input_size: usize,
    /// Forward headers whose names match this regular expression as parameters of requests
    #[arg(long, value_name = "REGEX", default_value = "")]
    pub(crate) http_header_forward_pattern: String,
    /// Let the web console at `/ui` load and unload models
    #[arg(long, value_name = "SWITCH", default_value = "false", default_missing_value = "true", num_args = 0..=1, require_equals = true, value_parser = switch, action = ArgAction::Set)]
    pub(crate) console_admin: bool,
    /// APIs that need a header: `<API>[,<API>…]:<header>=<value>`
    #[arg(long, value_name = "RESTRICTION")]
    pub(crate) http_restricted_api: Vec<String>,
}

#[derive(clap::Args, Debug)]
#[command(next_help_heading = "gRPC")]
pub(crate) struct GrpcFlags {
    /// Serve gRPC
    #[arg(long, value_name = "SWITCH", default_value = "true", value_parser = switch, action = ArgAction::Set)]
    pub(crate) allow_grpc: bool,
    /// The address to listen on, or `unix:FILE`
    #[arg(long, value_name = "ADDRESS", default_value_t = Ipv4Addr::UNSPECIFIED.into())]
    pub(crate) grpc_address: Address,
    /// The port; 0 for any free one
    #[arg(long, value_name = "PORT", default_value_t = 8001)]
    pub(crate) grpc_port: u16,
    /// Let other processes listen on the port, too
    #[arg(long, value_name = "SWITCH", default_value = "false", value_parser = switch, action = ArgAction::Set)]
    pub(crate) reuse_grpc_port: bool,
    /// How hard answers are compressed for clients that accept it
    #[arg(long, value_enum, value_name = "LEVEL", default_value = "none", ignore_case = true)]
    pub(crate) grpc_infer_response_compression_level: CompressionLevel,
    /// Milliseconds of silence after which the server asks whether a client is still there
    #[arg(long, value_name = "MS", default_value_t = 7_200_000)]
    pub(crate) grpc_keepalive_time: u64,
    /// Milliseconds that the client then has to answer
    #[arg(long, value_name = "MS", default_value_t = 20_000)]
    pub(crate) grpc_keepalive_timeout: u64,
    /// Milliseconds after which a connection is asked to end; 0 for never
    #[arg(long, value_name = "MS", default_value_t = 0)]
    pub(crate) grpc_max_connection_age: u64,
    /// Milliseconds that its calls then have to end; 0 for any time
    #[arg(long, value_name = "MS", default_value_t = 0)]
    pub(crate) grpc_max_connection_age_grace: u64,
    /// Forward metadata whose names match this regular expression as parameters of requests
    #[arg(long, value_name = "REGEX", default_value = "")]
    pub(crate) grpc_header_forward_pattern: String,
    /// Serve `grpc.health.v1.Health/Watch` and reflection, too
    #[arg(long, value_name = "SWITCH", default_value = "false", value_parser = switch, action = ArgAction::Set)]
    pub(crate) grpc_extras: bool,
    /// Protocols that need a key: `<protocol>[,<protocol>…]:<key>=<value>`
    #[arg(long, value_name = "RESTRICTION")]
    pub(crate) grpc_restricted_protocol: Vec<String>,
}

/// How hard answers are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompressionLevel {
    /// Not at all
    None,
    /// Fast
    Low,
    /// Between both
    Medium,
    /// Small
    High,
}

#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Metrics")]
pub(crate) struct MetricsFlags {
    /// Serve a page of metrics at `/metrics`
    #[arg(long, value_name = "SWITCH", default_value = "true", value_parser = switch, action = ArgAction::Set)]
    pub(crate) allow_metrics: bool,
    /// The address to listen on, or `unix:FILE`; by default the address of HTTP
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) metrics_address: Option<Address>,
    /// The port; 0 for any free one
    #[arg(long, value_name = "PORT", default_value_t = 8002)]
    pub(crate) metrics_port: u16,
    /// Families of times: `counter_latencies=<SWITCH>`, `summary_latencies=<SWITCH>`, `summary_quantiles=<QUANTILE>:<ERROR>,…`,
    /// `histogram_latencies=<SWITCH>`
    #[arg(long, value_name = "SETTING", value_parser = TimeSetting::parse)]
    pub(crate) metrics_config: Vec<TimeSetting>,
}

#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Limits")]
pub(crate) struct LimitFlags {
    /// The most connections of each port at a time; others wait
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub(crate) max_connections: usize,
    /// The most bytes of a request's headers
    #[arg(long, value_name = "BYTES", default_value_t = 64 << 10, value_parser = clap::value_parser!(u32).range(1024..=1 << 24))]
    pub(crate) max_header_size: u32,
    /// Seconds that a client has to agree on TLS, to send the head of an HTTP request, and to be idle between two
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub(crate) header_timeout_secs: u32,
    /// Seconds that a client has to send the body of an HTTP request, and one more for each mebibyte
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    pub(crate) body_timeout_secs: u32,
    /// Seconds that a client may read nothing of what is sent to it
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    pub(crate) write_timeout_secs: u32,
    /// The most bytes of a gRPC message, also decompressed
    #[arg(long, value_name = "BYTES", default_value_t = i32::MAX as u32)]
    pub(crate) grpc_max_message_size: u32,
}

#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Log")]
pub(crate) struct LogFlags {
    /// Details in the log, from this verbosity on
    #[arg(long, value_name = "LEVEL", default_value_t = 0)]
    pub(crate) log_verbose: u32,
    /// Log events
    #[arg(long, value_name = "SWITCH", default_value = "true", value_parser = switch, action = ArgAction::Set)]
    pub(crate) log_info: bool,
    /// Log warnings
    #[arg(long, value_name = "SWITCH", default_value = "true", value_parser = switch, action = ArgAction::Set)]
    pub(crate) log_warning: bool,
    /// Log errors
    #[arg(long, value_name = "SWITCH", default_value = "true", value_parser = switch, action = ArgAction::Set)]
    pub(crate) log_error: bool,
    /// The form of lines: default, ISO8601 or json
    #[arg(long, value_name = "FORMAT", default_value = "default", value_parser = format)]
    pub(crate) log_format: LogFormat,
    /// Log a line for each inference: model, status, times, client
    #[arg(long, value_name = "SWITCH", default_value = "false", default_missing_value = "true", num_args = 0..=1, require_equals = true, value_parser = switch, action = ArgAction::Set)]
    pub(crate) log_requests: bool,
    /// Traces of requests: `level=TIMESTAMPS`, `rate=100`, `mode=opentelemetry`, `triton,file=FILE`, `opentelemetry,url=URL` …
    #[arg(long, value_name = "SETTING")]
    pub(crate) trace_config: Vec<String>,
    /// A file to append inferences with their answers to, in the form of the files in conformance/server
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// The most inferences that are recorded in a second
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) record_rate: u32,
    /// The file to append to, instead of standard error
    #[arg(long, value_name = "FILE", default_value = "")]
    pub(crate) log_file: String,
}

#[derive(clap::Args, Debug)]
#[command(next_help_heading = "End")]
pub(crate) struct EndingFlags {
    /// Seconds between SIGTERM, when the server stops to be ready, and its leave
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    pub(crate) drain_delay_secs: u32,
    /// Seconds that requests have to end then
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    pub(crate) exit_timeout_secs: u32,
}

/// A switch as the Triton Inference Server reads it.
pub(crate) fn switch(text: &str) -> Result<bool, String> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "on" | "1" => Ok(true),
        "false" | "off" | "0" => Ok(false),
        _ => Err("give true or false".to_owned()),
    }
}

fn bytes(text: &str) -> Result<u64, String> {
    let bytes = trident_runtime::buffer_size(text).filter(|bytes| *bytes > 0);
    bytes.ok_or_else(|| "give a number of bytes, such as 512M or 4G".to_owned())
}

/// The bytes of a cache: the only kind is `local`, whose only setting is its size.
fn cache(text: &str) -> Result<usize, String> {
    let size = match text.split_once(',') {
        Some(("local", setting)) => setting.strip_prefix("size="),
        Some((kind, _)) if kind != "local" => {
            return Err(format!("there is no cache `{kind}`; hint: `local,size=<BYTES>`"));
        }
        _ => None,
    };
    let size = size.and_then(trident_runtime::buffer_size).filter(|size| *size > 0);
    let size = size.and_then(|size| usize::try_from(size).ok());
    size.ok_or_else(|| "give `local,size=<BYTES>`, such as `local,size=64M`".to_owned())
}

fn format(text: &str) -> Result<LogFormat, String> {
    LogFormat::of(text).ok_or_else(|| "give `default`, `ISO8601` or `json`".to_owned())
}
