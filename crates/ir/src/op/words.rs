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
        /// None: the node is a leaf.
        Leaf = "LEAF",
    }
}
