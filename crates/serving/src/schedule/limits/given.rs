//! The numbers of resources that a server is started with.

use std::collections::BTreeMap;

/// How many of each resource there are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RateLimits {
    /// By names in lower case and devices; `None` for each device.
    counts: BTreeMap<(String, Option<i32>), u64>,
}

/// A text that does not give the number of a resource.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected `<NAME>:<COUNT>` or `<NAME>:<COUNT>:<DEVICE>`, with whole numbers, got `{text}`")]
pub struct ResourceFault {
    /// The text.
    text: String,
}

impl RateLimits {
    /// Adds a resource: `NAME:COUNT` for each device, or `NAME:COUNT:DEVICE`. Of two counts, the smaller one holds, as in the server.
    ///
    /// # Errors
    /// Another form.
    pub fn add(&mut self, text: &str) -> Result<(), ResourceFault> {
        let (key, count) = read(text).ok_or_else(|| ResourceFault { text: text.to_owned() })?;
        let own = self.counts.entry(key).or_insert(count);
        *own = count.min(*own);
        Ok(())
    }

    /// How many there are of a resource of a device, or of all devices together; `None` if none is given, so that the models decide. If
    /// any resource is given, there is nothing of the others.
    pub(super) fn count(&self, name: &str, device: Option<i32>) -> Option<u64> {
        if self.counts.is_empty() {
            return None;
        }
        let is_meant = |given: &Option<i32>| match device {
            // A resource of all devices has the largest number given for any.
            None => true,
            Some(device) => given.is_none_or(|given| given == device),
        };
        let own = self.counts.iter().filter(|((own, given), _)| own == name && is_meant(given));
        Some(own.map(|(_, count)| *count).max().unwrap_or(0))
    }
}

fn read(text: &str) -> Option<((String, Option<i32>), u64)> {
    let mut parts = text.split(':');
    let (name, count) = (parts.next()?, parts.next()?.parse().ok()?);
    let device: Option<i32> = parts.next().map(str::parse).transpose().ok()?;
    let is_whole = parts.next().is_none() && !name.is_empty() && device.is_none_or(|at| at >= 0);
    is_whole.then(|| ((name.to_lowercase(), device), count))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(texts: &[&str]) -> RateLimits {
        let mut limits = RateLimits::default();
        texts.iter().for_each(|text| limits.add(text).unwrap());
        limits
    }

    #[test]
    fn counts_are_of_devices_or_of_each() {
        let limits = limits(&["R1:4", "r1:6:2", "r2:3:1", "r2:2:1", "r3:5", "R3:7"]);
        assert_eq!([0, 2].map(|at| limits.count("r1", Some(at))), [Some(4), Some(6)]);
        assert_eq!([0, 1].map(|at| limits.count("r2", Some(at))), [Some(0), Some(2)]);
        assert_eq!(limits.count("r3", Some(9)), Some(5));
        assert_eq!(["r1", "r2", "r4"].map(|name| limits.count(name, None)), [6, 2, 0].map(Some));
        assert_eq!(RateLimits::default().count("r1", None), None);
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "r", ":1", "r:", "r:x", "r:-1", "r:1:", "r:1:-1", "r:1:0:2", "r:1.5"] {
            let error = RateLimits::default().add(text).unwrap_err().to_string();
            assert!(error.contains(&format!("got `{text}`")), "{error}");
        }
    }
}
