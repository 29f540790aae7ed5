//! The functions that fusions apply to.

use crate::values::Zeros;
use trident_ir::op::{Arity, Group, Rule};
use trident_ir::{DType, Module, OpKind};

/// A function to which a fusion applies.
pub(crate) struct Case {
    pub(crate) pass: &'static str,
    pub(crate) name: String,
    /// Fusions that must come before this one.
    pub(crate) needs: &'static [&'static str],
    /// The element types, in place of `$T`, for which the fusion applies. It must not apply to other ones.
    pub(crate) dtypes: &'static [DType],
    pub(crate) zeros: Zeros,
    /// Units by which integers may differ.
    pub(crate) units: f64,
    /// The function, with `$T` for the element type.
    text: String,
}

const F32: &[DType] = &[DType::F32];
const WEIGHTS: &[DType] = &[DType::F32, DType::F64];
const COMPUTED: &[DType] = &[DType::F32, DType::F16, DType::BF16];
const ALL: &[DType] = &[DType::F32, DType::F16, DType::BF16, DType::F64];

impl Case {
    fn new(pass: &'static str, name: impl Into<String>, params: &str, body: &str) -> Case {
        let text = format!("func @f graph ({params}) -> ({}) {{\n{body}\nreturn %y\n}}", "$R[*]");
        Case {
            pass,
            name: name.into(),
            needs: &[],
            dtypes: F32,
            zeros: Zeros::Either,
            units: 0.0,
            text,
        }
    }

    fn needs(self, needs: &'static [&'static str]) -> Case {
        Case { needs, ..self }
    }

    fn dtypes(self, dtypes: &'static [DType]) -> Case {
        Case { dtypes, ..self }
    }

    /// Zeros keep their sign.
    fn signed(self) -> Case {
        Case { zeros: Zeros::Signed, ..self }
    }

    /// The result has this type, instead of that of the operands.
    fn gives(self, result: &str) -> Case {
        Case { text: self.text.replace("$R", result), ..self }
    }

    /// The function for an element type.
    pub(crate) fn module(&self, dtype: DType) -> Module {
        let text = self.text.replace("$R", "$T").replace("$T", dtype.name());
        text.parse().unwrap_or_else(|e| panic!("{} ({}): {e}\n{text}", self.pass, self.name))
    }
}

pub(crate) fn cases() -> Vec<Case> {
    let mut all = vec![];
    all.extend(channels());
    all.extend(quantised());
    all.extend(pads());
    all.extend(activations());
    all.extend(norms());
    all.extend(attention());
    all.extend(products());
    all.extend(epilogues());
    all.extend(chains());
    all
}

const NORM: &str = "%gamma = constant {value = $T[3](2, -0.5, 1)}
    %beta = constant {value = $T[3](1, 0.5, 0)}
    %mean = constant {value = $T[3](3, -1, 0)}
    %var = constant {value = $T[3](0.25, 4, 1)}";

const CONV: &str =
    "%w = constant {value = $T[3, 2, 1, 2](1, -2, 0.5, 3, 0.25, 1, -1, 2, 0.125, 0, 1, 1)}
    %bias = constant {value = $T[3](0.5, 0, -2)}";

/// Factors and addends of channels.
fn channels() -> Vec<Case> {
    let mut all = vec![];
    let by = "%k = constant {value = $T[3, 1, 1](3, -5, 0.5)}";
    let image = "%x: $T[2, 2, 5, 7]";
    for op in ["mul(%c, %k)", "mul(%k, %c)", "div(%c, %k)", "add(%c, %k)", "sub(%c, %k)"] {
        let body = format!(
            "{NORM}\n{by}\n%c = batch_normalization(%x, %gamma, %beta, %mean, %var)\n%y = {op}"
        );
        let case = Case::new("fold-norm-scale", op, "%x: $T[2, 3, 5, 7]", &body);
        all.push(case.dtypes(WEIGHTS));
        for (name, conv) in [
            ("conv", "%c = conv(%x, %w, %bias)"),
            ("conv without bias", "%c = conv(%x, %w) {pads = [0, 1, 0, 1]}"),
            ("transposed", "%v = constant {value = $T[2, 3, 1, 2](1, -2, 0.5, 3, 0.25, 1, -1, 2, 0.125, 0, 1, 1)}
              %c = conv_transpose(%x, %v, %bias) {strides = [1, 2]}"),
        ] {
            let body = format!("{CONV}\n{by}\n{conv}\n%y = {op}");
            let case = Case::new("fold-channel-scale", format!("{name}, {op}"), image, &body);
            all.push(case.dtypes(WEIGHTS));
        }
    }
    for (name, params, product) in [
        ("conv", image, "%c = conv(%x, %w, %bias)"),
        ("conv without bias", image, "%c = conv(%x, %w)"),
        (
            "transposed",
            image,
            "%v = constant {value = $T[2, 3, 1, 2](1, -2, 0.5, 3, 0.25, 1, -1, 2, 0.125, 0, 1, 1)}
          %c = conv_transpose(%x, %v)",
        ),
        (
            "gemm",
            "%x: $T[5, 4]",
            "%v = constant {value = $T[4, 3](1, -2, 0.5, 3, 0.25, 1, -1, 2, 0.125, 0, 1, 1)}
          %c = gemm(%x, %v, %bias)",
        ),
        (
            "gemm, transposed",
            "%x: $T[5, 4]",
            "%v = constant {value = $T[3, 4](1, -2, 0.5, 3, 0.25, 1, -1, 2, 0.125, 0, 1, 1)}
          %c = gemm(%x, %v) {trans_b = 1}",
        ),
    ] {
        let body = format!(
            "{NORM}\n{CONV}\n{product}\n%y = batch_normalization(%c, %gamma, %beta, %mean, %var)"
        );
        all.push(Case::new("fold-batch-norm", name, params, &body).dtypes(WEIGHTS));
    }
    all
}

/// Quantised products and moves.
fn quantised() -> Vec<Case> {
    let mut all = vec![];
    let scales = "%xs = constant {value = $T[](0.5)}
        %xz = constant {value = u8[](128)}
        %ws = constant {value = $T[](0.25)}
        %ys = constant {value = $T[](30)}
        %yz = constant {value = u8[](100)}
        %a = dequantize_linear(%x, %xs, %xz)";
    for (name, body) in [
        (
            "conv",
            "%q = constant {value = i8[3, 2, 1, 1](3, -4, 100, -128, 0, 1)}
            %w = dequantize_linear(%q, %ws)
            %c = conv(%a, %w)
            %y = quantize_linear(%c, %ys, %yz)",
        ),
        (
            "conv with bias and relu",
            "%q = constant {value = i8[2, 2, 1, 1](3, -4, 100, -128)}
            %w2 = constant {value = $T[2](0.25, 0.125)}
            %w = dequantize_linear(%q, %w2) {axis = 0}
            %bias = constant {value = $T[2](12.5, -1)}
            %c = conv(%a, %w, %bias)
            %r = relu(%c)
            %z = constant {value = u8[](0)}
            %y = quantize_linear(%r, %ys, %z)",
        ),
        (
            "matmul",
            "%q = constant {value = i8[3, 2](3, -4, 100, -128, 0, 1)}
            %w = dequantize_linear(%q, %ws)
            %c = matmul(%a, %w)
            %y = quantize_linear(%c, %ys, %yz)",
        ),
    ] {
        let body = format!("{scales}\n{body}");
        let case = Case::new("quantized-ops", name, "%x: u8[2, 2, 5, 3]", &body);
        // A tie may be rounded the other way.
        all.push(Case { units: 1.0, ..case.gives("u8") });
    }
    for (name, body) in [
        ("nothing", "%y = quantize_linear(%a, %xs, %xz)"),
        (
            "reshape",
            "%to = constant {value = i64[2](2, -1)}
            %m = reshape(%a, %to)
            %y = quantize_linear(%m, %xs, %xz)",
        ),
        (
            "transpose",
            "%m = transpose(%a) {perm = [1, 0, 3, 2]}
            %y = quantize_linear(%m, %xs, %xz)",
        ),
        (
            "concat",
            "%m = concat(%a, %a) {axis = 1}
            %y = quantize_linear(%m, %xs, %xz)",
        ),
        (
            "max_pool",
            "%m = max_pool(%a) {kernel_shape = [2, 2], pads = [1, 0, 1, 1]}
            %y = quantize_linear(%m, %xs, %xz)",
        ),
    ] {
        let body = format!("{scales}\n{body}");
        all.push(Case::new("quantized-moves", name, "%x: u8[2, 2, 5, 3]", &body).gives("u8"));
    }
    let blocks = "%w = constant {value = i4[2, 4](-8, 7, 0, 1, 2, 3, -1, -2)}
        %s = constant {value = $T[2, 2](0.5, 1, 2, 4)}
        %z = constant {value = i4[2, 2](1, 0, -1, 2)}
        %d = dequantize_linear(%w, %s, %z) {axis = 1, block_size = 2}
        %t = transpose(%d)
        %half = constant {value = $T[](0.5)}";
    let body = format!("{blocks}\n%m = matmul(%a, %t)\n%y = mul(%m, %half)");
    let case = Case::new("quantized-weights", "blocks", "%a: $T[5, 4]", &body);
    all.push(case.needs(&["matmul-transpose", "matmul-scale"]));
    for (name, weights, attrs) in [
        ("columns", "u8[3, 2](0, 1, 2, 253, 254, 255)", ""),
        ("signed columns", "i8[3, 2](0, 1, -2, -128, 127, 5)", ""),
        ("blocks of rows", "u2[3, 2](0, 1, 2, 3, 2, 1)", " {axis = 0, block_size = 16}"),
    ] {
        let scales = if attrs.is_empty() { "$T[2](0.5, 1)" } else { "$T[1, 2](0.5, 1)" };
        let body = format!(
            "%w = constant {{value = {weights}}}
            %s = constant {{value = {scales}}}
            %d = dequantize_linear(%w, %s){attrs}
            %y = matmul(%a, %d)"
        );
        let case = Case::new("quantized-weights", name, "%a: $T[2, 5, 3]", &body);
        all.push(case.dtypes(COMPUTED));
    }
    all
}

/// Borders.
fn pads() -> Vec<Case> {
    let pad = "%pads = constant {value = i64[8](0, 0, 1, 2, 0, 0, 1, 0)}\n%p = pad(%x, %pads)";
    let low = "%pads = constant {value = i64[8](0, 0, 1, 2, 0, 0, 1, 0)}
        %low = constant {value = $T[](-inf)}
        %p = pad(%x, %pads, %low)";
    let image = "%x: $T[2, 2, 6, 9]";
    let mut all = vec![];
    for (name, attrs, w) in [
        ("conv", "pads = [0, 0, 1, 1]", "3, 2, 3, 3"),
        ("strided", "strides = [2, 3]", "3, 2, 3, 2"),
        ("depthwise", "group = 2", "2, 1, 3, 3"),
        ("pointwise", "group = 1", "3, 2, 1, 1"),
        ("large", "group = 1", "1, 2, 5, 5"),
    ] {
        let params = format!("{image}, %w: $T[{w}]");
        let body = format!("{pad}\n%y = conv(%p, %w) {{{attrs}}}");
        all.push(Case::new("fold-pad", name, &params, &body).dtypes(ALL));
    }
    let body = format!("{pad}\n%y = average_pool(%p) {{kernel_shape = [3, 2], strides = [1, 2]}}");
    all.push(Case::new("fold-pad", "average_pool", image, &body).dtypes(ALL));
    for kernel in ["[3, 3]", "[2, 4]"] {
        let body = format!("{low}\n%y = max_pool(%p) {{kernel_shape = {kernel}}}");
        let name = format!("max_pool {kernel}");
        all.push(Case::new("fold-pad", name, image, &body).dtypes(ALL).signed());
    }
    all
}

/// Activations written out.
fn activations() -> Vec<Case> {
    let numbers = "%one = constant {value = $T[](1)}
        %half = constant {value = $T[](0.5)}
        %two = constant {value = $T[](2)}
        %three = constant {value = $T[](3)}
        %root = constant {value = $T[](1.4142135623730951)}
        %factor = constant {value = $T[](0.7978845608028654)}
        %cubic = constant {value = $T[](0.044715)}
        %zero = constant {value = $T[](0)}
        %six = constant {value = $T[](6)}
        %sixth = constant {value = $T[](0.16666666666666666)}
        %alpha = constant {value = $T[](1.702)}";
    let erf = "%d = div(%x, %root)\n%e = erf(%d)\n%g = add(%e, %one)";
    let cubes =
        "%c = pow(%x, %three)\n%k = mul(%c, %cubic)\n%s = add(%x, %k)\n%f = mul(%s, %factor)
        %e = tanh(%f)\n%g = add(%one, %e)";
    let squares =
        "%xx = mul(%x, %x)\n%k = mul(%cubic, %xx)\n%s = add(%k, %one)\n%fx = mul(%x, %factor)
        %f = mul(%fx, %s)\n%e = tanh(%f)\n%g = add(%one, %e)";
    let mut all = vec![];
    for (of, gate) in [("erf", erf), ("cubes", cubes), ("squares", squares)] {
        for (order, product) in [
            ("x·g·½", "%m = mul(%x, %g)\n%y = mul(%m, %half)"),
            ("½·x·g", "%m = mul(%half, %x)\n%y = mul(%m, %g)"),
            ("x·(½·g)", "%m = mul(%half, %g)\n%y = mul(%x, %m)"),
            ("x·g/2", "%m = mul(%x, %g)\n%y = div(%m, %two)"),
        ] {
            let body = format!("{numbers}\n{gate}\n{product}");
            all.push(Case::new("gelu", format!("{of}, {order}"), "%x: $T[4, 17]", &body).signed());
        }
    }
    let clip = "%a = add(%x, %three)\n%c = clip(%a, %zero, %six)";
    for (name, product) in [
        ("div", "%m = mul(%x, %c)\n%y = div(%m, %six)"),
        ("mul", "%m = mul(%c, %x)\n%y = mul(%m, %sixth)"),
        ("gate first", "%m = div(%c, %six)\n%y = mul(%x, %m)"),
    ] {
        let body = format!("{numbers}\n{clip}\n{product}");
        // One sixth of a narrow type is too far from 1/6.
        let dtypes = if name == "mul" { WEIGHTS } else { ALL };
        all.push(Case::new("hard-swish", name, "%x: $T[4, 17]", &body).dtypes(dtypes).signed());
    }
    for (name, gate) in [
        ("silu", "%g = sigmoid(%x)"),
        ("swish", "%ax = mul(%x, %alpha)\n%g = sigmoid(%ax)"),
        ("swish by a quotient", "%ax = div(%x, %six)\n%g = sigmoid(%ax)"),
        ("hard_swish", "%g = hard_sigmoid(%x) {alpha = 0.16666667, beta = 0.5}"),
        ("mish", "%s = softplus(%x)\n%g = tanh(%s)"),
    ] {
        let body = format!("{numbers}\n{gate}\n%y = mul(%x, %g)");
        let case = Case::new("gated-activation", name, "%x: $T[4, 17]", &body);
        // The factors of these are f32.
        let dtypes = if ["silu", "mish"].contains(&name) { ALL } else { COMPUTED };
        all.push(case.dtypes(dtypes).signed());
    }
    all
}

/// Normalisations written out.
fn norms() -> Vec<Case> {
    let numbers = "%last = constant {value = i64[1](-1)}
        %one = constant {value = $T[](1)}
        %two = constant {value = $T[](2)}
        %minus = constant {value = $T[](-0.5)}
        %eps = constant {value = $T[](1e-5)}";
    let centred = "%mean = reduce_mean(%x, %last)\n%d = sub(%x, %mean)";
    let squares = "%sq = mul(%d, %d)\n%var = reduce_mean(%sq, %last)\n%ve = add(%var, %eps)";
    let powers = "%sq = pow(%d, %two)\n%var = reduce_mean(%sq, %last)\n%ve = add(%eps, %var)";
    let params = "%x: $T[5, 13]";
    let mut all = vec![];
    let forms = [
        ("quotient", "%s = sqrt(%ve)\n%y = div(%d, %s)"),
        ("reciprocal", "%s = sqrt(%ve)\n%r = reciprocal(%s)\n%y = mul(%d, %r)"),
        ("one by", "%s = sqrt(%ve)\n%r = div(%one, %s)\n%y = mul(%r, %d)"),
        ("power", "%r = pow(%ve, %minus)\n%y = mul(%d, %r)"),
    ];
    for (of, d) in [("layer", centred), ("rms", "")] {
        for (squared, v) in [("product", squares), ("pow", powers)] {
            for (name, end) in forms {
                let mut body = format!("{numbers}\n{d}\n{v}\n{end}");
                if of == "rms" {
                    body = body.replace("%d", "%x");
                }
                let name = format!("{of}, {squared}, {name}");
                all.push(Case::new("normalization", name, params, &body));
            }
        }
    }
    let ones = "%ones = constant {value = $T[13](1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)}";
    let with = "%x: $T[5, 13], %k: $T[13]";
    for norm in ["layer_normalization", "rms_normalization"] {
        let body = format!("{ones}\n%n = {norm}(%x, %ones)\n%y = mul(%n, %k)");
        all.push(Case::new("normalization-scale", norm, with, &body));
    }
    let body = format!("{ones}\n%n = layer_normalization(%x, %ones)\n%y = add(%k, %n)");
    all.push(Case::new("normalization-shift", "layer", with, &body));
    let params = "%x: $T[5, 13], %r: $T[5, 13], %gamma: $T[13], %beta: $T[13]";
    let body = "%s = add(%x, %r)\n%y = layer_normalization(%s, %gamma, %beta)";
    all.push(Case::new("skip-layer-norm", "sum", params, body));
    let body = "%s = add(%x, %r)\n%l = layer_normalization(%s, %gamma)\n%y = add(%l, %s)";
    let params = "%x: $T[5, 13], %r: $T[5, 13], %gamma: $T[13]";
    all.push(Case::new("skip-layer-norm", "sum used again", params, body));
    all
}

/// Attention written out.
fn attention() -> Vec<Case> {
    let params = "%q: $T[2, 2, 5, 4], %k: $T[2, 2, 6, 4], %v: $T[2, 2, 6, 3]";
    let kt = "%kt = transpose(%k) {perm = [0, 1, 3, 2]}\n%root = constant {value = $T[](2)}
        %factor = constant {value = $T[](0.7)}";
    let mut all = vec![];
    for (name, mask, scores) in [
        ("plain", "", "%s = matmul(%q, %kt)"),
        ("scaled scores", "", "%m = matmul(%q, %kt)\n%s = div(%m, %root)"),
        ("scaled queries", "", "%qs = mul(%q, %factor)\n%s = matmul(%qs, %kt)"),
        ("scaled keys", "", "%ks = mul(%kt, %factor)\n%s = matmul(%q, %ks)"),
        (
            "scaled both",
            "",
            "%qs = mul(%q, %factor)\n%ks = mul(%kt, %factor)\n%s = matmul(%qs, %ks)",
        ),
        ("masked", ", %mask: $T[2, 1, 5, 6]", "%m = matmul(%q, %kt)\n%s = add(%m, %mask)"),
        (
            "masked keys",
            ", %mask: $T[5, 6]",
            "%m = matmul(%q, %kt)\n%ms = mul(%m, %factor)\n%s = add(%mask, %ms)",
        ),
    ] {
        let body = format!("{kt}\n{scores}\n%p = softmax(%s)\n%y = matmul(%p, %v)");
        all.push(Case::new("attention", name, &format!("{params}{mask}"), &body));
    }
    let body = "%split = constant {value = i64[4](0, 0, 2, 4)}
        %join = constant {value = i64[3](0, 0, -1)}
        %q4 = reshape(%q, %split)\n%qh = transpose(%q4) {perm = [0, 2, 1, 3]}
        %k4 = reshape(%k, %split)\n%kt = transpose(%k4) {perm = [0, 2, 3, 1]}
        %v4 = reshape(%v, %split)\n%vh = transpose(%v4) {perm = [0, 2, 1, 3]}
        %s = matmul(%qh, %kt)\n%m = add(%s, %mask)\n%p = softmax(%m)\n%o = matmul(%p, %vh)
        %t = transpose(%o) {perm = [0, 2, 1, 3]}\n%y = reshape(%t, %join)";
    let params = "%q: $T[2, 5, 8], %k: $T[2, 6, 8], %v: $T[2, 6, 8], %mask: $T[2, 1, 1, 6]";
    let case = Case::new("attention-heads", "split and joined", params, body);
    all.push(case.needs(&["attention", "transpose-chains"]));
    all
}

/// Products and their operands.
fn products() -> Vec<Case> {
    let mut all = vec![];
    let row = "%c = constant {value = $T[1, 3](1, -2, 0)}";
    for (name, params, body) in [
        ("no addend", "", "%y = gemm(%a, %b)"),
        ("factor 0", "", "%y = gemm(%a, %b) {alpha = 0.0}"),
        ("bias", ", %c: $T[3]", "%y = gemm(%a, %b, %c) {alpha = 0.5}"),
        ("residual", ", %c: $T[4, 3]", "%y = gemm(%a, %b, %c) {alpha = 0.5}"),
        ("row", "", "%y = gemm(%a, %b, %c) {alpha = 0.5, beta = 2.0}"),
        ("row times 0", "", "%y = gemm(%a, %b, %c) {beta = 0.0}"),
    ] {
        let body = match name.starts_with("row") {
            true => format!("{row}\n{body}"),
            false => body.to_owned(),
        };
        let params = format!("%a: $T[4, 6], %b: $T[6, 3]{params}");
        all.push(Case::new("gemm-to-matmul", name, &params, &body));
    }
    for (name, params, body) in [
        ("left", "%a: $T[6, 4], %b: $T[6, 3]", "%t = transpose(%a)\n%y = matmul(%t, %b)"),
        ("right", "%a: $T[4, 6], %b: $T[3, 6]", "%t = transpose(%b)\n%y = matmul(%a, %t)"),
        (
            "batches",
            "%a: $T[2, 4, 6], %b: $T[2, 3, 6]",
            "%t = transpose(%b) {perm = [0, 2, 1]}\n%y = matmul(%a, %t)",
        ),
    ] {
        all.push(Case::new("matmul-transpose", name, params, body));
    }
    let params = "%a: $T[4, 6], %b: $T[6, 3]";
    for (name, k, body) in [
        ("less", "0.25", "%s = mul(%a, %k)\n%y = matmul(%s, %b)"),
        ("more", "7", "%s = mul(%k, %b)\n%y = matmul(%a, %s)"),
        ("quotient", "0.5", "%s = div(%a, %k)\n%y = matmul(%s, %b)"),
        ("small quotient", "8", "%s = div(%b, %k)\n%y = matmul(%a, %s)"),
        ("negative", "-1", "%s = mul(%a, %k)\n%y = matmul(%s, %b)"),
        ("both", "0.5", "%s = mul(%a, %k)\n%t = mul(%b, %k)\n%y = matmul(%s, %t)"),
    ] {
        let body = format!("%k = constant {{value = $T[]({k})}}\n{body}");
        all.push(Case::new("matmul-operand-scale", name, params, &body));
    }
    for (name, k, body) in [
        ("less", "0.25", "%m = matmul(%a, %b)\n%y = mul(%m, %k)"),
        ("more", "7", "%m = matmul(%a, %b)\n%y = mul(%k, %m)"),
        ("quotient", "8", "%m = matmul(%a, %b)\n%y = div(%m, %k)"),
    ] {
        let body = format!("%k = constant {{value = $T[]({k})}}\n{body}");
        all.push(Case::new("matmul-scale", name, params, &body));
    }
    all
}

/// Biases, residuals and activations after products and convolutions.
fn epilogues() -> Vec<Case> {
    let mut all = vec![];
    let matmul = "%a: $T[4, 6], %b: $T[6, 19]";
    let packed = "%a: $T[4, 20]";
    let weights = "%b = constant {value = u8[3, 2, 8](1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48)}
        %s = constant {value = $T[3, 2](0.5, 0.25, 1, 2, 0.125, 0.75)}
        %m = matmul_n_bits(%a, %b, _, _, %s) {k = 20, n = 3, block_size = 16}";
    let conv = "%x: $T[2, 2, 5, 7], %w: $T[3, 2, 3, 3]";
    let products = [
        ("matmul", matmul, "%m = matmul(%a, %b)".to_owned(), "4, 19", "19"),
        ("matmul_n_bits", packed, weights.to_owned(), "4, 3", "3"),
        ("conv", conv, "%m = conv(%x, %w)".to_owned(), "2, 3, 3, 5", ""),
    ];
    for (of, params, product, dims, columns) in &products {
        if !columns.is_empty() {
            let with = format!("{params}, %bias: $T[{columns}]");
            let body = format!("{product}\n%y = add(%bias, %m)");
            all.push(Case::new("matmul-bias", *of, &with, &body));
        }
        let with = format!("{params}, %r: $T[{dims}]");
        let body = format!("{product}\n%y = add(%m, %r)");
        all.push(Case::new("residual", *of, &with, &body));
        let numbers = "%low = constant {value = $T[](-0.5)}\n%high = constant {value = $T[](3)}";
        for activation in [
            "clip(%m, %low, %high)",
            "clip(%m, %low)",
            "clip(%m, _, %high)",
            "elu(%m) {alpha = 0.5}",
            "gelu(%m)",
            "gelu(%m) {approximate = \"tanh\"}",
            "hard_sigmoid(%m)",
            "hard_swish(%m)",
            "leaky_relu(%m) {alpha = 0.1}",
            "leaky_relu(%m) {alpha = 0.0}",
            "mish(%m)",
            "relu(%m)",
            "sigmoid(%m)",
            "swish(%m)",
            "tanh(%m)",
        ] {
            let body = format!("{numbers}\n{product}\n%y = {activation}");
            let name = format!("{activation} of {of}");
            all.push(Case::new("activation", name, params, &body));
        }
    }
    all
}

/// Every elementwise op of floats after and before another one.
fn chains() -> Vec<Case> {
    let mut all = vec![];
    let elementwise = OpKind::ALL.iter().filter(|k| k.decl().group == Group::Elementwise);
    for &kind in elementwise {
        let decl = kind.decl();
        let main = decl.operands.len() - 1;
        if !decl.operands[main].takes.accept(DType::F32) || kind == OpKind::Libm {
            continue;
        }
        let name = decl.name;
        let (operands, attrs) = match kind {
            OpKind::Where => ("%c, %a, %z", ""),
            OpKind::Cast => ("%a", " {to = $T}"),
            OpKind::BitCast => ("%a", " {to = $T}"),
            OpKind::Clip => ("%a, %low, %high", ""),
            _ if decl.operands[main].arity == Arity::Many => ("%a, %z, %x", ""),
            _ => match decl.operands.len() {
                1 => ("%a", ""),
                2 => ("%a, %z", ""),
                _ => ("%a, %z, %x", ""),
            },
        };
        let truth = matches!(decl.results[0].rule, Rule::Is(DType::Bool));
        let after = if truth { "not(%o)" } else { "neg(%o)" };
        let body = format!(
            "%low = constant {{value = $T[](-0.5)}}
            %high = constant {{value = $T[](3)}}
            %a = neg(%x)
            %c = less(%x, %z)
            %o = {name}({operands}){attrs}
            %y = {after}"
        );
        let case = Case::new("elementwise-chains", name, "%x: $T[3, 23], %z: $T[3, 23]", &body);
        let case = if truth { case.gives("bool") } else { case };
        all.push(case.dtypes(COMPUTED).signed());
    }
    all
}
