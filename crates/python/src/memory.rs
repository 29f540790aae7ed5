//! The memory of the process that kernels and their temporaries share.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use trident_runtime::Pool;

/// Counters of the pool by name, as `MemoryPool` in `trident/triton_backend/memory.py` explains them.
#[pyfunction]
pub(crate) fn memory_statistics(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let stats = Pool::host().device_stats();
    let facts = PyDict::new(py);
    facts.set_item("allocated", stats.buffers.live)?;
    facts.set_item("max_pool_allocated", stats.buffers.peak)?;
    facts.set_item("reserved", stats.reserved)?;
    facts.set_item("max_reserved", stats.peak_reserved)?;
    facts.set_item("cached", stats.cached)?;
    facts.set_item("hits", stats.buffers.hits)?;
    facts.set_item("misses", stats.buffers.misses)?;
    facts.set_item("given_back_by_age", stats.given_back.age)?;
    facts.set_item("given_back_by_size", stats.given_back.size)?;
    facts.set_item("given_back_by_unload", stats.given_back.unload)?;
    facts.set_item("given_back_on_request", stats.given_back.asked)?;
    facts.set_item("fragmentation", stats.fragmentation)?;
    Ok(facts)
}

/// Gives unused memory back to the system; the number of bytes.
#[pyfunction]
pub(crate) fn empty_cache() -> usize {
    Pool::host().empty_cache()
}

/// Sets the peaks of the pool to what is allocated and reserved.
#[pyfunction]
pub(crate) fn reset_memory_peaks() {
    Pool::host().reset_device_peaks();
}
