//! Messages on their way to a client.

use bytes::{BufMut, Bytes, BytesMut};
use prost::Message;
use prost::encoding::{encode_varint, encoded_len_varint};

use super::frame::{PREFIX, put_prefix};
use super::message::ModelInferResponse;
use super::status::{Code, Status};
use crate::compress::{Compression, Encoding};

/// From this size on, the contents of an output are sent as they are; smaller ones are copied into one buffer.
const LARGE: usize = 16 * 1024;

/// The key of `raw_output_contents` in `ModelInferResponse`.
const RAW_OUTPUT: u8 = 6 << 3 | 2;
/// The key of `infer_response` in `ModelStreamInferResponse`.
const INFER_RESPONSE: u8 = 2 << 3 | 2;
/// The key of `error_message` in `ModelStreamInferResponse`.
const ERROR_MESSAGE: u8 = 1 << 3 | 2;

/// A message with its prefix, in pieces.
#[derive(Debug)]
pub(super) struct Outgoing {
    first: Bytes,
    rest: std::vec::IntoIter<Bytes>,
}

/// How answers of a call are compressed, if at all.
pub(super) type Packing = Option<(Encoding, Compression)>;

impl Outgoing {
    /// A message.
    pub(super) fn message(message: &impl Message, packing: Packing) -> Result<Outgoing, Status> {
        let length = message.encoded_len();
        let mut pieces = Pieces::new(length, length, packing)?;
        message.encode_raw(&mut pieces.last);
        pieces.finish()
    }

    /// The answer to `ModelInfer`.
    pub(super) fn answer(
        response: &ModelInferResponse,
        raw: Vec<Bytes>,
        packing: Packing,
    ) -> Result<Outgoing, Status> {
        let (length, copied) = sizes(response, &raw);
        let mut pieces = Pieces::new(length, copied, packing)?;
        pieces.put_answer(response, raw);
        pieces.finish()
    }

    /// A message of `ModelStreamInfer`. The error is empty if there is none.
    pub(super) fn streamed(
        error: &str,
        response: &ModelInferResponse,
        raw: Vec<Bytes>,
        packing: Packing,
    ) -> Result<Outgoing, Status> {
        let (length, copied) = sizes(response, &raw);
        let before = if error.is_empty() { 0 } else { field_size(error.len()) };
        let key = field_size(length) - length;
        let mut pieces = Pieces::new(before + key + length, before + key + copied, packing)?;
        if !error.is_empty() {
            pieces.put_key(ERROR_MESSAGE, error.len());
            pieces.last.put_slice(error.as_bytes());
        }
        pieces.put_key(INFER_RESPONSE, length);
        pieces.put_answer(response, raw);
        pieces.finish()
    }

    /// The message without its prefix; `None` if it is compressed.
    pub(super) fn plain(&self) -> Option<Vec<u8>> {
        let pieces = std::iter::once(&self.first).chain(self.rest.as_slice());
        let mut bytes: Vec<u8> = pieces.flatten().copied().collect();
        let is_plain = bytes.len() >= PREFIX && bytes[0] == 0;
        is_plain.then(|| bytes.split_off(PREFIX))
    }

    /// The next piece, if there is one.
    pub(super) fn next(&mut self) -> Option<Bytes> {
        if self.first.is_empty() { self.rest.next() } else { Some(std::mem::take(&mut self.first)) }
    }
}

/// The length of an answer's message, and how much of it is copied into a buffer.
fn sizes(response: &ModelInferResponse, raw: &[Bytes]) -> (usize, usize) {
    let own = response.encoded_len();
    let mut sizes = (own, own);
    for bytes in raw {
        sizes.0 += field_size(bytes.len());
        let shared = if bytes.len() < LARGE { 0 } else { bytes.len() };
        sizes.1 += field_size(bytes.len()) - shared;
    }
    sizes
}

/// Bytes of a field with a length, whose key takes one byte.
fn field_size(length: usize) -> usize {
    1 + encoded_len_varint(length as u64) + length
}

/// A message under construction.
struct Pieces {
    done: Vec<Bytes>,
    last: BytesMut,
    packing: Packing,
}

impl Pieces {
    /// The start of a message with this length, of which so many bytes will be copied.
    fn new(length: usize, copied: usize, packing: Packing) -> Result<Pieces, Status> {
        let mut last = BytesMut::with_capacity(PREFIX + copied);
        if packing.is_none() {
            put_prefix(&mut last, false, length).ok_or_else(too_long)?;
        }
        Ok(Pieces { done: vec![], last, packing })
    }

    fn put_key(&mut self, key: u8, length: usize) {
        self.last.put_u8(key);
        encode_varint(length as u64, &mut self.last);
    }

    fn put_answer(&mut self, response: &ModelInferResponse, raw: Vec<Bytes>) {
        response.encode_raw(&mut self.last);
        for bytes in raw {
            self.put_key(RAW_OUTPUT, bytes.len());
            if bytes.len() < LARGE {
                self.last.put_slice(&bytes);
            } else {
                self.done.push(self.last.split().freeze());
                self.done.push(bytes);
            }
        }
    }

    fn finish(self) -> Result<Outgoing, Status> {
        let Pieces { mut done, last, packing } = self;
        if let Some((encoding, level)) = packing {
            done.push(last.freeze());
            let message =
                encoding.compress(done.iter().map(|piece| &piece[..]), level).map_err(|e| {
                    Status::new(Code::Internal, format!("the answer cannot be compressed: {e}"))
                })?;
            let mut first = BytesMut::with_capacity(PREFIX);
            put_prefix(&mut first, true, message.len()).ok_or_else(too_long)?;
            return Ok(Outgoing { first: first.freeze(), rest: vec![message].into_iter() });
        }
        if done.is_empty() {
            return Ok(Outgoing { first: last.freeze(), rest: done.into_iter() });
        }
        if !last.is_empty() {
            done.push(last.freeze());
        }
        Ok(Outgoing { first: Bytes::new(), rest: done.into_iter() })
    }
}

fn too_long() -> Status {
    Status::new(Code::ResourceExhausted, "the answer is longer than 4 GiB")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grpc::frame::Frames;

    #[derive(Clone, PartialEq, Message)]
    struct Response {
        #[prost(string, tag = "1")]
        model: String,
        #[prost(bytes = "bytes", repeated, tag = "6")]
        raw: Vec<Bytes>,
    }

    #[derive(Clone, PartialEq, Message)]
    struct Streamed {
        #[prost(string, tag = "1")]
        error: String,
        #[prost(message, optional, tag = "2")]
        response: Option<Response>,
    }

    /// The only message of what is sent, and the pieces.
    fn sent(mut outgoing: Outgoing) -> (Bytes, Vec<Bytes>) {
        let pieces: Vec<Bytes> = std::iter::from_fn(|| outgoing.next()).collect();
        let mut frames = Frames::new(usize::MAX);
        frames.push(pieces.concat().into());
        let frame = frames.next().unwrap().unwrap();
        assert_eq!(frames.next(), Ok(None));
        frames.finish().unwrap();
        let message = match frame.is_compressed {
            true => Encoding::Gzip.decompress(frame.message, 1 << 20).unwrap(),
            false => frame.message,
        };
        (message, pieces)
    }

    #[test]
    fn large_contents_are_sent_without_a_copy() {
        let response = ModelInferResponse { model_name: "m".into(), ..Default::default() };
        let raw = vec![Bytes::from(vec![1; 10]), vec![2; 20_000].into(), Bytes::new()];
        let expected = Response { model: "m".into(), raw: raw.clone() };

        let outgoing = Outgoing::answer(&response, raw.clone(), None).unwrap();
        let (message, pieces) = sent(outgoing);
        assert_eq!(Response::decode(message).unwrap(), expected);
        assert_eq!(pieces.len(), 3);
        assert_eq!(pieces[1].as_ptr(), raw[1].as_ptr());

        let outgoing = Outgoing::streamed("no", &response, raw.clone(), None).unwrap();
        let (message, pieces) = sent(outgoing);
        let streamed = Streamed { error: "no".into(), response: Some(expected.clone()) };
        assert_eq!(Streamed::decode(message).unwrap(), streamed);
        assert_eq!(pieces[1].as_ptr(), raw[1].as_ptr());

        let packing = Some((Encoding::Gzip, Compression::fast()));
        let (message, pieces) = sent(Outgoing::answer(&response, raw, packing).unwrap());
        assert_eq!(Response::decode(message).unwrap(), expected);
        assert!(pieces.concat().len() < 1000);
    }
}
