//! Strings.

use super::common::{broadcast, like};
use crate::Dim;
use crate::op::grammar::ops;
use crate::ops;
use crate::shape::{Expr, Shapes, View, nothing, one};

ops! {
    /// Whether the whole string matches the pattern (RE2 syntax).
    RegexFullMatch "regex_full_match" Text (x: Str) -> (y: BOOL) { pattern: Str } onnx "" 20 shape like axes "... -> ...";
    /// Strings joined elementwise, broadcast.
    StringConcat "string_concat" Text (x: Str, y: Str) -> (z: Is(DType::Str)) {} onnx "" 20 shape broadcast axes "... -> ...";
    /// A vector (or single row) of strings without stop words, in `LOWER` or `UPPER` case or as it is (`NONE`); one
    /// empty string if nothing is left.
    StringNormalizer "string_normalizer" Text (x: Str) -> (y: Is(DType::Str)) {
        case_change_action: CaseChange = CaseChange::None, is_case_sensitive: Flag = false, locale[opt]: Str, stopwords[opt]: Strs,
    } onnx "" 10 shape string_normalizer;
    /// Cuts strings at a delimiter, by default at runs of blanks, at most `maxsplit` times; the last axis is filled
    /// with empty strings, and the second result counts the parts.
    // All axes mix: the row with most parts decides on the length of the last axis.
    StringSplit "string_split" Text (x: Str) -> (y: Is(DType::Str), counts: I64) { delimiter[opt]: Str, maxsplit[opt]: Int }
        onnx "" 20 shape string_split;
    /// Counts the pool's n-grams in each row, with up to `max_skip_count` elements skipped between theirs: the counts
    /// (`TF`), weights where they occur (`IDF`) or counts times weights (`TFIDF`), at `ngram_indexes`.
    TfIdfVectorizer "tfidf_vectorizer" Text (x) -> (y: F32) {
        max_gram_length: Int, max_skip_count: Int,
        min_gram_length: Int, mode: TermWeight,
        ngram_counts: Ints, ngram_indexes: Ints,
        pool_int64s[opt]: Ints, pool_strings[opt]: Strs, weights[opt]: Floats,
    } onnx "" 9 shape tf_idf axes "_ -> _ | n_ -> n_";
}

/// StringNormalizer drops strings from the last axis.
fn string_normalizer(cx: &View<'_>) -> Shapes {
    match cx.shape(0) {
        None => nothing(),
        Some([_]) => one(vec![Dim::Unknown]),
        Some([n, _]) => one(vec![n.clone(), Dim::Unknown]),
        Some(_) => Err(cx.error(format!("{} has neither rank 1 nor 2", cx.name_shape(0)))),
    }
}

/// StringSplit.
fn string_split(cx: &View<'_>) -> Shapes {
    let Some(x) = cx.shape(0) else { return nothing() };
    Ok(vec![Some([x, &[Dim::Unknown]].concat()), Some(x.to_vec())])
}

/// TfIdfVectorizer: the last axis becomes one of n-grams.
fn tf_idf(cx: &View<'_>) -> Shapes {
    let Some(op) = ops::TfIdfVectorizer::of(cx.op) else { return nothing() };
    let width = op.ngram_indexes().iter().max().map_or(0, |m| m.saturating_add(1));
    let width = Expr::from(width).dim();
    match cx.shape(0) {
        None => nothing(),
        Some([] | [_]) => one(vec![width]),
        Some([n, _]) => one(vec![n.clone(), width]),
        Some(_) => Err(cx.error(format!("{} has rank above 2", cx.name_shape(0)))),
    }
}
