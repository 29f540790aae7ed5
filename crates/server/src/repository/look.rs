//! A look into the folders of a repository.

use std::collections::BTreeSet;
use std::path::Path;
use std::{fs, io};

/// The models that have folders, and the folders that show none.
#[derive(Debug, Default)]
pub(super) struct Look {
    /// The names of the models that were found.
    pub(super) names: BTreeSet<String>,
    /// Why a folder cannot be read, in which there may be more models.
    pub(super) unread: Option<String>,
    /// For each folder that can be read and has no models, the layout that is expected.
    pub(super) empty: Vec<String>,
}

impl Look {
    /// Adds the models of a folder.
    pub(super) fn add(&mut self, folder: &Path) {
        match names(folder) {
            Ok(names) if names.is_empty() => self.empty.push(layout(folder)),
            Ok(names) => self.names.extend(names),
            Err(error) => {
                let text = format!("cannot read the repository `{}`: {error}", folder.display());
                self.unread = Some(text);
            }
        }
    }
}

/// The names of the folders in a folder.
fn names(folder: &Path) -> io::Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        // A link may lead to a folder.
        let is_folder = match fs::metadata(entry.path()) {
            Ok(metadata) => metadata.is_dir(),
            // It was removed meanwhile, or is a link that leads nowhere.
            Err(error) if error.kind() == io::ErrorKind::NotFound => false,
            Err(error) => return Err(error),
        };
        let name = entry.file_name().into_string().ok().filter(|_| is_folder);
        // Hidden folders are of tools that place models, such as `.git`.
        names.extend(name.filter(|name| !name.starts_with('.')));
    }
    Ok(names)
}

/// Tells that a folder has no models, and where they belong.
fn layout(folder: &Path) -> String {
    let place = folder.display();
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut models: Vec<String> =
        files.filter_map(|file| file.file_name().into_string().ok()).collect();
    models.retain(|name| name.ends_with(".onnx"));
    models.sort();
    match models.first() {
        Some(file) => {
            let name = file.trim_end_matches(".onnx");
            format!(
                "the repository `{place}` has no folders of models; hint: move `{file}` to \
                 `{place}/{name}/1/model.onnx`"
            )
        }
        None => format!(
            "the repository `{place}` has no folders of models; hint: a model's file belongs in \
             `{place}/NAME/1/model.onnx`"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_without_models_show_the_layout() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path();
        fs::create_dir(place.join(".git")).unwrap();
        std::os::unix::fs::symlink("/nowhere/at/all", place.join("link")).unwrap();
        let look = |place: &Path| {
            let mut look = Look::default();
            look.add(place);
            look
        };
        let found = look(place);
        assert!(found.names.is_empty() && found.unread.is_none(), "{found:?}");
        assert!(found.empty[0].ends_with("/NAME/1/model.onnx`"), "{found:?}");
        fs::write(place.join("digits.onnx"), "").unwrap();
        assert!(look(place).empty[0].ends_with("/digits/1/model.onnx`"));
        fs::create_dir(place.join("m")).unwrap();
        let found = look(place);
        assert!(found.names.contains("m") && found.empty.is_empty(), "{found:?}");
        let found = look(&place.join("none"));
        assert!(found.unread.unwrap().contains("cannot read the repository `"));
        assert!(found.empty.is_empty());
    }
}
