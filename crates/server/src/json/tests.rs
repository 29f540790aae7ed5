use bytes::Bytes;

use super::*;

fn read(text: &[u8]) -> Result<Document, JsonError> {
    Document::parse(Bytes::copy_from_slice(text))
}

fn fault(text: &str) -> String {
    read(text.as_bytes()).unwrap_err().to_string()
}

#[test]
fn faults_have_the_servers_texts_and_places() {
    let cases = [
        ("", "The document is empty. at 0"),
        ("  ", "The document is empty. at 2"),
        ("{nope", "Missing a name for object member. at 1"),
        ("{\"a\" 1}", "Missing a colon after a name of object member. at 5"),
        ("{\"a\":1 2}", "Missing a comma or } after an object member. at 7"),
        ("[1 2]", "Missing a comma or ']' after an array element. at 3"),
        ("[true false]", "Missing a comma or ']' after an array element. at 6"),
        ("[1,]", "Invalid value. at 3"),
        ("[1", "Missing a comma or ']' after an array element. at 2"),
        ("{} {}", "The document root must not be followed by other values. at 3"),
        ("trux", "Invalid value. at 3"),
        ("-", "Invalid value. at 1"),
        ("Nan", "Invalid value. at 2"),
        ("Infinit", "Invalid value. at 7"),
        ("1.", "Miss fraction part in number. at 2"),
        ("1e+", "Miss exponent in number. at 3"),
        ("[1e400]", "Number too big to be stored in double. at 1"),
        ("01", "The document root must not be followed by other values. at 1"),
        (r#""a"#, "Missing a closing quotation mark in string. at 2"),
        (r#""\q""#, "Invalid escape character in string. at 1"),
        (r#""\u12g4""#, "Incorrect hex digit after \\u escape in string. at 1"),
        (r#""\ud800x""#, "The surrogate pair in string is invalid. at 1"),
        ("\"\u{1}\"", "Invalid escape character in string. at 1"),
    ];
    for (text, expected) in cases {
        assert_eq!(fault(text), expected, "{text}");
    }
}

#[test]
fn depth_takes_no_stack() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let mut text = open.repeat(1_000_000);
        assert!(read(text.as_bytes()).is_err());
        text += "[]";
        text += &close.repeat(1_000_000);
        assert!(read(text.as_bytes()).is_ok());
    }
}

#[test]
fn values_are_read_by_type() {
    let text = br#"{"s":"a\u00e9\ud83d\ude00\n","i":-5,"u":18446744073709551615,"d":1.5e2,"b":true,
        "n":null,"a":[1,2],"m":[1,"x"],"e":{},"s":"second"}"#;
    let document = read(text).unwrap();
    let root = document.root();
    let get = |name| root.get(name).unwrap();
    assert_eq!(*get("s").string().unwrap(), *"aé😀\n".as_bytes(), "the first of equal names");
    assert_eq!(get("i").signed(), Ok(-5));
    assert_eq!(get("i").unsigned(), Err(WrongType::Unsigned));
    assert_eq!(get("u").unsigned(), Ok(u64::MAX));
    assert_eq!(get("u").signed(), Err(WrongType::Signed));
    assert_eq!(get("d").float(), Ok(150.0));
    assert_eq!(get("d").signed(), Err(WrongType::Signed), "not written as an integer");
    assert_eq!(get("b").boolean(), Ok(true));
    assert!(get("n").is_null() && get("a").is_array() && get("e").is_object());
    assert_eq!(get("a").integers(), Ok(vec![1, 2]));
    assert_eq!(get("m").elements().unwrap().count(), 2);
    assert_eq!(get("e").members().unwrap().count(), 0);
    assert_eq!(
        root.member("x").unwrap_err().to_string(),
        "attempt to access non-existing object member 'x'"
    );
}

#[test]
fn strings_keep_bytes_that_are_not_utf8() {
    let document = read(b"\"\xFF\xC0\"").unwrap();
    assert_eq!(*document.root().string().unwrap(), *b"\xFF\xC0");
}

#[test]
fn nested_arrays_fill_a_tensor() {
    let fill = |text: &str, scalar, bytes: usize| {
        let document = read(text.as_bytes()).unwrap();
        let mut place = vec![0xAA; bytes];
        let filled = document.root().fill(scalar, &mut place);
        match document.root().check(scalar) {
            Ok(count) => assert_eq!(filled.is_ok(), count * scalar.size() == bytes, "{text}"),
            Err(error) => {
                assert!(filled.is_err() && (filled == Err(error) || bytes == 0), "{text}")
            }
        }
        filled.map(|()| place)
    };
    assert_eq!(fill("[[1,2],[3,-4]]", FillType::Signed(1), 4), Ok(vec![1, 2, 3, 252]));
    assert_eq!(fill("[2147483648]", FillType::Signed(4), 4), Ok(vec![0, 0, 0, 128]), "wraps");
    assert_eq!(fill("[true,false]", FillType::Bool, 2), Ok(vec![1, 0]));
    assert_eq!(fill("[]", FillType::F32, 0), Ok(vec![]));
    assert_eq!(fill("5", FillType::Unsigned(1), 1), Ok(vec![5]), "a scalar is one element");
    assert_eq!(fill("[ 1 , 2 ]", FillType::Unsigned(1), 2), Ok(vec![1, 2]));
    let mut floats = vec![];
    for value in [1.5f32, f32::INFINITY, f32::NEG_INFINITY, 1e-9] {
        floats.extend(value.to_le_bytes());
    }
    assert_eq!(fill("[1.5,1e39,-Infinity,1e-9]", FillType::F32, 16), Ok(floats));

    let wrong = |text, scalar, bytes| fill(text, scalar, bytes).unwrap_err().to_string();
    let typed = "Unable to parse 'data': attempt to access JSON non-";
    assert_eq!(
        wrong("[5.0]", FillType::Signed(4), 4),
        format!("{typed}signed-integer as signed-integer")
    );
    assert_eq!(
        wrong("[null]", FillType::Signed(4), 4),
        format!("{typed}signed-integer as signed-integer")
    );
    assert_eq!(
        wrong("[-1]", FillType::Unsigned(4), 4),
        format!("{typed}unsigned-integer as unsigned-integer")
    );
    assert_eq!(wrong("[true]", FillType::F32, 4), format!("{typed}number as double"));
    assert_eq!(wrong("[1]", FillType::Bool, 1), format!("{typed}boolean as boolean"));
    assert_eq!(wrong("[1,2]", FillType::F64, 8), FillError::More.to_string());
    assert_eq!(wrong("[[1],2]", FillType::F64, 8), FillError::More.to_string());
    assert_eq!(wrong("[1]", FillType::F64, 16), FillError::Fewer.to_string());
    let deep = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(fill(&deep(100), FillType::Unsigned(1), 1), Ok(vec![1]));
    assert_eq!(fill(&deep(101), FillType::Unsigned(1), 1), Err(FillError::Depth));
    assert_eq!(
        fill(&deep(250_000), FillType::Unsigned(1), 1),
        Err(FillError::Depth),
        "no overflow of the stack"
    );
}

#[test]
fn floats_are_written_as_the_server_writes_them() {
    // Of several shortest texts the nearest is written; the server takes another one at times.
    let cases = [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (100.0, "100.0"),
        (0.10000002384185791, "0.10000002384185791"),
        (30000001024.0, "30000001024.0"),
        (-1.1920928955078126e-7, "-1.1920928955078125e-7"),
        (1e-6, "0.000001"),
        (1.5e-5, "0.000015"),
        (1e-7, "1e-7"),
        (100000002004087730000.0, "100000002004087730000.0"),
        (1.0000000200408774e21, "1.0000000200408773e21"),
        (9.999999680285693e37, "9.999999680285692e37"),
        (5e-324, "5e-324"),
        (f64::MAX, "1.7976931348623157e308"),
        (f64::NAN, "NaN"),
        (f64::NEG_INFINITY, "-Infinity"),
    ];
    for (value, expected) in cases {
        let mut writer = Writer::new(vec![]);
        writer.float(value);
        assert_eq!(String::from_utf8(writer.finish()).unwrap(), expected);
    }
}

#[test]
fn a_written_text_is_read_again() {
    let mut writer = Writer::new(vec![]);
    writer.object(|writer| {
        writer.name("a\"b").array(|writer| {
            writer.integer(-3);
            writer.boolean(false);
            writer.string(b"\x01\n\xFF/");
            writer.array(|_| {});
        });
        writer.name("c").object(|_| {});
    });
    let text = writer.finish();
    assert_eq!(text, b"{\"a\\\"b\":[-3,false,\"\\u0001\\n\xFF/\",[]],\"c\":{}}");
    let document = read(&text).unwrap();
    let array: Vec<_> = document.root().get("a\"b").unwrap().elements().unwrap().collect();
    assert_eq!(*array[2].string().unwrap(), *b"\x01\n\xFF/");
}

/// Numbers that depend on nothing but the seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0 >> 11 ^ self.0 << 53
    }

    fn below(&mut self, limit: u64) -> u64 {
        (self.next() >> 8) % limit
    }

    fn value(&mut self, depth: usize) -> serde_json::Value {
        match self.below(if depth > 4 { 5 } else { 8 }) {
            0 => serde_json::Value::Null,
            1 => (self.below(2) == 0).into(),
            2 => (self.next() as i64 >> self.below(63)).into(),
            3 => f64::from_bits(self.next()).into(),
            4 => (0..self.below(6))
                .map(|_| char::from(self.below(256) as u8))
                .collect::<String>()
                .into(),
            5 => (0..self.below(5)).map(|_| self.value(depth + 1)).collect(),
            6 => (0..self.below(5)).map(|_| self.below(100)).collect(),
            _ => {
                let member = |random: &mut Random| {
                    (format!("m{}", random.below(9)), random.value(depth + 1))
                };
                (0..self.below(5)).map(|_| member(self)).collect()
            }
        }
    }
}

/// Compares with what serde_json makes of the same text.
fn same(ours: JsonValue<'_>, theirs: &serde_json::Value) {
    match theirs {
        serde_json::Value::Null => assert!(ours.is_null()),
        serde_json::Value::Bool(value) => assert_eq!(ours.boolean(), Ok(*value)),
        serde_json::Value::Number(value) => {
            assert_eq!(ours.signed().ok(), value.as_i64());
            assert_eq!(ours.float().ok(), value.as_f64());
        }
        serde_json::Value::String(value) => assert_eq!(*ours.string().unwrap(), *value.as_bytes()),
        serde_json::Value::Array(values) => match ours.integers() {
            Ok(integers) => assert_eq!(serde_json::Value::from(integers), *theirs),
            Err(_) if !values.is_empty() && values.iter().all(serde_json::Value::is_number) => {
                let parsed = |text| str::from_utf8(text).unwrap().parse::<f64>().unwrap();
                let ours: Vec<f64> = value::numbers(ours.text()).map(parsed).collect();
                let theirs: Vec<f64> =
                    values.iter().filter_map(serde_json::Value::as_f64).collect();
                assert_eq!(ours, theirs);
            }
            Err(_) => {
                assert_eq!(ours.elements().unwrap().count(), values.len());
                ours.elements().unwrap().zip(values).for_each(|(ours, theirs)| same(ours, theirs));
            }
        },
        serde_json::Value::Object(members) => {
            assert_eq!(ours.members().unwrap().count(), members.len());
            members.iter().for_each(|(name, value)| same(ours.get(name).unwrap(), value));
        }
    }
}

#[test]
fn random_documents_are_read_as_serde_json_reads_them() {
    let mut random = Random(7);
    for turn in 0..3000 {
        let theirs = random.value(0);
        let text = match turn % 2 {
            0 => serde_json::to_string(&theirs),
            _ => serde_json::to_string_pretty(&theirs),
        };
        let mut text = text.unwrap().into_bytes();
        let document = read(&text).unwrap();
        same(document.root(), &theirs);
        // A byte changed: both read it, or neither. Only the server's reader takes the words for infinities and bytes
        // that are not UTF-8, and ends at a NUL.
        let at = random.below(text.len() as u64) as usize;
        text[at] = b" ,:{}[]\"\\0e.-nt"[random.below(15) as usize];
        let ours = read(&text);
        let theirs = serde_json::from_slice::<serde_json::Value>(&text);
        let comparable = str::from_utf8(&text).is_ok();
        assert!(
            ours.is_ok() == theirs.is_ok() || !comparable,
            "{:?}",
            String::from_utf8_lossy(&text)
        );
    }
}

#[test]
fn random_floats_are_read_again_from_their_text() {
    let mut random = Random(11);
    for _ in 0..100_000 {
        let value = f64::from_bits(random.next());
        let mut writer = Writer::new(vec![]);
        writer.float(value);
        let text = writer.finish();
        let document = read(&text).unwrap();
        let read = document.root().float().unwrap();
        assert!(read.to_bits() == value.to_bits() || read.is_nan() && value.is_nan(), "{value:e}");
        if value.is_finite() {
            assert_eq!(str::from_utf8(&text).unwrap().parse(), Ok(value));
        }
    }
}

#[test]
fn short_decimals_are_rounded_as_the_standard_library_rounds_them() {
    let mut random = Random(13);
    for _ in 0..200_000 {
        // Some have more digits than are exact.
        let length = 1 + random.below(18) as u32;
        let digits = random.below(10u64.pow(length)).to_string();
        let mut text = digits.clone();
        if random.below(4) > 0 {
            let after = random.below(20) as usize;
            let digits = format!("{digits:0>width$}", width = after + 1);
            let (whole, fraction) = digits.split_at(digits.len() - after);
            text = if after == 0 { digits } else { format!("{whole}.{fraction}") };
        }
        if random.below(2) == 0 {
            text.insert(0, '-');
        }
        let read = number::float(text.as_bytes());
        assert_eq!(read.to_bits(), text.parse::<f64>().unwrap().to_bits(), "{text}");
    }
}

#[test]
fn arrays_of_floats_are_read_in_any_form() {
    let (mut random, words) = (Random(19), ["-0", "0.0", "-Infinity", "1e-9", "-12.5E+2", "7"]);
    for count in 1..200 {
        let (mut text, mut expected) = ("[".to_owned(), vec![]);
        for at in 0..count {
            let number = match random.below(3) {
                0 => words[random.below(6) as usize].to_owned(),
                1 => random.below(u64::MAX).to_string(),
                _ => format!("-{}.{}", random.below(1000), random.below(10u64.pow(15))),
            };
            let space = || " \n\r\t"[at % 4..].chars().take(at % 3).collect::<String>();
            text += &format!("{}{}{number}{}", if at > 0 { "," } else { "" }, space(), space());
            let value = number.replace("Infinity", "inf").parse::<f64>().unwrap();
            expected.extend(value.to_le_bytes());
        }
        let document = Document::parse((text + "]").into()).unwrap();
        let mut bytes = vec![0; 8 * count];
        document.root().fill(FillType::F64, &mut bytes).unwrap();
        assert_eq!(bytes, expected);
        assert_eq!(document.root().fill(FillType::F64, &mut bytes[8..]), Err(FillError::More));
    }
}

/// A number in the server's form, with the digits of the standard library's shortest text.
fn expected(value: f64) -> String {
    let text = format!("{value:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap();
    let exponent: i32 = exponent.parse().unwrap();
    match exponent {
        -6..=20 => {
            let plain = value.to_string();
            if plain.contains('.') { plain } else { format!("{plain}.0") }
        }
        _ => format!("{mantissa}e{exponent}"),
    }
}

#[test]
fn floats_of_all_sizes_are_written_in_the_servers_form() {
    let mut random = Random(17);
    for exponent in -30..=30 {
        for _ in 0..2000 {
            let length = 1 + random.below(17) as u32;
            let digits = random.below(10u64.pow(length));
            let value: f64 = format!("{digits}e{exponent}").parse().unwrap();
            let mut writer = Writer::new(vec![]);
            writer.float(-value);
            let text = String::from_utf8(writer.finish()).unwrap();
            // Of two shortest texts that are as near, the standard library may choose the other one.
            let form = |text: &str| text.replace(|c: char| c.is_ascii_digit(), "0");
            let (number, exponent) = text[1..].split_once('e').unwrap_or((&text[1..], ""));
            let wanted = expected(value);
            let (wanted_number, wanted_exponent) = wanted.split_once('e').unwrap_or((&wanted, ""));
            assert_eq!(form(number), form(wanted_number), "{value:e}");
            assert_eq!(exponent, wanted_exponent, "{value:e}");
            assert_eq!(text.parse::<f64>().unwrap().to_bits(), (-value).to_bits());
        }
    }
}
