//! Models for the tests, and what they give.
#![allow(dead_code)] // each test file uses its part

use bytes::Bytes;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use trident_cpu::CpuDevice;
use trident_engine::{Options, Session};
use trident_ir::rewrite::{Context, RewriteError, RewriteReport};
use trident_ir::{Dim, Func, Module, Type, ValueInfo};
use trident_model::{Compiled, LoadError, Model};
use trident_onnx::Info;
use trident_passes::fuse;
use trident_runtime::{Cost, Declined, Device, DeviceInfo, Executable, Pool, Tensor, Unit, Value};

pub(crate) fn cpu() -> Vec<Arc<dyn Device>> {
    vec![Arc::new(CpuDevice::new(2))]
}

/// The CPU with other rewrites, which fuse chains of elementwise ops too.
pub(crate) struct Fusing(CpuDevice);

impl Fusing {
    pub(crate) fn devices() -> Vec<Arc<dyn Device>> {
        vec![Arc::new(Fusing(CpuDevice::new(1)))]
    }
}

impl Device for Fusing {
    fn info(&self) -> &DeviceInfo {
        self.0.info()
    }

    fn estimate(&self, func: &Func, ops: &[&trident_ir::Op]) -> Option<Cost> {
        self.0.estimate(func, ops)
    }

    fn rewrites(&self) -> Vec<&'static str> {
        trident_passes::names(fuse::ALL)
    }

    fn rewrite(&self, func: &mut Func, cx: &Context<'_>) -> Result<RewriteReport, RewriteError> {
        trident_passes::rewrite(func, fuse::ALL, cx)
    }

    fn compile(&self, unit: &Unit<'_>) -> Result<Arc<dyn Executable>, Declined> {
        self.0.compile(unit)
    }
}

/// A model of one function or several.
pub(crate) fn model(text: &str) -> trident_onnx::OnnxModel {
    let module: Module = text.parse().unwrap();
    trident_onnx::OnnxModel { module, optional: vec![], info: Info::default() }
}

/// The digit classifier of the examples.
pub(crate) fn digits() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/digits/digits.onnx")
}

/// A function with weights of many kinds: large and small, equal ones, of half a byte, in a region, without elements.
pub(crate) fn assorted() -> trident_onnx::OnnxModel {
    let hex = |bytes: usize, step: usize| -> String {
        (0..bytes).map(|i| format!("{:02x}", (i * step) % 7)).collect()
    };
    // Elements of f32 from bytes of 0 to 6 are tiny and finite; those of i4 are numbers of 0 to 6.
    let (large, small, nibbles) = (hex(160 * 128 * 4, 3), hex(50 * 4, 5), hex(50, 1));
    let mut made = model(&format!(
        r#"metadata "labels" = "a, b"
        func @main graph (%x: f32[N, 160], %c: bool[]) -> (f32[*], f32[*], str[2], f32[0]) {{
            %large = constant {{value = f32[160, 128](0x{large})}}
            %again = constant {{value = f32[160, 128](0x{large})}}
            %small = constant {{value = f32[50](0x{small})}}
            %packed = constant {{value = i4[50](0x{nibbles})}}
            %scale = constant {{value = f32[](0.5)}}
            %words = constant {{value = str[2]("one", "two\n\"quoted\"")}}
            %none = constant {{value = f32[0]()}}
            %y = matmul(%x, %large)
            %z = matmul(%x, %again)
            %sum = add(%y, %z)
            %t = if(%c) : f32[*] region {{
                %inner = constant {{value = f32[50](0x{small})}}
                %d = add(%inner, %small)
                yield %d
            }} region {{
                %wide = dequantize_linear(%packed, %scale)
                yield %wide
            }}
            return %sum, %t, %words, %none
        }}

        func @other graph (%x: f32[M, 50]) -> (f32[*]) {{
            %w = constant {{value = f32[50](0x{small})}}
            %y = mul(%x, %w)
            %z = tanh(%y)
            return %z
        }}"#
    ));
    made.info.opsets = vec![("ai.onnx".into(), 21)];
    made.info.producer_name = "the tests".into();
    made
}

/// A function in which the default of an input is a weight.
pub(crate) fn with_default() -> trident_onnx::OnnxModel {
    let hex = "0000803f".repeat(40);
    let mut made = model(&format!(
        "func @main graph (%x: f32[40]) -> (f32[*]) {{
            %w = constant {{value = f32[40](0x{hex})}}
            %n = neg(%w)
            %y = add(%x, %n)
            return %y
        }}"
    ));
    made.optional =
        vec![ValueInfo { name: "w".into(), ty: Type::unranked(trident_ir::DType::F32) }];
    made
}

pub(crate) fn compile(model: trident_onnx::OnnxModel, devices: &[Arc<dyn Device>]) -> Compiled {
    Compiled::new(model.into(), devices, &Options::default()).unwrap()
}

pub(crate) fn written(compiled: &Compiled) -> Vec<u8> {
    let mut file = vec![];
    compiled.write(&mut file).unwrap();
    file
}

pub(crate) fn read(file: &[u8]) -> Result<Compiled, LoadError> {
    match trident_model::load_from(&Bytes::copy_from_slice(file), "", None)? {
        Model::Compiled(compiled) => Ok(compiled),
        Model::Source(_) => panic!("a model before its passes"),
    }
}

/// An argument of a type: small numbers, dimensions that are names are 3.
pub(crate) fn argument(ty: &Type) -> Value {
    let size = |d: &Dim| d.fixed().unwrap_or(3);
    let dims: Vec<usize> = ty.shape().unwrap().iter().map(size).collect();
    let mut tensor = Tensor::alloc(&Pool::new(), ty.dtype().unwrap(), &dims).unwrap();
    let bytes = tensor.bytes_mut().unwrap();
    bytes.iter_mut().enumerate().for_each(|(i, b)| *b = (i * 13 % 64) as u8);
    if ty.dtype() == Some(trident_ir::DType::Bool) {
        bytes.fill(0);
    }
    tensor.into()
}

/// Names and elements of what each entry gives.
pub(crate) fn results(session: &Session) -> Vec<(String, String)> {
    let mut found = vec![];
    for entry in session.entries() {
        let inputs = &entry.signature().inputs;
        let args: Vec<(&str, Value)> =
            inputs.iter().map(|i| (i.name.as_str(), argument(&i.ty))).collect();
        let results = entry.run(&args).unwrap();
        let shown = |value: &Value| match value {
            Value::Tensor(tensor) => tensor.to_literal().unwrap().to_string(),
            other => other.describe(),
        };
        found.extend(results.iter().map(|(name, value)| (name.clone(), shown(value))));
    }
    found
}
