//! `--check`: everything that a start does, without ports.

use super::options::Args;
use super::start::print;
use super::table;
use crate::failure::Failure;
use std::fs::OpenOptions;
use std::io;
use std::path::Path;
use trident_server::listen::{ListenPlace, Protocol};
use trident_server::server::Server;
use trident_serving::Fault;

/// Loads the models, shows the outcome of each, and reports all faults.
pub(super) fn check(
    args: &Args,
    server: &Server,
    places: &[(Protocol, ListenPlace)],
) -> Result<(), Failure> {
    let mut failures = vec![];
    for (protocol, place) in places {
        if let Some(Err(error)) = place.tls.as_ref().map(|files| files.check()) {
            failures.push(Failure::run(format!("no TLS for {}: {error}", protocol.name())));
        }
    }
    let failed = server.repository.start();
    let index = server.repository.index(false);
    match args.json {
        true => print(&format!("{}\n", table::as_json(&index, &server.repository)))?,
        false => print(&table::models(&index, &server.repository).to_string())?,
    }
    if index.is_empty() {
        failures.extend(server.repository.empty_folders().iter().map(Failure::run));
    }
    failures.extend(unloaded(&failed));
    Failure::all(failures).map_or(Ok(()), Err)
}

/// The failures of models that do not load, one for each version.
pub(super) fn unloaded(failed: &[(String, Fault)]) -> Vec<Failure> {
    let causes = |(name, fault): &(String, Fault)| {
        let causes = fault.text.split(";\n").filter(|cause| !cause.trim().is_empty());
        let named = |(at, cause): (usize, &str)| match at {
            0 => Failure::run(cause.trim_end()),
            _ => Failure::run(format!("load failed for model '{name}': {}", cause.trim_end())),
        };
        causes.enumerate().map(named).collect::<Vec<_>>()
    };
    failed.iter().flat_map(causes).collect()
}

/// An error unless a file can be appended to, or be made. It is not made.
pub(super) fn can_be_written(file: &Path) -> io::Result<()> {
    match OpenOptions::new().append(true).open(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
            match folder.is_none_or(Path::is_dir) {
                true => Ok(()),
                false => Err(error),
            }
        }
        opened => opened.map(drop),
    }
}
