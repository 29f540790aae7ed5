//! The start of the server.

use super::address;
use super::check::{self, check};
use super::options::{Args, CompressionLevel, ControlMode, ModelOptions, RateLimit};
use super::places::{self, Repositories};
use super::{table, time_families};
use crate::failure::Failure;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use std::{fs, io, thread};
use trident_server::access::Restrictions;
use trident_server::grpc::{Age, Compression, GrpcOptions, KeepAlive};
use trident_server::headers::HeaderPattern;
use trident_server::http::HttpOptions;
use trident_server::keys::ApiKeys;
use trident_server::listen::{Ending, Listeners};
use trident_server::observe::Exporter;
use trident_server::record::Recorder;
use trident_server::repository::{self, Repository, RepositoryOptions};
use trident_server::server::{Server, ServerOptions};
use trident_server::settings::{LogSettings, ServerLog, Severity, TraceMode, TraceOptions};
use trident_serving::{Fault, RateLimits, ReadOptions, Scheduler, Verbosity};

/// How often models that are idle are looked for.
const TEND: Duration = Duration::from_secs(1);

/// Serves, or checks, the models of a repository.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let lines = args.inert.lines().map_err(Failure::usage)?;
    if !args.models.load_model.is_empty() && args.models.model_control_mode != ControlMode::Explicit
    {
        let text = "`--load-model` needs `--model-control-mode=explicit`";
        return Err(Failure::usage(text).hint("the other modes load all models"));
    }
    let keys = keys(args.api_key_file.as_deref())?;
    let http = HttpOptions { keys: keys.clone(), ..http_options(args)? };
    let grpc = GrpcOptions { keys, ..grpc_options(args)? };
    let repositories = [&args.repositories[..], &args.model_repository[..]].concat();
    let repositories = places::open(&repositories)?;
    let places = address::places(args)?;
    let log = Arc::new(log(args)?);
    let _written = WrittenLog(Arc::clone(&log));
    let settings = args.models.backend_config.iter().filter_map(|setting| setting.line());
    let lines = [lines, args.tls.without_effect(), settings.collect()].concat();
    lines.iter().for_each(|line| log.write(Severity::Warning, line));
    if let Some(size) = args.models.response_cache_byte_size {
        let line = format!(
            "--response-cache-byte-size is deprecated; hint: --cache-config=local,size={size} has the same effect"
        );
        log.write(Severity::Warning, &line);
    }
    if args.models.strict_model_config.is_some() {
        let line = "--strict-model-config is deprecated; hint: --disable-auto-complete-config has the same effect";
        log.write(Severity::Warning, line);
    }
    if args.check {
        // The table says what becomes of models.
        log.change(LogSettings { warning: false, ..log.settings() });
    }
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let server = Arc::new(server(args, repositories, log, cores)?);
    if args.check {
        return check(args, &server, &places);
    }
    let threads = args.http.http_thread_count.min(cores);
    if args.models.memory_limit.is_some() || args.models.idle_unload.is_some() {
        repeat("idle models", &server, |server| server.repository.tend(TEND))?;
    }
    // Ports are opened first: a model may take long to load, and a port in use is known at once.
    let listeners = Listeners::open(threads, &places).map_err(Failure::run)?;
    let addresses: Vec<_> = listeners.addresses().collect();
    let serving = listeners.serve(Arc::clone(&server), http, grpc, ending(args));
    let failed = server.repository.start();
    print(&table::models(&server.repository.index(false), &server.repository).to_string())?;
    if args.models.exit_on_error && !failed.is_empty() {
        server.repository.close();
        let hint = "`--exit-on-error=false` serves the other models";
        let failures = check::unloaded(&failed).into_iter().map(|failure| failure.hint(hint));
        return Failure::all(failures).map_or(Ok(()), Err);
    }
    for (protocol, address) in addresses {
        print(&format!("{} on {address}\n", protocol.name()))?;
    }
    if args.models.model_control_mode == ControlMode::Poll {
        let pause = seconds(args.models.repository_poll_secs.max(1));
        repeat("repository poll", &server, move |server| {
            thread::sleep(pause);
            server.repository.poll();
        })?;
    }
    print("ready\n")?;
    drop(server);
    serving.wait();
    Ok(())
}

pub(super) fn print(text: &str) -> io::Result<()> {
    let mut output = anstream::stdout().lock();
    output.write_all(text.as_bytes())?;
    output.flush()
}

/// Waits for the lines of the log at the end of the command, whatever its end is.
struct WrittenLog(Arc<ServerLog>);

impl Drop for WrittenLog {
    fn drop(&mut self) {
        self.0.flush();
    }
}

fn log(args: &Args) -> Result<ServerLog, Failure> {
    let settings = LogSettings {
        file: args.log.log_file.clone(),
        info: args.log.log_info && !args.check,
        warning: args.log.log_warning,
        error: args.log.log_error,
        verbose: args.log.log_verbose,
        format: args.log.log_format,
    };
    let file = settings.file.clone();
    ServerLog::open(settings)
        .map_err(|error| Failure::run(format!("cannot open the log `{file}`: {error}")))
}

fn http_options(args: &Args) -> Result<HttpOptions, Failure> {
    let restrictions = restrictions("http-restricted-api", &args.http.http_restricted_api)?;
    let largest_body = args.http.http_max_input_size;
    let console_control = args.http.console_admin;
    let limits = &args.limits;
    Ok(HttpOptions {
        restrictions,
        keys: ApiKeys::default(),
        console_control,
        largest_body,
        connections: limits.max_connections,
        largest_head: limits.max_header_size as usize,
        forwarded: pattern("http-header-forward-pattern", &args.http.http_header_forward_pattern)?,
        head_time: seconds(limits.header_timeout_secs),
        body_time: seconds(limits.body_timeout_secs),
        write_time: seconds(limits.write_timeout_secs),
    })
}

fn grpc_options(args: &Args) -> Result<GrpcOptions, Failure> {
    let flags = &args.grpc;
    let compression = match flags.grpc_infer_response_compression_level {
        CompressionLevel::None => None,
        CompressionLevel::Low => Some(Compression::fast()),
        CompressionLevel::Medium => Some(Compression::default()),
        CompressionLevel::High => Some(Compression::best()),
    };
    let keep_alive = KeepAlive {
        time: Duration::from_millis(flags.grpc_keepalive_time),
        timeout: Duration::from_millis(flags.grpc_keepalive_timeout),
    };
    let restrictions = restrictions("grpc-restricted-protocol", &flags.grpc_restricted_protocol)?;
    let limits = &args.limits;
    let some = |ms: u64| (ms > 0).then(|| Duration::from_millis(ms));
    let (most, grace) = (flags.grpc_max_connection_age, flags.grpc_max_connection_age_grace);
    Ok(GrpcOptions {
        max_message: limits.grpc_max_message_size as usize,
        compression,
        restrictions,
        keys: ApiKeys::default(),
        keep_alive,
        connections: limits.max_connections,
        age: Age { most: some(most), grace: some(grace) },
        max_head: limits.max_header_size,
        handshake_time: seconds(limits.header_timeout_secs),
        body_time: seconds(limits.body_timeout_secs),
        write_time: seconds(limits.write_timeout_secs),
        forwarded: pattern("grpc-header-forward-pattern", &flags.grpc_header_forward_pattern)?,
        extras: flags.grpc_extras,
    })
}

fn seconds(count: u32) -> Duration {
    Duration::from_secs(count.into())
}

/// The headers that the value of an option names.
fn pattern(option: &str, text: &str) -> Result<HeaderPattern, Failure> {
    HeaderPattern::of(text).map_err(|error| Failure::usage(format!("--{option}: {error}")))
}

/// The keys of a file.
fn keys(file: Option<&Path>) -> Result<ApiKeys, Failure> {
    let Some(file) = file else { return Ok(ApiKeys::default()) };
    let refused = |cause: &dyn std::fmt::Display| {
        Failure::run(format!("--api-key-file: `{}`: {cause}", file.display()))
    };
    let text = fs::read_to_string(file).map_err(|error| refused(&error))?;
    ApiKeys::of(&text).map_err(|error| refused(&error))
}

/// The restrictions that the values of an option name.
fn restrictions(option: &str, texts: &[String]) -> Result<Restrictions, Failure> {
    let mut restrictions = Restrictions::default();
    for text in texts {
        let added = restrictions.add(text);
        added.map_err(|error| Failure::usage(format!("--{option}: {error}")))?;
    }
    Ok(restrictions)
}

/// The resources that the values of an option name.
fn rate_limits(texts: &[String]) -> Result<RateLimits, Failure> {
    let mut limits = RateLimits::default();
    for text in texts {
        let added = limits.add(text);
        added.map_err(|fault| Failure::usage(format!("--rate-limit-resource: {fault}")))?;
    }
    Ok(limits)
}

fn ending(args: &Args) -> Ending {
    Ending {
        delay: seconds(args.ending.drain_delay_secs),
        most: seconds(args.ending.exit_timeout_secs),
    }
}

/// The server, whose models are not loaded yet.
fn server(
    args: &Args,
    repositories: Repositories,
    log: Arc<ServerLog>,
    cores: usize,
) -> Result<Server, Failure> {
    let models = &args.models;
    let limits = rate_limits(&models.rate_limit_resource)?;
    let own = Arc::clone(&log);
    let options = RepositoryOptions {
        folders: repositories.folders,
        remotes: repositories.remotes,
        mode: match models.model_control_mode {
            _ if args.check && models.load_model.is_empty() => repository::ControlMode::None,
            ControlMode::None => repository::ControlMode::None,
            ControlMode::Poll => repository::ControlMode::Poll,
            ControlMode::Explicit => repository::ControlMode::Explicit,
        },
        load: models.load_model.clone(),
        threads: models.model_load_thread_count,
        retries: models.model_load_retry_count,
        config_name: models.model_config_name.clone(),
        memory_limit: models.memory_limit,
        idle_unload: models.idle_unload.map(seconds),
        response_cache: models
            .cache_config
            .or(models.response_cache_byte_size)
            .filter(|size| *size > 0),
        read: ReadOptions {
            completes: completes(models),
            strict_instance_kind: models.strict_instance_kind,
            default_max_batch_size: {
                let mut given = models.backend_config.iter().rev();
                let size = given.find_map(|setting| setting.batch_size());
                size.unwrap_or(ReadOptions::default().default_max_batch_size)
            },
        },
        times: time_families::families(&args.metrics.metrics_config),
        verbosity: Verbosity::from_environment(),
        log: Arc::new(move |level, line| own.write(log_level(level), line)),
        ..RepositoryOptions::default()
    };
    let devices = args.devices.clone();
    // The default devices must be there; those of models are opened with the models.
    devices.hardware(None)?;
    let open = move |choice: Option<&str>| {
        devices.hardware(choice).map_err(|failure| Fault::invalid(failure.with_hint()))
    };
    let scheduler = Scheduler::start(cores)
        .map_err(|error| Failure::run(format!("cannot start the scheduler: {error}")))?;
    if models.rate_limit == RateLimit::ExecutionCount {
        scheduler.limit(limits);
    }
    let repository = Repository::new(options, Box::new(open), scheduler);
    let traces = traces(args)?;
    let exporter = exporter(&traces)?;
    let options = ServerOptions {
        id: models.id.clone(),
        strict_readiness: models.strict_readiness,
        client_memory: models.allow_client_shm,
        log_requests: args.log.log_requests,
        traces,
    };
    let mut server = Server::new(repository, log, options);
    server.exporter = exporter;
    if let Some(file) = &args.log.record {
        let refused =
            |error| Failure::run(format!("cannot record to `{}`: {error}", file.display()));
        check::can_be_written(file).map_err(refused)?;
        if !args.check {
            let recorder = Recorder::open(file, args.log.record_rate).map_err(refused)?;
            server.recorder = Some(recorder);
        }
    }
    Ok(server)
}

/// Whether configurations are completed from the models.
fn completes(models: &ModelOptions) -> bool {
    let is_strict = models.disable_auto_complete_config
        || models.strict_model_config.unwrap_or(false)
        || models.backend_config.iter().any(|setting| setting.takes_as_written());
    !is_strict
}

/// The traces that `--trace-config` asks for.
fn traces(args: &Args) -> Result<TraceOptions, Failure> {
    let mut options = TraceOptions::default();
    let settings = [args.inert.trace_settings(), args.log.trace_config.clone()].concat();
    let added = settings.iter().try_for_each(|text| options.add(text));
    added.and_then(|()| options.check()).map_err(wrong_traces)?;
    if options.mode == TraceMode::Triton && !options.file.is_empty() {
        let file = Path::new(&options.file);
        check::can_be_written(file).map_err(|error| {
            Failure::run(format!("cannot write traces to `{}`: {error}", file.display()))
        })?;
    }
    Ok(options)
}

/// The way to the collector that the options name, if they name one.
fn exporter(traces: &TraceOptions) -> Result<Option<Arc<Exporter>>, Failure> {
    let has_one = traces.mode == TraceMode::OpenTelemetry;
    let exporter = has_one.then(|| Exporter::new(traces.collector.clone())).transpose();
    Ok(exporter.map_err(wrong_traces)?.map(Arc::new))
}

fn wrong_traces(error: impl std::fmt::Display) -> Failure {
    Failure::usage(format!("--trace-config: {error}"))
}

fn log_level(level: trident_serving::LogLevel) -> Severity {
    match level {
        trident_serving::LogLevel::Verbose => Severity::Verbose(1),
        trident_serving::LogLevel::Info => Severity::Info,
        trident_serving::LogLevel::Warning => Severity::Warning,
    }
}

/// Does something again and again on a thread of its own, for as long as there is a server.
fn repeat(
    name: &str,
    server: &Arc<Server>,
    work: impl Fn(&Server) + Send + 'static,
) -> Result<(), Failure> {
    let server = Arc::downgrade(server);
    let rounds = move || {
        while let Some(server) = server.upgrade() {
            work(&server);
        }
    };
    let spawned = thread::Builder::new().name(name.into()).spawn(rounds);
    let failure = |error| Failure::run(format!("cannot start the thread `{name}`: {error}"));
    spawned.map(drop).map_err(failure)
}
