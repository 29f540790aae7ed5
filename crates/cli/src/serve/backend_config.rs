//! `--backend-config`: settings of backends, of which those for all models act.

use trident_serving::BACKENDS;

/// A value of the option: `<backend>,<key>=<value>`, or `<key>=<value>` for all backends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BackendSetting {
    /// The text as it was given.
    text: String,
    effect: Effect,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Effect {
    /// `max_batch_size` of models that have a batch dimension and do not set it.
    BatchSize(i32),
    /// Whether configurations are completed from the models.
    Completes(bool),
    /// None.
    None,
}

impl BackendSetting {
    /// Reads a value of the option.
    ///
    /// # Errors
    /// Another form, a value that the key cannot have, and keys that are options of this server.
    pub(crate) fn parse(text: &str) -> Result<BackendSetting, String> {
        let wrong = || "give `<backend>,<key>=<value>` or `<key>=<value>`".to_owned();
        let (before, value) = text.split_once('=').ok_or_else(wrong)?;
        let (backend, key) = before.split_once(',').unwrap_or(("", before));
        if key.is_empty() || key.contains(',') {
            return Err(wrong());
        }
        // Our engine runs the models of these backends.
        let is_ours = backend.is_empty() || BACKENDS.contains(&backend);
        let effect = match key {
            "default-max-batch-size" if is_ours => {
                let size = value.parse().ok().filter(|size| *size >= 0);
                Effect::BatchSize(size.ok_or("give a batch size, such as 4")?)
            }
            "auto-complete-config" if backend.is_empty() => {
                Effect::Completes(super::options::switch(value)?)
            }
            "device" | "threads" if is_ours => {
                return Err(format!("give it as `--{key} {value}`, which holds for all models"));
            }
            _ => Effect::None,
        };
        Ok(BackendSetting { text: text.to_owned(), effect })
    }

    /// The batch size that it sets.
    pub(crate) fn batch_size(&self) -> Option<i32> {
        match self.effect {
            Effect::BatchSize(size) => Some(size),
            Effect::Completes(_) | Effect::None => None,
        }
    }

    /// Whether it turns the completion of configurations off.
    pub(crate) fn takes_as_written(&self) -> bool {
        self.effect == Effect::Completes(false)
    }

    /// The line of the log about a setting without effect.
    pub(crate) fn line(&self) -> Option<String> {
        let line =
            || format!("--backend-config={} has no effect: no backend here has it", self.text);
        (self.effect == Effect::None).then(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_our_backends_act() {
        let batch = |text: &str| BackendSetting::parse(text).unwrap().batch_size();
        assert_eq!(batch("onnxruntime,default-max-batch-size=7"), Some(7));
        assert_eq!(batch("default-max-batch-size=0"), Some(0));
        assert_eq!(batch("python,default-max-batch-size=7"), None);
        let setting = |text: &str| BackendSetting::parse(text).unwrap();
        assert!(setting("auto-complete-config=false").takes_as_written());
        assert!(setting("tensorflow,version=2").line().unwrap().contains("tensorflow,version=2"));
        assert_eq!(setting("trident,default-max-batch-size=1").line(), None);
        for wrong in ["a", "a,b", "a,=1", "=1", "a,b,c=1", "default-max-batch-size=x", "threads=2"]
        {
            assert!(BackendSetting::parse(wrong).is_err(), "{wrong}");
        }
    }
}
