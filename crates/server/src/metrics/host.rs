//! The load and memory of the machine.

use std::fs;
use std::sync::{Mutex, PoisonError};

/// The fields of a processor's line that are not part of others: the time of guests is part of the user's.
const OWN_TIMES: usize = 8;

/// Reads the machine's counters. The system has them on Linux only; elsewhere there are no values.
#[derive(Default)]
pub struct HostCounters {
    /// The processors' time at the last reading.
    last: Mutex<ProcessorTime>,
}

/// Time of all processors since the machine started, in the system's unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ProcessorTime {
    busy: u64,
    all: u64,
}

/// Values of the machine, those that can be read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct HostValues {
    /// The busy part of the processors' time since the last reading, 0 to 1.
    pub(super) utilization: Option<f64>,
    /// Bytes of memory.
    pub(super) memory: Option<u64>,
    /// Bytes of memory that are not available to new programs.
    pub(super) used: Option<u64>,
}

impl HostCounters {
    pub(super) fn read(&self) -> HostValues {
        let file = |name| fs::read_to_string(name).unwrap_or_default();
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let utilization = processor_time(&file("/proc/stat")).map(|now| {
            let before = std::mem::replace(&mut *last, now);
            let all = now.all.saturating_sub(before.all);
            let busy = now.busy.saturating_sub(before.busy);
            if all == 0 { 0.0 } else { busy as f64 / all as f64 }
        });
        let memory = file("/proc/meminfo");
        let (total, available) = (bytes_of(&memory, "MemTotal"), bytes_of(&memory, "MemAvailable"));
        let used = total.zip(available).map(|(total, available)| total.saturating_sub(available));
        HostValues { utilization, memory: total, used }
    }
}

/// The first line of `/proc/stat`: `cpu user nice system idle iowait irq softirq steal guest guest_nice`.
fn processor_time(stat: &str) -> Option<ProcessorTime> {
    let line = stat.lines().next()?.strip_prefix("cpu ")?;
    let fields = line.split_ascii_whitespace().map(str::parse).collect::<Result<Vec<u64>, _>>();
    let fields = fields.ok()?;
    let all = fields.iter().take(OWN_TIMES).sum::<u64>();
    let idle = fields.get(3)? + fields.get(4).copied().unwrap_or(0);
    Some(ProcessorTime { busy: all.saturating_sub(idle), all })
}

/// The value of a line such as `MemTotal:  16384 kB`, in bytes.
pub(super) fn bytes_of(memory: &str, name: &str) -> Option<u64> {
    let line = memory.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_of_linux_are_read() {
        let stat = "cpu  10 1 4 80 5 0 2 1 9 0\ncpu0 10 1 4 80 5 0 2 1 9 0\nintr 5\n";
        assert_eq!(processor_time(stat), Some(ProcessorTime { busy: 18, all: 103 }));
        let memory = "MemTotal:       16384 kB\nMemFree:  1 kB\nMemAvailable:    4096 kB\n";
        assert_eq!(bytes_of(memory, "MemTotal"), Some(16 << 20));
        assert_eq!(bytes_of(memory, "MemAvailable"), Some(4 << 20));
        assert_eq!(bytes_of(memory, "Mem"), None);
        for stat in ["", "cpu ", "cpu a b c d", "cpu 1 2"] {
            assert_eq!(processor_time(stat), None, "{stat}");
        }
    }

    #[test]
    fn utilization_is_that_since_the_last_reading() {
        let counters = HostCounters::default();
        *counters.last.lock().unwrap() = ProcessorTime { busy: u64::MAX, all: 0 };
        if let Some(utilization) = counters.read().utilization {
            assert_eq!(utilization, 0.0);
            let utilization = counters.read().utilization.unwrap();
            assert!((0.0..=1.0).contains(&utilization), "{utilization}");
        }
    }
}
