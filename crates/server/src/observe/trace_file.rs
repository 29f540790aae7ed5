//! Files of traces, in the form of the Triton Inference Server.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::{Mutex, PoisonError};

/// The files of a server's traces: arrays of JSON, complete after each trace.
#[derive(Debug, Default)]
pub(crate) struct TraceFile(Mutex<Open>);

#[derive(Debug, Default)]
struct Open {
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
    pub(super) fn write(&self, path: &str, frequency: u32, objects: &[u8]) -> io::Result<()> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if frequency > 0 && open.count >= frequency {
            *open = Open { index: open.index + 1, ..Open::default() };
        }
        let Open { file, count, length, index } = &mut *open;
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

    #[test]
    fn files_are_arrays_after_each_trace() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace").to_str().unwrap().to_owned();
        let file = TraceFile::default();
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
        let files = TraceFile::default();
        for id in 0..5 {
            files.write(&path, 2, format!("{{\"id\":{id}}}").as_bytes()).unwrap();
        }
        let numbered = |index| read(&format!("{path}.{index}"));
        assert_eq!([numbered(0), numbered(1), numbered(2)], [vec![0, 1], vec![2, 3], vec![4]]);
        assert!(TraceFile::default().write("/none/x", 0, b"{}").is_err());
    }
}
