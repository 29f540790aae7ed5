// Generated from the rows of ops by `cargo xtask codegen`.
#![allow(clippy::too_many_arguments, clippy::len_without_is_empty)]

use crate::op::kinds;
use crate::op::view::{self, New, Set};
use crate::op::words::{MapCast, MapForm, PostTransform, RowNorm, SvmKernel, TreeAggregate};
use crate::{Literal, Op, OpKind, ValueId};
use std::borrow::BorrowMut;

/// A view of [`OpKind::ArrayFeatureExtractor`].
#[derive(Clone, Copy)]
pub struct ArrayFeatureExtractor<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::ArrayFeatureExtractor`].
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

/// Places of the operands and results of [`OpKind::Binarizer`].
pub struct BinarizerAt { pub x: usize, pub y: usize }

impl<'a> Binarizer<'a> {
    pub const KIND: OpKind = OpKind::Binarizer;
    pub const AT: BinarizerAt = BinarizerAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Binarizer<'a>> { view::fits(op, Self::KIND).then_some(Binarizer(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn threshold(self) -> f32 { view::attr::<kinds::Float>(self.0, "threshold") }
}

impl Binarizer<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Binarizer, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Binarizer) }
}

impl<O: BorrowMut<Op>> Set<Binarizer<'static>, O> {
    #[inline] pub fn threshold(self, value: f32) -> Self { self.put::<kinds::Float>("threshold", value) }
}

/// A view of [`OpKind::CastMap`].
#[derive(Clone, Copy)]
pub struct CastMap<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::CastMap`].
pub struct CastMapAt { pub x: usize, pub y: usize }

impl<'a> CastMap<'a> {
    pub const KIND: OpKind = OpKind::CastMap;
    pub const AT: CastMapAt = CastMapAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<CastMap<'a>> { view::fits(op, Self::KIND).then_some(CastMap(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn cast_to(self) -> MapCast { view::attr::<MapCast>(self.0, "cast_to") }
    #[inline] pub fn map_form(self) -> MapForm { view::attr::<MapForm>(self.0, "map_form") }
    #[inline] pub fn max_map(self) -> i64 { view::attr::<kinds::Int>(self.0, "max_map") }
}

impl CastMap<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::CastMap, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::CastMap) }
}

impl<O: BorrowMut<Op>> Set<CastMap<'static>, O> {
    #[inline] pub fn cast_to(self, value: MapCast) -> Self { self.put::<MapCast>("cast_to", value) }
    #[inline] pub fn map_form(self, value: MapForm) -> Self { self.put::<MapForm>("map_form", value) }
    #[inline] pub fn max_map(self, value: i64) -> Self { self.put::<kinds::Int>("max_map", value) }
}

/// A view of [`OpKind::CategoryMapper`].
#[derive(Clone, Copy)]
pub struct CategoryMapper<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::CategoryMapper`].
pub struct CategoryMapperAt { pub x: usize, pub y: usize }

impl<'a> CategoryMapper<'a> {
    pub const KIND: OpKind = OpKind::CategoryMapper;
    pub const AT: CategoryMapperAt = CategoryMapperAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<CategoryMapper<'a>> { view::fits(op, Self::KIND).then_some(CategoryMapper(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn cats_int64s(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "cats_int64s") }
    #[inline] pub fn cats_strings(self) -> Option<&'a [String]> { view::optional::<kinds::Strs>(self.0, "cats_strings") }
    #[inline] pub fn default_int64(self) -> i64 { view::attr::<kinds::Int>(self.0, "default_int64") }
    #[inline] pub fn default_string(self) -> &'a str { view::attr::<kinds::Str>(self.0, "default_string") }
}

impl CategoryMapper<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::CategoryMapper, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::CategoryMapper) }
}

impl<O: BorrowMut<Op>> Set<CategoryMapper<'static>, O> {
    #[inline] pub fn cats_int64s(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("cats_int64s", value) }
    #[inline] pub fn cats_strings(self, value: Vec<String>) -> Self { self.put::<kinds::Strs>("cats_strings", value) }
    #[inline] pub fn default_int64(self, value: i64) -> Self { self.put::<kinds::Int>("default_int64", value) }
    #[inline] pub fn default_string(self, value: String) -> Self { self.put::<kinds::Str>("default_string", value) }
}

/// A view of [`OpKind::DictVectorizer`].
#[derive(Clone, Copy)]
pub struct DictVectorizer<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::DictVectorizer`].
pub struct DictVectorizerAt { pub x: usize, pub y: usize }

impl<'a> DictVectorizer<'a> {
    pub const KIND: OpKind = OpKind::DictVectorizer;
    pub const AT: DictVectorizerAt = DictVectorizerAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<DictVectorizer<'a>> { view::fits(op, Self::KIND).then_some(DictVectorizer(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn int64_vocabulary(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "int64_vocabulary") }
    #[inline] pub fn string_vocabulary(self) -> Option<&'a [String]> { view::optional::<kinds::Strs>(self.0, "string_vocabulary") }
}

impl DictVectorizer<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::DictVectorizer, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::DictVectorizer) }
}

impl<O: BorrowMut<Op>> Set<DictVectorizer<'static>, O> {
    #[inline] pub fn int64_vocabulary(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("int64_vocabulary", value) }
    #[inline] pub fn string_vocabulary(self, value: Vec<String>) -> Self { self.put::<kinds::Strs>("string_vocabulary", value) }
}

/// A view of [`OpKind::FeatureVectorizer`].
#[derive(Clone, Copy)]
pub struct FeatureVectorizer<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::FeatureVectorizer`].
pub struct FeatureVectorizerAt { pub xs: usize, pub y: usize }

impl<'a> FeatureVectorizer<'a> {
    pub const KIND: OpKind = OpKind::FeatureVectorizer;
    pub const AT: FeatureVectorizerAt = FeatureVectorizerAt { xs: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<FeatureVectorizer<'a>> { view::fits(op, Self::KIND).then_some(FeatureVectorizer(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn xs(self) -> impl ExactSizeIterator<Item = ValueId> + 'a { view::operands(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn inputdimensions(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "inputdimensions") }
}

impl FeatureVectorizer<'static> {
    pub fn new(xs: &[ValueId]) -> New<Self> {
        view::new(OpKind::FeatureVectorizer, vec![], xs)
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::FeatureVectorizer) }
}

impl<O: BorrowMut<Op>> Set<FeatureVectorizer<'static>, O> {
    #[inline] pub fn inputdimensions(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("inputdimensions", value) }
}

/// A view of [`OpKind::Imputer`].
#[derive(Clone, Copy)]
pub struct Imputer<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Imputer`].
pub struct ImputerAt { pub x: usize, pub y: usize }

impl<'a> Imputer<'a> {
    pub const KIND: OpKind = OpKind::Imputer;
    pub const AT: ImputerAt = ImputerAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Imputer<'a>> { view::fits(op, Self::KIND).then_some(Imputer(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn imputed_value_floats(self) -> Option<&'a [f32]> { view::optional::<kinds::Floats>(self.0, "imputed_value_floats") }
    #[inline] pub fn imputed_value_int64s(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "imputed_value_int64s") }
    #[inline] pub fn replaced_value_float(self) -> f32 { view::attr::<kinds::Float>(self.0, "replaced_value_float") }
    #[inline] pub fn replaced_value_int64(self) -> i64 { view::attr::<kinds::Int>(self.0, "replaced_value_int64") }
}

impl Imputer<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Imputer, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Imputer) }
}

impl<O: BorrowMut<Op>> Set<Imputer<'static>, O> {
    #[inline] pub fn imputed_value_floats(self, value: Vec<f32>) -> Self { self.put::<kinds::Floats>("imputed_value_floats", value) }
    #[inline] pub fn imputed_value_int64s(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("imputed_value_int64s", value) }
    #[inline] pub fn replaced_value_float(self, value: f32) -> Self { self.put::<kinds::Float>("replaced_value_float", value) }
    #[inline] pub fn replaced_value_int64(self, value: i64) -> Self { self.put::<kinds::Int>("replaced_value_int64", value) }
}

/// A view of [`OpKind::LabelEncoder`].
#[derive(Clone, Copy)]
pub struct LabelEncoder<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::LabelEncoder`].
pub struct LabelEncoderAt { pub x: usize, pub y: usize }

impl<'a> LabelEncoder<'a> {
    pub const KIND: OpKind = OpKind::LabelEncoder;
    pub const AT: LabelEncoderAt = LabelEncoderAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<LabelEncoder<'a>> { view::fits(op, Self::KIND).then_some(LabelEncoder(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn default_float(self) -> f32 { view::attr::<kinds::Float>(self.0, "default_float") }
    #[inline] pub fn default_int64(self) -> i64 { view::attr::<kinds::Int>(self.0, "default_int64") }
    #[inline] pub fn default_string(self) -> &'a str { view::attr::<kinds::Str>(self.0, "default_string") }
    #[inline] pub fn default_tensor(self) -> Option<&'a Literal> { view::optional::<kinds::Tensor>(self.0, "default_tensor") }
    #[inline] pub fn keys_floats(self) -> Option<&'a [f32]> { view::optional::<kinds::Floats>(self.0, "keys_floats") }
    #[inline] pub fn keys_int64s(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "keys_int64s") }
    #[inline] pub fn keys_strings(self) -> Option<&'a [String]> { view::optional::<kinds::Strs>(self.0, "keys_strings") }
    #[inline] pub fn keys_tensor(self) -> Option<&'a Literal> { view::optional::<kinds::Tensor>(self.0, "keys_tensor") }
    #[inline] pub fn values_floats(self) -> Option<&'a [f32]> { view::optional::<kinds::Floats>(self.0, "values_floats") }
    #[inline] pub fn values_int64s(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "values_int64s") }
    #[inline] pub fn values_strings(self) -> Option<&'a [String]> { view::optional::<kinds::Strs>(self.0, "values_strings") }
    #[inline] pub fn values_tensor(self) -> Option<&'a Literal> { view::optional::<kinds::Tensor>(self.0, "values_tensor") }
}

impl LabelEncoder<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::LabelEncoder, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::LabelEncoder) }
}

impl<O: BorrowMut<Op>> Set<LabelEncoder<'static>, O> {
    #[inline] pub fn default_float(self, value: f32) -> Self { self.put::<kinds::Float>("default_float", value) }
    #[inline] pub fn default_int64(self, value: i64) -> Self { self.put::<kinds::Int>("default_int64", value) }
    #[inline] pub fn default_string(self, value: String) -> Self { self.put::<kinds::Str>("default_string", value) }
    #[inline] pub fn default_tensor(self, value: Literal) -> Self { self.put::<kinds::Tensor>("default_tensor", value) }
    #[inline] pub fn keys_floats(self, value: Vec<f32>) -> Self { self.put::<kinds::Floats>("keys_floats", value) }
    #[inline] pub fn keys_int64s(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("keys_int64s", value) }
    #[inline] pub fn keys_strings(self, value: Vec<String>) -> Self { self.put::<kinds::Strs>("keys_strings", value) }
    #[inline] pub fn keys_tensor(self, value: Literal) -> Self { self.put::<kinds::Tensor>("keys_tensor", value) }
    #[inline] pub fn values_floats(self, value: Vec<f32>) -> Self { self.put::<kinds::Floats>("values_floats", value) }
    #[inline] pub fn values_int64s(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("values_int64s", value) }
    #[inline] pub fn values_strings(self, value: Vec<String>) -> Self { self.put::<kinds::Strs>("values_strings", value) }
    #[inline] pub fn values_tensor(self, value: Literal) -> Self { self.put::<kinds::Tensor>("values_tensor", value) }
}

/// A view of [`OpKind::LinearClassifier`].
#[derive(Clone, Copy)]
pub struct LinearClassifier<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::LinearClassifier`].
pub struct LinearClassifierAt { pub x: usize, pub y: usize, pub z: usize }

impl<'a> LinearClassifier<'a> {
    pub const KIND: OpKind = OpKind::LinearClassifier;
    pub const AT: LinearClassifierAt = LinearClassifierAt { x: 0, y: 0, z: 1 };
    #[inline] pub fn of(op: &'a Op) -> Option<LinearClassifier<'a>> { view::fits(op, Self::KIND).then_some(LinearClassifier(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn z(self) -> Option<ValueId> { self.0.output(1) }
    #[inline] pub fn classlabels_ints(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "classlabels_ints") }
    #[inline] pub fn classlabels_strings(self) -> Option<&'a [String]> { view::optional::<kinds::Strs>(self.0, "classlabels_strings") }
    #[inline] pub fn coefficients(self) -> &'a [f32] { view::attr::<kinds::Floats>(self.0, "coefficients") }
    #[inline] pub fn intercepts(self) -> Option<&'a [f32]> { view::optional::<kinds::Floats>(self.0, "intercepts") }
    #[inline] pub fn multi_class(self) -> i64 { view::attr::<kinds::Int>(self.0, "multi_class") }
    #[inline] pub fn post_transform(self) -> PostTransform { view::attr::<PostTransform>(self.0, "post_transform") }
}

impl LinearClassifier<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::LinearClassifier, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::LinearClassifier) }
}

impl<O: BorrowMut<Op>> Set<LinearClassifier<'static>, O> {
    #[inline] pub fn classlabels_ints(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("classlabels_ints", value) }
    #[inline] pub fn classlabels_strings(self, value: Vec<String>) -> Self { self.put::<kinds::Strs>("classlabels_strings", value) }
    #[inline] pub fn coefficients(self, value: Vec<f32>) -> Self { self.put::<kinds::Floats>("coefficients", value) }
    #[inline] pub fn intercepts(self, value: Vec<f32>) -> Self { self.put::<kinds::Floats>("intercepts", value) }
    #[inline] pub fn multi_class(self, value: i64) -> Self { self.put::<kinds::Int>("multi_class", value) }
    #[inline] pub fn post_transform(self, value: PostTransform) -> Self { self.put::<PostTransform>("post_transform", value) }
}

/// A view of [`OpKind::LinearRegressor`].
#[derive(Clone, Copy)]
pub struct LinearRegressor<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::LinearRegressor`].
pub struct LinearRegressorAt { pub x: usize, pub y: usize }

impl<'a> LinearRegressor<'a> {
    pub const KIND: OpKind = OpKind::LinearRegressor;
    pub const AT: LinearRegressorAt = LinearRegressorAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<LinearRegressor<'a>> { view::fits(op, Self::KIND).then_some(LinearRegressor(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn coefficients(self) -> Option<&'a [f32]> { view::optional::<kinds::Floats>(self.0, "coefficients") }
    #[inline] pub fn intercepts(self) -> Option<&'a [f32]> { view::optional::<kinds::Floats>(self.0, "intercepts") }
    #[inline] pub fn post_transform(self) -> PostTransform { view::attr::<PostTransform>(self.0, "post_transform") }
    #[inline] pub fn targets(self) -> i64 { view::attr::<kinds::Int>(self.0, "targets") }
}

impl LinearRegressor<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::LinearRegressor, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::LinearRegressor) }
}

impl<O: BorrowMut<Op>> Set<LinearRegressor<'static>, O> {
    #[inline] pub fn coefficients(self, value: Vec<f32>) -> Self { self.put::<kinds::Floats>("coefficients", value) }
    #[inline] pub fn intercepts(self, value: Vec<f32>) -> Self { self.put::<kinds::Floats>("intercepts", value) }
    #[inline] pub fn post_transform(self, value: PostTransform) -> Self { self.put::<PostTransform>("post_transform", value) }
    #[inline] pub fn targets(self, value: i64) -> Self { self.put::<kinds::Int>("targets", value) }
}

/// A view of [`OpKind::Normalizer`].
#[derive(Clone, Copy)]
pub struct Normalizer<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Normalizer`].
pub struct NormalizerAt { pub x: usize, pub y: usize }

impl<'a> Normalizer<'a> {
    pub const KIND: OpKind = OpKind::Normalizer;
    pub const AT: NormalizerAt = NormalizerAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Normalizer<'a>> { view::fits(op, Self::KIND).then_some(Normalizer(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn norm(self) -> RowNorm { view::attr::<RowNorm>(self.0, "norm") }
}

impl Normalizer<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Normalizer, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Normalizer) }
}

impl<O: BorrowMut<Op>> Set<Normalizer<'static>, O> {
    #[inline] pub fn norm(self, value: RowNorm) -> Self { self.put::<RowNorm>("norm", value) }
}

/// A view of [`OpKind::OneHotEncoder`].
#[derive(Clone, Copy)]
pub struct OneHotEncoder<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::OneHotEncoder`].
pub struct OneHotEncoderAt { pub x: usize, pub y: usize }

impl<'a> OneHotEncoder<'a> {
    pub const KIND: OpKind = OpKind::OneHotEncoder;
    pub const AT: OneHotEncoderAt = OneHotEncoderAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<OneHotEncoder<'a>> { view::fits(op, Self::KIND).then_some(OneHotEncoder(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn cats_int64s(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "cats_int64s") }
    #[inline] pub fn cats_strings(self) -> Option<&'a [String]> { view::optional::<kinds::Strs>(self.0, "cats_strings") }
    #[inline] pub fn zeros(self) -> bool { view::attr::<kinds::Flag>(self.0, "zeros") }
}

impl OneHotEncoder<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::OneHotEncoder, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::OneHotEncoder) }
}

impl<O: BorrowMut<Op>> Set<OneHotEncoder<'static>, O> {
    #[inline] pub fn cats_int64s(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("cats_int64s", value) }
    #[inline] pub fn cats_strings(self, value: Vec<String>) -> Self { self.put::<kinds::Strs>("cats_strings", value) }
    #[inline] pub fn zeros(self, value: bool) -> Self { self.put::<kinds::Flag>("zeros", value) }
}

/// A view of [`OpKind::Scaler`].
#[derive(Clone, Copy)]
pub struct Scaler<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::Scaler`].
pub struct ScalerAt { pub x: usize, pub y: usize }

impl<'a> Scaler<'a> {
    pub const KIND: OpKind = OpKind::Scaler;
    pub const AT: ScalerAt = ScalerAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<Scaler<'a>> { view::fits(op, Self::KIND).then_some(Scaler(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn offset(self) -> Option<&'a [f32]> { view::optional::<kinds::Floats>(self.0, "offset") }
    #[inline] pub fn scale(self) -> Option<&'a [f32]> { view::optional::<kinds::Floats>(self.0, "scale") }
}

impl Scaler<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::Scaler, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::Scaler) }
}

impl<O: BorrowMut<Op>> Set<Scaler<'static>, O> {
    #[inline] pub fn offset(self, value: Vec<f32>) -> Self { self.put::<kinds::Floats>("offset", value) }
    #[inline] pub fn scale(self, value: Vec<f32>) -> Self { self.put::<kinds::Floats>("scale", value) }
}

/// A view of [`OpKind::SVMClassifier`].
#[derive(Clone, Copy)]
pub struct SVMClassifier<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::SVMClassifier`].
pub struct SVMClassifierAt { pub x: usize, pub y: usize, pub z: usize }

impl<'a> SVMClassifier<'a> {
    pub const KIND: OpKind = OpKind::SVMClassifier;
    pub const AT: SVMClassifierAt = SVMClassifierAt { x: 0, y: 0, z: 1 };
    #[inline] pub fn of(op: &'a Op) -> Option<SVMClassifier<'a>> { view::fits(op, Self::KIND).then_some(SVMClassifier(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn z(self) -> Option<ValueId> { self.0.output(1) }
    #[inline] pub fn classlabels_ints(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "classlabels_ints") }
    #[inline] pub fn classlabels_strings(self) -> Option<&'a [String]> { view::optional::<kinds::Strs>(self.0, "classlabels_strings") }
    #[inline] pub fn coefficients(self) -> Option<&'a [f32]> { view::optional::<kinds::Floats>(self.0, "coefficients") }
    #[inline] pub fn kernel_params(self) -> Option<&'a [f32]> { view::optional::<kinds::Floats>(self.0, "kernel_params") }
    #[inline] pub fn kernel_type(self) -> SvmKernel { view::attr::<SvmKernel>(self.0, "kernel_type") }
    #[inline] pub fn post_transform(self) -> PostTransform { view::attr::<PostTransform>(self.0, "post_transform") }
    #[inline] pub fn prob_a(self) -> Option<&'a [f32]> { view::optional::<kinds::Floats>(self.0, "prob_a") }
    #[inline] pub fn prob_b(self) -> Option<&'a [f32]> { view::optional::<kinds::Floats>(self.0, "prob_b") }
    #[inline] pub fn rho(self) -> Option<&'a [f32]> { view::optional::<kinds::Floats>(self.0, "rho") }
    #[inline] pub fn support_vectors(self) -> Option<&'a [f32]> { view::optional::<kinds::Floats>(self.0, "support_vectors") }
    #[inline] pub fn vectors_per_class(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "vectors_per_class") }
}

impl SVMClassifier<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::SVMClassifier, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::SVMClassifier) }
}

impl<O: BorrowMut<Op>> Set<SVMClassifier<'static>, O> {
    #[inline] pub fn classlabels_ints(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("classlabels_ints", value) }
    #[inline] pub fn classlabels_strings(self, value: Vec<String>) -> Self { self.put::<kinds::Strs>("classlabels_strings", value) }
    #[inline] pub fn coefficients(self, value: Vec<f32>) -> Self { self.put::<kinds::Floats>("coefficients", value) }
    #[inline] pub fn kernel_params(self, value: Vec<f32>) -> Self { self.put::<kinds::Floats>("kernel_params", value) }
    #[inline] pub fn kernel_type(self, value: SvmKernel) -> Self { self.put::<SvmKernel>("kernel_type", value) }
    #[inline] pub fn post_transform(self, value: PostTransform) -> Self { self.put::<PostTransform>("post_transform", value) }
    #[inline] pub fn prob_a(self, value: Vec<f32>) -> Self { self.put::<kinds::Floats>("prob_a", value) }
    #[inline] pub fn prob_b(self, value: Vec<f32>) -> Self { self.put::<kinds::Floats>("prob_b", value) }
    #[inline] pub fn rho(self, value: Vec<f32>) -> Self { self.put::<kinds::Floats>("rho", value) }
    #[inline] pub fn support_vectors(self, value: Vec<f32>) -> Self { self.put::<kinds::Floats>("support_vectors", value) }
    #[inline] pub fn vectors_per_class(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("vectors_per_class", value) }
}

/// A view of [`OpKind::SVMRegressor`].
#[derive(Clone, Copy)]
pub struct SVMRegressor<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::SVMRegressor`].
pub struct SVMRegressorAt { pub x: usize, pub y: usize }

impl<'a> SVMRegressor<'a> {
    pub const KIND: OpKind = OpKind::SVMRegressor;
    pub const AT: SVMRegressorAt = SVMRegressorAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<SVMRegressor<'a>> { view::fits(op, Self::KIND).then_some(SVMRegressor(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn coefficients(self) -> Option<&'a [f32]> { view::optional::<kinds::Floats>(self.0, "coefficients") }
    #[inline] pub fn kernel_params(self) -> Option<&'a [f32]> { view::optional::<kinds::Floats>(self.0, "kernel_params") }
    #[inline] pub fn kernel_type(self) -> SvmKernel { view::attr::<SvmKernel>(self.0, "kernel_type") }
    #[inline] pub fn n_supports(self) -> i64 { view::attr::<kinds::Int>(self.0, "n_supports") }
    #[inline] pub fn one_class(self) -> bool { view::attr::<kinds::Flag>(self.0, "one_class") }
    #[inline] pub fn post_transform(self) -> PostTransform { view::attr::<PostTransform>(self.0, "post_transform") }
    #[inline] pub fn rho(self) -> Option<&'a [f32]> { view::optional::<kinds::Floats>(self.0, "rho") }
    #[inline] pub fn support_vectors(self) -> Option<&'a [f32]> { view::optional::<kinds::Floats>(self.0, "support_vectors") }
}

impl SVMRegressor<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::SVMRegressor, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::SVMRegressor) }
}

impl<O: BorrowMut<Op>> Set<SVMRegressor<'static>, O> {
    #[inline] pub fn coefficients(self, value: Vec<f32>) -> Self { self.put::<kinds::Floats>("coefficients", value) }
    #[inline] pub fn kernel_params(self, value: Vec<f32>) -> Self { self.put::<kinds::Floats>("kernel_params", value) }
    #[inline] pub fn kernel_type(self, value: SvmKernel) -> Self { self.put::<SvmKernel>("kernel_type", value) }
    #[inline] pub fn n_supports(self, value: i64) -> Self { self.put::<kinds::Int>("n_supports", value) }
    #[inline] pub fn one_class(self, value: bool) -> Self { self.put::<kinds::Flag>("one_class", value) }
    #[inline] pub fn post_transform(self, value: PostTransform) -> Self { self.put::<PostTransform>("post_transform", value) }
    #[inline] pub fn rho(self, value: Vec<f32>) -> Self { self.put::<kinds::Floats>("rho", value) }
    #[inline] pub fn support_vectors(self, value: Vec<f32>) -> Self { self.put::<kinds::Floats>("support_vectors", value) }
}

/// A view of [`OpKind::TreeEnsemble`].
#[derive(Clone, Copy)]
pub struct TreeEnsemble<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::TreeEnsemble`].
pub struct TreeEnsembleAt { pub x: usize, pub y: usize }

impl<'a> TreeEnsemble<'a> {
    pub const KIND: OpKind = OpKind::TreeEnsemble;
    pub const AT: TreeEnsembleAt = TreeEnsembleAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<TreeEnsemble<'a>> { view::fits(op, Self::KIND).then_some(TreeEnsemble(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn aggregate_function(self) -> i64 { view::attr::<kinds::Int>(self.0, "aggregate_function") }
    #[inline] pub fn leaf_targetids(self) -> &'a [i64] { view::attr::<kinds::Ints>(self.0, "leaf_targetids") }
    #[inline] pub fn leaf_weights(self) -> &'a Literal { view::attr::<kinds::Tensor>(self.0, "leaf_weights") }
    #[inline] pub fn membership_values(self) -> Option<&'a Literal> { view::optional::<kinds::Tensor>(self.0, "membership_values") }
    #[inline] pub fn n_targets(self) -> Option<i64> { view::optional::<kinds::Int>(self.0, "n_targets") }
    #[inline] pub fn nodes_falseleafs(self) -> &'a [i64] { view::attr::<kinds::Ints>(self.0, "nodes_falseleafs") }
    #[inline] pub fn nodes_falsenodeids(self) -> &'a [i64] { view::attr::<kinds::Ints>(self.0, "nodes_falsenodeids") }
    #[inline] pub fn nodes_featureids(self) -> &'a [i64] { view::attr::<kinds::Ints>(self.0, "nodes_featureids") }
    #[inline] pub fn nodes_hitrates(self) -> Option<&'a Literal> { view::optional::<kinds::Tensor>(self.0, "nodes_hitrates") }
    #[inline] pub fn nodes_missing_value_tracks_true(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "nodes_missing_value_tracks_true") }
    #[inline] pub fn nodes_modes(self) -> &'a Literal { view::attr::<kinds::Tensor>(self.0, "nodes_modes") }
    #[inline] pub fn nodes_splits(self) -> &'a Literal { view::attr::<kinds::Tensor>(self.0, "nodes_splits") }
    #[inline] pub fn nodes_trueleafs(self) -> &'a [i64] { view::attr::<kinds::Ints>(self.0, "nodes_trueleafs") }
    #[inline] pub fn nodes_truenodeids(self) -> &'a [i64] { view::attr::<kinds::Ints>(self.0, "nodes_truenodeids") }
    #[inline] pub fn post_transform(self) -> i64 { view::attr::<kinds::Int>(self.0, "post_transform") }
    #[inline] pub fn tree_roots(self) -> &'a [i64] { view::attr::<kinds::Ints>(self.0, "tree_roots") }
}

impl TreeEnsemble<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::TreeEnsemble, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::TreeEnsemble) }
}

impl<O: BorrowMut<Op>> Set<TreeEnsemble<'static>, O> {
    #[inline] pub fn aggregate_function(self, value: i64) -> Self { self.put::<kinds::Int>("aggregate_function", value) }
    #[inline] pub fn leaf_targetids(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("leaf_targetids", value) }
    #[inline] pub fn leaf_weights(self, value: Literal) -> Self { self.put::<kinds::Tensor>("leaf_weights", value) }
    #[inline] pub fn membership_values(self, value: Literal) -> Self { self.put::<kinds::Tensor>("membership_values", value) }
    #[inline] pub fn n_targets(self, value: i64) -> Self { self.put::<kinds::Int>("n_targets", value) }
    #[inline] pub fn nodes_falseleafs(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("nodes_falseleafs", value) }
    #[inline] pub fn nodes_falsenodeids(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("nodes_falsenodeids", value) }
    #[inline] pub fn nodes_featureids(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("nodes_featureids", value) }
    #[inline] pub fn nodes_hitrates(self, value: Literal) -> Self { self.put::<kinds::Tensor>("nodes_hitrates", value) }
    #[inline] pub fn nodes_missing_value_tracks_true(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("nodes_missing_value_tracks_true", value) }
    #[inline] pub fn nodes_modes(self, value: Literal) -> Self { self.put::<kinds::Tensor>("nodes_modes", value) }
    #[inline] pub fn nodes_splits(self, value: Literal) -> Self { self.put::<kinds::Tensor>("nodes_splits", value) }
    #[inline] pub fn nodes_trueleafs(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("nodes_trueleafs", value) }
    #[inline] pub fn nodes_truenodeids(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("nodes_truenodeids", value) }
    #[inline] pub fn post_transform(self, value: i64) -> Self { self.put::<kinds::Int>("post_transform", value) }
    #[inline] pub fn tree_roots(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("tree_roots", value) }
}

/// A view of [`OpKind::TreeEnsembleClassifier`].
#[derive(Clone, Copy)]
pub struct TreeEnsembleClassifier<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::TreeEnsembleClassifier`].
pub struct TreeEnsembleClassifierAt { pub x: usize, pub y: usize, pub z: usize }

impl<'a> TreeEnsembleClassifier<'a> {
    pub const KIND: OpKind = OpKind::TreeEnsembleClassifier;
    pub const AT: TreeEnsembleClassifierAt = TreeEnsembleClassifierAt { x: 0, y: 0, z: 1 };
    #[inline] pub fn of(op: &'a Op) -> Option<TreeEnsembleClassifier<'a>> { view::fits(op, Self::KIND).then_some(TreeEnsembleClassifier(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn z(self) -> Option<ValueId> { self.0.output(1) }
    #[inline] pub fn base_values(self) -> Option<&'a [f32]> { view::optional::<kinds::Floats>(self.0, "base_values") }
    #[inline] pub fn base_values_as_tensor(self) -> Option<&'a Literal> { view::optional::<kinds::Tensor>(self.0, "base_values_as_tensor") }
    #[inline] pub fn class_ids(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "class_ids") }
    #[inline] pub fn class_nodeids(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "class_nodeids") }
    #[inline] pub fn class_treeids(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "class_treeids") }
    #[inline] pub fn class_weights(self) -> Option<&'a [f32]> { view::optional::<kinds::Floats>(self.0, "class_weights") }
    #[inline] pub fn class_weights_as_tensor(self) -> Option<&'a Literal> { view::optional::<kinds::Tensor>(self.0, "class_weights_as_tensor") }
    #[inline] pub fn classlabels_int64s(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "classlabels_int64s") }
    #[inline] pub fn classlabels_strings(self) -> Option<&'a [String]> { view::optional::<kinds::Strs>(self.0, "classlabels_strings") }
    #[inline] pub fn nodes_falsenodeids(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "nodes_falsenodeids") }
    #[inline] pub fn nodes_featureids(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "nodes_featureids") }
    #[inline] pub fn nodes_hitrates(self) -> Option<&'a [f32]> { view::optional::<kinds::Floats>(self.0, "nodes_hitrates") }
    #[inline] pub fn nodes_hitrates_as_tensor(self) -> Option<&'a Literal> { view::optional::<kinds::Tensor>(self.0, "nodes_hitrates_as_tensor") }
    #[inline] pub fn nodes_missing_value_tracks_true(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "nodes_missing_value_tracks_true") }
    #[inline] pub fn nodes_modes(self) -> Option<&'a [String]> { view::optional::<kinds::Strs>(self.0, "nodes_modes") }
    #[inline] pub fn nodes_nodeids(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "nodes_nodeids") }
    #[inline] pub fn nodes_treeids(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "nodes_treeids") }
    #[inline] pub fn nodes_truenodeids(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "nodes_truenodeids") }
    #[inline] pub fn nodes_values(self) -> Option<&'a [f32]> { view::optional::<kinds::Floats>(self.0, "nodes_values") }
    #[inline] pub fn nodes_values_as_tensor(self) -> Option<&'a Literal> { view::optional::<kinds::Tensor>(self.0, "nodes_values_as_tensor") }
    #[inline] pub fn post_transform(self) -> PostTransform { view::attr::<PostTransform>(self.0, "post_transform") }
    #[inline] pub fn tree_nodes(self) -> super::TreeNodes<'a> { super::TreeNodes(self.0) }
}

impl TreeEnsembleClassifier<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::TreeEnsembleClassifier, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::TreeEnsembleClassifier) }
}

impl<O: BorrowMut<Op>> Set<TreeEnsembleClassifier<'static>, O> {
    #[inline] pub fn base_values(self, value: Vec<f32>) -> Self { self.put::<kinds::Floats>("base_values", value) }
    #[inline] pub fn base_values_as_tensor(self, value: Literal) -> Self { self.put::<kinds::Tensor>("base_values_as_tensor", value) }
    #[inline] pub fn class_ids(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("class_ids", value) }
    #[inline] pub fn class_nodeids(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("class_nodeids", value) }
    #[inline] pub fn class_treeids(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("class_treeids", value) }
    #[inline] pub fn class_weights(self, value: Vec<f32>) -> Self { self.put::<kinds::Floats>("class_weights", value) }
    #[inline] pub fn class_weights_as_tensor(self, value: Literal) -> Self { self.put::<kinds::Tensor>("class_weights_as_tensor", value) }
    #[inline] pub fn classlabels_int64s(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("classlabels_int64s", value) }
    #[inline] pub fn classlabels_strings(self, value: Vec<String>) -> Self { self.put::<kinds::Strs>("classlabels_strings", value) }
    #[inline] pub fn nodes_falsenodeids(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("nodes_falsenodeids", value) }
    #[inline] pub fn nodes_featureids(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("nodes_featureids", value) }
    #[inline] pub fn nodes_hitrates(self, value: Vec<f32>) -> Self { self.put::<kinds::Floats>("nodes_hitrates", value) }
    #[inline] pub fn nodes_hitrates_as_tensor(self, value: Literal) -> Self { self.put::<kinds::Tensor>("nodes_hitrates_as_tensor", value) }
    #[inline] pub fn nodes_missing_value_tracks_true(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("nodes_missing_value_tracks_true", value) }
    #[inline] pub fn nodes_modes(self, value: Vec<String>) -> Self { self.put::<kinds::Strs>("nodes_modes", value) }
    #[inline] pub fn nodes_nodeids(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("nodes_nodeids", value) }
    #[inline] pub fn nodes_treeids(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("nodes_treeids", value) }
    #[inline] pub fn nodes_truenodeids(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("nodes_truenodeids", value) }
    #[inline] pub fn nodes_values(self, value: Vec<f32>) -> Self { self.put::<kinds::Floats>("nodes_values", value) }
    #[inline] pub fn nodes_values_as_tensor(self, value: Literal) -> Self { self.put::<kinds::Tensor>("nodes_values_as_tensor", value) }
    #[inline] pub fn post_transform(self, value: PostTransform) -> Self { self.put::<PostTransform>("post_transform", value) }
}

/// A view of [`OpKind::TreeEnsembleRegressor`].
#[derive(Clone, Copy)]
pub struct TreeEnsembleRegressor<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::TreeEnsembleRegressor`].
pub struct TreeEnsembleRegressorAt { pub x: usize, pub y: usize }

impl<'a> TreeEnsembleRegressor<'a> {
    pub const KIND: OpKind = OpKind::TreeEnsembleRegressor;
    pub const AT: TreeEnsembleRegressorAt = TreeEnsembleRegressorAt { x: 0, y: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<TreeEnsembleRegressor<'a>> { view::fits(op, Self::KIND).then_some(TreeEnsembleRegressor(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn y(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn aggregate_function(self) -> TreeAggregate { view::attr::<TreeAggregate>(self.0, "aggregate_function") }
    #[inline] pub fn base_values(self) -> Option<&'a [f32]> { view::optional::<kinds::Floats>(self.0, "base_values") }
    #[inline] pub fn base_values_as_tensor(self) -> Option<&'a Literal> { view::optional::<kinds::Tensor>(self.0, "base_values_as_tensor") }
    #[inline] pub fn n_targets(self) -> Option<i64> { view::optional::<kinds::Int>(self.0, "n_targets") }
    #[inline] pub fn nodes_falsenodeids(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "nodes_falsenodeids") }
    #[inline] pub fn nodes_featureids(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "nodes_featureids") }
    #[inline] pub fn nodes_hitrates(self) -> Option<&'a [f32]> { view::optional::<kinds::Floats>(self.0, "nodes_hitrates") }
    #[inline] pub fn nodes_hitrates_as_tensor(self) -> Option<&'a Literal> { view::optional::<kinds::Tensor>(self.0, "nodes_hitrates_as_tensor") }
    #[inline] pub fn nodes_missing_value_tracks_true(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "nodes_missing_value_tracks_true") }
    #[inline] pub fn nodes_modes(self) -> Option<&'a [String]> { view::optional::<kinds::Strs>(self.0, "nodes_modes") }
    #[inline] pub fn nodes_nodeids(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "nodes_nodeids") }
    #[inline] pub fn nodes_treeids(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "nodes_treeids") }
    #[inline] pub fn nodes_truenodeids(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "nodes_truenodeids") }
    #[inline] pub fn nodes_values(self) -> Option<&'a [f32]> { view::optional::<kinds::Floats>(self.0, "nodes_values") }
    #[inline] pub fn nodes_values_as_tensor(self) -> Option<&'a Literal> { view::optional::<kinds::Tensor>(self.0, "nodes_values_as_tensor") }
    #[inline] pub fn post_transform(self) -> PostTransform { view::attr::<PostTransform>(self.0, "post_transform") }
    #[inline] pub fn target_ids(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "target_ids") }
    #[inline] pub fn target_nodeids(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "target_nodeids") }
    #[inline] pub fn target_treeids(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "target_treeids") }
    #[inline] pub fn target_weights(self) -> Option<&'a [f32]> { view::optional::<kinds::Floats>(self.0, "target_weights") }
    #[inline] pub fn target_weights_as_tensor(self) -> Option<&'a Literal> { view::optional::<kinds::Tensor>(self.0, "target_weights_as_tensor") }
    #[inline] pub fn tree_nodes(self) -> super::TreeNodes<'a> { super::TreeNodes(self.0) }
}

impl TreeEnsembleRegressor<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::TreeEnsembleRegressor, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::TreeEnsembleRegressor) }
}

impl<O: BorrowMut<Op>> Set<TreeEnsembleRegressor<'static>, O> {
    #[inline] pub fn aggregate_function(self, value: TreeAggregate) -> Self { self.put::<TreeAggregate>("aggregate_function", value) }
    #[inline] pub fn base_values(self, value: Vec<f32>) -> Self { self.put::<kinds::Floats>("base_values", value) }
    #[inline] pub fn base_values_as_tensor(self, value: Literal) -> Self { self.put::<kinds::Tensor>("base_values_as_tensor", value) }
    #[inline] pub fn n_targets(self, value: i64) -> Self { self.put::<kinds::Int>("n_targets", value) }
    #[inline] pub fn nodes_falsenodeids(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("nodes_falsenodeids", value) }
    #[inline] pub fn nodes_featureids(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("nodes_featureids", value) }
    #[inline] pub fn nodes_hitrates(self, value: Vec<f32>) -> Self { self.put::<kinds::Floats>("nodes_hitrates", value) }
    #[inline] pub fn nodes_hitrates_as_tensor(self, value: Literal) -> Self { self.put::<kinds::Tensor>("nodes_hitrates_as_tensor", value) }
    #[inline] pub fn nodes_missing_value_tracks_true(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("nodes_missing_value_tracks_true", value) }
    #[inline] pub fn nodes_modes(self, value: Vec<String>) -> Self { self.put::<kinds::Strs>("nodes_modes", value) }
    #[inline] pub fn nodes_nodeids(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("nodes_nodeids", value) }
    #[inline] pub fn nodes_treeids(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("nodes_treeids", value) }
    #[inline] pub fn nodes_truenodeids(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("nodes_truenodeids", value) }
    #[inline] pub fn nodes_values(self, value: Vec<f32>) -> Self { self.put::<kinds::Floats>("nodes_values", value) }
    #[inline] pub fn nodes_values_as_tensor(self, value: Literal) -> Self { self.put::<kinds::Tensor>("nodes_values_as_tensor", value) }
    #[inline] pub fn post_transform(self, value: PostTransform) -> Self { self.put::<PostTransform>("post_transform", value) }
    #[inline] pub fn target_ids(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("target_ids", value) }
    #[inline] pub fn target_nodeids(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("target_nodeids", value) }
    #[inline] pub fn target_treeids(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("target_treeids", value) }
    #[inline] pub fn target_weights(self, value: Vec<f32>) -> Self { self.put::<kinds::Floats>("target_weights", value) }
    #[inline] pub fn target_weights_as_tensor(self, value: Literal) -> Self { self.put::<kinds::Tensor>("target_weights_as_tensor", value) }
}

/// A view of [`OpKind::ZipMap`].
#[derive(Clone, Copy)]
pub struct ZipMap<'a>(&'a Op);

/// Places of the operands and results of [`OpKind::ZipMap`].
pub struct ZipMapAt { pub x: usize, pub z: usize }

impl<'a> ZipMap<'a> {
    pub const KIND: OpKind = OpKind::ZipMap;
    pub const AT: ZipMapAt = ZipMapAt { x: 0, z: 0 };
    #[inline] pub fn of(op: &'a Op) -> Option<ZipMap<'a>> { view::fits(op, Self::KIND).then_some(ZipMap(op)) }
    #[inline] pub fn as_op(self) -> &'a Op { self.0 }
    #[inline] pub fn x(self) -> ValueId { view::operand(self.0, 0) }
    #[inline] pub fn z(self) -> Option<ValueId> { self.0.output(0) }
    #[inline] pub fn classlabels_int64s(self) -> Option<&'a [i64]> { view::optional::<kinds::Ints>(self.0, "classlabels_int64s") }
    #[inline] pub fn classlabels_strings(self) -> Option<&'a [String]> { view::optional::<kinds::Strs>(self.0, "classlabels_strings") }
}

impl ZipMap<'static> {
    pub fn new(x: ValueId) -> New<Self> {
        view::new(OpKind::ZipMap, vec![Some(x)], &[])
    }
    pub fn edit(op: &mut Op) -> Option<Set<Self, &mut Op>> { view::edit(op, OpKind::ZipMap) }
}

impl<O: BorrowMut<Op>> Set<ZipMap<'static>, O> {
    #[inline] pub fn classlabels_int64s(self, value: Vec<i64>) -> Self { self.put::<kinds::Ints>("classlabels_int64s", value) }
    #[inline] pub fn classlabels_strings(self, value: Vec<String>) -> Self { self.put::<kinds::Strs>("classlabels_strings", value) }
}
