//! The objects of a trace in the form of the Triton Inference Server.

use super::points::Point;
use super::traced::TracedTensor;
use crate::json::Writer;

/// One request to a model, as traces show it.
pub(super) struct Record<'a> {
    pub(super) id: u64,
    /// The trace of the request that an ensemble made this one for.
    pub(super) parent: Option<u64>,
    pub(super) model: &'a str,
    pub(super) version: Option<u64>,
    /// The client's name for the request; empty if there is none.
    pub(super) request: &'a str,
    pub(super) points: &'a [Point],
    pub(super) tensors: &'a [TracedTensor],
}

impl Record<'_> {
    /// Writes the objects of the record.
    pub(super) fn write(&self, writer: &mut Writer, has_times: bool) {
        let id = self.id;
        writer.object(|writer| {
            writer.name("id").integer(id);
            writer.name("model_name").string(self.model.as_bytes());
            writer.name("model_version").integer(self.version.map_or(-1, u64::cast_signed));
            if !self.request.is_empty() {
                writer.name("request_id").string(self.request.as_bytes());
            }
            if let Some(parent) = self.parent {
                writer.name("parent_id").integer(parent);
            }
        });
        for (name, ns) in self.points.iter().filter(|_| has_times) {
            writer.object(|writer| {
                writer.name("id").integer(id);
                writer.name("timestamps").array(|writer| {
                    writer.object(|writer| {
                        writer.name("name").string(name.as_bytes());
                        writer.name("ns").integer(*ns);
                    });
                });
            });
        }
        for tensor in self.tensors {
            writer.object(|writer| {
                writer.name("id").integer(id);
                tensor.write(writer);
            });
        }
    }
}
