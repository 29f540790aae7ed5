//! The text form: what is printed parses back to the same, and nothing makes the parser panic.
#![allow(clippy::unwrap_used)] // a failure is the test's outcome

mod random;
mod rng;

use rng::Rng;
use trident_ir::{Attr, Func, Module, OpKind};

/// Parses what a module prints and compares.
fn round_trip(module: &Module) {
    let text = module.to_string();
    let back: Module = text.parse().unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(&back, module, "{text}");
    assert_eq!(back.to_string(), text);
}

#[test]
fn random_modules_survive_a_round_trip() {
    for seed in 0..400 {
        round_trip(&random::module(&mut Rng::new(seed), &[]));
    }
    // Each op at least three times.
    for (seed, kind) in OpKind::ALL.iter().enumerate() {
        round_trip(&random::module(&mut Rng::new(seed as u64), &[*kind; 3]));
    }
}

#[test]
fn mutated_texts_give_errors_and_no_panic() {
    const TOKENS: &[&str] = &[
        "%",
        "@",
        "\"",
        "\\",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "<",
        ">",
        ",",
        ":",
        "=",
        "?",
        "*",
        ";",
        "->",
        "...",
        "_",
        "\n",
        "0x",
        "-",
        "99999999999999999999",
        "1e9",
        "nan(",
        "seq<",
        "f32[",
        "str[1](",
        "region {",
        "yield",
        "return",
        "func",
        "loc(",
        "constant",
        "\u{fffd}",
        "\\u{110000}",
    ];
    let mut rng = Rng::new(7);
    let (mut parsed, mut failed) = (0, 0);
    for seed in 0..100 {
        let text = random::module(&mut Rng::new(seed), &[]).to_string();
        for _ in 0..100 {
            let mut bytes = text.clone().into_bytes();
            for _ in 0..1 + rng.below(3) {
                let at = rng.below(bytes.len());
                match rng.below(4) {
                    0 => bytes[at] = rng.next() as u8,
                    1 => bytes.truncate(at.max(1)),
                    2 => drop(bytes.drain(at..(at + rng.below(20)).min(bytes.len()))),
                    _ => drop(bytes.splice(at..at, rng.pick(TOKENS).bytes())),
                }
                if bytes.is_empty() {
                    bytes.push(b'f');
                }
            }
            let text = String::from_utf8_lossy(&bytes);
            match text.parse::<Module>() {
                Ok(module) => {
                    parsed += 1;
                    module.to_string().parse::<Module>().unwrap();
                    // Most are broken; the verifier tells without a panic too.
                    let _ = module.verify();
                }
                Err(e) => {
                    failed += 1;
                    assert!(e.line >= 1 && e.column >= 1 && !e.to_string().is_empty());
                }
            }
        }
    }
    assert!(parsed > 200 && failed > 5000, "{parsed} texts parsed, {failed} did not");
}

#[test]
fn nesting_is_bounded() {
    let deep = |open: &str, close: &str, inner: &str| {
        format!("{}{inner}{}", open.repeat(100_000), close.repeat(100_000))
    };
    let ty = format!("func @f graph (%x: {}) {{ return }}", deep("seq<", ">", "f32[]"));
    let regions = deep("_ = if region { ", "} yield", "yield");
    let regions = format!("func @f graph () {{ {regions} }}");
    for text in [ty, regions] {
        let e = text.parse::<Module>().unwrap_err();
        assert!(e.to_string().contains("nested deeper than 64"), "{e}");
    }
}

fn attr_of(text: &str, name: &str) -> Attr {
    let func: Func = format!("func @f graph () {{ {text} return }}").parse().unwrap();
    func.body.ops[0].attrs.iter().find(|(set, _)| *set == name).unwrap().1.clone()
}

#[test]
fn floats_keep_every_bit() {
    for bits in [0x7fc0_0000, 0xffc0_0000, 0x7f80_0001, 0xffff_ffff, 0x7fc0_0001, 0x8000_0000, 1u32]
    {
        let op = format!("_ = elu {{alpha = {}}}", Attr::Float(f32::from_bits(bits)));
        let Attr::Float(back) = attr_of(&op, "alpha") else { panic!("{op}") };
        assert_eq!(back.to_bits(), bits, "{op}");
    }
}

#[test]
fn long_data_are_left_out_for_people() {
    let numbers = vec!["1"; 40].join(", ");
    let text = format!(
        "func @f graph () -> (i8[40]) {{
           %c = constant {{value = i8[40]({numbers})}}
           %r = random_normal {{shape = [{numbers}]}} : f32[*]
           return %c
         }}"
    );
    let func: Func = text.parse().unwrap();
    let short = format!("{func:#}");
    assert!(short.contains("i8[40](...)") && short.contains("shape = [...]"), "{short}");
    let e = short.parse::<Func>().unwrap_err().to_string();
    assert!(e.contains("left out"), "{e}");
    let full = func.to_string();
    assert!(full.contains(&format!("0x{}", "01".repeat(40))), "{full}");
    assert_eq!(full.parse::<Func>().unwrap(), func);
}

#[test]
fn values_of_one_name_print_apart() {
    let mut func: Func = "func @f graph (%a: f32[], %b: f32[]) { return %b }".parse().unwrap();
    func.values[1].name = "a".into();
    let text = func.to_string();
    assert!(text.contains(r#"(%a: f32[], %"a#1": f32[])"#), "{text}");
    text.parse::<Func>().unwrap();
}

#[test]
fn renumbering_follows_the_text_and_drops_what_is_unused() {
    let text = "func @f graph (%a: f32[]) -> (f32[]) {\n  %b = neg(%a) : f32[]\n  return %b\n}\n";
    let parsed: Func = text.parse().unwrap();
    let mut func = parsed.clone();
    func.values.reverse();
    func.values.insert(0, parsed.values[0].clone());
    func.values[0].name = "unused".into();
    let flip = |id: &mut trident_ir::ValueId| id.0 = 2 - id.0;
    flip(&mut func.body.params[0]);
    flip(&mut func.body.results[0]);
    let op = &mut func.body.ops[0];
    op.inputs.iter_mut().chain(&mut op.outputs).flatten().for_each(flip);
    assert_eq!(func.to_string(), text);
    assert_ne!(func, parsed);
    func.renumber();
    assert_eq!(func, parsed);
}
