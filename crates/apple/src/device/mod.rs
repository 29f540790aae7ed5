//! A Metal device: tile functions are lowered to level lane, printed as Metal programs and launched through the seam
//! [`crate::metal`]. [`GpuCompiler`] does so with kernels; [`GpuDevice`] runs models, whose ops `trident_graph_to_tile` makes tile
//! functions.

mod alias;
mod compile;
mod host;
mod launch;
mod memory;
mod model;
mod report;
mod rewrites;
mod stream;
mod translation;

pub use self::compile::GpuCompiler;
pub use self::host::{GpuHost, Held, Reached};
pub use self::model::GpuDevice;
pub use self::translation::{LISTINGS, Translation, figures, target};
pub use trident_tile_to_lane::GpuFigures;
