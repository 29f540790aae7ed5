//! Shared memory.

use prost::Message;

use super::MapEntry;

/// The request of `SystemSharedMemoryStatus` and `CudaSharedMemoryStatus`, and of the calls that unregister.
#[derive(Clone, PartialEq, Message)]
pub struct RegionRequest {
    #[prost(string, tag = "1")]
    pub name: String,
}

#[derive(Clone, PartialEq, Message)]
pub struct SystemSharedMemoryStatusResponse {
    #[prost(message, repeated, tag = "1")]
    pub regions: Vec<RegionEntry>,
}

pub type RegionEntry = MapEntry<RegionStatus>;

/// A region of `SystemSharedMemoryStatus`, and the request of `SystemSharedMemoryRegister`.
#[derive(Clone, PartialEq, Message)]
pub struct RegionStatus {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, tag = "2")]
    pub key: String,
    #[prost(uint64, tag = "3")]
    pub offset: u64,
    #[prost(uint64, tag = "4")]
    pub byte_size: u64,
}
