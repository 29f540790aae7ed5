//! A reader of protobuf's language, as far as the files in `protos` use it: no options, no comments, and names without leading dots.

use super::descriptor::{
    EnumDescriptor, EnumValueDescriptor, FieldDescriptor, FileDescriptor, MessageDescriptor,
    MessageOptions, MethodDescriptor, OneofDescriptor, REPEATED, SINGLE, ServiceDescriptor, scalar,
};

/// Why a file cannot be read. The files are our own, so this is a bug.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{file}`: expected {expected}, found `{found}`; this is a bug in Trident")]
pub(super) struct ProtoError {
    pub(super) file: &'static str,
    expected: &'static str,
    found: String,
}

/// Reads a file. Names of messages and enumerations stay as they are written.
pub(super) fn parse(file: &'static str, text: &str) -> Result<FileDescriptor, ProtoError> {
    let mut words = Words { file, rest: text };
    let mut read = FileDescriptor { name: file.to_owned(), ..FileDescriptor::default() };
    while let Some(word) = words.take() {
        match word {
            "syntax" => {
                words.expect("=")?;
                read.syntax = words.end_quoted()?;
            }
            "package" => read.package = words.end_word()?,
            "import" => read.dependencies.push(words.end_quoted()?),
            "service" => read.services.push(service(&mut words)?),
            "message" => read.messages.push(message(&mut words)?),
            "enum" => read.enums.push(enumeration(&mut words)?),
            found => return Err(words.fault("a declaration", found)),
        }
    }
    Ok(read)
}

fn service(words: &mut Words<'_>) -> Result<ServiceDescriptor, ProtoError> {
    let mut read = ServiceDescriptor { name: words.word()?, methods: vec![] };
    words.expect("{")?;
    while !words.skip("}") {
        words.expect("rpc")?;
        let mut method = MethodDescriptor { name: words.word()?, ..MethodDescriptor::default() };
        words.expect("(")?;
        method.streams_input = words.skip("stream");
        method.input = words.word()?;
        words.expect(")")?;
        words.expect("returns")?;
        words.expect("(")?;
        method.streams_output = words.skip("stream");
        method.output = words.word()?;
        words.expect(")")?;
        words.expect(";")?;
        read.methods.push(method);
    }
    Ok(read)
}

fn message(words: &mut Words<'_>) -> Result<MessageDescriptor, ProtoError> {
    let mut read = MessageDescriptor { name: words.word()?, ..MessageDescriptor::default() };
    words.expect("{")?;
    while !words.skip("}") {
        if words.skip("message") {
            read.messages.push(message(words)?);
        } else if words.skip("enum") {
            read.enums.push(enumeration(words)?);
        } else if words.skip("oneof") {
            // There are fewer than 2^31 of them in a text.
            let oneof = Some(read.oneofs.len() as i32);
            read.oneofs.push(OneofDescriptor { name: words.word()? });
            words.expect("{")?;
            while !words.skip("}") {
                read.fields.push(FieldDescriptor { oneof, ..field(words, SINGLE)? });
            }
        } else if words.skip("map") {
            map(words, &mut read)?;
        } else {
            let label = if words.skip("repeated") { REPEATED } else { SINGLE };
            read.fields.push(field(words, label)?);
        }
    }
    Ok(read)
}

/// A map is a list of pairs, which are messages.
fn map(words: &mut Words<'_>, to: &mut MessageDescriptor) -> Result<(), ProtoError> {
    words.expect("<")?;
    let key = typed(words.word()?);
    words.expect(",")?;
    let value = typed(words.word()?);
    words.expect(">")?;
    let (name, number) = named(words)?;
    let capital = |part: &str| {
        let (first, rest) = part.split_at(part.len().min(1));
        first.to_ascii_uppercase() + rest
    };
    let pair = format!("{}Entry", name.split('_').map(capital).collect::<String>());
    let part = |name: &str, number, typed| FieldDescriptor {
        name: name.to_owned(),
        number,
        label: SINGLE,
        ..typed
    };
    to.messages.push(MessageDescriptor {
        name: pair.clone(),
        fields: vec![part("key", 1, key), part("value", 2, value)],
        options: Some(MessageOptions { map_entry: true }),
        ..MessageDescriptor::default()
    });
    to.fields.push(FieldDescriptor { name, number, label: REPEATED, ..typed(pair) });
    Ok(())
}

fn field(words: &mut Words<'_>, label: i32) -> Result<FieldDescriptor, ProtoError> {
    let typed = typed(words.word()?);
    let (name, number) = named(words)?;
    Ok(FieldDescriptor { name, number, label, ..typed })
}

/// A field's type.
fn typed(name: String) -> FieldDescriptor {
    match scalar(&name) {
        Some(kind) => FieldDescriptor { kind, ..FieldDescriptor::default() },
        None => FieldDescriptor { type_name: name, ..FieldDescriptor::default() },
    }
}

/// `<name> = <number>;`
fn named(words: &mut Words<'_>) -> Result<(String, i32), ProtoError> {
    let name = words.word()?;
    words.expect("=")?;
    let number = words.end_word()?;
    let parsed = number.parse();
    Ok((name, parsed.map_err(|_| words.fault("a number", &number))?))
}

fn enumeration(words: &mut Words<'_>) -> Result<EnumDescriptor, ProtoError> {
    let mut read = EnumDescriptor { name: words.word()?, values: vec![] };
    words.expect("{")?;
    while !words.skip("}") {
        let (name, number) = named(words)?;
        read.values.push(EnumValueDescriptor { name, number: Some(number) });
    }
    Ok(read)
}

/// The words of a text: names, numbers, texts in quotes and single signs.
struct Words<'a> {
    file: &'static str,
    rest: &'a str,
}

impl<'a> Words<'a> {
    fn take(&mut self) -> Option<&'a str> {
        let text = self.rest.trim_start();
        let first = text.chars().next()?;
        let is_of_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
        let length = match first {
            '"' => text[1..].find('"').map_or(text.len(), |end| end + 2),
            _ if is_of_word(first) => text.find(|c| !is_of_word(c)).unwrap_or(text.len()),
            _ => first.len_utf8(),
        };
        let (word, rest) = text.split_at(length);
        self.rest = rest;
        Some(word)
    }

    /// Whether the next word is this one, which is taken then.
    fn skip(&mut self, word: &str) -> bool {
        let before = self.rest;
        let is_next = self.take() == Some(word);
        if !is_next {
            self.rest = before;
        }
        is_next
    }

    fn expect(&mut self, word: &'static str) -> Result<(), ProtoError> {
        match self.take() {
            Some(found) if found == word => Ok(()),
            found => Err(self.fault(word, found.unwrap_or_default())),
        }
    }

    /// A name or number.
    fn word(&mut self) -> Result<String, ProtoError> {
        match self.take() {
            Some(word) if word.starts_with(|c: char| c.is_ascii_alphanumeric()) => {
                Ok(word.to_owned())
            }
            found => Err(self.fault("a name", found.unwrap_or_default())),
        }
    }

    /// A name or number, and a semicolon.
    fn end_word(&mut self) -> Result<String, ProtoError> {
        let word = self.word()?;
        self.expect(";").map(|()| word)
    }

    /// A text in quotes, and a semicolon.
    fn end_quoted(&mut self) -> Result<String, ProtoError> {
        let word = self.take().unwrap_or_default();
        let text = word.strip_prefix('"').and_then(|word| word.strip_suffix('"'));
        let text = text.ok_or_else(|| self.fault("a text in quotes", word))?.to_owned();
        self.expect(";").map(|()| text)
    }

    fn fault(&self, expected: &'static str, found: &str) -> ProtoError {
        ProtoError { file: self.file, expected, found: found.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_files_are_refused() {
        for (text, expected, found) in [
            ("syntax = 3;", "a text in quotes", "3"),
            ("message M { int32 a = b; }", "a number", "b"),
            ("message M { int32 a = 1", ";", ""),
            ("service S { rpc R(A) B; }", "returns", "B"),
            ("option x;", "a declaration", "option"),
        ] {
            let error = parse("f", text).unwrap_err();
            assert_eq!((error.expected, error.found.as_str()), (expected, found), "{text}");
        }
    }
}
