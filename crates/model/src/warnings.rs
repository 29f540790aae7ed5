//! Warnings about a model that was loaded: it runs, but not as its user or its file expects.

use std::fmt;
use trident_engine::Session;
use trident_ir::{Dim, Type, ValueInfo};

/// An output of other sizes than the model's file declares. Runs give the computed sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct ContradictedOutput {
    /// Name of the output.
    pub name: String,
    /// Its type in the file.
    pub declared: Type,
    /// Its type that follows from the model's inputs, constants and ops.
    pub computed: Type,
}

impl fmt::Display for ContradictedOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ContradictedOutput { name, declared, computed } = self;
        write!(
            f,
            "the file declares output `{name}` as {declared}, but the model computes {computed}, which runs give"
        )
    }
}

/// The warnings about a session, whose model declares outputs of these types ([`Info::outputs`](trident_onnx::Info::outputs)).
pub fn warnings(declared: &[Option<Type>], session: &Session) -> Vec<String> {
    let contradicted = contradicted_outputs(declared, &session.signature().outputs);
    let contradicted = contradicted.iter().map(ToString::to_string);
    session.unfolded().map(ToString::to_string).into_iter().chain(contradicted).collect()
}

/// The outputs whose declared number of dimensions or sizes differ from those computed. A size that depends on a run contradicts
/// none.
fn contradicted_outputs(
    declared: &[Option<Type>],
    outputs: &[ValueInfo],
) -> Vec<ContradictedOutput> {
    let known =
        declared.iter().zip(outputs).filter_map(|(ty, output)| Some((ty.as_ref()?, output)));
    let contradicted = known.filter(|(declared, output)| contradict(declared, &output.ty));
    contradicted
        .map(|(declared, output)| ContradictedOutput {
            name: output.name.clone(),
            declared: declared.clone(),
            computed: output.ty.clone(),
        })
        .collect()
}

fn contradict(declared: &Type, computed: &Type) -> bool {
    match (declared, computed) {
        (Type::Seq(a), Type::Seq(b)) | (Type::Optional(a), Type::Optional(b)) => contradict(a, b),
        (Type::Map(_, a), Type::Map(_, b)) => contradict(a, b),
        (declared, computed) => match (declared.shape(), computed.shape()) {
            (Some(a), Some(b)) => {
                let differ =
                    |(a, b): (&Dim, &Dim)| a.fixed().zip(b.fixed()).is_some_and(|(a, b)| a != b);
                a.len() != b.len() || a.iter().zip(b.iter()).any(differ)
            }
            _ => false,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trident_ir::DType;

    #[test]
    fn sizes_and_ranks_contradict_but_symbols_do_not() {
        let ty = |dims: &[Dim]| Type::tensor(DType::F32, dims.iter().cloned());
        let (n, five, three) = (Dim::sym("N"), Dim::Fixed(5), Dim::Fixed(3));
        let computed = ty(&[n.clone(), three.clone()]);
        for (declared, is_wrong) in [
            (ty(&[five.clone(), three.clone()]), false),
            (ty(&[n.clone(), five.clone()]), true),
            (ty(&[Dim::Unknown, three.clone()]), false),
            (ty(&[n.clone(), three.clone(), Dim::Fixed(1)]), true),
            (ty(&[]), true),
            (Type::unranked(DType::F32), false),
        ] {
            assert_eq!(contradict(&declared, &computed), is_wrong, "{declared}");
            let in_sequence = |ty: &Type| Type::Seq(Box::new(ty.clone()));
            assert_eq!(contradict(&in_sequence(&declared), &in_sequence(&computed)), is_wrong);
        }
        let output = ValueInfo { name: "y".into(), ty: computed };
        let declared = [Some(ty(&[five.clone(), five])), None];
        let found = contradicted_outputs(&declared, &[output.clone(), output]);
        let text = "the file declares output `y` as f32[5, 5], but the model computes f32[N, 3], which runs give";
        assert_eq!(found.iter().map(ToString::to_string).collect::<Vec<_>>(), [text]);
    }
}
