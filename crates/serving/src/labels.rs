//! Names of an output's indices.

use crate::config::ModelConfig;
use crate::invalid::ConfigError;
use std::collections::BTreeMap;
use std::io;

/// The labels of a model's outputs, which classification returns with each index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels(BTreeMap<String, Vec<String>>);

impl Labels {
    /// Reads the files that the outputs name, a label a line. `read` gives the content of a file in the model's folder.
    pub fn read(
        config: &ModelConfig,
        mut read: impl FnMut(&str) -> io::Result<Vec<u8>>,
    ) -> Result<Labels, ConfigError> {
        let mut labels = BTreeMap::new();
        for output in config.output.iter().filter(|output| !output.label_filename.is_empty()) {
            let (model, file) = (config.name.clone(), output.label_filename.clone());
            let bytes = match read(&file) {
                Ok(bytes) => bytes,
                Err(e) => return Err(ConfigError::File { model, file, cause: e.to_string() }),
            };
            let text = str::from_utf8(&bytes).map_err(|e| {
                let before = &bytes[..e.valid_up_to()];
                let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
                ConfigError::Labels { model, file, line }
            })?;
            labels.insert(output.name.clone(), text.lines().map(str::to_owned).collect());
        }
        Ok(Labels(labels))
    }

    /// Gives an output without labels those of another model's output.
    pub fn inherit(&mut self, output: &str, other: &Labels, from: &str) {
        if let Some(labels) = other.0.get(from).filter(|_| !self.0.contains_key(output)) {
            self.0.insert(output.to_owned(), labels.clone());
        }
    }

    /// The label of an index of an output. An empty line is no label.
    pub fn get(&self, output: &str, index: usize) -> Option<&str> {
        self.0.get(output)?.get(index).map(String::as_str).filter(|label| !label.is_empty())
    }
}
