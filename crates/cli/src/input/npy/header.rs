//! Headers of .npy files: a Python dictionary of the element type, the order and the dimensions.

/// The first bytes of every .npy file.
pub(super) const MAGIC: &[u8] = b"\x93NUMPY";

/// What a header says.
#[derive(Debug)]
pub(super) struct Header {
    /// The element type: its order of bytes, its kind and its size.
    pub(super) descr: String,
    /// Columns first.
    pub(super) fortran: bool,
    pub(super) dims: Vec<usize>,
    /// Bytes before the elements.
    pub(super) size: usize,
}

impl Header {
    pub(super) fn parse(bytes: &[u8]) -> Result<Header, String> {
        if bytes.is_empty() {
            return Err("it is empty".into());
        }
        let short = || "it is cut off within its header".to_owned();
        let rest = bytes.strip_prefix(MAGIC).ok_or("it is no .npy file")?;
        let &[major, _, ref rest @ ..] = rest else { return Err(short()) };
        let width = match major {
            1 => 2,
            2 | 3 => 4,
            other => return Err(format!("its format version {other} is not supported")),
        };
        let length = rest.get(..width).ok_or_else(short)?;
        let length = length.iter().rev().fold(0usize, |n, &b| n << 8 | usize::from(b));
        let start = MAGIC.len() + 2 + width;
        let size = start.checked_add(length).ok_or_else(short)?;
        let text = String::from_utf8_lossy(bytes.get(start..size).ok_or_else(short)?);
        let fields = Scan(&text).dictionary().ok_or("its header is no dictionary of Python")?;
        let find = |key: &str| fields.iter().find(|(k, _)| *k == key).map(|(_, value)| value);
        let missing = |key: &str| format!("its header has no usable `{key}`");
        let descr = match find("descr") {
            Some(Python::Text(descr)) => (*descr).to_owned(),
            Some(Python::List) => {
                return Err("it holds records of named fields: save each field by itself, \
                            for example `numpy.save(file, array['field'])`"
                    .into());
            }
            _ => return Err(missing("descr")),
        };
        let Some(&Python::Bool(fortran)) = find("fortran_order") else {
            return Err(missing("fortran_order"));
        };
        let Some(Python::Tuple(dims)) = find("shape") else { return Err(missing("shape")) };
        Ok(Header { descr, fortran, dims: dims.clone(), size })
    }
}

/// A value of Python, as far as headers have them.
#[derive(Debug, PartialEq)]
enum Python<'a> {
    Text(&'a str),
    Bool(bool),
    Tuple(Vec<usize>),
    /// The fields of a record.
    List,
}

/// What is left of a text.
struct Scan<'a>(&'a str);

impl<'a> Scan<'a> {
    /// `{'key': value, …}`
    fn dictionary(&mut self) -> Option<Vec<(&'a str, Python<'a>)>> {
        let mut fields = Vec::new();
        self.expect("{")?;
        while self.expect("}").is_none() {
            let key = self.text()?;
            self.expect(":")?;
            fields.push((key, self.value()?));
            if self.expect(",").is_none() {
                self.expect("}")?;
                break;
            }
        }
        Some(fields)
    }

    fn value(&mut self) -> Option<Python<'a>> {
        match self.0.trim_start().chars().next()? {
            '\'' | '"' => self.text().map(Python::Text),
            '(' => self.tuple().map(Python::Tuple),
            '[' => self.list(),
            _ if self.expect("True").is_some() => Some(Python::Bool(true)),
            _ => self.expect("False").map(|()| Python::Bool(false)),
        }
    }

    /// Headers have no escapes in the texts that matter here.
    fn text(&mut self) -> Option<&'a str> {
        let rest = self.0.trim_start();
        let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
        let (text, rest) = rest.get(1..)?.split_once(quote)?;
        self.0 = rest;
        Some(text)
    }

    /// `(2, 3)`; Python 2 wrote `(2L, 3L)`.
    fn tuple(&mut self) -> Option<Vec<usize>> {
        self.expect("(")?;
        let (inside, rest) = self.0.split_once(')')?;
        self.0 = rest;
        let numbers = inside.split(',').map(str::trim).filter(|n| !n.is_empty());
        numbers.map(|n| n.strip_suffix('L').unwrap_or(n).parse().ok()).collect()
    }

    /// Skips a list and all that is in it.
    fn list(&mut self) -> Option<Python<'a>> {
        let mut depth = 0usize;
        loop {
            self.0 = self.0.trim_start();
            let c = self.0.chars().next()?;
            match c {
                '\'' | '"' => {
                    self.text()?;
                    continue;
                }
                '[' => depth += 1,
                ']' => depth -= 1,
                _ => {}
            }
            self.0 = self.0.get(c.len_utf8()..)?;
            if depth == 0 {
                return Some(Python::List);
            }
        }
    }

    fn expect(&mut self, word: &str) -> Option<()> {
        self.0 = self.0.trim_start().strip_prefix(word)?;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(text: &str) -> Option<Vec<(&str, Python<'_>)>> {
        Scan(text).dictionary()
    }

    #[test]
    fn dictionaries_of_every_spelling_are_read() {
        let plain = fields("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }").unwrap();
        assert_eq!(plain[0], ("descr", Python::Text("<f4")));
        assert_eq!(plain[1], ("fortran_order", Python::Bool(false)));
        assert_eq!(plain[2], ("shape", Python::Tuple(vec![3, 4])));
        let other = fields("{\"shape\":(3L,),\"fortran_order\":True}").unwrap();
        assert_eq!(other[0].1, Python::Tuple(vec![3]));
        assert_eq!(other[1].1, Python::Bool(true));
        let record = "{'descr': [('a', '<f4', (2,)), ('b]', [('c', '|u1')])], 'shape': ()}";
        assert_eq!(fields(record).unwrap()[0].1, Python::List);
        for wrong in ["", "{", "{'a'}", "{'a': }", "{'a': 1}", "{'a': (1, -2)}", "{'a': [(}"] {
            assert_eq!(fields(wrong), None, "{wrong}");
        }
    }
}
