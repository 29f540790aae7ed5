//! Compiled code as bytes, and the seal that authenticates stored bytes.
#![allow(unsafe_code)]

use std::fmt;

/// Compiled code in the form that its device loads. Loading it leads to its execution, so safe code obtains one only
/// from [`Kernel::image`](crate::Kernel::image), or from [`Key::open`], which proves that it came from there.
#[derive(Clone, PartialEq, Eq)]
pub struct KernelImage(Vec<u8>);

impl KernelImage {
    /// The code of a compiled kernel.
    ///
    /// # Safety
    /// The bytes are those that a device of this program generated from a kernel that it compiled.
    pub unsafe fn new(bytes: Vec<u8>) -> KernelImage {
        KernelImage(bytes)
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for KernelImage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KernelImage({} bytes)", self.0.len())
    }
}

/// The key for seals: without it no seal can be created.
#[derive(Clone)]
pub struct Key([u8; Key::BYTES]);

/// The contents of a seal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsealedKernel {
    /// The kernel's name.
    pub name: String,
    /// The kernel's description: its source and the like.
    pub about: Vec<u8>,
    /// Its code, if any.
    pub image: Option<KernelImage>,
}

/// Why sealed bytes are rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// Not sealed with this key, truncated or changed.
    #[error("not a kernel that Trident saved for this user, or changed since then")]
    Forged,
    /// Intact, but for a different kernel than requested.
    #[error("the kernel `{found}` in place of `{wanted}`")]
    Swapped {
        /// The kernel requested.
        wanted: String,
        /// The kernel found.
        found: String,
    },
}

/// First bytes of sealed data; the number is the version of the layout.
const MARK: &[u8; 8] = b"trident2";

impl Key {
    /// Size of a key in bytes.
    pub const BYTES: usize = 32;

    /// A random key; `None` if the system provides no random numbers.
    pub fn random() -> Option<Key> {
        let mut bytes = [0; Key::BYTES];
        getrandom::fill(&mut bytes).ok()?;
        Some(Key(bytes))
    }

    pub(crate) fn from_bytes(bytes: [u8; Key::BYTES]) -> Key {
        Key(bytes)
    }

    pub(crate) fn bytes(&self) -> &[u8; Key::BYTES] {
        &self.0
    }

    /// The keyed digest (BLAKE3) in the seal.
    fn digest(&self, body: &[u8]) -> blake3::Hash {
        blake3::Hasher::new_keyed(&self.0).update(MARK).update(body).finalize()
    }

    /// Seals a kernel's name, its description and its code, so that none can be changed or replaced separately.
    pub fn seal(&self, name: &str, about: &[u8], image: Option<&KernelImage>) -> Vec<u8> {
        let image = image.map_or(&[][..], KernelImage::bytes);
        let mut body = Vec::with_capacity(16 + name.len() + about.len() + image.len());
        for part in [name.as_bytes(), about] {
            body.extend_from_slice(&(part.len() as u64).to_le_bytes());
            body.extend_from_slice(part);
        }
        body.extend_from_slice(image);
        [&MARK[..], self.digest(&body).as_bytes(), &body].concat()
    }

    /// Opens what [`Key::seal`] sealed with this key, requiring the name `wanted` if given.
    pub fn open(&self, sealed: &[u8], wanted: Option<&str>) -> Result<UnsealedKernel, SealError> {
        let (digest, body) = sealed
            .strip_prefix(MARK)
            .and_then(|rest| rest.split_first_chunk::<{ blake3::OUT_LEN }>())
            .ok_or(SealError::Forged)?;
        // This comparison takes constant time wherever the digests differ.
        if self.digest(body) != blake3::Hash::from_bytes(*digest) {
            return Err(SealError::Forged);
        }
        let (name, rest) = part(body).ok_or(SealError::Forged)?;
        let (about, image) = part(rest).ok_or(SealError::Forged)?;
        let name = String::from_utf8(name.to_vec()).map_err(|_| SealError::Forged)?;
        if let Some(wanted) = wanted.filter(|wanted| *wanted != name) {
            return Err(SealError::Swapped { wanted: wanted.to_owned(), found: name });
        }
        // SAFETY: the digest proves that a holder of the key sealed these bytes, and `seal` accepts code only from
        // images.
        let image = (!image.is_empty()).then(|| unsafe { KernelImage::new(image.to_vec()) });
        Ok(UnsealedKernel { name, about: about.to_vec(), image })
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

/// Splits off a part that is preceded by its length.
fn part(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(bytes: &[u8]) -> KernelImage {
        // SAFETY: nothing loads it.
        unsafe { KernelImage::new(bytes.to_vec()) }
    }

    #[test]
    fn what_was_sealed_opens() {
        let key = Key::random().unwrap();
        for code in [None, Some(image(b"code"))] {
            let sealed = key.seal("add", b"source", code.as_ref());
            let expected =
                UnsealedKernel { name: "add".into(), about: b"source".to_vec(), image: code };
            assert_eq!(key.open(&sealed, None), Ok(expected.clone()));
            assert_eq!(key.open(&sealed, Some("add")), Ok(expected));
        }
    }

    #[test]
    fn a_change_anywhere_is_noticed() {
        let key = Key::random().unwrap();
        let sealed = key.seal("add", b"source", Some(&image(b"code")));
        for i in 0..sealed.len() {
            assert_eq!(key.open(&sealed[..i], None), Err(SealError::Forged), "cut at {i}");
            let mut changed = sealed.clone();
            changed[i] ^= 1;
            assert_eq!(key.open(&changed, None), Err(SealError::Forged), "byte {i}");
        }
        assert_eq!(key.open(&[&sealed[..], b"x"].concat(), None), Err(SealError::Forged));
        assert_eq!(Key::random().unwrap().open(&sealed, None), Err(SealError::Forged));
    }

    #[test]
    fn parts_do_not_flow_into_one_another() {
        let key = Key([7; Key::BYTES]);
        let digests = [("ab", &b"c"[..], &b"d"[..]), ("a", b"bc", b"d"), ("ab", b"cd", b"")]
            .map(|(name, about, code)| key.seal(name, about, Some(&image(code)))[8..40].to_vec());
        assert!(digests[0] != digests[1] && digests[1] != digests[2] && digests[0] != digests[2]);
    }

    #[test]
    fn another_kernel_than_wanted_is_refused() {
        let key = Key::random().unwrap();
        let sealed = key.seal("mul", b"source", None);
        let swapped = SealError::Swapped { wanted: "add".into(), found: "mul".into() };
        assert_eq!(key.open(&sealed, Some("add")), Err(swapped));
    }

    #[test]
    fn a_key_is_not_printed() {
        assert_eq!(format!("{:?}", Key([7; Key::BYTES])), "Key(…)");
    }
}
