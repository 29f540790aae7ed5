//! Metrics on the server's own page.

use super::api;
use super::error::{Error, Result, c_string, check};
use std::ptr::null_mut;
use std::sync::Arc;

/// Whether a metric only grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Kind {
    Counter = api::METRIC_COUNTER,
    Gauge = api::METRIC_GAUGE,
}

/// Metrics of one name, which differ in their labels.
pub(crate) struct Family(*mut api::MetricFamily);

// SAFETY: the server's families and metrics take calls of any thread at any time.
unsafe impl Send for Family {}
// SAFETY: a family is only passed to the server, which locks it: several threads may add metrics to it at a time.
unsafe impl Sync for Family {}

impl Family {
    pub(crate) fn new(kind: Kind, name: &str, help: &str) -> Result<Family> {
        let (name, help) = (c_string(name), c_string(help));
        let mut family = null_mut();
        // SAFETY: both texts are copied.
        unsafe {
            check(api::TRITONSERVER_MetricFamilyNew(
                &mut family,
                kind as u32,
                name.as_ptr(),
                help.as_ptr(),
            ))?;
        }
        Ok(Family(family))
    }
}

impl Drop for Family {
    fn drop(&mut self) {
        // SAFETY: its metrics are gone, as they share it.
        let _ = unsafe { check(api::TRITONSERVER_MetricFamilyDelete(self.0)) };
    }
}

/// A number with labels. It leaves the page when it is dropped.
pub(crate) struct Metric {
    metric: *mut api::Metric,
    /// The server refuses to delete a family that has metrics.
    _family: Arc<Family>,
}

// SAFETY: a metric may be used and deleted by another thread than the one that made it.
unsafe impl Send for Metric {}
// SAFETY: a metric is only passed to the server, which changes its value atomically: several threads may do so at a time.
unsafe impl Sync for Metric {}

impl Metric {
    pub(crate) fn new(family: &Arc<Family>, labels: &[(&str, &str)]) -> Result<Metric> {
        let parameters = Labels::new(labels)?;
        let mut metric = null_mut();
        // SAFETY: the labels are copied; the family lives as long as the metric.
        unsafe {
            let mut pointers: Vec<_> =
                parameters.0.iter().map(|label| label.cast_const()).collect();
            let count = pointers.len() as u64;
            check(api::TRITONSERVER_MetricNew(
                &mut metric,
                family.0,
                pointers.as_mut_ptr(),
                count,
            ))?;
        }
        Ok(Metric { metric, _family: Arc::clone(family) })
    }

    /// Sets a gauge.
    pub(crate) fn set(&self, value: f64) -> Result<()> {
        // SAFETY: it is a metric until it is dropped.
        unsafe { check(api::TRITONSERVER_MetricSet(self.metric, value)) }
    }

    /// Adds to a counter.
    pub(crate) fn add(&self, value: f64) -> Result<()> {
        // SAFETY: it is a metric until it is dropped.
        unsafe { check(api::TRITONSERVER_MetricIncrement(self.metric, value)) }
    }
}

impl Drop for Metric {
    fn drop(&mut self) {
        // SAFETY: nobody else has it.
        let _ = unsafe { check(api::TRITONSERVER_MetricDelete(self.metric)) };
    }
}

/// Names and values, deleted with this.
struct Labels(Vec<*mut api::Parameter>);

impl Labels {
    fn new(labels: &[(&str, &str)]) -> Result<Labels> {
        let mut made = Labels(vec![]);
        for (name, value) in labels {
            let (name, value) = (c_string(name), c_string(value));
            // SAFETY: name and value are copied; the value is a text, as the kind says.
            let label = unsafe {
                let value = value.as_ptr().cast();
                api::TRITONSERVER_ParameterNew(name.as_ptr(), api::PARAMETER_STRING, value)
            };
            match label.is_null() {
                true => return Err(Error::internal("the server cannot make a metric's label")),
                false => made.0.push(label),
            }
        }
        Ok(made)
    }
}

impl Drop for Labels {
    fn drop(&mut self) {
        for label in &self.0 {
            // SAFETY: nobody else has it.
            unsafe { api::TRITONSERVER_ParameterDelete(*label) };
        }
    }
}
