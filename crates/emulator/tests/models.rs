//! Ops of models on the emulated device: launches in a row without waiting, operands in any memory, faults at the fence.
#![allow(clippy::unwrap_used)] // what fails there fails the test

use half::f16;
use std::sync::Arc;
use trident_apple::device::{GpuDevice, target};
use trident_apple::metal::{Family, Metal};
use trident_emulator::{Check, Emulator, EmulatorOptions};
use trident_graph_to_tile::Target;
use trident_ir::{Attr, DType, Dim, Func, Level, OpKind, Type, generic};
use trident_runtime::{
    Device, DeviceInfo, Executable, KernelError, Launch, LaunchLimits, Outputs, Pool, Stream,
    Submitted, Tensor, Unit, Value,
};

fn info() -> DeviceInfo {
    DeviceInfo {
        name: "metal-emulated".into(),
        description: "for tests".into(),
        threads: 1,
        features: vec![],
    }
}

fn device() -> GpuDevice {
    device_with(EmulatorOptions::default())
}

fn device_with(options: EmulatorOptions) -> GpuDevice {
    GpuDevice::new(info(), Arc::new(Emulator::new(options).unwrap()))
}

/// An op over operands of these types, none of them constant.
fn compiled(
    device: &GpuDevice,
    kind: OpKind,
    attrs: &[(&'static str, Attr)],
    operands: &[Type],
) -> Arc<dyn Executable> {
    let result = Type::unranked(operands[0].dtype().unwrap());
    compiled_with(device, kind, attrs, operands, &[], result)
}

/// An op over operands of these types, some of them constant.
fn compiled_with(
    device: &GpuDevice,
    kind: OpKind,
    attrs: &[(&'static str, Attr)],
    operands: &[Type],
    constants: &[Option<Tensor>],
    result: Type,
) -> Arc<dyn Executable> {
    let mut func = Func::new("test", Level::Graph);
    let inputs: Vec<_> = operands.iter().map(|ty| Some(func.value("x", ty.clone()))).collect();
    let mut op = generic::op(kind, inputs.clone(), attrs).unwrap();
    let y = Some(func.value("y", result));
    op.outputs = vec![y];
    let pool = device.memory();
    let ops = [op];
    let place = |id| ops[0].inputs.iter().position(|input| *input == Some(id));
    let constant = |id| constants.get(place(id)?)?.clone();
    let unit = Unit {
        func: &func,
        ops: &ops,
        inputs: inputs.clone(),
        outputs: vec![y],
        constant: &constant,
        pool: &pool,
    };
    device.compile(&unit).unwrap()
}

fn submit(
    exe: &dyn Executable,
    stream: &dyn Stream,
    pool: &Pool,
    operands: &[&Value],
) -> Result<Submitted, KernelError> {
    let mut inputs: Vec<Option<Value>> = operands.iter().map(|v| Some((*v).clone())).collect();
    let mut launch = Launch {
        inputs: &mut inputs,
        alloc: &mut |_, dtype, dims| Tensor::alloc(pool, dtype, dims),
        pool,
        limits: LaunchLimits::default(),
    };
    exe.submit(stream, &mut launch, &[])
}

fn output(submitted: &Submitted) -> Value {
    match &submitted.outputs {
        Outputs::Known(outputs) => outputs[0].clone().unwrap(),
        Outputs::Later(_) => panic!("the type is known before the launch"),
    }
}

fn floats(value: &Value) -> Result<Vec<f32>, KernelError> {
    Ok(value.as_tensor().unwrap().slice::<f32>()?.to_vec())
}

#[test]
fn products_of_floats_depend_on_the_number_of_rows() {
    let device = device();
    let of = |kind, dtype| {
        let square = Type::tensor(dtype, [Dim::Fixed(4), Dim::Fixed(4)]);
        compiled(&device, kind, &[], &[square.clone(), square]).depends_on_rows()
    };
    assert!(of(OpKind::MatMul, DType::F32));
    assert!(!of(OpKind::Add, DType::F32));
}

#[test]
fn launches_follow_each_other_and_end_in_order() {
    let device = device();
    let (stream, memory) = (device.stream(), device.memory().child("test"));
    let ty = Type::fixed(trident_ir::DType::F32, &[3]);
    let add = compiled(&device, OpKind::Add, &[], &[ty.clone(), ty]);
    // The host's memory as well as the device's.
    let one: Value = Tensor::from_slice(&Pool::new(), &[3], &[1f32, 2.0, 3.0]).unwrap().into();
    let mut x: Value = Tensor::from_slice(&memory, &[3], &[0f32; 3]).unwrap().into();
    let mut fences = vec![];
    for _ in 0..40 {
        let submitted = submit(&*add, &*stream, &memory, &[&x, &one]).unwrap();
        assert!(output(&submitted).as_tensor().unwrap().fence().is_some());
        x = output(&submitted);
        fences.push(submitted.fence);
    }
    assert_eq!(floats(&x).unwrap(), [40.0, 80.0, 120.0]);
    assert!(fences.iter().all(|fence| fence.outcome() == Some(Ok(()))));
    drop(fences);
    drop(x);
    stream.fence().wait().unwrap();
    assert_eq!(memory.stats().live, 0, "a launch that has ended holds nothing");
}

#[test]
fn operands_lie_anywhere_in_the_hosts_memory() {
    let device = device();
    let (stream, memory, host) = (device.stream(), device.memory(), Pool::new());
    for len in [1, 1000, 5000, 16_384, 40_001] {
        let ty = Type::fixed(trident_ir::DType::F32, &[len]);
        let add = compiled(&device, OpKind::Add, &[], &[ty.clone(), ty]);
        // They follow each other, so that most start or end within a page that belongs to others, too.
        let numbers: Vec<Value> = (0..5u8)
            .map(|n| Tensor::from_slice(&host, &[len], &vec![f32::from(n); len]).unwrap().into())
            .collect();
        for (n, pair) in numbers.windows(2).enumerate() {
            let submitted = submit(&*add, &*stream, &memory, &[&pair[0], &pair[1]]).unwrap();
            let sums = floats(&output(&submitted)).unwrap();
            assert!(sums.iter().all(|sum| *sum == (2 * n + 1) as f32), "{len}: {n}");
        }
    }
}

#[test]
fn what_operands_do_wrong_is_an_error_of_their_launch() {
    let device = device();
    let (stream, memory) = (device.stream(), device.memory().child("test"));
    let types =
        [Type::fixed(trident_ir::DType::F32, &[3]), Type::fixed(trident_ir::DType::I64, &[2])];
    let gather = compiled(&device, OpKind::Gather, &[("axis", Attr::Int(0))], &types);
    let x: Value = Tensor::from_slice(&memory, &[3], &[5f32, 6.0, 7.0]).unwrap().into();
    let index =
        |values: [i64; 2]| -> Value { Tensor::from_slice(&memory, &[2], &values).unwrap().into() };
    let right = submit(&*gather, &*stream, &memory, &[&x, &index([-1, 0])]).unwrap();
    let wrong = submit(&*gather, &*stream, &memory, &[&x, &index([0, 3])]).unwrap();
    let after = submit(&*gather, &*stream, &memory, &[&x, &index([1, 1])]).unwrap();
    assert_eq!(floats(&output(&right)).unwrap(), [7.0, 5.0]);
    let error = wrong.fence.wait().unwrap_err();
    assert_eq!(error, KernelError::domain("an index is outside of its axis"));
    assert_eq!(floats(&output(&after)).unwrap(), [6.0, 6.0]);
}

#[test]
fn weights_of_a_few_bits_are_widened_within_bounds() {
    let device = device_with(EmulatorOptions {
        check: Some(Check::default()),
        ..EmulatorOptions::default()
    });
    let (stream, memory) = (device.stream(), device.memory());
    for (m, [k, n, bits, block]) in
        [(1, [37_usize, 9, 4, 16]), (5, [50, 6, 4, 32]), (2, [130, 3, 8, 128])]
    {
        let (blocks, each) = (k.div_ceil(block), 8 / bits);
        let sizes = [("k", k), ("n", n), ("bits", bits), ("block_size", block)];
        let attrs = sizes.map(|(name, size)| (name, Attr::Int(size as i64)));
        let numbers = |len: usize| -> Vec<u8> { (0..len).map(|i| (i * 37 % 251) as u8).collect() };
        let small = |len: usize| -> Vec<f32> { (0..len).map(|i| (i % 7) as f32 - 3.0).collect() };
        let (a, b, bias) = (small(m * k), numbers(n * blocks * block / each), small(n));
        let (rest, scales) = (small(m * n), small(n * blocks));
        let zeros = numbers(n * blocks.div_ceil(each));
        let of =
            |dims: &[usize], x: &[f32]| Value::from(Tensor::from_slice(&memory, dims, x).unwrap());
        let bytes =
            |dims: &[usize], x: &[u8]| Value::from(Tensor::from_slice(&memory, dims, x).unwrap());
        let operands = [
            of(&[m, k], &a),
            bytes(&[n, blocks, block / each], &b),
            of(&[n], &bias),
            of(&[m, n], &rest),
            of(&[n, blocks], &scales),
            bytes(&[zeros.len()], &zeros),
        ];
        let types: Vec<Type> = operands.iter().map(|x| x.as_tensor().unwrap().ty()).collect();
        let product = compiled(&device, OpKind::MatMulNBits, &attrs, &types);
        let operands: Vec<&Value> = operands.iter().collect();
        let submitted = submit(&*product, &*stream, &memory, &operands).unwrap();
        let found = floats(&output(&submitted)).unwrap();
        let number = |bytes: &[u8], i: usize| {
            f32::from(bytes[i / each] >> (i % each * bits) & (u8::MAX >> (8 - bits)))
        };
        for (at, found) in found.iter().enumerate() {
            let (row, column) = (at / n, at % n);
            // Whole numbers, which are exact.
            let term = |p: usize| {
                let q = number(&b, column * blocks * block + p);
                let zero = number(&zeros, column * blocks.next_multiple_of(each) + p / block);
                a[row * k + p] * (q - zero) * scales[column * blocks + p / block]
            };
            let sum: f32 = (0..k).map(term).sum();
            assert_eq!(*found, sum + bias[column] + rest[at], "{m} rows of {sizes:?}");
        }
    }
}

#[test]
fn cancelled_launches_do_not_run() {
    let device = device();
    let (stream, memory) = (device.stream(), device.memory().child("test"));
    let neg = compiled(&device, OpKind::Neg, &[], &[Type::fixed(trident_ir::DType::F32, &[1])]);
    let x: Value = Tensor::from_slice(&memory, &[1], &[1f32]).unwrap().into();
    stream.cancel();
    let submitted = submit(&*neg, &*stream, &memory, &[&x]).unwrap();
    assert_eq!(submitted.fence.wait(), Err(KernelError::Cancelled));
}

/// Numbers between −1 and 1, the same on each run.
fn numbers(dims: &[usize], seed: u32) -> Tensor {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    let values: Vec<f32> = (0..dims.iter().product()).map(|_| next()).collect();
    Tensor::from_slice(&Pool::new(), dims, &values).unwrap()
}

#[test]
fn weights_are_transformed_where_products_are_saved() {
    // Tiles of 4×4 reach beyond the last row and column of the result.
    let (inputs, outputs, rows, columns, out) = (5, 6, 9, 12, [10, 11]);
    let options = EmulatorOptions { check: Some(Check::default()), ..EmulatorOptions::default() };
    let metal = Arc::new(Emulator::new(options).unwrap());
    // Memory that costs nothing makes small sizes worth it.
    let target = Target { flops_per_byte: 0, ..target(metal.limits()) };
    let device = GpuDevice::with_target(info(), metal, target);
    let (stream, memory) = (device.stream(), device.memory().child("test"));
    let mut image = numbers(&[1, inputs, rows, columns], 1);
    let elements = image.slice_mut::<f32>().unwrap();
    elements[3 * columns + 9] = f32::NAN;
    elements[rows * columns - 1] = f32::INFINITY;
    let weights = numbers(&[outputs, inputs, 3, 3], 2);
    let bias = numbers(&[outputs], 3);
    let pads = [1, 0, 2, 1];
    let attrs = [("pads", Attr::Ints(pads.to_vec())), ("activation", Attr::Str("relu".into()))];
    let open = || Type::tensor(DType::F32, ["n", "c", "h", "w"].map(Dim::sym));
    let result = Type::fixed(DType::F32, &[1, outputs, out[0], out[1]]);
    let known = [image.ty(), result];
    for ([ty, result], name) in
        [(known, "fused_conv.winograd4x4"), ([open(), open()], "fused_conv.by_size")]
    {
        let types = [ty, weights.ty(), bias.ty()];
        let constants = [None, Some(weights.clone()), Some(bias.clone())];
        let conv = compiled_with(&device, OpKind::FusedConv, &attrs, &types, &constants, result);
        assert_eq!(conv.kernel(), name);
        let x: Value = image.clone().into();
        let found = floats(&output(&submit(&*conv, &*stream, &memory, &[&x]).unwrap())).unwrap();
        let (x, w) = (image.slice::<f32>().unwrap(), weights.slice::<f32>().unwrap());
        let bias = bias.slice::<f32>().unwrap();
        for (at, found) in found.iter().enumerate() {
            let (channel, place) = (at / (out[0] * out[1]), at % (out[0] * out[1]));
            let mut sum = f64::from(bias[channel]);
            for k in 0..inputs * 9 {
                let y = (place / out[1] + k % 9 / 3).checked_sub(pads[0] as usize);
                let z = place % out[1] + k % 3;
                if let Some(y) = y.filter(|y| *y < rows && z < columns) {
                    let pixel = f64::from(x[(k / 9 * rows + y) * columns + z]);
                    sum += pixel * f64::from(w[channel * inputs * 9 + k]);
                }
            }
            let expected = if sum < 0.0 { 0.0 } else { sum };
            let close = (f64::from(*found) - expected).abs() < 1e-5;
            let same = f64::from(*found) == expected || found.is_nan() && expected.is_nan();
            assert!(close || same, "{name}, element {at}: {found} against {expected}");
        }
    }
}

#[test]
fn an_m5_multiplies_matrices_of_models() {
    let mut options =
        EmulatorOptions { check: Some(Check::default()), ..EmulatorOptions::default() };
    options.limits.family = Family::Apple10;
    let device = device_with(options);
    let (stream, memory) = (device.stream(), device.memory().child("test"));
    let (m, n, k) = (70, 90, 45);
    let halves = |dims: &[usize], seed| {
        let values: Vec<_> =
            numbers(dims, seed).slice::<f32>().unwrap().iter().map(|&x| f16::from_f32(x)).collect();
        Tensor::from_slice(&Pool::new(), dims, &values).unwrap()
    };
    let (a, b) = (halves(&[m, k], 1), halves(&[k, n], 2));
    let matmul = compiled(&device, OpKind::MatMul, &[], &[a.ty(), b.ty()]);
    let values: [Value; 2] = [a.clone().into(), b.clone().into()];
    let found = submit(&*matmul, &*stream, &memory, &[&values[0], &values[1]]).unwrap();
    let found = output(&found).as_tensor().unwrap().to_literal().unwrap().to_f64s().unwrap();
    let [a, b] = [a, b].map(|x| x.to_literal().unwrap().to_f64s().unwrap());
    for (at, found) in found.iter().enumerate() {
        let sum: f64 = (0..k).map(|i| a[at / n * k + i] * b[i * n + at % n]).sum();
        assert!((found - sum).abs() <= 1e-3 * (1.0 + sum.abs()), "{at}: {found} not {sum}");
    }
}
