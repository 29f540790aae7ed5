//! The operators that models may use. Most are ops of the table, as the `onnx` clause of a row says. The others are
//! translated to ops by [`TRANSLATIONS`], and ONNX Runtime's by [`contrib`].

use crate::contrib;
use crate::error::OnnxError;
use crate::import::Frame;
use crate::import::Import;
use crate::import::control::Outputs;
use crate::import::node::Node;
use crate::import::scope::Scope;
use crate::opset::{self, Rewrite};
use trident_ir::{Builder, OpKind};

/// The operator sets of the standard, and the newest version of each that is read.
static NEWEST: &[(&str, i64)] =
    &[("", 28), ("ai.onnx.ml", 5), ("ai.onnx.preview", 1), ("ai.onnx.preview.training", 1)];

/// The operator set of ONNX Runtime. Some of its operators are supported. Its versions do not matter, and a model may
/// define functions in it.
pub(crate) const RUNTIME: &str = "com.microsoft";

/// Imports a node that has subgraphs.
type Expand = for<'a> fn(
    &mut Import<'a, '_>,
    &mut Builder<'_>,
    &Scope<'a, '_>,
    Node<'a>,
    &Frame<'a>,
) -> Result<Outputs, OnnxError>;

/// An operator that no row of the op table is.
pub(crate) struct Translation {
    /// Its operator set.
    pub(crate) domain: &'static str,
    /// Its name.
    pub(crate) name: &'static str,
    /// The version of the operator set that brought it.
    pub(crate) since: i64,
    /// How it is imported.
    pub(crate) by: By,
}

/// How an operator is imported that no row of the op table is.
pub(crate) enum By {
    /// Translated to another form of this op.
    FormOf(OpKind, Rewrite),
    /// As other ops. Attributes that the function leaves are refused.
    Composed(fn(&mut Builder<'_>, &mut Node<'_>) -> Result<Outputs, OnnxError>),
    /// By expanding its subgraphs.
    Expanding(Expand),
    /// It is refused, for this reason.
    Refusing(&'static str),
}

use By::{Expanding, FormOf, Refusing};

static TRANSLATIONS: &[Translation] = &[
    Translation {
        domain: "",
        name: "CastLike",
        since: 15,
        by: FormOf(OpKind::Cast, opset::cast_like),
    },
    Translation {
        domain: "",
        name: "Scatter",
        since: 9,
        by: FormOf(OpKind::ScatterElements, opset::scatter),
    },
    Translation {
        domain: "",
        name: "SequenceMap",
        since: 17,
        by: Expanding(|import, b, scope, node, frame| import.sequence_map(b, scope, node, frame)),
    },
    Translation {
        domain: "",
        name: "Upsample",
        since: 1,
        by: FormOf(OpKind::Resize, opset::upsample),
    },
    Translation {
        domain: "ai.onnx.preview",
        name: "FlexAttention",
        since: 1,
        by: Expanding(|import, b, scope, node, frame| import.flex_attention(b, scope, node, frame)),
    },
    Translation {
        domain: "ai.onnx.preview.training",
        name: "Gradient",
        since: 1,
        by: Refusing("it computes gradients, and training is not supported"),
    },
];

/// All operators that no row of the op table is.
fn translations() -> impl Iterator<Item = &'static Translation> {
    TRANSLATIONS.iter().chain(contrib::operators())
}

/// An operator that models may use.
#[derive(Clone, Copy)]
pub(crate) enum Operator {
    /// An op of the table.
    Op(OpKind),
    /// An operator that becomes other ops.
    Translated(&'static Translation),
}

impl Operator {
    /// The operator with this name in an operator set.
    pub(crate) fn find(domain: &str, name: &str) -> Option<Operator> {
        let translation = || translations().find(|t| (t.domain, t.name) == (domain, name));
        OpKind::by_onnx(domain, name)
            .map(Operator::Op)
            .or_else(|| translation().map(Operator::Translated))
    }

    /// Operator set, name, and the version of the set that brought it; `None` for an op that is not an ONNX operator.
    fn identity(self) -> Option<(&'static str, &'static str, i64)> {
        match self {
            Operator::Op(kind) => kind.decl().onnx.map(|o| (o.domain, o.name, o.since)),
            Operator::Translated(t) => Some((t.domain, t.name, t.since)),
        }
    }

    /// The version of its operator set that brought it.
    pub(crate) fn since(self) -> i64 {
        self.identity().map_or(1, |(_, _, since)| since)
    }

    /// How errors about operands name it.
    pub(crate) fn shown(self) -> &'static str {
        match self {
            Operator::Op(kind) => kind.decl().name,
            Operator::Translated(translation) => translation.name,
        }
    }
}

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
    NEWEST.iter().find(|(of, _)| *of == domain).map(|(_, newest)| *newest)
}

/// The names of the operators of a domain.
pub(crate) fn operators(domain: &str) -> impl Iterator<Item = &'static str> {
    let ops = OpKind::ALL.iter().map(|kind| Operator::Op(*kind));
    let all = ops.chain(translations().map(Operator::Translated));
    all.filter_map(Operator::identity).filter(move |(of, ..)| *of == domain).map(|(_, op, _)| op)
}

/// The domain of an operator with this name, one of the standard's if there are several.
pub(crate) fn domain_of(op: &str) -> Option<&'static str> {
    let domains = NEWEST.iter().map(|(domain, _)| *domain).chain([RUNTIME]);
    domains.into_iter().find(|domain| Operator::find(domain, op).is_some())
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

    #[test]
    fn likely_operators() {
        assert_eq!(likely("", "Convv"), Some("Conv"));
        assert_eq!(likely("", "batchnormalisation"), Some("BatchNormalization"));
        assert_eq!(likely("", "NhwcMaxPool"), None);
        assert_eq!(likely(RUNTIME, "MatMulNBit"), Some("MatMulNBits"));
        assert_eq!(likely("com.example", "Conv"), None);
        assert_eq!(domain_of("MatMulNBits"), Some(RUNTIME));
        assert_eq!([domain_of("Scaler"), domain_of("Conv")], [Some("ai.onnx.ml"), Some("")]);
        assert_eq!(domain_of("Nonsense"), None);
    }

    #[test]
    fn lookups() {
        let since = |domain, op| Operator::find(domain, op).map(Operator::since);
        assert_eq!(since("", "Abs"), Some(1));
        assert_eq!(since("", "Attention"), Some(23));
        assert_eq!(since("", "CastLike"), Some(15));
        assert_eq!(since("ai.onnx.ml", "Abs"), None);
        assert_eq!(newest("ai.onnx.ml"), Some(5));
        assert_eq!(["com.example", RUNTIME].map(newest), [None; 2]);
        assert_eq!(since(RUNTIME, "Abs"), None);
    }

    #[test]
    fn internal_ops_are_no_operators() {
        for name in ["FusedConv", "Fused", "Rsqrt", "Load", "For"] {
            assert!(OpKind::by_variant(name).is_some(), "{name}");
            assert_eq!(domain_of(name), None, "{name}");
        }
    }

    #[test]
    fn operators_belong_to_sets_and_versions_that_are_read() {
        let ops = OpKind::ALL.iter().map(|kind| Operator::Op(*kind));
        let all = ops.chain(translations().map(Operator::Translated));
        for (domain, name, since) in all.filter_map(Operator::identity) {
            let newest = newest(domain).or((domain == RUNTIME).then_some(1));
            assert!((1..=newest.unwrap_or(0)).contains(&since), "{domain} {name} {since}");
        }
    }

    #[test]
    fn what_is_translated_is_no_op() {
        for t in translations() {
            assert_eq!(OpKind::by_onnx(t.domain, t.name), None, "{}", t.name);
        }
    }
}
