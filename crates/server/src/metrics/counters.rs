//! Counters that Linux has of its processors and of this process. What cannot be read is absent.

use std::fs;
use std::path::Path;

use super::Kind;
use super::own::MachineFamily;

/// Ticks of a second in `/proc`, the same on all processors that we build for.
const TICKS: f64 = 100.0;

/// The families that can be read below a folder, which is `/` but for tests.
pub(super) fn read(root: &Path) -> Vec<MachineFamily> {
    let family =
        |name, help, kind, label, values| MachineFamily { name, help, kind, label, values };
    vec![
        family(
            "process_cpu_seconds_total",
            "Time of processors that this process has used",
            Kind::Counter,
            "",
            one(process_time(root)),
        ),
        family(
            "process_resident_memory_bytes",
            "Resident memory of this process, in bytes",
            Kind::Gauge,
            "",
            one(resident(root)),
        ),
        family(
            "trident_cpu_frequency_hertz",
            "Frequency of each processor",
            Kind::Gauge,
            "cpu",
            each(root, "sys/devices/system/cpu", "cpu", "cpufreq/scaling_cur_freq", 1e3),
        ),
        family(
            "trident_cpu_energy_joules_total",
            "Energy that each package or part of one has used",
            Kind::Counter,
            "zone",
            each(root, "sys/class/powercap", "intel-rapl:", "energy_uj", 1e-6),
        ),
        family(
            "trident_temperature_celsius",
            "Temperature of each thermal zone",
            Kind::Gauge,
            "zone",
            each(root, "sys/class/thermal", "thermal_zone", "temp", 1e-3),
        ),
    ]
}

fn one(value: Option<f64>) -> Vec<(String, f64)> {
    value.into_iter().map(|value| (String::new(), value)).collect()
}

/// The time in user and kernel mode: the 14th and 15th fields of `/proc/self/stat`, of which the second may have blanks.
fn process_time(root: &Path) -> Option<f64> {
    let stat = fs::read_to_string(root.join("proc/self/stat")).ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    let mut times = fields.split_ascii_whitespace().skip(11).map(str::parse::<u64>);
    let (user, system) = (times.next()?.ok()?, times.next()?.ok()?);
    Some((user + system) as f64 / TICKS)
}

/// Bytes of this process's resident memory; `None` if the system does not tell.
pub(crate) fn own_resident() -> Option<u64> {
    resident(Path::new("/")).map(|bytes| bytes as u64)
}

fn resident(root: &Path) -> Option<f64> {
    let status = fs::read_to_string(root.join("proc/self/status")).ok()?;
    super::host::bytes_of(&status, "VmRSS").map(|bytes| bytes as f64)
}

/// The number in a file of each folder with a name that starts so, by the rest of the name.
fn each(root: &Path, parent: &str, start: &str, file: &str, unit: f64) -> Vec<(String, f64)> {
    let folders = fs::read_dir(root.join(parent)).into_iter().flatten().flatten();
    let value = |folder: fs::DirEntry| {
        let name = folder.file_name().into_string().ok()?;
        let rest = name.strip_prefix(start)?.to_owned();
        let number = fs::read_to_string(folder.path().join(file)).ok()?;
        Some((rest, number.trim().parse::<f64>().ok()? * unit))
    };
    let mut values: Vec<(String, f64)> = folders.filter_map(value).collect();
    // Processors in the order of their numbers.
    values.sort_by(|a, b| (a.0.len(), &a.0).cmp(&(b.0.len(), &b.0)));
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(root: &Path, file: &str, text: &str) {
        let path = root.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn what_cannot_be_read_is_absent() {
        let root = tempfile::tempdir().unwrap();
        let values = |name: &str| {
            let families = read(root.path());
            families.into_iter().find(|family| family.name == name).unwrap().values
        };
        assert!(read(root.path()).iter().all(|family| family.values.is_empty()));
        let stat = "7 (a b) c) S 1 7 7 0 -1 4 0 0 0 0 250 50 0 0 20 0 1 0 9 8 7";
        put(root.path(), "proc/self/stat", stat);
        put(root.path(), "proc/self/status", "Name:\tx\nVmRSS:\t    16 kB\n");
        for (cpu, text) in [("cpu10", "2000000\n"), ("cpu2", "1500000\n"), ("cpufreq", "x")] {
            put(
                root.path(),
                &format!("sys/devices/system/cpu/{cpu}/cpufreq/scaling_cur_freq"),
                text,
            );
        }
        put(root.path(), "sys/class/thermal/thermal_zone0/temp", "41500\n");
        put(root.path(), "sys/class/thermal/cooling_device0/temp", "1\n");
        assert_eq!(values("process_cpu_seconds_total"), [(String::new(), 3.0)]);
        assert_eq!(values("process_resident_memory_bytes"), [(String::new(), 16384.0)]);
        let frequency = [("2".to_owned(), 1.5e9), ("10".to_owned(), 2e9)];
        assert_eq!(values("trident_cpu_frequency_hertz"), frequency);
        assert_eq!(values("trident_temperature_celsius"), [("0".to_owned(), 41.5)]);
        assert_eq!(values("trident_cpu_energy_joules_total"), []);
    }
}
