//! Random quantised networks give the same bits whether the CPU computes on row-major tensors or on blocks of channels.
#![allow(clippy::unwrap_used)] // what does not fit fails the test

use std::fmt::Write;
use std::sync::Arc;
use trident_cpu::CpuDevice;
use trident_engine::{Options, PassOptions, Session};
use trident_ir::Module;
use trident_runtime::{Device, Pool, Tensor, Value};

/// Random numbers that depend on the seed alone.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % n
    }

    fn one_of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

/// A dequantised value of a network, and what its dimensions follow from.
#[derive(Clone)]
struct Image {
    name: String,
    channels: usize,
    /// The strides between the parameter and the value.
    halved: usize,
}

/// A network in its text form, as exporters write quantised models: ops on floats between `dequantize_linear` and `quantize_linear`.
struct Network {
    random: Random,
    text: String,
    names: usize,
}

impl Network {
    /// Adds a line that defines a value, and returns the value's name.
    fn line(&mut self, op: &str) -> String {
        self.names += 1;
        let name = format!("v{}", self.names);
        writeln!(self.text, "  %{name} = {op}").unwrap();
        name
    }

    fn bytes(&mut self, dtype: &str, dims: &[usize]) -> String {
        let digits: String = (0..dims.iter().product::<usize>())
            .map(|_| format!("{:02x}", self.random.below(256)))
            .collect();
        let dims: Vec<String> = dims.iter().map(usize::to_string).collect();
        self.line(&format!("constant {{value = {dtype}[{}](0x{digits})}}", dims.join(", ")))
    }

    /// Quantises a value and dequantises it again.
    fn quantised(&mut self, value: &str) -> String {
        let scale = self.random.one_of(&["0.02", "0.05", "0.3"]);
        let scale = self.line(&format!("constant {{value = f32[]({scale})}}"));
        let zero = self.random.one_of(&["u8[](0)", "u8[](128)", "u8[](7)", "i8[](-3)", "i8[](0)"]);
        let zero = self.line(&format!("constant {{value = {zero}}}"));
        let q = self.line(&format!("quantize_linear(%{value}, %{scale}, %{zero})"));
        self.line(&format!("dequantize_linear(%{q}, %{scale}, %{zero})"))
    }

    fn convolution(&mut self, x: &Image) -> Image {
        let depthwise = x.channels > 1 && self.random.below(4) == 0;
        let channels = match depthwise {
            true => x.channels,
            false => self.random.one_of(&[3, 4, 6, 8, 12, 16]),
        };
        let two = x.channels.is_multiple_of(2) && channels.is_multiple_of(2);
        let group = match (depthwise, two && self.random.below(3) == 0) {
            (true, _) => x.channels,
            (false, true) => 2,
            (false, false) => 1,
        };
        let kernel = self.random.one_of(&[1, 3, 3, 5]);
        let stride = self.random.one_of(&[1, 1, 2]);
        let w = self.bytes("i8", &[channels, x.channels / group, kernel, kernel]);
        let by_channel = self.random.below(2) == 0;
        let scale = match by_channel {
            true => {
                let scales: Vec<String> =
                    (0..channels).map(|i| format!("{}", 0.002 + 0.0005 * i as f32)).collect();
                format!("constant {{value = f32[{channels}]({})}}", scales.join(", "))
            }
            false => "constant {value = f32[](0.004)}".to_owned(),
        };
        let scale = self.line(&scale);
        let w = self.line(&format!("dequantize_linear(%{w}, %{scale}) {{axis = 0}}"));
        let pad = kernel / 2;
        let attributes = format!(
            "{{group = {group}, pads = [{pad}, {pad}, {pad}, {pad}], strides = [{stride}, {stride}]}}"
        );
        let mut y = self.line(&format!("conv(%{}, %{w}) {attributes}", x.name));
        if self.random.below(2) == 0 {
            y = self.line(&format!("relu(%{y})"));
        }
        Image { name: self.quantised(&y), channels, halved: x.halved + usize::from(stride == 2) }
    }

    /// One more image from those that there are.
    fn grow(&mut self, images: &[Image]) -> Image {
        let x = images[self.random.below(images.len())].clone();
        let alike = |other: &&Image| (other.channels, other.halved) == (x.channels, x.halved);
        let value = match self.random.below(9) {
            0 | 1 => {
                let others: Vec<&Image> = images.iter().filter(alike).collect();
                let other = self.random.one_of(&others);
                let sum = self.line(&format!("add(%{}, %{})", x.name, other.name));
                self.line(&format!("relu(%{sum})"))
            }
            2 => {
                let name = &x.name;
                self.line(&format!(
                    "max_pool(%{name}) {{kernel_shape = [3, 3], pads = [1, 1, 1, 1]}}"
                ))
            }
            3 => {
                let factors: Vec<String> =
                    (0..x.channels).map(|i| format!("{}", 0.5 + 0.125 * i as f32)).collect();
                let (n, factors) = (x.channels, factors.join(", "));
                let k = self.line(&format!("constant {{value = f32[1, {n}, 1, 1]({factors})}}"));
                self.line(&format!("mul(%{}, %{k})", x.name))
            }
            4 => self.line(&format!("sigmoid(%{})", x.name)),
            _ => return self.convolution(&x),
        };
        Image { name: self.quantised(&value), ..x }
    }
}

/// A network of this seed, with named sizes of its batch and images.
fn network(seed: u64) -> String {
    let mut network = Network { random: Random(seed), text: String::new(), names: 0 };
    for _ in 0..8 {
        network.random.below(2);
    }
    let channels = network.random.one_of(&[3, 4, 8]);
    let name = network.quantised("x");
    let mut images = vec![Image { name, channels, halved: 0 }];
    for _ in 0..10 {
        let image = network.grow(&images);
        images.push(image);
    }
    let last = &images[images.len() - 1].name;
    let other = &images[network.random.below(images.len())].name;
    let text = &network.text;
    format!(
        "func @f graph (%x: f32[N, {channels}, H, W]) -> (f32[*], f32[*]) {{\n{text}  return %{last}, %{other}\n}}\n"
    )
}

fn session(text: &str, disabled: &[&str], threads: usize) -> Session {
    let module: Module = text.parse().unwrap();
    let devices: [Arc<dyn Device>; 1] = [Arc::new(CpuDevice::new(threads))];
    let disabled = disabled.iter().map(|&name| name.to_owned()).collect();
    let options = Options { passes: PassOptions { disabled }, ..Options::default() };
    Session::new(module, &devices, &options).unwrap()
}

/// The bytes of the results for an image of these dimensions.
fn run(session: &Session, dims: &[usize]) -> Vec<(Vec<usize>, Vec<u8>)> {
    let wave = |i: usize| ((i * 37 % 101) as f32 - 50.0) * 0.07;
    let values: Vec<f32> = (0..dims.iter().product()).map(wave).collect();
    let x = Tensor::from_slice(&Pool::new(), dims, &values).unwrap();
    let results = session.run(&[("x", Value::from(x))]).unwrap();
    let result = |value: &Value| {
        let tensor = value.as_tensor().unwrap();
        (tensor.dims().to_vec(), tensor.bytes().unwrap().to_vec())
    };
    results.iter().map(|(_, value)| result(value)).collect()
}

#[test]
fn results_do_not_depend_on_layouts() {
    let mut assigned = 0;
    for seed in 0..200 {
        let text = network(seed);
        let channels = text.split(", ").nth(1).unwrap().parse().unwrap();
        let (dense, blocked) =
            (session(&text, &["layout"], 1), session(&text, &[], 1 + seed as usize % 2));
        let count = |session: &Session| {
            let passes = session.passes().iter().filter(|p| p.pass == "assign-layouts");
            passes.map(|p| p.count).sum::<usize>()
        };
        assert_eq!(count(&dense), 0);
        assigned += count(&blocked);
        for (batch, height, width) in [(1, 9, 12), (3, 16, 7), (0, 9, 9), (2, 33, 40)] {
            let dims = [batch, channels, height, width];
            assert!(run(&dense, &dims) == run(&blocked, &dims), "seed {seed}, {dims:?}:\n{text}");
        }
    }
    assert!(assigned > 100, "only {assigned} ops in blocks");
}
