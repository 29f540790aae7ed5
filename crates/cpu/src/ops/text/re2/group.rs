//! Parentheses with a question mark: flags, groups without a number, groups with a name.

use super::Refusal;
use super::class;
use super::parse::Parser;

impl Parser<'_> {
    /// Reads the rest of a group or of flags after `(`, which is at byte `from`.
    pub(super) fn question(&mut self, from: usize) -> Result<(), Refusal> {
        for look in ["?=", "?!", "?<=", "?<!"] {
            if self.eat(look) {
                return Err(self.refuse(from, "there is no lookaround"));
            }
        }
        if self.eat("?P<") || self.eat("?<") {
            return self.named(from);
        }
        self.eat("?");
        let mut flags = self.flags;
        let (mut on, mut any) = (true, true);
        loop {
            match self.next() {
                Some('i') => flags.fold_case = on,
                Some('m') => flags.multi_line = on,
                Some('s') => flags.dot_newline = on,
                Some('U') => {}
                Some('-') if on => {
                    (on, any) = (false, false);
                    continue;
                }
                Some(':') if any => {
                    self.open(from);
                    self.flags = flags;
                    return Ok(());
                }
                Some(')') if any => {
                    self.flags = flags;
                    return Ok(());
                }
                _ => {
                    let reason =
                        "after `(?` stand flags (i, m, s, U), `:`, or a name as in `P<name>`";
                    return Err(self.refuse(from, reason));
                }
            }
            any = true;
        }
    }

    /// Reads the name of a group and its `>`.
    fn named(&mut self, from: usize) -> Result<(), Refusal> {
        let start = self.at;
        while let Some(c) = self.next() {
            if c == '>' && self.at > start + 1 {
                self.open(from);
                return Ok(());
            }
            if !class::is_of_name(c) {
                break;
            }
        }
        Err(self.refuse(from, "a group's name has letters, digits and `_`, and ends in `>`"))
    }
}
