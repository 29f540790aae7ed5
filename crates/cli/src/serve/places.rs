//! The places of repositories: folders, and addresses in stores.

use crate::failure::Failure;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use trident_server::repository::RemoteFolder;

/// The repositories of a server.
pub(super) struct Repositories {
    /// Their folders on the local disk.
    pub(super) folders: Vec<PathBuf>,
    /// Stores whose copies are among the folders.
    pub(super) remotes: Vec<Arc<dyn RemoteFolder>>,
}

/// The start of addresses in stores.
const SCHEMES: [&str; 3] = ["s3://", "gs://", "as://"];

/// Opens repositories. Folders must be there, and stores must answer.
pub(super) fn open(places: &[PathBuf]) -> Result<Repositories, Failure> {
    if places.is_empty() {
        let failure = Failure::run("no repository is given");
        return Err(failure.hint("give a folder that has the folders of models"));
    }
    let mut repositories = Repositories { folders: vec![], remotes: vec![] };
    for place in places {
        let text = place.to_string_lossy();
        if SCHEMES.iter().any(|scheme| text.starts_with(scheme)) {
            let store = store(&text)?;
            repositories.folders.push(store.folder().to_owned());
            repositories.remotes.push(store);
        } else if place.is_dir() {
            if let Err(error) = fs::read_dir(place) {
                let text = format!("cannot read the repository `{}`: {error}", place.display());
                return Err(Failure::run(text));
            }
            repositories.folders.push(place.clone());
        } else {
            let text = format!("the repository `{}` is not a folder", place.display());
            return Err(Failure::run(text).hint("give a folder that has the folders of models"));
        }
    }
    Ok(repositories)
}

#[cfg(feature = "stores")]
fn store(url: &str) -> Result<Arc<dyn RemoteFolder>, Failure> {
    match trident_server::store::Store::open(url) {
        Ok(store) => Ok(Arc::new(store)),
        Err(error) => Err(Failure::run(error.to_string())),
    }
}

#[cfg(not(feature = "stores"))]
fn store(url: &str) -> Result<Arc<dyn RemoteFolder>, Failure> {
    let line = format!("cargo run --release --features stores -- serve {url}");
    let hint = format!("in Trident's sources, type `{line}`");
    Err(Failure::usage("this build of `trident` reads no stores").hint(hint))
}
