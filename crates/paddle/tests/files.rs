//! Files as users have them: complete ones, and those that do not fit.
#![allow(clippy::unwrap_used)] // a failure is what the tests look for

mod common;

use common::*;
use trident_ir::{DType, Dim, Type};
use trident_paddle::{PaddleError, PaddleErrorKind, ParameterFault, load_from};

fn changed(files: &Memory, name: &str, bytes: impl Into<Vec<u8>>) -> Memory {
    let mut files = files.clone();
    files.0.insert(name.to_owned(), bytes.into().into());
    files
}

fn fault(files: &Memory, name: &str) -> PaddleError {
    load_from(files, name).unwrap_err()
}

#[test]
fn both_formats_give_the_same_function() {
    let rows = Type::tensor(DType::F32, [Dim::Unknown, Dim::Fixed(2)]);
    for (files, name, out) in
        [(pir(), "inference.json", "fetch_name_0"), (legacy(), "model.pdmodel", "out")]
    {
        let model = load_from(&files, name).unwrap();
        let func = model.module.entry().unwrap();
        let names = |values: &[trident_ir::ValueId]| -> Vec<String> {
            values.iter().map(|value| func.info(*value).name.clone()).collect()
        };
        assert_eq!(names(&func.body.params), ["x"]);
        assert_eq!(names(&func.body.results), [out]);
        let ty = func.ty(func.body.params[0]);
        assert_eq!(ty.dtype(), rows.dtype());
        assert_eq!(ty.shape().unwrap()[1], Dim::Fixed(2));
        let shown = func.to_string();
        assert!(shown.contains("add") && shown.contains("relu"), "{shown}");
        assert!(shown.contains("/net/"), "layers are places: {shown}");
    }
    let info = load_from(&legacy(), "model.pdmodel").unwrap().info;
    assert_eq!((info.format, info.paddle_version.as_deref()), ("ProgramDesc", Some("2.6.2")));
    let info = load_from(&pir(), "inference.json").unwrap().info;
    assert_eq!((info.format, info.format_version), ("PIR", 4));
}

#[test]
fn attributes_that_nothing_reads_are_errors_unless_they_mean_nothing() {
    let in_pir = |attr: &str, kind: &str, value: &str| {
        let mut ops = pir_ops();
        ops[3] = pir_op("1.relu", &[3], &[(4, "-1,2")], &pir_attr(attr, kind, value));
        changed(&pir(), "inference.json", pir_text(4, &ops))
    };
    load_from(&in_pir("seed", "0.a_i32", "7"), "inference.json").unwrap();
    let error = fault(&in_pir("slope", "0.a_f32", "0.5"), "inference.json").to_string();
    assert!(error.contains("pd_op.relu") && error.contains("attribute `slope`"), "{error}");

    let in_desc = |attr: Message| {
        let vars = [var("x", 5, &[2], false), var("out", 5, &[2], false)];
        let ops = [feed("x", 0), op("relu", &["X=x"], &["Out=out"], &[attr]), fetch("out", 0)];
        Memory::of([("model.pdmodel", program(&[block(&vars, &ops)]))])
    };
    load_from(&in_desc(flag_attr("use_cudnn", true)), "model.pdmodel").unwrap();
    load_from(&in_desc(flag_attr("fuse_sum", false)), "model.pdmodel").unwrap();
    let error = fault(&in_desc(flag_attr("fuse_sum", true)), "model.pdmodel").to_string();
    assert!(error.contains("`relu`") && error.contains("attribute `fuse_sum`"), "{error}");
}

#[test]
fn parameters_may_have_a_file_each() {
    let files = legacy();
    let mut apart = files.clone();
    let params = apart.0.remove("model.pdiparams").unwrap();
    apart.0.insert("w".into(), params.clone());
    load_from(&apart, "model.pdmodel").unwrap();
    let mut named = files.clone();
    named.0.remove("model.pdiparams");
    named.0.insert("__params__".into(), params);
    load_from(&named, "model.pdmodel").unwrap();
    named.0.clear();
    named.0.extend(files.0.get_key_value("model.pdmodel").map(|(k, v)| (k.clone(), v.clone())));
    let error = fault(&named, "model.pdmodel");
    assert!(matches!(error.fault, PaddleErrorKind::NoParameters { count: 1, .. }), "{error}");
    assert!(error.to_string().contains("model.pdiparams or __params__ or params"), "{error}");
}

#[test]
fn truncated_files_are_errors_at_every_length() {
    for (files, program) in [(pir(), "inference.json"), (legacy(), "model.pdmodel")] {
        for name in files.0.keys() {
            let whole = &files.0[name];
            for len in 0..whole.len() {
                let part = changed(&files, name, &whole[..len]);
                match load_from(&part, program) {
                    Err(error) => assert!(error.to_string().starts_with('`'), "{error}"),
                    // Of a message, whole fields may be missing: blocks, then nothing refers to the rest.
                    Ok(_) => assert_eq!(name, "model.pdmodel", "{len} of {}", whole.len()),
                }
            }
        }
    }
}

#[test]
fn parameters_that_do_not_fit_are_errors() {
    let of =
        |bytes: Vec<u8>| fault(&changed(&pir(), "inference.pdiparams", bytes), "inference.json");
    let kind = |error: PaddleError| match error.fault {
        PaddleErrorKind::Parameter { name, fault } => {
            assert_eq!((&*name, &*error.file), ("w", "inference.pdiparams"));
            fault
        }
        other => panic!("{other}"),
    };
    let declared = kind(of(stored(&[3], &[1.0, 2.0, 3.0])));
    assert!(matches!(declared, ParameterFault::Declared { .. }), "{declared}");
    let longer = [stored(&[2], &[1.0, 2.0]), vec![0; 3]].concat();
    let trailing = of(longer);
    assert!(matches!(trailing.fault, PaddleErrorKind::TrailingBytes { bytes: 3, count: 1 }));
    assert!(trailing.to_string().contains("must come from one export"), "{trailing}");
    // Sizes beyond the file, negative ones, and ones whose product overflows.
    let huge = kind(of(stored(&[1 << 40], &[1.0])));
    assert!(matches!(huge, ParameterFault::Truncated { needed: 0x400_0000_0000, .. }), "{huge}");
    for dims in [&[-1][..], &[1 << 40, 1 << 40], &[i64::MAX, 2]] {
        assert!(matches!(kind(of(stored(dims, &[1.0]))), ParameterFault::Dims(_)));
    }
    let mut version = stored(&[2], &[1.0, 2.0]);
    version[0] = 7;
    assert_eq!(kind(of(version)), ParameterFault::Version(7));
    let mut levels = stored(&[2], &[1.0, 2.0]);
    levels[4..12].copy_from_slice(&u64::MAX.to_le_bytes());
    assert!(matches!(kind(of(levels)), ParameterFault::Description { .. }));
}

#[test]
fn levels_of_detail_are_skipped() {
    let plain = stored(&[2], &[1.0, -1.0]);
    let mut levels = plain[..4].to_vec();
    levels.extend(1u64.to_le_bytes());
    levels.extend(16u64.to_le_bytes());
    levels.extend([9; 16]);
    levels.extend(&plain[12..]);
    load_from(&changed(&pir(), "inference.pdiparams", levels), "inference.json").unwrap();
}

#[test]
fn foreign_files_are_named() {
    let of = |bytes: &[u8]| fault(&changed(&pir(), "inference.json", bytes), "inference.json");
    assert!(matches!(of(b"\x80\x04}\x94.").fault, PaddleErrorKind::Pickle));
    assert!(matches!(of(b"{\"a\": 1}").fault, PaddleErrorKind::NotPir));
    assert!(matches!(
        of(b"{\"base_code\": {\"magic\": \"x\", \"version\": 1}}").fault,
        PaddleErrorKind::NotPir
    ));
    assert!(matches!(of(b"[1]").fault, PaddleErrorKind::NotPir));
    assert!(matches!(of(&stored(&[1], &[1.0])).fault, PaddleErrorKind::ParametersOnly));
    assert!(of(b"\xff{}").to_string().contains("UTF-8"));
    assert!(of(b"").to_string().contains("empty"));
    let version = of(pir_text(9, &pir_ops()).as_bytes());
    assert!(matches!(version.fault, PaddleErrorKind::Version { found: 9, newest: 4, .. }));
    let missing = fault(&pir(), "other.json");
    assert!(matches!(missing.fault, PaddleErrorKind::Read(_)), "{missing}");
}

#[test]
fn unknown_ops_are_named_with_their_layer() {
    let mut ops = pir_ops();
    let layer = pir_attr("struct_name", "0.a_str", "\"/net/Strange_1/\"");
    ops[3] = pir_op("1.no_such_op", &[3], &[(4, "-1,2")], &layer);
    let error = fault(&changed(&pir(), "inference.json", pir_text(4, &ops)), "inference.json");
    let text = error.to_string();
    let start = "`inference.json`: op 3 `pd_op.no_such_op` of layer `/net/Strange_1/`: ";
    assert!(text.starts_with(start), "{text}");
    ops[3] = pir_op("3.mine", &[3], &[(4, "-1,2")], "");
    let error = fault(&changed(&pir(), "inference.json", pir_text(4, &ops)), "inference.json");
    assert!(error.to_string().contains("custom_op"), "{error}");
}

#[test]
fn cycles_and_repeated_definitions_are_errors() {
    let with = |at: usize, op: String| {
        let mut ops = pir_ops();
        ops[at] = op;
        fault(&changed(&pir(), "inference.json", pir_text(4, &ops)), "inference.json").fault
    };
    let cycle = with(2, pir_op("1.add", &[4, 1], &[(3, "-1,2")], ""));
    assert!(matches!(&cycle, PaddleErrorKind::Undefined { value } if value == "%4"), "{cycle}");
    let twice = with(3, pir_op("1.relu", &[3], &[(3, "-1,2")], ""));
    assert!(matches!(&twice, PaddleErrorKind::DefinedTwice { value } if value == "%3"), "{twice}");
    // A block of a `ProgramDesc` that holds itself, and one that two ops hold.
    let holder = |block: i64| {
        op("while", &["X=x", "Condition=c"], &["Out=x"], &[block_attr("sub_block", block)])
    };
    let vars = [var("x", 5, &[2], false), var("c", 0, &[1], false)];
    for ops in [[holder(1), holder(1)], [holder(0), holder(1)], [holder(7), holder(1)]] {
        let main = [feed("x", 0), feed("c", 1), ops[0].clone(), ops[1].clone()];
        let blocks = [block(&vars, &main), block(&[], &[holder(1)])];
        let error = fault(&Memory::of([("m.pdmodel", program(&blocks))]), "m.pdmodel");
        assert!(matches!(error.fault, PaddleErrorKind::Malformed(_)), "{error}");
    }
}

#[test]
fn deep_nesting_is_an_error() {
    let mut op = pir_op("1.relu", &[2], &[(9, "2")], "");
    for _ in 0..200 {
        op = format!(
            r##"{{"#":"1.if","A":[],"I":[],"O":[],"regions":[{{"#":"r","blocks":[{{"#":"b","args":[],"ops":[{op}]}}]}}]}}"##
        );
    }
    let mut ops = pir_ops();
    ops.insert(2, op);
    let error = fault(&changed(&pir(), "inference.json", pir_text(4, &ops)), "inference.json");
    assert!(matches!(error.fault, PaddleErrorKind::TooDeep { .. }), "{error}");
    let open = "[".repeat(100_000);
    let error =
        fault(&changed(&pir(), "inference.json", format!("{{\"a\":{open}")), "inference.json");
    assert!(matches!(error.fault, PaddleErrorKind::Json(_)), "{error}");
}
