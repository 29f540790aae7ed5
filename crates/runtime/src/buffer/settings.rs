//! How much unused memory is kept, and how long.

use std::sync::{PoisonError, RwLock};
use std::time::Duration;

/// Variables of the environment, see [`PoolSettings::from_environment`].
const SIZE: &str = "MPS_MAX_POOL_SIZE";
const AGE: &str = "MPS_MAX_BUFFER_AGE";

/// How much unused memory a device keeps for further buffers. It changes no results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolSettings {
    /// Most bytes that are kept unused.
    pub max_unused: usize,
    /// The longest that memory is kept unused, in whole milliseconds; 24 days at most.
    pub max_age: Duration,
}

/// The settings of devices that are made from now on.
static DEFAULT: RwLock<PoolSettings> = RwLock::new(PoolSettings::STANDARD);

/// A variable with a value that is not a size or time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{variable}={value} is not {wanted}")]
pub struct PoolSettingsError {
    /// The environment variable.
    pub variable: &'static str,
    /// Its value.
    pub value: String,
    /// The form that a value must have.
    pub wanted: &'static str,
}

impl PoolSettings {
    const STANDARD: PoolSettings =
        PoolSettings { max_unused: 1 << 30, max_age: Duration::from_secs(60) };

    /// Settings from `MPS_MAX_POOL_SIZE`, in bytes (1 GiB by default), and `MPS_MAX_BUFFER_AGE`, in milliseconds (60000 by default).
    /// The suffixes K, M and G stand for 1024, its square and its cube.
    pub fn from_environment() -> Result<PoolSettings, PoolSettingsError> {
        PoolSettings::read(|variable| {
            Some(std::env::var_os(variable)?.to_string_lossy().into_owned())
        })
    }

    fn read(value: impl Fn(&str) -> Option<String>) -> Result<PoolSettings, PoolSettingsError> {
        let number = |variable, wanted| match value(variable) {
            Some(value) if !value.trim().is_empty() => {
                let number = number(&value);
                number.map(Some).ok_or(PoolSettingsError { variable, value, wanted })
            }
            _ => Ok(None),
        };
        let size = "a size: give bytes, or a whole number with K, M or G, such as 512M, of less than 2^64 bytes";
        let age = "a time: give whole milliseconds, such as 60000";
        let mut settings = PoolSettings::STANDARD;
        if let Some(bytes) = number(SIZE, size)? {
            settings.max_unused = usize::try_from(bytes).unwrap_or(usize::MAX);
        }
        if let Some(milliseconds) = number(AGE, age)? {
            settings.max_age = Duration::from_millis(milliseconds);
        }
        Ok(settings)
    }

    /// Makes these the settings of devices that have not been used yet.
    pub fn install(self) {
        *DEFAULT.write().unwrap_or_else(PoisonError::into_inner) = self;
    }

    /// The settings that were installed last.
    pub fn installed() -> PoolSettings {
        *DEFAULT.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for PoolSettings {
    fn default() -> PoolSettings {
        PoolSettings::STANDARD
    }
}

/// A number of bytes with an optional suffix K, M or G, also written KiB, MiB or GiB; `None` if the text is none.
pub fn buffer_size(text: &str) -> Option<u64> {
    number(text)
}

/// A whole number with an optional suffix.
fn number(text: &str) -> Option<u64> {
    let text = text.trim();
    let text = text
        .strip_suffix("iB")
        .filter(|text| !text.ends_with(|c: char| c.is_ascii_digit()))
        .unwrap_or(text);
    let power = match text.chars().last()? {
        'k' | 'K' => 10,
        'm' | 'M' => 20,
        'g' | 'G' => 30,
        _ => 0,
    };
    let digits = if power == 0 { text } else { text[..text.len() - 1].trim_end() };
    // `parse` takes a sign as well.
    let digits = Some(digits).filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()))?;
    digits.parse::<u64>().ok()?.checked_mul(1 << power)
}

#[cfg(all(test, not(feature = "models")))]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_suffixes() {
        for (text, value) in [
            ("0", 0),
            ("17", 17),
            ("3K", 3 << 10),
            ("3 m", 3 << 20),
            (" 2G ", 2 << 30),
            ("4 MiB", 4 << 20),
        ] {
            assert_eq!(number(text), Some(value), "{text}");
        }
        for text in [
            "",
            "K",
            "-1",
            "+1",
            "1.5G",
            "1T",
            "1KB",
            "1KK",
            "1iB",
            "KiB",
            "٣",
            "17179869184G",
            "one",
            "1é",
        ] {
            assert_eq!(number(text), None, "{text}");
        }
    }

    #[test]
    fn errors_name_the_variable() {
        let read = |name: &'static str, value: &'static str| {
            PoolSettings::read(move |variable| (variable == name).then(|| value.to_owned()))
        };
        assert_eq!(read("NONE", "x"), Ok(PoolSettings::default()));
        assert_eq!(read("MPS_MAX_POOL_SIZE", " "), Ok(PoolSettings::default()));
        assert_eq!(read("MPS_MAX_POOL_SIZE", "2M").map(|s| s.max_unused), Ok(2 << 20));
        let age = read("MPS_MAX_BUFFER_AGE", "250").map(|s| s.max_age);
        assert_eq!(age, Ok(Duration::from_millis(250)));
        let error = |name, value| read(name, value).err().map(|e| e.to_string());
        let wrong = error("MPS_MAX_POOL_SIZE", "lots");
        assert!(wrong.is_some_and(|e| e.starts_with("MPS_MAX_POOL_SIZE=lots is not a size")));
        let wrong = error("MPS_MAX_BUFFER_AGE", "1s");
        assert!(wrong.is_some_and(|e| e.starts_with("MPS_MAX_BUFFER_AGE=1s is not a time")));
    }
}
