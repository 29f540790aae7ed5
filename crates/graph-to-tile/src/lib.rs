//! Graph ops as tile functions.
//!
//! A [`Lowering`] is a sequence of [`TileLaunch`]es. Sizes, strides and offsets are scalar parameters of a function, so
//! one function serves every shape of the same structure: element types, number of axes after neighbours were merged,
//! block sizes. So compilers of functions may cache them by their text.
//!
//! Each op is one function of this folder, listed with the op's kind in its file's `LOWERINGS`. It checks element types
//! and attributes first, and dimensions and contents last, so that refusals do not depend on sizes.

mod attention;
mod conv;
mod cumulative;
mod einsum;
mod elementwise;
mod extreme;
mod fold;
mod gather;
mod kept;
mod loss;
mod matmul;
mod moves;
mod norms;
mod packed;
mod places;
mod pool;
mod product;
mod quant;
mod resize;
mod rotary;
mod rows;
mod site;
mod space;
mod target;
mod winograd;
mod writer;

pub use self::kept::Kept;
pub use self::site::{Array, LoweringRequest};
pub use self::target::Target;

use std::collections::HashMap;
use std::sync::LazyLock;
use trident_ir::geometry::GeometryError;
use trident_ir::op::{Group, TypeError};
use trident_ir::{DType, Func, Literal, OpKind};

use self::site::Site;
use self::winograd::Form;

/// The launches that compute the results of an op.
#[derive(Clone, Debug, Default)]
pub struct Lowering {
    /// Launches, in order; each sees the writes of the earlier ones.
    pub steps: Vec<TileLaunch>,
    /// Memory for intermediate arrays: element type and number of elements.
    pub scratch: Vec<(DType, usize)>,
    /// Constant operands in another form, converted once for all launches.
    pub packed: Vec<Packed>,
    /// The algorithm, where the op has several and sizes decide.
    pub algorithm: Option<&'static str>,
    /// For each result the operand whose bytes it has, if no step writes it.
    pub same: Vec<Option<usize>>,
    /// The error if a step writes to [`Arg::Fault`].
    pub fault: Option<&'static str>,
}

/// A launch of a tile function.
#[derive(Clone, Debug)]
pub struct TileLaunch {
    /// The function.
    pub func: Func,
    /// Its arguments.
    pub args: Vec<Arg>,
    /// Number of programs along x, y and z.
    pub grid: [u32; 3],
}

/// A constant operand in another form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packed {
    /// The operand.
    pub operand: usize,
    form: Form,
}

impl Packed {
    /// The form of the operand's elements; `None` if they are not of an operand that was said to be constant.
    pub fn of(&self, operand: &Literal) -> Option<Literal> {
        self.form.weights(operand)
    }
}

/// An argument of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arg {
    /// The memory of an operand.
    Operand(usize),
    /// The memory of a result.
    Result(usize),
    /// Memory of [`Lowering::scratch`].
    Scratch(usize),
    /// A packed operand, by its place in [`Lowering::packed`].
    Packed(usize),
    /// One `i32`, 0 before the launch. If it is not 0 afterwards, the operands are outside of the op's domain.
    Fault,
    /// A scalar by its bits.
    Scalar(u64),
}

/// The reason why there is no lowering.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// The op, or one of its types or attributes, has no form here.
    #[error("{0}")]
    Unsupported(String),
    /// Dimensions or contents are unknown; with them there may be a lowering.
    #[error("dimensions or contents of an input are not known")]
    Unknown,
    /// Operands that do not fit together.
    #[error(transparent)]
    Geometry(#[from] GeometryError),
}

impl From<TypeError> for Refusal {
    fn from(error: TypeError) -> Refusal {
        Refusal::Unsupported(error.to_string())
    }
}

pub(crate) type Result<T> = std::result::Result<T, Refusal>;

/// Whether the op has several algorithms, chosen by its sizes.
pub fn by_size(request: &LoweringRequest<'_>) -> bool {
    winograd::applies(&Site::new(request)) == Ok(true)
}

/// Whether the last bits of a row of the results may depend on the number of rows: products of floats with few rows are
/// summed in another order ([`product::Tile::of`]), and sizes choose between the algorithms of convolutions.
pub fn depends_on_rows(kind: OpKind) -> bool {
    use trident_ir::ops::{ConvInteger, MatMulInteger, QLinearConv, QLinearMatMul};
    let is_exact = [ConvInteger::KIND, MatMulInteger::KIND, QLinearConv::KIND, QLinearMatMul::KIND];
    let products = [conv::LOWERINGS, einsum::LOWERINGS, matmul::LOWERINGS];
    let mut products = products.into_iter().flatten();
    products.any(|entry| entry.kind == kind) && !is_exact.contains(&kind)
}

/// Appends the steps of an op.
type Write = fn(&mut Site<'_>) -> Result<()>;

/// How ops of one kind are lowered.
struct Entry {
    kind: OpKind,
    write: Write,
}

/// An entry of a file's list.
const fn entry(kind: OpKind, write: Write) -> Entry {
    Entry { kind, write }
}

/// The lists of the files. Elementwise ops are not in them, except ops that are lowered differently from the others.
const FAMILIES: &[&[Entry]] = &[
    attention::LOWERINGS,
    conv::LOWERINGS,
    cumulative::LOWERINGS,
    einsum::LOWERINGS,
    elementwise::LOWERINGS,
    extreme::LOWERINGS,
    fold::LOWERINGS,
    gather::LOWERINGS,
    loss::LOWERINGS,
    matmul::LOWERINGS,
    moves::LOWERINGS,
    norms::LOWERINGS,
    places::LOWERINGS,
    pool::LOWERINGS,
    quant::LOWERINGS,
    resize::LOWERINGS,
    rotary::LOWERINGS,
    rows::LOWERINGS,
];

/// The lists by the kinds of ops.
static BY_KIND: LazyLock<HashMap<OpKind, Write>> = LazyLock::new(|| {
    FAMILIES.iter().copied().flatten().map(|entry| (entry.kind, entry.write)).collect()
});

/// Lowers an op for operands of these types.
pub fn lower(request: &LoweringRequest<'_>) -> Result<Lowering> {
    let mut site = Site::new(request);
    let kind = request.op.kind;
    let write = match BY_KIND.get(&kind) {
        Some(write) => *write,
        None if kind.decl().group == Group::Elementwise => elementwise::elementwise,
        None => return Err(Refusal::Unsupported("there is no kernel for it".into())),
    };
    write(&mut site)?;
    Ok(site.finish())
}
