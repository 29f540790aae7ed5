//! Inputs for several runs: the files of a folder, of a pattern, or several files for a model with one input.

use super::InputArgs;
use crate::failure::Failure;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::Path;
use trident_engine::Signature;

/// The endings of files that hold inputs.
pub(super) const ENDINGS: [&str; 7] = ["npz", "json", "npy", "pb", "png", "jpg", "jpeg"];

/// The ending of a path in lower case.
pub(super) fn ending(path: &Path) -> String {
    path.extension().and_then(OsStr::to_str).unwrap_or_default().to_ascii_lowercase()
}

/// One run of several.
pub(crate) struct Turn {
    /// The file that this run has to itself.
    pub(crate) file: String,
    /// The inputs of the run.
    pub(crate) inputs: InputArgs,
}

impl Turn {
    /// Whether its file is an image.
    pub(crate) fn is_image(&self) -> bool {
        ["png", "jpg", "jpeg"].contains(&ending(Path::new(&self.file)).as_str())
    }
}

impl InputArgs {
    /// The runs that the options ask for, in the order of their files' names; `None` for a single run.
    pub(crate) fn turns(&self, signature: &Signature) -> Result<Option<Vec<Turn>>, Failure> {
        let mut found = vec![];
        for (at, option) in self.input.iter().enumerate() {
            let name = signature.all().map(|input| format!("{}=", input.name));
            let name = name.filter(|name| option.starts_with(name)).max_by_key(String::len);
            let (name, path) = option.split_at(name.map_or(0, |name| name.len()));
            if let Some(files) = files(path)? {
                found
                    .push((at, files.into_iter().map(move |file| (format!("{name}{file}"), file))));
            }
        }
        let turn = |at: usize, option: String, file: String| {
            let mut input = self.input.clone();
            input[at] = option;
            Turn { file, inputs: InputArgs { input, ..self.clone() } }
        };
        match found.pop() {
            Some(_) if !found.is_empty() => {
                Err(Failure::usage("--input names files for several runs more than once").hint(
                    "one --input may be a folder or a pattern; put all inputs of a run into one .npz or .json file",
                ))
            }
            Some((at, files)) => {
                Ok(Some(files.map(|(option, file)| turn(at, option, file)).collect()))
            }
            None => Ok(self.one_after_another(signature)),
        }
    }

    /// Several files for the only input of a model.
    fn one_after_another(&self, signature: &Signature) -> Option<Vec<Turn>> {
        let is_file = |option: &String| {
            let path = Path::new(option);
            path.is_file() && ENDINGS.contains(&ending(path).as_str())
        };
        let alone = signature.all().count() == 1;
        if !alone || self.input.len() < 2 || !self.input.iter().all(is_file) {
            return None;
        }
        let turn = |file: &String| Turn {
            file: file.clone(),
            inputs: InputArgs { input: vec![file.clone()], ..self.clone() },
        };
        Some(self.input.iter().map(turn).collect())
    }
}

/// The files of a folder, or the files whose names match a pattern with `*`; `None` if the text is neither.
fn files(text: &str) -> Result<Option<Vec<String>>, Failure> {
    let path = Path::new(text);
    let (folder, pattern) = match path.file_name().and_then(OsStr::to_str) {
        _ if path.is_dir() => (path, None),
        Some(name) if name.contains('*') && !path.exists() => {
            let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty());
            (folder.unwrap_or(Path::new(".")), Some(name))
        }
        _ => return Ok(None),
    };
    let failed = |e: io::Error| Failure::usage(format!("cannot read `{}`: {e}", folder.display()));
    let mut files = vec![];
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let wanted = match pattern {
            Some(pattern) => matches(pattern, &name),
            None => !name.starts_with('.'),
        };
        let path = entry.path();
        if wanted && path.is_file() && ENDINGS.contains(&ending(&path).as_str()) {
            // The text as the user wrote it.
            let shown =
                if pattern.is_some() && !text.contains('/') { Path::new(&name) } else { &path };
            files.push(shown.display().to_string());
        }
    }
    files.sort();
    if files.is_empty() {
        let text = format!("there are no inputs in `{text}`");
        let hint = "inputs are .npy, .npz, .pb, .json, .png or .jpg files";
        return Err(Failure::usage(text).hint(hint));
    }
    Ok(Some(files))
}

/// Whether a name matches a pattern in which `*` stands for any characters.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, rest)) => name.strip_prefix(start).is_some_and(|name| {
            let ends = name.char_indices().map(|(at, _)| at).chain([name.len()]);
            ends.into_iter().any(|at| matches(rest, &name[at..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_characters() {
        for (pattern, name, expected) in [
            ("*", "", true),
            ("*.png", "a.png", true),
            ("*.png", "a.jpg", false),
            ("a*b*c", "axbxbc", true),
            ("a*b*c", "acb", false),
            ("é*", "éa", true),
            ("a", "ab", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn folders_and_patterns_give_sorted_files() {
        let folder = std::env::temp_dir().join(format!("trident-turns-{}", std::process::id()));
        fs::create_dir_all(folder.join("more.npy")).unwrap();
        for name in ["b.npy", "a.JPG", "notes.txt", ".hidden.npy", "c.json"] {
            fs::write(folder.join(name), "").unwrap();
        }
        let names = |text: &str| {
            let found = files(text).unwrap_or(None).unwrap_or_default();
            let name = |file: &String| file.rsplit('/').next().unwrap_or_default().to_owned();
            found.iter().map(name).collect::<Vec<_>>()
        };
        let text = folder.display().to_string();
        assert_eq!(names(&text), ["a.JPG", "b.npy", "c.json"]);
        assert_eq!(names(&format!("{text}/*.npy")), [".hidden.npy", "b.npy"]);
        assert!(files(&format!("{text}/*.pb")).is_err());
        assert!(matches!(files(&format!("{text}/b.npy")), Ok(None)));
        fs::remove_dir_all(folder).unwrap();
    }
}
