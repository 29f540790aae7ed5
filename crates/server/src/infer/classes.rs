//! The largest elements of an output, as classes.

use bytes::{BufMut, Bytes, BytesMut};
use trident_serving::{DataType, Fault, Labels};

use super::AnswerTensor;

/// More elements a row are not sorted.
const MOST: usize = 1_000_000;

impl AnswerTensor {
    /// The largest `count` elements of each row as strings `value:index[:label]`, the largest first. With `rows`, the first dimension is
    /// that of rows; without, all elements are one row.
    ///
    /// # Errors
    /// Strings, types without an order, and outputs with more elements than a million.
    pub fn classes(&self, count: u64, rows: bool, labels: &Labels) -> Result<AnswerTensor, Fault> {
        let refuse = |cause| {
            let (name, kind) = (&self.name, self.data_type.protocol_name());
            Fault::invalid(format_args!(
                "class result not available for output '{name}' of type {kind}{cause}"
            ))
        };
        let data = self.data.as_deref().unwrap_or_default();
        let values = values(self.data_type, data).ok_or_else(|| refuse(""))?;
        let row_count = match self.shape.first() {
            Some(&first) if rows => usize::try_from(first).unwrap_or(0),
            _ => 1,
        };
        let length = values.len().checked_div(row_count).unwrap_or(0);
        if length > MOST {
            return Err(refuse(", which has more than 1000000 elements"));
        }
        let shown = usize::try_from(count).unwrap_or(usize::MAX).min(length);
        let mut bytes = BytesMut::new();
        for row in values.chunks(length.max(1)).take(row_count) {
            for index in largest(row, shown) {
                let mut text = format!("{}:{index}", row[index].text);
                if let Some(label) = labels.get(&self.name, index) {
                    text.push(':');
                    text.push_str(label);
                }
                // Labels come from files of less than 4 GiB.
                bytes.put_u32_le(text.len() as u32);
                bytes.put_slice(text.as_bytes());
            }
        }
        let shown = shown as i64;
        let shape = if rows { vec![row_count as i64, shown] } else { vec![shown] };
        let (name, data) = (self.name.clone(), Some(Bytes::from(bytes)));
        Ok(AnswerTensor { name, data_type: DataType::String, shape, data })
    }
}

/// An element: its place in the order, and its text.
struct Value {
    order: Order,
    text: String,
}

#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Order {
    Integer(i128),
    Float(f64),
}

/// The indices of the largest values, the largest first. Equal ones keep their order, and NaN comes last.
fn largest(row: &[Value], count: usize) -> Vec<usize> {
    let is_nan = |index: usize| matches!(row[index].order, Order::Float(value) if value.is_nan());
    let mut indices: Vec<usize> = (0..row.len()).collect();
    indices.sort_by(|&a, &b| {
        let order = row[b].order.partial_cmp(&row[a].order);
        order.unwrap_or_else(|| is_nan(a).cmp(&is_nan(b)))
    });
    indices.truncate(count);
    indices
}

/// The elements; `None` if their type has no order.
fn values(data_type: DataType, data: &[u8]) -> Option<Vec<Value>> {
    let integer = |value: i128| Value { order: Order::Integer(value), text: value.to_string() };
    let float = |value: f64| Value { order: Order::Float(value), text: format!("{value:.6}") };
    Some(match data_type {
        DataType::Uint8 => data.iter().map(|&value| integer(value.into())).collect(),
        DataType::Int8 => data.iter().map(|&value| integer((value as i8).into())).collect(),
        DataType::Uint16 => each(data, |bytes| integer(u16::from_le_bytes(bytes).into())),
        DataType::Int16 => each(data, |bytes| integer(i16::from_le_bytes(bytes).into())),
        DataType::Uint32 => each(data, |bytes| integer(u32::from_le_bytes(bytes).into())),
        DataType::Int32 => each(data, |bytes| integer(i32::from_le_bytes(bytes).into())),
        DataType::Uint64 => each(data, |bytes| integer(u64::from_le_bytes(bytes).into())),
        DataType::Int64 => each(data, |bytes| integer(i64::from_le_bytes(bytes).into())),
        DataType::Fp32 => each(data, |bytes| float(f32::from_le_bytes(bytes).into())),
        DataType::Fp64 => each(data, |bytes| float(f64::from_le_bytes(bytes))),
        DataType::Bool | DataType::String | DataType::Fp16 | DataType::Bf16 | DataType::Invalid => {
            return None;
        }
    })
}

fn each<const N: usize>(data: &[u8], value: impl FnMut([u8; N]) -> Value) -> Vec<Value> {
    data.as_chunks::<N>().0.iter().copied().map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(tensor: &AnswerTensor) -> Vec<String> {
        let texts = super::super::strings(tensor.data.as_deref().unwrap());
        texts.map(|text| str::from_utf8(text).unwrap().to_owned()).collect()
    }

    #[test]
    fn the_largest_elements_of_each_row_are_classes() {
        let data = [1.5f32, f32::NAN, 3.5, 2.0, -1.0, 2.0].map(f32::to_le_bytes).concat();
        let (name, data_type) = ("A".to_owned(), DataType::Fp32);
        let tensor = AnswerTensor { name, data_type, shape: vec![2, 3], data: Some(data.into()) };
        let classes = tensor.classes(2, true, &Labels::default()).unwrap();
        assert_eq!((classes.data_type, &classes.shape[..]), (DataType::String, &[2, 2][..]));
        assert_eq!(texts(&classes), ["3.500000:2", "1.500000:0", "2.000000:0", "2.000000:2"]);
        let classes = tensor.classes(9, false, &Labels::default()).unwrap();
        assert_eq!(classes.shape, [6]);
        assert_eq!(texts(&classes)[5], "NaN:1");
        let halves = AnswerTensor { data_type: DataType::Fp16, ..tensor };
        assert!(halves.classes(1, true, &Labels::default()).is_err());
    }
}
