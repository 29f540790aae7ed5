//! Changes of settings of traces, as clients send them.

use trident_serving::{ErrorCode, Fault};

use super::TraceLevel;

/// The settings that were changed.
#[derive(Clone, Debug, Default)]
pub(super) struct Changed {
    pub(super) levels: Option<Vec<TraceLevel>>,
    pub(super) rate: Option<u32>,
    pub(super) count: Option<i32>,
    pub(super) frequency: Option<u32>,
}

/// The name of a setting with its new values; `None` for the default.
pub type TraceChange = (String, Option<Vec<String>>);

impl Changed {
    /// Whether all settings have their defaults.
    pub(super) fn is_empty(&self) -> bool {
        let Changed { levels, rate, count, frequency } = self;
        levels.is_none() && rate.is_none() && count.is_none() && frequency.is_none()
    }

    /// Changes a setting; `None` for its default. Unknown names are ignored.
    ///
    /// # Errors
    /// A value that cannot be set.
    pub(super) fn set(&mut self, name: &str, values: Option<&[String]>) -> Result<(), Fault> {
        let natural = |value| number(name, value, 0, u32::MAX.into()).map(|value| value as u32);
        match name {
            "trace_level" => self.levels = values.map(levels).transpose()?,
            "trace_rate" => self.rate = single(name, values)?.map(natural).transpose()?,
            "log_frequency" => self.frequency = single(name, values)?.map(natural).transpose()?,
            "trace_count" => self.count = single(name, values)?.map(count).transpose()?,
            "trace_file" => {
                let text = "trace file location can not be updated through network protocol";
                return Err(Fault { code: ErrorCode::Unsupported, text: text.to_owned() });
            }
            _ => {}
        }
        Ok(())
    }
}

/// The levels of these names. Unknown ones are ignored.
fn levels(names: &[String]) -> Result<Vec<TraceLevel>, Fault> {
    if names.len() > 1 && names.iter().any(|name| name == "OFF") {
        return Err(Fault::invalid("Expect only one trace level 'OFF' is specified"));
    }
    let level = |name: &String| match name.as_str() {
        "TIMESTAMPS" => Some(TraceLevel::Timestamps),
        "TENSORS" => Some(TraceLevel::Tensors),
        _ => None,
    };
    Ok(names.iter().filter_map(level).collect())
}

/// The value of a setting that has one.
fn single<'a>(name: &str, values: Option<&'a [String]>) -> Result<Option<&'a str>, Fault> {
    match values {
        None => Ok(None),
        Some([value]) => Ok(Some(value)),
        Some(_) => Err(Fault::invalid(format_args!("expect only 1 value for '{name}'"))),
    }
}

fn count(value: &str) -> Result<i32, Fault> {
    let count = number("trace_count", value, i32::MIN.into(), i32::MAX.into())?;
    match i32::try_from(count) {
        Ok(count @ -1..) => Ok(count),
        _ => Err(Fault::invalid(format_args!(
            "Unable to parse 'trace_count'. Expecting value >= -1, got:{value}"
        ))),
    }
}

fn number(name: &str, value: &str, least: i64, most: i64) -> Result<i64, Fault> {
    use std::num::IntErrorKind::{NegOverflow, PosOverflow};
    let range = || {
        // The server's texts give -1 as the least count, although it has an error of its own.
        let least = least.max(-1);
        Fault::invalid(format_args!(
            "Unable to parse '{name}', value is out of range [ {least}, {most} ], got: {value}"
        ))
    };
    match value.parse::<i64>() {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        Ok(_) => Err(range()),
        Err(error) if matches!(error.kind(), NegOverflow | PosOverflow) => Err(range()),
        Err(_) => Err(Fault::invalid(format_args!("Unable to parse '{name}', got: {value}"))),
    }
}
