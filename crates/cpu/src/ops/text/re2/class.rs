//! Sets of characters.

use super::Refusal;
use super::parse::{Flags, Parser};
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind};
use regex_syntax::parse as unicode;
use std::ops::Range;

/// The names of Unicode's general categories that RE2 knows.
const CATEGORIES: &[&str] = &[
    "C", "Cc", "Cf", "Co", "Cs", "L", "Ll", "Lm", "Lo", "Lt", "Lu", "M", "Mc", "Me", "Mn", "N",
    "Nd", "Nl", "No", "P", "Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "S", "Sc", "Sk", "Sm", "So",
    "Z", "Zl", "Zp", "Zs",
];

/// The names of Unicode's scripts that RE2 knows.
#[rustfmt::skip]
const SCRIPTS: &[&str] = &[
    "Adlam", "Ahom", "Anatolian_Hieroglyphs", "Arabic", "Armenian", "Avestan", "Balinese", "Bamum", "Bassa_Vah", "Batak", "Bengali", "Bhaiksuki",
    "Bopomofo", "Brahmi", "Braille", "Buginese", "Buhid", "Canadian_Aboriginal", "Carian", "Caucasian_Albanian", "Chakma", "Cham", "Cherokee",
    "Chorasmian", "Common", "Coptic", "Cuneiform", "Cypriot", "Cypro_Minoan", "Cyrillic", "Deseret", "Devanagari", "Dives_Akuru", "Dogra", "Duployan",
    "Egyptian_Hieroglyphs", "Elbasan", "Elymaic", "Ethiopic", "Georgian", "Glagolitic", "Gothic", "Grantha", "Greek", "Gujarati", "Gunjala_Gondi",
    "Gurmukhi", "Han", "Hangul", "Hanifi_Rohingya", "Hanunoo", "Hatran", "Hebrew", "Hiragana", "Imperial_Aramaic", "Inherited",
    "Inscriptional_Pahlavi", "Inscriptional_Parthian", "Javanese", "Kaithi", "Kannada", "Katakana", "Kawi", "Kayah_Li", "Kharoshthi",
    "Khitan_Small_Script", "Khmer", "Khojki", "Khudawadi", "Lao", "Latin", "Lepcha", "Limbu", "Linear_A", "Linear_B", "Lisu", "Lycian", "Lydian",
    "Mahajani", "Makasar", "Malayalam", "Mandaic", "Manichaean", "Marchen", "Masaram_Gondi", "Medefaidrin", "Meetei_Mayek", "Mende_Kikakui",
    "Meroitic_Cursive", "Meroitic_Hieroglyphs", "Miao", "Modi", "Mongolian", "Mro", "Multani", "Myanmar", "Nabataean", "Nag_Mundari", "Nandinagari",
    "New_Tai_Lue", "Newa", "Nko", "Nushu", "Nyiakeng_Puachue_Hmong", "Ogham", "Ol_Chiki", "Old_Hungarian", "Old_Italic", "Old_North_Arabian",
    "Old_Permic", "Old_Persian", "Old_Sogdian", "Old_South_Arabian", "Old_Turkic", "Old_Uyghur", "Oriya", "Osage", "Osmanya", "Pahawh_Hmong",
    "Palmyrene", "Pau_Cin_Hau", "Phags_Pa", "Phoenician", "Psalter_Pahlavi", "Rejang", "Runic", "Samaritan", "Saurashtra", "Sharada", "Shavian",
    "Siddham", "SignWriting", "Sinhala", "Sogdian", "Sora_Sompeng", "Soyombo", "Sundanese", "Syloti_Nagri", "Syriac", "Tagalog", "Tagbanwa", "Tai_Le",
    "Tai_Tham", "Tai_Viet", "Takri", "Tamil", "Tangsa", "Tangut", "Telugu", "Thaana", "Thai", "Tibetan", "Tifinagh", "Tirhuta", "Toto", "Ugaritic",
    "Vai", "Vithkuqi", "Wancho", "Warang_Citi", "Yezidi", "Yi", "Zanabazar_Square",
];

/// The POSIX classes as ranges.
const POSIX: &[(&str, &[(char, char)])] = &[
    ("alnum", &[('0', '9'), ('A', 'Z'), ('a', 'z')]),
    ("alpha", &[('A', 'Z'), ('a', 'z')]),
    ("ascii", &[('\0', '\x7f')]),
    ("blank", &[('\t', '\t'), (' ', ' ')]),
    ("cntrl", &[('\0', '\x1f'), ('\x7f', '\x7f')]),
    ("digit", DIGIT),
    ("graph", &[('!', '~')]),
    ("lower", &[('a', 'z')]),
    ("print", &[(' ', '~')]),
    ("punct", &[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')]),
    ("space", &[('\t', '\r'), (' ', ' ')]),
    ("upper", &[('A', 'Z')]),
    ("word", WORD),
    ("xdigit", &[('0', '9'), ('A', 'F'), ('a', 'f')]),
];
const DIGIT: &[(char, char)] = &[('0', '9')];
const WORD: &[(char, char)] = &[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')];
/// Unlike `[:space:]`, without the vertical tab.
const SPACE: &[(char, char)] = &[('\t', '\n'), ('\x0c', '\r'), (' ', ' ')];

fn set(ranges: &[(char, char)]) -> ClassUnicode {
    ClassUnicode::new(ranges.iter().map(|&(low, high)| ClassUnicodeRange::new(low, high)))
}

/// Code points that are not characters.
const SURROGATES: Range<u32> = 0xd800..0xe000;

/// The characters from `low` to `high`. No text has surrogates.
fn range(low: u32, high: u32) -> ClassUnicode {
    let low = if SURROGATES.contains(&low) { SURROGATES.end } else { low };
    let high = if SURROGATES.contains(&high) { SURROGATES.start - 1 } else { high };
    match (char::from_u32(low), char::from_u32(high)) {
        (Some(low), Some(high)) if low <= high => {
            ClassUnicode::new([ClassUnicodeRange::new(low, high)])
        }
        _ => ClassUnicode::empty(),
    }
}

/// The characters outside of a set.
fn negated(class: &ClassUnicode) -> ClassUnicode {
    let mut joined: Vec<ClassUnicodeRange> = vec![];
    for range in class.iter() {
        match joined.last_mut() {
            // `ClassUnicode::negate` takes the gap of the surrogates between two ranges for characters.
            Some(last)
                if u32::from(last.end()) + 1 == SURROGATES.start
                    && u32::from(range.start()) == SURROGATES.end =>
            {
                *last = ClassUnicodeRange::new(last.start(), range.end());
            }
            _ => joined.push(*range),
        }
    }
    let mut class = ClassUnicode::new(joined);
    class.negate();
    class
}

/// The set, or the characters outside of it, under the flags. Case is folded first: `(?i)\W` has no letter.
fn signed(mut class: ClassUnicode, negative: bool, flags: Flags) -> ClassUnicode {
    if flags.fold_case {
        class.case_fold_simple();
    }
    if negative { negated(&class) } else { class }
}

/// The set of a category or script, if RE2 knows the name.
fn named(name: &str) -> Option<ClassUnicode> {
    let query = match name {
        "Any" => return Some(range(0, char::MAX.into())),
        "Cs" => return Some(ClassUnicode::empty()),
        // RE2's has no characters that are not assigned.
        "C" => "[\\p{gc=Cc}\\p{gc=Cf}\\p{gc=Co}]".to_owned(),
        name if CATEGORIES.contains(&name) => format!("\\p{{gc={name}}}"),
        name if SCRIPTS.contains(&name) => format!("\\p{{sc={name}}}"),
        _ => return None,
    };
    match unicode(&query).ok()?.into_kind() {
        HirKind::Class(Class::Unicode(class)) => Some(class),
        // A set of one character.
        HirKind::Literal(literal) => {
            let mut chars = std::str::from_utf8(&literal.0).ok()?.chars();
            chars.next().map(|c| range(c.into(), c.into()))
        }
        _ => None,
    }
}

/// Whether a character may be in the name of a group.
pub(super) fn is_of_name(c: char) -> bool {
    let categories = ["Lu", "Ll", "Lt", "Lm", "Lo", "Nl", "Mn", "Mc", "Nd", "Pc"];
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    let has = |class: ClassUnicode| class.iter().any(|r| (r.start()..=r.end()).contains(&c));
    categories.into_iter().filter_map(named).any(has)
}

impl Parser<'_> {
    /// A character in any case.
    pub(super) fn folded(&self, c: char) -> Hir {
        Hir::class(Class::Unicode(signed(range(c.into(), c.into()), false, self.flags)))
    }

    /// The characters that `.` stands for.
    pub(super) fn dot(&self) -> Hir {
        let newline = &[('\n', '\n')];
        let without = if self.flags.dot_newline { &newline[..0] } else { newline };
        Hir::class(Class::Unicode(negated(&set(without))))
    }

    /// Reads a class in brackets.
    pub(super) fn class(&mut self) -> Result<Hir, Refusal> {
        let from = self.at;
        self.eat("[");
        let negative = self.eat("^");
        let mut class = ClassUnicode::empty();
        let first = self.at;
        // A bracket in front is a plain character.
        while self.at == first || self.peek() != Some(']') {
            if self.peek().is_none() {
                return Err(self.refuse(from, "the class is not closed; hint: add `]`"));
            }
            let part = match self.posix()? {
                Some(part) => part,
                None => match self.escaped_class()? {
                    Some(part) => part,
                    None => self.class_range()?,
                },
            };
            class.union(&part);
        }
        self.eat("]");
        let class = if negative { negated(&class) } else { class };
        Ok(Hir::class(Class::Unicode(class)))
    }

    /// Reads a character of a class, or a range.
    fn class_range(&mut self) -> Result<ClassUnicode, Refusal> {
        let from = self.at;
        let low = self.class_character()?;
        let mut after = self.rest().chars();
        let mut high = low;
        // `-` in front of the closing bracket is a plain character.
        if after.next() == Some('-') && after.next().is_some_and(|c| c != ']') {
            self.at += 1;
            high = self.class_character()?;
            if high < low {
                return Err(self.refuse(from, "the range ends before it starts"));
            }
        }
        Ok(signed(range(low, high), false, self.flags))
    }

    fn class_character(&mut self) -> Result<u32, Refusal> {
        match self.peek() {
            Some('\\') => self.escape(),
            c => {
                self.next();
                Ok(c.map_or(0, u32::from))
            }
        }
    }

    /// Reads a class such as `[:alpha:]` or `[:^alpha:]`, if there is one.
    fn posix(&mut self) -> Result<Option<ClassUnicode>, Refusal> {
        let from = self.at;
        let Some((name, _)) = self.rest().strip_prefix("[:").and_then(|s| s.split_once(":]"))
        else {
            return Ok(None);
        };
        self.at += name.len() + 4;
        let (negative, name) = match name.strip_prefix('^') {
            Some(name) => (true, name),
            None => (false, name),
        };
        match POSIX.iter().find(|(known, _)| *known == name) {
            Some((_, ranges)) => Ok(Some(signed(set(ranges), negative, self.flags))),
            None => Err(self.refuse(from, "there is no such class")),
        }
    }

    /// Reads `\d`, `\s`, `\w` or `\p`, or their negation, if one is next.
    pub(super) fn escaped_class(&mut self) -> Result<Option<ClassUnicode>, Refusal> {
        let from = self.at;
        let mut letters = self.rest().chars().skip(1);
        let Some(letter) = letters.next().filter(|_| self.rest().starts_with('\\')) else {
            return Ok(None);
        };
        let ranges = match letter.to_ascii_lowercase() {
            'd' => DIGIT,
            's' => SPACE,
            'w' => WORD,
            'p' => return self.property(from, letter == 'P').map(Some),
            _ => return Ok(None),
        };
        self.at += 2;
        Ok(Some(signed(set(ranges), letter.is_ascii_uppercase(), self.flags)))
    }

    /// Reads `\pN` or `\p{Name}`, in which `^` negates.
    fn property(&mut self, from: usize, negative: bool) -> Result<ClassUnicode, Refusal> {
        self.at += 2;
        let name = match self.rest().strip_prefix('{') {
            Some(rest) => {
                let Some((name, _)) = rest.split_once('}') else {
                    return Err(self.refuse(from, "the name is not closed; hint: add `}`"));
                };
                self.at += name.len() + 2;
                name
            }
            None => {
                let start = self.rest();
                let length = self.next().map_or(0, char::len_utf8);
                &start[..length]
            }
        };
        let (negative, name) = match name.strip_prefix('^') {
            Some(name) => (!negative, name),
            None => (negative, name),
        };
        match named(name) {
            Some(class) => Ok(signed(class, negative, self.flags)),
            None => Err(self.refuse(from, "there is no such category or script of Unicode")),
        }
    }
}
