//! Headers of .npy files: a Python dictionary of the element type, the order and the dimensions.

use std::fmt;

/// The first bytes of every .npy file.
pub(super) const MAGIC: &[u8] = b"\x93NUMPY";

/// The contents of a header.
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
        let rest = bytes.strip_prefix(MAGIC).ok_or("it is not a .npy file")?;
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
        let fields = Scan(&text)
            .dictionary()
            .ok_or_else(|| format!("its header is not a dictionary of Python: {ANEW}"))?;
        let find = |key: &str| fields.iter().find(|(k, _)| *k == key).map(|(_, value)| value);
        let unusable = |key: &str, kind: &str| match find(key) {
            Some(value) => format!("`{key}` in its header is {value}, which is not {kind}: {ANEW}"),
            None => format!("its header has no `{key}`: {ANEW}"),
        };
        let descr = match find("descr") {
            Some(Python::Text(descr)) => (*descr).to_owned(),
            Some(Python::List(_)) => {
                return Err("it holds records of named fields: save each field separately, \
                            for example `numpy.save(file, array['field'])`"
                    .into());
            }
            _ => return Err(unusable("descr", "text")),
        };
        let Some(&Python::Bool(fortran)) = find("fortran_order") else {
            return Err(unusable("fortran_order", "a truth value"));
        };
        let Some(Python::Tuple(items)) = find("shape") else {
            return Err(unusable("shape", "a tuple of sizes"));
        };
        Ok(Header { descr, fortran, dims: dims(items)?, size })
    }
}

/// The hint for a header that NumPy does not write.
pub(super) const ANEW: &str = "save the array again by `numpy.save`";

/// The sizes in a tuple; Python 2 wrote `2L, 3L`.
fn dims(items: &str) -> Result<Vec<usize>, String> {
    let size = |item: &str| {
        item.strip_suffix('L').unwrap_or(item).parse().map_err(|_| {
            let most = usize::MAX;
            format!("its shape ({items}) has {item}, which is not a size from 0 to {most}: {ANEW}")
        })
    };
    items.split(',').map(str::trim).filter(|item| !item.is_empty()).map(size).collect()
}

/// A value of Python, as far as headers have them.
#[derive(Debug, PartialEq)]
enum Python<'a> {
    Text(&'a str),
    Bool(bool),
    /// The text between the parentheses.
    Tuple(&'a str),
    /// The fields of a record.
    List(&'a str),
    Other(&'a str),
}

impl fmt::Display for Python<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Python::Text(text) => write!(f, "'{text}'"),
            Python::Bool(true) => f.write_str("True"),
            Python::Bool(false) => f.write_str("False"),
            Python::Tuple(items) => write!(f, "({items})"),
            Python::List(text) | Python::Other(text) => f.write_str(text),
        }
    }
}

/// The rest of a text.
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
            '[' => self.list().map(Python::List),
            _ if self.expect("True").is_some() => Some(Python::Bool(true)),
            _ if self.expect("False").is_some() => Some(Python::Bool(false)),
            _ => self.other().map(Python::Other),
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

    fn tuple(&mut self) -> Option<&'a str> {
        self.expect("(")?;
        let (inside, rest) = self.0.split_once(')')?;
        self.0 = rest;
        Some(inside)
    }

    /// A number or the like.
    fn other(&mut self) -> Option<&'a str> {
        let (text, rest) = self.0.split_at(self.0.find([',', '}'])?);
        self.0 = rest;
        Some(text.trim()).filter(|text| !text.is_empty())
    }

    /// A list and all that is in it.
    fn list(&mut self) -> Option<&'a str> {
        let start = self.0.trim_start();
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
                return start.get(..start.len() - self.0.len());
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
        assert_eq!(plain[2], ("shape", Python::Tuple("3, 4")));
        let other = fields("{\"shape\":(3L,),\"fortran_order\":True}").unwrap();
        assert_eq!(other[0].1, Python::Tuple("3L,"));
        assert_eq!(
            [dims("3L,"), dims("3, 4"), dims("")],
            [Ok(vec![3]), Ok(vec![3, 4]), Ok(vec![])]
        );
        assert_eq!(other[1].1, Python::Bool(true));
        let record = "{'descr': [('a', '<f4', (2,)), ('b]', [('c', '|u1')])], 'shape': ()}";
        let list = Python::List("[('a', '<f4', (2,)), ('b]', [('c', '|u1')])]");
        assert_eq!(fields(record).unwrap()[0].1, list);
        assert_eq!(fields("{'a': 1 , 'b': -2}").unwrap()[0].1, Python::Other("1"));
        for wrong in ["", "{", "{'a'}", "{'a': }", "{'a': 1", "{'a': (1, -2}", "{'a': [(}"] {
            assert_eq!(fields(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn headers_that_numpy_does_not_write_are_told_by_what_they_have() {
        let refused = |descr: &str, order: &str, shape: &str| {
            let text = format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}}}");
            let length = (text.len() as u16).to_le_bytes();
            Header::parse(&[MAGIC, &[1, 0], &length, text.as_bytes()].concat()).unwrap_err()
        };
        for (shape, expected) in [
            (
                "(2, -3)",
                "its shape (2, -3) has -3, which is not a size from 0 to 18446744073709551615",
            ),
            ("(18446744073709551616,)", "has 18446744073709551616, which is not a size"),
            ("(2, 1.5)", "has 1.5, which is not a size"),
            ("(2, (3, 4))", "its header is not a dictionary of Python: save the array again"),
            ("6", "`shape` in its header is 6, which is not a tuple of sizes"),
            ("None", "`shape` in its header is None, which"),
            ("[2, 3]", "`shape` in its header is [2, 3], which"),
            ("'(2, 3)'", "`shape` in its header is '(2, 3)', which"),
        ] {
            let error = refused("'<f4'", "False", shape);
            assert!(error.contains(expected), "{error}");
        }
        assert_eq!(
            refused("'<f4'", "0", "(2,)"),
            "`fortran_order` in its header is 0, which is not a truth value: save the array again by \
             `numpy.save`"
        );
        assert!(
            refused("4", "False", "(2,)").contains("`descr` in its header is 4, which is not text")
        );
    }
}
