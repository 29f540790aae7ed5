//! Functions of elements.

use trident_ir::op::words::{FloatRounding, ShiftDirection};
use trident_ir::{DType, Op, OpKind as K, ops};
use trident_runtime::Declined;

use super::types::{format_8, scalar, unsigned};
use super::writer::{Writer, decline, malformed};

/// An elementwise op on scalars or vectors as an expression.
pub(super) fn expression(writer: &mut Writer<'_>, op: &Op) -> Result<String, Declined> {
    let x = writer.operands(op);
    let is_vector = op.defined().any(|id| writer.ty(id).dims().is_none_or(|d| !d.is_empty()));
    if is_vector {
        return Err(malformed(op, "is written for scalars only"));
    }
    // Its operands may be pointers.
    if let (K::Where, [condition, a, b]) = (op.kind, &x[..]) {
        return Ok(format!("{condition} ? {a} : {b}"));
    }
    let dtype = |id: Option<trident_ir::ValueId>| id.and_then(|id| writer.ty(id).dtype());
    let (Some(from), Some(to)) = (dtype(op.used().next()), dtype(op.defined().next())) else {
        return Err(decline(op, "its operands are not elements"));
    };
    let name = |dtype| scalar(dtype).ok_or_else(|| format!("Metal has no element type {dtype}"));
    let (source, target) = (
        name(from).map_err(|reason| decline(op, reason))?,
        name(to).map_err(|reason| decline(op, reason))?,
    );
    let site = Site { op, x: &x, from, source, to, target };
    let found = match op.kind {
        K::Cast => ops::Cast::of(op).and_then(|cast| site.cast(writer, cast)),
        K::BitCast => site.bitcast(),
        K::Equal | K::Less | K::LessOrEqual | K::Greater | K::GreaterOrEqual => {
            Some(site.comparison(writer))
        }
        _ if from == DType::Bool => site.truth(),
        _ if from.is_float() => site.float(writer),
        _ => site.integer(writer),
    };
    found.ok_or_else(|| decline(op, format!("Metal has no such function for {from}")))
}

struct Site<'a> {
    op: &'a Op,
    x: &'a [String],
    from: DType,
    source: &'static str,
    to: DType,
    target: &'static str,
}

impl Site<'_> {
    fn infix(&self, operator: &str) -> String {
        format!("{} {operator} {}", self.x[0], self.x[1])
    }

    fn comparison(&self, writer: &mut Writer<'_>) -> String {
        let operator = match self.op.kind {
            K::Equal => "==",
            K::Less => "<",
            K::LessOrEqual => "<=",
            K::Greater => ">",
            _ => ">=",
        };
        match format_8(self.from) {
            None => self.infix(operator),
            Some(_) => {
                let x = self.wide(writer);
                format!("{} {operator} {}", x[0], x[1])
            }
        }
    }

    /// The operands, floats, as f32.
    fn wide(&self, writer: &mut Writer<'_>) -> Vec<String> {
        let wide = |x: &String| match (self.from, format_8(self.from)) {
            (DType::F32, _) => x.clone(),
            (_, Some(format)) => {
                writer.needs("decoded_8");
                format!("decoded_8<{format}>({x})")
            }
            _ => format!("float({x})"),
        };
        self.x.iter().map(wide).collect()
    }

    /// An f32 in the type of the result, to nearest even.
    fn narrow(&self, writer: &mut Writer<'_>, value: String, saturate: bool) -> String {
        match format_8(self.to) {
            Some(format) => {
                writer.needs("encoded_8");
                format!("encoded_8<{format}>({value}, {saturate})")
            }
            None => format!("{}({value})", self.target),
        }
    }

    fn truth(&self) -> Option<String> {
        Some(match self.op.kind {
            K::And => self.infix("&&"),
            K::Or => self.infix("||"),
            K::Xor => self.infix("!="),
            K::Not => format!("!{}", self.x[0]),
            _ => return None,
        })
    }

    /// Conversions. Floats out of an integer's range give any integer; floats wider than the target are rounded to
    /// nearest even.
    fn cast(&self, writer: &mut Writer<'_>, op: ops::Cast<'_>) -> Option<String> {
        let x = &self.x[0];
        if self.from == self.to {
            return Some(x.clone());
        }
        if op.rounding() != FloatRounding::NearestEven {
            let function = match self.to {
                DType::F32 => return Some(self.wide(writer).swap_remove(0)),
                DType::BF16 => "bfloat_below",
                DType::F16 => "half_below",
                _ => return None,
            };
            writer.needs(function);
            return Some(format!("{function}({})", self.wide(writer)[0]));
        }
        let is_short = |dtype: DType| dtype.is_float() && dtype.bits() < 32;
        let x = match format_8(self.from) {
            Some(_) => &self.wide(writer)[0],
            None => x,
        };
        Some(match (self.from, self.to) {
            (from, DType::Bool) if format_8(from).is_some() => format!("{x} != 0.0f"),
            (_, DType::Bool) => format!("{x} != {}(0)", self.source),
            // Rounded to f32 on the way, it would be rounded twice. In other types the first rounding is exact or too large.
            (from, DType::BF16) if from.is_int() && from.bits() > 16 => {
                writer.needs("bfloat_of");
                match self.source {
                    "uint" | "ulong" => format!("bfloat_of({x}, false)"),
                    _ => format!("bfloat_of({x} < 0 ? 0 - ulong({x}) : ulong({x}), {x} < 0)"),
                }
            }
            (_, to) if is_short(to) => self.narrow(writer, format!("float({x})"), op.saturate()),
            _ => format!("{}({x})", self.target),
        })
    }

    fn bitcast(&self) -> Option<String> {
        let truth = self.from == DType::Bool || self.to == DType::Bool;
        let same = self.from.size() == self.to.size() && !truth;
        same.then(|| format!("as_type<{}>({})", self.target, self.x[0]))
    }

    /// Signed integers wrap: they are computed as unsigned ones, whose overflow the language defines.
    fn wrapping(&self, operator: &str) -> String {
        let wide = if self.from.size() == 8 { "ulong" } else { "uint" };
        let of = |x: &str| format!("{wide}({x})");
        format!("{}({} {operator} {})", self.source, of(&self.x[0]), of(&self.x[1]))
    }

    fn integer(&self, writer: &mut Writer<'_>) -> Option<String> {
        let (x, name) = (self.x, self.source);
        let is_signed = name == "char" || name == "short" || name == "int" || name == "long";
        let negative = |x: &str| {
            let wide = if self.from.size() == 8 { "ulong" } else { "uint" };
            format!("{name}({wide}(0) - {wide}({x}))")
        };
        let mut call = |function: &'static str| {
            writer.needs(function);
            format!("{function}({}, {})", x[0], x[1])
        };
        Some(match self.op.kind {
            K::Add => self.wrapping("+"),
            K::Sub => self.wrapping("-"),
            K::Mul => self.wrapping("*"),
            K::Neg => negative(&x[0]),
            K::Abs if is_signed => format!("{0} < 0 ? {1} : {0}", x[0], negative(&x[0])),
            K::Abs => x[0].clone(),
            K::Div if is_signed => call("quotient"),
            K::Mod if is_signed && of_dividend(self.op) => call("remainder_of_dividend"),
            K::Mod if is_signed => call("remainder_of_divisor"),
            K::Div => format!("{name}({})", self.infix("/")),
            K::Mod => format!("{name}({})", self.infix("%")),
            K::MulHigh => format!("mulhi({}, {})", x[0], x[1]),
            K::BitwiseAnd => format!("{name}({})", self.infix("&")),
            K::BitwiseOr => format!("{name}({})", self.infix("|")),
            K::BitwiseXor => format!("{name}({})", self.infix("^")),
            K::BitwiseNot => format!("{name}(~{})", x[0]),
            K::BitShift if ops::BitShift::of(self.op)?.direction() == ShiftDirection::Left => {
                let bits = unsigned(self.from);
                format!("{name}({bits}({}) << {bits}({}))", x[0], x[1])
            }
            K::BitShift => format!("{name}({})", self.infix(">>")),
            K::Min | K::Max => {
                let function = if self.op.kind == K::Min { "min" } else { "max" };
                nested(x, |a, b| format!("{function}({a}, {b})"))?
            }
            _ => return None,
        })
    }

    /// Floats narrower than f32 are computed in f32 and rounded once, as the op table says; so one form serves all.
    fn float(&self, writer: &mut Writer<'_>) -> Option<String> {
        let x = &self.wide(writer);
        let infix = |operator: &str| format!("{} {operator} {}", x[0], x[1]);
        let mut helper = |function: &'static str| {
            writer.needs(function);
            nested(x, |a, b| format!("{function}({a}, {b})"))
        };
        let call = |function: &str| format!("precise::{function}({})", x.join(", "));
        let value = match self.op.kind {
            K::IsNaN => return Some(format!("isnan({})", x[0])),
            K::Neg => format!("-{}", x[0]),
            K::Abs => format!("precise::fabs({})", x[0]),
            K::Add => infix("+"),
            K::Sub => infix("-"),
            K::Mul => infix("*"),
            K::Div => infix("/"),
            // A sum of f32 that is rounded again would be rounded twice.
            K::Fma if self.from == DType::F32 => call("fma"),
            K::Max => helper("greater_or_nan")?,
            K::Min => helper("lesser_or_nan")?,
            K::MaxNum if !ops::MaxNum::of(self.op)?.signed_zeros() => call("max"),
            K::MinNum if !ops::MinNum::of(self.op)?.signed_zeros() => call("min"),
            K::MaxNum => helper("greater_of")?,
            K::MinNum => helper("lesser_of")?,
            K::Mod if of_dividend(self.op) => call("fmod"),
            K::Mod => helper("modulo")?,
            K::Round => call("rint"),
            K::Pow => call("pow"),
            K::Erf | K::Libm => {
                let function = lacking(self.op)?;
                writer.needs(function);
                format!("{function}({})", x[0])
            }
            K::Ceil
            | K::Floor
            | K::Sqrt
            | K::Exp
            | K::Exp2
            | K::Log
            | K::Log2
            | K::Sin
            | K::Cos
            | K::Tan
            | K::Tanh
            | K::Sinh
            | K::Cosh
            | K::Asin
            | K::Acos
            | K::Atan
            | K::Asinh
            | K::Acosh
            | K::Atanh => call(self.op.kind.decl().name),
            _ => return None,
        };
        Some(match self.to {
            DType::F32 => value,
            _ => self.narrow(writer, value, false),
        })
    }
}

/// Our own function of one float for an op that the language has no function for.
fn lacking(op: &Op) -> Option<&'static str> {
    if op.kind == K::Erf {
        return Some("error_function");
    }
    match ops::Libm::of(op)?.function() {
        "expm1" => Some("exp_less_one"),
        "log1p" => Some("log_of_one_more"),
        "normcdf" => Some("normal_distribution"),
        _ => None,
    }
}

/// Whether a remainder has the sign of the dividend.
fn of_dividend(op: &Op) -> bool {
    ops::Mod::of(op).is_some_and(|op| op.fmod())
}

/// A function of two applied to the first two, then to the result and the next, and so on.
fn nested(x: &[String], apply: impl Fn(&str, &str) -> String) -> Option<String> {
    let (first, rest) = x.split_first()?;
    Some(rest.iter().fold(first.clone(), |value, next| apply(&value, next)))
}
