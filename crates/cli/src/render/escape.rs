//! Text of files and models on its way to a terminal.

use serde_json::Value;

/// The text in one line, without characters that control a terminal or hide text: they are replaced by Rust's escapes,
/// such as `\u{1b}` and `\n`.
pub(crate) fn escape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() || steers(c) {
            plain.extend(c.escape_default());
        } else {
            plain.push(c);
        }
    }
    plain
}

/// A document in lines, which a terminal shows as it is: what serde leaves alone in texts has JSON's escapes.
pub(crate) fn json(document: &Value) -> String {
    let mut text = String::new();
    for c in format!("{document:#}\n").chars() {
        if c != '\n' && (c.is_control() || steers(c)) {
            text.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            text.push(c);
        }
    }
    text
}

/// Characters that are not controls by Unicode, but order text or break its lines.
fn steers(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_stays_exact() {
        let text = "\u{1b}[31m\u{9b}\u{7f}\u{202e}\n\"größe\"";
        let document = serde_json::json!({ text: [text, 1.5] });
        let shown = json(&document);
        assert!(shown.chars().all(|c| c == '\n' || !c.is_control() && !steers(c)), "{shown:?}");
        assert!(shown.contains(r"\u001b[31m\u009b\u007f\u202e\n"), "{shown}");
        assert_eq!(serde_json::from_str::<Value>(&shown).unwrap(), document);
    }

    #[test]
    fn what_steers_a_terminal_is_spelled_out() {
        assert_eq!(escape("größe → 1, 猫"), "größe → 1, 猫");
        assert_eq!(escape("\u{1b}[31mred\u{9b}0m\u{7f}\0"), r"\u{1b}[31mred\u{9b}0m\u{7f}\u{0}");
        assert_eq!(escape("a\nb\r\tc"), r"a\nb\r\tc");
        assert_eq!(escape("\u{202e}cba\u{2066}\u{2028}"), r"\u{202e}cba\u{2066}\u{2028}");
    }
}
