//! Element types that operands must have.

use super::error::ShapeError;
use trident_ir::dtype::Class;
use trident_ir::op::Group;
use trident_ir::{DType, Func, Op, OpKind as K};

/// Groups of operands that share one element type, by place; an empty group stands for all operands.
fn alike(kind: K) -> &'static [&'static [usize]] {
    const ALL: &[usize] = &[];
    match kind {
        K::Add | K::Sub | K::Mul | K::Div | K::Mod | K::Max | K::Min | K::Mean | K::Sum => &[ALL],
        K::And | K::Or | K::Xor | K::BitwiseAnd | K::BitwiseOr | K::BitwiseXor => &[ALL],
        K::Equal | K::Greater | K::GreaterOrEqual | K::Less | K::LessOrEqual => &[ALL],
        K::BitShift | K::Clip | K::PRelu | K::SwiGLU | K::Concat | K::Range | K::Einsum => &[ALL],
        K::Conv | K::FusedConv | K::ConvTranspose | K::DeformConv | K::Gemm => &[ALL],
        K::MatMul | K::FusedMatMul | K::GroupNormalization | K::InstanceNormalization => &[ALL],
        K::LayerNormalization | K::SkipLayerNormalization | K::StringConcat => &[ALL],
        K::Where => &[&[1, 2]],
        K::Pad | K::ScatterElements | K::ScatterND => &[&[0, 2]],
        K::TensorScatter | K::MaxRoiPool | K::RoiAlign => &[&[0, 1]],
        K::GRU | K::LSTM | K::RNN => &[&[0, 1, 2, 3, 5, 6, 7]],
        K::BatchNormalization => &[&[1, 2], &[3, 4]],
        K::Attention => &[&[0, 1, 4], &[2, 5]],
        K::ConvInteger | K::MatMulInteger => &[&[0, 2], &[1, 3]],
        K::QLinearConv | K::QLinearMatMul => &[&[0, 2], &[3, 5]],
        K::DequantizeLinear => &[&[0, 2]],
        _ => &[],
    }
}

/// Families of element types that an operand can be confined to.
#[derive(Clone, Copy)]
enum Takes {
    Bool,
    /// Signed 32 or 64 bits, for indices.
    Index,
    I64,
    Float,
    /// Numbers: no truth values, text or complex numbers.
    Number,
    Int,
    Str,
}

impl Takes {
    fn accepts(self, dtype: DType) -> bool {
        let class = dtype.class();
        match self {
            Takes::Bool => class == Class::Bool,
            Takes::Index => matches!(dtype, DType::I32 | DType::I64),
            Takes::I64 => dtype == DType::I64,
            Takes::Float => class == Class::Float,
            Takes::Number => matches!(class, Class::Float | Class::Int | Class::UInt),
            Takes::Int => matches!(class, Class::Int | Class::UInt),
            Takes::Str => class == Class::Str,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Takes::Bool => "a tensor of bool",
            Takes::Index => "a tensor of i32 or i64",
            Takes::I64 => "a tensor of i64",
            Takes::Float => "a tensor of floating-point numbers",
            Takes::Number => "a tensor of numbers",
            Takes::Int => "a tensor of integers",
            Takes::Str => "a tensor of strings",
        }
    }
}

/// What the op takes at certain places.
fn takes(kind: K) -> &'static [(usize, Takes)] {
    use Takes::{Bool, Float, I64, Index, Int, Number, Str};
    match kind {
        K::And | K::Or | K::Xor => &[(0, Bool), (1, Bool)],
        K::Not | K::If => &[(0, Bool)],
        K::Where => &[(0, Bool)],
        K::Loop => &[(0, I64), (1, Bool)],
        K::Compress => &[(1, Bool)],
        K::BitwiseAnd | K::BitwiseOr | K::BitwiseXor | K::BitShift => &[(0, Int), (1, Int)],
        K::BitwiseNot => &[(0, Int)],
        K::Add | K::Sub | K::Mul | K::Div | K::Mod | K::Pow | K::Gemm | K::MatMul => {
            &[(0, Number), (1, Number)]
        }
        K::Greater | K::GreaterOrEqual | K::Less | K::LessOrEqual => &[(0, Number), (1, Number)],
        K::Abs | K::Neg | K::Sign | K::Relu | K::Clip | K::TopK | K::ArgMax | K::ArgMin => {
            &[(0, Number)]
        }
        K::Acos | K::Acosh | K::Asin | K::Asinh | K::Atan | K::Atanh | K::Ceil | K::Celu => {
            &[(0, Float)]
        }
        K::Cos | K::Cosh | K::Elu | K::Erf | K::Exp | K::Floor | K::Gelu | K::HardSigmoid => {
            &[(0, Float)]
        }
        K::HardSwish | K::IsInf | K::IsNaN | K::LeakyRelu | K::Log | K::Mish | K::Reciprocal => {
            &[(0, Float)]
        }
        K::Round | K::Selu | K::Sigmoid | K::Sin | K::Sinh | K::Softplus | K::Softsign => {
            &[(0, Float)]
        }
        K::Sqrt | K::Swish | K::Tan | K::Tanh | K::ThresholdedRelu | K::Hardmax | K::Softmax => {
            &[(0, Float)]
        }
        K::Conv | K::FusedConv | K::ConvTranspose | K::DeformConv | K::Attention => &[(0, Float)],
        K::BatchNormalization | K::InstanceNormalization | K::LayerNormalization | K::LRN => {
            &[(0, Float)]
        }
        K::ConstantOfShape | K::SequenceLength => &[],
        K::Expand | K::Reshape | K::Tile | K::Unsqueeze | K::Squeeze | K::Split | K::Trilu => {
            &[(1, I64)]
        }
        K::Gather | K::GatherElements | K::ScatterElements => &[(1, Index)],
        K::GatherND | K::ScatterND => &[(1, I64)],
        K::Slice => &[(1, Index), (2, Index), (3, Index), (4, Index)],
        K::Pad => &[(1, I64), (3, Index)],
        K::RegexFullMatch | K::StringNormalizer | K::StringSplit => &[(0, Str)],
        K::StringConcat => &[(0, Str), (1, Str)],
        K::ReduceL1 | K::ReduceL2 | K::ReduceMean | K::ReduceProd | K::ReduceSum => {
            &[(0, Number), (1, I64)]
        }
        _ => &[],
    }
}

/// Checks the operands of an op against what it takes.
pub(super) fn operands(op: &Op, func: &Func) -> Result<(), ShapeError> {
    let error = |i: usize, expected: String| {
        let value = op.input(i).map(|v| func.info(v));
        ShapeError::Operand {
            op: op.describe(),
            tensor: value.map_or_else(String::new, |v| v.name.clone()),
            actual: value.map_or_else(|| "absent".to_owned(), |v| v.ty.to_string()),
            expected,
        }
    };
    let dtype = |i: usize| op.input(i).and_then(|v| func.ty(v).dtype());
    for &(i, takes) in takes(op.kind) {
        let Some(v) = op.input(i) else { continue };
        if !func.ty(v).dtype().is_some_and(|d| takes.accepts(d)) {
            return Err(error(i, takes.name().to_owned()));
        }
    }
    for group in alike(op.kind) {
        let member = |i: &usize| group.is_empty() || group.contains(i);
        let present =
            || (0..op.inputs.len()).filter(member).filter_map(|i| dtype(i).map(|d| (i, d)));
        let Some((first, expected)) = present().next() else { continue };
        if let Some((i, _)) = present().find(|(_, d)| *d != expected) {
            let like = op.input(first).map_or("", |v| func.info(v).name.as_str());
            return Err(error(i, format!("{expected}, as `{like}`")));
        }
    }
    // Only containers, control flow and Identity take anything but tensors.
    let any = matches!(op.decl().group, Group::Container | Group::Control | Group::Ml)
        || op.kind == K::Identity;
    match (0..op.inputs.len()).find(|&i| !any && op.input(i).is_some() && dtype(i).is_none()) {
        Some(i) => Err(error(i, "a tensor".to_owned())),
        None => Ok(()),
    }
}
