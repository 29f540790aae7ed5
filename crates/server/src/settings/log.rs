//! The log and its settings.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::process;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::json::Writer;
use crate::writer::BackgroundWriter;

/// The most bytes of lines that wait to be written.
const MOST_WAITING: usize = 8 << 20;

/// The kind of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// Something failed.
    Error,
    /// Something may be wrong.
    Warning,
    /// Something happened.
    Info,
    /// Details, from this verbosity on.
    Verbose(u32),
}

/// The form of lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// `I1127 13:45:01.123456 PID]`: level, month and day, time.
    #[default]
    Default,
    /// `2026-11-27T13:45:01Z I PID]`.
    Iso8601,
    /// An object of JSON a line.
    Json,
}

impl LogFormat {
    /// The format of a name.
    pub fn of(name: &str) -> Option<LogFormat> {
        match name {
            "default" => Some(LogFormat::Default),
            "ISO8601" => Some(LogFormat::Iso8601),
            "json" => Some(LogFormat::Json),
            _ => None,
        }
    }

    /// The format's name.
    pub fn name(self) -> &'static str {
        match self {
            LogFormat::Default => "default",
            LogFormat::Iso8601 => "ISO8601",
            LogFormat::Json => "json",
        }
    }
}

/// Settings of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogSettings {
    /// The file's path; empty for standard error.
    pub file: String,
    /// Whether [`Severity::Info`] is written.
    pub info: bool,
    /// Whether [`Severity::Warning`] is written.
    pub warning: bool,
    /// Whether [`Severity::Error`] is written.
    pub error: bool,
    /// The highest [`Severity::Verbose`] that is written.
    pub verbose: u32,
    /// The form of lines.
    pub format: LogFormat,
}

impl Default for LogSettings {
    fn default() -> LogSettings {
        LogSettings {
            file: String::new(),
            info: true,
            warning: true,
            error: true,
            verbose: 0,
            format: LogFormat::Default,
        }
    }
}

/// A log to standard error or a file, a message a line. A thread of its own writes them; if it cannot follow, lines are dropped, and
/// a line says how many.
pub struct ServerLog {
    settings: Arc<Mutex<LogSettings>>,
    lines: BackgroundWriter<Vec<u8>>,
    /// The file; `None` for standard error.
    file: Arc<Mutex<Option<File>>>,
}

impl Default for ServerLog {
    fn default() -> ServerLog {
        ServerLog::to(LogSettings::default(), None, io::stderr())
    }
}

impl fmt::Debug for ServerLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerLog").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl ServerLog {
    /// A log with these settings. A file is appended to.
    ///
    /// # Errors
    /// The file cannot be opened.
    pub fn open(settings: LogSettings) -> io::Result<ServerLog> {
        let file = (!settings.file.is_empty()).then(|| append(&settings.file)).transpose()?;
        Ok(ServerLog::to(settings, file, io::stderr()))
    }

    /// A log to a file, or else to standard error. Lines that the file does not take are reported to `errors`, once until it takes lines
    /// again.
    fn to(
        settings: LogSettings,
        file: Option<File>,
        mut errors: impl Write + Send + 'static,
    ) -> ServerLog {
        let settings = Arc::new(Mutex::new(settings));
        let file = Arc::new(Mutex::new(file));
        let (own, written) = (Arc::clone(&settings), Arc::clone(&file));
        let mut is_reported = false;
        let lines =
            BackgroundWriter::new("log", MOST_WAITING, move |lines: Vec<Vec<u8>>, dropped| {
                let mut text = lines.concat();
                if dropped > 0 {
                    text.extend(lost(&own, dropped));
                }
                let mut file = written.lock().unwrap_or_else(PoisonError::into_inner);
                let Some(file) = &mut *file else {
                    // Standard error has no other place to report to.
                    let _ = io::stderr().write_all(&text);
                    return;
                };
                match file.write_all(&text) {
                    Ok(()) => is_reported = false,
                    Err(error) if !is_reported => {
                        is_reported = true;
                        let path = own.lock().unwrap_or_else(PoisonError::into_inner).file.clone();
                        let report =
                            format!("cannot write the log to `{path}`: {error}; lines are lost\n");
                        let _ = errors.write_all(report.as_bytes());
                    }
                    Err(_) => {}
                }
            });
        ServerLog { settings, lines, file }
    }

    /// Opens the file by its path again, after a tool has moved the old one away. Returns whether the log has a file.
    ///
    /// # Errors
    /// The file cannot be opened. Then lines go to the old one.
    pub fn reopen(&self) -> io::Result<bool> {
        let path = self.lock().file.clone();
        if path.is_empty() {
            return Ok(false);
        }
        self.flush();
        let file = append(&path)?;
        *self.file.lock().unwrap_or_else(PoisonError::into_inner) = Some(file);
        Ok(true)
    }

    /// Waits until the lines so far are written; whether they are. A file that takes nothing is waited for a few seconds.
    pub fn flush(&self) -> bool {
        self.lines.flush()
    }

    /// The settings.
    pub fn settings(&self) -> LogSettings {
        self.lock().clone()
    }

    /// Replaces the settings, but for the file, which stays.
    pub fn change(&self, settings: LogSettings) {
        let mut own = self.lock();
        let file = std::mem::take(&mut own.file);
        *own = LogSettings { file, ..settings };
    }

    /// Whether messages of a level are written.
    pub fn shows(&self, level: Severity) -> bool {
        shows(&self.lock(), level)
    }

    /// Writes a message. Line breaks in it, which clients could use to forge lines, are written as `\n`.
    pub fn write(&self, level: Severity, message: impl fmt::Display) {
        self.write_event(level, &message, |line| {
            line.name("message").string(message.to_string().as_bytes());
        });
    }

    /// Writes an event: its text, or its members in the format [`LogFormat::Json`].
    pub(crate) fn write_event(
        &self,
        level: Severity,
        text: &dyn fmt::Display,
        members: impl FnOnce(&mut Writer),
    ) {
        let Some(format) = self.format(level) else { return };
        let line = line(format, level, text, members);
        let size = line.len();
        self.lines.push(line, size);
    }

    /// The format of a line, if messages of its level are written. Lines are made and written without the settings' lock: one that
    /// takes long keeps nobody from asking what is written.
    fn format(&self, level: Severity) -> Option<LogFormat> {
        let settings = self.lock();
        shows(&settings, level).then_some(settings.format)
    }

    fn lock(&self) -> MutexGuard<'_, LogSettings> {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Opens a file to append to.
fn append(path: &str) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).open(Path::new(path))
}

fn shows(settings: &LogSettings, level: Severity) -> bool {
    match level {
        Severity::Error => settings.error,
        Severity::Warning => settings.warning,
        Severity::Info => settings.info,
        Severity::Verbose(level) => level <= settings.verbose,
    }
}

/// The line of an event: its text, or its members in the format [`LogFormat::Json`].
fn line(
    format: LogFormat,
    level: Severity,
    text: &dyn fmt::Display,
    members: impl FnOnce(&mut Writer),
) -> Vec<u8> {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    match format {
        LogFormat::Json => json_line(level, time, members),
        format => text_line(&start(format, level, time), text),
    }
}

/// The line about lines that were dropped, if warnings are written.
fn lost(settings: &Mutex<LogSettings>, count: u64) -> Vec<u8> {
    let settings = settings.lock().unwrap_or_else(PoisonError::into_inner);
    let (format, is_shown) = (settings.format, shows(&settings, Severity::Warning));
    drop(settings);
    if !is_shown {
        return vec![];
    }
    let text = format!("{count} lines are dropped: the log takes fewer than there are");
    line(format, Severity::Warning, &text, |line| {
        line.name("message").string(text.as_bytes());
    })
}

/// A line of the formats for people.
fn text_line(start: &str, text: &dyn fmt::Display) -> Vec<u8> {
    let text = text.to_string().replace('\r', "\\r").replace('\n', "\\n");
    format!("{start} {}] {text}\n", process::id()).into_bytes()
}

/// A line of the format [`LogFormat::Json`].
fn json_line(level: Severity, time: Duration, members: impl FnOnce(&mut Writer)) -> Vec<u8> {
    let severity = match level {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "info",
        Severity::Verbose(_) => "verbose",
    };
    let mut writer = Writer::new(vec![]);
    writer.object(|writer| {
        writer.name("time").string(start(LogFormat::Json, level, time).as_bytes());
        writer.name("severity").string(severity.as_bytes());
        writer.name("pid").integer(process::id());
        members(writer);
    });
    let mut line = writer.finish();
    line.push(b'\n');
    line
}

/// The start of a line: level and time since 1970; the time alone for [`LogFormat::Json`].
fn start(format: LogFormat, level: Severity, time: Duration) -> String {
    let letter = match level {
        Severity::Error => 'E',
        Severity::Warning => 'W',
        Severity::Info => 'I',
        Severity::Verbose(_) => 'V',
    };
    let (seconds, micros) = (time.as_secs(), time.subsec_micros());
    let (year, month, day) = date(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    match format {
        LogFormat::Default => {
            format!("{letter}{month:02}{day:02} {hour:02}:{minute:02}:{second:02}.{micros:06}")
        }
        LogFormat::Iso8601 => {
            format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z {letter}")
        }
        LogFormat::Json => {
            format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z")
        }
    }
}

/// Year, month and day of the Gregorian calendar, given days since 1970-01-01.
fn date(days: u64) -> (u64, u64, u64) {
    // Years begin in March here, so that a leap day is the last day of its year. An era has 400 years.
    let shifted = days + 719_468;
    let (era, day) = (shifted / 146_097, shifted % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day_of_month = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (era * 400 + year + next, month, day_of_month)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::os::fd::OwnedFd;

    #[test]
    fn lines_begin_with_level_and_time() {
        let at = |seconds| Duration::from_secs(seconds) + Duration::from_micros(7);
        let iso = |seconds| start(LogFormat::Iso8601, Severity::Warning, at(seconds));
        assert_eq!(iso(0), "1970-01-01T00:00:00Z W");
        assert_eq!(iso(951_782_400), "2000-02-29T00:00:00Z W");
        assert_eq!(iso(951_868_799), "2000-02-29T23:59:59Z W");
        assert_eq!(iso(1_709_251_199), "2024-02-29T23:59:59Z W");
        assert_eq!(iso(4_107_542_400), "2100-03-01T00:00:00Z W");
        let line = start(LogFormat::Default, Severity::Verbose(1), at(1_767_225_599));
        assert_eq!(line, "V1231 23:59:59.000007");
    }

    #[test]
    fn messages_are_written_as_the_settings_say() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("log").to_str().unwrap().to_owned();
        let log =
            ServerLog::open(LogSettings { file: file.clone(), ..LogSettings::default() }).unwrap();
        log.write(Severity::Info, "one\ntwo");
        log.write(Severity::Verbose(1), "unseen");
        log.change(LogSettings { info: false, verbose: 2, ..log.settings() });
        log.write(Severity::Info, "unseen");
        log.write(Severity::Verbose(2), "three");
        assert!(log.flush());
        let text = std::fs::read_to_string(&file).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.len() == 2 && lines[0].ends_with("] one\\ntwo"), "{text}");
        assert!(lines[1].starts_with('V') && lines[1].ends_with("] three"), "{text}");
        assert_eq!(log.settings().file, file);
        log.change(LogSettings { format: LogFormat::Json, ..log.settings() });
        log.write(Severity::Warning, "a \"word\"\n");
        assert!(log.flush());
        let text = std::fs::read_to_string(&file).unwrap();
        let line: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        assert_eq!(line["message"], "a \"word\"\n");
        assert_eq!(line["severity"], "warning");
        assert!(line["time"].as_str().unwrap().ends_with('Z'), "{line}");
        let missing = folder.path().join("none/log").to_str().unwrap().to_owned();
        assert!(ServerLog::open(LogSettings { file: missing, ..LogSettings::default() }).is_err());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn lines_that_a_file_does_not_take_are_reported_once() {
        let (mut reader, writer) = io::pipe().unwrap();
        let settings = LogSettings { file: "/dev/full".to_owned(), ..LogSettings::default() };
        let log = ServerLog::to(settings, Some(append("/dev/full").unwrap()), writer);
        for _ in 0..3 {
            log.write(Severity::Info, "lost");
            assert!(log.flush());
        }
        drop(log);
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert!(text.starts_with("cannot write the log to `/dev/full`: "), "{text}");
        assert_eq!(text.lines().count(), 1, "{text}");
    }

    #[test]
    fn a_file_that_was_moved_is_opened_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let file = path.to_str().unwrap().to_owned();
        let log = ServerLog::open(LogSettings { file, ..LogSettings::default() }).unwrap();
        log.write(Severity::Info, "one");
        assert!(log.flush());
        std::fs::rename(&path, folder.path().join("old")).unwrap();
        assert!(log.reopen().unwrap());
        log.write(Severity::Info, "two");
        assert!(log.flush());
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.ends_with("] two\n") && text.lines().count() == 1, "{text}");
        assert!(!ServerLog::default().reopen().unwrap());
    }

    /// Tells whether the settings of a log can be read.
    struct Probe<'a>(&'a ServerLog);

    impl fmt::Display for Probe<'_> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "{}", self.0.settings.try_lock().is_ok())
        }
    }

    #[test]
    fn lines_are_made_without_the_lock_of_settings() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("log").to_str().unwrap().to_owned();
        let settings = LogSettings { file: file.clone(), ..LogSettings::default() };
        let log = ServerLog::open(settings).unwrap();
        log.write(Severity::Info, Probe(&log));
        assert!(log.flush());
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.ends_with("] true\n"), "{text}");
    }

    #[test]
    fn a_log_that_takes_nothing_holds_nobody_up() {
        let (mut reader, writer) = io::pipe().unwrap();
        let file = File::from(OwnedFd::from(writer));
        let log = ServerLog::to(LogSettings::default(), Some(file), io::stderr());
        let text = "x".repeat(1 << 20);
        // The pipe takes less than the first line, and the queue fewer than all others.
        (0..20).for_each(|_| log.write(Severity::Info, &text));
        let read = std::thread::spawn(move || {
            let mut text = String::new();
            reader.read_to_string(&mut text).unwrap();
            text
        });
        assert!(log.flush());
        log.write(Severity::Info, "last");
        drop(log);
        let text = read.join().unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let whole = lines.iter().filter(|line| line.len() > 1 << 20).count();
        let dropped = lines.iter().find_map(|line| {
            let (_, text) = line.split_once("] ")?;
            text.strip_suffix(" lines are dropped: the log takes fewer than there are")
        });
        assert_eq!(dropped.unwrap().parse::<usize>().unwrap() + whole, 20);
        assert!(lines.last().unwrap().ends_with("] last"));
    }
}
