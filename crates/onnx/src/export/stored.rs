//! Weights of exported models, as messages in the model or bytes beside it.

use super::graph::Weight;
use crate::proto::{StringStringEntryProto, TensorProto};
use crate::tensor_proto;
use bytes::Bytes;
use prost::Message;
use prost::encoding::{WireType, encode_key, encode_varint, encoded_len_varint, key_len};
use std::io::{self, Write};

/// The number of the field of a tensor's bytes.
pub(super) const RAW_DATA: u32 = 9;

/// A weight and its place.
pub(super) struct Stored {
    pub(super) weight: Weight,
    /// Its first byte and their number in the file of weights; `None` if the model contains it.
    pub(super) external: Option<(u64, u64)>,
    /// The name of that file.
    pub(super) location: Option<String>,
}

impl Stored {
    /// The message without its data, and the data. Strings are part of the message.
    pub(super) fn parts(&self) -> (TensorProto, Option<Bytes>) {
        let mut message = tensor_proto(&self.weight.name, &self.weight.value);
        let data = message.raw_data.take();
        if let (Some((offset, length)), Some(location)) = (self.external, &self.location) {
            let entry =
                |key: &str, value: String| StringStringEntryProto { key: key.to_owned(), value };
            message.external_data = vec![
                entry("location", location.clone()),
                entry("offset", offset.to_string()),
                entry("length", length.to_string()),
            ];
            message.data_location = 1;
        }
        (message, data)
    }

    /// The bytes of the message in the model.
    pub(super) fn len(&self) -> u64 {
        let (message, data) = self.parts();
        let own = data.filter(|_| self.external.is_none());
        let own = own.map_or(0, |data| field_len(RAW_DATA, data.len() as u64));
        message.encoded_len() as u64 + own
    }
}

/// The bytes of a field with this many bytes of contents.
pub(super) fn field_len(number: u32, len: u64) -> u64 {
    (key_len(number) + encoded_len_varint(len)) as u64 + len
}

/// Writes the head of a field with this many bytes of contents.
pub(super) fn field(number: u32, len: u64, out: &mut dyn Write) -> io::Result<()> {
    let mut head = vec![];
    encode_key(number, WireType::LengthDelimited, &mut head);
    encode_varint(len, &mut head);
    out.write_all(&head)
}
