//! lint
use trident_apple::metal::{Diagnostic, LanguageVersion};
/// Rule.
pub struct Rule;
/// Rules.
pub const RULES: &[Rule] = &[];
/// Lint.
pub fn lint(_source: &str, _language: LanguageVersion) -> Vec<Diagnostic> {
    Vec::new()
}
