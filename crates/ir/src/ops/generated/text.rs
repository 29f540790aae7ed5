// Generated from the rows of ops by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::kinds;
use crate::op::view::{self, New, Set};
use crate::op::words::{CaseChange, TermWeight};
use crate::{AttrName, Op, OpKind, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::RegexFullMatch`].
#[derive(Clone, Copy)]
pub struct RegexFullMatch<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::RegexFullMatch`], and names of its attributes.
pub struct RegexFullMatchAt { pub x: usize, pub y: usize, pub pattern: AttrName<kinds::Str> }

impl<'a> RegexFullMatch<'a> {
    pub const KIND: OpKind = OpKind::RegexFullMatch;
    pub const AT: RegexFullMatchAt = RegexFullMatchAt { x: 0, y: 0, pattern: AttrName::new("pattern") };
    #[inline] pub fn of(op: &'a Op) -> Option<RegexFullMatch<'a>> { view::fits(op, Self::KIND).then_some(RegexFullMatch(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn pattern(self) -> &'a str { view::attr(self.0, Self::AT.pattern) }
}

impl RegexFullMatch<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::RegexFullMatch, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::RegexFullMatch) }
}

impl<O: BorrowMut<Op>> Set<RegexFullMatch<'static>, O> {
    #[inline] pub fn pattern(self, value: String) -> Self { self.put(RegexFullMatch::AT.pattern, value) }
}

/// A view of [`OpKind::StringConcat`].
#[derive(Clone, Copy)]
pub struct StringConcat<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::StringConcat`], and names of its attributes.
pub struct StringConcatAt { pub x: usize, pub y: usize, pub z: usize }

impl<'a> StringConcat<'a> {
    pub const KIND: OpKind = OpKind::StringConcat;
    pub const AT: StringConcatAt = StringConcatAt { x: 0, y: 1, z: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<StringConcat<'a>> { view::fits(op, Self::KIND).then_some(StringConcat(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn z(self) -> Option<ValueId> { self.0.output(0) }
}

impl StringConcat<'static> {
    pub fn new(x: ValueId, y: ValueId) -> New<Self> {
        view::new(OpKind::StringConcat, vec![Some(x), Some(y)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::StringConcat) }
}

/// A view of [`OpKind::StringNormalizer`].
#[derive(Clone, Copy)]
pub struct StringNormalizer<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::StringNormalizer`], and names of its attributes.
pub struct StringNormalizerAt { pub x: usize, pub y: usize, pub case_change_action: AttrName<CaseChange>, pub is_case_sensitive: AttrName<kinds::Flag>, pub locale: AttrName<kinds::Str>, pub stopwords: AttrName<kinds::Strs> }

impl<'a> StringNormalizer<'a> {
    pub const KIND: OpKind = OpKind::StringNormalizer;
    pub const AT: StringNormalizerAt = StringNormalizerAt { x: 0, y: 0, case_change_action: AttrName::new("case_change_action"), is_case_sensitive: AttrName::new("is_case_sensitive"), locale: AttrName::new("locale"), stopwords: AttrName::new("stopwords") };
    #[inline] pub fn of(op: &'a Op) -> Option<StringNormalizer<'a>> { view::fits(op, Self::KIND).then_some(StringNormalizer(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn case_change_action(self) -> CaseChange { view::attr(self.0, Self::AT.case_change_action) }
    #[inline] pub fn is_case_sensitive(self) -> bool { view::attr(self.0, Self::AT.is_case_sensitive) }
    #[inline] pub fn locale(self) -> Option<&'a str> { view::optional(self.0, Self::AT.locale) }
    #[inline] pub fn stopwords(self) -> Option<&'a [String]> { view::optional(self.0, Self::AT.stopwords) }
}

impl StringNormalizer<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::StringNormalizer, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::StringNormalizer) }
}

impl<O: BorrowMut<Op>> Set<StringNormalizer<'static>, O> {
    #[inline] pub fn case_change_action(self, value: CaseChange) -> Self { self.put(StringNormalizer::AT.case_change_action, value) }
    #[inline] pub fn is_case_sensitive(self, value: bool) -> Self { self.put(StringNormalizer::AT.is_case_sensitive, value) }
    #[inline] pub fn locale(self, value: String) -> Self { self.put(StringNormalizer::AT.locale, value) }
    #[inline] pub fn stopwords(self, value: Vec<String>) -> Self { self.put(StringNormalizer::AT.stopwords, value) }
}

/// A view of [`OpKind::StringSplit`].
#[derive(Clone, Copy)]
pub struct StringSplit<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::StringSplit`], and names of its attributes.
pub struct StringSplitAt { pub x: usize, pub y: usize, pub counts: usize, pub delimiter: AttrName<kinds::Str>, pub maxsplit: AttrName<kinds::Int> }

impl<'a> StringSplit<'a> {
    pub const KIND: OpKind = OpKind::StringSplit;
    pub const AT: StringSplitAt = StringSplitAt { x: 0, y: 0, counts: 1, delimiter: AttrName::new("delimiter"), maxsplit: AttrName::new("maxsplit") };
    #[inline] pub fn of(op: &'a Op) -> Option<StringSplit<'a>> { view::fits(op, Self::KIND).then_some(StringSplit(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn counts(self) -> Option<ValueId> { self.0.output(1) }
    #[inline] pub fn delimiter(self) -> Option<&'a str> { view::optional(self.0, Self::AT.delimiter) }
    #[inline] pub fn maxsplit(self) -> Option<i64> { view::optional(self.0, Self::AT.maxsplit) }
}

impl StringSplit<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::StringSplit, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::StringSplit) }
}

impl<O: BorrowMut<Op>> Set<StringSplit<'static>, O> {
    #[inline] pub fn delimiter(self, value: String) -> Self { self.put(StringSplit::AT.delimiter, value) }
    #[inline] pub fn maxsplit(self, value: i64) -> Self { self.put(StringSplit::AT.maxsplit, value) }
}

/// A view of [`OpKind::TfIdfVectorizer`].
#[derive(Clone, Copy)]
pub struct TfIdfVectorizer<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::TfIdfVectorizer`], and names of its attributes.
pub struct TfIdfVectorizerAt { pub x: usize, pub y: usize, pub max_gram_length: AttrName<kinds::Int>, pub max_skip_count: AttrName<kinds::Int>, pub min_gram_length: AttrName<kinds::Int>, pub mode: AttrName<TermWeight>, pub ngram_counts: AttrName<kinds::Ints>, pub ngram_indexes: AttrName<kinds::Ints>, pub pool_int64s: AttrName<kinds::Ints>, pub pool_strings: AttrName<kinds::Strs>, pub weights: AttrName<kinds::Floats> }

impl<'a> TfIdfVectorizer<'a> {
    pub const KIND: OpKind = OpKind::TfIdfVectorizer;
    pub const AT: TfIdfVectorizerAt = TfIdfVectorizerAt { x: 0, y: 0, max_gram_length: AttrName::new("max_gram_length"), max_skip_count: AttrName::new("max_skip_count"), min_gram_length: AttrName::new("min_gram_length"), mode: AttrName::new("mode"), ngram_counts: AttrName::new("ngram_counts"), ngram_indexes: AttrName::new("ngram_indexes"), pool_int64s: AttrName::new("pool_int64s"), pool_strings: AttrName::new("pool_strings"), weights: AttrName::new("weights") };
    #[inline] pub fn of(op: &'a Op) -> Option<TfIdfVectorizer<'a>> { view::fits(op, Self::KIND).then_some(TfIdfVectorizer(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn max_gram_length(self) -> i64 { view::attr(self.0, Self::AT.max_gram_length) }
    #[inline] pub fn max_skip_count(self) -> i64 { view::attr(self.0, Self::AT.max_skip_count) }
    #[inline] pub fn min_gram_length(self) -> i64 { view::attr(self.0, Self::AT.min_gram_length) }
    #[inline] pub fn mode(self) -> TermWeight { view::attr(self.0, Self::AT.mode) }
    #[inline] pub fn ngram_counts(self) -> &'a [i64] { view::attr(self.0, Self::AT.ngram_counts) }
    #[inline] pub fn ngram_indexes(self) -> &'a [i64] { view::attr(self.0, Self::AT.ngram_indexes) }
    #[inline] pub fn pool_int64s(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.pool_int64s) }
    #[inline] pub fn pool_strings(self) -> Option<&'a [String]> { view::optional(self.0, Self::AT.pool_strings) }
    #[inline] pub fn weights(self) -> Option<&'a [f32]> { view::optional(self.0, Self::AT.weights) }
}

impl TfIdfVectorizer<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::TfIdfVectorizer, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::TfIdfVectorizer) }
}

impl<O: BorrowMut<Op>> Set<TfIdfVectorizer<'static>, O> {
    #[inline] pub fn max_gram_length(self, value: i64) -> Self { self.put(TfIdfVectorizer::AT.max_gram_length, value) }
    #[inline] pub fn max_skip_count(self, value: i64) -> Self { self.put(TfIdfVectorizer::AT.max_skip_count, value) }
    #[inline] pub fn min_gram_length(self, value: i64) -> Self { self.put(TfIdfVectorizer::AT.min_gram_length, value) }
    #[inline] pub fn mode(self, value: TermWeight) -> Self { self.put(TfIdfVectorizer::AT.mode, value) }
    #[inline] pub fn ngram_counts(self, value: Vec<i64>) -> Self { self.put(TfIdfVectorizer::AT.ngram_counts, value) }
    #[inline] pub fn ngram_indexes(self, value: Vec<i64>) -> Self { self.put(TfIdfVectorizer::AT.ngram_indexes, value) }
    #[inline] pub fn pool_int64s(self, value: Vec<i64>) -> Self { self.put(TfIdfVectorizer::AT.pool_int64s, value) }
    #[inline] pub fn pool_strings(self, value: Vec<String>) -> Self { self.put(TfIdfVectorizer::AT.pool_strings, value) }
    #[inline] pub fn weights(self, value: Vec<f32>) -> Self { self.put(TfIdfVectorizer::AT.weights, value) }
}
