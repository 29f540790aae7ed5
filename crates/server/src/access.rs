//! Groups of requests that only clients with a key may send.

use subtle::ConstantTimeEq;

/// A group of requests, as operators name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Api {
    /// Whether the server and its models are ready.
    Health,
    /// Names, versions and tensors.
    Metadata,
    /// Inference, `generate` included.
    Inference,
    /// Registration of shared memory.
    SharedMemory,
    /// Configurations of models.
    ModelConfig,
    /// The index, and loading of models.
    ModelRepository,
    /// Counters of models.
    Statistics,
    /// Settings of traces.
    Trace,
    /// Settings of the log.
    Logging,
}

const APIS: [(&str, Api); 9] = [
    ("health", Api::Health),
    ("metadata", Api::Metadata),
    ("inference", Api::Inference),
    ("shared-memory", Api::SharedMemory),
    ("model-config", Api::ModelConfig),
    ("model-repository", Api::ModelRepository),
    ("statistics", Api::Statistics),
    ("trace", Api::Trace),
    ("logging", Api::Logging),
];

/// The groups that need a key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Restrictions(Vec<Restriction>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Restriction {
    api: Api,
    /// The header's name, in lower case.
    key: String,
    value: String,
}

/// Why a restriction cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RestrictionError {
    /// Another form.
    #[error("`{0}` is not `<API>[,<API>…]:<header>=<value>`")]
    Form(String),
    /// An unknown group.
    #[error(
        "`{0}` is not an API; the APIs are health, metadata, inference, shared-memory, model-config, model-repository, \
         statistics, trace and logging"
    )]
    Api(String),
    /// A group that already has a key.
    #[error("the API `{0}` is restricted twice")]
    Twice(String),
}

impl Restrictions {
    /// Adds the restriction `<API>[,<API>…]:<header>=<value>`.
    ///
    /// # Errors
    /// Another form, or a group that is unknown or restricted already.
    pub fn add(&mut self, text: &str) -> Result<(), RestrictionError> {
        let form = || RestrictionError::Form(text.to_owned());
        let (apis, pair) = text.split_once(':').ok_or_else(form)?;
        let (key, value) = pair.split_once('=').ok_or_else(form)?;
        if key.is_empty() {
            return Err(form());
        }
        for name in apis.split(',') {
            let found = APIS.iter().find(|(known, _)| *known == name);
            let &(_, api) = found.ok_or_else(|| RestrictionError::Api(name.to_owned()))?;
            if self.0.iter().any(|restriction| restriction.api == api) {
                return Err(RestrictionError::Twice(name.to_owned()));
            }
            let (key, value) = (key.to_ascii_lowercase(), value.to_owned());
            self.0.push(Restriction { api, key, value });
        }
        Ok(())
    }

    /// The header that a request lacks. `header` gives a header's value by its name in lower case, `None` if the request has no
    /// such header.
    pub fn denied<'a, 'h>(
        &'a self,
        api: Api,
        header: impl FnOnce(&str) -> Option<&'h [u8]>,
    ) -> Option<&'a str> {
        let restriction = self.0.iter().find(|restriction| restriction.api == api)?;
        let given = header(&restriction.key);
        let has_key = given.is_some_and(|given| restriction.value.as_bytes().ct_eq(given).into());
        (!has_key).then_some(&restriction.key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn restrictions_are_read_and_hold() {
        let mut restrictions = Restrictions::default();
        restrictions.add("inference,model-config:Admin-Key=let=me").unwrap();
        let denied = |api, given: Option<&'static str>| {
            restrictions.denied(api, |key| {
                assert_eq!(key, "admin-key");
                given.map(str::as_bytes)
            })
        };
        assert_eq!(denied(Api::Inference, None), Some("admin-key"));
        assert_eq!(denied(Api::ModelConfig, Some("let")), Some("admin-key"));
        assert_eq!(denied(Api::ModelConfig, Some("let=me")), None);
        assert_eq!(denied(Api::Health, None), None);

        let refused = |text: &str| Restrictions::add(&mut restrictions.clone(), text).unwrap_err();
        for text in ["inference", "inference:key", "inference:=value"] {
            assert_eq!(refused(text), RestrictionError::Form(text.to_owned()));
        }
        assert_eq!(refused("x:a=b"), RestrictionError::Api("x".to_owned()));
        assert_eq!(refused("health,health:a=b"), RestrictionError::Twice("health".to_owned()));
        assert_eq!(refused("inference:a=b"), RestrictionError::Twice("inference".to_owned()));
    }
}
