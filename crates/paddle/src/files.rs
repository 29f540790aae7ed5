//! The files of a model, found by the names that Paddle gives them.

use bytes::Bytes;
use std::io;
use std::ops::Range;

/// The folder with the files of a model. Its implementation decides where they are.
pub trait PaddleFolder {
    /// Size of a file in bytes. The error is of kind `NotFound` if there is no such file.
    fn size(&self, name: &str) -> io::Result<u64>;

    /// All bytes of a range, which lies within the file.
    fn read(&self, name: &str, range: Range<u64>) -> io::Result<Bytes>;
}
