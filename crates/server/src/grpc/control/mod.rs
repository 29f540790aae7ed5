//! Questions and commands about the server.

mod memory;
mod repository;
mod settings;
mod statistics;

use std::sync::Arc;

use bytes::Bytes;

use super::call::{Call, decode};
use super::message::{
    HealthCheckResponse, Is, ModelConfigResponse, ModelMetadataResponse, ModelRequest,
    ModelStatisticsResponse, ServerMetadataResponse, TensorMetadata,
};
use super::method::Control;
use super::outgoing::Outgoing;
use super::service::{Grpc, version_number};
use super::status::Status;
use crate::model::{self, HostedModel};
use crate::repository::NoModel;
use crate::server::{EXTENSIONS, Server, VERSION};

/// `SERVING` and `NOT_SERVING` of `grpc.health.v1`.
const HEALTH: [i32; 2] = [1, 2];

impl Grpc {
    /// Answers a question or command.
    pub(super) async fn control(
        &self,
        method: Control,
        message: Bytes,
        call: &Call,
    ) -> Result<Outgoing, Status> {
        let (server, packing) = (&*self.server, call.packing);
        match method {
            Control::ServerLive => Outgoing::message(&Is { is: true }, packing),
            Control::ServerReady => Outgoing::message(&Is { is: server.is_ready() }, packing),
            Control::HealthCheck => Outgoing::message(&health(server.is_ready()), packing),
            Control::ModelReady => Outgoing::message(&Is { is: self.is_ready(message)? }, packing),
            Control::ServerMetadata => Outgoing::message(&server_metadata(server), packing),
            Control::ModelMetadata => {
                let metadata = server.repository.metadata(&*self.asked(message)?);
                Outgoing::message(&model_metadata(metadata), packing)
            }
            Control::ModelConfig => {
                let config = self.asked(message)?.config().to_protobuf().into();
                Outgoing::message(&ModelConfigResponse { config }, packing)
            }
            Control::ModelStatistics => Outgoing::message(&statistics(server, message)?, packing),
            Control::RepositoryIndex => {
                Outgoing::message(&repository::index(server, message)?, packing)
            }
            Control::RepositoryModelLoad => {
                let server = Arc::clone(&self.server);
                Outgoing::message(&repository::load(server, message).await?, packing)
            }
            Control::RepositoryModelUnload => {
                let server = Arc::clone(&self.server);
                Outgoing::message(&repository::unload(server, message).await?, packing)
            }
            Control::SystemSharedMemoryStatus => {
                Outgoing::message(&memory::status(&server.regions, message)?, packing)
            }
            Control::SystemSharedMemoryRegister => {
                Outgoing::message(&memory::register(server, message)?, packing)
            }
            Control::SystemSharedMemoryUnregister => {
                Outgoing::message(&memory::unregister(server, message)?, packing)
            }
            Control::CudaSharedMemoryStatus => {
                Outgoing::message(&memory::cuda_status(message)?, packing)
            }
            Control::CudaSharedMemoryRegister => {
                Outgoing::message(&memory::cuda_register(server, message)?, packing)
            }
            Control::CudaSharedMemoryUnregister => {
                Outgoing::message(&memory::cuda_unregister(server)?, packing)
            }
            Control::TraceSetting => Outgoing::message(&settings::trace(server, message)?, packing),
            Control::LogSettings => {
                Outgoing::message(&settings::log(&server.log, message)?, packing)
            }
        }
    }

    /// Whether the model that is named answers. Unloaded models do not, and others are unknown.
    fn is_ready(&self, message: Bytes) -> Result<bool, Status> {
        let ModelRequest { name, version } = decode(message)?;
        match self.server.repository.model(&name, version_number(&version)?) {
            Ok(model) => Ok(!model.is_lost()),
            Err(NoModel::Unavailable(_) | NoModel::NotReady { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// The model that a request names.
    fn asked(&self, message: Bytes) -> Result<Arc<HostedModel>, Status> {
        let ModelRequest { name, version } = decode(message)?;
        self.model(&name, &version)
    }
}

/// The answer to a question about the server's health.
pub(super) fn health(is_ready: bool) -> HealthCheckResponse {
    HealthCheckResponse { status: HEALTH[usize::from(!is_ready)] }
}

/// The counters of the model that is named, or of all.
fn statistics(server: &Server, message: Bytes) -> Result<ModelStatisticsResponse, Status> {
    let ModelRequest { name, version } = decode(message)?;
    let name = (!name.is_empty()).then_some(name.as_str());
    let found = server.repository.statistics(name, version_number(&version)?)?;
    Ok(ModelStatisticsResponse { model_stats: found.into_iter().map(statistics::model).collect() })
}

fn server_metadata(server: &Server) -> ServerMetadataResponse {
    ServerMetadataResponse {
        name: server.options.id.clone(),
        version: VERSION.to_owned(),
        extensions: EXTENSIONS.map(str::to_owned).into(),
    }
}

fn model_metadata(metadata: model::ModelMetadata) -> ModelMetadataResponse {
    let tensors = |tensors: Vec<model::TensorMetadata>| {
        let tensor = |tensor: model::TensorMetadata| TensorMetadata {
            name: tensor.name,
            datatype: tensor.data_type.protocol_name().to_owned(),
            shape: tensor.shape,
        };
        tensors.into_iter().map(tensor).collect()
    };
    ModelMetadataResponse {
        name: metadata.name,
        versions: metadata.versions.iter().map(u64::to_string).collect(),
        platform: metadata.platform,
        inputs: tensors(metadata.inputs),
        outputs: tensors(metadata.outputs),
    }
}
