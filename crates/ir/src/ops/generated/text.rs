// Generated from the rows of ops by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::kinds;
use crate::op::view::{self, New, Set};
use crate::op::words::{CaseChange, TermWeight};
use crate::{Op, OpKind, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::RegexFullMatch`].
#[derive(Clone, Copy)]
pub struct RegexFullMatch<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::RegexFullMatch`].
pub struct RegexFullMatchAt { pub x: usize, pub y: usize }

impl<'a> RegexFullMatch<'a> {
    pub const KIND: OpKind = OpKind::RegexFullMatch;
    pub const AT: RegexFullMatchAt = RegexFullMatchAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<RegexFullMatch<'a>> { view::fits(op, Self::KIND).then_some(RegexFullMatch(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn pattern(self) -> &'a str { view::attr::<kinds::Str>(self.0, "pattern") }
}

impl RegexFullMatch<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::RegexFullMatch, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::RegexFullMatch) }
}

impl<O: BorrowMut<Op>> Set<RegexFullMatch<'static>, O> {
    #[inline] pub fn pattern(self, value: String) -> Self { self.put::<kinds::Str>("pattern", value) }
}

/// A view of [`OpKind::StringConcat`].
#[derive(Clone, Copy)]
pub struct StringConcat<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::StringConcat`].
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

/// Places of the operands and results of [`OpKind::StringNormalizer`].
pub struct StringNormalizerAt { pub x: usize, pub y: usize }

impl<'a> StringNormalizer<'a> {
    pub const KIND: OpKind = OpKind::StringNormalizer;
    pub const AT: StringNormalizerAt = StringNormalizerAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<StringNormalizer<'a>> { view::fits(op, Self::KIND).then_some(StringNormalizer(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn case_change_action(self) -> CaseChange { view::attr::<CaseChange>(self.0, "case_change_action") }
    #[inline] pub fn is_case_sensitive(self) -> bool { view::attr::<kinds::Flag>(self.0, "is_case_sensitive") }
    #[inline] pub fn locale(self) -> Option<&'a str> { view::optional::<kinds::Str>(self.0, "locale") }
    #[inline] pub fn stopwords(self) -> Option<&'a [String]> { view::optional::<kinds::Strs>(self.0, "stopwords") }
}

impl StringNormalizer<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::StringNormalizer, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::StringNormalizer) }
}

impl<O: BorrowMut<Op>> Set<StringNormalizer<'static>, O> {
    #[inline] pub fn case_change_action(self, value: CaseChange) -> Self { self.put::<CaseChange>("case_change_action", value) }
    #[inline] pub fn is_case_sensitive(self, value: bool) -> Self { self.put::<kinds::Flag>("is_case_sensitive", value) }
    #[inline] pub fn locale(self, value: String) -> Self { self.put::<kinds::Str>("locale", value) }
    #[inline] pub fn stopwords(self, value: Vec<String>) -> Self { self.put::<kinds::Strs>("stopwords", value) }
}

/// A view of [`OpKind::StringSplit`].
#[derive(Clone, Copy)]
pub struct StringSplit<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::StringSplit`].
pub struct StringSplitAt { pub x: usize, pub y: usize, pub counts: usize }

impl<'a> StringSplit<'a> {
    pub const KIND: OpKind = OpKind::StringSplit;
    pub const AT: StringSplitAt = StringSplitAt { x: 0, y: 0, counts: 1 };
    #[inline] pub fn of(op: &'a Op) -> Option<StringSplit<'a>> { view::fits(op, Self::KIND).then_some(StringSplit(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn counts(self) -> Option<ValueId> { self.0.output(1) }
    #[inline] pub fn delimiter(self) -> Option<&'a str> { view::optional::<kinds::Str>(self.0, "delimiter") }
    #[inline] pub fn maxsplit(self) -> Option<i64> { view::optional::<kinds::Int>(self.0, "maxsplit") }
}

impl StringSplit<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::StringSplit, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::StringSplit) }
}

impl<O: BorrowMut<Op>> Set<StringSplit<'static>, O> {
    #[inline] pub fn delimiter(self, value: String) -> Self { self.put::<kinds::Str>("delimiter", value) }
    #[inline] pub fn maxsplit(self, value: i64) -> Self { self.put::<kinds::Int>("maxsplit", value) }
}

/// A view of [`OpKind::TfIdfVectorizer`].
#[derive(Clone, Copy)]
pub struct TfIdfVectorizer<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::TfIdfVectorizer`].
pub struct TfIdfVectorizerAt { pub x: usize, pub y: usize }

impl<'a> TfIdfVectorizer<'a> {
    pub const KIND: OpKind = OpKind::TfIdfVectorizer;
    pub const AT: TfIdfVectorizerAt = TfIdfVectorizerAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<TfIdfVectorizer<'a>> { view::fits(op, Self::KIND).then_some(TfIdfVectorizer(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn max_gram_length(self) -> i64 { view::attr::<kinds::Int>(self.0, "max_gram_length") }
    #[inline] pub fn max_skip_count(self) -> i64 { view::attr::<kinds::Int>(self.0, "max_skip_count") }
    #[inline] pub fn min_gram_length(self) -> i64 { view::attr::<kinds::Int>(self.0, "min_gram_length") }
    #[inline] pub fn mode(self) -> TermWeight { view::attr::<TermWeight>(self.0, "mode") }
    #[inline] pub fn ngram_counts(self) -> &'a [i64] { view::attr::<kinds::Ints>(self.0, "ngram_counts") }
    #[inline] pub fn ngram_indexes(self) -> &'a [i64] { view::attr::<kinds::Ints>(self.0, "ngram_indexes") }
    #[inline] pub fn pool_int64s(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "pool_int64s") }
    #[inline] pub fn pool_strings(self) -> Option<&'a [String]> { view::optional::<kinds::Strs>(self.0, "pool_strings") }
    #[inline] pub fn weights(self) -> Option<&'a [f32]> { view::optional::<kinds::Floats>(self.0, "weights") }
}

impl TfIdfVectorizer<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::TfIdfVectorizer, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::TfIdfVectorizer) }
}

impl<O: BorrowMut<Op>> Set<TfIdfVectorizer<'static>, O> {
    #[inline] pub fn max_gram_length(self, value: i64) -> Self { self.put::<kinds::Int>("max_gram_length", value) }
    #[inline] pub fn max_skip_count(self, value: i64) -> Self { self.put::<kinds::Int>("max_skip_count", value) }
    #[inline] pub fn min_gram_length(self, value: i64) -> Self { self.put::<kinds::Int>("min_gram_length", value) }
    #[inline] pub fn mode(self, value: TermWeight) -> Self { self.put::<TermWeight>("mode", value) }
    #[inline] pub fn ngram_counts(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("ngram_counts", value) }
    #[inline] pub fn ngram_indexes(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("ngram_indexes", value) }
    #[inline] pub fn pool_int64s(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("pool_int64s", value) }
    #[inline] pub fn pool_strings(self, value: Vec<String>) -> Self { self.put::<kinds::Strs>("pool_strings", value) }
    #[inline] pub fn weights(self, value: Vec<f32>) -> Self { self.put::<kinds::Floats>("weights", value) }
}
