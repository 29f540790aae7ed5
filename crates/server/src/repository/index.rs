//! The state of each model and version of a repository.

/// A line of the repository's index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexEntry {
    /// The model's name.
    pub name: String,
    /// The version; `None` for a model that was never loaded.
    pub version: Option<u64>,
    /// Its state; `None` for a model that was never loaded.
    pub state: Option<ModelState>,
    /// Why it is in this state; empty for no reason.
    pub reason: String,
}

/// The state of a version of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelState {
    /// It answers requests.
    Ready,
    /// It failed to load, or was unloaded.
    Unavailable,
    /// It is being loaded.
    Loading,
    /// It answers its last requests.
    Unloading,
}

impl ModelState {
    /// The state's name in the protocol.
    pub fn name(self) -> &'static str {
        match self {
            ModelState::Ready => "READY",
            ModelState::Unavailable => "UNAVAILABLE",
            ModelState::Loading => "LOADING",
            ModelState::Unloading => "UNLOADING",
        }
    }
}
