//! Values known only at run time that an op cannot take: the error names op, node and operands.
#![allow(clippy::unwrap_used)] // what does not fit fails the test

use std::sync::Arc;
use trident_cpu::CpuDevice;
use trident_engine::{Options, RunError, Session};
use trident_ir::{Element, Func, Module};
use trident_runtime::{Device, Pool, Tensor, Value};

fn vector<T: Element>(values: &[T]) -> Value {
    Tensor::from_slice(&Pool::new(), &[values.len()], values).unwrap().into()
}

/// The error of one op over `x = [1, 2]` and `k`.
fn error(op: &str, k: &[i64]) -> String {
    let text = format!(
        "func @f graph (%x: i64[2], %k: i64[K]) -> (i64[*]) {{
           %y = {op} : i64[*] loc(\"node\")
           return %y
         }}"
    );
    let module = Module { funcs: vec![text.parse::<Func>().unwrap()], ..Module::default() };
    let devices: [Arc<dyn Device>; 1] = [Arc::new(CpuDevice::new(1))];
    let options = Options { memory_limit: 2 << 30, ..Options::default() };
    let session = Session::new(module, &devices, &options).unwrap();
    let error = session.run(&[("x", vector(&[1i64, 2])), ("k", vector(k))]).unwrap_err();
    assert!(matches!(error, RunError::Op(_)), "{op} of {k:?}: {error}");
    error.to_string()
}

#[test]
fn each_names_op_node_and_operands() {
    let huge: &[i64] = &[1 << 60];
    let cases: &[(&str, &[i64], &str)] = &[
        ("expand(%x, %k)", &[-3], ""),
        ("tile(%x, %k)", &[1 << 31], "too large"),
        ("tile(%x, %k)", huge, "too large"),
        ("tile(%x, %k)", &[i64::MAX], "too large"),
        ("tile(%x, %k)", &[-1], "negative"),
        ("reshape(%x, %k)", &[-1, -1], "cannot be reshaped"),
        ("reshape(%x, %k)", &[1 << 32, 1 << 32, 2], "cannot be reshaped"),
        ("gather(%x, %k)", &[2], "index 2 is outside"),
        ("gather(%x, %k)", &[i64::MIN], "is outside"),
        ("div(%x, %k)", &[1, 0], "divided by zero"),
        ("mod(%x, %k)", &[0, 1], "zero"),
        ("add(%x, %k)", &[1, 2, 3], ""),
    ];
    for (op, k, reason) in cases {
        let text = error(op, k);
        let name = op.split('(').next().unwrap();
        assert!(text.starts_with(&format!("{name} `node`: ")), "{text}");
        assert!(text.contains(&format!("x: i64[2], k: i64[{}]", k.len())), "{text}");
        assert!(text.contains(reason), "{text}");
    }
}
