//! Text of files and models on its way to a terminal.

/// The text in one line, without characters that steer a terminal or hide what stands there: they become what Rust
/// writes for them, such as `\u{1b}` and `\n`.
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

/// Characters that are no controls by Unicode, but order text or break its lines.
fn steers(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_spelled_out() {
        assert_eq!(escape("größe → 1, 猫"), "größe → 1, 猫");
        assert_eq!(escape("\u{1b}[31mred\u{9b}0m\u{7f}\0"), r"\u{1b}[31mred\u{9b}0m\u{7f}\u{0}");
        assert_eq!(escape("a\nb\r\tc"), r"a\nb\r\tc");
        assert_eq!(escape("\u{202e}cba\u{2066}\u{2028}"), r"\u{202e}cba\u{2066}\u{2028}");
    }
}
