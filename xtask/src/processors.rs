//! Times of the processors, as Linux counts them. Elsewhere they are zero.
//!
//! Source of the fields: the manual pages proc_pid_stat(5) and proc_stat(5). Both files count in hundredths of a second.

use std::fs;
use std::time::Duration;

/// The time that the ended children of this process have used, with their own ended children.
pub(crate) fn used() -> Duration {
    used_in_file("/proc/self/stat")
}

/// The same of another process, which has not been waited for.
pub(crate) fn used_by(process: u32) -> Duration {
    used_in_file(&format!("/proc/{process}/stat"))
}

/// The time since the start of the machine in which its processors had work, but its host ran others; the sum of all processors.
pub(crate) fn stolen() -> Duration {
    fs::read_to_string("/proc/stat").map_or(Duration::ZERO, |stat| stolen_in(&stat))
}

fn used_in_file(path: &str) -> Duration {
    fs::read_to_string(path).map_or(Duration::ZERO, |stat| used_in(&stat))
}

fn used_in(stat: &str) -> Duration {
    // The second field is the program's name in brackets, which may have spaces. `cutime` and `cstime` are fields 16 and 17.
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(13).take(2).map(ticks).sum()
}

fn stolen_in(stat: &str) -> Duration {
    let all = stat.lines().find(|line| line.starts_with("cpu ")).unwrap_or_default();
    all.split_whitespace().nth(8).map_or(Duration::ZERO, ticks)
}

fn ticks(field: &str) -> Duration {
    Duration::from_millis(10 * field.parse().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_behind_any_name() {
        let stat = "7 (a) b (c) S 1 7 7 0 -1 4194560 1 2 3 4 50 60 1200 34 20 0 1 0 99";
        assert_eq!(used_in(stat), Duration::from_millis(12_340));
        assert_eq!(used_in(""), Duration::ZERO);
    }

    #[test]
    fn the_host_takes_the_eighth_number() {
        let stat = "cpu  1 2 3 4 5 6 7 250 9 10\ncpu0 1 2 3 4 5 6 7 8 9 10\n";
        assert_eq!(stolen_in(stat), Duration::from_millis(2_500));
        assert_eq!(stolen_in("cpu  1 2"), Duration::ZERO);
    }
}
