//! Limits of a run's memory and time.

use crate::failure::Failure;
use crate::render;
use std::fs;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;
use trident_engine::{Options, PlanError, RunContext, RunError, RunPoint};
use trident_ir::{DType, literal::checked_len};
use trident_runtime::{KernelError, Pool, Tensor};

/// The option of every command that makes tensors of a model or a kernel.
#[derive(clap::Args, Debug)]
pub(crate) struct MemoryArgs {
    /// Maximum memory of tensors, e.g. 4GiB, or `none` for no limit [default: the free memory of the machine]
    #[arg(long, value_name = "SIZE", value_parser = size, allow_hyphen_values = true)]
    memory_limit: Option<usize>,
}

/// Options of the commands that run a model on inputs, or a kernel.
#[derive(clap::Args, Debug)]
pub(crate) struct LimitArgs {
    #[command(flatten)]
    memory: MemoryArgs,
    /// Maximum time of one run, in seconds, above 0 [default: no limit]
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_hyphen_values = true)]
    time_limit: Option<Duration>,
}

/// Limits as they hold.
pub(crate) struct Limits {
    /// In bytes; 0 where there is none.
    memory: usize,
    time: Option<Duration>,
    /// Where the memory's limit comes from.
    source: &'static str,
}

impl MemoryArgs {
    /// Whether the option was given.
    pub(crate) fn is_given(&self) -> bool {
        self.memory_limit.is_some()
    }

    pub(crate) fn limits(&self) -> Limits {
        let (memory, source) = match self.memory_limit {
            Some(bytes) => (bytes, "--memory-limit"),
            None => (free_memory().unwrap_or(0), "the free memory of this machine"),
        };
        Limits { memory, time: None, source }
    }
}

impl LimitArgs {
    pub(crate) fn limits(&self) -> Limits {
        Limits { time: self.time_limit, ..self.memory.limits() }
    }
}

impl Limits {
    /// For making a session.
    pub(crate) fn options(&self) -> Options {
        Options { memory_limit: self.memory, ..Options::default() }
    }

    /// For a run without a profile.
    pub(crate) fn context(&self) -> RunContext {
        RunContext { time_limit: self.time, ..RunContext::default() }
    }

    /// Refuses something that takes `bytes` bytes in all, if that is too much.
    pub(crate) fn admit(&self, bytes: usize, what: &str) -> Result<(), Failure> {
        if self.memory == 0 || bytes <= self.memory {
            return Ok(());
        }
        let failure = Failure::run(format!("{what} would take {}", render::bytes(bytes)));
        let (limit, source) = (render::bytes(self.memory), self.source);
        Err(failure.hint(format!("{limit} are allowed ({source}); change it by --memory-limit")))
    }

    /// Launches a kernel. Its programs cannot be stopped, so one that takes too long ends the process.
    pub(crate) fn launch<T>(&self, kernel: &str, work: impl FnOnce() -> T) -> T {
        let Some(limit) = self.time else { return work() };
        let (done, wait) = channel::<()>();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                if wait.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                    let at = RunPoint::Kernel(kernel.to_owned());
                    self.explain(RunError::Deadline { at, limit }).exit();
                }
            });
            let result = work();
            drop(done);
            result
        })
    }

    /// A failed plan, with the option to change where a limit stopped it.
    pub(crate) fn explain_plan(&self, error: PlanError) -> Failure {
        let hint = match &error {
            PlanError::Constant { source, .. } => {
                self.too_large(source, "allow more by --memory-limit")
            }
            PlanError::Memory { .. } => {
                let limit = render::bytes(self.memory);
                Some(format!("{limit} are allowed ({}); change it by --memory-limit", self.source))
            }
            _ => None,
        };
        with_hint(error.into(), hint)
    }

    /// A failed run, with the option to change where a limit stopped it.
    pub(crate) fn explain(&self, error: RunError) -> Failure {
        let hint = match &error {
            RunError::Op(failure) => self
                .too_large(&failure.source, "use smaller inputs, or change it by --memory-limit"),
            RunError::Deadline { .. } => Some("allow more by --time-limit".to_owned()),
            _ => None,
        };
        with_hint(error.into(), hint)
    }

    fn too_large(&self, source: &KernelError, advice: &str) -> Option<String> {
        let limited = self.memory > 0 && matches!(source, KernelError::TooLarge { .. });
        let limit = render::bytes(self.memory);
        limited.then(|| format!("tensors may take {limit} in all ({}); {advice}", self.source))
    }
}

/// Bytes that a tensor takes, including the contents of strings; `None` if that exceeds the address space.
pub(crate) fn tensor_bytes(dtype: DType, dims: &[usize]) -> Option<usize> {
    let element = if dtype == DType::Str { 2 * size_of::<String>() } else { dtype.size() };
    let bytes = checked_len(dims)?.checked_mul(element)?;
    isize::try_from(bytes).ok().map(|_| bytes)
}

/// A tensor of a pool to fill.
pub(crate) fn alloc(pool: &Pool, dtype: DType, dims: &[usize]) -> Result<Tensor, String> {
    Tensor::alloc(pool, dtype, dims).map_err(|error| refusal(pool, &error))
}

/// Why a tensor cannot be made in a pool, with the option to change it if the pool has a limit.
pub(crate) fn refusal(pool: &Pool, error: &KernelError) -> String {
    let KernelError::TooLarge { dtype, dims } = error else { return error.to_string() };
    let bytes = tensor_bytes(*dtype, dims).map(render::bytes);
    let bytes = bytes.as_deref().unwrap_or("the elements of one tensor");
    let allowed = match pool.limit() {
        0 => String::new(),
        limit => {
            let limit = render::bytes(limit);
            format!(", as {limit} are allowed in all; change it by --memory-limit")
        }
    };
    format!("there is no memory for {bytes}{allowed}")
}

fn with_hint(failure: Failure, hint: Option<String>) -> Failure {
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// `none`, or a number of bytes with an optional unit.
pub(crate) fn size(text: &str) -> Result<usize, String> {
    if text == "none" {
        return Ok(0);
    }
    let binary = [("KiB", 10), ("MiB", 20), ("GiB", 30), ("TiB", 40)];
    let units = binary.into_iter().chain([("K", 10), ("M", 20), ("G", 30), ("B", 0), ("", 0)]);
    let in_unit = |(unit, power)| Some((text.strip_suffix(unit)?, power));
    let (number, power) = { units }.find_map(in_unit).unwrap_or((text, 0));
    match number.trim().parse::<f64>().map(|n| n * 2f64.powi(power)) {
        Ok(bytes) if (1.0..=MOST_BYTES).contains(&bytes) => Ok(bytes as usize),
        Ok(bytes) if bytes > MOST_BYTES => Err(format!(
            "that is more than a memory can hold, which is {} at most; `none` sets no limit",
            render::bytes(isize::MAX.unsigned_abs())
        )),
        _ => Err("give a size from 1 byte on with a unit of B, KiB, MiB, GiB or TiB, such as 4GiB, or `none`".into()),
    }
}

/// The most bytes that a block of memory can have.
const MOST_BYTES: f64 = isize::MAX as f64;

fn seconds(text: &str) -> Result<Duration, String> {
    if text.parse() == Ok(0.0) {
        return Err("a run cannot end in 0 seconds; leave --time-limit out for no limit".into());
    }
    let seconds = text.parse().ok().filter(|s| *s > 0.0);
    let limit = seconds.and_then(|s| Duration::try_from_secs_f64(s).ok());
    let most = Duration::MAX.as_secs_f64();
    limit.ok_or_else(|| format!("give a number of seconds above 0 and below {most:e}, such as 0.5"))
}

/// Bytes that this process may still have: free memory and swap of the machine, or less where its control group says so.
/// `None` where the system does not tell.
fn free_memory() -> Option<usize> {
    let info = fs::read_to_string("/proc/meminfo").ok()?;
    let field = |name: &str| {
        let line = info.lines().find_map(|l| l.strip_prefix(name))?;
        line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok()?.checked_mul(1024)
    };
    let machine = field("MemAvailable:")?.saturating_add(field("SwapFree:").unwrap_or(0));
    Some(group_limit().map_or(machine, |group| machine.min(group)).max(1))
}

/// The least limit among this process's control group and those around it.
fn group_limit() -> Option<usize> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let own = groups.lines().find_map(|l| l.strip_prefix("0::/"))?;
    let limit = |group: &Path| {
        let file = Path::new("/sys/fs/cgroup").join(group).join("memory.max");
        fs::read_to_string(file).ok()?.trim().parse::<usize>().ok()
    };
    Path::new(own).ancestors().filter_map(limit).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(size("4GiB"), Ok(4 << 30));
        assert_eq!(size("1.5 KiB"), Ok(1536));
        assert_eq!(size("100"), Ok(100));
        assert_eq!(size("1e3"), Ok(1000));
        assert_eq!(size("0.5KiB"), Ok(512));
        assert_eq!(size("none"), Ok(0));
        for bad in ["", "0", "-1", "4GB", "GiB", "1..5", "all", "nan", "-inf", "1e-10GiB", "-4GiB"]
        {
            let error = size(bad).unwrap_err();
            assert!(error.starts_with("give a size from 1 byte on with a unit"), "{bad}: {error}");
        }
        for huge in ["1e30GiB", "99999999TiB", "1e999", "inf"] {
            let error = size(huge).unwrap_err();
            assert!(error.contains("more than a memory can hold, which is 8.00 EiB"), "{error}");
        }
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        for zero in ["0", "0.0", "-0", "0e9"] {
            let told = "a run cannot end in 0 seconds; leave --time-limit out for no limit";
            assert_eq!(seconds(zero), Err(told.to_owned()));
        }
        for bad in ["-1", "nan", "inf", "1e300", "s", "5s"] {
            let error = seconds(bad).unwrap_err();
            assert!(error.starts_with("give a number of seconds above 0 and below 1.8"), "{error}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_machine_tells_what_is_free() {
        assert!(free_memory().is_some_and(|n| n > 1 << 20));
    }
}
