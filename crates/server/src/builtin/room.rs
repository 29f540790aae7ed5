//! The most memory that a request to a built-in model may take.
//!
//! A small request may ask for much: one long text among many short ones makes all rows long, and a small file may hold a large
//! image. The models of networks have the parameter `memory_limit`; here it is also the way to raise the limit.

use std::fmt::Display;

use trident_serving::{Fault, ModelConfig};

/// The limit of models that set none.
const DEFAULT: u64 = 1 << 30;

/// The most bytes that a request may take, its answer included.
pub(super) struct RequestRoom {
    bytes: u64,
    /// The setting that it comes from, as errors name it.
    source: String,
}

impl RequestRoom {
    /// The parameter `memory_limit` or else 1 GiB, and at most the limit of the server's memory.
    pub(super) fn of(config: &ModelConfig, server: Option<u64>) -> Result<RequestRoom, Fault> {
        let own = config
            .memory_limit()
            .map_err(|error| Fault { code: error.code(), text: error.to_string() })?;
        let own = match own {
            Some(bytes) => {
                let source = format!("parameter 'memory_limit' of model '{}'", config.name);
                RequestRoom { bytes: bytes as u64, source }
            }
            None => {
                let source = format!("backend '{}'", config.backend);
                RequestRoom { bytes: DEFAULT, source }
            }
        };
        Ok(match server {
            Some(bytes) if bytes < own.bytes => {
                RequestRoom { bytes, source: "`--memory-limit`".to_owned() }
            }
            _ => own,
        })
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// An error if the part of a request that `part` names takes more bytes than a request may.
    pub(super) fn hold(&self, bytes: u64, part: impl Display) -> Result<(), Fault> {
        if bytes <= self.bytes {
            return Ok(());
        }
        Err(Fault::invalid(format_args!(
            "{part} may take {bytes} bytes of memory, and {} allows {} for a request; hint: send less in a request, or set the \
             model's parameter 'memory_limit'",
            self.source, self.bytes
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parameter_sets_the_limit_within_that_of_the_server() {
        let room = |parameter: &str, server| {
            let parameter = match parameter {
                "" => String::new(),
                value => format!(
                    "parameters {{ key: 'memory_limit' value {{ string_value: '{value}' }} }}"
                ),
            };
            let text = format!("name: 'm' backend: 'b' {parameter}");
            RequestRoom::of(&ModelConfig::from_text(&text).unwrap(), server)
        };
        let says = |parameter: &str, server| {
            let room = room(parameter, server).unwrap();
            room.hold(room.bytes(), "x").unwrap();
            room.hold(room.bytes() + 1, "x").unwrap_err().text
        };
        assert!(says("", None).contains("x may take 1073741825 bytes"));
        assert!(says("", None).contains("backend 'b' allows 1073741824 for"));
        assert!(
            says("2G", None).contains("parameter 'memory_limit' of model 'm' allows 2147483648")
        );
        assert!(says("1K", Some(2048)).contains("of model 'm' allows 1024 for"));
        assert!(says("2G", Some(1 << 20)).contains("`--memory-limit` allows 1048576 for"));
        let wrong = room("much", None).err().unwrap();
        assert!(wrong.text.contains("'memory_limit' of model 'm'"), "{}", wrong.text);
    }
}
