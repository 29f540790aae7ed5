//! The server, its models and their counters, described.

use super::reply::{Refusal, Reply, json, object};
use crate::json::Writer;
use crate::model::{HostedModel, TensorMetadata};
use crate::server::{EXTENSIONS, Server, VERSION};
use crate::statistics::{BatchTallies, ModelStatistics, RequestTallies, ResponseTallies, Tally};

/// The server's name, version and extensions.
pub(super) fn server(server: &Server) -> Reply {
    json(object(|writer| {
        writer.name("name").string(server.options.id.as_bytes());
        writer.name("version").string(VERSION.as_bytes());
        writer.name("extensions").array(|writer| {
            EXTENSIONS.iter().for_each(|extension| writer.string(extension.as_bytes()));
        });
    }))
}

/// A model's name, versions and tensors.
pub(super) fn model(server: &Server, model: &HostedModel) -> Result<Reply, Refusal> {
    let metadata = server.repository.metadata(model);
    Ok(json(object(|writer| {
        writer.name("name").string(metadata.name.as_bytes());
        writer.name("versions").array(|writer| {
            let versions = metadata.versions.iter();
            versions.for_each(|version| writer.string(version.to_string().as_bytes()));
        });
        writer.name("platform").string(metadata.platform.as_bytes());
        tensors(writer.name("inputs"), &metadata.inputs);
        tensors(writer.name("outputs"), &metadata.outputs);
    })))
}

fn tensors(writer: &mut Writer, tensors: &[TensorMetadata]) {
    writer.array(|writer| {
        for tensor in tensors {
            writer.object(|writer| {
                writer.name("name").string(tensor.name.as_bytes());
                writer.name("datatype").string(tensor.data_type.protocol_name().as_bytes());
                writer.name("shape").array(|writer| {
                    tensor.shape.iter().for_each(|&dim| writer.integer(dim));
                });
            });
        }
    });
}

/// Counters of a model, or of all models.
pub(super) fn statistics(
    server: &Server,
    model: Option<&str>,
    version: Option<u64>,
) -> Result<Reply, Refusal> {
    let statistics = server.repository.statistics(model, version)?;
    Ok(json(object(|writer| {
        writer.name("model_stats").array(|writer| {
            statistics.iter().for_each(|model| writer.object(|writer| counters(writer, model)));
        });
    })))
}

fn counters(writer: &mut Writer, model: &ModelStatistics) {
    writer.name("name").string(model.name.as_bytes());
    writer.name("version").string(model.version.to_string().as_bytes());
    writer.name("last_inference").integer(model.last_inference);
    writer.name("inference_count").integer(model.inference_count);
    writer.name("execution_count").integer(model.execution_count);
    writer.name("inference_stats").object(|writer| requests(writer, &model.requests));
    writer.name("response_stats").object(|writer| {
        for (position, response) in &model.responses {
            writer.name(&position.to_string()).object(|writer| responses(writer, response));
        }
    });
    writer.name("batch_stats").array(|writer| {
        for (rows, batch) in &model.batches {
            writer.object(|writer| {
                writer.name("batch_size").integer(*rows);
                batches(writer, batch);
            });
        }
    });
    writer.name("memory_usage").array(|writer| {
        for memory in &model.memory {
            writer.object(|writer| {
                writer.name("type").string(memory.kind.as_bytes());
                writer.name("id").integer(memory.id);
                writer.name("byte_size").integer(memory.bytes);
            });
        }
    });
}

fn requests(writer: &mut Writer, tallies: &RequestTallies) {
    tally(writer, "success", tallies.success);
    tally(writer, "fail", tallies.fail);
    tally(writer, "queue", tallies.queue);
    tally(writer, "compute_input", tallies.compute_input);
    tally(writer, "compute_infer", tallies.compute_infer);
    tally(writer, "compute_output", tallies.compute_output);
    tally(writer, "cache_hit", tallies.cache_hit);
    tally(writer, "cache_miss", tallies.cache_miss);
}

fn responses(writer: &mut Writer, tallies: &ResponseTallies) {
    tally(writer, "compute_infer", tallies.compute_infer);
    tally(writer, "compute_output", tallies.compute_output);
    tally(writer, "success", tallies.success);
    tally(writer, "fail", tallies.fail);
    tally(writer, "empty_response", tallies.empty_response);
    tally(writer, "cancel", tallies.cancel);
}

fn batches(writer: &mut Writer, tallies: &BatchTallies) {
    tally(writer, "compute_input", tallies.compute_input);
    tally(writer, "compute_infer", tallies.compute_infer);
    tally(writer, "compute_output", tallies.compute_output);
}

fn tally(writer: &mut Writer, name: &str, tally: Tally) {
    writer.name(name).object(|writer| {
        writer.name("count").integer(tally.count);
        writer.name("ns").integer(tally.ns);
    });
}
