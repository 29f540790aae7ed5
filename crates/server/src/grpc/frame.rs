//! Messages in the bodies of requests and answers: each follows a byte that says whether it is compressed, and its length.
//!
//! DATA frames of HTTP/2 may divide messages anywhere. A message within one DATA frame is a view of it; only messages over several
//! are copied.

use bytes::{Buf, BufMut, Bytes, BytesMut};

/// Bytes before a message.
pub(super) const PREFIX: usize = 5;

/// The most memory that a message's length alone reserves. A longer message gets more as its bytes come.
const RESERVED: usize = 64 * 1024;

/// A message as it was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    /// Whether it is compressed.
    pub(super) is_compressed: bool,
    /// Its bytes.
    pub(super) message: Bytes,
}

/// The reason why bytes are not messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum FrameError {
    /// The first byte of a prefix.
    #[error("a message starts with the flag {0}, but only 0 and 1 are defined")]
    Flag(u8),
    /// A message that is too long.
    #[error("Received message larger than max ({length} vs. {limit})")]
    TooLong {
        /// Its length.
        length: usize,
        /// The longest that is allowed.
        limit: usize,
    },
    /// The body ends within a message.
    #[error("the request ends after {given} bytes of a message; its length and flag take 5 bytes")]
    Prefix {
        /// Bytes of the prefix that came.
        given: usize,
    },
    /// The body ends within a message.
    #[error("the request ends after {given} of a message's {expected} bytes")]
    Short {
        /// Bytes of the message that came.
        given: usize,
        /// Its length.
        expected: usize,
    },
}

/// The reader of a body's messages.
#[derive(Debug)]
pub(super) struct Frames {
    /// The longest message that is allowed.
    limit: usize,
    /// The unread end of the last DATA frame.
    rest: Bytes,
    /// The start of a message, with its prefix, from DATA frames before.
    begun: BytesMut,
}

impl Frames {
    pub(super) fn new(limit: usize) -> Frames {
        Frames { limit, rest: Bytes::new(), begun: BytesMut::new() }
    }

    /// Adds a DATA frame, after [`Frames::next`] has returned `None`.
    pub(super) fn push(&mut self, data: Bytes) {
        debug_assert!(self.rest.is_empty(), "messages of the last DATA frame were not read");
        self.rest = data;
    }

    /// The next message, if all of it is there.
    pub(super) fn next(&mut self) -> Result<Option<Frame>, FrameError> {
        if self.begun.is_empty() {
            if let Some(prefix) = self.rest.first_chunk() {
                let (is_compressed, length) = self.prefix(*prefix)?;
                if self.rest.len() - PREFIX >= length {
                    self.rest.advance(PREFIX);
                    return Ok(Some(Frame { is_compressed, message: self.rest.split_to(length) }));
                }
                self.begun.reserve(PREFIX + length.min(RESERVED));
            }
            self.begin(self.rest.len());
            return Ok(None);
        }
        self.begin(PREFIX.saturating_sub(self.begun.len()));
        let Some(prefix) = self.begun.first_chunk() else {
            return Ok(None);
        };
        let (is_compressed, length) = self.prefix(*prefix)?;
        self.begin(PREFIX + length - self.begun.len());
        if self.begun.len() < PREFIX + length {
            return Ok(None);
        }
        let mut message = std::mem::take(&mut self.begun).freeze();
        message.advance(PREFIX);
        Ok(Some(Frame { is_compressed, message }))
    }

    /// Checks that the body does not end within a message.
    pub(super) fn finish(&self) -> Result<(), FrameError> {
        match self.begun.first_chunk() {
            _ if self.begun.is_empty() => Ok(()),
            None => Err(FrameError::Prefix { given: self.begun.len() }),
            Some(prefix) => {
                let given = self.begun.len() - PREFIX;
                Err(FrameError::Short { given, expected: self.prefix(*prefix)?.1 })
            }
        }
    }

    /// Moves up to so many bytes to the message that has begun.
    fn begin(&mut self, most: usize) {
        let bytes = self.rest.split_to(most.min(self.rest.len()));
        self.begun.extend_from_slice(&bytes);
    }

    /// The flag and length of a prefix.
    fn prefix(&self, [flag, length @ ..]: [u8; PREFIX]) -> Result<(bool, usize), FrameError> {
        let length = u32::from_be_bytes(length) as usize;
        match flag {
            0 | 1 if length > self.limit => Err(FrameError::TooLong { length, limit: self.limit }),
            0 | 1 => Ok((flag == 1, length)),
            _ => Err(FrameError::Flag(flag)),
        }
    }
}

/// Appends the prefix of a message. `None` if its length has no place in a prefix.
pub(super) fn put_prefix(to: &mut BytesMut, is_compressed: bool, length: usize) -> Option<()> {
    let length = u32::try_from(length).ok()?;
    to.put_u8(is_compressed.into());
    to.put_u32(length);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(message: &[u8]) -> Vec<u8> {
        let mut bytes = BytesMut::new();
        put_prefix(&mut bytes, false, message.len()).unwrap();
        [&bytes[..], message].concat()
    }

    /// All messages of a body in DATA frames.
    fn read<'a>(
        frames: &mut Frames,
        data: impl Iterator<Item = &'a [u8]>,
    ) -> Result<Vec<Frame>, FrameError> {
        let mut messages = vec![];
        for data in data {
            frames.push(Bytes::copy_from_slice(data));
            while let Some(message) = frames.next()? {
                messages.push(message);
            }
        }
        frames.finish()?;
        Ok(messages)
    }

    #[test]
    fn messages_are_found_however_data_frames_divide_them() {
        let messages: [&[u8]; 4] = [b"one", b"", b"a longer message", &[7; 300]];
        let body: Vec<u8> = messages.iter().flat_map(|message| frame(message)).collect();
        for size in 1..=body.len() {
            let found = read(&mut Frames::new(1000), body.chunks(size)).unwrap();
            let found: Vec<&[u8]> = found.iter().map(|frame| &*frame.message).collect();
            assert_eq!(found, messages, "DATA frames of {size} bytes");
        }
    }

    #[test]
    fn a_message_in_one_data_frame_is_not_copied() {
        let body = Bytes::from([frame(b"one"), frame(b"two")].concat());
        let mut frames = Frames::new(1000);
        frames.push(body.clone());
        for at in [PREFIX, 2 * PREFIX + 3] {
            let message = frames.next().unwrap().unwrap().message;
            assert_eq!(message.as_ptr(), body[at..].as_ptr());
        }
        assert_eq!(frames.next(), Ok(None));
    }

    #[test]
    fn lengths_that_lie_are_errors_and_reserve_little() {
        let mut frames = Frames::new(usize::MAX);
        let body: [&[u8]; 2] = [&[1, 0xff, 0xff, 0xff, 0xff], b"abc"];
        let expected = u32::MAX as usize;
        assert_eq!(
            read(&mut frames, body.into_iter()),
            Err(FrameError::Short { given: 3, expected })
        );
        assert!(frames.begun.capacity() < 1 << 20, "{}", frames.begun.capacity());

        let short = read(&mut Frames::new(10), [&[0, 0, 0][..]].into_iter());
        assert_eq!(short, Err(FrameError::Prefix { given: 3 }));
        let long = read(&mut Frames::new(10), frame(&[0; 11]).chunks(4));
        assert_eq!(long, Err(FrameError::TooLong { length: 11, limit: 10 }));
        let flag = read(&mut Frames::new(10), [&[2, 0, 0, 0, 0][..]].into_iter());
        assert_eq!(flag, Err(FrameError::Flag(2)));
    }
}
