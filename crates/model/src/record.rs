//! Numbers and texts as bytes: numbers have 8, little endian; texts and lists have their length in front.

use crate::error::LoadError;

/// Appends records.
#[derive(Default)]
pub(crate) struct Writer(pub(crate) Vec<u8>);

impl Writer {
    pub(crate) fn number(&mut self, n: u64) {
        self.0.extend_from_slice(&n.to_le_bytes());
    }

    pub(crate) fn size(&mut self, n: usize) {
        self.number(n as u64);
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.size(text.len());
        self.0.extend_from_slice(text.as_bytes());
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// A list, the items by `item`.
    pub(crate) fn list<T>(
        &mut self,
        items: impl ExactSizeIterator<Item = T>,
        mut item: impl FnMut(&mut Writer, T),
    ) {
        self.size(items.len());
        items.for_each(|it| item(self, it));
    }
}

/// Takes records from the front.
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, len: usize) -> Result<&'a [u8], LoadError> {
        let end = || LoadError::malformed("a record ends too early");
        let (taken, rest) = self.0.split_at_checked(len).ok_or_else(end)?;
        self.0 = rest;
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], LoadError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub(crate) fn number(&mut self) -> Result<u64, LoadError> {
        self.array().map(u64::from_le_bytes)
    }

    pub(crate) fn size(&mut self) -> Result<usize, LoadError> {
        let n = self.number()?;
        usize::try_from(n)
            .map_err(|_| LoadError::malformed(format!("{n} is not a size that memory can have")))
    }

    pub(crate) fn text(&mut self) -> Result<String, LoadError> {
        self.str().map(str::to_owned)
    }

    pub(crate) fn str(&mut self) -> Result<&'a str, LoadError> {
        let len = self.size()?;
        let text = std::str::from_utf8(self.take(len)?);
        text.map_err(|error| LoadError::malformed(format!("a text: {error}")))
    }

    /// A list, the items by `item`. An item that takes no bytes would make a list of any length.
    pub(crate) fn list<T>(
        &mut self,
        mut item: impl FnMut(&mut Reader<'a>) -> Result<T, LoadError>,
    ) -> Result<Vec<T>, LoadError> {
        let len = self.size()?;
        let mut items = vec![];
        for _ in 0..len {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// Checks that the rest is padding.
    pub(crate) fn end(&self) -> Result<(), LoadError> {
        match self.0.iter().all(|&b| b == 0) {
            true => Ok(()),
            false => Err(LoadError::malformed("more follows the last record")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut writer = Writer::default();
        writer.number(u64::MAX);
        writer.list(["a", "", "ü"].iter(), |w, text| w.text(text));
        writer.bytes(&[0; 5]);
        let mut reader = Reader(&writer.0);
        assert_eq!(reader.number().unwrap(), u64::MAX);
        assert_eq!(reader.list(Reader::text).unwrap(), ["a", "", "ü"]);
        reader.end().unwrap();
    }

    #[test]
    fn nonsense_is_an_error() {
        let huge = u64::MAX.to_le_bytes();
        assert!(Reader(&huge).text().is_err());
        assert!(Reader(&huge).list(Reader::number).is_err());
        assert!(Reader(&huge[1..]).number().is_err());
        assert!(Reader(&huge).end().is_err());
        let mut not_text = Writer::default();
        not_text.size(1);
        not_text.bytes(&[0xff]);
        assert!(Reader(&not_text.0).text().is_err());
    }
}
