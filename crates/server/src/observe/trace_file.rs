//! Files of traces, in the form of the Triton Inference Server.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use crate::settings::{ServerLog, Severity};
use crate::writer::BackgroundWriter;

/// The most bytes of traces that wait to be written.
const MOST_WAITING: usize = 64 << 20;

/// A trace on its way to its file.
pub(super) struct WrittenTrace {
    /// The path of the file, without a number.
    pub(super) path: String,
    /// How many traces a file has; 0 for all.
    pub(super) frequency: u32,
    /// Its objects, separated by commas.
    pub(super) objects: Vec<u8>,
}

/// The thread that writes traces to files.
pub(crate) struct TraceWriter(BackgroundWriter<WrittenTrace>);

impl TraceWriter {
    /// A thread that has the log say which traces are lost.
    pub(crate) fn new(log: Arc<ServerLog>) -> TraceWriter {
        let mut files = TraceFile::default();
        let write = move |traces: Vec<WrittenTrace>, dropped| {
            for WrittenTrace { path, frequency, objects } in traces {
                if let Err(error) = files.write(&path, frequency, &objects) {
                    let text = format!("cannot write a trace to `{path}`: {error}");
                    log.write(Severity::Warning, text);
                }
            }
            if dropped > 0 {
                let text =
                    format!("{dropped} traces are dropped: their file takes fewer than there are");
                log.write(Severity::Warning, text);
            }
        };
        TraceWriter(BackgroundWriter::new("traces", MOST_WAITING, write))
    }

    /// Has the thread write a trace, or drops the trace if too many wait.
    pub(super) fn push(&self, trace: WrittenTrace) {
        let size = trace.objects.len() + trace.path.len();
        self.0.push(trace, size);
    }

    /// Waits until all traces are written; whether they are. A file that takes nothing is waited for a few seconds.
    pub(crate) fn flush(&self) -> bool {
        self.0.flush()
    }
}

/// The files of a server's traces: arrays of JSON, complete after each trace.
#[derive(Debug, Default)]
struct TraceFile {
    file: Option<File>,
    /// The traces in the file.
    count: u32,
    /// The bytes before the end of the array.
    length: u64,
    /// The files before it.
    index: u32,
}

impl TraceFile {
    /// Adds the objects of a trace to the file of a path. If `frequency` is not 0, a file has so many traces, and its number follows the
    /// path.
    ///
    /// # Errors
    /// The file cannot be written. Then the trace is lost, and those before it remain.
    fn write(&mut self, path: &str, frequency: u32, objects: &[u8]) -> io::Result<()> {
        if frequency > 0 && self.count >= frequency {
            *self = TraceFile { index: self.index + 1, ..TraceFile::default() };
        }
        let TraceFile { file, count, length, index } = self;
        let file = match file {
            Some(file) => file,
            None => {
                let path = match frequency {
                    0 => path.to_owned(),
                    _ => format!("{path}.{index}"),
                };
                let new = OpenOptions::new().create(true).write(true).truncate(true).open(path)?;
                file.insert(new)
            }
        };
        let mut text = vec![if *count == 0 { b'[' } else { b',' }];
        text.extend_from_slice(objects);
        let end = *length + text.len() as u64;
        text.push(b']');
        if let Err(error) = file.write_all_at(&text, *length) {
            // The array ends where it did; a disk that is full may have no place for that, either.
            let _ = file.set_len(*length);
            if *count > 0 {
                let _ = file.write_all_at(b"]", *length);
            }
            return Err(error);
        }
        (*count, *length) = (count.saturating_add(1), end);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::LogSettings;

    #[test]
    fn files_are_arrays_after_each_trace() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace").to_str().unwrap().to_owned();
        let mut file = TraceFile::default();
        let read = |path: &str| -> Vec<u64> {
            let text = std::fs::read_to_string(path).unwrap();
            let array: serde_json::Value = serde_json::from_str(&text).unwrap();
            let id = |object: &serde_json::Value| object["id"].as_u64().unwrap();
            array.as_array().unwrap().iter().map(id).collect()
        };
        file.write(&path, 0, b"{\"id\":1},{\"id\":1}").unwrap();
        assert_eq!(read(&path), [1, 1]);
        file.write(&path, 0, b"{\"id\":2}").unwrap();
        assert_eq!(read(&path), [1, 1, 2]);
        let mut files = TraceFile::default();
        for id in 0..5 {
            files.write(&path, 2, format!("{{\"id\":{id}}}").as_bytes()).unwrap();
        }
        let numbered = |index| read(&format!("{path}.{index}"));
        assert_eq!([numbered(0), numbered(1), numbered(2)], [vec![0, 1], vec![2, 3], vec![4]]);
        assert!(TraceFile::default().write("/none/x", 0, b"{}").is_err());
    }

    #[test]
    fn a_thread_of_their_own_writes_traces_and_says_which_are_lost() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        let settings = LogSettings { file: place("log"), ..LogSettings::default() };
        let log = Arc::new(ServerLog::open(settings).unwrap());
        let writer = TraceWriter::new(Arc::clone(&log));
        let push = |path: String| {
            writer.push(WrittenTrace { path, frequency: 0, objects: b"{}".to_vec() });
        };
        push(place("none/trace"));
        push(place("trace"));
        assert!(writer.flush() && log.flush());
        assert_eq!(std::fs::read(place("trace")).unwrap(), b"[{}]");
        let text = std::fs::read_to_string(place("log")).unwrap();
        assert!(
            text.contains("cannot write a trace to `") && text.contains("none/trace`"),
            "{text}"
        );
    }
}
