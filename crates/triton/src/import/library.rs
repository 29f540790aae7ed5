//! Names of functions in device libraries: CUDA's libdevice (`__nv_tanhf`) and ROCm's (`__ocml_tanh_f32`). Behind the
//! importer a function has its name in C, without the suffix of its type.

/// The name of a function in C; `single` tells whether it is about f32.
pub(super) fn function_name(symbol: &str, single: bool) -> &str {
    if let Some(name) = symbol.strip_prefix("__ocml_") {
        return name.strip_suffix("_f32").or(name.strip_suffix("_f64")).unwrap_or(name);
    }
    let name = symbol.strip_prefix("__nv_").unwrap_or(symbol);
    // The fast variants are approximations that may as well be exact.
    let name = name.strip_prefix("fast_").unwrap_or(name);
    if let Some(name) = directed(name) {
        return name;
    }
    match name {
        // This name has a `d` appended for double precision.
        "isnand" => "isnan",
        "isinfd" => "isinf",
        "isfinited" => "isfinite",
        "signbitd" => "signbit",
        // These end in `f` without any suffix.
        "erf" | "isinf" | "modf" => name,
        _ => name.strip_suffix('f').filter(|_| single).unwrap_or(name),
    }
}

/// The name of a function with directed rounding, without the letter of its type, which is a prefix (`fadd_rz`,
/// `dadd_rz`) or inside (`fmaf_rz`).
fn directed(name: &str) -> Option<&str> {
    let (stem, direction) = name.rsplit_once('_')?;
    if !matches!(direction, "rn" | "rz" | "rd" | "ru") {
        return None;
    }
    match (stem, direction) {
        ("fma", _) => Some(name),
        ("fmaf", "rn") => Some("fma_rn"),
        ("fmaf", "rz") => Some("fma_rz"),
        ("fmaf", "rd") => Some("fma_rd"),
        ("fmaf", _) => Some("fma_ru"),
        _ => name.strip_prefix(['f', 'd']).filter(|plain| {
            let stem = plain.split('_').next();
            matches!(stem, Some("add" | "div" | "mul" | "rcp" | "rsqrt" | "sqrt" | "sub"))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::function_name;

    #[test]
    fn spellings_of_libraries_become_names_in_c() {
        for (symbol, single, name) in [
            ("__nv_tanhf", true, "tanh"),
            ("__nv_tanh", false, "tanh"),
            ("__nv_erff", true, "erf"),
            ("__nv_erf", false, "erf"),
            ("erf", true, "erf"),
            ("__nv_fabsf", true, "fabs"),
            ("__nv_fabs", false, "fabs"),
            ("__nv_fmaxf", true, "fmax"),
            ("__nv_powif", true, "powi"),
            ("__nv_fmaf", true, "fma"),
            ("__nv_fmodf", true, "fmod"),
            ("__nv_norm4df", true, "norm4d"),
            ("__nv_saturatef", true, "saturate"),
            ("__nv_finitef", true, "finite"),
            ("__nv_isinff", true, "isinf"),
            ("__nv_isinfd", false, "isinf"),
            ("__nv_isnand", false, "isnan"),
            ("__nv_fast_sinf", true, "sin"),
            ("__nv_fast_fdividef", true, "fdivide"),
            ("__nv_dadd_rd", false, "add_rd"),
            ("__nv_fadd_rz", true, "add_rz"),
            ("__nv_fmaf_rd", true, "fma_rd"),
            ("__nv_fma_rd", false, "fma_rd"),
            ("__nv_frsqrt_rn", true, "rsqrt_rn"),
            ("__nv_float2int_rn", true, "float2int_rn"),
            ("__nv_double2float_rz", true, "double2float_rz"),
            ("__nv_umulhi", false, "umulhi"),
            ("__nv_ffsll", false, "ffsll"),
            ("__ocml_sinh_f32", true, "sinh"),
            ("tanh", true, "tanh"),
        ] {
            assert_eq!(function_name(symbol, single), name, "{symbol}");
        }
    }
}
