//! The binary form of protobuf.

use super::Field;

/// A value, by the way in which its length is known.
pub(crate) enum Wire {
    /// An integer, a truth value or the value of an enumeration.
    Varint(u64),
    /// A float of 32 bits.
    Fixed32(u32),
    /// A float of 64 bits.
    Fixed64(u64),
    /// A string, a message or packed numbers.
    Bytes(Vec<u8>),
}

impl Wire {
    /// A message with these fields.
    pub(crate) fn message(fields: &[(u32, &dyn Field)]) -> Wire {
        let mut values = vec![];
        fields.iter().for_each(|(number, field)| field.encode(*number, &mut values));
        Wire::fields(values)
    }

    /// A message of values with the numbers of their fields, which are written in the order of the numbers, as protobuf does.
    pub(crate) fn fields(mut values: Vec<(u32, Wire)>) -> Wire {
        values.sort_by_key(|(number, _)| *number);
        let mut bytes = vec![];
        for (number, value) in values {
            put_varint(u64::from(number << 3 | value.kind()), &mut bytes);
            if let Wire::Bytes(contents) = &value {
                put_varint(contents.len() as u64, &mut bytes);
            }
            value.put(&mut bytes);
        }
        Wire::Bytes(bytes)
    }

    /// The values of a repeated field: numbers are packed into one.
    pub(crate) fn list(items: impl Iterator<Item = Wire>) -> Vec<Wire> {
        let mut packed = vec![];
        let mut list = vec![];
        for item in items {
            match item {
                Wire::Bytes(_) => list.push(item),
                number => number.put(&mut packed),
            }
        }
        if !packed.is_empty() {
            list.push(Wire::Bytes(packed));
        }
        list
    }

    /// The bytes of the value, without its length.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        match self {
            Wire::Bytes(bytes) => bytes,
            number => {
                let mut bytes = vec![];
                number.put(&mut bytes);
                bytes
            }
        }
    }

    /// The number of this way in protobuf.
    fn kind(&self) -> u32 {
        match self {
            Wire::Varint(_) => 0,
            Wire::Fixed64(_) => 1,
            Wire::Bytes(_) => 2,
            Wire::Fixed32(_) => 5,
        }
    }

    fn put(&self, to: &mut Vec<u8>) {
        match self {
            Wire::Varint(value) => put_varint(*value, to),
            Wire::Fixed32(bits) => to.extend(bits.to_le_bytes()),
            Wire::Fixed64(bits) => to.extend(bits.to_le_bytes()),
            Wire::Bytes(bytes) => to.extend(bytes),
        }
    }
}

fn put_varint(mut value: u64, to: &mut Vec<u8>) {
    while value >= 0x80 {
        to.push(value as u8 | 0x80);
        value >>= 7;
    }
    to.push(value as u8);
}
