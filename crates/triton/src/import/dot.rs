//! Matrix products.

use super::emit::Keywords;
use super::{Import, Lowered};
use crate::Failure;
use crate::ttir::{Attr as Text, Op};
use trident_ir::op::words::{DotPrecision, ScaledFormat};
use trident_ir::{DType, ValueId, ops};

const PRECISIONS: Keywords<DotPrecision> = Keywords {
    known: &[
        ("tf32", DotPrecision::Tf32),
        ("tf32x3", DotPrecision::Tf32x3),
        ("ieee", DotPrecision::Ieee),
        ("bf16x3", DotPrecision::Bf16x3),
        ("bf16x6", DotPrecision::Bf16x6),
    ],
};
/// Formats; `None` for those that are refused.
const FORMATS: Keywords<Option<ScaledFormat>> = Keywords {
    known: &[
        ("e4m3", Some(ScaledFormat::E4M3)),
        ("e5m2", Some(ScaledFormat::E5M2)),
        ("e2m3", None),
        ("e3m2", None),
        ("e2m1", Some(ScaledFormat::E2M1)),
        ("bf16", Some(ScaledFormat::Bf16)),
        ("fp16", Some(ScaledFormat::Fp16)),
    ],
};

impl Import<'_> {
    pub(super) fn dot(&mut self, op: &Op, name: &str, xs: &[ValueId]) -> Lowered {
        if name == "dot_scaled" {
            return self.dot_scaled(op, xs);
        }
        let [a, b, c] = self.exactly(op, xs)?;
        let mut dot = ops::Dot::new(a, b, c);
        if op.dict.get("inputPrecision").is_some() {
            let precision = self.choice(op, "inputPrecision", &PRECISIONS)?;
            // Only factors of f32 are rounded; Triton prints the attribute for others as well.
            if self.ty(a).dtype() == Some(DType::F32) {
                dot = dot.precision(precision);
            }
        }
        let ty = self.result_type(op)?.clone();
        Ok(vec![self.emit(dot, ty)])
    }

    fn dot_scaled(&mut self, op: &Op, xs: &[ValueId]) -> Lowered {
        let sizes = op.dict.get("operandSegmentSizes").and_then(Text::ints);
        let Some(&[1, 1, 1, a_scaled, b_scaled]) = sizes.as_deref() else {
            return self.attribute(op, "operandSegmentSizes", "five sizes, the first three 1");
        };
        let expected = 3 + [a_scaled, b_scaled].iter().filter(|scaled| **scaled != 0).count();
        self.counted(op, "operand", xs.len(), expected)?;
        let Some((&[a, b, c], scales)) = xs.split_first_chunk() else { return self.unknown(op) };
        let mut scales = scales.iter().copied();
        let mut next = |scaled: i64| if scaled == 0 { None } else { scales.next() };
        let (a_scale, b_scale) = (next(a_scaled), next(b_scaled));
        let a_format = self.format(op, "lhs")?;
        let b_format = self.format(op, "rhs")?;
        let ty = self.result_type(op)?.clone();
        let narrow = ty.dtype().filter(|&dtype| matches!(dtype, DType::F16 | DType::BF16));
        // A narrower sum is one in `f32`, rounded at the end.
        let (sum, ty) = match narrow {
            None => (c, ty),
            Some(_) => {
                let sum = self.converted(c, DType::F32);
                (sum, self.ty(sum).clone())
            }
        };
        let mut dot = ops::DotScaled::new(a, b, sum, a_scale, b_scale);
        dot = dot.a_format(a_format).b_format(b_format);
        let flag = |name: &str| op.dict.get(name).and_then(Text::int).map(|value| value != 0);
        if let Some(packed) = flag("lhs_k_pack") {
            dot = dot.a_k_pack(packed);
        }
        if let Some(packed) = flag("rhs_k_pack") {
            dot = dot.b_k_pack(packed);
        }
        if let Some(fast) = flag("fastMath") {
            dot = dot.fast_math(fast);
        }
        let y = self.emit(dot, ty);
        Ok(vec![narrow.map_or(y, |dtype| self.converted(y, dtype))])
    }

    fn format(&self, op: &Op, name: &'static str) -> Result<ScaledFormat, Failure> {
        match self.choice(op, name, &FORMATS)? {
            Some(format) => Ok(format),
            None => self.attribute(op, name, "e4m3, e5m2, e2m1, bf16 or fp16"),
        }
    }
}
