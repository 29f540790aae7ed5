//! Lowerings that serve several launches.

use std::cell::RefCell;
use trident_ir::Literal;

use super::{Array, Lowering, LoweringRequest, Result, lower};

/// A lowering, with everything of its request that it depends on.
#[derive(Debug)]
pub struct Kept {
    operands: Vec<Option<Array>>,
    results: Vec<Option<Array>>,
    /// The contents that were asked for, by the operands' places.
    contents: Vec<(usize, Option<Literal>)>,
    lowering: Lowering,
}

impl Kept {
    /// Lowers an op.
    pub fn of(request: &LoweringRequest<'_>) -> Result<Kept> {
        let asked = RefCell::new(vec![]);
        let contents = |i: usize| {
            let found = (request.contents)(i);
            asked.borrow_mut().push((i, found.clone()));
            found
        };
        let lowering = lower(&LoweringRequest { contents: &contents, ..*request })?;
        Ok(Kept {
            operands: request.operands.to_vec(),
            results: request.results.to_vec(),
            contents: asked.into_inner(),
            lowering,
        })
    }

    /// Whether the lowering of this request would be the same. It must be of the same op, constants and target.
    pub fn fits(&self, request: &LoweringRequest<'_>) -> bool {
        let same = |(i, known): &(usize, Option<Literal>)| (request.contents)(*i) == *known;
        self.operands == request.operands
            && self.results == request.results
            && self.contents.iter().all(same)
    }

    /// The lowering.
    pub fn lowering(&self) -> &Lowering {
        &self.lowering
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Target;
    use trident_ir::{DType, Func, Level, Type, ops};

    const TARGET: Target = Target {
        block: 256,
        vector: 16,
        flops_per_byte: 32,
        scratch: 128 << 20,
        matrix_unit: false,
    };

    #[test]
    fn a_lowering_fits_its_dimensions_and_the_contents_that_it_depends_on() {
        let mut func = Func::new("f", Level::Graph);
        let mut value = |name| func.value(name, Type::unranked(DType::F32));
        let (x, pads) = (value("x"), value("pads"));
        let mut op = ops::Pad::new(x, pads, None, None).into_op();
        op.outputs = vec![Some(value("y"))];
        let array = |dtype, dims: &[usize]| vec![Some(Array { dtype, dims: Some(dims.to_vec()) })];
        let request = |n: usize, pads: [i64; 2], check: &mut dyn FnMut(&LoweringRequest<'_>)| {
            let operands = [array(DType::F32, &[n]), array(DType::I64, &[2])].concat();
            let results = array(DType::F32, &[n + (pads[0] + pads[1]) as usize]);
            let bytes: Vec<u8> = pads.iter().flat_map(|pad| pad.to_le_bytes()).collect();
            let contents = |i: usize| {
                let bytes = (i == ops::Pad::AT.pads).then(|| bytes.clone().into())?;
                Literal::from_bytes(DType::I64, vec![2], bytes).ok()
            };
            check(&LoweringRequest {
                op: &op,
                operands: &operands,
                results: &results,
                contents: &contents,
                constant: &|_| false,
                target: &TARGET,
            });
        };
        let mut kept = None;
        request(5, [1, 2], &mut |request| kept = Some(Kept::of(request).unwrap()));
        let kept = kept.unwrap();
        let fits = |n, pads| {
            let mut fits = false;
            request(n, pads, &mut |request| fits = kept.fits(request));
            fits
        };
        assert!(fits(5, [1, 2]));
        assert!(!fits(6, [1, 2]), "other dimensions");
        assert!(!fits(5, [2, 1]), "other contents, with the same dimensions");
    }
}
