// Generated from the rows of ops by `cargo xtask codegen`.

#[rustfmt::skip]
mod activation;
pub use activation::*;

#[rustfmt::skip]
mod arithmetic;
pub use arithmetic::*;

#[rustfmt::skip]
mod atomic;
pub use atomic::*;

#[rustfmt::skip]
mod attention;
pub use attention::*;

#[rustfmt::skip]
mod block;
pub use block::*;

#[rustfmt::skip]
mod container;
pub use container::*;

#[rustfmt::skip]
mod control;
pub use control::*;

#[rustfmt::skip]
mod conv;
pub use conv::*;

#[rustfmt::skip]
mod create;
pub use create::*;

#[rustfmt::skip]
mod descriptor;
pub use descriptor::*;

#[rustfmt::skip]
mod dot;
pub use dot::*;

#[rustfmt::skip]
mod gather;
pub use gather::*;

#[rustfmt::skip]
mod image;
pub use image::*;

#[rustfmt::skip]
mod lane;
pub use lane::*;

#[rustfmt::skip]
mod layout;
pub use layout::*;

#[rustfmt::skip]
mod logic;
pub use logic::*;

#[rustfmt::skip]
mod math;
pub use math::*;

#[rustfmt::skip]
mod matmul;
pub use matmul::*;

#[rustfmt::skip]
mod matrix;
pub use matrix::*;

#[rustfmt::skip]
mod memory;
pub use memory::*;

#[rustfmt::skip]
mod ml;
pub use ml::*;

#[rustfmt::skip]
mod norm;
pub use norm::*;

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
mod reshape;
pub use reshape::*;

#[rustfmt::skip]
mod shape;
pub use shape::*;

#[rustfmt::skip]
mod signal;
pub use signal::*;

#[rustfmt::skip]
mod text;
pub use text::*;

#[rustfmt::skip]
mod train;
pub use train::*;

#[rustfmt::skip]
mod shared;
pub use shared::*;

#[rustfmt::skip]
mod kinds;
pub use kinds::OpKind;
pub(crate) use kinds::TABLE;
