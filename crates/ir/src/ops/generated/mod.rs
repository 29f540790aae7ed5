// Generated from the op table by `cargo xtask codegen`.

#[rustfmt::skip]
mod container;
pub use container::*;

#[rustfmt::skip]
mod contract;
pub use contract::*;

#[rustfmt::skip]
mod control;
pub use control::*;

#[rustfmt::skip]
mod elementwise;
pub use elementwise::*;

#[rustfmt::skip]
mod fused;
pub use fused::*;

#[rustfmt::skip]
mod image;
pub use image::*;

#[rustfmt::skip]
mod lane;
pub use lane::*;

#[rustfmt::skip]
mod memory;
pub use memory::*;

#[rustfmt::skip]
mod ml;
pub use ml::*;

#[rustfmt::skip]
mod r#move;
pub use r#move::*;

#[rustfmt::skip]
mod pool;
pub use pool::*;

#[rustfmt::skip]
mod quant;
pub use quant::*;

#[rustfmt::skip]
mod random;
pub use random::*;

#[rustfmt::skip]
mod recurrent;
pub use recurrent::*;

#[rustfmt::skip]
mod reduce;
pub use reduce::*;

#[rustfmt::skip]
mod signal;
pub use signal::*;

#[rustfmt::skip]
mod text;
pub use text::*;

#[rustfmt::skip]
mod tile;
pub use tile::*;

#[rustfmt::skip]
mod together;
pub use together::*;

#[rustfmt::skip]
mod train;
pub use train::*;

#[rustfmt::skip]
mod shared;
pub use shared::*;
