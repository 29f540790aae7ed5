//! Plans of models whose dimensions are partly known only at run time.

use super::Shapes;
use crate::failure::Failure;
use trident_engine::{PlanReport, Session};

/// Sizes for dimensions that are known only at run time, tried in this order where the model cannot run on 1.
const ASSUMED: [usize; 3] = [32, 64, 224];

/// A plan, and the dimensions of inputs that it is for.
pub(crate) struct Planned<'s> {
    pub(crate) dims: Vec<(&'s str, Vec<usize>)>,
    pub(crate) plan: PlanReport,
    /// The size of dimensions that are known only at run time, if it is not 1.
    pub(crate) assumed: Option<usize>,
}

impl<'s> Planned<'s> {
    /// Plans a model for the shapes given, and for the dimensions of inputs that have values. Where it cannot run on open
    /// dimensions of 1, larger ones are tried, and `shapes` keeps the size that was found.
    pub(crate) fn of(
        session: &'s Session,
        shapes: &mut Shapes,
        values: &[(&str, Vec<usize>)],
        given: bool,
    ) -> Result<Planned<'s>, Failure> {
        let signature = session.signature();
        let attempt = |shapes: &Shapes, assumed| {
            let (mut dims, mut open) = (Vec::new(), false);
            let mut sizes = shapes.sizes().clone();
            let value = |name: &str| values.iter().find(|(of, _)| *of == name);
            for input in &signature.inputs {
                if let Some((_, dims)) = value(&input.name) {
                    sizes.add(input, dims);
                }
            }
            for input in signature.inputs.iter().filter(|i| i.ty.shape().is_some()) {
                let (of_input, chosen) = match value(&input.name) {
                    Some((_, dims)) => (dims.clone(), false),
                    None => shapes.of(input, &sizes)?,
                };
                sizes.add(input, &of_input);
                open |= chosen;
                dims.push((input.name.as_str(), of_input));
            }
            signature.check_dims(&dims)?;
            let plan = session.report(&dims).map(|plan| (plan, assumed));
            Ok::<_, Failure>((plan, open, dims))
        };
        let (first, open, dims) = attempt(shapes, None)?;
        let error = match first {
            Ok((plan, assumed)) => return Ok(Planned { dims, plan, assumed }),
            Err(error) => error,
        };
        for size in ASSUMED.into_iter().filter(|_| open) {
            shapes.assume(Some(size));
            if let Ok((Ok((plan, assumed)), _, dims)) = attempt(shapes, Some(size)) {
                return Ok(Planned { dims, plan, assumed });
            }
        }
        shapes.assume(None);
        Err(match (given, open) {
            (true, _) => Failure::usage(error).hint("it follows from --shape"),
            (false, true) => Failure::from(error).hint("give the sizes of its inputs by --shape"),
            (false, false) => Failure::from(error),
        })
    }
}
