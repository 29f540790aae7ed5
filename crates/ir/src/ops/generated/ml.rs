// Generated from the rows of ops by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::kinds;
use crate::op::view::{self, New, Set};
use crate::op::words::{MapCast, MapForm, PostTransform, RowNorm, SvmKernel, TreeAggregate};
use crate::{AttrName, Literal, Op, OpKind, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::ArrayFeatureExtractor`].
#[derive(Clone, Copy)]
pub struct ArrayFeatureExtractor<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::ArrayFeatureExtractor`], and names of its attributes.
pub struct ArrayFeatureExtractorAt { pub x: usize, pub y: usize, pub z: usize }

impl<'a> ArrayFeatureExtractor<'a> {
    pub const KIND: OpKind = OpKind::ArrayFeatureExtractor;
    pub const AT: ArrayFeatureExtractorAt = ArrayFeatureExtractorAt { x: 0, y: 1, z: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<ArrayFeatureExtractor<'a>> { view::fits(op, Self::KIND).then_some(ArrayFeatureExtractor(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> ValueId { view::operand(self.0, 1) }
    #[inline] pub fn z(self) -> Option<ValueId> { self.0.output(0) }
}

impl ArrayFeatureExtractor<'static> {
    pub fn new(x: ValueId, y: ValueId) -> New<Self> {
        view::new(OpKind::ArrayFeatureExtractor, vec![Some(x), Some(y)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::ArrayFeatureExtractor) }
}

/// A view of [`OpKind::Binarizer`].
#[derive(Clone, Copy)]
pub struct Binarizer<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Binarizer`], and names of its attributes.
pub struct BinarizerAt { pub x: usize, pub y: usize, pub threshold: AttrName<kinds::Float> }

impl<'a> Binarizer<'a> {
    pub const KIND: OpKind = OpKind::Binarizer;
    pub const AT: BinarizerAt = BinarizerAt { x: 0, y: 0, threshold: AttrName::new("threshold") };
    #[inline] pub fn of(op: &'a Op) -> Option<Binarizer<'a>> { view::fits(op, Self::KIND).then_some(Binarizer(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn threshold(self) -> f32 { view::attr(self.0, Self::AT.threshold) }
}

impl Binarizer<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Binarizer, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Binarizer) }
}

impl<O: BorrowMut<Op>> Set<Binarizer<'static>, O> {
    #[inline] pub fn threshold(self, value: f32) -> Self { self.put(Binarizer::AT.threshold, value) }
}

/// A view of [`OpKind::CastMap`].
#[derive(Clone, Copy)]
pub struct CastMap<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::CastMap`], and names of its attributes.
pub struct CastMapAt { pub x: usize, pub y: usize, pub cast_to: AttrName<MapCast>, pub map_form: AttrName<MapForm>, pub max_map: AttrName<kinds::Int> }

impl<'a> CastMap<'a> {
    pub const KIND: OpKind = OpKind::CastMap;
    pub const AT: CastMapAt = CastMapAt { x: 0, y: 0, cast_to: AttrName::new("cast_to"), map_form: AttrName::new("map_form"), max_map: AttrName::new("max_map") };
    #[inline] pub fn of(op: &'a Op) -> Option<CastMap<'a>> { view::fits(op, Self::KIND).then_some(CastMap(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn cast_to(self) -> MapCast { view::attr(self.0, Self::AT.cast_to) }
    #[inline] pub fn map_form(self) -> MapForm { view::attr(self.0, Self::AT.map_form) }
    #[inline] pub fn max_map(self) -> i64 { view::attr(self.0, Self::AT.max_map) }
}

impl CastMap<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::CastMap, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::CastMap) }
}

impl<O: BorrowMut<Op>> Set<CastMap<'static>, O> {
    #[inline] pub fn cast_to(self, value: MapCast) -> Self { self.put(CastMap::AT.cast_to, value) }
    #[inline] pub fn map_form(self, value: MapForm) -> Self { self.put(CastMap::AT.map_form, value) }
    #[inline] pub fn max_map(self, value: i64) -> Self { self.put(CastMap::AT.max_map, value) }
}

/// A view of [`OpKind::CategoryMapper`].
#[derive(Clone, Copy)]
pub struct CategoryMapper<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::CategoryMapper`], and names of its attributes.
pub struct CategoryMapperAt { pub x: usize, pub y: usize, pub cats_int64s: AttrName<kinds::Ints>, pub cats_strings: AttrName<kinds::Strs>, pub default_int64: AttrName<kinds::Int>, pub default_string: AttrName<kinds::Str> }

impl<'a> CategoryMapper<'a> {
    pub const KIND: OpKind = OpKind::CategoryMapper;
    pub const AT: CategoryMapperAt = CategoryMapperAt { x: 0, y: 0, cats_int64s: AttrName::new("cats_int64s"), cats_strings: AttrName::new("cats_strings"), default_int64: AttrName::new("default_int64"), default_string: AttrName::new("default_string") };
    #[inline] pub fn of(op: &'a Op) -> Option<CategoryMapper<'a>> { view::fits(op, Self::KIND).then_some(CategoryMapper(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn cats_int64s(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.cats_int64s) }
    #[inline] pub fn cats_strings(self) -> Option<&'a [String]> { view::optional(self.0, Self::AT.cats_strings) }
    #[inline] pub fn default_int64(self) -> i64 { view::attr(self.0, Self::AT.default_int64) }
    #[inline] pub fn default_string(self) -> &'a str { view::attr(self.0, Self::AT.default_string) }
}

impl CategoryMapper<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::CategoryMapper, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::CategoryMapper) }
}

impl<O: BorrowMut<Op>> Set<CategoryMapper<'static>, O> {
    #[inline] pub fn cats_int64s(self, value: Vec<i64>) -> Self { self.put(CategoryMapper::AT.cats_int64s, value) }
    #[inline] pub fn cats_strings(self, value: Vec<String>) -> Self { self.put(CategoryMapper::AT.cats_strings, value) }
    #[inline] pub fn default_int64(self, value: i64) -> Self { self.put(CategoryMapper::AT.default_int64, value) }
    #[inline] pub fn default_string(self, value: String) -> Self { self.put(CategoryMapper::AT.default_string, value) }
}

/// A view of [`OpKind::DictVectorizer`].
#[derive(Clone, Copy)]
pub struct DictVectorizer<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::DictVectorizer`], and names of its attributes.
pub struct DictVectorizerAt { pub x: usize, pub y: usize, pub int64_vocabulary: AttrName<kinds::Ints>, pub string_vocabulary: AttrName<kinds::Strs> }

impl<'a> DictVectorizer<'a> {
    pub const KIND: OpKind = OpKind::DictVectorizer;
    pub const AT: DictVectorizerAt = DictVectorizerAt { x: 0, y: 0, int64_vocabulary: AttrName::new("int64_vocabulary"), string_vocabulary: AttrName::new("string_vocabulary") };
    #[inline] pub fn of(op: &'a Op) -> Option<DictVectorizer<'a>> { view::fits(op, Self::KIND).then_some(DictVectorizer(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn int64_vocabulary(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.int64_vocabulary) }
    #[inline] pub fn string_vocabulary(self) -> Option<&'a [String]> { view::optional(self.0, Self::AT.string_vocabulary) }
}

impl DictVectorizer<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::DictVectorizer, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::DictVectorizer) }
}

impl<O: BorrowMut<Op>> Set<DictVectorizer<'static>, O> {
    #[inline] pub fn int64_vocabulary(self, value: Vec<i64>) -> Self { self.put(DictVectorizer::AT.int64_vocabulary, value) }
    #[inline] pub fn string_vocabulary(self, value: Vec<String>) -> Self { self.put(DictVectorizer::AT.string_vocabulary, value) }
}

/// A view of [`OpKind::FeatureVectorizer`].
#[derive(Clone, Copy)]
pub struct FeatureVectorizer<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::FeatureVectorizer`], and names of its attributes.
pub struct FeatureVectorizerAt { pub xs: usize, pub y: usize, pub inputdimensions: AttrName<kinds::Ints> }

impl<'a> FeatureVectorizer<'a> {
    pub const KIND: OpKind = OpKind::FeatureVectorizer;
    pub const AT: FeatureVectorizerAt = FeatureVectorizerAt { xs: 0, y: 0, inputdimensions: AttrName::new("inputdimensions") };
    #[inline] pub fn of(op: &'a Op) -> Option<FeatureVectorizer<'a>> { view::fits(op, Self::KIND).then_some(FeatureVectorizer(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn xs(self) -> impl ExactSizeIterator<Item = ValueId> + 'a { view::operands(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn inputdimensions(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.inputdimensions) }
}

impl FeatureVectorizer<'static> {
    pub fn new(xs: &[ValueId]) -> New<Self> {
        view::new(OpKind::FeatureVectorizer, vec![], xs)
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::FeatureVectorizer) }
}

impl<O: BorrowMut<Op>> Set<FeatureVectorizer<'static>, O> {
    #[inline] pub fn inputdimensions(self, value: Vec<i64>) -> Self { self.put(FeatureVectorizer::AT.inputdimensions, value) }
}

/// A view of [`OpKind::Imputer`].
#[derive(Clone, Copy)]
pub struct Imputer<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Imputer`], and names of its attributes.
pub struct ImputerAt { pub x: usize, pub y: usize, pub imputed_value_floats: AttrName<kinds::Floats>, pub imputed_value_int64s: AttrName<kinds::Ints>, pub replaced_value_float: AttrName<kinds::Float>, pub replaced_value_int64: AttrName<kinds::Int> }

impl<'a> Imputer<'a> {
    pub const KIND: OpKind = OpKind::Imputer;
    pub const AT: ImputerAt = ImputerAt { x: 0, y: 0, imputed_value_floats: AttrName::new("imputed_value_floats"), imputed_value_int64s: AttrName::new("imputed_value_int64s"), replaced_value_float: AttrName::new("replaced_value_float"), replaced_value_int64: AttrName::new("replaced_value_int64") };
    #[inline] pub fn of(op: &'a Op) -> Option<Imputer<'a>> { view::fits(op, Self::KIND).then_some(Imputer(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn imputed_value_floats(self) -> Option<&'a [f32]> { view::optional(self.0, Self::AT.imputed_value_floats) }
    #[inline] pub fn imputed_value_int64s(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.imputed_value_int64s) }
    #[inline] pub fn replaced_value_float(self) -> f32 { view::attr(self.0, Self::AT.replaced_value_float) }
    #[inline] pub fn replaced_value_int64(self) -> i64 { view::attr(self.0, Self::AT.replaced_value_int64) }
}

impl Imputer<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Imputer, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Imputer) }
}

impl<O: BorrowMut<Op>> Set<Imputer<'static>, O> {
    #[inline] pub fn imputed_value_floats(self, value: Vec<f32>) -> Self { self.put(Imputer::AT.imputed_value_floats, value) }
    #[inline] pub fn imputed_value_int64s(self, value: Vec<i64>) -> Self { self.put(Imputer::AT.imputed_value_int64s, value) }
    #[inline] pub fn replaced_value_float(self, value: f32) -> Self { self.put(Imputer::AT.replaced_value_float, value) }
    #[inline] pub fn replaced_value_int64(self, value: i64) -> Self { self.put(Imputer::AT.replaced_value_int64, value) }
}

/// A view of [`OpKind::LabelEncoder`].
#[derive(Clone, Copy)]
pub struct LabelEncoder<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::LabelEncoder`], and names of its attributes.
pub struct LabelEncoderAt { pub x: usize, pub y: usize, pub default_float: AttrName<kinds::Float>, pub default_int64: AttrName<kinds::Int>, pub default_string: AttrName<kinds::Str>, pub default_tensor: AttrName<kinds::Tensor>, pub keys_floats: AttrName<kinds::Floats>, pub keys_int64s: AttrName<kinds::Ints>, pub keys_strings: AttrName<kinds::Strs>, pub keys_tensor: AttrName<kinds::Tensor>, pub values_floats: AttrName<kinds::Floats>, pub values_int64s: AttrName<kinds::Ints>, pub values_strings: AttrName<kinds::Strs>, pub values_tensor: AttrName<kinds::Tensor> }

impl<'a> LabelEncoder<'a> {
    pub const KIND: OpKind = OpKind::LabelEncoder;
    pub const AT: LabelEncoderAt = LabelEncoderAt { x: 0, y: 0, default_float: AttrName::new("default_float"), default_int64: AttrName::new("default_int64"), default_string: AttrName::new("default_string"), default_tensor: AttrName::new("default_tensor"), keys_floats: AttrName::new("keys_floats"), keys_int64s: AttrName::new("keys_int64s"), keys_strings: AttrName::new("keys_strings"), keys_tensor: AttrName::new("keys_tensor"), values_floats: AttrName::new("values_floats"), values_int64s: AttrName::new("values_int64s"), values_strings: AttrName::new("values_strings"), values_tensor: AttrName::new("values_tensor") };
    #[inline] pub fn of(op: &'a Op) -> Option<LabelEncoder<'a>> { view::fits(op, Self::KIND).then_some(LabelEncoder(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn default_float(self) -> f32 { view::attr(self.0, Self::AT.default_float) }
    #[inline] pub fn default_int64(self) -> i64 { view::attr(self.0, Self::AT.default_int64) }
    #[inline] pub fn default_string(self) -> &'a str { view::attr(self.0, Self::AT.default_string) }
    #[inline] pub fn default_tensor(self) -> Option<&'a Literal> { view::optional(self.0, Self::AT.default_tensor) }
    #[inline] pub fn keys_floats(self) -> Option<&'a [f32]> { view::optional(self.0, Self::AT.keys_floats) }
    #[inline] pub fn keys_int64s(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.keys_int64s) }
    #[inline] pub fn keys_strings(self) -> Option<&'a [String]> { view::optional(self.0, Self::AT.keys_strings) }
    #[inline] pub fn keys_tensor(self) -> Option<&'a Literal> { view::optional(self.0, Self::AT.keys_tensor) }
    #[inline] pub fn values_floats(self) -> Option<&'a [f32]> { view::optional(self.0, Self::AT.values_floats) }
    #[inline] pub fn values_int64s(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.values_int64s) }
    #[inline] pub fn values_strings(self) -> Option<&'a [String]> { view::optional(self.0, Self::AT.values_strings) }
    #[inline] pub fn values_tensor(self) -> Option<&'a Literal> { view::optional(self.0, Self::AT.values_tensor) }
}

impl LabelEncoder<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::LabelEncoder, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::LabelEncoder) }
}

impl<O: BorrowMut<Op>> Set<LabelEncoder<'static>, O> {
    #[inline] pub fn default_float(self, value: f32) -> Self { self.put(LabelEncoder::AT.default_float, value) }
    #[inline] pub fn default_int64(self, value: i64) -> Self { self.put(LabelEncoder::AT.default_int64, value) }
    #[inline] pub fn default_string(self, value: String) -> Self { self.put(LabelEncoder::AT.default_string, value) }
    #[inline] pub fn default_tensor(self, value: Literal) -> Self { self.put(LabelEncoder::AT.default_tensor, value) }
    #[inline] pub fn keys_floats(self, value: Vec<f32>) -> Self { self.put(LabelEncoder::AT.keys_floats, value) }
    #[inline] pub fn keys_int64s(self, value: Vec<i64>) -> Self { self.put(LabelEncoder::AT.keys_int64s, value) }
    #[inline] pub fn keys_strings(self, value: Vec<String>) -> Self { self.put(LabelEncoder::AT.keys_strings, value) }
    #[inline] pub fn keys_tensor(self, value: Literal) -> Self { self.put(LabelEncoder::AT.keys_tensor, value) }
    #[inline] pub fn values_floats(self, value: Vec<f32>) -> Self { self.put(LabelEncoder::AT.values_floats, value) }
    #[inline] pub fn values_int64s(self, value: Vec<i64>) -> Self { self.put(LabelEncoder::AT.values_int64s, value) }
    #[inline] pub fn values_strings(self, value: Vec<String>) -> Self { self.put(LabelEncoder::AT.values_strings, value) }
    #[inline] pub fn values_tensor(self, value: Literal) -> Self { self.put(LabelEncoder::AT.values_tensor, value) }
}

/// A view of [`OpKind::LinearClassifier`].
#[derive(Clone, Copy)]
pub struct LinearClassifier<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::LinearClassifier`], and names of its attributes.
pub struct LinearClassifierAt { pub x: usize, pub y: usize, pub z: usize, pub classlabels_ints: AttrName<kinds::Ints>, pub classlabels_strings: AttrName<kinds::Strs>, pub coefficients: AttrName<kinds::Floats>, pub intercepts: AttrName<kinds::Floats>, pub multi_class: AttrName<kinds::Int>, pub post_transform: AttrName<PostTransform> }

impl<'a> LinearClassifier<'a> {
    pub const KIND: OpKind = OpKind::LinearClassifier;
    pub const AT: LinearClassifierAt = LinearClassifierAt { x: 0, y: 0, z: 1, classlabels_ints: AttrName::new("classlabels_ints"), classlabels_strings: AttrName::new("classlabels_strings"), coefficients: AttrName::new("coefficients"), intercepts: AttrName::new("intercepts"), multi_class: AttrName::new("multi_class"), post_transform: AttrName::new("post_transform") };
    #[inline] pub fn of(op: &'a Op) -> Option<LinearClassifier<'a>> { view::fits(op, Self::KIND).then_some(LinearClassifier(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn z(self) -> Option<ValueId> { self.0.output(1) }
    #[inline] pub fn classlabels_ints(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.classlabels_ints) }
    #[inline] pub fn classlabels_strings(self) -> Option<&'a [String]> { view::optional(self.0, Self::AT.classlabels_strings) }
    #[inline] pub fn coefficients(self) -> &'a [f32] { view::attr(self.0, Self::AT.coefficients) }
    #[inline] pub fn intercepts(self) -> Option<&'a [f32]> { view::optional(self.0, Self::AT.intercepts) }
    #[inline] pub fn multi_class(self) -> i64 { view::attr(self.0, Self::AT.multi_class) }
    #[inline] pub fn post_transform(self) -> PostTransform { view::attr(self.0, Self::AT.post_transform) }
}

impl LinearClassifier<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::LinearClassifier, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::LinearClassifier) }
}

impl<O: BorrowMut<Op>> Set<LinearClassifier<'static>, O> {
    #[inline] pub fn classlabels_ints(self, value: Vec<i64>) -> Self { self.put(LinearClassifier::AT.classlabels_ints, value) }
    #[inline] pub fn classlabels_strings(self, value: Vec<String>) -> Self { self.put(LinearClassifier::AT.classlabels_strings, value) }
    #[inline] pub fn coefficients(self, value: Vec<f32>) -> Self { self.put(LinearClassifier::AT.coefficients, value) }
    #[inline] pub fn intercepts(self, value: Vec<f32>) -> Self { self.put(LinearClassifier::AT.intercepts, value) }
    #[inline] pub fn multi_class(self, value: i64) -> Self { self.put(LinearClassifier::AT.multi_class, value) }
    #[inline] pub fn post_transform(self, value: PostTransform) -> Self { self.put(LinearClassifier::AT.post_transform, value) }
}

/// A view of [`OpKind::LinearRegressor`].
#[derive(Clone, Copy)]
pub struct LinearRegressor<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::LinearRegressor`], and names of its attributes.
pub struct LinearRegressorAt { pub x: usize, pub y: usize, pub coefficients: AttrName<kinds::Floats>, pub intercepts: AttrName<kinds::Floats>, pub post_transform: AttrName<PostTransform>, pub targets: AttrName<kinds::Int> }

impl<'a> LinearRegressor<'a> {
    pub const KIND: OpKind = OpKind::LinearRegressor;
    pub const AT: LinearRegressorAt = LinearRegressorAt { x: 0, y: 0, coefficients: AttrName::new("coefficients"), intercepts: AttrName::new("intercepts"), post_transform: AttrName::new("post_transform"), targets: AttrName::new("targets") };
    #[inline] pub fn of(op: &'a Op) -> Option<LinearRegressor<'a>> { view::fits(op, Self::KIND).then_some(LinearRegressor(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn coefficients(self) -> Option<&'a [f32]> { view::optional(self.0, Self::AT.coefficients) }
    #[inline] pub fn intercepts(self) -> Option<&'a [f32]> { view::optional(self.0, Self::AT.intercepts) }
    #[inline] pub fn post_transform(self) -> PostTransform { view::attr(self.0, Self::AT.post_transform) }
    #[inline] pub fn targets(self) -> i64 { view::attr(self.0, Self::AT.targets) }
}

impl LinearRegressor<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::LinearRegressor, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::LinearRegressor) }
}

impl<O: BorrowMut<Op>> Set<LinearRegressor<'static>, O> {
    #[inline] pub fn coefficients(self, value: Vec<f32>) -> Self { self.put(LinearRegressor::AT.coefficients, value) }
    #[inline] pub fn intercepts(self, value: Vec<f32>) -> Self { self.put(LinearRegressor::AT.intercepts, value) }
    #[inline] pub fn post_transform(self, value: PostTransform) -> Self { self.put(LinearRegressor::AT.post_transform, value) }
    #[inline] pub fn targets(self, value: i64) -> Self { self.put(LinearRegressor::AT.targets, value) }
}

/// A view of [`OpKind::Normalizer`].
#[derive(Clone, Copy)]
pub struct Normalizer<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Normalizer`], and names of its attributes.
pub struct NormalizerAt { pub x: usize, pub y: usize, pub norm: AttrName<RowNorm> }

impl<'a> Normalizer<'a> {
    pub const KIND: OpKind = OpKind::Normalizer;
    pub const AT: NormalizerAt = NormalizerAt { x: 0, y: 0, norm: AttrName::new("norm") };
    #[inline] pub fn of(op: &'a Op) -> Option<Normalizer<'a>> { view::fits(op, Self::KIND).then_some(Normalizer(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn norm(self) -> RowNorm { view::attr(self.0, Self::AT.norm) }
}

impl Normalizer<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Normalizer, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Normalizer) }
}

impl<O: BorrowMut<Op>> Set<Normalizer<'static>, O> {
    #[inline] pub fn norm(self, value: RowNorm) -> Self { self.put(Normalizer::AT.norm, value) }
}

/// A view of [`OpKind::OneHotEncoder`].
#[derive(Clone, Copy)]
pub struct OneHotEncoder<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::OneHotEncoder`], and names of its attributes.
pub struct OneHotEncoderAt { pub x: usize, pub y: usize, pub cats_int64s: AttrName<kinds::Ints>, pub cats_strings: AttrName<kinds::Strs>, pub zeros: AttrName<kinds::Flag> }

impl<'a> OneHotEncoder<'a> {
    pub const KIND: OpKind = OpKind::OneHotEncoder;
    pub const AT: OneHotEncoderAt = OneHotEncoderAt { x: 0, y: 0, cats_int64s: AttrName::new("cats_int64s"), cats_strings: AttrName::new("cats_strings"), zeros: AttrName::new("zeros") };
    #[inline] pub fn of(op: &'a Op) -> Option<OneHotEncoder<'a>> { view::fits(op, Self::KIND).then_some(OneHotEncoder(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn cats_int64s(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.cats_int64s) }
    #[inline] pub fn cats_strings(self) -> Option<&'a [String]> { view::optional(self.0, Self::AT.cats_strings) }
    #[inline] pub fn zeros(self) -> bool { view::attr(self.0, Self::AT.zeros) }
}

impl OneHotEncoder<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::OneHotEncoder, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::OneHotEncoder) }
}

impl<O: BorrowMut<Op>> Set<OneHotEncoder<'static>, O> {
    #[inline] pub fn cats_int64s(self, value: Vec<i64>) -> Self { self.put(OneHotEncoder::AT.cats_int64s, value) }
    #[inline] pub fn cats_strings(self, value: Vec<String>) -> Self { self.put(OneHotEncoder::AT.cats_strings, value) }
    #[inline] pub fn zeros(self, value: bool) -> Self { self.put(OneHotEncoder::AT.zeros, value) }
}

/// A view of [`OpKind::Scaler`].
#[derive(Clone, Copy)]
pub struct Scaler<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Scaler`], and names of its attributes.
pub struct ScalerAt { pub x: usize, pub y: usize, pub offset: AttrName<kinds::Floats>, pub scale: AttrName<kinds::Floats> }

impl<'a> Scaler<'a> {
    pub const KIND: OpKind = OpKind::Scaler;
    pub const AT: ScalerAt = ScalerAt { x: 0, y: 0, offset: AttrName::new("offset"), scale: AttrName::new("scale") };
    #[inline] pub fn of(op: &'a Op) -> Option<Scaler<'a>> { view::fits(op, Self::KIND).then_some(Scaler(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn offset(self) -> Option<&'a [f32]> { view::optional(self.0, Self::AT.offset) }
    #[inline] pub fn scale(self) -> Option<&'a [f32]> { view::optional(self.0, Self::AT.scale) }
}

impl Scaler<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Scaler, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Scaler) }
}

impl<O: BorrowMut<Op>> Set<Scaler<'static>, O> {
    #[inline] pub fn offset(self, value: Vec<f32>) -> Self { self.put(Scaler::AT.offset, value) }
    #[inline] pub fn scale(self, value: Vec<f32>) -> Self { self.put(Scaler::AT.scale, value) }
}

/// A view of [`OpKind::SVMClassifier`].
#[derive(Clone, Copy)]
pub struct SVMClassifier<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::SVMClassifier`], and names of its attributes.
pub struct SVMClassifierAt { pub x: usize, pub y: usize, pub z: usize, pub classlabels_ints: AttrName<kinds::Ints>, pub classlabels_strings: AttrName<kinds::Strs>, pub coefficients: AttrName<kinds::Floats>, pub kernel_params: AttrName<kinds::Floats>, pub kernel_type: AttrName<SvmKernel>, pub post_transform: AttrName<PostTransform>, pub prob_a: AttrName<kinds::Floats>, pub prob_b: AttrName<kinds::Floats>, pub rho: AttrName<kinds::Floats>, pub support_vectors: AttrName<kinds::Floats>, pub vectors_per_class: AttrName<kinds::Ints> }

impl<'a> SVMClassifier<'a> {
    pub const KIND: OpKind = OpKind::SVMClassifier;
    pub const AT: SVMClassifierAt = SVMClassifierAt { x: 0, y: 0, z: 1, classlabels_ints: AttrName::new("classlabels_ints"), classlabels_strings: AttrName::new("classlabels_strings"), coefficients: AttrName::new("coefficients"), kernel_params: AttrName::new("kernel_params"), kernel_type: AttrName::new("kernel_type"), post_transform: AttrName::new("post_transform"), prob_a: AttrName::new("prob_a"), prob_b: AttrName::new("prob_b"), rho: AttrName::new("rho"), support_vectors: AttrName::new("support_vectors"), vectors_per_class: AttrName::new("vectors_per_class") };
    #[inline] pub fn of(op: &'a Op) -> Option<SVMClassifier<'a>> { view::fits(op, Self::KIND).then_some(SVMClassifier(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn z(self) -> Option<ValueId> { self.0.output(1) }
    #[inline] pub fn classlabels_ints(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.classlabels_ints) }
    #[inline] pub fn classlabels_strings(self) -> Option<&'a [String]> { view::optional(self.0, Self::AT.classlabels_strings) }
    #[inline] pub fn coefficients(self) -> Option<&'a [f32]> { view::optional(self.0, Self::AT.coefficients) }
    #[inline] pub fn kernel_params(self) -> Option<&'a [f32]> { view::optional(self.0, Self::AT.kernel_params) }
    #[inline] pub fn kernel_type(self) -> SvmKernel { view::attr(self.0, Self::AT.kernel_type) }
    #[inline] pub fn post_transform(self) -> PostTransform { view::attr(self.0, Self::AT.post_transform) }
    #[inline] pub fn prob_a(self) -> Option<&'a [f32]> { view::optional(self.0, Self::AT.prob_a) }
    #[inline] pub fn prob_b(self) -> Option<&'a [f32]> { view::optional(self.0, Self::AT.prob_b) }
    #[inline] pub fn rho(self) -> Option<&'a [f32]> { view::optional(self.0, Self::AT.rho) }
    #[inline] pub fn support_vectors(self) -> Option<&'a [f32]> { view::optional(self.0, Self::AT.support_vectors) }
    #[inline] pub fn vectors_per_class(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.vectors_per_class) }
}

impl SVMClassifier<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::SVMClassifier, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::SVMClassifier) }
}

impl<O: BorrowMut<Op>> Set<SVMClassifier<'static>, O> {
    #[inline] pub fn classlabels_ints(self, value: Vec<i64>) -> Self { self.put(SVMClassifier::AT.classlabels_ints, value) }
    #[inline] pub fn classlabels_strings(self, value: Vec<String>) -> Self { self.put(SVMClassifier::AT.classlabels_strings, value) }
    #[inline] pub fn coefficients(self, value: Vec<f32>) -> Self { self.put(SVMClassifier::AT.coefficients, value) }
    #[inline] pub fn kernel_params(self, value: Vec<f32>) -> Self { self.put(SVMClassifier::AT.kernel_params, value) }
    #[inline] pub fn kernel_type(self, value: SvmKernel) -> Self { self.put(SVMClassifier::AT.kernel_type, value) }
    #[inline] pub fn post_transform(self, value: PostTransform) -> Self { self.put(SVMClassifier::AT.post_transform, value) }
    #[inline] pub fn prob_a(self, value: Vec<f32>) -> Self { self.put(SVMClassifier::AT.prob_a, value) }
    #[inline] pub fn prob_b(self, value: Vec<f32>) -> Self { self.put(SVMClassifier::AT.prob_b, value) }
    #[inline] pub fn rho(self, value: Vec<f32>) -> Self { self.put(SVMClassifier::AT.rho, value) }
    #[inline] pub fn support_vectors(self, value: Vec<f32>) -> Self { self.put(SVMClassifier::AT.support_vectors, value) }
    #[inline] pub fn vectors_per_class(self, value: Vec<i64>) -> Self { self.put(SVMClassifier::AT.vectors_per_class, value) }
}

/// A view of [`OpKind::SVMRegressor`].
#[derive(Clone, Copy)]
pub struct SVMRegressor<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::SVMRegressor`], and names of its attributes.
pub struct SVMRegressorAt { pub x: usize, pub y: usize, pub coefficients: AttrName<kinds::Floats>, pub kernel_params: AttrName<kinds::Floats>, pub kernel_type: AttrName<SvmKernel>, pub n_supports: AttrName<kinds::Int>, pub one_class: AttrName<kinds::Flag>, pub post_transform: AttrName<PostTransform>, pub rho: AttrName<kinds::Floats>, pub support_vectors: AttrName<kinds::Floats> }

impl<'a> SVMRegressor<'a> {
    pub const KIND: OpKind = OpKind::SVMRegressor;
    pub const AT: SVMRegressorAt = SVMRegressorAt { x: 0, y: 0, coefficients: AttrName::new("coefficients"), kernel_params: AttrName::new("kernel_params"), kernel_type: AttrName::new("kernel_type"), n_supports: AttrName::new("n_supports"), one_class: AttrName::new("one_class"), post_transform: AttrName::new("post_transform"), rho: AttrName::new("rho"), support_vectors: AttrName::new("support_vectors") };
    #[inline] pub fn of(op: &'a Op) -> Option<SVMRegressor<'a>> { view::fits(op, Self::KIND).then_some(SVMRegressor(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn coefficients(self) -> Option<&'a [f32]> { view::optional(self.0, Self::AT.coefficients) }
    #[inline] pub fn kernel_params(self) -> Option<&'a [f32]> { view::optional(self.0, Self::AT.kernel_params) }
    #[inline] pub fn kernel_type(self) -> SvmKernel { view::attr(self.0, Self::AT.kernel_type) }
    #[inline] pub fn n_supports(self) -> i64 { view::attr(self.0, Self::AT.n_supports) }
    #[inline] pub fn one_class(self) -> bool { view::attr(self.0, Self::AT.one_class) }
    #[inline] pub fn post_transform(self) -> PostTransform { view::attr(self.0, Self::AT.post_transform) }
    #[inline] pub fn rho(self) -> Option<&'a [f32]> { view::optional(self.0, Self::AT.rho) }
    #[inline] pub fn support_vectors(self) -> Option<&'a [f32]> { view::optional(self.0, Self::AT.support_vectors) }
}

impl SVMRegressor<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::SVMRegressor, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::SVMRegressor) }
}

impl<O: BorrowMut<Op>> Set<SVMRegressor<'static>, O> {
    #[inline] pub fn coefficients(self, value: Vec<f32>) -> Self { self.put(SVMRegressor::AT.coefficients, value) }
    #[inline] pub fn kernel_params(self, value: Vec<f32>) -> Self { self.put(SVMRegressor::AT.kernel_params, value) }
    #[inline] pub fn kernel_type(self, value: SvmKernel) -> Self { self.put(SVMRegressor::AT.kernel_type, value) }
    #[inline] pub fn n_supports(self, value: i64) -> Self { self.put(SVMRegressor::AT.n_supports, value) }
    #[inline] pub fn one_class(self, value: bool) -> Self { self.put(SVMRegressor::AT.one_class, value) }
    #[inline] pub fn post_transform(self, value: PostTransform) -> Self { self.put(SVMRegressor::AT.post_transform, value) }
    #[inline] pub fn rho(self, value: Vec<f32>) -> Self { self.put(SVMRegressor::AT.rho, value) }
    #[inline] pub fn support_vectors(self, value: Vec<f32>) -> Self { self.put(SVMRegressor::AT.support_vectors, value) }
}

/// A view of [`OpKind::TreeEnsemble`].
#[derive(Clone, Copy)]
pub struct TreeEnsemble<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::TreeEnsemble`], and names of its attributes.
pub struct TreeEnsembleAt { pub x: usize, pub y: usize, pub aggregate_function: AttrName<kinds::Int>, pub leaf_targetids: AttrName<kinds::Ints>, pub leaf_weights: AttrName<kinds::Tensor>, pub membership_values: AttrName<kinds::Tensor>, pub n_targets: AttrName<kinds::Int>, pub nodes_falseleafs: AttrName<kinds::Ints>, pub nodes_falsenodeids: AttrName<kinds::Ints>, pub nodes_featureids: AttrName<kinds::Ints>, pub nodes_hitrates: AttrName<kinds::Tensor>, pub nodes_missing_value_tracks_true: AttrName<kinds::Ints>, pub nodes_modes: AttrName<kinds::Tensor>, pub nodes_splits: AttrName<kinds::Tensor>, pub nodes_trueleafs: AttrName<kinds::Ints>, pub nodes_truenodeids: AttrName<kinds::Ints>, pub post_transform: AttrName<kinds::Int>, pub tree_roots: AttrName<kinds::Ints> }

impl<'a> TreeEnsemble<'a> {
    pub const KIND: OpKind = OpKind::TreeEnsemble;
    pub const AT: TreeEnsembleAt = TreeEnsembleAt { x: 0, y: 0, aggregate_function: AttrName::new("aggregate_function"), leaf_targetids: AttrName::new("leaf_targetids"), leaf_weights: AttrName::new("leaf_weights"), membership_values: AttrName::new("membership_values"), n_targets: AttrName::new("n_targets"), nodes_falseleafs: AttrName::new("nodes_falseleafs"), nodes_falsenodeids: AttrName::new("nodes_falsenodeids"), nodes_featureids: AttrName::new("nodes_featureids"), nodes_hitrates: AttrName::new("nodes_hitrates"), nodes_missing_value_tracks_true: AttrName::new("nodes_missing_value_tracks_true"), nodes_modes: AttrName::new("nodes_modes"), nodes_splits: AttrName::new("nodes_splits"), nodes_trueleafs: AttrName::new("nodes_trueleafs"), nodes_truenodeids: AttrName::new("nodes_truenodeids"), post_transform: AttrName::new("post_transform"), tree_roots: AttrName::new("tree_roots") };
    #[inline] pub fn of(op: &'a Op) -> Option<TreeEnsemble<'a>> { view::fits(op, Self::KIND).then_some(TreeEnsemble(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn aggregate_function(self) -> i64 { view::attr(self.0, Self::AT.aggregate_function) }
    #[inline] pub fn leaf_targetids(self) -> &'a [i64] { view::attr(self.0, Self::AT.leaf_targetids) }
    #[inline] pub fn leaf_weights(self) -> &'a Literal { view::attr(self.0, Self::AT.leaf_weights) }
    #[inline] pub fn membership_values(self) -> Option<&'a Literal> { view::optional(self.0, Self::AT.membership_values) }
    #[inline] pub fn n_targets(self) -> Option<i64> { view::optional(self.0, Self::AT.n_targets) }
    #[inline] pub fn nodes_falseleafs(self) -> &'a [i64] { view::attr(self.0, Self::AT.nodes_falseleafs) }
    #[inline] pub fn nodes_falsenodeids(self) -> &'a [i64] { view::attr(self.0, Self::AT.nodes_falsenodeids) }
    #[inline] pub fn nodes_featureids(self) -> &'a [i64] { view::attr(self.0, Self::AT.nodes_featureids) }
    #[inline] pub fn nodes_hitrates(self) -> Option<&'a Literal> { view::optional(self.0, Self::AT.nodes_hitrates) }
    #[inline] pub fn nodes_missing_value_tracks_true(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.nodes_missing_value_tracks_true) }
    #[inline] pub fn nodes_modes(self) -> &'a Literal { view::attr(self.0, Self::AT.nodes_modes) }
    #[inline] pub fn nodes_splits(self) -> &'a Literal { view::attr(self.0, Self::AT.nodes_splits) }
    #[inline] pub fn nodes_trueleafs(self) -> &'a [i64] { view::attr(self.0, Self::AT.nodes_trueleafs) }
    #[inline] pub fn nodes_truenodeids(self) -> &'a [i64] { view::attr(self.0, Self::AT.nodes_truenodeids) }
    #[inline] pub fn post_transform(self) -> i64 { view::attr(self.0, Self::AT.post_transform) }
    #[inline] pub fn tree_roots(self) -> &'a [i64] { view::attr(self.0, Self::AT.tree_roots) }
}

impl TreeEnsemble<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::TreeEnsemble, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::TreeEnsemble) }
}

impl<O: BorrowMut<Op>> Set<TreeEnsemble<'static>, O> {
    #[inline] pub fn aggregate_function(self, value: i64) -> Self { self.put(TreeEnsemble::AT.aggregate_function, value) }
    #[inline] pub fn leaf_targetids(self, value: Vec<i64>) -> Self { self.put(TreeEnsemble::AT.leaf_targetids, value) }
    #[inline] pub fn leaf_weights(self, value: Literal) -> Self { self.put(TreeEnsemble::AT.leaf_weights, value) }
    #[inline] pub fn membership_values(self, value: Literal) -> Self { self.put(TreeEnsemble::AT.membership_values, value) }
    #[inline] pub fn n_targets(self, value: i64) -> Self { self.put(TreeEnsemble::AT.n_targets, value) }
    #[inline] pub fn nodes_falseleafs(self, value: Vec<i64>) -> Self { self.put(TreeEnsemble::AT.nodes_falseleafs, value) }
    #[inline] pub fn nodes_falsenodeids(self, value: Vec<i64>) -> Self { self.put(TreeEnsemble::AT.nodes_falsenodeids, value) }
    #[inline] pub fn nodes_featureids(self, value: Vec<i64>) -> Self { self.put(TreeEnsemble::AT.nodes_featureids, value) }
    #[inline] pub fn nodes_hitrates(self, value: Literal) -> Self { self.put(TreeEnsemble::AT.nodes_hitrates, value) }
    #[inline] pub fn nodes_missing_value_tracks_true(self, value: Vec<i64>) -> Self { self.put(TreeEnsemble::AT.nodes_missing_value_tracks_true, value) }
    #[inline] pub fn nodes_modes(self, value: Literal) -> Self { self.put(TreeEnsemble::AT.nodes_modes, value) }
    #[inline] pub fn nodes_splits(self, value: Literal) -> Self { self.put(TreeEnsemble::AT.nodes_splits, value) }
    #[inline] pub fn nodes_trueleafs(self, value: Vec<i64>) -> Self { self.put(TreeEnsemble::AT.nodes_trueleafs, value) }
    #[inline] pub fn nodes_truenodeids(self, value: Vec<i64>) -> Self { self.put(TreeEnsemble::AT.nodes_truenodeids, value) }
    #[inline] pub fn post_transform(self, value: i64) -> Self { self.put(TreeEnsemble::AT.post_transform, value) }
    #[inline] pub fn tree_roots(self, value: Vec<i64>) -> Self { self.put(TreeEnsemble::AT.tree_roots, value) }
}

/// A view of [`OpKind::TreeEnsembleClassifier`].
#[derive(Clone, Copy)]
pub struct TreeEnsembleClassifier<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::TreeEnsembleClassifier`], and names of its attributes.
pub struct TreeEnsembleClassifierAt { pub x: usize, pub y: usize, pub z: usize, pub base_values: AttrName<kinds::Floats>, pub base_values_as_tensor: AttrName<kinds::Tensor>, pub class_ids: AttrName<kinds::Ints>, pub class_nodeids: AttrName<kinds::Ints>, pub class_treeids: AttrName<kinds::Ints>, pub class_weights: AttrName<kinds::Floats>, pub class_weights_as_tensor: AttrName<kinds::Tensor>, pub classlabels_int64s: AttrName<kinds::Ints>, pub classlabels_strings: AttrName<kinds::Strs>, pub nodes_falsenodeids: AttrName<kinds::Ints>, pub nodes_featureids: AttrName<kinds::Ints>, pub nodes_hitrates: AttrName<kinds::Floats>, pub nodes_hitrates_as_tensor: AttrName<kinds::Tensor>, pub nodes_missing_value_tracks_true: AttrName<kinds::Ints>, pub nodes_modes: AttrName<kinds::Strs>, pub nodes_nodeids: AttrName<kinds::Ints>, pub nodes_treeids: AttrName<kinds::Ints>, pub nodes_truenodeids: AttrName<kinds::Ints>, pub nodes_values: AttrName<kinds::Floats>, pub nodes_values_as_tensor: AttrName<kinds::Tensor>, pub post_transform: AttrName<PostTransform> }

impl<'a> TreeEnsembleClassifier<'a> {
    pub const KIND: OpKind = OpKind::TreeEnsembleClassifier;
    pub const AT: TreeEnsembleClassifierAt = TreeEnsembleClassifierAt { x: 0, y: 0, z: 1, base_values: AttrName::new("base_values"), base_values_as_tensor: AttrName::new("base_values_as_tensor"), class_ids: AttrName::new("class_ids"), class_nodeids: AttrName::new("class_nodeids"), class_treeids: AttrName::new("class_treeids"), class_weights: AttrName::new("class_weights"), class_weights_as_tensor: AttrName::new("class_weights_as_tensor"), classlabels_int64s: AttrName::new("classlabels_int64s"), classlabels_strings: AttrName::new("classlabels_strings"), nodes_falsenodeids: AttrName::new("nodes_falsenodeids"), nodes_featureids: AttrName::new("nodes_featureids"), nodes_hitrates: AttrName::new("nodes_hitrates"), nodes_hitrates_as_tensor: AttrName::new("nodes_hitrates_as_tensor"), nodes_missing_value_tracks_true: AttrName::new("nodes_missing_value_tracks_true"), nodes_modes: AttrName::new("nodes_modes"), nodes_nodeids: AttrName::new("nodes_nodeids"), nodes_treeids: AttrName::new("nodes_treeids"), nodes_truenodeids: AttrName::new("nodes_truenodeids"), nodes_values: AttrName::new("nodes_values"), nodes_values_as_tensor: AttrName::new("nodes_values_as_tensor"), post_transform: AttrName::new("post_transform") };
    #[inline] pub fn of(op: &'a Op) -> Option<TreeEnsembleClassifier<'a>> { view::fits(op, Self::KIND).then_some(TreeEnsembleClassifier(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn z(self) -> Option<ValueId> { self.0.output(1) }
    #[inline] pub fn base_values(self) -> Option<&'a [f32]> { view::optional(self.0, Self::AT.base_values) }
    #[inline] pub fn base_values_as_tensor(self) -> Option<&'a Literal> { view::optional(self.0, Self::AT.base_values_as_tensor) }
    #[inline] pub fn class_ids(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.class_ids) }
    #[inline] pub fn class_nodeids(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.class_nodeids) }
    #[inline] pub fn class_treeids(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.class_treeids) }
    #[inline] pub fn class_weights(self) -> Option<&'a [f32]> { view::optional(self.0, Self::AT.class_weights) }
    #[inline] pub fn class_weights_as_tensor(self) -> Option<&'a Literal> { view::optional(self.0, Self::AT.class_weights_as_tensor) }
    #[inline] pub fn classlabels_int64s(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.classlabels_int64s) }
    #[inline] pub fn classlabels_strings(self) -> Option<&'a [String]> { view::optional(self.0, Self::AT.classlabels_strings) }
    #[inline] pub fn nodes_falsenodeids(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.nodes_falsenodeids) }
    #[inline] pub fn nodes_featureids(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.nodes_featureids) }
    #[inline] pub fn nodes_hitrates(self) -> Option<&'a [f32]> { view::optional(self.0, Self::AT.nodes_hitrates) }
    #[inline] pub fn nodes_hitrates_as_tensor(self) -> Option<&'a Literal> { view::optional(self.0, Self::AT.nodes_hitrates_as_tensor) }
    #[inline] pub fn nodes_missing_value_tracks_true(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.nodes_missing_value_tracks_true) }
    #[inline] pub fn nodes_modes(self) -> Option<&'a [String]> { view::optional(self.0, Self::AT.nodes_modes) }
    #[inline] pub fn nodes_nodeids(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.nodes_nodeids) }
    #[inline] pub fn nodes_treeids(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.nodes_treeids) }
    #[inline] pub fn nodes_truenodeids(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.nodes_truenodeids) }
    #[inline] pub fn nodes_values(self) -> Option<&'a [f32]> { view::optional(self.0, Self::AT.nodes_values) }
    #[inline] pub fn nodes_values_as_tensor(self) -> Option<&'a Literal> { view::optional(self.0, Self::AT.nodes_values_as_tensor) }
    #[inline] pub fn post_transform(self) -> PostTransform { view::attr(self.0, Self::AT.post_transform) }
    #[inline] pub fn tree_nodes(self) -> super::TreeNodes<'a> { super::TreeNodes(self.0) }
}

impl TreeEnsembleClassifier<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::TreeEnsembleClassifier, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::TreeEnsembleClassifier) }
}

impl<O: BorrowMut<Op>> Set<TreeEnsembleClassifier<'static>, O> {
    #[inline] pub fn base_values(self, value: Vec<f32>) -> Self { self.put(TreeEnsembleClassifier::AT.base_values, value) }
    #[inline] pub fn base_values_as_tensor(self, value: Literal) -> Self { self.put(TreeEnsembleClassifier::AT.base_values_as_tensor, value) }
    #[inline] pub fn class_ids(self, value: Vec<i64>) -> Self { self.put(TreeEnsembleClassifier::AT.class_ids, value) }
    #[inline] pub fn class_nodeids(self, value: Vec<i64>) -> Self { self.put(TreeEnsembleClassifier::AT.class_nodeids, value) }
    #[inline] pub fn class_treeids(self, value: Vec<i64>) -> Self { self.put(TreeEnsembleClassifier::AT.class_treeids, value) }
    #[inline] pub fn class_weights(self, value: Vec<f32>) -> Self { self.put(TreeEnsembleClassifier::AT.class_weights, value) }
    #[inline] pub fn class_weights_as_tensor(self, value: Literal) -> Self { self.put(TreeEnsembleClassifier::AT.class_weights_as_tensor, value) }
    #[inline] pub fn classlabels_int64s(self, value: Vec<i64>) -> Self { self.put(TreeEnsembleClassifier::AT.classlabels_int64s, value) }
    #[inline] pub fn classlabels_strings(self, value: Vec<String>) -> Self { self.put(TreeEnsembleClassifier::AT.classlabels_strings, value) }
    #[inline] pub fn nodes_falsenodeids(self, value: Vec<i64>) -> Self { self.put(TreeEnsembleClassifier::AT.nodes_falsenodeids, value) }
    #[inline] pub fn nodes_featureids(self, value: Vec<i64>) -> Self { self.put(TreeEnsembleClassifier::AT.nodes_featureids, value) }
    #[inline] pub fn nodes_hitrates(self, value: Vec<f32>) -> Self { self.put(TreeEnsembleClassifier::AT.nodes_hitrates, value) }
    #[inline] pub fn nodes_hitrates_as_tensor(self, value: Literal) -> Self { self.put(TreeEnsembleClassifier::AT.nodes_hitrates_as_tensor, value) }
    #[inline] pub fn nodes_missing_value_tracks_true(self, value: Vec<i64>) -> Self { self.put(TreeEnsembleClassifier::AT.nodes_missing_value_tracks_true, value) }
    #[inline] pub fn nodes_modes(self, value: Vec<String>) -> Self { self.put(TreeEnsembleClassifier::AT.nodes_modes, value) }
    #[inline] pub fn nodes_nodeids(self, value: Vec<i64>) -> Self { self.put(TreeEnsembleClassifier::AT.nodes_nodeids, value) }
    #[inline] pub fn nodes_treeids(self, value: Vec<i64>) -> Self { self.put(TreeEnsembleClassifier::AT.nodes_treeids, value) }
    #[inline] pub fn nodes_truenodeids(self, value: Vec<i64>) -> Self { self.put(TreeEnsembleClassifier::AT.nodes_truenodeids, value) }
    #[inline] pub fn nodes_values(self, value: Vec<f32>) -> Self { self.put(TreeEnsembleClassifier::AT.nodes_values, value) }
    #[inline] pub fn nodes_values_as_tensor(self, value: Literal) -> Self { self.put(TreeEnsembleClassifier::AT.nodes_values_as_tensor, value) }
    #[inline] pub fn post_transform(self, value: PostTransform) -> Self { self.put(TreeEnsembleClassifier::AT.post_transform, value) }
}

/// A view of [`OpKind::TreeEnsembleRegressor`].
#[derive(Clone, Copy)]
pub struct TreeEnsembleRegressor<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::TreeEnsembleRegressor`], and names of its attributes.
pub struct TreeEnsembleRegressorAt { pub x: usize, pub y: usize, pub aggregate_function: AttrName<TreeAggregate>, pub base_values: AttrName<kinds::Floats>, pub base_values_as_tensor: AttrName<kinds::Tensor>, pub n_targets: AttrName<kinds::Int>, pub nodes_falsenodeids: AttrName<kinds::Ints>, pub nodes_featureids: AttrName<kinds::Ints>, pub nodes_hitrates: AttrName<kinds::Floats>, pub nodes_hitrates_as_tensor: AttrName<kinds::Tensor>, pub nodes_missing_value_tracks_true: AttrName<kinds::Ints>, pub nodes_modes: AttrName<kinds::Strs>, pub nodes_nodeids: AttrName<kinds::Ints>, pub nodes_treeids: AttrName<kinds::Ints>, pub nodes_truenodeids: AttrName<kinds::Ints>, pub nodes_values: AttrName<kinds::Floats>, pub nodes_values_as_tensor: AttrName<kinds::Tensor>, pub post_transform: AttrName<PostTransform>, pub target_ids: AttrName<kinds::Ints>, pub target_nodeids: AttrName<kinds::Ints>, pub target_treeids: AttrName<kinds::Ints>, pub target_weights: AttrName<kinds::Floats>, pub target_weights_as_tensor: AttrName<kinds::Tensor> }

impl<'a> TreeEnsembleRegressor<'a> {
    pub const KIND: OpKind = OpKind::TreeEnsembleRegressor;
    pub const AT: TreeEnsembleRegressorAt = TreeEnsembleRegressorAt { x: 0, y: 0, aggregate_function: AttrName::new("aggregate_function"), base_values: AttrName::new("base_values"), base_values_as_tensor: AttrName::new("base_values_as_tensor"), n_targets: AttrName::new("n_targets"), nodes_falsenodeids: AttrName::new("nodes_falsenodeids"), nodes_featureids: AttrName::new("nodes_featureids"), nodes_hitrates: AttrName::new("nodes_hitrates"), nodes_hitrates_as_tensor: AttrName::new("nodes_hitrates_as_tensor"), nodes_missing_value_tracks_true: AttrName::new("nodes_missing_value_tracks_true"), nodes_modes: AttrName::new("nodes_modes"), nodes_nodeids: AttrName::new("nodes_nodeids"), nodes_treeids: AttrName::new("nodes_treeids"), nodes_truenodeids: AttrName::new("nodes_truenodeids"), nodes_values: AttrName::new("nodes_values"), nodes_values_as_tensor: AttrName::new("nodes_values_as_tensor"), post_transform: AttrName::new("post_transform"), target_ids: AttrName::new("target_ids"), target_nodeids: AttrName::new("target_nodeids"), target_treeids: AttrName::new("target_treeids"), target_weights: AttrName::new("target_weights"), target_weights_as_tensor: AttrName::new("target_weights_as_tensor") };
    #[inline] pub fn of(op: &'a Op) -> Option<TreeEnsembleRegressor<'a>> { view::fits(op, Self::KIND).then_some(TreeEnsembleRegressor(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn aggregate_function(self) -> TreeAggregate { view::attr(self.0, Self::AT.aggregate_function) }
    #[inline] pub fn base_values(self) -> Option<&'a [f32]> { view::optional(self.0, Self::AT.base_values) }
    #[inline] pub fn base_values_as_tensor(self) -> Option<&'a Literal> { view::optional(self.0, Self::AT.base_values_as_tensor) }
    #[inline] pub fn n_targets(self) -> Option<i64> { view::optional(self.0, Self::AT.n_targets) }
    #[inline] pub fn nodes_falsenodeids(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.nodes_falsenodeids) }
    #[inline] pub fn nodes_featureids(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.nodes_featureids) }
    #[inline] pub fn nodes_hitrates(self) -> Option<&'a [f32]> { view::optional(self.0, Self::AT.nodes_hitrates) }
    #[inline] pub fn nodes_hitrates_as_tensor(self) -> Option<&'a Literal> { view::optional(self.0, Self::AT.nodes_hitrates_as_tensor) }
    #[inline] pub fn nodes_missing_value_tracks_true(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.nodes_missing_value_tracks_true) }
    #[inline] pub fn nodes_modes(self) -> Option<&'a [String]> { view::optional(self.0, Self::AT.nodes_modes) }
    #[inline] pub fn nodes_nodeids(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.nodes_nodeids) }
    #[inline] pub fn nodes_treeids(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.nodes_treeids) }
    #[inline] pub fn nodes_truenodeids(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.nodes_truenodeids) }
    #[inline] pub fn nodes_values(self) -> Option<&'a [f32]> { view::optional(self.0, Self::AT.nodes_values) }
    #[inline] pub fn nodes_values_as_tensor(self) -> Option<&'a Literal> { view::optional(self.0, Self::AT.nodes_values_as_tensor) }
    #[inline] pub fn post_transform(self) -> PostTransform { view::attr(self.0, Self::AT.post_transform) }
    #[inline] pub fn target_ids(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.target_ids) }
    #[inline] pub fn target_nodeids(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.target_nodeids) }
    #[inline] pub fn target_treeids(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.target_treeids) }
    #[inline] pub fn target_weights(self) -> Option<&'a [f32]> { view::optional(self.0, Self::AT.target_weights) }
    #[inline] pub fn target_weights_as_tensor(self) -> Option<&'a Literal> { view::optional(self.0, Self::AT.target_weights_as_tensor) }
    #[inline] pub fn tree_nodes(self) -> super::TreeNodes<'a> { super::TreeNodes(self.0) }
}

impl TreeEnsembleRegressor<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::TreeEnsembleRegressor, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::TreeEnsembleRegressor) }
}

impl<O: BorrowMut<Op>> Set<TreeEnsembleRegressor<'static>, O> {
    #[inline] pub fn aggregate_function(self, value: TreeAggregate) -> Self { self.put(TreeEnsembleRegressor::AT.aggregate_function, value) }
    #[inline] pub fn base_values(self, value: Vec<f32>) -> Self { self.put(TreeEnsembleRegressor::AT.base_values, value) }
    #[inline] pub fn base_values_as_tensor(self, value: Literal) -> Self { self.put(TreeEnsembleRegressor::AT.base_values_as_tensor, value) }
    #[inline] pub fn n_targets(self, value: i64) -> Self { self.put(TreeEnsembleRegressor::AT.n_targets, value) }
    #[inline] pub fn nodes_falsenodeids(self, value: Vec<i64>) -> Self { self.put(TreeEnsembleRegressor::AT.nodes_falsenodeids, value) }
    #[inline] pub fn nodes_featureids(self, value: Vec<i64>) -> Self { self.put(TreeEnsembleRegressor::AT.nodes_featureids, value) }
    #[inline] pub fn nodes_hitrates(self, value: Vec<f32>) -> Self { self.put(TreeEnsembleRegressor::AT.nodes_hitrates, value) }
    #[inline] pub fn nodes_hitrates_as_tensor(self, value: Literal) -> Self { self.put(TreeEnsembleRegressor::AT.nodes_hitrates_as_tensor, value) }
    #[inline] pub fn nodes_missing_value_tracks_true(self, value: Vec<i64>) -> Self { self.put(TreeEnsembleRegressor::AT.nodes_missing_value_tracks_true, value) }
    #[inline] pub fn nodes_modes(self, value: Vec<String>) -> Self { self.put(TreeEnsembleRegressor::AT.nodes_modes, value) }
    #[inline] pub fn nodes_nodeids(self, value: Vec<i64>) -> Self { self.put(TreeEnsembleRegressor::AT.nodes_nodeids, value) }
    #[inline] pub fn nodes_treeids(self, value: Vec<i64>) -> Self { self.put(TreeEnsembleRegressor::AT.nodes_treeids, value) }
    #[inline] pub fn nodes_truenodeids(self, value: Vec<i64>) -> Self { self.put(TreeEnsembleRegressor::AT.nodes_truenodeids, value) }
    #[inline] pub fn nodes_values(self, value: Vec<f32>) -> Self { self.put(TreeEnsembleRegressor::AT.nodes_values, value) }
    #[inline] pub fn nodes_values_as_tensor(self, value: Literal) -> Self { self.put(TreeEnsembleRegressor::AT.nodes_values_as_tensor, value) }
    #[inline] pub fn post_transform(self, value: PostTransform) -> Self { self.put(TreeEnsembleRegressor::AT.post_transform, value) }
    #[inline] pub fn target_ids(self, value: Vec<i64>) -> Self { self.put(TreeEnsembleRegressor::AT.target_ids, value) }
    #[inline] pub fn target_nodeids(self, value: Vec<i64>) -> Self { self.put(TreeEnsembleRegressor::AT.target_nodeids, value) }
    #[inline] pub fn target_treeids(self, value: Vec<i64>) -> Self { self.put(TreeEnsembleRegressor::AT.target_treeids, value) }
    #[inline] pub fn target_weights(self, value: Vec<f32>) -> Self { self.put(TreeEnsembleRegressor::AT.target_weights, value) }
    #[inline] pub fn target_weights_as_tensor(self, value: Literal) -> Self { self.put(TreeEnsembleRegressor::AT.target_weights_as_tensor, value) }
}

/// A view of [`OpKind::ZipMap`].
#[derive(Clone, Copy)]
pub struct ZipMap<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::ZipMap`], and names of its attributes.
pub struct ZipMapAt { pub x: usize, pub z: usize, pub classlabels_int64s: AttrName<kinds::Ints>, pub classlabels_strings: AttrName<kinds::Strs> }

impl<'a> ZipMap<'a> {
    pub const KIND: OpKind = OpKind::ZipMap;
    pub const AT: ZipMapAt = ZipMapAt { x: 0, z: 0, classlabels_int64s: AttrName::new("classlabels_int64s"), classlabels_strings: AttrName::new("classlabels_strings") };
    #[inline] pub fn of(op: &'a Op) -> Option<ZipMap<'a>> { view::fits(op, Self::KIND).then_some(ZipMap(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn z(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn classlabels_int64s(self) -> Option<&'a [i64]> { view::optional(self.0, Self::AT.classlabels_int64s) }
    #[inline] pub fn classlabels_strings(self) -> Option<&'a [String]> { view::optional(self.0, Self::AT.classlabels_strings) }
}

impl ZipMap<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::ZipMap, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::ZipMap) }
}

impl<O: BorrowMut<Op>> Set<ZipMap<'static>, O> {
    #[inline] pub fn classlabels_int64s(self, value: Vec<i64>) -> Self { self.put(ZipMap::AT.classlabels_int64s, value) }
    #[inline] pub fn classlabels_strings(self, value: Vec<String>) -> Self { self.put(ZipMap::AT.classlabels_strings, value) }
}
