//! The local copy of a repository in a store.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU16, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt};
use object_store::aws::AmazonS3Builder;
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::path::Path as ObjectPath;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt, RetryConfig};
use tokio::runtime::{Builder, Runtime};
use trident_serving::{DEFAULT_FILES, Fault};

use super::StoreError;
use super::connect::StoreConnector;
use super::copy::CopyFolder;
use super::fault::{cause, fault};
use super::place::{StoreKind, StorePlace};
use crate::repository::RemoteFolder;

/// How long a download may stand still.
const STALL: Duration = Duration::from_secs(60);

/// A repository in a store.
pub struct Store {
    url: String,
    kind: StoreKind,
    client: Box<dyn ObjectStore>,
    status: Arc<AtomicU16>,
    /// The repository's folder in the bucket.
    prefix: ObjectPath,
    /// The folder of the copy, which is removed with the store.
    folder: PathBuf,
    copy: Mutex<Copy>,
}

/// The state of a copy, used by one thread at a time.
struct Copy {
    runtime: Runtime,
    /// Where the copy is; `None` once it is removed.
    root: Option<CopyFolder>,
    /// The ETag of each file, by its path in the folder.
    tags: BTreeMap<String, String>,
}

/// Objects by their paths in the repository.
type Objects = BTreeMap<String, ObjectMeta>;

impl Store {
    /// Opens a repository, and looks whether it can be listed. Keys and settings are those of the environment, with the names that
    /// the stores' own tools have.
    ///
    /// # Errors
    /// An address, key, bucket or folder that does not fit, or a store that does not answer.
    pub fn open(url: &str) -> Result<Store, StoreError> {
        let place = StorePlace::of(url)?;
        let is_off = env::var("AWS_EC2_METADATA_DISABLED").is_ok_and(|value| value == "true");
        if place.kind == StoreKind::S3 && is_off && !place.kind.has_key() {
            return Err(StoreError::NoKey { url: url.to_owned(), kind: place.kind.name() });
        }
        let settings = |cause: String| StoreError::Settings { url: url.to_owned(), cause };
        let connector = StoreConnector::new().map_err(settings)?;
        let status = connector.status();
        let client = client(&place, connector).map_err(settings)?;
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| settings(error.to_string()))?;
        let disk = |source| disk(url, &env::temp_dir(), source);
        let root = CopyFolder::make(&env::temp_dir()).map_err(disk)?;
        // A model that lies in the folder itself has its name.
        let name = place.folder.rsplit('/').next().filter(|name| !name.is_empty());
        let folder = root.repository(name.unwrap_or(&place.bucket));
        fs::create_dir_all(&folder).map_err(disk)?;
        let prefix = ObjectPath::from(place.folder.as_str());
        let copy = Mutex::new(Copy { runtime, root: Some(root), tags: BTreeMap::new() });
        let (url, kind) = (url.to_owned(), place.kind);
        let store = Store { url, kind, client, status, prefix, folder, copy };
        let mut copy = store.copy.lock().unwrap_or_else(PoisonError::into_inner);
        let (names, files) = store.top(&mut copy)?;
        drop(copy);
        match names.is_empty() && files.is_empty() && !place.folder.is_empty() {
            true => Err(StoreError::NoFolder { url: store.url }),
            false => Ok(store),
        }
    }

    fn fault(&self, error: &object_store::Error) -> StoreError {
        fault(self.kind, &self.url, self.status.swap(0, Relaxed), error)
    }

    /// The folders of models in the repository, and the files beside them.
    fn top(&self, copy: &mut Copy) -> Result<(BTreeSet<String>, Objects), StoreError> {
        let listed = copy.runtime.block_on(self.client.list_with_delimiter(Some(&self.prefix)));
        let listed = listed.map_err(|error| self.fault(&error))?;
        let folders = listed.common_prefixes.iter().filter_map(|path| self.inner(path));
        let names = folders.filter(|name| !name.starts_with('.')).collect();
        let files = listed.objects.into_iter();
        let files = files.filter_map(|object| Some((self.inner(&object.location)?, object)));
        Ok((names, files.collect()))
    }

    /// All objects of a folder of the repository, or of all of it.
    fn list(&self, copy: &mut Copy, folder: Option<&str>) -> Result<Objects, StoreError> {
        let prefix = match folder {
            Some(folder) => self.prefix.clone().join(folder),
            None => self.prefix.clone(),
        };
        let listed = self.client.list(Some(&prefix)).try_collect::<Vec<_>>();
        let listed = copy.runtime.block_on(listed);
        let listed = listed.map_err(|error| self.fault(&error))?;
        let inner = |object: ObjectMeta| Some((self.inner(&object.location)?, object));
        Ok(without_folders(listed.into_iter().filter_map(inner).collect()))
    }

    /// The path of an object in the repository; `None` for one that no file may have.
    fn inner(&self, path: &ObjectPath) -> Option<String> {
        let parts: Vec<_> = path.prefix_match(&self.prefix)?.collect();
        let parts: Vec<&str> = parts.iter().map(AsRef::as_ref).collect();
        let is_name =
            |part: &&str| !matches!(*part, "" | "." | "..") && !part.contains(['/', '\0']);
        (!parts.is_empty() && parts.iter().all(is_name)).then(|| parts.join("/"))
    }

    fn look(&self, models: Option<&[String]>) -> Result<(), StoreError> {
        let mut copy = self.copy.lock().unwrap_or_else(PoisonError::into_inner);
        if copy.root.is_none() {
            return Ok(());
        }
        let (names, files) = self.top(&mut copy)?;
        // The repository may be a model's folder itself.
        let is_bare = DEFAULT_FILES.iter().any(|file| files.contains_key(*file));
        let Some(models) = models.filter(|_| !is_bare) else {
            let objects = self.list(&mut copy, None)?;
            self.update(&mut copy, "", &objects)?;
            return self.place(&names, is_bare);
        };
        self.place(&names, is_bare)?;
        for name in models.iter().filter(|name| names.contains(*name)) {
            let objects = self.list(&mut copy, Some(name))?;
            self.update(&mut copy, &format!("{name}/"), &objects)?;
        }
        Ok(())
    }

    /// Makes the folders of models, and removes those that are gone.
    fn place(&self, names: &BTreeSet<String>, is_bare: bool) -> Result<(), StoreError> {
        for name in names {
            let path = self.folder.join(name);
            fs::create_dir_all(&path).map_err(|source| disk(&self.url, &path, source))?;
        }
        if is_bare {
            return Ok(());
        }
        let entries = fs::read_dir(&self.folder);
        let entries = entries.map_err(|source| disk(&self.url, &self.folder, source))?;
        for entry in entries.flatten() {
            let name = entry.file_name().into_string();
            let path = entry.path();
            if path.is_dir() && !name.is_ok_and(|name| names.contains(&name)) {
                fs::remove_dir_all(&path).map_err(|source| disk(&self.url, &path, source))?;
            }
        }
        Ok(())
    }

    /// Downloads the objects that have changed, and removes the files without one, of the paths that start so. The files of a look
    /// appear when all of them are there.
    fn update(&self, copy: &mut Copy, start: &str, objects: &Objects) -> Result<(), StoreError> {
        let Copy { runtime, root, tags } = copy;
        let Some(root) = root else { return Ok(()) };
        let mut fetched: Vec<(Option<PathBuf>, &String, String)> = vec![];
        for (path, object) in objects {
            let tag = tag(object);
            if tags.get(path) != Some(&tag) {
                let part = root.part(fetched.len());
                let is_file = runtime.block_on(self.download(object, &part))?;
                fetched.push((is_file.then_some(part), path, tag));
            }
        }
        for (part, path, tag) in fetched {
            let place = self.folder.join(path);
            let placed = match part {
                Some(part) => {
                    let folder = place.parent().map_or(Ok(()), fs::create_dir_all);
                    folder.and_then(|()| fs::rename(part, &place))
                }
                None => fs::create_dir_all(&place),
            };
            placed.map_err(|source| disk(&self.url, &place, source))?;
            tags.insert(path.clone(), tag);
        }
        let is_gone = |path: &String| path.starts_with(start) && !objects.contains_key(path);
        let gone: Vec<String> = tags.keys().filter(|path| is_gone(path)).cloned().collect();
        for path in gone {
            self.remove(&path)?;
            tags.remove(&path);
        }
        Ok(())
    }

    /// Removes a file or an empty folder, and the folders that are empty without it.
    fn remove(&self, path: &str) -> Result<(), StoreError> {
        let file = self.folder.join(path);
        let is_folder = file.is_dir();
        match fs::remove_file(&file) {
            Err(source) if !is_folder && source.kind() != std::io::ErrorKind::NotFound => {
                return Err(disk(&self.url, &file, source));
            }
            _ => {}
        }
        let folders = file.ancestors().skip(usize::from(!is_folder));
        let mut folders = folders.take_while(|folder| *folder != self.folder);
        // A folder that is not empty stays.
        while folders.next().is_some_and(|folder| fs::remove_dir(folder).is_ok()) {}
        Ok(())
    }

    /// Downloads an object to a file. `false` for one without bytes that stands for a folder.
    async fn download(&self, object: &ObjectMeta, to: &Path) -> Result<bool, StoreError> {
        let away = |cause: String| StoreError::Away { url: self.url.clone(), cause };
        let failed = |error: &object_store::Error| match self.fault(error) {
            // The bucket is there: the object has gone since it was listed.
            StoreError::NoBucket { .. } => away(format!("`{}` is gone", object.location)),
            other => other,
        };
        let full = |source| disk(&self.url, to, source);
        let answer = match self.client.get(&object.location).await {
            // The name in the store ends with `/`, which the listing has cut off.
            Err(object_store::Error::NotFound { .. }) if object.size == 0 => {
                self.status.store(0, Relaxed);
                return Ok(false);
            }
            answer => answer.map_err(|error| failed(&error))?,
        };
        let mut file = File::create(to).map_err(full)?;
        let mut chunks = answer.into_stream();
        loop {
            let chunk = tokio::time::timeout(STALL, chunks.next()).await;
            match chunk.map_err(|_| away(format!("`{}` takes too long", object.location)))? {
                Some(Ok(bytes)) => file.write_all(&bytes).map_err(full)?,
                Some(Err(error)) => return Err(failed(&error)),
                None => return Ok(true),
            }
        }
    }
}

impl RemoteFolder for Store {
    fn folder(&self) -> &Path {
        &self.folder
    }

    fn refresh(&self, models: Option<&[String]>) -> Result<(), Fault> {
        self.look(models).map_err(Fault::internal)
    }

    fn close(&self) {
        let mut copy = self.copy.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(root) = copy.root.take() {
            root.close();
        }
    }
}

/// Leaves out the objects without bytes that stand for the folders of other objects: consoles of stores make them.
fn without_folders(mut objects: Objects) -> Objects {
    let is_folder = |path: &str| {
        let start = format!("{path}/");
        let mut later = objects.range(start.clone()..);
        later.next().is_some_and(|(inner, _)| inner.starts_with(&start))
    };
    let empty = objects.iter().filter(|(_, object)| object.size == 0);
    let folders: Vec<String> =
        empty.filter(|(path, _)| is_folder(path)).map(|(path, _)| path.clone()).collect();
    for path in &folders {
        objects.remove(path);
    }
    objects
}

/// The text that changes with an object's content.
fn tag(object: &ObjectMeta) -> String {
    let own = || format!("{} {}", object.last_modified, object.size);
    object.e_tag.clone().unwrap_or_else(own)
}

fn disk(url: &str, path: &Path, source: std::io::Error) -> StoreError {
    StoreError::Disk { url: url.to_owned(), path: path.display().to_string(), source }
}

/// The client of a place, with the keys of the environment.
fn client(place: &StorePlace, connector: StoreConnector) -> Result<Box<dyn ObjectStore>, String> {
    // A look that fails is repeated by the next one.
    let retries = RetryConfig {
        max_retries: 2,
        retry_timeout: Duration::from_secs(10),
        ..RetryConfig::default()
    };
    let StorePlace { kind, endpoint, account, bucket, .. } = place;
    let variable = |name| env::var(name).ok().filter(|value| !value.is_empty());
    let built: object_store::Result<Box<dyn ObjectStore>> = match kind {
        StoreKind::S3 => {
            let mut builder = AmazonS3Builder::from_env().with_bucket_name(bucket);
            if let Some(endpoint) = endpoint {
                builder = builder.with_endpoint(endpoint);
            }
            let builder = builder.with_retry(retries).with_allow_http(true);
            builder.with_http_connector(connector).build().map(|store| Box::new(store) as _)
        }
        StoreKind::Google => {
            let mut builder = GoogleCloudStorageBuilder::from_env().with_bucket_name(bucket);
            if let Some(host) = variable("STORAGE_EMULATOR_HOST") {
                let host = if host.contains("://") { host } else { format!("http://{host}") };
                builder = builder.with_config(GoogleConfigKey::BaseUrl, host);
                builder = builder.with_config(GoogleConfigKey::SkipSignature, "true");
            }
            let builder = builder.with_retry(retries).with_http_connector(connector);
            builder.build().map(|store| Box::new(store) as _)
        }
        StoreKind::Azure => {
            let mut builder = MicrosoftAzureBuilder::from_env().with_container_name(bucket);
            if let Some(account) = account {
                builder = builder.with_account(account);
            }
            // The name that the Triton Inference Server has for it.
            if let Some(key) = variable("AZURE_STORAGE_KEY") {
                builder = builder.with_config(AzureConfigKey::AccessKey, key);
            }
            let builder = builder.with_retry(retries).with_allow_http(true);
            builder.with_http_connector(connector).build().map(|store| Box::new(store) as _)
        }
    };
    built.map_err(|error| cause(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_that_stand_for_folders_are_no_files() {
        let object = |(path, size): (&str, u64)| {
            let location = ObjectPath::from(path);
            let (e_tag, version) = (None, None);
            let last_modified = std::time::SystemTime::UNIX_EPOCH.into();
            (path.to_owned(), ObjectMeta { location, last_modified, size, e_tag, version })
        };
        let listed = [("m", 0), ("m/1", 0), ("m/1/model.onnx", 9), ("m/config.pbtxt", 0), ("n", 0)];
        let files = without_folders(listed.map(object).into());
        assert_eq!(
            files.into_keys().collect::<Vec<_>>(),
            ["m/1/model.onnx", "m/config.pbtxt", "n"]
        );
    }
}
