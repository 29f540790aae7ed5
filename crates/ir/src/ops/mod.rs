//! A typed view of each op, by the name of its kind. `Conv::of(op)?` has the operands, results and attributes of the op's row as
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

#[allow(missing_docs, missing_debug_implementations)] // the rows of the table say what they are
mod generated;

pub use generated::*;
