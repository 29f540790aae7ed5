//! Matrix products.

use super::emit::unless_default;
use super::{Import, Lowered};
use crate::Failure;
use crate::syntax::{Attr as Text, Op};
use trident_ir::op::OpKind as K;
use trident_ir::{Attr, DType, Type, ValueId};

// In the order of their numbers in Triton's definitions.
const PRECISIONS: &[&str] = &["tf32", "tf32x3", "ieee", "bf16x3", "bf16x6"];
const FORMATS: &[&str] = &["e4m3", "e5m2", "e2m3", "e3m2", "e2m1", "bf16", "fp16"];

impl Import<'_, '_> {
    pub(super) fn dot(&mut self, op: &Op<'_>, name: &str, xs: &[ValueId]) -> Lowered {
        if name == "dot_scaled" {
            return self.dot_scaled(op, xs);
        }
        let [a, b, c] = self.exactly(op, xs)?;
        let mut attrs = vec![];
        if op.attrs.get("inputPrecision").is_some() {
            let precision = self.keyword(op, "inputPrecision", PRECISIONS)?;
            // Only factors of f32 are rounded; Triton prints the attribute for others as well.
            if self.ty(a).dtype() == Some(DType::F32) {
                attrs.extend(unless_default(K::Dot, "precision", Attr::Str(precision.into())));
            }
        }
        let ty = self.result_type(op)?.clone();
        Ok(vec![self.emit(K::Dot, &[a, b, c], &attrs, ty)])
    }

    fn dot_scaled(&mut self, op: &Op<'_>, xs: &[ValueId]) -> Lowered {
        let sizes = op.attrs.get("operandSegmentSizes").and_then(Text::ints);
        let Some(&[1, 1, 1, a_scaled, b_scaled]) = sizes.as_deref() else {
            return self.attribute(op, "operandSegmentSizes", "five sizes, the first three 1");
        };
        let scales = [a_scaled != 0, b_scaled != 0];
        let expected = 3 + scales.iter().filter(|s| **s).count();
        self.counted(op, "operand", xs.len(), expected)?;
        let mut rest = xs.iter().copied();
        let mut inputs: Vec<_> = rest.by_ref().take(3).map(Some).collect();
        inputs.extend(scales.map(|there| if there { rest.next() } else { None }));
        while inputs.last() == Some(&None) {
            inputs.pop();
        }
        let mut attrs = vec![
            ("a_format", self.format(op, "lhs", "a_elem_type")?),
            ("b_format", self.format(op, "rhs", "b_elem_type")?),
        ];
        let flag = |name: &str| op.attrs.get(name).and_then(Text::int).map(|v| (v != 0).into());
        for (text, name) in
            [("lhs_k_pack", "a_k_pack"), ("rhs_k_pack", "b_k_pack"), ("fastMath", "fast_math")]
        {
            let set = flag(text).and_then(|v| unless_default(K::DotScaled, name, Attr::Int(v)));
            attrs.extend(set);
        }
        let ty: Type = self.result_type(op)?.clone();
        let narrow = ty.dtype().filter(|&dtype| matches!(dtype, DType::F16 | DType::BF16));
        let Some(dtype) = narrow else {
            return Ok(self.push(K::DotScaled, inputs, attrs, &[ty]));
        };
        // A narrower sum is one in `f32`, rounded at the end.
        let sum = self.converted(xs[2], DType::F32);
        inputs[2] = Some(sum);
        let ty = self.ty(sum).clone();
        let wide = self.push(K::DotScaled, inputs, attrs, &[ty]);
        Ok(wide.into_iter().map(|y| self.converted(y, dtype)).collect())
    }

    fn format(
        &self,
        op: &Op<'_>,
        custom: &'static str,
        generic: &'static str,
    ) -> Result<Attr, Failure> {
        let name = if op.attrs.get(custom).is_some() { custom } else { generic };
        match self.keyword(op, name, FORMATS)? {
            "e2m3" | "e3m2" => self.attribute(op, custom, "e4m3, e5m2, e2m1, bf16 or fp16"),
            format => Ok(Attr::Str(format.into())),
        }
    }
}
