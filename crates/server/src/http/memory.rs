//! Regions of shared memory.

use bytes::Bytes;
use trident_serving::Fault;

use super::control::parse;
use super::infer::text_of;
use super::reply::{Media, Refusal, Reply, empty, json};
use super::route::MemoryAction;
use crate::json::{JsonValue, Writer};
use crate::memory::{RegionInfo, no_cuda, unknown};
use crate::server::Server;

/// Shows, registers or unregisters regions. An empty name stands for all regions.
pub(super) fn memory(
    server: &Server,
    cuda: bool,
    (region, action): (&str, MemoryAction),
    body: &Bytes,
) -> Result<Reply, Refusal> {
    if action != MemoryAction::Status {
        server.allows_client_memory()?;
    }
    match (cuda, action) {
        (true, MemoryAction::Register) => {
            parse(body)?;
            return Err(no_cuda(region).into());
        }
        (true, MemoryAction::Unregister) => {}
        (true, MemoryAction::Status) if !region.is_empty() => {
            return Err(unknown("cuda", region).into());
        }
        (true, MemoryAction::Status) => return Ok(json("[]")),
        (false, MemoryAction::Status) => return Ok(status(server, region)?),
        (false, MemoryAction::Register) => {
            let info = info(region, body)?;
            server.regions.register(info)?;
        }
        (false, MemoryAction::Unregister) if region.is_empty() => server.regions.unregister_all(),
        (false, MemoryAction::Unregister) => server.regions.unregister(region),
    }
    Ok(empty(Media::Json))
}

fn status(server: &Server, region: &str) -> Result<Reply, Fault> {
    let regions = server.regions.named(region)?;
    let mut writer = Writer::new(vec![]);
    writer.array(|writer| {
        for region in &regions {
            writer.object(|writer| {
                writer.name("name").string(region.name.as_bytes());
                writer.name("key").string(region.key.as_bytes());
                writer.name("offset").integer(region.offset);
                writer.name("byte_size").integer(region.size);
            });
        }
    });
    Ok(json(writer.finish()))
}

/// The region that a client describes.
fn info(region: &str, body: &Bytes) -> Result<RegionInfo, Fault> {
    if region.is_empty() {
        return Err(Fault::invalid(
            "'region name' is necessary to register system shared memory region",
        ));
    }
    let document = parse(body)?;
    let root = document.root();
    let missing = |field| {
        Fault::invalid(format_args!("Shared memory register request has no '{field}' field"))
    };
    let number = |value: JsonValue<'_>| value.unsigned().map_err(Fault::internal);
    let key = root.get("key").ok_or_else(|| missing("key"))?;
    let key = text_of(key).map_err(Fault::internal)?;
    let offset = root.get("offset").map(number).transpose()?.unwrap_or(0);
    let size = number(root.get("byte_size").ok_or_else(|| missing("byte_size"))?)?;
    Ok(RegionInfo { name: region.to_owned(), key, offset, size })
}
