//! Shared memory.

use bytes::Bytes;

use crate::grpc::call::decode;
use crate::grpc::message::{
    Empty, RegionEntry, RegionRequest, RegionStatus, SystemSharedMemoryStatusResponse,
};
use crate::grpc::status::Status;
use crate::memory::{RegionInfo, Regions, no_cuda, unknown};
use crate::server::Server;

/// Registered regions: the one that is named, or all.
pub(super) fn status(
    regions: &Regions,
    message: Bytes,
) -> Result<SystemSharedMemoryStatusResponse, Status> {
    let name = decode::<RegionRequest>(message)?.name;
    let found = regions.named(&name)?;
    let entry = |region| {
        let RegionInfo { name, key, offset, size: byte_size } = region;
        let value = Some(RegionStatus { name: name.clone(), key, offset, byte_size });
        RegionEntry { key: name, value }
    };
    Ok(SystemSharedMemoryStatusResponse { regions: found.into_iter().map(entry).collect() })
}

/// Registers a region.
pub(super) fn register(server: &Server, message: Bytes) -> Result<Empty, Status> {
    server.allows_client_memory()?;
    let RegionStatus { name, key, offset, byte_size: size } = decode(message)?;
    server.regions.register(RegionInfo { name, key, offset, size })?;
    Ok(Empty {})
}

/// Forgets the region that is named, or all.
pub(super) fn unregister(server: &Server, message: Bytes) -> Result<Empty, Status> {
    server.allows_client_memory()?;
    match decode::<RegionRequest>(message)?.name.as_str() {
        "" => server.regions.unregister_all(),
        name => server.regions.unregister(name),
    }
    Ok(Empty {})
}

/// The regions on GPUs of NVIDIA: there are none.
pub(super) fn cuda_status(message: Bytes) -> Result<Empty, Status> {
    match decode::<RegionRequest>(message)?.name.as_str() {
        "" => Ok(Empty {}),
        name => Err(unknown("cuda", name).into()),
    }
}

/// Refuses a region on a GPU of NVIDIA.
pub(super) fn cuda_register(server: &Server, message: Bytes) -> Result<Empty, Status> {
    server.allows_client_memory()?;
    let name = decode::<RegionRequest>(message)?.name;
    Err(no_cuda(&name).into())
}

/// Forgets no region: none is registered, and an unknown one is not an error.
pub(super) fn cuda_unregister(server: &Server) -> Result<Empty, Status> {
    server.allows_client_memory()?;
    Ok(Empty {})
}
