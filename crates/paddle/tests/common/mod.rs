//! Small models in both formats, made byte by byte.
#![allow(dead_code, unreachable_pub)] // each test uses a part of it

use bytes::Bytes;
use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use trident_paddle::PaddleFolder;

/// Files in memory.
#[derive(Clone, Default)]
pub struct Memory(pub BTreeMap<String, Bytes>);

impl Memory {
    pub fn of<const N: usize>(files: [(&str, Vec<u8>); N]) -> Memory {
        Memory(files.into_iter().map(|(name, bytes)| (name.into(), bytes.into())).collect())
    }

    pub fn file(&self, name: &str) -> io::Result<&Bytes> {
        self.0.get(name).ok_or(io::ErrorKind::NotFound.into())
    }
}

impl PaddleFolder for Memory {
    fn size(&self, name: &str) -> io::Result<u64> {
        Ok(self.file(name)?.len() as u64)
    }

    fn read(&self, name: &str, range: Range<u64>) -> io::Result<Bytes> {
        Ok(self.file(name)?.slice(range.start as usize..range.end as usize))
    }
}

/// A message of protobuf.
#[derive(Clone, Default)]
pub struct Message(pub Vec<u8>);

impl Message {
    pub fn new() -> Message {
        Message::default()
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 128 {
            self.0.push(value as u8 | 128);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    pub fn int(mut self, field: u32, value: i64) -> Message {
        self.varint(u64::from(field) << 3);
        self.varint(value as u64);
        self
    }

    pub fn float(mut self, field: u32, value: f32) -> Message {
        self.varint(u64::from(field) << 3 | 5);
        self.0.extend(value.to_le_bytes());
        self
    }

    pub fn bytes(mut self, field: u32, value: impl AsRef<[u8]>) -> Message {
        self.varint(u64::from(field) << 3 | 2);
        self.varint(value.as_ref().len() as u64);
        self.0.extend(value.as_ref());
        self
    }

    pub fn message(self, field: u32, value: Message) -> Message {
        self.bytes(field, value.0)
    }
}

/// A message `TensorDesc`.
pub fn tensor_desc(dtype: i64, dims: &[i64]) -> Message {
    dims.iter().fold(Message::new().int(1, dtype), |desc, &dim| desc.int(2, dim))
}

/// A stored tensor of f32.
pub fn stored(dims: &[i64], values: &[f32]) -> Vec<u8> {
    let desc = tensor_desc(5, dims).0;
    let mut out = vec![0; 4 + 8 + 4];
    out.extend((desc.len() as u32).to_le_bytes());
    out.extend(desc);
    out.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    out
}

/// A declared tensor.
pub fn var(name: &str, dtype: i64, dims: &[i64], is_stored: bool) -> Message {
    let dense = Message::new().message(1, tensor_desc(dtype, dims));
    let ty = Message::new().int(1, 7).message(3, dense);
    Message::new().bytes(1, name).message(2, ty).int(3, is_stored.into())
}

/// An op: slots as `X=a,b`.
pub fn op(name: &str, inputs: &[&str], outputs: &[&str], attrs: &[Message]) -> Message {
    let slots = |op: Message, field, slots: &[&str]| {
        slots.iter().fold(op, |op, slot| {
            let (slot, names) = slot.split_once('=').unwrap_or((slot, ""));
            let names = names.split(',').filter(|name| !name.is_empty());
            let slot = names.fold(Message::new().bytes(1, slot), |slot, name| slot.bytes(2, name));
            op.message(field, slot)
        })
    };
    let op = slots(slots(Message::new(), 1, inputs), 2, outputs).bytes(3, name);
    attrs.iter().fold(op, |op, attr| op.message(4, attr.clone()))
}

pub fn int_attr(name: &str, value: i64) -> Message {
    Message::new().bytes(1, name).int(2, 0).int(3, value)
}

pub fn flag_attr(name: &str, value: bool) -> Message {
    Message::new().bytes(1, name).int(2, 6).int(10, value.into())
}

pub fn text_attr(name: &str, value: &str) -> Message {
    Message::new().bytes(1, name).int(2, 2).bytes(5, value)
}

pub fn block_attr(name: &str, block: i64) -> Message {
    Message::new().bytes(1, name).int(2, 8).int(12, block)
}

pub fn block(vars: &[Message], ops: &[Message]) -> Message {
    let block = Message::new().int(1, 0).int(2, -1);
    let block = vars.iter().fold(block, |block, var| block.message(3, var.clone()));
    ops.iter().fold(block, |block, op| block.message(4, op.clone()))
}

/// A `ProgramDesc` with these blocks, of Paddle 2.6.2.
pub fn program(blocks: &[Message]) -> Vec<u8> {
    let program =
        blocks.iter().fold(Message::new(), |program, block| program.message(1, block.clone()));
    program.message(4, Message::new().int(1, 2_006_002)).0
}

pub fn feed(name: &str, column: i64) -> Message {
    op("feed", &["X=feed"], &[&format!("Out={name}")], &[int_attr("col", column)])
}

pub fn fetch(name: &str, column: i64) -> Message {
    op("fetch", &[&format!("X={name}")], &["Out=fetch"], &[int_attr("col", column)])
}

/// `out = relu(x + w)`, where `x` has any number of rows of 2.
pub fn legacy() -> Memory {
    let vars = [
        var("x", 5, &[-1, 2], false),
        var("w", 5, &[2], true),
        var("s", 5, &[-1, 2], false),
        var("out", 5, &[-1, 2], false),
    ];
    let layer = [int_attr("axis", -1), text_attr("op_namescope", "/net/")];
    let ops = [
        feed("x", 0),
        op("elementwise_add", &["X=x", "Y=w"], &["Out=s"], &layer),
        op("relu", &["X=s"], &["Out=out"], &[]),
        fetch("out", 0),
    ];
    Memory::of([
        ("model.pdmodel", program(&[block(&vars, &ops)])),
        ("model.pdiparams", stored(&[2], &[1.0, -1.0])),
    ])
}

/// A program that writes `i` and `x` in a loop, and `x` in a branch.
pub fn legacy_control() -> Memory {
    let vars = [
        var("x", 5, &[2], false),
        var("i", 3, &[1], false),
        var("n", 3, &[1], true),
        var("c", 0, &[1], false),
        var("y", 5, &[2], false),
    ];
    let fill = [int_attr("dtype", 3), Message::new().bytes(1, "shape").int(2, 11).int(15, 1)];
    let body = [
        op(
            "increment",
            &["X=i"],
            &["Out=i"],
            &[Message::new().bytes(1, "step").int(2, 1).float(4, 1.0)],
        ),
        op("elementwise_add", &["X=x", "Y=x"], &["Out=t"], &[int_attr("axis", -1)]),
        op("assign", &["X=t"], &["Out=x"], &[]),
        op("less_than", &["X=i", "Y=n"], &["Out=c"], &[int_attr("axis", -1)]),
    ];
    let branch = [op("relu", &["X=x"], &["Out=y"], &[])];
    let main = [
        feed("x", 0),
        op("fill_constant", &[], &["Out=i"], &fill),
        op("less_than", &["X=i", "Y=n"], &["Out=c"], &[int_attr("axis", -1)]),
        op(
            "while",
            &["X=x,i,n", "Condition=c"],
            &["Out=x,i,c", "StepScopes=ss"],
            &[block_attr("sub_block", 1)],
        ),
        op(
            "conditional_block",
            &["Cond=c", "Input=x"],
            &["Out=y", "Scope=sc"],
            &[block_attr("sub_block", 2), flag_attr("is_scalar_condition", true)],
        ),
        fetch("x", 0),
        fetch("y", 1),
    ];
    let blocks =
        [block(&vars, &main), block(&[var("t", 5, &[2], false)], &body), block(&[], &branch)];
    let mut n = stored(&[1], &[]);
    n.truncate(16);
    let desc = tensor_desc(3, &[1]).0;
    n.extend((desc.len() as u32).to_le_bytes());
    n.extend(desc);
    n.extend(3i64.to_le_bytes());
    Memory::of([("__model__", program(&blocks)), ("n", n)])
}

fn tensor(dims: &str) -> String {
    format!(r##"{{"#":"0.t_dtensor","D":[{{"#":"0.t_f32"}},[{dims}],"NCHW",[],0]}}"##)
}

/// A program of PIR with these ops.
pub fn pir_text(version: i64, ops: &[String]) -> String {
    format!(
        r##"{{"base_code":{{"magic":"pir","trainable":true,"version":{version}}},"program":{{"regions":[{{"#":"region_0","blocks":[{{"#":"block_0","args":[],"ops":[{}]}}]}}]}}}}"##,
        ops.join(",")
    )
}

pub fn pir_op(name: &str, operands: &[i64], results: &[(i64, &str)], attrs: &str) -> String {
    let operands: Vec<String> = operands.iter().map(|id| format!(r#"{{"%":{id}}}"#)).collect();
    let results: Vec<String> =
        results.iter().map(|(id, dims)| format!(r#"{{"%":{id},"TT":{}}}"#, tensor(dims))).collect();
    format!(
        r##"{{"#":"{name}","A":[{attrs}],"I":[{}],"O":[{}],"OA":[]}}"##,
        operands.join(","),
        results.join(",")
    )
}

pub fn pir_attr(name: &str, kind: &str, data: &str) -> String {
    format!(r##"{{"N":"{name}","AT":{{"#":"{kind}","D":{data}}}}}"##)
}

pub fn pir_param(id: i64, name: &str, dims: &str, is_stored: bool) -> String {
    let ty = tensor(dims);
    let flag = u8::from(is_stored);
    format!(
        r##"{{"#":"p","A":[0,1,1,"{name}"],"DA":[],"O":{{"%":{id},"TT":{ty}}},"OA":[{flag},0,1],"QA":[]}}"##
    )
}

/// `out = relu(x + w)` in PIR, where `x` has any number of rows of 2.
pub fn pir_ops() -> Vec<String> {
    let layer = pir_attr("struct_name", "0.a_str", "\"/net/\"");
    let x = [
        pir_attr("name", "0.a_str", "\"x\""),
        pir_attr("shape", "1.a_intarray", "[-1,2]"),
        pir_attr("dtype", "1.a_dtype", "\"float32\""),
    ];
    let out = [pir_attr("name", "0.a_str", "\"fetch_name_0\""), pir_attr("col", "0.a_i32", "0")];
    vec![
        pir_param(1, "w", "2", true),
        pir_op("1.data", &[], &[(2, "-1,2")], &x.join(",")),
        pir_op("1.add", &[2, 1], &[(3, "-1,2")], &layer),
        pir_op("1.relu", &[3], &[(4, "-1,2")], &layer),
        pir_op("1.fetch", &[4], &[(5, "-1,2")], &out.join(",")),
    ]
}

pub fn pir() -> Memory {
    Memory::of([
        ("inference.json", pir_text(4, &pir_ops()).into_bytes()),
        ("inference.pdiparams", stored(&[2], &[1.0, -1.0])),
    ])
}
