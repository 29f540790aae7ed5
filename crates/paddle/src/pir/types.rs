//! Types of values in PIR's JSON.

use super::json::Node;
use crate::dtype;
use crate::error::PaddleErrorKind;
use crate::program::{TensorInfo, VarType};
use trident_ir::DType;

/// The most lists within each other in a type.
const MOST_DEPTH: usize = 8;

/// The name of a kind of type or attribute without its dialect: `t_f32` of `0.t_f32`.
pub(super) fn kind_of(identifier: &str) -> &str {
    identifier.rsplit_once('.').map_or(identifier, |(_, kind)| kind)
}

/// The type that a node describes; values without a type are nothing.
pub(super) fn read(node: Option<Node<'_>>) -> Result<VarType, PaddleErrorKind> {
    node.map_or(Ok(VarType::Nothing), |node| nested(node, 0))
}

fn nested(node: Node<'_>, depth: usize) -> Result<VarType, PaddleErrorKind> {
    if depth > MOST_DEPTH {
        return Err(PaddleErrorKind::TooDeep { limit: MOST_DEPTH });
    }
    let [identifier, data] = node.fields(["#", "D"])?;
    let identifier = identifier.ok_or_else(|| node.expected("a type"))?.string()?;
    let data = || data.ok_or_else(|| node.expected("a type with data"));
    match kind_of(&identifier) {
        "t_dtensor" => Ok(VarType::Tensor(tensor(data()?)?)),
        "t_vec" => {
            let items = data()?.items()?;
            let items: Result<_, _> =
                items.into_iter().map(|item| nested(item, depth + 1)).collect();
            Ok(VarType::List(items?))
        }
        "NULL" => Ok(VarType::Nothing),
        // The name differs between builds; the data do not.
        kind if kind.contains("array") => Ok(VarType::Array(tensor(data()?)?)),
        kind => Ok(VarType::Other(kind.into())),
    }
}

/// Element type and dimensions, with which the data of tensors and of arrays of tensors begin.
fn tensor(data: Node<'_>) -> Result<TensorInfo, PaddleErrorKind> {
    let items = data.items()?;
    let [dtype, dims, ..] = &items[..] else { return Err(data.expected("a tensor's type")) };
    // Paddle multiplies −1 with other dimensions: each negative number is unknown.
    let dims = dims.ints()?.into_iter().map(|dim| dim.max(-1)).collect();
    Ok(TensorInfo { dtype: element(*dtype)?, dims: Some(dims) })
}

/// The element type that a node describes, if it is one of ours.
pub(super) fn element(node: Node<'_>) -> Result<Option<DType>, PaddleErrorKind> {
    let [identifier] = node.fields(["#"])?;
    let identifier = identifier.ok_or_else(|| node.expected("an element type"))?.string()?;
    Ok(dtype::from_type(kind_of(&identifier)))
}
