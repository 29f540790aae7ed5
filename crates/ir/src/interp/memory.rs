//! Memory as the interpreter sees it: named tensors far apart from each other.

use crate::Element;
use crate::counted;

/// Tensors lie at multiples of this: a pointer that leaves its tensor does not meet another.
const SPACING: u64 = 1 << 40;

/// A wrong access.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AccessFault {
    /// Outside of every tensor; the nearest is named.
    #[error(
        "{access} of {} at offset {offset} of `{tensor}`, which has {}",
        counted(*size, "byte"),
        counted(*len, "byte")
    )]
    Outside {
        /// `read`, `write` or `atomic access`.
        access: &'static str,
        /// Bytes accessed.
        size: usize,
        /// Bytes from the start of the tensor.
        offset: i128,
        /// Name of the tensor.
        tensor: String,
        /// Its length in bytes.
        len: usize,
    },
    /// An access outside of all tensors.
    #[error("{access} of {} at address {address:#x}, where nothing is", counted(*size, "byte"))]
    Nowhere {
        /// `read`, `write` or `atomic access`.
        access: &'static str,
        /// Bytes accessed.
        size: usize,
        /// The address.
        address: u64,
    },
    /// The address is not a multiple of the element's size.
    #[error("misaligned {access} of {} at offset {offset} of `{tensor}`", counted(*size, "byte"))]
    Misaligned {
        /// `read`, `write` or `atomic access`.
        access: &'static str,
        /// Bytes accessed.
        size: usize,
        /// Bytes from the start of the tensor.
        offset: usize,
        /// Name of the tensor.
        tensor: String,
    },
    /// Bytes that nothing has written.
    #[error(
        "read of {} at offset {offset} of `{tensor}`, which nothing has written",
        counted(*size, "byte")
    )]
    Unwritten {
        /// Bytes accessed.
        size: usize,
        /// Bytes from the start of the tensor.
        offset: usize,
        /// Name of the tensor.
        tensor: String,
    },
}

#[derive(Clone, Debug)]
struct Tensor {
    name: String,
    address: u64,
    bytes: Vec<u8>,
    written: Vec<bool>,
}

/// Tensors at virtual addresses.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    tensors: Vec<Tensor>,
}

impl Memory {
    /// Adds a tensor with these elements and gives its address. Addresses are multiples of 4096.
    pub fn add<T: Element>(&mut self, name: &str, elements: &[T]) -> u64 {
        self.insert(name, bytemuck::cast_slice(elements).to_vec(), true)
    }

    /// Adds a tensor of bytes, all of them unwritten, and returns its address.
    pub fn reserve(&mut self, name: &str, bytes: usize) -> u64 {
        self.insert(name, vec![0; bytes], false)
    }

    fn insert(&mut self, name: &str, bytes: Vec<u8>, written: bool) -> u64 {
        let address = self.tensors.last().map_or(0, |t| t.address + t.bytes.len() as u64);
        let address = (address / SPACING + 1) * SPACING;
        let written = vec![written; bytes.len()];
        self.tensors.push(Tensor { name: name.to_owned(), address, bytes, written });
        address
    }

    /// Number of tensors.
    pub(super) fn len(&self) -> usize {
        self.tensors.len()
    }

    /// Forgets the tensors that were added last, down to `len`.
    pub(super) fn truncate(&mut self, len: usize) {
        self.tensors.truncate(len);
    }

    /// The tensor that holds these bytes and where in it, if the address is a multiple of `align`, a power of two.
    pub(super) fn place(
        &self,
        access: &'static str,
        address: u64,
        size: usize,
        align: usize,
    ) -> Result<(&str, usize), AccessFault> {
        let (tensor, offset) = self.find(access, address, size, align)?;
        Ok((&self.tensors[tensor].name, offset))
    }

    /// The bytes of a tensor, written or not.
    pub fn bytes(&self, name: &str) -> Option<&[u8]> {
        self.tensors.iter().find(|t| t.name == name).map(|t| &t.bytes[..])
    }

    /// The elements of a tensor; `None` if there is none of the name or its length is not a multiple of the element's.
    pub fn read_all<T: Element>(&self, name: &str) -> Option<Vec<T>> {
        let chunks = self.bytes(name)?.chunks_exact(size_of::<T>());
        let whole = chunks.remainder().is_empty();
        whole.then(|| chunks.map(bytemuck::pod_read_unaligned).collect())
    }

    /// Reads an element of at most 8 bytes, little endian.
    pub fn read(&self, address: u64, size: usize) -> Result<u64, AccessFault> {
        let (tensor, offset) = self.find("read", address, size, size)?;
        let tensor = &self.tensors[tensor];
        if tensor.written[offset..offset + size].contains(&false) {
            return Err(AccessFault::Unwritten { size, offset, tensor: tensor.name.clone() });
        }
        let mut bytes = [0; 8];
        bytes[..size].copy_from_slice(&tensor.bytes[offset..offset + size]);
        Ok(u64::from_le_bytes(bytes))
    }

    /// Writes an element of at most 8 bytes, little endian.
    pub fn write(&mut self, address: u64, size: usize, bits: u64) -> Result<(), AccessFault> {
        let (tensor, offset) = self.find("write", address, size, size)?;
        let tensor = &mut self.tensors[tensor];
        tensor.bytes[offset..offset + size].copy_from_slice(&bits.to_le_bytes()[..size]);
        tensor.written[offset..offset + size].fill(true);
        Ok(())
    }

    /// The tensor that holds these bytes, and where in it.
    fn find(
        &self,
        access: &'static str,
        address: u64,
        size: usize,
        align: usize,
    ) -> Result<(usize, usize), AccessFault> {
        // Distance to the tensor, 0 inside.
        let distance = |t: &Tensor| {
            let end = t.address + t.bytes.len() as u64;
            t.address.saturating_sub(address).max(address.saturating_sub(end.saturating_sub(1)))
        };
        let nearest = self.tensors.iter().enumerate().min_by_key(|(_, t)| distance(t));
        let Some((index, tensor)) = nearest else {
            return Err(AccessFault::Nowhere { access, size, address });
        };
        let offset = i128::from(address) - i128::from(tensor.address);
        let name = || tensor.name.clone();
        let inside = usize::try_from(offset).ok();
        match inside.filter(|o| o.checked_add(size).is_some_and(|end| end <= tensor.bytes.len())) {
            Some(offset) if !offset.is_multiple_of(align) => {
                Err(AccessFault::Misaligned { access, size, offset, tensor: name() })
            }
            Some(offset) => Ok((index, offset)),
            None => {
                let len = tensor.bytes.len();
                Err(AccessFault::Outside { access, size, offset, tensor: name(), len })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_are_checked_and_name_the_nearest_tensor() {
        let mut memory = Memory::default();
        assert!(matches!(memory.read(8, 4), Err(AccessFault::Nowhere { address: 8, .. })));
        let a = memory.add("a", &[1i32, -2]);
        let b = memory.reserve("b", 8);
        let empty = memory.add::<f32>("empty", &[]);
        assert_eq!(memory.read(a + 4, 4), Ok(0xffff_fffe));
        let text = |r: Result<u64, AccessFault>| r.unwrap_err().to_string();
        assert_eq!(
            text(memory.read(a + 8, 4)),
            "read of 4 bytes at offset 8 of `a`, which has 8 bytes"
        );
        assert_eq!(
            text(memory.read(a + 4, 8)),
            "read of 8 bytes at offset 4 of `a`, which has 8 bytes"
        );
        assert_eq!(
            text(memory.read(b - 4, 4)),
            "read of 4 bytes at offset -4 of `b`, which has 8 bytes"
        );
        assert_eq!(text(memory.read(a + 2, 4)), "misaligned read of 4 bytes at offset 2 of `a`");
        assert_eq!(
            text(memory.read(b, 4)),
            "read of 4 bytes at offset 0 of `b`, which nothing has written"
        );
        assert_eq!(
            text(memory.read(empty, 4)),
            "read of 4 bytes at offset 0 of `empty`, which has 0 bytes"
        );
        memory.write(b + 4, 2, 0x1_2345).unwrap();
        assert_eq!(memory.read(b + 4, 2), Ok(0x2345));
        assert!(memory.read(b + 4, 4).is_err());
        assert_eq!(memory.bytes("b"), Some(&[0, 0, 0, 0, 0x45, 0x23, 0, 0][..]));
        assert!(memory.write(u64::MAX, 4, 0).is_err());
        assert_eq!(memory.read_all::<i32>("a"), Some(vec![1, -2]));
        assert_eq!(memory.read_all::<i32>("c"), None);
    }
}
