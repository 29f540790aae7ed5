//! Which operators the standard has, and which of ONNX Runtime's are read, by operator set and first version.

use std::collections::HashMap;
use std::sync::LazyLock;

/// An operator set.
pub(crate) struct OpSet {
    /// Its domain.
    domain: &'static str,
    /// The newest version that is read; `None` if versions do not matter.
    newest: Option<i64>,
    /// First versions, and the operators that came with them.
    ops: &'static [(i64, &'static str)],
}

static OP_SETS: &[OpSet] = &[
    OpSet {
        domain: "",
        newest: Some(28),
        ops: &[
            (
                1,
                "Abs Add And ArgMax ArgMin AveragePool BatchNormalization Cast Ceil Clip Concat \
              Constant Conv ConvTranspose DepthToSpace Div Dropout Elu Equal Exp Flatten \
              Floor GRU Gather Gemm GlobalAveragePool GlobalLpPool GlobalMaxPool Greater \
              HardSigmoid Hardmax Identity If InstanceNormalization LRN LSTM LeakyRelu Less \
              Log LogSoftmax Loop LpNormalization LpPool MatMul Max MaxPool MaxRoiPool Mean \
              Min Mul Neg Not Or PRelu Pad Pow RNN RandomNormal RandomNormalLike \
              RandomUniform RandomUniformLike Reciprocal ReduceL1 ReduceL2 ReduceLogSum \
              ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum \
              ReduceSumSquare Relu Reshape Selu Shape Sigmoid Size Slice Softmax Softplus \
              Softsign SpaceToDepth Split Sqrt Squeeze Sub Sum Tanh Tile TopK Transpose \
              Unsqueeze Upsample Xor",
            ),
            (7, "Acos Asin Atan Cos Multinomial Sin Tan"),
            (8, "Expand Scan"),
            (
                9,
                "Acosh Asinh Atanh Compress ConstantOfShape Cosh Erf EyeLike IsNaN MaxUnpool \
              MeanVarianceNormalization NonZero OneHot Scatter Shrink Sign Sinh \
              TfIdfVectorizer Where",
            ),
            (
                10,
                "ConvInteger DequantizeLinear IsInf MatMulInteger Mod NonMaxSuppression \
              QLinearConv QLinearMatMul QuantizeLinear Resize ReverseSequence RoiAlign \
              StringNormalizer ThresholdedRelu",
            ),
            (
                11,
                "BitShift ConcatFromSequence CumSum Det DynamicQuantizeLinear GatherElements \
              GatherND Range Round ScatterElements ScatterND SequenceAt SequenceConstruct \
              SequenceEmpty SequenceErase SequenceInsert SequenceLength SplitToSequence \
              Unique",
            ),
            (
                12,
                "Celu Einsum GreaterOrEqual LessOrEqual NegativeLogLikelihoodLoss \
              SoftmaxCrossEntropyLoss",
            ),
            (14, "HardSwish Trilu"),
            (15, "Bernoulli CastLike Optional OptionalGetElement OptionalHasElement"),
            (16, "GridSample"),
            (
                17,
                "BlackmanWindow DFT HammingWindow HannWindow LayerNormalization MelWeightMatrix \
              STFT SequenceMap",
            ),
            (
                18,
                "BitwiseAnd BitwiseNot BitwiseOr BitwiseXor CenterCropPad Col2Im \
              GroupNormalization Mish",
            ),
            (19, "DeformConv"),
            (20, "AffineGrid Gelu ImageDecoder RegexFullMatch StringConcat StringSplit"),
            (23, "Attention RMSNormalization RotaryEmbedding"),
            (24, "Swish TensorScatter"),
            (26, "BitCast CumProd"),
            (27, "CausalConvWithState LinearAttention"),
            (28, "SwiGLU"),
        ],
    },
    OpSet {
        domain: "ai.onnx.ml",
        newest: Some(5),
        ops: &[
            (
                1,
                "ArrayFeatureExtractor Binarizer CastMap CategoryMapper DictVectorizer \
              FeatureVectorizer Imputer LabelEncoder LinearClassifier LinearRegressor \
              Normalizer OneHotEncoder SVMClassifier SVMRegressor Scaler \
              TreeEnsembleClassifier TreeEnsembleRegressor ZipMap",
            ),
            (5, "TreeEnsemble"),
        ],
    },
    OpSet { domain: "ai.onnx.preview", newest: Some(1), ops: &[(1, "FlexAttention")] },
    OpSet {
        domain: "ai.onnx.preview.training",
        newest: Some(1),
        ops: &[(1, "Adagrad Adam Gradient Momentum")],
    },
    // Not of the standard: what exporters write of ONNX Runtime's operators. A model may have functions of this domain.
    OpSet { domain: "com.microsoft", newest: None, ops: &[(1, "MatMulNBits")] },
];

/// One name for each operator set: the empty one for `ai.onnx`.
pub(crate) fn canonical(domain: &str) -> &str {
    match domain {
        "ai.onnx" => "",
        other => other,
    }
}

/// How messages name an operator set.
pub(crate) fn display(domain: &str) -> &str {
    match domain {
        "" => "ai.onnx",
        other => other,
    }
}

/// The newest version of an operator set that is read; `None` if it is none of the standard.
pub(crate) fn newest(domain: &str) -> Option<i64> {
    OP_SETS.iter().find(|s| s.domain == domain)?.newest
}

/// The version of its operator set that brought an operator; `None` if there is no such operator.
pub(crate) fn since(domain: &str, op: &str) -> Option<i64> {
    type Firsts = HashMap<(&'static str, &'static str), i64>;
    static SINCE: LazyLock<Firsts> = LazyLock::new(|| {
        let all = OP_SETS.iter().flat_map(|s| s.ops.iter().map(|(v, names)| (s.domain, v, names)));
        all.flat_map(|(d, v, names)| names.split_ascii_whitespace().map(move |n| ((d, n), *v)))
            .collect()
    });
    SINCE.get(&(domain, op)).copied()
}

/// The operators of a domain, in the order of their first versions.
pub(crate) fn operators(domain: &str) -> impl Iterator<Item = &'static str> {
    let sets = OP_SETS.iter().filter(move |set| set.domain == domain);
    sets.flat_map(|set| set.ops).flat_map(|(_, names)| names.split_ascii_whitespace())
}

/// The domain of an operator with this name.
pub(crate) fn domain_of(op: &str) -> Option<&'static str> {
    OP_SETS.iter().map(|set| set.domain).find(|domain| operators(domain).any(|name| name == op))
}

/// The operator of a domain that was probably meant.
pub(crate) fn likely(domain: &str, op: &str) -> Option<&'static str> {
    // Longer names are not compared, as that takes time in proportion to their length.
    const LONGEST: usize = 64;
    let likeness = |known: &&str| {
        strsim::normalized_damerau_levenshtein(&op.to_lowercase(), &known.to_lowercase())
    };
    let known = operators(domain).filter(|_| op.len() <= LONGEST);
    known.max_by(|a, b| likeness(a).total_cmp(&likeness(b))).filter(|name| likeness(name) >= 0.75)
}

#[cfg(test)]
mod tests {
    use super::*;
    use trident_ir::OpKind;

    #[test]
    fn likely_operators() {
        assert_eq!(likely("", "Convv"), Some("Conv"));
        assert_eq!(likely("", "batchnormalisation"), Some("BatchNormalization"));
        assert_eq!(likely("", "SimplifiedLayerNormalization"), None);
        assert_eq!(likely("com.microsoft", "MatMulNBit"), Some("MatMulNBits"));
        assert_eq!(likely("com.microsoft", "FusedMatMul"), None);
        assert_eq!(likely("com.example", "Conv"), None);
        assert_eq!(domain_of("MatMulNBits"), Some("com.microsoft"));
        assert_eq!([domain_of("Scaler"), domain_of("Conv")], [Some("ai.onnx.ml"), Some("")]);
        assert_eq!(domain_of("Nonsense"), None);
    }

    #[test]
    fn lookups() {
        assert_eq!(since("", "Abs"), Some(1));
        assert_eq!(since("", "Attention"), Some(23));
        assert_eq!(since("ai.onnx.ml", "Abs"), None);
        assert_eq!(newest("ai.onnx.ml"), Some(5));
        assert_eq!(["com.example", "com.microsoft"].map(newest), [None; 2]);
        assert_eq!(since("com.microsoft", "Abs"), None);
    }

    #[test]
    fn every_operator_is_in_the_op_table_or_translated() {
        let translated =
            ["CastLike", "Scatter", "SequenceMap", "Upsample", "FlexAttention", "Gradient"];
        for (_, names) in OP_SETS.iter().flat_map(|s| s.ops) {
            for name in names.split_ascii_whitespace() {
                let known = OpKind::by_variant(name).is_some() || translated.contains(&name);
                assert!(known, "{name}");
            }
        }
    }
}
