//! `--metrics-config`: the families of times on the page of metrics.

use super::options::switch;
use trident_server::statistics::{QUANTILES, TimeFamilies};

/// A value of `--metrics-config`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TimeSetting {
    /// `counter_latencies`
    Counters(bool),
    /// `summary_latencies`
    Summaries(bool),
    /// `summary_quantiles`
    Quantiles(Vec<f64>),
    /// `histogram_latencies`
    Histograms(bool),
}

impl TimeSetting {
    /// The setting of a text `<setting>=<value>`.
    ///
    /// # Errors
    /// Another form, setting or value.
    pub(crate) fn parse(text: &str) -> Result<TimeSetting, String> {
        let (key, value) = text.split_once('=').ok_or("give `<setting>=<value>`")?;
        match key {
            "counter_latencies" => Ok(TimeSetting::Counters(switch(value)?)),
            "summary_latencies" => Ok(TimeSetting::Summaries(switch(value)?)),
            "summary_quantiles" => Ok(TimeSetting::Quantiles(quantiles(value)?)),
            "histogram_latencies" => Ok(TimeSetting::Histograms(switch(value)?)),
            _ => Err(format!(
                "`{key}` is not a setting; the settings are counter_latencies, summary_latencies, summary_quantiles and \
                 histogram_latencies"
            )),
        }
    }
}

/// The quantiles of `<quantile>:<error>[,<quantile>:<error>…]`. Ours are exact but for one per cent of the time, so the errors that are
/// allowed have no effect.
fn quantiles(text: &str) -> Result<Vec<f64>, String> {
    let one = |pair: &str| {
        let numbers = pair.split_once(':').and_then(|(quantile, error)| {
            Some((quantile.trim().parse().ok()?, error.trim().parse().ok()?))
        });
        let is_part = |number: &f64| (0.0..=1.0).contains(number);
        match numbers.filter(|(quantile, error)| is_part(quantile) && is_part(error)) {
            Some((quantile, _)) => Ok(quantile),
            None => Err(format!("`{pair}` is not `<quantile>:<error>`, both from 0 to 1")),
        }
    };
    text.trim_matches('"').split(',').map(one).collect()
}

/// The families that these settings ask for; later settings take precedence.
pub(super) fn families(settings: &[TimeSetting]) -> TimeFamilies {
    let mut families = TimeFamilies::default();
    let (mut has_summaries, mut quantiles) = (false, QUANTILES.to_vec());
    for setting in settings {
        match setting {
            TimeSetting::Counters(are_shown) => families.counters = *are_shown,
            TimeSetting::Summaries(are_shown) => has_summaries = *are_shown,
            TimeSetting::Quantiles(given) => quantiles.clone_from(given),
            TimeSetting::Histograms(are_shown) => families.histograms = *are_shown,
        }
    }
    families.summaries = has_summaries.then(|| quantiles.into());
    families
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // what fails there fails the test
    use super::*;

    fn of(texts: &[&str]) -> TimeFamilies {
        let settings = texts.iter().map(|text| TimeSetting::parse(text).unwrap());
        families(&settings.collect::<Vec<_>>())
    }

    #[test]
    fn settings_add_up() {
        assert_eq!(of(&[]), TimeFamilies::default());
        let asked = of(&[
            "summary_latencies=false",
            "summary_quantiles=0.5:0.05,0.9:0.01",
            "summary_latencies=true",
            "histogram_latencies=1",
            "counter_latencies=off",
        ]);
        assert_eq!(asked.summaries.as_deref(), Some(&[0.5, 0.9][..]));
        assert!(asked.histograms && !asked.counters);
        assert_eq!(of(&["summary_quantiles=0.5:0.05"]).summaries, None);
        assert_eq!(of(&["summary_latencies=on"]).summaries.as_deref(), Some(&QUANTILES[..]));
    }

    #[test]
    fn other_settings_are_refused() {
        for text in ["x", "latencies=1", "summary_latencies=maybe", "summary_quantiles="] {
            assert!(TimeSetting::parse(text).is_err(), "{text}");
        }
        for pair in ["0.5", "1.5:0.1", "-0.1:0.1", "NaN:0.1", "0.5:2", "a:b"] {
            let error =
                TimeSetting::parse(&format!("summary_quantiles=0.5:0.1,{pair}")).unwrap_err();
            assert!(error.contains(&format!("`{pair}`")), "{error}");
        }
    }
}
