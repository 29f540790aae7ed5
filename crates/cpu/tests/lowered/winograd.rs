//! Convolutions by Winograd's algorithm, against sums in f64.

use super::run::{Case, TARGET, agree, floats};
use super::{list, one};
use trident_graph_to_tile::{Lowering, Target};
use trident_ir::{Attr, DType, OpKind as K};
use trident_runtime::{Pool, Tensor};

/// A device to which memory costs nothing, so that small sizes are worth it.
const FREE: Target = Target { flops_per_byte: 0, ..TARGET };

/// Half of the distance of 1 and the next number of f32.
const ROUNDING: f64 = 1.0 / (1 << 24) as f64;

#[derive(Clone, Copy, Debug)]
struct Conv {
    images: usize,
    inputs: usize,
    outputs: usize,
    rows: usize,
    columns: usize,
    /// Before rows, before columns, after rows, after columns.
    pads: [i64; 4],
}

impl Conv {
    fn out(&self) -> [usize; 2] {
        let along = |n: usize, before, after| (n as i64 + before + after - 2) as usize;
        let [top, left, bottom, right] = self.pads;
        [along(self.rows, top, bottom), along(self.columns, left, right)]
    }

    fn dims(&self) -> [Vec<usize>; 3] {
        let [rows, columns] = self.out();
        [
            vec![self.images, self.inputs, self.rows, self.columns],
            vec![self.outputs, self.inputs, 3, 3],
            vec![self.images, self.outputs, rows, columns],
        ]
    }

    fn case(&self, x: Tensor, w: Tensor) -> Case {
        Case::new(K::Conv, &[("pads", list(&self.pads))], vec![Some(x), Some(w)], 1)
    }

    /// Sums in f64, and for each sum how large it could be: max|x| in reach of its tile, times Σ|w|.
    fn exact(&self, x: &Tensor, w: &Tensor, tile: usize) -> Vec<(f64, f64)> {
        let (x, w) = (numbers(x), numbers(w));
        let [rows, columns] = self.out();
        let pixel = |image: usize, channel: usize, y: i64, z: i64| {
            let inside = |at, len| usize::try_from(at).ok().filter(|at| *at < len);
            let (Some(y), Some(z)) = (inside(y, self.rows), inside(z, self.columns)) else {
                return 0.0;
            };
            x[((image * self.inputs + channel) * self.rows + y) * self.columns + z]
        };
        let mut found = vec![];
        for at in 0..self.images * self.outputs * rows * columns {
            let (line, column) = (at / columns, at % columns);
            let (plane, row) = (line / rows, line % rows);
            let (image, output) = (plane / self.outputs, plane % self.outputs);
            let (mut sum, mut weights, mut largest) = (0.0, 0.0, 0.0f64);
            for channel in 0..self.inputs {
                for tap in 0..9 {
                    let weight = w[(output * self.inputs + channel) * 9 + tap];
                    let y = (row + tap / 3) as i64 - self.pads[0];
                    let z = (column + tap % 3) as i64 - self.pads[1];
                    sum += weight * pixel(image, channel, y, z);
                    weights += weight.abs();
                }
                for (i, j) in (0..tile + 2).flat_map(|i| (0..tile + 2).map(move |j| (i, j))) {
                    let y = (row / tile * tile + i) as i64 - self.pads[0];
                    let z = (column / tile * tile + j) as i64 - self.pads[1];
                    largest = largest.max(pixel(image, channel, y, z).abs());
                }
            }
            found.push((sum, largest * weights));
        }
        found
    }
}

fn numbers(x: &Tensor) -> Vec<f64> {
    x.to_literal().unwrap().to_f64s().unwrap()
}

/// Numbers as a tensor of this type.
fn rounded(dtype: DType, x: &Tensor) -> Tensor {
    let attrs = [("to", Attr::DType(dtype))];
    Case::new(K::Cast, &attrs, vec![Some(x.clone())], 1).kernel().swap_remove(0)
}

/// Length of the tiles that were chosen, if any.
fn tile(algorithm: Option<&str>) -> Option<usize> {
    match algorithm? {
        "winograd2x2" => Some(2),
        "winograd4x4" => Some(4),
        other => panic!("{other}"),
    }
}

/// Runs a convolution whose sizes are worth it; the tile's length and the largest error in roundings of the largest sum
/// possible.
fn error(conv: &Conv, dtype: DType) -> Option<(usize, f64)> {
    let [x, w, y] = conv.dims();
    let (x, w) = (floats(&x, 1).unwrap(), floats(&w, 2).unwrap());
    let (x, w) = (rounded(dtype, &x), rounded(dtype, &w));
    let like = [Tensor::alloc(&Pool::new(), dtype, &y).unwrap()];
    let case = conv.case(x.clone(), w.clone());
    let lowering = case.lowering(&like, &FREE, &|i| i == 1).unwrap();
    let tile = tile(lowering.algorithm)?;
    let found = numbers(&case.run(&lowering, &like).unwrap()[0]);
    let own = match dtype {
        DType::F16 => 1.0 / (1 << 11) as f64,
        DType::BF16 => 1.0 / (1 << 8) as f64,
        _ => 0.0,
    };
    let error = |(found, (sum, scale)): (&f64, (f64, f64))| {
        ((found - sum).abs() - own * sum.abs()) / (scale * ROUNDING)
    };
    let errors = found.iter().zip(conv.exact(&x, &w, tile)).map(error);
    Some((tile, errors.fold(0.0, f64::max)))
}

#[test]
fn sums_are_as_exact_as_stated() {
    let mut worst = [0.0f64; 5];
    let mut runs = [0; 5];
    let mut state = 7u32;
    let mut below = |n: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % n
    };
    for round in 0..40 {
        // Results of 5 to 8 rows and columns, of which F(4×4) leaves most of a product empty, or any.
        let small = round % 2 == 0;
        let images = 1 + below(3);
        let pads = [0; 4].map(|_| if small { 0 } else { below(3) as i64 });
        let side = |below: &mut dyn FnMut(usize) -> usize| {
            if small { 7 + below(4) } else { 1 + below(20) }
        };
        let (rows, columns) = (side(&mut below), side(&mut below));
        let (inputs, outputs) = (1 + below(40), 1 + below(40));
        let conv = Conv { images, inputs, outputs, rows, columns, pads };
        if rows as i64 + pads[0] + pads[2] < 3 || columns as i64 + pads[1] + pads[3] < 3 {
            continue;
        }
        let Some((tile, error)) = error(&conv, DType::F32) else { continue };
        runs[tile] += 1;
        worst[tile] = worst[tile].max(error);
    }
    println!(
        "F(2×2): {} runs, {:.2} u; F(4×4): {} runs, {:.2} u",
        runs[2], worst[2], runs[4], worst[4]
    );
    assert!(runs[2] >= 5 && runs[4] >= 5, "{runs:?}");
    assert!(worst[2] <= 1.0 && worst[4] <= 16.0, "{worst:?}");
}

#[test]
fn short_floats_are_summed_in_f32() {
    let conv = Conv { images: 1, inputs: 5, outputs: 6, rows: 9, columns: 11, pads: [1, 0, 1, 2] };
    for dtype in [DType::F16, DType::BF16] {
        let (tile, error) = error(&conv, dtype).unwrap();
        assert!(tile == 4 && error <= 16.0, "{dtype}: {error}");
    }
}

#[test]
fn what_is_not_finite_stays_in_its_place() {
    let few = Conv { images: 1, inputs: 5, outputs: 6, rows: 9, columns: 11, pads: [1, 0, 1, 2] };
    let small = Conv { images: 3, inputs: 2, outputs: 5, rows: 9, columns: 10, pads: [0; 4] };
    for (conv, expected) in [(few, 4), (small, 2)] {
        let [dims, weights, result] = conv.dims();
        // Twice the last overflows, and so does what a transform makes of it.
        for special in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e38] {
            let mut x = floats(&dims, 1).unwrap();
            let len = x.len();
            let elements = x.slice_mut::<f32>().unwrap();
            elements[conv.columns + 3] = special;
            elements[len - 1] = special;
            let w = floats(&weights, 2).unwrap();
            let case = conv.case(x, w);
            let like = [Tensor::alloc(&Pool::new(), DType::F32, &result).unwrap()];
            let lowering = case.lowering(&like, &FREE, &|i| i == 1).unwrap();
            assert_eq!(tile(lowering.algorithm), Some(expected));
            let found = case.run(&lowering, &like).unwrap().swap_remove(0);
            agree(&case.kernel()[0], &found).unwrap_or_else(|e| panic!("{special}: {e}"));
        }
    }
}

#[test]
fn results_end_like_those_of_other_convolutions() {
    for activation in ["none", "relu", "hard_swish", "gelu"] {
        let attrs = [("activation", Attr::Str(activation.into())), ("pads", list(&[1, 1, 1, 1]))];
        let operands = vec![
            floats(&[1, 3, 13, 6], 1),
            floats(&[4, 3, 3, 3], 2),
            floats(&[4], 3),
            floats(&[1, 4, 13, 6], 4),
        ];
        let case = Case::new(K::FusedConv, &attrs, operands, 1);
        let expected = case.kernel();
        let lowering = case.lowering(&expected, &FREE, &|i| i > 0).unwrap();
        assert!(lowering.algorithm.is_some());
        let found = case.run(&lowering, &expected).unwrap();
        agree(&expected[0], &found[0]).unwrap_or_else(|e| panic!("{activation}: {e}"));
    }
}

#[test]
fn sizes_decide() {
    let chosen = |images, channels, side, constant: bool| {
        let conv = Conv {
            images,
            inputs: channels,
            outputs: channels,
            rows: side,
            columns: side,
            pads: [1; 4],
        };
        let [x, w, y] = conv.dims().map(|d| Tensor::alloc(&Pool::new(), DType::F32, &d).unwrap());
        let lowering = conv.case(x, w).lowering(&[y], &TARGET, &|_| constant).unwrap();
        tile(lowering.algorithm)
    };
    // ResNet's layers, then those of VGG and of an image's encoder: transforms of few channels or of the weights move more than
    // the products that they save. However many images there are, each gets what it would alone.
    for (channels, side, expected) in [
        (64, 56, None),
        (128, 28, None),
        (256, 14, None),
        (512, 7, None),
        (128, 112, Some(4)),
        (256, 56, Some(4)),
        (512, 28, Some(4)),
        (512, 64, Some(4)),
    ] {
        for images in [1, 8] {
            let found = chosen(images, channels, side, true);
            assert_eq!(found, expected, "{images} images, {channels} channels, {side}×{side}");
        }
    }
    assert_eq!(chosen(1, 256, 56, false), None, "weights that are not known");
}

#[test]
fn images_of_a_batch_have_the_bits_of_single_ones() {
    for (inputs, outputs, side) in [(2, 5, 4), (5, 6, 10), (3, 4, 19)] {
        let batch =
            Conv { images: 70, inputs, outputs, rows: side, columns: side + 1, pads: [0; 4] };
        let single = Conv { images: 1, ..batch };
        let run = |conv: Conv, x: Tensor| {
            let [_, w, y] = conv.dims();
            let like = [Tensor::alloc(&Pool::new(), DType::F32, &y).unwrap()];
            let case = conv.case(x, floats(&w, 2).unwrap());
            let lowering = case.lowering(&like, &FREE, &|i| i == 1).unwrap();
            let found = case.run(&lowering, &like).unwrap().swap_remove(0);
            (lowering.algorithm, found.slice::<f32>().unwrap().to_vec())
        };
        let all = floats(&batch.dims()[0], 1).unwrap();
        let len = inputs * side * (side + 1);
        let (algorithm, together) = run(batch, all.clone());
        for image in [0, 69] {
            let own = &all.slice::<f32>().unwrap()[image * len..][..len];
            let own = Tensor::from_slice(&Pool::new(), &single.dims()[0], own).unwrap();
            let (same, alone) = run(single, own);
            assert_eq!(algorithm, same);
            let together = &together[image * alone.len()..][..alone.len()];
            let bits = |x: &[f32]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(together), bits(&alone), "image {image} of {side} rows");
        }
    }
}

#[test]
fn scratch_memory_is_bounded() {
    let bytes = |lowering: &Lowering| -> usize {
        lowering.scratch.iter().map(|(dtype, len)| dtype.size() * len).sum()
    };
    let large =
        Conv { images: 4, inputs: 128, outputs: 128, rows: 256, columns: 256, pads: [1; 4] };
    let [x, w, y] = large.dims().map(|d| Tensor::alloc(&Pool::new(), DType::F32, &d).unwrap());
    let lowering = large.case(x, w).lowering(&[y], &TARGET, &|i| i == 1).unwrap();
    assert_eq!(tile(lowering.algorithm), Some(4));
    assert_eq!(lowering.steps.len(), 3 * 5);
    assert!(bytes(&lowering) <= 128 << 20, "{} bytes", bytes(&lowering));

    // Parts begin and end within rows of tiles, and the last one is shorter.
    let conv = Conv { images: 3, inputs: 5, outputs: 6, rows: 33, columns: 35, pads: [1; 4] };
    let [x, w, y] = conv.dims();
    let like = [Tensor::alloc(&Pool::new(), DType::F32, &y).unwrap()];
    let mut x = floats(&x, 1).unwrap();
    x.slice_mut::<f32>().unwrap()[7000] = f32::INFINITY;
    let case = conv.case(x, floats(&w, 2).unwrap());
    let run = |scratch: usize| {
        let target = Target { scratch, ..FREE };
        let lowering = case.lowering(&like, &target, &|i| i == 1).unwrap();
        assert!(bytes(&lowering) <= scratch, "{} bytes", bytes(&lowering));
        let found = case.run(&lowering, &like).unwrap().swap_remove(0);
        (lowering.algorithm, lowering.steps.len(), found)
    };
    let (algorithm, steps, whole) = run(FREE.scratch);
    assert_eq!((tile(algorithm), steps), (Some(4), 3));
    let (algorithm, steps, parts) = run(64 * 36 * (5 + 6) * 4);
    assert_eq!((tile(algorithm), steps), (Some(4), 3 * 4));
    let bits = |x: &Tensor| x.slice::<f32>().unwrap().iter().map(|x| x.to_bits()).collect();
    let (whole, parts): (Vec<u32>, Vec<u32>) = (bits(&whole), bits(&parts));
    assert_eq!(whole, parts);
    assert_eq!(run(10_000).0, None, "a program's columns do not fit");
}

#[test]
fn images_without_elements() {
    one(K::Conv, &[], vec![floats(&[0, 3, 5, 5], 1), floats(&[4, 3, 3, 3], 2)]);
}
