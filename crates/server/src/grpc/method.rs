//! Methods of the protocol.

use crate::access::Api;

/// A method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// One inference.
    Infer,
    /// Any number of inferences.
    StreamInfer,
    /// The server's health and its changes.
    Watch,
    /// The server's services and their messages.
    Reflect,
    /// A question or command about the server.
    Control(Control),
}

/// A question or command about the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Control {
    ServerLive,
    ServerReady,
    ModelReady,
    ServerMetadata,
    ModelMetadata,
    ModelConfig,
    ModelStatistics,
    RepositoryIndex,
    RepositoryModelLoad,
    RepositoryModelUnload,
    SystemSharedMemoryStatus,
    SystemSharedMemoryRegister,
    SystemSharedMemoryUnregister,
    CudaSharedMemoryStatus,
    CudaSharedMemoryRegister,
    CudaSharedMemoryUnregister,
    TraceSetting,
    LogSettings,
    HealthCheck,
}

impl Method {
    /// The method of a request's path.
    pub(super) fn of(path: &str) -> Option<Method> {
        let Some(name) = path.strip_prefix("/inference.GRPCInferenceService/") else {
            return match path {
                "/grpc.health.v1.Health/Check" => Some(Method::Control(Control::HealthCheck)),
                "/grpc.health.v1.Health/Watch" => Some(Method::Watch),
                "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"
                | "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo" => {
                    Some(Method::Reflect)
                }
                _ => None,
            };
        };
        Some(Method::Control(match name {
            "ModelInfer" => return Some(Method::Infer),
            "ModelStreamInfer" => return Some(Method::StreamInfer),
            "ServerLive" => Control::ServerLive,
            "ServerReady" => Control::ServerReady,
            "ModelReady" => Control::ModelReady,
            "ServerMetadata" => Control::ServerMetadata,
            "ModelMetadata" => Control::ModelMetadata,
            "ModelConfig" => Control::ModelConfig,
            "ModelStatistics" => Control::ModelStatistics,
            "RepositoryIndex" => Control::RepositoryIndex,
            "RepositoryModelLoad" => Control::RepositoryModelLoad,
            "RepositoryModelUnload" => Control::RepositoryModelUnload,
            "SystemSharedMemoryStatus" => Control::SystemSharedMemoryStatus,
            "SystemSharedMemoryRegister" => Control::SystemSharedMemoryRegister,
            "SystemSharedMemoryUnregister" => Control::SystemSharedMemoryUnregister,
            "CudaSharedMemoryStatus" => Control::CudaSharedMemoryStatus,
            "CudaSharedMemoryRegister" => Control::CudaSharedMemoryRegister,
            "CudaSharedMemoryUnregister" => Control::CudaSharedMemoryUnregister,
            "TraceSetting" => Control::TraceSetting,
            "LogSettings" => Control::LogSettings,
            _ => return None,
        }))
    }

    /// Whether the Triton Inference Server lacks the method.
    pub(super) fn is_extra(self) -> bool {
        matches!(self, Method::Watch | Method::Reflect)
    }

    /// The group of requests that the method belongs to.
    pub(super) fn api(self) -> Api {
        match self {
            Method::Infer | Method::StreamInfer => Api::Inference,
            Method::Watch => Api::Health,
            Method::Reflect => Api::Metadata,
            Method::Control(control) => control.api(),
        }
    }
}

impl Control {
    fn api(self) -> Api {
        match self {
            Control::ServerLive
            | Control::ServerReady
            | Control::ModelReady
            | Control::HealthCheck => Api::Health,
            Control::ServerMetadata | Control::ModelMetadata => Api::Metadata,
            Control::ModelConfig => Api::ModelConfig,
            Control::ModelStatistics => Api::Statistics,
            Control::RepositoryIndex
            | Control::RepositoryModelLoad
            | Control::RepositoryModelUnload => Api::ModelRepository,
            Control::SystemSharedMemoryStatus
            | Control::SystemSharedMemoryRegister
            | Control::SystemSharedMemoryUnregister
            | Control::CudaSharedMemoryStatus
            | Control::CudaSharedMemoryRegister
            | Control::CudaSharedMemoryUnregister => Api::SharedMemory,
            Control::TraceSetting => Api::Trace,
            Control::LogSettings => Api::Logging,
        }
    }
}
