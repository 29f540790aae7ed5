//! Plans of models whose dimensions are partly known only at run time.

use crate::failure::Failure;
use crate::input::Shapes;
use trident_engine::{PlanReport, Session};

/// Sizes for dimensions that are known only at run time, tried in this order where the model cannot run on 1.
const ASSUMED: [usize; 3] = [32, 64, 224];

/// A plan, and the dimensions of inputs that it is for.
pub(super) struct Planned<'s> {
    pub(super) dims: Vec<(&'s str, Vec<usize>)>,
    pub(super) plan: PlanReport,
    /// The size of dimensions that are known only at run time, if it is not 1.
    pub(super) assumed: Option<usize>,
}

impl<'s> Planned<'s> {
    /// Plans a model for the shapes given. Where it cannot run on open dimensions of 1, larger ones are tried.
    pub(super) fn of(
        session: &'s Session,
        mut shapes: Shapes,
        given: bool,
    ) -> Result<Planned<'s>, Failure> {
        let signature = session.signature();
        let attempt = |shapes: &Shapes, assumed| {
            let (mut dims, mut open) = (Vec::new(), false);
            for input in signature.inputs.iter().filter(|i| i.ty.shape().is_some()) {
                let (sizes, chosen) = shapes.of(input, shapes.sizes())?;
                open |= chosen;
                dims.push((input.name.as_str(), sizes));
            }
            signature.check_dims(&dims)?;
            let plan = session.report(&dims).map(|plan| (plan, assumed));
            Ok::<_, Failure>((plan, open, dims))
        };
        let (first, open, dims) = attempt(&shapes, None)?;
        let error = match first {
            Ok((plan, assumed)) => return Ok(Planned { dims, plan, assumed }),
            Err(error) => error,
        };
        for size in ASSUMED.into_iter().filter(|_| open) {
            shapes.assume(size);
            if let Ok((Ok((plan, assumed)), _, dims)) = attempt(&shapes, Some(size)) {
                return Ok(Planned { dims, plan, assumed });
            }
        }
        Err(match (given, open) {
            (true, _) => Failure::usage(error).hint("it follows from --shape"),
            (false, true) => Failure::from(error).hint("give the sizes of its inputs by --shape"),
            (false, false) => Failure::from(error),
        })
    }
}
