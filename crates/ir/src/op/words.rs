//! Attributes that name one of a few choices by a text.

use super::Default;
use super::kinds::AttrType;
use crate::{Attr, AttrKind};

macro_rules! words {
    ($( $(#[doc = $doc:literal])+ pub enum $name:ident {
        $( $(#[doc = $of:literal])+ $variant:ident = $text:literal, )+
    } )*) => { $(
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $( $(#[doc = $of])+ $variant, )+ }

        impl $name {
            /// The choices in order. Where an op names them by numbers, these are their places in the order.
            pub const ALL: &'static [$name] = &[$($name::$variant,)+];

            /// The text that stands for it in attributes.
            pub const fn text(self) -> &'static str {
                match self { $($name::$variant => $text,)+ }
            }

            /// The choice with this text.
            pub fn by_text(text: &str) -> Option<$name> {
                $name::ALL.iter().copied().find(|word| word.text() == text)
            }

            /// The default of a row.
            #[allow(dead_code)] // no row has some of the words as its default
            pub(crate) const fn declare(word: $name) -> Default {
                Default::Str(word.text())
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.text())
            }
        }

        impl AttrType for $name {
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

mod tile;

pub use tile::*;

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
    /// How the losses of a batch become one.
    pub enum BatchReduction {
        /// They stay apart.
        None = "none",
        /// By their sum.
        Sum = "sum",
        /// By their sum, divided by that of the weights.
        Mean = "mean",
    }
    /// The momentum of gradient descent.
    pub enum MomentumMode {
        /// The step follows the velocity.
        Standard = "standard",
        /// The step follows the gradient and the velocity after it (Nesterov).
        Nesterov = "nesterov",
    }
    /// The change of a text's case.
    pub enum CaseChange {
        /// None.
        None = "NONE",
        /// To lower case.
        Lower = "LOWER",
        /// To upper case.
        Upper = "UPPER",
    }
    /// The value of an n-gram in a row.
    pub enum TermWeight {
        /// The times that it occurs.
        Count = "TF",
        /// Its weight, if it occurs.
        Weight = "IDF",
        /// Its weight for each time that it occurs.
        Product = "TFIDF",
    }
    /// The element type of a map's values as a tensor.
    pub enum MapCast {
        /// f32.
        Float = "TO_FLOAT",
        /// Strings.
        Str = "TO_STRING",
        /// i64.
        Int = "TO_INT64",
    }
    /// The order of a map's values in a tensor.
    pub enum MapForm {
        /// By ascending key.
        Dense = "DENSE",
        /// Each at the place that its key is.
        Sparse = "SPARSE",
    }
    /// The norm that a row of features is divided by.
    pub enum RowNorm {
        /// The greatest magnitude.
        Max = "MAX",
        /// The sum of the magnitudes.
        L1 = "L1",
        /// The Euclidean norm.
        L2 = "L2",
    }
    /// The transform of a row of scores.
    pub enum PostTransform {
        /// None.
        None = "NONE",
        /// Softmax.
        Softmax = "SOFTMAX",
        /// The logistic function of each.
        Logistic = "LOGISTIC",
        /// Softmax over the scores that are not 0.
        SoftmaxZero = "SOFTMAX_ZERO",
        /// The quantile function of the standard normal distribution.
        Probit = "PROBIT",
    }
    /// The kernel function of a support vector machine.
    pub enum SvmKernel {
        /// x·v.
        Linear = "LINEAR",
        /// (gamma·x·v + coef0)^degree.
        Poly = "POLY",
        /// exp(−gamma·|x − v|²).
        Rbf = "RBF",
        /// tanh(gamma·x·v + coef0).
        Sigmoid = "SIGMOID",
    }
    /// How the votes of trees' leaves become a score.
    pub enum TreeAggregate {
        /// By their sum, divided by the number of trees.
        Average = "AVERAGE",
        /// By their sum.
        Sum = "SUM",
        /// By the least.
        Min = "MIN",
        /// By the greatest.
        Max = "MAX",
    }
    /// The comparison of a tree's node, of a feature x with the node's value v.
    pub enum NodeMode {
        /// x ≤ v.
        Leq = "BRANCH_LEQ",
        /// x < v.
        Lt = "BRANCH_LT",
        /// x ≥ v.
        Gte = "BRANCH_GTE",
        /// x > v.
        Gt = "BRANCH_GT",
        /// x = v.
        Eq = "BRANCH_EQ",
        /// x ≠ v.
        Neq = "BRANCH_NEQ",
        /// x is in a set.
        Member = "BRANCH_MEMBER",
    }
    /// How output coordinates of a resized axis map to input coordinates.
    pub enum CoordinateTransform {
        /// Pixels have their centre at one half.
        HalfPixel = "half_pixel",
        /// The same, around the middle of the axis.
        HalfPixelSymmetric = "half_pixel_symmetric",
        /// The same, but an axis of length 1 is at 0.
        PytorchHalfPixel = "pytorch_half_pixel",
        /// The first and last pixels of both sides meet.
        AlignCorners = "align_corners",
        /// Coordinates are divided by the scale.
        Asymmetric = "asymmetric",
        /// A region is cut out; places outside the operand have a value of their own.
        CropAndResize = "tf_crop_and_resize",
        /// The half-pixel map without its last half, of operator sets 11 and 12.
        TfHalfPixelForNearest = "tf_half_pixel_for_nn",
    }
    /// How values between elements are computed.
    pub enum Interpolation {
        /// The nearest element.
        Nearest = "nearest",
        /// The neighbours, weighted by their distance.
        Linear = "linear",
        /// Four neighbours, weighted by a cubic kernel.
        Cubic = "cubic",
    }
    /// Which of two neighbours is the nearest.
    pub enum NearestMode {
        /// The closer one, the lower one of a tie.
        PreferFloor = "round_prefer_floor",
        /// The closer one, the upper one of a tie.
        PreferCeil = "round_prefer_ceil",
        /// The lower one.
        Floor = "floor",
        /// The upper one.
        Ceil = "ceil",
        /// The upper one on axes that shrink, the lower one on others; of operator set 10.
        CeilWhenShrinking = "ceil_when_shrinking",
    }
    /// Whether one scale resizes all axes.
    pub enum AspectRatioPolicy {
        /// Each axis has its own scale.
        Stretch = "stretch",
        /// The greatest scale with which no axis exceeds its size.
        NotLarger = "not_larger",
        /// The least scale with which every axis reaches its size.
        NotSmaller = "not_smaller",
    }
    /// The values of samples outside the operand.
    pub enum SamplePadding {
        /// 0.
        Zeros = "zeros",
        /// The value at the border.
        Border = "border",
        /// The value at the place reflected by the border.
        Reflection = "reflection",
    }
    /// The coordinates of a region of interest.
    pub enum RoiTransform {
        /// Pixels have their centre at one half.
        HalfPixel = "half_pixel",
        /// Pixels have their centre at whole numbers, as before operator set 16.
        OutputHalfPixel = "output_half_pixel",
    }
    /// How the samples of a cell are pooled.
    pub enum RoiPooling {
        /// By their mean.
        Average = "avg",
        /// By their maximum.
        Max = "max",
    }
    /// The channels of a decoded image.
    pub enum PixelFormat {
        /// Red, green, blue.
        Rgb = "RGB",
        /// Blue, green, red.
        Bgr = "BGR",
        /// Luminance.
        Grayscale = "Grayscale",
    }
    /// The order in which a recurrent network takes the steps of a sequence.
    pub enum RecurrentDirection {
        /// From the first step to the last.
        Forward = "forward",
        /// From the last step to the first.
        Reverse = "reverse",
        /// Both, with weights of their own.
        Bidirectional = "bidirectional",
    }
    /// How the state of linear attention is updated at each position.
    pub enum UpdateRule {
        /// The outer product of key and value is added.
        Linear = "linear",
        /// The same, after the state decays.
        Gated = "gated",
        /// The outer product of the key and the value's difference from what the state predicts is added.
        Delta = "delta",
        /// The same, after the state decays.
        GatedDelta = "gated_delta",
    }
    /// The function at the end of a causal convolution.
    pub enum CausalActivation {
        /// The identity.
        None = "none",
        /// x·sigmoid(x).
        Silu = "silu",
        /// Another name of [`CausalActivation::Silu`].
        Swish = "swish",
    }
    /// The values that a border is filled with.
    pub enum PadMode {
        /// One value.
        Constant = "constant",
        /// The nearest element.
        Edge = "edge",
        /// The elements mirrored at the outermost one, which is not repeated.
        Reflect = "reflect",
        /// The elements of the other side.
        Wrap = "wrap",
    }
    /// The order of the parts of a channel that stands for a block of pixels.
    pub enum BlockOrder {
        /// Depth, column, row: the place in the block is the outer part.
        DepthLast = "DCR",
        /// Column, row, depth: the place in the block is the inner part.
        DepthFirst = "CRD",
    }
    /// The value that an element gets where an update is scattered to it.
    pub enum ScatterReduction {
        /// The update.
        Replace = "none",
        /// The sum of both.
        Add = "add",
        /// The product of both.
        Mul = "mul",
        /// The greater one.
        Max = "max",
        /// The lesser one.
        Min = "min",
    }
    /// The end of a cache.
    pub enum CacheMode {
        /// Nothing may be written past it.
        Linear = "linear",
        /// Writing goes on at the start.
        Circular = "circular",
    }
    /// The way that bits are shifted.
    pub enum ShiftDirection {
        /// To higher bits.
        Left = "LEFT",
        /// To lower bits.
        Right = "RIGHT",
    }
    /// The formula of GELU.
    pub enum GeluFormula {
        /// By the error function.
        Exact = "none",
        /// By the hyperbolic tangent.
        Tanh = "tanh",
    }
    /// The rounding of a number to a power of two, an f8e8m0fnu.
    pub enum ScaleRounding {
        /// To the next greater power.
        Up = "up",
        /// To the next lesser power.
        Down = "down",
        /// To the nearest power.
        Nearest = "nearest",
    }
    /// The rounding to a narrower float.
    pub enum FloatRounding {
        /// To the nearest float, and to the even one of two.
        NearestEven = "rtne",
        /// Towards zero.
        TowardZero = "rtz",
    }
    /// The name of an [`Activation`](crate::op::Activation).
    pub enum FusedActivation {
        /// The identity.
        None = "none",
        /// `clip`.
        Clip = "clip",
        /// `elu`.
        Elu = "elu",
        /// `gelu`.
        Gelu = "gelu",
        /// `gelu` by the tanh formula.
        GeluTanh = "gelu_tanh",
        /// `hard_sigmoid`.
        HardSigmoid = "hard_sigmoid",
        /// `hard_swish`.
        HardSwish = "hard_swish",
        /// `leaky_relu`.
        LeakyRelu = "leaky_relu",
        /// `mish`.
        Mish = "mish",
        /// `relu`.
        Relu = "relu",
        /// `sigmoid`.
        Sigmoid = "sigmoid",
        /// `swish` with alpha 1.
        Silu = "silu",
        /// `tanh`.
        Tanh = "tanh",
    }
}
