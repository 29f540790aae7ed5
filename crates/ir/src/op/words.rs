//! Attributes that name one of a few choices by a text.

use super::Default;
use super::kinds::Kind;
use crate::{Attr, AttrKind};

macro_rules! words {
    ($( $(#[doc = $doc:literal])+ pub enum $name:ident {
        $( $(#[doc = $of:literal])+ $variant:ident = $text:literal, )+
    } )*) => { $(
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $( $(#[doc = $of])+ $variant, )+ }

        impl $name {
            const ALL: &'static [$name] = &[$($name::$variant,)+];

            /// The text that stands for it in attributes.
            pub const fn text(self) -> &'static str {
                match self { $($name::$variant => $text,)+ }
            }

            /// The choice with this text.
            pub fn by_text(text: &str) -> Option<$name> {
                $name::ALL.iter().copied().find(|word| word.text() == text)
            }

            /// The default of a row.
            pub(super) const fn declare(word: $name) -> Default {
                Default::Str(word.text())
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.text())
            }
        }

        impl Kind for $name {
            const STORED: AttrKind = AttrKind::Str;
            const TEXTS: &'static [&'static str] = &[$($text,)+];
            type View<'a> = $name;
            type Value = $name;

            fn read(stored: &Attr) -> Option<$name> {
                match stored {
                    Attr::Str(text) => $name::by_text(text),
                    _ => None,
                }
            }

            fn default<'a>(declared: Default) -> Self::View<'a> {
                let word = match declared {
                    Default::Str(text) => $name::by_text(text),
                    _ => None,
                };
                word.unwrap_or($name::ALL[0])
            }

            fn store(word: $name) -> Attr {
                Attr::Str(word.text().to_owned())
            }
        }
    )* };
}

words! {
    /// How the pads of windows are chosen.
    pub enum AutoPad {
        /// As the attribute `pads` says.
        NotSet = "NOTSET",
        /// No pads.
        Valid = "VALID",
        /// As many as keep ⌈n / stride⌉ places, the odd one at the end.
        SameUpper = "SAME_UPPER",
        /// As many as keep ⌈n / stride⌉ places, the odd one at the begin.
        SameLower = "SAME_LOWER",
    }
}
