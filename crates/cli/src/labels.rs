//! Names of classes.

use crate::failure::Failure;
use crate::render::counted;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use trident_runtime::{Tensor, Value};

/// Class names, from a file or from the model's metadata.
#[derive(Debug, Default)]
pub(crate) struct Labels {
    names: Vec<String>,
    /// The file, in words.
    file: Option<String>,
}

impl Labels {
    /// The labels of the file, else those named in the model's metadata; possibly none.
    pub(crate) fn of(
        file: Option<&Path>,
        metadata: &BTreeMap<String, String>,
    ) -> Result<Labels, Failure> {
        let Some(path) = file else {
            let own = metadata.get("trident.labels").map_or("", String::as_str);
            return Ok(Labels { names: lines(own), file: None });
        };
        let failed = |e: &str| Failure::usage(format!("cannot read `{}`: {e}", path.display()));
        let bytes = fs::read(path).map_err(|e| failed(&e.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|_| failed("it is not UTF-8 text"))?;
        let names = lines(&text);
        if names.is_empty() {
            return Err(failed("it is empty"));
        }
        Ok(Labels { names, file: Some(path.display().to_string()) })
    }

    /// The names of a tensor's classes: all of them or none.
    pub(crate) fn names(&self, tensor: &Tensor) -> &[String] {
        if self.fit(tensor) { &self.names } else { &[] }
    }

    /// Whether a tensor is scores of as many classes.
    pub(crate) fn fit(&self, tensor: &Tensor) -> bool {
        tensor.dims().last() == Some(&self.names.len()) && is_scores(tensor)
    }

    /// Checks that some output has as many classes as there are labels. Otherwise it is an error if the user gave the
    /// labels, and a note if they came with the model.
    pub(crate) fn check(&self, results: &[(String, Value)]) -> Result<Option<String>, Failure> {
        let tensors = results.iter().filter_map(|(name, v)| Some((name, v.as_tensor()?)));
        if self.names.is_empty() || tensors.clone().any(|(_, t)| self.fit(t)) {
            return Ok(None);
        }
        let classes = tensors.filter(|(_, t)| is_scores(t)).filter_map(|(name, t)| {
            t.dims().last().map(|&n| format!("`{name}` has {}", counted(n, "class")))
        });
        let found = classes.collect::<Vec<_>>().join(", ");
        let found = if found.is_empty() { "no output has scores of classes" } else { &found };
        let n = self.names.len();
        let (labels, classes) = (counted(n, "label"), counted(n, "class"));
        match &self.file {
            Some(file) => Err(Failure::usage(format!("`{file}` has {labels}, but {found}"))),
            None => Ok(Some(format!(
                "the model's own labels are not shown: they name {classes}, but {found}"
            ))),
        }
    }
}

/// Whether a tensor can be rows of scores.
pub(crate) fn is_scores(tensor: &Tensor) -> bool {
    matches!(tensor.rank(), 1 | 2) && tensor.dtype().is_float()
}

/// One name a line; a mark of the byte order is none's part, and empty lines at the end name nothing.
fn lines(text: &str) -> Vec<String> {
    let text = text.trim_start_matches('\u{feff}').trim_end_matches(['\r', '\n']);
    text.lines().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use trident_runtime::Pool;

    fn result(n: usize) -> (String, Value) {
        ("p".to_owned(), Tensor::from_slice(&Pool::new(), &[1, n], &vec![0f32; n]).unwrap().into())
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_a_label() {
        assert_eq!(lines("\u{feff}cat\r\ndog\n"), ["cat", "dog"]);
        assert_eq!(lines("a\n\nb\r\n\r\n"), ["a", "", "b"]);
        assert!(lines("\n").is_empty());
    }

    #[test]
    fn labels_of_another_length_name_nothing() {
        let metadata = [("trident.labels".to_owned(), "a\nb\nc".to_owned())].into();
        let own = Labels::of(None, &metadata).unwrap();
        assert_eq!(own.check(&[result(10), result(3)]).unwrap(), None);
        let note = own.check(&[result(10)]).unwrap().unwrap();
        assert!(note.contains("name 3 classes, but `p` has 10 classes"), "{note}");
        assert!(own.names(result(10).1.as_tensor().unwrap()).is_empty());
        assert_eq!(own.names(result(3).1.as_tensor().unwrap()), ["a", "b", "c"]);
        let given = Labels { file: Some("l.txt".into()), ..own };
        let error = given.check(&[result(10)]).unwrap_err().message();
        assert_eq!(error, "`l.txt` has 3 labels, but `p` has 10 classes");
        assert!(
            given.check(&[]).unwrap_err().message().ends_with("no output has scores of classes")
        );
    }
}
