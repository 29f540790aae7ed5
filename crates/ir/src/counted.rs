//! Counts with their nouns.

use std::fmt::Display;

/// A count and its noun, as a message has them: `1 axis`, `2 axes`, `0 batch indices`. `noun` is in the singular; its last word
/// takes the plural.
pub fn counted<N: Display + PartialEq + From<u8>>(n: N, noun: &str) -> String {
    if n == N::from(1) { format!("1 {noun}") } else { format!("{n} {}", plural(noun)) }
}

fn plural(noun: &str) -> String {
    let replaced =
        |ending: &str, by: &str| noun.strip_suffix(ending).map(|stem| stem.to_owned() + by);
    if let Some(irregular) = replaced("axis", "axes").or_else(|| replaced("index", "indices")) {
        return irregular;
    }
    let mut letters = noun.chars().rev();
    let (last, before) = (letters.next(), letters.next());
    match (last, before) {
        (Some('y'), Some('a' | 'e' | 'i' | 'o' | 'u')) => format!("{noun}s"),
        (Some('y'), _) => replaced("y", "ies").unwrap_or_default(),
        (Some('s' | 'x'), _) | (Some('h'), Some('c' | 's')) => format!("{noun}es"),
        _ => format!("{noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn nouns_agree_with_their_counts() {
        assert_eq!([0, 1, 2].map(|n| counted(n, "op")), ["0 ops", "1 op", "2 ops"]);
        for (noun, plural) in [
            ("spatial axis", "spatial axes"),
            ("batch index", "batch indices"),
            ("class", "classes"),
            ("box", "boxes"),
            ("batch", "batches"),
            ("entry", "entries"),
            ("key", "keys"),
            ("length", "lengths"),
            ("operand", "operands"),
        ] {
            assert_eq!(counted(1usize, noun), format!("1 {noun}"));
            assert_eq!(counted(3u32, noun), format!("3 {plural}"));
        }
    }
}
