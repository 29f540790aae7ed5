//! Escaped characters.

use super::Refusal;
use super::parse::Parser;

impl Parser<'_> {
    /// Reads an escaped character from its backslash on.
    pub(super) fn escape(&mut self) -> Result<u32, Refusal> {
        let from = self.at;
        self.eat("\\");
        let first = self.next();
        let code = match first {
            None => return Err(self.refuse(from, "nothing follows the backslash")),
            Some(c @ '0'..='7') => self.octal(c),
            Some('x') => self.hexadecimal(),
            Some('n') => Some(0x0a),
            Some('r') => Some(0x0d),
            Some('t') => Some(0x09),
            Some('a') => Some(0x07),
            Some('f') => Some(0x0c),
            Some('v') => Some(0x0b),
            Some(c) => (c.is_ascii() && !c.is_ascii_alphanumeric()).then_some(c.into()),
        };
        code.ok_or_else(|| {
            let reason = if first.is_some_and(|c| c.is_ascii_digit()) {
                "there are no backreferences"
            } else {
                "there is no such escape"
            };
            self.refuse(from, reason)
        })
    }

    /// Up to three octal digits, whose first is `first`. A single one other than 0 would refer to a group.
    fn octal(&mut self, first: char) -> Option<u32> {
        let mut digits = vec![first];
        while let Some(digit @ '0'..='7') = self.peek().filter(|_| digits.len() < 3) {
            digits.push(digit);
            self.at += 1;
        }
        if digits.len() == 1 && first != '0' {
            return None;
        }
        Some(digits.iter().filter_map(|c| c.to_digit(8)).fold(0, |code, digit| 8 * code + digit))
    }

    /// Two hexadecimal digits, or any number of them in braces.
    fn hexadecimal(&mut self) -> Option<u32> {
        let digit = |c: Option<char>| c.and_then(|c| c.to_digit(16));
        if !self.eat("{") {
            let high = digit(self.next())?;
            return Some(16 * high + digit(self.next())?);
        }
        let mut code = digit(self.next())?;
        loop {
            match self.next() {
                Some('}') => return Some(code),
                c => code = 16 * code + digit(c)?,
            }
            if code > u32::from(char::MAX) {
                return None;
            }
        }
    }
}
