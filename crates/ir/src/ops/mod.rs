//! Every op. A file has the rows of a family, the functions that the rows name, and their tests. The grammar of rows is
//! in `op/grammar.rs`, conventions that several ops share are in `op/conventions.md`. Graph ops have the newest meaning
//! of the ONNX operator that their variant is named after (<https://onnx.ai/onnx/operators/>); an importer translates
//! older forms. Ops of levels tile and lane have the meaning of Triton's ops (<https://triton-lang.org>) and of Metal's
//! functions (Metal Shading Language Specification, sections 5.2.3.6 and 6.7 to 6.9).
//!
//! There is a typed view of each op, by the name of its kind. `Conv::of(op)?` has the operands, results and attributes of the op's row as
//! functions, `Conv::new(x, w, b)` begins a new op, and `Conv::edit(op)?` changes attributes of one. A name that no row has
//! does not compile.
//!
//! ```
//! use trident_ir::op::words::AutoPad;
//! use trident_ir::{Builder, DType, Func, Level, Type, ops};
//! let mut func = Func::new("f", Level::Graph);
//! let x = func.value("x", Type::fixed(DType::F32, &[1, 4, 8, 8]));
//! let w = func.value("w", Type::fixed(DType::F32, &[6, 2, 3, 3]));
//! let mut builder = Builder::new(&mut func);
//! builder.add(ops::Conv::new(x, w, None).group(2).auto_pad(AutoPad::SameUpper)).unwrap();
//! let block = builder.finish();
//! let conv = ops::Conv::of(&block.ops[0]).unwrap();
//! assert_eq!((conv.x(), conv.b(), conv.group(), conv.pads()), (x, None, 2, None));
//! ```
//!
//! ```compile_fail
//! # use trident_ir::{Op, ops};
//! fn group(op: &Op) -> Option<i64> {
//!     Some(ops::Conv::of(op)?.grups()) // the attribute is `group`
//! }
//! ```
//!
//! ```compile_fail
//! # use trident_ir::{Op, ValueId, ops};
//! fn weights(op: &Op) -> Option<ValueId> {
//!     Some(ops::Conv::of(op)?.weights()) // the operand is `w`
//! }
//! ```
//!
//! ```compile_fail
//! # use trident_ir::{Op, ValueId, ops};
//! fn halved(x: ValueId, w: ValueId) -> Op {
//!     ops::Conv::new(x, w, None).stride(vec![2, 2]).into_op() // the attribute is `strides`
//! }
//! ```

mod activation;
mod arithmetic;
mod atomic;
mod attention;
mod block;
pub(crate) mod common;
mod container;
mod control;
mod conv;
mod create;
mod descriptor;
mod dot;
mod gather;
mod image;
mod lane;
mod layout;
mod logic;
mod math;
mod matmul;
mod matrix;
mod memory;
mod ml;
mod norm;
mod pool;
mod quant;
mod random;
mod recurrent;
mod reduce;
mod reshape;
mod shape;
mod signal;
mod text;
mod train;
mod window;

#[allow(missing_docs, missing_debug_implementations)] // the rows of the table say what they are
mod generated;

pub use generated::*;
pub use logic::OrderTest;
