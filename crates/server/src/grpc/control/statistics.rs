//! Counters of models as messages.

use crate::grpc::message::{
    InferBatchStatistics, InferResponseStatistics, InferStatistics, MemoryUsage, ModelStatistics,
    ResponseEntry, StatisticDuration,
};
use crate::statistics::{self, Tally};

/// The counters of a version.
pub(super) fn model(counters: statistics::ModelStatistics) -> ModelStatistics {
    let requests = counters.requests;
    let batches = counters.batches.into_iter().map(|(batch_size, batch)| InferBatchStatistics {
        batch_size,
        compute_input: duration(batch.compute_input),
        compute_infer: duration(batch.compute_infer),
        compute_output: duration(batch.compute_output),
    });
    let memory = counters.memory.into_iter().map(|used| MemoryUsage {
        r#type: used.kind,
        id: used.id,
        byte_size: used.bytes,
    });
    let responses = counters.responses.into_iter().map(|(index, response)| {
        let value = InferResponseStatistics {
            compute_infer: duration(response.compute_infer),
            compute_output: duration(response.compute_output),
            success: duration(response.success),
            fail: duration(response.fail),
            empty_response: duration(response.empty_response),
            cancel: duration(response.cancel),
        };
        ResponseEntry { key: index.to_string(), value: Some(value) }
    });
    ModelStatistics {
        name: counters.name,
        version: counters.version.to_string(),
        last_inference: counters.last_inference,
        inference_count: counters.inference_count,
        execution_count: counters.execution_count,
        inference_stats: Some(InferStatistics {
            success: duration(requests.success),
            fail: duration(requests.fail),
            queue: duration(requests.queue),
            compute_input: duration(requests.compute_input),
            compute_infer: duration(requests.compute_infer),
            compute_output: duration(requests.compute_output),
            cache_hit: duration(requests.cache_hit),
            cache_miss: duration(requests.cache_miss),
        }),
        batch_stats: batches.collect(),
        memory_usage: memory.collect(),
        response_stats: responses.collect(),
    }
}

fn duration(tally: Tally) -> Option<StatisticDuration> {
    Some(StatisticDuration { count: tally.count, ns: tally.ns })
}
